"""What the tests in a real browser share: a server over the made-up web's articles, Chromium, and somebody who looks.

Whoever visits a page notices what nobody should see: a message of an error on the console, a request that goes elsewhere, a
dialog, a window that opens by itself. Each test fails for these.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, expect, sync_playwright

import webmain
from demo.fill import crawls
from tests.crawl.conftest import LocalSite
from tests.crawl.forking import environment
from webmain.store.registry import open_store

ROOT = Path(__file__).parents[2]
CHROMIUM = "/usr/bin/chromium-headless-shell"
QUIET = [
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
GOLD = ROOT / "tests" / "gold" / "pages"
OTHERS = {"zh": "zh_news_gb18030", "ar": "ar_news_rtl"}
"""Articles that the store has beside those of the made-up web, by language: names of gold pages."""

WAIT_S = 90
"""For what is to come to pass: how long that takes depends on what else the machine does."""
expect.set_options(timeout=1000 * WAIT_S)

WIDE, NARROW = (1280, 900), (360, 740)
WINDOW = {"reduced_motion": "reduce", "locale": "en-GB", "timezone_id": "Asia/Bangkok"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", metavar="FOLDER", help="write the pictures of the docs into this folder")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(300))


@dataclass(frozen=True)
class Serving:
    """A server of its own process, over a store that was filled before."""

    url: str
    folder: Path

    @property
    def store(self) -> str:
        return f"sqlite:{self.folder / 'demo.db'}"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, run_module: Callable[..., CompletedProcess[str]]) -> Path:
    """The store of `make serve`, with one article in Chinese and one in Arabic, and the recorded pages."""
    place = tmp_path_factory.mktemp("served")
    env = environment() | {"SCRAPY_SETTINGS_MODULE": "demo.settings"}
    more = ["-s", "LOG_LEVEL=ERROR", "-s", f"WEBMAIN_MODELS={place / 'models'}"]
    for arguments in crawls(str(place / "demo.db")):
        run_module("scrapy", *arguments, *more, folder=ROOT, env=env).check_returncode()
    with open_store(f"sqlite:{place / 'demo.db'}") as store:
        for language, name in OTHERS.items():
            store.add(
                webmain.extract(
                    (GOLD / f"{name}.html").read_bytes(), url=f"https://{language}.example/news/{name}", words=True
                )
            )
    return place


@pytest.fixture(scope="session")
def server(folder: Path) -> Iterator[Serving]:
    """`webmain serve` over the store; it fetches from this machine too."""
    yield from serving(folder, "--allow-private")


def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[Serving]:
    """Serve, until it is no longer needed."""
    command = [sys.executable, "-m", "webmain.cli", "serve", "--port", "0", "--store", f"sqlite:{folder / 'demo.db'}"]
    more = ["--pages", str(folder / "demo.db.warc.gz"), "--models", str(folder / "models"), *arguments]
    log = folder / "serve.log"
    with log.open("w") as told, subprocess.Popen(
        [*command, *more], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=told,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        found = re.search(r"http://\S+?(?=/? )", process.stdout.readline())
        assert found, log.read_text()
        try:
            yield Serving(found[0], folder)
        finally:
            process.terminate()
    assert "Traceback" not in log.read_text(), log.read_text()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium without a surface, which opens a page in a quarter of the time; with its sandbox."""
    assert shutil.which(CHROMIUM), "there is no Chromium: .ci/packages browser"
    assert os.geteuid() != 0, "Chromium keeps its sandbox, and so needs an ordinary user: .ci/browser"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=True, args=QUIET)
        yield browser
        browser.close()


class Visitor:
    """Somebody before the screen, who notices everything: `page` is theirs."""

    def __init__(self, context: BrowserContext, base: str) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(1000 * WAIT_S)
        self.base = base
        self.noticed: list[str] = []
        self.expected: list[str] = []
        context.on("console", self._read)
        context.on("weberror", lambda error: self._notice(f"error: {error.error}"))
        context.on("request", lambda request: self._look_at(request.url))
        context.on("page", lambda page: self._notice(f"window: {page.url}"))
        self.page.on("dialog", self._dismiss)

    def _read(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._notice(message.text)

    def _dismiss(self, dialog: Dialog) -> None:
        self._notice(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _notice(self, what: str) -> None:
        if not any(part in what for part in self.expected):
            self.noticed.append(what)

    def _look_at(self, url: str) -> None:
        if not url.startswith((self.base, "data:", "about:", "blob:")):
            self._notice(f"request: {url}")

    def open(self, path: str = "/") -> Page:
        """Go to a page of the server."""
        self.page.goto(self.base + path)
        return self.page

    def paste(self, html: str, *, url: str = "", method: str = "", other: str = "", gold: str = "") -> Page:
        """Extract a page as somebody would: open the form, paste its HTML, press the button."""
        page = self.open()
        page.get_by_text("Or paste HTML").click()
        page.get_by_label("HTML", exact=True).fill(html)
        page.get_by_label("Address of the page").fill(url)
        if method:
            page.get_by_label("Method", exact=True).select_option(method)
        if other:
            page.get_by_label("Compare with", exact=True).select_option(other)
        if gold:
            page.get_by_text("What to keep, and the text").click()
            page.get_by_label("The right text").fill(gold)
        page.get_by_role("button", name="Extract").click()
        page.wait_for_url("**/results/*")
        return page

    def path(self) -> str:
        """Return the path of the page that is shown."""
        return urlsplit(self.page.url).path


Visit = Callable[..., Visitor]


@pytest.fixture
def visit(chromium: Browser, server: Serving) -> Iterator[Visit]:
    """Start visits of the server: in light or dark, on a wide or narrow screen, with or without scripts."""
    contexts: list[tuple[BrowserContext, Visitor]] = []

    def start(
        *, scheme: str = "light", size: tuple[int, int] = WIDE, scripts: bool = True, base: str = server.url
    ) -> Visitor:
        context = chromium.new_context(
            color_scheme=scheme, viewport={"width": size[0], "height": size[1]}, java_script_enabled=scripts,
            **WINDOW,
        )  # fmt: skip
        contexts.append((context, Visitor(context, base)))
        return contexts[-1][1]

    yield start
    for context, visitor in contexts:
        context.close()
        assert visitor.noticed == []


@pytest.fixture(scope="session")
def indexed(folder: Path, run_module: Callable[..., CompletedProcess[str]]) -> None:
    """The index of the store's search, made as a person would have it made."""
    command = ["index", "--store", f"sqlite:{folder / 'demo.db'}"]
    run_module("webmain.cli", *command, folder=folder, env=environment()).check_returncode()


@pytest.fixture
def site() -> Iterator[LocalSite]:
    """A site of other people, on this machine."""
    server = LocalSite()
    yield server
    server.close()


@pytest.fixture
def picture(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Path]:
    """Take a picture of what is shown: into the docs where that is asked for, and always looked at for being one."""

    def take(visitor: Visitor, name: str, **options: object) -> Path:
        from PIL import Image

        folder = Path(request.config.getoption("--pictures", None) or tmp_path)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{name}.png"
        visitor.page.screenshot(path=file, **options)
        with Image.open(file) as shot:
            few = shot.convert("RGB").quantize(128, dither=Image.Dither.NONE)
        few.save(file, optimize=True)
        assert 5_000 < file.stat().st_size < 200_000
        return file

    return take


def gold(name: str) -> str:
    """The right text of a gold page."""
    return (GOLD / f"{name}.txt").read_text("utf-8").strip()
