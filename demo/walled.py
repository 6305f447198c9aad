"""Three sites that refuse: one challenges after some pages, one asks for consent first, one refuses a few articles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar
from urllib.parse import quote

from demo.ordinary import OrdinarySite, OrdinaryWeb, Pages, slug
from demo.wire import Expected, Response, html, redirect

CHALLENGE = (
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><noscript>Enable JavaScript and cookies to continue"
    "</noscript><script>window._cf_chl_opt = {cType: 'managed'};</script></body></html>"
)
CAPTCHA = (
    '<!DOCTYPE html><html><head><title>www.halfdoor.example</title></head><body><form method="post">'
    '<p>One more step: show that you are human.</p><div class="h-captcha"></div></form></body></html>'
)
DIALOG = (
    '<!DOCTYPE html><html lang="de"><head><title>Willkommen</title></head><body><h1>Bevor Sie lesen</h1>'
    "<p>Mit Ihrer Zustimmung verwenden wir und unsere 312 Partner Cookies, um Werbung zu zeigen und zu messen.</p>"
    "<p>Ihre Einwilligung können Sie jederzeit widerrufen. Mehr steht in der Datenschutzerklärung.</p>"
    '<a href="/datenschutz">Datenschutz</a> <button>Einstellungen</button> <button>Alle akzeptieren</button></body></html>'
)


class WalledSite(OrdinarySite):
    """A site whose articles are on its front page."""

    def path(self, n: int) -> str:
        """Return a slug with a number."""
        return f"/news/{slug(self.drafts[n].title)}-{61000 + n}"

    def other_pages(self) -> Pages:
        """Yield the front page."""
        yield "/", lambda: self.list_page(self.name, range(len(self.drafts)), "")


class TollGate(WalledSite):
    """Lets so many articles pass, then shows a challenge with status 200 in place of everything."""

    host: ClassVar[str] = "www.tollgate.example"
    name: ClassVar[str] = "The Toll Gate"
    language: ClassVar[str] = "en"
    n_open: ClassVar[int] = 6

    def __init__(self, origin: str = "https://{host}", **options: int) -> None:
        super().__init__(origin, **options)
        self.n_passed = 0

    def respond(self, path: str) -> Response:
        """Answer a request."""
        if path != "/robots.txt" and self.n_passed >= self.n_open:
            return html(CHALLENGE)
        self.n_passed += path.startswith("/news/")
        return super().respond(path)


class AskFirst(WalledSite):
    """Leads to a consent dialog from everywhere."""

    host: ClassVar[str] = "www.erstfragen.example"
    name: ClassVar[str] = "Erst fragen"
    language: ClassVar[str] = "de"

    def respond(self, path: str) -> Response:
        """Answer a request."""
        if path == "/robots.txt":
            return super().respond(path)
        if path.startswith("/privacy-gate"):
            return html(DIALOG)
        return redirect(f"{self.origin}/privacy-gate?to={quote(path, safe='')}", status=302)

    def expected(self) -> Iterator[Expected]:
        """Yield nothing: no article is shown."""
        yield from ()


class HalfDoor(WalledSite):
    """One article is for members, one behind a challenge, one behind a captcha; others speak of such things."""

    host: ClassVar[str] = "www.halfdoor.example"
    name: ClassVar[str] = "The Half Door"
    language: ClassVar[str] = "en"
    locked: ClassVar[Sequence[int]] = (3, 7, 11)
    topics: ClassVar[Sequence[str]] = (
        "Access denied, said the gate, and a captcha asked her whether she was a robot; just a moment, she answered.",
        "The law wants each cookie to ask for consent first, so partners, vendors and advertisers wrote a privacy notice.",
    )

    def __init__(self, origin: str = "https://{host}", **options: int) -> None:
        super().__init__(origin, **options)
        for n, topic in enumerate(self.topics):
            draft = self.drafts[n]
            self.drafts[n] = replace(draft, paragraphs=(*draft.paragraphs[:3], topic))

    def respond(self, path: str) -> Response:
        """Answer a request."""
        replies = (html("<h1>For members</h1>", status=403), html(CHALLENGE), html(CAPTCHA))
        behind = {self.path(n): response for n, response in zip(self.locked, replies, strict=True)}
        return behind.get(path) or super().respond(path)

    def expected(self) -> Iterator[Expected]:
        """Yield what is shown."""
        locked = {self.url(n) for n in self.locked}
        yield from (each for each in super().expected() if each.url not in locked)


SITES: tuple[type[WalledSite], ...] = (TollGate, AskFirst, HalfDoor)


class WalledWeb(OrdinaryWeb):
    """These three sites."""

    def __init__(self, origin: str = "https://{host}") -> None:
        super().__init__([kind(origin) for kind in SITES])
