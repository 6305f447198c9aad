"""Class names of made-up markup: what templates of many makers, languages and years call the parts of a page."""

from __future__ import annotations

import random
import string
from enum import StrEnum
from functools import cache
from typing import Final

from markupsafe import Markup

from training.data import table
from webmain.html.names import VISUALLY_HIDDEN


class Naming(StrEnum):
    """How a site names its classes."""

    PLAIN = "plain"
    """English words: "comment-body"."""
    TRANSLATED = "translated"
    """Words of another language: "kommentar-text"."""
    SHORT = "short"
    """Abbreviations: "cmt_txt"."""
    HASHED = "hashed"
    """What style compilers write: "css-1h2k9x", "sc-fzXYZ bQwErT"."""
    MODULES = "modules"
    """A word, an underline and a hash: "comment_body__3kZx1"."""
    UTILITY = "utility"
    """One class a declaration: "flex mt-4 text-sm"."""
    BLURRED = "blurred"
    """Words that mean nothing, or the wrong thing: "content", "inner", "post"."""
    NONE = "none"
    """No classes at all."""


WEIGHTS: Final = (30, 10, 8, 14, 8, 6, 14, 10)
"""How often each naming is drawn for a page."""
_LETTERS: Final = string.ascii_letters + string.digits


class ClassNames:
    """The names that one made-up site gives to the parts of its pages: the same part has the same name on all of a page.

    `naming` is drawn where it is None.
    """

    def __init__(self, random: random.Random, naming: Naming | None = None) -> None:
        self.random = random
        self.naming = naming or random.choices(tuple(Naming), WEIGHTS)[0]
        self._prefix = random.choice(_words("prefixes")) if random.random() < 0.35 else ""
        self._glue = random.choice(("-", "-", "_", "__", ""))
        self._style = random.randrange(4)
        self._with_ids = random.random() < 0.5
        self._language = random.randrange(12)
        self._known: dict[str, str] = {}
        self._ids: set[str] = set()

    def of(self, role: str) -> Markup:
        """Return the class attribute of a part after a blank; empty where it has none. `classes.toml` names the parts."""
        if role not in self._known:
            self._known[role] = self._drawn(role)
        name = self._known[role]
        return Markup(' class="{}"').format(name) if name else Markup()

    def once(self, role: str) -> Markup:
        """Return the class attribute and, on some sites, an id; only one element is given the id."""
        name = self.of(role)
        if not self._with_ids or not name or role in self._ids or self.naming in (Naming.UTILITY, Naming.HASHED):
            return name
        self._ids.add(role)
        token = Markup(' id="{}"').format(self._known[role].split()[0])
        return token if self._style == 0 else name + token

    def renamed(self, token: str) -> str:
        """Return a page's own class or id as this site would write it; "" to remove it.

        Classes that hide are kept: without them, text that nobody sees would be shown.
        """
        if token.lower() in VISUALLY_HIDDEN:
            return token
        if token not in self._known:
            self._known[token] = self._rewritten(token)
        return self._known[token]

    def _rewritten(self, token: str) -> str:
        match self.naming:
            case Naming.UTILITY | Naming.BLURRED:
                return self.random.choice(_words(self.naming))
            case Naming.NONE | Naming.HASHED:
                return self._drawn("")
            case Naming.MODULES:
                return f"{token}__{self._hash(5)}"
        if role := _role_of(token.lower()):
            return self._drawn(role)
        return f"{token[:3]}{self.random.randrange(10)}" if self.naming is Naming.SHORT else self._prefix + token

    def _drawn(self, role: str) -> str:
        random = self.random
        match self.naming:
            case Naming.NONE:
                return ""
            case Naming.HASHED:
                return self._compiled()
            case Naming.UTILITY:
                return " ".join(random.sample(_words("utility"), k=random.randint(2, 6)))
            case Naming.BLURRED:
                return self._dressed(random.choice(_words("blurred")))
            case Naming.TRANSLATED:
                words = _roles()[role]["other"].split()
                return self._dressed(words[self._language % len(words)])
            case Naming.SHORT:
                return self._dressed(random.choice(_roles()[role]["short"].split())) + random.choice(("", "", "1", "2"))
        words = random.sample(_roles()[role]["plain"].split(), k=random.choice((1, 1, 1, 2)))
        if self.naming is Naming.MODULES:
            return f"{self._dressed(words[0])}__{self._hash(5)}"
        return " ".join(map(self._dressed, words))

    def _dressed(self, word: str) -> str:
        """Return a word with the site's prefix, in camel case or with its joint."""
        if self._style == 3:
            first, *rest = word.split("-")
            return self._prefix + first + "".join(part.title() for part in rest)
        return self._prefix + word.replace("-", self._glue)

    def _compiled(self) -> str:
        """Return a class name as one of four style compilers writes it."""
        match self._style:
            case 0:
                return "css-" + self._hash(self.random.randint(5, 7)).lower()
            case 1:
                return f"sc-{self._hash(6)} {self._hash(6)}"
            case 2:
                return "_" + self._hash(5)
        return f"{self.random.choice('jsrwx')}{self.random.choice(('ss', '-', '_'))}{self.random.randrange(1, 999)}"

    def _hash(self, n: int) -> str:
        return self.random.choice(string.ascii_letters) + "".join(self.random.choices(_LETTERS, k=n - 1))


@cache
def _words(key: str) -> list[str]:
    return table("classes")[key].split()  # type: ignore[no-any-return]


def _roles() -> dict[str, dict[str, str]]:
    return table("classes")["roles"]  # type: ignore[no-any-return]


@cache
def _role_of(token: str) -> str:
    """Return the part that a page's own class names; "" where it names none."""
    for role in sorted(_roles().keys() - {"inner", "page"}):
        if any(word in token for word in _roles()[role]["plain"].split() if len(word) > 4):
            return role
    return ""
