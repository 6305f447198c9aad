"""Words of class names, ids and short lines that name the parts of a page, looked up as bits of groups.

The words are in `vocabulary.toml`, frozen with the page model that knows them.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from webmain.clock import once

if TYPE_CHECKING:
    from collections.abc import Mapping


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
