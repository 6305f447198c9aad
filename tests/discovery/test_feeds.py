import contextlib
import gzip
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.discovery.feeds import NotAFeed, read_feed
from webmain.discovery.places import find_feeds

URL = "https://news.example/feed/"


def rss(*items: str, head: str = "", declaration: str = '<?xml version="1.0" encoding="UTF-8"?>') -> bytes:
    body = f'{declaration}<rss version="2.0"><channel><title>T</title>{head}{"".join(items)}</channel></rss>'
    return body.encode()


def only(body: bytes, **options):
    (entry,) = read_feed(body, url=URL, **options).entries
    return entry


def test_rss_item_gives_all_hints():
    item = """<item xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <title>Cats &amp;amp; dogs</title><link>https://news.example/a</link>
      <pubDate>Fri, 17 May 2024 10:00:00 GMT</pubDate><dc:creator>Ann B</dc:creator>
      <category>World</category><category>World</category><category>Pets</category>
      <description>&lt;p&gt;A short &lt;b&gt;story&lt;/b&gt;.&lt;/p&gt;</description>
      <content:encoded><![CDATA[<p>All&nbsp;of it &lol;</p>]]></content:encoded>
      <enclosure url="https://news.example/a.mp3" type="audio/mpeg" length="1"/></item>"""
    entry = only(rss(item, head="<language>en-GB</language>"))
    assert entry.url == "https://news.example/a"
    hints = entry.hints
    assert (hints.source, hints.title, hints.published) == ("feed", "Cats & dogs", "Fri, 17 May 2024 10:00:00 GMT")
    assert hints.authors == ("Ann B",)
    assert hints.tags == ("World", "Pets")
    assert hints.summary == "A short story ."
    assert hints.content_html == "<p>All&nbsp;of it &lol;</p>"
    assert hints.language == "en-GB"


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("<link>/a?x=1&y=2&section=3</link>", "https://news.example/a?x=1&y=2&section=3"),
        ("<link>\n https://news.example/a \n</link>", "https://news.example/a"),
        ("<link><![CDATA[https://news.example/a#top]]></link>", "https://news.example/a"),
        ("<link>https://news.example/a?x=1&amp;amp;y=2</link>", "https://news.example/a?x=1&y=2"),
        ("<guid>https://news.example/g</guid>", "https://news.example/g"),
        ("<guid isPermaLink='true'>https://news.example/g</guid>", "https://news.example/g"),
        ("<link>https://f.example/~r/1</link><origLink xmlns='http://rssnamespace.org/feedburner/ext/1.0'>"
         "https://news.example/o</origLink>", "https://news.example/o"),
        ("<link>https://f.example/~r/1</link><feedburner:origLink>https://news.example/o</feedburner:origLink>",
         "https://news.example/o"),
        ("<a:link xmlns:a='http://www.w3.org/2005/Atom' href='/x'/>", "https://news.example/x"),
        ("<b>unclosed<link>https://news.example/in</link>", "https://news.example/in"),
    ],
)  # fmt: skip
def test_rss_address_is_found_in_every_form(link, expected):
    assert only(rss(f"<item><title>t</title>{link}</item>")).url == expected


@pytest.mark.parametrize(
    "item",
    [
        "<item><title>t</title></item>",
        "<item><guid isPermaLink='false'>https://news.example/g</guid></item>",
        "<item><guid>tag:1</guid></item>",
        "<item><link>javascript:alert(1)</link></item>",
        "<item><link>http://[bad/</link></item>",
        "<item><link>https://x.example:99999/a</link></item>",
        "<item><link>https://x.example/" + "a" * 5000 + "</link></item>",
    ],
)
def test_entries_without_usable_address_are_left_out(item):
    assert read_feed(rss(item), url=URL).entries == ()


