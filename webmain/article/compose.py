"""Compose an article from what an extractor kept: blocks, metadata, language, identity; stitch several pages together."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import fields, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webmain.article.inserts import adjusted
from webmain.article.pictures import article_images
from webmain.article.regions import comment_leaves, leaves_of_lines, not_removed, with_captions, with_gallery
from webmain.embedded.articles import embedded_instead, embedded_text
from webmain.extractors.page_types import page_type
from webmain.html.blocks import Unit
from webmain.html.columns import HIDDEN
from webmain.html.document import DEFAULT_MAX_BYTES, Document
from webmain.html.kinds import Composed, article_blocks, compose_blocks
from webmain.html.visible_text import HEADINGS
from webmain.items import (
    Article,
    ArticleBlock,
    Hints,
    Image,
    Kind,
    Metadata,
    Page,
    Reason,
    Rejected,
    Source,
    article_id,
)
from webmain.items.keep import DEFAULT_KEEP, Keep
from webmain.metadata.dates import is_plausible, parse_feed_date, precision
from webmain.metadata.head import letters
from webmain.metadata.names import names_in
from webmain.text.normal import fingerprint, fold_space, shorten, strip_controls
from webmain.urls import is_web, site_key, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from webmain.embedded.articles import Embedded
    from webmain.extractors.base import Extraction

LANGUAGE_BLOCKS = 5
"""Number of longest blocks from which the language is detected."""

MAX_WHY_CHARS = 160
"""Maximum characters of a method's reason in a rejection."""

ANY_PROSE = 1.0
"""Minimum prose of a JSON-LD body that is used if there is no other text at all."""

MAX_CAPTION_SHARE = 0.25
"""Captions stay if they are a larger share than this of what the default method kept."""

MIN_FEED_CHARS = 200
"""A feed's full content is used if the page gives less text than this."""


_CONFIDENCE_OF = {"embedded": None, "feed": None, "fallback": 0.0}
"""Confidence of articles whose text is not what the method chose."""


def compose(extraction: Extraction, *, metadata: bool = True, keep: Keep = DEFAULT_KEEP) -> Article:
    """Return the article made of an extraction.

    Parameters
    ----------
    extraction : Extraction
    metadata : bool
        Also read the page's metadata and detect the language; if False, only text, blocks and scores are filled.
    keep : Keep
        What is kept besides running text.

    Raises
    ------
    Rejected
        `NO_TEXT` if the method kept nothing and neither a feed nor the page's own data has the article's content;
        `NO_BLOCKS` if there was nothing to keep.
    """
    with extraction.document.deadline:
        return _compose(extraction, metadata, keep)


def _compose(extraction: Extraction, metadata: bool, keep: Keep) -> Article:
    document = extraction.document
    found = parts_on_page(extraction, keep, locate=metadata)
    name = extraction.extractor
    hints = document.page.hints
    if hints is not None and hints.content_html and _n_chars(found.blocks) < MIN_FEED_CHARS:
        from_feed = _blocks_of_html(hints.content_html, document, keep)
        if _n_chars(from_feed.blocks) > _n_chars(found.blocks):
            found, name = from_feed._replace(comments=found.comments), "feed"
    embedded: Embedded | None = None
    if not found.blocks or (extraction.confidence is not None and name != "feed"):
        embedded = embedded_instead(document, _text(found.blocks))
    if embedded:
        wanted = replace(keep, captions=keep.captions or False)
        is_default = keep == DEFAULT_KEEP
        parts = ArticleParts(embedded.blocks) if is_default else _blocks_of_html(embedded.html, document, wanted)
        found, name = parts._replace(comments=found.comments), "embedded"
    blocks = found.blocks
    if not blocks and extraction.confidence is not None:
        from webmain.embedded.fallback import fallback_blocks

        blocks, name = fallback_blocks(document, not_removed(document)), "fallback"
    if not blocks and (embedded := embedded_text(document, states=0, least=ANY_PROSE)):
        blocks, name = embedded.blocks, "embedded"
    if not blocks:
        reason = Reason.NO_TEXT if len(extraction.segmentation) else Reason.NO_BLOCKS
        raise Rejected(reason, _reason_for_nothing(extraction), url=document.url)
    article = Article(
        url=without_credentials(document.url) if document.url else None,
        text=_text(blocks),
        blocks=blocks,
        images=found.images,
        comments=found.comments,
        extractor=name,
        confidence=_CONFIDENCE_OF.get(name, extraction.confidence),
    )
    return _complete(article, document, embedded) if metadata else article


