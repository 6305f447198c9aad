"""How far each archive file was read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from typing import Final

from webmain.ledger.file import LedgerFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a file was read with certain filters.

    Attributes
    ----------
    path : str
        The file, and the filters.
    position : int
        Offset of the first record that is not settled, in bytes.
    size, etag : int or None, str or None
        Used to notice that a file was replaced.
    n_records : int
        Records up to that position.
    done_at : float or None
        When the whole file was settled, in seconds since 1970.
    """

    path: str
    position: int = 0
    size: int | None = None
    etag: str | None = None
    n_records: int = 0
    done_at: float | None = None


_NAMES: Final = ", ".join(each.name for each in fields(Progress))
_PUT: Final = f"REPLACE INTO archives ({_NAMES}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - a constant


class Archives:
    """How far each archive file was read."""

    def __init__(self, file: LedgerFile) -> None:
        self._file = file

    def below(self, prefix: str) -> list[Progress]:
        """Return the files whose path has this prefix; damaged rows are left out."""
        rows = self._file.read(
            f"SELECT {_NAMES} FROM archives WHERE substr(path, 1, ?) = ?",  # noqa: S608 - a constant
            (len(prefix), prefix),
        )
        return [Progress(**dict(zip(_NAMES.split(", "), row, strict=True))) for row in rows if _is_sound(row)]

    def note(self, progress: Iterable[Progress]) -> None:
        """Record how far files were read, in one transaction."""
        with self._file.transaction() as db:
            db.executemany(_PUT, [astuple(each) for each in progress])


def _is_sound(row: tuple[object, ...]) -> bool:
    """Return True if each value of a row has a valid type."""
    path, position, size, etag, n_records, done_at = row
    whole = [
        value for value in (position, n_records, 0 if size is None else size) if isinstance(value, int) and value >= 0
    ]
    return (
        isinstance(path, str) and len(whole) == 3 and isinstance(etag, str | None) and isinstance(done_at, float | None)
    )
