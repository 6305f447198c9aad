"""Models of sites on disk: for each site and method one JSON file, read without running any code of it.

ModelError (a ValueError)
├── DamagedModelError       the file is ours, and broken: cut off, changed, too large, not readable
├── ForeignModelError       the file is something else, or belongs to another site or method
├── NewerModelError         written by a later webmain
├── OutdatedModelError      of another version of the method, or of the same with other options
└── UnsavableModelError     what was learned can not be written as plain values, or the system refuses to write

The first line of a file holds the format's name and the SHA-256 of all that follows; the whole is one JSON object.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib
import json
import math
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from webmain.extractors.base import Learned, SiteExtractor
from webmain.page.urls import site_key

if TYPE_CHECKING:
    from webmain.page.document import Document

FORMAT: Final = "webmain site model"
FORMAT_VERSION: Final = 1
SUFFIX: Final = ".json"
PREVIOUS: Final = ".previous"
_ASIDE: Final = re.compile(r"\.(?:previous|damaged|foreign|newer)$")

MAX_BYTES: Final = 64 << 20
"""Larger files are not read."""

MAX_DEPTH: Final = 32
"""Deepest nesting of a model's values."""

MAX_NAME_CHARS: Final = 80

_START: Final = b'{"format": "webmain site model"'
_HEAD = re.compile(rb'\{"format": "webmain site model", "sha256": "([0-9a-f]{64})",\n')
_NOT_OPTIONS: Final = frozenset({"learned", "min_pages"})
_NOT_SAFE = re.compile(r"[^a-z0-9._-]")
_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))}
)

E = TypeVar("E", bound=SiteExtractor)


class ModelError(ValueError):
    """A model can not be used or written; the message names the file."""

    kind: str = "unusable"


class DamagedModelError(ModelError):
    """The file is a model, and broken."""

    kind = "damaged"


class ForeignModelError(ModelError):
    """The file is no model, or one of another site or method."""

    kind = "foreign"


class NewerModelError(ModelError):
    """The file was written by a later webmain."""

    kind = "newer"


class OutdatedModelError(ModelError):
    """The model is of another version of the method, or of other options."""

    kind = "outdated"


class UnsavableModelError(ModelError):
    """A model can not be written."""

    kind = "unsavable"


