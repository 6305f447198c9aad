"""The template environment: templates of this package, and of `webmain.explain`; worker processes use some."""

from __future__ import annotations

from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined

from webmain.clock import once
from webmain.text.terminal import one_line


@once
def templates() -> Environment:
    """Return the environment of all templates: `{% from "explain/parts.html.jinja" import blocks_table %}`."""
    here = Path(__file__).parent
    explain = PrefixLoader({"explain": FileSystemLoader(here.parent / "explain" / "templates")})
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(here / "templates"), explain]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["one_line"] = one_line
    return environment
