"""Crawls in processes of their own, forked from one that has imported what they need: each costs its own work only.

That process knows nothing of pytest. It runs no event loop and has one thread, and takes requests, a line of JSON each: to
fork, or to wait for a process that has ended. A forked process becomes `python -m scrapy`, or that of another module, up to
the interpreter's own end.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
SAMPLE = Path(__file__).parent / "sample"
WARNINGS = ("-W", "error::ResourceWarning")
CAN_FORK = hasattr(os, "pidfd_open")
MORE = [
    "cchardet",
    "concurrent.futures.thread",
    "demo.handler",
    "demo.settings",
    "demo.web",
    "numpy.ma",
    "rensa",
    "scrapy.cmdline",
    "scrapy.shell",
    "webmain.commands.crawl",
    "webmain.extractors.line_block",
    "webmain.extractors.site_model",
    "webmain.html.sniffing",
]
READ = ["th_news", "zh_news_gb18030", "en_news_teasers", "ar_news_rtl", "en_blog_comments"]
"""Gold pages that are extracted before anything is forked: so the dictionaries and patterns for such pages are there."""


def environment() -> dict[str, str]:
    """Return the environment of crawls."""
    paths = [str(ROOT), str(SAMPLE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}


class Forker:
    """The process that forks, as its user sees it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, *WARNINGS, __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command, env={**env, "OPENBLAS_NUM_THREADS": "1"}, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )
        self._socket, self._lines = ours, ours.makefile("r")

    def ask(self, **request: Any) -> int:
        """Return the answer to a request."""
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        return int(self._lines.readline())

    def close(self) -> None:
        """End the process."""
        self._lines.close()
        self._socket.close()
        self._process.wait(30)


class Forked:
    """A command of Scrapy, or of another module, that was forked: as much of `subprocess.Popen` as tests need.

    What it writes goes to the files of a name, and the endings .out and .log.
    """

    def __init__(
        self,
        forker: Forker,
        arguments: Sequence[str],
        folder: Path,
        env: Mapping[str, str],
        name: Path,
        module: str = "scrapy",
    ) -> None:
        self._forker = forker
        self._files = [name.with_name(name.name + ending) for ending in (".out", ".log")]
        files = [str(file) for file in self._files]
        command = [module, *arguments]
        self.pid = forker.ask(command=command, folder=str(folder), env=dict(env), files=files)
        self.returncode: int | None = None
        self._ended = os.pidfd_open(self.pid)  # the forker waits for it on request only: the number stays its own

    def poll(self) -> int | None:
        """Return the exit code; None as long as it runs."""
        if self.returncode is None and select.select([self._ended], [], [], 0)[0]:
            self.returncode = self._forker.ask(wait=self.pid)
            os.close(self._ended)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        if self.returncode is None and not select.select([self._ended], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("scrapy", timeout or 0)
        return self.poll() or 0

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end; return what it wrote."""
        self.wait(timeout)
        out, log = (file.read_text(encoding="utf-8") for file in self._files)
        return out, log

    def send_signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


# ---- In the process that forks


_imported: dict[str, ModuleType] = {}


def _import_all() -> None:
    """Import what crawls import, but for Twisted's reactor, and read what pages are judged with."""
    atexit.register(_leave_imported)  # the first is called last
    from charset_normalizer import from_bytes
    from scrapy.settings import default_settings
    from scrapy.utils.misc import walk_modules

    import webmain
    from webmain import settings
    from webmain.regex import _Lazy as Lazy
    from webmain.text.language import detect

    for package in ("scrapy.commands", "webmain.spiders"):
        walk_modules(package)
    values = [*vars(default_settings).values(), *vars(settings).values()]
    values += [part for value in values if isinstance(value, dict) for part in [*value, *value.values()]]
    for name in MORE:
        import_module(name)
    for name in values:
        if isinstance(name, str) and name.startswith(("demo.", "scrapy.", "webmain.", "rensa.")):
            import_module(name.rpartition(".")[0])
    for name in READ:
        page = (ROOT / f"tests/gold/pages/{name}.html").read_bytes()
        webmain.extract(page, url=f"https://news.example/{name}", words=True, keep={"comments", "links", "images"})
    webmain.extract(page, extractor="line_block")  # the method of the spider `sample`
    detect("A short one")  # loads the larger model
    from_bytes("Küste".encode("cp1252"))  # loads the encodings that Scrapy tries
    for each in gc.get_objects():
        if isinstance(each, Lazy):
            for name in ("finditer", "fullmatch", "match", "search", "split", "sub"):
                getattr(each, name)  # compiles it
    assert "twisted.internet.reactor" not in sys.modules
    _imported.update(sys.modules)
    gc.collect()
    gc.freeze()  # no forked process walks all this, which would copy it: that took longer than a small crawl


def _leave_imported() -> None:
    """Have the interpreter's end take apart what this process made, not what it was forked with, which would copy that."""
    gc.collect()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_imported))
    for name in _imported.keys() - {"__main__", "builtins", "sys"}:
        sys.modules.pop(name, None)


def _serve(descriptor: int) -> dict[str, Any]:
    """Answer requests; return, in a forked process, what it is to become."""
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rw") as lines:
        for line in lines:
            request = json.loads(line)
            if pid := request.get("wait"):
                answer = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            elif not (answer := os.fork()):
                return request
            lines.write(f"{answer}\n")
            lines.flush()
    sys.exit()


def _become(command: Sequence[str], folder: str, env: Mapping[str, str], files: Sequence[str]) -> None:
    """Run the command line of a module."""
    for number, file in enumerate(files, 1):
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.argv = list(command)
    sys.path[:1] = [folder, *env["PYTHONPATH"].split(os.pathsep)]
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _import_all()
    _become(**_serve(int(sys.argv[1])))
