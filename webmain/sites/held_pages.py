"""Pages that wait on disk: for each site a WARC file of a crawl's own, gone when the crawl ends.

What a crawl that was killed left behind is removed by the next one: its pages are pending in the ledger, or stand in the
archive that was read, and come again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, overload

from webmain.archive.decoding import MAX_BYTES
from webmain.archive.recording import WarcWriter
from webmain.archive.warc import Capture, read_captures
from webmain.files import StoreError, StoreWriteError
from webmain.items import Hints, Page

MAX_OPEN: Final = 16
"""Files that are kept open."""

_LOCK: Final = "lock"
_NOTE: Final = "data:application/json,held"
_PAGE: Final = "data:text/html,held"
_HTML: Final = {"Content-Type": "text/html; charset=utf-8"}


@dataclass(frozen=True)
class Waiting(Sequence[Page]):
    """The first waiting pages of a site, each read from its file when asked for; another process may do so, too."""

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
        StoreError
            The file can not be read.
        """
        if isinstance(index, slice):
            return Waiting(self.path, self.places[index])
        place = self.places[index]
        try:
            with self.path.open("rb") as stream:
                stream.seek(place)
                return _held(capture for _, capture in read_captures(stream))
        except (OSError, StopIteration, KeyError, TypeError, ValueError) as error:
            raise StoreError(f"{self.path}: a page that waited can not be read: {error}") from error


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
        self._writers: OrderedDict[str, WarcWriter] = OrderedDict()

    def __len__(self) -> int:
        return self._count

    @property
    def sites(self) -> tuple[str, ...]:
        """Sites of which pages wait."""
        return tuple(self._sites)

    def count(self, site: str) -> int:
        """Return how many pages of a site wait."""
        file = self._sites.get(site)
        return len(file.places) if file else 0

    def put(self, site: str, page: Page) -> None:
        """Append a page.

        Raises
        ------
        StoreError
            The system refuses to write; what waits stays.
        """
        pages = (page, *page.parts)
        bodies = [_body(page) for page in pages]
        if max(map(len, bodies)) > MAX_BYTES:
            raise StoreError(f"{page.url}: a page of more than {MAX_BYTES:,} bytes can not wait")
        writer = self._writer(site)
        begin = writer.write(_NOTE, 200, {"Content-Type": "application/json"}, _note(pages))
        for each, body in zip(pages, bodies, strict=True):
            # The address stands in the note; here it helps others, where no character of it would break the record's head.
            name = each.url if each.url and each.url.isprintable() else _PAGE
            writer.write(name, 200, _HTML, body, each.fetched_at)
        self._sites[site].places.append(begin)
        self._count += 1

    def waiting(self, site: str) -> Waiting:
        """Return the pages of a site that wait now; they go on waiting."""
        file = self._sites[site]
        return Waiting(file.path, tuple(file.places))

    def take(self, site: str) -> Page | None:
        """Return the first page of a site and let go of it; None where none waits.

        Raises
        ------
        StoreError
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
                self._drop(site)

    def sweep(self) -> None:
        """Remove what killed crawls have left."""
        _sweep(self._parent)
        if self._folder is None:
            with contextlib.suppress(OSError):
                self._parent.rmdir()  # where no other crawl uses it

    def close(self) -> None:
        """Remove everything."""
        for site in list(self._sites):
            self._drop(site)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(self._lock)
            self._folder, self._lock = None, -1
            with contextlib.suppress(OSError):
                self._parent.rmdir()  # where no other crawl uses it

    def _drop(self, site: str) -> None:
        if writer := self._writers.pop(site, None):
            writer.close()
        file = self._sites.pop(site)
        self._count -= len(file.places)
        file.path.unlink(missing_ok=True)

    def _writer(self, site: str) -> WarcWriter:
        """Return the open file of a site; the one that was not used for longest is closed for it."""
        if site in self._writers:
            self._writers.move_to_end(site)
            return self._writers[site]
        if site not in self._sites:
            name = hashlib.sha256(site.encode("utf-8", "surrogatepass")).hexdigest()[:24]
            self._sites[site] = _File(self._own_folder() / f"{name}.warc.gz")
        while len(self._writers) >= MAX_OPEN:
            self._writers.popitem(last=False)[1].close()
        try:
            self._writers[site] = WarcWriter(self._sites[site].path)
        except StoreError:
            if not self._sites[site].places:
                del self._sites[site]
            raise
        return self._writers[site]

    def _own_folder(self) -> Path:
        if self._folder is None:
            try:
                self._parent.mkdir(parents=True, exist_ok=True)
                folder = Path(tempfile.mkdtemp(prefix="crawl-", dir=self._parent))
                self._lock = _locked(folder)
            except OSError as error:
                raise StoreWriteError(f"{self._parent}: {error.strerror or error}") from error
            self._folder = folder
        return self._folder


def _locked(folder: Path) -> int:
    """Lock a folder for as long as this process lives; raise an OSError where another holds it."""
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def _sweep(parent: Path) -> None:
    """Remove what killed crawls left: folders of which nobody holds the lock."""
    for folder in parent.glob("crawl-*"):
        if not (folder / _LOCK).exists():
            continue  # being made right now
        try:
            handle = _locked(folder)
        except OSError:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


# ---- A page as records


def _body(page: Page) -> bytes:
    return page.body if page.body is not None else (page.html or "").encode("utf-8", "surrogatepass")


def _note(pages: Sequence[Page]) -> bytes:
    """Return what the WARC records of pages do not say."""
    return json.dumps([_page_note(page) for page in pages], separators=(",", ":")).encode("ascii")


def _page_note(page: Page) -> dict[str, Any]:
    hints = page.hints
    return {
        "url": page.url,
        "fetched_at": page.fetched_at.isoformat() if page.fetched_at else None,
        "status": page.status,
        "headers": dict(page.headers),
        "hints": {f.name: value for f in fields(Hints) if (value := getattr(hints, f.name))} if hints else None,
        "article_reason": page.article_reason,
        "is_text": page.body is None,
    }


def _held(captures: Iterator[Capture]) -> Page:
    first, *parts = [_page(each, next(captures).body) for each in json.loads(next(captures).body)]
    return replace(first, parts=tuple(parts))


def _page(note: Mapping[str, Any], body: bytes) -> Page:
    return Page(
        url=note["url"],
        html=body.decode("utf-8", "surrogatepass") if note["is_text"] else None,
        body=None if note["is_text"] else body,
        fetched_at=datetime.fromisoformat(note["fetched_at"]) if note["fetched_at"] else None,
        status=note["status"],
        headers=note["headers"],
        hints=_hints(note["hints"]),
        article_reason=note["article_reason"],
    )


def _hints(values: Mapping[str, Any] | None) -> Hints | None:
    if not values:
        return None
    found: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    return Hints(**found)
