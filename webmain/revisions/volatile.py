"""The normal form in which texts of two visits are compared: without parts that change at every visit.

Left out are labels of advertisements, lines that link to other articles and the titles below a heading such as "Related",
and, in short lines that are not sentences, counters ("1,234 shares"), relative times ("3 hours ago") and times next to words
for a change ("Updated 14:05"). Digits inside sentences, tables and longer lines stay: "12 died" is not a counter. The words
come from `changing.*` and other lists of `webmain.languages`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from webmain.items import Article
from webmain.items.blocks import Kind
from webmain.languages import known
from webmain.text.normal import SENTENCE_ENDS, UNSPACED, comparable, replace_surrogates

MAX_SHORT: Final = 120
"""Maximum characters of a line that is searched for counters and times."""

MAX_PARAGRAPHS: Final = 10_000
"""Maximum paragraphs of a text that are compared one by one; the rest is compared as one."""

MAX_BESIDE: Final = 4
"""Maximum words next to a counter or a time, such as a name."""

MAX_LABELLED: Final = 160
"""Maximum characters of a paragraph that may be an advertisement because it directly follows the label of one."""

MAIN_SHARE: Final = 0.6
"""Minimum share of the text in one element for short paragraphs in other elements to be possible advertisements."""

_SAME: Final = str.maketrans(
    dict.fromkeys("‘’‚‛`´′＇", "'")
    | dict.fromkeys("“”„‟«»‹›″＂「」『』", '"')
    | dict.fromkeys("‐‑‒–—―−－", "-")
    | {"…": "..."}
)
_NUMBER: Final = re.compile(r"\d(?:[\d.,'\u00a0\u202f ]*\d)?\+?")
_DATED: Final = re.compile(
    r"\d{1,2}[:：h]\d{2}(?!\d)|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d\s?[年월日時时]|\d{1,2}\s?(?:[ap]\.?m\b|uhr)"
)
_SENTENCE: Final = re.compile(rf"[{SENTENCE_ENDS}]['\")\]]*$")
_LETTERS: Final = re.compile(rf"[^\W\d_{UNSPACED}]+|[{UNSPACED}]+")
_CLOCK: Final = re.compile(r"#\s?(?:[年月日號号時时分秒년월일시분]|uhr\b|[ap]\.?m\b\.?)")
_ONLY_NUMBER: Final = re.compile(r"[\s(+]*#[\s)+]*(?:[kmb]\b)?\s*")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph prepared for comparison.

    Attributes
    ----------
    text : str
        The original text.
    key : str
        Its normal form.
    is_doubtful : bool
        Its addition or removal is not a change: it may be an advertisement, by the label above it or because it is in an
        element of its own, or it is a line with a counter or a time.
    """

    text: str
    key: str
    is_doubtful: bool = False


def folded(text: str) -> str:
    """Return a text without white space, with case, quotation marks, dashes and forms of letters unified."""
    return "".join(comparable(replace_surrogates(text).translate(_SAME)).split())


def paragraphs(article: Article, language: str | None) -> list[Paragraph]:
    """Return the paragraphs of an article that are compared; its title, which some methods keep in the text, is none."""
    words, boxed, title = _words(_code(language)), _boxed(article), folded(article.title or "")
    found: list[Paragraph] = []
    is_labelled = is_related = False
    for part in article.text.split("\n\n", MAX_PARAGRAPHS):
        line = " ".join(part.casefold().translate(_SAME).split())
        if not line:
            continue
        bare = line.strip(" :|-*•[]()0123456789")
        if bare in words.ads or (words.ad_start and words.ad_start.match(line) and len(line) <= MAX_LABELLED):
            is_labelled, is_related = True, False
            continue
        if bare in words.related:
            is_labelled, is_related = False, True
            continue
        is_title = len(line) <= MAX_SHORT and not _SENTENCE.search(line)
        if (is_related and is_title) or (words.read_more and len(line) <= MAX_LABELLED and words.read_more.match(line)):
            continue
        is_related = False
        rest = without_counters(part, line, language)
        key = folded(rest)
        if key and key != title:
            may_be_ad = is_labelled or (part in boxed and not words.stamps.match(line))
            doubtful = rest is not part or (may_be_ad and len(line) <= MAX_LABELLED)
            found.append(Paragraph(part.strip(), key, doubtful))
            is_labelled = False
    return found


def _boxed(article: Article) -> frozenset[str]:
    """Return the texts of paragraphs outside the element with most of the text, if there is such an element."""
    chars: Counter[str] = Counter()
    for block in article.blocks:
        chars[block.xpath.rpartition("/")[0]] += len(block.text)
    ((main, most),) = chars.most_common(1) or [("", 0)]
    if not main or most < MAIN_SHARE * chars.total():
        return frozenset()
    found = (b for b in article.blocks if b.kind is Kind.PARAGRAPH and len(b.text) <= MAX_LABELLED)
    return frozenset(block.text for block in found if block.xpath.rpartition("/")[0] != main)


