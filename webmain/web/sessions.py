"""Signed values in cookies: who has logged in, which form belongs to which browser, what the next page tells."""

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
"""Cookies: the login; what the forms of a browser are signed with; a line for the next page."""

SESSION_S: Final = 12 * 3600
MAX_NOTICE_CHARS: Final = 500


@dataclass(slots=True)
class Signer:
    """Signs values with a key of this process; each purpose has signatures of its own."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def sign(self, purpose: str, value: str) -> str:
        """Return the signature of a value."""
        return hmac.new(self.key, f"{purpose}\0{value}".encode(), hashlib.sha256).hexdigest()

    def is_signed(self, purpose: str, value: str, signature: str) -> bool:
        """Return True if a signature is that of a value; takes as long whatever is wrong."""
        return is_same(self.sign(purpose, value), signature)


def is_same(one: str, other: str) -> bool:
    """Compare two strings in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


class Logins:
    """Compares tokens, a bounded number of wrong ones a minute."""

    def __init__(self, token: str | None, most: int) -> None:
        self._token, self._most = token, most
        self._minute, self._n_wrong = 0, 0

    @property
    def is_needed(self) -> bool:
        """Whether users have to know a token."""
        return self._token is not None

    def wait_s(self) -> int:
        """Return for how many seconds no token is looked at; 0 if one is."""
        if int(time.monotonic() // 60) != self._minute or self._n_wrong < self._most:
            return 0
        return 60 - int(time.monotonic() % 60)

    def accepts(self, token: str) -> bool:
        """Return True if a token is the right one; ask `wait_s` first."""
        if self._token is None or is_same(self._token, token):
            return True
        minute = int(time.monotonic() // 60)
        self._n_wrong = self._n_wrong + 1 if minute == self._minute else 1
        self._minute = minute
        return False


def log_in(response: Response, signer: Signer, *, secure: bool) -> None:
    """Let a browser in: a signed cookie that ends by itself."""
    until = str(int(time.time()) + SESSION_S)
    _set(response, SESSION, f"{until}.{signer.sign(SESSION, until)}", SESSION_S, secure=secure)


def is_logged_in(request: HTTPConnection, signer: Signer) -> bool:
    """Return True if a request has the cookie of a login that has not ended."""
    until, _, signature = request.cookies.get(SESSION, "").partition(".")
    return signer.is_signed(SESSION, until, signature) and until.isdecimal() and int(until) > time.time()


def form_token(browser: str, signer: Signer) -> str:
    """Return what the forms of a browser carry: made from its cookie, which other sites can neither read nor sign."""
    return signer.sign(BROWSER, browser)


def set_browser(response: Response, browser: str, *, secure: bool) -> None:
    """Give a browser the cookie that its forms are signed with."""
    _set(response, BROWSER, browser, SESSION_S, secure=secure)


def is_own_form(request: HTTPConnection, token: object, signer: Signer) -> bool:
    """Return True if a form came from a page that this server gave to this browser."""
    browser = request.cookies.get(BROWSER, "")
    return bool(browser) and isinstance(token, str) and signer.is_signed(BROWSER, browser, token)


def put_notice(response: Response, text: str, signer: Signer, *, secure: bool) -> None:
    """Let the next page tell something."""
    packed = base64.urlsafe_b64encode(text[:MAX_NOTICE_CHARS].encode()).decode()
    _set(response, NOTICE, f"{packed}.{signer.sign(NOTICE, packed)}", 60, secure=secure)


def notice_of(request: HTTPConnection, signer: Signer) -> str:
    """Return what was left for this page; "" if nothing."""
    packed, _, signature = request.cookies.get(NOTICE, "").partition(".")
    if not packed or not signer.is_signed(NOTICE, packed, signature):
        return ""
    return base64.urlsafe_b64decode(packed).decode()


def _set(response: Response, name: str, value: str, age_s: int, *, secure: bool) -> None:
    response.set_cookie(name, value, max_age=age_s, httponly=True, samesite="strict", secure=secure)
