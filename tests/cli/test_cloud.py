"""`webmain cloud`, as a user runs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from webmain import cli
from webmain.cli import exits
from webmain.items import Article
from webmain.store.registry import open_store

THAI = "ตลาดน้ำเปิดทุกเช้า ชาวสวนพายเรือมาขายผลไม้ที่ตลาดน้ำ นักท่องเที่ยวชอบตลาดน้ำ และซื้อผลไม้กลับบ้าน"
PAGE = "<title>Tides</title><h1>Tides</h1>" + "".join(
    f"<p>The harbour master read the tide gauge, and the tide rose past the quay on day {n}.</p>" for n in range(9)
)


@pytest.fixture
def store(tmp_path: Path) -> str:
    spec = f"sqlite:{tmp_path / 'news.db'}"
    with open_store(spec) as opened:
        opened.add(Article(id="a", url="https://a.example/1", site="a.example", title="น้ำ", text=THAI, language="th"))
        opened.add(Article(id="b", url="https://b.example/1", site="b.example", text="tide " * 300, language="en"))
        opened.add(Article(id="c", url="https://c.example/1", site="c.example", text="rose quay " * 30, language="en"))
    return spec


@pytest.fixture
def page(tmp_path: Path) -> str:
    (tmp_path / "page.html").write_text(PAGE)
    return str(tmp_path / "page.html")


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = cli.main(["cloud", *args])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_table_of_a_page(page, capsys):
    code, out, err = run(capsys, page, "--top", "2")
    assert (code, err) == (exits.OK, "")
    lines = out.splitlines()
    assert lines[0] == "Tides"
    assert lines[2].split() == ["1", "tide", "18", "1"]
    assert len(lines) == 5
    assert lines[-1].startswith("1 article, ")


def test_json_of_a_store(store, capsys):
    code, out, _ = run(capsys, "--store", store, "--site", "a.example", "-f", "json", "--top", "1")
    found = json.loads(out)
    (word,) = found.pop("words")
    assert code == exits.OK
    assert word == {"word": "ตลาดน้ำ", "count": 3, "n_articles": 1, "weight": 1.0, "language": "th", "keyness": None}
    assert found | {"n_words": 0} == {
        "title": "a.example", "language": "th", "direction": "ltr", "n_articles": 1, "n_words": 0,
    }  # fmt: skip


def test_the_format_is_that_of_the_name(store, tmp_path, capsys):
    starts = {"png": b"\x89PNG", "svg": b"<svg", "html": b"<!DOCTYPE", "json": b"{", "txt": "น้ำ".encode()}
    for suffix, start in starts.items():
        file = tmp_path / f"cloud.{suffix}"
        assert run(capsys, "--store", store, "--article", "a", "-o", str(file)) == (exits.OK, "", "")
        assert file.read_bytes().startswith(start)


def test_comparisons_show_how_words_differ(store, capsys):
    for others in ("rest", "site=c.example", "site=c.example,lang=en"):
        code, out, _ = run(capsys, "--store", store, "--site", "b.example", "--against", others)
        assert code == exits.OK
        assert out.splitlines()[2].split() == ["1", "tide", "300", "1", "0", "109.4", "+6.91"]
    code, out, _ = run(capsys, "--store", store, "--site", "b.example", "--against", "rest", "--under")
    assert [line.split()[1] for line in out.splitlines()[2:-1]] == ["quay", "rose"]


def test_a_page_against_a_store_and_a_store_against_a_page(store, page, capsys):
    _, out, _ = run(capsys, page, "--against", f"store={store},site=b.example")
    assert "harbour" in out
    _, out, _ = run(capsys, "--store", store, "--lang", "en", "--against", page)
    assert out.splitlines()[2].split()[1] == "tide"
    _, out, _ = run(capsys, page, "--against", store)
    assert "harbour" in out


def test_own_stop_words(page, tmp_path, capsys):
    (tmp_path / "stop.txt").write_text("tide\n[en]\nharbour")
    _, out, _ = run(capsys, page, "--stopwords", str(tmp_path / "stop.txt"))
    shown = {line.split()[1] for line in out.splitlines()[2:-1]}
    assert "the" in {word.lower() for word in shown}
    assert not shown & {"tide", "harbour"}


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--site", "nowhere.example"), exits.REJECTED, "no article is selected"),
        (("--site", "nowhere.example", "--against", "rest"), exits.REJECTED, "none is of site nowhere.example"),
        (("--article", "nowhere"), exits.NOT_FOUND, "there is no article nowhere"),
        (("--query", "!"), exits.USAGE, "names no word"),
        (("--against", "site=nowhere.example"), exits.NOT_FOUND, "nothing to compare"),
        (("--against", "site=a.example,colour=red"), exits.USAGE, "'colour' is none of"),
        (("--against", "since=yesterday"), exits.USAGE, "allowed is a date"),
        (("--against", "nowhere.html"), exits.NOT_FOUND, "nowhere.html"),
        (("--against", "nowhere.html", "-o", "c.svg", "--font", "/nope.ttf"), exits.NOT_FOUND, "nowhere.html"),
        (("-f", "svg", "--font", "/nope.ttf"), exits.NOT_FOUND, "not a readable font (No such file or directory)"),
        (("--store", "news.db"), exits.USAGE, "did you mean sqlite:news.db?"),
        (("--under",), exits.USAGE, "--under needs --against"),
        (("-o", "cloud.tiff"), exits.USAGE, "its suffix names no format"),
        (("-o", "/dev/null/cloud.html"), exits.UNWRITTEN, "/dev/null"),
        (("-o", "/nowhere/cloud.png", "--font", "/nowhere.ttf"), exits.NOT_FOUND, "/nowhere.ttf"),
    ],
)
def test_what_goes_wrong_is_said(store, capsys, args, code, message):
    found, out, err = run(capsys, "--store", store, *args)
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1


def test_pages_take_no_filters_and_stores_must_be_there(page, tmp_path, capsys):
    assert run(capsys, page, "--site", "a.example")[0] == exits.USAGE
    assert run(capsys, "nowhere.html")[0] == exits.NOT_FOUND
    assert run(capsys, "--store", f"sqlite:{tmp_path / 'nowhere.db'}")[0] == exits.NOT_FOUND


def test_a_rejected_page_is_told(tmp_path, capsys):
    (tmp_path / "empty.html").write_text("")
    code, _, err = run(capsys, str(tmp_path / "empty.html"))
    assert code == exits.REJECTED
    assert "rejected" in err


@pytest.mark.parametrize("name", ["c.png", "c.svg"])
def test_a_missing_library_is_told(page, tmp_path, capsys, monkeypatch, name):
    monkeypatch.setitem(sys.modules, "PIL", None)
    told = "webmain: pictures need Pillow and fontTools: pip install 'webmain[cloud]'\n"
    assert run(capsys, page, "-o", str(tmp_path / name)) == (exits.NOT_FOUND, "", told)
