"""Kinds of an article's blocks."""

import numpy as np
import pytest

from webmain.html.document import Document
from webmain.html.kinds import MAX_CELL_CHARS, article_blocks
from webmain.items import ArticleBlock, Kind, Page
from webmain.items.keep import Keep


def blocks(markup: str) -> tuple[ArticleBlock, ...]:
    page = Document(Page(html=markup), html=markup)
    n = len(page.leaves)
    return article_blocks(page, np.ones(n, dtype=bool), score=np.full(n, 0.5), raw=np.arange(n, dtype=float))


def kinds(markup: str) -> list[tuple[str, str]]:
    return [(b.kind.value, b.text) for b in blocks(markup)]


@pytest.mark.parametrize(
    ("markup", "kind", "level"),
    [
        ("<p>x", Kind.PARAGRAPH, 0),
        ("<div>x", Kind.PARAGRAPH, 0),
        *[(f"<h{n}>x", Kind.HEADING, n) for n in range(1, 7)],
        ("<h2><span>x", Kind.HEADING, 2),
        ("<ul><li>x", Kind.LIST_ITEM, 1),
        ("<ul><li><ol><li>x", Kind.LIST_ITEM, 2),
        ("<ul><li><p>x", Kind.LIST_ITEM, 1),
        ("<li>x", Kind.LIST_ITEM, 1),
        ("<dl><dt>x", Kind.LIST_ITEM, 1),
        ("<blockquote><p>x", Kind.QUOTE, 0),
        ("<figure><figcaption>x", Kind.CAPTION, 0),
        ("<pre>x", Kind.CODE, 0),
        ("<ul><li><h3>x", Kind.HEADING, 3),
        ("<h3><ul><li>x", Kind.HEADING, 3),
    ],
)
def test_kind_and_level(markup, kind, level):
    (block,) = blocks(markup)
    assert (block.kind, block.level, block.text) == (kind, level, "x")


def test_list_items_know_whether_their_list_is_ordered():
    found = blocks("<ol><li>a<ul><li>b</ul><li>c</ol><p>d")
    assert [(b.text, b.level, b.ordered) for b in found] == [
        ("a", 1, True),
        ("b", 2, False),
        ("c", 1, True),
        ("d", 0, False),
    ]


DATA = "<tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>"


def test_table_of_data_is_one_block_with_rows():
    (block,) = blocks(f"<table>{DATA}</table>")
    assert block.kind is Kind.TABLE
    assert block.rows == (("1", "2"), ("3", "4"))
    assert block.text == "1\t2\n3\t4"
    assert block.xpath.endswith("/table")


@pytest.mark.parametrize(
    "markup",
    [
        "<table><tr><td>1</td><td>2</td></tr></table>",
        f"<table role=presentation>{DATA}</table>",
        f"<table role=none>{DATA}</table>",
        "<table><tr><td>1</td></tr><tr><td>2</td></tr><tr><td>3</td></tr></table>",
        f"<table>{DATA.replace('1', '<h2>1</h2>')}</table>",
        f"<table><tr><td>{'x' * (4 * MAX_CELL_CHARS + 1)}<td>2<tr><td>3<td>4</table>",
    ],
)
def test_layout_tables_give_paragraphs(markup):
    assert Kind.TABLE not in {b.kind for b in blocks(markup)}


def test_only_innermost_tables_are_data():
    inner = f"<table>{DATA}</table>"
    found = blocks(f"<table><tr><td>a<td>{inner}<tr><td>b<td>c</table>")
    assert [(b.kind.value, b.text) for b in found][:2] == [("paragraph", "a"), ("table", "1\t2\n3\t4")]


def test_one_column_with_a_header_cell_is_data():
    assert blocks("<table><tr><th>a<tr><td>b<tr><td>c</table>")[0].rows == (("a",), ("b",), ("c",))


def test_caption_of_a_table_stands_apart():
    assert kinds(f"<table><caption>C</caption>{DATA}</table>") == [("caption", "C"), ("table", "1\t2\n3\t4")]


def test_code_keeps_its_lines_and_indentation():
    assert kinds("<pre>\n\n  a\n    b\n\n</pre>") == [("code", "  a\n    b")]


def test_br_parts_lines_and_br_br_paragraphs():
    assert kinds("<div>a<br>b<br><br>c</div>") == [("paragraph", "a\nb"), ("paragraph", "c")]


@pytest.mark.parametrize("indent", ["\u3000\u3000", "&nbsp;&nbsp; ", "\n \u3000"])
def test_an_indented_line_is_a_paragraph(indent):
    assert kinds(f"<div>a<br>{indent}b<br>&nbsp;c</div>") == [("paragraph", "a"), ("paragraph", "b\nc")]


def test_scores_are_those_of_the_first_leaf():
    assert [b.raw for b in blocks("<p>a <b>b</b><p>c")] == [0.0, 2.0]


def test_nothing_kept_is_no_block():
    page = Document(Page(html="<p>x"), html="<p>x")
    assert article_blocks(page, np.zeros(1, dtype=bool), score=np.ones(1), raw=np.ones(1)) == ()


def test_many_nested_tables_are_read_in_bounded_time():
    assert blocks("<table><tr><td>x" * 900)


class Parents(list):
    """Counts how often a parent is read."""

    n_read = 0

    def __getitem__(self, place):
        self.n_read += 1
        return super().__getitem__(place)


@pytest.mark.parametrize("piece", ["<q>a</q>", "<i>a</i>", "<sup>1</sup>a "])
@pytest.mark.parametrize("outside", ["<p>", "<p><ruby>x<rt>", "<p><a href=#x>", "<p><q>"])
def test_ancestors_of_inline_text_are_not_climbed_for_each_run(piece, outside):
    markup = outside + "<span>" * 400 + piece * 300
    page = Document(Page(html=markup), html=markup)
    parents = Parents(page.elements.parent)
    vars(page.elements)["parent"] = parents
    n = len(page.leaves)
    article_blocks(page, np.ones(n, dtype=bool), score=np.ones(n), raw=np.ones(n), keep=Keep(links=True))
    assert parents.n_read < 20 * len(parents)
