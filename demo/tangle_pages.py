"""The tangle's pages: tables in tables, hashed class names, and no element that says what it holds."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from demo.render import (
    american_date,
    as_json,
    comment_list,
    esc,
    fill,
    inline,
    news_article,
    open_graph,
    rendered,
    script,
    table,
)
from demo.stories import Block, Comment, Story, stories
from webmain.items import Kind

NAME = "The Tangle"
COOKIES = (
    "Before you go on: we value your privacy, and so do 1,418 companies that you have never heard of. By pressing "
    "Agree you let us, and them, remember what you read, for how long, and with what expression on your face."
)
SIGN_UP = "Never miss a knot! Join 48,000 readers who get our letter each Sunday, and unsubscribe whenever you like."
AD = "Sponsored: this pillow has changed the lives of eleven people in your street."
AD_2 = "You may like: seven things that your dentist would rather you did not know about string."
HIDDEN = (
    "The tangle best stories online free reading long reads snow sound law news today.",
    "This sentence is hidden from readers and was put here for machines that count words.",
)
GATE = "You have reached the end of the free part. Members read on for less than the price of a bun."
BEHIND_GATE = (
    "The woman who set the first rate still works behind the counter in Tarn Street, and has never told anyone why.",
    "Hoarders followed: in a garage in Pell Magna the police found four hundred kilograms of mustard yellow.",
    "By the summer there was talk of a central bank, and a date was set for a meeting in the back room of a bakery.",
)
NEST = 300
"""Levels of nested divs round the text of the story in soup: more than some parsers keep."""

_PROFILE = "has been with The Tangle since its first knot and lives with two bicycles and a fern."
_CLASS = re.compile(r'class="([^"]*)"')
_SELECTOR = re.compile(r"\.([a-z][a-z0-9-]*)(?=[^{}]*\{)")
_STYLE = re.compile(r"<style>.*?</style>", re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a page stands and what it links to.

    Attributes
    ----------
    part, parts : int
        Which page of a story over several pages this is, from 1.
    related : sequence of (href, story)
        What the boxes at the side and in the text show.
    """

    root: str
    url: str
    path: str
    image: str
    related: Sequence[tuple[str, Story]]
    comments: Sequence[Comment]
    part: int = 1
    parts: int = 1


def profile(name: str) -> str:
    """Return the text of an author's box."""
    return f"{name} {_PROFILE}"


def hash_classes(markup: str) -> str:
    """Replace readable class names, in attributes and in the style sheet, by hashes as a build step would."""
    short = {}

    def name(word: str) -> str:
        if word not in short:
            short[word] = "_" + hashlib.sha256(word.encode()).hexdigest()[:7]
        return short[word]

    markup = _CLASS.sub(lambda m: f'class="{" ".join(map(name, m[1].split()))}"', markup)
    return _STYLE.sub(lambda s: _SELECTOR.sub(lambda m: "." + name(m[1]), s[0]), markup)


def article(story: Story, place: Place, blocks: Sequence[Block]) -> str:
    """Render a story's page, or one of its pages."""
    main = fill(
        "tangle_article.html",
        section=esc(story.section),
        title=esc(story.title),
        names=" &amp; ".join(map(esc, story.authors)),
        date=american_date(story.published),
        picture=_picture(story, place),
        text=_text(story, place, blocks),
        pager=_pager(place),
        profiles="\n".join(
            f'<div class="who"><div class="face">✒</div><div>{esc(profile(n))}</div></div>' for n in story.authors
        ),
        sign_up=SIGN_UP,
        comments=comment_list(place.comments, reply="Answer", ago="{} h"),
        n_comments=str(len(place.comments)),
    )
    return shell(_title(story, place), main, head=_head(story, place), place=place)


def shell(title: str, main: str, *, head: str, place: Place) -> str:
    """Put the site round a page, the banner first."""
    state = {
        "page": title,
        "related": [{"t": s.title, "d": s.summary} for _, s in place.related],
        "ab": list(range(200)),
    }
    if place.path.endswith("c2fa6604"):
        state["locked"] = list(BEHIND_GATE)
    markup = fill(
        "tangle.html",
        title=esc(title),
        head=head,
        root=place.root,
        cookies=COOKIES,
        main=main,
        side="\n".join(_teaser(href, s) for href, s in place.related),
        ad=AD_2,
        state=as_json(state),
    )
    return hash_classes(markup)


