import json
import pickle
from dataclasses import replace
from datetime import UTC, datetime
from html import escape

import pytest

from webmain import extraction as stages
from webmain.discovery.articles import judge_url
from webmain.discovery.links import is_in_menu
from webmain.discovery.page_evidence import evidence_of, judge_page
from webmain.discovery.page_summary import hash_of, lacks_text, read_head, summarise
from webmain.html.document import Document
from webmain.items import Hints, Page
from webmain.metadata.head import letters

URL = "https://example.org/news/the-council-spoke-about-the-bridge"
SENTENCE = "The council of the town met again on Tuesday and spoke for hours about the old bridge. "
HASH = 14417660327087829609


def read(body, head="", url=URL):
    return stages.read(
        Page(url=url, html=f"<html><head>{head}</head><body>{body}</body></html>", fetched_at=datetime.now(UTC))
    )


def evidence(document, **options):
    return evidence_of(summarise(document), judge_url(document.url), **options)


def test_the_head_gives_canonical_next_feeds_and_type():
    document = read(
        "<p>text</p>",
        '<link rel="canonical" href="/a?utm_source=x"><link rel="next" href="/a?page=2">'
        '<link rel="alternate" type="application/rss+xml" href="/feed">'
        '<meta property="og:type" content="Article"><meta property="article:published_time" content="2026-11-20">',
    )
    head = read_head(document)
    assert head.canonical == "https://example.org/a"
    assert head.rel_next == "https://example.org/a?page=2"
    assert (head.og_type, head.has_published, head.is_amp) == ("article", True, False)
    assert head.feeds == ("https://example.org/feed",)


def test_an_empty_head_says_nothing():
    head = read_head(read("<p>text</p>"))
    assert (head.canonical, head.rel_next, head.og_type, head.has_published) == (None, None, "", False)


@pytest.mark.parametrize("attribute", ["amp", "⚡"])
def test_amp_pages_are_told_by_their_root(attribute):
    assert read_head(stages.read(Page(url=URL, html=f"<html {attribute}><body><p>x</p></body></html>"))).is_amp


def test_paragraphs_are_counted_without_links_labels_and_hidden_text():
    document = read(
        f"<p>{SENTENCE * 5}</p><p>short</p><p><a href='/x'>{SENTENCE}</a></p><p hidden>{SENTENCE}</p><form>{SENTENCE}</form>"
    )
    found = evidence(document)
    assert found.paragraph_chars == found.longest_paragraph == len((SENTENCE * 5).strip())
    assert 0.1 < found.link_density < 0.3


@pytest.mark.parametrize(
    ("data", "is_article", "is_other"),
    [
        ('{"@type": "NewsArticle"}', True, False),
        ('{"@type": ["ReportageNewsArticle", "X"]}', True, False),
        ('{"@type":"https://schema.org/BlogPosting"}', True, False),
        ('{"@type": "CollectionPage", "x": {"@type": "NewsArticle"}}', False, True),
        ('{"@type": "ItemList"}', False, True),
        ('{"@type": "NewsArticle", "x": {"@type": "ItemList"}}', True, False),
        ('{"@type": "Event"}', False, True),
        ('{"@type": "NewsArticle", "about": {"@type": "Event"}}', True, False),
        ('{"@type": "WebSite"}', False, False),
        ("no json at all", False, False),
    ],
)
def test_declared_types_are_read(data, is_article, is_other):
    found = evidence(read("<p>x</p>", f'<script type="application/ld+json">{data}</script>'))
    assert (found.has_article_type, found.has_other_type) == (is_article, is_other)


def test_the_microdata_around_the_only_headline_is_read():
    around = (
        '<div itemscope itemtype="https://schema.org/Event">{}</div><div itemtype="https://schema.org/WPFooter"></div>'
    )
    assert summarise(read(around.format("<h1>Boats</h1>"))).types == {"event"}
    assert summarise(read(around.format("<h1>Boats</h1><h1>Nets</h1>"))).types == frozenset()


MENU = "<a href=/>Start</a> <a href=/news>News</a> {} <a href=/contact>Contact</a>"


