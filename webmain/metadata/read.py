"""Read all metadata of a page, each field with the place where it was found."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from webmain.html.columns import Flag
from webmain.html.document import Document, view
from webmain.items import Metadata
from webmain.metadata.authors import read_authors
from webmain.metadata.dates import parse_date
from webmain.metadata.dates_shown import is_mostly_date
from webmain.metadata.head import clean, element_text, letters, meta_names
from webmain.metadata.jsonld import texts
from webmain.metadata.live import read_entries
from webmain.metadata.opt_outs import read_opt_outs
from webmain.metadata.publication import read_dates
from webmain.metadata.reading import Found, Reading, found, read, source_name
from webmain.metadata.site_names import in_slug
from webmain.metadata.titles import MAX_TITLE_CHARS, Candidate, choose, pieces, size
from webmain.regex import lazy
from webmain.urls import amp_to_canonical_guess, host, is_own, is_web, join, normalise, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TAGS: Final = 50
_MAX_TAG_CHARS: Final = 100
_MIN_HEADLINE: Final = 15
_LONGEST_LABEL, _LONG_TITLE = 14, 24
_LONGEST_HEADLINE: Final = 200
_PARAGRAPH: Final = 80
_TOP_LEAVES: Final = 500
_MOST_DATES: Final = 5
_BEFORE_DATE, _AFTER_DATE = 3, 12
"""Leaves before a date that may be the headline, and after it that may be the text."""


@view
def read_metadata(document: Document) -> Metadata:
    """Return the page's metadata, read from the document's columns.

    Parameters
    ----------
    document : Document
        The page; its tree is built if it hasn't been yet.

    Returns
    -------
    Metadata
        `sources` has an entry for each field that was found. Never raises, whatever the page contains.
    """
    reading = read(document)
    published, modified = read_dates(reading)
    canonical_url, canonical_claim = _canonical(reading)
    fields: dict[str, Found | None] = {
        "title": _title(reading),
        "authors": read_authors(reading),
        "published": published,
        "modified": modified,
        "description": _description(reading),
        "canonical_url": canonical_url,
        "canonical_claim": canonical_claim,
        "site_name": _site_name(reading),
        "section": _section(reading),
        "tags": _tags(reading),
        "language_declared": _language(reading),
        "image": _image(reading),
        "licence": read_licence(reading),
        "paywalled": read_paywalled(reading),
        "opt_outs": read_opt_outs(reading),
        "entries": read_entries(reading),
    }
    known = {name: item for name, item in fields.items() if item is not None}
    values: dict[str, Any] = {name: item.value for name, item in known.items()}
    page_title = clean(document.title)[:MAX_TITLE_CHARS].rstrip() or None
    return Metadata(**values, page_title=page_title, sources={name: item.source for name, item in known.items()})


def _title(reading: Reading) -> Found | None:
    candidates = list(_title_candidates(reading))
    sections = reading.link_labels if all(c.source in ("title", "headline", "text") for c in candidates) else ()
    others = (i for i in reading.clues.headings[:20] if i != reading.headline)
    headings = reading.subheads.union(letters(element_text(reading.document, i)) for i in others)
    chosen = choose(candidates, names=reading.called, sections=sections, slug=reading.slug, headings=headings)
    return found(chosen[0].text, chosen[1].source, chosen[1].text) if chosen else None


def _title_candidates(reading: Reading) -> Iterator[Candidate]:
    document = reading.document
    for node in reading.nodes:
        if node.is_article and not node.aside:
            for text in texts(node.value.get("headline") or node.value.get("name"))[:1]:
                yield Candidate("json-ld", clean(text))
            break
    for name in meta_names("title"):
        if value := reading.clues.meta(name):
            yield Candidate(source_name(name), value)
    if reading.headline >= 0:
        yield Candidate("h1", _heading(reading))
    elif reading.marked_headline:
        yield Candidate("headline", reading.marked_headline)
    if document.title:
        if reading.headline < 0 and (heading := _unnamed_heading(reading)):
            yield Candidate("h2", heading)
            return
        yield Candidate("title", clean(document.title))
        if reading.headline < 0 or letters(element_text(document, reading.headline)) not in letters(document.title):
            yield Candidate("text", reading.shown_title)


def _heading(reading: Reading) -> str:
    """Return the text of the `h1`, up to a date in it that does not follow the headline in the `title` element."""
    document, leaves = reading.document, reading.document.leaves
    first, end = (ends[reading.headline] for ends in (document.elements.first_leaf, document.elements.end_leaf))
    title = letters(document.title)
    for i in range(first + 1, min(end, first + _MOST_DATES)):
        if is_mostly_date(leaves.texts[i]) and letters(leaves.texts[i]) not in title and parse_date(leaves.texts[i]):
            shown = clean(leaves.text(range(first, i)))
            if letters(shown) and title.startswith(letters(shown)):
                return shown
    return element_text(document, reading.headline)


def _unnamed_heading(reading: Reading) -> str:
    """Return the headline of a page whose `title` element is the same on all pages: a heading, or the text above a date.

    Such a title is the site's name or a label ("Press release"), or the page does not show it and has another text above
    its date.
    """
    title = clean(reading.document.title[:1000])
    parts = [part for part in pieces(title) if not reading.called.holds(part)]
    if any(in_slug(part, reading.slug) > 1 or _is_shown(reading, part) for part in {*parts, " ".join(parts)} - {""}):
        return ""
    return (_first_heading(reading) if reading.called.holds(title) else "") or _above_date(reading)


def _is_shown(reading: Reading, piece: str) -> bool:
    """Return True if a piece of a title is a text run, begins with one, or is in one; a label in a link does not count."""
    own, leaves, is_label = letters(piece), reading.document.leaves, size(piece) < _LONGEST_LABEL
    for text, flags in islice(zip(leaves.texts, leaves.flags, strict=True), _TOP_LEAVES):
        folded = "" if is_label and flags & Flag.IN_ANCHOR else letters(text)
        begins = len(folded) > _MIN_HEADLINE and own.startswith(folded)
        if folded == own or begins or (size(piece) > _LONG_TITLE and own in folded):
            return True
    return False


def _first_heading(reading: Reading) -> str:
    """Return the first `h2` or `h3` that is long enough for a headline; "" if there is none."""
    headings = reading.document.elements.of_tags(("h2", "h3"))
    of_body = (i for i in headings if not reading.stands_aside(i))
    texts_of_headings = (element_text(reading.document, i) for i in islice(of_body, 5))
    return next((text for text in texts_of_headings if size(text) > _MIN_HEADLINE), "")


def _above_date(reading: Reading) -> str:
    """Return the text directly above the first date that is followed by a paragraph; "" if it cannot be a headline."""
    document, leaves = reading.document, reading.document.leaves
    for at in islice((i for i, t in enumerate(leaves.texts[:_TOP_LEAVES]) if is_mostly_date(t)), _MOST_DATES):
        if not any(size(text) > _PARAGRAPH for text in leaves.texts[at + 1 : at + _AFTER_DATE]):
            continue
        above = [i for i in range(max(0, at - _BEFORE_DATE), at) if size(leaves.texts[i]) > _MIN_HEADLINE]
        if above and not leaves.flags[above[-1]] & Flag.IN_ANCHOR and parse_date(leaves.texts[at]):
            text = element_text(document, leaves.element[above[-1]], limit=_LONGEST_HEADLINE + 1)
            return text if len(text) <= _LONGEST_HEADLINE and not is_mostly_date(text) else ""
    return ""


def _description(reading: Reading) -> Found | None:
    for name, value in reading.of_meta("description"):
        return found(value, source_name(name), value)
    value = reading.text("description")
    return found(value, "json-ld", value) if value else None


def _canonical(reading: Reading) -> tuple[Found | None, Found | None]:
    """Return the page's canonical URL on its own site, and the first one that it claims on another site."""
    document, claim = reading.document, None
    for name, raw in (
        ("link:canonical", reading.clues.link("canonical")),
        ("og:url", reading.clues.meta("og:url")),
        ("json-ld", _address(reading)),
    ):
        url = join(document.base_url, raw) if raw else None
        if url is None or normalise(url) is None:
            continue
        address = found(without_credentials(url.partition("#")[0]), name, raw)
        if not is_own(url, document.url):
            claim = claim or address
        elif _is_credible(url, document.url):
            return address, claim
    return None, claim


