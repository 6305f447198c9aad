"""Words of languages from data files; `python tests/languages/test_languages.py` makes one file of all anew."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pytest

from webmain import languages
from webmain.languages import FOLDER, PACKED, Languages
from webmain.metadata import dates, names
from webmain.metadata.date_patterns import date_patterns
from webmain.metadata.dates import parse_date
from webmain.metadata.names import names_in

NAMES = """
    about ads also bylines.after_name bylines.and bylines.and_here bylines.and_patterns bylines.author_label
    bylines.buttons bylines.by bylines.degrees bylines.edited_by bylines.labels bylines.no_names bylines.particles
    bylines.patterns bylines.role_patterns bylines.roles bylines.roles_after bylines.signatures bylines.titles
    bylines.verbs changing.ago changing.corrected changing.corrections changing.counters changing.units
    classes.aside classes.byline classes.date classes.headline classes.not_aside classes.not_byline comments
    cues.about cues.byline cues.comments cues.legal cues.related cues.service cues.share cues.subscribe
    dates.afternoons dates.at dates.clock_marks dates.eras dates.ethiopian_months dates.minute_marks
    dates.month_ends dates.mornings dates.nepali_months dates.o_clock dates.of dates.ordinals dates.patterns
    dates.published dates.solar_months dates.until dates.updated dates.weekdays dates.year_after dates.year_first
    dates.year_marks
    disclosures divided elision missing months months_here next_page nutrients quotes ratings read_more retitled
    scripts.enable scripts.patterns scripts.state senders urls.articles urls.authors urls.categories urls.dead_ends
    urls.editions urls.fronts urls.id_keys urls.ignored urls.lists urls.news urls.other_suffixes urls.page_keys
    urls.page_suffixes urls.search_keys urls.shelves urls.tags version
""".split()
"""The lists that the code reads, with their sections."""

PLAIN = ("cues.", "quotes", "ads", "disclosures", "missing", "ratings", "dates.published", "dates.updated")
"""Beginnings of the names of lists whose words are no regular expressions."""


def read_words(*folders: Path) -> Languages:
    """Read the files of some folders; raises ValueError with a file's path if it does not hold lists of words."""
    tables: dict[str, dict[str, tuple[str, ...]]] = {}
    for path in sorted((path for folder in folders for path in folder.glob("*.toml")), key=lambda path: path.stem):
        try:
            words = {name: _words(value) for name, value in _flat(tomllib.loads(path.read_text(encoding="utf-8")))}
            for name in words:
                _check(name, words[name])
            if any(len(words[key]) != 12 for key in ("months", "months_here") if key in words):
                raise ValueError("twelve months are wanted")
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        tables |= dict.fromkeys((path.stem, *words.get("also", ())), words)
    return Languages(tables)


def _check(name: str, words: tuple[str, ...]) -> None:
    if name not in NAMES:
        near = get_close_matches(name, NAMES, 1)
        raise ValueError(f"{name}: no list that is read" + (f"; did you mean {near[0]}?" if near else ""))
    for word in () if name.startswith(PLAIN) else words:
        try:
            re.compile(word)
        except re.error as error:
            raise ValueError(f"{name}: {word!r} is no regular expression: {error}") from error


def _flat(values: Mapping[str, Any], section: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        else:
            yield section + name, value


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return tuple(value)
    if isinstance(value, str) and ";" in value:
        return tuple(" ".join(phrase.split()) for phrase in value.split(";"))
    if isinstance(value, str | int):
        return tuple(str(value).split())
    raise ValueError(f"not a list of words: {value!r}")


def packed(languages: Languages) -> str:
    """Return the words as `known` reads them, a language a line."""
    codes: dict[int, list[str]] = {}
    for code, table in languages.tables.items():
        codes.setdefault(id(table), []).append(code)
    rows = {" ".join(of): languages.tables[of[0]] for of in codes.values()}
    lines = (f"{json.dumps(of)}:{json.dumps(row, ensure_ascii=False)}" for of, row in rows.items())
    return "{" + ",\n".join(lines) + "}\n"


def test_a_language_is_one_more_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    months = ", ".join(f'"{name}a {name}"' for name in "unum dum tram kvar kvin ses sep ok nov dek elv tolv".split())
    text = f'months = [{months}]\nread_more = ["vidu ank"]\n[dates]\nat = ["je"]\n'
    text += '[bylines]\nby = ["fare de"]\nand = ["kun"]\n'
    (tmp_path / "xx.toml").write_text(text)
    words = read_words(FOLDER, tmp_path)
    assert "vidu ank" in words.either("read_more")
    assert words.month("März") == 3
    day, byline = "3 Kvina 2024 je 15:47", "Fare de Jane Roe kun John Doe"
    assert (parse_date(day), names_in(byline, is_text=True)) == (None, [])
    monkeypatch.setattr(languages, "known", lambda: words)
    monkeypatch.setattr(dates, "date_patterns", date_patterns.__wrapped__)
    monkeypatch.setattr(names, "_patterns", names._patterns.__wrapped__)
    assert parse_date(day) == datetime(2024, 5, 3, 15, 47, tzinfo=UTC)
    assert names_in(byline, is_text=True) == ["Jane Roe", "John Doe"]


def test_the_one_file_that_is_read_holds_all_files() -> None:
    read = read_words(FOLDER)
    assert PACKED.read_text(encoding="utf-8") == packed(read)
    assert list(languages.known().tables.items()) == list(read.tables.items())


def test_a_month_name_that_differs_by_language() -> None:
    month = languages.known().month
    assert month("listopada", "pl") == 11
    assert month("listopada", "hr") == 10
    assert month("Sept.") == 9
    assert month("nothing") is None


def test_every_language_with_months_has_all_that_its_pages_need() -> None:
    known = languages.known()
    assert known.version >= 1
    assert len([code for code in known.tables if known.words("months", code)]) > 40
    assert known.words("quotes", "nb") == known.words("quotes", "no") == ("«»“”",)
    assert known.words("quotes", "xx") == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("months = ['a']", "twelve months are wanted"),
        ("months = 1.5", "not a list of words"),
        ("ads = [1]", "not a list of words"),
        ("x = ", "Invalid value"),
        ("mnths = 'a'", "mnths: no list that is read; did you mean months?"),
        ("[cue]\nabout = 'a'", "cue.about: no list that is read; did you mean cues.about?"),
        ("read_more = '('", "read_more: '(' is no regular expression"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "xx.toml").write_text(text)
    with pytest.raises(ValueError, match=rf"xx\.toml: .*{re.escape(told)}"):
        read_words(tmp_path)


if __name__ == "__main__":
    PACKED.write_text(packed(read_words(FOLDER)), encoding="utf-8")