@dataclass(frozen=True, kw_only=True)
class Model:
    """What a model's file tells of it, the weights aside.

    Attributes
    ----------
    site : str
        Site key.
    method : str
        The extractor's name.
    options : mapping
        Its options as plain values, those that decide what it learns.
    version : int
        Version of what the method learns.
    columns : tuple of str
        Names of its features.
    n_pages : int
        Pages it was learned from.
    trained_at : datetime
        When it was learned.
    first_page, last_page : datetime or None
        When the earliest and the latest of its pages were fetched.
    quality : float or None
        Cross-validated agreement with the training labels, in [0, 1].
    resemblance : float
        How much the pages it was learned from look like each other, in [0, 1].
    webmain : str
        Version of the program that wrote it.
    path : Path
        The file.
    """

    site: str
    method: str
    options: Mapping[str, Any]
    version: int
    columns: tuple[str, ...]
    n_pages: int
    trained_at: datetime
    first_page: datetime | None
    last_page: datetime | None
    quality: float | None
    resemblance: float
    webmain: str
    path: Path


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What lies on a shelf.

    Attributes
    ----------
    models : tuple of Model
        Sorted by site and method.
    errors : tuple of ModelError
        Files that can not be used.
    """

    models: tuple[Model, ...]
    errors: tuple[ModelError, ...]


class Shelf:
    """A folder of models.

    Parameters
    ----------
    folder : str or Path
        Made when the first model is saved.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()

    def __repr__(self) -> str:
        return f"Shelf({str(self.folder)!r})"

    def path(self, site: str, method: str) -> Path:
        """Return the file of a site and a method, whether it is there or not; always inside the folder."""
        return self.folder / f"{_safe(site)}.{_safe(method, dots=False)}{SUFFIX}"

    def load(self, extractor: E, site: str) -> E | None:
        """Return a copy of the extractor that knows what was learned of the site; None where there is no model.

        Raises
        ------
        DamagedModelError, ForeignModelError, NewerModelError, OutdatedModelError
            There is a file, and it can not be used.
        """
        path = self.path(site, extractor.name)
        content = _read(path)
        if content is None:
            return None
        model, weights = _model(content, path)
        if (model.site, model.method) != (site, extractor.name):
            raise ForeignModelError(f"{path}: holds {model.method} for {model.site}, not {extractor.name} for {site}")
        if model.version != extractor.version:
            raise OutdatedModelError(
                f"{path}: learned by version {model.version} of {extractor.name}, this is version {extractor.version}"
            )
        options = options_of(extractor)
        if model.options != options:
            raise OutdatedModelError(
                f"{path}: learned with other options: {_show(model.options)}, asked for {_show(options)}"
            )
        learned = Learned(
            n_pages=model.n_pages,
            columns=model.columns,
            weights=weights,
            quality=model.quality,
            resemblance=model.resemblance,
        )
        try:
            return extractor.restored(learned)
        except (ValueError, TypeError, KeyError, IndexError, ArithmeticError) as error:
            raise ForeignModelError(f"{path}: the weights are not of {extractor.name}'s form: {error}") from error

    def save(
        self,
        extractor: SiteExtractor,
        site: str,
        *,
        first_page: datetime | None = None,
        last_page: datetime | None = None,
        trained_at: datetime | None = None,
    ) -> Path:
        """Write a fitted extractor's model, whole or not at all; a model set aside before goes.

        Raises
        ------
        UnsavableModelError
            It has learned nothing, or values that are not plain; or the folder can not be written. What was there stays.
        """
        path = self.path(site, extractor.name)
        learned = extractor.learned
        if learned is None:
            raise UnsavableModelError(f"{path}: {extractor.name} has learned nothing yet")
        text = _written(extractor, learned, site, path, (first_page, last_page, trained_at or _now()))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _replace(path, text)
            _aside(path, PREVIOUS).unlink(missing_ok=True)
        except OSError as error:
            raise UnsavableModelError(f"{path}: {error.strerror or error}") from error
        return path

    def set_aside(self, site: str, method: str, *, because: ModelError | None = None) -> Path | None:
        """Put ".previous", or the kind of an error, behind the name of a model's file, so that it is no longer used.

        Returns
        -------
        Path or None
            The file as it is called now; None where there is none.

        Raises
        ------
        UnsavableModelError
            The system refuses.
        """
        path = self.path(site, method)
        aside = _aside(path, f".{because.kind}" if because else PREVIOUS)
        try:
            path.replace(aside)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnsavableModelError(f"{path}: {error.strerror or error}") from error
        return aside

    def forget(self, site: str, method: str | None = None) -> tuple[Path, ...]:
        """Remove what was learned of a site, by one method or by all; return the files that are gone.

        Raises
        ------
        UnsavableModelError
            The system refuses.
        """
        gone = []
        wanted = None if method is None else _safe(method, dots=False)
        for file in self._files():
            own_site, _, own_method = _ASIDE.sub("", file.name).removesuffix(SUFFIX).rpartition(".")
            if own_site == _safe(site) and wanted in (None, own_method):
                try:
                    file.unlink(missing_ok=True)
                except OSError as error:
                    raise UnsavableModelError(f"{file}: {error.strerror or error}") from error
                gone.append(file)
        return tuple(gone)

    def models(self) -> Listing:
        """Return all models of the folder, and what can not be used of it."""
        models, errors = [], []
        for file in self._files():
            if file.suffix != SUFFIX:
                continue
            try:
                content = _read(file)
                if content is not None:
                    models.append(_model(content, file)[0])
            except ModelError as error:
                errors.append(error)
        return Listing(models=tuple(sorted(models, key=lambda m: (m.site, m.method))), errors=tuple(errors))

    def _files(self) -> Iterator[Path]:
        """Yield the folder's files in order; none where there is no folder."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            found = (p for p in self.folder.iterdir() if not p.name.startswith("."))
            yield from sorted(p for p in found if _ASIDE.sub("", p.name).endswith(SUFFIX))


def site_of(document: Document) -> str:
    """Return the site that a page belongs to: by its web address, else by the one that it names as canonical."""
    url = document.url or ""
    if url.startswith(("http://", "https://")):
        return document.site
    canonical = document.metadata.canonical_url
    return site_key(canonical) if canonical else ""


def options_of(extractor: SiteExtractor) -> dict[str, Any]:
    """Return those of an extractor's options that decide what it learns, as plain values.

    Left out are `min_pages`, `learned`, and fields that its comparison or its representation leaves out: what is learned,
    and what is remembered for speed.
    """
    given: Any = extractor
    if not dataclasses.is_dataclass(given):
        return {}
    return {
        f.name: _plain(getattr(given, f.name))
        for f in fields(given)
        if f.name not in _NOT_OPTIONS and f.compare and f.repr and f.init
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value)
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    return str(value)


def _safe(name: str, *, dots: bool = True) -> str:
    """Return a name as a part of a file's name: injective also where files' names have no case.

    Site keys come from pages. What is not plain lower-case ASCII, too long or a device's name elsewhere is shortened to it,
    with "~" and a digest behind it; "~" stands in no host's name.
    """
    safe = _NOT_SAFE.sub("_", name.lower()).lstrip(".")
    if not dots:
        safe = safe.replace(".", "_")
    if safe == name and 0 < len(safe) <= MAX_NAME_CHARS and safe.partition(".")[0] not in _RESERVED:
        return safe
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{safe[: MAX_NAME_CHARS - 17]}~{digest}"


def _aside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def _show(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(options.items()))[:200] or "none"


# ---- Writing


def _own_version() -> str:
    return str(importlib.import_module("webmain").__version__)


def _written(
    extractor: SiteExtractor, learned: Learned, site: str, path: Path, dates: tuple[datetime | None, ...]
) -> bytes:
    """Return a model's file."""
    first, last, trained = (date.isoformat() if date else None for date in dates)
    content = {
        "format_version": FORMAT_VERSION,
        "webmain": _own_version(),
        "site": site,
        "method": extractor.name,
        "version": extractor.version,
        "options": options_of(extractor),
        "n_pages": learned.n_pages,
        "trained_at": trained,
        "first_page": first,
        "last_page": last,
        "quality": learned.quality,
        "resemblance": learned.resemblance,
        "columns": list(learned.columns),
        "weights": learned.weights,
    }
    try:
        _check_plain(content)
        text = json.dumps(content, allow_nan=False, separators=(",", ":"), default=dict)
    except (TypeError, ValueError, RecursionError) as error:
        raise UnsavableModelError(f"{path}: what {extractor.name} has learned can not be written: {error}") from error
    body = text[1:].encode("ascii") + b"\n"
    if len(body) > MAX_BYTES - 200:
        raise UnsavableModelError(f"{path}: the model has {len(body):,} bytes, allowed are {MAX_BYTES:,}")
    head = f'{{"format": "{FORMAT}", "sha256": "{hashlib.sha256(body).hexdigest()}",\n'
    return head.encode() + body


