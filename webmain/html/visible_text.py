"""The text of leaves as a reader sees it, and its kind by ancestor tags: heading, item, quote, cell, caption, code."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from webmain import languages
from webmain.html.columns import Flag
from webmain.html.formulas import drawn_formulas
from webmain.html.link_marks import link_marks
from webmain.html.names import MAX_CLASS_CHARS
from webmain.items import Kind, TextLink, TextMark
from webmain.text.normal import EAST_ASIAN, strip_controls
from webmain.urls import join

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from webmain.html.document import Document
    from webmain.html.tree import Elements, Leaves

HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
CELLS = frozenset({"td", "th"})
CODE = frozenset({"pre", "listing", "xmp"})
_PARAGRAPH, _HEADING = Kind.PARAGRAPH, Kind.HEADING
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_KINDS = {
    **dict.fromkeys(CODE, Kind.CODE),
    **dict.fromkeys(("figcaption", "caption"), Kind.CAPTION),
    **dict.fromkeys(("li", "dt", "dd"), Kind.LIST_ITEM),
    "blockquote": Kind.QUOTE,
}

NO_ROLE, RUBY, SUPERSCRIPT, QUOTED, LINE_NUMBER = range(5)
"""Effect of an inline element on its text: none, ruby reading aid, superscript, quotation marks, line number of code."""

ROLES = {"rt": RUBY, "rp": RUBY, "rtc": RUBY, "sup": SUPERSCRIPT, "q": QUOTED}
_PLAIN = frozenset("a b strong i em u html body".split())
"""Elements whose class does not decide the kind of their text."""

_CONTEXT_TAGS = frozenset({*HEADINGS, *_LISTS, *CELLS, *_KINDS, *ROLES, "table", "tr"})

MAX_NAMED_LEAVES = 16
"""An element with more runs of text is not a caption or pull quote, whatever its class."""

CAPTION_CLASS = re.compile(
    r"(?:^|\s)(?!(?:has|no|with|without|hide|show)[_-])"
    r"[\w-]*?(?<!text-)(?<!typography-)caption(?:[_-]{0,2}(?:text|body|content|inner|title|description|credit))?(?=\s|$)"
)
_LINE_NUMBERS = re.compile(r"(?:^|[\s_-])(?:line-?numbers?|lineno|linenos|line-numbers-rows|gutter)(?=[\s_-]|$)")
_PULLED_QUOTE = re.compile(r"(?:^|\s)(?:[\w-]*-)?(?:pull-?quote|block-?quote)(?=\s|$)")


class TextContext(NamedTuple):
    """What an element and its ancestors imply for its text; element indices are -1 for none."""

    kind: Kind = Kind.PARAGRAPH
    level: int = 0  # of a heading
    ordered: bool = False
    n_lists: int = 0
    outer_list: int = -1
    item: int = -1  # innermost li, dt, dd
    quote: int = -1
    code: int = -1
    table: int = -1  # innermost table
    row: int = -1  # its row and cell that the text is in
    cell: int = -1
    role: int = NO_ROLE


class TextContexts:
    """Computes contexts of elements; results are cached for all elements passed on the way up."""

    def __init__(self, elements: Elements) -> None:
        self._elements = elements
        self._known: dict[int, TextContext] = {-1: TextContext()}
        self._of_class: dict[str, Kind | int | None] = {}

    def of(self, element: int) -> TextContext:
        """Return an element's context."""
        known, elements = self._known, self._elements
        if (context := known.get(element)) is not None:
            return context
        tags, parent, names = elements.tags, elements.parent, elements.names
        passed = []
        while (context := known.get(element)) is None:
            passed.append(element)
            element = parent[element]
        of_class = self._of_class
        for index in reversed(passed):
            if tags[index] in _CONTEXT_TAGS:
                context = _within(context, tags[index], index)
            if names[index].may_name_text and tags[index] not in _PLAIN:
                attributes = elements.attributes[index]
                name = attributes.get("class")
                if name and (of_class[name] if name in of_class else self._read_class(name)) is not None:
                    context = self._named(context, of_class[name], index)
                if attributes.get("role") == "heading" and context.kind is not _HEADING:
                    level = attributes.get("aria-level") or "2"
                    context = context._replace(kind=Kind.HEADING, level=int(level) if level in "123456" else 2)
            known[index] = context
        return context

    def _read_class(self, name: str) -> Kind | int | None:
        """Return the kind or role that a class attribute gives its text, None for none; results are cached."""
        found: Kind | int | None = None
        if len(name) <= MAX_CLASS_CHARS:
            lower = name.lower()
            if "caption" in lower and CAPTION_CLASS.search(lower):
                found = Kind.CAPTION
            elif "quote" in lower and _PULLED_QUOTE.search(lower):
                found = Kind.QUOTE
            elif ("line" in lower or "gutter" in lower) and _LINE_NUMBERS.search(lower):
                found = LINE_NUMBER
        self._of_class[name] = found
        return found

    def _named(self, context: TextContext, found: Kind | int | None, index: int) -> TextContext:
        """Return the context inside an element whose class decides its kind or role."""
        elements = self._elements
        if found == LINE_NUMBER:
            in_code = (context.code >= 0 or context.table >= 0) and elements.tags[index] not in ("table", "pre")
            return context._replace(role=LINE_NUMBER) if in_code else context
        if context.kind is not _PARAGRAPH or elements.end_leaf[index] - elements.first_leaf[index] > MAX_NAMED_LEAVES:
            return context
        if found is Kind.QUOTE:
            return context._replace(kind=Kind.QUOTE, quote=index)
        return context._replace(kind=Kind.CAPTION)


