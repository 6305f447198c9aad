"""The model store: a folder with one JSON file per site and method, read without executing anything."""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from webmain.extractors.base import Learned, SiteExtractor
from webmain.files import reason_of, replaced_whole
from webmain.metadata.read import read_metadata
from webmain.sites.model_file import (
    ForeignModelError,
    Model,
    ModelError,
    OutdatedModelError,
    UnsavableModelError,
    aware,
    encode_model,
    model_of,
    options_of,
    read_content,
)
from webmain.urls import site_key

if TYPE_CHECKING:
    from webmain.extractors.base import Extractor
    from webmain.html.document import Document

SUFFIX: Final = ".json"
PREVIOUS: Final = ".previous"
_ASIDE: Final = re.compile(r"\.(?:previous|damaged|foreign|newer)$")

MAX_NAME_CHARS: Final = 80

MAX_SITES: Final = 100  # maximum sites whose models are cached

_NOT_SAFE = re.compile(r"[^a-z0-9._-]")
_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))}
)

_LEARNED: Final = ("n_pages", "columns", "quality", "resemblance")
"""Fields of what was learned that the file's header has."""

E = TypeVar("E", bound=SiteExtractor)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The contents of a model store."""

    models: tuple[Model, ...]  # sorted by site and method
    errors: tuple[ModelError, ...]  # files that cannot be used


class ModelStore:
    """A folder of models, created when the first one is saved."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).expanduser()

    def __repr__(self) -> str:
        return f"ModelStore({str(self.folder)!r})"

    def path(self, site: str, method: str) -> Path:
        """Return the path for a site and a method, whether or not it exists; always inside the folder."""
        return self.folder / f"{_safe(site)}.{_safe(method, dots=False)}{SUFFIX}"

    def load(self, extractor: E, site: str) -> E | None:
        """Return a copy of the extractor with the site's model; None if there is none; raises ModelError as `find`."""
        found = self.find(extractor, site) if site else None
        return found[0] if found else None

    def find(self, extractor: E, site: str) -> tuple[E, Model] | None:
        """Return the same as `load`, with the header of the model's file.

        Raises DamagedModelError, ForeignModelError, NewerModelError or OutdatedModelError if there is a file that
        cannot be used.
        """
        path = self.path(site, extractor.name)
        content = read_content(path)
        if content is None:
            return None
        model, weights = model_of(content, path)
        if (model.site, model.method) != (site, extractor.name):
            raise ForeignModelError(f"{path}: holds {model.method} for {model.site}, not {extractor.name} for {site}")
        if model.version != extractor.version:
            raise OutdatedModelError(
                f"{path}: learned by version {model.version} of {extractor.name}, this is version {extractor.version}"
            )
        options = options_of(extractor)
        if dict.fromkeys(options, "") | dict(model.options) != options:  # what older files lack is empty
            raise OutdatedModelError(
                f"{path}: learned with other options: {_show(model.options)}, asked for {_show(options)}"
            )
        learned = Learned(weights=weights, **{name: getattr(model, name) for name in _LEARNED})
        try:
            return extractor.restored(learned), model
        except (ValueError, TypeError, KeyError, IndexError, ArithmeticError) as error:
            raise ForeignModelError(f"{path}: the weights are not of {extractor.name}'s form: {error}") from error

    def save(
        self,
        extractor: SiteExtractor,
        site: str,
        *,
        first_page: datetime | None = None,
        last_page: datetime | None = None,
        pages_given: int | None = None,
        after_change: bool = False,
    ) -> Path:
        """Write a fitted extractor's model atomically and return its path; a model set aside earlier is removed.

        `first_page` and `last_page` are the fetch times of the earliest and the latest of its pages, in UTC unless they have
        a time zone; `pages_given` is
        the number passed to the method, by default the one it reports to have learned from; `after_change` says that it
        replaces a model of an earlier layout. Raises UnsavableModelError if nothing was learned, the values are not
        plain, or the folder cannot be written: an earlier file is kept.
        """
        path = self.path(site, extractor.name)
        learned = extractor.learned
        if learned is None:
            raise UnsavableModelError(f"{path}: {extractor.name} has learned nothing yet")
        model = Model(
            webmain=str(importlib.import_module("webmain").__version__),
            site=site,
            method=extractor.name,
            version=extractor.version,
            options=options_of(extractor),
            pages_given=max(learned.n_pages, pages_given or 0),
            after_change=after_change,
            trained_at=datetime.now(UTC).replace(microsecond=0),
            first_page=first_page and aware(first_page),
            last_page=last_page and aware(last_page),
            path=path,
            **{name: getattr(learned, name) for name in _LEARNED},
        )
        text = encode_model(model, learned.weights)
        try:
            with replaced_whole(path) as part:
                part.write_bytes(text)
            path.with_name(path.name + PREVIOUS).unlink(missing_ok=True)
        except OSError as error:
            raise UnsavableModelError(f"{path}: {reason_of(error)}") from error
        return path

    def set_aside(self, site: str, method: str, *, because: ModelError | None = None) -> Path | None:
        """Append ".previous", or the kind of an error, to the name of a model's file, so that it is no longer used.

        Returns the new path, None if there is no such file; raises UnsavableModelError if it cannot be renamed.
        """
        path = self.path(site, method)
        aside = path.with_name(path.name + (f".{because.kind}" if because else PREVIOUS))
        try:
            path.replace(aside)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnsavableModelError(f"{path}: {reason_of(error)}") from error
        return aside

    def forget(self, site: str, method: str | None = None) -> tuple[Path, ...]:
        """Delete the models of a site, of one method or of all, and return the deleted files; raises ModelError."""
        gone = []
        wanted = None if method is None else _safe(method, dots=False)
        for file in self._files():
            own_site, own_method = _names(file)
            if own_site == _safe(site) and wanted in (None, own_method):
                try:
                    file.unlink(missing_ok=True)
                except OSError as error:
                    raise UnsavableModelError(f"{file}: {reason_of(error)}") from error
                gone.append(file)
        return tuple(gone)

    def models(self, site: str | None = None) -> Listing:
        """Return all models of the folder, or those of one site, and errors for the files that cannot be used."""
        models, errors = [], []
        try:
            files = [file for file in self._files() if file.suffix == SUFFIX]
            if site is not None:
                files = [file for file in files if _names(file)[0] == _safe(site)]
        except ModelError as error:
            return Listing(models=(), errors=(error,))
        for file in files:
            try:
                content = read_content(file)
                if content is None:
                    continue
                model = model_of(content, file)[0]
                if (own := self.path(model.site, model.method).name) != file.name:
                    raise ForeignModelError(f"{file}: holds {model.method} for {model.site}, whose file is {own}")
                models.append(model)
            except ModelError as error:
                errors.append(error)
        return Listing(models=tuple(sorted(models, key=lambda m: (m.site, m.method))), errors=tuple(errors))

    def _files(self) -> Iterator[Path]:
        """Yield the folder's files in order; none if there is no folder."""
        try:
            found = [p for p in self.folder.iterdir() if not p.name.startswith(".")]
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise ModelError(f"{self.folder}: {reason_of(error)}") from error
        yield from sorted(p for p in found if _ASIDE.sub("", p.name).endswith(SUFFIX))


