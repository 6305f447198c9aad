"""The REST endpoints for the store: search, articles, sites, clouds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, TypeVar

from starlette.responses import JSONResponse
from starlette.routing import Route

from webmain.web.clouds import MAX_CHARS, Clouds
from webmain.web.pages import web_of
from webmain.web.problems import Problem, wrong
from webmain.web.rest import PREFIX

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

T = TypeVar("T")

MAX_LIMIT: Final = 100
LIMIT: Final = 20
MAX_OFFSET: Final = 10_000


async def search(request: Request) -> Response:
    """Return the blocks of stored articles that contain the words of a query."""
    from webmain.store.query import QueryError, read_query
    from webmain.web.asked import asked_of

    config, asked = web_of(request).config, asked_of(request)
    limit, offset = _number(request, "limit", LIMIT, MAX_LIMIT), _number(request, "offset", 0, MAX_OFFSET)
    match, per = _one_of(request, "match", ("all", "any")), _one_of(request, "per", ("page", "block"))
    try:
        query = read_query(asked.given.get("q", ""))
    except QueryError as error:
        raise wrong(f"q: {error}") from None

    def found() -> Any:
        from webmain.store.search import open_index

        with open_index(config.store) as index:
            _update(index)
            return index.search(query, limit=limit, offset=offset, filters=asked.filters, match=match, per=per)

    async with web_of(request).tasks.slot():
        results = (await _from_store(found)).to_dict()
    total = results["pages" if per == "page" else "blocks"]
    shown = offset + len(results["hits"])
    more = shown if shown < min(total, MAX_OFFSET) and results["hits"] else None
    return JSONResponse({"query": query.text, **results, "next": more})


def _update(index: Any) -> None:
    """Index new articles; if another process is writing, the search uses what is already indexed."""
    from webmain.store.protocol import StoreLockedError, StoreWriteError

    try:
        index.update()
    except (StoreLockedError, StoreWriteError):
        return


async def articles(request: Request) -> Response:
    """Return a page of the list of stored articles."""
    from webmain.web.asked import asked_of

    asked, limit = asked_of(request), _number(request, "limit", LIMIT, MAX_LIMIT)
    order, after = asked.order, asked.key("after")

    def found(catalogue: Any) -> dict[str, Any]:
        part = catalogue.list_articles(asked.filters, order=order, after=after, limit=limit)
        rows = [asdict(row) for row in part.articles]
        for row in rows:
            del row["key"]
        return {"total": catalogue.count(asked.filters), "articles": rows, "next": part.after}

    try:
        return JSONResponse(await _from_catalogue(request, found))
    except KeyError:
        raise wrong("after: that article no longer exists; start again without it") from None


async def article(request: Request) -> Response:
    """Return a stored article."""
    from webmain.web.stored import article_of

    found = await asyncio.to_thread(article_of, web_of(request).config, request.path_params["id"])
    return JSONResponse({"article": found.to_dict()})


async def revisions(request: Request) -> Response:
    """Return all texts that a stored article has had."""
    from webmain.web.stored import open_for_reading

    name = request.path_params["id"]

    def found() -> list[dict[str, Any]]:
        with open_for_reading(web_of(request).config) as store:
            return [
                {
                    "number": one.number,
                    "stored_at": one.stored_at.isoformat() if one.stored_at else None,
                    "article": one.article.to_dict(),
                }
                for one in store.revisions(name)
            ]

    told = await _from_store(found)
    if not told:
        raise Problem(404, f"The store has no article {name[:100]}.")
    return JSONResponse({"revisions": told})


async def sites(request: Request) -> Response:
    """Return the store's figures for each site."""
    return JSONResponse({"sites": await _from_catalogue(request, lambda one: [asdict(site) for site in one.sites()])})


class _Clouds:
    """Clouds of stored articles; the most recent ones are cached."""

    def __init__(self) -> None:
        self._clouds = Clouds()

    async def cloud(self, request: Request) -> Response:
        """Return a tag cloud of stored articles."""
        given = {name: value[:MAX_CHARS].strip() for name, value in request.query_params.items()}
        return JSONResponse({"cloud": (await self._clouds.cloud(request, given)).to_dict()})


async def _from_catalogue(request: Request, read: Callable[[Any], T]) -> T:
    from webmain.store.sqlite import SqliteStore
    from webmain.web.stored import open_for_reading

    def found() -> T:
        with open_for_reading(web_of(request).config) as store:
            if not isinstance(store, SqliteStore):
                raise Problem(503, "Only SQLite stores can be listed.", code="no_store")
            return read(store.catalogue())

    return await _from_store(found)


async def _from_store(read: Callable[[], T]) -> T:
    """Read the store in a thread.

    Raises
    ------
    Problem
        The store cannot be read.
    """
    from webmain.store.protocol import StoreError

    try:
        return await asyncio.to_thread(read)
    except StoreError as error:
        raise Problem(503, f"The store of articles cannot be read: {error}", code="no_store") from None


def _number(request: Request, name: str, default: int, most: int) -> int:
    text = request.query_params.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) <= most):
        raise wrong(f"{name}: got {text[:100]!r}, allowed are whole numbers up to {most:,}")
    return int(text)


def _one_of(request: Request, name: str, allowed: tuple[str, ...]) -> Any:
    value = request.query_params.get(name) or allowed[0]
    if value not in allowed:
        raise wrong(f"{name}: got {value[:100]!r}, allowed are {' and '.join(allowed)}")
    return value


def routes() -> list[Route]:
    """Return the routes of the store's endpoints."""
    return [
        Route(f"{PREFIX}/search", search),
        Route(f"{PREFIX}/articles", articles),
        Route(f"{PREFIX}/articles/{{id}}", article),
        Route(f"{PREFIX}/articles/{{id}}/revisions", revisions),
        Route(f"{PREFIX}/sites", sites),
        Route(f"{PREFIX}/cloud", _Clouds().cloud),
    ]
