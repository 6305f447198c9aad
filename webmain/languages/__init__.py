"""Words of natural languages, one TOML file a language beside this module; adding a language is adding a file.

`python tests/languages/test_languages.py` then makes the one file anew that is read. A file is named after the language's
ISO 639 code. All of it is optional; entries of lists are regular expressions, mostly plain words; a string is a list of the
words in it, or of the phrases between its semicolons.

=================================  ===================================================================================
`months`                           twelve strings, the names of each month: lower case, no full stops, no inner spaces
`months_here`                      the same for names that are another month elsewhere: for pages in this language only
`also`                             further codes of the language
`quotes`                           quotation marks: opening, closing, and those inside a quotation
`read_more`                        beginnings of lines that lead to another article
`ads`                              whole texts of labels above advertisements, in lower case
`disclosures`                      parts of notes that links earn money, in lower case and in order, with … between them
`missing`                          whole titles of pages that say that a page does not exist, in lower case
`ratings`                          parts of lines that show or ask for ratings, or lead to a recipe; lower case, as the next
`nutrients`                        beginnings of headings of a recipe's nutrients
`senders`, `about`                 whole headings of words for the press; what is before a sender's name ("About ")
`retitled`                         beginnings of lines with the title that an article had elsewhere
`next_page`                        whole texts of links to the next page
`comments`                         parts of titles of feeds that hold comments
`divided`                          words that the segmenter of Thai divides in another place, with a space in the right one
`elision`                          words that lose their last vowel before an apostrophe
`dates.at`, `dates.o_clock`        before and behind a time: "at", "Uhr"
`dates.of`, `dates.ordinals`       between day and month, and right behind the day: "de", "st"
`dates.year_after`, `.year_marks`  before the year and right behind it
`dates.clock_marks`, `.month_ends` between hour and minute; second words of names of months
`dates.until`                      between two days
`dates.weekdays`                   their names, between a date and a time
`dates.published`, `.updated`      parts of words beside a date of publication, or of change: plain, in lower case
`dates.year_first`                 not empty if 26-11-25 and the like begin with the year
`dates.solar_months`               twelve strings, the names of each month of the Solar Hijri calendar with | between them
`dates.ethiopian_months`           thirteen strings, those of the Ethiopian calendar
`dates.nepali_months`              twelve strings, those of Nepal's calendar, Bikram Sambat
`dates.mornings`, `.afternoons`    beside a time of twelve hours: "a.m." and "p.m."; `.minute_marks` behind the minute
`dates.patterns`, `dates.eras`     whole dates, with groups `year`, `month`, `day`; eras with the year before their first
`bylines.verbs`, `bylines.by`      "written", "by": what is before a name
`bylines.labels`, `.patterns`      before a colon and a name; other beginnings of bylines
`bylines.signatures`               texts with names between other words, as a group `names`, or `name` if it has spaces
`bylines.and`, `.and_here`         between names; `and_here` divides names on pages in this language only; `.and_patterns`
`bylines.after_name`               what follows a name and is no part of it
`bylines.edited_by`, `.buttons`    beginnings of what is no author's name
`bylines.roles`, `.roles_after`    professions; those written right behind a name; `.role_patterns` for others
`bylines.titles`, `.particles`     before a name ("Dr.", "Report:"); words in lower case that names have
`bylines.degrees`                  abbreviations behind a name, as they are written but without full stops: "PhD"
`bylines.no_names`                 what means a name and is none
`bylines.author_label`             parts of labels of an author in metadata
`scripts.enable`, `.state`         before and behind "JavaScript" in notices that a page needs it; `.patterns` for others
`cues.*`                           plain phrases of short lines that are no prose, by what they name: `comments`, `related`,
                                   `share`, `subscribe`, `byline`, `legal`, `about` (author, tags), `service` (weather ...)
`changing.counters`, `.ago`        what readers did, beside a number ("shares"); times with # for a number ("# hours ago")
`changing.units`                   beginnings of the words for minutes, hours and days in `changing.ago`
`changing.corrections`             beginnings of notes of corrections, before a mark: "correction"; `.corrected` anywhere
`urls.*`                           segments of paths: `articles`, `news`, `fronts`, `authors`, `categories`, `tags`,
                                   `lists` (other lists of pages), `shelves` (what shops and directories list), `ignored`,
                                   `dead_ends`
=================================  ===================================================================================

`common.toml` has words of no language, or of many, and the version of all the words. Each file says where its words are
from; names of months of Unicode CLDR are under the Unicode License v3 (https://www.unicode.org/license.txt).
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from webmain.clock import once

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER: Final = Path(__file__).parent
PACKED: Final = FOLDER / "known.json"
"""The words of all files, by the languages' codes."""

