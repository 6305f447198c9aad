"""Variants of an article's URL: with tracking parameters, print, AMP, mobile, with and without `www.`."""

from __future__ import annotations

import re
from typing import Final

from webmain.items import Article, article_id
from webmain.urls import amp_to_canonical_guess, normalise

_QUERY: Final = (
    r"(?:(?:is)?print(?:able|er|version|view|_?mode)?=(?:1|true|yes|y|on)?|print|\w{1,20}=print(?:able|er|version)?)"
)
_PRINTED: Final = re.compile(
    r"(?<=[a-z0-9])/(?:print|printable|printer-friendly|print-version|drucken|imprimir|imprimer|stampa)(?=/|$)"
    r"|[-_.](?:print|printable|druck|druckversion)(?=\.s?html?$|\.php$|$)",
    re.I,
)
_PRINT_QUERY: Final = re.compile(rf"(?<=[?&]){_QUERY}(?:&|$)", re.I)
_MOBILE: Final = re.compile(r"(?<=://)(?:m|mobile)\.(?=[^/]+\.)", re.I)
_WWW: Final = re.compile(r"(?<=://)www\.", re.I)


def canonical_form(url: str) -> str:
    """Return the likely ordinary address of a print, AMP or mobile page, normalised; else the URL's own."""
    plain = normalise(amp_to_canonical_guess(url))
    if plain is None:
        return url
    address, mark, query = plain.partition("?")
    query = _PRINT_QUERY.sub("", mark + query).rstrip("?&")
    return _MOBILE.sub("", _PRINTED.sub("", address)) + query


def is_variant(url: str) -> bool:
    """Return True if a URL looks like that of a print, AMP or mobile page."""
    return canonical_form(url) != normalise(url)


def all_variants(url: str) -> tuple[str, ...]:
    """Return the addresses under which the article at a URL may be stored, the likeliest first."""
    found: dict[str, None] = {}
    for plain in (url, normalise(url) or url, amp_to_canonical_guess(url), canonical_form(url)):
        bare = _MOBILE.sub("", _WWW.sub("", plain))
        for host in (plain, bare, bare.replace("://", "://www.", 1)):
            for end in (host, host.rstrip("/"), host if "?" in host or host.endswith("/") else host + "/"):
                found |= dict.fromkeys((end, re.sub("^https?:", "https:", end), re.sub("^https?:", "http:", end)))
    return tuple(found)


def candidate_ids(name: str) -> tuple[str, ...]:
    """Return the ids that the article with this id, or at this URL, may have, the likeliest first."""
    return (name, *map(article_id, all_variants(name))) if "/" in name else (name,)


def is_article_at(article: Article, name: str) -> bool:
    """Return True if an article has this id or is known under any variant of this URL."""
    forms = {canonical_form(url) for url in (article.url, article.canonical_url) if url}
    return (
        article.id in candidate_ids(name) or canonical_form(name) in forms or not forms.isdisjoint(all_variants(name))
    )
