"""Gold data sets: pages with their main text, read from the formats in which they are published."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from webmain.evaluation import gold_pairs, gold_records
from webmain.evaluation.gold_records import BadRecord, DropReason, Records
from webmain.evaluation.records import GoldPage
from webmain.files import reason_of


class GoldError(ValueError):
    """There is no gold data at the given place."""


_KNOWN_FORMATS = (
    "jsonl: files ending in .jsonl or .jsonl.gz; wcxb: folders ground-truth and html (or such folders in dev, test); "
    "cleaneval: N.html starting with <text ...> with N.txt or N-cleaned.txt beside them, or in the folders "
    "input, finalrun-input, en_original and GoldStandard, en_cleaned; "
    "folder: NAME.html with NAME.txt beside them, or in the folders html and txt or text"
)

FORMATS: dict[str, tuple[Callable[[Path], object], Callable[[Path], Records]]] = {
    "wcxb": (gold_records.wcxb_folders, gold_records.wcxb_records),
    "cleaneval": (gold_pairs.is_cleaneval_folder, gold_pairs.cleaneval_records),
    "folder": (gold_pairs.is_folder, gold_pairs.folder_records),
    "jsonl": (gold_records.jsonl_files, gold_records.jsonl_records),
}
"""How each format of gold data is recognised, in the order of trying, and how it is read."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Records that were dropped from a gold data set."""

    # records by reason, in the order in which the reasons first occurred
    counts: Counter[DropReason] = field(default_factory=Counter)
    # location of the first one of each: file, line or id, and what is wrong
    examples: dict[DropReason, str] = field(default_factory=dict)

    def add(self, reason: DropReason, where: str) -> None:
        """Count one dropped record."""
        self.counts[reason] += 1
        self.examples.setdefault(reason, where)

    def __str__(self) -> str:
        if not self.counts:
            return "nothing dropped"
        parts = (f"{n} x {reason} ({self.examples[reason]})" for reason, n in self.counts.items())
        return f"{self.counts.total()} dropped: " + "; ".join(parts)


class Gold:
    """Gold pages, read from their sources in order at each iteration, with one page in memory at a time."""

    def __init__(self, sources: Sequence[tuple[Path, str]]) -> None:
        self.sources = sources
        self._last: tuple[int, str, Dropped] | None = None  # known after all pages were read once

    def __iter__(self) -> Iterator[GoldPage]:
        dropped = Dropped()
        digest = hashlib.sha256()
        seen: set[tuple[str, str]] = set()
        for path, form in self.sources:
            with _listing(path):
                for where, found in FORMATS[form][1](path):
                    if isinstance(found, GoldPage) and (found.dataset, found.id) in seen:
                        found = BadRecord(DropReason.DUPLICATE, found.id)
                    if isinstance(found, BadRecord):
                        dropped.add(found.reason, f"{where} {found.detail}".rstrip())
                        continue
                    seen.add((found.dataset, found.id))
                    _add(digest.update, found)
                    yield found
        self._last = len(seen), digest.hexdigest(), dropped

    @property
    def n_pages(self) -> int:
        """Number of pages; reads them all unless that was done before, as do the other two properties."""
        return self._read()[0]

    @property
    def digest(self) -> str:
        """SHA-256 in hex over all fields of all pages in order."""
        return self._read()[1]

    @property
    def dropped(self) -> Dropped:
        """Dropped records with reasons."""
        return self._read()[2]

    def _read(self) -> tuple[int, str, Dropped]:
        while self._last is None:
            deque(self, maxlen=0)
        return self._last


@contextmanager
def _listing(path: Path) -> Iterator[None]:
    """Raise GoldError if the folders of a source cannot be listed (unreadable files are dropped)."""
    try:
        yield
    except OSError as error:
        raise GoldError(f"the gold data at {path} cannot be read: {reason_of(error)}") from error


_HASHED = tuple(field.name for field in dataclasses.fields(GoldPage) if field.name != "html")
"""Other fields that a system receives, that pages are grouped by, or that metrics use."""


def _add(update: Callable[[bytes], None], page: GoldPage) -> None:
    """Add a page to a digest; each part is preceded by its length, so that no two pages give the same bytes."""
    html = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "surrogatepass")
    fields = [isinstance(page.html, bytes), *(getattr(page, name) for name in _HASHED)]
    for data in (html, json.dumps(fields).encode("ascii")):
        update(len(data).to_bytes(8, "big"))
        update(data)


def read_gold(path: Path | str | Sequence[Path | str]) -> Gold:
    """Return the gold data in a file, a folder, or several, each format recognised by its files.

    Nothing but the names of files, and the first lines of some, is read yet. Raises GoldError if there is no such file,
    or no gold data there: the message names what was looked for.
    """
    paths = [path] if isinstance(path, (str, Path)) else path
    return Gold([(Path(one), _format_of(Path(one))) for one in paths])


def _format_of(path: Path) -> str:
    with _listing(path):
        if not path.exists():
            raise GoldError(f"no gold data at {path}: there is no such file or folder")
        for form, (is_there, _) in FORMATS.items():
            if is_there(path):
                return form
    raise GoldError(f"no gold data in a known format at {path}. Looked for: {_KNOWN_FORMATS}")
