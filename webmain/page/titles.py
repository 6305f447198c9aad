"""The headline out of what a page gives as its title in several places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webmain.page.clues import letters as fold

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

MAX_TITLE_CHARS: Final = 500

_SEPARATOR = re.compile(r"\s+(?:[|‖│¦•·»«›‹:*~/‐-―−-]|::|\|\||--|>>|<<)\s+|\s*[|│｜：]\s*|\s[–—]\s")
_KICKER = re.compile(r"\s*[:|–—]\s+|\s-\s+|(?<=[^\W\d]{3})\.\s+|\s*[•|]\s*")
_ELLIPSIS = re.compile(r"\s*(?:\.{3}|…|\[…\]|\[\.\.\.\])$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A string that may be the title, and where it stood."""

    source: str
    text: str


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
        shorter = shorter or next(
            (c for m in cuts if fold(c := title[m.end() :].strip()) in whole and len(fold(c)) > 14), ""
        )
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
        if (
            len(name) >= 4
            and name in folded
            and (folded.startswith(name) or folded.endswith(name))
            and len(part.split()) <= 5
        ):
            return True
        if len(folded) >= 4 and folded in name and 2 * len(folded) >= len(name):
            return True
    return False


_PREFIX = re.compile(r"(?P<name>[^:|»]{2,50}?)\s*:\s+(?=\S)")
_DOMAIN = re.compile(r"(?:www\.)?[\w-]{2,40}(?:\.[a-z]{2,3})?\.[a-z]{2,6}", re.I)
_SECTION_EDGE = re.compile(r"\s*(?:[»›|>]|::)\s+")
_SHORTEST_TAIL: Final = 9


def _without_prefix(title: str, names: Iterable[str]) -> str:
    """Cut the site's name and a colon, or a domain and a colon, off a `title` element."""
    match = _PREFIX.match(title)
    if not match or len(fold(title[match.end() :])) < _SHORTEST_TAIL:
        return title
    name = match["name"].strip()
    is_site = fold(name) in {fold(n) for n in names if len(fold(n)) > 3} or _DOMAIN.fullmatch(name)
    return title[match.end() :].strip() if is_site else title


def _without_section(title: str, sections: Container[str]) -> str:
    """Cut off a first piece that is one of the page's links too: "Stories » How a lighthouse works"."""
    for _ in range(3):
        match = _SECTION_EDGE.search(title)
        if not match:
            break
        head, tail = title[: match.start()].strip(), title[match.end() :].strip()
        if not (fold(head) in sections and _is_kicker(head) and len(fold(tail)) >= _SHORTEST_TAIL):
            break
        title = tail
    return title


def choose(
    candidates: Sequence[Candidate], *, names: Sequence[str], sections: Container[str] = ()
) -> tuple[Candidate, Candidate] | None:
    """Choose the title among the candidates.

    Parameters
    ----------
    candidates : sequence of Candidate
        In order of trust; texts on one line.
    names : sequence of str
        What the site calls itself, and its domain.
    sections : container of str
        Texts of the page's links, folded, where the title may begin with one.

    Returns
    -------
    pair of Candidate or None
        The title as it should be shown, and as it stood there; None where there is none.
    """
    candidates = [c for c in candidates if c.text and len(c.text) <= MAX_TITLE_CHARS and fold(c.text)]
    names = [*names, *_GENERIC, *_banner(candidates)]
    folded_names = {fold(n) for n in names}
    good = [c for c in candidates if fold(c.text) not in folded_names] or candidates
    if not good:
        return None
    shown = [strip_site(c.text, names=names, others=[o.text for o in good if o is not c]) for c in good]
    shown = [
        _without_section(_without_prefix(s, names), sections) if c.source == "title" else s
        for c, s in zip(good, shown, strict=True)
    ]
    if len({fold(s) for s in shown}) == 1:
        shown = [_without_tail(s) for s in shown]
    best = _elect(good, shown)
    for i in range(len(good)):
        if _repairs(shown[best], shown[i]):
            best = i
    rivals = [s for c, s in zip(good, shown, strict=True) if c.source in ("json-ld", "og:title", "h1")]
    return Candidate(good[best].source, _without_kicker(shown[best], rivals)), good[best]


