"""LBDA as an extractor of one page and of a site: options, learning, hostile pages."""

import json
import pickle
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.extraction import compose, judge, merge
from webmain.extractors.base import NothingLearned, UnknownExtractor, create
from webmain.extractors.lbda import LBDA
from webmain.features.site_tree import merge_trees
from webmain.html.document import Document
from webmain.items import Page, Verdict

SITE = "https://www.example.com/"
NOTICE = (
    "We use cookies, and so do our partners, to show you what you like; read more of it in our long policy, please."
)
LEGAL = (
    "No part of this paper may be copied, stored or sold without the owner's consent, which is given in writing only."
)


def document(markup: str, url: str | None = SITE) -> Document:
    return Document(Page(url=url, html=markup), html=markup)


def sentences(i: int, n: int = 4) -> list[str]:
    """Prose that no other page has."""
    return [
        f"On day {i} of month {k} harbour{i}x{k} was closed, and ship{i}x{k} waited outside; its crew, said agent{i}x{k}, "
        f"had food for {i + k} days, but little water."
        for k in range(n)
    ]


def story(i: int, *, extra: str = "", promo: str = "") -> str:
    body = "".join(f"<p>{s}</p>" for s in sentences(i))
    return (
        f"<html><body class=post-{i}><div class=notice><p>{NOTICE}</p></div>"
        "<nav><ul><li><a href=/>Home</a><li><a href=/s>Sport</a></ul></nav>"
        f"<div class='story s{i}'><h1>Story {i}</h1>{body}{extra}</div>{promo}"
        f"<footer><p>{LEGAL}</p></footer></body></html>"
    )


def stories(n: int, **options) -> list[Document]:
    return [document(story(i, **options), f"{SITE}{i}") for i in range(n)]


def text(page: Document, method: LBDA) -> str:
    return compose(merge(judge(page, method)), metadata=False).text


# --- one page --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("lbda:share=2", ["share", "2", "0 to 1"]),
        ("lbda:min_pages=1", ["min_pages", "1", "2"]),
        ("lbda:min_words=0", ["min_words", "0"]),
        ("lbda:min_words=nan", ["min_words", "nan"]),
        ("lbda:min_marks=0", ["min_marks"]),
        ("lbda:max_marks=0.01", ["max_marks", "0.06"]),
        ("lbda:max_gap_links=-1", ["max_gap_links"]),
        ("lbda:hidden=x", ["hidden", "drop", "keep"]),
        ("lbda:tree=x", ["tree", "min_words"]),
        ("lbda:own_list=false", ["own_list", "filters=PATH"]),
        ("lbda:filters=no/such/list.txt", ["filters", "no/such/list.txt", "cannot read"]),
    ],
)
def test_bad_options_are_named(spec, words):
    with pytest.raises(UnknownExtractor) as caught:
        create(spec)
    assert all(word in str(caught.value) for word in words)


def test_a_filter_list_is_an_option(tmp_path):
    file = tmp_path / "list.txt"
    file.write_text("||shop.example.net^\n", "utf-8")
    page = document(
        story(1, extra="<p>Buy <a href=https://shop.example.net/>this hat</a> now, or later, or never.</p>")
    )
    assert "this hat" in text(page, create("lbda"))
    method = create(f"lbda:filters={file},own_list=no")
    assert "this hat" not in text(page, method)
    assert pickle.loads(pickle.dumps(method)) == method
    assert "this hat" in text(page, create(f"lbda:filters={file},ads=false"))


@pytest.mark.parametrize(("hidden", "kept"), [("drop", False), ("keep", True)])
def test_hidden_text_can_be_kept(hidden, kept):
    page = document(f"<p>{sentences(1)[0]}</p><p hidden>{sentences(2)[0]}</p>")
    assert (sentences(2)[0] in text(page, LBDA(hidden=hidden))) is kept


# --- a site ----------------------------------------------------------------------------------------------------------


