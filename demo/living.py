"""A made-up site that changes: articles appear, are edited and removed by a script, while a clock runs.

For the tests and benchmarks of crawls that come again. Everything is drawn from a seed: about twelve articles a day in six
languages, each written on a fixed minute; a quarter of them is edited (a digit corrected, another headline, a paragraph added or
taken away), some vanish. Edits come early, at an age whose logarithm is even between twenty minutes and a week. On every
request there is something else that is no edit: advertisements, counters of views and comments, "3 hours ago", a token, boxes of
other articles. Pages differ in their validators: an ETag, Last-Modified, none, and an ETag that is another each time.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from enum import StrEnum
from functools import cached_property
from typing import Final

from demo.feeds import sitemap, sitemap_index
from demo.many import LANGUAGES, Draft, draft_of
from demo.render import esc
from demo.wire import Request, Responder, Response, html, text, xml

HOST: Final = "www.living-times.example"
START: Final = datetime(2026, 10, 1, tzinfo=UTC)
SECTIONS: Final = ("city", "country", "economy", "science", "culture", "sport")
_LISTED: Final = 25
_EDITED, _GONE = 0.25, 0.015
_FIRST_EDIT, _LAST_EDIT = timedelta(minutes=20), timedelta(days=7)
_SITEMAP_DAYS: Final = 5


class Edit(StrEnum):
    """What is done to an article."""

    CORRECTION = "correction"
    HEADLINE = "headline"
    UPDATE = "update"
    REMOVAL = "removal"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Story:
    """One article: when it appears, and what is done to it when."""

    number: int
    published: datetime
    edits: tuple[tuple[datetime, Edit], ...] = ()

    @property
    def path(self) -> str:
        """Its path."""
        return f"/{SECTIONS[self.number % len(SECTIONS)]}/{self.published:%Y/%m/%d}/story-{self.number}"

    def changed(self, at: datetime) -> datetime:
        """Return when it was changed last before a time."""
        return max([self.published, *(when for when, _ in self.edits if when <= at)])


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request that was answered: when, for what, how, and which version of an article it gave (from 1, else 0)."""

    at: datetime
    path: str
    status: int
    is_conditional: bool
    version: int


