"""Scores, tables, their forms, and the HTML report."""

import base64
import csv
import hashlib
import io
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.made_up import cells
from webmain.evaluation import differences, html_report, plots, report, writers
from webmain.evaluation.records import Findings, GoldPage, Prediction, Table
from webmain.evaluation.scoring import sample, score

HOSTILE = "<script>alert('x')</script> & \"quoted\" </div></body>\x00\x1b[31m\u202eturned"
METRICS = ("words", "same_words")


def gold(name, text="one two three four", **fields):
    values = {"dataset": "d", "html": "<p>", "site": "a.example", "language": "en", "page_type": "article", **fields}
    return GoldPage(id=name, text=text, **values)


def said(system, name, text, **fields):
    return Prediction(**{"system": system, "dataset": "d", "id": name, "text": text, "seconds": 0.01, **fields})


PAGES = [
    gold("p1"),
    gold("p2", site="b.example", language="th", page_type="forum"),
    gold("p3", site="b.example"),
    gold("p4", site="", language=""),
]
PREDICTIONS = [
    said("good", "p1", "one two three four", memory_bytes=2_000_000),
    said("good", "p2", "one two three four", memory_bytes=4_000_000),
    said("good", "p3", "one two three", seconds=0.03),
    said("good", "p4", ""),
    said("bad", "p1", "", error="crash: SIGSEGV", seconds=0.0),
    said("bad", "p2", "", error="timeout: more than 30 s", seconds=30.0),
    said("bad", "p3", "one two five six"),
]


@pytest.fixture
def results():
    return score(PAGES, PREDICTIONS, ["good", "bad"], metrics=METRICS)


def test_the_overall_table_holds_the_hand_computed_figures(results):
    table = report.overall(results, seed=1)
    good, bad = cells(table, "good"), cells(table, "bad")
    f1_of_p3 = 2 * 3 / 7
    assert good["F1"] == pytest.approx((1 + 1 + f1_of_p3 + 0) / 4)
    assert good["pages"] == 4
    assert good["precision"] == pytest.approx(3 / 4)
    assert good["recall"] == pytest.approx((1 + 1 + 0.75 + 0) / 4)
    assert good["low"] <= good["F1"] <= good["high"]
    assert good["F1 < .5"] == 1
    assert good["exact"] == pytest.approx(0.5)
    assert good["no text"] == 1
    assert good["failed"] == 0
    assert good["ms/page"] == pytest.approx(15)
    assert good["median ms"] == pytest.approx(10)
    assert good["MB/page"] == pytest.approx(3)
    assert good["most MB"] == pytest.approx(4)
    assert good["segments"] is None
    assert bad["F1"] == pytest.approx(0.5 / 4)
    assert bad["failed"] == 3
    assert bad["ms/page"] == pytest.approx((30_000 + 10) / 2)  # a crash has no time, a time-out has the limit's
    assert bad["MB/page"] is None


def test_errors_are_counted_by_reason(results):
    table = report.errors(results)
    assert [row[:4] for row in table.rows] == [
        ("bad", "crash", 1, "p1"),
        ("bad", "missing", 1, "p4"),
        ("bad", "timeout", 1, "p2"),
    ]


def test_groups_are_largest_first_and_the_unknown_has_a_name(results):
    (table,) = report.by_group(results, "site")
    assert [row[:2] for row in table.rows] == [("b.example", 2), (report.UNKNOWN, 1), ("a.example", 1)]
    assert cells(table, "a.example")["good"] == 1
    assert cells(table, "b.example")["bad"] == pytest.approx(0.25)


def test_pages_are_listed_worst_first_by_the_given_system(results):
    table = report.by_page(results, first="bad")
    assert [row[0] for row in table.rows] == ["p1", "p2", "p4", "p3"]


