"""Groups of columns: each is a function that returns its columns of a page's blocks by name.

`webmain.extractors.page_model` lists the groups; a new one is a function, here or in a file of its own, and a line there.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.page_blocks import SPECIAL
from webmain.features.vocabulary import vocabulary
from webmain.html.columns import Flag
from webmain.metadata.declared import own_data, own_types
from webmain.metadata.head import head_metas
from webmain.text.normal import as_seen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.page_blocks import Named, PageBlocks
    from webmain.html.document import Document

_FAR: Final = 60.0
_WIDTHS: Final = (4, 12, 40)
_LEVELS: Final = 5
_NOT_REPEATED: Final = frozenset("p h1 h2 h3 h4 h5 h6 br span a b i em strong td th dd dt html body".split())
_ROWS: Final = frozenset(("li", "tr"))
_MIN_REPEATED_CHARS: Final = 30


def own(page: PageBlocks) -> Named:
    """Return what a block's text and element are by themselves."""
    counts, chars, bits = page.counts, page.chars, page.bits
    words = counts.spaces + counts.unspaced / 3 + 1
    seen = Counter(page.keys)
    return {
        "log_chars": page.log_chars,
        "link": page.link,
        "log_words": np.log1p(words),
        "marks": counts.marks / chars,
        "ends": np.minimum(counts.ends, 20),
        "commas": np.minimum(counts.commas, 20),
        "ends_per_word": counts.ends / words,
        "commas_per_word": counts.commas / words,
        "digits": counts.digits / chars,
        "upper": counts.capitals / chars,
        "word_length": np.minimum(chars / words, 30),
        "unspaced": counts.unspaced / chars,
        "letters": counts.letters / chars,
        "shown": counts.shown / chars,
        "kind": page.kind,
        "terminal": page.terminal,
        "starts_lower": np.array([text[:1].islower() for text in page.texts]),
        "noscript": (bits & int(Flag.IN_NOSCRIPT)) != 0,
        "form": (bits & int(Flag.IN_FORM)) != 0,
        "control": (bits & int(Flag.IN_CONTROL)) != 0,
        "anchor_first": (bits & int(Flag.IN_ANCHOR)) != 0,
        "n_leaves": np.minimum(np.diff(page.first, append=len(page.leaves.texts)), 30),
        "inner": np.minimum(page.elements.ends[page.element] - page.element, 60),
        "repeats": np.minimum(np.array([seen[key] for key in page.keys]), 5),
    }


def headings(page: PageBlocks) -> Named:
    """Return the level of the heading before, and the distances to it and to the first of the highest level."""
    order, kind = page.order, page.kind
    heading = np.maximum.accumulate(np.where((kind >= 5) & (kind <= 7), order, -1))
    headed = heading >= 0
    h1 = np.flatnonzero(kind == 7)
    return {
        "since_heading": np.where(headed, np.minimum(order - heading, _FAR), _FAR + 1),
        "heading_level": np.where(headed, kind[heading], 0),
        "from_h1": np.minimum(np.maximum(order - h1[0], -100), 200) if len(h1) else -101,
    }


def names_around(page: PageBlocks) -> Named:
    """Return the words in the names of ancestors, and their tags."""
    seen, groups = page.surroundings, tuple(vocabulary().names)
    return {
        _named("any_", groups): _bits(seen.any_names, len(groups)),
        _named("near_", groups): _bits(seen.near_names, len(groups)),
        _named("in_", SPECIAL): _bits(seen.tags, len(SPECIAL)),
        "depth": np.minimum(page.depths[page.element], 40),
    }


def ancestors(page: PageBlocks) -> Named:
    """Return what the next ancestors contain."""
    of = page.of_elements
    chars, blocks = np.maximum(of.chars, 1), np.maximum(of.blocks, 1)
    ratios = {
        "share": of.chars / max(of.chars.max(), 1),
        "link": of.linked / chars,
        "blocks": np.log1p(of.blocks),
        "mean": np.log1p(of.chars / blocks),
        "prose": of.prose / max(of.prose.max(), 1),
        "prose_share": of.prose / chars,
        "ends": of.ends / chars * 100,
        "links": of.linked_blocks / blocks,
    }
    table = np.stack(list(ratios.values()), dtype=np.float32, casting="same_kind")
    found: Named = {}
    at = page.element
    for level in range(1, _LEVELS + 1):
        at = page.parents[at]
        wanted = 2 if level == 4 else len(ratios)
        found[_named(f"up{level}_", tuple(ratios)[:wanted])] = table[:wanted].take(at, axis=1)
    return found


