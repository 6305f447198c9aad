"""A crawl that hostile pages try to lead to servers inside: whatever asks, nothing there is asked for."""

import json
from contextlib import contextmanager

import pytest

from webmain.ledger.ledger import Ledger, State

TEXT = " ".join(f"On day {n} the harbour was dredged again, as the council had promised." for n in range(30))


@pytest.fixture
def inner(site):
    """A server that must not be asked: it is not the one that the user named."""
    server = type(site)()
    server.routes["/"] = (f"<title>Inside</title><article><p>{TEXT}</p></article>",)
    yield server
    server.close()


def to(url, status=302):
    return "", status, {"Location": url, "Content-Type": "text/html"}


def slug(name):
    return f"/news/2026/11/20/the-{name}-of-the-harbour-was-dredged-again"


@contextmanager
def nothing_asked(server):
    yield
    assert not server.asked


def page(body="", head=""):
    return f"<html><head><title>A story</title>{head}</head><body><article><p>{TEXT}</p></article>{body}</body></html>"


def test_no_request_of_a_crawl_reaches_a_server_inside(crawl, site, inner):
    spellings = {
        "plain": inner.url,
        "name": f"http://localhost:{inner.port}",
        "decimal": f"http://2130706433:{inner.port}",
        "hex": f"http://0x7f000001:{inner.port}",
        "octal": f"http://0177.0.0.1:{inner.port}",
        "short": f"http://127.1:{inner.port}",
        "dot": f"http://127.0.0.1.:{inner.port}",
        "mapped": f"http://[::ffff:127.0.0.1]:{inner.port}",
        "port": f"http://127.0.0.1:{inner.port}",
        "metadata": "http://169.254.169.254/latest/meta-data",
        "scheme": "file:///etc/passwd",
    }
    links = "".join(f'<a href="{slug(name)}">The {name} of the harbour</a>' for name in [*spellings, "parts", "honest"])
    feed = f'<link rel="alternate" type="application/rss+xml" href="{inner.url}/feed.xml">'
    links += f'<a href="{inner.url}{slug("link")}">Inside</a>'
    site.routes["/"] = (f"<html><head><title>Front</title>{feed}</head><body>{links}</body></html>",)
    site.routes["/robots.txt"] = (
        f"Sitemap: {inner.url}/map.xml\nSitemap: {site.url}/map.xml\nSitemap: {site.url}/moved.xml",
    )
    site.routes["/moved.xml"] = to(inner.url + "/map.xml")
    child = f"<sitemap><loc>{inner.url}/child.xml</loc></sitemap>"
    site.routes["/map.xml"] = (f"<sitemapindex>{child}</sitemapindex>", 200, {"Content-Type": "text/xml"})
    for name, start in spellings.items():
        site.routes[slug(name)] = to(start + slug(name))
    site.routes[slug("honest")] = (page(),)
    site.routes[slug("parts")] = (page(head=f'<link rel="next" href="{slug("parts")}/2">').replace("day", "morning"),)
    site.routes[slug("parts") + "/2"] = to(inner.url + "/")
    with nothing_asked(inner):
        done = crawl("news", site=site.url, settings={"RETRY_TIMES": 2})
    assert done.code == 0, done.log
    assert "Traceback" not in done.log
    assert {a["url"].rpartition("/")[2] for a in done.articles()} == {
        slug(n).rpartition("/")[2] for n in ("honest", "parts")
    }
    assert done.stats["webmain/failed/refused_address"] == len(spellings) - 1
    assert done.stats["webmain/refused_addresses"] >= 1
    assert " WARNING: " not in done.log
    assert "not asked" in done.out
    assert "WEBMAIN_ALLOW_PRIVATE" in done.out
    assert all(site.asked[slug(name)] == 1 for name in spellings)  # not retried in this run
    with Ledger(f"{done.store}.ledger") as ledger:  # one attempt, and nothing settled
        assert {ledger.state(site.url + slug(name)) for name in spellings} == {State.PENDING}


def test_a_front_page_does_not_make_a_server_inside_the_site(crawl, site, inner):
    site.routes["/"] = to(inner.url + "/")
    with nothing_asked(inner):
        done = crawl("news", site=site.url)
    assert not done.articles()
    assert done.stats["webmain/refused_addresses"] >= 1
    assert done.code == 3


def test_a_robots_txt_is_not_looked_for_inside(crawl, site, inner):
    site.routes["/robots.txt"] = to(inner.url + "/robots.txt")
    site.routes["/"] = (page(),)
    with nothing_asked(inner):
        done = crawl("news", site=site.url)
    assert done.stats["webmain/refused_addresses"] >= 1
    assert done.code == 3
    assert "Traceback" not in done.log


def test_private_addresses_are_reached_where_the_user_says_so(crawl, site, inner):
    site.routes["/"] = to(inner.url + slug("inner"))
    inner.routes[slug("inner")] = (page(),)
    done = crawl("news", site=f"{site.url}={inner.url}", settings={"WEBMAIN_ALLOW_PRIVATE": "1"}, max_pages=2)
    assert inner.asked[slug("inner")]
    assert done.code == 0
    done = crawl("news", site=f"{site.url}={inner.url}", max_pages=2, skip_known="no")
    assert inner.asked[slug("inner")] == 2, "named as the same site, it need not be allowed"


def test_a_front_page_on_another_domain_is_told_with_what_to_do(crawl, site, inner):
    site.routes["/"] = to(inner.url + "/")
    done = crawl("news", site=site.url, settings={"WEBMAIN_ALLOW_PRIVATE": "1"})
    name, other = (server.url.removeprefix("http://") for server in (site, inner))
    assert not done.articles()
    assert f"-a site={name}={other}" in done.out
    assert not [path for path in inner.asked if path not in ("/", "/robots.txt")]


def test_a_name_that_changes_its_address_gains_nothing(crawl, site):
    outer = type(site)("127.0.0.2", site.port)
    closing = {"Content-Type": "text/html", "Connection": "close"}
    link = f'<a href="{slug("story")}">The story of the harbour</a>'
    outer.routes = {"/robots.txt": ("", 404, closing), "/": (page(link), 200, closing)}
    site.routes = {}
    done = crawl(
        "news",
        site=f"http://rebound.test:{site.port}",
        settings={"TWISTED_DNS_RESOLVER": "rebinding.Resolver", "DNSCACHE_ENABLED": "0"},
    )
    outer.close()
    assert outer.asked["/robots.txt"] == 1
    assert not site.asked
    assert done.stats["webmain/refused_addresses"] >= 1, json.dumps(done.stats)


def test_a_named_site_is_as_private_as_any_where_others_do_the_naming(crawl, site):
    site.routes["/"] = (page(),)
    with nothing_asked(site):
        done = crawl("news", site=site.url, settings={"WEBMAIN_NAMED_PRIVATE": "0"})
    assert not done.articles()
    assert done.code == 3
