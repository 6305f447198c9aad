from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from webmain.archive.recording import WarcWriter
from webmain.archive.warc import ArchiveError, Skip, read_captures, read_pages

HTML = b"<!doctype html><title>T</title><p>" + "ข่าว text".encode() * 50
DATE = datetime(2026, 11, 21, 1, 2, 3, tzinfo=UTC)


def record(
    body: bytes = HTML,
    *,
    url: str | None = "http://a.example/x",
    kind: str = "response",
    head: bytes = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
    content_type: str = "application/http; msgtype=response",
    date: str = "2026-11-21T01:02:03Z",
) -> bytes:
    block = head + body
    lines = ["WARC/1.0", f"WARC-Type: {kind}", "WARC-Record-ID: <urn:uuid:1>", f"WARC-Date: {date}"]
    lines += [f"WARC-Target-URI: {url}"] * (url is not None)
    lines += [f"Content-Type: {content_type}", f"Content-Length: {len(block)}", "", ""]
    return "\r\n".join(lines).encode() + block + b"\r\n\r\n"


def answer(**headers: str) -> bytes:
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode()


class Read:
    """The pages of an archive, and what was passed over."""

    def __init__(self, path: Path | str, **options: int) -> None:
        self.skips: list[tuple[str, str | None]] = []
        self.pages = list(read_pages(path, on_skip=lambda r, u: self.skips.append((r.value, u)), **options))  # type: ignore[arg-type]

    @property
    def reasons(self) -> Counter[str]:
        return Counter(reason for reason, _ in self.skips)

    @property
    def bodies(self) -> list[bytes | None]:
        return [page.body for page in self.pages]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.warc.gz"


def test_page_has_url_date_status_headers_and_body(path: Path) -> None:
    path.write_bytes(
        gzip.compress(record(head=answer(Content_Type="text/html; charset=tis-620", X_One="1", x_one="2")))
    )
    (page,) = Read(path).pages
    assert (page.url, page.fetched_at, page.status, page.body) == ("http://a.example/x", DATE, 200, HTML)
    assert page.headers == {"content-type": "text/html; charset=tis-620", "x-one": "1, 2"}


@pytest.mark.parametrize("form", ["members", "one member", "plain"])
def test_every_form_of_archive_is_read(path: Path, form: str) -> None:
    records = [record(HTML + b"%d" % n) for n in range(5)]
    data = {
        "members": b"".join(map(gzip.compress, records)),
        "one member": gzip.compress(b"".join(records)),
        "plain": b"".join(records),
    }[form]
    path.write_bytes(data)
    assert Read(path).bodies == [HTML + b"%d" % n for n in range(5)]
    renamed = path.with_name("no name that tells")
    renamed.write_bytes(data)
    assert len(list(read_pages(renamed))) == 5


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (record(kind="warcinfo", url=None), Skip.NOT_RESPONSE),
        (record(kind="revisit"), Skip.REVISIT),
        (record(content_type="text/dns"), Skip.NOT_HTTP),
        (record(head=b"", body=b"no http at all"), Skip.NOT_HTTP),
        (record(url=None), Skip.NOT_HTTP),
        (record(head=b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"), Skip.STATUS),
        (record(head=b"HTTP/1.1 2000 OK\r\n\r\n"), Skip.NOT_HTTP),
        (record(head=answer(Content_Type="application/pdf")), Skip.NOT_HTML),
        (record(head=answer(Content_Type="text/plain"), body=b"just words"), Skip.NOT_HTML),
        (record(head=answer(), body=b"\x89PNG"), Skip.NOT_HTML),
        (record(body=b"<p>" + b"x" * 5000), Skip.TOO_LARGE),
        (
            record(head=answer(Content_Type="text/html", Content_Encoding="gzip"), body=gzip.compress(bytes(9999))),
            Skip.TOO_LARGE,
        ),
    ],
)
def test_what_is_no_page_is_passed_over_with_its_reason(path: Path, data: bytes, reason: Skip) -> None:
    path.write_bytes(gzip.compress(data) + gzip.compress(record()))
    read = Read(path, max_bytes=4000)
    assert read.bodies == [HTML]
    assert [skipped for skipped, _ in read.skips] == [reason.value]


