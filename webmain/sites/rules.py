"""Rules for single sites, written by a person in `sites.toml`, one table per site.

    ["paper.example"]                     # a domain with all its hosts, or one host; the longest matching name applies
    extractor = "line_block"
    sections = ["/news", "/sport"]        # paths that contain articles; globs are allowed
    exclude = ["/news/live"]
    delay = 5                             # seconds between two requests
    refresh = "1h,6h,1d"                  # ages at which articles are revisited, or "no" (discovery.schedule.Refresh)
    respect = "optouts"                   # reject pages with opt-outs, or "no"
    max_pages = 500                       # a run's budget for the site: pages, minutes, megabytes
    max_minutes = 20
    max_mb = 200
    render = "auto"                       # "always", "never": which pages a browser renders
    language = "en"                       # articles in other languages are rejected
    title = "h1.headline"                 # CSS; XPath if it begins with "/", "./" or "("
    authors = ".byline a"
    date = "time.published::attr(datetime)"
    body = ["article .story", "main"]     # the first that matches
    keep = ".correction"                  # kept besides what the extractor keeps; all matches
    remove = [".newsletter", "//aside[contains(., 'Read more')]"]

All keys are optional. Selectors are parsel's, as in Scrapy; they are matched against the page after the guard has bounded
it, in an additional parse, only for sites that have selectors.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from webmain.discovery.schedule import Refresh
from webmain.extractors.base import create
from webmain.files import reason_of
from webmain.sites.budgets import Budget
from webmain.text.language import ISO_639_1
from webmain.urls import host

MAX_RULES_BYTES: Final = 4 << 20  # maximum size of a rules file

RENDER: Final = ("auto", "always", "never")
"""When a browser renders a site's pages: if they show hardly any text without their scripts, always, never."""

RESPECT: Final = ("optouts", "no")  # whether pages with opt-outs are rejected

_PART: Final = r"""(?:"[^"]*"|'[^']*'|[\w-]+)"""
_PATH: Final = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER: Final = re.compile(rf"\s*\[{{1,2}}\s*({_PATH})\s*\]{{1,2}}\s*(?:#.*)?")
_KEY: Final = re.compile(rf"\s*({_PATH})\s*=")


class SitesError(ValueError):
    """A rules file cannot be used; the message has a line for each mistake, with file and line number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRules:
    """The rules for one site; see the module's docstring for each key."""

    site: str
    place: str
    extractor: str | None = None
    sections: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    delay: float | None = None
    refresh: Refresh | None = None
    respect: str | None = None
    max_pages: int | None = None
    max_minutes: float | None = None
    max_mb: float | None = None
    render: str | None = None
    language: str | None = None
    title: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    @property
    def budget(self) -> Budget:
        """A run's budget for the site."""
        return Budget(
            pages=self.max_pages,
            time_s=self.max_minutes and 60 * self.max_minutes,
            size_bytes=int(1_000_000 * self.max_mb) if self.max_mb else None,
        )

    @property
    def selectors(self) -> dict[str, tuple[str, ...]]:
        """The selectors (CSS or XPath) of each key that has any, in the order of `SELECTORS`."""
        return {key: found for key in SELECTORS if (found := getattr(self, key))}


@dataclass(frozen=True, slots=True)
class Sites:
    """The rules of all sites, by table name."""

    tables: Mapping[str, SiteRules] = field(default_factory=dict)

    def of(self, url: str | None) -> SiteRules | None:
        """Return the rules for a URL: those of its host, or else of the nearest parent domain; None if there are none."""
        name = host(url) if url and self.tables else ""
        while name:
            if name in self.tables:
                return self.tables[name]
            name = name.partition(".")[2]
        return None


SELECTORS: Final = ("title", "authors", "date", "body", "keep", "remove")
MARKED: Final = ("body", "keep", "remove")
_KEYS: Final = tuple(each.name for each in fields(SiteRules) if each.name not in ("site", "place"))


# ---- The file


