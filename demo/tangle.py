"""The Tangle: a site with a layout of nested tables, an RSS feed, and a trap behind every other link."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import ClassVar
from urllib.parse import urlencode

from demo import feeds, tangle_pages, traps
from demo.render import esc, semantic
from demo.site import Route, Site, page
from demo.stories import Block, Story
from demo.wire import Request, Response, Trap, gzipped, html, redirect, xml
from webmain.items import Kind, Reason

N_PARTS = 3


class Tangle(Site):
    """The site with the worst markup, and all traps."""

    key: ClassVar[str] = "tangle"
    host: ClassVar[str] = "the-tangle.example"
    other_hosts: ClassVar[tuple[str, ...]] = ("www.the-tangle.example",)
    language: ClassVar[str] = "en"
    name: ClassVar[str] = tangle_pages.NAME

    def path(self, story: Story) -> str:
        """Return a path that says nothing."""
        return f"/p/{story.slug}"

    def story_routes(self, story: Story) -> Iterator[tuple[str, Route]]:
        """Serve a story as its forms ask for."""
        path = self.path(story)
        if "parts" in story.forms:
            for number in range(1, N_PARTS + 1):
                yield (path if number == 1 else f"{path}/{number}"), page(self.article(story, part=number))
            return
        yield path, lambda request: self._reply(story, request)
        if "duplicates" in story.forms:
            yield f"{path}/print", page(tangle_pages.bare(story, story.blocks))
            yield f"/amp{path}", page(tangle_pages.amp(story, self.url(story), story.blocks))

    def other_routes(self) -> dict[str, Route]:
        """Front page, hubs, feed, sitemaps and traps."""
        return {
            "/": page(self.front()),
            "/stories/": lambda request: html(self._listing(request)),
            "/index.php": self._by_query,
            "/feed.php": lambda _: xml(self.rss(), kind="text/xml"),
            "/maps/index.xml": lambda _: xml(
                feeds.sitemap_index(
                    self.absolute(f"/maps/{n}") for n in ("index.xml", "a.xml.gz", "gone.xml", "news.xml")
                )
            ),
            "/maps/a.xml.gz": lambda _: gzipped(feeds.sitemap(self.dated()), kind="text/html"),
            "/maps/news.xml": lambda _: xml(
                feeds.news_sitemap(tangle_pages.NAME, self.entries(self.stories[:3])), kind="text/plain"
            ),
            "/login": page(
                self._wrap("Members", '<form><input name="u"><input type="password"><button>In</button></form>')
            ),
            **traps.routes(self._wrap, self.href),
        }

    def robots(self) -> str:
        """Write robots.txt as such sites do: other agents first, odd spelling, a sitemap index that lists itself."""
        return (
            "\ufeffUSER-AGENT: GreedyBot\nDISALLOW: /\n\nuser-agent: *   # everyone else\ndisallow: /cgi/\n"
            f"Disallow: /*?*sort=\nCrawl-delay: 0\nHost: {self.host}\nsitemap: {self.absolute('/maps/index.xml')}\n"
        )

    def aliases(self, story: Story) -> tuple[str, ...]:
        """Return the many other URLs of a story."""
        url = self.url(story)
        found = [f"{url}?utm_source=feed&utm_medium=rss", self.absolute(f"/index.php?story={story.slug}")]
        found += [f"{url}?ref={box}" for box in ("list", "related", "side")]
        if "duplicates" in story.forms:
            found += [
                f"{url}/print",
                self.absolute(f"/amp/p/{story.slug}"),
                f"{url}?fbclid=IwAR0knot",
                f"{url}#top",
            ]
        return tuple(found)

    def noise(self, story: Story) -> tuple[str, ...]:
        """Return comments, teasers, boxes, banners and hidden text."""
        if "feed-only" in story.forms:
            return (tangle_pages.COOKIES, tangle_pages.AD_2)
        fixed = [tangle_pages.COOKIES, tangle_pages.SIGN_UP, tangle_pages.AD_2, tangle_pages.AD]
        fixed += [tangle_pages.profile(name) for name in story.authors]
        fixed += tangle_pages.HIDDEN if "hidden" in story.forms else ()
        fixed += (tangle_pages.GATE, *tangle_pages.BEHIND_GATE) if "paywall" in story.forms else ()
        return (*fixed, *(s.summary for s in self.related(story, 5)), *(c.text for c in self._place(story).comments))

    def paywalled(self, story: Story) -> bool | None:
        """Tell what a story's page says of free access."""
        return True if "paywall" in story.forms else None

    def traps(self) -> list[Trap]:
        """Return hubs, the table of traps, and what robots.txt forbids."""
        hub = frozenset({Reason.NOT_ARTICLE, Reason.NO_TEXT})
        found = [Trap(url=self.absolute(path), what=what, reasons=reasons) for path, what, reasons in traps.TABLE]
        found += [Trap(url=self.absolute(p), what="hub", reasons=hub) for p in ("/", "/stories/", "/login")]
        return [*found, Trap(url=self.absolute("/cgi/out?to=advertise"), what="forbidden by robots.txt")]

    def missing(self, request: Request) -> Response:
        """Answer an unknown story with a page that claims success, everything else with 404."""
        if request.path.startswith("/p/"):
            return html(self._wrap("Hmm", traps.SOFT_404 + self._cards(self.stories[:4])))
        if request.path.startswith("/calendar/"):
            return traps.calendar(request.path, self._wrap, self.root)
        return html(self._wrap("404", "<div>No such knot.</div>"), status=404)

    def rss(self) -> str:
        """Return the feed: links with a campaign's parameters, the whole text where the page has none."""
        channel = self.channel("/feed.php", "Stories with loose ends", "en-us")
        entries = [
            feeds.Entry(
                url=self.url(s) + "?utm_source=feed&utm_medium=rss",
                story=s,
                content="\n".join(semantic(s.blocks)) if "feed-only" in s.forms else "",
            )
            for s in self.stories
        ]
        return feeds.rss(channel, entries)

    def article(self, story: Story, *, part: int = 1) -> str:
        """Render a story's page."""
        parts = N_PARTS if "parts" in story.forms else 1
        return tangle_pages.article(
            story, self._place(story, part=part, parts=parts), _cut(story.blocks, parts)[part - 1]
        )

    def front(self) -> str:
        """Render the front page: every story, and links into every trap among them."""
        rows = "\n".join(
            f'<div class="tz"><a href="{self.href(path)}">{esc(traps.LINK_TEXTS[i % len(traps.LINK_TEXTS)])}</a></div>'
            for i, (path, _, _) in enumerate(traps.TABLE)
        )
        doubles = " ".join(
            f'<a href="{url}">again</a>' for s in self.stories if "duplicates" in s.forms for url in self.aliases(s)
        )
        week = f'<div class="ttl">Stories of the week</div>{self._cards(self.stories)}'
        attic = f'<div class="hd"><b>From the attic</b></div>{rows}<div>{doubles}</div>'
        return self._wrap("Stories with loose ends", week + attic)

    def _reply(self, story: Story, request: Request) -> Response:
        """Serve a story, after the troubles that its forms ask for."""
        if "busy" in story.forms and request.earlier == 0:
            response = html(
                self._wrap("One moment", "<div>Too many readers at once. Please wait a second.</div>"), status=429
            )
            return Response(response.status, {**response.headers, "Retry-After": "1"}, response.body)
        if "restarting" in story.forms and request.earlier == 0:
            return html(
                "<html><body><h1>503 Service Unavailable</h1>The server is being restarted.</body></html>", status=503
            )
        markup = self.article(story)
        if "truncated" in story.forms:
            markup = markup[
                : markup.rindex('<div id="c9"') if '<div id="c9"' in markup else markup.rindex('id="c9"') + 3
            ]
        if "header-latin1" in story.forms:
            return html(markup.replace('<meta charset="utf-8">', ""), charset="ISO-8859-1")
        return html(markup)

    def _by_query(self, request: Request) -> Response:
        """Serve a story under its old address: the same page, the canonical link apart from the URL."""
        for story in self.stories:
            if story.slug == request.query.get("story"):
                return self._reply(story, request) if "parts" not in story.forms else html(self.article(story))
        return redirect(self.absolute("/"), status=302)

    def _listing(self, request: Request) -> str:
        """Render a page of the list of everything; there is always one more."""
        number = request.query.get("page", "1")
        at = int(number) if number.isascii() and number.isdigit() and len(number) < 7 else 1
        section = request.query.get("section")
        found = [s for s in self.stories if section in (None, s.section)]
        shown = found[4 * (at - 1) : 4 * at] or found[-2:]
        query = urlencode({**({"section": section} if section else {}), "page": str(at + 1)})
        more = f'<div class="pg"><a href="{self.root}/stories/?{esc(query)}">More knots »</a></div>'
        return self._wrap(f"Stories, page {at}", self._cards(shown) + more)

    def _cards(self, found: Sequence[Story]) -> str:
        return "\n".join(
            f'<div class="tz"><div class="hd"><a href="{self.href(self.path(s))}?ref=list"><b>{esc(s.title)}</b></a>'
            f"</div><div>{esc(s.summary)}</div></div>"
            for s in found
        )

    def _place(self, story: Story, *, part: int = 1, parts: int = 1) -> tangle_pages.Place:
        """Say where a story's page stands, and what stands round it."""
        comments = self.comments if "long-comments" in story.forms else self.comments_from(5 * story.number, 12)
        return tangle_pages.Place(
            root=self.root,
            url=self.url(story),
            path=self.path(story),
            image=self.href(f"/img/{story.slug}.svg"),
            related=[(f"{self.href(self.path(s))}?ref=related", s) for s in self.related(story, 5)],
            comments=comments,
            part=part,
            parts=parts,
        )

    def _wrap(self, title: str, main: str) -> str:
        """Put the site round anything that is no story."""
        place = tangle_pages.Place(
            root=self.root,
            url=self.absolute("/"),
            path="/",
            image="",
            related=[(f"{self.href(self.path(s))}?ref=side", s) for s in self.stories[:4]],
            comments=(),
        )
        return tangle_pages.shell(f"{tangle_pages.NAME} » {title}", main, head="", place=place)


def _cut(blocks: Sequence[Block], parts: int) -> list[Sequence[Block]]:
    """Cut a story into pages, each after the first starting at a subhead."""
    heads = [i for i, b in enumerate(blocks) if b.kind is Kind.HEADING][: parts - 1]
    edges = [0, *heads, len(blocks)]
    return [blocks[a:b] for a, b in itertools.pairwise(edges)]
