"""Choices of the four methods beyond their papers' examples."""

from dataclasses import replace

import numpy as np
import pytest

from webmain.extraction import compose, judge, merge, read
from webmain.extractors.base import Extraction
from webmain.extractors.eniw import ENIW
from webmain.extractors.line_block import LineBlock
from webmain.extractors.pab import PAB, _title
from webmain.extractors.thai_xpath import ThaiXPath
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page

TEXT = "A sentence that is long enough to be the text of an article, with a comma. "


def texts(markup: str, method) -> list[str]:
    found = judge(Document(Page(url="https://a.example.com/x", html=markup), html=markup), method)
    return [found.segmentation.text(i) for i in np.flatnonzero(found.kept)]


def test_line_block_never_builds_a_tree():
    page = read(Page(html=f"<title>T</title><p>{TEXT * 9}</p><ul><li><a href=/>x</a></ul>"))
    article = compose(merge(judge(page, LineBlock())), metadata=False)
    assert TEXT.strip() in article.text
    assert not any(name.endswith(".tree") for name in page.views)


def test_tree_methods_never_split_lines():
    for method in (PAB(), ENIW(), ThaiXPath()):
        page = read(Page(html=f"<title>T</title><p>{TEXT}</p><p>{TEXT}1</p>"))
        compose(merge(judge(page, method)), metadata=False)
        assert not any(name.endswith(".lines") for name in page.views)


@pytest.mark.parametrize("hidden", ["drop", "keep"])
@pytest.mark.parametrize("method", [PAB, ENIW])
def test_hidden_text_is_kept_only_when_asked(method, hidden):
    markup = f"<p>{TEXT}</p><p hidden>secret</p>"
    assert ("secret" in texts(markup, method(hidden=hidden))) is (hidden == "keep")


def test_fallbacks_of_players_are_not_shown():
    markup = f"<p>{TEXT}</p><video><p>Your browser is too old</video><p>{TEXT}2</p>"
    for method in (PAB(), ENIW(), ThaiXPath()):
        assert not any("browser" in t for t in texts(markup, method))


def test_pab_takes_the_outermost_tags():
    assert texts("<a href=/x><h2>Head</h2></a><div><p>one <b>two</b></p></div>", PAB()) == ["Head", "one two"]


def test_pab_ignores_text_between_blocks_but_not_a_page_of_it():
    assert texts("<div>loose</div><p>block</p>", PAB()) == ["block"]
    assert texts("<div>loose<br><b></b><a href=/></a></div>", PAB()) == ["loose"]


def test_pab_finds_the_pages_title_past_a_drawings():
    markup = "<body><svg><title>icon</title><text>x</text></svg><title>Page</title><p>text"
    assert texts(markup, PAB())[0] == "Page"


def test_titles_of_drawings_deep_in_a_page_are_passed_without_looking_at_all_their_ancestors():
    class Parents(list):
        n_read = 0

        def __getitem__(self, place):
            self.n_read += 1
            return super().__getitem__(place)

    markup = "<div>" * 400 + "<svg><title>icon</title></svg>" * 300 + "<title>Page</title>"
    elements = Document(Page(html=markup), html=markup).elements
    parent = Parents(elements.parent)
    assert elements.end[_title(replace(elements, parent=parent))] == len(elements)
    assert parent.n_read < len(elements)


def test_pab_tells_relative_links_with_colons_from_schemes():
    outer = "<a href=https://b.org/>o</a>"
    for inner in ("/a:b", "x.html?u=http://c.org", "?q=a:b", "//a.example.com/y"):
        assert len(texts(f"<p>t {outer} <a href='{inner}'>i</a>", PAB())) == 1, inner
    for nothing in ("tel:12", "data:text/plain,x", "whatsapp://send", "MAILTO:x@b.org", "\n#x"):
        assert len(texts(f"<p>t {outer} <a href='{nothing}'>i</a>", PAB())) == 0, nothing


def test_thai_footer_splits_a_block():
    found = texts("<div><p>one text</p><p>Copyright us</p><p>another text</p></div>", ThaiXPath())
    assert found == ["one text", "another text"]


def test_thai_scores_fall_with_the_anchor_ratio():
    markup = "<div><p>plain text<p>more of it</div><div><p>some text<a href=/>a link</a></div>"
    page = Document(Page(html=markup), html=markup)
    found = judge(page, ThaiXPath())
    order = np.argsort(found.raw)
    assert found.score[order].tolist() == sorted(found.score.tolist(), reverse=True)


def test_line_block_reads_the_declared_language_of_a_title():
    title = "<title>Der Anfang der Zeit</title>"
    block = "<h2>der der der</h2>"
    assert texts(f"<html lang=de>{title}{block}", LineBlock()) == []
    assert texts(f"<html lang=en>{title}{block}", LineBlock()) == ["der der der"]


def test_line_block_counts_tags_of_the_lines_between():
    method = LineBlock(max_gap=9)
    markup = "<p>" + "x" * 50 + "</p><div><img src=a></div><p>" + "y" * 50 + "</p>"
    page = Document(Page(html=markup), html=markup)
    assert method.features(method.segment(page)).ttr.tolist() == [25.0]


def test_scores_out_of_range_and_short_columns_are_refused():
    page = Document(Page(html="<p>x</p><p>y</p>"), html="<p>x</p><p>y</p>")
    segmentation = default_blocks(page)
    two, kept = np.zeros(2), np.zeros(2, dtype=bool)
    with pytest.raises(ValueError, match="why has 1 values for 2 blocks"):
        Extraction(segmentation, "mine", score=two, raw=two, kept=kept, why=["x"])
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        Extraction(segmentation, "mine", score=two + 2, raw=two, kept=kept, why=["x", "y"])
