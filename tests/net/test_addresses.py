"""What may be connected to: the network edge's one decision, attacked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.net.addresses import Guard, allows_private, is_public, numeric_address
from webmain.net.errors import BadAddress, PrivateAddress

PUBLIC = [
    "93.184.216.34",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.0",
    "172.32.0.1",
    "2606:4700::1111",
    "64:ff9b::808:808",
]
INNER = """
127.0.0.1 127.255.255.254 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.100.100.200
100.127.255.255 192.0.0.8 192.0.0.192 192.0.2.1 198.18.0.1 198.19.255.255 192.88.99.1 203.0.113.9 224.0.0.1 239.255.255.255
    240.0.0.1 255.255.255.255 168.63.129.16 :: ::1 fe80::1 fe80::1%eth0 fc00::1 fd12::1 fd00:ec2::254 fec0::1 ff02::1 ff0e::1
2001:db8::1 3fff::1 2001::1 2001:2::1 2001:0:7f00:1:: ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 ::8.8.8.8
    64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::808:808 64:ff9b:1::7f00:1 2002:7f00:1:: 2002:c0a8:101::1
    2002:808:808::1 100::1 5f00::1 ::ffff:0:127.0.0.1
    """.split()


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address):
    assert is_public(address)


@pytest.mark.parametrize("address", [*INNER, "not an address", ""])
def test_addresses_of_no_public_host(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0X7F.1", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("127.0.1", "127.0.0.1"),
        ("0", "0.0.0.0"),
        ("[::1]", "::1"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("::ffff:7f00:1", "::ffff:127.0.0.1"),
        ("fe80::1%25eth0", "fe80::1"),
        ("1.2.3.4.5", ""),
        ("256.256.256.256", ""),
        ("foo.0x4", ""),
        ("99999999999", ""),
        ("09.0.0.1", ""),
        ("bbc.com", None),
        ("3com.com", None),
        ("1.example", None),
        ("localhost", None),
    ],
)
def test_odd_spellings_of_addresses_are_read(host, address):
    found = numeric_address(host)
    assert found == address or (address and "ffff" in address and found in (address, "::ffff:7f00:1"))


@given(st.text(max_size=40))
def test_no_text_breaks_the_guard(text):
    for url in (text, f"http://{text}/", f"https://{text}"):
        try:
            Guard([url]).check_target(url)
            Guard().check_target(url)
        except BadAddress:
            pass


@pytest.mark.parametrize("address", [a for a in INNER if "%" not in a])
def test_inner_addresses_are_refused_before_and_after_they_are_resolved(address):
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(PrivateAddress):
        Guard().check_target(f"http://{host}/x")
    guard = Guard()
    target = guard.check_target("http://evil.example/")
    with pytest.raises(PrivateAddress):
        guard.check_addresses(target, ["8.8.8.8", address], "http://evil.example/")


@pytest.mark.parametrize(
    "url",
    [
        *(
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://127.0.0.1./",
            "http://0/",
        ),
        *(
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
        ),
        *(
            "http://134744072/",
            "http://010.8.8.8/",
            "http://1.2.3.4.5/",
            "http://evil.example:25/",
            "http://evil.example:6379/",
        ),
        *(
            "ftp://evil.example/",
            "file:///etc/passwd",
            "data:,x",
            "s3://bucket/key",
            "http:///x",
            "http://[::1",
            "http://x:99999/",
        ),
    ],
)
def test_targets_that_are_refused_unresolved(url):
    with pytest.raises(BadAddress):
        Guard().check_target(url)


def test_what_the_user_named_is_let_through_with_its_port_alone():
    guard = Guard(["http://127.0.0.1:8001/", "https://intranet.example/"])
    guard.check_addresses(guard.check_target("http://127.0.0.1:8001/a"), ["127.0.0.1"], "")
    for url in ("http://127.0.0.1:8002/", "http://127.0.0.1/", "http://localhost:8001/", "http://127.1:8001/"):
        with pytest.raises(BadAddress):
            guard.check_target(url)
    for url in ("https://intranet.example/", "http://intranet.example/", "http://www.intranet.example/"):
        guard.check_addresses(guard.check_target(url), ["10.0.0.5"], url)
    for url in ("http://intranet.example:8080/", "http://other.intranet.example/"):
        with pytest.raises(PrivateAddress):
            guard.check_addresses(guard.check_target(url), ["10.0.0.5"], url)


def test_a_named_host_that_was_public_does_not_become_private():
    guard = Guard(["https://evil.example/"])
    target = guard.check_target("https://evil.example/")
    guard.check_addresses(target, ["93.184.216.34"], "")
    with pytest.raises(PrivateAddress):
        guard.check_addresses(target, ["10.0.0.5"], "")


@pytest.mark.parametrize("address", ["169.254.169.254", "100.100.100.200", "fd00:ec2::254"])
def test_a_named_host_does_not_lead_to_a_clouds_credentials(address):
    guard = Guard(["https://evil.example/"])
    with pytest.raises(PrivateAddress):
        guard.check_addresses(guard.check_target("https://evil.example/"), [address], "")


def test_private_addresses_can_be_allowed_and_ports_of_other_services_not(monkeypatch):
    guard = Guard(allow_private=True)
    guard.check_addresses(guard.check_target("http://127.0.0.1:8000/"), ["127.0.0.1"], "")
    with pytest.raises(BadAddress):
        guard.check_target("http://127.0.0.1:6379/")
    monkeypatch.setenv("WEBMAIN_ALLOW_PRIVATE", "1")
    assert allows_private()
    monkeypatch.setenv("WEBMAIN_ALLOW_PRIVATE", "0")
    assert not allows_private()
