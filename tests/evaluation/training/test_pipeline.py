"""From gold pages to a page model and its figures: the same bytes each time, nothing leaks, errors name the remedy.

The models trained here are thrown away: our own gold pages are for measuring, no model that is used may see them.
"""

import base64
import gzip
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from webmain.evaluation.gold import read_gold
from webmain.evaluation.metrics import SegmentCounts
from webmain.evaluation.records import GoldPage
from webmain.evaluation.training import fit, pipeline, tables
from webmain.evaluation.training.boosting import Recipe, TrainingError
from webmain.evaluation.training.fit import cross_validate, cross_validated_confidence, folds
from webmain.evaluation.training.pipeline import Options, Outcome, same_after_reading, train
from webmain.evaluation.training.rows import N_FOLDS, all_rows, check_folds, fold_of, made_up_of, rows_of, with_sites
from webmain.evaluation.training.sets import check_set, digest_of, pages_of, set_names, sites_in, training_sets
from webmain.extractors.page_model import PageModel, names, page_names, read, written

GOLD = Path(__file__).parents[2] / "gold"
TINY = Recipe(n_trees=8, n_leaves=6, min_leaf=20, depth=4, learning_rate=0.1)
TEXT = "The ferry to the upper quay left an hour late on Monday, and the harbour master said so twice before noon. "
TEXT = (TEXT * 3).strip()
PAGE = GoldPage(
    id="7",
    dataset="harbour",
    site="tide.example",
    page_type="article",
    html=f"<body><div><a href=/>Home page of the Harbour News</a></div><article><p>{TEXT}</p></article>"
    "<div>Imprint and contact of the Harbour News</div></body>",
    text=TEXT,
)


@pytest.fixture(scope="module")
def pages():
    return with_sites(read_gold(GOLD / "pages"))


@pytest.fixture(scope="module")
def rows(pages):
    return all_rows(pages)


@pytest.fixture(scope="module")
def judged(rows):
    return cross_validate(rows, [], folds(rows), recipe=TINY)


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    """Make a set for checks: a page with its text, one with segments alone, one that cannot be read."""
    records = [
        {"id": "1", "dataset": "harbour", "html": PAGE.html, "text": TEXT, "site": "tide.example"},
        {"id": "2", "dataset": "harbour", "html": PAGE.html, "text": None, "with": [TEXT[:40]], "without": ["Imprint"]},
        {"id": "3", "dataset": "harbour", "html": "no page at all", "text": "Words.", "page_type": "forum"},
    ]
    path = tmp_path_factory.mktemp("checks") / "harbour.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def options(**options):
    return Options(**{"data": GOLD, "sets": ("pages",), "made_up": 12, "seed": 3, "recipe": TINY, **options})


@pytest.fixture(scope="module")
def made(checks):
    return train(options(checks=(checks,)))


# ---- the whole


def test_the_same_data_and_seed_give_the_same_bytes_whatever_the_number_of_processes(made):
    again = train(options(jobs=2))
    assert again.data == made.data
    assert again.facts == {**made.facts, "checks": []}
    crossed = [(one.id, one.f1, one.confidence) for one in made.outcomes if one.how == "cross-validated"]
    assert [(one.id, one.f1, one.confidence) for one in again.outcomes] == crossed


def test_records_that_can_not_be_used_are_told(tmp_path):
    pages = [
        {"id": page.id, "site": page.id, "html_b64": base64.b64encode(page.html).decode(), "text": page.text}
        for page in read_gold(GOLD / "pages")
    ]
    bad = [
        {"id": "a", "html": "%PDF-1.7 ", "text": "Words."},
        {"id": "b", "html": "<p>x"},
        {"html": "", "text": "x"},
    ]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(record) + "\n" for record in (*pages, *bad)))
    found = train(options(data=tmp_path, sets=("mine",), made_up=0))
    told = tables.facts_text(found)
    assert "mine: 2 dropped: 1 x neither a gold text nor segments" in told
    assert f"{len(pages)} pages (0 of sites that are in sets for checks were left out, 1 could not be read)" in told


def test_every_real_page_is_judged_once_and_no_made_up_one(made, rows):
    crossed = [one for one in made.outcomes if one.how == "cross-validated"]
    assert [one.id for one in crossed] == [page.id for page in rows]
    assert np.mean([one.f1 for one in crossed]) > 0.75
    assert all(0 <= one.confidence <= 1 for one in crossed)


