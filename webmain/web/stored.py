"""Articles of the store, and the pages they were extracted from if a recording has them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from webmain.web.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webmain.archive.recording import WarcIndex
    from webmain.items import Article, Page
    from webmain.store.catalogue import Listed
    from webmain.store.protocol import Store
    from webmain.web.config import Config


def open_for_reading(config: Config) -> Store:
    """Open the store.

    Raises
    ------
    Problem
        There is none, or it cannot be read.
    """
    from webmain.store.protocol import StoreError
    from webmain.store.registry import open_store

    try:
        return open_store(config.store, read_only=True)
    except (StoreError, ValueError) as error:
        raise Problem(503, f"The store of articles cannot be read: {error}", code="no_store") from None


def article_of(config: Config, article_id: str) -> Article:
    """Return an article of the store.

    Raises
    ------
    Problem
        There is none.
    """
    with open_for_reading(config) as store:
        article = store.get(article_id)
    if article is None:
        raise Problem(404, f"The store has no article {article_id[:100]}.")
    return article


def latest(config: Config, n: int) -> Sequence[Listed]:
    """Return the rows of the most recently published articles; none if no store lists them."""
    from webmain.store.protocol import StoreError
    from webmain.store.sqlite import SqliteStore

    try:
        with open_for_reading(config) as store:
            return store.catalogue().list_articles(limit=n).articles if isinstance(store, SqliteStore) else ()
    except (Problem, StoreError):
        return ()


def state_of(store: str) -> tuple[int, ...]:
    """Return a value that changes when the store is written: its files' times and sizes."""
    path = store.rpartition(":")[2]
    found: list[int] = []
    for file in (path, f"{path}-wal"):
        try:
            status = Path(file).expanduser().stat()
        except OSError:
            continue
        found += [status.st_mtime_ns, status.st_size]
    return tuple(found)


class Recordings:
    """Finds pages in recordings (WARC files); they are indexed when a page is first requested.

    Parameters
    ----------
    config : Config
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._index: WarcIndex | None = None
        self._seen: list[tuple[str, int]] = []

    def page(self, url: str) -> Page | None:
        """Return the latest fetch of the page at a URL, or None if no recording has it."""
        from webmain.archive.warc import ArchiveError, page_of
        from webmain.items import Page

        if self._config.pages is None:
            return None
        try:
            with self._lock:
                capture = self._current(self._config.pages).lookup(url)
        except (ArchiveError, OSError):
            return None
        found = page_of(capture, self._config.limits.page_bytes) if capture is not None else None
        return found if isinstance(found, Page) else None

    def _current(self, pattern: str) -> WarcIndex:
        """Return an up-to-date index of the recordings."""
        from webmain.archive.recording import WarcIndex

        place = Path(pattern).expanduser()
        files = sorted(map(str, place.glob("*.warc*") if place.is_dir() else place.parent.glob(place.name)))
        seen = [(file, Path(file).stat().st_size) for file in files]
        if self._index is None or seen != self._seen:
            self._index, self._seen = WarcIndex(files), seen
        return self._index
