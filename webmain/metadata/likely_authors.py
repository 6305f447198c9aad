"""Names that are likely the authors', for pages that declare and show no byline."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from webmain.html.columns import Flag
from webmain.metadata.dates import plain
from webmain.metadata.head import element_text, letters
from webmain.metadata.names import (
    leads_to_author,
    looks_like_name,
    named_with_role,
    names_in,
    says_who_wrote,
    starts_byline,
    tidy,
    unique,
)
from webmain.regex import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webmain.metadata.reading import Reading

SHORT_LABEL = 14  # characters of a label like "Written by:" whose name is in the next element
_BEFORE, _AFTER = 8, 12
_LONGEST_SIGNATURE = 60
_MOST_LINKED = 2
_MOST_LABELS = 20
_LONGEST_USER = 30
_USER = lazy(r"(?:^|\s)(?:big)?user-?name(?:\s|$)", re.I)
_DIVIDED = lazy(r"\s[|·•–-]$")
_PARTED = lazy(r"(\s*,\s+|\s+[|·•–—-]\s+)")
_SPACE = lazy(r"\s")
YEAR = lazy(r"\b(?:19|20)\d\d\b")
_DAY = lazy(r"\b(?:(?:19|20)\d\d|\d{1,2}([./-])\d{1,2}\1\d\d)(?!\d)")


def likely_authors(reading: Reading) -> Iterator[tuple[list[str], str]]:
    """Yield names and their raw string from weaker evidence, strongest first, for pages that name no author otherwise.

    Near the headline: a link to an author's page, a name with a profession, a name next to a date. Anywhere, if the page has
    only one: a line such as "Written by", an element about the author.
    """
    document = reading.document
    linked = [(i, text) for i in document.anchors.tolist() if (text := _linked_author(reading, i))]
    near = unique(text for i, text in linked if reading.is_near(i))
    if 0 < len(near) <= _MOST_LINKED:
        yield near, ", ".join(near)
    leaves = document.leaves
    for i in reading.around_headline(_BEFORE, _AFTER):
        text = leaves.texts[i].strip(" ,|·–-")
        if len(text) > _LONGEST_SIGNATURE:
            continue
        after = leaves.texts[i + 1] if i + 1 < len(leaves) else ""
        names = named_with_role(text, language=reading.language)
        names = names or named_with_role(f"{text}, {after[:_LONGEST_SIGNATURE]}")
        names = names or ([text] if _is_beside_date(reading, i, text) else _with_date(reading, text))
        if names and not reading.is_outside(i):
            yield names, text
    yield from labelled_authors(reading)
    if len(names := unique(text for _, text in linked)) == 1:
        yield names, names[0]
    yield from _thread_starter(reading)


def labelled_authors(reading: Reading) -> Iterator[tuple[list[str], str]]:
    """Yield the only name, and its raw string, of lines such as "Written by", and of elements about the author."""
    for told in (_signed(reading), _boxed(reading)):
        if len(names := unique(told)) == 1:
            yield names, names[0]


def _thread_starter(reading: Reading) -> Iterator[tuple[list[str], str]]:
    """Yield the user who wrote the first post of a forum's thread, which is the first below the headline."""
    elements = reading.document.elements
    users = {called for called in set(elements.names) if _USER.search(called.classes)}
    called_so = (i for i in elements.with_text if elements.names[i] in users) if users else ()
    for i in islice(called_so, _MOST_LABELS):
        text = element_text(reading.document, i, limit=_LONGEST_USER + 1)
        is_below = elements.first_leaf[i] >= reading.headline_leaf and 1 < len(text) <= _LONGEST_USER
        if is_below and not reading.stands_aside(i) and not _is_in_comment(reading, i):
            yield [text], text
            return


def _linked_author(reading: Reading, anchor: int) -> str:
    """Return a link's text if it leads to an author's page and can be a name; "" otherwise."""
    if not leads_to_author(reading.document.elements.attributes[anchor].get("href") or ""):
        return ""
    text = element_text(reading.document, anchor, limit=80)
    is_name = _is_written_name(text) or _is_name_by_date(reading, anchor, text)
    return text if is_name and not reading.stands_aside(anchor) else ""


