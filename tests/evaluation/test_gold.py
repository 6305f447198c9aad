import base64
import gzip
import json

import pytest

from tests.evaluation.made_up import only, write
from webmain.evaluation import gold_records
from webmain.evaluation.gold import GoldError, read_gold
from webmain.evaluation.gold_records import DropReason

PAGE = {"id": "1", "html": "<p>Some text", "text": "Some text"}


def write_lines(file, *records):
    data = b"".join(r if isinstance(r, bytes) else json.dumps(r).encode() + b"\n" for r in records)
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
    return file


# --- JSON lines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz", "NEWS.JSONL"])
def test_all_fields_of_a_json_line_are_read(tmp_path, name):
    record = PAGE | {
        "dataset": "news",
        "url": "https://www.example.co.uk/a",
        "lang": "en",
        "page_type": "article",
        "category": "sport",
        "period": "2005",
        "with": ["Some", " "],
        "without": ["Share"],
        "comments_gold": "First!",
        "title": None,
    }
    gold = read_gold(write_lines(tmp_path / name, record))
    page = only(gold)
    assert (page.id, page.dataset, page.html, page.text) == ("1", "news", "<p>Some text", "Some text")
    assert (page.url, page.site) == ("https://www.example.co.uk/a", "example.co.uk")
    assert (page.language, page.page_type, page.category, page.period) == ("en", "article", "sport", "2005")
    assert (page.wanted, page.unwanted, page.comments) == (("Some",), ("Share",), "First!")
    assert str(gold.dropped) == "nothing dropped"


@pytest.mark.parametrize(("stated", "language"), [("zh-TW", "zh"), ("EN_us", "en"), ("english", ""), (None, "")])
def test_languages_are_told_by_their_codes_without_regions(tmp_path, stated, language):
    assert only(read_gold(write_lines(tmp_path / "x.jsonl", PAGE | {"lang": stated}))).language == language


def test_lines_in_another_encoding_than_utf_8_are_left_out_all_of_them(tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_bytes("".join(json.dumps(PAGE | {"id": str(n)}) + "\n" for n in range(4)).encode("utf-16"))
    gold = read_gold(file)
    assert list(gold) == []
    assert gold.dropped.counts[DropReason.NOT_JSON] == 5  # as many lines as bytes of line feeds
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(PAGE).encode())
    assert only(read_gold(file)).id == "1"


def test_raw_bytes_go_before_the_text_of_a_page(tmp_path):
    raw = "<p>ข่าว".encode("cp874")
    file = write_lines(tmp_path / "x.jsonl", PAGE | {"html_b64": base64.b64encode(raw).decode()})
    assert only(read_gold(file)).html == raw


def test_a_page_of_segments_only_has_no_text(tmp_path):
    file = write_lines(
        tmp_path / "x.jsonl", PAGE | {"text": None, "with": ["a"]}, {**PAGE, "id": 2, "text": "", "without": ["b"]}
    )
    assert [(page.id, page.text) for page in read_gold(file)] == [("1", None), ("2", None)]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"{broken\n", DropReason.NOT_JSON),
        (b"[1, 2]\n", DropReason.NOT_JSON),
        (b"[" * 200_000 + b"\n", DropReason.NOT_JSON),
        (b"\xff\xfe{}\n", DropReason.NOT_JSON),
        (PAGE | {"text": None}, DropReason.NO_GOLD),
        ({"id": "3", "html": "<p>"}, DropReason.NO_GOLD),
        (PAGE | {"text": " \n"}, DropReason.EMPTY_GOLD),
        (PAGE | {"html": ""}, DropReason.NO_PAGE),
        ({"id": "3", "text": "a"}, DropReason.NO_PAGE),
        (PAGE | {"text": ["a"]}, DropReason.BAD_FIELD),
        (PAGE | {"with": "a"}, DropReason.BAD_FIELD),
        (PAGE | {"without": [1]}, DropReason.BAD_FIELD),
        (PAGE | {"html_b64": "no base64!"}, DropReason.BAD_FIELD),
        (PAGE | {"url": {"a": 1}}, DropReason.BAD_FIELD),
        (PAGE | {"id": True}, DropReason.BAD_FIELD),
        (PAGE, DropReason.DUPLICATE),
    ],
)
def test_a_bad_record_is_dropped_with_its_reason_and_the_others_stay(tmp_path, record, reason):
    gold = read_gold(write_lines(tmp_path / "x.jsonl", PAGE, record, {**PAGE, "id": "9"}))
    assert [page.id for page in gold] == ["1", "9"]
    assert gold.dropped.counts == {reason: 1}
    assert gold.dropped.examples[reason]
    assert str(reason) in str(gold.dropped)


