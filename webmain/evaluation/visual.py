"""Rendered pages: text blocks as a browser drew them, with computed styles, read into the form that site methods take.

A file of rendered pages is JSON Lines, plain or gzipped, one object a page: `id`, `site`, `url`, `descriptions` (list of
str), `ref` (reference text, or null) and `blocks`; a block has `text` (its text nodes), `path` (element names below
`body`), `selector` (for each of them `name`, `classes`), `computed` (CSS properties whose value differs from the body's),
`bound` (`left`, `top`, `width`, `height` in CSS pixels) and `html` (the markup inside it).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.features.site_blocks import SiteBlocks
from webmain.text.normal import fold_space, replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import BufferedReader

MAX_PAGES = 10_000
MAX_LINE_BYTES = 32 * 2**20
MAX_FILE_BYTES = 2 * 2**30
"""Decompressed bytes read of one file."""
MAX_BLOCKS = 5_000
"""Blocks of one page."""
MAX_DEPTH = 300
"""Elements of a path; of deeper blocks the outermost stay."""
MAX_TEXT = 200_000
"""Characters of a block's text, and of a description."""
MAX_PROPERTIES = 500
"""CSS properties of one block."""
MAX_VALUE = 120
"""Characters of a property's value; longer ones (inline images) stand as their digest."""
MAX_HTML = 100_000
"""Characters of a block's own markup that are looked through for anchors."""
MAX_REFERENCE = 5_000_000
"""Characters of a reference text."""
MAX_PIXELS = 1e9
"""Rectangles beyond this are no places on a page."""
RECTANGLE = ("left", "top", "width", "height")


class RenderedFileError(ValueError):
    """A file of rendered pages cannot be read at all; the message says why."""


@dataclass(frozen=True, kw_only=True)
class RenderedPage:
    """One page as a browser drew it.

    Attributes
    ----------
    id, site, url : str
    descriptions : tuple of str
        What the page says of itself in its head, unique, white space folded.
    reference : str or None
        The main text as somebody else gave it.
    texts, tag_paths, selectors : tuple of str
        One for each block, as in `SiteBlocks`: "html/body/div/p", "html/body/div.story/p".
    anchor_shares : tuple of float
        Share of each block's characters that stand in anchors.
    visual : tuple of mapping
        For each block its computed properties (str) and its `left`, `top`, `width` and `height` (float, CSS pixels).
    """

    id: str
    site: str
    url: str
    descriptions: tuple[str, ...]
    reference: str | None
    texts: tuple[str, ...]
    tag_paths: tuple[str, ...]
    selectors: tuple[str, ...]
    anchor_shares: tuple[float, ...]
    visual: tuple[Mapping[str, str | float], ...]


@dataclass(frozen=True, kw_only=True)
class RenderedPages:
    """What a file of rendered pages held.

    Attributes
    ----------
    pages : tuple of RenderedPage
        In the file's order.
    dropped : tuple of str
        What was left out and why, a sentence for each reason.
    """

    pages: tuple[RenderedPage, ...]
    dropped: tuple[str, ...]


def read_rendered(path: str | Path) -> RenderedPages:
    """Read a file of rendered pages; what does not fit the format or its limits is left out and reported.

    Parameters
    ----------
    path : str or Path
        JSON Lines, plain or gzipped (told by the first bytes).

    Raises
    ------
    RenderedFileError
        The file cannot be opened, or its compression is damaged before the first page.
    """
    losses: Counter[str] = Counter()
    pages: list[RenderedPage] = []
    seen: set[str] = set()
    try:
        for line in _lines(Path(path), losses):
            if len(pages) >= MAX_PAGES:
                losses[f"lines after the first {MAX_PAGES} pages"] += 1
                break
            page = _page(line, losses)
            if page is None:
                continue
            if page.id in seen:
                losses["pages with the id of an earlier one"] += 1
                continue
            seen.add(page.id)
            pages.append(page)
    except (OSError, EOFError, zlib.error) as error:
        if not pages:
            raise RenderedFileError(f"{Path(path).name}: cannot read rendered pages: {error}") from error
        losses[f"rest of the file after {len(pages)} pages ({error})"] += 1
    return RenderedPages(pages=tuple(pages), dropped=tuple(f"dropped {n}: {reason}" for reason, n in losses.items()))


def site_blocks(pages: Sequence[RenderedPage]) -> SiteBlocks:
    """Put pages side by side, in the given order."""
    counts = [len(page.texts) for page in pages]
    return SiteBlocks(
        page=np.repeat(np.arange(len(pages), dtype=np.int32), counts),
        texts=tuple(text for page in pages for text in page.texts),
        tag_paths=tuple(path for page in pages for path in page.tag_paths),
        selectors=tuple(selector for page in pages for selector in page.selectors),
        visual=tuple(properties for page in pages for properties in page.visual),
        descriptions=tuple(page.descriptions for page in pages),
        sites=tuple(page.site for page in pages),
        anchor_share=np.array([share for page in pages for share in page.anchor_shares], dtype=np.float64),
    )


