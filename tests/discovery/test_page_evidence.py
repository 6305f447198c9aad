import pytest

from webmain.discovery.articles import UrlJudgement, UrlKind
from webmain.discovery.page_evidence import PageEvidence, judge_page

ARTICLE = UrlJudgement(kind=UrlKind.ARTICLE, score=0.95, reason="a date")
UNKNOWN = UrlJudgement(kind=UrlKind.UNKNOWN, score=0.4, reason="a short name")
HUB = UrlJudgement(kind=UrlKind.HUB, score=0.1, reason="ends with /politics")


def evidence(url: UrlJudgement = UNKNOWN, **values) -> PageEvidence:
    return PageEvidence(url=url, **values)


LONG = {"paragraph_chars": 4000, "longest_paragraph": 600, "link_density": 0.25, "has_h1": True}
TEASERS = {"paragraph_chars": 2500, "longest_paragraph": 180, "link_density": 0.65, "n_article_links": 60}


@pytest.mark.parametrize(
    "page",
    [
        evidence(ARTICLE, **LONG, has_article_type=True, has_published=True),
        evidence(ARTICLE, **LONG),
        evidence(ARTICLE, **LONG, n_teasers=5, teaser_chars=2500),
        evidence(ARTICLE, **LONG, n_teasers=1, teaser_chars=3900),
        evidence(ARTICLE, **LONG, has_article_type=True, has_published=True, n_teasers=2, teaser_chars=4000),
        evidence(UNKNOWN, **LONG, has_article_type=True),
        evidence(UNKNOWN, **LONG, source="feed"),
        evidence(HUB, **LONG, has_article_type=True, has_published=True),
        evidence(ARTICLE, paragraph_chars=350, longest_paragraph=180, link_density=0.5, has_article_type=True),
        evidence(ARTICLE, paragraph_chars=800, longest_paragraph=400, link_density=0.55, n_article_links=80),
        evidence(UNKNOWN, paragraph_chars=800, longest_paragraph=250, link_density=0.3, source="news-sitemap"),
        evidence(UNKNOWN, paragraph_chars=250, longest_paragraph=170, has_h1=True, has_headline=True),
    ],
)
def test_articles_are_recognised(page):
    judgement = judge_page(page)
    assert judgement.is_article, judgement
    assert judgement.score >= 0.5
    assert judgement.reason


@pytest.mark.parametrize(
    "page",
    [
        evidence(HUB, **TEASERS),
        evidence(UNKNOWN, **TEASERS),
        evidence(HUB, **TEASERS, has_article_type=True),
        evidence(HUB, **LONG | {"n_article_links": 70}, has_other_type=True),
        evidence(ARTICLE, paragraph_chars=0, link_density=0.9),
        evidence(ARTICLE, paragraph_chars=480, longest_paragraph=160, has_h1=True, n_teasers=3, teaser_chars=480),
        evidence(ARTICLE, paragraph_chars=160, longest_paragraph=160, link_density=0.3, n_teasers=1, teaser_chars=160),
        evidence(ARTICLE, **LONG, n_teasers=4, teaser_chars=4000),
        evidence(UNKNOWN, **LONG, n_teasers=1, teaser_chars=4000),
        evidence(UNKNOWN, paragraph_chars=500, longest_paragraph=90, link_density=0.3),
        evidence(ARTICLE, **LONG, has_article_type=True, has_published=True, source="feed", is_front_page=True),
    ],
)
def test_hubs_and_empty_pages_are_not(page):
    judgement = judge_page(page)
    assert not judgement.is_article, judgement
    assert judgement.score < 0.5
    assert judgement.reason


def test_more_evidence_never_lowers_the_score():
    base = judge_page(evidence(**TEASERS)).score
    for name in ("has_article_type", "has_published", "has_h1"):
        assert judge_page(evidence(**TEASERS, **{name: True})).score > base
    for source in ("feed", "news-sitemap"):
        assert judge_page(evidence(**TEASERS, source=source)).score > base
    assert judge_page(evidence(**TEASERS, has_other_type=True)).score < base
    assert judge_page(evidence(**TEASERS, is_in_menu=True)).score < base
    assert not judge_page(evidence(**LONG, source="page-sitemap", has_published=True)).is_article
    assert judge_page(evidence(**TEASERS, is_in_menu=True, has_published=True)).score > base


def test_reason_names_what_decided():
    assert judge_page(evidence(is_front_page=True)).reason == "the front page"
    assert judge_page(evidence(ARTICLE, **LONG, source="feed")).reason.startswith("the address: a date, in a feed")
    assert "links" in judge_page(evidence(UNKNOWN, **TEASERS)).reason
