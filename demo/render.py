"""HTML from stories, by plain string templates: what the three sites share."""

from __future__ import annotations

import functools
import html as html_module
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Any

from demo.stories import Block, Comment, Story
from webmain.items import Kind

TEMPLATES = Path(__file__).parent / "templates"

_INLINE = re.compile(r"\[(?P<label>[^\]]*)\]\((?P<href>[^)]*)\)|\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>[^*]+)\*")
_MONTHS_TH = "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม".split()
_SHORT_MONTHS_TH = "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.".split()
_THAI_DIGITS = str.maketrans("0123456789", "๐๑๒๓๔๕๖๗๘๙")


@functools.cache
def template(name: str) -> Template:
    """Read a file of `templates/` once."""
    return Template((TEMPLATES / name).read_text("utf-8"))


def fill(name: str, /, **values: str) -> str:
    """Fill a template; a name without a value is an error."""
    return template(name).substitute(values)


def esc(text: str) -> str:
    """Escape a text for content and attributes."""
    return html_module.escape(text, quote=True)


def inline(text: str, *, root: str = "") -> str:
    """Render inline marks; links within the site get `root` in front."""

    def piece(found: re.Match[str]) -> str:
        if found["label"] is not None:
            href = root + found["href"] if found["href"].startswith("/") else found["href"]
            return f'<a href="{href}">{found["label"]}</a>'
        if found["strong"] is not None:
            return f"<strong>{found['strong']}</strong>"
        return f"<em>{found['em']}</em>"

    return _INLINE.sub(piece, html_module.escape(text, quote=False))


def figure(caption: str, src: str, *, credit: str = "") -> str:
    """Render a picture with its caption in HTML's own elements."""
    small = f' <span class="credit">{esc(credit)}</span>' if credit else ""
    return (
        f'<figure class="figure"><img src="{src}" alt="" width="960" height="540" loading="lazy">\n'
        f"<figcaption>{inline(caption)}{small}</figcaption></figure>"
    )


def rendered(blocks: Iterable[Block], write: Callable[[Block], str], *, root: str = "") -> Iterator[str]:
    """Render blocks one by one, items of a list together."""
    for (kind, ordered), group in groupby(blocks, key=lambda b: (b.kind, b.ordered)):
        if kind is Kind.LIST_ITEM:
            tag = "ol" if ordered else "ul"
            yield f"<{tag}>\n" + "\n".join(f"<li>{inline(b.text, root=root)}</li>" for b in group) + f"\n</{tag}>"
        else:
            yield from map(write, group)


def semantic(blocks: Iterable[Block], *, root: str = "") -> Iterator[str]:
    """Render blocks in the elements HTML has for them, one piece for each top-level element."""

    def write(block: Block) -> str:
        match block.kind:
            case Kind.HEADING:
                return f"<h{block.level}>{inline(block.text)}</h{block.level}>"
            case Kind.QUOTE:
                return f"<blockquote><p>{inline(block.text, root=root)}</p></blockquote>"
            case Kind.TABLE:
                return table(block)
            case Kind.CODE:
                return f"<pre><code>{esc(block.text)}</code></pre>"
            case Kind.CAPTION:
                return figure(block.text, root + "/img/inline.svg")
        return f"<p>{inline(block.text, root=root)}</p>"

    return rendered(blocks, write, root=root)


