"""What must not become an article, and must not stop a crawl: the tangle's traps, each at a URL like an article's."""

from __future__ import annotations

import functools
import re
import struct
import zlib
from collections.abc import Callable

from demo.site import Route, page
from demo.wire import Request, Response, html, redirect
from webmain.items import Reason

BOMB_BYTES = 64 * 2**20
"""What the gzip bomb unpacks to; some 64 KB on the wire."""

SOFT_404 = (
    "<div>We pulled and pulled, but there was no page at the other end of this thread. "
    "Perhaps you will like one of these.</div>"
)

_NOTHING: frozenset[Reason] = frozenset()
_NOT_ARTICLE = frozenset({Reason.NOT_ARTICLE, Reason.NO_TEXT, Reason.NO_BLOCKS})

TABLE: tuple[tuple[str, str, frozenset[Reason]], ...] = (
    ("/p/0404f00d", "404", frozenset({Reason.HTTP_ERROR})),
    ("/p/0410f00d", "410", frozenset({Reason.HTTP_ERROR})),
    ("/p/deadbeef", "soft 404: says 200 and shows teasers", _NOT_ARTICLE | {Reason.DUPLICATE}),
    ("/p/503503aa", "503, always", frozenset({Reason.HTTP_ERROR, Reason.BLOCKED})),
    ("/p/500500aa", "500 with a stack trace", frozenset({Reason.HTTP_ERROR})),
    ("/p/429429aa", "429, always, with Retry-After: 1", frozenset({Reason.BLOCKED, Reason.HTTP_ERROR})),
    ("/p/c0ffee00", "login wall: 403", frozenset({Reason.BLOCKED})),
    ("/p/10ca1000", "leads to the login page", _NOT_ARTICLE),
    ("/p/bada55bb", "a PDF that is said to be text/html", frozenset({Reason.NOT_HTML})),
    ("/p/1a6e0000", "a picture that is said to be text/html", frozenset({Reason.NOT_HTML})),
    ("/p/15040000", "JSON that is said to be text/html", frozenset({Reason.NOT_HTML, Reason.NOT_ARTICLE})),
    ("/p/00000000", "an empty page", frozenset({Reason.EMPTY})),
    (
        "/p/5bace000",
        "a page of markup without any text",
        frozenset({Reason.NO_BLOCKS, Reason.NO_TEXT, Reason.NOT_ARTICLE}),
    ),
    ("/p/b0b0b0b0", "a gzip bomb of 64 MiB", frozenset({Reason.TOO_LARGE})),
    ("/p/6ad621b0", "a body that is no gzip though the header says so", _NOTHING),
    ("/p/10091009", "a redirect loop over two URLs", _NOTHING),
    ("/p/5e1f5e1f", "a redirect to itself", _NOTHING),
    ("/p/c4a1c4a1", "a chain of redirects without end", _NOTHING),
    ("/p/2ef2e5b0", "a refresh in a meta element to itself", _NOT_ARTICLE),
    ("/p/0ff0ff0f", "a redirect to a host that is not there", _NOTHING),
    ("/calendar/2026/11/", "a calendar without end", _NOT_ARTICLE),
)
"""Path, what it is, and the rejections that are right for it."""

LINK_TEXTS = (
    "The man who counted the steps of every staircase in the county",
    "Why the swans of Holm no longer trust the bread of strangers",
    "A short history of the door that would not stay shut",
    "What we learned from a year without a single paper clip",
    "Three sisters, one violin and the winter of the long queue",
)

_STEP = re.compile(r"/calendar/(\d{1,6})/(\d{1,2})/")
_PDF = (
    b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\nstream\n"
    + bytes(range(256)) * 40
)
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(255, -1, -1)) * 20
_HTML = {"Content-Type": "text/html; charset=utf-8"}
_TRACE = "\n".join(f'  File "/srv/tangle/knot_{n}.py", line {n * 17}, in pull' for n in range(12))


