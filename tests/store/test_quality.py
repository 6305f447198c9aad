from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.store.quality import QualitySignals, signals, thresholds, verdict

STOP = frozenset({"the", "of", "and", "to"})


def measure(text: str) -> QualitySignals:
    return signals(text, text.split(), STOP)


def test_empty_text_has_zeros() -> None:
    empty = signals("", (), STOP)
    assert (empty.n_words, empty.mean_word_length, empty.duplicate_5_grams, empty.top_2_gram) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("one two three", "mean_word_length", 11 / 3),
        ("a # b ... c …", "symbols_per_word", 3 / 6),
        ("• a\n- b\nc\nd", "bullet_lines", 0.5),
        ("a...\nb…\nc.\nd", "ellipsis_lines", 0.5),
        ("a 1 2 3", "words_with_letter", 0.25),
        ("The THE of x", "stop_words", 2),
        ("a\nb\na\na", "duplicate_lines", 0.5),
        ("xx\n\nyy\n\nxx", "duplicate_paragraphs", 1 / 3),
        ("long line\nb\nlong line", "duplicate_line_characters", 9 / 19),
        ("a b a b a b", "top_2_gram", 1.0),
        ("a b c d", "top_2_gram", 0.0),
        ("One. Two.\nthree", "terminal_lines", 0.5),
        ("x" * 30 + "\n" + "x" * 31, "short_lines", 0.5),
        ("a b\nc d", "newlines_per_word", 0.25),
        ("function() { }", "curly_brackets", True),
        ("Lorem Ipsum dolor", "lorem_ipsum", True),
        ("It cost 3.50 in the U.K. today. Yes! “Really?” 終わり。次", "n_sentences", 5),
    ],
)
def test_signal(text: str, name: str, value: float) -> None:
    assert getattr(measure(text), name) == pytest.approx(value)


def test_duplicate_n_grams_count_each_character_once() -> None:
    five = "aa bb cc dd ee"
    assert measure(five).duplicate_5_grams == 0
    assert measure(f"{five} {five}").duplicate_5_grams == pytest.approx(0.5)
    assert measure(f"{five} {five}").duplicate_6_grams == 0
    assert measure("x " * 100).duplicate_5_grams == pytest.approx(0.99, abs=0.06)


def test_thresholds_of_a_language_take_the_place_of_the_general_ones() -> None:
    assert thresholds("en")["mean_word_length"] == (3, 10)
    assert thresholds("th-TH")["mean_word_length"] == (2, 10)
    assert thresholds("th")["n_words"] == thresholds(None)["n_words"]


def test_verdict_names_what_is_out_of_bounds_on_either_side() -> None:
    quality = measure("one two")
    assert verdict(quality, {"n_words": (2, 2)}) == ()
    assert verdict(quality, {"n_words": (3, 9), "mean_word_length": (0, 2)}) == ("n_words", "mean_word_length")
    with pytest.raises(ValueError, match="no quality signal"):
        verdict(quality, {"n_word": (0, 1)})


def test_news_passes_and_a_menu_does_not() -> None:
    news = "\n\n".join(
        f"In the year {1900 + n} the harbour of town number {n} was opened to ships {n * 7} metres long, "
        f"and {n} people came to see it."
        for n in range(12)
    )
    assert verdict(measure(news), {k: v for k, v in thresholds("en").items() if "gram" not in k}) == ()
    menu = "Home\nNews\nSport\nHome\nNews\nSport\nHome\n" * 12
    assert {"stop_words", "duplicate_lines", "terminal_lines", "short_lines"} <= set(
        verdict(measure(menu), thresholds("en"))
    )


@given(st.text(max_size=300))
def test_shares_stay_between_zero_and_one(text: str) -> None:
    quality = measure(text)
    for name in QualitySignals.__slots__:
        value = getattr(quality, name)
        assert value >= 0
        if name not in (
            "n_words",
            "n_sentences",
            "mean_word_length",
            "symbols_per_word",
            "stop_words",
            "newlines_per_word",
        ):
            assert value <= 1, name


def test_cost_grows_linearly() -> None:
    def cost(n: int) -> float:
        text = "same " * n + "\n" * n + "! " * n
        started = time.process_time()
        measure(text)
        return time.process_time() - started

    cost(1000)
    assert cost(40_000) < 40 * max(cost(4_000), 0.005)
