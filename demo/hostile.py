"""Pages made to cost time: one short run of HTML's parts, repeated until the page is full."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import webmain
from webmain.discovery.articles import judge_url
from webmain.discovery.feeds import NotAFeed, read_feed
from webmain.discovery.page_evidence import evidence_of
from webmain.discovery.page_summary import summarise
from webmain.discovery.pagination import next_listing, next_part
from webmain.discovery.sitemaps import NotASitemap, read_pieces
from webmain.extraction import Options, read
from webmain.items import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_BYTES = 2_000_000
REPEATS = 100_000
MOST_TOKENS = 6

_TAGS = (
    "html head body title base link meta style script noscript p div section article main nav aside header footer h1 h2 h6 "
    "ul ol li dl dt dd table caption colgroup col thead tbody tr td th a b i em strong font small u s tt nobr span code pre "
    "blockquote q figure figcaption img picture source br hr wbr form input button textarea select option optgroup label "
    "fieldset legend details summary dialog menu iframe object embed applet marquee audio video canvas svg path g text desc "
    "foreignObject math mi annotation-xml template noframes noembed xmp listing plaintext frameset frame ruby rb rt rtc rp "
    "center time address mark sub sup kbd del ins abbr cite x-card o:p"
).split()
_ATTRIBUTES = (
    "class=x", "class='a b c d-e f_g'", 'id="n%d"', "class='c%d'", "style='display:none'", "style='color:red'", "hidden",
    "href=/a", "href='/2026/11/story-%d.html'", 'href="http://other.example/%d"', "href='/x?page=%d'", "href=javascript:x",
    "rel=next", "rel='canonical' href=/b", "rel=alternate type=application/rss+xml href=/f", "src=a.png alt='A picture'",
    "srcset='a.png 1x, b.png 2x'", "colspan=9", "rowspan=65534", "shadowrootmode=open", "itemprop=articleBody",
    "itemscope itemtype=http://schema.org/NewsArticle", "itemprop=author", "datetime=2026-11-22T10:00Z", "a%d=b",
    "property=og:title content='A title %d'", "name=author content='Jane Roe %d'", "property=article:tag content=t%d",
    "srcdoc='<p>x'", "onclick=x()", "lang=th", "role=main", "aria-hidden=true", "class=byline", "class=comment", "a='", 'b="',
    "class='entry-%d social-share related'", "type=application/ld+json", "type=hidden", "start=%d", "content",
)  # fmt: skip
_PIECES = (
    "<", "</", "<!", "<?", "<!--", "-->", "--", "<!-- c -->", "<!doctype html>", "<![CDATA[", "]]>", "<![CDATA[x]]>", ">",
    "/", "=", "'", '"', "<a ", "<p", "<div ", "</p ", "<a href='", '<a b="', "<\u2039q", "<a\0", "\0", "\ufffd", "&", "&#",
    "&#x41;", "&amp;", "&lt;p&gt;", "&notit;", "&#1114112;", " ", "\t", "\n", "\r\n", "\f", "\u00a0", "\u2003", "\u3000",
    "\u200b", "\u200f", "\u202e", "\u0301", "\u0e31\u0e49", "\u0e50\u0e51\u0e52", "\u0e01\u0e32\u0e23",
    "\u0e1b\u0e23\u0e30\u0e40\u0e17\u0e28\u0e44\u0e17\u0e22", "\u5b57", "\u3042", "\u30ab", "\uac00", "\u0645\u0631",
    "\u05e9", "\U0001f600", "e\u0301", "\u0300\u0316", "x", "a b ", "word%d ", "A sentence of words, which ends here. ",
    "1,2", "12:30 ", "2026-11-22 ", "22 November 2026 ", "By Jane Roe and ", "Photo: ", "READ MORE: ", "- ", "| ", "* ", "# ",
    "`", "__", "**", "[a](/b) ", ". ", "... ", "'s ", "http://a.example/b ", "jane@a.example ", "\u00ad", "\u201c", "\u00bb",
    "<script>", "</script>", "<style>", "</style>", "<textarea>", "</textarea>", "<title>", "</title>", "<template>",
    "</template>", "<svg>", "</svg>", "<math>", "</math>", "<script type=application/ld+json>", "<script id=__NEXT_DATA__>",
    '{"@type":"NewsArticle","headline":"A title","articleBody":"', '{"@graph":[', '"author":{"name":"Jane Roe"},', '{"a":',
    "[", "]", "{", "}", "}]", '":', "window.__STATE__=", "self.__next_f.push([1,", "JSON.parse('", "\\", '\\"', "\\u0041",
    "1:T9,", "eyJ", "//", "/*", "*/", "${", "function(a){return{", "})(", "\x1b$B", "<?xml version='1.0'?>", "@media{",
)  # fmt: skip
_FEED_PIECES = (
    "<rss>", "<channel>", "<item>", "</item>", "<title>", "</title>", "<link>", "</link>", "<guid>", "<description>",
    "<content:encoded>", "<entry>", "</entry>", "<id>", "<updated>", "<author><name>Jane Roe</name></author>",
    "<link href='/a%d'/>", "<link>http://a.example/story-%d</link>", "<pubDate>Sun, 22 Nov 2026 10:00:00 GMT</pubDate>",
    "<category>t%d</category>", "<urlset>", "<sitemapindex>", "<sitemap>", "<url>", "</url>", "<loc>", "</loc>",
    "<loc>http://a.example/%d</loc>", "<lastmod>2026-11-22</lastmod>", "<news:news>", "<image:image>", "&#65;", "&nbsp;",
    "<xhtml:link hreflang=th href='http://a.example/%d'/>", "<x:y z='1'>", "</x:y>", "xmlns:x='y'", "<!ENTITY a 'b'>",
    "<!DOCTYPE a [", "<![CDATA[<p>x</p>]]>", "&a;", "http://a.example/%d\n", '{"items":[', '{"url":"http://a.example/%d"},',
    '"title":"x",', '"content_html":"<p>', "<itunes:author>", "<dc:creator>Jane Roe</dc:creator>",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attack:
    """A page of repeated parts.

    Attributes
    ----------
    unit : str
        What is repeated; each `%d` becomes the number of the repetition.
    head, tail : str
        What stands before and after.
    """

    unit: str
    head: str = ""
    tail: str = ""

    def page(self, *, max_bytes: int = MAX_BYTES, repeats: int = REPEATS) -> bytes:
        """Write the page, cut at so many bytes."""
        size = max(1, len(self.unit.encode()))
        n = min(repeats, max_bytes // size + 1)
        body = self.unit * n if "%d" not in self.unit else "".join(self.unit.replace("%d", str(i)) for i in range(n))
        return (self.head + body + self.tail).encode()[:max_bytes]

    @property
    def pieces(self) -> int:
        """Tags and comments of one repetition."""
        return self.unit.count("<")


def attacks(seed: int, n: int) -> Iterator[Attack]:
    """Make attacks on what reads pages, the same for the same seed."""
    rng = random.Random(seed)
    heads = (
        "",
        "",
        "<!doctype html><html lang=en><head><title>A title | Site</title></head><body>",
        "<table>",
        "<p>",
        "<svg>",
    )
    for _ in range(n):
        unit = "".join(_part(rng) for _ in range(rng.randint(1, MOST_TOKENS)))
        yield Attack(unit, rng.choice(heads), rng.choice(("", "<p>The end.</p>")))


def _part(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.35:
        return f"<{rng.choice(_TAGS)}>"
    if kind < 0.5:
        return f"</{rng.choice(_TAGS)}>"
    if kind < 0.65:
        attributes = " ".join(rng.choices(_ATTRIBUTES, k=rng.randint(1, 2)))
        return f"<{rng.choice(_TAGS)} {attributes}{rng.choice(('>', '>', '>', '/>', ''))}"
    if kind < 0.7:
        return f" {rng.choice(_ATTRIBUTES)}"
    return rng.choice(_PIECES)


def feed_attacks(seed: int, n: int) -> Iterator[Attack]:
    """Make attacks on what reads feeds and sitemaps, the same for the same seed."""
    rng = random.Random(seed)
    heads = (
        "<?xml version='1.0'?><rss version='2.0'><channel>",
        "<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'>",
        "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>",
        "<?xml version='1.0'?><sitemapindex>",
        '{"version":"https://jsonfeed.org/version/1","items":[',
        "http://a.example/1\n",
    )
    for _ in range(n):
        pieces = rng.choices((*_FEED_PIECES, *_FEED_PIECES, *_PIECES), k=rng.randint(1, MOST_TOKENS))
        yield Attack("".join(pieces), rng.choice(heads))


URL = "http://a.example/2026/11/a-story-of-words"
METHODS = ("learned", "line_block", "pab", "eniw", "thai_xpath", "lbda", "svm")


def discover(body: bytes) -> None:
    """Read a page as a crawl's discovery does."""
    page = summarise(read(Page(url=URL, body=body), Options(timeout_s=None)))
    evidence_of(page, judge_url(URL), hints=None, n_article_links=3)
    next_part(URL, page.pager, page.head.rel_next)
    next_listing(URL, page.pager, page.head.rel_next)
    for link in page.links:
        judge_url(link)


def costs_s(body: bytes) -> dict[str, float]:
    """Return the CPU time that each method and the discovery take for a page; none may raise but `Rejected`."""
    costs = {"discovery": _cost_s(discover, body)}
    for method in METHODS:
        costs[method] = _cost_s(partial(webmain.extract, url=URL, extractor=method, timeout_s=None), body)
    return costs


def feed_costs_s(body: bytes) -> dict[str, float]:
    """Return the CPU time that feeds' and sitemaps' readers take."""
    return {
        "feed": _cost_s(partial(read_feed, url=URL), body),
        "sitemap": _cost_s(lambda sitemap: list(read_pieces(sitemap, url=URL)), body),
    }


def _cost_s(call: Callable[[bytes], object], body: bytes) -> float:
    start = time.process_time()
    with suppress(webmain.Rejected, NotAFeed, NotASitemap):
        call(body)
    return time.process_time() - start
