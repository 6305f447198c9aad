"""The steps that turn a page into an article: read, segment, judge, merge, compose, stitch, count words.

`extract_page` runs all of them; crawls, the command line and the evaluation also call the steps one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from webmain.article import compose as composing
from webmain.article.compose import stitch as stitch
from webmain.clock import Deadline
from webmain.embedded.articles import embedded_article
from webmain.extractors.base import SiteExtractor
from webmain.extractors.page_types import refuse_no_article, require_type
from webmain.html.blocks import Unit
from webmain.html.document import DEFAULT_MAX_BYTES, Document
from webmain.html.guard import close_empty, wrong_input
from webmain.items import ANY_TYPE, PAGE_TYPES, Article, Page, Reason, Rejected
from webmain.items.keep import DEFAULT_KEEP, Keep
from webmain.sites import MATCHES
from webmain.text.language import large_model
from webmain.text.normal import fold_space

if TYPE_CHECKING:
    from webmain.extractors.base import Extraction, Extractor
    from webmain.html.blocks import Segmentation
    from webmain.sites.model_store import ModelStore
    from webmain.sites.rules import Sites

MIN_DUPLICATE_CHARS = 120
"""Minimum characters (about 20 words) of a repeated block that methods which don't merge mark."""

MAX_ERROR_CHARS = 500
"""Maximum characters of an unexpected error's message in a rejection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to extract from a page, and the limits on it.

    Attributes
    ----------
    metadata : bool
        Read the page's metadata and detect the language; if False, only text, blocks and scores are filled.
    keep : Keep
        What is kept besides running text.
    max_bytes : int
        Size of the largest page accepted, in bytes (in characters for a page given as text).
    timeout_s : float or None
        CPU seconds allowed for one page; None for no limit.
    top_words : int or None
        Count the words of the text and keep this many of the most frequent; None skips counting.
    stopwords : mapping or None
        The user's own stop words, by language.
    sites : Sites or None
        Rules for single sites.
    require : str or None
        The kind of page wanted, one of `PAGE_TYPES`: any other is rejected. "any" accepts all kinds. None does too, except
        for pages that a crawl took for articles (`Page.article_reason`) and that certainly are not articles.

    Raises
    ------
    ValueError
        `require` is not a known kind.
    """

    metadata: bool = True
    keep: Keep = DEFAULT_KEEP
    max_bytes: int = DEFAULT_MAX_BYTES
    timeout_s: float | None = 10.0
    top_words: int | None = None
    stopwords: Mapping[str, frozenset[str]] | None = None
    sites: Sites | None = None
    require: str | None = None

    def __post_init__(self) -> None:
        if self.require not in (None, ANY_TYPE, *PAGE_TYPES):
            raise ValueError(f"require: got {self.require!r}, allowed are {', '.join((*PAGE_TYPES, ANY_TYPE))}")

    def limit_s(self, page: Page) -> float | None:
        """Return the CPU seconds allowed for a page and its continuation pages together; None for no limit."""
        return self.timeout_s and self.timeout_s * (1 + len(page.parts))


DEFAULTS = Options()

Choose = Callable[[Document], "Extractor"]
"""Returns the extractor to judge a page with, such as one fitted to its site (`webmain.sites`)."""


def extract_page(
    page: Page | Document, extractor: Extractor, options: Options = DEFAULTS, *, choose: Choose | None = None
) -> Article:
    """Return the article extracted from a page and its continuation pages.

    Parameters
    ----------
    page : Page or Document (a page that has been read already)
    extractor : Extractor
    options : Options
    choose : callable or None (chooses the extractor for the page instead, such as one fitted to its site)

    Raises
    ------
    Rejected
        With the reason; `INTERNAL_ERROR` for an unexpected error.
    ModelError
        The model of the page's site cannot be used.
    """
    with errors_as_rejections(page.url):
        document = page if isinstance(page, Document) else read(page, options)
        if choose is not None:
            extractor = choose(document)
        if options.sites is not None:
            from webmain.sites import matching

            extractor = matching.extractor_of(document, extractor)
        return finish(merge(judge(document, extractor)), extractor, options)


def finish(extraction: Extraction, extractor: Extractor, options: Options) -> Article:
    """Return the article made of an extraction: compose it, stitch its continuation pages, count its words."""
    article = compose(extraction, metadata=options.metadata, keep=options.keep, require=options.require)
    article = with_parts(article, extraction.document.page.parts, extractor, options)
    if options.top_words is not None:
        from webmain.article.words import with_words

        article = with_words(article, top=options.top_words, own_stopwords=options.stopwords)
    return article


def with_parts(article: Article, parts: Sequence[Page], extractor: Extractor, options: Options = DEFAULTS) -> Article:
    """Extract an article's continuation pages and stitch them to it; rejected ones are left out."""
    rest = []
    for part in parts:
        with suppress(Rejected):
            rest.append(extract_page(part, extractor, replace(options, metadata=False, top_words=None, require=None)))
    return stitch(article, rest) if rest else article


