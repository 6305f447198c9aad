"""Writes records as rows of a Parquet file, with columns derived from their field types; needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from webmain.files import StoreError

ROWS = 500
"""Records held in memory at a time; also the size of a row group of the file."""


def write_parquet(record_type: type[Any], records: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write records, given as JSON types, to a Parquet file.

    Times are UTC, to the microsecond; lists, records and mappings are nested.

    Raises StoreError: pyarrow is missing. Raises OSError if the system refuses.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise StoreError("a Parquet export needs pyarrow: pip install 'webmain[parquet]'") from error
    schema = pa.schema(_columns(record_type, pa))
    times = [field.name for field in schema if pa.types.is_timestamp(field.type)]
    mappings = [field.name for field in schema if pa.types.is_map(field.type)]
    rest = iter(records)
    with pq.ParquetWriter(path, schema) as writer:
        while batch := [dict(record) for record in islice(rest, ROWS)]:
            for row in batch:
                row.update({name: row[name] and datetime.fromisoformat(row[name]) for name in times})
                row.update({name: list(row[name].items()) for name in mappings})
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))


def _columns(record_type: type[Any], pa: Any) -> list[tuple[str, Any]]:
    types = get_type_hints(record_type)
    return [(field.name, _arrow_type(types[field.name], pa)) for field in fields(record_type)]


def _arrow_type(kind: Any, pa: Any) -> Any:
    """Return the Arrow type of a field (`webmain.codec` lists the possible types)."""
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
