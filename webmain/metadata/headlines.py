"""Find the title of a page: collect the texts that may be its headline, and let `titles` choose."""

from __future__ import annotations

from itertools import islice, starmap
from typing import TYPE_CHECKING, Final

from webmain.html.columns import Flag
from webmain.metadata.dates import parse_date
from webmain.metadata.dates_shown import is_mostly_date
from webmain.metadata.head import element_text, letters, stands_aside
from webmain.metadata.jsonld import first_text
from webmain.metadata.names import starts_byline
from webmain.metadata.reading import Found, Reading, found
from webmain.metadata.site_names import in_slug
from webmain.metadata.titles import Candidate, choose, is_kicker, pieces, repairs, size
from webmain.metadata.values import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

_MIN_HEADLINE: Final = 15
_LONGEST_LABEL, _LONG_TITLE = 14, 24
_LONGEST_HEADLINE: Final = 200
_PARAGRAPH: Final = 80
_TOP_LEAVES: Final = 500
_SHOWN_WITHIN: Final = 3_000
_MOST_DATES: Final = 5
_BEFORE_DATE, _AFTER_DATE = 3, 12
"""Leaves before a date that may be the headline, and after it that may be the text."""


def read_title(reading: Reading) -> Found | None:
    """Return the headline, without the names of site and section around it."""
    candidates = list(_candidates(reading))
    sections = reading.link_labels if all(c.source in ("title", "headline", "text") for c in candidates) else ()
    others = (i for i in reading.clues.headings[:20] if i != reading.headline)
    headings = reading.subheads.union(letters(element_text(reading.document, i)) for i in others)
    chosen = choose(candidates, names=reading.called, sections=sections, slug=reading.slug, headings=headings)
    return found(chosen[0].text, chosen[1].source, chosen[1].text) if chosen else None


def _candidates(reading: Reading) -> Iterator[Candidate]:
    document = reading.document
    article = next((node.value for node in reading.nodes if node.is_article and not node.aside), {})
    if headline := first_text(article.get("headline") or article.get("name")):
        yield Candidate("json-ld", clean(headline))
    yield from starmap(Candidate, reading.of_meta("title"))
    if reading.headline >= 0:
        yield Candidate("h1", _heading(reading))
    elif marked := _marked_headline(reading):
        yield Candidate("headline", marked)
    if document.title:
        if reading.headline < 0 and (heading := _unnamed_heading(reading)):
            yield Candidate("h2", heading)
            return
        yield Candidate("title", clean(document.title))
        if reading.headline < 0 or letters(element_text(document, reading.headline)) not in letters(document.title):
            yield Candidate("text", _shown_title(reading))
    elif reading.headline < 0 and reading.first_subhead >= 0 and not headline and not any(reading.of_meta("title")):
        subhead = element_text(document, reading.first_subhead)
        yield Candidate("h2", "" if is_mostly_date(subhead) and parse_date(subhead) else subhead)


def _heading(reading: Reading) -> str:
    """Return the text of the `h1` without what only its style sets apart from the headline that other places have.

    That is a kicker in an element of its own, a second line glued to the first, and a date that does not follow the headline
    in the `title` element.
    """
    document, leaves = reading.document, reading.document.leaves
    first, end = (ends[reading.headline] for ends in (document.elements.first_leaf, document.elements.end_leaf))
    title, whole = letters(document.title), element_text(document, reading.headline)
    others = [clean(document.title[:1000]), *(text for _, text in reading.of_meta("title"))]
    told = {letters(piece) for text in others for piece in (text, *pieces(text)) if size(piece) > _MIN_HEADLINE}
    is_told = any(letters(whole) in letters(text) for text in others)
    for i in range(first + 1, min(end, first + _MOST_DATES)):
        above, below = (
            clean(shown, markup="<" not in shown) for shown in map(leaves.text, (range(first, i), range(i, end)))
        )
        if is_mostly_date(leaves.texts[i]) and letters(leaves.texts[i]) not in title and parse_date(leaves.texts[i]):
            if letters(above) and title.startswith(letters(above)):
                return above
        elif not is_told and is_kicker(above) and letters(below) in told:
            return below
        elif not is_told and not (leaves.breaks[i] or leaves.spaced[i]) and letters(above) in told:
            return above
    return whole


