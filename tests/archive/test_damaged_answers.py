"""Archives of intact records whose answers are damaged."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path

import pytest
from fastwarc.stream_io import Lz4Writer, ZstdWriter

from tests.archive.test_warc import HTML, Read, answer, record


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.warc"


def zstandard(data: bytes, form: type[ZstdWriter | Lz4Writer] = ZstdWriter) -> bytes:
    out = io.BytesIO()
    with form(out) as writer:
        writer.write(data)
    return out.getvalue()


def packed(records: list[bytes], form: str) -> bytes:
    return {
        "plain": b"".join(records),
        "members": b"".join(map(gzip.compress, records)),
        "one member": gzip.compress(b"".join(records)),
        "one frame": zstandard(b"".join(records)),
        "frames": b"".join(map(zstandard, records)),
        "LZ4 frames": b"".join(zstandard(each, Lz4Writer) for each in records),
    }[form]


@pytest.mark.parametrize("form", ["plain", "members", "one member", "one frame", "frames"])
def test_a_body_shorter_than_its_content_length_hides_none_of_the_others(path: Path, form: str) -> None:
    records = [record(HTML + b"%d" % n, url=f"http://a.example/{n}") for n in range(9)]
    for n in (2, 3, 8):
        records[n] = record(head=answer(Content_Type="text/html", Content_Length="99999"), url=f"http://a.example/{n}")
    path.write_bytes(packed(records, form))
    read = Read(path)
    assert read.bodies == [HTML + b"%d" % n for n in (0, 1, 4, 5, 6, 7)]
    assert read.reasons == {"damaged": 3}
    assert ["http://a.example/3 at" in str(place) for _, place in read.skips] == [False, True, False]


@pytest.mark.parametrize(
    ("what", "form"),
    [("digest", form) for form in ("plain", "members", "one member", "one frame", "frames", "LZ4 frames")]
    + [("length", form) for form in ("plain", "members", "frames", "LZ4 frames")],  # one piece: the rest is lost
)
def test_a_record_with_a_wrong_digest_or_length_hides_none_of_the_others(path: Path, what: str, form: str) -> None:
    records = [record(HTML + b"%d" % n) for n in range(5)]
    if what == "digest":
        records[2] = records[2].replace(b"\r\nWARC-Date", b"\r\nWARC-Block-Digest: sha1:AAAA\r\nWARC-Date")
    else:
        records[2] = re.sub(rb"(\r\nContent-Length: \d)", rb"\g<1>9", records[2], count=1)
    path.write_bytes(packed(records, form))
    read = Read(path)
    assert read.bodies == [HTML + b"%d" % n for n in (0, 1, 3, 4)]
    assert read.reasons == {"damaged": 1}


def test_a_body_that_the_archiver_cut_off_is_kept_as_far_as_it_goes(path: Path) -> None:
    cut = record(head=answer(Content_Type="text/html", Content_Length="99999"))
    path.write_bytes(cut.replace(b"\r\nWARC-Date", b"\r\nWARC-Truncated: length\r\nWARC-Date"))
    read = Read(path)
    assert (read.bodies, read.skips) == ([HTML], [])
