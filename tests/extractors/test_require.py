"""Pages of another kind than is wanted are rejected: by the library, the command line, a crawl's steps."""

import asyncio
import json
from functools import partial
from types import SimpleNamespace

import pytest
from scrapy.exceptions import DropItem

import webmain
from tests.crawl.test_pipelines import FakeCrawler
from tests.extractors.test_page_types import ARTICLE, SECTION
from webmain.cli import main
from webmain.crawl.options import page_options
from webmain.extraction import Options, extract_page
from webmain.extractors import page_types
from webmain.extractors.base import create
from webmain.extractors.page_types import PAGE_TYPES, THRESHOLDS
from webmain.items import Hints, Page, Reason, Rejected
from webmain.pipelines import Compose, Extract, InWorkers, Merge, Read, Segment

URL = "https://news.example/ferry"
DECLARED = "<meta property=og:type content=article><meta property=article:published_time content=2026-03-03>"
BODY = json.dumps({"@type": "NewsArticle", "headline": "Boats", "articleBody": "The ferry left an hour late. " * 20})
SURELY_NONE = THRESHOLDS.article - 0.01


@pytest.fixture
def judged(monkeypatch):
    """Put probabilities in the place of the model's; the rest is a listing's."""

    def put(**found):
        whole = dict.fromkeys(PAGE_TYPES, 0.0) | {"listing": 1 - sum(found.values())} | found
        monkeypatch.setattr(page_types, "_with_corrections", lambda row, document: whole)

    return put


# ---- What is asked for


def test_a_section_is_no_article_and_says_what_it_is():
    with pytest.raises(Rejected, match=r".+ with probability [01]\.\d\d, an article, .* with 0\.\d\d") as caught:
        webmain.extract(SECTION, url=URL, require="article")
    assert (caught.value.reason, caught.value.url) == (Reason.NOT_ARTICLE, URL)
    assert webmain.extract(ARTICLE, require="article").page_type == "article"


@pytest.mark.parametrize("kind", PAGE_TYPES)
def test_every_kind_may_be_wanted(judged, kind):
    judged(**{kind: 1.0}, **({} if kind == "listing" else {"listing": 0.0}))
    assert webmain.extract(ARTICLE, require=kind, extractor="pab").page_type == kind
    for other in {*PAGE_TYPES} - {kind}:
        with pytest.raises(Rejected, match="not_article"):
            webmain.extract(ARTICLE, require=other, extractor="pab")


def test_text_alone_has_its_pages_kind_where_one_is_wanted():
    article = webmain.extract(ARTICLE, parts="text", require="article")
    assert (article.page_type, article.title) == ("article", None)
    with pytest.raises(Rejected):
        webmain.extract(SECTION, parts="text", require="article")


@pytest.mark.parametrize("extract", [webmain.extract_site, partial(webmain.extract_many, jobs=0)])
def test_of_many_pages_each_that_is_none_is_answered_so(extract):
    found, refused = extract([Page(html=ARTICLE), Page(html=SECTION)], require="article")
    assert found.page_type == "article"
    assert refused.reason is Reason.NOT_ARTICLE


def test_pages_that_continue_an_article_may_be_of_any_kind():
    page = Page(html=ARTICLE, parts=(Page(html=SECTION),))
    assert extract_page(page, create(None), Options(require="article")).n_parts == 2


def test_a_kind_that_there_is_none_of_is_told():
    with pytest.raises(ValueError, match="require: got 'news', allowed are article, listing"):
        webmain.extract(ARTICLE, require="news")


def test_on_the_command_line(tmp_path, capsys):
    for name, html in (("article", ARTICLE), ("section", SECTION)):
        (tmp_path / f"{name}.html").write_text(html)
    code = main(["extract", str(tmp_path), "--require", "article", "--jobs", "0"])
    told = capsys.readouterr()
    assert code == 1
    assert "harbour master" in told.out
    assert "bridge number" not in told.out
    assert "1 article, 1 rejected (1 not_article)" in told.err
    with pytest.raises(SystemExit):
        main(["extract", str(tmp_path), "--require", "news"])


