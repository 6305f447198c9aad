"""Pages made up from gold pages, with known answers: more kinds of layout and boilerplate than any collection holds.

What is made up is the markup and what is around the articles; the prose is that of the given pages in new order, and the
wording of controls is this package's own. Pages made of given pages hold nothing of any other page, so that
cross-validation by site can't leak: call with the pages of the training folds only.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from training.changes import HARMLESS, INSERTIONS, REWRITINGS, shorten, strip_meaning
from training.data import languages
from training.layouts import whole_page
from training.notices import notice
from training.page_tree import EditablePage
from training.prose import Draw, Prose
from training.scripts import script_swapped
from webmain.evaluation.records import GoldPage
from webmain.evaluation.training.rows import NEWS_TYPES

OTHER_SHARE: Final = 0.25
"""Share of pages that are no articles: their content is left alone, what is around it is changed."""
TEMPLATE_SHARE: Final = 0.3
"""Share of the articles that are put into a layout of our own; the others' own pages are changed."""
SWAPPED_SHARE: Final = 0.15
"""Share of all pages whose words become those of another script."""
SHORTENED_SHARE: Final = 0.25
NOTICE_SHARE: Final = 0.35
"""Share of the other pages that are short notices among many boxes."""
STRIPPED_SHARE: Final = 0.5
"""Share of the pages that are real ones without meaning in their names and tags, nothing put in."""
MIN_FOUND: Final = 0.7
"""Share of its gold text that a page must show to be changed."""
MAX_TRIES: Final = 20
"""Pages that are tried for one made-up page; where none will do, there is one less."""
_UNSPACED: Final = frozenset({"th", "zh", "ja", "km", "lo", "my"})


def made_up_pages(pages: Sequence[GoldPage], *, count: int, seed: int) -> Iterator[GoldPage]:
    """Yield pages with known main text, made up from the articles, prose and layouts of pages with gold text.

    Give the pages of one fold only; the same seed and pages give the same pages. A made-up page is of the data set "made_up"
    or "stripped"; site, address and type are those of the page whose article it holds, and `comments` is the text of the
    threads that were put in. Comments, teasers, captions, author boxes and notices are no part of the text. Pages that are no
    articles keep their text.
    """
    ordered = sorted((page for page in pages if page.text), key=lambda page: (page.dataset, page.id))
    articles = [page for page in ordered if page.page_type in NEWS_TYPES]
    others = [page for page in ordered if page.page_type not in NEWS_TYPES]
    prose = Prose(ordered)
    rounds = {
        kind: _rounds(some or ordered, f"{seed}/{kind}")
        for kind, some in (("articles", articles), ("others", others), ("stripped", ordered))
    }
    for number in range(count if ordered else 0):
        draw = random.Random(f"{seed}/{number}")
        if draw.random() < STRIPPED_SHARE:
            kind, make = "stripped", _stripped
        elif articles and draw.random() < NOTICE_SHARE:
            kind, make = "articles", notice
        else:
            kind, make = "articles" if draw.random() >= OTHER_SHARE else "others", _made_up
        for page in itertools.islice(rounds[kind], MAX_TRIES):
            made = make(page, prose, draw)
            if made is not None:
                yield replace(
                    made,
                    id=f"{page.dataset}-{page.id}-{seed}-{number}",
                    dataset="stripped" if kind == "stripped" else "made_up",
                )
                break


def _rounds(pages: Sequence[GoldPage], seed: str) -> Iterator[GoldPage]:
    """Yield each page once, then each again in another order, and so on."""
    draw = random.Random(seed)
    while True:
        yield from draw.sample(pages, k=len(pages))


def _stripped(page: GoldPage, prose: Prose, draw: random.Random) -> GoldPage | None:
    return _edited(page, lambda editable: strip_meaning(editable, prose.draw(page, draw)))


def _made_up(page: GoldPage, prose: Prose, draw: random.Random) -> GoldPage | None:
    d = prose.draw(page, draw)
    is_article = page.page_type in NEWS_TYPES
    made = None if is_article and d.chance(TEMPLATE_SHARE) else changed(page, d)
    if made is None and is_article:
        made = whole_page(page, d)
    if made is not None and d.chance(SWAPPED_SHARE) and page.language not in _UNSPACED:
        made = script_swapped(made, d.choice(*languages("scripts")), random=d.random)
    return made


def changed(page: GoldPage, d: Draw) -> GoldPage | None:
    """Return a real page with boxes put in and its markup rewritten.

    None where the page doesn't show its gold text: what is not known can't be kept.
    """
    is_article = page.page_type in NEWS_TYPES

    def edit(editable: EditablePage) -> None:
        if is_article and d.chance(SHORTENED_SHARE):
            shorten(editable, d)
        for change, share in (INSERTIONS | REWRITINGS).items():
            if (is_article or change in HARMLESS or change in REWRITINGS) and d.chance(share):
                change(editable, d)

    return _edited(page, edit)


def _edited(page: GoldPage, edit: Callable[[EditablePage], None]) -> GoldPage | None:
    """Return a page after an edit of its tree; None where it doesn't show its gold text."""
    editable = EditablePage(page)
    if editable.found_share < MIN_FOUND:
        return None
    edit(editable)
    return replace(page, html=editable.html(), text=editable.gold, comments="\n\n".join(editable.comments))
