"""The words of blocks, as a reader sees them: each once, with the spaces that the page shows."""

from __future__ import annotations

import time
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.html.document import Document
from webmain.html.kinds import article_blocks
from webmain.items import ArticleBlock, Kind, Page, TextLink
from webmain.items.keep import DEFAULT_KEEP, Keep

URL = "https://example.com/news/story"
LINKS = Keep(links=True)
MATHML = "<span><math><mi>n</mi><mo>=</mo><mn>2</mn></math></span>"


def blocks(markup: str, keep: Keep = DEFAULT_KEEP) -> tuple[ArticleBlock, ...]:
    page = Document(Page(html=markup, url=URL), html=markup)
    n = len(page.leaves)
    return article_blocks(page, np.ones(n, dtype=bool), score=np.ones(n), raw=np.ones(n), keep=keep)


def text(markup: str, keep: Keep = DEFAULT_KEEP) -> str:
    return "|".join(b.text for b in blocks(markup, keep))


# --- spaces ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>a<b>b</b>c", "abc"),
        ("<p>a <b>b</b> c", "a b c"),
        ("<p>a<b> b </b>c", "a b c"),
        ("<p>a\n<i>b</i>\n\tc", "a b c"),
        ("<p>lo<wbr>ng", "long"),
        ("<p>so&shy;ft&#xfeff;ly", "softly"),
        ("<p>a&nbsp;b", "a b"),
        ("<div>a<div>b</div>c</div>", "a|b|c"),
        ("<p>a<br>b<br/><br/>c", "a\nb|c"),
        ("<p>a</p>&#8203;<p>b", "a|b"),
    ],
)
def test_spaces_are_those_that_the_page_shows(markup, expected):
    assert text(markup) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>これは\n  試験です。\nはい</p>", "これは試験です。はい"),
        ("<p>中文 中文</p>", "中文 中文"),
        ("<p>中文\nABC\n中文</p>", "中文 ABC 中文"),
        ("<p>한국어\n문장</p>", "한국어 문장"),
        ("<p>ភាសា<wbr>ខ្មែរ</p>", "ភាសាខ្មែរ"),
        ("<p>ภาษา&#8203;ไทย</p>", "ภาษา\u200bไทย"),
    ],
)
def test_source_lines_part_words_where_browsers_show_a_space(markup, expected):
    assert text(markup) == expected


# --- inline elements -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>です", "漢字です"),
        ("<p>東京<ruby>\n 漢\n <rt>かん</rt>\n 字 <rt>じ</rt></ruby>です", "東京漢字です"),
        ("<ruby><rt>x<ul><li>one<li>two <ruby>漢<rt>かん", "one|two 漢"),
        ("<p>10<sup>6</sup> km<sup>2</sup> s<sup>-1</sup>", "10⁶ km² s⁻¹"),
        ("<p>1<sup>st</sup> H<sub>2</sub>O", "1st H2O"),
        ("<p>word<sup><a href='#fn1'>[1]</a></sup>, more", "word, more"),
        ("<p>word<sup><a href='/notes'>[1]</a></sup>", "word[1]"),
        ("<p>word<a href='#fn1'>[1]</a>, more", "word, more"),
        ("<p>word.<a href='#fn1'>1</a> More", "word. More"),
        ("<p>Figure <a href='#f1'>1</a> and (<a href='#f2'>2</a>)", "Figure 1 and (2)"),
        ("<p>word<a href='/issues/1'>1</a> <a href='/issues/2'>[2]</a>", "word1 [2]"),
        ("<h2>Name<a href='#name'>¶</a></h2>", "Name"),
        ("<h2>Name<a href='#name'>\u200b</a></h2>", "Name"),
        ("<h2><a href='#name'>#</a> Name</h2>", "Name"),
        ("<p>The note. <a href='#back1'>↩\ufe0e</a>", "The note."),
        ("<p>The note. <a href='/'>↩</a>", "The note. ↩"),
        (f"<p>So <span>{MATHML}<span aria-hidden=true>n<i>=</i>2</span></span> here", "So n=2 here"),
        (f"<p>So <span><nobr aria-hidden=true>n=2</nobr>{MATHML}</span> here", "So n=2 here"),
        (f"<p>So {MATHML}<span aria-hidden=true>, he said</span>", "So n=2, he said"),
        ("<p>a <span hidden>secret</span> b", "a b"),
        ("<p>open<span class=sr-only> in a new window</span>.", "open."),
        ("<p>He said <q>go</q>.", "He said “go”."),
        ("<p><q>I <q>go</q> now</q>", "“I ‘go’ now”"),
        ("<p><q>“go”</q>", "“go”"),
        ("<html lang=de><p><q>los</q>", "„los“"),
    ],
)
def test_inline_elements_do_to_text_what_browsers_do(markup, expected):
    assert text(markup) == expected


