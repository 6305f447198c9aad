"""Somebody looks for what was stored: lists, filters, search, clouds."""

from __future__ import annotations

import json

from tests.browser.conftest import NARROW


def test_the_articles_are_filtered_sorted_and_read(visit):
    page = visit().open("/")
    page.get_by_role("link", name="Articles", exact=True).click()
    page.wait_for_url("**/articles")
    rows = page.locator("tbody tr")
    assert rows.count() >= 20
    page.get_by_label("Language").select_option("th")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**lang=th**")
    assert rows.count() == 9
    page.get_by_role("link", name="Words").click()
    page.wait_for_url("**sort=words**")
    counts = [int(cell.replace(",", "")) for cell in page.locator("tbody td:last-child").all_inner_texts()]
    assert counts == sorted(counts, reverse=True)
    title = page.locator("tbody th a").first
    name = title.inner_text()
    title.click()
    page.wait_for_url("**/articles/*")
    assert page.locator("h1").inner_text() == name
    page.get_by_role("button", name="Extract again, and see why").click()
    page.wait_for_url("**/results/*")
    assert page.locator("h1").inner_text() == name
    parts = page.frame_locator("iframe").first.locator(".wm-content")
    parts.first.wait_for()
    assert parts.count() > 3


def test_a_long_word_in_a_title_leaves_the_other_columns_in_sight(visit):
    page = visit().open("/articles")
    page.locator("tbody th a").first.evaluate("link => { link.textContent = 'W'.repeat(160) }")
    widths = page.locator(".scroll").evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert widths[0] <= widths[1]


def test_a_word_is_found_and_marked(visit, picture):
    visitor = visit()
    page = visitor.open("/")
    page.get_by_role("link", name="Search", exact=True).click()
    box = page.get_by_role("searchbox")
    box.fill("harbour")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**q=harbour**")
    if page.get_by_role("button", name="Index them").count():  # the first search of all
        page.get_by_role("button", name="Index them").click()
        page.locator(".hits li").first.wait_for()
    assert page.locator(".hits li").count() > 2
    assert "harbour" in page.locator("mark").first.inner_text().lower()
    picture(visitor, "search")
    in_text = page.locator(
        ".hits li", has=page.locator("mark"), has_text="2 paragraphs"
    )  # not in the page's title alone
    in_text.first.locator(".hit a").click()
    page.wait_for_url("**/articles/*")
    assert "harbour" in page.locator(".reading").inner_text().lower()


def test_a_thai_word_is_found_though_nothing_parts_it_from_others(visit, indexed):
    page = visit(size=NARROW).open("/search?q=สะพาน")
    marks = page.locator(".hits mark")
    assert marks.count() >= 1
    assert set(marks.all_inner_texts()) == {"สะพาน"}


def test_a_thai_cloud_is_seen_and_saved(visit, picture):
    visitor = visit()
    page = visitor.open("/")
    page.get_by_role("link", name="Clouds", exact=True).click()
    page.get_by_role("list", name="Languages").get_by_role("link", name="th").click()
    page.wait_for_url("**lang=th**")
    words = page.locator(".card li, .card [lang=th]")
    assert words.count() > 30
    picture(visitor, "cloud")
    with page.expect_download() as saved:
        page.get_by_role("link", name="PNG").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
    with page.expect_download() as saved:
        page.get_by_role("link", name="JSON").click()
    assert len(json.loads(saved.value.path().read_text())["words"]) > 50


def test_what_is_typical_of_a_site_is_asked_for(visit):
    page = visit().open("/clouds")
    page.get_by_label("Site").first.fill("harbour-courier.example")
    page.get_by_text("What is typical of them").click()
    page.get_by_label("the rest of the store").check()
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**against=rest**")
    page.get_by_text("Table of the words").click()
    assert page.get_by_role("columnheader", name="Log-likelihood").is_visible()