def _is_name_by_date(reading: Reading, anchor: int, text: str) -> bool:
    """Return True if a link near the headline can be a name in a script without capitals, and is next to a date."""
    if text.lower() != text.title() or not (looks_like_name(text) and tidy(text) == text and reading.is_near(anchor)):
        return False
    first, end = reading.document.elements.first_leaf[anchor], reading.document.elements.end_leaf[anchor]
    texts = reading.document.leaves.texts
    beside = (*texts[max(0, first - 1) : first], *texts[end : end + 1])
    return any(len(t) <= _LONGEST_SIGNATURE and YEAR.search(plain(t)) for t in beside)


def _is_written_name(text: str) -> bool:
    """Return True if a text is only a name, in a script with capitals; without capitals names look like other words."""
    return text.lower() != text != text.upper() and looks_like_name(text) and tidy(text) == text


def _is_beside_date(reading: Reading, leaf: int, text: str) -> bool:
    """Return True if a leaf's text is a name and one of the two leaves before or after it is a date.

    The page must show the name again, unless only a bar or a dash divides name and date: "Jane Roe | 5 May 2024".
    """
    leaves = reading.document.leaves
    if leaves.flags[leaf] & Flag.IN_ANCHOR or not _is_written_name(text):
        return False
    is_divided = bool(_DIVIDED.search(leaves.texts[leaf]))
    if not is_divided and reading.shown.count(text.casefold()) < 2:
        return False
    beside = leaves.texts[leaf + 1 : leaf + 2] if is_divided else leaves.texts[max(0, leaf - 2) : leaf + 3]
    longest = _LONGEST_SIGNATURE // (1 if is_divided else 2)
    own = letters(text)
    if own in letters(reading.document.title) or not any(len(t) <= longest and YEAR.search(t) for t in beside):
        return False
    return not (own in reading.link_labels or reading.called.holds(text)) or own in _author_labels(reading)


def _with_date(reading: Reading, text: str) -> list[str]:
    """Return the name in a line with only a date and a name: "Jane Roe | 5 May 2024", "5 May 2024 by Jane Roe".

    Before a date and a comma there may as well be a place.
    """
    dated = _DAY.search(text := plain(text))
    if not dated:
        return []
    after = (text[space.end() :] for space in _SPACE.finditer(text, dated.end()))
    if signed := next(filter(starts_byline, after), ""):
        return [name for name in names_in(signed, is_text=True) if _is_written_name(name) or name == name.swapcase()]
    told = _PARTED.split(text)
    parts = [part for part in told[::2] if _is_written_name(part)]
    if len(parts) != 1 or (text.startswith(parts[0]) and "," in told[1]):
        return []
    is_label = letters(parts[0]) in reading.link_labels or reading.called.holds(parts[0])
    return [] if is_label and letters(parts[0]) not in _author_labels(reading) else parts


def _author_labels(reading: Reading) -> set[str]:
    """Return the folded texts of links to authors' pages."""
    document, attributes = reading.document, reading.document.elements.attributes
    anchors = (i for i in document.anchors.tolist() if leads_to_author(attributes[i].get("href") or ""))
    return {letters(element_text(document, i, limit=80)) for i in islice(anchors, _MOST_LABELS)}


def _signed(reading: Reading) -> Iterator[str]:
    """Yield the names in lines anywhere that name the author: "Written by Jane Roe", "Author:" and the name."""
    leaves = reading.document.leaves
    for i, text in enumerate(leaves.texts):
        if len(text) > _LONGEST_SIGNATURE or not says_who_wrote(text):
            continue
        if len(text) < SHORT_LABEL and i + 1 < len(leaves) and len(leaves.texts[i + 1]) <= _LONGEST_SIGNATURE:
            text = f"{text} {leaves.texts[i + 1]}"
        if not reading.is_outside(i):
            yield from names_in(text, language=reading.language, is_text=True)[:1]


def _boxed(reading: Reading) -> Iterator[str]:
    """Yield the names in elements with an author's class anywhere outside readers' comments."""
    for i in reading.clues.bylines[:_AFTER]:
        text = element_text(reading.document, i, limit=80)
        if _is_written_name(text) and not reading.called.holds(text) and not _is_in_comment(reading, i):
            yield text


def _is_in_comment(reading: Reading, index: int) -> bool:
    """Return True if the class or id of an element or an ancestor names comments."""
    elements = reading.document.elements
    attributes = (elements.attributes[e] for e in elements.ancestors(index))
    return any("comment" in (each.get(name) or "").lower() for each in attributes for name in ("class", "id"))
