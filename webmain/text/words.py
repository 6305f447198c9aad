"""Split text of any script into words: Thai by nlpO3 and PyThaiNLP's dictionary, all others by ICU's word breaks.

A text of several scripts is split into Thai stretches and the rest, each with its own segmenter, whatever the language of
the page: an English quotation in a Thai article, or a Thai name in an English one, is segmented correctly.

The cost is linear: about 0.3 ms for an English article of 500 words, 0.4 µs a character for Thai. Counting words is
cheaper than listing them (`word_counts`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from pathlib import Path

from webmain import languages
from webmain.clock import once
from webmain.regex import lazy
from webmain.text.normal import (
    HAN,
    UNSPACED_RUN,
    compose,
    fold_apostrophes,
    fold_case,
    has_astral_marks,
    is_plain,
    mark_ranges,
    repair_burmese,
    replace_surrogates,
    strip_invisible,
    strip_unprinted,
)

MAX_TERM_LENGTH = 60  # maximum characters of a term: longer words are hashes, encoded data, or repeated letters

_THAI_STRETCH = lazy("[\u0e01-\u0e4e][\u0e01-\u0e4e. ]*")
_THAI_ANOMALY = lazy(
    "\\.\\.| \u0e46|\u0e40\u0e40|\u0e4d|\u0e32[\u0e48-\u0e4b]|\u0e33[\u0e48-\u0e4b]|([\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])\\1"
)
_THAI_REPAIRS = (
    (re.compile(r"\.{2,}"), " "),  # an ellipsis belongs to no word
    (re.compile(" +\u0e46"), "\u0e46"),  # the repetition mark belongs to the word before it
    (re.compile("\u0e40\u0e40"), "\u0e41"),  # two sara e, typed for sara ae
    (re.compile("([\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])\\1+"), r"\1"),  # a mark typed twice is drawn once
    (re.compile("\u0e4d([\u0e48-\u0e4b]?)\u0e32"), "\\1\u0e33"),  # nikhahit and sara aa, for sara am
    (re.compile("\u0e33([\u0e48-\u0e4b])"), "\\1\u0e33"),  # the tone mark is before sara am
)
_PIECES = re.compile(r"\A\.+|\s+|\S+")  # dots before a word are no part of it
_DOTTED = lazy(r"[^\W\d_](?:\.[^\W\d_])+")  # U.S, e.g: the last dot is a token of its own
_LANGUAGE = lazy("([a-z]{2,3})(?:[-_].*)?", re.DOTALL)


def words(text: str, *, language: str | None = None) -> list[str]:
    """Return the words of a text in order, as they are written, without spaces and punctuation.

    `text`: any text in any script; soft hyphens and other unprinted characters are left out of the words. `language`:
    ISO 639 code, with or without a region; anything else counts as unknown. It decides only details (the colon in
    Swedish and Finnish words): the segmenter is chosen by the script.

    Every token that contains a letter or a digit; numbers are words here ("1,000" is one). Hyphens separate words,
    apostrophes don't. Dotted abbreviations keep their last dot ("U.S.").
    """
    return _real(list(_segments(text, base_language(language))))


def pieces(text: str, *, language: str | None = None) -> list[str]:
    """Return a text cut into words, punctuation marks and white space, in order; joined, they are the text.

    Words are divided as by `words`, but written as in the text: no character is repaired or composed. A piece is white space
    or has none. What `webmain.text.normal.strip_unprinted` removes is left out, a lone surrogate is U+FFFD.
    """
    found = _as_written(replace_surrogates(strip_unprinted(text)), base_language(language))
    return _with_last_dot(piece for _, written in found for piece in _PIECES.findall(written))


def placed_words(text: str, *, language: str | None = None) -> Iterator[tuple[str, int, int]]:
    """Yield the words of a text as `words` does, but for the last dot of abbreviations, with where each begins and ends."""
    kept = range(len(text)) if is_plain(text) else [i for i, each in enumerate(text) if strip_unprinted(each)]
    text = replace_surrogates(repair_burmese(strip_unprinted(text)))
    end = 0
    for word, written in _as_written(text, base_language(language)):
        start, end = end, end + len(written)
        if _is_word(word):
            first, after = start + len(written) - len(written.lstrip(" .")), start + len(written.rstrip())
            after += _DOTTED.fullmatch(word) is not None and text.startswith(".", after)
            yield word, kept[first], kept[after - 1] + 1


def _real(found: list[str]) -> list[str]:
    """Return the segments that are words, dotted abbreviations with their last dot."""
    distinct = set(found)
    if any("." in segment and _DOTTED.fullmatch(segment) for segment in distinct):
        found = _with_last_dot(found)
        distinct = set(found)
    real = {segment for segment in distinct if _is_word(segment)}
    return [segment for segment in found if segment in real]


@lru_cache(maxsize=64)
def base_language(language: str | None) -> str:
    """Return the primary part of a language tag in lower case ("en" of "en-GB"), or "" where there is none."""
    match = _LANGUAGE.fullmatch((language or "").lower())
    return match[1] if match else ""


# A chunk of letters and digits, or of letters with apostrophes inside, between punctuation that joins nothing, is one word in
# every language. Letters of other scripts, and all that is doubtful, are left to ICU.
_LETTERS = (
    "A-Za-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u02b8\u0388-\u038a\u038e-\u03a1\u03a3-\u03f5\u0400-\u0481\u048a-\u052f"
)
_LETTERS += "\u0620-\u064a\u0671-\u06d3"
_MARKS = "!-/:-@\\[-\\^`{-~\xa1\xa7\xab\xb6\xb7\xbb\xbf\u2010-\u2027\u2030-\u203e\u060c\u061b\u061f"
_ONE_WORD = lazy(f"[{_MARKS}]*([0-9{_LETTERS}]+|[{_LETTERS}]+(?:['\u2019][{_LETTERS}]+)+)[{_MARKS}]*")
_LAST_MARKS = '.,;:!?)"\u201d\u2019'
_NOT_BLANK = lazy("[^ \t\n\r\xa0]+")


def word_counts(text: str, *, language: str | None = None) -> Counter[str]:
    """Return the word counts of a text: `Counter(words(text))` in a fraction of the time.

    Each distinct chunk between white space is processed once, and passed to a segmenter only if it isn't clearly one word.
    """
    language = base_language(language)
    if is_plain(text):
        return _count_chunks(text, language)
    text = replace_surrogates(repair_burmese(compose(strip_unprinted(text))))
    between = _THAI_STRETCH.split(text)
    found = _count_chunks("\n".join(between), language)
    if len(between) > 1:
        for stretch, n in Counter(_THAI_STRETCH.findall(text)).items():
            for word in _real(list(_thai_words(stretch))):
                found[word] += n
    return found


def _count_chunks(text: str, language: str) -> Counter[str]:
    """Return the word counts of a composed text without Thai, in which white space always separates words."""
    chunks = Counter(_NOT_BLANK.findall(text) if "\u202f" in text else text.split())  # that space joins digits
    found: Counter[str] = Counter()
    known = found.get  # what a counter gives for unknown words is slower
    others: dict[int, list[str]] = {}
    for chunk, n in chunks.items():
        inside = chunk.rstrip(_LAST_MARKS)
        if inside.isascii() and inside.isalpha():  # most chunks, without the pattern's cost
            found[inside] = known(inside, 0) + n
        elif one := _ONE_WORD.fullmatch(chunk):
            found[one[1]] = known(one[1], 0) + n
        else:
            others.setdefault(n, []).append(chunk)
    if others:
        breaker = _word_breaker()
        for n, alike in others.items():
            for word, n_inside in Counter(_real(list(breaker("\n".join(alike), language)))).items():
                found[word] += n * n_inside
    return found


@once
def _word_breaker() -> Callable[[str, str], Iterable[str]]:
    """Load ICU's segmenter.

    Its engine for kana is loaded by the first text with kana, and may divide that text differently from later ones.
    """
    from icu4py.breakers import WordBreaker

    list(WordBreaker("\u30fc\u3042", ""))
    return WordBreaker


def _is_word(segment: str) -> bool:
    """Return True if a segment contains a letter or a digit and isn't one of Thai's repetition signs."""
    return (segment.isalnum() or any(map(str.isalnum, segment))) and segment != "\u0e46"


def _with_last_dot(segments: Iterable[str]) -> list[str]:
    """Give each dotted abbreviation the dot that follows it."""
    joined: list[str] = []
    for segment in segments:
        if segment == "." and joined and _DOTTED.fullmatch(joined[-1]):
            joined[-1] += "."
        else:
            joined.append(segment)
    return joined


def _segments(text: str, language: str) -> Iterator[str]:
    """Yield the segments of Thai stretches and of the text between them, each by its own segmenter."""
    if not is_plain(text):
        text = replace_surrogates(repair_burmese(compose(strip_unprinted(text))))
    for stretch, is_thai in _stretches(text):
        yield from _thai_words(stretch) if is_thai else _word_breaker()(stretch, language)


def _as_written(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the segments of a text, each with the part of the text that it is written as; joined, these are the text."""
    for stretch, is_thai in _stretches(text):
        if is_thai:
            yield from _thai_as_written(stretch)
        else:
            yield from ((compose(segment), segment) for segment in _word_breaker()(stretch, language))


