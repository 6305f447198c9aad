"""Count the words of an article, for its tag cloud."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from webmain.items import Article, WordCount
from webmain.regex import lazy
from webmain.text.language import detect
from webmain.text.stopwords import EVERY_LANGUAGE, stopwords
from webmain.text.words import MAX_TERM_LENGTH, bare, base_language, fold_word, word_counts, words

MAX_CHARS = 300_000
"""Characters at the start of a text that are counted: a book of 50,000 words, at worst a second of Thai."""

MAX_REMEMBERED = 2 * MAX_TERM_LENGTH
"""Maximum characters of a word whose normal form is cached across texts."""

_FRAGMENT = lazy("[\u3041-\u309f]{2}")  # two hiragana: particles and endings that the segmenter cut off
_URL = lazy(r"(?:https?://|www\.)\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """The most frequent words of one text.

    Attributes
    ----------
    words : tuple of WordCount
        Most frequent first, equal counts in the order of their folded forms.
    n_words : int
        All words of the text, including numbers and stop words but not URLs.
    """

    words: tuple[WordCount, ...] = ()
    n_words: int = 0


def cloud(
    text: str,
    *,
    language: str | None = None,
    top: int = 50,
    own_stopwords: Mapping[str, frozenset[str]] | None = None,
) -> Cloud:
    """Return the word frequencies of a text.

    Upper and lower case are counted together and shown in the most frequent form; apostrophes are made straight. Stop words,
    numbers, words without letters or of a single character, and URLs are left out. In English, singular and plural are
    counted together if both occur; in Korean, a noun with and without its particle. About 0.3 ms for an English article of
    500 words, 5 ms for a Thai one.

    Parameters
    ----------
    text : str
        Characters beyond `MAX_CHARS` are ignored.
    language : str or None
        ISO 639 code, as returned by `webmain.text.language.detect`; None detects it.
    top : int
        Maximum words returned.
    own_stopwords : Mapping or None
        As returned by `webmain.text.stopwords.read_stopwords` for a user's file.

    Raises
    ------
    ValueError
        `top` is negative.
    """
    if top < 0:
        raise ValueError(f"top must be 0 or more, not {top}")
    found = word_forms(text, language=language, own_stopwords=own_stopwords)
    totals = {key: sum(surfaces.values()) for key, surfaces in found.forms.items()}
    least = sorted(totals.values(), reverse=True)[:top][-1:] or [0]  # sort only what can be returned
    counts = sorted((-n, key) for key, n in totals.items() if n >= least[0])
    shown = tuple(WordCount(word=shown_form(found.forms[key]), count=-n) for n, key in counts[:top])
    return Cloud(words=shown, n_words=found.n_words)


def with_words(
    article: Article, *, top: int = 50, own_stopwords: Mapping[str, frozenset[str]] | None = None
) -> Article:
    """Return an article with the words of its text counted (see `cloud`)."""
    found = cloud(article.text, language=article.language or None, top=top, own_stopwords=own_stopwords)
    return replace(article, words=found.words, n_words=found.n_words)


@dataclass(frozen=True, slots=True)
class WordForms:
    """The words of one text.

    Attributes
    ----------
    forms : dict
        By folded form, in order of first occurrence: the word's forms in the text, and how often each occurs.
    n_words : int
        As in `Cloud`.
    """

    forms: dict[str, dict[str, int]]
    n_words: int


def word_forms(
    text: str,
    *,
    language: str | None,
    own_stopwords: Mapping[str, frozenset[str]] | None = None,
    in_order: bool = False,
) -> WordForms:
    """Return all words of a text that `cloud` counts; with `in_order`, in the order of the text, at more cost."""
    text = text[:MAX_CHARS]
    if "://" in text or "www." in text.lower():
        text = _URL.sub(" ", text)
    language = base_language(detect(text).language if language is None else language)
    found = Counter(words(text, language=language)) if in_order else word_counts(text, language=language)
    own = own_stopwords or {}
    listed = own[language] if language in own and language else stopwords(language)
    forms = _surface_forms(found, language, listed.union(own.get(EVERY_LANGUAGE, ())))
    merge_forms(forms, language)
    return WordForms(forms, found.total())


def _surface_forms(found: Mapping[str, int], language: str, stop_words: frozenset[str]) -> dict[str, dict[str, int]]:
    """Group words by their folded form: for each, its forms in the text and how often each occurs."""
    forms: dict[str, dict[str, int]] = {}
    latin = language not in {"tr", "az"}
    for word, n in found.items():
        if latin and word.isascii() and word.isalpha() and len(word) <= MAX_TERM_LENGTH:
            surface, key = word, word.lower()  # as `_normal` would
        elif len(word) > MAX_REMEMBERED:
            surface, key = _normal.__wrapped__(word, language)
        else:
            surface, key = _normal(word, language)
        n_chars = len(key)
        if n_chars > 1 and key not in stop_words and not (n_chars == 2 and _FRAGMENT.fullmatch(key)):
            surfaces = forms.setdefault(key, {})
            surfaces[surface] = surfaces.get(surface, 0) + n
    return forms


@lru_cache(maxsize=16_384)
def _normal(word: str, language: str) -> tuple[str, str]:
    """Return a word as it is shown and as it is counted; cached, since few words make up most of all texts."""
    surface = bare(word, language=language)
    return surface, fold_word(surface, language=language)


def shown_form(surfaces: Mapping[str, int]) -> str:
    """Return the most frequent form; of equals the one with fewest capitals, then the shortest, then by alphabet."""
    if len(surfaces) == 1:
        return next(iter(surfaces))
    return min(surfaces, key=lambda form: (-surfaces[form], sum(map(str.isupper, form)), len(form), form))


# --- two forms of one word -------------------------------------------------------------------------------------------

_NOT_PLURALS = lazy(
    "news|politics|economics|mathematics|physics|athletics|olympics|customs|arms|goods|glasses|means|series|species|lens|"
    "times|james|williams|roberts|adams|edwards|richards|stevens|peters|phillips|rogers|davis|evans|owens|andrews|daniels|"
    "samuels|jones|johns|hughes|matthews|simmons|simons|hopkins|perkins|watkins|wilkins|marks|burns|woods|brooks|banks|"
    "hills|fields|waters|wells|bates|gates|yates|wales|athens|texas|dallas"
)
"""Words in -s that are not a plural, including surnames made of a first name and an s."""


def _singulars(plural: str) -> Iterable[str]:
    """Return the words that could be an English word's singular, the likelier first."""
    if len(plural) < 4 or plural[-1] != "s" or plural.endswith(("ss", "us", "is")) or _NOT_PLURALS.fullmatch(plural):
        return ()
    if plural.endswith("ies"):
        return (plural[:-3] + "y", plural[:-1])
    if plural.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")):
        return (plural[:-2], plural[:-1])
    return (plural[:-1],)


