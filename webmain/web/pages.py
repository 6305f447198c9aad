"""Rendering of pages from templates: `render`, `redirect`, `failure`, used by every page module.

The table of pages is `webmain.web.app.PAGES`. A page's handler takes a request and returns
`render(request, "name.html.jinja", ...)`; its template starts with `{% extends "base.html.jinja" %}` and fills the blocks
title and main (and `{% block width %}wide{% endblock %}` for a wide page). Each form that is posted contains
`{{ form_token() }}`; the token is checked before the handler is called, which then uses `await request.form()`.
Errors are raised as a `Problem`. After a form, return `redirect(request, path, notice="Saved.")`.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any, Final

from markupsafe import Markup
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from webmain.web import sessions
from webmain.web.config import Config
from webmain.web.crawling import Crawls
from webmain.web.problems import responses
from webmain.web.results import Results
from webmain.web.sessions import Logins
from webmain.web.stored import Indexing, Recordings
from webmain.web.tasks import Tasks
from webmain.web.templating import templates

API: Final = "/api/"
"""Prefix of the REST interface's paths: errors are JSON there."""

CLOUDS: Final = 2
"""Clouds that are counted or drawn at the same time."""

NAVIGATION: Final = (
    ("/", "Extract", ("/extract", "/results/")),
    ("/search", "Search", ()),
    ("/articles", "Articles", ()),
    ("/sites", "Sites", ("/review",)),
    ("/clouds", "Clouds", ()),
    ("/crawls", "Crawls", ()),
    ("/corrections", "Corrections", ("/rules/",)),
)
"""Paths and names of the pages, and where else their parts are."""


class Web:
    """State shared by all pages; `web_of(request)` returns it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.logins = Logins(config.token, config.limits.logins)
        self.tasks = Tasks(config)
        self.crawls = Crawls(config)
        self.results = Results(config.limits.results, config.limits.results_bytes)
        self.recordings = Recordings(config)
        self.indexing = Indexing()
        self.counting = asyncio.Semaphore(CLOUDS)


def web_of(request: HTTPConnection) -> Web:
    """Return the state shared by all pages."""
    web: Web = request.app.state.web
    return web


def render(request: HTTPConnection, template: str, *, status: int = 200, **values: Any) -> Response:
    """Return a page.

    Parameters
    ----------
    template : str
        Name of a file in `templates`. Beside its values it knows `navigation`, `notice`,
        `form_token()` (a hidden field, for every form that is posted) and `config`.
    """
    web = web_of(request)
    browser = request.cookies.get(sessions.BROWSER, "")
    here, made = request.url.path, ""

    def form_token() -> Any:
        nonlocal browser, made
        if not browser:
            browser = made = secrets.token_urlsafe(24)
        field = Markup('<input type="hidden" name="form_token" value="{}">')
        return field.format(sessions.form_token(request, browser))

    notice = sessions.notice_of(request)
    known = {
        "navigation": [
            (path, name, here == path or here.startswith((*parts, f"{path}/"))) for path, name, parts in NAVIGATION
        ],
        "notice": notice,
        "problem": "",
        "form_token": form_token,
        "config": web.config,
        "is_logged_in": web.logins.is_needed and sessions.is_logged_in(request),
    }
    text = templates().get_template(template).render(known | values)
    response = Response(text, status_code=status, media_type="text/html; charset=utf-8")
    if made:
        sessions.set_browser(request, response, made)
    if notice:
        response.delete_cookie(sessions.NOTICE)
    return response


def redirect(request: Request, path: str, *, notice: str = "") -> Response:
    """Return a redirect to another page of this server, after a form; that page shows `notice`."""
    response = RedirectResponse(path, status_code=303)
    if notice:
        sessions.put_notice(request, response, notice)
    return response


def failure(
    request: HTTPConnection, status: int, message: str = "", *, code: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    """Return an error response: a page that says what to do, or JSON for the REST interface.

    Parameters
    ----------
    message : str
        What is wrong, for people.
    code : str
        What is wrong, for programs: a word of the REST interface's description.
    """
    known = responses().get(code) or responses().get(str(status), {})
    title = known.get("title", "This did not work")
    if request.url.path.startswith(API):
        error = {"code": code or known.get("code", "error"), "message": message or title}
        response: Response = JSONResponse({"error": error}, status_code=status)
    else:
        shown = {"title": title, "message": message, "advice": known.get("advice", "")}
        response = render(request, "error.html.jinja", status=status, **shown)
    response.headers.update(headers or {})
    return response
