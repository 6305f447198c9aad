"""From gold pages to a page model and its figures: the same bytes each time, nothing leaks, errors say what to do.

The models trained here are thrown away: our own gold pages are for measuring, no model that is used may see them.
"""

import gzip
import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from webmain.evaluation.gold import read_gold
from webmain.evaluation.metrics import SegmentCounts
from webmain.evaluation.records import GoldPage
from webmain.evaluation.training import building, making, tables
from webmain.evaluation.training.boosting import Recipe, TrainingError
from webmain.evaluation.training.building import check_folds, in_order, made_up_of, real_rows, with_sites
from webmain.evaluation.training.crossing import crossed, crossed_confidence
from webmain.evaluation.training.fit import cross_validate, fit_parts
from webmain.evaluation.training.making import Outcome, Wish, make, same_after_reading
from webmain.evaluation.training.rows import N_FOLDS, fold_of
from webmain.evaluation.training.training_sets import check_set, digest_of, pages_of, training_sets
from webmain.extractors.page_model import PageModel, read, written
from webmain.features.trees import Trees

GOLD = Path(__file__).parents[2] / "gold"
TINY = Recipe(n_trees=8, n_leaves=6, min_leaf=20, depth=4)


@pytest.fixture(scope="module")
def pages():
    return with_sites(read_gold(GOLD / "pages"))


@pytest.fixture(scope="module")
def rows(pages):
    return real_rows(pages, jobs=1, advance=lambda: None)


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    """Make a set for checks: a page with its text, one with segments alone, one that can not be read."""
    text = " ".join(["The tide came in over the lower quay, and the ferry left an hour late."] * 5)
    html = f"<body><nav><a href=/>Home</a></nav><article><p>{text}</p></article><footer>Imprint</footer></body>"
    records = [
        {
            "id": "1",
            "dataset": "harbour",
            "url": "https://tide.example/1",
            "html": html,
            "text": text,
            "site": "tide.example",
        },
        {
            "id": "2",
            "dataset": "harbour",
            "html": html,
            "text": None,
            "with": ["over the lower quay"],
            "without": ["Imprint"],
        },
        {"id": "3", "dataset": "harbour", "html": "no page at all", "text": "Words.", "page_type": "forum"},
    ]
    path = tmp_path_factory.mktemp("checks") / "harbour.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def made(checks):
    return make(Wish(data=GOLD, sets=("pages",), checks=(checks,), made_up=12, seed=3, recipe=TINY))


def wish(**options):
    return Wish(**{"data": GOLD, "sets": ("pages",), "made_up": 12, "seed": 3, "recipe": TINY, **options})


# ---- the whole


def test_the_same_data_and_seed_give_the_same_bytes_whatever_the_number_of_processes(made):
    again = make(wish(jobs=2))
    assert again.data == made.data
    assert again.facts == {**made.facts, "checks": []}
    judged = [(one.id, one.f1, one.confidence) for one in made.outcomes if not one.is_check]
    assert [(one.id, one.f1, one.confidence) for one in again.outcomes] == judged


def test_another_seed_gives_another_model(made):
    assert make(wish(seed=4)).data != made.data


def test_what_is_written_can_be_read_and_used(made):
    assert written(read(made.data)) == made.data
    assert made.sha256 == hashlib.sha256(made.data).hexdigest() == made.model.sha256


def test_every_real_page_is_judged_once_and_no_made_up_one(made, rows):
    crossed_ids = [one.id for one in made.outcomes if not one.is_check]
    assert crossed_ids == [page.id for page in rows]
    assert made.n_pages == len(rows)
    assert made.n_made_up == 12
    assert made.n_blocks > sum(len(page.content) for page in rows)


def test_even_a_tiny_model_finds_most_texts(made):
    f1 = [one.f1 for one in made.outcomes if not one.is_check]
    assert np.mean(f1) > 0.75
    assert all(0 <= one.confidence <= 1 for one in made.outcomes)


def test_gains_are_known_of_every_column_and_profile(made):
    assert list(made.gains) == ["news", "general", "profile"]
    assert made.gains["news"].sum() > 0


def test_checks_are_judged_and_pages_that_can_not_be_read_count_as_nothing(made):
    found = [one for one in made.outcomes if one.is_check]
    assert [one.dataset for one in found] == ["harbour"] * 3
    assert found[0].f1 > 0.9
    assert found[1].f1 is None
    segments = found[1].segments
    assert (segments.n_wanted_found, segments.n_wanted, segments.n_unwanted) == (1, 1, 1)
    assert found[2].f1 <= 1
    assert not any(one.is_known_site for one in found)


