"""Groups of columns: each is a function that returns its columns of a page's blocks by name.

`webmain.extractors.page_model` lists the groups; a new one is a function, here or in a file of its own, and a line there.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import compress
from math import log, log1p
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.page_blocks import SPECIAL, Counts
from webmain.features.vocabulary import vocabulary
from webmain.html.columns import Flag
from webmain.metadata.declared import MIN_DESCRIPTION_CHARS, head_claims, own_data, own_types
from webmain.text.characters import is_disguised
from webmain.text.normal import as_seen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.page_blocks import NamedColumns, PageBlocks

_FAR: Final = 60.0
AT_MOST: Final = {
    "ends": 20, "commas": 20, "word_length": 30, "n_leaves": 30, "inner": 60, "repeats": 5, "depth": 40, "child": 50,
    "index": 500,
}  # fmt: skip
"""Upper bounds: larger values of these columns are clipped."""

_WIDTHS: Final = (4, 12, 40)
_NEXT: Final = ("log_chars", "link", "kind", "terminal")
_NEXT_TO: Final = {
    offset: tuple(f"{name}{offset:+d}" for name in _NEXT[: 4 if abs(offset) < 3 else 2])
    for offset in (-2, -1, 1, 2, -3, 3)
}
_WINDOWS: Final = tuple(
    side
    for width in _WIDTHS
    for side in ((_WIDTHS[-1] - width, _WIDTHS[-1]), (_WIDTHS[-1] + 1, _WIDTHS[-1] + 1 + width))
)
_WINDOW_NAMES: Final = tuple(
    f"{side}{width}_{what}" for width in _WIDTHS for side in ("before", "after") for what in ("chars", "link", "ends")
)
_SUMMED: Final = [Counts._fields.index(name) for name in ("chars", "linked", "ends")]
_FLAGS: Final = np.array([[Flag.IN_NOSCRIPT], [Flag.IN_FORM], [Flag.IN_CONTROL], [Flag.IN_ANCHOR]], dtype=np.int32)
_LEVELS: Final = 5
_NOT_REPEATED: Final = frozenset("p h1 h2 h3 h4 h5 h6 br span a b i em strong td th dd dt html body".split())
_ROWS: Final = frozenset(("li", "tr"))
_MIN_REPEATED_CHARS: Final = 30


def own_text(page: PageBlocks) -> NamedColumns:
    """Return columns computed from each block's own text and element."""
    shares, ends = page.shares, page.table[4:6]
    words = page.counts.spaces + page.counts.unspaced / 3 + 1
    seen = Counter(page.keys)
    in_page = page.around.take(page.element)
    first = map(itemgetter(slice(1)), page.texts)
    return {
        "log_chars": page.log_chars,
        "link": page.link,
        "log_words": np.log1p(words),
        "marks": shares.marks,
        ("ends", "commas"): ends,
        ("ends_per_word", "commas_per_word"): ends / words,
        "digits": shares.digits,
        "upper": shares.capitals,
        "word_length": page.chars / words,
        "unspaced": shares.unspaced,
        "letters": shares.letters,
        "shown": shares.shown,
        "kind": page.kind,
        "terminal": page.terminal,
        "starts_lower": np.array(list(map(str.islower, first))),
        ("noscript", "form", "control", "anchor_first"): (page.bits & _FLAGS) != 0,
        "n_leaves": np.array([*page.first[1:].tolist(), len(page.leaves.texts)]) - page.first,
        "inner": page.document.elements.ends.take(in_page) - in_page,
        "repeats": np.array(list(map(seen.__getitem__, page.keys))),
    }


def headings(page: PageBlocks) -> NamedColumns:
    """Return the level of the preceding heading, and the distances to it and to the first `h1`."""
    order, kind, last = page.order, page.kind, page.last_heading
    headed = last >= 0
    h1 = (kind == 7).nonzero()[0]
    return {
        "since_heading": np.where(headed, np.minimum(order - last, _FAR), _FAR + 1),
        "heading_level": np.where(headed, kind.take(last, mode="wrap"), 0),
        "from_h1": np.minimum(np.maximum(order - h1[0], -100), 200) if len(h1) else -101,
    }


def names_around(page: PageBlocks) -> NamedColumns:
    """Return which groups of words occur in the ancestors' class names and ids, and which special tags the ancestors have."""
    seen, groups = page.surroundings, tuple(vocabulary().names)
    return {
        _prefixed("any_", groups): _bits(seen.any_names, len(groups)),
        _prefixed("near_", groups): _bits(seen.near_names, len(groups)),
        _prefixed("in_", SPECIAL): _bits(seen.tags, len(SPECIAL)),
        "depth": page.depth,
    }


