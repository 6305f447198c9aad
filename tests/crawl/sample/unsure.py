"""An extractor for tests that says how sure it is: as the page's address tells it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from webmain.extractors.base import Extraction
from webmain.extractors.line_block import LineBlock
from webmain.html.blocks import Segmentation


@dataclass(frozen=True)
class Unsure(LineBlock):
    """`/sure87-tide` has a confidence of .87; other pages have none."""

    name: ClassVar[str] = "unsure"

    def judge(self, segmentation: Segmentation) -> Extraction:
        told = re.search(r"sure(\d\d)", segmentation.document.url or "")
        return replace(super().judge(segmentation), confidence=int(told[1]) / 100 if told else None)
