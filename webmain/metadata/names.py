"""Names of people: strip the text around them, and reject what cannot be a name; signatures, which have them inside."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from webmain import languages
from webmain.clock import once
from webmain.metadata.values import clean
from webmain.regex import lazy
from webmain.text.normal import HAN

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_AUTHORS: Final = 30
MAX_NAME_CHARS: Final = 70
MAX_NAME_WORDS: Final = 7
_MAX_HREF_CHARS: Final = 400
BAR = lazy(r"\s+[|•·]\s+")
"""Divides a line with a byline: "5 May 2024 | By Jane Roe"."""

COLONS: Final = ":：៖፦፡՝"

_DATELINE = lazy(
    r"(?:^[A-ZÀ-Þ][A-ZÀ-Þ.'’ -]{2,40}(?:,\s[\w. ]{2,25})?\s\([\w&./ -]{2,30}\)\s?(?:[-–—:]|$)"
    r"|\s[A-ZÀ-Þ][A-ZÀ-Þ.'’ -]{2,40}(?:,\s[\w. ]{2,25})?\s\([\w&./ -]{2,30}\)\s?[-–—:]).*",
    re.DOTALL,
)
"""A dateline and what follows it: "LONDON (Reuters) - The ..."."""
_TO_DATE: Final = (
    r"(?<=[^\s!-/:-@\[-`{-~‐-•、，；：]\s)(?:(?-i:[a-zà-ÿ]{1,5})\.?\s|[^\W\d_]{2,12}:\s)?"
    r"(?:\d{1,2}(?:\.?\s[^\W\d_][^\s\d]|[./-]\s?\d{1,2}[./-])|\d{4}\s?[年년./-]\s?\d)"
)
_NOISE = lazy(r"https?://\S+|www\.\S+|\S{1,64}@\S{1,100}\.\w{2,10}|(?<!\w)@\w{2,30}|\((?:@|http)[^)]{0,80}\)")
_SECOND_NAME = lazy(r"(?<=\s)\((\w{2,20})\)(?=\s)")  # "Jane (Doe) Roe"
MAX_SIGNATURE_CHARS: Final = 100
"""Characters read of a text."""

_MAX_REST_CHARS: Final = 40
_ASIAN: Final = lazy("[\u0900-\u1fff\u2e80-\ud7af]")  # from Devanagari to Hangul, without punctuation marks
_REST = r"[\W_]*(?:\S{1,64}@\S{1,100}[\W_]*)?"
_BAD_CHARACTER = lazy(r"[<>{}\[\]=#*\\^~_$%]|\d{3,}|://|[?!]$")
_SENTENCE_END = lazy(r"[。！？]")  # as in an interview: "记者：春运初始，天气如何？"


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Regular expressions built from the words of languages, compiled on first use."""

    prefix: re.Pattern[str]
    tail: re.Pattern[str]
    aside: re.Pattern[str]
    divider: re.Pattern[str]
    title: re.Pattern[str]
    role: re.Pattern[str]
    role_after: re.Pattern[str]
    no_name: re.Pattern[str]
    name_word: re.Pattern[str]
    particle: re.Pattern[str]
    wrote_in_lower: re.Pattern[str]


