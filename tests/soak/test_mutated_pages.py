"""Pages of the repository, broken in every way: an article or a rejection comes of each, never an error."""

import json
import random
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

import webmain
from demo.web import Web
from webmain import Article, Hints, Page, Reason, Rejected
from webmain.extractors.base import EXTRACTORS

ROOT = Path(__file__).parents[1]
KEEP = ["", "links,images,comments,captions", "no-tables,no-lists,no-captions", "comments,no-lists,links"]
SEED = 8
SAMPLE, MANY = 40, 2_000
many = pytest.param(MANY, marks=[pytest.mark.soak, pytest.mark.timeout(7200)], id="soak")

TAGS = (
    "p div span a b i em u s q sup sub ruby rt rp rb rtc table caption colgroup col thead tbody tr td th ul ol li dl dt dd menu "
    "h1 h2 h3 h6 pre code textarea xmp listing plaintext select option optgroup datalist svg math mi mo mtext annotation-xml title "
    "desc foreignObject template slot noscript noembed noframes iframe object embed video audio canvas img picture source figure "
    "figcaption blockquote article section main aside header footer nav form button label fieldset legend input br hr wbr "
    "details summary dialog time address base meta link script style html head body frameset frame center font marquee x-y"
).split()
ATTRIBUTES = (
    "class id style hidden href src srcset alt title lang dir datetime start value reversed colspan rowspan headers scope type "
    "rel name property itemprop itemscope itemtype content charset http-equiv role aria-level aria-hidden data-src data-lang width "
    "height xmlns http-equiv media media sizes for"
).split()
VALUES = (
    "",
    *("0 1 -1 6 7 12 123456 99999999999999999999 1e309 NaN ² ٣ ½ 3.5 +1 0x10").split(),
    *("hidden none display:none visibility:hidden;display:none caption pull-quote lineno gutter comment comments author byline "
      "sr-only article-body language-python brush:js heading button tab reversed until-found S:0 P3Y").split(),
    *("http:// http://[::1 http://[::1]:99999/ //[ javascript:void(0) data:text/html,x mailto:a@b # #a ? /../.. http://a.example:port/ "
      "http://xn--a/ http://é.example/%zz%00 file:///etc/passwd https://a.example/2026/13/45/x.html \\\\a\\b ///").split(),
    *("0000-00-00 9999-12-31T23:59:60Z 0001-01-01T00:00:00+23:59 9999-12-31T23:59:59-23:59 2026-02-30 1e10 99999999999999 "
      "-62135596800 2026-W53-7 20261399 24:00 ๒๕๖๙-๐๑-๐๑").split(),
    *("canonical author article:published_time datePublished og:title og:url og:image og:locale description keywords robots refresh "
      "amphtml alternate license next prev utf-16 utf-7 x-user-defined windows-1252 application/ld+json application/json "
      "text/template NewsArticle http://schema.org/NewsArticle en-x-y zz_ZZ th-TH").split(),
    "0;url=http://[", "a 1x, b -2x, , c w", "31 เมษายน 2569", "29 February 2025 25:61 GMT+99", "Mon, 99 Foo 20 :: +9999", "a\x00b", "\ud800",
    "\U0010ffff", "\u202e\u0000\ufeff", "x" * 5_000, "a," * 2_000, "{", "[[]]",
)  # fmt: skip
TEXTS = (
    *("&amp; &#0; &#x110000; &#xD800; &#55296; &notanentity; &amp &#; &#x; < << <> </> </ <! <!-- --> <!--> <![CDATA[ ]]> <? ?> <!DOCTYPE "
      "<!-->< <p <a\x00 <p/ </p\x00> <%=x%> {{x}} ‮ ﷽ \x0c \x1b[31m \x85 \u2028 ￾ 𝒳 é ก็็็็ 漢").split(" "),
    "\x00" * 20, "\ud83d", "\udc00x", "é" * 300, "word " * 500, "\n" * 200, "\u00ad\u200b\ufeff", "By Ada Moss and ", "Updated 31.02.2026 24:61",
    "Comments (3)", "Read more: ", "1/2", "ราคา", "http://a.example/",
)  # fmt: skip
JSON_VALUES = (
    None, True, False, 0, -1, 1e400, 10**30, "", "x", "2026-11-03", "0000-99-99", "<p>text</p>" * 40, [], {}, [[]], [None, 1, "x", {}], {"@type": 3},
    {"@id": "#x"}, {"name": None}, {"name": [{"name": {"name": "deep"}}]}, {"@list": [1]}, {"url": "http://[::1"}, {"@value": {}}, "\ud800", "a" * 3000,
)  # fmt: skip
JSON_KEYS = (
    "@context @type @graph @id headline name author creator datePublished dateModified articleBody text description image url mainEntityOfPage "
    "publisher keywords articleSection isAccessibleForFree inLanguage license comment itemListElement props pageProps body content blocks children "
    "html title nodes paragraphs wordCount hasPart"
).split()
FRAGMENTS = (
    "<ruby>x<rt>", "<ruby><rt><p>a", "<select><option>a<p>b", "<svg><title>x</title><foreignObject><p>in svg</p>", "<math><mi>x<annotation-xml encoding=text/html><p>y",
    "<template><p>hidden</template>", "<table><tr><td><table><caption>c<tr><th>", "<table><p>foster<td colspan=0 rowspan=99999999999>x<td colspan=-3>y",
    "<ol start=99999999999999999999 reversed><li value=-99999999999>x<li>y", "<ol><p><li><ol><li>", "<dl><dd>x<dt>y<div><dd>z", "<pre>\n\n a\n\tb<span class=lineno>1</span>",
    "<textarea><p>x", "<plaintext>", "<xmp><b>", "<frameset><frame>", "<noscript><p>no script", "<q>x<q>y<q>z", "<sup><a href=#fn1>1", "<a href=http://[>x<a href>y",
    "<blockquote class=pullquote><q>", "<figure><figcaption><figure><img srcset=', ,x'>", "<p hidden>h<p style='display : none'>n", "<base href='http://[::1'>",
    "<base href='//'>", "<meta charset=utf-16>", "<meta http-equiv=content-type content='text/html; charset=shift_jis'>", "<html lang=xx dir=rtl class=x>", "<body hidden>",
    "<title>", "<title></title>", "<h1></h1>", "<h1><table><tr><td>x</h1>", "<div role=heading aria-level=''>x</div>", "<div role=heading aria-level=12>x</div>",
    "<div hidden id=S:0><p>streamed", "<iframe><p>x", "<object><embed><p>x", "<video><track><p>x", "<details><summary>x", "<script type=application/ld+json>", "<script>var a = '<p>",
    "<style>p{", "<!--", "<![CDATA[<p>x]]>", "<?php echo ?>", "<br>" * 30, "<b>" * 30, "<i><div>" * 12, "<font><table>" * 5, "</body></html><p>after", "</p>" * 20, "</br></p>",
    "<time datetime=9999-12-31T23:59:59-23:59>x</time>", "<time datetime=0001-01-01T00:00:00+23:59>", "<meta property=article:published_time content=0001-01-01T00:00:00+14:00>",
    "<a rel=author href=javascript:x>By <span itemprop=name></a>", "<div itemscope itemtype=http://schema.org/Person><div itemprop=author itemscope><b itemprop=name>",
    "<link rel=canonical href='http://[::1'>", "<link rel=canonical href='//:0/'>", "<link rel=license href='\x00'>", "<img src='data:,x' alt='\x00'>", "<img width=1e309 height=-1 src=x>",
)  # fmt: skip
CHARSETS = ("utf-8", "utf-16", "utf-16-be", "utf-32", "latin-1", "windows-1251", "cp874", "shift_jis", "gb18030", "iso-2022-jp", "utf-7", "euc-kr", "big5")  # fmt: skip
_SPAN = re.compile(r"<[^<>]*>|[^<]+|<")


