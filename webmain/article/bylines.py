"""Find bylines, dates and counters that are kept at the ends of a text and are no part of it."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from webmain import languages
from webmain.article.asides import Block, at_ends, has_own_kind
from webmain.clock import once
from webmain.metadata.dates import parse_date
from webmain.metadata.dates_shown import first_cue, is_mostly_date, of_change, of_publication
from webmain.metadata.head import BYLINE, DATED, has_sign
from webmain.metadata.names import BAR, named_with_role, names_in, read_signature, starts_byline
from webmain.revisions.volatile import without_counters
from webmain.text.normal import as_seen, fold_space
from webmain.text.prose_amount import n_wide

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webmain.html.document import Document

_FIRST: Final = 3  # blocks at the beginning of a text that may be bylines
_MAX_BYLINE_CHARS: Final = 90
_MAX_DATED_BYLINE_CHARS: Final = 130
_MAX_DATE_CHARS: Final = 50
_MAX_DATE_WORDS: Final = 6
_MAX_LABELLED_WORDS: Final = 9
_MAX_LABEL_CHARS: Final = 10
_MAX_DATE_WIDE: Final = 14
_MAX_COUNTER_CHARS: Final = 40
_MAX_HEADLINE_CHARS: Final = 200


@once
def _words_of_dates() -> re.Pattern[str]:
    """Return the pattern of words that dates have besides day, month and year."""
    names = "at o_clock weekdays year_after mornings afternoons".split()
    words = languages.known().either(*(f"dates.{name}" for name in names))
    return re.compile(rf"(?<!\w){words}(?![^\W\d_])", re.IGNORECASE)


@once
def _retitled() -> re.Pattern[str]:
    return re.compile(rf"\W{{0,3}}{languages.known().either('retitled')}", re.IGNORECASE)


def _date_in(text: str) -> str:
    """Return the part of a line between bars that may be a date; "" if there is none, or a part of many words."""
    may_be_dated = "年" in text or any(map(str.isdigit, text))
    lines = BAR.split(text) if may_be_dated and not text.endswith(":") else []
    parts = [part for line in lines for part in (of_publication(line), of_change(line)) if part]
    if any(_has_more_words(part) or n_wide(part) > _MAX_DATE_WIDE for part in parts):
        return ""
    return next((part for part in parts if len(part) <= _MAX_DATE_CHARS and is_mostly_date(part)), "")


def _has_more_words(part: str) -> bool:
    """Return True if a part has more words than a date has, with a label such as "published"."""
    n_words = len(_words_of_dates().sub(" ", part).split())
    return n_words > _MAX_DATE_WORDS and (n_words > _MAX_LABELLED_WORDS or first_cue(part) > _MAX_LABEL_CHARS)


def _date_of(document: Document, block: Block) -> str:
    """Return the date of a short block that is one and little else, or dates, counters and names marked as authors'."""
    if block.n_chars > _MAX_BYLINE_CHARS:
        return ""
    texts = [document.leaves.texts[leaf] for leaf in block.leaves]
    dates = list(map(_date_in, texts)) if len(texts) > 1 else []
    date = next((found for found in dates if found and parse_date(found)), "")
    of_leaves = zip(texts, dates, block.leaves, strict=True) if date else ()
    if date and all(own or _is_counter(text) or _is_author(document, leaf) for text, own, leaf in of_leaves):
        return date
    return _date_in(block.text)


def _is_author(document: Document, leaf: int) -> bool:
    attributes = document.elements.attributes[document.leaves.element[leaf]]
    return has_sign(attributes.get("class"), BYLINE)


def _date_at_start(document: Document, block: Block) -> int:
    """Return the first leaf of a block if it is a date and marked as one, before other text; -1 if not."""
    leaves, elements, first = document.leaves, document.elements, block.leaves[0]
    element = leaves.element[first]
    is_marked = elements.tags[element] == "time" or has_sign(elements.attributes[element].get("class"), DATED)
    return first if len(block.leaves) > 1 and is_marked and _date_in(leaves.texts[first]) else -1


def _date_below_headline(document: Document, block: Block) -> list[int]:
    """Return the leaves of a block's last line if it is a date below a line as short as a headline."""
    starts = [k for k, leaf in enumerate(block.leaves) if k and document.leaves.breaks[leaf]]
    line = block.leaves[starts[-1] :] if starts else []
    if not line or block.n_chars > _MAX_HEADLINE_CHARS:
        return []
    date = _date_in(fold_space(document.leaves.text(line)))
    return line if date and parse_date(date) else []


def _has_kind(document: Document, block: Block) -> bool:
    """Return True if a tag defines the kind of a block's text; a table's cell only if nothing else is around the text.

    Tables of old sites are their layout, with paragraphs in the cells.
    """
    box = document.elements.tags[document.leaves.box[block.leaves[0]]]
    return box not in ("p", "div") and has_own_kind(document, block)


def _is_counter(text: str) -> bool:
    """Return True if a text is only a number and what it counts."""
    is_short = len(text) <= _MAX_COUNTER_CHARS and any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    return is_short and not without_counters(text, text.lower(), None).strip()


def bylines_and_dates(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield short blocks among the first kept ones: those with a byline, and the only one with a date and little else.

    Also a date marked as such at the beginning of the text, a counter at its end ("520 views"), and, at both, the title that
    it had elsewhere ("原标题：").
    """
    for block in at_ends(blocks, _FIRST, _FIRST):
        if block.n_chars <= _MAX_HEADLINE_CHARS and _retitled().match(block.text):
            yield block.leaves
    if blocks and (date := _date_at_start(document, blocks[0])) >= 0:
        yield [date]
    below = (_date_below_headline(document, block) for block in blocks[:_FIRST][: len(blocks) - 1])
    yield from islice(filter(None, below), 1)
    if len(blocks) > 1 and blocks[-1].n_chars <= _MAX_COUNTER_CHARS and _is_counter(blocks[-1].text):
        yield blocks[-1].leaves
    dated = [(block, found) for block in blocks[:_FIRST] if (found := _date_of(document, block))]
    is_only_date = len(dated) == 1 and not any(_date_of(document, block) for block in blocks[_FIRST:])
    for block, found in dated if is_only_date else ():
        if not _has_kind(document, block) and parse_date(found):
            yield block.leaves
    for block in blocks[:_FIRST]:
        is_signed = block.n_chars <= _MAX_DATED_BYLINE_CHARS and starts_byline(block.text)
        if is_signed and parse_date(block.text) and names_in(block.text, is_text=True):
            yield block.leaves
        elif block.n_chars <= _MAX_BYLINE_CHARS:
            start = as_seen(document.leaves.texts[block.leaves[0]]).strip()
            signed = read_signature(block.text)
            is_byline = signed.is_whole if signed else starts_byline(f"{start} ")
            if (is_byline and names_in(start, is_text=True)) or named_with_role(block.text):
                yield block.leaves
