"""What earlier runs know of a site's addresses: the spider's side of the ledger, which may be missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webmain.discovery.ledger import Done, Found, Ledger, LedgerError, State
from webmain.items import Hints
from webmain.spiders.candidates import Candidate
from webmain.spiders.site import Site

if TYPE_CHECKING:
    from scrapy import Spider

MAX_LEFT_OVER: Final = 20_000
"""Addresses left over from an earlier run that are taken up at once; later runs take the rest."""


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

    known: frozenset[str]
    n_waiting: int = 0


class Memory:
    """Asks and tells the ledger.

    Parameters
    ----------
    ledger : Ledger or None
        Without it nothing is known and nothing kept.
    skip_known : bool
        Leave out what is settled.
    reopen : callable or None
        Called with a site's key before what is left over is read: makes pending again what only a filter refused.
    on_error : callable or None
        Called where the ledger fails, to end the crawl; nothing is known from then on. Without it the error is raised.
    """

    def __init__(
        self,
        ledger: Ledger | None,
        *,
        skip_known: bool = True,
        reopen: Callable[[str], None] | None = None,
        on_error: Callable[[LedgerError], None] | None = None,
    ) -> None:
        self._ledger = ledger
        self._on_error = on_error
        self._skip_known = skip_known
        self._reopen = reopen

    @classmethod
    def of(cls, spider: Spider) -> Memory:
        """Return the memory of a crawl: that of its extension `KnownUrls`, where it is switched on."""
        from webmain.extensions import KnownUrls

        extension = spider.crawler.get_extension(KnownUrls)
        if extension is None:
            return cls(None)
        return cls(
            extension.ledger, skip_known=extension.skip_known, reopen=extension.reopen_filtered, on_error=extension.fail
        )

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Pass on a failure of the ledger, and do without it."""
        try:
            yield
        except LedgerError as error:
            self._ledger = None
            if self._on_error is None:
                raise
            self._on_error(error)

    def left_over(self, site: str) -> Iterator[tuple[str, Hints | None]]:
        """Yield what an earlier run found and did not settle, newest first."""
        if self._ledger is None:
            return
        with self._failing():
            if self._reopen is not None:
                self._reopen(site)
            pending = self._ledger.pending(site, MAX_LEFT_OVER)
            open_still = set(self._ledger.unknown([each.url for each in pending]))
            settled = [Done(url=each.url, reason="moved") for each in pending if each.url not in open_still]
            if settled:  # redirected to, or the same as, an address that is done
                self._ledger.mark_done(settled, site=site)
            yield from ((each.url, each.hints) for each in pending if each.url in open_still)

    def sort(self, site: Site, candidates: Iterable[Candidate]) -> Sorted:
        """Tell which candidates need no fetching, and note the others as pending."""
        candidates = [candidate for candidate in candidates if not candidate.is_hub]
        if self._ledger is not None and candidates:
            with self._failing():
                return self._sort(self._ledger, site, candidates)
        return Sorted(known=frozenset())

    def _sort(self, ledger: Ledger, site: Site, candidates: Sequence[Candidate]) -> Sorted:
        urls = [candidate.url for candidate in candidates]
        to_do = set(ledger.unknown(urls))
        known = {url for url in urls if url not in to_do} if self._skip_known else set()
        fresh = [url for url in urls if not site.is_waiting(url) and url not in known]
        waiting = {url for url, state in ledger.states(fresh).items() if state is State.PENDING and self._skip_known}
        found = [Found(url=url, hints=site.peek_hints(url)) for url in urls if url not in known]
        ledger.add_pending(found, site=site.name)
        return Sorted(known=frozenset(known | waiting), n_waiting=len(waiting))

    def n_articles(self, site: str) -> int:
        """Return how many addresses of a site gave an article in earlier runs."""
        if self._ledger is not None:
            with self._failing():
                return self._ledger.counts(site).articles
        return 0

    def lists(self, site: str) -> list[str]:
        """Return what earlier runs saw to be lists."""
        if self._ledger is not None:
            with self._failing():
                return self._ledger.lists(site)
        return []

    def stored(self, candidates: Iterable[Candidate]) -> set[str]:
        """Return which hubs are stored as articles, and so need no fetching."""
        urls = [candidate.url for candidate in candidates if candidate.is_hub]
        if urls and self._skip_known and self._ledger is not None:
            with self._failing():
                return self._ledger.stored(urls)
        return set()

    def missing(self, urls: Sequence[str]) -> set[str]:
        """Return which guessed addresses led nowhere lately."""
        if self._ledger is not None:
            with self._failing():
                return self._ledger.missing(urls)
        return set()

    def note_missing(self, url: str) -> None:
        """Note that a guessed address leads nowhere."""
        if self._ledger is not None:
            with self._failing():
                self._ledger.note_missing(url)

    def settled(self, urls: Sequence[str]) -> set[str]:
        """Return those addresses that need no fetching, since an earlier run has settled them."""
        if self._ledger is not None and self._skip_known:
            with self._failing():
                return set(urls).difference(self._ledger.unknown(urls))
        return set()

    def is_known(self, url: str) -> bool:
        """Whether an address is settled and not to be fetched again."""
        with self._failing():
            if self._skip_known and self._ledger is not None and self._ledger.is_known(url):
                return True
        return False

    def alias(self, candidate: Candidate, url: str) -> None:
        """Note that a candidate's page has another address."""
        if self._ledger is not None and not candidate.is_hub:
            with self._failing():
                self._ledger.add_alias(candidate.url, url)

    def settle(self, candidate: Candidate, reason: str) -> None:
        """Note that a candidate gives no article."""
        if self._ledger is not None and not candidate.is_hub:
            with self._failing():
                self._ledger.mark_done([Done(url=candidate.url, reason=reason)], site=candidate.site)