def test_facts_name_what_the_same_file_needs(made):
    facts = made.facts
    assert facts["seed"] == 3
    assert facts["made_up"] == 12
    assert facts["sets"][0]["name"] == "pages"
    assert len(facts["sets"][0]["sha256"]) == len(facts["data_sha256"]) == 64
    assert facts["lightgbm"].startswith("4.")
    assert facts["model_sha256"] == made.sha256


def test_a_set_that_is_trained_on_is_no_check():
    with pytest.raises(TrainingError, match="can not be a check"):
        make(wish(checks=(GOLD / "pages",)))


def test_a_check_without_a_usable_page_is_told_before_anything_is_trained(tmp_path, monkeypatch):
    (tmp_path / "bad.jsonl").write_text('{"id": "1", "html": "<p>x</p>"}\n')
    monkeypatch.setattr(making, "real_rows", lambda *args, **options: pytest.fail("trained"))
    with pytest.raises(TrainingError, match=r"bad\.jsonl"):
        make(wish(checks=(tmp_path / "bad.jsonl",)))


def test_a_model_that_judges_differently_after_reading_is_refused(made, rows):
    names = made.model.news.to_plain([])["columns"]
    assert names == []
    plain = made.model.to_plain()
    plain["news"]["base"] = 0.5
    other = PageModel.from_plain(plain)
    with pytest.raises(TrainingError, match="differently"):
        same_after_reading(other, made.data, rows[:2])
    assert same_after_reading(made.model, made.data, rows[:2]).sha256 == made.sha256


# ---- folds


def test_folds_by_processes_give_what_one_process_gives(rows):
    one = cross_validate(rows, [], recipe=TINY)
    other = crossed(rows, [], jobs=3, recipe=TINY)
    assert [(j.f1, j.news, j.margin.tolist()) for j in one] == [(j.f1, j.news, j.margin.tolist()) for j in other]
    assert [j.rows.id for j in other] == [page.id for page in rows]


def test_no_page_is_judged_by_parts_that_saw_its_site(rows, monkeypatch):
    seen = []

    def noting(pages, **options):
        seen.append({page.site for page in pages})
        return fit_parts(pages, **options)

    monkeypatch.setattr("webmain.evaluation.training.fit.fit_parts", noting)
    crossed(rows, [], jobs=1, recipe=TINY)
    held_back = [{page.site for page in rows if fold_of(page.site) == fold} for fold in range(N_FOLDS)]
    assert len(seen) == sum(bool(sites) for sites in held_back)
    assert all(not trained & sites for trained, sites in zip(seen, filter(None, held_back), strict=True))


def test_an_error_in_a_process_is_told(rows):
    broken = replace(rows[0], values=rows[0].values[:, :5])
    with pytest.raises((TrainingError, ValueError)):
        crossed([broken, *rows[1:]], [], jobs=2, recipe=TINY)


def test_confidence_of_a_page_is_not_fitted_to_its_own_fold(rows):
    judged = cross_validate(rows, [], recipe=TINY)
    fold = fold_of(judged[0].rows.site)
    lowered = [replace(one, f1=0.0) if fold_of(one.rows.site) == fold else one for one in judged]
    before, after = crossed_confidence(judged), crossed_confidence(lowered)
    assert before[0] == after[0]
    others = [place for place, one in enumerate(judged) if fold_of(one.rows.site) != fold]
    assert before[others].sum() > after[others].sum()


def test_made_up_pages_stay_in_the_fold_of_the_pages_they_are_made_of(pages):
    nameless = with_sites(replace(page, site="") for page in pages)
    for given in (pages, nameless):
        made_up = list(made_up_of(given, count=23, seed=1))
        assert len(made_up) == 23
        assert {page.site for page in made_up} <= {page.site for page in given}


def test_made_up_pages_are_shared_out_among_the_folds(monkeypatch, pages):
    asked = []

    def noting(fold, *, count, seed):
        asked.append((len({fold_of(page.site) for page in fold}), count))
        return iter(())

    monkeypatch.setattr("training.pages.made_up_pages", noting)
    list(made_up_of(pages, count=12, seed=1))
    assert sum(count for _, count in asked) == 12
    assert max(count for _, count in asked) - min(count for _, count in asked) <= 1
    assert {n_folds for n_folds, _ in asked} == {1}


