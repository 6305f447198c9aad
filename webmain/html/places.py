"""What the tags above a piece of text say of it: heading, list item, quote, cell, caption, code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from webmain.items import Kind

if TYPE_CHECKING:
    from webmain.html.tree import Elements

HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
CELLS = frozenset({"td", "th"})
CODE = frozenset({"pre", "listing", "xmp"})
_PARAGRAPH, _HEADING = Kind.PARAGRAPH, Kind.HEADING
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_KINDS = {
    **dict.fromkeys(CODE, Kind.CODE),
    **dict.fromkeys(("figcaption", "caption"), Kind.CAPTION),
    **dict.fromkeys(("li", "dt", "dd"), Kind.LIST_ITEM),
    "blockquote": Kind.QUOTE,
}

NO_ROLE, RUBY, RAISED, QUOTED, LINE_NUMBER = range(5)
"""What an inline element does with its text: nothing, reading aid, superscript, quotation marks, a number beside code."""

ROLES = {"rt": RUBY, "rp": RUBY, "rtc": RUBY, "sup": RAISED, "q": QUOTED}
_PLAIN = frozenset("a b strong i em u html body".split())
"""Elements whose class tells nothing of what their text is."""

_TELLING = frozenset({*HEADINGS, *_LISTS, *CELLS, *_KINDS, *ROLES, "table", "tr"})

MAX_CLASS_CHARS = 400
"""Longer class attributes are not looked into."""

MAX_NAMED_LEAVES = 16
"""A box with more runs of text is no caption or pulled quote, whatever its class says."""

_CAPTION = re.compile(
    r"(?:^|\s)(?!(?:has|no|with|without|hide|show)[_-])"
    r"[\w-]*?caption(?:[_-]{0,2}(?:text|body|content|inner|title|description|credit))?(?=\s|$)"
)
_LINE_NUMBERS = re.compile(r"(?:^|[\s_-])(?:line-?numbers?|lineno|linenos|line-numbers-rows|gutter)(?=[\s_-]|$)")
_PULLED_QUOTE = re.compile(r"(?:^|\s)(?:[\w-]*-)?(?:pull-?quote|block-?quote)(?=\s|$)")


class Place(NamedTuple):
    """What an element and those above it say of the text in it; indices of elements, -1 for none."""

    kind: Kind = Kind.PARAGRAPH
    level: int = 0  # of a heading
    ordered: bool = False
    n_lists: int = 0
    outer_list: int = -1
    item: int = -1  # innermost li, dt, dd
    quote: int = -1
    code: int = -1
    table: int = -1  # innermost table
    row: int = -1  # its row and cell that the text stands in
    cell: int = -1
    role: int = NO_ROLE


class Places:
    """Reads places of elements; what is found is remembered for all elements passed on the way up."""

    def __init__(self, elements: Elements) -> None:
        self._elements = elements
        self._known: dict[int, Place] = {-1: Place()}
        self._of_class: dict[str, Kind | int | None] = {}

    def of(self, element: int) -> Place:
        """Return an element's place."""
        known, elements = self._known, self._elements
        if element in known:
            return known[element]
        tags, parent, attributes_of = elements.tags, elements.parent, elements.attributes
        passed = []
        while element not in known:
            passed.append(element)
            element = parent[element]
        place = known[element]
        of_class = self._of_class
        for index in reversed(passed):
            if tags[index] in _TELLING:
                place = _within(place, tags[index], index)
            if tags[index] not in _PLAIN and (attributes := attributes_of[index]):
                name = attributes.get("class")
                if name and (of_class[name] if name in of_class else self._read_class(name)) is not None:
                    place = self._named(place, of_class[name], index)
                if attributes.get("role") == "heading" and place.kind is not _HEADING:
                    level = attributes.get("aria-level") or "2"
                    place = place._replace(kind=Kind.HEADING, level=int(level) if level in "123456" else 2)
            known[index] = place
        return place

    def _read_class(self, name: str) -> Kind | int | None:
        """Tell what a class attribute says of the text; what is found is remembered."""
        found: Kind | int | None = None
        if len(name) <= MAX_CLASS_CHARS:
            lower = name.lower()
            if "caption" in lower and _CAPTION.search(lower):
                found = Kind.CAPTION
            elif "quote" in lower and _PULLED_QUOTE.search(lower):
                found = Kind.QUOTE
            elif ("line" in lower or "gutter" in lower) and _LINE_NUMBERS.search(lower):
                found = LINE_NUMBER
        self._of_class[name] = found
        return found

    def _named(self, place: Place, found: Kind | int | None, index: int) -> Place:
        """Return the place inside an element whose class tells something."""
        elements = self._elements
        if found == LINE_NUMBER:
            in_code = place.code >= 0 or place.table >= 0
            return (
                place._replace(role=LINE_NUMBER) if in_code and elements.tags[index] not in ("table", "pre") else place
            )
        if place.kind is not _PARAGRAPH or elements.end_leaf[index] - elements.first_leaf[index] > MAX_NAMED_LEAVES:
            return place
        return (
            place._replace(kind=Kind.QUOTE, quote=index) if found is Kind.QUOTE else place._replace(kind=Kind.CAPTION)
        )


def is_caption(name: str | None, known: dict[str, bool]) -> bool:
    """Tell whether a class attribute names a caption; what is found is remembered in `known`."""
    if not name:
        return False
    if name not in known:
        lower = name.lower()
        known[name] = "caption" in lower and len(name) <= MAX_CLASS_CHARS and _CAPTION.search(lower) is not None
    return known[name]


def _within(place: Place, tag: str, index: int) -> Place:
    """Return the place inside an element, given the place outside."""
    kind, level, ordered, n_lists, outer_list, item, quote, code, table, row, cell, role = place
    if tag in HEADINGS:
        kind, level = _HEADING, HEADINGS[tag]
    elif tag in _LISTS:
        n_lists, ordered = n_lists + 1, tag == "ol"
        outer_list = outer_list if outer_list >= 0 else index
    elif tag == "table":
        table, row, cell = index, -1, -1
    elif tag == "tr":
        row = index
    elif tag in CELLS:
        cell = index
    elif tag in ROLES:
        role = ROLES[tag]
    else:
        if kind is not _HEADING:
            kind = _KINDS[tag]
        if tag in ("li", "dt", "dd"):
            item, n_lists = index, n_lists + (tag == "dd")
        elif tag == "blockquote":
            quote = index
        elif tag in CODE and code < 0:
            code = index
    return Place(kind, level, ordered, n_lists, outer_list, item, quote, code, table, row, cell, role)
