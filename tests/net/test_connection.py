import socket
import time
from typing import Any

import pytest

from webmain.net.addresses import REFUSED_PORTS, Guard
from webmain.net.connection import connection_to, fetch_error
from webmain.net.errors import BadAddress, PrivateAddress, Timeout, Unreachable


def resolver(*addresses: str) -> Any:
    def getaddrinfo(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return getaddrinfo


def connect(url: str, *, guard: Guard, timeout_s: float = 5.0) -> socket.socket:
    connection = connection_to(url, guard=guard, end=time.monotonic() + timeout_s)
    try:
        connection.connect()
    except (OSError, ValueError) as error:
        raise fetch_error(error, url) from error
    return connection.sock  # type: ignore[no-any-return]


def test_one_private_address_among_public_ones_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolver("93.184.216.34", "127.0.0.1"))
    with pytest.raises(PrivateAddress, match=r"127\.0\.0\.1"):
        connect("http://rebound.test/", guard=Guard())


def test_second_address_is_tried_when_the_first_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setattr(socket, "getaddrinfo", resolver("127.0.0.2", "127.0.0.1"))
        sock = connect(f"http://two.test:{port}/", guard=Guard(allow_private=True))
        sock.close()


@pytest.mark.parametrize("port", [22, 25, 6379, 81, 1023])
def test_ports_of_other_services_are_refused(port: int) -> None:
    assert port in REFUSED_PORTS
    with pytest.raises(BadAddress, match=f"port {port}"):
        connect(f"http://127.0.0.1:{port}/", guard=Guard(allow_private=True))


@pytest.mark.parametrize("port", [80, 443, 8000, 8080, 8443, 9000, 1024])
def test_ports_of_web_servers_are_not_refused(port: int) -> None:
    assert port not in REFUSED_PORTS


def test_unknown_host_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with pytest.raises(Unreachable, match=r"nowhere\.test"):
        connect("http://nowhere.test/", guard=Guard())


def test_nothing_is_connected_to_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolver("127.0.0.1"))
    with pytest.raises(Timeout):
        connect("http://late.test/", guard=Guard(allow_private=True), timeout_s=-1.0)
