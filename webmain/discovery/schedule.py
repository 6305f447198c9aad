"""When to ask again: for articles by their age, for sources by how often they change, of hosts that refuse later and later.

Plain functions of times in seconds since 1970. Edits of news come early: of 88 million articles the body of 15 % had changed
after a day and of 18 % after a week (GDELT, 2019). So the rate of edits is taken to fall as one over the article's age. It is
learned for each article from the changes that were seen (a gamma prior on the rate, as in Cho & Garcia-Molina, "Estimating
frequency of change", 2003, section 5), and for each site from those of its articles. Sources and validators that have told a
site's changes take the place of looks (`tells_changes`). Among those that are due, the ones most worth a request go first:
value is importance times the chance of a change (Azar et al., "Tractable near-optimal policies for crawling", 2018).
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
_UNITS: Final = {"m": 60.0, "h": HOUR_S, "d": DAY_S, "w": 7 * DAY_S}
_AGE: Final = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)([mhdw])")


@dataclass(frozen=True, slots=True)
class Refresh:
    """When recent articles are looked at again.

    Attributes
    ----------
    ages_s : tuple of float
        Ages after publication, in seconds, rising; none where nothing is looked at again.
    share : float
        Of a run's requests, those that may be for known articles, from 0 to 1. Each article has five looks after its first
        fetch by default, so that less than three quarters would put some of them off.
    """

    ages_s: tuple[float, ...] = (HOUR_S, 6 * HOUR_S, DAY_S, 3 * DAY_S, 10 * DAY_S)
    share: float = 0.75

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a schedule: "1h,6h,1d", "1h,6h;share=0.5", "no".

        Raises
        ------
        ValueError
            It is none; the message says what is allowed.
        """
        ages, _, rest = (part.strip() for part in text.lower().partition(";"))
        if ages in ("no", "none", "never", "false", "0"):
            ages = ""
        elif not ages:
            raise ValueError(f"no age is given; {_ALLOWED}")
        found = tuple(_age_s(part.strip()) for part in ages.split(",")) if ages else ()
        if len(found) > MAX_STEPS:
            raise ValueError(f"{len(found)} ages, at most {MAX_STEPS}; {_ALLOWED}")
        if any(later <= earlier for earlier, later in pairwise(found)):
            raise ValueError(f"the ages do not rise; {_ALLOWED}")
        return cls(found, _share(rest)) if rest else cls(found)


def _age_s(text: str) -> float:
    match = _AGE.fullmatch(text)
    age_s = float(match[1]) * _UNITS[match[2]] if match else 0.0
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
    """What is known of a stored article when the next look at it is planned; times in seconds since 1970.

    Attributes
    ----------
    published_at : float or None
    first_seen_at, visited_at : float
        When it was fetched first and last.
    claimed_at : float or None
        The latest time of a change that a feed or sitemap has named.
    told_until : float or None
        Until when a source would have told of a change, where the site's do (`tells_changes`).
    site_rate : float
        How often the site's articles are edited, as a multiple of the usual (`rate_of`).
    n_visits, n_changes : int
        How often it was fetched, and how often it had changed.
    """

    url: str
    published_at: float | None = None
    first_seen_at: float
    visited_at: float
    claimed_at: float | None = None
    told_until: float | None = None
    site_rate: float = 1.0
    n_visits: int = 1
    n_changes: int = 0


SOON_S: Final = 10 * 60.0
"""Two fetches of a page are at least so far apart."""

_SPACING: Final = 0.25
"""A step of the schedule waits until the last fetch is so much of the step's age back."""

_AGAIN: Final = 0.4
_SOONEST_AGAIN_S, _LATEST_AGAIN_S = HOUR_S, 3 * DAY_S
"""What has ever changed is the likeliest to change again: it is looked at when its age is so much higher, within these."""


