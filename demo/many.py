"""A large made-up site for benchmarks and long runs: as many articles as wanted, each drawn from its own number.

Pages have the size and the parts of real ones (130-200 KB: navigation, style sheet, scripts, related boxes, comments);
texts are put together from parts of sentences in six languages (five scripts) and differ from each other. Every page
is made when it is asked for, in one or two milliseconds; `ManyPages.prepare` makes them all beforehand.
"""

from __future__ import annotations

import functools
import random
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from demo.feeds import sitemap, sitemap_index
from demo.render import as_json, esc, fill
from demo.stories import TEXTS
from demo.wire import Expected, Request, Responder, Response, html, text, xml

HOST = "www.many-pages.example"
NAME = "Many Pages"
LANGUAGES = ("en", "en", "en", "de", "en", "th", "en", "ru", "zh", "ar")
"""The language of article n is entry n modulo ten."""

SITEMAP_SIZE = 1000
HUB_SIZE = 50
_NEWEST = datetime(2026, 11, 21, 12, tzinfo=UTC)
_SECTIONS = ("city", "country", "economy", "science", "culture", "sport")
_STORY = re.compile(r"/(?:[a-z]+)/story-(\d{1,9})")
_SITEMAP_PATH = re.compile(r"/sitemap-(\d{1,6})\.xml")
_NAMES = ("Ada", "Bruno", "Cleo", "Dario", "Edda", "Finn", "Greta", "Hugo", "Ines", "Joost", "Kaja", "Lev")
_SURNAMES = ("Ashdown", "Birkmoor", "Calloway", "Dunmere", "Eastlake", "Farthing", "Gorsedale", "Hartwell", "Inchbold")


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of one article."""

    title: str
    author: str
    published: datetime
    language: str
    paragraphs: tuple[str, ...]

    def expected(self, url: str, host: str, *, section: str = "") -> Expected:
        """Return the ground truth of the article at an address."""
        return Expected(
            url=url,
            site=host.removeprefix("www."),
            title=self.title,
            authors=(self.author,),
            published=self.published,
            text="\n\n".join(self.paragraphs),
            language=self.language,
            section=section,
            optional=(self.title, self.author),
        )


class ManyPages(Responder):
    """One site of many articles; answers like `demo.web.Web`.

    Parameters
    ----------
    n_articles : int
        Numbered from 0, the newest.
    host : str
        Its only host name.
    seed : int
        Another seed gives other texts.
    origin : str
        "https://{host}" or "http://{host}".

    Raises
    ------
    ValueError
        There are no articles to serve.
    """

    def __init__(
        self, *, n_articles: int = 1000, host: str = HOST, seed: int = 0, origin: str = "https://{host}"
    ) -> None:
        if n_articles < 1:
            raise ValueError(f"n_articles is at least 1, not {n_articles}")
        super().__init__((host,), only_https=origin.startswith("https://"))
        self.n_articles = n_articles
        self.host = host
        self.seed = seed
        self.origin = origin.format(host=host)
        self._n_hubs = -(-n_articles // HUB_SIZE)
        self._ready: dict[str, Response] = {}

    def url(self, number: int) -> str:
        """Return the canonical URL of an article."""
        return f"{self.origin}{_path(number)}"

    def urls(self) -> Iterator[str]:
        """Yield the canonical URL of every article, newest first."""
        return map(self.url, range(self.n_articles))

    def prepare(self) -> None:
        """Make every article's page now, so that serving costs nothing: some 85 MB for a thousand."""
        self._ready = {_path(n): html(self._page(n)) for n in range(self.n_articles)}

    def article(self, number: int) -> Expected:
        """Return the ground truth of one article."""
        draft = draft_of(number, LANGUAGES[number % len(LANGUAGES)], self.seed)
        return draft.expected(self.url(number), self.host, section=_SECTIONS[number % len(_SECTIONS)])

    def expected(self) -> Iterator[Expected]:
        """Yield the ground truth of every article, newest first."""
        return map(self.article, range(self.n_articles))

    def answer(self, request: Request) -> Response:
        """Answer one request; bodies are not packed."""
        path = request.path
        if path in self._ready:
            return self._ready[path]
        if (found := _STORY.fullmatch(path)) and int(found[1]) < self.n_articles and path == _path(int(found[1])):
            return html(self._page(int(found[1])))
        if path == "/":
            return html(self._hub(_number(request.query.get("page"), self._n_hubs)))
        if path == "/robots.txt":
            return text(f"User-agent: *\nDisallow: /private/\nSitemap: {self.origin}/sitemap.xml\n")
        if path == "/sitemap.xml":
            count = -(-self.n_articles // SITEMAP_SIZE)
            return xml(sitemap_index(f"{self.origin}/sitemap-{i}.xml" for i in range(count)))
        if (found := _SITEMAP_PATH.fullmatch(path)) and int(found[1]) * SITEMAP_SIZE < self.n_articles:
            numbers = range(int(found[1]) * SITEMAP_SIZE, min((int(found[1]) + 1) * SITEMAP_SIZE, self.n_articles))
            return xml(sitemap((self.url(n), _published(n)) for n in numbers))
        return html("<!DOCTYPE html><title>Not found</title><h1>Not found</h1>", status=404)

    def _page(self, number: int) -> str:
        """Render an article's page."""
        draft = draft_of(number, LANGUAGES[number % len(LANGUAGES)], self.seed)
        rng = random.Random(f"{self.seed}/{number}/page")
        words = _vocabulary(draft.language, rng)
        others = [rng.randrange(self.n_articles) for _ in range(14)]
        related = "\n".join(_teaser(n, words, rng) for n in others)
        replies = "\n".join(_comment(i, words, rng) for i in range(rng.randint(0, 6)))
        record: dict[str, Any] = {
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": draft.title,
            "datePublished": draft.published.isoformat(),
            "author": [{"@type": "Person", "name": draft.author}],
            "inLanguage": draft.language,
        }
        return fill(
            "many.html",
            language=draft.language,
            direction="rtl" if draft.language == "ar" else "ltr",
            title=esc(draft.title),
            name=NAME,
            url=self.url(number),
            published=draft.published.isoformat(),
            day=f"{draft.published:%Y-%m-%d}",
            author=esc(draft.author),
            json_ld=as_json(record),
            style=_style(),
            menu=_menu(),
            body=_body(draft.paragraphs),
            related=related,
            comments=replies,
            state=_state(),
        )

    def _hub(self, page: int) -> str:
        """Render a page of the list of everything, with plain links and the next page."""
        numbers = range((page - 1) * HUB_SIZE, min(page * HUB_SIZE, self.n_articles))
        cards = "\n".join(f'<div class="rel-item"><h3><a href="{_path(n)}">Story {n}</a></h3></div>' for n in numbers)
        after = f'<a rel="next" href="/?page={page + 1}">Older</a>' if page < self._n_hubs else ""
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{NAME}</title><style>{_style()}</style>'
            f"</head><body><nav>{_menu()}</nav><main>{cards}{after}</main></body></html>"
        )


