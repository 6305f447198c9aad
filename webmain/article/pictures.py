"""Find the pictures on a page that belong to its article."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property, lru_cache
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from webmain.article.regions import MAX_CAPTION_CHARS, not_removed, reach, region, removed_elements
from webmain.html.columns import HIDDEN
from webmain.html.kinds import is_caption
from webmain.html.names import MAX_CLASS_CHARS
from webmain.items import Image
from webmain.regex import lazy
from webmain.text.normal import fold_space, strip_controls
from webmain.urls import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.document import Document

MAX_IMAGES = 200
MIN_SIDE = 64
"""Minimum declared width and height of a picture in pixels; smaller ones are icons, portraits or tracking pixels."""

MAX_ALT_CHARS = 1000
MAX_CAPTION_LEAVES = 1000
"""Maximum leaves read of one caption."""

_CAPTIONED_WITHIN = 3
"""Maximum levels from a picture outside a `figure` up to the common ancestor with its caption."""

_FIGURE_WITHIN = 8
"""Maximum levels from a picture up to its `figure`, and from a caption up to an ancestor with a picture."""

_IMAGES = frozenset(("img", "amp-img"))
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src", "data-img-src", "data-full-src")
_SOURCE_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_NOT_SHOWN = lazy(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_ASIDE = frozenset(("nav", "aside", "footer", "form", "button", "select"))
_WIDE = frozenset(("article", "main"))
_JUNK_CLASS = lazy(
    r"(?:^|[\s_-])(?:avatar|gravatar|logo|icons?|emoji|smiley|author|byline|bio|social|share|sharing|related|recommend\w*|"
    r"promos?|teasers?|sidebar|newsletter|advert\w*|ads?|sponsor\w*|banner|comments?|tracking|spacer|badge|outbrain|taboola)"
    r"(?=$|[\s_-])"
)
_JUNK_NAME = lazy(
    r"(?:^|[/_.-])(?:avatars?|gravatar|logos?|icons?|emojis?|smilies|sprites?|spacer|blank|placeholder|transparent|pixel|1x1|"
    r"loading|loader|spinner|lazy|beacon|badge|button|close|favicon|social|sociable|themes|plugins)(?=[/_.-]|$)"
)
_JUNK_HOST = lazy(
    r"(?:^|\.)(?:doubleclick\.net|scorecardresearch\.com|google-analytics\.com|quantserve\.com|feedburner\.com|"
    r"gravatar\.com|facebook\.com|amazon-adsystem\.com|chartbeat\.net|ioam\.de|s\.w\.org)$"
)
_IMAGE_FILE = lazy(r"\.(?:jpe?g|png|gif|webp|avif)$", re.IGNORECASE)
_CANDIDATE = lazy(r"([^\s,]\S*)(?:\s+([0-9]{1,5}(?:\.[0-9]{1,3})?)[wx])?[^,]{0,20}(?:,|$)")
_WIDTH = lazy(r"(?:^|&)(?:w|width)=([0-9]{1,3})(?=&|$)")
_NUMBER = lazy(r"\s*([0-9]{1,5})(?:\.[0-9]*+)?\s*+(?:px\s*+)?")


def article_images(document: Document, kept: NDArray[np.bool_], blocks: Sequence[Sequence[int]]) -> tuple[Image, ...]:
    """Return the pictures within and next to the kept text, each once.

    Parameters
    ----------
    document : Document
    kept : (n_leaves,) bool
    blocks : sequence of sequence of int
        The leaves of each of the article's blocks.

    Notes
    -----
    Left out: icons and tracking pixels (by declared size, file name, host, class), pictures in navigation, asides, related
    stories, author profiles and comments, pictures inside a link whose own text was not kept, and pictures without a URL
    that a browser could fetch. Lazily loaded ones are read from `data-src` and similar attributes, `srcset`, the sources
    of their `picture`, and `noscript`.
    """
    if not kept.any():
        return ()
    album = _Album(document, kept)
    images: list[Image] = []
    seen: set[str] = set()
    lazy = -1  # parent of the picture found last, to skip the copy in its `noscript`
    elements = document.elements
    for element in range(album.root, elements.end[album.root]):
        if elements.tags[element] not in _IMAGES or not album.belongs(element):
            continue
        url = album.address(element)
        if url is None or url in seen:
            continue
        noscript = album.above(element, "noscript", levels=3)
        if noscript >= 0 and elements.parent[noscript] == lazy:
            continue
        seen.add(url)
        alt = strip_controls(fold_space(elements.attributes[element].get("alt") or ""))[:MAX_ALT_CHARS]
        after = bisect_left(blocks, elements.first_leaf[element], key=itemgetter(0)) - 1
        images.append(Image(url=url, alt=alt, caption=album.caption(element), after=after))
        lazy = elements.parent[element]
        if len(images) == MAX_IMAGES:
            break
    return tuple(images)


class _Around(NamedTuple):
    """Whether an ancestor excludes an element from the article; its outermost link and `figure`, -1 for none."""

    is_apart: bool = False
    anchor: int = -1
    figure: int = -1


class _Album:
    """Decides which of a page's pictures belong to the kept text."""

    def __init__(self, document: Document, kept: NDArray[np.bool_]) -> None:
        self._document = document
        self._elements = document.elements
        self._leaves = document.leaves
        self._kept = kept
        self._near = reach(document.leaves, kept)
        self._before = np.concatenate(([0], np.cumsum(np.where(kept, document.leaves.n_chars, 0))))
        chosen = np.flatnonzero(kept)
        self._first, self._last = int(chosen[0]), int(chosen[-1])
        self._known: dict[int, _Around] = {}
        self._removed = removed_elements(document)
        self.root = self._wide(region(document.elements, document.leaves, kept)[0])

    def _wide(self, element: int) -> int:
        """Return the ancestor that also contains the lead picture: the `article` or `main`, or else two levels up."""
        elements = self._elements
        above = [e for e in elements.ancestors(element) if elements.tags[e] not in ("html", "body")]
        for each in above[:6]:
            if elements.tags[each] in _WIDE or elements.attributes[each].get("role") == "main":
                return each
        return above[min(2, len(above) - 1)] if above else element

    def above(self, element: int, tag: str, *, levels: int) -> int:
        """Return the nearest ancestor with a tag within some levels; -1 for none."""
        for _ in range(levels):
            element = self._elements.parent[element]
            if element < 0 or self._elements.tags[element] == tag:
                return element
        return -1

    def belongs(self, element: int) -> bool:
        """Return True if a picture belongs to the article."""
        elements = self._elements
        place = elements.first_leaf[element]
        if not self._near[place] or self._is_small(element) or self._removed[element]:
            return False
        around = self._around(element)
        if around.is_apart:
            return False
        if around.anchor >= 0 and self._leads_away(around.anchor, inside=self._first < place <= self._last):
            return False
        return around.figure >= 0 or place <= self._last

    def _around(self, element: int) -> _Around:
        """Return the record of an element's ancestors below the root; results are cached for all of them."""
        elements, known = self._elements, self._known
        path = []
        while element > self.root and element not in known:
            path.append(element)
            element = elements.parent[element]
        around = known.get(element, _Around())
        for at in reversed(path):
            tag = elements.tags[at]
            is_apart = around.is_apart or ((tag in _ASIDE or self._is_junk(at)) and not self._holds_the_text(at))
            anchor = at if tag == "a" and around.anchor < 0 else around.anchor
            figure = at if tag == "figure" and around.figure < 0 else around.figure
            around = known[at] = _Around(is_apart, anchor, figure)
        return around

    def _holds_the_text(self, element: int) -> bool:
        """Return True if an element has at least half of the kept text, so that it is the article's whatever its class."""
        held = self._before[self._elements.end_leaf[element]] - self._before[self._elements.first_leaf[element]]
        return bool(2 * held >= self._before[-1])

    def _is_small(self, element: int) -> bool:
        attributes = self._elements.attributes[element]
        sides = (_NUMBER.fullmatch(attributes.get(name) or "") for name in ("width", "height"))
        return any(side is not None and int(side[1]) < MIN_SIDE for side in sides)

    def _is_junk(self, element: int) -> bool:
        """Return True if an element is hidden, or its class or id marks it as not part of the article."""
        attributes = self._elements.attributes[element]
        if not attributes:
            return False
        if "hidden" in attributes or _NOT_SHOWN.search((attributes.get("style") or "")[:MAX_CLASS_CHARS]):
            return True
        names = (attributes.get("class"), attributes.get("id"))
        return any(_is_junk_name(name[:MAX_CLASS_CHARS]) for name in names if name)

    def _leads_away(self, anchor: int, *, inside: bool) -> bool:
        """Return True if a link around a picture makes it a teaser for another page."""
        elements = self._elements
        first, end = elements.first_leaf[anchor], elements.end_leaf[anchor]
        dropped = np.flatnonzero(~self._kept[first:end] & ~self._leaves.has(HIDDEN)[first:end]) + first
        if any(not self._is_caption_leaf(leaf) for leaf in dropped.tolist()):
            return True
        href = elements.attributes[anchor].get("href") or ""
        is_file = _IMAGE_FILE.search(href.partition("?")[0].partition("#")[0]) is not None
        return not (inside or is_file or not href or href.startswith("#"))

    def _is_caption_leaf(self, leaf: int) -> bool:
        elements = self._elements
        return any(self._is_caption(e) for e in elements.ancestors(self._leaves.element[leaf])[:4])

    def _is_caption(self, element: int) -> bool:
        elements = self._elements
        return elements.tags[element] == "figcaption" or is_caption(elements.attributes[element].get("class"))

    def caption(self, element: int) -> str:
        """Return the text of a picture's caption, "" for none."""
        figure = self.above(element, "figure", levels=_FIGURE_WITHIN)
        if figure >= 0:
            return self._caption_in(figure)
        box = element
        for _ in range(_CAPTIONED_WITHIN):
            box = max(self.root, self._elements.parent[box])
            if captions := self._of_box.get(box):
                following = bisect_left(captions, element, key=itemgetter(0))
                return captions[following if following < len(captions) else 0][1]
        return ""

    @cached_property
    def _of_box(self) -> dict[int, list[tuple[int, str]]]:
        """Captions by the lowest element around them with a picture: they describe no picture outside of it."""
        elements = self._elements
        pictures = [e for e in elements.of_tags(_IMAGES) if not self._is_small(e) and self.address(e)]
        found: dict[int, list[tuple[int, str]]] = {}
        for caption, text in self._with_text:
            for box in elements.ancestors(caption)[:_FIGURE_WITHIN]:
                at = bisect_left(pictures, box)
                if at < len(pictures) and pictures[at] < elements.end[box]:
                    found.setdefault(box, []).append((caption, text))
                    break
                if elements.tags[box] == "figure":  # of a film or a table
                    break
        return found

    def _caption_in(self, box: int) -> str:
        """Return the text of the first caption with text inside an element; "" if it is too long for a caption."""
        captions, end = self._with_text, self._elements.end[box]
        at = bisect_left(captions, box + 1, key=itemgetter(0))
        return captions[at][1] if at < len(captions) and captions[at][0] < end else ""

    @cached_property
    def _with_text(self) -> list[tuple[int, str]]:
        """Caption elements that show text, with that text; "" if it is too long."""
        elements, leaves = self._elements, self._leaves
        unwanted = leaves.has(HIDDEN) | ~not_removed(self._document)
        found = []
        for each in range(self.root, elements.end[self.root]):
            if self._is_caption(each):
                members = range(elements.first_leaf[each], elements.end_leaf[each])
                shown = [i for i in islice(members, MAX_CAPTION_LEAVES) if not unwanted[i]]
                text = strip_controls(fold_space(leaves.join(shown)))
                if text:
                    is_short = len(text) <= MAX_CAPTION_CHARS and len(members) <= MAX_CAPTION_LEAVES
                    found.append((each, text if is_short else ""))
        return found

    def address(self, element: int) -> str | None:
        """Return a picture's absolute URL; None if it has none, or only that of a placeholder or an icon."""
        for raw in self._candidates(element):
            url = join(self._document.base_url, raw.strip())
            if url is not None and not _is_junk_address(url):
                return url
        return None

    def _candidates(self, element: int) -> list[str]:
        """Return the possible URLs of a picture, best first."""
        elements = self._elements
        attributes = elements.attributes[element]
        found = [value for name in _LAZY if (value := attributes.get(name))]
        found += [attributes.get("src") or ""]
        found += [_largest(value) for name in _SOURCE_SETS if (value := attributes.get(name))]
        picture = self.above(element, "picture", levels=2)
        for source in range(picture + 1, element) if picture >= 0 else ():
            if elements.tags[source] == "source":
                values = elements.attributes[source]
                found += [_largest(value) for name in _SOURCE_SETS if (value := values.get(name))]
        return [raw for raw in found if raw and not raw.lower().startswith(("data:", "blob:", "about:"))]


def _largest(source_set: str) -> str:
    """Return the URL of the largest picture in a `srcset`."""
    best, best_size = "", -1.0
    for found in _CANDIDATE.finditer(source_set[:20_000]):
        size = float(found[2] or 1)
        if size > best_size:
            best, best_size = found[1].rstrip(","), size
    return best


@lru_cache(maxsize=1 << 12)
def _is_junk_name(name: str) -> bool:
    return _JUNK_CLASS.search(name.lower()) is not None


def _is_junk_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return True
    path, width = parts.path.lower(), _WIDTH.search(parts.query)
    if width and int(width[1]) < MIN_SIDE:
        return True
    return _JUNK_HOST.search(host) is not None or path.endswith(".svg") or _JUNK_NAME.search(path) is not None
