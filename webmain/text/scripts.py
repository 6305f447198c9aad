"""Scripts: which code points belong to which, and whether a text is written without spaces between its words.

Ranges are written as the inside of a regular expression's character class, so that one constant serves the compiled
patterns here and the character table in `webmain.text.characters`. Source: Unicode 15 blocks and Scripts.txt.
"""

from __future__ import annotations

import re
from functools import cache

THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
LAO = "\u0e81-\u0eb9\u0ebb-\u0ecd\u0edc-\u0edf"
KHMER = "\u1780-\u17d3\u17d7\u17dc\u17dd"
BURMESE = "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
HAN = "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"

SOUTHEAST_ASIAN = THAI + LAO + KHMER + BURMESE
"""Scripts whose words are several syllables without a space: Thai, Lao, Khmer, Burmese."""

EAST_ASIAN = HAN + KANA
"""Han characters and kana: words of one to four characters without a space."""

UNSPACED = SOUTHEAST_ASIAN + EAST_ASIAN
"""Letters and marks of all scripts that put no spaces between words; their digits are not among them."""


@cache
def unspaced_runs() -> re.Pattern[str]:
    """Return the pattern of a run of letters and marks of the unspaced scripts."""
    return re.compile(f"[{UNSPACED}]+")


@cache
def _spaced_letters() -> re.Pattern[str]:
    return re.compile(rf"[^\W\d_{UNSPACED}]+")


def unspaced_share(text: str) -> float:
    """Return the share of a text's letters that belong to scripts without spaces between words.

    Parameters
    ----------
    text : str
        Any text; the cost is linear.

    Returns
    -------
    float
        Between 0 and 1; 0.0 for a text without letters. Vowel signs of the unspaced scripts count as letters.
    """
    if text.isascii():
        return 0.0
    unspaced = sum(map(len, unspaced_runs().findall(text)))
    if not unspaced:
        return 0.0
    return unspaced / (unspaced + sum(map(len, _spaced_letters().findall(text))))


def is_unspaced(text: str) -> bool:
    """Tell whether at least half of a text's letters belong to scripts without spaces between words.

    Such a text has to be segmented before anything is said of its words: white-space tokens mean nothing in it.
    """
    return unspaced_share(text) >= 0.5
