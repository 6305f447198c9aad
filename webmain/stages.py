"""A page's way to an article as pure functions, in order: read, segment, judge, merge, compose, stitch."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from contextlib import suppress
from dataclasses import fields, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.corpus.identity import article_id
from webmain.extractors.base import NothingLearned, SiteExtractor
from webmain.items import (
    HIDDEN,
    Article,
    ArticleBlock,
    Hints,
    Kind,
    Metadata,
    Page,
    Reason,
    Rejected,
    Source,
    Unit,
)
from webmain.page.clues import letters
from webmain.page.dates import precision
from webmain.page.document import DEFAULT_MAX_BYTES, Document
from webmain.page.embedded import embedded_instead
from webmain.page.encoding import decode, scrub, sniff
from webmain.page.kinds import HEADINGS, article_blocks
from webmain.page.urls import site_key
from webmain.text.normal import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from webmain.extractors.base import Extraction, Extractor
    from webmain.extractors.shelf import Shelf
    from webmain.page.blocks import Segmentation

DEFAULT_TIMEOUT_S = 10.0
MIN_DUPLICATE_CHARS = 120
"""Characters (about 20 words) from which a repeated block is marked by methods that don't merge."""

LANGUAGE_BLOCKS = 5
"""So many of the longest blocks are looked at for the language."""

MAX_WHY_CHARS = 160
"""Characters of a method's reason that a rejection repeats."""

MIN_FEED_CHARS = 200
"""A feed's full content is used where the page gives less text than this."""


