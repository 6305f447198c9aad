"""Worker processes' duties: end with the process that started them, and return freed memory to the system."""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def end_with_parent(parent: int, *, by: int = signal.SIGKILL) -> None:
    """On Linux, have the kernel kill this process when the thread that started it ends.

    `parent`: the process that started this one; if it is gone already, this one ends at once. `by`: the signal that
    ends it.
    """
    if sys.platform != "linux":
        return
    pr_set_pdeathsig = 1
    _call("prctl", pr_set_pdeathsig, by)
    if os.getppid() != parent:
        os._exit(0)


def trim_memory() -> None:
    """Return memory to the system that was freed but kept by the C library: 30 MB of documents after a site was learned."""
    if sys.platform == "linux":
        _call("malloc_trim", 0)


def _call(name: str, *arguments: int) -> None:
    """Call a function of the C library; do nothing if it has none of this name."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        getattr(ctypes.CDLL(None), name)(*arguments)
