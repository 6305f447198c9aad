"""Whole crawls in a process of their own, against a local server with real sockets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.forking import WARNINGS, Forked, Forker, environment

QUICK = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "WEBMAIN_PROGRESS_S": 0,
    "RETRY_TIMES": 1,
    "DOWNLOAD_TIMEOUT": 20,
    "WEBMAIN_WORKERS": 0,  # one is usual, but takes longer to start than most of these crawls: tests about workers ask for it
}


@dataclass
class Answer:
    """What the server answers to a path; `delay_s` before it does."""

    body: bytes | str = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})
    delay_s: float = 0.0


Given = Answer | tuple[Any, ...]
Route = Given | Callable[[int], Given]


class LocalSite:
    """A server on a port of its own.

    `routes` maps paths to answers (an `Answer`, or its values in order), or to functions of how often the path was asked for.
    `last` are the headers of the last request.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.routes: dict[str, Route] = {"/robots.txt": Answer("", 404)}
        self.asked: Counter[str] = Counter()
        self.times: list[tuple[float, str]] = []
        self.agents: set[str] = set()
        self.last: Mapping[str, str] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.times.append((time.monotonic(), self.path))
                site.agents.add(self.headers.get("User-Agent", ""))
                site.asked[self.path] += 1
                site.last = dict(self.headers.items())
                route = site.routes.get(self.path, Answer("<p>no such page</p>", 404))
                given = route(site.asked[self.path]) if callable(route) else route
                answer = given if isinstance(given, Answer) else Answer(*given)
                time.sleep(answer.delay_s)
                body = answer.body.encode() if isinstance(answer.body, str) else answer.body
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if not {"Connection", "Content-Length"} <= answer.headers.keys():
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass  # clients are killed in some tests

        self._server = Server((host, port), Handler)
        self.port = self._server.server_port
        self.url = f"http://{host}:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def article(self, path: str, text: str | None = None, *, head: str = "", delay_s: float = 0.0) -> str:
        """Serve an article at a path; return its URL."""
        text = text or f"The story at {path} is told here. " + " ".join(
            f"{path}{i} happened that day." for i in range(40)
        )
        body = (
            f"<html><head><title>Story {path}</title>{head}</head><body><article><p>{text}</p></article></body></html>"
        )
        self.routes[path] = Answer(body, delay_s=delay_s)
        return self.url + path

    def close(self) -> None:
        """Shut down."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@dataclass
class Crawled:
    """What a crawl left behind."""

    code: int
    out: str
    log: str
    stats: dict[str, Any]
    store: Path

    def articles(self) -> list[dict[str, Any]]:
        """Return the lines of the JSONL store."""
        return [json.loads(line) for line in self.store.read_text().splitlines()] if self.store.exists() else []

    def rejected(self) -> dict[str, int]:
        """Return the rejections by reason."""
        return {k.rpartition("/")[2]: v for k, v in self.stats.items() if k.startswith("webmain/rejected/")}


class Crawl:
    """Starts crawls of a spider in a folder; call it to wait for the end, `start` to go on meanwhile."""

    def __init__(self, folder: Path, forker: Forker | None = None) -> None:
        self.folder = folder
        self._forker = forker
        self.store = folder / "articles.jsonl"
        self._n = 0

    def command(self, spider: str, arguments: Mapping[str, Any], settings: Mapping[str, Any]) -> list[str]:
        """Return the arguments of `scrapy`; the stats go to a folder of the run's own."""
        self._n += 1
        all_settings = {**QUICK, "WEBMAIN_STORE": f"jsonl:{self.store}", **settings}
        all_settings.setdefault("WEBMAIN_STATS_DIR", self.folder / f"stats{self._n}")
        if spider == "sample":
            all_settings.setdefault("SPIDER_MODULES", "sample_spider")
        line = ["crawl", spider]
        for name, value in arguments.items():
            line += ["-a", f"{name}={value}"]
        for name, value in all_settings.items():
            line += ["-s", f"{name}={value}"]
        return line

    def start(
        self,
        spider: str = "sample",
        *,
        settings: Mapping[str, Any] | None = None,
        module: str = "webmain.settings",
        extra: tuple[str, ...] = (),
        anew: bool = False,
        **arguments: Any,
    ) -> subprocess.Popen[str] | Forked:
        """Start a crawl; `anew` by a new interpreter, with pipes and a seed of hashes of its own."""
        env = environment() | {"SCRAPY_SETTINGS_MODULE": module}
        line = [*self.command(spider, arguments, settings or {}), *extra]
        if self._forker and not anew:
            return Forked(self._forker, line, self.folder, env, self.folder / f"run{self._n}")
        return subprocess.Popen(
            [sys.executable, *WARNINGS, "-m", "scrapy", *line],
            cwd=self.folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def finish(
        self, process: subprocess.Popen[str] | Forked, spider: str = "sample", *, timeout_s: float = 280
    ) -> Crawled:
        """Wait for a crawl's end."""
        try:
            out, log = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            out, log = process.communicate()
            raise AssertionError(f"the crawl did not end in {timeout_s} s:\n{log[-4000:]}") from None
        figures = self.folder / f"stats{self._n}" / f"{spider}.json"
        stats = json.loads(figures.read_text()) if figures.exists() else {}
        return Crawled(process.returncode, out, log, stats, self.store)

    def __call__(self, spider: str = "sample", *, timeout_s: float = 280, **options: Any) -> Crawled:
        """Run a crawl to its end."""
        return self.finish(self.start(spider, **options), spider, timeout_s=timeout_s)


@pytest.fixture
def site() -> Iterator[LocalSite]:
    """A local server."""
    server = LocalSite()
    yield server
    server.close()


@pytest.fixture
def crawl(tmp_path: Path, forker: Forker | None) -> Crawl:
    """Run crawls in a folder of the test's own."""
    return Crawl(tmp_path, forker)
