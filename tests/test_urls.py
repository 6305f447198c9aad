import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.urls import (
    MAX_URL_CHARS,
    amp_to_canonical_guess,
    host,
    is_outer,
    join,
    normalise,
    same_site,
    site_key,
)

BAD_URLS = [
    "",
    " ",
    "http://",
    "http://[",
    "http://[zz]/",
    "http://[::1]x/",
    "http://a..b/",
    "http://-/",
    "http://a:99999999999999999999/",
    "http://\ud800/",
    "http://" + "é" * 300 + "/",
    "http://" + "a" * 300 + ".com/",
    "http://a/" + "x" * MAX_URL_CHARS,
    "\x00\x01",
    "javascript:alert(1)",
]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.bbc.co.uk/news", "bbc.co.uk"),
        ("https://NEWS.BBC.co.uk:8443/news", "bbc.co.uk"),
        ("http://x.blogspot.com/2020/", "x.blogspot.com"),
        ("http://blogspot.com/", "blogspot.com"),
        ("//cdn.example.com/a", "example.com"),
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("localhost:8000/x", "localhost:8000"),
        ("http://localhost:80/", "localhost"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://[::1]:8000/", "[::1]:8000"),
        ("http://[2001:DB8:0::1]/", "[2001:db8::1]"),
        ("https://WWW.MÜLLER.de/", "xn--mller-kva.de"),
        ("https://ข่าว.ไทย/", "xn--22c8e6a1f.xn--o3cw4h"),
        ("https://user:pass@www.example.org:99/", "example.org"),
        ("https://www.example.com./", "example.com"),
        ("http://news.paper.test/", "paper.test"),
        ("http://a.b.news.unknownsuffix/", "news.unknownsuffix"),
        ("http:\\\\www.example.com\\x", "example.com"),
        ("mailto:someone@example.com", ""),
        ("/relative", ""),
    ],
)
def test_site_is_the_registered_domain(url: str, key: str) -> None:
    assert site_key(url) == key


def test_same_site_needs_two_hosts() -> None:
    assert same_site("http://a.x.com/", "https://b.x.com/")
    assert not same_site("http://x.com/", "http://y.com/")
    assert not same_site("", "")


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTP://WWW.Example.COM", "http://www.example.com/"),
        ("https://example.com:443/a#b", "https://example.com/a"),
        ("http://example.com:80/?", "http://example.com/"),
        ("http://u:p@example.com/", "http://example.com/"),
        ("http://example.com/../../a/..", "http://example.com/"),
        ("http://example.com/%2e%2e/a", "http://example.com/a"),
        ("http://example.com/%7euser/%c3%a9%2f", "http://example.com/~user/%C3%A9%2F"),
        ("http://example.com/ข่าว?q=é", "http://example.com/%E0%B8%82%E0%B9%88%E0%B8%B2%E0%B8%A7?q=%C3%A9"),
        ("http://example.com\\a\\b", "http://example.com/a/b"),
        (" http://exam\nple.com/a\tb ", "http://example.com/ab"),
        ("http://example.com/a//b/", "http://example.com/a//b/"),
        ("http://example.com/?b=2&a=1&b=1&c=&d", "http://example.com/?b=2&a=1&b=1&c=&d"),
        ("http://example.com/?utm_source=x&id=5&UTM_Medium=y&fbclid=z", "http://example.com/?id=5"),
        ("http://example.com/?utm%5Fsource=x", "http://example.com/"),
        ("http://example.com/?ref=rss&source=Twitter", "http://example.com/"),
        ("http://example.com/?ref=12&source=reuters", "http://example.com/?ref=12&source=reuters"),
        ("http://example.com/a;jsessionid=1A2B?x=1", "http://example.com/a?x=1"),
        ("http://example.com/(S(abcdefghij0123456789abcd))/a.aspx", "http://example.com/a.aspx"),
        ("http://example.com/?PHPSESSID=1&sid=7", "http://example.com/?sid=7"),
        ("http://example.com/?sid=0123456789abcdef0123456789abcdef", "http://example.com/"),
        ("http://example.com/?_=1732700000000", "http://example.com/"),
        ("http://example.com/?_=1732700", "http://example.com/?_=1732700"),
        ("http://[::0001]:8080/", "http://[::1]:8080/"),
        ("ftp://example.com/", None),
    ],
)
def test_normal_form(url: str, normal: str | None) -> None:
    assert normalise(url) == normal


@given(
    st.text(max_size=60).map("http://example.com/".__add__)
    | st.from_regex(r"https?://[a-z.]{1,9}(/[%.;a-f0-9?&=#]{0,20}){1,3}")
)
def test_normalising_twice_changes_nothing(url: str) -> None:
    once = normalise(url)
    assert once is None or normalise(once) == once


