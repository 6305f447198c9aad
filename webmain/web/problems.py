"""Errors of requests, with messages for people and codes for programs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from starlette.exceptions import HTTPException

from webmain.clock import once


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
