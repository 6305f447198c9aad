"""A made-up site whose articles differ from what is around them by style alone; half of its pages need scripts.

Every page is `div` in `div`: the article's paragraphs stand between teasers, offers and notes of the same length, in one
element, and each page has class names of its own, as frameworks that write styles from scripts make them. A reader tells
them apart by the style sheet, which is on a host of its own; so can a browser. Articles with an odd number come as an
empty shell, and their script asks the site for the text.

`scrapy crawl news -a site=www.lantern-post.example -a render=always -s DEMO_WEB=demo.styled.StyledWeb` with `demo.settings`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import partial

from demo.many import draft_of
from demo.ordinary import OrdinarySite, OrdinaryWeb, Pages
from demo.render import esc
from demo.wire import Response, html, text

STYLE_HOST = "styles.lantern-press.example"
N_ARTICLES = 12

_STYLES = {
    "story": "font: 20px/32px Georgia, serif; color: #222; width: 640px; margin: 0 0 24px",
    "offer": "font: 15px/20px Verdana, sans-serif; color: #555; background: #eee; width: 300px; margin: 0 0 8px 680px",
    "note": "font: 13px/17px Verdana, sans-serif; color: #777; border-left: 4px solid #c60; width: 300px; margin-left: 680px",
    "name": "font: 700 38px/44px Georgia, serif; width: 900px; margin: 20px 0",
    "menu": "font: 14px/30px Verdana, sans-serif; display: inline-block; margin-right: 20px",
}
"""How each kind of block looks."""

_PAINT = """
fetch(document.body.dataset.from).then((answer) => answer.json()).then((blocks) => {
  const room = document.getElementById("room");
  for (const [name, text] of blocks) {
    const block = document.createElement("div");
    block.className = name;
    block.textContent = text;
    room.appendChild(block);
  }
});
"""


class Lantern(OrdinarySite):
    """The site that is told by its style."""

    host = "www.lantern-post.example"
    name = "The Lantern Post"
    language = "en"

    def __init__(self, origin: str = "https://{host}", *, n_articles: int = N_ARTICLES) -> None:
        self._styles = f"{origin.format(host=STYLE_HOST)}"
        super().__init__(origin, n_articles=n_articles)

    def path(self, n: int) -> str:
        """Return the path of an article."""
        return f"/2026/11/{20 - n % 20:02}/story-of-the-lantern-{n}"

    def other_pages(self) -> Pages:
        """Yield the front page, and what the scripts of shells ask for."""
        yield "/", partial(self.list_page, self.name, range(len(self.drafts)), "")
        for n in range(len(self.drafts)):
            yield f"/data/{n}.json", partial(self._data, n)

    def article(self, n: int) -> str:
        """Render an article, or the shell of one."""
        draft, is_shell = self.drafts[n], n % 2 == 1
        blocks = "" if is_shell else "".join(f'<div class="{name}">{esc(text)}</div>' for name, text in self.blocks(n))
        paint = f'<script src="{self._styles}/paint.js" defer></script>' if is_shell else ""
        menu = "".join(
            f'<div class="{_class(n, "menu")}">{label}</div>' for label in ("Harbour", "Market", "Council", "Weather")
        )
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{esc(draft.title)}</title>'
            f'<meta name="description" content="{esc(draft.paragraphs[0][:160])}">'
            f'<meta property="article:published_time" content="{draft.published.isoformat()}">'
            f'<link rel="stylesheet" href="{self._styles}/page-{n}.css">{paint}</head>'
            f'<body data-from="/data/{n}.json"><div>{menu}</div><div id="room">{blocks}</div></body></html>'
        )

    def blocks(self, n: int) -> Iterator[tuple[str, str]]:
        """Yield class name and text of each block: after each two paragraphs one that is none of the article."""
        yield _class(n, "name"), self.drafts[n].title
        other = draft_of(n + 1_000, self.language, self.host).paragraphs
        for i, paragraph in enumerate(self.drafts[n].paragraphs):
            yield _class(n, "story"), paragraph
            if i % 2:
                yield _class(n, "offer" if i % 4 == 1 else "note"), other[i % len(other)]

    def _data(self, n: int) -> Response:
        return text(json.dumps(list(self.blocks(n))), kind="application/json")

    def sheet(self, n: int) -> str:
        """Return the style sheet of a page."""
        rules = [f".{_class(n, kind)} {{ {style} }}" for kind, style in _STYLES.items()]
        return "\n".join(["body { margin: 0; font: 16px/20px Arial, sans-serif }", *rules])

    def noise(self, n: int) -> list[str]:
        """Return the texts on a page that are none of its article."""
        own = {self.drafts[n].title, *self.drafts[n].paragraphs}
        return [text for _, text in self.blocks(n) if text not in own]


class _StyleHost(Lantern):
    """The host of styles and scripts."""

    host = STYLE_HOST

    def respond(self, path: str) -> Response:
        """Answer a request for a style sheet or the script."""
        if path == "/paint.js":
            return text(_PAINT, kind="text/javascript")
        number = path.removeprefix("/page-").removesuffix(".css")
        if number.isdigit() and int(number) < len(self.drafts):
            return text(self.sheet(int(number)), kind="text/css")
        return html("no such file", status=404)


class StyledWeb(OrdinaryWeb):
    """The site and the host of its styles."""

    def __init__(self) -> None:
        self.lantern = Lantern()
        super().__init__((self.lantern, _StyleHost()))


def _class(n: int, kind: str) -> str:
    """Return the class name that a page has for a kind of block."""
    return "c" + random.Random(f"{n}/{kind}").randbytes(4).hex()
