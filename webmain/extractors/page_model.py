"""The page model that comes with the program: what any page's blocks look like, learned from pages with known answers.

The file is JSON: a header, and sums of trees for both profiles, the choice between them, and the confidence. Reading it
runs no code of it; a file that is not exactly of this form is refused. The model's card stands in `models/page_model/`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from webmain.clock import once
from webmain.features.choice import PAGE_COLUMNS, Choice, page_columns, probabilities
from webmain.features.columns import VERSION as COLUMNS_VERSION
from webmain.features.columns import Columns, names
from webmain.features.trees import Trees

FORMAT: Final = "webmain page model"
FORMAT_VERSION: Final = 1
FILE: Final = "page_model.json"
MAX_BYTES: Final = 16 << 20
MANY_BLOCKS: Final = 10_000
CONFIDENCE_COLUMNS: Final = (*PAGE_COLUMNS, "news")

SURE: Final = 0.9
"""A page gets one profile alone from this probability on."""


class PageModelError(ValueError):
    """A page model can not be used; the message says why."""


@dataclass(frozen=True)
class PageModel:
    """Trees that tell content from the rest.

    Attributes
    ----------
    news, general : Trees
        Log-odds of each block being content, for pages with one article and for all others.
    profile : Trees
        Log-odds of a page being one with an article.
    confidence : Trees
        Expected F1 of a page's choice, before it is cut to [0, 1].
    sha256 : str
        Digest of the file.
    """

    news: Trees
    general: Trees
    profile: Trees
    confidence: Trees
    sha256: str = ""

    def news_share(self, columns: Columns) -> float:
        """Return how much of the news profile a page gets: 1, 0, or between where the page may be either."""
        share = float(probabilities(self.profile.sums(page_means(columns)[None, :]))[0])
        return 1.0 if share > SURE else 0.0 if share < 1 - SURE else share

    def margins(self, columns: Columns, news: float) -> NDArray[np.float64]:
        """Return the log-odds of each block of a page, as a mixture of both profiles' where `news` is neither 0 nor 1."""
        if news == 1:
            return self.news.sums(columns.values)
        if news == 0:
            return self.general.sums(columns.values)
        return news * self.news.sums(columns.values) + (1 - news) * self.general.sums(columns.values)

    def expected_f1(
        self, probability: NDArray[np.float64], n_chars: NDArray[np.float64], choice: Choice, news: float
    ) -> float:
        """Return the calibrated confidence of a choice, in [0, 1]."""
        row = confidence_row(probability, n_chars, choice, news)
        return float(np.clip(self.confidence.sums(row[None, :])[0], 0.0, 1.0))

    def to_plain(self) -> dict[str, Any]:
        """Return the model as JSON values."""
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "columns_version": COLUMNS_VERSION,
            "news": self.news.to_plain(names()),
            "general": self.general.to_plain(names()),
            "profile": self.profile.to_plain(names()),
            "confidence": self.confidence.to_plain(CONFIDENCE_COLUMNS),
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
                news=Trees.from_plain(plain["news"], names()),
                general=Trees.from_plain(plain["general"], names()),
                profile=Trees.from_plain(plain["profile"], names()),
                confidence=Trees.from_plain(plain["confidence"], CONFIDENCE_COLUMNS),
                sha256=sha256,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise PageModelError(f"can not be read: {error}") from error


def page_means(columns: Columns) -> NDArray[np.float32]:
    """Return the means of all columns over a page's blocks, weighted by the roots of their lengths."""
    weights = np.sqrt(np.maximum(columns.n_chars, 4.0))
    weights /= weights.sum()
    values = columns.values
    step = values.shape[1] if len(values) < MANY_BLOCKS else 16  # a piece is made float64 at a time
    means = [weights @ values[:, at : at + step] for at in range(0, values.shape[1], step)]
    return np.concatenate(means, dtype=np.float32)


def confidence_row(
    probability: NDArray[np.float64], n_chars: NDArray[np.float64], choice: Choice, news: float
) -> NDArray[np.float32]:
    """Return what tells how sure a page's choice is, in the order of `CONFIDENCE_COLUMNS`."""
    row: NDArray[np.float32] = np.append(page_columns(probability, n_chars, choice), news).astype(np.float32)
    return row


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


@once
def page_model() -> PageModel:
    """Return the model that comes with the program, read when it is first needed."""
    return read(files("webmain.extractors").joinpath(FILE).read_bytes())
