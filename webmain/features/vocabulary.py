"""Words of class names, ids and short lines that name the parts of a page, looked up as bits of groups.

The words are in `vocabulary.toml`, frozen with the page model that knows them.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from webmain.clock import once

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_CUE_CHARS: Final = 160
"""Longer blocks are not read: boilerplate lines are short."""

MAX_NAME_CHARS: Final = 200
"""Characters read of an element's class names and ids; utility-class style sheets write much longer ones."""

_READ_CHARS: Final = 60
_READ_WORDS: Final = 6
_NAMES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_AROUND_WORDS: Final = ".,:;!?\"'()[]|/«»“”„-–—&•›"
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+|[\u0900-\u0903\u093a-\u094f]+[^\W\d_]*)*|[©®]")  # vowel signs of Hindi


@dataclass(frozen=True)
class Vocabulary:
    """The groups of words.

    Attributes
    ----------
    names, cues : mapping of str to tuple of str
        Words of each group of class names and ids; of each group of first words of short lines.
    name_bits, cue_bits : mapping of str to int
        The groups of each word, a bit each in the order of the groups; names as they may be capitalised.
    unspaced : re.Pattern
        Finds cues in scripts without spaces between words; each match is named by its group.
    """

    names: Mapping[str, tuple[str, ...]]
    cues: Mapping[str, tuple[str, ...]]
    name_bits: Mapping[str, int]
    cue_bits: Mapping[str, int]
    unspaced: re.Pattern[str]


@once
def vocabulary() -> Vocabulary:
    """Return the vocabulary, read when first needed."""
    plain = tomllib.loads(files("webmain.features").joinpath("vocabulary.toml").read_text("utf-8"))
    names, cues, unspaced = (
        {group: tuple(words.split()) for group, words in plain[table].items()}
        for table in ("names", "cues", "unspaced_cues")
    )
    written = (str.lower, str.capitalize, str.upper)
    return Vocabulary(
        names=names,
        cues=cues,
        name_bits={write(word): bits for word, bits in _bits(names).items() for write in written},
        cue_bits=_bits(cues),
        unspaced=re.compile("|".join(f"(?P<{group}>{'|'.join(words)})" for group, words in unspaced.items())),
    )


def _bits(groups: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    bits: dict[str, int] = {}
    for place, words in enumerate(groups.values()):
        for word in words:
            bits[word] = bits.get(word, 0) | 1 << place
    return bits


def name_bits(name: str) -> int:
    """Return the groups (bits in the order of `Vocabulary.names`) of the words in class names and ids."""
    bits = 0
    for part in name[:MAX_NAME_CHARS].replace("-", " ").replace("_", " ").split():
        bits |= _part_bits(part)
    return bits


@lru_cache(maxsize=1 << 14)
def _part_bits(part: str) -> int:
    """Return the groups of the words in a part of a name; sites reuse names, so most are cached."""
    known = vocabulary().name_bits
    bits = 0
    for word in _NAMES.findall(part):
        bits |= known.get(word, 0)
    return bits


def cue_bits(text: str, *, unspaced: bool) -> int:
    """Return the groups (bits in the order of `Vocabulary.cues`) of the first words of a short text.

    Parameters
    ----------
    text : str
        Case folded.
    unspaced : bool
        Look for the cues of Thai, Chinese and Japanese too, which have no spaces around them.
    """
    known = vocabulary().cue_bits
    bits = n_words = 0
    for token in text[:_READ_CHARS].split():
        word = token if token.isalpha() else token.strip(_AROUND_WORDS)
        if word.isalpha():  # most are
            n_words += 1
            if word in known:
                bits |= known[word]
        else:
            for word in _WORDS.findall(token)[: _READ_WORDS - n_words]:
                n_words += 1
                bits |= known.get(word, 0)
        if n_words == _READ_WORDS:
            break
    if unspaced:
        places = {group: place for place, group in enumerate(vocabulary().cues)}
        for match in vocabulary().unspaced.finditer(text[:_READ_CHARS]):
            bits |= 1 << places[match.lastgroup or ""]
    return bits
