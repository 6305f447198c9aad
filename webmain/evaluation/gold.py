"""Gold data sets: pages with their main text, read from the formats in which they are published."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from webmain.evaluation.drops import Dropped, DropReason, Drops
from webmain.evaluation.gold_json import jsonl_files, jsonl_pages, wcxb_folders, wcxb_pages
from webmain.evaluation.gold_pairs import cleaneval_pages, folder_pages, is_cleaneval_folder, is_folder
from webmain.evaluation.records import GoldPage


class GoldError(ValueError):
    """There is no gold data where it was looked for."""


class GoldFormat(StrEnum):
    """How gold data is laid out."""

    JSONL = "jsonl"
    """One JSON object a line, files of `.jsonl` or `.jsonl.gz`: see `gold_json.jsonl_pages`."""
    WCXB = "wcxb"
    """`ground-truth/ID.json` and `html/ID.html.gz`, in splits or not: see `gold_json.wcxb_pages`."""
    CLEANEVAL = "cleaneval"
    """Pages in a `<text>` wrapper and texts with `<p>`, `<h>`, `<l>` marks: see `gold_pairs.cleaneval_pages`."""
    FOLDER = "folder"
    """Pages and plain texts of the same names: see `gold_pairs.folder_pages`."""


_LOOKED_FOR = (
    "jsonl: files ending in .jsonl or .jsonl.gz; wcxb: folders ground-truth and html (or such folders in dev, test); "
    "cleaneval: N.html starting with <text ...> with N.txt or N-cleaned.txt beside them, or in the folders "
    "input, finalrun-input, en_original and GoldStandard, en_cleaned; "
    "folder: NAME.html with NAME.txt beside them, or in the folders html and txt or text"
)

_RECOGNISED: tuple[tuple[GoldFormat, Callable[[Path], bool]], ...] = (
    (GoldFormat.WCXB, lambda path: bool(wcxb_folders(path))),
    (GoldFormat.CLEANEVAL, is_cleaneval_folder),
    (GoldFormat.FOLDER, is_folder),
    (GoldFormat.JSONL, lambda path: bool(jsonl_files(path))),
)
_POSSIBLE = {**dict(_RECOGNISED), GoldFormat.CLEANEVAL: is_folder}
"""What a named format needs at the least: CleanEval's pages may have lost their wrappers."""

_READERS: dict[GoldFormat, Callable[[Path, Drops], Iterator[GoldPage]]] = {
    GoldFormat.JSONL: jsonl_pages,
    GoldFormat.WCXB: wcxb_pages,
    GoldFormat.CLEANEVAL: cleaneval_pages,
    GoldFormat.FOLDER: folder_pages,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What is known after all pages were read once."""

    n_pages: int
    digest: str
    dropped: Dropped


class Gold:
    """Gold pages that are read from their files each time they are iterated over, one page in memory at a time.

    Parameters
    ----------
    sources : sequence of (Path, GoldFormat)
        Files and folders with their formats, in the order of reading.
    """

    def __init__(self, sources: Sequence[tuple[Path, GoldFormat]]) -> None:
        self.sources = tuple(sources)
        self._reading: _Reading | None = None

    def __iter__(self) -> Iterator[GoldPage]:
        drops = Drops()
        digest = hashlib.sha256()
        seen: set[tuple[str, str]] = set()
        for path, form in self.sources:
            for page in _listed(path, form, drops):
                key = (page.dataset, page.id)
                if key in seen:
                    drops.add(DropReason.DUPLICATE, f"{path}: {page.id}")
                    continue
                seen.add(key)
                _add(digest.update, page)
                yield page
        self._reading = _Reading(n_pages=len(seen), digest=digest.hexdigest(), dropped=drops.dropped())

    @property
    def n_pages(self) -> int:
        """Number of pages; reads them all unless they were read to the end before."""
        return self._read().n_pages

    @property
    def dropped(self) -> Dropped:
        """What was left out, and why; reads all pages unless they were read to the end before."""
        return self._read().dropped

    @property
    def digest(self) -> str:
        """SHA-256 in hex over all fields of all pages in order; reads all pages unless they were read before."""
        return self._read().digest

    def _read(self) -> _Reading:
        if self._reading is None:
            for _ in self:
                pass
        if self._reading is None:
            raise AssertionError("a reading to the end leaves its record")
        return self._reading


def _listed(path: Path, form: GoldFormat, drops: Drops) -> Iterator[GoldPage]:
    """Read one place; raises GoldError where its folders cannot be listed (files that cannot be read are drops)."""
    try:
        yield from _READERS[form](path, drops)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> GoldError:
    return GoldError(f"the gold data at {path} cannot be read: {error.strerror or error}")


_HASHED = tuple(field.name for field in dataclasses.fields(GoldPage) if field.name != "html")
"""Everything else that a system is given, is grouped by, or is measured with."""


def _add(update: Callable[[bytes], None], page: GoldPage) -> None:
    """Add a page to a digest; each part's length goes first, so that no two pages give the same bytes."""
    html = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "surrogatepass")
    fields = [isinstance(page.html, bytes), *(getattr(page, name) for name in _HASHED)]
    for data in (html, json.dumps(fields).encode("ascii")):
        update(len(data).to_bytes(8, "big"))
        update(data)


def read_gold(path: Path | str | Sequence[Path | str], *, format: GoldFormat | str | None = None) -> Gold:  # noqa: A002
    """Find gold data in a file, a folder, or several.

    Parameters
    ----------
    path : Path, str, or sequence of them
        Where to look.
    format : GoldFormat, str or None
        Of all of them; None to recognise each by its files.

    Returns
    -------
    Gold
        To iterate over. Nothing but the names of files, and the first lines of some, was read yet.

    Raises
    ------
    GoldError
        There is no such file, format, or no gold data there: the message names what was looked for.
    """
    paths = [path] if isinstance(path, (str, Path)) else list(path)
    if not paths:
        raise GoldError("no path of gold data was given")
    try:
        wanted = GoldFormat(format) if format else None
    except ValueError:
        raise GoldError(f"no gold format {format!r}; there are {', '.join(GoldFormat)}") from None
    return Gold([(Path(one), _format_of(Path(one), wanted)) for one in paths])


def _format_of(path: Path, wanted: GoldFormat | None) -> GoldFormat:
    try:
        return _recognised(path, wanted)
    except OSError as error:
        raise _unreadable(path, error) from error


def _recognised(path: Path, wanted: GoldFormat | None) -> GoldFormat:
    if not path.exists():
        raise GoldError(f"no gold data at {path}: there is no such file or folder")
    if wanted and _POSSIBLE[wanted](path):
        return wanted
    for form, recognised in _RECOGNISED if not wanted else ():
        if recognised(path):
            return form
    raise GoldError(f"no gold data in {wanted or 'a known'} format at {path}. Looked for: {_LOOKED_FOR}")