_KOREAN_PARTICLE = lazy("에서는?|에게|으로|까지|부터|보다|처럼|이라고|라고|이나|[은는이가을를의에도와과로만]")


def _without_particle(word: str) -> Iterable[str]:
    """Return a Korean word without the particle it could end in, the longest first."""
    return [word[:end] for end in range(max(2, len(word) - 3), len(word)) if _KOREAN_PARTICLE.fullmatch(word, end)]


_BASE_FORMS: Mapping[str, tuple[str, Callable[[str], Iterable[str]]]] = {
    "en": ("s", _singulars),
    "ko": ("", _without_particle),
}
"""By language, the ending of every word that has a base form, and a function that returns a word's possible base forms."""


def merge_forms(forms: dict[str, dict[str, int]], language: str) -> list[tuple[str, str]]:
    """Merge words into their base forms where both occur and their capitals agree; return the merged pairs.

    Korean words are then shown in the base form, however often they have a particle.
    """
    if language not in _BASE_FORMS:
        return []
    ending, base_forms = _BASE_FORMS[language]
    merged: list[tuple[str, str]] = []
    inflected = [form for form in forms if form.endswith(ending) and any(map(forms.__contains__, base_forms(form)))]
    for word in sorted(inflected, key=lambda form: (-len(form), form)):
        base = next((candidate for candidate in base_forms(word) if candidate in forms), None)
        if base and _written_alike(forms[base], forms[word]):
            surfaces = forms[base]
            shown = shown_form(surfaces) if language == "ko" else None
            for surface, n in forms.pop(word).items():
                form = shown or surface
                surfaces[form] = surfaces.get(form, 0) + n
            merged.append((word, base))
    return merged


def _written_alike(first: Mapping[str, int], second: Mapping[str, int]) -> bool:
    """Return True if two words could be the same: not if one is always a name (Apple) and the other never (apples)."""
    capitals = [{form[0].isupper() for form in forms} for forms in (first, second)]
    return bool(capitals[0] & capitals[1])
