"""The web application: `create_app(config)`."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from webmain.files import StoreError
from webmain.web import clouds, correcting, crawls, extracting, rest, security, site_pages, store_pages
from webmain.web.config import Config
from webmain.web.pages import Web, failure
from webmain.web.problems import Problem, sentence

PAGES: Final = (
    Route("/", extracting.home),
    Route("/extract", extracting.extract, methods=["POST"]),
    Route("/results/{name}", extracting.show),
    Route("/results/{name}", extracting.extract_again, methods=["POST"]),
    Route("/results/{name}/page", extracting.overlay),
    Route("/results/{name}/{n:int}", extracting.show),
    Route("/results/{name}/{n:int}/page", extracting.overlay),
    Route("/results/{name}/{n:int}/article.{form}", extracting.download),
    Route("/results/{name}/{n:int}/blocks/{block:int}", extracting.block),
    Route("/results/{name}/{n:int}/correct", correcting.marking),
    Route("/results/{name}/{n:int}/correct", correcting.save, methods=["POST"]),
    Route("/results/{name}/{n:int}/correct/page", correcting.frame),
    Route("/corrections", correcting.corrections),
    Route("/corrections/{id}", correcting.correction),
    Route("/corrections/{id}/undo", correcting.undo, methods=["POST"]),
    Route("/rules/{site}", correcting.rules),
    Route("/rules/{site}", correcting.accept, methods=["POST"]),
    Route("/search", store_pages.search),
    Route("/search/index", store_pages.index, methods=["POST"]),
    Route("/articles", store_pages.articles),
    Route("/articles/{article}", store_pages.article),
    Route("/articles/{article}/article.{form}", store_pages.download),
    Route("/articles/{article}/revisions/{number:int}", store_pages.revision),
    Route("/sites", site_pages.sites),
    Route("/sites/{site:path}", site_pages.site),
    Route("/review", site_pages.review),
    Route("/clouds", clouds.page),
    *(Route(f"/clouds.{form}", clouds.file) for form in clouds.MEDIA_TYPES),
    Route("/crawls", crawls.crawls),
    Route("/crawls", crawls.start, methods=["POST"]),
    Route("/crawls/now", crawls.now),
    Route("/crawls/now/stop", crawls.stop, methods=["POST"]),
    Route("/crawls/{run:int}", crawls.run),
    Route("/login", security.login, methods=["GET", "POST"]),
    Route("/logout", security.logout, methods=["POST"]),
    Route("/static/explain.css", extracting.style),
    Route("/static/cloud.css", clouds.style),
    Route("/api", rest.docs),
)
"""The pages; forms that are posted to them are checked (`with_form_check`). Handlers import heavy modules themselves."""

REST: Final = (
    rest.ReadingRoute("/openapi.json", rest.description),
    Route("/extract", rest.extract, methods=["POST"]),
    Route("/explain", rest.explain, methods=["POST"]),
    rest.ReadingRoute("/search", rest.search),
    rest.ReadingRoute("/articles", rest.articles),
    rest.ReadingRoute("/articles/{id}", rest.article),
    rest.ReadingRoute("/articles/{id}/revisions", rest.revisions),
    rest.ReadingRoute("/sites", rest.sites),
    rest.ReadingRoute("/cloud", rest.cloud),
)
"""The REST interface, below `rest.PREFIX`."""


def create_app(config: Config) -> Starlette:
    """Return the web application.

    Parameters
    ----------
    config : Config
        Locations, access and limits.
    """
    web = Web(config)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        web.tasks.warm_up()
        yield
        await asyncio.gather(asyncio.to_thread(web.tasks.close), asyncio.to_thread(web.crawls.close))

    files = StaticFiles(directory=Path(__file__).parent / "static")
    app = Starlette(
        routes=[*map(security.with_form_check, PAGES), Mount(rest.PREFIX, routes=REST), Mount("/static", files)],
        lifespan=running,
        middleware=[Middleware(security.Security)],
        exception_handlers={
            HTTPException: _http_error,  # type: ignore[dict-item]
            StoreError: _store_error,  # type: ignore[dict-item]
            ClientDisconnect: _disconnected,
            Exception: _unexpected_error,
        },
    )
    app.state.key = secrets.token_bytes(32)  # signs cookies and forms
    app.state.web = web
    return app


async def _http_error(request: Request, error: HTTPException) -> Response:
    """Return the response to an error that a page has raised."""
    detail = error.detail if error.status_code not in (404, 405) or isinstance(error, Problem) else ""
    code = error.code if isinstance(error, Problem) else ""
    return failure(request, error.status_code, detail, code=code, headers=error.headers)


async def _store_error(request: Request, error: StoreError) -> Response:
    """Return the response to an error of the store, or of the file of corrections."""
    return failure(request, 503, sentence(f"{error}."), code="no_store")


async def _disconnected(*_: object) -> Response:
    """Return a response that nobody receives: the client has gone before its request was complete."""
    return Response(status_code=400)


async def _unexpected_error(request: Request, error: Exception) -> Response:
    """Return the response to an unexpected error; its traceback is only in the log."""
    response = failure(request, 500)
    security.add_headers(response.headers)
    return response
