from __future__ import annotations

import gzip
import time
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.archive.decoding import TooLargeError, dechunk, decode_body

PACK = {"gzip": gzip.compress, "deflate": zlib.compress, "": bytes}


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_bomb_is_never_unpacked_beyond_the_bound(encoding: str) -> None:
    packed = PACK[encoding](bytes(64 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError):
            decode_body(packed, content=encoding, max_bytes=1 << 20)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_many_gzip_members_cost_linear_time() -> None:
    body = gzip.compress(b"", mtime=0) * 100_000
    start = time.process_time()
    assert decode_body(body, content="gzip", max_bytes=1_000) == b""
    assert time.process_time() - start < 5


@pytest.mark.parametrize("encoding", ["gzip", "deflate", ""])
def test_bound_itself_is_allowed(encoding: str) -> None:
    body = b"x" * 1000
    packed = PACK[encoding](body)
    assert decode_body(packed, content=encoding, max_bytes=1000) == body
    with pytest.raises(TooLargeError):
        decode_body(packed, content=encoding, max_bytes=999)


@pytest.mark.parametrize(
    ("body", "joined"),
    [
        (b"0\r\n\r\n", b""),
        (b"3\r\nabc\r\n0\r\n\r\n", b"abc"),
        (b"3\nabc\n2\nde\n0\n", b"abcde"),
        (b"A;x=y\r\n0123456789\r\n0\r\n", b"0123456789"),
        (b"5\r\nabc", b"abc"),
        (b"3\r\nabc\r\nFFFFFFFFFFFFFFF\r\nde", b"abcde"),
        (b"<html>", b"<html>"),
        (b"3\r\nabcdef", b"3\r\nabcdef"),
        (b"", b""),
    ],
)
def test_chunks_are_joined(body: bytes, joined: bytes) -> None:
    assert dechunk(body) == joined


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br", "x", ""]), st.booleans())
def test_any_bytes_give_a_body_and_no_error(body: bytes, content: str, chunked: bool) -> None:
    assert isinstance(decode_body(body, content=content, transfer="chunked" if chunked else ""), bytes)
