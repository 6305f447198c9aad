"""A page's text runs and elements as columns: what one walk over its tree leaves behind."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.html.names import NO_NAMES, names_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from numpy.typing import NDArray

    from webmain.html.names import Names


class Flag(IntFlag):
    """What the walk noted of a leaf; each method masks these by its own paper."""

    HIDDEN_ATTRIBUTE = 1  # an ancestor has the attribute `hidden`
    HIDDEN_DISPLAY = 2  # an ancestor's style attribute says display:none
    HIDDEN_VISIBILITY = 4  # ... visibility:hidden or collapse
    HIDDEN_CLASS = 8  # an ancestor's class is one of the well-known screen-reader-only names
    IN_NOSCRIPT = 16
    IN_FORM = 32
    IN_CONTROL = 64  # button, select, option, textarea, datalist, input labels drawn by the browser
    IN_ANCHOR = 128
    PREFORMATTED = 256  # pre, textarea, listing, xmp: white space counts
    EMBEDDED = 512  # fallback text of iframe, object, embed, video, audio, canvas
    IN_SVG = 1024


HIDDEN = Flag.HIDDEN_ATTRIBUTE | Flag.HIDDEN_DISPLAY | Flag.HIDDEN_VISIBILITY | Flag.HIDDEN_CLASS
"""The leaf is not shown, by whichever rule."""


class Break(IntEnum):
    """What is between a leaf and the one before it."""

    NONE = 0
    BR = 1  # one <br>
    BR_BR = 2  # two or more <br>, which readers see as a paragraph break
    BLOCK = 3  # the start or end of a block-level element


_PREFORMATTED_BIT = int(Flag.PREFORMATTED)
_XPATH_NAME = re.compile(r"[a-z_][a-z0-9_-]*", re.IGNORECASE).fullmatch


class Attributes(Sequence["dict[str, str | None]"]):
    """The attributes of a page's elements: each element's dict is made when first asked for, and kept.

    Reads like a list, but for slices. Half of the elements of a page hold no text (`meta`, `link`, `img`, `path`), and few
    methods ever ask for their attributes.

    Parameters
    ----------
    nodes : list
        The parser's nodes in preorder; as long as they live, so does the parser's tree.
    """

    __slots__ = ("_made", "_nodes")

    def __init__(self, nodes: list[Any]) -> None:
        self._nodes: Sequence[Any] = nodes
        self._made: dict[int, dict[str, str | None]] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def __getitem__(self, index: int) -> dict[str, str | None]:  # type: ignore[override]  # no slices
        made = self._made.get(index)
        if made is None:
            made = self._made[index] = self._nodes[index].attributes
        return made

    def take(self, indices: Sequence[int]) -> list[dict[str, str | None]]:
        """Return the attributes of several elements, faster than one by one.

        Parameters
        ----------
        indices : sequence of int
            From 0 on.
        """
        nodes, made = self._nodes, self._made
        if not made:
            made.update(zip(indices, [nodes[i].attributes for i in indices], strict=True))
            return list(made.values())
        made.update({i: nodes[i].attributes for i in indices if i not in made})
        return list(map(made.__getitem__, indices))

    def __iter__(self) -> Iterator[dict[str, str | None]]:
        return map(self.__getitem__, range(len(self._nodes)))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)  # the parser's nodes cannot be pickled


@dataclass(frozen=True)
class Leaves:
    """The page's text runs in document order, as columns of equal length.

    Attributes
    ----------
    texts : list of str
        White space folded to single spaces and stripped; as it stood where `Flag.PREFORMATTED` is set. Never blank.
    element : list of int
        Index of the element the run is in.
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

    @cached_property
    def unit(self) -> NDArray[np.int32]:
        """The number of the unit that each run is in: what stands between two paragraph breaks; in document order."""
        return np.cumsum(self.gaps >= int(Break.BR_BR), dtype=np.int32)

    def has(self, flag: int) -> NDArray[np.bool_]:
        """Return for each run whether any of the flag's bits is set."""
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
        if "\n" not in text:
            return " ".join(text.split())
        return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()

    def join(self, indices: Iterable[int]) -> str:
        """Join runs by the white space and breaks that stood between them: nothing, a space, or a new line.

        Parameters
        ----------
        indices : iterable of int
            Ascending leaf indices.
        """
        texts, between = self.texts, self.between
        out: list[str] = []
        last = -1
        for i in indices:
            if out:
                out.append(between(last, i))
            out.append(texts[i])
            last = i
        return "".join(out)

    def between(self, first: int, second: int) -> str:
        """Return what parts two runs, whether or not there are others between them: nothing, a space, or a new line."""
        if second - first == 1:
            return "\n" if self.breaks[second] else " " if self.spaced[second] else ""
        if any(self.breaks[first + 1 : second + 1]):
            return "\n"
        return " " if any(self.spaced[first + 1 : second + 1]) else ""


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
    attributes : Attributes
        Attribute values by lower-case name, None for attributes without a value; made when first asked for.
    """

    tags: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    first_leaf: list[int] = field(default_factory=list)
    end_leaf: list[int] = field(default_factory=list)
    attributes: Sequence[dict[str, str | None]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.tags)

    @cached_property
    def parents(self) -> NDArray[np.int32]:
        """`parent` as an array."""
        return np.array(self.parent, dtype=np.int32)

    @cached_property
    def depth(self) -> list[int]:
        """Number of ancestors; 0 for the root."""
        depth: list[int] = self.depths.tolist()
        return depth

    @cached_property
    def depths(self) -> NDArray[np.int32]:
        """`depth` as an array: the elements before each one, less those that have ended."""
        n = len(self.tags)
        ended = np.cumsum(np.bincount(self.ends, minlength=n)[:n])
        return (np.arange(n) - ended).astype(np.int32)

    @cached_property
    def with_text(self) -> list[int]:
        """The elements with text below them."""
        return [i for i, (a, b) in enumerate(zip(self.first_leaf, self.end_leaf, strict=True)) if a != b]

    @cached_property
    def names(self) -> list[Names]:
        """What each element with text below it is called; `NO_NAMES` for the others."""
        names = [NO_NAMES] * len(self.tags)
        with_text, tags = self.with_text, self.tags
        found = names_of(map(tags.__getitem__, with_text), self.attributes_of(with_text))
        for i, called in zip(with_text, found, strict=True):
            names[i] = called
        return names

    def attributes_of(self, indices: Sequence[int]) -> list[dict[str, str | None]]:
        """Return the attributes of several elements, faster than one by one."""
        attributes = self.attributes
        return attributes.take(indices) if isinstance(attributes, Attributes) else [attributes[i] for i in indices]

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

    @cached_property
    def by_tag(self) -> dict[str, list[int]]:
        """The elements of each tag that the page has, ascending."""
        found: dict[str, list[int]] = {}
        for i, tag in enumerate(self.tags):
            if tag in found:
                found[tag].append(i)
            else:
                found[tag] = [i]
        return found

    def of_tags(self, tags: Iterable[str]) -> list[int]:
        """Return the elements of several tags, ascending."""
        lists = [self.by_tag[tag] for tag in tags if tag in self.by_tag]
        return sorted(itertools.chain.from_iterable(lists)) if len(lists) > 1 else lists[0] if lists else []

    def named(self, tags: Collection[str]) -> NDArray[np.bool_]:
        """Return for each element whether its tag is one of those."""
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
