"""What a block search is asked and what it answers: filters, hits, results."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from webmain.items import Article

if TYPE_CHECKING:  # what cuts them takes a while to import
    from webmain.store.snippets import Snippet

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECONDS = "round((julianday(a.published) - 2440587.5) * 86400, 3)"
"""The date of publication as seconds of the Unix epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What articles a search looks at.

    Attributes
    ----------
    site, language, method : str or None
        As stored: "bbc.co.uk", "th", "pab".
    since, until : datetime or None
        Published at this time or later, or earlier than this; time-zone aware. Articles without a date are left out.
    below : float or None
        Only articles with a confidence below this.
    copies : bool
        Only articles that are copies of others.
    """

    site: str | None = None
    language: str | None = None
    method: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    below: float | None = None
    copies: bool = False

    def has(self, article: Article) -> bool:
        """Return True if a search looks at the article."""
        moment = article.published
        return (
            self.site in (None, article.site)
            and self.language in (None, article.language)
            and self.method in (None, article.extractor)
            and (self.since is None or (moment is not None and moment >= self.since))
            and (self.until is None or (moment is not None and moment < self.until))
            and (self.below is None or (article.confidence is not None and article.confidence < self.below))
            and (not self.copies or article.duplicate_of is not None)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A block that was found, with the article it belongs to.

    Attributes
    ----------
    rank : int
        From 1.
    priority : float
        Bp, what results are ranked by.
    block_priority, density : float
        Pb and Kd.
    id, url, title, site, language, published, extractor
        Of the article, as stored.
    position : int
        `block.position`; `TITLE` for the title.
    n_blocks : int
        Blocks of the article that were found; 1 where each is a result of its own.
    snippet : Snippet
        Of the block; for a title, of the best block below it, of the page's title where only that matches, or of the text's
        beginning.
    """

    rank: int
    priority: float
    block_priority: float
    density: float
    id: str
    url: str | None
    title: str | None
    site: str
    language: str | None
    published: str | None
    extractor: str
    position: int
    n_blocks: int
    snippet: Snippet


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What a search found.

    Attributes
    ----------
    hits : tuple of Hit
        The part that was asked for, best first.
    n_pages, n_blocks : int
        All articles and blocks that match.
    unindexed : int
        Articles that the index has not taken in yet, and in which nothing was looked for.
    """

    hits: tuple[Hit, ...]
    n_pages: int
    n_blocks: int
    unindexed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON types only."""
        hits = []
        for hit in self.hits:
            record = asdict(hit)
            found = record.pop("snippet")
            hits.append(record | {"snippet": found["text"], "marks": [list(mark) for mark in found["marks"]]})
        return {"pages": self.n_pages, "blocks": self.n_blocks, "unindexed": self.unindexed, "hits": hits}


def equalities(filters: Filters) -> list[tuple[str, str, str]]:
    """Return name, column and value of each filter by a value."""
    all_three = (
        ("site", "site", filters.site),
        ("language", "language", filters.language),
        ("method", "extractor", filters.method),
    )
    return [(name, column, wanted) for name, column, wanted in all_three if wanted is not None]


def wanted_articles(filters: Filters) -> tuple[list[str], list[str | float]]:
    """Return the conditions on an article `a`, with their values."""
    asked: list[str] = []
    values: list[str | float] = []
    for _, column, wanted in equalities(filters):
        asked.append(f"a.{column} = ?")
        values.append(wanted)
    for sign, moment in ((">=", filters.since), ("<", filters.until)):
        if moment is not None:
            asked.append(f"{SECONDS} {sign} ?")
            values.append((moment - _EPOCH).total_seconds())
    if filters.below is not None:
        asked.append("a.confidence < ?")
        values.append(filters.below)
    if filters.copies:
        asked.append("a.duplicate_of IS NOT NULL")
    return asked, values


def conditions(filters: Filters) -> tuple[str, list[str | float]]:
    """Return the join and the conditions of a ranking, with their values."""
    asked, values = wanted_articles(filters)
    join = "CROSS JOIN article AS a ON a.key = b.article" if asked else ""
    fresh = "b.article NOT IN (SELECT article FROM search_todo)"
    return f"{join} WHERE {' AND '.join([fresh, *asked])}", values
