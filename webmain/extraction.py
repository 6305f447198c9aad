"""A page's way to an article as pure functions, in order: read, segment, judge, merge, compose, stitch.

The last two are in `webmain.article.compose`.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from webmain.article.compose import compose as compose
from webmain.article.compose import stitch as stitch
from webmain.article.words import with_words
from webmain.clock import Deadline
from webmain.embedded.articles import embedded_article
from webmain.extractors.base import NothingLearned, SiteExtractor
from webmain.html.blocks import Unit
from webmain.html.document import DEFAULT_MAX_BYTES, Document
from webmain.html.encoding import decode, scrub, sniff
from webmain.html.mistakes import mistaken
from webmain.items import Article, Page, Reason, Rejected
from webmain.keep import DEFAULT_KEEP, Keep
from webmain.metadata.titles import recurring
from webmain.sites.fitting import compare, fallback, fit
from webmain.sites.model_file import ModelError
from webmain.sites.recurring import Place, without_recurring
from webmain.urls import join

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from webmain.extractors.base import Extraction, Extractor
    from webmain.html.blocks import Segmentation
    from webmain.sites.model_store import Shelf

logger = logging.getLogger(__name__)

DEFAULT_TIMEOUT_S = 10.0
HEAD_ELEMENTS = 2_000
"""Elements from a page's start among which its canonical address is looked for."""

MIN_DUPLICATE_CHARS = 120
"""Characters (about 20 words) from which a repeated block is marked by methods that don't merge."""

MAX_ERROR_CHARS = 500
"""Characters of an unforeseen error's message that a rejection repeats."""


@contextmanager
def errors_as_rejections(url: str | None, *, passing: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Raise any unforeseen error of the work with a page as a rejection, and log its traceback with the page's address.

    One page never stops the others, whatever is on it, and whoever wrote the method. Every page goes through this, wherever
    it comes from. Errors of the types in `passing` are raised as they are.

    Raises
    ------
    Rejected
        `INTERNAL_ERROR`, with the error as its `__cause__`; rejections pass as they are.
    ModelError
        As it is: it tells of a site's model, not of a page.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, (Rejected, ModelError, *passing)):
            raise
        logger.exception("Unforeseen error at %s", url or "a page without an address")
        detail = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_ERROR_CHARS]
        raise Rejected(Reason.INTERNAL_ERROR, detail, url=url) from error


def read(page: Page, *, max_bytes: int = DEFAULT_MAX_BYTES, timeout_s: float | None = DEFAULT_TIMEOUT_S) -> Document:
    """Decode a page and wrap it; nothing is parsed yet.

    Raises
    ------
    Rejected
        `EMPTY`, `NOT_HTML` or `TOO_LARGE`.
    """
    deadline = Deadline(timeout_s)
    with deadline:
        return _read(page, max_bytes, deadline)


def _read(page: Page, max_bytes: int, deadline: Deadline) -> Document:
    if page.html is not None:
        if len(page.html) > max_bytes:
            raise Rejected(Reason.TOO_LARGE, f"{len(page.html):,} characters, allowed {max_bytes:,}", url=page.url)
        if not page.html or page.html.isspace():
            raise Rejected(Reason.EMPTY, "no characters but white space", url=page.url)
        _check_given(page.html, page.url)
        try:
            return Document(page, html=page.html, source=page.html.encode(), deadline=deadline)
        except UnicodeEncodeError:  # lone surrogates
            return Document(page, html=scrub(page.html), deadline=deadline)
    body = page.body or b""
    if len(body) > max_bytes:
        raise Rejected(Reason.TOO_LARGE, f"{len(body):,} bytes, allowed {max_bytes:,}", url=page.url)
    if not body.strip():
        raise Rejected(Reason.EMPTY, "no bytes but white space", url=page.url)
    kind = sniff(body, page.headers.get("content-type", ""))
    if kind != "html":
        raise Rejected(Reason.NOT_HTML, mistaken(decode(body).text) or f"the body is {kind}", url=page.url)
    decoded = decode(body, headers=page.headers)
    if not decoded.text or decoded.text.isspace():
        raise Rejected(Reason.EMPTY, "no characters but white space", url=page.url)
    _check_given(decoded.text, page.url)
    return Document(page, html=decoded.text, charset=decoded.charset, charset_source=decoded.source, deadline=deadline)


