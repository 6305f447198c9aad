"""What is remembered about a page until its article is durable: validators, and hints from its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scrapy.utils.datatypes import LocalCache

from webmain.clock import now_s
from webmain.crawl.validators import hash_of, validators
from webmain.ledger.responses import ARTICLE, SavedResponse
from webmain.ledger.visits import FetchedArticle
from webmain.metadata.dates import parse_feed_date
from webmain.store.protocol import Outcome
from webmain.urls import normalise, site_key, without_credentials

if TYPE_CHECKING:
    from scrapy.http import Response

    from webmain.items import Article, Hints
    from webmain.store.protocol import Stored

VISIT: Final = "visit"
"""Purpose, in a request's meta, of a revisit to a known article."""

MAX_PAGES: Final = 100_000
"""Pages remembered until their articles are stored."""


@dataclass(slots=True)
class _Page:
    """What is remembered about a page."""

    etag: str | None = None
    last_modified: str | None = None
    content_hash: str = ""
    text: str = ""
    hints: Hints | None = None
    visited: str = ""


class Visiting:
    """Remembers pages from their answers until their articles are stored or rejected."""

    def __init__(self) -> None:
        self._pages = LocalCache[str, _Page](MAX_PAGES)

    def _page(self, url: str) -> _Page:
        return self._pages.setdefault(key_of(url), _Page())

    def record_response(self, response: Response) -> None:
        """Remember the validators and the body hash of an answer."""
        request = response.request
        if request is None or response.status != 200 or request.meta.get("purpose", VISIT) != VISIT:
            return
        page = self._page(response.url)
        page.etag, page.last_modified = validators(response)
        page.content_hash = hash_of(response.body)

    def record_page(self, url: str, hints: Hints | None, text: str, visited: str = "") -> None:
        """Remember an article's hints, the hash of its page's text and, for a revisit, its known address."""
        page = self._page(url)
        page.hints, page.text, page.visited = hints, text, visited

    def visited(self, url: str) -> str:
        """Return the known address of a revisited page; "" if the page is fetched for the first time."""
        page = self._pages.get(key_of(url))
        return page.visited if page else ""

    def drop(self, url: str) -> None:
        """Forget a page."""
        self._pages.pop(key_of(url), None)

    def pop_stored(
        self, stored: Sequence[Stored], articles: Mapping[str, Article]
    ) -> tuple[list[SavedResponse], list[FetchedArticle]]:
        """Return the ledger's records for pages whose articles are durable now, and forget these pages."""
        responses, fetched, now = [], [], now_s()
        for each in stored:
            page = self._pages.pop(key_of(each.url), None) if each.url else None
            if page is None or not each.url:
                continue
            url, site = page.visited or key_of(each.url), site_key(each.url)
            date = articles[each.id].published if each.id in articles else None
            responses.append(
                SavedResponse(
                    url=url,
                    site=site,
                    kind=ARTICLE,
                    etag=page.etag,
                    last_modified=page.last_modified,
                    content_hash=page.content_hash,
                    mark=page.text,
                    first_at=now,
                    asked_at=now,
                    read_at=now,
                    changed_at=now,
                    n_told=int(each.outcome is Outcome.CHANGED),
                )
            )
            fetched.append(
                FetchedArticle(
                    url=url,
                    site=site,
                    published_at=date.timestamp() if date else None,
                    has_changed=each.outcome is Outcome.CHANGED,
                    claimed_at=claimed_at(page.hints),
                    hints=page.hints,
                )
            )
        return responses, fetched


def key_of(url: str) -> str:
    """Return the form of an address that identifies its page here."""
    return without_credentials(normalise(url) or url)


def claimed_at(hints: Hints | None) -> float | None:
    """Return an article's latest change time from its hints, in seconds since 1970; None if unknown or in the future."""
    dates = [parse_feed_date(text) for text in (hints.modified, hints.published)] if hints else []
    times = [date.timestamp() for date in dates if date is not None]
    return max(times) if times and max(times) <= now_s() + 3600 else None