def test_without_the_makers_the_remedy_is_named_and_none_are_needed_for_no_pages(monkeypatch, pages):
    monkeypatch.setitem(sys.modules, "training.pages", None)
    assert list(made_up_of(pages, count=0, seed=1)) == []
    with pytest.raises(TrainingError, match="source checkout"):
        list(made_up_of(pages, count=1, seed=1))


def test_pages_without_a_known_site_are_sites_of_their_own():
    page = GoldPage(id="7", dataset="d", html="", text="x")
    assert [p.site for p in with_sites([page, replace(page, id="8"), replace(page, site="a.example")])] == [
        "d/7", "d/8", "a.example",
    ]  # fmt: skip


def test_pages_of_one_site_can_not_be_cross_validated(rows):
    with pytest.raises(TrainingError, match="too few"):
        check_folds([replace(page, site="one.example") for page in rows])
    with pytest.raises(TrainingError, match="none of the pages"):
        check_folds([])


@pytest.mark.parametrize("kind", ["article", "forum"])
def test_a_collection_of_one_kind_of_page_can_be_trained_on(rows, kind):
    parts = fit_parts([replace(page, page_type=kind) for page in rows], recipe=TINY)
    judged = parts.judge(rows[0])
    assert judged.news == (kind == "article")
    assert judged.choice.kept.any()


# ---- order


def test_work_by_processes_comes_in_the_order_of_what_was_given():
    assert list(in_order(abs, range(-70, 0), jobs=2)) == list(range(70, 0, -1))


def test_no_more_is_read_ahead_than_processes_need():
    read_ahead = []

    def given():
        for number in range(200):
            read_ahead.append(number)
            yield number

    done = in_order(abs, given(), jobs=2)
    next(done)
    assert len(read_ahead) <= 2 * building.AHEAD
    done.close()


# ---- sets


def test_sets_are_found_by_name_in_files_and_folders(tmp_path):
    (tmp_path / "one.jsonl").write_text("{}\n")
    (tmp_path / "two.jsonl.gz").write_bytes(gzip.compress(b"{}\n"))
    (tmp_path / "three").mkdir()
    found = training_sets(tmp_path, ["one", "two", "three"])
    assert [one.path.name for one in found] == ["one.jsonl", "two.jsonl.gz", "three"]
    assert found[0].sha256 == hashlib.sha256(b"{}\n").hexdigest()
    assert check_set(tmp_path / "two.jsonl.gz").name == "two"


def test_licences_are_known_of_the_sets_that_are_shipped(tmp_path):
    for name in making.DEFAULT_SETS:
        (tmp_path / f"{name}.jsonl").write_text("{}\n")
    assert [one.licence.name for one in training_sets(tmp_path, making.DEFAULT_SETS)] == ["CC-BY-4.0", "MIT"]
    assert training_sets(GOLD, ["pages"])[0].licence.name == "unknown"


def test_a_folder_has_another_digest_when_a_file_changes_or_moves(tmp_path):
    (tmp_path / "set").mkdir()
    file = tmp_path / "set" / "a.txt"
    file.write_text("one")
    first = check_set(tmp_path / "set").sha256
    file.write_text("two")
    second = check_set(tmp_path / "set").sha256
    file.rename(tmp_path / "set" / "b.txt")
    assert len({first, second, check_set(tmp_path / "set").sha256}) == 3


def test_one_digest_of_several_sets_depends_on_all_and_on_their_order():
    one, other = training_sets(GOLD, ["pages"])[0], replace(training_sets(GOLD, ["pages"])[0], name="other")
    assert len({digest_of([one, other]), digest_of([other, one]), digest_of([one])}) == 3


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["nothing"], "nothing.jsonl.gz"),
        (["pages", "pages"], "once"),
        ([], "none"),
        (["../gold/pages"], "the name of a file"),
        ([".."], "the name of a file"),
    ],
)
def test_sets_that_can_not_be_had_are_told(names, told):
    with pytest.raises(TrainingError, match=told):
        training_sets(GOLD, names)


def test_a_data_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(TrainingError, match="no data folder"):
        training_sets(tmp_path / "nowhere", ["wcxb_dev"])
    with pytest.raises(TrainingError, match="no such file"):
        check_set(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [b"", b"not json\n", b'{"id": "1", "html": "<p>x</p>"}\n', b"\x1f\x8b broken"])
