from __future__ import annotations

import gzip
import html
import json
import re
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from demo.render import thai_date, thai_digits
from demo.stories import stories
from demo.tangle_pages import NEST
from demo.traps import BOMB_BYTES, bomb
from demo.web import UnknownHostError, Web
from demo.wire import Expected, Reply

SHARED = Web()
EXPECTED = SHARED.expected()
TRAPS = SHARED.traps()


@pytest.fixture
def web() -> Web:
    return Web()


def get(web: Web, url: str, *, tries: int = 3, hops: int = 5) -> Reply:
    """Fetch with retries and redirects, as a patient client does."""
    for _ in range(tries):
        reply = web.respond(url)
        if reply.status in (301, 302) and hops:
            return get(web, urljoin(url, reply.headers["Location"]), hops=hops - 1)
        if reply.status < 429:
            break
    return reply


def decoded(reply: Reply) -> str:
    if b"windows-874" in reply.body[:300]:
        return reply.body.decode("cp874")
    return reply.body.decode("utf-8")


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
    reply = web.respond(url)
    if reply.status != 200:
        return []
    body = gzip.decompress(reply.body) if reply.body.startswith(b"\x1f\x8b") else reply.body
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


def test_feeds_are_valid_and_each_of_its_kind(web: Web) -> None:
    atom = etree.fromstring(web.respond("https://www.harbour-courier.example/feed/atom.xml").body)
    assert etree.QName(atom).localname == "feed"
    assert len(list(atom.iter("{*}entry"))) == 8
    record = json.loads(web.respond("https://khaosaiklang.example/feed.json").body)
    assert record["version"].endswith("/1.1")
    assert {item["url"] for item in record["items"]} == {e.url for e in EXPECTED if e.language == "th"}
    rss = etree.fromstring(web.respond("https://the-tangle.example/feed.php").body)
    contents = list(rss.iter("{http://purl.org/rss/1.0/modules/content/}encoded"))
    assert len(contents) == 1
    assert "Bertil Osgood" in str(contents[0].text)


def test_the_page_without_text_has_it_in_the_feed_only(web: Web) -> None:
    article = next(e for e in EXPECTED if "feed-only" in e.forms)
    page = decoded(web.respond(article.url))
    assert article.title in page
    assert not any(block[:60] in page for block in article.text.split("\n\n"))


@pytest.mark.parametrize(
    ("url", "lines"),
    [
        ("https://www.harbour-courier.example/robots.txt", ["Disallow: /print/", "Sitemap: https://www.harbour"]),
        ("https://khaosaiklang.example/robots.txt", ["Crawl-delay: 0.1", "Disallow: /member/"]),
        ("https://the-tangle.example/robots.txt", ["disallow: /cgi/", "sitemap: https://the-tangle"]),
    ],
)
def test_robots_txt_has_its_rules(web: Web, url: str, lines: list[str]) -> None:
    reply = web.respond(url)
    assert reply.headers["Content-Type"].startswith("text/plain")
    assert all(line in reply.body.decode() for line in lines)


def test_one_thai_page_is_windows_874_and_says_so_in_its_meta_only(web: Web) -> None:
    article = next(e for e in EXPECTED if "cp874" in e.forms)
    reply = web.respond(article.url)
    assert reply.headers["Content-Type"] == "text/html"
    with pytest.raises(UnicodeDecodeError):
        reply.body.decode("utf-8")
    assert article.title in reply.body.decode("cp874")


def test_one_header_claims_latin_1_over_utf_8(web: Web) -> None:
    article = next(e for e in EXPECTED if "header-latin1" in e.forms)
    reply = web.respond(article.url)
    assert reply.headers["Content-Type"] == "text/html; charset=ISO-8859-1"
    assert b"<meta charset" not in reply.body
    assert "façade" in reply.body.decode("utf-8")


