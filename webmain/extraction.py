"""A page's way to an article: read, segment, judge, merge, compose, stitch, count words.

`extract_page` is the whole way. Each of its steps is a function of its own, which the pipelines of crawls, the command line
and the evaluation call, too.
"""

from __future__ import annotations

import logging
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
from webmain.html.guard import close_empty, mistaken
from webmain.items import ANY_TYPE, PAGE_TYPES, Article, Page, Reason, Rejected
from webmain.keep import DEFAULT_KEEP, Keep
from webmain.sites import MATCHES

if TYPE_CHECKING:
    from webmain.extractors.base import Extraction, Extractor
    from webmain.html.blocks import Segmentation
    from webmain.sites.model_store import ModelStore
    from webmain.sites.rules import Sites

logger = logging.getLogger(__name__)

MIN_DUPLICATE_CHARS = 120
"""Characters (about 20 words) from which a repeated block is marked by methods that don't merge."""

MAX_ERROR_CHARS = 500
"""Characters of an unforeseen error's message that a rejection repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is wanted of a page, and its limits.

    Attributes
    ----------
    metadata : bool
        Read the page's metadata and detect the language; without, only text, blocks and scores are filled.
    keep : Keep
        What beside running text is kept.
    max_bytes : int
        Bytes (characters, of a page that is given as text) of the largest page accepted.
    timeout_s : float or None
        CPU seconds for the work with one page; None for no limit.
    top_words : int or None
        Count the words of the text, and keep so many of the most frequent; None does not count them.
    stopwords : mapping or None
        The user's own stop words, by language.
    sites : Sites or None
        Rules for single sites.
    require : str or None
        The kind of page that is wanted, one of `PAGE_TYPES`: any other is rejected. "any": all kinds. None: all, except that
        of the pages which a crawl took for articles (`Page.article_reason`) those that certainly are none are rejected.

    Raises
    ------
    ValueError
        No such kind.
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
            raise ValueError(f"require: got {self.require!r}, allowed are {', '.join(PAGE_TYPES)}")

    def limit_s(self, page: Page) -> float | None:
        """Return for how many CPU seconds a page and those that continue it may keep a process."""
        return self.timeout_s and self.timeout_s * (1 + len(page.parts))


DEFAULTS = Options()

Choose = Callable[[Document], "Extractor"]
"""Returns the extractor that judges a page: a site's own, for example (`webmain.sites`)."""


def extract_page(
    page: Page | Document, extractor: Extractor, options: Options = DEFAULTS, *, choose: Choose | None = None
) -> Article:
    """Make a page, with the pages that continue it, into an article.

    Parameters
    ----------
    page : Page or Document
        A document is a page that has been read already.
    extractor : Extractor
    options : Options
    choose : callable or None
        Chooses another extractor by the page, with what was learned of its site.

    Raises
    ------
    Rejected
        With the reason; `INTERNAL_ERROR` for whatever was not foreseen.
    ModelError
        The model of the page's site can not be used.
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
    """Make what was kept of a page into an article: compose it, stitch what continues it, count its words."""
    article = compose(extraction, metadata=options.metadata, keep=options.keep, require=options.require)
    article = with_parts(article, extraction.document.page.parts, extractor, options)
    if options.top_words is not None:
        from webmain.article.words import with_words

        article = with_words(article, top=options.top_words, own_stopwords=options.stopwords)
    return article


def with_parts(article: Article, parts: Sequence[Page], extractor: Extractor, options: Options = DEFAULTS) -> Article:
    """Extract the pages that continue an article and stitch them to it; a part that is rejected is left out."""
    rest = []
    for part in parts:
        with suppress(Rejected):
            rest.append(extract_page(part, extractor, replace(options, metadata=False, top_words=None, require=None)))
    return stitch(article, rest) if rest else article


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
        As it is: it is about a site's model, not about a page.
    """
    try:
        yield
    except Exception as error:
        from webmain.sites.model_file import ModelError

        if isinstance(error, (Rejected, ModelError, *passing)):
            raise
        logger.exception("Unforeseen error at %s", url or "a page without an address")
        detail = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_ERROR_CHARS]
        raise Rejected(Reason.INTERNAL_ERROR, detail, url=url) from error


def read(page: Page, options: Options = DEFAULTS) -> Document:
    """Decode a page and wrap it; nothing is parsed yet, unless there are selectors for its site.

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
            raise Rejected(Reason.TOO_LARGE, f"{len(given):,} {unit}, allowed {options.max_bytes:,}", url=page.url)
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
            raise Rejected(Reason.NOT_HTML, mistaken(decode(given).text) or f"the body is {kind}", url=page.url)
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
    if problem := mistaken(text):
        raise Rejected(Reason.NOT_HTML, problem, url=page.url)


def segment(document: Document, extractor: Extractor) -> Segmentation:
    """Divide a page into the method's own blocks, in the page's time."""
    with document.deadline:
        return extractor.segment(document)


def judge_segmentation(segmentation: Segmentation, extractor: Extractor) -> Extraction:
    """Judge the blocks of a page, in the page's time.

    Raises
    ------
    Rejected
        `NO_BLOCKS` where the page has no text, neither shown nor as data; `TOO_SLOW` past the deadline.
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
            raise Rejected(Reason.NO_BLOCKS, f"{extractor.name} finds no block of text", url=document.url)
    with document.deadline:
        document.check_time()
        judged = extractor.judge(segmentation)
        document.check_time()
    return judged


