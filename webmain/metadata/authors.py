"""Who signed the page: JSON-LD, then meta, then microdata and links, then the byline at the headline."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from webmain import languages
from webmain.html.columns import Flag
from webmain.metadata.head import clean, element_text, is_byline_class, letters, meta_names, scope_type
from webmain.metadata.jsonld import texts
from webmain.metadata.names import looks_like_name, names_in, starts_byline, tidy, unique
from webmain.metadata.reading import Found, Reading, found, source_name

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHORT_LABEL = 14  # characters of "Written by:" and the like, which the name follows in another element
_DOMAIN = re.compile(r"[\w-]{2,40}\.[a-z]{2,6}", re.I)
_NOT_OURS = ("comment", "usercomments", "review", "imageobject", "videoobject", "answer", "userreview")


def read_authors(reading: Reading) -> Found | None:
    """Find the authors.

    Returns
    -------
    Found or None
        A tuple of names as the page gives them. The site's own name, and what JSON-LD calls an organisation, count only where
        nobody else signed.
    """
    fallback: Found | None = None
    sections = {letters(s) for s in (reading.text("articleSection"), reading.clues.meta("article:section")) if s}
    organisations = {letters(n) for v in reading.values("author", "creator") for n in _author_texts(reading, v)[1]}
    for name, told, raw in _places(reading):
        names = [n for n in told if letters(n) not in sections]
        others = [n for n in names if not _is_site(n, reading) and not _is_part(letters(n), organisations)]
        if name == "byline" and fallback is not None and organisations and not starts_byline(raw):
            continue  # rather a photographer, or the agency once more
        if others:
            return found(tuple(others), name, raw)
        if names and fallback is None:
            fallback = found(tuple(names), name, raw)
    return fallback


def _is_part(name: str, organisations: set[str]) -> bool:
    """Return True if a name is one of the organisations, or a part of one's: "AFP" of "The Daily with AFP"."""
    return any(name in organisation for organisation in organisations)


def _places(reading: Reading) -> Iterator[tuple[str, list[str], str]]:
    """Yield where names stand, the names, and the raw string, in order of trust."""
    yield from _declared(reading)
    yield from _marked(reading)
    yield from _shown(reading)


def _declared(reading: Reading) -> Iterator[tuple[str, list[str], str]]:
    for value in reading.values("author", "creator", "byline"):
        raws, organisations = _author_texts(reading, value)
        names = unique(
            n for raw in raws for n in ([raw] if raw in organisations else names_in(raw, language=reading.language))
        )
        if names:
            yield "json-ld", names, ", ".join(raws)
    for key in meta_names("authors"):
        values = [v for v in texts(reading.clues.metas.get(key, [])) if not _is_address(v)]
        if key == "twitter:data1" and not _labelled_author(reading):
            continue
        names = unique(n for v in values[:30] for n in _meta_names(v, key, reading.language))
        if names and len(values) == 1 and _DOMAIN.fullmatch(names[0]) and _is_site(names[0], reading):
            names = names[:1]  # "site.de, Town, Country": the publisher's address
        if names:
            yield source_name(key), names, ", ".join(values)


def _labelled_author(reading: Reading) -> bool:
    """Whether twitter:data1 is said to be the author."""
    label = reading.clues.meta("twitter:label1").casefold()
    return bool(label) and any(word in label for word in languages.known().words("bylines.author_label"))


def _meta_names(value: str, key: str, language: str) -> list[str]:
    """Read "Doe, Jane" as libraries write names; everything else as a byline."""
    parts = [p.strip() for p in value.split(",")]
    if key.startswith(("citation", "dc")) and len(parts) == 2 and " " not in parts[0] and all(parts):
        return [tidy(f"{parts[1]} {parts[0]}")]
    return names_in(value, language=language)


