"""The learned extractor: its blocks, its profiles, and what it tells of its judgements."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import webmain
from webmain.extractors import learned as module
from webmain.extractors.learned import BY_SITE, BY_THREAD, LearnedExtractor
from webmain.extractors.page_model import CONFIDENCE_COLUMNS, block_names, choose, names
from webmain.features.trees import Trees
from webmain.html.document import Document
from webmain.items import Page

PROSE = "The ferry to the upper quay left an hour late on Monday, and the harbour master said so twice before noon. "


def document(body, head="<title>Ferry late</title>"):
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    return Document(Page(html=html), html=html)


def judged(body, **options):
    method = LearnedExtractor(**options)
    return method.judge(method.segment(document(body)))


def texts(body, **options):
    found = judged(body, **options)
    return [found.segmentation.text(place) for place in np.flatnonzero(found.kept)]


def one_leaf(value, used=None):
    used = list(used or names())
    return Trees.from_plain({"base": 0.0, "columns": used, "trees": [[[value]]]}, used)


def by_article(low, high):
    """Make trees that look at the page's probability of being an article."""
    used = list(block_names())
    return Trees.from_plain(
        {"base": 0.0, "columns": used, "trees": [[[used.index("p_article"), 0.5, 2], [low], [high]]]}, used
    )


@pytest.fixture
def model(monkeypatch):
    """Put a model in the place of the shipped one: +1 for every block of an article, -1 for those of other pages."""

    def put(article):
        shipped = module.page_model()
        made = replace(
            shipped,
            article=one_leaf(article),
            blocks=by_article(-1.0, 1.0),
            confidence=one_leaf(0.75, CONFIDENCE_COLUMNS),
        )
        monkeypatch.setattr(module, "page_model", lambda: made)

    put(0.4)
    return put


# ---- blocks


@pytest.mark.parametrize(
    "hidden",
    [
        "<span hidden>secret</span>",
        "<span style='display:none'>secret</span>",
        "<span style='visibility:hidden'>secret</span>",
    ],
)
def test_text_hidden_inside_a_shown_block_is_left_out(hidden):
    segmentation = LearnedExtractor().segment(document(f"<p>{PROSE}{hidden}And more.</p><p>{PROSE * 3}</p>"))
    found = segmentation.texts(range(len(segmentation)))
    assert not any("secret" in text for text in found)
    assert found[0].endswith("And more.")


def test_text_that_is_never_shown_is_in_no_block():
    segmentation = LearnedExtractor().segment(document(f"<p>{PROSE * 4}</p><p style='visibility:hidden'>secret</p>"))
    assert segmentation.texts(range(len(segmentation))) == [(PROSE * 4).strip()]


def test_where_hardly_anything_is_shown_hidden_text_is_taken():
    assert "quay" in " ".join(texts(f"<p>Loading</p><div style='display:none'><p>{PROSE * 4}</p></div>"))


def test_some_text_is_kept_of_every_page_that_has_any():
    for body in (
        "<a href=/>Home</a>",
        "x",
        "<nav><ul><li><a href=/>A</a><li><a href=/>B</a></ul></nav>",
        "<p>Imprint</p>",
    ):
        assert texts(body)


# ---- profiles


@pytest.mark.parametrize(("profile", "expected"), [("news", 1.0), ("general", -1.0)])
def test_a_profile_that_is_asked_for_is_taken_alone(model, profile, expected):
    raw = judged(f"<p>{PROSE}</p><p>More.</p>", profile=profile).raw
    assert raw == pytest.approx([expected] * 2)


@pytest.mark.parametrize(("margin", "expected"), [(9.0, 1.0), (-9.0, -1.0)])
def test_by_itself_it_takes_what_the_page_looks_like(model, margin, expected):
    model(margin)
    assert judged(f"<p>{PROSE}</p>").raw == pytest.approx([expected])


def test_an_unknown_profile_is_refused():
    with pytest.raises(ValueError, match="profile"):
        LearnedExtractor(profile="blog")
    with pytest.raises(ValueError, match="news"):
        webmain.extract(f"<p>{PROSE}</p>", extractor="learned:profile=blog")


# ---- judgements


def test_scores_are_the_probabilities_of_raw_log_odds():
    found = judged(f"<nav><a href=/>Home</a></nav><article>{f'<p>{PROSE}</p>' * 5}</article><footer>Imprint</footer>")
    assert found.score == pytest.approx(1 / (1 + np.exp(-found.raw)))
    assert 0 <= found.confidence <= 1
    assert len(found.why) == len(found.score)


def test_a_likely_block_that_is_left_out_is_not_called_unlikely(monkeypatch):
    body = f"<nav><a href=/>Home</a></nav><article>{f'<p>{PROSE}</p>' * 5}</article><p>Imprint</p>"
    best = int(judged(body).score.argmax())

    def only_the_best(probability, n_chars):
        return replace(choose(probability, n_chars), kept=np.arange(len(probability)) == best, limit=probability[best])

    monkeypatch.setattr(module, "choose", only_the_best)
    found = judged(body)
    left_out = {
        why for why, score, kept in zip(found.why, found.score, found.kept, strict=True) if score > 0.5 and not kept
    }
    assert left_out == {"not likely enough for the best whole"}
    assert found.why[best] == "likely to be content"