def test_the_comparison_counts_better_and_worse_pages(results):
    row = cells(report.comparison(results, baseline="bad", seed=1), "good")
    assert (row["better"], row["worse"], row["same"]) == (3, 0, 1)
    assert row["difference"] == pytest.approx((1 + 1 + (6 / 7 - 0.5) + 0) / 4)
    assert cells(report.comparison(results, baseline="good", seed=1), "bad")["difference"] == pytest.approx(
        -row["difference"]
    )


def test_intervals_draw_sites_where_there_are_enough_and_pages_otherwise():
    def width(n_sites):
        pages = [gold(f"{site} {n}", site=f"{site}.example") for site in range(n_sites) for n in range(40 // n_sites)]
        given = [said("s", page.id, "one two three four" if int(page.id[0]) % 2 else "five") for page in pages]
        row = cells(report.overall(score(pages, given, ["s"]), seed=1), "s")
        return row["high"] - row["low"]

    assert width(4) == pytest.approx(2 * 1.96 * 0.5 / 40**0.5, rel=0.15)
    assert width(8) == pytest.approx(2 * 1.96 * 0.5 / 8**0.5, rel=0.25)


def test_pages_with_segments_only_have_an_accuracy_and_no_f1():
    pages = [gold("p1", None, wanted=("one",), unwanted=("menu",))]
    found = score(pages, [said("s", "p1", "one menu")], ["s"])
    row = cells(report.overall(found, seed=1), "s")
    assert row["segments"] == 0.5
    assert row["F1"] is None
    assert report.by_page(found, first="s").rows[0][-1] == 0.5
    assert drawn(found) == {}


def test_a_sample_is_drawn_by_its_seed_and_keeps_the_order():
    drawn = sample(range(100), 10, seed=1)
    assert drawn == sorted(drawn) == sample(range(100), 10, seed=1)
    assert drawn != sample(range(100), 10, seed=2)
    assert sample(range(3), 5, seed=1) == [0, 1, 2]
    assert sample(range(3), None, seed=1) == [0, 1, 2]


# ---- forms of tables

TABLE = Table(
    name="t",
    title="A title",
    columns=("system", "F1", "pages", "note"),
    rows=(("a,b", 0.51234, 10, 'says "x"\nand y'), ("=cmd()", None, 3, "น้ำ"), ("c", math.nan, 0, "")),
)


def test_csv_comes_back_as_it_was():
    rows = list(csv.reader(io.StringIO(writers.csv_text(TABLE), newline="")))
    assert rows[0] == list(TABLE.columns)
    assert rows[1] == ["a,b", "0.51234", "10", 'says "x"\nand y']
    assert rows[2][1] == ""
    assert rows[3][1] == ""


def test_json_comes_back_and_holds_no_nan():
    back = json.loads(writers.json_text([TABLE], {"seed": 1}), parse_constant=lambda name: pytest.fail(name))
    assert back["seed"] == 1
    assert back["tables"]["t"]["columns"] == list(TABLE.columns)
    assert back["tables"]["t"]["rows"] == [
        ["a,b", 0.51234, 10, 'says "x"\nand y'],
        ["=cmd()", None, 3, "น้ำ"],
        ["c", None, 0, ""],
    ]


def test_text_is_aligned_and_keeps_rows_on_one_line():
    lines = writers.text(TABLE).splitlines()
    assert lines[0] == "A title"
    assert lines[4].split() == ["a,b", "0.5123", "10", "says", '"x"', "and", "y"]
    assert len(lines) == 7
    assert (
        len({line.index(figure) + len(figure) for line, figure in zip(lines[4:], ("10", " 3", " 0"), strict=True)}) == 1
    )


def test_text_paints_nothing_over_the_terminal():
    table = Table(name="t", title="", columns=("a",), rows=((HOSTILE,),))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", writers.text(table))


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.5, None], ["0.5000", "-"]),
        ([0.5, 12.345], ["0.5", "12.3"]),
        ([0.00001, 1.0], ["<0.0001", "1.0000"]),
        ([-0.00001, 0.0], [">-0.0001", "0.0000"]),
        ([3, 400], ["3", "400"]),
    ],
)
def test_figures_of_a_column_are_written_alike(values, texts):
    assert writers.column_texts(values) == texts


