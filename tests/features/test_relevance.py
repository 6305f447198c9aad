"""Blocks compared with descriptions: by words, in any script, in linear time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webmain.features.relevance import (
    block_words,
    common_lengths,
    is_own_text,
    relevances,
    usable_descriptions,
)
from webmain.features.site_blocks import SiteBlocks
from webmain.text.agreement import subsequence


def site(pages, descriptions, sites=None, anchor_share=None):
    return SiteBlocks(
        page=np.array([number for number, page in enumerate(pages) for _ in page], dtype=np.int32),
        texts=tuple(text for page in pages for text in page),
        tag_paths=tuple("html/body/p" for page in pages for _ in page),
        selectors=tuple("html/body/p" for page in pages for _ in page),
        descriptions=tuple(tuple(own) for own in descriptions),
        sites=sites or ("example.com",) * len(pages),
        anchor_share=anchor_share,
    )


def relevance(blocks):
    return relevances(blocks, block_words(blocks), usable_descriptions(blocks)).tolist()


@given(
    st.lists(st.sampled_from("abcd"), max_size=30),
    st.lists(st.lists(st.sampled_from("abcde"), max_size=40), max_size=4),
)
def test_common_lengths_are_those_of_the_plain_algorithm(pattern, others):
    assert common_lengths(pattern, others) == [subsequence(pattern, other).n_common for other in others]


def test_relevance_is_the_share_of_the_description_by_words_in_order():
    blocks = site(
        [["The cat sat on the mat today", "mat the on sat cat the", "nothing at all", "The dog sat on the mat"]],
        [["The cat sat on the mat"]],
    )
    assert relevance(blocks) == [1.0, 3 / 6, 0.0, 5 / 6]


def test_characters_do_not_count_only_words_do():
    blocks = site([["tehc tasno hte mta acts nomt eth atc"]], [["the cat sat on the mat"]])
    assert relevance(blocks) == [0.0]


def test_thai_is_compared_by_words():
    thai = "กระทรวงพลังงานประกาศปรับราคาน้ำมันดีเซลทั่วประเทศ"
    blocks = site([[thai + "ตั้งแต่วันพรุ่งนี้", "ฟุตบอลไทยชนะเมื่อคืนนี้"]], [[thai]])
    assert relevance(blocks)[0] == 1.0
    assert relevance(blocks)[1] < 0.2


def test_descriptions_that_repeat_over_the_site_are_dropped():
    slogan, own = "All the news that is fit to print", "A lake froze over in the north"
    blocks = site([["a"], ["b"], ["c"]], [[slogan, own], [slogan.upper()], []])
    assert [len(found) for found in usable_descriptions(blocks)] == [1, 0, 0]


def test_a_page_given_twice_does_not_repeat_its_own_description():
    blocks = site([["a", "b"], ["a", "b"]], [["A lake froze over in the north"]] * 2)
    assert all(usable_descriptions(blocks))


def test_descriptions_of_four_words_are_too_short():
    assert usable_descriptions(site([["a"]], [["one two three four"]])) == [[]]
    assert usable_descriptions(site([["a"]], [["one two three four five"]])) != [[]]


def test_own_text_is_on_one_page_and_no_link():
    blocks = site(
        [["advert", "story", "teaser", "half"], ["advert", "other"]],
        [[], []],
        anchor_share=np.array([0, 0, 0.9, 0.5, 0, 0]),
    )
    assert is_own_text(blocks).tolist() == [False, True, False, True, False, True]
