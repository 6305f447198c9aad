"""Errors of requests, with messages for people and codes for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.exceptions import HTTPException

TITLES: Final = {
    400: "This request cannot be understood",
    401: "A token is needed",
    403: "This is not allowed",
    404: "Page not found",
    405: "This page does not accept this method",
    408: "The request took too long",
    409: "This is not possible now",
    413: "This is too large",
    415: "This kind of data is not supported",
    421: "This is not the name of this server",
    422: "This cannot be extracted",
    429: "Too many requests",
    500: "Something went wrong here",
    502: "The page could not be fetched",
    503: "The server is busy",
    504: "The page took too long",
}

ADVICE: Final = {
    400: "Go back, correct what you entered, and send it again.",
    401: "Log in with the token that the server was started with.",
    403: "Reload the page and send the form from there.",
    404: "The address may be mistyped, or the result may have expired: results are kept only for a while.",
    405: "Use one of the links at the top of the page.",
    408: "Send it again, over a faster connection.",
    409: "Wait until it is finished, and try again.",
    413: "Send a smaller page; the limits are in the documentation.",
    415: "Send JSON, with the header Content-Type: application/json.",
    421: "Open the address that the server printed when it started, or start it with --name and this name.",
    422: "Try another page, or another method.",
    429: "Wait a little and try again.",
    500: "Try again; if it happens again, the server's log says more.",
    502: "Check that the address opens in your browser, or save the page there and drop the file here.",
    503: "Wait a few seconds and try again.",
    504: "Try again later, or save the page in your browser and drop the file here.",
}


CODES: Final = {
    400: "bad_request",
    401: "token_needed",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "timeout",
    409: "conflict",
    413: "too_large",
    415: "not_json",
    421: "wrong_host",
    422: "rejected",
    429: "too_many_requests",
    500: "internal_error",
    502: "fetch_failed",
    503: "busy",
    504: "timeout",
}
"""Default error codes for programs."""


class Problem(HTTPException):
    """Raised by a handler to answer with an error page or JSON error.

    Parameters
    ----------
    status : int
    message, code : str
        As for `failure`.
    """

    def __init__(self, status: int, message: str, *, code: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, message, dict(headers) if headers else None)
        self.code = code


def sentence(text: str) -> str:
    """Return a text with its first letter capitalised; the rest is unchanged."""
    return text[:1].upper() + text[1:]


def wrong(message: str) -> Problem:
    """Return the problem for a call with something that is not allowed."""
    return Problem(400, f"{message}.", code="bad_request")
