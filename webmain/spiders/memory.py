"""What earlier runs know of a site's addresses: the spider's side of the ledger, which may be missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from webmain import clock
from webmain.items import Hints
from webmain.ledger.answers import Answer, Filters
from webmain.ledger.ledger import Done, Found, Ledger, LedgerError, Pending, State
from webmain.ledger.visits import Fetched, Row
from webmain.spiders.queues import Candidate
from webmain.spiders.site import Site
from webmain.validators import hash_of
from webmain.visiting import Visiting

if TYPE_CHECKING:
    from scrapy import Spider

    from webmain.discovery.look import Look
    from webmain.discovery.schedule import Refresh

MAX_LEFT_OVER: Final = 20_000
"""Addresses left over from an earlier run that are taken up at once; later runs take the rest."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """Which addresses need no fetching now.

    Attributes
    ----------
    known : set of str
        Settled by an earlier run, or to be tried again later.
    n_waiting : int
        How many of them are of the second kind.
    """

    known: frozenset[str] = frozenset()
    n_waiting: int = 0


class Memory:
    """Asks the ledger, and notes in it what the spider finds out before a page is extracted.

    Parameters
    ----------
    ledger : Ledger or None
        Without it nothing is known and nothing kept.
    skip_known : bool
        Leave out what is settled.
    reopen : callable or None
        Called with a site's key before what is left over is read: makes pending again what only a filter refused.
    again : callable or None
        Returns the last answer of an address for a run that wants this, where it may be asked only for changes.
    visiting : Visiting or None
        Where pages are remembered until their articles are stored.
    on_error : callable or None
        Called where the ledger fails, to end the crawl; nothing is known from then on. Without it the error is raised.
    """

    def __init__(
        self,
        ledger: Ledger | None,
        *,
        skip_known: bool = True,
        reopen: Callable[[str], None] | None = None,
        again: Callable[[str, Filters], Answer | None] | None = None,
        visiting: Visiting | None = None,
        on_error: Callable[[LedgerError], None] | None = None,
    ) -> None:
        self._ledger = ledger
        self._on_error = on_error
        self._skip_known = skip_known
        self._reopen = reopen
        self._again = again
        self._visiting = visiting or Visiting()

    @classmethod
    def of(cls, spider: Spider) -> Memory:
        """Return the memory of a crawl: that of its extension `KnownUrls`, where it is switched on."""
        from webmain.known_urls import KnownUrls

        extension = spider.crawler.get_extension(KnownUrls)
        if extension is None:
            return cls(None)
        return cls(
            extension.ledger,
            skip_known=extension.skip_known,
            reopen=extension.reopen_filtered,
            again=extension.again,
            visiting=extension.visiting,
            on_error=extension.fail,
        )

    def _ask(self, question: Callable[[Ledger], T], otherwise: T) -> T:
        """Return the ledger's answer; another one where there is no ledger, or it fails, which is passed on."""
        if self._ledger is None:
            return otherwise
        try:
            return question(self._ledger)
        except LedgerError as error:
            self._ledger = None
            if self._on_error is None:
                raise
            self._on_error(error)
            return otherwise

    def left_over(self, site: str, limit: int = MAX_LEFT_OVER) -> Iterator[tuple[str, Hints | None]]:
        """Yield what an earlier run found and did not settle, newest first."""

        def question(ledger: Ledger) -> list[Pending]:
            if self._reopen is not None:
                self._reopen(site)
            pending = ledger.pending(site, limit)
            open_still = set(ledger.unknown([each.url for each in pending]))
            settled = [Done(url=each.url, reason="moved") for each in pending if each.url not in open_still]
            if settled:  # redirected to, or the same as, an address that is done
                ledger.mark_done(settled, site=site)
            return [each for each in pending if each.url in open_still]

        none: list[Pending] = []
        return ((each.url, each.hints) for each in self._ask(question, none))

    def sort(self, site: Site, candidates: Iterable[Candidate]) -> Sorted:
        """Find out which candidates need no fetching, and note the others as pending."""
        urls = [candidate.url for candidate in candidates if not candidate.is_hub]

        def question(ledger: Ledger) -> Sorted:
            to_do = set(ledger.unknown(urls))
            known = {url for url in urls if url not in to_do and self._skip_known}
            fresh = [url for url in urls if not site.is_waiting(url) and url not in known]
            pending = {url for url, state in ledger.states(fresh).items() if state is State.PENDING}
            waiting = pending if self._skip_known else set()
            found = [Found(url=url, hints=site.peek_hints(url)) for url in urls if url not in known]
            ledger.add_pending(found, site=site.name)
            return Sorted(known=frozenset(known | waiting), n_waiting=len(waiting))

        return self._ask(question, Sorted()) if urls else Sorted()

    def n_articles(self, site: str) -> int:
        """Return how many addresses of a site gave an article in earlier runs."""
        return self._ask(lambda ledger: ledger.counts(site).articles, 0)

    def lists(self, site: str) -> list[str]:
        """Return what earlier runs saw to be lists."""
        return self._ask(lambda ledger: ledger.lists(site), [])

    def stored(self, candidates: Iterable[Candidate]) -> set[str]:
        """Return which hubs are stored as articles, and so need no fetching."""
        urls = [candidate.url for candidate in candidates if candidate.is_hub]
        return self._ask(lambda ledger: ledger.stored(urls), set()) if urls and self._skip_known else set()

    def missing(self, urls: Sequence[str]) -> set[str]:
        """Return which guessed addresses led nowhere lately."""
        return self._ask(lambda ledger: ledger.missing(urls), set())

    def note_missing(self, url: str) -> None:
        """Note that a guessed address leads nowhere."""
        self._ask(lambda ledger: ledger.note_missing(url), None)

    def settled(self, urls: Sequence[str]) -> set[str]:
        """Return those addresses that need no fetching, since an earlier run has settled them."""
        return (
            self._ask(lambda ledger: set(urls).difference(ledger.unknown(urls)), set()) if self._skip_known else set()
        )

    def is_known(self, url: str) -> bool:
        """Return True if an address is settled and not to be fetched again."""
        return bool(self.settled([url]))

    def alias(self, candidate: Candidate, url: str) -> None:
        """Note that a candidate's page has another address."""
        if not candidate.is_hub:
            self._ask(lambda ledger: ledger.add_alias(candidate.url, url), None)

    def settle(self, candidate: Candidate, reason: str) -> None:
        """Note that a candidate gives no article."""
        if not candidate.is_hub:
            done = [Done(url=candidate.url, reason=reason)]
            self._ask(lambda ledger: ledger.mark_done(done, site=candidate.site), None)

    # ---- Sources

    def answer(self, url: str, filters: Filters) -> Answer | None:
        """Return the last whole answer of an address; None where its whole body is to be read."""
        return self._again(url, filters) if self._ledger is not None and self._again is not None else None

    def resting(self, url: str, filters: Filters) -> Answer | None:
        """Return the last answer of a source that need not be asked in this run."""
        answer = self.answer(url, filters)
        return answer if answer is not None and not answer.is_due(clock.now_s()) else None

    def keep(self, answers: Sequence[Answer]) -> None:
        """Keep answers of sources, all that they named being pending."""
        if answers:
            self._ask(lambda ledger: ledger.answers.save(answers), None)

    def note_unchanged(self, answer: Answer) -> None:
        """Note that a source was asked, and has not changed: the dates that it names have not, either."""
        self._ask(lambda ledger: ledger.answers.unchanged(answer.url), None)
        if answer.named.n_articles:
            self._ask(lambda ledger: ledger.visits.confirm(answer.site, answer.url, answer.read_at), None)

    # ---- Articles that are looked at again

    def due(self, site: str, refresh: Refresh) -> list[Row]:
        """Return the articles of a site that are due; none where all are fetched anyway."""
        none: list[Row] = []
        return self._ask(lambda ledger: ledger.visits.due(site, refresh), none) if self._skip_known else none

    def note_page(self, url: str, hints: Hints | None, seen: Look, *, row: Row | None = None) -> None:
        """Remember what is to be kept of an article's page once it is stored."""
        self._visiting.note_page(url, hints, text_mark(seen), visited=row.url if row else "")

    def has_same_text(self, url: str, seen: Look) -> bool:
        """Return True if an article's page has exactly the texts that it had."""
        known = self._ask(lambda ledger: ledger.answers.get(url), None)
        return known is not None and known.mark == text_mark(seen)

    def note_unchanged_article(self, row: Row, refresh: Refresh) -> None:
        """Note that an article was looked at, and has not changed."""
        self._visiting.forget(row.url)
        fetched = Fetched(url=row.url, site=row.site)
        self._ask(lambda ledger: ledger.visits.note([fetched], lambda _: refresh), None)

    def note_missing_article(self, url: str, status: int) -> bool:
        """Note that an article's page is missing; return True if it counts as gone."""
        return self._ask(lambda ledger: ledger.visits.note_missing(url, status), False)

    def article_id(self, url: str) -> str | None:
        """Return the id of the article that an address has given."""
        return self._ask(lambda ledger: ledger.article_id(url), None)

    def put_off(self, url: str) -> None:
        """Let an article be looked at later."""
        self._ask(lambda ledger: ledger.visits.put_off(url), None)

    def moved(self, url: str, to: str) -> None:
        """Note that an article's address leads to another one now."""
        self._ask(lambda ledger: ledger.visits.drop(url), None)
        self._ask(lambda ledger: ledger.answers.drop(url), None)

    def visited_as(self, urls: Sequence[str]) -> dict[str, str]:
        """Return under which address those of the articles were fetched that have been."""
        none: dict[str, str] = {}
        return self._ask(lambda ledger: ledger.visits.known(urls), none) if self._skip_known else none

    def claim(self, claims: Sequence[tuple[str, float, Hints]], refresh: Refresh, source: str) -> list[Row]:
        """Note when articles changed by what names them; return those that are due for it."""
        none: list[Row] = []
        return self._ask(lambda ledger: ledger.visits.claim(claims, refresh, source), none)

    def believes_claims(self, site: str) -> bool:
        """Return whether the dates of change that a site's sources name are worth a look."""
        return self._ask(lambda ledger: ledger.visits.believes_claims(site), True)


def text_mark(seen: Look) -> str:
    """Return a hash of all texts of a page, and of the one that its feed holds in its place."""
    return hash_of("\n".join((seen.text_hash.hex(), seen.with_feeds_text)).encode("utf-8", "surrogatepass"))
