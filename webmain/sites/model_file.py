"""The file format of site models: writing, and reading with every claim of the file checked.

ModelError (a ValueError)
├── DamagedModelError       the file is a model, but truncated, altered, too large or unreadable
├── ForeignModelError       the file is not a model, or belongs to another site or method
├── NewerModelError         written by a later webmain
├── OutdatedModelError      of another version of the method, or with other options
└── UnsavableModelError     what was learned is not made of plain values, or the file cannot be written

A file is one JSON object; its first line holds the format's name and the SHA-256 of all that follows.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

from webmain.files import reason_of
from webmain.items.codec import plain

if TYPE_CHECKING:
    from webmain.extractors.base import SiteExtractor

FORMAT: Final = "webmain site model"
FORMAT_VERSION: Final = 1

MAX_BYTES: Final = 64 << 20  # maximum size of a file that is read
MAX_DEPTH: Final = 32  # maximum nesting depth of a model's values

_START: Final = b'{"format": "webmain site model"'
_HEAD = re.compile(rb'\{"format": "webmain site model", "sha256": "([0-9a-f]{64})",\n')
_VERSION = re.compile(rb'"format_version": ?([0-9]{1,9})[,}\s]')
_HEADER_BYTES: Final = 200
_NOT_OPTIONS: Final = frozenset({"learned", "min_pages"})


class ModelError(ValueError):
    """A model cannot be used or written; the message names the file."""

    @property
    def kind(self) -> str:
        """What is wrong, in one word: "damaged", "foreign", ..."""
        return type(self).__name__.removesuffix("ModelError").lower() or "unusable"


class DamagedModelError(ModelError):
    """The file is a model, but damaged."""


class ForeignModelError(ModelError):
    """The file is not a model, or belongs to another site or method."""


class NewerModelError(ModelError):
    """The file was written by a later webmain."""


class OutdatedModelError(ModelError):
    """The model is from another version of the method, or from other options."""


class UnsavableModelError(ModelError):
    """A model cannot be written."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """The contents of a model's file except the weights, in the order of the file."""

    webmain: str  # version of the program that wrote it
    site: str  # site key
    method: str  # the extractor's name
    version: int  # version of what the method learns
    options: Mapping[str, Any]  # its options as plain values
    n_pages: int  # pages it was learned from, as the method counts them: distinct ones, say, or a sample
    pages_given: int  # pages passed to the method, at least `n_pages`
    after_change: bool  # it replaced a model of an earlier layout
    trained_at: datetime  # when it was learned
    # fetch times of the earliest and the latest of its pages
    first_page: datetime | None
    last_page: datetime | None
    quality: float | None  # Cross-validated agreement with the training labels, in [0, 1]
    resemblance: float  # mean resemblance among the pages it was learned from, in [0, 1]
    columns: tuple[str, ...]  # names of its features
    path: Path  # the file, which does not contain this


def options_of(extractor: SiteExtractor) -> dict[str, Any]:
    """Return an extractor's options as plain values; a model is used only if all of them are equal to its own.

    Options that affect judging but not learning count, too. Left out are `min_pages`, `learned`, and fields excluded from
    comparison or `repr`: what is learned, and caches.
    """
    given: Any = extractor
    if not dataclasses.is_dataclass(given):
        return {}
    return {
        f.name: _plain(getattr(given, f.name))
        for f in fields(given)
        if f.name not in _NOT_OPTIONS and f.compare and f.repr and f.init
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value)
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    return str(value)


# ---- Writing


def encode_model(model: Model, weights: Mapping[str, Any]) -> bytes:
    """Return the bytes of a model's file."""
    content = {"format_version": FORMAT_VERSION, **plain(model), "weights": weights}
    del content["path"]
    try:
        _check_plain(content)
        text = json.dumps(content, allow_nan=False, separators=(",", ":"), default=dict)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"{model.path}: what {model.method} has learned cannot be written: {error}"
        raise UnsavableModelError(message) from error
    body = text[1:].encode("ascii") + b"\n"
    if len(body) > MAX_BYTES - 200:
        raise UnsavableModelError(f"{model.path}: the model has {len(body):,} bytes, allowed are {MAX_BYTES:,}")
    head = f'{{"format": "{FORMAT}", "sha256": "{hashlib.sha256(body).hexdigest()}",\n'
    return head.encode() + body


# ---- Reading


