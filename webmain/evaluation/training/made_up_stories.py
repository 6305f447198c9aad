"""An article as made-up pages write it: headline, byline, paragraphs in many ways, with what sites put between and below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import Final

from webmain.evaluation.records import GoldPage
from webmain.evaluation.training import made_up_boxes as boxes
from webmain.evaluation.training.made_up_desk import FLOW_WRITERS, Desk, text

_TITLE = re.compile("<title[^>]{0,200}>([^<]{4,300})", re.IGNORECASE)
_SITE_NAME = re.compile(r"\s+[|»·•–—-]\s+[^|»·•–—-]{1,40}$")
_FULL = re.compile('[.!?…:;。！？”"»)]$')
MAX_PARAGRAPHS: Final = 60
MAX_HEADING: Final = 80
"""Characters of a line that may be a heading between paragraphs."""
_FLOWS: Final = (
    ("p",) * 8
    + ("br",) * 4
    + ("div", "div", "named", "spans", "font", "font", "open p", "one br", "bare", "rows", "items")
)
"""Ways to write paragraphs, the frequent ones several times."""


@dataclass(frozen=True, slots=True)
class Story:
    """What is told: the answer, in other words."""

    title: str
    lines: tuple[str, ...]

    @property
    def gold(self) -> str:
        """The story's main text."""
        return "\n\n".join(self.lines)


def drawn_story(page: GoldPage, desk: Desk) -> Story:
    """Return the article of a page, all of it or its first lines.

    Parameters
    ----------
    page : GoldPage
        A page whose gold text is an article.
    desk : Desk
        What is drawn from.
    """
    lines = [" ".join(line.split()) for line in (page.text or "").splitlines() if line.strip()]
    longest = desk.draw.choice((1, 2, 3, 4, 6, 8, 12, 20, MAX_PARAGRAPHS, MAX_PARAGRAPHS))
    kept: list[str] = []
    for line in lines[:MAX_PARAGRAPHS]:
        kept.append(line)
        if sum(len(known) > MAX_HEADING for known in kept) >= longest and sum(map(len, kept)) > 150:
            break
    return Story(_title(page, desk), tuple(kept))


def written_story(story: Story, desk: Desk) -> str:
    """Write a story with what belongs to it on a page: headline, byline, pictures, pointers, boxes below.

    Parameters
    ----------
    story : Story
        What is told.
    desk : Desk
        Draw, prose and names.
    """
    names = desk.names
    body = _body(story, desk)
    article = desk.draw.choice(("div", "div", "div", "article", "article", "section", ""))
    head = _head(story, desk)
    below = "\n".join(desk.draw.choice(_BELOW)(desk) for _ in range(desk.draw.choice((0, 0, 1, 1, 2, 3))))
    inside, outside = ("", below) if desk.chance(0.5) else (below, "")
    wrapped = f"<div{names.once('body')}>{body}{inside}</div>" if desk.chance(0.75) else body + inside
    html = head + wrapped + outside if desk.chance(0.85) else f"<div{names.of('inner')}>{head}</div>{wrapped}{outside}"
    return f"<{article}{names.once('article')}>{html}</{article}>" if article else html


def _head(story: Story, desk: Desk) -> str:
    draw, deal = desk.draw, desk.deal
    tag = draw.choice(("h1", "h1", "h1", "h2", "h2", "h3", "div", "b", "font"))
    title = desk.link(story.title) if desk.chance(0.2) else text(story.title)
    parts = [desk.line(tag, "headline", title)]
    name, date = deal.name(), deal.date()
    byline = draw.choice(
        (
            f"{deal.word('posted', x=name)} {date}",
            f"{date} | {name}",
            f"{name}, {date}",
            date,
            f"{date} — {deal.word('comments', n=draw.randrange(90))}",
        )
    )
    if desk.chance(0.65):
        tag = draw.choice(("p", "div", "span", "small", "font", "h4"))
        parts.insert(draw.randrange(2), desk.line(tag, "byline", text(byline)))
    if desk.chance(0.25):
        parts.append(boxes.share_bar(desk))
    if desk.chance(0.3):
        parts.append(boxes.figure(desk))
    return "\n".join(parts)