def test_bylines_are_in_the_buddhist_era(web: Web) -> None:
    numbers = [s.number for s in stories("khaosai") if "thai-slug" not in s.forms]
    seen = {n: stripped(decoded(web.respond(f"https://khaosaiklang.example/news/{n}"))) for n in numbers}
    assert "21 พฤศจิกายน 2569" in seen[1204331]
    assert "20 พ.ย. 69" in seen[1204318]
    assert thai_digits("18 พฤศจิกายน 2569") in seen[1204277]
    assert "๑๘" in thai_digits("18")
    assert thai_date(stories("khaosai")[0].published) == "21 พฤศจิกายน 2569"


def test_metadata_is_there_on_some_pages_and_not_on_others(web: Web) -> None:
    for article in EXPECTED:
        page = decoded(get(web, article.url))
        if article.site != "the-tangle.example":
            assert ("application/ld+json" in page) == ("json-ld" in article.forms)
            assert ("og:title" in page) == ("open-graph" in article.forms)
    broken = next(e for e in EXPECTED if "broken-json-ld" in e.forms)
    record = re.search(r'ld\+json">(.*?)</script>', decoded(web.respond(broken.url)), re.S)
    assert record
    with pytest.raises(json.JSONDecodeError):
        json.loads(record[1])


def test_the_tangle_gives_no_hint_by_element_or_class(web: Web) -> None:
    for article in EXPECTED:
        if article.site == "the-tangle.example":
            page = decoded(get(web, article.url))
            assert "<article" not in page
            assert "<main" not in page
            assert "<h1" not in page
            assert all(c.startswith("_") for names in re.findall(r'class="([^"]*)"', page) for c in names.split())
            assert page.index("We value your privacy".lower()[1:]) < page.index(html.escape(article.title), 2000)


def test_special_forms_are_as_announced(web: Web) -> None:
    by_form = {form: e for e in EXPECTED for form in e.forms}
    shadow = decoded(web.respond(by_form["shadow"].url))
    inside = shadow[shadow.index('shadowrootmode="open"') : shadow.index("</template>")]
    assert by_form["shadow"].text.split("\n\n")[-1][:40] in inside
    assert f"{'</div>' * NEST}" in decoded(get(web, by_form["soup"].url))
    assert "</html>" not in decoded(web.respond(by_form["truncated"].url))
    assert "<br><br>" in decoded(web.respond(by_form["br"].url))
    assert "<div hidden>" in decoded(web.respond(by_form["paywall"].url))
    assert by_form["paywall"].paywalled
    first = decoded(web.respond(by_form["parts"].url))
    assert '<link rel="next" href="/p/a04d51ce/2">' in first
    assert 'rel="next"' not in decoded(web.respond(by_form["parts"].url + "/3"))


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
        reply = get(web, alias)
        assert reply.status == 200
        assert "feed-only" in article.forms or fold(first) in stripped(decoded(reply))


def test_amp_points_to_its_canonical_page(web: Web) -> None:
    article = next(e for e in EXPECTED if "duplicates" in e.forms)
    amp = web.respond(article.url.replace("/p/", "/amp/p/")).body.decode()
    assert f'<link rel="canonical" href="{article.url}">' in amp
    assert 'rel="amphtml"' in web.respond(article.url).body.decode()
    assert "canonical" not in web.respond(article.url + "/print").body.decode()


@pytest.mark.parametrize(
    ("path", "status"),
    [("0404f00d", 404), ("0410f00d", 410), ("503503aa", 503), ("500500aa", 500), ("c0ffee00", 403), ("deadbeef", 200)],
)
def test_error_pages_keep_their_status(web: Web, path: str, status: int) -> None:
    assert [web.respond(f"https://the-tangle.example/p/{path}").status for _ in range(3)] == [status] * 3


@pytest.mark.parametrize("path", ["10091009", "5e1f5e1f", "c4a1c4a1"])
def test_redirect_traps_never_end(web: Web, path: str) -> None:
    url = f"https://the-tangle.example/p/{path}"
    for _ in range(30):
        reply = web.respond(url)
        assert reply.status in (301, 302)
        url = urljoin(url, reply.headers["Location"])


