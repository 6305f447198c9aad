"""How much of one site is fetched and kept, at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of the work on one site; each is a setting (see `webmain.spiders.news`).

    Attributes
    ----------
    hubs : int
        Hub pages fetched.
    hub_depth : int
        Steps from the front page to a hub.
    link_depth : int
        Steps from the front page, or from what a source names, to an article whose links are followed.
    alike : int
        Hubs that led to nothing new and whose addresses differ in numbers alone: a list's pages, a calendar's months.
    siblings : int
        Such hubs in one folder, as tags and authors are.
    misses : int
        Pages in one folder that turned out to be no articles while none was one; then the folder is left alone.
    parts : int
        Pages of one article.
    sitemaps, feeds : int
        Sitemaps and feeds read.
    frontier : int
        Addresses that wait; beyond these the oldest are dropped.
    """

    hubs: int = 100
    hub_depth: int = 5
    link_depth: int = 50
    alike: int = 5
    siblings: int = 30
    misses: int = 25
    parts: int = 20
    sitemaps: int = 50
    feeds: int = 20
    frontier: int = 50_000
