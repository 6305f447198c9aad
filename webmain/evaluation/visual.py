"""Rendered pages: text blocks as a browser drew them, with computed styles, read into the form that site methods take.

A file of rendered pages is JSON Lines, plain or gzipped, one object a page: `id`, `site`, `url`, `descriptions` (list of
str), `ref` (reference text, or null) and `blocks`; a block has `text` (its text nodes), `path` (element names below
`body`), `selector` (for each of them `name`, `classes`), `computed` (CSS properties whose value differs from the body's),
`bound` (`left`, `top`, `width`, `height` in CSS pixels) and `html` (the markup inside it).
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from webmain.evaluation.gold import GoldError
from webmain.features.site_blocks import SiteBlocks
from webmain.files import opened, reason_of
from webmain.html.guard import guard
from webmain.text.normal import fold_space, replace_surrogates

MAX_BLOCKS = 5_000
"""Most blocks of one page."""
MAX_HTML = 100_000
"""Characters of a block's markup that are searched for anchors."""
MAX_PIXELS = 1e9
"""Coordinates beyond this are not positions on a page."""
RECTANGLE = ("left", "top", "width", "height")


@dataclass(frozen=True, kw_only=True)
class RenderedPage:
    """One page as rendered by a browser."""

    id: str
    site: str
    reference: str | None  # the main text by another extractor
    blocks: SiteBlocks  # with computed properties (str) and `left`, `top`, `width` and `height` (float, CSS pixels)


def read_rendered(path: str | Path) -> tuple[tuple[RenderedPage, ...], tuple[str, ...]]:
    """Return the pages of a file in its order, and what did not fit the format or its limits, a sentence for each reason.

    Raises GoldError if the file cannot be opened, or its compression is damaged before the first page.
    """
    losses: Counter[str] = Counter()
    pages: dict[str, RenderedPage] = {}
    try:
        with opened(Path(path)) as stream:
            for line in filter(bytes.strip, stream):
                page = _page(line, losses)
                if page is not None:
                    losses["pages with the id of an earlier one"] += page.id in pages
                    pages.setdefault(page.id, page)
    except (OSError, EOFError, zlib.error) as error:
        if not pages:
            raise GoldError(f"{Path(path).name}: cannot read rendered pages: {reason_of(error)}") from error
        losses[f"rest of the file after {len(pages)} pages ({error})"] += 1
    dropped = tuple(f"dropped {n}: {reason}" for reason, n in losses.items() if n)
    return tuple(pages.values()), dropped


def _page(line: bytes, losses: Counter[str]) -> RenderedPage | None:
    """Return a page, or None (counted) if the record is not one."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        losses["lines that are not JSON"] += 1
        return None
    listed = record.get("blocks") if isinstance(record, dict) else None
    if not isinstance(listed, list):
        losses["records without a list of blocks"] += 1
        return None
    names = _strings([record.get("id"), record.get("site")])
    if len(names) < 2:
        losses["records without id or site"] += 1
        return None
    if len(listed) > MAX_BLOCKS:
        losses[f"blocks after the first {MAX_BLOCKS} of a page"] += len(listed) - MAX_BLOCKS
    found = [block for each in listed[:MAX_BLOCKS] if (block := _block(each, losses))]
    texts, tag_paths, selectors, shares, visual = zip(*found, strict=True) if found else [()] * 5
    descriptions = tuple(filter(None, dict.fromkeys(map(fold_space, _strings(record.get("descriptions"))))))
    blocks = SiteBlocks(
        page=np.zeros(len(found), dtype=np.int32),
        texts=texts,
        tag_paths=tag_paths,
        selectors=selectors,
        visual=visual,
        descriptions=(descriptions,),
        sites=(names[1],),
        anchor_share=np.array(shares, dtype=np.float64),
    )
    reference = record.get("ref")
    whole = reference if isinstance(reference, str) and reference.strip() else None
    return RenderedPage(id=names[0], site=names[1], reference=whole, blocks=blocks)


def _block(record: object, losses: Counter[str]) -> tuple[str, str, str, float, Mapping[str, str | float]] | None:
    """Return a block's text, tag path, selector, share of characters in anchors, and visual properties.

    None (counted) if it has no text, path or rectangle.
    """
    if not isinstance(record, dict):
        losses["blocks that are not objects"] += 1
        return None
    # A space between text nodes: line breaks between them are not in the record, and words must not run together there.
    text = fold_space(" ".join(_strings(record.get("text"))))
    names, rectangle, computed = _strings(record.get("path")), _rectangle(record.get("bound")), record.get("computed")
    if not text:
        losses["blocks without text"] += 1
    elif not names or rectangle is None or not isinstance(computed, dict):
        losses["blocks without path, rectangle or computed style"] += 1
    else:
        styles = {k: v for k, v in computed.items() if isinstance(v, str) and v and k not in RECTANGLE}
        steps = _steps(names, record.get("selector"))
        tag_path, selector = ("/".join(("html/body", *parts)) for parts in (names, steps))
        return text, tag_path, selector, 1.0 if "a" in names else _anchor_share(record.get("html")), styles | rectangle
    return None


def _anchor_share(html: object) -> float:
    """Return the share of a fragment's characters that are in anchors; 0 without a fragment."""
    if not isinstance(html, str) or "<a" not in html[:MAX_HTML].lower():
        return 0.0
    tree = LexborHTMLParser(guard(replace_surrogates(html[:MAX_HTML]).encode()))
    n_chars = len(fold_space(tree.body.text())) if tree.body else 0
    n_linked = sum(len(fold_space(anchor.text())) for anchor in tree.css("a"))
    return min(1.0, n_linked / n_chars) if n_chars else 0.0


def _steps(names: Sequence[str], parts: object) -> Iterator[str]:
    """Yield each element with its sorted class names, as in `SiteBlocks`."""
    listed = parts if isinstance(parts, list) and len(parts) >= len(names) else [{}] * len(names)
    for name, part in zip(names, listed, strict=False):
        yield ".".join([name, *sorted(set(_strings(part.get("classes") if isinstance(part, dict) else None)))])


def _rectangle(bound: object) -> dict[str, float] | None:
    sides = {side: bound.get(side) for side in RECTANGLE} if isinstance(bound, dict) else {}
    real = {k: float(v) for k, v in sides.items() if isinstance(v, int | float) and abs(v) < MAX_PIXELS}  # not NaN
    return real if len(real) == len(RECTANGLE) else None


def _strings(listed: object) -> list[str]:
    return [item for item in listed if isinstance(item, str) and item] if isinstance(listed, list) else []
