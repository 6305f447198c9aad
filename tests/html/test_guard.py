"""The guard before the parser: ordinary pages pass untouched, bombs are flattened, text is never lost."""

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from webmain.html.flattening import MAX_ATTRIBUTES, open_elements, read_tags
from webmain.html.guard import MAX_DEPTH, MAX_STEPS, SUSPECT_FORMATTING, guard
from webmain.html.tree import MAX_ELEMENTS, read_tree
from webmain.items import Reason, Rejected

_ORDINARY = st.recursive(
    st.sampled_from(["text", " a < b ", "<br>", "<img src='a>b'>", "<hr/>", "<!-- <div> -->", "é"]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag} class='x'>{''.join(parts)}</{tag}>",
        st.sampled_from(["div", "p", "b", "span", "ul", "li", "section", "custom-element", "I", "table"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=40,
)


@given(_ORDINARY)
def test_ordinary_pages_are_left_untouched(markup):
    source = markup.encode()
    assert guard(source) is source


_TAGS = "div p span ul li table tr td dl dd select option svg g math template title script noscript button".split()
_SOUP = st.lists(
    st.one_of(
        st.builds("<{}>".format, st.sampled_from(_TAGS)),
        st.builds("</{}>".format, st.sampled_from(_TAGS)),
        st.builds("<{}/>".format, st.sampled_from(_TAGS)),
        st.sampled_from(("<!--</div>-->", "<![CDATA[></svg>", "<b title='</div>'>", "</b>")),
    ),
    min_size=1,
    max_size=8,
)


@given(_SOUP)
def test_the_bounds_of_open_elements_are_not_exceeded_by_the_parsers_tree(soup):
    source = "".join(soup).encode() * 40
    depths = []
    walk = [(LexborHTMLParser(source).root, -1)]  # every page has `html` and `body`
    for node, depth in walk:
        depths.append(depth)
        walk += [(child, depth + 1) for child in node.iter()]
    n_tags = source.count(b"<")
    bound = read_tags(source)
    assert sum(depths) <= 4 * (min(open_elements(source), bound.steps) + bound.reopened_bytes + n_tags) + 50


@pytest.mark.parametrize("n", [1, 10, MAX_DEPTH // 2])
def test_nesting_below_the_limit_is_left_untouched(n):
    source = b"<div>" * n + b"x" + b"</div>" * n
    assert guard(source) is source


def test_many_siblings_are_not_deep():
    source = b"<ul>" + b"<li>x<br></li><li class=y>z<META a=b></li>" * 20_000 + b"</ul>"
    assert guard(source) is source


def _text(source: bytes) -> bytes:
    return b"".join(re.sub(rb"<[^>]*>", b"", source).split())


def _cpu_s(call, *arguments) -> float:
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start


N_DEEP = 60_000
DEEP = {
    "open": b"<div>",
    "ended by no parser": b"<div><table></div></table>",
    "closed in a comment": b"<div><!--</div>-->",
    "closed in a script": b"<div><script></div></script>",
    "closed in a script that no vertical tab ends": b"<div><script></script\v></div></script>",
    "closed in a drawing's data": b"<div><svg><![CDATA[>x</svg></div>]]></svg>",
    "opened in a drawing's title": b"<svg><title><div></title></svg>",
    "opened in a title that is none": b"<select><title></select><div></title></select>",
    "closed around": b"<b><div></b>",
    "list items": b"<ul><li>",
    "names of any length": b"<x-a><x-b></x-c>",
    "ended around a list's item": b"<noscript><dd></noscript>",
    "ended around a row outside of a table": b"<noscript><tr><dd></tr></noscript>",
    "closed by their slash in a drawing they end": b"<math><span/></math>",
    "closed by their slash after a drawing's end": b"<svg></p><g/></svg>",
    "closed by their slash in a list of choices": b"<select/><object/>",
}


@pytest.mark.parametrize("attack", DEEP)
def test_open_elements_cost_the_parser_linear_time_and_keep_their_text(attack):
    unit = DEEP[attack] + b"t "
    source = unit * (N_DEEP // unit.count(b"<"))
    flat = guard(source)
    assert flat.count(b"t ") >= source.count(b"t ")
    assert _cpu_s(LexborHTMLParser, flat) < 1.5


@pytest.mark.parametrize("end", ["", "</p>", "</div>"])
@pytest.mark.parametrize(
    "tag",
    [
        "<b a%d>", "<b a%d><table></b></table>", "<b a%d><!--</b>-->", "<font a%d title='</font>'>",
        "<b a%d></b\v>", '<b a%d/="><table>"></b>', '<b a%d="" ="><table>"></b>', "<b\v='a%d><table>'></b>",
        "<b a%d><i a%d><u></i></b>", "<b a%d><x><!--</x></b>-->", "<b a%d><svg><title></b></svg>",
    ],
)  # fmt: skip
def test_open_formatting_elements_are_opened_anew_in_a_bounded_number(tag, end):
    source = "".join(f"<div><p>{tag.replace('%d', str(i))}t{end}" for i in range(2_500)).encode()
    assert _cpu_s(LexborHTMLParser, guard(source)) < 0.5  # unguarded it is 1 to 3
    with suppress(Rejected):
        assert len(read_tree(source).elements) <= MAX_ELEMENTS


@pytest.mark.parametrize("before", ["", "<p>rock 'n roll = \"", "<!-- = ' -->"])
@pytest.mark.parametrize("value", ["x>", "x<i>", "='\n", "/"])
def test_long_tags_are_found_behind_any_quotes(before, value):
    source = f'{before}<p><a ="a b="{value * 50_000}"></p>'.encode() + b"<p>t</p>" * 20_000
    assert _cpu_s(LexborHTMLParser, guard(source)) < 1


def test_attributes_of_many_tags_cost_the_parser_bounded_time():
    tag = "<p " + " ".join(f"a{i:x}" for i in range(1_200)) + ">"
    assert _cpu_s(LexborHTMLParser, guard(tag.encode() * (2_000_000 // len(tag)))) < 3


@pytest.mark.parametrize("tag", ["a", "b", "nobr"])
@pytest.mark.parametrize("attribute", ["title='" + "x" * 100_000 + "'", " ".join(f"a{i}=b" for i in range(2_000))])
def test_long_tags_are_not_copied_into_each_paragraph(tag, attribute):
    source = f"<p><{tag} {attribute}></p>".encode() + b"<p>t</p>" * 5_000
    flat = guard(source)
    assert len(flat) < len(source)
    assert flat.count(b"t</p>") == 5_000
    assert guard(source.replace(b"></p>", b">x</" + tag.encode() + b"></p>", 1)) != flat


def test_attributes_of_many_roots_are_not_gathered():
    source = "".join(f"<html a{i}=b><body c{i}=d>t" for i in range(20_000)).encode()
    assert _cpu_s(LexborHTMLParser, guard(source)) < 1


@pytest.fixture
def max_pieces(monkeypatch):
    """Allow fewer pieces of markup than usual; return their number."""
    n = 12 * MAX_DEPTH
    monkeypatch.setattr("webmain.html.guard.MAX_PIECES", n)
    monkeypatch.setattr("webmain.html.flattening.MAX_PIECES", n)
    monkeypatch.setattr("webmain.html.flattening.MAX_READ", 4 * n)
    return n


def test_what_is_too_deep_does_not_count_against_the_tags_of_a_page(max_pieces):
    n = (max_pieces + 10) // 2
    kept = guard(b"<div>" * n + b"<p>text</p>" + b"</div>" * n)
    assert kept.count(b"<") <= 2 * MAX_DEPTH + 2
    assert b"text" in kept
    with pytest.raises(Rejected, match=f"{max_pieces:,}"):
        guard(b"<div>" * 3 * max_pieces + b"text" + b"</div>" * 3 * max_pieces)


def test_a_page_of_too_many_pieces_of_markup_is_rejected(max_pieces):
    assert guard(b"x</p>" * (max_pieces - 10)) is not None
    for piece in (b"</p>", b"<br>", b"<!---->", b"<?x>"):
        with pytest.raises(Rejected, match=f"{max_pieces:,}") as caught:
            guard(piece * (max_pieces + 10))
        assert caught.value.reason is Reason.TOO_LARGE
    assert guard(b"<script>" + b"a<b" * (max_pieces + 10) + b"</script>") is not None


@pytest.mark.parametrize("tag", ["b", "font", "STRONG", "u"])
def test_unclosed_formatting_is_cut(tag):
    source = f"<{tag} color=red><p>t</p>".encode() * 2_000
    flat = guard(source)
    assert flat.lower().count(f"<{tag.lower()} ".encode()) < SUSPECT_FORMATTING
    assert flat.count(b"<p>") == 2_000
    assert _text(flat) == _text(source)


def test_closed_formatting_is_left_untouched():
    source = b"<p><b>x</b> <i>y</i></p>" * 5_000
    assert guard(source) is source


@pytest.mark.parametrize("quote", ["script", "style", "textarea", "title"])
def test_tags_in_raw_text_stay_as_they_are(quote):
    inside = b"<div>" * 3_000
    flat = guard(b"<%s>%s</%s><p>x" % (quote.encode(), inside, quote.encode()))
    assert inside in flat


@given(st.binary(max_size=600), st.integers(0, 60))
def test_any_bytes_are_survived(noise, n):
    guard(noise + b"<b>" * n + noise)


@given(st.lists(st.sampled_from([b"<div>", b"</div>", b"<b>", b"</b>", b"<p>", b"</p>", b"t"]), max_size=30))
def test_text_survives_flattening(pieces):
    source = b"".join(pieces) * 100
    assert _text(guard(source)) == _text(source)


@pytest.mark.parametrize(
    "flood",
    [
        b"<" * 150_000, b'<a b="' * 30_000, b"<div " * 30_000, b"<p><b>" * 20_000, b"<\xe2\x80\xb9q" * 63_000,
        b"<svg><title>" * 30_000, b"<script>" * 30_000, b"<template>" * 30_000, b"<a b='>\"" * 30_000, b"<!--" * 30_000,
        b"<n a" * 50_000,
    ],
)  # fmt: skip
def test_floods_cost_linear_time(flood):
    with suppress(Rejected):
        assert _cpu_s(guard, flood) < 1.5


@pytest.mark.parametrize(
    ("markup", "result"),
    [
        ("<template shadowrootmode=open>x</template>", "<shadow-root shadowrootmode=open>x</shadow-root>"),
        ("<template>shadowrootmode</template>", "<template>shadowrootmode</template>"),
        (
            "<template shadowrootmode=open><template>a</template></template>",
            "<shadow-root shadowrootmode=open><template>a</template></shadow-root>",
        ),
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


@pytest.mark.parametrize(("n_tags", "is_cut"), [(5, False), (800, True)])
def test_the_larger_a_page_the_fewer_attributes_a_tag_may_have(n_tags, is_cut):
    page = (b"<p " + b" ".join(b"a%d" % i for i in range(4 * MAX_ATTRIBUTES)) + b">Text.</p>") * n_tags
    assert (guard(page) != page) is is_cut


def test_a_page_that_nests_too_deep_is_read_to_the_end_only_once():
    page = b"<div>" * 40_000 + b"Text."
    assert read_tags(page, max_steps=MAX_STEPS).steps < 2 * MAX_STEPS < read_tags(page).steps
    assert guard(page).endswith(b"Text.")


@pytest.mark.parametrize("n", [1, MAX_ATTRIBUTES])
def test_as_many_attributes_as_allowed_are_kept(n):
    page = b"<p " + b" ".join(b"attribute%d" % i for i in range(n)) + b">Text.</p>" + b"<p>Text.</p>" * 20_000
    assert guard(page) == page


@pytest.mark.parametrize("value", ["", "='>'", "=<", "='\"><'"])
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


@pytest.mark.parametrize(
    "attack",
    [
        "</x-%d>",
        "<x-%d></x-%d>",
        "<p a%d>",
        "<p a%d=1/b%d='2'c%d>",
        "<p =a%d><p\fb%d>",
        '<p b="c"a%d>',
        "</p a%d>",
        "<svg><style><p a%d></style></svg>",
        '<script>\'<a b="</script><p a%d>"</p>',
    ],
)
def test_a_page_of_too_many_names_is_rejected(monkeypatch, attack):
    monkeypatch.setattr("webmain.html.guard.MAX_NAMES", 1_000)
    page = "".join(attack.replace("%d", str(n)) for n in range(1_100))
    with pytest.raises(Rejected, match="names of tags and attributes"):
        guard(page.encode())


@pytest.mark.parametrize("sep", ["\v", '"'])
def test_names_are_whole_words(monkeypatch, sep):
    monkeypatch.setattr("webmain.html.guard.MAX_NAMES", 1_000)
    page = "".join(f"<p a{n // 40}{sep}b{n % 40}>" for n in range(1_600))
    with pytest.raises(Rejected, match="names of tags and attributes"):
        guard(page.encode())


@pytest.mark.parametrize(
    "part", ["word%d ", '<a href="/x%d" id=y%d>z%d</a> ', "<!-- a%d b%d -->", "<script>a%d</script>"]
)
def test_words_that_are_no_names_are_not_counted(monkeypatch, part):
    monkeypatch.setattr("webmain.html.guard.MAX_NAMES", 1_000)
    page = "<p>" + "".join(part.replace("%d", str(n)) for n in range(1_100))
    assert guard(page.encode()) == page.encode()
