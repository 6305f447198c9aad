"""Errors of requests, with messages for people and codes for programs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from starlette.exceptions import HTTPException

from webmain.clock import once
from webmain.net import errors


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


@once
def responses() -> Mapping[str, Mapping[str, str]]:
    """Return the title, advice and code of error responses, by HTTP status or code."""
    return tomllib.loads(Path(__file__).with_name("problems.toml").read_text("utf-8"))


def sentence(text: str) -> str:
    """Return a text with its first letter capitalised; the rest is unchanged."""
    return text[:1].upper() + text[1:]


def not_allowed(name: str, value: str, allowed: str) -> Problem:
    """Return the problem for a parameter with a value that is not allowed."""
    return Problem(400, f"{name}: got {value[:100]!r}, allowed is {allowed}.")


def whole_number(name: str, text: str, least: int, most: int) -> int:
    """Return the number that a parameter names.

    Raises
    ------
    Problem
        It is none, or too small or too large.
    """
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and least <= int(text) <= most):
        raise not_allowed(name, text, f"a whole number from {least} to {most:,}")
    return int(text)


def fetch_problem(error: errors.FetchError) -> Problem:
    """Return the problem for a failed fetch; it does not reveal which address a private name resolves to."""
    if isinstance(error, errors.RobotsUnknown) and isinstance(error.__cause__, errors.Unreachable):
        error = errors.Unreachable(error.__cause__.message, error.url)  # a site that does not exist has no rules either
    known = {
        errors.PrivateAddress: (403, "private_address"),
        errors.BadAddress: (400, "bad_address"),
        errors.RobotsDenied: (403, "robots_denied"),
        errors.TooLarge: (413, "too_large"),
        errors.Timeout: (504, "fetch_timeout"),
        errors.HTTPStatus: (502, "http_status"),
    }
    status, code = next((known[kind] for kind in known if isinstance(error, kind)), (502, "fetch_failed"))
    if isinstance(error, errors.PrivateAddress):
        return Problem(status, f"{error.message.partition(' (')[0]}: {error.url[:300]}", code=code)
    return Problem(status, sentence(str(error)), code=code)
