import time
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.html.lines import MAX_LINES, MAX_TEXTS, Lines, source_lines
from webmain.items import Reason, Rejected


def texts(html: str) -> list[str]:
    return [text for text in source_lines(html).texts if text]


def test_lines_of_a_small_page() -> None:
    html = (
        "<!DOCTYPE html>\n<html><head><title>A &amp; B\n news</title><meta charset=utf-8>\n<style>p{}</style></head>\n"
        "<body>\n<h1>The headline</h1>\n\n<div><p>One <b>two</b>\n<a href='/x'>three\nfour</a> five</p>tail</div>\n"
        "</body></html>"
    )
    lines = source_lines(html)
    assert lines.title == "A & B news"
    assert lines.texts == ["The headline", "", "", "One two", "three four five", "tail"]
    assert lines.openers == ["h1", "", "div", "p", "", ""]
    assert lines.n_tags.tolist() == [1, 0, 1, 2, 1, 0]
    assert lines.text_lengths.tolist() == [12, 0, 0, 7, 15, 4]
    assert lines.anchor_lengths.tolist() == [0, 0, 0, 0, 10, 0]
    assert lines.n_tags.dtype == lines.text_lengths.dtype == lines.anchor_lengths.dtype == np.int32
    assert len(lines) == 6


@pytest.mark.parametrize("tag", ["p", "H2", "td", "section", "br"])
def test_block_level_tag_starts_a_line(tag: str) -> None:
    lines = source_lines(f"<i>one</i><{tag} class='x'>two")
    assert lines.texts == ["one", "two"]
    assert lines.openers == ["", tag.lower()]


@pytest.mark.parametrize("tag", ["b", "img", "custom-element", "headerx"])
def test_other_tags_start_no_line(tag: str) -> None:
    assert source_lines(f"<i>one</i><{tag}>two").texts == ["onetwo"]


@pytest.mark.parametrize(
    "controls",
    [
        "<p>Reply<button>Report</button>",
        "<BUTTON>Reply</BUTTON>Report",
        "<select><option>Reply<option>Report</select>",
        "Reply<input type=checkbox>Report",
        "<i>Reply</i><textarea>Report</textarea>",
        "<a href=x>Reply<button><b>Report</b></button></a>",
    ],
)
def test_form_controls_part_words_and_start_no_line(controls: str) -> None:
    assert texts(controls) == ["Reply Report"]


def test_hidden_input_parts_no_words() -> None:
    assert texts("<p>Re<input name=x type='hidden'>ply") == ["Reply"]
    assert texts("<p>Re<input type=hidden>ply") == ["Reply"]
    assert texts("<p>Re<input class=hidden type=text>ply") == ["Re ply"]


def test_shadow_root_in_a_hidden_element_is_hidden_with_it() -> None:
    shadow = "<template shadowrootmode=open>no</template>"
    assert texts(f"<p>one</p><div hidden>{shadow}no</div><p>two</p>") == ["one", "two"]
    assert texts(f"<template>{shadow}no</template>two") == ["two"]


def test_only_ascii_white_space_parts_names_and_attributes() -> None:
    assert source_lines("<p\xa0>one").openers == [""]
    assert source_lines("<p\f>one").openers == ["p"]
    assert source_lines("<ſcript>one").texts == ["<ſcript>one"]


def test_end_of_block_and_end_of_source_line_are_one_break() -> None:
    assert source_lines("<p>one</p>\n<p>two</p></div>\n<p>three").texts == ["one", "two", "three"]
    assert source_lines("<p>one</p>\n\n\n<p>two").texts == ["one", "", "", "two"]
    assert source_lines("<p>one</p>\n</div>\n<p>two").texts == ["one", "", "two"]
    assert source_lines("<p>one</p><div><div><p>two").texts == ["one", "", "", "two"]


def test_source_lines_break_outside_hyperlinks_only() -> None:
    assert texts("one\ntwo <a href=x>three\nfour\n</a> five\nsix") == ["one", "two three four five", "six"]
    assert texts("one <a name=x>two\nthree</a>") == ["one two", "three"]


def test_new_hyperlink_ends_the_one_before() -> None:
    lines = source_lines("<p><a href=x>one <a href=y>two</a> three")
    assert lines.anchor_lengths.tolist() == [6]


def test_hyperlink_over_blocks_counts_in_each_line() -> None:
    lines = source_lines("<a href=x><h2>one</h2><p>two words</p></a><p>three")
    assert [t for t, n in zip(lines.texts, lines.anchor_lengths, strict=True) if n] == ["one", "two words"]
    assert lines.anchor_lengths.sum() == 12


def test_white_space_and_entities_are_folded_before_counting() -> None:
    lines = source_lines("<p>  caf&eacute;&nbsp;\t&amp; <b> bar </b> &#3586;&lt;b&gt; </p>")
    assert lines.texts == ["café & bar ข<b>"]
    assert lines.text_lengths.tolist() == [15]


@pytest.mark.parametrize(
    "unshown",
    [
        "<script>if (a<b) document.write('<p>no</p>')</script>",
        "<SCRIPT type='a>b'>no</SCRIPT >",
        "<script>'</scripty>no'</script/>",
        "<!-- no <p>no</p> -- > no -->",
        "<!--->",
        "<![CDATA[ no > no ]]>",
        "</ no>",
        "<template><p>no</p><template>no</template>no</template>",
        "<canvas><p>no</p></canvas>",
        "<iframe><p>no</iframe>",
        "<svg><title>no</title><path d=''/></svg>",
        "<div hidden>no<div>no</div>no</div>",
        "<div hidden id='S:x'>no</div>",
        "<span style='color:red; display : none'>no</span>",
        '<DIV STYLE="display:none"><div>no</div></DIV>',
        "<a href='a>no' title=\"no\">",
    ],
)
def test_what_cannot_show_is_dropped(unshown: str) -> None:
    assert "".join(texts(f"<p>one {unshown}two</p>")).replace(" ", "") == "onetwo"


