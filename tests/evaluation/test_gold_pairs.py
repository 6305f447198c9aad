import json
import time

import pytest

from tests.evaluation.made_up import only, write
from webmain.evaluation import gold_pairs
from webmain.evaluation.gold import read_gold
from webmain.evaluation.gold_pairs import plain_cleaneval_text, unwrap
from webmain.evaluation.gold_records import DropReason

WRAPPED = (
    '<text id="http://news.example.com/a.htm" title="A "quoted" > title" encoding="{}">\r\n'
    "<html><p>{}</html>\n</text>\n"
)
GOLD = (
    "URL: http://news.example.com/a.htm\n\n   <h>A heading\n\n"
    "<p>A long paragraph\n   that was wrapped\n<l>   * One\n<l>* Two\n"
)


# --- CleanEval -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("input/1.html", "GoldStandard/1.txt"),
        ("finalrun-input/1.html", "GoldStandard/1.txt"),
        ("en_original/1.html", "en_cleaned/1-cleaned.txt"),
        ("1.html", "1-cleaned.txt"),
        ("1.html", "1.txt"),
    ],
)
def test_cleaneval_is_recognised_in_all_its_layouts(tmp_path, page, text):
    write(tmp_path / page, WRAPPED.format("unset", "x"))
    write(tmp_path / text, GOLD)
    gold = read_gold(tmp_path)
    found = only(gold)
    assert gold.sources[0][1] == "cleaneval"
    assert (found.id, found.dataset) == ("1", tmp_path.name)
    assert found.html == "<html><p>x</html>\n"
    assert found.text == "A heading\nA long paragraph that was wrapped\n* One\n* Two"
    assert (found.url, found.site) == ("http://news.example.com/a.htm", "example.com")
    assert found.language == ("en" if page.startswith("en") else "")


@pytest.mark.parametrize(
    ("word", "encoding", "declared"),
    [
        ("naïve", "utf-8", "iso-8859-1"),
        ("“déjà vu”", "cp1252", "unset"),
        ("déjà", "cp1252", "unknown- "),
        ("Όχι", "iso8859-7", "iso-8859-7"),
        ("мир", "koi8-r", "koi8-r"),
    ],
)
def test_cleaneval_pages_are_decoded_by_their_bytes_and_the_wrapper(tmp_path, word, encoding, declared):
    write(tmp_path / "input" / "1.html", WRAPPED.format(declared, word).encode(encoding))
    write(tmp_path / "GoldStandard" / "1.txt", GOLD)
    assert word in only(read_gold(tmp_path)).html


def test_cleaneval_gold_has_marks_of_byte_order_and_windows_line_ends(tmp_path):
    write(tmp_path / "input" / "1.html", WRAPPED.format("utf8", "x"))
    write(tmp_path / "GoldStandard" / "1.txt", b"\xef\xbb\xbf" + GOLD.replace("\n", "\r\n").encode())
    page = only(read_gold(tmp_path))
    assert page.text == "A heading\nA long paragraph that was wrapped\n* One\n* Two"
    assert page.url == "http://news.example.com/a.htm"


@pytest.mark.parametrize(
    ("gold", "text", "url"),
    [
        ("URL: \nhttp://a.com/x y\n\n <h>One", "One", "http://a.com/x y"),
        ("\nURL: http://a.com/\n<h>One<p>Two", "One\nTwo", "http://a.com/"),
        ("URL: \nPlain", "Plain", ""),
        ("No address\nat all", "No address at all", ""),
        ("<p>BBC&#039;s &amp; <jefferai> said\n<P>more</P>", "BBC's & <jefferai> said\nmore", ""),
        ("one\n \t\ntwo", "one\ntwo", ""),
        ("", "", ""),
    ],
)
def test_cleaneval_marks_and_address_are_no_text(gold, text, url):
    assert plain_cleaneval_text(gold) == (text, url)


@pytest.mark.parametrize(
    ("body", "inside", "attributes"),
    [
        (b'<text id="u" encoding="utf8">\n<p>x', b"<p>x", {"id": "u", "encoding": "utf8"}),
        (b'\n<text id="u?a=1&amp;b=2"> \n\n<p>x</text>\r\n', b"\n<p>x", {"id": "u?a=1&b=2"}),
        (b'<text id="u"><p>x</TEXT>', b"<p>x", {"id": "u"}),
        (b"<html><text>x</text>", b"<html><text>x</text>", {}),
        (b"", b"", {}),
    ],
)
def test_cleaneval_wrapper_is_taken_off(body, inside, attributes):
    assert unwrap(body) == (inside, attributes)


