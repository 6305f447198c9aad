"""Signals that tell running text from lists, menus, generated and broken text; and thresholds by language to drop by.

Everything is a count or a ratio over lines, paragraphs and words; nothing is dropped unless asked (`verdict`). Words
are given by the caller, from the language's own segmentation: splitting at spaces would make one word of a Thai
sentence.

References: Gopher (Rae et al. 2021, arXiv 2112.11446, table A1), C4 (Raffel et al. 2020, section 2.2), FineWeb and
FineWeb-2 (Penedo et al. 2024, 2025). Deviations: paragraphs are those of the article (blank lines); n-gram shares are
of characters in words.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

_TERMINAL = frozenset(".!?\"'”’»…。！？」』。؟۔।॥๏ฯ")
_SENTENCE_ENDS = frozenset(".!?。！？؟۔।॥")
_BULLETS = ("•", "‣", "◦", "●", "○", "▪", "■", "□", "▸", "►", "-", "*", "–", "·")
_ELLIPSES = ("...", "…")
_SHORT_LINE = 30
MAX_WORDS = 100_000
"""Words looked at for n-grams; a longer text is out of bounds anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QualitySignals:
    """What a text looks like; ratios in [0, 1], 0 where there is nothing to divide by.

    Attributes
    ----------
    n_words, n_sentences : int
        Words as given; sentence-ending marks that are followed by white space or the end (in Thai, none: see
        `short_lines`).
    mean_word_length : float
        Unicode characters a word.
    symbols_per_word : float
        Number signs and ellipses by words (Gopher); not bounded by 1.
    bullet_lines, ellipsis_lines : float
        Share of lines that begin with a bullet, or end in an ellipsis (Gopher).
    words_with_letter : float
        Share of words with a letter or a letter's mark (Gopher).
    stop_words : int
        How many different stop words occur (Gopher asks for 2).
    duplicate_lines, duplicate_paragraphs : float
        Share of lines, or paragraphs, that stood there before.
    duplicate_line_characters, duplicate_paragraph_characters : float
        The same by characters.
    top_2_gram, top_3_gram, top_4_gram : float
        Share of the words' characters in the most frequent n-gram.
    duplicate_5_grams ... duplicate_10_grams : float
        Share of the words' characters in n-grams that occur more than once, each character counted once.
    terminal_lines, short_lines : float
        Share of lines that end in a terminal mark; of at most 30 characters (C4, FineWeb).
    newlines_per_word : float
        New lines by words (FineWeb).
    curly_brackets, lorem_ipsum : bool
        C4's marks of code and of filler text.
    """

    n_words: int
    n_sentences: int
    mean_word_length: float
    symbols_per_word: float
    bullet_lines: float
    ellipsis_lines: float
    words_with_letter: float
    stop_words: int
    duplicate_lines: float
    duplicate_paragraphs: float
    duplicate_line_characters: float
    duplicate_paragraph_characters: float
    top_2_gram: float
    top_3_gram: float
    top_4_gram: float
    duplicate_5_grams: float
    duplicate_6_grams: float
    duplicate_7_grams: float
    duplicate_8_grams: float
    duplicate_9_grams: float
    duplicate_10_grams: float
    terminal_lines: float
    short_lines: float
    newlines_per_word: float
    curly_brackets: bool
    lorem_ipsum: bool


Bound = tuple[float, float]
"""The least and the greatest value that a signal may have."""

_INF = float("inf")

_GENERAL: dict[str, Bound] = {
    "n_words": (50, 100_000),
    "mean_word_length": (3, 10),
    "symbols_per_word": (0, 0.1),
    "bullet_lines": (0, 0.9),
    "ellipsis_lines": (0, 0.3),
    "words_with_letter": (0.8, 1),
    "stop_words": (2, _INF),
    "duplicate_lines": (0, 0.3),
    "duplicate_paragraphs": (0, 0.3),
    "duplicate_line_characters": (0, 0.2),
    "duplicate_paragraph_characters": (0, 0.2),
    "top_2_gram": (0, 0.2),
    "top_3_gram": (0, 0.18),
    "top_4_gram": (0, 0.16),
    "duplicate_5_grams": (0, 0.15),
    "duplicate_6_grams": (0, 0.14),
    "duplicate_7_grams": (0, 0.13),
    "duplicate_8_grams": (0, 0.12),
    "duplicate_9_grams": (0, 0.11),
    "duplicate_10_grams": (0, 0.1),
    "terminal_lines": (0.12, 1),
    "short_lines": (0, 0.67),
    "newlines_per_word": (0, 0.3),
}

_BY_LANGUAGE: dict[str, dict[str, Bound]] = {
    "th": {
        "mean_word_length": (2, 10),
        "words_with_letter": (0.9, 1),
        "duplicate_lines": (0, 0.349),
        "terminal_lines": (0, 1),
        "newlines_per_word": (0, 0.153),
        "top_2_gram": (0, 0.221),
        "top_3_gram": (0, 0.197),
        "top_4_gram": (0, 0.162),
        "duplicate_5_grams": (0, 0.185),
        "duplicate_6_grams": (0, 0.17),
        "duplicate_7_grams": (0, 0.155),
        "duplicate_8_grams": (0, 0.141),
        "duplicate_9_grams": (0, 0.126),
        "duplicate_10_grams": (0, 0.111),
    },
    "ja": {
        "mean_word_length": (1, 6),
        "words_with_letter": (0.759, 1),
        "duplicate_lines": (0, 0.328),
        "terminal_lines": (0.096, 1),
        "newlines_per_word": (0, 0.13),
    },
    "zh": {
        "mean_word_length": (1, 5),
        "words_with_letter": (0.735, 1),
        "duplicate_lines": (0, 0.287),
        "terminal_lines": (0.106, 1),
        "newlines_per_word": (0, 0.178),
    },
    "de": {
        "mean_word_length": (0, 15),
        "words_with_letter": (0.774, 1),
        "duplicate_lines": (0, 0.263),
        "terminal_lines": (0, 1),
        "newlines_per_word": (0, 0.152),
    },
}


