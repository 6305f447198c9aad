"""Worker processes that can be killed: a task that hangs or crashes its process costs itself only.

A task's time is the CPU time of its process, kept by the kernel: the process is killed also in the midst of one long call in
C. Only a process that neither works nor answers is killed by the clock on the wall. The time in which a process starts and
makes ready what answers the tasks is no task's. Workers die with the process that started them, and leave Ctrl-C and SIGTERM
to it.
"""

from __future__ import annotations

import contextlib
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
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any, Final

from webmain.items import Reason, Rejected
from webmain.lifeline import die_with

GRACE_FACTOR: Final = 1.5
GRACE_S: Final = 1.0
"""A task's process is killed after so many times its limit, which is checked between steps, and so many CPU seconds more."""

WALL_FACTOR: Final = 10.0
WALL_S: Final = 60.0
"""A task whose process does not answer is given up after so many times its limit, and so many seconds more."""

TRIES: Final = 2
"""Times a task is tried whose process dies: the first death may have had another cause."""

_START_S: Final = 120.0
_PROTOCOL: Final = 5
_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_MAIN: Final = "__mp_main__"

Answering = Callable[[Any], Any]


class PoolError(RuntimeError):
    """Worker processes can not be started."""


class PoolClosed(RuntimeError):  # noqa: N818 - no error: the answer is no longer wanted
    """The pool was closed before the task was done."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A task that waits for a worker."""

    task: Any
    url: str | None
    limit_s: float | None
    wall_s: float | None
    next_: bool
    future: Future[Any] = field(default_factory=Future)