@pytest.mark.parametrize(
    "head", [answer(), answer(Content_Type="text/plain"), answer(Content_Type="application/xhtml+xml")]
)
def test_markup_under_a_vague_type_is_a_page(path: Path, head: bytes) -> None:
    path.write_bytes(record(head=head))
    assert Read(path).bodies == [HTML]


def test_heads_that_old_servers_sent(path: Path) -> None:
    head = b"HTTP/1.0 200\nContent-Type: text/html;\n charset=x\nno header\nServer: caf\xe9\n\n"
    path.write_bytes(record(head=head, body=HTML + b"\n\nend"))
    (page,) = Read(path).pages
    assert page.headers == {"content-type": "text/html; charset=x", "server": "café"}
    assert page.body == HTML + b"\n\nend"


def test_brackets_around_the_url_are_taken_off(path: Path) -> None:
    path.write_bytes(record(url="<http://a.example/x>", kind="resource", head=b"", content_type="text/html"))
    assert Read(path).pages[0].url == "http://a.example/x"


@pytest.mark.parametrize(("date", "expected"), [("2026-11-21T08:02:03+07:00", DATE), ("yesterday", None), ("", None)])
def test_dates_of_other_forms(path: Path, date: str, expected: datetime | None) -> None:
    path.write_bytes(record(date=date))
    assert Read(path).pages[0].fetched_at == expected


def chunked(body: bytes) -> bytes:
    pieces = [body[i : i + 100] for i in range(0, len(body), 100)]
    return b"".join(b"%x;q=1\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\nTrailer: x\r\n\r\n"


def brotli(body: bytes) -> bytes:
    import io

    from fastwarc.stream_io import BrotliWriter

    out = io.BytesIO()
    with BrotliWriter(out) as writer:
        writer.write(body)
    return out.getvalue()


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content_Encoding": "gzip"}, gzip.compress(HTML, mtime=0)),
        ({"Content_Encoding": "GZip"}, gzip.compress(HTML[:9], mtime=0) + gzip.compress(HTML[9:], mtime=0)),
        ({"Content_Encoding": "deflate"}, zlib.compress(HTML)),
        ({"Content_Encoding": "deflate"}, zlib.compress(HTML)[2:-4]),
        ({"Content_Encoding": "br"}, brotli(HTML)),
        ({"Content_Encoding": "gzip, br"}, brotli(gzip.compress(HTML, mtime=0))),
        ({"Content_Encoding": "gzip"}, HTML),  # decoded by the archiver, header left
        ({"Transfer_Encoding": "chunked"}, chunked(HTML)),
        ({"Transfer_Encoding": "chunked"}, HTML),
        ({"Transfer_Encoding": "chunked", "Content_Encoding": "gzip"}, chunked(gzip.compress(HTML, mtime=0))),
    ],
)
def test_encodings_are_undone_and_their_headers_dropped(path: Path, headers: dict[str, str], body: bytes) -> None:
    path.write_bytes(record(body, head=answer(Content_Type="text/html", Content_Length="7", **headers)))
    (page,) = Read(path).pages
    assert page.body == HTML
    assert set(page.headers) == {"content-type"}


def test_body_cut_off_in_its_encoding_is_kept_as_far_as_it_goes(path: Path) -> None:
    text = b"<p>" + bytes(range(32, 127)) * 300
    for body, encoding in (
        (gzip.compress(text, 1, mtime=0)[:-20], "Content_Encoding"),
        (chunked(text)[:-2000], "Transfer_Encoding"),
    ):
        value = "gzip" if encoding == "Content_Encoding" else "chunked"
        path.write_bytes(record(body, head=answer(Content_Type="text/html", **{encoding: value})))
        (found,) = Read(path).bodies
        assert found is not None
        assert 20_000 < len(found) < len(text)
        assert text.startswith(found)


