"""Claims of the per-site SVM's paper, module by module, on made-up sites that show them."""

import numpy as np
import pytest

from webmain.extractors.base import create
from webmain.features.block_features import DEFAULT_SETS, FEATURE_SETS, discrete_names, log_lengths
from webmain.features.clusters import cluster
from webmain.features.folds import page_folds, site_folds
from webmain.features.labels import label
from webmain.features.linear import learn
from webmain.features.site_blocks import SiteBlocks, read_documents
from webmain.html.document import Document
from webmain.items import Page

SMALL = "the of and to in a is that for it was on are as with his they at be this from or had by but not what".split()


def text(number: int, n: int, seed: int = 0, own: float = 0.6) -> str:
    draw = np.random.default_rng([number, n, seed])
    names = [f"name{number}x{i}" for i in range(30)]
    return " ".join(str(draw.choice(names if draw.random() < own else SMALL)) for _ in range(n))


def markup(
    number: int, *, comment: str = "", description: str = "", shape: str = "story", tags: str = "div p p"
) -> str:
    story = [text(number, 30 + 9 * i) for i in range(5)]
    tag, inner, other = tags.split()
    comments = [text(number, 30, i + 1, own=0.2) for i in range(3)] + ([comment] if comment else [])
    return (
        f"<html><head><meta name=description content='{description or story[0][:150]}'></head><body>"
        "<ul class=menu>" + "<li><a href=/>Section</a></li>" * 9 + f"</ul><{tag} class={shape}>"
        + "".join(f"<{inner}>{p}</{inner}>" for p in story)
        + f"</{tag}><div class=comments-{shape}>" + "".join(f"<div class=c><{other}>{c}</{other}></div>" for c in comments)
        + "</div><ul class=foot>" + "<li><a href=/>Imprint</a></li>" * 4 + "</ul></body></html>"
    )  # fmt: skip


def read(pages: list[str], names: list[str] | None = None) -> SiteBlocks:
    urls = [f"https://{name}/{i}" for i, name in enumerate(names or ["example.com"] * len(pages))]
    return read_documents([Document(Page(url=u, html=p), html=p) for u, p in zip(urls, pages, strict=True)])


def content(blocks: SiteBlocks) -> np.ndarray:
    return np.array([".menu" not in s and ".comments" not in s and ".foot" not in s for s in blocks.selectors])


def f1(predicted: np.ndarray, wanted: np.ndarray) -> float:
    return 2 * (predicted & wanted).sum() / max(1, predicted.sum() + wanted.sum())


# --- module 1 --------------------------------------------------------------------------------------------------------


def test_there_are_four_feature_sets_and_three_without_a_browser():
    assert FEATURE_SETS == ("length", "tag_path", "selector", "visual")
    assert DEFAULT_SETS == ("length", "tag_path", "selector")


def test_the_tag_path_has_the_element_names_from_the_root():
    assert "path=html/body/div/p" in discrete_names(("tag_path",), "html/body/div/p", "html/body/div.story/p")


def test_selectors_are_tag_paths_with_class_names():
    names = discrete_names(("selector",), "html/body/div/p", "html/body/div.story/p.first")
    assert names == ["in=div.story", "in=p.first", "own=p.first"]


def test_visual_properties_are_discrete_too():
    names = discrete_names(("visual",), "", "", {"color": "rgb(0, 0, 0)", "font-size": "12px", "top": 4.0})
    assert names == ["css=color:rgb(0, 0, 0)", "css=font-size:12px"]


def test_longer_texts_have_a_higher_length():
    lengths = log_lengths(["", "x", "x" * 10, "x" * 100, "x" * 5000, "x" * 9000])
    assert (np.diff(lengths) >= 0).all()
    assert lengths[0] == 0
    assert lengths[-1] == lengths[-2] == 1


def test_discrete_features_differ_in_number_from_block_to_block():  # module 1
    shallow = list(discrete_names(("tag_path", "selector"), "html/body/p", "html/body/p"))
    deep = list(discrete_names(("tag_path", "selector"), "html/body/div/div/p", "html/body/div.a/div.b.c/p"))
    assert len(deep) > len(shallow) > 0


# --- module 2 --------------------------------------------------------------------------------------------------------


def test_body_text_of_many_pages_is_one_cluster_and_links_are_others():
    blocks = read([markup(i) for i in range(9)])
    found = cluster(blocks)
    of = {
        part: {c for c, s in zip(found.tolist(), blocks.selectors, strict=True) if part in s}
        for part in (".story", ".menu", ".foot")
    }
    assert all(len(numbers) == 1 for numbers in of.values())
    assert len(set.union(*of.values())) == 3