@contextmanager
def errors_as_rejections(url: str | None, *, passing: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Turn any unexpected error raised while a page is processed into a rejection, and log its traceback with the URL.

    Every page is processed inside this context, so that no page and no faulty extractor stops the others. Errors of the
    types in `passing` are raised unchanged.

    Raises
    ------
    Rejected
        `INTERNAL_ERROR`, with the error as its `__cause__`; rejections are raised unchanged.
    ModelError
        Unchanged: it concerns a site's model, not a page.
    """
    try:
        yield
    except Exception as error:
        import logging

        from webmain.sites.model_file import ModelError

        if isinstance(error, (Rejected, ModelError, *passing)):
            raise
        logging.getLogger(__name__).exception("Unforeseen error at %s", url or "a page without an address")
        detail = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_ERROR_CHARS]
        raise Rejected(Reason.INTERNAL_ERROR, detail, url=url) from error


def read(page: Page, options: Options = DEFAULTS) -> Document:
    """Return a page decoded, as a document; it is parsed later, unless its site's rules have selectors.

    Raises
    ------
    Rejected
        `EMPTY`, `NOT_HTML` or `TOO_LARGE`.
    """
    document = _decoded(page, options)
    if options.sites is None:
        return document
    from webmain.sites import matching

    return matching.under_rules(document, options.sites)


def _decoded(page: Page, options: Options) -> Document:
    deadline = Deadline(options.timeout_s)
    given = page.html if page.html is not None else page.body or b""
    unit = "characters" if isinstance(given, str) else "bytes"
    with deadline:
        if len(given) > options.max_bytes:
            raise Rejected(Reason.TOO_LARGE, f"more than {options.max_bytes:,} {unit}", url=page.url)
        _check_not_empty(given, unit, page)
        if isinstance(given, str):
            _check_html(given, page)
            given = close_empty(given)
            try:
                return Document(page, html=given, source=given.encode(), deadline=deadline)
            except UnicodeEncodeError:  # lone surrogates
                from webmain.html.encoding import scrub

                return Document(page, html=scrub(given), deadline=deadline)
        from webmain.html.encoding import decode
        from webmain.html.sniffing import sniff

        kind = sniff(given, page.headers.get("content-type", ""))
        if kind != "html":
            raise Rejected(Reason.NOT_HTML, wrong_input(decode(given).text) or f"the body is {kind}", url=page.url)
        decoded = decode(given, headers=page.headers)
        _check_not_empty(decoded.text, "characters", page)
        _check_html(decoded.text, page)
        return Document(
            page,
            html=close_empty(decoded.text),
            charset=decoded.charset,
            charset_source=decoded.source,
            deadline=deadline,
        )


def _check_not_empty(given: str | bytes, unit: str, page: Page) -> None:
    if not given or given.isspace():
        raise Rejected(Reason.EMPTY, f"no {unit} but white space", url=page.url)


def _check_html(text: str, page: Page) -> None:
    if problem := wrong_input(text):
        raise Rejected(Reason.NOT_HTML, problem, url=page.url)


def segment(document: Document, extractor: Extractor) -> Segmentation:
    """Divide a page into the extractor's blocks; the CPU time counts against the page's deadline."""
    with document.deadline:
        return extractor.segment(document)


def judge_segmentation(segmentation: Segmentation, extractor: Extractor) -> Extraction:
    """Judge the blocks of a page; the CPU time counts against the page's deadline.

    Raises
    ------
    Rejected
        `NO_BLOCKS` if the page has no text, neither shown nor as data; `TOO_SLOW` past the deadline.
    """
    judge_blocks = partial(_judged, segmentation, extractor)
    if MATCHES not in segmentation.document.views:
        return judge_blocks()
    from webmain.sites import matching

    return matching.judged(segmentation.document, judge_blocks)


def _judged(segmentation: Segmentation, extractor: Extractor) -> Extraction:
    document = segmentation.document
    if not len(segmentation):
        always_answers = isinstance(extractor, SiteExtractor) and extractor.always_answers
        if not always_answers and embedded_article(document) is None:
            raise Rejected(Reason.NO_BLOCKS, f"the method {extractor.name} finds no block of text", url=document.url)
    with document.deadline:
        document.check_time()
        judged = extractor.judge(segmentation)
        document.check_time()
    return judged


def judge(document: Document, extractor: Extractor) -> Extraction:
    """Segment a page and judge its blocks with one extractor (raises like `judge_segmentation`)."""
    return judge_segmentation(segment(document, extractor), extractor)


def merge(extraction: Extraction) -> Extraction:
    """Mark blocks that repeat an earlier block's text; PAB merges them, other methods keep them (`merges_duplicates`).

    Notes
    -----
    For methods that do not merge, only blocks of at least `MIN_DUPLICATE_CHARS` characters are marked: refrains, table
    cells and "(Applause)" are content each time. Source: Priority Assignment, step "merge duplicates".
    """
    merges = extraction.merges_duplicates
    segmentation, document = extraction.segmentation, extraction.document
    duplicates = np.full(len(segmentation), -1, dtype=np.int32)
    first_with: dict[str, int] = {}
    candidates = extraction.kept & (segmentation.end > segmentation.first)  # the `title` element is no duplicate
    if not merges:
        n_chars = document.leaves.n_chars if extraction.unit is Unit.LEAVES else document.lines.text_lengths
        candidates &= segmentation.sums(n_chars) > MIN_DUPLICATE_CHARS // 2  # n_chars leaves out spaces
    blocks = np.flatnonzero(candidates).tolist()
    for block, text in zip(blocks, segmentation.texts(blocks), strict=True):
        own = fold_space(text)
        if own and (merges or len(own) >= MIN_DUPLICATE_CHARS):
            first = first_with.setdefault(own.casefold(), block)
            duplicates[block] = first if first != block else -1
    if not (duplicates >= 0).any():
        return extraction
    return extraction.dropping(duplicates) if merges else replace(extraction, duplicate_of=duplicates)


def compose(
    extraction: Extraction, *, metadata: bool = True, keep: Keep = DEFAULT_KEEP, require: str | None = None
) -> Article:
    """Return the article made of what an extractor kept, with the values that the site's own rules matched.

    Raises
    ------
    Rejected
        Like `webmain.article.compose.compose`; `OTHER_LANGUAGE` by the site's rules; `NOT_ARTICLE` if the page is not of
        the kind wanted (`Options.require`).
    """
    document = extraction.document
    article = composing.compose(extraction, metadata=metadata, keep=keep)
    if require not in (None, ANY_TYPE):
        found = require_type(document, require)
        article = replace(article, page_type=found.name, page_type_probability=found.probability)
    elif require is None and document.page.article_reason and article.extractor == extraction.extractor:
        refuse_no_article(document)  # if data or a feed gave the text, the page's blocks are no evidence
    if not metadata or MATCHES not in document.views:
        return article
    from webmain.sites import matching

    return matching.with_values(article, document)


def warm_up(extractor: Extractor, *, n_processes: int = 1) -> None:
    """Load what most pages need, so that no page's time includes it, and what several processes can share in memory."""
    html = "<title>Boats</title><p>" + 9 * "Nobody expected the weather to change so fast, and families went home. "
    with suppress(Exception):  # the extractor may be third-party
        extract_page(Page(url="https://news.example.com/", html=html), extractor, Options(timeout_s=None))
    if n_processes > 1:
        from webmain.text.words import words  # the text of a single page needs no words

        large_model()
        words("ภาษาไทย")


def extract_pages(
    pages: Iterable[Page],
    extractor: Extractor,
    options: Options = DEFAULTS,
    *,
    models: ModelStore | None = None,
    default: Extractor | None = None,
) -> list[Article | Rejected]:
    """Return an article or a rejection for each page of one site, in order.

    An extractor that learns sites uses the site's model from `models` if there is one; otherwise it is fitted to all pages
    that can be read, if there are enough. If there are too few, or they hold no evidence, `default` judges instead, as in a
    crawl; it also judges pages unlike the training pages. Without `default` the extractor itself judges, fitted or not.
    Text that three pages share under different titles is boilerplate: all of them are rejected (`webmain.sites.recurring`).

    Raises
    ------
    ModelError
        There is a model, and it cannot be used.
    """
    from webmain.sites.fitting import choose_for_site, note_recurring_titles
    from webmain.sites.recurring import TitledPage, titled_page, without_recurring

    reading = (_read_or_rejected(page, options) for page in pages)
    choose = None
    if isinstance(extractor, SiteExtractor):
        found = list(reading)
        documents = [document for document in found if isinstance(document, Document)]
        choose = choose_for_site(extractor, documents, default, models)
        note_recurring_titles(documents)
        del documents
        reading = _taken(found)
    answers: list[Article | Rejected] = []
    places: list[TitledPage] = []
    for document in reading:
        places.append(TitledPage(None, None))
        if isinstance(document, Rejected):
            answers.append(document)
            continue
        try:
            answers.append(extract_page(document, extractor, options, choose=choose))
            places[-1] = titled_page(document)
        except Rejected as rejected:
            answers.append(rejected.with_traceback(None))
    return without_recurring(answers, places)


def _read_or_rejected(page: Page, options: Options) -> Document | Rejected:
    try:
        with errors_as_rejections(page.url):
            return read(page, options)
    except Rejected as rejected:
        return rejected.with_traceback(None)


def _taken(found: list[Document | Rejected]) -> Generator[Document | Rejected]:
    """Yield each item and remove it from the list, so that not all parsed pages are in memory at once."""
    found.reverse()
    while found:
        yield found.pop()
