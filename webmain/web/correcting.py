"""The page on which blocks are marked as content or not, the list of corrections, and the rules proposed from them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response

from webmain.files import StoreError, reason_of
from webmain.items import Page
from webmain.items.keep import Keep
from webmain.text.terminal import cut
from webmain.web.extracting import judged_of, result_of
from webmain.web.pages import Web, redirect, render, web_of
from webmain.web.problems import Problem, sentence
from webmain.web.security import sandboxed
from webmain.web.stored import open_for_reading

if TYPE_CHECKING:
    from webmain.corrections.file import Correction, CorrectionsFile
    from webmain.corrections.proposals import Change, Proposal
    from webmain.web.work import Worker

MAX_PARTS: Final = 3_000
"""Most parts of a page that can be marked, from its start."""

MAX_TEXT: Final = 300
"""Characters of a part shown in the table."""

MAX_LISTED: Final = 500
"""Most corrections listed, the latest first."""

MAX_SHOWN: Final = 5
"""Most proposed rules shown."""

MAX_PAGES: Final = 8
"""Other pages of the site on which each is tried."""

MAX_LOOKED_AT: Final = 400
"""Articles of the store that are searched for pages of the site."""


def make_correction(
    worker: Worker, page: Page, method: str, keep: Keep, content: frozenset[int], n_shown: int, note: str
) -> Correction | str:
    """Return a correction of a page, or why there is none: of its first `n_shown` parts, `content` are content."""
    from webmain.corrections.marking import CorrectionError, correct

    explanation = worker.explain(page, method, keep)
    n = min(n_shown, len(explanation.blocks))
    content = frozenset(number for number in content if number < n)
    try:
        return correct(explanation, content=content, boilerplate=frozenset(range(n)) - content, note=note)
    except CorrectionError as error:
        return str(error)


async def marking(request: Request) -> Response:
    """Show the parts of a result's page with a checkbox each: checked means content."""
    judged, result = judged_of(request), result_of(request)
    blocks = judged.blocks
    return render(
        request,
        "correct.html.jinja",
        n=request.path_params["n"],
        judged=judged,
        result=result,
        parts=[{**block, "text": cut(block["text"], MAX_TEXT)} for block in blocks[:MAX_PARTS]],
        n_more=max(0, len(blocks) - MAX_PARTS),
    )


async def frame(request: Request) -> Response:
    """Show the page with its parts coloured; it runs no script, but the enclosing page may listen to its clicks."""
    return sandboxed(judged_of(request).overlay, is_clicked=True)


async def save(request: Request) -> Response:
    """Save a correction."""
    web, form, judged, result = web_of(request), await request.form(), judged_of(request), result_of(request)
    try:
        content = frozenset(int(str(value)) for value in form.getlist("content"))
        n_shown = min(MAX_PARTS, int(str(form.get("shown", ""))))
    except ValueError:
        raise Problem(400, "The form is damaged: open the page again.") from None
    marks: dict[str, Any] = {"content": content, "n_shown": n_shown, "note": str(form.get("note", ""))}
    async with web.tasks.slot():
        found = await web.tasks.run(make_correction, result.page, method=judged.method, keep=result.keep, **marks)
    if isinstance(found, str):
        raise Problem(422, sentence(f"{found}."))
    if not found.marked:
        place = f"{result.place}/{request.path_params['n']}/correct"
        return redirect(request, place, notice="Nothing was changed: check or uncheck some parts first.")
    replaced = await asyncio.to_thread(_file(web).save, found)
    notice = "The earlier correction was replaced." if replaced else "The correction was saved."
    return redirect(request, f"/corrections/{found.id}", notice=notice)


def corrections(request: Request) -> Response:
    """List the corrections, the latest first."""
    found = [replace(each, html="", text="", before="") for each in _file(web_of(request))]
    found.sort(key=lambda one: one.made_at, reverse=True)
    return render(
        request,
        "corrections.html.jinja",
        domains=sorted({one.domain for one in found if one.domain})[:MAX_LISTED],
        found=found[:MAX_LISTED],
        n=len(found),
    )


def correction(request: Request) -> Response:
    """Show a correction: what was marked, and both texts."""
    from webmain.evaluation.differences import compare_texts

    one = _correction(request)
    comparison = compare_texts("the right text", one.text, one.extractor, one.before, one.lang)
    return render(request, "correction.html.jinja", one=one, both=None, texts=[comparison])


async def undo(request: Request) -> Response:
    """Delete a correction."""
    one = await asyncio.to_thread(_correction, request)
    await asyncio.to_thread(_file(web_of(request)).remove, one.id)
    return redirect(request, "/corrections", notice="The correction was undone.")


def _correction(request: Request) -> Correction:
    one = _file(web_of(request)).get(request.path_params["id"])
    if one is None:
        raise Problem(404, "There is no such correction.")
    return one


def _file(web: Web) -> CorrectionsFile:
    from webmain.corrections.file import CorrectionsFile

    return CorrectionsFile(web.config.corrections)


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
    )


async def accept(request: Request) -> Response:
    """Write a proposal into the file of rules."""
    from webmain.corrections.proposals import accept as write
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
    except SitesError as error:
        raise Problem(409, f"{error}.", code="no_rule") from None
    except OSError as error:
        raise Problem(503, f"{path} cannot be written: {reason_of(error)}.", code="no_rule") from None
    web.config = replace(web.config, sites=sites)
    await web.tasks.renew(web.config)
    return redirect(request, f"/rules/{site}", notice=f"Saved in {path}: {chosen.key} = {chosen.css}.")


async def _proposed(request: Request, site: str) -> tuple[list[Correction], list[TriedProposal]]:
    from webmain.extractors.base import DEFAULT, EXTRACTORS

    web = web_of(request)
    corrections = await asyncio.to_thread(_file(web).of_site, site)
    if not corrections:
        raise Problem(404, f"No page of {site[:100]} was corrected.")
    others = await asyncio.to_thread(_others, web, site, frozenset(one.url or "" for one in corrections))
    latest = max(corrections, key=lambda one: one.made_at)
    method = latest.extractor if latest.extractor in EXTRACTORS else DEFAULT
    page, given = Page(url=latest.url, html=latest.html), {"corrections": corrections, "others": others}
    async with web.tasks.slot():
        found = await web.tasks.run(proposals, page, n=1 + len(others), method=method, **given)
    return corrections, found


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
    except StoreError:  # without a store only the corrected pages are used
        pass
    return found
