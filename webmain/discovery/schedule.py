"""When to fetch again: articles by their age, sources by how often they change, refusing hosts with increasing delays.

Plain functions of times in seconds since 1970. Most edits of news come early: of 88 million articles, 15 % had a changed body
after a day and 18 % after a week (GDELT, 2019). The rate of edits is therefore modelled as inverse to the article's age. It
is estimated for each article from its observed changes (a gamma prior on the rate, as in Cho & Garcia-Molina, "Estimating
frequency of change", 2003, section 5), and for each site from its articles. Sources and validators that have reliably shown a
site's changes replace revisits (`is_reliable`). Due articles are ordered by the value of a request: importance times the
chance of a change (Azar et al., "Tractable near-optimal policies for crawling", 2018).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

HOUR_S: Final = 3600.0
DAY_S: Final = 24 * HOUR_S

MAX_STEPS: Final = 50
MAX_AGE_S: Final = 400 * DAY_S
_ALLOWED: Final = (
    "allowed are ages after publication at which an article is looked at again, rising, such as 1h,6h,1d,3d,10d (m, h, d, w);"
    " with them the share of a run's pages that this may take: 1h,1d;share=0.2; or no"
)
_UNITS: Final = {"s": 1.0, "m": 60.0, "h": HOUR_S, "d": DAY_S, "w": 7 * DAY_S}
_SPAN: Final = re.compile(r"(\d{1,7}(?:\.\d{1,3})?)\s*([smhdw])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refresh:
    """When recent articles are revisited.

    Attributes
    ----------
    ages_s : tuple of float
        Ages after publication, in seconds, rising; empty for no revisits.
    share : float
        The share of a run's requests that may be for known articles while new ones are pending, above 0 and up to 1. By
        default an article has seven revisits: a small share puts some of them off.
    """

    ages_s: tuple[float, ...] = (1 * HOUR_S, 3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S, 1 * DAY_S, 3 * DAY_S, 10 * DAY_S)
    share: float = 0.75

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse a schedule: "1h,6h,1d", "1h,6h;share=0.5", "no".

        Raises
        ------
        ValueError
            The text is not a schedule; the message says what is allowed.
        """
        ages, _, rest = (part.strip() for part in text.lower().partition(";"))
        if ages in ("no", "none", "never", "false", "0"):
            ages = ""
        elif not ages:
            raise ValueError(f"no age is given; {_ALLOWED}")
        found = tuple(map(_age_s, ages.split(","))) if ages else ()
        if len(found) > MAX_STEPS:
            raise ValueError(f"{len(found)} ages, at most {MAX_STEPS}; {_ALLOWED}")
        if any(later <= earlier for earlier, later in pairwise(found)):
            raise ValueError(f"the ages do not rise; {_ALLOWED}")
        return cls(found, _share(rest)) if rest else cls(found)


def span_s(text: str) -> float:
    """Return the seconds of a span of time ("90s", "30m", "2h", "1d", "1w"); 0 if it is none."""
    match = _SPAN.fullmatch(text.strip())
    return float(match[1]) * _UNITS[match[2].lower()] if match else 0.0


def _age_s(text: str) -> float:
    age_s = span_s(text)
    if not 60 <= age_s <= MAX_AGE_S:
        raise ValueError(f"{text!r} is no age from 1m to 400d; {_ALLOWED}")
    return age_s


def _share(text: str) -> float:
    name, _, value = text.partition("=")
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if name.strip() != "share" or not 0 < share <= 1:
        raise ValueError(f"{text!r} is no share above 0 and up to 1; {_ALLOWED}")
    return share


# ---- Articles


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What is known of a stored article when its next visit is planned; times in seconds since 1970.

    Attributes
    ----------
    published_at : float or None
    first_seen_at, visited_at : float
        When it was first and last fetched.
    claimed_at : float or None
        The latest change time that a feed or sitemap has given.
    unchanged_until : float or None
        Until when a source would have shown a change, if the site's sources are reliable.
    site_rate : float
        How often the site's articles are edited, as a multiple of the usual rate (`rate_of`).
    n_changes : int
        How often it had changed.
    """

    url: str
    published_at: float | None = None
    first_seen_at: float
    visited_at: float
    claimed_at: float | None = None
    unchanged_until: float | None = None
    site_rate: float = 1.0
    n_changes: int = 0


SOON_S: Final = 10 * 60.0
"""Minimum time between two fetches of a page."""

_SPACING: Final = 0.25
"""Minimum time between a fetch and the next step, as a share of the step's age."""

