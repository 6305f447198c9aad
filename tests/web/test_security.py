"""Attacks on the server: each must fail, whatever page is attacked."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from starlette.requests import HTTPConnection
from starlette.routing import Route

from tests.web.conftest import ORIGIN, form_token
from webmain.web.app import create_app
from webmain.web.config import Config, Limits
from webmain.web.sessions import Logins

TOKEN = "correct horse battery staple"


def log_in(client, token=TOKEN, page="/login"):
    data = {"form_token": form_token(client.get(page).text), "token": token}
    return client.post(page, data=data, headers={"origin": ORIGIN})


@pytest.mark.parametrize("path", ["/", "/nothing", "/static/webmain.css", "/api/v1/nothing", "/login"])
def test_every_answer_has_the_security_headers(connect, path):
    headers = connect().get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("path", ["/", "/login", "/nothing"])
def test_pages_have_nothing_inline(connect, path):
    text = connect(token=TOKEN).get(path, follow_redirects=True).text
    assert "<style" not in text
    assert " style=" not in text
    assert "<script>" not in text
    assert " onclick=" not in text


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example:8000",
        "",
        "127.0.0.1@evil.example",
        "[::1",
        "a b",
        "192.168.0.7",
        "localhost:8000, evil.example",
        "localhost:99999",
    ],
)
def test_other_names_that_lead_here_are_refused(connect, host):
    assert connect().get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:9", "[::1]:8000", "LOCALHOST", "news.internal"])
def test_own_names_are_answered(connect, host):
    assert connect(names=("news.internal",)).get("/", headers={"host": host}).status_code == 200


def test_beyond_loopback_addresses_are_names_and_other_names_are_not():
    config = Config(host="0.0.0.0", token=TOKEN)
    assert config.allows_host("192.168.0.7")
    assert config.allows_host("localhost")
    assert not config.allows_host("evil.example")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:9999"},
        {"origin": "http://[::1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": ORIGIN},
    ],
)
def test_forms_from_other_sites_are_refused(connect, headers):
    client = connect(token=TOKEN)
    token = form_token(client.get("/login").text)
    answer = client.post("/login", data={"form_token": token, "token": TOKEN}, headers=headers)
    assert answer.status_code == 403
    assert "webmain_session" not in answer.headers.get("set-cookie", "")


@pytest.mark.parametrize("token", [None, "", "0" * 64, "é"])
def test_forms_without_their_token_are_refused(connect, token):
    client = connect(token=TOKEN)
    client.get("/login")
    data = {"token": TOKEN} | ({} if token is None else {"form_token": token})
    answer = client.post("/login", data=data, headers={"origin": ORIGIN})
    assert answer.status_code == 403
    assert "too old" in answer.text


def test_a_form_of_another_browser_is_refused(connect):
    client = connect(token=TOKEN)
    token = form_token(client.get("/login").text)
    client.cookies.clear()
    client.get("/login")
    assert client.post("/login", data={"form_token": token, "token": TOKEN}).status_code == 403


def test_a_cookie_that_the_attacker_chose_signs_no_form(connect):
    client = connect(token=TOKEN)
    client.cookies.set("webmain_browser", "chosen")
    assert client.post("/login", data={"form_token": "chosen", "token": TOKEN}).status_code == 403


def test_every_page_that_is_posted_to_checks_its_form(connect):
    app = create_app(Config())
    posted = [route for route in app.routes if isinstance(route, Route) and "POST" in (route.methods or ())]
    assert posted
    client = connect()
    for route in posted:
        if not route.path.startswith("/api/"):
            path = re.sub(r"\{\w+:int\}", "1", route.path).replace("{", "").replace("}", "")
            assert client.post(path, data={"x": "y"}).status_code == 403, route.path


def test_cookies_are_kept_from_scripts_and_other_sites(connect):
    cookie = connect(token=TOKEN).get("/login").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


@pytest.mark.parametrize("path", ["/", "/search", "/nothing"])
def test_nothing_is_shown_without_the_token(connect, path):
    answer = connect(token=TOKEN).get(path)
    assert answer.status_code == 303
    assert answer.headers["location"].partition("?")[0] == "/login"


@pytest.mark.parametrize(
    "asked", ["/", "/articles?lang=th&below=0.5", "/search?q=%E0%B8%81+a", "/sites/%C3%A4.example"]
)
def test_the_login_leads_to_the_page_that_was_asked_for(connect, asked):
    client = connect(token=TOKEN)
    page = client.get(asked).headers["location"]
    assert log_in(client, "wrong", page).status_code == 403
    assert log_in(client, TOKEN, page).headers["location"] == asked


@pytest.mark.parametrize(
    "asked",
    ["//evil.example", "/\\evil.example", "https://evil.example/", "/\t/evil.example", "/x\r\nX: y", "evil", ""],
)
def test_the_login_leads_to_no_other_server(connect, asked):
    page = f"/login?{urlencode({'next': asked})}"
    assert log_in(connect(token=TOKEN), TOKEN, page).headers["location"] == "/"


def test_the_interface_wants_the_token_as_a_header(connect):
    client = connect(token=TOKEN)
    answer = client.get("/api/v1/nothing")
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "token_needed"
    assert client.get("/api/v1/nothing", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/api/v1/nothing", headers={"authorization": "Basic " + TOKEN}).status_code == 401
    assert client.get("/api/v1/nothing", headers={"authorization": "Bearer " + TOKEN}).status_code == 404


def test_the_token_lets_a_browser_in_until_it_logs_out(connect):
    client = connect(token=TOKEN)
    answer = log_in(client)
    cookie = answer.headers["set-cookie"].lower()
    assert answer.status_code == 303
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in answer.headers["set-cookie"]
    page = client.get("/")
    assert page.status_code == 200
    client.post("/logout", data={"form_token": form_token(page.text)}, headers={"origin": ORIGIN})
    assert client.get("/").status_code == 303


def test_a_login_over_tls_is_not_sent_without_it(connect):
    client = connect(token=TOKEN)
    data = {"form_token": form_token(client.get("/login").text), "token": TOKEN}
    answer = client.post("/login", data=data, headers={"origin": ORIGIN.replace("http:", "https:")})
    assert "; secure" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize("cookie", ["", "9999999999.", "9999999999." + "0" * 64, "x.y", "-1.0", "٣.0", "é.é"])
def test_made_up_logins_are_refused(connect, cookie):
    client = connect(token=TOKEN)
    assert client.get("/", headers={"cookie": f"webmain_session={cookie}".encode()}).status_code == 303


def test_tokens_can_not_be_tried_without_end(connect):
    client = connect(token=TOKEN, limits=Limits(logins=3))
    assert [log_in(client, f"wrong {n}").status_code for n in range(3)] == [403, 403, 403]
    token = client.get("/api/v1/x", headers={"authorization": "Bearer " + TOKEN})
    assert token.status_code == 429
    assert int(token.headers["retry-after"]) > 0
    assert client.get("/api/v1/x").status_code == 401  # no token was tried


def test_wrong_tokens_keep_out_nobody_at_another_address():
    def request(address):
        return HTTPConnection({"type": "http", "client": (address, 1), "headers": []})

    logins = Logins(TOKEN, 2)
    for n in range(2):
        assert not logins.accepts(request("192.0.2.1"), f"wrong {n}")
        assert not logins.accepts(request(f"2001:db8:1:2::{n}"), "wrong")
    assert logins.wait_s(request("192.0.2.1")) > 0
    assert logins.wait_s(request("2001:db8:1:2:3::")) > 0
    assert logins.wait_s(request("192.0.2.2")) == 0
    assert logins.wait_s(request("2001:db8:1:3::")) == 0


def test_large_bodies_are_refused_before_and_while_they_come(connect):
    client = connect(limits=Limits(body_bytes=1000))
    assert client.post("/logout", content=b"x" * 1001).status_code == 413

    def chunks():
        for _ in range(100):
            yield b"x" * 100

    kind = {"content-type": "application/x-www-form-urlencoded"}
    answer = client.post("/logout", content=chunks(), headers=kind)
    assert answer.status_code == 413
    assert "1,000 bytes" in answer.text


def test_an_unforeseen_error_shows_nothing_of_the_program(connect, monkeypatch):
    client = connect()
    monkeypatch.setattr("webmain.web.extracting.render", lambda *_, **__: 1 / 0)
    answer = client.get("/")
    assert answer.status_code == 500
    assert "Traceback" not in answer.text
    assert "ZeroDivision" not in answer.text
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
