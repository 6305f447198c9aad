"""Start addresses of sites, and helpers for an address within its site: its folder, its pattern, its canonical page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

from webmain.discovery.articles import UrlKind, judge_url
from webmain.discovery.url_words import url_words
from webmain.sites.rules import SiteRules
from webmain.urls import amp_to_canonical_guess, host, normalise, site_key, split_url

_PART = re.compile(
    r"[?&](?:page|paged|pg|seite|pagina|part)=(?:[2-9]|[1-4]\d)(?=&|$)|/(?:page/|p)?(?:[2-9]|[1-4]\d)/?$"
)

_OTHER_VIEW = re.compile(
    r"(?:print|printable|all|showall|viewall|fullpage|singlepage|onepage)=(?:1|true|yes|all|y)"
    r"|(?:view|format|mode|page|p)=(?:all|full|single)",
    re.IGNORECASE,
)
_PRINT_PATH = re.compile(r"(?<=[^/])/print(?=/?$)|(?<=[^/])/print(?=/[^/])|\.print(?=\.html?$)", re.IGNORECASE)


def start_url(text: str) -> str | None:
    """Return the address to start a site from ("bbc.com" becomes "https://bbc.com/"); None if the text is not an address."""
    text = text.strip().strip("'\"")
    if "://" not in text:
        text = "https://" + text.removeprefix("//")
    address = normalise(text)
    if address is None or not site_key(address):
        return None
    name = host(address)
    is_local = name == "localhost" or ":" in name or name.rpartition(".")[2].isdigit()
    return address if is_local or "." in name else None


def whole_pages(url: str) -> Iterator[str]:
    """Yield the addresses of which an address seems to be another view (AMP, print, all parts) or a later part."""
    original = amp_to_canonical_guess(url)
    if original != url:
        yield normalise(original) or original
    before, mark, query = url.partition("?")
    kept = "&".join(each for each in query.split("&") if not _OTHER_VIEW.fullmatch(each))
    if kept != query or "print" in before:
        query = mark + kept if kept else ""
        whole = _PRINT_PATH.sub("", before, count=1) + query
        yield from {whole, whole.rstrip("/")} - {url}
    match = _PART.search(url)
    if match:
        whole = (url[: match.start()] + url[match.end() :].replace("&", "?", 1)).rstrip("/")
        if judge_url(whole).kind is UrlKind.ARTICLE:
            yield whole
            yield whole + "/"


def is_personal(url: str) -> bool:
    """Return True if the path contains a word for tags, authors or searches."""
    return not url_words("sides").isdisjoint(urlsplit(url).path.lower().split("/"))


_MAX_REPEATS = 2
_DEEP = 6  # slashes of an address whose path can have a segment three times: two are the scheme's


def is_repeating(url: str) -> bool:
    """Return True if the path contains a segment three times, as when relative links nest endlessly (/a/b/a/b/a)."""
    if url.count("/") < _DEEP - 1:
        return False
    names = [name for name in urlsplit(url).path.split("/") if name and not name.isdigit()]
    return any(n > _MAX_REPEATS for n in Counter(names).values())


_NUMBER = re.compile(r"\d+")
_NUMBERS = re.compile(r"(?:/0)+(?=/)")


def patterns(url: str) -> tuple[str, str]:
    """Return an address's folder and its path with query keys, numbers as 0; the path is "" without numbers and query."""
    parts = urlsplit(url)
    keys = ",".join(sorted(key for key, _ in parse_qsl(parts.query, keep_blank_values=True)))
    folded = _NUMBER.sub("0", parts.path.rstrip("/"))
    folder = parts.netloc + _NUMBERS.sub("/0", folded.rpartition("/")[0] + "/")
    numbered = f"{parts.netloc}{folded}?{keys}" if keys or folded != parts.path.rstrip("/") else ""
    return folder, numbered


_REFERRER = re.compile(r"(?:ref|referrer|referer|source|src|from|via|origin)=[A-Za-z][A-Za-z_.+-]*", re.IGNORECASE)


def without_referrer(url: str) -> str:
    """Return an address without parameters for the block that a link is in (`ref=related`), unless it is a page of a list."""
    before, mark, query = url.partition("?")
    if not mark or "=" not in query:
        return url
    kept = [part for part in query.split("&") if not _REFERRER.fullmatch(part)]
    if len(kept) == query.count("&") + 1 or judge_url(before).kind is UrlKind.HUB:
        return url
    return before + ("?" + "&".join(kept) if kept else "")


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Which paths are wanted, by globs over the percent-decoded path.

    `*` matches any characters including slashes, `?` matches one, `[ab]` one of several. A pattern without any of these
    matches the path itself and everything below it: `/sport` matches `/sport` and `/sport/football`, not `/sports`.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the patterns as text, to compare the filters of two runs."""
        return "|".join(",".join(sorted(each)) for each in (self.include, self.exclude)).strip("|")

    def with_rules(self, rules: SiteRules | None) -> PathFilter:
        """Return the filter for one site: its rules' sections if nothing else is included, plus what the rules exclude."""
        if rules is None or not (rules.sections or rules.exclude):
            return self
        return PathFilter(include=self.include or rules.sections, exclude=(*self.exclude, *rules.exclude))

    def includes(self, url: str) -> bool:
        """Return True if articles at this address are wanted."""
        return (not self.include or _matches(url, self.include)) and not self.excludes(url)

    def excludes(self, url: str) -> bool:
        """Return True if nothing may be fetched from this address, neither articles nor hubs."""
        return bool(self.exclude) and _matches(url, self.exclude)


def _matches(url: str, patterns: tuple[str, ...]) -> bool:
    """Return True if an address's path matches one of the patterns."""
    return _globs(patterns).match(unquote(split_url(url).path) or "/") is not None


@lru_cache
def _globs(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return one regular expression for all patterns."""
    each = []
    for pattern in patterns:
        if any(character in pattern for character in "*?["):
            each.append(translate(pattern))
        else:
            each.append(re.escape(pattern.rstrip("/")) + r"(?:/.*)?\Z")
    return re.compile("|".join(each), re.DOTALL)
