"""The filters of articles (time, language, section), and articles that claim an address of another domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from webmain.items import Article, Reason, Rejected, article_id
from webmain.text.words import base_language

FILTERS: Final = ("since", "until", "undated", "language", "section")  # the spider attributes that filter articles


def check(
    article: Article,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    undated: str | None = None,
    language: str | None = None,
    section: str | None = None,
) -> None:
    """Raise `Rejected` unless an article passes all filters."""
    check_age(article, since, until, undated)
    check_language(article, language)
    check_section(article, section)


def check_age(
    article: Article, since: datetime | None, until: datetime | None = None, undated: str | None = None
) -> None:
    """Reject an article published before `since`, or at or after `until`; if `undated` is "reject", also one without a date.

    Raises Rejected (`TOO_OLD`, `TOO_NEW` or `UNDATED`).
    """
    published = article.published
    if published is None:
        if undated == "reject":
            raise Rejected(Reason.UNDATED, "no publication date was found", url=article.url)
        return
    first, end = (each and (each if each.tzinfo else each.replace(tzinfo=UTC)) for each in (since, until))
    if first and published < first:
        detail = f"published {published.isoformat()}, wanted: since {first.isoformat()}"
        raise Rejected(Reason.TOO_OLD, detail, url=article.url)
    if end and published >= end:
        detail = f"published {published.isoformat()}, wanted: until {end.isoformat()}"
        raise Rejected(Reason.TOO_NEW, detail, url=article.url)


def check_section(article: Article, sections: str | None) -> None:
    """Reject an article that is in none of these sections (separated by commas); one without a section passes.

    Raises Rejected (`OTHER_SECTION`).
    """
    wanted = {name.strip().casefold() for name in (sections or "").split(",")} - {""}
    if wanted and article.section and article.section.strip().casefold() not in wanted:
        raise Rejected(Reason.OTHER_SECTION, f"its section is {article.section}, wanted: {sections}", url=article.url)


def check_language(article: Article, language: str | None) -> None:
    """Reject an article in another language; one whose language is unknown passes.

    The detected language is used, or the declared one if none could be detected.

    Raises Rejected (`OTHER_LANGUAGE`).
    """
    if not language:
        return
    found = base_language(article.language)
    if found in ("", "und", "zxx"):
        found = base_language(article.language_declared)
    if found and found != base_language(language):
        raise Rejected(Reason.OTHER_LANGUAGE, f"its language is {found}, wanted: {language}", url=article.url)


def of_declared_site(article: Article, is_one_site: Callable[[str, str], bool] | None) -> Article:
    """Return an article under its canonical address, if the user declared that domain to be of the same site."""
    claim = article.canonical_claim
    if is_one_site is None or not claim or article.canonical_url or not is_one_site(article.url or "", claim):
        return article
    return replace(article, id=article_id(claim), canonical_url=claim, canonical_claim=None)