# ---- What a crawl rejects unasked


def crawled(html=ARTICLE, *, extractor="pab", require=None, **of_page):
    page = Page(**{"url": URL, "html": html, "article_reason": "a slug of 8 words", **of_page})
    return extract_page(page, create(extractor), Options(require=require))


def test_a_page_that_certainly_is_no_article_is_rejected(judged):
    judged(article=SURELY_NONE)
    with pytest.raises(Rejected, match="a listing with"):
        crawled()
    judged(article=THRESHOLDS.article)
    assert crawled().page_type == "article"


@pytest.mark.parametrize(
    "evidence",
    [
        {"hints": Hints(source="feed")},
        {"hints": Hints(source="news-sitemap")},
        {"html": DECLARED + ARTICLE},
        {"require": "any"},
        {"article_reason": ""},
    ],
)
def test_it_is_not_where_its_site_says_article_or_everything_is_wanted(judged, evidence):
    judged(article=SURELY_NONE)
    assert crawled(**{"extractor": "learned", **evidence}).page_type == "listing"


def test_a_text_that_the_page_does_not_show_is_not_judged_by_what_it_shows(judged):
    judged(article=SURELY_NONE)
    shell = "".join(f"<p>Loading part {i} of the page, please wait</p>" for i in range(9))
    page = f"<title>Ferry late</title>{shell}<script type=application/ld+json>{BODY}</script>"
    article = crawled(page, extractor="learned")
    assert (article.extractor, article.page_type) == ("embedded", "listing")


def test_what_is_asked_for_goes_before_all_evidence(judged):
    judged(article=SURELY_NONE)
    with pytest.raises(Rejected):
        crawled(require="article", hints=Hints(source="feed"))
    assert crawled(require="listing").page_type == "listing"


def of_steps(crawler):
    def run(item):
        for step in (Read, Segment, Extract, Merge, Compose):
            item = step(crawler).process_item(item)
        return item

    return run


def of_workers(crawler):
    return lambda item: asyncio.run(InWorkers(crawler).process_item(item))


@pytest.mark.parametrize("way", [of_steps, of_workers])
def test_a_crawl_counts_them(tmp_path, way):
    crawler = FakeCrawler(tmp_path, WEBMAIN_REQUIRE="article")
    run = way(crawler)
    assert run(Page(url=URL, html=ARTICLE)).page_type == "article"
    with pytest.raises(DropItem, match=r"not_article: .* with probability"):
        run(Page(url=URL, html=SECTION))
    assert crawler.stats["webmain/rejected/not_article"] == 1


@pytest.mark.parametrize("way", [of_steps, of_workers])
def test_a_news_crawl_counts_what_certainly_is_no_article(judged, tmp_path, way):
    judged(article=SURELY_NONE)
    crawler = FakeCrawler(tmp_path)
    with pytest.raises(DropItem, match="not_article"):
        way(crawler)(Page(url=URL, html=ARTICLE, article_reason="a slug of 8 words"))
    assert crawler.stats["webmain/rejected/not_article"] == 1
    assert way(crawler)(Page(url=URL, html=ARTICLE)).page_type == "listing"


def test_a_spiders_argument_goes_before_the_setting(tmp_path):
    spider = SimpleNamespace(name="test", require="forum")
    assert page_options(FakeCrawler(tmp_path, spider, WEBMAIN_REQUIRE="article")).require == "forum"
    assert page_options(FakeCrawler(tmp_path, WEBMAIN_REQUIRE="article")).require == "article"
    assert page_options(FakeCrawler(tmp_path)).require is None
    with pytest.raises(ValueError, match="require"):
        page_options(FakeCrawler(tmp_path, WEBMAIN_REQUIRE="news"))
