"""Files read by ranges from a server on this machine."""

import io
import random
import socket

import pytest
from fastwarc.warc import ArchiveIterator

from tests.crawl.news_month import DataHost as Server
from tests.crawl.news_month import member
from webmain.net.addresses import Guard
from webmain.net.ranges import DataHost, RemoteFile, SourceError, StoppedReading

BODY = random.Random(7).randbytes(1_000_000)


@pytest.fixture
def server(tmp_path):
    (tmp_path / "file").write_bytes(BODY)
    server = Server(tmp_path)
    yield server
    server.close()


@pytest.fixture
def host(server):
    return DataHost(
        user_agent="webmain (+a@b.example)", guard=Guard([server.url]), chunk_bytes=300_000, back_off_s=0.01, tries=4
    )


def opened(server, host, name="file"):
    return io.BufferedReader(RemoteFile(server.url + name, host), 1 << 16)


@pytest.mark.parametrize("ranges", [True, False])
def test_a_file_is_read_in_pieces_whole_and_from_any_place(server, host, ranges):
    server.ranges = ranges
    with opened(server, host) as stream:
        assert stream.read() == BODY
        assert len(server.requests) == (4 if ranges else 1)
        stream.seek(500_000)
        assert stream.read(100_000) == BODY[500_000:600_000]
        assert stream.seek(-10, io.SEEK_END) == 999_990
        assert stream.read(99) == BODY[-10:]
        assert stream.read(1) == b""
    assert server.agents == {"webmain (+a@b.example)"}


@pytest.mark.parametrize(("n_bytes", "n_tries"), [(0, 3), (1, 8)])
def test_a_host_without_an_address_is_given_up_soon_unless_it_has_answered_before(monkeypatch, n_bytes, n_tries):
    asked, waits = [], []

    def no_address(*args, **_):
        asked.append(args)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", no_address)
    host = DataHost(user_agent="webmain", guard=Guard(), n_bytes=n_bytes)
    monkeypatch.setattr(host.stopped, "wait", waits.append)
    message = rf"given up after {n_tries} failures \(no address for data.example"
    with pytest.raises(SourceError, match=message):
        RemoteFile("https://data.example/list", host).read(1)
    assert len(asked) == n_tries
    assert (sum(waits) < 15) is not bool(n_bytes)
    if not n_bytes:  # the next file is not waited for
        with pytest.raises(SourceError, match="given up after 1 failures"):
            RemoteFile("https://data.example/other", host).read(1)


def test_no_more_than_two_pieces_are_kept(server, host):
    raw = RemoteFile(server.url + "file", host)
    while raw.read(1 << 16):
        assert sum(len(piece) for _, piece in raw._pieces) <= 600_000
    assert raw.size == len(BODY)


@pytest.mark.parametrize("ranges", [True, False])
def test_what_breaks_goes_on_where_it_broke(server, host, ranges):
    server.ranges = ranges
    server.cut_after = 250_000 if ranges else None
    bad = {2: (503, {}, b"SlowDown"), 3: (500, {}, b"")} if ranges else {1: (503, {"Retry-After": "0"}, b"SlowDown")}
    server.before = lambda path, n: bad.get(n)
    with opened(server, host) as stream:
        assert stream.read() == BODY
    assert host.n_failures >= len(bad)
    assert host.n_bytes == len(BODY)


def test_a_server_that_never_answers_well_is_given_up_and_one_that_asks_for_hours_is_left_alone(server, host):
    server.before = lambda path, n: (503, {}, b"")
    with opened(server, host) as stream, pytest.raises(SourceError, match="given up after 4 failures") as caught:
        stream.read()
    assert not caught.value.is_missing
    server.before = lambda path, n: (503, {"Retry-After": "7200"}, b"")
    with opened(server, host) as stream, pytest.raises(SourceError, match="given up after 1 failures"):
        stream.read()


@pytest.mark.parametrize(("status", "is_missing"), [(404, True), (403, True), (410, True), (400, False)])
def test_a_file_that_is_not_there_is_asked_for_once(server, host, status, is_missing):
    server.before = lambda path, n: (status, {}, b"")
    with opened(server, host) as stream, pytest.raises(SourceError) as caught:
        stream.read()
    assert caught.value.is_missing is is_missing
    assert server.asked.total() == 1


def test_a_file_that_changes_while_it_is_read_is_given_up(server, host, tmp_path):
    with opened(server, host) as stream:
        stream.read(100_000)
        (tmp_path / "file").write_bytes(BODY[::-1])
        with pytest.raises(SourceError, match="changed"):
            stream.read()


def test_other_ranges_than_asked_for_redirects_in_circles_and_private_addresses_are_refused(server, host):
    server.before = lambda path, n: (206, {"Content-Range": "bytes 5-9/100"}, b"12345")
    with opened(server, host) as stream, pytest.raises(SourceError, match="another range"):
        stream.read()
    server.before = lambda path, n: (302, {"Location": "/file"}, b"")
    with opened(server, host) as stream, pytest.raises(SourceError, match="redirects"):
        stream.read()
    for address in ("http://127.0.0.2:1/", "http://169.254.169.254/latest", "ftp://x.example/"):
        server.before = lambda path, n, to=address: (302, {"Location": to}, b"")
        with opened(server, host) as stream, pytest.raises(SourceError):
            stream.read()


def test_what_an_answer_gives_beyond_its_range_is_no_part_of_the_file(server, host):
    told = {"Content-Range": f"bytes 0-9/{len(BODY)}"}
    server.before = lambda path, n: (206, told, BODY[:10] + b"forged" * 1000) if n == 1 else None
    with opened(server, host) as stream:
        assert stream.read() == BODY


def test_an_empty_file_and_one_without_a_length_end(server, host, tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    for ranges in (True, False):
        server.ranges = ranges
        with opened(server, host, "empty") as stream:
            assert stream.read() == b""


def test_a_redirect_is_followed(server, host, tmp_path):
    (tmp_path / "there").write_bytes(BODY)
    server.before = lambda path, n: (302, {"Location": "/there"}, b"") if path == "/file" else None
    with opened(server, host) as stream:
        assert stream.read() == BODY


def test_reading_ends_at_the_limit_of_bytes_and_when_it_is_stopped(server, host):
    host.max_bytes = 450_000
    with opened(server, host) as stream, pytest.raises(StoppedReading, match="450,000 bytes"):
        stream.read()
    host.max_bytes = None
    host.stop()
    with opened(server, host) as stream, pytest.raises(StoppedReading):
        stream.read()


def test_the_same_file_is_known_again_by_its_size_and_mark(server, host, tmp_path):
    first = RemoteFile(server.url + "file", host)
    first.read(1)
    for at, size, mark, same in (
        (9, first.size, first.mark, True),
        (9, 5, first.mark, False),
        (2_000_000, 1, "", False),
    ):
        again = RemoteFile(server.url + "file", host)
        assert again.has(size, mark, at) is same
        again.seek(0)
        assert again.read(10) == BODY[:10]


def test_a_reader_of_records_gets_the_error_itself(server, host, tmp_path):
    (tmp_path / "file").write_bytes(b"".join(member(f"http://a.example/{n}", BODY[n:200_000]) for n in range(8)))
    server.before = lambda path, n: (503, {}, b"") if n > 2 else None
    with opened(server, host) as stream, pytest.raises(SourceError, match="given up"):
        list(ArchiveIterator(stream, parse_http=False))