@pytest.mark.parametrize(
    "shown",
    [
        "<noscript><p>yes</p></noscript>",
        "<textarea>yes</textarea>",
        "<div class='hidden'>yes</div>",
        "<div data-hidden='true' aria-hidden=true>yes</div>",
        "<div hidden='until-found'>yes</div>",
        "<div data-style='display:none'>yes</div>",
        "<div style='float:none'>yes</div>",
        "<body style='display:none'>yes</body>",
        '<div hidden id="S:1f">yes</div>',
        "<p hidden>yes",
        "<img hidden>yes",
        "<template shadowrootmode=open>yes</template>",
        "<select><option>yes</select>",
    ],
)
def test_what_may_show_is_kept(shown: str) -> None:
    assert "yes" in texts(f"<p>one</p>{shown}")


def test_markup_in_raw_text_elements_is_text() -> None:
    assert texts("<textarea><b>x</b> &lt;</textarea>") == ["<b>x</b> <"]
    assert texts("<xmp><b>x</b> &lt;</xmp>") == ["<b>x</b> &lt;"]
    assert source_lines("<title>a <b> &lt;</title><p>x").title == "a <b> <"


def test_less_than_signs_in_text_are_text() -> None:
    assert texts("<p>1 < 2 <3 and a<=b") == ["1 < 2 <3 and a<=b"]


def test_unclosed_comment_script_and_tag_reach_to_the_end() -> None:
    for rest in ("<!-- two", "<script>two", "<style>two<p>three", "<p class='two> three", "<p two", "<![CDATA[ two"):
        assert texts("<p>one</p>" + rest) == ["one"]


def test_quotes_outside_values_do_not_swallow_the_page() -> None:
    assert texts("""<p class=x">one</p><p "y'>two</p><p it's>three</p><a href=a"b'c>four""") == [
        "one",
        "two",
        "three",
        "four",
    ]


def test_title_is_the_first_outside_drawings() -> None:
    assert source_lines("<svg><title>icon</title></svg><title>page</title><title>second</title>").title == "page"
    assert source_lines("<p>none").title == ""


def test_head_gives_no_lines_however_it_ends() -> None:
    head = "\n<meta name=a>\n<link rel=x>\n<noscript><style>x</style></noscript>\n<title>t</title>\n"
    for page in (f"<head>{head}</head><body><p>one", f"<html>{head}<body><p>one", f"{head}<p>one"):
        lines = source_lines(page)
        assert (lines.texts, lines.n_tags.tolist()) == (["one"], [1])


def test_junk_in_the_head_is_dropped_but_a_late_end_tag_drops_nothing() -> None:
    assert texts("<head>junk<meta></head><body><p>one") == ["one"]
    assert texts("<head><p>one</p></head><p>two") == ["one", "two"]
    assert texts("plain text <b>only</b>") == ["plain text only"]


def test_empty_page_has_no_lines() -> None:
    for html in ("", "\n \n", "<html></html>", "<!-- x -->"):
        lines = source_lines(html)
        assert len(lines) == 0
        assert lines.n_tags.shape == (0,)


FLOODS = [
    '<a href="', "<", "<!-", "<![CDATA[>", "<script", "<title>", "<template shadowrootmode", "<div style='display:none'>",
    "<a =", "&#", "\n", "<a href=x>\n", "</div>", "<script></scrip", "<b x='", "\t ",
]  # fmt: skip


@pytest.mark.parametrize("unit", FLOODS)
def test_floods_cost_linear_time(unit: str) -> None:
    html = unit * (1_000_000 // len(unit))
    start = time.process_time()
    for page in (html, "<p>" + html + "<p>" + html[:1000]):
        with suppress(Rejected):
            source_lines(page)
    assert time.process_time() - start < 5


PIECES = (
    "<p> </p> <a_href=x> </a> <b> word &amp; <br> <script> </script> <!-- --> < <div_hidden> </div> <svg> <title> </title> "
    "<body> </head> <template> </template> ' ="
)
PIECE = st.sampled_from([*(piece.replace("_", " ") for piece in PIECES.split()), " ", "\n", '"'])
MARKUP = st.lists(PIECE | st.text(max_size=5), max_size=40).map("".join)


@given(MARKUP)
def test_columns_agree(html: str) -> None:
    lines: Lines = source_lines(html)
    n = len(lines)
    assert all(len(c) == n for c in (lines.text_lengths, lines.anchor_lengths, lines.n_tags, lines.openers))
    assert lines.text_lengths.tolist() == [len(text) for text in lines.texts]
    assert (lines.anchor_lengths >= 0).all()
    assert (lines.anchor_lengths <= lines.text_lengths).all()
    assert (lines.n_tags >= 0).all()
    assert all(text == " ".join(text.split()) for text in lines.texts)


@pytest.mark.parametrize("page", ["a\n" * (MAX_TEXTS + 2), "</p>" * 200_000, "<p>a\n\n" * (MAX_TEXTS + 2)])
def test_a_page_of_too_many_lines_or_tags_is_rejected(page: str) -> None:
    with pytest.raises(Rejected, match="allowed") as caught:
        source_lines(page)
    assert caught.value.reason is Reason.TOO_LARGE
    assert len(source_lines("a\n" * MAX_TEXTS)) == MAX_TEXTS


def test_lines_are_counted_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webmain.html.lines._scan", lambda *_, **__: pytest.fail("the lines were read"))
    with pytest.raises(Rejected, match="lines"):
        source_lines("<p>a" + "\n" * MAX_LINES + "b\n")
