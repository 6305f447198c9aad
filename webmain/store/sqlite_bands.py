"""Signatures of near-duplicates in a store's database."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from webmain.store.sqlite_file import SqliteFile
from webmain.text.near_duplicates import Entry, MemoryBands, band_hashes
from webmain.text.shingles import N_PERMUTATIONS


class SqliteBands(MemoryBands):
    """Near-duplicate signatures in the database; uncommitted ones are searched in memory."""

    def __init__(self, file: SqliteFile) -> None:
        super().__init__(max_entries=None)
        self._file = file

    def candidates(self, hashes: Sequence[int]) -> Iterator[Entry]:
        """Yield the entries that share a band, those committed first."""
        marks = ", ".join("?" * len(hashes))
        query = f"""SELECT DISTINCT s.id, s.cluster, s.minhash FROM band AS b JOIN signature AS s ON s.id = b.id
            WHERE b.hash IN ({marks}) ORDER BY s.id LIMIT 1000"""  # noqa: S608 - question marks only
        for name, cluster, minhash in self._file.rows(query, hashes):
            if _is_whole(minhash) and name not in self.entries:
                yield Entry(id=name, cluster=cluster, signature=array("I", minhash))
        yield from super().candidates(hashes)

    def write(self) -> None:
        """Write the waiting signatures, inside the store's transaction."""
        for entry in self.entries.values():
            for (earlier,) in self._file.rows("SELECT minhash FROM signature WHERE id = ?", (entry.id,)):
                self._forget_bands(entry.id, earlier)
            minhash = array("I", entry.signature).tobytes()
            self._file.rows("INSERT OR REPLACE INTO signature VALUES (?, ?, ?)", (entry.id, entry.cluster, minhash))
            pairs = ((each, entry.id) for each in band_hashes(entry.signature))
            self._file.db.executemany("INSERT OR IGNORE INTO band VALUES (?, ?)", pairs)

    def _forget_bands(self, name: str, minhash: Any) -> None:
        """Delete the bands of an earlier signature by their hashes; deleting by id would scan the whole table."""
        if _is_whole(minhash):
            hashes = band_hashes(array("I", minhash))
            self._file.db.executemany("DELETE FROM band WHERE hash = ? AND id = ?", ((each, name) for each in hashes))
        else:
            self._file.rows("DELETE FROM band WHERE id = ?", (name,))


def _is_whole(minhash: Any) -> bool:
    return isinstance(minhash, bytes) and len(minhash) == N_PERMUTATIONS * array("I").itemsize
