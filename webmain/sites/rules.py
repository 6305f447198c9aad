"""A site's own rules: what a person has written down about it in `sites.toml`, one table a site.

    ["paper.example"]                     # a domain with all its hosts, or one host; the longest name that fits counts
    extractor = "line_block"
    sections = ["/news", "/sport"]        # paths in which articles are; globs are allowed
    exclude = ["/news/live"]
    delay = 5                             # seconds between two requests
    language = "en"                       # articles in other languages are rejected
    title = "h1.headline"                 # CSS; what begins with "/", "." and a slash, or "(" is XPath
    authors = ".byline a"
    date = "time.published::attr(datetime)"
    body = ["article .story", "main"]     # the first that matches
    keep = ".correction"                  # beside what the extractor keeps; all of them
    remove = [".newsletter", "//aside[contains(., 'Read more')]"]

Everything is optional. Selectors are parsel's, for people who write them for Scrapy; they are matched against the page as
the guard has bounded it, in one more parse, and only for sites that have any.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain.article.regions import leaves_of_lines
from webmain.extractors.base import NOT_SHOWN, Extraction
from webmain.extractors.registry import UnknownExtractor, create
from webmain.html.blocks import Unit, from_runs, segment
from webmain.html.guard import guard
from webmain.items import Metadata, Source
from webmain.metadata.bylines import names_in, unique
from webmain.metadata.dates import parse_date
from webmain.text.language import ISO_639_1
from webmain.urls import host

if TYPE_CHECKING:
    import parsel

    from webmain.html.document import Document

MAX_RULES_BYTES: Final = 4 << 20
"""Size up to which a file of rules is read."""

MARK: Final = "data-webmain-rule"
"""Attribute by which elements that a rule has matched are known in the page as it is read."""

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*=""")


class SitesError(ValueError):
    """A file of rules cannot be used; the message has a line for each mistake, with file and line."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One selector of a site.

    Attributes
    ----------
    key : str
        What it selects: "title", "body", ...
    expression : str
        CSS, or XPath.
    place : str
        File and line, for reports.
    """

    key: str
    expression: str
    place: str

    def __str__(self) -> str:
        return f"{self.place}: {self.key} = {self.expression!r}"

    def select(self, page: parsel.Selector) -> list[parsel.Selector]:
        """Return what the selector matches on a page, in document order."""
        return list(page.xpath(self.expression) if _is_xpath(self.expression) else page.css(self.expression))


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRules:
    """What is written down about one site; see the module's docstring for each key."""

    site: str
    place: str
    extractor: str | None = None
    sections: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    delay: float | None = None
    language: str | None = None
    title: tuple[Rule, ...] = ()
    authors: tuple[Rule, ...] = ()
    date: tuple[Rule, ...] = ()
    body: tuple[Rule, ...] = ()
    keep: tuple[Rule, ...] = ()
    remove: tuple[Rule, ...] = ()

    @property
    def selectors(self) -> tuple[Rule, ...]:
        """All selectors, in the order of the keys."""
        return tuple(rule for key in _SELECTORS for rule in getattr(self, key))


@dataclass(frozen=True, slots=True)
class Sites:
    """The rules of all sites, by the name of their table."""

    tables: Mapping[str, SiteRules] = field(default_factory=dict)

    def of(self, url: str | None) -> SiteRules | None:
        """Return the rules for a page's address: those of its host, else of the nearest domain above it."""
        name = host(url) if url and self.tables else ""
        while name:
            if name in self.tables:
                return self.tables[name]
            name = name.partition(".")[2]
        return None


_SELECTORS: Final = ("title", "authors", "date", "body", "keep", "remove")
_MARKED: Final = ("body", "keep", "remove")
_KEYS: Final = tuple(each.name for each in fields(SiteRules) if each.name not in ("site", "place"))


# ---- The file


def read_sites(path: str | Path) -> Sites:
    """Read a file of rules.

    Raises
    ------
    SitesError
        With every mistake that was found, each with file and line.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
        if len(data) > MAX_RULES_BYTES:
            raise SitesError(f"{path}: {len(data):,} bytes, allowed {MAX_RULES_BYTES:,}")
        text = data.decode()
        tables = tomllib.loads(text)
    except OSError as error:
        raise SitesError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        line = re.search(r"\(at line (\d+)", str(error))
        raise SitesError(f"{path}{':' + line[1] if line else ''}: no valid TOML: {error}") from error
    lines = _line_numbers(text)
    problems: list[str] = []
    found: dict[str, SiteRules] = {}
    for name, values in _flat(tables):
        site = name.strip().lower().removeprefix("www.")
        at = f"{path.name}:{lines.get((name, ''), 1)}"
        if not name:
            problems += [f"{path.name}:{lines.get(('', key), 1)}: {key}: is in no site's table" for key in values]
        elif host(f"https://{site}/") != site:
            problems.append(f"{at}: {name!r} is no domain, such as 'paper.example'")
        elif site in found:
            problems.append(f"{at}: {site} has a table already ({found[site].place})")
        else:
            options: dict[str, Any] = {}
            for key, value in values.items():
                place = f"{path.name}:{lines.get((name, key), lines.get((name, ''), 1))}"
                try:
                    options[key] = _option(key, value, place)
                except ValueError as error:
                    problems.append(f"{place}: {site}: {key}: {error}")
            found[site] = SiteRules(site=site, place=at, **{k: v for k, v in options.items() if k in _KEYS})
    if problems:
        raise SitesError("\n".join(problems))
    return Sites(found)


def _flat(table: Mapping[str, Any], name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each table with its name: `[paper.example]` without quotes is a table in a table, and meant the same."""
    own = {key: value for key, value in table.items() if not isinstance(value, dict)}
    if own:
        yield name, own
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.{key}" if name else key)