@pytest.mark.parametrize("compressed", [True, False])
def test_archive_cut_off_gives_what_stands_before(path: Path, compressed: bool) -> None:
    records = [record(HTML * 20 + b"%d" % n) for n in range(3)]
    pieces = [gzip.compress(r, 1) if compressed else r for r in records]
    whole = b"".join(pieces)
    begin = len(whole) - len(pieces[2])
    for end in range(begin + 20, len(whole) - 30, 211 if compressed else 3001):
        path.write_bytes(whole[:end])
        read = Read(path)
        assert len(read.pages) in (2, 3)
        assert all(body in (HTML * 20 + b"%d" % n for n in range(3)) for body in read.bodies)
        if len(read.pages) == 2:
            quiet = compressed and not read.reasons  # so little of the member is there that nothing unpacks
            assert quiet or read.reasons == {"damaged": 1}


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("by", [-300, 300])
def test_a_record_that_is_not_as_long_as_it_says_is_told_and_gives_no_page(
    path: Path, compressed: bool, by: int
) -> None:
    records = [record(HTML * 20 + b"%d" % n, head=answer(Content_Length=str(len(HTML) * 20 + 1))) for n in range(4)]
    length = int(re.findall(rb"\r\nContent-Length: (\d+)\r\n", records[1])[0])
    records[1] = records[1].replace(b"%d" % length, b"%d" % (length + by), 1)
    path.write_bytes(b"".join(gzip.compress(r) if compressed else r for r in records))
    read = Read(path)
    assert read.bodies == [HTML * 20 + b"%d" % n for n in (0, 2, 3)]
    assert read.reasons == {"damaged": 1}
    begin = len(gzip.compress(records[0]) if compressed else records[0])
    assert str(read.skips[0][1]).startswith(f"{path} (at or after the record of ")
    assert str(read.skips[0][1]).endswith(f" at byte {begin})")


@pytest.mark.parametrize(
    ("head", "n_pages"),
    [
        ({"Content_Length": str(len(HTML) + 1)}, 0),  # the connection broke
        ({"Content_Length": str(len(HTML))}, 1),
        ({"Content_Length": str(len(HTML) - 1)}, 1),
        ({"Content_Length": "x"}, 1),
        ({"Content_Length": str(len(HTML) + 9), "Content_Encoding": "br"}, 1),  # stored decoded
    ],
)
def test_a_body_shorter_than_its_content_length_is_no_page(path: Path, head: dict[str, str], n_pages: int) -> None:
    path.write_bytes(record(HTML, head=answer(Content_Type="text/html", **head)))
    read = Read(path)
    assert len(read.pages) == n_pages
    assert read.reasons == ({} if n_pages else {"damaged": 1})


def test_a_flipped_bit_costs_one_record_at_most_and_gives_no_wrong_page(path: Path) -> None:
    bodies = [HTML * 3 + b"%d" % n for n in range(5)]
    recording = path.with_name("flipped.warc.gz")
    with WarcWriter(recording) as writer:
        for n, body in enumerate(bodies):
            writer.write(f"http://a.example/{n}", 200, {"Content-Type": "text/html"}, body)
    whole, random = recording.read_bytes(), Random(8)
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[random.randrange(len(whole))] ^= 1 << random.randrange(8)
        recording.write_bytes(damaged)
        read = Read(recording)
        assert set(read.bodies) <= set(bodies)
        assert len(read.bodies) >= len(bodies) - 1
        assert len(read.bodies) == len(bodies) or read.reasons == {"damaged": 1, "not_response": 1}


@pytest.mark.parametrize("member", [0, 1, 3])
def test_a_damaged_head_of_a_member_hides_none_of_the_others(path: Path, member: int) -> None:
    pieces = [bytearray(gzip.compress(record(HTML + b"%d" % n), mtime=0)) for n in range(5)]
    pieces[member][3] |= 4  # now an extra field of an absurd length seems to follow
    path.write_bytes(b"".join(pieces))
    read = Read(path)
    assert read.bodies == [HTML + b"%d" % n for n in range(5) if n != member]
    assert read.reasons == {"damaged": 1}


@pytest.mark.parametrize("tail", [bytes(100), b"garbage", b"\x1f\x8b\x08garbage"])
def test_what_follows_the_last_record_is_told(path: Path, tail: bytes) -> None:
    path.write_bytes(gzip.compress(record()) + tail)
    read = Read(path)
    assert len(read.pages) == 1
    assert read.reasons["damaged"] <= 1


def folder(tmp_path: Path) -> Path:
    root = tmp_path / "saved"
    (root / "b" / "c").mkdir(parents=True)
    (root / "a.html").write_bytes(HTML)
    (root / "b" / "c" / "z.HTM").write_bytes(HTML)
    (root / "b" / "y.xhtml.gz").write_bytes(gzip.compress(HTML))
    (root / "b" / "notes.txt").write_text("no")
    (root / "b" / "x.warc").write_bytes(record())
    return root