def _address(reading: Reading) -> str:
    for value in reading.values("url", "mainEntityOfPage", all_nodes=False):
        target = value.get("@id") or value.get("url") if isinstance(value, dict) else value
        if isinstance(target, str):
            return target
    return ""


def _is_credible(canonical: str, url: str | None) -> bool:
    """Return True if a URL of the page's site can be its canonical URL: the front page's only for the front page."""
    if url is None or not is_web(url):
        return True
    if _path(canonical) in ("", "/") and not _query(canonical):
        own = amp_to_canonical_guess(url)
        return _path(own) in ("", "/") and not _query(own)
    return not (host(canonical).startswith("amp.") and not host(url).startswith("amp."))


def _path(url: str) -> str:
    return re.sub(r"^https?://[^/?#]*", "", url, flags=re.I).partition("?")[0].partition("#")[0].rstrip("/")


def _query(url: str) -> str:
    return url.partition("#")[0].partition("?")[2]


def _site_name(reading: Reading) -> Found | None:
    if value := reading.clues.meta("og:site_name"):
        return found(value, "og:site_name", value)
    for node in reading.linked.nodes:
        if "website" in node.types and (names := texts(node.value.get("name"))):
            return found(clean(names[0]), "json-ld", names[0])
    if value := reading.text("publisher"):
        return found(value, "json-ld", value)
    for name, value in reading.of_meta("site_name"):
        if not value.startswith("http"):
            return found(value, source_name(name), value)
    return None


