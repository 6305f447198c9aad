"""Captions and comments beside the kept text, and source lines found again in the tree."""

from __future__ import annotations

import numpy as np
import pytest

from webmain.article.regions import (
    MAX_CAPTION_CHARS,
    MIN_COMMENT_CHARS,
    MIN_TEXT_CHARS,
    comment_leaves,
    leaves_of_lines,
    region,
    with_captions,
    with_gallery,
)
from webmain.html.document import Document
from webmain.items import Page

TEXT = "Text of the article, as it goes on and on. " * 5
SAID = "Somebody wrote this below the article."


def document(markup: str) -> Document:
    return Document(Page(html=markup), html=markup)


def kept_in(page: Document, tag: str = "p") -> np.ndarray:
    elements = page.elements
    return np.array([tag in [elements.tags[a] for a in elements.ancestors(e)] for e in page.leaves.element], dtype=bool)


def texts(page: Document, mask: np.ndarray) -> list[str]:
    return [page.leaves.texts[i] for i in np.flatnonzero(mask)]


def comments(box: str, inner: str = f"<div>{SAID}</div>") -> list[str]:
    page = document(f"<body><article><p>{TEXT}</p><p>{TEXT}</p></article><{box}>{inner}</{box.split()[0]}></body>")
    return texts(page, comment_leaves(page, kept_in(page)))


@pytest.mark.parametrize(
    "box",
    [
        "div id=comments",
        "ol class=commentlist",
        "div id=disqus_thread",
        "div class='user-comment-list wide'",
        "div class=kommentare",
    ],
)
def test_boxes_called_comments_hold_comments(box):
    assert comments(box) == [SAID]


@pytest.mark.parametrize(
    "box",
    [
        "div class=comment-count",
        "div id=commentform",
        "div class=comments-closed",
        "form class=comments",
        f"div class='{'x' * 500} comments'",
    ],
)
def test_boxes_called_otherwise_do_not(box):
    assert comments(box) == []


def test_buttons_forms_headings_and_links_alone_are_no_comments():
    inner = f"<h3>Two comments so far, all of them here</h3><div>{SAID}</div><a href=#r>Reply</a>"
    inner += "<form>Name</form><span hidden>x</span>"
    assert comments("div id=comments", inner) == [SAID]


@pytest.mark.parametrize(("n", "found"), [(MIN_COMMENT_CHARS - 1, 0), (MIN_COMMENT_CHARS, 1)])
def test_words_around_comments_are_none(n, found):
    assert len(comments("div id=comments", "<div>" + "x" * n)) == found


@pytest.mark.parametrize(("n", "moved"), [(MIN_TEXT_CHARS - 1, False), (MIN_TEXT_CHARS, True)])
def test_comments_that_were_kept_are_told_if_text_is_left(n, moved):
    page = document(f"<body><p>{'x' * n}</p><div id=comments>" + f"<p>{SAID}</p>" * 20 + "</div>")
    assert comment_leaves(page, kept_in(page)).any() == moved


def test_a_box_that_holds_the_text_is_no_thread():
    page = document(f"<body class=has-comments><div class=post-comments-open><p>{TEXT}</p></div></body>")
    assert not comment_leaves(page, kept_in(page)).any()


def captions(markup: str) -> list[str]:
    page = document(markup)
    kept = kept_in(page)
    return texts(page, with_captions(page, kept) & ~kept)


def test_captions_inside_the_text_are_added():
    markup = (
        f"<body><div><figcaption>far away</figcaption>{'x' * 400}</div>"
        f"<article><p>{TEXT}<figure><figcaption>near</figcaption>"
        f"</figure><p>{TEXT}<div class=photo-caption>class</div><table><caption>table</caption></table><p>{TEXT}</article>"
        "<footer><figcaption>outside</figcaption></footer>"
    )
    assert captions(markup) == ["near", "class", "table"]


@pytest.mark.parametrize(("n", "found"), [(MAX_CAPTION_CHARS, 1), (MAX_CAPTION_CHARS + 1, 0)])
def test_long_text_is_no_caption(n, found):
    assert len(captions(f"<article><p>{TEXT}<div class=caption>{'x' * n}</div><p>{TEXT}</article>")) == found


def test_hidden_captions_are_not_added():
    assert captions(f"<article><p>{TEXT}<figcaption hidden>x</figcaption><p>{TEXT}</article>") == []


def test_no_text_has_no_captions():
    page = document("<figcaption>x</figcaption>")
    nothing = np.zeros(1, dtype=bool)
    assert not with_captions(page, nothing).any()


def test_region_is_the_lowest_box_with_nearly_all_of_the_text():
    page = document(f"<body><div><main><p>{TEXT}</p><p>{TEXT}</p></main><p>x</p></div></body>")
    first, end = region(page.elements, page.leaves, kept_in(page))
    assert page.elements.tags[first] == "main"
    assert page.elements.tags[first + 1 : end] == ["p", "p"]


def test_source_lines_are_found_in_the_tree():
    page = document(
        f"<body><nav><a>Home</a></nav><div hidden>{TEXT}</div>\n<p>One <b>two</b>\nthree</p><p>Home</p><ul><li>four</ul>"
    )
    lines = page.lines.texts
    wanted = np.array([i for i, line in enumerate(lines) if line in ("One two", "three", "four")])
    owner = np.arange(len(lines), dtype=np.int32)
    found = leaves_of_lines(page, wanted, owner)
    assert texts(page, found >= 0) == ["One", "two", "three", "four"]
    last = page.leaves.texts.index("four")
    assert lines[found[last]] == "four"


def figures(
    n: int, caption: str = "A caption that says in a sentence or two what can be seen here.", box: str = ""
) -> str:
    one = f"<figure><img src=a.jpg><figcaption>{{}}: {caption}</figcaption><small>Photograph: somebody</small></figure>"
    return "".join(f"<{box}>{one}</{box}>".replace("<></>", "").format(i) if box else one.format(i) for i in range(n))


@pytest.mark.parametrize("box", ["", "li", "div"])
@pytest.mark.parametrize(("n", "is_gallery"), [(3, False), (4, True), (12, True)])
def test_captions_are_the_text_of_a_gallery_and_nothing_else_of_its_pictures(n, is_gallery, box):
    page = document(f"<main><p>Some words before the pictures.</p><ul>{figures(n, box=box)}</ul></main>")
    kept = np.array([not text.startswith(tuple("0123456789")) for text in page.leaves.texts])
    found = texts(page, with_gallery(page, kept))
    assert found[0] == "Some words before the pictures."
    assert len(found) == n + 1
    assert all(text.startswith("Photograph") != is_gallery for text in found[1:])


@pytest.mark.parametrize(
    "markup",
    [
        f"<p>{TEXT * 2}</p>{figures(5)}",
        "<p>Some words.</p>"
        + figures(5, "<a href=b>A caption that leads to another page, as those of teasers do.</a>"),
        "<p>Some words.</p>" + figures(5, "Short"),
        "<p>Some words.</p>" + "".join(f"<p>{i} of the text</p>{figures(1)}".replace("0:", "") for i in range(3)),
    ],
)
def test_other_pages_with_captions_are_no_galleries(markup):
    page = document(f"<main>{markup}</main>")
    kept = kept_in(page)
    assert with_gallery(page, kept) is kept