def test_confidence_is_what_the_model_expects(model):
    assert judged(f"<p>{PROSE}</p>").confidence == 0.75


def test_an_article_is_told_from_what_stands_around_it():
    nav = "<nav><ul>" + "<li><a href=/x>Section</a></li>" * 12 + "</ul></nav>"
    foot = "<footer><p>© 2026 Harbour News. All rights reserved.</p></footer>"
    kept = texts(f"{nav}<article><h1>Ferry late</h1>{''.join(f'<p>{i} {PROSE}</p>' for i in range(8))}</article>{foot}")
    assert sum("harbour master" in text for text in kept) == 8
    assert not any("Section" in text or "rights reserved" in text for text in kept)


def test_what_moved_a_score_adds_up_with_the_means_of_the_trees():
    method = LearnedExtractor(profile="news")
    segmentation = method.segment(document(f"<article>{f'<p>{PROSE}</p>' * 3}</article><footer>Imprint</footer>"))
    trees = module.page_model().blocks
    rest = trees.base + trees.means[trees.roots].sum()
    margins = method.judge(segmentation).raw
    for block, moved in enumerate(method.contributions(segmentation, range(len(segmentation)))):
        assert sum(odds for _, _, odds in moved) + rest == pytest.approx(margins[block], abs=1e-5)
        assert [abs(odds) for _, _, odds in moved] == sorted((abs(odds) for _, _, odds in moved), reverse=True)
        assert {name for name, _, _ in moved} <= set(block_names())


def test_comments_below_an_article_are_no_content_and_the_reason_says_so():
    said = "".join(f"<div class=commentbody><p>{n} {PROSE * 3}</p></div>" for n in range(9))
    body = f"<article><h1>Ferry late</h1>{f'<p>{PROSE}</p>' * 3}</article>{said}"
    found, method = judged(body, profile="news"), LearnedExtractor(profile="news")
    is_said = np.array(
        [name.startswith(tuple("012345678")) for name in found.segmentation.texts(range(len(found.kept)))]
    )
    assert not found.kept[is_said].any()
    assert {found.why[i] for i in np.flatnonzero(is_said)} == {BY_THREAD}
    assert any(name == BY_THREAD for name, _, _ in method.contributions(found.segmentation, [len(is_said) - 1])[0])
    assert not any(why == BY_THREAD for why in judged(body, profile="general").why)


@pytest.mark.parametrize(
    ("reason", "evidence", "is_higher"), [("x", True, True), ("x", False, False), ("", True, False)]
)
def test_a_crawls_article_with_evidence_is_judged_as_one(model, reason, evidence, is_higher):
    model(-0.1)
    head = "<meta property=og:type content=article><meta property=article:published_time content=2026-11-02>"
    html = f"<html><head>{head if evidence else ''}</head><body><p>{PROSE}</p></body></html>"
    method, page = LearnedExtractor(), Document(Page(html=html, article_reason=reason), html=html)
    assert bool(method.judge(method.segment(page)).raw[0] > 0) is is_higher


@pytest.mark.parametrize(("kind", "is_article"), [("video", True), ("video.other", True), ("video.tv_show", False)])
def test_a_page_that_declares_a_video_is_judged_as_an_article(model, kind, is_article):
    model(-0.1)
    html = f"<html><head><meta property=og:type content={kind}></head><body><p>{PROSE}</p></body></html>"
    method, page = LearnedExtractor(), Document(Page(html=html), html=html)
    assert bool(method.judge(method.segment(page)).raw[0] > 0) is is_article


def test_what_a_site_says_of_a_block_is_told_as_well():
    promo = f"<div class=promo><p>{PROSE * 2}</p></div>"
    pages = [
        document(f"<article>{''.join(f'<p>{n}{i} {PROSE}</p>' for i in range(6))}</article>{promo}") for n in range(6)
    ]
    method = LearnedExtractor(profile="news").fit(pages)
    segmentation = method.segment(pages[0])
    raw = method.judge(segmentation).raw
    generic = LearnedExtractor(profile="news").judge(segmentation).raw
    for block, moved in enumerate(method.contributions(segmentation, range(len(segmentation)))):
        by_site = [one for one in moved if one[0] == BY_SITE]
        assert by_site == [(BY_SITE, pytest.approx(generic[block]), pytest.approx(raw[block] - generic[block]))]
    assert (raw != generic).any()


def test_it_can_be_sent_to_other_processes_and_says_the_same_there():
    method = pickle.loads(pickle.dumps(LearnedExtractor(profile="general")))
    assert method == LearnedExtractor(profile="general")
    body = f"<p>{PROSE}</p><p><a href=/>Home</a></p>"
    assert method.judge(method.segment(document(body))).raw.tolist() == judged(body, profile="general").raw.tolist()
