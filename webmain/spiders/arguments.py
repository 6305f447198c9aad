"""Parse the spiders' arguments, and report everything that is wrong in one message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Final

from webmain.archive.common_crawl import BASE
from webmain.discovery.schedule import Refresh
from webmain.extractors.base import EXTRACTORS, Extractor, UnknownExtractor, create
from webmain.items import ANY_TYPE, PAGE_TYPES
from webmain.items.keep import DEFAULT_KEEP, Keep
from webmain.sites.budgets import Budget, read_size, read_span
from webmain.sites.rules import RENDER, RESPECT
from webmain.spiders.addresses import PathFilter, start_url
from webmain.spiders.values import (
    PATH_ALLOWED,
    SITE_ALLOWED,
    one_of,
    read_base,
    read_domains,
    read_existing_paths,
    read_language,
    read_months,
    read_patterns,
    read_positive,
    read_recording,
    read_share,
    read_since,
    read_sites_file,
    read_store,
    read_truth,
    read_until,
)

DEFAULT_STORE: Final = "jsonl:output/articles.jsonl"
MAX_SHOWN: Final = 200
"""Characters of a wrong value in its message."""

_Forms = Mapping[str, Callable[[str], object]]


class ArgumentError(ValueError):
    """A spider cannot start with the given arguments; the message has a line for each that is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The parsed arguments of a spider (see the docstrings of `news` and `archive`).

    Attributes
    ----------
    sites : tuple of str
        Absolute addresses to start from, one per site, in the given order.
    aliases : tuple of (str, str)
        A start address, and another address that the user declared to be the same site.
    paths : PathFilter
        Which paths of sites are wanted.
    budget : Budget
        The most that may be spent on each site.
    files : tuple of str
        Archives, folders and globs to read.
    months, base, domains, max_bytes : tuple of str, str, tuple of str, int or None
        For Common Crawl's news archives: months ("2026/10"), their base, hosts whose records are wanted, bytes to read.
    """

    sites: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    paths: PathFilter = field(default_factory=PathFilter)
    budget: Budget = field(default_factory=Budget)
    files: tuple[str, ...] = ()
    months: tuple[str, ...] = ()
    base: str = BASE
    domains: tuple[str, ...] = ()
    max_bytes: int | None = None
    extractor: Extractor = field(default_factory=create)
    store: str = DEFAULT_STORE
    max_pages: int | None = None
    max_articles: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    undated: str | None = None
    section: str | None = None
    language: str | None = None
    record: str | None = None
    render: str | None = None
    skip_known: bool = True
    learn: bool | None = None
    keep: Keep = DEFAULT_KEEP
    require: str | None = None
    review_below: float | None = None
    review_only: bool | None = None
    respect: str | None = None
    refresh: Refresh | None = None

    def options(self) -> dict[str, Any]:
        """Return the attributes of a spider that select webmain's options."""
        names = (*_COMMON, "record", "refresh", "render")
        return {"store_spec": self.store, **{name: getattr(self, name) for name in names if name != "store"}}


_COMMON: Final[_Forms] = {
    "extractor": create,
    "store": read_store,
    "max_pages": read_positive,
    "max_articles": read_positive,
    "since": read_since,
    "until": read_until,
    "undated": one_of("keep", "reject"),
    "language": read_language,
    "section": str,
    "skip_known": read_truth,
    "learn": read_truth,
    "keep": Keep.of,
    "require": one_of(*PAGE_TYPES, ANY_TYPE),
    "review_below": read_share,
    "review_only": read_truth,
    "respect": one_of(*RESPECT),
}
_NEWS: Final[_Forms] = {
    "site": str,
    "sites": read_sites_file,
    **_COMMON,
    "include": read_patterns,
    "exclude": read_patterns,
    "record": read_recording,
    "refresh": Refresh.of,
    "render": one_of(*RENDER),
    "site_pages": read_positive,
    "site_time": read_span,
    "site_bytes": read_size,
}
_ARCHIVE: Final[_Forms] = {
    "path": read_existing_paths,
    "ccnews": read_months,
    "base": read_base,
    "domains": read_domains,
    "max_bytes": read_size,
    **_COMMON,
}
"""The parser of each argument; it raises ValueError with what is allowed."""