@cache
def pages():
    """Return real-like pages: those of the tests, and articles and lists of the made-up web."""
    files = sorted([*(ROOT / "pages").glob("*/input.html"), *(ROOT / "gold/pages").glob("*.html")])
    web = Web()
    urls = [e.url for e in web.expected()][::3] + [t.url for t in web.traps()][::3]
    replies = [web.respond(url) for url in urls]
    return tuple([path.read_bytes() for path in files] + [r.body for r in replies if r.status == 200 and r.body])


def some_json(rng, depth=0):
    """Return JSON of the kind that pages carry, with odd values in it."""
    if depth > 4 or rng.random() < 0.3:
        return rng.choice(JSON_VALUES)
    if rng.random() < 0.25:
        return [some_json(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(JSON_KEYS): some_json(rng, depth + 1) for _ in range(rng.randrange(1, 8))}


def script(rng):
    """Return a script with data in it."""
    text = json.dumps(some_json(rng), ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.3:
        text = text[: rng.randrange(len(text) + 1)] + rng.choice(TEXTS)
    head = rng.choice(
        [
            "<script type=application/ld+json>",
            "<script id=__NEXT_DATA__ type=application/json>",
            "<script>window.__STATE__ = ",
        ]
    )
    return f"{head}{text}</script>"


def new_tag(rng):
    """Return a start tag, sometimes an end tag, with attributes that mean something."""
    if rng.random() < 0.3:
        return f"</{rng.choice(TAGS)}>"
    quote = rng.choice(["'", '"', "'"])
    attributes = "".join(
        f" {rng.choice(ATTRIBUTES)}={quote}{rng.choice(VALUES)}{quote}" for _ in range(rng.randrange(4))
    )
    return f"<{rng.choice(TAGS)}{attributes}{rng.choice(['>', '>', '/>', ''])}"


def edit(rng, spans):
    """Change a page's spans (tags and texts) in one way."""
    n = len(spans)
    at, length = rng.randrange(n), min(n, int(rng.expovariate(1 / 12)) + 1)
    other = rng.randrange(n)
    how = rng.randrange(12)
    if how == 0:
        del spans[at : at + length]
    elif how == 1:
        spans[at:at] = spans[other : other + length] * rng.choice([1, 1, 2, 40])
    elif how == 2:
        spans[at], spans[other] = spans[other], spans[at]
    elif how == 3:
        spans[at] = spans[at][: rng.randrange(len(spans[at]) + 1)]
    elif how == 4:
        part = spans[at : at + length]
        rng.shuffle(part)
        spans[at : at + length] = part
    elif how == 5 and spans[at].startswith("<"):
        spans[at] = spans[at].rstrip("/>") + f" {rng.choice(ATTRIBUTES)}='{rng.choice(VALUES)}'>"
    elif how == 6:
        spans[at:at] = [rng.choice(FRAGMENTS)]
    elif how == 7:
        spans[at:at] = [rng.choice(TEXTS)]
    elif how == 8:
        spans[at:at] = [script(rng)]
    elif how == 9 and rng.random() < 0.2:
        del spans[at:]
    elif how == 10:
        spans[at:at] = [new_tag(rng)] * rng.choice([1, 1, 1, 3, 60])
    else:
        spans[at:at] = [new_tag(rng)]
    if not spans:
        spans.append(rng.choice(FRAGMENTS))


def mutated(rng):
    """Return a page, broken: text, or bytes in some encoding; with a URL, hints and following pages at times."""
    text = rng.choice(pages()).decode("utf-8", "surrogateescape" if rng.random() < 0.1 else "replace")
    spans = _SPAN.findall(text) or [""]
    for _ in range(min(200, int(rng.expovariate(1 / 12)) + 1)):
        edit(rng, spans)
    html = "".join(spans)
    values = {
        "url": rng.choice(
            [
                "https://a.example/2026/11/03/x",
                "https://a.example/y?id=3",
                None,
                "page.html",
                "http://[::1",
                "",
                "\x00",
                "https://a.example/\ud800",
            ]
        )
    }
    if rng.random() < 0.2:
        values["hints"] = Hints(
            source="feed", title=rng.choice(TEXTS), published=rng.choice(VALUES), modified=rng.choice(VALUES), authors=(rng.choice(TEXTS),),
            summary=rng.choice(TEXTS), content_html=rng.choice([None, *FRAGMENTS]), language=rng.choice(VALUES),
        )  # fmt: skip
    if rng.random() < 0.05:
        values["parts"] = (Page(html=rng.choice(FRAGMENTS)), Page(body=b"<p>" + rng.randbytes(40)))
    if rng.random() < 0.5:
        return Page(html=html, **values)
    body = html.encode(rng.choice(CHARSETS) if rng.random() < 0.5 else "utf-8", "replace")
    for _ in range(rng.choice([0, 0, 1, 20])):
        at = rng.randrange(len(body) + 1)
        body = body[:at] + rng.randbytes(rng.randrange(5)) + body[at + rng.randrange(3) :]
    header = rng.choice([None, None, "text/html; charset=" + rng.choice([*CHARSETS, "nonsense", "", "\x00"])])
    return Page(
        body=body,
        headers={"content-type": header} if header else {},
        fetched_at=datetime(2026, 11, 22, tzinfo=UTC),
        **values,
    )


def sound(answer):
    """Check that an answer is a rejection that was foreseen, or an article that can be written and read."""
    if isinstance(answer, Rejected):
        assert answer.reason is not Reason.INTERNAL_ERROR, answer.detail
        return
    assert answer.text.strip()
    assert isinstance(answer.to_markdown(), str)
    assert Article.from_dict(json.loads(answer.to_json())) == answer
    assert hash(answer) == hash(Article.from_dict(answer.to_dict()))
    assert answer.text == "\n\n".join(block.text for block in answer.blocks)


def answer_of(page, **options):
    """Return what comes of one page."""
    from webmain.extraction import Options, extract_page
    from webmain.extractors.base import create

    try:
        return extract_page(page, create(options.pop("extractor")), Options(**options))
    except Rejected as rejected:
        return rejected


@pytest.mark.parametrize("n", [SAMPLE, many])
@pytest.mark.parametrize("name", sorted(EXTRACTORS))
def test_a_mutated_page_is_an_article_or_a_foreseen_rejection(name, n):
    rng = random.Random(f"{SEED} {name}")
    for number in range(n):
        page, keep = mutated(rng), webmain.Keep.of(rng.choice(KEEP) or None)
        try:
            sound(answer_of(page, extractor=name, keep=keep, timeout_s=None))
        except Exception as error:
            error.add_note(f"page {number}, keep={keep}")
            raise


@pytest.mark.parametrize("n", [1, pytest.param(50, marks=[pytest.mark.soak, pytest.mark.timeout(7200)], id="soak")])
@pytest.mark.parametrize("name", ["learned", "lbda", "svm"])
def test_a_site_of_mutated_pages_is_answered_one_for_one(name, n):
    rng = random.Random(f"{SEED} {name} site")
    for _ in range(n):
        group = [mutated(rng) for _ in range(12)]
        answers = webmain.extract_site(group, extractor=name, keep=rng.choice(KEEP) or None, timeout_s=None)
        assert len(answers) == len(group)
        for answer in answers:
            sound(answer)
