"""The page model that comes with the package, and its input: a matrix with named columns, one row per block.

A group of columns is a function that takes `PageBlocks` and returns its columns by name. To add one, write such a function
(in `webmain.features.block_columns`, or a file of its own) and list it in `GROUPS`. Models look up columns by name, so
models trained without it keep working.

The model is trained on labelled pages. Its file is JSON: a header, and sums of trees for page type, blocks and confidence.
Reading it runs no code, and a malformed file is refused. The model card is in `models/`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from webmain.clock import once
from webmain.features import block_columns, cue_columns, title_columns
from webmain.features.page_blocks import PageBlocks
from webmain.features.page_columns import page_columns
from webmain.features.trees import Stack, Trees, probabilities
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import PAGE_TYPES, Page

if TYPE_CHECKING:
    from webmain.html.blocks import Segmentation

COLUMNS_VERSION: Final = 2
"""Version of the columns; a model of another version is not used."""

GROUPS: Final = (
    block_columns.own_text,
    block_columns.whole_page,
    block_columns.head_and_data,
    block_columns.headings,
    block_columns.names_around,
    block_columns.ancestors,
    block_columns.repeated_siblings,
    title_columns.best_container,
    block_columns.neighbours,
    block_columns.position,
    block_columns.signatures,
    cue_columns.phrases_around,
    title_columns.title_place,
)
"""The groups in column order; columns of the whole page ("page_...") come last."""


@dataclass(frozen=True)
class Columns:
    """The features of a page's blocks.

    Attributes
    ----------
    table : (n_columns + 1, n_blocks) float32
        A row for each column; the last row is the page's probability of being an article, once known.
    names : tuple of str
        Names of all rows but the last.
    n_chars : (n_blocks,) float64
        Shown characters without white space.
    texts : list of str
        Each block's text.
    of_page : (n_page_columns,) float32
        Columns of the page as a whole.
    """

    table: NDArray[np.float32]
    names: tuple[str, ...]
    n_chars: NDArray[np.float64]
    texts: list[str]
    of_page: NDArray[np.float32]

    @property
    def values(self) -> NDArray[np.float32]:
        """The columns, `(n_blocks, n_columns)`."""
        return self.table[:-1].T

    def with_article(self, probability: float) -> NDArray[np.float32]:
        """Return the columns of `block_names`, with the last one set to a page's probability of being an article."""
        self.table[-1] = probability
        return self.table.T


def columns(segmentation: Segmentation) -> Columns:
    """Return the features of a page's blocks, of which there is at least one."""
    page, rows = PageBlocks(segmentation), _rows()
    table = np.empty((len(names()) + 1, page.n), dtype=np.float32)
    for group in GROUPS:  # one group at a time saves memory: a page may have tens of thousands of blocks
        for name, column in group(page).items():
            table[rows[name]] = column
    least, most = _limits()
    np.minimum(np.maximum(table[:-1], least, out=table[:-1]), most, out=table[:-1])
    of_page = np.array(list(page_columns(page).values()), dtype=np.float32)
    return Columns(table, names(), page.counts.shown, page.texts, of_page)


@once
def _limits() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lower and upper bound of each column, `(n_columns, 1)` each; infinite if there is none."""
    at_most = block_columns.AT_MOST | cue_columns.AT_MOST | title_columns.AT_MOST
    least = [[title_columns.AT_LEAST.get(name, -math.inf)] for name in names()]
    most = [[at_most.get(name, math.inf)] for name in names()]
    return np.array(least, dtype=np.float32), np.array(most, dtype=np.float32)


@once
def _keys() -> list[str | tuple[str, ...]]:
    """Return the keys of all groups' columns, from a page with one block."""
    return [key for group in GROUPS for key in group(_small_page())]


@once
def names() -> tuple[str, ...]:
    """Return the names of the columns, those of the whole page last."""
    found = chain.from_iterable((key,) if isinstance(key, str) else key for key in _keys())
    return tuple(sorted(found, key=lambda name: name.startswith("page_")))


@once
def page_names() -> tuple[str, ...]:
    """Return the names of the columns from which the type of a page is predicted (`page_row`)."""
    return (*names(), *page_columns(_small_page()))


@once
def _small_page() -> PageBlocks:
    return PageBlocks(default_blocks(Document(Page(html="<p>.</p>"), html="<p>.</p>")))


@once
def block_names() -> tuple[str, ...]:
    """Return the names of the columns from which blocks are scored: those of the matrix, and `ARTICLE`."""
    return (*names(), ARTICLE)


@once
def _rows() -> dict[str | tuple[str, ...], int | slice]:
    """Return the row, or slice of rows, of each key of the groups' columns."""
    place = {name: row for row, name in enumerate(names())}
    return {key: place[key] if isinstance(key, str) else slice(place[key[0]], place[key[-1]] + 1) for key in _keys()}