def read(page: Page, *, max_bytes: int = DEFAULT_MAX_BYTES, timeout_s: float | None = DEFAULT_TIMEOUT_S) -> Document:
    """Decode a page and wrap it; nothing is parsed yet.

    Raises
    ------
    Rejected
        `EMPTY`, `NOT_HTML` or `TOO_LARGE`.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    if page.html is not None:
        if len(page.html) > max_bytes:
            raise Rejected(Reason.TOO_LARGE, f"{len(page.html):,} characters, allowed {max_bytes:,}", url=page.url)
        if not page.html or page.html.isspace():
            raise Rejected(Reason.EMPTY, "no characters but white space", url=page.url)
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
        raise Rejected(Reason.NOT_HTML, f"the body is {kind}", url=page.url)
    decoded = decode(body, headers=page.headers)
    if not decoded.text or decoded.text.isspace():
        raise Rejected(Reason.EMPTY, "no characters but white space", url=page.url)
    return Document(page, html=decoded.text, charset=decoded.charset, charset_source=decoded.source, deadline=deadline)


def judge(document: Document, extractor: Extractor) -> Extraction:
    """Segment a page and judge its blocks by one method.

    Raises
    ------
    Rejected
        `NO_BLOCKS` where the page has no text, neither shown nor as data; `TOO_SLOW` past the deadline.
    """
    segmentation = extractor.segment(document)
    return judge_segmentation(segmentation, extractor)


def judge_segmentation(segmentation: Segmentation, extractor: Extractor) -> Extraction:
    """Judge the blocks of a page that has been segmented already (see `judge`)."""
    document = segmentation.document
    if not len(segmentation) and document.embedded is None:
        raise Rejected(Reason.NO_BLOCKS, f"{extractor.name} finds no block of text", url=document.url)
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


def compose(extraction: Extraction, *, metadata: bool = True) -> Article:
    """Turn an extraction into an article.

    Parameters
    ----------
    extraction : Extraction
    metadata : bool
        Read the page's metadata and detect the language too; without, only text, blocks and scores are filled.

    Raises
    ------
    Rejected
        `NO_TEXT` where the method kept nothing and neither a feed nor the page's own data brought the article's content.
    """
    document = extraction.document
    blocks = _blocks(extraction, locate=metadata)
    name = extraction.extractor
    hints = document.page.hints
    if hints is not None and hints.content_html and sum(len(b.text) for b in blocks) < MIN_FEED_CHARS:
        from_feed = _all_blocks(hints.content_html, document)
        if sum(len(b.text) for b in from_feed) > sum(len(b.text) for b in blocks):
            blocks, name = from_feed, "feed"
    if (not blocks or (extraction.confidence is not None and name != "feed")) and (
        embedded := embedded_instead(document, "\n\n".join(b.text for b in blocks))
    ):
        blocks, name = embedded.blocks, "embedded"
    if not blocks:
        raise Rejected(Reason.NO_TEXT, _why_nothing(extraction), url=document.url)
    article = Article(
        url=document.url,
        text="\n\n".join(b.text for b in blocks),
        blocks=blocks,
        extractor=name,
        confidence=None if name == "embedded" else extraction.confidence,
    )
    return _complete(article, document) if metadata else article


def _why_nothing(extraction: Extraction) -> str:
    """Return a sentence on what was kept, with the reason that most blocks were dropped for."""
    n_kept, n = int(extraction.kept.sum()), len(extraction.kept)
    if n_kept:
        return f"{extraction.extractor} kept {n_kept} of {n} blocks, and there is no text in them"
    told = f"{extraction.extractor} kept none of {n} blocks"
    reasons = Counter(" ".join(why.split()) for why in extraction.why)
    reasons.pop("", None)
    if not reasons:
        return told
    ((why, count),) = reasons.most_common(1)
    why = why if len(why) <= MAX_WHY_CHARS else why[: MAX_WHY_CHARS - 1] + "…"
    return f"{told}: {why}" + (f" ({count} of them)" if count < n else "")


def _blocks(extraction: Extraction, *, locate: bool) -> tuple[ArticleBlock, ...]:
    """Return the kept text as the article's blocks."""
    segmentation = extraction.segmentation
    if extraction.unit is Unit.LEAVES:
        return article_blocks(
            extraction.document,
            extraction.kept_units,
            score=np.append(extraction.score, 0.0)[segmentation.of_unit],
            raw=np.append(extraction.raw, 0.0)[segmentation.of_unit],
            locate=locate,
        )
    lines = extraction.document.lines
    score, raw = (column.astype(np.float64).tolist() for column in (extraction.score, extraction.raw))
    owner = segmentation.of_unit.tolist()
    blocks = []
    for line in np.flatnonzero(extraction.kept_units).tolist():
        if text := lines.texts[line]:
            block, opener = owner[line], lines.openers[line]
            kind = Kind.HEADING if opener in HEADINGS else _LINE_KINDS.get(opener, Kind.PARAGRAPH)
            level = HEADINGS.get(opener, 1 if kind is Kind.LIST_ITEM else 0)
            blocks.append(ArticleBlock(kind=kind, text=text, level=level, score=score[block], raw=raw[block]))
    return tuple(blocks)


_LINE_KINDS = {
    "li": Kind.LIST_ITEM,
    "dt": Kind.LIST_ITEM,
    "dd": Kind.LIST_ITEM,
    "blockquote": Kind.QUOTE,
    "figcaption": Kind.CAPTION,
    "pre": Kind.CODE,
}


def _all_blocks(html: str, document: Document) -> tuple[ArticleBlock, ...]:
    """Return all shown text of a feed's content as blocks."""
    content = Document(Page(url=document.url, html=html), html=html[:DEFAULT_MAX_BYTES], deadline=document.deadline)
    leaves = content.leaves
    kept = ~leaves.has(HIDDEN)
    return article_blocks(content, kept, score=np.ones(len(leaves)), raw=np.ones(len(leaves)))


def _complete(article: Article, document: Document) -> Article:
    """Add what the page says of itself, the language, the identity and the fingerprint."""
    from webmain.text.language import detect

    page = document.page
    found = with_hints(document.metadata, page.hints)
    language = detect(_sample(article.blocks))
    own_url = document.url if document.url and document.url.startswith(("http://", "https://")) else None
    address = found.canonical_url or own_url or document.url
    return replace(
        article,
        **{f.name: getattr(found, f.name) for f in fields(Metadata)},
        id=article_id(address or "sha256:" + hashlib.sha256(article.text.encode("utf-8", "replace")).hexdigest()),
        site=document.site if own_url or not found.canonical_url else site_key(found.canonical_url),
        language=language.language,
        language_score=language.score,
        fingerprint=fingerprint(article.text),
        fetched_at=page.fetched_at,
        status=page.status,
        charset=document.charset,
        charset_source=document.charset_source,
        article_reason=page.article_reason,
    )


