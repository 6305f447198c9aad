"""Readers' comments below an article are no content."""

from __future__ import annotations

import numpy as np
import pytest

from webmain.features.comments import MIN_ABOVE, MIN_ARTICLE, MIN_MARGIN_ABOVE, effect_of_comments, thread_blocks
from webmain.features.manual_corrections import CERTAIN
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page

COMMENTS = np.array([False, True, True])
MARGIN = np.array([1.0, 2.0, -9.0])


def effect(*, margin=MARGIN, n_chars=(MIN_ABOVE, 500.0, 500.0), article=MIN_ARTICLE):
    return effect_of_comments(COMMENTS, np.array(margin), np.array(n_chars), article).tolist()


def test_comments_below_an_article_are_no_content():
    assert effect() == [0.0, -CERTAIN - 2.0, 0.0]


@pytest.mark.parametrize(
    "given",
    [
        {"article": MIN_ARTICLE - 0.01},
        {"n_chars": (MIN_ABOVE - 1, 500.0, 500.0)},
        {"margin": (MIN_MARGIN_ABOVE - 0.1, 2.0, -9.0)},
    ],
)
def test_comments_stay_in_forums_and_where_nothing_above_may_be_content(given):
    assert effect(**given) == [0.0, 0.0, 0.0]


def test_a_block_is_in_a_thread_if_all_of_it_is():
    html = "<p>Text and <span class=comment>a remark</span> of it.<div class=comments><p>One.<p>Two.</div>"
    assert thread_blocks(default_blocks(Document(Page(html=html), html=html))).tolist() == [False, True, True]


def test_a_forum_that_says_so_has_no_threads_of_comments():
    declared = '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>'
    html = f"{declared}<p>Text.<div class=comments><p>One.<p>Two.</div>"
    assert not thread_blocks(default_blocks(Document(Page(html=html), html=html))).any()
