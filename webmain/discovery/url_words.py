"""Words in addresses that show what a path segment leads to, in the languages that news sites use."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from webmain import languages
from webmain.clock import once


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlWords:
    """Path segments, file name extensions and query parameters, in lower case.

    Attributes
    ----------
    hubs : frozenset of str
        Segments of lists of pages, or that precede them.
    fronts : frozenset of str
        Last segments of front pages or complete lists; before other segments they mean nothing.
    authors : frozenset of str
        Followed by a person's name; the segment after that may be an article of that person.
    names : frozenset of str
        Followed by a name, even if it looks like a slug (`/author/anna-maria-von-der-berg`).
    sides : frozenset of str
        Those of `names` that lead to lists whose articles are in the site's sections too: tags, authors, searches.
    articles : frozenset of str
        Segments before the slug or identifier of an article.
    news : frozenset of str
        Segments of a news section or a blog.
    ignored : frozenset of str
        Last segments of pages that are not articles and do not lead to any.
    shelves : frozenset of str
        Segments of what shops and directories list.
    dead_ends : frozenset of str
        Nothing below these segments is an article, wherever they are in the path.
    other_suffixes, page_suffixes : frozenset of str
        File name extensions of files that are not pages, and of pages.
    id_keys : frozenset of str
        Query parameters that identify an article.
    page_keys : frozenset of str
        Query parameters for the pages of a list (`p` is WordPress's post number, unless small).
    search_keys : frozenset of str
        Query parameters for searches and filters.
    editions : frozenset of str
        First segments for a language or an edition.
    own : frozenset of str
        Segments of hubs, front pages, sections and articles; never the last segment of an article.
    """

    hubs: frozenset[str]
    fronts: frozenset[str]
    authors: frozenset[str]
    names: frozenset[str]
    sides: frozenset[str]
    articles: frozenset[str]
    news: frozenset[str]
    ignored: frozenset[str]
    shelves: frozenset[str]
    dead_ends: frozenset[str]
    other_suffixes: frozenset[str]
    page_suffixes: frozenset[str]
    id_keys: frozenset[str]
    page_keys: frozenset[str]
    search_keys: frozenset[str]
    editions: frozenset[str]
    own: frozenset[str]


_JOINED: Final = {
    "hubs": ("authors", "categories", "tags", "lists"),
    "names": ("authors", "categories", "tags"),
    "sides": ("authors", "tags"),
    "own": ("authors", "categories", "tags", "lists", "fronts", "news", "articles"),
}
"""Fields that are made of several lists of the language files; the others have the name of their list."""


@once
def url_words() -> UrlWords:
    """Return the words of all languages."""
    known = languages.known()
    return UrlWords(
        **{
            each.name: frozenset(
                word for name in _JOINED.get(each.name, (each.name,)) for word in known.words(f"urls.{name}")
            )
            for each in fields(UrlWords)
        }
    )