FORMAT: Final = "webmain page model"
FORMAT_VERSION: Final = 2
FILE: Final = "page_model.json"
MAX_BYTES: Final = 16 << 20
MANY_BLOCKS: Final = 10_000
CONFIDENCE_COLUMNS: Final = (
    "expected", "kept_chars", "kept_share", "kept_blocks", "sure_share", "doubt_kept", "doubt_left", "weakest", "mean_kept",
    "mean_left", "best", "spread", "article",
)  # fmt: skip
"""Names of the quantities from which the confidence of a choice is computed."""

LEVELS: Final = 32
"""Number of probability thresholds over which the expected F1 is averaged."""

LEVEL_SHIFT: Final = 0.4
LEVEL_SPREAD: Final = 1.6
"""Mean and scale of the levels' logistic distribution in log-odds. (0, 1) would take the probabilities at face value, but
those of one page are mostly too high or too low together. Found by cross-validation."""

ARTICLE: Final = "p_article"
"""Name of the column with a page's probability of having an article."""

LISTINGS: Final = 1.5
"""Subtracted from the log-odds of `no_listing`; the article probability is the lower one of it and `article`."""
OTHER_TYPES: Final = tuple(name for name in PAGE_TYPES if name != "article")


class PageModelError(ValueError):
    """A page model cannot be used; the message says why."""


@dataclass(frozen=True)
class Choice:
    """A choice of blocks.

    Attributes
    ----------
    kept : (n_blocks,) bool
        At least one block, if there is any.
    expected : float
        Expected F1 of the choice according to the probabilities.
    limit : float
        Lowest probability among the kept blocks.
    """

    kept: NDArray[np.bool_]
    expected: float
    limit: float


@once
def levels() -> NDArray[np.float64]:
    """Return the equally likely thresholds above which blocks are content, ascending: `(LEVELS,)`."""
    quantiles = (np.arange(LEVELS) + 0.5) / LEVELS
    return probabilities(LEVEL_SHIFT + LEVEL_SPREAD * np.log(quantiles / (1 - quantiles)))


def choose(probability: NDArray[np.float64], n_chars: NDArray[np.float64]) -> Choice:
    """Return the set of blocks with the highest expected F1 over characters.

    Errors of similar blocks are correlated: a comment thread or a table is content as a whole or not at all. So the content
    is modelled as all blocks above an unknown level, whose distribution follows the probabilities but is wider
    (`LEVEL_SPREAD`). The top k blocks are kept, with k maximising the mean F1 over `LEVELS` levels. Thirty certain lines
    are not sacrificed for a table of many thousand doubtful ones.

    Parameters
    ----------
    probability : (n_blocks,) float64
        Probability of being content, in [0, 1].
    n_chars : (n_blocks,) float64
        Lengths, >= 0.
    """
    n = np.maximum(n_chars, 1.0)
    order = (-probability).argsort(kind="stable")
    kept_chars = n.take(order).cumsum()
    above = (-probability.take(order)).searchsorted(-levels(), side="left")  # number of content blocks at each level
    content_chars = np.concatenate(([0.0], kept_chars))[above]
    parts = [kept_chars[at : at + MANY_BLOCKS] for at in range(0, len(order), MANY_BLOCKS)]
    chars = content_chars[:, None]
    expected = np.concatenate([(np.minimum(part, chars) / (part + chars)).sum(axis=0) for part in parts]) * (2 / LEVELS)
    best = int(expected.argmax())
    kept = np.zeros(len(probability), dtype=np.bool_)
    kept[order[: best + 1]] = True
    return Choice(kept, float(expected[best]), float(probability[order[best]]))


