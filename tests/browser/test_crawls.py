"""Somebody starts a crawl, watches it without touching the page, stops it, and finds it in the list."""

from __future__ import annotations

from contextlib import contextmanager

from tests.browser.conftest import serving
from tests.browser.test_pages import faults


def test_a_crawl_is_started_watched_and_stopped(visit, picture, tmp_path):
    with contextmanager(serving)(tmp_path) as server:
        visitor = visit(base=server.url)
        page = visitor.open("/crawls")
        page.get_by_label("the made-up web of the project").check()
        page.get_by_label("Articles at most").fill("100")
        page.get_by_label("Method").select_option("pab")  # stores each article at once: it learns nothing
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/crawls/now")
        assert faults(visitor) == ""
        page.get_by_role("heading", name="Figures").wait_for(timeout=250_000)
        page.get_by_role("button", name="Stop").focus()
        before = page.get_by_role("status").first.inner_text()
        page.wait_for_function("before => document.querySelector('[role=status]').innerText !== before", arg=before)
        page.wait_for_function("() => document.querySelector('progress')?.value > 0", timeout=250_000)
        assert page.evaluate("document.activeElement.id") == "stop"
        picture(visitor, "crawl")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="All crawls").wait_for(timeout=250_000)
        assert page.get_by_role("button", name="Stop").count() == 0
        assert faults(visitor) == ""
        page.get_by_role("link", name="All crawls").click()
        assert page.get_by_role("region", name="Crawls of this store").get_by_role("row").count() == 2