def _lines(path: Path, losses: Counter[str]) -> Iterator[bytes]:
    """Yield the lines that are not too long; a file that unpacks to more than `MAX_FILE_BYTES` is cut."""
    n_read = 0
    with _opened(path) as stream:
        while line := stream.readline(MAX_LINE_BYTES + 1):
            n_read += len(line)
            if n_read > MAX_FILE_BYTES:
                losses[f"rest of the file after {MAX_FILE_BYTES} bytes"] += 1
                return
            if len(line) > MAX_LINE_BYTES:
                losses[f"lines longer than {MAX_LINE_BYTES} bytes"] += 1
                while line and not line.endswith(b"\n") and n_read <= MAX_FILE_BYTES:
                    line = stream.readline(2**20)
                    n_read += len(line)
            elif line.strip():
                yield line


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if packed else path.open("rb")


def _page(line: bytes, losses: Counter[str]) -> RenderedPage | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        losses["lines that are not JSON"] += 1
        return None
    if not isinstance(record, dict) or not isinstance(record.get("blocks"), list):
        losses["records without a list of blocks"] += 1
        return None
    if not (_string(record, "id") and _string(record, "site")):
        losses["records without id or site"] += 1
        return None
    listed = record["blocks"]
    if len(listed) > MAX_BLOCKS:
        losses[f"blocks after the first {MAX_BLOCKS} of a page"] += len(listed) - MAX_BLOCKS
    blocks = [block for each in listed[:MAX_BLOCKS] if (block := _block(each, losses))]
    reference = record.get("ref")
    return RenderedPage(
        id=_string(record, "id"),
        site=_string(record, "site"),
        url=_string(record, "url"),
        descriptions=_descriptions(record.get("descriptions")),
        reference=reference[:MAX_REFERENCE] if isinstance(reference, str) and reference.strip() else None,
        texts=tuple(block.text for block in blocks),
        tag_paths=tuple(block.tag_path for block in blocks),
        selectors=tuple(block.selector for block in blocks),
        anchor_shares=tuple(block.anchor_share for block in blocks),
        visual=tuple(block.visual for block in blocks),
    )


@dataclass(frozen=True, slots=True)
class _Block:
    text: str
    tag_path: str
    selector: str
    anchor_share: float
    visual: Mapping[str, str | float]


def _block(record: object, losses: Counter[str]) -> _Block | None:
    """Read a block; None, counted, where it has no text, no path or no rectangle."""
    if not isinstance(record, dict):
        losses["blocks that are not objects"] += 1
        return None
    # A space between text nodes: line breaks between them are not in the record, and words must not run together there.
    text = fold_space(" ".join(_strings(record.get("text"))))[:MAX_TEXT]
    if not text:
        losses["blocks without text"] += 1
        return None
    names = _strings(record.get("path"))[:MAX_DEPTH]
    rectangle = _rectangle(record.get("bound"))
    computed = record.get("computed")
    if not names or rectangle is None or not isinstance(computed, dict):
        losses["blocks without path, rectangle or computed style"] += 1
        return None
    properties = [(k, v) for k, v in computed.items() if isinstance(v, str) and v and k not in RECTANGLE]
    if len(properties) > MAX_PROPERTIES:
        losses[f"properties after the first {MAX_PROPERTIES} of a block"] += len(properties) - MAX_PROPERTIES
    styles = {name[:MAX_VALUE]: _short(value) for name, value in properties[:MAX_PROPERTIES]}
    linked = 1.0 if "a" in names else _anchor_share(record.get("html"))
    place = "html/body/" + "/".join(names), _selector(names, record.get("selector"))
    return _Block(text, *place, linked, {**styles, **rectangle})


def _anchor_share(html: object) -> float:
    """Return the share of a fragment's characters that stand in anchors; 0 where there is no fragment."""
    if not isinstance(html, str) or "<a" not in html[:MAX_HTML].lower():
        return 0.0
    from selectolax.lexbor import LexborHTMLParser

    from webmain.html.guard import guard

    tree = LexborHTMLParser(guard(replace_surrogates(html[:MAX_HTML]).encode()))
    if tree.body is None:
        return 0.0
    n_chars = len(fold_space(tree.body.text()))
    n_linked = sum(len(fold_space(anchor.text())) for anchor in tree.css("a"))
    return min(1.0, n_linked / n_chars) if n_chars else 0.0


def _selector(names: Sequence[str], parts: object) -> str:
    """Write the path with each element's class names, sorted, as `SiteBlocks` has it."""
    listed = parts if isinstance(parts, list) and len(parts) >= len(names) else [{}] * len(names)
    written = []
    for name, part in zip(names, listed, strict=False):
        classes = sorted(set(_strings(part.get("classes")))) if isinstance(part, dict) else []
        written.append(".".join([name, *classes]))
    return "html/body/" + "/".join(written)


def _rectangle(bound: object) -> dict[str, float] | None:
    if not isinstance(bound, dict):
        return None
    sides = {side: bound.get(side) for side in RECTANGLE}
    real = {k: float(v) for k, v in sides.items() if isinstance(v, (int, float)) and abs(v) < MAX_PIXELS}  # not NaN
    return real if len(real) == len(RECTANGLE) else None


def _descriptions(listed: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(folded for d in _strings(listed)[:100] if (folded := fold_space(d[:MAX_TEXT]))))


def _string(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _strings(listed: object) -> list[str]:
    return [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []


def _short(value: str) -> str:
    """Replace a long value by its digest, so that equal ones stay equal."""
    if len(value) <= MAX_VALUE:
        return value
    return "sha256:" + hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:32]
