"""The one-file page: whole, without script, and safe whatever the page says of itself."""

import json
import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from webmain import cli
from webmain.cli import exits
from webmain.explain.explaining import explain_page
from webmain.explain.overlay import overlay_html
from webmain.explain.page import explanation_page
from webmain.explain.view import View
from webmain.extraction import Options
from webmain.extractors.base import EXTRACTORS, create
from webmain.items import Page

EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>"
PROSE = "<p>The harbour master said that the boats would leave in the morning, before the tide turned.</p>"
HEAD = f"""<html lang=en><title>Boats {EVIL}</title><meta name=author content="{EVIL.replace('"', "")}">
<meta name=description content="The boats leave."><meta property=article:published_time content=2026-11-02T10:00:00Z>"""
MENU, SHOWN = "<nav><a href=/a>Tides</a></nav>", "&lt;script&gt;alert(1)&lt;/script&gt;"
ARTICLE = f"{HEAD}{MENU}<main><h1>Boats &amp; ships</h1>{PROSE * 6}{SHOWN}</main>"


def explain(html=ARTICLE, method="learned", url="https://harbour.example/boats", **options):
    return explain_page(Page(url=url, html=html), create(method), Options(**options))


def parsed(html=ARTICLE, method="learned", **options):
    found = explain(html, method, **options)
    return found, LexborHTMLParser(explanation_page(found))


@pytest.mark.parametrize("method", sorted(set(EXTRACTORS) - {"svm"}))  # which keeps nothing of a page that is alone
def test_the_page_holds_the_article_byte_for_byte_and_the_overlay(method):
    found, tree = parsed(method=method)
    text, markdown, as_json = (section.text() for section in tree.css(".ex-tabs > section"))
    assert text == found.article.text
    assert markdown == found.article.to_markdown()
    assert json.loads(as_json)["text"] == found.article.text
    frame = tree.css_first("iframe")
    assert frame.attributes["srcdoc"] == overlay_html(found)
    assert frame.attributes["sandbox"] in ("", None)


def test_nothing_runs_and_nothing_is_loaded():
    found, tree = parsed(url=f"https://harbour.example/{EVIL}")
    assert tree.css("script, img, link, form, object, a[href]:not([href^='#'])") == []
    assert not [node for node in tree.root.traverse() for name in node.attributes if name.startswith("on")]
    policy = tree.css_first("meta[http-equiv]").attributes["content"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "url(" not in tree.css_first("style").text()
    assert [node.attributes.get("style") for node in tree.root.traverse() if node.attributes.get("style")] == []
    assert EVIL in found.document.title


def test_every_value_has_its_source():
    _, tree = parsed()
    rows = {
        row.css_first("th").text(): [cell.text() for cell in row.css("td")]
        for row in tree.css("[aria-label=Metadata] tbody tr")
    }
    assert rows["Published"] == ["2026-11-02 10:00:00+00:00", "article:published_time", "2026-11-02T10:00:00Z"]
    assert rows["Language"][1] == "detected"
    assert rows["Text from"][0] == "learned"


def test_the_summary_leads_from_the_address_to_the_text():
    found, tree = parsed()
    rows = {row.css_first("th").text(): row.css_first("td").text() for row in tree.css("[aria-label=Summary] tr")}
    assert list(rows) == [
        "URL", "Title", "Description", "Size of the source", "Text data", "Kinds of data", "Labels", "Removed", "Content",
        "Summarized text",
    ]  # fmt: skip
    assert rows["URL"] == "https://harbour.example/boats"
    assert rows["Labels"].startswith(f"{int(found.extraction.kept.sum())} related (1), ")
    assert rows["Removed"].endswith("1 pruned")


def test_one_is_one_in_the_summary():
    rows = parsed("<p>Tide</p>", "pab")[1].css("[aria-label=Summary] tr")
    assert "1 run of text, 4 characters" in [row.css_first("td").text() for row in rows]


def test_every_block_is_a_row_with_its_features():
    found, tree = parsed()
    rows = tree.css(".ex-blocks tbody tr")
    assert len(rows) == len(found.blocks)
    assert [row.css(".ex-chip")[0].text() for row in rows] == [block.verdict.value for block in found.blocks]
    assert re.search(r"^\w+ -?\d[\d.e+]* [+-]\d\.\d\d", rows[-1].css_first(".ex-moved").text().strip())
    pab = parsed(method="pab")[1]
    assert {row.css_first(".ex-moved").text().strip() for row in pab.css(".ex-blocks tbody tr")} == {""}


def test_a_method_without_a_tree_has_no_places():
    _, tree = parsed(method="line_block")
    assert tree.css_first("h2").text() == "Source"
    assert tree.css(".ex-path") == []


def test_a_rejected_page_says_why():
    found, tree = parsed("<nav><a href=/a>Tides</a> <a href=/b>Ports</a></nav>", "thai_xpath")
    assert found.rejected.reason.value in tree.css_first(".ex-problem").text()
    assert tree.css(".ex-tabs") == []
    assert len(tree.css(".ex-blocks tbody tr")) == len(found.blocks) == 1


@pytest.mark.parametrize("html", ["<div></div>", "<script>x()</script>"])
def test_a_page_without_text_is_shown(html):
    assert "finds no block of text" in parsed(html)[1].text()


def test_words_are_sized_by_how_often_they_are_there():
    cloud = LexborHTMLParser(View(explain()).cloud)
    assert {one.css_first("bdi").text(): one.attributes["title"] for one in cloud.css("li")}["harbour"] == "6"
    assert cloud.css(".cloud-9") != []
    assert View(explain(method="thai_xpath", html="<p>a")).cloud == ""


def test_a_half_of_a_character_is_shown_as_unknown():
    data = '<script type="application/ld+json">{"@type": "Article", "author": {"name": "Ann \\ud800 Lee"}}</script>'
    explanation_page(explain(f"{data}{PROSE * 5}")).encode("utf-8")


def test_the_command_writes_the_page(tmp_path, capsys):
    page, target = tmp_path / "boats.html", tmp_path / "explained.html"
    page.write_text(ARTICLE, encoding="utf-8")
    assert cli.main(["explain", str(page), "-o", str(target)]) == exits.OK
    assert "<iframe" in target.read_text("utf-8")
    assert cli.main(["explain", str(page), "-o", "-"]) == exits.OK
    assert capsys.readouterr().out == target.read_text("utf-8")


def test_without_jinja_the_command_names_the_extra(tmp_path, capsys, monkeypatch):
    page = tmp_path / "boats.html"
    page.write_text(ARTICLE, encoding="utf-8")

    def missing():
        raise ImportError("No module named 'jinja2'")

    monkeypatch.setattr("webmain.explain.page._environment", missing)
    assert cli.main(["explain", str(page), "-o", str(tmp_path / "x.html")]) == exits.USAGE
    assert "pip install 'webmain[web]'" in capsys.readouterr().err
