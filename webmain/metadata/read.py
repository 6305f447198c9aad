"""Read all metadata of a page, each field with the place where it was found.

Title, authors, dates and opt-outs are read by `headlines`, `authors`, `publication` and `opt_outs`, the other fields
here. What all of them share, such as the place of the headline, is in `reading`.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from webmain.html.document import Document, view
from webmain.items import LiveEntry, Metadata
from webmain.metadata.authors import read_authors
from webmain.metadata.dates import parse_date
from webmain.metadata.head import meta_names
from webmain.metadata.headlines import read_title
from webmain.metadata.jsonld import first_text, texts
from webmain.metadata.opt_outs import read_opt_outs
from webmain.metadata.publication import read_dates
from webmain.metadata.reading import Found, Reading, first, found, read, source_name
from webmain.metadata.titles import MAX_TITLE_CHARS
from webmain.metadata.values import clean
from webmain.regex import lazy
from webmain.urls import amp_to_canonical_guess, host, is_own, is_web, join, normalise, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TAGS: Final = 50
_MAX_TAG_CHARS: Final = 100
_FRONT = lazy(r"https?://[^/?#]*/*\??(?:#.*)?", re.I | re.S)
"""The address of a site's front page."""


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
        "title": read_title(reading),
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
        "entries": _entries(reading),
    }
    known = {name: item for name, item in fields.items() if item is not None}
    values: dict[str, Any] = {name: item.value for name, item in known.items()}
    page_title = clean(document.title)[:MAX_TITLE_CHARS].rstrip() or None
    return Metadata(**values, page_title=page_title, sources={name: item.source for name, item in known.items()})


def _description(reading: Reading) -> Found | None:
    return first(chain(reading.of_meta("description"), [("json-ld", reading.text("description"))]))


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
    if _FRONT.fullmatch(canonical):
        return _FRONT.fullmatch(amp_to_canonical_guess(url)) is not None
    return not (host(canonical).startswith("amp.") and not host(url).startswith("amp."))


def _site_name(reading: Reading) -> Found | None:
    sites = (node.value for node in reading.linked.nodes if "website" in node.types)
    return first(
        chain(
            [("og:site_name", reading.clues.meta("og:site_name"))],
            (("json-ld", first_text(site.get("name"))) for site in sites),
            [("json-ld", reading.text("publisher"))],
            ((name, value) for name, value in reading.of_meta("site_name") if not value.startswith("http")),
        ),
        clean,
    )


def _section(reading: Reading) -> Found | None:
    def name(raw: str) -> str:
        value = clean(first_text(raw))
        return value if len(value) <= _MAX_TAG_CHARS else ""

    return first(chain([("json-ld", reading.text("articleSection"))], reading.of_meta("section")), name)


def _tags(reading: Reading) -> Found | None:
    """Return the keywords without duplicates, from the first place that has any."""
    listed = ((source_name(name), reading.clues.metas(name)) for name in meta_names("tags"))
    for name, value in chain((("json-ld", value) for value in reading.values("keywords")), listed):
        if tags := _split_tags([clean(text) for text in texts(value, limit=2 * MAX_TAGS)]):
            return found(tags, name, ", ".join(tags))
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
    places = [
        ("html:lang", reading.clues.language),
        ("json-ld", reading.text("inLanguage")),
        ("og:locale", reading.clues.meta("og:locale")),
        ("meta:content-language", reading.clues.meta("content-language")),
        ("meta:language", reading.clues.meta("language", "dc.language", "dcterms.language", "dc.language.iso")),
        ("header:content-language", str(reading.document.page.headers.get("content-language") or "")),
    ]
    return first(places, _language_tag)


def _language_tag(raw: str) -> str:
    """Return a declared language as a BCP 47 tag in lower case; "" if it is none."""
    tag = re.split(r"[,;]", raw.strip().lower().replace("_", "-"))[0].strip()
    match = _LANGUAGE.match(tag)
    return match[0] if match and tag[match.end() :][:1] in ("", "-") else ""


def _image(reading: Reading) -> Found | None:
    names = ("og:image:secure_url", "og:image", "og:image:url")
    places = chain(
        ((name, value) for name in names for value in reading.clues.metas(name, 1)),
        (("json-ld", _image_address(value, reading)) for value in reading.values("image", "thumbnailUrl")),
        reading.of_meta("image"),
        [("link:image_src", reading.clues.link("image_src"))],
    )
    return first(places, partial(join, reading.document.base_url))


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
    if isinstance(value, int | float):
        return bool(value)
    if isinstance(value, str):
        word = value.strip().rpartition("/")[2].lower()
        return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(word)
    return None


MAX_ENTRIES: Final = 2_000
_LIVE: Final = "liveBlogUpdate"


def _entries(reading: Reading) -> Found | None:
    """Return the entries of a live blog, oldest first (schema.org, `LiveBlogPosting`).

    Entries without a time or without any text are left out; None if none is left.
    """
    for node in reading.nodes:
        updates = node.value.get(_LIVE)
        if node.aside or updates is None:
            continue
        listed = updates if isinstance(updates, list) else [updates]
        entries = [entry for each in listed[:MAX_ENTRIES] if (entry := _entry(reading, each)) is not None]
        if entries:
            entries.sort(key=lambda entry: entry.published)
            return found(tuple(entries), f"json-ld:{_LIVE}", f"{len(entries)} entries")
    return None


def _entry(reading: Reading, update: Any) -> LiveEntry | None:
    value = reading.linked.resolve(update)
    if not isinstance(value, dict):
        return None
    dates = (value.get(key) for key in ("datePublished", "dateCreated", "dateModified"))
    published = parse_date(first_text(next(filter(None, dates), "")))
    title = clean(first_text(value.get("headline")))
    text = "\n\n".join(filter(None, map(clean, first_text(value.get("articleBody")).splitlines())))
    if published is None or not (title or text):
        return None
    return LiveEntry(published=published, title=title or None, text=text)
