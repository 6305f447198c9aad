"""Gold pages as labelled rows."""

from dataclasses import replace

import numpy as np
import pytest

from webmain.evaluation.records import GoldPage
from webmain.evaluation.training.rows import N_FOLDS, all_rows, fold_of, rows_of
from webmain.extractors.page_model import page_means
from webmain.features.columns import names

TEXT = "The ferry to the upper quay left an hour late on Monday, and the harbour master said so twice before noon."
HTML = (
    "<body><nav><a href=/>Home page of the Harbour News</a></nav>"
    f"<article><p>{TEXT}</p><p>On Tuesday it did not leave at all, for want of water.</p></article>"
    "<footer>Imprint and contact of the Harbour News</footer></body>"
)
PAGE = GoldPage(
    id="7",
    dataset="harbour",
    site="tide.example",
    page_type="article",
    language="en",
    html=HTML,
    text=TEXT + "\n\nOn Tuesday it did not leave at all, for want of water.",
)


def test_blocks_that_stand_in_the_gold_text_are_content():
    rows = rows_of(PAGE)
    assert [text[:4] for text, content in zip(rows.texts, rows.content, strict=True) if content] == ["The ", "On T"]
    assert len(rows.texts) == len(rows.content) == len(rows.values) == len(rows.n_chars) == 4
    assert rows.values.shape[1] == len(names())


def test_rows_know_their_page():
    rows = rows_of(PAGE, made_up=True)
    assert (rows.id, rows.dataset, rows.site, rows.page_type, rows.language) == (
        "7", "harbour", "tide.example", "article", "en",
    )  # fmt: skip
    assert rows.made_up
    assert rows.gold == PAGE.text
    assert rows.means == pytest.approx(page_means(rows))
    assert rows_of(replace(PAGE, site="")).site == "7"


def test_weights_are_roots_of_lengths_and_one_in_sum():
    rows = rows_of(PAGE)
    assert rows.weights.sum() == pytest.approx(1)
    assert rows.weights == pytest.approx(np.sqrt(rows.n_chars) / np.sqrt(rows.n_chars).sum())


@pytest.mark.parametrize(
    ("page_type", "is_news"), [("article", True), ("news", True), ("", True), ("forum", False), ("product", False)]
)
def test_articles_and_pages_of_unknown_type_are_news(page_type, is_news):
    assert rows_of(replace(PAGE, page_type=page_type)).is_news is is_news


@pytest.mark.parametrize("page", [replace(PAGE, text=""), replace(PAGE, text=None), replace(PAGE, html="<div></div>")])
def test_pages_without_gold_or_blocks_have_no_rows(page):
    assert rows_of(page) is None
    assert [rows.id for rows in all_rows([page, PAGE])] == ["7"]


def test_raw_bytes_are_read_as_text_is():
    assert rows_of(replace(PAGE, html=HTML.encode())).texts == rows_of(PAGE).texts


def test_a_site_is_always_in_the_same_fold_and_sites_in_all_folds():
    folds = [fold_of(f"{n}.example") for n in range(200)]
    assert set(folds) == set(range(N_FOLDS))
    assert folds == [fold_of(f"{n}.example") for n in range(200)]
    assert fold_of("bbc.co.uk") == fold_of("bbc.co.uk")
    assert max(folds.count(fold) for fold in range(N_FOLDS)) < 80
