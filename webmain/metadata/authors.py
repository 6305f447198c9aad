"""Read the authors of a page: from JSON-LD, then `meta`, then microdata and links, then the byline near the headline."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from webmain import languages
from webmain.metadata.head import BYLINE, element_text, has_sign, letters, meta_names, scope_type
from webmain.metadata.jsonld import texts
from webmain.metadata.likely_authors import SHORT_LABEL, YEAR, labelled_authors, likely_authors
from webmain.metadata.names import (
    BAR,
    leads_to_author,
    looks_like_name,
    names_in,
    read_signature,
    says_who_wrote,
    starts_byline,
    tidy,
    unique,
    without_tail,
)
from webmain.metadata.reading import Found, Reading, found, source_name
from webmain.metadata.values import clean
from webmain.regex import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webmain.html.document import Document

_LONGEST_BYLINE = 120
_LONG_SITE = 8  # minimum letters of a site's name that a name may begin with: "Daily News Sport"
_USERNAME = lazy(r"[a-z]{1,20}[._][a-z]{2,20}\d{0,4}")
"""What somebody logs in with: "jane.roe"."""

_DOMAIN = lazy(r"[\w-]{2,40}\.[a-z]{2,6}", re.I)
_NAME_BEGINS = lazy(r"(?:\s[A-ZÀ-Þ][\w'’-]+){1,2}(?=\s+[a-zà-ÿ–—-])")
"""A family name, and what tells that it ends."""

_NOT_OURS = ("comment", "usercomments", "review", "imageobject", "videoobject", "answer", "userreview")


def read_authors(reading: Reading) -> Found | None:
    """Return the authors.

    Returns
    -------
    Found or None
        A tuple of names as the page gives them. The site's own name, and organisations in JSON-LD, count only if there is no
        other author.
    """
    fallback: Found | None = None
    unseen: Found | None = None
    nickname: Found | None = None
    is_signed = False  # the page shows the fallback
    sections = {letters(s) for s in (reading.text("articleSection"), reading.clues.meta("article:section")) if s}
    organisations = {letters(n) for v in reading.values("author", "creator") for n in _author_texts(reading, v)[1]}
    start = max(0, reading.headline_leaf - 5)
    top = range(start, min(len(reading.document.leaves), start + 60))
    shown = (_in_elements(reading), _in_lines(reading, top), _between_bars(reading, top))
    for name, told, raw in chain(_declared(reading), _marked(reading), *shown):
        names = [n for n in told if letters(n) not in sections]
        others = [n for n in names if not _is_site(n, reading)]
        others = [n for n in others if not _is_desk(n, reading)] or others
        others = [n for n in others if not _USERNAME.fullmatch(n)]
        is_declared = name not in _SHOWN
        if name == "byline" and fallback is not None and organisations and not starts_byline(raw):
            continue  # more likely a photographer, or the agency again
        if others and is_declared and not _are_seen(others, reading):
            unseen = unseen or found(tuple(others), name, raw)
        elif others and not is_declared and unseen is not None and not (name != "byline" or starts_byline(raw)):
            continue
        elif others and not is_declared and " " not in "".join(others) and not starts_byline(raw):
            nickname = nickname or found(tuple(others), name, raw)  # or the name of a section
        elif others and nickname is not None and nickname.value[0] in others:
            break
        elif others:
            return found(tuple(_with_coauthors(reading, others) if is_declared else others), name, raw)
        elif names and (fallback is None or not is_declared):
            fallback, is_signed = fallback or found(tuple(names), name, raw), not is_declared
    if (sure := unseen or nickname) or (fallback and (is_signed or not organisations)):
        return sure or fallback
    likely = (labelled_authors if fallback else likely_authors)(reading)
    return next((found(tuple(names), "text", raw) for names, raw in likely), fallback) or _in_author_box(reading)


def _with_coauthors(reading: Reading, names: list[str]) -> list[str]:
    """Return the names of a byline near the headline that has these and others, or else these."""
    known = tuple(map(letters, names))
    for i in _near_bylines(reading):
        if says_who_wrote(text := _set_apart(reading.document, i)):
            shown = names_in(text, language=reading.language, is_text=True)
            folded = [*map(letters, shown)]
            if len(shown) > len(names) and all(any(each.endswith(k) for each in folded) for k in known):
                return shown
    return names


def _in_author_box(reading: Reading) -> Found | None:
    """Return the only name that the page's links to authors have, below the text too; None if there are several."""
    texts_of = (element_text(reading.document, i, limit=120) for i in reading.clues.author_links)
    names = unique(n for text in texts_of for n in names_in(text, language=reading.language, is_text=True))
    return found((names[0],), "rel=author", names[0]) if len(names) == 1 else None


_SHOWN = ("itemprop:author", "rel=author", "byline")


def _are_seen(names: list[str], reading: Reading) -> bool:
    """Return True if the page shows the longest word of a name, or might show the names in another script."""
    return any(n.lower() == n.upper() or max(n.casefold().split(), key=len) in reading.shown for n in names)


