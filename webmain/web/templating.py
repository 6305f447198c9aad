"""The template environment: templates of this package, and of other packages under a prefix; worker processes use some."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from webmain.clock import once
from webmain.text.terminal import one_line

if TYPE_CHECKING:
    import jinja2

PACKAGES: Final = ("explain", "cloud", "corrections", "rendering")
"""Packages whose `templates` are found under their prefix: `{% from "explain/parts.html.jinja" import blocks_table %}`."""


@once
def templates() -> jinja2.Environment:
    """Return the environment that finds all templates."""
    import jinja2

    here = Path(__file__).parent
    packages = {package: jinja2.FileSystemLoader(here.parent / package / "templates") for package in PACKAGES}
    loaders = [jinja2.FileSystemLoader(here / "templates"), jinja2.PrefixLoader(packages)]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["one_line"] = one_line
    return environment
