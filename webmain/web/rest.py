"""The REST interface: `/api/v1`, described by `/api/v1/openapi.json`, and for people at `/api`."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from webmain.files import StoreLockedError, StoreWriteError
from webmain.items import ANY_TYPE, PAGE_TYPES, Page
from webmain.items.keep import Keep
from webmain.store.query import QueryError, read_query
from webmain.text.normal import replace_surrogates
from webmain.web.choices import checked_keep, checked_method
from webmain.web.clouds import cloud_of
from webmain.web.openapi import described, query_names
from webmain.web.pages import render, web_of
from webmain.web.problems import Problem
from webmain.web.query_params import QueryParams, query_params
from webmain.web.stored import find_article, open_for_reading

PREFIX: Final = "/api/v1"

MAX_LIMIT: Final = 100
LIMIT: Final = 20
MAX_OFFSET: Final = 10_000

_STRINGS: Final = ("url", "html", "extractor", "require")
_GIVEN: Final = (*_STRINGS, "keep")
"""Fields allowed in a call that sends a page."""

MAX_STRINGS: Final = 100
MAX_BETWEEN: Final = 1_000
"""Most strings in the JSON of a call, and most bytes between two of them."""

# One without an end is one too: nothing is read twice.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)


class ReadingRoute(Route):
    """A route of GET requests that refuses parameters which the description does not name."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the query string, then call the handler."""
        _check_parameters(Request(scope), query_names(self.path))
        await super().handle(scope, receive, send)


def _check_parameters(request: Request, known: Sequence[str]) -> None:
    for name in request.query_params:
        if name not in known:
            raise Problem(400, f"{name[:100]}: no such parameter; there are {', '.join(known) or 'none'}.")
        if len(request.query_params.getlist(name)) > 1:
            raise Problem(400, f"{name}: is given more than once.")


async def extract(request: Request) -> Response:
    """Return the article of a page."""
    from webmain.web.work import article_record

    web, given = web_of(request), await _given(request)
    method, keep, require = _chosen(given)
    async with web.tasks.slot():
        page = given.get("page") or await web.tasks.fetch(given["url"])
        found = await web.tasks.run(article_record, page, method=method, keep=keep, require=require)
        return JSONResponse({"article": found})


async def explain(request: Request) -> Response:
    """Return every block of a page with its verdict."""
    from webmain.web.work import explanation_record

    web, given = web_of(request), await _given(request)
    method, keep, require = _chosen(given)
    if require is not None:
        raise Problem(400, "require: not allowed here, since pages of every kind are explained.")
    async with web.tasks.slot():
        page = given.get("page") or await web.tasks.fetch(given["url"])
        return JSONResponse(await web.tasks.run(explanation_record, page, method=method, keep=keep))


async def _given(request: Request) -> Mapping[str, Any]:
    """Return a call's fields: from a JSON object, or from a raw page with the other fields in the query string.

    A page that was sent is in "page"; there is an address to fetch it from otherwise.
    """
    content_type = request.headers.get("content-type", "")
    kind, body = content_type.partition(";")[0].strip().lower(), await request.body()
    if kind in ("text/html", "application/xhtml+xml"):
        given: dict[str, Any] = dict(request.query_params)
        if "html" in given:
            raise Problem(400, "html: the body is already the page.")
        given = _checked(given | {"keep": given["keep"].split(",") if given.get("keep") else []})
        return given | {"page": Page(url=given.get("url") or None, body=body, headers={"content-type": content_type})}
    if kind != "application/json":
        raise Problem(415, "The body must be JSON (Content-Type: application/json), or a page (text/html).")
    _check_parameters(request, ())
    if not _is_flat(body):
        raise Problem(400, "The body is not an object of a few strings.", code="bad_json")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise Problem(400, "The body is not JSON.", code="bad_json") from None
    if not isinstance(found, dict):
        raise Problem(400, 'The body must be an object: {"url": ...} or {"html": ...}.', code="bad_json")
    given = _checked(found)
    if "html" in given:
        return given | {"page": Page(url=given.get("url") or None, html=given["html"])}
    if not given.get("url"):
        raise Problem(400, "url or html: one of them is required.")
    return given


def _is_flat(body: bytes) -> bool:
    """Return whether JSON is a few strings and little else: to parse millions of small values would hold up everybody."""
    end = 0
    for n, string in enumerate(_STRING.finditer(body)):
        if n == MAX_STRINGS or string.start() - end > MAX_BETWEEN:
            return False
        end = string.end()
    return len(body) - end <= MAX_BETWEEN


