"""Four ordinary sites of 25 articles each: on each, articles can be found in one way only.

Texts are those of `demo.many`. `OrdinaryWeb` counts what it was asked for, so that a test can tell how many requests a crawl
spends on what gives neither an article nor a way to one.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import ClassVar
from urllib.parse import quote

from demo import feeds
from demo.many import draft_of
from demo.render import esc, script
from demo.stories import Story
from demo.wire import Expected, Request, Responder, Response, html, redirect, text, xml

Pages = Iterator[tuple[str, Callable[[], str | Response]]]
"""Paths, with their queries, and what makes their pages."""

N_ARTICLES = 25
_ROBOTS = "User-agent: *\nDisallow: /wp-admin/\n"
_BETWEEN = timedelta(hours=9)


class OrdinarySite(ABC):
    """A small site: a table of pages, made when they are asked for.

    Attributes
    ----------
    drafts : list of Draft
        Its articles, the newest first.
    lists : set of str
        Paths of the pages that lead to articles: the front page, sections and their pages, archives.
    steps : set of str
        Paths of the pages that only lead to another address.
    """

    host: ClassVar[str]
    name: ClassVar[str]
    language: ClassVar[str]

    def __init__(self, origin: str = "https://{host}", *, n_articles: int = N_ARTICLES) -> None:
        self.origin = origin.format(host=self.host)
        drafts = [draft_of(n, self.language, self.host) for n in range(n_articles)]
        newest = drafts[0].published
        self.drafts = [replace(draft, published=newest - n * _BETWEEN) for n, draft in enumerate(drafts)]
        self.lists: set[str] = {"/"}
        self.steps: set[str] = set()
        self.pages: dict[str, Callable[[], str | Response]] = {"/robots.txt": lambda: text(self.robots())}
        for n in range(n_articles):
            self.pages[self.path(n)] = partial(self.article, n)
        for path, make in self.other_pages():
            self.pages[path] = make

    @abstractmethod
    def path(self, n: int) -> str:
        """Return the path of an article."""

    @abstractmethod
    def other_pages(self) -> Pages:
        """Yield paths (with their queries) of what is no article, and what makes the answer."""

    def robots(self) -> str:
        """Return robots.txt."""
        return _ROBOTS

    def article(self, n: int) -> str:
        """Render an article."""
        draft = self.drafts[n]
        meta = f'<meta property="article:published_time" content="{draft.published.isoformat()}">'
        return self.shell(draft.title, f"<article>{self.story(n)}</article>", head=meta)

    def story(self, n: int) -> str:
        """Render headline, byline and text."""
        draft = self.drafts[n]
        text = "\n".join(f"<p>{esc(p)}</p>" for p in draft.paragraphs)
        day = draft.published
        return (
            f'<h1>{esc(draft.title)}</h1><p class="byline">{esc(draft.author)}, '
            f'<time datetime="{day.isoformat()}">{day:%d.%m.%Y}</time></p>\n{text}'
        )

    def cards(self, numbers: Iterable[int]) -> str:
        """Render teasers: headline and the beginning of the text."""
        return "\n".join(
            f'<div class="post"><h2><a href="{self.link(n)}">{esc(self.drafts[n].title)}</a></h2>'
            f"<p>{esc(self.drafts[n].paragraphs[0][:160])} […]</p></div>"
            for n in numbers
        )

    def link(self, n: int) -> str:
        """Return the address by which lists name an article."""
        return self.path(n)

    def shell(self, title: str, main: str, *, head: str = "") -> str:
        """Put head, menu and footer round a page."""
        menu = " ".join(f'<a href="{quote(path, safe="/?=&%")}">{esc(label)}</a>' for path, label in self.menu())
        return (
            f'<!DOCTYPE html><html lang="{self.language}"><head><meta charset="utf-8"><title>{esc(title)} – {self.name}'
            f'</title>{head}</head><body><header><a href="/">{self.name}</a><nav>{menu}</nav></header>'
            f"<main>{main}</main><footer>© {self.name}</footer></body></html>"
        )

    def menu(self) -> Sequence[tuple[str, str]]:
        """Return paths and names of what the menu leads to."""
        return ()

    def listing(self, path: str, title: str, numbers: Sequence[int], size: int, next_path: str) -> Pages:
        """Yield the pages of a list; `next_path` has `{n}` for the number of a page from the second on."""
        parts = [numbers[i : i + size] for i in range(0, len(numbers), size)]
        for page, part in enumerate(parts, 1):
            at = path if page == 1 else next_path.format(n=page)
            self.lists.add(at)
            yield at, partial(self.list_page, title, part, next_path.format(n=page + 1) if page < len(parts) else "")

    def list_page(self, title: str, numbers: Iterable[int], following: str) -> str:
        """Render a page of a list, with a link to the next."""
        older = f'<nav class="pagination"><a class="next" href="{following}">→</a></nav>' if following else ""
        return self.shell(title, f"<h1>{esc(title)}</h1>{self.cards(numbers)}{older}")

    def respond(self, path: str) -> Response:
        """Answer a request for a path and query."""
        make = self.pages.get(path)
        if make is not None:
            made = make()
            return html(made) if isinstance(made, str) else made
        if path + "/" in self.pages:
            return redirect(f"{self.origin}{quote(path)}/")
        return html(self.shell("404", "<h1>404</h1>"), status=404)

    def url(self, n: int) -> str:
        """Return an article's address."""
        return self.origin + quote(self.path(n), safe="/?=&%")

    def expected(self) -> Iterator[Expected]:
        """Return the ground truth."""
        return (draft.expected(self.url(n), self.host) for n, draft in enumerate(self.drafts))

    def entries(self, numbers: Iterable[int]) -> list[feeds.Entry]:
        """List articles for feeds and sitemaps."""
        return [feeds.Entry(url=self.url(n), story=self._story(n)) for n in numbers]

    def _story(self, n: int) -> Story:
        draft = self.drafts[n]
        return Story(
            slug=str(n), number=n, title=draft.title, authors=(draft.author,), published=draft.published,
            summary=draft.paragraphs[0], language=self.language,
        )  # fmt: skip