class Pool:
    """A bounded number of worker processes, each started with its first task.

    Parameters
    ----------
    setup : callable
        Called in each worker as it starts: returns what answers the tasks. It, the tasks and the answers are pickled.
    n : int
        Workers, from 1.

    Raises
    ------
    PickleError, AttributeError, TypeError
        `setup` can not be pickled.
    PoolError
        This is itself a worker.
    """

    def __init__(self, setup: Callable[[], Answering], n: int) -> None:
        if _IN_WORKER:
            raise PoolError(
                "a worker starts no workers: a script has to ask for them under `if __name__ == '__main__':`"
            )
        self._setup = pickle.dumps(setup, _PROTOCOL)
        self._changed = threading.Condition()
        self._shared: deque[_Job] = deque()
        self._own: list[deque[_Job]] = [deque() for _ in range(n)]
        self._busy: list[_Job | None] = [None] * n
        self._processes: list[_Process | None] = [None] * n
        self._threads: list[threading.Thread] = []
        self._closed = False

    def give(
        self,
        task: Any,
        *,
        url: str | None = None,
        limit_s: float | None = None,
        wall_s: float | None = None,
        worker: int | None = None,
        next_: bool = False,
    ) -> Future[Any]:
        """Let a task be done as soon as a worker is free.

        Parameters
        ----------
        url : str or None
            Address of the page that the task is about.
        limit_s : float or None
            CPU seconds; None for no limit.
        wall_s : float or None
            Seconds by the clock; None for those that follow from `limit_s`.
        worker : int or None
            The number of the worker that has to do it; None for any.
        next_ : bool
            Before all tasks that wait, but for those that were given so.

        Returns
        -------
        Future
            The answer, or what was raised: `Rejected` (`TOO_SLOW`; `INTERNAL_ERROR` where the process dies twice),
            `PoolError`, `PoolClosed`, and errors of the task.
        """
        if wall_s is None and limit_s is not None:
            wall_s = WALL_FACTOR * limit_s + WALL_S
        job = _Job(task, url, limit_s, wall_s, next_)
        with self._changed:
            if self._closed:
                job.future.set_exception(PoolClosed())
                return job.future
            if not self._threads:
                self._start_threads(at_once=False)
            waiting = self._shared if worker is None else self._own[worker]
            n_before = sum(other.next_ for other in waiting) if next_ else len(waiting)
            waiting.insert(n_before, job)
            self._changed.notify_all()
        return job.future

    def start(self) -> None:
        """Start all workers now, so that the first tasks need not wait for them."""
        self._start_threads(at_once=True)

    def idlest(self) -> int:
        """Return the number of the worker that has least to do."""
        with self._changed:
            return min(range(len(self._own)), key=lambda i: len(self._own[i]) + (self._busy[i] is not None))

    def close(self) -> None:
        """End all workers, also in the midst of their tasks, whose futures raise `PoolClosed`."""
        with self._changed:
            self._closed = True
            left = [job for jobs in (self._shared, *self._own) for job in jobs]
            for jobs in (self._shared, *self._own):
                jobs.clear()
            for process in self._processes:
                if process is not None:
                    process.kill()
            self._changed.notify_all()
        for job in left:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(PoolClosed())
        for thread in self._threads:
            thread.join()

    # ---- In the threads, of which each worker has one

    def _start_threads(self, *, at_once: bool) -> None:
        for i in range(len(self._own)):
            thread = threading.Thread(target=self._work, args=(i, at_once), name=f"webmain-worker-{i}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self, i: int, at_once: bool) -> None:
        """Do one task after the other; processes are started here, since they die with this thread."""
        if hasattr(signal, "pthread_sigmask"):  # what a thread blocks is blocked in the processes that it starts
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        if at_once:
            with contextlib.suppress(PoolError, PoolClosed):  # the first task will tell
                self._process(i)
        while (job := self._next(i)) is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                answer = self._answer(i, job)
            except BaseException as error:
                job.future.set_exception(PoolClosed() if self._closed else error)
            else:
                job.future.set_result(answer)
            del job
        self._dismiss(i)

    def _next(self, i: int) -> _Job | None:
        """Wait for a task; None where the pool is closed."""
        with self._changed:
            self._busy[i] = None
            while not self._closed:
                for waiting in (self._own[i], self._shared):
                    if waiting:
                        self._busy[i] = waiting.popleft()
                        return self._busy[i]
                self._changed.wait()
        return None

    def _answer(self, i: int, job: _Job) -> Any:
        how = ""
        message = pickle.dumps(
            (None if job.limit_s is None else GRACE_FACTOR * job.limit_s + GRACE_S, job.task), _PROTOCOL
        )
        for _ in range(TRIES):
            process = self._process(i)
            try:
                return process.answer(message, job.wall_s)
            except TimeoutError:
                self._dismiss(i)
                why = "its process neither worked nor answered, and was ended"
                raise Rejected(Reason.TOO_SLOW, why, url=job.url) from None
            except (EOFError, OSError):
                number = self._dismiss(i)
            if number == signal.SIGPROF:
                why = f"more than {job.limit_s:g} CPU seconds, and its process was ended"
                raise Rejected(Reason.TOO_SLOW, why, url=job.url)
            how = _name(number)
        raise Rejected(Reason.INTERNAL_ERROR, f"its process died ({how})", url=job.url)

    def _process(self, i: int) -> _Process:
        """Return a thread's process, started if there is none."""
        process = self._processes[i]
        if process is None:
            with self._changed:
                if self._closed:
                    raise PoolClosed
                self._processes[i] = process = _Process()
            try:
                process.greet(self._setup)
            except BaseException:
                self._dismiss(i)
                raise
        return process

    def _dismiss(self, i: int) -> int:
        """End a thread's process, and return the signal that ended it, or its exit code as a negative number."""
        with self._changed:
            process, self._processes[i] = self._processes[i], None
        return process.end() if process is not None else 0


class _Process:
    """A process that answers tasks, and the way to it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._connection = Connection(ours.detach())
        code = f"import sys; sys.path[:] = {sys.path!r}; from webmain.pool import serve; "
        with theirs:
            code += f"serve({theirs.fileno()}, {os.getpid()})"
            try:
                self._process = subprocess.Popen(  # noqa: S603 - this Python
                    [sys.executable, "-c", code], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
                )
            except OSError as error:
                self._connection.close()
                raise PoolError(f"a worker process can not be started: {error}") from error

    def greet(self, setup: bytes) -> None:
        """Tell the process what to do, and wait until it can."""
        main = getattr(sys.modules["__main__"], "__file__", None) if b"__main__" in setup else None
        try:
            self._connection.send((logging.getLogger().getEffectiveLevel(), main))
            self._connection.send_bytes(setup)
            is_ready, problem = self._receive(_START_S)
        except TimeoutError:
            raise PoolError(f"a worker process was not ready within {_START_S:g} s") from None
        except (EOFError, OSError) as error:
            raise PoolError("a worker process died as it started") from error
        if not is_ready:
            raise PoolError(f"a worker process can not start: {problem}")

    def answer(self, message: bytes, wall_s: float | None) -> Any:
        """Return the answer to a task. TimeoutError where there is none; EOFError or OSError where the process dies."""
        self._connection.send_bytes(message)
        is_answer, answer = self._receive(wall_s)
        if not is_answer:
            raise answer
        return answer

    def _receive(self, timeout_s: float | None) -> tuple[bool, Any]:
        """Return the next message; what the process logs on the way is logged here."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            if deadline is not None and not self._connection.poll(max(0.0, deadline - time.monotonic())):
                raise TimeoutError
            found = self._connection.recv()
            if not isinstance(found, logging.LogRecord):
                return found  # type: ignore[no-any-return]
            logger = logging.getLogger(found.name)
            if logger.isEnabledFor(found.levelno):
                logger.handle(found)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def end(self) -> int:
        """End the process; return the signal that ended it, or its exit code as a negative number."""
        try:
            self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._connection.close()
        return -self._process.wait()


def _name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}" if number > 0 else f"exit code {-number}"


