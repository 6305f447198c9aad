"""What pages say of themselves, field by field, through `read_metadata`."""

import json
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.html.document import Document
from webmain.items import Metadata, Page
from webmain.metadata.read import read_metadata

URL = "https://www.daily.example/2024/05/03/bridge.html"
BODY = "<p>" + "The bridge was closed for two years and is open again. " * 8 + "</p>"


def _document(
    head: str = "", body: str = BODY, *, url: str | None = URL, headers: dict[str, str] | None = None
) -> Document:
    html = f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"
    return Document(Page(url=url, html=html, headers=headers or {}), html=html)


def _read(
    head: str = "", body: str = BODY, *, url: str | None = URL, headers: dict[str, str] | None = None
) -> Metadata:
    return read_metadata(_document(head, body, url=url, headers=headers))


def _ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def test_a_full_article() -> None:
    metadata = _read(
        _ld(
            {
                "@context": "https://schema.org",
                "@type": "NewsArticle",
                "headline": "The bridge &amp; the river",
                "author": [{"@type": "Person", "name": "Jane Roe"}, {"@type": "Organization", "name": "Roe and Sons"}],
                "datePublished": "2024-05-03T10:00:00+02:00",
                "dateModified": "2024-05-04",
                "articleSection": ["Town", "Traffic"],
                "keywords": "bridge, river,bridge",
                "publisher": {"@type": "Organization", "name": "The Daily"},
                "image": [{"@type": "ImageObject", "url": "/img/a.jpg"}],
                "inLanguage": "en_GB",
                "isAccessibleForFree": "False",
                "description": "About a bridge.",
                "license": "https://creativecommons.org/licenses/by/4.0/",
            }
        )
        + '<link rel="canonical" href="/2024/05/03/bridge">'
    )
    assert metadata.title == "The bridge & the river"
    assert metadata.authors == ("Jane Roe", "Roe and Sons")
    assert metadata.published == datetime(2024, 5, 3, 10, tzinfo=timezone(timedelta(hours=2)))
    assert metadata.modified == datetime(2024, 5, 4, tzinfo=UTC)
    assert metadata.section == "Town"
    assert metadata.tags == ("bridge", "river")
    assert metadata.site_name == "The Daily"
    assert metadata.image == "https://www.daily.example/img/a.jpg"
    assert metadata.language_declared == "en-gb"
    assert metadata.paywalled is True
    assert metadata.description == "About a bridge."
    assert metadata.licence == "https://creativecommons.org/licenses/by/4.0/"
    assert metadata.canonical_url == "https://www.daily.example/2024/05/03/bridge"
    assert metadata.sources["published"].raw == "2024-05-03T10:00:00+02:00"
    assert {s.name for k, s in metadata.sources.items() if k != "canonical_url"} == {"json-ld"}


def test_every_source_belongs_to_a_field_that_was_found() -> None:
    metadata = _read("<title>Bridge open | Daily</title>")
    assert set(metadata.sources) == {"title", "published"}
    assert metadata.sources["published"].name == "url"


def test_an_empty_page_gives_nothing() -> None:
    assert _read(body="", url=None) == Metadata()


def test_meta_elements_alone() -> None:
    metadata = _read(
        '<meta property="og:title" content="Bridge open again"><meta name="author" content="By Jane Roe">'
        '<meta property="article:published_time" content="2024-05-02T23:30:00">'
        '<meta property="og:site_name" content="The Daily">'
        '<meta property="article:modified_time" content="2024-05-03T01:00:00Z"><meta name="news_keywords" content="a;b">'
        '<meta property="article:section" content="Town"><meta property="og:locale" content="de_AT">'
    )
    assert (metadata.title, metadata.authors, metadata.section) == ("Bridge open again", ("Jane Roe",), "Town")
    assert metadata.published == datetime(2024, 5, 2, 23, 30, tzinfo=UTC)
    assert metadata.modified == datetime(2024, 5, 3, 1, tzinfo=UTC)
    assert (metadata.tags, metadata.language_declared) == (("a", "b"), "de-at")


