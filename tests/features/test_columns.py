"""The columns of blocks, group by group, on small pages written by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.extractors.learned import LearnedExtractor
from webmain.extractors.page_model import columns, names
from webmain.features.page_blocks import KINDS, SPECIAL
from webmain.features.vocabulary import vocabulary
from webmain.html.document import Document
from webmain.items import Page

PROSE = "The ferry to the upper quay left an hour late, and the harbour master said so twice."


class Seen:
    """The columns of a page, to ask for by name and by the beginning of a block's text."""

    def __init__(self, body, *, head="", url=None):
        html = f"<html><head>{head}</head><body>{body}</body></html>"
        document = Document(Page(html=html, url=url), html=html)
        self.found = columns(LearnedExtractor().segment(document))

    def column(self, name):
        return self.found.values[:, names().index(name)]

    def of(self, start, name):
        (row,) = (i for i, text in enumerate(self.found.texts) if text.startswith(start))
        return float(self.found.values[row, names().index(name)])


# ---- a block by itself


def test_characters_are_counted_without_white_space():
    seen = Seen("<p>Tide  at\nnoon: 12, or 13!</p>")
    assert seen.of("Tide", "log_chars") == pytest.approx(np.log1p(len("Tideatnoon:12,or13!")))
    assert seen.of("Tide", "ends") == 1
    assert seen.of("Tide", "commas") == 2
    assert seen.of("Tide", "digits") == pytest.approx(4 / 19)
    assert seen.of("Tide", "upper") == pytest.approx(1 / 19)
    assert seen.of("Tide", "letters") == pytest.approx(12 / 19)
    assert seen.of("Tide", "terminal") == 1
    assert seen.of("Tide", "starts_lower") == 0


@pytest.mark.parametrize(
    "text", ["น้ำขึ้นก่อนเที่ยงวันที่ท่าเรือ", "渡船在星期一晚了一个小时", "フェリーは月曜日に一時間遅れて出た"]
)
def test_scripts_without_spaces_are_counted_by_characters(text):
    seen = Seen(f"<p>{text}</p><p>{PROSE}</p>")
    assert seen.of(text[:3], "unspaced") > 0.6
    assert seen.of("The ferry", "unspaced") == 0
    assert seen.of(text[:3], "log_words") > np.log1p(len(text) / 6)
    assert seen.of(text[:3], "word_length") < 8


@pytest.mark.parametrize("end", ["。", "！", "？", "।", "؟", "…"])
def test_sentences_of_all_scripts_end(end):
    assert Seen(f"<p>渡船晚了{end}</p>").of("渡船", "ends") == 1


@pytest.mark.parametrize(
    "text", ["ጀልባው ዘገየ።", "သင်္ဘော နောက်ကျသည်။", "ទូកមកយឺត។", "Լաստը ուշացավ։", "نقلیہ دیر سے آیا۔", "नाव देर से आई॥"]
)
def test_full_stops_of_other_scripts_end_sentences(text):
    seen = Seen(f"<p>{text}</p>")
    assert seen.of(text[:4], "ends") == seen.of(text[:4], "terminal") == 1


@pytest.mark.parametrize(
    ("markup", "density"),
    [
        ("<p>half <a href=/>link</a></p>", 0.5),
        ("<p><a href=/>half link</a></p>", 1.0),
        ("<p>half link</p>", 0.0),
    ],
)
def test_link_density_is_the_share_of_characters_in_links(markup, density):
    seen = Seen(markup)
    assert seen.of("half", "link") == density
    assert seen.of("half", "anchor_first") == (density == 1)


@pytest.mark.parametrize("tag", ["p", "h1", "h2", "h5", "li", "blockquote", "td", "nav", "div"])
def test_kind_tells_what_an_element_is_for(tag):
    wrapped = {"li": "<ul><li>Tide</li></ul>", "td": "<table><tr><td>Tide</td></tr></table>"}
    assert Seen(wrapped.get(tag, f"<{tag}>Tide</{tag}>")).of("Tide", "kind") == KINDS[tag]


def test_a_repeated_text_is_counted_up_to_a_limit():
    seen = Seen("<p>Once</p>" + "<p>Often</p>" * 8)
    assert seen.of("Once", "repeats") == 1
    assert seen.column("repeats")[1:].tolist() == [5] * 8


