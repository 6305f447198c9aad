"""Proposes rules for a site from its corrections: CSS selectors that match only what was marked.

A selector is proposed if, on all corrected pages of the site, it matches no leaf of the other kind. Each change that it
would make on other pages is a `Change`, found by extracting the page with and without the rule. An accepted rule is added
to `sites.toml`, whose comments and format are kept; it is replaced only by a file that can be read.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from webmain.corrections.file import Correction
from webmain.extraction import Options, compose, judge, merge, read
from webmain.extractors.base import Extractor
from webmain.files import replaced_whole
from webmain.html.document import Document
from webmain.items import Page, Rejected
from webmain.sites.rules import SiteRules, Sites, SitesError, read_sites, site_of

MAX_PROPOSALS: Final = 10
MAX_PAGES: Final = 50
"""Most corrected pages of a site that are used, the latest ones."""

MAX_AROUND: Final = 3
"""Ancestors of what was marked that are tried, too."""

MAX_NAMES: Final = 6
"""Most ids and classes of one element that are tried."""

_NAME = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]{0,39}")
_MADE_UP = re.compile(r"\d{3}|[0-9a-f]{6}|^(?:css|sc|jsx|jss|svelte|emotion)-|__[A-Za-z0-9_-]{5,}$|[a-z][0-9][a-z]")
"""Generated names: they change from page to page, or with the next version of the site."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed line of `sites.toml`."""

    site: str
    key: str  # "remove" or "keep"
    css: str  # the selector
    n_marked: int  # parts that were marked so and that the selector covers
    n_pages: int  # the corrected pages they are on

    def added_to(self, sites: Sites) -> Sites:
        """Return the rules with this one added to those of its site."""
        own = sites.tables.get(self.site) or SiteRules(site=self.site, place="proposed")
        added: dict[str, Any] = {self.key: (*getattr(own, self.key), self.css)}
        return Sites({**sites.tables, self.site: replace(own, **added)})


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of a rule on a page: the blocks that its text would lose, and those that it would gain."""

    url: str | None
    lost: tuple[str, ...]
    gained: tuple[str, ...]


def propose(corrections: Iterable[Correction]) -> list[Proposal]:
    """Return rules for a site from the corrections of its pages: those that match most marked parts first."""
    pages = [page for one in islice(corrections, MAX_PAGES) if (page := _Corrected.of(one)) is not None]
    found: list[Proposal] = []
    for key, is_content in (("remove", False), ("keep", True)):
        marks = [(page, leaves) for page in pages for leaves in page.marks[is_content]]
        paths = dict.fromkeys(path for page, leaves in marks for path in page.paths(leaves, is_content=is_content))
        best: list[tuple[Proposal, frozenset[int]]] = []
        for path in paths:
            if not all(page.agrees(path, is_content=is_content) for page in pages):
                continue
            covered = frozenset(n for n, (page, leaves) in enumerate(marks) if page.covers(path, leaves))
            n_pages = len({id(marks[n][0]) for n in covered})
            best.append((Proposal(pages[0].site, key, " > ".join(path), len(covered), n_pages), covered))
        best.sort(key=lambda one: (-one[0].n_marked, _effort(one[0].css), one[0].css))
        proposed: set[int] = set()
        for proposal, covered in best:  # a longer selector for parts already matched adds nothing
            if not covered <= proposed:
                proposed |= covered
                found.append(proposal)
    return sorted(found, key=lambda one: -one.n_marked)[:MAX_PROPOSALS]


def _effort(css: str) -> tuple[int, int]:
    """Return the sort key of a selector's complexity: its steps, whether it names a class or an id, its length."""
    return css.count(">") + (not ("." in css or "#" in css)) * 2, len(css)


