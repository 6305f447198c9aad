"""The page model's file: what is shipped can be used, and what is not exactly of its form is refused in one way."""

import copy
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from webmain.evaluation.training.making import MAX_BYTES as MAX_SHIPPED_BYTES
from webmain.extractors import page_model as module
from webmain.extractors.page_model import (
    CONFIDENCE_COLUMNS,
    FILE,
    FORMAT_VERSION,
    SURE,
    PageModel,
    PageModelError,
    choose,
    columns,
    names,
    page_means,
    page_model,
    read,
    written,
)
from webmain.features.trees import Trees
from webmain.html.document import Document

ROOT = Path(__file__).parents[2]
SHIPPED = Path(module.__file__).with_name(FILE)


def trees(*nodes, names_=None, base=0.0):
    used = list(names_ or names())
    return Trees.from_plain({"base": base, "columns": used, "trees": [list(nodes)]}, used)


def split(name, threshold=0.5, low=-1.0, high=1.0):
    """Divide by one column."""
    return trees([names().index(name), threshold, 2], [low], [high])


def small(**parts):
    """Make a model of four small trees."""
    given = {
        "news": split("link"),
        "general": split("log_chars", 3.0),
        "profile": split("page_link"),
        "confidence": trees([0, 0.5, 2], [0.2], [0.9], names_=CONFIDENCE_COLUMNS),
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
    assert written(read(written(page_model()))) == written(page_model())


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
        ({"format": "another"}, "is no page model"),
        ({"format_version": FORMAT_VERSION + 1}, "format version"),
        ({"columns_version": 0}, "columns of version"),
        ({"news": None}, "can not be read"),
        ({"profile": {"base": 0, "columns": ["x"], "trees": [[[1.0]]]}}, "other columns"),
        ({"confidence": {"base": 0, "columns": list(CONFIDENCE_COLUMNS), "trees": [[[float("nan")]]]}}, "no number"),
        ({"news": {"base": 0, "columns": list(names()), "trees": [[[0, float("inf"), 2], [1.0], [2.0]]]}}, "no number"),
        ({"news": {"base": 0, "columns": list(names()), "trees": [[[0, 1.0, 0], [1.0], [2.0]]]}}, "where it can not"),
        ({"news": {"base": 0, "columns": list(names()), "trees": [[[10**6, 1.0, 2], [1.0], [2.0]]]}}, "no column"),
        ({"news": {"base": 10**400, "columns": list(names()), "trees": [[[1.0]]]}}, "base is no number"),
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
    values = np.zeros((3, len(names())), dtype=np.float32)
    for part in (model.news, model.general, model.profile):
        assert np.isfinite(part.sums(values)).all()
        assert np.isfinite(part.contributions(values[0], len(names()))).all()


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


@pytest.mark.parametrize("margin", [float(np.log(SURE / (1 - SURE))) + 0.01, 30.0])
def test_a_sure_profile_is_taken_alone(margin):
    assert small(profile=trees([margin])).news_share(seen(PAGE)) == 1
    assert small(profile=trees([-margin])).news_share(seen(PAGE)) == 0


def test_an_unsure_profile_mixes_both():
    model = small(profile=trees([0.4]))
    share = model.news_share(seen(PAGE))
    assert share == pytest.approx(1 / (1 + np.exp(-0.4)))
    found = seen(PAGE)
    mixed = share * model.news.sums(found.values) + (1 - share) * model.general.sums(found.values)
    assert model.margins(found, share) == pytest.approx(mixed)
    assert model.margins(found, 1.0).tolist() == model.news.sums(found.values).tolist()
    assert model.margins(found, 0.0).tolist() == model.general.sums(found.values).tolist()


@pytest.mark.parametrize(("value", "expected"), [(0.25, 0.25), (1.4, 1.0), (-0.2, 0.0)])
def test_confidence_lies_between_nothing_and_all(value, expected):
    model = small(confidence=trees([value], names_=CONFIDENCE_COLUMNS))
    probability, n = np.array([0.9, 0.1]), np.array([100.0, 100.0])
    assert model.expected_f1(probability, n, choose(probability, n), 1.0) == expected


def test_the_format_and_the_columns_are_documented():
    text = (ROOT / "docs" / "learned.md").read_text(encoding="utf-8")
    for key in plain():
        assert f"`{key}`" in text
    assert "preorder" in text
    for profile in ("auto", "news", "general"):
        assert f"`{profile}`" in text