def judge(document: Document, extractor: Extractor) -> Extraction:
    """Segment a page and judge its blocks by one method (raises as `judge_segmentation` does)."""
    return judge_segmentation(segment(document, extractor), extractor)


def merge(extraction: Extraction) -> Extraction:
    """Mark blocks with the text of an earlier one; PAB merges them, other methods keep them (`merges_duplicates`).

    Notes
    -----
    A method that does not merge marks blocks of `MIN_DUPLICATE_CHARS` characters and more only: refrains, table cells and
    "(Applause)" are content each time. Source: Priority Assignment, step "merge duplicates".
    """
    merges = extraction.merges_duplicates
    segmentation, document = extraction.segmentation, extraction.document
    duplicates = np.full(len(segmentation), -1, dtype=np.int32)
    first_with: dict[str, int] = {}
    candidates = extraction.kept & (segmentation.end > segmentation.first)  # a page's title repeats nothing
    if not merges:
        n_chars = document.leaves.n_chars if extraction.unit is Unit.LEAVES else document.lines.text_lengths
        candidates &= segmentation.sums(n_chars) > MIN_DUPLICATE_CHARS // 2  # spaces are not counted
    blocks = np.flatnonzero(candidates).tolist()
    for block, text in zip(blocks, segmentation.texts(blocks), strict=True):
        own = " ".join(text.split())
        if own and (merges or len(own) >= MIN_DUPLICATE_CHARS):
            first = first_with.setdefault(own.casefold(), block)
            duplicates[block] = first if first != block else -1
    if not (duplicates >= 0).any():
        return extraction
    return extraction.dropping(duplicates) if merges else replace(extraction, duplicate_of=duplicates)


def compose(
    extraction: Extraction, *, metadata: bool = True, keep: Keep = DEFAULT_KEEP, require: str | None = None
) -> Article:
    """Make what an extractor kept into an article, with the values that a site's own rules have matched.

    Raises
    ------
    Rejected
        As `webmain.article.compose.compose` does; `OTHER_LANGUAGE` by the site's rules; `NOT_ARTICLE` where the page is of
        another kind than is wanted (`Options.require`).
    """
    document = extraction.document
    article = composing.compose(extraction, metadata=metadata, keep=keep)
    if require not in (None, ANY_TYPE):
        found = require_type(document, require)
        article = replace(article, page_type=found.name, page_type_probability=found.probability)
    elif require is None and document.page.article_reason and article.extractor == extraction.extractor:
        refuse_no_article(document)  # where data or a feed gave the text, the page's blocks tell nothing
    if not metadata or MATCHES not in document.views:
        return article
    from webmain.sites import matching

    return matching.with_values(article, document)


def warm_up(extractor: Extractor) -> None:
    """Load whatever the work with a first page would load, so that it does not count as the page's time."""
    text = "The harbour master said that the boats would leave in the morning, before the tide turned. " * 3
    with suppress(Exception):  # the method may be anybody's
        extract_page(
            Page(url="https://a.example/", html=f"<title>Boats</title><p>{text}"), extractor, Options(timeout_s=None)
        )


def extract_pages(
    pages: Iterable[Page],
    extractor: Extractor,
    options: Options = DEFAULTS,
    *,
    models: ModelStore | None = None,
    default: Extractor | None = None,
) -> list[Article | Rejected]:
    """Make pages of one site into articles; one answer for each page, in order.

    An extractor that learns from sites takes the site's model from `models`, where there is one. Else it is fitted to all
    pages that can be read, if they are enough. Where they are not, or hold no evidence to learn from, and on pages unlike
    those learned from, `default` judges, as in a crawl; without one, the extractor itself, as it comes or as it was fitted.
    A text that three pages have under different titles is boilerplate: all of them are rejected (`webmain.sites.recurring`).

    Raises
    ------
    ModelError
        There is a model, and it can not be used.
    """
    from webmain.sites.fitting import choose_for_site, note_recurring_titles
    from webmain.sites.recurring import Place, place_of, without_recurring

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
    places: list[Place] = []
    for document in reading:
        places.append(Place(None, None))
        if isinstance(document, Rejected):
            answers.append(document)
            continue
        try:
            answers.append(extract_page(document, extractor, options, choose=choose))
            places[-1] = place_of(document)
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
    """Take each out of the list, so that memory does not hold all pages parsed at once."""
    found.reverse()
    while found:
        yield found.pop()