def test_clusters_may_have_any_shape():  # module 2: "not necessarily well-shaped (i.e. spherical)"
    chain = tuple("x" * round(2 ** (3 + k / 4)) for k in range(30))  # each near the next one, the ends far apart
    n = len(chain)
    blocks = SiteBlocks(
        page=np.arange(n, dtype=np.int32), texts=chain, tag_paths=("html/body/p",) * n, selectors=("html/body/p",) * n,
        descriptions=((),) * n, sites=("paper.example",) * n,
    )  # fmt: skip
    step = 1.01 / (12 * 4) / np.sqrt(2 * np.var(log_lengths(chain)))
    assert set(cluster(blocks, sets=("length",), eps=2 * step, min_samples=2).tolist()) == {0}
    assert len(set(cluster(blocks, sets=("length",), eps=0.9 * step, min_samples=1).tolist())) > 1


# --- module 3 --------------------------------------------------------------------------------------------------------


def test_the_description_picks_the_content():
    blocks = read([markup(i) for i in range(9)])
    assert (label(blocks, cluster(blocks)).positive == content(blocks)).all()


def test_global_beats_local_where_a_page_has_its_description_in_a_comment():
    odd = text(2, 24, seed=7)
    pages = [markup(i) if i != 2 else markup(2, comment=odd, description=odd) for i in range(9)]
    blocks = read(pages)
    clusters, wanted = cluster(blocks), content(blocks)
    scores = {form: f1(label(blocks, clusters, form=form).positive, wanted) for form in ("global", "local")}
    assert scores["global"] == 1.0
    assert scores["local"] < 0.95


def test_all_other_blocks_are_labelled_zero():
    blocks = read([markup(i) for i in range(9)])
    labels = label(blocks, cluster(blocks), rule="paper")
    assert not labels.positive[~np.isin(cluster(blocks), labels.content)].any()


# --- module 4 --------------------------------------------------------------------------------------------------------


def test_positive_examples_weigh_more_against_many_negatives():
    pages = [markup(i) for i in range(6)]
    blocks = read(pages)
    wanted = content(blocks)
    assert wanted.mean() < 0.3
    few = wanted & (np.arange(len(blocks)) % 2 == 0)  # half of the content is labelled boilerplate by mistake
    assert (learn(blocks, few, sets=("selector",)).margins(blocks) > 0)[wanted].all()


@pytest.mark.parametrize("sets", [("tag_path",), ("selector",), ("length", "tag_path", "selector")])
def test_within_a_site_labelling_is_perfect_on_pages_held_back(sets):
    blocks = read([markup(i) for i in range(12)])
    wanted = content(blocks)
    for train, test in page_folds(12, 4, seed=0):
        model = learn(blocks.select_pages(train), wanted[np.isin(blocks.page, train)], sets=sets)
        held_back = blocks.select_pages(test)
        assert f1(model.margins(held_back) > 0, wanted[np.isin(blocks.page, test)]) == 1.0


def test_what_one_site_looks_like_says_little_of_another_but_random_pages_of_all_do():
    shapes = [("a", "div p li"), ("b", "section li p"), ("c", "main dd blockquote"), ("d", "article blockquote dd")]
    names = [f"{shape}.com" for shape, _ in shapes for _ in range(5)]
    pages = [markup(i, shape=shapes[i // 5][0], tags=shapes[i // 5][1]) for i in range(20)]
    blocks = read(pages, names)
    wanted = content(blocks)

    def mean(folds) -> float:
        scores = []
        for train, test in folds:
            model = learn(blocks.select_pages(train), wanted[np.isin(blocks.page, train)], sets=("selector",))
            scores.append(f1(model.margins(blocks.select_pages(test)) > 0, wanted[np.isin(blocks.page, test)]))
        return float(np.mean(scores))

    random, other_sites = mean(page_folds(20, 4, seed=0)), mean(site_folds(blocks.sites, 4, seed=0))
    assert random > 0.95
    assert other_sites < random - 0.2


def test_the_whole_pipeline_learns_a_site_with_nobody_labelling():
    pages = [Document(Page(url=f"https://example.com/{i}", html=markup(i)), html=markup(i)) for i in range(8)]
    method = create("svm").fit(pages)
    assert method.learned.quality == 1.0
    fresh = Document(Page(url="https://example.com/x", html=markup(77)), html=markup(77))
    found = method.judge(method.segment(fresh))
    texts = found.segmentation.texts(np.flatnonzero(found.kept).tolist())
    assert texts == [text(77, 30 + 9 * i) for i in range(5)]
