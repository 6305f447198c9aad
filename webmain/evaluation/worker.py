"""Runs one system in a worker process, page after page, and measures it; the process cannot reach the network."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import resource
import socket
import sys
import time
import tomllib
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from webmain.evaluation.records import GoldPage, Prediction
from webmain.evaluation.systems import Loaded, System
from webmain.items import Rejected

MAX_ERROR_CHARS = 300  # characters of an error message that are kept


class Meter:
    """Measures the growth of the process's peak memory.

    On Linux the peak (VmHWM) is reset to the memory in use (/proc/self/clear_refs) and read after the page; before that,
    freed memory is collected and returned to the system (`malloc_trim`), so that a page cannot reuse what an earlier page
    left. Elsewhere the process's peak so far is read: a page shows only if it exceeds all pages before it. `method` says
    how it is measured here.
    """

    def __init__(self) -> None:
        self.method = "peak resident memory of the page above what was in use before it (clear_refs, VmHWM)"
        self._has_peak = True
        try:
            self.start()
        except OSError:
            self.method = "growth of the process's greatest resident memory so far (getrusage): a lower bound"
            self._has_peak = False
            self.start()

    def start(self) -> None:
        """Start measuring from the memory in use now."""
        gc.collect()
        if not self._has_peak:
            self._before = _greatest_bytes()
            return
        with contextlib.suppress(AttributeError):  # a C library without it
            ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:  # noqa: PTH123 - runs for every page
            file.write("5")
        self._before = _status_bytes("VmRSS")

    def growth(self) -> int:
        """Return by how many bytes the peak has risen since `start`."""
        return max(0, (_status_bytes("VmHWM") if self._has_peak else _greatest_bytes()) - self._before)


def _greatest_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _status_bytes(name: str) -> int:
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:  # noqa: PTH123 - runs for every page
        for line in lines:
            if line.startswith(name):
                return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {name}")


def measure(
    loaded: Loaded, pages: Sequence[GoldPage], meter: Meter, *, system: str = "", repeat: int = 1
) -> list[Prediction]:
    """Run a system on pages that belong together (mostly one) and measure it; the predictions have the name `system`.

    CPU time is that of the process with all its threads: the least of `repeat` runs, divided evenly among the pages. Memory
    is that of the first run, for all pages together, and is reported for each of them.
    """
    times: list[float] = []
    answers: Sequence[object]
    meter.start()
    started = time.process_time()
    try:
        inputs = [loaded.prepare(page) for page in pages]
        meter.start()
        for turn in range(repeat):
            started = time.process_time()
            answers = loaded.answer(inputs)
            times.append(time.process_time() - started)
            if turn == 0:
                memory = meter.growth()
        if len(answers) != len(pages):
            raise ValueError(f"{len(answers)} answers for {len(pages)} pages")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        answers, times, memory = [error] * len(pages), [time.process_time() - started], meter.growth()
    return [
        _prediction(system, page, answer, seconds=min(times) / len(pages), memory_bytes=memory)
        for page, answer in zip(pages, answers, strict=True)
    ]


def _prediction(system: str, page: GoldPage, answer: object, **measured: Any) -> Prediction:
    """Return the prediction of an error, a text, or a text with its confidence; a confidence outside [0, 1] is dropped."""
    text: Any = answer
    confidence, error = None, ""
    if isinstance(answer, BaseException):
        text, error = "", _clean(error_text(answer))[:MAX_ERROR_CHARS]
    elif isinstance(answer, tuple) and len(answer) == 2:
        text, confidence = answer
    if not isinstance(text, str | None):
        text, error = "", f"TypeError: the text is {type(text).__name__}, not str"
    sure = float(confidence) if isinstance(confidence, (int, float)) and 0 <= confidence <= 1 else None
    return Prediction(
        system=system,
        dataset=page.dataset,
        id=page.id,
        text=_clean(text),
        error=error,
        confidence=sure,
        **measured,
    )


def error_text(error: BaseException) -> str:
    """Return an error as "reason: detail"; the reason of a rejection is its own, that of other errors their type."""
    if isinstance(error, Rejected):
        return f"{error.reason.value}: {error.detail}" if error.detail else error.reason.value
    detail = " ".join(str(error).split())
    return f"{type(error).__name__}: {detail}" if detail else type(error).__name__


def _clean(text: str | None) -> str:
    """Return a text that can be written: None becomes "", lone surrogates are replaced."""
    return (text or "").encode("utf-8", "replace").decode("utf-8")


def ready(system: System) -> Loaded:
    """Load a system and run it on made-up pages, so that imports, tables and models are loaded before measuring."""
    loaded = system.load()
    together = system.mode != "page"
    made_up = tomllib.loads(Path(__file__).with_name("warm_up.toml").read_text("utf-8"))
    sentences = list(made_up["sentences"].items())
    numbers = range(12 if together else len(sentences))
    pages = [_made_up_page(made_up["page"], number, *sentences[number % len(sentences)]) for number in numbers]
    for batch in [pages] if together else [[page] for page in pages]:
        with contextlib.suppress(Exception):
            loaded.answer([loaded.prepare(page) for page in batch])
    return loaded


def _made_up_page(page: str, number: int, language: str, sentence: str) -> GoldPage:
    return GoldPage(
        id=f"warm-up-{number}",
        dataset="",
        html=page.format(number=number, language=language, sentence=sentence),
        text=None,
        url=f"https://page.invalid/{number}",
        language=language,
    )


def isolated(system: System, repeat: int) -> Callable[[Sequence[GoldPage]], list[Prediction]]:
    """Cut this process off from network and terminal; return a function that measures a system on groups of pages."""
    close_network()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    loaded, meter = ready(system), Meter()
    gc.collect()
    gc.freeze()  # keeps the garbage collector from scanning imported modules before every page
    return lambda pages: measure(loaded, pages, meter, system=system.name, repeat=repeat)


class NetworkClosed(OSError):  # noqa: N818 - reads as what it is
    """A system tried to reach the network during an evaluation."""


def close_network() -> None:
    """Make every attempt to connect or to look up a name raise `NetworkClosed`, for the rest of this process."""

    def refuse(*args: object, **options: object) -> Any:
        raise NetworkClosed("systems must not use the network during an evaluation")

    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "create_connection"):
        setattr(socket, name, refuse)
