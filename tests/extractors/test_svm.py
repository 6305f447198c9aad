"""The per-site SVM as an extractor: fitted, stored, restored, unfitted, and degenerate sites."""

import dataclasses
import gc
import json
import re
import weakref
from collections.abc import Sequence

import numpy as np
import pytest

import webmain
from webmain.extraction import judge
from webmain.extractors.base import Learned, NothingLearned, SiteExtractor, UnknownExtractor, create
from webmain.extractors.svm import NO_MODEL, SVM, learn
from webmain.html.document import Document
from webmain.items import Page, Reason, Rejected

SMALL = "the of and to in a is that for it was on are as with his they at be this from or had by but not what".split()


def text(number: int, n: int, seed: int = 0) -> str:
    draw = np.random.default_rng([number, n, seed])
    own = [f"name{number}x{i}" for i in range(30)]
    return " ".join(str(draw.choice(own if draw.random() < 0.6 else SMALL)) for _ in range(n))


def story(number: int, n: int = 5) -> list[str]:
    return [text(number, 35 + 7 * i) for i in range(n)]


def markup(number: int, *, shape: str = "story", described: bool = True) -> str:
    paragraphs = story(number)
    meta = f"<meta name=description content='{paragraphs[0][:150]}'>" if described else ""
    menu = "".join(f"<li><a href=/{i}>Section {i}</a></li>" for i in range(9))
    comments = "".join(f"<div class=c><p>{text(number + 900, 30, i)}</p></div>" for i in range(4))
    return (
        f"<html><head><title>Page {number}</title>{meta}</head><body><ul class='menu m-{shape}'>{menu}</ul>"
        f"<div class='{shape}'><h1>{text(number, 6, 1)}</h1>" + "".join(f"<p>{p}</p>" for p in paragraphs) + "</div>"
        f"<div class=comments-{shape}>{comments}</div><div class='end {shape}-end'><p>Copyright of the site</p></div></body>"
    )


def document(html: str) -> Document:
    return Document(Page(url="https://example.com/a", html=html), html=html)


def site(n: int, **options) -> list[Document]:
    return [document(markup(i, **options)) for i in range(n)]


def kept(method: SVM, page: Document) -> list[str]:
    found = judge(page, method)
    return found.segmentation.texts(np.flatnonzero(found.kept).tolist())


@pytest.fixture(scope="module")
def fitted() -> SVM:
    return create("svm").fit(site(8))


def test_it_keeps_the_article_of_pages_it_was_not_fitted_to(fitted):
    for number in (50, 51, 52):
        assert kept(fitted, document(markup(number, described=False))) == story(number)


def test_fitting_returns_a_new_copy_with_plain_state(fitted):
    assert isinstance(fitted, SiteExtractor)
    assert create("svm").learned is None
    learned = fitted.learned
    assert learned.n_pages == 8
    assert learned.quality == 1.0
    assert 0.9 < learned.resemblance <= 1
    assert len(learned.columns) == len(learned.weights["weights"])
    json.dumps(learned.weights, allow_nan=False)


def test_it_is_restored_from_json_to_the_same_verdicts(fitted):
    plain = json.loads(json.dumps(dataclasses.asdict(fitted.learned)))
    again = create("svm").restored(Learned(**{**plain, "columns": tuple(plain["columns"])}))
    page = document(markup(60))
    assert judge(page, again).raw.tolist() == judge(page, fitted).raw.tolist()
    assert again.resemblance(page) == fitted.resemblance(page)


@pytest.mark.parametrize(
    "weights", [{}, {"weights": [1.0]}, {"sets": ["length"], "weights": ["x"], "bias": 0, "cost": 1, "quality": None}]
)
def test_foreign_weights_are_refused(weights):
    with pytest.raises(ValueError, match="no linear model"):
        create("svm").restored(Learned(n_pages=1, columns=("a",), weights=weights, quality=None, resemblance=1.0))