def ancestors(page: PageBlocks) -> NamedColumns:
    """Return text statistics of the nearest ancestors."""
    of = page.of_elements
    chars, blocks = np.maximum(of.chars, 1), np.maximum(of.blocks, 1)
    ratios = {
        "share": of.chars / max(of.chars[0], 1),
        "link": of.linked / chars,
        "blocks": np.log1p(of.blocks),
        "mean": np.log1p(of.chars / blocks),
        "prose": of.prose / max(of.prose[0], 1),
        "prose_share": of.prose / chars,
        "ends": of.ends / chars * 100,
        "links": of.linked_blocks / blocks,
    }
    table = np.array(list(ratios.values()), dtype=np.float32)
    found: NamedColumns = {}
    at = page.element
    for level in range(1, _LEVELS + 1):
        at = page.parents.take(at)
        wanted = 2 if level == 4 else len(ratios)
        found[_prefixed(f"up{level}_", tuple(ratios)[:wanted])] = table[:wanted].take(at, axis=1)
    return found


def repeated_siblings(page: PageBlocks) -> NamedColumns:
    """Return the number of siblings like the most repeated ancestor (same tag and classes), and the distance to it.

    Comments, teasers and forum posts are repeated siblings that contain text. List items and table rows count only if they
    contain more than one element.
    """
    parents, depths = page.parents.tolist(), page.depths.tolist()
    keys = (page.parents * len(parents) + page.labels).tolist()
    has_text = (page.of_elements.chars >= _MIN_REPEATED_CHARS).tolist()
    inner = (page.document.elements.ends.take(page.around) - page.around).tolist()
    is_repeated = [
        long and (tag := called.tag) not in _NOT_REPEATED and (tag not in _ROWS or size > 2)
        for long, called, size in zip(has_text, page.names, inner, strict=True)
    ]
    counts = Counter(compress(keys, is_repeated))
    found, where = [1], [-1]  # for the parent of the root
    for parent, key, depth, one in zip([-1, *parents[1:]], keys, depths, is_repeated, strict=True):
        here = one and counts[key] > found[parent + 1]
        found.append(counts[key] if here else found[parent + 1])
        where.append(depth if here else where[parent + 1])
    count, place = np.array(found).take(page.element + 1), np.array(where).take(page.element + 1)
    return {
        "twins": np.log1p(np.where(count > 1, count, 0)),
        "below_twins": np.where(count > 1, page.depth - place, 0),
        "child": page.around.take(page.element) - page.around.take(page.parent),
    }


def neighbours(page: PageBlocks) -> NamedColumns:
    """Return features of the adjacent blocks, and sums over windows of blocks before and after."""
    n, margin = page.n, max(_WIDTHS)
    near = np.full((len(_NEXT), n + 6), -1.0)  # before the first block and after the last one
    near[:, 3:-3] = page.log_chars, page.link, page.kind, page.terminal
    found: NamedColumns = {names: near[: len(names), 3 + offset : 3 + offset + n] for offset, names in _NEXT_TO.items()}
    totals = np.zeros((3, n + 1 + 2 * margin))  # padded: nothing before the first block or after the last
    page.table.take(_SUMMED, axis=0).cumsum(axis=1, out=totals[:, margin + 1 : margin + 1 + n])
    totals[:, margin + 1 + n :] = totals[:, margin + n, None]
    sums = np.array([totals[:, high : high + n] - totals[:, low : low + n] for low, high in _WINDOWS])
    sums[:, 1:] /= np.maximum(sums[:, :1], 1)
    sums[:, 2] *= 100
    np.log1p(sums[:, 0], out=sums[:, 0])
    found[_WINDOW_NAMES] = sums.reshape(-1, n)
    return found


def position(page: PageBlocks) -> NamedColumns:
    """Return the position of each block on the page."""
    chars = page.counts.chars
    same = np.zeros(page.n + 1)
    same[1:-1] = page.parent[1:] == page.parent[:-1]
    return {
        "position": (chars.cumsum() - chars) / max(page.all_chars, 1),
        "index": page.order,
        "index_share": page.order / page.n,
        "same_before": same[:-1],
        "same_after": same[1:],
    }


def signatures(page: PageBlocks) -> NamedColumns:
    """Return sums over all blocks whose element and parent element have the same tags and classes."""
    known: dict[int, int] = {}
    pairs = (page.labels.take(page.element) * len(page.labels) + page.labels.take(page.parent)).tolist()
    number = np.array([known.setdefault(pair, len(known)) for pair in pairs])
    count = np.bincount(number)
    counts, in_best = page.counts, page.held_by(page.best.element)
    chars, linked, ends, inside = (
        np.bincount(number, weights=column) for column in (counts.chars, counts.linked, counts.ends, in_best)
    )
    found = np.maximum(chars, 1)
    of_signature = {
        "make_count": np.log1p(count),
        "make_share": chars / max(page.all_chars, 1),
        "make_mean": np.log1p(chars / count),
        "make_link": linked / found,
        "make_ends": ends / found * 100,
        "make_in_best": inside / count,
    }
    return {tuple(of_signature): np.array(list(of_signature.values())).take(number, axis=1)}


