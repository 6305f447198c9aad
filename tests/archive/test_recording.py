from __future__ import annotations

import gzip
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from webmain.archive.recording import WarcIndex, WarcWriter, replay_key
from webmain.archive.warc import ArchiveError, Capture, read_captures
from webmain.files import NotAStoreError, StoreError, StoreSpecError

URL = "http://a.example/ข่าว"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "rec.warc.gz"


def captures(path: Path) -> list[Capture]:
    with path.open("rb") as stream:
        return [capture for _, capture in read_captures(stream)]


def fill(path: Path, *bodies: bytes) -> None:
    with WarcWriter(path) as writer:
        for n, body in enumerate(bodies):
            writer.write(f"http://a.example/{n}", 200, {"Content-Type": "text/html"}, body)


def test_answer_comes_back_byte_for_byte(path: Path) -> None:
    headers = [
        ("Content-Type", "text/html"),
        ("X-Twice", "a=1"),
        ("X-Twice", "b=2"),
        ("Location", "/ข่าว?é=1"),
        ("Content-Encoding", "gzip"),
    ]
    body = gzip.compress(b"<p>" + bytes(range(256)))
    when = datetime(2026, 11, 21, 8, 0, 0, 123456, tzinfo=timezone(timedelta(hours=7)))
    with WarcWriter(path) as writer:
        writer.write(URL, 200, [*headers, ("Transfer-Encoding", "chunked"), ("content-length", "9")], body, when)
    (found,) = captures(path)
    assert (found.url, found.status, found.body, found.fetched_at) == (URL, 200, body, when.astimezone(UTC))
    assert found.headers == (*headers, ("Content-Length", str(len(body))))


def test_nothing_in_a_header_or_url_ends_its_line(path: Path) -> None:
    with WarcWriter(path) as writer:
        writer.write("http://a.example/\r\nWARC-Type: request", 200, {"X\r\nY": "a\r\n\r\nb", "Z": "\n1"}, b"body")
    (found,) = captures(path)
    assert (found.url, found.body) == ("http://a.example/ WARC-Type: request", b"body")
    assert found.headers[:2] == (("X Y", "a b"), ("Z", "1"))


@pytest.mark.parametrize("lost", [1, 2, 9, 100, 150])
def test_unfinished_member_is_cut_off_on_opening(path: Path, lost: int) -> None:
    fill(path, b"one")
    fill(path, b"\x1f\x8b\x08 two" * 9)
    unfinished = path.read_bytes()[:-lost]
    path.write_bytes(unfinished)
    assert captures(path)[0].body == b"one"
    with WarcWriter(path) as writer:
        assert not path.read_bytes().startswith(unfinished)
        writer.write("http://a.example/3", 200, {}, b"three")
    assert [c.body for c in captures(path)] == [b"one", b"three"]


def test_file_of_whole_members_is_not_cut(path: Path) -> None:
    fill(path, b"one")
    before = path.read_bytes()
    WarcWriter(path).close()
    assert path.read_bytes().startswith(before)


def test_file_of_one_long_member_is_not_cut(path: Path) -> None:
    fill(path, b"one")
    one = gzip.compress(gzip.decompress(path.read_bytes()) * 50)
    path.write_bytes(one)
    WarcWriter(path).close()
    assert path.read_bytes().startswith(one)


@pytest.mark.parametrize("content", [b"some text", b"WARC/1.0\r\n", b"\x1f\x8c"])
def test_file_of_another_kind_is_left_as_it_is(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(NotAStoreError, match="left as it is"):
        WarcWriter(path)
    assert path.read_bytes() == content


def test_other_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreSpecError, match=r"\.warc\.gz"):
        WarcWriter(tmp_path / "rec.warc")


def test_closed_writer_says_so(path: Path) -> None:
    writer = WarcWriter(path)
    writer.close()
    writer.close()
    with pytest.raises(StoreError, match="closed"):
        writer.write(URL, 200, {}, b"")


