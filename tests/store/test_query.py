from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.store.query import MAX_PARTS, MAX_QUERY_CHARS, MAX_TOKENS, QueryError, index_text, read_query, tokens_of


def parts(text: str) -> list[str]:
    return [" ".join(part.tokens) for part in read_query(text).parts]


@pytest.mark.parametrize(
    ("word", "tokens"),
    [
        ("Tide", ("tide",)),
        ("l'homme", ("l", "homme")),
        ("1,000", ("1", "000")),
        ("snake_case", ("snake", "case")),
        ("résumé", ("resume",)),
        ("Łódź", ("lodz",)),
        ("Straße", ("strasse",)),
        ("İSTANBUL", ("istanbul",)),
        ("ığdır", ("igdir",)),
        ("йод", ("йод",)),
        ("ΨΑΡΆΔΕΣ", ("ψαραδεσ",)),
        ("Μαΐου", ("μαιου",)),
        ("ماهي", ("ماهی",)),
        ("على", ("علی",)),
        ("الإسلام", ("الاسلام",)),
        ("مدرسة", ("مدرسه",)),
        ("شَلوم שָׁלוֹם", ("شلوم", "שלום")),
        ("ещё", ("еще",)),
        ("फ़ैसला", ("फैसला",)),
        ("हिन्दी", ("हिंदी",)),
        ("ԵՐԵՎԱՆ Երևան", ("երեվան", "երեվան")),
        ("๒๕๖๙", ("2569",)),
        ("१२.५", ("12", "5")),
        ("ＡＢＣ", ("abc",)),
        ("مُحَمَّد", ("محمد",)),
        ("北京", ("北京",)),
        ("🚢", ()),
        ("", ()),
    ],
)
def test_word_is_folded_and_cut_at_signs(word: str, tokens: tuple[str, ...]) -> None:
    assert tokens_of(word) == tokens


def test_long_tokens_are_cut_alike_in_text_and_query() -> None:
    assert index_text("x" * 70).tokens == "x" * 64
    assert parts("x" * 65) == parts("x" * 66) == ["x" * 64]
    assert parts("x" * 63) == ["x" * 63]
    assert len(tokens_of("ก" * 65)[0]) == 64


def test_words_are_counted_as_words_whatever_tokens_they_have() -> None:
    assert index_text("L'homme, 1,000 -- fois") == index_text("L'homme 1,000 fois")
    assert index_text("L'homme, 1,000 -- fois").n_words == 3
    assert index_text("L'homme, 1,000 -- fois").tokens == "l homme 1 000 fois"
    assert index_text("") == index_text(" -- !? ")


def test_query_is_words_and_phrases() -> None:
    assert parts('harbour "new york" tide') == ["harbour", "new york", "tide"]
    assert parts("“New York” «à Paris»") == ["new york", "a paris"]
    assert parts('open "to the end') == ["open", "to the end"]
    assert parts("tide Tide TIDE") == ["tide"]
    assert parts("l'homme") == ["l homme"]


def test_a_phrase_takes_as_many_words_as_it_has_and_a_word_one() -> None:
    assert [part.n_words for part in read_query('"new york" l\'homme tide').parts] == [2, 1, 1]
    (part,) = read_query("\"l'homme de l'eau\"").parts
    assert (part.tokens, part.starts, part.n_words) == (("l", "homme", "de", "l", "eau"), (0, 2, 3), 3)


def test_words_without_a_space_between_them_are_a_phrase() -> None:
    assert parts("ข่าวเศรษฐกิจ") == ["ข่าว เศรษฐกิจ"]
    assert parts("ข่าว เศรษฐกิจ") == ["ข่าว", "เศรษฐกิจ"]
    assert parts("state-of-the-art") == ["state of the art"]


@pytest.mark.parametrize("query", ["", " ", '"', '""', "***", "' = --", "\x00", "🚢"])
def test_query_without_a_word_is_refused(query: str) -> None:
    with pytest.raises(QueryError, match="names no word"):
        read_query(query)


def test_query_has_bounds() -> None:
    assert len(parts(" ".join(f"w{i}" for i in range(MAX_PARTS)))) == MAX_PARTS
    with pytest.raises(QueryError, match="33 words and phrases, allowed are 32"):
        read_query(" ".join(f"w{i}" for i in range(MAX_PARTS + 1)))
    assert parts("a" * MAX_QUERY_CHARS)
    with pytest.raises(QueryError, match="1,001 characters"):
        read_query("a" * (MAX_QUERY_CHARS + 1))


@pytest.mark.parametrize("query", ['"{}"', "{}", 'tide "{}'])
def test_tokens_of_all_parts_together_are_bounded(query: str) -> None:
    n_other = len(parts(query.format("a"))[:-1])
    assert parts(query.format("a-" * (MAX_TOKENS - n_other)))
    with pytest.raises(QueryError, match="401 words, those of its phrases counted, allowed are 400"):
        read_query(query.format("a-" * (MAX_TOKENS - n_other + 1)))


@given(st.text(max_size=60))
def test_every_text_with_a_word_can_be_asked_for(text: str) -> None:
    indexed = index_text(text)
    assert "  " not in indexed.tokens
    assert bool(indexed.tokens) <= bool(indexed.n_words)
    quoted = text.translate(str.maketrans(dict.fromkeys('"“”„‟«»＂', " ")))
    if index_text(quoted).tokens:
        assert parts(f'"{quoted}"') == [index_text(quoted).tokens]