@pytest.mark.parametrize(
    ("body", "is_named"),
    [
        (f"<td>{MENU.format('<a href=/history.html>Our history</a>')}</td><td><b>Our history</b></td>", True),
        ("<nav><a href=/history.html>Our history</a><a href=/b>B</a><a href=/c>C</a></nav><h1>Our history</h1>", True),
        (f"<td>{MENU.format('<a href=/history.html>Our history</a>')}</td><td>It began.</td>", False),
        ("<p><a href=/>Start</a><a href=/b>B</a><a href=/history.html>Our history</a><h1>Our history</h1>", False),
        (
            "<p><a href=/>Start</a><a href=/b>B</a><a href=/c>C</a><a href=/history.html>Our history</a><h1>Our history",
            True,
        ),
        ("<nav><a href=#a>Our history</a><a href=#b>B</a><a href=#c>C</a></nav><h1>Our history</h1>", False),
        ("<nav><a href=/history.html>Our long history in a few words</a><a href=/b>B</a><a href=/c>C</a></nav>", False),
        (f"<td>{MENU.format('<a href=/other.html>Our history</a>')}</td><td><b>Our history</b></td>", False),
    ],
)
def test_a_menu_may_name_the_page_itself(body, is_named):
    page = read(f"<table><tr>{body}", url="https://example.org/history.html")
    assert summarise(page).is_in_menu is is_named


def test_many_links_to_the_page_itself_read_each_text_once(monkeypatch):
    n_read = 0

    def counted(text: str) -> str:
        nonlocal n_read
        n_read += 1
        return letters(text)

    monkeypatch.setattr("webmain.discovery.links.letters", counted)
    n = 300
    html = "".join(f"<p>Text {i}<a href=/self>Label {'abcdefghij'[i % 10]}</a>" for i in range(n))
    assert not is_in_menu(Document(Page(url="https://x.example/self", html=html), html=html))
    assert n_read <= 2 * n + 1


@pytest.mark.parametrize(
    ("dates", "is_article"), [(["modified"], False), (["published", "modified"], True), ([], True)]
)
def test_a_page_that_declares_only_when_it_was_changed_is_no_declared_article(dates, is_article):
    head = "".join(f'<meta property="article:{name}_time" content="2026-11-20T10:00:00Z">' for name in dates)
    found = evidence(read("<p>x</p>", f'<meta property="og:type" content="article">{head}'))
    assert found.has_article_type is is_article


def test_teasers_that_stand_on_hubs_make_no_article():
    document = read("<div>Sorry.</div>" + "".join(f"<div>{n} {SENTENCE * 2}</div>" for n in range(9)))
    repeated = set(summarise(document).text_hashes)
    assert judge_page(evidence(document)).is_article
    assert not judge_page(evidence(document, repeated=repeated)).is_article


def test_whole_articles_on_a_front_page_are_not_counted_as_its_texts():
    whole = "".join(f"<p>{n} {SENTENCE * 2}</p>" for n in range(4))
    front = read(f"<h2><a href='{URL}'>The council spoke about the bridge</a></h2>{whole}<p>{SENTENCE}</p>")
    teaser = read(f"<h2><a href='{URL}'>The council spoke about the bridge</a></h2><p>{SENTENCE * 3}</p>")
    assert judge_page(
        evidence(read(f"<h1>The council</h1>{whole}"), repeated=set(summarise(front).text_hashes))
    ).is_article
    assert summarise(front).text_hashes == []
    assert summarise(teaser).text_hashes == [hash_of((SENTENCE * 3).strip())]


def test_furniture_is_no_matter_where_a_feed_names_the_page():
    document = read("".join(f"<p>{n} {SENTENCE * 2}</p>" for n in range(9)))
    repeated = set(summarise(document).text_hashes)
    found = evidence(document, repeated=repeated, hints=Hints(source="feed"))
    assert found.source == "feed"
    assert found.paragraph_chars > 1000


FEED = "".join(f"<p>{n} {SENTENCE * 2}</p>" for n in range(10))


@pytest.mark.parametrize(
    ("n_on_page", "lacks"),
    [(0, True), (1, True), (2, False), (10, False)],
)
def test_a_page_with_a_fifth_of_the_feeds_text_has_its_own(n_on_page, lacks):
    body = "<p>Loading the story</p>" + "".join(f"<p>{n} {SENTENCE * 2}</p>" for n in range(n_on_page))
    assert lacks_text(read(body), FEED) is lacks


def test_a_page_with_other_prose_of_that_length_keeps_it():
    assert not lacks_text(read(f"<p>{SENTENCE.replace('bridge', 'tower') * 40}</p>"), FEED)


def test_text_in_a_form_that_holds_most_of_the_page_counts():
    found = evidence(read(f"<form><p>{SENTENCE * 5}</p><p><button>{SENTENCE * 2}</button></p></form><p>{SENTENCE}</p>"))
    assert found.paragraph_chars == len((SENTENCE * 5).strip()) + len(SENTENCE.strip())


