"""Correct what is kept between paragraphs: drop teasers and labels of advertisements, keep quotes, code and headings."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain import languages
from webmain.article.asides import Block, drop_asides, tags_around
from webmain.article.bylines import bylines_and_dates
from webmain.article.regions import UNWANTED
from webmain.article.tables import BOXES, MIN_PARAGRAPH_CHARS, beside, fill_tables, join_definitions
from webmain.clock import once
from webmain.extractors.page_types import page_type
from webmain.features.cues import GROUPS, READ_CHARS, line_cues
from webmain.html.columns import Break, Flag
from webmain.html.visible_text import CELLS, CODE, HEADINGS
from webmain.metadata.site_names import in_slug, slug_words
from webmain.regex import lazy
from webmain.text.normal import as_seen
from webmain.urls import join

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webmain.html.document import Document

MAX_TEASER_CHARS: Final = 250
"""Maximum characters of a teaser, whatever it begins with."""

MAX_LABEL_CHARS: Final = 50

MAX_INSERT_CHARS: Final = 3_000
"""Longer quotes or listings that an extractor dropped stay dropped."""

MAX_INSERTS: Final = 300
MAX_BOX_CHARS: Final = 600
MAX_BOX_SHARE: Final = 1 / 3
"""A box with a form that asks for an e-mail address has at most this many characters, and this share of the text; so have
notices in `noscript`."""

MIN_LINKED_SHARE: Final = 0.5
MIN_TEASER_WORDS: Final = 3
_MAX_DEPTH: Final = 40
_MAX_NAME_CHARS: Final = 100
_IN_ANCHOR, _IN_NOSCRIPT = int(Flag.IN_ANCHOR), int(Flag.IN_NOSCRIPT)
_CELLS: Final = frozenset(CELLS)
_HEADINGS: Final = frozenset(HEADINGS)
MAX_CELL_LEAVES: Final = 12
"""A cell with more runs of text, or more than `MAX_BOX_CHARS` characters, is part of the page's layout."""

_LABEL_EDGES: Final = " \t\n\xa0.:*-–—[]()"
_FIELD_NAMES: Final = ("name", "id", "placeholder")
_NEWSLETTER: Final = lazy(r"news-?_?letter|sign-?_?up", re.IGNORECASE)
_SIGN_UP: Final = 1 << GROUPS.index("subscribe")
_PICTURES: Final = frozenset(("img", "picture"))
MAX_CAPTIONS: Final = 2
MAX_CAPTIONS_SHARE: Final = 0.1
"""Lines below pictures are captions only if they are few and a small share of the text; otherwise they are list entries."""

_SUBHEADS: Final = frozenset(("h2", "h3", "h4", "h5", "h6"))
MIN_HEADINGS: Final = 3
"""Minimum headings with the same signature from which one is inferred from the others."""

_INSERTS: Final = frozenset(("blockquote", *CODE, *_SUBHEADS))
_NO_TEXT: Final = int(UNWANTED | Flag.IN_ANCHOR)
_PARTED: Final = int(Break.BR_BR)


@once
def _read_more() -> re.Pattern[str]:
    """Return the pattern of the beginnings of lines that link to another article."""
    return re.compile(rf"[\W_]{{0,6}}{languages.known().either('read_more')}", re.IGNORECASE)


@once
def _ad_labels_known() -> frozenset[str]:
    return frozenset(languages.known().words("ads"))


def adjusted(document: Document, kept: NDArray[np.bool_], *, captions: bool = False) -> NDArray[np.bool_]:
    """Return which leaves to keep, given the leaves that an extractor kept.

    Parameters
    ----------
    document : Document
    kept : (n_leaves,) bool
        What an extractor kept.
    captions : bool
        Keep lines that count as captions only by their place below a picture.

    Returns
    -------
    (n_leaves,) bool
        Removed: teasers, sign-ups for newsletters, notices in `noscript`, captions, labels of advertisements, the byline
        above the text, what `drop_asides` drops, and a heading at the end. Added: all cells of a table that is mostly kept;
        quotes, code and headings between kept siblings; headings with the same signature as kept ones; terms of kept
        definitions.
    """
    if not kept.any():
        return kept
    out = kept.copy()
    rules = (_teasers, _sign_ups, _notices, _ad_labels, bylines_and_dates, *(() if captions else (_captions,)))
    drop_asides(document, out, others=rules)
    if not out.any():
        return kept  # a date or a byline is all that the page has
    fill_tables(document, out)
    join_definitions(document, out)
    _add_between(document, out)
    _add_headings(document, out)
    _drop_lone_headings(document, out)
    _drop_last_heading(document, out)
    return out


