"""Detects walls: pages served instead of the requested one, such as bot challenges, captchas and consent dialogs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webmain.clock import once
from webmain.items import Page
from webmain.urls import split_url

MAX_WALL_BYTES: Final = 64 * 1024
"""Longer pages are not walls; only their headers are checked."""

MAX_MARKED_CHARS: Final = 1_500
"""Maximum text of a wall that has a guard's marks."""

MAX_TITLED_CHARS: Final = 800
"""Maximum text of a wall that is recognised by its title alone."""

MAX_CAPTCHA_CHARS: Final = 400
MAX_CONSENT_CHARS: Final = 6_000
MAX_OTHER_CHARS: Final = 200
"""Maximum characters in long text runs on other subjects on a consent page."""

LONG_RUN_CHARS: Final = 80
MAX_LINKS: Final = 12

REFUSING: Final = frozenset({401, 403, 407, 429, 451, 503})
"""HTTP statuses of refusals."""

_RAW: Final = re.compile(r"<(script|style|template|svg)\b")
_TITLE: Final = re.compile(r"<title[^<>]{0,200}>([^<]{0,200})")
_BUTTON_VALUE: Final = re.compile(r"""<input\b[^<>]{0,500}?\bvalue\s*=\s*["']([^"'<>]{1,60})["']""")


@dataclass(frozen=True, slots=True)
class Wall:
    """A page served instead of the requested one.

    Attributes
    ----------
    kind : str
        "challenge", "captcha", "consent", "denied", "age" or "login".
    guard : str
        Name of the bot guard; "" if unknown.
    """

    kind: str
    guard: str = ""

    def __str__(self) -> str:
        return f"{self.guard} {self.kind}".lstrip()


@dataclass(frozen=True, slots=True)
class _Signs:
    """The lists of walls.toml."""

    headers: tuple[tuple[str, str, str], ...]
    marks: tuple[tuple[bytes, str], ...]
    titles: dict[str, Wall]
    article: tuple[bytes, ...]
    captcha: tuple[bytes, ...]
    consent_hosts: frozenset[str]
    consent_paths: frozenset[str]
    labels: frozenset[str]
    words: re.Pattern[str]
    login_paths: frozenset[str]


@once
def _signs() -> _Signs:
    data: dict[str, Any] = tomllib.loads(Path(__file__).with_name("walls.toml").read_text("utf-8"))
    guards = data["guard"]
    titles = {title: Wall("challenge", guard["name"]) for guard in guards for title in guard["titles"]}
    titles |= {title: Wall(kind) for kind in ("captcha", "denied", "age") for title in data[kind]["titles"]}
    consent = data["consent"]
    return _Signs(
        headers=tuple((name, value, guard["name"]) for guard in guards for name, value in guard["headers"].items()),
        marks=tuple((mark.encode(), guard["name"]) for guard in guards for mark in guard["marks"]),
        titles={_folded(title): wall for title, wall in titles.items()},
        article=tuple(mark.encode() for mark in data["article"]["marks"]),
        captcha=tuple(mark.encode() for mark in data["captcha"]["marks"]),
        consent_hosts=frozenset(consent["hosts"]),
        consent_paths=frozenset(consent["paths"]),
        labels=frozenset(consent["labels"]),
        words=re.compile("|".join(map(re.escape, sorted(consent["words"], key=len, reverse=True)))),
        login_paths=frozenset(data["login"]["paths"]),
    )


