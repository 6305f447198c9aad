"""The Harbour Courier: a clean English daily with good metadata, an Atom feed and everything in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from demo import feeds
from demo.render import (
    as_json,
    comment_list,
    english_date,
    esc,
    figure,
    fill,
    interleave,
    news_article,
    open_graph,
    script,
    semantic,
)
from demo.site import Route, Site, page, pages_of
from demo.stories import Comment, Story
from demo.wire import Request, Response, Trap, gzipped, html, redirect, xml
from webmain.items import Reason

NAME = "The Harbour Courier"
SIGN_UP = (
    "Get the harbour in your inbox: every weekday at six, the five stories that the town will talk about at lunch."
)
COOKIES = "We and our 214 partners would like to store crumbs of information on your device to measure how you read us."
BIO = "writes for the Courier from Wexhaven. Tips, corrections and old photographs are welcome at the front desk."
LIVE = "Live: the count in the town hall, minute by minute, with our reporter on the gallery."
AD = "Advertisement: Pettifer's Boots have kept the feet of this town dry since 1902."
OLDEST_WITH_COMMENTS = 5109  # the stories numbered above are served without comments


class Courier(Site):
    """The clean daily; the bare host leads to the one with www."""

    key: ClassVar[str] = "courier"
    host: ClassVar[str] = "www.harbour-courier.example"
    other_hosts: ClassVar[tuple[str, ...]] = ("harbour-courier.example",)
    language: ClassVar[str] = "en"
    name: ClassVar[str] = NAME
    hub_titles: ClassVar[Mapping[str, str]] = {
        "latest": "Latest news",
        "section": "{}",
        "tag": "Stories about {}",
        "author": "Stories by {}",
    }

    def hub_path(self, kind: str, name: str) -> str:
        """Return a path of words."""
        return f"/{name.lower()}/" if kind == "section" else f"/{kind}/{_slug(name)}/" if name else f"/{kind}/"

    def path(self, story: Story) -> str:
        """Return a path with the date, the section and the slug."""
        return f"/{story.published:%Y/%m/%d}/{story.section.lower()}/{story.slug}"

    def story_routes(self, story: Story) -> Iterator[tuple[str, Route]]:
        """Serve a story at its path, and again in a print version that robots.txt forbids."""
        path = self.path(story)
        yield path, lambda _: html(self.article(story))
        yield path + "/", lambda _: redirect(self.absolute(path))
        yield "/print" + path, lambda _: html(self.article(story))

    def other_routes(self) -> dict[str, Route]:
        """Front page, hubs, feed, sitemaps, and a few pages that every paper has."""
        routes: dict[str, Route] = {
            "/": page(self.front()),
            "/feed/atom.xml": lambda _: xml(self.atom(), kind="application/atom+xml; charset=utf-8"),
            "/sitemap-index.xml": lambda _: xml(
                feeds.sitemap_index(
                    self.absolute(f"/sitemaps/{n}") for n in ("articles-2026.xml.gz", "news.xml", "sections.xml")
                )
            ),
            "/sitemaps/articles-2026.xml.gz": lambda _: gzipped(feeds.sitemap(self.dated(self._listed()))),
            "/sitemaps/news.xml": lambda _: xml(feeds.news_sitemap(NAME, self.entries(self._listed()[:5]))),
            "/about": page(
                self._plain_page("About us", "The Harbour Courier has been printed in Wexhaven since 1871.")
            ),
            "/contact": page(
                self._plain_page("Contact", "The front desk is open from eight until six, except on Sundays.")
            ),
            "/search": page(self._plain_page("Search", "Type a word and press return.")),
            "/subscribe": page(self._plain_page("Subscribe", "Four weeks of the paper edition for the price of one.")),
        }
        for path, title, found in self.hubs():
            pages = pages_of(found, 4)
            for number, part in enumerate(pages, 1):
                at = path if number == 1 else f"{path}page/{number}/"
                routes[at] = page(self._hub(path, title, part, number=number, last=len(pages)))
        hubs = [(self.absolute(path), None) for path in routes if path.endswith("/")]
        routes["/sitemaps/sections.xml"] = lambda _: xml(feeds.sitemap(hubs))
        return routes

    def robots(self) -> str:
        """Forbid search and print pages, name the sitemap index."""
        return (
            "# The Harbour Courier\nUser-agent: *\n"
            "Disallow: /search\nDisallow: /print/\nDisallow: /account/\nAllow: /\n\n"
            f"Sitemap: {self.absolute('/sitemap-index.xml')}\n"
        )

    def aliases(self, story: Story) -> tuple[str, ...]:
        """Return the print version and the form with a slash."""
        return (self.absolute("/print" + self.path(story)), self.absolute(self.path(story) + "/"))

    def noise(self, story: Story) -> tuple[str, ...]:
        """Return comments, teasers, boxes and banners."""
        fixed = [SIGN_UP, COOKIES, AD, *(f"{name} {BIO}" for name in story.authors)]
        fixed += [LIVE] if "live-box" in story.forms else []
        return (*fixed, *(s.summary for s in self._teased(story)), *(c.text for c in self._comments(story)))

    def traps(self) -> list[Trap]:
        """Return the hubs and service pages."""
        service = [
            Trap(url=self.absolute(p), what="service page", reasons=frozenset({Reason.NOT_ARTICLE, Reason.NO_TEXT}))
            for p in ("/about", "/contact", "/subscribe")
        ]
        return [*self.hub_traps(), *service, Trap(url=self.absolute("/search"), what="forbidden by robots.txt")]

    def missing(self, request: Request) -> Response:
        """Answer 404 with a page that still looks like the paper."""
        return html(
            self._plain_page("Page not found", "The tide has taken this page, or it was never here."), status=404
        )

    def atom(self) -> str:
        """Return the feed of the eight newest stories."""
        channel = self.channel("/feed/atom.xml", "News from Wexhaven and the islands", "en-GB")
        return feeds.atom(channel, self.entries(self._listed()[:8]))

    def article(self, story: Story) -> str:
        """Render an article's page."""
        url, image = self.url(story), self.absolute(f"/img/{story.slug}.svg")
        head = [f'<link rel="canonical" href="{url}">'] if story.forms else []
        if "open-graph" in story.forms:
            head.append(open_graph(story, url=url, image=image, site_name=NAME, locale="en_GB"))
        if "json-ld" in story.forms:
            record = news_article(story, url=url, image=image, site_name=NAME, logo=self.absolute("/img/logo.svg"))
            head.append(script(record))
        picture = (
            figure(story.picture, self.href(f"/img/{story.slug}.svg"), credit="Courier archive")
            if story.picture
            else ""
        )
        main = fill(
            "courier_article.html",
            section=esc(story.section),
            section_href=self.href(f"/{story.section.lower()}/"),
            root=self.root,
            print_href=self.href("/print" + self.path(story)),
            title=esc(story.title),
            standfirst=esc(story.summary),
            byline=self._byline(story),
            picture=picture,
            body=self._body(story),
            tags="\n".join(
                f'<li><a href="{self.href(self.hub_path("tag", t))}" rel="tag">{esc(t)}</a></li>' for t in story.tags
            ),
            bio="\n".join(f'<p class="author-bio">{esc(name)} {BIO}</p>' for name in story.authors),
            related=self._cards(self._teased(story)[:4]),
            comments=comment_list(self._comments(story), reply="Reply", ago="{} hours ago"),
            n_comments=str(len(self._comments(story))),
            url=url,
        )
        return self._shell(f"{story.title} | {NAME}", main, head="\n".join(head), story=story)

    def front(self) -> str:
        """Render the front page: every story with its teaser, by section."""
        first, *rest = self.stories[:9]
        lead = f'<section class="lead">{self._cards([first], level=1)}</section>'
        feed = '<link rel="alternate" type="application/atom+xml" title="News" href="{}">'.format(
            self.href("/feed/atom.xml")
        )
        sections = "\n".join(
            f'<section><h2><a href="{self.href(f"/{name.lower()}/")}">{name}</a></h2>{self._cards(found[:3])}</section>'
            for name, found in self.grouped(lambda s: [s.section]).items()
        )
        return self._shell(f"{NAME} – news from Wexhaven", lead + self._cards(rest) + sections, head=feed)

    def _listed(self) -> list[Story]:
        """Stories that sitemaps and the feed know: one is found by links only."""
        return [s for s in self.stories if "unlisted" not in s.forms]

    def _hub(self, path: str, title: str, found: Sequence[Story], *, number: int, last: int) -> str:
        """Render one page of a hub with links to its neighbours."""
        links, head = [], [f'<link rel="canonical" href="{self.absolute(path)}">']
        if number > 1:
            before = self.href(path if number == 2 else f"{path}page/{number - 1}/")
            links.append(f'<a rel="prev" href="{before}">Newer stories</a>')
        if number < last:
            links.append(f'<a rel="next" href="{self.href(f"{path}page/{number + 1}/")}">Older stories</a>')
            head.append(f'<link rel="next" href="{self.href(f"{path}page/{number + 1}/")}">')
        main = f'<h1>{esc(title)}</h1>{self._cards(found)}<nav class="pagination">{" ".join(links)}</nav>'
        return self._shell(f"{title} | {NAME}", main, head="\n".join(head))

    def _plain_page(self, title: str, text: str) -> str:
        return self._shell(
            f"{title} | {NAME}", f"<h1>{esc(title)}</h1><p>{esc(text)}</p>{self._cards(self.stories[:3])}"
        )

    def _byline(self, story: Story) -> str:
        names = " and ".join(
            f'<a class="byline-name" rel="author" href="{self.href(self.hub_path("author", n))}">{esc(n)}</a>'
            for n in story.authors
        )
        day = english_date(story.published)
        if "no-metadata" in story.forms:
            return f'<p class="byline">By {" and ".join(map(esc, story.authors))}, {day}</p>'
        time = f'<time datetime="{story.published.isoformat()}">{day}, {story.published:%H:%M}</time>'
        if story.modified:
            updated = f"{english_date(story.modified)}, {story.modified:%H:%M}"
            time += (
                f' <span class="updated">Updated <time datetime="{story.modified.isoformat()}">{updated}</time></span>'
            )
        return f'<p class="byline">By {names}</p><p class="dateline">{time}</p>'

    def _body(self, story: Story) -> str:
        """Render the text with what stands between its paragraphs on a real page."""
        more = self._teased(story)[4]
        extras = {
            1: f'\n<div class="ad-slot" id="mid-1" aria-label="advertisement"><p>{esc(AD)}</p></div>',
            2: '\n<aside class="inline-related"><h4>Read more</h4>'
            f'<p><a href="{self.href(self.path(more))}">{esc(more.title)}</a></p><p>{esc(more.summary)}</p></aside>',
            4: f'\n<div class="newsletter-signup"><p>{esc(SIGN_UP)}</p>'
            f'<form action="{self.href("/subscribe")}" method="post">'
            '<label for="nl">Email address</label><input id="nl" type="email"><button>Sign up</button></form></div>',
        }
        if "live-box" in story.forms:
            extras[0] = f'\n<div class="live-box"><p><strong>{esc(LIVE)}</strong></p></div>'
        return interleave(semantic(story.blocks, root=self.root), lambda i: extras.get(i, ""))

    def _teased(self, story: Story) -> list[Story]:
        """Choose four stories for the boxes below the text, and a fifth for the one within."""
        return [*self.related(story, 4), self.related(story, 6)[-1]]

    def _comments(self, story: Story) -> tuple[Comment, ...]:
        """Choose the readers' comments below a story; the oldest stories are served without."""
        return () if story.number > OLDEST_WITH_COMMENTS else self.comments_from(5 * story.number, 7)

    def _cards(self, found: Sequence[Story], *, level: int = 3) -> str:
        """Render teasers: picture, headline, the whole summary, day."""
        return "\n".join(
            f'''<div class="card">
<a class="card-image" href="{self.href(self.path(s))}" tabindex="-1" aria-hidden="true">
<img src="{self.href(f"/img/{s.slug}.svg")}" alt="" width="320" height="180" loading="lazy"></a>
<div class="card-text"><span class="kicker">{esc(s.section)}</span>
<h{level}><a href="{self.href(self.path(s))}">{esc(s.title)}</a></h{level}>
<p class="teaser">{esc(s.summary)}</p><span class="card-date">{english_date(s.published)}</span></div></div>'''
            for s in found
        )

    def _shell(self, title: str, main: str, *, head: str = "", story: Story | None = None) -> str:
        """Put the paper round a page: head, navigation, sidebar, footer, banner, scripts."""
        sections = list(self.grouped(lambda s: [s.section]))
        tags = list(self.grouped(lambda s: s.tags))
        links = [(name, f"/{name.lower()}/") for name in sections]
        most_read = self.stories[::2][:5]
        state = {
            "page": {"type": "article" if story else "hub", "id": story.number if story else 0, "title": title},
            "consent": {"version": 41, "vendors": list(range(1, 215)), "purposes": list(range(1, 12))},
            "related": [
                {"id": s.number, "title": s.title, "teaser": s.summary, "path": self.path(s)} for s in self.stories
            ],
            "flags": {f"exp-{n:03}": bool(n % 3) for n in range(60)},
        }
        return fill(
            "courier.html",
            title=esc(title),
            head=head,
            root=self.root,
            home=self.href("/"),
            nav="\n".join(f'<li><a href="{self.href(path)}">{esc(name)}</a></li>' for name, path in links),
            topics="\n".join(f'<li><a href="{self.href(self.hub_path("tag", t))}">{esc(t)}</a></li>' for t in tags),
            main=main,
            most_read="\n".join(f'<li><a href="{self.href(self.path(s))}">{esc(s.title)}</a></li>' for s in most_read),
            latest=self.href("/latest/"),
            search=self.href("/search"),
            about=self.href("/about"),
            contact=self.href("/contact"),
            subscribe=self.href("/subscribe"),
            cookies=esc(COOKIES),
            state=as_json(state),
        )


class LaterCourier(Courier):
    """The same paper a day later: a story has news, and another was taken over from the Tangle."""

    later: ClassVar[tuple[str, ...]] = ("courier_later",)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
