"""The JSONL store: one article per line, appended to the file.

Each line is written by one `os.write` to a file opened for appending. Existing lines are never changed, except that an
unfinished last line of a killed process is cut off. An article stored again with the same title, text and metadata is not
written again. With another title or text it becomes a new line with the same id and a higher `revision`; with other
metadata only, a new line of the same revision. The last line of an id counts.

Each line ends with a checksum (`crc32`), so that opening a file finds damaged lines without parsing all of their JSON. A
damaged line does not count: its article is unknown, and a crawl fetches it again.

One process writes to a file at a time (an advisory lock, `flock`); readers need no lock and see complete lines only.
"""

from __future__ import annotations

import json
import logging
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from webmain.article.identity import content_mark, identify
from webmain.files import AppendFile, StoreDamagedError, StoreSpecError
from webmain.items import Article
from webmain.items.codec import UNREADABLE, encode, plain
from webmain.items.page import is_gold_record
from webmain.revisions.kinds import ChangeKind
from webmain.store.protocol import Outcome, Revision, Store, Stored, newer_schema, read_time, utc_now
from webmain.store.revisions import compare_visit
from webmain.store.url_variants import candidate_ids

logger = logging.getLogger(__name__)

HEAD = ("id", "fingerprint", "revision", "stored_at")
"""The first keys of each line, so that a scan can stop after them; two of them are the store's own."""

