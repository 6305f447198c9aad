"""Whether a page of a site is an article, by all that the crawl knows of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webmain.discovery.page_evidence import evidence_of, judge_page

if TYPE_CHECKING:
    from webmain.discovery.look import Look
    from webmain.items import Hints
    from webmain.spiders.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a page is taken for.

    Attributes
    ----------
    reason : str
        The evidence.
    is_from_feed : bool
        The page shows hardly anything of the text that its feed holds.
    links : frozenset of str
        The site's addresses that look like articles.
    teased : Mapping[str, int]
        Pages whose links head paragraphs, and the characters of these.
    """

    reason: str
    is_article: bool
    is_from_feed: bool
    links: frozenset[str]
    teased: Mapping[str, int]


def judge_at(site: Site, seen: Look, url: str, hints: Hints | None) -> Verdict:
    """Return what the page at an address is taken for."""
    links = site.article_links(seen.links, url)
    teased = site.teased(seen.teasers, (url, seen.head.canonical))
    is_front = url == site.front or (urlsplit(url).path in ("", "/") and not urlsplit(url).query)
    evidence = evidence_of(
        seen,
        site.judge(url),
        hints=hints,
        n_article_links=len(links),
        teased=teased,
        is_front_page=is_front,
        repeated=site.repeated,
    )
    judged = judge_page(evidence)
    is_from_feed = bool(seen.with_feeds_text) and not is_front
    reason = f"a feed holds the whole text; {judged.reason}" if is_from_feed else judged.reason
    return Verdict(
        reason=reason,
        is_article=judged.is_article or is_from_feed,
        is_from_feed=is_from_feed,
        links=links,
        teased=teased,
    )
