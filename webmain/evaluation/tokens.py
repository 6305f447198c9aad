"""Tokens for comparing two texts: words, or runs of four characters in scripts without spaces between words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from webmain.text.normal import is_unspaced
from webmain.text.words import base_language, spaced_words

N_CHARACTERS = 4
"""Characters in a token of an unspaced script; fewer (Han, Thai) cannot separate an article from the comments below it."""

UNSPACED_LANGUAGES = frozenset({"ja", "km", "lo", "my", "nan", "shn", "th", "wuu", "yue", "zh"})
"""Languages written without spaces between words, ISO 639."""

_UNDETERMINED = frozenset({"", "mis", "mul", "und", "zxx"})


class Unit(StrEnum):
    """The kind of token."""

    WORDS = "words"
    CHARACTERS = "character 4-grams"


def unit_of(gold: str, language: str = "") -> Unit:
    """Return the kind of token by which a page is compared: by its language, or by its gold text if that is unknown.

    `CHARACTERS` for the languages of `UNSPACED_LANGUAGES` (ISO 639 codes, with or without a region), and for a gold
    text of an unknown language of whose letters at least half are of scripts without spaces. A prediction cannot change
    the unit.
    """
    base = base_language(language)
    unspaced = is_unspaced(gold) if base in _UNDETERMINED else base in UNSPACED_LANGUAGES
    return Unit.CHARACTERS if unspaced else Unit.WORDS


def tokens(text: str, unit: Unit = Unit.WORDS, *, fold_case: bool = True) -> list[str]:
    """Return the tokens of a text in order: `spaced_words`, or runs of `N_CHARACTERS` letters, marks and digits.

    A run starts at each character, whatever is between them. A text of fewer is one token; without any there is none.
    """
    found = spaced_words(text, fold_case=fold_case)
    if unit is Unit.WORDS:
        return found
    joined = "".join(found)
    if not joined:
        return []
    return [joined[start : start + N_CHARACTERS] for start in range(max(1, len(joined) - N_CHARACTERS + 1))]


@dataclass(frozen=True, kw_only=True)
class TextPair:
    """A predicted text and its gold text, each tokenised once for all metrics."""

    predicted: str
    gold: str
    language: str = ""  # ISO 639 code of the page, "" if unknown

    @cached_property
    def unit(self) -> Unit:
        """The kind of token: `unit_of` the gold text."""
        return unit_of(self.gold, self.language)

    @cached_property
    def folded(self) -> tuple[list[str], list[str]]:
        """Tokens of the predicted and of the gold text, case folded."""
        return tokens(self.predicted, self.unit), tokens(self.gold, self.unit)

    @cached_property
    def as_written(self) -> tuple[list[str], list[str]]:
        """Tokens of the predicted and of the gold text, case-sensitive."""
        return tokens(self.predicted, self.unit, fold_case=False), tokens(self.gold, self.unit, fold_case=False)
