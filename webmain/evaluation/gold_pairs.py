"""Gold pages in files of their own, each with a text file of the same name: CleanEval's folders, and any others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webmain.evaluation.drops import DropReason, Drops
from webmain.evaluation.gold_json import MAX_PAGE_BYTES, BadRecordError, gold_text, page_of_record, read_bounded
from webmain.evaluation.records import GoldPage
from webmain.page.encoding import decode


def is_cleaneval(path: Path) -> bool:
    return False


def is_folder(path: Path) -> bool:
    return False


def cleaneval_pages(path: Path, drops: Drops) -> Iterator[GoldPage]:
    yield from ()


def folder_pages(path: Path, drops: Drops) -> Iterator[GoldPage]:
    yield from ()