def test_a_line_over_the_limit_is_dropped(tmp_path, monkeypatch):
    monkeypatch.setattr(gold_records, "MAX_RECORD_BYTES", 100)
    file = write_lines(tmp_path / "x.jsonl", PAGE, PAGE | {"html": "x" * 500}, {**PAGE, "id": "3"})
    gold = read_gold(file)
    assert [page.id for page in gold] == ["1", "3"]
    assert gold.dropped.examples == {DropReason.TOO_LARGE: "x.jsonl:2"}


def test_a_file_cut_off_gives_the_pages_before_the_cut(tmp_path):
    file = write_lines(
        tmp_path / "x.jsonl.gz", *({**PAGE, "id": str(n), "html": str(n * 7919) * 50} for n in range(500))
    )
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    gold = read_gold(file)
    assert 0 < gold.n_pages < 500
    assert gold.dropped.counts == {DropReason.UNREADABLE: 1}


def test_lone_surrogates_do_not_reach_a_page(tmp_path):
    page = only(read_gold(write_lines(tmp_path / "x.jsonl", PAGE | {"text": "a\ud800", "html": "\udfff"})))
    assert (page.text + page.html).encode() == "a\ufffd\ufffd".encode()


def test_a_folder_of_json_lines_leaves_other_json_lines_out_as_a_whole(tmp_path):
    write_lines(tmp_path / "a.jsonl", PAGE)
    write_lines(tmp_path / "b.jsonl.gz", PAGE)
    write_lines(tmp_path / "scores.jsonl", {"id": "1", "f1": 1.0}, {"id": "2", "f1": 1.0})
    gold = read_gold(tmp_path)
    assert [(page.dataset, page.id) for page in gold] == [("a", "1"), ("b", "1")]
    assert gold.dropped.counts == {DropReason.NOT_GOLD: 1}


# --- several, again, digests -----------------------------------------------------------------------------------------


def test_several_places_are_read_in_order(tmp_path):
    one = write_lines(tmp_path / "one.jsonl", PAGE)
    write(tmp_path / "two" / "a.html", "<p>a")
    write(tmp_path / "two" / "a.txt", "a")
    gold = read_gold([tmp_path / "two", str(one)])
    assert [page.dataset for page in gold] == ["two", "one"]
    assert [form for _, form in gold.sources] == ["folder", "jsonl"]


def test_gold_can_be_read_again_and_a_reading_that_stops_early_counts_nothing(tmp_path):
    gold = read_gold(write_lines(tmp_path / "x.jsonl", PAGE, b"{\n", {**PAGE, "id": "2"}))
    next(iter(gold))
    assert gold.n_pages == 2
    assert list(gold) == list(gold)
    assert gold.dropped.counts == {DropReason.NOT_JSON: 1}


@pytest.mark.parametrize(
    "other",
    [
        [{**PAGE, "text": "Some texts"}],
        [{**PAGE, "html": "<p>Some texts"}],
        [{**PAGE, "id": "2"}],
        [{**PAGE, "with": ["Some"]}],
        [{**PAGE, "without": ["Some"]}],
        [{**PAGE, "text": None, "with": ["Some"]}],
        [{**PAGE, "url": "http://a.example/1"}],
        [{**PAGE, "site": "a.example"}],
        [{**PAGE, "period": "2005"}],
        [{**PAGE, "lang": "th"}],
        [{**PAGE, "page_type": "forum"}],
        [{**PAGE, "category": "sport"}],
        [{**PAGE, "comments_gold": "First!"}],
        [{**PAGE, "html": None, "html_b64": base64.b64encode(PAGE["html"].encode()).decode()}],
        [PAGE, {**PAGE, "id": "2"}],
        [],
    ],
)
def test_the_digest_changes_with_anything_that_is_measured(tmp_path, other):
    first = read_gold(write_lines(tmp_path / "x.jsonl", PAGE))
    second = read_gold(write_lines(tmp_path / "y.jsonl", *(record | {"dataset": "x"} for record in other)))
    assert len(first.digest) == 64
    assert first.digest != second.digest


