"""Finds elements that link to advertisement servers, by our own list of hosts or a user's filter list.

Our list (`ad_hosts.txt`) is small and holds widely known servers only. A user's file is in the common filter-list syntax
(`||ads.example^`, `@@` for exceptions, options such as `$third-party`) and is matched by the engine of the Brave browser
through the package `adblock`, an extra. Only network rules are used; rules that hide elements are not.
"""

from __future__ import annotations

import os
import re
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.clock import Loading
from webmain.files import reason_of
from webmain.urls import host, join

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.document import Document

MAX_LIST_BYTES = 64 * 1024 * 1024
"""Larger files are no filter lists: the largest public ones have a few megabytes."""

_ABSOLUTE = re.compile(r"[\x00-\x20]*(?:https?:)?[/\\]{2}", re.IGNORECASE).match

_REQUEST_TYPES = {
    "img": "image",
    "iframe": "sub_frame",
    "frame": "sub_frame",
    "script": "script",
    "object": "object",
    "embed": "object",
    "video": "media",
    "audio": "media",
}


class FilterListError(ValueError):
    """A user's filter list cannot be used; the message says why and what to do."""


@cache
def own_hosts() -> frozenset[str]:
    """Return the hosts of our own list; each means all hosts below it."""
    lines = resources.files("webmain.extractors").joinpath("ad_hosts.txt").read_text("utf-8").splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


@lru_cache(maxsize=4096)
def is_ad_host(name: str) -> bool:
    """Return True if a host, or one above it, is on our own list.

    Parameters
    ----------
    name : str
        As returned by `webmain.urls.host`: lower-case ASCII without port.
    """
    hosts = own_hosts()
    while name:
        if name in hosts:
            return True
        name = name.partition(".")[2]
    return False


def check_filters(path: str) -> None:
    """Raise an error unless a filter list can be used.

    Raises
    ------
    FilterListError
        The engine is not installed, or the file cannot be read.
    """
    try:
        with Path(path).expanduser().open("rb") as file:
            size = file.seek(0, os.SEEK_END)
    except OSError as error:
        raise FilterListError(f"option filters: cannot read {path!r}: {reason_of(error)}") from error
    if size > MAX_LIST_BYTES:
        raise FilterListError(f"option filters: {path!r} has {size:,} bytes, allowed are {MAX_LIST_BYTES:,}")
    try:
        import adblock  # noqa: F401
    except ImportError as error:
        raise FilterListError(
            "option filters: the engine is not installed; run: python -m pip install 'webmain[adblock]'"
        ) from error


def ad_elements(document: Document, *, own_list: bool = True, filters: str = "") -> NDArray[np.bool_]:
    """Return which elements with text have a `src` or `href` that leads to an advertisement server.

    Parameters
    ----------
    document : Document
    own_list : bool
        Use our own list.
    filters : str
        Path of an additional filter list; "" for none.

    Returns
    -------
    (n_elements,) bool
        Only the elements themselves; `Elements.within` adds their descendants. Elements without text are never marked,
        since removing them would remove no text.

    Raises
    ------
    FilterListError
        See `check_filters`.
    """
    elements = document.elements
    marked = np.zeros(len(elements), dtype=np.bool_)
    engine = _engine(filters) if filters else None
    known: dict[tuple[str, str], bool] = {}
    with_text = elements.with_text
    named = zip(with_text, elements.attributes_of(with_text), strict=True)
    for i, attributes in [each for each in named if "href" in each[1] or "src" in each[1]]:
        for name in ("src", "href"):
            if address := attributes.get(name):
                key = elements.tags[i], address
                if key not in known:
                    known[key] = (own_list and _is_listed(address)) or (
                        engine is not None and _is_filtered(document, engine, *key)
                    )
                marked[i] |= known[key]
    return marked


def _is_listed(address: str) -> bool:
    return _ABSOLUTE(address) is not None and is_ad_host(host(address))


def _is_filtered(document: Document, engine: Any, tag: str, address: str) -> bool:
    url = join(document.base_url, address)
    if url is None:
        return False
    kind = _REQUEST_TYPES.get(tag, "other")
    return bool(engine.check_network_urls(url, document.url or "", kind).matched)


def _engine(path: str) -> Any:
    """Return the engine with a user's list; reloaded when the file has changed."""
    check_filters(path)
    file = Path(path).expanduser()
    state = file.stat()
    return _loaded(str(file), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _loaded(path: str, changed: int, size: int) -> Any:
    with Loading():
        import adblock

        filters = adblock.FilterSet()
        filters.add_filter_list(Path(path).read_text("utf-8", "replace"), rule_types="networkonly")
        return adblock.Engine(filters)
