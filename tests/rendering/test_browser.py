"""Pages in a real Chromium, hostile ones too: run by an ordinary user (make test-browser)."""

import socket
import threading
import time

import pytest

from tests.rendering.conftest import URL, Drawn
from webmain.extraction import read
from webmain.features.site_blocks import read_documents
from webmain.items import Page
from webmain.items.rendered import RenderingError
from webmain.rendering.chromium import NAMES
from webmain.rendering.page_load import FetchedResponse

pytestmark = pytest.mark.browser

NEXT = "<p>The next page</p>"
TEXT = "The harbour was dredged again, as the council had promised in the spring. " * 5


def answer(text, kind="text/html", status=200, location=None):
    return FetchedResponse(status, {"content-type": f"{kind}; charset=utf-8"}, text.encode(), location)


@pytest.fixture
def inner():
    """A port on which nobody must call; `calls` has what came."""
    server = socket.create_server(("127.0.0.1", 0))
    calls = []

    def listen():
        while True:
            try:
                one, _ = server.accept()
            except OSError:
                return
            calls.append(one.recv(200))
            one.close()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    server_port = server.getsockname()[1]
    yield type("Inner", (), {"port": server_port, "calls": calls, "url": f"http://127.0.0.1:{server_port}"})
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(5)


# ---- What is read


def test_blocks_have_the_style_and_the_place_that_a_reader_sees(draw):
    markup = (
        f'<html lang="en"><head><link rel="stylesheet" href="/s.css"></head><body data-webmain-box="7"><h1>Tides</h1>'
        f'<div class="side"><span class="loud">Offer</span></div><p>{TEXT}<b>bold</b></p><div id="room"></div>'
        '<script>document.getElementById("room").innerHTML = "<p>Painted</p>"</script></body></html>'
    )
    sheet = ".side { width: 200px; position: absolute; left: 700px; top: 500px } p { width: 400px }"
    sheet += ".loud { color: rgb(1, 2, 3) }"
    (drawn,) = draw(markup, answers={"https://paper.example/s.css": answer(sheet, "text/css")})
    assert isinstance(drawn, Drawn)
    side = drawn.box('<span class="loud">Offer')
    assert (side["left"], side["top"], side["width"]) == (700, 500, 200)
    assert side["position"] == "absolute"
    assert side["color"] == "rgb(1, 2, 3)"  # of the text, not of the block
    assert drawn.box("Painted")["width"] == 400
    assert drawn.html.startswith('<!DOCTYPE html><html lang="en"><head>')
    assert 'data-webmain-box="7"' not in drawn.html
    assert drawn.asked == ["https://paper.example/s.css"]
    blocks = read_documents([read(Page(url=URL).drawn(drawn.data))])
    assert blocks.texts[-1] == "Painted"
    assert all(each for each in blocks.visual)


def test_text_is_read_where_parsers_would_put_it_elsewhere(draw):
    """The document's scripts nest elements as no markup can; each text keeps its style all the same."""
    build = (
        "const p = document.createElement('p'); const inner = document.createElement('p'); inner.textContent = 'Inside';"
        "inner.style.width = '123px'; p.append('Outside', inner); document.body.append(p);"
        "const room = document.body.appendChild(document.createElement('div')).attachShadow({mode: 'open'});"
        "room.innerHTML = '<style>p { width: 77px }</style><p>In the shadow</p>';"
    )
    (drawn,) = draw(f"<body><script>{build}</script></body>")
    assert isinstance(drawn, Drawn)
    blocks = read_documents([read(Page(url=URL).drawn(drawn.data))])
    widths = {text: look.get("width") for text, look in zip(blocks.texts, blocks.visual, strict=True)}
    assert widths["Inside"] == 123
    assert widths["In the shadow"] == 77


def test_lists_that_grow_as_one_scrolls_are_read_to_a_bound(draw):
    grow = (
        "let n = 0; addEventListener('scroll', () => { if (n < 1000) document.body.insertAdjacentHTML('beforeend',"
        "`<p style='height: 2000px'>Entry ${++n}</p>`) })"
    )
    (drawn,) = draw(f"<body><p style='height: 3000px'>First</p><script>{grow}</script></body>")
    assert isinstance(drawn, Drawn)
    assert 1 < len(drawn.rendering.boxes) < 50


# ---- What a page may request

