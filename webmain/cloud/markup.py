"""A cloud as HTML: a list whose items have classes for their sizes and colours; every word is escaped."""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from html import escape
from importlib import resources

from webmain.cloud.records import Cloud, CloudWord
from webmain.text.normal import fit_for_html

N_SIZES = 9  # classes of sizes, from `cloud-1` to `cloud-9`

SMALLEST = 0.6
"""Square root of a weight, relative to the greatest, that gets the smallest size unless another word has less."""

_LATIN_MARKS = re.compile("[\u0300-\u036f]")
_VOWEL_FIRST = re.compile("([\u0e40-\u0e44\u0ec0-\u0ec4])([\u0e01-\u0e2e\u0e81-\u0eae])")
_TONES = re.compile("[\u0e47-\u0e4e\u0ec8-\u0ecd]")


class Order(StrEnum):
    """The order in which words are written."""

    WEIGHT = "weight"  # greatest first
    ALPHABET = "alphabet"
    TEXT = "text"  # in the order of the texts


@dataclass(frozen=True, slots=True)
class Scheme:
    """The colours of the background and of words: "#rrggbb"."""

    ground: str
    words: tuple[str, ...]


@cache
def schemes() -> Mapping[str, Scheme]:
    """Return the schemes of `colours.toml` by name."""
    table = tomllib.loads(resources.files("webmain.cloud").joinpath("colours.toml").read_text("utf-8"))
    return {name: Scheme(one["ground"], tuple(one["words"])) for name, one in table.items()}


def ordered(cloud: Cloud, order: Order | str) -> Sequence[CloudWord]:
    """Return a cloud's words in an order."""
    if Order(order) is Order.ALPHABET:
        return sorted(cloud.words, key=lambda one: (alphabetical(one.word), one.word))
    if Order(order) is Order.TEXT:
        return [cloud.words[place] for place in cloud.in_order]
    return cloud.words


def alphabetical(word: str) -> str:
    """Return the sort key of a word, as in dictionaries: case, accents and tone marks don't count.

    In Thai and Lao a vowel written before its consonant is sorted after it. Other letters are in the order of Unicode.
    """
    letters = _LATIN_MARKS.sub("", unicodedata.normalize("NFKD", word).casefold())
    return _VOWEL_FIRST.sub(r"\2\1", _TONES.sub("", letters))


def cloud_markup(
    cloud: Cloud, *, order: Order | str = Order.ALPHABET, link: Callable[[CloudWord], str] | None = None
) -> str:
    """Return a cloud as an HTML list, styled by `cloud_css`; `link` returns the URL to which a word leads.

    Safe to insert into a page: words and URLs are escaped, there is no script and no style. Each word's count follows
    it as text for screen readers, and is shown as a tooltip.
    """
    n_colours = len(schemes()["light"].words)
    ranks = {one.word: rank for rank, one in enumerate(cloud.words)}
    least = min([SMALLEST, *(math.sqrt(one.weight) for one in cloud.words)])
    items = []
    for one in ordered(cloud, order):
        size = 1 + round((N_SIZES - 1) * (math.sqrt(one.weight) - least) / (1 - least))
        lang = f' lang="{escape(one.language)}"' if one.language not in ("", cloud.language) else ""
        word = f"<bdi{lang}>{escape(fit_for_html(one.word))}</bdi>"
        if link:
            word = f'<a href="{escape(link(one))}">{word}</a>'
        classes = f"cloud-{size} cloud-c{ranks[one.word] % n_colours}"
        items.append(
            f'<li class="{classes}" title="{one.count}">{word}<span class="cloud-count"> {one.count}</span></li>'
        )
    name = f' aria-label="{escape(fit_for_html(cloud.title))}"' if cloud.title else ""
    head = f'<ul class="cloud" lang="{escape(cloud.language)}" dir="{cloud.direction}"{name}>'
    return "\n".join([head, *items, "</ul>"])


def cloud_css() -> str:
    """Return the style sheet of `cloud_markup`, for light and dark pages."""
    css = resources.files("webmain.cloud").joinpath("cloud.css").read_text("utf-8")
    for name, condition in (("light", ""), ("dark", "@media (prefers-color-scheme: dark) ")):
        rules = "".join(f".cloud-c{n} {{ color: {colour} }} " for n, colour in enumerate(schemes()[name].words))
        css += f"{condition}{{ {rules}}}\n" if condition else f"{rules}\n"
    return css


def cloud_page(cloud: Cloud, *, order: Order | str = Order.ALPHABET) -> str:
    """Return a whole page with a cloud, which loads nothing."""
    title = escape(fit_for_html(cloud.title))
    light, dark = schemes()["light"].ground, schemes()["dark"].ground
    in_dark = f"body {{ background: {dark}; color: {light} }}"
    ground = f"body {{ background: {light}; font-family: system-ui, sans-serif }}\n"
    ground += f"@media (prefers-color-scheme: dark) {{ {in_dark} }}"
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(cloud.language)}" dir="{cloud.direction}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{ground}\n{cloud_css()}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f"{cloud_markup(cloud, order=order)}\n</main>\n</body>\n</html>\n"
    )
