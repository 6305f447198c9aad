"""A pool of worker processes that can be killed: a task that hangs or crashes its process loses only itself.

A task's limit is CPU time of its process, enforced by the kernel, so that even a long call in C is interrupted. Wall-clock
time ends only a process that neither works nor answers. The time a process takes to start and to load what answers tasks
counts for no task. Workers die with the process that started them, and leave Ctrl-C and SIGTERM to it.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from webmain.items import Reason, Rejected
from webmain.processes.fork_server import ForkServer, Worker, is_worker
from webmain.processes.fork_server import PoolError as PoolError

GRACE_FACTOR: Final = 1.5
GRACE_S: Final = 1.0
"""A task's process is killed after `GRACE_FACTOR` times the task's limit plus `GRACE_S` CPU seconds.

The task checks the limit itself between its steps; this is for tasks that cannot.
"""

WALL_FACTOR: Final = 10.0
WALL_S: Final = 60.0
"""A task whose process does not answer is given up after `WALL_FACTOR` times its limit plus `WALL_S` seconds."""

TRIES: Final = 2
"""Attempts at a task whose process dies: the first time may have had another cause."""

_END_S: Final = 2.0
"""Seconds for which a thread waits at most until the other workers have ended."""

_PROTOCOL: Final = 5

Answering = Callable[[Any], Any]


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
        Called in the process that workers are forked from; returns the function that answers tasks. `setup`, tasks and
        answers are pickled.
    n : int
        Number of workers, at least 1.

    Raises
    ------
    PickleError, AttributeError, TypeError
        `setup` cannot be pickled.
    PoolError
        The current process is itself a worker.
    """

    def __init__(self, setup: Callable[[], Answering], n: int) -> None:
        if is_worker():
            raise PoolError(
                "a worker starts no workers: a script has to ask for them under `if __name__ == '__main__':`"
            )
        self._setup = pickle.dumps(setup, _PROTOCOL)
        self._changed = threading.Condition()
        self._shared: deque[_Job] = deque()
        self._own: list[deque[_Job]] = [deque() for _ in range(n)]
        self._busy: list[_Job | None] = [None] * n
        self._workers: list[Worker | None] = [None] * n
        self._server: ForkServer | None = None
        self._starting = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._n_ended = 0
        self._closed = False

    def submit(
        self,
        task: Any,
        *,
        url: str | None = None,
        limit_s: float | None = None,
        wall_s: float | None = None,
        worker: int | None = None,
        next_: bool = False,
    ) -> Future[Any]:
        """Return a future for a task, which runs as soon as a worker is free.

        Parameters
        ----------
        url : str or None
            Address of the page that the task is about.
        limit_s : float or None
            CPU seconds; None for no limit.
        wall_s : float or None
            Wall-clock seconds; None derives them from `limit_s`.
        worker : int or None
            Number of the worker that must run the task; None for any.
        next_ : bool
            Run it before all waiting tasks except those also given with `next_`.

        Returns
        -------
        Future
            The answer, or an error: `Rejected` (`TOO_SLOW`; `INTERNAL_ERROR` if the process dies twice), `PoolError`,
            `PoolClosed`, or whatever the task raised.
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
        """Start all workers now instead of with their first tasks."""
        self._start_threads(at_once=True)

    def least_busy(self) -> int:
        """Return the number of the worker with the fewest tasks."""
        with self._changed:
            return min(range(len(self._own)), key=lambda i: len(self._own[i]) + (self._busy[i] is not None))

    def close(self) -> None:
        """End all workers, even during tasks; the futures of unfinished tasks raise `PoolClosed`."""
        with self._changed:
            self._closed = True
            left = [job for jobs in (self._shared, *self._own) for job in jobs]
            for jobs in (self._shared, *self._own):
                jobs.clear()
            for process in (*self._workers, self._server if self._starting.locked() else None):
                if process is not None:
                    process.kill()
            self._changed.notify_all()
        for job in left:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(PoolClosed())
        for thread in self._threads:
            thread.join()
        self._dismiss_server()

    # ---- Runs in the threads, one per worker

    def _start_threads(self, *, at_once: bool) -> None:
        for i in range(len(self._own)):
            thread = threading.Thread(target=self._work, args=(i, at_once), name=f"webmain-worker-{i}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self, i: int, at_once: bool) -> None:
        """Run tasks one after the other; the worker process is started in this thread because it dies with it."""
        if hasattr(signal, "pthread_sigmask"):  # processes inherit the mask of the thread that starts them
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        if at_once:
            with contextlib.suppress(PoolError, PoolClosed):  # the first task reports it
                self._worker(i)
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
        with self._changed:  # the kernel ends the fork server with the thread that started it: not before all workers
            self._n_ended += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._n_ended >= len(self._threads), _END_S)

    def _next(self, i: int) -> _Job | None:
        """Wait for a task and return it; None once the pool is closed."""
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
            worker = self._worker(i)
            try:
                return worker.answer(message, job.wall_s)
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

    def _worker(self, i: int) -> Worker:
        """Return a thread's worker, forking one if there is none."""
        if (worker := self._workers[i]) is not None:
            return worker
        with self._starting:
            for _ in range(TRIES):
                try:
                    worker = self._forked()
                    break
                except (EOFError, OSError):
                    self._dismiss_server()
            else:
                raise PoolError("a worker process died as it started")
        with self._changed:
            self._workers[i] = worker
            if self._closed:
                raise PoolClosed
        return worker

    def _forked(self) -> Worker:
        """Return a new worker, starting the fork server if there is none."""
        server = self._server
        try:
            if server is None:
                with self._changed:
                    if self._closed:
                        raise PoolClosed
                    self._server = server = ForkServer()
                server.make_ready(self._setup)
            return server.fork()
        except PoolError:
            self._dismiss_server()
            raise

    def _dismiss_server(self) -> None:
        """End the fork server."""
        with self._changed:
            server, self._server = self._server, None
        if server is not None:
            server.end()

    def _dismiss(self, i: int) -> int:
        """End a thread's worker, and return the signal that ended it, or its exit code as a negative number."""
        with self._changed:
            worker, self._workers[i] = self._workers[i], None
        return worker.end() if worker is not None else 0


def _name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}" if number > 0 else f"exit code {-number}"
