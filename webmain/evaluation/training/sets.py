"""The collections of gold pages that a page model is trained on: their files, licences and digests."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from webmain.clock import once
from webmain.evaluation.gold import read_gold
from webmain.evaluation.gold_records import jsonl_files
from webmain.evaluation.records import GoldPage
from webmain.evaluation.training.boosting import TrainingError
from webmain.files import opened, reason_of
from webmain.urls import site_key

_ENDINGS: Final = (".jsonl.gz", ".jsonl", "")


PERMISSIVE: Final = "permissive"
"""Used instead of names: all known sets with permissive licences."""

CHECKS: Final = ("trafilatura", "newspaper4k", "thai", "htmldate_dates")
"""Collections that are never trained on; pages of their sites are excluded, too."""


@once
def licences() -> dict[str, dict[str, Any]]:
    """Return the licences of the collections that the shipped model is trained on, by file name (`sets.toml`)."""
    return tomllib.loads(files("webmain.evaluation.training").joinpath("sets.toml").read_text("utf-8"))


def set_names(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return names of sets: all known ones for None, those with permissive licences for `PERMISSIVE`."""
    if names is None:
        return tuple(licences())
    if tuple(names) == (PERMISSIVE,):
        return tuple(name for name, known in licences().items() if known["permissive"])
    return tuple(names)


@dataclass(frozen=True, kw_only=True)
class TrainingSet:
    """One collection."""

    name: str  # its file's name without endings
    path: Path  # a file of JSON lines, or a folder in a format that `read_gold` knows
    sha256: str  # digest of the file; of a folder's files with their names otherwise

    @property
    def facts(self) -> dict[str, str]:
        """Name, digest and licence as JSON values."""
        known = licences().get(self.name, {"licence": "unknown", "credit": ""})
        return {"name": self.name, "sha256": self.sha256, "licence": known["licence"], "credit": known["credit"]}


def training_sets(folder: Path, names: Sequence[str]) -> tuple[TrainingSet, ...]:
    """Find collections by name in a data folder: NAME.jsonl.gz, NAME.jsonl, or a folder NAME.

    Raises TrainingError: the folder, or one of them, is missing or cannot be read; a name is given twice, or is a path.
    """
    files = ", ".join(f"{name}.jsonl.gz" for name in names)
    if not folder.is_dir():
        raise TrainingError(f"no data folder at {folder}: it must contain the training sets, as {files}")
    if not names or len(set(names)) != len(names):
        raise TrainingError(f"training sets: got {', '.join(names) or 'none'}, each must be named once")
    return tuple(_named_set(folder, name) for name in names)


def _named_set(folder: Path, name: str) -> TrainingSet:
    if Path(name).name != name or name == "..":
        raise TrainingError(f"training set: got {name!r}, allowed is the name of a file in {folder} without its ending")
    for ending in _ENDINGS:
        path = folder / f"{name}{ending}"
        if path.exists():
            return TrainingSet(name=name, path=path, sha256=_digest(path))
    message = f"no training set {name!r} in {folder}: looked for {name}.jsonl.gz, or a folder {name}"
    raise TrainingError(f"{message}; --sets names the sets to train on")


def check_set(path: Path) -> TrainingSet:
    """Return a check set by its path; raises TrainingError if there is no such file or folder, or it cannot be read."""
    if not path.exists():
        raise TrainingError(f"no gold pages at {path}: there is no such file or folder")
    name = path.resolve().name.removesuffix(".gz").removesuffix(".jsonl")
    return TrainingSet(name=name, path=path, sha256=_digest(path))


def sites_in(path: Path) -> frozenset[str]:
    """Return the registered domains of the pages at a path; in JSON lines, of all records, also those without a text."""
    gold = read_gold(path)
    if any(form != "jsonl" for _, form in gold.sources):
        return frozenset(site_key(page.url or "") or page.site for page in gold) - {""}
    try:
        records = (one for file in jsonl_files(path) for one in _records(file))
        sites = (site_key(one.get("url") or "") or one.get("domain") or one.get("site") or "" for one in records)
        return frozenset(sites) - {""}
    except (OSError, ValueError, AttributeError) as error:
        raise TrainingError(f"{path} cannot be read: {error}") from error


def _records(path: Path) -> Iterator[Any]:
    with opened(path) as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _digest(path: Path) -> str:
    try:
        if not path.is_dir():
            return _file_digest(path)
        files = [file for file in sorted(path.rglob("*")) if file.is_file()]
        lines = "".join(f"{_file_digest(file)}  {file.relative_to(path).as_posix()}\n" for file in files)
    except OSError as error:
        raise TrainingError(f"{path} cannot be read: {reason_of(error)}") from error
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(sets: Sequence[TrainingSet]) -> str:
    """Return one digest of several collections: SHA-256 over the lines `DIGEST  NAME`, as `sha256sum` writes them."""
    return hashlib.sha256("".join(f"{s.sha256}  {s.name}\n" for s in sets).encode("utf-8", "replace")).hexdigest()


def pages_of(sets: Sequence[TrainingSet]) -> tuple[list[GoldPage], dict[str, str]]:
    """Return the pages of collections that have a main text, in their order; and by name what was dropped of some.

    Raises TrainingError if one of them has no such page, or two pages have the same name. Raises GoldError if one of them
    is in no known format, or cannot be read.
    """
    pages: list[GoldPage] = []
    dropped: dict[str, str] = {}
    for one in sets:
        gold = read_gold(one.path)
        found = [page for page in gold if page.text]
        if not found:
            raise TrainingError(f"{one.path} contains no page with a main text ({gold.dropped})")
        known = {(page.dataset, page.id) for page in pages}
        if doubled := next((page for page in found if (page.dataset, page.id) in known), None):
            raise TrainingError(f"page {doubled.id} of {doubled.dataset} is in two of the training sets")
        pages += found
        if gold.dropped.counts:
            dropped[one.name] = str(gold.dropped)
    return pages, dropped
