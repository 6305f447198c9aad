"""Made-up sites of several layouts, some without descriptions, all with text that recurs on their pages."""

from __future__ import annotations

from collections import Counter

import numpy as np

import webmain

SMALL = "the of and to in a is that for it was on are as with his they at be this from or had by but not what".split()
TAGS = ("div", "section", "article", "main", "li")
SHARE_OF_RECURRING = 0.5


def text(draw: np.random.Generator, topic: str, n: int) -> str:
    own = [f"{topic}{i}" for i in range(30)]
    return " ".join(str(draw.choice(own if draw.random() < 0.6 else SMALL)) for _ in range(n)) + "."


class Layout:
    """How some of a site's pages are built: where the story stands, where what recurs, and whether they are described."""

    def __init__(self, draw: np.random.Generator, number: int, *, described: bool) -> None:
        self.described = described
        self.outer, self.box = (str(draw.choice(TAGS)) if draw.random() < 0.3 else "div" for _ in range(2))
        self.story = "story" if described else str(draw.choice(["remarks", f"text{number}"]))
        self.footer = f"story foot{number}" if number and draw.random() < 0.7 else f"foot{number}"
        self.recurring = [text(draw, f"about{number}x", int(draw.integers(8, 45))) for _ in range(draw.integers(3, 9))]

    def page(self, draw: np.random.Generator, number: int) -> str:
        story = [text(draw, f"name{number}x", int(draw.integers(20, 60))) for _ in range(draw.integers(3, 8))]
        head = f"<title>Title {number} of {story[0][:20]}</title>"
        if self.described:
            head += f"<meta name=description content='{story[0][:150]}'>"
        remarks = "".join(f"<p>{text(draw, f'other{number}x', 25)}</p>" for _ in range(3)) if self.described else ""
        menu = "".join(f"<li><a href=/{i}>Section {i}</a></li>" for i in range(7))
        return (
            f"<html><head>{head}</head><body><ul class=menu>{menu}</ul><{self.outer} class='{self.story}'>"
            + "".join(f"<p>{p}</p>" for p in story)
            + f"</{self.outer}><div class=remarks>{remarks}</div><{self.box} class='{self.footer}'>"
            + "".join(f"<p>{p}</p>" for p in self.recurring)
            + f"</{self.box}></body></html>"
        )


def pages_of(seed: int) -> list[webmain.Page]:
    """Make a site: up to three layouts, the first with descriptions, the others with or without."""
    draw = np.random.default_rng(seed)
    layouts = [Layout(draw, n, described=not n or draw.random() < 0.3) for n in range(draw.integers(1, 4))]
    pages = []
    for layout in layouts:
        for _ in range(draw.integers(5, 11)):
            number = len(pages)
            pages.append(webmain.Page(url=f"https://made-up.example/{number}", html=layout.page(draw, number)))
    return pages


def poisoned(pages: list[webmain.Page]) -> list[str]:
    """Return the addresses whose article by `svm` is mostly text of three other pages."""
    answers = webmain.extract_site(pages, extractor="svm", parts="text")
    found = [a for a in answers if isinstance(a, webmain.Article) and a.extractor == "svm"]
    n_pages = Counter(part for article in found for part in set(article.text.split("\n\n")))
    return [
        str(article.url)
        for article in found
        if sum(len(part) for part in article.text.split("\n\n") if n_pages[part] >= 3)
        > SHARE_OF_RECURRING * len(article.text)
    ]
