"""Cues of short lines in all languages, and the columns made of them."""

import time

import pytest

from tests.features.test_columns import PROSE, Seen
from webmain import languages
from webmain.features.cues import DATED, GROUPS, folded, line_cues


def cues_of(text, level):
    """The groups of the cues that a line holds (0), begins with (1), is hardly more than (2)."""
    bits = line_cues(text.casefold()) >> level * len(GROUPS)
    return {group for place, group in enumerate(GROUPS) if bits >> place & 1}


@pytest.mark.parametrize(
    ("line", "group"),
    [
        ("Leave a comment", "comments"),
        ("12 Kommentare", "comments"),
        ("Комментарии (3)", "comments"),
        ("टिप्पणियाँ", "comments"),
        ("댓글 21", "comments"),
        ("发表评论", "comments"),
        ("コメントを書く", "comments"),
        ("Lesen Sie auch:", "related"),
        ("À LIRE AUSSI", "related"),
        ("A lire aussi", "related"),  # capitals without accents
        ("ΔΙΑΒΑΣΤΕ ΕΠΙΣΗΣ", "related"),
        ("Читайте также", "related"),
        ("ये भी पढ़ें", "related"),
        ("相关新闻", "related"),
        ("関連記事", "related"),
        ("관련기사", "related"),
        ("اقرأ أيضا", "related"),
        ("إقرأ أيضًا", "related"),
        ("بیشتر بخوانید", "related"),
        ("อ่านข่าวที่เกี่ยวข้อง", "related"),
        ("Leia também", "related"),
        ("Zobacz też", "related"),
        ("İLGİLİ HABERLER", "related"),
        ("ព័ត៌មានពាក់ព័ន្ធ", "related"),
        ("წაიკითხეთ ასევე", "related"),
        ("Поделиться", "share"),
        ("S’abonner", "subscribe"),
        ("कॉपीराइट", "legal"),
        ("Прогноз погоды", "service"),
        ("天气预报", "service"),
    ],
)
def test_a_label_is_told_in_every_script(line, group):
    assert group in cues_of(line, 2)


def test_a_sentence_holds_or_begins_with_a_cue_and_is_no_label():
    line = "Weather on the coast kept the ferry in the harbour on Monday"
    assert cues_of(line, 0) >= cues_of(line, 1) == {"service"}
    assert cues_of(line, 2) == set()
    assert cues_of("The tide came in", 0) == set()


@pytest.mark.parametrize("line", ["Ком\u200bмента\u00adрии", "\ufeffКомментарии", "Ｃｏｍｍｅｎｔｓ", "Com\u2060ments"])
def test_a_disguised_cue_is_told(line):
    assert "comments" in cues_of(line, 2)


@pytest.mark.parametrize(
    ("line", "dated"),
    [
        ("12.03.2024", True),
        ("18:05", True),
        ("3 марта, среда", True),
        ("2011年8月2日", True),
        ("12 มกราคม 2567", True),
        ("3 goals", False),
        ("March of the ants", False),
    ],
)
def test_a_line_with_a_date_or_time_is_told(line, dated):
    assert bool(line_cues(line.casefold()) >> DATED & 1) is dated


def test_forty_languages_and_more_have_cues_of_each_group():
    words = languages.known().words
    for group in GROUPS:
        assert sum(bool(words(f"cues.{group}", code)) for code in languages.known().tables) >= 70, group


def test_a_cue_is_looked_up_as_it_is_written():
    words = languages.known().words
    missed = [w for group in GROUPS for w in words(f"cues.{group}") if group not in cues_of(w, 0)]
    assert missed == []


def test_hostile_lines_cost_nothing():
    start = time.process_time()
    for text in ("read " * 200_000, "ข" * 1_000_000, "\ufdfa" * 500_000, "\u0301" * 500_000):
        line_cues(text.casefold())
    assert time.process_time() - start < 1
    assert folded("don't") == folded("don’t")


def test_boxes_that_begin_with_a_label_are_told():
    box = "<div><h3>Читайте также</h3><ul><li>Паром опоздал</li><li>Кит у причала</li></ul></div>"
    seen = Seen(f"<main><p>{PROSE}</p><p>{PROSE}</p>{box}<p>Last line of it.</p></main>")
    assert seen.of("Паром", "box_related") == seen.of("Кит", "box_related") == 1
    assert seen.of("Last line", "box_related") == 0
    assert seen.of("Паром", "past_related") == 1
    assert seen.of("Last line", "labels_before") == 1
    assert seen.of("Читайте", "says_related") == 3


def test_an_element_with_most_of_the_page_is_no_box():
    seen = Seen(f"<main><div>Kommentare</div><p>{PROSE}</p><p>{PROSE} Twice.</p></main>")
    assert set(seen.column("box_comments").tolist()) == {0}
