"""A fork server: a process that has loaded what tasks need, and workers forked from it.

A model is loaded once and is in memory once, however many workers there are and however often one is killed.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import pickle
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from types import ModuleType
from typing import Any, Final

GC_THRESHOLDS: Final = (50_000, 20, 10)
"""Garbage collector thresholds. A page's tree is thousands of short-lived small objects without cycles; with the default
thresholds, scanning everything that is loaded every few dozen pages took an eighth of a crawl's time."""

_START_S: Final = 120.0
_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MAIN: Final = "__mp_main__"


class PoolError(RuntimeError):
    """Worker processes cannot be started, or cannot load what answers the tasks."""


class ForkServer:
    """The process that workers are forked from, and the connection to it; call `make_ready` first."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._connection = Connection(ours.detach())
        self._asking = threading.Lock()
        code = f"import sys; sys.path[:] = {sys.path!r}; from webmain.processes.fork_server import serve; "
        with theirs:
            code += f"serve({theirs.fileno()}, {os.getpid()})"
            try:
                self._process = subprocess.Popen(  # noqa: S603 - this Python
                    [sys.executable, "-c", code], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
                )
            except OSError as error:
                self._connection.close()
                raise PoolError(f"a worker process cannot be started: {error}") from error

    def make_ready(self, setup: bytes) -> None:
        """Have the process call `setup` (pickled), which returns the function that answers tasks."""
        main = getattr(sys.modules["__main__"], "__file__", None) if b"__main__" in setup else None
        try:
            self._connection.send((logging.getLogger().getEffectiveLevel(), main))
            self._connection.send_bytes(setup)
            is_ready, problem = _received(self._connection, _START_S)
        except TimeoutError:
            raise PoolError(f"a worker process was not ready within {_START_S:g} s") from None
        except (EOFError, OSError) as error:
            raise PoolError("a worker process died as it started") from error
        if not is_ready:
            raise PoolError(f"a worker process cannot start: {problem}")

    def fork(self) -> Worker:
        """Return a new worker; raise PoolError if the fork fails, EOFError or OSError if the server has died."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            with self._asking:
                self._connection.send(None)
                send_handle(self._connection, theirs.fileno(), self._process.pid)
                found = _received(self._connection, _START_S)
            if isinstance(found, str):
                raise PoolError(f"a worker process cannot be started: {found}")
            return Worker(found, Connection(ours.detach()), self)

    def ended(self, pid: int) -> int:
        """Wait for the end of a worker; return the signal that ended it, or its exit code as a negative number."""
        with self._asking, contextlib.suppress(EOFError, OSError):
            self._connection.send(pid)
            return int(self._connection.recv())
        return signal.SIGKILL  # the server has died, and its workers with it

    def kill(self) -> None:
        """End the process and, on Linux, its workers."""
        self._process.kill()

    def end(self) -> None:
        """End the process and wait for it, so that its CPU time and its workers' are counted as this process' children's."""
        self._connection.close()
        try:
            self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that answers tasks, and the connection to it."""

    pid: int
    connection: Connection
    server: ForkServer

    def answer(self, message: bytes, wall_s: float | None) -> Any:
        """Return the answer to a task; raise TimeoutError if none comes, EOFError or OSError if the process dies."""
        self.connection.send_bytes(message)
        is_answer, answer = _received(self.connection, wall_s)
        if not is_answer:
            raise answer
        return answer

    def kill(self) -> None:
        """Kill the process; not to be called after `end`, when its pid may belong to another process."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """End the process; return the signal that ended it, or its exit code as a negative number."""
        self.kill()
        self.connection.close()
        return self.server.ended(self.pid)


def _received(connection: Connection, timeout_s: float | None) -> Any:
    """Return the next message; log records that arrive before it are handled here."""
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    while True:
        if deadline is not None and not connection.poll(max(0.0, deadline - time.monotonic())):
            raise TimeoutError
        found = connection.recv()
        if not isinstance(found, logging.LogRecord):
            return found
        logger = logging.getLogger(found.name)
        if logger.isEnabledFor(found.levelno):
            logger.handle(found)


# ---- Runs in the fork server and in the workers

_IN_WORKER = False


def is_worker() -> bool:
    """Return True in a worker, and while its main script is being read."""
    return _IN_WORKER


def serve(descriptor: int, parent: int) -> None:
    """Fork workers until the connection is closed: the fork server's main function."""
    global _IN_WORKER
    _IN_WORKER = True
    end_with_parent(parent)
    for name in _ONE_THREAD:  # set before numerical libraries are loaded: their threads would compete with the workers
        os.environ.setdefault(name, "1")
    gc.set_threshold(*GC_THRESHOLDS)
    connection = Connection(descriptor)
    with contextlib.suppress(EOFError, OSError):
        forwarding = _Forwarding(connection)
        try:
            level, main = connection.recv()
            logging.root.addHandler(forwarding)
            logging.root.setLevel(level)
            if main is not None:
                _load_main(main)
            answer = connection.recv()()
        except Exception as error:
            connection.send((False, f"{type(error).__name__}: {error}"))
            return
        logging.root.removeHandler(forwarding)
        gc.collect()
        trim_memory()
        gc.freeze()  # keeps each worker's collector from scanning, and so copying, shared memory
        connection.send((True, ""))
        while True:
            pid = connection.recv()
            connection.send(_forked(connection, answer) if pid is None else _ended(pid))


def _ended(pid: int) -> int:
    return -os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _forked(connection: Connection, answer: Callable[[Any], Any]) -> int | str:
    """Fork a worker and return its pid, or an error message."""
    descriptor, server = recv_handle(connection), os.getpid()
    try:
        pid = os.fork()
    except OSError as error:
        os.close(descriptor)
        return str(error)
    if pid:
        os.close(descriptor)
        return pid
    try:
        end_with_parent(server)
        connection.close()
        _answer_tasks(Connection(descriptor), answer)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)  # exit handlers would clean up what belongs to the other processes too


def _answer_tasks(connection: Connection, answer: Callable[[Any], Any]) -> None:
    """Answer tasks until the connection is closed."""
    logging.root.addHandler(_Forwarding(connection))
    with contextlib.suppress(EOFError, OSError):
        while True:
            cpu_s, task = connection.recv()
            _set_cpu_limit(cpu_s)
            try:
                is_answer, found = True, answer(task)
            except Exception as error:
                error.__cause__ = error.__context__ = None
                is_answer, found = False, error.with_traceback(None)
            _set_cpu_limit(None)
            try:
                connection.send((is_answer, found))
            except (pickle.PickleError, AttributeError, TypeError) as error:
                connection.send((False, RuntimeError(f"an answer cannot be sent: {error}")))
            del task, found


def _set_cpu_limit(cpu_s: float | None) -> None:
    """Have the kernel kill this process after this many more CPU seconds; None for no limit."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s or 0.0)


class _Forwarding(QueueHandler):
    """Sends log records to the process that sent the task."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)  # type: ignore[arg-type]
        self._connection = connection

    def enqueue(self, record: logging.LogRecord) -> None:
        """Send a record."""
        self._connection.send(record)


def _load_main(path: str) -> None:
    """Load the main script of the parent process, so that classes it defines can be unpickled."""
    module = ModuleType(_MAIN)
    module.__dict__.update(runpy.run_path(path, run_name=_MAIN))
    sys.modules["__main__"] = sys.modules[_MAIN] = module


# ---- Calls of the system


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
