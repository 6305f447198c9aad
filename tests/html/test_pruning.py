"""Menus and footers are in no block of the learned method; nothing that may hold the content is pruned."""

import pytest

from webmain.extraction import judge
from webmain.extractors.learned import LearnedExtractor
from webmain.html.document import Document
from webmain.html.pruning import MAX_SHARE, pruned_elements
from webmain.items import Page

PROSE = "".join(
    f"<p>The ferry to the upper quay left {n} minutes late, and the harbour master said so twice.</p>"
    for n in range(12)
)
MENU = "<ul><li><a href=/tides>Tides</a><li><a href=/boats>Boats</a></ul>"


def read(body):
    html = f"<title>Ferries</title><body>{body}"
    return Document(Page(html=html), html=html)


def pruned(body):
    document = read(body)
    return [document.elements.tags[i] for i in pruned_elements(document)]


@pytest.mark.parametrize(
    "tag",
    ["nav", "footer", "select", "dialog", "div role=navigation", "ul role='ContentInfo'", "section role=navigation"],
)
def test_menus_footers_choices_and_dialogs_are_pruned(tag):
    body = "<option>Tides</option>" if tag == "select" else MENU
    assert pruned(f"<{tag}>{body}</{tag.split()[0]}><main>{PROSE}</main>") == [tag.split()[0]]


@pytest.mark.parametrize("tag", ["header", "aside", "form", "div class=nav", "div id=footer", "main role=navigation"])
def test_nothing_else_is_pruned(tag):
    assert pruned(f"<{tag}>{MENU}</{tag.split()[0]}><div>{PROSE}</div>") == []


@pytest.mark.parametrize("tag", ["nav", "footer", "dialog", "div role=navigation"])
def test_one_that_is_never_closed_stays(tag):
    assert pruned(f"<{tag}>{MENU}<div>{PROSE}</div>") == []


def test_a_list_of_choices_is_pruned_however_long_it_is():
    countries = "".join(f"<option>Republic of the Islands, number {n}</option>" for n in range(200))
    assert pruned(f"<select>{countries}</select><main>{PROSE}</main>") == ["select"]
    assert pruned(f"<main>{PROSE}</main><select><option>One<option>Two{PROSE}") == []
    assert pruned(f"<main>{PROSE}</main><select><option>{'The ferry left late. ' * 80}") == []


def test_outermost_elements_are_given():
    assert pruned(f"<footer><nav>{MENU}</nav></footer><div>{PROSE}</div><nav>{MENU}</nav>") == ["footer", "nav"]


def test_the_share_is_that_of_characters():
    menu = "<nav>" + "a" * 400 + "</nav>"
    for rest, expected in ((int(400 / MAX_SHARE) - 400 + 50, ["nav"]), (int(400 / MAX_SHARE) - 400 - 50, [])):
        assert pruned(f"{menu}<p>{'b' * rest}</p>") == expected


def test_pages_of_menus_alone_are_judged_whole():
    body = "".join(f"<nav>{'menu ' * 20}</nav>" for _ in range(20))
    assert pruned(body) == []


def test_pruned_text_is_in_no_block_and_the_method_tells_where_it_was():
    document = read(f"<nav>{MENU}</nav><main>{PROSE}</main><footer>All rights reserved.</footer>")
    method = LearnedExtractor()
    found = judge(document, method)
    texts = found.segmentation.texts(range(len(found.segmentation)))
    assert all(text.startswith("The ferry") for text in texts)
    assert [document.elements.tags[i] for i in method.pruned(found.segmentation)] == ["nav", "footer"]


def test_where_hardly_anything_is_shown_nothing_is_pruned():
    document = read("<nav>Tides and boats</nav><p>Closed.</p>")
    method = LearnedExtractor()
    segmentation = method.segment(document)
    assert segmentation.texts(range(len(segmentation))) == ["Tides and boats", "Closed."]
    assert method.pruned(segmentation) == []
