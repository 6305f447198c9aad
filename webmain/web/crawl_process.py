"""Runs a crawl in its own process, as Scrapy's command does, and stops it, as Ctrl-C would, when its server ends."""

from __future__ import annotations

import signal
import sys

from webmain.processes.fork_server import end_with_parent


def main() -> None:
    """Run `scrapy` with all arguments but the first, which is the process id of the server."""
    end_with_parent(int(sys.argv[1]), by=signal.SIGTERM)
    from scrapy.cmdline import execute

    execute(["scrapy", *sys.argv[2:]])


if __name__ == "__main__":
    main()