@pytest.mark.parametrize(("most", "kept"), [(2, ["1", "2"]), (3, ["1", "2", "3"])])
def test_duplicates_and_entries_over_the_limit_are_left_out(most, kept):
    items = [f"<item><link>/{n}</link></item>" for n in (1, 2, 2, 3)]
    assert [entry.url[-1] for entry in read_feed(rss(*items), url=URL, max_entries=most).entries] == kept


def test_rss_author_address_gives_the_name_in_brackets():
    assert only(rss("<item><link>/a</link><author>a@b.example (Ann B)</author></item>")).hints.authors == ("Ann B",)
    assert only(rss("<item><link>/a</link><author>a@b.example</author></item>")).hints.authors == ()


def test_rss_1_items_stand_beside_the_channel():
    body = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
      xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>C</title></channel>
      <item rdf:about="https://news.example/a"><title>One</title><dc:date>2024-05-17</dc:date></item></rdf:RDF>"""
    feed = read_feed(body, url=URL)
    assert feed.entries[0].url == "https://news.example/a"
    assert feed.entries[0].hints.published == "2024-05-17"


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="th" xml:base="https://news.example/b/"><title>F</title>
  <author><name>Desk</name></author><link rel="next" href="?page=2"/>
  <entry xml:base="c/"><title type="html">&lt;i&gt;x&lt;/i&gt; y</title><link rel="self" href="self"/>
  <link rel="alternate" type="application/json" href="a.json"/><link href="a.html"/>
  <published>2024-05-17T10:00:00Z</published><updated>2024-05-18</updated>
  <category term="t1" label="Tag one"/>%s</entry>
  </feed>"""


def test_atom_entry_is_joined_to_its_bases_and_inherits_author_and_language():
    content = '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hi<br/>ho</p></div></content>'
    feed = read_feed((ATOM % content).encode(), url=URL)
    (entry,) = feed.entries
    assert feed.next_url == "https://news.example/b/?page=2"
    assert entry.url == "https://news.example/b/c/a.html"
    hints = entry.hints
    assert (hints.title, hints.published, hints.modified) == ("x y", "2024-05-17T10:00:00Z", "2024-05-18")
    assert (hints.authors, hints.tags, hints.language) == (("Desk",), ("Tag one",), "th")
    assert hints.content_html == "<div><p>Hi<br>ho</p></div>"


@pytest.mark.parametrize(
    ("content", "html"),
    [
        ('<content type="html">&lt;p&gt;A&lt;/p&gt;</content>', "<p>A</p>"),
        ('<content type="text">a &lt; b</content>', None),
    ],
)
def test_atom_html_content_is_kept_and_plain_text_is_not_taken_for_html(content, html):
    assert read_feed((ATOM % content).encode(), url=URL).entries[0].hints.content_html == html


def test_json_feed_is_read():
    feed = {
        "version": "https://jsonfeed.org/version/1.1", "title": "J", "next_url": "/feed.json?2", "language": "de",
        "authors": [{"name": "Desk"}],
        "items": [{"id": "1", "url": "/a", "title": "A", "content_html": "<p>x</p>", "date_published": "2024-05-17",
                   "tags": ["t", 3]}, {"id": "https://news.example/b"}, {"id": "c"}, "junk"],
    }  # fmt: skip
    result = read_feed(b"\xef\xbb\xbf" + json.dumps(feed).encode(), url=URL)
    assert result.next_url == "https://news.example/feed.json?2"
    assert [entry.url for entry in result.entries] == ["https://news.example/a", "https://news.example/b"]
    hints = result.entries[0].hints
    assert (hints.authors, hints.tags, hints.language, hints.content_html) == (("Desk",), ("t",), "de", "<p>x</p>")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"<!doctype html><html><body><rss></body>", "HTML"),
        (b"<?xml version='1.0'?><!-- a --><!DOCTYPE html PUBLIC 'x'><html/>", "HTML"),
        (b"{}", "no JSON Feed"),
        (b'{"items": [', "JSON"),
        (b"{" + b'"a":{' * 100_000, "JSON"),
        (b"<svg/>", "svg"),
        (b"\x00\x01\x02", "neither"),
        (b"plain words", "neither"),
        (b"<!DOCTYPE rss [<!ENTITY a 'b'>", "DOCTYPE"),
    ],
)
def test_what_is_no_feed_says_what_it_is(body, message):
    with pytest.raises(NotAFeed, match=message):
        read_feed(body, url=URL)


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("utf-8", "iso-8859-1"), ("utf-8", "windows-1251"), ("cp1252", "utf-8"), ("cp1252", "iso-8859-1"),
     ("utf-16", "utf-16"), ("utf-16-le", "utf-16"), ("utf-16-be", "utf-16"), ("cp1252", "")],
)  # fmt: skip
def test_text_survives_a_wrong_or_missing_declaration(encoding, declared):
    declaration = f'<?xml version="1.0" encoding="{declared}"?>' if declared else '<?xml version="1.0"?>'
    body = rss("<item><link>/a</link><title>Größe</title></item>", declaration=declaration).decode().encode(encoding)
    assert only(body).hints.title == "Größe"


