"""The requests a page may make while it is rendered: to its own site, and for styles and scripts of hosts in its markup."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Final

from webmain.urls import host, join, site_key

MAX_REQUESTS: Final = 150
"""Most requests of one page."""

MAX_ANSWER_BYTES: Final = 5 * 1024 * 1024
MAX_ALL_BYTES: Final = 25 * 1024 * 1024
"""Most bytes of one response, and of all responses to one page."""

MAX_HOSTS: Final = 20
"""Most other hosts from which a page may load styles and scripts."""

OWN_KINDS: Final = frozenset(("stylesheet", "script", "xhr", "fetch"))
"""Resource types loaded from the page's own site; images, video, fonts and frames are not: they contain no text."""

OTHER_KINDS: Final = frozenset(("stylesheet", "script"))
"""Resource types loaded from other hosts that the page's markup names for them."""


_TAG = re.compile(r"<(?P<tag>link|script)\b(?P<rest>[^<>]{1,2000})", re.IGNORECASE)
_TARGET = re.compile(r"""\b(?:href|src)\s{0,9}=\s{0,9}["']?(?P<url>[^\s"'<>]{1,2000})""", re.IGNORECASE)


def named_hosts(markup: str, url: str) -> frozenset[str]:
    """Return the hosts of the styles and scripts in a page's own markup, before any script has run."""
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
class RequestRules:
    """Decides which requests of one page are allowed, and counts them.

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
        """Return in a word why a request is refused, "" if it is allowed; counts both."""
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
