"""Requests, responses, what answers them, and what a crawl is expected to find."""

from __future__ import annotations

import gzip
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from urllib.parse import parse_qsl, unquote, urlsplit

from webmain.items import Reason


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP answer.

    Attributes
    ----------
    headers : Mapping[str, str]
        One value a name. `Content-Length` is left to whoever sends it.
    body : bytes
        As sent, after content coding.
    delay_s : float
        Seconds until it is sent.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request, taken apart.

    Attributes
    ----------
    path : str
        Percent-decoded, "/" at least.
    target : str
        The path with the query, if there is one, as it was sent.
    query : Mapping[str, str]
        The last value of each name.
    earlier : int
        How often this very URL was asked for before, in the life of this web.
    headers : Mapping[str, str]
        Names in lower case.
    """

    host: str
    path: str
    target: str
    query: Mapping[str, str] = field(default_factory=dict)
    earlier: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The ground truth of one article that a crawl must yield, once.

    Attributes
    ----------
    url : str
        Its canonical URL.
    site : str
        The site's registered domain, "harbour-courier.example".
    section, tags
        As the story has them; a page without metadata may not say so.
    aliases : tuple of str
        Other URLs under which the same article is served.
    published : datetime
        With its zone; some pages show the day only.
    text : str
        Blocks joined by blank lines: list items are blocks, a table's rows stand on lines, its cells divided by tabs.
    optional : tuple of str
        What may stand in an extracted text or not: headline, standfirst, captions, byline.
    noise : tuple of str
        Sentences on its page that are no part of it: comments, teasers, sign-up boxes, hidden text.
    paywalled : bool or None
        What the page says of itself; only the free part is the text then.
    forms : frozenset of str
        What is special in how it is served (see README.md).
    """

    url: str
    site: str
    title: str
    authors: tuple[str, ...]
    published: datetime
    text: str
    language: str
    section: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    noise: tuple[str, ...] = ()
    paywalled: bool | None = None
    forms: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """A URL that is linked like an article or a section and must not become an article.

    Attributes
    ----------
    reasons : frozenset of Reason
        The rejections that are right for it, if it is fetched at all; empty where no page ever reaches the pipelines.
    """

    url: str
    what: str
    reasons: frozenset[Reason] = frozenset()


class UnknownHostError(LookupError):
    """No site of this web has that host name."""


class Responder(ABC):
    """Sites under true host names; safe to use from several threads.

    Attributes
    ----------
    hosts : tuple of str
        Every host name that is answered.
    visits : Counter of str
        How often each URL was asked for.
    only_https : bool
        Whether http leads to https.
    """

    def __init__(self, hosts: Iterable[str], *, only_https: bool = False) -> None:
        self.hosts = tuple(hosts)
        self.visits: Counter[str] = Counter()
        self.only_https = only_https
        self._lock = threading.Lock()

    @abstractmethod
    def answer(self, request: Request) -> Response:
        """Answer one request to one of the hosts."""

    def respond(self, url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> Response:
        """Answer one request for an absolute URL; names of headers may be in any case.

        Raises
        ------
        UnknownHostError
            No site has that host name, or it is no URL at all, so that it leads nowhere.
        """
        try:
            parts = urlsplit(url)
        except ValueError as error:
            raise UnknownHostError(f"not a URL: {url!r}") from error
        host = parts.hostname or ""
        if host not in self.hosts:
            raise UnknownHostError(f"no such host in the made-up web: {host!r}")
        if method not in ("GET", "HEAD"):
            return Response(405, {"Content-Type": "text/plain", "Allow": "GET, HEAD"}, b"only GET and HEAD\n")
        if parts.scheme == "http" and self.only_https:
            return redirect(parts._replace(scheme="https").geturl())
        with self._lock:
            key = parts._replace(fragment="").geturl()
            earlier = self.visits[key]
            self.visits[key] += 1
        path = unquote(parts.path) or "/"
        request = Request(
            host=host,
            path=path,
            target=path + (f"?{parts.query}" if parts.query else ""),
            query=dict(parse_qsl(parts.query)),
            earlier=earlier,
            headers={name.lower(): value for name, value in (headers or {}).items()},
        )
        response = self.answer(request)
        return replace(response, body=b"") if method == "HEAD" else response


def text(content: str, *, kind: str = "text/plain") -> Response:
    """Answer with a text in UTF-8."""
    return Response(200, {"Content-Type": f"{kind}; charset=utf-8"}, content.encode())


def html(markup: str, *, status: int = 200, charset: str | None = "utf-8") -> Response:
    """Answer with a page in UTF-8, whatever `charset` the header claims."""
    kind = f"text/html; charset={charset}" if charset else "text/html"
    return Response(status, {"Content-Type": kind}, markup.encode())


def xml(markup: str, *, kind: str = "application/xml; charset=utf-8") -> Response:
    """Answer with a feed or a sitemap."""
    return Response(200, {"Content-Type": kind}, markup.encode())


def gzipped(markup: str, *, kind: str = "application/x-gzip") -> Response:
    """Answer with a gzip file (not a content coding), the same bytes each time."""
    return Response(200, {"Content-Type": kind}, gzip.compress(markup.encode(), mtime=0))


def redirect(url: str, *, status: int = 301) -> Response:
    """Send the client elsewhere."""
    return Response(status, {"Location": url, "Content-Type": "text/html"}, b"")


def tagged(response: Response, known: str) -> Response:
    """Return a page with an ETag; 304 without a body where it is the one that the client knows (`If-None-Match`)."""
    if response.status != 200:
        return response
    tag = f'"{blake2b(response.body, digest_size=8).hexdigest()}"'
    if tag in known.replace("W/", "").split(", "):
        return Response(304, {"ETag": tag}, b"")
    return Response(200, {**response.headers, "ETag": tag}, response.body)
