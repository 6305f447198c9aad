"""Query parsing: the words of a text as an index holds them, and a reader's query as words and phrases.

Text and query go through the same steps, so every stored word can be found. `words` segments a text (Thai, Chinese and
Japanese too). Each word is folded (case, width, digits, accents and points, letters that are typed in two ways) and split at
every character that is not a letter, mark or digit: "l'homme" is stored as "l", "homme" and found by either, or by both in a
row.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from webmain.text.normal import is_plain
from webmain.text.words import fold_word, words

TOKENS_VERSION = 3  # raise it when the same text yields different tokens: indexes of other versions are then rebuilt

MAX_QUERY_CHARS = 1_000
MAX_PARTS = 32  # most words and phrases in one query

MAX_TOKENS = 400
"""Most tokens in one query: SQLite combines at most 500 selections, and each token of a phrase is one."""

MAX_TOKEN_CHARS = 64
"""Length at which a token is cut, in text and query alike: longer ones are hashes or encoded data."""

_ONE_LETTER = str.maketrans("ıøđłёكيىأإآٱؤئةہۀ", "iodlеکییااااویههه")
"""Letters without an accent that could be cut off, with one that many don't type, or of another keyboard."""

_POINTS = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u093c]+")  # vowels of Hebrew, the dot of Hindi
_NASALS = re.compile("\u0901|[ङञणनम]\u094d(?=[क-ह])")  # a dot in Hindi, too
_DIGITS = re.compile(r"[^\x00-\x7f\D]")
_ACCENTS = re.compile("(?<=[a-zα-ω])[\u0300-\u036f]+")
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))
_PART = re.compile(r'"([^"]*)"?|([^"\s]+)')


class QueryError(ValueError):
    """A query has no word, or too many; the message is for people."""


@dataclass(frozen=True, slots=True)
class Part:
    """A word or a phrase of a query."""

    tokens: tuple[str, ...]  # tokens that must follow each other
    # indices of the tokens that begin a word: all tokens of a phrase but those after a sign inside a word, as in
    # "l'homme"
    starts: tuple[int, ...]

    @property
    def n_words(self) -> int:
        """Number of words in one occurrence: those of a phrase; 1 for a word, however many tokens it has."""
        return len(self.starts)


@dataclass(frozen=True, slots=True)
class Query:
    """A query as written and as parsed."""

    text: str  # as the reader wrote it
    parts: tuple[Part, ...]  # distinct, in the order of the query


@lru_cache(maxsize=1 << 16)
def tokens_of(word: str) -> tuple[str, ...]:
    """Return a word's tokens in the index: one, or several if signs divide it; empty for signs alone."""
    if word.isascii() and word.isalnum():
        return (word[:MAX_TOKEN_CHARS].lower(),)
    folded = fold_word(unicodedata.normalize("NFKC", word))
    if not folded.isascii():
        folded = _NASALS.sub("\u0902", _POINTS.sub("", folded.translate(_ONE_LETTER).replace("եւ", "եվ")))
        folded = _DIGITS.sub(lambda digit: str(unicodedata.decimal(digit[0])), folded)
        decomposed = unicodedata.normalize("NFD", folded)
        folded = unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))
    return tuple(token[:MAX_TOKEN_CHARS] for token in _token_pattern(plain=is_plain(folded)).findall(folded))


@cache
def _token_pattern(*, plain: bool) -> re.Pattern[str]:
    """Return the pattern of a run of letters, marks and digits."""
    if plain:
        return re.compile(r"[^\W_]+")
    from webmain.text.normal import mark_ranges

    marks = mark_ranges(astral=True)
    return re.compile(f"(?:[^\\W_]|[{marks}])+")


@dataclass(frozen=True, slots=True)
class Indexed:
    """A text as an index holds it: its tokens, separated by single spaces, and its number of words."""

    tokens: str
    n_words: int


def index_text(text: str) -> Indexed:
    """Segment and fold a text for the index."""
    found = words(text)
    forms = {word: " ".join(tokens_of(word)) for word in set(found)}
    return Indexed(" ".join(form for word in found if (form := forms[word])), len(found))


def read_query(text: str) -> Query:
    """Parse a query: words, and phrases in quotation marks; there is no other syntax and no syntax error.

    `text`: words written without a space between them (Thai, Chinese, "state-of-the-art") form a phrase. An unclosed
    quotation mark extends to the end.
    Raises QueryError if it contains no word, or more than `MAX_PARTS` words and phrases, `MAX_TOKENS` tokens in all, or
    `MAX_QUERY_CHARS` characters.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise QueryError(f"the query has {len(text):,} characters, allowed are {MAX_QUERY_CHARS:,}")
    parts: dict[tuple[str, ...], Part] = {}
    for match in _PART.finditer(text.translate(_QUOTES)):
        found = [tokens for word in words(match[1] or match[2] or "") if (tokens := tokens_of(word))]
        in_a_row = tuple(token for tokens in found for token in tokens)
        if in_a_row:
            starts = itertools.accumulate(map(len, found[:-1]), initial=0)
            parts.setdefault(in_a_row, Part(in_a_row, tuple(starts)))
    if not parts:
        raise QueryError(f"the query {text!r} names no word: give a word with a letter or a digit")
    if len(parts) > MAX_PARTS:
        raise QueryError(f"the query names {len(parts)} words and phrases, allowed are {MAX_PARTS}")
    n_tokens = sum(map(len, parts))
    if n_tokens > MAX_TOKENS:
        raise QueryError(f"the query has {n_tokens} words, those of its phrases counted, allowed are {MAX_TOKENS}")
    return Query(text, tuple(parts.values()))
