from __future__ import annotations

import gzip
import http.client
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from demo.server import serve
from demo.web import Web

ROOT = Path(__file__).parents[2]


@pytest.fixture
def base_url() -> Iterator[str]:
    with serve() as url:
        yield url


def ask(
    base_url: str, target: str, *, host: str | None = None, method: str = "GET"
) -> tuple[int, dict[str, str], bytes]:
    """Send one request line as it is."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=10)
    try:
        connection.putrequest(method, target, skip_host=host is not None, skip_accept_encoding=True)
        if host is not None:
            connection.putheader("Host", host)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_it_is_a_proxy_for_the_true_host_names(base_url: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": base_url}))
    with opener.open("http://harbour-courier.example/", timeout=10) as response:
        assert response.url == "http://www.harbour-courier.example/"
        page = response.read().decode()
    links = re.findall(r'<h3><a href="([^"]+)"', page)
    with opener.open(urljoin("http://www.harbour-courier.example/", links[0]), timeout=10) as response:
        assert b"Courier" in response.read()
    with opener.open("http://www.harbour-courier.example/sitemaps/articles-2026.xml.gz", timeout=10) as response:
        assert b"<loc>http://www.harbour-courier.example/2026/" in gzip.decompress(response.read())
    with pytest.raises(urllib.error.HTTPError, match="502") as caught:
        opener.open("http://elsewhere.example/", timeout=10)
    caught.value.close()


def test_below_a_prefix_all_links_stay(base_url: str) -> None:
    status, _, body = ask(base_url, "/~khaosaiklang.example/")
    assert status == 200
    inner = [link for link in re.findall(r'<a [^>]*href="([^"]+)"', body.decode()) if not link.startswith("#")]
    assert len(inner) > 20
    assert all(link.startswith("/~khaosaiklang.example/") for link in inner)
    status, _, index = ask(base_url, "/")
    assert status == 200
    assert b"/~the-tangle.example/" in index


@pytest.mark.parametrize("host", ["www.harbour-courier.example", "the-tangle.example"])
def test_canonical_links_stand_where_the_page_does(base_url: str, host: str) -> None:
    for article in Web(origin=base_url + "/~{host}").expected():
        if article.site == host.removeprefix("www.") and article.forms & {"json-ld", "duplicates"}:
            status, _, body = ask(base_url, urlsplit(article.url).path)
            assert status == 200
            assert f'<link rel="canonical" href="{article.url}">'.encode() in body


def test_what_is_not_there_says_so(base_url: str) -> None:
    assert ask(base_url, "/nothing")[0] == 404
    assert ask(base_url, "/~elsewhere.example/")[0] == 502
    assert ask(base_url, "the-tangle.example:443", method="CONNECT")[0] == 501
    assert ask(base_url, "http://the-tangle.example/", method="POST")[0] == 501


def test_the_command_says_where_it_listens() -> None:
    command = [sys.executable, "-m", "demo.server", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.match(r"(http://127\.0\.0\.1:\d+)/", process.stdout.readline())
            assert found
            assert ask(found[1], "/")[0] == 200
        finally:
            process.terminate()
