"""Names out of bylines: what stands around them is cut off, several are taken apart, what can be no name is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from webmain import languages
from webmain.metadata.head import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_AUTHORS: Final = 30
MAX_NAME_CHARS: Final = 70
MAX_NAME_WORDS: Final = 7

_PREFIX = re.compile(
    r"(?:(?:(?:written|posted|published|reported|reporting|story|words|article|text|texte|texto|testo|submitted|edited|review|"
    r"reviewed|report|analysis|opinion|"
    r"escrito|publicado|redigido|scritto|pubblicato|écrit|publié|rédigé|geschrieben|verfasst|skrevet|skrivet|"
    r"geplaatst|geschreven)\s(?:and\s\w{4,12}\s)?)?"
    r"(?:by|von|vom|par|por|di|door|av|af|przez|od|oleh|bởi|kirjoittanut|írta|tekijä|szerző|de)(?:\s?:\s?|\s)"
    r"|(?:authors?|autor(?:en|in|innen|es|a|i|zy|ka)?|auteurs?|autori?|autore|writer|text|texte?|texto|testo|tekst|"
    r"redaktion|redaktör|journalist|redacción|reporter|reporters|correspondent|verfasser(?:in)?|forfatter|yazar|yazan|"
    r"tác giả|penulis|reporter|autorius|автор(?:ы|ка)?|текст|журналист|συντάκτης|γράφει (?:ο|η)|yazarı|source|fuente|"
    r"name|byline)\s?[:：]\s?"
    r"|(?-i:By|Von|Par|Por|Di)(?=(?-i:[A-ZÀ-Þ][a-zà-ÿ]))"
    r"|(?:新华社|新華社)?(?:记者|記者)\s"
    r"|(?-i:Author|Autor(?:in)?|Auteur|Writer)\s(?=[^\W\d_])"
    r"|(?:โดย|เขียนโดย|เรื่องโดย|เรียบเรียงโดย|ข่าวโดย)\s?[:：]?\s?|(?:เรื่อง|ผู้เขียน|ผู้สื่อข่าว|รายงานโดย)\s?[:：]\s?"
    r"|(?:文|作者|记者|記者|編集|執筆|取材・文|撰文|責任編輯|责任编辑|글|기자)\s?[/／:：]\s?"
    r"|(?:بقلم|كتب|كتبت|الكاتب|نویسنده|מאת)\s?[:：]?\s)",
    re.I,
)
_TAIL = re.compile(
    r"\s(?:published|updated|posted|last\smodified|first\spublished|veröffentlicht|aktualisiert|publié|mis à jour|"
    r"publicado|actualizado|pubblicato|on\s(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|"
    r"\d{1,3}\s(?:min|minutes?|hours?|days?)\b|"
    r"photographs?\sby|photos?\sby|photography\sby|fotos?:|bilder?:|illustration|for\s(?:the|daily)\s).*",
    re.I | re.S,
)
_DATELINE = re.compile(
    r"(?:^[A-ZÀ-Þ][A-ZÀ-Þ.'’ -]{2,40}(?:,\s[\w. ]{2,25})?\s\([\w&./ -]{2,30}\)\s?(?:[-–—:]|$)"
    r"|\s[A-ZÀ-Þ][A-ZÀ-Þ.'’ -]{2,40}(?:,\s[\w. ]{2,25})?\s\([\w&./ -]{2,30}\)\s?[-–—:]).*",
    re.DOTALL,
)
"""A place in capitals with an agency, and what follows: "LONDON (Reuters) - The ..."."""
_NOISE = re.compile(r"https?://\S+|www\.\S+|\S{1,64}@\S{1,100}\.\w{2,10}|(?<!\w)@\w{2,30}|\((?:@|http)[^)]{0,80}\)")
_SPLIT = re.compile(
    r"\s*(?:[,;|•·、،／]|\s/\s|\s\+\s|\s[-–—]\s|\n|"
    r",?\s(?:and|und|et|y|og|och|ve|en|и|і|та|και|dan|with|mit|avec|con|&|ja|und von|và|"
    r"oraz|és|și|şi|e|i|a)\s(?=\S)|\s?และ\s?(?=นาย|นาง|[ก-ฮ]))\s*",
    re.I,
)
_LANGUAGE_WORDS: Final = {
    "y": ("es", "ca", "gl"), "e": ("pt", "it", "gl"), "i": ("pl", "ca", "hr", "sr", "bs", "sl"), "a": ("cs", "sk"),
    "en": ("nl", "af"), "ja": ("fi", "et"), "ve": ("tr", "az"),
    "con": ("es", "it"), "dan": ("id", "ms"), "et": ("fr", "la", "et"),
}  # fmt: skip
"""Words for "and" that are parts of names elsewhere, and the languages in which they divide."""

_GENERIC = frozenset(
    "admin administrator author authors anonymous anonym unknown editor editors editorial staff writer user guest null none "
    "undefined n/a webmaster redakcja redaktion redacteur redacción redacao redação redazione rédaction webredaktion "
    "default test by von system root contributor contributors follow share home blog news more".split()
) | {
    "staff writer", "super user", "view all posts", "guest author", "the editors", "read more", "view profile",
    "site admin", "written by", "posted by", "published by",
    "contact us", "learn more", "about us", "sign in", "sign up", "log in", "撰文", "記者", "记者", "기자",
    "all posts", "see all", "about the author", "view bio", "autor unbekannt", "no author", "web desk",
}  # fmt: skip
_ROLE = re.compile(
    r"(?:(?:senior|chief|staff|political|associate|deputy|managing|executive|news|sports?|special|foreign|contributing|"
    r"business|science|technology|health|national|investigative|digital|web|assistant|freelance|\w+)\s){0,3}"
    r"(?:reporters?|editors?|correspondents?|writers?|journalists?|columnists?|producers?|contributors?|scientists?|redakteur(?:in)?|"
    r"korrespondent(?:in)?|journaliste?|chefredakteur(?:in)?|redactor(?:a)?|periodista|"
    r"engineers?|managers?|analysts?|bureau chief|director of \w+)"
    r"|special to .{2,60}",
    re.I,
)
_EAST_ASIAN_ROLE = re.compile(r"(?<=\S)\s*(?:記者|记者|編集委員)$")
_EDITED = re.compile(r"(?:editing|photos?|photography|illustrations?|graphics?|video)\sby\s", re.I)
_BUTTON = re.compile(
    r"(?:facebook|google|tweet|twitter|share|e-?mail|print|comments?|copyright|©|photos?|fotos?|bild(?:er)?|image|picture)\b"
    r"(?!.*\b(?:team|staff)\b)",
    re.I,
)
_BAD_CHARACTER = re.compile(r"[<>{}\[\]=#*\\^~_$%]|\d{3,}|://|[?!]$")
_TITLE = re.compile(r"^(?:dr\.|prof\.|mr\.|mrs\.|ms\.|herr|frau)\s+(?=\S+\s\S)", re.I)


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
    text = _NOISE.sub(" ", clean(raw, limit=1000))
    text = _DATELINE.sub("", text.strip(" \t-–—|·•:,;/"))
    for _ in range(3):
        match = _PREFIX.match(text)
        if not match:
            break
        text = text[match.end() :].lstrip(" :-–")
    text = _TAIL.sub("", " " + text)[1:] if text else text
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
    pieces: list[str] = []
    last = 0
    for match in _SPLIT.finditer(text):
        word = match.group().strip(" ,").lower()
        if word in _LANGUAGE_WORDS and language[:2] not in _LANGUAGE_WORDS[word]:
            continue
        if word in ("jr", "sr"):
            continue
        pieces.append(text[last : match.start()])
        last = match.end()
    pieces.append(text[last:])
    return [p for p in pieces if p.strip()][: 2 * MAX_AUTHORS]


def tidy(part: str) -> str:
    """Cut a name's surroundings off; "" where it can be no name."""
    name = re.sub(r"\s*\((?:[^()]{0,60})\)\s*$", "", part).strip(" \t.,:;-–—|/'\"“”„‘’*•·()")
    if part.rstrip().endswith(".") and re.search(r"\b(?:Jr|Sr|[A-Z])$", name):
        name += "."
    name = _PREFIX.sub("", name, count=1) if _PREFIX.match(name) and " " in name[3:] else name
    name = _EAST_ASIAN_ROLE.sub("", _TITLE.sub("", name))
    folded = name.casefold()
    if (
        len(name) < 2
        or len(name) > MAX_NAME_CHARS
        or len(name.split()) > MAX_NAME_WORDS
        or _BAD_CHARACTER.search(name)
        or folded in _GENERIC
        or _BUTTON.match(name)
        or _EDITED.match(name)
        or _is_date(name)
        or _ROLE.fullmatch(name)
        or not any(c.isalpha() for c in name)
    ):
        return ""
    return name


