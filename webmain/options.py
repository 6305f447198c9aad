"""What a crawl was given: by its spider's attributes, by the project's settings, else by the documented defaults.

A project that plugs webmain's parts in has none of `webmain.settings`: whatever reads a WEBMAIN_ setting reads it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from scrapy.settings import BaseSettings

from webmain import settings as defaults
from webmain.discovery.schedule import Refresh
from webmain.extraction import Options
from webmain.extractors.base import Extractor
from webmain.keep import Keep
from webmain.sites.rules import Sites, read_sites
from webmain.text.stopwords import read_stopwords
from webmain.urls import without_credentials

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

MAX_NOTED_SITES: Final = 100
"""Addresses of sites that are written down with a crawl."""

_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "extractor": (str, Extractor),
    "keep": (str, Keep, list, tuple, set, frozenset),
    "language": (str,),
    "learn": (bool,),
    "max_articles": (int,),
    "record": (str,),
    "refresh": (Refresh,),
    "render": (str,),
    "require": (str,),
    "respect": (str,),
    "review_below": (int, float),
    "review_only": (bool,),
    "section": (str,),
    "since": (datetime,),
    "store_spec": (str,),
    "undated": (str,),
    "until": (datetime,),
}
"""The attributes by which a spider may choose, and what they hold."""


def own(settings: BaseSettings) -> BaseSettings:
    """Return webmain's settings: those of a crawl, and the documented default of each that is absent."""
    found = BaseSettings({name: value for name, value in vars(defaults).items() if name.startswith("WEBMAIN_")})
    found.update({name: value for name in found if (value := settings.get(name)) is not None})
    return found


def chosen(crawler: Crawler, attribute: str) -> Any:
    """Return what a spider's attribute says; None where it has none, or one that holds something else.

    A project's spider may have an `extractor` of links, say, that has nothing to do with webmain's.
    """
    value = getattr(crawler.spider, attribute, None)
    return value if isinstance(value, _KINDS[attribute]) else None


def option(crawler: Crawler, attribute: str, setting: str) -> Any:
    """Return what a spider's attribute says, or the setting that replaces it."""
    value = chosen(crawler, attribute)
    return own(crawler.settings).get(setting) if value is None else value


def page_options(crawler: Crawler) -> Options:
    """Return what a crawl wants of each page, and its limits.

    Raises
    ------
    OSError, ValueError
        The file of stop words can not be read.
    """
    settings = own(crawler.settings)
    path = settings.get("WEBMAIN_STOPWORDS")
    return Options(
        keep=Keep.of(option(crawler, "keep", "WEBMAIN_KEEP")),
        max_bytes=settings.getint("WEBMAIN_MAX_BYTES"),
        timeout_s=settings.getfloat("WEBMAIN_PAGE_TIMEOUT_S") or None,
        top_words=settings.getint("WEBMAIN_TOP_WORDS"),
        stopwords=read_stopwords(path) if path else None,
        sites=site_rules(crawler),
        require=option(crawler, "require", "WEBMAIN_REQUIRE") or None,
    )


def site_rules(crawler: Crawler) -> Sites | None:
    """Return a user's rules for single sites (WEBMAIN_SITES); None without any.

    Raises
    ------
    SitesError
        The file cannot be used. A ValueError.
    """
    path = own(crawler.settings).get("WEBMAIN_SITES")
    return read_sites(path) if path else None


def refresh_of(crawler: Crawler) -> Callable[[str], Refresh]:
    """Return what tells by which schedule the articles of an address's site are looked at again.

    What the spider says counts before the site's rules. Nothing is looked at again where a recording answers, which may be
    older than what is stored.
    """
    given, rules = chosen(crawler, "refresh"), site_rules(crawler) or Sites()
    if own(crawler.settings).get("WEBMAIN_REPLAY"):
        given = Refresh(ages_s=())

    def schedule(url: str) -> Refresh:
        found = None if given else rules.of(url)
        return given or (found and found.refresh) or Refresh()

    return schedule


def overwritten_feeds(settings: BaseSettings) -> list[str]:
    """Return those of Scrapy's feeds that begin anew with each crawl."""
    feeds = settings.getdict("FEEDS")
    return [str(uri) for uri, options in feeds.items() if isinstance(options, Mapping) and options.get("overwrite")]


def arguments(spider: Spider | None) -> dict[str, Any]:
    """Return what a spider was called with, as far as it can be written down."""
    plain = (str, int, float, bool, datetime)
    given = {k: v for k, v in vars(spider).items() if isinstance(v, plain) and not k.startswith("_")} if spider else {}
    values: dict[str, Any] = {k: without_credentials(v) if isinstance(v, str) else v for k, v in given.items()}
    values.setdefault("name", getattr(spider, "name", ""))
    if named := getattr(spider, "named_urls", ()):
        values["sites"] = [without_credentials(url) for url in named[:MAX_NOTED_SITES]]
    extractor = getattr(spider, "extractor", None)
    if extractor is not None:
        values["extractor"] = str(extractor)
    return values
