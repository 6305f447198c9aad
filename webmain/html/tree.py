"""One parse and one walk: a page's text runs and elements as columns.

The walk drops no visible text; hidden text is only flagged. Content of `script` and `style` is never a leaf. Everything
else is computed from these columns; the tree is not visited again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webmain.clock import Deadline, Loading
from webmain.html.columns import Break, Elements, Flag, Leaves
from webmain.html.guard import guard
from webmain.html.names import Attributes
from webmain.items import Reason, Rejected
from webmain.text.normal import fold_lines

if TYPE_CHECKING:
    from webmain.html.names import Names

__all__ = ["BLOCK_TAGS", "Elements", "Leaves", "Tree", "read_tree"]

BLOCK_TAGS = frozenset(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup "
    "option p plaintext pre search section select summary table tbody td textarea tfoot th thead title tr ul xmp".split()
)
"""Elements that begin and end a line on the screen (the HTML standard's rendering section, and form controls)."""

_INDENTS = ("\u3000", "\xa0\xa0")
"""A line that begins so is a paragraph, also after a single line break."""

_NEVER_TEXT = frozenset("title script style template noembed noframes annotation annotation-xml".split())
_NEVER_IN_SVG = frozenset(("desc", "metadata"))
_EMBEDDING = frozenset("iframe object embed applet video audio canvas".split())
_CONTROL = frozenset("button select option optgroup textarea datalist".split())
_PREFORMATTED = frozenset("pre textarea listing xmp plaintext".split())

_PREFORMATTED_BIT, _IN_SVG_BIT = int(Flag.PREFORMATTED), int(Flag.IN_SVG)
_BY_ATTRIBUTE, _BY_DISPLAY = int(Flag.HIDDEN_ATTRIBUTE), int(Flag.HIDDEN_DISPLAY)
_BY_VISIBILITY, _BY_CLASS = int(Flag.HIDDEN_VISIBILITY), int(Flag.HIDDEN_CLASS)

_STREAMED = re.compile(r"S:[0-9a-f]+")

_HIDING_STYLE = re.compile(
    r"(?<![^;\s])(?:(display\s*:\s*none)|(visibility\s*:\s*(?:hidden|collapse))"
    r"|((?:left|top)\s*:\s*-(?:[5-9]\d{3}|999|\d{5})|clip-path\s*:\s*inset\((?:50|100)%\)"
    r"|clip\s*:\s*rect\(\s*(?:[01](?:px)?[\s,]*){4}\))|(font-size\s*:\s*0(?:p[xt]|r?em|%)?\s*(?=!|;|$)))",
    re.IGNORECASE,
)
_BY_SIZE = 1 << 16  # of an element's own text; elements inside often have a size of their own
_BY_STYLE = (0, _BY_DISPLAY, _BY_VISIBILITY, _BY_CLASS, _BY_SIZE)
"""The flags of each group of `_HIDING_STYLE`; the third one moves text off the screen, or cuts it off."""

_INHERITED: dict[str, int] = {
    "noscript": Flag.IN_NOSCRIPT,
    "form": Flag.IN_FORM,
    "a": Flag.IN_ANCHOR,
    "svg": Flag.IN_SVG,
    **dict.fromkeys(_EMBEDDING, Flag.EMBEDDED),
    **dict.fromkeys(_CONTROL, Flag.IN_CONTROL),
}
for _tag in _PREFORMATTED:
    _INHERITED[_tag] = _INHERITED.get(_tag, 0) | Flag.PREFORMATTED
_INHERITED = {tag: int(flag) for tag, flag in _INHERITED.items()}

# What the walk does at an element, by its tag; other elements are inline.
_INLINE, _BLOCK, _BR, _SPECIAL = range(4)
_ACTIONS: dict[str, int] = {
    **dict.fromkeys(BLOCK_TAGS, _BLOCK),
    **dict.fromkeys([*_INHERITED, *_NEVER_TEXT, *_NEVER_IN_SVG], _SPECIAL),
    "br": _BR,
    "a": _INLINE,
}

_TEXT_ID, _LAST_ID_OF_NO_ELEMENT = 2, 5
"""The parser's tag ids: 2 for text; up to 5 for processing instructions, documents, comments and doctypes."""

MAX_DEPTH = 500
"""Limit on depth: the content of deeper elements belongs to the ancestor at this depth. The deepest page of the development
data has 120; browsers allow 512."""

MAX_ELEMENTS = 80_000
"""Limit on elements of one page; the largest of the development data has 16,100."""

MAX_LEAVES = 40_000
"""Limit on text runs of one page; the maximum in the development data is 7,900."""

_CHECK_CLOCK_EVERY = 4096


@dataclass(frozen=True)
class Tree:
    """The result of one parse and one walk.

    Attributes
    ----------
    title : str
        Text of the first `title` element outside SVG, white space folded.
    data : list of str
        Content of the `script` elements that hold JSON-LD, in document order.
    """

    leaves: Leaves
    elements: Elements
    title: str
    data: list[str]


def read_tree(source: bytes, *, deadline: Deadline | None = None) -> Tree:
    """Return the tree columns of markup, parsed and walked once.

    Parameters
    ----------
    source : bytes
        UTF-8.
    deadline : Deadline or None
        When the walk stops.

    Raises
    ------
    Rejected
        `TOO_LARGE`: more than `MAX_ELEMENTS` or `MAX_LEAVES`, or see `guard`. `TOO_SLOW` past the deadline.
    """
    with Loading():
        from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

    deadline = deadline or Deadline()
    with deadline:
        root = LexborHTMLParser(guard(source), options=LexborDocumentOptions.WO_EVENTS).root  # nothing is copied
        return Tree(Leaves(), Elements(), "", []) if root is None else _walk(root, deadline)


def _walk(root: Any, deadline: Deadline) -> Tree:  # the binding's stubs call every name optional
    """Return the columns from visiting each node once, in document order.

    One long loop, because a function call per node would double the cost.
    """
    nodes: list[Any] = []
    tags: list[str] = []
    parents: list[int] = []
    end: list[int] = []
    add_node, add_tag, add_parent, add_end = nodes.append, tags.append, parents.append, end.append
    leaves = Leaves()
    before: list[int] = []  # the elements that begin before each leaf
    texts = leaves.texts
    add_text, add_before, add_element, add_box = texts.append, before.append, leaves.element.append, leaves.box.append
    add_flags, add_break, add_spaced = leaves.flags.append, leaves.breaks.append, leaves.spaced.append
    known: dict[int, tuple[str, int, int]] = {}  # by tag id: tag, action, inherited flags
    none, br, br_br, block = map(int, (Break.NONE, Break.BR, Break.BR_BR, Break.BLOCK))

    titles: list[str] = []
    data: list[str] = []
    tail: list[str] = []  # white space that belongs to the last leaf
    stack: list[tuple[Any, int, int, int, int]] = []  # node, parent, flags and box outside, gap after its end
    enter, leave = stack.append, stack.pop
    parent, flags, box = -1, 0, 0
    gap, spaced = block, False
    n_elements, next_check = 0, _CHECK_CLOCK_EVERY
    node = root
    while True:
        tag_id = node.tag_id
        if tag_id == _TEXT_ID:
            folded = ""
            if not node.is_empty_text_node:
                text = node.text_content
                is_folded = text.isprintable() and "  " not in text  # no white space but single spaces
                folded = text.strip() if is_folded else fold_lines(text)
            if not folded:
                spaced = True
                if flags & _PREFORMATTED_BIT and not gap:
                    tail.append(node.text_content or "")  # the end of a line of code
                    spaced = False
            else:
                if tail:
                    texts[-1] += "".join(tail)
                    tail.clear()
                if flags & _PREFORMATTED_BIT:
                    add_text(text)
                    add_spaced(spaced)
                    spaced = False
                elif len(text) == len(folded):  # no white space at its ends
                    add_text(folded)
                    add_spaced(spaced)
                    spaced = False
                else:
                    add_text(folded)
                    add_spaced(spaced or text[0].isspace())
                    spaced = text[-1].isspace()
                    if gap == br and text.lstrip(" \t\n\r").startswith(_INDENTS):
                        gap = br_br
                add_before(n_elements)
                add_element(parent)
                add_box(box)
                add_flags(flags)
                add_break(gap)
                gap = none
        elif tag_id > _LAST_ID_OF_NO_ELEMENT:
            try:
                tag, action, inherited = known[tag_id]
            except KeyError:
                tag = node.tag
                action, inherited = _ACTIONS.get(tag, _INLINE), _INHERITED.get(tag, 0)
                known[tag_id] = tag, action, inherited
            index = n_elements
            n_elements += 1
            add_tag(tag)
            add_parent(parent)
            add_node(node)
            add_end(n_elements)
            if action == _INLINE:
                child = node.first_child
                if child is not None:
                    enter((node, parent, flags, box, none))
                    node = child
                    flags |= inherited
                    if len(stack) <= MAX_DEPTH:
                        parent = index
                    continue
            elif action == _BLOCK:
                gap = block
                child = node.first_child
                if child is not None:
                    enter((node, parent, flags, box, block))
                    node = child
                    if len(stack) <= MAX_DEPTH:
                        parent = box = index
                    continue
            elif action == _BR:
                gap = max(gap, br_br if gap else br)
            elif action == _SPECIAL:
                gap_after = block if tag in BLOCK_TAGS else none
                gap = gap_after or gap
                if tag in _NEVER_TEXT or (flags & _IN_SVG_BIT and tag in _NEVER_IN_SVG):
                    _keep_content(node, tag, titles if not flags & _IN_SVG_BIT else None, data)
                elif (
                    tag != "svg" or flags & _IN_SVG_BIT or node.text_lexbor().strip()
                ):  # icons: hundreds of paths, no text
                    child = node.first_child
                    if child is not None:
                        enter((node, parent, flags, box, gap_after))
                        node = child
                        flags |= inherited
                        if len(stack) <= MAX_DEPTH:
                            parent, box = index, index if gap_after else box
                        continue
        node = node.next
        while node is None:
            if not stack:
                if tail:
                    texts[-1] += "".join(tail)
                _check_size(n_elements, len(texts))
                elements = Elements(tags, parents, end, before, leaves.element, Attributes(nodes))
                _flag_hidden(leaves, elements)
                return Tree(leaves, elements, titles[0] if titles else "", data)
            end[parent] = n_elements
            node, parent, flags, box, gap_after = leave()
            if gap_after:
                gap = gap_after
            node = node.next
        if n_elements >= next_check:
            next_check = n_elements + _CHECK_CLOCK_EVERY
            _check_size(n_elements, len(texts))
            if deadline.has_passed():
                raise Rejected(Reason.TOO_SLOW, f"walk given up after {n_elements} elements")


def _check_size(n_elements: int, n_leaves: int) -> None:
    """Raise `Rejected(TOO_LARGE)` beyond the limits."""
    for number, allowed, what in ((n_elements, MAX_ELEMENTS, "elements"), (n_leaves, MAX_LEAVES, "runs of text")):
        if number > allowed:
            raise Rejected(Reason.TOO_LARGE, f"more than {allowed:,} {what}, which is the number allowed")


def _keep_content(node: Any, tag: str, titles: list[str] | None, data: list[str]) -> None:
    """Store the content of a page's title, and of JSON-LD scripts."""
    if tag not in ("title", "script") or (child := node.first_child) is None:
        return
    if tag == "script":
        if "ld+json" in (node.attributes.get("type") or "").lower():
            data.append(child.text_content or "")
    elif titles is not None:
        titles.append(" ".join((child.text_content or "").split()))


def _flag_hidden(leaves: Leaves, elements: Elements) -> None:
    """Flag the leaves that an ancestor hides; only elements with text are examined."""
    candidates = zip(elements.may_hide, elements.attributes_of(elements.may_hide), strict=True)
    hiding = [(i, _hidden_by(elements.names[i], attributes)) for i, attributes in candidates]
    for bit in (_BY_ATTRIBUTE, _BY_DISPLAY, _BY_VISIBILITY, _BY_CLASS):
        flagged = 0  # all leaves before this one are done
        for i, hidden in hiding:
            if hidden & bit and (last := elements.end_leaf[i]) > flagged:
                for leaf in range(max(elements.first_leaf[i], flagged), last):
                    leaves.flags[leaf] |= bit
                flagged = last
    if small := {i for i, hidden in hiding if hidden & _BY_SIZE}:
        for leaf, element in enumerate(leaves.element):
            leaves.flags[leaf] |= _BY_VISIBILITY if element in small else 0


def _hidden_by(names: Names, attributes: dict[str, str | None]) -> int:
    """Return the flags that an element's class names, style and attribute `hidden` set."""
    hidden = _BY_CLASS if names.is_clipped else 0
    if names.is_not_displayed:
        hidden |= _BY_DISPLAY
    for found in _HIDING_STYLE.finditer(attributes.get("style") or ""):
        hidden |= _BY_STYLE[found.lastindex or 0]
    return hidden | _hidden_by_attribute(attributes) if "hidden" in attributes else hidden


def _hidden_by_attribute(attributes: dict[str, str | None]) -> int:
    """Return the flag that the attribute `hidden` sets.

    Text that the browser's search can reveal (`until-found`) counts as shown. So do streamed parts of React pages
    (`<div hidden id="S:0">`), which a script moves into place as soon as they arrive.
    """
    if (attributes["hidden"] or "").lower() == "until-found" or _STREAMED.fullmatch(attributes.get("id") or ""):
        return 0
    return _BY_ATTRIBUTE
