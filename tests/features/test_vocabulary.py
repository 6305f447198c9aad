"""Words of class names and of short lines, as bits."""

import time

import pytest

from webmain.features.page_blocks import MAX_NAME_CHARS, cue_bits, name_bits
from webmain.features.vocabulary import vocabulary


def named(bits, groups):
    return {name for place, name in enumerate(groups) if bits >> place & 1}


def names_of(name):
    return named(name_bits(name), vocabulary().names)


def cues_of(text, *, unspaced=False):
    return named(cue_bits(text.casefold(), unspaced=unspaced), vocabulary().cues)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", set()),
        ("x17 zz", set()),
        ("comments", {"comment"}),
        ("comment-list", {"comment", "item"}),
        ("commentList", {"comment", "item"}),
        ("COMMENT_BODY", {"comment", "content"}),
        ("CommentBody", {"comment", "content"}),
        ("nav-2", {"nav"}),
        ("social-share", {"share"}),
        ("site-footer", {"footer"}),
        ("uncommented", set()),  # a part of a word is no word
        ("adverb", set()),
        ("sidebar", {"aside"}),
        ("kommentare", {"comment"}),
        ("pull-quote", {"quote"}),
        ("subtitle", {"lead", "title"}),
    ],
)
def test_words_of_class_names_tell_the_group(name, expected):
    assert names_of(name) == expected


def test_a_name_is_read_up_to_a_length():
    assert names_of("x" * (MAX_NAME_CHARS - 8) + " comment") == {"comment"}
    assert names_of("x" * MAX_NAME_CHARS + " comment") == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", set()),
        ("The tide came in over the quay", set()),
        ("Comments", {"comments"}),
        ("12 comments", {"comments"}),
        ("Kommentare (3)", {"comments"}),
        ("Lesen Sie auch", {"related"}),
        ("Teilen", {"share"}),
        ("© 2026 Fenland Post", {"legal"}),
        ("Photo: Tamsin Orrick", {"byline"}),
        ("Комментарии", {"comments"}),
        ("About the author", {"about", "byline"}),
        ("टिप्पणियाँ", {"comments"}),  # vowel signs belong to the word
        ("संबंधित खबरें", {"related"}),
        ("one two three four five six comments", set()),  # the first words only
    ],
)
def test_the_first_words_of_a_line_tell_the_group(text, expected):
    assert cues_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("แสดงความคิดเห็น", "comments"),
        ("ข่าวที่เกี่ยวข้อง", "related"),
        ("相关新闻", "related"),
        ("评论", "comments"),
        ("コメント", "comments"),
        ("版权所有", "legal"),
        ("แท็ก", "about"),
    ],
)
def test_cues_without_spaces_are_found_where_they_are_looked_for(text, expected):
    assert expected in cues_of(text, unspaced=True)
    assert cues_of(text) == set()


def test_long_texts_are_read_at_their_beginning_only():
    assert cues_of("x" * 100 + " comments") == set()
    assert cues_of("ข" * 100 + "แสดงความคิดเห็น", unspaced=True) == set()


def test_every_word_is_written_as_it_is_looked_up():
    for words in vocabulary().names.values():
        for word in words:
            if word.isalpha():
                assert name_bits(word), word
    for words in vocabulary().cues.values():
        for word in words:
            assert cue_bits(word, unspaced=False), word


def test_hostile_names_and_lines_cost_nothing():
    start = time.perf_counter()
    for text in ("aA" * 500_000, "-" * 1_000_000, "a'" * 500_000, "ความ" * 250_000):
        name_bits(text)
        cue_bits(text.casefold(), unspaced=True)
    assert time.perf_counter() - start < 1