@dataclass(frozen=True, slots=True)
class Choice:
    """The extractor for a page, and a note for people on its site's model; "" for none."""

    extractor: Extractor
    note: str = ""


class SiteModels:
    """Chooses the extractor for each page: one that learns sites gets the model of the page's site, if there is one.

    If a model cannot be used, that is noted and the page is judged without it; with `notes_missing` a missing one is
    noted too.
    """

    def __init__(self, extractor: Extractor, store: ModelStore | None, *, notes_missing: bool = False) -> None:
        self._extractor = extractor
        self._store = store
        self._notes_missing = notes_missing
        self._of_site = lru_cache(MAX_SITES)(self._look_up)

    def choose(self, document: Document) -> Choice:
        """Return the extractor for a page."""
        if self._store is None or not isinstance(self._extractor, SiteExtractor) or self._extractor.learned is not None:
            return Choice(self._extractor)
        if not self._notes_missing and not self._store.folder.is_dir():
            return Choice(self._extractor)  # finding the site may require reading the metadata
        return self._of_site(site_of(document))

    def _look_up(self, site: str) -> Choice:
        own, store = self._extractor, self._store
        assert isinstance(own, SiteExtractor)
        assert store is not None
        try:
            known = store.load(own, site)
        except ModelError as error:
            return Choice(own, f"{error}; the page is judged without it")
        if known is not None:
            return Choice(known)
        note = f"{site or 'a page without an address (--url)'}: {own.name} has learned nothing of it in {store.folder}"
        return Choice(own, note if self._notes_missing else "")


def with_model(extractor: Extractor, store: ModelStore, document: Document) -> Extractor:
    """Return an extractor with the model of a page's site, or unchanged if there is none; raises ModelError."""
    if not isinstance(extractor, SiteExtractor) or extractor.learned is not None:
        return extractor
    return store.load(extractor, site_of(document)) or extractor


def site_of(document: Document) -> str:
    """Return the site key of a page: of its web address, or else of its canonical address."""
    url = document.url or ""
    if url.startswith(("http://", "https://")):
        return document.site
    canonical = read_metadata(document).canonical_url
    return site_key(canonical) if canonical else ""


def _names(file: Path) -> tuple[str, str]:
    """Return the site and the method in a file's name, in the form of `_safe`."""
    site, _, method = _ASIDE.sub("", file.name).removesuffix(SUFFIX).rpartition(".")
    return site, method


def _safe(name: str, *, dots: bool = True) -> str:
    """Return a name in a form safe for file names: injective even on case-insensitive file systems.

    Site keys come from pages. Names that are not plain lower-case ASCII, too long, or device names on some systems are
    reduced to safe characters, followed by "~" and a digest; host names never contain "~".
    """
    safe = _NOT_SAFE.sub("_", name.lower()).lstrip(".")
    if not dots:
        safe = safe.replace(".", "_")
    if safe.partition(".")[0] in _RESERVED:
        safe = safe.replace(".", "_") + "_"  # device names are recognised up to the first dot
    if safe == name and 0 < len(safe) <= MAX_NAME_CHARS:
        return safe
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{safe[: MAX_NAME_CHARS - 17]}~{digest}"


def _show(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(options.items()))[:200] or "none"
