"""What was said to requests for addresses that are asked again: their validators, and how often they changed."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from webmain.discovery.schedule import DAY_S, Asked, next_ask, tells_changes
from webmain.ledger.file import LedgerFile

ARTICLE: Final = "article"

WHOLE_AFTER_S: Final = DAY_S
"""After so long an address is asked for its whole body again, whatever its validators say: some servers' never change."""

TESTED_AFTER_S: Final = 7 * DAY_S
ONE_TESTED_OF: Final = 4
"""Where a site's validators have moved when a text did, one of so many articles is asked for its whole body, after a week: a
sample by which that is tested still."""

DATE_GRACE_S: Final = 24 * 3600.0
"""A date without its time stands for its whole day."""

MAX_NAMED_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a source named that has to be looked at in each run, changed or not.

    Attributes
    ----------
    links : tuple of str
        Addresses that may be sections or lists.
    following : str or None
        A list's next page.
    feeds : tuple of str
    children : tuple of (str, str or None)
        Sitemaps that an index names, with their `lastmod`.
    n_articles : int
        Articles that a feed or sitemap names.
    hashes : tuple of int
        Of a page's texts.
    """

    links: tuple[str, ...] = ()
    following: str | None = None
    feeds: tuple[str, ...] = ()
    children: tuple[tuple[str, str | None], ...] = ()
    n_articles: int = 0
    hashes: tuple[int, ...] = ()

    def packed(self) -> bytes:
        """Return it as compressed JSON."""
        return zlib.compress(json.dumps({each.name: getattr(self, each.name) for each in fields(self)}).encode())

    @classmethod
    def unpacked(cls, data: bytes) -> Named:
        """Read it again.

        Raises
        ------
        ValueError
            It is damaged.
        """
        try:
            text = zlib.decompressobj().decompress(data, MAX_NAMED_BYTES)
            found = json.loads(text)
            return cls(
                links=tuple(map(str, found["links"])),
                following=found["following"],
                feeds=tuple(map(str, found["feeds"])),
                children=tuple((str(url), date) for url, date in found["children"]),
                n_articles=int(found["n_articles"]),
                hashes=tuple(map(int, found["hashes"])),
            )
        except (zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"no names: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a run's filters let through: an answer that was read with narrower ones may have named more.

    Attributes
    ----------
    since : float or None
        Seconds since 1970.
    others : str
        All others: one that differs in any of them is no use.
    """

    since: float | None = None
    others: str = ""

    def covers(self, other: Filters) -> bool:
        """Return True if all that the other lets through was let through by this."""
        is_wider = self.since is None or (other.since is not None and other.since >= self.since)
        return is_wider and self.others == other.others


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The last whole answer of an address, and when it was asked; times in seconds since 1970.

    Attributes
    ----------
    kind : str
        "front", "hub", "feed", "sitemap", "article".
    etag, last_modified : str or None
        Its validators, as they came.
    content_hash : str
        Of its body.
    mark : str
        Of what counts as its content; another one is a change.
    first_at, asked_at, read_at, changed_at : float
        When it was asked first and last, when its body was last read, and when that was last another.
    next_at : float or None
        When it is worth asking again.
    n_told, n_silent : int
        Changes of an article's text with which its validators have changed, and those with which they have not.
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
    named: Named = field(default_factory=Named)

    def is_due(self, now: float) -> bool:
        """Return True if it is worth asking now; also where the clock has jumped back behind the last time."""
        return self.next_at is None or not self.asked_at <= now < self.next_at

    def is_newer(self, changed_at: float, now: float) -> bool:
        """Return True if it was read well after its source changed last, by what an index says, and not long ago.

        Some indexes name one date for ever.
        """
        return changed_at + DATE_GRACE_S < self.asked_at <= now < self.asked_at + WHOLE_AFTER_S

    @property
    def validator(self) -> str | None:
        """By what a server tells first whether it has changed."""
        return self.etag or self.last_modified

    def has_validators(self, now: float, *, are_told: bool = False) -> bool:
        """Return True if it may be asked whether it has changed: not where its body was read too long ago.

        Parameters
        ----------
        are_told : bool
            Its site's validators have moved when texts did.
        """
        whole_after_s = WHOLE_AFTER_S
        if are_told:
            is_tested = zlib.crc32(self.url.encode("utf-8", "surrogatepass")) % ONE_TESTED_OF == 0
            whole_after_s = TESTED_AFTER_S if is_tested else math.inf
        return bool(self.validator) and self.read_at <= now < self.read_at + whole_after_s


