"""Words of languages from data files; `python tests/languages/test_languages.py` makes one file of all anew."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from webmain import languages
from webmain.languages import FOLDER, PACKED, Languages
from webmain.metadata.dates import parse_date
from webmain.metadata.names import names_in


def test_a_language_is_one_more_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    months = ", ".join(f'"{name}a {name}"' for name in "unum dum tram kvar kvin ses sep ok nov dek elv tolv".split())
    text = f'months = [{months}]\nread_more = ["vidu ank"]\n[dates]\nat = ["je"]\n'
    text += '[bylines]\nby = ["fare de"]\nand = ["kun"]\n'
    (tmp_path / "xx.toml").write_text(text)
    words = Languages.read(FOLDER, tmp_path)
    assert "vidu ank" in words.either("read_more")
    assert words.month("März") == 3
    day, byline = "3 Kvina 2024 je 15:47", "Fare de Jane Roe kun John Doe"
    assert (parse_date(day), names_in(byline, is_text=True)) == (None, [])
    monkeypatch.setattr(languages, "known", lambda: words)
    assert parse_date(day) == datetime(2024, 5, 3, 15, 47, tzinfo=UTC)
    assert names_in(byline, is_text=True) == ["Jane Roe", "John Doe"]


def test_the_one_file_that_is_read_holds_all_files() -> None:
    read = Languages.read()
    assert PACKED.read_text(encoding="utf-8") == read.packed()
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


@pytest.mark.parametrize("text", ["months = ['a']", "months = 1.5", "x = [1]", "x = "])
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "xx.toml").write_text(text)
    with pytest.raises(ValueError, match=r"xx\.toml"):
        Languages.read(tmp_path)


if __name__ == "__main__":
    PACKED.write_text(Languages.read().packed(), encoding="utf-8")