def repeated_siblings(page: PageBlocks) -> Named:
    """Return how often the most repeated ancestor is beside others with the same tag and classes, and its distance.

    Comments, teasers and posts of a thread are such elements, with text in each. List items and table rows count where they
    contain elements.
    """
    elements, around = page.elements, np.array(page.surroundings.elements)
    end, parent, names = elements.end, elements.parent, elements.names
    keys: dict[int, tuple[int, str]] = {}
    for i in around[page.of_elements.chars[around] >= _MIN_REPEATED_CHARS].tolist():
        tag = names[i].tag
        if tag not in _NOT_REPEATED and (tag not in _ROWS or end[i] - i > 2):
            keys[i] = parent[i], names[i].label
    counts = Counter(keys.values())
    depths = page.depths
    found, where = np.zeros(len(elements)), depths.copy()
    for i, key in keys.items():  # those around come first
        if (count := counts[key]) > max(found[i], 1):
            found[i : end[i]], where[i : end[i]] = count, depths[i]
    return {
        "twins": np.log1p(found[page.element]),
        "below_twins": depths[page.element] - where[page.element],
        "child": np.minimum(np.maximum(page.element - page.parent, 0), 50),
    }


def best_container(page: PageBlocks) -> Named:
    """Return where a block is relative to the element with the most prose directly below it."""
    best, inside, score = page.best.element, page.best.inside, page.best.score
    elements, depths, order = page.elements, page.depths, page.order
    common = np.zeros(len(elements))
    for step in reversed(elements.ancestors(best)):  # the deepest common ancestor of each element and the best one
        common[step : elements.end[step]] = depths[step]
    common = common[page.element]
    places = np.flatnonzero(inside)
    first, last = (places[0], places[-1]) if len(places) else (0, page.n - 1)
    top = max(score[best], 1)
    return {
        "up_to_best": depths[best] - common,
        "down_from_best": np.minimum(depths[page.element] - common, 30),
        "in_best": inside,
        "best_score1": score[page.parent] / top,
        "best_score2": score[page.parents[page.parent]] / top,
        "best_share": page.of_elements.prose[best] / max(page.prose.sum(), 1),
        "from_best": np.minimum(np.maximum(order - first, -50), 200),
        "to_best_end": np.minimum(np.maximum(last - order, -50), 200),
    }


def neighbours(page: PageBlocks) -> Named:
    """Return what the blocks before and after are, and sums over more of them."""
    n, counts, margin = page.n, page.counts, max(_WIDTHS)
    names = ("log_chars", "link", "kind", "terminal")
    found: Named = {}
    near = np.full((len(names), n + 6), -1.0)  # beyond the first block and the last one
    near[:, 3:-3] = page.log_chars, page.link, page.kind, page.terminal
    for offset in (-2, -1, 1, 2, -3, 3):
        for name, values in zip(names if abs(offset) < 3 else names[:2], near[:, 3 + offset :], strict=False):
            found[f"{name}{offset:+d}"] = values[:n]
    totals = np.zeros((3, n + 1 + 2 * margin))  # before the first block and after the last one nothing is added
    np.cumsum((counts.chars, counts.linked, counts.ends), axis=1, out=totals[:, margin + 1 : margin + 1 + n])
    totals[:, margin + 1 + n :] = totals[:, margin + n, None]
    for width in _WIDTHS:
        for side, low, high in (("before", margin - width, margin), ("after", margin + 1, margin + 1 + width)):
            chars, linked, ends = totals[:, high : high + n] - totals[:, low : low + n]
            some = np.maximum(chars, 1)
            found[f"{side}{width}_chars"] = np.log1p(chars)
            found[f"{side}{width}_link"] = linked / some
            found[f"{side}{width}_ends"] = ends / some * 100
    return found


def position(page: PageBlocks) -> Named:
    """Return where on the page a block is."""
    chars = page.counts.chars
    same = np.zeros(page.n + 1)
    same[1:-1] = page.parent[1:] == page.parent[:-1]
    return {
        "position": (np.cumsum(chars) - chars) / max(chars.sum(), 1),
        "index": np.minimum(page.order, 500),
        "index_share": page.order / page.n,
        "same_before": same[:-1],
        "same_after": same[1:],
    }


