import random
from dataclasses import replace

import numpy as np
import pytest

from tests.evaluation.made_up import rendered_line, sentence
from webmain.evaluation.protocols import svm_visual
from webmain.evaluation.protocols.svm_visual import Setting, Site, extract, ratios, run, sites_of
from webmain.evaluation.visual import RenderedPage
from webmain.features.site_blocks import SiteBlocks

BODY = {"color": "rgb(17, 17, 17)", "font-size": "16px", "line-height": "24px"}
QUOTE = {"color": "rgb(90, 90, 90)", "font-style": "italic", "font-size": "18px", "line-height": "28px"}
MENU = {"color": "rgb(0, 0, 200)", "font-size": "12px", "text-transform": "uppercase", "float": "left"}
COMMENT = {"color": "rgb(60, 60, 60)", "font-size": "13px", "word-wrap": "break-word", "font-family": "Arial"}
BOX = {"color": "rgb(100, 100, 100)", "font-size": "11px", "font-weight": "bold", "font-family": "Arial"}


def rendered(number, *, site="a", quote=True, description=True, reference="all", n_comments=3):
    """A page: menu, box beside the text, five paragraphs with a quote between them, comments longer than all that."""
    draw = random.Random(f"{site}{number}")
    story = [sentence(draw, 25) for _ in range(5)]
    said = sentence(draw, 20)
    rows = [("header/ul/li", MENU, (100, 80), item) for item in ("Home", "World", "Sports and games", "Read more news")]
    rows.append(("div/div/aside/p", BOX, (400, 180), "In short " + sentence(draw, 12)))
    rows += [("div/div/p", BODY, (400, 600), text) for text in story[:3]]
    if quote:
        rows.append(("div/div/blockquote/p", QUOTE, (430, 540), said))
    rows += [("div/div/p", BODY, (400, 600), text) for text in story[3:]]
    rows += [("div/section/div", COMMENT, (400, 560), sentence(draw, 120)) for _ in range(n_comments)]
    rows.append(("footer/p", MENU, (100, 300), "All rights reserved by the paper"))
    wanted = {"all": [*story[:3], *([said] if quote else []), *story[3:]], "no quote": story, "none": None}[reference]
    paths = tuple(f"html/body/{path}" for path, *_ in rows)
    blocks = SiteBlocks(
        page=np.zeros(len(rows), dtype=np.int32),
        texts=tuple(text for *_, text in rows),
        tag_paths=paths,
        selectors=paths,
        anchor_share=np.zeros(len(rows)),
        visual=tuple(
            {**style, "left": float(left), "width": float(width), "top": 0.0, "height": 9.0}
            for _, style, (left, width), _ in rows
        ),
        descriptions=((" ".join(story[0].split()[:18]),) if description else (),),
        sites=(site,),
    )
    reference = None if wanted is None else "\n".join(wanted)
    return RenderedPage(id=f"{site}/{number}", site=site, reference=reference, blocks=blocks)


@pytest.fixture(scope="module")
def site():
    return Site("a", tuple(rendered(i, quote=i % 2 == 0) for i in range(8)))


def test_best_cluster_alone_misses_the_quote_that_is_styled_apart(site):
    kept = extract(site, Setting(rule="best"), seed=0)
    matching, strict = ratios(site, kept, pages=[0])
    assert matching == pytest.approx(100 * 2 * 125 / (125 + 145))  # 5 paragraphs of 25 words, and a quote of 20
    assert strict == pytest.approx(100 * 125 / 145)
    assert ratios(site, kept, pages=[1]) == [100.0, 100.0]


def test_box_beside_the_text_and_long_comments_are_left_out(site):
    kept = extract(site, Setting(), seed=0)
    styles = [
        site.blocks.visual[i].get("font-weight", site.blocks.visual[i].get("word-wrap")) for i in np.flatnonzero(kept)
    ]
    assert set(styles) == {None}


@pytest.mark.parametrize(
    "setting", [Setting(own=True), Setting(n_train=3), Setting(sets=("tag_path",)), Setting(form="local")]
)
def test_other_settings_extract_the_article_as_well(site, setting):
    assert ratios(site, extract(site, setting, seed=0))[0] > 95


def test_reference_that_skips_a_block_of_the_column_is_not_whole():
    pages = [rendered(i, reference="no quote" if i == 2 else "all") for i in range(6)]
    assert list(Site("a", tuple(pages)).flaws) == [2]
    assert Site("a", tuple(pages)).flaws[2].startswith("skips 1 blocks, the first: ")


def test_reference_that_holds_the_menu_is_not_whole():
    pages = [rendered(i) for i in range(6)]
    pages[4] = replace(pages[4], reference="Sports and games\n" + pages[4].reference)
    assert Site("a", tuple(pages)).flaws == {4: "holds boilerplate: Sports and games"}


