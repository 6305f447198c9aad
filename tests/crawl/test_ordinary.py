"""The spider `news` over ordinary sites, each of which gives its articles away in one way: all are found, cheaply."""

from collections import defaultdict
from functools import partial
from urllib.parse import unquote, urlsplit

import pytest

from demo.feeds import Channel, rss
from demo.ordinary import N_ARTICLES, SITES, FerryLane, OrdinarySite, OrdinaryWeb, refresh, slug
from demo.render import script
from demo.server import serve
from demo.wire import html, xml

HTTP = "http://{host}"
LEAST_USEFUL = 0.9
CRAWLS = pytest.StashKey()


@pytest.fixture
def crawl_web(crawl, monkeypatch):
    """Crawl a made-up web over sockets, so that it counts what it was asked for."""

    def run(web, **options):
        web.visits.clear()
        with serve(web=web) as base_url:
            monkeypatch.setenv("http_proxy", base_url)
            sites = ",".join(f"http://{host}" for host in web.hosts)
            return crawl("news", site=sites, timeout_s=240, **options)

    return run


def web_of(*kinds, n_articles=N_ARTICLES):
    return OrdinaryWeb([kind(HTTP, n_articles=n_articles) for kind in kinds])


def stored(done):
    return {article["canonical_url"] or article["url"] for article in done.articles()}


def wasted(web, site):
    """Return the requests to a site that gave neither an article nor a list, a source or the next step to one."""
    useful, waste = {site.url(n) for n in range(len(site.drafts))}, []
    for url, count in web.visits.items():
        parts = urlsplit(url)
        if parts.hostname == site.host:
            path = unquote(parts.path) + (f"?{parts.query}" if parts.query else "")
            is_useful = (
                url in useful or path in site.lists | site.steps | {"/feed.xml", "/sitemap.xml"} & site.pages.keys()
            )
            waste += [url] * (count - is_useful)
    return waste


@pytest.fixture
def ordinary(crawl_web, request):
    """One crawl of the four sites, made for the first test that asks."""
    stash = request.node.parent.stash
    if CRAWLS not in stash:
        web = web_of(*SITES)
        stash[CRAWLS] = web, crawl_web(web, learn="no", settings={"WEBMAIN_WORKERS": 1})
    return stash[CRAWLS]


@pytest.mark.parametrize("kind", SITES)
def test_every_article_of_an_ordinary_site_is_stored_and_no_list(ordinary, kind):
    web, done = ordinary
    (site,) = (site for site in web.sites if isinstance(site, kind))
    found = {url for url in stored(done) if urlsplit(url).hostname == site.host}
    assert found == {expected.url for expected in site.expected()}


@pytest.mark.parametrize("kind", SITES)
def test_nine_of_ten_requests_give_an_article_or_lead_to_one(ordinary, kind):
    web, _ = ordinary
    (site,) = (site for site in web.sites if isinstance(site, kind))
    n_requests = sum(n for url, n in web.visits.items() if urlsplit(url).hostname == site.host)
    assert len(wasted(web, site)) < (1 - LEAST_USEFUL) * n_requests, wasted(web, site)


def test_titles_languages_and_texts_are_right(ordinary):
    web, done = ordinary
    articles = {article["url"]: article for article in done.articles()}
    for expected in web.expected():
        article, paragraphs = articles[expected.url], expected.text.split("\n\n")
        assert article["title"].startswith(expected.title)
        assert article["language"] == expected.language
        assert sum(paragraph in article["text"] for paragraph in paragraphs) >= 0.8 * len(paragraphs), expected.url


class Shape(OrdinarySite):
    """A site whose articles and lists have addresses of one of the usual forms."""

    language = "en"

    def path(self, n):
        return self.form.format(  # type: ignore[attr-defined]
            n=n + 1, slug=slug(self.drafts[n].title), name=f"{chr(97 + n % 26)}{n}", day=self.drafts[n].published
        )

    def other_pages(self):
        yield from self.listing("/", self.name, range(len(self.drafts)), 4, self.following)  # type: ignore[attr-defined]


