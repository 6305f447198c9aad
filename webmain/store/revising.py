"""Decides what a new visit to a stored article changes: a revision, metadata, or nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import Final

from webmain.items import Article, Metadata
from webmain.items.codec import encode, plain
from webmain.revisions.comparing import change_kind
from webmain.revisions.kinds import ChangeKind
from webmain.store.forms import is_other_form

_TAKEN: Final = tuple(field.name for field in fields(Metadata) if field.name not in ("title", "sources"))
"""Metadata that a later visit may set even if title and text are unchanged."""

_WORTH_WRITING: Final = tuple(name for name in _TAKEN if name != "page_title")
"""... and those worth a write on their own; page titles are not, as they may contain counters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revised:
    """What to store after a new visit."""

    article: Article  # the new article if it changed, else the earlier one with updated metadata
    change: ChangeKind  # NONE: no revision
    is_new: bool  # whether there is anything to write


def revised(before: Article, after: Article) -> Revised:
    """Compare a stored article with the result of a new visit.

    A print, AMP or mobile page changes nothing in an article stored from its ordinary page, since their templates differ;
    it only shows that the article still exists.
    """
    found = _revised(before, after)
    washed = Article.from_dict(json.loads(encode(plain(after)))) if found.is_new else after
    return found if washed == after else _revised(before, washed)  # a store holds no lone surrogate and no NaN


def _revised(before: Article, after: Article) -> Revised:
    if is_other_form(after.url, before.url):
        return Revised(article=_back(before), change=ChangeKind.NONE, is_new=before.gone_at is not None)
    change = change_kind(before, after)
    if change is not ChangeKind.NONE:
        return Revised(article=after, change=change, is_new=True)
    new = {name: value for name in _TAKEN if (value := getattr(after, name)) not in (None, ())}
    merged = replace(_back(before), **new, sources={**before.sources, **after.sources})
    is_new = before.gone_at is not None or any(
        getattr(merged, name) != getattr(before, name) for name in _WORTH_WRITING
    )
    return Revised(article=merged, change=change, is_new=is_new)


def _back(article: Article) -> Article:
    return replace(article, gone_at=None, gone_status=None)