class FerryLane(OrdinarySite):
    """WordPress without feed and sitemap: articles are in the pages of the sections and nowhere else."""

    host: ClassVar[str] = "www.ferrylane.example"
    name: ClassVar[str] = "The Ferry Lane Record"
    language: ClassVar[str] = "en"
    sections: ClassVar[Mapping[str, str]] = {"town": "Town", "news": "News", "letters-from-the-far-islands": "Letters"}

    def path(self, n: int) -> str:
        """Return the slug of the title below the root."""
        return f"/{slug(self.drafts[n].title)}/"

    def menu(self) -> Sequence[tuple[str, str]]:
        """Return the sections."""
        return [(f"/{name}/", title) for name, title in self.sections.items()] + [("/about/", "About us")]

    def other_pages(self) -> Pages:
        """Yield the front page with the newest three, and the sections."""
        yield "/", lambda: self.list_page(self.name, range(3), "")
        yield "/about/", lambda: self.shell("About us", "<h1>About us</h1><p>Printed in Ferry Lane.</p>")
        for at, (name, title) in enumerate(self.sections.items()):
            numbers = range(at, len(self.drafts), len(self.sections))
            yield from self.listing(f"/{name}/", title, numbers, 3, f"/{name}/page/{{n}}/")


class Deichpost(OrdinarySite):
    """A sitemap names ten articles, a feed five, and the others are linked from one article to the next."""

    host: ClassVar[str] = "www.deichpost.example"
    name: ClassVar[str] = "Deichpost"
    language: ClassVar[str] = "de"
    named: ClassVar[int] = 10

    def path(self, n: int) -> str:
        """Return a slug with a number."""
        return f"/artikel/{slug(self.drafts[n].title)}-{48000 + n}.html"

    def menu(self) -> Sequence[tuple[str, str]]:
        """Return what every paper has."""
        return [("/impressum/", "Impressum"), ("/datenschutz/", "Datenschutz")]

    def robots(self) -> str:
        """Name the sitemap."""
        return f"{_ROBOTS}Sitemap: {self.origin}/sitemap.xml\n"

    def other_pages(self) -> Pages:
        """Yield the front page, the feed and the sitemap."""
        channel = feeds.Channel(
            title=self.name, home=self.origin, url=self.origin + "/feed.xml", description="", language=self.language
        )
        feed = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        yield "/", lambda: self.shell(self.name, self.cards(range(6)), head=feed)
        yield "/feed.xml", lambda: xml(feeds.rss(channel, self.entries(range(5))), kind="application/rss+xml")
        yield (
            "/sitemap.xml",
            lambda: xml(feeds.sitemap((self.url(n), self.drafts[n].published) for n in range(self.named))),
        )

    def story(self, n: int) -> str:
        """Render the text with a link to another article in its second paragraph and one below."""
        more = n + 5 if n >= 5 else n + 1
        if more >= len(self.drafts):
            return super().story(n)
        before, mark, after = super().story(n).partition("</p>\n<p>")
        link = f'<a href="{self.path(more)}">{esc(self.drafts[more].title)}</a>'
        return f"{before}{mark}Wie berichtet: {link}. {after}"