@pytest.mark.parametrize(("others", "authors"), [("", ("Jane Roe",)), ('<a rel="author" href="/m">Max Moe</a>', ())])
def test_the_only_name_in_a_box_about_the_author_is_the_author(others: str, authors: tuple[str, ...]) -> None:
    box = f'<div class="author-bio"><h2><a rel="author" href="/j">Jane Roe</a></h2>{others}<p>Jane is a cook.</p></div>'
    assert _read("", f"<h1>X y z w</h1><p>{'The tide was in. ' * 20}</p>{box}").authors == authors


def test_addresses_are_no_authors() -> None:
    assert _read('<meta property="article:author" content="https://facebook.com/jane">').authors == ()


def test_the_site_signs_only_where_nobody_else_does() -> None:
    site = '<meta property="og:site_name" content="The Daily">'
    assert _read(site + _ld({"@type": "Article", "author": "The Daily"})).authors == ("The Daily",)
    assert _read(site + _ld({"@type": "Article", "author": "Jane Roe, The Daily"})).authors == ("Jane Roe",)
    assert _read(
        site + _ld({"@type": "Article", "author": "The Daily"}), '<h1>X y z w</h1><p class="byline">By Jane Roe</p>'
    ).authors == ("Jane Roe",)


@pytest.mark.parametrize(
    "byline",
    [
        '<div class="article-byline">By Jane Roe</div>',
        '<span class="author__name">Jane Roe</span>',
        '<p>By <a rel="author" href="/jane">Jane Roe</a></p>',
        "<p>By Jane Roe</p>",
        "<p>By</p><p>Jane Roe</p>",
        '<div itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Jane Roe</b> writes</div>',
        '<div id="byLine">Jane Roe, Chief Political Correspondent</div>',
        '<footer class="node__meta">Submitted by <span><a href="/user/3">Jane Roe</a></span> on 3 May 2026</footer>',
    ],
)
def test_the_byline_at_the_headline(byline: str) -> None:
    comments = '<div id="comments"><span class="comment-author">Troll One</span><p class="author">Troll Two</p></div>'
    teaser = '<div class="teaser"><span class="author">Other Person</span></div>'
    metadata = _read(
        "<title>The bridge is open</title>", f"{teaser}<h1>The bridge is open</h1>{byline}{BODY}{comments}"
    )
    assert metadata.authors == ("Jane Roe",)


@pytest.mark.parametrize(
    "dated",
    [
        '<time datetime="2024-05-02T08:00:00Z">2 May</time>',
        '<span class="article-date">2 May 2024</span>',
        '<div class="meta"><abbr class="timeago" title="2 May 2024">a while ago</abbr></div>',
        "<p>May 2, 2024</p>",
        '<meta itemprop="datePublished" content="2024-05-02">',
    ],
)
def test_the_date_at_the_headline_and_not_that_of_a_teaser(dated: str) -> None:
    teaser = '<div class="related"><time datetime="2024-05-30">30 May</time></div>'
    metadata = _read(
        "<title>The bridge is open</title>", f"{teaser}<h1>The bridge is open</h1>{dated}{BODY}{teaser}", url=None
    )
    assert metadata.published is not None
    assert metadata.published.date().isoformat() == "2024-05-02"


def test_the_date_of_a_video_is_not_the_date_of_the_page() -> None:
    inner = '<meta itemprop="datePublished" content="2020-01-01">'
    video = f'<div itemscope itemtype="https://schema.org/VideoObject">{inner}</div>'
    metadata = _read("", video + "<h1>The bridge is open</h1><time>2 May 2024</time>" + BODY, url=None)
    assert str(metadata.published)[:10] == "2024-05-02"


