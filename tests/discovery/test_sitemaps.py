import contextlib
import gzip
import time
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.discovery import sitemaps
from webmain.discovery.feeds import Feed
from webmain.discovery.robots import RobotsRules
from webmain.discovery.sitemaps import NotASitemap, Sitemap, read_pieces

URL = "https://news.example/sitemap.xml"
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    ' xmlns:n="http://www.google.com/schemas/sitemap-news/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    ' xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">'
)


def read_sitemap(body: bytes, *, url: str) -> Sitemap:
    pieces = list(read_pieces(body, url=url))
    entries = tuple(entry for piece in pieces for entry in piece.entries)
    children = tuple(child for piece in pieces for child in piece.children)
    return Sitemap(entries=entries, children=children)


def urlset(*urls: str) -> bytes:
    return (HEAD + "".join(urls) + "</urlset>").encode()


def test_news_entry_gives_title_date_language_and_keywords():
    body = urlset(
        """<url><i:image><i:loc>https://news.example/i.jpg</i:loc><i:title>Picture</i:title></i:image>
        <loc> https://news.example/a?x=1&y=2 </loc><lastmod>2024-05-18</lastmod><n:news><n:publication>
        <n:name>P</n:name><n:language>th</n:language></n:publication><n:publication_date>2024-05-17T10:00Z</n:publication_date>
        <n:title><![CDATA[Cats & dogs]]></n:title><n:keywords>a, b,, a</n:keywords></n:news>
        <xhtml:link rel="alternate" hreflang="de" href="/de/a"/></url>"""
    )
    (entry,) = read_sitemap(body, url=URL).entries
    assert entry.url == "https://news.example/a?x=1&y=2"
    hints = entry.hints
    assert (hints.source, hints.title, hints.published) == ("news-sitemap", "Cats & dogs", "2024-05-17T10:00Z")
    assert (hints.modified, hints.language, hints.tags) == ("2024-05-18", "th", ("a", "b"))


@pytest.mark.parametrize(
    ("entry", "source", "title", "modified"),
    [
        ("<url><loc>/a</loc><lastmod> 2024 </lastmod></url>", "sitemap", None, "2024"),
        ("<url><loc>/a</loc><n:news><n:title>T</n:title></n:news></url>", "news-sitemap", "T", None),
        ("<url><loc>/a</loc><image:image><image:loc>/i.jpg</image:loc></image:image>"
         "<news:news><news:title>T</news:title></news:news></url>", "news-sitemap", "T", None),
    ],
)  # fmt: skip
def test_an_entry_is_news_where_a_news_element_is_in_it_whatever_its_prefix(entry, source, title, modified):
    (found,) = read_sitemap(urlset(entry), url=URL).entries
    assert (found.url, found.hints.source) == ("https://news.example/a", source)
    assert (found.hints.title, found.hints.modified, found.hints.published) == (title, modified, None)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("page-sitemap2.xml", "page-sitemap"),
        ("wp-sitemap-posts-page-1.xml", "page-sitemap"),
        ("sitemap-pages.xml", "page-sitemap"),
        ("sitemap-page-2.xml", "sitemap"),  # the second page
        ("post-sitemap.xml", "sitemap"),
    ],
)
def test_sitemaps_of_static_pages_are_told_by_their_names(name, source):
    body = urlset("<url><loc>https://news.example/what-we-do/</loc></url>")
    (entry,) = read_sitemap(body, url=f"https://news.example/{name}").entries
    assert entry.hints.source == source


def test_index_names_its_children():
    body = b"""<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
      <sitemap><loc>/s1.xml.gz</loc><lastmod>2024-05-17</lastmod></sitemap><sitemap><loc>/s2.xml</loc></sitemap>
      <sitemap><loc>/s2.xml</loc></sitemap></sitemapindex>"""
    sitemap = read_sitemap(body, url=URL)
    assert [(child.url, child.hints.modified) for child in sitemap.children] == [
        ("https://news.example/s1.xml.gz", "2024-05-17"),
        ("https://news.example/s2.xml", None),
    ]
    assert sitemap.entries == ()


