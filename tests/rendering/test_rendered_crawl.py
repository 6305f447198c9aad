"""Crawls whose pages a browser draws: of the made-up web with styles, and of servers with hostile pages."""

import os
import signal
import time
from collections import Counter

import pytest

from demo.styled import StyledWeb
from webmain.archive.recording import WarcWriter
from webmain.items.rendered import Box, Rendering, encode
from webmain.text.words import tokens

VISUAL = "svm:features=length+tag_path+selector+visual"
TEXT = " ".join(f"On day {n} the harbour was dredged again, as the council had promised." for n in range(30))
SLUG = "/news/2026/11/20/the-harbour-was-dredged-again"
SHELL = "<html><head><title>The harbour</title>{head}</head><body><div id=room></div>{body}</body></html>"


def f1(text, wanted):
    one, other = Counter(tokens(text)), Counter(tokens(wanted))
    return 2 * (one & other).total() / (one.total() + other.total())


# ---- Without a browser


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"WEBMAIN_CHROMIUM": "no-such-chromium"}, "'no-such-chromium' is not installed"),
        ({"WEBMAIN_CHROMIUM": "/bin/sh"}, "crawl as an ordinary user") if os.geteuid() == 0 else ({}, ""),
    ],
)
def test_what_is_missing_is_told_once_before_the_crawl(crawl, site, settings, told):
    if not told:
        pytest.skip("an ordinary user has the sandbox")
    done = crawl("news", site=site.url, settings=settings, render="auto")
    assert done.code == 1
    assert done.log.count(told) == 1
    assert "Traceback" not in done.log
    assert not site.asked


def test_a_browser_that_does_not_start_ends_the_crawl_and_the_page_stays_pending(crawl, site):
    site.routes["/"] = (f'<a href="{SLUG}">The harbour was dredged again, as promised</a>',)
    site.routes[SLUG] = (SHELL.format(head="", body=f"<script>room.innerHTML = '<p>{TEXT}</p>'</script>"),)
    broken = {"WEBMAIN_CHROMIUM": "/bin/false", "WEBMAIN_CHROMIUM_SANDBOX": False}
    done = crawl("news", site=site.url, settings=broken, render="auto")
    assert done.code == 1
    assert done.log.count("The crawl ends: Chromium does not start") == 1
    assert "Chromium does not start" in done.out
    assert "Traceback" not in done.log
    assert not done.articles()


def test_the_words_of_render_are_checked(crawl, site, tmp_path):
    done = crawl("news", site=site.url, render="sometimes")
    assert "argument render: got 'sometimes'; allowed are auto, always, and never" in done.log + done.out
    rules = tmp_path / "sites.toml"
    rules.write_text('["paper.example"]\nrender = "sometimes"\n')
    done = crawl("news", site=site.url, settings={"WEBMAIN_SITES": rules})
    assert (
        "sites.toml:2: paper.example: render: got 'sometimes', allowed are auto, always, never" in done.log + done.out
    )


