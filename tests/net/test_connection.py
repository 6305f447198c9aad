import socket
from typing import Any

import pytest

from webmain.net.connection import REFUSED_PORTS, Deadline, connect, is_public
from webmain.net.errors import BadAddress, PrivateAddress, Timeout, Unreachable


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.0",
        "172.32.0.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::1",
    ],
)
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.127.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "198.18.0.1",
        "192.88.99.1",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fd12::1",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
        "2001:db8::1",
        "3fff::1",
        "2001::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "64:ff9b:1::808:808",
        "2002:7f00:1::",
        "2002:c0a8:101::1",
        "not an address",
        "",
    ],
)
def test_addresses_of_no_public_host(address: str) -> None:
    assert not is_public(address)


def resolver(*addresses: str) -> Any:
    def getaddrinfo(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return getaddrinfo


def test_one_private_address_among_public_ones_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolver("93.184.216.34", "127.0.0.1"))
    with pytest.raises(PrivateAddress, match=r"127\.0\.0\.1"):
        connect("http", "rebound.test", 80, url="http://rebound.test/", deadline=Deadline(5), allow_private=False)


def test_second_address_is_tried_when_the_first_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setattr(socket, "getaddrinfo", resolver("127.0.0.2", "127.0.0.1"))
        sock = connect("http", "two.test", port, url="http://two.test/", deadline=Deadline(5), allow_private=True)
        sock.hang_up()


@pytest.mark.parametrize("port", [22, 25, 6379, 81, 1023])
def test_ports_of_other_services_are_refused(port: int) -> None:
    assert port in REFUSED_PORTS
    with pytest.raises(BadAddress, match=f"port {port}"):
        connect("http", "127.0.0.1", port, url="http://x/", deadline=Deadline(5), allow_private=True)


@pytest.mark.parametrize("port", [80, 443, 8000, 8080, 8443, 9000, 1024])
def test_ports_of_web_servers_are_not_refused(port: int) -> None:
    assert port not in REFUSED_PORTS


def test_unknown_host_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with pytest.raises(Unreachable, match=r"nowhere\.test"):
        connect("http", "nowhere.test", 80, url="http://nowhere.test/", deadline=Deadline(5), allow_private=False)


def test_deadline_that_is_over_raises() -> None:
    with pytest.raises(Timeout):
        Deadline(0).left_s("http://x/")
    assert 0 < Deadline(5).left_s("http://x/") <= 5