@pytest.mark.parametrize(
    ("href", "joined"),
    [
        ("/b?c=1#d", "http://x.com/b?c=1#d"),
        ("../b", "http://x.com/b"),
        ("?p=2", "http://x.com/a/page?p=2"),
        ("", "http://x.com/a/page?q"),
        ("\\\\y.com\\b", "http://y.com/b"),
        ("http:\\/\\/y.com\\/b", "http://y.com//b"),
        ("/\\y.com/b", "http://y.com/b"),
        (" https://y.com/b\n", "https://y.com/b"),
        ("https://y.com/b c", "https://y.com/b c"),
        ("javascript:void(0)", None),
        ("java\nscript:alert(1)", None),
        ("ftp://x.com/", None),
        ("http://a..b/", None),
        ("/" + "x" * MAX_URL_CHARS, None),
    ],
)
def test_join(href: str, joined: str | None) -> None:
    assert join("http://x.com/a/page?q", href) == joined


def test_join_without_base_takes_absolute_links_only() -> None:
    assert join(None, "https://x.com/a") == "https://x.com/a"
    assert join(None, "/a") is None
    assert join("not a url", "/a") is None


@pytest.mark.parametrize(
    ("href", "outer"),
    [
        ("https://other.com/", True),
        (" HTTPS://OTHER.com/", True),
        ("http://y.blogspot.com/", True),
        ("https://www.example.com/", False),
        ("http://cdn.example.com:8080/x", False),
        ("/path", False),
        ("mailto:x@other.com", False),
        ("javascript:location='//other.com'", False),
        ("http:///", False),
    ],
)
def test_outer_links_lead_to_another_site(href: str, outer: bool) -> None:
    assert is_outer(href, "https://news.example.com/a", "example.com") is outer
    assert is_outer(href, "https://news.example.com/a", None) is outer
    assert not is_outer(href, None, None)


def test_same_host_option_makes_sister_hosts_outer() -> None:
    base = "https://news.example.com/a"
    assert is_outer("https://cdn.example.com/", base, "example.com", same_host=True)
    assert not is_outer("https://NEWS.example.com:99/", base, "example.com", same_host=True)


@pytest.mark.parametrize(
    ("url", "guess"),
    [
        ("https://www-example-com.cdn.ampproject.org/c/s/www.example.com/a/amp/", "https://www.example.com/a/"),
        (
            "https://www-example-com.cdn.ampproject.org/v/www.example.com/a?amp_js_v=0.1&x=1",
            "http://www.example.com/a?x=1",
        ),
        ("https://www.google.co.th/amp/s/amp.example.com/a", "https://www.example.com/a"),
        ("https://amp.theguardian.com/world/a", "https://www.theguardian.com/world/a"),
        ("https://amp.news.example.com/a", "https://news.example.com/a"),
        ("https://www.bbc.com/news/amp/world-123", "https://www.bbc.com/news/world-123"),
        ("https://example.com/a.amp.html", "https://example.com/a.html"),
        ("https://example.com/a.amp", "https://example.com/a"),
        ("https://example.com/amp/a", "https://example.com/a"),
        ("https://example.com/a?amp=1&b=2", "https://example.com/a?b=2"),
        ("https://example.com/a?outputType=amp", "https://example.com/a"),
        ("https://example.com/amp", "https://example.com/amp"),
        ("https://example.com/guitars/amp/best", "https://example.com/guitars/amp/best"),
        ("https://amp.dev/a", "https://amp.dev/a"),
    ],
)
def test_amp_addresses_are_guessed_back(url: str, guess: str) -> None:
    assert amp_to_canonical_guess(url) == guess


@pytest.mark.parametrize("url", BAD_URLS)
def test_bad_urls_never_raise(url: str) -> None:
    for value in (site_key(url), host(url), amp_to_canonical_guess(url)):
        assert isinstance(value, str)
    assert is_outer(url, "http://x.com/", "x.com") in {True, False}
    assert is_outer("http://y.com/", url, None) in {True, False}
    assert normalise(url) is None
    for base, href in ((url, "a"), ("http://x.com/", url), (url, url), (url, "/a")):
        joined = join(base, href)
        assert joined is None or normalise(joined) or len(joined) > 100


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_makes_a_function_raise(a: str, b: str) -> None:
    for text in (a, "http://" + a, "http://x.com:" + a):
        site_key(text)
        normalise(text)
        amp_to_canonical_guess(text)
        is_outer(text, b, None)
        is_outer(b, text, None, True)
        joined = join(text, b)
        assert joined is None or joined.lower().startswith("http")


def test_many_links_of_a_page_cost_little() -> None:
    links = [f"/story/{i}" for i in range(200_000)]
    start = time.process_time()
    assert not any(is_outer(link, "https://www.example.com/", "example.com") for link in links)
    assert time.process_time() - start < 2


def test_importing_reads_no_suffix_list() -> None:
    code = "import sys, webmain.urls; sys.exit('publicsuffixlist' in sys.modules or 'idna' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
