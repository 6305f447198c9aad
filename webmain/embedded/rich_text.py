"""Convert rich text that content systems store as JSON to HTML: trees of nodes, lists of blocks, plain strings and HTML.

One set of rules serves them all: the words of a node's type say what it is; its text is under one of the common keys;
spans of one paragraph are joined.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any, Final

from webmain.regex import lazy
from webmain.text.prose_amount import prose_chars

MAX_DEPTH: Final = 60
MAX_PIECES: Final = 20_000
MAX_NODES: Final = 200_000
"""Maximum nodes written of one text; data may contain the same node many times."""

MAX_CHARS: Final = 2_000_000
"""Maximum characters written of one text, for the same reason."""

TYPE_KEYS: Final = (
    "type _type nodeType blockType blockName __typename kind tagName tag element contentType component elementType name"
).split()
TEXT_KEYS: Final = (
    "html innerHTML contentHtml bodyHtml htmlText body_html rendered processed text rawText value content body copy "
    "paragraph markdown plainText plaintext insert literal"
).split()
"""Keys under which a node has its own text, richest form first."""

LIST_KEYS: Final = (
    "children childNodes content content_elements contentElements blocks innerBlocks paragraphs paragraph elements "
    "items body nodes spans fragments components sections data attributes model props fields value text document root "
    "json rows cells ops"
).split()
"""Keys under which a node has child nodes."""

_NODES: Final = frozenset(LIST_KEYS) | frozenset(TEXT_KEYS)
_PARAGRAPH = frozenset("paragraph p unstyled para text block normal richtext copy htmlelement".split())
_HEADING = frozenset("heading header headline subhead subheading subheadline subtitle crosshead crosshed title".split())
_HEADING_NAME = lazy(r"h(?:eading|eader)?[-_ ]?([1-6])", re.IGNORECASE)
_LEVELS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_QUOTE = frozenset("quote blockquote pullquote".split())
_ITEM = frozenset("listitem li".split())
_LIST = frozenset("list ul ol bulletlist orderedlist unorderedlist bulleted numbered".split())
_SKIPPED = frozenset(
    "image images img picture figure photo video audio podcast media gallery slideshow carousel embed embedded iframe "
    "oembed ad ads advert advertisement advertising dfp outbrain taboola related recirculation promo promotion "
    "newsletter signup teaser interstitial tweet twitter instagram facebook youtube tiktok social share poll quiz "
    "script style svg button form input nav navigation menu footer comment comments caption infobox readmore "
    "breadcrumb breadcrumbs author byline subscribe paywall noscript link-list linklist map chart datawrapper "
    "infographic divider separator spacer rule delimiter select option atomic aside".split()
)
_GENERIC = frozenset(
    "block element component module node section item container widget content wrapper slice v1 v2".split()
)
_INLINE = frozenset(
    "text span link hyperlink a anchor b bold strong i em italic emphasis underline u s strike strikethrough mark "
    "highlight code inlinecode sub sup fragment linebreak hardbreak br mention inline footnote abbr small cite q time "
    "tooltip font entryhyperlink assethyperlink urllink internallink externallink autolink softbreak".split()
)
_BREAKS = frozenset("br linebreak hardbreak softbreak".split())
_NEVER: Final = frozenset(
    "id _id _key key url href src srcset link slug uri path class classname style alt title caption credit "
    "attribution marks markups markdefs entityranges inlinestyleranges entitymap target rel lang language locale date "
    "image images img video media thumbnail icon author authors byline tags categories related promo caption_html "
    "width height aria metadata meta additional_properties _additional_properties tracking analytics ads styles "
    "placeholder label".split()
)
_WORDS = lazy(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*|\d+")
_TAG = lazy(
    r"</?(?:p|br|div|h[1-6]|a|b|i|u|em|strong|span|ul|ol|li|blockquote|img|figure|section|article|table|hr|sup|sub|pre|code)"
    r"(?=[\s/>])[^<>]{0,2000}+>",
    re.IGNORECASE,
)
_BLOCK_TAG = lazy(r"<(?:p|br|div|h[1-6]|ul|ol|li|blockquote|section|article|table|pre|tr)(?=[\s/>])", re.IGNORECASE)
_ESCAPED_TAG = lazy(r"&lt;/?(?:p|br|div|h[1-6]|a|b|i|em|strong|span|ul|ol|li|blockquote)\b", re.IGNORECASE)
_ENTITY = lazy(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z]{2,8});")
_MARKDOWN = lazy(r"(?m)^#{1,6} \S|\[[^\]\n]{1,300}\]\((?:https?:|/)[^)\s]{1,500}\)|(?<!\w)\*\*[^*\n]{1,200}\*\*")
_REFERENCE = lazy(r"\$[A-Za-z@]?[0-9a-f]{0,8}(?::[\w:.-]*)?|\$undefined|https?://\S*")
_NOT_LETTERS = lazy(r"<[^<>]{0,2000}+>|&[#\w]{1,9};|[\W_]+")


def is_markup(text: str) -> bool:
    """Return True if a string has HTML tags that are usual in text."""
    return _TAG.search(text) is not None


def type_words(node: dict[str, Any]) -> tuple[str, ...]:
    """Return the words of a node's type in lower case, preceded by all of them joined; () if it has no type."""
    for key in TYPE_KEYS:
        name = node.get(key)
        if isinstance(name, str) and 0 < len(name) < 80 and (key != "name" or "/" in name):
            words = [w.lower() for w in _WORDS.findall(name)]
            return ("".join(words[-2:] if len(words) > 2 else words), *words)
    return ()