def read_news_arguments(given: Mapping[str, object]) -> Arguments:
    """Parse the arguments of the spider `news`.

    Parameters
    ----------
    given : Mapping[str, object]
        As given by `-a NAME=VALUE`, strings; values of the right type are accepted too.

    Raises
    ------
    ArgumentError
        Lists every problem.
    """
    values, problems = _read(given, _NEWS)
    sites, aliases = _sites(values.pop("site", ""), values.pop("sites", ()), problems)
    _check(problems)
    paths = PathFilter(include=values.pop("include", ()), exclude=values.pop("exclude", ()))
    budget = Budget(
        pages=values.pop("site_pages", None),
        time_s=values.pop("site_time", None),
        size_bytes=values.pop("site_bytes", None),
    )
    return Arguments(sites=sites, aliases=aliases, paths=paths, budget=budget, **values)


def read_archive_arguments(given: Mapping[str, object]) -> Arguments:
    """Parse the arguments of the spider `archive` (see `read_news_arguments`)."""
    values, problems = _read(given, _ARCHIVE)
    if not _text(given.get("path")) and not _text(given.get("ccnews")):
        problems.append(f"argument path: missing; {PATH_ALLOWED}; or ccnews, months")
    if not _text(given.get("ccnews")):
        idle = [name for name in ("base", "max_bytes", "skip_known") if values.get(name)]
        problems += [_wrong(name, _text(given[name]), "it has no effect without ccnews") for name in idle]
    _check(problems)
    return Arguments(files=values.pop("path", ()), months=values.pop("ccnews", ()), **values)


def with_settings(given: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments, with missing ones set from WEBMAIN_STORE, _EXTRACTOR, _KEEP, _REQUIRE and _REVIEW_BELOW."""
    names = ("store", "extractor", "keep", "require", "review_below")
    fallbacks = {name: settings.get(f"WEBMAIN_{name.upper()}") for name in names}
    return {**{name: value for name, value in fallbacks.items() if value}, **given}


def _read(given: Mapping[str, object], forms: _Forms) -> tuple[dict[str, Any], list[str]]:
    """Return the values of the arguments that are given, by name, and a message for each that is wrong."""
    values: dict[str, Any] = {}
    problems = []
    for name, value in given.items():
        text = _text(value)
        if name not in forms and value is not None:
            close = get_close_matches(name, forms, n=1, cutoff=0.6)
            hint = f", did you mean {close[0]}? Allowed" if close else "; allowed"
            problems.append(_wrong(name, text, f"no such argument{hint} are {', '.join(forms)}"))
        elif isinstance(value, (Extractor, Keep)):
            values[name] = value
        elif text:
            try:
                values[name] = forms[name](text)
            except ValueError as error:
                problems.append(_wrong(name, text, _allowed(name, text, error)))
    if "since" in values and "until" in values and values["since"] >= values["until"]:
        allowed = f"allowed is what is later than since, {_text(given['since'])}: no article can be found"
        problems.append(_wrong("until", _text(given["until"]), allowed))
    if values.get("review_only") and not values.get("review_below"):
        problems.append(_wrong("review_only", _text(given["review_only"]), "it has no effect without review_below"))
    return values, problems


def _text(value: object) -> str:
    """Return a value as stripped text; "" for None."""
    return "" if value is None else (value.isoformat() if isinstance(value, datetime) else str(value)).strip()


def _allowed(name: str, text: str, error: ValueError) -> str:
    """Return what an error says is allowed, without what its line already says."""
    message = re.sub(rf"^{name}[^:]{{0,40}}: ", "", str(error)).removeprefix(f"got {text!r}, ")
    if isinstance(error, UnknownExtractor) and "allowed are" not in message:
        message = f"{message} (names: {', '.join(sorted(EXTRACTORS))})"
    return message


def _wrong(name: str, text: str, allowed: str) -> str:
    """Return the message for a wrong value."""
    shown = text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
    return f"argument {name}: got {shown!r}; {allowed}"


def _check(problems: list[str]) -> None:
    if problems:
        raise ArgumentError("\n".join(problems))


def _sites(
    given: str, listed: Iterable[tuple[int, str]], problems: list[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the distinct start addresses from `site` and the file `sites`, and the declared aliases; add problems."""
    addresses: dict[str, None] = {}
    aliases: list[tuple[str, str]] = []
    lines = ((f"sites (line {n})", part) for n, part in listed)
    for name, part in [*(("site", part) for part in given.split(",")), *lines]:
        if not part.strip():
            continue
        first, *others = map(start_url, [part] if "?" in part else part.split("="))
        if first is None or None in others:
            problems.append(_wrong(name, part.strip(), SITE_ALLOWED))
        else:
            addresses[first] = None
            aliases += [(first, other) for other in others if other]
    if not addresses and not any(each.startswith(("argument site:", "argument sites")) for each in problems):
        problems.append(f"argument site: missing; {SITE_ALLOWED}, or sites, a file of them")
    return tuple(addresses), tuple(aliases)