def read_content(path: Path) -> Mapping[str, Any] | None:
    """Return a file's content after checking form and checksum; None if the file does not exist."""
    try:
        if not path.is_file() and path.exists():
            raise ForeignModelError(f"{path}: is no file")
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DamagedModelError(f"{path}: {reason_of(error)}") from error
    if len(data) > MAX_BYTES:
        raise DamagedModelError(f"{path}: has more than {MAX_BYTES:,} bytes")
    _check_bytes(data, path)
    try:
        content = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise DamagedModelError(f"{path}: cannot be read: {str(error)[:100] or 'too deep'}") from error
    version = content.get("format_version")
    if type(version) is not int or version < 1:
        raise DamagedModelError(f"{path}: has format version {version!r:.60}")
    _check_version(version, path)
    return dict(content)


def _check_bytes(data: bytes, path: Path) -> None:
    """Raise unless a file has our header and the right checksum; called before anything is parsed."""
    if data[: len(_START)] != _START[: len(data)] and data.strip():
        raise ForeignModelError(f"{path}: is no model")
    if len(data) <= len(_START):
        raise DamagedModelError(f"{path}: cannot be read: it is cut off")
    if version := _VERSION.search(data, 0, _HEADER_BYTES):
        _check_version(int(version[1]), path)
    head = _HEAD.match(data)
    if head is None or hashlib.sha256(memoryview(data)[head.end() :]).hexdigest().encode() != head[1]:
        raise DamagedModelError(f"{path}: was changed or is damaged: its checksum is wrong")


def _check_version(version: int, path: Path) -> None:
    if version > FORMAT_VERSION:
        raise NewerModelError(f"{path}: has format version {version}, this webmain reads up to {FORMAT_VERSION}")


def _refuse(constant: str) -> float:
    raise ValueError(f"holds {constant}")


_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    **dict.fromkeys(("webmain", "site", "method", "trained_at"), (str,)),
    **dict.fromkeys(("first_page", "last_page"), (str, NoneType)),
    **dict.fromkeys(("version", "n_pages", "pages_given"), (int,)),
    "options": (dict,),
    "after_change": (bool,),
    "quality": (int, float, NoneType),
    "resemblance": (int, float),
    "columns": (list,),
}
"""Allowed types of each field of a file."""


def model_of(content: Mapping[str, Any], path: Path) -> tuple[Model, Mapping[str, Any]]:
    """Return a file's header as a record, and the weights."""
    try:
        _check_plain(content)
        older = {"pages_given": content["n_pages"], "after_change": False}  # fields that older files lack
        values = {name: {**older, **content}[name] for name in _TYPES}
        for name, value in values.items():
            if type(value) not in _TYPES[name]:
                raise TypeError(f"{name} is {value!r:.60}")
        if not all(isinstance(column, str) for column in values["columns"]) or not isinstance(content["weights"], dict):
            raise TypeError("columns must be strings, and weights a mapping")
        if min(values["n_pages"], values["pages_given"]) < 1:
            raise ValueError("fewer pages than 1")
        if not (0 <= values["resemblance"] <= 1 and 0 <= (values["quality"] or 0) <= 1):
            raise ValueError("resemblance and quality must be in [0, 1]")
        values["columns"] = tuple(values["columns"])
        for name in ("trained_at", "first_page", "last_page"):
            values[name] = None if values[name] is None else _zoned(values[name])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedModelError(f"{path}: a field is missing or wrong: {error}") from error
    return Model(**values, path=path), content["weights"]


def _check_plain(content: Mapping[str, Any]) -> None:
    """Raise if values are nested too deeply or are not plain values; does not recurse."""
    todo: list[tuple[Any, int]] = [(content, 0)]
    while todo:
        value, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise ValueError(f"nested more than {MAX_DEPTH} deep")
        if isinstance(value, Mapping):
            if not all(type(key) is str for key in value):
                raise TypeError("a key is no string")
            todo.extend((each, depth + 1) for each in value.values())
        elif type(value) in (list, tuple):
            todo.extend((each, depth + 1) for each in value)
        elif value is not None and type(value) not in (bool, int, float, str):
            raise TypeError(f"a {type(value).__name__} is no plain value")
        elif type(value) is float and not math.isfinite(value):
            raise ValueError("a number is not finite")


def _zoned(text: str) -> datetime:
    date = datetime.fromisoformat(text)
    if date.tzinfo is None:
        raise ValueError(f"{text!r:.60} has no time zone")
    return date


def aware(date: datetime) -> datetime:
    """Return a date with a time zone: UTC if it has none."""
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
