r"""Convert records to JSON types or table cells and back, by the declared types of their fields.

Every store, export and `Article.to_dict` use these functions, so that a new field of a record is one line in the record.
Supported are str, int, float, bool, datetime, StrEnum, other records, tuples and mappings of these, each optionally None.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)
"""Exceptions raised when a damaged record is read."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Coder:
    """How values of one type are written and read; None for values that need no conversion."""

    # to JSON types and back; not called with None if the type allows None
    write: Callable[[Any], Any] | None = None
    read: Callable[[Any], Any] | None = None
    is_nested: bool = False  # the value has parts, so a table cell holds it as JSON


@cache
def coders(record_type: Any) -> Mapping[str, Coder]:
    """Return the coder of each field of a record, in the order of the fields."""
    types = get_type_hints(record_type)
    return {f.name: _coder(types[f.name]) for f in fields(record_type)}


def _coder(kind: Any) -> Coder:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        kind = next(each for each in inner if each is not NoneType)
        coder = _coder(kind)
        return coder if kind in _SCALARS else Coder(_or_none(coder.write), _or_none(coder.read), coder.is_nested)
    if origin is tuple:
        item = _coder(inner[0])
        return Coder(_list_of(item.write), _tuple_of(item.read), is_nested=True)
    if origin is not None:  # a mapping with str keys
        item = _coder(inner[1])
        return Coder(_mapping_of(item.write), _mapping_of(item.read), is_nested=True)
    if isinstance(kind, type) and is_dataclass(kind):
        return Coder(plain, partial(build, kind), is_nested=True)
    if issubclass(kind, StrEnum):
        return Coder(str, kind)
    if kind is datetime:
        return Coder(datetime.isoformat, datetime.fromisoformat)
    if kind is bool:
        return Coder(read=bool)
    return Coder(read=_scalar(_SCALARS[kind])) if kind in _SCALARS else Coder()


_SCALARS = {str: (str, NoneType), int: (int, NoneType), float: (float, int, NoneType)}
"""Types that are read as one; None, too, since an empty table cell has no type."""


def _scalar(kinds: tuple[type, ...]) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        is_one = isinstance(value, kinds) and not isinstance(value, bool)
        if not is_one:
            raise TypeError(f"{type(value).__name__} in the place of {kinds[0].__name__}")
        return float(value) if kinds[0] is float and value is not None else value

    return checked


def _or_none(code: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    return code and (lambda value: None if value in (None, "") else code(value))


def _list_of(code: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    return list if code is None else lambda values: list(map(code, values))


def _tuple_of(code: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def read(values: Any) -> tuple[Any, ...]:
        if isinstance(values, str):
            raise TypeError("text in the place of a list")
        return tuple(values or ()) if code is None else tuple(map(code, values or ()))

    return read


def _mapping_of(code: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    return lambda values: {k: code(v) if code else v for k, v in (values or {}).items()}


@cache
def _writers(record_type: Any) -> tuple[Collection[str], Callable[[Any], Any], tuple[tuple[str, Any], ...]]:
    known = coders(record_type)
    return known, attrgetter(*known), tuple((name, coder.write) for name, coder in known.items() if coder.write)


def plain(record: Any) -> dict[str, Any]:
    """Return a record as JSON types, keys in the order of its fields."""
    kind: Any = type(record)
    names, values_of, writers = _writers(kind)
    values = dict(zip(names, values_of(record), strict=True))
    for name, write in writers:
        values[name] = write(values[name])
    return values


def build(record_type: type[T], values: Mapping[str, Any]) -> T:
    """Return the record that `plain` turned into these values; unknown keys are ignored.

    Raises ValueError, which names the field, if the values don't have the expected form.
    """
    known: Any = record_type
    found: dict[str, Any] = {}
    name = ""
    try:
        for name, coder in coders(known).items():
            if name in values:
                found[name] = values[name] if coder.read is None else coder.read(values[name])
        name = ""
        return record_type(**found)
    except UNREADABLE as error:
        raise ValueError(f"{name}: {error}" if name else str(error)) from error


def cells(record_type: Any, values: Mapping[str, Any], names: Collection[str]) -> list[Any]:
    """Return selected plain values of a record as table cells: values with parts as JSON, or None if empty."""
    known = coders(record_type)
    return [(as_json(values[n]) if values[n] else None) if known[n].is_nested else values[n] for n in names]


def of_cells(record_type: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plain values of a row of table cells; columns that are not fields are ignored.

    Raises ValueError, TypeError, RecursionError if the row is damaged.
    """
    found: dict[str, Any] = {}
    for name, coder in coders(record_type).items():
        if name not in row:
            continue
        value: Any = row[name]
        if isinstance(value, bytes):
            raise ValueError(f"bytes in the place of {name}")
        found[name] = json.loads(value) if coder.is_nested and value else value
    return found


def encode(record: Mapping[str, Any], *, indent: int | None = None) -> str:
    r"""Return a record as JSON that every reader accepts; one line without `indent`.

    Lone surrogates (`&#xD800;`, `"\ud83d"` in JSON-LD), which UTF-8 cannot encode, become U+FFFD; NaN, which JSON cannot
    express, becomes null.
    """
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError:
        text = json.dumps(_finite(record), ensure_ascii=False, allow_nan=False, indent=indent)
    return clean(text)


def as_json(value: Any) -> str:
    """Return a value as JSON text; values that JSON cannot express are written as their `str`."""
    return clean(json.dumps(value, ensure_ascii=False, default=str))


def clean(text: str) -> str:
    """Return the text with lone surrogates replaced, so that it can be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def _finite(value: Any) -> Any:
    """Replace NaN and infinities by None, at any depth."""
    if isinstance(value, Mapping):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