def test_more_pages_detach_what_one_page_keeps():
    promos = [
        f"<aside class=promo><p>{sentences(900 + i // 3)[0]}</p></aside>" for i in range(9)
    ]  # three weeks, one each
    pages = [document(story(i, promo=promos[i]), f"{SITE}{i}") for i in range(9)]
    wanted = ["Story 8", *sentences(8)]
    alone, five, nine = (text(pages[8], LBDA().fit(pages[-n:]) if n > 1 else LBDA()) for n in (1, 5, 9))
    for found in (alone, five, nine):
        assert all(sentence in found for sentence in wanted)
    assert NOTICE in alone
    assert LEGAL in alone
    assert NOTICE not in five
    assert LEGAL not in five
    assert sentences(902)[0] in alone
    assert sentences(902)[0] not in five  # three of five pages have it
    assert nine == text(pages[8], LBDA(share=0.5).fit(pages))
    assert len(alone) > len(nine) >= len(five)


def test_switched_off_nothing_is_learned_or_detached():
    pages = stories(4)
    with pytest.raises(NothingLearned, match="site=false"):
        LBDA(site=False).fit(pages)
    known = LBDA(site=False, tree=LBDA().fit(pages).tree)
    assert text(pages[0], known) == text(pages[0], LBDA())


@pytest.mark.parametrize(("n", "min_pages"), [(1, 2), (2, 3), (0, 2)])
def test_too_few_pages_teach_nothing(n, min_pages):
    with pytest.raises(NothingLearned, match=f"at least {min_pages} are needed"):
        LBDA(min_pages=min_pages).fit(stories(n))


def test_an_article_that_was_fetched_again_and_again_stays():
    same = [document(story(1, extra=f"<p>{i} readers</p>"), f"{SITE}1?from={i}") for i in range(6)]
    method = LBDA().fit([*same, *stories(1), document(story(2), f"{SITE}2")])
    assert method.tree.n_pages == 3
    found = text(same[0], method)
    assert all(sentence in found for sentence in sentences(1))
    assert LEGAL not in found


@pytest.mark.parametrize(
    ("n_with", "n_pages", "kept"),
    [(2, 2, False), (2, 3, False), (2, 4, True), (2, 10, True), (5, 10, True), (6, 10, False)],
)
def test_texts_in_most_pages_are_layout(n_with, n_pages, kept):
    line = (
        "<p>Reporting by the whole staff of our desk in the capital, and by others, who are not named here at all.</p>"
    )
    pages = [document(story(i, extra=line if i < n_with else ""), f"{SITE}{i}") for i in range(n_pages)]
    assert ("Reporting by" in text(pages[0], LBDA().fit(pages))) is kept


@pytest.mark.parametrize(("n_with", "kept"), [(2, True), (3, False)])
def test_layout_of_a_template_that_few_pages_use_needs_three_of_them(n_with, kept):
    box = f"<aside class=gallery><p>{sentences(500)[0]}</p></aside>"
    pages = [document(story(i, promo=box if i < n_with else ""), f"{SITE}{i}") for i in range(9)]
    assert (sentences(500)[0] in text(pages[0], LBDA().fit(pages))) is kept


def test_pages_of_another_layout_are_judged_as_without_learning():
    other = document("<main><h1>New</h1>" + "".join(f"<section><p>{s}</p></section>" for s in sentences(3)) + "</main>")
    method = LBDA().fit(stories(5))
    assert text(other, method) == text(other, LBDA())
    assert method.resemblance(other) < 0.1
    assert method.resemblance(document(story(77))) > 0.9


def test_what_was_learned_survives_json():
    method = LBDA().fit(stories(6))
    learned = method.learned
    assert learned.n_pages == 6
    assert 0.9 < learned.resemblance <= 1
    assert set(learned.columns) <= set(learned.weights)
    kept = type(learned)(**{**vars(learned), "weights": json.loads(json.dumps(learned.weights))})
    back = LBDA().restored(kept)
    assert back == method == pickle.loads(pickle.dumps(method))
    page = document(story(50))
    assert text(page, back).split("\n\n") == ["Story 50", *sentences(50)]