def _within(context: TextContext, tag: str, index: int) -> TextContext:
    """Return the context inside an element, given the context outside."""
    kind, level, ordered, n_lists, outer_list, item, quote, code, table, row, cell, role = context
    if tag in HEADINGS:
        kind, level = _HEADING, HEADINGS[tag]
    elif tag in _LISTS:
        n_lists, ordered = n_lists + 1, tag == "ol"
        outer_list = outer_list if outer_list >= 0 else index
    elif tag == "table":
        table, row, cell = index, -1, -1
    elif tag == "tr":
        row = index
    elif tag in CELLS:
        cell = index
    elif tag in ROLES:
        role = ROLES[tag]
    else:
        if kind is not _HEADING:
            kind = _KINDS[tag]
        if tag in ("li", "dt", "dd"):
            item, n_lists = index, n_lists + (tag == "dd")
        elif tag == "blockquote":
            quote = index
        elif tag in CODE and code < 0:
            code = index
    return TextContext(kind, level, ordered, n_lists, outer_list, item, quote, code, table, row, cell, role)


_PREFORMATTED = int(Flag.PREFORMATTED)
_IN_ANCHOR = int(Flag.IN_ANCHOR)
_MARKED = {
    **dict.fromkeys(("b", "strong"), "bold"),
    **dict.fromkeys(("i", "em"), "italic"),
    **dict.fromkeys(("code", "tt", "kbd", "samp"), "code"),
}
INLINE = frozenset(
    (*_MARKED, "a", "span", "font", "u", "small", "big", "mark", "abbr", "cite", "q", "s", "del", "ins", "var", "sub")
)
_POWER = re.compile(r"[+\u2212-]?[0-9]{1,3}")
_NUMBERS = re.compile(r"[\s0-9]+")
_SUPERSCRIPTS = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_EAST_ASIAN = f"[{EAST_ASIAN}]"
_CLOSING = frozenset(".,;:!?)]…。、，！？：；」』）】،؛؟۔।")
_QUOTATION_MARKS = frozenset("\"'“”„‟«»‹›‘’‚「」『』《》〈〉")
_AIDS = frozenset(tag for tag, role in ROLES.items() if role == RUBY)
_ENGLISH_MARKS = "“”‘’"


