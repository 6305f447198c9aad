import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.evaluation import metrics
from webmain.evaluation.metrics import METRICS, RUN, SegmentCounts, length_agreement, measure, segments, summary_level
from webmain.evaluation.records import GoldPage
from webmain.evaluation.tokens import TextPair
from webmain.text.agreement import Agreement, subsequence

texts = st.text(alphabet="ab cD\n.ทิ日", max_size=40)
order_blind = [METRICS["words"], METRICS["shingles"]]


def pair(predicted, gold, language="en"):
    return TextPair(predicted=predicted, gold=gold, language=language)


def counts(agreement):
    return agreement.n_common, agreement.n_predicted, agreement.n_gold


# --- worked examples -------------------------------------------------------------------------------------------------

LINE_BLOCK = pair("Title Copyright Some text in", "Title Some text in the body")


def test_line_block_example():
    agreement = metrics.words_lcs(LINE_BLOCK)
    assert counts(agreement) == (4, 5, 6)
    assert (agreement.recall, agreement.precision) == (4 / 6, 4 / 5)
    assert agreement.f1 == pytest.approx(8 / 11)


def test_words_in_another_order_are_common_as_a_multiset_only():
    swapped = pair("the body. Some TEXT", "some text: the body the")
    assert counts(metrics.words(swapped)) == (4, 4, 5)
    assert counts(metrics.words_lcs(swapped)) == (2, 4, 5)


def test_shingles_are_runs_of_four_words():
    # gold: abcd bcde cdef; predicted: bcde cdef defx
    assert counts(metrics.shingles(pair("b c d e f x", "a b c d e f"))) == (2, 3, 3)


def test_a_text_of_fewer_than_four_words_is_one_shingle():
    assert counts(metrics.shingles(pair("a b c", "a b c"))) == (1, 1, 1)
    assert counts(metrics.shingles(pair("a b c", "a b c d"))) == (0, 1, 1)


def test_shingles_tell_upper_from_lower_case():
    assert metrics.shingles(pair("One two three four", "one two three four")).n_common == 0


def test_rouge_lsum_unites_the_lines_of_the_prediction():
    # Lin 2004, section 3.2: the union of "w1 w2" and "w1 w3 w5" holds four of the five words.
    example = pair("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5")
    assert counts(metrics.rouge_lsum(example)) == (4, 10, 5)


def test_thai_is_compared_by_four_characters():
    # นี่คือข่าว: 10 characters, 7 runs of four; without the first three, 4 runs.
    thai = pair("คือข่าว", "นี่คือข่าว", "th")
    assert counts(metrics.words(thai)) == (4, 4, 7)
    assert counts(metrics.words_lcs(thai)) == (4, 4, 7)
    assert counts(metrics.rouge_lsum(thai)) == (4, 4, 7)
    assert counts(metrics.shingles(thai)) == (1, 1, 4)


@pytest.mark.parametrize(
    ("predicted", "equal"),
    [
        ("Zwei  Wörter.\n\n Ende ", True),
        ("Zwei Wo\u0308rter. Ende", True),
        ("Zwei Wör\u00adter.\u00a0Ende", True),
        ("zwei Wörter. Ende", False),
        ("Zwei Wörter Ende", False),
        ("Zwei Wörter. Ende mehr", False),
    ],
)
def test_exact_match_folds_white_space_and_unicode_composition_only(predicted, equal):
    assert metrics.exact(pair(predicted, "Zwei Wörter. Ende")).f1 == equal


def test_same_words_do_not_look_at_punctuation_but_at_case_and_order():
    assert metrics.same_words(pair("Zwei Wörter - Ende!", "Zwei Wörter. Ende")).f1 == 1
    assert metrics.same_words(pair("zwei Wörter. Ende", "Zwei Wörter. Ende")).f1 == 0
    assert metrics.same_words(pair("Ende Zwei Wörter", "Zwei Wörter. Ende")).f1 == 0


def test_pooled_accuracy_is_the_share_of_pages():
    pages = [pair("a", "a"), pair("a b c d", "a"), pair("b", "b"), pair("", "c")]
    total = sum(map(metrics.exact, pages), Agreement())
    assert (total.precision, total.recall, total.f1) == (0.5, 0.5, 0.5)