def find_wall(body: bytes, header: Callable[[str], str], *, status: int = 200) -> Wall | None:
    """Return what kind of wall a page is; None for an ordinary page.

    Parameters
    ----------
    body : bytes
        After content decoding.
    header : callable
        Returns a response header, by its name in lower case; "" where it is missing.
    status : int
        With a status in `REFUSING`, a guard's marks suffice, whatever else the page shows.
    """
    signs = _signs()
    for name, value, guard in signs.headers:
        given = header(name)
        if given and value in ("*", given.strip().lower()):
            return Wall("captcha" if given.strip().lower() == "captcha" else "challenge", guard)
    if not 0 < len(body) <= MAX_WALL_BYTES or "html" not in (header("content-type") or "html").lower():
        return None
    source = body.lower()
    if status not in REFUSING and source.count(b"<a ") > MAX_LINKS:
        return None
    guard = next((guard for mark, guard in signs.marks if mark in source), "")
    if guard and status in REFUSING:
        return Wall("challenge", guard)
    if any(mark in source for mark in signs.article):
        return None
    return _shown_wall(source.decode("utf-8", "replace").lower(), guard, signs)


def wall_of(page: Page) -> Wall | None:
    """Return what kind of wall a page is, by its bytes and headers; None for an ordinary page or one without bytes."""
    return find_wall(page.body or b"", lambda name: page.headers.get(name, ""), status=page.status)


def _shown_wall(source: str, guard: str, signs: _Signs) -> Wall | None:
    """Return what kind of wall a short page without signs of an article is, by its text; None for an ordinary page."""
    runs = list(_runs(source))
    n_chars = sum(map(len, runs))
    if n_chars > MAX_CONSENT_CHARS:
        return None
    if guard and n_chars <= MAX_MARKED_CHARS:
        return Wall("challenge", guard)
    title = _TITLE.search(source)
    named = signs.titles.get(_folded(title[1])) if title else None
    if named and n_chars <= MAX_TITLED_CHARS:
        return named
    if n_chars <= MAX_CAPTCHA_CHARS and any(mark.decode() in source for mark in signs.captcha):
        return Wall("captcha")
    return Wall("consent") if _is_consent(source, runs, signs) else None


def _is_consent(source: str, runs: list[str], signs: _Signs) -> bool:
    """Return True if a page has a consent button, and hardly any text on other subjects."""
    labels = {" ".join(run.split()).strip(" .!›»→✓✔") for run in runs if len(run) <= 60}
    labels.update(value.strip() for value in _BUTTON_VALUE.findall(source))
    if signs.labels.isdisjoint(labels):
        return False
    found: set[str] = set()
    n_other = 0
    for run in runs:
        words = signs.words.findall(run)
        found.update(words)
        if not words and len(run) >= LONG_RUN_CHARS:
            n_other += len(run)
    return len(found) >= 2 and n_other <= MAX_OTHER_CHARS


def _runs(source: str) -> Iterator[str]:
    """Yield the texts between the tags of a lower-case page, without scripts and styles; linear in the page."""
    at = 0
    while (start := source.find("<", at)) >= 0:
        if run := source[at:start].strip():
            yield run
        raw = _RAW.match(source, start)
        if raw:
            end = source.find(f"</{raw[1]}", raw.end())
        elif source.startswith("<!--", start):
            end = source.find("-->", start)
        else:
            end = start
        at = source.find(">", end) + 1 if end >= 0 else 0
        if not at:
            return
    if run := source[at:].strip():
        yield run


def _folded(title: str) -> str:
    """Return a title normalised for comparison."""
    return " ".join(title.replace("…", "...").replace("’", "'").lower().split())


def wall_behind(url: str, requested: str) -> Wall | None:
    """Return what kind of wall a redirect led to, by its URL alone; None if it led to another page.

    Parameters
    ----------
    url, requested : str
        The redirect's target, and the requested URL.
    """
    to, of = split_url(url), split_url(requested)
    host, former = to.hostname or "", of.hostname or ""
    if (host, to.path) == (former, of.path):
        return None
    signs = _signs()
    if host != former and not signs.consent_hosts.isdisjoint(host.split(".")[:-2]):
        return Wall("consent")
    segments = set(filter(None, re.split(r"[/.]", to.path.lower()))) - set(re.split(r"[/.]", of.path.lower()))
    if not signs.consent_paths.isdisjoint(segments):
        return Wall("consent")
    return Wall("login") if not signs.login_paths.isdisjoint(segments) else None
