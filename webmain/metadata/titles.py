"""Choose the headline among the titles that a page gives in several places."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from webmain.metadata.head import letters as fold
from webmain.metadata.site_names import SiteNames, in_slug, latin_words
from webmain.metadata.values import clean
from webmain.regex import lazy
from webmain.text.normal import EAST_ASIAN

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

MAX_TITLE_CHARS: Final = 500

_SEPARATOR = lazy(
    r"\s+(?:[|‖│¦•·»«›‹:*~/‐-―−-]|::|\|\||--|>>|<<)\s+|\s*[|│｜：]\s*|\s[–—]\s"
    f"|(?<=[{EAST_ASIAN}！？」』）】…])(?:[-_]{{1,2}}|\\s_\\s)(?=\\S)|[-_]{{1,2}}(?=[{EAST_ASIAN}])"
)
_KICKER = lazy(r"\s*[:|–—]\s+|\s-\s+|(?<=[^\W\d]{3})\.\s+|\s*[•|]\s*")
_EAST_ASIAN = lazy(f"[{EAST_ASIAN}]")
_SHORTEST_CUT: Final = 50
_CUT_CHARS: Final = range(107, 111)
"""Lengths of titles that were cut to the 110 characters once allowed by search engines in JSON-LD."""
_ELLIPSIS = lazy(r"\s*(?:\.{3}|…|\[…\]|\[\.\.\.\])$")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A string that may be the title, and its source."""

    source: str
    text: str


def strip_site(title: str, *, names: SiteNames, others: Sequence[str] = ()) -> str:
    """Return a title without the site's name, and without what another candidate omits, at both ends.

    Parameters
    ----------
    title : str
        One line.
    names : SiteNames
        The site's names.
    others : sequence of str
        The title in other places.
    """
    whole = {fold(o) for o in others}
    for _ in range(4):
        parts = [_around(title, cut) for cut in _cuts(title)]
        behind = next((tail for _, tail in parts if fold(tail) in whole and size(tail) > 14), "")
        shorter = "" if names.holds(behind) else behind
        shorter = shorter or _beside_site(title, names)
        shorter = shorter or next((head for head, _ in parts if fold(head) in whole and size(head) > 8), "")
        if not shorter:
            break
        title = shorter
    return title