# ---- In the worker

_IN_WORKER = False


def serve(descriptor: int, parent: int) -> None:
    """Answer tasks until the connection is closed: a worker's main function."""
    global _IN_WORKER
    _IN_WORKER = True
    die_with(parent)
    for name in _ONE_THREAD:  # before numerical libraries are loaded: as many threads as cores wait for each other
        os.environ.setdefault(name, "1")
    connection = Connection(descriptor)
    with contextlib.suppress(EOFError, OSError):
        try:
            level, main = connection.recv()
            logging.root.addHandler(_Forwarding(connection))
            logging.root.setLevel(level)
            if main is not None:
                _load_main(main)
            answer = connection.recv()()
        except Exception as error:
            connection.send((False, f"{type(error).__name__}: {error}"))
            return
        connection.send((True, ""))
        while True:
            cpu_s, task = connection.recv()
            _bound(cpu_s)
            try:
                is_answer, found = True, answer(task)
            except Exception as error:
                error.__cause__ = error.__context__ = None
                is_answer, found = False, error.with_traceback(None)
            _bound(None)
            try:
                connection.send((is_answer, found))
            except (pickle.PickleError, AttributeError, TypeError) as error:
                connection.send((False, RuntimeError(f"an answer can not be sent: {error}")))
            del task, found


def _bound(cpu_s: float | None) -> None:
    """Let the kernel kill this process after so much more CPU time of its own; None for no limit."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s or 0.0)


class _Forwarding(QueueHandler):
    """Sends what is logged to the process that asks."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)  # type: ignore[arg-type]
        self._connection = connection

    def enqueue(self, record: logging.LogRecord) -> None:
        """Send a record."""
        self._connection.send(record)


def _load_main(path: str) -> None:
    """Make the classes known that the asking script itself defines."""
    module = ModuleType(_MAIN)
    module.__dict__.update(runpy.run_path(path, run_name=_MAIN))
    sys.modules["__main__"] = sys.modules[_MAIN] = module