def test_facts_name_what_the_same_file_needs(made, rows):
    facts = made.facts
    assert (facts["seed"], facts["made_up"], facts["pages_made_up"], facts["pages"]) == (3, 12, 12, len(rows))
    assert facts["blocks"] > sum(len(page.share) for page in rows)
    assert facts["sets"][0]["name"] == "pages"
    assert len(facts["sets"][0]["sha256"]) == len(facts["data_sha256"]) == 64
    assert facts["lightgbm"].startswith("4.")
    assert facts["model_sha256"] == read(made.data).sha256 == made.model.sha256
    assert written(made.model) == made.data


def test_checks_are_judged_and_pages_that_can_not_be_read_count_as_nothing(made):
    found = [one for one in made.outcomes if one.how == "plain"]
    assert [one.dataset for one in found] == ["harbour"] * 3
    assert found[0].f1 > 0.9
    assert found[1].f1 is None
    segments = found[1].segments
    assert (segments.n_wanted_found, segments.n_wanted, segments.n_unwanted) == (1, 1, 1)
    assert found[2].f1 <= 1


@pytest.mark.parametrize(("check", "told"), [(GOLD / "pages", "cannot be a check"), (None, r"bad\.jsonl")])
def test_a_check_that_is_none_is_refused_before_anything_is_trained(tmp_path, monkeypatch, check, told):
    (tmp_path / "bad.jsonl").write_text('{"id": "1", "html": "<p>x</p>"}\n')
    monkeypatch.setattr(pipeline, "all_rows", lambda *args, **options: pytest.fail("trained"))
    with pytest.raises(TrainingError, match=told):
        train(options(checks=(check or tmp_path / "bad.jsonl",)))


def test_a_model_that_judges_differently_after_reading_is_refused(made, rows):
    plain = made.model.to_plain()
    plain["blocks"]["base"] = 0.5
    with pytest.raises(TrainingError, match="differently"):
        same_after_reading(PageModel.from_plain(plain), made.data, rows[:2])


# ---- rows and folds


def test_blocks_that_are_in_the_gold_text_are_content():
    rows = rows_of(PAGE)
    assert (rows.share > 0.9).tolist() == [False, True, False]
    assert rows.values.shape == (3, len(names()))
    assert rows.weights.sum() == pytest.approx(1)
    assert rows.weights == pytest.approx(np.sqrt(rows.n_chars) / np.sqrt(rows.n_chars).sum())
    assert rows_of(replace(PAGE, site="", html=PAGE.html.encode())).site == "7"


@pytest.mark.parametrize(
    ("page_type", "kind"),
    [("article", "article"), ("", "article"), ("forum", "forum"), ("collection", "listing"), ("service", "other")],
)
def test_pages_of_unknown_type_are_articles_and_all_others_have_a_kind(page_type, kind):
    assert rows_of(replace(PAGE, page_type=page_type)).kind == kind


def test_a_headline_is_no_content_whatever_the_gold_text_holds():
    title = "The ferry was late on Monday"
    head = f"<title>{title}</title><body><h1>{title}</h1>"
    page = replace(PAGE, html=PAGE.html.replace("<body>", head), text=f"{title}\n\n{TEXT}")
    assert (rows_of(page).share > 0.9).tolist() == [False, False, True, False]
    other = rows_of(replace(page, html=page.html.replace("h1", "p")))
    assert (other.share > 0.9).tolist() == [True, False, True, False]


def test_a_site_is_always_in_the_same_fold_and_sites_in_all_folds():
    folds = [fold_of(f"{n}.example") for n in range(200)]
    assert set(folds) == set(range(N_FOLDS))
    assert folds[:3] == [fold_of(f"{n}.example") for n in range(3)]
    assert max(folds.count(fold) for fold in range(N_FOLDS)) < 80


def test_folds_side_by_side_give_what_one_after_the_other_gives(rows, judged):
    other = cross_validate(rows, [], folds(rows), jobs=3, recipe=TINY)
    assert [(j.f1, j.article, j.margin.tolist()) for j in judged] == [
        (j.f1, j.article, j.margin.tolist()) for j in other
    ]


def test_no_page_is_judged_by_parts_that_saw_its_site(rows, monkeypatch):
    seen, whole = [], fit.fit_parts

    def noting(pages, recipe):
        seen.append({page.site for page in pages})
        return whole(pages, recipe)

    monkeypatch.setattr(fit, "fit_parts", noting)
    cross_validate(rows, [], folds(rows), recipe=TINY)
    held_back = [{page.site for page in rows if page.fold == fold} for fold in range(N_FOLDS)]
    assert all(not trained & sites for trained, sites in zip(seen, filter(None, held_back), strict=True))


