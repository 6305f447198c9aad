"""Count words over any number of articles, with one article in memory at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from webmain.article.words import merge_forms, shown_form, word_forms
from webmain.cloud.records import CloudWord
from webmain.items import Article
from webmain.text.language import detect
from webmain.text.words import base_language

MAX_WORDS = 200_000  # maximum distinct words in memory, some 100 MB; when there are more, the rarest half is dropped


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The words of some articles."""

    words: Mapping[str, CloudWord]  # by folded form, in order of first occurrence
    # articles and words counted, including stop words and numbers
    n_articles: int
    n_words: int
    language: str  # language of most words; "" if unknown
    # maximum error of a count, since rare words may have been dropped (`MAX_WORDS`); nearly always 0
    uncertain: int = 0


@dataclass(slots=True)
class _Entry:
    surfaces: dict[str, int] = field(default_factory=dict)
    n_articles: int = 0

    @property
    def count(self) -> int:
        return sum(self.surfaces.values())


class Counting:
    """Counts the words of one article after another; each language has its own stop words and base forms.

    `own_stopwords` are what `webmain.text.stopwords.read_stopwords` read from a user's file.
    """

    def __init__(
        self, *, own_stopwords: Mapping[str, frozenset[str]] | None = None, max_words: int = MAX_WORDS
    ) -> None:
        self._own = own_stopwords or {}
        self._max_words = max_words
        self._entries: dict[str, dict[str, _Entry]] = {}
        self._n_words: Counter[str] = Counter()
        self._n_articles = self._n_distinct = self._uncertain = 0

    def add(self, text: str, *, language: str | None = None) -> None:
        """Count a text as one article; its language is detected if not given."""
        code = base_language(language or detect(text).language)
        found = word_forms(text, language=code, own_stopwords=self._own, in_order=not self._n_articles)
        entries = self._entries.setdefault(code, {})
        before = len(entries)
        for key, surfaces in found.forms.items():
            entry = entries.setdefault(key, _Entry())
            entry.n_articles += 1
            for surface, n in surfaces.items():
                entry.surfaces[surface] = entry.surfaces.get(surface, 0) + n
        self._n_words[code] += found.n_words
        self._n_articles += 1
        self._n_distinct += len(entries) - before
        if self._n_distinct > self._max_words:
            self._drop_rarest()

    def counts(self) -> Counts:
        """Return the counts so far; more articles may be added afterwards."""
        words: dict[str, CloudWord] = {}
        for language, entries in self._entries.items():
            for key, entry in _merged(entries, language).items():
                one = CloudWord(
                    word=shown_form(entry.surfaces), count=entry.count, n_articles=entry.n_articles, language=language
                )
                words[key] = _joined(words[key], one) if key in words else one
        most = max(self._n_words, key=lambda code: (self._n_words[code], code), default="")
        return Counts(
            words=words,
            n_articles=self._n_articles,
            n_words=self._n_words.total(),
            language="" if most in ("und", "zxx") else most,
            uncertain=self._uncertain,
        )

    def _drop_rarest(self) -> None:
        """Drop the rarest words, so that at most half of those allowed are left."""
        every = sorted((entry.count for entries in self._entries.values() for entry in entries.values()), reverse=True)
        least = every[self._max_words // 2]
        for language, entries in self._entries.items():
            self._entries[language] = {key: entry for key, entry in entries.items() if entry.count > least}
        self._n_distinct = sum(map(len, self._entries.values()))
        self._uncertain += least


def count(articles: Iterable[Article], *, own_stopwords: Mapping[str, frozenset[str]] | None = None) -> Counts:
    """Return the counts of the words of articles."""
    counting = Counting(own_stopwords=own_stopwords)
    for article in articles:
        counting.add(article.text, language=article.language or None)
    return counting.counts()


def _merged(entries: Mapping[str, _Entry], language: str) -> dict[str, _Entry]:
    """Return words counted with their base forms; no article counts twice, since each has merged its own already."""
    forms = {key: dict(entry.surfaces) for key, entry in entries.items()}
    n_articles = {key: entry.n_articles for key, entry in entries.items()}
    for word, base in merge_forms(forms, language):
        n_articles[base] += n_articles[word]
    return {key: _Entry(surfaces, n_articles[key]) for key, surfaces in forms.items()}


def _joined(first: CloudWord, second: CloudWord) -> CloudWord:
    """Return a word of two languages as one, in the form of the language that has it more often."""
    most = max(first, second, key=lambda one: one.count)
    return replace(most, count=first.count + second.count, n_articles=first.n_articles + second.n_articles)