# --- laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
@pytest.mark.parametrize(("predicted", "gold", "value"), [("", "", 1), ("word", "", 0), ("", "word", 0)])
def test_empty_texts_agree_with_each_other_and_with_nothing_else(metric, predicted, gold, value):
    agreement = metric.measure(pair(predicted, gold))
    assert (agreement.precision, agreement.recall, agreement.f1) == (value, value, value)


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
@given(texts, texts, st.sampled_from(["en", "th", ""]))
def test_ratios_lie_between_zero_and_one(metric, predicted, gold, language):
    agreement = metric.measure(pair(predicted, gold, language))
    assert 0 <= agreement.n_common <= min(agreement.n_predicted, agreement.n_gold)


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
@given(texts, st.sampled_from(["en", "th", ""]))
def test_a_text_agrees_with_itself(metric, text, language):
    assert metric.measure(pair(text, text, language)).f1 == 1


@pytest.mark.parametrize("name", ["words", "words_lcs", "shingles", "exact", "same_words"])
@given(texts, texts)
def test_swapping_the_texts_swaps_precision_and_recall(name, first, second):
    one, other = (METRICS[name].measure(pair(a, b)) for a, b in ((first, second), (second, first)))
    assert counts(one) == (other.n_common, other.n_gold, other.n_predicted)


# --- ROUGE -----------------------------------------------------------------------------------------------------------

lines = st.lists(st.lists(st.sampled_from("abcde"), max_size=9), max_size=4)


@given(lines, lines, st.randoms(use_true_random=False))
def test_the_order_of_the_lines_makes_no_difference(predicted, gold, order):
    shuffled = summary_level(order.sample(predicted, len(predicted)), order.sample(gold, len(gold)))
    assert shuffled == summary_level(predicted, gold)


@given(st.lists(st.sampled_from("abcde"), max_size=12), st.lists(st.sampled_from("abcde"), max_size=12))
def test_one_line_each_is_the_longest_common_subsequence(predicted, gold):
    assert summary_level([predicted], [gold]) == subsequence(predicted, gold)


def test_a_token_counts_no_more_often_than_the_prediction_has_it():
    agreement = summary_level([["the", "end"]], [["the", "start"], ["the", "end"], ["the"]])
    assert counts(agreement) == (2, 2, 5)


def test_repeated_lines_count_as_often_as_they_are_there():
    assert counts(summary_level([["a", "b"]] * 3, [["a", "b"]] * 2)) == (4, 6, 4)
    assert counts(summary_level([["a", "b", "c"]] * 3, [["a", "b"]] * 2)) == (4, 9, 4)


# --- lengths ---------------------------------------------------------------------------------------------------------

ARTICLE = "The council approved the budget on Monday."  # 36 characters without spaces
NOISE = "Read more: ten tips for gardens"  # 26 without spaces
LINE = "abcdefghijklmnop"


@pytest.mark.parametrize(
    ("predicted", "gold", "expected"),
    [
        (f"{ARTICLE}\n{NOISE}", ARTICLE, (36, 62, 36)),
        (ARTICLE, f"{NOISE}\n{ARTICLE}", (36, 36, 62)),
        ("ข่าว วันนี้\n", "ข่าว\u200bวันนี้", (10, 10, 10)),
        ("ABCDEFGHIJKLM", "abcdefghijklm", (0, 13, 13)),
        (LINE * 20, LINE[::-1] * 20, (0, 320, 320)),
        (f"{LINE[:RUN]}----", f"xxxxx{LINE[:RUN]}yyyyy", (RUN, RUN + 4, RUN + 10)),
        (f"{LINE[: RUN - 1]}-----", f"xxxxx{LINE[:RUN]}yyyyy", (0, RUN + 4, RUN + 10)),
        ("see: news today", "news", (4, 13, 4)),
        ("see: new today", "news", (0, 12, 4)),
        (f"{LINE}{NOISE}", f"{LINE}.-.{LINE}", (16, 42, 35)),
        (f"{LINE}:{LINE}", f"{LINE}.-.{LINE}", (32, 33, 35)),
        ("abcdefghijklmn", "abcdefghijkl - bcdefghijklm - cdefghijklmn", (14, 14, 38)),
    ],
)
def test_lengths_count_characters_in_shared_runs_each_occurrence_once(predicted, gold, expected):
    assert counts(length_agreement(predicted, gold)) == expected


