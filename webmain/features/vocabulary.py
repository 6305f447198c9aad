"""Words in class names and ids that name parts of a page, looked up as bits of word groups.

The words are in `vocabulary.toml`, frozen with the page model that was trained with them. Phrases in lines of text are in
`webmain.features.cues`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webmain.clock import once

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Vocabulary:
    """The groups of words.

    Attributes
    ----------
    names : mapping of str to tuple of str
        Words of each group of class names and ids.
    name_bits : mapping of str to int
        The groups of each word, one bit per group in order; includes capitalised and upper-case forms.
    """

    names: Mapping[str, tuple[str, ...]]
    name_bits: Mapping[str, int]


@once
def vocabulary() -> Vocabulary:
    """Return the vocabulary, which is read on first use."""
    plain = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text("utf-8"))
    names = {group: tuple(words.split()) for group, words in plain["names"].items()}
    bits: dict[str, int] = {}
    for place, words in enumerate(names.values()):
        for word in words:
            for written in (word, word.capitalize(), word.upper()):
                bits[written] = bits.get(written, 0) | 1 << place
    return Vocabulary(names=names, name_bits=bits)
