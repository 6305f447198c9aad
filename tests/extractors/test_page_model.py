"""The page model's file: what is shipped can be used, and what is not exactly of its form is refused in one way."""

import copy
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from webmain.evaluation.training.pipeline import MAX_BYTES as MAX_SHIPPED_BYTES
from webmain.extractors import page_model as module
from webmain.extractors.page_model import (
    CONFIDENCE_COLUMNS,
    FILE,
    FORMAT_VERSION,
    LISTINGS,
    OTHER_TYPES,
    PageModel,
    PageModelError,
    block_names,
    choose,
    columns,
    confidence_row,
    mean_weights,
    names,
    page_means,
    page_model,
    page_names,
    page_row,
    read,
    written,
)
from webmain.features.trees import Trees
from webmain.html.document import Document
from webmain.items import PAGE_TYPES

ROOT = Path(__file__).parents[2]
SHIPPED = Path(module.__file__).with_name(FILE)


def trees(*nodes, names_=None, base=0.0):
    used = list(names_ or names())
    return Trees.from_plain({"base": base, "columns": used, "trees": [list(nodes)]}, used)


def split(name, threshold=0.5, low=-1.0, high=1.0):
    """Divide by one column of the page."""
    return trees([page_names().index(name), threshold, 2], [low], [high], names_=page_names())


def small(**parts):
    """Make a model of small trees."""
    given = {
        "article": split("page_link"),
        "kinds": {name: trees([float(place)]) for place, name in enumerate(OTHER_TYPES)},
        "blocks": trees([block_names().index("link"), 0.5, 2], [-1.0], [1.0], names_=block_names()),
        "confidence": trees([0, 0.5, 2], [0.2], [0.9], names_=CONFIDENCE_COLUMNS),
        "no_listing": split("page_n_prose"),
    }
    return PageModel(**{**given, **parts})


def plain():
    return small().to_plain()


def as_file(value):
    return json.dumps(value).encode()


# ---- the shipped model


def test_the_shipped_model_is_small_and_plain_text():
    data = SHIPPED.read_bytes()
    assert len(data) < MAX_SHIPPED_BYTES
    assert data.isascii()
    assert isinstance(json.loads(data), dict)


def test_the_shipped_model_is_the_one_that_is_used():
    assert page_model().sha256 == hashlib.sha256(SHIPPED.read_bytes()).hexdigest()


def test_the_shipped_model_is_written_as_it_was_read():
    assert written(page_model()) == SHIPPED.read_bytes()


def test_the_card_is_of_the_shipped_model():
    card = (ROOT / "models" / "page_model" / "CARD.md").read_text(encoding="utf-8")
    assert f"sha256 {page_model().sha256}" in card


def test_the_card_credits_the_data_and_says_whose_the_texts_are():
    card = (ROOT / "models" / "page_model" / "CARD.md").read_text(encoding="utf-8")
    for part in ("CC-BY-4.0", "Murrough Foley", "MIT", "Fundus", "remains its publishers'", "seed"):
        assert part in card


# ---- the form of the file


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "another"}, "is not a page model"),
        ({"format_version": FORMAT_VERSION + 1}, "format version"),
        ({"columns_version": 0}, "columns of version"),
        ({"blocks": None}, "cannot be read"),
        ({"kinds": {}}, "cannot be read"),
        ({"no_listing": None}, "cannot be read"),
        ({"article": {"base": 0, "columns": ["x"], "trees": [[[1.0]]]}}, "other columns"),
        ({"confidence": {"base": 0, "columns": list(CONFIDENCE_COLUMNS), "trees": [[[float("nan")]]]}}, "no number"),
        (
            {"article": {"base": 0, "columns": list(names()), "trees": [[[0, float("inf"), 2], [1.0], [2.0]]]}},
            "no number",
        ),
        (
            {"article": {"base": 0, "columns": list(names()), "trees": [[[0, 1.0, 0], [1.0], [2.0]]]}},
            "where it cannot",
        ),
        ({"article": {"base": 0, "columns": list(names()), "trees": [[[10**6, 1.0, 2], [1.0], [2.0]]]}}, "no column"),
        ({"article": {"base": 10**400, "columns": list(names()), "trees": [[[1.0]]]}}, "base is no number"),
    ],
)
def test_a_model_of_another_form_is_refused_and_told_why(change, told):
    with pytest.raises(PageModelError, match=told):
        read(as_file({**plain(), **change}))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b'"webmain page model"',
        b"\x80\x04\x95",  # a pickle
        b"{" * 100_000,
        b'{"format": ' + b"9" * 5000 + b"}",
        written(small())[:-2],
    ],
)
def test_what_is_no_json_object_is_refused(data):
    with pytest.raises(PageModelError):
        read(data)


def test_a_file_that_is_too_large_is_refused_before_it_is_looked_at(monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 1000)
    with pytest.raises(PageModelError, match="more than 1,000 bytes"):
        read(b" " * 1001)
    with pytest.raises(PageModelError, match="JSON"):
        read(b" " * 1000)


