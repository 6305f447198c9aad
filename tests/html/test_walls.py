"""Walls are told from ordinary pages, also from those that speak of captchas, cookies and refusals."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.html.walls import MAX_WALL_BYTES, find_wall, wall_behind


def seen(html, *, status=200, **headers):
    given = {"content-type": "text/html; charset=utf-8", **{name.replace("_", "-"): v for name, v in headers.items()}}
    body = html if isinstance(html, bytes) else html.encode()
    found = find_wall(body, lambda name: given.get(name, ""), status=status)
    return str(found) if found else None


def page(title, body, head=""):
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


CLOUDFLARE = page(
    "Just a moment...",
    "<noscript>Enable JavaScript and cookies to continue</noscript>"
    "<script>(function(){window._cf_chl_opt={cvId:'3',cZone:'paper.example'};var a=document.createElement('script');"
    "a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1';}());</script>",
)
DATADOME = (
    "<html><head><title>paper.example</title></head><body><p id='cmsg'>Please enable JS and disable any ad blocker</p>"
    "<script>var dd={'rt':'c','cid':'A','host':'geo.captcha-delivery.com'}</script>"
    "<script src='https://ct.captcha-delivery.com/c.js'></script></body></html>"
)
PERIMETERX = page(
    "Access to this page has been denied.", "<div id='px-captcha'></div><p>Press &amp; Hold to confirm</p>"
)
IMPERVA = (
    "<html><head><META NAME='ROBOTS' CONTENT='NOINDEX'></head><iframe src='/_Incapsula_Resource?CWUDNSAI=9&incident_id=1'>"
    "Request unsuccessful. Incapsula incident ID: 1</iframe></html>"
)
AKAMAI = page("Access Denied", "<h1>Access Denied</h1>Reference #18<p>https://errors.edgesuite.net/18")
AWS = page("", "<script>window.gokuProps = {};</script><div id='challenge-container'></div>")
DIALOG = (
    "<h1>{heading}</h1><p>{first}</p><p>{second}</p><a href='/privacy'>{policy}</a>"
    "<button id='more'>…</button><button id='yes'> {yes} </button>"
)
CONSENT = {
    "en": (
        "Before you continue",
        "We and our 842 partners store and access cookies and process personal data for personalised advertising.",
        "You can withdraw your consent at any time in the privacy settings.",
        "Privacy policy",
        "Accept all",
    ),
    "de": (
        "Willkommen bei der Zeitung",
        "Mit Werbung und Cookies lesen: Mit Ihrer Zustimmung verarbeiten wir und unsere Partner personenbezogene Daten.",
        "Details finden Sie in der Datenschutzerklärung; die Einwilligung ist widerrufbar.",
        "Datenschutz",
        "Alle akzeptieren",
    ),
    "fr": (
        "Bienvenue",
        "Avec votre consentement, nos 400 partenaires et nous utilisons des cookies pour la publicité.",
        "Vous pouvez retirer votre consentement dans notre politique de confidentialité.",
        "Confidentialité",
        "Tout accepter",
    ),
    "th": (
        "ยินดีต้อนรับ",
        "เว็บไซต์นี้ใช้คุกกี้เพื่อพัฒนาประสิทธิภาพและประสบการณ์ที่ดีในการใช้งาน",
        "โปรดอ่านนโยบายความเป็นส่วนตัว",
        "นโยบาย",
        "ยอมรับทั้งหมด",
    ),
    "pl": (
        "Szanowni Państwo",
        "Prosimy o zgodę na przetwarzanie danych w plikach cookies przez naszych zaufanych partnerów.",
        "Więcej w polityce prywatności; reklamy będą dopasowane.",
        "Polityka prywatności",
        "Przejdź do serwisu",
    ),
    "ja": (
        "ようこそ",
        "当サイトではクッキーを使用し、広告を表示します。",
        "詳しくはプライバシーポリシーをご覧ください。",
        "プライバシー",
        "同意する",
    ),
    "ar": ("مرحبا", "نحن نستخدم ملفات تعريف الارتباط لعرض الإعلانات.", "اقرأ سياسة الخصوصية", "الخصوصية", "قبول الكل"),
}


@pytest.mark.parametrize(
    ("html", "wall"),
    [
        (CLOUDFLARE, "cloudflare challenge"),
        (DATADOME, "datadome challenge"),
        (PERIMETERX, "perimeterx challenge"),
        (IMPERVA, "imperva challenge"),
        (AKAMAI, "akamai challenge"),
        (AWS, "aws waf challenge"),
        (page("Einen Moment, bitte…", "Die Sicherheit der Verbindung wird geprüft."), "cloudflare challenge"),
        (page("Are you a robot?", "<form><input type=checkbox> I am not a robot</form>"), "captcha"),
        (page("paper.example", "<form><div class='g-recaptcha' data-sitekey='1'></div></form>"), "captcha"),
        (page("Age verification", "<h1>Are you 18?</h1><a href='?age=ok'>Yes</a>"), "age"),
        (page("403 Forbidden", "<center><h1>403 Forbidden</h1></center><hr><center>nginx</center>"), "denied"),
    ],
)
def test_walls_are_recognised_whatever_their_status(html, wall):
    assert seen(html) == wall
    if "challenge" in wall and html != AWS and "Moment" not in html:
        assert seen(html, status=403) == wall
        assert seen(html, status=503) == wall


@pytest.mark.parametrize(
    ("headers", "wall"),
    [
        ({"cf_mitigated": "challenge"}, "cloudflare challenge"),
        ({"x_amzn_waf_action": "challenge"}, "aws waf challenge"),
        ({"x_amzn_waf_action": "captcha"}, "aws waf captcha"),
        ({"x_vercel_mitigated": "challenge"}, "vercel challenge"),
        ({"cf_mitigated": "no"}, None),
        ({"server": "cloudflare", "cf_ray": "1"}, None),
    ],
)
def test_headers_tell_of_walls(headers, wall):
    assert seen(b"", **headers) == wall


@pytest.mark.parametrize("language", CONSENT)
def test_a_page_that_is_only_a_consent_dialog_is_a_wall(language):
    names = ("heading", "first", "second", "policy", "yes")
    values = dict(zip(names, CONSENT[language], strict=True))
    assert seen(page(values["heading"], DIALOG.format(**values))) == "consent"
    story = "<p>" + "The ferry to Holm did not sail on Tuesday, since its crew was ill. " * 4 + "</p>"
    assert seen(page("The ferry", story + DIALOG.format(**values))) is None


STORY = "<p>The council met on Monday and spoke of {topic} for an hour, and then went home to its supper.</p>" * 3
LONG = "".join(
    f"<p>Sentence {n} of a story about {{topic}}.</p><p>It is {n} years since the last.</p>" for n in range(40)
)
WATCHERS = (
    "<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script><script src='https://js.datadome.co/tags.js'>"
    "</script><script src='/_Incapsula_Resource?SWJIYLWA=7'></script>"
)
DATE = '<meta property="article:published_time" content="2026-11-20">'
MANNERS = "".join(
    f"<p>Paragraph {n}: the minister wants cookies to ask for consent, said a partner of hers.</p>"
    f"<p>In the year {2000 + n} the parliament had refused that, with the votes of both halves of the house.</p>"
    for n in range(9)
)


def story(title, text, topic="", *, head="", more=""):
    return page(title, text.format(topic=topic) + more, head)


ORDINARY = {
    "a short story about captchas": story("Are you a robot? A town asks", STORY, "captchas and robots"),
    "a story with the title of a challenge": story("Just a moment...", LONG, "moments"),
    "a short one, marked as an article": story("Access denied", f"<article>{STORY}</article>", "doors"),
    "one that is marked in its head": story("Just a moment...", STORY, "doors", head=DATE),
    "a story about cookies and consent": story("Cookies", MANNERS, more="<button>Accept all</button>"),
    "a short story with a banner": story(
        "The ferry",
        STORY,
        "ferries",
        more=DIALOG.format(heading="", first=CONSENT["en"][1], second=CONSENT["en"][2], policy="", yes="Accept all"),
    ),
    "a page whose provider watches for robots": story("The ferry", LONG, "ferries", more=WATCHERS),
    "comments with a captcha": story("The ferry", LONG, "ferries", more="<form><div class='g-recaptcha'></div></form>"),
    "a story that quotes a challenge": story("How it works", LONG, "windows", more="<pre>window._cf_chl_opt = 1</pre>"),
    "a page of links": page("403", "".join(f"<a href='/{n}'>{n}</a> " for n in range(40))),
    "a feed": "<?xml version='1.0'?><rss><channel><title>Access denied</title></channel></rss>",
    "nothing": "",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_pages_are_no_walls(name):
    if name == "a feed":
        assert seen(ORDINARY[name], content_type="application/rss+xml") is None
    else:
        assert seen(ORDINARY[name]) is None


@pytest.mark.parametrize(
    ("url", "asked", "wall"),
    [
        ("https://consent.paper.example/?back=/1", "https://www.paper.example/1", "consent"),
        ("https://myprivacy.group.example/consent", "https://www.paper.example/1", "consent"),
        ("https://www.paper.example/privacy-gate?to=/1", "https://www.paper.example/1", "consent"),
        ("https://www.paper.example/login?next=/1", "https://www.paper.example/1", "login"),
        ("https://sso.paper.example/anmelden", "https://www.paper.example/1", "login"),
        ("https://www.paper.example/1/", "https://www.paper.example/1", None),
        ("https://www.paper.example/2026/consent-of-the-king", "https://www.paper.example/1", None),
        ("https://consent.example/1", "https://www.consent.example/1", None),
        ("https://consent.paper.example/2", "https://consent.paper.example/1", None),
        ("https://www.paper.example/login/", "https://www.paper.example/login", None),
        ("https://[", "https://www.paper.example/login", None),
    ],
)
def test_redirects_tell_of_walls(url, asked, wall):
    found = wall_behind(url, asked)
    assert (str(found) if found else None) == wall


@given(st.binary(max_size=400), st.integers(100, 599))
def test_no_body_raises(body, status):
    seen(body, status=status)


@pytest.mark.parametrize(
    "piece", [b"<", b"<script>", b"<!--", b"<title>", b"<input value=", b"<input ", b"a<b>", b"cookie", b"</script"]
)
def test_hostile_pages_are_looked_at_in_linear_time(piece):
    body = piece * (MAX_WALL_BYTES // len(piece))
    began = time.process_time()
    for _ in range(5):
        seen(body)
    assert time.process_time() - began < 1
