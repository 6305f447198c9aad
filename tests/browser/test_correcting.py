"""Somebody knows better than the method: marks parts of the page, keeps the correction, looks at it, takes it back."""

from __future__ import annotations

import tomllib

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import GOLD, NARROW, WIDE
from tests.web.test_correcting import PROMO, page_with

URL = "https://corrected.example/2026/{}"


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_a_part_is_clicked_in_the_page_and_the_correction_kept_seen_and_taken_back(visit, picture, size):
    visitor = visit(size=size)
    page = visitor.paste((GOLD / "en_news_teasers.html").read_text(), url=URL.format(size[0]))
    page.get_by_role("link", name="Correct it").first.click()
    page.wait_for_url("**/correct")
    boxes = page.get_by_role("region", name="Parts of the page").get_by_role("checkbox")
    before = [box.is_checked() for box in boxes.all()]
    assert any(before)
    assert not all(before)
    wrong, missed = before.index(True), before.index(False)
    frame = page.frame_locator("iframe")
    frame.locator(f"[data-block='{wrong}']").first.click()
    page.get_by_role("region", name="Parts of the page").get_by_role("checkbox").nth(missed).check()
    expect(boxes.nth(wrong)).not_to_be_checked()  # what is clicked in the frame comes as a message
    after = [box.is_checked() for box in boxes.all()]
    assert [number for number, (one, two) in enumerate(zip(before, after, strict=True)) if one != two] == sorted(
        (wrong, missed)
    )
    expect(frame.locator(f"[data-block='{wrong}'][role=checkbox]").first).to_have_attribute("aria-checked", "false")
    expect(frame.locator(f"[data-block='{missed}']").first).to_contain_class("wm-content")
    if size == WIDE:
        picture(visitor, "correct")
    page.get_by_label("Note").fill("seen by a reader")
    page.get_by_role("button", name="Save the correction").click()
    page.wait_for_url("**/corrections/*")
    assert page.get_by_text("seen by a reader").count() == 1
    assert page.get_by_role("region", name="What was marked").get_by_role("row").count() == 3
    page.get_by_role("link", name="Corrections", exact=True).click()
    page.get_by_role("link", name=URL.format(size[0])).click()
    page.get_by_role("button", name="Undo the correction").click()
    page.wait_for_url("**/corrections")
    assert "undone" in page.get_by_role("status").first.inner_text()
    assert page.get_by_role("link", name=URL.format(size[0])).count() == 0


def test_a_proposed_rule_is_accepted_stored_and_used(visit, folder):
    visitor = visit()
    page = visitor.paste(page_with(1), url="https://ruled.example/1")
    page.get_by_role("link", name="Correct it").click()
    page.get_by_role("checkbox", name=PROMO.format(1)).uncheck()
    page.get_by_role("button", name="Save the correction").click()
    page.get_by_role("link", name="Propose a rule for ruled.example").click()
    page.get_by_role("button", name="Accept this rule").click()
    assert "Saved in" in page.get_by_role("status").first.inner_text()
    assert page.get_by_text("This rule is in use.").is_visible()
    assert tomllib.loads((folder / "sites.toml").read_text())["ruled.example"] == {"remove": [".invitation"]}
    page = visitor.paste(page_with(2), url="https://ruled.example/2")
    row = page.get_by_role("group", name="Blocks").get_by_role("row").filter(has_text=PROMO.format(2))
    assert "rule remove" in row.inner_text()


def test_without_scripts_the_boxes_do_it(visit):
    visitor = visit(scripts=False)
    page = visitor.paste((GOLD / "en_news_teasers.html").read_text(), url=URL.format("plain"))
    page.get_by_role("link", name="Correct it").first.click()
    boxes = page.get_by_role("region", name="Parts of the page").get_by_role("checkbox")
    boxes.first.set_checked(not boxes.first.is_checked())
    page.get_by_role("button", name="Save the correction").click()
    page.wait_for_url("**/corrections/*")
    page.get_by_role("link", name="Propose a rule for corrected.example").click()
    page.wait_for_url("**/rules/corrected.example")
    assert page.locator("h1").inner_text() == "Rules for corrected.example"
