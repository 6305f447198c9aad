"""What everything that writes made-up markup works with: the draw, the prose, the names, and a few ways to write text."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from webmain.evaluation.training.made_up_names import NAMINGS, WEIGHTS, Names, Naming
from webmain.evaluation.training.made_up_prose import Dealer


def text(value: str) -> str:
    """Return text as markup."""
    return escape(value, quote=False)


@dataclass(frozen=True, slots=True)
class Desk:
    """One made-up page's draw, prose and names."""

    draw: random.Random
    deal: Dealer
    names: Names

    def chance(self, share: float) -> bool:
        """Return True in so many of the cases."""
        return self.draw.random() < share

    def link(self, label: str, role: str = "") -> str:
        """Return an anchor that leads nowhere."""
        return f'<a{self.names.of(role) if role else ""} href="{self.href()}">{text(label)}</a>'

    def line(self, tag: str, role: str, html: str) -> str:
        """Return markup in an element, with an empty line after elements that end no line themselves."""
        end = "<br><br>\n" if tag in ("b", "font", "small", "span", "strong") else ""
        return f"<{tag}{self.names.of(role)}>{html}</{tag}>{end}"

    def href(self) -> str:
        """Return an address as menus, teasers and comments have them."""
        draw = self.draw
        tail = draw.choice(("", "/", ".html", f"?id={draw.randrange(9999)}", f"#c{draw.randrange(9999)}", ".php"))
        return draw.choice(("", "", "https://www.example.com", "http://example.org")) + self.deal.slug() + tail

    def image(self) -> str:
        """Return a picture."""
        draw = self.draw
        size = draw.choice(("", ' width="48" height="48"', ' loading="lazy"', ' border="0"'))
        alt = draw.choice(("", text(self.deal.name()).replace('"', "")))
        return f'<img src="/img/{draw.randrange(99999)}.jpg" alt="{alt}"{size}>'

    def flow(self, paragraphs: Sequence[str], way: str) -> str:
        """Return paragraphs as markup.

        Parameters
        ----------
        paragraphs : sequence of str
            Plain texts.
        way : str
            One of `FLOWS`.
        """
        return FLOW_WRITERS[way]([text(paragraph) for paragraph in paragraphs], self.names)


def _each(tag: str, *, role: str = "") -> Callable[[Sequence[str], Names], str]:
    def write(paragraphs: Sequence[str], names: Names) -> str:
        attributes = names.of(role) if role else ""
        return "\n".join(f"<{tag}{attributes}>{paragraph}</{tag}>" for paragraph in paragraphs)

    return write


FLOW_WRITERS: Final[dict[str, Callable[[Sequence[str], Names], str]]] = {
    "p": _each("p"),
    "div": _each("div"),
    "named": _each("div", role="inner"),
    "span": lambda paragraphs, _: " ".join(f"<span>{paragraph}</span>" for paragraph in paragraphs),
    "spans": lambda paragraphs, names: "".join(
        f"<div><span{names.of('inner')}><span>{paragraph}</span></span></div>" for paragraph in paragraphs
    ),
    "br": lambda paragraphs, _: "<br>\n<br>\n".join(paragraphs),
    "one br": lambda paragraphs, _: "<br />".join(paragraphs),
    "font": lambda paragraphs, _: "".join(
        f'<p><font face="Verdana, Arial" size="2">{paragraph}</font></p>' for paragraph in paragraphs
    ),
    "open p": lambda paragraphs, _: "".join(f"<p>{paragraph}\n" for paragraph in paragraphs),
    "bare": lambda paragraphs, _: "\n".join(paragraphs),
}
FLOWS: Final = tuple(FLOW_WRITERS)


def new_desk(draw: random.Random, deal: Dealer, *, naming: Naming | None = None) -> Desk:
    """Return a desk for one page.

    Parameters
    ----------
    draw : random.Random
        What is drawn from.
    deal : Dealer
        Prose.
    naming : Naming or None
        How classes are named; drawn where None.
    """
    if naming is None:
        naming = draw.choices(NAMINGS, WEIGHTS)[0]
    return Desk(draw, deal, Names(draw, naming))
