import gzip
import time
import zlib

import brotli
import pytest

from webmain.net.content import accepted_codings, decompress
from webmain.net.errors import BadResponse, TooLarge

TEXT = b"<p>Some words of a page.</p>" * 50
URL = "http://x.test/"


def bare_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


@pytest.mark.parametrize(
    ("body", "codings"),
    [
        (TEXT, ""),
        (TEXT, "identity"),
        (gzip.compress(TEXT), "gzip"),
        (gzip.compress(TEXT), " X-GZIP "),
        (gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]), "gzip"),
        (gzip.compress(TEXT) + b"\0\0trailing", "gzip"),
        (zlib.compress(TEXT), "deflate"),
        (bare_deflate(TEXT), "deflate"),
        (gzip.compress(zlib.compress(TEXT)), "deflate, gzip"),
    ],
)
def test_codings_are_undone(body: bytes, codings: str) -> None:
    assert decompress(body, codings, max_bytes=len(TEXT), url=URL) == TEXT


def test_brotli_is_undone_and_bounded() -> None:
    assert "br" in accepted_codings()
    assert decompress(brotli.compress(TEXT), "br", max_bytes=len(TEXT), url=URL) == TEXT
    with pytest.raises(TooLarge):
        decompress(brotli.compress(TEXT), "br", max_bytes=len(TEXT) - 1, url=URL)
    with pytest.raises(TooLarge):
        decompress(brotli.compress(bytes(50_000_000)), "br", max_bytes=1_000_000, url=URL)
    with pytest.raises(BadResponse):
        decompress(b"\xff\xfe not brotli", "br", max_bytes=1_000, url=URL)


def test_limit_is_exact() -> None:
    with pytest.raises(TooLarge):
        decompress(gzip.compress(TEXT), "gzip", max_bytes=len(TEXT) - 1, url=URL)


def test_bombs_are_refused_early() -> None:
    bomb = gzip.compress(gzip.compress(bytes(100_000_000)))
    start = time.perf_counter()
    with pytest.raises(TooLarge):
        decompress(bomb, "gzip, gzip", max_bytes=1_000_000, url=URL)
    assert time.perf_counter() - start < 2


def test_many_gzip_members_cost_little() -> None:
    body = gzip.compress(b"") * 300_000
    start = time.perf_counter()
    assert decompress(body, "gzip", max_bytes=1_000, url=URL) == b""
    assert time.perf_counter() - start < 3


def test_cut_stream_gives_what_it_has() -> None:
    body = gzip.compress(TEXT, mtime=0)
    assert TEXT.startswith(decompress(body[:-12], "gzip", max_bytes=10_000, url=URL)[:50])


@pytest.mark.parametrize(
    ("body", "codings"),
    [(b"plain", "gzip"), (TEXT, "compress"), (TEXT, "sdch"), (TEXT, "gzip, gzip, gzip, gzip")],
)
def test_wrong_codings_are_told(body: bytes, codings: str) -> None:
    with pytest.raises(BadResponse):
        decompress(body, codings, max_bytes=10_000, url=URL)
