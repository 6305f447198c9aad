"""What a page may ask for while it is rendered: its own site, and styles and scripts of the hosts that it names for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Final

from webmain.urls import host, join, site_key

MAX_REQUESTS: Final = 150
"""Requests of one page."""

MAX_ANSWER_BYTES: Final = 5 * 1024 * 1024
MAX_ALL_BYTES: Final = 25 * 1024 * 1024
"""Bytes of one answer, and of all answers to one page."""

MAX_HOSTS: Final = 20
"""Other hosts from which a page may have styles and scripts."""

OWN_KINDS: Final = frozenset(("stylesheet", "script", "xhr", "fetch"))
"""What is fetched from the page's own site; pictures, films, fonts and frames are not: they hold no text of the page."""

OTHER_KINDS: Final = frozenset(("stylesheet", "script"))
"""What is fetched from other hosts that the page's markup names for it."""


_TAG = re.compile(r"<(?P<tag>link|script)\b(?P<rest>[^<>]{1,2000})", re.IGNORECASE)
_TARGET = re.compile(r"""\b(?:href|src)\s{0,9}=\s{0,9}["']?(?P<url>[^\s"'<>]{1,2000})""", re.IGNORECASE)


def named_hosts(markup: str, url: str) -> frozenset[str]:
    """Return the hosts from which a page's own markup, before any script of it has run, loads styles and scripts."""
    found: dict[str, None] = {}
    for tag in _TAG.finditer(markup):
        if tag["tag"].lower() == "link" and "stylesheet" not in tag["rest"].lower():
            continue
        target = _TARGET.search(tag["rest"])
        address = join(url, unescape(target["url"])) if target else None
        if address and (name := host(address)):
            found[name] = None
    return frozenset(list(found)[:MAX_HOSTS])


@dataclass(slots=True)
class Reach:
    """Decides on the requests of one page, and counts them.

    Parameters
    ----------
    url : str
        The page's address.
    hosts : frozenset of str
        Other hosts that may give styles and scripts.
    """

    url: str
    hosts: frozenset[str] = frozenset()
    n_requests: int = 0
    n_bytes: int = 0
    refused: dict[str, int] = field(default_factory=dict)

    def refusal(self, url: str, *, kind: str, method: str) -> str:
        """Return why a request is refused, in a word; "" where it is let through, and counted."""
        why = self._refusal(url, kind=kind, method=method)
        if why:
            self.refused[why] = self.refused.get(why, 0) + 1
        else:
            self.n_requests += 1
        return why

    def _refusal(self, url: str, *, kind: str, method: str) -> str:
        if method != "GET":
            return "method"
        if not url.startswith(("http://", "https://")):
            return "scheme"
        if self.n_requests >= MAX_REQUESTS or self.n_bytes >= MAX_ALL_BYTES:
            return "limit"
        if kind not in OWN_KINDS:
            return "kind"
        is_own = site_key(url) == site_key(self.url)
        if not is_own and (kind not in OTHER_KINDS or host(url) not in self.hosts):
            return "host"
        return ""