def _replace(path: Path, content: bytes) -> None:
    """Write a file so that after a crash there is the old or the new one."""
    handle, part = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(stream.fileno(), 0o644)
            os.fsync(stream.fileno())
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):  # not every file system can
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


# ---- Reading


def _read(path: Path) -> Mapping[str, Any] | None:
    """Return what a file holds, its form and checksum checked; None where it is not there."""
    data = _bytes(path)
    if data is None:
        return None
    if len(data) > MAX_BYTES:
        raise DamagedModelError(f"{path}: has more than {MAX_BYTES:,} bytes")
    head = _HEAD.match(data)
    try:
        content = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        if data[: len(_START)] == _START[: len(data)] or not data.strip():
            raise DamagedModelError(f"{path}: can not be read: {str(error)[:100] or 'too deep'}") from error
        raise ForeignModelError(f"{path}: is no model") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ForeignModelError(f"{path}: is no model")
    version = content.get("format_version")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise NewerModelError(f"{path}: has format version {version}, this webmain reads up to {FORMAT_VERSION}")
    if head is None or hashlib.sha256(data[head.end() :]).hexdigest().encode() != head[1]:
        raise DamagedModelError(f"{path}: was changed or is damaged: its checksum is wrong")
    return content


def _bytes(path: Path) -> bytes | None:
    """Return a regular file's bytes, one more than is allowed at most."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DamagedModelError(f"{path}: {error.strerror or error}") from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ForeignModelError(f"{path}: is no file")
        with os.fdopen(os.dup(handle), "rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise DamagedModelError(f"{path}: {error.strerror or error}") from error
    finally:
        os.close(handle)


def _refuse(constant: str) -> float:
    raise ValueError(f"holds {constant}")


def _model(content: Mapping[str, Any], path: Path) -> tuple[Model, Mapping[str, Any]]:
    """Return a file's header as a record, and the weights."""
    try:
        _check_plain(content)
        weights, options = content["weights"], content["options"]
        if not isinstance(weights, dict) or not isinstance(options, dict):
            raise TypeError("weights and options must be mappings")
        model = Model(
            site=_typed(content, "site", str),
            method=_typed(content, "method", str),
            options=options,
            version=_typed(content, "version", int),
            columns=tuple(_strings(content["columns"])),
            n_pages=_typed(content, "n_pages", int),
            trained_at=datetime.fromisoformat(content["trained_at"]),
            first_page=_date(content["first_page"]),
            last_page=_date(content["last_page"]),
            quality=None if content["quality"] is None else _share(content, "quality"),
            resemblance=_share(content, "resemblance"),
            webmain=_typed(content, "webmain", str),
            path=path,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedModelError(f"{path}: a field is missing or wrong: {error}") from error
    return model, weights


def _check_plain(content: Mapping[str, Any]) -> None:
    """Raise where values are nested too deeply or are no plain values; without recursion."""
    todo: list[tuple[Any, int]] = [(content, 0)]
    while todo:
        value, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise ValueError(f"nested more than {MAX_DEPTH} deep")
        if isinstance(value, Mapping):
            if not all(type(key) is str for key in value):
                raise TypeError("a key is no string")
            todo.extend((each, depth + 1) for each in value.values())
        elif type(value) in (list, tuple):
            todo.extend((each, depth + 1) for each in value)
        elif value is not None and type(value) not in (bool, int, float, str):
            raise TypeError(f"a {type(value).__name__} is no plain value")
        elif type(value) is float and not math.isfinite(value):
            raise ValueError("a number is not finite")


def _typed(content: Mapping[str, Any], name: str, kind: type) -> Any:
    value = content[name]
    if type(value) is not kind:
        raise TypeError(f"{name} is {value!r:.60}")
    return value


def _share(content: Mapping[str, Any], name: str) -> float:
    value = content[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{name} is {value!r:.60}")
    return float(value)


def _strings(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
        raise TypeError("columns must be strings")
    return values


def _date(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
