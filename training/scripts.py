"""Pages of other scripts: every word of a page becomes a word of Thai, Chinese, Arabic, ..., the same one each time.

The words are none: syllables and characters strung together, the frequent ones more often, in proportion to the length
of what they replace. What is true of layouts, lengths and links stays true; what is learned from them can't be a word.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lxml import etree

from training.data import table
from training.page_tree import Element, read_html, write_html
from webmain.evaluation.records import GoldPage

_PIECE = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\s+|https?://\S+|\d+(?:[.,:/-]\d+)*|.", re.DOTALL)
_ENDS = frozenset(".!?…")
_TEXT_ATTRIBUTES: Final = ("title", "alt", "placeholder", "aria-label")
_TEXT_META: Final = frozenset(
    "description title og:title og:description twitter:title twitter:description keywords og:image:alt".split()
)
_TEXT_JSON: Final = frozenset("headline name description articleBody text caption alternativeHeadline".split())
N_FUNCTION_WORDS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What one script's words are strung together from: a file in `scripts/`."""

    locale: str  # language with region, as `html lang` has it
    ratio: float  # characters for each character of an English word
    skew: float  # how much more often the first parts are taken; 1 for all alike
    parts: str  # what words are strung together from, the most frequent first, with blanks between
    function_words: str  # what a page's most frequent short words become
    marks: dict[str, str] = field(default_factory=dict)  # what punctuation becomes; " " for marks that are a space here
    endings: list[str] = field(default_factory=list)  # endings of longer words
    finals: dict[str, str] = field(default_factory=dict)  # letters with another form at a word's end
    unspaced: bool = False  # no space between words
    phrase_spaces: bool = False  # but between phrases
    right_to_left: bool = False
    cased: bool = False  # with capitals


class Swap:
    """One page's words in another script: the same word becomes the same word wherever it is.

    The choice of words depends on the words and on `salt`. The most frequent short words of `text`, the page's, become
    function words.
    """

    def __init__(self, script: Script, salt: str, text: str) -> None:
        self.script = script
        self._salt = salt
        self._parts = script.parts.split()
        short = Counter(word.casefold() for word in re.findall(r"[^\W\d_]+", text) if len(word) <= 5)
        function_words = script.function_words.split()
        self._known = {
            word: function_words[i % len(function_words)]
            for i, (word, _) in enumerate(short.most_common(N_FUNCTION_WORDS))
        }

    def text(self, text: str) -> str:
        """Return what a text becomes; white space at its ends stays but for a single blank in scripts without.

        Whether a space is removed depends on its two neighbours only, so that gold text and page agree.
        """
        marks = self.script.marks
        pieces = ["", *_PIECE.findall(text), ""]
        out: list[str] = []
        for before, piece, after in zip(pieces, pieces[1:], pieces[2:], strict=False):
            if piece.isspace():
                out.append(self._space(piece, before, after) if self.script.unspaced else piece)
            elif piece[0].isalpha():
                out.append(piece if self.script.unspaced and _is_kept(piece) else self._word(piece))
            elif self.script.unspaced and piece in ".,:" and after[:1].isalnum():
                out.append(piece)
            elif self.script.phrase_spaces and marks.get(piece) == " " and after.isspace():
                continue
            else:
                out.append(marks.get(piece, piece))
        return "".join(out)

    def _space(self, space: str, before: str, after: str) -> str:
        """Return what becomes of white space between two pieces, "" for the end of a text."""
        if not before or not after:
            return "" if space == " " else space
        if "\n" in space and before[-1] in _ENDS:
            return space
        latin = (_is_kept(before) or before[0].isdigit(), _is_kept(after) or after[0].isdigit())
        phrase = any(latin) or before in ".,;:!?" or zlib.crc32((before + after).encode()) % 9 == 0
        return " " if all(latin) or (self.script.phrase_spaces and phrase) else ""

    def _word(self, word: str) -> str:
        folded = word.casefold()
        if folded not in self._known:
            self._known[folded] = self._invented(folded)
        made = self._known[folded]
        return made[:1].upper() + made[1:] if self.script.cased and word[:1].isupper() else made

    def _invented(self, word: str) -> str:
        """Return a word of about the proportional length, its parts chosen by the word alone."""
        script, parts = self.script, self._parts
        draw = random.Random(f"{self._salt}{word}".encode("utf-8", "replace"))
        target = max(len(word) * script.ratio, 1.0)
        made = ""
        while len(made) < target:
            part = parts[int(len(parts) * draw.random() ** script.skew)]
            if made and len(made) + len(part) / 2 > target:
                break
            made += part
        if script.endings and len(word) > 4:
            made += draw.choice(script.endings)
        return made[:-1] + script.finals.get(made[-1], made[-1])


def script_swapped(page: GoldPage, language: str, *, random: random.Random) -> GoldPage:
    """Return a page with all its words, and its gold text, in a script of `data.languages("scripts")`.

    The page's own words are parted by spaces.
    """
    script = Script(**table(f"scripts/{language}"))
    gold = page.text or ""
    swap = Swap(script, str(random.randrange(1 << 30)), gold)
    root = read_html(page.html)
    root.set("lang", random.choice((language, script.locale)))
    if script.right_to_left:
        root.set("dir", "rtl")
    _swap_tree(root, swap)
    comments = swap.text(page.comments)
    return replace(page, html=write_html(root), text=swap.text(gold), comments=comments, language=language)


def _swap_tree(root: Element, swap: Swap) -> None:
    for element in root.iter(etree.Element):
        attributes = element.attrib
        if element.tag == "script":
            element.text = _swapped_json(element.text or "", swap)
        elif element.text and element.tag != "style":
            element.text = swap.text(element.text)
        if element.tail:
            element.tail = swap.text(element.tail)
        names = [name for name in _TEXT_ATTRIBUTES if name in attributes]
        if element.tag == "meta" and (attributes.get("name") or attributes.get("property")) in _TEXT_META:
            names.append("content")
        for name in names:
            attributes[name] = swap.text(attributes.get(name, ""))


def _swapped_json(source: str, swap: Swap) -> str:
    try:
        return json.dumps(_swapped_values(json.loads(source), swap), ensure_ascii=False).replace("</", "<\\/")
    except (ValueError, RecursionError):
        return ""


def _swapped_values(value: Any, swap: Swap, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _swapped_values(inner, swap, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_swapped_values(inner, swap, key) for inner in value]
    return swap.text(value) if isinstance(value, str) and key in _TEXT_JSON else value


def _is_kept(piece: str) -> bool:
    """Return whether a word stays in Latin letters where the script mixes: a third of the short forms."""
    return piece.isascii() and piece.isupper() and 1 < len(piece) < 6 and zlib.crc32(piece.encode()) % 3 == 0