def test_a_change_before_the_publication_is_dropped() -> None:
    late = _read(_ld({"@type": "Article", "datePublished": "2024-05-03T10:00Z", "dateModified": "2024-05-01"}))
    assert (str(late.published)[:10], late.modified) == ("2024-05-03", None)
    same = _read(_ld({"@type": "Article", "datePublished": "2024-05-03T10:00Z", "dateModified": "2024-05-03"}))
    assert same.modified == same.published


@pytest.mark.parametrize(
    ("url", "canonical", "expected"),
    [
        (URL, "https://daily.example/b", "https://daily.example/b"),
        (URL, "/b#part", "https://www.daily.example/b"),
        (URL, "https://www.daily.example/", None),
        (URL, "https://other.example/b", None),
        (URL, "javascript:alert(1)", None),
        (URL, "", None),
        ("https://www.daily.example/", "https://www.daily.example/", "https://www.daily.example/"),
        ("https://amp.daily.example/b", "https://www.daily.example/b", "https://www.daily.example/b"),
        ("https://www-daily-example.cdn.ampproject.org/c/s/www.daily.example/b", "https://www.daily.example/b", "https://www.daily.example/b"),
        (None, "https://daily.example/b", "https://daily.example/b"),
        (None, "/b", None),
    ],
)  # fmt: skip
def test_canonical_urls(url: str | None, canonical: str, expected: str | None) -> None:
    assert _read(f'<link rel="canonical" href="{canonical}">', url=url).canonical_url == expected


@pytest.mark.parametrize(
    ("article", "meta", "expected"),
    [
        ({"isAccessibleForFree": True}, "", False),
        ({"isAccessibleForFree": "http://schema.org/False"}, "", True),
        ({"isAccessibleForFree": True, "hasPart": [{"isAccessibleForFree": "false"}]}, "", True),
        ({}, "locked", True),
        ({}, "free", False),
        ({}, "", None),
    ],
)
def test_paywalls(article: dict[str, object], meta: str, expected: bool | None) -> None:
    tier = f'<meta property="article:content_tier" content="{meta}">'
    assert _read(_ld({"@type": "Article", "headline": "x", **article}) + tier).paywalled is expected


@pytest.mark.parametrize(
    ("head", "headers", "expected"),
    [
        (
            '<meta name="robots" content="index, NOARCHIVE, max-snippet:0">',
            {},
            ("robots:noarchive", "robots:nosnippet"),
        ),
        ('<meta name="robots" content="max-snippet:-1,noai, noimageai">', {}, ("robots:noai", "robots:noimageai")),
        ('<meta name="GPTBot" content="noindex">', {}, ("gptbot:noindex",)),
        ('<meta name="tdm-reservation" content="1">', {}, ("tdm-reservation",)),
        ('<meta name="tdm-reservation" content="0">', {}, ()),
        ("", {"tdm-reservation": "1"}, ("tdm-reservation",)),
        ("", {"x-robots-tag": "googlebot: nosnippet, noarchive"}, ("googlebot:noarchive", "googlebot:nosnippet")),
        ("", {"x-robots-tag": "noindex, webmain: noai"}, ("robots:noindex", "webmain:noai")),
        ("", {"x-robots-tag": "unavailable_after: 25 Jun 2027 15:00:00 PST, noindex"}, ("robots:noindex",)),
        ('<meta name="webmain" content="none">', {}, ("webmain:none",)),
        ('<meta name="tdm-reservation" content="0">', {"tdm-reservation": "1"}, ()),
        ("", {"content-usage": "train-ai=n, search=y"}, ("content-usage:train-ai=no",)),
        (
            "",
            {"content-signal": "ai-train=no, search=yes, ai-input=no"},
            ("content-signal:ai-input=no", "content-signal:ai-train=no"),
        ),
    ],
)
def test_opt_outs(head: str, headers: dict[str, str], expected: tuple[str, ...]) -> None:
    assert _read(head, headers=headers).opt_outs == expected


def test_licence_of_a_link() -> None:
    link = '<a rel="license" href="//creativecommons.org/licenses/by/4.0/">CC</a>'
    assert _read("", BODY + link).licence == "https://creativecommons.org/licenses/by/4.0/"


