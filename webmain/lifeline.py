"""What a process owes to others: it does not outlive the one that started it, and gives back memory that it is done with."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Any


def die_with(parent: int, *, by: int = signal.SIGKILL) -> None:
    """On Linux, let the kernel kill this process when the thread that started it ends, at the latest with its process.

    Parameters
    ----------
    parent : int
        The process that started this one; if it is gone already, this one ends at once.
    by : int
        The signal that ends it.
    """
    if sys.platform != "linux":
        return
    import ctypes

    pr_set_pdeathsig = 1
    with contextlib.suppress(OSError, AttributeError):
        library: Any = ctypes.CDLL(None)
        library.prctl(pr_set_pdeathsig, by)
    if os.getppid() != parent:
        os._exit(0)


def give_back_memory() -> None:
    """Return to the system what was freed and the C library keeps: after a site was learned, 30 MB of documents."""
    if sys.platform != "linux":
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        library: Any = ctypes.CDLL(None)
        library.malloc_trim(0)