@pytest.mark.parametrize(
    ("headline", "title", "has_headline"),
    [
        ("Council spoke about the bridge", "Council spoke about the bridge - Paper", True),
        ("News from the region", "News from the region - Paper", False),
        ("Council spoke about the bridge", "Paper", False),
        ("市議会は古い橋の修理について再び協議", "市議会は古い橋の修理について再び協議｜新聞", True),
    ],
)
def test_a_headline_is_a_sentence_at_the_beginning_of_the_title(headline, title, has_headline):
    head = f"<title>{title}</title>"
    assert evidence(read(f"<h1><a>Paper</a></h1><h1>{headline}</h1>", head)).has_headline is has_headline


def test_a_chinese_character_counts_as_two():
    assert evidence(read(f"<p>{'橋' * 200}</p>")).paragraph_chars == 400


def test_a_feeds_summary_never_stands_in_for_a_page():
    assert not lacks_text(read("<p>Loading</p>"), "<p>" + SENTENCE + "</p>")


def test_a_feeds_text_gets_the_pages_head():
    document = read("<p>Loading the story</p>", '<link rel="canonical" href="/a"><title>T</title>')
    assert not summarise(document).with_feeds_text
    document.page = replace(document.page, hints=Hints(source="feed", title="Ebb & flow", content_html=FEED))
    document = stages.read(Page(url=URL, html=summarise(document).with_feeds_text))
    assert document.title == "T"
    assert read_head(document).canonical == "https://example.org/a"
    assert "Loading the story" not in document.leaves.texts
    assert document.leaves.texts[0] == "Ebb & flow"
    assert len(document.leaves) == 11
    assert not summarise(document).with_feeds_text


def test_a_look_is_the_same_in_every_process():
    document = read(f"<p>{SENTENCE}</p><p>short</p><p>{SENTENCE}</p>")
    assert summarise(document).text_hashes == [hash_of(SENTENCE.strip())] * 2 == [HASH] * 2
    sent = pickle.loads(pickle.dumps(summarise(document), 5))
    assert sent.text_hash == summarise(document).text_hash != summarise(read(f"<p>{SENTENCE}</p>")).text_hash
    assert sent.hashes.tolist() == summarise(document).hashes.tolist()


def test_links_that_are_too_long_for_a_request_are_left_out():
    document = read(f"<p><a href='/{'a' * 3000}'>a</a> <a href='/b' rel=nofollow>b</a> <a href='/c'>c</a></p>")
    assert summarise(document).links == ("https://example.org/b", "https://example.org/c")
    assert summarise(document).followed == ("https://example.org/c",)


def test_the_links_of_a_pager_are_short_ones_to_neighbours_and_those_declared_as_next():
    links = "<a href='?page=2'>2</a><a href='/x' rel=next>a long text that says much of it</a><a href='/other'>2</a>"
    assert [link.url for link in summarise(read(links)).pager] == [f"{URL}?page=2", "https://example.org/x"]


@pytest.mark.parametrize(
    ("content", "leads"),
    [
        ("0; url=/b", "https://example.org/b"),
        ("0;URL='b.html'", "https://example.org/news/b.html"),
        ('5; Url = "https://example.org/b?x=1" ignored', "https://example.org/b?x=1"),
        ("10,/b", "https://example.org/b"),
        ("3.5 url=/b", "https://example.org/b"),
        ("0;//example.org/b", "https://example.org/b"),
        ("11; url=/b", None),
        ("300; url=/b", None),
        ("5", None),
        ("5; url=", None),
        ("0; url=" + URL + "#top", None),
        ("0; url=" + URL + "?utm_source=x", None),
        ("0; url=javascript:alert(1)", None),
        ("0; url=http://[::1", None),
        ("url=/b", None),
        ("-1; url=/b", None),
        ("9" * 3000 + "; url=/b", None),
        (" " * 4000 + "0", None),
        ("", None),
    ],
)
def test_a_refresh_leads_away_where_a_browser_would_go_at_once(content, leads):
    assert read_head(read("<p>x</p>", f'<meta http-equiv=Refresh content="{escape(content)}">')).refresh == leads


def test_a_refresh_for_those_without_scripts_is_none():
    head = '<noscript><meta http-equiv="refresh" content="0; url=/nojs"></noscript>'
    assert read_head(read("<p>x</p>", head)).refresh is None
    assert read_head(read("<p>x</p>", head + '<meta http-equiv="refresh" content="0; url=/b">')).refresh


BODY = "".join(f"<p>{n} {SENTENCE * 3}</p>" for n in range(8))


def state(**props):
    data = json.dumps({"props": {"pageProps": props}})
    return f'<script id="__NEXT_DATA__" type="application/json">{data}</script>'


def shell(title="The council spoke", **props):
    return read("<nav><a href='/'>Home</a></nav>" + state(**props), f"<title>{title}</title>")


