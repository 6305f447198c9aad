"""What each run gave of each site, as the ledger keeps it."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.ledger import runs as module
from webmain.ledger.file import LedgerError, LedgerFile, OlderLedgerError
from webmain.ledger.ledger import Ledger
from webmain.ledger.runs import COUNTED, COUNTED_BY_KIND, KILLED, RUNNING, Figures, Runs, SiteRun

NOW = 1_800_000_000.0
counts = st.dictionaries(
    st.sampled_from([*COUNTED, *(f"{name}/{kind}" for name in COUNTED_BY_KIND for kind in ("a", "b"))]),
    st.integers(1, 10**9),
)


@pytest.fixture
def runs(tmp_path):
    with Ledger(tmp_path / "a.ledger", clock=lambda: NOW) as ledger:
        yield ledger.runs


def run(site="a.example", started_at=NOW, **values):
    return SiteRun(site=site, started_at=started_at, written_at=started_at, **values)


def test_counts_are_figures_and_other_names_are_left_out():
    found = Figures.of({"new": 3, "rejected": 9, "rejected/blocked": 2, "articles": 3, "failed/dns": 1, "other/x": 1})
    assert found == Figures(new=3, rejected={"blocked": 2}, failed={"dns": 1})


@given(counts)
def test_figures_are_read_as_they_were_written(found):
    with LedgerFile(":memory:") as file:
        written = run(figures=Figures.of(found))
        Runs(file).write([written])
        assert Runs(file).read().of == {"a.example": [written]}


def test_errors_are_what_cannot_be_had_and_is_not_forbidden():
    found = Figures(rejected={"blocked": 5, "http_error": 2, "not_article": 3}, failed={"dns": 1, "robots": 4})
    assert found.errors == 3


def test_runs_are_written_over_and_read_by_site_oldest_first(runs):
    runs.write([run(), run("b.example")])
    runs.write([run(started_at=NOW - 60), run(figures=Figures(new=2), finished_at=NOW + 1, outcome="finished")])
    found = runs.read()
    assert [(r.started_at, r.figures.new) for r in found.of["a.example"]] == [(NOW - 60, 0), (NOW, 2)]
    assert list(found.of) == ["a.example", "b.example"]
    assert list(runs.read(["b.example", "none.example"]).of) == ["b.example"]
    assert len(runs.read(last=1).of["a.example"]) == 1


def test_run_without_an_end_goes_on_or_was_killed():
    assert run().ended(NOW + 200) == RUNNING
    assert run().ended(NOW + 301) == KILLED
    assert run().ended(NOW - 301) == KILLED  # the clock was turned back
    assert run(outcome="finished").ended(NOW + 301) == "finished"


def test_old_rows_go_when_a_run_ends(runs, monkeypatch):
    monkeypatch.setattr(module, "KEEP_RUNS", 3)
    runs.write([*(run(started_at=NOW - n) for n in (3, 2, 1)), run("b.example", NOW - 4)])
    runs.write([run()])
    assert len(runs.read().of["a.example"]) == 4
    runs.write([run(finished_at=NOW, outcome="finished")])
    assert [r.started_at for r in runs.read().of["a.example"]] == [NOW - 2, NOW - 1, NOW]
    runs.write([run(started_at=NOW + n, finished_at=NOW + n, outcome="finished") for n in range(1, 5)])
    assert [r.started_at for r in runs.read().of["a.example"]] == [NOW + 2, NOW + 3, NOW + 4]
    assert len(runs.read().of["b.example"]) == 1


def starts_after(runs, *days):
    """The starts that are left, in days, after runs that began and ended at these times."""
    for at in days:
        runs.write([run(started_at=NOW + at * 86_400, finished_at=NOW + at * 86_400 + 60, outcome="finished")])
    return [(r.started_at - NOW) / 86_400 for r in runs.read().of["a.example"]]


def test_run_with_the_clock_far_ahead_removes_no_other_and_is_removed_by_the_next(runs):
    assert starts_after(runs, -3, -2, -1, 500) == [-3, -2, -1, 500]
    assert starts_after(runs, 0) == [-3, -2, -1, 0]


def test_run_with_the_clock_far_behind_removes_no_other(runs):
    assert starts_after(runs, -3, -2, -1, -9000) == [-9000, -3, -2, -1]


@pytest.mark.parametrize("figures", ["{", "[1]", '{"new": "x"}', '{"rejected": {"a": null}}', '{"rejected": 3}'])
def test_damaged_row_hides_no_other(tmp_path, figures):
    with Ledger(tmp_path / "a.ledger") as ledger:
        ledger.runs.write([run(), run(started_at=NOW + 1)])
    with sqlite3.connect(tmp_path / "a.ledger") as db:
        db.execute("UPDATE site_runs SET figures = ? WHERE started_at = ?", (figures, NOW))
    db.close()
    with Ledger(tmp_path / "a.ledger") as ledger:
        found = ledger.runs.read()
    assert ([r.started_at for r in found.of["a.example"]], found.n_damaged) == ([NOW + 1], 1)


def test_next_run_removes_a_row_that_is_no_json(tmp_path):
    with Ledger(tmp_path / "a.ledger") as ledger:
        ledger.runs.write([run(), run(started_at=NOW + 1)])
        with ledger.transaction() as db:
            db.execute("UPDATE site_runs SET figures = ? WHERE started_at = ?", ("{damaged", NOW))
        ledger.runs.write([run(started_at=NOW + 2)])
        assert ledger.runs.read().n_damaged == 1
        ledger.runs.write([run(started_at=NOW + 2, finished_at=NOW + 3, outcome="finished")])
        found = ledger.runs.read()
    assert ([r.started_at for r in found.of["a.example"]], found.n_damaged) == ([NOW + 1, NOW + 2], 0)


def test_ledger_that_is_only_read_is_neither_made_nor_changed(tmp_path):
    path = tmp_path / "a ledger?#%.ledger"
    with pytest.raises(LedgerError, match="there is no such file"):
        LedgerFile(path, read_only=True)
    assert not path.exists()
    with Ledger(path) as ledger:
        ledger.runs.write([run()])
        with LedgerFile(path, read_only=True) as file:
            assert list(Runs(file).read().of) == ["a.example"]
            with pytest.raises(LedgerError):
                Runs(file).write([run()])
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 3")
    db.close()
    with pytest.raises(OlderLedgerError, match="version 3"):
        LedgerFile(path, read_only=True)
