"""Quality of the confidences: hand-computed figures, laws, tables, plots, and the way of a confidence through files."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.made_up import cells
from webmain.evaluation import confidence, confidence_tables, html_report, plots, report, systems, worker
from webmain.evaluation.predictions import prediction_of
from webmain.evaluation.records import GoldPage, Prediction, Table
from webmain.evaluation.scoring import score
from webmain.evaluation.statistics import bootstrap
from webmain.items import Reason, Rejected

pytestmark = pytest.mark.usefixtures("less_garbage")
SURE = [0.9, 0.8, 0.7, 0.6]
REACHED = [1.0, 0.5, 1.0, 0.0]
shares = st.floats(0, 1, allow_nan=False)
pages_of = st.lists(st.tuples(shares, shares), min_size=1, max_size=40)


# ---- figures


def test_the_curve_is_the_mean_of_the_most_confident_pages():
    assert confidence.by_coverage(SURE, REACHED) == pytest.approx([1, 0.75, 2.5 / 3, 0.625])
    assert confidence.by_coverage(SURE[::-1], REACHED[::-1]) == pytest.approx([1, 0.75, 2.5 / 3, 0.625])


def test_pages_of_equal_confidence_stand_in_no_order():
    assert confidence.by_coverage([0.5, 0.5, 0.9], [1, 0, 0.4]) == pytest.approx([0.4, 0.45, 1.4 / 3])
    assert confidence.by_coverage([0.5, 0.9, 0.5], [0, 0.4, 1]) == pytest.approx([0.4, 0.45, 1.4 / 3])


def test_the_figures_are_those_computed_by_hand():
    found = confidence.figures(SURE, REACHED)
    assert found["confidence"] == pytest.approx(0.75)
    assert found["F1"] == pytest.approx(0.625)
    assert found["ECE"] == pytest.approx(0.125)  # four pages are one bin
    assert found["Brier"] == pytest.approx((0.01 + 0.09 + 0.09 + 0.36) / 4)
    assert found["MAE"] == pytest.approx((0.1 + 0.3 + 0.3 + 0.6) / 4)
    assert found["Spearman"] == pytest.approx(3 / math.sqrt(5 * 4.5))
    aurc = (0 + 0.25 + 0.5 / 3 + 0.375) / 4
    best = (0 + 0 + 0.5 / 3 + 0.375) / 4
    assert found["AURC"] == pytest.approx(aurc)
    assert found["excess AURC"] == pytest.approx(aurc - best)
    assert found["ranking"] == pytest.approx((0.375 - aurc) / (0.375 - best))


def test_the_calibration_error_is_the_mean_distance_in_bins_of_equal_mass():
    sure = [0.1] * 3 + [0.3] * 2 + [0.8] * 5
    reached = [0.4, 0.2, 0.3, 0.3, 0.3, 0.6, 0.7, 0.5, 0.6, 0.6]
    # the first bin: confidence .18, F1 .3; the second: .8, .6
    assert confidence.calibration_error(sure, reached) == pytest.approx((5 * 0.12 + 5 * 0.2) / 10)
    assert confidence.calibration_error(sure, reached) != pytest.approx(abs(0.49 - 0.45))  # that of one bin
    low, high = confidence.bins(sure, reached, seed=1)
    assert (low["pages"], low["from"], low["to"]) == (5, 0.1, 0.3)
    assert (low["confidence"], low["F1"]) == pytest.approx((0.18, 0.3))
    assert (high["confidence"], high["F1"]) == pytest.approx((0.8, 0.6))
    assert high["low"] <= 0.6 <= high["high"]


def test_pages_of_equal_confidence_in_two_bins_give_both_the_same_interval():
    low, high = (
        (row["F1"], row["low"], row["high"]) for row in confidence.bins([0.9] * 12, [0.1] * 6 + [0.9] * 6, seed=1)
    )
    assert low == high
    assert low[0] == pytest.approx(0.5)
    assert 0.1 < low[1] < 0.4
    assert 0.6 < low[2] < 0.9


@given(
    st.lists(st.tuples(st.sampled_from([0, 0.5, 0.7, 0.9]), st.sampled_from([0, 0.1, 0.7, 1])), min_size=1, max_size=40)
)
def test_the_interval_of_a_bin_holds_its_mean(pages):
    for row in confidence.bins(*zip(*pages, strict=True), seed=1):
        assert row["low"] - 1e-9 <= row["F1"] <= row["high"] + 1e-9


@pytest.mark.parametrize(("n_pages", "n_bins"), [(1, 1), (9, 1), (10, 2), (49, 9), (50, 10), (500, 10)])
def test_a_bin_has_five_pages_at_least_and_there_are_ten_at_most(n_pages, n_bins):
    assert len(confidence.bins([0.5] * n_pages, [0.5] * n_pages, seed=1)) == n_bins


def test_without_spread_there_is_no_correlation_and_nothing_to_rank():
    found = confidence.figures([0.2, 0.9], [0.5, 0.5])
    assert math.isnan(found["Spearman"])
    assert math.isnan(found["ranking"])
    assert found["excess AURC"] == pytest.approx(0)


@given(pages_of)
def test_no_ranking_is_better_than_that_by_f1_itself(pages):
    sure, reached = np.array(pages).T
    assert confidence.figures(sure, reached)["excess AURC"] >= -1e-9
    assert confidence.figures(reached, reached)["excess AURC"] == pytest.approx(0)
    assert confidence.figures(reached, reached)["ECE"] == pytest.approx(0)


@pytest.mark.parametrize(("coverage", "n_pages", "kept"), [(0.9, 10, 9), (0.9, 180, 162), (0.9, 11, 10), (0.1, 3, 1)])
def test_shares_are_rounded_up_and_rounding_errors_are_not(coverage, n_pages, kept):
    assert confidence.n_kept(coverage, n_pages) == kept


# ---- margins


def test_the_margin_grows_where_the_pages_set_aside_are_those_that_the_rival_has_right():
    sure = [0.9] * 9 + [0.1]
    own, rival, worse = [1.0] * 9 + [0.0], [0.9] * 9 + [0.8], [0.5] * 10
    whole, most = confidence.margins(sure, own, {"worse": worse, "rival": rival}, coverages=(1.0, 0.9), seed=1)
    assert (whole["coverage"], whole["pages"], whole["best rival"]) == ("100 %", 10, "rival")
    assert whole["margin"] == pytest.approx(0.9 - 0.89)
    assert whole["times"] == pytest.approx(1)
    assert (most["pages"], most["F1"], most["its F1"]) == pytest.approx((9, 1.0, 0.9))
    assert most["times"] == most["by true F1"] == pytest.approx(0.1 / 0.01)
    assert most["low"] <= most["margin"] <= most["high"]


@pytest.mark.parametrize(
    ("sure", "own", "rivals", "coverage", "expected"),
    [
        # the best rival is that on the same pages
        ([0.9, 0.1], [1.0, 1.0], {"even": [0.6, 0.6], "first": [0.9, 0.0]}, 0.5, ("first", 0.1, 0.25, 1)),
        # a ranking by true F1 shows what is attainable: .5 over the full margin of .2
        ([0.1, 0.9, 0.9, 0.9], [1, 1, 1, 0], {"rival": [0.5, 0.5, 0.5, 0.7]}, 0.75, ("rival", 0.1, 0.5, 2.5)),
        # of a margin that is not positive there is no multiple
        ([0.9, 0.1], [0.5, 0.5], {"rival": [0.6, 0.6]}, 0.5, ("rival", -0.1, math.nan, math.nan)),
    ],
)
def test_margins_by_hand(sure, own, rivals, coverage, expected):
    (found,) = confidence.margins(sure, own, rivals, coverages=(coverage,), seed=1)
    assert found["best rival"] == expected[0]
    assert (found["margin"], found["times"], found["by true F1"]) == pytest.approx(expected[1:], nan_ok=True)


# ---- intervals


def test_intervals_hold_the_figures_and_are_the_same_for_the_same_seed():
    rng = np.random.default_rng(4)
    sure = rng.uniform(0, 1, 300)
    reached = np.clip(sure + rng.normal(0, 0.1, 300), 0, 1)
    for name in ("F1", "Brier", "MAE", "Spearman", "AURC"):
        figure = partial(lambda name, *both: confidence.figures(*both)[name], name)
        found = bootstrap(figure, sure, reached, seed=1, n_resamples=200)
        assert found.low < figure(sure, reached) < found.high
        assert found == bootstrap(figure, sure, reached, seed=1, n_resamples=200)


# ---- the way of a confidence


def sure_or_not(html, url):
    if "REJECT" in html:
        raise Rejected(Reason.NO_TEXT, "nothing kept")
    if "PLAIN" in html:
        return "only a text"
    return html.removeprefix("<p>"), {"TOO": 1.5, "NAN": math.nan, "WORD": "high"}.get(html[3:], 0.7)


def gold(name, html="<p>", dataset="d", text="one two three four", **fields):
    return GoldPage(id=name, dataset=dataset, html=html, text=text, **fields)


@pytest.mark.parametrize(
    ("html", "text", "told"),
    [
        ("<p>tide", "tide", 0.7),
        ("<p>PLAIN", "only a text", None),
        ("<p>TOO", "TOO", None),
        ("<p>NAN", "NAN", None),
        ("<p>WORD", "WORD", None),
    ],
)
def test_a_function_may_give_its_confidence_with_the_text(html, text, told):
    loaded = systems.Loaded(
        prepare=systems._peer_page, answer=systems._each(lambda page: systems._call(sure_or_not, page))
    )
    (outcome,) = worker.measure(loaded, [gold("a", html)], worker.Meter())
    assert (outcome.text, outcome.confidence, outcome.error) == (text, told, "")


def test_an_extractors_confidence_reaches_the_prediction():
    class Sure:
        name = "sure"

        def __init__(self):
            self._inner = systems.create("line_block")  # type: ignore[attr-defined]

        def segment(self, document):
            return self._inner.segment(document)

        def judge(self, segmentation):
            from dataclasses import replace

            return replace(self._inner.judge(segmentation), confidence=0.25)

    html = "<p>" + "The tide came in before noon, said the harbour master, and went out again. " * 9
    page = systems.as_page(gold("a", html))  # type: ignore[attr-defined]
    for way in (systems._by_page, systems._by_site):
        ((text, told),) = way(Sure(), [page])
        assert (text[:8], told) == ("The tide", 0.25)


@pytest.mark.parametrize("value", [1.01, -0.5, "high", math.nan])
def test_a_confidence_that_is_no_share_is_damage(value):
    line = {"system": "s", "dataset": "d", "id": "1", "text": "t", "seconds": 0.1, "confidence": value}
    with pytest.raises((ValueError, TypeError)):
        prediction_of(line)


# ---- tables and plots


def said(system, page, text, told=None):
    return Prediction(system=system, dataset=page.dataset, id=page.id, text=text, seconds=0.01, confidence=told)


@pytest.fixture
def results(monkeypatch):
    few = {"n_resamples": 50}  # where intervals are asked for at all, not what they are
    for module in (confidence, confidence_tables):
        monkeypatch.setattr(module, "bootstrap", lambda *given, **options: bootstrap(*given, **options | few))
    pages = [gold(str(n), dataset="d" if n < 10 else "e", site=f"{n}.example") for n in range(20)]
    right, half = "one two three four", "one two five six"
    given_ = []
    for n, page in enumerate(pages):
        good = n % 10 < 9
        given_.append(said("mine", page, right if good else "five", 0.9 if good else 0.2))
        given_.append(said("silent", page, half))
        given_.append(said("trafilatura", page, "one two three five"))
    given_[0] = said("mine", pages[0], right)  # one page without a confidence
    return score(pages, given_, ["mine", "silent", "trafilatura"])


def test_only_systems_with_confidences_are_judged_by_them(results):
    assert confidence_tables.systems(results) == ["mine"]
    row = cells(confidence_tables.quality(results, seed=1), "mine")
    assert (row["pages"], row["without"]) == (20, 1)
    assert row["confidence"] == pytest.approx((17 * 0.9 + 2 * 0.2) / 19)
    assert row["F1 of those"] == pytest.approx(17 / 19)
    assert row["ECE low"] <= row["ECE high"]


def test_a_page_without_confidence_comes_last(results):
    table = confidence_tables.coverage(results)
    assert table.columns == ("coverage", "pages", "mine")
    assert cells(table, "80 %")["mine"] == pytest.approx(1)
    assert cells(table, "95 %")["mine"] == pytest.approx(17 / 19)
    assert cells(table, "100 %")["mine"] == pytest.approx(18 / 20)


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_confidence_in_no_text_is_none(text):
    pages = [gold(str(n)) for n in range(10)]
    given_ = [said("mine", page, page.text, 0.8) for page in pages[:9]] + [said("mine", pages[9], text, 0.95)]
    found = score(pages, given_, ["mine"])
    row = cells(confidence_tables.quality(found, seed=1), "mine")
    assert (row["without"], row["confidence"], row["F1 of those"]) == (1, pytest.approx(0.8), 1)
    assert cells(confidence_tables.coverage(found), "90 %")["mine"] == 1


def test_peers_are_the_rivals_where_there_are_any(results):
    row = cells(confidence_tables.against_rivals(results, seed=1), "mine", "100 %")
    assert row["best rival"] == "trafilatura"
    assert row["margin"] == pytest.approx(0.9 - 0.75)
    assert cells(confidence_tables.against_rivals(results, seed=1), "mine", "80 %")["times"] == pytest.approx(
        0.25 / 0.15
    )
    alone = score(
        results.pages, [r.prediction for s in ("mine", "silent") for r in results.by_system[s]], ["mine", "silent"]
    )
    assert cells(confidence_tables.against_rivals(alone, seed=1), "mine", "100 %")["best rival"] == "silent"


def test_each_data_set_has_its_row(results):
    table = confidence_tables.by_dataset(results)
    assert [row[:3] for row in table.rows] == [("d", "mine", 10), ("e", "mine", 10)]
    e = cells(table, "e")
    assert (e["F1"], e["F1 of 90 %"], e["margin of 90 %"]) == pytest.approx((0.9, 1.0, 0.25))


def test_without_confidences_nothing_is_said_of_them(results):
    silent = score(results.pages, [r.prediction for r in results.by_system["silent"]], ["silent"])
    assert confidence_tables.tables(silent, seed=1) == []
    assert plots.systems(silent) == []  # type: ignore[attr-defined]
    names = [table.name for table in report.tables(silent, baseline="", by=["dataset"], seed=1)]
    assert not {"confidence", "coverage", "margins", "reliability"} & set(names)


def test_one_system_alone_has_no_margin(results):
    mine = score(results.pages, [r.prediction for r in results.by_system["mine"]], ["mine"])
    assert "margins" not in [table.name for table in confidence_tables.tables(mine, seed=1)]
    assert cells(confidence_tables.by_dataset(mine), "d")["margin"] is None


def test_exact_matches_and_low_pages_are_told_by_data_set(results):
    by_name = {table.name: table for table in report.tables(results, baseline="mine", by=["dataset", "site"], seed=1)}
    assert cells(by_name["exact_by_dataset"], "d")["mine"] == pytest.approx(0.9)
    assert cells(by_name["exact_by_dataset"], "d")["trafilatura"] == 0
    assert cells(by_name["low_by_dataset"], "d")["mine"] == 1
    assert cells(by_name["low_by_dataset"], "e")["trafilatura"] == 0
    assert "exact_by_site" not in by_name


def test_the_report_shows_tables_and_plots(results):
    tables = report.tables(results, baseline="mine", by=["dataset"], seed=1)
    by_name = {table.name: table for table in tables}
    assert {"confidence", "coverage", "margins", "reliability", "confidence_by_dataset"} <= by_name.keys()
    shown = report.Report(title="t", facts=(), notes=(), tables=tables, results=results, baseline="mine")
    page = html_report.report_page(shown)
    assert all(part in page for part in ("Risk and coverage", "Calibration", "Quality of the confidences", "times"))
    drawn = {plot.name: plot.picture for plot in plots.plots(results, by_name)}
    assert ">mean confidence<" in drawn["calibration"]
    assert ">mine<" in drawn["risk_coverage"]
    assert ">trafilatura on the most confident pages of mine<" in drawn["risk_coverage"]


def test_an_interval_that_misses_its_mean_by_rounding_is_drawn():
    interval = {"F1": 0.7, "low": 0.7000000000000001, "high": 0.7000000000000001}
    row = {"system": "mine", "bin": 1, "pages": 9, "from": 0.9, "to": 0.9, "confidence": 0.9, **interval}
    table = Table.of("reliability", "t", [row])
    assert ">mean confidence<" in plots.calibration(table).picture
