"""Signed values in cookies: the login, the binding of forms to a browser, and a notice for the next page."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections import Counter
from ipaddress import IPv6Network
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

SESSION: Final = "webmain_session"
BROWSER: Final = "webmain_browser"
NOTICE: Final = "webmain_notice"
"""Cookies: the login; the value that a browser's forms are signed with; the notice for the next page."""

SESSION_S: Final = 12 * 3600
MAX_NOTICE_CHARS: Final = 500
MAX_ADDRESSES: Final = 10_000


class Logins:
    """Checks tokens, a limited number of wrong ones per minute from each address."""

    def __init__(self, token: str | None, most: int) -> None:
        self._token, self._most = token, most
        self._minute, self._n_wrong = 0, Counter[str]()

    @property
    def is_needed(self) -> bool:
        """Whether users need a token."""
        return self._token is not None

    def wait_s(self, request: HTTPConnection) -> int:
        """Return how many seconds to wait before a token of this client is checked; 0 if one may be checked now."""
        if int(time.monotonic() // 60) != self._minute or self._n_wrong[_address(request)] < self._most:
            return 0
        return 60 - int(time.monotonic() % 60)

    def accepts(self, request: HTTPConnection, token: str) -> bool:
        """Return True if a client's token is correct; call `wait_s` first."""
        if self._token is None or _is_same(self._token, token):
            return True
        minute = int(time.monotonic() // 60)
        if minute != self._minute or len(self._n_wrong) > MAX_ADDRESSES:
            self._minute, self._n_wrong = minute, Counter[str]()
        self._n_wrong[_address(request)] += 1
        return False


def _address(request: HTTPConnection) -> str:
    """Return the address a request came from; of IPv6 the network, in which one client has all addresses."""
    host = request.client.host if request.client else ""
    return str(IPv6Network((host, 64), strict=False)) if ":" in host else host


def log_in(request: HTTPConnection, response: Response) -> None:
    """Log a browser in with a signed cookie that expires."""
    _set_signed(request, response, SESSION, str(int(time.time()) + SESSION_S), SESSION_S)


def is_logged_in(request: HTTPConnection) -> bool:
    """Return True if a request has the cookie of a login that has not expired."""
    until = _signed_value(request, SESSION)
    return until.isdecimal() and int(until) > time.time()


def form_token(request: HTTPConnection, browser: str) -> str:
    """Return a browser's form token: made from its cookie, which other sites can neither read nor sign."""
    return _signature(request, BROWSER, browser)


def set_browser(request: HTTPConnection, response: Response, browser: str) -> None:
    """Set the cookie that a browser's forms are signed with."""
    _set(request, response, BROWSER, browser, SESSION_S)


def is_own_form(request: HTTPConnection, token: object) -> bool:
    """Return True if a form came from a page that this server sent to this browser."""
    browser = request.cookies.get(BROWSER, "")
    return bool(browser) and isinstance(token, str) and _is_same(form_token(request, browser), token)


def put_notice(request: HTTPConnection, response: Response, text: str) -> None:
    """Set a notice for the next page."""
    packed = base64.urlsafe_b64encode(text[:MAX_NOTICE_CHARS].encode()).decode()
    _set_signed(request, response, NOTICE, packed, 60)


def notice_of(request: HTTPConnection) -> str:
    """Return the notice left for this page, or "" if there is none."""
    return base64.urlsafe_b64decode(_signed_value(request, NOTICE)).decode()


def _signature(request: HTTPConnection, purpose: str, value: str) -> str:
    """Return the signature of a value by the server's key; signatures differ by purpose."""
    key: bytes = request.app.state.key
    return hmac.new(key, f"{purpose}\0{value}".encode(), hashlib.sha256).hexdigest()


def _is_same(one: str, other: str) -> bool:
    """Compare two strings in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def _set(request: HTTPConnection, response: Response, name: str, value: str, age_s: int) -> None:
    """Set a cookie that scripts and other sites cannot read; after https, also through a proxy, only https sends it."""
    secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
    response.set_cookie(name, value, max_age=age_s, httponly=True, samesite="strict", secure=secure)


def _set_signed(request: HTTPConnection, response: Response, name: str, value: str, age_s: int) -> None:
    _set(request, response, name, f"{value}.{_signature(request, name, value)}", age_s)


def _signed_value(request: HTTPConnection, name: str) -> str:
    """Return the value of a cookie that this server has signed, or "" if there is none."""
    value, _, signature = request.cookies.get(name, "").partition(".")
    return value if _is_same(_signature(request, name, value), signature) else ""
