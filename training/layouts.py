"""Whole made-up pages: an article of a given page in the layouts of many kinds and years."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import unescape
from typing import Final

from training.markup import render
from training.prose import Draw
from training.threads import Thread, thread
from webmain.evaluation.records import GoldPage

_TITLE = re.compile("<title[^>]{0,200}>([^<]{4,300})", re.IGNORECASE)
_SITE_NAME = re.compile(r"\s+[|»·•–—-]\s+[^|»·•–—-]{1,40}$")
_FULL = re.compile('[.!?…:;。！？”"»)]$')
MAX_PARAGRAPHS: Final = 60
MAX_HEADING: Final = 80
"""Characters of a line that may be a heading between paragraphs."""
LENGTHS: Final = (1, 2, 3, 4, 6, 8, 12, 20, MAX_PARAGRAPHS, MAX_PARAGRAPHS)
"""Paragraphs that are kept of an article."""
COMMENTED_SHARE: Final = 0.6
THREAD_SHARES: Final = (0.3, 0.7, 1.0, 2.0, 3.0, 5.0, 6.0)
"""Lengths of threads, as shares of the article's."""


def whole_page(page: GoldPage, d: Draw) -> GoldPage:
    """Return a made-up page around a real page's article, none of whose markup is used.

    It has the site and address of the page, the text that was used, and the threads' text as `comments`.
    """
    lines = _first_lines(page.text or "", d)
    gold = "\n\n".join(lines)
    comments = thread(d, int(max(len(gold), 300) * d.choice(*THREAD_SHARES))) if d.chance(COMMENTED_SHARE) else None
    return laid_out(page, d, lines, comments, title=clean_title(page), is_heading=_is_heading)


def laid_out(
    page: GoldPage,
    d: Draw,
    lines: Sequence[str],
    comments: Thread | None,
    *,
    title: str,
    is_heading: Callable[[str], bool],
    crowded: bool = False,
) -> GoldPage:
    """Return a page with these lines as its article, these comments, and a drawn title if it has none."""
    below = comments or Thread("", "")
    options = {"lines": lines, "comments": below.html, "is_heading": is_heading, "crowded": crowded}
    html = render("page.html", "page", d, title=title or d.title(), **options)
    return replace(page, html=str(html), text="\n\n".join(lines), comments=below.text)


def _first_lines(text: str, d: Draw) -> list[str]:
    """Return an article's lines, all of them or the first few."""
    longest, kept = d.choice(*LENGTHS), []
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    for line in lines[:MAX_PARAGRAPHS]:
        kept.append(line)
        if sum(len(known) > MAX_HEADING for known in kept) >= longest and sum(map(len, kept)) > 150:
            break
    return kept


def _is_heading(line: str) -> bool:
    return len(line) <= MAX_HEADING and not _FULL.search(line)


def clean_title(page: GoldPage) -> str:
    """Return the page's title without the site's name; "" where it has none."""
    found = _TITLE.search(page.html[:100_000]) if isinstance(page.html, str) else None
    title = _SITE_NAME.sub("", " ".join(unescape(found[1]).split())) if found else ""
    return title if len(title) > 8 else ""