def bare(story: Story, blocks: Sequence[Block]) -> str:
    """Render the print version: the text, a headline and hardly anything else, not even a canonical link."""
    body = "\n<br><br>\n".join(inline(b.text) for b in blocks)
    by = f"{american_date(story.published)}, {esc(', '.join(story.authors))}"
    return (
        f"<html><head><title>{esc(story.title)} (print)</title></head><body>"
        f"<b>{esc(story.title)}</b><br>\n<i>{by}</i><hr>\n{body}\n<hr>Printed from The Tangle.</body></html>"
    )


def amp(story: Story, url: str, blocks: Sequence[Block]) -> str:
    """Render the AMP version, whose canonical link leads to the story."""
    body = "\n".join(f"<p>{inline(b.text)}</p>" for b in blocks)
    record = news_article(story, url=url, image=url + ".svg", site_name=NAME, logo=url)
    return f"""<!doctype html>
<html ⚡ lang="en"><head><meta charset="utf-8"><title>{esc(story.title)}</title>
<link rel="canonical" href="{url}"><meta name="viewport" content="width=device-width">
<style amp-boilerplate>body{{visibility:hidden}}</style>
<noscript><style amp-boilerplate>body{{visibility:visible}}</style></noscript>
<style amp-custom>body{{font:17px Georgia;margin:1rem;visibility:visible}}</style>
<script async src="https://cdn.the-tangle.example/v0.js"></script>{script(record)}</head>
<body><header>{NAME}</header><h1>{esc(story.title)}</h1><amp-ad width="300" height="250" type="fake"></amp-ad>
{body}
<footer>{NAME}, fast lane</footer></body></html>"""


def claimed() -> str:
    """Return the address of another site's article that one story falsely names as its own."""
    true = stories("courier")[0]
    return f"https://www.harbour-courier.example/{true.published:%Y/%m/%d}/{true.section.lower()}/{true.slug}"


def _title(story: Story, place: Place) -> str:
    part = f" (page {place.part} of {place.parts})" if place.part > 1 else ""
    return f"{NAME} » {story.section} » {story.title}{part}"


def _head(story: Story, place: Place) -> str:
    """Return what each form has of metadata: some everything, some nothing, some broken."""
    forms = story.forms
    lines = []
    if not forms & {"br", "soup"}:
        lines.append(f'<link rel="canonical" href="{place.url}">')
    if "soup" in forms:
        lines.append(f'<link rel="canonical" href="{claimed()}">')
    if forms & {"br", "parts", "paywall", "hidden", "feed-only", "duplicates", "busy"}:
        lines.append(open_graph(story, url=place.url, image=place.image, site_name=NAME, locale="en_US"))
    if "duplicates" in forms:
        lines.append(f'<link rel="amphtml" href="{place.root}/amp{place.path}">')
    record = news_article(story, url=place.url, image=place.image, site_name=NAME, logo=place.image)
    if "paywall" in forms:
        lines.append(script({**record, "isAccessibleForFree": False}))
    if "broken-json-ld" in forms:
        good = as_json(record)
        lines.append(f'<script type="application/ld+json">{good[:-1]},\n"comment": "line one\nline two",}}</script>')
    if place.part < place.parts:
        lines.append(f'<link rel="next" href="{place.root}{place.path}/{place.part + 1}">')
    if place.part > 1:
        lines.append(
            f'<link rel="prev" href="{place.root}{place.path}{f"/{place.part - 1}" if place.part > 2 else ""}">'
        )
    return "\n".join(lines)


def _picture(story: Story, place: Place) -> str:
    if not story.picture or place.part > 1:
        return ""
    return (
        f'<div class="pic"><div><img src="{place.image}" alt="" width="640" height="360"></div>'
        f'<div class="under"><span>{esc(story.picture)}</span> <span class="cr">Picture: the author</span></div></div>'
    )


