"""Parse the spiders' arguments, and report everything that is wrong in one message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from webmain import clock
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
    InvalidValue,
    of_value_error,
    one_of,
    read_base,
    read_domains,
    read_existing_paths,
    read_keep,
    read_language,
    read_months,
    read_patterns,
    read_positive,
    read_recording,
    read_refresh,
    read_share,
    read_since,
    read_sites_file,
    read_store,
    read_truth,
    read_until,
)

DEFAULT_STORE: Final = "jsonl:output/articles.jsonl"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with one argument.

    Attributes
    ----------
    argument : str
        Its name.
    given : str or None
        The given value; None if it is missing.
    allowed : str
        Description of the allowed values.
    """

    argument: str
    given: str | None
    allowed: str

    def __str__(self) -> str:
        if self.given is None:
            return f"argument {self.argument}: missing; {self.allowed}"
        given = self.given if len(self.given) <= 200 else self.given[:199] + "…"
        return f"argument {self.argument}: got {given!r}; {self.allowed}"


class ArgumentError(ValueError):
    """A spider cannot start with the given arguments.

    Attributes
    ----------
    problems : tuple of Problem
        All problems found, not only the first.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[ArgumentError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


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
        return {"store_spec": self.store, **{name: getattr(self, name) for name in _COMMON if name != "store"}}


_COMMON: Final = (
    *("extractor", "store", "max_pages", "max_articles", "since", "until", "undated", "language", "section"),
    *("skip_known", "learn", "keep", "require", "review_below", "review_only", "respect"),
)
_BUDGETS: Final = ("site_pages", "site_time", "site_bytes")
NEWS_NAMES: Final = ("site", "sites", *_COMMON, "include", "exclude", "record", "refresh", "render", *_BUDGETS)
ARCHIVE_NAMES: Final = ("path", "ccnews", "base", "domains", "max_bytes", *_COMMON)


def read_news_arguments(given: Mapping[str, object], *, now: datetime | None = None) -> Arguments:
    """Parse the arguments of the spider `news`.

    Parameters
    ----------
    given : Mapping[str, object]
        As given by `-a NAME=VALUE`, strings; values of the right type are accepted too.
    now : datetime, optional
        The current time, for a `since` or `until` like "3d".

    Raises
    ------
    ArgumentError
        Lists every problem.
    """
    reader = _Reader(given, NEWS_NAMES, now)
    sites, aliases = reader.sites()
    record = reader.read("record", read_recording)
    refresh = reader.read("refresh", read_refresh)
    paths = PathFilter(
        include=reader.read("include", read_patterns) or (), exclude=reader.read("exclude", read_patterns) or ()
    )
    render = reader.read("render", one_of(*RENDER))
    budget = Budget(
        pages=reader.read("site_pages", read_positive),
        time_s=reader.read("site_time", of_value_error(read_span)),
        size_bytes=reader.read("site_bytes", of_value_error(read_size)),
    )
    common = reader.common()
    return Arguments(
        sites=sites,
        aliases=aliases,
        paths=paths,
        budget=budget,
        record=record,
        refresh=refresh,
        render=render,
        **common,
    )


def read_archive_arguments(given: Mapping[str, object], *, now: datetime | None = None) -> Arguments:
    """Parse the arguments of the spider `archive` (see `read_news_arguments`)."""
    reader = _Reader(given, ARCHIVE_NAMES, now)
    files = reader.read("path", read_existing_paths)
    months = reader.read("ccnews", lambda text: read_months(text, reader.now))
    if not reader.text("path") and not reader.text("ccnews"):
        reader.problems.append(Problem(argument="path", given=None, allowed=f"{PATH_ALLOWED}; or ccnews, months"))
    base = reader.read("base", read_base) or BASE
    domains = reader.read("domains", read_domains) or ()
    size = reader.read("max_bytes", of_value_error(read_size))
    common = reader.common()
    return Arguments(files=files or (), months=months or (), base=base, domains=domains, max_bytes=size, **common)


def with_settings(given: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments, with missing ones set from WEBMAIN_STORE, _EXTRACTOR, _KEEP and _REQUIRE."""
    fallbacks = {name: settings.get(f"WEBMAIN_{name.upper()}") for name in ("store", "extractor", "keep", "require")}
    return {**{name: value for name, value in fallbacks.items() if value}, **given}


