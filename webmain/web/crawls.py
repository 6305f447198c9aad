"""The pages of crawls: those that wrote to the store, the running one, and the form that starts one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from webmain.crawl.summary import FAILING, Outcome, outcome
from webmain.files import StoreError
from webmain.store.catalogue import Run
from webmain.web.choices import methods
from webmain.web.crawling import DEMO, LIMITS, Crawl, crawl_arguments
from webmain.web.pages import redirect, render, web_of
from webmain.web.problems import Problem, sentence
from webmain.web.query_params import query_params
from webmain.web.store_pages import with_store
from webmain.web.stored import open_for_reading, state_of

if TYPE_CHECKING:
    from webmain.store.sqlite import SqliteStore

ROWS: Final = 30
"""Crawls on one page of the list."""


def crawls(
    request: Request, given: Mapping[str, str] | None = None, *, problem: str = "", status: int = 200
) -> Response:
    """List the crawls, and show the form that starts one, with what was entered and the error message."""
    web = web_of(request)
    before, running = query_params(request).key("before"), web.crawls.running
    listed, why = _runs(web.config.store, before)
    return render(
        request,
        "crawls.html.jinja",
        status=status,
        problem=problem or why,
        given=given or {},
        running=running,
        run_now=_run_of(running),
        runs=[(run, found := figures_of(run.stats), _sites(run, found)) for run in listed[:ROWS]],
        before=listed[ROWS - 1].id if len(listed) > ROWS else None,
        is_first=before is None,
        limits=LIMITS,
        has_demo=DEMO.is_file(),
        methods=methods(),
    )


def _runs(spec: str, before: int | None) -> tuple[tuple[Run, ...], str]:
    """Return the store's crawls (none if it does not exist yet) and an error message."""
    if not state_of(spec):
        return (), ""
    try:
        with open_for_reading(spec) as store:
            return store.catalogue().runs(before=before, limit=ROWS + 1), ""
    except StoreError as error:
        return (), sentence(f"{error}.")


async def start(request: Request) -> Response:
    """Start a crawl, and redirect to its page."""
    web, form = web_of(request), await request.form()
    given = {name: value for name, value in form.items() if isinstance(value, str)}
    try:
        web.crawls.start(crawl_arguments(given, web.config))
    except Problem as problem:
        return await run_in_threadpool(crawls, request, given, problem=problem.detail, status=problem.status_code)
    return redirect(request, "/crawls/now")


def now(request: Request) -> Response:
    """Show the crawl that is running or ran last; while it runs, the page reloads itself."""
    crawl = web_of(request).crawls.last
    if crawl is None:
        raise Problem(404, "No crawl has been started since the server started.")
    is_running = crawl.is_running  # read before the figures, which are complete once it has ended
    stats = crawl.stats
    return render(
        request,
        "crawl_now.html.jinja",
        crawl=crawl,
        is_running=is_running,
        stats=stats,
        found=figures_of(stats),
        log=crawl.log,
        run=stats.get("webmain/run"),
    )


async def stop(request: Request) -> Response:
    """Ask the crawl to stop."""
    if running := web_of(request).crawls.running:
        running.stop()
    return redirect(request, "/crawls/now")


@with_store()
def run(request: Request, store: SqliteStore) -> Response:
    """Show the arguments and results of a crawl."""
    number = request.path_params["run"]
    catalogue = store.catalogue()
    found = catalogue.run(number) if number < 2**63 else None
    if found is None:
        raise Problem(404, f"The store has no crawl {str(number)[:20]}.")
    return render(
        request,
        "crawl.html.jinja",
        run=found,
        limits=LIMITS,
        found=figures_of(found.stats),
        n_stored=catalogue.n_stored(number),
        is_running=_run_of(web_of(request).crawls.running) == found.id and not found.finished,
        warnings=[str(value) for name, value in sorted(found.stats.items()) if name.startswith("webmain/warning/")],
        errors=[f"{kind}: {found.stats[name]}" for kind in FAILING if (name := f"webmain/{kind}_error") in found.stats],
    )


def figures_of(stats: Mapping[str, Any]) -> Outcome | None:
    """Return the figures of a crawl, or None if there are none or they are not a crawl's."""
    try:
        return outcome(stats) if stats else None
    except (TypeError, ValueError, OverflowError):
        return None


def _sites(run: Run, found: Outcome | None) -> list[str]:
    """Return the sites of a crawl: those in its figures, else those in its arguments."""
    named = run.arguments.get("sites")
    given = [site for site in named if isinstance(site, str)] if isinstance(named, list) else []
    return list(found.sites) if found and found.sites else given


def _run_of(crawl: Crawl | None) -> int | None:
    """Return the number under which the store has a crawl, or None if it has none yet."""
    number = crawl.stats.get("webmain/run") if crawl else None
    return number if isinstance(number, int) else None
