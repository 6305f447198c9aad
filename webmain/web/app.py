"""The web application: `create_app(config)`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from webmain.web.crawling import Crawls
from webmain.web.pages import Web, failure
from webmain.web.problems import Problem
from webmain.web.results import Results
from webmain.web.security import Security, add_headers, with_form_check
from webmain.web.sessions import Logins, Signer
from webmain.web.stored import Recordings
from webmain.web.tasks import Tasks

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from webmain.web.config import Config

PAGES: Final = (
    "extracting",
    "store_pages",
    "clouds",
    "correcting",
    "rule_pages",
    "searching",
    "site_pages",
    "crawls",
    "rest",
    "rest_store",
    "security",
)
"""Modules of this package with pages: each has `routes() -> list[Route]`. Handlers import heavy modules themselves."""


def create_app(config: Config) -> Starlette:
    """Return the web application.

    Parameters
    ----------
    config : Config
        Locations, access and limits.
    """
    tasks, crawls = Tasks(config), Crawls(config)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        tasks.warm_up()
        yield
        await asyncio.gather(asyncio.to_thread(tasks.close), asyncio.to_thread(crawls.close))

    own = [route for name in PAGES for route in import_module(f"webmain.web.{name}").routes()]
    files = Mount("/static", StaticFiles(directory=Path(__file__).parent / "static"))
    routes: list[BaseRoute] = [*map(with_form_check, own), files]
    app = Starlette(
        routes=routes,
        lifespan=running,
        middleware=[Middleware(Security)],
        exception_handlers={HTTPException: _http_error, Exception: _unexpected_error},  # type: ignore[dict-item]
    )
    app.state.web = Web(
        config=config,
        signer=Signer(),
        logins=Logins(config.token, config.limits.logins),
        tasks=tasks,
        crawls=crawls,
        recordings=Recordings(config),
        results=Results(config.limits.results, config.limits.results_bytes),
        paths=frozenset(route.path for route in own if isinstance(route, Route)),
    )
    return app


async def _http_error(request: Request, error: HTTPException) -> Response:
    """Return the response to an error that a page has raised."""
    detail = error.detail if error.status_code not in (404, 405) or isinstance(error, Problem) else ""
    code = error.code if isinstance(error, Problem) else ""
    return failure(request, error.status_code, detail, code=code, headers=error.headers)


async def _unexpected_error(request: Request, error: Exception) -> Response:
    """Return the response to an unexpected error; its traceback is only in the log."""
    response = failure(request, 500)
    add_headers(response.headers)
    return response
