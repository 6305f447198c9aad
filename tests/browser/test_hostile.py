"""Pages that mean harm, in a real browser: they run nothing, load nothing, lead nowhere and leave the page around them whole.

`visit` fails a test for each message on the console, dialog, window, and request that leaves the server.
"""

from __future__ import annotations

import tomllib

import pytest

from tests.browser.conftest import ROOT
from tests.browser.test_pages import too_wide
from webmain.items import Article, ArticleBlock, Kind
from webmain.store.registry import open_store

PROSE = "<p>The harbour master said that the boats would leave in the morning, before the tide turned.</p>"
PIECES = tomllib.loads((ROOT / "tests" / "explain" / "hostile.toml").read_text("utf-8"))
HARM = (
    "\"'></title></textarea></script></iframe></template></style><img src=//evil.example/i onerror=alert(1)>"
    "<script>alert(2)</script>"
)
ALL = (
    f"<html><head><title>{HARM}</title><meta name=author content='{HARM}'><meta name=description content=\"{HARM}\">"
    '<script type="application/ld+json">{"@type":"NewsArticle","headline":"<script>alert(3)<\\/script>",'
    '"url":"javascript:alert(4)",'
    '"author":{"name":"<img src=x onerror=alert(5)>"},"image":"//evil.example/p.png"}</script>'
    "<link rel=canonical href='javascript:alert(6)'><link rel=preload as=script href=//evil.example/s.js>"
    "<link rel=icon href=//evil.example/f><meta property=og:image content='https://evil.example/og.png'>"
    "<meta http-equiv=refresh content='1;url=https://evil.example/'><base href=//evil.example/ target=_top>"
    "<style>*{position:fixed!important;inset:0;z-index:9999;background:url(//evil.example/c)}</style></head>"
    f"<body onload=alert(7)>{PROSE * 6}<input autofocus onfocus=alert(8)>"
    "<a href='javascript:alert(9)' target=_top>away with it all</a>"
    f"<p style='width:9000px;font-size:900px'>wide {'w' * 3000}</p>{PROSE * 6}{''.join(PIECES.values())}</body></html>"
)


WHOLE = """() => {
  const count = (selector) => document.querySelectorAll(selector).length;
  const box = document.querySelector(".brand").getBoundingClientRect();
  return {
    headings: count("h1"),
    footer: document.querySelector("footer").checkVisibility(),
    front: document.elementFromPoint(box.x + 5, box.y + 5).className,
    scripts: count("script:not([src='/static/webmain.js'], [src='/static/correct.js'])"),
    strangers: count("main :is(img, object, embed, base, style, iframe:not([sandbox]))"),
  }; }"""


def is_whole(visitor) -> None:
    """The page is still ours: its parts are there once, nothing is in front of them, nothing stands out of the screen."""
    assert visitor.page.url.startswith(visitor.base)
    found = visitor.page.evaluate(WHOLE)
    assert found == {"headings": 1, "footer": True, "front": "brand", "scripts": 0, "strangers": 0}
    assert too_wide(visitor) == []


@pytest.mark.parametrize("other", ["", "line_block"])
def test_a_hostile_page_does_nothing_when_it_is_shown(visit, other):
    visitor = visit()
    page = visitor.paste(ALL, url="https://evil.example/page", method="learned", other=other)
    frame = page.frame_locator("iframe").first
    frame.locator("body").wait_for()
    page.wait_for_timeout(1500)
    is_whole(visitor)
    for each in frame.get_by_text("away with it all").all():
        each.click()
    frame.locator("body").press("Enter")
    page.wait_for_timeout(300)
    is_whole(visitor)
    if not other:
        page.get_by_role("link", name="Correct it").first.click()
        page.wait_for_url("**/correct")
        page.frame_locator("iframe").get_by_text("away with it all").first.click()
        page.wait_for_timeout(500)
        is_whole(visitor)


def test_each_piece_of_hostile_markup_does_nothing(visit):
    visitor = visit()
    page = visitor.open()
    token = page.locator("[name=form_token]").first.input_value()
    for name, piece in PIECES.items():
        form = {"html": f"<html><title>{name}</title>{PROSE}{piece}{PROSE}", "form_token": token}
        answer = page.request.post(f"{visitor.base}/extract", form=form, headers={"Origin": visitor.base})
        assert "/results/" in answer.url, name
        page.goto(answer.url)
        page.frame_locator("iframe").first.locator("body").wait_for()
        page.wait_for_timeout(100)
        is_whole(visitor)
        assert visitor.noticed == [], name


def test_a_frame_opened_by_itself_does_nothing_either(visit):
    visitor = visit()
    page = visitor.paste(ALL)
    path = visitor.path()
    for rest in ("/0/page", "/0/correct/page"):
        page.goto(visitor.base + path + rest)
        page.wait_for_timeout(500)
        assert page.url.endswith(rest)
        assert page.locator("script, img, iframe, form, link, meta[http-equiv=refresh], a[href]").count() == 0


def test_nobody_elsewhere_can_show_the_server_in_a_frame(visit, site, server):
    visitor = visit()
    visitor.expected += [
        "frame-ancestors",
        "X-Frame-Options",
        site.url,
        "ERR_BLOCKED_BY_RESPONSE",
        "refused to connect",
    ]
    site.routes["/favicon.ico"] = ("",)
    site.routes["/trap"] = (f"<title>trap</title><iframe src='{server.url}/' width=600 height=400></iframe>",)
    page = visitor.page
    page.goto(f"{site.url}/trap")
    page.wait_for_timeout(1000)
    assert page.frames[1].url != f"{server.url}/"


def test_nobody_elsewhere_can_send_its_forms(visit, site, server):
    visitor = visit()
    visitor.open()
    visitor.expected += [site.url, "Failed to load resource: the server responded with a status of 403"]
    site.routes["/favicon.ico"] = ("",)
    site.routes["/trap"] = (
        f"<title>trap</title><form method=post action='{server.url}/extract'><input name=html value='<p>x'>"
        "<button>Win</button></form>",
    )
    page = visitor.page
    page.goto(f"{site.url}/trap")
    page.get_by_role("button").click()
    page.get_by_role("heading", level=1).wait_for()
    assert "another site" in page.locator("body").inner_text()


def test_a_hostile_article_of_the_store_is_text(visit, folder):
    harmful = Article(
        id="harm", url="javascript:alert(1)", canonical_url="https://evil.example/harm", site="evil.example", title=HARM,
        authors=(HARM,), text=HARM, blocks=(ArticleBlock(kind=Kind.PARAGRAPH, text=HARM),), image="javascript:alert(1)",
        section=HARM, tags=(HARM,), language="en",
    )  # fmt: skip
    with open_store(f"sqlite:{folder / 'demo.db'}") as store:
        store.add(harmful)
    visitor = visit()
    page = visitor.open("/articles?site=evil.example")
    is_whole(visitor)
    page.locator("tbody th a").first.click()
    page.wait_for_url("**/articles/harm")
    is_whole(visitor)
    assert page.locator("a[href^=javascript]").count() == 0
    assert "<script>alert(2)</script>" in page.locator(".reading").inner_text()
    for path in (
        f"/search?q={HARM[:20]}",
        f"/clouds?site={HARM[:40]}",
        f"/?url={HARM}",
        f"/{HARM}",
        "/clouds?site=evil.example",
    ):
        visitor.expected.append("Failed to load resource: the server responded with a status of")
        page.goto(visitor.base + path)
        is_whole(visitor)