def _text(story: Story, place: Place, blocks: Sequence[Block]) -> str:
    """Render the text in the way that the story's form asks for."""
    forms = story.forms
    if "feed-only" in forms:
        return '<div id="app" data-view="story"><span class="spin">Loading…</span></div>'
    if "br" in forms:
        return _breaks(blocks)
    inner = "\n".join(_pieces(blocks, _between(story, place)))
    if "shadow" in forms:
        shadow = f'<style>:host{{display:block}}.t{{font:18px/1.6 Georgia}}</style><div class="t">{inner}</div>'
        return f'<tangle-story><template shadowrootmode="open">{shadow}</template></tangle-story>'
    if "hidden" in forms:
        first = f'<div style="display:none">{HIDDEN[0]}</div>'
        return f'{first}<div style="visibility: hidden; height:0"><span>{HIDDEN[1]}</span></div>{inner}'
    if "paywall" in forms:
        rest = "\n".join(f'<div class="tx">{p}</div>' for p in BEHIND_GATE)
        return f'{inner}<div class="gate"><b>{GATE}</b> <button>Become a member</button></div><div hidden>{rest}</div>'
    if "soup" in forms:
        return '<div class="w">' * NEST + inner + "</div>" * NEST
    return inner


def _between(story: Story, place: Place) -> Callable[[int], str]:
    """Say what stands after the n-th piece of text."""
    href, other = place.related[-1]
    extras = {
        1: f'<div class="sp"><span>{AD}</span></div>',
        3: f'<div class="mid"><div>{SIGN_UP}</div>'
        '<form><input placeholder="you@knots.example"><button>Tie me in</button></form></div>',
        5: f'<div class="mid"><a href="{href}"><b>{esc(other.title)}</b></a><div>{esc(other.summary)}</div></div>',
    }
    return lambda number: extras.get(number, "")


def _breaks(blocks: Sequence[Block]) -> str:
    """Render paragraphs as lines of one cell, divided by two line breaks, an advertisement among them."""
    lines = [inline(b.text) for b in blocks]
    lines.insert(2, f'<span class="sp"><small>{AD}</small></span>')
    cell = "<br><br>\n".join(lines[:-1]) + "<BR />\n<BR />" + lines[-1]
    return f'<table width="100%" cellpadding="0"><tr><td><font size="3">{cell}</font></td></tr></table>'


def _pieces(blocks: Sequence[Block], between: Callable[[int], str]) -> Iterator[str]:
    """Render blocks as divs; only tables, lists and code keep the elements they need."""
    numbers = itertools.count()

    def write(block: Block) -> str:
        match block.kind:
            case Kind.HEADING:
                return f'<div class="hd"><div><b>{inline(block.text)}</b></div></div>'
            case Kind.QUOTE:
                return f'<div class="qt"><div><i>{inline(block.text)}</i></div></div>'
            case Kind.TABLE:
                return f'<table class="box"><tr><td>{table(block)}</td></tr></table>'
            case Kind.CODE:
                return f'<div class="cd"><pre>{esc(block.text)}</pre></div>'
        return f'<div class="tx"><div><span>{inline(block.text)}</span></div></div>{between(next(numbers))}'

    return rendered(blocks, write)


def _pager(place: Place) -> str:
    if place.parts == 1:
        return ""
    numbers = " ".join(
        f"<b>{n}</b>" if n == place.part else f'<a href="{place.root}{place.path}{f"/{n}" if n > 1 else ""}">{n}</a>'
        for n in range(1, place.parts + 1)
    )
    after = f' <a href="{place.root}{place.path}/{place.part + 1}">Next page »</a>' if place.part < place.parts else ""
    return f'<div class="pg">Page {numbers}{after}</div>'


def _teaser(href: str, story: Story) -> str:
    return (
        f'<table class="tz"><tr><td><a href="{href}"><b>{esc(story.title)}</b></a><br>{esc(story.summary)}'
        f"<br><small>{american_date(story.published)}</small></td></tr></table>"
    )