_AGAIN: Final = 0.4
_AGAIN_UNTIL_S: Final = 40 * HOUR_S
"""An article that has changed before is likely to change again: up to this age it is also revisited after its age has grown
by this share, at least by an hour."""


def next_visit(visit: Visit, refresh: Refresh, now: float) -> float | None:
    """Return when an article is due again; None if it is not to be revisited.

    The steps of the schedule count from publication, or from the first fetch if that date is unknown or implausible. After
    several missed steps only one visit is made. An article that has changed before is visited more often. One that a
    source reports as changed since the last fetch is due at once, even after the last step.

    Steps are skipped where a change is less likely: all of them while a source would have shown a change, and one for each
    halving of the rate of edits. The last step is always kept: it finds unreported changes and corrects wrong estimates.
    """
    if not refresh.ages_s:
        return None
    visited_at = min(visit.visited_at, now)  # the clock may have been wrong
    start = _start(visit, now)
    earliest = visited_at + SOON_S
    if visit.claimed_at is not None and visited_at < visit.claimed_at <= now + DAY_S:
        return earliest
    steps = [start + age_s for age_s in refresh.ages_s if start + age_s > visited_at]
    if not steps:
        return None
    seen_at = max(visited_at, min(visit.unchanged_until or 0.0, now + DAY_S))
    due = [step for step in steps[:-1] if step > seen_at] + steps[-1:]
    n_halved = max(0, math.floor(-math.log2(_rate(visit, now))))
    step = due[min(n_halved, len(due) - 1)]
    at = max(step, visited_at + _SPACING * (step - start), earliest)
    if visit.n_changes and seen_at - start <= _AGAIN_UNTIL_S:
        at = min(at, seen_at + max(HOUR_S, _AGAIN * (seen_at - start)))
    return at


def _start(visit: Visit, now: float) -> float:
    """Return the time from which an article's age counts."""
    first = min(visit.first_seen_at, now)
    return first if visit.published_at is None else min(visit.published_at, first)


_EDITS_A_STEP: Final = 0.034
"""Expected edits while an article's age grows e-fold: 14 % of articles up to a day, 20 % up to a week."""

_PRIOR: Final = 0.5
"""Prior weight of that expectation against an article's own changes, in changes."""

_YOUNGEST_S: Final = 15 * 60.0


_SITE_PRIOR: Final = 2.0
"""Prior weight of the usual rate against a site's own rate, in changes."""


def _usual_edits(visit: Visit, since: float, until: float, now: float) -> float:
    """Return the usual number of edits between two times."""
    start = _start(visit, now)
    before, after = (max(_YOUNGEST_S, min(at, now) - start) for at in (since, until))
    return _EDITS_A_STEP * math.log(max(1.0, after / before))


def _rate(visit: Visit, now: float) -> float:
    """Return how often an article is edited, as a multiple of the usual rate, from its own and its site's changes."""
    seen = visit.site_rate * _usual_edits(visit, visit.first_seen_at, visit.visited_at, now)
    return visit.site_rate * (_PRIOR + visit.n_changes) / (_PRIOR + seen)


def rate_of(visits: Iterable[Visit], now: float) -> float:
    """Return how often a site's articles are edited, as a multiple of the usual rate, from their observed changes."""
    known = list(visits)
    usual = sum(_usual_edits(visit, visit.first_seen_at, visit.visited_at, now) for visit in known)
    return (_SITE_PRIOR + sum(visit.n_changes for visit in known)) / (_SITE_PRIOR + usual)


def chance_of_change(visit: Visit, now: float) -> float:
    """Return the probability that an article has changed since its last fetch, from its own and its site's changes."""
    return -math.expm1(-_usual_edits(visit, visit.visited_at, now, now) * _rate(visit, now))


