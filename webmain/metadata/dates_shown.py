"""Find dates shown to readers, in order of trust: near the headline, with a label, or the only ones of the page.

Also ages: "54 hours ago", "vor 3 Stunden", "2 วันที่แล้ว".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache, cached_property
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from webmain import languages
from webmain.html.columns import Flag
from webmain.metadata.dates import plain
from webmain.metadata.head import BY_READERS, element_text, is_aside, stands_aside
from webmain.metadata.names import BAR
from webmain.regex import lazy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webmain.html.document import Document
    from webmain.metadata.reading import Reading

_BEFORE, _AFTER = 20, 40
"""Numbers of leaves before and after the headline that are searched for dates."""

_BESIDE: Final = (8, 16)
"""Leaves before and after the headline among which a small element belongs to the article whatever its class."""

_UNMARKED = 6
_MAX_LABEL_CHARS = 30
_BOX_LEAVES = 8
_NEVER_OWN = ("blockquote", *BY_READERS)
_MAX_LINES = 60
_MAX_PIECES = 8
_MAX_PIECE_CHARS = 12
_MAX_LINE_CHARS = 120
_MAX_SCRIPT_BYTES = 1_000_000
_OUTSIDE: Final = int(Flag.IN_CONTROL | Flag.EMBEDDED)
_IN_ANCHOR: Final = int(Flag.IN_ANCHOR)
_ATTRIBUTES = "datetime content title data-utime data-date data-time data-timestamp data-datetime".split()
MAX_AGO_CHARS: Final = 60
_SHORT_NUMBER = lazy(r"(?<!\d)\d{1,3}(?!\d)")
_UNITS: Final = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1))
"""Weeks and months are too inexact for a date."""
_IN_SCRIPTS = lazy(
    rb"pub(?:lished(?:_?(?:date|time|at|on))?|lish_?(?:date|time|at|on)|lication_?date|_?date)"
    rb"(?:[\\\"']|&quot;){0,4}\s{0,3}[:=]\s{0,3}(?:[\\\"']|&quot;){1,4}([^\\\"'&<>]{8,40})"
)
"""A publication date in data for scripts, in lower case."""


def _first_word(text: str, of: str) -> int:
    """Return the position of the first cue word for publication ("published") or change ("updated"); -1 if none."""
    places = [text.find(word) for word in languages.known().words(f"dates.{of}") if word in text]
    return min(places, default=-1)


def first_cue(text: str) -> int:
    """Return the position of the first cue word for publication or change; the text's length if there is none."""
    places = (_first_word(text.lower(), of) for of in ("published", "updated"))
    return min((place for place in places if place >= 0), default=len(text))


def of_publication(text: str, label: str = "") -> str:
    """Return the part of a text about the publication; "" if all of it is about a change.

    Parameters
    ----------
    text : str
        Short: "6 May 2024 (updated 9 May 2024)".
    label : str
        The text directly before it.
    """
    whole = f"{label} {text}"
    folded = whole.lower()
    changed = _first_word(folded, "updated")
    if changed < 0:
        return text
    said = _first_word(folded, "published")
    if said < 0:
        return whole[:changed] if sum(map(str.isdigit, whole[:changed])) > 2 else ""
    return whole[said:changed] if said < changed else whole[said:]


def of_change(text: str, label: str = "") -> str:
    """Return the part of a text about a change; "" if there is none."""
    whole = f"{label} {text}"
    folded = whole.lower()
    changed = _first_word(folded, "updated")
    if changed < 0:
        return ""
    said = _first_word(folded[changed:], "published")
    return whole[changed : changed + said if said > 0 else None]


def is_of_change(words: str) -> bool:
    """Return True if class names mention a change and not the publication as well."""
    folded = words.lower()
    return _first_word(folded, "updated") >= 0 > _first_word(folded, "published")


