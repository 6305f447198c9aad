"""Tag clouds of the store: a form with filters, the cloud, its table, and its pictures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from webmain.cloud.markup import cloud_css, cloud_markup, schemes
from webmain.cloud.records import Cloud, CloudError, CloudWord
from webmain.store.query import QueryError
from webmain.text.normal import fit_for_html
from webmain.web.pages import render, web_of
from webmain.web.problems import Problem, not_allowed, sentence
from webmain.web.query_params import filters_of, query_params, unchecked_params
from webmain.web.store_pages import known_values
from webmain.web.stored import state_of

if TYPE_CHECKING:
    from webmain.cloud.selecting import Against, Scope

MAX_CHARS: Final = 3_000_000
"""Most characters counted on each side of a cloud: a thousand articles, some seconds of Thai."""

TOPS: Final = (50, 100, 200)
REMEMBERED: Final = 16
"""Clouds that are cached, since their pictures are requested one after the other."""

MEDIA_TYPES: Final = {"json": "application/json", "svg": "image/svg+xml", "png": "image/png"}


async def page(request: Request) -> Response:
    """Show the form and the cloud."""
    web, given = web_of(request), unchecked_params(request).given
    if not state_of(web.config.store):
        return render(request, "no_store.html.jinja")
    cloud, problem, status = None, "", 200
    try:
        cloud = await cloud_of(request, given)
    except Problem as found:
        problem, status = found.detail, found.status_code
    known = await asyncio.to_thread(known_values, web.config)
    values: dict[str, Any] = _shown(cloud, given) if cloud else {}
    values |= {"given": given, "problem": problem, "cloud": cloud, "tops": TOPS, "known": known}
    return render(request, "clouds.html.jinja", status=status, **values)


async def file(request: Request) -> Response:
    """Return a cloud as JSON or as a picture."""
    from webmain.cloud.pictures import PictureOptions, cloud_png, cloud_svg

    web, form, given = web_of(request), request.url.path.rpartition(".")[2], query_params(request).given
    cloud = await cloud_of(request, given)
    if form == "json":
        return Response(json.dumps(cloud.to_dict(), ensure_ascii=False, indent=2), media_type=MEDIA_TYPES[form])
    colours = given.get("colours", "light")
    if colours not in schemes():
        raise Problem(400, f"There are no colours called {colours}: {', '.join(schemes())}.")
    options = PictureOptions(width=1_200, height=650, colours=colours)
    draw = cloud_png if form == "png" else cloud_svg
    try:
        async with web.tasks.slot(), web.counting:
            return Response(await asyncio.to_thread(draw, cloud, options), media_type=MEDIA_TYPES[form])
    except CloudError as error:
        raise Problem(503, f"The picture cannot be drawn: {error}", code="no_picture") from None


async def style(_: Request) -> Response:
    """Return the style sheet of clouds."""
    return Response(cloud_css(), media_type="text/css")


async def cloud_of(request: Request, given: Mapping[str, str]) -> Cloud:
    """Return the requested cloud.

    Raises
    ------
    Problem
        The query is invalid.
    StoreError
        The store cannot be read.
    """
    from webmain.cloud.selecting import REST

    web, against = web_of(request), given.get("against", "")
    store, top = web.config.store, given.get("top") or str(TOPS[1])
    if against not in ("", "other", REST):
        raise Problem(400, f"Nothing can be compared with {against!r}.")
    if top not in map(str, TOPS):
        raise Problem(400, f"The number of words is one of {', '.join(map(str, TOPS))}.")
    if given.get("under", "") not in ("", "1"):
        raise not_allowed("under", given["under"], "1")
    scope = _scope(given, store, "")
    others: Against = _scope(given, store, "other_") if against == "other" else REST if against else None
    try:
        async with web.tasks.slot(), web.counting:
            return await asyncio.to_thread(_made, scope, others, bool(given.get("under")), int(top), state_of(store))
    except (QueryError, CloudError) as error:
        raise Problem(400, sentence(f"{error}.")) from None


@lru_cache(REMEMBERED)
def _made(scope: Scope, against: Against, under: bool, top: int, _state: tuple[int, ...]) -> Cloud:
    """Return a cloud of the store in a state."""
    from webmain.cloud.selecting import Scope, cloud_for

    title = "All articles" if scope == Scope(store=scope.store) else ""
    return cloud_for(scope, against=against, top=top, under=under, title=title, max_chars=MAX_CHARS)


def _scope(given: Mapping[str, str], store: str, prefix: str) -> Scope:
    """Return the articles that the fields of a form select."""
    from webmain.cloud.selecting import Scope

    values = {name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)}
    return Scope(
        store=store, filters=filters_of(values), query=values.get("query", ""), article=values.get("article", "")
    )


def _shown(cloud: Cloud, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the template's values for a cloud."""

    def search(word: CloudWord) -> str:
        requested = {"q": word.word, "site": given.get("site", ""), "lang": given.get("lang", "")}
        return "/search?" + urlencode({name: value for name, value in requested.items() if value})

    return {
        "markup": cloud_markup(cloud, link=search),
        "title": fit_for_html(cloud.title),
        "max_chars": MAX_CHARS,
        "files": {form.upper(): f"/clouds.{form}?{urlencode(given)}" for form in ("png", "svg", "json")},
    }
