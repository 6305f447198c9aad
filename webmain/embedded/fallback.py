"""Choose some text for every page that has any, if the extractor kept none: the most likely kind of text first.

Shown text comes first; then text for readers without scripts, text that scripts would show, fallback text of players and
frames, form controls, and text clipped away for screen readers. Last comes markup that is in the source but not in the tree:
documents of frames, templates, CDATA sections.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.embedded.articles import asks_for_scripts
from webmain.html.columns import HIDDEN, Flag
from webmain.html.document import Document
from webmain.html.kinds import article_blocks
from webmain.items import Page
from webmain.regex import lazy
from webmain.text.prose_amount import prose_chars

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.items import ArticleBlock

ENOUGH_PROSE: Final = 200.0
"""Minimum characters of prose (`prose_chars`) for a kind of text to be taken before later kinds."""

MAX_MARKUP_CHARS: Final = 2_000_000
"""Maximum characters read of markup outside the tree."""

_BY_SCRIPT = Flag.HIDDEN_DISPLAY | Flag.HIDDEN_VISIBILITY | Flag.HIDDEN_ATTRIBUTE
_NOT_PLAIN = HIDDEN | Flag.EMBEDDED | Flag.IN_NOSCRIPT | Flag.IN_CONTROL | Flag.IN_SVG
_TIERS: Final = (
    (Flag(0), _NOT_PLAIN),
    (Flag.IN_NOSCRIPT, _NOT_PLAIN & ~Flag.IN_NOSCRIPT),
    (_BY_SCRIPT, _NOT_PLAIN & ~_BY_SCRIPT),
    (Flag.EMBEDDED, _NOT_PLAIN & ~Flag.EMBEDDED),
    (Flag.IN_CONTROL, _NOT_PLAIN & ~Flag.IN_CONTROL),
    (Flag.IN_SVG, _NOT_PLAIN & ~Flag.IN_SVG),
    (Flag.HIDDEN_CLASS, Flag(0)),
    (_NOT_PLAIN, Flag(0)),
)
"""The kinds of text in order: flags of which a leaf has at least one, and flags of which it has none."""

_PIECE = lazy(
    r"<(?:!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|\Z)"
    r"|(?P<tag>noframes|template|noembed)(?=[\s/>])[^<>]{0,4000}+>(?P<inner>.*?)(?:</(?P=tag)|\Z)"
    r"|script(?=\s)[^<>]{0,4000}?\stype\s{0,9}=\s{0,9}[\"']?text/(?:html|template|x-[\w-]{0,40}template[\w-]{0,40})[^<>]{0,4000}+>"
    r"(?P<script>.*?)(?:</script|\Z))",
    re.DOTALL | re.IGNORECASE,
)
_FRAME = lazy(r"<iframe(?=\s)[^<>]{0,4000}?\ssrcdoc\s{0,9}=\s{0,9}(?:\"([^\"]*+)\"|'([^']*+)')", re.IGNORECASE)


def fallback_mask(document: Document, allowed: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """Return which leaves to use as text if the extractor kept none.

    Parameters
    ----------
    document : Document
    allowed : (n_leaves,) bool or None
        The leaves that may be used; None for all.

    Returns
    -------
    (n_leaves,) bool
        The leaves of the first kind with `ENOUGH_PROSE`: shown, in `noscript`, hidden until a script runs, fallback of an
        embed, in form controls, in SVG, for screen readers only. If no kind has enough, those of the first kind with any
        letter. A notice that the page needs scripts comes last. All false only if no leaf has a letter.
    """
    leaves = document.leaves
    allowed = np.ones(len(leaves), dtype=np.bool_) if allowed is None else allowed
    found: list[tuple[bool, NDArray[np.bool_]]] = []
    for wanted, unwanted in _TIERS:
        mask = allowed & ~leaves.has(unwanted) & (leaves.has(wanted) if wanted else True)
        texts = [leaves.texts[i] for i in np.flatnonzero(mask).tolist()]
        if not any(any(c.isalnum() for c in text) for text in texts):
            continue
        is_notice = asks_for_scripts(" ".join(texts)) if sum(map(len, texts)) < 2_000 else False
        if not is_notice and sum(prose_chars(text) for text in texts) >= ENOUGH_PROSE:
            return mask
        found.append((is_notice, mask))
    found.sort(key=lambda item: item[0])  # stable: notices last
    return found[0][1] if found else np.zeros(len(leaves), dtype=np.bool_)


def markup_beside_tree(document: Document) -> str:
    """Return markup that is in a page's source but not in its tree.

    Parameters
    ----------
    document : Document

    Returns
    -------
    str
        In document order: documents of inline frames (`srcdoc`), `noframes`, `noembed`, templates, scripts that are templates
        of HTML, CDATA sections; then the title if an unclosed one contains markup. "" if there is none.
    """
    source = document.html[:MAX_MARKUP_CHARS]
    pieces: list[tuple[int, str]] = []
    if "<" in source:
        for match in _PIECE.finditer(source):
            text = next((t for t in (match["cdata"], match["inner"], match["script"]) if t), "")
            pieces.append((match.start(), text))
        pieces.extend((m.start(), html.unescape(m[1] or m[2] or "")) for m in _FRAME.finditer(source))
    pieces.sort(key=lambda piece: piece[0])
    if "<p" in document.title or "<div" in document.title or "<body" in document.title:
        pieces.append((len(source), document.title))
    return "\n".join(f"<div>{text}</div>" for _, text in pieces if text.strip())


def fallback_blocks(document: Document, allowed: NDArray[np.bool_] | None = None) -> tuple[ArticleBlock, ...]:
    """Return text for a page of which the extractor kept nothing.

    Parameters
    ----------
    document : Document
    allowed : (n_leaves,) bool or None
        The leaves that may be used; None for all. If it leaves some out, markup outside the tree is not used either.

    Returns
    -------
    tuple of ArticleBlock
        The leaves of `fallback_mask`; or the text of `markup_beside_tree` if there are no leaves, or if they have less than
        `ENOUGH_PROSE` and it has more. Empty only if the page has no text except its title, attributes and scripts.
    """
    blocks = _blocks(document, fallback_mask(document, allowed))
    if _prose(blocks) >= ENOUGH_PROSE or (allowed is not None and not allowed.all()):
        return blocks
    beside = markup_beside_tree(document)
    if not beside:
        return blocks
    inner = Document(Page(url=document.url, html=beside), html=beside, deadline=document.deadline)
    others = _blocks(inner, fallback_mask(inner))
    return others if not blocks or _prose(others) > _prose(blocks) else blocks


def _blocks(document: Document, mask: NDArray[np.bool_]) -> tuple[ArticleBlock, ...]:
    nothing = np.zeros(len(mask))
    return article_blocks(document, mask, score=nothing, raw=nothing)


def _prose(blocks: tuple[ArticleBlock, ...]) -> float:
    return sum(prose_chars(block.text) for block in blocks)
