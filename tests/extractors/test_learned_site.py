"""The learned extractor on several pages of a site: fitted, kept, restored, and what happens when the layout changes."""

import json
import pickle
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

import webmain
from webmain.clock import Deadline
from webmain.extraction import Options, extract_pages, judge, read
from webmain.extractors.base import Learned, NothingLearned, SiteExtractor, create
from webmain.extractors.learned import LearnedExtractor
from webmain.extractors.site_model import SiteModel
from webmain.html.document import Document
from webmain.items import Page, Rejected
from webmain.sites.fitting import Event, fit_summary
from webmain.sites.held_pages import Spool
from webmain.sites.learning import Learning, page_resemblance
from webmain.sites.model_file import OutdatedModelError
from webmain.sites.model_store import ModelStore, site_of

NAMES = "harbour council bridge report school minister market river festival train budget doctor island garden engine".split()
SMALL = "the of and to in a that for it was on are as with his they at be this from".split()
PITCH = (
    "Help us to report on the harbour and the town, and become a member of our paper today for the price of a coffee."
)


def text(number: int, n: int, seed: int = 0) -> str:
    draw = np.random.default_rng([number, n, seed])
    words: list[str] = []
    while len(words) < n:
        found = [str(draw.choice(NAMES if draw.random() < 0.45 else SMALL)) for _ in range(int(draw.integers(8, 16)))]
        words += [found[0].capitalize(), *found[1:-1], f"{found[-1]}."]
    return " ".join(words)


def story(number: int) -> list[str]:
    return [text(number, 45 + 8 * i, i) for i in range(6)]


def markup(number: int, *, prefix: str = "", moved: bool = False, shown: int | None = None) -> str:
    """Make an article: with other class names (`prefix`), with its boxes elsewhere, or with the text of another one."""
    paragraphs = "".join(f"<p class={prefix}par>{p}</p>" for p in story(number if shown is None else shown))
    menu = "".join(f"<li><a href=/{i}>Section {i}</a></li>" for i in range(9))
    others = [number * 7 + k for k in range(4)]
    teasers = "".join(
        f"<div class={prefix}teaser><h3><a href=/{k}>{text(k, 6)}</a></h3><p>{text(k, 18)}</p></div>" for k in others
    )
    main = f"<div class={prefix}story><h1>{text(number, 6, 9)}</h1>{paragraphs}<p class={prefix}par>{PITCH}</p></div>"
    side = f"<div class={prefix}more>{teasers}</div>"
    if moved:
        main, side = f"<section><div><div>{main}</div></div></section>", f"<aside>{side}</aside>"
    return (
        f"<html><head><title>{text(number, 6, 9)}</title></head><body><ul class={prefix}menu>{menu}</ul>"
        f"<div class={prefix}page>{main}{side}</div><div class={prefix}foot><p>Copyright of the paper</p></div></body></html>"
    )


def document(number: int, *, day: int | None = None, **options) -> Document:
    html = markup(number, **options)
    fetched = day and datetime(2026, 11, day, tzinfo=UTC)
    return Document(Page(url=f"https://paper.example/{number}", html=html, fetched_at=fetched), html=html)


def site(n: int, **options) -> list[Document]:
    return [document(i, **options) for i in range(n)]


def kept(method: LearnedExtractor, page: Document) -> list[str]:
    found = judge(page, method)
    return found.segmentation.texts(np.flatnonzero(found.kept).tolist())


@pytest.fixture(scope="module")
def fitted() -> LearnedExtractor:
    return create("learned").fit(site(6))


# --- what is learned -------------------------------------------------------------------------------------------------


def test_fitting_returns_a_new_copy_with_plain_state(fitted):
    assert isinstance(fitted, SiteExtractor)
    assert create("learned").learned is None
    learned = fitted.learned
    assert learned.n_pages == 6
    assert learned.quality > 0.9
    assert learned.resemblance > 0.9
    json.dumps(learned.weights, allow_nan=False)
    assert pickle.loads(pickle.dumps(fitted)) == fitted


def test_a_paragraph_on_every_page_is_dropped_that_no_single_page_tells_from_the_article(fitted):
    page = document(50)
    assert margin_of(PITCH, page, fitted) < margin_of(PITCH, page, create("learned")) - 3
    assert PITCH not in kept(fitted, page)
    assert set(story(50)) <= set(kept(fitted, page))


def margin_of(wanted: str, page: Document, method: LearnedExtractor) -> float:
    found = judge(page, method)
    return float(found.raw[found.segmentation.texts(range(len(found.raw))).index(wanted)])


def test_the_reason_says_that_other_pages_decided(fitted, monkeypatch):
    generic = judge(document(50), create("learned"))
    monkeypatch.setattr(SiteModel, "margins", lambda _self, _segmentation, _texts, margin: -margin)
    found = judge(document(50), fitted)
    against = [why for why, raw, keep in zip(found.why, generic.raw, found.kept, strict=True) if raw > 2 and not keep]
    favour = [why for why, raw, keep in zip(found.why, generic.raw, found.kept, strict=True) if raw < -2 and keep]
    assert set(against) == {"the site's other pages speak against it"}
    assert set(favour) == {"the site's other pages speak for it"}