def _is_date(name: str) -> bool:
    """Tell whether a number stands beside a month's name."""
    words = name.replace(".", " ").split()
    return len(words) > 1 and any(w.isdigit() for w in words) and any(languages.known().month(w) for w in words)


_NAME_WORD = re.compile(
    r"(?:[^\W\d_a-zß-ÿ][\w'’.-]*|d[aeiou]|v[ao]n|d[eo][lrns]|der|den|ten|la|le|el|al|bin|ben|ibn|y|e|af|av|zu|zum)$"
)


def looks_like_name(name: str) -> bool:
    """Tell whether running text could be a person's or an agency's name: two to five words with capitals."""
    words = name.split()
    if any(c.isdigit() for c in name):
        return False
    if not any(c.lower() != c.upper() for c in name):  # a script without capitals
        return len(words) <= 4 and 2 <= len(name) <= 40
    return 2 <= len(words) <= 5 and all(_NAME_WORD.match(w) for w in words)


def starts_byline(text: str) -> bool:
    """Tell whether a line begins as bylines do."""
    return bool(_PREFIX.match(text))


def unique(names: Iterable[str]) -> list[str]:
    """Drop repetitions, case and full stops ignored."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold().replace(".", ""), name)
    return list(found.values())[:MAX_AUTHORS]
