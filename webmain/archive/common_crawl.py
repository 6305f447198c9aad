"""Common Crawl's news archives: the files of a month, and which of their records are wanted.

References: https://commoncrawl.org/blog/news-dataset-available. A month's list, `crawl-data/CC-NEWS/2026/10/warc.paths.gz`,
has the paths of its WARC files, one per line, relative to the same base; each record is a gzip member.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from webmain.archive.decoding import decode_body
from webmain.urls import host

BASE: Final = "https://data.commoncrawl.org/"
FOLDER: Final = "crawl-data/CC-NEWS/"

MAX_LIST_BYTES: Final = 8 << 20
"""Largest list, compressed; four times that uncompressed. A typical one has some kilobytes."""

MAX_FILES: Final = 20_000  # the most files of a month; it usually has several hundred

LATE: Final = timedelta(days=7)
"""A page may be fetched this long after it was published; records later than that after `until` are skipped unread."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}\.warc(?:\.gz)?")


@dataclass(frozen=True, slots=True)
class FileList:
    """The files of a month, relative to the base, and the number of lines of its list that were refused."""

    paths: tuple[str, ...]
    n_refused: int


def list_of(month: str) -> str:
    """Return the path of the list for a month ("2026/10")."""
    return f"{FOLDER}{month}/warc.paths.gz"


def read_list(packed: bytes, month: str) -> FileList:
    """Parse a month's list; lines for anything but a WARC file in the month's own folder are refused.

    Raises TooLargeError: uncompressed, it is larger than allowed. A ValueError.
    """
    text = decode_body(packed, content="gzip", max_bytes=4 * MAX_LIST_BYTES)
    folder = f"{FOLDER}{month}/".encode()
    found: dict[str, None] = {}
    n_refused = 0
    for match in re.finditer(rb"[^\r\n]+", text):
        line = match[0].strip() if len(match[0]) < 1_000 else b"?"
        name = line[len(folder) :].decode("latin-1") if line.startswith(folder) else ""
        if _NAME.fullmatch(name) and (len(found) < MAX_FILES or folder.decode() + name in found):
            found[folder.decode() + name] = None
        elif line:
            n_refused += 1
            if n_refused >= MAX_FILES:
                break
    return FileList(tuple(found), n_refused)


class RecordFilter:
    """Decides from a record's header whether it can be wanted.

    A page is published before it is fetched: one fetched before `since` is too old. One fetched up to `LATE` after `until`
    is read, and its own date decides.

    `domains`: hosts whose pages are wanted, including their subdomains; empty for all.
    """

    def __init__(
        self, domains: Iterable[str] = (), *, since: datetime | None = None, until: datetime | None = None
    ) -> None:
        self.domains = frozenset(domains)
        self._since = since
        self._until = until + LATE if until is not None else None
        self.n_passed = 0  # number of records that were not wanted

    def __call__(self, _offset: int, url: str | None, fetched_at: datetime | None) -> bool:
        """Return True if a record has to be read (see `webmain.archive.warc.IsWanted`)."""
        is_wanted = self._is_wanted(url, fetched_at)
        self.n_passed += not is_wanted
        return is_wanted

    def _is_wanted(self, url: str | None, fetched_at: datetime | None) -> bool:
        if fetched_at is not None and self._since is not None and fetched_at < self._since:
            return False
        if fetched_at is not None and self._until is not None and fetched_at > self._until:
            return False
        name = host(url or "")
        while self.domains and name:
            if name in self.domains:
                return True
            name = name.partition(".")[2]
        return not self.domains
