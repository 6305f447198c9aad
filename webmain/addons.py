"""What webmain's own settings mean for Scrapy's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webmain

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


class Webmain:
    """Scrapy add-on: writes the user agent, and turns the network off where a recording answers.

    A USER_AGENT of the project's, the spider's or the command line's own is left as it is.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Derive settings; called once, after the spider has been made."""
        settings.set("USER_AGENT", user_agent(settings.get("WEBMAIN_CONTACT") or ""), priority="addon")
        if settings.get("WEBMAIN_REPLAY"):
            handler = "webmain.handlers.Replay"
            settings.set("DOWNLOAD_HANDLERS", {"http": handler, "https": handler}, priority="cmdline")
            settings.set("DOWNLOAD_DELAY", 0, priority="cmdline")
            settings.set("AUTOTHROTTLE_ENABLED", False, priority="cmdline")
            settings.set("WEBMAIN_MAX_CRAWL_DELAY", 0, priority="cmdline")
            settings.set("WEBMAIN_MAX_RETRY_AFTER", 0, priority="cmdline")


def user_agent(contact: str) -> str:
    """Return the honest user agent, with a contact where one is given."""
    contact = " ".join(contact.split())[:200]
    return f"webmain/{webmain.__version__} (+{contact})" if contact else f"webmain/{webmain.__version__}"
