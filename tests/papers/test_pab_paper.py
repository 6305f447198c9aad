"""Worked examples of "Isolating Informative Blocks ... Using HTML Tag Priority Assignment" (PAB and ENIW)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.extraction import judge, merge
from webmain.extractors.eniw import ENIW
from webmain.extractors.pab import DELIMITERS, PAB, PRIORITY
from webmain.html.document import Document
from webmain.items import Page, Verdict

URL = "https://news.example.com/a"


def extraction(markup: str, url: str | None = URL, **options):
    return judge(Document(Page(url=url, html=markup), html=markup), PAB(**options))


def priorities(markup: str, **kw) -> list[float]:
    return extraction(markup, **kw).raw.tolist()


OUTER = "<a href=https://ads.other.org/x>ad</a> "
INNER = "<a href=/more>more</a> "

TABLE_3_2 = [
    ("<h1>Head</h1>", 1.0),
    ("<b>" + "".join(OUTER for _ in range(10)) + "</b>", 0.0),
    ("<p>text <b>x</b> and <b>y</b></p>", 0.9),
    ("<p>text <i>x</i> and <b>y</b></p>", 0.7),
    ("<p>text <b>x</b></p>", 0.5),
    ("<p>text</p>", 0.1),
    ("<p>text <i>x</i> " + "".join(INNER for _ in range(4)) + "</p>", 1.1),
]


@pytest.mark.parametrize(("markup", "priority"), TABLE_3_2)
def test_table_3_2(markup, priority):
    assert priorities(markup) == [priority]


def test_table_3_2_as_one_page():
    page = "".join(markup for markup, _ in TABLE_3_2)
    found = extraction(page)
    assert found.raw.tolist() == [priority for _, priority in TABLE_3_2]
    assert found.kept.tolist() == [True, False, True, True, True, True, True]


def test_em_counts_as_i_in_block_7():
    assert priorities("<p>t <em>x</em> " + INNER * 4 + "</p>") == [1.1]


_INLINE = st.recursive(
    st.sampled_from(["word", "<img src=x alt=ice>", "<img src=x>", "<span>s</span>", INNER]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["b", "strong", "i", "em", "u"]),
        st.lists(inner, min_size=1, max_size=4),
    ),
    max_leaves=12,
)


@given(st.sampled_from(["p", "h1", "h3", "ul", "table"]), st.lists(_INLINE, max_size=6))
def test_priority_is_the_sum_over_outer_and_inner_tags(tag, parts):  # section 3.1.2, equation 1
    inner = "".join(parts)
    wrap = {"ul": "<ul><li>text {}</li></ul>", "table": "<table><tr><td>text {}</td></tr></table>"}
    markup = wrap.get(tag, f"<{tag}>text {{}}</{tag}>").format(inner)
    expected = PRIORITY.get(tag, 0.0) + 0.3 * inner.count(" alt=") + 0.2 * inner.count("<a ")
    expected += sum(PRIORITY[name] * inner.count(f"<{name}>") for name in ("b", "strong", "i", "em"))
    assert priorities(markup) == [pytest.approx(expected)]


def test_image_without_any_text_around_it_makes_no_block():
    assert priorities("<img src=x alt=ice><p>text</p>") == [0.1]


@pytest.mark.parametrize("tag", sorted(set(PRIORITY) - {"title", "img", "a"}))
def test_table_3_1(tag):
    assert priorities(f"<{tag}>x</{tag}>") == [PRIORITY[tag]]


def test_priorities_of_table_3_1_are_the_printed_ones():
    assert dict(PRIORITY) == {
        "title": 1.0, "h1": 1.0, "h2": 0.9, "h3": 0.8, "h4": 0.7, "h5": 0.6, "h6": 0.5, "b": 0.4, "strong": 0.4,
        "img": 0.3, "a": 0.2, "i": 0.2, "em": 0.2, "p": 0.1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("image", "priority"),
    [("<img src=x alt=ice>", 0.4), ("<img src=x>", 0.1), ("<img src=x alt=''>", 0.1), ("<img src=x alt=' '>", 0.1)],
)
def test_only_images_with_alternative_text_count(image, priority):
    assert priorities(f"<p>x {image}</p>") == [priority]


def test_only_hyperlinks_count_among_anchors():
    assert priorities("<p>x <a name=y>z</a></p>") == [0.1]
    assert priorities("<p>x <a href=/y>z</a></p>") == [pytest.approx(0.3)]


@pytest.mark.parametrize(
    ("n_outer", "n_inner", "kept"),
    [(1, 1, True), (2, 1, False), (5, 5, True), (6, 5, False), (0, 3, True), (1, 0, False)],
)
def test_half_of_the_links_may_be_outer_and_no_more(n_outer, n_inner, kept):  # section 3.1.2
    found = extraction("<p>x " + OUTER * n_outer + INNER * n_inner)
    assert found.kept.tolist() == [kept]
    assert (found.raw[0] == 0) is not kept or not kept
    assert (found.raw[0] > 0) == kept


@pytest.mark.parametrize("href", ["#top", "mailto:a@other.org", "javascript:void(0)", "tel:1", " #x"])
def test_links_that_lead_to_no_page_do_not_count(href):
    assert not extraction(f"<p>x {OUTER}<a href='{href}'>y</a> <a href='{href}'>z</a>").kept[0]
    assert extraction(f"<p>x <a href='{href}'>y</a>").kept[0]


def test_another_host_of_the_same_site_is_inner_unless_asked():
    markup = "<p>x <a href=https://sport.example.com/>y</a>"
    assert extraction(markup).kept[0]
    assert not extraction(markup, same_host=True).kept[0]


def test_without_the_pages_url_nothing_is_outer():
    assert extraction("<p>x " + OUTER * 10, url=None).kept[0]


@pytest.mark.parametrize("tag", ["script", "style", "iframe", "object", "form"])
def test_irrelevant_tags_go_with_all_inside(tag):
    found = extraction(f"<p>keep</p><{tag}><p>gone <b>x</b></p></{tag}><p>keep too</p>")
    assert [found.segmentation.text(i) for i in range(len(found.kept))] == ["keep", "keep too"]
    inside = extraction(f"<ul><li><b>x</b><li><{tag}><b>y</b></{tag}></ul>")
    assert inside.raw.tolist() == [0.4]


def test_title_block_comes_first_with_priority_1_and_is_no_article_text():
    found = extraction("<title>The title</title><p>Body")
    assert found.raw.tolist() == [1.0, 0.1]
    assert found.segmentation.text(0) == "The title"
    assert found.kept.tolist() == [True, True]
    assert found.unit_verdicts == [Verdict.CONTENT]


def test_blocks_reach_to_their_closing_tag():
    found = extraction(
        "<h2>A</h2><div>loose</div><p>B <b>C</b> D</p><ul><li>E <i>F</i><li>G</ul><table><td><p>H</table>"
    )
    texts = [found.segmentation.text(i) for i in range(len(found.kept))]
    assert texts == ["A", "B C D", "E F\nG", "H"]
    assert found.raw.tolist() == [0.9, 0.5, 0.2, 0.1]


@pytest.mark.parametrize("tag", sorted(DELIMITERS))
def test_lists_and_tables_without_priced_tags_go(tag):
    inside = {"table": "<tr><td>x", "dl": "<dt>x"}.get(tag, "<li>x")
    found = extraction(f"<{tag}>{inside}</{tag}>")
    assert found.raw.tolist() == [0.0]
    assert not found.kept[0]


def test_page_without_a_tag_of_the_table_is_one_block():
    found = extraction("<div>one</div><div>two</div>")
    assert found.raw.tolist() == [0.1]
    assert found.kept.tolist() == [True]
    assert found.segmentation.text(0) == "one\ntwo"


def test_duplicate_informative_blocks_are_merged():  # algorithm 3.2.2, step 5
    found = merge(extraction("<p>Same text</p><p>Other</p><p>same  TEXT</p>"))
    assert found.kept.tolist() == [True, True, False]
    assert found.duplicate_of.tolist() == [-1, -1, 0]


def test_headline_that_repeats_the_title_stays_in_the_text():
    found = merge(extraction("<title>Ice is back</title><h1>Ice is back</h1><p>Text"))
    assert found.kept.tolist() == [True, True, True]


def test_text_in_a_marquee_is_noise_for_eniw_only():  # section 2, on what ENIW gets wrong
    markup = "<marquee><p>Water will be off on Monday</p></marquee><p>text</p>"
    assert extraction(markup).kept.tolist() == [True, True]
    eniw = judge(Document(Page(url=URL, html=markup), html=markup), ENIW())
    assert [eniw.segmentation.text(i) for i in range(len(eniw.kept))] == ["text"]


def test_eniw_does_not_compare_inner_and_outer_links():  # section 2
    markup = "<b>" + OUTER * 10 + "</b>"
    assert not extraction(markup).kept.any()
    assert judge(Document(Page(url=URL, html=markup), html=markup), ENIW()).kept.all()


def test_eniw_keeps_all_text_but_of_removed_tags():  # section 2
    markup = (
        "<meta name=x content=y><div></div><p>a <a href=https://other.org>b</a></p><marquee>m</marquee>"
        "<form><p>f</p></form><script>s</script><style>t</style><iframe>i</iframe><div>c</div>"
    )
    found = judge(Document(Page(url=URL, html=markup), html=markup), ENIW())
    assert [found.segmentation.text(i) for i in range(len(found.kept))] == ["a b", "c"]
    assert np.all(found.kept)
