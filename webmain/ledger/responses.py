"""The last responses of addresses that are fetched repeatedly: validators, and how often they changed."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from webmain.discovery.schedule import DAY_S, is_reliable, next_fetch
from webmain.items.codec import UNREADABLE, build, plain
from webmain.ledger.table import Table

ARTICLE: Final = "article"

WHOLE_AFTER_S: Final = DAY_S
"""After this long the whole body is requested again, whatever the validators say: some servers never change them."""

TESTED_AFTER_S: Final = 7 * DAY_S
ONE_TESTED_OF: Final = 4
"""If a site's validators are reliable, the bodies of one article in this many are still fetched after a week, as a
sample to check that."""

DATE_GRACE_S: Final = 24 * 3600.0
"""A date without a time stands for the whole day."""

MAX_LISTED_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedUrls:
    """What a source listed that each run has to look at, whether the source has changed or not.

    Attributes
    ----------
    links : tuple of str
        Addresses that may be sections or lists.
    following : str or None
        The next page of a list.
    feeds : tuple of str
    children : tuple of (str, str or None)
        Sitemaps listed in an index, with their `lastmod`.
    n_articles : int
        Number of articles listed in a feed or sitemap.
    hashes : tuple of int
        Hashes of a page's texts.
    """

    links: tuple[str, ...] = ()
    following: str | None = None
    feeds: tuple[str, ...] = ()
    children: tuple[tuple[str, str | None], ...] = ()
    n_articles: int = 0
    hashes: tuple[int, ...] = ()

    def packed(self) -> bytes:
        """Return the record as compressed JSON."""
        return zlib.compress(json.dumps(plain(self)).encode())

    @classmethod
    def unpacked(cls, data: bytes) -> ListedUrls:
        """Read a record that `packed` wrote.

        Raises
        ------
        ValueError
            The data is damaged.
        """
        try:
            text = zlib.decompressobj().decompress(data, MAX_LISTED_BYTES)
            return build(cls, json.loads(text))
        except (zlib.error, *UNREADABLE) as error:
            raise ValueError(f"no listed addresses: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """A run's filters; a response that was read with narrower filters may be incomplete.

    Attributes
    ----------
    since : float or None
        Start of the wanted period, in seconds since 1970.
    others : str
        All other filters, as text; they have to be equal.
    """

    since: float | None = None
    others: str = ""

    def covers(self, other: Filters) -> bool:
        """Return True if everything that the other filters allow was allowed by these."""
        is_wider = self.since is None or (other.since is not None and other.since >= self.since)
        return is_wider and self.others == other.others


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedResponse:
    """The last complete response of an address, and when it was fetched; times in seconds since 1970.

    Attributes
    ----------
    kind : str
        "front", "hub", "feed", "sitemap", "article".
    etag, last_modified : str or None
        Its validators, as received.
    content_hash : str
        Hash of its body.
    mark : str
        Hash of the relevant content; a different one is a change.
    first_at, asked_at, read_at, changed_at : float
        When it was first and last requested, when its body was last read, and when the content was last found changed.
    next_at : float or None
        When it is due again.
    n_told, n_silent : int
        Changes of an article's text with which its validators did, and did not, change.
    """

    url: str
    site: str
    kind: str
    etag: str | None = None
    last_modified: str | None = None
    content_hash: str = ""
    mark: str = ""
    first_at: float
    asked_at: float
    read_at: float
    changed_at: float
    next_at: float | None = None
    n_asked: int = 1
    n_changed: int = 0
    n_told: int = 0
    n_silent: int = 0
    filters: Filters = field(default_factory=Filters)
    listed: ListedUrls = field(default_factory=ListedUrls)

    def is_due(self, now: float) -> bool:
        """Return True if it is due now, or if the clock went back to before the last request."""
        return self.next_at is None or not self.asked_at <= now < self.next_at

    def is_newer(self, changed_at: float, now: float) -> bool:
        """Return True if it was read, recently, at least a day after the change date that an index gives for its source.

        It must be recent because some indexes never update their dates.
        """
        return changed_at + DATE_GRACE_S < self.asked_at <= now < self.asked_at + WHOLE_AFTER_S

    @property
    def validator(self) -> str | None:
        """The validator that a server checks first."""
        return self.etag or self.last_modified

    def has_validators(self, now: float, *, are_reliable: bool = False) -> bool:
        """Return True if a conditional request is allowed; False if its body was last read too long ago.

        Parameters
        ----------
        are_reliable : bool
            The site's validators have been shown to change with the texts.
        """
        whole_after_s = WHOLE_AFTER_S
        if are_reliable:
            is_tested = zlib.crc32(self.url.encode("utf-8", "surrogatepass")) % ONE_TESTED_OF == 0
            whole_after_s = TESTED_AFTER_S if is_tested else math.inf
        return bool(self.validator) and self.read_at <= now < self.read_at + whole_after_s


class SavedResponses(Table[SavedResponse]):
    """The last responses of addresses that are fetched repeatedly: validators, and how often they changed.

    A response is saved only after its content is durable: the addresses that a source listed are pending, an article is in
    the store. A response that was not saved is read again.
    """

    name = "answers"
    record_type = SavedResponse
    others: ClassVar = {"since": float | None, "others": str, "named": bytes}

    def _built(self, values: dict[str, Any]) -> SavedResponse | None:
        try:
            listed = ListedUrls.unpacked(values.pop("named"))
        except ValueError:
            return None
        filters = Filters(since=values.pop("since"), others=values.pop("others"))
        return SavedResponse(**values, filters=filters, listed=listed)

    def _other_values(self, response: SavedResponse) -> tuple[Any, ...]:
        return response.filters.since, response.filters.others, response.listed.packed()

    def save(self, responses: Iterable[SavedResponse]) -> None:
        """Save complete responses, adding to the counts of earlier responses."""
        with self._file.transaction():
            for response in responses:
                self._put([self._scheduled(_joined(self.get(response.url), response))])

    def record_unchanged(self, url: str) -> None:
        """Record that an address was requested again and has not changed."""
        now = self._file.clock()
        with self._file.transaction():
            if (known := self.get(url)) is not None:
                self._put([self._scheduled(replace(known, asked_at=now, n_asked=known.n_asked + 1))])

    def validators_are_reliable(self, site: str) -> bool:
        """Return True if the validators of a site's articles reliably changed with their texts."""
        ((n_told, n_silent),) = self._file.rows(
            "SELECT coalesce(sum(n_told), 0), coalesce(sum(n_silent), 0) FROM answers WHERE site = ? AND kind = ?",
            (site, ARTICLE),
        )
        return is_reliable(n_told, n_silent)

    def drop(self, url: str) -> None:
        """Delete the response of an address."""
        with self._file.transaction() as db:
            db.execute("DELETE FROM answers WHERE url = ?", (url,))

    def _scheduled(self, response: SavedResponse) -> SavedResponse:
        if response.kind == ARTICLE:
            return response  # `Visits` plans these
        next_at = next_fetch(
            response.kind,
            self._file.clock(),
            first_at=response.first_at,
            asked_at=response.asked_at,
            n_asked=response.n_asked,
            n_changed=response.n_changed,
        )
        return replace(response, next_at=next_at)


def _joined(before: SavedResponse | None, response: SavedResponse) -> SavedResponse:
    """Return a response with the counts of the earlier one added; its times are limited to those of the new response."""
    if before is None:
        return response
    has_changed = before.mark != response.mark
    is_silent = before.validator == response.validator
    n_texts = response.n_told if before.validator else 0  # without one there is no evidence
    return replace(
        response,
        first_at=min(before.first_at, response.first_at),
        changed_at=response.asked_at if has_changed else min(before.changed_at, response.asked_at),
        n_asked=before.n_asked + 1,
        n_changed=before.n_changed + has_changed,
        n_told=before.n_told + (0 if is_silent else n_texts),
        n_silent=before.n_silent + (n_texts if is_silent else 0),
    )