def shape(name, form, following, base=Shape, **more):
    return type(name, (base,), {"host": f"{name}.example", "name": name, "form": form, "following": following, **more})


class Archive(Shape):
    """The front page leads to a year, that to months, those to days, and only these to articles."""

    def other_pages(self):
        days = defaultdict(list)
        for n, draft in enumerate(self.drafts):
            days[f"{draft.published:/%Y/%m/%d/}"].append(n)
        months = sorted({day[:9] for day in days})
        folders = {"/": ["/archive/"], "/archive/": ["/2026/"], "/2026/": months}
        folders |= {month: [day for day in days if day.startswith(month)] for month in months}
        for path, below in folders.items():
            self.lists.add(path)
            links = "".join(f'<li><a href="{at}">{at.strip("/")}</a></li>' for at in below)
            yield path, partial(self.shell, path, f"<ul>{links}</ul>")
        for day, numbers in days.items():
            yield from self.listing(day, day, numbers, 9, day)


class Sections(Shape):
    """Articles are in the pages of tags, categories, authors or letters alone; the front page has a feed of two."""

    def other_pages(self):
        names = ["alpha", "beta", "gamma"]
        self.lists |= {"/"}
        links = "".join(f'<li><a href="{self.top.format(name)}">{name}</a></li>' for name in names)  # type: ignore[attr-defined]
        yield (
            "/",
            partial(
                self.shell,
                self.name,
                f"<ul>{links}</ul>",
                head='<link rel="alternate" type="application/rss+xml" href="/feed.xml">',
            ),
        )
        channel = Channel(title=self.name, home=self.origin, url=self.origin, description="", language="en")
        yield "/feed.xml", lambda: xml(rss(channel, self.entries(range(2))))
        for at, name in enumerate(names):
            top = self.top.format(name)  # type: ignore[attr-defined]
            yield from self.listing(top, name, range(at, len(self.drafts), 3), 2, top + self.following)  # type: ignore[attr-defined]


class MoreByScript(Shape):
    """Pages after the first are pieces that a script would add; the next one is declared in the head, then in a link."""

    def list_page(self, title, numbers, following):
        if 0 in numbers:
            return self.shell(title, self.cards(numbers), head=f'<link rel="next" href="{following}">')
        return self.cards(numbers) + (f'<a rel="next" href="{following}">Load more</a>' if following else "")


class Chain(Shape):
    """The front page names the newest article, and each article the next older one."""

    def other_pages(self):
        yield "/", partial(self.list_page, self.name, [0], "")

    def story(self, n):
        older = f'<p>See also <a href="{self.path(n + 1)}">what came before</a></p>' if n + 1 < len(self.drafts) else ""
        return super().story(n) + older


class ByScript(Shape):
    """Lists show nothing at all: headlines and addresses are in the state of a framework."""

    def list_page(self, title, numbers, following):
        stories = [{"headline": self.drafts[n].title, "url": self.path(n)} for n in numbers]
        more = f'<link rel="next" href="{following}">' if following else ""
        state = script({"props": {"stories": stories}}, kind="application/json")
        return self.shell(title, f'<div id="app"></div>{state}', head=more)


class Refreshing(Shape):
    """Refreshes in circles, without end, to other sites and to what is there already."""

    def other_pages(self):
        yield from super().other_pages()
        targets = {
            "/a/": "/b/",
            "/b/": "/a/",
            "/self/": "/self/?again",
            "/off/": "http://elsewhere.invalid/",
            "/known/": self.path(0),
        }
        for path, target in targets.items():
            self.lists.add(path)
            yield path, partial(refresh, f"0; url={target}")

    def menu(self):
        return [
            (path, f"A page with a long name at {path}") for path in ("/a/", "/self/", "/off/", "/known/", "/more/1/")
        ]

    def respond(self, path):
        if path.startswith("/more/"):
            return html(refresh(f"0; url=/more/{int(path.split('/')[2]) + 1}/"))
        return super().respond(path)


class WholePosts(Shape):
    """Lists show whole articles, one below the other, at addresses that look like articles."""

    def cards(self, numbers):
        return "".join(
            self.story(n).replace("<h1>", f'<h2><a href="{self.path(n)}">').replace("</h1>", "</a></h2>")
            for n in numbers
        )


