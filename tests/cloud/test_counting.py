import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.cloud.counting import Counting, count
from webmain.cloud.keyness import frequent
from webmain.items import Article
from webmain.text.stopwords import EVERY_LANGUAGE


def counted(*texts, language="en", **options):
    counting = Counting(**options)
    for text in texts:
        counting.add(text, language=language)
    return counting.counts()


def shown(counts, top=50):
    return {one.word: (one.count, one.n_articles) for one in frequent(counts, top=top).words}


def test_words_are_summed_over_articles_in_their_most_frequent_form():
    found = counted("Tide, tide and TIDE.", "The Tide. Quay!", "quay")
    assert shown(found) == {"Tide": (4, 2), "quay": (2, 2)}
    assert (found.n_articles, found.n_words, found.language) == (3, 8, "en")


def test_singular_and_plural_of_different_articles_are_one_word():
    assert shown(counted("boats boats", "a boat", "boat and boats")) == {"boats": (5, 3)}


def test_each_language_has_its_own_stop_words():
    counting = Counting()
    counting.add("die Flut", language="de")
    counting.add("die hard", language="en")
    assert set(shown(counting.counts())) == {"Flut", "die", "hard"}


def test_a_word_of_two_languages_is_one_with_the_language_that_has_it_more():
    counting = Counting()
    counting.add("Covid Covid", language="en")
    counting.add("โควิด Covid", language="th")
    (covid, _) = frequent(counting.counts(), top=5).words
    assert (covid.word, covid.count, covid.n_articles, covid.language) == ("Covid", 3, 2, "en")


def test_thai_is_segmented_and_its_marks_stay():
    assert "น้ำท่วม" in shown(counted("น้ำท่วมกรุงเทพมหานคร น้ำท่วม", language="th"))


def test_own_stop_words_replace_those_of_a_language():
    own = {EVERY_LANGUAGE: frozenset({"tide"}), "en": frozenset()}
    assert set(shown(counted("the tide the quay", own_stopwords=own))) == {"the", "quay"}


def test_the_language_is_detected_where_none_is_given():
    assert counted("ตลาดน้ำยามเช้า", language=None).language == "th"


def test_order_is_that_of_the_first_text():
    found = frequent(counted("zebra apple ตลาด mango apple mango mango"), top=9)
    assert [found.words[place].word for place in found.in_order] == ["zebra", "apple", "ตลาด", "mango"]


def test_no_article_gives_no_word():
    assert frequent(count([]), top=5).words == ()


def test_memory_is_bounded_and_frequent_words_stay():
    counting = Counting(max_words=2_000)
    for n in range(100):
        letters = [
            chr(97 + n // 26) + chr(97 + n % 26) + "".join(chr(97 + int(d)) for d in f"{i:03}") for i in range(500)
        ]
        counting.add("harbour " * 5 + " ".join(letters), language="xx")
    found = counting.counts()
    assert len(found.words) <= 2_000
    assert frequent(found, top=1).uncertain == found.uncertain > 0
    assert found.words["harbour"].count >= 500 - found.uncertain
    assert found.words["harbour"].n_articles == 100


@pytest.mark.slow
def test_a_store_is_counted_one_article_at_a_time():
    def articles():
        for n in range(400):
            yield Article(text=f"harbour quay number{n} " * 1_000, language="en")

    tracemalloc.start()
    found = count(articles())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.n_articles == 400
    assert peak < 8_000_000, "400 articles of 24 KB were held"


@given(st.lists(st.lists(st.sampled_from("tide quay Quay ตลาด moon's COVID 12 the".split()), max_size=9), max_size=6))
def test_counts_add_up_and_no_word_is_in_more_articles_than_there_are(articles):
    texts = [" ".join(words) for words in articles]
    found = counted(*texts)
    assert found.n_articles == len(texts)
    assert found.n_words == sum(counted(text).n_words for text in texts)
    for key, word in found.words.items():
        alone = [counted(text).words.get(key) for text in texts]
        assert word.count == sum(one.count for one in alone if one)
        assert word.n_articles == sum(one is not None for one in alone)