def signatures(page: PageBlocks) -> Named:
    """Return sums over the blocks with the same tag and classes, and the same of the parent."""
    names, parent = page.elements.names, page.elements.parent
    known: dict[tuple[str, str], int] = {}
    pairs = [(names[e].label, names[max(parent[e], 0)].label) for e in page.element_list]
    number = np.array([known.setdefault(pair, len(known)) for pair in pairs])
    count = np.bincount(number)
    counts = page.counts
    chars, linked, ends, inside = (
        np.bincount(number, weights=column) for column in (counts.chars, counts.linked, counts.ends, page.best.inside)
    )
    found = np.maximum(chars, 1)
    of_signature = {
        "make_count": np.log1p(count),
        "make_share": chars / max(chars.sum(), 1),
        "make_mean": np.log1p(chars / count),
        "make_link": linked / found,
        "make_ends": ends / found * 100,
        "make_in_best": inside / count,
    }
    return {name: values.take(number) for name, values in of_signature.items()}


def whole_page(page: PageBlocks) -> Named:
    """Return quantities that are the same for all blocks of a page."""
    counts, kind = page.counts, page.kind
    chars = counts.chars
    total, prose = max(chars.sum(), 1), page.prose.sum()
    return {
        "page_chars": np.log1p(total),
        "page_blocks": np.log1p(page.n),
        "page_link": counts.linked.sum() / total,
        "page_p": np.log1p(((kind == 11) & (chars > 80)).sum()),
        "page_li": np.log1p((kind == 4).sum()),
        "page_h2": np.log1p((kind == 6).sum()),
        "page_td": np.log1p((kind == 3).sum()),
        "page_prose": prose / total,
        "page_unspaced": counts.unspaced.sum() / total,
        "page_longest": np.log1p(chars.max()),
        "page_log_prose": np.log1p(prose),
    }


@cache
def _named(prefix: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{prefix}{name}" for name in names)


def _bits(values: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
    """Return the lowest bits of numbers, a row for each bit."""
    rows: NDArray[np.bool_] = (values & (1 << np.arange(n))[:, None]) != 0
    return rows


_MIN_CHARS: Final = 25
_PROBE: Final = 50
_MAX_HEAD_ELEMENTS: Final = 600
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


def head_and_data(page: PageBlocks) -> Named:
    """Return which blocks repeat what the head or the data contain, and what kind of page these declare."""
    document, n, keys = page.document, page.n, page.keys
    title = " ".join(as_seen(document.title).casefold().split())
    described, kind = _head(document)
    bodies = _bodies(own_data(document))
    has_description, in_data = np.zeros(n), np.zeros(n)
    starts, descriptions = [text[:_PROBE] for text in described], "\0".join(described)
    words = set(bodies.split())  # the first and the last word of a probe may be pieces of words
    long = np.flatnonzero(page.log_chars > np.log(_MIN_CHARS)).tolist()
    for i in long if described or bodies else ():
        probe = keys[i][:_PROBE]
        has_description[i] = probe in descriptions or (bool(starts) and any(start in keys[i] for start in starts))
        if bodies and words.issuperset(probe.split()[1:-1]):
            in_data[i] = probe in bodies
    types = own_types(document)
    tags = page.elements.tags
    path = (document.url or "").split("?")[0].rstrip("/")
    of_page: Named = {
        **{f"page_{name}": float(bool(types & of) or kind == name) for name, of in _KINDS.items()},
        "page_articles": min(tags.count("article"), 20),
        "page_main": float("main" in tags),
        "page_data_body": np.log1p(len(bodies)),
        "page_path_depth": min(max(path.count("/") - 2, 0), 8) if path.startswith("http") else -1.0,
    }
    return {
        "in_title": np.array([len(key) > 3 and key in title for key in keys]),
        "has_description": has_description,
        "in_data": in_data,
        "heads_title": np.array([start in key for key in keys]) if (start := title[:24]) else 0,
        **of_page,
    }


def _head(document: Document) -> tuple[list[str], str]:
    """Return the descriptions in the page's head, case folded, and the kind of page it says it is."""
    described: list[str] = []
    kind = ""
    for _, name, content in head_metas(document, limit=_MAX_HEAD_ELEMENTS):
        if name in ("description", "og:description", "twitter:description"):
            text = " ".join(as_seen(content).casefold().split())
            if len(text) >= _MIN_CHARS and text not in described:
                described.append(text)
        elif name == "og:type":
            value = content.lower()
            kind = "says_article" if "article" in value else "says_product" if "product" in value else ""
    return described[:6], kind


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
    text = as_seen(_ESCAPE.sub(_unescaped, "\n".join(bodies)))
    return " ".join(text.casefold().split())


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return {"n": " ", "t": " ", "r": " "}.get(match[2], match[2])
