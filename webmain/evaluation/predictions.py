"""Files of predictions: a header describing how they were made, then one JSON object per line.

While systems run, lines are appended to FILE.part; when complete, it replaces FILE (compressed if its name ends in
.gz). A run that was killed continues from FILE.part; an unfinished last line is dropped.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import gzip
import io
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from webmain.evaluation.records import Prediction
from webmain.evaluation.systems import System
from webmain.files import opened, replaced_whole
from webmain.items.codec import build

FORMAT = "webmain-predictions"
FORMAT_VERSION = 1


class PredictionsError(ValueError):
    """A file of predictions cannot be used; the message says why and what to do."""


@dataclass(frozen=True, kw_only=True)
class Header:
    """How predictions were made, and from what; nothing about the machine but its kind."""

    gold: Mapping[str, str]  # name of each gold set and the SHA-256 of its pages
    systems: Mapping[str, Mapping[str, str]]  # for each system its version, mode, and a sentence on how it is run
    # the limits it ran under, the sample of pages, and how memory was measured
    settings: Mapping[str, Any] = field(default_factory=dict)
    made_with: Mapping[str, str] = field(default_factory=dict)  # Python's version and the kind of machine

    def line(self) -> str:
        """Return the file's first line."""
        record = {"format": FORMAT, "format_version": FORMAT_VERSION, **dataclasses.asdict(self)}
        return json.dumps(record, ensure_ascii=False) + "\n"

    @classmethod
    def of_line(cls, line: str, name: str) -> Self:
        """Return the header in a file's first line; raises PredictionsError."""
        problem = "not a file of predictions (its first line has no such header)"
        with contextlib.suppress(ValueError, KeyError, TypeError):
            record = json.loads(line)
            if record["format"] == FORMAT and (version := record["format_version"]) > FORMAT_VERSION:
                problem = f"format version {version} is newer than this webmain ({FORMAT_VERSION})"
            elif record["format"] == FORMAT:
                return cls(**{f.name: record[f.name] for f in dataclasses.fields(cls)})
        raise PredictionsError(f"{name}: {problem}")


def header(gold: Mapping[str, str], systems: Iterable[System], settings: Mapping[str, Any]) -> Header:
    """Return the header for a run."""
    return Header(
        gold=dict(gold),
        systems={s.name: {"version": s.version, "mode": s.mode.value, "about": s.about} for s in systems},
        settings=dict(settings),
        made_with={
            "python": f"{platform.python_implementation()} {platform.python_version()}",
            "platform": f"{platform.system()} {platform.machine()}",
        },
    )


def read(path: Path) -> tuple[Header, list[Prediction]]:
    """Read a whole file; if a system predicted a page twice, the later prediction counts.

    Raises PredictionsError if it is not a file of predictions or a line of it is damaged, OSError if it cannot be read.
    """
    with opened(path) as file, io.TextIOWrapper(file, encoding="utf-8") as lines:
        try:
            first = next(lines, "")
            found = Header.of_line(first, str(path))
            by_key = {p.key: p for p in _predictions(lines, path)}
        except (EOFError, gzip.BadGzipFile, UnicodeDecodeError) as error:
            raise PredictionsError(f"{path}: damaged: {error}") from None
    return found, list(by_key.values())


def _predictions(lines: Iterable[str], path: Path) -> Iterator[Prediction]:
    cut_short = path.suffix == ".part"  # only a partial file may have an unfinished last line
    for number, line in enumerate(lines, 2):
        try:
            yield prediction_of(json.loads(line))
        except (ValueError, TypeError, KeyError) as error:
            if cut_short and not line.endswith("\n"):
                return
            raise PredictionsError(f"{path}: line {number} is damaged: {error}") from None


def prediction_of(record: Mapping[str, Any]) -> Prediction:
    """Return the prediction in a line's object; unknown fields are ignored.

    Raises KeyError, TypeError or ValueError if a field is missing, of the wrong type, or out of its range.
    """
    found = build(Prediction, record)
    if not all(isinstance(value, str) for value in (*found.key, found.text, found.error)):
        raise TypeError("system, dataset, id, text and error must be strings")
    if not isinstance(found.seconds, (int, float)):
        raise TypeError("seconds must be a number")
    if found.confidence is not None and not 0 <= found.confidence <= 1:
        raise ValueError(f"confidence: got {found.confidence}, allowed is 0 to 1")
    return found


class Writer:
    """Writes predictions as they come, and continues an interrupted run unless it is to start `fresh`.

    `kept` are the existing predictions that are still valid: same gold, same versions, same settings of the systems;
    `stale` the systems whose earlier predictions were dropped because their version or settings have changed. Raises
    PredictionsError if the file is of other gold, is something else, or another run is writing it.
    """

    def __init__(self, path: Path, head: Header, *, fresh: bool = False) -> None:
        self.path = path
        self.part = path.with_name(path.name + ".part")
        self.kept: list[Prediction] = []
        self.stale: list[str] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = path.with_name(path.name + ".lock").open("w", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise PredictionsError(f"{path}: another run is writing this file") from None
        try:
            old = None if fresh else self._old(head)
            if old is not None:  # the header of an earlier run stays valid
                head = dataclasses.replace(
                    head, gold={**old.gold, **head.gold}, systems={**old.systems, **head.systems}
                )
            with replaced_whole(self.part) as new, new.open("w", encoding="utf-8", newline="\n") as file:
                file.write(head.line())
                file.writelines(map(_line, self.kept))
            self._file = self.part.open("a", encoding="utf-8", newline="\n")
        except BaseException:
            self._unlock()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _old(self, head: Header) -> Header | None:
        source = self.part if self.part.exists() else self.path
        if not source.exists():
            return None
        old, predictions = read(source)
        for name, digest in head.gold.items():
            if old.gold.get(name, digest) != digest:
                raise PredictionsError(
                    f"{source}: contains predictions for other pages of {name} ({old.gold[name][:12]}, now {digest[:12]}): "
                    "give another file, or --fresh"
                )
        self.stale = [name for name, facts in head.systems.items() if old.systems.get(name, facts) != facts]
        self.kept = [p for p in predictions if p.system not in self.stale]
        return old

    def write(self, prediction: Prediction) -> None:
        """Append one prediction; it is in the file when this returns."""
        self._file.write(_line(prediction))
        self._file.flush()

    def finish(self) -> None:
        """Replace FILE by the complete file."""
        self._file.close()
        if self.path.suffix == ".gz":
            with replaced_whole(self.path) as new:
                new.write_bytes(gzip.compress(self.part.read_bytes(), mtime=0))
            self.part.unlink()
        else:
            self.part.replace(self.path)
        self.close()

    def close(self) -> None:
        """Stop; unfinished work stays in FILE.part for the next run."""
        self._file.close()
        self._unlock()

    def _unlock(self) -> None:
        if not self._lock.closed:
            Path(self._lock.name).unlink(missing_ok=True)
            self._lock.close()


def _line(prediction: Prediction) -> str:
    return json.dumps(dataclasses.asdict(prediction), ensure_ascii=False) + "\n"


def check_gold(head: Header, gold: Mapping[str, str], name: str) -> None:
    """Raise PredictionsError unless predictions were made from exactly these pages."""
    for key, digest in gold.items():
        if key not in head.gold:
            known: Sequence[str] = sorted(head.gold)
            raise PredictionsError(f"{name}: contains no predictions for {key}, only for {', '.join(known)}")
        if head.gold[key] != digest:
            raise PredictionsError(
                f"{name}: its predictions were made from other pages of {key} "
                f"(digest {head.gold[key][:12]}, these have {digest[:12]})"
            )