def test_forms_and_controls_are_told():
    seen = Seen(f"<form><p>Your name</p></form><p>{PROSE}</p>")
    assert seen.of("Your name", "form") == 1
    assert seen.of("The ferry", "form") == 0


# ---- headings


def test_blocks_under_a_heading_know_its_level():
    seen = Seen(f"<h1>Ferry late</h1><p>{PROSE}</p><h3>Related stories</h3><p>Tide table</p><p>Whale seen</p>")
    assert seen.of("Whale", "since_heading") == 2
    assert seen.of("Whale", "heading_level") == KINDS["h3"]
    assert [seen.of(start, "from_h1") for start in ("Ferry", "The ferry", "Whale")] == [0, 1, 4]


def test_without_headings_distances_are_far():
    seen = Seen("<p>One</p><p>Two</p>")
    assert set(seen.column("since_heading").tolist()) == {61}
    assert set(seen.column("from_h1").tolist()) == {-101}
    assert set(seen.column("heading_level").tolist()) == {0}


# ---- around a block


def test_class_words_are_told_of_all_around_and_of_the_nearest():
    seen = Seen('<div class="article-body"><div class="comments"><div class=x7><p>Thanks.</p></div></div></div>')
    assert {g for g in vocabulary().names if seen.of("Thanks", f"any_{g}")} == {"content", "comment"}
    assert {g for g in vocabulary().names if seen.of("Thanks", f"near_{g}")} == {"comment"}


@pytest.mark.parametrize("attribute", ["class=share", "id=share", 'class="x share"', "itemprop=share"])
def test_classes_ids_and_itemprops_are_read(attribute):
    assert Seen(f"<div {attribute}><p>Tide</p></div>").of("Tide", "any_share") == 1


@pytest.mark.parametrize(
    ("markup", "tag"),
    [
        ("<main><p>Tide</p></main>", "main"),
        ("<div role=main><p>Tide</p></div>", "main"),
        ("<div role=navigation><p>Tide</p></div>", "nav"),
        ("<ol><li>Tide</li></ol>", "ul"),
        ("<article><section><p>Tide</p></section></article>", "article"),
    ],
)
def test_elements_around_are_told_by_tag_and_by_role(markup, tag):
    seen = Seen(markup)
    assert seen.of("Tide", f"in_{tag}") == 1
    assert {t for t in SPECIAL if seen.of("Tide", f"in_{t}")} <= {tag, "section"}


def test_ancestors_know_what_is_below_them():
    seen = Seen(f"<div><p>{PROSE}</p><p><a href=/>Home</a></p></div><div><p>Imprint</p></div>")
    n = {text: sum(not c.isspace() for c in text) for text in (PROSE, "Home", "Imprint")}
    whole = sum(n.values())
    assert seen.of("Home", "up1_share") == pytest.approx((n[PROSE] + n["Home"]) / whole)
    assert seen.of("Home", "up1_link") == pytest.approx(n["Home"] / (n[PROSE] + n["Home"]))
    assert seen.of("Home", "up1_blocks") == pytest.approx(np.log1p(2))
    assert seen.of("Home", "up1_links") == pytest.approx(1 / 2)
    assert seen.of("Imprint", "up1_prose") == 0
    assert seen.of("Imprint", "up2_share") == 1


def test_containers_side_by_side_are_counted():
    comment = "<div class=c><b>Ann</b><p>Thanks, that was what I wanted to know of it.</p></div>"
    seen = Seen(f"<main><p>{PROSE}</p></main><div id=list>{comment * 4}</div>")
    assert seen.column("twins")[-1] == pytest.approx(np.log1p(4))
    assert seen.of("The ferry", "twins") == 0
    assert seen.column("below_twins")[-1] == 1


def test_blocks_stand_in_the_best_container_or_so_far_from_it():
    seen = Seen(
        f"<header>Home</header><div><div id=best>{f'<p>{PROSE}</p>' * 3}<p>End</p></div></div><div><p>Imprint</p></div>"
    )
    assert seen.of("End", "in_best") == 1
    assert seen.of("Home", "in_best") == seen.of("Imprint", "in_best") == 0
    assert seen.of("End", "best_score1") == 1
    assert seen.of("Home", "from_best") == -1
    assert seen.of("Imprint", "to_best_end") == -1
    assert seen.of("Imprint", "up_to_best") == 2


