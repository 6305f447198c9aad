"""Is the fetched page an article? Its address and what it holds, weighed together."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Final

from webmain.discovery.articles import UrlJudgement, UrlKind

PAGE_SCORE: Final = 0.5
TEASER_SHARE: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvidence:
    """What a page says of its kind; plain numbers, filled in by whoever read it.

    Attributes
    ----------
    url : UrlJudgement
        What its address tells.
    has_article_type : bool
        JSON-LD says Article, NewsArticle, BlogPosting, ReportageNewsArticle ..., or og:type is "article".
    has_other_type : bool
        JSON-LD says CollectionPage, SearchResultsPage, ItemList, Product, ProfilePage ... (of the page itself).
    has_published : bool
        A date of publication was found in metadata.
    paragraph_chars : int
        Characters in paragraphs that are not mostly links, white space folded.
    longest_paragraph : int
        Characters of the longest of them.
    link_density : float
        Characters in links over all characters of the page, in [0, 1].
    n_links : int
        Links with text.
    n_article_links : int
        Links to other addresses of the site that look like articles.
    n_teasers, teaser_chars : int
        How many of these links head paragraphs, and the characters of the paragraphs.
    has_h1 : bool
        There is exactly one main headline.
    in_feed, in_news_sitemap : bool
        A feed or a news sitemap names the page.
    is_front_page : bool
        It is the site's or a language's front page.
    """

    url: UrlJudgement
    has_article_type: bool = False
    has_other_type: bool = False
    has_published: bool = False
    paragraph_chars: int = 0
    longest_paragraph: int = 0
    link_density: float = 0.0
    n_links: int = 0
    n_article_links: int = 0
    n_teasers: int = 0
    teaser_chars: int = 0
    has_h1: bool = False
    in_feed: bool = False
    in_news_sitemap: bool = False
    is_front_page: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageJudgement:
    """Whether a page is an article, how sure that is (in [0, 1]), and why, strongest evidence first."""

    is_article: bool
    score: float
    reason: str


def judge_page(evidence: PageEvidence) -> PageJudgement:
    """Judge by address and content whether a page is an article.

    A front page never is. Everything else is weighed: no single sign decides, since home pages declare `og:type`
    article, articles stand at short addresses, and hubs quote the beginnings of their articles.
    """
    if evidence.is_front_page:
        return PageJudgement(is_article=False, score=0.0, reason="the front page")
    named = [pair for pair in _weigh(evidence) if pair[0]]
    points = -1.0 + sum(weight for weight, _ in named)
    score = round(1 / (1 + exp(-points)), 3)
    is_article = score >= PAGE_SCORE
    agreeing = [pair for pair in named if (pair[0] > 0) == is_article] or [(0.0, "nothing speaks for an article")]
    strongest = sorted(agreeing, key=lambda pair: -abs(pair[0]))[:4]
    return PageJudgement(is_article=is_article, score=score, reason=", ".join(name for _, name in strongest))


def _weigh(evidence: PageEvidence) -> list[tuple[float, str]]:
    """Return weights (positive for an article) with the names of what was seen."""
    return [
        _weigh_url(evidence.url),
        (1.6 * evidence.has_article_type, "declared an article"),
        (-1.6 * evidence.has_other_type, "declared a collection, profile or product"),
        (0.8 * evidence.has_published, "a publication date"),
        (1.6 * evidence.in_feed, "in a feed"),
        (1.8 * evidence.in_news_sitemap, "in a news sitemap"),
        (0.3 * evidence.has_h1, "one headline"),
        _weigh_text(evidence),
        _weigh_paragraph(evidence.longest_paragraph),
        _weigh_links(evidence),
        _weigh_teasers(evidence),
    ]


_URL_WEIGHTS: Final = {UrlKind.ARTICLE: 1.0, UrlKind.UNKNOWN: 0.0, UrlKind.HUB: -1.6, UrlKind.IGNORE: -2.5}


def _weigh_url(url: UrlJudgement) -> tuple[float, str]:
    """Weigh the address; a very sure one counts more."""
    weight = _URL_WEIGHTS[url.kind]
    if url.kind is UrlKind.ARTICLE and url.score >= 0.85:
        weight = 1.7
    elif url.kind is UrlKind.HUB and url.score <= 0.05:
        weight = -2.2
    return weight, f"the address: {url.reason}"


def _weigh_text(evidence: PageEvidence) -> tuple[float, str]:
    """Weigh how much running text there is."""
    n = evidence.paragraph_chars
    weight = 1.6 if n >= 1500 else 1.0 if n >= 700 else 0.3 if n >= 300 else -0.6 if n >= 100 else -2.2
    return weight, f"{n} characters in paragraphs"


def _weigh_paragraph(n: int) -> tuple[float, str]:
    """Weigh the longest paragraph: teasers are short."""
    weight = 0.6 if n >= 350 else 0.2 if n >= 200 else -0.5 if n < 100 else 0.0
    return weight, f"a longest paragraph of {n} characters"


def _weigh_links(evidence: PageEvidence) -> tuple[float, str]:
    """Weigh how much of the page is links, against its running text."""
    text_per_link = evidence.paragraph_chars / max(1, evidence.n_article_links)
    weight = 0.0
    if evidence.link_density > 0.6:
        weight -= 0.9
    elif evidence.link_density > 0.4:
        weight -= 0.3
    elif evidence.link_density < 0.2:
        weight += 0.5
    if evidence.n_article_links >= 15 and text_per_link < 40:
        weight -= 1.2
    elif evidence.n_article_links >= 15 and text_per_link < 90:
        weight -= 0.4
    density = round(100 * evidence.link_density)
    return weight, f"{density} % of the text in links, {evidence.n_article_links} of them to articles"


def _weigh_teasers(evidence: PageEvidence) -> tuple[float, str]:
    """Weigh that nearly all of the text stands below links to other articles: a list, also where it has two entries."""
    is_list = evidence.n_teasers > 0 and evidence.teaser_chars >= TEASER_SHARE * evidence.paragraph_chars
    weight = 0.0 if not is_list else -1.2 if evidence.n_teasers == 1 else -3.4
    return weight, f"{evidence.teaser_chars} characters below {evidence.n_teasers} links to articles"