def test_the_calendar_has_always_one_more_month(web: Web) -> None:
    url = "https://the-tangle.example/calendar/2026/11/"
    seen = {url}
    for _ in range(30):
        page = web.respond(url).body.decode()
        link = re.search(r'href="([^"]*\?next=1)"', page)
        assert link
        url = urljoin(url, link[1])
        assert url not in seen
        seen.add(url)
    assert "/calendar/2029/05/" in url


def test_the_bomb_is_small_on_the_wire_and_large_unpacked() -> None:
    assert len(bomb()) < 100_000
    assert len(gzip.decompress(bomb())) == BOMB_BYTES
    assert bomb() == bomb()


def test_binary_traps_are_what_they_are(web: Web) -> None:
    assert web.respond("https://the-tangle.example/p/bada55bb").body.startswith(b"%PDF-")
    assert web.respond("https://the-tangle.example/p/1a6e0000").body.startswith(b"\x89PNG")
    assert web.respond("https://the-tangle.example/p/00000000").body == b""


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
    reply = web.respond("http://the-tangle.example/p/7c1f9e2b?x=1")
    assert (reply.status, reply.headers["Location"]) == (301, "https://the-tangle.example/p/7c1f9e2b?x=1")
    plain = Web(origin="http://{host}")
    assert plain.respond("http://the-tangle.example/p/7c1f9e2b").status == 200
    assert all(e.url.startswith("http://") for e in plain.expected())


def test_gzip_is_used_only_where_the_client_accepts_it(web: Web) -> None:
    url = "https://www.harbour-courier.example/"
    packed = web.respond(url, headers={"Accept-Encoding": "gzip, deflate"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == web.respond(url).body
    assert "Content-Encoding" not in web.respond(url, headers={"accept-encoding": "br"}).headers


@given(path=st.text(max_size=60), query=st.text(max_size=40), host=st.sampled_from(Web().hosts))
@settings(deadline=None)
def test_any_path_and_query_is_answered(path: str, query: str, host: str) -> None:
    reply = SHARED.respond(f"https://{host}/{path}?{query}")
    assert 200 <= reply.status < 600
    assert "Content-Type" in reply.headers


@pytest.mark.parametrize("url", ["", "http://[", "x", "https://", "mailto:a@b.example"])
def test_what_is_no_url_leads_nowhere(web: Web, url: str) -> None:
    with pytest.raises(UnknownHostError):
        web.respond(url)


def test_head_has_no_body_and_post_is_refused(web: Web) -> None:
    assert web.respond("https://khaosaiklang.example/", method="HEAD").body == b""
    assert web.respond("https://khaosaiklang.example/", method="POST").status == 405


def test_sites_are_named_by_their_registered_domain() -> None:
    assert {e.site for e in EXPECTED} == {"harbour-courier.example", "khaosaiklang.example", "the-tangle.example"}


def test_two_webs_give_the_same_bytes() -> None:
    one, two = Web(), Web()
    urls = [e.url for e in EXPECTED] + [t.url for t in TRAPS] + list(SITEMAPS.values())
    for url in urls:
        headers = {"Accept-Encoding": "gzip"}
        assert one.respond(url, headers=headers) == two.respond(url, headers=headers)
    assert one.expected() == two.expected()


def test_article_pages_have_the_size_of_real_ones() -> None:
    web = Web()
    for article in EXPECTED:
        size = len(get(web, article.url).body)
        assert 10_000 <= size <= 60_000, article.url


def test_canonical_urls_are_unique_and_quoted() -> None:
    urls = [e.url for e in EXPECTED]
    assert len(set(urls)) == len(urls)
    assert all(u.isascii() for u in urls)
    assert any(unquote(u) != u for u in urls)


def test_pages_escape_what_a_url_brings_along(web: Web) -> None:
    reply = web.respond("https://the-tangle.example/stories/?section=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&page=x")
    assert reply.status == 200
    assert b"<script>alert" not in reply.body
