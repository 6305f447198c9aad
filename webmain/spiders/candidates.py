"""Pages that may be fetched, and where their addresses were found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Where(IntEnum):
    """Where an address was found."""

    FRONT = 0  # on the front page
    HUB = 1  # on another page of the site
    SITEMAP = 2
    FEED = 3
    BEFORE = 4  # in the ledger, left over from an earlier run
    ARTICLE = 5  # in an article
    NEXT = 6  # on a list, as its next page


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may be fetched: an article as it seems, or a hub.

    Attributes
    ----------
    url : str
        Normalised.
    site : str
        The site's name in this crawl.
    depth : int
        Steps from the front page, for hubs.
    """

    url: str
    site: str
    is_hub: bool
    depth: int
    newest: float