KILLED = """
import sys
from webmain.archive.recording import WarcWriter
writer = WarcWriter({path!r})
for n in range(10**6):
    writer.write(f"http://a.example/{{n}}", 200, {{"Content-Type": "text/html"}}, b"%d " % n * 5000)
    print(n, flush=True)
"""


def test_killed_recording_loses_nothing_that_was_written(path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED.format(path=str(path))], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        told = [int(child.stdout.readline()) for _ in range(40)]
        child.kill()
        told += [int(line) for line in child.stdout if line.endswith(b"\n")]
    index = WarcIndex([path])
    assert all(index.lookup(f"http://a.example/{n}") for n in told)
    fill(path, b"after")
    capture = WarcIndex([path]).lookup("http://a.example/0")
    assert capture is not None
    assert capture.body == b"after"


def test_last_capture_wins_over_records_and_files(tmp_path: Path) -> None:
    one, two = tmp_path / "1.warc.gz", tmp_path / "2.warc.gz"
    fill(one, b"0 old", b"1 old")
    fill(one, b"0 new")
    fill(two, b"0 newest")
    index = WarcIndex([one, two])
    assert [getattr(index.lookup(f"http://a.example/{n}"), "body", None) for n in range(3)] == [
        b"0 newest",
        b"1 old",
        None,
    ]


def test_redirects_errors_and_files_of_any_type_are_found(path: Path) -> None:
    with WarcWriter(path) as writer:
        writer.write("http://a.example", 301, {"Location": "https://a.example/"}, b"")
        writer.write("http://a.example/robots.txt", 200, {"Content-Type": "text/plain"}, b"User-agent: *")
        writer.write("http://a.example/gone", 404, {}, b"no")
        writer.write(
            "http://a.example/map.xml.gz", 200, {"Content-Type": "application/gzip"}, gzip.compress(b"<urlset/>")
        )
    index = WarcIndex([path])
    redirect = index.lookup("http://a.example/")
    assert redirect is not None
    assert (redirect.status, redirect.headers[0]) == (301, ("Location", "https://a.example/"))
    found = [index.lookup(f"http://a.example/{name}#part") for name in ("robots.txt", "gone", "map.xml.gz")]
    assert [c and (c.status, c.body) for c in found] == [
        (200, b"User-agent: *"),
        (404, b"no"),
        (200, gzip.compress(b"<urlset/>")),
    ]


def test_changed_file_is_told(path: Path) -> None:
    fill(path, b"one")
    index = WarcIndex([path])
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(ArchiveError, match="changed"):
        index.lookup("http://a.example/0")
    path.unlink()
    with pytest.raises(ArchiveError, match="No such file"):
        index.lookup("http://a.example/0")
    with pytest.raises(ArchiveError):
        WarcIndex([path])


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://A.example", "http://a.example/"),
        ("HTTP://a.example:80/x#y", "http://a.example/x"),
        ("https://a.example:443/X?b=1&a=#", "https://a.example/X?b=1&a="),
        ("https://a.example:80/", "https://a.example:80/"),
        ("http://[broken", "http://[broken"),
    ],
)
def test_urls_are_compared_simply(url: str, key: str) -> None:
    assert replay_key(url) == key


def test_credentials_are_not_recorded(path: Path) -> None:
    url = "https://reader:hunter2@a.example/news?key=kept"
    headers = [
        ("Set-Cookie", "session=hunter2"),
        ("set-cookie2 ", "hunter2"),
        ("Cookie", "hunter2"),
        ("AUTHORIZATION", "Basic hunter2"),
        ("Proxy-Authorization", "hunter2"),
        ("Location", "https://reader:hunter2@a.example/on?mail=me@b.example"),
        ("Content-Type", "text/html"),
    ]
    with WarcWriter(path) as writer:
        writer.write(url, 302, headers, b"<p>moved")
    raw = gzip.decompress(path.read_bytes())
    assert b"hunter2" not in raw
    (found,) = captures(path)
    assert found.url == "https://a.example/news?key=kept"
    assert dict(found.headers)["Location"] == "https://a.example/on?mail=me@b.example"
    assert WarcIndex([path]).lookup(url) == found
