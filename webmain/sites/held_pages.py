"""Pages that wait on disk: for each site a file of the crawl's own, gone when the crawl ends.

What a crawl that was killed left behind is removed by the next one: its pages are pending in the ledger, or are in the
archive that was read, and come again. The files are read by the crawl that wrote them and by its workers alone; their folder
belongs to the user (mode 0700), so that pages are kept as pickles.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pickle
import shutil
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, overload

from webmain.files import StoreError
from webmain.items import Page

MAX_BYTES: Final = 64 << 20
"""Size of the largest page that can wait, with those that continue it."""

_LOCK: Final = "lock"


class HeldPagesError(StoreError):
    """A page can not wait, or can not be read again: permission, full disk, damage."""


@dataclass(frozen=True)
class Waiting(Sequence[Page]):
    """The first waiting pages of a site, each read from its file when asked for, also by another process."""

    path: Path
    places: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> Page: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Page]: ...

    def __getitem__(self, index: int | slice) -> Page | Sequence[Page]:
        """Return a page.

        Raises
        ------
        HeldPagesError
            The file can not be read.
        """
        if isinstance(index, slice):
            return Waiting(self.path, self.places[index])
        place = self.places[index]
        try:
            with self.path.open("rb") as stream:
                stream.seek(place)
                size = int.from_bytes(stream.read(8))
                page: Page = pickle.loads(zlib.decompress(stream.read(size)))  # noqa: S301 - written by this crawl
        except (OSError, zlib.error, pickle.UnpicklingError, EOFError) as error:
            raise HeldPagesError(f"{self.path}: a page that waited can not be read: {error}") from error
        return page


@dataclass(slots=True)
class _File:
    """A site's file, and where its pages begin."""

    path: Path
    places: list[int] = field(default_factory=list)


class Spool:
    """Pages by site, first in, first out.

    Parameters
    ----------
    folder : str or Path
        A folder of this crawl's own is made in it with the first page.
    """

    def __init__(self, folder: str | Path) -> None:
        self._parent = Path(folder).expanduser()
        self._folder: Path | None = None
        self._lock = -1
        self._count = 0
        self._sites: dict[str, _File] = {}

    def __len__(self) -> int:
        return self._count

    @property
    def sites(self) -> tuple[str, ...]:
        """Sites of which pages wait."""
        return tuple(self._sites)

    def count(self, site: str) -> int:
        """Return how many pages of a site wait."""
        return len(self._sites[site].places) if site in self._sites else 0

    def put(self, site: str, page: Page) -> None:
        """Append a page.

        Raises
        ------
        HeldPagesError
            The page is too large, or the system refuses to write; what waits stays.
        """
        data = pickle.dumps(page, pickle.HIGHEST_PROTOCOL)
        if len(data) > MAX_BYTES:
            raise HeldPagesError(f"{page.url}: a page of more than {MAX_BYTES:,} bytes can not wait")
        packed = zlib.compress(data, 1)
        try:
            file = self._sites.get(site) or _File(self._own_folder() / f"{_name(site)}.pages")
            with file.path.open("ab") as stream:
                begin = stream.tell()
                try:
                    stream.write(len(packed).to_bytes(8) + packed)
                    stream.flush()
                except OSError:
                    os.ftruncate(stream.fileno(), begin)
                    raise
        except OSError as error:
            raise HeldPagesError(f"{self._folder or self._parent}: {error.strerror or error}") from error
        self._sites[site] = file
        file.places.append(begin)
        self._count += 1

    def waiting(self, site: str) -> Waiting:
        """Return the pages of a site that wait now; they go on waiting."""
        file = self._sites[site]
        return Waiting(file.path, tuple(file.places))

    def take(self, site: str) -> Page | None:
        """Return the first page of a site and let go of it; None where none waits.

        Raises
        ------
        HeldPagesError
            The file can not be read.
        """
        file = self._sites.get(site)
        if file is None:
            return None
        try:
            return Waiting(file.path, (file.places[0],))[0]
        finally:
            del file.places[0]
            self._count -= 1
            if not file.places:
                del self._sites[site]
                file.path.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what killed crawls have left: folders of which nobody holds the lock."""
        for folder in self._parent.glob("crawl-*"):
            if not (folder / _LOCK).exists():
                continue  # being made right now
            with contextlib.suppress(OSError):
                handle = _locked(folder)
                shutil.rmtree(folder, ignore_errors=True)
                os.close(handle)
        if self._folder is None:
            self._remove_parent()

    def close(self) -> None:
        """Remove everything."""
        self._sites.clear()
        self._count = 0
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(self._lock)
            self._folder, self._lock = None, -1
            self._remove_parent()

    def _remove_parent(self) -> None:
        with contextlib.suppress(OSError):
            self._parent.rmdir()  # where no other crawl uses it

    def _own_folder(self) -> Path:
        if self._folder is None:
            self._parent.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix="crawl-", dir=self._parent))
            self._lock = _locked(folder)
            self._folder = folder
        return self._folder


def _name(site: str) -> str:
    return hashlib.sha256(site.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _locked(folder: Path) -> int:
    """Lock a folder for as long as this process lives; raise an OSError where another holds it."""
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle
