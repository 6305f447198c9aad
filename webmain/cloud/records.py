"""Records of a tag cloud."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from webmain.items import WordCount

Direction: TypeAlias = Literal["ltr", "rtl"]

_KEYS = ("title", "language", "direction", "n_articles", "n_words", "words")


class CloudError(ValueError):
    """A cloud cannot be made; the message is for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyness:
    """How typical a word is of some articles (A) against others (B)."""

    log_likelihood: float  # G2; above 3.84, 6.63, 10.83, 15.13 the difference is significant at 5 %, 1 %, .1 %, .01 %
    # binary logarithm of the ratio of the word's shares in A and B: 1 is twice as frequent, below 0 it is rarer in A.
    # An absent word counts as half an occurrence.
    log_ratio: float
    count_against: int  # occurrences in B


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudWord:
    """A word of a cloud."""

    word: str  # the form that is most frequent
    # occurrences of all its forms, and in how many articles
    count: int
    n_articles: int
    # in (0, 1]: the count, or the log-likelihood, divided by the greatest of the cloud; 0 before words are chosen
    weight: float = 0.0
    language: str = ""  # ISO 639 code of the articles in which it is most frequent; "" if unknown
    keyness: Keyness | None = None  # where the cloud compares

    @property
    def direction(self) -> Direction:
        """The direction in which the word is written."""
        return direction_of(self.word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """Words with their weights, ready to be drawn."""

    words: tuple[CloudWord, ...]  # greatest weight first
    title: str = ""  # what was counted: an article's title, or the filters
    language: str = ""  # of most words counted; "" if unknown
    # what was counted, stop words among the words
    n_articles: int = 0
    n_words: int = 0
    uncertain: int = 0  # maximum error of a count: see `webmain.cloud.counting.Counts`
    in_order: tuple[int, ...] = ()  # indices into `words` in the order of the texts

    @property
    def direction(self) -> Direction:
        """The direction of most of the cloud, by weight."""
        right = sum(word.weight for word in self.words if word.direction == "rtl")
        return "rtl" if 2 * right > sum(word.weight for word in self.words) else "ltr"

    def to_dict(self) -> dict[str, Any]:
        """Return the cloud as JSON types only."""
        record = asdict(self) | {"direction": self.direction}
        return {key: record[key] for key in _KEYS}


def cloud_of(words: Sequence[WordCount], *, language: str, title: str) -> Cloud:
    """Return the cloud of an article's words, the most frequent first, as `Article.words` has them."""
    found = tuple(
        CloudWord(word=one.word, count=one.count, n_articles=1, weight=one.count / words[0].count, language=language)
        for one in words
    )
    return Cloud(words=found, title=title, language=language, n_articles=1, in_order=tuple(range(len(found))))


def direction_of(text: str) -> Direction:
    """Return the direction of a text's first letter."""
    first = next((kind for kind in map(unicodedata.bidirectional, text) if kind in ("L", "R", "AL")), "L")
    return "ltr" if first == "L" else "rtl"
