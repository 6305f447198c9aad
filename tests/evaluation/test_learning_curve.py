import pytest

from webmain.evaluation.protocols import learning_curve
from webmain.evaluation.records import GoldPage

NOTICE = "The Courier is written by its readers, and every letter is answered, sooner or later, by the editor himself."


def story(number):
    names = (
        "tide",
        "bridge",
        "harvest",
        "school",
        "market",
        "orchard",
        "ferry",
        "lantern",
        "chapel",
        "quarry",
        "mill",
        "heath",
    )
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


def test_layout_that_one_page_can_not_tell_is_told_by_several(findings):
    lbda = findings.tables[0]
    assert [row[0] for row in lbda.rows] == [2, 5]  # of 12 pages 4 are held back, 8 may be learned from
    _n, sites, learned, pages, without, with_it, better = lbda.rows[0]
    assert (sites, learned, pages, better) == (1, 1, 4, 1)
    assert without < 0.95
    assert with_it == 1.0


def test_each_form_of_the_svm_has_a_table(findings):
    assert [table.name for table in findings.tables] == ["lbda", "svm", "svm_form_local"]


def test_sites_with_too_few_pages_are_left_out():
    findings = learning_curve.run([gold(i) for i in range(5)])
    assert all(table.rows == () for table in findings.tables)
    assert findings.notes[0].startswith("0 sites")


def test_the_same_seed_gives_the_same_figures(findings):
    assert learning_curve.run([gold(i) for i in range(12)]).tables == findings.tables
