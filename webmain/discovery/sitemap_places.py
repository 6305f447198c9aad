"""Where a site's sitemaps are: as robots.txt names them, and at the usual places."""

from __future__ import annotations

from typing import Final

from webmain.discovery.markup import absolute_url

USUAL_SITEMAP_PATHS: Final = (
    "/sitemap.xml", "/sitemap_index.xml", "/news-sitemap.xml", "/sitemap-news.xml", "/sitemap_news.xml",
    "/sitemap-index.xml", "/wp-sitemap.xml", "/sitemap.xml.gz", "/sitemap/sitemap.xml", "/sitemap/news.xml",
    "/sitemaps/sitemap.xml", "/sitemap.txt",
)  # fmt: skip
"""Where sitemaps lie that robots.txt does not name, the commonest first; relative to the site's root."""


def sitemaps_from_robots(text: str, *, url: str) -> tuple[str, ...]:
    """Return the sitemaps a robots.txt names, absolute, each once, in order; at most 1,000.

    Parameters
    ----------
    text : str
        The file; only its first 500 KiB are read, as search engines do.
    url : str
        Where it came from; relative addresses are joined to it.
    """
    found: dict[str, None] = {}
    for line in text[: 500 * 1024].lstrip("\ufeff").splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip().lower() in ("sitemap", "site-map", "sitemaps"):
            address = absolute_url(value.partition(" #")[0], url)
            if address:
                found[address] = None
    return tuple(found)[:1000]
