"""One parse and one walk: a page's text runs and elements as columns.

The walk drops no visible text and hides none: it flags. Content of `script` and `style` is never a leaf. Everything after
the walk is arithmetic over these columns; nothing else visits the tree again.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.items import Break, Flag, Reason, Rejected
from webmain.page.guard import guard
from webmain.page.wrapping import folded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

BLOCK_TAGS = frozenset(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup "
    "option p plaintext pre search section select summary table tbody td textarea tfoot th thead title tr ul xmp".split()
)
"""Elements that begin and end a line for a reader (the HTML standard's rendering section, and form controls)."""

VISUALLY_HIDDEN = frozenset(
    "sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only screenreader-only element-invisible "
    "a11y-hidden u-visually-hidden u-hidden-visually is-visually-hidden visually-hidden-focusable show-for-sr "
    "hide-accessible hidden-accessible assistive-text".split()
)
"""Class names under which style sheets commonly clip text away from the screen."""

_NEVER_TEXT = frozenset("script style template noembed noframes annotation annotation-xml".split())
_EMBEDDING = frozenset("iframe object embed applet video audio canvas".split())
_CONTROL = frozenset("button select option optgroup textarea datalist".split())
_PREFORMATTED = frozenset("pre textarea listing xmp plaintext".split())

_PREFORMATTED_BIT = int(Flag.PREFORMATTED)
_IN_SVG_BIT = int(Flag.IN_SVG)

_STREAMED = re.compile(r"S:[0-9a-f]+")

_DISPLAY_NONE = re.compile(r"(?:^|[;\s])display\s*:\s*none", re.IGNORECASE)
_NOT_VISIBLE = re.compile(r"(?:^|[;\s])visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)

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

# What the walk does at a node, by its tag; elements that are not listed are plain inline ones.
_TEXT, _BLOCK, _NO_NODE, _BR, _SPECIAL = 1, 2, 3, 4, 5
_ACTIONS: dict[str, int] = {
    **dict.fromkeys(BLOCK_TAGS, _BLOCK),
    **dict.fromkeys([*_INHERITED, *_NEVER_TEXT, "title"], _SPECIAL),
    **dict.fromkeys(["-comment", "-document", "!doctype", "-cdata", "-pi"], _NO_NODE),
    "-text": _TEXT,
    "br": _BR,
}

_CHECK_CLOCK_EVERY = 4096
_XPATH_NAME = re.compile(r"[a-z_][a-z0-9_-]*", re.IGNORECASE).fullmatch


@dataclass(frozen=True)
class Leaves:
    """The page's text runs in document order, as columns of equal length.

    Attributes
    ----------
    texts : list of str
        White space folded to single spaces and stripped; as it stood where `Flag.PREFORMATTED` is set. Never blank.
    element : list of int
        Index of the element the run stands in.
    box : list of int
        Index of the nearest block-level element around it.
    flags : list of int
        `Flag` bits.
    breaks : list of int
        `Break` between the run before and this one.
    spaced : list of bool
        White space stood between the run before and this one (meaningful where the break is NONE).
    """

    texts: list[str] = field(default_factory=list)
    element: list[int] = field(default_factory=list)
    box: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    spaced: list[bool] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def elements(self) -> NDArray[np.int32]:
        """`element` as an array."""
        return np.array(self.element, dtype=np.int32)

    @cached_property
    def boxes(self) -> NDArray[np.int32]:
        """`box` as an array."""
        return np.array(self.box, dtype=np.int32)

    @cached_property
    def bits(self) -> NDArray[np.int32]:
        """`flags` as an array."""
        return np.array(self.flags, dtype=np.int32)

    @cached_property
    def gaps(self) -> NDArray[np.int8]:
        """`breaks` as an array."""
        return np.array(self.breaks, dtype=np.int8)

    @cached_property
    def n_chars(self) -> NDArray[np.int32]:
        """Unicode characters of each run."""
        return np.fromiter(map(len, self.texts), dtype=np.int32, count=len(self.texts))

    def has(self, flag: int) -> NDArray[np.bool_]:
        """Tell for each run whether any of the flag's bits is set."""
        found: NDArray[np.bool_] = (self.bits & int(flag)).astype(np.bool_)
        return found

    def text(self, indices: Sequence[int]) -> str:
        """Join runs as `join` does, every line stripped and its white space folded.

        Parameters
        ----------
        indices : sequence of int
            Ascending leaf indices.
        """
        if len(indices) == 1 and not self.flags[indices[0]] & _PREFORMATTED_BIT:
            return self.texts[indices[0]]
        text = self.join(indices)
        return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()

    def join(self, indices: Iterable[int]) -> str:
        """Join runs by the white space and breaks that stood between them: nothing, a space, or a new line.

        Parameters
        ----------
        indices : iterable of int
            Ascending leaf indices.
        """
        texts, breaks, spaced = self.texts, self.breaks, self.spaced
        out: list[str] = []
        last = -1
        for i in indices:
            if not out:
                pass
            elif i - last > 1:
                if any(breaks[last + 1 : i + 1]):
                    out.append("\n")
                elif any(spaced[last + 1 : i + 1]):
                    out.append(" ")
            elif breaks[i]:
                out.append("\n")
            elif spaced[i]:
                out.append(" ")
            out.append(texts[i])
            last = i
        return "".join(out)


@dataclass(frozen=True)
class Elements:
    """The page's elements in preorder, as columns of equal length.

    Attributes
    ----------
    tags : list of str
        Lower case.
    parent : list of int
        -1 for the root.
    end : list of int
        One past the last element of the subtree: element `i` holds elements `i + 1 ... end[i] - 1`.
    first_leaf, end_leaf : list of int
        Half-open range of the leaves in the subtree.
    attributes : list of dict
        Attribute values by lower-case name, None for attributes without a value.
    """

    tags: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    first_leaf: list[int] = field(default_factory=list)
    end_leaf: list[int] = field(default_factory=list)
    attributes: list[dict[str, str | None]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.tags)

    @cached_property
    def parents(self) -> NDArray[np.int32]:
        """`parent` as an array."""
        return np.array(self.parent, dtype=np.int32)

    @cached_property
    def depth(self) -> list[int]:
        """Number of ancestors; 0 for the root."""
        depth: list[int] = []
        for parent in self.parent:
            depth.append(depth[parent] + 1 if parent >= 0 else 0)
        return depth

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """`end` as an array."""
        return np.array(self.end, dtype=np.int32)

    @cached_property
    def leaf_starts(self) -> NDArray[np.int32]:
        """`first_leaf` as an array."""
        return np.array(self.first_leaf, dtype=np.int32)

    @cached_property
    def leaf_ends(self) -> NDArray[np.int32]:
        """`end_leaf` as an array."""
        return np.array(self.end_leaf, dtype=np.int32)

    def named(self, tags: Collection[str]) -> NDArray[np.bool_]:
        """Tell for each element whether its tag is one of those."""
        return np.array([tag in tags for tag in self.tags], dtype=np.bool_)

    def within(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Spread a mask over elements to their whole subtrees."""
        marked = np.flatnonzero(mask)
        if not len(marked):
            return np.zeros(len(self.tags), dtype=np.bool_)
        farthest = np.maximum.accumulate(self.ends[marked])  # ends of the outermost marked element around or before
        last = np.cumsum(mask) - 1  # marked element at or before each one
        inside: NDArray[np.bool_] = (last >= 0) & (np.arange(len(self.tags)) < farthest[last])
        return inside

    def ancestors(self, index: int) -> list[int]:
        """Return the element and its ancestors, innermost first."""
        out = []
        while index >= 0:
            out.append(index)
            index = self.parent[index]
        return out

    def tag_path(self, index: int) -> str:
        """Return the tags from the root to the element: "html/body/div/p"."""
        return "/".join(self.tags[i] for i in reversed(self.ancestors(index)))

    def css(self, index: int) -> str:
        """Return a CSS selector from the body to the element, with ids and classes."""
        steps = []
        for i in self.ancestors(index):
            if self.tags[i] in ("html", "body"):
                break
            attributes = self.attributes[i]
            step = self.tags[i]
            if name := attributes.get("id"):
                step += f"#{'.'.join(name.split())}"
            step += "".join(f".{token}" for token in (attributes.get("class") or "").split())
            steps.append(step)
        return " > ".join(reversed(steps))

    def xpath(self, index: int) -> str:
        """Return the element's absolute XPath with positions: "/html/body/div[2]/p"; made once for all siblings."""
        paths, parent = self._paths, self.parent
        unknown = []
        while index not in paths:
            unknown.append(index)
            index = parent[index]
        for i in reversed(unknown):
            if i not in paths:
                self._add_paths_of_children(parent[i])
            index = i
        return paths[index]

    @cached_property
    def _paths(self) -> dict[int, str]:
        """XPaths that have been asked for, and those of their siblings; no path above the root."""
        return {-1: "", 0: f"/{self.tags[0]}"} if self.tags else {-1: ""}

    def _add_paths_of_children(self, parent: int) -> None:
        """Write the paths of all children of an element; tags that are no XPath name are numbered among all siblings."""
        tags, end, paths = self.tags, self.end, self._paths
        start, child, last = paths[parent] + "/", parent + 1, end[parent]
        if end[child] == last and tags[child].isalnum():
            paths[child] = start + tags[child]
            return
        children = []
        while child < last:
            children.append(child)
            child = end[child]
        total: dict[str, int] = {}
        numbers = []
        for child in children:
            tag = tags[child]
            total[tag] = total.get(tag, 0) + 1
            numbers.append(total[tag])
        for position, (child, number) in enumerate(zip(children, numbers, strict=True), start=1):
            tag = tags[child]
            if not _XPATH_NAME(tag):
                paths[child] = f"{start}*[{position}]"
            else:
                paths[child] = f"{start}{tag}[{number}]" if total[tag] > 1 else start + tag


@dataclass(frozen=True)
class Tree:
    """What one parse and one walk give.

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


def read_tree(source: bytes, *, deadline: float | None = None) -> Tree:
    """Parse markup and walk it once.

    Parameters
    ----------
    source : bytes
        UTF-8.
    deadline : float or None
        `time.monotonic()` value after which the walk gives up.

    Raises
    ------
    Rejected
        `TOO_SLOW` past the deadline.
    """
    from selectolax.lexbor import LexborHTMLParser

    root = LexborHTMLParser(guard(source)).root
    if root is None:
        return Tree(Leaves(), Elements(), "", [])
    return _walk(root, deadline)


def _hidden_by_class(value: str, known: dict[str | None, int]) -> int:
    """Return the flag that a class attribute sets; what is found is remembered."""
    if value not in known:
        known[value] = 0 if VISUALLY_HIDDEN.isdisjoint(value.lower().split()) else int(Flag.HIDDEN_CLASS)
    return known[value]


def _hidden_by_style(style: str, known: dict[str | None, int]) -> int:
    """Return the flags that a style attribute sets; what is found is remembered."""
    if style not in known:
        hidden = int(Flag.HIDDEN_DISPLAY) if _DISPLAY_NONE.search(style) else 0
        known[style] = hidden | (int(Flag.HIDDEN_VISIBILITY) if _NOT_VISIBLE.search(style) else 0)
    return known[style]


def _hidden_by_attribute(attributes: dict[str, str | None]) -> int:
    """Return the flag that the attribute `hidden` sets.

    Text that the browser's search may open (`until-found`) counts as shown, and so do the streamed pieces of React pages
    (`<div hidden id="S:0">`), which a script moves to their place as soon as they arrive.
    """
    if (attributes["hidden"] or "").lower() == "until-found" or _STREAMED.fullmatch(attributes.get("id") or ""):
        return 0
    return int(Flag.HIDDEN_ATTRIBUTE)


def _walk(root: Any, deadline: float | None) -> Tree:  # the binding's stubs call every name optional
    """Visit each node once, in document order; one long loop because a call for each node would double its cost."""
    leaves, elements = Leaves(), Elements()
    add_text, add_element, add_flags = leaves.texts.append, leaves.element.append, leaves.flags.append
    add_break, add_spaced = leaves.breaks.append, leaves.spaced.append
    end, end_leaf = elements.end, elements.end_leaf
    add_tag, add_parent, add_end = elements.tags.append, elements.parent.append, end.append
    add_first_leaf, add_end_leaf = elements.first_leaf.append, end_leaf.append
    add_attributes = elements.attributes.append
    class_flags: dict[str | None, int] = {None: 0}
    style_flags: dict[str | None, int] = {None: 0}
    class_flag, style_flag = class_flags.get, style_flags.get
    known: dict[int, tuple[str, int]] = {}  # by the parser's number of a tag: its name and what to do
    boxes: list[int] = []  # for each element: the box that its own text stands in
    add_inner_box = boxes.append
    none, br, br_br, block = map(int, (Break.NONE, Break.BR, Break.BR_BR, Break.BLOCK))

    title: str | None = None
    data: list[str] = []
    stack: list[tuple[Any, int, int, int, int]] = []  # node, parent, flags and box outside, gap after its end
    parent, flags, box = -1, 0, 0
    gap, spaced = block, False
    n_elements, n_leaves, next_check = 0, 0, _CHECK_CLOCK_EVERY
    node = root
    while True:
        tag_id = node.tag_id
        if tag_id not in known:
            known[tag_id] = node.tag, _ACTIONS.get(node.tag, 0)
        tag, action = known[tag_id]
        if action == _TEXT:
            text = node.text_content
            if text.isspace():
                spaced = True
                if flags & _PREFORMATTED_BIT and not gap:
                    leaves.texts[-1], spaced = leaves.texts[-1] + text, False  # the end of a line of code
            else:
                if not flags & _PREFORMATTED_BIT:
                    add_spaced(spaced or text[0].isspace())
                    spaced = text[-1].isspace()
                else:
                    add_spaced(spaced)
                    spaced = False
                add_text(text)
                add_element(parent)
                add_flags(flags)
                add_break(gap)
                gap = none
                n_leaves += 1
        elif action != _NO_NODE:
            index = n_elements
            n_elements += 1
            attributes = node.attributes
            add_tag(tag)
            add_parent(parent)
            add_first_leaf(n_leaves)
            add_attributes(attributes)
            add_end(n_elements)
            add_end_leaf(n_leaves)
            child, gap_after, inner, inner_box = node.first_child, none, flags, box
            if action:
                if action == _BLOCK:
                    gap, gap_after, inner_box = block, block, index
                elif action == _BR:
                    gap = max(gap, br_br if gap else br)
                else:
                    if tag in BLOCK_TAGS:
                        gap, gap_after, inner_box = block, block, index
                    inner |= _INHERITED.get(tag, 0)
                    if tag in _NEVER_TEXT or tag == "title":
                        if child is not None:
                            if tag == "title" and title is None and not flags & _IN_SVG_BIT:
                                title = " ".join((child.text_content or "").split())
                            elif tag == "script" and "ld+json" in (attributes.get("type") or "").lower():
                                data.append(child.text_content or "")
                        child = None
                    elif tag == "svg" and not node.text_lexbor().strip():
                        child = None  # an icon: hundreds of paths and no text
            add_inner_box(inner_box)
            if child is not None:
                if attributes:
                    if class_flag(attributes.get("class"), -1):
                        inner |= _hidden_by_class(attributes["class"] or "", class_flags)
                    if style_flag(attributes.get("style"), -1):
                        inner |= _hidden_by_style(attributes["style"] or "", style_flags)
                    if "hidden" in attributes:
                        inner |= _hidden_by_attribute(attributes)
                stack.append((node, parent, flags, box, gap_after))
                parent, flags, box, node = index, inner, inner_box, child
                continue
            if gap_after:
                gap = gap_after
        after = node.next
        while after is None:
            if not stack:
                return Tree(_finish(leaves, boxes), elements, title or "", data)
            end[parent] = n_elements
            end_leaf[parent] = n_leaves
            node, parent, flags, box, gap_after = stack.pop()
            if gap_after:
                gap = gap_after
            after = node.next
        node = after
        if n_elements >= next_check:
            next_check = n_elements + _CHECK_CLOCK_EVERY
            if deadline is not None and time.monotonic() > deadline:
                raise Rejected(Reason.TOO_SLOW, f"walk given up after {n_elements} elements")


def _finish(leaves: Leaves, boxes: list[int]) -> Leaves:
    """Fold white space and look up boxes, for all leaves at once."""
    leaves.box.extend(map(boxes.__getitem__, leaves.element))
    rows = zip(leaves.texts, leaves.flags, strict=True)
    leaves.texts[:] = [text if flags & _PREFORMATTED_BIT else folded(text) for text, flags in rows]
    return leaves