def test_links_do_not_make_the_best_container():
    seen = Seen(f"<div>{f'<p><a href=/>{PROSE}</a></p>' * 9}</div><div><p>{PROSE}</p><p>End</p></div>")
    assert seen.of("End", "in_best") == 1


# ---- neighbours, position, make, page


def test_neighbours_are_those_before_and_after_and_none_beyond_the_ends():
    seen = Seen("<h2>One</h2><p><a href=/>Two</a></p><p>Three.</p>")
    assert seen.of("Two", "kind-1") == KINDS["h2"]
    assert seen.of("Two", "terminal+1") == 1
    assert seen.of("Three", "link-1") == 1
    assert seen.of("Three", "link-2") == 0
    assert seen.of("One", "link-1") == seen.of("Three", "log_chars+1") == seen.of("One", "link+3") == -1


def test_windows_hold_so_many_blocks_on_each_side():
    seen = Seen("".join(f"<p>b{i:02d}{'.' * (i == 7)}</p>" for i in range(12)))
    assert seen.of("b06", "before4_chars") == pytest.approx(np.log1p(4 * 3))
    assert seen.of("b06", "after4_chars") == pytest.approx(np.log1p(4 * 3 + 1))
    assert seen.of("b01", "before4_chars") == pytest.approx(np.log1p(3))
    assert seen.of("b00", "before40_chars") == 0
    assert seen.of("b06", "after4_ends") == pytest.approx(100 / 13)
    assert seen.of("b07", "after4_ends") == 0


def test_position_is_the_share_of_the_page_before_a_block():
    seen = Seen("<p>aaaa</p><p>bbbb</p><p>cc</p>")
    assert seen.column("position").tolist() == pytest.approx([0, 0.4, 0.8])
    assert seen.column("index").tolist() == [0, 1, 2]
    assert seen.column("same_before").tolist() == [0, 1, 1]
    assert seen.column("same_after").tolist() == [1, 1, 0]


def test_blocks_of_the_same_make_share_tag_class_and_parent():
    seen = Seen(
        "<div class=a><p>One</p><p>Two</p><p class=x>Three</p></div>"
        "<div class=b><p>Four</p></div><div class=a><p>Five</p></div>"
    )
    assert seen.of("One", "make_count") == pytest.approx(np.log1p(3))
    assert seen.of("Five", "make_share") == pytest.approx(10 / 19)
    assert seen.of("Three", "make_count") == seen.of("Four", "make_count") == pytest.approx(np.log1p(1))


def test_columns_of_the_page_are_the_same_for_all_blocks():
    seen = Seen(f"<h2>Head</h2><p>{PROSE}</p><ul><li>One<li>Two</ul>", url="https://a.example/x/y")
    for name in names():
        if name.startswith("page_"):
            assert len(set(seen.column(name).tolist())) == 1, name
    assert seen.of("Head", "page_li") == pytest.approx(np.log1p(2))
    assert seen.of("Head", "page_h2") == pytest.approx(np.log1p(1))
    assert seen.of("Head", "page_path_depth") == 2


# ---- any page

FRAGMENTS = st.lists(
    st.sampled_from(
        ["<div class='a comments'>", "</div>", "<p>", "</p>", "<table><tr><td>", "</table>", "<ul><li>", "</ul>",
         "<a href=/x>", "</a>", "<h1>", "</h1>", "<h3>", "<br><br>", "<nav>", "</nav>", "<form>", "<button>",
         "<noscript>", "</noscript>",
         "<pre>", "<figure><figcaption>", "<span hidden>", "</span>", "text ", PROSE, "ท่าเรือ", "渡船。", "تعليق",
         "12,5 % ", "\u200b",
         "\U0001f600", "&nbsp;", "\ud7ff"]
    ),
    max_size=40,
)  # fmt: skip


@given(FRAGMENTS)
def test_every_value_of_any_page_is_finite(fragments):
    html = "<p>Tide</p>" + "".join(fragments)
    document = Document(Page(html=html), html=html)
    segmentation = LearnedExtractor().segment(document)
    if len(segmentation):
        found = columns(segmentation)
        assert found.values.shape == (len(segmentation), len(names()))
        assert np.isfinite(found.values).all()
        assert (found.n_chars >= 0).all()
        assert len(found.texts) == len(segmentation)
