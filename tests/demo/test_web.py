from __future__ import annotations

import gzip
import html
import re
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from demo.web import LaterWeb, Web
from demo.wire import Expected, Response, UnknownHostError

SHARED = Web()
EXPECTED = SHARED.expected()
TRAPS = SHARED.traps()


@pytest.fixture
def web() -> Web:
    return Web()


def get(web: Web, url: str, *, tries: int = 3, hops: int = 5) -> Response:
    """Fetch with retries and redirects, as a patient client does."""
    for _ in range(tries):
        response = web.respond(url)
        if response.status in (301, 302) and hops:
            return get(web, urljoin(url, response.headers["Location"]), hops=hops - 1)
        if response.status < 429:
            break
    return response


def decoded(response: Response) -> str:
    if b"windows-874" in response.body[:300]:
        return response.body.decode("cp874")
    return response.body.decode("utf-8")


def stripped(markup: str) -> str:
    """Drop scripts, styles and tags; fold white space."""
    markup = re.sub(r"<(script|style)\b.*?</\1>", " ", markup, flags=re.S)
    return fold(html.unescape(re.sub(r"<[^>]*>", "", markup)))


def fold(text: str) -> str:
    return " ".join(text.split())


def story_text(web: Web, article: Expected) -> str:
    """Return what a reader of all pages of an article sees, tags stripped."""
    if "feed-only" in article.forms:
        return stripped(decoded(web.respond("https://the-tangle.example/feed.php")))
    pages = [article.url]
    if "parts" in article.forms:
        pages += [f"{article.url}/{n}" for n in (2, 3)]
    if "two-pages" in article.forms:
        pages.append(article.url + "?page=2")
    return " ".join(stripped(decoded(get(web, url))) for url in pages)


def locations(web: Web, url: str, *, depth: int = 0) -> list[str]:
    """Read a sitemap and those below it."""
    response = web.respond(url)
    if response.status != 200:
        return []
    body = gzip.decompress(response.body) if response.body.startswith(b"\x1f\x8b") else response.body
    tree = etree.fromstring(body)
    found = [str(node.text) for node in tree.iter("{*}loc")]
    if etree.QName(tree).localname == "urlset":
        return found
    return [u for child in found if depth < 2 and child != url for u in locations(web, child, depth=depth + 1)]


SITEMAPS = {
    "www.harbour-courier.example": "https://www.harbour-courier.example/sitemap-index.xml",
    "khaosaiklang.example": "https://khaosaiklang.example/sitemap.xml",
    "the-tangle.example": "https://the-tangle.example/maps/index.xml",
}


@pytest.mark.parametrize("article", EXPECTED, ids=lambda a: a.url.rsplit("/", 1)[-1][-24:])
def test_ground_truth_stands_in_the_rendered_pages(web: Web, article: Expected) -> None:
    seen = story_text(web, article)
    for block in article.text.split("\n\n"):
        for cell in re.split(r"[\t\n]", block):
            assert fold(cell) in seen
    for part in (article.title, *article.authors):
        assert fold(part) in seen