def _author_texts(reading: Reading, value: Any) -> tuple[list[str], set[str]]:
    """Return the names in a JSON-LD author (strings, objects, references, lists of them), and which are organisations.

    Addresses are left out. An organisation's name is one name, whatever words are in it.
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
            out.extend(named)
            if isinstance(resolved, dict) and "rganization" in str(resolved.get("@type")):
                organisations.update(tidied for t in named if (tidied := tidy(clean(t))) == clean(t))
    return [t for t in map(clean, out) if t and not _is_address(t)], organisations


def _is_address(text: str) -> bool:
    return text.startswith(("http:", "https:", "//", "www.", "/")) or (".com/" in text)


def _is_site(name: str, reading: Reading) -> bool:
    """Return True if a name is the site's own."""
    folded = letters(name)
    label = reading.document.site.partition(".")[0]
    if label and letters(name.partition(" ")[0]) == letters(label):
        return True
    return any(folded == letters(site) for site in reading.site_names)


def _marked(reading: Reading) -> Iterator[tuple[str, list[str], str]]:
    """Read microdata and rel=author."""
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
    """Return the `name` inside an author's own scope."""
    end = reading.document.elements.end[index]
    for i in reading.clues.properties.get("name", ()):
        if index < i < end:
            return element_text(reading.document, i, limit=160)
    return ""


def _shown(reading: Reading) -> Iterator[tuple[str, list[str], str]]:
    """Read what readers see near the headline: elements with an author's class, then lines that begin like bylines."""
    document = reading.document
    marked = [i for i in reading.in_view(reading.clues.bylines) if reading.headline_leaf < 0 or reading.is_near(i)]
    for i in marked[:12]:
        text = element_text(document, i, limit=200)
        if not text:
            continue
        names = _linked_names(reading, i) or names_in(
            text, language=reading.language, is_text=not (_is_name_class(reading, i) or _is_nickname(text))
        )
        names = [
            n
            for n in names
            if looks_like_name(n)
            or starts_byline(text)
            or (n == text and (_is_nickname(n) or _is_name_class(reading, i)))
        ]
        if names:
            yield "byline", names, text
    leaves = document.leaves
    start = max(0, reading.headline_leaf - 5)
    outside = int(Flag.IN_CONTROL | Flag.EMBEDDED | Flag.IN_NOSCRIPT)
    for i in range(start, min(len(leaves), start + 60)):
        text = leaves.texts[i]
        if len(text) > 120 or not starts_byline(text + " ") or leaves.flags[i] & outside:
            continue
        names = names_in(text, language=reading.language, is_text=True)
        whole = element_text(document, leaves.element[i], limit=200) if len(text) < _SHORT_LABEL else ""
        if not names and len(whole) > len(text) and starts_byline(whole):
            names = _linked_names(reading, leaves.element[i]) or names_in(
                whole, language=reading.language, is_text=True
            )
            text = whole if names else text
        if not names and len(text) < _SHORT_LABEL and i + 1 < len(leaves):
            text = f"{text} {leaves.texts[i + 1]}"
            names = names_in(text, language=reading.language, is_text=True)
        if names and not reading.stands_aside(leaves.element[i]):
            yield "byline", names, text


def _is_nickname(text: str) -> bool:
    """Return True if a text is one word, as people sign on blogs and agencies do."""
    return 2 <= len(text) <= 25 and " " not in text and text[0].isupper()


def _is_name_class(reading: Reading, index: int) -> bool:
    """Return True if the class says that nothing but the name stands here."""
    value = (reading.document.elements.attributes[index].get("class") or "").lower()
    return "name" in value and is_byline_class(value)


def _linked_names(reading: Reading, index: int) -> list[str]:
    """Return the names that are links within a byline."""
    document, elements = reading.document, reading.document.elements
    out: list[str] = []
    for i in range(index, min(elements.end[index], index + 60)):
        if elements.tags[i] == "a":
            text = element_text(document, i, limit=80)
            out += [n for n in names_in(text, language=reading.language) if looks_like_name(n)]
    return unique(out)
