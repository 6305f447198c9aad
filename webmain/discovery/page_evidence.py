"""Judge whether a fetched page is an article, from its address and content together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.discovery.articles import THRESHOLDS, Evidence, UrlJudgement, UrlKind
from webmain.discovery.shown_text import paragraphs_of

if TYPE_CHECKING:
    from webmain.discovery.page_summary import PageSummary
    from webmain.items import Hints

_COLLECTIONS: Final = frozenset(
    ("collectionpage", "searchresultspage", "profilepage", "product", "contactpage", "aboutpage", "checkoutpage")
)
_NO_ARTICLES: Final = frozenset(("itemlist", "jobposting", "event", "musicevent", "theaterevent", "exhibitionevent"))
"""Types of a page's object if it has no article."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvidence:
    """What is known about a page's kind, as plain numbers.

    Attributes
    ----------
    url : UrlJudgement
        Judgement of its address.
    has_article_type : bool
        JSON-LD has Article, NewsArticle, BlogPosting, ReportageNewsArticle ..., or og:type is "article".
    has_other_type : bool
        JSON-LD has CollectionPage, SearchResultsPage, ItemList, Product, Event, ProfilePage ... for the page itself.
    has_published : bool
        The metadata has a publication date.
    says_missing : bool
        The page says that it does not exist.
    paragraph_chars : int
        Characters in paragraphs that are not mostly links, with white space folded.
    longest_paragraph : int
        Characters of the longest such paragraph.
    link_density : float
        Characters in links divided by all characters of the page, in [0, 1].
    n_article_links : int
        Links to other addresses of the same site that look like articles.
    n_teasers, teaser_chars : int
        How many of these links have paragraphs below them, and the characters in those paragraphs.
    has_h1 : bool
        There is exactly one `h1`.
    has_headline : bool
        An `h1` is a sentence, and the beginning of the page's title.
    source : str
        Where the page is listed, as in its hints: "feed", "news-sitemap", "page-sitemap", "sitemap"; "" for nowhere.
    is_in_menu : bool
        A menu of the page names the page itself.
    is_front_page : bool
        It is the front page of the site or of one of its languages.
    """

    url: UrlJudgement
    has_article_type: bool = False
    has_other_type: bool = False
    has_published: bool = False
    says_missing: bool = False
    paragraph_chars: int = 0
    longest_paragraph: int = 0
    link_density: float = 0.0
    n_article_links: int = 0
    n_teasers: int = 0
    teaser_chars: int = 0
    has_h1: bool = False
    has_headline: bool = False
    source: str = ""
    is_in_menu: bool = False
    is_front_page: bool = False


