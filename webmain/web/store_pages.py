"""The pages for browsing the store: lists of articles, each article with its copies and earlier texts, and the search."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import Response

from webmain.store.query import QueryError
from webmain.store.search_records import Results
from webmain.web.config import Config
from webmain.web.extracting import article_file
from webmain.web.pages import redirect, render, web_of
from webmain.web.problems import Problem, sentence
from webmain.web.query_params import FILTERS, query_params, unchecked_params
from webmain.web.stored import find_article, open_for_reading, state_of

if TYPE_CHECKING:
    from webmain.store.sqlite import SqliteStore

ROWS: Final = 50
"""Articles on one page of the list."""

MOST_VALUES: Final = 300
"""Most sites, languages and methods suggested by a form, of each."""

HITS: Final = 20
"""Results on one page."""

WAIT_S: Final = 2.0
"""Seconds that a response waits for indexing; longer indexing continues in the background."""

KEPT: Final = frozenset(("q", "match", "per", *FILTERS))
"""Names of query values that are kept when the page reloads after indexing."""

Name: TypeAlias = Literal["site", "language", "extractor"]
Known: TypeAlias = Mapping[Name, list[tuple[str, int]]]

Handler: TypeAlias = Callable[["Request"], "Response"]
Reader: TypeAlias = Callable[["Request", "SqliteStore"], "Response"]


def with_store(form: str | None = None) -> Callable[[Reader], Handler]:
    """Call a handler with the store, open for reading; without a store, return a page that says so.

    `form`: a template, which answers a query that is not allowed with the reason.
    """

    def decorated(handler: Reader) -> Handler:
        @wraps(handler)
        def answering(request: Request) -> Response:
            config = web_of(request).config
            if not state_of(config.store):
                return render(request, "no_store.html.jinja")
            try:
                with open_for_reading(config.store, limit_s=config.limits.fetch_s) as store:
                    return handler(request, store)
            except Problem as problem:
                if form is None or problem.status_code != HTTPStatus.BAD_REQUEST:
                    raise
                given = {"params": unchecked_params(request), "known": known_values(config)}
                return render(request, form, status=400, problem=problem.detail, **given)

        return answering

    return decorated


@with_store("articles.html.jinja")
def articles(request: Request, store: SqliteStore) -> Response:
    """List the articles that pass the filters, page by page."""
    params, catalogue = query_params(request), store.catalogue()
    after, before = params.key("after"), params.key("before")
    try:
        part = catalogue.list_articles(params.filters, order=params.order, after=after, before=before, limit=ROWS)
    except KeyError:
        raise Problem(404, "The list has changed: start again from its first page.") from None
    return render(
        request,
        "articles.html.jinja",
        params=params,
        part=part,
        n=catalogue.count(params.filters),
        n_all=catalogue.count(),
        known=known_values(web_of(request).config),
    )


def known_values(config: Config) -> Known:
    """Return the values to filter articles by, each with its number of articles."""
    return _values(config.store, state_of(config.store))


@lru_cache(maxsize=1)
def _values(spec: str, _state: tuple[int, ...]) -> Known:
    names: tuple[Name, ...] = ("site", "language", "extractor")
    with open_for_reading(spec) as store:
        tallies = {name: store.tally(name) for name in names}
    return {
        name: sorted((value, n) for value, n in tally.items() if value and type(value) is str)[:MOST_VALUES]
        for name, tally in tallies.items()
    }


@with_store()
def article(request: Request, store: SqliteStore) -> Response:
    """Show an article."""
    from webmain.explain.view import ArticleView
    from webmain.web.reading import direction, shown

    found, catalogue = find_article(store, request.path_params["article"]), store.catalogue()
    return render(
        request,
        "article.html.jinja",
        article=found,
        view=ArticleView(found, found.url or ""),
        shown=shown(found.blocks),
        comments=shown(found.comments),
        direction=direction(found.text),
        original=catalogue.article(found.duplicate_of) if found.duplicate_of else None,
        copies=catalogue.copies(found.id),
        versions=catalogue.revisions(found.id),
    )


@with_store()
def download(request: Request, store: SqliteStore) -> Response:
    """Return an article as text, Markdown or JSON."""
    return article_file(find_article(store, request.path_params["article"]), request.path_params["form"])


@with_store()
def revision(request: Request, store: SqliteStore) -> Response:
    """Show an earlier text of an article, and its changes."""
    from webmain.revisions.comparing import changes
    from webmain.web.reading import direction, shown

    number = request.path_params["number"]
    found = {each.number: each for each in store.revisions(request.path_params["article"])}
    this = found.get(number)
    if this is None:
        raise Problem(404, "The store has no such revision of this article.")
    earlier = max((other for other in found if other < number), default=None)
    before = found[earlier].article if earlier is not None else None
    return render(
        request,
        "revision.html.jinja",
        article=this.article,
        versions=store.catalogue().revisions(this.article.id),
        number=number,
        earlier=earlier,
        shown=shown(this.article.blocks),
        direction=direction(this.article.text),
        title_before=before.title if before else None,
        changes=None if before is None else changes(before, this.article),
    )


@with_store("search.html.jinja")
def search(request: Request, store: SqliteStore) -> Response:
    """Show the results of a search, or only its form."""
    params, indexing = query_params(request), web_of(request).indexing
    is_indexing = indexing.is_running  # read before the results, which may be older
    match, per = params.matching
    index, query = store.index(), params.given.get("q", "")
    results: Results | None = None
    if query:
        offset = (params.page - 1) * HITS
        try:
            results = index.search(query, limit=HITS, offset=offset, filters=params.filters, match=match, per=per)
        except QueryError as error:
            raise Problem(400, sentence(f"{error}.")) from None
    n_found = 0 if results is None else results.n_blocks if per == "block" else results.n_pages
    return render(
        request,
        "search.html.jinja",
        params=params,
        results=results,
        found=[(hit, hit.snippet.pieces()) for hit in results.hits] if results else [],
        n_found=n_found,
        has_more=params.page * HITS < n_found,
        absent=index.absent(params.filters) if results is not None and not n_found else {},
        n_left=index.pending(),
        n_all=store.count(),
        known=known_values(web_of(request).config),
        indexing=indexing,
        is_indexing=is_indexing,
    )


async def index(request: Request) -> Response:
    """Update the index, and redirect back to the query."""
    form, web = await request.form(), web_of(request)
    params = [(k, v) for k, v in parse_qsl(str(form.get("back", ""))[:2_000]) if k in KEPT]
    await asyncio.to_thread(web.indexing.run, web.config.store, WAIT_S)
    done = "" if web.indexing.is_running or web.indexing.problem else "The search index is up to date."
    return redirect(request, f"/search?{urlencode(params)}" if params else "/search", notice=done)
