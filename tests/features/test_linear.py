"""The linear classifier: learned with scikit-learn, applied without."""

import dataclasses
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from webmain.features.block_features import discrete_names
from webmain.features.linear import LinearModel, learn
from webmain.features.site_blocks import SiteBlocks


def site(n_pages: int, *, order=None, visual: bool = False) -> tuple[SiteBlocks, np.ndarray]:
    rows, styles = [], []
    for number in order or range(n_pages):
        draw = np.random.default_rng(number)
        page = [("html/body/div.nav/ul/li", "Menu", False)] * 12
        page += [("html/body/div.story/p", "x" * int(draw.integers(30, 500)), True) for _ in range(3)]
        page += [("html/body/div.comments/p", "y" * int(draw.integers(30, 500)), False) for _ in range(5)]
        rows.append(page)
        styles += [{"font-size": "16px" if yes else "11px", "top": 100.0 + i} for i, (_, _, yes) in enumerate(page)]
    flat = [(number, *row) for number, page in enumerate(rows) for row in page]
    blocks = SiteBlocks(
        page=np.array([number for number, *_ in flat], dtype=np.int32),
        texts=tuple(text for _, _, text, _ in flat),
        tag_paths=tuple("/".join(s.split(".")[0] for s in selector.split("/")) for _, selector, _, _ in flat),
        selectors=tuple(selector for _, selector, _, _ in flat),
        visual=tuple(styles) if visual else None,
        descriptions=((),) * n_pages,
        sites=("example.com",) * n_pages,
    )
    return blocks, np.array([yes for *_, yes in flat], dtype=bool)


def test_the_quality_is_that_on_pages_held_back():
    blocks, _ = site(8)
    by_chance = np.random.default_rng(0).random(len(blocks)) < 0.3
    assert learn(blocks, by_chance).quality < 0.7


def test_the_rare_class_is_weighted_up():
    blocks, positive = site(6)
    noisy = positive.copy()
    noisy[np.flatnonzero(positive)[::2]] = False  # half of the content was not found
    model = learn(blocks, noisy, sets=("selector",))
    assert (model.margins(blocks) > 0)[positive].all()


@pytest.mark.parametrize("sets", [("tag_path",), ("selector",), ("length",), ("visual",), ("length", "visual")])
def test_each_feature_set_can_be_learned_alone(sets):
    blocks, positive = site(6, visual=True)
    model = learn(blocks, positive, sets=sets)
    right = ((model.margins(blocks) > 0) == positive).mean()
    assert right == 1.0 if {"selector", "visual"} & set(sets) else right > 0.5
    assert model.sets == sets


def test_margins_are_those_of_the_vector_product():
    blocks, positive = site(5)
    model = learn(blocks, positive, sets=("length", "selector"))
    first = model.margins(blocks)[0]
    names = ["in=div.nav", "own=li."]
    by_hand = model.bias + sum(model.weights[n] for n in names) + model.weights["length"] * round(4 * np.log2(5)) / 48
    assert first == pytest.approx(by_hand)


def test_the_parts_of_a_margin_are_those_of_the_feature_sets():
    blocks, positive = site(5, visual=True)
    model = learn(blocks, positive, sets=("length", "tag_path", "selector", "visual"))
    parts = model.parts(blocks)
    assert parts.shape == (len(blocks), 4)
    assert np.allclose(model.bias + parts.sum(axis=1), model.margins(blocks))
    by_selector = [
        sum(model.weights.get(n, 0.0) for n in discrete_names(("selector",), "", s)) for s in blocks.selectors
    ]
    assert np.allclose(parts[:, 2], by_selector)


def test_where_there_is_nothing_to_look_at_nothing_is_content():
    blocks, positive = site(5)
    for labels in (positive, positive | True):
        model = learn(blocks, labels, sets=("visual",))
        assert model.columns == ()
        assert not (model.margins(blocks) > 0).any()


def test_learning_asks_between_its_steps_whether_to_go_on():
    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        learn(*site(5), check=stop)


def test_it_goes_through_json_and_back():
    blocks, positive = site(5)
    model = learn(blocks, positive)
    again = LinearModel.from_plain(json.loads(json.dumps(model.to_plain())))
    assert again == model
    assert again.margins(blocks).tolist() == model.margins(blocks).tolist()


def test_applying_a_model_needs_no_scikit_learn():
    plain = json.dumps(learn(*site(4)).to_plain())
    code = (
        "import json, sys\n"
        "from webmain.features.linear import LinearModel\n"
        "from webmain.features.site_blocks import read_segmentations, shown_blocks\n"
        "from webmain.items import Page\n"
        "from webmain.html.document import Document\n"
        "page = '<div class=story><p>' + 'x' * 200\n"
        "blocks = read_segmentations([shown_blocks(Document(Page(html=page), html=page))])\n"
        "model = LinearModel.from_plain(json.loads(sys.argv[1]))\n"
        "assert model.margins(blocks)[0] > 0\n"
        "assert not [m for m in sys.modules if m.partition('.')[0] in ('sklearn', 'scipy')]\n"
    )
    subprocess.run([sys.executable, "-c", code, plain], check=True)