def _sample(blocks: Sequence[ArticleBlock]) -> str:
    """Return the longest blocks of a text: where boilerplate was kept by mistake, it is shorter than the article's own."""
    longest = sorted(blocks, key=lambda block: len(block.text), reverse=True)[:LANGUAGE_BLOCKS]
    return "\n".join(block.text for block in longest)


def with_hints(metadata: Metadata, hints: Hints | None) -> Metadata:
    """Fill what a page does not say from what a feed or sitemap said of it."""
    from webmain.discovery.dates import parse_feed_date

    if hints is None:
        return metadata
    values: dict[str, Any] = {}
    sources = dict(metadata.sources)
    published = parse_feed_date(hints.published) if hints.published else None
    if published is not None and _is_preciser(published, hints, metadata):
        values["published"] = published
        sources["published"] = Source(name=hints.source, raw=(hints.published or "")[:300])
    if hints.title and _is_edge(hints.title, metadata):
        values["title"] = hints.title.strip()
        sources["title"] = Source(name=hints.source, raw=hints.title[:300])
    for name, raw, value in (
        ("title", hints.title, hints.title),
        ("authors", ", ".join(hints.authors), hints.authors),
        ("description", hints.summary, hints.summary),
        ("tags", ", ".join(hints.tags), hints.tags),
        ("published", hints.published, published),
        ("modified", hints.modified, parse_feed_date(hints.modified) if hints.modified else None),
        ("language_declared", hints.language, hints.language.lower() if hints.language else None),
    ):
        if value and not getattr(metadata, name):
            values[name] = value
            sources[name] = Source(name=hints.source, raw=(raw or "")[:300])
    return replace(metadata, **values, sources=sources) if values else metadata


_LEAST_TITLE_LETTERS = 9


def _is_edge(hinted: str, metadata: Metadata) -> bool:
    """Tell whether a hint's title is the page's without the section's or the site's name, on either end of it."""
    source = metadata.sources.get("title")
    if not metadata.title or source is None or source.name != "title":
        return False
    short, whole = letters(hinted), letters(metadata.title)
    if len(short) < _LEAST_TITLE_LETTERS or len(short) >= len(whole):
        return False
    return whole.startswith(short) or whole.endswith(short)


_SAME_DAY_HOURS = 26
"""Hours that one day lasts over most of the world's zones."""


def _is_preciser(hinted: datetime, hints: Hints, metadata: Metadata) -> bool:
    """Tell whether a hint gives the page's own date with the time or the zone that the page leaves out."""
    own = metadata.published
    if own is None or precision(hinted, hints.published or "") < 2:
        return False
    source = metadata.sources.get("published")
    if precision(own, source.raw if source else "") == 2:
        return False
    return own.date() == hinted.date() or abs(own - hinted) <= timedelta(hours=_SAME_DAY_HOURS)


def stitch(first: Article, rest: Sequence[Article]) -> Article:
    """Join an article over several pages into one; blocks that stand on an earlier page already are left out."""
    blocks = list(first.blocks)
    seen = {fingerprint(b.text) for b in blocks}
    for part in rest:
        fresh = [b for b in part.blocks if fingerprint(b.text) not in seen]
        blocks += fresh
        seen.update(fingerprint(b.text) for b in fresh)
    text = "\n\n".join(b.text for b in blocks)
    return replace(
        first, text=text, blocks=tuple(blocks), n_parts=first.n_parts + len(rest), fingerprint=fingerprint(text)
    )