def whole_page(page: PageBlocks) -> NamedColumns:
    """Return the columns that have one value for the whole page."""
    kind, chars = page.kind, page.counts.chars
    total, prose = max(page.all_chars, 1), page.all_prose
    kinds = Counter(kind.tolist())
    return {
        "page_chars": log1p(total),
        "page_blocks": log1p(page.n),
        "page_link": page.all_linked / total,
        "page_p": log1p(np.count_nonzero((kind == 11) & (chars > 80))),
        "page_li": log1p(kinds[4]),
        "page_h2": log1p(kinds[6]),
        "page_td": log1p(kinds[3]),
        "page_prose": prose / total,
        "page_unspaced": page.all_unspaced / total,
        "page_longest": log1p(np.maximum.reduce(chars)),
        "page_log_prose": log1p(prose),
    }


@cache
def _prefixed(prefix: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{prefix}{name}" for name in names)


def _bits(values: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
    """Return the lowest bits of numbers, a row for each bit."""
    rows: NDArray[np.bool_] = (values & _place_values(n)) != 0
    return rows


@cache
def _place_values(n: int) -> NDArray[np.int64]:
    return (1 << np.arange(n))[:, None]


_LOG_MIN_CHARS: Final = log(MIN_DESCRIPTION_CHARS)
_PROBE: Final = 50
_MAX_SOUGHT_CHARS: Final = 1 << 26
"""Limit on characters of a title, of descriptions or of embedded data searched, summed over all blocks of a page."""

_BODY_KEYS: Final = ('"articleBody"', '"text"', '"description"', '"reviewBody"')
_BODY = re.compile(r'"[A-Za-z]+"\s*:\s*"([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)")
_KINDS: Final = {
    "says_article": frozenset(
        "Article NewsArticle BlogPosting ReportageNewsArticle TechArticle OpinionNewsArticle".split()
    ),
    "says_product": frozenset("Product ProductGroup Offer AggregateOffer Vehicle".split()),
    "says_forum": frozenset("DiscussionForumPosting QAPage Question Comment".split()),
    "says_list": frozenset("CollectionPage ItemList SearchResultsPage OfferCatalog".split()),
}


def head_and_data(page: PageBlocks) -> NamedColumns:
    """Return which blocks repeat text of the head or the embedded data, and the kind of page that these declare."""
    document, n, keys = page.document, page.n, page.keys
    title = page.title
    described, kind = head_claims(document)
    bodies = _bodies(own_data(document))
    has_description, in_data = np.zeros((2, n), dtype=np.bool_)
    long = (page.log_chars > _LOG_MIN_CHARS).nonzero()[0].tolist() if described or bodies else []
    probes = [keys[i][:_PROBE] for i in long]
    if described:
        starts = [text[:_PROBE] for text in described]
        has_description[long] = [
            found or any(start in keys[i] for start in starts)
            for i, found in zip(long, are_in("\0".join(described), probes), strict=True)
        ]
    if bodies:
        in_data[long] = are_in(bodies, probes)
    types = own_types(document)
    tags = document.elements.tags
    path = (document.url or "").split("?")[0].rstrip("/")
    of_page: NamedColumns = {
        **{f"page_{name}": float(bool(types & of) or name == f"says_{kind}") for name, of in _KINDS.items()},
        "page_articles": min(tags.count("article"), 20),
        "page_main": float("main" in tags),
        "page_data_body": np.log1p(len(bodies)),
        "page_path_depth": min(max(path.count("/") - 2, 0), 8) if path.startswith("http") else -1.0,
    }
    return {
        "in_title": np.array([found and len(key) > 3 for key, found in zip(keys, are_in(title, keys), strict=True)]),
        "has_description": has_description,
        "in_data": in_data,
        "heads_title": np.array([start in key for key in keys]) if (start := title[:24]) else 0,
        **of_page,
    }


def are_in(text: str, parts: list[str]) -> list[bool]:
    """Return which strings are in a text; those beyond `_MAX_SOUGHT_CHARS` are not searched."""
    sought = parts[: _MAX_SOUGHT_CHARS // (len(text) or 1)]
    return [part in text for part in sought] + [False] * (len(parts) - len(sought))


def _bodies(data: str) -> str:
    """Return the long strings of embedded data, case folded, white space folded."""
    if not data:
        return ""
    places = []
    for key in _BODY_KEYS:
        at = data.find(key)
        while at >= 0:
            places.append(at)
            at = data.find(key, at + 1)
    bodies, end = [], 0
    for at in sorted(places):
        if at >= end and (match := _BODY.match(data, at)):
            bodies.append(match[1])
            end = match.end()
    bodies = [body for body in bodies if len(body) > 200]
    if not bodies:
        return ""
    text = _ESCAPE.sub(_unescaped, "\n".join(bodies))
    return " ".join((as_seen(text) if is_disguised([text]) else text).casefold().split())


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return {"n": " ", "t": " ", "r": " "}.get(match[2], match[2])
