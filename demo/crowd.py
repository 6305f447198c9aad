"""Many small sites at once, for long runs: one large one among them, and some that answer slowly."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from demo.many import draft_of
from demo.render import esc
from demo.web import UnknownHostError
from demo.wire import Reply, html, xml

_HOST = re.compile(r"paper(\d{1,4})\.example")
_STORY = re.compile(r"/20\d\d/\d\d/\d\d/story-of-the-harbour-number-(\d{1,6})")
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_NEWEST = datetime(2026, 11, 21, tzinfo=UTC)


class Crowd:
    """Sites `paper0.example` and so on; the environment has CROWD_SITES, CROWD_ARTICLES, CROWD_SLOW, CROWD_LARGE, CROWD_SLOW_S.

    The first has CROWD_LARGE articles, the others CROWD_ARTICLES; the last CROWD_SLOW take CROWD_SLOW_S seconds for each answer.
    """

    def __init__(self) -> None:
        usual = {"SITES": 200, "ARTICLES": 500, "SLOW": 0, "LARGE": 500, "SLOW_S": 10}
        self.n_sites, self.n_articles, self.n_slow, self.n_large, self.slow_s = (
            int(os.environ.get(f"CROWD_{name}", value)) for name, value in usual.items()
        )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host name that is answered."""
        return tuple(f"paper{n}.example" for n in range(self.n_sites))

    def respond(self, url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> Reply:
        """Answer one request.

        Raises
        ------
        UnknownHostError
            No such site.
        """
        parts = urlsplit(url)
        match = _HOST.fullmatch(parts.hostname or "")
        if match is None or int(match[1]) >= self.n_sites:
            raise UnknownHostError(f"no such host in the made-up web: {parts.hostname!r}")
        site = int(match[1])
        n_articles = self.n_articles if site else self.n_large
        delay_s = float(self.slow_s) if site >= self.n_sites - self.n_slow else 0.0
        reply = self._answer(f"https://{parts.hostname}", site, n_articles, parts.path)
        return Reply(reply.status, reply.headers, reply.body, delay_s=delay_s)

    def _answer(self, root: str, site: int, n_articles: int, path: str) -> Reply:
        if path == "/sitemap.xml":
            urls = "".join(f"<url><loc>{root}{_path(n)}</loc></url>" for n in range(n_articles))
            return xml(f'<urlset xmlns="{_NAMESPACE}">{urls}</urlset>')
        if path == "/robots.txt":
            return Reply(200, {"Content-Type": "text/plain"}, f"Sitemap: {root}/sitemap.xml\n".encode())
        others = "".join(f'<p><a href="{_path(n)}">Story {n}</a></p>' for n in range(min(10, n_articles)))
        if (found := _STORY.fullmatch(path)) and int(found[1]) < n_articles:
            draft = draft_of(int(found[1]), "en", site)
            text = "".join(f"<p>{esc(paragraph)}</p>" for paragraph in draft.paragraphs)
            return html(
                f"<!DOCTYPE html><title>{esc(draft.title)}</title><article><h1>{esc(draft.title)}</h1>{text}</article>{others}"
            )
        return html(f"<!DOCTYPE html><title>Paper {site}</title>{others}", status=200 if path == "/" else 404)


def _path(number: int) -> str:
    return f"/{_NEWEST - timedelta(days=number % 25):%Y/%m/%d}/story-of-the-harbour-number-{number}"
