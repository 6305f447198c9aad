"""Evidence that a page is an article: feeds and news sitemaps, the page's head, its JSON-LD."""

import json

import pytest

from webmain.html.document import Document
from webmain.items import Hints, Page
from webmain.metadata.declared import article_evidence, declares_article

DATED = {"headline": "Ferry late", "datePublished": "2026-03-03"}
NEWS = {"@type": "NewsArticle", **DATED}
OTHER = {"@type": "NewsArticle", "headline": "Bridge closed", "datePublished": "2026-03-02"}
TYPE = "<meta property=og:type content=Article>"
TIME = "<meta property=article:published_time content=2026-03-03>"


def document(head="", data=None, **of_page):
    script = f"<script type=application/ld+json>{json.dumps(data)}</script>" if data is not None else ""
    html = f"<head>{head}{script}</head><body><p>The ferry was late.</p></body>"
    return Document(Page(html=html, **of_page), html=html)


@pytest.mark.parametrize(
    ("head", "data"),
    [
        (TYPE + TIME, None),
        ("", NEWS),
        ("", {"@graph": [{"@type": "WebPage"}, {"@type": ["Thing", "http://schema.org/BlogPosting"], **DATED}]}),
        ("", [NEWS, NEWS]),
        (TYPE, NEWS),
    ],
)
def test_a_page_that_says_so_with_a_date_is_an_article(head, data):
    assert declares_article(document(head, data))
    assert article_evidence(document(head, data))


@pytest.mark.parametrize(
    ("head", "data"),
    [
        ("", None),
        (TYPE, None),
        (TIME, None),
        (TIME + "<meta property=og:type content=website>", None),
        ("", {"@type": "NewsArticle", "headline": "Ferry late"}),
        ("", {"@type": "TechArticle", **DATED}),
        ("", {"@type": "DiscussionForumPosting", **DATED}),
        ("", {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": NEWS}]}),
        ("", [NEWS, OTHER]),
        ("", {"@type": "Product", "review": {"@type": "ReviewNewsArticle", **DATED}}),
        ("", "NewsArticle"),
    ],
)
def test_less_than_that_is_no_evidence(head, data):
    assert not declares_article(document(head, data))


@pytest.mark.parametrize(
    ("source", "expected"), [("feed", True), ("news-sitemap", True), ("sitemap", False), (None, False)]
)
def test_feeds_and_news_sitemaps_name_articles(source, expected):
    hints = Hints(source=source) if source else None
    assert article_evidence(document(hints=hints, article_reason="a slug of 8 words")) is expected