def signature(desk: Desk) -> str:
    """Return the line below an article that says who posted it, when, and where to comment."""
    deal = desk.deal
    links = [desk.link(deal.word("comments", n=desk.draw.randrange(60))), desk.link(deal.word("misc"))]
    joint = desk.draw.choice((" | ", " • ", " ", " / "))
    tag = desk.draw.choice(("p", "p", "div", "small", "span"))
    line = joint.join((text(f"{deal.word('posted')} {deal.date()}"), *links[: desk.draw.randrange(3)]))
    before = "<br><br>\n" if tag in ("small", "span") else ""
    return before + desk.line(tag, "byline", line)


def _body(story: Story, desk: Desk) -> str:
    """Write the lines, in pieces with something between them."""
    draw = desk.draw
    way = draw.choice(_FLOWS)
    lines = list(story.lines)
    lead = ""
    if len(lines) > 2 and len(lines[0]) > MAX_HEADING and desk.chance(0.2):
        tag = draw.choice(("h2", "p", "div", "b", "strong"))
        lead = f"<{tag}{desk.names.of('lead')}>{_inline(lines.pop(0), desk)}</{tag}>\n"
    interruptions = draw.choice((0, 0, 0, 1, 1, 2, 4)) if len(lines) > 3 else 0
    cuts = sorted(draw.sample(range(1, len(lines)), k=min(interruptions, len(lines) - 1))) if interruptions else []
    pieces = [lines[i:j] for i, j in zip([0, *cuts], [*cuts, len(lines)], strict=True)]
    if desk.chance(0.04) and len(lines) == 1:
        way = "bare"
    part = draw.choice(("", "", "div", "section"))
    written = []
    for piece in pieces:
        html = _flow(piece, way, desk)
        written.append(f"<{part}{desk.names.of('inner')}>{html}</{part}>" if part else html)
        written.append(draw.choice(_BETWEEN)(desk))
    return lead + "\n".join(written[:-1])


def _flow(lines: Sequence[str], way: str, desk: Desk) -> str:
    """Write lines as markup; what looks like a subhead is one, in the ways that know paragraphs."""
    if way not in ("p", "div", "font", "named"):
        marked = [f"<b>{text(line)}</b>" if _is_heading(line) else _inline(line, desk) for line in lines]
        if way == "rows":
            return "<table>" + "".join(f"<tr><td>{line}</td></tr>\n" for line in marked) + "</table>"
        if way == "items":
            return "<ul>" + "".join(f"<li>{line}</li>\n" for line in marked) + "</ul>"
        return FLOW_WRITERS[way](marked, desk.names)
    tag = desk.draw.choice(("h2", "h3", "h3", "h4", "p", "strong"))
    written = []
    for line in lines:
        if _is_heading(line):
            inner = f"<b>{text(line)}</b>" if tag == "p" else text(line)
            written.append(f"<{tag}>{inner}</{tag}>")
        else:
            written.append(FLOW_WRITERS[way]([_inline(line, desk)], desk.names))
    return "\n".join(written)


def _is_heading(line: str) -> bool:
    return len(line) <= MAX_HEADING and not _FULL.search(line)


def _inline(line: str, desk: Desk) -> str:
    """Write a paragraph with a few of its words linked or set off."""
    draw = desk.draw
    words = line.split(" ")
    if len(words) < 8 or draw.random() < 0.6:
        return text(line)
    n = draw.randint(1, 4)
    start = draw.randrange(len(words) - n)
    before, inside, after = (
        text(" ".join(part)) for part in (words[:start], words[start : start + n], words[start + n :])
    )
    tag = draw.choice(("a", "a", "a", "b", "i", "em", "strong", "span"))
    opened = f'<a href="{desk.href()}">' if tag == "a" else f"<{tag}>"
    return f"{before} {opened}{inside}</{tag}> {after}".strip()


def _title(page: GoldPage, desk: Desk) -> str:
    html = page.html if isinstance(page.html, str) else ""
    found = _TITLE.search(html[:100_000])
    title = _SITE_NAME.sub("", " ".join(unescape(found[1]).split())) if found else ""
    return title if len(title) > 8 else desk.deal.title()


_BETWEEN: Final = (boxes.inline_teaser, boxes.inline_teaser, boxes.figure, boxes.figure, boxes.advert, boxes.newsletter)
_BELOW: Final = (
    signature,
    signature,
    signature,
    boxes.share_bar,
    boxes.share_bar,
    boxes.tag_line,
    boxes.tag_line,
    boxes.author_box,
    boxes.company,
    boxes.newsletter,
    boxes.wall,
    boxes.legal,
    boxes.teasers,
)
