"""The page model that comes with the program, and the matrix with named columns that it looks at: one row a block.

A group of columns is a function that takes `PageBlocks` and returns its columns by name. To add one, write such a function
(in `webmain.features.block_columns`, or a file of its own) and list it in `GROUPS`: models find their columns by name, so
that those that were trained without it keep working.

The model is learned from pages with known answers. Its file is JSON: a header, and sums of trees for both profiles, the
choice between them, and the confidence. Reading it runs no code of it; a file that is not exactly of this form is refused.
The model's card is in `models/page_model/`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from webmain.clock import once
from webmain.features import block_columns, cue_columns, title_columns
from webmain.features.page_blocks import PageBlocks
from webmain.features.trees import Trees, probabilities
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page

if TYPE_CHECKING:
    from webmain.html.blocks import Segmentation

COLUMNS_VERSION: Final = 1
"""Version of the columns; a model of another version is not used."""

GROUPS: Final = (
    block_columns.own,
    block_columns.whole_page,
    block_columns.head_and_data,
    block_columns.cues,
    block_columns.names_around,
    block_columns.ancestors,
    block_columns.repeated_siblings,
    block_columns.best_container,
    block_columns.neighbours,
    block_columns.position,
    block_columns.signatures,
    cue_columns.phrases_around,
    title_columns.title_place,
)
"""The groups, in the order of their columns in the matrix; columns of the whole page ("page_...") come last."""


@dataclass(frozen=True)
class Columns:
    """The features of a page's blocks.

    Attributes
    ----------
    values : (n_blocks, n_columns) float32
    names : tuple of str
    n_chars : (n_blocks,) float64
        Characters that are shown, white space not counted.
    texts : list of str
        Each block's text.
    """

    values: NDArray[np.float32]
    names: tuple[str, ...]
    n_chars: NDArray[np.float64]
    texts: list[str]


def columns(segmentation: Segmentation) -> Columns:
    """Compute the features of a page's blocks; the page has at least one block."""
    page = PageBlocks(segmentation)
    row_of = _rows()
    values = np.empty((len(row_of), page.n), dtype=np.float32)
    for group in GROUPS:  # one group's columns at a time: a page may have tens of thousands of blocks
        for name, column in group(page).items():
            values[row_of[name]] = column
    return Columns(values.T, names(), page.counts.shown, page.texts)


@once
def names() -> tuple[str, ...]:
    """Return the names of the columns: those of a page with one block."""
    page = PageBlocks(default_blocks(Document(Page(html="<p>.</p>"), html="<p>.</p>")))
    found = [name for group in GROUPS for name in group(page)]
    return tuple(sorted(found, key=lambda name: name.startswith("page_")))


@once
def _rows() -> dict[str, int]:
    """Return the row of each column, by its name."""
    return {name: row for row, name in enumerate(names())}


FORMAT: Final = "webmain page model"
FORMAT_VERSION: Final = 1
FILE: Final = "page_model.json"
MAX_BYTES: Final = 16 << 20
MANY_BLOCKS: Final = 10_000
CONFIDENCE_COLUMNS: Final = (
    "expected", "kept_chars", "kept_share", "kept_blocks", "sure_share", "doubt_kept", "doubt_left", "weakest", "mean_kept",
    "mean_left", "best", "spread", "news",
)  # fmt: skip
"""Names of the quantities from which the confidence of a choice is computed."""

SURE: Final = 0.9
"""A page gets one profile alone from this probability on."""


class PageModelError(ValueError):
    """A page model can not be used; the message says why."""


@dataclass(frozen=True)
class Choice:
    """A choice of blocks.

    Attributes
    ----------
    kept : (n_blocks,) bool
        One block at least, wherever there is one.
    expected : float
        Expected F1 of the choice, the probabilities taken at their word.
    limit : float
        The lowest probability that is kept.
    """

    kept: NDArray[np.bool_]
    expected: float
    limit: float


def choose(probability: NDArray[np.float64], n_chars: NDArray[np.float64]) -> Choice:
    """Keep the set of blocks with the highest expected F1 over characters.

    The best set of any size is that of the most probable blocks, and the expected F1 of the k most probable is about
    `2 * sum of p * n over them / (sum of n over them + sum of p * n over all)`: the ratio of expected values.

    Parameters
    ----------
    probability : (n_blocks,) float64
        Probability of being content, in [0, 1].
    n_chars : (n_blocks,) float64
        Lengths, >= 0.
    """
    n = np.maximum(n_chars, 1.0)
    hoped = probability * n
    order = np.argsort(-probability, kind="stable")
    expected = 2 * np.cumsum(hoped[order]) / (np.cumsum(n[order]) + hoped.sum())
    best = int(np.argmax(expected))
    kept = np.zeros(len(probability), dtype=np.bool_)
    kept[order[: best + 1]] = True
    return Choice(kept, float(expected[best]), float(probability[order[best]]))


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
    """Return the quantities from which a choice's confidence is computed, in the order of `CONFIDENCE_COLUMNS`."""
    n = np.maximum(n_chars, 1.0)
    kept, left = choice.kept, ~choice.kept
    of_kept, hoped, doubt = n[kept].sum(), n * probability, n * probability * (1 - probability)
    mean_kept = float(hoped[kept].sum() / of_kept)
    found = {
        "expected": choice.expected,
        "kept_chars": np.log1p(of_kept),
        "kept_share": of_kept / n.sum(),
        "kept_blocks": np.log1p(kept.sum()),
        "sure_share": n[probability > 0.9].sum() / of_kept,
        "doubt_kept": doubt[kept].sum() / of_kept,
        "doubt_left": doubt[left].sum() / of_kept,
        "weakest": choice.limit,
        "mean_kept": mean_kept,
        "mean_left": hoped[left].sum() / of_kept,
        "best": probability.max(),
        "spread": float(np.sqrt((n[kept] * (probability[kept] - mean_kept) ** 2).sum() / of_kept)),
        "news": news,
    }
    return np.array([found[name] for name in CONFIDENCE_COLUMNS], dtype=np.float32)


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