def test_folder_is_searched_in_a_fixed_order(tmp_path: Path) -> None:
    root = folder(tmp_path)
    pages = Read(root).pages
    assert [page.url for page in pages] == [
        (root / "a.html").as_uri(),
        "http://a.example/x",
        (root / "b" / "y.xhtml.gz").as_uri(),
        (root / "b" / "c" / "z.HTM").as_uri(),
    ]
    assert {page.body for page in pages} == {HTML}


def test_links_that_lead_in_circles_are_followed_once(tmp_path: Path) -> None:
    root = folder(tmp_path)
    (root / "b" / "loop").symlink_to(root)
    (root / "b" / "c" / "again").symlink_to(root / "b")
    (root / "dangling.html").symlink_to(root / "nowhere")
    os.mkfifo(root / "pipe.html")
    assert len(list(read_pages(root))) == 4


def test_glob_and_single_file(tmp_path: Path) -> None:
    root = folder(tmp_path)
    assert len(list(read_pages(f"{root}/**/*.htm*"))) == 1
    assert len(list(read_pages(f"{root}/*"))) == 4
    assert len(list(read_pages(root / "b" / "notes.txt"))) == 1
    odd = root / "a[1].html"
    odd.write_bytes(HTML)
    assert [p.url for p in Read(odd).pages] == [odd.as_uri()]


def test_saved_page_keeps_the_url_it_was_saved_from_and_the_time_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    file.write_bytes(b"<!DOCTYPE html>\r\n<!-- saved from url=(0022)https://a.example/x?y=1 -->\r\n<html>")
    os.utime(file, (DATE.timestamp(), DATE.timestamp()))
    (page,) = Read(file).pages
    assert (page.url, page.fetched_at) == ("https://a.example/x?y=1", DATE)


def test_large_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(HTML)
    assert Read(tmp_path, max_bytes=len(HTML)).bodies == [HTML]
    read = Read(tmp_path, max_bytes=len(HTML) - 1)
    assert (read.pages, read.skips) == ([], [("too_large", str(tmp_path / "a.html"))])


def test_nothing_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"nothing.*no such file or folder"):
        read_pages(tmp_path / "nothing*")


@pytest.mark.parametrize("body", [b"", b"hello world\n", gzip.compress(b"hello world\n", mtime=0)])
@pytest.mark.parametrize("name", ["fake.warc.gz", "fake.warc"])
def test_what_is_named_an_archive_and_is_none_is_damaged(tmp_path: Path, body: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(body)
    read = Read(tmp_path / name)
    assert read.pages == []
    assert read.skips == [("damaged", str(tmp_path / name))]


def test_html_under_an_archives_name_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "odd.warc").write_bytes(HTML)
    assert len(Read(tmp_path / "odd.warc").pages) == 1


def test_a_damage_is_told_with_the_archives_name_and_the_last_page(tmp_path: Path) -> None:
    path = tmp_path / "cut.warc"
    path.write_bytes(record() + record(url="http://a.example/cut")[:-100])
    ((reason, place),) = Read(path).skips
    assert reason == "damaged"
    assert place is not None
    assert place.startswith(str(path))
    assert "http://a.example/cut" in place


class Counted(io.BytesIO):
    """Counts the bytes that are read."""

    n_read = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.n_read += len(data)
        return data


def test_records_that_claim_all_that_follows_are_read_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webmain.archive.warc._MAX_AGAIN", 0)
    claiming = record(b"").replace(b"Content-Length: ", b"Content-Length: 9999")
    archive = Counted(claiming * 2_000)
    assert list(read_captures(archive)) == []
    assert archive.n_read < 20 * len(archive.getvalue())


def test_a_head_without_end_is_read_up_to_its_limit(path: Path) -> None:
    path.write_bytes(gzip.compress(record(b"", head=b"HTTP/1.1 200 OK\r\nX: y\r\n" + b" z\r\n" * 100_000)))
    ((_, capture),) = read_captures(io.BytesIO(path.read_bytes()))
    assert sum(len(value) for _, value in capture.headers) < 1 << 16
