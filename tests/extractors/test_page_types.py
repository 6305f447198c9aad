"""What kind of page it is: probabilities by the page model, one name, and where both are in an article."""

from __future__ import annotations

import json

import pytest

import webmain
from webmain.extractors import page_types as module
from webmain.extractors.learned import LearnedExtractor
from webmain.extractors.page_types import PAGE_TYPES, THRESHOLDS, page_type, page_types
from webmain.html.document import Document
from webmain.items import Page

PROSE = "The ferry to the upper quay left an hour late on Monday, and the harbour master said so twice before noon. "
MENU = "<nav><ul>" + "".join(f"<li><a href=/{name}>{name}</a>" for name in ("news", "sport", "culture")) + "</ul></nav>"
ARTICLE = (
    f"<title>Ferry late</title>{MENU}<article><h1>Ferry late</h1><p>By Ann Lee</p><time>3 March 2026</time>"
    f"{''.join(f'<p>{i} {PROSE * 3}</p>' for i in range(12))}</article>"
)
SECTION = f"<title>News</title>{MENU}<h1>News</h1>" + "".join(
    f"<div class=teaser><h3><a href=/news/{i}>The bridge number {i} is closed</a></h3><p>It opens in May.</p></div>"
    for i in range(40)
)

PRODUCT = (
    "<title>Brass ship's bell, 15 cm | Chandlery</title><meta property=og:type content=product>"
    '<script type=application/ld+json>{"@type": "Product", "name": "Bell", "offers": {"@type": "Offer", "price": "49"}}'
    f"</script>{MENU}<h1>Brass ship's bell, 15 cm</h1><div class=price>49.00</div><button>Add to cart</button>"
    "<ul><li>Diameter 15 cm<li>Weight 1.2 kg<li>Solid brass</ul><p>A bell with a clear tone and a rope.</p>"
    "<table><tr><th>Height<td>18 cm<tr><th>Material<td>brass<tr><th>Colour<td>gold</table><h2>You may also like</h2>"
    + "".join(f"<div class=product><a href=/shop/{i}>Lamp {i}</a><span>{i}.50</span></div>" for i in range(16))
)
THREAD = (
    f"<title>Which rope for a bell? | Boat forum</title>{MENU}<script type=application/ld+json>"
    '{"@type": "DiscussionForumPosting", "headline": "Which rope for a bell?"}</script><h1>Which rope for a bell?</h1>'
    + "".join(
        f"<div class=post><div class=user><a href=/u/{i}>sailor{i}</a> Posts: {i}4 Joined: 2019</div>"
        f"<div class=date>3 March 2026 10:{i + 10}</div><div class=message>I have used cotton for {i} years. And you?</div>"
        f"<a href=/reply/{i}>Reply</a> <a href=/quote/{i}>Quote</a> <a href=/report/{i}>Report</a></div>"
        for i in range(14)
    )
)


def document(html: str) -> Document:
    return Document(Page(html=html), html=html)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch):
    """Put probabilities in the place of the model's, the rest in the last kind."""

    def put(**found: float) -> None:
        whole = dict.fromkeys(PAGE_TYPES, 0.0) | {"other": 1 - sum(found.values())} | found
        monkeypatch.setattr(module, "_with_corrections", lambda row, document: whole)

    return put


@pytest.mark.parametrize("html", [ARTICLE, SECTION, "<p>x", "", "<script>1</script>"])
def test_probabilities_of_all_kinds_add_up_to_one(html):
    found = page_types(document(html))
    assert tuple(found) == PAGE_TYPES
    assert sum(found.values()) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in found.values())


def test_an_article_is_told_from_a_section_of_headlines():
    assert page_type(document(ARTICLE)).name == "article"
    section = page_type(document(SECTION))
    assert section.name == "listing"
    assert section.probability == pytest.approx(page_types(document(SECTION))["listing"], abs=1e-4)


@pytest.mark.parametrize("html", [SECTION, PRODUCT, THREAD])
def test_sections_products_and_threads_are_no_articles(html):
    assert page_type(document(html)).name != "article"
    with pytest.raises(webmain.Rejected, match="not_article"):
        webmain.extract(html, require="article")
    assert webmain.extract(html).page_type == page_type(document(html)).name


def test_a_page_without_text_is_of_no_known_kind():
    assert page_type(document("<img src=a.png>")) == ("other", 1.0)


@pytest.mark.parametrize(("shown", "expected"), [("<div>Loading</div>", "article"), (SECTION, "listing")])
def test_an_article_that_is_only_in_a_pages_data_counts_where_nothing_is_shown(judged, shown, expected):
    judged(listing=1.0)
    body = json.dumps({"@type": "NewsArticle", "headline": "Ferry late", "articleBody": PROSE * 9})
    page = document(f"<title>Ferry late</title>{shown}<script type=application/ld+json>{body}</script>")
    assert page_type(page) == (expected, 1.0)


def test_a_page_of_links_is_a_listing_whatever_the_model_says():
    links = "".join(f"<li><a href=/a/{i}>The {i}th thing happened on the river today</a>" for i in range(6))
    found = page_types(document(f"<title>News</title><h1>News</h1><ul>{links}</ul>"))
    assert (found["article"], sum(found.values())) == (0, pytest.approx(1))
    assert found["listing"] == max(found.values())


def test_a_page_is_an_article_from_the_threshold_on_whatever_else_is_likelier(judged):
    judged(article=THRESHOLDS.article, product=1 - THRESHOLDS.article)
    assert page_type(document(ARTICLE)) == ("article", THRESHOLDS.article)
    judged(article=THRESHOLDS.article - 0.01, forum=0.7, listing=0.1)
    assert page_type(document(ARTICLE)) == ("forum", 0.7)


def test_it_is_computed_once_and_not_at_all_where_the_page_was_judged(monkeypatch):
    seen, fresh, method = document(ARTICLE), document(ARTICLE), LearnedExtractor()
    expected = page_types(seen)
    method.judge(method.segment(fresh))
    monkeypatch.setattr(module, "columns", lambda segmentation: pytest.fail("computed again"))
    assert page_types(seen) is expected
    assert page_types(fresh) == expected


@pytest.mark.parametrize("extractor", ["learned", "line_block", "pab"])
def test_an_article_of_every_method_has_its_pages_kind(judged, extractor):
    judged(article=0.1, forum=0.7)
    article = webmain.extract(ARTICLE, extractor=extractor)
    assert (article.page_type, article.page_type_probability) == ("forum", 0.7)
    assert webmain.Article.from_dict(article.to_dict()) == article


def test_text_alone_has_no_kind():
    article = webmain.extract(ARTICLE, parts="text")
    assert (article.page_type, article.page_type_probability) == ("", None)


@pytest.mark.parametrize(
    ("declared", "factor"),
    [("DiscussionForumPosting", 0.3), ("QAPage", 0.3), ("Question", 1), ("NewsArticle", 1), ("WebPage", 1)],
)
def test_a_page_that_says_it_is_a_thread_is_less_likely_an_article(declared, factor, monkeypatch):
    plain = {name: 1 / len(PAGE_TYPES) for name in PAGE_TYPES}
    monkeypatch.setattr("webmain.extractors.page_model.PageModel.page_types", lambda model, row: dict(plain))
    found = page_types(document(f'<script type=application/ld+json>{{"@type": "{declared}"}}</script>{ARTICLE}'))
    assert found["article"] == pytest.approx(plain["article"] * factor)
    assert found["forum"] == pytest.approx(plain["forum"] + plain["article"] * (1 - factor))
