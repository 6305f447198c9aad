"""Access to what earlier runs recorded about a site's addresses; works without a ledger too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from webmain import clock
from webmain.crawl.known_urls import KnownUrls
from webmain.crawl.validators import hash_of
from webmain.crawl.visiting import Visiting
from webmain.items import Hints
from webmain.ledger.ledger import Counts, DoneUrl, FoundUrl, Ledger, LedgerError, State
from webmain.ledger.responses import Filters, SavedResponse
from webmain.ledger.visits import FetchedArticle, VisitRecord
from webmain.spiders.candidates import Candidate
from webmain.spiders.site import Site

if TYPE_CHECKING:
    from webmain.discovery.page_summary import PageSummary
    from webmain.discovery.schedule import Refresh

MAX_LEFT_OVER: Final = 20_000
"""Addresses left over from an earlier run that are queued at the start; later runs take the rest."""

T = TypeVar("T")


class CrawlHistory:
    """Queries the ledger, and records in it what the spider finds out before a page is extracted.

    If the ledger fails, the crawl ends, and nothing is known from then on.

    Parameters
    ----------
    known_urls : KnownUrls or None
        The extension with the ledger; if None, nothing is known or recorded.
    """

    def __init__(self, known_urls: KnownUrls | None) -> None:
        self._known_urls = known_urls
        self._skip_known = known_urls is not None and known_urls.skip_known
        self._visiting = known_urls.visiting if known_urls is not None else Visiting()

    def _query(self, question: Callable[[Ledger], T], otherwise: T) -> T:
        """Return the ledger's answer, or `otherwise` if there is no ledger or it fails; report the failure."""
        if self._known_urls is None:
            return otherwise
        try:
            return question(self._known_urls.ledger)
        except LedgerError as error:
            self._known_urls.fail(error)
            self._known_urls = None
            return otherwise

    def leftover_urls(self, site: str, limit: int = MAX_LEFT_OVER) -> Iterator[tuple[str, Hints | None]]:
        """Yield the addresses that earlier runs found but did not settle, newest first."""

        def question(ledger: Ledger) -> list[FoundUrl]:
            if self._known_urls is not None:
                self._known_urls.reopen_filtered(site)
            pending = ledger.pending(site, limit)
            open_still = set(ledger.unknown([each.url for each in pending]))
            settled = [DoneUrl(url=each.url, reason="moved") for each in pending if each.url not in open_still]
            if settled:  # redirected to, or the same as, an address that is done
                ledger.mark_done(settled, site=site)
            return [each for each in pending if each.url in open_still]

        left: list[FoundUrl] = self._query(question, [])
        return ((each.url, each.hints) for each in left)

    def add_pending(self, site: Site, candidates: Iterable[Candidate]) -> tuple[set[str], int]:
        """Record the candidates that are to be fetched as pending; return the others.

        Returns
        -------
        set of str, int
            The addresses that an earlier run settled or that wait for a retry, and how many of them wait.
        """
        urls = [candidate.url for candidate in candidates if not candidate.is_hub]

        def question(ledger: Ledger) -> tuple[set[str], int]:
            to_do = set(ledger.unknown(urls))
            known = {url for url in urls if url not in to_do and self._skip_known}
            fresh = [url for url in urls if not site.is_queued(url) and url not in known]
            pending = {url for url, state in ledger.states(fresh).items() if state is State.PENDING}
            waiting = pending if self._skip_known else set()
            found = [FoundUrl(url=url, hints=site.peek_hints(url)) for url in urls if url not in known]
            ledger.add_pending(found, site=site.name)
            return known | waiting, len(waiting)

        none: tuple[set[str], int] = set(), 0
        return self._query(question, none) if urls else none

    def counts(self, site: str) -> Counts:
        """Return the number of a site's addresses in each state after earlier runs."""
        return self._query(lambda ledger: ledger.counts(site), Counts())

    def lists(self, site: str) -> list[str]:
        """Return the addresses that earlier runs recognised as lists."""
        return self._query(lambda ledger: ledger.lists(site), [])

    def stored_hubs(self, candidates: Iterable[Candidate]) -> set[str]:
        """Return the hubs that are stored as articles, and so need not be fetched."""
        urls = [candidate.url for candidate in candidates if candidate.is_hub]
        return self._query(lambda ledger: ledger.stored(urls), set()) if urls and self._skip_known else set()

    def missing(self, urls: Sequence[str]) -> set[str]:
        """Return the guessed addresses that were recently missing."""
        return self._query(lambda ledger: ledger.missing(urls), set())

    def record_missing(self, url: str) -> None:
        """Record that nothing is at a guessed address."""
        self._query(lambda ledger: ledger.record_missing(url), None)

    def settled(self, urls: Sequence[str]) -> set[str]:
        """Return the addresses that an earlier run has settled, and so need not be fetched."""
        if not self._skip_known:
            return set()
        return self._query(lambda ledger: set(urls).difference(ledger.unknown(urls)), set())

    def is_known(self, url: str) -> bool:
        """Return True if an address is settled and need not be fetched again."""
        return bool(self.settled([url]))

    def record_alias(self, candidate: Candidate, url: str) -> None:
        """Record that a candidate's page has another address."""
        if not candidate.is_hub:
            self._query(lambda ledger: ledger.add_alias(candidate.url, url), None)

    def mark_done(self, candidate: Candidate, reason: str) -> None:
        """Record that a candidate gives no article."""
        if not candidate.is_hub:
            done = [DoneUrl(url=candidate.url, reason=reason)]
            self._query(lambda ledger: ledger.mark_done(done, site=candidate.site), None)

    # ---- Sources

    def saved_response(self, url: str, filters: Filters) -> SavedResponse | None:
        """Return the last complete response of an address; None if its whole body has to be read."""
        return self._known_urls.saved_response(url, filters) if self._known_urls is not None else None

    def fresh_response(self, url: str, filters: Filters, changed_at: float | None) -> SavedResponse | None:
        """Return the saved response of a source that is not due, or has not changed since according to its index."""
        saved, now = self.saved_response(url, filters), clock.now_s()
        if saved is None or not saved.is_due(now):
            return saved
        return saved if changed_at is not None and saved.is_newer(changed_at, now) else None

    def save_responses(self, responses: Sequence[SavedResponse]) -> None:
        """Save the responses of sources whose addresses are all pending."""
        if responses:
            self._query(lambda ledger: ledger.responses.save(responses), None)

    def record_unchanged(self, saved: SavedResponse) -> None:
        """Record that a source was fetched and has not changed, so that the dates in it have not changed either."""
        self._query(lambda ledger: ledger.responses.record_unchanged(saved.url), None)
        if saved.listed.n_articles:
            self._query(lambda ledger: ledger.visits.confirm(saved.site, saved.url, saved.read_at), None)

    # ---- Revisits of articles

    def due_visits(self, site: str, refresh: Refresh) -> list[VisitRecord]:
        """Return a site's articles that are due for a revisit; none if everything is fetched anyway."""
        return self._query(lambda ledger: ledger.visits.due(site, refresh), []) if self._skip_known else []

    def record_page(
        self, url: str, hints: Hints | None, summary: PageSummary, *, row: VisitRecord | None = None
    ) -> None:
        """Remember what to record about an article's page once the article is stored."""
        self._visiting.record_page(url, hints, text_mark(summary), visited=row.url if row else "")

    def has_same_text(self, url: str, summary: PageSummary) -> bool:
        """Return True if an article's page has exactly the same texts as before."""
        known = self._query(lambda ledger: ledger.responses.get(url), None)
        return known is not None and known.mark == text_mark(summary)

    def record_unchanged_article(self, row: VisitRecord, refresh: Refresh) -> None:
        """Record that an article was revisited and has not changed."""
        self._visiting.drop(row.url)
        fetched = FetchedArticle(url=row.url, site=row.site)
        self._query(lambda ledger: ledger.visits.record([fetched], lambda _: refresh), None)

    def record_missing_article(self, url: str, status: int) -> bool:
        """Record that an article's page is missing; return True if it counts as gone."""
        is_gone = self._query(lambda ledger: ledger.visits.record_missing(url, status), False)
        if is_gone:  # should it come back, it is stored again, even unchanged
            self._query(lambda ledger: ledger.responses.drop(url), None)
        return is_gone

    def article_id(self, url: str) -> str | None:
        """Return the id of the article from an address."""
        return self._query(lambda ledger: ledger.article_id(url), None)

    def postpone(self, url: str) -> None:
        """Postpone the revisit of an article."""
        self._query(lambda ledger: ledger.visits.postpone(url), None)

    def record_moved(self, url: str, to: str) -> None:
        """Record that an article's address now leads to another one."""
        self._query(lambda ledger: ledger.add_alias(url, to), None)
        self._query(lambda ledger: ledger.visits.drop(url), None)
        self._query(lambda ledger: ledger.responses.drop(url), None)

    def visited_as(self, urls: Sequence[str]) -> dict[str, str]:
        """Return, for those of the articles that were fetched before, the address under which that was."""
        return self._query(lambda ledger: ledger.visits.known(urls), {}) if self._skip_known else {}

    def record_claims(
        self, claims: Sequence[tuple[str, float, Hints]], refresh: Refresh, source: str
    ) -> list[VisitRecord]:
        """Record change times that a source gives for articles; return the articles that are therefore due."""
        return self._query(lambda ledger: ledger.visits.record_claims(claims, refresh, source), [])

    def trusts_claims(self, site: str) -> bool:
        """Return True if the change dates in a site's sources are reliable enough for revisits."""
        return self._query(lambda ledger: ledger.visits.trusts_claims(site), True)


def text_mark(summary: PageSummary) -> str:
    """Return a hash of all texts of a page, and of the text from its feed if that replaces them."""
    return hash_of("\n".join((summary.text_hash.hex(), summary.with_feeds_text)).encode("utf-8", "surrogatepass"))
