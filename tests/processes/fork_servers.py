"""Processes that tests look at."""

from __future__ import annotations

from contextlib import suppress

import psutil


def fork_servers(*, recursive: bool = True) -> list[psutil.Process]:
    """Return the processes below this one that fork workers, and, with `recursive`, the workers; none that has ended."""
    found = []
    for child in psutil.Process().children(recursive=recursive):
        with suppress(psutil.Error):  # it ends meanwhile
            if "webmain.processes.fork_server" in " ".join(child.cmdline()):
                found.append(child)
    return found
