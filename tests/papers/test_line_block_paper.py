"""Worked examples of "Main Content Extraction from Dynamic Web Pages" (Line-Block)."""

import numpy as np
import pytest

import webmain
from webmain.extractors.line_block import LineBlock, count_keywords, title_keywords
from webmain.html.document import Document
from webmain.items import Page


def document(markup: str) -> Document:
    return Document(Page(html=markup), html=markup)


def features(markup: str, **options):
    method = LineBlock(**options)
    return method.features(method.segment(document(markup)))


def test_title_keywords_of_the_papers_title():  # section IV.A
    found = title_keywords("Bladder cancer: Exciting drug break")
    assert found == {"bladder", "cancer", "exciting", "drug", "break"}


def test_title_keywords_leave_stop_words_out():
    assert title_keywords("The end of the Ice", language="en") == {"end", "ice"}
    assert "der" not in title_keywords("Der Anfang der Eiszeit", language="de")
    assert title_keywords("Είναι από το λιμάνι", language="el") == {"λιμάνι"}


def test_thai_titles_are_segmented():
    assert {"ราคา", "น้ำมัน"} <= title_keywords("ราคาน้ำมันวันนี้")


def test_keywords_are_counted_as_whole_words_in_any_case():
    assert count_keywords(["Ice, ICE and nice icecream ice", "no"], frozenset({"ice"})) == [3, 0]
    assert count_keywords(["ราคาน้ำมันขึ้น ราคา"], frozenset({"ราคา", "น้ำมัน"})) == [3]
    assert count_keywords(["naïve Naïve"], frozenset({"naïve"})) == [2]
    assert count_keywords(["हिन्दी समाचार हिन्दी"], frozenset({"हिन्दी"})) == [2]
    assert count_keywords(["a", "b"], frozenset()) == [0, 0]


def test_ttr_is_text_length_over_number_of_tags():  # section IV.A, formula 1
    assert features("<p>" + "x" * 90 + "</p>").ttr.tolist() == [90.0]
    assert features("<p>" + "x" * 44 + "<b>y</b></p>").ttr.tolist() == [22.5]


def test_block_without_tags_divides_by_one():
    assert features("<body>plain text").ttr.tolist() == [10.0]


def test_hyperlink_counts_as_one_tag_though_it_has_two_markups():  # section IV.A, "Line"
    found = features("<p>12345<a href=/>67890</a></p>")
    assert found.ttr.tolist() == [5.0]
    assert found.attr.tolist() == [0.5]


def test_attr_is_anchor_text_over_text():  # section IV.A, formula 2
    assert features("<p>" + "x" * 80 + "<a href=/>" + "y" * 20 + "</a></p>").attr.tolist() == [0.2]
    assert features("<p>no link</p>").attr.tolist() == [0.0]


def test_tkd_counts_title_words_in_the_block():
    found = features("<title>Bladder cancer: Exciting drug break</title><p>Cancer drug cures cancer, study says</p>")
    assert found.tkd.tolist() == [3.0]


FILLER = "x" * 31


@pytest.mark.parametrize(
    ("text", "kept"),
    [("x" * 30, False), ("x" * 31, True)],
)
def test_ttr_must_exceed_30(text, kept):
    method = LineBlock()
    assert method.judge(method.segment(document(f"<p>{text}</p>"))).kept.tolist() == [kept]


@pytest.mark.parametrize(("n_linked", "kept"), [(20, False), (19, True)])
def test_attr_must_be_below_a_fifth(n_linked, kept):
    text = "x" * (100 - n_linked) + "<a href=/>" + "y" * n_linked + "</a>"
    method = LineBlock()
    assert method.judge(method.segment(document(f"<p>{text}</p>"))).kept.tolist() == [kept]


@pytest.mark.parametrize(("n_words", "kept"), [(1, False), (2, True)])
@pytest.mark.parametrize("tkd", ["rescue", "require"])
def test_two_title_keywords_rescue_thin_text_or_are_required(n_words, kept, tkd):
    thin = f"<title>Storm</title><h2>{'storm ' * n_words}</h2>"
    dense = f"<title>Storm</title><p>{'storm ' * n_words}{FILLER}</p>"
    method = LineBlock(tkd=tkd)
    got_thin, got_dense = (method.judge(method.segment(document(m))).kept.tolist() for m in (thin, dense))
    if tkd == "rescue":
        assert (got_thin, got_dense) == ([kept], [True])
    else:
        assert (got_thin, got_dense) == ([False], [kept])


