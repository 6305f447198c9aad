"""What is kept of a page until its article is durable: validators, and what its sources said of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webmain.clock import now_s
from webmain.ledger.answers import ARTICLE, Answer
from webmain.ledger.visits import Fetched
from webmain.metadata.dates import parse_feed_date
from webmain.store.protocol import Outcome
from webmain.urls import normalise, site_key, without_credentials
from webmain.validators import hash_of, validators

if TYPE_CHECKING:
    from datetime import datetime

    from scrapy.http import Response

    from webmain.items import Hints
    from webmain.store.protocol import Stored

VISIT: Final = "visit"
"""The purpose, in its meta, of a request for an article that is known."""

MAX_PAGES: Final = 100_000
"""Pages that are remembered until their articles are stored."""


@dataclass(slots=True)
class _Page:
    """What is known of a page."""

    etag: str | None = None
    last_modified: str | None = None
    content_hash: str = ""
    text: str = ""
    hints: Hints | None = None
    visited: str = ""


class Visiting:
    """Remembers pages from their answers on until their articles are stored, or rejected."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, _Page] = OrderedDict()

    def _page(self, url: str) -> _Page:
        page = self._pages.setdefault(key_of(url), _Page())
        if len(self._pages) > MAX_PAGES:
            self._pages.popitem(last=False)
        return page

    def note_answer(self, response: Response) -> None:
        """Remember the validators and the hash of a page's answer."""
        request = response.request
        if request is None or response.status != 200 or request.meta.get("purpose", VISIT) != VISIT:
            return
        page = self._page(response.url)
        page.etag, page.last_modified = validators(response)
        page.content_hash = hash_of(response.body)

    def note_page(self, url: str, hints: Hints | None, text: str, visited: str = "") -> None:
        """Remember what sources said of an article, the mark of its page's text, and the known address at which it was."""
        page = self._page(url)
        page.hints, page.text, page.visited = hints, text, visited

    def visited(self, url: str) -> str:
        """Return at which known address a page was looked at again; "" where it is fetched for the first time."""
        page = self._pages.get(key_of(url))
        return page.visited if page else ""

    def forget(self, url: str) -> None:
        """Forget a page."""
        self._pages.pop(key_of(url), None)

    def take(self, stored: Sequence[Stored], published: Mapping[str, datetime]) -> tuple[list[Answer], list[Fetched]]:
        """Return what is to be noted of pages whose articles are durable now, and forget them."""
        answers, fetched, now = [], [], now_s()
        for each in stored:
            page = self._pages.pop(key_of(each.url), None) if each.url else None
            if page is None or not each.url:
                continue
            url, site = page.visited or key_of(each.url), site_key(each.url)
            date = published.get(each.id)
            answers.append(
                Answer(
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
                Fetched(
                    url=url,
                    site=site,
                    published_at=date.timestamp() if date else None,
                    has_changed=each.outcome is Outcome.CHANGED,
                    claimed_at=claimed_at(page.hints),
                    hints=page.hints,
                )
            )
        return answers, fetched


def key_of(url: str) -> str:
    """Return the form of an address under which its page is remembered."""
    return without_credentials(normalise(url) or url)


def claimed_at(hints: Hints | None) -> float | None:
    """Return when an article changed last by what names it, in seconds since 1970; None where that is not told."""
    dates = [parse_feed_date(text) for text in (hints.modified, hints.published)] if hints else []
    times = [date.timestamp() for date in dates if date is not None]
    return max(times) if times and max(times) <= now_s() + 3600 else None