def test_confidence_of_a_page_is_not_fitted_to_its_own_fold(judged):
    fold = judged[0].rows.fold
    lowered = [replace(one, f1=0.0) if one.rows.fold == fold else one for one in judged]
    before, after = (cross_validated_confidence(pages, by=lambda one: one.rows.fold) for pages in (judged, lowered))
    others = [place for place, one in enumerate(judged) if one.rows.fold != fold]
    assert before[0] == after[0]
    assert before[others].sum() > after[others].sum()


@pytest.mark.parametrize("kind", ["article", "forum"])
def test_a_collection_of_one_kind_of_page_can_be_trained_on(rows, kind):
    model = fit.fit_parts([replace(page, page_type=kind) for page in rows], TINY).model
    assert (fit.predict(model, rows[0]).article > 0.9) == (kind == "article")


def test_pages_of_one_site_can_not_be_cross_validated(rows):
    with pytest.raises(TrainingError, match="too few"):
        check_folds([replace(page, site="one.example") for page in rows])
    with pytest.raises(TrainingError, match="none of the pages"):
        check_folds([])


def test_made_up_pages_are_shared_out_among_the_folds_and_stay_in_them(monkeypatch, pages):
    asked = []

    def noting(fold, *, count, seed):
        asked.append(({fold_of(page.site) for page in fold}, count))
        return iter(())

    nameless = with_sites(replace(page, site="") for page in pages)
    assert {page.site for page in made_up_of(nameless, count=8, seed=1)} <= {page.site for page in nameless}
    monkeypatch.setattr("training.pages.made_up_pages", noting)
    list(made_up_of(pages, count=12, seed=1))
    assert sum(count for _, count in asked) == 12
    assert max(count for _, count in asked) - min(count for _, count in asked) <= 1
    assert {len(folds) for folds, _ in asked} == {1}


def test_without_the_makers_the_remedy_is_named_and_none_are_needed_for_no_pages(monkeypatch, pages):
    monkeypatch.setitem(sys.modules, "training.pages", None)
    assert list(made_up_of(pages, count=0, seed=1)) == []
    with pytest.raises(TrainingError, match="source checkout"):
        list(made_up_of(pages, count=1, seed=1))


# ---- sets


def test_sets_are_found_by_name_in_files_and_folders(tmp_path):
    (tmp_path / "one.jsonl").write_text("{}\n")
    (tmp_path / "two.jsonl.gz").write_bytes(gzip.compress(b"{}\n"))
    (tmp_path / "three").mkdir()
    found = training_sets(tmp_path, ["one", "two", "three"])
    assert [one.path.name for one in found] == ["one.jsonl", "two.jsonl.gz", "three"]
    assert check_set(tmp_path / "two.jsonl.gz") == found[1]
    assert digest_of(found) != digest_of(found[::-1])
    first = found[2].sha256
    (tmp_path / "three" / "a.txt").write_text("one")
    second = check_set(tmp_path / "three").sha256
    (tmp_path / "three" / "a.txt").rename(tmp_path / "three" / "b.txt")
    assert len({first, second, check_set(tmp_path / "three").sha256}) == 3


def test_licences_are_known_of_the_sets_that_are_shipped(tmp_path):
    for name in (*set_names(None), "mine"):
        (tmp_path / f"{name}.jsonl").write_text("{}\n")
    found = {one.name: one.facts["licence"] for one in training_sets(tmp_path, (*set_names(None), "mine"))}
    assert (found["wcxb_dev"], found["fundus"], found["daniel"], found["mine"]) == (
        "CC-BY-4.0",
        "MIT",
        "GPL-3.0",
        "unknown",
    )
    assert set(set_names(("permissive",))) < set(set_names(None))
    assert not {"daniel", "gne_chinese", "big9", "dragnet"} & set(set_names(("permissive",)))
    assert set_names(("mine", "yours")) == ("mine", "yours")


def checks_in_a_file(path):
    check = path / "check.jsonl"
    check.write_text(
        json.dumps({"url": "https://news.3.example/b", "html": PAGE.html, "text": TEXT})
        + '\n{"url": null, "site": "4.example"}\n{"domain": "5.example"}\n'
    )
    return check


def checks_in_a_folder_of_files(path):
    folder = path / "check"
    folder.mkdir()
    checks_in_a_file(folder)
    return folder