def next_visit(visit: Visit, refresh: Refresh, now: float) -> float | None:
    """Return when an article is due again; None where it is not.

    The steps of the schedule count from publication, or from the first fetch where that is not known or not believable. Of
    several steps that were missed one is made up for. An article that has ever changed is looked at more often, and one of
    which a source says that it has changed since the last fetch at once, also after the last step.

    Fewer steps are made where less is to be seen: none while a source would have told of a change, and one is passed over for
    each halving of the rate of edits. The last one is always made: it finds what nothing told, and ends a wrong belief.
    """
    if not refresh.ages_s:
        return None
    visited_at = min(visit.visited_at, now)  # a clock that was wrong
    start = _start(visit, now)
    earliest = visited_at + SOON_S
    if visit.claimed_at is not None and visited_at < visit.claimed_at <= now + DAY_S:
        return earliest
    steps = [start + age_s for age_s in refresh.ages_s if start + age_s > visited_at]
    if not steps:
        return None
    seen_at = max(visited_at, min(visit.told_until or 0.0, now + DAY_S))
    due = [step for step in steps[:-1] if step > seen_at] + steps[-1:]
    step = due[min(_n_passed_over(visit, now), len(due) - 1)]
    at = max(step, visited_at + _SPACING * (step - start), earliest)
    if visit.n_changes:
        again_s = _AGAIN * (seen_at - start)
        at = min(at, seen_at + min(_LATEST_AGAIN_S, max(_SOONEST_AGAIN_S, again_s)))
    return at


def _n_passed_over(visit: Visit, now: float) -> int:
    """Return how many steps of the schedule an article is not worth: one for each halving of its rate of edits."""
    return max(0, math.floor(-math.log2(_rate(visit, now))))


def _start(visit: Visit, now: float) -> float:
    """Return from when an article's age counts."""
    first = min(visit.first_seen_at, now)
    return first if visit.published_at is None else min(visit.published_at, first)


_EDITS_A_STEP: Final = 0.034
"""Edits expected while an article's age grows e-fold: 14 % of articles up to a day, 20 % up to a week."""

_PRIOR: Final = 0.5
"""Weight of that expectation against an article's own changes, in changes."""

_YOUNGEST_S: Final = 15 * 60.0


_SITE_PRIOR: Final = 2.0
"""Weight of the usual rate against that of a site, in changes."""


def _usual_edits(visit: Visit, since: float, until: float, now: float) -> float:
    """Return how many edits are usual between two times."""
    start = _start(visit, now)
    before, after = (max(_YOUNGEST_S, min(at, now) - start) for at in (since, until))
    return _EDITS_A_STEP * math.log(max(1.0, after / before))


def _rate(visit: Visit, now: float) -> float:
    """Return how often an article is edited, as a multiple of the usual, from what was seen of it and its site."""
    seen = visit.site_rate * _usual_edits(visit, visit.first_seen_at, visit.visited_at, now)
    return visit.site_rate * (_PRIOR + visit.n_changes) / (_PRIOR + seen)


def rate_of(visits: Iterable[Visit], now: float) -> float:
    """Return how often the articles of a site are edited, as a multiple of the usual, from the changes seen of them."""
    known = list(visits)
    usual = sum(_usual_edits(visit, visit.first_seen_at, visit.visited_at, now) for visit in known)
    return (_SITE_PRIOR + sum(visit.n_changes for visit in known)) / (_SITE_PRIOR + usual)


def chance_of_change(visit: Visit, now: float) -> float:
    """Return how likely it is that an article has changed since it was fetched last, from what was seen of it."""
    return -math.expm1(-_usual_edits(visit, visit.visited_at, now, now) * _rate(visit, now))


