"""The query string of a list or search: parsed, checked, and written again for links to other parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request

from webmain.store.catalogue import SORTS, Order
from webmain.store.search_records import EmptyPeriodError, Filters, period_of, read_day, read_site
from webmain.web.problems import Problem, not_allowed, sentence, whole_number

_T = TypeVar("_T")

FILTERS: Final = ("site", "lang", "method", "since", "until", "below", "copies")
"""Names of the filters in the query string."""

UPWARDS: Final = ("title", "site", "confidence")
"""Sort keys that are ascending by default."""

PLACES: Final = ("after", "before", "page")
"""Parameters for the part of a list that is shown: links to other lists leave them out."""

MAX_VALUE_CHARS: Final = 1_000
MAX_KEY: Final = 2**63 - 1
MAX_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class QueryParams:
    """A parsed query string.

    Attributes
    ----------
    path : str
    given : Mapping[str, str]
        The given parameters without empty ones.
    filters : Filters
    """

    path: str
    given: Mapping[str, str]
    filters: Filters = field(default_factory=Filters)

    @property
    def has_filters(self) -> bool:
        """Whether any filter is set."""
        return any(name in self.given for name in FILTERS)

    @property
    def order(self) -> Order:
        """The order of a list.

        Raises
        ------
        Problem
            It cannot be sorted so.
        """
        by = self.choice("sort", tuple(SORTS), "published")
        way = self.choice("order", ("down", "up")) or ("up" if by in UPWARDS else "down")
        return Order(by=by, descending=way == "down")

    @property
    def matching(self) -> tuple[Literal["all", "any"], Literal["page", "block"]]:
        """Which words of a search a block must contain, and what each result is.

        Raises
        ------
        Problem
            One of them is not allowed.
        """
        return self.choice("match", ("all", "any"), "all"), self.choice("per", ("page", "block"), "page")

    def key(self, name: str) -> int | None:
        """Return the key of the row that a page begins after or ends before."""
        return self.number(name, MAX_KEY)

    @property
    def page(self) -> int:
        """The number of the results page, from 1."""
        return self.number("page", MAX_PAGE) or 1

    def link(self, **changed: str | int | None) -> str:
        """Return the address of the same list with other values; None removes one."""
        values = {name: value for name, value in self.given.items() if name not in PLACES} | changed
        query = urlencode({name: value for name, value in values.items() if value is not None})
        return f"{self.path}?{query}" if query else self.path

    def choice(self, name: str, allowed: tuple[str, ...], default: str | None = None) -> Any:
        """Return a value that must be one of several, or the default if it is not given."""
        return _choice(self.given, name, allowed) or default

    def number(self, name: str, most: int, *, least: int = 1) -> int | None:
        """Return a whole number, or None if it is not given."""
        text = self.given.get(name)
        return None if text is None else whole_number(name, text, least, most)


def query_params(request: Request) -> QueryParams:
    """Return the parsed query of a list or search.

    Raises
    ------
    Problem
        A filter cannot be read.
    """
    for name, value in request.query_params.multi_items():
        if len(value) > MAX_VALUE_CHARS:
            raise Problem(400, f"{name[:40]}: {len(value):,} characters were given, allowed are {MAX_VALUE_CHARS:,}.")
    params = unchecked_params(request)
    return replace(params, filters=filters_of(params.given))


def unchecked_params(request: Request) -> QueryParams:
    """Return the query without its filters, for showing it again in its form."""
    given = {name: value.strip()[:MAX_VALUE_CHARS].replace("\0", "") for name, value in request.query_params.items()}
    return QueryParams(request.url.path, {name: value for name, value in given.items() if value})


def filters_of(given: Mapping[str, str]) -> Filters:
    """Return the filters in a query.

    Raises
    ------
    Problem
        One cannot be read.
    """
    since, until = _read(given, "since", read_day), _read(given, "until", read_day)
    try:
        first, end = period_of(since, until)
    except EmptyPeriodError as error:
        raise Problem(400, sentence(f"{error}.")) from None
    return Filters(
        site=_read(given, "site", read_site),
        language=_read(given, "lang", str.lower),
        method=given.get("method"),
        since=first,
        until=end,
        below=_read(given, "below", _share),
        copies=_choice(given, "copies", ("1",)) is not None,
    )


def _read(given: Mapping[str, str], name: str, form: Callable[[str], _T]) -> _T | None:
    if name not in given:
        return None
    try:
        return form(given[name])
    except (ValueError, OverflowError) as error:
        raise Problem(400, f"{name}: {error}.") from None


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise ValueError(f"got {text!r}, allowed is a number from 0 to 1")
    return value


def _choice(given: Mapping[str, str], name: str, allowed: tuple[str, ...]) -> str | None:
    value = given.get(name)
    if value is not None and value not in allowed:
        raise not_allowed(name, value, ", ".join(allowed))
    return value