def without_counters(text: str, line: str, language: str | None) -> str:
    """Return a line without counters and times if it is short and not a sentence; "" if it has nothing else.

    Parameters
    ----------
    text : str
        The original text.
    line : str
        The same in lower case, white space folded.
    language : str or None
    """
    if len(line) > MAX_SHORT or "\t" in text or "\n" in text.strip():
        return text
    words, masked = _words(_code(language)), _NUMBER.sub("#", line)
    if _ONLY_NUMBER.fullmatch(masked):
        return ""
    rest = _rest(words, masked, is_stamp=masked != line and _DATED.search(line) is not None)
    return text if rest is None else rest


@lru_cache(maxsize=4_096)
def _rest(words: _Words, masked: str, *, is_stamp: bool) -> str | None:
    """Return the rest of a short line without counters and times; None if it has neither."""
    rest = words.ago.sub(" ", masked)
    has_time = rest != masked
    if "#" in rest:
        rest = words.counters.sub(" ", rest)
        if is_stamp:
            rest = _CLOCK.sub("#", rest)
        is_stamp = is_stamp or words.months.search(rest) is not None
        if is_stamp and (words.stamps.search(rest) or _n_words(words.months.sub(" ", rest)) <= 1):
            rest = words.months.sub(" ", rest).replace("#", " ")
    if rest == masked:
        return None
    n_left = _n_words(words.stamps.sub(" ", rest))
    if n_left > (2 * MAX_BESIDE if has_time else MAX_BESIDE) or (n_left and _SENTENCE.search(masked) and not is_stamp):
        return None
    return rest if n_left else ""


def _n_words(text: str) -> int:
    return len(_LETTERS.findall(text))


@dataclass(frozen=True, slots=True, eq=False)
class _Words:
    """The words of a language, as patterns over lines in lower case with numbers as `#`."""

    ads: frozenset[str]
    related: frozenset[str]
    ad_start: re.Pattern[str] | None
    read_more: re.Pattern[str] | None
    ago: re.Pattern[str]
    counters: re.Pattern[str]
    months: re.Pattern[str]
    stamps: re.Pattern[str]


def _code(language: str | None) -> str:
    """Return the code of a language with word lists; "" for the lists of all languages."""
    code = (language or "").partition("-")[0]
    return code if known().words("months", code) else ""


@lru_cache(maxsize=128)
def _words(code: str) -> _Words:
    """Return the patterns for lines of a language; they include English words, which occur in every language."""
    ads, more = _of("ads", code), _of("read_more", code)
    counters = _either(_of("changing.counters", code))
    months = [name for names in _of("months", code) for name in names.split() if len(name) > 2 or not name.isascii()]
    stamps = [*_of("dates.updated", code), *_of("dates.published", code)]
    return _Words(
        ads=frozenset(ads),
        related=frozenset(_of("cues.related", code)),
        ad_start=re.compile(rf"{_either(ads)}\s?[:|-]\s") if ads else None,
        read_more=re.compile(rf"(?:{'|'.join(more)})", re.I) if more else None,
        ago=re.compile(_either(_of("changing.ago", code))),
        counters=re.compile(
            rf"#\s?(?:[kmb]\s|tsd\.?\s|тыс\.?\s|млн\.?\s|[万萬億억만천]\s?)?{counters}|{counters}\s?[:(]?\s?#\s?\)?"
        ),
        months=re.compile(rf"{_either(months)}\.?"),
        stamps=re.compile(
            rf"(?:{'|'.join(map(re.escape, sorted(stamps, key=len, reverse=True)))})\w*" if stamps else r"(?!)"
        ),
    )


def _of(name: str, code: str) -> tuple[str, ...]:
    """Return the words of a list in a language and in English, lower-cased."""
    found = known().words(name) if not code else (*known().words(name, code), *known().words(name, "en"))
    return tuple(dict.fromkeys(found if name == "read_more" else map(str.casefold, found)))


def _either(words: Iterator[str] | tuple[str, ...] | list[str]) -> str:
    """Return a pattern that matches any of the words, as whole words if their script has spaces."""
    ordered = sorted(words, key=len, reverse=True)
    apart = re.compile(rf"[^\W_{UNSPACED}]")
    parts = [
        (r"(?<!\w)" if apart.match(word[0]) else "")
        + re.sub(r"(?:\\ )?\\#(?:\\ )?", r"\\s?#\\s?", re.escape(word))
        + (r"(?!\w)" if apart.match(word[-1]) else "")
        for word in ordered
    ]
    return f"(?:{'|'.join(parts)})" if parts else r"(?!)"
