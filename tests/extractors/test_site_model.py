"""What is known of a site: when it is believed, how far it goes, and how it is kept."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.extractors import site_model
from webmain.extractors.site_model import CAP, EVIDENCE, SiteModel, learn_site, recurring
from webmain.features.site_evidence import SitePage, site_page
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page

STORY = "The harbour master counted the boats and said that the tide would come before noon. "
PITCH = "Become a member of our paper today, for the price of a cup of coffee. "


def document(markup: str) -> Document:
    return Document(Page(url="https://example.com/a", html=markup), html=markup)


def blocks(markup: str):
    segmentation = default_blocks(document(markup))
    return segmentation, segmentation.texts(range(len(segmentation)))


def seen(markup: str, margin: list[float]) -> SitePage:
    segmentation, texts = blocks(markup)
    n_chars = np.array([len(text) for text in texts], dtype=np.float64)
    return site_page(segmentation, texts, margin=np.array(margin, dtype=np.float64), n_chars=n_chars, news=0.5)


def markup(n: int) -> str:
    return f"<div class=story>{STORY * 3}{n}</div><div class=side>{STORY} {n + 900}</div><div class=pitch>{PITCH}</div>"


def site(n: int, margin=(4.0, -4.0, 0.5)) -> list[SitePage]:
    return [seen(markup(i), [*margin]) for i in range(n)]


def judged(model: SiteModel, page: str, margin: list[float]) -> list[float]:
    segmentation, texts = blocks(page)
    return model.margins(segmentation, texts, np.array(margin, dtype=np.float64)).tolist()


@pytest.mark.parametrize(
    ("margin", "n_with", "n_pages", "low", "high"),
    [
        (0.0, 0, 10, 0, 0),
        (0.0, 1, 10, 0, 0),
        (0.0, 2, 200, 0.29 * EVIDENCE.text_log_odds, 0.31 * EVIDENCE.text_log_odds),
        (0.0, 3, 200, 0.64 * EVIDENCE.text_log_odds, 0.66 * EVIDENCE.text_log_odds),
        (0.0, 4, 200, 0.99 * EVIDENCE.text_log_odds, 1.03 * EVIDENCE.text_log_odds),
        (0.0, 2, 5, 0.99 * EVIDENCE.text_log_odds, EVIDENCE.text_log_odds),
        (0.0, 3, 3, 0.99 * EVIDENCE.text_log_odds, EVIDENCE.text_log_odds),
        (0.0, 4, 4, 1.99 * EVIDENCE.text_log_odds, 2 * EVIDENCE.text_log_odds),
        (6.0, 2, 5, 0, 0.02),
        (6.0, 20, 200, 0, 0.1),
        (4.0, 10, 10, 1.9 * EVIDENCE.text_log_odds, 2 * EVIDENCE.text_log_odds),
    ],
)
def test_texts_speak_against_a_block_by_their_pages_and_the_doubt(margin, n_with, n_pages, low, high):
    taken = float(recurring(np.array([margin]), np.array([float(n_with)]), n_pages)[0])
    assert low <= taken <= high


def test_places_settle_what_is_in_doubt():
    model = learn_site(site(6)).model
    assert model.places_count
    found = judged(model, markup(50), [0.0, 0.0, -5.0])
    assert found[0] > 0.5 > -0.5 > found[1]


def test_places_say_more_the_more_pages_there_are():
    said = [judged(learn_site(site(n)).model, markup(50), [0.0, -4.0, 0.0])[0] for n in (2, 4, 12)]
    assert 0 < said[0] < said[1] < said[2] < CAP


def test_places_are_believed_where_no_label_is_sure():
    lesson = learn_site(site(6, [1.5, -1.5, -1.5]))
    assert lesson.model.places_count
    assert lesson.quality is None
    found = judged(lesson.model, markup(50), [0.0, 0.0, -5.0])
    assert found[0] > 0.2 > -0.2 > found[1]


def test_texts_that_recur_speak_against_a_block():
    model = learn_site(site(6)).model
    assert model.texts_count
    assert judged(model, markup(50), [4.0, -4.0, 0.5])[2] < -3


def test_texts_that_recur_and_are_surely_content_stay():
    pages = [seen(markup(i), [4.0, -4.0, 7.5]) for i in range(20)]
    model = learn_site(pages).model
    assert judged(model, markup(50), [4.0, -4.0, 7.5])[2] == 7.5


def test_where_much_of_the_content_recurs_texts_tell_nothing():
    pages = [seen(f"<p>{STORY}</p><p>{STORY}{i}</p>", [3.0, 3.0]) for i in range(6)]
    model = learn_site(pages).model
    assert not model.texts_count
    pages = [seen(f"<p>{PITCH[:12]}</p><p>{STORY * 2}{i}</p>", [3.0, 3.0]) for i in range(6)]
    assert learn_site(pages).model.texts_count


def mixed(i: int) -> SitePage:
    """Return a page whose places say nothing: content stands here on one page, there on the next."""
    return seen(
        f"<div class=a>{STORY}{i}</div><div class=b>{STORY}{i + 90}</div>", [4.0, -4.0] if i % 2 else [-4.0, 4.0]
    )


def test_a_site_whose_places_say_nothing_is_kept_generic():
    lesson = learn_site([mixed(i) for i in range(8)])
    assert not lesson.model.is_adopted
    assert lesson.quality is None
    segmentation, texts = blocks(markup(1))
    margin = np.array([1.0, -1.0, 0.2])
    assert lesson.model.margins(segmentation, texts, margin) is margin


def test_what_remains_is_the_text_where_the_likeliest_turns_out_to_be_none():
    model = learn_site(site(6)).model
    segmentation, texts = blocks(f"<p>{STORY}</p><div class=pitch>{PITCH}</div>")
    found = model.margins(segmentation, texts, np.array([-1.0, 1.0]))
    assert found[0] > 0 > found[1]


@pytest.mark.parametrize(("news", "strength"), [(1.0, 1.0), (0.25, 1.0), (0.2, 0.8), (0.0, 0.0)])
def test_evidence_counts_less_on_sites_that_are_no_news(news, strength):
    full = learn_site(site(6)).model
    model = replace(full, news=news)
    margin = np.array([1.0, -1.0, 0.5])
    moved = np.array(judged(full, markup(9), margin.tolist())) - margin
    assert judged(model, markup(9), margin.tolist()) == pytest.approx((margin + strength * moved).tolist())
    assert model.is_adopted is (strength > 0)


@given(st.lists(st.floats(-25, 25), min_size=3, max_size=3))
def test_evidence_is_bounded_and_overturns_nothing_certain(margin):
    model = learn_site(site(6)).model
    found = np.array(judged(model, markup(3), margin)) - margin
    assert (np.abs(found) <= CAP + 2 * EVIDENCE.text_log_odds + EVIDENCE.max_rest + 1e-9).all()
    for moved, before in zip(found, margin, strict=True):
        if before > 7:
            assert moved >= 0
        if before < -6:
            assert moved <= EVIDENCE.max_rest


def test_the_place_of_a_page_of_another_layout_is_unknown():
    model = learn_site(site(6)).model
    assert model.resemblance(default_blocks(document(markup(9)))) == 1.0
    assert model.resemblance(default_blocks(document(markup(9).replace("class=", "class=x")))) == 0.0
    assert model.resemblance(default_blocks(document(f"<section>{markup(9)}</section>"))) == 0.0
    assert model.resemblance(default_blocks(document("<title></title>"))) == 0.0


def test_a_model_is_plain_and_comes_back_as_it_was():
    model = learn_site(site(6)).model
    again = SiteModel.from_plain(json.loads(json.dumps(model.to_plain(), allow_nan=False)))
    assert again == model
    assert pickle.loads(pickle.dumps(again)) == model
    assert judged(again, markup(7), [1.0, 0.0, 1.0]) == judged(model, markup(7), [1.0, 0.0, 1.0])


def test_the_order_of_pages_makes_no_difference_to_what_is_judged():
    pages = [*site(6), seen(f"<div class=other>{STORY}</div>", [3.0])]
    one, other = learn_site(pages).model, learn_site(pages[::-1]).model
    assert judged(one, markup(7), [1.0, 0.0, 1.0]) == judged(other, markup(7), [1.0, 0.0, 1.0])


def test_places_and_texts_are_bounded(monkeypatch):
    monkeypatch.setattr(site_model, "MAX_PLACES", 4)
    monkeypatch.setattr(site_model, "MAX_TEXTS", 1)
    pages = [seen(markup(i) + "<p>Top</p>", [4.0, -4.0, 0.5, -5.0]) for i in range(3)]
    model = learn_site(pages).model
    assert len(model.steps) == len(model.parents) == len(model.odds) == 4
    assert len(model.texts) == 1
    SiteModel.from_plain(model.to_plain())


GOOD = {
    "n_pages": 3, "news": 0.5, "places_count": True, "texts_count": True, "parents": [-1, 0], "steps": ["", "html"],
    "odds": [0.0, 1.5], "texts": ["ab"], "text_pages": [2],
}  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_pages": 0},
        {"n_pages": []},
        {"news": 1.1},
        {"news": [0.5]},
        {"places_count": []},
        {"news": float("nan")},
        {"places_count": 1},
        {"parents": [0, 0]},
        {"parents": [-1, 1]},
        {"parents": [-1]},
        {"steps": ["", 1]},
        {"odds": [0.0, 9.0]},
        {"odds": [0.0, "1"]},
        {"texts": ["ab", "cd"]},
        {"text_pages": [1]},
        {"parents": [], "steps": [], "odds": []},
    ],
)
def test_what_is_no_model_is_refused(wrong):
    SiteModel.from_plain(GOOD)
    with pytest.raises(ValueError, match="site model"):
        SiteModel.from_plain({**GOOD, **wrong})
