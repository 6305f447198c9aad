import gzip
import pickle
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from webmain.net import addresses, connection
from webmain.net.errors import (
    BadAddress,
    BadResponse,
    FetchError,
    HTTPStatus,
    PrivateAddress,
    RobotsDenied,
    RobotsUnknown,
    Timeout,
    TooLarge,
    TooManyRedirects,
    Unreachable,
)
from webmain.net.fetch import fetch

Route = Callable[[BaseHTTPRequestHandler], None]


def answer(
    body: bytes = b"<p>words",
    *,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (),
    length: int | None = None,
) -> Route:
    def route(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", "text/html; charset=utf-8")
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers:
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return route


def redirect(location: str, status: int = 302) -> Route:
    return answer(b"", status=status, headers=(("Location", location),))


def raw(*pieces: bytes, pause_s: float = 0.0) -> Route:
    def route(handler: BaseHTTPRequestHandler) -> None:
        for piece in pieces:
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(pause_s)

    return route


class Site:
    """A real server on a random port of this machine; routes by path, requests written down."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.routes: dict[str, Route] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                with suppress(OSError):  # the client hung up, as it should
                    site.routes.get(self.path, answer(b"no", status=404))(self)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.stop()


def get(url: str, **options: Any) -> Any:
    return fetch(url, allow_private=True, **{"timeout_s": 10, **options})


def test_page_holds_what_came(site: Site) -> None:
    site.routes["/a?b=1&utm_source=x"] = answer(b"<p>words", headers=(("X-Two", "a"), ("X-Two", "b")))
    page = get(site.url("/a?b=1&utm_source=x#part"), user_agent="tester/1.0 (+http://x.test)")
    assert (page.body, page.status, page.html) == (b"<p>words", 200, None)
    assert page.url == site.url("/a?b=1&utm_source=x")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["x-two"] == "a, b"
    assert abs(page.fetched_at - datetime.now(UTC)) < timedelta(seconds=30)
    sent = site.requests[-1][1]
    assert sent["user-agent"] == "tester/1.0 (+http://x.test)"
    assert sent["host"] == f"127.0.0.1:{site.port}"


def test_connection_goes_to_the_address_that_was_checked(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def getaddrinfo(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    site.routes["/"] = answer()
    assert get(f"http://News.Test:{site.port}/", obey_robots=False).body == b"<p>words"
    assert asked == ["news.test"]
    assert site.requests[-1][1]["host"] == f"news.test:{site.port}"


def test_proxies_of_the_environment_are_ignored(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    site.routes["/"] = answer()
    assert get(site.url()).status == 200


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.1:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://0.0.0.0:{port}/",
        "http://169.254.169.254/latest/meta-data/",
    ],
)
def test_private_addresses_are_refused_however_written(site: Site, url: str) -> None:
    with pytest.raises(PrivateAddress):
        fetch(url.format(port=site.port), timeout_s=5)
    assert site.requests == []


def test_redirect_to_a_private_address_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "is_public", lambda address: address == "127.0.0.1")
    site.routes["/robots.txt"] = answer(b"", status=404)
    site.routes["/"] = redirect("http://127.0.0.2/secret")
    with pytest.raises(PrivateAddress, match=r"127\.0\.0\.2"):
        fetch(site.url(), timeout_s=5)


def test_robots_redirected_to_a_private_address_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "is_public", lambda address: address == "127.0.0.1")
    site.routes["/robots.txt"] = redirect("http://10.0.0.1/")
    with pytest.raises(PrivateAddress):
        fetch(site.url(), timeout_s=5)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x.test/",
        "file:///etc/passwd",
        "/path",
        "",
        "http://",
        "http://[",
        "http://u:p@x.test/",
        "http://u@x.test",
        "http:\\\\u@x.test/",
        "gopher://x/",
        "http://x.test:22/",
        "http://x.test:0/",
        "http://x.test:70000/",
        "http://a b/",
    ],
)
def test_addresses_that_are_no_web_page_are_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", None)
    with pytest.raises(BadAddress):
        get(url)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(site: Site, status: int) -> None:
    site.routes |= {"/a": redirect("b/c d?é=1#x", status), "/b/c%20d?%C3%A9=1": answer(b"there")}
    page = get(site.url("/a"))
    assert (page.body, page.url) == (b"there", site.url("/b/c%20d?%C3%A9=1"))


def test_circle_of_redirects_is_noticed(site: Site) -> None:
    site.routes |= {"/a": redirect("/b"), "/b": redirect("/a")}
    with pytest.raises(TooManyRedirects, match="circle"):
        get(site.url("/a"))
    assert site.paths().count("/a") == 1


def test_statuses_but_success_raise_with_headers(site: Site) -> None:
    site.routes["/"] = answer(b"", status=503, headers=(("Retry-After", "60"),))
    with pytest.raises(HTTPStatus) as caught:
        get(site.url())
    assert (caught.value.status, caught.value.headers["retry-after"]) == (503, "60")


ROBOTS = b"User-agent: webmain\nDisallow: /no\n\nUser-agent: *\nDisallow: /\n"


def test_robots_rules_are_obeyed(site: Site) -> None:
    site.routes |= {"/robots.txt": answer(ROBOTS), "/no/a": answer(), "/yes": answer(), "/to": redirect("/no/a")}
    assert get(site.url("/yes")).status == 200
    assert get(site.url("/yes"), user_agent="webmain/2 (+http://x.test)").status == 200
    for path, agent in (("/no/a", "webmain"), ("/to", "webmain"), ("/yes", "other/1.0")):
        with pytest.raises(RobotsDenied):
            get(site.url(path), user_agent=agent)
    assert "/no/a" not in site.paths()
    assert get(site.url("/no/a"), obey_robots=False).status == 200


@pytest.mark.parametrize("status", [429, 500, 503])
def test_failing_robots_forbid_everything(site: Site, status: int) -> None:
    site.routes |= {"/robots.txt": answer(b"", status=status), "/": answer()}
    with pytest.raises(RobotsUnknown, match=str(status)):
        get(site.url())
    assert site.paths() == ["/robots.txt"]


def test_robots_are_read_once_a_site(site: Site) -> None:
    site.routes |= {"/robots.txt": redirect("/r"), "/r": answer(b""), "/": redirect("/b"), "/b": answer()}
    get(site.url())
    assert site.paths() == ["/robots.txt", "/r", "/", "/b"]


def test_host_that_does_not_answer_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Unreachable):
        get(f"http://127.0.0.1:{port}/", obey_robots=False)
    with pytest.raises(RobotsUnknown):
        get(f"http://127.0.0.1:{port}/")


def test_size_limit_is_exact(site: Site) -> None:
    site.routes["/"] = answer(b"x" * 1000)
    assert len(get(site.url(), max_bytes=1000).body) == 1000
    with pytest.raises(TooLarge):
        get(site.url(), max_bytes=999)


def test_size_limit_holds_without_a_length(site: Site) -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    site.routes |= {"/a": raw(head, b"x" * 1000), "/b": raw(head, *[b"x" * 100_000] * 50)}
    assert len(get(site.url("/a")).body) == 1000
    with pytest.raises(TooLarge):
        get(site.url("/b"), max_bytes=200_000)


def test_compressed_pages_are_read_and_bombs_refused(site: Site) -> None:
    site.routes["/a"] = answer(gzip.compress(b"<p>words"), headers=(("Content-Encoding", "gzip"),))
    site.routes["/b"] = answer(gzip.compress(bytes(30_000_000)), headers=(("Content-Encoding", "gzip"),))
    assert get(site.url("/a")).body == b"<p>words"
    assert "gzip" in site.requests[-1][1]["accept-encoding"]
    with pytest.raises(TooLarge):
        get(site.url("/b"))


def test_chunked_pages_are_read(site: Site) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    site.routes["/a"] = raw(head, b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")
    site.routes["/b"] = raw(head, b"3\r\nabc\r\n5\r\nde")
    site.routes["/c"] = raw(head, b"zz\r\nabc")
    assert get(site.url("/a")).body == b"abcde"
    for path in ("/b", "/c"):
        with pytest.raises(BadResponse):
            get(site.url(path))


def test_page_that_is_cut_off_is_told(site: Site) -> None:
    site.routes["/"] = answer(b"<p>half", length=100)
    with pytest.raises(BadResponse, match="7 of 100"):
        get(site.url())


@pytest.mark.parametrize(
    "lines",
    [b"SSH-2.0-OpenSSH\r\n", b"", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n",
     b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n"],
)  # fmt: skip
def test_answers_that_are_no_http_are_told(site: Site, lines: bytes) -> None:
    site.routes["/"] = raw(lines)
    with pytest.raises((BadResponse, Unreachable)):
        get(site.url(), obey_robots=False)


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [HEAD + b"Content-Length: 1000\r\n\r\n", *[b"x"] * 100],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[b"1\r\nx\r\n"] * 100],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[b"0"] * 100],
        [HEAD, *[b"X: y\r\n"] * 90],
        [*[b"H"] * 100],
    ],
)
def test_slow_drip_ends_at_the_deadline(site: Site, pieces: list[bytes]) -> None:
    site.routes["/"] = raw(*pieces, pause_s=0.05)
    start = time.monotonic()
    with pytest.raises(Timeout):
        get(site.url(), timeout_s=0.5, obey_robots=False)
    assert time.monotonic() - start < 4  # all of it would take 5


def test_silent_resolver_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def getaddrinfo(*_: Any, **__: Any) -> list[Any]:
        release.wait(10)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with pytest.raises(Timeout):
        get("http://slow.test/", timeout_s=0.2)
    release.set()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "news.test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("news.test")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def secure_site(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    site = Site(context)
    site.routes["/"] = answer(b"secure")
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(connection, "_tls", lambda: trusting)
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda h, p, **_: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", p))]
    )
    yield site
    site.stop()


def test_tls_verifies_the_name_not_the_address(secure_site: Site) -> None:
    assert get(f"https://news.test:{secure_site.port}/").body == b"secure"
    with pytest.raises(Unreachable, match="TLS"):
        get(f"https://other.test:{secure_site.port}/", obey_robots=False)


def test_unknown_certificates_are_refused(secure_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_tls", ssl.create_default_context)
    with pytest.raises(Unreachable, match="TLS"):
        get(f"https://news.test:{secure_site.port}/", obey_robots=False)


@pytest.mark.parametrize("error", [Timeout("slow", "http://x/"), HTTPStatus(503, "http://x/", {"retry-after": "5"})])
def test_errors_are_picklable_value_errors(error: FetchError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, ValueError)
    assert (type(copy), str(copy), copy.url) == (type(error), str(error), "http://x/")  # type: ignore[attr-defined]
    if isinstance(error, HTTPStatus):
        assert (copy.status, copy.headers) == (503, {"retry-after": "5"})  # type: ignore[attr-defined]
