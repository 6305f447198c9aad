"""Overlays: every leaf is marked once and in order, and nothing of a hostile page is left but its text."""

import re
import tomllib
from pathlib import Path
from time import process_time

import pytest
from selectolax.lexbor import LexborHTMLParser

from webmain.explain.explaining import explain_page
from webmain.explain.overlay import TAGS, block_marks, overlay_html, style, style_source
from webmain.extraction import Options
from webmain.extractors.base import create
from webmain.html.blocks import Unit
from webmain.items import Page, Verdict

TESTS = Path(__file__).parent.parent
PROSE = "<p>The harbour master said that the boats would leave in the morning, before the tide turned.</p>"
PAGES = {
    **{path.parent.name: path.read_bytes() for path in sorted((TESTS / "pages").glob("*/input.html"))},
    **{path.name: path.read_bytes() for path in sorted((TESTS / "gold" / "pages").glob("*.html"))},
}
OWN = {"html", "head", "meta", "title", "style", "body", "main"}
ALLOWED = {
    "class",
    "data-block",
    "title",
    "tabindex",
    "dir",
    "lang",
    "colspan",
    "rowspan",
    "start",
    "value",
    "role",
    "aria-label",
}
HOSTILE = tomllib.loads((TESTS / "explain" / "hostile.toml").read_text("utf-8"))


def explain(html, method="learned", **options):
    page = Page(url="https://harbour.example/boats", **({"html": html} if isinstance(html, str) else {"body": html}))
    return explain_page(page, create(method), Options(**options))


def marked(overlay):
    """Return the texts of all marks, with the numbers of their blocks."""
    return [(int(node.attributes["data-block"]), node.text()) for node in LexborHTMLParser(overlay).css("[data-block]")]


def assert_harmless(overlay):
    """Assert that a parser finds nothing but what is allowed."""
    tree = LexborHTMLParser(overlay)
    for node in tree.root.traverse(include_text=False):
        if node.tag == "-comment" or node.tag == "_comment":
            raise AssertionError(node.html)
        assert node.tag in TAGS | OWN, node.tag
        if node.tag in ("meta", "style", "title"):
            assert node.parent.tag == "head"
        else:
            assert set(node.attributes) <= ALLOWED, node.html
    assert [node.text() for node in tree.css("style")] == [style()]
    assert len(tree.css("meta")) == 3
    assert "default-src 'none'" in tree.css("meta")[1].attributes["content"]
    assert "url(" not in style()
    assert "@import" not in style()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("method", ["learned", "pab"])
def test_every_leaf_is_marked_once_and_in_order(method, name):
    found = explain(PAGES[name], method)
    overlay = overlay_html(found)
    marks = marked(overlay)
    assert [text for _, text in marks] == [text.replace("\0", "\ufffd") for text in found.document.leaves.texts]
    of_unit = {unit: number for number, block in enumerate(found.blocks) for unit in block.units}
    assert [number for number, _ in marks] == [of_unit[i] for i in range(len(found.document.leaves))]
    assert_harmless(overlay)


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_of_a_hostile_page_is_left_but_its_text(name):
    for html in (HOSTILE[name], f"<title>&lt;script&gt;</title><h1>Boats</h1>{PROSE * 5}{HOSTILE[name]}{PROSE}"):
        for method in ("learned", "line_block", "pab"):
            found = explain(html, method)
            overlay = overlay_html(found)
            assert_harmless(overlay)
            if found.unit is Unit.LEAVES:
                assert [text for _, text in marked(overlay)] == found.document.leaves.texts
            else:
                assert [text for _, text in marked(overlay)] == [text for text in found.document.lines.texts if text]


def test_verdicts_scores_and_reasons_are_shown():
    rest = "<p style='display:none'>Never shown.</p><p><a href='/x?a=1&b=2'>More</a>"
    html = f"<nav>Tides</nav><h1>Boats</h1>{PROSE * 9}{rest}"
    found = explain(html)
    tree = LexborHTMLParser(overlay_html(found))
    for number, block in enumerate(found.blocks):
        for node in tree.css(f'[data-block="{number}"]'):
            assert f"wm-{block.verdict}" in node.attributes["class"].split()
            assert block.why in node.attributes["title"]
    assert tree.css_first(".wm-pruned").text() == "Tides"
    assert tree.css_first(".wm-hidden").text() == "Never shown."
    assert re.search(r"wm-s[0-9]", tree.css_first(".wm-content").attributes["class"])
    assert tree.css(".wm")[-1].attributes["title"].endswith("\n→ /x?a=1&b=2")


