"""The door to the stores.

`open_store("sqlite:news.db")` opens one, `open_stores("jsonl:news.jsonl,sqlite:news.db")` several that are written
together.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from webmain.store.jsonl import JsonlStore
from webmain.store.protocol import Store, StoreSpecError
from webmain.store.several import Stores
from webmain.store.sqlite import SqliteStore

_FORMS = "jsonl:PATH or sqlite:PATH"


def open_store(spec: str, *, read_only: bool = False) -> Store:
    """Open one store.

    Parameters
    ----------
    spec : str
        `jsonl:PATH` or `sqlite:PATH`. The file is made where it is not there, with its folders.
    read_only : bool
        Take no lock and change nothing; the file must be there.

    Raises
    ------
    StoreError
        The specification names no store (StoreSpecError), or what it names cannot be opened; see
        `webmain.store.protocol`.
    """
    form, colon, path = spec.strip().partition(":")
    form = form.strip().lower()
    if not colon or form not in ("jsonl", "sqlite"):
        raise StoreSpecError(f"store {spec!r}: unknown form; allowed are {_FORMS}")
    if not path.strip():
        raise StoreSpecError(f"store {spec!r}: the path is missing; allowed are {_FORMS}")
    place = Path(path.strip()).expanduser()
    return JsonlStore(place, read_only=read_only) if form == "jsonl" else SqliteStore(place, read_only=read_only)


def open_stores(specs: str, *, read_only: bool = False) -> Stores:
    """Open several stores, separated by commas; a comma inside a path stays where no form follows it.

    Raises
    ------
    StoreError
        As `open_store`; also where one file is named twice. The stores opened before are closed again.
    """
    with ExitStack() as opened:
        stores: list[Store] = []
        for spec in _split(specs):
            store = open_store(spec, read_only=read_only)
            stores.append(opened.enter_context(store))
        opened.pop_all()
    return Stores(stores)


def _split(specs: str) -> list[str]:
    """Split at the commas after which a form stands."""
    parts: list[str] = []
    for part in specs.split(","):
        form = part.partition(":")[0].strip().lower()
        if parts and ":" not in part and part.strip() and form not in ("jsonl", "sqlite"):
            parts[-1] += "," + part
        elif part.strip():
            parts.append(part.strip())
    if not parts:
        raise StoreSpecError(f"store {specs!r}: nothing is named; allowed are {_FORMS}, several separated by commas")
    paths = [str(Path(part.partition(":")[2].strip()).expanduser().resolve()) for part in parts]
    if len(set(paths)) < len(paths):
        raise StoreSpecError(f"store {specs!r}: one file is named twice")
    return parts
