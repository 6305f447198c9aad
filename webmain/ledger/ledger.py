"""The ledger: which addresses are pending, done or given up, kept over runs and crashes in one SQLite file.

Addresses are stored without user names and passwords.

An address is marked done only after the store's commit has returned. A crash between the two causes a second fetch of an
article that is already stored, but never loses an article. Every call is one short transaction (WAL, synchronous NORMAL):
what it wrote survives a kill, and several processes can share the file.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from webmain.discovery.frontier import UNDATED, newest_key
from webmain.ledger.archives import Archives
from webmain.ledger.file import LedgerError, LedgerFile
from webmain.ledger.hosts import Hosts
from webmain.ledger.responses import SavedResponses
from webmain.ledger.rows import (
    Counts,
    DoneUrl,
    FoundUrl,
    State,
    is_root,
    put_alias,
    read_hints,
    written_hints,
)
from webmain.ledger.runs import Runs
from webmain.ledger.visits import Visits
from webmain.urls import site_key, without_credentials

__all__ = ["Counts", "DoneUrl", "FoundUrl", "Ledger", "LedgerError", "State"]

logger = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 4
FIRST_RETRY_S: Final = 15 * 60.0
LONGEST_RETRY_S: Final = 24 * 3600.0
"""No address waits for longer; a later time in the file is damaged, or due to a wrong clock."""
FAULTS: Final = frozenset({"too_slow", "internal_error"})
MAX_FAULTS: Final = 3
"""Failures in processing a page, rather than of its server, after which its address is given up."""
ASK_AGAIN_S: Final = 30 * 24 * 3600.0
"""After this long, an address without an article is tried again if it is found again; so is a guessed source."""

LIST: Final = "list"
"""The reason for addresses that turned out to be lists of articles."""

MAX_LISTS: Final = 5_000


class Ledger(LedgerFile):
    """What is known about the addresses of any number of sites, and the file's other tables."""

    responses = cached_property(SavedResponses)
    visits = cached_property(Visits)
    hosts = cached_property(Hosts)
    runs = cached_property(Runs)
    archives = cached_property(Archives)

    # ---- Reading

    def is_known(self, url: str) -> bool:
        """Return True if an address, or the one that it is an alias of, is done or given up."""
        return not self.unknown([url])

    def unknown(self, urls: Sequence[str]) -> list[str]:
        """Return those of the addresses that are still to be fetched, in their order.

        Addresses that gave no article `ASK_AGAIN_S` ago or earlier are included.
        """
        plain = [without_credentials(url) for url in urls]
        rows = self.column(
            "SELECT url FROM forms WHERE state IN (1, 2) AND settled_at > ?"
            " AND url IN (SELECT value FROM json_each(?))",
            (self.clock() - ASK_AGAIN_S, json.dumps(plain)),
        )
        settled = set(rows)
        return [url for url, bare in zip(urls, plain, strict=True) if bare not in settled]

    def state(self, url: str) -> State | None:
        """Return the state of an address or of its canonical form; None if the ledger does not contain it."""
        return self.states([url]).get(url)

    def states(self, urls: Sequence[str]) -> dict[str, State]:
        """Return the states of those addresses that the ledger contains (see `state`)."""
        plain = {url: without_credentials(url) for url in urls}
        rows = self.rows(
            "SELECT url, state FROM forms WHERE state IN (0, 1, 2) AND url IN (SELECT value FROM json_each(?))"
            " ORDER BY state",
            (json.dumps(list(plain.values())),),
        )
        found = {url: State(state) for url, state in rows}
        return {url: found[bare] for url, bare in plain.items() if bare in found}

    def lists(self, site: str) -> list[str]:
        """Return the addresses of a site that turned out to be lists of articles, the latest first."""
        return self.column(
            "SELECT url FROM urls WHERE site = ? AND state = 1 AND reason = ? ORDER BY changed_at DESC LIMIT ?",
            (site, LIST, MAX_LISTS),
        )

    def stored(self, urls: Sequence[str]) -> set[str]:
        """Return those of the addresses under which an article is stored."""
        query = "SELECT url FROM urls WHERE state = 1 AND article_id IS NOT NULL AND url IN (SELECT value FROM json_each(?))"
        return set(self.column(query, (json.dumps(list(urls)),)))

    def article_id(self, url: str) -> str | None:
        """Return the id of the article from an address, or from the one that it is an alias of."""
        query = (
            "SELECT article_id FROM urls u WHERE u.url = coalesce((SELECT canonical FROM aliases WHERE url = ?1), ?1)"
        )
        found: str | None = self.one(query, (without_credentials(url),))
        return found

    def missing(self, urls: Sequence[str]) -> set[str]:
        """Return those of the addresses that were recorded as missing in the last `ASK_AGAIN_S`."""
        noted = set(self.column("SELECT url FROM missing WHERE noted_at > ?", (self.clock() - ASK_AGAIN_S,)))
        return {url for url in urls if without_credentials(url) in noted}

    def pending(self, site: str, limit: int) -> list[FoundUrl]:
        """Return addresses to fetch now, newest first and undated last, without those that wait for a retry."""
        now = self.clock()
        rows = self.rows(
            "SELECT url, hints FROM urls WHERE site = ?1 AND state = 0 AND typeof(url) = 'text'"
            " AND NOT (typeof(retry_after) = 'real' AND retry_after BETWEEN ?2 AND ?3)"
            " ORDER BY newest DESC, added_at, rowid LIMIT ?4",
            (site, math.nextafter(now, math.inf), now + LONGEST_RETRY_S, limit),
        )
        found, damaged = [], []
        for url, raw in rows:
            try:
                found.append(FoundUrl(url=url, hints=read_hints(raw)))
            except ValueError:
                damaged.append(url)
                found.append(FoundUrl(url=url))
        if damaged:
            named = ", ".join(damaged[:3]) + (" ..." if len(damaged) > 3 else "")
            logger.warning("%s: %d damaged rows count as not known: %s", self.path, len(damaged), named)
        return found

    def articles(self) -> list[tuple[str, str]]:
        """Return the addresses that gave an article, with its id."""
        return self.rows(
            "SELECT url, article_id FROM urls WHERE state = 1 AND article_id IS NOT NULL AND reason IS NULL"
        )

    def article_at(self, urls: Sequence[str]) -> str | None:
        """Return the id of an article from any of the addresses, or from those that they are aliases of."""
        found: str | None = self.one(
            "WITH asked AS (SELECT value FROM json_each(?)) SELECT article_id FROM urls WHERE article_id IS NOT NULL AND"
            " (url IN asked OR url IN (SELECT canonical FROM aliases WHERE url IN asked)) LIMIT 1",
            (json.dumps([without_credentials(url) for url in urls]),),
        )
        return found

    def article_ids(self, urls: Sequence[str]) -> list[str]:
        """Return the ids of the articles from any of the addresses, or from others that lead to them now."""
        return self.column(
            "WITH asked AS (SELECT value FROM json_each(?)) SELECT DISTINCT article_id FROM urls WHERE article_id IS NOT NULL"
            " AND (url IN asked OR url IN (SELECT url FROM aliases WHERE canonical IN asked))",
            (json.dumps([without_credentials(url) for url in urls]),),
        )

    def counts(self, site: str | None = None) -> Counts:
        """Return the number of addresses in each state, for a site or for all."""
        ((pending, articles, rejected, gave_up),) = self.rows(
            "SELECT coalesce(sum(state = 0), 0), coalesce(sum(state = 1 AND article_id IS NOT NULL), 0),"
            " coalesce(sum(state = 1 AND article_id IS NULL), 0), coalesce(sum(state = 2), 0)"
            " FROM urls WHERE ?1 IS NULL OR site = ?1",
            (site,),
        )
        return Counts(pending=pending, articles=articles, rejected=rejected, gave_up=gave_up)

    # ---- Writing

    def add_pending(self, found: Iterable[FoundUrl], *, site: str) -> None:
        """Add addresses to fetch; known ones keep their state, but get richer hints.

        Parameters
        ----------
        found : iterable of FoundUrl
            In any order; fetched newest first.
        site : str
            The site's key.
        """
        now = self.clock()
        with self.transaction() as db:
            db.executemany(
                "INSERT INTO urls (url, site, newest, added_at, changed_at, hints)"
                " SELECT ?1, ?2, ?3, ?4, ?4, ?5 WHERE NOT EXISTS"
                " (SELECT 1 FROM aliases a JOIN urls u ON u.url = a.canonical WHERE a.url = ?1)"
                " ON CONFLICT (url) DO UPDATE SET hints = ?5, newest = max(newest, ?3)"
                " WHERE state = 0 AND length(coalesce(hints, '')) < length(?5)",
                (
                    (each.url, site, newest_key(each.url, each.hints), now, each.hints and written_hints(each.hints))
                    for each in found
                ),
            )

    def mark_done(self, done: Iterable[DoneUrl], *, site: str = "") -> None:
        """Settle addresses after the store's commit has returned; all of them, or none if the process dies.

        Parameters
        ----------
        done : iterable of DoneUrl
            If `canonical` is set, the address becomes its alias and the canonical one is settled; a front page is
            ignored as canonical, since some sites set it for every page. A duplicate of the article at its own address
            leaves that as it is.
        site : str
            For addresses that were never pending; by default each one's own site key.
        """
        now = self.clock()
        with self.transaction() as db:
            for each in done:
                row = db.execute("SELECT site FROM urls WHERE url = ?", (each.url,)).fetchone()
                url = each.url
                if each.canonical and each.canonical != each.url and not is_root(each.canonical):
                    url = each.canonical
                    put_alias(db, each.url, url)
                    db.execute("DELETE FROM urls WHERE url = ?", (each.url,))
                values = (url, row[0] if row else site or site_key(each.url), UNDATED, now)
                limits = (None, each.limit) if isinstance(each.limit, str) else (each.limit, None)
                db.execute(
                    "INSERT INTO urls (url, site, state, newest, added_at, changed_at, article_id, reason, since, language)"
                    " VALUES (?1, ?2, 1, ?3, ?4, ?4, ?5, ?6, ?7, ?8)"
                    " ON CONFLICT (url) DO UPDATE SET state = 1, changed_at = ?4, hints = NULL,"
                    " article_id = coalesce(?5, article_id), since = ?7, language = ?8, reason ="
                    " CASE WHEN ?6 = 'duplicate' AND article_id IS NOT NULL THEN reason ELSE ?6 END",
                    (*values, each.article_id, each.reason, *limits),
                )

    def mark_failed(self, url: str, reason: str, *, retry_after_s: float | None = None, site: str = "") -> State:
        """Record a failed attempt; the address is tried again later, or given up after too many attempts.

        Parameters
        ----------
        url : str
            The address.
        reason : str
            The reason, for statistics.
        retry_after_s : float or None
            Wait requested by the server; by default 15 minutes, doubled with each attempt, at most a day.
        site : str
            For an address that was never pending; by default its own site key.

        Returns
        -------
        State
            PENDING or GAVE_UP; DONE if another process has settled it meanwhile, which is kept.
        """
        url, now = without_credentials(url), self.clock()
        with self.transaction() as db:
            row = db.execute(
                "SELECT attempts, state = 1 AND settled_at > ? FROM forms WHERE url = ? AND canonical = url",
                (now - ASK_AGAIN_S, url),
            ).fetchone()
            if row and row[1]:
                return State.DONE
            attempts = (row[0] if row and isinstance(row[0], int) else 0) + 1
            most = MAX_FAULTS if reason in FAULTS else MAX_ATTEMPTS
            state = State.GAVE_UP if attempts >= most else State.PENDING
            wait = FIRST_RETRY_S * 2 ** min(20, attempts - 1) if retry_after_s is None else max(0.0, retry_after_s)
            db.execute(
                "INSERT INTO urls (url, site, state, newest, added_at, changed_at, attempts, retry_after, reason)"
                " VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8) ON CONFLICT (url) DO UPDATE SET"
                " state = ?3, changed_at = ?5, attempts = ?6, retry_after = ?7, reason = ?8",
                (
                    url,
                    site or site_key(url),
                    int(state),
                    newest_key(url),
                    now,
                    attempts,
                    now + min(LONGEST_RETRY_S, wait),
                    reason,
                ),
            )
        return state

    def postpone(self, urls: Sequence[str], until: float) -> None:
        """Undo a failed attempt of addresses whose whole host refuses; they wait until that time."""
        plain = json.dumps([without_credentials(url) for url in urls])
        with self.transaction() as db:
            db.execute(
                "UPDATE urls SET state = 0, attempts = max(0, attempts - 1), retry_after = ?2"
                " WHERE state <> 1 AND reason = 'blocked' AND url IN (SELECT value FROM json_each(?1))",
                (plain, until),
            )

    def add_alias(self, url: str, canonical: str) -> None:
        """Record that an address is another form of a canonical one (a redirect, AMP, tracking parameters)."""
        url, canonical = without_credentials(url), without_credentials(canonical)
        if url != canonical:
            with self.transaction() as db:
                put_alias(db, url, canonical)

    def record_missing(self, url: str) -> None:
        """Record that a guessed address does not exist."""
        row = (without_credentials(url), self.clock())
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO missing (url, noted_at) VALUES (?, ?)", row)

    def reopen(self, url: str) -> bool:
        """Make a settled address pending again because its article was lost; return False if it is not settled."""
        with self.transaction() as db:
            changed = db.execute(
                "UPDATE urls SET state = 0, attempts = 0, retry_after = 0, changed_at = ? WHERE url = ? AND state > 0",
                (self.clock(), url),
            ).rowcount
        return changed > 0

    def reopen_filtered(
        self,
        site: str,
        *,
        since: float | None = None,
        until: float | None = None,
        undated: str | None = None,
        language: str | None = None,
        section: str | None = None,
    ) -> int:
        """Make pages pending again that an earlier run's filter refused and this run's may accept; return how many.

        A page too old for one date is too old for any later date, and one too new for a date is too new for any earlier one.
        A page in another language or section is still refused only if this run asks for the same one. Other sites are not
        affected, since they have runs with filters of their own.
        """
        with self.transaction() as db:
            return db.execute(
                "UPDATE urls SET state = 0, attempts = 0, retry_after = 0, changed_at = ?1"
                " WHERE site = ?2 AND state = 1 AND article_id IS NULL AND ("
                "(reason = 'too_old' AND (since IS NULL OR ?3 IS NULL OR since > ?3))"
                " OR (reason = 'too_new' AND (since IS NULL OR ?5 IS NULL OR since < ?5))"
                " OR (reason = 'undated' AND ?6 IS NOT 'reject')"
                " OR (reason = 'other_section' AND (language IS NULL OR language IS NOT ?7))"
                " OR (reason = 'other_language' AND (language IS NULL OR language IS NOT ?4)))",
                (self.clock(), site, since, language, until, undated, section),
            ).rowcount