def test_each_block_can_be_reached_by_keyboard_once():
    found = explain(f"<h1>Boats</h1>{PROSE * 3}<p>One <b>two</b> three four five six seven.</p>")
    tree = LexborHTMLParser(overlay_html(found))
    assert len(tree.css("[tabindex]")) == len({node.attributes["data-block"] for node in tree.css("[data-block]")})


def test_pictures_stay_in_their_cells():
    found = explain(f"<table><tr><td><img alt=one><td>two<tr><td colspan=2><img alt=three><tr><th>four</table>{PROSE}")
    tree = LexborHTMLParser(overlay_html(found))
    assert [cell.text() for cell in tree.css("td, th")] == ["one", "two", "three", "four"]
    assert [text for _, text in marked(overlay_html(found))] == found.document.leaves.texts


def test_language_and_direction_stay():
    html = f"<html dir=rtl lang=ar><body><p lang=en-GB dir=ltr>{PROSE[3:]}<p lang='no language'>text"
    tree = LexborHTMLParser(overlay_html(explain(html)))
    assert tree.css_first("html").attributes == {"dir": "rtl", "lang": "ar"}
    assert [node.attributes for node in tree.css(".wm-paragraph")[:1]] == [
        {"class": "wm-paragraph", "lang": "en-gb", "dir": "ltr"}
    ]


def test_language_of_the_text_stands_in_for_one_that_is_missing():
    for html, language in ((f"<h1>Boats</h1>{PROSE * 5}", "en"), ("<html lang='no language'><p>12", "zxx")):
        for method in ("pab", "eniw"):
            assert LexborHTMLParser(overlay_html(explain(html, method))).css_first("html").attributes == {
                "lang": language
            }


def test_pictures_are_boxes_with_their_text():
    tree = LexborHTMLParser(
        overlay_html(explain(f"{PROSE * 3}<img src=a.png alt='The  quay'><img src=b.png><video src=c>"))
    )
    assert [node.text() for node in tree.css(".wm-image")] == ["The quay", "", "video"]


def test_a_method_without_a_tree_shows_its_source_lines():
    found = explain(f"<h1>Boats</h1>\n{PROSE}\n<pre>a\n b</pre>\n<p>short</p>", "line_block")
    overlay = overlay_html(found)
    assert_harmless(overlay)
    lines = found.document.lines.texts
    tree = LexborHTMLParser(overlay)
    assert [(int(node.attributes["value"]), node.text()) for node in tree.css("li")] == [
        (number, text) for number, text in enumerate(lines, start=1) if text
    ]


def test_a_page_without_leaves_has_a_note(monkeypatch):
    for module in ("guard", "flattening"):
        monkeypatch.setattr(f"webmain.html.{module}.MAX_PIECES", 1_000)
    found = explain("<p>a" * 2_000, "pab")
    overlay = overlay_html(found)
    assert found.blocks == ()
    assert "no text that can be shown" in overlay
    assert_harmless(overlay)


def test_the_style_sheet_is_named_by_its_digest():
    assert style_source().startswith("'sha256-")
    assert "</" not in style()


def test_leaves_without_a_mark_are_plain():
    found = explain(f"<h1>Boats</h1>{PROSE * 3}")
    marks = block_marks(found)
    marks[0] = None
    assert [text for _, text in marked(overlay_html(found, marks=marks))] == found.document.leaves.texts[1:]
    assert any(block.verdict is Verdict.CONTENT for block in found.blocks)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 5000 + "text" + PROSE * 50,
        ("<p><marquee>" + "".join(f"<b lang=a{chr(97 + i % 26)}>" for i in range(30)) + "<p>x</p>" * 500) * 5,
        f"<a href='/{'x' * 100_000}' title=y>" + "<i>a</i> " * 9000,
        "<img alt=" + "y" * 50_000 + ">" + "<img>" * 20_000 + PROSE,
        "<table>" * 300 + "<td>x" * 3000,
        "<p hidden>" + "<b>x</b>" * 9000 + PROSE,
        f"<div class='{'c ' * 50_000}'>" + "<div><p>x</p></div>" * 5000,
    ],
    ids=["deep", "formatting", "address", "pictures", "tables", "hidden", "class"],
)
def test_time_and_size_are_linear(html):
    found = explain(html, "pab", timeout_s=None)
    began = process_time()
    overlay = overlay_html(found)
    assert process_time() - began < 2
    assert len(overlay) < 100_000 + 60 * len(html)
    assert [text for _, text in marked(overlay)] == found.document.leaves.texts
    assert_harmless(overlay)