class Calendar(Shape):
    """A calendar without end beside the list."""

    def other_pages(self):
        yield from super().other_pages()
        self.lists |= {f"/calendar/{year}/{month:02}/" for year in range(2000, 2100) for month in range(1, 13)}

    def menu(self):
        return [("/calendar/2026/11/", "Calendar")]

    def respond(self, path):
        if not path.startswith("/calendar/"):
            return super().respond(path)
        year, month = map(int, path.strip("/").split("/")[1:3])
        after = f"/calendar/{year + month // 12}/{month % 12 + 1:02}/"
        days = "".join(f'<a href="{path}{day}/">{day}</a>' for day in range(1, 29))
        return html(self.shell(path, f'{days}<a rel="next" href="{after}">Next</a>'))


SHAPES = (
    shape("drupal", "/node/{n}", "/?page={n}"),
    shape("wordpress", "/{slug}/", "/page/{n}/"),
    shape("plain", "/?p={n}", "/?paged={n}"),
    shape("blogspot", "/{day:%Y/%m}/{name}.html", "/search?updated-max=2026-11-{n:02}T10:00:00-08:00&max-results=4"),
    shape("offsets", "/view.php?id={n}", "/index.php?offset={n}0&limit=10"),
    shape("numbers", "/{n}.html", "/index_{n}.html"),
    shape("names", "/town/{name}", "/town/{n}"),
    shape("dated", "/{day:%Y/%m/%d}/{slug}/", "", Archive),
    shape("tagged", "/{slug}/", "page/{n}/", Sections, top="/tag/{}/"),
    shape("categorised", "/stories/{slug}", "?page={n}", Sections, top="/category/{}/"),
    shape("letters", "/{day:%Y}/{name}", "page-{n}.html", Sections, top="/a-z/{}/"),
    shape("scripted", "/news/{n}", "/ajax/list?page={n}", MoreByScript),
    shape("whole", "/blog/{slug}", "/older-posts-of-our-long-blog/{n}", WholePosts),
    shape("endless", "/{slug}", "/list?page={n}", Calendar),
    shape("topics", "/topics/{slug}", "/topics?page={n}"),
    shape("filed", "/category/news/{slug}/", "/category/news/page/{n}/"),
    shape("chained", "/{slug}", "", Chain),
    shape("dynamic", "/story/{slug}", "/latest?page={n}", ByScript),
    shape("refreshing", "/{slug}", "/page/{n}", Refreshing),
)


def test_articles_are_found_whatever_the_form_of_addresses_and_lists(crawl_web):
    web = web_of(*SHAPES, n_articles=10)
    done = crawl_web(web, learn="no")
    found = stored(done)
    missing = {site.host: sorted({e.url for e in site.expected()} - found) for site in web.sites}
    assert {host: urls for host, urls in missing.items() if urls} == {}
    assert found == {e.url for e in web.expected()}
    calendar = [url for url in web.visits if "/calendar/" in url]
    assert 0 < len(calendar) <= 40
    assert sum("refreshing.example/more" in url for url in web.visits) <= 6
    assert done.stats["webmain/skipped/offsite"] == 1


def test_lists_are_read_again_in_the_next_run_whatever_their_addresses(crawl_web):
    kinds = [FerryLane, *(kind for kind in SHAPES if kind.host in ("names.example", "offsets.example"))]
    before = web_of(*kinds, n_articles=14)
    crawl_web(before, learn="no")
    web = web_of(
        *kinds, n_articles=15
    )  # the last one is on a later page of /letters-from-the-far-islands/, /town/, ...
    again = crawl_web(web, learn="no")
    assert again.stats["webmain/articles/new"] == len(kinds)
    assert {e.url for e in web.expected()} == stored(again)
    guesses = {url for url in before.visits if urlsplit(url).path.startswith(("/sitemap", "/feed", "/rss"))}
    assert guesses
    assert not guesses & web.visits.keys()  # those that led nowhere are not repeated
