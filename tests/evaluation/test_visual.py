import gzip
import json

import pytest

from webmain.evaluation import visual
from webmain.evaluation.gold import GoldError
from webmain.evaluation.visual import read_rendered
from webmain.features.site_blocks import concatenate


def block(**changes):
    record = {
        "text": ["First ", "words\n of it"],
        "path": ["div", "p"],
        "selector": [{"name": "div", "id": "x", "classes": ["story", "main"]}, {"name": "p", "id": "", "classes": []}],
        "computed": {"color": "rgb(0, 0, 0)", "font-size": "16px", "width": "9px"},
        "bound": {"left": 10, "top": 20.5, "width": 600, "height": 48},
        "html": "First <b>words</b> of it",
    }
    return record | changes


def page(**changes):
    record = {
        "id": "a/0",
        "site": "a",
        "url": "http://a.example/0",
        "titles": ["T"],
        "descriptions": [" A  lead. ", "A lead.", "Another."],
        "ref": "First words of it",
        "blocks": [block()],
    }
    return record | changes


@pytest.fixture
def written(tmp_path):
    def write(*records, name="rendered.jsonl", packed=False):
        data = b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in records)
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if packed else data)
        return path

    return write


def test_block_becomes_text_paths_and_properties(written):
    (only,), dropped = read_rendered(written(page()))
    assert dropped == ()
    blocks = only.blocks
    assert (blocks.texts, blocks.tag_paths) == (("First words of it",), ("html/body/div/p",))
    assert blocks.selectors == ("html/body/div.main.story/p",)
    rectangle = {"left": 10.0, "top": 20.5, "width": 600.0, "height": 48.0}
    assert blocks.visual == ({"color": "rgb(0, 0, 0)", "font-size": "16px", **rectangle},)
    assert blocks.descriptions == (("A lead.", "Another."),)
    assert only.reference == "First words of it"


def test_compression_is_known_by_the_first_bytes_and_not_by_the_name(written):
    assert len(read_rendered(written(page(), name="rendered.data", packed=True))[0]) == 1
    assert len(read_rendered(written(page(), name="rendered.gz", packed=False))[0]) == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{not json", "lines that are not JSON"),
        (b"[]", "records without a list of blocks"),
        (page(blocks={}), "records without a list of blocks"),
        (page(id=None), "records without id or site"),
        (page(), "pages with the id of an earlier one"),
    ],
)
def test_line_that_is_no_page_is_counted_with_its_reason(written, line, reason):
    pages, dropped = read_rendered(written(page(), line, page(id="a/1")))
    assert [p.id for p in pages] == ["a/0", "a/1"]
    assert dropped == (f"dropped 1: {reason}",)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("text", "blocks that are not objects"),
        (block(text=["\n ", " "]), "blocks without text"),
        (block(path=[]), "blocks without path, rectangle or computed style"),
        (block(bound={"left": 1, "top": 2, "width": 3}), "blocks without path, rectangle or computed style"),
        (block(bound=dict.fromkeys(visual.RECTANGLE, 10**400)), "blocks without path, rectangle or computed style"),
        (block(computed=[]), "blocks without path, rectangle or computed style"),
    ],
)
def test_bad_block_is_counted_and_its_page_kept(written, bad, reason):
    (only,), dropped = read_rendered(written(page(blocks=[block(), bad, block()])))
    assert len(only.blocks) == 2
    assert dropped == (f"dropped 1: {reason}",)


@pytest.mark.parametrize(
    ("changes", "share"),
    [
        ({"html": "no link"}, 0.0),
        ({"html": "12345<a href=x>67890</a>"}, 0.5),
        ({"html": "<A>all</A>"}, 1.0),
        ({"html": "no link", "path": ["div", "a", "span"]}, 1.0),
        ({"html": "\ud800<a>x</a>"}, 0.5),
    ],
)
def test_share_of_text_in_anchors(written, changes, share):
    (only,), _ = read_rendered(written(page(blocks=[block(**changes)])))
    assert only.blocks.anchor_share.tolist() == [share]


def test_blocks_over_the_limit_are_cut_and_reported(written, monkeypatch):
    monkeypatch.setattr(visual, "MAX_BLOCKS", 2)
    (only,), dropped = read_rendered(written(page(blocks=[block()] * 5)))
    assert len(only.blocks) == 2
    assert dropped == ("dropped 3: blocks after the first 2 of a page",)


def test_file_cut_short_gives_its_first_pages(written):
    path = written(*[page(id=str(i), url=f"http://a.example/{i * 7919}") for i in range(500)], packed=True)
    path.write_bytes(path.read_bytes()[:-60])
    pages, dropped = read_rendered(path)
    assert 0 < len(pages) < 500
    assert dropped[-1].startswith("dropped 1: rest of the file after")


def test_unreadable_file_is_a_clear_error(tmp_path):
    with pytest.raises(GoldError, match=r"missing\.jsonl: cannot read"):
        read_rendered(tmp_path / "missing.jsonl")
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8bnot gzip at all")
    with pytest.raises(GoldError, match=r"broken\.gz: cannot read"):
        read_rendered(tmp_path / "broken.gz")


def test_pages_side_by_side_keep_their_numbers_and_gaps(written):
    records = [page(id="a/0", ref=" "), page(id="a/1", blocks=[]), page(id="b/0", site="b", blocks=[block(), block()])]
    blocks = concatenate([each.blocks for each in read_rendered(written(*records))[0]])
    assert blocks.page.tolist() == [0, 2, 2]
    assert blocks.n_pages == 3
    assert blocks.sites == ("a", "a", "b")
    assert len(blocks.texts) == len(blocks.tag_paths) == len(blocks.selectors) == len(blocks.visual) == 3
