"""Signed values in cookies: the login, the binding of forms to a browser, and a notice for the next page."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.responses import Response

SESSION: Final = "webmain_session"
BROWSER: Final = "webmain_browser"
NOTICE: Final = "webmain_notice"
"""Cookies: the login; the value that a browser's forms are signed with; the notice for the next page."""

SESSION_S: Final = 12 * 3600
MAX_NOTICE_CHARS: Final = 500


@dataclass(slots=True)
class Signer:
    """Signs values with a key of this process; signatures differ by purpose."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def sign(self, purpose: str, value: str) -> str:
        """Return the signature of a value."""
        return hmac.new(self.key, f"{purpose}\0{value}".encode(), hashlib.sha256).hexdigest()

    def is_signed(self, purpose: str, value: str, signature: str) -> bool:
        """Return True if a signature matches a value; takes the same time wherever it is wrong."""
        return is_same(self.sign(purpose, value), signature)


def is_same(one: str, other: str) -> bool:
    """Compare two strings in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


class Logins:
    """Checks tokens, a limited number of wrong ones per minute."""

    def __init__(self, token: str | None, most: int) -> None:
        self._token, self._most = token, most
        self._minute, self._n_wrong = 0, 0

    @property
    def is_needed(self) -> bool:
        """Whether users need a token."""
        return self._token is not None

    def wait_s(self) -> int:
        """Return how many seconds to wait before a token is checked; 0 if one may be checked now."""
        if int(time.monotonic() // 60) != self._minute or self._n_wrong < self._most:
            return 0
        return 60 - int(time.monotonic() % 60)

    def accepts(self, token: str) -> bool:
        """Return True if a token is correct; call `wait_s` first."""
        if self._token is None or is_same(self._token, token):
            return True
        minute = int(time.monotonic() // 60)
        self._n_wrong = self._n_wrong + 1 if minute == self._minute else 1
        self._minute = minute
        return False


def log_in(response: Response, signer: Signer, *, secure: bool) -> None:
    """Log a browser in with a signed cookie that expires."""
    until = str(int(time.time()) + SESSION_S)
    _set(response, SESSION, f"{until}.{signer.sign(SESSION, until)}", SESSION_S, secure=secure)


def is_logged_in(request: HTTPConnection, signer: Signer) -> bool:
    """Return True if a request has the cookie of a login that has not expired."""
    until, _, signature = request.cookies.get(SESSION, "").partition(".")
    return signer.is_signed(SESSION, until, signature) and until.isdecimal() and int(until) > time.time()


def form_token(browser: str, signer: Signer) -> str:
    """Return a browser's form token: made from its cookie, which other sites can neither read nor sign."""
    return signer.sign(BROWSER, browser)


def set_browser(response: Response, browser: str, *, secure: bool) -> None:
    """Set the cookie that a browser's forms are signed with."""
    _set(response, BROWSER, browser, SESSION_S, secure=secure)


def is_own_form(request: HTTPConnection, token: object, signer: Signer) -> bool:
    """Return True if a form came from a page that this server sent to this browser."""
    browser = request.cookies.get(BROWSER, "")
    return bool(browser) and isinstance(token, str) and signer.is_signed(BROWSER, browser, token)


def put_notice(response: Response, text: str, signer: Signer, *, secure: bool) -> None:
    """Set a notice for the next page."""
    packed = base64.urlsafe_b64encode(text[:MAX_NOTICE_CHARS].encode()).decode()
    _set(response, NOTICE, f"{packed}.{signer.sign(NOTICE, packed)}", 60, secure=secure)


def notice_of(request: HTTPConnection, signer: Signer) -> str:
    """Return the notice left for this page, or "" if there is none."""
    packed, _, signature = request.cookies.get(NOTICE, "").partition(".")
    if not packed or not signer.is_signed(NOTICE, packed, signature):
        return ""
    return base64.urlsafe_b64decode(packed).decode()


def _set(response: Response, name: str, value: str, age_s: int, *, secure: bool) -> None:
    response.set_cookie(name, value, max_age=age_s, httponly=True, samesite="strict", secure=secure)