_PLAIN: Final = tuple(each.name for each in fields(Answer) if each.name not in ("filters", "named"))
_COLUMNS: Final = (*_PLAIN, "since", "others", "named")
_TIMES: Final = frozenset({"first_at", "asked_at", "read_at", "changed_at"})
_COUNTS: Final = frozenset({"n_asked", "n_changed", "n_told", "n_silent"})
_SELECT: Final = f"SELECT {', '.join(_COLUMNS)} FROM answers"  # noqa: S608 - constants
_INSERT: Final = f"INSERT OR REPLACE INTO answers ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608


class Answers:
    """What was said to requests for addresses that are asked again: their validators, and how often they changed.

    An answer is saved only after what it said is durable: the addresses that a source named are pending, an article is in
    the store. One that was not saved is read again.
    """

    def __init__(self, file: LedgerFile) -> None:
        self._file = file

    def get(self, url: str) -> Answer | None:
        """Return the last whole answer of an address; None where there was none, or its row is damaged."""
        rows = self._file.read(f"{_SELECT} WHERE url = ?", (url,))
        return _answer(rows[0]) if rows else None

    def save(self, answers: Iterable[Answer]) -> None:
        """Keep whole answers; what was known of their addresses before is counted on."""
        with self._file.transaction() as db:
            for answer in answers:
                row = db.execute(f"{_SELECT} WHERE url = ?", (answer.url,)).fetchone()
                db.execute(_INSERT, _row(self._scheduled(_joined(_answer(row) if row else None, answer))))

    def unchanged(self, url: str) -> None:
        """Note that an address was asked again and has not changed."""
        now = self._file.clock()
        with self._file.transaction() as db:
            row = db.execute(f"{_SELECT} WHERE url = ?", (url,)).fetchone()
            if row and (known := _answer(row)) is not None:
                again = replace(known, asked_at=now, n_asked=known.n_asked + 1)
                db.execute(_INSERT, _row(self._scheduled(again)))

    def validators_tell(self, site: str) -> bool:
        """Return whether the validators of a site's articles have moved when their texts did."""
        ((n_told, n_silent),) = self._file.read(
            "SELECT coalesce(sum(n_told), 0), coalesce(sum(n_silent), 0) FROM answers WHERE site = ? AND kind = ?",
            (site, ARTICLE),
        )
        return tells_changes(n_told, n_silent)

    def drop(self, url: str) -> None:
        """Forget an address."""
        with self._file.transaction() as db:
            db.execute("DELETE FROM answers WHERE url = ?", (url,))

    def _scheduled(self, answer: Answer) -> Answer:
        if answer.kind == ARTICLE:
            return answer  # `Visits` says when
        asked = Asked(
            first_at=answer.first_at, asked_at=answer.asked_at, n_asked=answer.n_asked, n_changed=answer.n_changed
        )
        return replace(answer, next_at=next_ask(asked, answer.kind, self._file.clock()))


def _joined(before: Answer | None, answer: Answer) -> Answer:
    """Return an answer with what earlier ones of its address counted; times behind a clock that jumped are not kept."""
    if before is None:
        return answer
    has_changed = before.mark != answer.mark
    is_silent = before.validator == answer.validator
    n_texts = answer.n_told if before.validator else 0  # of a change nothing can be told without
    return replace(
        answer,
        first_at=min(before.first_at, answer.first_at),
        changed_at=answer.asked_at if has_changed else min(before.changed_at, answer.asked_at),
        n_asked=before.n_asked + 1,
        n_changed=before.n_changed + has_changed,
        n_told=before.n_told + (0 if is_silent else n_texts),
        n_silent=before.n_silent + (n_texts if is_silent else 0),
    )


def _row(answer: Answer) -> tuple[Any, ...]:
    plain = (getattr(answer, name) for name in _PLAIN)
    return (*plain, answer.filters.since, answer.filters.others, answer.named.packed())


def _answer(row: tuple[Any, ...]) -> Answer | None:
    """Read a row; None where it is damaged, so that its address is asked in full."""
    values = dict(zip(_COLUMNS, row, strict=True))
    texts_fit = all(isinstance(values[name], str) for name in ("url", "site", "kind", "content_hash", "mark", "others"))
    validators_fit = all(values[name] is None or isinstance(values[name], str) for name in ("etag", "last_modified"))
    times_fit = all(_is_time(values[name]) for name in _TIMES)
    later_fit = all(values[name] is None or _is_time(values[name]) for name in ("next_at", "since"))
    counts_fit = all(isinstance(values[name], int) and values[name] >= 0 for name in _COUNTS)
    if not (texts_fit and validators_fit and times_fit and later_fit and counts_fit):
        return None
    try:
        named = Named.unpacked(values.pop("named"))
    except ValueError:
        return None
    filters = Filters(since=values.pop("since"), others=values.pop("others"))
    return Answer(**values, filters=filters, named=named)


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)