def _drop_last_heading(document: Document, kept: NDArray[np.bool_]) -> None:
    """Drop a heading at the end of the text: it belongs to text that was not kept."""
    elements, leaves = document.elements, document.leaves
    chosen = np.flatnonzero(kept)
    around = elements.ancestors(leaves.element[chosen[-1]])[:_MAX_DEPTH]
    first = next((elements.first_leaf[e] for e in around if elements.tags[e] in HEADINGS), 0)
    if kept[:first].any() and leaves.n_chars[first:][kept[first:]].sum() <= MAX_TEASER_CHARS:
        kept[first:] = False


def _drop_lone_headings(document: Document, kept: NDArray[np.bool_]) -> None:
    """Drop headings of an article's boxes that show a paragraph or more, of which nothing else is kept."""
    elements, leaves = document.elements, document.leaves
    parent, first, end = elements.parent, elements.first_leaf, elements.end_leaf
    headings = [i for i in elements.of_tags(_SUBHEADS)[:MAX_INSERTS] if first[i] < end[i] and kept[first[i]]]
    if not headings:
        return
    shown = np.where(kept | leaves.has(UNWANTED), 0, leaves.n_chars)
    for i in headings:
        box, start, rest = parent[i], first[i], end[i]
        while box >= 0 and end[box] == rest:
            box = parent[box]
        if box < 0 or first[box] != start or kept[rest : end[box]].any():
            continue
        is_box = shown[rest : end[box]].sum() >= MIN_PARAGRAPH_CHARS and (kept[:start].any() or kept[rest:].any())
        if is_box and page_type(document).name == "article":
            kept[start:rest] = False