def read_sites(path: str | Path) -> Sites:
    """Return the rules in a file; raises SitesError, which lists every mistake found, each with file and line number."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SitesError(f"{path}: cannot be read: {reason_of(error)}") from error
    if len(data) > MAX_RULES_BYTES:
        raise SitesError(f"{path}: {len(data):,} bytes, allowed {MAX_RULES_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
        tables = list(_flat(tomllib.loads(text)))
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SitesError(f"{path}:{line}: is not UTF-8") from error
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        message, _, position = str(error).partition(" (at line ")
        number = position.partition(",")[0] or len(text.splitlines())  # else it says "at end of document"
        raise SitesError(f"{path}:{number}: is not valid TOML: {message}") from error
    except RecursionError as error:
        raise SitesError(f"{path}: tables or lists are too deep") from error
    lines = _line_numbers(text)
    problems: list[str] = []
    found: dict[str, SiteRules] = {}

    def place(name: str) -> str:
        while name and name not in lines:
            name = name.rpartition(".")[0]
        return f"{path.name}:{lines.get(name, 1)}"

    for name, values in tables:
        site = site_of(name)
        if not name:
            problems += [f"{place(key)}: {key}: is in no site's table" for key in values]
            continue
        if not site:
            problems.append(f"{place(name)}: {name!r} is not a domain, such as 'paper.example'")
        elif site in found:
            problems.append(f"{place(name)}: {site} has a table already ({found[site].place})")
        options: dict[str, Any] = {}
        for key, value in values.items():
            try:
                options[key] = _option(key, value)
            except ValueError as error:
                problems.append(f"{place(f'{name}.{key}')}: {site or name}: {key}: {error}")
        found.setdefault(site, SiteRules(site=site, place=place(name), **options))
    if problems:
        folder = str(path).removesuffix(path.name)
        raise SitesError("\n".join(folder + problem for problem in problems))
    return Sites(found)


def _flat(table: Mapping[str, Any], name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each table with its name; `[paper.example]` without quotes, a nested table in TOML, is accepted too."""
    own = {key: value for key, value in table.items() if not isinstance(value, dict)}
    if own:
        yield name, own
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.{key}" if name else key)


def site_of(name: str) -> str:
    """Return the host that a table's name stands for, in ASCII; "" if it is not a host."""
    site = name.strip().lower().removeprefix("www.")
    ascii_site = host(f"https://{site}/")
    return ascii_site if ascii_site == site or not (site.isascii() or set(site) & set("/:@?#%")) else ""


def _line_numbers(text: str) -> dict[str, int]:
    """Return the line numbers of table headers, by table name, and of keys, by "table.key"."""
    table, lines, quotes = "", {}, ""
    for number, line in enumerate(text.split("\n"), 1):
        header, key = (None, None) if quotes else (_HEADER.fullmatch(line), _KEY.match(line))
        if header:
            table = _joined(header[1])
            lines[table] = number
        elif key:
            lines.setdefault(f"{table}.{_joined(key[1])}".lstrip("."), number)
        for found in _LONG_QUOTES.findall(line):
            quotes = "" if quotes == found else quotes or found
    return lines


_LONG_QUOTES: Final = re.compile(r"\"{3}|'{3}")


def _joined(path: str) -> str:
    """Return a TOML key path with dots between its parts, without quotes."""
    return ".".join(part.strip("\"'") for part in re.findall(_PART, path))


def _option(key: str, value: Any) -> Any:
    """Return a key's value as a field of `SiteRules`; raise a ValueError that states what is allowed."""
    if key in SELECTORS:
        selectors = _strings(value)
        if wrong := list(filter(None, (_selector_error(key, each) for each in selectors))):
            raise ValueError("; ".join(wrong))
        return selectors
    if key in ("sections", "exclude"):
        paths = _strings(value)
        if wrong := [path for path in paths if not path.startswith(("/", "*"))]:
            raise ValueError(f"got {wrong[0]!r}, a path begins with '/'")
        return paths
    if key in _NUMBERS:
        return _number(value, *_NUMBERS[key])
    if key == "max_pages":
        return int(_number(value, "whole numbers", 1, 1_000_000_000, int))
    if key not in _TEXTS:
        near = get_close_matches(key, _KEYS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"is not a key{hint} (allowed are {', '.join(_KEYS)})")
    words, allowed = _TEXTS[key]
    if not isinstance(value, str) or (words and value not in words):
        raise ValueError(f"got {value!r}, {allowed}")
    if key == "refresh":
        return Refresh.of(value)
    if key == "extractor":
        try:
            create(value)
        except TypeError as error:
            raise ValueError(str(error)) from error
    return value