def evidence_of(
    page: PageSummary,
    url: UrlJudgement,
    *,
    hints: Hints | None = None,
    n_article_links: int = 0,
    teased: Mapping[str, int] | None = None,
    is_front_page: bool = False,
    repeated: Collection[int] = (),
) -> PageEvidence:
    """Return the evidence for a page's kind.

    Parameters
    ----------
    page : PageSummary
    url : UrlJudgement
        Judgement of its address.
    hints : Hints or None
        What a feed or sitemap says about it.
    n_article_links : int
        Links to other addresses of the same site that look like articles.
    teased : mapping of address to int
        The linked pages with paragraphs below their link, and the characters in those paragraphs.
    is_front_page : bool
        It is the front page of the site or of one of its languages.
    repeated : collection of int
        Hashes of texts on the site's hubs. These texts are not counted unless something else marks an article: error pages
        with status 200 show only teasers.
    """
    chars, linked = page.chars, page.linked
    is_collection = bool(_COLLECTIONS & page.types)
    is_article = any(found.endswith(("article", "blogposting", "newsreport")) for found in page.types)
    has_article_type = (is_article and not is_collection) or page.head.og_type == "article"
    total, n_linked = int(chars.sum()), int(linked.sum())
    if repeated and not (has_article_type or page.has_published or hints):
        own = np.array([each not in repeated for each in page.hashes.tolist()], dtype=bool)
        chars, linked = chars * own, linked * own
    paragraphs = paragraphs_of(page.of_leaf, chars, linked)
    if page.embedded and (page.embedded_is_own or n_article_links < THRESHOLDS.list_links):  # lists embed others' texts
        paragraphs, total = np.concatenate((paragraphs, page.embedded)), total + int(sum(page.embedded))
    return PageEvidence(
        url=url,
        has_article_type=has_article_type,
        has_other_type=is_collection or not (is_article or _NO_ARTICLES.isdisjoint(page.types)),
        has_published=page.has_published,
        says_missing=page.says_missing,
        paragraph_chars=int(paragraphs.sum()),
        longest_paragraph=int(paragraphs.max(initial=0)),
        link_density=n_linked / total if total else 0.0,
        n_article_links=n_article_links,
        n_teasers=len(teased or ()),
        teaser_chars=sum((teased or {}).values()),
        has_h1=page.n_h1 == 1,
        has_headline=page.has_headline,
        source=hints.source if hints else "",
        is_in_menu=page.is_in_menu,
        is_front_page=is_front_page,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageJudgement:
    """Whether a page is an article, its score in [0, 1], and the reasons, strongest evidence first."""

    is_article: bool
    score: float
    reason: str


def judge_page(evidence: PageEvidence) -> PageJudgement:
    """Judge by address and content whether a page is an article.

    A front page never is, nor a page that says that it is missing. For other pages all evidence is weighed, since no single
    sign decides: home pages declare `og:type` article, articles have short addresses, and hubs quote the beginnings of their
    articles.
    """
    if evidence.is_front_page:
        return PageJudgement(is_article=False, score=0.0, reason="the front page")
    if evidence.says_missing:
        return PageJudgement(is_article=False, score=0.0, reason="its title says that it is missing")
    weighed = Evidence(_weigh(evidence))
    score = weighed.score()
    is_article = score >= THRESHOLDS.article_page
    reason = weighed.reason(positive=is_article, most=4) or "nothing speaks for an article"
    return PageJudgement(is_article=is_article, score=score, reason=reason)


def _weigh(evidence: PageEvidence) -> list[tuple[float, str]]:
    """Return the weights (positive for an article) and the names of the evidence."""
    return [
        _weigh_url(evidence.url),
        (1.6 * evidence.has_article_type, "declared an article"),
        (-2.2 * evidence.has_other_type, "declared a collection, profile, product or event"),
        (0.8 * evidence.has_published, "a publication date"),
        _SOURCE_WEIGHTS.get(evidence.source, (0.0, "")),
        (-1.6 * (evidence.is_in_menu and not evidence.has_published), "named in a menu"),
        (0.3 * evidence.has_h1, "one headline"),
        (1.0 * evidence.has_headline, "a sentence as headline"),
        _weigh_text(evidence),
        _weigh_paragraph(evidence.longest_paragraph),
        _weigh_links(evidence),
        _weigh_teasers(evidence),
    ]


_SOURCE_WEIGHTS: Final = {
    "feed": (1.6, "in a feed"),
    "news-sitemap": (1.8, "in a news sitemap"),
    "page-sitemap": (-3.2, "in a sitemap of static pages"),
}
_URL_WEIGHTS: Final = {UrlKind.ARTICLE: 1.0, UrlKind.UNKNOWN: 0.0, UrlKind.HUB: -1.6, UrlKind.IGNORE: -2.5}


def _weigh_url(url: UrlJudgement) -> tuple[float, str]:
    """Weigh the address; a very certain one counts more."""
    weight = _URL_WEIGHTS[url.kind]
    if url.kind is UrlKind.ARTICLE and url.score >= 0.85:
        weight = 1.7
    elif url.kind is UrlKind.HUB and url.score <= 0.05:
        weight = -2.2
    return weight, f"the address: {url.reason}"


def _weigh_text(evidence: PageEvidence) -> tuple[float, str]:
    """Weigh the amount of running text."""
    n = evidence.paragraph_chars
    weight = 1.6 if n >= 1500 else 1.0 if n >= 700 else 0.3 if n >= 300 else -0.6 if n >= 100 else -2.2
    return weight, f"{n} characters in paragraphs"


def _weigh_paragraph(n: int) -> tuple[float, str]:
    """Weigh the longest paragraph: teasers are short."""
    weight = 0.6 if n >= 350 else 0.2 if n >= 200 else -0.5 if n < 100 else 0.0
    return weight, f"a longest paragraph of {n} characters"


def _weigh_links(evidence: PageEvidence) -> tuple[float, str]:
    """Weigh the share of links in the page against its running text."""
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
    """Weigh whether nearly all text is below links to other articles: a list, even with only two entries."""
    is_list = evidence.n_teasers > 0 and evidence.teaser_chars >= THRESHOLDS.teaser_share * evidence.paragraph_chars
    is_last = evidence.teaser_chars >= THRESHOLDS.whole_chars and evidence.url.kind is not UrlKind.ARTICLE
    is_single = evidence.n_teasers == 1 and not is_last  # the last page of a list of whole articles may show one
    weight = 0.0 if not is_list else -1.2 if is_single else -3.4
    return weight, f"{evidence.teaser_chars} characters below {evidence.n_teasers} links to articles"
