"""Words of addresses: what a path's segment leads to, in the languages news sites use in their paths."""

from __future__ import annotations

from dataclasses import dataclass

from webmain import languages
from webmain.clock import once


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlWords:
    """Segments of paths, file name extensions and keys of queries, in lower case.

    Attributes
    ----------
    hubs : frozenset of str
        A segment that is one of these leads to, or is before, a list of pages.
    fronts : frozenset of str
        The last segment of a front page or a full list; before other segments they mean nothing.
    authors : frozenset of str
        What follows is a person's name, and what follows that may be the person's article.
    names : frozenset of str
        What follows is a name, however much it looks like a slug (`/author/anna-maria-von-der-berg`).
    sides : frozenset of str
        Those of them that lead to what the sections of a site have too: tags, authors, searches.
    articles : frozenset of str
        A segment before a slug or an identifier that is an article's.
    news : frozenset of str
        A segment that names a news section or a blog.
    ignored : frozenset of str
        The last segment of what is no article and leads to none.
    dead_ends : frozenset of str
        Below these is never an article, wherever in the path they are.
    other_suffixes, page_suffixes : frozenset of str
        File name extensions of what is no page, and of pages.
    id_keys : frozenset of str
        Query parameters that number an article.
    page_keys : frozenset of str
        Query parameters that number the pages of a list (`p` is WordPress's post number, unless small).
    search_keys : frozenset of str
        Query parameters of searches and filters.
    editions : frozenset of str
        First segments that choose a language or an edition.
    own : frozenset of str
        Segments of hubs, front pages, sections and articles: no last segment of an article.
    """

    hubs: frozenset[str]
    fronts: frozenset[str]
    authors: frozenset[str]
    names: frozenset[str]
    sides: frozenset[str]
    articles: frozenset[str]
    news: frozenset[str]
    ignored: frozenset[str]
    dead_ends: frozenset[str]
    other_suffixes: frozenset[str]
    page_suffixes: frozenset[str]
    id_keys: frozenset[str]
    page_keys: frozenset[str]
    search_keys: frozenset[str]
    editions: frozenset[str]
    own: frozenset[str]


@once
def url_words() -> UrlWords:
    """Return the words of all languages."""
    known = languages.known()

    def words(*names: str) -> frozenset[str]:
        return frozenset(word for name in names for word in known.words(f"urls.{name}"))

    return UrlWords(
        hubs=words("authors", "categories", "tags", "lists"),
        names=words("authors", "categories", "tags"),
        sides=words("authors", "tags"),
        fronts=words("fronts"),
        authors=words("authors"),
        articles=words("articles"),
        news=words("news"),
        ignored=words("ignored"),
        dead_ends=words("dead_ends"),
        other_suffixes=words("other_suffixes"),
        page_suffixes=words("page_suffixes"),
        id_keys=words("id_keys"),
        page_keys=words("page_keys"),
        search_keys=words("search_keys"),
        editions=words("editions"),
        own=words("authors", "categories", "tags", "lists", "fronts", "news", "articles"),
    )
