"""The page on which blocks are marked as content or not, and the list of corrections."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response
from starlette.routing import Route

from webmain.text.terminal import cut
from webmain.web.extracting import judged_of, result_of
from webmain.web.pages import redirect, render, web_of
from webmain.web.problems import Problem, sentence
from webmain.web.security import sandboxed

if TYPE_CHECKING:
    from starlette.requests import Request

    from webmain.corrections.file import CorrectionsFile
    from webmain.corrections.records import Correction
    from webmain.items import Page
    from webmain.items.keep import Keep
    from webmain.web.pages import Web
    from webmain.web.work import Worker

MAX_PARTS: Final = 3_000
"""Most parts of a page that can be marked, from its start."""

MAX_TEXT: Final = 300
"""Characters of a part shown in the table."""

MAX_LISTED: Final = 500
"""Most corrections listed, the latest first."""


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
        place=f"/results/{request.path_params['name']}",
        n=request.path_params["n"],
        judged=judged,
        result=result,
        parts=[{**block, "text": cut(block["text"], MAX_TEXT)} for block in blocks[:MAX_PARTS]],
        n_more=max(0, len(blocks) - MAX_PARTS),
    )


async def frame(request: Request) -> Response:
    """Show the page with its parts coloured; it runs no script, but the enclosing page may listen to its clicks."""
    response = Response(judged_of(request).overlay, media_type="text/html; charset=utf-8")
    return sandboxed(response, is_clicked=True)


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
        place = f"/results/{request.path_params['name']}/{request.path_params['n']}/correct"
        return redirect(request, place, notice="Nothing was changed: check or uncheck some parts first.")
    replaced = await _with_file(web, lambda file: file.save(found))
    notice = "The earlier correction was replaced." if replaced else "The correction was saved."
    return redirect(request, f"/corrections/{found.id}", notice=notice)


async def corrections(request: Request) -> Response:
    """List the corrections, the latest first."""
    found = await _with_file(
        web_of(request), lambda file: [replace(each, html="", text="", before="") for each in file]
    )
    found.sort(key=lambda one: one.made_at, reverse=True)
    domains = sorted({one.domain for one in found if one.domain})[:MAX_LISTED]
    return render(
        request,
        "corrections.html.jinja",
        domains=domains,
        found=found[:MAX_LISTED],
        n=len(found),
        path=web_of(request).config.corrections,
    )


async def correction(request: Request) -> Response:
    """Show a correction: what was marked, and both texts."""
    from webmain.evaluation.differences import compare_texts

    one = await _correction(request)
    comparison = await asyncio.to_thread(compare_texts, "the right text", one.text, one.extractor, one.before, one.lang)
    return render(request, "correction.html.jinja", one=one, both=None, texts=[comparison])


async def undo(request: Request) -> Response:
    """Delete a correction."""
    one = await _correction(request)
    await _with_file(web_of(request), lambda file: file.remove(one.id))
    return redirect(request, "/corrections", notice="The correction was undone.")


async def _correction(request: Request) -> Correction:
    name = request.path_params["id"]
    one: Correction | None = await _with_file(web_of(request), lambda file: file.get(name))
    if one is None:
        raise Problem(404, "There is no such correction.")
    return one


async def _with_file(web: Web, do: Any) -> Any:
    """Call `do` with the file of corrections in a thread."""
    from webmain.corrections.file import CorrectionsFile
    from webmain.files import StoreError

    file: CorrectionsFile = CorrectionsFile(web.config.corrections)
    try:
        return await asyncio.to_thread(do, file)
    except StoreError as error:
        raise Problem(503, f"{error}.") from None


def routes() -> list[Route]:
    """Return the routes of this module."""
    return [
        Route("/results/{name}/{n:int}/correct", marking),
        Route("/results/{name}/{n:int}/correct", save, methods=["POST"], name="save"),
        Route("/results/{name}/{n:int}/correct/page", frame),
        Route("/corrections", corrections),
        Route("/corrections/{id}", correction),
        Route("/corrections/{id}/undo", undo, methods=["POST"]),
    ]
