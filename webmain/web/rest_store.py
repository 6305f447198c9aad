"""The REST endpoints for the store: search, articles, sites, clouds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, TypeVar

from starlette.responses import JSONResponse
from starlette.routing import Route

from webmain.web.clouds import MAX_CHARS, Clouds
from webmain.web.pages import web_of
from webmain.web.problems import Problem
from webmain.web.query_params import query_params
from webmain.web.rest import PREFIX
from webmain.web.stored import find_article, open_for_reading, unreadable

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from webmain.store.search_records import Results
    from webmain.store.sqlite import SqliteStore
    from webmain.web.query_params import QueryParams

T = TypeVar("T")

MAX_LIMIT: Final = 100
LIMIT: Final = 20
MAX_OFFSET: Final = 10_000


async def search(request: Request) -> Response:
    """Return the blocks of stored articles that contain the words of a query."""
    from webmain.store.protocol import StoreError, StoreLockedError, StoreWriteError
    from webmain.store.query import QueryError, read_query

    config, params = web_of(request).config, query_params(request)
    limit, offset = _limit(params), params.number("offset", MAX_OFFSET, least=0) or 0
    match, per = params.choice("match", ("all", "any"), "all"), params.choice("per", ("page", "block"), "page")
    try:
        query = read_query(params.given.get("q", ""))
    except QueryError as error:
        raise Problem(400, f"q: {error}.") from None

    def found() -> Results:
        from webmain.store.search import open_index

        with open_index(config.store) as index, suppress(StoreLockedError, StoreWriteError):
            index.update()  # if another process is writing, the search uses what is already indexed
        with open_for_reading(config.store) as store:
            return store.index().search(query, limit=limit, offset=offset, filters=params.filters, match=match, per=per)

    try:
        async with web_of(request).tasks.slot():
            results = (await asyncio.to_thread(found)).to_dict()
    except StoreError as error:
        raise unreadable(error) from None
    total = results["pages" if per == "page" else "blocks"]
    shown = offset + len(results["hits"])
    more = shown if shown < min(total, MAX_OFFSET) and results["hits"] else None
    return JSONResponse({"query": query.text, **results, "next": more})


async def articles(request: Request) -> Response:
    """Return a page of the list of stored articles."""
    params = query_params(request)
    limit, order, after = _limit(params), params.order, params.key("after")

    def found(store: SqliteStore) -> dict[str, Any]:
        catalogue = store.catalogue()
        part = catalogue.list_articles(params.filters, order=order, after=after, limit=limit)
        rows = [asdict(row) for row in part.articles]
        for row in rows:
            del row["key"]
        return {"total": catalogue.count(params.filters), "articles": rows, "next": part.after}

    try:
        return JSONResponse(await _read(request, found))
    except KeyError:
        raise Problem(400, "after: that article no longer exists; start again without it.") from None


async def article(request: Request) -> Response:
    """Return a stored article."""
    found = await _read(request, lambda store: find_article(store, request.path_params["id"]))
    return JSONResponse({"article": found.to_dict()})


async def revisions(request: Request) -> Response:
    """Return all texts that a stored article has had."""
    name = request.path_params["id"]

    def found(store: SqliteStore) -> list[dict[str, Any]]:
        return [
            {
                "number": one.number,
                "stored_at": one.stored_at.isoformat() if one.stored_at else None,
                "article": one.article.to_dict(),
            }
            for one in store.revisions(name)
        ]

    revisions = await _read(request, found)
    if not revisions:
        raise Problem(404, f"The store has no article {name[:100]}.")
    return JSONResponse({"revisions": revisions})


async def sites(request: Request) -> Response:
    """Return the store's figures for each site."""
    return JSONResponse(
        {"sites": await _read(request, lambda store: [asdict(site) for site in store.catalogue().sites()])}
    )


async def _read(request: Request, read: Callable[[SqliteStore], T]) -> T:
    """Read the store in a thread."""

    def found() -> T:
        with open_for_reading(web_of(request).config.store) as store:
            return read(store)

    return await asyncio.to_thread(found)


def _limit(params: QueryParams) -> int:
    limit = params.number("limit", MAX_LIMIT, least=0)
    return LIMIT if limit is None else limit


def routes() -> list[Route]:
    """Return the routes of the store's endpoints."""
    clouds = Clouds()

    async def cloud(request: Request) -> Response:
        given = {name: value[:MAX_CHARS].strip() for name, value in request.query_params.items()}
        return JSONResponse({"cloud": (await clouds.cloud(request, given)).to_dict()})

    return [
        Route(f"{PREFIX}/search", search),
        Route(f"{PREFIX}/articles", articles),
        Route(f"{PREFIX}/articles/{{id}}", article),
        Route(f"{PREFIX}/articles/{{id}}/revisions", revisions),
        Route(f"{PREFIX}/sites", sites),
        Route(f"{PREFIX}/cloud", cloud),
    ]
