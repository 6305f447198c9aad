import numpy as np
import pytest

from webmain.features.block_features import continuous_values
from webmain.features.labels import label_site
from webmain.features.positions import columns, in_column, without_asides
from webmain.features.site_blocks import SiteBlocks


def placed(*rows, visual=True):
    """Make blocks of (page, left, width, n_chars)."""
    return SiteBlocks(
        page=np.array([row[0] for row in rows], dtype=np.int32),
        texts=tuple(f"{i:x}" + "x" * (row[3] - 1) for i, row in enumerate(rows)),
        tag_paths=("html/body/p",) * len(rows),
        selectors=("html/body/p",) * len(rows),
        visual=tuple({"left": float(row[1]), "width": float(row[2])} for row in rows) if visual else None,
        descriptions=((),) * (1 + max(row[0] for row in rows)),
        sites=("a",) * (1 + max(row[0] for row in rows)),
    )


def test_column_is_where_nearly_all_of_the_text_stands():
    blocks = placed((0, 100, 600, 500), (0, 100, 600, 500), (0, 20, 900, 50), (2, 50, 300, 10))
    found = columns(blocks, np.ones(4, dtype=bool))
    assert found[0].tolist() == [100, 700]
    assert np.isnan(found[1]).all()
    assert found[2].tolist() == [50, 350]


@pytest.mark.parametrize(
    ("left", "width", "inside"),
    [
        (100, 600, True),
        (130, 540, True),
        (40, 600, True),  # sticks out by a tenth
        (39, 600, False),
        (160, 600, True),
        (161, 600, False),
        (100, 240, True),  # two fifths
        (100, 239, False),
        (0, 900, False),
    ],
)
def test_block_stands_in_the_column_by_its_edges_and_width(left, width, inside):
    blocks = placed((0, 100, 600, 500), (0, left, width, 20))
    assert in_column(blocks, np.array([True, False])).tolist() == [True, inside]


def test_blocks_without_rectangles_have_no_column():
    blocks = placed((0, 100, 600, 500), visual=False)
    assert columns(blocks, np.array([True])) is None
    assert in_column(blocks, np.array([True])) is None
    assert without_asides(blocks, np.array([0], dtype=np.int32), [0]) == [0]


def test_cluster_beside_the_text_is_left_out_and_a_lead_in_its_column_stays():
    rows = [(p, left, width, n) for p in range(3) for left, width, n in ((0, 990, 60), (100, 600, 80), (100, 600, 900))]
    blocks = placed(*rows)
    assert without_asides(blocks, np.array([0, 1, 2] * 3, dtype=np.int32), [2, 0, 1]) == [2, 1]


def test_radius_that_joins_article_and_boilerplate_is_narrowed(monkeypatch):
    from webmain.features import labels

    n_pages, scales = 6, []
    texts = tuple(
        text
        for i in range(n_pages)
        for text in (
            "menu of the site",
            "more of the menu",
            f"story {i} alpha{i} beta{i} gamma{i} delta{i}",
            f"end {i} of it",
        )
    )
    blocks = SiteBlocks(
        page=np.repeat(np.arange(n_pages, dtype=np.int32), 4),
        texts=texts,
        tag_paths=("html/body/p",) * len(texts),
        selectors=("html/body/p",) * len(texts),
        descriptions=tuple((f"story {i} alpha{i} beta{i} gamma{i} delta{i}",) for i in range(n_pages)),
        sites=("a",) * n_pages,
    )

    def cluster(blocks, *, sets, scale):
        scales.append(scale)
        apart = np.array([0, 0, 1, 1] * n_pages, dtype=np.int32)
        return np.zeros_like(apart) if scale > 0.6 else apart

    monkeypatch.setattr(labels, "cluster", cluster)
    found = label_site(blocks)
    assert scales == [1.0, 0.75, 0.5625]
    assert found.positive.tolist() == [False, False, True, True] * n_pages


def test_only_the_edge_and_width_of_a_rectangle_are_features():
    look = {"color": "red", "left": 10.0, "width": 600.0, "top": 900.0, "height": 40.0}
    assert sorted(continuous_values(("visual",), look)) == ["px=left", "px=width"]
