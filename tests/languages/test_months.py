"""Names of months and ways to write dates, compared with Unicode CLDR as Babel has it."""

import re
from collections import defaultdict
from datetime import date

import pytest
from babel import Locale, localedata
from babel.dates import format_date

from webmain import languages
from webmain.metadata.dates import parse_date

CODES = sorted({path.stem for path in languages.FOLDER.glob("*.toml")} - {"common"})


@pytest.fixture(autouse=True)
def _fresh_locales() -> None:
    """Babel's locales change one another once several are loaded."""
    localedata._cache.clear()


@pytest.mark.parametrize("code", CODES)
def test_names_of_months_are_those_of_cldr(code: str) -> None:
    month = languages.known().month
    for context in Locale.parse(code).months.values():
        for width in ("wide", "abbreviated"):
            for number, name in context[width].items():
                bare = re.sub(r"^(?:de |d’)", "", name)
                if len(bare) > 1 and not any(c.isdigit() for c in bare):
                    assert month(bare, code) == number, bare


@pytest.mark.parametrize("code", CODES)
def test_dates_as_cldr_writes_them_are_read(code: str) -> None:
    for number in range(1, 13):
        day = date(2024, number, 17 if number % 2 else 3)
        for style in ("full", "long", "medium"):
            raw = format_date(day, style, locale=code)
            if code == "my" and re.search(r"\s\w\s", raw):
                continue  # abbreviations of one letter
            found = parse_date(raw, language=code)
            assert found is not None, raw
            assert found.date() == day, raw


def test_a_name_of_two_months_is_told_by_the_language() -> None:
    numbers = defaultdict(set)
    for table in languages.known().tables.values():
        for number, names in enumerate(table.get("months", ()), 1):
            for name in names.split():
                numbers[name].add(number)
    assert {name for name, months in numbers.items() if len(months) > 1} == set()
