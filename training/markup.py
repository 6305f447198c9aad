"""Markup of made-up pages from the templates in `templates/`."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from training.data import FOLDER
from training.prose import Draw


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def render(template: str, macro: str, d: Draw, **options: Any) -> Markup:
    """Return what a macro of a file in `templates/` writes, called without arguments; `options` are further variables."""
    variables = {"d": d, "box": lambda name: box(d, name), **options}
    module = _environment().get_template(template).make_module(variables)
    found: Markup = getattr(module, macro)()
    return found


def box(d: Draw, *names: str) -> Markup:
    """Return one of the boxes of `boxes.html`; a name that is given twice is drawn twice as often."""
    return render("boxes.html", d.choice(*names), d)