def test_columns_that_hold_nothing_are_left_out():
    table = Table(name="t", title="", columns=("a", "b", "c"), rows=(("x", None, 0), ("y", "", 1)))
    assert writers.without_empty(table).columns == ("a", "c")


def test_a_file_is_replaced_only_when_whole(tmp_path, monkeypatch):
    path = tmp_path / "deep" / "r.html"
    writers.write_whole(path, "old")
    monkeypatch.setattr(Path, "write_text", lambda *_, **options: (_ for _ in ()).throw(OSError("disk is full")))
    with pytest.raises(OSError, match="disk is full"):
        writers.write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"


# ---- HTML


class Seen(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.open, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(html):
    seen = Seen()
    seen.feed(html)
    seen.close()
    assert seen.open == []
    return seen


def page_of(results, baseline="good"):
    return html_report.report_page(
        report.Report(
            title=f"On {HOSTILE}",
            facts=(("gold", HOSTILE),),
            notes=(HOSTILE,),
            tables=report.tables(results, baseline=baseline, by=("site", "language"), seed=1),
            results=results,
            baseline=baseline,
        )
    )


@pytest.fixture
def hostile():
    pages = [
        gold(HOSTILE, HOSTILE + " one two", url=f"javascript:{HOSTILE}", site=HOSTILE, language=HOSTILE),
        gold("p2"),
    ]
    given = [said(HOSTILE, HOSTILE, HOSTILE * 3, error=HOSTILE), said(HOSTILE, "p2", HOSTILE)]
    return score(pages, given, [HOSTILE, "good"], metrics=METRICS)


def test_every_text_in_the_report_is_escaped(hostile):
    body = page_of(hostile, baseline=HOSTILE)
    seen = parsed(body)
    assert "script" not in seen.tags
    assert "<script>" in "".join(seen.text)
    links = [value for _, name, value in seen.attributes if name in ("href", "src")]
    assert all(value.startswith(("#", "data:image/svg+xml;base64,")) for value in links)
    assert not [name for _, name, _ in seen.attributes if name.startswith("on")]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", body)
    assert "\ufffd" in body


def test_the_report_loads_nothing_and_its_policy_allows_just_this_style(results):
    html = page_of(results)
    seen = parsed(html)
    assert not {"script", "link", "iframe", "object", "embed", "form", "base"} & set(seen.tags)
    policy = next(v for _, n, v in seen.attributes if n == "content" and "default-src" in v)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    style = re.search(r"<style>(.*?)</style>", html, flags=re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert not [a for a in seen.attributes if a[1] == "style"]  # the policy would drop it
    assert not re.search(r"url\(|@import", style)


def test_the_report_can_be_walked_without_eyes_or_mouse(results):
    html = page_of(results)
    seen = parsed(html)
    assert ("html", "lang", "en") in seen.attributes
    assert seen.tags.count("img") == 3
    assert len([value for tag, name, value in seen.attributes if (tag, name) == ("img", "alt") and value]) == 3
    assert html.count("The figures of this plot") == 3
    assert html.count("<caption>") == html.count("<table>")
    assert all(("th", "scope", scope) in seen.attributes for scope in ("col", "row"))
    targets = [value[1:] for tag, name, value in seen.attributes if tag == "a" and name == "href"]
    ids = [value for _, name, value in seen.attributes if name == "id"]
    assert set(targets) <= set(ids)
    assert len(ids) == len(set(ids))


def test_the_best_figure_of_a_column_is_marked_and_long_tables_are_folded(results, monkeypatch):
    html = page_of(results)
    assert '<td class="best">0.7143</td>' in html  # F1 of the better system
    assert '<td class="best">0</td>' in html  # its failures
    assert "2 rows</summary>" not in html
    monkeypatch.setattr(html_report, "OPEN_ROWS", 1)
    assert "2 rows</summary>" in page_of(results)


def test_worst_pages_are_shown_beside_their_gold_with_the_differences_marked(results):
    shown = page_of(results, baseline="bad").partition('<section id="worst"')[2]
    assert shown.index("p1</b>") < shown.index("p2</b>") < shown.index("p3</b>")
    assert '<mark class="missing">one two three four</mark>' in shown
    assert "(no text)" in shown
    assert "crash: SIGSEGV" in shown
    perfect = score(PAGES[:1], PREDICTIONS, ["good"])
    assert 'id="worst"' not in page_of(perfect)


def test_findings_are_shown_with_their_notes():
    page = html_report.findings_page(Findings(protocol="x", tables=(TABLE,), notes=(HOSTILE,)))
    assert "script" not in parsed(page).tags
    assert "A title" in page
    assert "alert(" in page


# ---- plots


def drawn(results):
    return {plot.name: plot for plot in plots.plots(results, {"overall": report.overall(results, seed=1)})}


def test_plots_say_what_they_show_and_name_every_system(results):
    found = drawn(results)
    assert list(found) == ["distribution", "precision_recall", "time"]
    for name, labels in {
        "distribution": ("F1 of a page, words (multiset)", "webmain and your own"),
        "precision_recall": ("precision", "recall"),
        "time": ("CPU time a page, ms (logarithmic)", "mean F1 of pages"),
    }.items():
        ElementTree.fromstring(found[name].picture)
        assert all(f">{label}<" in found[name].picture for label in (*labels, "good", "bad"))
        assert {row[0] for row in found[name].table.rows} == {"good", "bad"}


def test_the_same_figures_give_the_same_pictures(results):
    assert drawn(results) == drawn(results)


def test_points_are_sampled_where_there_are_many_pages():
    pages = [gold(str(n)) for n in range(plots.MOST_POINTS + 50)]
    found = score(pages, [said("s", page.id, "one two") for page in pages], ["s"])
    for plot in (plots.distribution(found), plots.precision_recall(found)):
        assert plots.MOST_POINTS <= plot.picture.count("<use ") < plots.MOST_POINTS + 50
        assert "are drawn" in plot.caption


# ---- differences


def test_only_the_words_that_differ_are_marked():
    found = differences.difference("one two three", "one 2 three four")
    assert [(p.text.strip(), p.differs) for p in found.gold] == [("one", False), ("two", True), ("three", False)]
    assert [(p.text.strip(), p.differs) for p in found.predicted] == [
        ("one", False),
        ("2", True),
        ("three", False),
        ("four", True),
    ]


def test_unspaced_scripts_are_compared_word_by_word():
    found = differences.difference("น้ำขึ้นสูง", "น้ำขึ้น")
    assert [(p.text, p.differs) for p in found.gold] == [("น้ำขึ้น", False), ("สูง", True)]


@given(st.text(max_size=400), st.text(max_size=400))
def test_pieces_join_to_the_texts(gold_text, predicted):
    found = differences.difference(gold_text, predicted)
    assert gold_text.startswith("".join(p.text for p in found.gold))
    assert len("".join(p.text for p in found.gold)) + found.gold_cut == len(gold_text)
    assert predicted.startswith("".join(p.text for p in found.predicted))


@pytest.mark.parametrize("word", ["a ", "a b ", "x"])
def test_long_texts_are_compared_at_their_beginning_and_the_rest_is_counted(word):
    text = word * 100_000
    found = differences.difference(text, text[::-1])
    shown = "".join(p.text for p in found.gold)
    assert len(shown) <= differences.MOST_CHARACTERS
    assert found.gold_cut == len(text) - len(shown)