class _Reader:
    """Parses arguments one by one and collects the problems."""

    def __init__(self, given: Mapping[str, object], names: tuple[str, ...], now: datetime | None) -> None:
        self.now = now or clock.now()
        self.given = {name: value for name, value in given.items() if value is not None}
        self.problems: list[Problem] = []
        for name, value in self.given.items():
            if name not in names:
                close = get_close_matches(name, names, n=1, cutoff=0.6)
                hint = f", did you mean {close[0]}? Allowed" if close else "; allowed"
                allowed = f"no such argument{hint} are {', '.join(names)}"
                self.problems.append(Problem(argument=name, given=str(value), allowed=allowed))

    def text(self, name: str) -> str:
        """Return an argument as stripped text; "" if it is missing."""
        value = self.given.get(name, "")
        return (value.isoformat() if isinstance(value, datetime) else str(value)).strip()

    def read(self, name: str, form: Callable[[str], _T]) -> _T | None:
        """Parse one argument; None if it is missing, empty or wrong."""
        text = self.text(name)
        if not text:
            return None
        try:
            return form(text)
        except (InvalidValue, UnknownExtractor) as error:
            message = str(error)
            if isinstance(error, UnknownExtractor):
                message = re.sub(r"^extractor[^:]{0,40}: ", "", message).removeprefix(f"got {text!r}, ")
                if "allowed are" not in message:
                    message = f"{message} (names: {', '.join(sorted(EXTRACTORS))})"
            self.problems.append(Problem(argument=name, given=text, allowed=message))
            return None

    def common(self) -> dict[str, Any]:
        """Parse the arguments of both spiders; raise `ArgumentError` if any argument so far was wrong."""
        moments = {"since": lambda text: read_since(text, self.now), "until": lambda text: read_until(text, self.now)}
        forms: dict[str, Callable[[str], object]] = {**_FORMS, **moments}
        objects = {name: value for name, value in self.given.items() if isinstance(value, (Extractor, Keep))}
        read = {name: self.read(name, form) for name, form in forms.items() if name not in objects}
        first, end = read["since"], read["until"]
        if isinstance(first, datetime) and isinstance(end, datetime) and first >= end:
            allowed = f"allowed is what is later than since, {self.text('since')}: no article can be found"
            self.problems.append(Problem(argument="until", given=self.text("until"), allowed=allowed))
        if self.problems:
            raise ArgumentError(self.problems)
        return {name: value for name, value in read.items() if value is not None} | objects

    def sites(self) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """Return the distinct start addresses from `site` and the file `sites`, and the declared aliases."""
        listed = self.read("sites", read_sites_file) or ()
        addresses: dict[str, None] = {}
        aliases: list[tuple[str, str]] = []
        sources = [("site", part) for part in self.text("site").split(",")] + [("sites", line) for line in listed]
        for name, part in sources:
            if not part.strip():
                continue
            first, *others = map(start_url, [part] if "?" in part else part.split("="))
            if first is None or None in others:
                self.problems.append(Problem(argument=name, given=part.strip(), allowed=SITE_ALLOWED))
            else:
                addresses[first] = None
                aliases += [(first, other) for other in others if other]
        if not addresses and not any(problem.argument in ("site", "sites") for problem in self.problems):
            allowed = f"{SITE_ALLOWED}, or sites, a file of them"
            self.problems.append(Problem(argument="site", given=None, allowed=allowed))
        return tuple(addresses), tuple(aliases)


_FORMS: Final[Mapping[str, Callable[[str], object]]] = {
    "extractor": create,
    "store": read_store,
    "max_pages": read_positive,
    "max_articles": read_positive,
    "language": read_language,
    "section": str,
    "undated": one_of("keep", "reject"),
    "skip_known": read_truth,
    "learn": read_truth,
    "keep": read_keep,
    "require": one_of(*PAGE_TYPES, ANY_TYPE),
    "review_below": read_share,
    "review_only": read_truth,
    "respect": one_of(*RESPECT),
}
"""Parser of each common argument, except `since` and `until`, which depend on the current time."""