class KhlongNews(OrdinarySite):
    """Pages whose text is in the state of a framework only; lists are rendered."""

    host: ClassVar[str] = "www.khlongnews.example"
    name: ClassVar[str] = "ข่าวริมคลอง"
    language: ClassVar[str] = "th"

    def path(self, n: int) -> str:
        """Return a number."""
        return f"/news/{7300 + n}"

    def menu(self) -> Sequence[tuple[str, str]]:
        """Return the list of everything."""
        return [("/latest", "ล่าสุด")]

    def other_pages(self) -> Pages:
        """Yield the front page and a list that is loaded piece by piece."""
        yield "/", lambda: self.list_page(self.name, range(4), "")
        yield from self.listing("/latest", "ล่าสุด", range(len(self.drafts)), 6, "/latest?page={n}")

    def article(self, n: int) -> str:
        """Render an empty frame with the article as data."""
        draft = self.drafts[n]
        body = "".join(f"<p>{esc(p)}</p>" for p in draft.paragraphs)
        article = {"id": 7300 + n, "title": draft.title, "author": draft.author, "body": body}
        article["publishedAt"] = draft.published.isoformat()
        return self._with_state(self.shell(draft.title, '<div class="loading"></div>'), {"article": article})

    def list_page(self, title: str, numbers: Iterable[int], following: str) -> str:
        """Render a list, which has its teasers as data too."""
        numbers = list(numbers)
        teasers = [
            {"id": 7300 + n, "title": self.drafts[n].title, "lead": self.drafts[n].paragraphs[0]} for n in numbers
        ]
        return self._with_state(super().list_page(title, numbers, following), {"stories": teasers})

    @staticmethod
    def _with_state(page: str, props: object) -> str:
        state = {"props": {"pageProps": props}, "page": "/[[...slug]]", "buildId": "q8Zr1"}
        data = script(state, kind="application/json").replace("<script ", '<script id="__NEXT_DATA__" ')
        return page.replace("</body>", f"{data}</body>")


class Faro(OrdinarySite):
    """The front page and a third of the articles are reached through HTML's refresh; articles load themselves anew."""

    host: ClassVar[str] = "www.farodelaria.example"
    name: ClassVar[str] = "El Faro de la Ría"
    language: ClassVar[str] = "es"

    def path(self, n: int) -> str:
        """Return a date and a slug."""
        return f"/{self.drafts[n].published:%Y/%m/%d}/{slug(self.drafts[n].title)}/"

    def link(self, n: int) -> str:
        """Return the short address of each third article."""
        return f"/n/{n + 100}" if n % 3 == 0 else self.path(n)

    def other_pages(self) -> Pages:
        """Yield the step to the true front page, the pages of its list, and the steps to articles."""
        self.steps |= {"/", *(self.link(n) for n in range(0, len(self.drafts), 3))}
        yield "/", lambda: refresh("0; url=portada/")
        for n in range(0, len(self.drafts), 3):
            yield self.link(n), partial(refresh, f"1;URL='{self.url(n)}'")
        yield from self.listing("/portada/", self.name, range(len(self.drafts)), 9, "/portada/pagina-{n}.html")

    def article(self, n: int) -> str:
        """Render an article that is loaded anew every few seconds."""
        return super().article(n).replace("<title>", '<meta http-equiv="refresh" content="5"><title>')


SITES: tuple[type[OrdinarySite], ...] = (FerryLane, Deichpost, KhlongNews, Faro)


class OrdinaryWeb(Responder):
    """Several sites: those four, or the given ones."""

    def __init__(self, sites: Sequence[OrdinarySite] | None = None) -> None:
        self.sites = tuple(sites) if sites is not None else tuple(kind() for kind in SITES)
        self._by_host = {site.host: site for site in self.sites}
        super().__init__(self._by_host)

    def expected(self) -> list[Expected]:
        """Return the ground truth of all sites."""
        return [expected for site in self.sites for expected in site.expected()]

    def answer(self, request: Request) -> Response:
        """Answer one request."""
        return self._by_host[request.host].respond(request.target)


def slug(title: str) -> str:
    """Return a title as a path segment of ASCII words."""
    plain = unicodedata.normalize("NFKD", title.lower()).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain))


def refresh(content: str) -> str:
    """Render a page that only leads elsewhere."""
    return f'<!DOCTYPE html><html><head><meta http-equiv="Refresh" content="{content}"><title>…</title></head></html>'
