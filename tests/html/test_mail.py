"""Saved pages in MIME format, mails, ARC and WARC files, which contain markup but are no HTML."""

import pytest

import webmain
from webmain.items import Reason, Rejected

STORY = (
    "<html><head><title>Winter</title></head><body><p>"
    + "The harbour froze over and the boats stayed. " * 20
    + "=\n</p></body></html>"
)
PARTS = 'multipart/related;\n\ttype="text/html";\n\tboundary="--b--"'
BROWSER = f"From: <Saved by Blink>\nSnapshot-Content-Location: a.html\nMIME-Version: 1.0\nContent-Type: {PARTS}\n\n"
SEEN = {
    "browser": BROWSER + "----b--\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n" + STORY,
    "old browser": f"\nX-UnMHT: 5\nContent-Type: {PARTS}\nMime-version: 1.0\n\n" + STORY,
    "mail": f"Return-Path: <a@b.example>\nReceived: from c\n by d;\n Fri\nSubject: x\nMIME-Version: 1.0\n\n{STORY}",
    "kept mail": f"From a@b.example Fri Nov 20 10:00:00 2026\nTo: x\nMIME-Version: 1.0\nMessage-ID: <x>\n\n{STORY}",
    "base64": "MIME-Version: 1.0\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGh0bWw+",
}
NO_MAIL = [
    "Content-Type: text/html\nMIME-Version: 1.0\n\n<p>",  # a server's head in the page
    "From: the editor\nSubject: harbours\n\n<p>",
    "<pre>MIME-Version: 1.0\nSubject: x\n</pre>",
    "<p>Note:",
    "WARC/1.0 is a format.\n\n<p>",
    "Note: words\n\nMIME-Version: 1.0\nSubject: x\n\n",
]


@pytest.mark.parametrize("is_read_as", [str, str.encode, lambda text: text.replace("\n", "\r\n").encode()])
@pytest.mark.parametrize("name", SEEN)
def test_mime_format_is_no_html_and_the_way_out_is_told(name, is_read_as):
    with pytest.raises(Rejected, match=r"MHTML .*save the page as HTML") as caught:
        webmain.extract(is_read_as(SEEN[name]))
    assert caught.value.reason is Reason.NOT_HTML


def test_an_arc_file_is_no_html_and_the_way_out_is_told():
    head = "filedesc://x.arc 0.0.0.0 20260101000000 text/plain 77\n1 0 X\nURL IP-address Archive-date\n\n"
    with pytest.raises(Rejected, match=r"ARC .*convert it to WARC") as caught:
        webmain.extract((head + STORY).encode())
    assert caught.value.reason is Reason.NOT_HTML


@pytest.mark.parametrize("is_read_as", [str, str.encode])
def test_a_warc_file_is_no_page_and_the_way_out_is_told(is_read_as):
    head = "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 999\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
    with pytest.raises(Rejected, match=r"WARC .*`webmain extract FILE`") as caught:
        webmain.extract(is_read_as(head + STORY))
    assert caught.value.reason is Reason.NOT_HTML


@pytest.mark.parametrize("start", NO_MAIL)
def test_pages_that_only_look_like_mail_are_read(start):
    assert "boats stayed" in webmain.extract((start + STORY).encode()).text