def _teasers(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield short paragraphs that link to other articles: with or below a cue ("Read more:"), or between paragraphs.

    A cue alone goes with the links below it, and at the end of the text.
    """
    below_cue = False
    for i, block in enumerate(blocks):
        if not block.n_linked or block.n_chars > MAX_TEASER_CHARS:
            following = blocks[i + 1 : i + 2]
            has_links_below = all(other.n_linked for other in following)
            below_cue = has_links_below and block.n_chars <= MAX_LABEL_CHARS and _is_cue(block)
            if below_cue and all(map(_is_linked, following)):
                yield block.leaves
            continue
        if cue := _read_more().match(block.text):
            n_cue_chars = len("".join(cue.group().split()))
            is_teaser = block.n_linked >= MIN_LINKED_SHARE * (block.n_chars - n_cue_chars)
        else:
            around = blocks[i - 1 : i + 2] if block.n_linked == block.n_chars else []
            is_between = len(around) == 3 and _is_paragraph(around[0]) and _is_paragraph(around[2])
            below_cue = below_cue and _is_linked(block)
            is_teaser = is_between or below_cue
        if is_teaser and _leads_away(document, block, has_cue=cue is not None or below_cue):
            yield block.leaves


def _is_cue(block: Block) -> bool:
    """Return True if a block is only the beginning of a line that links to other articles: "Related stories:"."""
    cue = _read_more().match(block.text)
    return cue is not None and not block.text[cue.end() :].strip(_LABEL_EDGES)


def _is_linked(block: Block) -> bool:
    return block.n_linked >= MIN_LINKED_SHARE * block.n_chars and block.n_chars <= MAX_TEASER_CHARS


def _captions(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield text alone with a picture above it, unless there is so much of it that it is the page's content."""
    elements, boxes = document.elements, document.leaves.box
    tags, parent, start, end = elements.tags, elements.parent, elements.first_leaf, elements.end_leaf
    found = []
    for block in blocks:
        box = boxes[block.leaves[0]]
        around = parent[box]
        is_short = block.n_chars <= MAX_TEASER_CHARS and tags[box] == "div" and tags[around] in BOXES
        if is_short and (start[around], end[around]) == (start[box], end[box]):
            found += [] if _PICTURES.isdisjoint(tags[around + 1 : box]) else [block]
    n_chars, n_found = (sum(block.n_chars for block in each) for each in (blocks, found))
    if len(found) <= MAX_CAPTIONS and n_found <= MAX_CAPTIONS_SHARE * n_chars:
        yield from (block.leaves for block in found)


def _is_paragraph(block: Block) -> bool:
    return block.n_chars >= MIN_PARAGRAPH_CHARS and 2 * block.n_linked < block.n_chars


def _ad_labels(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield paragraphs that only label an advertisement; in list items, headings and cells the words may be content."""
    leaves = document.leaves
    for block in blocks:
        i = block.leaves[0]
        if block.n_chars > MAX_LABEL_CHARS or len(block.leaves) > 1 or not _labels_ads(leaves.texts[i]):
            continue
        is_alone = leaves.breaks[i] >= _PARTED and (i + 1 == len(leaves) or leaves.breaks[i + 1] >= _PARTED)
        is_listed = "li" in tags_around(document, block, most=_MAX_DEPTH)
        if is_alone and not is_listed and not _has_own_place(document, block):
            yield block.leaves


def _labels_ads(text: str) -> bool:
    return as_seen(text).strip(_LABEL_EDGES).casefold() in _ad_labels_known()


def _has_own_place(document: Document, block: Block, *, headings: bool = True) -> bool:
    """Return True if a block is in a heading (if `headings`), or in a cell that does not just lay out the page."""
    elements, texts = document.elements, document.leaves.texts
    for element in elements.ancestors(document.leaves.element[block.leaves[0]])[:_MAX_DEPTH]:
        if headings and elements.tags[element] in _HEADINGS:
            return True
        if elements.tags[element] in _CELLS:
            first, end = elements.first_leaf[element], elements.end_leaf[element]
            n_chars = sum(map(len, texts[first : min(end, first + MAX_CELL_LEAVES)]))
            return end - first <= MAX_CELL_LEAVES and n_chars <= MAX_BOX_CHARS
    return False


def _sign_ups(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield what was kept of boxes that contain a field for an e-mail address.

    They begin with words such as "Sign up", or their class names a newsletter.
    """
    elements, leaves = document.elements, document.leaves
    inputs = elements.of_tags(("input",))
    fields = [i for i, of in zip(inputs, elements.attributes_of(inputs), strict=True) if _asks_for_mail(of)]
    if not fields:
        return
    before = np.concatenate(([0], np.cumsum(leaves.n_chars)))
    starts = [block.leaves[0] for block in blocks]
    most = MAX_BOX_SHARE * sum(block.n_chars for block in blocks)
    dropped = 0  # blocks before this one are done
    for field in fields[:MAX_INSERTS]:
        box, found = elements.parent[field], -1
        while box >= 0 and before[elements.end_leaf[box]] - before[elements.first_leaf[box]] <= MAX_BOX_CHARS:
            first = elements.first_leaf[box]
            begin = leaves.texts[first][:READ_CHARS].casefold() if first < elements.end_leaf[box] else ""
            is_sign_up = line_cues(begin) & _SIGN_UP or _NEWSLETTER.search(elements.names[box].classes)
            box, found = elements.parent[box], box if is_sign_up else found
        if found >= 0:
            at = max(dropped, bisect_left(starts, elements.first_leaf[found]))
            dropped = max(at, bisect_left(starts, elements.end_leaf[found]))
            if sum(block.n_chars for block in blocks[at:dropped]) <= most:
                yield from (block.leaves for block in blocks[at:dropped])


def _asks_for_mail(attributes: dict[str, str | None]) -> bool:
    kind = (attributes.get("type") or "text").lower()
    names = ((attributes.get(name) or "")[:_MAX_NAME_CHARS].lower() for name in _FIELD_NAMES)
    return kind == "email" or (kind == "text" and any("mail" in name for name in names))


def _notices(document: Document, blocks: list[Block]) -> list[list[int]]:
    """Return the leaves in `noscript` if they are a small part of the text: browsers with scripts show the rest alone."""
    flags = document.leaves.flags
    notices = [block for block in blocks if flags[block.leaves[0]] & _IN_NOSCRIPT]
    most = min(MAX_BOX_CHARS, MAX_BOX_SHARE * sum(block.n_chars for block in blocks)) if notices else 0
    return [block.leaves for block in notices] if sum(block.n_chars for block in notices) <= most else []


def _leads_away(document: Document, block: Block, *, has_cue: bool) -> bool:
    """Return True if a paragraph links to another article; never in a table, and in a list or heading only with a cue."""
    elements, leaves = document.elements, document.leaves
    linked = [leaves.element[leaf] for leaf in block.leaves if leaves.flags[leaf] & _IN_ANCHOR]
    around = (elements.ancestors(element)[:_MAX_DEPTH] for element in linked)
    anchors = {next((e for e in path if elements.tags[e] == "a"), -1) for path in around} - {-1}
    hrefs = {(elements.attributes[anchor].get("href") or "").strip() for anchor in anchors}
    is_listed = "li" in tags_around(document, block, most=_MAX_DEPTH)
    if _has_own_place(document, block, headings=not has_cue) or (is_listed and not has_cue):
        return False
    hrefs = {h for h in hrefs if h and not h.startswith(("#", "mailto:", "tel:", "javascript:"))}
    if has_cue:
        return bool(hrefs)
    if len(hrefs) != 1:
        return False
    slug = slug_words(join(document.base_url, hrefs.pop()))
    return in_slug(block.text, slug) >= MIN_TEASER_WORDS


def _add_between(document: Document, kept: NDArray[np.bool_]) -> None:
    """Keep quotes, code and headings between siblings with kept text, unless the text already contains them.

    A heading has to be directly between two kept leaves that are not links.
    """
    elements, leaves = document.elements, document.leaves
    chosen = np.flatnonzero(kept)
    begin, finish = (bisect_right(elements.first_leaf, chosen[i]) for i in (0, -1))
    inserts = elements.of_tags(_INSERTS)
    inserts = inserts[bisect_left(inserts, begin) : bisect_left(inserts, finish)][:MAX_INSERTS]
    before = np.concatenate(([0], np.cumsum(np.where(kept, leaves.n_chars, 0)))).tolist() if inserts else []
    text = ""
    for i in inserts:
        first, end = elements.first_leaf[i], elements.end_leaf[i]
        if elements.parent[i] < 0 or not 0 < end - first <= MAX_INSERT_CHARS or kept[first:end].any():
            continue
        at, last = beside(elements, i)
        if before[first] - before[at] < MIN_PARAGRAPH_CHARS or before[last] - before[end] < MIN_PARAGRAPH_CHARS:
            continue
        if elements.tags[i] in _SUBHEADS and not all(
            0 <= leaf < len(leaves) and kept[leaf] and not leaves.flags[leaf] & _NO_TEXT for leaf in (first - 1, end)
        ):
            continue
        class_name = (elements.attributes[i].get("class") or "").lower()
        is_ad = end - first == 1 and _labels_ads(leaves.texts[first])
        if is_ad or "pull" in class_name or any(flags & _NO_TEXT for flags in leaves.flags[first:end]):
            continue
        if sum(map(len, leaves.texts[first:end])) > MAX_INSERT_CHARS:
            continue
        text = text or "".join("".join(leaves.texts[k].split()) for k in np.flatnonzero(kept).tolist()).casefold()
        runs = ["".join(t.split()) for t in leaves.texts[first:end]]
        is_quote = elements.tags[i] == "blockquote"  # its source may stand below it
        own = (max(runs, key=len) if is_quote else "".join(runs)).casefold().strip("\"'“”„«»")
        if own and own not in text:
            kept[first:end] = True


def _add_headings(document: Document, kept: NDArray[np.bool_]) -> None:
    """Keep a heading directly above kept text if most headings with the same label, and parents' label, are kept."""
    elements, flags = document.elements, document.leaves.flags
    parent, first, end = elements.parent, elements.first_leaf, elements.end_leaf
    alike: dict[tuple[str, str], list[int]] = {}
    for i in elements.of_tags(_SUBHEADS)[:MAX_INSERTS]:
        if first[i] < end[i]:
            alike.setdefault((elements.names[i].label, elements.names[parent[i]].label), []).append(i)
    for headings in alike.values():
        missing = [i for i in headings if not kept[first[i]]]
        if len(headings) < MIN_HEADINGS or 2 * len(missing) >= len(headings):
            continue
        for i in missing:
            if end[i] < end[parent[i]] and kept[end[i]] and not any(f & _NO_TEXT for f in flags[first[i] : end[i]]):
                kept[first[i] : end[i]] = True
