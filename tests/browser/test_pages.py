"""Every page: for people who see little or nothing (axe), by day and by night, on a telephone, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

import pytest
from axe_playwright_python.sync_playwright import Axe, AxeResults
from starlette.routing import Route

from tests.browser.conftest import GOLD, WIDE, WINDOW, Visitor
from webmain.web.app import create_app
from webmain.web.config import Config

PATHS = {
    "/": "Extract a page",
    "/?url=https://news.example/a-very-long-address-without-any-place-at-which-a-line-could-be-broken": "Extract a page",
    "/articles": "Articles",
    "/articles?lang=ar": "Articles",
    "/articles?site=nowhere.example": "Articles",
    "/clouds": "Tag clouds",
    "/clouds?lang=th": "Tag clouds",
    "/clouds?site=khaosaiklang.example&against=rest": "Tag clouds",
    "/clouds?query=(": "Tag clouds",
    "/search": "Search",
    "/search?q=harbour": "Search",
    "/search?q=เศรษฐกิจ": "Search",
    "/search?q=nothing-has-this-word": "Search",
    "/api": "REST interface",
    "/crawls": "Crawls",
    "/sites": "Sites",
    "/review": "",
    "/corrections": "Corrections",
    "/login": "Log in",
    "/no/such/page": "",
}
"""Pages with an address of their own, and the heading of each."""

FOUND = ("article", "copy", "revision", "chinese", "arabic", "one", "thai", "lines", "two", "block", "correct")
"""Pages that come of other pages."""

NOT_SEEN = {
    "/static/explain.css",
    "/static/cloud.css",
    "/clouds.json",
    "/clouds.svg",
    "/clouds.png",
    "/logout",
    "/extract",
    "/search/index",
    "/crawls/now",  # leads to the list where no crawl runs
    "/crawls/now/stop",
}


def test_every_page_is_looked_at():
    paths = {route.path for route in create_app(Config()).routes if isinstance(route, Route)}
    with_address = {path for path in paths if "{" not in path and not path.startswith("/api/")}
    assert with_address - NOT_SEEN <= {path.partition("?")[0] for path in PATHS}


@pytest.fixture(scope="module")
def found(chromium, server) -> Mapping[str, str]:
    """The paths of pages that come of other pages."""
    context = chromium.new_context()
    visitor = Visitor(context, server.url)
    paths = {}
    for name, method, other, file in (
        ("one", "", "", "en_docs_code_tables"),
        ("thai", "", "", "th_news"),
        ("lines", "line_block", "", "en_old_br_table"),
        ("two", "learned", "eniw", "en_news_teasers"),
    ):
        visitor.paste(
            (GOLD / f"{file}.html").read_text(), url=f"https://pages.example/{file}", method=method, other=other
        )
        paths[name] = visitor.path()
    paths["block"] = paths["one"] + "/0/blocks/3"
    paths["correct"] = paths["thai"] + "/0/correct"
    for name, query in (("article", "lang=th"), ("chinese", "lang=zh"), ("arabic", "lang=ar")):
        page = visitor.open(f"/articles?{query}")
        page.locator("tbody th a").first.click()
        page.wait_for_url("**/articles/*")
        paths[name] = visitor.path()
    page = visitor.open("/articles?copies=1")
    paths["copy"] = page.locator("tbody th a").first.get_attribute("href") or ""
    page = visitor.open("/articles")
    page.locator("tr", has_text="2 revisions").get_by_role("link").first.click()
    paths["revision"] = page.locator(".versions a").first.get_attribute("href") or ""
    context.close()
    return paths


@pytest.fixture(scope="module")
def lent(chromium, server) -> Iterator[Visitor]:
    """One window for many pages: to open one takes longer than to look at most of them."""
    context = chromium.new_context(**WINDOW)
    yield Visitor(context, server.url)
    context.close()


@pytest.fixture
def looker(lent: Visitor) -> Iterator[Visitor]:
    """Somebody who only looks, by day and on a wide screen at first, as if for the first time."""
    lent.page.goto("about:blank")
    lent.page.emulate_media(color_scheme="light")
    lent.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    lent.page.context.clear_cookies()
    lent.noticed, lent.expected = [], []
    yield lent
    assert lent.noticed == []


FOREIGN = {"heading-order", "page-has-heading-one"}
"""What is not asked of the page within a frame: its headings are those that somebody else wrote."""


COLOURS = ("color-contrast", "link-in-text-block")
"""What is asked by night of a page that was looked at by day: nothing else of it can have changed."""


def faults(visitor: Visitor, *, without: Set[str] = frozenset(), only: Sequence[str] = ()) -> str:
    """What axe finds on the page."""
    # Compiled once for each page: it is the faster each time. What passed is not described: that took as long as the rules.
    if visitor.page.evaluate("typeof axe") == "undefined":
        visitor.page.evaluate(Axe().axe_script)
    # Pages in frames are looked at by themselves: their policy lets no script in.
    options: dict[str, object] = {
        "resultTypes": ["violations"],
        "iframes": False,
        "rules": {rule: {"enabled": False} for rule in without},
    }
    if only:
        options["runOnly"] = only
    results = AxeResults(visitor.page.evaluate("options => axe.run(document, options)", options))
    return results.generate_report() if results.violations_count else ""


def too_wide(visitor: Visitor) -> list[str]:
    """What one would have to scroll sideways for: the page, or a part of it such as a table."""
    wide: list[str] = visitor.page.evaluate(
        """[...document.querySelectorAll("main *, header *, footer *, html")]
        .filter((one) => one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1
          && (one === document.documentElement || ["auto", "scroll"].includes(getComputedStyle(one).overflowX)))
        .map((one) => one.outerHTML.slice(0, 100)).slice(0, 8)"""
    )
    return wide


def look_at(visitor: Visitor, path: str) -> None:
    """Look at a page by day, by night, and on telephones."""
    page = visitor.page
    assert page.locator("h1").count() == 1
    assert page.title()
    assert faults(visitor) == "", path
    assert too_wide(visitor) == []
    page.emulate_media(color_scheme="dark")
    assert faults(visitor, only=COLOURS) == "", path
    for width in (360, 320):
        page.set_viewport_size({"width": width, "height": 740})
        assert too_wide(visitor) == [], width
    assert faults(visitor) == "", path


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_accessible_by_day_by_night_and_on_a_telephone(looker, path):
    looker.expected.append("Failed to load resource: the server responded with a status of")
    looker.open(path)
    assert PATHS[path] in looker.page.locator("h1").inner_text()
    look_at(looker, path)


@pytest.mark.parametrize("name", FOUND)
def test_a_page_that_comes_of_others_is_accessible_by_day_by_night_and_on_a_telephone(looker, found, name):
    looker.open(found[name])
    look_at(looker, found[name])


@pytest.mark.parametrize("name", ["one/0/page", "lines/0/page", "thai/0/page", "two/page", "thai/0/correct/page"])
def test_the_page_within_the_frame_is_accessible_too(looker, found, name):
    path, _, rest = name.partition("/")
    shown = looker.page.context.request.get(f"{looker.base}{found[path]}/{rest}")
    assert "sandbox" in shown.headers["content-security-policy"]
    looker.page.set_content(shown.text())
    assert faults(looker, without=FOREIGN) == ""
    assert too_wide(looker) == []
    looker.page.emulate_media(color_scheme="dark")
    looker.page.set_viewport_size({"width": 320, "height": 740})
    assert faults(looker, without=FOREIGN) == ""
    assert too_wide(looker) == []


@pytest.mark.parametrize("name", ["/", "/articles", "/clouds?lang=th", "article", "one", "two", "correct"])
def test_a_page_shows_the_same_without_scripts(visit, found, name):
    path = found.get(name, name)
    texts = []
    for scripts in (True, False):
        visitor = visit(scripts=scripts)
        visitor.open(path)
        texts.append(visitor.page.locator("body").inner_text())
    assert texts[0] == texts[1]
    assert len(texts[0]) > 300