def _unnamed_heading(reading: Reading) -> str:
    """Return the headline of a page whose `title` element is the same on all pages: a heading, or the text above a date.

    Such a title is the site's name or a label ("Press release"), or the page does not show it and has another text above
    its date.
    """
    title = clean(reading.document.title[:1000])
    parts = [part for part in pieces(title) if not reading.called.holds(part)]
    if any(in_slug(part, reading.slug) > 1 or _is_shown(reading, part) for part in {*parts, " ".join(parts)} - {""}):
        return ""
    is_site = reading.called.holds(title) and reading.first_subhead >= 0
    return element_text(reading.document, reading.first_subhead) if is_site else _above_date(reading)


def _is_shown(reading: Reading, piece: str) -> bool:
    """Return True if a piece of a title is a text run, begins with one, or is in one; a label in a link does not count."""
    own, leaves, is_label = letters(piece), reading.document.leaves, size(piece) < _LONGEST_LABEL
    for text, flags in islice(zip(leaves.texts, leaves.flags, strict=True), _TOP_LEAVES):
        folded = "" if is_label and flags & Flag.IN_ANCHOR else letters(text)
        begins = len(folded) > _MIN_HEADLINE and own.startswith(folded)
        if folded == own or begins or (size(piece) > _LONG_TITLE and own in folded):
            return True
    return False


def _above_date(reading: Reading) -> str:
    """Return the text directly above the first date that is followed by a paragraph; "" if it cannot be a headline."""
    document, leaves = reading.document, reading.document.leaves
    for at in islice((i for i, t in enumerate(leaves.texts[:_TOP_LEAVES]) if is_mostly_date(t)), _MOST_DATES):
        if not any(size(text) > _PARAGRAPH for text in leaves.texts[at + 1 : at + _AFTER_DATE]):
            continue
        above = [i for i in range(max(0, at - _BEFORE_DATE), at) if size(leaves.texts[i]) > _MIN_HEADLINE]
        if above and not leaves.flags[above[-1]] & Flag.IN_ANCHOR and parse_date(leaves.texts[at]):
            text = element_text(document, leaves.element[above[-1]], limit=_LONGEST_HEADLINE + 1)
            return text if len(text) <= _LONGEST_HEADLINE and not is_mostly_date(text) else ""
    return ""


def _marked_headline(reading: Reading) -> str:
    """Return the text of the first element whose class names a headline and that has a byline or date nearby."""
    document, clues = reading.document, reading.clues
    first, runs = document.elements.first_leaf, document.leaves.texts
    signs = [first[i] for i in (*clues.bylines, *clues.dated)]
    for i in clues.headlines[:20]:
        text, at = element_text(document, i, limit=200), first[i]
        if len(letters(text)) < 12 or stands_aside(document, i):
            continue
        if any(at - 4 <= sign <= at + 6 for sign in signs) or any(map(starts_byline, runs[at + 1 : at + 5])):
            return text
    return ""


def _shown_title(reading: Reading) -> str:
    """Return the longest text of the page that the `title` element begins with, else one that it ends with.

    The text must be a heading or as long as any piece of the title, since names of sections are shown, too. If a piece ends
    with an ellipsis, it is the text that begins like it.
    """
    document, leaves = reading.document, reading.document.leaves
    title = clean(document.title[:1000])
    if cut := next((piece for piece in pieces(title) if piece.endswith(("...", "…"))), ""):
        shown = (text for text in leaves.texts[:_SHOWN_WITHIN] if len(text) <= _LONGEST_HEADLINE)
        if whole := next((text for text in shown if repairs(cut, text)), ""):
            return whole
    longest = max(len(letters(piece)) for piece in pieces(title))
    at_start, at_end = "", ""
    for i, text in enumerate(leaves.texts[:_SHOWN_WITHIN]):
        is_start = title.startswith(text)
        if not (is_start or title.endswith(text)) or not len(at_start) < len(text) < len(title):
            continue
        is_heading = document.elements.tags[leaves.box[i]] in ("h2", "h3", "h4")
        if is_heading or (not leaves.flags[i] & Flag.IN_ANCHOR and len(letters(text)) >= longest):
            at_start, at_end = (text, at_end) if is_start else (at_start, max(at_end, text, key=len))
    return at_start or at_end
