"""Processes that tests look at."""

from __future__ import annotations

from contextlib import suppress

import psutil

_earlier: set[psutil.Process] = set()


def fork_servers(*, recursive: bool = True) -> list[psutil.Process]:
    """Return the processes below this one that fork workers, and, with `recursive`, the workers; none that has ended.

    Those of other tests that ran in this process are left out after `ignore_earlier`.
    """
    found = []
    for child in psutil.Process().children(recursive=recursive):
        with suppress(psutil.Error):  # it ends meanwhile
            if "webmain.processes.fork_server" in " ".join(child.cmdline()) and child not in _earlier:
                found.append(child)
    return found


def ignore_earlier() -> None:
    """Leave out what runs now, such as the workers that the tests of the web application share."""
    _earlier.update(fork_servers())
