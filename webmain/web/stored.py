"""Articles of the store, and the pages they were extracted from if a recording has them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from webmain.archive.recording import WarcIndex, replay_key
from webmain.archive.warc import ArchiveError, files_at, page_of, read_pages, url_of_file
from webmain.files import StoreError, StoreSpecError
from webmain.items import Article, Page
from webmain.store.catalogue import Listed
from webmain.web.config import Config
from webmain.web.problems import Problem

if TYPE_CHECKING:
    from webmain.store.sqlite import SqliteStore


logger = logging.getLogger(__name__)

LISTED_S = 1.0
"""Seconds for which a list of recordings counts as up to date."""


def open_for_reading(spec: str, *, limit_s: float | None = None) -> SqliteStore:
    """Return the store, open for reading; its statements fail after `limit_s` seconds.

    Raises
    ------
    StoreError
        There is none, or it cannot be read.
    """
    from webmain.store.sqlite import SqliteStore

    return SqliteStore(sqlite_address(spec), read_only=True, wait_s=5.0, limit_s=limit_s)


def sqlite_address(spec: str) -> str:
    """Return the path of an SQLite store; raises StoreSpecError if the store is none."""
    from webmain.store.registry import store_and_path
    from webmain.store.sqlite import SqliteStore

    kind, address = store_and_path(spec)
    if not issubclass(kind, SqliteStore):
        raise StoreSpecError(f"store {spec}: only SQLite stores can be listed: sqlite:PATH")
    return address


def find_article(store: SqliteStore, article_id: str) -> Article:
    """Return an article of the store.

    Raises
    ------
    Problem
        There is none.
    """
    article = store.get(article_id)
    if article is None:
        raise Problem(404, f"The store has no article {article_id[:100]}.")
    return article


def article_of(config: Config, article_id: str) -> Article:
    """Return an article of the store that is configured."""
    with open_for_reading(config.store) as store:
        return find_article(store, article_id)


def latest(config: Config, n: int) -> Sequence[Listed]:
    """Return the rows of the most recently published articles; none if no store lists them."""
    try:
        with open_for_reading(config.store) as store:
            return store.catalogue().list_articles(limit=n).articles
    except StoreError:
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
    """Finds pages in recordings: WARC files and files of HTML; they are indexed when a page is first requested.

    Parameters
    ----------
    config : Config
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._listed_at = -LISTED_S
        self._seen: list[tuple[Path, int]] = []
        self._index = WarcIndex(())
        self._files: dict[str, Path] = {}

    def page(self, url: str) -> Page | None:
        """Return the latest fetch of the page at a URL, or None if no recording has it."""
        if self._config.pages is None:
            return None
        max_bytes = self._config.limits.page_bytes
        try:
            with self._lock:
                self._update(self._config.pages)
                capture, file = self._index.lookup(url), self._files.get(replay_key(url))
        except (ArchiveError, OSError):
            return None
        if file is not None:
            return next(read_pages(file, max_bytes=max_bytes), None)
        found = page_of(capture, max_bytes) if capture is not None else None
        return found if isinstance(found, Page) else None

    def _update(self, pattern: str) -> None:
        """Index the recordings if they have changed; they are listed at most once in `LISTED_S` seconds."""
        if time.monotonic() < self._listed_at + LISTED_S:
            return
        self._listed_at = time.monotonic()
        seen = [(file, file.stat().st_size) for file in files_at(pattern)]
        if seen != self._seen:
            urls: dict[Path, str | None] = {}
            for file, _ in seen:
                with suppress(OSError):
                    urls[file] = url_of_file(file)
            self._index = WarcIndex([file for file, url in urls.items() if url is None])
            self._files = {replay_key(url): file for file, url in urls.items() if url is not None}
            self._seen = seen


class Indexing:
    """Updates the search index in a thread; only one run at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.progress = (0, 0)
        self.problem = ""

    @property
    def is_running(self) -> bool:
        """Whether the index is being updated."""
        return self._thread is not None and self._thread.is_alive()

    def run(self, spec: str, wait_s: float) -> None:
        """Start a run, unless there is one, and wait for its end, at most `wait_s` seconds."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self.progress, self.problem = (0, 0), ""
                self._thread = threading.Thread(target=self._update, args=(spec,), name="index", daemon=True)
                self._thread.start()
            thread = self._thread
        thread.join(wait_s)

    def _update(self, spec: str) -> None:
        """Index new articles; whatever was indexed stays if this is stopped."""
        from webmain.store.search import open_index

        try:
            with open_index(spec) as index:
                index.update(self._set_progress)
        except StoreError as error:
            logger.error("The index was not made: %s", error)
            self.problem = str(error)

    def _set_progress(self, done: int, total: int) -> None:
        self.progress = (done, total)
