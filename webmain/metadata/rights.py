"""What the page says of its use: licence, paywall, signals against reuse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from webmain.metadata.head import meta_names
from webmain.metadata.jsonld import texts
from webmain.metadata.reading import Found, Reading, found
from webmain.urls import join

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROBOTS_SIGNALS: Final = ("noarchive", "noai", "noimageai", "nosnippet", "nocache", "noml", "none", "noindex")
_LICENCE_URL = re.compile(r"https?://(?:www\.)?(?:creativecommons\.org|opensource\.org|gnu\.org|rightsstatements\.org|opendatacommons\.org|"
                          r"nationalarchives\.gov\.uk)/\S+", re.I)  # fmt: skip
_PREVIEW = re.compile(r"max-snippet\s*:\s*0\b")


def read_licence(reading: Reading) -> Found | None:
    """Find the licence: a URL where one is given, the page's words otherwise."""
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
        for raw in reading.clues.metas.get(name, ()):
            if match := _LICENCE_URL.search(raw):
                return found(match.group().rstrip(".,;)"), f"meta:{name}", raw)
    return None


def _urls_of(value: Any) -> Iterator[str]:
    """Yield strings, or addresses and names of objects."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            item = item.get("url") or item.get("@id") or item.get("name")
        yield from (t for t in texts(item) if len(t) <= 1000)


def read_paywalled(reading: Reading) -> Found | None:
    """Find whether the article must be paid for, from `isAccessibleForFree` or the content tier.

    A part of the page that isn't free (`hasPart`) outranks the page's own "free".
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
    """Read a boolean as publishers write it."""
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


def read_opt_outs(reading: Reading) -> Found | None:
    """Collect signals against reuse, from meta elements and from the response's headers.

    Returns
    -------
    Found or None
        A tuple such as ("robots:noarchive", "gptbot:noindex", "tdm-reservation"), sorted, without repetitions.
    """
    signals: set[str] = set()
    raws: list[str] = []
    for name in meta_names("robots"):
        for raw in reading.clues.metas.get(name, ()):
            signals.update(kept := _signals(raw, name))
            raws += [raw] if kept else []
    headers = {k.lower(): v for k, v in reading.document.page.headers.items() if isinstance(v, str)}
    if raw := headers.get("x-robots-tag", ""):
        signals.update(kept := _header_signals(raw[:2000]))
        raws += [raw] if kept else []
    for raw in (reading.clues.meta("tdm-reservation"), headers.get("tdm-reservation", "")):
        if raw.strip() == "1":
            signals.add("tdm-reservation")
            raws.append(f"tdm-reservation: {raw}")
    if raw := reading.clues.meta("tdm-policy") or headers.get("tdm-policy", ""):
        signals.add("tdm-policy")
        raws.append(raw)
    return found(tuple(sorted(signals)), "meta", "; ".join(raws)) if signals else None


def _signals(raw: str, name: str) -> set[str]:
    """Return the directives of one agent that speak against reuse."""
    words = {w.strip() for w in re.split(r"[,;\s]+", raw.lower()[:500])}
    kept = {f"{name}:{w}" for w in words.intersection(_ROBOTS_SIGNALS)}
    return kept | ({f"{name}:nosnippet"} if _PREVIEW.search(raw.lower()[:500]) else set())


def _header_signals(raw: str) -> set[str]:
    """Read an X-Robots-Tag header, in which an agent's name may stand before its directives."""
    signals: set[str] = set()
    agent = "robots"
    for part in raw.lower().split(","):
        before, colon, after = part.strip().partition(":")
        if colon and before.strip() not in (
            "max-snippet",
            "max-image-preview",
            "max-video-preview",
            "unavailable_after",
        ):
            agent, part = before.strip()[:40], after
        signals |= _signals(part, agent)
    return signals