def _line_numbers(text: str) -> dict[tuple[str, str], int]:
    """Return the line of each key by table and key; that of the table's header by table and ""."""
    table, lines = "", {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line):
            table = ".".join(part.strip(" \"'") for part in header[1].split("."))
            lines[table, ""] = number
        elif key := _KEY.match(line):
            lines.setdefault((table, key[1]), number)
    return lines


def _option(key: str, value: Any, place: str) -> Any:
    """Return a key's value as a field of `SiteRules`; raise a ValueError that says what is allowed."""
    if key in _SELECTORS:
        return tuple(_rule(key, each, place) for each in _strings(value))
    if key in ("sections", "exclude"):
        paths = _strings(value)
        if wrong := [path for path in paths if not path.startswith(("/", "*"))]:
            raise ValueError(f"got {wrong[0]!r}, a path begins with '/'")
        return paths
    if key == "delay":
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 86_400:
            raise ValueError(f"got {value!r}, allowed are seconds from 0 to 86400")
        return float(value)
    if key == "language":
        if value not in ISO_639_1:
            raise ValueError(f"got {value!r}, allowed is a code of ISO 639-1, such as 'en'")
        return value
    if key == "extractor":
        try:
            create(*_strings(value))
        except (UnknownExtractor, TypeError, ValueError) as error:
            raise ValueError(str(error)) from error
        return value
    near = get_close_matches(key, _KEYS, 1)
    raise ValueError(f"is no key{f'; did you mean {near[0]!r}?' if near else ''} (allowed are {', '.join(_KEYS)})")


def _strings(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(each, str) and each.strip() for each in values):
        raise ValueError(f"got {value!r}, allowed is a string or a list of strings")
    return tuple(each.strip() for each in values)


def _is_xpath(expression: str) -> bool:
    return expression.startswith(("/", "./", "("))


def _rule(key: str, expression: str, place: str) -> Rule:
    """Return a selector that is known to be valid."""
    from cssselect import SelectorError
    from lxml import etree
    from parsel.csstranslator import HTMLTranslator

    try:
        if _is_xpath(expression):
            etree.XPath(expression)
        elif key in _MARKED and "::" in expression:
            raise ValueError(f"{expression!r} selects text; {key} takes elements")
        else:
            HTMLTranslator().css_to_xpath(expression)
    except (SelectorError, etree.XPathError) as error:
        kind = "XPath" if _is_xpath(expression) else "CSS"
        raise ValueError(f"{expression!r} is no valid {kind}: {error}") from error
    return Rule(key, expression, place)


# ---- A page


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """What a site's selectors have matched on one page.

    Attributes
    ----------
    rules : SiteRules
    html : str
        The page, in which each element that `body`, `keep` or `remove` has matched has the attribute `MARK`.
    title, date : str
        Text of the first match; "" without one.
    authors : tuple of str
        Texts of all matches.
    unmatched : tuple of Rule
        Keys of which no selector matched: the last one of each.
    """

    rules: SiteRules
    html: str
    title: str = ""
    date: str = ""
    authors: tuple[str, ...] = ()
    unmatched: tuple[Rule, ...] = ()


def match(rules: SiteRules, html: str) -> Matches:
    """Match a site's selectors against a page.

    Parameters
    ----------
    rules : SiteRules
    html : str
        The page, decoded.
    """
    import parsel
    from lxml.html import tostring

    page = parsel.Selector(guard(html.encode("utf-8", "replace")).decode("utf-8", "replace"), type="html")
    for forged in page.root.iterfind(f".//*[@{MARK}]"):
        del forged.attrib[MARK]
    matched = {
        key: _first_match(page, getattr(rules, key), all_of_them=key in ("keep", "remove")) for key in _SELECTORS
    }
    for key in _MARKED:  # an element that several keys match: removing wins, then keeping
        for each in matched[key]:
            if isinstance(each.root, str):
                continue
            each.root.set(MARK, key)
    texts = {key: tuple(filter(None, map(_text, matched[key]))) for key in ("title", "authors", "date")}
    return Matches(
        rules=rules,
        html=tostring(page.root.getroottree(), encoding="unicode") if any(matched[k] for k in _MARKED) else html,
        title=next(iter(texts["title"]), ""),
        date=next(iter(texts["date"]), ""),
        authors=texts["authors"],
        unmatched=tuple(getattr(rules, key)[-1] for key in _SELECTORS if getattr(rules, key) and not matched[key]),
    )