@dataclass(frozen=True)
class PageModel:
    """The trained trees that score pages and blocks.

    Attributes
    ----------
    article : Trees
        Log-odds of a page having an article, from its `page_row`.
    kinds : mapping of str to Trees
        Log-odds of each other type, for a page that is no article.
    blocks : Trees
        Log-odds of each block being content, from its columns and the page's article probability.
    confidence : Trees
        Expected F1 of a page's choice, before clipping to [0, 1].
    no_listing : Trees or None
        Log-odds of an article, for a page that is an article or a listing; None in older models.
    sha256 : str
        Digest of the file.
    """

    article: Trees
    kinds: Mapping[str, Trees]
    blocks: Trees
    confidence: Trees
    no_listing: Trees | None = None
    sha256: str = ""

    @cached_property
    def _of_page(self) -> Stack:
        return Stack([self.article, *self.kinds.values(), *filter(None, [self.no_listing])])

    def article_share(self, row: NDArray[np.float32]) -> float:
        """Return the probability of a page having an article, from its `page_row`."""
        return float(probabilities(self.article.sums(row[None, :]))[0])

    def page_types(self, row: NDArray[np.float32]) -> dict[str, float]:
        """Return the probability of each of `PAGE_TYPES` from a page's `page_row`; their sum is 1.

        If `no_listing` lowers the article probability, the difference goes to listings.
        """
        margins = self._of_page.of_row(row)
        article, *kinds = probabilities(margins[: len(self.kinds) + 1]).tolist()
        found = {name: share * (1 - article) / sum(kinds) for name, share in zip(self.kinds, kinds, strict=True)}
        sure = min([article, *probabilities(margins[len(kinds) + 1 :] - LISTINGS).tolist()])
        found["listing"] += article - sure
        return {"article": sure} | found

    def margins(self, columns: Columns, article: float) -> NDArray[np.float64]:
        """Return the log-odds of each block of a page, from its columns and the page's article probability."""
        return self.blocks.sums(columns.with_article(article))

    def expected_f1(self, row: NDArray[np.float32]) -> float:
        """Return the calibrated confidence of a choice from its `confidence_row`, in [0, 1]."""
        return float(np.clip(self.confidence.sums(row[None, :])[0], 0.0, 1.0))

    def to_plain(self) -> dict[str, Any]:
        """Return the model as JSON values."""
        no_listing = {"no_listing": self.no_listing.to_plain(page_names())} if self.no_listing is not None else {}
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "columns_version": COLUMNS_VERSION,
            "article": self.article.to_plain(page_names()),
            "kinds": {name: trees.to_plain(page_names()) for name, trees in self.kinds.items()},
            "blocks": self.blocks.to_plain(block_names()),
            "confidence": self.confidence.to_plain(CONFIDENCE_COLUMNS),
            **no_listing,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], sha256: str = "") -> Self:
        """Return the model that `to_plain` wrote.

        Raises
        ------
        PageModelError
            The values have another form, format version or columns version.
        """
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise PageModelError("is not a page model")
        if plain.get("format_version") != FORMAT_VERSION:
            raise PageModelError(f"has format version {plain.get('format_version')!r:.40}, {FORMAT_VERSION} is needed")
        if plain.get("columns_version") != COLUMNS_VERSION:
            raise PageModelError(f"has columns of version {plain.get('columns_version')!r:.40}, not {COLUMNS_VERSION}")
        try:
            return cls(
                article=Trees.from_plain(plain["article"], page_names()),
                kinds={name: Trees.from_plain(plain["kinds"][name], page_names()) for name in OTHER_TYPES},
                blocks=Trees.from_plain(plain["blocks"], block_names()),
                confidence=Trees.from_plain(plain["confidence"], CONFIDENCE_COLUMNS),
                no_listing=Trees.from_plain(plain["no_listing"], page_names()) if "no_listing" in plain else None,
                sha256=sha256,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise PageModelError(f"cannot be read: {error}") from error


def mean_weights(n_chars: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of blocks in means over a page: square roots of their lengths, normalised to sum 1."""
    roots = np.sqrt(np.maximum(n_chars, 4.0))
    return np.divide(roots, np.add.reduce(roots))


def page_means(columns: Columns) -> NDArray[np.float32]:
    """Return the means of all columns over a page's blocks, weighted by `mean_weights`."""
    weights, values = mean_weights(columns.n_chars), columns.values
    step = values.shape[1] if len(values) < MANY_BLOCKS else 16  # convert to float64 in pieces
    pieces = (values[:, at : at + step] for at in range(0, values.shape[1], step))
    return np.concatenate([weights @ piece for piece in pieces], dtype=np.float32)


def page_row(columns: Columns) -> NDArray[np.float32]:
    """Return the input for a page's type, in the order of `page_names`."""
    return np.concatenate((page_means(columns), columns.of_page))


def confidence_row(
    probability: NDArray[np.float64], n_chars: NDArray[np.float64], choice: Choice, article: float
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
        "article": article,
    }
    return np.array([found[name] for name in CONFIDENCE_COLUMNS], dtype=np.float32)


def read(data: bytes) -> PageModel:
    """Return the model in a file's content. PageModelError if it is too large, not JSON, or not a page model."""
    if len(data) > MAX_BYTES:
        raise PageModelError(f"has more than {MAX_BYTES:,} bytes")
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise PageModelError(f"is not JSON: {str(error)[:100]}") from error
    return PageModel.from_plain(plain, hashlib.sha256(data).hexdigest())


def written(model: PageModel) -> bytes:
    """Return a model as the content of its file."""
    return json.dumps(model.to_plain(), separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


@once
def page_model() -> PageModel:
    """Return the model that comes with the package, which is read on first use."""
    return read(Path(__file__).with_name(FILE).read_bytes())
