"""The headline out of what a page gives as its title in several places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_TITLE_CHARS: Final = 500

_SEPARATOR = re.compile(r"\s+(?:[|‖│¦•·»«›‹:*~/‐-―−-]|::|\|\||--|>>|<<)\s+|\s*[|│»›]\s*|(?<=\S)\s?[–—]\s(?=\S)")
_KICKER = re.compile(r"\s*[:|–—]\s+|\s-\s+|\.\s+|\s*[•|]\s*")
_ELLIPSIS = re.compile(r"\s*(?:\.{3}|…|\[…\]|\[\.\.\.\])$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A string that may be the title, and where it stood."""

    source: str
    text: str


def fold(text: str) -> str:
    """Reduce a string to its letters, marks and digits, case ignored."""
    return "".join(c for c in text.casefold() if c.isalnum() or ord(c) > 0x2FF and c.isprintable() and not c.isspace())


def strip_site(title: str, *, names: Iterable[str], others: Sequence[str] = ()) -> str:
    """Cut the site's name, and what another candidate does without, off both ends of a title.

    Parameters
    ----------
    title : str
        One line.
    names : iterable of str
        What the site calls itself, and its domain.
    others : sequence of str
        The title as it stands in other places.
    """
    folded_names = {f for n in names if len(f := fold(n)) > 1}
    whole = {fold(o) for o in others}
    for _ in range(4):
        cuts = list(_SEPARATOR.finditer(title))
        if not cuts:
            break
        last, first = cuts[-1], cuts[0]
        head, tail = title[: last.start()].strip(), title[last.end() :].strip()
        if head and _is_site(tail, folded_names):
            title = head
            continue
        start, rest = title[: first.start()].strip(), title[first.end() :].strip()
        if rest and len(fold(rest)) > 8 and _is_site(start, folded_names):
            title = rest
            continue
        shorter = next((c for m in cuts if fold(c := title[: m.start()].strip()) in whole and len(fold(c)) > 8), "")
        shorter = shorter or next((c for m in cuts if fold(c := title[m.end() :].strip()) in whole and len(fold(c)) > 14), "")
        if not shorter:
            break
        title = shorter
    return title


def _is_site(part: str, names: set[str]) -> bool:
    """Tell whether a piece of a title is the site's name, or begins or ends with it and is short."""
    folded = fold(part)
    if not folded or len(part) > 60:
        return False
    for name in names:
        if folded == name:
            return True
        if len(name) >= 4 and name in folded and (folded.startswith(name) or folded.endswith(name)) and len(part.split()) <= 5:
            return True
        if len(folded) >= 4 and folded in name and 2 * len(folded) >= len(name):
            return True
    return False


def choose(candidates: Sequence[Candidate], *, names: Sequence[str]) -> tuple[Candidate, Candidate] | None:
    """Choose the title among the candidates.

    Parameters
    ----------
    candidates : sequence of Candidate
        In order of trust; texts on one line.
    names : sequence of str
        What the site calls itself, and its domain.

    Returns
    -------
    pair of Candidate or None
        The title as it should be shown, and as it stood there; None where there is none.
    """
    folded_names = {fold(n) for n in names}
    raw = [c for c in candidates if c.text and len(c.text) <= MAX_TITLE_CHARS and fold(c.text)]
    good = [c for c in raw if fold(c.text) not in folded_names] or raw
    if not good:
        return None
    shown = [strip_site(c.text, names=names, others=[o.text for o in good if o is not c]) for c in good]
    keys = [fold(s) for s in shown]
    best = 0
    for i in range(1, len(good)):
        if _repairs(shown[best], shown[i]):
            best = i
    best = _outvoted(best, keys, shown, good)
    return Candidate(good[best].source, shown[best]), good[best]


def _repairs(cut: str, full: str) -> bool:
    """Tell whether one title is the other one without its end cut off."""
    match = _ELLIPSIS.search(cut)
    if not match:
        return False
    stem = fold(cut[: match.start()])
    return len(stem) > 12 and fold(full).startswith(stem) and not _ELLIPSIS.search(full)


def _outvoted(best: int, keys: list[str], shown: list[str], good: Sequence[Candidate]) -> int:
    """Leave a title that stands alone for one on which several other places agree."""
    votes = {k: keys.count(k) for k in keys}
    if votes[keys[best]] > 1:
        return best
    rivals = [i for i in range(len(keys)) if votes[keys[i]] > 1 and i != best]
    for i in rivals:
        if keys[best].startswith(keys[i]) or keys[best].endswith(keys[i]):
            return i
    return best