def table(block: Block) -> str:
    """Render a data table with a head."""
    head, *rows = block.rows
    first = "".join(f'<th scope="col">{inline(c)}</th>' for c in head)
    rest = "\n".join("<tr>" + "".join(f"<td>{inline(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f'<table class="data">\n<thead><tr>{first}</tr></thead>\n<tbody>\n{rest}\n</tbody>\n</table>'


def interleave(pieces: Iterable[str], extra: Callable[[int], str]) -> str:
    """Join pieces by new lines, each followed by what `extra` gives for its number."""
    return "\n".join(p + extra(i) for i, p in enumerate(pieces))


def comment_list(comments: Iterable[Comment], *, reply: str, ago: str) -> str:
    """Render readers' comments in the usual cascade of divs."""
    return "\n".join(
        f'<div class="comment" id="c{i}"><div class="comment-head"><span class="comment-name">{esc(c.name)}</span> '
        f'<span class="comment-age">{ago.format(i + 2)}</span></div>\n'
        f'<div class="comment-body"><p>{esc(c.text)}</p></div>\n'
        f'<div class="comment-tools"><button type="button" data-c="{i}">{reply}</button> '
        f"<span>{(i * 7) % 23}</span></div></div>"
        for i, c in enumerate(comments)
    )


def news_article(story: Story, *, url: str, image: str, site_name: str, logo: str) -> dict[str, Any]:
    """Build the JSON-LD record of a story, as publishers write it for search engines."""
    return {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "mainEntityOfPage": {"@type": "WebPage", "@id": url},
        "headline": story.title,
        "description": story.summary,
        "image": [image],
        "datePublished": story.published.isoformat(),
        "dateModified": (story.modified or story.published).isoformat(),
        "author": [{"@type": "Person", "name": name} for name in story.authors],
        "articleSection": story.section,
        "keywords": list(story.tags),
        "inLanguage": story.language,
        "publisher": {
            "@type": "NewsMediaOrganization",
            "name": site_name,
            "logo": {"@type": "ImageObject", "url": logo},
        },
        "isAccessibleForFree": True,
    }


def script(record: object, *, kind: str = "application/ld+json") -> str:
    """Put a record into a script element, so that no text in it can end the element."""
    return f'<script type="{kind}">{as_json(record)}</script>'


def as_json(record: object) -> str:
    """Write JSON that is safe inside a script element."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")


def open_graph(story: Story, *, url: str, image: str, site_name: str, locale: str) -> str:
    """Render the OpenGraph, Twitter and description tags of a story."""
    named = {"description": story.summary, "twitter:card": "summary_large_image", "twitter:title": story.title}
    properties = [
        ("og:type", "article"),
        ("og:site_name", site_name),
        ("og:title", story.title),
        ("og:description", story.summary),
        ("og:url", url),
        ("og:image", image),
        ("og:locale", locale),
        ("article:published_time", story.published.isoformat()),
        ("article:section", story.section),
        *(("article:tag", tag) for tag in story.tags),
    ]
    if story.modified:
        properties.append(("article:modified_time", story.modified.isoformat()))
    lines = [f'<meta name="{n}" content="{esc(c)}">' for n, c in named.items()]
    lines += [f'<meta property="{n}" content="{esc(c)}">' for n, c in properties]
    return "\n".join(lines)


def english_date(moment: datetime) -> str:
    """Write "19 November 2026"."""
    return f"{moment.day} {moment:%B} {moment.year}"


def american_date(moment: datetime) -> str:
    """Write "Nov 19, 2026"."""
    return f"{moment:%b} {moment.day}, {moment.year}"


def thai_date(moment: datetime) -> str:
    """Write "21 พฤศจิกายน 2569", in the Buddhist era."""
    return f"{moment.day} {_MONTHS_TH[moment.month - 1]} {moment.year + 543}"


def short_thai_date(moment: datetime) -> str:
    """Write "21 พ.ย. 69"."""
    return f"{moment.day} {_SHORT_MONTHS_TH[moment.month - 1]} {(moment.year + 543) % 100}"


def thai_digits(text: str) -> str:
    """Write the digits of a text as Thai digits."""
    return text.translate(_THAI_DIGITS)


def placeholder(label: str, *, width: int = 960, height: int = 540) -> str:
    """Draw a grey picture with a label, so that pages open sensibly in a browser."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        f'<rect width="100%" height="100%" fill="#c9d2d6"/><path d="M0 {height} L{width // 3} {height // 3} '
        f'L{width // 2} {height // 2} L{width * 3 // 4} {height // 4} L{width} {height} Z" fill="#9fb0b8"/>'
        '<text x="50%" y="94%" text-anchor="middle" font-family="sans-serif" font-size="22" fill="#445">'
        f"{esc(label)}</text></svg>"
    )
