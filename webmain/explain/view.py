"""An explanation as plain values for templates, those of this package and those of `webmain serve`.

`parts.html.jinja` has a macro for each part; most take a `View`: `overlay_frame`, `legend`, `article_tabs`, `metadata_table`,
`summary_table`, `cloud_list`, `blocks_table`; `comparison_frame` takes a `webmain.explain.comparing.Comparison`,
`difference_columns` the pieces of two texts. Their style sheets are `explain.css`, whose
colours are custom properties that the page around them sets, and `cloud_css`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cached_property
from typing import Any, Final

import numpy as np

from webmain.article.words import with_words
from webmain.cloud.markup import cloud_markup
from webmain.cloud.records import cloud_of
from webmain.explain.explaining import features_of
from webmain.explain.overlay import overlay_html
from webmain.explain.records import ExplainedBlock, Explanation, FeatureEffect
from webmain.html.blocks import Unit
from webmain.html.columns import Flag
from webmain.items import Article, Metadata, Verdict
from webmain.text.normal import replace_surrogates, shorten
from webmain.text.terminal import counted

MOST_ROWS: Final = 2_000  # maximum blocks in the table
MOST_TEXT: Final = 240  # maximum characters of a block in the table

MOST_SUMMARY: Final = 400
MOST_CODE: Final = 4_000_000  # maximum characters shown of the article as Markdown and as JSON
MOST_MOVED: Final = 3  # maximum features shown of a block
MOST_WORDS: Final = 60  # maximum words of the tag cloud
MIN_LINKED: Final = 0.5  # minimum link density of a block that is shown as a block of links

_NO_LANGUAGE: Final = frozenset(("", "und", "zxx"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A value known about a page, its source, and the original string; "" if the page did not state it."""

    name: str
    value: str
    source: str = ""
    raw: str = ""

    @property
    def label(self) -> str:
        """Its human-readable name."""
        return self.name.replace("_", " ").capitalize().replace(" url", " URL").replace("Url", "URL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the table: a block's index in `Explanation.blocks`, the block, and the features that moved its score most."""

    number: int
    block: ExplainedBlock
    moved: tuple[FeatureEffect, ...] = ()

    @property
    def text(self) -> str:
        """The beginning of its text."""
        return _cut(" ".join(self.block.text.split()), MOST_TEXT)


class ArticleView:
    """The values that templates use of an article, or of a page that gave none; costly ones are computed on first use."""

    def __init__(self, article: Article | None, url: str = "") -> None:
        self._article = article
        self.url = fit(url)
        self.title = fit((article and article.title) or "") or self.url or "A page without an address"
        language = (article and article.language) or ""
        self.language = "" if language in _NO_LANGUAGE else language  # for the attribute `lang`
        self.text = fit(article.text) if article else ""
        self.confidence = article.confidence if article else None

    @cached_property
    def article(self) -> Article | None:
        """The article with its words counted."""
        article = self._article
        return article if article is None or article.words else with_words(article, top=MOST_WORDS)

    @cached_property
    def markdown(self) -> str:
        """The article as Markdown."""
        return _cut(self.article.to_markdown(), MOST_CODE) if self.article else ""

    @cached_property
    def json(self) -> str:
        """The article as JSON."""
        return _cut(self.article.to_json(indent=2), MOST_CODE) if self.article else ""

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """Facts about the article, each with its source."""
        return tuple(_facts(self.article)) if self.article else ()

    @cached_property
    def cloud(self) -> str:
        """The tag cloud as an HTML list; "" if there are no words."""
        if not (self.article and self.article.words):
            return ""
        return cloud_markup(cloud_of(self.article.words[:MOST_WORDS], language=self.language, title="Tag cloud"))


class View(ArticleView):
    """The values of an explanation that templates use."""

    def __init__(self, explanation: Explanation) -> None:
        super().__init__(explanation.article, explanation.document.url or "")
        self.explanation = explanation
        self.name = explanation.name
        self.rejected = "" if explanation.rejected is None else fit(str(explanation.rejected))
        self.note = fit(explanation.note)
        self.page_type = explanation.page_type
        self.is_source = explanation.unit is Unit.LINES  # the overlay shows lines of the source
        self.n_more = max(0, len(explanation.blocks) - MOST_ROWS)  # blocks that the table leaves out

    @cached_property
    def overlay(self) -> str:
        """The page with its leaves marked, as a separate HTML document."""
        return overlay_html(self.explanation)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Parts of the page by verdict, in the order of `Verdict`."""
        found = Counter(block.verdict for block in self.explanation.blocks)
        return {verdict.value: found[verdict] for verdict in Verdict if found[verdict]}

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The blocks of the table, at most `MOST_ROWS`, with what moved their scores most where the method can tell."""
        blocks = self.explanation.blocks[:MOST_ROWS]
        indices = [block.index for block in blocks if block.index is not None]
        moved = features_of(self.explanation, indices, most=MOST_MOVED)
        return tuple(
            Row(number=number, block=block, moved=() if block.index is None else moved.get(block.index, ()))
            for number, block in enumerate(blocks)
        )

    @cached_property
    def summary(self) -> tuple[Fact, ...]:
        """The rows of the summary table."""
        return tuple(_summary(self))


def fit(text: str) -> str:
    """Return a text without characters that HTML cannot contain: NUL and lone surrogates."""
    return replace_surrogates(text).replace("\0", "\ufffd")


def _cut(text: str, most: int) -> str:
    return fit(shorten(text, most))


def _facts(article: Article) -> Iterator[Fact]:
    """Yield the metadata that a page states and the values determined about it."""
    for field in fields(Metadata):
        value = getattr(article, field.name)
        if field.name != "sources" and value not in (None, "", ()):
            source = article.sources.get(field.name)
            raw = source.raw if source else ""
            yield Fact(name=field.name, value=_shown(value), source=fit(source.name) if source else "", raw=fit(raw))
    if article.language:
        yield Fact(name="language", value=article.language, source="detected", raw=f"{article.language_score:.2f}")
    if article.charset:
        yield Fact(name="charset", value=article.charset, source=article.charset_source)
    if article.fetched_at:
        yield Fact(name="fetched_at", value=_shown(article.fetched_at))
    yield Fact(name="text_from", value=article.extractor)


def _shown(value: Any) -> str:
    """Return a value in human-readable form."""
    if isinstance(value, tuple):
        return fit(", ".join(map(str, value)))
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return ("yes" if value else "no") if isinstance(value, bool) else fit(str(value))


def _summary(view: View) -> Iterator[Fact]:
    """Yield the steps from a URL to its text.

    Source: the paper of the per-site SVM, "Working": a URL is entered into a website; text data are extracted, divided
    into "text, links, etc.", labelled as related (1) and unrelated (0), noise, advertisements and duplicates are
    removed, "final output will be the summarized text from website". The paper prints no such table; these are its
    steps as rows.
    """
    explanation, article = view.explanation, view.article
    document, judged = explanation.document, explanation.extraction
    yield Fact(name="url", value=view.url or "none was given")
    if article is not None and article.title:
        yield Fact(name="title", value=fit(article.title))
    if article is not None and article.description:
        yield Fact(name="description", value=fit(article.description))
    yield Fact(name="size of the source", value=f"{len(document.source):,} bytes")
    if judged is None or not explanation.blocks:
        yield Fact(name="result", value=view.rejected)
        return
    by_lines = judged.unit is Unit.LINES
    n_chars = document.lines.text_lengths if by_lines else document.leaves.n_chars
    unit, of = ("line", " of the source") if by_lines else ("run", " of text")
    n_units, total = int(np.count_nonzero(n_chars)), int(n_chars.sum())
    yield Fact(name="text data", value=f"{counted(n_units, unit)}{of}, {counted(total, 'character')}")
    segmentation = judged.segmentation
    linked = document.lines.anchor_lengths if by_lines else n_chars * document.leaves.has(Flag.IN_ANCHOR)
    share = segmentation.sums(linked) / np.maximum(segmentation.sums(n_chars), 1)
    n_links = int(np.count_nonzero(share >= MIN_LINKED))
    yield Fact(name="kinds of data", value=f"{counted(len(share) - n_links, 'block')} of text, {n_links:,} of links")
    n_kept = int(judged.kept.sum())
    yield Fact(name="labels", value=f"{n_kept:,} related (1), {len(judged.kept) - n_kept:,} unrelated (0)")
    removed = {verdict: n for verdict, n in view.counts.items() if verdict != Verdict.CONTENT}
    yield Fact(name="removed", value=", ".join(f"{n:,} {verdict}" for verdict, n in removed.items()) or "nothing")
    if article is None:
        yield Fact(name="result", value=view.rejected)
        return
    of_source = 1 - len(article.text.encode("utf-8", "replace")) / max(1, len(document.source))
    kept = f"{counted(article.n_words, 'word')}, {counted(len(article.text), 'character')}"
    yield Fact(name="content", value=f"{kept}, {of_source:.1%} less than the source")
    yield Fact(name="summarized text", value=_cut(" ".join(article.text.split()), MOST_SUMMARY))
