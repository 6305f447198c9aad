"""Held-back pages on disk: one temporary file per site, deleted when the crawl ends.

The next crawl removes what a killed crawl left behind: the pages are still pending in the ledger, or in the archive that was
read, and come again. Only the crawl that wrote the files and its workers read them, and their folder is private to the user
(mode 0700), so pages are stored as pickles.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import shutil
import tempfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, overload

from webmain.files import StoreError, reason_of
from webmain.items import Page

MAX_BYTES: Final = 64 << 20  # maximum size of a page that can be held, with its continuation pages

_LOCK: Final = "lock"


class HeldPagesError(StoreError):
    """A page cannot be held or read back: missing permission, full disk, damaged file."""


@dataclass(frozen=True)
class HeldPages(Sequence[Page]):
    """The held pages of a site at one time, each read from its file on access; other processes can read them, too."""

    path: Path
    places: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> Page: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Page]: ...

    def __getitem__(self, index: int | slice) -> Page | Sequence[Page]:
        """Return a page; raises HeldPagesError if the file cannot be read."""
        if isinstance(index, slice):
            return HeldPages(self.path, self.places[index])
        place = self.places[index]
        try:
            with self.path.open("rb") as stream:
                stream.seek(place)
                size = int.from_bytes(stream.read(8))
                page: Page = pickle.loads(zlib.decompress(stream.read(size)))  # noqa: S301 - written by this crawl
        except (OSError, zlib.error, pickle.UnpicklingError, EOFError) as error:
            raise HeldPagesError(f"{self.path}: a page that waited cannot be read: {error}") from error
        return page


class Spool:
    """A queue of held pages for each site, first in, first out, in a folder of the crawl's own inside the given one."""

    def __init__(self, folder: str | Path) -> None:
        self._parent = Path(folder).expanduser()
        self._folder: Path | None = None
        self._lock = -1
        self._count = 0
        self._places: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return self._count

    @property
    def sites(self) -> tuple[str, ...]:
        """Sites that have held pages."""
        return tuple(self._places)

    def count(self, site: str) -> int:
        """Return the number of held pages of a site."""
        return len(self._places.get(site, ()))

    def put(self, site: str, page: Page) -> None:
        """Append a page; raises HeldPagesError if it is too large or cannot be written: the pages held before are kept."""
        data = pickle.dumps(page, pickle.HIGHEST_PROTOCOL)
        if len(data) > MAX_BYTES:
            raise HeldPagesError(f"{page.url}: a page of more than {MAX_BYTES:,} bytes cannot wait")
        packed = zlib.compress(data, 1)
        try:
            with self._path(site).open("ab") as stream:
                begin = stream.tell()
                try:
                    stream.write(len(packed).to_bytes(8) + packed)
                    stream.flush()
                except OSError:
                    os.ftruncate(stream.fileno(), begin)
                    raise
        except OSError as error:
            raise HeldPagesError(f"{self._folder or self._parent}: {reason_of(error)}") from error
        self._places.setdefault(site, []).append(begin)
        self._count += 1

    def waiting(self, site: str) -> HeldPages:
        """Return the held pages of a site without removing them."""
        return HeldPages(self._path(site), tuple(self._places[site]))

    def pop(self, site: str) -> Page | None:
        """Remove and return the first held page of a site, None if there is none; raises HeldPagesError like `HeldPages`."""
        if not (places := self._places.get(site)):
            return None
        try:
            return HeldPages(self._path(site), (places[0],))[0]
        finally:
            del places[0]
            self._count -= 1
            if not places:
                del self._places[site]
                self._path(site).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove the folders that killed crawls left behind: those that no process has locked."""
        for folder in self._parent.glob("crawl-*"):
            if not (folder / _LOCK).exists():
                continue  # another crawl is just creating it
            with suppress(OSError):
                handle = _locked(folder)
                shutil.rmtree(folder, ignore_errors=True)
                os.close(handle)
        if self._folder is None:
            self._remove_parent()

    def close(self) -> None:
        """Remove everything."""
        self._places.clear()
        self._count = 0
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(self._lock)
            self._folder, self._lock = None, -1
            self._remove_parent()

    def _remove_parent(self) -> None:
        with suppress(OSError):
            self._parent.rmdir()  # fails if another crawl uses it

    def _path(self, site: str) -> Path:
        """Return the path of a site's file."""
        return self._own_folder() / f"{hashlib.sha256(site.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.pages"

    def _own_folder(self) -> Path:
        if self._folder is None:
            self._parent.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix="crawl-", dir=self._parent))
            self._lock = _locked(folder)
            self._folder = folder
        return self._folder


def _locked(folder: Path) -> int:
    """Lock a folder for the lifetime of this process and return the descriptor; raise OSError if another process has it."""
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle
