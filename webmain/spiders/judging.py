"""Judge whether a page is an article, from everything that the crawl knows about the page and its site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webmain.discovery.page_evidence import evidence_of, judge_page

if TYPE_CHECKING:
    from webmain.discovery.page_summary import PageSummary
    from webmain.items import Hints
    from webmain.spiders.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a page is an article, with the evidence.

    Attributes
    ----------
    reason : str
        Names of the evidence.
    is_from_feed : bool
        The page shows hardly any of the text that its feed contains.
    links : frozenset of str
        Addresses of the site that look like articles, or have paragraphs below their links.
    """

    reason: str
    is_article: bool
    is_from_feed: bool
    links: frozenset[str]


def judge_at(site: Site, summary: PageSummary, url: str, hints: Hints | None) -> Verdict:
    """Return whether the page at an address is an article, with the evidence."""
    links = site.article_links(summary.links, url)
    teased = site.teaser_chars(summary.teasers, (url, summary.head.canonical))
    is_front = url == site.front or (urlsplit(url).path in ("", "/") and not urlsplit(url).query)
    evidence = evidence_of(
        summary,
        site.judge(url),
        hints=hints,
        n_article_links=len(links),
        teased=teased,
        is_front_page=is_front,
        repeated=site.repeated,
    )
    judged = judge_page(evidence)
    is_from_feed = bool(summary.with_feeds_text) and not is_front
    reason = f"a feed holds the whole text; {judged.reason}" if is_from_feed else judged.reason
    return Verdict(
        reason=reason,
        is_article=judged.is_article or is_from_feed,
        is_from_feed=is_from_feed,
        links=links.union(teased),
    )
