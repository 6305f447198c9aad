import pytest

from webmain.text.stopwords import EVERY_LANGUAGE, StopWordFileError, read_stopwords, stopwords


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("en", "the"), ("en", "don't"), ("en-GB", "said"), ("fa", "می\u200cشود".replace("\u200c", "")),
        ("de", "und"), ("de", "dass"), ("fr", "année"), ("th", "ปี"), ("th", "คน"), ("th", "วันที่"), ("th", "และ"),
        ("ja", "する"), ("zh-CN", "表示"), ("nb", "og"), ("tr", "olarak"), ("ar", "في"),
        ("te", "మరియు"), ("ml", "ഒരു"), ("kn", "ಎಂದು"), ("pa", "ਦੀ"), ("si", "සහ"),
        ("ne", "छ"), ("or", "ଏବଂ"), ("sr", "није"), ("sr", "nije"),
        ("mk", "дека"), ("be", "гэта"), ("uk", "також"), ("kk", "және"), ("ky", "жана"), ("mn", "байна"),
        ("tg", "аст"), ("uz", "bilan"), ("ps", "چې"), ("hy", "այս"),
        ("ro", "și"), ("el", "ειναι"), ("el", "γιατι"), ("hi", "गई"), ("ko", "말했다"),
        ("az", "və"), ("cy", "mae"), ("is", "og"), ("sq", "dhe"),
        ("ur", "میں"), ("et", "kes"), ("lv", "nav"), ("hr", "također"), ("af", "hierdie"),
        ("ckb", "لە"), ("ku", "دەڵێت"),
    ],
)  # fmt: skip
def test_function_words_and_words_of_all_news_are_stop_words(language, word):
    assert word in stopwords(language)


@pytest.mark.parametrize("word", ["world", "state", "home", "president", "police", "u.s."])
def test_the_english_list_keeps_what_articles_are_about(word):
    assert word not in stopwords("en")


@pytest.mark.parametrize("language", [None, "", "und", "zxx", "xx", "../en"])
def test_an_unknown_language_has_no_stop_words(language):
    assert stopwords(language) == frozenset()


def test_stop_words_are_folded_as_terms_are():
    for language in ("en", "de", "fr", "tr", "el", "th"):
        assert all(word and word == word.strip() and "’" not in word for word in stopwords(language))
    assert "dass" in stopwords("de")  # also the folded form of "daß"


def test_a_users_file_lists_words_by_language(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("\ufeffAdvertisement  # everywhere\n\n[en]\nDon’t The\n[th]\nข่าว\n[en]\nmore\n", "utf-8")
    assert read_stopwords(path) == {EVERY_LANGUAGE: {"advertisement"}, "en": {"don't", "the", "more"}, "th": {"ข่าว"}}


@pytest.mark.parametrize("heading", ["[]", "[English]", "[en us]", "[1]"])
def test_a_bad_heading_is_named_with_its_line(tmp_path, heading):
    path = tmp_path / "stop.txt"
    path.write_text(f"word\n{heading}\n", "utf-8")
    with pytest.raises(StopWordFileError, match=r"stop\.txt, line 2"):
        read_stopwords(path)


def test_an_unreadable_file_is_named(tmp_path):
    with pytest.raises(StopWordFileError, match=r"missing\.txt"):
        read_stopwords(tmp_path / "missing.txt")
    (tmp_path / "latin.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(StopWordFileError, match=r"latin\.txt"):
        read_stopwords(tmp_path / "latin.txt")
