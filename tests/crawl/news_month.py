"""A made-up month of Common Crawl's news archives, and a server of such files."""

from __future__ import annotations

import gzip
import random
import re
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MONTH = "2026/10"
FOLDER = f"crawl-data/CC-NEWS/{MONTH}"


def member(
    url: str, body: bytes, *, date: str = "2026-10-15T06:00:00Z", kind: str = "response", extra: str = ""
) -> bytes:
    """Return a record as Common Crawl writes it: a gzip member of its own."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    if kind == "request":
        block = b"GET / HTTP/1.1\r\nUser-Agent: CCBot/2.0\r\n\r\n"
    identity = uuid.uuid5(uuid.NAMESPACE_URL, kind + url)
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{identity}>\r\nWARC-Date: {date}\r\n"
    head += f"WARC-Target-URI: {url}\r\n{extra}Content-Type: application/http; msgtype={kind}\r\n"
    head += f"Content-Length: {len(block)}\r\n\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


def page(host: str, number: int, *, padding: int = 0) -> tuple[str, bytes]:
    """Return the URL and the body of an article; `padding` characters are added that do not pack well."""
    title = f"Ferry number {number} of {host}"
    sentence = f"In the year {1000 + number} the ferry of {host} left {number} times before the tide came in again. "
    junk = random.Random(f"{host} {number}").randbytes(padding // 2).hex()
    html = f"<html><head><title>{title}</title><script>/* {junk} */</script></head><body><article><h1>{title}</h1>"
    return f"https://www.{host}/news/{number}", f"{html}<p>{sentence * 6}</p></article></body></html>".encode()


def info() -> bytes:
    """Return the record that opens a file."""
    head = "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:0>\r\nWARC-Date: 2026-10-15T05:00:00Z\r\n"
    body = b"isPartOf: CC-NEWS\r\n"
    return gzip.compress((f"{head}Content-Length: {len(body)}\r\n\r\n").encode() + body + b"\r\n\r\n", mtime=0)


def warc(pages: list[tuple[str, bytes]]) -> bytes:
    """Return a file: for each page its request and its answer."""
    parts = [info()]
    for url, body in pages:
        parts += [member(url, b"", kind="request"), member(url, body)]
    return b"".join(parts)


def write_month(
    root: Path, files: dict[str, bytes], *, month: str = MONTH, listed: list[str] | None = None
) -> list[str]:
    """Write files and their list below a folder; return their paths."""
    folder = root / "crawl-data" / "CC-NEWS" / month
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in files.items():
        (folder / name).write_bytes(body)
    paths = [f"crawl-data/CC-NEWS/{month}/{name}" for name in files] if listed is None else listed
    (folder / "warc.paths.gz").write_bytes(gzip.compress("".join(f"{path}\n" for path in paths).encode()))
    return paths


Answer = tuple[int, dict[str, str], bytes]


class DataHost:
    """Serves a folder, with ranges or without.

    `before` is called with a path and how often it was asked for; what it returns is answered in place of the file.
    """

    def __init__(self, root: Path, *, ranges: bool = True) -> None:
        self.root, self.ranges = root, ranges
        self.before: Callable[[str, int], Answer | None] = lambda path, n: None
        self.asked: Counter[str] = Counter()
        self.requests: list[tuple[str, str]] = []
        self.agents: set[str] = set()
        self.n_sent = 0
        self.cut_after: int | None = None
        self.pause_s = 0.0
        me = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                me.asked[self.path] += 1
                me.requests.append((self.path, self.headers.get("Range", "")))
                me.agents.add(self.headers.get("User-Agent", ""))
                file = me.root / self.path.lstrip("/")
                answer = me.before(self.path, me.asked[self.path])
                if answer is None:
                    answer = (
                        me.answer(file, self.headers.get("Range", "")) if file.is_file() else (404, {}, b"no such key")
                    )
                status, headers, body = answer
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                cut = len(body) if me.cut_after is None else me.cut_after
                for at in range(0, min(cut, len(body)), 1 << 16):
                    piece = body[at : min(at + (1 << 16), cut)]
                    time.sleep(me.pause_s)
                    self.wfile.write(piece)
                    me.n_sent += len(piece)
                if cut < len(body):
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass  # clients are killed in some tests

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def answer(self, file: Path, asked: str) -> Answer:
        """Return a file, or the range of it that was asked for."""
        body = file.read_bytes()
        headers = {"ETag": f'"{len(body)}-{file.stat().st_mtime_ns}"'}
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", asked) if self.ranges else None
        if match is None:
            return 200, headers, body
        begin, end = int(match[1]), min(int(match[2]) + 1, len(body))
        if begin >= len(body):
            return 416, headers | {"Content-Range": f"bytes */{len(body)}"}, b""
        return 206, headers | {"Content-Range": f"bytes {begin}-{end - 1}/{len(body)}"}, body[begin:end]

    def close(self) -> None:
        """Shut down."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