@cache
def _patterns() -> _Patterns:

    def either(*names: str) -> str:
        return languages.known().either(*(f"bylines.{name}" for name in names))

    return _Patterns(
        prefix=lazy(
            rf"(?:(?:{either('verbs')}\s(?:and\s\w{{4,12}}\s)?)?{either('by')}(?:\s?:\s?|\s)"
            rf"|{either('labels', 'author_label')}\s?[{COLONS}]\s?|{either('patterns')})",
            re.I,
        ),
        tail=lazy(rf"\s(?:{either('after_name')}|{_TO_DATE}).*", re.I | re.S),
        aside=lazy(rf"\s*\((?:{either('and')})\s", re.I),
        divider=lazy(
            rf"(?:[,;|、،／](?:\s*{either('and')}(?=\s))?|(?<!(?-i:[{HAN}]))[•·]|[•·](?!(?-i:[{HAN}]))"
            rf"|\s/\s|\s\+\s|\s[-–—]\s|\n"
            rf"|,?\s{either('and', 'and_here')}\s(?=\S)|{either('and_patterns')})\s*",
            re.I,
        ),
        title=lazy(rf"^{either('titles')}(?:\s+(?=\S+\s\S)|(?<=[{COLONS}])\s*)", re.I),
        role=lazy(rf"(?:[^\s,]+\s){{0,3}}{either('roles')}|{either('role_patterns')}", re.I),
        role_after=lazy(rf"(?<=\S)\s*{either('roles_after')}$"),
        no_name=lazy(rf"{either('buttons')}\b(?!.*\b(?:team|staff)\b)|{either('edited_by')}\s", re.I),
        name_word=lazy(r"[^\W\d_][\w'’.-]*$"),
        particle=lazy(rf"{either('particles')}(?:(?<=\w\w)[A-ZÀ-ÖØ-Þ][\w'’.-]*)?$"),  # "von", "deCasparis"
        wrote_in_lower=lazy(
            rf"(?:{either('verbs')}\s{either('by')}|{either('author_label')}s?\s?[{COLONS}])(?:\s?:)?(?:\s|$)"
        ),
    )


def names_in(raw: str, *, language: str = "", is_text: bool = False) -> list[str]:
    """Return the names in a byline or a metadata field, in order.

    Parameters
    ----------
    raw : str
        The original string: "By Jane Roe and John Doe", "โดย สมชาย ใจดี", "Von A. Muster, Berlin".
    language : str
        The page's language; it decides which short words separate names.
    is_text : bool
        The string is running text of the page, so only what looks like a name is returned.

    Returns
    -------
    list of str
        Without duplicates (case ignored); empty if nothing can be a name.
    """
    patterns = _patterns()
    text = _NOISE.sub(" ", clean(raw, limit=1000))
    text = _DATELINE.sub("", text.strip(" \t-–—|·•:,;/"))
    signed = read_signature(text) or (read_signature(raw) if "@" in raw else None)
    text = signed.names if signed else text
    if is_text and _SENTENCE_END.search(text):
        return []
    for _ in range(3):
        match = patterns.prefix.match(text)
        if not match:
            break
        text = text[match.end() :].lstrip(" :-–|")
    text = patterns.aside.sub(", ", text)
    text = without_tail(text)
    parts: list[str] = []
    has_degree = False
    for name in map(tidy, _divide(text, language)):
        if has_degree := bool(parts and name and (_is_degree(name) or (has_degree and name.isupper()))):
            continue
        if name and (not is_text or looks_like_name(name)):
            parts.append(name)
        elif is_text and parts:
            break
    return unique(parts)


def _is_degree(name: str) -> bool:
    """Return True for what is written behind a name: "Ph.D.", "M.D. FACP"."""
    return set(name.replace(".", "").split()).issubset(languages.known().words("bylines.degrees"))


def without_tail(text: str) -> str:
    """Return a byline without what follows its names: "in Politics", "updated 5 May"."""
    return _patterns().tail.sub("", f" {text}")[1:]


def _divide(text: str, language: str) -> list[str]:
    """Split at commas and at the language's words for "and"."""
    words = languages.known()
    elsewhere = {*words.words("bylines.and_here")}.difference(
        words.words("bylines.and"), words.words("bylines.and_here", language[:2])
    )
    pieces: list[str] = []
    last = 0
    for match in _patterns().divider.finditer(text):
        if match.group().strip(" ,").lower() not in elsewhere:
            pieces.append(text[last : match.start()])
            last = match.end()
    pieces.append(text[last:])
    return [p for p in pieces if p.strip()][: 2 * MAX_AUTHORS]


def tidy(part: str) -> str:
    """Return a name without the text around it; "" if it cannot be a name."""
    patterns = _patterns()
    name = re.sub(r"\s*(?:\([^()]{0,60}\)|（[ぁ-ゖー・\s]{2,30}）)\s*$", "", part).strip(
        " \t.,:;-–—|/'\"“”„‘’*•·()【】〔〕"
    )
    name = name.strip("（）") if name.startswith("（") else name
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
        or folded in languages.known().words("bylines.no_names")
        or patterns.no_name.match(name)
        or _is_date(name)
        or patterns.role.fullmatch(name)
        or patterns.prefix.fullmatch(f"{name} ")
        or not any(c.isalpha() for c in name)
    ):
        return ""
    return name


