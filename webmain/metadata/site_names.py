"""Names of sites: what a page's title, links and address say of them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from webmain.metadata.head import letters
from webmain.metadata.values import MAX_VALUE_CHARS
from webmain.regex import lazy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_PIECE_CHARS: Final = 60
_MAX_NAME_WORDS: Final = 5
_SHORTEST_NAME: Final = 4
_WORD = lazy(r"[^\W_]+")
_SLUG_CHARS: Final = 400
_SHORT_SLUG_WORDS: Final = 3
_ENDING = lazy(r"\.[a-z]{2,5}$")
_ROOT = lazy(
    r"(?:(?:https?:)?//(?P<host>[^/?#]{1,200})(?:/|$)|/)(?:(?:index|default|home)\.\w{2,5})?(?:#|$)", re.IGNORECASE
)
_ROOT_SLASHES: Final = 3
_AFTER_ROOT: Final = "/#iIdDhH"
_LATIN: Final = str.maketrans(
    dict(
        zip(
            "абвгдезийклмнопрстуфхыэіґєαβγδεζηικλμνξοπρςστυφωłøđı",
            "abvgdezijklmnoprstufhyeigeabgdeziiklmnxoprsstyfolodi",
            strict=True,
        )
    )
    | {"ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ю": "yu", "я": "ya", "ь": "", "ъ": ""}
    | {"θ": "th", "χ": "ch", "ψ": "ps", "ß": "ss", "æ": "ae", "œ": "oe"}
)
"""Greek and Cyrillic letters as domains write them, and Latin ones that have no decomposition."""
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa"})


@lru_cache(maxsize=1 << 11)
def latin_words(text: str, *, umlauts: bool = False) -> tuple[str, ...]:
    """Return the words of a text as in a domain or a path: Latin, lower case, no accents.

    Parameters
    ----------
    text : str
    umlauts : bool
        Write ä, ö, ü as ae, oe, ue.
    """
    text = text[:MAX_VALUE_CHARS].casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_UMLAUTS) if umlauts else text)
        text = "".join(c for c in text if not unicodedata.combining(c)).translate(_LATIN)
    return tuple(_WORD.findall(text))


class SiteNames:
    """What a site is called.

    Parameters
    ----------
    names : iterable of str
        Names that the site gives itself; a piece may be part of one, or begin or end with it.
    site : str
        Its registered domain; "" if unknown.
    exact : iterable of str
        Names that a piece has to equal, such as texts of links to the front page.
    """

    def __init__(self, names: Iterable[str], site: str = "", *, exact: Iterable[str] = ()) -> None:
        self._names = {f for n in names if len(f := letters(n)) > 1}
        self._exact = {f for n in exact if len(f := letters(n)) > 1}
        self._domain = letters(site)
        self._label = letters(site.partition(".")[0])

    def is_name(self, text: str) -> bool:
        """Return True if a text is one of the names, or the domain in any script."""
        folded = letters(text)
        if folded in self._names or folded in self._exact:
            return True
        return len(self._label) > 2 and "".join(latin_words(text[:MAX_PIECE_CHARS])) in (self._label, self._domain)

    def is_motto(self, text: str) -> bool:
        """Return True if a heading begins with the domain: "Daily.example - all the news"."""
        return len(self._domain) > _SHORTEST_NAME and letters(text).startswith(self._domain)

    def holds(self, piece: str) -> bool:
        """Return True if a piece of a title is the site's name, or is short and begins or ends with it."""
        folded = letters(piece)
        if not folded or len(piece) > MAX_PIECE_CHARS:
            return False
        return self.is_name(piece) or self._contains(folded, len(piece.split())) or self._is_domain(piece)

    def _contains(self, folded: str, n_words: int) -> bool:
        for name in self._names:
            is_edge = folded.startswith(name) or folded.endswith(name)
            if is_edge and len(name) >= _SHORTEST_NAME and n_words <= _MAX_NAME_WORDS:
                return True
            if len(folded) >= _SHORTEST_NAME and folded in name and 2 * len(folded) >= len(name):
                return True
        return False

    def _is_domain(self, piece: str) -> bool:
        """Return True if the domain is written as the piece is: "BBC NEWS" of bbc.co.uk, "ПОЛИТ.РУ" of polit.ru."""
        label = self._label
        if len(label) < 2:
            return False
        for words in (latin_words(piece), latin_words(piece, umlauts=True)):
            if not words or len(words) > _MAX_NAME_WORDS:
                continue
            joined = "".join(words)
            if joined in (label, self._domain):
                return True
            named = words[1:] if len(words) > 1 and len(words[0]) <= 3 and words[0] != label else words
            if label in (named[0], named[-1]) and len(words) <= _MAX_NAME_WORDS - 1:
                return True
            if len(joined) >= _SHORTEST_NAME and joined in label and 2 * len(joined) >= len(label):
                return True
            if len(label) > 2 and (_abbreviates(label, words) or _abbreviates(label, named)):
                return True
        return False


def _abbreviates(label: str, words: Sequence[str]) -> bool:
    """Return True if a domain's label consists of beginnings of all the words: "nytimes", "nzz", "sueddeutsche"."""
    if len(words) < 2:
        return False
    ends = {0}
    for word in words:
        reached = set()
        for end in ends:
            n = 0
            while n < len(word) and end + n < len(label) and label[end + n] == word[n]:
                n += 1
                reached.add(end + n)
        ends = reached
    return len(label) in ends


def is_root(href: str, site: str) -> bool:
    """Return True if a link leads to the front page of its own site."""
    href = href.strip()[:_SLUG_CHARS]
    if (href.count("/") > _ROOT_SLASHES and "#" not in href) or (href[:1] == "/" and href[1:2] not in _AFTER_ROOT):
        return False  # the common case
    if (match := _ROOT.match(href)) is None:
        return False
    host = (match["host"] or "").lower()
    return not host or host == site or (bool(site) and host.endswith("." + site))


def slug_words(url: str | None) -> frozenset[str]:
    """Return the words of at least three letters in a URL's last segment, and in the one before it if that is short."""
    path = (url or "")[:2_000].partition("://")[2].partition("?")[0].partition("#")[0].partition("/")[2]
    found: list[str] = []
    for segment in [s for s in path.split("/") if s][:-3:-1]:
        if len(found) < _SHORT_SLUG_WORDS:
            words = latin_words(unquote(_ENDING.sub("", segment[:_SLUG_CHARS])))
            found += [w for w in words if len(w) > 2 and w.isalpha()]
    return frozenset(found)


def in_slug(text: str, slug: frozenset[str]) -> int:
    """Return how many words of a text are in a URL's slug; 0 if they are less than half of the text."""
    found = [
        sum(w in slug for w in words)
        for umlauts in (False, True)
        if (words := [w for w in latin_words(text, umlauts=umlauts) if len(w) > 2])
        and 2 * sum(w in slug for w in words) >= len(words)
    ]
    return max(found, default=0)
