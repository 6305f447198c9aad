"""Read pages from WARC archives and from folders of HTML files.

Archives are read with FastWARC, record by record; only one page is in memory at a time. Records without an HTML page are
skipped, each with a reason. A damaged record is reported with its offset, and reading continues at the next intact
record.
"""

from __future__ import annotations

import glob
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from webmain.archive.decoding import MAX_BYTES, TooLargeError, decode_body
from webmain.archive.records import Capture as Capture
from webmain.archive.records import Skip as Skip
from webmain.archive.records import date_of, joined, read_answer, read_rendering, target_of
from webmain.items import Page
from webmain.items.rendered import RenderingError

if TYPE_CHECKING:
    from mmap import mmap

    from fastwarc.warc import WarcRecord

_WARC_NAME = re.compile(r"\.warc(\.gz|\.zst|\.lz4)?$", re.IGNORECASE)
_HTML_NAME = re.compile(
    r"\.(html?|xhtml|xht|shtml|php|aspx?|jsp)(\.\d{1,4}|[?@].*)?(\.gz)?$", re.IGNORECASE | re.DOTALL
)
PACKED = (b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")  # how files in Zstandard and LZ4 begin
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # or one in Zstandard with its dictionary, which may contain markup
_MARKUP = re.compile(rb"<(!doctype\s+html|html|head|body|title|meta|article|div|p)\b", re.IGNORECASE)
_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d{1,6}\)(https?://[^\s<>\"']{1,2000})\s*-->", re.IGNORECASE)
_SNIFF = 2048
_VAGUE = frozenset(
    ("", "text/plain", "application/octet-stream", "binary/octet-stream", "unknown/unknown", "content/unknown", "*/*")
)
_DECODED = ("content-encoding", "transfer-encoding", "content-length")


class ArchiveError(ValueError):
    """The path contains nothing that pages can be read from."""


OnSkip = Callable[[Skip, str | None], None]

IsWanted = Callable[[int, str | None, datetime | None], bool]
"""Called with a record's offset, URL and date; returns whether to read it."""


def read_pages(
    path: str | Path, *, on_skip: OnSkip | None = None, max_bytes: int = MAX_BYTES, is_wanted: IsWanted | None = None
) -> Iterator[Page]:
    """Yield the HTML pages of an archive, a folder, a glob or a single HTML file, in a fixed order.

    A WARC record's page has the record's URL, date, status and headers (names in lower case, without the encodings
    that were undone). A file's page has the URL of its comment `<!-- saved from url=... -->` if a browser left one,
    else its `file:` URL, so that the same file keeps the same id; its date is the file's time. Relative links of such
    a page lead nowhere; its canonical link still counts.

    Raises ArchiveError: nothing is there. Raised by the call itself, not at the first page.
    `path`: a WARC file (plain, .gz, .zst, .lz4), a folder (searched recursively for WARC files, and for the endings .html,
    .htm, .xhtml, .shtml, .php, .asp, .aspx and .jsp, also as wget adds to them: page.html.1, page.html?id=5; each also
    .gz), a glob (`**` matches nested folders), or a file whose type is found from its first bytes. `on_skip`: called with
    the reason and the URL (the path of a file or folder) for each record, file or folder without a page. `max_bytes`:
    largest body, before and after decoding. `is_wanted`: as for `read_captures`.
    """
    skip = on_skip or _ignore
    return _pages(files_at(path, on_skip=skip), skip, max_bytes, is_wanted)


def _ignore(reason: Skip, url: str | None) -> None:
    """Ignore skipped records; the default of `on_skip`."""


def _pages(files: Iterator[Path], on_skip: OnSkip, max_bytes: int, is_wanted: IsWanted | None) -> Iterator[Page]:
    for file in files:
        try:
            with file.open("rb") as stream:
                found: Iterable[tuple[Page | Skip, str]]
                if _is_warc(stream):
                    captures = read_captures(stream, on_skip=on_skip, max_bytes=max_bytes, is_wanted=is_wanted)
                    found = ((page_of(capture, max_bytes), capture.url) for _, capture in captures)
                else:
                    found = ((_file_page(file, stream, max_bytes), str(file)),)
                for page, place in found:
                    if isinstance(page, Page):
                        yield page
                    else:
                        on_skip(page, place)
        except OSError:
            on_skip(Skip.UNREADABLE, str(file))


def files_at(path: str | Path, *, on_skip: OnSkip | None = None) -> Iterator[Path]:
    """Return the sorted files that a path refers to; raises ArchiveError if nothing is there.

    `on_skip`: called for other files in folders, and for folders that cannot be read.
    """
    skip = on_skip or _ignore
    place = Path(path).expanduser()
    if place.is_dir():
        return _walk(place, skip)
    if place.exists():
        return iter((place,))
    found = sorted(map(Path, glob.glob(str(place), recursive=True)))  # noqa: PTH207 - absolute patterns too
    if not found:
        raise ArchiveError(
            f"{path}: no such file or folder, and nothing matches it as a pattern; "
            "give a WARC file, a folder of HTML files, or a pattern such as 'pages/*.warc.gz'"
        )
    return (file for match in found for file in (_walk(match, skip) if match.is_dir() else (match,)) if file.is_file())


def is_archive_name(name: str) -> bool:
    """Return True if a file's name is that of an archive."""
    return _WARC_NAME.search(name) is not None


def _walk(folder: Path, skip: OnSkip) -> Iterator[Path]:
    """Yield page and archive files below a folder; links are followed, but each folder is entered only once."""
    seen: set[tuple[int, int]] = set()

    def refused(error: OSError) -> None:
        skip(Skip.UNREADABLE, str(error.filename))

    for root, folders, names in os.walk(folder, followlinks=True, onerror=refused):
        try:
            here = Path(root).stat()
        except OSError:  # removed meanwhile
            continue
        if (here.st_dev, here.st_ino) in seen:
            folders.clear()
            continue
        seen.add((here.st_dev, here.st_ino))
        folders.sort()
        for name in sorted(names):
            file = Path(root, name)
            if (_HTML_NAME.search(name) or is_archive_name(name)) and file.is_file():
                yield file
            else:
                skip(Skip.OTHER_FILE, str(file))


def _is_warc(stream: BinaryIO) -> bool:
    """Return True if the first bytes, uncompressed, are those of an archive; leave the stream at its start."""
    head = stream.read(_SNIFF)
    stream.seek(0)
    is_named = bool(head) and is_archive_name(str(stream.name))
    if head.startswith(b"\x1f\x8b"):
        head = _unpacked(head)
    elif head.startswith((*PACKED, _DICTIONARY)):  # pages are not stored like that
        return True
    return head.startswith(b"WARC/") or (is_named and not _MARKUP.search(head))


def _unpacked(packed: bytes, most: int = 64) -> bytes:
    """Return the first bytes of a gzip member; none if it is damaged."""
    try:
        return zlib.decompressobj(31).decompress(packed, most)
    except zlib.error:
        return b""


def _file_page(file: Path, stream: BinaryIO, max_bytes: int) -> Page | Skip:
    """Return the page in an HTML file."""
    body = stream.read(max_bytes + 1)
    try:
        body = decode_body(body, content="gzip" if body.startswith(b"\x1f\x8b") else "", max_bytes=max_bytes)
    except TooLargeError:
        return Skip.TOO_LARGE
    if is_archive_name(file.name) and not _MARKUP.search(body, 0, _SNIFF):  # empty, or neither WARC nor HTML
        return Skip.DAMAGED
    changed = datetime.fromtimestamp(os.fstat(stream.fileno()).st_mtime, UTC).replace(microsecond=0)
    return Page(url=_file_url(file, body), body=body, fetched_at=changed)


def _file_url(file: Path, body: bytes) -> str:
    """Return the URL that a browser left in a page when it saved it, else the file's."""
    saved = _SAVED_FROM.search(body, 0, _SNIFF)
    return saved[1].decode("ascii", "replace") if saved else file.resolve().as_uri()


def url_of_file(file: Path) -> str | None:
    """Return the URL that `read_pages` gives to the page in a file; None for an archive."""
    with file.open("rb") as stream:
        if _is_warc(stream):
            return None
        head = stream.read(_SNIFF)
    return _file_url(file, _unpacked(head, _SNIFF) if head.startswith(b"\x1f\x8b") else head)


def page_of(capture: Capture, max_bytes: int) -> Page | Skip:
    """Return an archived answer as a page, or why it is not an HTML page of status 200."""
    if capture.status != 200:
        return Skip.STATUS
    headers = joined(capture.headers)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if "html" not in kind and kind not in _VAGUE:
        return Skip.NOT_HTML
    try:
        body = decode_body(capture.body, content=headers.get("content-encoding", ""), max_bytes=max_bytes)
    except TooLargeError:
        return Skip.TOO_LARGE
    if "html" not in kind and not _MARKUP.search(body, 0, _SNIFF):
        return Skip.NOT_HTML
    kept = {name: value for name, value in headers.items() if name not in _DECODED}
    page = Page(url=capture.url, body=body, fetched_at=capture.fetched_at, status=200, headers=kept)
    with suppress(RenderingError):
        return page.drawn(capture.rendering) if capture.rendering is not None else page
    return page


def read_captures(
    stream: BinaryIO, *, on_skip: OnSkip | None = None, max_bytes: int = MAX_BYTES, is_wanted: IsWanted | None = None
) -> Iterator[tuple[int, Capture]]:
    """Yield every HTTP answer of an open WARC file with its record's offset, from the stream's current position.

    Each damage is reported to `on_skip` once, with file and offset, and reading continues after it. Of a record that is not
    wanted only the header is read.
    """
    skip = on_skip or _ignore
    file = str(getattr(stream, "name", "the archive"))
    start: int | None = stream.tell()
    n_again = 0  # bytes read more than once
    is_reported = False
    waiting: tuple[int, Capture] | None = None  # the next record may contain its rendering
    while start is not None:
        begin, url = start, None
        stream.seek(start)
        try:
            for record in _records(stream):
                begin, url, is_reported = record.stream_pos, target_of(record), False
                if waiting is not None:
                    rendering = read_rendering(record, waiting[1])
                    yield waiting[0], replace(waiting[1], rendering=rendering)
                    waiting = None
                    if rendering is not None:
                        continue
                if is_wanted is not None and not is_wanted(begin, url, date_of(record)):
                    continue
                answer = read_answer(record, url, max_bytes)
                if isinstance(answer, Skip):
                    is_reported = answer is Skip.DAMAGED
                    skip(answer, _place(file, begin, url) if is_reported else url)
                elif answer.concurrent:
                    waiting = begin, answer
                else:
                    yield begin, answer
            else:
                end = member_end(stream, begin)
                after = begin + 1 if end is None else end
                if _next_record(stream, after) is None:  # else damage may hide what follows
                    if waiting is not None:
                        yield waiting
                    stream.seek(after)
                    if end is None or stream.read(_FIRST_STEP).strip(b"\0"):  # a record that is cut off
                        skip(Skip.DAMAGED, _place(file, begin, url))
                    return
        except (OSError, ValueError):
            pass
        if waiting is not None:
            yield waiting
            waiting = None
        if not is_reported:
            skip(Skip.DAMAGED, _place(file, begin, url))
        is_reported = True
        reached = stream.tell()
        start = _next_record(stream, begin + 1)
        n_again += max(0, reached - start) if start is not None else 0
        if start is not None and n_again > _MAX_AGAIN + 4 * start:  # records that claim what follows them
            start = _next_record(stream, max(start, reached))


def _records(stream: BinaryIO) -> Iterator[WarcRecord]:
    from fastwarc.warc import ArchiveIterator

    return iter(ArchiveIterator(stream, parse_http=False))


_BEGIN = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|\x04\x22\x4d\x18|WARC/\d\.\d\r?\nWARC-")
_FIRST_STEP, _STEP = 1 << 12, 1 << 20
_OVERLAP = 32
_MAX_AGAIN = 1 << 28
"""Bytes that may be read again after damages, besides four times those before the last one."""


def _next_record(stream: BinaryIO, after: int) -> int | None:
    """Return the offset of the next record, plain or as its own gzip member or frame; None if there is none."""
    at, step = after, _FIRST_STEP
    while True:
        stream.seek(at)
        chunk = stream.read(step)
        for match in _BEGIN.finditer(chunk):
            place = at + match.start()
            if match[0].startswith(b"WARC") or _is_member(stream, place):
                return place
        if len(chunk) < step:
            return None
        at += step - _OVERLAP
        step = min(2 * step, _STEP)


def member_end(stream: BinaryIO | mmap, begin: int) -> int | None:
    """Return the end of the gzip member at an offset: the end of the file if there is none, None if it has no end."""
    stream.seek(begin)
    if stream.read(2) != b"\x1f\x8b":
        stream.seek(0, os.SEEK_END)
        return stream.tell()
    stream.seek(begin)
    decoder = zlib.decompressobj(31)
    try:
        while not decoder.eof and (chunk := stream.read(1 << 16)):
            decoder.decompress(chunk)
    except zlib.error:
        return None
    return stream.tell() - len(decoder.unused_data) if decoder.eof else None


def _is_member(stream: BinaryIO, place: int) -> bool:
    stream.seek(place)
    packed = stream.read(_SNIFF)
    if not packed.startswith(PACKED):
        return _unpacked(packed).startswith(b"WARC/")
    from fastwarc.stream_io import Lz4Reader, ZstdReader

    stream.seek(place)
    try:
        return bool((ZstdReader if packed.startswith(PACKED[0]) else Lz4Reader)(stream).read(5) == b"WARC/")
    except OSError:
        return False


def _place(file: str, offset: int, url: str | None) -> str:
    """Describe the place of damage: the archive, and the broken record or the last intact one before it."""
    if url:
        return f"{file} (at or after the record of {url} at byte {offset})"
    return f"{file} (at or after byte {offset})" if offset else file