def test_models_of_other_methods_and_damaged_ones_are_refused():
    learned = LBDA().fit(stories(3)).learned
    with pytest.raises(ValueError, match="not one of this method"):
        LBDA().restored(type(learned)(**{**vars(learned), "columns": ("length",)}))
    with pytest.raises(ValueError, match="site tree"):
        LBDA().restored(type(learned)(**{**vars(learned), "weights": {}}))


# --- scripts ---------------------------------------------------------------------------------------------------------

THAI = "กระทรวงพลังงานประกาศปรับราคาน้ำมันดีเซลและเบนซินทั่วประเทศ ตั้งแต่วันพรุ่งนี้เป็นต้นไป โดยรัฐมนตรีระบุว่า ราคาตลาดโลกสูงขึ้น"
CHINESE = "委员会星期二开会，经过长时间的辩论，最后同意了这个计划。五月将进行表决，届时结果将公布，各方都表示欢迎。"
ARABIC = "اجتمعت اللجنة يوم الثلاثاء، واتفقت على الخطة بعد نقاش طويل، ثم أعلن رئيسها أن التصويت سيجرى في شهر مايو."


@pytest.mark.parametrize("prose", [THAI, CHINESE, ARABIC])
def test_prose_of_every_script_is_kept_and_its_menu_is_not(prose):
    words = prose.replace("，", " ").replace("،", " ").split()
    menu = "".join(f"<li><a href=/{i}>{word}</a>" for i, word in enumerate(words))
    page = document(f"<div><ul>{menu}</ul></div><div><p>{prose}</p></div>")
    assert text(page, LBDA()) == prose


# --- hostile pages ---------------------------------------------------------------------------------------------------

PIECES = [
    *(
        "<div>",
        "</div>",
        "<p>",
        "</p>",
        "<span>",
        "</span>",
        "<ul><li>",
        "</ul>",
        "<table><tr><td>",
        "</table>",
        "<td>",
    ),
    *("<a href=/x>", "<a href=//ad.doubleclick.net/x>", "</a>", "<p hidden>", "<section>", "</section>", "<center>"),
    *(
        "word ",
        "ราคา ",
        sentences(1)[0],
        NOTICE,
        "<br><br>",
        "<form>",
        "</form>",
        "<body>",
        "<frameset>",
        "<img src=x>",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.booleans())
def test_every_leaf_has_one_verdict(pieces, fitted):
    page = document("".join(pieces))
    method = FITTED if fitted else LBDA()
    found = method.judge(method.segment(page))
    verdicts = found.unit_verdicts
    assert len(verdicts) == len(page.leaves)
    assert set(verdicts) <= {Verdict.CONTENT, Verdict.BOILERPLATE, Verdict.OUTSIDE}
    assert ((found.score >= 0) & (found.score <= 1)).all()
    assert (found.raw >= 0).all()
    assert found.score[found.kept].min(initial=1) >= found.score[~found.kept].max(initial=0)
    owners = found.segmentation.of_unit
    assert np.array_equal(np.sort(np.unique(owners[owners >= 0])), np.arange(len(found.segmentation)))


FITTED = LBDA().fit([*stories(3), document(f"<p>{NOTICE}</p>"), document(f"<p>{NOTICE}</p><p>word</p>")])


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 990 + sentences(1)[0] + "</div>" * 990,
        "<div>word <p>word</p>" * 900 + sentences(1)[0],
        "<div><ul><li>" * 330 + sentences(1)[0],
        "".join(f"<div class=c{i}>x</div>" for i in range(39_000)),
        "<p><span>" + "<i>x</i> " * 39_000,
        "<a href=//ad.doubleclick.net/x>x " * 20_000,
    ],
    ids=["nested", "nested with text", "nested lists", "many boxes", "many inline", "many advertisements"],
)
def test_large_and_deep_pages_are_judged_and_learned_in_linear_time(markup):
    pages = [document(markup + f"<p>{i}") for i in range(2)]
    start = time.process_time()
    method = LBDA()
    found = method.judge(method.segment(pages[0]))
    fitted = LBDA(tree=merge_trees(pages), share=1.0)
    fitted.judge(fitted.segment(document(markup)))
    assert time.process_time() - start < 15
    assert len(found.unit_verdicts) == len(pages[0].leaves)
