"""The search page of the store, and the indexing that it starts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import Response

from webmain.store.search_records import Results
from webmain.web.pages import redirect, render, web_of
from webmain.web.problems import Problem, sentence
from webmain.web.query_params import FILTERS, query_params
from webmain.web.store_pages import known_values, with_store

if TYPE_CHECKING:
    from webmain.store.sqlite import SqliteStore

HITS: Final = 20
"""Results on one page."""

WAIT_S: Final = 2.0
"""Seconds that a response waits for indexing; longer indexing continues in the background."""

KEPT: Final = frozenset(("q", "match", "per", *FILTERS))
"""Names of query values that are kept when the page reloads after indexing."""


@with_store("search.html.jinja")
def search(request: Request, store: SqliteStore) -> Response:
    """Show the results of a search, or only its form."""
    from webmain.store.query import QueryError

    params, indexing = query_params(request), web_of(request).indexing
    is_indexing = indexing.is_running  # read before the results, which may be older
    match, per = params.choice("match", ("all", "any"), "all"), params.choice("per", ("page", "block"), "page")
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
    params = [(k, v) for k, v in parse_qsl(str(form.get("back", "")), max_num_fields=20) if k in KEPT]
    await asyncio.to_thread(web.indexing.run, web.config.store, WAIT_S)
    done = "" if web.indexing.is_running or web.indexing.problem else "The search index is up to date."
    return redirect(request, f"/search?{urlencode(params)}" if params else "/search", notice=done)
