"""What a crawl refuses of its articles (too old, another language), and which claims to another address it believes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from webmain.items import Article, Reason, Rejected, article_id
from webmain.text.words import base_language


def check_age(article: Article, since: datetime | None) -> None:
    """Refuse an article published before `since`; without a date of its own it passes.

    Raises
    ------
    Rejected
        `TOO_OLD`.
    """
    if since is None or article.published is None:
        return
    limit = since if since.tzinfo else since.replace(tzinfo=UTC)
    if article.published < limit:
        detail = f"published {article.published.isoformat()}, asked for since {limit.isoformat()}"
        raise Rejected(Reason.TOO_OLD, detail, url=article.url)


def check_language(article: Article, language: str | None) -> None:
    """Refuse an article in another language; one whose language nobody can tell passes.

    The detected language counts; the declared one where none could be detected.

    Raises
    ------
    Rejected
        `OTHER_LANGUAGE`.
    """
    if not language:
        return
    found = base_language(article.language)
    if found in ("", "und", "zxx"):
        found = base_language(article.language_declared)
    if found and found != base_language(language):
        raise Rejected(Reason.OTHER_LANGUAGE, f"the text is {found}, asked for was {language}", url=article.url)


def of_declared_site(article: Article, is_one_site: Callable[[str, str], bool] | None) -> Article:
    """Return an article under the address that it claims, if that is of a domain declared to be of the same site."""
    claim = article.canonical_claim
    if is_one_site is None or not claim or article.canonical_url or not is_one_site(article.url or "", claim):
        return article
    return replace(article, id=article_id(claim), canonical_url=claim, canonical_claim=None)
