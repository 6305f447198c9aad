"""The guard before the parser: ordinary pages pass untouched, bombs are flattened, text is never lost."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webmain.page.guard import LARGE_BYTES, MAX_ATTRIBUTES, MAX_DEPTH, SUSPECT_FORMATTING, guard
from webmain.page.tree import read_tree

_ORDINARY = st.recursive(
    st.sampled_from(["text", " a < b ", "<br>", "<img src='a>b'>", "<hr/>", "<!-- <div> -->", "é"]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag} class='x'>{''.join(parts)}</{tag}>",
        st.sampled_from(["div", "p", "b", "span", "ul", "li", "section", "custom-element", "I", "table"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=40,
)


@settings(max_examples=200)
@given(_ORDINARY)
def test_ordinary_pages_are_left_untouched(markup):
    source = markup.encode()
    assert guard(source) is source


@pytest.mark.parametrize("n", [1, 10, MAX_DEPTH // 2])
def test_nesting_below_the_limit_is_left_untouched(n):
    source = b"<div>" * n + b"x" + b"</div>" * n
    assert guard(source) is source


def test_many_siblings_are_not_deep():
    source = b"<ul>" + b"<li>x</li><li class=y>z</li>" * 20_000 + b"</ul>"
    assert guard(source) is source


def test_many_void_elements_are_not_deep():
    source = b"<br><img src=x><input><wbr><META a=b>" * 5_000
    assert guard(source) is source


def _depth(source: bytes) -> int:
    depth = deepest = 0
    for end in re.findall(rb"<(/?)div>", source):
        depth += -1 if end else 1
        deepest = max(deepest, depth)
    return deepest


def _text(source: bytes) -> bytes:
    return b"".join(re.sub(rb"<[^>]*>", b"", source).split())


def test_deep_nesting_is_cut_to_the_limit():
    source = b"".join(b"<div>t%d" % i for i in range(5_000)) + b"</div>" * 5_000 + b"<p>end</p>"
    flat = guard(source)
    assert _depth(flat) == MAX_DEPTH
    assert _text(flat) == _text(source)


def test_end_tags_of_dropped_start_tags_go_too():
    flat = guard(b"<div>" * 3_000 + b"x" + b"</div>" * 3_000 + b"<p>y")
    assert flat.count(b"<div>") == flat.count(b"</div>") == MAX_DEPTH
    assert flat.endswith(b"<p>y")


@pytest.mark.parametrize("tag", ["b", "font", "STRONG", "u"])
def test_unclosed_formatting_is_cut(tag):
    source = f"<{tag} color=red><p>t</p>".encode() * 200
    flat = guard(source)
    assert flat.lower().count(f"<{tag.lower()} ".encode()) < SUSPECT_FORMATTING
    assert flat.count(b"<p>") == 200
    assert _text(flat) == _text(source)


def test_paragraphs_with_unclosed_formatting_stay_paragraphs():
    flat = guard(b"<p><font>t" * 2_000)
    assert flat.count(b"<p>") == 2_000


def test_closed_formatting_is_left_untouched():
    source = b"<p><b>x</b> <i>y</i></p>" * 5_000
    assert guard(source) is source


@pytest.mark.parametrize("quote", ["script", "style", "textarea", "title"])
def test_tags_in_raw_text_stay_as_they_are(quote):
    inside = b"<div>" * 3_000
    flat = guard(b"<%s>%s</%s><p>x" % (quote.encode(), inside, quote.encode()))
    assert inside in flat


@settings(max_examples=150)
@given(st.binary(max_size=600), st.integers(0, 60))
def test_any_bytes_are_survived(noise, n):
    guard(noise + b"<b>" * n + noise)


@settings(max_examples=60)
@given(st.lists(st.sampled_from([b"<div>", b"</div>", b"<b>", b"</b>", b"<p>", b"</p>", b"t"]), max_size=30))
def test_text_survives_flattening(pieces):
    source = b"".join(pieces) * 300
    assert _text(guard(source)) == _text(source)


@pytest.mark.parametrize(
    "flood",
    [b"<" * 300_000, b'<a b="' * 60_000, b"<div " * 60_000, b"</div>" * 60_000, b"<b>" * 100_000, b"<p><b>" * 40_000],
)
def test_floods_cost_linear_time(flood):
    start = time.perf_counter()
    guard(flood)
    assert time.perf_counter() - start < 4


@pytest.mark.parametrize(
    ("markup", "result"),
    [
        ("<template shadowrootmode=open>x</template>", "<shadow-root shadowrootmode=open>x</shadow-root>"),
        ("<TEMPLATE ShadowRoot=open>x</TEMPLATE>", "<shadow-root ShadowRoot=open>x</shadow-root>"),
        ("<template>shadowrootmode</template>", "<template>shadowrootmode</template>"),
        (
            "<template shadowrootmode=open><template>a</template></template>",
            "<shadow-root shadowrootmode=open><template>a</template></shadow-root>",
        ),
        ("<template data-x=1>a</template> shadowroot=", "<template data-x=1>a</template> shadowroot="),
    ],
)
@pytest.mark.parametrize("rest", ["", "<p>x</p>" * 100])
def test_only_shadow_roots_are_renamed(markup, result, rest):
    assert guard((markup + rest).encode()).lower() == (result + rest).lower().encode()


def test_a_tag_of_too_many_attributes_keeps_the_first_and_its_text():
    tag = b"<p " + b" ".join(b"a%d='>'" % n for n in range(40_000))
    tree = read_tree(tag + b" class=x>Text.</p><p>More.</p>")
    assert tree.leaves.texts == ["Text.", "More."]
    assert len(max(tree.elements.attributes, key=len)) == MAX_ATTRIBUTES


@pytest.mark.parametrize("n", [1, MAX_ATTRIBUTES])
def test_as_many_attributes_as_allowed_are_kept(n):
    page = (
        b"<p " + b" ".join(b"attribute%d" % i for i in range(n)) + b">Text.</p>" + b"<p>Text.</p>" * (LARGE_BYTES // 12)
    )
    assert guard(page) == page


@pytest.mark.parametrize("value", ["", "='>'", '=">"', "='<b>'", '="<i" ', "=<", "='\"><'"])
@pytest.mark.parametrize(
    "before", [b"", b"<script>if (a<b && c > 'd') { x = \"e\" }</script>", b"<p>It's ' < \" > = '</p>"]
)
def test_a_tag_of_too_many_attributes_is_found_behind_any_markup(before, value):
    tag = b"<p " + b" ".join(b"attribute%d%s" % (n, value.encode()) for n in range(30_000)) + b">"
    flat = guard(before * 100 + tag + b"Text.</p>")
    assert len(flat) < len(before * 100) + 30 * MAX_ATTRIBUTES


def test_attributes_without_space_between_them_are_counted():
    tag = b"<p " + b"".join(b'attribute%d=""' % n for n in range(30_000)) + b">"
    assert len(guard(tag + b"Text.</p>")) < 30 * MAX_ATTRIBUTES