def _section(reading: Reading) -> Found | None:
    if (value := reading.text("articleSection")) and len(value) <= _MAX_TAG_CHARS:
        return found(value, "json-ld", value)
    for name, raw in reading.of_meta("section"):
        value = next(map(clean, texts(raw)), "")
        if 0 < len(value) <= _MAX_TAG_CHARS:
            return found(value, source_name(name), raw)
    return None


def _tags(reading: Reading) -> Found | None:
    """Return the keywords without duplicates, from the first place that has any."""
    for value in reading.values("keywords"):
        if tags := _split_tags([clean(t) for t in texts(value, limit=2 * MAX_TAGS)]):
            return found(tags, "json-ld", ", ".join(tags))
    for name in meta_names("tags"):
        if tags := _split_tags([clean(t) for t in texts(reading.clues.metas(name), limit=2 * MAX_TAGS)]):
            return found(tags, source_name(name), ", ".join(tags))
    return None


def _split_tags(values: list[str]) -> tuple[str, ...]:
    """Split lists in one string; drop what is too long for a tag."""
    parts = [p.strip(" \"'") for v in values for p in re.split(r"[,;،、|]", v)]
    found_tags: dict[str, str] = {}
    for part in parts:
        if 0 < len(part) <= _MAX_TAG_CHARS:
            found_tags.setdefault(part.casefold().removeprefix("tag:"), part)
    return tuple(found_tags.values())[:MAX_TAGS]


_LANGUAGE = lazy(r"[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?")


