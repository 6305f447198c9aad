"""Stop words by language: what a tag cloud leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from webmain.files import reason_of
from webmain.text.normal import compose, fold_apostrophes
from webmain.text.words import base_language, fold_word, thai_word_list

_ALIASES = {
    "arz": "ar", "ary": "ar", "bs": "hr", "fil": "tl", "grc": "el", "hbo": "he", "in": "id", "iw": "he", "mo": "ro",
    "ckb": "ku", "nb": "no", "nn": "no", "sh": "hr", "wuu": "zh", "yue": "zh",
}  # fmt: skip
EVERY_LANGUAGE = ""  # key of the words that a user's file lists before its first heading


class StopWordFileError(ValueError):
    """A user's file of stop words cannot be read; the message names the file, the line and what is wrong."""


@cache
def stopwords(language: str | None) -> frozenset[str]:
    """Return the stop words of a language, folded as `webmain.text.words.term` folds words.

    `language`: ISO 639 code, with or without a region.

    English: a small list of our own (stopwordsiso has 1,298 words, including "world" and "state"). Thai: PyThaiNLP's
    list plus our own words from news texts. 56 more languages: stopwordsiso, for some plus our own words from news
    texts. Our own lists alone: Albanian, Amharic, Azerbaijani, Belarusian, Burmese, Georgian, Icelandic, Kannada,
    Kazakh, Khmer, Kyrgyz, Lao, Macedonian, Malayalam, Mongolian, Nepali, Odia, Pashto, Punjabi, Serbian, Sinhala,
    Tajik, Tamil, Telugu, Uzbek, Welsh.
    Empty for any other.
    """
    code = base_language(language)
    code = _ALIASES.get(code, code)
    found: set[str] = set()
    if code == "th":
        found.update(thai_word_list("stopwords_th.txt").read_text("utf-8-sig").split())
    elif code and code != "en":
        import stopwordsiso

        if stopwordsiso.has_lang(code):
            found.update(stopwordsiso.stopwords(code))
    own = resources.files("webmain.text").joinpath("stoplists", f"{code}.txt")
    if own.is_file():
        for line in own.read_text("utf-8").splitlines():
            found.update(line.partition("#")[0].split())
    return fold_all(found, language=code)


def fold_all(found: Iterable[str], *, language: str | None) -> frozenset[str]:
    """Return words folded as `webmain.text.words.term` folds them, so that they can be looked up."""
    folded = (fold_word(fold_apostrophes(compose(word)), language=language).strip() for word in found)
    return frozenset(word for word in folded if word)


def read_stopwords(path: str | Path) -> Mapping[str, frozenset[str]]:
    """Read a user's file of stop words.

    The file is UTF-8 text: words separated by white space, `#` starts a comment, and a line `[th]` starts the list of that
    language, which then *replaces* the built-in one. Words before the first such line are *added* for every language.

    Raises StopWordFileError if the file cannot be opened, is not UTF-8, or has a heading that is not a language code.

    Returns folded words by language; those for every language under "" (`EVERY_LANGUAGE`).
    """
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise StopWordFileError(f"stop words cannot be read from {path}: {reason_of(error)}") from error
    found: dict[str, set[str]] = {EVERY_LANGUAGE: set()}
    language = EVERY_LANGUAGE
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if text.startswith("[") and text.endswith("]"):
            language = text[1:-1].strip().lower()
            if not language or base_language(language) != language:
                raise StopWordFileError(f"{path}, line {number}: {text} is no language; write its code, as in [th]")
            found.setdefault(language, set())
        else:
            found[language].update(text.split())
    return {code: fold_all(listed, language=code) for code, listed in found.items()}
