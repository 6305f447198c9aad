"""Values of metadata: what is markup in them, and what are the names of tags that the page writes about."""

import json

import pytest

import webmain
from webmain.metadata.values import clean

TEXT = "<p>The keeper of the lighthouse counted the ships twice each morning, and wrote both numbers into his book.</p>"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("How to use the <div> element", "How to use the <div> element"),
        ("How to use the &lt;p&gt; element", "How to use the <p> element"),
        ("Rc<T>, the reference counted pointer", "Rc<T>, the reference counted pointer"),
        ("List<T extends Comparable<T>>", "List<T extends Comparable<T>>"),
        ("Half a tag </b>", "Half a tag </b>"),
        ("How to <em>use</em> it", "How to use it"),
        ("How to &amp;lt;B&amp;gt;use&amp;lt;/b&amp;gt; the <div>", "How to use the <div>"),
        ('<p>On <a href="/">boats</a>', "On boats"),
        ("Boats - <p>They were", "Boats - They were"),
        ("Boats<br/>and<BR>ships", "Boats and ships"),
        ("Boats <img src=/a.jpg alt=a> and ships", "Boats and ships"),
    ],
)
def test_tags_are_left_out_and_their_names_are_not(value, expected):
    assert clean(value) == expected


@pytest.mark.parametrize("word", ["&lt;div&gt;", "&lt;br&gt;", "&lt;b&gt;bold&lt;/b&gt;"])
def test_heading_is_the_title_as_it_is_shown(word):
    found = webmain.extract(f"<h1>How to use {word} here</h1>{TEXT}")
    assert (
        found.title == found.sources["title"].raw == f"How to use {word} here".replace("&lt;", "<").replace("&gt;", ">")
    )


TITLE = "How to use the <div> element"
ESCAPED = TITLE.replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize(
    "markup",
    [
        f"<title>{ESCAPED}</title>",
        f"<title>{ESCAPED} | Lighthouse</title><h1>{ESCAPED}</h1>",
        f'<meta property="og:title" content="{ESCAPED.replace("the", "&lt;b&gt;the&lt;/b&gt;")}">',
        f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", "headline": TITLE})}</script>',
    ],
    ids=["title", "both", "meta", "json-ld"],
)
def test_name_of_a_tag_in_the_title_stays_wherever_it_is_read(markup):
    assert webmain.extract(markup + TEXT).title == TITLE
