"""Opens block search over an SQLite store; the search itself is in `webmain.store.block_index`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webmain.files import StoreError, StoreSpecError, StoreWriteError
from webmain.store.block_index import BlockIndex as BlockIndex
from webmain.store.registry import SCHEMES, no_store, split_spec
from webmain.store.search_records import Filters as Filters
from webmain.store.sqlite import SqliteStore


@contextmanager
def open_index(spec: str, *, read_only: bool = False) -> Iterator[BlockIndex]:
    """Return the search over a store, for use in a `with` block.

    `spec`: `sqlite:PATH`. `read_only`: change nothing: the index stays as it is. A file that cannot be written is
    opened so, too.
    Raises StoreError if the specification does not name an SQLite store (StoreSpecError), there is no such file, or it
    cannot be opened; see `webmain.store.protocol`.
    """
    location, path = split_spec(spec)
    if not path:
        raise no_store(spec)
    if location != SCHEMES["sqlite"]:
        raise StoreSpecError(f"store {spec!r}: only SQLite stores can be searched: sqlite:PATH")
    place = Path(path).expanduser()
    if not place.exists():
        raise StoreError(f"store {spec}: there is no such file; a crawl with -a store={spec} writes it")
    try:
        store = SqliteStore(place, read_only=read_only)
    except StoreWriteError:
        if read_only:
            raise
        store = SqliteStore(place, read_only=True)  # only what is indexed can be searched; `update` raises
    with store:
        yield store.index()
