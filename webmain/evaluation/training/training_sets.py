"""The collections of gold pages that a page model is trained on: where they lie, their licence, their digest."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from webmain.evaluation.gold import Gold, GoldError, read_gold
from webmain.evaluation.records import GoldPage
from webmain.evaluation.training.boosting import TrainingError

_ENDINGS: Final = (".jsonl.gz", ".jsonl", "")
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Licence:
    """Under what a collection may be used.

    Attributes
    ----------
    name : str
        Of its annotations and code; the pages' text remains its publishers'.
    credit : str
        Whom to name.
    """

    name: str
    credit: str


LICENCES: Final = {
    "wcxb_dev": Licence(name="CC-BY-4.0", credit="WCXB, Murrough Foley, 2026"),
    "fundus": Licence(name="MIT", credit="Fundus, 2023"),
}
"""The collections that the shipped model is trained on; the names are those of their files."""

UNKNOWN: Final = Licence(name="unknown", credit="")


@dataclass(frozen=True, kw_only=True)
class TrainingSet:
    """One collection.

    Attributes
    ----------
    name : str
        Its file's name without endings.
    path : Path
        A file of JSON lines, or a folder in a format that `read_gold` knows.
    sha256 : str
        Digest of the file; of a folder's files with their names otherwise.
    licence : Licence
    """

    name: str
    path: Path
    sha256: str
    licence: Licence


def training_sets(folder: Path, names: Sequence[str]) -> tuple[TrainingSet, ...]:
    """Find collections by name in a data folder.

    Parameters
    ----------
    folder : Path
    names : sequence of str
        Of NAME.jsonl.gz, NAME.jsonl, or a folder NAME.

    Raises
    ------
    TrainingError
        The folder, or one of them, is missing or can not be read; a name is given twice, or is a path.
    """
    if not folder.is_dir():
        raise TrainingError(f"no data folder at {folder}: it must hold the training sets, as {_as_files(names)}")
    if not names or len(set(names)) != len(names):
        raise TrainingError(f"training sets: got {', '.join(names) or 'none'}, each must be named once")
    return tuple(_training_set(folder, name) for name in names)


def check_set(path: Path) -> TrainingSet:
    """Return a collection for checks, given by its path.

    Raises
    ------
    TrainingError
        There is no such file or folder, or it can not be read.
    """
    if not path.exists():
        raise TrainingError(f"no gold pages at {path}: there is no such file or folder")
    return _of_path(_name_of(path), path)


def _training_set(folder: Path, name: str) -> TrainingSet:
    if Path(name).name != name or name in ("", ".", ".."):
        raise TrainingError(f"training set: got {name!r}, allowed is the name of a file in {folder} without its ending")
    for ending in _ENDINGS:
        path = folder / f"{name}{ending}"
        if path.exists():
            return _of_path(name, path)
    raise TrainingError(f"no training set {name!r} in {folder}: looked for {_as_files([name])}, or a folder {name}")


def _of_path(name: str, path: Path) -> TrainingSet:
    try:
        digest = _digest(path)
    except OSError as error:
        raise TrainingError(f"{path} can not be read: {error.strerror or error}") from error
    return TrainingSet(name=name, path=path, sha256=digest, licence=LICENCES.get(name, UNKNOWN))


def _name_of(path: Path) -> str:
    name = path.resolve().name
    for ending in (".gz", ".jsonl"):
        name = name.removesuffix(ending)
    return name


def _as_files(names: Sequence[str]) -> str:
    return ", ".join(f"{name}.jsonl.gz" for name in names)


def _digest(path: Path) -> str:
    if not path.is_dir():
        return _file_digest(path)
    whole = hashlib.sha256()
    for file in sorted(p for p in path.rglob("*") if p.is_file()):
        whole.update(f"{_file_digest(file)}  {file.relative_to(path).as_posix()}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def _file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def digest_of(sets: Sequence[TrainingSet]) -> str:
    """Return one digest of several collections: SHA-256 over the lines `DIGEST  NAME`, as `sha256sum` writes them."""
    return hashlib.sha256("".join(f"{s.sha256}  {s.name}\n" for s in sets).encode("utf-8", "replace")).hexdigest()


def gold_of(one: TrainingSet) -> Gold:
    """Return a collection's pages, to iterate over.

    Raises
    ------
    TrainingError
        It is in no known format.
    """
    try:
        return read_gold(one.path)
    except GoldError as error:
        raise TrainingError(str(error)) from error


def pages_of(sets: Sequence[TrainingSet]) -> list[GoldPage]:
    """Read the pages of collections that have a main text, in their order.

    Raises
    ------
    TrainingError
        One of them has no such page, or two pages have the same name.
    """
    pages: list[GoldPage] = []
    seen: set[tuple[str, str]] = set()
    for one in sets:
        gold = gold_of(one)
        try:
            found = [page for page in gold if page.text]
        except GoldError as error:
            raise TrainingError(str(error)) from error
        if not found:
            raise TrainingError(f"{one.path} holds no page with a main text ({gold.dropped})")
        if doubled := next(((p.dataset, p.id) for p in found if (p.dataset, p.id) in seen), None):
            raise TrainingError(f"page {doubled[1]} of {doubled[0]} is in two of the training sets")
        seen.update((page.dataset, page.id) for page in found)
        pages += found
    return pages
