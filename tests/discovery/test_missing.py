from datetime import UTC, datetime

import pytest

from webmain import extraction as stages
from webmain.discovery.articles import judge_url
from webmain.discovery.missing import is_missing_title
from webmain.discovery.page_evidence import evidence_of, judge_page
from webmain.discovery.page_summary import summarise
from webmain.items import Page

SENTENCE = "The council of the town met again on Tuesday and spoke for hours about the old bridge. "


@pytest.mark.parametrize(
    "title",
    [
        "Page not found",
        "PAGE NOT FOUND.",
        "404",
        "404 Not Found",
        "Error 404: page not found",
        "404 - Page not found | The Courier",
        "The Courier – 404 error",
        "Oops! That page can’t be found.",
        "Seite nicht gefunden - Abendblatt",
        "Página no encontrada",
        "ไม่พบหน้าที่คุณต้องการ | ข่าวเด่น",
        "页面不存在",
        "الصفحة غير موجودة",
    ],
)
def test_titles_of_missing_pages_are_recognised(title):
    assert is_missing_title(title)


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Missing plane not found after week of search",
        "404 people moved to the town last year",
        "The page that was not found",
        "Peugeot 404 turns sixty | The Courier",
        "Not found, not forgotten",
    ],
)
def test_titles_of_articles_are_not(title):
    assert not is_missing_title(title)


def judged(title, headline, head=""):
    body = f"<h1>{headline}</h1><p>/news/the-council: {SENTENCE * 4}</p><p>{SENTENCE * 5}</p>"
    html = f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    page = Page(
        url="https://example.org/news/the-council-spoke-about-the-bridge", html=html, fetched_at=datetime.now(UTC)
    )
    document = stages.read(page)
    return judge_page(evidence_of(summarise(document), judge_url(page.url)))


@pytest.mark.parametrize(
    ("title", "headline"), [("Page not found | Town", "Sorry"), ("Town", "We can’t find that page")]
)
def test_a_page_whose_title_or_headline_says_so_is_no_article(title, headline):
    assert judged("The council", "The council").is_article
    found = judged(title, headline)
    assert (found.is_article, found.reason) == (False, "its title says that it is missing")


def test_a_page_with_a_publication_date_is_an_article_whatever_its_title():
    assert judged("404", "404", '<meta property="article:published_time" content="2026-11-20">').is_article
