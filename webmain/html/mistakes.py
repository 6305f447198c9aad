"""What people give in the place of a page: its address, its file's name, JSON around it."""

from __future__ import annotations

import json
import re

_MAX_NAME_CHARS = 4096
_URL = re.compile(r"(?:https?|ftp|file)://\S+|www\.[^\s.]+\.\S+", re.IGNORECASE)
_PATH = re.compile(
    r"(?:~|\.{1,2})?/\S*|[a-z]:[/\\][^\n]*|[^\n]*\.(?:x?html?|mhtml|php|txt|json|xml|warc(?:\.gz)?)", re.IGNORECASE
)
_JSON = re.compile(r"\{\s*[\"}]|\[\s*[\[{\"\]]")


def mistaken(text: str) -> str:
    """Return what was given instead of markup, and what to do; "" where it may be markup or text."""
    if "<" not in text[:_MAX_NAME_CHARS]:
        name = text[: _MAX_NAME_CHARS + 1].strip()
        if len(name) <= _MAX_NAME_CHARS and _URL.fullmatch(name):
            return "this is a URL; fetch it first, or `webmain extract URL`"
        if len(name) <= _MAX_NAME_CHARS and _PATH.fullmatch(name):
            return "this is a file's name; read the file first, or `webmain extract FILE`"
    text = text.lstrip("\ufeff \t\r\n")
    if _JSON.match(text):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return ""
        return "this is JSON; give the HTML that it holds"
    return ""
