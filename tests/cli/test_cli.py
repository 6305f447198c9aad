"""The command `webmain`, as a user runs it."""

import io
import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import webmain
from webmain import cli
from webmain.cli import exits
from webmain.extractors.base import create
from webmain.items import Article
from webmain.ledger.ledger import Ledger
from webmain.store.registry import open_store
from webmain.store.review import Entry, ReviewList, review_path

ROOT = Path(__file__).parents[2]
PARAGRAPH = "The harbour master said that the tide would reach the upper quay before noon, and so it did, twice."
PAGE = (
    "<html lang=en><head><title>Tide reaches quay - Courier</title><meta property='og:title' content='Tide reaches quay'>"
    "</head><body><nav><ul><li><a href=/a>Home</a></li><li><a href=/b>Sport</a></li></ul></nav><article>"
    + "<h2>What happened</h2>"
    + "".join(f"<p>{PARAGRAPH} ({i})</p>" for i in range(8))
    + "</article><footer><a href=/i>Imprint</a></footer></body></html>"
)


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return str(path)


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        status, body = 200, PAGE.encode()
        if self.path == "/robots.txt":
            body = b"User-agent: *\nDisallow: /private"
        elif self.path == "/missing":
            status, body = 404, b"no"
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_extract_prints_the_text_of_a_file(page, capsys):
    assert cli.main(["extract", "-e", "thai_xpath", page]) == exits.OK
    out = capsys.readouterr().out
    assert PARAGRAPH in out
    assert "Home" not in out


def test_extract_prints_markdown_with_title_and_headings(page, capsys):
    assert cli.main(["extract", "-f", "markdown", "-e", "eniw", page]) == exits.OK
    out = capsys.readouterr().out
    assert out.startswith("# Tide reaches quay")
    assert "## What happened" in out


def test_extract_prints_one_json_record_for_each_of_several_pages(page, capsys):
    assert cli.main(["extract", "-f", "json", "--url", "https://courier.example/tide", page, page]) == exits.OK
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [r["title"] for r in records] == ["Tide reaches quay"] * 2
    assert records[0]["site"] == "courier.example"


@pytest.mark.parametrize("jobs", ["0", "1"])
def test_extract_counts_words_when_asked(jobs, page, capsys):
    first, second = webmain.extract(PAGE, words=True).words[:2]
    command = ["extract", page, "--words", "--jobs", jobs, "-f"]
    assert cli.main([*command, "text"]) == exits.OK
    assert f"\n\n{first.count:6}  {first.word}\n{second.count:6}  {second.word}\n" in capsys.readouterr().out
    assert cli.main([*command, "markdown"]) == exits.OK
    assert f"\n\n| word | count |\n| --- | ---: |\n| {first.word} | {first.count} |\n" in capsys.readouterr().out
    assert cli.main([*command, "json"]) == exits.OK
    record = json.loads(capsys.readouterr().out)
    assert record["words"][0] == {"word": first.word, "count": first.count}
    assert record["n_words"] > 0


def test_extract_reads_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PAGE.encode())))
    assert cli.main(["extract", "-"]) == exits.OK
    assert PARAGRAPH in capsys.readouterr().out


def test_extract_fetches_a_url(site, capsys):
    assert cli.main(["extract", "--allow-private", f"{site}/story"]) == exits.OK
    assert PARAGRAPH in capsys.readouterr().out


def test_a_private_address_is_refused_unless_allowed(site, capsys):
    assert cli.main(["extract", f"{site}/story"]) == exits.NOT_FOUND
    assert "127.0.0.1" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/private/story", "/missing"])
def test_what_robots_forbid_or_is_missing_is_said_and_exits_3(site, path, capsys):
    assert cli.main(["extract", "--allow-private", site + path]) == exits.NOT_FOUND
    assert path in capsys.readouterr().err


def test_a_page_without_text_is_rejected_with_its_reason(tmp_path, capsys):
    empty = tmp_path / "empty.html"
    empty.write_bytes(b"")
    assert cli.main(["extract", str(empty)]) == exits.REJECTED
    assert "rejected: empty" in capsys.readouterr().err


def test_a_rejected_page_does_not_stop_the_others(tmp_path, page, capsys):
    missing = str(tmp_path / "none.html")
    assert cli.main(["extract", missing, page]) == exits.NOT_FOUND
    captured = capsys.readouterr()
    assert "No such file" in captured.err
    assert PARAGRAPH in captured.out


def test_a_host_without_its_scheme_is_no_file(capsys):
    assert cli.main(["extract", "news.example"]) == exits.NOT_FOUND
    assert "a web address begins with https://" in capsys.readouterr().err


def test_unknown_extractor_is_named_with_what_is_allowed(page, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["extract", "-e", "magic", page])
    assert stopped.value.code == exits.USAGE
    assert "line_block" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["extract", "explain"])