def _is_date(name: str) -> bool:
    """Return True if a number is next to a month's name."""
    words = name.replace(".", " ").split()
    return len(words) > 1 and any(w.isdigit() for w in words) and any(languages.known().month(w) for w in words)


def looks_like_name(name: str) -> bool:
    """Return True if running text could be a person's or an agency's name: two to five words with capitals."""
    words = _SECOND_NAME.sub(r"\1", name).split()
    if len(words) > 5 or any(map(str.isdigit, name)):
        return False
    if name.lower() == name.title():  # a script without capitals, such as Georgian in running text
        return len(words) <= 4 and 2 <= len(name) <= 40
    return len(words) > 1 and _are_of_names(words)


def _are_of_names(words: list[str]) -> bool:
    """Return True if each word is written like a word of a name."""
    patterns = _patterns()
    return all(patterns.particle.match(w) if w[0].islower() else patterns.name_word.match(w) for w in words)


def starts_byline(text: str) -> bool:
    """Return True if a line begins like a byline, or is a signature."""
    if _patterns().prefix.match(text):
        return True
    signed = read_signature(text)
    return signed is not None and signed.is_whole


def says_who_wrote(text: str) -> bool:
    """Return True if a line begins with words that can only introduce an author: "written by", "Author:"."""
    return bool(_patterns().wrote_in_lower.match(text.lower()))


def named_with_role(text: str, *, language: str = "") -> list[str]:
    """Return the name in a text that is only a name and a profession, "Jane Roe, Staff Writer"; [] for other texts."""
    words = [word.rstrip(",;|") for word in text.split(None, 2)[:2]]
    if words and words[0].lower() != words[0].title() and not (all(words) and _are_of_names(words)):
        return []  # the common case
    pieces = [p.strip() for p in _divide(text, language)]
    is_signed = len(pieces) == 2 and looks_like_name(pieces[0]) and _patterns().role.fullmatch(pieces[1])
    return [tidy(pieces[0])] if is_signed and tidy(pieces[0]) else []


def leads_to_author(href: str) -> bool:
    """Return True if a URL is that of an author's page: ".../authors/jane-roe"."""
    path = href[:_MAX_HREF_CHARS].lower().partition("?")[0].partition("#")[0]
    before, name = ("", "", *path.removesuffix("/").split("/"))[-2:]
    return bool(name) and (before in _of_authors() or before.partition("-")[2] in _of_authors())


@once
def _of_authors() -> frozenset[str]:
    """Return the path segments below which authors' pages are."""
    return frozenset(languages.known().words("urls.authors"))


def unique(names: Iterable[str]) -> list[str]:
    """Return names without duplicates, ignoring case and full stops."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold().replace(".", ""), name)
    return list(found.values())[:MAX_AUTHORS]


class Signature(NamedTuple):
    """Names, with commas between them, and whether the text is hardly more than the signature."""

    names: str
    is_whole: bool


@cache
def _signatures() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"[\W_]*?(?:{one})") for one in languages.known().words("bylines.signatures"))


def read_signature(text: str) -> Signature | None:
    """Return the signature that a text begins with: "（記者王小明／台北報導）", "홍길동 기자 ="; None if there is none.

    Parameters
    ----------
    text : str
        Its first `MAX_SIGNATURE_CHARS` characters are read.
    """
    start = text[:MAX_SIGNATURE_CHARS].rstrip()
    if start.isascii() or not _ASIAN.search(start):
        return None
    for pattern in _signatures():
        if match := pattern.match(start):
            parts = match.groupdict()
            names = parts.get("name") or ", ".join(re.split(r"[\s,、，·ㆍ・;；]+", parts["names"]))
            rest = text[match.end() : match.end() + _MAX_REST_CHARS + 1]
            return Signature(names, len(rest) <= _MAX_REST_CHARS and re.fullmatch(_REST, rest) is not None)
    return None