def _language(reading: Reading) -> Found | None:
    """Return the declared language as a BCP 47 tag in lower case."""
    places = [
        ("html:lang", reading.declared_language),
        ("json-ld", reading.text("inLanguage")),
        ("og:locale", reading.clues.meta("og:locale")),
        ("meta:content-language", reading.clues.meta("content-language")),
        ("meta:language", reading.clues.meta("language", "dc.language", "dcterms.language", "dc.language.iso")),
        ("header:content-language", str(reading.document.page.headers.get("content-language") or "")),
    ]
    for name, raw in places:
        tag = re.split(r"[,;]", raw.strip().lower().replace("_", "-"))[0].strip()
        if match := _LANGUAGE.match(tag):
            value = match.group()
            if len(tag) == len(value) or tag[len(value)] == "-":
                return found(value, name, raw)
    return None


def _image(reading: Reading) -> Found | None:
    base = reading.document.base_url
    places = [(n, v) for n in ("og:image:secure_url", "og:image", "og:image:url") for v in reading.clues.metas(n, 1)]
    places += [("json-ld", _image_address(v, reading)) for v in reading.values("image", "thumbnailUrl")]
    places += reading.of_meta("image")
    places.append(("link:image_src", reading.clues.link("image_src")))
    for name, raw in places:
        if raw and (url := join(base, raw)):
            return found(url, name, raw)
    return None


def _image_address(value: Any, reading: Reading) -> str:
    """Return the URL of a JSON-LD image: a string, an object, a reference, or the first of a list."""
    for _ in range(4):
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = reading.linked.resolve(value)
            value = value.get("url") or value.get("contentUrl") or value.get("@id") or ""
        else:
            break
    return value if isinstance(value, str) else ""


_LICENCE_URL = lazy(r"https?://(?:www\.)?(?:creativecommons\.org|opensource\.org|gnu\.org|rightsstatements\.org|opendatacommons\.org|"
                          r"nationalarchives\.gov\.uk)/\S+", re.I)  # fmt: skip


def read_licence(reading: Reading) -> Found | None:
    """Return the licence: a URL if one is given, otherwise the page's text about it."""
    document = reading.document
    for value in reading.values("license"):
        for text in _urls_of(value):
            return found(join(reading.document.base_url, text) or text.strip(), "json-ld", text)
    if href := reading.clues.link("license") or reading.clues.link("licence"):
        return found(join(document.base_url, href) or href, "link:license", href)
    for i in reading.clues.licences:
        href = document.elements.attributes[i].get("href") or ""
        if (url := join(document.base_url, href)) and "dc:license" not in url:
            return found(url, "rel=license", href)
    for name in meta_names("licence"):
        for raw in reading.clues.metas(name):
            if match := _LICENCE_URL.search(raw):
                return found(match.group().rstrip(".,;)"), f"meta:{name}", raw)
    return None


def _urls_of(value: Any) -> Iterator[str]:
    """Yield strings, or URLs and names of objects."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            item = item.get("url") or item.get("@id") or item.get("name")
        yield from (t for t in texts(item) if len(t) <= 1000)


def read_paywalled(reading: Reading) -> Found | None:
    """Return whether the article is behind a paywall, by `isAccessibleForFree` or the content tier.

    A part of the page that isn't free (`hasPart`) outranks a page declared free.
    """
    answers: list[bool | None] = []
    for node in reading.nodes:
        if not node.is_article and answers:
            break
        parts = node.value.get("hasPart")
        several = parts if isinstance(parts, list) else [parts]
        answers.extend(_truth(part.get("isAccessibleForFree")) for part in several[:50] if isinstance(part, dict))
        answers.append(_truth(node.value.get("isAccessibleForFree")))
    known = [a for a in answers if a is not None]
    if known:
        return found(not all(known), "json-ld", "isAccessibleForFree")
    tier = reading.clues.meta("article:content_tier", "og:content_tier").lower()
    if tier in ("free", "metered", "locked", "premium", "paid"):
        return found(tier in ("locked", "premium", "paid"), "article:content_tier", tier)
    return None


def _truth(value: Any) -> bool | None:
    """Return a boolean in any of the ways publishers write it; None if unclear."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return bool(value)
    if isinstance(value, str):
        word = value.strip().rpartition("/")[2].lower()
        return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(word)
    return None
