"""A page that has any text gives some, and what is meant for readers comes first."""

import time

import numpy as np
import pytest

from webmain.embedded.fallback import ENOUGH_PROSE, fallback_blocks, fallback_mask, markup_beside_tree
from webmain.extraction import Options, read
from webmain.items import Page

TEXT = (
    "The ice on the lake is back after two mild winters. The town has opened the old skating path again, as it did in "
    "the years before. Nobody had expected so many people on the first evening, least of all the two who sell the tea."
)
OTHER = (
    "A choir from the valley sang until midnight, although the microphones froze twice. The mayor promised to come back "
    "next year, whatever the weather does. The bakery had sold out its bread by nine in the evening."
)
NOTICE = "Please enable JavaScript to run this app."


def shown(markup: str) -> list[str]:
    return [block.text for block in fallback_blocks(read(Page(html=markup)))]


def chosen(markup: str) -> list[str]:
    document = read(Page(html=markup))
    return [document.leaves.texts[i] for i in np.flatnonzero(fallback_mask(document))]


@pytest.mark.parametrize(
    "markup",
    [
        TEXT,
        f"<p>{TEXT}",
        f"<body><noscript><p>{TEXT}</p></noscript></body>",
        f"<head><noscript><p>{TEXT}</p></noscript></head><body></body>",
        f'<div style="display:none"><p>{TEXT}</p></div>',
        f'<body style="visibility: hidden"><p>{TEXT}</p></body>',
        f"<main hidden><p>{TEXT}</p></main>",
        f'<p class="sr-only">{TEXT}</p>',
        f"<textarea>{TEXT}</textarea>",
        f"<button>{TEXT}</button>",
        f"<select><option>{TEXT}</option></select>",
        f"<object><p>{TEXT}</p></object>",
        f"<video><p>{TEXT}</p></video>",
        f"<iframe>{TEXT}</iframe>",
        f"<body><svg><text>{TEXT}</text></svg>",
        f"<plaintext>{TEXT}",
        f"<xmp>{TEXT}</xmp>",
        f"<pre>{TEXT}</pre>",
        f"<details><p>{TEXT}</p></details>",
        f"<dialog><p>{TEXT}</p></dialog>",
        f'<div><template shadowrootmode="open"><p>{TEXT}</p></template></div>',
        f'<div style="display:none"><noscript><p>{TEXT}</p></noscript></div>',
    ],
)
def test_text_in_the_tree_is_found_wherever_it_stands(markup: str) -> None:
    assert chosen(markup) == [TEXT]
    assert shown(markup) == [TEXT]


@pytest.mark.parametrize(
    "markup",
    [
        f'<iframe srcdoc="&lt;p&gt;{TEXT}&lt;/p&gt;"></iframe>',
        f"<iframe class=a srcdoc='<p>{TEXT}</p>'></iframe>",
        f"<template><p>{TEXT}</p></template>",
        f"<body><noframes><p>{TEXT}</p></noframes></body>",
        f"<frameset><frame src=a><noframes><body><p>{TEXT}</p></body></noframes></frameset>",
        f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p><![CDATA[{TEXT}]]></p></body></html>',
        f'<script type="text/html"><p>{TEXT}</p></script>',
        f'<script id="a" type="text/x-handlebars-template"><p>{TEXT}</p></script>',
        f"<title>Ice<body><p>{TEXT}</p>",
    ],
)
def test_text_beside_the_tree_is_found(markup: str) -> None:
    assert not fallback_mask(read(Page(html=markup))).any()
    assert TEXT in shown(markup)


@pytest.mark.parametrize(
    "markup",
    [
        "<div></div>",
        "<img alt='A lake in winter, frozen over from one side to the other'>",
        f"<script>var text = '<p>{TEXT}</p>';</script>",
        f"<style>p::before {{ content: '{TEXT}' }}</style>",
        f"<!-- <p>{TEXT}</p> -->",
        "<p>…</p><p>•</p>",
        f'<meta name="description" content="{TEXT}">',
    ],
)
def test_a_page_without_text_gives_none(markup: str) -> None:
    assert shown(markup) == []


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (f"<p>{TEXT}</p><noscript><p>{OTHER}</p></noscript>", TEXT),
        (f"<p>Menu</p><noscript><p>{OTHER}</p></noscript>", OTHER),
        (f'<noscript><p>{TEXT}</p></noscript><div style="display:none">{OTHER}</div>', TEXT),
        (f'<noscript>{NOTICE}</noscript><div style="display:none">{OTHER}</div>', OTHER),
        (f'<p>{NOTICE}</p><div style="display:none">{OTHER}</div>', OTHER),
        (f'<textarea>{TEXT}</textarea><div style="display:none">{OTHER}</div>', OTHER),
        (f'<p class="sr-only">{TEXT}</p><object>{OTHER}</object>', OTHER),
    ],
)
def test_the_likelier_kind_of_text_comes_first(markup: str, expected: str) -> None:
    assert chosen(markup) == [expected]


def test_short_shown_text_is_taken_where_nothing_else_is_prose() -> None:
    assert chosen('<p>Menu</p><div style="display:none"><p>Close</p></div>') == ["Menu"]


def test_a_notice_is_better_than_nothing() -> None:
    assert chosen(f"<noscript>{NOTICE}</noscript>") == [NOTICE]


def test_a_kind_is_enough_from_a_limit_on() -> None:
    sentence = "The ice on the lake is back, and so are the skaters of the town. "
    enough = (sentence * 10)[: int(ENOUGH_PROSE)].strip(" ") + "."
    short = sentence.strip()
    assert chosen(f"<p>{enough}</p><noscript><p>{OTHER}</p></noscript>") == [enough]
    assert chosen(f"<p>{short}</p><noscript><p>{OTHER}</p></noscript>") == [OTHER]


def test_thai_text_counts_without_spaces_and_full_stops() -> None:
    thai = "น้ำแข็งบนทะเลสาบกลับมาอีกครั้งหลังจากฤดูหนาวที่อบอุ่นสองปีเมืองได้เปิดเส้นทางสเก็ตเก่าอีกครั้ง" * 3
    assert chosen(f'<p>เมนู</p><div style="display:none"><p>{thai}</p></div>') == [thai]


def test_pages_of_open_tags_are_looked_at_in_linear_time() -> None:
    seconds = []
    for n in (20_000, 80_000):
        pages = ["<template " * n, "<iframe srcdoc=" * n, "<![CDATA[" * n, "<noframes>" * n, "<script type=" * n]
        documents = [read(Page(html=page + "<p>x"), Options(timeout_s=None)) for page in pages]
        assert all(document.title == "" for document in documents)  # the trees are built
        start = time.process_time()
        for document in documents:
            markup_beside_tree(document)
        seconds.append(time.process_time() - start)
    assert seconds[1] < 14 * seconds[0] + 0.5