def test_both_languages_of_cleaneval_are_kept_apart(tmp_path):
    for language in ("en", "zh"):
        write(tmp_path / f"{language}_original" / "1.html", WRAPPED.format("utf8", "x"))
        write(tmp_path / f"{language}_cleaned" / "1-cleaned.txt", GOLD)
    assert [(page.id, page.language) for page in read_gold(tmp_path)] == [
        ("en_original/1", "en"),
        ("zh_original/1", "zh"),
    ]


def test_hostile_white_space_is_read_in_linear_time():
    started = time.process_time()
    unwrap(b" " * 2_000_000)
    unwrap(b"<text " + b" >" * 1_000_000)
    plain_cleaneval_text("\n" + " \t" * 1_000_000)
    plain_cleaneval_text("<p" * 1_000_000)
    assert time.process_time() - started < 5  # measured 0.2


# --- any folder ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("a.html", "a.txt"),
        ("a.htm", "a.txt"),
        ("html/a.html", "txt/a.txt"),
        ("html/a.html", "text/a.txt"),
        ("HTML/a.html", "Corrected/a.html.corrected.txt"),
    ],
)
def test_a_folder_of_pages_with_texts_is_recognised(tmp_path, page, text):
    raw = "<p>Käse".encode("cp1252")
    write(tmp_path / page, raw)
    write(tmp_path / text, "Käse")
    gold = read_gold(tmp_path)
    found = only(gold)
    assert gold.sources[0][1] == "folder"
    assert (found.id, found.html, found.text, found.url, found.site) == ("a", raw, "Käse", None, "")


def test_compressed_pages_and_texts_are_read(tmp_path):
    write(tmp_path / "a.html.gz", "<p>x")
    write(tmp_path / "a.txt.gz", "x")
    page = only(read_gold(tmp_path))
    assert (page.id, page.html, page.text) == ("a", b"<p>x", "x")


def test_pages_come_in_the_order_of_their_numbers(tmp_path):
    for name in ("10", "9", "1", "b2", "b10"):
        write(tmp_path / f"{name}.html", "<p>x")
        write(tmp_path / f"{name}.txt", "x")
    assert [page.id for page in read_gold(tmp_path)] == ["1", "9", "10", "b2", "b10"]


def test_metadata_comes_from_one_file_or_one_beside_each_page(tmp_path):
    for name in "ab":
        write(tmp_path / f"{name}.html", "<p>x")
        write(tmp_path / f"{name}.txt", "x")
    write(
        tmp_path / "metadata.json", json.dumps({"a": {"lang": "th", "category": "sport", "title": "no field"}, "b": 3})
    )
    write(tmp_path / "b.json", json.dumps({"url": "http://x.example.com/b", "page_type": "forum", "with": ["x"]}))
    a, b = read_gold(tmp_path)
    assert (a.language, a.category) == ("th", "sport")
    assert (b.site, b.page_type, b.wanted) == ("example.com", "forum", ("x",))


def test_comments_of_dragnet_gold_are_no_article_text(tmp_path):
    write(tmp_path / "HTML" / "1.html", "<p>x")
    write(tmp_path / "Corrected" / "1.html.corrected.txt", "Article\n\n!@#$%^&*()  COMMENTS\n\nFirst!\n")
    page = only(read_gold(tmp_path))
    assert (page.text.strip(), page.comments) == ("Article", "First!")


def test_files_that_cannot_be_used_are_dropped_and_the_others_stay(tmp_path, monkeypatch):
    for name in ("a", "big", "broken", "damaged", "empty", "nothing"):
        write(tmp_path / f"{name}.html", "<p>x")
        write(tmp_path / f"{name}.txt", "x")
    write(tmp_path / "alone.html", "<p>x")
    write(tmp_path / "README.txt", "about these pages")
    write(tmp_path / "metadata.json", "no JSON")
    write(tmp_path / "broken.json", "[1]")
    (tmp_path / "damaged.txt").unlink()
    (tmp_path / "damaged.txt.gz").write_bytes(b"no gzip")
    write(tmp_path / "empty.txt", " \n")
    write(tmp_path / "nothing.html", "")
    write(tmp_path / "big.html", "x" * 2000)
    read = gold_pairs.read_bounded  # type: ignore[attr-defined]
    monkeypatch.setattr(gold_pairs, "read_bounded", lambda file: read(file, 1000))
    gold = read_gold(tmp_path)
    assert [page.id for page in gold] == ["a"]
    assert gold.dropped.counts == {
        DropReason.NOT_JSON: 2,
        DropReason.TOO_LARGE: 1,
        DropReason.UNREADABLE: 1,
        DropReason.EMPTY_GOLD: 1,
        DropReason.NO_PAGE: 2,
        DropReason.NO_GOLD: 1,
    }
