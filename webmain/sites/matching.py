"""Apply a site's own rules to a page: match selectors, keep or drop blocks, set metadata values."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain.article.filters import check_language
from webmain.article.regions import REMOVED, leaves_of_lines
from webmain.extractors.base import NOT_SHOWN, Extraction, create
from webmain.html.blocks import Unit, from_runs, segment
from webmain.html.document import Document
from webmain.html.guard import guard
from webmain.items import Article, Source
from webmain.metadata.dates import parse_date
from webmain.metadata.names import names_in, unique
from webmain.sites import MATCHES
from webmain.sites.rules import MARKED, SiteRules, Sites, is_xpath

if TYPE_CHECKING:
    import parsel

    from webmain.extractors.base import Extractor

logger = logging.getLogger(__name__)

MARK: Final = "data-webmain-rule"  # attribute that marks elements matched by a rule in the page's markup
NOTHING: Final = "; nothing: "  # separator before the keys that matched nothing, in `sources["rules"]`


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The matches of a site's selectors on one page."""

    rules: SiteRules
    html: str  # the page, with the attribute `MARK` on each element matched by `body`, `keep` or `remove`
    # text of the first match; "" without one
    title: str = ""
    date: str = ""
    authors: tuple[str, ...] = ()  # texts of all matches
    unmatched: tuple[str, ...] = ()  # keys of which no selector matched

    @property
    def selects(self) -> bool:
        """Whether `body`, `keep` or `remove` matched anything."""
        return MARK in self.html


def match(rules: SiteRules, html: str) -> Matches:
    """Return the matches of a site's selectors on a decoded page."""
    import parsel
    from lxml.html import tostring

    page = parsel.Selector(guard(html.encode("utf-8", "replace")).decode("utf-8", "replace"), type="html")
    for forged in page.root.iterfind(f".//*[@{MARK}]"):
        del forged.attrib[MARK]
    matched = {key: _matches(page, key, selectors) for key, selectors in rules.selectors.items()}
    for key in MARKED:  # if several keys match an element, `remove` wins, then `keep`
        for each in matched.get(key, ()):
            each.root.set(MARK, key)
    texts = {key: tuple(filter(None, map(_text, matched.get(key, ())))) for key in ("title", "authors", "date")}
    return Matches(
        rules=rules,
        html=tostring(page.root.getroottree(), encoding="unicode") if any(map(matched.get, MARKED)) else html,
        title=next(iter(texts["title"]), ""),
        date=next(iter(texts["date"]), ""),
        authors=texts["authors"],
        unmatched=tuple(key for key, found in matched.items() if not found),
    )


def _matches(page: parsel.Selector, key: str, selectors: tuple[str, ...]) -> list[parsel.Selector]:
    """Return the matches of the first selector that has any; for `keep` and `remove`, those of all selectors.

    They are elements; for other keys than `MARKED` also texts. A selector that cannot be evaluated matches nothing.
    """
    from lxml.html import HtmlElement

    found: list[parsel.Selector] = []
    kinds = HtmlElement if key in MARKED else HtmlElement | str
    for each in selectors:
        try:
            selected = page.xpath(each) if is_xpath(each) else page.css(each)
        except (ValueError, TypeError, re.error) as error:  # `read_sites` finds most, but not what depends on the page
            _log_failure(key, each, str(error))
            continue
        found += [match for match in selected if isinstance(match.root, kinds)]
        if found and key not in ("keep", "remove"):
            break
    return found


@cache
def _log_failure(key: str, selector: str, error: str) -> None:
    """Log a selector that cannot be evaluated, once for each process."""
    logger.warning("the rule %s = %r cannot be evaluated, and matches nothing: %s", key, selector, error)


def _text(selected: parsel.Selector) -> str:
    """Return a match's text with white space folded; for `meta` and `time`, the machine-readable attribute."""
    root = selected.root
    if not isinstance(root, str):
        machine = {"meta": "content", "time": "datetime"}.get(root.tag)
        root = (root.get(machine) if machine else None) or "".join(root.itertext())
    return " ".join(root.split())


def under_rules(document: Document, sites: Sites) -> Document:
    """Return a page with its site's selectors matched; unchanged if the site has no rules.

    `matches_of` returns the matches, which are a view of the returned document.
    """
    rules = sites.of(document.url)
    if rules is None:
        return document
    with document.deadline:
        matches = match(rules, document.html) if rules.selectors else Matches(rules=rules, html=document.html)
        document.check_time()
    if matches.html is not document.html:
        kept = {name: getattr(document, name) for name in ("charset", "charset_source", "deadline")}
        document = Document(document.page, html=matches.html, **kept)
    document.views[MATCHES] = matches
    return document