_TEXTS: Final[Mapping[str, tuple[Collection[str], str]]] = {
    "render": (RENDER, f"allowed are {', '.join(RENDER)}"),
    "respect": (RESPECT, f"allowed are {', '.join(RESPECT)}"),
    "language": (ISO_639_1, "allowed is a code of ISO 639-1, such as 'en'"),
    "refresh": ((), "allowed is a string, such as '1h,6h,1d' or 'no'"),
    "extractor": ((), "allowed is the name of one, with options"),
}
"""Keys with a string: the words that are allowed, () for any; and what an error says of them."""
_NUMBERS: Final = {
    "delay": ("seconds", 0, 86_400),
    "max_minutes": ("minutes", 0.1, 525_600),
    "max_mb": ("megabytes", 0.1, 1e6),
}


def _number(value: Any, unit: str, low: float, high: float, kinds: Any = int | float) -> float:
    """Return a number if it is within bounds; raise a ValueError that names them otherwise."""
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        raise ValueError(f"got {value!r}, allowed are {unit} from {low} to {high:.0f}")
    return float(value)


def _strings(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ValueError("the list is empty; leave the key out")
    if not all(isinstance(each, str) for each in values):
        raise ValueError(f"got {value!r}, allowed is a string or a list of strings")
    return tuple(each.strip() for each in values)


def is_xpath(expression: str) -> bool:
    """Return True if a selector is XPath, not CSS."""
    return expression.startswith(("/", "./", "("))


def _selector_error(key: str, expression: str) -> str:
    """Return why a selector is not valid, or cannot select what its key takes; "" if it can."""
    import parsel
    from cssselect import SelectorError
    from lxml import etree
    from parsel.csstranslator import HTMLTranslator

    if not expression:
        return "a selector is empty"
    page = parsel.Selector(_SMALL_PAGE, type="html")

    def evaluated(xpath: str) -> Any:
        return etree.XPath(xpath, namespaces=page.namespaces)(page.root)

    def checked_call(found: re.Match[str]) -> str:
        if found["literal"]:
            return found[0]
        evaluated(found[0])
        return "self::*"

    try:
        xpath = expression if is_xpath(expression) else HTMLTranslator().css_to_xpath(expression)
        result = evaluated(xpath)
        calls, inner = "", _NO_CALL.sub("*", xpath)
        while calls != inner:  # functions are evaluated alone, too: where nothing matches, a page calls none
            calls, inner = inner, _CALL.sub(checked_call, inner)
    except (SelectorError, etree.XPathError, RecursionError, re.error, TypeError, ValueError) as error:
        kind = "XPath" if is_xpath(expression) else "CSS"
        return f"{expression[:200]!r} is not valid {kind}: {error}"
    steps, longer = re.sub(_LITERAL, "", xpath), ""
    while steps != longer:
        longer, steps = steps, re.sub(r"\[[^][]*\]", "", steps)
    if key in MARKED and (isinstance(result, str) or _TEXT_STEP.search(steps)):
        return f"{expression[:200]!r} selects text; {key} takes elements"
    if not isinstance(result, list | str):
        return f"{expression[:200]!r} is a number or a comparison; {key} takes elements"
    return ""


_SMALL_PAGE: Final = "<html><head><title>t</title></head><body><h1>t</h1><p>t <a href='/'>t</a></p></body></html>"
_LITERAL: Final = r"\"[^\"]*\"|'[^']*'"
_NO_CALL: Final = re.compile(
    rf"\b(?:text|node|comment|processing-instruction|position|last)\s*\(\s*(?:{_LITERAL})?\s*\)"
)
"""Node tests, and the functions that can be called only in a predicate."""
_CALL: Final = re.compile(
    rf"(?P<literal>{_LITERAL})|\$[\w.:-]+"
    rf"|(?:(?<![\w.-])(?!(?:and|or|div|mod)\b)(?:[^\W\d][\w.-]*:)?[^\W\d][\w.-]*\s*)?\((?:[^()'\"]|{_LITERAL})*\)"
)
"""A variable, or a function's call or parentheses without others inside."""
_TEXT_STEP: Final = re.compile(
    r"(?:\b(?:text|comment|processing-instruction)\(\s*\)|(?:@|\battribute::)\s*[\w:*.-]+)[\s)]*(?:\||$)"
)
"""A path's last step that selects text or an attribute."""
