"""The network over a page's blocks: right gradients, the same bytes each time, what it can see and what it can't."""

from dataclasses import replace

import numpy as np
import pytest

from webmain.evaluation.training import network as module
from webmain.evaluation.training.network import Example, NetworkRecipe, fit_network
from webmain.features import network
from webmain.features.network import DISTANCES, GAP, WIDTH, Network, around

RECIPE = NetworkRecipe(channels=4, epochs=30, rows=400, rate=0.02, dropped=0.0)


def examples(n_pages=40, n_blocks=30, seed=0):
    """Make pages whose blocks are content up to one that is marked, in one column of three."""
    random = np.random.default_rng(seed)
    pages = []
    for _ in range(n_pages):
        values = random.standard_normal((n_blocks, 3)).astype(np.float32)
        end = random.integers(5, n_blocks - 5)
        values[:, 0] = np.arange(n_blocks) == end
        target = (np.abs(np.arange(n_blocks) - end) == 2).astype(np.float32)
        pages.append(Example(values, target, np.full(n_blocks, 1 / n_blocks)))
    return pages


@pytest.fixture(scope="module")
def fitted():
    return fit_network(examples(), RECIPE)


def test_what_is_around_a_block_is_learned(fitted):
    for page in examples(5, seed=1):
        margins = fitted.margins(page.values, page.weights)
        assert ((margins > 0) == (page.target > 0)).all()


def test_the_same_pages_give_the_same_weights(fitted):
    names = ["a", "b", "c"]
    assert fit_network(examples(), RECIPE).to_plain(names) == fitted.to_plain(names)
    assert fit_network(examples(), replace(RECIPE, seed=2)).to_plain(names) != fitted.to_plain(names)


def test_weights_are_what_the_file_holds(fitted):
    again = Network.from_plain(fitted.to_plain(["a", "b", "c"]), ["a", "b", "c"])
    page = examples(1)[0]
    assert again.margins(page.values, page.weights).tolist() == fitted.margins(page.values, page.weights).tolist()


def test_columns_that_it_was_made_without_add_nothing_whatever_their_order(fitted):
    plain, page = fitted.to_plain(["a", "b", "c"]), examples(1)[0]
    again = Network.from_plain(plain, ["new", "c", "a", "b"])
    wider = np.column_stack([np.full(len(page.values), 1e6), page.values[:, [2, 0, 1]]]).astype(np.float32)
    np.testing.assert_allclose(
        again.margins(wider, page.weights), fitted.margins(page.values, page.weights), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("columns", [["a", "b"], ["a", "b", "b"], ["a", "b", "x"], []])
def test_columns_that_are_none_of_the_names_or_are_there_twice_are_refused(fitted, columns):
    with pytest.raises(ValueError, match=r"other columns|another size"):
        Network.from_plain(fitted.to_plain(["a", "b", "c"]) | {"columns": columns}, ["a", "b", "c", "d"])


def test_gradients_are_those_of_the_cross_entropy():
    random = np.random.default_rng(3)
    pages = examples(3, 40)
    start = module._start(pages, RECIPE, random)
    (batch,) = module._batches(pages, start, RECIPE)
    names = ("own", "page", "bias", "layers", "layer_bias", "out")
    weights = {name: getattr(start, name).copy() for name in names} | {"out_bias": np.zeros(1, dtype=np.float32)}
    weights["bias"] += 0.1
    gradients = module._gradients(weights, batch, np.ones(3, dtype=np.float32))

    def loss():
        hidden = batch.columns @ weights["own"] + (batch.means @ weights["page"] + weights["bias"])[batch.page]
        hidden = np.maximum(hidden, 0) * batch.is_row
        for distance, layer, bias in zip(DISTANCES, weights["layers"], weights["layer_bias"], strict=True):
            hidden = hidden + np.maximum(around(hidden, distance) @ layer + bias, 0) * batch.is_row
        margin = (hidden @ weights["out"] + weights["out_bias"][0]).astype(np.float64)
        return float(((np.log1p(np.exp(margin)) - batch.target * margin) * batch.weights).sum())

    for name, array in weights.items():
        place = tuple(random.integers(0, size) for size in array.shape)
        value = array[place]
        array[place] = value + 0.01
        above = loss()
        array[place] = value - 0.01
        below = loss()
        array[place] = value
        assert gradients[name][place] == pytest.approx((above - below) / 0.02, rel=0.03, abs=2e-3), name


def test_no_page_looks_into_another(fitted):
    first, second = examples(2)
    start = module._start([first, second], RECIPE, np.random.default_rng(0))
    (batch,) = module._batches([first, second], start, RECIPE)
    assert len(batch.columns) == 2 * (30 + GAP)
    assert not batch.columns[30 : 30 + GAP].any()
    assert not batch.weights[30 : 30 + GAP].any()


@pytest.mark.parametrize("n", [1, 2, 60])
def test_beyond_the_ends_there_is_nothing(n):
    rows = np.arange(1, n + 1, dtype=np.float32)[:, None]
    found = around(rows, 3)
    assert found[:, WIDTH // 2].tolist() == rows[:, 0].tolist()
    expected = [row + 3 + 1 if row + 3 < n else 0 for row in range(n)]
    assert found[:, WIDTH // 2 + 1].tolist() == expected


def test_long_pages_are_computed_in_pieces_with_the_same_judgement(fitted, monkeypatch):
    page = examples(1)[0]
    whole = fitted.margins(page.values, page.weights)
    monkeypatch.setattr(network, "PIECE", 7)
    assert fitted.margins(page.values, page.weights) == pytest.approx(whole, abs=1e-5)