_KNOWN = struct.Struct("<16sIQ")  # fingerprint, revision, offset of the line
_LINE_HEAD = re.compile(
    rb'\{"id": "([^"\\]{1,200})", "fingerprint": "([0-9a-f]{32})", "revision": ([0-9]{1,9}), '
    rb'"stored_at": "[0-9T:.+Z-]{0,40}", '
)
_ID = re.compile(rb'"id": "([^"\\]{1,200})"')
_CRC = b', "crc32": "%08x"}'
_CRC_LENGTH = len(_CRC % 0)
MAX_NAMED = 10  # most damaged lines whose numbers are logged; all are counted
_COMPRESSED = (".gz", ".zst", ".bz2", ".xz", ".br")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a store."""

    number: int  # from 1
    offset: int  # in bytes
    data: bytes  # line end included
    # of its article; "" if it is not an article record, or is damaged
    id: str = ""
    mark: bytes = b""
    revision: int = 0
    is_damaged: bool = False


class JsonlStore(Store):
    """Articles as lines of one file.

    A killed process loses nothing that was committed; a power cut may lose the last seconds.

    Opening reads the beginning of every line once to build an index: about 200 bytes of memory per article.

    Raises StoreSpecError, NotAStoreError, StoreLockedError, StoreWriteError (see `webmain.files`).
    The file is created, with its folders, if missing. `read_only`: take no lock, repair nothing, refuse to add. `clock`:
    returns the time written as `stored_at`.
    """

    scheme = "jsonl"

    def __init__(self, path: str | Path, *, read_only: bool = False, clock: Callable[[], datetime] = utc_now) -> None:
        super().__init__(path, read_only=read_only)
        self.cut_bytes = 0  # length of the unfinished last line that was cut off on opening; 0 as a rule
        # complete lines that are not article records, or were damaged; they are left in the file and skipped
        self.damaged_lines = 0
        self._lost: set[str] = set()
        self._clock = clock
        self._done: list[Stored] = []
        self._known: dict[str, bytes] = {}
        if self.path.suffix.lower() in _COMPRESSED:
            raise StoreSpecError(
                f"store jsonl:{path}: a compressed file cannot be appended to safely; "
                f"write jsonl:{self.path.with_suffix('')} and compress it with an export"
            )
        self._file = AppendFile(self.path, label=f"store {self.spec}", read_only=read_only)
        try:
            if read_only:
                self._file.check_first_line("article record", is_ours)
            else:
                self.cut_bytes = self._file.mend_lines("article record", is_ours)
            self._scan()
        except BaseException:
            self._file.close()
            raise

    @property
    def may_lack(self) -> bool:
        """Whether damage was found on opening, so that articles may be missing."""
        return self.damaged_lines > 0 or self.cut_bytes > 0

    def commit(self) -> tuple[Stored, ...]:
        """Append the waiting articles, one line each; return what happened to each.

        Raises StoreFullError, StoreWriteError: the lines before the failing one are whole and are returned by the next
        successful commit; the others still wait.
        """
        self._check_usable()
        self._file.check_there()
        while self._buffer:
            self._done.append(self._write(self._buffer[0]))
            del self._buffer[0]
        done, self._done = tuple(self._done), []
        return done

    def get(self, article_id: str) -> Article | None:
        """Return the last revision of an article."""
        self._check_usable()
        known = self._known.get(article_id)
        if known is None:
            return None
        offset: int = _KNOWN.unpack(known)[2]
        with self.path.open("rb") as file:
            data = _line_at(file, offset)
        found = _read(data)
        if found is None or identify(found[0]) != article_id:
            reason = newer_schema(data) or f"it is not article {article_id} any more"
            raise StoreDamagedError(f"store {self.spec}: the line at byte {offset} cannot be read: {reason}")
        return found[0]

    def revisions(self, article_id: str) -> Iterator[Revision]:
        """Yield all texts of an article, the earliest first; reads the file once."""
        self._check_usable()
        if article_id not in self._known:
            return
        found: dict[int, Revision] = {}
        with self.path.open("rb") as file:
            for line in read_lines(file):
                if line.id == article_id and not line.is_damaged and (read := _read(line.data)) is not None:
                    article, record = read
                    first = found.get(line.revision)
                    stored_at = first.stored_at if first else read_time(record.get("stored_at"))
                    found[line.revision] = Revision(number=line.revision, stored_at=stored_at, article=article)
        yield from found.values()

    def find(self, name: str) -> str | None:
        """Return the id of the article with an id or at a URL; reads the file only if the id is not enough."""
        self._check_usable()
        return next((each for each in candidate_ids(name) if each in self._known), None) or super().find(name)

    def mark_gone(self, name: str, *, when: datetime, status: int) -> bool:
        """Record that an article's page is gone, by a line with `gone_at` and the same revision."""
        self._check_usable(writing=True)
        found = self.find(name)
        article = self.get(found) if found else None
        if found is None or article is None:
            return False
        if article.gone_at is None:
            revision: int = _KNOWN.unpack(self._known[found])[1]
            self._append(found, replace(article, gone_at=when, gone_status=status), revision)
        return True

    def has(self, article_id: str) -> bool:
        """Return True if an article is committed, in its last revision."""
        return article_id in self._known and article_id not in self._lost

    def articles(self) -> Iterator[Article]:
        """Yield the articles in their last revision, in the order of the file; damaged lines are left out."""
        self._check_usable()
        with self.path.open("rb") as file:
            for offset in sorted(_KNOWN.unpack(known)[2] for known in self._known.values()):
                data = _line_at(file, offset)
                found = _read(data)
                if found is None:
                    reason = newer_schema(data) or "it is no article record"
                    logger.warning("store %s: the line at byte %d is skipped: %s", self.spec, offset, reason)
                else:
                    yield found[0]

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        """Yield (id, fingerprint) of every article."""
        self._check_usable()
        for article_id, known in self._known.items():
            yield article_id, _KNOWN.unpack(known)[0].hex()

    def count(self) -> int:
        """Return the number of articles: ids, not lines."""
        self._check_usable()
        return len(self._known)

    def _release(self) -> None:
        self._file.close()

    def _scan(self) -> None:
        """Read id, fingerprint, revision and position of every complete line."""
        first: list[str] = []  # numbers of the first damaged lines
        newer = ""
        with self.path.open("rb", buffering=1 << 20) as file:
            for line in read_lines(file):
                if not line.is_damaged:
                    self._known[line.id] = _KNOWN.pack(line.mark, line.revision, line.offset)
                    self._lost.discard(line.id)
                    continue
                self.damaged_lines += 1
                self._lost.add(line.id)
                if len(first) < MAX_NAMED:
                    first.append(str(line.number))
                    newer = newer or newer_schema(line.data)
        if self.damaged_lines:
            logger.warning(
                "store %s: %s damaged or no article records, and count as not stored: %s%s; left alone (%s)",
                self.spec,
                "1 line is" if self.damaged_lines == 1 else f"{self.damaged_lines} lines are",
                ", ".join(first),
                " ..." if self.damaged_lines > MAX_NAMED else "",
                newer or "see `webmain check`",
            )

    def _write(self, article: Article) -> Stored:
        """Append an article unless it is stored with the same title, text and metadata."""
        name = identify(article)
        if name not in self._known:
            self._append(name, article, 1)
            return Stored(id=name, url=article.url, outcome=Outcome.NEW, revision=1)
        try:
            before = self.get(name)
        except StoreDamagedError:
            before = None
        found = compare_visit(before, article)
        outcome = Outcome.UNCHANGED if found.change is ChangeKind.NONE else Outcome.CHANGED
        revision: int = _KNOWN.unpack(self._known[name])[1] + (outcome is Outcome.CHANGED)
        if found.is_new:
            self._append(name, found.article, revision)
        return Stored(id=name, url=article.url, outcome=outcome, revision=revision, change=found.change)

    def _append(self, name: str, article: Article, revision: int) -> None:
        """Append a line."""
        mark = content_mark(article)
        head = {"id": name, "fingerprint": mark, "revision": revision, "stored_at": self._clock().isoformat()}
        line = encode(head | {key: value for key, value in plain(article).items() if key not in HEAD}).encode()
        offset = self._file.append(line[:-1] + _checksum(line[:-1]) + b"\n")
        self._known[name] = _KNOWN.pack(_digest(mark), revision, offset)
        self._lost.discard(name)


