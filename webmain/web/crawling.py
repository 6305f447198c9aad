"""Crawls started from the browser: what may be requested, and the single process that runs at a time.

No form value reaches a shell or becomes an option of its own: each is checked against what is allowed and becomes part of
an argument (`-a`, `site=...`). The store, the models, the contact and the limits are the server's. Private addresses are
refused in the form, and again by the crawl's own address checks for every URL that it follows.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from webmain.net.addresses import ALLOW_PRIVATE, Guard
from webmain.net.errors import BadAddress
from webmain.store.search_records import read_day
from webmain.text.language import ISO_639_1
from webmain.text.terminal import printable
from webmain.web.choices import checked_method
from webmain.web.config import Config
from webmain.web.problems import Problem, fetch_problem, not_allowed, whole_number

logger = logging.getLogger(__name__)

ROOT: Final = Path(__file__).resolve().parents[2]
"""Parent folder of the package: a checkout has the demo web beside it."""

DEMO: Final = ROOT / "demo" / "sites.txt"
"""The file with the demo web's sites."""

LOG_LINES: Final = 40
LOG_BYTES: Final = 32 * 1024
"""Lines at the end of a crawl's log that are shown, and the bytes read to find them."""

END_S: Final = 20.0
"""Seconds that a crawl may take to end when the server ends."""

EXIT_MESSAGES: Final = {
    0: "finished",
    1: "ended with an error: see its last lines",
    2: "did not begin: its arguments were refused",
    3: "fetched nothing: the site did not answer with a page",
    4: "stopped; what was fetched is stored",
}
"""Meanings of a crawl's exit codes."""

LIMITS: Final = {
    "max_articles": "stopped at its limit of articles",
    "max_pages": "stopped at its limit of pages",
    "closespider_timeout": "stopped at its limit of time",
}
"""Meanings of Scrapy's reasons for an end at a limit."""

_SECRETS: Final = ("WEBMAIN_TOKEN", ALLOW_PRIVATE, "SCRAPY_SETTINGS_MODULE", "SCRAPY_PROJECT")
"""Variables of the server's environment that a crawl does not inherit."""


def crawl_arguments(form: Mapping[str, str], config: Config) -> dict[str, str]:
    """Return the arguments of the spider for the crawl that a form requests; without "site" it is the demo web's.

    Raises
    ------
    Problem
        Something is not allowed.
    """
    given = {name: value.strip() for name, value in form.items() if value.strip()}
    arguments: dict[str, str] = {}
    for name, usual in (("max_articles", 50), ("max_pages", 200)):
        arguments[name] = str(whole_number(name, given.get(name, str(usual)), 1, config.limits.crawl_pages))
    if "extractor" in given:
        arguments["extractor"] = checked_method(given["extractor"])
    if since := given.get("since"):
        try:
            read_day(since)
        except ValueError as error:
            raise Problem(400, f"since: {error}.") from None
        arguments["since"] = since
    if language := given.get("language", "").lower():
        if language not in ISO_639_1:
            raise not_allowed("language", language, "a code such as en, th, de")
        arguments["language"] = language
    if "again" in given:
        arguments["skip_known"] = "false"
    if given.get("where") == "demo":
        if not DEMO.is_file():
            raise Problem(400, "The made-up web is not installed here: it is in the project's folder demo/.")
        return arguments | {"sites": str(DEMO)}
    return arguments | {"site": _site(given.get("site", ""), config)}


def _site(text: str, config: Config) -> str:
    from webmain.net.fetch import request_form
    from webmain.spiders.addresses import start_url

    if not text:
        raise Problem(400, "Enter a site: bbc.com, or an address.")
    address = start_url(text) if len(text) <= 2_000 and re.fullmatch(r"[^\s,=\-][^\s,=]*", text) else None
    if address is None:
        raise not_allowed("site", text, "one domain or address: bbc.com, https://www.dw.com/en")
    try:
        given = text.strip("'\"")
        request_form(given if "://" in given else f"https://{given}")
        Guard(allow_private=config.allow_private).check_target(address)
    except BadAddress as error:
        raise fetch_problem(error) from None
    return address