def _check_given(text: str, url: str | None) -> None:
    if told := mistaken(text):
        raise Rejected(Reason.NOT_HTML, told, url=url)


def judge(document: Document, extractor: Extractor) -> Extraction:
    """Segment a page and judge its blocks by one method.

    Raises
    ------
    Rejected
        `NO_BLOCKS` where the page has no text, neither shown nor as data; `TOO_SLOW` past the deadline.
    """
    with document.deadline:
        segmentation = extractor.segment(document)
    return judge_segmentation(segmentation, extractor)


def judge_segmentation(segmentation: Segmentation, extractor: Extractor) -> Extraction:
    """Judge the blocks of a page that has been segmented already (see `judge`)."""
    document = segmentation.document
    always_answers = isinstance(extractor, SiteExtractor) and extractor.always_answers
    if not always_answers and not len(segmentation) and embedded_article(document) is None:
        raise Rejected(Reason.NO_BLOCKS, f"{extractor.name} finds no block of text", url=document.url)
    with document.deadline:
        document.check_time()
        judged = extractor.judge(segmentation)
        document.check_time()
    return judged


def merge(extraction: Extraction, *, drop: bool | None = None) -> Extraction:
    """Mark blocks whose text stands earlier on the page; PAB merges them, other methods keep them unless asked.

    Parameters
    ----------
    extraction : Extraction
    drop : bool or None
        Whether repeated blocks are dropped; None leaves it to the method (`merges_duplicates`, true for PAB only).

    Notes
    -----
    A method that does not merge marks blocks of `MIN_DUPLICATE_CHARS` characters and more only: refrains, table cells and
    "(Applause)" are content each time. Source: Priority Assignment, step "merge duplicates".
    """
    merges = extraction.merges_duplicates if drop is None else drop
    segmentation = extraction.segmentation
    duplicates = np.full(len(segmentation), -1, dtype=np.int32)
    first_with: dict[str, int] = {}
    candidates = extraction.kept & (segmentation.end > segmentation.first)  # a page's title repeats nothing
    if not merges:
        candidates &= segmentation.sums(_n_chars(extraction)) > MIN_DUPLICATE_CHARS // 2  # spaces are not counted
    blocks = np.flatnonzero(candidates).tolist()
    texts = [" ".join(text.split()) for text in segmentation.texts(blocks)]
    for block, own in zip(blocks, texts, strict=True):
        if not own or (not merges and len(own) < MIN_DUPLICATE_CHARS):
            continue
        text = own.casefold()
        duplicates[block] = first_with.setdefault(text, block)
        if duplicates[block] == block:
            duplicates[block] = -1
    if not (duplicates >= 0).any():
        return extraction
    return extraction.dropping(duplicates) if merges else replace(extraction, duplicate_of=duplicates)


def _n_chars(extraction: Extraction) -> NDArray[np.int32]:
    """Return the characters of each unit."""
    document = extraction.document
    return document.leaves.n_chars if extraction.unit is Unit.LEAVES else document.lines.text_lengths


def shelved(extractor: Extractor, document: Document, shelf: Shelf) -> Extractor:
    """Return a method with what was learned of a page's site, or as it is where nothing was.

    Raises
    ------
    ModelError
        There is a model, and it can not be used.
    """
    from webmain.sites.model_store import site_of

    if not isinstance(extractor, SiteExtractor) or extractor.learned is not None:
        return extractor
    site = site_of(document)
    return (shelf.load(extractor, site) if site else None) or extractor


def warm_up(extractor: Extractor) -> None:
    """Load whatever the work with a first page would load, so that it does not count as the page's time."""
    text = "The harbour master said that the boats would leave in the morning, before the tide turned. " * 3
    with suppress(Exception):  # the method may be anybody's
        extract_page(Page(url="https://a.example/", html=f"<title>Boats</title><p>{text}"), extractor, timeout_s=None)