def test_resemblance_falls_to_nothing_when_the_layout_changes(fitted):
    assert fitted.resemblance(document(markup(70))) > 0.9
    changed = markup(70).replace("<div", "<section").replace("</div", "</section").replace("story", "text2")
    assert fitted.resemblance(document(changed)) < 0.1
    assert create("svm").resemblance(document(markup(70))) == 0.0
    assert fitted.resemblance(document("")) == 0.0


def test_class_names_of_single_pages_do_not_hide_a_changed_layout():
    def page(number: int) -> str:
        return (
            markup(number)
            .replace("<body>", f"<body class='post-{number} single'>")
            .replace("<li>", f"<li class=i{number}>")
        )

    method = create("svm").fit([document(page(i)) for i in range(8)])
    assert method.learned.resemblance > 0.8
    for number in (70, 71, 72):
        assert method.resemblance(document(page(number))) > 0.8
        renamed = re.sub("class='?([a-z])", lambda found: f"{found[0][:-1]}new-{found[1]}", page(number))
        assert method.resemblance(document(renamed)) < 0.3


def test_same_pages_give_the_same_model_in_any_order(fitted):
    pages = site(8)
    assert create("svm").fit(pages).learned == fitted.learned
    assert create("svm").fit(pages[::-1]).learned == fitted.learned


def test_why_names_the_feature_set_that_speaks_most_for_the_verdict(fitted):
    found = judge(document(markup(80)), fitted)
    sets = fitted.learned.weights["sets"]
    for why, kept_, raw in zip(found.why, found.kept.tolist(), found.raw.tolist(), strict=True):
        assert why.startswith("margin > 0" if kept_ else "margin <= 0")
        assert why.split(", most by ")[1] in sets if ", " in why else why.endswith(" by default")
        assert (raw > 0) == kept_
    by_length = create("svm:features=length").fit(site(8))
    assert set(judge(document(markup(80)), by_length).why) <= {"margin > 0, most by length", "margin <= 0 by default"}


class MadeOnAccess(Sequence):
    """Pages that are parsed when they are asked for, and counted while they live."""

    def __init__(self, n: int) -> None:
        self.n, self.alive = n, weakref.WeakSet()
        self.most = self.n_made = 0

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> Document:
        if index >= self.n:
            raise IndexError
        gc.collect()
        made = document(markup(index))
        self.alive.add(made)
        self.n_made += 1
        self.most = max(self.most, len(self.alive))
        return made


def test_of_very_many_pages_the_first_are_learned_from(monkeypatch, fitted):
    monkeypatch.setattr("webmain.extractors.svm.MAX_PAGES", 8)
    pages = MadeOnAccess(20)
    assert create("svm").fit(pages).learned == fitted.learned
    assert pages.n_made == 8


def test_of_a_page_with_very_many_blocks_the_first_are_learned_from_and_all_are_judged(monkeypatch):
    monkeypatch.setattr("webmain.extractors.svm.MAX_BLOCKS", 30)
    seen = []
    monkeypatch.setattr(
        "webmain.extractors.svm.learn", lambda blocks, *a, **k: seen.append(len(blocks)) or learn(blocks, *a, **k)
    )
    long = document(markup(3).replace("</body>", "<p>One more short paragraph.</p>" * 100 + "</body>"))
    found = judge(long, create("svm"))
    assert seen == [30]
    assert len(found.kept) > 100
    assert kept(create("svm").fit([*site(6), long]), document(markup(40))) == story(40)
    assert seen[1] <= 7 * 30


@pytest.mark.parametrize("step", [1, 2, 3])
def test_alone_learning_ends_between_its_steps_when_the_time_is_over(step):
    class Late(Document):
        n_asked = 0

        def check_time(self) -> None:
            if hasattr(self, "is_counting"):
                self.n_asked += 1
                if self.n_asked == step:
                    raise Rejected(Reason.TOO_SLOW, "late")

    html = markup(3)
    page = Late(Page(url="https://example.com/a", html=html), html=html)
    method = create("svm")
    segmentation = method.segment(page)
    page.is_counting = True
    with pytest.raises(Rejected, match="late"):
        method.judge(segmentation)


