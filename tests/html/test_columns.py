"""Columns of elements: attributes on demand, labels, depths; they say what a visit of every node would."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.html.names import Attributes
from webmain.html.tree import read_tree

_MARKUP = st.recursive(
    st.sampled_from(["text", "<br>", "<img src=x alt='a'>", "<!-- x -->", " ", "<?php echo ?>", "<svg><path/></svg>"]),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag.split()[0]}>",
        st.sampled_from(["div class=a", "p id=b", "span", "ul", "li hidden", "a href='/'", "section role=main"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=30,
)

PAGE = b"""<html lang=en><head><meta name=a content=b><title>T</title></head><body class="wide">
<div class="story  body" id=main itemprop=articleBody role=main><p>Text.</p><img src=x></div><div id=empty></div></body>"""


def test_attributes_read_like_a_list_of_dicts():
    attributes = read_tree(PAGE).elements.attributes
    as_list = list(attributes)
    assert len(attributes) == len(as_list)
    assert as_list[0] == attributes[0] == {"lang": "en"}
    assert attributes[-1] == as_list[-1] == {"id": "empty"}
    assert {"src": "x"} in attributes


def test_attributes_of_several_elements_are_those_of_each():
    elements = read_tree(PAGE).elements
    assert isinstance(elements.attributes, Attributes)
    some = [0, 3, 5, 6]
    assert elements.attributes.take(some) == [elements.attributes[i] for i in some]
    assert elements.attributes.take([]) == []


@pytest.mark.parametrize("made", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_a_tree_can_be_copied_with_its_attributes(made):
    tree = read_tree(PAGE)
    same = made(tree)
    assert list(same.elements.attributes) == list(tree.elements.attributes)


def test_names_are_those_of_elements_with_text_below_them():
    elements = read_tree(PAGE).elements
    names = {tag: found for tag, found in zip(elements.tags, elements.names, strict=True) if found.label != found.tag}
    assert {tag: found.label for tag, found in names.items()} == {"body": "body.wide", "div": "div.story  body"}
    assert (names["div"].id, names["div"].itemprop, names["div"].role) == ("main", "articleBody", "main")
    assert all(found is read_tree(PAGE).elements.names[i] for i, found in enumerate(elements.names))


@pytest.mark.parametrize("attribute", ["class", "id", "itemprop", "role"])
def test_names_of_any_length_are_told_and_long_ones_are_not_remembered(attribute):
    for value, is_remembered in (("a" * 250, True), ("a" * 400, False), ("b" + " " * 400, False)):
        source = f'<p {attribute}="{value}">x'.encode()
        first, second = (read_tree(source).elements.names[-1] for _ in range(2))
        assert (first is second) is is_remembered
        told = {"class": "classes"}.get(attribute, attribute)
        assert getattr(first, told).strip() == getattr(second, told).strip() == value.strip()


@given(_MARKUP)
def test_columns_agree_with_each_other(markup):
    tree = read_tree(markup.encode())
    elements, leaves = tree.elements, tree.leaves
    n = len(elements)
    assert all(isinstance(tag, str) for tag in elements.tags)
    assert elements.depth == [len(elements.ancestors(i)) - 1 for i in range(n)]
    for i in range(n):
        assert elements.end[i] == i + 1 + sum(i in elements.ancestors(j)[1:] for j in range(n))
        below = [k for k in range(len(leaves)) if i in elements.ancestors(leaves.element[k])]
        assert below == list(range(elements.first_leaf[i], elements.end_leaf[i]))
        assert (i in elements.with_text) == bool(below)
        hidden = any("hidden" in elements.attributes[a] for a in elements.ancestors(i))
        assert all(bool(leaves.flags[k] & 1) or not hidden for k in below)
    assert len(elements.attributes) == n
    columns = (leaves.element, leaves.box, leaves.flags, leaves.breaks, leaves.spaced)
    assert {len(column) for column in columns} == {len(leaves)}


def test_elements_are_found_by_their_tags():
    elements = read_tree(PAGE).elements
    assert elements.of_tags(("div",)) == [i for i, tag in enumerate(elements.tags) if tag == "div"]
    assert elements.of_tags(("p", "meta", "dl")) == sorted((*elements.by_tag["p"], *elements.by_tag["meta"]))
    assert elements.of_tags(("dl",)) == []


def test_what_is_between_runs_joins_them():
    leaves = read_tree(b"<p>a <b>b</b>c<br>d<p>e").leaves
    assert [leaves.between(i, i + 1) for i in range(4)] == [" ", "", "\n", "\n"]
    assert leaves.between(0, 2) == " "
    assert leaves.unit.tolist() == [1, 1, 1, 1, 2]