ESCAPES = """
<img src="INNER/img"><script src="INNER/script.js"></script><link rel="stylesheet" href="INNER/style.css">
<link rel="prefetch" href="INNER/prefetch"><link rel="preconnect" href="INNER"><link rel="dns-prefetch" href="INNER">
<link rel="modulepreload" href="INNER/module.js"><link rel="icon" href="INNER/icon.png">
<iframe src="INNER/frame"></iframe><object data="INNER/object"></object><embed src="INNER/embed">
<video src="INNER/video" autoplay></video><audio src="INNER/audio" autoplay></audio>
<style>@import "INNER/import.css"; body { background: url(INNER/background) }
@font-face { font-family: f; src: url(INNER/font) } p { font-family: f }</style>
<form id="form" action="INNER/form" method="post" target="_blank"><input name="a"></form>
<p>Text</p>
<script>
const url = "INNER";
const quiet = (act) => { try { const made = act(); if (made && made.catch) made.catch(() => 0) } catch (error) {} };
quiet(() => fetch(url + "/fetch"));
quiet(() => fetch(url + "/cors", { mode: "no-cors", method: "POST", body: "x" }));
quiet(() => { const x = new XMLHttpRequest(); x.open("GET", url + "/xhr"); x.send() });
quiet(() => new WebSocket(url.replace("http", "ws") + "/socket"));
quiet(() => new WebTransport(url.replace("http:", "https:") + "/transport"));
quiet(() => new EventSource(url + "/events"));
quiet(() => navigator.sendBeacon(url + "/beacon", "x"));
quiet(() => new Worker(URL.createObjectURL(new Blob([
  `fetch("${url}/worker"); importScripts("${url}/worker.js"); new WebSocket("${url.replace("http", "ws")}/worker")`]))));
quiet(() => new SharedWorker(URL.createObjectURL(new Blob([`fetch("${url}/shared")`]))));
quiet(() => navigator.serviceWorker.register("/service.js"));
quiet(() => window.open(url + "/window"));
quiet(() => window.open("about:blank").fetch(url + "/from-blank"));
quiet(() => { const c = new RTCPeerConnection({ iceServers: [
  { urls: "stun:127.0.0.1:PORT" }, { urls: "turn:127.0.0.1:PORT?transport=tcp", username: "a", credential: "b" }] });
  c.createDataChannel("x"); return c.createOffer().then((offer) => c.setLocalDescription(offer)) });
quiet(() => document.getElementById("form").submit());
quiet(() => { const a = document.createElement("a"); a.href = url + "/download"; a.download = "x";
  document.body.append(a); a.click() });
quiet(() => fetch("/redirect").then((r) => r.text()).then((t) => { document.title = t }));
quiet(() => import(url + "/dynamic.js"));
quiet(() => fetch("file:///etc/passwd").then((r) => r.text()).then((t) => { document.body.append(t) }));
</script><iframe src="file:///etc/passwd"></iframe><iframe srcdoc="<img src='INNER/srcdoc'>"></iframe>
"""


NAMED = {"/script.js", "/module.js", "/dynamic.js", "/style.css", "/import.css"}
"""What the page asks for from a host that its own markup names for styles and scripts."""


@pytest.mark.parametrize("name", NAMES[:2])
def test_no_way_out_of_the_browser_leads_anywhere(draw, inner, name):
    pages = (
        ESCAPES.replace("INNER", inner.url).replace("PORT", str(inner.port)),
        f'<meta http-equiv="refresh" content="0; url={inner.url}/refresh"><p>Text</p>',
        f"<p>Text</p><script>location = '{inner.url}/location'</script>",
        f"<p>Text</p><script>setTimeout(() => location.replace('{inner.url}/replace'), 50)</script>",
        f"<p>Text</p><script>history.pushState(0, '', '/other'); location.reload()</script><img src={inner.url}/i>",
    )
    answers = {"https://paper.example/redirect": answer("", status=302, location=inner.url)}
    for drawn in draw(*pages, answers=answers, WEBMAIN_CHROMIUM=name):
        assert isinstance(drawn, Drawn), drawn
        assert "root:" not in drawn.html
        assert ">Text" in drawn.html
        left = {each.removeprefix(inner.url) for each in drawn.asked if not each.startswith("https://paper.example/")}
        assert left <= NAMED  # by our own fetch, behind the guard of addresses
    time.sleep(0.5)
    assert inner.calls == []


