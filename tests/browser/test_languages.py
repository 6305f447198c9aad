"""Articles in Thai, Chinese and Arabic as the browser draws them: in fonts with their letters, in the right direction."""

from __future__ import annotations

import pytest

from tests.browser.conftest import GOLD, WIDE

SCRIPTS = {
    "th": (
        r"[\u0e01-\u0e5b]",
        ("Noto Sans Thai", "Noto Serif Thai", "Waree", "Loma", "Garuda", "Sarabun", "Laksaman", "Umpush"),
    ),
    "zh": (r"[\u4e00-\u9fff]", ("Noto Sans CJK SC", "Noto Serif CJK SC")),
    "ar": (
        r"[\u0621-\u064a]",
        ("Noto Sans Arabic", "Noto Naskh Arabic", "Noto Kufi Arabic", "Noto Sans Arabic UI", "Noto Naskh Arabic UI"),
    ),
}
"""The letters of each language, and the fonts that are right for them."""

TOFU = """([letters, font]) => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 48;
  const pen = canvas.getContext("2d", {willReadFrequently: true});
  const drawn = (letter) => {
    pen.clearRect(0, 0, 48, 48);
    pen.font = font;
    pen.fillText(letter, 16, 32);
    return pen.getImageData(0, 0, 48, 48).data.join();
  };
  const none = [drawn(" "), drawn("\\u0378"), drawn("\\u{e0fff}")];
  return letters.filter((letter) => none.includes(drawn(letter)));
}"""
"""The letters that a font and those that stand in for it cannot draw: they look like a letter that does not exist."""


def fonts_of(page, selector: str) -> set[str]:
    """Return the names of the fonts in which the browser drew an element."""
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    return {font["familyName"] for font in fonts}


@pytest.mark.parametrize("language", SCRIPTS)
def test_a_stored_article_is_drawn_in_fonts_of_its_script(visit, language, picture):
    visitor = visit()
    page = visitor.open(f"/articles?lang={language}")
    page.locator("tbody th a").first.click()
    page.wait_for_url("**/articles/*")
    pattern, fonts = SCRIPTS[language]
    for selector in ("h1", ".reading"):
        part = page.locator(selector).first
        assert part.get_attribute("lang") == language
        letters = page.evaluate(f"(text) => [...new Set(text.match(/{pattern}/g))]", part.inner_text())
        assert len(letters) > 5
        style = part.evaluate("(one) => getComputedStyle(one).font")
        assert page.evaluate(TOFU, [letters, style]) == []
        direction = part.evaluate("(one) => getComputedStyle(one).direction")
        assert direction == ("rtl" if language == "ar" else "ltr")
    assert fonts_of(page, ".reading p") & set(fonts), fonts_of(page, ".reading p")
    picture(visitor, f"article-{language}")


def test_the_letters_that_nobody_can_draw_are_seen(visit):
    page = visit().open()
    assert page.evaluate(TOFU, [["a", "ก", "\u0378", "汉", "ع"], "16px sans-serif"]) == ["\u0378"]


@pytest.mark.parametrize(("language", "name"), [("th", "th_news"), ("zh", "zh_news_gb18030"), ("ar", "ar_news_rtl")])
def test_an_extracted_page_and_its_overlay_are_drawn_in_its_script(visit, language, name):
    visitor = visit(size=(WIDE[0], 2400))
    page = visitor.open()
    page.get_by_text("Or paste HTML").click()
    page.get_by_label("File").set_input_files(GOLD / f"{name}.html")
    page.get_by_role("button", name="Extract").click()
    page.wait_for_url("**/results/*")
    shown = page.locator(".ex-tabs > section:visible")
    assert shown.get_attribute("lang") == language
    assert fonts_of(page, ".ex-tabs > section") & set(SCRIPTS[language][1])
    if language == "ar":  # its lines begin on the right: the first word stands there
        left = shown.evaluate(
            """(one) => {
              const range = document.createRange(), box = one.getBoundingClientRect();
              range.setStart(one.firstChild, 0);
              range.setEnd(one.firstChild, 3);
              return (range.getBoundingClientRect().left - box.left) / box.width;
            }"""
        )
        assert left > 0.6
    page.frame_locator("iframe").locator(f"[lang|={language}]").first.wait_for(state="attached")
