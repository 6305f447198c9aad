"""The page model that comes with the program: what any page's blocks look like, learned from pages with known answers.

The file is JSON: a header, and sums of trees for both profiles, for the choice between them, and for the confidence. Reading it
runs no code of it; a file that is not exactly of this form is refused. The model's card stands in `models/page_model/`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from webmain.features.choice import PAGE_COLUMNS, Choice, page_columns
from webmain.features.columns import VERSION as COLUMNS_VERSION
from webmain.features.columns import Columns, names
from webmain.features.trees import Trees

FORMAT: Final = "webmain page model"
FORMAT_VERSION: Final = 1
FILE: Final = "page_model.json"
MAX_BYTES: Final = 16 << 20


class PageModelError(ValueError):
    """A page model can not be used; the message says why."""


@dataclass(frozen=True)
class PageModel:
    """Trees that tell content from the rest.

    Attributes
    ----------
    blocks : Trees
        Log-odds of each block being content.
    confidence : Trees
        Expected F1 of a page's choice, before it is cut to [0, 1].
    sha256 : str
        Digest of the file.
    """

    blocks: Trees
    confidence: Trees
    sha256: str = ""

    def margins(self, columns: Columns) -> NDArray[np.float64]:
        """Return the log-odds of each block of a page."""
        return self.blocks.sums(columns.values)

    def expected_f1(self, probability: NDArray[np.float64], n_chars: NDArray[np.float64], choice: Choice) -> float:
        """Return the calibrated confidence of a choice, in [0, 1]."""
        row = page_columns(probability, n_chars, choice).astype(np.float32)
        return float(np.clip(self.confidence.sums(row[None, :])[0], 0.0, 1.0))

    def to_plain(self) -> dict[str, Any]:
        """Return the model as JSON values."""
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "columns_version": COLUMNS_VERSION,
            "blocks": self.blocks.to_plain(names()),
            "confidence": self.confidence.to_plain(PAGE_COLUMNS),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], sha256: str = "") -> Self:
        """Read what `to_plain` wrote.

        Raises
        ------
        PageModelError
            It is not of that form, of a later one, or of other columns.
        """
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise PageModelError("is no page model")
        if plain.get("format_version") != FORMAT_VERSION:
            raise PageModelError(f"has format version {plain.get('format_version')!r:.40}, {FORMAT_VERSION} is read")
        if plain.get("columns_version") != COLUMNS_VERSION:
            raise PageModelError(f"has columns of version {plain.get('columns_version')!r:.40}, not {COLUMNS_VERSION}")
        try:
            return cls(
                blocks=Trees.from_plain(plain["blocks"], names()),
                confidence=Trees.from_plain(plain["confidence"], PAGE_COLUMNS),
                sha256=sha256,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise PageModelError(f"can not be read: {error}") from error


def read(data: bytes) -> PageModel:
    """Read a model's file.

    Raises
    ------
    PageModelError
        It is too large, no JSON, or no page model.
    """
    if len(data) > MAX_BYTES:
        raise PageModelError(f"has more than {MAX_BYTES:,} bytes")
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise PageModelError(f"is no JSON: {str(error)[:100]}") from error
    return PageModel.from_plain(plain, hashlib.sha256(data).hexdigest())


def written(model: PageModel) -> bytes:
    """Return a model's file."""
    return json.dumps(model.to_plain(), separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


@cache
def page_model() -> PageModel:
    """Return the model that comes with the program, read when it is first needed."""
    return read(files("webmain.extractors").joinpath(FILE).read_bytes())
