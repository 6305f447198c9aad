"""Words in addresses that show what a path segment leads to, in the languages that news sites use."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from webmain import languages
from webmain.clock import once

UrlList: TypeAlias = Literal[
    "hubs", "fronts", "authors", "names", "sides", "articles", "news", "ignored", "shelves", "dead_ends",
    "other_suffixes", "page_suffixes", "id_keys", "page_keys", "search_keys", "editions", "own",
]  # fmt: skip
"""Lists of path segments, file name extensions and query parameters, in lower case.

hubs
    Segments of lists of pages, or that precede them.
fronts
    Last segments of front pages or complete lists; before other segments they mean nothing.
authors
    Followed by a person's name; the segment after that may be an article of that person.
names
    Followed by a name, even if it looks like a slug (`/author/anna-maria-von-der-berg`).
sides
    Those of `names` that lead to lists whose articles are in the site's sections too: tags, authors, searches.
articles
    Segments before the slug or identifier of an article.
news
    Segments of a news section or a blog.
ignored
    Last segments of pages that are not articles and do not lead to any.
shelves
    Segments of what shops and directories list.
dead_ends
    Nothing below these segments is an article, wherever they are in the path.
other_suffixes, page_suffixes
    File name extensions of files that are not pages, and of pages.
id_keys
    Query parameters that identify an article.
page_keys
    Query parameters for the pages of a list (`p` is WordPress's post number, unless small).
search_keys
    Query parameters for searches and filters.
editions
    First segments for a language or an edition.
own
    Segments of hubs, front pages, sections and articles; never the last segment of an article.
"""

_JOINED: Final = {
    "hubs": ("authors", "categories", "tags", "lists"),
    "names": ("authors", "categories", "tags"),
    "sides": ("authors", "tags"),
    "own": ("authors", "categories", "tags", "lists", "fronts", "news", "articles"),
}
"""The lists of the language files that some lists are made of; the others are one list of the same name."""


def url_words(name: UrlList) -> frozenset[str]:
    """Return the words of a list in all languages."""
    return _lists()[name]


@once
def _lists() -> dict[str, frozenset[str]]:
    known = languages.known()
    names = {name: _JOINED.get(name, (name,)) for name in get_args(UrlList)}
    return {name: frozenset(word for each in names[name] for word in known.words(f"urls.{each}")) for name in names}
