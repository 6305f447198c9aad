"""Opens stores by their schemes.

`open_store("sqlite:news.db")` opens one, `open_stores("jsonl:news.jsonl,sqlite:news.db")` several that are written to
together. Give your own store by its import path (`webmain.store.protocol.Store`).
"""

from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from webmain.store.multiple_stores import Stores
from webmain.store.protocol import Store, StoreSpecError, errors_as_store_errors

SCHEMES = {"jsonl": "webmain.store.jsonl:JsonlStore", "sqlite": "webmain.store.sqlite:SqliteStore"}
"""The import path of each scheme's class."""

_FORMS = "jsonl:PATH or sqlite:PATH, or module:Class:ADDRESS"


def open_store(spec: str, *, read_only: bool = False) -> Store:
    """Open a store.

    `spec`: `jsonl:PATH`, `sqlite:PATH`, or `package.module:Class:ADDRESS`. A missing file is created, with its folders.
    `read_only`: take no lock and change nothing; the file must be there.
    Raises StoreError if the specification does not name a store (StoreSpecError), or the store cannot be opened; see
    `webmain.files`.
    """
    store_class, address = store_and_path(spec)
    with errors_as_store_errors(spec):
        return store_class(address, read_only=read_only)


def store_and_path(spec: str) -> tuple[type[Store], str]:
    """Return the class of the store that a specification names, and its address; nothing is opened.

    Raises StoreSpecError if the form is unknown, the address is missing, or there is no such class.
    """
    location, address = split_spec(spec)
    if not address:
        raise no_store(spec)
    module, _, name = location.partition(":")
    try:
        store_class = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise StoreSpecError(f"store {spec!r}: {error}; allowed are {_FORMS}") from error
    if not (isinstance(store_class, type) and issubclass(store_class, Store)):
        raise StoreSpecError(f"store {spec!r}: {location} is no webmain.store.protocol.Store; allowed are {_FORMS}")
    return store_class, address


def split_spec(spec: str) -> tuple[str, str]:
    """Return the import path of a specification's class, and the address; "" if there is none."""
    scheme, _, address = spec.strip().partition(":")
    location = SCHEMES.get(scheme.strip().lower())
    if location is None:
        name, _, address = address.partition(":")
        location = f"{scheme.strip()}:{name.strip()}"
    return location, address.strip()


def no_store(spec: str) -> StoreSpecError:
    """Return the error for a specification without a known form or without an address, with advice."""
    scheme = spec.partition(":")[0].strip().lower()
    form = "jsonl" if Path(spec).suffix == ".jsonl" else "sqlite"
    if scheme in SCHEMES:
        return StoreSpecError(f"store {spec!r}: it has no path; allowed are {_FORMS}")
    meant = "" if ":" in spec else f", did you mean {form}:{spec}?"
    return StoreSpecError(f"store {spec!r}: not a store{meant or ';'} {'Allowed' if meant else 'allowed'} are {_FORMS}")


def open_stores(specs: str, *, read_only: bool = False) -> Stores:
    """Open several stores, separated by commas; a comma splits only before a known form, so paths may contain commas.

    Raises StoreError (as `open_store`; also if one file is named twice. The stores already opened are closed again).
    """
    with ExitStack() as opened:
        stores = [opened.enter_context(open_store(spec, read_only=read_only)) for spec in split_specs(specs)]
        opened.pop_all()
    return Stores(stores)


def split_specs(specs: str) -> list[str]:
    """Split at the commas that are followed by a known form; raises StoreSpecError, as `open_stores`."""
    parts: list[str] = []
    for part in filter(str.strip, specs.split(",")):
        if parts and ":" not in part:
            parts[-1] += "," + part
        else:
            parts.append(part.strip())
    if not parts:
        raise StoreSpecError(f"store {specs!r}: nothing is named; allowed are {_FORMS}, several separated by commas")
    addresses = [split_spec(part)[1] for part in parts]
    if "" in addresses:
        raise no_store(parts[addresses.index("")])
    paths = [Path(address).expanduser().resolve() for address in addresses]
    if len(set(paths)) < len(paths):
        raise StoreSpecError(f"store {specs!r}: one file is named twice")
    return parts


def ledger_path(store_spec: str) -> str:
    """Return the path of the ledger beside the first store: "news.jsonl.ledger" for "jsonl:news.jsonl,sqlite:x.db"."""
    address = split_spec(split_specs(store_spec)[0])[1]
    return str(Path(address).expanduser()) + ".ledger"
