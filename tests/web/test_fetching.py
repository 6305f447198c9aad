"""Attacks through the form: nothing may be fetched but what is on the public internet."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.web.conftest import form_token
from webmain.net import addresses
from webmain.web.config import Limits


@dataclass
class Inside:
    """A server inside the network: its port, the paths that were asked of it, and what it answers with."""

    server_port: int
    asked: list
    handler: type


@pytest.fixture
def inside():
    asked = []

    class Handler(BaseHTTPRequestHandler):
        location = ""

        def do_GET(self):
            asked.append(self.path)
            self.send_response(302 if self.location and self.path != "/robots.txt" else 404)
            self.send_header("Location", self.location)
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Inside(server.server_port, asked, Handler)
        server.shutdown()


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/",
        "127.0.0.1:{port}",
        "localhost:{port}",
        "http://LOCALHOST.:{port}/",
        "http://x.localhost:{port}/",
        "http://127.1:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.0.0.1:{port}/",
        "http://0177.0.0.1:{port}/",
        "http://0.0.0.0:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://[::]:{port}/",
        "http://user@127.0.0.1:{port}/",
        "http://public.example@127.0.0.1:{port}/",
        "http:\\\\127.0.0.1:{port}/",
        "  http://127.0.0.1:{port}/\t",
    ],
)
def test_addresses_of_this_machine_are_refused(connect, inside, address):
    answer = connect().extract(url=address.format(port=inside.server_port))
    assert answer.status_code in (400, 403)
    assert 'role="alert"' in answer.text
    assert inside.asked == []


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/",
        "http://100.100.100.200/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://[fe80::1]/",
        "https://public.example:22/",
        "ftp://public.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "gopher://127.0.0.1:6379/_",
        "http://",
        "//",
        "\0",
    ],
)
def test_what_is_no_public_web_page_is_refused_before_anything_is_asked(connect, monkeypatch, address):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("a name was resolved"))
    assert connect().extract(url=address).status_code in (400, 403)


@pytest.mark.parametrize(
    "target", ["http://10.0.0.1/", "http://[::1]:{port}/in", "http://localhost:{port}/in", "file:///etc/passwd"]
)
def test_a_redirect_into_the_network_is_refused(connect, inside, monkeypatch, target):
    monkeypatch.setattr(addresses, "is_public", lambda address: address == "127.0.0.1")
    inside.handler.location = target.format(port=inside.server_port)
    answer = connect().extract(url=f"http://127.0.0.1:{inside.server_port}/out")
    assert answer.status_code in (400, 403)
    assert "/in" not in inside.asked


def test_a_name_that_turns_to_the_network_after_the_check_gains_nothing(connect, inside, monkeypatch):
    """The name is resolved once for each connection: what was checked is what is connected to."""
    answers = iter(["93.184.216.34", "127.0.0.1", "127.0.0.1", "127.0.0.1"])
    connected = []

    def resolve(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    class Socket(socket.socket):
        def connect(self, address):
            connected.append(address[0])
            raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr("webmain.net.connection.socket.socket", Socket)
    answer = connect().extract(url=f"http://rebinding.example:{inside.server_port}/")
    assert answer.status_code in (403, 502)
    assert connected == ["93.184.216.34"]
    assert inside.asked == []


def test_a_name_that_turns_to_the_network_at_a_redirect_gains_nothing(connect, inside, monkeypatch):
    answers = iter(["93.184.216.34", "93.184.216.34", "10.0.0.7"])  # robots.txt, the page, where it leads
    connected = []

    class Socket(socket.socket):
        def connect(self, address):
            connected.append(address[0])
            super().connect(("127.0.0.1", inside.server_port))

    monkeypatch.setattr(socket, "getaddrinfo", lambda host, port, **_: [(2, 1, 6, "", (next(answers), port))])
    monkeypatch.setattr("webmain.net.connection.socket.socket", Socket)
    inside.handler.location = f"http://turning.example:{inside.server_port}/in"
    answer = connect().extract(url=f"http://turning.example:{inside.server_port}/out")
    assert answer.status_code == 403
    assert set(connected) == {"93.184.216.34"}
    assert "/out" in inside.asked
    assert "/in" not in inside.asked


def test_it_is_not_told_to_which_private_address_a_name_leads(connect, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("10.20.30.40", 80))])
    answer = connect().extract(url="http://secret.example/")
    assert answer.status_code == 403
    assert "10.20.30.40" not in answer.text


def test_a_site_that_is_not_there_is_not_said_to_forbid_anything(connect, monkeypatch):
    def resolve(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    answer = connect().extract(url="http://mistyped.example/")
    assert answer.status_code == 502
    assert "No address for mistyped.example (Name or service not known)" in answer.text
    assert "robots.txt is not available" not in answer.text


def test_names_are_told_as_they_are_written(connect):
    assert "localhost is not on the public internet" in connect().extract(url="http://localhost/").text


def test_private_addresses_can_be_allowed(connect, inside):
    answer = connect(allow_private=True).extract(url=f"http://127.0.0.1:{inside.server_port}/story")
    assert answer.status_code == 502
    assert "404" in answer.text
    assert "/story" in inside.asked


def test_sites_that_never_answer_hold_up_nobody_else(connect):
    client = connect(allow_private=True, limits=Limits(tasks=8, fetch_s=6.0))
    token = form_token(client.get("/").text)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent, ThreadPoolExecutor(9) as threads:
        data = {"url": f"http://127.0.0.1:{silent.getsockname()[1]}/", "form_token": token}
        slow = [threads.submit(client.post, "/extract", data=data) for _ in range(8)]
        while client.app.state.web.tasks.n_busy < 8:
            time.sleep(0.01)
        assert client.get("/").status_code == 200
        assert client.get("/articles").status_code in (200, 503)
        assert client.app.state.web.tasks.n_busy == 8
        refused = client.post("/extract", data=data)
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        assert {one.result().status_code for one in slow} == {504}
    assert client.app.state.web.tasks.n_busy == 0
