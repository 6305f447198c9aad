"""The search page of the store, and the indexing that it starts."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

from starlette.routing import Route

from webmain.web.pages import redirect, render, web_of
from webmain.web.problems import Problem, sentence
from webmain.web.query_params import FILTERS, query_params
from webmain.web.store_pages import known_values, with_form, with_store

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from webmain.store.search_records import Results
    from webmain.store.sqlite import SqliteStore

logger = logging.getLogger(__name__)

HITS: Final = 20
"""Results on one page."""

WAIT_S: Final = 2.0
"""Seconds that a response waits for indexing; longer indexing continues in the background."""

REFRESH_S: Final = 2
"""Seconds after which the page asks again for the progress of indexing."""

KEPT: Final = frozenset(("q", "match", "per", *FILTERS))
"""Names of query values that are kept when the page reloads after indexing."""


class Searching:
    """The search pages; only one indexing run at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.progress = (0, 0)
        self.problem = ""

    @property
    def is_indexing(self) -> bool:
        """Whether indexing is running."""
        return self._thread is not None and self._thread.is_alive()

    def page(self, request: Request) -> Response:
        """Show the results of a search, or only its form."""
        return with_store(with_form("search.html.jinja")(self._page))(request)

    def _page(self, request: Request, store: SqliteStore) -> Response:
        params, is_indexing = query_params(request), self.is_indexing  # read before the results, which may be older
        match, per = params.choice("match", ("all", "any"), "all"), params.choice("per", ("page", "block"), "page")
        index, query = store.index(), params.given.get("q", "")
        results: Results | None = None
        if query:
            from webmain.store.query import QueryError

            offset = (params.page - 1) * HITS
            try:
                results = index.search(query, limit=HITS, offset=offset, filters=params.filters, match=match, per=per)
            except QueryError as error:
                raise Problem(400, sentence(f"{error}.")) from None
        n_found = 0 if results is None else results.n_blocks if per == "block" else results.n_pages
        return render(
            request,
            "search.html.jinja",
            params=params,
            results=results,
            found=[(hit, hit.snippet.pieces()) for hit in results.hits] if results else [],
            n_found=n_found,
            has_more=params.page * HITS < n_found,
            absent=index.absent(params.filters) if results is not None and not n_found else {},
            n_left=index.pending(),
            n_all=store.count(),
            known=known_values(web_of(request).config),
            indexing=self,
            is_indexing=is_indexing,
            refresh_s=REFRESH_S,
        )

    async def index(self, request: Request) -> Response:
        """Update the index, and redirect back to the query."""
        form = await request.form()
        back = form.get("back", "")
        params = [(k, v) for k, v in parse_qsl(back if isinstance(back, str) else "", max_num_fields=20) if k in KEPT]
        with self._lock:
            if not self.is_indexing:
                self.progress, self.problem = (0, 0), ""
                spec = web_of(request).config.store
                self._thread = threading.Thread(target=self._update, args=(spec,), name="index", daemon=True)
                self._thread.start()
            thread = self._thread
        if thread is not None:
            await asyncio.to_thread(thread.join, WAIT_S)
        done = "" if self.is_indexing or self.problem else "The search index is up to date."
        return redirect(request, f"/search?{urlencode(params)}" if params else "/search", notice=done)

    def _update(self, spec: str) -> None:
        """Index new articles; whatever was indexed stays if this is stopped."""
        from webmain.store.protocol import StoreError
        from webmain.store.search import open_index

        try:
            with open_index(spec) as index:
                index.update(self._set_progress)
        except StoreError as error:
            logger.error("The index was not made: %s", error)
            self.problem = str(error)

    def _set_progress(self, done: int, total: int) -> None:
        self.progress = (done, total)


def routes() -> list[Route]:
    """Return the routes of this module."""
    searching = Searching()
    return [Route("/search", searching.page), Route("/search/index", searching.index, methods=["POST"])]
