"""Tables of the ledger whose columns are the fields of a record."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from types import NoneType
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_type_hints

from webmain.ledger.file import LedgerFile

R = TypeVar("R")

_PLAIN = {str, int, float, bytes, NoneType}


class Table(Generic[R]):
    """A table, and its rows as records; a row with a value of a wrong type is damaged.

    Numbers have to be finite, counts not negative.

    Attributes
    ----------
    name : str
    record_type : type
        A dataclass; its fields that are texts, numbers or bytes, or None, are columns; the first one is the key.
    others : mapping
        Names and types of further columns, for the other fields (`_built`, `_other_values`).
    """

    name: ClassVar[str]
    record_type: ClassVar[type[Any]]
    others: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, file: LedgerFile) -> None:
        self._file = file
        kinds = {
            name: set(get_args(kind)) or {kind}
            for name, kind in {**get_type_hints(self.record_type), **self.others}.items()
        }
        names = [each.name for each in fields(self.record_type)]
        self._fields = [each for each in names if kinds[each] <= _PLAIN and each not in self.others]
        self._kinds = {each: kinds[each] for each in (*self._fields, *self.others)}
        columns, places = ", ".join(self._kinds), ", ".join("?" * len(self._kinds))
        self._select = f"SELECT {columns} FROM {self.name} WHERE "  # noqa: S608 - constants
        self._replace = f"REPLACE INTO {self.name} ({columns}) VALUES ({places})"  # noqa: S608

    def get(self, key: str) -> R | None:
        """Return the record with a key; None if there is none, or its row is damaged."""
        return next(iter(self._records(f"{self._fields[0]} = ?", (key,))), None)

    def _records(self, where: str, values: Sequence[Any]) -> list[R]:
        """Return the records of those selected rows that are not damaged."""
        return [record for record in self._rows(where, values) if record is not None]

    def _rows(self, where: str, values: Sequence[Any]) -> list[R | None]:
        """Return the selected rows as records, None for each damaged one."""
        return [self._read(row) for row in self._file.rows(self._select + where, values)]

    def _read(self, row: Sequence[Any]) -> R | None:
        if not all(map(_fits, row, self._kinds.values())):
            return None
        return self._built(dict(zip(self._kinds, row, strict=True)))

    def save(self, records: Iterable[R]) -> None:
        """Insert or replace rows, all of them or none."""
        with self._file.transaction():
            self._put(records)

    def _put(self, records: Iterable[R]) -> None:
        """Insert or replace rows, in the caller's transaction."""
        rows = [(*(getattr(each, name) for name in self._fields), *self._other_values(each)) for each in records]
        self._file.db.executemany(self._replace, rows)

    def _built(self, values: dict[str, Any]) -> R | None:
        """Return the record of a row's values by column; None if it is damaged."""
        record: R = self.record_type(**values)
        return record

    def _other_values(self, _record: R) -> tuple[Any, ...]:
        """Return a record's values of the further columns."""
        return ()


def _fits(value: object, kinds: set[type]) -> bool:
    if isinstance(value, int | float):
        return math.isfinite(value) and (float in kinds or (type(value) in kinds and value >= 0))
    return type(value) in kinds
