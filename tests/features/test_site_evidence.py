"""What is kept of a site's pages, and what their places say: counts, chances, pages held back, and bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webmain.features import site_evidence
from webmain.features.site_evidence import ROOT, Places, SitePage, find_places, known_tokens, site_page
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page


def document(markup: str) -> Document:
    return Document(Page(url="https://example.com/a", html=markup), html=markup)


def seen(markup: str, margin: float | list[float] = 0.0) -> SitePage:
    segmentation = default_blocks(document(markup))
    n = len(segmentation)
    texts = segmentation.texts(range(n))
    margins = np.full(n, margin) if isinstance(margin, float) else np.array(margin)
    n_chars = np.array([len(text) for text in texts], dtype=np.float64)
    return site_page(segmentation, texts, margin=margins, n_chars=n_chars, news=1.0)


def chances(pages: list[SitePage]) -> list[np.ndarray]:
    return [1 / (1 + np.exp(-page.margin)) for page in pages]


def path(places: Places, place: int) -> str:
    steps = []
    while place > ROOT:
        steps.append(places.steps[place].replace(" ", ""))
        place = places.parents[place]
    return "/".join(reversed(steps))


def by_path(pages: list[SitePage]) -> dict[str, float]:
    places = Places(pages, chances(pages))
    return {path(places, i): float(chance) for i, chance in enumerate(places.chances())}


STORY = "The harbour master counted the boats and said that the tide would come before noon. "


def article(n: int, margin: tuple[float, float] = (5.0, -5.0)) -> SitePage:
    return seen(
        f"<body class=post-{n}><div class='story id-{n}'>{STORY}{n}</div><div class=side>{STORY}</div>", [*margin]
    )


def test_places_tell_content_from_the_rest():
    found = by_path([article(i) for i in range(6)])
    assert found["html/body/div.story"] > 0.7
    assert found["html/body/div.side"] < 0.3


def test_a_place_is_believed_the_more_the_more_pages_have_it():
    few, many = by_path([article(i) for i in range(2)]), by_path([article(i) for i in range(12)])
    assert many["html/body/div.story"] > few["html/body/div.story"] > 0.5


def test_a_few_words_tell_less_than_a_paragraph():
    long = by_path([seen(f"<p>{STORY * 4}</p>", 3.0), seen(f"<div>{STORY}</div>", -3.0)])
    short = by_path([seen("<p>Hi</p>", 3.0), seen(f"<div>{STORY}</div>", -3.0)])
    assert long["html/body/p"] - long[""] > short["html/body/p"] - short[""]


def test_places_beyond_the_limit_are_left_out(monkeypatch):
    monkeypatch.setattr(site_evidence, "MAX_GROWN", 3)
    places = Places([seen("<div class=a><p>x</p></div><section><p>y</p></section>")], [np.array([0.5, 0.5])])
    assert places.steps == ["", "html", "body"]
    assert (places.of_element[0] >= -1).all()


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=5), min_size=2, max_size=5), st.data())
def test_a_page_held_back_is_told_what_the_other_pages_say(layouts, data):
    pages = []
    for layout in layouts:
        markup = "".join(f"<div><p class={name}>{STORY}</p></div>" for name in layout)
        margins = data.draw(st.lists(st.floats(-6, 6), min_size=len(layout), max_size=len(layout)))
        pages.append(seen(f"<body class=x>{markup}</body>", margins))
    known = known_tokens(pages)
    whole, told = Places(pages, chances(pages)).without(0)
    rest = Places(pages[1:], chances(pages[1:]))
    if known_tokens(pages[1:]) != known:
        return  # held-back pages help to tell which classes recur
    found = rest.chances()
    index = {path(rest, i): i for i in range(len(found))}
    assert whole == pytest.approx(found[ROOT])
    for block, name in enumerate(layouts[0]):
        step = f"p.{name}" if f".{name}" in known else "p"
        place = index.get(f"html/body/div/{step}", index.get("html/body/div", ROOT))
        assert told[block] == pytest.approx(found[place])


@pytest.mark.parametrize(
    ("markup", "place"),
    [
        ("<div class=story>x</div>", 3),
        ("<div class='story post-9'>x</div>", 3),
        ("<div class=tale>x</div>", ~2),
        ("<div id=story>x</div>", ~2),
        ("<section><div class=story>x</div></section>", ~2),
        ("<div class=story><p>x</div>", ~3),
    ],
)
def test_elements_are_found_by_their_whole_path(markup, place):
    nodes = {(-1, ""): 0, (0, "html"): 1, (1, "body"): 2, (2, "div .story"): 3}
    page = document(markup)
    deepest = int(default_blocks(page).element[0])
    assert find_places(nodes, frozenset({".story"}), page.elements, [deepest, deepest]) == [place, place]


def test_of_a_page_a_bounded_number_of_elements_is_kept(monkeypatch):
    monkeypatch.setattr(site_evidence, "MAX_ELEMENTS", 10)
    page = seen("".join(f"<div><p>{i}</p></div>" for i in range(50)), 1.0)
    assert len(page.label) <= 12
    assert len(page.texts) == len(page.margin) == len(page.element)
    assert page.element.max() < len(page.label)