def _n_chars(blocks: Iterable[ArticleBlock]) -> int:
    return sum(len(block.text) for block in blocks)


def _text(blocks: Iterable[ArticleBlock]) -> str:
    return "\n\n".join(block.text for block in blocks)


def _reason_for_nothing(extraction: Extraction) -> str:
    """Return a sentence on how much was kept, with the most frequent reason for dropping blocks."""
    n_kept, n = int(extraction.kept.sum()), len(extraction.kept)
    if not n:
        return f"the method {extraction.extractor} finds no block of text"
    if n_kept:
        return f"the method {extraction.extractor} kept {n_kept} of {n} blocks, but they contain no text"
    nothing = f"the method {extraction.extractor} kept none of {n} blocks"
    reasons = Counter(filter(None, map(fold_space, extraction.why)))
    if not reasons:
        return nothing
    ((why, count),) = reasons.most_common(1)
    return f"{nothing}: {shorten(why, MAX_WHY_CHARS)}" + (f" ({count} of them)" if count < n else "")


class ArticleParts(NamedTuple):
    """The parts of an article, and the ascending leaves (source lines) of each of its blocks."""

    blocks: tuple[ArticleBlock, ...] = ()
    images: tuple[Image, ...] = ()
    comments: tuple[ArticleBlock, ...] = ()
    units: tuple[Sequence[int], ...] = ()


def parts_on_page(extraction: Extraction, keep: Keep = DEFAULT_KEEP, *, locate: bool) -> ArticleParts:
    """Return the kept text as blocks, and whatever else `keep` asks for; blocks have their XPath with `locate`."""
    if reads_lines(extraction, keep):
        return _line_blocks(extraction, keep)
    document, segmentation = extraction.document, extraction.segmentation
    owner, kept = segmentation.of_unit, extraction.kept_units
    if extraction.unit is Unit.LINES:
        owner = leaves_of_lines(document, np.flatnonzero(kept), owner)
        kept = owner >= 0
    score, raw = np.append(extraction.score, 0.0)[owner], np.append(extraction.raw, 0.0)[owner]
    if extraction.confidence is not None and extraction.unit is Unit.LEAVES:
        kept = with_gallery(document, adjusted(document, kept, captions=bool(keep.captions)))
    allowed = not_removed(document)
    kept = kept & allowed
    comments: tuple[ArticleBlock, ...] = ()
    if keep.comments:
        own = extraction.comments  # of a method that detects them
        apart = comment_leaves(document, kept) if own is None else np.append(own, False)[owner] & ~kept
        apart = apart & allowed
        kept = kept & ~apart
        comments = article_blocks(document, apart, score=score, raw=raw, locate=locate, keep=replace(keep, lists=True))
    if keep.captions:
        kept = with_captions(document, kept) & allowed
    composed = compose_blocks(document, kept, score=score, raw=raw, locate=locate, keep=keep)
    if keep.captions is None and extraction.confidence is not None:
        composed = _without_captions(composed)
    images = article_images(document, kept, composed.leaves) if keep.images else ()
    return ArticleParts(composed.blocks, images, comments, composed.leaves)


def reads_lines(extraction: Extraction, keep: Keep) -> bool:
    """Return True if the text is made of source lines: the method judges lines, and nothing is wanted that needs a tree."""
    return extraction.unit is Unit.LINES and not (keep.captions or keep.links or keep.images or keep.comments)


