"""Articles as Markdown: what a parser of it shows is what the article says."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import webmain
from webmain import Article, ArticleBlock, Image, Kind, TextLink
from webmain.items import TextMark

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def shown(markdown: str) -> str:
    """The words that a page made of the Markdown shows."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", PARSER.render(markdown))).split())


def block(text: str, kind: Kind = Kind.PARAGRAPH, **fields: object) -> ArticleBlock:
    return ArticleBlock(kind=kind, text=text, **fields)  # type: ignore[arg-type]


def rendered(*blocks: ArticleBlock, **fields: object) -> str:
    return Article(blocks=blocks, **fields).to_markdown()  # type: ignore[arg-type]


HOSTILE = [
    *(
        "# a",
        "###### a #",
        "- a",
        "+ a",
        "* a",
        "1. a",
        "12) a",
        "> a",
        "```",
        "~~~ a",
        "~~a~~",
        "    a",
        "C #",
        "#",
        "-",
    ),
    *(
        "a\n---",
        "a\n===",
        "- - -",
        "* * *",
        "___",
        "<b>a</b>",
        "<!-- a -->",
        "&amp; &#35; &nbsp;",
        "AT&T; a",
        "1.",
        "=",
    ),
    *("[a](b)", "![a](b)", "[a]: http://x/", "a | b\n--- | ---\nc | d", "a\n:-- | --:", "\\", "a\\\nb", "`` ` ``"),
    *("_a_ *b* __c__ snake_case", "a*b*c", "<http://x/>", "a  \nb"),
]
KINDS = [k for k in Kind if k not in (Kind.CODE, Kind.TABLE)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", HOSTILE)
def test_text_that_looks_like_markup_is_shown_as_it_is(text, kind):
    assert shown(rendered(block(text, kind, level=1))) == " ".join(text.split())
    assert shown(rendered(block("before", kind, level=1), block(text, kind, level=1))) == " ".join(
        f"before {text}".split()
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_titles_and_cells_that_look_like_markup_are_shown_as_they_are(text):
    assert shown(rendered(title=text)) == " ".join(text.split())
    cell = " ".join(text.split())
    table = block(f"a\tb\n{cell}\tc", Kind.TABLE, rows=(("a", "b"), (cell, "c")))
    assert shown(rendered(table)) == f"a b {cell} c"


LINE = st.text(st.sampled_from("ab1 .)#-+*_=|:>`~[]()!<>&;\\/\"'ก中"), min_size=1, max_size=14).map(
    lambda t: " ".join(t.split())
)
TEXT = st.lists(LINE.filter(bool), min_size=1, max_size=3).map("\n".join)
BLOCK = st.builds(
    block,
    TEXT,
    st.sampled_from(KINDS),
    level=st.integers(1, 4),
    ordered=st.booleans(),
    number=st.integers(0, 12),
    continues=st.booleans(),
)


@given(st.lists(BLOCK, min_size=1, max_size=5))
def test_any_blocks_show_their_words_and_nothing_else(blocks):
    expected = " ".join(" ".join(b.text for b in blocks).split())
    assert shown(rendered(*blocks)) == expected


@given(st.lists(st.lists(LINE, min_size=2, max_size=2), min_size=2, max_size=4))
def test_any_table_shows_its_cells(rows):
    table = block("\n".join("\t".join(row) for row in rows), Kind.TABLE, rows=tuple(map(tuple, rows)))
    assert shown(rendered(table)) == " ".join(" ".join(cell for row in rows for cell in row).split())


@given(TEXT, st.data())
def test_links_change_no_word(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    link = TextLink(start=start, end=end, url="https://x.example/a_b(c)?d=1&amp;e=[f]#g*h*")
    markdown = rendered(block(text, links=(link,)))
    assert re.sub(r"\s", "", shown(markdown)) == re.sub(r"\s", "", text)


def test_links_lead_where_they_led():
    url = "https://x.example/a_b(c)?d=1&amp;e=[f] g*h*ก"
    html = PARSER.render(rendered(block("see this page.", links=(TextLink(start=4, end=8, url=url),))))
    assert html == (
        '<p>see <a href="https://x.example/a_b%28c%29?d=1&amp;amp;e=%5Bf%5D%20g*h*%E0%B8%81">this</a> page.</p>\n'
    )


def test_links_in_cells_are_written_in_their_cells():
    table = block(
        "a\tb\nc\td e",
        Kind.TABLE,
        rows=(("a", "b"), ("c", "d e")),
        links=(TextLink(start=8, end=9, url="https://x.example/"),),
    )
    assert "| c | d [e](https://x.example/) |" in rendered(table)


def items(*rows: tuple[str, int, int]) -> list[ArticleBlock]:
    """List items: text, level, number (0 unordered)."""
    return [block(t, Kind.LIST_ITEM, level=level, ordered=number > 0, number=number) for t, level, number in rows]


def structure(*blocks: ArticleBlock) -> str:
    """The tags and words of the page made of the Markdown, without paragraphs and white space."""
    return re.sub(r"</?p>|\s", "", PARSER.render(rendered(*blocks)))


def test_nested_lists_keep_their_levels():
    found = structure(*items(("a", 1, 9), ("b", 1, 10), ("c", 2, 0), ("d", 3, 1), ("e", 2, 0), ("f", 1, 11)))
    assert found == ('<olstart="9"><li>a</li><li>b<ul><li>c<ol><li>d</li></ol></li><li>e</li></ul></li><li>f</li></ol>')


def test_list_numbers_are_those_of_the_page():
    found = structure(*items(("a", 1, 1), ("b", 1, 2), ("d", 1, 4), ("x", 1, 1)))
    assert found == '<ol><li>a</li><li>b</li></ol><olstart="4"><li>d</li></ol><ol><li>x</li></ol>'


def test_list_item_of_several_paragraphs_is_one_item():
    more = block("more", Kind.LIST_ITEM, level=1, ordered=True, number=1, continues=True)
    first, second = items(("a", 1, 1), ("b", 1, 2))
    assert structure(first, more, second) == "<ol><li>amore</li><li>b</li></ol>"


def test_quote_of_several_paragraphs_is_one_quote():
    quotes = [block("a", Kind.QUOTE), block("b", Kind.QUOTE, continues=True), block("c", Kind.QUOTE)]
    assert structure(*quotes) == "<blockquote>ab</blockquote><blockquote>c</blockquote>"


def test_code_is_fenced_beyond_the_fences_in_it():
    text = "  x = 1\n```\n# y"
    html = PARSER.render(rendered(block(text, Kind.CODE, language="python")))
    assert html == '<pre><code class="language-python">  x = 1\n```\n# y\n</code></pre>\n'


def test_heading_that_repeats_the_title_is_left_out():
    blocks = (block("Kicker"), block("The  Title", Kind.HEADING, level=1), block("Text"))
    assert rendered(*blocks, title="The title") == "# The title\n\nKicker\n\nText\n"
    assert "## The" in rendered(*blocks, title="Another title")


def test_images_stand_after_their_blocks_and_captions_are_shown_once():
    images = (
        Image(url="https://x.example/lead.jpg", alt="A [lead]"),
        Image(url="https://x.example/b.jpg", caption="Bee", after=0),
        Image(url="https://x.example/c.jpg", caption="Sea", after=1),
    )
    blocks = (block("one"), block("Bee", Kind.CAPTION))
    assert rendered(*blocks, images=images) == (
        "![A \\[lead\\]](https://x.example/lead.jpg)\n\none\n\n![](https://x.example/b.jpg)\n\n*Bee*\n\n"
        "![](https://x.example/c.jpg)\n\n*Sea*\n"
    )


def test_images_part_lists_and_quotes():
    images = (Image(url="https://x.example/a.jpg", after=0),)
    assert rendered(*items(("a", 1, 0), ("b", 1, 0)), images=images) == "- a\n\n![](https://x.example/a.jpg)\n\n- b\n"


def test_comments_follow_a_rule():
    assert rendered(block("text"), comments=(block("well said"),)) == "text\n\n---\n\nwell said\n"
    assert rendered(block("text")) == "text\n"


PROSE = "The harbour master counted the boats twice each morning, once before the tide and once after it."


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("so <b>Never</b> and <i>later</i>.", "so **Never** and *later*."),
        ("so <strong>he <em>said</em> it</strong>.", "so **he *said* it**."),
        ("so <code>a_b*c</code> and a_b*c.", "so `a_b*c` and a\\_b\\*c."),
        ("so x<b>(in)</b>y.", "so x(in)y."),
        ("so <b>a</b><i>b</i>.", "so **a**b."),
        ("so <code>a`b</code>.", "so ``a`b``."),
        ("so <code>``a` b`</code>.", "so ``` ``a` b` ```."),
        ("so <b><code>`</code></b>.", "so **`` ` ``**."),
        ("so <b>one</b> <span><b>two</b></span>.", "so **one two**."),
        ("so <b><i></i></b>.", "so ."),
    ],
)
def test_bold_italic_and_code_are_written(html, expected):
    article = webmain.extract(f"<main><p>{PROSE} {html}</p><p>{PROSE} Again.</p></main>", parts="text")
    first = article.blocks[0]
    assert replace(article, blocks=(first,)).to_markdown() == f"{PROSE} {expected}\n"
    assert "*" not in first.text.replace("a_b*c", "").replace("**.", "")
    assert all(0 <= m.start < m.end <= len(first.text) for m in first.marks)


def test_marks_and_links_are_nested():
    html = f'<main><p>{PROSE} <b>see <a href="/x">it</a></b> <a href="/y"><i>or</i> not</a>.</p><p>{PROSE} Again.</p></main>'
    article = webmain.extract(html, url="https://a.example/1", keep="links", parts="text")
    told = replace(article, blocks=article.blocks[:1]).to_markdown()
    assert told == f"{PROSE} **see [it](https://a.example/x)** [*or* not](https://a.example/y).\n"


def test_columns_of_tables_are_aligned():
    rows = "".join(
        f'<tr><td><b>Lock {i}</b></td><td align="RIGHT">{i}</td><td style="text-align: center">x</td></tr>'
        for i in "abc"
    )
    article = webmain.extract(
        f"<main><p>{PROSE}</p><p>{PROSE} Again.</p><table>{rows}</table></main>", extractor="eniw"
    )
    (table,) = [block for block in article.blocks if block.rows]
    assert table.align == ("", "right", "center")
    assert "| **Lock a** | a | x |\n| --- | --: | :-: |\n" in article.to_markdown()


def test_many_marks_cost_little():
    started = time.process_time()
    article = webmain.extract(
        f"<main><p>{PROSE} {'<b>x</b> <i>y</i> ' * 5_000}</p></main>", parts="text", extractor="eniw"
    )
    assert article.to_markdown()
    assert time.process_time() - started < 5


MARKS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.sampled_from(["bold", "italic", "code"])), max_size=8
)


@given(st.text(alphabet="ab *_`!()[]<>#|\\\\.,“”é本。\n", max_size=30), MARKS)
@example("an\n\nempty line", [(0, 13, "bold")])
def test_marks_change_no_word_and_leave_no_sign(text, spans):
    text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()
    marks = tuple(TextMark(start=start, end=end, kind=kind) for start, end, kind in spans)
    plain = Article(blocks=(block(text),))
    marked = Article(blocks=(block(text, marks=marks),))
    squeezed = "".join(shown(plain.to_markdown()).split())
    assert "".join(shown(marked.to_markdown()).split()) == squeezed
