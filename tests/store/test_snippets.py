from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from webmain.store.query import QueryError, read_query
from webmain.store.snippets import Snippet, snippet


def bracketed(found: Snippet) -> str:
    return "".join(f"[{text}]" if is_match else text for text, is_match in found.pieces())


def marked(text: str, query: str, **options: int) -> str:
    return bracketed(snippet(text, read_query(query).parts, **options))


def test_short_text_is_shown_whole_with_every_match_marked() -> None:
    assert marked("The tide: a high Tide, no tides.", "tide") == "The [tide]: a high [Tide], no tides."


def test_original_text_is_shown_not_the_folded_one() -> None:
    assert marked("In Łódź — “Résumé”.", "lodz resume") == "In [Łódź] — “[Résumé]”."
    assert marked("Nach so\u00adzialer Art", "sozialer") == "Nach [so\u00adzialer] Art"
    assert marked("cafe\u0301 noir", "café") == "[cafe\u0301] noir"


def test_phrase_is_marked_as_one_and_its_words_alone_are_not() -> None:
    assert marked("York is new; New York is big", '"new york"') == "York is new; [New York] is big"


def test_words_of_unspaced_scripts_are_marked_where_they_stand() -> None:
    assert marked("วันนี้ข่าวเศรษฐกิจดีมาก", "เศรษฐกิจ") == "วันนี้ข่าว[เศรษฐกิจ]ดีมาก"
    assert marked("他在北京大学读书", "北京大学") == "他在[北京大学]读书"


def test_part_of_a_word_with_an_apostrophe_marks_the_word() -> None:
    assert marked("C'est l'homme ici", "homme") == "C'est [l'homme] ici"


def test_words_that_the_segmenter_repairs_are_marked_as_they_are_written() -> None:
    assert marked("ที่ต่าง ๆ เเละนํ้า", "ต่างๆ") == "ที่[ต่าง ๆ] เเละนํ้า"
    assert marked("ที่ต่าง ๆ เเละนํ้า", "และ น้ำ") == "ที่ต่าง ๆ [เเละ][นํ้า]"
    assert marked("พ.ศ. 2567 in the U.S. navy", "u.s. พ.ศ.") == "[พ.ศ.] 2567 in the [U.S.] navy"
    assert marked("so\u00adzial\u00ad", "sozial") == "[so\u00adzial]\u00ad"


def test_words_after_one_that_the_segmenter_repairs_are_still_found() -> None:
    assert marked("เเม่น้ำ แล้ว harbour", "harbour") == "เเม่น้ำ แล้ว [harbour]"


def test_passage_with_most_parts_of_the_query_is_chosen() -> None:
    text = "tide " + "word " * 100 + "the harbour and the tide " + "word " * 100 + "tide tide tide"
    shown = marked(text, "harbour tide", width=80)
    assert "[harbour] and the [tide]" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_passage_is_no_longer_than_its_width_and_cut_between_words() -> None:
    text = " ".join(f"word{i:04}" for i in range(1000))
    shown = snippet(text, read_query("word0500").parts, width=100)
    assert len(shown.text.strip("…")) <= 100
    assert all(word in text.split() for word in shown.text.strip("…").split())
    assert bracketed(shown).count("[word0500]") == 1


def test_text_without_a_match_is_shown_from_its_beginning() -> None:
    assert snippet("no match here", read_query("tide").parts) == Snippet("no match here")
    lead = snippet("word " * 100, read_query("tide").parts, width=30)
    assert lead.text == "word word word word word word…"
    assert not lead.marks


def test_match_far_behind_in_a_long_text_is_found() -> None:
    far = "x " * 50_000 + "Łódź " + "y " * 50_000
    assert "[Łódź]" in marked(far, "lodz")
    assert "[tide]" in marked("tidetable " * 3_000 + "a tide", "tide")


def test_no_snippet_is_made_of_width_zero() -> None:
    assert snippet("tide", read_query("tide").parts, width=0) == Snippet("")


def test_long_block_of_many_matches_takes_moderate_time() -> None:
    text = "tide harbour " * 40_000
    started = time.process_time()
    assert "[tide]" in marked(text, "tide harbour")
    assert time.process_time() - started < 2


@given(st.text(max_size=200), st.integers(0, 199), st.integers(1, 12), st.integers(1, 60))
def test_marks_lie_in_the_text_and_the_text_in_the_block(text: str, start: int, length: int, width: int) -> None:
    try:
        parts = read_query(text[start : start + length]).parts
    except QueryError:
        return
    shown = snippet(text, parts, width=width)
    last = 0
    for first, end in shown.marks:
        assert last <= first < end <= len(shown.text)
        last = end
    blank = str.maketrans(dict.fromkeys("\t\n\r\x0b\x0c\x85\u2028\u2029", " "))
    bare = shown.text
    if bare not in text.translate(blank):
        bare = bare.removeprefix("…").removesuffix("…")
    assert bare in text.translate(blank)
    assert "".join(text for text, _ in shown.pieces()) == shown.text