def test_lone_surrogates_do_not_reach_the_record() -> None:
    article = r'{"@type":"Article","headline":"a\ud800b c","author":"\udc00Jane Roe"}'
    repr(_read(f'<script type="application/ld+json">{article}</script>')).encode("utf-8")


_PIECES = st.sampled_from(
    ["<meta name=author content='", "'>", "<h1>", "</h1>", "<time datetime=", ">", "2024-05-03", "By ",
     "<script type=ld+json>",
     "{", '"@type":"Article"', ",", "}", "</script>", "<div class='byline date'>", "</div>", "<link rel=canonical href=", "http://[",
     "\ud800", "\x00", "&#xd800;", "ก", "<body>", "<title>", "<a rel='author license' itemprop='author datePublished'>"]
)  # fmt: skip


@given(st.lists(_PIECES | st.text(max_size=8), max_size=30))
def test_nothing_raises(pieces: list[str]) -> None:
    html = "".join(pieces)
    metadata = read_metadata(Document(Page(url=URL, html=html), html=html))
    repr(metadata).encode("utf-8")
    assert metadata.published is None or metadata.published.tzinfo is not None


@pytest.mark.parametrize(
    "body",
    [
        "<div class='byline date author'>By " * 500 + "x " * 200_000,
        "<time datetime=x class=date>1</time>" * 30_000,
        "<h1>" + "a - " * 100_000 + "</h1>",
        "<span itemprop=author class=author>A B</span>" * 30_000,
        "<p>1.1.1</p>" * 30_000,
        "<script type=ld+json>" + '{"@type":"Article","author":[' * 20_000 + "</script>",
        _ld([{"@type": "Article", "headline": "h" * 400, "url": "u" * 400}] * 4_000),
    ],
)
def test_hostile_pages_cost_little(body: str) -> None:
    document = _document("<title>" + "a | " * 50_000 + "</title>", body)
    _ = document.tree
    started = time.process_time()
    read_metadata(document)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("byline", "authors"),
    [
        ('โดย <a href="/a/1">พิมพ์ชนก ทองแถม</a>, <a href="/a/2">ชลธี มารินทร์</a>', ("พิมพ์ชนก ทองแถม", "ชลธี มารินทร์")),
        ('By <a href="/a/1">Jane Roe</a> and <a href="/a/2">John Doe</a>', ("Jane Roe", "John Doe")),
        ("By <b>Jane Roe</b>", ("Jane Roe",)),
    ],
)
def test_all_names_of_a_byline_of_several_elements_are_read(byline: str, authors: tuple[str, ...]) -> None:
    metadata = _read(
        "<title>The bridge is open</title>", f"<h1>The bridge is open</h1><p><span>{byline}</span></p>{BODY}"
    )
    assert metadata.authors == authors


@pytest.mark.parametrize("url", ["file:///archive/2005/page.html", "FILE:///c:/page.html", "urn:page:1", None])
def test_a_page_without_web_address_is_believed_its_canonical(url: str | None) -> None:
    head = '<link rel="canonical" href="https://www.daily.example/2024/05/03/bridge">'
    assert _read(head, url=url).canonical_url == "https://www.daily.example/2024/05/03/bridge"
    assert _read('<link rel="canonical" href="page.html">', url="file:///archive/page.html").canonical_url is None


ORGANISATION = {"@type": "Organization", "name": "Harbour Agency"}


@pytest.mark.parametrize(
    ("author", "body", "expected"),
    [
        ([{"@type": "Person", "name": "Jane Roe"}, ORGANISATION], "", ("Jane Roe", "Harbour Agency")),
        (ORGANISATION, "<p class=byline>By Jane Roe</p>", ("Jane Roe",)),
        (ORGANISATION, "<p class=byline>Agency</p>", ("Harbour Agency",)),
        (["Jane Roe", "Fishing"], "", ("Jane Roe",)),
        ('[{"@type": "Person", "name": "Jane Roe"}]', "", ("Jane Roe",)),
        ('{"id": 17}', "", ()),
    ],
)
def test_agencies_are_authors_and_sections_and_json_are_none(author, body, expected):
    node = {"@type": "NewsArticle", "headline": "Bridge open", "author": author, "articleSection": "Fishing"}
    script = f"<script type='application/ld+json'>{json.dumps(node)}</script>"
    assert _read(script, f"<h1>Bridge open</h1>{body}").authors == expected


