"""Find the next part of an article, and the next page of a list.

A link leads to the next part only if its *address* is the current one with the next number. `rel=next` alone is not
enough: blogs use it for the next article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from webmain import languages
from webmain.discovery.articles import MAX_PARTS, UrlKind, judge_url
from webmain.discovery.links import Link
from webmain.discovery.safe_xml import absolute_url
from webmain.urls import host, split_url


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbered:
    """An address read as a numbered page: its stem and its number."""

    stem: str
    number: int
    style: str


_KEYS: Final = "page|paged|pg|pag|pagina|seite|side|sida|strana|part|teil|p|pn|pageno|page_no|pagenum|currentpage|seg"
_QUERY_KEY = re.compile(rf"(?:{_KEYS})", re.IGNORECASE)
_WORDED = re.compile(
    r"(?P<stem>.*?)(?P<mark>/|[-_,.;])(?P<word>page|seite|pagina|pag|part|teil|p)(?P<join>[/\-_,=]?)(?P<number>\d{1,4})"
    r"(?P<tail>/|\.[a-z]{3,5}|)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?P<stem>.*(?:[^/\d\-_,]|\d{5}|\d(?!/)))(?P<mark>/|[-_,])(?P<number>\d{1,2})(?P<tail>/|\.[a-z]{3,5}|)",
    re.IGNORECASE,
)

_ENDS_SHORT = re.compile(r"(?<!\d)\d{1,4}(?:\.[a-z]{3,5})?$", re.IGNORECASE)
"""A stem with such an ending may be a year or month, and what follows it no page number."""

_LIST_STYLE = re.compile(r"(?:\?|word:[^a-z]*)(?!p(?:art)?\b|part|teil|seg)", re.IGNORECASE)
"""Numbers that may identify an article do not make a list: `?p=123`, `/p/12`."""

_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,4})$")
_DECORATION: Final = " \t\n\r.…:[]()|»›>→▶❯⟩"


def next_part(url: str, links: Sequence[Link], rel_next: str | None = None, *, first: str | None = None) -> str | None:
    """Return the address of the next part of an article that has several pages.

    Parameters
    ----------
    url : str
        The current page's address, after redirects.
    links : sequence of Link
        The page's links.
    rel_next : str or None
        The address of `<link rel=next>` in the head.
    first : str or None
        The article's first page if `url` is a later one. Without it a later page must link back to the first.

    Returns
    -------
    str or None
        An address of the same host that is this one with the next number (`?page=2`, `/2`, `/page/2`, `-2.html`,
        `_p2.html` ...), if the link is declared as next, its text says so, or its text is the number. None for hubs,
        date archives and other articles, and beyond 50 parts.
    """
    if judge_url(first or url).kind is UrlKind.HUB:
        return None
    refused: set[_Numbered] = set()  # a page may have the same link a thousand times
    steps = _Steps(url, first)
    for link in _candidates(url, links, rel_next):
        for step in steps.to(link.url):
            if step.number > MAX_PARTS or step in refused or not _says_so(link, step.number):
                continue
            if _is_of_article(step, url, links, first):
                return link.url
            refused.add(step)
    return None


def next_listing(url: str, links: Sequence[Link], rel_next: str | None = None) -> str | None:
    """Return the address of the next page of a list, with older articles of a section or an archive.

    Parameters
    ----------
    url : str
        The current page's address, after redirects.
    links : sequence of Link
        The page's links.
    rel_next : str or None
        The address of `<link rel=next>` in the head.

    Returns
    -------
    str or None
        On the same host: the address with the next number, else one that differs only by a larger offset in its query, else
        the link declared as next if it is not an article. The next day or month of a calendar is not a next page. The
        caller decides how many pages to follow.
    """
    candidates, steps = _candidates(url, links, rel_next), _Steps(url)
    no_days = [link for link in candidates if not _is_calendar(url, link.url)]
    ways = (
        (link for link in no_days if any(_says_so(link, step.number) for step in steps.to(link.url))),
        (link for link in candidates if _says_next(link) and _is_larger_offset(url, link.url)),
        (link for link in no_days if "next" in link.rel and judge_url(link.url).kind in (UrlKind.HUB, UrlKind.UNKNOWN)),
    )
    return next((link.url for link in chain.from_iterable(ways)), None)


def lists_of(url: str) -> set[str]:
    """Return the stems (as in `stems`) of the lists of which an address is a numbered page, by a word or a parameter."""
    found = {one.stem for one in _readings(url) if _LIST_STYLE.match(one.style)}
    return {_host(url) + form for stem in found for form in (stem, re.sub(r"\.[a-z]{3,5}$", "", stem))}


@lru_cache(maxsize=20_000)  # a site's menus are on each of its pages
def stems(url: str) -> frozenset[str]:
    """Return the stems that a list's address shares with its numbered pages (see `lists_of`)."""
    return frozenset({_host(url) + stem for stem in _wholes(url)} | lists_of(url))


def _candidates(url: str, links: Sequence[Link], rel_next: str | None) -> list[Link]:
    """Return links of the same host that may lead to the next page; declared ones first, site navigation last."""
    declared = [Link(url=rel_next, rel=("next",))] if rel_next else []
    ranked = sorted([*declared, *links], key=lambda link: ("next" not in link.rel, link.zone == "nav"))
    here, host = url.partition("#")[0], _host(url)
    found: list[Link] = []
    for link in ranked:
        if not (_says_next(link) or _ends_with_number(link.text) is not None):
            continue
        target = absolute_url(link.url, url)
        if target and target != here and "#comment" not in link.url and _host(target) == host:
            found.append(link._replace(url=target))
    return found


