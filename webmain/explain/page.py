"""A page's explanation as one HTML file, without scripts or external resources, with the page in a sandboxed frame."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from webmain.clock import once
from webmain.cloud.markup import cloud_css
from webmain.explain import overlay
from webmain.explain.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jinja2

    from webmain.explain.comparing import Comparison
    from webmain.explain.records import Explanation

TEMPLATES: Final = Path(__file__).with_name("templates")
REMEDY: Final = "pip install 'webmain[web]'"


class MissingExtraError(ImportError):
    """Jinja2 is not installed; the message says how to install it."""


def explanation_page(
    explanation: Explanation, *, comparison: Comparison | None = None, texts: Sequence[object] = ()
) -> str:
    """Return an explanation as a self-contained HTML document, with a comparison with another method, and of its text.

    `texts` are `webmain.evaluation.differences.TextComparison`. Raises MissingExtraError if Jinja2 is not installed.
    """
    try:
        from markupsafe import Markup

        environment = _environment()
    except ImportError as error:
        raise MissingExtraError(f"explaining a page as HTML needs Jinja2: {REMEDY}") from error
    style = style_sheet()
    return environment.get_template("page.html.jinja").render(
        view=View(explanation),
        comparison=comparison,
        texts=texts,
        style=Markup(style),  # noqa: S704 - a file of this package
        styles=f"{overlay.digest(style)} {overlay.style_source()}",
    )


@once
def _environment() -> jinja2.Environment:
    """Return the environment that loads and caches the templates."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@once
def style_sheet() -> str:
    """Return the style sheet of the page, including that of the parts."""
    return "".join(TEMPLATES.joinpath(name).read_text("utf-8") for name in ("page.css", "explain.css")) + cloud_css()
