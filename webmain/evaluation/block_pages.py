"""Gold pages in the three forms that the Priority Assignment paper compares: PAB's blocks, ENIW's blocks, the raw page."""

from __future__ import annotations

import operator
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from webmain.evaluation.records import GoldPage
from webmain.evaluation.texts import UNTIMED, as_page, unless_rejected
from webmain.extraction import judge, merge, read
from webmain.extractors.base import Extraction, create
from webmain.html.blocks import default_blocks
from webmain.items import Article, ArticleBlock, Kind, Rejected, article_id
from webmain.store.search import BlockIndex


class Approach(StrEnum):
    """How a page is divided into blocks."""

    PAB = "PAB"
    ENIW = "ENIW"
    RAW = "raw pages"


@dataclass(frozen=True, slots=True)
class Counts:
    """Blocks of a page, or of many."""

    # the method's own blocks: all, those it drops, those that repeat another, those that remain
    found: int = 0
    noisy: int = 0
    merged: int = 0
    kept: int = 0
    # the page's blocks as a reader sees them, the same for every method, and those of which it keeps something
    all_texts: int = 0
    informative: int = 0
    seconds: float = 0.0  # CPU time from the page's markup to the blocks kept

    def __add__(self, other: Counts) -> Counts:
        return Counts(*map(operator.add, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class BlockPage:
    """A page as one approach divides it."""

    title: str  # the page's own title, the first block of PAB; the others have it too
    texts: tuple[str, ...]  # the blocks below it
    priorities: tuple[float, ...]  # PAB's; 1.0 for the others
    counts: Counts

    @property
    def whole(self) -> str:
        """All blocks as one text, the title first."""
        return "\n".join((self.title, *self.texts))


@dataclass(frozen=True, slots=True)
class Pages:
    """The readable gold pages as divided by all three approaches, in the same order."""

    gold: tuple[GoldPage, ...]
    of: dict[Approach, tuple[BlockPage, ...]]
    n_unread: int

    def counts(self, approach: Approach) -> Counts:
        """Return the sums over the pages."""
        return sum((page.counts for page in self.of[approach]), Counts())


def block_pages(gold: Sequence[GoldPage]) -> Pages:
    """Divide every page by every approach; unreadable pages are left out."""
    divided = [(page, unless_rejected(_divided, page)) for page in gold]
    kept = [(page, versions) for page, versions in divided if versions is not None]
    of = {approach: tuple(versions[approach] for _, versions in kept) for approach in Approach}
    return Pages(tuple(page for page, _ in kept), of, len(gold) - len(kept))


def _divided(page: GoldPage) -> dict[Approach, BlockPage]:
    return {approach: _block_page(page, approach) for approach in Approach}


def _block_page(page: GoldPage, approach: Approach) -> BlockPage:
    started = time.process_time()
    document = read(as_page(page), UNTIMED)
    if approach is Approach.RAW:
        blocks = default_blocks(document)
        texts = blocks.texts(range(len(blocks)))
        n = len(texts)
        seconds = time.process_time() - started
        return BlockPage(document.title, tuple(texts), (1.0,) * n, Counts(n, 0, 0, n, n, n, seconds))
    try:
        extraction = merge(judge(document, create(approach.lower())))
    except Rejected:  # no block at all: an empty page, not an unreadable one
        return BlockPage(document.title, (), (), Counts(all_texts=len(default_blocks(document))))
    seconds = time.process_time() - started
    segmentation, tags = extraction.segmentation, document.elements.tags
    chosen = [i for i in np.flatnonzero(extraction.kept).tolist() if tags[segmentation.element[i]] != "title"]
    texts = segmentation.texts(chosen)
    priorities = tuple(extraction.raw[chosen].tolist()) if approach is Approach.PAB else (1.0,) * len(chosen)
    return BlockPage(document.title, tuple(texts), priorities, _counts(extraction, seconds))


def _counts(extraction: Extraction, seconds: float) -> Counts:
    blocks = default_blocks(extraction.document)
    n, kept = len(extraction.kept), int(extraction.kept.sum())
    merged = int((~extraction.kept & (extraction.duplicate_of >= 0)).sum())
    informative = int((blocks.sums(extraction.kept_units) > 0).sum())
    return Counts(n, n - kept - merged, merged, kept, len(blocks), informative, seconds)


@dataclass(frozen=True, slots=True)
class BlockDatabase:
    """A database of blocks in a temporary file."""

    index: BlockIndex
    text_bytes: int  # of the blocks, as UTF-8
    file_bytes: int  # of the database without the search index
    indexed_bytes: int  # ... and with it.


@contextmanager
def block_database(pages: Sequence[BlockPage], approach: Approach) -> Iterator[BlockDatabase]:
    """Return the sizes of a database made by storing and indexing the blocks of pages; the file is deleted."""
    from webmain.store.sqlite import SqliteStore

    with TemporaryDirectory(prefix="webmain-blocks-") as folder:
        path = Path(folder) / "blocks.db"
        with SqliteStore(path) as store:
            for number, page in enumerate(pages):
                store.add(_article(page, approach, number))
        file_bytes = path.stat().st_size
        with SqliteStore(path) as store:
            store.index().update()
        indexed_bytes = path.stat().st_size
        text_bytes = sum(len(text.encode("utf-8", "replace")) for page in pages for text in (page.title, *page.texts))
        with SqliteStore(path, read_only=True) as store:
            yield BlockDatabase(store.index(), text_bytes, file_bytes, indexed_bytes)


def _article(page: BlockPage, approach: Approach, number: int) -> Article:
    """Return the record to store: the blocks, without repeating their text as a whole."""
    blocks = zip(page.texts, page.priorities, strict=True)
    return Article(
        id=article_id(f"page:{number}"),
        url=f"page:{number}",
        title=page.title or None,
        blocks=tuple(ArticleBlock(kind=Kind.PARAGRAPH, text=text, score=1.0, raw=raw) for text, raw in blocks),
        extractor=approach.lower(),
    )