@dataclass(slots=True, eq=False)
class _Corrected:
    """A corrected page, parsed again: its leaves that are content, and what was marked."""

    site: str
    document: Document
    content: NDArray[np.bool_]
    marks: dict[bool, list[tuple[int, ...]]]
    _n_content: NDArray[np.int64] = field(init=False)
    _elements: dict[str, list[int]] = field(init=False, default_factory=dict)  # by simple selector

    def __post_init__(self) -> None:
        self._n_content = np.concatenate(([0], np.cumsum(self.content, dtype=np.int64)))
        elements = self.document.elements
        for i, (tag, own) in enumerate(zip(elements.tags, elements.attributes, strict=True)):
            for selector in _simple_selectors(tag, own.get("id"), set((own.get("class") or "").split())):
                self._elements.setdefault(selector, []).append(i)

    @classmethod
    def of(cls, one: Correction) -> _Corrected | None:
        """Return the parsed page of a correction, or None if its leaves no longer fit or it has none."""
        try:
            document = read(Page(url=one.url, html=one.html))
            n = len(document.leaves)
        except Rejected:
            return None
        marks: dict[bool, list[tuple[int, ...]]] = {True: [], False: []}
        for mark in one.marked:
            if mark.leaves:
                marks[mark.content].append(mark.leaves)
        if not one.leaves or max(chain(one.leaves, *marks[True], *marks[False])) >= n:
            return None
        content = np.zeros(n, dtype=np.bool_)
        content[list(one.leaves)] = True
        return cls(one.domain, document, content, marks)

    def paths(self, leaves: Sequence[int], *, is_content: bool) -> Iterator[tuple[str, ...]]:
        """Yield selectors, one or two steps each, of an element around some leaves, with nothing of the other kind."""
        elements = self.document.elements
        element = self.document.leaves.element[leaves[0]]
        tried = 0
        for each in elements.ancestors(element):
            first, end = elements.first_leaf[each], elements.end_leaf[each]
            if first > leaves[0] or end <= leaves[-1]:
                continue
            if not self._is_of_one_kind(each, is_content=is_content):
                return
            for step in self._steps(each):
                yield (step,)
                parent = elements.parent[each]
                yield from ((around, step) for around in self._steps(parent) if "." in around or "#" in around)
            tried += 1
            if tried > MAX_AROUND:
                return

    def _steps(self, element: int) -> Iterable[str]:
        """Return the simple selectors of an element that are likely to last; none for the page as a whole."""
        elements = self.document.elements
        if element < 0 or elements.tags[element] in ("html", "body"):
            return ()
        own = elements.attributes[element]
        name, classes = own.get("id") or "", filter(_is_stable, (own.get("class") or "").split())
        return _simple_selectors(elements.tags[element], name if _is_stable(name) else "", islice(classes, MAX_NAMES))

    def matches(self, path: tuple[str, ...]) -> list[int]:
        """Return the elements that a selector matches."""
        *around, last = path
        found, parent = self._elements.get(last, []), self.document.elements.parent
        for step in around:
            parents = set(self._elements.get(step, ()))
            found = [each for each in found if parent[each] in parents]
        return found

    def agrees(self, path: tuple[str, ...], *, is_content: bool) -> bool:
        """Return True if everything that a selector matches is of one kind."""
        return all(self._is_of_one_kind(each, is_content=is_content) for each in self.matches(path))

    def _is_of_one_kind(self, element: int, *, is_content: bool) -> bool:
        elements = self.document.elements
        first, end = elements.first_leaf[element], elements.end_leaf[element]
        return int(self._n_content[end] - self._n_content[first]) == (end - first if is_content else 0)

    def covers(self, path: tuple[str, ...], leaves: Sequence[int]) -> bool:
        """Return True if one of the elements that a selector matches contains all of the given leaves."""
        first, end = self.document.elements.first_leaf, self.document.elements.end_leaf
        return any(first[each] <= leaves[0] and leaves[-1] < end[each] for each in self.matches(path))


def _simple_selectors(tag: str, name: str | None, classes: Iterable[str]) -> Iterator[str]:
    """Yield the ways to select an element: its id, its classes, its tag alone."""
    if name:
        yield f"#{name}"
    for each in classes:
        yield f".{each}"
        yield f"{tag}.{each}"
    yield tag


def _is_stable(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not _MADE_UP.search(name)


def changes(
    proposal: Proposal, pages: Iterable[Page], extractor: Extractor, options: Options | None = None
) -> Iterator[Change]:
    """Yield what a rule would change on pages of its site; pages without an article in either case are left out."""
    options = options or Options()
    before = options.sites or Sites()
    for page in pages:
        old, new = (_blocks(page, extractor, sites) for sites in (before, proposal.added_to(before)))
        if old is None or new is None:
            continue
        yield Change(
            url=page.url,
            lost=tuple(text for text in old if text not in set(new)),
            gained=tuple(text for text in new if text not in set(old)),
        )


def _blocks(page: Page, extractor: Extractor, sites: Sites) -> list[str] | None:
    from webmain.sites.matching import extractor_of

    try:
        document = read(page, Options(sites=sites))
        judged = merge(judge(document, extractor_of(document, extractor)))
        return [block.text for block in compose(judged, metadata=False).blocks]
    except Rejected:
        return None


def accept(proposal: Proposal, path: str | Path) -> None:
    """Add a rule to a file of rules; the previous file is kept beside it with the suffix `.bak`.

    Raises SitesError if the file cannot be used as it is, or the rule cannot be added to the site's table, and it was left
    so; or tomlkit is not installed. Raises OSError if the system refuses.
    """
    try:
        import tomlkit
    except ImportError:
        raise SitesError("writing rules needs tomlkit: pip install 'webmain[web]'") from None
    path = Path(path)
    if path.exists():
        read_sites(path)
        document = tomlkit.parse(path.read_text(encoding="utf-8-sig"))
    else:
        document = tomlkit.document()
    if (table := _table_of(proposal.site, document)) is None:
        table = document[proposal.site] = tomlkit.table()
    given = table.get(proposal.key)
    known = [given] if isinstance(given, str) else list(given or ())
    if proposal.css in known:
        return
    if isinstance(given, list):
        given.append(proposal.css)
    else:
        table[proposal.key] = [*known, proposal.css]
    with replaced_whole(path) as part:
        part.write_text(tomlkit.dumps(document), encoding="utf-8")
        try:
            is_added = proposal.css in getattr(read_sites(part).tables[proposal.site], proposal.key)
        except (SitesError, KeyError):
            is_added = False
        if not is_added:
            name = f'["{proposal.site}"]'
            raise SitesError(
                f"{path}: the rule cannot be added to the site's table as it is written; begin it with {name}"
            )
        if path.exists():
            shutil.copy2(path, path.with_name(path.name + ".bak"))


def _table_of(site: str, tables: Mapping[str, Any], name: str = "") -> Any:
    """Return a site's table in a file of rules, also one without quotes, which is nested; None if there is none."""
    for key, value in tables.items():
        if isinstance(value, dict):
            full = f"{name}.{key}" if name else key
            found = value if site_of(full) == site else _table_of(site, value, full)
            if found is not None:
                return found
    return None
