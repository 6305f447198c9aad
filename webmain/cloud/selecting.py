"""Select the articles of a cloud, and those it is compared with."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from webmain.cloud.counting import Counts, count
from webmain.cloud.keyness import frequent, typical
from webmain.cloud.records import Cloud, CloudError
from webmain.files import StoreLockedError, StoreWriteError
from webmain.items import Article
from webmain.store.registry import open_store
from webmain.store.search import open_index
from webmain.store.search_records import Filters

MAX_FOUND: Final = 10_000  # maximum articles of a query that are counted, best matches first
REST: Final = "rest"  # stands for the articles that are not selected, to compare with
TOP: Final = 100  # default number of words of a cloud

SKIPPED: Final = 10
MAX_PENDING: Final = 500  # See `cloud_for`


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Some articles of a store."""

    store: str  # `sqlite:PATH`, `jsonl:PATH` or `module:Class:ADDRESS`
    filters: Filters = field(default_factory=Filters)
    query: str = ""  # only articles with a block that has these words and "phrases" (an SQLite store)
    article: str = ""  # the `id` of the only article; filters and query are ignored

    @property
    def title(self) -> str:
        """The filters, or the store, for people."""
        days = (moment and f"{moment:%Y-%m-%d}" for moment in (self.filters.since, self.filters.until))
        since, until = (day or "" for day in days)
        period = f"{since} \N{EN DASH} {until}".strip() if since or until else ""
        parts = (self.article, self.query, self.filters.site, self.filters.language, self.filters.method, period)
        return " \N{MIDDLE DOT} ".join(filter(None, parts)) or self.store


Against: TypeAlias = Scope | Counts | Literal["rest"] | None


def cloud_for(
    what: Scope | Counts,
    *,
    against: Against = None,
    top: int = TOP,
    under: bool = False,
    title: str = "",
    own_stopwords: Mapping[str, frozenset[str]] | None = None,
    max_chars: int | None = None,
) -> Cloud:
    """Return the cloud of some articles: their most frequent words, or those typical of them.

    Parameters
    ----------
    what : Scope or Counts
        Articles of a store, or existing counts.
    against : Scope, Counts, REST or None
        Compare with these, or with the articles of the same store that are not selected. If no language is selected,
        only articles in the main language of `what` are compared: all others would differ in every word.
    under : bool
        Words that are rarer than in the others (`webmain.cloud.keyness.typical`).
    title : str
        Title of the cloud; by default the filters, or the article's title.
    max_chars : int or None
        Characters after which no more articles are counted, on each side. The rest of a store is then searched for
        within `SKIPPED` times as many, and at most `MAX_PENDING` articles are added to the search index.

    Raises StoreError or QueryError if the store cannot be read or the query names no word, CloudError if there is no
    such article, or there are no articles to compare with.
    """

    def counted(articles: Iterator[Article]) -> Counts:
        return count(_within(articles, max_chars), own_stopwords=own_stopwords)

    max_pending = MAX_PENDING if max_chars else None
    if isinstance(what, Scope):
        found = articles_of(what, max_pending=max_pending)
        if what.article:
            (article,) = found
            found, title = iter([article]), title or article.title or ""
        counts = counted(found)
        title = title or what.title
    else:
        counts = what
    if against is None or not counts.n_articles:
        return frequent(counts, top=top, title=title)
    if isinstance(against, Scope):
        others = counted(articles_of(_in_language(against, counts.language), max_pending=max_pending))
    elif isinstance(against, Counts):
        others = against
    elif isinstance(what, Scope):
        others = counted(_rest(what, counts.language, max_chars=max_chars and SKIPPED * max_chars))
    else:
        raise CloudError("only articles of a store can be compared with the rest of it")
    return typical(counts, others, top=top, title=title, under=under)


def _within(articles: Iterator[Article], max_chars: int | None) -> Iterator[Article]:
    """Yield articles until this many characters are reached; the store that they come from is closed then."""
    n_chars = 0
    try:
        for article in articles:
            yield article
            n_chars += len(article.text)
            if max_chars is not None and n_chars >= max_chars:
                return
    finally:
        if isinstance(articles, Generator):
            articles.close()


def articles_of(scope: Scope, *, max_pending: int | None = None) -> Iterator[Article]:
    """Yield the articles, one held at a time (see `cloud_for`)."""
    with open_store(scope.store, read_only=True) as store:
        if scope.article or scope.query:
            for name in [scope.article] if scope.article else _found(scope, max_pending):
                article = store.get(name)
                if article is not None:
                    yield article
                elif scope.article:
                    raise CloudError(f"store {scope.store}: there is no article {name}")
        else:
            yield from store.selected(scope.filters)


def _found(scope: Scope, max_pending: int | None) -> list[str]:
    """Return the ids of the articles that a query finds."""
    with open_index(scope.store) as index:
        if max_pending is None or index.pending() <= max_pending:
            with contextlib.suppress(
                StoreLockedError, StoreWriteError
            ):  # if so, only what is already indexed is searched
                index.update()
        return [hit.id for hit in index.search(scope.query, limit=MAX_FOUND, filters=scope.filters, width=0).hits]


def _rest(scope: Scope, language: str, *, max_chars: int | None) -> Iterator[Article]:
    """Yield the articles of a store that are not selected, in one language."""
    selected = {scope.article} if scope.article else set(_found(scope, 0)) if scope.query else None
    everything = Scope(store=scope.store, filters=Filters(language=scope.filters.language))
    for article in _within(articles_of(_in_language(everything, language)), max_chars):
        if not (scope.filters.has(article) if selected is None else article.id in selected):
            yield article


def _in_language(scope: Scope, language: str) -> Scope:
    """Restrict a scope to a language where it names none."""
    if scope.filters.language or scope.article or not language:
        return scope
    return replace(scope, filters=replace(scope.filters, language=language))
