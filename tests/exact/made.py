"""News pages made of a table of words and a template: an article with every box that stands around one."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

HERE = Path(__file__).parent
URL = "https://www.example.org/stories/4711"
TEMPLATES = sorted(path.stem for path in (HERE / "templates").glob("*.html"))
KINDS = sorted(path.stem for path in (HERE / "kinds").glob("*.toml"))
LANGUAGES = sorted(path.stem for path in (HERE / "scripts").glob("*.toml"))
RIGHT_TO_LEFT = ("ar", "fa", "he")

Words = dict[str, Any]

NOT_YET = frozenset({("zh", "compiled"), ("zh", "semantic")})
"""Pages of which one block is too much or too few as yet; a test says when one has come right."""


def cases(*parts: tuple[str, ...]) -> list[Any]:
    """Return the cases of a test; those in `NOT_YET` are expected to fail, and may not pass."""
    mark = pytest.mark.xfail(strict=True, raises=AssertionError, reason="the page model does not get it right yet")
    return [pytest.param(*part, marks=[mark] if part in NOT_YET else []) for part in parts]


@cache
def words(language: str) -> Words:
    """Return what a made-up paper of a language writes: its article and the words of all boxes."""
    return tomllib.loads((HERE / "scripts" / f"{language}.toml").read_text("utf-8"))


@cache
def _template(name: str) -> Any:
    folder = HERE / "templates"
    environment = Environment(
        loader=FileSystemLoader(folder), autoescape=True, trim_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template(f"{name}.html")


def changed(value: Any, change: Callable[[str], str]) -> Any:
    """Return words with a change made in each text but dates."""
    if isinstance(value, dict):
        return {key: each if key in ("date", "shown") else changed(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [changed(each, change) for each in value]
    return change(value) if isinstance(value, str) else value


def paragraphs(w: Words) -> list[str]:
    """Return the lines of an article's text: what is to be extracted."""
    lines = [w["lead"], *(line.lstrip("#> ") for line in w["body"].strip().split("\n\n"))]
    return [line for line in lines if line]


def _markup(line: str) -> str:
    if line.startswith("## "):
        return f"<h2>{escape(line[3:])}</h2>"
    text = f"<p>{escape(line.removeprefix('> '), quote=False)}</p>"
    return f"<blockquote>{text}</blockquote>" if line.startswith("> ") else text


def page(language: str, w: Words, template: str, *, parts: list[str] | None = None, after: str = "") -> str:
    """Return a page.

    Parameters
    ----------
    language : str
    w : dict
        Its words.
    template : str
        One of `TEMPLATES`.
    parts : list of str or None
        The article's markup in the place of what `w["body"]` says.
    after : str
        Markup below the article.
    """
    return _template(template).render(
        w=w,
        lang=language,
        rtl=language in RIGHT_TO_LEFT,
        title=w["title"],
        author=w["author"],
        date=w["date"],
        shown=w["shown"],
        lead=w["lead"],
        description=w.get("description", w["lead"]),
        url=URL,
        parts=[_Safe(part) for part in parts or map(_markup, w["body"].strip().split("\n\n"))],
        after=_Safe(after),
    )


class _Safe(str):
    """Markup that a template writes as it is."""

    def __html__(self) -> str:
        return self


@dataclass(frozen=True)
class KindPage:
    """A page of one kind, and the text that is to be extracted."""

    html: str
    title: str
    authors: tuple[str, ...]
    text: str


@cache
def kind(name: str) -> KindPage:
    """Return a page of `kinds/`, with an English paper's boxes around it."""
    given = tomllib.loads((HERE / "kinds" / f"{name}.toml").read_text("utf-8"))
    w = words("en") | {"description": given["lead"] or given["text"].split("\n\n")[0].strip()} | given
    parts = [part.strip() for part in given["markup"].split("\n===\n")]
    html = page(
        "en",
        w,
        given["template"],
        parts=[part for part in (given.get("before", ""), *parts) if part],
        after=given.get("after", ""),
    )
    if "cut" in given:
        html = html[: html.index(given["cut"]) + len(given["cut"])]
    return KindPage(html, w["title"], (w["author"],) if w["author"] else (), given["text"].strip())