def recurring(sources: Iterable[str]) -> frozenset[str]:
    """Return the folded pieces that recur at the beginning or end of a site's titles.

    Parameters
    ----------
    sources : iterable of str
        Markup of pages of one site.
    """
    found = (_TITLE_ELEMENT.search(source[:_HEAD_CHARS]) for source in sources)
    titles = {clean(match[1]) for match in found if match}
    counts: Counter[str] = Counter()
    for title in titles:
        if cuts := _cuts(title):
            counts.update({fold(title[: cuts[0].start()]), fold(title[cuts[-1].end() :])} - {""})
    least = max(_LEAST_RECURRENCES, len(titles) // 10)
    return frozenset(piece for piece, n in counts.items() if n >= least)


def size(text: str) -> int:
    """Return the number of letters; those of scripts with words of one or two letters count twice."""
    return len(fold(text)) + len(_EAST_ASIAN.findall(text))


@lru_cache(maxsize=256)
def _cuts(title: str) -> list[re.Match[str]]:
    """Return the separators of a title, excluding paired guillemets."""
    cuts = list(_SEPARATOR.finditer(title))
    if "»" in title and "«" in title:
        cuts = [m for m in cuts if "»" not in m.group() or title.count("«", 0, m.start()) == 0]
        cuts = [m for m in cuts if "«" not in m.group() or "»" not in title[m.end() :]]
    return cuts[:_MAX_CUTS]


def _spans(title: str) -> list[tuple[int, int]]:
    """Return start and end of each piece of a title between its separators."""
    cuts = _cuts(title)
    return list(zip([0, *(m.end() for m in cuts)], [*(m.start() for m in cuts), len(title)], strict=True))


def pieces(title: str) -> list[str]:
    """Return the pieces of a title between its separators."""
    return [title[start:end].strip() for start, end in _spans(title)]


def _around(title: str, cut: re.Match[str]) -> tuple[str, str]:
    """Return what is before and after a separator."""
    return title[: cut.start()].strip(), title[cut.end() :].strip()


def _beside_site(title: str, names: SiteNames) -> str:
    """Return the part before the piece that is the site's name, else the part after it; "" if there is no such piece."""
    spans = _spans(title)
    for i in reversed(range(len(spans))) if len(spans) > 1 else ():
        if not names.holds(title[slice(*spans[i])].strip()):
            continue
        before = title[: spans[i - 1][1]].strip() if i else ""
        after = title[spans[i + 1][0] :].strip() if i + 1 < len(spans) else ""
        if not after and before:
            return before
        for part in (before, after):
            is_sure = not before and names.is_name(title[: spans[0][1]])
            if size(part) >= (_SHORTEST_AFTER_SITE if is_sure else _SHORTEST_TAIL) and fold(part) not in _GENERIC:
                return part
    return ""


_PREFIX = lazy(r"(?P<name>[^:|»]{2,50}?)\s*:\s+(?=\S)")
_DOMAIN = lazy(r"(?:www\.)?[\w-]{2,40}(?:\.[a-z]{2,3})?\.[a-z]{2,6}", re.I)
_SECTION_EDGE = lazy(r"\s*(?:[»›|>]|::)\s+")
_SHORTEST_TAIL: Final = 9
_SHORTEST_AFTER_SITE: Final = 5
_MAX_CUTS: Final = 40
_LEAST_RECURRENCES: Final = 3
_HEAD_CHARS: Final = 200_000
_TITLE_ELEMENT: Final = lazy(r"<title(?:\s[^<>]{0,200})?>([^<]{1,500})", re.IGNORECASE)


def _without_prefix(title: str, names: SiteNames) -> str:
    """Return a `title` element's text without a leading site name or domain with a colon."""
    match = _PREFIX.match(title)
    if not match or len(fold(title[match.end() :])) < _SHORTEST_TAIL:
        return title
    name = match["name"].strip()
    is_site = (len(fold(name)) > 3 and (names.is_name(name) or names.is_motto(name))) or _DOMAIN.fullmatch(name)
    return title[match.end() :].strip() if is_site else title


def _without_section(title: str, sections: Container[str]) -> str:
    """Cut off pieces at either end that are also link texts: "Stories » How a lighthouse works - Science"."""
    for _ in range(3):
        match = _SECTION_EDGE.search(title)
        head, tail = _around(title, match) if match else ("", "")
        if fold(head) in sections and is_kicker(head) and size(tail) >= _SHORTEST_TAIL:
            title = tail
            continue
        cuts = _cuts(title)
        head, tail = _around(title, cuts[-1]) if cuts else ("", "")
        if not (fold(tail) in sections and is_kicker(tail) and size(head) >= _SHORTEST_TAIL):
            break
        title = head
    return title


def _in_address(title: str, slug: frozenset[str]) -> str:
    """Cut off short pieces at either end that share no word with the URL, if the URL has most of another piece."""
    spans, parts = _spans(title), pieces(title)
    told = [i for i, piece in enumerate(parts) if in_slug(piece, slug) >= _LEAST_SLUG_WORDS]
    if not told:
        return title
    first, last = told[0], told[-1]
    kept = title[spans[first][0] : spans[last][1]].strip()
    outside = parts[:first] + parts[last + 1 :]
    longest = len(fold(kept))
    is_aside = all(is_kicker(p) and len(fold(p)) < longest and not slug.intersection(latin_words(p)) for p in outside)
    return kept if is_aside else title


def choose(
    candidates: Sequence[Candidate],
    *,
    names: SiteNames,
    sections: Container[str] = (),
    slug: frozenset[str] = frozenset(),
    headings: Container[str] = (),
) -> tuple[Candidate, Candidate] | None:
    """Return the title chosen among the candidates.

    Parameters
    ----------
    candidates : sequence of Candidate
        In order of trust; texts on one line.
    names : SiteNames
        The site's names.
    sections : container of str
        Folded texts of the page's links, which the title may begin or end with.
    slug : frozenset of str
        Words of the page's URL.
    headings : container of str
        Folded texts of the page's headings, except the `h1` among the candidates.

    Returns
    -------
    pair of Candidate or None
        The title to show, and its original form; None if there is none.
    """
    candidates = [c for c in candidates if c.text and len(c.text) <= MAX_TITLE_CHARS and fold(c.text)]
    candidates = [c for c in candidates if not (c.source == "h1" and names.is_motto(c.text))] or candidates
    good = [c for c in candidates if not names.is_name(c.text) and fold(c.text) not in _GENERIC]
    good = good if any(c.source != "text" for c in good) else candidates
    if not good:
        return None
    shown = []
    for c in good:
        text = strip_site(c.text, names=names, others=[other.text for other in good if other is not c])
        shown.append(_without_section(_without_prefix(text, names), sections) if c.source == "title" else text)
    if len(good) == 1:
        shown = [_in_address(shown[0], slug)]
    shown = [_up_to_heading(s, headings) for s in shown]
    if len({fold(s) for s in shown}) == 1:
        shown = [_without_tail(s) for s in shown]
    best = _elect(good, shown, slug, headings)
    for i in range(len(good)):
        if repairs(shown[best], shown[i]):
            best = i
    rivals = [s for c, s in zip(good, shown, strict=True) if c.source in ("json-ld", "og:title", "h1")]
    return Candidate(good[best].source, _without_kicker(shown[best], rivals)), good[best]


_GENERIC: Final = frozenset("blogarchiv blogarchive home homepage startseite archive untitled untitleddocument".split())
_LEAST_SLUG_WORDS: Final = 2
_LONG_SLUG_WORDS: Final = 4
_LONGEST_HEADLINE: Final = 200
_WEIGHTS: Final = {"json-ld": 2.0, "og:title": 2.0, "h1": 2.5, "title": 1.0, "headline": 1.0, "twitter:title": 0.5}
_LEAST_WEIGHT: Final = 0.3
_LABEL_LETTERS: Final = 14
_SHORTEST_HEADLINE: Final = 20
_LONGEST_KICKER_WORDS: Final = 5


def _without_tail(title: str) -> str:
    """Cut off what follows the last bar of a title that nothing else on the page confirms or shortens."""
    bars = [m for m in _cuts(title) if m.group() in (" | ", " » ")]
    head, tail = _around(title, bars[-1]) if bars else ("", "")
    return head if len(fold(head)) >= _LABEL_LETTERS and len(tail.split()) <= 6 else title


def _up_to_heading(title: str, headings: Container[str]) -> str:
    """Cut off sections that follow the headline if another heading shows it alone: "How a lighthouse works > News"."""
    match = _SECTION_EDGE.search(title)
    head = title[: match.start()].strip() if match else ""
    return head if len(head) > len(title) // 2 and fold(head) in headings else title


def _elect(good: Sequence[Candidate], shown: list[str], slug: frozenset[str], headings: Container[str]) -> int:
    """Return the index of the JSON-LD headline, unless the page shows another; else of the candidate most places agree on.

    `og:title` is the headline if it differs from the `h1` but another heading shows it: a teaser of the page itself. A
    heading of one or two words is a label ("News") if another place has more; one that shares no word with the only other
    candidate, the `title` element, is a greeting or the site's motto; one that shares none with other places that agree
    may be a column's name.
    """
    keys = [fold(s) for s in shown]
    of = {candidate.source: key for candidate, key in reversed(list(zip(good, keys, strict=True)))}
    at = keys.index(of["h1"]) if "h1" in of else 0
    told = of.get("og:title", "")
    if told != of.get("h1", told) and len(told) >= _LABEL_LETTERS and told in headings:
        return keys.index(told)
    if good[0].source == "json-ld":
        return at if at and _is_shown_instead(shown[at], shown[0], of, slug) else 0
    sources = [c.source for c in good]
    if sources == ["headline", "title"]:
        return 0 if not _share_a_word(shown[0], shown[1]) else 1
    if sources[:2] == ["h1", "title"] and not _share_a_word(shown[0], shown[1]):
        return 0 if in_slug(shown[0], slug) > max(1, in_slug(shown[1], slug)) else 1
    if at and of.get("og:title") == of.get("title") != of["h1"] and _is_rewording(shown[at], good[0].text, slug):
        return at
    longest = max(map(len, keys))
    votes: dict[str, float] = {}
    for i, (candidate, key) in enumerate(zip(good, keys, strict=True)):
        weight = _WEIGHTS.get(candidate.source, _LEAST_WEIGHT)
        agreed = any(keys.count(of[name]) > 1 for name in ("title", "og:title") if name in of)
        if candidate.source == "h1" and agreed and keys.count(key) == 1:
            others = (s for j, s in enumerate(shown) if j != i)
            weight = weight if any(_share_a_word(shown[i], other) for other in others) else _WEIGHTS["title"]
        is_label = candidate.source == "h1" and len(key) < _LABEL_LETTERS and 2 * len(key) < longest and len(good) > 2
        votes[key] = votes.get(key, 0.0) + (0.5 if is_label else weight)
    return max(range(len(good)), key=lambda i: (good[i].source != "text", votes[keys[i]]))


def _is_shown_instead(heading: str, headline: str, of: dict[str, str], slug: frozenset[str]) -> bool:
    """Return True if the `h1` and not JSON-LD has the headline.

    That is so if the URL has the heading's words rather than JSON-LD's; if JSON-LD only repeats the `title` element, which
    is written for search engines, and `og:title` agrees with the heading or the URL with both; and if JSON-LD's headline
    is a summary.

    Parameters
    ----------
    heading, headline : str
        From the `h1` and from JSON-LD.
    of : dict of str to str
        The folded title in each place.
    slug : frozenset of str
        Words of the page's URL.
    """
    shown, told = _n_in_slug(heading, slug), _n_in_slug(headline, slug)
    if len(heading) > _LONGEST_HEADLINE:
        return False
    if len(slug) >= _LONG_SLUG_WORDS and 5 * shown >= 4 * len(slug) and shown >= told + 2:
        return True
    if 1 < len(words := {w for w in latin_words(heading) if len(w) > 2}) == len(slug & words) > told:
        return True
    if of["h1"] != of.get("og:title"):
        return of.get("title") == of["json-ld"] and shown == told > 0 and _is_rewording(heading, headline, slug)
    return of.get("title") == of["json-ld"] or len(headline) > _LONGEST_HEADLINE or (len(slug) > 1 and not told)


def _is_rewording(heading: str, title: str, slug: frozenset[str]) -> bool:
    """Return True if a heading is a rewording of a title, rather than the title with more words around it.

    If the URL has more words of one of them, that decides; otherwise half of the shorter one's letter trigrams have to be in
    the other.
    """
    own, other = fold(heading), fold(title)
    if own.startswith(other) or own.endswith(other):
        return False
    shown, told = _n_in_slug(heading, slug), _n_in_slug(title, slug)
    if shown != told:
        return shown > told
    runs, others = ({t[i : i + 3] for i in range(len(t) - 2)} for t in (own, other))
    return 2 * len(runs & others) >= min(len(runs), len(others)) > 0


def _n_in_slug(text: str, slug: frozenset[str]) -> int:
    """Return the number of the URL's words that are in a text."""
    return len(slug.intersection(latin_words(text) + latin_words(text, umlauts=True)))


def _share_a_word(a: str, b: str) -> bool:
    """Return True if two titles share a word of four letters, or three letters in scripts without spaces."""
    words = [w for w in re.findall(r"\w{3,}", a.casefold()) if len(w) >= 4 or not w.isascii()]
    return not words or any(w[:6] in b.casefold() for w in words)


def _without_kicker(title: str, others: Sequence[str]) -> str:
    """Cut off a short kicker that another place omits or replaces."""
    own = fold(title)
    pieces: set[str] = set()
    for other in others:
        if not fold(other).endswith(own):
            pieces.add(fold(other))
            pieces.update(fold(other[m.end() :]) for m in _KICKER.finditer(other) if is_kicker(other[: m.start()]))
    for match in _KICKER.finditer(title):
        tail = title[match.end() :].strip()
        if len(fold(tail)) > _SHORTEST_HEADLINE and fold(tail) in pieces and is_kicker(title[: match.start()]):
            return tail
    return title


def is_kicker(text: str) -> bool:
    """Return True if a text is short enough for the words above a headline."""
    return len(text.split()) <= _LONGEST_KICKER_WORDS and len(text) <= 50


def repairs(cut: str, full: str) -> bool:
    """Return True if `full` is the title of which `cut` is a truncated form, cut at an ellipsis or within a word."""
    if match := _ELLIPSIS.search(cut):
        stem = fold(cut[: match.start()])
        is_whole = not _ELLIPSIS.search(full) and match[0].strip() not in full
        return len(stem) > 12 and fold(full).startswith(stem) and is_whole
    rest = full[len(cut) :]
    in_word = cut[-1:].isalpha() and rest[:1].islower()
    return len(cut) > _SHORTEST_CUT and full.startswith(cut) and (in_word or (len(cut) in _CUT_CHARS and rest != ""))