@pytest.mark.parametrize("same", [{"url": True}, {"shown": True}])
def test_an_article_that_was_fetched_twice_is_one_page(same):
    again = document(0) if "url" in same else document(77, shown=0)
    with pytest.raises(NothingLearned, match="1 of 2 pages"):
        create("learned").fit([document(0), again])
    learned = create("learned").fit([document(0), again, document(1)]).learned
    assert learned.n_pages == 2


def test_articles_that_were_fetched_twice_are_kept_whole():
    pages = [Page(url=f"https://paper.example/{i}", html=markup(i, shown=i % 3)) for i in range(6)]
    for number, article in enumerate(webmain.extract_site(pages, extractor="learned", parts="text")):
        for paragraph in story(number % 3):
            assert paragraph in article.text


def test_pages_without_text_are_left_out():
    empty = Document(Page(html="<title>x</title>"), html="<title>x</title>")
    assert create("learned").fit([empty, *site(3)]).learned.n_pages == 3


def test_pages_that_have_no_time_left_are_left_out():
    late = document(9)
    late.deadline = Deadline(0.0)
    assert create("learned").fit([late, *site(3)]).learned.n_pages == 3


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_a_model_comes_back_from_the_shelf_as_it_was(fitted, tmp_path):
    shelf = ModelStore(tmp_path)
    shelf.save(fitted, "paper.example")
    again = shelf.load(create("learned"), "paper.example")
    first, second = judge(document(50), fitted), judge(document(50), again)
    assert first.score.tolist() == second.score.tolist()
    assert first.why == second.why


def test_a_model_of_another_profile_is_not_used(fitted, tmp_path):
    shelf = ModelStore(tmp_path)
    shelf.save(fitted, "paper.example")
    with pytest.raises(OutdatedModelError):
        shelf.load(create("learned:profile=news"), "paper.example")


@pytest.mark.parametrize("change", [{"columns": ("x",)}, {"weights": {}}])
def test_a_model_of_another_form_is_refused(fitted, change):
    with pytest.raises(ValueError, match=r"learned|site model"):
        create("learned").restored(replace(fitted.learned, **change))


def test_a_model_that_adopted_nothing_judges_as_the_page_model_does(fitted):
    weights = {**fitted.learned.weights, "places_count": False, "texts_count": False, "news": 0.0}
    generic = create("learned").restored(Learned(**{**vars(fitted.learned), "weights": weights, "quality": None}))
    one, other = judge(document(50), generic), judge(document(50), create("learned"))
    assert one.raw.tolist() == other.raw.tolist()
    assert one.confidence == other.confidence
    assert fit_summary(generic) == "kept generic"
    assert fit_summary(fitted).startswith("quality 0.") or fit_summary(fitted) == "quality 1.000"


# --- when the layout changes -----------------------------------------------------------------------------------------


CHANGES = pytest.mark.parametrize("change", [{"prefix": "css-x7-"}, {"moved": True}], ids=["class names", "boxes"])


@CHANGES
def test_pages_of_a_changed_layout_resemble_nothing(fitted, change):
    assert fitted.resemblance(document(60)) > 0.9
    assert fitted.resemblance(document(60, **change)) < 0.1
    assert create("learned").resemblance(document(60)) == 0.0


@CHANGES
def test_a_changed_layout_is_noticed_judged_generically_and_learned_anew(change, tmp_path):
    told = []
    method = create("learned")
    learning = Learning(
        method,
        models=ModelStore(tmp_path / "models"),
        spool=Spool(tmp_path / "held"),
        default=create("line_block"),
        pages=6,
        report=lambda event, _site, _detail: told.append(event),
    )
    assert [take(learning, document(i, day=1)) for i in range(6)] == [None] * 6
    assert told == []
    learn(learning)
    assert told == [Event.LEARNED]
    assert take(learning, document(20, day=2)).learned is not None

    waiting = [take(learning, document(i, day=3, **change)) for i in range(30, 50)]
    assert told[1:] == [Event.LAYOUT_CHANGED]
    assert set(waiting) == {None}
    learn(learning)
    assert told[2:] == [Event.RETRAINED]
    anew = take(learning, document(60, day=4, **change))
    assert anew.resemblance(document(61, **change)) > 0.9
    assert anew.resemblance(document(61)) < 0.1
    assert PITCH not in kept(anew, document(61, **change))
    assert take(learning, document(62, day=4)) is not anew


def take(learning, document):
    """Do what a crawl does with a page that comes."""
    return learning.add_page(document.page, page_resemblance(document, learning.model(site_of(document))))


def learn(learning: Learning) -> None:
    """Learn the site whose pages wait, and let them go."""
    site_key = learning.ready()
    learning.apply_result(site_key, learning.learning_task(site_key).run(read))
    while learning.release(site_key) is not None:
        pass


# --- pages of one site, and floods -----------------------------------------------------------------------------------


def test_each_page_of_a_site_has_its_own_time(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("webmain.clock.time.thread_time", lambda: clock.__setitem__(0, clock[0] + 0.05) or clock[0])
    pages = [Page(url=f"https://paper.example/{i}", html=markup(i)) for i in range(40)]
    answers = extract_pages(pages, create("learned"), Options(metadata=False, timeout_s=5.0))
    assert clock[0] > 10.0
    assert not any(isinstance(answer, Rejected) for answer in answers)
    assert all(PITCH not in answer.text for answer in answers)
