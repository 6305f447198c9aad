"""A crawl as a process of its own: what Scrapy's command runs, except that it ends, as by Ctrl-C, when its server does."""

from __future__ import annotations

import signal
import sys

from webmain.lifeline import die_with


def main() -> None:
    """Run `scrapy` with the arguments after the first, which is the server's process."""
    die_with(int(sys.argv[1]), by=signal.SIGTERM)
    from scrapy.cmdline import execute

    execute(["scrapy", *sys.argv[2:]])


if __name__ == "__main__":
    main()
