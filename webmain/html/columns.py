"""A page's text runs and elements as columns, the result of one walk over its tree."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webmain.html.names import NO_NAMES, Attributes, names_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from webmain.html.names import Names


class Flag(IntFlag):
    """Properties of a leaf; each method masks the ones that its paper excludes."""

    HIDDEN_ATTRIBUTE = 1  # an ancestor has the attribute `hidden`
    HIDDEN_DISPLAY = 2  # an ancestor's style attribute has display:none
    HIDDEN_VISIBILITY = 4  # ... visibility:hidden or collapse, or its own element's has font-size:0
    HIDDEN_CLASS = 8  # for screen readers only: by an ancestor's well-known class name, or off the screen by its style
    IN_NOSCRIPT = 16
    IN_FORM = 32
    IN_CONTROL = 64  # button, select, option, textarea, datalist, input labels drawn by the browser
    IN_ANCHOR = 128
    PREFORMATTED = 256  # pre, textarea, listing, xmp: white space counts
    EMBEDDED = 512  # fallback text of iframe, object, embed, video, audio, canvas
    IN_SVG = 1024


HIDDEN = Flag.HIDDEN_ATTRIBUTE | Flag.HIDDEN_DISPLAY | Flag.HIDDEN_VISIBILITY | Flag.HIDDEN_CLASS
"""The leaf is hidden by any of the rules."""


class Break(IntEnum):
    """What separates a leaf from the previous one."""

    NONE = 0
    BR = 1  # one <br>
    BR_BR = 2  # two or more <br>, which readers see as a paragraph break
    BLOCK = 3  # the start or end of a block-level element


_PREFORMATTED_BIT = int(Flag.PREFORMATTED)
_XPATH_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,59}", re.IGNORECASE).fullmatch
"""Matches tag names that are used in an XPath; longer ones would be repeated in the XPaths of all descendants."""

MAX_XPATH_CHARS = 1_000
"""Length of an XPath beyond which it has no more tag names: deep elements with long names have 30,000 characters of them."""

MAX_SELECTOR_STEPS = 20
MAX_SELECTOR_NAMES = 10
MAX_SELECTOR_NAME_CHARS = 100
"""Limits of a CSS selector: innermost elements, classes of each, and characters of a name."""


@dataclass(frozen=True)
class Leaves:
    """The page's text runs in document order, as columns of equal length.

    Attributes
    ----------
    texts : list of str
        White space folded to single spaces and stripped, or unchanged if `Flag.PREFORMATTED` is set. Never blank.
    element : list of int
        Index of the element that contains the run.
    box : list of int
        Index of the nearest block-level element around it.
    flags : list of int
        `Flag` bits.
    breaks : list of int
        `Break` between the run before and this one.
    spaced : list of bool
        Whether there was white space between the previous run and this one (meaningful if the break is NONE).
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
        """The number of each run's unit, in document order; a unit is the text between two paragraph breaks."""
        return np.cumsum(self.gaps >= int(Break.BR_BR), dtype=np.int32)

    def has(self, flag: int) -> NDArray[np.bool_]:
        """Return for each run whether any of the flag's bits is set."""
        found: NDArray[np.bool_] = (self.bits & int(flag)).astype(np.bool_)
        return found

    def text(self, indices: Sequence[int]) -> str:
        """Return runs joined as by `join`, with every line stripped and its white space folded.

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
        """Return runs joined by what separated them: nothing, a space, or a new line.

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
        """Return the separator of two runs, adjacent or not: nothing, a space, or a new line."""
        if second - first == 1:
            return "\n" if self.breaks[second] else " " if self.spaced[second] else ""
        if any(self.breaks[first + 1 : second + 1]):
            return "\n"
        return " " if any(self.spaced[first + 1 : second + 1]) else ""


