"""The merged tag tree of a site: what it counts, what it leaves out, and how it is kept."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.features import site_tree
from webmain.features.site_paths import distinct_pages, text_fingerprint, text_runs
from webmain.features.site_tree import SiteTree, merge_trees
from webmain.html.document import Document
from webmain.items import Page


def page(markup: str, url: str | None = None) -> Document:
    return Document(Page(url=url, html=markup), html=markup)


def paths(tree: SiteTree) -> dict[str, int]:
    return {tree.path(node): tree.pages[node] for node in range(len(tree))}


def same(tree: SiteTree, document: Document) -> dict[str, int]:
    runs = text_runs(document)
    return dict(zip(runs.texts(range(len(runs))), tree.evidence(runs).n_same.tolist(), strict=True))


def story(i: int, n_paragraphs: int = 4) -> str:
    """Paragraphs that no other story has."""
    words = [f"word{i}x{k}" for k in range(40)]
    return "".join(f"<p>{' '.join(words[j:] + words[:j])}, number {j}.</p>" for j in range(n_paragraphs))


HEADER = "<header class=top><ul class=nav><li><a href=/a>Home</a><li><a href=/b>Sport</a></ul></header>"
LEGAL = "<footer id=foot><p>" + "All rights are reserved by the owner of this paper. " * 4 + "</p></footer>"


def article(i: int, *, box: str = "") -> str:
    return f"<body class='post-{i}'>{HEADER}<div class='story post-{i}'>{story(i)}{box}</div>{LEGAL}</body>"


# --- counting --------------------------------------------------------------------------------------------------------


def test_nodes_count_the_pages_they_stand_in():
    tree = merge_trees([page("<div class=a><p>x<p>y</div>"), page("<div class=a><p>z</div><div class=b>q</div>")])
    assert paths(tree) == {
        "html": 2, "html/head": 2, "html/body": 2, "html/body/div.a": 2, "html/body/div.a/p": 2,
    }  # fmt: skip


def test_texts_count_pages_and_not_occurrences():
    pages = [page("<p>Top</p><p>Top</p><p>one</p>"), page("<p>Top</p><p>two</p>"), page("<p>three</p>")]
    tree = merge_trees(pages)
    assert tree.text_pages == (2,)
    assert same(tree, page("<p>Top</p><p>one</p><p>new</p>")) == {"Top": 2, "one": 0, "new": 0}


def test_same_text_at_another_path_is_another_text():
    tree = merge_trees([page("<h1>Top</h1><p>x"), page("<h2>Top</h2><p>y")])
    assert tree.texts == ()


def test_hidden_text_is_not_counted():
    assert merge_trees([page("<p hidden>same</p><p>a"), page("<p hidden>same</p><p>b")]).texts == ()


def test_unknown_paths_have_no_evidence():
    tree = merge_trees([page("<p>x"), page("<p>x")])
    runs = text_runs(page("<section><p>x</p></section><p>x"))
    found = tree.evidence(runs)
    assert found.n_path.tolist() == [0, 2]
    assert found.n_same.tolist() == [0, 2]


def test_nothing_below_an_unknown_element_is_known():
    tree = merge_trees([page("<p>x"), page("<p>x")])
    odd = page("<x-y><svg><html><p>x")
    nodes = dict(zip(map(odd.elements.tag_path, range(len(odd.elements))), tree.nodes(odd).tolist(), strict=True))
    assert {path for path, node in nodes.items() if node >= 0} <= {"html", "html/head", "html/body", "html/body/p"}


def test_ids_and_classes_of_one_page_or_few_are_no_part_of_a_path():
    pages = [page(f"<div class='story cat-{i // 2} post-{i}' id=p{i}><p>{i}</div>") for i in range(12)]
    assert set(paths(merge_trees(pages))) >= {"html/body/div.story", "html/body/div.story/p"}
    assert not [path for path in paths(merge_trees(pages)) if "post" in path or "cat" in path]


@pytest.mark.parametrize(("n_with", "kept"), [(2, True), (1, False)])
def test_classes_need_a_fifth_of_the_pages_and_two(n_with, kept):
    pages = [page(f"<p class={'x' if i < n_with else 'y'}>{i}") for i in range(10)]
    assert ("html/body/p.x" in paths(merge_trees(pages))) is kept


def test_classes_with_marks_in_them_are_one_class():
    tree = merge_trees([page("<div class='w-1.5 md:a/b#c'><p>x</div>")] * 2)
    assert tree.nodes(page("<div class='w-1.5 md:a/b#c'><p>y</div>")).min() >= 0
    assert "html/body/div.md:a/b#c.w-1.5/p" in paths(tree)


def test_no_page_is_an_error():
    with pytest.raises(ValueError, match="no page"):
        merge_trees([])


# --- pages that come twice -------------------------------------------------------------------------------------------


def test_the_same_text_under_another_url_counts_once():
    pages = [page(article(1), "https://e.com/1"), page(article(1), "https://e.com/1?print=yes"), page(article(2))]
    assert distinct_pages(pages) == [pages[0], pages[2]]


def test_the_same_article_with_another_box_counts_once():
    pages = [page(article(1, box=f"<p>{i} readers</p>"), f"https://e.com/{i}") for i in range(3)]
    assert distinct_pages(pages) == pages[:1]


def test_an_article_and_its_copy_under_many_comments_count_once():
    pages = [page(article(1)), page(article(1, box=story(2, n_paragraphs=12)))]
    assert distinct_pages(pages) == pages[:1]
    assert distinct_pages(pages[::-1]) == pages[1:]


def test_articles_with_the_same_long_footer_are_different():
    pages = [page(article(i), f"https://e.com/{i}") for i in range(6)]
    assert distinct_pages(pages) == pages


def test_short_pages_with_one_notice_are_different():
    pages = [page(f"<p>{'A notice that is long. ' * 15}</p><p>Picture {i}</p>") for i in range(3)]
    assert distinct_pages(pages) == pages


# --- bounds ----------------------------------------------------------------------------------------------------------


def test_nodes_in_most_pages_stay_with_their_parents(monkeypatch):
    monkeypatch.setattr(site_tree, "MAX_NODES", 5)
    pages = [page(f"<div><p>{i}</p></div>" + ("<table><tr><td>x</table>" if i < 2 else "")) for i in range(5)]
    assert paths(merge_trees(pages)) == {
        "html": 5, "html/head": 5, "html/body": 5, "html/body/div": 5, "html/body/div/p": 5,
    }  # fmt: skip


def test_most_frequent_texts_stay(monkeypatch):
    monkeypatch.setattr(site_tree, "MAX_TEXTS", 1)
    tree = merge_trees([page("<p>a<p>b"), page("<p>a<p>b"), page("<p>b")])
    assert tree.texts == (text_fingerprint("b"),)
    assert tree.text_pages == (3,)


def test_merging_stops_taking_in_new_nodes_and_texts(monkeypatch):
    monkeypatch.setattr(site_tree, "MAX_MERGED", 6)
    floods = [page("".join(f"<x{j}>t{j}</x{j}>" for j in range(200))) for _ in range(3)]
    tree = merge_trees(floods)
    assert len(tree) == 6
    assert set(tree.pages) == {3}


def test_long_class_lists_make_short_steps():
    wide = page(f"<div class='{' '.join(f'c{i}' + 'x' * 500 for i in range(500))}'><p>x</div>")
    tree = merge_trees([wide, wide])
    assert max(map(len, tree.steps)) < 400
    assert tree.nodes(wide).min() >= 0


# --- resemblance -----------------------------------------------------------------------------------------------------


def test_own_pages_resemble_and_a_new_layout_does_not():
    tree = merge_trees([page(article(i)) for i in range(8)])
    assert tree.resemblance(page(article(99))) == 1
    redesigned = f"<div id=app><nav class=menu><a href=/>Start</a></nav><main class=text>{story(99)}</main></div>"
    assert tree.resemblance(page(redesigned)) == 0
    half = f"{HEADER}<main class=text>{story(99)}</main>"
    assert 0.2 < tree.resemblance(page(half)) < 0.8


def test_a_site_without_classes_is_known_by_its_texts():
    tree = merge_trees([page(f"<p>The Paper</p>{story(i)}<p>Imprint</p>") for i in range(5)])
    assert tree.resemblance(page(f"<p>The Paper</p>{story(9)}<p>Imprint</p>")) == 1
    assert tree.resemblance(page(f"<p>Other</p>{story(9)}")) == 0


def test_a_site_with_neither_is_known_by_its_tags():
    tree = merge_trees([page(story(i)) for i in range(3)])
    assert tree.resemblance(page(story(7))) == 1
    assert tree.resemblance(page("<table><tr><td>x</table>")) < 1


# --- on disk ---------------------------------------------------------------------------------------------------------


def test_it_comes_back_from_json_and_pickle_equal():
    tree = merge_trees([page(article(i)) for i in range(4)])
    back = SiteTree.from_plain(json.loads(json.dumps(tree.to_plain())))
    tree.resemblance(page(article(1)))
    assert back == tree == pickle.loads(pickle.dumps(tree))
    assert same(back, page(article(9))) == same(tree, page(article(9)))


@pytest.mark.parametrize(
    "damage",
    [
        {"n_pages": 0}, {"n_pages": "4"}, {"n_pages": True}, {"parents": None}, {"parents": [0]}, {"steps": []},
        {"steps": [1]}, {"pages": [0, 2, 2, 2]}, {"pages": [2, 2, 2, 2**70]}, {"text_pages": [3]},
        {"pages": ["x"]}, {"text_nodes": [10_000]}, {"text_nodes": [-1]}, {"texts": ["a"] * 9}, {"text_pages": [1.5]},
    ],
)  # fmt: skip
def test_damaged_columns_are_refused(damage):
    plain = merge_trees([page("<p>a"), page("<p>a")]).to_plain() | damage
    with pytest.raises(ValueError, match="site tree"):
        SiteTree.from_plain(plain)


# --- laws ------------------------------------------------------------------------------------------------------------

PIECES = st.lists(
    st.sampled_from(["<div class=a>", "<div id=b>", "</div>", "<p>", "x ", "y ", "<a href=/>", "</a>", "<ul><li>", "</ul>"]),
    max_size=25,
)  # fmt: skip


@given(st.lists(PIECES, min_size=1, max_size=5))
def test_counts_are_bounded_and_do_not_depend_on_the_order(sources):
    pages = [page("".join(pieces)) for pieces in sources]
    tree = merge_trees(pages)
    assert all(parent < node for node, parent in enumerate(tree.parents))
    assert all(parent < 0 or tree.pages[parent] >= n for parent, n in zip(tree.parents, tree.pages, strict=True))
    assert all(
        2 <= n <= tree.pages[node] <= len(pages) for node, n in zip(tree.text_nodes, tree.text_pages, strict=True)
    )
    assert SiteTree.from_plain(tree.to_plain()) == tree
    turned = merge_trees(pages[::-1])
    assert paths(turned) == paths(tree)
    for document in pages:
        runs = text_runs(document)
        found, other = tree.evidence(runs), turned.evidence(runs)
        assert np.array_equal(found.n_same, other.n_same)
        assert np.array_equal(found.n_path, other.n_path)
        assert 0 <= tree.resemblance(document) <= 1