def _without_captions(composed: Composed) -> Composed:
    """Drop captions, unless they are so large a share of the text that they are the content, as in a gallery."""
    others = [i for i, block in enumerate(composed.blocks) if block.kind is not Kind.CAPTION]
    if len(others) == len(composed.blocks):
        return composed
    if _n_chars(composed.blocks[i] for i in others) <= (1 - MAX_CAPTION_SHARE) * _n_chars(composed.blocks):
        return composed
    return Composed(tuple(composed.blocks[i] for i in others), tuple(composed.leaves[i] for i in others))


def _line_blocks(extraction: Extraction, keep: Keep) -> ArticleParts:
    """Return kept source lines as blocks, their kinds by the tags that open them."""
    segmentation, lines = extraction.segmentation, extraction.document.lines
    score, raw = (column.astype(np.float64).tolist() for column in (extraction.score, extraction.raw))
    owner = segmentation.of_unit.tolist()
    blocks, units = [], []
    for line in np.flatnonzero(extraction.kept_units).tolist():
        if text := strip_controls(lines.texts[line]):
            block, opener = owner[line], lines.openers[line]
            kind = Kind.HEADING if opener in HEADINGS else _LINE_KINDS.get(opener, Kind.PARAGRAPH)
            if (kind is Kind.CAPTION and keep.captions is False) or (opener in _CELLS and not keep.tables):
                continue
            level = HEADINGS.get(opener, 1 if kind is Kind.LIST_ITEM else 0)
            blocks.append(ArticleBlock(kind=kind, text=text, level=level, score=score[block], raw=raw[block]))
            units.append((line,))
    others = [i for i, block in enumerate(blocks) if block.kind is not Kind.LIST_ITEM]
    if not keep.lists and 2 * _n_chars(blocks[i] for i in others) > _n_chars(blocks):
        blocks, units = [blocks[i] for i in others], [units[i] for i in others]
    return ArticleParts(tuple(blocks), units=tuple(units))


_CELLS = frozenset(("td", "th"))
_LINE_KINDS = dict.fromkeys(("li", "dt", "dd"), Kind.LIST_ITEM)
_LINE_KINDS |= {"blockquote": Kind.QUOTE, "figcaption": Kind.CAPTION, "pre": Kind.CODE}


def _blocks_of_html(html: str, document: Document, keep: Keep) -> ArticleParts:
    """Return all shown text of a feed's content as blocks."""
    content = Document(Page(url=document.url, html=html), html=html[:DEFAULT_MAX_BYTES], deadline=document.deadline)
    leaves = content.leaves
    kept = ~leaves.has(HIDDEN)
    composed = compose_blocks(content, kept, score=np.ones(len(leaves)), raw=np.ones(len(leaves)), keep=keep)
    images = article_images(content, kept, composed.leaves) if keep.images else ()
    return ArticleParts(composed.blocks, images)


def _complete(article: Article, document: Document, embedded: Embedded | None) -> Article:
    """Return an article with metadata, language, identity and fingerprint added."""
    from webmain.embedded.records import with_record
    from webmain.metadata.read import read_metadata
    from webmain.text.language import detect

    page = document.page
    found = with_hints(with_record(read_metadata(document), embedded), page.hints, now=page.fetched_at)
    language, kind = detect(_sample(article.blocks), declared=found.language_declared), page_type(document)
    own_url = article.url if is_web(article.url) else None
    address = found.canonical_url or article.url
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
        page_type=kind.name,
        page_type_probability=kind.probability,
    )


def _sample(blocks: Sequence[ArticleBlock]) -> str:
    """Return the longest blocks of a text: boilerplate kept by mistake is usually in shorter blocks."""
    longest = sorted(blocks, key=lambda block: len(block.text), reverse=True)[:LANGUAGE_BLOCKS]
    return "\n".join(block.text for block in longest)


_TEXTS_OF_HINTS = ("title", "published", "modified", "summary", "language")


