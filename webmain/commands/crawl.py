"""`scrapy crawl` with exit codes that cron can rely on.

0   the crawl ran normally, even if there was nothing new ("0 new, 248 known") or a limit set by the user was reached
1   an error: an exception in the spider or a pipeline, or a store, ledger, feed, recording or model that failed
2   the command line, a spider argument or a setting is wrong; nothing was fetched
3   nothing could be fetched or read: no site answered with a page
4   stopped by a signal (Ctrl-C, SIGTERM) before the end; what was fetched is stored, the rest is pending
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from scrapy.commands.crawl import Command as ScrapyCommand
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from webmain.checks import unwritable, warnings_of, wrong_settings
from webmain.commands import stop_before_the_crawl
from webmain.crawl.logs import hide_lists
from webmain.crawl.summary import ERROR, USAGE, exit_code
from webmain.processes.fork_server import GC_THRESHOLDS
from webmain.text.terminal import guard_terminal

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCommand):
    """Runs a spider; see this module's docstring for the exit codes."""

    def long_desc(self) -> str:
        """Return the help text."""
        return (
            "Run a spider of the project by its name. Exit codes: 0 success, even if there is nothing new; 1 an error; "
            "2 wrong arguments or settings; 3 nothing could be fetched; 4 stopped by a signal."
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check everything before Scrapy starts to log, so that a wrong argument is answered with its message alone."""
        gc.set_threshold(*GC_THRESHOLDS)  # before most modules are loaded
        guard_terminal(always=True)  # before the log begins, which contains addresses and text from servers
        super().process_options(args, opts)
        if len(args) != 1:
            raise UsageError("crawl: give the name of one spider", print_help=False)
        assert self.settings is not None
        for message in warnings_of(self.settings):
            sys.stderr.write(f"scrapy crawl {args[0]}: warning: {message}\n")
        if problems := wrong_settings(self.settings):
            self._refuse(args[0], "\n".join(problems), USAGE)
        hide_lists(self.settings["LOG_LEVEL"])
        if problem := self._check(args[0], opts.spargs):
            self._refuse(args[0], problem, USAGE)
        if places := unwritable(self.settings):
            self._refuse(args[0], "\n".join(places), ERROR)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the crawl, then set the exit code."""
        assert self.crawler_process is not None
        crawler = self._create_crawler(args[0])
        self.crawler_process.crawl(crawler, **opts.spargs)
        gc.freeze()  # what is loaded by now is not freed piece by piece at the end
        self.crawler_process.start()
        try:
            stats = crawler.stats.get_stats()
        except RuntimeError:  # the crawl never began
            stats = {}
        if not self.crawler_process.bootstrap_failed and not stats.get("finish_reason"):
            stop_before_the_crawl()  # by a signal that Scrapy received while it opened the crawl
        self.exitcode = ERROR if self.crawler_process.bootstrap_failed or not stats else exit_code(stats)

    def _refuse(self, name: str, problem: str, code: int) -> NoReturn:
        sys.stderr.write(f"scrapy crawl {name}: {problem}\n")
        sys.exit(code)

    def _check(self, name: str, arguments: Mapping[str, Any]) -> str | None:
        """Create the spider once for its argument checks; return the error message."""
        assert self.settings is not None
        loader = get_spider_loader(self.settings)
        try:
            kind = loader.load(name)
        except KeyError:
            return f"no such spider; there are {', '.join(sorted(loader.list())) or 'none'}"
        settings = Settings(self.settings.copy())
        try:
            kind.from_crawler(Crawler(kind, settings), **arguments)
        except (ValueError, UsageError) as error:
            return str(error)
        return None