@pytest.mark.parametrize("features", ["visual", "length+visual"])
def test_pages_that_no_browser_has_drawn_are_refused_where_visual_features_are_wanted(features):
    with pytest.raises(
        Rejected, match=r"visual features need pages rendered by a browser \(-a render=always\)"
    ) as caught:
        webmain.extract(markup(1), extractor=f"svm:features={features}")
    assert caught.value.reason is Reason.NO_TEXT
    with pytest.raises(NothingLearned, match="rendered by a browser"):
        create(f"svm:features={features}").fit([document(markup(n)) for n in range(6)])


def test_alone_without_a_description_nothing_is_kept_and_why_says_so():
    found = judge(document(markup(3, described=False)), create("svm"))
    assert not found.kept.any()
    assert set(found.why) == {NO_MODEL}
    assert not found.score.any()
    with pytest.raises(Rejected) as caught:
        webmain.extract(markup(3, described=False), extractor="svm")
    assert caught.value.reason is Reason.NO_TEXT


def test_a_site_without_descriptions_teaches_nothing():
    with pytest.raises(NothingLearned, match="none of 6 pages has a description of its own"):
        create("svm").fit(site(6, described=False))
    with pytest.raises(NothingLearned, match="none of 0 pages"):
        create("svm").fit([])


def test_descriptions_of_other_things_teach_nothing():
    pages = [
        document(
            markup(i, described=False).replace(
                "<title>", f"<meta name=description content='{text(i + 300, 20)}'><title>"
            )
        )
        for i in range(6)
    ]
    with pytest.raises(NothingLearned, match="matches their descriptions"):
        create("svm").fit(pages)


def test_pages_without_text_and_without_description_do_not_disturb():
    pages = [
        *site(6),
        document(""),
        document("<p></p>"),
        *[document(markup(i, described=False)) for i in range(20, 23)],
    ]
    method = create("svm").fit(pages)
    assert method.learned.n_pages == 11
    assert kept(method, document(markup(21, described=False))) == story(21)


def old_layout(number: int) -> str:
    """A page of another layout without a description, whose footer stands much like the first layout's paragraphs."""
    links = "".join(f"<p>{text(7, 40, i)}</p>" for i in range(6))  # the same on every page
    body = "".join(f"<td>{paragraph}</td>" for paragraph in story(number))
    head = f"<html><head><title>Page {number}</title></head>"
    return f"{head}<body><table>{body}</table><div class='story old'>{links}</div></body>"


def test_a_footer_that_recurs_on_pages_without_content_clusters_is_boilerplate():
    old = [document(old_layout(i)) for i in range(30, 37)]
    method = create("svm").fit([*site(6), *old])
    assert [kept(method, page) for page in old] == [[]] * 7
    assert [method.resemblance(page) for page in old] == [0.0] * 7
    assert method.resemblance(document(markup(40))) > 0.9
    assert kept(method, document(markup(40))) == story(40)
    assert method.learned.note == "on 7 of them no text matches the page's description"


def test_pages_without_content_clusters_teach_nothing_where_their_own_text_is_kept():
    undescribed = [document(markup(i, described=False)) for i in range(20, 26)]
    clusters = [kept(create("svm").fit([*site(6), *undescribed]), page) for page in undescribed]
    assert clusters == [story(i) for i in range(20, 26)]


def test_a_page_of_which_a_scrap_is_kept_does_not_look_like_the_site(fitted):
    html = re.sub(r"</h1>.*</div><div class=comments", "</h1><p>A stray line.</p></div><div class=comments", markup(44))
    assert kept(fitted, document(html)) == ["A stray line."]
    assert fitted.resemblance(document(html)) == 0.0


