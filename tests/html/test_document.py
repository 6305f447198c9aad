"""Documents: lazy views of one page."""

import pytest

from webmain.clock import Deadline
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page, Reason, Rejected


def document(markup: str, url: str | None = None, **kw) -> Document:
    return Document(Page(url=url, html=markup), html=markup, **kw)


def test_views_are_made_when_first_asked_for():
    page = document("<title>T</title><p>x")
    assert not page.views
    assert page.lines.title == "T"
    assert not any(name.endswith(".tree") for name in page.views)
    assert default_blocks(page).of_unit is default_blocks(page).of_unit
    assert page.leaves is page.tree.leaves
    assert page.title == "T"


@pytest.mark.parametrize(
    ("markup", "has_data"),
    [
        ("<p title='a {b}'>script</p>", False),
        ("<p>x</p><SCRIPT>var a = {}</SCRIPT>", True),
        ("<script type='application/ld+json'>{}</script>", True),
        ("<div data-page=' &#123;&quot;a&quot;: 1}'></div>", True),
        ("<div hidden data-page='[1]'></div>", True),
    ],
)
def test_a_page_has_data_in_its_scripts_and_attributes(markup, has_data):
    assert document(markup).has_data is has_data


def test_source_and_text_are_made_of_each_other():
    assert document("é").source == "é".encode()
    assert Document(Page(body=b"x"), source=b"\xc3\xa9\xff").html == "é\ufffd"
    assert document("a\ud800b").source == b"a?b"


def test_site_is_the_registered_domain():
    assert document("x", "https://news.bbc.co.uk/a").site == "bbc.co.uk"
    assert document("x").site == ""


@pytest.mark.parametrize(
    ("head", "base"),
    [
        ("", "https://a.org/x/y"),
        ("<base href=/z/>", "https://a.org/z/"),
        ("<base href=https://b.org/>", "https://b.org/"),
        ("<base target=_top>", "https://a.org/x/y"),
    ],
)
def test_base_url(head, base):
    assert document(f"<head>{head}</head><p>x", "https://a.org/x/y").base_url == base


def test_base_in_the_body_is_ignored():
    assert document("<body><base href=/z/><p>x", "https://a.org/").base_url == "https://a.org/"


def test_anchors_have_an_href():
    page = document("<a>x</a><a href>y</a><a href=z>w</a>")
    assert [page.elements.attributes[i].get("href", "-") for i in page.anchors] == [None, "z"]


def test_views_give_up_past_the_deadline():
    page = document("<p>x" * 10, deadline=Deadline(0.0))
    for view in ("tree", "lines"):
        with pytest.raises(Rejected) as caught:
            getattr(page, view)
        assert caught.value.reason is Reason.TOO_SLOW


def test_its_repr_is_short():
    assert repr(document("<p>x", "https://a.org/")) == "Document(url='https://a.org/')"
    assert "1 blocks" in repr(default_blocks(document("<p>x")))
