"""The page with the form for a page to extract, and the page that shows its article beside it."""

from __future__ import annotations

import asyncio
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from webmain.archive.decoding import TooLargeError, decode_body
from webmain.items import Article, Page
from webmain.items.keep import DEFAULT_KEEP, Keep
from webmain.web.choices import KEPT, checked_keep, checked_method, methods, options_of, with_options
from webmain.web.pages import Web, redirect, render, web_of
from webmain.web.problems import Problem
from webmain.web.results import Result
from webmain.web.security import sandboxed
from webmain.web.stored import article_of, latest

if TYPE_CHECKING:
    from webmain.web.work import MethodResult

MAX_GOLD_CHARS: Final = 1_000_000
MAX_URL_CHARS: Final = 4_000
N_LATEST: Final = 8
"""Articles of the store offered on the form."""

FORMATS: Final = {"txt": "text/plain", "md": "text/markdown", "json": "application/json"}


async def home(request: Request) -> Response:
    """Show the form for a page, and the latest articles of the store."""
    return await _form(request, {"url": request.query_params.get("url", "")[:MAX_URL_CHARS]})


async def _form(request: Request, given: dict[str, str], *, problem: str = "", status: int = 200) -> Response:
    """Show the form with what was entered and the error message."""
    rows = await asyncio.to_thread(latest, web_of(request).config, N_LATEST)
    return render(
        request,
        "extract.html.jinja",
        status=status,
        methods=methods(),
        kept=KEPT,
        given=given,
        problem=problem,
        rows=rows,
    )


async def extract(request: Request) -> Response:
    """Process the submitted form, and redirect to the result."""
    web, form = web_of(request), await request.form()
    try:
        chosen = _chosen(form)
        async with web.tasks.slot():
            page, source = await _page_of(web, form)
            place = await _process(web, page, source, *chosen)
    except Problem as problem:
        given = {name: value for name, value in form.items() if isinstance(value, str)}
        answer = await _form(request, given, problem=problem.detail, status=problem.status_code)
        answer.headers.update(problem.headers or {})
        return answer
    return redirect(request, place)


async def extract_again(request: Request) -> Response:
    """Process the page of a result again: with another method, with two, or compared with a wanted text."""
    web, form, result = web_of(request), await request.form(), result_of(request)
    chosen = _chosen(form)
    async with web.tasks.slot():
        return redirect(request, await _process(web, result.page, result.source, *chosen))


async def _process(web: Web, page: Page, source: str, names: tuple[str, ...], keep: Keep, gold: str) -> str:
    """Process a page, keep the result, and return its path."""
    from webmain.web import work

    place = f"/results/{secrets.token_urlsafe(12)}"  # cannot be guessed
    shown = await web.tasks.run(work.show, page, n=len(names), methods=names, keep=keep, gold=gold, place=place)
    web.results.add(Result(place=place, page=page, source=source, keep=keep, shown=shown, gold=gold))
    return place


async def show(request: Request) -> Response:
    """Show a result: of one method, or the differences between two."""
    result = result_of(request)
    judged, n = result.shown.judged, request.path_params.get("n")
    if n is None and len(judged) == 1:
        n = 0
    return render(
        request,
        "comparing.html.jinja" if n is None else "result.html.jinja",
        result=result,
        judged=_nth(result, n or 0),
        given={name: value for one in judged for name, value in options_of(one.method).items()},
        methods=methods(),
        kept=KEPT,
    )


async def style(_: Request) -> Response:
    """Return the style sheet of the parts of results."""
    return FileResponse(Path(__file__).parents[1] / "explain" / "templates" / "explain.css")


async def overlay(request: Request) -> Response:
    """Show the page of a result with its blocks coloured, by one method's verdicts or by two, for a frame."""
    of = judged_of(request) if "n" in request.path_params else result_of(request).shown
    return sandboxed(of.overlay)


async def download(request: Request) -> Response:
    """Return an article as text, Markdown or JSON."""
    return article_file(judged_of(request).article, request.path_params["form"])


def article_file(article: Article | None, form: str) -> Response:
    """Return an article as a file.

    Raises
    ------
    Problem
        There is none, or not in this form.
    """
    if article is None or form not in FORMATS:
        raise Problem(404, "There is no article here, or not in this format.")
    text = article.text if form == "txt" else article.to_markdown() if form == "md" else article.to_json(indent=2)
    name = re.sub(r"[^A-Za-z0-9]+", "-", article.title or "")[:60].strip("-") or "article"
    headers = {"content-disposition": f'attachment; filename="{name}.{form}"'}
    return Response(text.encode("utf-8", "replace"), media_type=f"{FORMATS[form]}; charset=utf-8", headers=headers)


