"""Pages of other scripts: every word of a page becomes a word of Thai, Chinese, Arabic, ..., the same one each time.

The words are none: syllables and characters strung together, the frequent ones more often, in proportion to the length
of what they stand for. What is true of layouts, lengths and links stays true; what is learned from them can't be a word.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from lxml import etree

from webmain.evaluation.records import GoldPage
from webmain.evaluation.training.made_up_inventories import INVENTORIES, Inventory
from webmain.evaluation.training.made_up_page import Element, read_html

_PIECE = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\s+|https?://\S+|\d+(?:[.,:/-]\d+)*|.", re.DOTALL)
_ENDS = frozenset(".!?…")
_SPOKEN_ATTRIBUTES: Final = ("title", "alt", "placeholder", "aria-label")
_SPOKEN_META: Final = frozenset(
    "description title og:title og:description twitter:title twitter:description keywords og:image:alt".split()
)
_SPOKEN_JSON: Final = frozenset("headline name description articleBody text caption alternativeHeadline".split())
N_FUNCTION_WORDS: Final = 40
KEPT_SHARE: Final = 16
"""One of so many words is kept in Latin letters where the script mixes: brands, short forms."""


@dataclass(frozen=True, slots=True)
class Swap:
    """One page's way into another script: the same word becomes the same word wherever it stands.

    Parameters
    ----------
    inventory : Inventory
        What the script's words are made of.
    salt : str
        What the choice of words depends on besides the words.
    common : mapping of str to str
        The page's most frequent words, and the function words that they become.
    """

    inventory: Inventory
    salt: str
    common: dict[str, str]
    known: dict[str, str]

    def word(self, word: str) -> str:
        """Return what a word becomes."""
        folded = word.casefold()
        if folded not in self.known:
            self.known[folded] = self.common.get(folded) or _invented(self.inventory, folded, self.salt)
        made = self.known[folded]
        return made[:1].upper() + made[1:] if self.inventory.cased and word[:1].isupper() else made

    def text(self, text: str) -> str:
        """Return what a text becomes; white space at its ends stays but for a single blank in scripts without."""
        return "".join(_unspaced(self, text) if self.inventory.unspaced else _spaced(self, text))


def script_swapped(page: GoldPage, language: str, *, draw: random.Random) -> GoldPage:
    """Return a page with all its words, the article's and the others', in another language's script.

    Parameters
    ----------
    page : GoldPage
        A page whose words are parted by spaces.
    language : str
        One of `SWAP_LANGUAGES`.
    draw : random.Random
        What is drawn from.

    Returns
    -------
    GoldPage
        The page with its gold text, swapped by the same rule, and the language.
    """
    inventory = INVENTORIES[language]
    gold = page.text or ""
    salt = str(draw.randrange(1 << 30))
    frequent = Counter(match.casefold() for match in re.findall(r"[^\W\d_]+", gold) if len(match) <= 5)
    common = {
        word: inventory.function_words[i % len(inventory.function_words)]
        for i, (word, _) in enumerate(frequent.most_common(N_FUNCTION_WORDS))
    }
    swap = Swap(inventory, salt, common, {})
    root = read_html(page.html)
    root.set("lang", draw.choice((language, inventory.locale)))
    if inventory.right_to_left:
        root.set("dir", "rtl")
    _swap_tree(root, swap)
    html = etree.tostring(root, encoding="unicode", method="html", doctype="<!DOCTYPE html>")
    return replace(page, html=html, text=swap.text(gold), comments=swap.text(page.comments), language=language)


def _swap_tree(root: Element, swap: Swap) -> None:
    for element in root.iter(etree.Element):
        if element.tag in ("script", "style"):
            if element.tag == "script" and element.text:
                element.text = _swapped_json(element.text, swap)
        elif element.text:
            element.text = swap.text(element.text)
        if element.tail:
            element.tail = swap.text(element.tail)
        attributes = element.attrib
        for name in _SPOKEN_ATTRIBUTES:
            if name in attributes:
                attributes[name] = swap.text(str(attributes[name]))
        if element.tag == "meta" and (attributes.get("name") or attributes.get("property")) in _SPOKEN_META:
            attributes["content"] = swap.text(str(attributes.get("content", "")))


def _swapped_json(source: str, swap: Swap) -> str:
    try:
        data = json.loads(source)
        return json.dumps(_swapped_values(data, swap), ensure_ascii=False).replace("</", "<\\/")
    except (ValueError, RecursionError):
        return ""


def _swapped_values(value: Any, swap: Swap, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _swapped_values(inner, swap, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_swapped_values(inner, swap, key) for inner in value]
    return swap.text(value) if isinstance(value, str) and key in _SPOKEN_JSON else value


def _spaced(swap: Swap, text: str) -> list[str]:
    marks = swap.inventory.marks
    return [swap.word(piece) if piece[0].isalpha() else marks.get(piece, piece) for piece in _PIECE.findall(text)]


def _unspaced(swap: Swap, text: str) -> list[str]:
    """Return a text's pieces in a script without spaces between words.

    Whether a space falls away depends on its two neighbours only, so that gold text and page agree.
    """
    marks, phrases = swap.inventory.marks, swap.inventory.phrase_spaces
    pieces = _PIECE.findall(text)
    out: list[str] = []
    for i, piece in enumerate(pieces):
        if piece.isspace():
            out.append(_space(swap, piece, pieces[i - 1] if i else "", pieces[i + 1] if i + 1 < len(pieces) else ""))
        elif piece[0].isalpha():
            out.append(piece if _kept(piece) else swap.word(piece))
        elif piece in marks and (piece not in ".,:" or i + 1 == len(pieces) or not pieces[i + 1][0].isalnum()):
            made = marks[piece]
            out.append("" if phrases and made == " " and i + 1 < len(pieces) and pieces[i + 1].isspace() else made)
        else:
            out.append(piece)
    return out


def _space(swap: Swap, space: str, before: str, after: str) -> str:
    """Return what becomes of white space between two pieces, "" for the end of a text."""
    if not before or not after:
        return "" if space == " " else space
    if "\n" in space and before[-1] in _ENDS:
        return space
    latin = (before[0].isalnum() and (_kept(before) or before[0].isdigit()), _kept(after) or after[0].isdigit())
    if all(latin):
        return " "
    if swap.inventory.phrase_spaces:
        ends = not before[-1].isalnum() and before in ".,;:!?"
        return " " if ends or any(latin) or zlib.crc32((before + after).encode()) % 9 == 0 else ""
    return ""


def _kept(piece: str) -> bool:
    """Tell whether a word stays in Latin letters."""
    return piece.isascii() and piece.isupper() and 1 < len(piece) < 6 and zlib.crc32(piece.encode()) % 3 == 0


def _invented(inventory: Inventory, word: str, salt: str) -> str:
    """Return a word of about the proportional length, its parts chosen by the word alone."""
    draw = zlib.crc32(f"{salt}{word}".encode("utf-8", "replace"))
    target = max(len(word) * inventory.ratio, 1.0)
    made = ""
    while True:
        draw = (draw * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        roll = (draw >> 8) % 10_007 / 10_007
        part = inventory.parts[int(len(inventory.parts) * roll**inventory.skew)]
        if made and len(made) + len(part) / 2 > target:
            break
        made += part
        if len(made) >= target:
            break
    if inventory.endings and len(word) > 4:
        made += inventory.endings[draw // 7919 % len(inventory.endings)]
    return made if not inventory.finals else made[:-1] + inventory.finals.get(made[-1], made[-1])


@cache
def swap_languages() -> tuple[str, ...]:
    """Return the languages into which pages can be swapped, sorted."""
    return tuple(sorted(INVENTORIES))