def draft_of(number: int, language: str, seed: object = 0) -> Draft:
    """Draw an article's text."""
    rng = random.Random(f"{seed}/{number}")
    words = _vocabulary(language, rng)
    paragraphs = tuple(_paragraph(words, rng, rng.randint(2, 6)) for _ in range(rng.randint(8, 26)))
    title = _sentence(words, rng).rstrip(".。")
    author = f"{rng.choice(_NAMES)} {rng.choice(_SURNAMES)}"
    return Draft(title, author, _published(number), language, paragraphs)


def default() -> ManyPages:
    """Make a site of a thousand articles, for `DEMO_WEB = "demo.many.default"`."""
    return ManyPages()


def _path(number: int) -> str:
    return f"/{_SECTIONS[number % len(_SECTIONS)]}/story-{number}"


def _published(number: int) -> datetime:
    return _NEWEST - timedelta(minutes=17 * number)


def _number(text: str | None, last: int) -> int:
    """Read a page number; whatever is none gives the first page."""
    number = int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 1
    return number if 1 <= number <= last else 1


@functools.cache
def _parts(language: str) -> dict[str, Any]:
    """Read the parts of sentences of one language."""
    record: dict[str, dict[str, Any]] = tomllib.loads((TEXTS / "many.toml").read_text("utf-8"))
    return record[language]