@pytest.mark.parametrize("layers", [1, 2])
def test_gzip_is_recognised_by_its_bytes(layers):
    body = urlset("<url><loc>/a</loc></url>")
    for _ in range(layers):
        body = gzip.compress(body)
    assert len(read_sitemap(body, url="https://news.example/sitemap").entries) == 1


def test_gzip_of_several_members_with_padding_is_read_whole():
    body = urlset("<url><loc>/a</loc></url>", "<url><loc>/b</loc></url>")
    one, two = body[:300], body[300:]
    assert len(read_sitemap(gzip.compress(one) + gzip.compress(two) + b"\0" * 20, url=URL).entries) == 2


def test_cut_gzip_gives_what_came():
    body = urlset(*(f"<url><loc>/{zlib.crc32(b'%d' % n)}/{n}</loc></url>" for n in range(20_000)))
    packed = gzip.compress(body)
    sitemap = read_sitemap(packed[: len(packed) // 2], url=URL)
    assert 5_000 < len(sitemap.entries) < 15_000


def _packed(start: bytes, repeated: bytes, times: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    pieces = [packer.compress(start), *(packer.compress(repeated) for _ in range(times)), packer.flush()]
    return b"".join(pieces)


@pytest.mark.parametrize("repeated", [b" " * 250_000, b"<a>" * 75_000, b"<a/>" * 62_500, b"&a;" * 75_000])
def test_bombs_cost_bounded_memory(repeated, monkeypatch):
    monkeypatch.setattr(sitemaps, "MAX_BYTES", 1_000_000)
    bomb = _packed(b"<urlset><url><loc>/a</loc></url>", repeated, 14)
    tracemalloc.start()
    sitemap = read_sitemap(bomb, url=URL)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(sitemap.entries) == 1
    assert peak < 30_000_000


@pytest.mark.parametrize("most", [1, 100_000, 600_000])
def test_the_byte_limit_is_exact(monkeypatch, most):
    monkeypatch.setattr(sitemaps, "MAX_BYTES", most)
    for n_bytes in (most - 1, most, most + 1):
        assert sum(map(len, sitemaps._pieces(b"x" * n_bytes))) == min(n_bytes, most)


def test_entries_over_the_limit_are_not_kept(monkeypatch):
    body = urlset(*(f"<url><loc>/{n}</loc></url>" for n in range(5)))
    assert len(read_sitemap(body, url=URL).entries) == 5
    assert read_sitemap(urlset(), url=URL).entries == ()
    monkeypatch.setattr(sitemaps, "MAX_URLS", 4)
    assert len(read_sitemap(body, url=URL).entries) == 4


def test_text_sitemap_is_one_address_a_line():
    body = (
        "\ufeffhttps://news.example/1\r\nhttps://news.example/ข่าว\n\n  /3  \nftp://x\nhttps://news.example/1\n".encode()
    )
    sitemap = read_sitemap(body, url="https://news.example/sitemap.txt")
    assert [entry.url for entry in sitemap.entries] == [
        "https://news.example/1",
        "https://news.example/ข่าว",
        "https://news.example/3",
    ]


def test_long_text_sitemap_loses_no_line_at_a_seam():
    lines = [f"https://news.example/2024/05/17/an-article-of-number-{n}.html" for n in range(10_000)]
    sitemap = read_sitemap("\r\n".join(lines).encode(), url=URL)
    assert [entry.url for entry in sitemap.entries] == lines


def test_long_urlset_loses_no_entry_at_a_seam():
    urls = [f"https://news.example/?a={n}&b=2&amp;c=&eacute;" for n in range(10_000)]
    body = urlset(*(f"<url><loc>{url}</loc></url>" for url in urls))
    expected = [f"https://news.example/?a={n}&b=2&c=é" for n in range(10_000)]
    assert [entry.url for entry in read_sitemap(body, url=URL).entries] == expected


def test_a_feed_in_a_sitemaps_place_is_read():
    body = b"<rss><channel><item><link>/a</link><title>T</title><pubDate>17 May 2024</pubDate></item></channel></rss>"
    sitemap = read_sitemap(gzip.compress(body), url=URL)
    assert (sitemap.entries[0].hints.published, sitemap.entries[0].hints.title) == ("17 May 2024", "T")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \n", "empty"),
        (gzip.compress(b"", mtime=0), "empty"),
        (b"\x1f\x8bnonsense", "empty"),
        (b"<!DOCTYPE html><html><urlset>", "HTML"),
        (b"{}", "neither"),
        (b"Not found", "neither"),
        (b"<note><to/></note>", "note"),
        (b"<!DOCTYPE urlset [ <!ENTITY a 'b'>", "DOCTYPE"),
    ],
)
def test_what_is_no_sitemap_says_what_it_is(body, message):
    with pytest.raises(NotASitemap, match=message):
        read_sitemap(body, url=URL)


def test_broken_markup_gives_what_can_be_read():
    body = urlset(
        "<url><loc>/a</loc>", "<url><loc>/b</loc></url>", "<url><loc></loc></url>", "<url><loc>/c</loc><lastmod>2024"
    )
    sitemap = read_sitemap(body[: -len("</urlset>")], url=URL)
    assert [entry.url[-2:] for entry in sitemap.entries] == ["/a", "/b", "/c"]


def test_an_address_that_is_cut_off_is_not_kept():
    body = urlset("<url><loc>/a</loc></url>", "<url><loc>/2024/05/half-a-sl")[: -len("</urlset>")]
    assert [entry.url for entry in read_sitemap(body, url=URL).entries] == ["https://news.example/a"]


def test_a_feed_that_is_served_as_a_sitemap_is_unpacked_up_to_its_limit(monkeypatch):
    monkeypatch.setattr("webmain.discovery.sitemaps.MAX_FEED_BYTES", 1 << 20)
    sizes = []
    monkeypatch.setattr("webmain.discovery.sitemaps.read_feed", lambda body, **_: sizes.append(len(body)) or Feed())
    read_sitemap(gzip.compress(b"<rss>" + b" " * (8 << 20)), url=URL)
    assert sizes[0] < 2 << 20


def test_entities_are_not_expanded():
    body = b'<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>/a?&x;</loc></url></urlset>'
    assert read_sitemap(body, url=URL).entries[0].url == "https://news.example/a?&x;"


def test_time_grows_linearly_with_size():
    def seconds(n: int) -> float:
        body = urlset(*(f"<url><loc>https://news.example/{i}</loc></url>" for i in range(n)))
        start = time.process_time()
        read_sitemap(body, url=URL)
        return time.process_time() - start

    assert seconds(40_000) < 12 * max(seconds(10_000), 0.02)


@given(st.binary(max_size=300))
def test_bytes_give_a_sitemap_or_a_typed_error(junk):
    for body in (junk, b"<urlset>" + junk, gzip.compress(junk), b"\x1f\x8b\x08" + junk, b"http://a.example/" + junk):
        with contextlib.suppress(NotASitemap):
            read_sitemap(body, url=URL)


def test_robots_names_its_sitemaps():
    text = """\ufeffUser-agent: *
Disallow: /x
sitemap:https://news.example/a.xml
  Sitemap : /b.xml # news
Sitemap: https://news.example/a.xml
Sitemap: javascript:x
Sitemap:
# Sitemap: /no.xml
"""
    assert RobotsRules(text, url="https://news.example/robots.txt").sitemaps == (
        "https://news.example/a.xml",
        "https://news.example/b.xml",
    )
