"""Feeds and sitemaps of the made-up sites: Atom, RSS, JSON Feed, sitemaps and their index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from typing import Any

from demo.render import esc
from demo.stories import Story

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A story as feeds and sitemaps list it; `content` is HTML for a feed that carries the whole text."""

    url: str
    story: Story
    content: str = ""

    @property
    def changed(self) -> datetime:
        """When the story was changed last."""
        return self.story.modified or self.story.published


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A feed's head."""

    title: str
    home: str
    url: str
    description: str
    language: str


def atom(channel: Channel, entries: Sequence[Entry]) -> str:
    """Write an Atom feed with summaries."""
    items = "\n".join(
        f"""<entry>
<title type="html">{esc(esc(e.story.title))}</title>
<link rel="alternate" type="text/html" href="{esc(e.url)}"/>
<id>{esc(e.url)}</id>
<published>{e.story.published.isoformat()}</published>
<updated>{e.changed.isoformat()}</updated>
{"".join(f"<author><name>{esc(name)}</name></author>" for name in e.story.authors)}
<category term="{esc(e.story.section)}"/>
<summary>{esc(e.story.summary)}</summary>
</entry>"""
        for e in entries
    )
    updated = max(e.changed for e in entries).isoformat()
    return f"""{_XML}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{channel.language}">
<title>{esc(channel.title)}</title><subtitle>{esc(channel.description)}</subtitle>
<link rel="self" href="{esc(channel.url)}"/><link rel="alternate" href="{esc(channel.home)}"/>
<id>{esc(channel.home)}</id><updated>{updated}</updated>
{items}
</feed>
"""


def rss(channel: Channel, entries: Sequence[Entry]) -> str:
    """Write an RSS 2.0 feed; entries with content carry it in `content:encoded`."""
    items = "\n".join(
        f"""<item>
<title>{esc(e.story.title)}</title>
<link>{esc(e.url)}</link>
<guid isPermaLink="false">{e.story.number}@{esc(channel.home)}</guid>
<pubDate>{format_datetime(e.story.published)}</pubDate>
{"".join(f"<dc:creator>{esc(name)}</dc:creator>" for name in e.story.authors)}
{"".join(f"<category>{esc(tag)}</category>" for tag in e.story.tags)}
<description><![CDATA[<p>{esc(e.story.summary)}</p>]]></description>
{f"<content:encoded><![CDATA[{e.content}]]></content:encoded>" if e.content else ""}
</item>"""
        for e in entries
    )
    return f"""{_XML}<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" \
xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>{esc(channel.title)}</title><link>{esc(channel.home)}</link>
<description>{esc(channel.description)}</description><language>{channel.language}</language>
<atom:link href="{esc(channel.url)}" rel="self" type="application/rss+xml"/>
{items}
</channel>
</rss>
"""


def json_feed(channel: Channel, entries: Sequence[Entry]) -> str:
    """Write a JSON Feed 1.1."""
    items: list[dict[str, Any]] = [
        {
            "id": str(e.story.number),
            "url": e.url,
            "title": e.story.title,
            "summary": e.story.summary,
            "date_published": e.story.published.isoformat(),
            "date_modified": e.changed.isoformat(),
            "authors": [{"name": name} for name in e.story.authors],
            "tags": list(e.story.tags),
            "language": e.story.language,
            "content_text": e.story.summary,
        }
        for e in entries
    ]
    head: dict[str, Any] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "home_page_url": channel.home,
        "feed_url": channel.url,
        "description": channel.description,
        "language": channel.language,
        "items": items,
    }
    return json.dumps(head, ensure_ascii=False, indent=1)


def sitemap_index(urls: Iterable[str]) -> str:
    """Write a sitemap index."""
    items = "\n".join(f"<sitemap><loc>{esc(u)}</loc></sitemap>" for u in urls)
    return f'{_XML}<sitemapindex xmlns="{_SITEMAP}">\n{items}\n</sitemapindex>\n'


def sitemap(pages: Iterable[tuple[str, datetime | None]]) -> str:
    """Write a plain sitemap of URLs, with `lastmod` where there is a time."""
    items = "\n".join(
        f"<url><loc>{esc(url)}</loc>{f'<lastmod>{changed.isoformat()}</lastmod>' if changed else ''}</url>"
        for url, changed in pages
    )
    return f'{_XML}<urlset xmlns="{_SITEMAP}">\n{items}\n</urlset>\n'


def news_sitemap(name: str, entries: Iterable[Entry]) -> str:
    """Write a news sitemap, with publication dates and titles."""
    items = "\n".join(
        f"""<url><loc>{esc(e.url)}</loc><news:news>
<news:publication><news:name>{esc(name)}</news:name><news:language>{e.story.language}</news:language></news:publication>
<news:publication_date>{e.story.published.isoformat()}</news:publication_date>
<news:title>{esc(e.story.title)}</news:title>
</news:news></url>"""
        for e in entries
    )
    space = "http://www.google.com/schemas/sitemap-news/0.9"
    return f'{_XML}<urlset xmlns="{_SITEMAP}" xmlns:news="{space}">\n{items}\n</urlset>\n'