def shelved(extractor: Extractor, document: Document, shelf: Shelf) -> Extractor:
    """Return a method with what was learned of a page's site, or as it is where nothing was.

    Raises
    ------
    ModelError
        There is a model, and it can not be used.
    """
    from webmain.extractors.shelf import site_of

    if not isinstance(extractor, SiteExtractor) or extractor.learned is not None:
        return extractor
    site = site_of(document)
    return (shelf.load(extractor, site) if site else None) or extractor


def extract_page(
    page: Page,
    extractor: Extractor,
    *,
    metadata: bool = True,
    max_bytes: int = DEFAULT_MAX_BYTES,
    timeout_s: float | None = DEFAULT_TIMEOUT_S,
    shelf: Shelf | None = None,
) -> Article:
    """Walk the whole way with one page and the pages that continue it.

    Parameters
    ----------
    page : Page
    extractor : Extractor
    metadata : bool
        As for `compose`.
    max_bytes, timeout_s
        As for `read`.
    shelf : Shelf or None
        Where a model of the page's site is looked for, if the method is one that learns.

    Raises
    ------
    Rejected
        With the reason.
    ModelError
        There is a model, and it can not be used.
    """
    document = read(page, max_bytes=max_bytes, timeout_s=timeout_s)
    if shelf is not None:
        extractor = shelved(extractor, document, shelf)
    article = compose(merge(judge(document, extractor)), metadata=metadata)
    return stitch_parts(article, page.parts, extractor, max_bytes=max_bytes, timeout_s=timeout_s)


def stitch_parts(
    article: Article,
    parts: Sequence[Page],
    extractor: Extractor,
    *,
    max_bytes: int = DEFAULT_MAX_BYTES,
    timeout_s: float | None = DEFAULT_TIMEOUT_S,
) -> Article:
    """Extract the pages that continue an article and stitch them to it; a part that cannot be read is left out."""
    rest = []
    for part in parts:
        try:
            rest.append(extract_page(part, extractor, metadata=False, max_bytes=max_bytes, timeout_s=timeout_s))
        except Rejected:
            continue
    return stitch(article, rest) if rest else article


def _of_site(extractor: SiteExtractor, documents: Sequence[Document], shelf: Shelf) -> SiteExtractor:
    """Return a method with the model of the first page's site that a shelf has one of."""
    from webmain.extractors.shelf import site_of

    for site in dict.fromkeys(filter(None, map(site_of, documents))):
        if (known := shelf.load(extractor, site)) is not None:
            return known
    return extractor


def fitted(extractor: Extractor, documents: Sequence[Document]) -> Extractor:
    """Return a method fitted to a site's pages; as it is where it learns nothing, or they are too few or no evidence."""
    if isinstance(extractor, SiteExtractor) and len(documents) >= extractor.min_pages:
        with suppress(NothingLearned):
            return extractor.fit(documents)
    return extractor


def extract_pages(
    pages: Iterable[Page],
    extractor: Extractor,
    *,
    metadata: bool = True,
    max_bytes: int = DEFAULT_MAX_BYTES,
    timeout_s: float | None = DEFAULT_TIMEOUT_S,
    shelf: Shelf | None = None,
) -> list[Article | Rejected]:
    """Walk the whole way with pages of one site; one answer for each page, in order.

    An extractor that learns from sites takes the site's model where a shelf has one. Else it is fitted to all pages that can
    be read, if they are enough; where they hold no evidence to learn from, it judges as it comes.

    Raises
    ------
    ModelError
        There is a model, and it can not be used.
    """
    pages = list(pages)
    if isinstance(extractor, SiteExtractor):
        documents = []
        for page in pages:
            try:
                documents.append(read(page, max_bytes=max_bytes, timeout_s=timeout_s))
            except Rejected:
                continue
        if shelf is not None and documents:
            extractor = _of_site(extractor, documents, shelf)
        if extractor.learned is None:
            extractor = fitted(extractor, documents)
    answers: list[Article | Rejected] = []
    for page in pages:
        try:
            answers.append(extract_page(page, extractor, metadata=metadata, max_bytes=max_bytes, timeout_s=timeout_s))
        except Rejected as rejected:
            answers.append(rejected)
    return answers