@pytest.mark.parametrize("address", ["http://169.254.169.254/latest/meta-data", "http://metadata.internal.example/"])
def test_metadata_services_are_not_even_asked_for(draw, address):
    (drawn,) = draw(f"<p>Text</p><script src='/own.js'></script><script>fetch('{address}').catch(() => 0)</script>")
    assert isinstance(drawn, Drawn)
    assert drawn.asked == ["https://paper.example/own.js"]
    assert drawn.rules.refused in ({"host": 1}, {})  # the browser itself may refuse it, as unsafe on a safe page


def test_redirects_are_checked_step_by_step(draw):
    answers = {
        "https://paper.example/a.js": answer("", status=302, location="https://paper.example/b.js"),
        "https://paper.example/b.js": answer("document.body.append('Moved')", "text/javascript"),
        "https://paper.example/c.js": answer("", status=302, location="https://tracker.example/c.js"),
        "https://paper.example/d.js": answer("", status=302, location="https://paper.example/d.js"),
    }
    scripts = "".join(f"<script src=/{name}.js></script>" for name in "acd")
    (drawn,) = draw(f"<body><p>Text</p>{scripts}", answers=answers)
    assert isinstance(drawn, Drawn)
    assert "Moved" in drawn.html
    assert drawn.asked == [f"https://paper.example/{name}.js" for name in "abcdddd"] or len(drawn.asked) == 7
    assert drawn.rules.refused == {"host": 1}


# ---- Pages that want to stay


def test_dialogs_windows_and_tricks_do_not_hold_a_page(draw):
    scripts = (
        "alert(1); confirm(2); prompt(3); document.body.append('After')",
        "print(); document.body.append('After')",
        "addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'No' });document.body.append('After')",
        "for (let n = 0; n < 50; n++) open('about:blank'); document.body.append('After')",
        "setInterval(() => alert(1), 10); document.body.append('After')",
        "requestAnimationFrame(function turn() { requestAnimationFrame(turn) }); document.body.append('After')",
        "JSON.stringify = () => 'forged'; Map.prototype.get = () => 0; Array.prototype.push = () => 0;"
        "document.createTreeWalker = null; document.body.append('After')",
        "const a = document.createElement('a'); a.href = 'data:application/x,1'; a.download = 'x';"
        "document.body.append(a, 'After'); a.click()",
        "setInterval(() => document.body.append('x'), 5); document.body.append('After')",
    )
    pages = [f"<body><p>Text</p><script>{script}</script></body>" for script in scripts]
    found = draw(*(each for page in pages for each in (page, NEXT)))
    for page, first, second in zip(pages, found[::2], found[1::2], strict=True):
        assert isinstance(first, Drawn), (page, first)
        assert "After" in first.html, page
        assert isinstance(second, Drawn), (page, second)


@pytest.mark.timeout(400)
def test_pages_that_never_end_or_are_too_large_are_given_up_and_the_next_one_is_drawn(draw):
    pages = (
        "<p>Text</p><script>while (true) {}</script>",
        "<p>Text</p><script>setTimeout(() => { while (true) {} }, 200)</script>",
        "<p>Text</p><script>let a = []; while (true) a.push(new Array(1e6).fill(1))</script>",
        "<p>Text</p><script>let s = 'x'; while (true) { s += s; document.title = s }</script>",
        "<p>Text</p><script>const s = '\u0e01'.repeat(2e7); for (let n = 0; ; n++) document.body.append(s + n)</script>",
        "<body><script>for (let n = 0; n < 100000; n++) document.body.append(document.createElement('p'))</script>",
        "<body><script>document.body.textContent = 'x'.repeat(2e7)</script>",
        "<frameset><frame src='/a'></frameset>",
    )
    found = draw(*(each for page in pages for each in (page, NEXT)), WEBMAIN_RENDER_TIMEOUT_S=6)
    for page, first, second in zip(pages, found[::2], found[1::2], strict=True):
        assert isinstance(first, RenderingError), (page, first)
        assert isinstance(second, Drawn), (page, second)
        assert "The next page" in second.html


def test_a_missing_sandbox_or_browser_is_an_error_and_not_a_page(draw):
    (found,) = draw("<p>Text</p>", WEBMAIN_CHROMIUM="/bin/false")
    assert isinstance(found, RenderingError)