def test_a_block_that_is_hidden_altogether_stays_as_the_extractor_judged():
    assert text("<p hidden>a <b>b</b></p>") == "a b"


@given(
    st.lists(
        st.sampled_from(
            (
                "<p>,</p>,<b>,</b>,<ul><li>,<li>,</ul>,<table><tr><td>,<td>,<tr><td>,</table>,<blockquote>,</blockquote>,<pre>,"
                "</pre>,<h2>,</h2>,<br>, ,\n,<q>,</q>,<figcaption>,</figcaption>,<dl><dt>,<dd>,</dl>,<a href=/x>,</a>,<sup>,"
                "</sup>,<caption>,<div class=caption>,</div>,<span class=lineno>,</span>,<th colspan=3>"
            ).split(",")
        ),
        max_size=25,
    ),
    st.booleans(),
)
def test_every_run_of_text_is_in_one_block_once(tags, links):
    markup = "<body>" + "".join(f"{tag}w{number}x" for number, tag in enumerate(tags))
    found = blocks(markup, LINKS if links else DEFAULT_KEEP)
    words = " ".join(b.text for b in found)
    for number in range(len(tags)):
        assert words.count(f"w{number}x") == 1
    for each in found:
        assert all(0 <= link.start < link.end <= len(each.text) for link in each.links)
        if each.kind is Kind.TABLE:
            assert each.text == "\n".join("\t".join(row) for row in each.rows)
    assert [b.text for b in found] == [b.text for b in blocks(markup)]


# --- lists -----------------------------------------------------------------------------------------------------------


def items(markup: str) -> list[tuple[str, int, int, bool]]:
    return [(b.text, b.level, b.number, b.continues) for b in blocks(markup) if b.kind is Kind.LIST_ITEM]


@pytest.mark.parametrize(
    ("markup", "numbers"),
    [
        ("<ol><li>a<li>b", [1, 2]),
        ("<ol start=5><li>a<li>b", [5, 6]),
        ("<ol start=99999999999><li>a", [1]),
        ("<ol><li value=7>a<li>b", [7, 8]),
        ("<ol reversed><li>a<li>b<li>c", [3, 2, 1]),
        ("<ol><li><img><li>b", [2]),
    ],
)
def test_items_are_numbered_as_browsers_do(markup, numbers):
    assert [number for _, _, number, _ in items(markup)] == numbers


def test_further_paragraphs_of_an_item_continue_it():
    assert items("<ul><li><p>a<p>b<ul><li>c</ul>d<li>e") == [
        ("a", 1, 0, False),
        ("b", 1, 0, True),
        ("c", 2, 0, False),
        ("d", 1, 0, True),
        ("e", 1, 0, False),
    ]


def test_definitions_are_one_deeper_than_their_terms():
    found = items("<dl><dt>a<dd>b<p>c<dd>d<dt>e<dd><ul><li>f</ul></dl>")
    assert [(t, level) for t, level, _, _ in found] == [("a", 1), ("b", 2), ("c", 2), ("d", 2), ("e", 1), ("f", 3)]
    assert [t for t, _, _, continues in found if continues] == ["c"]


