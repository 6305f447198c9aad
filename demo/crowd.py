"""Many small sites at once, for long runs: one large one among them, and some that answer slowly."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from demo.feeds import sitemap
from demo.many import draft_of
from demo.render import esc
from demo.wire import Request, Responder, Response, html, text, xml

_STORY = re.compile(r"/20\d\d/\d\d/\d\d/story-of-the-harbour-number-(\d{1,6})")
_NEWEST = datetime(2026, 11, 21, tzinfo=UTC)


class Crowd(Responder):
    """Sites `paper0.example` and so on; the environment has CROWD_SITES, CROWD_ARTICLES, CROWD_SLOW, CROWD_LARGE, CROWD_SLOW_S.

    The first has CROWD_LARGE articles, the others CROWD_ARTICLES; the last CROWD_SLOW take CROWD_SLOW_S seconds for each answer.
    """

    def __init__(self) -> None:
        usual = {"SITES": 200, "ARTICLES": 500, "SLOW": 0, "LARGE": 500, "SLOW_S": 10}
        self.n_sites, self.n_articles, self.n_slow, self.n_large, self.slow_s = (
            int(os.environ.get(f"CROWD_{name}", value)) for name, value in usual.items()
        )
        super().__init__(f"paper{n}.example" for n in range(self.n_sites))

    def answer(self, request: Request) -> Response:
        """Answer one request."""
        site = int(request.host.removeprefix("paper").partition(".")[0])
        n_articles = self.n_articles if site else self.n_large
        delay_s = float(self.slow_s) if site >= self.n_sites - self.n_slow else 0.0
        return replace(self._page(f"https://{request.host}", site, n_articles, request.path), delay_s=delay_s)

    def _page(self, root: str, site: int, n_articles: int, path: str) -> Response:
        if path == "/sitemap.xml":
            return xml(sitemap((root + _path(n), None) for n in range(n_articles)))
        if path == "/robots.txt":
            return text(f"Sitemap: {root}/sitemap.xml\n")
        others = "".join(f'<p><a href="{_path(n)}">Story {n}</a></p>' for n in range(min(10, n_articles)))
        if (found := _STORY.fullmatch(path)) and int(found[1]) < n_articles:
            draft = draft_of(int(found[1]), "en", site)
            body = "".join(f"<p>{esc(paragraph)}</p>" for paragraph in draft.paragraphs)
            return html(
                f"<!DOCTYPE html><title>{esc(draft.title)}</title><article><h1>{esc(draft.title)}</h1>{body}</article>{others}"
            )
        return html(f"<!DOCTYPE html><title>Paper {site}</title>{others}", status=200 if path == "/" else 404)


def _path(number: int) -> str:
    return f"/{_NEWEST - timedelta(days=number % 25):%Y/%m/%d}/story-of-the-harbour-number-{number}"