def _host(url: str) -> str:
    """Return the host without "www."; "" if there is none."""
    return host(url).removeprefix("www.")


def _path_and_query(url: str) -> tuple[str, list[tuple[str, str]]]:
    """Return an address's path and the pairs of its query; both are empty if it cannot be read."""
    parts = split_url(url[:4096])
    return unquote(parts.path), parse_qsl(parts.query, keep_blank_values=True)


def _readings(url: str) -> Iterator[_Numbered]:
    """Yield every way to read an address as a numbered page, the most certain first."""
    path, pairs = _path_and_query(url)
    for index, (key, value) in enumerate(pairs):
        if _QUERY_KEY.fullmatch(key) and value.isascii() and value.isdigit() and len(value) <= 4:
            others = pairs[:index] + pairs[index + 1 :]
            yield _Numbered(stem=_stem(path, others), number=int(value), style=f"?{key.lower()}=")
    for pattern, name in ((_WORDED, "word"), (_BARE, "bare")):
        match = pattern.fullmatch(path)
        if match:
            groups = match.groupdict()
            word = f"{groups.get('word', '')}{groups.get('join', '')}".lower()
            tail = groups["tail"] if groups["tail"] != "/" else ""
            style = f"{name}:{groups['mark']}{word}"
            yield _Numbered(stem=_stem(groups["stem"] + tail, pairs), number=int(groups["number"]), style=style)


def _stem(path: str, pairs: Sequence[tuple[str, str]]) -> str:
    """Return what the addresses of all pages of a series have in common: path without last slash, sorted query."""
    trimmed = re.sub(r"/(?:index\.[a-z]{3,5})?$", "", path)
    return trimmed + ("?" + urlencode(sorted(pairs)) if pairs else "")


def _wholes(url: str) -> set[str]:
    """Return the stems of an address without a number, with and without its file name extension."""
    path, pairs = _path_and_query(url)
    return {_stem(path, pairs), _stem(re.sub(r"\.[a-z]{3,5}$", "", path), pairs)}


class _Steps:
    """The ways to read an address as the page after `url`."""

    def __init__(self, url: str, first: str | None = None) -> None:
        self._next = {replace(one, number=one.number + 1) for one in _readings(url)}
        self._wholes, self._counts_from_0 = _wholes(url), first is None
        self._firsts = _wholes(first) if first else self._wholes

    def to(self, target: str) -> Iterator[_Numbered]:
        """Yield the readings of `target` as the next page."""
        for reading in _readings(target):
            is_unsure = reading.style.startswith("bare") and _ENDS_SHORT.search(reading.stem)
            if is_unsure and reading.stem not in self._firsts:
                continue
            is_first = reading.number == 2 or (
                reading.number == 1 and self._counts_from_0 and reading.style.startswith("?")
            )
            is_after_whole = is_first and reading.stem in self._wholes
            if is_after_whole or reading in self._next:
                yield reading


def _says_next(link: Link) -> bool:
    """Return True if a link is declared as next, or its text says so in some language."""
    if "next" in link.rel:
        return True
    if len(link.text) > 60:
        return False
    text = " ".join(link.text.casefold().split())
    next_page = languages.known().words("next_page")
    return text in next_page or text.strip(_DECORATION) in next_page


def _ends_with_number(text: str) -> int | None:
    """Return the number at the end of a short text."""
    bare = text.strip(_DECORATION) if len(text) <= 60 else ""
    last = _LAST_NUMBER.search(bare) if len(bare) <= 20 else None
    return int(last[1]) if last else None


def _says_so(link: Link, number: int) -> bool:
    """Return True if the link's text is this page number."""
    return _says_next(link) or _ends_with_number(link.text) == number


def _is_of_article(step: _Numbered, url: str, links: Sequence[Link], first: str | None) -> bool:
    """Return True if the numbered page belongs to the current article, not to a neighbour in a series or a list."""
    if step.number <= 1 or (step.style.startswith("?") and judge_url(url).kind is UrlKind.IGNORE):
        return False
    parts = urlsplit(url)
    if judge_url(f"{parts.scheme}://{parts.netloc}{step.stem}").kind is UrlKind.HUB:
        return False
    if step.number == 2:
        return True
    one = replace(step, number=1)
    firsts = (link.url for link in links) if first is None else (first,)
    return any(step.stem in _wholes(url) or one in _readings(url) for url in firsts)


_CALENDAR = re.compile(r"/(?:199\d|20\d\d|25[3-9]\d)(?:[/-]\d{1,2}){0,2}/?$")
_OFFSET_KEY = re.compile(r"(?:start|offset|from|skip|begin|first|before|cursor|b_start(?::int)?)", re.IGNORECASE)


def _is_calendar(url: str, target: str) -> bool:
    """Return True if both addresses contain a day or month, and these differ."""
    one, other = urlsplit(url).path, urlsplit(target).path
    return bool(_CALENDAR.search(one) and _CALENDAR.search(other)) and one.rstrip("/") != other.rstrip("/")


def _is_larger_offset(url: str, target: str) -> bool:
    """Return True if only the query differs, in an offset that is larger."""
    one, other = urlsplit(url), urlsplit(target)
    before, after = dict(parse_qsl(one.query)), dict(parse_qsl(other.query))
    differing = [key for key in before.keys() | after.keys() if before.get(key) != after.get(key)]
    if one.path.rstrip("/") != other.path.rstrip("/") or len(differing) != 1 or not _OFFSET_KEY.fullmatch(differing[0]):
        return False
    old, new = before.get(differing[0], "0"), after.get(differing[0], "")
    return new.isdigit() and old.isdigit() and len(new) < 10 and int(new) > int(old)