@pytest.mark.parametrize(
    ("content", "tags", "section"),
    [
        ('["Cod", "Haddock &amp;amp; chips"]', ("Cod", "Haddock & chips"), "Cod"),
        ('[{"name": "Cod"}, {"id": 3}]', ("Cod",), "Cod"),
        ("[&quot;Cod&quot;]", ("Cod",), "Cod"),
        ('{"id": 3}', (), None),
        ("Cod, Haddock", ("Cod", "Haddock"), "Cod, Haddock"),
        ("x" * 101, (), None),
    ],
)
def test_tags_and_sections_are_never_json(content, tags, section):
    content = content.replace('"', "&quot;")
    metadata = _read(f'<meta name="keywords" content="{content}"><meta property="article:section" content="{content}">')
    assert (metadata.tags, metadata.section) == (tags, section)


@pytest.mark.parametrize(
    ("canonical", "day"),
    [("https://other.example/2026/11/20/x", None), ("https://www.a.example/2026/11/20/x", 20), ("/2026/11/20/x", 20)],
)
def test_a_date_in_an_address_of_another_site_is_none_of_the_pages(canonical, day):
    html = f"<title>Tides</title><link rel=canonical href={canonical}><h1>Tides</h1><p>The water is out."
    published = read_metadata(Document(Page(url="https://a.example/x"), html=html)).published
    assert (published.day if published else None) == day


@pytest.mark.parametrize(
    ("declared", "body", "expected"),
    [
        ("jroe77", "<p class=byline>By Jane Roe</p>", ("Jane Roe",)),
        ("jroe77", "<p>Nobody signs here.</p>", ("jroe77",)),
        ("J. Roe", "<p class=byline>By Jane Roe</p>", ("J. Roe",)),
        ("제인 로", "<p class=byline>By Jane Roe</p>", ("제인 로",)),
        (None, '<p><a href="/authors/jane-roe">Jane Roe</a></p>', ("Jane Roe",)),
        (None, '<p><a href="/topics/jane-roe">Jane Roe</a></p>', ()),
        (None, "<p>Jane Roe, Staff Writer</p>", ("Jane Roe",)),
        (None, "<p>ज्योति शर्मा, संवाददाता</p>", ("ज्योति शर्मा",)),
        (None, "<p>Jane Roe</p><p>3 May 2024</p><p>Jane Roe has fished here.</p>", ("Jane Roe",)),
        (None, "<p>Printer Friendly</p><p>3 May 2024</p>", ()),
        (None, "<p>Добавить новость</p><p>3 мая 2024</p><p>Добавить новость</p>", ()),
        (None, "<p>Words.</p>" * 90 + "<p>Written by Jane Roe</p>", ("Jane Roe",)),
        (None, "<p>Words.</p>" * 90 + "<p>Written by Jane Roe</p><p>Written by Max Moe</p>", ()),
        (
            None,
            "<p>Words.</p>" * 90 + '<div class="author-box"><p class="author-name">Jane Roe</p></div>',
            ("Jane Roe",),
        ),
        (None, "<p>Words.</p>" * 90 + '<div class="author-box"><p class="author-name">登入</p></div>', ()),
    ],
)
def test_the_author_is_who_the_page_shows_wherever_it_is_said(declared, body, expected):
    script = _ld({"@type": "NewsArticle", "headline": "Bridge open", "author": declared}) if declared else ""
    assert _read(script, f"<h1>Bridge open</h1>{body}").authors == expected