def test_sigma_takes_lambda_times_the_deviation():  # section IV.B
    gap = "\n" * 6
    markup = f"<p>{'x' * 20}</p>{gap}<p>{'x' * 40}</p>{gap}<p>{'x' * 60}<a href=/>{'y' * 30}</a></p>"
    method = LineBlock(decision="sigma", lambda_=1.5)
    segmentation = method.segment(document(markup))
    found = method.features(segmentation)
    assert found.ttr.tolist() == [20.0, 40.0, 45.0]
    dense = found.ttr > 1.5 * np.std(found.ttr)
    unlinked = found.attr < 1.5 * np.std(found.attr)
    assert method.judge(segmentation).kept.tolist() == (dense & unlinked).tolist() == [True, True, False]
    assert LineBlock().judge(segmentation).kept.tolist() == [False, True, False]


def test_sigma_takes_the_deviation_of_title_keywords_too():  # section IV.B: thresholds for all three features
    gap = "\n" * 6
    markup = "<title>Storm</title>" + gap.join(f"<p>{'storm ' * n}{FILLER * 9}</p>" for n in (1, 2, 6))
    method = LineBlock(decision="sigma", tkd="require")
    segmentation = method.segment(document(markup))
    tkd = method.features(segmentation).tkd
    assert tkd.tolist() == [1.0, 2.0, 6.0]
    assert method.judge(segmentation).kept.tolist() == (tkd >= np.std(tkd)).tolist() == [False, False, True]
    assert LineBlock(tkd="require").judge(segmentation).kept.tolist() == [False, True, True]


def test_sigma_falls_back_where_nothing_deviates():
    method = LineBlock(decision="sigma")
    for n, kept in ((30, False), (31, True)):
        one = method.segment(document(f"<p>{'x' * n}</p>"))
        assert method.judge(one).kept.tolist() == [kept]
        two = method.segment(document(f"<p>{'x' * n}</p>\n\n\n\n\n\n<p>{'y' * n}</p>"))
        assert method.judge(two).kept.tolist() == [kept, kept]


@pytest.mark.parametrize(("max_gap", "n"), [(0, 2), (1, 2), (2, 1), (3, 1)])
def test_neighbouring_lines_are_merged_up_to_the_gap(max_gap, n):
    method = LineBlock(max_gap=max_gap)
    assert len(method.segment(document("<body>one\n\n\ntwo"))) == n


@pytest.mark.parametrize("html", ["<body>one\ntwo<br>three", "<body><p>one</p><p>two</p><p>three</p>"])
def test_adjacent_lines_are_one_block_or_kept_apart(html):
    assert len(LineBlock(max_gap=0).segment(document(html))) == 1
    apart = LineBlock(max_gap=-1).segment(document(html))
    assert apart.texts(range(len(apart))) == ["one", "two", "three"]


def test_a_line_apart_is_judged_by_its_own_text_and_tags():
    links = "<p><a href=/1>Linked words of about thirty characters</a></p>"
    html = f"<body><p>A paragraph that is long enough to be dense by itself, without any link in it.</p>{links}"
    for max_gap, wanted in ((0, [False]), (-1, [True, False])):
        method = LineBlock(max_gap=max_gap)
        assert method.judge(method.segment(document(html))).kept.tolist() == wanted


PAGE = """<html><head><title>Storm over the harbour</title><meta name=x content=y><style>p { color: red }</style>
<script>var text = "<p>This is a script that is long enough to pass for a paragraph.</p>"</script></head><body>
<!-- A remark that is long enough to pass for a paragraph of the article. -->
<ul><li><a href=/>Home</a></li><li><a href=/n>All the news of today</a></li></ul>


<h1>Storm leaves the harbour</h1>


<p>The first paragraph, which has no link and is long enough to be kept by its density alone.</p>


<p>More on this: <a href=/a>a linked line that is nearly all of the paragraph and so no text</a></p>


<p>The second paragraph, with <a href=/b>one link</a>, is long enough as well, and comes after the first one.</p>


<div>Copyright</div></body></html>"""


def test_algorithm_from_page_to_text():  # section V.C: filter, break, lines, line-blocks, features, thresholds, append
    extraction = LineBlock().judge(LineBlock().segment(document(PAGE)))
    blocks = extraction.segmentation
    assert [blocks.text(i) for i in range(len(blocks))] == [
        "Home\nAll the news of today",
        "Storm leaves the harbour",
        "The first paragraph, which has no link and is long enough to be kept by its density alone.",
        "More on this: a linked line that is nearly all of the paragraph and so no text",
        "The second paragraph, with one link, is long enough as well, and comes after the first one.",
        "Copyright",
    ]
    assert extraction.kept.tolist() == [False, True, True, False, True, False]
    assert extraction.why[1] == "title keywords"
    assert webmain.extract(PAGE, extractor="line_block", parts="text").text.split("\n\n") == [
        blocks.text(i) for i in (1, 2, 4)
    ]
