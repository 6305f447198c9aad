"""Checks on every request before its handler runs: response headers, the server's name, origin, token, size.

Each check prevents an attack: another name that resolves to this server (DNS rebinding), a foreign page that posts here
(cross-site request forgery), a foreign page that shows this one in a frame (clickjacking), bodies without end. Forms are
also checked by their token.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Final
from urllib.parse import quote, urlencode, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webmain.web import sessions
from webmain.web.pages import API, failure, redirect, render, web_of

Handler = Callable[[Request], Awaitable[Response]]

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy: only this server's own files; nothing inline."""

SANDBOX: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
"""Policy of a foreign page shown in a frame: no script, no network, no origin. Its own styles are in the page."""

HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # not no-referrer: browsers then hide the origin of forms, which is checked here
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()",
    "cache-control": "private, no-cache",
}

SAFE_METHODS: Final = frozenset(("GET", "HEAD", "OPTIONS"))
OPEN_PATHS: Final = ("/static/", "/login")
"""Paths that need no token."""

OWN_PAGE: Final = re.compile(r"/(?![/\\])[\x21-\x7e]*")
"""Addresses of this server's pages, without its name: browsers read `//` and `/\\` as the beginning of another server's."""

MAX_FIELDS: Final = 4_000
MAX_PATH_CHARS: Final = 2_000
"""Longest path; Python reads no number of more than 4,300 digits."""


def sandboxed(markup: str, *, is_clicked: bool = False) -> Response:
    """Return a response with a foreign page, to be shown in a frame of our own page.

    It runs no script. Where parts of it are to be clicked (`is_clicked`), the script of our page may look into it: then it
    has to be a page whose markup we have written ourselves (`webmain.explain.overlay`).
    """
    policy = SANDBOX.replace("sandbox;", "sandbox allow-same-origin;") if is_clicked else SANDBOX
    headers = {"content-security-policy": policy, "x-frame-options": "SAMEORIGIN"}
    return Response(markup, headers=headers, media_type="text/html; charset=utf-8")


def add_headers(headers: MutableHeaders) -> None:
    """Add the headers of every response; those that a page has set stay as they are."""
    for name, value in HEADERS.items():
        headers.setdefault(name, value)


class Security:
    """Checks each request, and adds headers to each response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                add_headers(MutableHeaders(scope=message))
            await send(message)

        request = Request(scope, receive)
        refusal = _refusal(request)
        if refusal is not None:
            await refusal(scope, receive, sending)
        else:
            await self._app(scope, _bounded(request, receive), sending)


def _refusal(request: Request) -> Response | None:
    """Return the response that refuses a request, or None if it may pass."""
    web, path = web_of(request), request.url.path
    if not web.config.allows_host(_host(request.headers.get("host", ""))):
        return failure(request, 421)
    if len(path) > MAX_PATH_CHARS:
        return failure(request, 404)
    if request.method not in SAFE_METHODS and not _is_own_origin(request):
        return failure(request, 403, "The request came from a page of another site.", code="other_origin")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > web.config.limits.body_bytes:
        return failure(request, 413, f"More than {web.config.limits.body_bytes:,} bytes were sent.")
    if not web.logins.is_needed or path.startswith(OPEN_PATHS) or sessions.is_logged_in(request):
        return None
    return _without_login(request)


def _without_login(request: Request) -> Response | None:
    """Return the response to a request without a login, or None if it has the token."""
    logins = web_of(request).logins
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        if wait_s := logins.wait_s(request):
            return failure(request, 429, headers={"retry-after": str(wait_s)})
        if logins.accepts(request, token.strip()):
            return None
    if request.url.path.startswith(API):
        message = "The token is wrong." if kind else "Send the header Authorization: Bearer TOKEN."
        return failure(request, 401, message, headers={"www-authenticate": "Bearer"})
    if request.method == "GET":
        asked = f"{quote(request.url.path)}?{request.url.query}".rstrip("?")
        return redirect(request, "/login" if asked == "/" else f"/login?{urlencode({'next': asked})}")
    return failure(request, 401)


def _host(header: str) -> str:
    """Return the name in a `Host` header, without the port."""
    try:
        parts = urlsplit(f"//{header}")
        is_host = parts.netloc == header and "@" not in header and parts.port != 0  # a port that is none is an error
        return parts.hostname or "" if is_host else ""
    except ValueError:
        return ""


def _is_own_origin(request: Request) -> bool:
    """Return True if a request that changes something came from a page of this server, or from no page at all."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    if origin is None:  # programs send none, and browsers always do
        return True
    try:
        return urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower()
    except ValueError:
        return False


def _bounded(request: Request, receive: Receive) -> Receive:
    """Return a function that receives the body of a request within limits of bytes and seconds."""
    limits = web_of(request).config.limits
    n_bytes, end, done = 0, time.monotonic() + limits.body_s, False

    async def receiving() -> Message:
        nonlocal n_bytes, done
        if done:  # from now on this waits for the browser to disconnect
            return await receive()
        try:
            async with asyncio.timeout(max(0.0, end - time.monotonic())):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, headers={"connection": "close"}) from None
        n_bytes += len(message.get("body", b""))
        done = not message.get("more_body", False)
        if n_bytes > limits.body_bytes:
            raise HTTPException(413, f"More than {limits.body_bytes:,} bytes were sent.", {"connection": "close"})
        return message

    return receiving


def with_form_check(route: Route) -> Route:
    """Return a route that checks a form's token before its handler is called; routes without POST are unchanged."""
    methods = route.methods or set()
    if methods <= SAFE_METHODS or route.path.startswith(API):
        return route
    endpoint: Handler = route.endpoint

    @wraps(endpoint)
    async def checked(request: Request) -> Response:
        if request.method in SAFE_METHODS:
            return await endpoint(request)
        web = web_of(request)
        most = web.config.limits.page_bytes + 1024
        async with request.form(max_files=4, max_fields=MAX_FIELDS, max_part_size=most) as form:
            if not sessions.is_own_form(request, form.get("form_token")):
                raise HTTPException(403, "The form is too old, or your browser keeps no cookies for this server.")
            return await endpoint(request)

    return Route(route.path, checked, methods=list(methods), name=route.name)


async def login(request: Request) -> Response:
    """Ask for the token, and log in whoever knows it; the page that was asked for is shown next."""
    web, asked = web_of(request), request.query_params.get("next", "")
    if request.method != "POST":
        return render(request, "login.html.jinja", problem="")
    if wait_s := web.logins.wait_s(request):
        return failure(request, 429, "Too many wrong tokens were tried.", headers={"retry-after": str(wait_s)})
    form = await request.form()
    if not web.logins.accepts(request, str(form.get("token", ""))):
        return render(request, "login.html.jinja", status=403, problem="The token is wrong.")
    response = redirect(request, asked if OWN_PAGE.fullmatch(asked) else "/")
    sessions.log_in(request, response)
    return response


async def logout(request: Request) -> Response:
    """Log a browser out."""
    response = redirect(request, "/login", notice="You are logged out.")
    response.delete_cookie(sessions.SESSION)
    return response