def choose(due: Iterable[Visit], now: float) -> list[Visit]:
    """Return the due articles in the order in which they are to be fetched.

    Articles that a source reports as changed come first; then by the chance of a change, with young articles before old ones.
    """

    def worth(visit: Visit) -> tuple[bool, float]:
        is_claimed = visit.claimed_at is not None and visit.claimed_at > visit.visited_at
        age_s = max(0.0, now - _start(visit, now))
        return is_claimed, chance_of_change(visit, now) / (1 + age_s / DAY_S)

    return sorted(due, key=worth, reverse=True)


MIN_CLAIMS: Final = 5


def believes_claims(n_claims: int, n_true: int) -> bool:
    """Return True if a site's modification dates are worth a fetch; some sites set the present for every page."""
    return n_claims < MIN_CLAIMS or (n_true + 1) / (n_claims + 2) >= 0.2


SILENT_AT_MOST: Final = 0.1
"""A signal replaces revisits if the expected share of changes that it misses is at most this."""

SOURCES_REST_S: Final = 12 * HOUR_S
"""How long a source's statement about an article holds; no source is left unread for longer."""


def is_reliable(n_told: int, n_silent: int) -> bool:
    """Return True if a site's signal is reliable, from the numbers of changes that it showed and missed.

    A signal is the modification dates in feeds and sitemaps, or validators (ETag, Last-Modified). It is judged by changes
    only: being constant while nothing changes proves little. With Jeffreys' prior, four shown and no missed changes suffice.
    """
    return (n_silent + 0.5) / (n_told + n_silent + 1) <= SILENT_AT_MOST


# ---- Front pages, sections, feeds, sitemaps


EACH_RUN: Final = frozenset(("front", "feed", "robots"))
"""Kinds of sources that each run fetches, unless they have not changed for long."""

_ALWAYS_ASKED: Final = 4
_LONGEST_S: Final = {"front": HOUR_S, "feed": 6 * HOUR_S, "sitemap": SOURCES_REST_S}
_LONGEST_HUB_S: Final = DAY_S


def next_fetch(kind: str, now: float, *, first_at: float, asked_at: float, n_asked: int, n_changed: int) -> float:
    """Return when a source is due again: after half of its mean time between changes, within bounds.

    Parameters
    ----------
    kind : str
        "front", "hub", "feed", "sitemap".
    now, first_at, asked_at : float
        The present, and when it was first and last fetched, in seconds since 1970.
    n_asked, n_changed : int
        How often it was fetched, and how often it had changed.
    """
    if n_asked < _ALWAYS_ASKED or asked_at > now:
        return now
    interval_s = max(0.0, asked_at - first_at) / (n_changed + 0.5) / 2
    if kind in EACH_RUN and interval_s < 2 * HOUR_S:
        return now
    return asked_at + 0.9 * min(interval_s, _LONGEST_S.get(kind, _LONGEST_HUB_S))


# ---- Hosts that refuse

FIRST_BACK_OFF_S: Final = 60.0
LONGEST_BACK_OFF_S: Final = DAY_S
FORGIVEN_AFTER_S: Final = 30 * 60.0
"""After this long without a refusal, the next one counts as the first."""

JITTER: Final = 0.1


def back_off_s(n_refusals: int, *, retry_after_s: float | None = None, chance: float = 0.5) -> float:
    """Return the seconds for which a host is left alone after so many refusals in a row (429, 503, 403 for most pages).

    One minute, doubled with each refusal, at most a day, with 10 % jitter; the host's own Retry-After counts if it is
    longer, up to a day.

    Parameters
    ----------
    n_refusals : int
        At least 1; 0 gives no wait.
    retry_after_s : float or None
    chance : float
        A random number from 0 to 1, for the jitter.
    """
    if n_refusals < 1:
        return 0.0
    wait_s = min(LONGEST_BACK_OFF_S, FIRST_BACK_OFF_S * 2.0 ** min(n_refusals - 1, 30))
    wait_s *= 1 + JITTER * (2 * chance - 1)
    return max(wait_s, min(retry_after_s or 0.0, LONGEST_BACK_OFF_S))