def checks_in_a_folder_of_pages(path):
    for number in (3, 4, 5):
        (path / f"{number}.html").write_text(PAGE.html)
        (path / f"{number}.txt").write_text(TEXT)
        (path / f"{number}.json").write_text(json.dumps({"url": f"https://news.{number}.example/b"}))
    return path


@pytest.mark.parametrize("made_in", [checks_in_a_file, checks_in_a_folder_of_files, checks_in_a_folder_of_pages])
def test_pages_of_sites_that_are_in_a_set_for_checks_are_not_trained_on(tmp_path, monkeypatch, made_in):
    lines = [
        {"id": str(n), "dataset": "d", "url": f"http://{n}.example/a", "html": PAGE.html, "text": TEXT}
        for n in range(9)
    ]
    data, given = tmp_path / "data", tmp_path / "given"
    data.mkdir()
    given.mkdir()
    (data / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    check = made_in(given)
    assert sites_in(check) == {"3.example", "4.example", "5.example"}
    trained = []

    def noting(pages, **options):
        trained.extend(page.site for page in pages)
        raise TrainingError("enough")

    monkeypatch.setattr(pipeline, "all_rows", noting)
    with pytest.raises(TrainingError, match="enough"):
        train(options(data=data, sets=("mine",), checks=(check,)))
    assert trained == [f"{n}.example" for n in range(9) if n not in (3, 4, 5)]


@pytest.mark.parametrize(
    ("names", "told"),
    [(["nothing"], "nothing.jsonl.gz"), (["pages", "pages"], "once"), ([], "none"), (["../gold/pages"], "the name of")],
)
def test_sets_that_are_not_there_are_named(names, told):
    with pytest.raises(TrainingError, match=told):
        training_sets(GOLD, names)


@pytest.mark.parametrize("content", [b"", b"not json\n", b'{"id": "1", "html": "<p>x</p>"}\n', b"\x1f\x8b broken"])
def test_sets_without_a_usable_page_are_named(tmp_path, content):
    (tmp_path / "bad.jsonl").write_bytes(content)
    with pytest.raises(TrainingError, match=r"bad\.jsonl"):
        pages_of(training_sets(tmp_path, ["bad"]))


def test_a_page_that_is_in_two_sets_is_named(tmp_path):
    line = json.dumps({"id": "1", "dataset": "d", "html": "<p>x</p>", "text": "x"}) + "\n"
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(line)
    with pytest.raises(TrainingError, match="page 1 of d is in two"):
        pages_of(training_sets(tmp_path, ["one", "two"]))


# ---- figures


def outcome(**values):
    return Outcome(
        **{"dataset": "d", "page_type": "", "id": "1", "how": "cross-validated", "f1": 1.0, "confidence": 0.9, **values}
    )


def scores(made, *outcomes):
    table = tables.tables(replace(made, outcomes=outcomes))[0]
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_scores_are_means_over_the_pages_of_a_set(made):
    (row,) = scores(made, outcome(), outcome(f1=0.5, confidence=0.7), outcome(f1=0.49, confidence=0.5))
    assert row["F1"] == pytest.approx(1.99 / 3)
    assert row["same words (share)"] == pytest.approx(1 / 3)
    assert row["confidence"] == pytest.approx(0.7)
    assert (row["pages"], row["below 0.5"], row["judged"]) == (3, 1, "cross-validated")


def test_types_of_pages_have_rows_where_there_are_several_and_checks_are_last(made):
    forum, article = outcome(page_type="forum"), outcome(page_type="article", f1=0.0)
    rows = scores(made, forum, article, outcome(how="plain", dataset="a"))
    assert [row["set"] for row in rows] == ["d", "d: article", "d: forum", "a"]
    assert [row["F1"] for row in rows] == [0.5, 0.0, 1.0, 1.0]
    assert [row["judged"] for row in rows][2:] == ["cross-validated", "plain"]


def test_short_articles_of_all_sets_have_a_row(made):
    short = outcome(dataset="b", n_gold=900, f1=0.5)
    rows = scores(made, outcome(n_gold=1600), short, outcome(dataset="b", n_gold=700, page_type="forum", f1=0.0))
    assert [row["F1"] for row in rows if row["set"] == "all articles under 1500 characters"] == [0.5]


def test_pages_that_are_taken_for_no_article_are_counted_by_type(made):
    listing, article = outcome(page_type="listing", article=0.01), outcome(page_type="article", article=0.2)
    table = next(
        table for table in tables.tables(replace(made, outcomes=(listing, article))) if table.name == "refused"
    )
    assert [row[1:] for row in table.rows] == [("article", 1, 0), ("listing", 1, 1)]


def test_left_out_sets_are_judged_by_models_of_the_others(rows, monkeypatch):
    halves = [replace(page, dataset=f"set {place % 2}") for place, page in enumerate(rows)]
    seen, whole = [], fit.fit_parts
    monkeypatch.setattr(
        fit, "fit_parts", lambda pages, recipe: (seen.append({p.dataset for p in pages}), whole(pages, recipe))[1]
    )
    monkeypatch.setattr(fit, "FEW_PAGES", 1)
    found = cross_validate(halves, [], fit.sets_left_out(halves), recipe=TINY)
    assert [one.rows.id for one in found] == [page.id for page in halves]
    assert seen == [{"set 1"}, {"set 0"}]


def test_all_small_sets_are_left_out_together(rows, monkeypatch):
    monkeypatch.setattr(fit, "FEW_PAGES", 3)
    named = [replace(page, dataset=name) for page, name in zip(rows, "aaabbbcd", strict=False)]
    assert [{page.dataset for page in part} for part in fit.sets_left_out(named)] == [{"a"}, {"b"}, {"c", "d"}]


def test_leaving_out_the_only_set_is_refused_before_anything_is_trained():
    with pytest.raises(TrainingError, match="of one set"):
        train(options(left_out=True, made_up=0))


def test_what_pages_were_judged_to_be_is_written_as_json_lines(made, rows):
    lines = [json.loads(line) for line in pipeline.predictions(made, "cross-validated").splitlines()]
    assert [(line["set"], line["id"]) for line in lines] == [(page.dataset, page.id) for page in rows]
    assert all(line["text"] for line in lines)


def test_segments_are_right_that_are_wanted_and_there_or_unwanted_and_not(made):
    counts = SegmentCounts(n_wanted_found=1, n_wanted=2, n_unwanted_found=1, n_unwanted=3)
    (row,) = scores(made, outcome(f1=None, segments=counts))
    assert row["segments right"] == pytest.approx(3 / 5)
    assert row["F1"] is row["calibration error"] is None


def test_figures_go_between_the_marks_of_a_card(made):
    card = f"# Card\n\n{tables.BEGIN}\nold\n{tables.END}\n\nAfter.\n"
    once = tables.with_figures(card, made)
    assert once.startswith("# Card\n")
    assert once.endswith("\n\nAfter.\n")
    assert "old" not in once
    assert tables.with_figures(once, made) == once
    assert f"sha256 {made.model.sha256}" in once
    assert "| pages | cross-validated |" in once


@pytest.mark.parametrize("card", ["", tables.BEGIN, f"{tables.END}{tables.BEGIN}", 2 * (tables.BEGIN + tables.END)])
def test_a_card_without_its_marks_is_refused(card):
    with pytest.raises(TrainingError, match="must contain"):
        tables.with_part(card, "x")


def test_listings_are_told_from_articles_by_columns_of_the_whole_page(made):
    used = {page_names()[i] for i in made.model.no_listing.feature.tolist()} - {page_names()[0]}  # 0 stands at leaves
    assert all(name.startswith("page_") for name in used)
    assert set(made.gains) == {"blocks", "article", "no listing"}
    assert {len(gains) for gains in made.gains.values()} == {len(page_names())}


def test_every_column_belongs_to_a_group_and_all_shares_add_up_to_one(made):
    found = {table.name: table.rows for table in tables.tables(made)}
    assert [row[0] for row in found["columns"]] == list(tables.GROUPS)
    assert sum(row[1] for row in found["columns"]) == len(page_names())
    assert sum(row[2] for row in found["columns"]) == pytest.approx(1)
    assert min(row[1] for row in (*found["columns"], *found["papers"])) > 0
    assert 0 < sum(row[2] for row in found["papers"]) < 1


@pytest.mark.parametrize(
    ("name", "group", "paper"),
    [
        ("log_chars", "counts of the block", "text per tag (Line-Block: TTR)"),
        ("link-3", "neighbours", "anchor ratio (Line-Block: ATTR; Thai XPath: AR)"),
        ("since_heading", "headings before", ""),
        ("past_comments", "cue words", ""),
        ("in_nav", "elements around", "depth and path (Thai XPath, LBDA)"),
        ("in_title", "title, description, embedded data", "title keywords (Line-Block: TKD)"),
        ("something new", "", ""),
    ],
)
def test_a_column_is_grouped_by_what_it_is_computed_from(name, group, paper):
    assert tables.group_of(name, tables.GROUPS) == group
    assert tables.group_of(name, tables.IN_PAPERS) == paper