def command(arguments: Mapping[str, str], config: Config, folder: Path) -> list[str]:
    """Return the command line of a crawl; its figures are written to `folder`."""
    arguments = {**arguments, "store": config.store}
    if recording := _recording(config):
        arguments["record"] = recording
    settings = {
        "WEBMAIN_STATS_DIR": str(folder),
        "WEBMAIN_STATS_NAME": "crawl",
        "WEBMAIN_PROGRESS_S": "1",
        "WEBMAIN_MODELS": config.models,
        "WEBMAIN_SITES": config.sites_file if Path(config.sites_file).is_file() else "",
        "WEBMAIN_CORRECTIONS": config.corrections,
        "WEBMAIN_CHROMIUM_SANDBOX": "1",
        "WEBMAIN_CONTACT": config.contact,
        "WEBMAIN_MAX_BYTES": str(config.limits.page_bytes),
        "WEBMAIN_PAGE_TIMEOUT_S": str(config.limits.page_s),
        "WEBMAIN_NAMED_PRIVATE": str(int(config.allow_private)),
        ALLOW_PRIVATE: str(int(config.allow_private)),
        "CLOSESPIDER_TIMEOUT": str(config.limits.crawl_s),
        "LOG_LEVEL": "INFO",
    }
    line = [sys.executable, "-P", "-m", "webmain.web.crawl_process", str(os.getpid()), "crawl", "news"]
    line += [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
    return line + [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]


def environment(arguments: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a crawl: the server's, without its secrets."""
    kept = {name: value for name, value in os.environ.items() if name not in _SECRETS}
    path = os.pathsep.join(filter(None, (str(ROOT), kept.get("PYTHONPATH", ""))))
    module = "webmain.settings" if "site" in arguments else "demo.settings"
    return kept | {"SCRAPY_SETTINGS_MODULE": module, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}


def _recording(config: Config) -> str | None:
    """Return the file to record pages to, so that the store's articles can be explained, or None."""
    if not config.pages or re.search(r"[*?\[]", config.pages):
        return None
    place = Path(config.pages).expanduser()
    if place.is_dir():
        return str(place / "crawls.warc.gz")
    return str(place) if place.name.endswith(".warc.gz") else None


class Crawl:
    """A started crawl: its process, figures and log.

    Parameters
    ----------
    arguments : Mapping[str, str]
        The spider's.
    line, env : sequence of str, Mapping[str, str]
        The command line, and the environment.
    folder : Path
        Takes the log and the figures.

    Raises
    ------
    OSError
        It cannot be started.
    """

    def __init__(self, arguments: Mapping[str, str], line: Sequence[str], env: Mapping[str, str], folder: Path) -> None:
        self.arguments = arguments
        self.name = arguments.get("site", "the made-up web")
        self.is_stopping = False
        self._folder = folder
        self._began, self._ended = time.monotonic(), 0.0
        with (folder / "log").open("wb") as log:  # its own session: Ctrl-C goes to the server, which then stops it
            self._process = subprocess.Popen(  # noqa: S603 - no shell, and checked parts of arguments only
                line, env=dict(env), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    @property
    def code(self) -> int | None:
        """The exit code, or None while it runs."""
        code = self._process.poll()
        if code is not None and not self._ended:
            self._ended = time.monotonic()
        return code

    @property
    def is_running(self) -> bool:
        """Whether it is running."""
        return self.code is None

    @property
    def end(self) -> str:
        """How it ended, for people."""
        code = self.code
        if code == 0 and (limit := LIMITS.get(str(self.stats.get("finish_reason")))):
            return limit
        return "" if code is None else EXIT_MESSAGES.get(code, f"was ended (exit code {code})")

    @property
    def elapsed_s(self) -> float:
        """Seconds since its start, or its duration if it has ended."""
        return (time.monotonic() if self.is_running else self._ended) - self._began

    @property
    def stats(self) -> dict[str, Any]:
        """Its figures so far; empty before there are any."""
        try:
            found = json.loads((self._folder / "crawl.json").read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def log(self) -> list[str]:
        """The last lines of its log, without the lists of components before it began."""
        try:
            with (self._folder / "log").open("rb") as file:
                start = max(0, file.seek(0, os.SEEK_END) - LOG_BYTES)
                file.seek(start)
                lines = file.read(LOG_BYTES).decode("utf-8", "replace").splitlines()
        except OSError:
            return []
        begin = next((i for i, line in enumerate(lines) if line.endswith(" INFO: Spider opened")), 1 if start else 0)
        return [printable(line) for line in lines[begin:]][-LOG_LINES:]

    def stop(self) -> None:
        """Ask it to stop: pages being fetched are finished and stored; a second call stops it at once."""
        self.is_stopping = True
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)

    def finish(self, within_s: float = END_S) -> None:
        """Stop it, if need be by force, and wait until it has ended."""
        if self.is_running:
            self.stop()
            try:
                self._process.wait(within_s)
            except subprocess.TimeoutExpired:
                logger.warning("The crawl of %s did not end within %g s; it was killed", self.name, within_s)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()


class Crawls:
    """The crawl that is running or ran last; at most one runs at a time.

    Parameters
    ----------
    config : Config
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._closed = False
        self.last: Crawl | None = None

    @property
    def running(self) -> Crawl | None:
        """The crawl that is running, or None."""
        return self.last if self.last is not None and self.last.is_running else None

    def start(self, arguments: Mapping[str, str]) -> Crawl:
        """Start a crawl with arguments of the spider.

        Call it in the thread in which the server runs: if that thread dies, the crawl ends too.

        Raises
        ------
        Problem
            One is running, or it cannot be started.
        """
        with self._lock:
            if self._closed or self.running:
                raise Problem(409, "A crawl is running: wait for its end, or stop it.", code="crawl_running")
            self._clear()
            self._folder = tempfile.TemporaryDirectory(prefix="webmain-crawl-", ignore_cleanup_errors=True)
            folder = Path(self._folder.name)
            try:
                self.last = Crawl(arguments, command(arguments, self._config, folder), environment(arguments), folder)
            except OSError as error:
                logger.error("The crawl cannot be started: %s", error)
                raise Problem(503, "The crawl cannot be started; the server's log says why.") from None
            return self.last

    def close(self) -> None:
        """Stop the crawl, and start no other."""
        with self._lock:
            self._closed = True
            if self.last is not None:
                self.last.finish()
            self._clear()

    def _clear(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