def test_sets_without_a_usable_page_are_told(tmp_path, content):
    (tmp_path / "bad.jsonl").write_bytes(content)
    with pytest.raises(TrainingError, match=r"bad\.jsonl"):
        pages_of(training_sets(tmp_path, ["bad"]))


def test_a_page_that_is_in_two_sets_is_told(tmp_path):
    line = json.dumps({"id": "1", "dataset": "d", "html": "<p>x</p>", "text": "x"}) + "\n"
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(line)
    with pytest.raises(TrainingError, match="page 1 of d is in two"):
        pages_of(training_sets(tmp_path, ["one", "two"]))


# ---- figures


def outcome(**values):
    return Outcome(
        **{"dataset": "d", "page_type": "", "id": "1", "is_check": False, "f1": 1.0, "confidence": 0.9, **values}
    )


def scores(made, *outcomes):
    table = tables.tables(replace(made, outcomes=outcomes))[0]
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_scores_are_means_over_the_pages_of_a_set(made):
    (row,) = scores(made, outcome(), outcome(f1=0.5, confidence=0.7), outcome(f1=0.49, confidence=0.5))
    assert row["pages"] == 3
    assert row["F1"] == pytest.approx(1.99 / 3)
    assert row["below 0.5"] == 1
    assert row["same words (share)"] == pytest.approx(1 / 3)
    assert row["confidence"] == pytest.approx(0.7)
    assert row["judged"] == "cross-validated"


def test_types_of_pages_have_rows_where_there_are_several(made):
    rows = scores(made, outcome(page_type="forum"), outcome(page_type="article", f1=0.0), outcome(dataset="e"))
    assert [row["set"] for row in rows] == ["d", "d: article", "d: forum", "e"]
    assert [row["F1"] for row in rows] == [0.5, 0.0, 1.0, 1.0]


def test_checks_stand_last_and_say_of_how_many_pages_the_site_is_known(made):
    rows = scores(made, outcome(is_check=True, dataset="a", is_known_site=True), outcome())
    assert [(row["set"], row["judged"], row["of known sites"]) for row in rows] == [
        ("d", "cross-validated", 0),
        ("a", "plain", 1),
    ]


def test_segments_are_right_that_are_wanted_and_there_or_unwanted_and_not(made):
    counts = SegmentCounts(n_wanted_found=1, n_wanted=2, n_unwanted_found=1, n_unwanted=3)
    (row,) = scores(made, outcome(f1=None, segments=counts))
    assert row["segments right"] == pytest.approx(3 / 5)
    assert row["F1"] is row["calibration error"] is None


def test_a_report_holds_facts_and_all_tables(made):
    report = json.loads(tables.report(made))
    assert report["model_sha256"] == made.sha256
    assert set(report["tables"]) == {"scores", "columns", "papers"}
    shares = [row[2] for row in report["tables"]["columns"]["rows"]]
    assert sum(shares) == pytest.approx(1)


def test_figures_go_between_the_marks_of_a_card(made):
    card = f"# Card\n\n{tables.BEGIN}\nold\n{tables.END}\n\nAfter.\n"
    once = tables.with_figures(card, made)
    assert once.startswith("# Card\n")
    assert once.endswith("\n\nAfter.\n")
    assert "old" not in once
    assert tables.with_figures(once, made) == once
    assert tables.sha256_in(once) == made.sha256
    assert "| pages | cross-validated |" in once


@pytest.mark.parametrize("card", ["", tables.BEGIN, f"{tables.END}{tables.BEGIN}", 2 * (tables.BEGIN + tables.END)])
def test_a_card_without_its_marks_is_refused(card):
    with pytest.raises(TrainingError, match="must hold"):
        tables.with_part(card, "x")


def test_a_card_without_figures_has_no_digest():
    assert tables.sha256_in("nothing") == ""


def test_tables_in_markdown_have_figures_to_the_right():
    table = tables.Table(name="t", title="", columns=("a", "b"), rows=(("x|y", 0.5), ("z", None)))
    assert tables.markdown(table).splitlines() == ["| a | b |", "| --- | ---: |", r"| x\|y | 0.5000 |", "| z | - |"]


def test_trees_are_those_of_the_recipe(made):
    assert isinstance(made.model.news, Trees)
    assert len(made.model.news.roots) == TINY.n_trees
    assert made.model.news.depth <= TINY.depth
