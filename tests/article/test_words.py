import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.article.words import MAX_CHARS, Cloud, cloud
from webmain.items import WordCount


def counts(text, language, **options):
    return {w.word: w.count for w in cloud(text, language=language, **options).words}


def test_words_are_counted_most_frequent_first_and_ties_in_order():
    found = cloud("Zebra apple zebra. Apple, zebra and the mango!", language="en")
    assert found == Cloud(
        words=(WordCount(word="zebra", count=3), WordCount(word="apple", count=2), WordCount(word="mango", count=1)),
        n_words=8,
    )


@pytest.mark.parametrize("text", ["", " \n", "... !!", "😀"])
def test_a_text_without_words_has_an_empty_cloud(text):
    assert cloud(text) == Cloud(words=(), n_words=0)


def test_the_most_frequent_form_is_shown():
    assert counts("Police police POLICE police", "en") == {"police": 4}
    assert counts("Israel ISRAEL Israel", "en") == {"Israel": 3}


def test_of_equal_forms_the_one_with_fewer_capitals_is_shown():
    assert counts("FIRE Fire fire", "en") == {"fire": 3}


def test_apostrophes_are_made_straight_and_endings_cut():
    assert counts("Trump’s Trump's Trump", "en") == {"Trump": 3}
    assert counts("L’Ukraine d'Ukraine", "fr") == {"Ukraine": 2}


def test_numbers_single_letters_and_addresses_are_left_out():
    assert counts("2026 1,000 20th x é https://example.com/fire?x=fire www.example.org fire", "en") == {"fire": 1}


def test_singular_and_plural_are_one_word_when_both_occur():
    assert counts("attack attacks attacks city cities", "en") == {"attacks": 3, "city": 2}
    assert counts("attacks attacks", "en") == {"attacks": 2}
    assert counts("church churches", "en") == {"church": 2}


@pytest.mark.parametrize(
    "text", ["new news", "William Williams", "Apple apples", "Jame James", "glass glasses", "bas bass", "Bu bus"]
)
def test_words_that_only_look_like_plurals_stay_apart(text):
    assert all(n == 1 for n in counts(text, "en").values())


def test_persian_words_are_shown_with_their_joiner():
    assert counts("می\u200cخواهم روزنامه\u200cها", "und") == {"می\u200cخواهم": 1, "روزنامه\u200cها": 1}


def test_spellings_of_one_word_are_counted_together_and_found_among_the_stop_words():
    assert counts("λιμάνι ΛΙΜΑΝΙ λιμάνι Είναι ότι αλλά", "el") == {"λιμάνι": 3}
    assert counts("țara ţara țara și şi", "ro") == {"țara": 3}
    assert counts("ماهی ماهي ماهی است", "fa") == {"ماهی": 3}


def test_plurals_are_left_alone_in_other_languages():
    assert counts("missile missiles", "fr") == {"missile": 1, "missiles": 1}


def test_korean_particles_are_counted_with_the_noun_when_both_occur():
    assert counts("세금 세금을 세금이 정부는", "ko") == {"세금": 3, "정부는": 1}
    assert counts("시장이 시장이 시장", "ko") == {"시장": 3}


def test_thai_is_segmented_and_its_stop_words_go():
    text = "โรงเรียนในจังหวัดเชียงใหม่ นักเรียนไปโรงเรียนทุกวัน เมื่อวันที่ 12 ก.พ. 2567 และครูอยู่ที่โรงเรียน"
    found = counts(text, "th")
    assert found["โรงเรียน"] == 3
    assert {"เชียงใหม่", "นักเรียน", "ครู"} <= set(found)
    assert not {"ใน", "และ", "วันที่", "ก.พ.", "12", "2567", "จังหวัด"} & set(found)


def test_english_names_in_a_thai_text_are_counted():
    assert counts("โรงเรียน Google ประกาศ Google", "th")["Google"] == 2


def test_chinese_and_japanese_words_have_two_characters_or_more():
    assert counts("国家药品监测，药品短缺。", "zh") == {"药品": 2, "国家": 1, "监测": 1, "短缺": 1}
    assert "大統領" in counts("韓国の大統領は戒厳を宣布した。", "ja")
    assert "した" not in counts("韓国の大統領は戒厳を宣布した。", "ja")


def test_the_language_is_detected_where_none_is_given():
    assert cloud("โรงเรียนและครู") == cloud("โรงเรียนและครู", language="th")


def test_number_of_words_counts_all_of_them():
    assert cloud("In 2026 the dog's x barked.", language="en").n_words == 6


def test_top_cuts_the_list_and_not_the_number_of_words():
    found = cloud("fire fire smoke water", language="en", top=1)
    assert found == Cloud(words=(WordCount(word="fire", count=2),), n_words=4)
    assert cloud("fire", language="en", top=0).words == ()
    with pytest.raises(ValueError, match="top must be 0 or more"):
        cloud("fire", top=-1)


def test_stop_words_of_the_user_are_added_or_replace_the_list():
    own = {"": frozenset({"smoke"}), "en": frozenset({"fire"})}
    assert counts("fire Smoke the", "en", own_stopwords=own) == {"the": 1}
    assert counts("feuer smoke und", "de", own_stopwords=own) == {"feuer": 1}


@given(st.text(max_size=80), st.sampled_from(["en", "th", "tr", "ja", "und", None]))
def test_the_cloud_never_counts_more_than_there_is(text, language):
    found = cloud(text, language=language)
    assert sum(w.count for w in found.words) <= found.n_words
    assert [w.count for w in found.words] == sorted((w.count for w in found.words), reverse=True)


def test_what_stands_beyond_the_limit_is_left_out():
    assert cloud("fire " * (MAX_CHARS // 5) + "smoke", language="en").n_words == MAX_CHARS // 5


def test_an_article_costs_little():
    text = " ".join(f"word{n % 200} government announced measures yesterday, they said." for n in range(80))
    cloud(text, language="en")
    started = time.process_time()
    for _ in range(10):
        cloud(text, language="en")
    assert (time.process_time() - started) / 10 < 0.02  # measured 0.0006


@pytest.mark.parametrize("piece", ["กา", "a ", "ก1", "漢", "www.", "a'", "a b c d "])
def test_long_text_costs_bounded_time(piece):
    cloud("กา", language="th")
    started = time.process_time()
    cloud(piece * MAX_CHARS, language="th")
    assert time.process_time() - started < 10  # measured up to 1.5
