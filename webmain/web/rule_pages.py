"""The page on which rules for a site are proposed from its corrections, tried on other pages, and accepted."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from starlette.responses import Response
from starlette.routing import Route

from webmain.items import Page
from webmain.web.pages import redirect, render, web_of
from webmain.web.problems import Problem
from webmain.web.stored import open_for_reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from webmain.corrections.proposals import Change, Proposal
    from webmain.corrections.records import Correction
    from webmain.web.pages import Web
    from webmain.web.work import Worker

MAX_SHOWN: Final = 5
"""Most proposals shown."""

MAX_PAGES: Final = 8
"""Other pages of the site on which each is tried."""

MAX_LOOKED_AT: Final = 400
"""Articles of the store that are searched for pages of the site."""


@dataclass(frozen=True, slots=True)
class TriedProposal:
    """A proposal with what it would change on other pages."""

    proposal: Proposal
    changes: tuple[Change, ...]

    @property
    def n_changed(self) -> int:
        """Pages that it would change."""
        return sum(bool(change.lost or change.gained) for change in self.changes)


def proposals(
    worker: Worker, page: Page, corrections: Sequence[Correction], others: Sequence[Page], method: str
) -> list[TriedProposal]:
    """Return rules for a site, those with most matches first, each tried on other pages; `page` is for messages."""
    from webmain.corrections.proposals import changes, propose
    from webmain.extractors.base import create

    extractor = create(method)
    return [
        TriedProposal(one, tuple(changes(one, others, extractor, worker.options)))
        for one in propose(corrections)[:MAX_SHOWN]
    ]


async def rules(request: Request) -> Response:
    """Show the proposals for a site."""
    site = request.path_params["site"]
    corrections, found = await _proposed(request, site)
    sites = web_of(request).config.sites
    accepted = sites.of(f"https://{site}/") if sites else None
    return render(
        request,
        "rules.html.jinja",
        site=site,
        found=found,
        n_corrections=len(corrections),
        in_use=set(chain.from_iterable(accepted.selectors.values())) if accepted else (),
        path=web_of(request).config.sites_file,
    )


async def accept(request: Request) -> Response:
    """Write a proposal into the file of rules."""
    from webmain.corrections.accepting import MissingExtraError
    from webmain.corrections.accepting import accept as write
    from webmain.sites.rules import SitesError, read_sites

    site, form, web = request.path_params["site"], await request.form(), web_of(request)
    _, found = await _proposed(request, site)
    wanted = (str(form.get("key", "")), str(form.get("css", "")))
    chosen = next((one.proposal for one in found if (one.proposal.key, one.proposal.css) == wanted), None)
    if chosen is None:
        raise Problem(409, "The corrections have changed meanwhile: this rule is no longer proposed.")
    path = web.config.sites_file
    try:
        await asyncio.to_thread(write, chosen, path)
        sites = await asyncio.to_thread(read_sites, path)
    except (SitesError, MissingExtraError) as error:
        raise Problem(503, f"{error}.") from None
    except OSError as error:
        raise Problem(503, f"{path} cannot be written: {error.strerror or error}.") from None
    web.config = replace(web.config, sites=sites)
    await web.tasks.renew(web.config)
    return redirect(request, f"/rules/{site}", notice=f"Saved in {path}: {chosen.key} = {chosen.css}.")


async def _proposed(request: Request, site: str) -> tuple[list[Correction], list[TriedProposal]]:
    from webmain.corrections.file import CorrectionsFile
    from webmain.files import StoreError

    web = web_of(request)
    try:
        corrections = await asyncio.to_thread(CorrectionsFile(web.config.corrections).of_site, site)
    except StoreError as error:
        raise Problem(503, f"{error}.") from None
    if not corrections:
        raise Problem(404, f"No page of {site[:100]} was corrected.")
    others = await asyncio.to_thread(_others, web, site, frozenset(one.url or "" for one in corrections))
    latest = max(corrections, key=lambda one: one.made_at)
    page, arguments = Page(url=latest.url, html=latest.html), {"corrections": corrections, "others": others}
    async with web.tasks.slot():
        found = await web.tasks.run(proposals, page, n=1 + len(others), method=_method(latest), **arguments)
    return corrections, found


def _method(one: Correction) -> str:
    from webmain.extractors.base import DEFAULT, EXTRACTORS

    return one.extractor if one.extractor in EXTRACTORS else DEFAULT


def _others(web: Web, site: str, known: frozenset[str]) -> list[Page]:
    """Return recorded pages of a site's articles in the store."""
    found: list[Page] = []
    try:
        with open_for_reading(web.config.store) as store:
            urls = (article.url for article in store.articles() if article.site == site and article.url)
            for url in islice((url for url in urls if url not in known), MAX_LOOKED_AT):
                if (page := web.recordings.page(url)) is not None:
                    found.append(page)
                if len(found) == MAX_PAGES:
                    break
    except Problem:  # without a store only the corrected pages are used
        pass
    return found


def routes() -> list[Route]:
    """Return the routes of this module."""
    return [Route("/rules/{site}", rules), Route("/rules/{site}", accept, methods=["POST"], name="accept")]
