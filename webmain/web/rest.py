"""The REST interface: `/api/v1`, described by `/api/v1/openapi.json`, and for people at `/api`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webmain.items import ANY_TYPE, PAGE_TYPES, Page
from webmain.text.normal import replace_surrogates
from webmain.web.choices import checked_keep, checked_method
from webmain.web.pages import render, web_of
from webmain.web.problems import Problem

if TYPE_CHECKING:
    from starlette.requests import Request

    from webmain.items.keep import Keep
    from webmain.web.pages import Web

PREFIX: Final = "/api/v1"

_STRINGS: Final = ("url", "html", "extractor", "require")
_GIVEN: Final = (*_STRINGS, "keep")
"""Fields allowed in a call that sends a page."""

MAX_STRINGS: Final = 100
MAX_BETWEEN: Final = 1_000
"""Most strings in the JSON of a call, and most bytes between two of them."""

_STRING = re.compile(
    rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL
)  # one without an end is one too: nothing is read twice


async def extract(request: Request) -> Response:
    """Return the article of a page."""
    from webmain.web.work import article_record

    web, given = web_of(request), await _given(request)
    method, keep, require = _chosen(given)
    async with web.tasks.slot():
        page = await _page(web, given)
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
        page = await _page(web, given)
        return JSONResponse(await web.tasks.run(explanation_record, page, method=method, keep=keep))


async def _given(request: Request) -> Mapping[str, Any]:
    """Return a call's fields: from a JSON object, or from a raw page with the other fields in the query string."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await request.body()
    if kind in ("text/html", "application/xhtml+xml"):
        given: dict[str, Any] = dict(request.query_params)
        if "html" in given:
            raise Problem(400, "html: the body is already the page.")
        page = Page(body=body, headers={"content-type": request.headers["content-type"]})
        return _checked(given | {"keep": given.get("keep", "").split(",") if given.get("keep") else []}) | {
            "page": page
        }
    if kind != "application/json":
        raise Problem(415, "The body must be JSON (Content-Type: application/json), or a page (text/html).")
    if not _is_flat(body):
        raise Problem(400, "The body is not an object of a few strings.", code="bad_json")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise Problem(400, "The body is not JSON.", code="bad_json") from None
    if not isinstance(found, dict):
        raise Problem(400, 'The body must be an object: {"url": ...} or {"html": ...}.', code="bad_json")
    return _checked(found)


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


async def _page(web: Web, given: Mapping[str, Any]) -> Page:
    """Return the page that was sent, or fetch it if only its address was."""
    url = given.get("url", "")
    if "page" in given:
        return Page(url=url or None, body=given["page"].body, headers=given["page"].headers)
    if "html" in given:
        return Page(url=url or None, html=given["html"])
    if not url:
        raise Problem(400, "url or html: one of them is required.")
    return await web.tasks.fetch(url)


async def description(_: Request) -> Response:
    """Return the OpenAPI description."""
    from webmain.web.openapi import described

    return JSONResponse(described())


async def docs(request: Request) -> Response:
    """Show the description to people."""
    from webmain.web.openapi import described

    return render(request, "api.html.jinja", api=described(), prefix=PREFIX)


def routes() -> list[Route]:
    """Return the routes of the REST interface."""
    return [
        Route("/api", docs),
        Route(f"{PREFIX}/openapi.json", description),
        Route(f"{PREFIX}/extract", extract, methods=["POST"]),
        Route(f"{PREFIX}/explain", explain, methods=["POST"]),
    ]