def _checked(given: dict[str, Any]) -> dict[str, Any]:
    given = {name: replace_surrogates(value) if isinstance(value, str) else value for name, value in given.items()}
    for name, value in given.items():
        if name not in _GIVEN:
            raise Problem(400, f"{replace_surrogates(name[:100])}: no such field; there are {', '.join(_GIVEN)}.")
        if name in _STRINGS and not isinstance(value, str):
            raise Problem(400, f"{name}: must be a string.")
    keep = given.get("keep", [])
    if not isinstance(keep, list) or not all(isinstance(name, str) for name in keep):
        raise Problem(400, "keep: must be a list of names.")
    return given


def _chosen(given: Mapping[str, Any]) -> tuple[str, Keep, str | None]:
    """Return the method, what is kept, and the required kind of page."""
    require = given.get("require")
    if require not in (None, ANY_TYPE, *PAGE_TYPES):
        raise Problem(400, f"require: got {require[:100]!r}, allowed are {', '.join((*PAGE_TYPES, ANY_TYPE))}.")
    return checked_method(given.get("extractor")), checked_keep(",".join(given.get("keep", []))), require


async def search(request: Request) -> Response:
    """Return the blocks of stored articles that contain the words of a query."""
    web, params = web_of(request), query_params(request)
    limit, offset = _limit(params), params.number("offset", MAX_OFFSET, least=0) or 0
    match, per = params.matching
    try:
        query = read_query(params.given.get("q", ""))
    except QueryError as error:
        raise Problem(400, f"q: {error}.") from None

    def found() -> dict[str, Any]:
        from webmain.store.search import open_index

        with open_index(web.config.store) as index, suppress(StoreLockedError, StoreWriteError):
            index.update()  # if another process is writing, the search uses what is already indexed
        with open_for_reading(web.config.store) as store:
            index = store.index()
            found = index.search(query, limit=limit, offset=offset, filters=params.filters, match=match, per=per)
            return found.to_dict()

    async with web.tasks.slot():
        results = await asyncio.to_thread(found)
    shown = offset + len(results["hits"])
    is_last = not results["hits"] or shown >= min(results["pages" if per == "page" else "blocks"], MAX_OFFSET)
    return JSONResponse({"query": query.text, **results, "next": None if is_last else shown})


def articles(request: Request) -> Response:
    """Return a page of the list of stored articles."""
    params = query_params(request)
    limit, order, after = _limit(params), params.order, params.key("after")
    with open_for_reading(web_of(request).config.store) as store:
        catalogue = store.catalogue()
        try:
            part = catalogue.list_articles(params.filters, order=order, after=after, limit=limit)
        except KeyError:
            raise Problem(400, "after: that article no longer exists; start again without it.") from None
        total = catalogue.count(params.filters)
    rows = [asdict(row) for row in part.articles]
    for row in rows:
        del row["key"]
    return JSONResponse({"total": total, "articles": rows, "next": part.after})


def article(request: Request) -> Response:
    """Return a stored article."""
    with open_for_reading(web_of(request).config.store) as store:
        return JSONResponse({"article": find_article(store, request.path_params["id"]).to_dict()})


def revisions(request: Request) -> Response:
    """Return all texts that a stored article has had."""
    name = request.path_params["id"]
    with open_for_reading(web_of(request).config.store) as store:
        found = [
            {
                "number": one.number,
                "stored_at": one.stored_at.isoformat() if one.stored_at else None,
                "article": one.article.to_dict(),
            }
            for one in store.revisions(name)
        ]
    if not found:
        raise Problem(404, f"The store has no article {name[:100]}.")
    return JSONResponse({"revisions": found})


def sites(request: Request) -> Response:
    """Return the store's figures for each site."""
    with open_for_reading(web_of(request).config.store) as store:
        return JSONResponse({"sites": [asdict(site) for site in store.catalogue().sites()]})


async def cloud(request: Request) -> Response:
    """Return the most frequent or typical words of stored articles."""
    given = {name: value.strip() for name, value in request.query_params.items()}
    return JSONResponse({"cloud": (await cloud_of(request, given)).to_dict()})


def _limit(params: QueryParams) -> int:
    limit = params.number("limit", MAX_LIMIT, least=0)
    return LIMIT if limit is None else limit


async def description(_: Request) -> Response:
    """Return the OpenAPI description."""
    return JSONResponse(described())


async def docs(request: Request) -> Response:
    """Show the description to people."""
    return render(request, "api.html.jinja", api=described(), prefix=PREFIX)
