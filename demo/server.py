"""The made-up web on a real loopback socket, for tests with sockets and for a look with a browser.

One port answers in three ways: as an HTTP proxy (`http_proxy=http://127.0.0.1:PORT`, the sites under their true host
names, http only), to whoever sends a site's name as Host, and to a browser under `/~HOST/`, where all links stay.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from demo.web import Web
from demo.wire import Responder, Response, UnknownHostError, html, text

IDLE_S = 30.0
"""After so many seconds without a request a connection is closed."""


class DemoServer(ThreadingHTTPServer):
    """A threading server of the made-up web on 127.0.0.1.

    Parameters
    ----------
    port : int
        0 for any free one.
    web : Responder, optional
        What answers as a proxy and by Host; the three sites, standing on http, by default.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *, port: int = 0, web: Responder | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.web: Responder = web if web is not None else Web(origin="http://{host}")
        self.browsable = Web(origin=self.base_url + "/~{host}")

    @property
    def base_url(self) -> str:
        """Where the server listens, without a slash at the end."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet when a client has gone away, as crawlers do with bodies that are too large."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def answer(self, target: str, *, host: str, method: str, headers: dict[str, str]) -> Response:
        """Answer a request line's target in one of the three ways."""
        try:
            if target.startswith(("http://", "https://")):
                return self.web.respond(target, method=method, headers=headers)
            if target.startswith("/~"):
                name, _, path = target[2:].partition("/")
                return self.browsable.respond(f"http://{name}/{path}", method=method, headers=headers)
            if host in self.web.hosts:
                return self.web.respond(f"http://{host}{target}", method=method, headers=headers)
        except UnknownHostError as error:
            return replace(text(f"{error}\n"), status=502)
        if target == "/":
            return html(self._index())
        return replace(text("No such page; the sites stand under /~HOST/.\n"), status=404)

    def _index(self) -> str:
        links = "".join(f'<li><a href="/~{s.host}/">{s.host}</a></li>' for s in self.browsable.sites)
        return f"<!DOCTYPE html><title>A made-up news web</title><h1>A made-up news web</h1><ul>{links}</ul>"


class _Handler(BaseHTTPRequestHandler):
    """Speaks HTTP for `DemoServer`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms behind its headers
    timeout = IDLE_S
    server: DemoServer

    def do_GET(self) -> None:
        """Answer GET."""
        host = urlsplit("//" + self.headers.get("Host", "")).hostname or ""
        headers = dict(self.headers.items())
        response = self.server.answer(self.path, host=host, method=self.command, headers=headers)
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    do_HEAD = do_GET  # noqa: N815 - named by the standard library

    def do_CONNECT(self) -> None:
        """Refuse tunnels: the proxy serves http only."""
        self.send_error(501, "this proxy serves http URLs only")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named by the standard library
        """Write no log."""


@contextmanager
def serve(*, port: int = 0, web: Responder | None = None) -> Iterator[str]:
    """Serve the made-up web while the block runs.

    Parameters
    ----------
    port : int
        0 for any free one.
    web : Responder, optional
        What answers as a proxy and by Host, e.g. a `Web` whose `visits` are looked at afterwards, or a `ManyPages`.

    Yields
    ------
    str
        The base URL, "http://127.0.0.1:PORT".
    """
    server = DemoServer(port=port, web=web)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.base_url
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def main(arguments: list[str] | None = None) -> None:
    """Serve until interrupted: `python -m demo.server --port 8000`."""
    parser = argparse.ArgumentParser(
        prog="python -m demo.server", description="Serve the made-up news web on 127.0.0.1."
    )
    parser.add_argument("--port", type=int, default=8000, help="the port to listen on (default: 8000; 0: any free one)")
    parser.add_argument("--many", type=int, metavar="N", help="serve one site of N articles instead, by proxy or Host")
    options = parser.parse_args(arguments)
    web: Responder | None = None
    if options.many is not None:
        from demo.many import ManyPages

        web = ManyPages(n_articles=options.many, origin="http://{host}")
    with serve(port=options.port, web=web) as base_url:
        print(f"{base_url}/  (also as http_proxy={base_url}; Ctrl-C ends it)", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("ended")


if __name__ == "__main__":
    main()
