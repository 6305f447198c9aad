"""Counting words chunk by chunk gives what segmenting the whole text gives."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webmain.article.words import cloud, cloud_of_words
from webmain.text.words import word_counts, words

_TRICKY = (
    " \n\t\r\u00a0\u202f\u2028\u3000\u200b\u200d\u00ad\ufeff.,:;'\u2019\"-\u2013_/@#%&()\u00b7\u2024\u203f\u0301\u20e3"
)
_LETTERS = "abSzU\u00e9\u00df\u0130\u0131\u0149\u00b2\u00bd\u02d0\u02c2\u03b1\u0436\u05d0\u05f4\u0627\u064e\u0915\u093e"
_OTHERS = (
    "\u0e01\u0e32\u0e46\u0e40\u0e48\u4e2d\u56fd\u3042\u30ab\u30fc\ud55c\u1780\u1000\u0e81\U0001f600\U0001f1e9\ud800"
)
_WORDS = (
    "U.S.",
    "e.g",
    "don\u2019t",
    "1,000.5",
    "3D",
    "l\u00b7l",
    "S:t",
    "co-op",
    "a_b",
    "\u0e1e.\u0e28.",
    "x'",
    "20\u202f000",
)

texts = st.lists(
    st.one_of(st.text(_TRICKY + _LETTERS + _OTHERS + "019", max_size=6), st.sampled_from((*_WORDS, " ", "\n"))),
    max_size=25,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(texts, st.sampled_from((None, "en", "sv", "fi", "tr", "th", "ja")))
def test_counts_are_those_of_the_words_in_order(text, language):
    assert +word_counts(text, language=language) == Counter(words(text, language=language))
    assert all(n > 0 for n in word_counts(text, language=language).values())


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.sampled_from((None, "sv")))
def test_counts_are_those_of_the_words_in_any_script(text, language):
    assert word_counts(text, language=language) == Counter(words(text, language=language))


@pytest.mark.parametrize(
    "around", ["{}", "ab{}", "{}ab", "ab{}ab", "9{}", "{}9", "9{}9", "ab{}9", "ab\u2019{}b", "({}\u2019\u00bb"]
)
@pytest.mark.parametrize("language", ["en", "sv"])
def test_every_character_of_the_basic_plane_is_counted_as_it_is_segmented(around, language):
    # Chunks are looked at one by one: a space between them makes one text of all.
    text = " ".join(around.format(chr(point)) for point in range(0x21, 0x3100) if not 0x0E00 <= point < 0x0E80)
    assert word_counts(text, language=language) == Counter(words(text, language=language))


def test_repeated_chunks_count_as_often_as_they_occur():
    text = "The well-known U.S. policy, the well-known U.S. policy. 1,5 1,5 \u0e01\u0e32\u0e23\u0e40\u0e21\u0e37\u0e2d\u0e07"
    counts = word_counts(text, language="en")
    assert (counts["well"], counts["U.S."], counts["1,5"], counts["the"], counts["policy"]) == (2, 2, 2, 1, 2)
    assert counts == Counter(words(text, language="en"))


@settings(max_examples=100, deadline=None)
@given(texts, st.sampled_from(("en", "tr", "fr", "ko", "")), st.integers(0, 5))
def test_the_cloud_of_a_text_is_the_cloud_of_its_words(text, language, top):
    segmented = words(text, language=language)
    assert cloud(text, language=language, top=top) == cloud_of_words(segmented, language=language, top=top)


def test_a_word_longer_than_any_term_is_counted_but_not_shown():
    found = cloud("\u00e9" * 5_000 + " caf\u00e9 caf\u00e9", language="fr")
    assert [(w.word, w.count) for w in found.words] == [("caf\u00e9", 2)]
    assert found.n_words == 3


def test_the_first_text_of_a_process_is_segmented_as_all_later_ones():
    code = "from webmain.text.words import words; print(words('ーあ') == words('ーあ') == ['ー', 'あ'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
