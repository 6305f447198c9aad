"""Regular expressions for dates, built from the words of languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from webmain import languages
from webmain.metadata.calendars import CALENDARS

_ZONE: Final = r"(?P<zone>[+\-−]\d{1,2}:?\d{2}(?!\d)|[+\-−]\d{2}(?!\d)|Z\b|[A-Z]{2,4}\b)"
_YEAR: Final = r"(?P<year>(?:199|20\d|2[45]\d)\d)"


@dataclass(frozen=True, slots=True)
class DatePatterns:
    """Regular expressions built from the words of languages; `dates` from the least to the most ambiguous."""

    iso: re.Pattern[str]
    of_languages: tuple[re.Pattern[str], ...]
    named: tuple[re.Pattern[str], ...]
    clock_after: re.Pattern[str]
    clock_before: re.Pattern[str]
    span: re.Pattern[str]
    eras: dict[str, int]
    calendars: dict[str, dict[str, int]]
    afternoon: re.Pattern[str]


_ARABIC_LETTERS = {ord("ی"): "ي", ord("ک"): "ك"}


@cache
def date_patterns() -> DatePatterns:
    """Return the patterns of all languages."""
    words = languages.known()
    at, o_clock, of = words.either("dates.at"), words.either("dates.o_clock"), words.either("dates.of")
    ordinals, year_after = words.either("dates.ordinals"), words.either("dates.year_after")
    half, marks = words.either("dates.mornings", "dates.afternoons"), words.either("dates.year_marks")
    clock = (
        rf"(?:(?P<part>{half}|[AaPp][Mm])\s?)?(?P<hour>\d{{1,2}})(?::|\.|{words.either('dates.clock_marks')})\s?"
        rf"(?P<minute>\d{{2}}(?!\d)|\d(?={words.either('dates.minute_marks')}))"
        r"(?:[:.](?P<second>\d{2})(?!\d)(?:[.,](?P<fraction>\d{1,9}))?)?"
        rf"\s?(?P<half>[AaPp]\.?\s?[Mm]\b\.?|{half}(?!\w))?"
    )
    weekday = rf"(?:\s?[（(][^\W\d]{{1,10}}[）)]|\W{{0,3}}(?i:{words.either('dates.weekdays')})(?!\w)\.?[,）)]?)"
    name = rf"(?P<name>[^\d\s,/:;()|<>\[\]\"_]{{2,24}}(?:\s{words.either('dates.month_ends')})?)"
    day_first = (
        rf"(?<![\d.:/])(?P<day>\d{{1,2}})(?:\.?{ordinals}|[.,])?(?:\s{{1,2}}{of}?|[-/‑]|\s?[-–]\s|(?=[^\W\d])){of}?"
        rf"{name}(?:\s?/\s?[^\W\d_]{{2,20}})?(?:\s{{1,2}}|\s?[-/‑,]\s?|\.\s?|(?<=\.))(?:{year_after}\s?)?"
        r"(?P<year>(?:199|20\d|2[45]\d)\d(?!\d)|['’]?\d{2}(?![\d:.]|\s?[hH:]))"
    )
    word = rf"(?P<name>[^\d\s.,/:;()|<>\[\]\"_-]{{2,24}}(?:\s{words.either('dates.month_ends')})?)"
    month_first = (
        rf"(?<![^\W\d_]){word}(?:\.?\s{{1,2}}|\.)(?P<day>\d{{1,2}}){ordinals}?(?:,\s?|\s{{1,2}}|\s?-\s)"
        r"(?P<year>(?:199|20\d|2[45]\d)\d)(?!\d)"
    )
    year_first = (
        rf"(?P<year>(?:199|20\d)\d)(?:{marks}|\.)?,?\s(?:(?P<day2>\d{{1,2}})(?:\.?\s|-))?"
        rf"{word}\.?(?:\s(?P<day>\d{{1,2}})(?!\d))?"
    )
    eras = (line.split() for line in words.words("dates.eras"))
    calendars = {calendar: _months(calendar) for calendar in CALENDARS}
    solar, ethiopian, nepali = ("|".join(names) or "(?!)" for names in calendars.values())
    of_calendars = (
        rf"(?<!\d)(?P<day>\d{{1,2}})[\s/]?(?P<solar>{solar})(?:\sماه)?(?:,?\s|/)(?P<year>1[34]\d\d)(?!\d)",
        rf"(?<!\d)(?P<year>1[34]\d\d)\s(?:د\s)?(?P<solar>{solar})\s(?P<day>\d{{1,2}})(?!\d)",
        r"(?<!\d)(?P<year>1[34]\d\d)(?P<sep>[/-])(?P<solar>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<day>\d{1,2})(?P<sep>\s?[/-]\s?)(?P<solar>\d{1,2})(?P=sep)(?P<year>1[34]\d\d)(?!\d)",
        rf"(?P<ethiopian>{ethiopian})\s(?P<day>\d{{1,2}})(?:{ordinals})?[,፣]?\s(?P<year>20\d\d)(?!\d)",
        rf"(?<!\d)(?P<day>\d{{1,2}})\s(?P<ethiopian>{ethiopian}),?\s(?P<year>20\d\d)(?!\d)",
        rf"(?P<nepali>{nepali})\s(?P<day>\d{{1,2}})(?:{ordinals})?,?\s(?P<year>20[5-8]\d)(?!\d)",
        rf"(?<!\d)(?P<day>\d{{1,2}})\s(?P<nepali>{nepali}),?\s(?P<year>20[5-8]\d)(?!\d)",
        rf"(?<!\d)(?P<year>20[5-8]\d),?\s(?P<nepali>{nepali})\s(?P<day>\d{{1,2}})(?!\d)",
    )
    return DatePatterns(
        iso=re.compile(
            rf"(?<![\d/.-]){_YEAR}(?P<sep>[-/.])\s?(?P<month>\d{{1,2}})(?P=sep)\s?(?P<day>\d{{1,2}})(?!\d)"
            rf"(?:(?:[Tt]|[.,]?\s{{1,3}}\[?|\s[-–|]\s|{weekday}\s{{0,2}})(?:{at}\s|(?P<zone2>[A-Z]{{3,4}})\s)?{clock}"
            rf"(?:\s?{_ZONE})?)?"
        ),
        of_languages=tuple(map(re.compile, (*words.words("dates.patterns"), *of_calendars))),
        named=tuple(map(re.compile, (day_first, month_first, year_first))),
        clock_after=re.compile(
            rf"(?:\s?{marks})?(?:{weekday})?\W{{0,4}}(?:{at}|[(|•·–—@,-])?\W{{0,3}}{clock}"
            rf"(?:\s?(?:{o_clock}|GMT(?=[+-]))?\s?\(?{_ZONE})?"
        ),
        clock_before=re.compile(
            rf"{clock}(?:\s?{o_clock})?(?:\s?{_ZONE})?[\s,|•·/–—-]{{0,5}}(?:on\s|[^\W\d_]{{3,10}},?\s)?$"
        ),
        span=re.compile(rf"\s(?:[-–—]|{words.either('dates.until')})\s(?=[\w'’])"),
        eras={name: int(before) for name, before in eras},
        calendars=calendars,
        afternoon=re.compile(rf"[Pp]|{words.either('dates.afternoons')}"),
    )


def _months(calendar: str) -> dict[str, int]:
    """Return the numbers of the months of another calendar, by their names in Persian and in Arabic letters."""
    return {
        name.translate(letters): i
        for i, names in enumerate(languages.known().words(f"dates.{calendar}_months"), 1)
        for name in names.split("|")
        for letters in ({}, _ARABIC_LETTERS)
    }
