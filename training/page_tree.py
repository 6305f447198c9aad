"""A gold page taken apart: its tree, and which of its elements hold the article."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lxml import etree
from lxml.html import HTMLParser
from selectolax.lexbor import LexborHTMLParser

from webmain.evaluation.records import GoldPage
from webmain.features.gold_labels import gold_content
from webmain.html.encoding import decode
from webmain.html.tree import BLOCK_TAGS

NEVER_TEXT: Final = frozenset("script style template title noembed iframe textarea select svg".split())
_NO_PLACE: Final = frozenset(
    "ul ol dl table tbody thead tfoot tr p a span font b i em strong center h1 h2 h3 h4 h5 h6 li dt dd".split()
)
"""Elements into which no box can be put: the parser would move it elsewhere, or nobody writes so."""
CONTAINER_SHARE: Final = 0.85
"""Least share of the article's characters that is in its container."""
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""What no XML tree can hold."""
_SLOT = re.compile('<x-slot id="(\\d+)"></x-slot>')

Element = Any
"""An element of lxml, as `lxml.html` extends them; its stubs know them as no type of their own."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of text and the block-level element around it."""

    owner: Element
    text: str


class EditablePage:
    """A gold page's tree with its article marked, ready to be changed."""

    def __init__(self, page: GoldPage) -> None:
        self.page = page
        self.gold = page.text or ""
        self.comments: list[str] = []
        self.root = read_html(page.html)  # without scripts' and style sheets' content
        body = self.root.find("body")
        self.body = self.root if body is None else body
        found = list(runs(self.body))
        marks = gold_content([run.text for run in found], self.gold)
        self.content = [run for run, mark in zip(found, marks, strict=True) if mark]
        # the innermost element that can hold boxes and holds nearly all of the article
        self.container = _container(self.body, self.content)
        self._slots: list[str] = []

    @property
    def found_share(self) -> float:
        """Share of the gold text's characters that the page shows; small where the gold is not this page's."""
        return sum(len(run.text) for run in self.content) / max(len(" ".join(self.gold.split())), 1)

    def slot(self, html: str) -> Element:
        """Return an element that is replaced by markup when the page is written."""
        self._slots.append(html)
        return etree.Element("x-slot", id=str(len(self._slots) - 1))

    def html(self) -> str:
        """Return the page's markup."""
        return _SLOT.sub(lambda match: self._slots[int(match[1])], write_html(self.root))


def read_html(html: str | bytes) -> Element:
    """Parse a page as browsers do, its scripts and style sheets emptied (but for JSON-LD)."""
    text = decode(html).text if isinstance(html, bytes) else html
    parsed = LexborHTMLParser(text.encode("utf-8", "replace"))
    for node in parsed.css("script, style"):
        if "json" not in (node.attributes.get("type") or ""):
            node.decompose()
    parser = HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    return etree.fromstring(_UNWRITABLE.sub("", parsed.html or "") or "<html><body></body></html>", parser)


def write_html(root: Element) -> str:
    """Return the markup of a tree."""
    return etree.tostring(root, encoding="unicode", method="html", doctype="<!DOCTYPE html>")


def runs(top: Element) -> Iterator[Run]:
    """Yield the runs of text below an element in document order: text between two borders of block-level elements."""
    owners: list[Element] = []
    current: Element | None = None
    parts: list[str] = []
    skipped = 0
    for event, element in etree.iterwalk(top, events=("start", "end")):
        block = element.tag in BLOCK_TAGS or element is top
        if event == "start":
            skipped += element.tag in NEVER_TEXT
            if block:
                owners.append(element)
            piece = element.text
        else:
            skipped -= element.tag in NEVER_TEXT
            if block:
                owners.pop()
            piece = element.tail if owners else None
        if element.tag == "br" or (block and parts):
            parts.append(" ")
        if skipped or not piece or not owners or (not piece.strip() and owners[-1] is not current):
            continue
        if owners[-1] is not current:
            if current is not None:
                yield Run(current, " ".join("".join(parts).split()))
            current, parts = owners[-1], []
        parts.append(piece)
    if current is not None:
        yield Run(current, " ".join("".join(parts).split()))


def _container(body: Element, content: Sequence[Run]) -> Element:
    held: Counter[Element] = Counter()
    for run in content:
        for element in (run.owner, *run.owner.iterancestors()):
            held[element] += len(run.text)
    least = CONTAINER_SHARE * sum(len(run.text) for run in content)
    fit = [e for e, chars in held.items() if chars >= least and e.tag not in _NO_PLACE and body in e.iterancestors()]
    return max(fit, key=lambda element: sum(1 for _ in element.iterancestors()), default=body)
