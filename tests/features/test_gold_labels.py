import numpy as np

from webmain.features.gold_labels import gold_content, gold_shares

BODY = ["The tide reached the upper quay before noon.", "Two boats were lost, the harbour master said."]


def test_blocks_of_the_gold_text_are_content_and_others_are_not():
    page = ["Home Sport Weather", *BODY, "Subscribe to our letter today", "Copyright Courier"]
    assert gold_content(page, "\n".join(BODY)).tolist() == [False, True, True, False, False]


def test_a_block_that_repeats_words_out_of_order_is_no_content():
    teaser = "Harbour master: noon tide, boats lost"
    assert gold_content([teaser, *BODY], " ".join(BODY)).tolist() == [False, True, True]


def test_a_repeated_block_is_content_once():
    page = [*BODY, BODY[0]]
    assert gold_content(page, " ".join(BODY)).sum() == 2


def test_shares_are_counted_by_hand():
    in_order, in_shingles = gold_shares(["a b c d", "x", ""], "a b c y")
    assert in_order.tolist() == [0.75, 0.0, 0.0]
    assert in_shingles.tolist() == [0.5, 0.0, 0.0]


def test_scripts_without_spaces_are_aligned_by_words():
    page = ["หน้าแรก กีฬา", "น้ำขึ้นถึงท่าเรือก่อนเที่ยงวันนี้", "ติดต่อโฆษณา"]
    assert gold_content(page, page[1]).tolist() == [False, True, False]


def test_what_stands_beyond_the_limit_is_no_content(monkeypatch):
    monkeypatch.setattr("webmain.features.gold_labels.MAX_TOKENS", 3)
    labels = gold_content(["a b c", "d e f"], "a b c d e f")
    assert labels.tolist() == [True, False]
    assert labels.dtype == np.bool_
