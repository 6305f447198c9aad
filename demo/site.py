"""What the three made-up sites share: hosts, URLs, routes, hubs and the pages around the articles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import ClassVar
from urllib.parse import quote, urlsplit

from demo.feeds import Channel, Entry
from demo.render import placeholder
from demo.stories import Comment, Story, comments, stories
from demo.wire import Expected, Request, Response, Trap, html, redirect, text
from webmain.items import Reason

Route = Callable[[Request], Response]


class Site(ABC):
    """A made-up site: a table of routes over its stories.

    Parameters
    ----------
    origin : str
        Where it stands, with `{host}` for the host: "https://{host}", or "http://127.0.0.1:8000/~{host}".
    """

    key: ClassVar[str]
    host: ClassVar[str]
    other_hosts: ClassVar[tuple[str, ...]] = ()
    language: ClassVar[str]
    later: ClassVar[tuple[str, ...]] = ()
    """Folders with texts that were changed or added later."""
    name: ClassVar[str]
    hub_titles: ClassVar[Mapping[str, str]] = {}

    def __init__(self, origin: str) -> None:
        self.origin = origin.format(host=self.host)
        self.root = urlsplit(self.origin).path
        self.stories: tuple[Story, ...] = stories(self.key, *self.later)
        self.comments = comments(self.language)
        self._routes: dict[str, Route] = {"/robots.txt": lambda _: text(self.robots())}
        for story in self.stories:
            for path, route in self.story_routes(story):
                self._routes[path] = route
        self._routes.update(self.other_routes())

    # What each site decides for itself.

    @abstractmethod
    def path(self, story: Story) -> str:
        """Return the path (and query) of a story's page, unquoted."""

    @abstractmethod
    def story_routes(self, story: Story) -> Iterator[tuple[str, Route]]:
        """Yield every path under which a story, or a part of it, is served."""

    @abstractmethod
    def other_routes(self) -> dict[str, Route]:
        """Return hubs, feeds, sitemaps and traps."""

    @abstractmethod
    def robots(self) -> str:
        """Return robots.txt."""

    @abstractmethod
    def noise(self, story: Story) -> tuple[str, ...]:
        """Return sentences on a story's page that are no part of it."""

    @abstractmethod
    def missing(self, request: Request) -> Response:
        """Answer what has no route."""

    def aliases(self, story: Story) -> tuple[str, ...]:
        """Return the other URLs of a story."""
        return ()

    def traps(self) -> list[Trap]:
        """Return the URLs that must not become articles."""
        return []

    # What they share.

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host name this site answers under, the main one first."""
        return (self.host, *self.other_hosts)

    def answer(self, request: Request) -> Response:
        """Answer a request to one of the hosts; other hosts lead to the main one."""
        if request.host != self.host:
            return redirect(self.absolute(request.path))
        if request.path.startswith("/img/"):
            label = request.path.rsplit("/", 1)[-1].removesuffix(".svg")
            return Response(200, {"Content-Type": "image/svg+xml"}, placeholder(label).encode())
        route = self._routes.get(request.path)
        return route(request) if route else self.missing(request)

    def absolute(self, path: str) -> str:
        """Return the absolute URL of a path, percent-encoded."""
        return self.origin + quote(path, safe="/?=&%#")

    def href(self, path: str) -> str:
        """Return a root-relative link, percent-encoded."""
        return self.root + quote(path, safe="/?=&%#")

    def url(self, story: Story) -> str:
        """Return a story's canonical URL."""
        return self.absolute(self.path(story))

    def entries(self, chosen: Sequence[Story] | None = None) -> list[Entry]:
        """List stories for feeds and sitemaps, newest first."""
        return [Entry(url=self.url(s), story=s) for s in (self.stories if chosen is None else chosen)]

    def dated(self, chosen: Sequence[Story] | None = None) -> list[tuple[str, datetime | None]]:
        """List stories' URLs with the times of their last changes, for sitemaps."""
        return [(e.url, e.changed) for e in self.entries(chosen)]

    def related(self, story: Story, count: int) -> list[Story]:
        """Choose other stories: those that follow in the list, round its end."""
        at = self.stories.index(story)
        return [self.stories[(at + 1 + i) % len(self.stories)] for i in range(min(count, len(self.stories) - 1))]

    def grouped(self, key: Callable[[Story], Sequence[str]]) -> dict[str, list[Story]]:
        """Group stories by section, tag or author."""
        groups: dict[str, list[Story]] = {}
        for story in self.stories:
            for name in key(story):
                groups.setdefault(name, []).append(story)
        return groups

    def hub_path(self, kind: str, name: str) -> str:
        """Return the path of the list of everything ("latest"), of a section, a tag or an author."""
        raise NotImplementedError

    def hubs(self) -> Iterator[tuple[str, str, list[Story]]]:
        """Yield path, title and stories of the list of everything, and of each section, tag and author page."""
        yield self.hub_path("latest", ""), self.hub_titles["latest"], list(self.stories)
        for kind, key in _HUBS.items():
            for name, found in self.grouped(key).items():
                yield self.hub_path(kind, name), self.hub_titles[kind].format(name), found

    def hub_traps(self) -> list[Trap]:
        """Return the hubs, which must not become articles."""
        return [
            Trap(url=self.absolute(path), what="hub", reasons=frozenset({Reason.NOT_ARTICLE}))
            for path, *_ in self.hubs()
        ]

    def channel(self, path: str, description: str, language: str) -> Channel:
        """Return the head of a feed."""
        home, url = self.absolute("/"), self.absolute(path)
        return Channel(title=self.name, home=home, url=url, description=description, language=language)

    def comments_from(self, start: int, n: int) -> tuple[Comment, ...]:
        """Return so many of the readers' comments, from one on, round the list's end."""
        at = start % len(self.comments)
        return (self.comments + self.comments)[at : at + n]

    def expected(self) -> list[Expected]:
        """Return the ground truth, newest first."""
        return [self._expected(story) for story in self.stories]

    def _expected(self, story: Story) -> Expected:
        return Expected(
            url=self.url(story),
            site=self.host.removeprefix("www."),
            title=story.title,
            authors=story.authors,
            published=story.published,
            text=story.text,
            language=story.language,
            section=story.section,
            tags=story.tags,
            aliases=self.aliases(story),
            optional=(story.title, story.summary, *story.captions, *story.authors),
            noise=self.noise(story),
            paywalled=self.paywalled(story),
            forms=story.forms,
        )

    def paywalled(self, story: Story) -> bool | None:
        """Tell what a story's page says of free access."""
        return False if "json-ld" in story.forms else None


_HUBS: dict[str, Callable[[Story], Sequence[str]]] = {
    "section": lambda story: [story.section],
    "tag": lambda story: story.tags,
    "author": lambda story: story.authors,
}


def pages_of(found: Sequence[Story], size: int) -> list[Sequence[Story]]:
    """Cut a list of stories into pages of a hub."""
    return [found[i : i + size] for i in range(0, len(found), size)] or [[]]


def page(markup: str) -> Route:
    """Make a route of a page that is always the same."""
    return lambda _: html(markup)