def _declared(reading: Reading) -> Iterator[tuple[str, list[str], str]]:
    """Yield source, names and raw string of each place in JSON-LD and `meta` that has names, in order of trust."""
    for value in reading.values("author", "creator", "byline"):
        raws, organisations = _author_texts(reading, value)
        names = unique(n for raw in raws for n in ([raw] if raw in organisations else _signatures(reading, raw)))
        if names:
            yield "json-ld", names, ", ".join(raws)
    for key in meta_names("authors"):
        if key not in reading.clues.contents or (key == "twitter:data1" and not _labelled_author(reading)):
            continue
        values = [v for v in texts(reading.clues.metas(key)) if not _is_address(v)]
        names = unique(n for v in values[:30] for n in _meta_names(v, key, reading.language))
        if names and len(values) == 1 and _DOMAIN.fullmatch(names[0]) and _is_site(names[0], reading):
            names = names[:1]  # "site.de, Town, Country": the publisher's address
        if names:
            yield source_name(key), names, ", ".join(values)


def _signatures(reading: Reading, raw: str) -> list[str]:
    """Return the names in a string; a single one if the site and agencies are named together: "Daily News and AFP"."""
    names = names_in(raw, language=reading.language)
    others = [n for n in names if not _is_desk(n, reading)]
    is_joint = 0 < len(others) < len(names) and not any(map(looks_like_name, others))
    return [tidied] if is_joint and (tidied := tidy(raw)) else names


def _labelled_author(reading: Reading) -> bool:
    """Return True if the page labels twitter:data1 as the author."""
    label = reading.clues.meta("twitter:label1").casefold()
    return bool(label) and any(word in label for word in languages.known().words("bylines.author_label"))


def _meta_names(value: str, key: str, language: str) -> list[str]:
    """Return the names in a `meta` value: "Doe, Jane" as in library catalogues, everything else as a byline."""
    parts = [p.strip() for p in value.split(",")]
    if key.startswith(("citation", "dc")) and len(parts) == 2 and " " not in parts[0] and all(parts):
        return [tidy(f"{parts[1]} {parts[0]}")]
    return names_in(value, language=language)


def _author_texts(reading: Reading, value: Any) -> tuple[list[str], set[str]]:
    """Return the names in a JSON-LD author (strings, objects, references, lists of them), and those of organisations.

    URLs are left out. An organisation's name is never split.
    """
    organisations: set[str] = set()
    items = value if isinstance(value, list) else [value]
    out: list[str] = []
    for item in items[:50]:
        resolved = reading.linked.resolve(item)
        if isinstance(resolved, dict) and "name" not in resolved and isinstance(resolved.get("givenName"), str):
            given, family = resolved["givenName"], resolved.get("familyName")
            out.append(f"{given} {family}" if isinstance(family, str) else given)
        else:
            named = texts(resolved)
            out.extend(_full_name(t, resolved) for t in named)
            if isinstance(resolved, dict) and "rganization" in str(resolved.get("@type")):
                organisations.update(tidied for t in named if (tidied := tidy(clean(t))) == clean(t))
    return [t for t in map(clean, out) if t and not _is_address(t)], organisations


def _full_name(name: str, person: Any) -> str:
    """Return a first name with the family name with which the person's description begins: "Jane Roe is a reporter"."""
    about = person.get("description") if isinstance(person, dict) and " " not in name else None
    whole = about[:80] if isinstance(about, str) and about.startswith(f"{name} ") else ""
    match = _NAME_BEGINS.match(whole, len(name))
    return whole[: match.end()] if match and looks_like_name(whole[: match.end()]) else name


def _is_address(text: str) -> bool:
    return text.startswith(("http:", "https:", "//", "www.", "/")) or (".com/" in text)


def _is_site(name: str, reading: Reading) -> bool:
    """Return True if a name is the site's own."""
    folded = letters(name)
    label = reading.document.site.partition(".")[0]
    if label and letters(name.partition(" ")[0]) == letters(label):
        return True
    return any(folded == letters(site) for site in reading.site_names)


def _is_desk(name: str, reading: Reading) -> bool:
    """Return True if a name is the site's own, or begins with it: "Daily News Sport"."""
    sites = tuple(f for site in reading.site_names if len(f := letters(site)) >= _LONG_SITE)
    return letters(name).startswith(sites) or _is_site(name, reading)


def _marked(reading: Reading) -> Iterator[tuple[str, list[str], str]]:
    """Yield source, names and raw string from microdata and rel=author."""
    document = reading.document
    inner: list[str] = []
    for i in reading.clues.properties.get("author", [])[:30] + reading.clues.properties.get("creator", [])[:5]:
        if scope_type(document, i) in _NOT_OURS or reading.stands_aside(i):
            continue
        text = _name_property(reading, i) or element_text(document, i, limit=160)
        inner += names_in(text, language=reading.language)
    if names := unique(inner):
        yield "itemprop:author", names, ", ".join(names)
    linked: list[str] = []
    for i in reading.in_view(reading.clues.author_links):
        if linked and not reading.is_near(i):
            break
        linked += names_in(element_text(document, i, limit=120), language=reading.language)
    if names := unique(linked):
        yield "rel=author", names, ", ".join(names)