def judges(model):
    """Use a model as the extractor does; whatever was read must stand that."""
    found = seen(PAGE)
    assert np.isfinite(model.margins(found, 0.5)).all()
    shares = model.page_types(page_row(found))
    assert sum(shares.values()) == pytest.approx(1)
    assert np.isfinite(model.blocks.contributions(found.with_article(0.5)[:1])).all()


WRONG = (
    None,
    True,
    -1,
    0,
    10**9,
    10**400,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "0",
    [],
    {},
    [[]],
    [None],
    [[[]]],
    [[0, 1]],
)


def paths(value, at=()):
    """Give the places of all values in the lists and mappings of a model; names of columns count once."""
    yield at
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        if at[-1:] == ("columns",) and key:
            break
        yield from paths(child, (*at, key))


def test_any_value_in_any_place_is_refused_or_harmless():
    whole = {"model": plain()}
    places = list(paths(whole["model"], ("model",)))
    refused = 0
    for path in places:
        for wrong in WRONG:
            value = copy.deepcopy(whole)
            holder = value
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = wrong
            try:
                judges(PageModel.from_plain(value["model"]))
            except PageModelError:
                refused += 1
    assert refused > 10 * len(places)


# ---- what a model says of a page


def seen(markup):
    from webmain.extractors.learned import LearnedExtractor
    from webmain.items import Page

    document = Document(Page(html=markup), html=markup)
    segmentation = LearnedExtractor().segment(document)
    return columns(segmentation)


PAGE = "<body><p>" + "A line of plain text, long enough. " * 9 + "</p><p><a href=/>more</a></p></body>"


def test_means_of_columns_are_weighted_by_the_roots_of_lengths():
    found = seen(PAGE)
    weights = np.sqrt(np.maximum(found.n_chars, 4))
    expected = (weights[:, None] * found.values).sum(axis=0) / weights.sum()
    assert page_means(found) == pytest.approx(expected, rel=1e-5)


def test_a_page_has_one_kind_in_all():
    shares = small(article=trees([1.0]), no_listing=None).page_types(page_row(seen(PAGE)))
    assert shares["article"] == pytest.approx(1 / (1 + np.exp(-1.0)))
    assert sum(shares.values()) == pytest.approx(1)
    others = [shares[name] for name in OTHER_TYPES]
    assert others == sorted(others)
    assert set(shares) == set(PAGE_TYPES)


@pytest.mark.parametrize(("log_odds", "expected"), [(9.0, 1.0), (1.0 + LISTINGS, 1.0), (LISTINGS - 2.0, -2.0)])
def test_a_page_is_an_article_as_surely_as_the_more_doubtful_of_two_says(log_odds, expected):
    row = page_row(seen(PAGE))
    without = small(article=trees([1.0]), no_listing=None).page_types(row)
    shares = small(article=trees([1.0]), no_listing=trees([log_odds])).page_types(row)
    assert shares["article"] == pytest.approx(1 / (1 + np.exp(-expected)))
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["listing"] - without["listing"] == pytest.approx(without["article"] - shares["article"])
    assert shares["forum"] == without["forum"]


def test_a_model_that_knows_of_no_listings_is_written_as_it_was_read():
    older = small(no_listing=None)
    assert "no_listing" not in older.to_plain()
    assert read(written(older)).no_listing is None
    assert read(written(small())).no_listing is not None


def test_a_page_is_judged_by_means_of_its_blocks_and_by_columns_of_its_own():
    found = seen(PAGE)
    row = page_row(found)
    assert len(row) == len(page_names()) == len(set(page_names()))
    assert page_names()[: len(names())] == names()
    assert row[: len(names())].tolist() == page_means(found).tolist()
    assert row[len(names()) :].tolist() == found.of_page.tolist()


def test_log_odds_are_the_trees_with_the_pages_probability_among_the_columns():
    by_article = trees([block_names().index("p_article"), 0.5, 2], [-1.0], [3.0], names_=block_names())
    model, found = small(blocks=by_article), seen(PAGE)
    assert model.margins(found, 0.9) == pytest.approx(3)
    assert model.margins(found, 0.1) == pytest.approx(-1)


def test_blocks_count_by_the_roots_of_their_lengths_in_means():
    assert mean_weights(np.array([100.0, 0.0])).tolist() == pytest.approx([10 / 12, 2 / 12])


@pytest.mark.parametrize(("value", "expected"), [(0.25, 0.25), (1.4, 1.0), (-0.2, 0.0)])
def test_confidence_lies_between_nothing_and_all(value, expected):
    model = small(confidence=trees([value], names_=CONFIDENCE_COLUMNS))
    probability, n = np.array([0.9, 0.1]), np.array([100.0, 100.0])
    row = confidence_row(probability, n, choose(probability, n), 1.0)
    assert model.expected_f1(row) == expected


def test_the_format_and_the_columns_are_documented():
    text = (ROOT / "docs" / "learned.md").read_text(encoding="utf-8")
    for key in plain():
        assert f"`{key}`" in text
    assert "preorder" in text
    for profile in ("auto", "news", "general"):
        assert f"`{profile}`" in text
