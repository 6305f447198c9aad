"""Compares a stored article with a new visit: stores a revision, new metadata, or nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import Final

from webmain.items import Article, Metadata
from webmain.items.codec import encode, plain
from webmain.revisions.comparing import changes
from webmain.revisions.kinds import ChangeKind
from webmain.store.url_variants import is_variant

_UPDATED: Final = tuple(field.name for field in fields(Metadata) if field.name not in ("title", "sources"))
"""Metadata that a later visit may set even if title and text are unchanged."""

_WRITTEN_ALONE: Final = tuple(name for name in _UPDATED if name != "page_title")
"""... and those worth a write on their own; page titles are not, as they may contain counters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitResult:
    """What to store after a new visit."""

    article: Article  # the new article if it changed, else the earlier one with updated metadata
    change: ChangeKind  # NONE: no revision
    is_new: bool  # whether there is anything to write


def compare_visit(before: Article | None, after: Article) -> VisitResult:
    """Compare a stored article (None if it cannot be read) with the result of a new visit.

    A print, AMP or mobile page changes nothing in an article stored from its ordinary page, since their templates differ;
    it only shows that the article still exists.
    """
    if before is None:
        return VisitResult(article=after, change=ChangeKind.REWRITE, is_new=True)
    found = _compare(before, after)
    cleaned = Article.from_dict(json.loads(encode(plain(after)))) if found.is_new else after
    return found if cleaned == after else _compare(before, cleaned)  # a store holds no lone surrogate and no NaN


def _compare(before: Article, after: Article) -> VisitResult:
    if after.url and before.url and is_variant(after.url) and not is_variant(before.url):
        return VisitResult(article=_without_gone(before), change=ChangeKind.NONE, is_new=before.gone_at is not None)
    change = changes(before, after).kind
    if change is not ChangeKind.NONE:
        return VisitResult(article=after, change=change, is_new=True)
    new = {name: value for name in _UPDATED if (value := getattr(after, name)) not in (None, ())}
    merged = replace(_without_gone(before), **new, sources={**before.sources, **after.sources})
    is_new = before.gone_at is not None or any(
        getattr(merged, name) != getattr(before, name) for name in _WRITTEN_ALONE
    )
    return VisitResult(article=merged, change=change, is_new=is_new)


def _without_gone(article: Article) -> Article:
    return replace(article, gone_at=None, gone_status=None)