def test_where_pages_can_not_be_learned_from_another_method_judges_and_it_is_told(caplog):
    pages = [Page(url=f"https://example.com/{i}", html=markup(i, described=False)) for i in range(6)]
    answers = webmain.extract_site(pages, extractor="svm", parts="text")
    assert [a.extractor for a in answers] == ["learned"] * 6
    assert caplog.messages == ["svm: none of 6 pages has a description of its own; its pages are judged by learned"]
    few = webmain.extract_site([Page(url="https://example.com/1", html=markup(1))], extractor="svm", parts="text")
    assert [a.extractor for a in few] == ["learned"]
    assert caplog.messages[1] == "svm wants 5 pages, there are 1; its pages are judged by learned"


def test_pages_unlike_those_learned_from_are_judged_by_the_default_method(caplog):
    html = [*(markup(i) for i in range(6)), *(old_layout(i) for i in range(30, 34))]
    pages = [Page(url=f"https://example.com/{i}", html=markup) for i, markup in enumerate(html)]
    answers = webmain.extract_site(pages, extractor="svm", parts="text")
    assert [a.extractor for a in answers] == ["svm"] * 6 + ["learned"] * 4
    assert all(paragraph in a.text for a, i in zip(answers[6:], range(30, 34), strict=True) for paragraph in story(i))
    assert caplog.messages == []


# ---- What is content: module 3


def in_two_styles(number: int) -> str:
    """A page with a quote styled apart, and a longer text of other people's."""
    return markup(number).replace("</p><p>", f"</p><blockquote class=q>{text(number, 20, 5)}</blockquote><p>", 1)


def test_the_best_cluster_alone_leaves_out_what_is_styled_apart():
    pages = [document(in_two_styles(i)) for i in range(8)]
    quote = text(99, 20, 5)
    fresh = document(in_two_styles(99))
    assert quote in kept(create("svm").fit(pages), fresh)
    for labels in ("best", "paper"):
        assert kept(create(f"svm:labels={labels}").fit(pages), fresh) == story(99)


def test_algorithm_1_takes_one_cluster_of_the_site_and_nothing_of_other_templates():
    pages = [*site(6), *[document(markup(i, shape="blog")) for i in range(6, 10)]]
    for labels, of_blog in (("article", story(91)), ("paper", [])):
        method = create(f"svm:labels={labels}").fit(pages)
        assert kept(method, document(markup(90))) == story(90)
        assert kept(method, document(markup(91, shape="blog"))) == of_blog


def test_by_algorithm_1_pages_without_the_cluster_are_all_boilerplate():
    undescribed = [document(markup(i, described=False, shape="blog")) for i in range(20, 26)]
    method = create("svm:labels=paper").fit([*site(8), *undescribed])
    assert method.learned.note == "on 6 of them no text matches the page's description"
    assert [kept(method, page) for page in undescribed] == [[]] * 6


def test_two_templates_of_one_site_are_both_learned():
    method = create("svm").fit([*site(6), *[document(markup(i, shape="blog")) for i in range(6, 12)]])
    assert kept(method, document(markup(90, described=False))) == story(90)
    assert kept(method, document(markup(91, shape="blog", described=False))) == story(91)


def test_options_are_read_and_checked():
    method = create("svm:form=local,features=tag_path+selector,min_pages=3,seed=4")
    assert (method.form, method.min_pages, method.seed) == ("local", 3, 4)
    assert method.fit(site(6)).learned.weights["sets"] == ["tag_path", "selector"]
    for spec, words in (
        ("svm:form=regional", ["form", "regional", "global", "local"]),
        ("svm:features=colour", ["colour", "tag_path"]),
        ("svm:labels=all", ["labels", "all", "article", "best", "paper"]),
        ("svm:min_pages=0", ["min_pages", "0"]),
        ("svm:seed=-1", ["seed", "-1", "0 to"]),
        ("svm:learned=x", ["learned=x", "form=..., labels=..., features=..., min_pages=..., seed=..."]),
    ):
        with pytest.raises(UnknownExtractor) as caught:
            create(spec)
        assert all(word in str(caught.value) for word in words)
