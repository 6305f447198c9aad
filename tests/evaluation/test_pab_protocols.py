"""The Priority Assignment paper's experiments, on pages small enough to count by hand."""

from __future__ import annotations

import importlib
import math
import tempfile
from pathlib import Path

import pytest

from webmain.evaluation.block_pages import Approach, block_database, block_pages
from webmain.evaluation.protocols import PROTOCOLS, pab_blocks, pab_classes, pab_search
from webmain.evaluation.protocols.papers import figures
from webmain.evaluation.records import Findings, GoldPage, Table

OUTER = "".join(f'<a href="https://other{i}.example/">shop {i}</a> ' for i in range(10))
INNER = "".join(f'<a href="/{i}">story {i}</a> ' for i in range(4))
TABLE_3_2 = (
    "<html><head><title>Computer news</title></head><body><h1>The computer of the year</h1>"
    f"<b>{OUTER}</b><p>A <b>fast</b> and <b>small</b> computer.</p><p>An <i>old</i> and <b>big</b> one.</p>"
    f"<p>Only <b>bold</b> here.</p><p>Plain text.</p><p><i>More:</i> {INNER}</p><p>Plain text.</p>"
    "<form>Search the site</form><div>Between the blocks</div></body></html>"
)
"""The blocks of the paper's table 3.2, one of them twice, a form, and text that no tag of the table holds."""


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide pages into classes twice, not twenty times."""
    monkeypatch.setattr(pab_classes, "DRAWS", 2)


def page(n: int, html: str, **other: str) -> GoldPage:
    return GoldPage(id=str(n), dataset="made", url=f"https://news.example/{n}", html=html, text=None, **other)  # type: ignore[arg-type]


def simple(n: int, *paragraphs: str, **other: str) -> GoldPage:
    return page(n, "<title>Page</title><body>" + "".join(f"<p>{text}</p>" for text in paragraphs), **other)


def rows(findings: Findings, name: str) -> dict[str, tuple[str | int | float | None, ...]]:
    (table,) = [table for table in findings.tables if table.name == name]
    check(table)
    return {str(row[0]): row[1:] for row in table.rows}


def check(table: Table) -> None:
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_blocks_of_the_papers_example_have_the_papers_priorities() -> None:
    pages = block_pages([page(1, TABLE_3_2)])
    (pab,) = pages.of[Approach.PAB]
    assert pab.title == "Computer news"
    # table 3.2: h1 1.0; b with outer links 0.0: noisy; p+b+b 0.9; p+i+b 0.7; p+b 0.5; p 0.1; p+i+4 inner links 1.1
    assert pab.priorities == pytest.approx((1.0, 0.9, 0.7, 0.5, 0.1, 1.1))
    assert pab.texts[1] == "A fast and small computer."
    assert pab.counts.found == 9  # the title and eight tags
    assert (pab.counts.noisy, pab.counts.merged, pab.counts.kept) == (1, 1, 7)


def test_rivals_keep_what_the_paper_says_of_them() -> None:
    pages = block_pages([page(1, TABLE_3_2)])
    (eniw,), (raw,) = pages.of[Approach.ENIW], pages.of[Approach.RAW]
    assert "Search the site" not in eniw.whole
    assert "Between the blocks" in eniw.whole
    assert "shop 9" in eniw.whole
    assert "Search the site" in raw.whole
    assert set(eniw.priorities) == set(raw.priorities) == {1.0}
    assert all(version.title == "Computer news" for version in (eniw, raw))


def test_blocks_of_both_methods_add_up_to_the_same_total() -> None:
    findings = pab_blocks.run([page(1, TABLE_3_2)])
    found = rows(findings, "pab_blocks")
    assert found["PAB, its own blocks"][:4] == (9, 1, 1, 7)
    # a reader sees the heading, the links, six paragraphs, the form and the text between: PAB keeps the heading and five
    assert found["PAB, of all text blocks"][:4] == (10, 4, None, 6)
    assert found["ENIW, of all text blocks"][:4] == (10, 1, None, 9)
    assert found["paper: PAB"] == (120_237, 8_319, None, 111_918, 89.56)
    assert found["paper: ENIW"] == (120_237, 6_613, None, 113_624, 95.58)
    assert 111_918 + 8_319 == 113_624 + 6_613 == 120_237


def test_database_of_pab_is_the_smallest() -> None:
    rest = "<div>boilerplate</div>" * 200 + "<form>" + "<div>Search the site</div>" * 20 + "</form>"
    gold = [page(n, TABLE_3_2.replace("Plain", f"Plain {n}") + rest) for n in range(12)]
    sizes = rows(pab_blocks.run(gold), "pab_sizes")
    for column in range(4):
        pab, eniw, raw = (sizes[name][column] for name in ("PAB", "ENIW", "raw pages"))
        assert pab < eniw < raw  # type: ignore[operator]
    assert sizes["PAB"][2] < sizes["PAB"][3]  # type: ignore[operator]
    assert sizes["pages as HTML"][1] == sum(len(str(p.html)) for p in gold) / 1_000_000
    assert (sizes["paper: PAB"][2], sizes["paper: ENIW"][2]) == (19.4, 22.6)


def test_search_in_pabs_blocks_is_ranked_by_priority_times_density() -> None:
    pages = block_pages([page(1, TABLE_3_2), simple(2, "computer"), simple(3, "no such word")])
    with block_database(pages.of[Approach.PAB], Approach.PAB) as database:
        results = database.index.search("computer", per="block")
    # title 1.0 * 1/2, h1 1.0 * 1/5, p+b+b 0.9 * 1/5, p 0.1 * 1/1
    assert [round(hit.priority, 3) for hit in results.hits] == [0.5, 0.2, 0.18, 0.1]
    assert [hit.url for hit in results.hits] == ["page:0"] * 3 + ["page:1"]


def test_pages_found_are_counted_in_each_database() -> None:
    noise = "<form>computer</form>"
    gold = [simple(1, "a computer"), page(2, f"<p>text</p><div>computer</div>{noise}"), page(3, f"<p>text</p>{noise}")]
    findings = pab_search.run(gold)
    found = rows(findings, "pab_search_one")
    assert [found[name][3] for name in ("PAB", "ENIW", "raw pages")] == [1, 2, 3]
    assert found["paper: PAB"] == (12.0, None, None, 136)
    assert "'computer'" in findings.tables[0].title
    for values in found.values():
        assert all(value is None or value > 0 for value in values)  # type: ignore[operator]


def test_another_keyword_is_drawn_where_no_page_has_the_papers() -> None:
    gold = [simple(1, "ข่าวเศรษฐกิจวันนี้", language="th")]
    pages = block_pages(gold)
    keyword, keywords = pab_search.draw_keywords(pages, 3)
    assert keyword == keywords[0]
    assert set(keywords) == {"page", "ข่าว", "เศรษฐกิจ", "วันนี้"}
    findings = pab_search.run(gold, seed=3)
    assert keyword in findings.notes[1]
    assert "no page has the paper's" in findings.notes[1]


def classed(n_each: int, *, shared: bool = False) -> list[GoldPage]:
    words = {"food": "bread soup salt", "arts": "stage song paint", "tech": "chip code disk"}
    return [
        simple(n, "same words" if shared else text, category=name)
        for name, text in words.items()
        for n in range(n_each)
    ]


def test_pages_whose_words_tell_their_class_are_all_classified_rightly() -> None:
    findings = pab_classes.run(classed(10))
    cases = rows(findings, "pab_classes")
    for case in "1234567":
        assert cases[case][2:5] == (100.0, 100.0, 100.0)
    errors = rows(findings, "pab_errors")
    assert errors["PAB"] == (100.0, 0.0, 100.0, 0.1496)
    assert errors["raw pages"] == (100.0, 0.0, 100.0, None)
    assert "category: arts (10), food (10), tech (10)" in findings.notes[0]


def test_accuracy_by_hand() -> None:
    # 3 training pages: class a has the words x x, class b has y and y; the test pages x and "x y y y"
    from sklearn.feature_extraction import DictVectorizer

    counts = DictVectorizer().fit_transform([{"x": 2.0}, {"y": 1.0}, {"y": 1.0}, {"x": 1.0}, {"x": 1.0, "y": 3.0}])
    # P(a) = 1/3, P(x|a) = 3/4, P(y|a) = 1/4; P(b) = 2/3, P(x|b) = 1/4, P(y|b) = 3/4
    # page 3: a 1/3*3/4 = .25 > b 2/3*1/4 = .167; page 4: a 1/3*3/4/64 = .0039 < b 2/3*1/4*27/64 = .07
    labels = ["a", "b", "b", "a", "a"]
    assert pab_classes.accuracy(counts, labels, [0, 1, 2], [3, 4]) == 0.5
    assert pab_classes.accuracy(counts, [*labels[:4], "b"], [0, 1, 2], [3, 4]) == 1.0


def test_test_pages_are_the_papers_shares() -> None:
    assert [pab_classes.n_test(case, 500) for case in range(7)] == [10, 20, 30, 40, 50, 60, 70]
    assert [pab_classes.n_test(case, 250) for case in range(7)] == [5, 10, 15, 20, 25, 30, 35]
    assert pab_classes.n_test(0, 10) == 1


def test_papers_table_is_beside_ours_and_its_contradictions_are_in_the_notes() -> None:
    findings = pab_classes.run(classed(5))
    cases = rows(findings, "pab_classes")
    assert cases["2"][5:] == (20, 85.0, 80.0)
    assert cases["7"][5:] == (70, 80.0, 90.0)
    assert cases["mean"][6:] == pytest.approx((83.19, 85.04), abs=0.005)
    assert "15 of 20" in findings.notes[1]
    # PAB: deviations from 85.04 squared add up to 99.9; / 6, root, / root of 7
    assert "1.54 points for PAB and 0.91 for ENIW" in findings.notes[2]
    printed = figures("pab_classes", "pab")
    squares = sum((x - sum(printed) / 7) ** 2 for x in printed)
    assert math.sqrt(squares / 6 / 7) == pytest.approx(1.54, abs=0.005)
    assert 1 - sum(printed) / 700 == pytest.approx(0.1496, abs=5e-5)  # printed as the standard error


@pytest.mark.parametrize(
    ("fields", "kind", "classes"),
    [
        ([{"category": "a"}, {"category": "b"}], "category", {"a", "b"}),
        ([{"page_type": "forum"}, {"page_type": "article", "category": "x"}], "page type", {"forum", "article"}),
        (
            [{"url": "https://x.example/sport/1"}, {"url": "https://x.example/city/1"}],
            "section of the site",
            {"sport", "city"},
        ),
        (
            [{"site": "x.example", "url": "https://x.example/2026/1"}, {"site": "y.example"}],
            "site",
            {"x.example", "y.example"},
        ),
        ([{"category": "a"}, {}], "site", {""}),
    ],
)
def test_classes_are_the_first_that_the_pages_have(fields: list[dict[str, str]], kind: str, classes: set[str]) -> None:
    gold = [
        GoldPage(**({"id": f"{i}", "dataset": "d", "html": "", "text": None} | some))  # type: ignore[arg-type]
        for some in fields
        for i in range(pab_classes.MIN_CLASS)
    ]
    assert pab_classes.classes_of(gold) == (kind, [pab_classes.classes_of(gold)[1][i] for i in range(len(gold))])
    assert set(pab_classes.classes_of(gold)[1]) == classes


def test_small_classes_are_left_out_and_one_class_is_no_classification() -> None:
    rare = [simple(99, "rare", category="rare")] * (pab_classes.MIN_CLASS - 1)
    assert pab_classes.classes_of(classed(5) + rare)[1][-1] == ""
    findings = pab_classes.run([simple(n, "text", category="a") for n in range(9)] + rare)
    assert "13 pages of classes with fewer than 5 pages" in findings.notes[0]
    assert findings.tables == ()
    assert "nothing was classified" in findings.notes[-1]


def test_draws_depend_on_the_seed_alone() -> None:
    gold = [simple(n, " ".join(f"word{chr(97 + n)}{chr(97 + i)}" for i in range(20))) for n in range(5)]
    first, again, other = (pab_search.draw_keywords(block_pages(gold), seed)[1] for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == 50
    shared = classed(8, shared=True)  # whose words tell nothing: classified by chance
    drawn, drawn_again, drawn_otherwise = (pab_classes.run(shared, seed=seed) for seed in (4, 4, 5))
    assert drawn == drawn_again
    assert drawn.tables != drawn_otherwise.tables
    mean = rows(drawn, "pab_errors")["PAB"][2]
    assert isinstance(mean, float)
    assert mean < 60


@pytest.mark.parametrize("name", ["pab_blocks", "pab_search", "pab_classes"])
def test_protocols_are_named_survive_bad_pages_and_leave_no_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    module = importlib.import_module(PROTOCOLS[name])
    bad = [page(90, ""), page(91, "<div></div>"), page(92, "<p>\x00\ud800</p>"), page(93, "%PDF-1.4")]
    for gold in ([], bad, classed(5) + bad):
        findings = module.run(gold, seed=1)
        assert findings.protocol == name
        for table in findings.tables:
            check(table)
    assert list(tmp_path.iterdir()) == []
