"""Articles to files for other programs: JSON Lines, a table of metadata, a folder of plain texts.

An export is written beside its place and moved there when it is whole (`os.replace`): what stood there before stays
until then, and a killed export leaves a `.part` behind, never half a file under the right name.
"""

from __future__ import annotations

import csv
import errno
import gzip
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from webmain.article.identity import identify
from webmain.items import Article
from webmain.store.protocol import StoreFullError, StoreSpecError, StoreWriteError
from webmain.store.record import clean, encode, plain

if TYPE_CHECKING:
    from typing_extensions import Buffer


class Format(StrEnum):
    """What an export may be."""

    JSONL = "jsonl"  # one record a line; .gz and .zst compress
    CSV = "csv"  # one row of metadata an article, without its text; .gz and .zst compress
    TEXT = "text"  # a folder: SITE/ID.txt


COLUMNS = (
    *("id", "url", "canonical_url", "site", "title", "authors", "published", "modified", "description", "site_name"),
    *(
        "section",
        "tags",
        "language",
        "language_score",
        "language_declared",
        "image",
        "licence",
        "paywalled",
        "opt_outs",
    ),
    *("extractor", "confidence", "n_words", "n_parts", "fetched_at", "status", "duplicate_of", "fingerprint"),
)
"""The columns of the CSV export; lists are joined by semicolons."""


def export(articles: Iterable[Article], path: str | Path, *, format: Format | str) -> int:  # noqa: A002 - the word users know
    """Write articles to a file or a folder; return how many.

    Parameters
    ----------
    articles : iterable of Article
        For example `Store.articles()`; read once, held one at a time.
    path : str or Path
        The file; for `text` the folder, whose files are replaced one by one.
    format : Format
        `jsonl`, `csv` or `text`.

    Raises
    ------
    StoreSpecError
        The format is unknown.
    StoreWriteError, StoreFullError
        The system refused to write; nothing stands at `path` that was not there before.
    """
    try:
        form = Format(format)
    except ValueError as error:
        raise StoreSpecError(f"export format {format!r}: unknown; allowed are {', '.join(Format)}") from error
    place = Path(path).expanduser()
    writers = {Format.JSONL: _jsonl, Format.CSV: _csv, Format.TEXT: _texts}
    try:
        return writers[form](articles, place)
    except OSError as error:
        kind = StoreFullError if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else StoreWriteError
        raise kind(f"export {place}: {error.strerror or error}") from error


def _jsonl(articles: Iterable[Article], path: Path) -> int:
    n = 0
    with _whole(path) as file:
        for article in articles:
            file.write(encode(plain(article) | {"id": identify(article)}) + "\n")
            n += 1
    return n


def _csv(articles: Iterable[Article], path: Path) -> int:
    n = 0
    with _whole(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for article in articles:
            record = plain(article) | {"id": identify(article)}
            writer.writerow([_cell(record[column]) for column in COLUMNS])
            n += 1
    return n


def _texts(articles: Iterable[Article], folder: Path) -> int:
    n = 0
    for article in articles:
        file = folder / _safe(article.site or "unknown") / f"{_safe(identify(article))}.txt"
        with _whole(file) as out:
            out.write(clean(article.text) + "\n")
        n += 1
    return n


def _cell(value: Any) -> Any:
    """Return a value as a cell; a text that a spreadsheet would run as a formula is disarmed by an apostrophe."""
    if isinstance(value, list):
        value = "; ".join(value)
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, str):
        return value
    value = clean(value.replace("\0", ""))
    return "'" + value if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def _safe(name: str) -> str:
    """Return a name that stays in its folder."""
    return "".join(c if c.isalnum() or c in ".-_" else "_" for c in clean(name)).lstrip(".")[:100] or "_"


@contextmanager
def _whole(path: Path) -> Iterator[TextIO]:
    """Open a text file that appears under its name when it is whole; compressed by its suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    part = path.with_name(path.name + ".part")
    opened = _open_text(part, path.suffix.lower())
    try:
        with opened as file:
            yield file
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _open_text(part: Path, suffix: str) -> TextIO:
    """Open for writing UTF-8 with plain new lines; equal articles give equal bytes."""
    if suffix == ".gz":
        raw = part.open("wb")
        return _Closing(gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0), raw)
    if suffix == ".zst":
        raw = part.open("wb")
        return _Closing(_ZstdFile(raw), raw)
    return part.open("w", encoding="utf-8", newline="\n")


class _Closing(io.TextIOWrapper):
    """UTF-8 text over a compressor, which does not close the file below it."""

    def __init__(self, compressor: io.RawIOBase | io.BufferedIOBase, below: BinaryIO) -> None:
        super().__init__(cast("BinaryIO", compressor), encoding="utf-8", newline="\n")
        self._below = below

    def close(self) -> None:
        """Finish the compression, then close the file."""
        try:
            super().close()
        finally:
            self._below.close()


class _ZstdFile(io.RawIOBase):
    """A Zstandard stream for writing."""

    def __init__(self, file: BinaryIO) -> None:
        from fastwarc.stream_io import ZstdWriter

        self._writer = ZstdWriter(file)

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Buffer) -> int:
        """Compress and write."""
        self._writer.write(bytes(data))
        return memoryview(data).nbytes

    def close(self) -> None:
        """Finish the frame."""
        if not self.closed:
            self._writer.finish()
            self._writer.flush()
        super().close()
