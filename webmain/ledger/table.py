"""Tables of the ledger whose columns are the fields of a record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from types import NoneType
from typing import Any, Generic, TypeVar, get_args, get_type_hints

R = TypeVar("R")


class Table(Generic[R]):
    """Statements for a table, and its rows as records; a row with a value of a wrong type is damaged.

    Numbers have to be finite, counts not negative.

    Parameters
    ----------
    name : str
    record : type
        A dataclass; its fields that are texts, numbers or bytes, or None, are columns.
    **others
        The types of further columns.
    """

    def __init__(self, name: str, record: type[R], **others: Any) -> None:
        plain = {str, int, float, bytes, NoneType}
        kinds = {name: set(get_args(kind)) or {kind} for name, kind in (get_type_hints(record) | others).items()}
        names = [each.name for each in fields(record)]  # type: ignore[arg-type]
        self._record = record
        self._fields = [each for each in names if kinds[each] <= plain and each not in others]
        self._kinds = {each: kinds[each] for each in (*self._fields, *others)}
        columns = ", ".join(self._kinds)
        self.select = f"SELECT {columns} FROM {name}"  # noqa: S608 - constants
        self.put = f"REPLACE INTO {name} ({columns}) VALUES ({', '.join('?' * len(self._kinds))})"  # noqa: S608

    def values(self, row: Sequence[Any] | None) -> dict[str, Any] | None:
        """Return the values of a selected row by column; None if there is none, or it is damaged."""
        if row is None or not all(map(_fits, row, self._kinds.values())):
            return None
        return dict(zip(self._kinds, row, strict=True))

    def record(self, row: Sequence[Any] | None) -> R | None:
        """Return a selected row as a record; None if there is none, or it is damaged."""
        values = self.values(row)
        return None if values is None else self._record(**values)

    def records(self, rows: Sequence[Sequence[Any]]) -> list[R]:
        """Return the records of those rows that are not damaged."""
        return [record for row in rows if (record := self.record(row)) is not None]

    def row(self, record: R, *others: Any) -> tuple[Any, ...]:
        """Return the values of a record for `put`, followed by those of the further columns."""
        return (*(getattr(record, name) for name in self._fields), *others)


def _fits(value: object, kinds: set[type]) -> bool:
    if isinstance(value, int | float):
        return math.isfinite(value) and (float in kinds or (type(value) in kinds and value >= 0))
    return type(value) in kinds