@dataclass
class LivingSite(Responder):
    """The site; answers like `demo.web.Web`, as of the time that `clock` gives in seconds since 1970.

    Attributes
    ----------
    n_days : int
        Days on which articles appear, from `START`; as many come before, so that the site is not new.
    log : list of LoggedRequest
        Every request so far.
    """

    clock: Callable[[], float]
    n_days: int = 30
    a_day: int = 12
    seed: int = 0
    host: str = HOST
    log: list[LoggedRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__((self.host,), only_https=True)

    @cached_property
    def stories(self) -> tuple[Story, ...]:
        """All articles, the oldest first."""
        rng = random.Random(f"living/{self.seed}")
        found = []
        for number in range(-2 * self.a_day, self.n_days * self.a_day):
            day, of_day = divmod(number, self.a_day)
            minute = 5 * 60 + (of_day * 18 * 60 + rng.randrange(18 * 60)) // self.a_day
            published = START + timedelta(days=day, minutes=minute)
            found.append(Story(number + 2 * self.a_day, published, tuple(_edits(published, rng))))
        return tuple(found)

    @cached_property
    def _by_path(self) -> dict[str, Story]:
        return {story.path: story for story in self.stories}

    def url(self, story: Story) -> str:
        """Return an article's address."""
        return f"https://{self.host}{story.path}"

    def draft(self, story: Story, at: datetime) -> Draft:
        """Return an article as it stands at a time."""
        draft = replace(
            draft_of(story.number, LANGUAGES[story.number % len(LANGUAGES)], self.seed), published=story.published
        )
        draft = replace(draft, paragraphs=draft.paragraphs[:10])
        for n, (when, edit) in enumerate(story.edits):
            if when <= at:
                draft = _edited(draft, edit, random.Random(f"{self.seed}/{story.number}/{n}"), self.seed)
        return draft

    def answer(self, request: Request) -> Response:
        """Answer one request, and note it."""
        now, path = datetime.fromtimestamp(self.clock(), UTC), request.path
        story = self._by_path.get(path)
        response = self._reply(path, story, now)
        is_conditional = "if-none-match" in request.headers or "if-modified-since" in request.headers
        if response.status == 200 and is_conditional and _is_unchanged(response.headers, request.headers):
            response = Response(304, {k: v for k, v in response.headers.items() if k in ("ETag", "Last-Modified")}, b"")
        version = story.published <= now and 1 + sum(when <= now for when, _ in story.edits) if story else 0
        self.log.append(LoggedRequest(now, path, response.status, is_conditional, int(version)))
        return response

    # ---- Pages

    def _reply(self, path: str, story: Story | None, now: datetime) -> Response:
        if story is not None and story.published <= now:
            is_gone = any(edit is Edit.GONE and when <= now for when, edit in story.edits)
            return (
                html("<!DOCTYPE html><title>Gone</title><h1>Gone</h1>", status=410)
                if is_gone
                else self._page(story, now)
            )
        section = path.strip("/")
        if path == "/" or section in SECTIONS:
            return html(self._list(section, now))
        if path == "/robots.txt":
            return text(f"Sitemap: https://{self.host}/sitemap.xml\n")
        if path == "/feed.xml":
            return _with_etag(xml(self._feed(now)))
        if path == "/sitemap.xml":
            return _with_etag(xml(self._index(now)))
        if path.startswith("/sitemap-") and path[9:-4].isdigit():
            return _with_etag(xml(self._sitemap(int(path[9:-4]), now)))
        return html("<!DOCTYPE html><title>Not found</title><h1>Not found</h1>", status=404)

    def _live(self, now: datetime) -> list[Story]:
        """Return what has appeared and not vanished, the newest first."""
        gone = {s.number for s in self.stories for when, edit in s.edits if edit is Edit.GONE and when <= now}
        return [s for s in reversed(self.stories) if s.published <= now and s.number not in gone]

    def _page(self, story: Story, now: datetime) -> Response:
        draft = self.draft(story, now)
        rng = random.Random(f"{now.timestamp()}/{len(self.log)}")
        changed = story.changed(now)
        boxes = "".join(
            f'<li><a href="{other.path}">{esc(self.draft(other, now).title)}</a></li>'
            for other in rng.sample(self._live(now), 4)
        )
        hours = int((now - story.published).total_seconds() // 3600)
        paragraphs = "\n".join(
            f"<p>{esc(p)}</p>"
            + (f'<div class="ad" data-n="{rng.random()}">Advertisement {rng.randrange(99)}</div>' if i == 2 else "")
            for i, p in enumerate(draft.paragraphs)
        )
        body = f"""<!DOCTYPE html><html lang="{draft.language}"><head><meta charset="utf-8"><title>{esc(draft.title)} | Living Times</title>
<meta property="og:type" content="article"><meta property="og:title" content="{esc(draft.title)}">
<link rel="canonical" href="{self.url(story)}"><meta name="csrf" content="{rng.getrandbits(64):x}">
<meta property="article:published_time" content="{story.published.isoformat()}">
<meta property="article:modified_time" content="{changed.isoformat()}"></head><body>
<nav>{"".join(f'<a href="/{s}">{s.title()}</a> ' for s in SECTIONS)}</nav>
<article><h1>{esc(draft.title)}</h1><p class="byline">By {esc(draft.author)}</p><p class="when">{hours} hours ago</p>
<div class="counter">{rng.randrange(9999)} views · {rng.randrange(99)} comments</div>
{paragraphs}</article>
<aside><h2>Most read</h2><ul>{boxes}</ul></aside><footer>Living Times · <a href="/">Home</a></footer></body></html>"""
        answer = html(body)
        kind = story.number % 4
        if kind == 0:
            mark = hashlib.sha1(f"{story.number}/{changed}".encode(), usedforsecurity=False).hexdigest()
            return replace(answer, headers={**answer.headers, "ETag": f'"{mark}"'})
        if kind == 1:
            return replace(answer, headers={**answer.headers, "Last-Modified": format_datetime(changed, usegmt=True)})
        return replace(answer, headers={**answer.headers, "ETag": f'"{rng.random()}"'}) if kind == 3 else answer

    def _list(self, section: str, now: datetime) -> str:
        live = [s for s in self._live(now) if not section or s.path.startswith(f"/{section}/")][:_LISTED]
        items = "\n".join(
            f'<div class="card"><h3><a href="{s.path}">{esc(self.draft(s, now).title)}</a></h3></div>' for s in live
        )
        menu = "".join(f'<a href="/{s}">{s.title()}</a> ' for s in SECTIONS)
        feed = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Living Times</title>{feed}</head>'
            f"<body><nav>{menu}</nav><main>{items}</main><footer>{now:%H:%M}</footer></body></html>"
        )

    def _feed(self, now: datetime) -> str:
        items = "".join(
            f"<item><title>{esc(self.draft(s, now).title)}</title><link>{self.url(s)}</link><guid>{self.url(s)}</guid>"
            f"<pubDate>{format_datetime(s.published, usegmt=True)}</pubDate></item>"
            for s in self._live(now)[:_LISTED]
        )
        return f'<rss version="2.0"><channel><title>Living Times</title><link>https://{self.host}/</link>{items}</channel></rss>'

    def _index(self, now: datetime) -> str:
        n = 1 + max(0, (now - START).days) // _SITEMAP_DAYS
        return sitemap_index(f"https://{self.host}/sitemap-{i}.xml" for i in range(n))

    def _sitemap(self, index: int, now: datetime) -> str:
        """Write the sitemap of five days; every second article has an honest `lastmod`."""
        first = START + timedelta(days=index * _SITEMAP_DAYS)
        stories = [s for s in self._live(now) if first <= s.published < first + timedelta(days=_SITEMAP_DAYS)]
        return sitemap((self.url(s), s.changed(now) if s.number % 2 else None) for s in stories)


def _edits(published: datetime, rng: random.Random) -> Iterator[tuple[datetime, Edit]]:
    """Draw what is done to an article, in order."""
    if rng.random() >= _EDITED + _GONE:
        return
    low, high = (math.log(span.total_seconds()) for span in (_FIRST_EDIT, _LAST_EDIT))
    ages = sorted(math.exp(rng.uniform(low, high)) for _ in range(1 + (rng.random() < 0.25)))
    times = [published + timedelta(minutes=round(age / 60)) for age in ages]
    kinds = [edit for edit in Edit if edit is not Edit.GONE]
    if rng.random() < _GONE / (_EDITED + _GONE):
        yield times[0], Edit.GONE
        return
    for when in dict.fromkeys(times):
        yield when, rng.choice(kinds)


def _edited(draft: Draft, edit: Edit, rng: random.Random, seed: object) -> Draft:
    """Return a draft after an edit."""
    texts = list(draft.paragraphs)
    other = draft_of(rng.randrange(10**6, 10**7), draft.language, seed)
    if edit is Edit.HEADLINE:
        return replace(draft, title=other.title)
    if edit is Edit.UPDATE:
        texts.insert(rng.randint(1, len(texts)), other.paragraphs[0])
    elif edit is Edit.REMOVAL:
        del texts[rng.randrange(1, len(texts))]
    elif edit is Edit.CORRECTION:
        place = next((i for i, text in enumerate(texts) if any(c.isdigit() for c in text)), 0)
        spot = next((i for i, c in enumerate(texts[place]) if c.isdigit()), 0)
        digit = str((int(texts[place][spot]) + rng.randint(1, 8)) % 9 + 1) if texts[place][spot].isdigit() else "·"
        texts[place] = texts[place][:spot] + digit + texts[place][spot + 1 :]
    return replace(draft, paragraphs=tuple(texts))


def _with_etag(response: Response) -> Response:
    mark = hashlib.sha1(response.body, usedforsecurity=False).hexdigest()
    return replace(response, headers={**response.headers, "ETag": f'W/"{mark}"'})


def _is_unchanged(headers: Mapping[str, str], asked: Mapping[str, str]) -> bool:
    """Return whether a conditional request is answered by 304 (RFC 9110, section 13.2.2)."""
    if "if-none-match" in asked:
        marks = [mark.strip().removeprefix("W/") for mark in asked["if-none-match"].split(",")]
        return headers.get("ETag", "").removeprefix("W/") in marks
    since, changed = asked.get("if-modified-since"), headers.get("Last-Modified")
    return bool(since and changed) and parsedate_to_datetime(changed or "") <= parsedate_to_datetime(since or "")