def extract_page(
    page: Page,
    extractor: Extractor,
    *,
    metadata: bool = True,
    keep: Keep = DEFAULT_KEEP,
    max_bytes: int = DEFAULT_MAX_BYTES,
    timeout_s: float | None = DEFAULT_TIMEOUT_S,
    shelf: Shelf | None = None,
    words: bool = False,
) -> Article:
    """Walk the whole way with one page and the pages that continue it.

    Parameters
    ----------
    page : Page
    extractor : Extractor
    metadata, keep
        As for `compose`.
    max_bytes, timeout_s
        As for `read`.
    shelf : Shelf or None
        Where a model of the page's site is looked for, if the method is one that learns.
    words : bool
        Count the words of the text.

    Raises
    ------
    Rejected
        With the reason.
    ModelError
        There is a model, and it can not be used.
    """
    with errors_as_rejections(page.url):
        document = read(page, max_bytes=max_bytes, timeout_s=timeout_s)
        if shelf is not None:
            extractor = shelved(extractor, document, shelf)
    return extract_document(
        document, extractor, metadata=metadata, keep=keep, max_bytes=max_bytes, timeout_s=timeout_s, words=words
    )


def extract_document(
    document: Document,
    extractor: Extractor,
    *,
    metadata: bool = True,
    keep: Keep = DEFAULT_KEEP,
    max_bytes: int = DEFAULT_MAX_BYTES,
    timeout_s: float | None = DEFAULT_TIMEOUT_S,
    words: bool = False,
) -> Article:
    """Walk the rest of the way with a page that has been read, and with the pages that continue it (see `extract_page`)."""
    with errors_as_rejections(document.url):
        article = compose(merge(judge(document, extractor)), metadata=metadata, keep=keep)
    parts = document.page.parts
    article = stitch_parts(article, parts, extractor, keep=keep, max_bytes=max_bytes, timeout_s=timeout_s)
    if words:
        with errors_as_rejections(document.url):
            return with_words(article)
    return article


def stitch_parts(
    article: Article,
    parts: Sequence[Page],
    extractor: Extractor,
    *,
    keep: Keep = DEFAULT_KEEP,
    max_bytes: int = DEFAULT_MAX_BYTES,
    timeout_s: float | None = DEFAULT_TIMEOUT_S,
) -> Article:
    """Extract the pages that continue an article and stitch them to it; a part that cannot be read is left out."""
    rest = []
    for part in parts:
        try:
            rest.append(
                extract_page(part, extractor, metadata=False, keep=keep, max_bytes=max_bytes, timeout_s=timeout_s)
            )
        except Rejected:
            continue
    return stitch(article, rest) if rest else article


def _of_site(extractor: SiteExtractor, documents: Sequence[Document], shelf: Shelf) -> SiteExtractor | None:
    """Return a method with the model of the first page's site that a shelf has one of; None where it has none."""
    from webmain.sites.model_store import site_of

    tried = {""}
    for document in documents:
        site = ""
        with suppress(Rejected), errors_as_rejections(document.url):
            site = site_of(document)
        if site not in tried and (known := shelf.load(extractor, site)) is not None:
            return known
        tried.add(site)
    return None


def fitted(extractor: Extractor, documents: Sequence[Document]) -> Extractor:
    """Return a method fitted to a site's pages; as it is where it learns nothing: too few pages, no evidence, an error."""
    return _fitted(extractor, documents)[0] or extractor if isinstance(extractor, SiteExtractor) else extractor


def _fitted(extractor: SiteExtractor, documents: Sequence[Document]) -> tuple[SiteExtractor | None, str]:
    """Return a method fitted to a site's pages, or None and why it learns nothing."""
    try:
        return fit(extractor, documents, least=extractor.min_pages), ""
    except NothingLearned as nothing:
        return None, str(nothing)
    except Exception as error:  # the method may be anybody's
        logger.exception("%s learned nothing from %d pages", extractor.name, len(documents))
        return None, f"{type(error).__name__}: {error}"


def _judges(
    extractor: SiteExtractor, documents: Sequence[Document], default: Extractor | None, shelf: Shelf | None
) -> Callable[[Document], Extractor]:
    """Return what tells by which method each page of a site is judged, as in a crawl; log where nothing can be learned."""
    known: SiteExtractor | None = extractor
    if extractor.learned is None:
        why = ""
        known = _of_site(extractor, documents, shelf) if shelf is not None and len(documents) else None
        if known is None:
            known, why = _fitted(extractor, documents)
        instead = extractor if default is None else fallback(extractor, default)
        if known is None:
            if len(documents) and instead is not extractor:
                logger.warning("%s; its pages are judged by %s", why, instead.name)
            return lambda _: instead
        if default is not None:
            return partial(_judge_of, known, instead)
    return lambda _: known or extractor


