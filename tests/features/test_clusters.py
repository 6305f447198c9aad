"""Clusters of blocks: what stands alike is together, whatever the order of the pages."""

from collections import Counter

import numpy as np
import pytest

from webmain.features.clusters import cluster, knee, steadiness, vectorise
from webmain.features.site_blocks import SiteBlocks


def site(pages: list[list[tuple[str, str]]], visual=None) -> SiteBlocks:
    """Make blocks from (selector, text) pairs."""
    flat = [(number, selector, text) for number, blocks in enumerate(pages) for selector, text in blocks]
    return SiteBlocks(
        page=np.array([number for number, _, _ in flat], dtype=np.int32),
        texts=tuple(text for _, _, text in flat),
        tag_paths=tuple("/".join(step.split(".")[0] for step in selector.split("/")) for _, selector, _ in flat),
        selectors=tuple(selector for _, selector, _ in flat),
        visual=visual,
        descriptions=((),) * len(pages),
        sites=("example.com",) * len(pages),
    )


def news(n: int, seed: int = 0) -> list[list[tuple[str, str]]]:
    draw = np.random.default_rng(seed)
    pages = []
    for number in range(n):
        page = [("html/body/div.nav/ul/li", "Section")] * 8
        page += [("html/body/div.main/div.story/p", "x" * int(draw.integers(40, 400))) for _ in range(8)]
        page += [("html/body/div.main/div.comments/div.c/p", "y" * int(draw.integers(10, 300))) for _ in range(6)]
        page += [(f"html/body/footer.f{number}/p", f"Odd {number}")]
        pages.append(page)
    return pages


def test_paragraphs_menus_and_comments_of_all_pages_are_one_cluster_each():
    blocks = site(news(12))
    found = cluster(blocks)
    for part in (".nav", ".story", ".comments"):
        inside = Counter(c for c, selector in zip(found.tolist(), blocks.selectors, strict=True) if part in selector)
        (number, n_blocks), *rest = inside.most_common()
        assert number >= 0
        assert n_blocks > 0.95 * inside.total()
        assert not [other for other, _ in rest if other >= 0]
    assert len(found) == len(blocks)
    assert found.dtype == np.int32


def test_what_stands_on_one_page_only_is_noise():
    pages = news(12)
    pages[3].append(("html/body/table/tbody/tr/td.odd", "z" * 3000))
    assert cluster(site(pages))[sum(map(len, pages[:4])) - 1] == -1


def test_clusters_are_numbered_by_first_appearance():
    found = cluster(site(news(6)))
    firsts = [found.tolist().index(number) for number in range(found.max() + 1)]
    assert firsts == sorted(firsts)


def test_each_feature_set_can_be_switched():
    pages = [[("html/body/div.a/p", "x" * 100), ("html/body/div.b/p", "x" * 100)] * 3 for _ in range(6)]
    assert len(set(cluster(site(pages), sets=("tag_path",)).tolist())) == 1
    assert len(set(cluster(site(pages), sets=("length",)).tolist())) == 1
    assert len(set(cluster(site(pages), sets=("selector",)).tolist())) == 2


def test_visual_properties_tell_blocks_apart_that_stand_alike():
    pages = [[("html/body/p", "x" * 100)] * 6 for _ in range(6)]
    visual = tuple({"color": "red", "top": 10.0} if i % 2 else {"font-size": "20px", "top": 900.0} for i in range(36))
    found = cluster(site(pages, visual), sets=("visual",))
    assert set(found[::2].tolist()).isdisjoint(found[1::2].tolist())
    assert len(set(found.tolist())) == 2
    assert len(set(cluster(site(pages), sets=("visual",)).tolist())) == 1  # pages that were not rendered


def test_no_blocks_and_one_block():
    assert cluster(site([])).tolist() == []
    assert cluster(site([[], []])).tolist() == []
    assert cluster(site([[("html/body/p", "x")]])).tolist() == [0]


def test_all_blocks_different_on_different_pages_are_noise():
    pages = [
        [(f"html/body/{tag}/{tag}/{tag}", "x" * 10**n)] for n, tag in enumerate(("p", "div", "ul", "table"), start=1)
    ]
    assert set(cluster(site(pages), eps=0.01).tolist()) == {-1}


def test_class_names_of_one_page_do_not_part_its_blocks_from_the_others():
    pages = [
        [(selector.replace("div.main", f"div.main.post-{i}.tag-{i % 3}"), text) for selector, text in page]
        for i, page in enumerate(news(12))
    ]
    blocks = site(pages)
    found = cluster(blocks)
    stories = {c for c, selector in zip(found.tolist(), blocks.selectors, strict=True) if ".story" in selector}
    assert len(stories - {-1}) == 1


def test_steadiness_is_the_share_of_pages_with_such_a_place():
    share = steadiness(
        site([[("html/body/div.story.sports/p", "x")], [("html/body/div.story/p", "y")], [("html/body/h1.t", "z")]])
    )
    assert share["in=div.story"] == 1.0
    assert share["in=div.sports"] == 0.5
    assert share["in=h1.t"] == 1.0


@pytest.mark.parametrize(
    ("curve", "index"),
    [([1.0], 0), ([1.0, 2.0], 1), ([3.0, 3.0, 3.0], 2), ([1, 1, 1, 1, 1, 9], 4), ([0, 1, 2, 3, 10, 20], 3)],
)
def test_the_knee_lies_farthest_below_the_chord(curve, index):
    assert knee(np.array(curve, dtype=np.float64)) == index


def test_huge_sites_are_compared_by_few_vectors():
    draw = np.random.default_rng(0)
    tags = ("div", "ul", "p", "table")
    pages = [
        [
            ("html/body/" + "/".join(tags[j] for j in draw.integers(0, 4, 6)), "x" * int(draw.integers(1, 4000)))
            for _ in range(400)
        ]
        for _ in range(5)
    ]
    blocks = site(pages)
    vectors = vectorise(blocks, max_vectors=300)
    assert vectors.matrix.shape[0] <= 300
    assert vectors.weight.sum() == len(blocks)
    assert len(vectors.of_block) == len(blocks)