def test_a_text_that_is_only_in_the_pages_data_counts():
    document = shell(article={"title": "The council spoke", "body": BODY})
    found = evidence(document)
    assert found.paragraph_chars > 8 * 3 * 80
    assert found.link_density < 0.01
    assert judge_page(found).is_article
    other = shell(article={"title": "The council spoke", "body": BODY.replace("bridge", "ferry")})
    assert summarise(document).text_hash != summarise(other).text_hash


def test_a_declared_articles_text_counts_where_a_script_makes_it_visible():
    body = f"<h1>Boats</h1><div style='visibility: hidden'><p>{SENTENCE * 5}</p></div>"
    assert evidence(read(body, '<meta property="og:type" content="article">')).paragraph_chars > 400
    assert evidence(read(body)).paragraph_chars == 0


def test_the_texts_of_others_that_a_list_carries_do_not_count():
    document = shell("Latest", stories=[{"title": f"Story number {n} of the day", "body": BODY} for n in range(4)])
    assert evidence(document, n_article_links=4).paragraph_chars == 0


def test_json_ld_with_the_body_counts_where_the_page_shows_none():
    data = json.dumps({"@type": "NewsArticle", "headline": "The council spoke", "articleBody": SENTENCE * 20})
    head = f'<title>The council spoke</title><script type="application/ld+json">{data}</script>'
    assert evidence(read("<p>Loading</p>", head)).paragraph_chars > 1000


def test_what_is_embedded_is_not_looked_for_where_the_page_shows_its_text():
    assert summarise(read(f"<p>{SENTENCE * 6}</p>" + state(article={"body": BODY}))).embedded == ()


def test_links_that_are_only_in_the_pages_data_count():
    stories = [{"title": "A", "url": "/news/1"}, {"href": "https://example.org/news/2"}, {"slug": "three", "n": 3}]
    seen = summarise(shell(stories=stories))
    assert [url for url in seen.followed if "/news/" in url] == [
        "https://example.org/news/1",
        "https://example.org/news/2",
    ]
    assert set(seen.followed) <= set(seen.links)


def test_data_is_no_link_where_the_page_shows_text():
    assert summarise(read(f"<p>{SENTENCE * 6}</p>" + state(stories=[{"url": "/news/1"}]))).links == ()


@pytest.mark.parametrize(
    ("script", "target"),
    [
        ("window.location.href = '/start/';", "https://example.org/start/"),
        ('location.replace("https://example.org/en/")', "https://example.org/en/"),
        ("mylocation = '/start/'", None),
        (f"location = '{URL}'", None),
    ],
)
def test_the_script_of_an_empty_page_can_redirect_it(script, target):
    assert read_head(read("", f"<script>{script}</script>")).refresh == target
    assert read_head(read("<p>text</p>", f"<script>{script}</script>")).refresh is None


def test_frames_of_a_page_without_text_are_links():
    page = "<html><frameset cols='20%,80%'><frame src='menu.html'><frame src='/main.html#top'><frame></frameset></html>"
    document = stages.read(Page(url=URL, html=page))
    assert summarise(document).followed == ("https://example.org/news/menu.html", "https://example.org/main.html")


@pytest.mark.parametrize(
    "markup",
    [
        """<div class=card onclick="location.href='/news/12.html'"><h2>The bridge</h2></div>""",
        """<div onclick="window.location = &quot;/news/12.html&quot;">The bridge</div>""",
        '<div class=card data-href="12.html">The bridge</div>',
        '<select onchange="location=this.value"><option value="">Choose<option value="/news/12.html">The bridge</select>',
    ],
)
def test_what_clicks_and_choices_lead_to_are_links_of_a_page_with_few_links(markup):
    assert summarise(read(f"{markup}<p>{SENTENCE * 9}</p>")).links == ("https://example.org/news/12.html",)
    assert len(summarise(read(markup + "".join(f"<a href=/{n}>Section</a>" for n in range(40)))).links) == 40


@pytest.mark.parametrize(
    ("href", "is_feed"),
    [("rss.asp", True), ("/feeds/all.rss.xml", True), ("/index.rdf?lang=en", True), ("/rss-feeds.html", False),
     ("https://other.example/rss.xml", False), ("/rss/", False), ("/comments/feed.xml", False)],
)  # fmt: skip
def test_anchors_to_files_that_are_named_like_feeds_declare_them(href, is_feed):
    assert bool(read_head(read(f'<a href="{href}">RSS</a>')).feeds) is is_feed


def test_empty_pages_with_different_texts_in_the_feed_are_different():
    pages = [Page(url=URL, html="<title>App</title><div id=root></div>", hints=Hints(source="feed", content_html=html))
             for html in (f"<p>{SENTENCE * 4}</p>", f"<p>{SENTENCE * 5}</p>", None)]  # fmt: skip
    assert len({summarise(stages.read(page)).text_hash for page in pages}) == 3
