"""Two methods on one page, and a text that was wanted."""

import json
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from webmain import cli
from webmain.cli import exits
from webmain.explain.comparing import Side, compare
from webmain.explain.explaining import explain_page
from webmain.explain.overlay import TAGS
from webmain.extraction import read
from webmain.extractors.base import create
from webmain.html.blocks import Unit
from webmain.items import Page, Verdict

TESTS = Path(__file__).parent.parent
PROSE = "<p>The harbour master said that the boats would leave in the morning, before the tide turned.</p>"
SHORT = "<p>Nobody was hurt.</p>"
PAGES = sorted((TESTS / "pages").glob("*/input.html"))


def compared(html, first="learned", second="pab"):
    page = {"html": html} if isinstance(html, str) else {"body": html}
    document = read(Page(url="https://harbour.example/boats", **page))
    return compare(*(explain_page(document, create(method)) for method in (first, second)))


def kept(explanation):
    return {unit for block in explanation.blocks if block.verdict is Verdict.CONTENT for unit in block.units}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.name)
def test_each_leaf_is_on_the_side_of_those_that_keep_it(path):
    found = compared(path.read_bytes())
    first, second = kept(found.first), kept(found.second)
    assert found.unit is Unit.LEAVES
    assert {i for i, side in enumerate(found.sides) if side in (Side.BOTH, Side.FIRST)} == first
    assert {i for i, side in enumerate(found.sides) if side in (Side.BOTH, Side.SECOND)} == second
    assert sum(found.n_chars.values()) == sum(map(len, found.first.document.leaves.texts))


def test_a_method_is_like_itself():
    found = compared(f"<h1>Boats</h1>{PROSE * 5}", "pab", "pab")
    assert set(found.sides) <= {Side.BOTH, Side.NEITHER}
    assert list(found.runs) == []


def test_source_lines_are_found_among_the_leaves():
    prose = "".join(PROSE.replace("boats", f"{i} boats") for i in range(5))
    html = f"<nav><a href=/a>Tides</a></nav><h1>Boats</h1>\n{prose}{SHORT}"
    found = compared(html, "line_block:max_gap=-1", "pab")
    assert found.unit is Unit.LEAVES
    assert found.n_chars[Side.BOTH] > 5 * 80
    assert {text for side, text in found.runs if side is Side.SECOND} >= {"Nobody was hurt."}


def test_two_methods_without_a_tree_are_compared_by_lines():
    html = f"<h1>Boats</h1>\n{PROSE * 5}\n{SHORT}"
    found = compared(html, "line_block:max_gap=-1", "line_block:max_gap=-1,min_ttr=9")
    assert found.unit is Unit.LINES
    assert [text for side, text in found.runs if side is Side.SECOND][-1] == "Nobody was hurt."
    assert len(LexborHTMLParser(found.overlay).css("li")) == sum(map(bool, found.first.document.lines.texts))


def test_what_differs_is_marked_with_what_both_say():
    found = compared(f"<h1>Boats</h1>{PROSE * 5}<p><script>x</script>&lt;b&gt;", "learned", "eniw")
    tree = LexborHTMLParser(found.overlay)
    marks = tree.css("[data-block]")
    assert [next(name for name in node.attributes["class"].split() if name != "wm") for node in marks] == [
        f"wm-{side}" for side in found.sides
    ]
    assert all("learned: " in node.attributes["title"] and "eniw: " in node.attributes["title"] for node in marks)
    assert {node.tag for node in tree.css("main *")} <= TAGS


def test_explanations_of_two_documents_are_not_compared():
    one, other = (explain_page(Page(html=PROSE * 3), create("pab")) for _ in range(2))
    with pytest.raises(ValueError, match="different documents"):
        compare(one, other)


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "boats.html"
    path.write_text(f"<title>Boats</title><nav>Tides</nav><main>{PROSE * 9}</main>", encoding="utf-8")
    return path


def test_the_command_compares_two_methods(page, tmp_path, capsys):
    run = ["explain", str(page), "--against", "eniw"]
    assert cli.main(run) == exits.OK
    out = capsys.readouterr().out
    assert "learned and eniw: " in out
    assert "only eniw: Tides" in out
    assert cli.main([*run, "-f", "json"]) == exits.OK
    found = json.loads(capsys.readouterr().out)
    assert found["comparison"]["methods"] == ["learned", "eniw"]
    assert {"only": "eniw", "text": "Tides"} in found["comparison"]["differing"]
    assert found["texts"][0]["with"] == "eniw"
    assert cli.main([*run, "-o", str(tmp_path / "x.html")]) == exits.OK
    assert len(LexborHTMLParser((tmp_path / "x.html").read_text("utf-8")).css("iframe")) == 2


def test_the_command_compares_with_the_text_wanted(page, tmp_path, capsys):
    gold = tmp_path / "gold.txt"
    gold.write_text("The harbour master said that the ships would leave in the morning, before", encoding="utf-8")
    run = ["explain", str(page), "--gold", str(gold)]
    assert cli.main(run) == exits.OK
    out = capsys.readouterr().out
    assert "learned against gold, by words: precision 0." in out
    assert "missing: ships" in out
    assert cli.main([*run, "-f", "json"]) == exits.OK
    assert "ships" in json.loads(capsys.readouterr().out)["texts"][0]["missing"]
    assert cli.main([*run, "-o", str(tmp_path / "x.html")]) == exits.OK
    tree = LexborHTMLParser((tmp_path / "x.html").read_text("utf-8"))
    assert [node.text().strip() for node in tree.css("del")] == ["ships"]
    gold.write_bytes(b"\xff\xfe")
    assert cli.main(run) == exits.NOT_FOUND
    assert cli.main([*run[:-1], str(tmp_path / "none")]) == exits.NOT_FOUND
    assert "gold.txt" in capsys.readouterr().err


def test_two_forms_of_one_method_are_named_as_they_were_asked_for(capsys):
    page = str(PAGES[0])
    forms = ["line_block", "line_block:decision=sigma"]
    command = ["explain", page, "-e", forms[0], "--against", forms[1]]
    assert cli.main([*command, "-f", "json"]) == exits.OK
    told = json.loads(capsys.readouterr().out)
    assert told["comparison"]["methods"] == forms
    assert {run["only"] for run in told["comparison"]["differing"]} <= set(forms)
    assert [one["with"] for one in told["texts"]] == forms[1:]
    assert cli.main([*command, "-f", "html"]) == exits.OK
    assert "line_block and line_block:decision=sigma" in capsys.readouterr().out
    assert cli.main(["explain", page, "-e", forms[1], "--against", "pab"]) == exits.OK
    assert "\nline_block against pab, by words" in capsys.readouterr().out