@dataclass(frozen=True, eq=False)
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
    before, around : list of int
        For each leaf (not element): the number of elements that begin before it, and the element that contains it.
    attributes : Attributes
        Attribute values by lower-case name, None for attributes without a value; created on first access.
    """

    tags: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    around: list[int] = field(default_factory=list)
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
        """`depth` as an array: the elements before each one, minus those that have ended."""
        n = len(self.tags)
        ended = np.cumsum(np.bincount(self.ends, minlength=n)[:n])
        return (np.arange(n) - ended).astype(np.int32)

    @cached_property
    def with_text(self) -> list[int]:
        """The elements with text in their subtree."""
        with_text: list[int] = np.flatnonzero(self.leaf_ends > self.leaf_starts).tolist()
        return with_text

    @cached_property
    def names(self) -> list[Names]:
        """The names of each element with text in it; `NO_NAMES` for others."""
        return self._element_names[0]

    @property
    def may_hide(self) -> list[int]:
        """The elements with text that have a style, the attribute `hidden`, or a class name of hidden elements."""
        return self._element_names[1]

    @cached_property
    def _element_names(self) -> tuple[list[Names], list[int]]:
        with_text, tags = self.with_text, self.tags
        found = names_of(map(tags.__getitem__, with_text), self.attributes_of(with_text))
        names = [NO_NAMES] * len(tags)
        for i, called in zip(with_text, found.names, strict=True):
            names[i] = called
        return names, [with_text[place] for place in found.may_hide]

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
        """The first leaf in or after each element's subtree, which is the number of leaves before the element."""
        n = len(self.tags)
        return np.cumsum(np.bincount(np.array(self.before, dtype=np.intp), minlength=n), dtype=np.int32)[:n]

    @cached_property
    def leaf_ends(self) -> NDArray[np.int32]:
        """One past the last leaf in each element's subtree."""
        of_elements = np.bincount(np.array(self.around, dtype=np.intp), minlength=len(self.tags))
        inside = np.concatenate(([0], np.cumsum(of_elements, dtype=np.int32)))
        return self.leaf_starts + inside.take(self.ends) - inside[:-1]

    @cached_property
    def first_leaf(self) -> list[int]:
        """`leaf_starts` as a list."""
        first_leaf: list[int] = self.leaf_starts.tolist()
        return first_leaf

    @cached_property
    def end_leaf(self) -> list[int]:
        """`leaf_ends` as a list."""
        end_leaf: list[int] = self.leaf_ends.tolist()
        return end_leaf

    @cached_property
    def by_tag(self) -> dict[str, list[int]]:
        """The elements of each tag that the page has, ascending."""
        found: dict[str, list[int]] = defaultdict(list)
        for i, tag in enumerate(self.tags):
            found[tag].append(i)
        return dict(found)

    def of_tags(self, tags: Iterable[str]) -> list[int]:
        """Return the elements of several tags, ascending."""
        lists = [self.by_tag[tag] for tag in tags if tag in self.by_tag]
        return sorted(itertools.chain.from_iterable(lists)) if len(lists) > 1 else lists[0] if lists else []

    def has_tag(self, tags: Collection[str]) -> NDArray[np.bool_]:
        """Return for each element whether its tag is one of these."""
        return np.array([tag in tags for tag in self.tags], dtype=np.bool_)

    def within(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask over elements extended to their whole subtrees."""
        marked = np.flatnonzero(mask)
        if not len(marked):
            return np.zeros(len(self.tags), dtype=np.bool_)
        farthest = np.maximum.accumulate(self.ends[marked])  # largest end of the marked elements so far
        last = np.cumsum(mask) - 1  # last marked element at or before each one
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
        """Return a CSS selector with ids and classes, starting below the body or at most `MAX_SELECTOR_STEPS` up."""
        steps: list[str] = []
        while index >= 0 and len(steps) < MAX_SELECTOR_STEPS and self.tags[index] not in ("html", "body"):
            attributes = self.attributes[index]
            name = ".".join((attributes.get("id") or "").split())
            names = [f"#{name}"] if name else []
            names += [f".{token}" for token in (attributes.get("class") or "").split()[:MAX_SELECTOR_NAMES]]
            short = [name for name in (self.tags[index], *names) if len(name) <= MAX_SELECTOR_NAME_CHARS]
            steps.append("".join(short) or "*")
            index = self.parent[index]
        return " > ".join(reversed(steps))

    def xpath(self, index: int) -> str:
        """Return the element's absolute XPath with positions: "/html/body/div[2]/p"; computed once for all siblings."""
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
        """XPaths requested so far, and those of their siblings; empty above the root."""
        return {-1: "", 0: f"/{self.tags[0]}"} if self.tags else {-1: ""}

    def _add_paths_of_children(self, parent: int) -> None:
        """Store the paths of all children of an element; tags that are no XPath name are numbered among all siblings."""
        tags, end, paths = self.tags, self.end, self._paths
        start, child, last = paths[parent] + "/", parent + 1, end[parent]
        is_long = len(start) > MAX_XPATH_CHARS
        if end[child] == last and (is_long or _XPATH_NAME(tags[child])):
            paths[child] = start + ("*" if is_long else tags[child])
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
            if is_long or not _XPATH_NAME(tag):
                paths[child] = f"{start}*[{position}]"
            else:
                paths[child] = f"{start}{tag}[{number}]" if total[tag] > 1 else start + tag