def _stretches(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the stretches of Thai and the text between them, each with whether it is Thai."""
    end = 0
    for stretch in _THAI_STRETCH.finditer(text):
        if stretch.start() > end:
            yield text[end : stretch.start()], False
        yield stretch[0], True
        end = stretch.end()
    if end < len(text):
        yield text[end:], False


def _thai_words(stretch: str) -> Iterable[str]:
    """Return the words of one stretch of Thai, and what is between them."""
    if len(stretch) <= 2:  # a letter with its mark or dot, between numbers
        return (stretch.rstrip(),)
    if _THAI_ANOMALY.search(stretch):
        for pattern, repair in _THAI_REPAIRS:
            stretch = pattern.sub(repair, stretch)
    for whole, divided in _divided():
        stretch = stretch.replace(whole, divided)
    return (segment.strip().lstrip(".") for segment in _thai_segmenter()(stretch))


def _thai_as_written(stretch: str) -> Iterator[tuple[str, str]]:
    """Yield the words of one stretch of Thai, and what is between them, each with what it is written as."""
    if len(stretch) <= 2:
        yield stretch.rstrip(), stretch
        return
    is_odd = _THAI_ANOMALY.search(stretch) or any(whole in stretch for whole, _ in _divided())
    repaired, places = _repaired(stretch) if is_odd else (stretch, range(len(stretch) + 1))
    start = end = 0
    for segment in _thai_segmenter()(repaired):
        start, end = end, end + len(segment)
        yield segment.strip().lstrip("."), stretch[places[start] : places[end]]


def _repaired(stretch: str) -> tuple[str, Sequence[int]]:
    """Return a stretch as `_thai_words` segments it, and the place in the stretch of each of its characters and its end."""
    places: Sequence[int] = range(len(stretch) + 1)
    divisions = ((re.compile("(?<={})(?={})".format(*divided.split())), " ") for _, divided in _divided())
    for pattern, repair in (*_THAI_REPAIRS, *divisions):
        texts, kept, end = [], [], 0
        for match in pattern.finditer(stretch):
            new = match.expand(repair)
            texts += [stretch[end : match.start()], new]
            kept += [*places[end : match.start()], *(places[match.start() + i] for i in range(len(new)))]
            end = match.end()
        stretch, places = "".join([*texts, stretch[end:]]), [*kept, *places[end:]]
    return stretch, places


@cache
def _divided() -> list[tuple[str, str]]:
    """Return words that the segmenter divides wrongly, without and with a space where they are divided."""
    return [(divided.replace(" ", ""), divided) for divided in languages.known().words("divided", "th")]


def thai_word_list(name: str) -> Path:
    """Return the path of a list of Thai words that PyThaiNLP ships, one word a line; the package itself is not imported."""
    found = find_spec("pythainlp")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'pythainlp'")
    return Path(found.submodule_search_locations[0]) / "corpus" / name


@once
def _thai_segmenter() -> Callable[[str], list[str]]:
    """Load PyThaiNLP's dictionary into nlpO3 (0.1 s and 60 MB, once per process) and return its segmenter."""
    import nlpo3

    name = "pythainlp"
    message, is_loaded = nlpo3.load_dict(str(thai_word_list("words_th.txt")), name)
    if not is_loaded:
        raise RuntimeError(f"the Thai dictionary cannot be loaded: {message}")
    return partial(nlpo3.segment, dict_name=name)


# --- words prepared for counting -------------------------------------------------------------------------------------

_NUMBER = lazy(r"\d[\d.,:'\u066b\u066c]*[^\W\d_A-Z]{0,3}")  # 1,000, 12.30, 20th, 1990s, 10am, 5km; but 5G and 3D stay
_SILENT = lazy("[\u0640\u064b-\u0652\u0670]")  # Arabic tatweel and vowel marks: written or not at will
_SPELLINGS = {
    "el": str.maketrans("ΆΈΉΊΌΎΏάέήίόύώΐΰ", "ΑΕΗΙΟΥΩαεηιουωϊϋ"),
    "fa": str.maketrans("كي", "کی"),
    "ro": str.maketrans("ŞŢşţ", "ȘȚșț"),
    "ru": str.maketrans("Ёё", "Ее"),
}
"""By language, letters that are written in two ways: words spelled either way are counted together."""

_HAN = lazy(f"[{HAN}]")


def bare(word: str, *, language: str | None = None) -> str:
    """Return a word as a tag cloud shows it, or "" where it isn't worth counting.

    `word`: one of `words`. `language`: decides what is cut off: elided articles in French, Italian, Catalan and Occitan
    ("l'homme"), the possessive in English ("Trump's"), case endings after an apostrophe in Turkish and Azerbaijani
    ("Ankara'da").

    With straight apostrophes, otherwise unchanged. "" for numbers (with up to three letters of unit or ordinal: "20th"), and
    for words without letters, with one letter (but for Han), or longer than `MAX_TERM_LENGTH`.
    """
    if word.isalpha() and 2 <= len(word) <= MAX_TERM_LENGTH and "\u02bc" not in word:
        return word
    if _NUMBER.fullmatch(word):
        return ""
    plain = _without_endings(fold_apostrophes(word), base_language(language))
    if len(plain) > MAX_TERM_LENGTH or not any(map(str.isalpha, plain)):
        return ""
    if len(fold_word(plain).replace(".", "")) < 2 and not _HAN.match(plain):
        return ""
    return plain


def term(word: str, *, language: str | None = None) -> str:
    """Return the form under which a word is counted: `bare`, folded; "" where it isn't worth counting."""
    return fold_word(bare(word, language=language), language=language)


def fold_word(word: str, *, language: str | None = None) -> str:
    """Return a word with case folded by the language's rules, without invisible characters and optional Arabic marks.

    Letters that a language writes in two ways are one: Greek ones with accent and without, Russian ё and е, and so on.
    """
    if not is_plain(word):
        word = _SILENT.sub("", strip_invisible(word))
    language = base_language(language)
    return fold_case(word.translate(_SPELLINGS[language]) if language in _SPELLINGS else word, language=language)


@cache
def _elision(language: str) -> re.Pattern[str] | None:
    """Return the pattern of a word that loses its last vowel before an apostrophe; None in languages without."""
    words = languages.known().words("elision", language)
    return re.compile(rf"(?:{'|'.join(words)})'(?=\w{{2}})") if words else None


def _without_endings(word: str, language: str) -> str:
    """Return a word without what an apostrophe joins to it in some languages."""
    if "'" not in word:
        return word
    elision = _elision(language)
    if elision and (match := elision.match(word.lower())):
        return word[match.end() :]
    if language == "en" and word[-2:].lower() == "'s":
        return word[:-2]
    if language in {"tr", "az"}:
        return word.partition("'")[0]
    return word


def terms(text: str, language: str | None = None) -> list[str]:
    """Return the words of a text in the form in which they are counted, those not worth counting left out.

    Stop words stay: see `webmain.text.stopwords`.
    """
    found = words(text, language=language)
    forms = {word: term(word, language=language) for word in set(found)}
    return [form for word in found if (form := forms[word])]


# --- tokens for comparing texts --------------------------------------------------------------------------------------

_find_words = re.compile(r"\w+").findall


@cache
def _token_pattern(*, astral: bool) -> re.Pattern[str]:
    return re.compile(rf"[\w{mark_ranges(astral=astral)}]+")


def spaced_words(text: str, *, fold_case: bool = True) -> list[str]:
    """Return the runs of letters, combining marks and digits of a text, as NFC.

    `text`: any text; invisible characters (soft hyphens, joiners, byte order marks) are removed and don't separate
    words. `fold_case`: return them in lower case.
    """
    text = (text.lower() if fold_case else text).replace("_", " ")
    if is_plain(text):
        return _find_words(text)
    text = compose(strip_invisible(text))
    return _token_pattern(astral=has_astral_marks(text)).findall(text)


def tokens(text: str) -> list[str]:
    """Return a text's tokens for comparing two texts: runs of letters, marks and digits in lower case.

    Words of scripts without spaces are segmented; everything else is cut at any other character, so that neither
    punctuation nor apostrophes make a difference.
    """
    found = spaced_words(text)
    if text.isascii() or is_plain(text) or not UNSPACED_RUN.search(text):
        return found
    return [token for run in found for token in (words(run) if UNSPACED_RUN.search(run) else [run])]
