"""Sites in which a crawler can lose its way: each has a dozen articles, and an endless number of other addresses.

`Mazes` answers like `demo.web.Web`; every answer but session ids is always the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from demo.feeds import sitemap, sitemap_index
from demo.many import draft_of
from demo.render import esc
from demo.wire import Request, Responder, Response, html, text, xml

N_ARTICLES = 12
SITES = ("facets", "endless", "lost", "mirror", "loops", "tongues", "sessions", "deep")
MIRRORS = ("", "www.", "m.", "amp.")

_WORDS = "harbour bridge library market river school garden theatre tower mill ferry square".split()
_LEVELS = 10
_MISSING = "<h1>Nothing here</h1><p>We looked for this page everywhere and did not find it. Perhaps it was moved or removed long ago.</p>"
_FEEDS = {
    "/feeds/cyrillic.xml": ("Новости города", "windows-1251", "utf-8"),
    "/feeds/thai.xml": ("ข่าวประจำวัน", "tis-620", "utf-8"),
    "/feeds/latin.xml": ("Überall Neues", "iso-8859-1", "utf-16"),
}
"""Title, the encoding in which it is written, and the one that it declares."""

Answer = Callable[[str, str, Mapping[str, str]], Response]


class Mazes(Responder):
    """All of them, under `NAME.example`; the mirror has its subdomains, too."""

    def __init__(self) -> None:
        self._session = itertools.count(1)
        answers = (
            self._facets,
            self._endless,
            self._lost,
            self._mirror,
            self._loops,
            self._tongues,
            self._sessions,
            self._deep,
        )
        self._answers: dict[str, Answer] = dict(zip(SITES, answers, strict=True))
        super().__init__([*(f"{name}.example" for name in SITES), *(f"{each}mirror.example" for each in MIRRORS[1:])])

    def answer(self, request: Request) -> Response:
        """Answer one request."""
        return self._answers[request.host.split(".")[-2]](request.host, request.path, request.query)

    def _common(self, host: str, path: str, *, front: str = "") -> Response:
        """Answer what is alike everywhere: the front page with all articles, the articles, 404."""
        for number in range(N_ARTICLES):
            if path == article_path(number):
                return html(_article(host, number))
        if path == "/":
            return html(_page("News", _teasers() + front))
        return html(_page("Not found", "<p>Not found</p>"), status=404)

    def _facets(self, host: str, path: str, query: Mapping[str, str]) -> Response:
        """Answer a list that can be narrowed by colour, size, maker, year, and sorted: millions of addresses."""
        facets = {"color": 9, "size": 9, "maker": 20, "year": 30, "sort": 4, "view": 3}
        links = "".join(
            f'<a href="/goods/?{esc(urlencode({**query, key: f"{key}{n}"}))}">{key} {n}</a> '
            for key, n_values in facets.items()
            for n in range(n_values)
        )
        if path == "/goods/":
            return html(_page("Goods", _teasers() + links))
        return self._common(host, path, front='<a href="/goods/">Goods</a>')

    def _endless(self, host: str, path: str, query: Mapping[str, str]) -> Response:
        """Answer a list whose pages never end, and a calendar without a last day."""
        if path == "/latest/":
            number = int(query.get("page", "1"))
            after = f'<a rel="next" href="/latest/?page={number + 1}">Older</a>'
            return html(_page(f"Latest, page {number}", _teasers(number) + after))
        if path.startswith("/events/"):
            year, month = (int(part) for part in path.strip("/").split("/")[1:3])
            following = year * 12 + month
            days = "".join(f'<a href="/events/{year}/{month:02}/{day:02}/">{day}</a> ' for day in range(1, 29))
            return html(
                _page("Events", f'{days}<a href="/events/{following // 12}/{following % 12 + 1:02}/">after</a>')
            )
        return self._common(host, path, front='<a href="/latest/">Latest</a> <a href="/events/2026/11/">Events</a>')

    def _lost(self, host: str, path: str, query: Mapping[str, str]) -> Response:
        """Answer 200 whatever is asked for; a hundred links of the front page lead to nothing."""
        gone = "".join(
            f'<p><a href="/2026/11/{n % 20 + 1:02}/story-that-was-removed-{n}">Removed story {n}</a></p>'
            for n in range(100)
        )
        found = self._common(host, path, front=gone)
        return found if found.status == 200 else html(_page("Nothing here", _MISSING + _teasers(count=3)))

    def _mirror(self, host: str, path: str, query: Mapping[str, str]) -> Response:
        """Answer the same on four hosts, each with links to the others and without canonical ones."""
        others = "".join(
            f'<a href="https://{prefix}mirror.example{path}">{prefix or "desk"}</a> ' for prefix in MIRRORS
        )
        all_forms = "".join(
            f'<p><a href="https://{prefix}mirror.example{article_path(n)}">{_title(n)}</a></p>'
            for prefix in MIRRORS
            for n in range(N_ARTICLES)
        )
        return self._common(host, path, front=others + all_forms)

    def _loops(self, host: str, path: str, query: Mapping[str, str]) -> Response:
        """Answer sitemaps that name themselves, each other in a circle, and ten levels; articles are in the deepest alone."""
        root = f"https://{host}"

        def index(*names: str) -> Response:
            return xml(sitemap_index(f"{root}/{name}.xml" for name in names))

        if path == "/robots.txt":
            return text(f"Sitemap: {root}/self.xml\n")
        name = path.strip("/").removesuffix(".xml")
        if name in ("self", "a", "b"):
            return index("self", "a", "b", "level1")
        level = int(name.removeprefix("level")) if name.startswith("level") else 0
        if 0 < level < _LEVELS:
            return index(f"level{level + 1}", f"level{level}", f"level{level - 1}")
        if level == _LEVELS:
            return xml(sitemap((root + article_path(n), None) for n in range(N_ARTICLES)))
        return html(_page("News", "<p>Welcome.</p>")) if path == "/" else self._common(host, path)

    def _tongues(self, host: str, path: str, query: Mapping[str, str]) -> Response:
        """Answer feeds in other encodings than they declare; each names a third of the articles, and nothing else does."""
        if path in _FEEDS:
            title, written, declared = _FEEDS[path]
            numbers = range(list(_FEEDS).index(path), N_ARTICLES, len(_FEEDS))
            items = "".join(
                f"<item><title>{title} {n}</title><link>https://{host}{article_path(n)}</link></item>" for n in numbers
            )
            feed = f'<?xml version="1.0" encoding="{declared}"?><rss version="2.0"><channel><title>{title}</title>{items}</channel></rss>'
            return Response(200, {"Content-Type": f"text/xml; charset={declared}"}, feed.encode(written))
        feeds = "".join(f'<link rel="alternate" type="application/rss+xml" href="{feed}">' for feed in _FEEDS)
        return html(_page("News", "<p>Welcome.</p>", head=feeds)) if path == "/" else self._common(host, path)

    def _sessions(self, host: str, path: str, query: Mapping[str, str]) -> Response:
        """Answer with a new session in every link: in the path here, in the query there."""
        number = next(self._session)
        links = "".join(
            f'<p><a href="{article_path(n)};jsessionid={number * 7919 + n:032X}">{_title(n)}</a>'
            f'<a href="{article_path(n)}?PHPSESSID={number * 7907 + n:026x}">more</a></p>'
            for n in range(N_ARTICLES)
        )
        plain = path.partition(";")[0]
        if plain == "/":
            return html(_page("News", links))
        response = self._common(host, plain)
        return Response(
            response.status, response.headers, response.body.replace(b"</body>", links.encode() + b"</body>")
        )

    def _deep(self, host: str, path: str, query: Mapping[str, str]) -> Response:
        """Answer at any depth with relative links that lead one deeper."""
        response = self._common(host, path, front='<a href="news/">News</a> <a href="city/">City</a>')
        if response.status == 404 and path.endswith("/"):
            return html(_page("Section", _teasers(count=4) + '<a href="news/">News</a> <a href="city/">City</a>'))
        return response


def article_path(number: int) -> str:
    """Return the path of an article."""
    return f"/2026/11/{number % 20 + 1:02}/{_WORDS[number]}-opens-again-after-long-repairs-{number}"


def _title(number: int) -> str:
    return f"The {_WORDS[number]} opens again after long repairs"


def _article(host: str, number: int) -> str:
    draft = draft_of(number, "en", host.split(".")[-2])
    body = "".join(f"<p>{esc(paragraph)}</p>" for paragraph in draft.paragraphs)
    return _page(_title(number), f"<article><h1>{_title(number)}</h1>{body}</article>")


def _teasers(number: int = 1, *, count: int = N_ARTICLES) -> str:
    """Render links to articles, in another order on each page of a list."""
    chosen = [(n * 5 + number) % N_ARTICLES for n in range(count)]
    return "".join(f'<p><a href="{article_path(n)}">{_title(n)}</a></p>' for n in chosen)


def _page(title: str, main: str, *, head: str = "") -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{esc(title)}</title>{head}</head>'
        f'<body><nav><a href="/">Home</a></nav><main>{main}</main></body></html>'
    )