_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_NOT_IN_MONTHS: Final = dict.fromkeys(map(ord, ". \u200c\u200d"))


@dataclass(frozen=True, eq=False)
class Languages:
    """The words of several languages.

    Attributes
    ----------
    tables : mapping of str to mapping of str to tuple of str
        Words by the language's code, then by the name of the list with its section: "bylines.by".
    """

    tables: Mapping[str, Mapping[str, tuple[str, ...]]]
    _of_all: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def version(self) -> int:
        """Number of this state of the words; it changes with them."""
        return int(self.words("version")[0])

    def words(self, name: str, language: str | None = None) -> tuple[str, ...]:
        """Return the words of a list, without repetitions.

        Parameters
        ----------
        name : str
            With its section: "bylines.by".
        language : str or None
            Of this language only, by its code; of all languages if None.
        """
        if language is not None:
            return self.tables.get(language, {}).get(name, ())
        if name not in self._of_all:
            found = dict.fromkeys(word for table in self.tables.values() for word in table.get(name, ()))
            self._of_all[name] = tuple(found)
        return self._of_all[name]

    def either(self, *names: str) -> str:
        """Return a regular expression for any word of some lists, longer ones first; without words it matches nothing."""
        words = {word for name in names for word in self.words(name)}
        return f"(?:{'|'.join(sorted(words, key=lambda w: (-len(w), w)))})" if words else r"(?!)"

    def month(self, name: str, language: str = "") -> int | None:
        """Return the number of the month of this name, 1 to 12, or None.

        Parameters
        ----------
        name : str
            In any case, short forms with or without full stops.
        language : str
            The page's language; it decides the few names that differ ("listopad").
        """
        key = name.lower().replace("i̇", "i").translate(_NOT_IN_MONTHS).strip("-–'’׳॰")
        found = self._months_here.get((language.partition("-")[0], key)) or self._months.get(key)
        return found or self._bare_months.get(_bare(key))

    @cached_property
    def _months(self) -> dict[str, int]:
        return {name: number for code in self.tables for name, number in self._named(code, "months")}

    @cached_property
    def _bare_months(self) -> dict[str, int]:
        """The names of months without accents, as in capitals: "ΜΑΙΟΥ"."""
        return {bare: number for name, number in self._months.items() if len(bare := _bare(name)) > 3}

    @cached_property
    def _months_here(self) -> dict[tuple[str, str], int]:
        return {(code, name): number for code in self.tables for name, number in self._named(code, "months_here")}

    def _named(self, code: str, key: str) -> Iterator[tuple[str, int]]:
        for number, names in enumerate(self.tables[code].get(key, ()), 1):
            for name in names.split():
                yield name, number


def _bare(name: str) -> str:
    """Return a name without the accents of European scripts."""
    return _ACCENTS.sub("", unicodedata.normalize("NFD", name))


@once
def known() -> Languages:
    """Return the words of the package's own files, read once in a process.

    They are in one file, `known.json`, that is made of all others (`python tests/languages/test_languages.py`): it is read
    in a twentieth of the time.
    """
    tables: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for codes, lists in json.loads(PACKED.read_text(encoding="utf-8")).items():
        table = {name: tuple(words) for name, words in lists.items()}
        tables |= dict.fromkeys(codes.split(), table)
    return Languages(tables)
