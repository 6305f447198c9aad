"""What is a change of an article, and of which kind."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.items import Article
from webmain.revisions.aligning import align
from webmain.revisions.comparing import changes
from webmain.revisions.kinds import ChangeKind, Changes, Counts, RowKind

HARBOUR = """The harbour of the town opened again on Monday after the storm. Twelve ships left in the morning, they said.

A storm had closed it for 12 days. In all 12 died and forty were hurt.

The mayor thanked the crews. She will speak again on Friday."""
FLOOD = """นายกรัฐมนตรีเปิดเผยว่า มีผู้เสียชีวิต 12 ราย จากเหตุการณ์น้ำท่วมในภาคใต้ และมีผู้บาดเจ็บอีก 40 ราย

เจ้าหน้าที่เร่งให้ความช่วยเหลือประชาชนในพื้นที่"""
TRADE = "中国国家统计局周一公布数据，十月出口同比增长百分之五。专家表示，这一数字高于预期。\n\n事故造成12人死亡。"


def compare(before: str, after: str, language: str = "en", titles: tuple[str, str] = ("A title", "A title")) -> Changes:
    return changes(
        Article(text=before, title=titles[0], language=language),
        Article(text=after, title=titles[1], language=language),
    )


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        (HARBOUR, HARBOUR.replace("12 died", "13 died"), "en"),
        (HARBOUR, HARBOUR.replace("the crews", "the crews and the pilots"), "en"),
        (HARBOUR, HARBOUR + "\n\nCorrection: an earlier version misspelt the mayor's name.", "en"),
        (HARBOUR, HARBOUR + "\n\nThis article was amended on 3 May 2026 to correct the number of ships.", "en"),
        (HARBOUR, HARBOUR + "\n\nIn einer früheren Version dieses Textes war die Zahl falsch.", "de"),
        (FLOOD, FLOOD.replace("12 ราย", "13 ราย"), "th"),
        (FLOOD, FLOOD + "\n\nขออภัยในความผิดพลาด จำนวนผู้เสียชีวิตที่ถูกต้องคือ 13 ราย", "th"),
        (TRADE, TRADE.replace("12人", "13人"), "zh"),
        (TRADE, TRADE + "\n\n更正：本文早前误写了死亡人数。", "zh"),
    ],
)
def test_few_words_or_a_note_are_a_correction(before: str, after: str, language: str) -> None:
    assert compare(before, after, language).kind is ChangeKind.CORRECTION


def test_new_paragraphs_are_an_update_and_are_counted() -> None:
    found = compare(HARBOUR, HARBOUR + "\n\nThe ferry will run again tomorrow, the company said. Tickets stay valid.")
    assert (found.kind, found.sentences, found.paragraphs) == (
        ChangeKind.UPDATE,
        Counts(additions=2),
        Counts(additions=1),
    )
    assert [row.kind for row in found.rows] == [*[RowKind.KEPT] * 3, RowKind.ADDED]


def test_text_taken_away_is_a_removal() -> None:
    assert compare(HARBOUR, HARBOUR.rpartition("\n\n")[0]).kind is ChangeKind.REMOVAL


def test_paragraphs_in_another_order_are_a_refactor() -> None:
    found = compare(HARBOUR, "\n\n".join(reversed(HARBOUR.split("\n\n"))))
    assert (found.kind, found.paragraphs.additions, found.paragraphs.deletions) == (ChangeKind.REFACTOR, 0, 0)
    assert found.paragraphs.refactors >= 2


def test_another_text_is_a_rewrite() -> None:
    other = "Nothing that was written here stands any more. A new report took its place.\n\nIt tells of quite other"
    other += " matters: lambs, meadows, hills, rivers without end, and what shepherds sing between them by night."
    assert compare(HARBOUR, other).kind is ChangeKind.REWRITE


def test_a_headline_alone_and_besides() -> None:
    assert compare(HARBOUR, HARBOUR, titles=("Harbour opens", "Harbour is open")).kind is ChangeKind.HEADLINE
    found = compare(HARBOUR, HARBOUR.replace("12 died", "13 died"), titles=("12 died", "13 died"))
    assert (found.kind, found.is_headline) == (ChangeKind.CORRECTION, True)
    assert compare(HARBOUR, HARBOUR, titles=("“Open”", '"open"')).kind is ChangeKind.NONE


def test_a_headline_that_a_method_keeps_in_the_text_is_no_change_of_the_text() -> None:
    before, after = "Harbour opens again", "Harbour opens, ships leave"
    found = compare(f"{before}\n\n{HARBOUR}", f"{after}\n\n{HARBOUR}", titles=(before, after))
    assert (found.kind, found.is_headline, found.rows) == (ChangeKind.HEADLINE, True, ())


@pytest.mark.parametrize(
    ("first", "second", "language"),
    [
        ("1,234 shares", "1,301 shares", "en"),
        ("Comments (12)", "Comments (15)", "en"),
        ("12.4K views", "13K views", "en"),
        ("3 hours ago", "2 days ago", "en"),
        ("By Jane Doe | 12 comments | 3 hours ago", "By Jane Doe | 15 comments | just now", "en"),
        ("Last updated: 23 November 2026 14:05 GMT", "Last updated: 1 December 2026 09:11 GMT", "en"),
        ("Updated 14:05", "Updated 15:17", "en"),
        ("1,234", "1,235", "en"),
        ("Advertisement\n\nBuy our new shoes now!", "Advertisement\n\nFly to the sea for less!", "en"),
        ("Advertisement: shoes", "", "en"),
        ("Advertisement 6", "", "zh"),
        ("Anzeige (2)\n\nNeue Schuhe!", "Anzeige (3)\n\nAns Meer!", "de"),
        ("Related stories\n\nCat saved from tree\n\nMayor speaks", "Related stories\n\nDog saved from pond", "en"),
        ("Read more: Mayor speaks", "Read more: Mayor is silent", "en"),
        ("Aktualisiert am 23.11.2026 um 14:05 Uhr", "Aktualisiert am 24.11.2026 um 9:11 Uhr", "de"),
        ("vor 3 Stunden", "vor 2 Tagen", "de"),
        ("il y a 3 heures", "il y a 2 jours", "fr"),
        ("12 commentaires", "15 commentaires", "fr"),
        ("อ่าน 1,234 ครั้ง", "อ่าน 1,300 ครั้ง", "th"),
        ("3 ชั่วโมงที่แล้ว", "4 วันที่แล้ว", "th"),
        ("阅读 1234", "阅读 1534", "zh"),
        ("3小时前", "2天前", "zh"),
        ("2026年11月23日 14:05", "2026年11月24日 09:05", "ja"),
        ("3時間前", "5時間前", "ja"),
        ("조회수 1,234", "조회수 1,300", "ko"),
        ("1234 просмотра", "1300 просмотров", "ru"),
        ("قبل 3 ساعات", "قبل 5 ساعات", "ar"),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_what_changes_at_each_visit_is_no_change(first: str, second: str, language: str, place: int) -> None:
    text = {"th": FLOOD, "zh": TRADE}.get(language, HARBOUR).split("\n\n")
    before, after = ("\n\n".join([*text[:place], line, *text[place:]]) for line in (first, second))
    assert compare(before, after, language).kind is ChangeKind.NONE
    assert compare("\n\n".join(text), after, language).kind is ChangeKind.NONE or place < 3


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("12 dead", "13 dead"),
        ("Updated figures: 12 dead", "Updated figures: 13 dead"),
        ("The bill passed with 12 votes against", "The bill passed with 13 votes against"),
        ("The quake struck 3 hours ago, it said today.", "The quake struck 4 hours ago, it said today."),
        ("Seats\t120\t130", "Seats\t121\t129"),
        ("120\t130", "121\t129"),
        ("It sold 1,200 shares on Monday.", "It sold 1,300 shares on Monday."),
        ("$45.30", "$46.30"),
    ],
)  # fmt: skip
def test_digits_that_readers_are_told_are_changes(first: str, second: str) -> None:
    assert compare(f"{HARBOUR}\n\n{first}", f"{HARBOUR}\n\n{second}").kind is not ChangeKind.NONE


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace(" ", "\u00a0"),
        lambda text: text.replace("\n\n", "\n\n \n\n"),
        lambda text: text.upper(),
        lambda text: text.replace("-", "–").replace("'", "’"),
        lambda text: text.replace("morning, ", "morn\u00ading, "),
        lambda text: text.replace("Monday after", "Monday\n\nafter"),
    ],
)
def test_space_quotes_forms_and_breaks_are_no_change(edit) -> None:
    assert compare(HARBOUR, edit(HARBOUR)).kind is ChangeKind.NONE


def test_words_of_a_changed_paragraph_are_marked_in_both_texts() -> None:
    (row,) = [r for r in compare(FLOOD, FLOOD.replace("12 ราย", "13 ราย"), "th").rows if r.kind is RowKind.CHANGED]
    assert ["".join(s.text for s in side) for side in (row.before, row.after)] == [
        FLOOD.split("\n\n")[0],
        FLOOD.split("\n\n")[0].replace("12 ราย", "13 ราย"),
    ]
    assert [s.text.strip() for s in (*row.before, *row.after) if s.differs] == ["12", "13"]


@given(st.lists(st.integers(0, 5), max_size=30), st.lists(st.integers(0, 5), max_size=30))
def test_alignment_rises_and_matches_equal_items(before: list[int], after: list[int]) -> None:
    found = align(before, after)
    assert all(before[i] == after[j] for i, j in found)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(found))
    assert len(align(before, before)) == len(before)


PART = st.text(alphabet="ab12 .!ก中\t\n“-", max_size=40)


@given(st.lists(PART, max_size=6), st.lists(PART, max_size=6), st.sampled_from(["en", "th", "zh", "und", "xx"]))
def test_a_text_does_not_differ_from_itself_and_rows_hold_whole_paragraphs(one, other, language) -> None:
    before, after = "\n\n".join(one), "\n\n".join(other)
    assert compare(before, before, language).kind is ChangeKind.NONE
    for row in compare(before, after, language).rows:
        assert not row.before or "".join(span.text for span in row.before) in before
        assert not row.after or "".join(span.text for span in row.after) in after


def attack(name: str, n: int) -> tuple[str, str]:
    """Two texts of about n characters each."""
    draw = random.Random(1)
    if name == "shuffled":
        parts = [" ".join(draw.choices("alpha beta gamma of and the".split(), k=20)) for _ in range(n // 100)]
        return "\n\n".join(parts), "\n\n".join(draw.sample(parts, len(parts)))
    if name == "repeated":
        return "\n\n".join(["same", "other"] * (n // 12)), "\n\n".join(["other", "same", "x"] * (n // 14))
    if name == "one paragraph":
        first, second = (" ".join(draw.choices("abcdefgh", k=n // 2)) for _ in range(2))
        return first, second
    if name == "sentences":
        first, second = (". ".join(draw.choices(["A b c", "D e f", "G h"], k=n // 7)) for _ in range(2))
        return first, second
    if name == "alike":
        first, second = ("\n\n".join(f"w{draw.random()} common words" for _ in range(n // 35)) for _ in range(2))
        return first, second
    if name == "thai":
        return "กขค" * (n // 3), "กขง" * (n // 3)
    first, second = ("\n\n".join(f"{i} {word}" for i in range(n // 12)) for word in ("comments", "ago views"))
    return first, second


@pytest.mark.parametrize("name", ["shuffled", "repeated", "one paragraph", "sentences", "alike", "thai", "counters"])
def test_long_texts_take_no_longer_than_their_length(name: str) -> None:
    spent = []
    compare(*attack(name, 1_000))
    for n in (25_000, 200_000):
        before, after = attack(name, n)
        start = time.process_time()
        compare(before, after)
        spent.append(time.process_time() - start)
    assert spent[1] < 24 * max(spent[0], 0.03)


def test_no_paragraph_is_lost_in_a_comparison() -> None:
    before, after = "alpha\n\nbeta\n\ngamma\n\ndelta", "alpha\n\nxi\n\ngamma\n\nepsilon\n\nphi"
    rows = compare(before, after).rows
    for side, text in (("before", before), ("after", after)):
        assert ["".join(span.text for span in getattr(row, side)) for row in rows if getattr(row, side)] == text.split(
            "\n\n"
        )
