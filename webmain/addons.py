"""Add-ons of Scrapy: one for webmain's own crawls, one that plugs webmain's parts into another project."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from scrapy.utils.misc import load_object

import webmain
from webmain.checks import PREFIX, warnings_of, wrong_settings

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

PIPELINES: Final = {
    "webmain.pipelines.InWorkers": -900,
    "webmain.crawl.opt_outs.OptOuts": -800,
    "webmain.pipelines.Cloud": -300,
    "webmain.pipelines.Duplicates": 9_800,
    "webmain.pipelines.Store": 9_900,
}
"""Pages are articles before a project's own pipelines see them, and are stored after these have let them pass."""


class Articles:
    """Scrapy add-on for any project: each `webmain.Page` that a spider yields becomes an article and is stored.

    Added are pipelines, the worker processes that they use, and the spider middleware by which sites are learned. A part that
    the project names itself, with a number of its own or None, stays as the project has it; no other setting is touched:
    how pages are fetched is the project's.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Add what is not there; called once, after the spider's own settings have been applied.

        Raises
        ------
        ValueError
            A setting of webmain's cannot be used; the crawl does not begin.
        """
        for message in warnings_of(settings):
            logger.warning("%s", message)
        if problems := wrong_settings(settings, PREFIX):
            raise ValueError("\n".join(problems))
        for setting, parts in (
            ("ITEM_PIPELINES", PIPELINES),
            ("SPIDER_MIDDLEWARES", {"webmain.crawl.learning.SiteLearning": 950}),
            ("EXTENSIONS", {"webmain.crawl.workers.Workers": 5}),
        ):
            for path, number in parts.items():
                settings.setdefault_in_component_priority_dict(setting, load_object(path), number)


SWITCHED: Final = {
    "COOKIES_ENABLED": "scrapy.downloadermiddlewares.cookies.CookiesMiddleware",
    "REMOTE_CONTROL_ENABLED": "scrapy.extensions.remote_control.RemoteControl",
    "TELNETCONSOLE_ENABLED": "scrapy.extensions.telnet.TelnetConsole",
}
"""Scrapy's components by the setting that switches them on; their libraries take a quarter of a second to load."""


class Webmain:
    """Scrapy add-on of webmain's own settings: writes the user agent, and turns the network off where a recording answers.

    A USER_AGENT of the project's, the spider's or the command line's own is left as it is.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Derive settings; called once, after the spider has been made."""
        settings.set("USER_AGENT", user_agent(settings.get("WEBMAIN_CONTACT") or ""), priority="addon")
        for switch, component in SWITCHED.items():
            if not settings.getbool(switch):
                for base in ("EXTENSIONS_BASE", "DOWNLOADER_MIDDLEWARES_BASE"):
                    settings[base].pop(component, None)  # elsewhere, even None is loaded
        if settings.get("WEBMAIN_REPLAY"):
            handler = "webmain.crawl.handlers.Replay"
            handlers = {"http": handler, "https": handler}
            waits = ("DOWNLOAD_DELAY", "AUTOTHROTTLE_ENABLED", "WEBMAIN_MAX_CRAWL_DELAY", "WEBMAIN_MAX_RETRY_AFTER")
            settings.update({"DOWNLOAD_HANDLERS": handlers, **dict.fromkeys(waits, 0)}, priority="cmdline")


def user_agent(contact: str) -> str:
    """Return the honest user agent, with a contact where one is given."""
    contact = " ".join(contact.split())[:200]
    return f"webmain/{webmain.__version__} (+{contact})" if contact else f"webmain/{webmain.__version__}"
