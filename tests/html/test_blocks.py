"""Segmentations: the default one, runs, elements; sums and texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.extractors.line_block import LineBlock
from webmain.html.blocks import default_blocks, from_elements, from_runs
from webmain.html.document import Document
from webmain.items import Page


def document(markup: str) -> Document:
    return Document(Page(html=markup), html=markup)


def texts(markup: str) -> list[str]:
    return [block.text for block in default_blocks(document(markup))]


@pytest.mark.parametrize(
    ("markup", "blocks"),
    [
        ("<p>one <b>two</b> three</p><p>four", ["one two three", "four"]),
        ("<div>one<p>two</p>three</div>", ["one", "two", "three"]),
        ("<div>a<br>b<br><br>c</div>", ["a\nb", "c"]),
        ("<table><tr><td>1<td>2<tr><td>3</table>", ["1", "2", "3"]),
        ("<ul><li>a<ul><li>b</ul></ul>", ["a", "b"]),
        ("<pre>a\n  b</pre>c", ["a\n  b", "c"]),
        ("a<div></div>b", ["a", "b"]),
        ("", []),
    ],
)
def test_default_blocks_are_what_a_reader_sees_as_units(markup, blocks):
    # an empty block-level element parts what stands before from what follows, though both stand in one box
    assert texts(markup) == blocks


def test_blocks_say_where_they_stand():
    block = next(iter(default_blocks(document("<div class=a><p id=b>x</div>"))))
    assert (block.index, block.first, block.end) == (0, 0, 1)
    assert (block.tag_path, block.css, block.xpath) == ("html/body/div/p", "div.a > p#b", "/html/body/div/p")


def test_line_blocks_have_no_place():
    page = document("<p>some text\n<p>more text")
    blocks = list(LineBlock().segment(page))
    assert [(b.element, b.tag_path, b.xpath) for b in blocks] == [(-1, "", "")]
    assert blocks[0].text == "some text\nmore text"


_MARKUP = st.lists(
    st.sampled_from(
        ["<div>", "</div>", "<p>", "<b>", "</b>", "x", " ", "yy", "<br>", "<br><br>", "<li>", "<td>", "<form>"]
    ),
    max_size=40,
).map("".join)


@given(_MARKUP)
def test_every_leaf_is_in_exactly_one_default_block(markup):
    page = document(markup)
    found = default_blocks(page)
    assert (found.of_unit >= 0).all()
    members = [m for b in range(len(found)) for m in found.members(b).tolist()]
    assert members == list(range(len(page.leaves)))
    assert (found.first[1:] >= found.end[:-1]).all()
    assert found.sums(page.leaves.n_chars).sum() == page.leaves.n_chars.sum()
    assert found.texts(range(len(found))) == [found.text(b) for b in range(len(found))]


@given(_MARKUP, st.integers(0, 6))
def test_runs_skip_leaves_without_owner(markup, seed):
    page = document(markup)
    owner = np.random.default_rng(seed).integers(-1, 2, len(page.leaves)).astype(np.int32)
    found = from_runs(page, owner)
    assert ((found.of_unit >= 0) == (owner >= 0)).all()
    for block in range(len(found)):
        assert set(owner[found.members(block)].tolist()) == {int(found.element[block])}
    mine = owner[owner >= 0]
    assert len(found) == (len(mine) > 0) + int((mine[1:] != mine[:-1]).sum())


def test_elements_make_blocks_of_their_members_and_only_with_some():
    page = document("<title>T</title><div>a<p>b</p></div><div hidden>c</div><div></div>")
    divs = np.flatnonzero(page.elements.has_tag({"div"}))
    title = page.elements.tags.index("title")
    found = from_elements(page, np.concatenate(([title], divs)), member=~page.leaves.has(1))
    assert [found.text(b) for b in range(len(found))] == ["T", "a\nb"]
    assert found.of_unit.tolist() == [1, 1, -1]
    assert found.texts([0, 1]) == ["T", "a\nb"]