def test_the_digest_is_that_of_the_content_and_its_order(tmp_path):
    two = {**PAGE, "id": "2"}
    plain = read_gold(write_lines(tmp_path / "x.jsonl", PAGE, two)).digest
    assert read_gold(write_lines(tmp_path / "x.jsonl.gz", PAGE, b"\n", b"{}\n", two | {"note": 1})).digest == plain
    assert read_gold(write_lines(tmp_path / "z.jsonl", *({"dataset": "x"} | r for r in (two, PAGE)))).digest != plain


# --- WCXB ------------------------------------------------------------------------------------------------------------


def wcxb_record(**truth):
    return {
        "schema_version": "2.0",
        "url": "https://example.com/a",
        "file_id": "0001",
        "_internal": {"page_type": {"primary": "category", "confidence": "verified"}},
        "ground_truth": {"title": None, "main_content": "Some text", "with": ["Some"], "without": ["Share"]} | truth,
    }


def write_wcxb(folder, name="0001", page="<p>Some text – é", **truth):
    write(folder / "ground-truth" / f"{name}.json", json.dumps(wcxb_record(**truth) | {"file_id": name}))
    write(folder / "html" / f"{name}.html.gz", page)


def test_wcxb_is_read_as_published(tmp_path):
    write_wcxb(tmp_path / "dev")
    write_wcxb(tmp_path / "test", "0002")
    write(tmp_path / "metadata.json", "{}")
    gold = read_gold(tmp_path)
    first, second = gold
    assert gold.sources[0][1] == "wcxb"
    assert (first.dataset, second.dataset, second.id) == ("wcxb_dev", "wcxb_test", "0002")
    assert (first.id, first.html, first.text) == ("0001", "<p>Some text – é", "Some text")
    assert (first.site, first.page_type) == ("example.com", "collection")
    assert (first.wanted, first.unwanted) == (("Some",), ("Share",))
    assert [page.id for page in read_gold(tmp_path / "test")] == ["0002"]


def test_wcxb_pages_that_are_not_utf8_stay_bytes(tmp_path):
    raw = "<p>ข่าว".encode("cp874")
    write_wcxb(tmp_path, page=raw)
    assert only(read_gold(tmp_path)).html == raw


def test_wcxb_records_that_cannot_be_used_are_dropped(tmp_path):
    write_wcxb(tmp_path)
    write_wcxb(tmp_path, "0002")
    (tmp_path / "html" / "0002.html.gz").unlink()
    write_wcxb(tmp_path, "0003", main_content="", **{"with": None, "without": []})
    write(tmp_path / "ground-truth" / "0004.json", '{"ground_truth": "none"}')
    write(tmp_path / "ground-truth" / "0005.json", "nothing")
    write_wcxb(tmp_path, "0006")
    (tmp_path / "html" / "0006.html.gz").write_bytes(b"no gzip")
    write_wcxb(tmp_path, "0007", page="")
    gold = read_gold(tmp_path)
    assert [page.id for page in gold] == ["0001"]
    assert gold.dropped.counts == {
        DropReason.NO_PAGE: 2,
        DropReason.EMPTY_GOLD: 1,
        DropReason.NO_GOLD: 1,
        DropReason.NOT_JSON: 1,
        DropReason.UNREADABLE: 1,
    }
    assert gold.dropped.examples[DropReason.NO_PAGE].startswith("0002.json")


# --- where nothing is found ------------------------------------------------------------------------------------------


def test_a_missing_path_is_an_error_that_names_it(tmp_path):
    with pytest.raises(GoldError, match="nowhere"):
        read_gold(tmp_path / "nowhere")


def test_an_unknown_layout_is_an_error_that_names_what_was_looked_for(tmp_path):
    write(tmp_path / "notes.md", "nothing here")
    with pytest.raises(GoldError, match=r"\.jsonl.*ground-truth.*GoldStandard.*NAME\.txt"):
        read_gold(tmp_path)
    with pytest.raises(GoldError, match="known format"):
        read_gold(tmp_path / "notes.md")