# --- quotes, headings, captions --------------------------------------------------------------------------------------


def test_paragraphs_of_one_quote_continue_it():
    found = blocks("<blockquote><p>a<p>b</blockquote><blockquote>c</blockquote><p>d")
    assert [(b.kind.value, b.text, b.continues) for b in found] == [
        ("quote", "a", False),
        ("quote", "b", True),
        ("quote", "c", False),
        ("paragraph", "d", False),
    ]


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("<p class='wp-caption-text'>x", Kind.CAPTION),
        ("<div><span class='caption'>x</span></div>", Kind.CAPTION),
        ("<div><span class='caption'>x</span> y</div>", Kind.PARAGRAPH),
        ("<div class='has-caption'><p>x", Kind.PARAGRAPH),
        ("<div class='caption'>" + "<p>x" * 17, Kind.PARAGRAPH),
        ("<div class='caption'>" + "<p>x" * 16, Kind.CAPTION),
        ("<aside class='pull-quote'><p>x", Kind.QUOTE),
        ("<div role=heading aria-level=3>x", Kind.HEADING),
    ],
)
def test_classes_and_roles_tell_kinds(markup, kind):
    assert blocks(markup)[0].kind is kind


def test_level_of_a_heading_by_role_is_declared():
    assert [b.level for b in blocks("<p role=heading aria-level=3>x</p><p role=heading>y</p>")] == [3, 2]


# --- code ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "language", "code"),
    [
        ("<pre><code class='language-python'>a\n  b</code></pre>", "python", "a\n  b"),
        ("<div class='highlight highlight-source-js'><pre>x</pre></div>", "js", "x"),
        ("<pre class='brush: java; gutter: false'>x", "java", "x"),
        ("<pre data-lang=go>x", "go", "x"),
        ("<pre class='language-</b>`'>x", "", "x"),
        ("<pre><span>a</span>\n<span>  </span><span>b</span>\n\n<span>c</span></pre>", "", "a\n  b\n\nc"),
        ("<pre><div>a\n</div><div>  b</div><div>c</div></pre>", "", "a\n  b\nc"),
        ("<pre><span class=lineno>1 </span>a\n<span class=lineno>2 </span>b</pre>", "", "a\nb"),
        ("<pre>\n\n\tx\n\n</pre>", "", "\tx"),
    ],
)
def test_code_keeps_its_white_space_and_language(markup, language, code):
    (block,) = blocks(markup)
    assert (block.kind, block.language, block.text) == (Kind.CODE, language, code)


def test_numbers_beside_code_are_left_out():
    markup = "<table><tr><td class=gutter><pre>1\n2</pre><td class=code><pre>a\nb</pre></table>"
    assert [(b.kind, b.text) for b in blocks(markup)] == [(Kind.CODE, "a\nb")]


# --- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><th>a<th>b<tr><td><td>2", (("a", "b"), ("", "2"))),
        ("<tr><th colspan=2>a<th>b<tr><td>1<td>2<td>3", (("a", "", "b"), ("1", "2", "3"))),
        ("<tr><th rowspan=2>a<th>b<tr><td>2<tr><td>3<td>4", (("a", "b"), ("", "2"), ("3", "4"))),
        ("<tr><th>a<th><img><th>b<tr><td>1<td><img><td>2", (("a", "b"), ("1", "2"))),
        ("<tr><th colspan=99999>a<tr><td>1<td>2", (("a", ""), ("1", "2"))),
    ],
)
def test_cells_stay_in_their_columns(rows, expected):
    (table,) = blocks(f"<table>{rows}</table>")
    assert table.rows == expected
    assert table.text == "\n".join("\t".join(row) for row in expected)


