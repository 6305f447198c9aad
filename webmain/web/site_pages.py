"""The pages on the health of sites: stored articles, rejections, learned models, and articles in doubt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response

from webmain.store.catalogue import Order, Run, SiteHealth
from webmain.store.search_records import Filters
from webmain.web.pages import render, web_of
from webmain.web.problems import Problem
from webmain.web.query_params import query_params
from webmain.web.store_pages import with_store
from webmain.web.stored import open_for_reading, state_of

if TYPE_CHECKING:
    from webmain.store.sqlite import SqliteStore

ROWS: Final = 100
"""Sites on one page of the list."""

ENTRIES: Final = 50
"""Articles in doubt on one page."""

RUNS: Final = 50
"""Most crawls whose figures are read, the latest first."""

LAST: Final = 10
"""Articles on a site's page: this many of the latest, and of the least confident."""

_COUNTED = re.compile(r"webmain/site/([^/]+)/(articles|rejected|layout_changed)(?:/([a-z_]+))?")


@dataclass(slots=True)
class CrawlResults:
    """Results of crawls on a site.

    Attributes
    ----------
    counts : Counter of str
        "articles" and "rejected": pages with an article, and pages without one. "layout_changed": how often a crawl found
        another layout than the one that was learned.
    reasons : Counter of str
        Reasons why there was no article.
    runs : list of int
        The crawls, the last first.
    """

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    runs: list[int] = field(default_factory=list)

    @property
    def share(self) -> float | None:
        """The share of pages without an article; None if there are no pages."""
        total = self.counts["articles"] + self.counts["rejected"]
        return self.counts["rejected"] / total if total else None


@dataclass(frozen=True, slots=True)
class Row:
    """A site in the list: its figures in the store (None if it has none), and the results of crawls on it."""

    site: str
    health: SiteHealth | None
    crawled: CrawlResults


_SORTS: Final[Mapping[str, tuple[Callable[[Row], Any], bool]]] = {
    "site": (lambda row: row.site, False),
    "articles": (lambda row: row.health.n_articles if row.health else 0, True),
    "fetched": (lambda row: (row.health and row.health.last_fetched) or "", True),
    "confidence": (lambda row: _or(row.health.confidence if row.health else None, 2.0), False),
    "rejected": (lambda row: _or(row.crawled.share, -1.0), True),
}
"""Sort keys of sites, and whether the greatest comes first; sites of one rank are sorted by name."""


def _or(value: float | None, other: float) -> float:
    return other if value is None else value


def by_site(runs: Iterable[Run]) -> dict[str, CrawlResults]:
    """Return the results of crawls added up by site."""
    found: dict[str, CrawlResults] = {}
    for run in runs:
        for name, value in run.stats.items():
            match = _COUNTED.fullmatch(name)
            if not match or not isinstance(value, int):
                continue
            site, what, reason = match.groups()
            crawled = found.setdefault(site, CrawlResults())
            if run.id not in crawled.runs[-1:]:
                crawled.runs.append(run.id)
            if reason:
                crawled.reasons[reason] += value
            else:
                crawled.counts[what] += value
    return found


@with_store()
def sites(request: Request, store: SqliteStore) -> Response:
    """List the sites with their health."""
    params, catalogue = query_params(request), store.catalogue()
    sort = params.choice("sort", tuple(_SORTS), "site")
    spec = web_of(request).config.store
    health = {one.site: one for one in _all_sites(spec, state_of(spec))}
    crawled = by_site(catalogue.runs(limit=RUNS))
    rows = [Row(site, health.get(site), crawled.get(site, CrawlResults())) for site in {*health, *crawled}]
    rows.sort(key=lambda row: row.site)
    key, is_descending = _SORTS[sort]
    rows.sort(key=key, reverse=is_descending)
    start = 0
    if after := params.given.get("after"):
        start = next((i for i, row in enumerate(rows, 1) if row.site == after), 0)
        if not start:
            raise Problem(404, "The list has changed: start again from its first page.")
    shown = rows[start : start + ROWS]
    return render(
        request,
        "sites.html.jinja",
        params=params,
        sort=sort,
        rows=shown,
        n=len(rows),
        start=start,
        after=shown[-1].site if start + ROWS < len(rows) else None,
        n_runs=RUNS,
    )


@lru_cache(maxsize=1)
def _all_sites(spec: str, _state: tuple[int, ...]) -> tuple[SiteHealth, ...]:
    """Return the health of all sites, cached until the store changes, since it reads a row of every article."""
    with open_for_reading(spec) as store:
        return store.catalogue().sites()


@with_store()
def site(request: Request, store: SqliteStore) -> Response:
    """Show a site's health, its models, and its last articles."""
    from webmain.sites.model_store import ModelStore

    name, catalogue = request.path_params["site"], store.catalogue()
    crawled = by_site(catalogue.runs(limit=RUNS)).get(name)
    health = next(iter(catalogue.sites(name)), None)
    if not name or (health is None and crawled is None):  # articles read from files have no site
        raise Problem(404, f"The store has no site {name[:100]}.")
    models = ModelStore(web_of(request).config.models).models(name)
    only = Filters(site=name)
    unsure = catalogue.list_articles(
        Filters(site=name, below=1.0), order=Order(by="confidence", descending=False), limit=LAST
    )
    return render(
        request,
        "site.html.jinja",
        site=name,
        health=health,
        crawled=crawled or CrawlResults(),
        models=models.models,
        model_errors=models.errors,
        last=catalogue.list_articles(only, order=Order(by="fetched"), limit=LAST).articles,
        unsure=unsure.articles,
        n_runs=RUNS,
    )


@with_store()
def review(request: Request, store: SqliteStore) -> Response:
    """Show the articles that crawls listed as doubtful, the least confident first."""
    from webmain.store.review import read_review, review_path

    params, place = query_params(request), review_path(store.path)
    entries = read_review(place) if place.is_file() else None
    start = (params.page - 1) * ENTRIES
    return render(
        request,
        "review.html.jinja",
        params=params,
        is_listed=entries is not None,
        n=len(entries or ()),
        entries=(entries or [])[start : start + ENTRIES],
        has_more=start + ENTRIES < len(entries or ()),
        least=store.catalogue().list_articles(order=Order(by="confidence", descending=False), limit=LAST).articles,
    )
