"""What a page may ask for while it is drawn; no browser."""

import subprocess
import sys
import time

import pytest

from webmain.rendering import request_rules as module
from webmain.rendering.chromium import NAMES, bounded_memory, executable, problem
from webmain.rendering.request_rules import RequestRules, named_hosts

PAGE = "https://www.paper.example/one"
HOSTS = frozenset(("cdn.other.example",))


@pytest.mark.parametrize(
    ("url", "kind", "method", "why"),
    [
        ("https://www.paper.example/a.css", "stylesheet", "GET", ""),
        ("https://api.paper.example/a.json", "fetch", "GET", ""),
        ("https://cdn.other.example/a.js", "script", "GET", ""),
        ("https://cdn.other.example/a.json", "fetch", "GET", "host"),
        ("https://tracker.example/a.js", "script", "GET", "host"),
        ("https://paper.example.evil.example/a.js", "script", "GET", "host"),
        ("http://127.0.0.1/a.js", "script", "GET", "host"),
        ("http://169.254.169.254/latest", "fetch", "GET", "host"),
        ("https://www.paper.example/a", "fetch", "POST", "method"),
        ("https://www.paper.example/a.png", "image", "GET", "kind"),
        ("https://www.paper.example/frame", "document", "GET", "kind"),
        ("https://www.paper.example/ping", "ping", "GET", "kind"),
        ("file:///etc/passwd", "fetch", "GET", "scheme"),
        ("ftp://www.paper.example/a.js", "script", "GET", "scheme"),
    ],
)
def test_requests_are_of_the_site_and_of_hosts_of_styles_and_scripts(url, kind, method, why):
    assert RequestRules(PAGE, HOSTS).refusal(url, kind=kind, method=method) == why


def test_two_ports_of_an_address_are_two_sites():
    rules = RequestRules("http://127.0.0.1:8000/")
    assert rules.refusal("http://127.0.0.1:8000/a.js", kind="script", method="GET") == ""
    assert rules.refusal("http://127.0.0.1:8001/a.js", kind="script", method="GET") == "host"


def test_requests_and_bytes_are_bounded():
    rules = RequestRules(PAGE)
    told = [rules.refusal(f"{PAGE}/{n}.js", kind="script", method="GET") for n in range(module.MAX_REQUESTS + 2)]
    assert told == [""] * module.MAX_REQUESTS + ["limit"] * 2
    assert rules.refused == {"limit": 2}
    rules = RequestRules(PAGE, n_bytes=module.MAX_ALL_BYTES)
    assert rules.refusal(PAGE, kind="fetch", method="GET") == "limit"


def test_hosts_are_those_of_styles_and_scripts_in_the_markup():
    markup = (
        '<link rel=stylesheet href="//a.example/x.css"><LINK href=https://no.example/i.png rel="icon">'
        "<script async src='https://b.example/x.js?a=1&amp;b=2'></script><script>var x = 'https://no.example/'</script>"
        '<img src="https://no.example/a.png"><link rel="preload stylesheet" href="/own.css"><script src="http://[bad/"></script>'
    )
    assert named_hosts(markup, PAGE) == {"a.example", "b.example", "www.paper.example"}
    assert (
        len(named_hosts("".join(f"<script src=//h{n}.example></script>" for n in range(99)), PAGE)) == module.MAX_HOSTS
    )


@pytest.mark.parametrize(
    "part", ["<script ", "<script src=", "<link rel=stylesheet href='", "<script " + "a" * 1990, "<"]
)
def test_hosts_are_read_in_linear_time(part):
    began = time.process_time()
    named_hosts(part * (2_000_000 // len(part)), PAGE)
    assert time.process_time() - began < 5


def test_what_is_missing_is_told_in_one_line(monkeypatch):
    assert "'no-such-chromium' is not installed" in problem("no-such-chromium")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert "ordinary user" in problem("/bin/sh")
    assert problem("/bin/sh", sandbox=False) is None
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert problem("/bin/sh") is None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install 'webmain[render]'" in problem("/bin/sh")
    assert "\n" not in problem("/bin/sh")


def test_of_several_browsers_the_one_without_a_surface_is_taken(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert executable() is None
    for name in reversed(NAMES):
        (tmp_path / name).touch(mode=0o755)
        assert executable() == str(tmp_path / name)
    assert executable("chromium") == str(tmp_path / "chromium")
    assert executable() == str(tmp_path / "chromium-headless-shell")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")
def test_processes_that_start_meanwhile_have_bounded_memory():
    ask = [sys.executable, "-c", "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"]
    before = subprocess.check_output(ask)
    with bounded_memory(1 << 30):
        assert int(subprocess.check_output(ask)) == 1 << 30
        with bounded_memory(2 << 30):
            assert int(subprocess.check_output(ask)) == 1 << 30
    assert subprocess.check_output(ask) == before
