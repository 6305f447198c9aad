"""The file that a command writes: its argument, and that it is none of the files that the command reads."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from webmain.cli.exits import USAGE, Failure

_BESIDE = ("-wal", "-shm", "-journal", ".ledger", ".ledger-wal", ".ledger-shm", ".ledger-journal", ".review")
"""Ends of the names of files that belong to a store and have its name otherwise."""


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add --output."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE in one step (-: standard output)")


def is_file(name: str | None) -> bool:
    """Return True if --output names a file, not standard output."""
    return name not in (None, "-")


@contextmanager
def output(name: str | None, inputs: Iterable[str | Path]) -> Iterator[TextIO]:
    """Open what --output names; a file is replaced at the end, or left as it is after an exception.

    `inputs`: what the command reads. Raises `Failure` as `refuse_inputs`.
    """
    from webmain.files import replaced_whole

    refuse_inputs(name, inputs)
    if name is None or name == "-":
        yield sys.stdout
        return
    with replaced_whole(Path(name)) as part, part.open("w", encoding="utf-8", errors="replace", newline="") as file:
        yield file


def refuse_inputs(name: str | Path | None, inputs: Iterable[str | Path]) -> None:
    """Raise `Failure` if the file that --output names is one that the command reads, or belongs to a store that it reads.

    `inputs`: files, folders of pages, patterns, `file:` URLs, stores, ledgers; anything else matches nothing.
    """
    if name is None or name == "-":
        return
    place = Path(name).expanduser()
    for given in inputs:
        if any(_is_same(place, file) for file in _files(str(given), is_new=not place.exists())):
            raise Failure(USAGE, f"{name}: this file belongs to what is read ({given}); write to another one")


def _files(given: str, *, is_new: bool) -> Iterator[Path]:
    """Yield the files that an input may name; the pages of a folder or pattern unless the output is new."""
    from webmain.archive.warc import ArchiveError, files_at
    from webmain.cli.sources import local_file
    from webmain.store.registry import split_spec

    for text in filter(None, (given, split_spec(given)[1])):
        with suppress(Failure):  # a web address
            path = local_file(text).expanduser()
            store = str(path).removesuffix(".ledger")
            yield from (path, Path(store), *(Path(store + end) for end in _BESIDE))
            if not is_new:
                with suppress(ArchiveError):
                    yield from files_at(path)


def _is_same(one: Path, other: Path) -> bool:
    with suppress(OSError):
        return one.samefile(other)
    return one.resolve() == other.resolve()