def routes(wrap: Callable[[str, str], str], href: Callable[[str], str]) -> dict[str, Route]:
    """Return the traps' routes.

    Parameters
    ----------
    wrap : callable
        Puts the site round a title and some markup.
    href : callable
        Makes a link of a path.
    """
    return {
        "/p/0404f00d": lambda _: html(wrap("404", "<div>No such knot.</div>"), status=404),
        "/p/0410f00d": lambda _: html(wrap("410", "<div>This knot has been undone for good.</div>"), status=410),
        "/p/503503aa": lambda _: html("<html><body>Back in a moment.</body></html>", status=503),
        "/p/500500aa": lambda _: html(
            f"<html><body><pre>Traceback:\n{_TRACE}\nKnotError</pre></body></html>", status=500
        ),
        "/p/429429aa": lambda _: Response(
            429, {**_HTML, "Retry-After": "1"}, b"<html><body>Slow down, please.</body></html>"
        ),
        "/p/c0ffee00": lambda _: html(wrap("Members only", "<div>Sign in to read this story.</div>"), status=403),
        "/p/10ca1000": lambda _: redirect(href("/login?next=/p/10ca1000"), status=302),
        "/p/bada55bb": lambda _: Response(200, _HTML, _PDF),
        "/p/1a6e0000": lambda _: Response(200, _HTML, _PNG),
        "/p/15040000": lambda _: Response(200, _HTML, b'{"story": null, "error": "unknown knot", "retry": false}'),
        "/p/00000000": lambda _: Response(200, _HTML, b""),
        "/p/5bace000": page(
            "<!DOCTYPE html><html><head><title></title></head><body>" + "<div> <span></span></div>" * 400
        ),
        "/p/b0b0b0b0": lambda _: Response(200, {**_HTML, "Content-Encoding": "gzip"}, bomb()),
        "/p/6ad621b0": lambda _: Response(
            200, {**_HTML, "Content-Encoding": "gzip"}, b"<html><body>never packed</body></html>"
        ),
        "/p/10091009": lambda _: redirect(href("/p/90019001"), status=302),
        "/p/90019001": lambda _: redirect(href("/p/10091009"), status=302),
        "/p/5e1f5e1f": lambda _: redirect(href("/p/5e1f5e1f"), status=301),
        "/p/c4a1c4a1": lambda request: _chain(request, href),
        "/p/2ef2e5b0": page(
            '<html><head><meta http-equiv="refresh" content="0; url=/p/2ef2e5b0"></head><body>Moving on.</body></html>'
        ),
        "/p/0ff0ff0f": lambda _: redirect("https://nowhere.the-tangle.example/lost", status=302),
    }


def _chain(request: Request, href: Callable[[str], str]) -> Response:
    """Redirect to the same path with a number one higher, whatever the number is."""
    step = request.query.get("step", "0")
    number = int(step) if step.isascii() and step.isdigit() and len(step) < 9 else 0
    return redirect(href(f"/p/c4a1c4a1?step={number + 1}"), status=302)


@functools.cache
def bomb() -> bytes:
    """Return gzip data that unpacks to `BOMB_BYTES` of white space."""
    chunk, n = b" " * 2**20, BOMB_BYTES // 2**20
    packer = zlib.compressobj(level=9, wbits=-15)
    packed = packer.compress(chunk) + packer.flush(zlib.Z_FULL_FLUSH)  # refers to nothing before it: it may be repeated
    checksum = functools.reduce(lambda found, _: zlib.crc32(chunk, found), range(n), 0)
    head = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
    return head + packed * n + packer.flush() + struct.pack("<II", checksum, BOMB_BYTES)


def calendar(path: str, wrap: Callable[[str, str], str], root: str) -> Response:
    """Render a month, any month, with links to the months before and after it and to each of its days."""
    found = _STEP.match(path)
    year, month = (int(found[1]), int(found[2])) if found else (2026, 11)
    before, after = year * 12 + month - 2, year * 12 + month
    days = [f'<td><a href="{root}/calendar/{year}/{month:02}/{day:02}/">{day}</a></td>' for day in range(1, 29)]
    weeks = "\n".join(f"<tr>{''.join(days[i : i + 7])}</tr>" for i in range(0, 28, 7))
    links = (
        f'<a href="{root}/calendar/{before // 12}/{before % 12 + 1:02}/?prev=1">« before</a> '
        f'<a href="{root}/calendar/{after // 12}/{after % 12 + 1:02}/?next=1">after »</a>'
    )
    return html(
        wrap(
            f"{month}/{year}",
            f'<div class="ttl">Events {month:02}/{year}</div><table class="cal">{weeks}</table>{links}',
        )
    )