class VisibleText:
    """Joins leaves to visible text.

    Parameters
    ----------
    document : Document
    contexts : TextContexts
    chosen : list of int
        The leaves to be joined, ascending.
    after_hidden : sequence of int
        Those of them that follow dropped hidden text.

    Attributes
    ----------
    chosen : list of int
        The leaves that remain: without `rt` and `rp` of ruby, line numbers of code, `link_marks` and
        `drawn_formulas`.

    Notes
    -----
    `q` gets the quotation marks of the page's language, as browsers draw them, unless it begins with one. Digits in `sup`
    become raised digits ("10⁶", not "106"). Soft hyphens are removed; `wbr` adds no space.
    """

    def __init__(
        self, document: Document, contexts: TextContexts, chosen: list[int], *, after_hidden: Sequence[int] = ()
    ) -> None:
        self._document = document
        self._leaves: Leaves = document.leaves
        self._elements: Elements = document.elements
        self._changed = {i: self._leaves.texts[i] for i in after_hidden}
        self._after_hidden = frozenset(after_hidden)
        self._kinds: dict[int, tuple[str, ...]] = {}
        self._anchors: dict[int, int] = {}  # the nearest hyperlink around elements
        self._bases: set[int] = set()  # leaves next to a reading aid
        element, tags = self._leaves.element, self._elements.tags
        distinct = {element[i] for i in chosen}
        marked = {e: kinds for e in distinct if tags[e] in INLINE and (kinds := self._kinds_of(e))}
        self._marked = {i: marked[element[i]] for i in chosen if element[i] in marked} if marked else {}
        special = {e: role for e in distinct if (role := contexts.of(e).role)}
        raised = {e for e, role in special.items() if role == SUPERSCRIPT}
        anchor_of = partial(self._nearest, tags=("a",), known=self._anchors)
        dropped = link_marks(document, chosen, raised=raised, anchor_of=anchor_of) | drawn_formulas(document)
        self.chosen = [i for i in chosen if i not in dropped] if dropped else chosen
        if special:
            self._change([(i, special[element[i]]) for i in self.chosen if element[i] in special])

    def _change(self, special: list[tuple[int, int]]) -> None:
        """Drop and rewrite leaves according to their elements' roles."""
        texts, box, known = self._leaves.texts, self._leaves.box, dict[int, int]()
        aids = [i for i, role in special if role == RUBY and self._nearest(i, _AIDS, known) > box[i]]  # no block inside
        dropped = set(aids)
        for i, role in special:
            if role == LINE_NUMBER and _NUMBERS.fullmatch(texts[i]):
                dropped.add(i)
            elif role == SUPERSCRIPT and i and not self._leaves.spaced[i] and _POWER.fullmatch(texts[i]):
                self._changed[i] = texts[i].translate(_SUPERSCRIPTS)
        if dropped:
            self._note_ruby(aids)
            self.chosen = [i for i in self.chosen if i not in dropped]
        self._quote([i for i, role in special if role == QUOTED])

    def _nearest(self, leaf: int, tags: Collection[str], known: dict[int, int]) -> int:
        """Return the innermost element with one of these tags that a leaf is in, -1 for none; `known` caches results."""
        elements, element, passed = self._elements, self._leaves.element[leaf], []
        while element >= 0 and element not in known and elements.tags[element] not in tags:
            passed.append(element)
            element = elements.parent[element]
        found = known.get(element, element)
        known.update(dict.fromkeys(passed, found))
        return found

    def _note_ruby(self, aids: list[int]) -> None:
        """Record the leaves next to reading aids: white space around the aids in the source is not part of the text."""
        beside = {i + 1 for i in aids} | {i - 1 for i in aids}
        self._bases = beside.intersection(self.chosen)
        self._changed.update((i, self._leaves.texts[i]) for i in self._bases)

    def _quote(self, quoted: list[int]) -> None:
        """Put quotation marks around the text of `q`; the second pair for a nested one."""
        if not quoted:
            return
        elements, texts = self._elements, self._leaves.texts
        language = (elements.attributes[0].get("lang") or "").lower()[:2]
        marks = next(iter(languages.known().words("quotes", language)), _ENGLISH_MARKS)
        runs: dict[int, list[int]] = {}
        around: list[int] = []  # the quotations that a leaf is in, outermost first
        first, end, following = elements.first_leaf, elements.end_leaf, elements.of_tags(("q",))[::-1]
        for leaf in quoted:
            while following and first[following[-1]] <= leaf:
                while around and end[around[-1]] <= first[following[-1]]:
                    around.pop()
                around.append(following.pop())
            while around and end[around[-1]] <= leaf:
                around.pop()
            for depth, element in enumerate(around[:2]):
                runs.setdefault(2 * element + depth, []).append(leaf)
        for key, leaves in sorted(runs.items(), key=lambda run: -run[0]):
            depth = key % 2
            opening, closing = leaves[0], leaves[-1]
            if texts[opening][0] not in _QUOTATION_MARKS:
                self._changed[opening] = marks[2 * depth] + self._changed.get(opening, texts[opening])
                self._changed[closing] = self._changed.get(closing, texts[closing]) + marks[2 * depth + 1]

    def text(self, group: Sequence[int], links: list[TextLink] | None = None, offset: int = 0) -> str:
        """Return leaves joined by the white space and breaks between them; white space in a line is folded.

        Parameters
        ----------
        group : sequence of int
            Ascending, out of `chosen`.
        links : list of TextLink or None
            List to which the links in the text are appended.
        offset : int
            Offset of the text in its block.
        """
        if links is None and (not self._changed or self._changed.keys().isdisjoint(group)):
            return strip_controls(self._leaves.text(group))
        spans: list[tuple[int, int, int]] = []
        text = self._joined(group, spans)
        if links is not None:
            self._add_links(spans, links, offset)
        return text

    def marks(self, group: Sequence[int], text: str, offset: int = 0) -> list[TextMark]:
        """Return the spans of a block's text that are bold, italic or code.

        `group`: the leaves of the text; `text`: what the method `text` returned; `offset`: of the text in its block.
        """
        spans: list[tuple[int, int, int]] = []
        if self._marked.keys().isdisjoint(group) or self._joined(group, spans) != text:
            return []
        found_marks: list[TextMark] = []
        for kind in ("bold", "italic", "code"):
            opened = -1
            for leaf, start, end in spans:
                if kind in self._marked.get(leaf, ()):
                    first = found_marks.pop().start if opened == leaf else offset + start
                    found_marks.append(TextMark(start=first, end=offset + end, kind=kind))
                    opened = leaf + 1
        return sorted(found_marks, key=lambda mark: (mark.start, -mark.end))

    def _kinds_of(self, element: int) -> tuple[str, ...]:
        """Return the marks of an inline element and the ancestors around it, as far as they are inline; cached by element."""
        tags, parent = self._elements.tags, self._elements.parent
        if tags[element] not in _MARKED and tags[parent[element]] not in INLINE:
            return ()
        passed = []
        while element >= 0 and element not in self._kinds and self._elements.tags[element] in INLINE:
            passed.append(element)
            element = self._elements.parent[element]
        found = self._kinds.get(element, ())
        for inner in reversed(passed):
            kind = _MARKED.get(self._elements.tags[inner])
            found = (*found, kind) if kind and kind not in found else found
            self._kinds[inner] = found
        return found

    def _joined(self, group: Sequence[int], spans: list[tuple[int, int, int]]) -> str:
        """Return leaves joined, and append each leaf's span to `spans`."""
        leaves, out, last, at = self._leaves, [""], -1, 0
        for i in group:
            text = self._changed.get(i, leaves.texts[i])
            if leaves.flags[i] & _PREFORMATTED:
                text = "\n".join(" ".join(line.split()) for line in text.strip().split("\n"))
            text = strip_controls(text)
            gap = leaves.between(last, i) if last >= 0 else ""
            if gap == " " and not self._bases.isdisjoint((i, last)):
                gap = "" if re.match(_EAST_ASIAN, text) and re.match(_EAST_ASIAN, out[-1][-1:]) else gap
            elif gap == " " and i in self._after_hidden and text[:1] in _CLOSING:
                gap = ""  # the white space belonged to hidden text
            out += (gap, text)
            at += len(gap)
            spans.append((i, at, at + len(text)))
            at += len(text)
            last = i
        return "".join(out)

    def _add_links(self, spans: list[tuple[int, int, int]], links: list[TextLink], offset: int) -> None:
        """Append the links of leaves; adjacent leaves in the same hyperlink make one link."""
        last, base = -1, self._document.base_url
        for leaf, start, end in spans:
            if not self._leaves.flags[leaf] & _IN_ANCHOR:
                last = -1
                continue
            anchor = self._nearest(leaf, ("a",), self._anchors)
            if anchor >= 0 and anchor == last and links:
                links[-1] = TextLink(start=links[-1].start, end=offset + end, url=links[-1].url)
                continue
            href = (self._elements.attributes[anchor].get("href") or "").strip() if anchor >= 0 else ""
            url = join(base, href) if href and not href.startswith("#") else None
            last = anchor if url and end > start else -1
            if url and end > start:
                links.append(TextLink(start=offset + start, end=offset + end, url=url))

    def code(self, group: Sequence[int]) -> str:
        """Return preformatted leaves joined; white space is kept, and a block-level element inside begins a line."""
        leaves, out = self._leaves, [""]
        last = -1
        for i in group:
            if last >= 0:
                gap = leaves.between(last, i)
                out.append("" if gap == "\n" and out[-1].endswith("\n") and leaves.breaks[i] > 2 else gap)
            out.append(leaves.texts[i])
            last = i
        return strip_controls("".join(out)).strip("\n").rstrip()
