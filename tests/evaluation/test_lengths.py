import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.evaluation.lengths import RUN, length_agreement
from webmain.text.agreement import Agreement

texts = st.text(alphabet="abกิ \n", max_size=60)
ARTICLE = "The council approved the budget on Monday."  # 36 characters without spaces
NOISE = "Read more: ten tips for gardens"  # 26 without spaces


@pytest.mark.parametrize(
    ("lec", "lep", "lm", "precision", "recall", "f1"),
    [(100, 100, 0, 100, 100, 100), (10000, 9316, 0, 93.16, 100, 96.46), (10000, 9504, 0, 95.04, 100, 97.46)],
)
def test_thai_paper_table_from_its_printed_precision_and_recall(lec, lep, lm, precision, recall, f1):
    agreement = Agreement(n_common=lep - lm, n_predicted=lec, n_gold=lep)
    assert round(100 * agreement.precision, 2) == precision
    assert round(100 * agreement.recall, 2) == recall
    assert round(100 * agreement.f1, 2) == f1


def test_noise_lowers_precision_only():
    agreement = length_agreement(f"{ARTICLE}\n{NOISE}", ARTICLE)
    assert agreement == Agreement(n_common=36, n_predicted=36 + 26, n_gold=36)
    assert agreement.recall == 1


def test_missing_content_lowers_recall_only():
    agreement = length_agreement(ARTICLE, f"{NOISE}\n{ARTICLE}")
    assert agreement == Agreement(n_common=36, n_predicted=36, n_gold=62)
    assert agreement.precision == 1


def test_white_space_case_and_invisible_characters():
    assert length_agreement("ข่าว วันนี้\n", "ข่าว\u200bวันนี้") == Agreement(n_common=10, n_predicted=10, n_gold=10)
    assert length_agreement("ABCDEFGHIJKLM", "abcdefghijklm").n_common == 0


def test_unlike_texts_of_the_same_letters_have_nothing_in_common():
    assert length_agreement("abcdefghijklmnop" * 20, "ponmlkjihgfedcba" * 20).n_common == 0


def test_a_run_counts_from_its_least_length_on():
    gold = "x" * 5 + "abcdefghijkl" + "y" * 5
    assert len("abcdefghijkl") == RUN
    assert length_agreement("abcdefghijkl----------", gold).n_common == RUN
    assert length_agreement("abcdefghijk-----------", gold).n_common == 0


def test_a_gold_text_shorter_than_a_run_is_one_run():
    assert length_agreement("see: news today", "news").n_common == 4
    assert length_agreement("see: new today", "news").n_common == 0


def test_what_the_prediction_has_once_is_common_once():
    line = "abcdefghijklmnop"
    assert length_agreement(f"{line}{NOISE}", f"{line}.-.{line}").n_common == len(line)
    assert length_agreement(f"{line}:{line}", f"{line}.-.{line}").n_common == 2 * len(line)


def test_no_more_than_the_prediction_is_common():
    runs = "abcdefghijkl - bcdefghijklm - cdefghijklmn"  # apart here, one upon the other in the prediction
    assert length_agreement("abcdefghijklmn", runs).n_common == 14


@given(texts, texts)
def test_common_characters_are_in_both(predicted, gold):
    agreement = length_agreement(predicted, gold)
    assert 0 <= agreement.n_common <= min(agreement.n_predicted, agreement.n_gold)


@given(texts)
def test_a_text_has_itself_in_common(text):
    assert length_agreement(text, text).f1 == 1


@given(texts, st.text(alphabet="xyz", max_size=20))
def test_more_noise_behind_a_text_never_changes_recall(text, noise):
    assert length_agreement(f"a{text}{noise}", f"a{text}").recall == 1