@pytest.mark.parametrize(
    ("lec", "lep", "lm", "precision", "recall", "f1"),
    [(100, 100, 0, 100, 100, 100), (10000, 9316, 0, 93.16, 100, 96.46), (10000, 9504, 0, 95.04, 100, 97.46)],
)
def test_thai_paper_table_from_its_printed_precision_and_recall(lec, lep, lm, precision, recall, f1):
    agreement = Agreement(n_common=lep - lm, n_predicted=lec, n_gold=lep)
    assert round(100 * agreement.precision, 2) == precision
    assert round(100 * agreement.recall, 2) == recall
    assert round(100 * agreement.f1, 2) == f1


# --- bounds ----------------------------------------------------------------------------------------------------------


def test_words_beyond_the_bound_count_but_are_not_matched(monkeypatch):
    monkeypatch.setattr(metrics, "MAX_LCS_TOKENS", 3)
    assert counts(metrics.words_lcs(pair("a b c d e", "a b c d"))) == (3, 5, 4)
    assert counts(metrics.words_lcs(pair("a b c d e", "a b c d e"))) == (5, 5, 5)
    assert counts(metrics.words_lcs(pair("b c", "a b c"))) == (2, 2, 3)


def test_tokens_of_lines_beyond_the_bound_count_but_are_not_matched(monkeypatch):
    monkeypatch.setattr(metrics, "MAX_ROUGE_TOKENS", 3)
    assert counts(summary_level([["x", "a", "b", "c", "d"]], [["a", "b", "c", "d"], ["c"]])) == (2, 5, 5)
    assert summary_level([["a"] * 9], [["a"] * 9]).n_common == 9  # lines found as they are cost nothing


def test_a_page_of_five_thousand_words_is_measured_quickly():
    draw = random.Random(1)
    lines = [" ".join(draw.choices([f"w{n}" for n in range(800)], k=20)) for _ in range(500)]
    page = GoldPage(id="1", dataset="x", html="<p>", text="\n".join(lines[:250]), language="en")
    started = time.process_time()
    measure("\n".join(lines[200:450]), page)
    assert time.process_time() - started < 2  # measured 0.05


# --- segments --------------------------------------------------------------------------------------------------------


def test_segments_are_found_across_line_breaks_and_told_by_case():
    found = segments("One\n two three. Share", ["One two", "one two", "three."], ["share", "Share", "cookies"])
    assert found == SegmentCounts(n_wanted_found=2, n_wanted=3, n_unwanted_found=1, n_unwanted=3)
    assert found.accuracy == (2 + 2) / 6


def test_segments_are_found_in_another_composition():
    assert segments("Markt scho\u0308n", ["schön"], []).accuracy == 1


def test_segment_counts_add_up_and_nothing_to_judge_is_right():
    one = SegmentCounts(n_wanted_found=1, n_wanted=2, n_unwanted_found=0, n_unwanted=1)
    other = SegmentCounts(n_wanted_found=0, n_wanted=1, n_unwanted_found=3, n_unwanted=4)
    assert one + other == SegmentCounts(n_wanted_found=1, n_wanted=3, n_unwanted_found=3, n_unwanted=5)
    assert SegmentCounts().accuracy == 1


# --- a page ----------------------------------------------------------------------------------------------------------


def test_measure_gives_the_named_metrics_and_the_segments():
    page = GoldPage(id="1", dataset="x", html="<p>", text="a b", language="en", wanted=("a",))
    agreements, segments = measure("a c", page, metrics=["words", "exact"])
    assert list(agreements) == ["words", "exact"]
    assert agreements["words"].f1 == 0.5
    assert segments == SegmentCounts(n_wanted_found=1, n_wanted=1)


def test_a_page_of_segments_only_has_no_text_metrics():
    page = GoldPage(id="1", dataset="x", html="<p>", text=None, unwanted=("a",))
    agreements, segments = measure("b", page)
    assert not agreements
    assert segments.accuracy == 1
