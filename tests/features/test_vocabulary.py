"""Words of class names, as bits."""

import time

import pytest

from webmain.features.page_blocks import MAX_NAME_CHARS, name_bits
from webmain.features.vocabulary import vocabulary


def named(bits, groups):
    return {name for place, name in enumerate(groups) if bits >> place & 1}


def names_of(name):
    return named(name_bits(name), vocabulary().names)


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


def test_every_word_is_written_as_it_is_looked_up():
    for words in vocabulary().names.values():
        for word in words:
            if word.isalpha():
                assert name_bits(word), word


def test_hostile_names_cost_nothing():
    start = time.process_time()
    for text in ("aA" * 500_000, "-" * 1_000_000, "a'" * 500_000, "ความ" * 250_000):
        name_bits(text)
    assert time.process_time() - start < 1
