"""Stores for the tests of the pages on which a store is looked through."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from webmain.items import Article, Source, WordCount
from webmain.items.blocks import ArticleBlock, Image, Kind, TextLink, TextMark
from webmain.store.sqlite import SqliteStore

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)

HOSTILE_TITLE = "\"><script>alert(1)</script>' onmouseover=x \u202egnp.exe\u2066"
HOSTILE_URL = "javascript:alert(document.domain)//https://news.example/"

BLOCKS = (
    ArticleBlock(kind=Kind.HEADING, level=2, text="The <b>bridge</b>"),
    ArticleBlock(
        kind=Kind.PARAGRAPH,
        text="A bold link and a bad one.",
        links=(
            TextLink(start=2, end=11, url="https://other.example/a?b=1&c='\""),
            TextLink(start=18, end=21, url="javascript:x"),
        ),
        marks=(TextMark(start=2, end=6, kind="bold"), TextMark(start=4, end=900, kind="italic")),
    ),
    ArticleBlock(kind=Kind.LIST_ITEM, level=1, text="one", ordered=True, number=3),
    ArticleBlock(kind=Kind.LIST_ITEM, level=2, text="one and a half"),
    ArticleBlock(kind=Kind.LIST_ITEM, level=1, text="two", ordered=True, number=4),
    ArticleBlock(kind=Kind.LIST_ITEM, level=1, text="goes on", continues=True),
    ArticleBlock(kind=Kind.QUOTE, text="Never again,"),
    ArticleBlock(kind=Kind.QUOTE, text="she said.", continues=True),
    ArticleBlock(kind=Kind.HEADING, level=4, text="Costs"),
    ArticleBlock(kind=Kind.TABLE, text="Year\tCost\n2025\t<7>", rows=(("Year", "Cost"), ("2025", "<7>"))),
    ArticleBlock(kind=Kind.CODE, text="if a < b:\n    pass"),
    ArticleBlock(kind=Kind.CAPTION, text="A picture."),
)


def article(n: int = 0, **values: object) -> Article:
    """An article; each number another one."""
    url = f"https://news.example/{n}"
    text = f"The bridge number {n} was mended.\n\nPeople came to see it."
    blocks = tuple(ArticleBlock(kind=Kind.PARAGRAPH, text=part, score=0.9) for part in text.split("\n\n"))
    given = Article(
        url=url,
        canonical_url=url,
        title=f"Bridge {n}",
        site="news.example",
        text=text,
        blocks=blocks,
        words=(WordCount(word="bridge", count=2),),
        n_words=10 + n,
        language="en",
        language_score=0.99,
        extractor="learned",
        confidence=0.9,
        published=NOON - timedelta(hours=n),
        fetched_at=NOON,
        sources={"title": Source(name="h1", raw=f"Bridge {n}")},
    )
    return replace(given, **values)


def rich_article(**values: object) -> Article:
    """An article with blocks of all kinds, and pictures."""
    text = "\n\n".join(block.text for block in BLOCKS)
    images = (Image(url="https://news.example/p.png", alt="A <picture>"), Image(url="javascript:x", alt="bad"))
    return article(900, text=text, blocks=BLOCKS, images=images, **values)


def filled(path: Path, *articles: Article) -> str:
    """Store articles; return the store's specification."""
    with SqliteStore(path) as store:
        for each in articles:
            store.add(each)
            store.commit()
    return f"sqlite:{path}"
