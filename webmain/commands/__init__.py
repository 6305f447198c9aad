"""webmain's own commands for Scrapy's command line.

Scrapy loads them before it does anything else, and installs its signal handlers last. In between, a signal ends a crawl
with its exit code and a line that says so.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn


def stop_before_the_crawl(*_: object) -> NoReturn:
    """Exit; nothing has been fetched yet."""
    os.write(2, b"webmain: 0 new; stopped by a signal before the crawl began\n")
    os._exit(4)  # webmain.crawl.summary.STOPPED, which is not loaded yet


if sys.argv[1:2] == ["crawl"]:
    for _number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(_number, stop_before_the_crawl)
    # Declaring its deprecated classes takes longer the more modules are loaded: half a second after webmain's own.
    import scrapy.core.downloader.contextfactory  # noqa: F401
