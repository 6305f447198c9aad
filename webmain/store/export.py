"""Exports articles for other programs: JSON Lines, a table of metadata, formats of corpus tools, plain texts, Parquet.

An export is written to a temporary file and renamed when complete; an existing file stays until then. A folder of texts
is filled file by file.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TextIO, get_args, get_origin, get_type_hints

from webmain.article.identity import identify
from webmain.files import StoreError, StoreSpecError, replaced_whole, write_failure
from webmain.items import Article
from webmain.items.codec import clean, encode, plain
from webmain.store.corpora import write_tei, write_vertical
from webmain.store.search_records import Filters

Selection = Filters  # its name in earlier versions
ROWS = 500  # records held in memory at a time; also the size of a row group of the file

COLUMNS = tuple(
    "id url canonical_url site title authors published modified description site_name section tags language"
    " language_score language_declared image licence paywalled opt_outs extractor confidence page_type page_type_probability"
    " n_words n_parts fetched_at status gone_at gone_status duplicate_of fingerprint".split()
)
"""The columns of the CSV export; lists are joined by semicolons."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Text that begins like this would be run as a formula by spreadsheets; the last four are full-width signs."""


def export(articles: Iterable[Article], path: str | Path, *, format: str) -> int:  # noqa: A002 - the word users know
    """Write articles to a file or a folder; return their number.

    `format`: `jsonl` (one record per line), `csv` (one row of metadata per article, without its text), `vertical` (one
    token per line, `webmain.store.corpora`), `tei` (a TEI P5 corpus), all compressed if the name ends in .gz; `text` (a
    folder: SITE/ID.txt); `parquet` (all fields as columns, lists and records nested).
    Raises StoreSpecError if the format is unknown. Raises StoreWriteError,
    StoreFullError if the system refused to write; a file at `path` is as it was. Raises StoreError: pyarrow is missing.

    `articles` are read once and held one at a time (for `parquet`, 500). `path`: for `text` a folder, whose files are
    replaced one at a time; others stay.
    """
    if format not in FORMATS:
        raise StoreSpecError(f"export format {format!r}: unknown; allowed are {', '.join(FORMATS)}")
    place = Path(path).expanduser()
    n = 0

    def counted() -> Iterator[Article]:
        nonlocal n
        for n, article in enumerate(articles, 1):  # noqa: B007
            yield article

    try:
        if format in STREAMS:
            with _text_file(place) as file:
                STREAMS[format](counted(), file)
        else:
            _WRITERS[format](counted(), place)
    except OSError as error:
        raise write_failure(f"the output cannot be written: {place}", error) from error
    return n


def _record(article: Article) -> dict[str, Any]:
    return plain(article) | {"id": identify(article)}


def write_jsonl(articles: Iterable[Article], file: TextIO) -> None:
    """Write articles to an open file as `jsonl`: one record per line."""
    for article in articles:
        file.write(encode(_record(article)) + "\n")


def write_csv(articles: Iterable[Article], file: TextIO) -> None:
    """Write articles to an open file as `csv`: one row of metadata per article."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for article in articles:
        record = _record(article)
        writer.writerow([_cell(record[column]) for column in COLUMNS])


def _texts(articles: Iterable[Article], folder: Path) -> None:
    for article in articles:
        place = folder / _file_name(article.site or "unknown") / f"{_file_name(identify(article))}.txt"
        with _text_file(place) as file:
            file.write(clean(article.text) + "\n")


def _parquet(articles: Iterable[Article], path: Path) -> None:
    """Write a Parquet file; times are UTC, to the microsecond; lists, records and mappings are nested."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise StoreError("a Parquet export needs pyarrow: pip install 'webmain[parquet]'") from error
    schema = pa.schema(_columns(Article, pa))
    convert = _arrow_value(pa.struct(schema), pa)
    records = (convert(json.loads(encode(_record(article)))) for article in articles)
    with replaced_whole(path) as part, pq.ParquetWriter(part, schema) as writer:
        while batch := list(islice(records, ROWS)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))


def _columns(record_type: type[Any], pa: Any) -> list[tuple[str, Any]]:
    types = get_type_hints(record_type)
    return [(field.name, _arrow_type(types[field.name], pa)) for field in fields(record_type)]


def _arrow_type(kind: Any, pa: Any) -> Any:
    """Return the Arrow type of a field (`webmain.items.codec` lists the possible types)."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return _arrow_type(next(each for each in inner if each is not NoneType), pa)
    if origin is tuple:
        return pa.list_(_arrow_type(inner[0], pa))
    if origin is not None:
        return pa.map_(pa.string(), _arrow_type(inner[1], pa))
    if is_dataclass(kind):
        return pa.struct(_columns(kind, pa))  # type: ignore[arg-type]
    if kind is datetime:
        return pa.timestamp("us", tz="UTC")
    simple = {int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    return pa.string() if issubclass(kind, StrEnum | str) else simple[kind]


def _arrow_value(kind: Any, pa: Any) -> Any:
    """Return a function that turns a JSON value into one of an Arrow type; None without times and mappings."""
    if pa.types.is_timestamp(kind):
        return lambda value: value and datetime.fromisoformat(value)
    if pa.types.is_map(kind):
        return lambda value: list(value.items())
    if pa.types.is_list(kind):
        item = _arrow_value(kind.value_type, pa)
        return item and (lambda value: list(map(item, value)))
    if pa.types.is_struct(kind):
        inner = {field.name: convert for field in kind if (convert := _arrow_value(field.type, pa))}
        return inner and (lambda value: value | {name: convert(value[name]) for name, convert in inner.items()})
    return None


STREAMS: Mapping[str, Callable[[Iterable[Article], TextIO], None]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "vertical": write_vertical,
    "tei": write_tei,
}
"""Formats that can be written to an open file, such as standard output, and the function that does it."""

_WRITERS: Mapping[str, Callable[[Iterable[Article], Path], None]] = {"text": _texts, "parquet": _parquet}
FORMATS = (*STREAMS, *_WRITERS)


def _cell(value: Any) -> Any:
    """Return a value for a spreadsheet; an apostrophe is put before text that would be run as a formula."""
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, str):
        return value
    value = clean(value.replace("\0", ""))
    return "'" + value if value.startswith(FORMULA_STARTS) else value


def _file_name(name: str) -> str:
    """Return a file name that cannot lead out of its folder."""
    return "".join(c if c.isalnum() or c in ".-_" else "_" for c in clean(name)).lstrip(".")[:100] or "_"


@contextmanager
def _text_file(path: Path) -> Iterator[TextIO]:
    """Open a UTF-8 file that gets its name only when complete; equal articles give equal bytes."""
    with replaced_whole(path) as part, part.open("wb") as raw:
        is_packed = path.suffix.lower() == ".gz"
        below = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) if is_packed else raw
        with io.TextIOWrapper(below, encoding="utf-8", newline="\n") as file:
            yield file
