"""Somebody extracts a page and wants to know why: with the mouse."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import GOLD, NARROW, WIDE, gold


def test_an_address_gives_the_article_and_the_reason_for_each_part(visit, site):
    url = site.article("/2026/boats", head="<meta name=author content='Ada Nkemi'>")
    visitor = visit()
    page = visitor.open()
    page.get_by_label("Address of the page").fill(url)
    page.get_by_role("button", name="Extract").click()
    page.wait_for_url("**/results/*")
    assert page.get_by_role("heading", level=1).inner_text() == "Story /2026/boats"
    text = page.get_by_role("region", name="Text", exact=True)
    assert text.inner_text().startswith("The story at /2026/boats is told here.")
    metadata = page.get_by_role("region", name="Metadata").get_by_role("row", name="Ada Nkemi")
    assert "meta" in metadata.inner_text()
    frame = page.frame_locator("iframe").first
    part = frame.locator(".wm-content").first
    part.hover()
    assert "content" in part.get_attribute("title")
    assert page.get_by_role("region", name="Blocks").get_by_role("row").count() >= 2


def test_the_article_is_shown_as_text_markdown_and_json_and_can_be_saved(visit):
    visitor = visit()
    page = visitor.paste((GOLD / "fr_news_sections.html").read_text(), url="https://presse.example/2026/un")
    shown = page.locator(".ex-tabs > section:visible")
    assert shown.count() == 1
    assert shown.inner_text().split() == gold("fr_news_sections").split()
    page.get_by_text("Markdown", exact=True).first.click()
    assert shown.inner_text().startswith("#")
    page.get_by_text("JSON", exact=True).first.click()
    assert json.loads(shown.inner_text())["language"] == "fr"
    for name, ending in (("text", ".txt"), ("Markdown", ".md"), ("JSON", ".json")):
        with page.expect_download() as saved:
            page.get_by_role("link", name=name, exact=True).click()
        assert saved.value.suggested_filename.endswith(ending)
        assert saved.value.path().stat().st_size > 500


def test_a_file_is_chosen_and_what_moved_a_score_is_told(visit):
    page = visit().open()
    page.get_by_text("Or paste HTML").click()
    page.get_by_label("File").set_input_files(GOLD / "th_news.html")
    page.get_by_role("button", name="Extract").click()
    page.wait_for_url("**/results/*")
    assert page.locator(".ex-tabs > section:visible").inner_text().split() == gold("th_news").split()
    assert page.get_by_role("region", name="Blocks").get_by_text("+", exact=False).count() > 0


def test_a_file_is_dropped(visit):
    page = visit().open()
    page.get_by_text("Or paste HTML").click()
    html = (GOLD / "hi_news.html").read_text()
    dropped = page.evaluate_handle(
        "(html) => { const all = new DataTransfer(); all.items.add(new File([html], 'hi.html')); return all; }",
        html,
    )
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": dropped})
    page.get_by_role("button", name="Extract").click()
    page.wait_for_url("**/results/*")
    assert page.locator(".ex-tabs > section:visible").inner_text().split() == gold("hi_news").split()


def test_two_methods_are_compared_and_each_is_a_click_away(visit):
    page = visit().paste((GOLD / "en_news_teasers.html").read_text(), method="learned", other="eniw")
    assert page.locator("ins, del").count() > 0
    page.frame_locator("iframe").first.locator(".wm-only-b").first.wait_for()
    page.get_by_role("link", name="eniw", exact=False).first.click()
    page.wait_for_url("**/results/*/1")
    page.get_by_role("link", name="both methods side by side").click()
    page.wait_for_url("**/results/*")


def test_a_text_that_was_wanted_is_held_beside_it(visit):
    name = "en_news_teasers"
    page = visit().paste((GOLD / f"{name}.html").read_text(), gold=gold(name) + "\n\nNobody wrote this sentence.")
    assert "Nobody wrote this sentence." in " ".join(page.locator("del").all_inner_texts())
    assert page.get_by_text("recall 0.9").count() == 1


def test_the_page_is_extracted_again_by_another_method(visit, picture):
    visitor = visit()
    page = visitor.paste((GOLD / "en_docs_code_tables.html").read_text())
    page.frame_locator("iframe").first.locator("body").wait_for()
    picture(visitor, "result")
    first = page.url
    page.get_by_label("Method", exact=True).select_option("line_block")
    page.get_by_role("button", name="Extract again").click()
    page.wait_for_function("(first) => location.href !== first", arg=first)
    assert page.get_by_role("heading", name="Source").count() == 1
    page.go_back()
    assert page.url == first


@pytest.mark.parametrize(
    ("given", "told"),
    [("ftp://elsewhere.example/", "http"), ("http://127.0.0.1:1/", "127.0.0.1"), ("", "ddress"), ("https://", "URL")],
)
def test_what_can_not_be_done_is_said_above_the_form_and_what_was_typed_stays(visit, given, told):
    visitor = visit()
    visitor.expected.append("Failed to load resource: the server responded with a status of")
    page = visitor.open()
    page.get_by_label("Address of the page").fill(given)
    page.get_by_role("button", name="Extract").click()
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert told in alert.inner_text()
    assert page.get_by_label("Address of the page").input_value() == given


def test_a_page_without_an_article_says_so(visit):
    page = visit().paste("<title>Empty</title><p>Nothing.")
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.locator("iframe").count() == 1


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_values_and_texts_of_parts_are_seen_without_scrolling_sideways(visit, size):
    page = visit(size=size).paste((GOLD / "en_news_teasers.html").read_text(), url="https://pages.example/story")
    for cell in (page.locator(".ex-value").first, page.locator(".ex-words").first):
        box = cell.bounding_box()
        assert box["x"] + box["width"] <= size[0]
        assert box["width"] >= 110