def _is_skipped(words: tuple[str, ...]) -> bool:
    """Return True if a node is an image, an embed or a promotion, by the words of its type except "block" and similar."""
    core = [w for w in words[1:] if w not in _GENERIC]
    return bool(words) and (
        words[0] in _SKIPPED or (bool(core) and (core[-1] in _SKIPPED or (len(core) < 3 and core[0] in _SKIPPED)))
    )


def markup(value: Any) -> str:
    """Return a value as HTML.

    Parameters
    ----------
    value : Any
        JSON types: a string, a list of strings or nodes, the root of a tree of nodes.

    Returns
    -------
    str
        Paragraphs, headings, lists and quotes in reading order, at most `MAX_PIECES` of them; images, embeds, promotions and
        advertisements are left out.
    """
    writer = _Writer()
    writer.block(value, 0)
    return "\n".join(writer.pieces)


def string_markup(text: str) -> str:
    """Return a string as HTML: markup stays, escaped markup is unescaped, lines become paragraphs."""
    if _ESCAPED_TAG.search(text):
        text = html.unescape(text)
    if is_markup(text) or text[:1] == "<":
        return text if _BLOCK_TAG.search(text) else "".join(f"<p>{line}</p>" for line in _lines(text))
    if _ENTITY.search(text):
        text = html.unescape(text)
    if _MARKDOWN.search(text):
        return _from_markdown(text)
    return "".join(f"<p>{html.escape(line, quote=False)}</p>" for line in _lines(text))


def _lines(text: str) -> list[str]:
    """Return the paragraphs of a plain text."""
    text = text.replace("\r\n", "\n").replace("\u2029", "\n\n").replace("\u2028", "\n")
    pieces = re.split(r"\n[ \t\xa0]*\n", text) if text.count("\n\n") * 3 > text.count("\n") else text.split("\n")
    return [" ".join(p.split()) for p in pieces if p.strip()]


def _from_markdown(text: str) -> str:
    """Return a text with common Markdown as HTML: headings, list items, links, emphasis."""
    text = re.sub(r"!\[[^\]\n]{0,300}\]\([^)\n]{0,1000}\)", "", text)
    text = re.sub(r"\[([^\]\n]{1,300})\]\([^)\n]{1,1000}\)", r"\1", text)
    text = re.sub(r"(\*\*|__)(?=\S)([^*_\n]{1,500})\1", r"\2", text)
    out = []
    for line in _lines(text):
        head = re.match(r"(#{1,6})\s+(.*)", line)
        item = re.match(r"(?:[*+-]|\d{1,3}[.)])\s+(.*)", line)
        if head:
            out.append(f"<h{len(head[1])}>{html.escape(head[2].rstrip(' #'), quote=False)}</h{len(head[1])}>")
        elif item:
            out.append(f"<ul><li>{html.escape(item[1], quote=False)}</li></ul>")
        else:
            out.append(f"<p>{html.escape(line.lstrip('> '), quote=False)}</p>")
    return "".join(out)


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text)


def is_element(node: Any) -> bool:
    """Return True if a list is a React element as a flight stream writes it: `["$", tag, key, props]`."""
    return isinstance(node, list) and 4 <= len(node) <= 8 and node[0] in ("$", "$r") and isinstance(node[3], dict)