@pytest.mark.parametrize(
    "url", ["not a url", "", "example.com/a", "https://", "http://[", "ftp://a.example/", "http://a b/"]
)
def test_what_is_no_web_address_is_refused_as_one(command, url, page, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main([command, "-e", "svm", page, "--url", url])
    assert stopped.value.code == exits.USAGE
    assert f"argument --url: {url!r} is not a web address" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["extract", "explain"])
def test_a_method_that_learned_nothing_of_a_site_says_so(command, page, tmp_path, capsys):
    run = [command, "-e", "svm", page, "--models", str(tmp_path)]
    assert cli.main([*run, "--url", "https://courier.example/a"]) == (
        exits.REJECTED if command == "extract" else exits.OK
    )
    assert "courier.example: svm has learned nothing of it" in (told := capsys.readouterr()).err
    assert "no model of this site, and no description on the page" in told.err + told.out
    cli.main(run)
    assert "a page without an address (--url): svm has learned nothing" in capsys.readouterr().err


def test_explain_shows_every_block_with_verdict_and_reason(page, capsys):
    assert cli.main(["explain", "-e", "thai_xpath", page]) == exits.OK
    out = capsys.readouterr().out
    assert "content" in out
    assert "boilerplate" in out
    assert "harbour master" in out


def test_explain_as_json_has_one_record_a_block(page, capsys):
    assert cli.main(["explain", "-f", "json", "-e", "pab", page]) == exits.OK
    explained = json.loads(capsys.readouterr().out)
    assert explained["extractor"] == "pab"
    assert explained["page_type"] == "article"
    assert 0.5 <= explained["page_type_probability"] <= 1
    assert {b["verdict"] for b in explained["blocks"]} <= {"content", "boilerplate", "duplicate", "outside"}
    assert all(b["why"] for b in explained["blocks"])


class HalfSure:
    """Line-Block with a confidence, and a block of which nobody can be sure."""

    name = "half_sure"

    def __init__(self):
        self._inner = create("line_block")

    def segment(self, document):
        return self._inner.segment(document)

    def judge(self, segmentation):
        judged = self._inner.judge(segmentation)
        score = judged.score.copy()
        score[:2] = (0.5, 0.76)
        return replace(judged, extractor=self.name, confidence=0.8125, score=score)


def test_explain_shows_what_was_not_judged(tmp_path, capsys):
    page = str(tmp_path / "boats.html")
    prose = "<p>The boat left late, and nobody knew why.</p>" * 9
    Path(page).write_text(f"<title>Boats</title><nav>Tides</nav><main>{prose}</main>", encoding="utf-8")
    assert cli.main(["explain", "-f", "json", page]) == exits.OK
    menu, *blocks = json.loads(capsys.readouterr().out)["blocks"]
    assert menu == {
        "block": None, "verdict": "pruned", "score": None, "raw": None,
        "why": "a menu or a footer", "xpath": "/html/body/nav", "selector": "nav", "text": "Tides",
    }  # fmt: skip
    assert [block["block"] for block in blocks] == list(range(9))
    assert cli.main(["explain", page]) == exits.OK
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("learned: 9 blocks")
    assert sum("pruned" in line and "Tides" in line for line in shown) == 1


def test_explain_shows_how_sure_a_method_is_and_of_which_blocks_it_is_not(page, capsys, monkeypatch):
    monkeypatch.setattr("webmain.extractors.base.create", lambda spec=None: create(spec) if spec else HalfSure())
    assert cli.main(["explain", page]) == exits.OK
    out = capsys.readouterr().out
    assert "half_sure: " in out
    assert "confidence 0.812 (the F1 it expects)" in out
    assert "; page type article, 0." in out
    assert "prob." in out
    blocks = [line for line in out.splitlines()[3:] if line.strip()]
    assert [line[1] for line in blocks[:2]] == ["?", " "]
    assert cli.main(["explain", "-f", "json", page]) == exits.OK
    assert json.loads(capsys.readouterr().out)["confidence"] == 0.8125


@pytest.fixture
def review_list(tmp_path):
    store = tmp_path / "articles.jsonl"
    made = ReviewList(review_path(store))
    for n, confidence in enumerate((0.5, 0.1, 0.3)):
        article = Article(
            id=str(n),
            url=f"https://news.example/{n}",
            text="Ice \x1b[31m is back\non the lake. " * 40,
            confidence=confidence,
        )
        made.add([Entry.of(article, below=0.6, kept_out=n == 2)])
    made.close()
    return store