def _judge_of(known: SiteExtractor, instead: Extractor, document: Document) -> Extractor:
    """Return what judges a page of a learned site: what was learned tells nothing of pages that look otherwise."""
    try:
        found, limit = compare(known, document)
    except Exception:  # the method may be anybody's; a page that is too slow is told so when it is judged
        logger.debug("%s can not compare %s", known.name, document.url, exc_info=True)
        return known
    return known if found >= limit else instead


def extract_pages(
    pages: Iterable[Page],
    extractor: Extractor,
    *,
    metadata: bool = True,
    keep: Keep = DEFAULT_KEEP,
    max_bytes: int = DEFAULT_MAX_BYTES,
    timeout_s: float | None = DEFAULT_TIMEOUT_S,
    shelf: Shelf | None = None,
    default: Extractor | None = None,
    words: bool = False,
) -> list[Article | Rejected]:
    """Walk the whole way with pages of one site; one answer for each page, in order.

    An extractor that learns from sites takes the site's model where a shelf has one. Else it is fitted to all pages that can
    be read, if they are enough. Where they are not or hold no evidence to learn from, and on pages unlike those learned from,
    `default` judges, as in a crawl (`fallback`); without one, the extractor itself, as it comes or as it was fitted. A text
    that three pages have under different titles is boilerplate: all of them are rejected (`webmain.sites.recurring`).

    Raises
    ------
    ModelError
        There is a model, and it can not be used.
    """
    reading = (_read_or_why_not(page, max_bytes=max_bytes, timeout_s=timeout_s) for page in pages)
    judge_of: Callable[[Document], Extractor] | None = None
    if isinstance(extractor, SiteExtractor):
        found = list(reading)
        documents = [document for document in found if isinstance(document, Document)]
        judge_of = _judges(extractor, documents, default, shelf)
        _note_recurring(documents)
        del documents
        reading = _taken(found)
    answers: list[Article | Rejected] = []
    places: list[Place] = []
    for document in reading:
        places.append(Place(None, None))
        if isinstance(document, Rejected):
            answers.append(document)
            continue
        try:
            answers.append(
                extract_document(
                    document,
                    judge_of(document) if judge_of else extractor,
                    metadata=metadata,
                    keep=keep,
                    max_bytes=max_bytes,
                    timeout_s=timeout_s,
                    words=words,
                )
            )
            places[-1] = place_of(document)
        except Rejected as rejected:
            answers.append(rejected.with_traceback(None))
    return without_recurring(answers, places)


def _note_recurring(documents: Sequence[Document]) -> None:
    """Let each page know what recurs in the titles of its site's pages."""
    of_site: dict[str, list[Document]] = {}
    for document in documents:
        of_site.setdefault(document.site, []).append(document)
    for members in of_site.values():
        pieces = recurring(document.html for document in members)
        for document in members:
            document.recurring = pieces


def place_of(document: Document) -> Place:
    """Return a page's `title` and its canonical or own address, as far as they can be read; without its other metadata."""
    with suppress(Rejected), errors_as_rejections(document.url):
        elements = document.elements
        for tag, attributes in zip(elements.tags[:HEAD_ELEMENTS], elements.attributes, strict=False):
            if tag == "link" and "canonical" in (attributes.get("rel") or "").lower().split():
                return Place(document.title, join(document.base_url, attributes.get("href") or "") or document.url)
        return Place(document.title, document.url)
    return Place(None, document.url)


def _read_or_why_not(page: Page, *, max_bytes: int, timeout_s: float | None) -> Document | Rejected:
    try:
        with errors_as_rejections(page.url):
            return read(page, max_bytes=max_bytes, timeout_s=timeout_s)
    except Rejected as rejected:
        return rejected.with_traceback(None)


def _taken(found: list[Document | Rejected]) -> Generator[Document | Rejected]:
    """Take each out of the list, so that memory does not hold all pages parsed at once."""
    found.reverse()
    while found:
        yield found.pop()