def with_hints(metadata: Metadata, hints: Hints | None, *, now: datetime | None = None) -> Metadata:
    """Return metadata with missing and guessed fields filled from what a feed or sitemap stated, by the time `now`."""
    if hints is None:
        return metadata
    cleaned: dict[str, Any] = {name: strip_controls(text) for name in _TEXTS_OF_HINTS if (text := getattr(hints, name))}
    cleaned |= {name: tuple(map(strip_controls, getattr(hints, name))) for name in ("authors", "tags")}
    hints = replace(hints, **cleaned)
    values: dict[str, Any] = {}
    sources = dict(metadata.sources)

    def take(name: str, value: Any, raw: str | None) -> None:
        values[name], sources[name] = value, Source(name=hints.source, raw=(raw or "")[:300])

    dates = (parse_feed_date(text) for text in (hints.published, hints.modified))
    published, modified = (date if date and is_plausible(date, now) else None for date in dates)
    authors = tuple(dict.fromkeys(name for each in hints.authors for name in names_in(each)))
    if authors and (source := sources.get("authors")) and source.name == "text":
        take("authors", authors, ", ".join(hints.authors))
    if published is not None and (_is_guessed(metadata) or _is_preciser(published, hints, metadata)):
        take("published", published, hints.published)
    if hints.title and _is_edge(hints.title, metadata):
        take("title", hints.title.strip(), hints.title)
    for name, value, raw in (
        ("title", hints.title, hints.title),
        ("authors", authors, ", ".join(hints.authors)),
        ("description", hints.summary, hints.summary),
        ("tags", hints.tags, ", ".join(hints.tags)),
        ("published", published, hints.published),
        ("modified", modified, hints.modified),
        ("language_declared", (hints.language or "").lower(), hints.language),
    ):
        if value and not getattr(metadata, name):
            take(name, value, raw)
    return replace(metadata, **values, sources=sources) if values else metadata


_LEAST_TITLE_LETTERS = 9


def _is_edge(hinted: str, metadata: Metadata) -> bool:
    """Return True if a hint's title is the page's title without a section or site name at either end."""
    source = metadata.sources.get("title")
    if not metadata.title or source is None or source.name != "title":
        return False
    short, whole = letters(hinted), letters(metadata.title)
    is_edge = whole.startswith(short) or whole.endswith(short)
    return is_edge and _LEAST_TITLE_LETTERS <= len(short) < len(whole)


def _is_guessed(metadata: Metadata) -> bool:
    """Return True if a page's date is only one found somewhere on it, its age, or that of a change."""
    source, modified = (metadata.sources.get(field) for field in ("published", "modified"))
    return source is not None and (source.name in ("ago", "text", "script") or source == modified)


_SAME_DAY_HOURS = 26
"""Hours over which most of the world's zones share one date."""


def _is_preciser(hinted: datetime, hints: Hints, metadata: Metadata) -> bool:
    """Return True if a hint has the page's date with a time or a zone that the page omits."""
    own = metadata.published
    source = metadata.sources.get("published")
    if own is None or precision(hinted, hints.published or "") < 2 or precision(own, source.raw if source else "") == 2:
        return False
    return own.date() == hinted.date() or abs(own - hinted) <= timedelta(hours=_SAME_DAY_HOURS)


def stitch(first: Article, rest: Sequence[Article]) -> Article:
    """Return one article joined from several pages; blocks already on an earlier page are left out."""
    blocks, images, comments = list(first.blocks), list(first.images), list(first.comments)
    seen = {fingerprint(b.text) for b in blocks}
    known = {image.url for image in images}
    for part in rest:
        places = [len(blocks) - 1]  # the block that each of the part's own, or what stood before it, has become
        fresh = []
        for block in part.blocks:
            if fingerprint(block.text) not in seen:
                fresh.append(block)
            places.append(len(blocks) - 1 + len(fresh))
        blocks += fresh
        seen.update(fingerprint(b.text) for b in fresh)
        images += [replace(i, after=places[i.after + 1]) for i in part.images if i.url not in known]
        known.update(image.url for image in part.images)
        comments += [c for c in part.comments if c not in comments]
    text = _text(blocks)
    return replace(
        first,
        text=text,
        blocks=tuple(blocks),
        images=tuple(images),
        comments=tuple(comments),
        n_parts=first.n_parts + len(rest),
        fingerprint=fingerprint(text),
    )