@pytest.mark.parametrize(
    ("encoding", "declared"), [("cp874", "tis-620"), ("gb18030", "gb2312"), ("shift_jis", "Shift_JIS")]
)
def test_declared_legacy_encodings_are_believed_where_the_bytes_are_not_utf8(encoding, declared):
    title = {"cp874": "ข่าวเช้านี้", "gb18030": "中国新闻", "shift_jis": "日本のニュース"}[encoding]
    declaration = f'<?xml version="1.0" encoding="{declared}"?>'
    body = rss(f"<item><link>/a</link><title>{title}</title></item>", declaration=declaration)
    assert only(body.decode().encode(encoding)).hints.title == title


def test_entities_of_html_are_characters_and_bare_ampersands_stay():
    body = rss("<item><link>/a</link><title>A &nbsp;B &copy; C & D &eacute; &bogus; &#150; &#0;E</title></item>")
    assert only(body).hints.title == "A B © C & D é &bogus; – E"


def test_control_characters_and_junk_before_the_declaration_do_not_hurt():
    body = b"\n<br />\n<b>Warning</b>: x in y\n" + rss("<item><link>/a</link><title>A\x0b\x00B</title></item>")
    assert only(body).hints.title == "AB"


def test_a_cut_feed_gives_what_came():
    body = rss(*(f"<item><link>/{n}</link><title>t</title></item>" for n in range(5)))
    assert len(read_feed(body[: body.index(b"/4")], url=URL).entries) == 4


