"""The spiders' arguments: read, checked all at once, with one message for all that is wrong."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, TypeVar

from webmain.extractors.base import EXTRACTORS, Extractor, UnknownExtractor, create
from webmain.items import ANY_TYPE, PAGE_TYPES
from webmain.keep import DEFAULT_KEEP, Keep
from webmain.spiders.addresses import PathFilter, start_url
from webmain.store.protocol import StoreSpecError
from webmain.store.registry import SCHEMES, split_specs
from webmain.text.normal import ISO_639_1

DEFAULT_STORE: Final = "jsonl:output/articles.jsonl"
STORE_FORMS: Final = "jsonl:PATH and sqlite:PATH, several separated by commas"

MAX_SITES_BYTES: Final = 16 << 20
"""Size up to which a file of sites is read."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with one argument.

    Attributes
    ----------
    argument : str
        Its name.
    given : str or None
        What was given; None where it is missing.
    allowed : str
        What would be right.
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
    """A spider can not start with the arguments it was given.

    Attributes
    ----------
    problems : tuple of Problem
        Every one that was found, not the first alone.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[ArgumentError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What a spider was asked for (see the docstrings of `news` and `archive`).

    Attributes
    ----------
    sites : tuple of str
        Addresses to start from, absolute, one for each site, in the order given.
    aliases : tuple of (str, str)
        Such an address, and another one that the user gives as the same site.
    paths : PathFilter
        Which paths of sites are wanted.
    files : tuple of str
        Archives, folders and globs.
    """

    sites: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    paths: PathFilter = field(default_factory=PathFilter)
    files: tuple[str, ...] = ()
    extractor: Extractor = field(default_factory=create)
    store: str = DEFAULT_STORE
    max_pages: int | None = None
    max_articles: int | None = None
    since: datetime | None = None
    language: str | None = None
    record: str | None = None
    skip_known: bool = True
    learn: bool | None = None
    keep: Keep = DEFAULT_KEEP
    require: str | None = None
    review_below: float | None = None
    review_only: bool | None = None

    def options(self) -> dict[str, Any]:
        """Return the attributes of a spider by which it chooses among webmain's options."""
        return {"store_spec": self.store, **{name: getattr(self, name) for name in _COMMON if name != "store"}}


_COMMON: Final = (
    *("extractor", "store", "max_pages", "max_articles", "since", "language", "skip_known", "learn"),
    *("keep", "require", "review_below", "review_only"),
)
NEWS_NAMES: Final = ("site", "sites", *_COMMON, "include", "exclude", "record")
ARCHIVE_NAMES: Final = ("path", *_COMMON)


def read_news_arguments(given: Mapping[str, object], *, now: datetime | None = None) -> Arguments:
    """Read the arguments of the spider `news`.

    Parameters
    ----------
    given : Mapping[str, object]
        As `-a NAME=VALUE` gives them, strings; values of the right type are taken too.
    now : datetime, optional
        The present, for a `since` like "3d".

    Raises
    ------
    ArgumentError
        With every problem.
    """
    reader = _Reader(given, NEWS_NAMES, now)
    sites, aliases = reader.sites()
    record = reader.read("record", _recording)
    paths = PathFilter(include=reader.read("include", _patterns) or (), exclude=reader.read("exclude", _patterns) or ())
    common = reader.common()
    return Arguments(sites=sites, aliases=aliases, paths=paths, record=record, **common)


def read_archive_arguments(given: Mapping[str, object], *, now: datetime | None = None) -> Arguments:
    """Read the arguments of the spider `archive` (see `read_news_arguments`)."""
    reader = _Reader(given, ARCHIVE_NAMES, now)
    files = reader.read("path", _existing_paths)
    if files is None and not reader.text("path"):
        reader.problems.append(Problem(argument="path", given=None, allowed=_PATH_ALLOWED))
    return Arguments(files=files or (), **reader.common())


