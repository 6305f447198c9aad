"""The walk: text runs, white space, breaks, flags, ranges and paths."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from webmain.clock import Deadline
from webmain.html.columns import HIDDEN, Break, Flag
from webmain.html.tree import MAX_DEPTH, MAX_ELEMENTS, MAX_LEAVES, Tree, read_tree
from webmain.items import Reason, Rejected


def tree(markup: str) -> Tree:
    return read_tree(markup.encode())


def runs(markup: str) -> list[str]:
    return tree(markup).leaves.texts


def joined(markup: str) -> str:
    leaves = tree(markup).leaves
    return leaves.join(range(len(leaves)))


# --- text and white space --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one<b>two</b>three", "onetwothree"),
        ("<p>one<b> two </b>three", "one two three"),
        ("<p>one\n<b>\ttwo</b>\n  three", "one two three"),
        ("<p>one <!-- c --> two", "one two"),
        ("<p>one<span> </span>two", "one two"),
        ("<p>&lt;b&gt; &amp; &eacute;", "<b> & é"),
        ("<p>one<script>x()</script>two", "onetwo"),
        ("<p>one<br>two", "one\ntwo"),
        ("<p>one<br> <br>two", "one\ntwo"),
        ("<div>one<p>two</p>three</div>", "one\ntwo\nthree"),
        ("<span>a</span><span>b</span>", "ab"),
        ("<table><tr><td>a<td>b", "a\nb"),
    ],
)
def test_runs_are_joined_by_the_white_space_that_stood_between_them(markup, text):
    assert joined(markup) == text


def test_white_space_inside_a_run_is_folded():
    assert runs("<p> a \n\t b\u00a0c ") == ["a b c"]


def test_blank_runs_are_no_leaves():
    assert runs("<p> </p>\n<p>&nbsp;</p><b>\u3000</b>x") == ["x"]


def test_joining_some_runs_minds_what_stood_between():
    leaves = tree("<p>a <i>b</i> c</p><p>d<b>e</b></p>").leaves
    assert leaves.texts == ["a", "b", "c", "d", "e"]
    assert leaves.join([0, 2]) == "a c"
    assert leaves.join([0, 4]) == "a\ne"
    assert leaves.join([]) == ""


@pytest.mark.parametrize("tag", ["pre", "textarea", "xmp"])
def test_preformatted_text_keeps_its_white_space(tag):
    leaves = tree(f"<p>x</p><{tag}>a  b\n  c</{tag}>").leaves
    assert leaves.texts[1] == "a  b\n  c"
    assert leaves.has(Flag.PREFORMATTED).tolist() == [False, True]


# --- breaks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("between", "kind"),
    [
        ("", Break.NONE),
        ("<b></b>", Break.NONE),
        ("<br>", Break.BR),
        ("<br/><br/>", Break.BR_BR),
        ("<br><b></b><br>", Break.BR_BR),
        ("<hr>", Break.BLOCK),
        ("<div></div>", Break.BLOCK),
        ("<div></div><br>", Break.BLOCK),
    ],
)
def test_break_before_a_run(between, kind):
    leaves = tree(f"<div><b>x</b>{between}y</div>").leaves
    assert leaves.breaks == [Break.BLOCK, kind]


def test_br_in_different_inline_elements_makes_a_paragraph():
    assert tree("<div><b>x<br></b><i><br>y</i>").leaves.breaks[1] == Break.BR_BR


# --- flags -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "flag"),
    [
        ("hidden", Flag.HIDDEN_ATTRIBUTE),
        ("HIDDEN=hidden", Flag.HIDDEN_ATTRIBUTE),
        ("hidden=Until-Found", 0),
        ("style='color:red;DISPLAY : None !important'", Flag.HIDDEN_DISPLAY),
        ("style='color:red; display:\nnone'", Flag.HIDDEN_DISPLAY),
        ("style='x-display:none'", 0),
        ("style='display:none;visibility:hidden'", Flag.HIDDEN_DISPLAY | Flag.HIDDEN_VISIBILITY),
        ("style='visibility: collapse'", Flag.HIDDEN_VISIBILITY),
        ("class='a  Visually-Hidden b'", Flag.HIDDEN_CLASS),
        ("class='not-sr-only'", 0),
        ("style='position:absolute; left: -9999px'", Flag.HIDDEN_CLASS),
        ("style='Text-Indent:-10000px'", 0),
        ("style='top:-999em'", Flag.HIDDEN_CLASS),
        ("style='left:-1200px'", 0),
        ("style='margin-left:9999px;left:99999px'", 0),
        ("style='clip: rect(1px, 1px, 1px, 1px)'", Flag.HIDDEN_CLASS),
        ("style='clip:rect(0 0 0 0)'", Flag.HIDDEN_CLASS),
        ("style='clip:rect(0,100px,100px,0)'", 0),
        ("style='clip-path:inset(50%)'", Flag.HIDDEN_CLASS),
        ("style='clip-path:inset(100% 0 0 0)'", 0),
        ("class='box is-hidden'", Flag.HIDDEN_DISPLAY),
        ("class='hidden md:block'", 0),
        ("class", 0),
        ("style", 0),
    ],
)
def test_hidden_text_is_flagged_by_its_rule_and_never_dropped(attribute, flag):
    leaves = tree(f"<p>x</p><div {attribute}><p>a <b>b</b></p></div><p>y</p>").leaves
    assert leaves.texts == ["x", "a", "b", "y"]
    assert [f & HIDDEN for f in leaves.flags] == [0, flag, flag, 0]


@pytest.mark.parametrize(
    ("markup", "flag"),
    [
        ("<noscript><p>x</p></noscript>", Flag.IN_NOSCRIPT),
        ("<form><p>x</form>", Flag.IN_FORM),
        ("<a href=/y><b>x</b></a>", Flag.IN_ANCHOR),
        ("<select><option>x</select>", Flag.IN_CONTROL),
        ("<textarea>x</textarea>", Flag.IN_CONTROL | Flag.PREFORMATTED),
        ("<svg><text>x</text></svg>", Flag.IN_SVG),
        ("<object>x</object>", Flag.EMBEDDED),
    ],
)
def test_place_of_a_run_is_flagged(markup, flag):
    leaves = tree("<body>" + markup).leaves
    assert leaves.texts == ["x"]
    assert leaves.flags == [flag]


@pytest.mark.parametrize("style", ["font-size:0", "color:#fff; FONT-SIZE : 0px !important", "font-size:0em;"])
def test_text_without_a_size_is_hidden_but_not_that_of_elements_inside(style):
    flags = tree(f"<p>a<i style='{style}'>b<b>c</b></i><i style='font-size:0.9em'>d</i></p>").leaves.flags
    assert [f & HIDDEN for f in flags] == [0, Flag.HIDDEN_VISIBILITY, 0, 0]


def test_descriptions_and_metadata_of_a_drawing_are_no_text():
    drawing = "<svg><desc>a <b>chart</b></desc><metadata><x>image/svg+xml</x></metadata><text>1961</text></svg>"
    assert tree(f"<p>x</p>{drawing}<desc>y</desc>").leaves.texts == ["x", "1961", "y"]


def test_flags_end_with_their_element():
    assert tree("<form><p>a</p></form>b<noscript>c</noscript>d").leaves.flags == [
        Flag.IN_FORM,
        0,
        Flag.IN_NOSCRIPT,
        0,
    ]


@pytest.mark.parametrize(
    "markup",
    [
        "<script type=text/template><p>x</script>",
        "<style>x</style>",
        "<template><p>x</p></template>",
        "<!-- x --><![CDATA[x]]>",
        "<math><annotation>x</annotation></math>",
        "<noembed>x</noembed><noframes>x</noframes>",
    ],
)
def test_what_is_never_text_is_no_leaf(markup):
    assert runs(f"{markup}<p>y") == ["y"]


def test_icons_are_not_walked_but_drawings_with_text_are():
    elements = tree("<svg><g><path d=M0></g></svg><svg><g><text>x</text></g></svg>").elements
    assert elements.tags[3:] == ["svg", "svg", "g", "text"]


@pytest.mark.parametrize("attribute", ["shadowrootmode=open", "shadowrootmode='closed'", "x=y\n shadowroot=open"])
def test_declarative_shadow_root_is_text(attribute):
    markup = f"<div><template {attribute}><p>a<template><p>b</template></p></template>c</div>"
    assert runs(markup) == ["a", "c"]


# --- title and data --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<title> A &amp;\n B </title>", "A & B"),
        ("<title>A</title><title>B</title>", "A"),
        ("<body><svg><title>icon</title><text>t</text></svg><title>A</title>", "A"),
        ("<title>a <b>c</title>", "a <b>c"),
    ],
)
def test_title_is_the_first_outside_drawings(markup, title):
    assert tree(markup).title == title


def test_json_ld_is_kept_apart():
    found = tree(
        '<script type="application/ld+json">{"a":1}</script><script>x</script>'
        "<p>y<script type='APPLICATION/LD+JSON; charset=utf-8'>2</script><script type=application/ld+json></script>"
    )
    assert found.data == ['{"a":1}', "2"]
    assert found.leaves.texts == ["y"]


# --- ranges ----------------------------------------------------------------------------------------------------------

_TAGS = ["div", "p", "b", "a", "ul", "li", "table", "td", "br", "span", "section", "h2", "form", "svg", "pre", "i"]
_PIECES = st.lists(
    st.one_of(
        st.sampled_from(_TAGS).map(lambda t: f"<{t}>"),
        st.sampled_from(_TAGS).map(lambda t: f"</{t}>"),
        st.sampled_from(["x", " ", "y z", "\n", " w ", "<!-- c -->", "ไทย"]),
    ),
    max_size=60,
)


@given(_PIECES)
def test_ranges_are_consistent_on_any_markup(pieces):
    found = tree("".join(pieces))
    elements, leaves = found.elements, found.leaves
    n, n_leaves = len(elements), len(leaves)
    assert all(len(c) == n for c in (elements.parent, elements.end, elements.first_leaf, elements.end_leaf))
    assert all(len(c) == n_leaves for c in (leaves.element, leaves.box, leaves.flags, leaves.breaks, leaves.spaced))
    for i in range(n):
        parent = elements.parent[i]
        assert parent < i < elements.end[i] <= n
        assert 0 <= elements.first_leaf[i] <= elements.end_leaf[i] <= n_leaves
        if parent >= 0:
            assert elements.end[i] <= elements.end[parent]
            assert elements.first_leaf[parent] <= elements.first_leaf[i]
            assert elements.end_leaf[i] <= elements.end_leaf[parent]
    for leaf in range(n_leaves):
        holders = {i for i in range(n) if elements.first_leaf[i] <= leaf < elements.end_leaf[i]}
        assert holders == set(elements.ancestors(leaves.element[leaf]))
        assert leaves.box[leaf] in holders
        assert leaves.texts[leaf].strip()


@given(_PIECES)
def test_no_text_is_lost_or_invented(pieces):
    markup = "<body>" + "".join(pieces)
    seen = "".join("".join(runs(markup)).split())
    assert sorted(seen) == sorted("".join("".join(p for p in pieces if p[0] != "<").split()))


@given(_PIECES, st.sets(st.sampled_from(_TAGS)))
def test_within_spreads_to_whole_subtrees(pieces, tags):
    elements = tree("".join(pieces)).elements
    mask = elements.within(elements.has_tag(tags))
    assert mask.tolist() == [any(elements.tags[a] in tags for a in elements.ancestors(i)) for i in range(len(elements))]


# --- paths -----------------------------------------------------------------------------------------------------------

REALISTIC = """<!DOCTYPE html><html><head><title>T</title><meta charset=utf-8></head><body class="a b"><div id=top>
<nav><ul><li><a href=/>Home</a></li><li><a href=/x>X</a></li></ul></nav></div><main><article><h1>Head</h1>
<p>One <b>two</b> three</p><figure><img src=x><figcaption>Cap</figcaption></figure><p>Four</p><blockquote><p>Q</p>
</blockquote><table><tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table></article>
<aside><p>Side</p></aside></main><footer><p>Foot <a href=y>link</a></p></footer></body></html>"""


def test_xpaths_select_their_own_element():
    found = tree(REALISTIC)
    root = lxml_html.document_fromstring(REALISTIC)
    for i, tag in enumerate(found.elements.tags):
        selected = root.xpath(found.elements.xpath(i))
        assert len(selected) == 1, found.elements.xpath(i)
        assert selected[0].tag == tag
        first, end = found.elements.first_leaf[i], found.elements.end_leaf[i]
        text = "".join("".join(found.leaves.texts[first:end]).split())
        if tag not in ("html", "head", "title"):
            assert "".join(selected[0].text_content().split()) == text


def test_xpaths_have_positions_only_where_needed_and_are_unique():
    elements = tree("<div><p>a</p><b>x</b><p>b</p></div><div></div>").elements
    paths = [elements.xpath(i) for i in range(len(elements))]
    assert paths == [
        "/html",
        "/html/head",
        "/html/body",
        "/html/body/div[1]",
        "/html/body/div[1]/p[1]",
        "/html/body/div[1]/b",
        "/html/body/div[1]/p[2]",
        "/html/body/div[2]",
    ]


def test_xpaths_of_deep_elements_with_long_names_are_short():
    elements = read_tree((f"<{'x' * 50}>" * 480 + "<p>a<p>b<hr><p>c").encode()).elements
    paths = [elements.xpath(i) for i in range(len(elements))]
    assert max(map(len, paths)) < 2_200
    assert len(set(paths)) == len(paths)
    assert paths[-1].endswith("/*/*[4]")


def test_tags_that_are_no_xpath_names_are_counted_among_all_siblings():
    markup = '<body><i>a</i><o:p>b</o:p><x"y>c</x"y><my-tag>d</my-tag>'
    elements = tree(markup).elements
    paths = [elements.xpath(i) for i in range(3, len(elements))]
    assert paths[0] == "/html/body/i"
    assert paths[1] == "/html/body/*[2]"
    assert all('"' not in p and ":" not in p for p in paths)


def test_tag_path_and_css_name_the_way_from_the_root():
    elements = tree('<div id="a b" class="x  y"><p class>t').elements
    assert elements.tag_path(4) == "html/body/div/p"
    assert elements.css(4) == "div#a.b.x.y > p"


def test_names_that_are_very_long_are_in_no_path():
    name = "x" * 200
    elements = tree(f'<{name} class="{name} a" id="{name}"><p class="{"b " * 500}">' + "<div>" * 100 + "t").elements
    assert elements.xpath(4) == "/html/body/*[1]/p"
    assert elements.css(4) == f".a > p{'.b' * 10}"
    assert elements.css(len(elements) - 1) == " > ".join(["div"] * 20)


# --- hostile pages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("markup", ["", "<", "<!--", "<p", "\x00", "<title>", "<svg>"])
def test_fragments_of_markup_are_read(markup):
    found = tree(markup)
    assert len(found.elements) >= 3
    assert found.elements.tags[:2] == ["html", "head"]


def test_deep_nesting_is_flattened_and_keeps_its_text():
    start = time.process_time()
    found = tree("<div>" * 70_000 + "deep" + "</div>" * 70_000 + "<p>after")
    assert time.process_time() - start < 10
    assert found.leaves.texts == ["deep", "after"]
    assert max(found.elements.depth) <= MAX_DEPTH + 1


@pytest.mark.parametrize("flood", ['"' * 200_000, "'" * 200_001, "<a b='" * 30_000, "<" * 100_000, "&" * 100_000])
def test_floods_are_read_in_bounded_time(flood):
    start = time.process_time()
    tree("<p>x</p>" + flood)
    assert time.process_time() - start < 5


def test_elements_deeper_than_allowed_stand_side_by_side_in_the_deepest():
    found = tree("<body>" + "<div><i>" * 700 + "<p hidden>a</p><b>b</b>")
    assert max(found.elements.depth) == MAX_DEPTH
    assert found.leaves.texts == ["a", "b"]
    assert found.elements.end[0] == len(found.elements)
    assert all(a <= b for a, b in zip(found.elements.first_leaf, found.elements.end_leaf, strict=True))


@pytest.mark.parametrize(("unit", "n"), [("<hr>", MAX_ELEMENTS), ("x<br>", MAX_LEAVES)])
def test_a_page_of_too_many_elements_or_texts_is_rejected(unit, n):
    assert len(tree(unit * (n // 2)).elements) > n // 2
    with pytest.raises(Rejected, match=f"{n:,}") as caught:
        tree(unit * (n + 1))
    assert caught.value.reason is Reason.TOO_LARGE


@pytest.mark.parametrize(
    "page", ["<svg>" * 8_000 + "<text>" + "x" * 1_000_000, "<pre>x" + "<b> \n</b>" * 35_000, "<svg>x</svg>" * 10_000]
)
def test_drawings_and_white_space_of_code_cost_linear_time(page):
    start = time.process_time()
    tree(page)
    assert time.process_time() - start < 2


def test_walk_gives_up_past_its_deadline():
    source = b"<p>x</p>" * 10_000
    with pytest.raises(Rejected) as caught:
        read_tree(source, deadline=Deadline(0.0))
    assert caught.value.reason is Reason.TOO_SLOW


def test_a_chosen_option_is_not_copied_to_where_browsers_show_it():
    page = b"<select><button><selectedcontent></selectedcontent></button><option selected>One</option></select>"
    assert read_tree(page).leaves.texts == ["One"]
