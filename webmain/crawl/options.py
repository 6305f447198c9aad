"""Options of a crawl: from its spider's attributes, else the project's settings, else the documented defaults.

A project that uses webmain's components does not have `webmain.settings`, so every WEBMAIN_ setting is read through here.
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
from webmain.items.keep import Keep
from webmain.sites.rules import Sites, read_sites
from webmain.text.stopwords import read_stopwords
from webmain.urls import without_credentials

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

MAX_NOTED_SITES: Final = 100  # start addresses that are recorded with a run

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
"""Spider attributes that are options, and their types."""


def own(settings: BaseSettings) -> BaseSettings:
    """Return webmain's settings of a crawl, with the documented default for each that is missing."""
    found = BaseSettings({name: value for name, value in vars(defaults).items() if name.startswith("WEBMAIN_")})
    found.update({name: value for name in found if (value := settings.get(name)) is not None})
    return found


def chosen(crawler: Crawler, attribute: str) -> Any:
    """Return a spider's attribute; None if it is missing or has another type.

    A project's spider may have an unrelated attribute of the same name, such as an `extractor` of links.
    """
    value = getattr(crawler.spider, attribute, None)
    return value if isinstance(value, _KINDS[attribute]) else None


def option(crawler: Crawler, attribute: str, setting: str) -> Any:
    """Return a spider's attribute, or the corresponding setting if it has none."""
    value = chosen(crawler, attribute)
    return own(crawler.settings).get(setting) if value is None else value


def page_options(crawler: Crawler) -> Options:
    """Return what a crawl wants of each page, and its limits.

    Raises OSError, ValueError if the file of stop words cannot be read.
    """
    settings = own(crawler.settings)
    path = settings.get("WEBMAIN_STOPWORDS")
    return Options(
        keep=Keep.of(option(crawler, "keep", "WEBMAIN_KEEP")),
        max_bytes=settings.getint("WEBMAIN_MAX_BYTES"),
        timeout_s=settings.getfloat("WEBMAIN_PAGE_TIMEOUT_S") or None,
        top_words=settings.getint("WEBMAIN_TOP_WORDS"),
        stopwords=read_stopwords(path) if path else None,
        sites=site_rules(crawler) if settings.get("WEBMAIN_SITES") else None,
        require=option(crawler, "require", "WEBMAIN_REQUIRE") or None,
    )


def site_rules(crawler: Crawler) -> Sites:
    """Return the user's rules for single sites (WEBMAIN_SITES).

    Raises SitesError: the file cannot be used. A ValueError.
    """
    path = own(crawler.settings).get("WEBMAIN_SITES")
    return read_sites(path) if path else Sites()


def refresh_of(crawler: Crawler) -> Callable[[str], Refresh]:
    """Return a function that gives the schedule of revisits for an address, depending on its site.

    The spider's schedule overrides the site's rules. There are no revisits if a recording answers, since it may be older
    than what is stored.
    """
    given, rules = chosen(crawler, "refresh"), site_rules(crawler)
    if own(crawler.settings).get("WEBMAIN_REPLAY"):
        given = Refresh(ages_s=())

    def schedule(url: str) -> Refresh:
        found = None if given else rules.of(url)
        return given or (found and found.refresh) or Refresh()

    return schedule


def overwritten_feeds(settings: BaseSettings) -> list[str]:
    """Return those of Scrapy's feeds that each crawl overwrites."""
    feeds = settings.getdict("FEEDS")
    return [str(uri) for uri, options in feeds.items() if isinstance(options, Mapping) and options.get("overwrite")]


def arguments(spider: Spider | None) -> dict[str, Any]:
    """Return a spider's arguments, as far as they can be recorded."""
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
