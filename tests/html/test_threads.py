"""Threads of readers' comments, found by class, id and itemprop."""

from __future__ import annotations

import numpy as np
import pytest

from webmain.html.document import Document
from webmain.html.names import MAX_CLASS_CHARS
from webmain.html.threads import thread_leaves
from webmain.items import Page

SAID = "Somebody wrote this."
TEXT = "Text of the article, as it goes on. " * 5


def in_thread(markup: str) -> list[str]:
    page = Document(Page(html=markup), html=markup)
    leaves = page.leaves
    return [leaves.texts[i] for i in np.flatnonzero(thread_leaves(page, leaves.n_chars))]


@pytest.mark.parametrize(
    "box",
    [
        "id=comments",
        "class=commentbody",
        "class='post-comment by-jane'",
        "class=KOMMENTARE",
        "class=komentarze",
        "id=yorumlar",
        "itemprop=comment",
    ],
)
def test_an_element_called_comments_is_a_thread(box):
    assert in_thread(f"<p>{TEXT}</p><div {box}>{SAID}</div>") == [SAID]


@pytest.mark.parametrize(
    "box",
    [
        "class=comment-count",
        "class=has-commentary",
        "class=comments-open",
        "class=comment-form",
        f"class='{'x' * MAX_CLASS_CHARS} comments'",
    ],
)
def test_other_names_are_of_no_thread(box):
    assert not in_thread(f"<p>{TEXT}</p><div {box}>{SAID}</div>")


def test_half_of_the_text_is_no_thread_unless_its_name_is_clear():
    assert not in_thread(f"<p>{SAID}</p><div class=comment-box>{TEXT}</div>")
    assert in_thread(f"<p>{SAID}</p><div class=comments>{TEXT}</div>")


def test_comments_within_what_is_no_thread_are_found():
    boxes = "".join(f"<div class=comment-item>{n} {SAID}</div>" for n in range(9))
    assert len(in_thread(f"<p>{SAID}</p><div class=comments-box>{boxes}</div>")) == 9


def test_an_element_with_the_headline_is_no_thread():
    assert not in_thread(f"<div class=comments><h1>Ferry late</h1><p>{TEXT}</p></div>")
