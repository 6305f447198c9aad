"""The file of corrections: gold pages as JSON lines, one per page, read by `webmain evaluate` and `webmain train`.

A new page's line is appended whole or not at all. When a page is corrected again, or its correction is deleted, a new file
is written beside the old one and replaces it; lines that are not corrections (gold pages from elsewhere) stay as they
are.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from webmain.features.manual_corrections import CorrectedPage
from webmain.files import AppendFile, StoreError, StoreLockedError, reason_of, replaced_whole, write_failure
from webmain.items import Page
from webmain.items.codec import UNREADABLE, build, encode
from webmain.items.page import is_gold_record

logger = logging.getLogger(__name__)

MAX_LINE_BYTES = 64 << 20
MAX_LEARNED = 50
"""Most corrected pages of a site that are learned from."""

WAIT_S = 5.0
"""Seconds that a process waits for another one that is writing to the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPart:
    """A part of a page whose verdict a person has changed."""

    content: bool  # whether it is content, as the person says
    xpath: str  # place of its element; "" for source lines and text that is not in the page
    text: str  # as the page shows it
    leaves: tuple[int, ...] = ()  # its leaves in the page as it is stored here; empty for source lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A page with the text that should have been extracted: one line of a file of gold pages.

    `id`, `url`, `domain`, `lang`, `html` and `text` mean what they mean in any gold data (docs/evaluate.md).
    """

    id: str  # that of the page: two corrections with one id are of one page, and the later one counts
    url: str | None
    domain: str  # site key of the address; "" without one
    lang: str  # detected language of the text; "" if unknown
    html: str  # the page as it was decoded
    text: str  # the text as corrected: the parts that are content, joined by blank lines
    before: str  # the text as the extractor gave it
    extractor: str  # whose judgement was corrected
    marked: tuple[MarkedPart, ...]  # what was changed, in the page's order
    made_at: str  # ISO 8601, UTC
    leaves: tuple[int, ...] = ()  # the leaves of the text as corrected; empty for a method that builds no tree
    note: str = ""  # the person's note


class CorrectionsFile:
    """A file of corrections; it is opened for each change, so that several programs may write to it in turn.

    It is made, with its folders, with the first correction.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __iter__(self) -> Iterator[Correction]:
        """Yield the corrections in the order of the file; other lines are counted in the log.

        Raises StoreError if the file cannot be read.
        """
        n_other = 0
        for line in self._read():
            correction = _correction(line)
            if correction is not None:
                yield correction
            elif line.strip():
                n_other += 1
        if n_other:
            logger.info("corrections %s: %d lines are no corrections; left alone", self.path, n_other)

    def _read(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                yield from _lines(file)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"corrections {self.path}: {reason_of(error)}") from error

    def get(self, page_id: str) -> Correction | None:
        """Return the correction of a page."""
        return next((each for each in self if each.id == page_id), None)

    def of_site(self, site: str) -> list[Correction]:
        """Return the corrections of a site's pages."""
        name = site.encode()
        found = (_correction(line) for line in self._read() if name in line) if site else ()
        return [each for each in found if each is not None and each.domain == site]

    def pages_of(self, site: str) -> list[CorrectedPage]:
        """Return a site's pages for methods that learn it: those with known leaves, the latest first."""
        found = [each for each in self.of_site(site) if each.leaves]
        return [
            CorrectedPage(
                page=Page(url=each.url, html=each.html, fetched_at=datetime.fromisoformat(each.made_at)),
                content=each.leaves,
                changed=tuple(leaf for mark in each.marked for leaf in mark.leaves),
            )
            for each in sorted(found, key=lambda each: each.made_at, reverse=True)[:MAX_LEARNED]
        ]

    def save(self, correction: Correction) -> bool:
        """Write a correction; return True if it replaces an earlier one of the same page.

        After StoreFullError, StoreWriteError, StoreLockedError and NotAStoreError the file is as it was.
        """
        return self._put(correction.id, (encode(asdict(correction)) + "\n").encode())

    def remove(self, page_id: str) -> bool:
        """Delete the correction of a page; return False if there is none."""
        return self._put(page_id, b"")

    def _put(self, page_id: str, line: bytes) -> bool:
        """Write a page's line in place of earlier ones, or append it; return True if there was one."""
        with self._opened() as file:
            is_known = self.get(page_id) is not None
            if is_known:
                self._replace(page_id, line)
            elif line:
                file.append(line)
            return is_known

    def _replace(self, page_id: str, line: bytes) -> None:
        """Rewrite the file with a page's lines replaced."""
        try:
            with replaced_whole(self.path) as part, self.path.open("rb") as old, part.open("wb") as new:
                for each in _lines(old):
                    found = _correction(each)
                    new.write(each if found is None or found.id != page_id else line)
        except OSError as error:
            raise write_failure(f"corrections {self.path}", error) from error

    @contextmanager
    def _opened(self) -> Iterator[AppendFile]:
        """Open the file with an exclusive lock, its last line complete."""
        end = time.monotonic() + WAIT_S
        while True:
            try:
                file = AppendFile(self.path, label=f"corrections {self.path}")
            except StoreLockedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
                continue
            if os.path.samestat(os.fstat(file.fd), self.path.stat()):
                break
            file.close()  # another process has replaced it meanwhile
        try:
            file.mend_lines("gold page", is_gold)
            yield file
        finally:
            file.close()


def _lines(file: Any) -> Iterator[bytes]:
    while line := file.readline(MAX_LINE_BYTES + 1):
        yield line


def _gold(line: bytes) -> dict[str, Any] | None:
    """Return a line as a gold page's record, or None if it is not one."""
    try:
        record: dict[str, Any] = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if is_gold_record(record) else None


def is_gold(line: bytes) -> bool:
    """Return True if a line is a gold page's, a correction or not."""
    return _gold(line) is not None


def line_error(line: bytes) -> str:
    """Return what is wrong with a line of a file of corrections; "" if it is a correction, or another gold page."""
    record = _gold(line)
    if record is None:
        return "no gold page" if line.strip() else ""
    return "no correction, or not as it was written" if "marked" in record and _built(record) is None else ""


def _correction(line: bytes) -> Correction | None:
    record = _gold(line)
    return None if record is None or "marked" not in record else _built(record)


def _built(record: dict[str, Any]) -> Correction | None:
    try:
        found = build(Correction, record)
        datetime.fromisoformat(found.made_at)
        first = min(chain(found.leaves, *(mark.leaves for mark in found.marked)), default=0)
    except UNREADABLE:
        return None
    return found if first >= 0 else None