def _name_property(reading: Reading, index: int) -> str:
    """Return the `name` property inside an author's `itemscope`."""
    inside = range(index + 1, reading.document.elements.end[index])
    names = (i for i in reading.clues.properties.get("name", ()) if i in inside)
    return next((element_text(reading.document, i, limit=160) for i in names), "")


def _near_bylines(reading: Reading) -> list[int]:
    """Return the elements near the headline with an author's class, nearest first."""
    marked = reading.in_view(reading.clues.bylines)
    return [i for i in marked if reading.headline_leaf < 0 or reading.is_near(i)][:12]


def _in_elements(reading: Reading) -> Iterator[tuple[str, list[str], str]]:
    """Yield source, names and raw string of elements near the headline with an author's class."""
    document = reading.document
    for i in _near_bylines(reading):
        text = _set_apart(document, i)
        if not text:
            continue
        told = names_in(text, language=reading.language, is_text=not (_is_name_class(reading, i) or _is_nickname(text)))
        names = [n for n in _linked_names(reading, i) if n in without_tail(text)] or told
        if not names and YEAR.search(text):  # name and date are in separate elements
            first, end = document.elements.first_leaf[i], document.elements.end_leaf[i]
            is_behind = end - first == 2 and YEAR.search(document.leaves.texts[first])
            text = document.leaves.texts[end - 1 if is_behind else first]
            names = names_in(text, language=reading.language, is_text=True)
        if not starts_byline(text):
            may_be_whole = _is_nickname(text) or _is_name_class(reading, i)
            names = [n for n in names if looks_like_name(n) or (n == text and may_be_whole)]
        if names:
            yield "byline", names, text


def _in_lines(reading: Reading, top: range) -> Iterator[tuple[str, list[str], str]]:
    """Yield source, names and raw string of lines that begin like bylines."""
    document, leaves = reading.document, reading.document.leaves
    for i in top:
        text = leaves.texts[i]
        is_byline = starts_byline(text + " ") if len(text) <= _LONGEST_BYLINE else read_signature(text) is not None
        if not is_byline:
            continue
        names = names_in(text, language=reading.language, is_text=True)
        whole = element_text(document, leaves.element[i], limit=200) if len(text) < SHORT_LABEL else ""
        is_longer = len(text) < len(whole) <= _LONGEST_BYLINE and whole.startswith(text)
        if not names and is_longer and starts_byline(whole):
            names = _linked_names(reading, leaves.element[i])
            names = names or names_in(whole, language=reading.language, is_text=True)
            text = whole if names else text
        after = leaves.texts[i + 1] if i + 1 < len(leaves) else ""
        if not names and len(text) < SHORT_LABEL and 0 < len(after) < _LONGEST_BYLINE:
            text = f"{text} {after}"
            names = names_in(text, language=reading.language, is_text=True)
        if names and not reading.is_outside(i):
            yield "byline", names, text


def _set_apart(document: Document, index: int) -> str:
    """Return a byline's text, with spaces between elements whose words only the page's style sets apart."""
    leaves = document.leaves
    inside = range(document.elements.first_leaf[index], document.elements.end_leaf[index])
    text = element_text(document, index, limit=200)
    is_glued = text and any(
        leaves.texts[i - 1][-1].isalpha()
        and leaves.texts[i][0].isalpha()
        and not (leaves.breaks[i] or leaves.spaced[i])
        for i in inside[1:]
    )
    return " ".join(leaves.texts[i] for i in inside) if is_glued else text


def _between_bars(reading: Reading, top: range) -> Iterator[tuple[str, list[str], str]]:
    """Yield source, names and raw string of lines with a byline behind a bar: "5 May 2024 | By Jane Roe"."""
    for i, text in zip(top, reading.document.leaves.texts[top.start : top.stop], strict=True):
        for part in BAR.split(text)[1:] if len(text) <= _LONGEST_BYLINE else ():
            names = names_in(part, language=reading.language, is_text=True) if starts_byline(part + " ") else []
            if names and not reading.is_outside(i):
                yield "byline", names, text


def _is_nickname(text: str) -> bool:
    """Return True if a text is a single word, such as a blogger's or an agency's name."""
    return 2 <= len(text) <= 25 and " " not in text and text[0].isupper()


def _is_name_class(reading: Reading, index: int) -> bool:
    """Return True if an element's class means that it contains only the name."""
    value = (reading.document.elements.attributes[index].get("class") or "").lower()
    return "name" in value and has_sign(value, BYLINE)


def _linked_names(reading: Reading, index: int) -> list[str]:
    """Return the names that are links within a byline."""
    document, elements = reading.document, reading.document.elements
    out: list[str] = []
    for i in range(index, min(elements.end[index], index + 60)):
        if elements.tags[i] == "a":
            text = element_text(document, i, limit=80)
            is_author = leads_to_author(elements.attributes[i].get("href") or "")
            names = names_in(text, language=reading.language)
            out += [n for n in names if looks_like_name(n) or (is_author and _is_nickname(n))]
    return unique(out)