@dataclass(slots=True)
class _Budget:
    """The number of nodes and characters that may still be written, shared by all writers of one text."""

    left: int = MAX_NODES
    n_chars: int = MAX_CHARS

    def allows(self, text: str) -> bool:
        """Subtract a string's length; return True if that much was left."""
        self.n_chars -= len(text)
        return self.n_chars >= 0


class _Writer:
    """Writes nodes as HTML, block after block."""

    def __init__(self, budget: _Budget | None = None) -> None:
        self.pieces: list[str] = []
        self._budget = budget or _Budget()

    def block(self, node: Any, depth: int) -> None:
        """Write a node at a place where blocks are allowed."""
        self._budget.left -= 1
        if depth > MAX_DEPTH or self._budget.left < 0 or len(self.pieces) > MAX_PIECES:
            return
        if isinstance(node, str):
            if node.strip() and not _REFERENCE.fullmatch(node):
                self._string(node)
        elif is_element(node):
            self._element(node, depth)
        elif isinstance(node, list):
            if node and all(map(_is_span, node)) and not all(isinstance(n, str) for n in node):
                self._put("p", self.inline(node, depth))
            else:
                for item in node:
                    self.block(item, depth + 1)
        elif isinstance(node, dict):
            self._node(node, depth)

    def _string(self, text: str) -> None:
        if self._budget.allows(text):
            self.pieces.append(string_markup(text))

    def _put(self, tag: str, inner: str) -> None:
        if inner.strip():
            self.pieces.append(f"<{tag}>{inner}</{tag}>")

    def _element(self, node: list[Any], depth: int) -> None:
        tag, children = str(node[1]), node[3].get("children")
        raw = node[3].get("dangerouslySetInnerHTML")
        if isinstance(raw, dict) and isinstance(raw.get("__html"), str):
            self._string(raw["__html"])
        elif tag in ("p", "li", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "td", "dt", "dd"):
            self._put(
                "ul><li" if tag == "li" else "p" if tag in ("td", "dt", "dd") else tag, self.inline(children, depth)
            )
        elif tag not in _SKIPPED and tag not in ("header", "head", "title"):
            self.block(children, depth + 1)

    def _node(self, node: dict[str, Any], depth: int) -> None:
        words = type_words(node)
        if _is_skipped(words):
            return
        level = _heading_level(node, words)
        listed = node.get("listItem") or not _ITEM.isdisjoint(words) or words[1:] == ("list", "item")
        quoted = not _QUOTE.isdisjoint(words) or node.get("style") == "blockquote"
        ordered = "number" in str(node.get("listItem")) or ("ordered" in words and "unordered" not in words)
        if not level and not _LIST.isdisjoint(words) and not listed and self._list(node, words, depth):
            return
        if level or listed or quoted or not _PARAGRAPH.isdisjoint(words):
            tag = f"h{level}" if level else ("ol" if ordered else "ul") if listed else "blockquote" if quoted else "p"
            nested = _own_list(node)
            inner = self.inline(node, depth) if nested is None or all(map(_is_span, nested)) else ""
            if inner:
                if _BLOCK_TAG.search(inner):
                    self.pieces.append(inner)
                else:
                    self._put(tag, f"<li>{inner}</li>" if listed else inner)
                return
            if listed or quoted:
                self._wrapped(node, "ul" if listed else "blockquote", depth)
                return
        self._unknown(node, depth)

    def _list(self, node: dict[str, Any], words: tuple[str, ...], depth: int) -> bool:
        """Write a list whose items are strings or nodes with text; return False if it has no items."""
        inner = node
        for _ in range(2):
            items = next((inner[k] for k in ("items", "children", "content") if isinstance(inner.get(k), list)), None)
            if items is not None or not isinstance(inner.get("data"), dict):
                break
            inner = inner["data"]
        if not items:
            return False
        ordered = ("ordered" in words and "unordered" not in words) or "ol" in words or inner.get("style") == "ordered"
        texts = [self.inline(item, depth + 1) for item in items]
        body = "".join(f"<li>{t}</li>" for t in texts if t.strip())
        self._put("ol" if ordered else "ul", body)
        return bool(body)

    def _wrapped(self, node: dict[str, Any], tag: str, depth: int) -> None:
        """Write a node with blocks inside as one quote or list item."""
        inner = _Writer(self._budget)
        inner._unknown(node, depth)
        body = "".join(inner.pieces)
        self._put(tag, f"<li>{body}</li>" if tag == "ul" else body)

    def _unknown(self, node: dict[str, Any], depth: int) -> None:
        """Write a node's own text and its child nodes; only one of them if both have the same text."""
        own = next((node[k] for k in TEXT_KEYS if isinstance(node.get(k), str) and node[k].strip()), "")
        inner = _Writer(self._budget)
        for key, value in node.items():
            if key.lower() in _NEVER or key.lower() in _SKIPPED:
                continue
            if isinstance(value, str):
                if not own and prose_chars(value):
                    own = value
            elif isinstance(value, dict) or (isinstance(value, list) and (key in _NODES or not _are_labels(value))):
                inner.block(value, depth + 1)
        below = _letters("".join(inner.pieces))
        letters = _letters(own)
        if own and not (letters in below and len(below) > 1.2 * len(letters)):
            if not _REFERENCE.fullmatch(own):
                self._string(own)
            if below in letters:
                return
        if inner.pieces and not own:
            self._title(node, inner.pieces[0])
        self.pieces.extend(inner.pieces)

    def _title(self, node: dict[str, Any], first: str) -> None:
        """Write a section's title before its content, unless the content begins with it."""
        for key in ("heading", "headline", "subheading", "title"):
            title = node.get(key)
            if isinstance(title, str) and 2 < len(title.strip()) < 150 and not first.startswith("<h"):
                self.pieces.append(f"<h2>{html.escape(title, quote=False)}</h2>")
                return

    def inline(self, node: Any, depth: int) -> str:
        """Return a node's text as inline markup of one block."""
        self._budget.left -= 1
        if depth > MAX_DEPTH or self._budget.left < 0:
            return ""
        if isinstance(node, str):
            if not self._budget.allows(node):
                return ""
            if _ESCAPED_TAG.search(node):
                return html.unescape(node)
            if is_markup(node) or _ENTITY.search(node):
                return node
            return html.escape(node, quote=False).replace("\n", "<br>") if not _REFERENCE.fullmatch(node) else ""
        if is_element(node):
            return "<br>" if node[1] == "br" else self.inline(node[3].get("children"), depth + 1)
        if isinstance(node, list):
            return "".join(self.inline(item, depth + 1) for item in node)
        if not isinstance(node, dict):
            return ""
        words = type_words(node)
        if not _BREAKS.isdisjoint(words[:1]):
            return "<br>"
        if _is_skipped(words):
            return ""
        own = next((node[k] for k in TEXT_KEYS if isinstance(node.get(k), str) and node[k]), "")
        if own:
            return self.inline(own, depth + 1)
        for key in LIST_KEYS:
            value = node.get(key)
            if isinstance(value, (dict, list)) and value and (inner := self.inline(value, depth + 1)):
                return inner
        return ""