_GENERIC: Final = (
    "Blog Archiv",
    "Blog Archive",
    "Home",
    "Homepage",
    "Startseite",
    "Archive",
    "Untitled",
    "Untitled Document",
)
_WEIGHTS: Final = {"json-ld": 2.0, "og:title": 2.0, "h1": 2.5, "title": 1.0, "headline": 1.0, "twitter:title": 0.5}
_LEAST_WEIGHT: Final = 0.3
_LABEL_LETTERS: Final = 14
_SHORTEST_HEADLINE: Final = 20
_LONGEST_KICKER_WORDS: Final = 5


def _banner(candidates: Sequence[Candidate]) -> list[str]:
    """Return the h1 if it is what the `title` element ends in: on such pages the site's name is the first heading."""
    title = next((c.text for c in candidates if c.source == "title"), "")
    heading = next((c.text for c in candidates if c.source == "h1"), "")
    cuts = list(_SEPARATOR.finditer(title))
    agreed = {fold(c.text) for c in candidates if c.source not in ("h1", "title")}
    is_end = any(fold(title[m.end() :]) == fold(heading) for m in cuts)
    return [heading] if heading and is_end and fold(heading) not in agreed else []


def _without_tail(title: str) -> str:
    """Cut off what stands behind the last bar of a title that nothing else on the page confirms or shortens."""
    head, _, tail = title.rpartition(" | ")
    if not head:
        head, _, tail = title.rpartition(" » ")
    return head.strip() if len(fold(head)) >= _LABEL_LETTERS and len(tail.split()) <= 6 else title


def _elect(good: Sequence[Candidate], shown: list[str]) -> int:
    """Return the index of the JSON-LD headline, where there is one; else of the candidate most places agree on.

    A heading of one or two words is a label ("News") where another place says more; one that shares no word with
    the only other candidate, the `title` element, is a greeting or the site's motto.
    """
    keys = [fold(s) for s in shown]
    if good[0].source == "json-ld":
        return 0
    if [c.source for c in good] == ["headline", "title"]:
        return 0 if not _share_a_word(shown[0], shown[1]) else 1
    if [c.source for c in good] == ["h1", "title"] and not _share_a_word(shown[0], shown[1]):
        return 1
    longest = max(map(len, keys))
    votes: dict[str, float] = {}
    for candidate, key in zip(good, keys, strict=True):
        weight = _WEIGHTS.get(candidate.source, _LEAST_WEIGHT)
        is_label = candidate.source == "h1" and len(key) < _LABEL_LETTERS and 2 * len(key) < longest and len(good) > 2
        votes[key] = votes.get(key, 0.0) + (0.5 if is_label else weight)
    return max(range(len(good)), key=lambda i: votes[keys[i]])


def _share_a_word(a: str, b: str) -> bool:
    """Tell whether two titles share a word of four letters, or three letters in scripts without spaces."""
    words = [w for w in re.findall(r"\w{3,}", a.casefold()) if len(w) >= 4 or not w.isascii()]
    return not words or any(w[:6] in b.casefold() for w in words)


def _without_kicker(title: str, others: Sequence[str]) -> str:
    """Cut off a short kicker that another place leaves out, or replaces by another one."""
    own = fold(title)
    pieces: set[str] = set()
    for other in others:
        if not fold(other).endswith(own):
            pieces.add(fold(other))
            pieces.update(fold(other[m.end() :]) for m in _KICKER.finditer(other) if _is_kicker(other[: m.start()]))
    for match in _KICKER.finditer(title):
        tail = title[match.end() :].strip()
        if len(fold(tail)) > _SHORTEST_HEADLINE and fold(tail) in pieces and _is_kicker(title[: match.start()]):
            return tail
    return title


def _is_kicker(text: str) -> bool:
    return len(text.split()) <= _LONGEST_KICKER_WORDS and len(text) <= 50


def _repairs(cut: str, full: str) -> bool:
    """Tell whether one title is the other one without its end cut off."""
    match = _ELLIPSIS.search(cut)
    if not match:
        return False
    stem = fold(cut[: match.start()])
    return len(stem) > 12 and fold(full).startswith(stem) and not _ELLIPSIS.search(full)
