"""Every script of the news has its font, and every glyph is in it: these tests fail where Debian's fonts are missing."""

import unicodedata
from functools import cache

import numpy as np
import pytest
from PIL import Image

from tests.cloud.clouds import WORDS
from webmain.cloud import fonts
from webmain.cloud.fonts import Face, FontMissingError, Fonts, PictureError
from webmain.cloud.layout import SizedWord, draw, measure

SIZE = 48.0
CASES = [(word, code) for code, words in WORDS.items() for word in words.split()]


def drawn(word, language="") -> np.ndarray:
    sized = SizedWord(Fonts().runs(word, language=language), language, 1.0)
    box = measure(sized, SIZE)
    image = Image.new("L", (int(box.right - box.left) + 20, int(box.bottom - box.top) + 20))
    draw(image, sized, 10 - int(box.left), 10 - int(box.top), SIZE, 255)
    return np.asarray(image)


@cache
def box_of(face: Face, size: float = SIZE, character: str = "\U000ffffd") -> np.ndarray:
    """What a font draws for a character that it has not."""
    image = Image.new("L", (200, 200))
    draw(image, SizedWord((fonts.Run(character, face),), "", 1.0), 50, 100, size, 255)
    picture = np.asarray(image)
    rows, columns = np.nonzero(picture)
    return picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] if rows.size else picture[:0]


def contains(picture: np.ndarray, part: np.ndarray) -> bool:
    if not part.size or part.shape[0] > picture.shape[0] or part.shape[1] > picture.shape[1]:
        return False
    windows = np.lib.stride_tricks.sliding_window_view(picture > 100, part.shape)
    alike = windows[..., 0, :] == (part[0] > 100)  # first by one row: few places are left
    places = np.argwhere(alike.all(axis=2))
    return any((windows[row, column] == (part > 100)).all() for row, column in places)


@pytest.mark.parametrize(("word", "language"), CASES)
def test_no_glyph_is_missing(word, language):
    runs = Fonts().runs(word, language=language)
    assert sorted("".join(run.text for run in runs)) == sorted(word)
    for run in runs:
        assert all(run.face.draws(c) for c in run.text), run
        assert not contains(drawn(word, language), box_of(run.face)), f"{word} is drawn with a box"
        if run.face.draws("\u25cc"):
            circle = box_of(run.face, SIZE, "\u25cc")
            assert not contains(drawn(word, language), circle), f"a mark of {word} has no letter"


def test_the_box_of_a_missing_glyph_is_found():
    face = Fonts().runs("abc")[0].face
    image = Image.new("L", (400, 100))
    draw(image, SizedWord((fonts.Run("ab\U000ffffdcd", face),), "", 1.0), 10, 70, SIZE, 255)
    assert contains(np.asarray(image), box_of(face))


@pytest.mark.parametrize(
    ("word", "base"), [("น้ำ", "นา"), ("เด็ก", "เดก"), ("ที่", "ท"), ("ปั๊ม", "ปม"), ("ผู้", "ผ"), ("ນ້ຳ", "ນາ")]
)
def test_vowels_and_tone_marks_stand_above_and_below_their_letter(word, base):
    with_marks, without = (measure(SizedWord(Fonts().runs(text), "th", 1.0), SIZE) for text in (word, base))
    assert with_marks.advance == pytest.approx(without.advance, abs=1)
    assert with_marks.top < without.top


def test_arabic_letters_are_joined():
    joined, apart = (measure(SizedWord(Fonts().runs(t), "ar", 1.0), SIZE).advance for t in ("بيت", "ب\u200cي\u200cت"))
    assert joined < apart


def test_right_to_left_words_are_not_turned_round():
    first, second = drawn("ال", "ar"), drawn("لا", "ar")
    assert first.shape != second.shape or (first != second).any()
    heights = (drawn("שש" + "ו", "he") > 100).any(axis=0)
    left = drawn("ששו", "he")[:, : heights.size // 3]
    assert (left > 100).sum() < (drawn("ששו", "he")[:, -heights.size // 3 :] > 100).sum(), (
        "vav, the last letter, is left"
    )


def test_han_is_drawn_as_the_language_writes_it():
    assert drawn("骨", "zh").shape != drawn("骨", "ja").shape or (drawn("骨", "zh") != drawn("骨", "ja")).any()


def test_a_missing_font_is_an_error_that_names_the_package(monkeypatch):
    monkeypatch.setattr(fonts, "_faces", lambda script, language: [])
    for word, package in (("ไทย", "fonts-thai-tlwg"), ("中国", "fonts-noto-cjk"), ("हिन्दी", "fonts-noto-core")):
        with pytest.raises(FontMissingError, match=f"{word}.*apt-get install {package}"):
            Fonts().runs(word)


def test_a_character_that_no_font_has_is_an_error_that_names_it():
    with pytest.raises(FontMissingError, match=r"U\+F8FE"):
        Fonts().runs("a\uf8fe")


def test_a_letter_is_drawn_with_its_marks_in_one_font():
    for word in ("t\u0e49", "q\u1dc4", "ก\u0301", "ab\u0e48c"):
        try:
            runs = Fonts().runs(word)
        except FontMissingError:
            continue
        assert not any(unicodedata.category(run.text[0])[0] == "M" for run in runs)
        assert all(run.face.draws(run.text) for run in runs)


def test_a_word_of_two_scripts_has_a_font_for_each():
    assert [run.text for run in Fonts().runs("ខ្មែរ24")] == ["ខ្មែរ", "24"]
    assert [run.text for run in Fonts().runs("ב5", language="he")] == ["5", "ב"], "from left to right"
    assert len(Fonts().runs("ไทย5G")) == 1, "a Thai font with digits"


def test_own_fonts_come_first(tmp_path):
    thai = Fonts().runs("ไทย")[0].face.path
    assert Fonts([thai]).runs("ab")[0].face.path == thai
    (tmp_path / "no.ttf").write_text("no font")
    with pytest.raises(PictureError, match=r"no\.ttf"):
        Fonts([tmp_path / "no.ttf"])


def test_without_raqm_there_is_no_picture(monkeypatch):
    from PIL import features

    monkeypatch.setattr(features, "check", lambda _: False)
    with pytest.raises(PictureError, match="libfribidi0"):
        Fonts()