def test_entity_bombs_and_external_entities_are_not_expanded(tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text("TOP SECRET")
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    doctype = (
        f'<!DOCTYPE rss [<!ENTITY l0 "lol">{levels}<!ENTITY x SYSTEM "{secret.as_uri()}">'
        f'<!ENTITY % p SYSTEM "{secret.as_uri()}"> %p; ]>'
    )
    item = "<item><link>/a</link><title>&l11;|&x;|end</title></item>"
    feed = read_feed(rss(item, declaration=f'<?xml version="1.0"?>{doctype}'), url=URL)
    assert feed.entries[0].hints.title == "&l11;|&x;|end"


def test_time_grows_linearly_with_size():
    def seconds(n: int) -> float:
        body = rss(*("<item><title>&a; & <![CDATA[ x </title></item>" for _ in range(n)))
        start = time.process_time()
        read_feed(body, url=URL)
        return time.process_time() - start

    assert seconds(40_000) < 12 * max(seconds(10_000), 0.02)


@pytest.mark.parametrize("level", ["<item>", "<item><description>", "<item><title>", "<item><link>"])
def test_elements_that_are_never_closed_cost_little(level):
    body = rss("<item><link>/a</link></item>", level * 100, "<b>x</b>" * 100_000)
    start = time.process_time()
    feed = read_feed(body, url=URL)
    assert time.process_time() - start < 3
    assert feed.entries[0].url == "https://news.example/a"


@pytest.mark.parametrize(
    "body",
    [
        rss("<item " + "".join(f'a{n}="" ' for n in range(30_000)) + "></item>"),
        b"<!DOCTYPE rss [" + b"<!--" * 20_000,
    ],
    ids=["attributes", "comments of a DOCTYPE"],
)
def test_what_once_cost_much_costs_little(body):
    start = time.process_time()
    with contextlib.suppress(NotAFeed):
        read_feed(body, url=URL)
    assert time.process_time() - start < 0.5


def test_items_without_an_address_are_read_up_to_a_limit():
    last = "<item><link>/a</link></item>"
    assert len(read_feed(rss(*["<item/>"] * 1_999, last), url=URL).entries) == 1
    assert read_feed(rss(*["<item/>"] * 2_000, last), url=URL).entries == ()


@given(st.binary(max_size=300))
def test_bytes_give_a_feed_or_a_typed_error(junk):
    for body in (junk, b"<rss>" + junk, rss("<item><title>").replace(b"</rss>", junk)):
        with contextlib.suppress(NotAFeed):
            read_feed(body, url=URL)


def test_a_long_description_in_paragraphs_is_the_article_and_a_short_one_is_not():
    paragraph = "&lt;p&gt;" + "word " * 80 + "&lt;/p&gt;"
    long = only(rss(f"<item><link>/a</link><description>{paragraph * 4}</description></item>"))
    short = only(rss(f"<item><link>/a</link><description>{paragraph}</description></item>"))
    assert long.hints.content_html is not None
    assert short.hints.content_html is None
    assert short.hints.summary is not None


def test_gzip_without_a_header_is_unpacked_and_broken_gzip_is_no_feed():
    body = gzip.compress(rss("<item><link>/a</link></item>"))
    assert only(body).url == "https://news.example/a"
    with pytest.raises(NotAFeed):
        read_feed(body[:3] + b"broken", url=URL)


def test_the_text_of_an_unclosed_entry_is_not_taken_for_its_own():
    paragraph = "<p>" + "word " * 80 + "<p><b>"
    feed = read_feed(
        rss(*(f"<item><link>/{n}</link><description>{paragraph * 4}</description></item>" for n in range(3))), url=URL
    )
    assert [entry.url.rpartition("/")[2] for entry in feed.entries] == ["0", "1", "2"]
    assert [entry.hints.content_html is None for entry in feed.entries] == [True, True, False]


def link(href: str, **attributes: str) -> dict[str, str | None]:
    return {"rel": "alternate", "type": "application/rss+xml", "href": href, **attributes}


def test_autodiscovery_takes_feeds_of_articles_only():
    links = [
        link("/feed/", title="News"),
        link("/feed/", title="again"),
        link("/atom.xml", type="application/atom+xml; charset=utf-8"),
        link("/feed.json", type="application/feed+json"),
        link("/rss.php", type="text/xml"),
        link("/page.xml", type="text/xml"),
        link("/comments/feed/"),
        link("/all/", title="News » Kommentar-Feed"),
        link("/ข่าว/feed", title="ความเห็น"),
        link("/tag/cats/feed/"),
        link("/author/ann/feed/"),
        link("/2024/05/slug/feed/"),
        link("/wp-json/1", type="application/json"),
        link("/de/", type="text/html", hreflang="de"),
        link("/style.css", rel="stylesheet"),
        link("javascript:x"),
        {"rel": None, "type": None, "href": None},
    ]
    assert find_feeds([link("/politics/feed/")], url="https://news.example/politics/")  # a section's own
    found = find_feeds(links, url="https://news.example/2024/05/slug/")
    assert [feed.removeprefix("https://news.example") for feed in found] == [
        "/feed/",
        "/atom.xml",
        "/feed.json",
        "/rss.php",
    ]