@pytest.mark.parametrize("value", [True, False])
def test_one_class_only_is_answered_with_that_class(value):
    blocks, _ = site(5)
    model = learn(blocks, np.full(len(blocks), value))
    assert ((model.margins(blocks) > 0) == value).all()
    assert model.quality is None


def test_missing_labels_and_blocks_are_an_error():
    blocks, positive = site(2)
    with pytest.raises(ValueError, match="labels for"):
        learn(blocks, positive[:-1])
    with pytest.raises(ValueError, match="0 labels for 0 blocks"):
        learn(blocks.select_pages(np.array([], dtype=np.int64)), positive[:0])
    with pytest.raises(ValueError, match="colour"):
        learn(blocks, positive, sets=("colour",))


@pytest.mark.parametrize(
    "damage",
    [
        {"weights": [1.0]},
        {"weights": None},
        {"columns": [1, 2]},
        {"columns": ["a", "a"], "weights": [1.0, 2.0]},
        {"columns": ["a"], "weights": [float("nan")]},
        {"columns": ["a"], "weights": ["1.0"]},
        {"columns": ["a"], "weights": [True]},
        {"bias": None},
        {"bias": float("inf")},
        {"quality": "good"},
        {"sets": ["colour"]},
        {"sets": []},
        {"places": [1]},
        {"places": None},
    ],
)
def test_damaged_models_are_refused(damage):
    plain = learn(*site(3)).to_plain()
    with pytest.raises(ValueError, match=r"no linear model|feature sets"):
        LinearModel.from_plain(plain | damage)
    for key in plain:
        with pytest.raises(ValueError, match="no linear model"):
            LinearModel.from_plain({k: v for k, v in plain.items() if k != key})


def test_a_place_is_known_by_its_path_and_class_names():
    model = learn(*site(5))
    assert model.knows("html/body/div/p", "html/body/div.story/p")
    assert not model.knows("html/body/main/article/section/p", "html/body/main.m/article.a/section/p")


def with_body_class(blocks: SiteBlocks, names: str) -> SiteBlocks:
    selectors = [
        s.replace("/body/", f"/body.{names.format(n)}/", 1)
        for n, s in zip(blocks.page.tolist(), blocks.selectors, strict=True)
    ]
    return dataclasses.replace(blocks, selectors=tuple(selectors))


def share_known(model: LinearModel, blocks: SiteBlocks) -> float:
    return float(np.mean([model.knows(*place) for place in zip(blocks.tag_paths, blocks.selectors, strict=True)]))


@pytest.mark.parametrize("names", ["post-{0}", "page.post-{0}"])
@pytest.mark.parametrize("n_pages", [1, 2, 8])
def test_a_class_name_of_one_page_only_makes_no_place_unknown(names, n_pages):
    blocks, _ = site(8)
    model = learn(*(with_body_class(site(n_pages)[0], names), site(n_pages)[1]))
    held_back = with_body_class(blocks, names.replace("{0}", "9{0}"))
    if n_pages > 2:
        assert share_known(model, held_back) == 1.0
        assert not any("post-" in place for place in model.places)
    assert share_known(model, with_body_class(site(n_pages)[0], names)) == 1.0
    renamed = tuple(re.sub(r"\.([a-z])", r".new-\1", s) for s in held_back.selectors)
    assert share_known(model, dataclasses.replace(held_back, selectors=renamed)) == 0.0


def test_without_selectors_a_place_is_its_tag_path_and_by_length_alone_all_are_known():
    blocks, positive = site(4)
    by_path, by_length = (learn(blocks, positive, sets=(name,)) for name in ("tag_path", "length"))
    assert by_path.knows("html/body/div/p", "html/body/div.other/p")
    assert not by_path.knows("html/body/main/p", "html/body/div.story/p")
    assert by_length.knows("html/x", "html/x.y")
    assert by_length.places == ()


def test_the_places_of_a_model_are_bounded_and_those_on_most_pages_stay(monkeypatch):
    blocks, positive = site(4)
    monkeypatch.setattr("webmain.features.linear.MAX_PLACE_CHARS", 50)
    selectors = ("html/body/p.only-here", *blocks.selectors[1:])
    model = learn(dataclasses.replace(blocks, selectors=selectors), positive)
    assert 0 < sum(map(len, model.places)) <= 50
    assert "html/body/p" not in model.places