def _vocabulary(language: str, rng: random.Random) -> dict[str, Any]:
    """Draw half of a language's parts for one page, so that no two texts are near copies."""
    return {
        slot: rng.sample(parts, (len(parts) + 1) // 2) if slot not in ("pattern", "join") else parts
        for slot, parts in _parts(language).items()
    }


def _sentence(words: Mapping[str, Any], rng: random.Random) -> str:
    """Put a sentence together."""
    choice = rng.choice
    text: str = choice(words["pattern"]).format(
        who=choice(words["who"]),
        did=choice(words["did"]),
        what=choice(words["what"]),
        where=choice(words["where"]),
        when=choice(words["when"]),
        then=choice(words["then"]),
        n=rng.randint(3, 9999),
    )
    return text[0].upper() + text[1:]


def _paragraph(words: Mapping[str, Any], rng: random.Random, count: int) -> str:
    joint: str = words["join"]
    return joint.join(_sentence(words, rng) for _ in range(count))


def _teaser(number: int, words: Mapping[str, Any], rng: random.Random) -> str:
    """Render a box for another article, with teaser sentences."""
    return (
        f'<div class="rel-item"><a href="{_path(number)}"><img src="/img/{number}-320.webp" alt="" loading="lazy">'
        f"<h4>{esc(_sentence(words, rng))}</h4></a><p>{esc(_paragraph(words, rng, 2))}</p></div>"
    )


def _comment(index: int, words: Mapping[str, Any], rng: random.Random) -> str:
    """Render a reader's comment."""
    name = f"{rng.choice(_NAMES)}{rng.randint(1, 99)}"
    return (
        f'<li class="comment" id="comment-{index}"><div class="comment-meta"><b>{name}</b>'
        f"<span>{index + 1} h</span></div>"
        f'<div class="comment-text"><p>{esc(_paragraph(words, rng, rng.randint(1, 5)))}</p></div>'
        '<button type="button" class="reply">Reply</button><button type="button">Report</button></li>'
    )


def _body(paragraphs: tuple[str, ...]) -> str:
    """Render the text, an empty advertisement after every fourth paragraph."""
    ad = '\n<div class="ad-wrap"><div class="ad" data-slot="m"></div></div>'
    return "\n".join(f"<p>{esc(p)}</p>{ad if i % 4 == 2 else ''}" for i, p in enumerate(paragraphs))


@functools.cache
def _style() -> str:
    """Write a style sheet as long as real ones."""
    rules = (
        f".u-{n}{{margin:{n % 7}px {n % 5}px;padding:{n % 9}px;color:#{n * 7919 % 0xFFFFFF:06x};flex:{n % 3} 1 auto}}"
        for n in range(700)
    )
    base = "body{font:17px/1.6 Georgia,serif;margin:0 auto;max-width:70rem}\n.comment{border-bottom:1px solid #ddd}\n"
    return base + "\n".join(rules)


@functools.cache
def _menu() -> str:
    """Write a mega menu."""
    items = (
        f'<li class="menu-item u-{i} u-{i + 40}"><a class="menu-link" data-track="nav-{i}" '
        f'href="/?page={i + 1}">{_SECTIONS[i % 6].title()} {i // 6 + 1}</a></li>'
        for i in range(120)
    )
    return '<ul class="menu">' + "\n".join(items) + "</ul>"


@functools.cache
def _state() -> str:
    """Write the state that a page's scripts are started with."""
    return as_json(
        {
            "vendors": [{"id": i, "purposes": [i % 11, i % 7, i % 5], "policy": f"/v/{i}"} for i in range(1100)],
            "slots": {f"slot-{i}": {"sizes": [[300, 250], [728, 90]], "lazy": bool(i % 2)} for i in range(400)},
        }
    )
