"""How far each archive file was read."""

from __future__ import annotations

from dataclasses import dataclass

from webmain.ledger.table import Table


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


class Archives(Table[Progress]):
    """How far each archive file was read."""

    name = "archives"
    record_type = Progress

    def below(self, prefix: str) -> list[Progress]:
        """Return the files whose path has this prefix; damaged rows are left out."""
        return self._records("substr(path, 1, ?) = ?", (len(prefix), prefix))