def _first_match(page: parsel.Selector, rules: tuple[Rule, ...], *, all_of_them: bool) -> list[parsel.Selector]:
    """Return the matches of the first selector that has any, or those of all selectors."""
    found: list[parsel.Selector] = []
    for rule in rules:
        found += rule.select(page)
        if found and not all_of_them:
            break
    return found


def _text(selected: parsel.Selector) -> str:
    """Return a match's text, white space folded: a string as it is, of `meta` and `time` the value for machines."""
    root = selected.root
    if not isinstance(root, str):
        machine = {"meta": "content", "time": "datetime"}.get(root.tag)
        root = (root.get(machine) if machine else None) or "".join(root.itertext())
    return " ".join(root.split())


def judged(matches: Matches, document: Document, judge: Callable[[Document], Extraction]) -> Extraction:
    """Return a page's extraction as the site's rules want it.

    Where `body` has matched, its shown text is kept, and no extractor is asked. Else an extractor judges, and what `keep` and
    `remove` have matched is kept or dropped whatever it says; `remove` wins.

    Parameters
    ----------
    matches : Matches
    document : Document
        Read from `matches.html`.
    judge : callable
        The extractor's way, asked at most once.
    """
    of_element = {i: a[MARK] for i, a in enumerate(document.elements.attributes) if MARK in a}
    label = _labels(document, of_element)
    shown = ~document.leaves.has(NOT_SHOWN)
    in_body = (label == "body") & shown
    if in_body.any():
        blocks = segment(document)
        nothing = np.zeros(len(blocks))
        found = Extraction(
            blocks,
            "rules",
            score=nothing,
            raw=nothing,
            kept=nothing > 0,
            why=["is not in the site's body"] * len(blocks),
        )
        label = np.where((label == "body") & ~shown, "", label)
    else:
        found = judge(document)
        label = np.where(label == "body", "", label)
    return _divided(found, label) if (label != "").any() else found


def _labels(document: Document, of_element: Mapping[int, str | None]) -> np.ndarray[Any, np.dtype[np.str_]]:
    """Return for each leaf the key of the innermost matched element around it; "" for none. Removed is removed below, too."""
    elements = document.elements
    label = np.full(len(document.leaves), "", dtype="<U6")
    for index, key in of_element.items():  # in document order: inner ones come later
        range_ = label[elements.first_leaf[index] : elements.end_leaf[index]]
        range_[range_ != "remove"] = key
    return label


def _divided(found: Extraction, label: np.ndarray[Any, np.dtype[np.str_]]) -> Extraction:
    """Divide an extraction's blocks where rules begin and end, and judge what has a label by it."""
    document, old = found.document, found.segmentation.of_unit
    around = document.leaves.boxes
    owner = np.append(found.segmentation.element, -1)[old]
    if found.unit is Unit.LINES:
        old = leaves_of_lines(document, np.arange(len(old)), old)
        owner = np.where(old >= 0, around, -1)
    owner = np.where((owner < 0) & np.isin(label, ("keep", "body")), around, owner)
    member = np.flatnonzero(owner >= 0)
    fresh = np.zeros(len(owner), dtype=np.bool_)
    fresh[member[1:]] = (old[member[1:]] != old[member[:-1]]) | (label[member[1:]] != label[member[:-1]])
    blocks = from_runs(document, owner.astype(np.int32), fresh=fresh)
    at, key = old[blocks.first], label[blocks.first]
    wanted, removed = (key == "keep") | (key == "body"), key == "remove"
    score = np.where(wanted, 1.0, np.where(removed, 0.0, np.append(found.score, 0.0)[at]))
    why = [f"rule {k}" if k else found.why[i] for i, k in zip(at.tolist(), key.tolist(), strict=True)]
    comments = None if found.comments is None else np.append(found.comments, False)[at]
    return Extraction(
        blocks,
        found.extractor,
        score=score,
        raw=np.append(found.raw, 0.0)[at],
        kept=wanted | (np.append(found.kept, False)[at] & ~removed),
        why=why,
        confidence=found.confidence,
        merges_duplicates=found.merges_duplicates,
        comments=comments,
    )


def with_values(metadata: Metadata, matches: Matches, document: Document) -> Metadata:
    """Return metadata in which the site's rules stand before what the page says of itself."""
    values: dict[str, Any] = {}
    language = (metadata.language_declared or "")[:2]
    if matches.title:
        values["title"] = matches.title
    names = unique([name for text in matches.authors for name in names_in(text, language=language, is_text=True)])
    if names:
        values["authors"] = tuple(names)
    if matches.date and (date := parse_date(matches.date, language=language, now=document.page.fetched_at)):
        values["published"] = date
    raw = {"title": matches.title, "authors": ", ".join(matches.authors), "published": matches.date}
    place = matches.rules.place.partition(":")[0]
    sources = {name: Source(name=place, raw=raw[name][:300]) for name in values}
    return replace(metadata, **values, sources={**metadata.sources, **sources}) if values else metadata
