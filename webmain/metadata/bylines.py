"""Names out of bylines: what stands around them is cut off, several are taken apart, what can be no name is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from webmain import languages
from webmain.metadata.head import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webmain.languages import Languages

MAX_AUTHORS: Final = 30
MAX_NAME_CHARS: Final = 70
MAX_NAME_WORDS: Final = 7

_DATELINE = re.compile(
    r"(?:^[A-ZÀ-Þ][A-ZÀ-Þ.'’ -]{2,40}(?:,\s[\w. ]{2,25})?\s\([\w&./ -]{2,30}\)\s?(?:[-–—:]|$)"
    r"|\s[A-ZÀ-Þ][A-ZÀ-Þ.'’ -]{2,40}(?:,\s[\w. ]{2,25})?\s\([\w&./ -]{2,30}\)\s?[-–—:]).*",
    re.DOTALL,
)
"""A place in capitals with an agency, and what follows: "LONDON (Reuters) - The ..."."""
_NOISE = re.compile(r"https?://\S+|www\.\S+|\S{1,64}@\S{1,100}\.\w{2,10}|(?<!\w)@\w{2,30}|\((?:@|http)[^)]{0,80}\)")
_BAD_CHARACTER = re.compile(r"[<>{}\[\]=#*\\^~_$%]|\d{3,}|://|[?!]$")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns made of the words of languages."""

    prefix: re.Pattern[str]
    tail: re.Pattern[str]
    divider: re.Pattern[str]
    title: re.Pattern[str]
    role: re.Pattern[str]
    role_after: re.Pattern[str]
    no_name: re.Pattern[str]
    name_word: re.Pattern[str]


@cache
def _patterns(words: Languages) -> _Patterns:
    """Build the patterns."""

    def either(*names: str) -> str:
        return words.either(*(f"bylines.{name}" for name in names))

    return _Patterns(
        prefix=re.compile(
            rf"(?:(?:{either('verbs')}\s(?:and\s\w{{4,12}}\s)?)?{either('by')}(?:\s?:\s?|\s)"
            rf"|{either('labels')}\s?[:：]\s?|{either('patterns')})",
            re.I,
        ),
        tail=re.compile(rf"\s{either('after_name')}.*", re.I | re.S),
        divider=re.compile(
            rf"\s*(?:[,;|•·、،／]|\s/\s|\s\+\s|\s[-–—]\s|\n|,?\s{either('and', 'and_here')}\s(?=\S)"
            rf"|{either('and_patterns')})\s*",
            re.I,
        ),
        title=re.compile(rf"^{either('titles')}\s+(?=\S+\s\S)", re.I),
        role=re.compile(rf"(?:\w+\s){{0,3}}{either('roles')}|{either('role_patterns')}", re.I),
        role_after=re.compile(rf"(?<=\S)\s*{either('roles_after')}$"),
        no_name=re.compile(rf"{either('buttons')}\b(?!.*\b(?:team|staff)\b)|{either('edited_by')}\s", re.I),
        name_word=re.compile(rf"(?:[^\W\d_a-zß-ÿ][\w'’.-]*|{either('particles')})$"),
    )


def names_in(raw: str, *, language: str = "", is_text: bool = False) -> list[str]:
    """Return the names that a byline or a field holds, in order.

    Parameters
    ----------
    raw : str
        As it stood there: "By Jane Roe and John Doe", "โดย สมชาย ใจดี", "Von A. Muster, Berlin".
    language : str
        The page's language; it decides which short words divide names.
    is_text : bool
        The string is running text of the page: only what looks like a name is taken.

    Returns
    -------
    list of str
        Without repetitions (case ignored); empty where nothing can be a name.
    """
    patterns = _patterns(languages.known())
    text = _NOISE.sub(" ", clean(raw, limit=1000))
    text = _DATELINE.sub("", text.strip(" \t-–—|·•:,;/"))
    for _ in range(3):
        match = patterns.prefix.match(text)
        if not match:
            break
        text = text[match.end() :].lstrip(" :-–")
    text = patterns.tail.sub("", " " + text)[1:] if text else text
    parts: list[str] = []
    for part in _divide(text, language):
        name = tidy(part)
        if name and (not is_text or looks_like_name(name)):
            parts.append(name)
        elif is_text and parts:
            break
    return unique(parts)


def _divide(text: str, language: str) -> list[str]:
    """Split at commas and at the language's words for "and"."""
    words = languages.known()
    elsewhere = {*words.words("bylines.and_here")}.difference(
        words.words("bylines.and"), words.words("bylines.and_here", language[:2])
    )
    pieces: list[str] = []
    last = 0
    for match in _patterns(words).divider.finditer(text):
        if match.group().strip(" ,").lower() not in elsewhere:
            pieces.append(text[last : match.start()])
            last = match.end()
    pieces.append(text[last:])
    return [p for p in pieces if p.strip()][: 2 * MAX_AUTHORS]


def tidy(part: str) -> str:
    """Cut a name's surroundings off; "" where it can be no name."""
    words = languages.known()
    patterns = _patterns(words)
    name = re.sub(r"\s*\((?:[^()]{0,60})\)\s*$", "", part).strip(" \t.,:;-–—|/'\"“”„‘’*•·()")
    if part.rstrip().endswith(".") and re.search(r"\b(?:Jr|Sr|[A-Z])$", name):
        name += "."
    name = patterns.prefix.sub("", name, count=1) if patterns.prefix.match(name) and " " in name[3:] else name
    name = patterns.role_after.sub("", patterns.title.sub("", name))
    folded = name.casefold()
    if (
        len(name) < 2
        or len(name) > MAX_NAME_CHARS
        or len(name.split()) > MAX_NAME_WORDS
        or _BAD_CHARACTER.search(name)
        or folded in words.words("bylines.no_names")
        or patterns.no_name.match(name)
        or _is_date(name)
        or patterns.role.fullmatch(name)
        or not any(c.isalpha() for c in name)
    ):
        return ""
    return name


def _is_date(name: str) -> bool:
    """Tell whether a number stands beside a month's name."""
    words = name.replace(".", " ").split()
    return len(words) > 1 and any(w.isdigit() for w in words) and any(languages.known().month(w) for w in words)


def looks_like_name(name: str) -> bool:
    """Tell whether running text could be a person's or an agency's name: two to five words with capitals."""
    words = name.split()
    if any(c.isdigit() for c in name):
        return False
    if not any(c.lower() != c.upper() for c in name):  # a script without capitals
        return len(words) <= 4 and 2 <= len(name) <= 40
    return 2 <= len(words) <= 5 and all(_patterns(languages.known()).name_word.match(w) for w in words)


def starts_byline(text: str) -> bool:
    """Tell whether a line begins as bylines do."""
    return bool(_patterns(languages.known()).prefix.match(text))


def unique(names: Iterable[str]) -> list[str]:
    """Drop repetitions, case and full stops ignored."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold().replace(".", ""), name)
    return list(found.values())[:MAX_AUTHORS]