def read_lines(file: BinaryIO) -> Iterator[Line]:
    """Yield the complete lines of a store with their records, damaged ones too; blank lines are left out."""
    offset = 0
    for number, data in enumerate(file, 1):
        if not data.endswith(b"\n"):
            return  # another process is writing it, or died while doing so
        if data.strip():
            yield from _read_line(data, number, offset)
        offset += len(data)


def _read_line(data: bytes, number: int, offset: int) -> Iterator[Line]:
    """Yield what a line holds; if a lost line end has joined two lines, the second one is whole."""
    if (line := _whole_line(data, number, offset)) is not None:
        yield line
        return
    found = _ID.search(data, 0, 400)
    lost = found[1].decode(errors="replace") if found else ""
    yield Line(number=number, offset=offset, data=data, id=lost, is_damaged=True)
    begin = data.rfind(b'{"id": "', 1)
    if begin > 0 and (line := _whole_line(data[begin:], number, offset + begin)) is not None:
        yield line


def _line_at(file: BinaryIO, offset: int) -> bytes:
    file.seek(offset)
    return file.readline()


def is_ours(line: bytes) -> bool:
    """Return True if a line is an article record, was one before it was damaged, or is one of a newer schema."""
    if sum(b'"%s": ' % name.encode() in line[:400] for name in HEAD) >= 2 or _read(line) is not None:
        return True
    ends_as_ours = line[-_CRC_LENGTH - 1 :].startswith(_CRC[:11])  # whatever has become of its beginning
    return ends_as_ours or (b'"text":' in line and bool(newer_schema(line)))


def _checksum(line: bytes) -> bytes:
    """Return the end of a line: its checksum, which does not cover the time it was stored."""
    head = _LINE_HEAD.match(line)
    return _CRC % (zlib.crc32(line[head.end() :], zlib.crc32(b" ".join(head.groups()))) if head else zlib.crc32(line))


def _whole_line(data: bytes, number: int, offset: int) -> Line | None:
    """Return a line, or None if it is not an article record or is damaged."""
    end = data[-_CRC_LENGTH - 1 : -1]
    if end.startswith(_CRC[:11]):
        if end != _checksum(data[: -_CRC_LENGTH - 1]):
            return None
        if match := _LINE_HEAD.match(data):
            name, mark, revision = match[1].decode(errors="replace"), bytes.fromhex(match[2].decode()), int(match[3])
            return Line(number=number, offset=offset, data=data, id=name, mark=mark, revision=revision)
    found = _read(data)  # an unusual id, or a line of another program: other key order, no revision, no checksum
    if found is None:
        return None
    article, record = found
    revision = record.get("revision", 1)
    if not isinstance(revision, int) or not 0 < revision < 1 << 31:
        revision = 1
    mark = _digest(content_mark(article))
    return Line(number=number, offset=offset, data=data, id=identify(article), mark=mark, revision=revision)


def _read(line: bytes) -> tuple[Article, dict[str, Any]] | None:
    """Return a line's article and its whole record, or None if it is not an article record, but a gold page's."""
    try:
        record = json.loads(line)
        if is_gold_record(record) or not isinstance(record["text"], str) or not isinstance(record.get("id", ""), str):
            return None
        return Article.from_dict(record), record
    except UNREADABLE:
        return None


def _digest(mark: str) -> bytes:
    """Return a fingerprint of any form as 16 bytes."""
    try:
        digest = bytes.fromhex(mark)
    except ValueError:
        digest = b""
    return digest if len(digest) == 16 else mark.encode("utf-8", "surrogatepass")[:16].ljust(16, b"\0")
