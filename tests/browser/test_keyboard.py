"""The same tasks without a mouse: everything can be reached, in order, and one sees where one is."""

from __future__ import annotations

import pytest

from tests.browser.conftest import GOLD

HERE = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect();
  const outlined = (element) => {
    const style = getComputedStyle(element);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  };
  return {
    text: (one.innerText || one.value || one.title || "").trim().slice(0, 60),
    name: one.name || one.id || one.className || one.tagName,
    tag: one.tagName,
    marked: outlined(one) || [...(one.labels || [])].some(outlined),
    seen: box.bottom > 0 && box.top < innerHeight,
  };
}"""


NUMBERED = """() => {
  const kinds = "a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, [tabindex='0']";
  const chosen = (one) => one.type !== "radio" || one.checked || !document.querySelector(`input[name="${one.name}"]:checked`);
  const all = [...document.querySelectorAll(kinds)].filter((one) => one.checkVisibility() && !one.disabled && chosen(one));
  all.forEach((one, number) => { one.dataset.number = number; });
  return all.length; }"""
"""Gives all that can be pressed a number, in the order of the page, and returns how many there are; of radio buttons the
chosen one."""


def focused(page) -> dict:
    """Where the keyboard is."""
    found: dict = page.evaluate(HERE)
    return found


def tab_to(page, name: str, *, most: int = 80) -> dict:
    """Press Tab until the keyboard is at something, by its name or text; all on the way is to be seen and marked."""
    passed = []
    for _ in range(most):
        page.keyboard.press("Tab")
        here = focused(page)
        passed.append(here["name"])
        assert here["marked"] or here["tag"] in ("IFRAME", "BODY"), here
        assert here["seen"], here
        if name in (here["name"], here["text"]):
            return here
    raise AssertionError(f"{name} is not reached: {passed}")


def test_the_first_stop_skips_to_the_content(visit):
    page = visit().open()
    page.keyboard.press("Tab")
    assert focused(page)["text"] == "Skip to the content"
    assert focused(page)["seen"]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert focused(page)["name"] == "url"


def test_a_page_is_pasted_and_its_article_read(visit):
    page = visit().open()
    tab_to(page, "Or paste HTML, or choose a file")
    page.keyboard.press("Enter")
    tab_to(page, "html")
    page.keyboard.insert_text((GOLD / "en_news_teasers.html").read_text())
    tab_to(page, "extractor")
    page.get_by_label("Address of the page").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/results/*")
    tab_to(page, "article")  # the tabs are radio buttons: the arrows move between them
    page.keyboard.press("ArrowRight")
    assert page.locator(".ex-tabs > section:visible").get_attribute("aria-label") == "Markdown"
    page.keyboard.press("ArrowRight")
    assert page.locator(".ex-tabs > section:visible").get_attribute("aria-label") == "JSON"


def test_the_parts_of_the_page_are_stepped_through_and_each_says_why(visit):
    page = visit().paste((GOLD / "en_news_teasers.html").read_text())
    frame = page.frame_locator("iframe").first
    frame.locator("body").wait_for()
    page.locator("iframe").first.focus()
    titles = set()
    for _ in range(6):
        page.keyboard.press("Tab")
        here = frame.locator(":focus")
        if here.count():
            titles.add(here.get_attribute("title"))
    assert len(titles) >= 4
    assert any("content" in (title or "") for title in titles)


@pytest.mark.parametrize("path", ["/", "/articles", "/clouds?lang=th", "/corrections"])
def test_all_that_can_be_pressed_is_reached_once_and_in_the_order_of_the_page(visit, path):
    page = visit().open(path)
    wanted = page.evaluate(NUMBERED)
    seen = []
    for _ in range(wanted + 30):
        page.keyboard.press("Tab")
        number = page.evaluate("document.activeElement.dataset.number")
        if number is None:
            break
        if int(number) not in seen[-1:]:  # a date has parts, each of which is a stop
            seen.append(int(number))
    assert seen == list(range(wanted))


def test_a_cloud_is_asked_for(visit):
    page = visit().open("/clouds")
    tab_to(page, "lang")
    language = page.locator("#lang")
    language.select_option("th")  # how a list of choices is opened and typed into is the browser's own
    assert language.input_value() == "th"
    tab_to(page, "Show")
    page.keyboard.press("Enter")
    page.wait_for_url("**lang=th**")
    assert page.locator(".card li").count() > 20


def test_a_word_is_searched_and_a_result_opened(visit, indexed):
    page = visit().open("/search")
    tab_to(page, "q")
    page.keyboard.type("harbour")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=harbour**")
    first = page.locator(".hit a").first.inner_text()
    tab_to(page, first[:60])
    page.keyboard.press("Enter")
    page.wait_for_url("**/articles/*")


def test_a_part_is_marked_and_the_correction_kept(visit):
    page = visit().paste((GOLD / "en_old_br_table.html").read_text(), url="https://pages.example/keyboard")
    page.get_by_role("link", name="Correct it").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/correct")
    page.frame_locator("iframe").locator("body").wait_for()
    boxes = page.get_by_role("region", name="Parts of the page").get_by_role("checkbox")
    boxes.first.focus()
    before = boxes.first.is_checked()
    page.keyboard.press("Space")
    assert boxes.first.is_checked() is not before
    page.get_by_role("button", name="Save the correction").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/corrections/*")