def test_cells_that_reach_over_very_many_others_are_read_in_bounded_time():
    groups = ("<tr>" + "<td colspan=50 rowspan=50>a b" * 10 + "<tr>" * 49) * 300
    start = time.process_time()
    (table,) = blocks(f"<table><tr><th>a<th>b<tr><td>1<td>2{groups}</table>")
    assert time.process_time() - start < 3
    assert table.rows[1][:2] == ("1", "2")
    assert table.rows[-1][:3] == ("a b", "a b", "a b")


# --- links -----------------------------------------------------------------------------------------------------------


def linked(markup: str) -> list[tuple[str, str]]:
    return [(b.text[link.start : link.end], link.url) for b in blocks(markup, LINKS) for link in b.links]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>see <a href='/a'>this</a>.", [("this", "https://example.com/a")]),
        (
            "<p>see <a href='b?x=1&amp;y=2#z'><b>th</b>is <i>page</i></a>",
            [("this page", "https://example.com/news/b?x=1&y=2#z")],
        ),
        (
            "<p><a href=/a>one</a><a href=/b>two</a>",
            [("one", "https://example.com/a"), ("two", "https://example.com/b")],
        ),
        ("<p><a href='javascript:alert(1)'>x</a> <a href='data:text/html,x'>y</a> <a href='mailto:a@b.c'>z</a>", []),
        ("<p><a href=' #top'>x</a> <a>y</a> <a href=''>z</a>", []),
        ("<ul><li>so&shy;ft <a href=/a>li&shy;nk</a>", [("link", "https://example.com/a")]),
        ("<p>x<br><a href=/a>a<br>b</a>", [("a\nb", "https://example.com/a")]),
        (
            "<table><tr><th>a<th><a href=/b>b</a><tr><td><p>1<p><a href=/c>c</a><td>2 <a href=/d>d</a></table>",
            [("b", "https://example.com/b"), ("c", "https://example.com/c"), ("d", "https://example.com/d")],
        ),
    ],
)
def test_links_tell_where_they_stand_and_lead(markup, expected):
    assert linked(markup) == expected


def test_links_are_given_only_when_asked_for():
    assert [b.links for b in blocks("<p><a href=/a>x</a>")] == [()]
    assert blocks("<p><a href=/a>x</a>", LINKS)[0].links == (TextLink(start=0, end=1, url="https://example.com/a"),)


# --- what is kept ----------------------------------------------------------------------------------------------------

LONG = "A sentence that is longer than the rest. " * 3


@pytest.mark.parametrize(
    ("keep", "kinds"),
    [
        (Keep(), "paragraph list_item caption caption table"),
        (Keep(captions=False), "paragraph list_item table"),
        (Keep(tables=False), "paragraph list_item caption"),
        (Keep(lists=False), "paragraph caption caption table"),
    ],
)
def test_captions_tables_and_lists_can_be_left_out(keep, kinds):
    markup = (
        f"<p>{LONG}</p><ul><li>item</ul><figure><figcaption>photo</figcaption></figure>"
        "<table><caption>table</caption><tr><th>a<th>b<tr><td>1<td>2</table>"
    )
    assert " ".join(b.kind.value for b in blocks(markup, keep)) == kinds


def test_lists_that_lay_out_the_page_stay():
    assert text(f"<ul><li><p>{LONG}</ul><p>short", Keep(lists=False)).endswith("|short")
    assert text(f"<ul><li><p>short</ul><p>{LONG}", Keep(lists=False)) == LONG.strip()


@given(st.text(max_size=60))
def test_any_text_is_shown_as_it_stands(content):
    escaped = content.replace("&", "&amp;").replace("<", "&lt;")
    shown = "".join("".join(b.text.split()) for b in blocks(f"<body><p>{escaped}</p>"))
    wanted = "".join(c for c in content if unicodedata.category(c) not in ("Cs", "Cc", "Cf", "Cn", "Co", "Mn"))
    kept = "".join(c for c in shown if unicodedata.category(c) not in ("Cs", "Cc", "Cf", "Cn", "Co", "Mn"))
    assert kept == "".join(wanted.split())
