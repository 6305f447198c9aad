from dataclasses import replace
from xml.etree import ElementTree

import pytest

from webmain.evaluation import html_report
from webmain.evaluation.protocols import learning_curve
from webmain.evaluation.records import GoldPage

NOTICE = "The Courier is written by its readers, and every letter is answered, sooner or later, by the editor himself."


def story(number):
    names = "tide bridge harvest school market orchard ferry lantern chapel quarry mill heath".split()
    name = names[number % len(names)]
    return " ".join(
        f"On day {day} of week {number} the {name} was seen by {day + number} people, who said so." for day in range(6)
    )


def gold(number, site="courier.example"):
    text = story(number)
    html = (
        f"<html><head><title>Story {number}</title><meta name=description content='{text[:90]}'></head><body>"
        f"<div class=notice><p>{NOTICE}</p></div><div class=story><p>{text}</p></div></body></html>"
    )
    return GoldPage(id=str(number), dataset="made", html=html, text=text, url=f"https://{site}/{number}", site=site)


@pytest.fixture(scope="module")
def findings():
    return learning_curve.run([gold(i) for i in range(12)])


def rows(findings, name):
    table = next(table for table in findings.tables if table.name == name)
    assert len({row[0] for row in table.rows}) == 1  # one set of sites
    return {row[1]: dict(zip(table.columns, row, strict=True)) for row in table.rows}


def test_sites_with_more_pages_have_a_curve_of_their_own(monkeypatch):
    monkeypatch.setattr(learning_curve, "specs", lambda: ["lbda"])
    one = [gold(i) for i in range(6)] + [gold(i, site="tidings.example") for i in range(10)]
    table = next(t for t in learning_curve.run(one).tables if t.name == "lbda_same")
    assert [row[:3] for row in table.rows] == [
        *(("5 or more", n, 2) for n in (1, 2, 5)),
        *(("10 or more", n, 1) for n in (1, 2, 5, 10)),
    ]
    assert [row[4] for row in table.rows] == [16] * 3 + [10] * 4


def test_a_layout_that_one_page_does_not_show_is_learned_from_several(findings):
    found = rows(findings, "lbda_others")
    assert list(found) == [1, 2, 5]  # of 12 pages 4 are held back, 8 may be learned from
    assert [found[n]["of which learned"] for n in (1, 2, 5)] == [0, 1, 1]
    assert {found[n]["pages judged"] for n in found} == {4}
    assert found[1]["F1"] == found[1]["F1 alone"] < 0.95
    assert found[1]["sites better"] == found[1]["sites worse"] == 0
    assert (found[2]["F1"], found[2]["ROUGE"], found[2]["exact"], found[2]["sites better"]) == (1.0, 1.0, 1.0, 1)
    assert found[2]["exact alone"] == 0


def test_pages_given_together_are_all_judged_at_every_point(findings):
    found = rows(findings, "lbda_same")
    assert list(found) == [1, 2, 5, 10]
    assert {found[n]["pages judged"] for n in found} == {12}
    assert found[1]["F1"] == found[1]["F1 alone"]
    assert found[5]["F1"] == 1.0


@pytest.mark.parametrize(("n_pages", "n"), [(5, 5), (7, 5), (11, 1), (30, 20)])
def test_each_page_is_judged_once_in_a_group_of_the_right_size(n_pages, n):
    groups = list(learning_curve._groups(n_pages, n))
    assert [place for _, judged in groups for place in judged] == list(range(n_pages))
    assert all(len(given) == n and set(judged) <= set(given) for given, judged in groups)
    assert all(given.start >= 0 and given.stop <= n_pages for given, _ in groups)


def test_every_method_that_learns_has_its_tables(findings):
    assert [spec for spec in ("lbda", "svm", "svm:form=local") if spec not in learning_curve.specs()] == []
    names = [spec.replace(":", "_").replace("=", "_") for spec in learning_curve.specs()]
    assert [table.name for table in findings.tables] == [f"{n}_{way}" for n in names for way in ("others", "same")]


def test_the_curves_are_drawn(findings):
    (plot,) = findings.plots
    ElementTree.fromstring(plot.picture)
    assert "lbda, the same pages" in plot.picture
    assert "the same pages" in html_report.findings_page(findings)
    assert ("lbda, other pages", 1, 2) in [row[:3] for row in plot.table.rows]
    assert ">1 site<" in plot.picture
    assert plot.table.columns == ("curve", "sites", "pages", "F1", "F1 alone")


def test_periods_of_a_site_are_learned_apart_and_given_together():
    pages = [replace(gold(i), period=str(i % 2)) for i in range(20)]
    assert [len(held) + len(rest) for held, rest in learning_curve._held_out(pages, 1)] == [10, 10]
    (site,) = learning_curve._whole(pages, 1)
    assert [page.period for page in site] == ["0"] * 10 + ["1"] * 10


def test_sites_with_too_few_pages_are_left_out(monkeypatch):
    monkeypatch.setattr(learning_curve, "specs", lambda: ["lbda", "svm"])
    findings = learning_curve.run([gold(i) for i in range(8)])
    assert all(table.rows == () for table in findings.tables if table.name.endswith("_others"))
    assert findings.notes[0].startswith("Other pages: 0 sites")
    findings = learning_curve.run([gold(i) for i in range(4)])
    assert (findings.tables, findings.plots, findings.n_pages) == ((), (), 0)