def matches_of(document: Document) -> Matches | None:
    """Return the matches of a site's rules on a page; None for a page without rules."""
    matches: Matches | None = document.views.get(MATCHES)
    return matches


def extractor_of(document: Document, extractor: Extractor) -> Extractor:
    """Return the extractor named by the rules of a page's site, or else the given one."""
    matches = matches_of(document)
    return _created(matches.rules.extractor) if matches and matches.rules.extractor else extractor


@cache
def _created(spec: str) -> Extractor:
    return create(spec)


def judged(document: Document, judge: Callable[[], Extraction]) -> Extraction:
    """Return a page's extraction with the site's rules applied; the document is one that `under_rules` returned.

    If `body` matched, its shown text is kept and no extractor is called. Otherwise the extractor judges, and the
    matches of `keep` and `remove` are kept or dropped regardless of its verdict; `remove` wins.
    """
    matches = matches_of(document)
    if matches is None or not matches.selects:
        return judge()
    of_element = {i: a[MARK] for i, a in enumerate(document.elements.attributes) if MARK in a}
    removed = np.array([of_element.get(i) == "remove" for i in range(len(document.elements))], dtype=np.bool_)
    document.views[REMOVED] = document.elements.within(removed)
    label = _labels(document, of_element)
    shown = ~document.leaves.has(NOT_SHOWN)
    in_body = (label == "body") & shown
    if in_body.any():
        blocks = segment(document)
        nothing = np.zeros(len(blocks))
        why = ["is not in the site's body"] * len(blocks)
        found = Extraction(blocks, "rules", score=nothing, raw=nothing, kept=nothing > 0, why=why)
        label = np.where((label == "body") & ~shown, "", label)
    else:
        found = judge()
        label = np.where(label == "body", "", label)
    return _divided(found, label) if (label != "").any() else found


def _labels(document: Document, of_element: Mapping[int, str | None]) -> np.ndarray[Any, np.dtype[np.str_]]:
    """Return for each leaf the key of its innermost matched ancestor, "" for none; `remove` applies to all descendants."""
    elements = document.elements
    label = np.full(len(document.leaves), "", dtype="<U6")
    for index, key in of_element.items():  # in document order, so inner elements overwrite outer ones
        range_ = label[elements.first_leaf[index] : elements.end_leaf[index]]
        range_[range_ != "remove"] = key
    return label


def _divided(found: Extraction, label: np.ndarray[Any, np.dtype[np.str_]]) -> Extraction:
    """Split an extraction's blocks where rules begin and end, and judge labelled blocks by their label."""
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


def with_values(article: Article, document: Document) -> Article:
    """Return an article with the values that the site's rules matched replacing the page's own metadata.

    `sources["rules"]` lists the keys that matched and those that did not. Raises Rejected (`OTHER_LANGUAGE`) by the
    rules' `language`.
    """
    matches = matches_of(document)
    if matches is None:
        return article
    check_language(article, matches.rules.language)
    keys = matches.rules.selectors
    if not keys:
        return article
    missed = list(matches.unmatched)
    values: dict[str, Any] = {}
    language = (article.language_declared or article.language or "")[:2]
    if matches.title:
        values["title"] = matches.title
    if names := unique([name for text in matches.authors for name in names_in(text, language=language, is_text=True)]):
        values["authors"] = tuple(names)
    if matches.date:
        if date := parse_date(matches.date, language=language, now=document.page.fetched_at):
            values["published"] = date
        else:
            missed.append("date")
    raw = {"title": matches.title, "authors": ", ".join(matches.authors), "published": matches.date}
    place = matches.rules.place.partition(":")[0]
    sources = {name: Source(name=place, raw=raw[name][:300]) for name in values}
    matched = ", ".join(key for key in keys if key not in missed)
    sources["rules"] = Source(name=place, raw=matched + (f"{NOTHING}{', '.join(missed)}" if missed else ""))
    return replace(article, **values, sources={**article.sources, **sources})


def matched_keys(article: Article) -> dict[str, bool]:
    """Return the keys of the site's rules and whether each matched the article's page."""
    if "rules" not in article.sources:
        return {}
    matched, _, missed = article.sources["rules"].raw.partition(NOTHING)
    return {key: found for keys, found in ((matched, True), (missed, False)) for key in keys.split(", ") if key}