def test_sites_that_cannot_be_measured_are_named_with_the_reason():
    pages = [
        *(rendered(i, site="few") for i in range(3)),
        *(rendered(i, site="unknown", reference="none") for i in range(4)),
        *(rendered(i, site="silent", description=False) for i in range(4)),
        *(rendered(i, site="good") for i in range(4)),
    ]
    sites, dropped = sites_of(pages)
    assert [site.name for site in sites] == ["good"]
    assert [line.split(" is left out: ")[0] for line in dropped] == ["few", "unknown", "silent"]


def as_record(page):
    blocks = [
        (
            text,
            path.split("/")[2:],
            {k: v for k, v in visual.items() if isinstance(v, str)},
            {k: v for k, v in visual.items() if not isinstance(v, str)},
        )
        for text, path, visual in zip(page.blocks.texts, page.blocks.tag_paths, page.blocks.visual, strict=True)
    ]
    return rendered_line(page.id, page.site, blocks, descriptions=list(page.blocks.descriptions[0]), ref=page.reference)


def test_experiment_gives_its_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(svm_visual, "figures", lambda *_: {"a": 87.4})
    monkeypatch.setattr(svm_visual, "TRAINING_PAGES", (2,))
    pages = [rendered(i, reference="no quote" if i == 0 else "all") for i in range(6)]
    path = tmp_path / "rendered.jsonl"
    path.write_text("\n".join(map(as_record, pages)) + "\nbroken\n")
    findings = run((), seed=1, path=path)
    accuracy, chosen, sets, training, differences = findings.tables
    assert chosen.rows == ()  # there is no other site to choose on
    assert accuracy.rows[0][:3] == ("a", 6, 87.4)
    assert accuracy.rows[0][-3:] == (5, 100.0, 100.0)
    assert accuracy.rows[0][3] == pytest.approx(100 * (5 + 2 * 125 / (125 + 145)) / 6)
    assert [row[0] for row in sets.rows][:3] == ["visual", "tag_path", "selector"]
    assert training.rows[0][0] == "2 pages"
    assert training.columns == ("learned from", "a", "a, whole references")
    assert training.rows[0][2] == 100.0 > training.rows[0][1]
    assert [row[0] for row in differences.rows] == ["a/0"]
    assert differences.rows[0][4] == ""
    assert all(len(row) == len(table.columns) for table in findings.tables for row in table.rows)
    assert "dropped 1: lines that are not JSON" in findings.notes
    assert any(note.startswith("a: 1 of 6 references are not whole: a/0 skips 1 blocks") for note in findings.notes)


def test_a_site_has_no_say_in_its_own_setting(monkeypatch):
    """On the first site a quote counts, on the others the references leave it out: each is given what the others want."""
    monkeypatch.setattr(svm_visual, "figures", lambda *_: {"a": 99.0, "b": 99.0})
    sites = [
        Site(name, tuple(rendered(i, site=name, reference=wanted) for i in range(6)))
        for name, wanted in (("a", "all"), ("b", "no quote"), ("c", "no quote"))
    ]
    for site in sites:
        vars(site)["flaws"] = {}
    kept = [extract(site, Setting(), seed=0) for site in sites]
    best = [extract(site, Setting(rule="best"), seed=0) for site in sites]
    masks = {"with quotes": kept, svm_visual.BEST_ONLY: best, svm_visual.OWN_PAGES: kept}
    rows = svm_visual._by_choice(sites, masks).rows
    assert (rows[0][0], rows[0][2], rows[0][5]) == ("a", svm_visual.BEST_ONLY, "no")
    assert svm_visual.OWN_PAGES not in {row[2] for row in rows} | {row[8] for row in rows}


def test_settings_are_chosen_where_references_are_whole():
    """A site whose references leave quotes out, as its pages show, does not choose for the others; over all it would."""
    sites = [
        Site("a", tuple(rendered(i, site="a") for i in range(6))),
        Site("c", tuple(rendered(i, site="c", reference="no quote" if i else "all") for i in range(6))),
    ]
    settings = {"with quotes": Setting(), svm_visual.BEST_ONLY: Setting(rule="best")}
    masks = {name: [extract(site, setting, seed=0) for site in sites] for name, setting in settings.items()}
    row = svm_visual._by_choice(sites, masks).rows[0]
    assert (row[2], row[8]) == ("with quotes", svm_visual.BEST_ONLY)


def test_without_a_file_there_is_a_note_and_no_table():
    findings = run(())
    assert findings.tables == ()
    assert "--rendered FILE" in findings.notes[0]
    assert findings.n_pages == 0