def thresholds(language: str | None) -> Mapping[str, Bound]:
    """Return the bounds for a language: the published ones, and those fitted to Thai, Japanese, Chinese and German."""
    return _GENERAL | _BY_LANGUAGE.get((language or "").partition("-")[0].lower(), {})


def verdict(quality: QualitySignals, bounds: Mapping[str, Bound]) -> tuple[str, ...]:
    """Return the names of the signals that are out of bounds, in order; empty for a text to keep.

    Raises
    ------
    ValueError
        A bound names no signal.
    """
    known = [f.name for f in fields(quality)]
    for name in bounds:
        if name not in known:
            raise ValueError(f"{name!r} is no quality signal; they are {', '.join(known)}")
    return tuple(n for n in known if n in bounds and not bounds[n][0] <= getattr(quality, n) <= bounds[n][1])


def signals(text: str, words: Sequence[str], stop_words: frozenset[str]) -> QualitySignals:
    """Measure a text; linear in its length.

    Parameters
    ----------
    text : str
        Paragraphs separated by blank lines, as `Article.text`.
    words : sequence of str
        The words of the text in order, by the language's own segmentation; those past 100,000 are counted, not
        compared.
    stop_words : frozenset of str
        Of the language, in lower case.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    paragraphs = [p.strip() for p in text.split("\n\n") if p.strip()]
    folded = [word.casefold() for word in words[:MAX_WORDS]]
    symbols = text.count("#") + text.count("...") + text.count("…")
    repeated = {n: _duplicate_share(folded, n) for n in range(5, 11)}
    return QualitySignals(
        n_words=len(words),
        n_sentences=_sentences(text),
        mean_word_length=_ratio(sum(map(len, words)), len(words)),
        symbols_per_word=_ratio(symbols, len(words)),
        bullet_lines=_share(line.startswith(_BULLETS) for line in lines),
        ellipsis_lines=_share(line.endswith(_ELLIPSES) for line in lines),
        words_with_letter=_share(any(map(_is_letter, word)) for word in words),
        stop_words=len(stop_words.intersection(folded)),
        duplicate_lines=_ratio(len(lines) - len(set(lines)), len(lines)),
        duplicate_paragraphs=_ratio(len(paragraphs) - len(set(paragraphs)), len(paragraphs)),
        duplicate_line_characters=_repeated_characters(lines),
        duplicate_paragraph_characters=_repeated_characters(paragraphs),
        top_2_gram=_top_share(folded, 2),
        top_3_gram=_top_share(folded, 3),
        top_4_gram=_top_share(folded, 4),
        duplicate_5_grams=repeated[5],
        duplicate_6_grams=repeated[6],
        duplicate_7_grams=repeated[7],
        duplicate_8_grams=repeated[8],
        duplicate_9_grams=repeated[9],
        duplicate_10_grams=repeated[10],
        terminal_lines=_share(line[-1] in _TERMINAL for line in lines),
        short_lines=_share(len(line) <= _SHORT_LINE for line in lines),
        newlines_per_word=_ratio(text.count("\n"), len(words)),
        curly_brackets="{" in text,
        lorem_ipsum="lorem ipsum" in text.lower(),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _share(tests: Iterable[bool]) -> float:
    """Return the share of the tests that are true."""
    values = list(tests)
    return _ratio(sum(values), len(values))


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LM"


def _sentences(text: str) -> int:
    """Count runs of sentence-ending marks; a full stop only before white space or the end, wide marks anywhere."""
    n = 0
    for i, character in enumerate(text):
        if character not in _SENTENCE_ENDS:
            continue
        after = text[i + 1 : i + 2]
        n += (
            not after or after.isspace() or after in "\"'”’»)" or (character > "\u3000" and after not in _SENTENCE_ENDS)
        )
    return n


def _repeated_characters(pieces: Sequence[str]) -> float:
    """Return the share of characters in pieces that stood there before."""
    seen: set[str] = set()
    repeated = 0
    for piece in pieces:
        repeated += len(piece) if piece in seen else 0
        seen.add(piece)
    return _ratio(repeated, sum(map(len, pieces)))


def _top_share(words: Sequence[str], n: int) -> float:
    """Return the share of the words' characters in the most frequent n-gram, if it occurs more than once."""
    grams = Counter(zip(*(words[i:] for i in range(n)), strict=False))
    if not grams:
        return 0.0
    count = max(grams.values())
    if count < 2:
        return 0.0
    longest = max(sum(map(len, gram)) for gram, times in grams.items() if times == count)
    return min(1.0, _ratio(longest * count, sum(map(len, words))))


def _duplicate_share(words: Sequence[str], n: int) -> float:
    """Return the share of the words' characters in n-grams that stood there before, each counted once."""
    seen: set[int] = set()
    covered = 0
    first_free = 0
    for i in range(len(words) - n + 1):
        gram = hash(tuple(words[i : i + n]))
        if gram in seen:
            covered += sum(len(word) for word in words[max(i, first_free) : i + n])
            first_free = i + n
        seen.add(gram)
    return _ratio(covered, sum(map(len, words)))