def test_review_shows_the_least_confident_first(review_list, capsys):
    assert cli.main(["review", str(review_list)]) == exits.OK
    out = capsys.readouterr().out
    assert "3 articles in doubt" in out
    assert [line[:5] for line in out.splitlines() if "https" in line] == ["0.100", "0.300", "0.500"]
    assert "confidence 0.1 is below 0.6" in out
    assert "0.300  https://news.example/2  (kept out)" in out
    assert "\x1b" not in out
    assert cli.main(["review", f"jsonl:{review_list}", "--limit", "1"]) == exits.OK
    assert capsys.readouterr().out.count("https") == 1
    assert cli.main(["review", f"{review_list}.review", "--limit", "1"]) == exits.OK
    assert capsys.readouterr().out.count("https") == 1


def test_review_of_what_is_no_list_is_told(tmp_path, capsys):
    assert cli.main(["review", str(tmp_path / "none.jsonl")]) == exits.NOT_FOUND
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "letter").write_text("Dear editor\n")
    assert cli.main(["review", str(tmp_path / "letter")]) == exits.NOT_FOUND
    assert "no review list; a crawl with review_below writes one" in capsys.readouterr().err


def test_doctor_finds_nothing_wrong_here(capsys):
    assert cli.main(["doctor"]) == exits.OK
    assert "FAILED" not in capsys.readouterr().out


def test_a_full_disk_is_told_without_a_traceback(page):
    command = [sys.executable, "-m", "webmain.cli", "extract", page]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    assert done.returncode == exits.UNWRITTEN
    assert done.stderr.startswith("webmain: the output cannot be written: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("closed", "arguments", "code", "told"),
    [
        ("<&-", "extract -", exits.REJECTED, "empty"),
        (">&-", "extract PAGE", exits.UNWRITTEN, "webmain: the output cannot be written: Bad file descriptor\n"),
        (">&-", "extract PAGE -o out", exits.OK, ""),
        ("2>&-", "extract PAGE none.html", exits.NOT_FOUND, ""),
    ],
)
def test_closed_streams_end_in_no_traceback(page, tmp_path, closed, arguments, code, told):
    line = f"exec {sys.executable} -m webmain.cli {arguments.replace('PAGE', str(page))} {closed}"
    done = subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == code
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert "none.html" not in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ["extract", "PAGE", "-o"],
        ["explain", "PAGE", "-o"],
        ["cloud", "PAGE", "-f", "html", "-o"],
        ["export", "jsonl:STORE", "-f", "csv", "-o"],
        ["status", "LEDGER", "--prometheus"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_ends_alike_where_its_file_cannot_be_written(command, page, tmp_path, capsys, make_article):
    with open_store(f"jsonl:{tmp_path / 'a.jsonl'}") as store:
        store.add(make_article(1))
        store.commit()
    Ledger(tmp_path / "a.ledger").close()
    places = {"PAGE": page, "jsonl:STORE": f"jsonl:{tmp_path / 'a.jsonl'}", "LEDGER": str(tmp_path / "a.ledger")}
    arguments = [places.get(each, each) for each in command]
    assert cli.main([*arguments, str(tmp_path)]) == exits.UNWRITTEN
    assert capsys.readouterr().err == f"webmain: the output cannot be written: {tmp_path}: Is a directory\n"


def test_extract_writes_a_file_in_one_step_and_leaves_it_where_there_is_no_article(page, tmp_path, capsys):
    target, empty = tmp_path / "out.txt", tmp_path / "empty.html"
    empty.touch()
    assert cli.main(["extract", page, "-o", "-"]) == exits.OK
    text = capsys.readouterr().out
    assert cli.main(["extract", page, "-o", str(target)]) == exits.OK
    assert target.read_text("utf-8") == text
    assert cli.main(["extract", str(empty), "-o", str(target)]) == exits.REJECTED
    assert f"no article; {target} is left as it is" in capsys.readouterr().err
    assert target.read_text("utf-8") == text
    assert [p.name for p in tmp_path.glob(".*")] == []


def test_a_named_pipe_is_written_to_and_not_replaced(page, tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text("utf-8")), daemon=True)
    reader.start()
    assert cli.main(["extract", page, "-o", str(pipe)]) == exits.OK
    assert pipe.is_fifo()
    reader.join()
    assert PARAGRAPH in read[0]


@pytest.mark.parametrize("source", ["ftp://a.example/x", "gopher://a.example/", "FTP://a.example/x"])
def test_other_schemes_are_refused_by_name(source, capsys):
    assert cli.main(["extract", source]) == exits.NOT_FOUND
    assert "only http and https" in capsys.readouterr().err


def test_a_file_url_is_read_as_its_file(tmp_path, capsys):
    path = tmp_path / "a page é.html"
    path.write_text(PAGE, encoding="utf-8")
    assert cli.main(["extract", path.as_uri()]) == exits.OK
    assert PARAGRAPH in capsys.readouterr().out
    assert cli.main(["extract", "file://elsewhere.example/x.html"]) == exits.NOT_FOUND
    assert "file of this machine" in capsys.readouterr().err