def styled_archive(path):
    """Record the made-up site as a browser would have drawn it: what is of the article is as wide as it should be."""
    web = StyledWeb()
    with WarcWriter(path) as writer:
        for n, expected in enumerate(web.lantern.expected()):
            wanted, blocks = set(expected.text.split("\n\n")), web.lantern.blocks(n)
            marked = "".join(f'<div data-webmain-box="{int(text in wanted)}">{text}</div>' for _, text in blocks)
            markup = web.lantern.article(2 * (n // 2))
            head = markup[: markup.index("</head>")].replace(markup[markup.index("<title>") :], "")
            html = f'{head}<meta name="description" content="{expected.text[:150]}"></head><body><div>{marked}</div></body>'
            looks = Rendering(1280, 1024, ({"color": "grey"}, {}), (Box(0, 680, n, 300, 99), Box(1, 0, n, 640, 99)))
            body = web.lantern.article(n).encode()
            writer.write(expected.url, 200, [("Content-Type", "text/html")], body, rendering=encode(html, looks))
    return web


def test_an_archive_is_learned_from_and_judged_by_what_was_drawn(crawl, tmp_path):
    web = styled_archive(tmp_path / "r.warc.gz")
    done = crawl("archive", path=str(tmp_path / "r.warc.gz"), extractor=VISUAL)
    found = {each["url"]: each for each in done.articles()}
    for expected in web.lantern.expected():
        assert found[expected.url]["extractor"] == "svm"
        assert f1(found[expected.url]["text"], expected.text) > 0.99


def test_pages_that_nobody_has_drawn_are_refused_with_a_reason(crawl, site, tmp_path):
    with WarcWriter(tmp_path / "r.warc.gz") as writer:
        for n in range(6):
            body = f"<title>Harbour {n}</title><p>{TEXT} {n}</p>".encode()
            writer.write(f"https://paper.example/{n}", 200, [("Content-Type", "text/html")], body)
    done = crawl("archive", path=str(tmp_path / "r.warc.gz"), extractor=VISUAL)
    assert "visual features need pages rendered by a browser (-a render=always)" in done.log
    assert "Traceback" not in done.log


# ---- With one

browser = pytest.mark.browser


@browser
@pytest.mark.timeout(400)
def test_style_tells_an_article_and_no_browser_is_needed_for_its_recording(crawl, tmp_path):
    web = {"DEMO_WEB": "demo.styled.StyledWeb"}
    arguments = {"site": "www.lantern-post.example", "extractor": VISUAL, "render": "always", "record": "r.warc.gz"}
    done = crawl("news", module="demo.settings", settings=web, timeout_s=250, **arguments)
    assert done.code == 0, done.log
    wanted = {each.url: each.text for each in StyledWeb().lantern.expected()}
    articles = {each["url"]: each["text"] for each in done.articles()}
    assert articles.keys() == wanted.keys()
    assert min(f1(articles[url], wanted[url]) for url in wanted) > 0.99
    assert "rendered     13" in done.out
    assert done.stats["webmain/render_requests"] >= 18

    def again(name, spider, **arguments):
        crawl.store = tmp_path / f"{name}.jsonl"
        settings = {"WEBMAIN_CHROMIUM": "no-such-chromium", "WEBMAIN_MODELS": tmp_path / name, **web}
        settings |= arguments.pop("settings", {})
        module = "webmain.settings" if spider == "news" else "demo.settings"
        found = crawl(spider, module=module, settings=settings, **arguments)
        return {each["url"]: each["text"] for each in found.articles() if each["url"] in wanted}

    assert again("archived", "archive", path=str(tmp_path / "r.warc.gz"), extractor=VISUAL) == articles
    replay = {"WEBMAIN_REPLAY": str(tmp_path / "r.warc.gz")}
    arguments.pop("record")
    assert again("replayed", "news", settings=replay, **arguments) == articles
    blind = again("blind", "archive", path=str(tmp_path / "r.warc.gz"), extractor="svm")
    assert sum(f1(blind[url], wanted[url]) for url in wanted) / len(wanted) < 0.9


@browser
def test_auto_draws_what_shows_nothing_without_its_scripts_and_asks_for_no_page_twice(crawl, site):
    paint = "fetch('/text.txt').then((a) => a.text()).then((t) => {{ room.innerHTML = `<p>${{t}}</p>` }})"
    site.routes["/"] = (
        f'<a href="{SLUG}">The harbour was dredged</a><a href="{SLUG}-2">The harbour was served</a>'
        f'<a href="{SLUG}-3">The harbour was printed as well</a>',
    )
    site.routes[SLUG] = (SHELL.format(head="", body=f"<script>{paint}</script>".replace("{{", "{").replace("}}", "}")),)
    site.routes[SLUG + "-2"] = (f"<title>Served</title><article><p>{TEXT.replace('day', 'evening')}</p></article>",)
    site.routes[SLUG + "-3"] = (b"%PDF-1.7 <<>>", 200, {"Content-Type": "application/pdf"})
    site.routes["/text.txt"] = (TEXT, 200, {"Content-Type": "text/plain"})
    done = crawl("news", site=site.url, render="auto", record="r.warc.gz")
    assert done.code == 0, done.log
    assert {each["text"] for each in done.articles()} == {TEXT, TEXT.replace("day", "evening")}
    assert done.stats["webmain/rendered"] == 1
    assert not any("render_failed" in name for name in done.stats)
    assert all(n == 1 for n in site.asked.values()), site.asked
    assert len(done.articles()) == 2
    crawl.store = crawl.folder / "second.jsonl"
    done = crawl("news", site=site.url)
    assert len(done.articles()) == 1, "without a browser the shell gives nothing"


@browser
def test_rules_of_a_site_say_which_pages_are_drawn(crawl, site, tmp_path):
    rules = tmp_path / "sites.toml"
    rules.write_text('["127.0.0.1"]\nrender = "never"\n')
    site.routes["/"] = (SHELL.format(head="", body=f"<script>room.innerHTML = '<p>{TEXT}</p>'</script>"),)
    done = crawl("news", site=site.url, render="always", settings={"WEBMAIN_SITES": rules})
    assert "webmain/rendered" not in done.stats


@browser
def test_styles_and_scripts_pass_robots_and_the_guard_of_addresses(crawl, site):
    inner = type(site)()
    outer = type(site)("127.0.0.2")
    site.routes["/robots.txt"] = ("User-agent: *\nDisallow: /private/",)
    head = (
        f'<script src="{inner.url}/inner.js"></script><link rel="stylesheet" href="{outer.url}/outer.css">'
        '<script src="/moved.js"></script><script src="/private/own.js"></script><script src="/own.js"></script>'
        '<script src="http://169.254.169.254/latest/x.js"></script><script src="http://localhost:1/x.js"></script>'
    )
    body = f"<script>room.innerHTML = '<p>{TEXT}</p>'; fetch('{inner.url}/data').catch(() => 0)</script>"
    site.routes["/"] = (f'<a href="{SLUG}">The harbour was dredged again, as promised</a>',)
    site.routes[SLUG] = (SHELL.format(head=head, body=body),)
    site.routes["/moved.js"] = ("", 302, {"Location": inner.url + "/moved.js"})
    site.routes["/own.js"] = ("document.title = 'Own'", 200, {"Content-Type": "text/javascript"})
    try:
        done = crawl("news", site=site.url, render="always")
    finally:
        inner.close()
        outer.close()
    assert done.code == 0, done.log
    assert [each["text"] for each in done.articles()] == [TEXT]
    assert not inner.asked
    assert not outer.asked  # 127.0.0.2 is no public address either
    assert not site.asked["/private/own.js"]
    assert site.asked["/own.js"] == 1
    assert done.stats["webmain/refused_addresses"] >= 3
    assert "Traceback" not in done.log


@browser
def test_names_that_lead_to_metadata_services_are_refused(crawl, site, tmp_path):
    (tmp_path / "names.py").write_text(
        "from scrapy.resolver import CachingThreadedResolver\n"
        "from twisted.internet.defer import succeed\n\n\n"
        "class Resolver(CachingThreadedResolver):\n"
        "    def getHostByName(self, name, timeout=None):\n"
        "        return succeed('127.0.0.1' if name == '127.0.0.1' else '169.254.169.254')\n"
    )
    head = '<script src="http://scripts.other.example/x.js"></script>'
    body = f"<script>room.innerHTML = '<p>{TEXT}</p>'</script>"
    site.routes["/"] = (f'<a href="{SLUG}">The harbour was dredged again, as promised</a>',)
    site.routes[SLUG] = (SHELL.format(head=head, body=body),)
    done = crawl("news", site=site.url, render="always", settings={"TWISTED_DNS_RESOLVER": "names.Resolver"})
    assert [each["text"] for each in done.articles()] == [TEXT]
    assert "169.254.169.254" in done.stats["webmain/refused_address"]


@browser
def test_a_page_that_can_not_be_drawn_goes_on_as_it_was_fetched(crawl, site):
    site.routes["/"] = (f'<a href="{SLUG}">The harbour was dredged again, as promised</a>',)
    site.routes[SLUG] = (f"<title>Harbour</title><article><p>{TEXT}</p></article><script>while (true) {{}}</script>",)
    done = crawl("news", site=site.url, render="always", settings={"WEBMAIN_RENDER_TIMEOUT_S": 6})
    assert [each["text"] for each in done.articles()] == [TEXT]
    assert done.stats["webmain/render_failed/timeout"] == 1
    assert "1 could not be drawn: 1 timeout" in done.out


@browser
def test_a_crawl_that_is_given_to_stop_does_not_wait_for_a_page_that_never_ends(crawl, site):
    site.routes["/"] = (f'<a href="{SLUG}">The harbour was dredged again, as promised</a>',)
    forever = '<script src="/begun.js"></script><script>while (true) {}</script>'
    site.routes[SLUG] = (f"<title>Harbour</title><article><p>{TEXT}</p></article>{forever}",)
    site.routes["/begun.js"] = ("1", 200, {"Content-Type": "text/javascript"})
    process = crawl.start("news", site=site.url, render="always", settings={"WEBMAIN_RENDER_TIMEOUT_S": 100})
    while not site.asked["/begun.js"] and process.poll() is None:
        time.sleep(0.1)
    time.sleep(0.5)  # until the next script runs
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    done = crawl.finish(process, "news")
    assert time.monotonic() - began < 60
    assert done.code == 4, done.log
    assert not done.articles()  # it stays pending
    assert "Traceback" not in done.log


@browser
def test_a_page_that_waits_for_a_script_in_vain_leaves_nothing_behind(crawl, site):
    site.routes["/"] = (f'<a href="{SLUG}">The harbour was dredged again, as promised</a>',)
    head = "".join(f'<script src="/slow{n}.js"></script>' for n in range(3))
    site.routes[SLUG] = (SHELL.format(head=head, body=f"<article><p>{TEXT}</p></article>"),)
    for n in range(3):
        site.routes[f"/slow{n}.js"] = ("1", 200, {"Content-Type": "text/javascript"}, 6)
    done = crawl("news", site=site.url, render="always", settings={"WEBMAIN_RENDER_TIMEOUT_S": 4})
    assert done.code == 0
    assert [each["text"] for each in done.articles()] == [TEXT]
    assert "Traceback" not in done.log
    assert "never retrieved" not in done.log
