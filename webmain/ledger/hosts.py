"""Hosts: their robots.txt, and until when they are left alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from webmain.ledger.table import Table

FORGIVEN_AFTER_S: Final = 30 * 60.0
"""A good response this long after the last refusal resets the count of refusals."""

LONGEST_WAIT_S: Final = 24 * 3600.0
"""No host is left alone for longer at once; a later time is damaged, or due to a wrong clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What is known of one host; times are in seconds since 1970, None if there was no such event.

    Attributes
    ----------
    host, site : str
        Its name, with any non-standard port, and its site key.
    robots, robots_status : bytes or None, int or None
        Its robots.txt, empty if it has none, and the status of the last response (304 counts as 200).
    robots_at, robots_until : float or None
        When it was read or confirmed, and until when it is valid.
    robots_etag, robots_last_modified : str or None
        Its validators.
    robots_changed_at : float or None
        When it was last found changed.
    robots_failing_since : float or None
        Since when it cannot be read.
    reserved, reserved_at : bytes or None, float or None
        Its opt-out files (`webmain.crawl.opt_outs`), as JSON, and when they were read.
    n_refusals : int
        Refusals in a row, over all runs.
    refused_at, wait_until : float or None
        When it last refused, and until when it is left alone.
    refusal : str or None
        The last refusal: a status, or the kind of its page ("429", "cloudflare", "consent").
    blocked_at : float or None
        Since when it has refused nearly everything.
    """

    host: str
    site: str
    robots: bytes | None = None
    robots_status: int | None = None
    robots_at: float | None = None
    robots_until: float | None = None
    robots_etag: str | None = None
    robots_last_modified: str | None = None
    robots_changed_at: float | None = None
    robots_failing_since: float | None = None
    reserved: bytes | None = None
    reserved_at: float | None = None
    n_refusals: int = 0
    refused_at: float | None = None
    wait_until: float | None = None
    refusal: str | None = None
    blocked_at: float | None = None

    def has_robots(self, now: float) -> bool:
        """Return True if its robots.txt is still valid; False if the clock went back to before it was read."""
        at, until = self.robots_at, self.robots_until
        return self.robots is not None and at is not None and until is not None and at <= now < until

    def left_alone_until(self, now: float) -> float | None:
        """Return until when it is left alone; None if requests are allowed."""
        at, until = self.refused_at, self.wait_until
        if at is None or until is None or not at <= now < min(until, at + LONGEST_WAIT_S):
            return None
        return min(until, at + LONGEST_WAIT_S)


class Hosts(Table[Host]):
    """Hosts: their robots.txt, and until when they are left alone."""

    name = "hosts"
    record_type = Host

    def all(self, site: str | None = None) -> list[Host]:
        """Return the hosts of a site, or of all sites, ordered by name."""
        return self._records("?1 IS NULL OR site = ?1 ORDER BY host", (site,))

    def _change(self, host: str, site: str, **values: object) -> Host:
        """Change values of a host's row, creating it if needed."""
        with self._file.transaction():
            changed = replace(self.get(host) or Host(host=host, site=site), **values)  # type: ignore[arg-type]
            self._put([changed])
        return changed

    # ---- robots.txt

    def record_robots(
        self,
        host: str,
        *,
        site: str,
        robots: bytes,
        status: int,
        fresh_s: float,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> bool:
        """Record a robots.txt that was read or confirmed; return True if it differs from the earlier one."""
        now = self._file.clock()
        known = self.get(host)
        is_changed = known is not None and known.robots is not None and known.robots != robots
        self._change(
            host,
            site,
            robots=robots,
            robots_status=status,
            robots_at=now,
            robots_until=now + fresh_s,
            robots_etag=etag,
            robots_last_modified=last_modified,
            robots_failing_since=None,
            **({"robots_changed_at": now} if is_changed else {}),
        )
        return is_changed

    def record_no_robots(self, host: str, *, site: str) -> Host:
        """Record that a robots.txt cannot be read; the earlier one is kept."""
        known, now = self.get(host), self._file.clock()
        since = known.robots_failing_since if known else None
        return self._change(host, site, robots_failing_since=now if since is None else min(since, now))

    def record_reserved(self, host: str, *, site: str, reserved: bytes) -> None:
        """Record a host's opt-out files."""
        self._change(host, site, reserved=reserved, reserved_at=self._file.clock())

    # ---- Refusals

    def record_refusal(
        self, host: str, *, site: str, refusal: str, n: int, wait_s: float, is_block: bool = False
    ) -> Host:
        """Record a refusal, and for how long the host is left alone.

        Parameters
        ----------
        refusal : str
            A status, or the kind of its page.
        n : int
            Refusals in a row, including this one.
        wait_s : float
            Seconds to leave it alone; an earlier, longer wait is kept.
        is_block : bool
            It refuses nearly everything.
        """
        known, now = self.get(host), self._file.clock()
        earlier = (known.left_alone_until(now) if known else None) or 0.0
        return self._change(
            host,
            site,
            n_refusals=n,
            refused_at=now,
            wait_until=max(earlier, now + min(wait_s, LONGEST_WAIT_S)),
            refusal=refusal,
            blocked_at=min((known and known.blocked_at) or now, now) if is_block else None,
        )

    def reset_refusals(self, host: str, *, site: str) -> None:
        """Reset a host's refusals."""
        self._change(host, site, n_refusals=0, refused_at=None, wait_until=None, refusal=None, blocked_at=None)
