"""Worked examples of "Automatic Web Content Extraction for Generating Tag Clouds from Thai Web Sites"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.extractors.thai_xpath import FOOTER_WORDS, ThaiXPath
from webmain.html.columns import Flag
from webmain.html.document import Document
from webmain.items import Page


def document(markup: str) -> Document:
    return Document(Page(html=markup), html=markup)


def verdicts(markup: str, **options) -> dict[str, bool]:
    page = document(markup)
    method = ThaiXPath(**options)
    found = method.judge(method.segment(page))
    return dict(zip(page.leaves.texts, found.kept_units.tolist(), strict=True))


def kept(markup: str, **options) -> list[str]:
    return [text for text, yes in verdicts(markup, **options).items() if yes]


def ratio(markup: str, text: str, **options) -> float:
    page = document(markup)
    method = ThaiXPath(**options)
    found = method.judge(method.segment(page))
    return float(found.raw[found.segmentation.of_unit[page.leaves.texts.index(text)]])


# --- R1 and R2 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "markup",
    [
        "<div style='display:none'><p>gone</div>",
        "<noscript><p>gone</noscript>",
        "<object><p>gone</object>",
        "<form><p>gone</form>",
        "<script>gone</script>",
        "<style>gone</style>",
        "<!-- gone -->",
    ],
)
@pytest.mark.parametrize("hidden", ["drop", "keep"])
def test_r1_drops_non_informative_nodes(markup, hidden):
    assert kept(f"<p>one<p>two</p>{markup}", hidden=hidden) == ["one", "two"]


@pytest.mark.parametrize("attribute", ["hidden", "class=sr-only", "style=visibility:hidden"])
def test_other_hidden_text_is_dropped_unless_asked(attribute):
    markup = f"<p>one<p>two<p {attribute}>gone"
    assert kept(markup) == ["one", "two"]
    assert kept(markup, hidden="keep") == ["one", "two", "gone"]


def test_only_the_body_is_read():  # section III.A: "only the body node is extracted"
    assert kept("<title>The title</title><body><p>one<p>two") == ["one", "two"]


@pytest.mark.parametrize(
    "node", ["<embed src=x>", "<img src=x alt=text>", "<p> \n </p>", "<p>\n</p>", "<b></b>", "<!-- x -->"]
)
def test_nodes_without_text_are_no_elements(node):  # rules R1: embed, img, comments, line feeds
    text, link = "<p>" + "x" * 40, "<p><a href=/>" + "y" * 60 + "</a>"
    plain, mixed = (f"<div>{part}{text}{part}{link}</div>" for part in ("", node))
    assert ratio(mixed, "x" * 40) == ratio(plain, "x" * 40) == pytest.approx(0.75 * 0.6 + 0.25 * 0.5)


def test_leaf_is_an_anchor_by_any_ancestor():  # rules R2
    markup = "<div><p>" + "x" * 40 + "<p><a {}><b><i>" + "y" * 60 + "</i></b></a></div>"
    for attribute in ("href=/", "name=here"):
        assert ratio(markup.format(attribute), "x" * 40) == pytest.approx(0.75 * 0.6 + 0.25 * 0.5)


def test_entities_are_decoded():
    assert kept("<p>a &amp; b<p>two") == ["a & b", "two"]


@pytest.mark.parametrize("word", FOOTER_WORDS)
@pytest.mark.parametrize("change", [str, str.upper, str.title])
def test_footers_are_told_by_their_first_words(word, change):
    text = change(word) + " x"
    assert kept(f"<p>one<p>two<p>{text}") == ["one", "two"]


def test_footer_word_inside_a_text_is_none():
    assert kept("<p>one<p>All about copyright") == ["one", "All about copyright"]


@pytest.mark.parametrize(("text", "yes"), [("x", False), ("xy", True), ("ก", False), ("กข", True)])
def test_text_needs_two_characters(text, yes):
    assert verdicts(f"<p>one<p>two<p>{text}")[text] is yes


# --- blocks and anchor ratio -----------------------------------------------------------------------------------------


def test_anchor_ratio_weighs_text_three_to_one():  # section III.B
    markup = "<div>" + "<p>" + "x" * 60 + "<p><a href=/>" + "y" * 40 + "</a></div>"
    assert ratio(markup, "x" * 60) == pytest.approx(0.75 * 40 / 100 + 0.25 * 1 / 2)


def test_weights_can_be_set():
    markup = "<div><p>xxxxxx<p><a href=/>yyyy</a></div>"
    assert ratio(markup, "xxxxxx", text_weight=0.5, node_weight=0.5) == pytest.approx(0.5 * 0.4 + 0.5 * 0.5)


@pytest.mark.parametrize(("n_chars", "yes"), [(53, True), (54, False)])
def test_anchor_ratio_must_be_below_six_tenths(n_chars, yes):
    # two texts, three anchors: ANR = .6; AR = .75 ATR + .15 < .6 exactly if ATR < .6
    texts = ["a" * 18, "b" * 18]
    anchors = ["c" * (n_chars - 2), "d", "e"]
    markup = "<div>" + "".join(f"<p>{t}" for t in texts) + "".join(f"<p><a href=/>{t}</a>" for t in anchors) + "</div>"
    assert verdicts(markup)["a" * 18] is yes


def test_lowest_level_block_decides():
    markup = "<div><p>loose text of some length</p><ul><li><a href=/>one</a><li><a href=/>two</a></ul></div>"
    found = verdicts(markup)
    assert not found["one"]
    assert not found["two"]
    assert found["loose text of some length"]


def test_inline_markup_makes_a_paragraph_its_own_block():
    markup = "<div><p>text <a href=/>link</a> text</p><ul>" + "<li><a href=/>navigation</a>" * 30 + "</ul></div>"
    assert ratio(markup, "link") == pytest.approx(0.75 * 4 / 12 + 0.25 / 3)


@pytest.mark.parametrize(("n_texts", "yes"), [(1, False), (2, True)])
def test_linked_headline_is_kept_in_a_block_of_more_than_two(n_texts, yes):  # section III.C
    markup = "<div><h1><a href=/>" + "A very long linked headline indeed " * 3 + "</a></h1>"
    markup += "".join(f"<p>x{i}" for i in range(n_texts)) + "</div>"
    headline = " ".join(("A very long linked headline indeed " * 3).split())
    assert ratio(markup, headline) >= 0.6
    assert verdicts(markup)[headline] is yes


def test_two_anchors_make_no_headline():
    markup = "<div><a href=/>" + "x" * 99 + "</a><a href=/>" + "y" * 99 + "</a><p>z1<p>z2</div>"
    assert not verdicts(markup)["x" * 99]


def test_lone_text_is_no_content_unless_asked():
    assert kept("<p>The only text of this page") == []
    assert kept("<p>The only text of this page", alone="keep") == ["The only text of this page"]


def test_body_is_a_block_unless_asked():
    markup = "<body><p>first text</p><p>second text</p>"
    assert kept(markup) == ["first text", "second text"]
    assert kept(markup, top="below") == []
    assert kept(markup, top="below", alone="keep") == ["first text", "second text"]


# --- the paper's own way of comparing paths ----------------------------------------------------------------------------


def by_strings(page: Document, *, top: str) -> dict[int, tuple[str, float] | None]:
    """Do literally what section III.B says: accumulate by XPath strings, select the lowest by comparing strings."""
    leaves, elements = page.leaves, page.elements
    blocks: dict[str, list[int]] = {}
    own: dict[int, str] = {}
    skip = Flag.IN_FORM | Flag.IN_NOSCRIPT | Flag.EMBEDDED
    for i, text in enumerate(leaves.texts):
        if leaves.flags[i] & skip:
            continue
        path = own[i] = elements.xpath(leaves.element[i])
        anchor = bool(leaves.flags[i] & Flag.IN_ANCHOR)
        while path not in ("/html", "") and not (path == "/html/body" and top == "below"):
            sums = blocks.setdefault(path, [0, 0, 0, 0])
            for k, value in enumerate((1, anchor, len(text), len(text) * anchor)):
                sums[k] += value
            path = path.rpartition("/")[0]
    selected = {path: sums for path, sums in blocks.items() if sums[0] > 1}
    answer: dict[int, tuple[str, float] | None] = {}
    for i, path in own.items():
        above = [p for p in selected if (path + "/").startswith(p + "/")]
        if above:
            best = max(above, key=len)
            elements_, href, length, href_length = selected[best]
            answer[i] = best, 0.75 * href_length / length + 0.25 * href / elements_
        else:
            answer[i] = None
    return answer


_TREES = st.recursive(
    st.sampled_from(["some text", "x", "ราคาน้ำมัน", " ", "<br>", "<img src=x>"]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag.split()[0]}>",
        st.sampled_from(["div", "p", "b", "a href=/", "ul", "li", "span", "section", "form", "noscript", "h2"]),
        st.lists(inner, max_size=5),
    ),
    max_leaves=40,
)


@given(st.lists(_TREES, max_size=6), st.sampled_from(["body", "below"]))
def test_ancestry_gives_what_comparing_xpath_strings_gives(parts, top):
    page = document("<body>" + "".join(parts))
    method = ThaiXPath(top=top)
    segmentation = method.segment(page)
    found = method.judge(segmentation)
    expected = by_strings(page, top=top)
    for leaf in range(len(page.leaves)):
        block = int(segmentation.of_unit[leaf])
        if leaf not in expected:
            assert block == -1
            continue
        if expected[leaf] is None:
            assert found.why[block] in ("alone in its block", "too short")
            continue
        path, anchor_ratio = expected[leaf]
        assert page.elements.xpath(int(segmentation.element[block])) == path
        assert found.raw[block] == pytest.approx(anchor_ratio)