def _are_labels(items: list[Any]) -> bool:
    """Return True if a list contains strings and none of them is prose."""
    return all(not isinstance(i, (dict, list)) and not (isinstance(i, str) and prose_chars(i)) for i in items)


def _heading_level(node: dict[str, Any], words: tuple[str, ...]) -> int:
    """Return the level of a heading; 0 for any other node."""
    for name in (*words[1:], str(node.get("style") or ""), "-".join(words[1:])):
        if match := _HEADING_NAME.fullmatch(name):
            return int(match[1])
    if _HEADING.isdisjoint(words):
        return 0
    inner = [node[key] for key in ("data", "attrs") if isinstance(node.get(key), dict)]
    for value in (*(each.get("level") for each in (node, *inner)), node.get("depth")):
        if isinstance(value, int) and 1 <= value <= 6:
            return value
    return next((_LEVELS[w] for w in words if w in _LEVELS), next((int(w) for w in words if w in "123456"), 2))


def _own_list(node: dict[str, Any]) -> list[Any] | None:
    """Return the list of a node's children."""
    return next((node[key] for key in LIST_KEYS if isinstance(node.get(key), list) and node[key]), None)


def _is_span(node: Any) -> bool:
    """Return True if a node is a run of text inside a paragraph."""
    if isinstance(node, str):
        return True
    if is_element(node):
        return str(node[1]) in _INLINE
    if not isinstance(node, dict):
        return False
    words = type_words(node)
    if not words:
        return isinstance(node.get("text"), str) and not any(isinstance(v, (dict, list)) and v for v in node.values())
    return not _INLINE.isdisjoint(words[:1]) or "hyperlink" in words or "mention" in words
