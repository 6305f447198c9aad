"""Blocks of several pages side by side."""

import numpy as np

from webmain.features.site_blocks import (
    MAX_INNER_STEPS,
    MAX_NAME_CHARS,
    MAX_OUTER_STEPS,
    MAX_PAGE_CHARS,
    concatenate,
    read_descriptions,
    read_documents,
)
from webmain.html.document import Document
from webmain.items import Page


def document(markup: str, url: str = "https://example.com/a") -> Document:
    return Document(Page(url=url, html=markup), html=markup)


def read(*pages: str):
    return read_documents([document(page) for page in pages])


def test_blocks_stand_page_after_page_with_their_paths():
    blocks = read("<div class='story main'><p>One</p><p class=x>Two</p></div>", "<h1>Three</h1>")
    assert blocks.texts == ("One", "Two", "Three")
    assert blocks.page.tolist() == [0, 0, 1]
    assert blocks.page.dtype == np.int32
    assert blocks.tag_paths == ("html/body/div/p", "html/body/div/p", "html/body/h1")
    assert blocks.selectors == ("html/body/div.main.story/p", "html/body/div.main.story/p.x", "html/body/h1")
    assert blocks.sites == ("example.com", "example.com")
    assert blocks.visual is None
    assert (len(blocks), blocks.n_pages) == (3, 2)


def test_ids_are_no_part_of_selectors_and_class_names_cannot_forge_steps():
    assert read("<div id=a class='w-1/2 p-1.5'>x</div>").selectors == ("html/body/div.p-1_5.w-1_2",)


def test_pages_without_blocks_leave_gaps():
    blocks = read("<p>One</p>", "", "<script>x</script>", "<p>Two</p>")
    assert blocks.page.tolist() == [0, 3]
    assert blocks.n_pages == 4
    assert len(read()) == len(read("")) == 0


def test_what_is_not_shown_is_in_no_block():
    blocks = read(
        "<p>Seen <span hidden>secret</span> text</p><p style='display:none'>secret</p><p class=sr-only>secret</p>"
        "<iframe>secret</iframe><noscript>Stays</noscript>"
    )
    assert blocks.texts == ("Seen text", "Stays")


def test_a_paragraph_break_beside_hidden_text_still_parts_blocks():
    assert read("<div>One<br><br><span hidden>secret</span>Two<br>Three</div>").texts == ("One", "Two\nThree")


def test_share_of_anchors_is_by_characters():
    blocks = read("<p>abc<a href=/>def</a></p><p>plain</p><p><a href=/>all</a></p>")
    assert blocks.anchor_share.tolist() == [0.5, 0.0, 1.0]


def test_descriptions_come_from_all_places_once():
    found = read_descriptions(
        document(
            "<head><meta name=Description content=' One  '><meta property=og:description content=Two>"
            "<meta name=twitter:description content=One><meta name=description content=''>"
            '<script type=application/ld+json>{"@type":"NewsArticle","description":"Three &amp; more"}</script></head><p>x'
        )
    )
    assert found == ("One", "Two", "Three & more")
    assert read_descriptions(document("<p>x</p>")) == ()


def test_pages_of_a_site_can_be_taken_apart():
    blocks = read("<p>One</p><p>Two</p>", "<p>Three</p>", "", "<p>Four</p>")
    some = blocks.select_pages(np.array([1, 2, 3]))
    assert some.texts == ("Three", "Four")
    assert some.page.tolist() == [0, 2]
    assert some.n_pages == 3
    assert blocks.select_pages(np.arange(4)).texts == blocks.texts


def test_pages_read_one_by_one_are_the_same_side_by_side():
    pages = ["<p>One<p>Two", "", "<p>Three<a href=/>x</a>"]
    one, other = read(*pages), concatenate([read(page) for page in pages])
    for name in ("texts", "tag_paths", "selectors", "visual", "descriptions", "sites"):
        assert getattr(one, name) == getattr(other, name)
    assert one.page.tolist() == other.page.tolist()
    assert one.page.dtype == other.page.dtype
    assert one.anchor_share.tolist() == other.anchor_share.tolist()
    assert len(concatenate([])) == 0


def test_the_first_blocks_of_each_page_can_be_taken():
    blocks = read("<p>One<p>Two<p>Three", "", "<p>Four", "<p>Five<p>Six")
    some = blocks.first_of_pages(2)
    assert some.texts == ("One", "Two", "Four", "Five", "Six")
    assert some.page.tolist() == [0, 0, 2, 3, 3]
    assert some.n_pages == 4
    assert blocks.first_of_pages(3).texts == blocks.texts


def test_deep_pages_keep_both_ends_of_their_paths():
    path = read("<section>" + "<div>" * 400 + "<p>deep</p>").tag_paths[0].split("/")
    assert len(path) == MAX_OUTER_STEPS + MAX_INNER_STEPS
    assert path[:3] == ["html", "body", "section"]
    assert path[-1] == "p"


def test_names_of_tags_and_classes_are_cut():
    name = "x" * 150_000
    blocks = read(f"<{name}>" + "<p>y</p>" * 50 + f"</{name}><p class='{'z' * 5_000}'>y</p>")
    assert blocks.tag_paths[0] == f"html/body/{'x' * MAX_NAME_CHARS}/p"
    assert blocks.selectors[-1].endswith(f"/p.{'z' * MAX_NAME_CHARS}")


def test_all_paths_of_a_page_together_are_bounded():
    outer = "".join(f"<div class='{' '.join(f'{i}{c}' + 'c' * 60 for c in 'abcdefgh')}'>" for i in range(40))
    blocks = read(outer + "".join(f"<p class=own-{i}>y</p>" for i in range(5_000)))
    assert len(blocks) == 5_000
    assert sum(map(len, {*blocks.tag_paths, *blocks.selectors})) <= MAX_PAGE_CHARS
    assert blocks.selectors[0].endswith("/p.own-0")
    assert blocks.selectors[0].startswith(blocks.selectors[-1])  # the place of an element around it