async def block(request: Request) -> Response:
    """Show a block, and which features moved its score."""
    from webmain.web.work import score_record

    web, result, judged = web_of(request), result_of(request), judged_of(request)
    number = request.path_params["block"]
    async with web.tasks.slot():
        found = await web.tasks.run(score_record, result.page, method=judged.method, block=number, keep=result.keep)
    if found is None:
        raise Problem(404, "The method has no such block on this page.")
    return render(request, "block.html.jinja", block=found, result=result)


def result_of(request: Request) -> Result:
    """Return the result named in the path."""
    result = web_of(request).results.get(f"/results/{request.path_params['name']}")
    if result is None:
        raise Problem(404, "This result has expired.")
    return result


def judged_of(request: Request) -> MethodResult:
    """Return the result of the method whose number is in the path."""
    return _nth(result_of(request), request.path_params["n"])


def _nth(result: Result, n: int) -> MethodResult:
    judged = result.shown.judged
    if n >= len(judged):
        raise Problem(404, "There is no second method in this result.")
    return judged[n]


async def _page_of(web: Web, form: FormData) -> tuple[Page, str]:
    """Return the page that was entered, and its source: a file, markup, the store, the web."""
    url = _text(form, "url").strip()[:MAX_URL_CHARS]
    file, html, article_id = form.get("file"), _text(form, "html"), _text(form, "article").strip()
    if isinstance(file, UploadFile) and (file.size or file.filename):
        body = await asyncio.to_thread(_unpacked, await file.read(), web.config.limits.page_bytes)
        return Page(url=_address(url), body=body), file.filename or "a file"
    if html.strip():
        return Page(url=_address(url), html=html), url or "pasted HTML"
    if article_id:
        article = await asyncio.to_thread(article_of, web.config, article_id)
        url = article.url or ""
        page = await asyncio.to_thread(web.recordings.page, url) if url else None
        if page is None and _address(url) is None:
            told = "give the file or folder that it was read from as --pages when the server is started"
            raise Problem(404, f"The page of this article is not on the web: {told}.")
        return page or await web.tasks.fetch(url), url
    if not url:
        raise Problem(400, "Enter an address, paste HTML, or choose a file.")
    if "://" not in url.replace("\\", "/"):
        url = f"https://{url}"
    return await web.tasks.fetch(url), url


def _unpacked(body: bytes, max_bytes: int) -> bytes:
    """Return an uploaded file, decompressed if it is packed with gzip, as by `webmain extract`."""
    try:
        return decode_body(body, content="gzip" if body.startswith(b"\x1f\x8b") else "", max_bytes=max_bytes)
    except TooLargeError:
        raise Problem(413, f"More than {max_bytes:,} bytes.") from None


def _address(url: str) -> str | None:
    """Return the address stated for a pasted or uploaded page, or None if it is not a web address."""
    return url if url.lower().startswith(("http://", "https://")) else None


def _chosen(form: FormData) -> tuple[tuple[str, ...], Keep, str]:
    """Return the chosen methods, what is kept, and the wanted text."""
    kept = [value for value in form.getlist("keep") if isinstance(value, str) and value]
    keep = checked_keep(",".join(kept)) if kept else DEFAULT_KEEP
    return _methods_of(form), keep, _text(form, "gold").strip()[:MAX_GOLD_CHARS]


def _methods_of(form: FormData) -> tuple[str, ...]:
    """Return the chosen methods, one or two different ones, with their options."""
    chosen = [_text(form, "extractor"), _text(form, "other")]
    specs = []
    for name in filter(None, chosen):
        method = methods().get(name)
        if method is None:
            specs.append(checked_method(name))
            continue
        given = {option.name: _text(form, f"{name}.{option.name}") for option in method.options}
        flags = {option.name for option in method.options if option.kind == "flag"}
        if f"{name}.flags" in form:
            given |= {flag: "true" if _text(form, f"{name}.{flag}") else "false" for flag in flags}
        specs.append(with_options(method, {option: value for option, value in given.items() if value}))
    return tuple(dict.fromkeys(specs)) or (checked_method(None),)


def _text(form: FormData, name: str) -> str:
    value: Any = form.get(name, "")
    return value if isinstance(value, str) else ""
