"""Renderings as bytes and on pages, in recordings too; without a browser."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.archive.recording import WarcIndex, WarcWriter
from webmain.archive.warc import Skip, read_captures, read_pages
from webmain.extraction import read
from webmain.features.site_blocks import read_documents
from webmain.items import Page
from webmain.items.rendered import MAX_BOXES, Box, Rendering, RenderingError, decode, encode

HTML = f'<!DOCTYPE html><body><h1 data-webmain-box="0">Tides</h1><p data-webmain-box="1">{"High. " * 20}</p></body>'
RENDERING = Rendering(1280, 1024, ({"font-size": "40px"}, {}), (Box(0, 8, 8.5, 1264, 47), Box(1, 8, 70, 640, 90)))
DATA = encode(HTML, RENDERING)

sizes = st.floats(-1e9, 1e9)
styles = st.dictionaries(st.sampled_from(["color", "font-size", "z-index"]), st.text(max_size=20), max_size=3)


@given(
    st.text(st.characters(codec="utf-8")), st.lists(styles, min_size=1), st.lists(st.tuples(sizes, sizes, sizes, sizes))
)
def test_what_is_encoded_is_decoded(html, looks, places):
    rendering = Rendering(800, 600, tuple(looks), tuple(Box(len(looks) - 1, *place) for place in places))
    assert decode(encode(html, rendering)) == (html, rendering)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "other"}, "format"),
        ({"version": 2}, "format"),
        ({"html": None}, "markup"),
        ({"styles": {"color": "red"}}, "no rendering"),
        ({"styles": [{"color": 1}]}, "color"),
        ({"styles": [{"Color": "red"}]}, "Color"),
        ({"boxes": [[7, 0, 0, 0, 0]]}, "style 7"),
        ({"boxes": [[-1, 0, 0, 0, 0]]}, "style -1"),
        ({"boxes": [[0, 0, 0, 0]]}, "no rendering"),
        ({"boxes": [[0, "1", 0, 0, 0]]}, "length"),
        ({"boxes": [[0, float("nan"), 0, 0, 0]]}, "length"),
        ({"boxes": [[0, True, 0, 0, 0]]}, "length"),
        ({"width": "wide"}, "length"),
    ],
)
def test_damaged_renderings_are_refused_with_a_reason(change, why):
    with pytest.raises(RenderingError, match=why):
        decode(json.dumps({**json.loads(DATA), **change}).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{}", b"\xff", b"[" * 100_000])
def test_other_bytes_are_refused(data):
    with pytest.raises(RenderingError):
        decode(data)


def test_what_is_too_much_is_cut():
    values = {**json.loads(DATA), "boxes": [[0, 1, 1, 1, 1]] * (MAX_BOXES + 5), "styles": [{"color": "x" * 1000}]}
    _, found = decode(json.dumps(values).encode())
    assert len(found.boxes) == MAX_BOXES
    assert len(found.styles[0]["color"]) == 120


@pytest.mark.parametrize("mark", [None, "", "2", "-1", "1 ", "²", "9" * 30])
def test_marks_that_are_no_blocks_have_no_properties(mark):
    assert RENDERING.visual(mark) is None


def test_blocks_have_the_properties_of_their_marks():
    page = Page(url="https://paper.example/", body=b"<div id=root></div>").drawn(DATA)
    assert (page.html, page.body, page.rendering) == (HTML, None, RENDERING)
    blocks = read_documents([read(page)])
    assert [each["width"] for each in blocks.visual] == [1264, 640]
    assert blocks.visual[0]["font-size"] == "40px"
    assert read_documents([read(page), read(Page(html="<p>not drawn</p>"))]).visual is None


def test_a_block_without_a_mark_has_the_properties_of_the_one_around_it():
    html = (
        '<body data-webmain-box="0"><div data-webmain-box="1"><p>own</p></div><p>no</p><p data-webmain-box="x">no</p>'
    )
    blocks = read_documents([read(Page().drawn(encode(html, RENDERING)))])
    assert [each["width"] for each in blocks.visual] == [640, 1264, 1264]
    assert read_documents([read(Page().drawn(encode("<p>none</p>", RENDERING)))]).visual == ({},)


# ---- Recordings


def recorded(tmp_path, *pages):
    path = tmp_path / "r.warc.gz"
    with WarcWriter(path) as writer:
        for url, rendering in pages:
            writer.write(url, 200, [("Content-Type", "text/html")], b"<p>as it came</p>", rendering=rendering)
    return path


def test_a_recording_keeps_renderings_with_their_pages(tmp_path):
    path = recorded(tmp_path, ("https://a.example/", None), ("https://b.example/", DATA), ("https://c.example/", None))
    skipped = []
    pages = list(read_pages(path, on_skip=lambda reason, url: skipped.append(reason)))
    assert [(page.url, page.rendering) for page in pages] == [
        ("https://a.example/", None),
        ("https://b.example/", RENDERING),
        ("https://c.example/", None),
    ]
    assert pages[1].html == HTML
    assert skipped == [Skip.NOT_RESPONSE]  # warcinfo
    index = WarcIndex([path])
    assert index.lookup("https://b.example/").rendering == DATA
    assert index.lookup("https://c.example/").rendering is None


def test_the_rendering_may_be_the_last_record(tmp_path):
    assert [page.rendering for page in read_pages(recorded(tmp_path, ("https://a.example/", DATA)))] == [RENDERING]


def test_a_damaged_rendering_leaves_the_page_as_it_came(tmp_path):
    path = recorded(tmp_path, ("https://a.example/", b"[]"), ("https://b.example/", DATA))
    pages = list(read_pages(path))
    assert [page.rendering for page in pages] == [None, RENDERING]
    assert pages[0].body == b"<p>as it came</p>"
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(path.read_bytes()[:-300])
    assert [page.rendering for page in read_pages(cut)] == [None, None]


def test_a_rendering_of_another_page_is_not_taken(tmp_path):
    one, two = (recorded(tmp_path / name, (f"https://{name}.example/", DATA)) for name in "ab")
    members = [list(zip_members(path)) for path in (one, two)]
    mixed = tmp_path / "mixed.warc.gz"
    mixed.write_bytes(members[0][0] + members[0][1] + members[1][2])
    with mixed.open("rb") as stream:
        assert [capture.rendering for _, capture in read_captures(stream)] == [None]


def zip_members(path):
    data = path.read_bytes()
    starts = [i for i in range(len(data)) if data.startswith(b"\x1f\x8b\x08\x00\x00\x00\x00\x00", i)]
    yield from (data[a:b] for a, b in zip(starts, [*starts[1:], len(data)], strict=True))