def choose(due: Iterable[Visit], room: int, now: float) -> list[Visit]:
    """Return those of the articles that are due which a run looks at, at most `room`, the first to be fetched first.

    Those first of which a source says that they have changed; then by the chance of a change, younger articles before old
    ones.
    """

    def worth(visit: Visit) -> tuple[bool, float]:
        is_claimed = visit.claimed_at is not None and visit.claimed_at > visit.visited_at
        age_s = max(0.0, now - _start(visit, now))
        return is_claimed, chance_of_change(visit, now) / (1 + age_s / DAY_S)

    return sorted(due, key=worth, reverse=True)[: max(0, room)]


MIN_CLAIMS: Final = 5


def believes_claims(n_claims: int, n_true: int) -> bool:
    """Return whether a site's dates of modification are worth a fetch: some sites name the present for every page."""
    return n_claims < MIN_CLAIMS or (n_true + 1) / (n_claims + 2) >= 0.2


SILENT_AT_MOST: Final = 0.1
"""Of a site's changes, those that a signal may be expected not to tell where it takes the place of looks."""

SOURCES_REST_S: Final = 12 * HOUR_S
"""For so long what a source said of an article holds: no source that is read rests longer."""


def tells_changes(n_told: int, n_silent: int) -> bool:
    """Return whether a site's signal may be relied upon, from the changes found that it had told, and not told.

    A signal is the dates of modification in feeds and sitemaps, or validators (ETag, Last-Modified). It is judged by changes
    alone: that nothing moves while nothing changes says little. With Jeffreys' prior four told changes without another do.
    """
    return (n_silent + 0.5) / (n_told + n_silent + 1) <= SILENT_AT_MOST


# ---- Front pages, sections, feeds, sitemaps


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How often a source was asked for and had changed; times in seconds since 1970."""

    first_at: float
    asked_at: float
    n_asked: int
    n_changed: int


EACH_RUN: Final = frozenset(("front", "feed", "robots"))
"""Kinds of sources that each run asks for, unless they have not changed for long."""

_ALWAYS_ASKED: Final = 4
_LONGEST_S: Final = {"front": HOUR_S, "feed": 6 * HOUR_S, "sitemap": SOURCES_REST_S}
_LONGEST_HUB_S: Final = DAY_S


def next_ask(asked: Asked, kind: str, now: float) -> float:
    """Return when a source is due again: after half of the time in which it changes on average, within bounds.

    Parameters
    ----------
    kind : str
        "front", "hub", "feed", "sitemap".
    """
    if asked.n_asked < _ALWAYS_ASKED or asked.asked_at > now:
        return now
    span_s = max(0.0, asked.asked_at - asked.first_at)
    interval_s = span_s / (asked.n_changed + 0.5) / 2
    if kind in EACH_RUN and interval_s < 2 * HOUR_S:
        return now
    return asked.asked_at + 0.9 * min(interval_s, _LONGEST_S.get(kind, _LONGEST_HUB_S))


# ---- Hosts that refuse

FIRST_BACK_OFF_S: Final = 60.0
LONGEST_BACK_OFF_S: Final = DAY_S
FORGIVEN_AFTER_S: Final = 30 * 60.0
"""After so long without a refusal the next one counts as the first."""

JITTER: Final = 0.1


def back_off_s(n_refusals: int, *, retry_after_s: float | None = None, chance: float = 0.5) -> float:
    """Return for how many seconds a host is left alone after so many refusals in a row (429, 503, 403 for most pages).

    A minute, doubled each time, at most a day, a tenth more or less; what the host itself asks for counts where it is longer,
    up to a day.

    Parameters
    ----------
    n_refusals : int
        From 1.
    retry_after_s : float or None
    chance : float
        A random number from 0 to 1, for the tenth.
    """
    if n_refusals < 1:
        return 0.0
    wait_s = min(LONGEST_BACK_OFF_S, FIRST_BACK_OFF_S * 2.0 ** min(n_refusals - 1, 30))
    wait_s *= 1 + JITTER * (2 * chance - 1)
    return max(wait_s, min(retry_after_s or 0.0, LONGEST_BACK_OFF_S))