def with_settings(given: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments in which the settings WEBMAIN_STORE, _EXTRACTOR, _KEEP and _REQUIRE replace missing ones."""
    fallbacks = {name: settings.get(f"WEBMAIN_{name.upper()}") for name in ("store", "extractor", "keep", "require")}
    return {**{name: value for name, value in fallbacks.items() if value}, **given}


class _Refused(ValueError):  # noqa: N818 - reads as what it is
    """A value is wrong; the message names what is allowed."""


class _Reader:
    """Reads arguments one by one and collects what is wrong."""

    def __init__(self, given: Mapping[str, object], names: tuple[str, ...], now: datetime | None) -> None:
        self.now = now or datetime.now(UTC)
        self.given = {name: value for name, value in given.items() if value is not None}
        self.problems: list[Problem] = []
        for name, value in self.given.items():
            if name not in names:
                close = get_close_matches(name, names, n=1, cutoff=0.6)
                hint = f"no such argument, did you mean {close[0]}?" if close else "no such argument"
                allowed = f"{hint} Allowed are {', '.join(names)}"
                self.problems.append(Problem(argument=name, given=str(value), allowed=allowed))

    def text(self, name: str) -> str:
        """Return an argument as a string without white space around it; "" where it is missing."""
        value = self.given.get(name, "")
        return (value.isoformat() if isinstance(value, datetime) else str(value)).strip()

    def read(self, name: str, form: Callable[[str], _T]) -> _T | None:
        """Read one argument; None where it is missing, empty or wrong."""
        text = self.text(name)
        if not text:
            return None
        try:
            return form(text)
        except (_Refused, UnknownExtractor) as error:
            message = str(error)
            if isinstance(error, UnknownExtractor):
                message = re.sub(r"^extractor[^:]{0,40}: ", "", message).removeprefix(f"got {text!r}, ")
                if "allowed are" not in message:
                    message = f"{message} (names: {', '.join(sorted(EXTRACTORS))})"
            self.problems.append(Problem(argument=name, given=text, allowed=message))
            return None

    def common(self) -> dict[str, Any]:
        """Read what both spiders take; raise where anything was wrong, of these arguments or of those before."""
        forms: dict[str, Callable[[str], object]] = {**_FORMS, "since": lambda text: _since(text, self.now)}
        objects = {name: value for name, value in self.given.items() if isinstance(value, (Extractor, Keep))}
        read = {name: self.read(name, form) for name, form in forms.items() if name not in objects}
        if self.problems:
            raise ArgumentError(self.problems)
        return {name: value for name, value in read.items() if value is not None} | objects

    def sites(self) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """Read `site` and the file `sites` together; each address once; and the other addresses of sites."""
        listed = self.read("sites", _sites_file) or ()
        addresses: dict[str, None] = {}
        aliases: list[tuple[str, str]] = []
        sources = [("site", part) for part in self.text("site").split(",")] + [("sites", line) for line in listed]
        for name, part in sources:
            if not part.strip():
                continue
            first, *others = map(start_url, [part] if "?" in part else part.split("="))
            if first is None or None in others:
                self.problems.append(Problem(argument=name, given=part.strip(), allowed=_SITE_ALLOWED))
            else:
                addresses[first] = None
                aliases += [(first, other) for other in others if other]
        if not addresses and not any(problem.argument in ("site", "sites") for problem in self.problems):
            allowed = f"{_SITE_ALLOWED}, or sites, a file of them"
            self.problems.append(Problem(argument="site", given=None, allowed=allowed))
        return tuple(addresses), tuple(aliases)


_SITE_ALLOWED: Final = (
    "allowed are domains and http(s) addresses, several separated by commas: bbc.com,https://www.dw.com/en; "
    "old.com=new.com is one site with two domains"
)
_PATH_ALLOWED: Final = "allowed are WARC files, folders of HTML files and globs, several separated by commas"


def _sites_file(text: str) -> tuple[str, ...]:
    place = Path(text).expanduser()
    allowed = "allowed is a text file with one domain or address a line; # starts a comment"
    try:
        with place.open("rb") as stream:
            body = stream.read(MAX_SITES_BYTES + 1)
    except OSError as error:
        raise _Refused(f"{error.strerror or error}; {allowed}") from error
    if len(body) > MAX_SITES_BYTES or b"\0" in body:
        raise _Refused(f"this is no such file; {allowed}")
    lines = [re.sub(r"(?:^|\s)#.*", "", line).strip() for line in body.decode("utf-8-sig", "replace").splitlines()]
    sites = tuple(part for line in lines for part in line.split(",") if part.strip())
    if not sites:
        raise _Refused(f"no site is in it; {allowed}")
    return sites


def _store(text: str) -> str:
    """Check the form of stores without opening them."""
    try:
        parts = split_specs(text)
    except StoreSpecError as error:
        raise _Refused(f"{str(error).rpartition(': ')[2]}; allowed are {STORE_FORMS}") from error
    for part in parts:
        scheme, colon, path = part.partition(":")
        if scheme.strip().lower() not in SCHEMES:
            _, colon, path = path.partition(":")  # package.module:Class:ADDRESS
        if not colon:
            raise _Refused(f"{part!r} is no store; allowed are {STORE_FORMS}")
        if not path.strip():
            raise _Refused(f"{part!r} has no path; allowed are {STORE_FORMS}")
        if scheme.strip().lower() in SCHEMES and Path(path.strip()).expanduser().is_dir():
            raise _Refused(f"{path.strip()!r} is a folder; allowed are {STORE_FORMS}")
    return ",".join(parts)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= 12 and int(text) > 0):
        raise _Refused("allowed are whole numbers from 1")
    return int(text)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise _Refused("allowed are numbers from 0 to 1; 0 lists nothing")
    return value


_AGO = re.compile(r"(\d{1,5})\s*([hdw])", re.IGNORECASE)
_UNITS: Final = {"h": "hours", "d": "days", "w": "weeks"}


def _since(text: str, now: datetime) -> datetime:
    """Read a date, or a time before now; a date without a zone is taken as UTC."""
    allowed = "allowed are ISO dates (2026-11-20, 2026-11-20T06:00+07:00) and spans up to now (12h, 3d, 2w)"
    ago = _AGO.fullmatch(text)
    try:
        if ago:
            return now - timedelta(**{_UNITS[ago[2].lower()]: int(ago[1])})
        since = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise _Refused(allowed) from None
    if since.tzinfo is None:
        since = since.replace(tzinfo=UTC)
    if since > now:
        raise _Refused(f"this lies in the future; {allowed}")
    return since


_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{2,8})*", re.IGNORECASE)


def _language(text: str) -> str:
    match = _LANGUAGE.fullmatch(text)
    if not match or match[1].lower() not in ISO_639_1:
        raise _Refused("allowed are ISO 639-1 codes such as en, th, de")
    return match[1].lower()


def _keep(text: str) -> Keep:
    try:
        return Keep.of(text)
    except ValueError as error:
        raise _Refused(str(error).removeprefix("keep: ").removeprefix(f"got {text!r}, ")) from error


def _page_type(text: str) -> str:
    if text not in (*PAGE_TYPES, ANY_TYPE):
        raise _Refused(f"allowed are {', '.join(PAGE_TYPES)}, and {ANY_TYPE}")
    return text


_TRUTHS: Final = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def _truth(text: str) -> bool:
    if text.lower() not in _TRUTHS:
        raise _Refused("allowed are true and false")
    return _TRUTHS[text.lower()]


def _patterns(text: str) -> tuple[str, ...]:
    """Read globs separated by commas; what begins with neither a slash nor a star is taken from the root."""
    patterns = tuple(p if p[0] in "/*[?" else "/" + p for part in text.split(",") if (p := part.strip()))
    if any("://" in pattern for pattern in patterns):
        raise _Refused("allowed are paths and globs over paths, several separated by commas: /sport,/news/*/live")
    return patterns


def _recording(text: str) -> str:
    if not text.lower().endswith(".warc.gz"):
        raise _Refused("allowed is the path of a file whose name ends in .warc.gz")
    if Path(text).expanduser().is_dir():
        raise _Refused("this is a folder; allowed is the path of a file whose name ends in .warc.gz")
    return text


def _existing_paths(text: str) -> tuple[str, ...]:
    """Split at commas, unless the whole is the name of something that is there."""
    parts = [text] if _is_there(text) else [part.strip() for part in text.split(",") if part.strip()]
    missing = [part for part in parts if not _is_there(part)]
    if missing:
        raise _Refused(f"nothing is there under {', '.join(map(repr, missing))}; {_PATH_ALLOWED}")
    if not parts:
        raise _Refused(_PATH_ALLOWED)
    return tuple(parts)


def _is_there(text: str) -> bool:
    place = Path(text).expanduser()
    try:
        if place.exists():
            return True
        return next(glob.iglob(str(place), recursive=True), None) is not None  # noqa: PTH207 - absolute patterns too
    except (OSError, ValueError):
        return False


_FORMS: Final[Mapping[str, Callable[[str], object]]] = {
    "extractor": create,
    "store": _store,
    "max_pages": _positive,
    "max_articles": _positive,
    "language": _language,
    "skip_known": _truth,
    "learn": _truth,
    "keep": _keep,
    "require": _page_type,
    "review_below": _share,
    "review_only": _truth,
}
"""How each common argument is read, other than `since`, which depends on the present."""