@pytest.mark.parametrize("article", EXPECTED, ids=lambda a: a.url.rsplit("/", 1)[-1][-24:])
def test_noise_stands_in_the_page_and_not_in_the_ground_truth(web: Web, article: Expected) -> None:
    seen = stripped(decoded(get(web, article.url)))
    if "two-pages" in article.forms:
        seen += stripped(decoded(get(web, article.url + "?page=2")))
    assert len(article.noise) >= 2
    missing = [n for n in article.noise if fold(n) not in seen]
    assert len(missing) <= (len(article.noise) // 2 if "truncated" in article.forms else 0)
    assert not [n for n in article.noise if n in article.text]


@pytest.mark.parametrize("host", SITEMAPS)
def test_every_link_of_the_sitemaps_answers_200(web: Web, host: str) -> None:
    found = locations(web, SITEMAPS[host])
    assert found
    assert {urlsplit(u).hostname for u in found} == {host}
    assert [u for u in found if get(web, u, hops=0).status != 200] == []
    known = {e.url for e in EXPECTED if urlsplit(e.url).hostname == host and "unlisted" not in e.forms}
    assert known <= set(found)


def test_the_unlisted_story_is_found_by_links_only(web: Web) -> None:
    unlisted = next(e for e in EXPECTED if "unlisted" in e.forms)
    assert unlisted.url not in locations(web, SITEMAPS["www." + unlisted.site])
    assert urlsplit(unlisted.url).path in decoded(web.respond(f"https://www.{unlisted.site}/sport/"))


def test_internal_links_of_clean_sites_are_never_dead(web: Web) -> None:
    for host in ("www.harbour-courier.example", "khaosaiklang.example"):
        start = f"https://{host}/"
        seen, queue = {start}, [start]
        while queue:
            url = queue.pop()
            for link in re.findall(r'<a [^>]*href="([^"#]+)"', decoded(web.respond(url))):
                target = urljoin(url, html.unescape(link))
                private = ("/account/", "/member/", "mailto:")
                if urlsplit(target).hostname == host and target not in seen and not any(p in target for p in private):
                    assert get(web, target).status == 200, (url, target)
                    seen.add(target)
                    queue.append(target)
        assert {e.url for e in EXPECTED if urlsplit(e.url).hostname == host} <= seen


def test_the_tangle_gives_no_hint_by_element_or_class(web: Web) -> None:
    for article in EXPECTED:
        if article.site == "the-tangle.example":
            page = decoded(get(web, article.url))
            assert "<article" not in page
            assert "<main" not in page
            assert "<h1" not in page
            assert all(c.startswith("_") for names in re.findall(r'class="([^"]*)"', page) for c in names.split())
            assert page.index("We value your privacy".lower()[1:]) < page.index(html.escape(article.title), 2000)


def test_a_busy_page_asks_for_a_second_and_then_answers(web: Web) -> None:
    busy = next(e for e in EXPECTED if "busy" in e.forms)
    first, second = web.respond(busy.url), web.respond(busy.url)
    assert (first.status, first.headers["Retry-After"], second.status) == (429, "1", 200)
    restarting = next(e for e in EXPECTED if "restarting" in e.forms)
    assert [web.respond(restarting.url).status for _ in range(3)] == [503, 200, 200]


@pytest.mark.parametrize("article", [e for e in EXPECTED if e.aliases], ids=lambda a: a.url.rsplit("/", 1)[-1][-24:])
def test_aliases_lead_to_the_same_article(web: Web, article: Expected) -> None:
    first = re.split(r"[\t\n]", article.text)[0]
    for alias in article.aliases:
        response = get(web, alias)
        assert response.status == 200
        assert "feed-only" in article.forms or fold(first) in stripped(decoded(response))


def test_every_trap_is_linked_from_the_front_page_of_the_tangle(web: Web) -> None:
    front = web.respond("https://the-tangle.example/").body.decode()
    tangled = [t for t in TRAPS if "/p/" in t.url or "/calendar/" in t.url]
    assert len(tangled) >= 20
    assert [t.url for t in tangled if urlsplit(t.url).path not in front] == []
    assert not {t.url for t in TRAPS} & {e.url for e in EXPECTED}


def test_hosts_answer_and_others_do_not_exist(web: Web) -> None:
    assert len(web.hosts) == 6
    for host in web.hosts:
        assert get(web, f"https://{host}/").status == 200
        assert get(web, f"http://{host}/robots.txt").status == 200
    with pytest.raises(UnknownHostError):
        web.respond("https://elsewhere.example/")


def test_http_leads_to_https_unless_the_web_stands_on_http(web: Web) -> None:
    response = web.respond("http://the-tangle.example/p/7c1f9e2b?x=1")
    assert (response.status, response.headers["Location"]) == (301, "https://the-tangle.example/p/7c1f9e2b?x=1")
    plain = Web(origin="http://{host}")
    assert plain.respond("http://the-tangle.example/p/7c1f9e2b").status == 200
    assert all(e.url.startswith("http://") for e in plain.expected())


@given(path=st.text(max_size=60), query=st.text(max_size=40), host=st.sampled_from(Web().hosts))
def test_any_path_and_query_is_answered(path: str, query: str, host: str) -> None:
    response = SHARED.respond(f"https://{host}/{path}?{query}")
    assert 200 <= response.status < 600
    assert "Content-Type" in response.headers


def test_two_webs_give_the_same_bytes() -> None:
    one, two = Web(), Web()
    urls = [e.url for e in EXPECTED] + [t.url for t in TRAPS] + list(SITEMAPS.values())
    for url in urls:
        headers = {"Accept-Encoding": "gzip"}
        assert one.respond(url, headers=headers) == two.respond(url, headers=headers)
    assert one.expected() == two.expected()


def test_canonical_urls_are_unique_and_quoted() -> None:
    urls = [e.url for e in EXPECTED]
    assert len(set(urls)) == len(urls)
    assert all(u.isascii() for u in urls)
    assert any(unquote(u) != u for u in urls)


def test_pages_escape_what_a_url_brings_along(web: Web) -> None:
    response = web.respond("https://the-tangle.example/stories/?section=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&page=x")
    assert response.status == 200
    assert b"<script>alert" not in response.body


def test_a_day_later_one_story_has_news_and_one_is_new() -> None:
    before, after = ({e.url: e for e in web.expected()} for web in (SHARED, LaterWeb()))
    assert len(after) == len(before) + 1
    (changed,) = [e for url, e in before.items() if after[url].text != e.text]
    web = LaterWeb()
    assert fold(after[changed.url].text.rpartition("\n")[2]) in stripped(decoded(web.respond(changed.url)))
    assert changed.url in decoded(web.respond("https://www.harbour-courier.example/feed/atom.xml"))