@dataclass(frozen=True, eq=False)
class ShownDates:
    """Strings shown on a page that may be dates; each property is computed once."""

    reading: Reading
    _asides: dict[int, bool] = field(default_factory=dict)

    def label_of(self, element: int) -> str:
        """Return the short text directly before an element."""
        return self._label(self.reading.document.elements.first_leaf[element])

    def _label(self, leaf: int) -> str:
        text = self.reading.document.leaves.texts[leaf - 1] if leaf > 0 else ""
        return text if len(text) <= _MAX_LABEL_CHARS and not _DIGIT.search(text) else ""

    def stands_aside(self, element: int) -> bool:
        """Return True if a date's element is in a part about other pages or by other people, or in a quotation.

        Near the headline, small elements and elements with much of the page's text don't count as such parts.
        """
        document = self.reading.document
        is_beside = document.elements.first_leaf[element] in self.reading.around_headline(*_BESIDE)

        def is_apart(document: Document, index: int) -> bool:
            if index not in self._asides:
                self._asides[index] = document.elements.tags[index] == "blockquote" or is_aside(document, index)
            return self._asides[index] and not (is_beside and self._is_own(index))

        return stands_aside(document, element, headline_leaf=self.reading.headline_leaf, is_apart=is_apart)

    def _is_own(self, box: int) -> bool:
        """Return True if an element isn't a comment and has much of the page, or little and no other article's title."""
        leaves, elements = self.reading.document.leaves, self.reading.document.elements
        inside = range(elements.first_leaf[box], elements.end_leaf[box])
        name = f"{elements.tags[box]} {elements.attributes[box].get('class')} {elements.attributes[box].get('id')}"
        if elements.tags[elements.parent[box]] == "body" or any(w in name.lower() for w in _NEVER_OWN):
            return False
        if len(inside) > _BOX_LEAVES:
            return len(inside) > len(leaves) // 3
        return not any(leaves.flags[i] & _IN_ANCHOR and len(leaves.texts[i]) > _MAX_LABEL_CHARS for i in inside)

    def in_view(self, elements: list[int]) -> list[int]:
        """Return elements ordered by distance from the headline, without those in parts about other pages."""
        return self.reading.in_view(elements, self.stands_aside)

    def is_close(self, element: int) -> bool:
        """Return True if an element is near the headline; before it, only if too near to be the page's clock."""
        first = self.reading.document.elements.first_leaf
        return self.reading.is_near(element) and first[element] - self.reading.headline_leaf in range(-8, 100)

    def names(self, day: date) -> bool:
        """Return True if a short line near the headline has a day's number and year: a cheap check."""
        number, year = re.compile(rf"(?<!\d)0?{day.day}(?!\d)"), f"{day:%y}"
        texts = self.reading.document.leaves.texts
        return any(
            year in (text := texts[i])
            and len(text) <= _MAX_LINE_CHARS
            and number.search(text)
            and of_publication(text, self._label(i))
            for i in self.reading.around_headline(*_BESIDE)
        )

    def near(self, far: int = 3 * _AFTER) -> list[tuple[str, str]]:
        """Return source and string of possible publication dates near the headline, nearest first, up to a distance.

        Strings not marked as dates count as farther.
        """
        first = self.reading.document.elements.first_leaf
        found: list[tuple[int, tuple[str, str]]] = []
        for i in self.reading.clues.dated[:60]:
            away = self.reading.far(first[i])
            if away <= far and self.reading.is_near(i) and not self.stands_aside(i):
                found += [(away, ("date", text)) for text in self._texts_of_date(i)]
        for leaf, text in self._lines_near(far - _UNMARKED):
            if said := of_publication(text, self._label(leaf)):
                found.append((self.reading.far(leaf) + _UNMARKED, ("byline", said)))
        return [shown for _, shown in sorted(found, key=itemgetter(0))]

    def _lines_near(self, far: int) -> Iterator[tuple[int, str]]:
        around = self.reading.around_headline(min(far // 3, _BEFORE), min(far, _AFTER))
        return self._lines(around, _MAX_LINE_CHARS)

    def changes(self) -> Iterator[str]:
        """Yield strings shown near the headline that are about a change."""
        yield from (said for leaf, text in self._lines_near(3 * _AFTER) if (said := of_change(text, self._label(leaf))))

    def ages(self) -> Iterator[str]:
        """Yield short texts with a number beside the headline that are not about a change: "54 hours ago"."""
        columns = self.reading.document.leaves
        for i in self.reading.around_headline(*_BESIDE):
            text, flags = columns.texts[i], columns.flags[i]
            if len(text) > MAX_AGO_CHARS or flags & (_OUTSIDE | _IN_ANCHOR) or not any(map(str.isdigit, text)):
                continue
            if (said := of_publication(text, self._label(i))) and not self.stands_aside(columns.element[i]):
                yield said

    def datelines(self) -> Iterator[str]:
        """Yield the dates of datelines after the headline: "LONDON, Nov. 22, 2026 (Reuters) - "."""
        texts = self.reading.document.leaves.texts
        for i in self.reading.around_headline(-1, _BESIDE[1]):
            if match := _DATELINE.match(texts[i][:120]):
                yield match[1]

    def elsewhere(self) -> Iterator[str]:
        """Yield strings marked as dates far from the headline, in document order."""
        for i in self.reading.clues.dated[:60]:
            if not self.reading.is_near(i) and not self.stands_aside(i):
                yield from self._texts_of_date(i)

    def _texts_of_date(self, element: int) -> list[str]:
        """Return the publication date strings of an element marked as a date: its text and attributes."""
        attributes = self.reading.document.elements.attributes[element]
        text = element_text(self.reading.document, element, limit=160)
        said = of_publication(text, self.label_of(element))
        if text and not said:
            return []
        return [t for t in (*(attributes.get(name) for name in _ATTRIBUTES), said) if t]

    def labelled(self) -> Iterator[str]:
        """Yield short lines anywhere that label a date as that of publication."""
        for leaf, text in self._all_lines:
            label = self._label(leaf)
            if _first_word(f"{label} {text}".lower(), "published") >= 0 and (said := of_publication(text, label)):
                yield said

    def lines(self) -> Iterator[str]:
        """Yield lines anywhere that may be dates with little else."""
        return (text for _, text in self._all_lines)

    @cached_property
    def _all_lines(self) -> list[tuple[int, str]]:
        return list(islice(self._lines(range(min(len(self.reading.document.leaves), 5000)), 100), _MAX_LINES))

    def _lines(self, leaves: Iterable[int], limit: int) -> Iterator[tuple[int, str]]:
        """Yield the lines among some leaves that may be a date with little else, outside parts about other pages."""
        columns = self.reading.document.leaves
        for i in leaves:
            text = columns.texts[i]
            if len(text) <= _MAX_PIECE_CHARS and columns.breaks[i]:
                text = self._line_from(i)
            if (
                5 < len(text) <= limit
                and is_mostly_date(text)
                and not columns.flags[i] & _OUTSIDE
                and not self.stands_aside(columns.element[i])
            ):
                yield i, text

    def _line_from(self, leaf: int) -> str:
        """Return the line of a few short pieces that begins with a leaf, or else the leaf: "<b>3</b> <i>Sep</i> 2026"."""
        texts, breaks = self.reading.document.leaves.texts, self.reading.document.leaves.breaks
        end = leaf + 1
        while end < min(len(texts), leaf + _MAX_PIECES) and not breaks[end] and len(texts[end]) <= _MAX_PIECE_CHARS:
            end += 1
        is_whole = end == len(texts) or breaks[end]
        return " ".join(texts[leaf:end]).replace(" ,", ",") if is_whole else texts[leaf]

    def in_scripts(self) -> Iterator[str]:
        """Yield publication dates anywhere in the page's data for scripts."""
        source = self.reading.document.source[:_MAX_SCRIPT_BYTES].lower()
        found = islice(_IN_SCRIPTS.finditer(source), _MAX_LINES)
        yield from (match[1].decode("utf-8", "replace").upper() for match in found)


_DIGIT = lazy(r"\d")
_DATELINE = lazy(
    r"[^\W\d_][^\d,]{1,30}(?:, [^\d,]{2,20})?,\s+([^()/]{3,16}\b(?:19|20)\d\d)\s*(?:[(/][^()/]{2,30}[)/]\s*)?(?:--?|[–—])\s"
)


def is_mostly_date(text: str) -> bool:
    """Return True if a line, or a part between bars, may be a date with little else: it has digits for day and year."""
    n_digits = len(_DIGIT.findall(plain(text) if "年" in text else text))
    most = 14 + 6 * n_digits
    if n_digits <= 2 or len(text) <= most or len(plain(text)) <= most:
        return n_digits > 2
    parts = BAR.split(text)
    return len(parts) > 1 and any(map(is_mostly_date, parts))


def read_ago(text: str, language: str, now: datetime) -> datetime | None:
    """Return when something was, by a short text that says how long ago; None if it does not.

    Parameters
    ----------
    text : str
        At most `MAX_AGO_CHARS` characters.
    language : str
        The page's language; English is read as well.
    now : datetime
        When the page was fetched, time-zone aware.

    Returns
    -------
    datetime or None
        With the precision of the text: a whole minute, a whole hour, or midnight.
    """
    folded = plain(text[: MAX_AGO_CHARS + 1]).casefold()
    numbers = _SHORT_NUMBER.findall(folded)
    if not numbers or len(text) > MAX_AGO_CHARS:
        return None
    for code in dict.fromkeys((language[:2], "en")):
        pattern, units = _ages(code)
        if found := pattern.search(numbered := _SHORT_NUMBER.sub("#", folded)):
            unit = units[found.group()]
            value = now - int(numbers[numbered.count("#", 0, found.end()) - 1]) * unit
            return value.replace(
                hour=0 if unit == _UNITS[2] else value.hour,
                minute=0 if unit != _UNITS[0] else value.minute,
                second=0,
                microsecond=0,
            )
    return None


@cache
def _ages(code: str) -> tuple[re.Pattern[str], dict[str, timedelta]]:
    """Return a pattern of the texts of a language that say how long ago something was, and the unit of each text."""
    words = languages.known().words
    stems = words("changing.units", code)
    units: dict[str, timedelta] = {}
    for text in words("changing.ago", code):
        for unit, stem in zip(_UNITS, stems, strict=False):
            if "#" in text and re.search(rf"(?<![^\W\d_])(?:{stem})", text.casefold()):
                units.setdefault(plain(text).casefold(), unit)
    texts = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W_])(?:{texts})(?!\w)" if texts else r"(?!)"), units
