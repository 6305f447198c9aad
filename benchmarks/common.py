"""What several benchmarks need; importing this puts the repository on the path, as demo/ is no part of the package.

It imports nothing else that takes time, since the start-up of some processes is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
"""Environment of processes that import demo/."""


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of arguments whose help shows a module's docstring as it is written."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def page_parser(description: str | None, *, limit: int = 200, rounds: int = 3) -> argparse.ArgumentParser:
    """Return a parser with the arguments --data, --limit and --rounds."""
    found = parser(description)
    found.add_argument("--data", type=Path, help="JSONL file (.gz) with pages; default: the shipped made-up pages")
    found.add_argument("--limit", type=int, default=limit, help=f"pages (default {limit})")
    found.add_argument("--rounds", type=int, default=rounds, help=f"the best one counts (default {rounds})")
    return found


def read_pages(path: Path | None, limit: int) -> list[tuple[str, bytes, str | None]]:
    """Return distinct pages of a JSONL file, or the demo's, as text, as UTF-8, and with their addresses."""
    if path is None:
        from demo.many import ManyPages

        web = ManyPages(n_articles=limit)
        distinct = {web.respond(url).body.decode(): url for url in web.urls()}
    else:
        from webmain.files import opened

        try:
            with opened(path) as lines:
                records = [json.loads(line) for line in lines]
        except OSError as error:
            sys.exit(f"{path}: {error.strerror or error}")
        distinct = {record["html"]: record.get("url") for record in records if record["html"]}
    if not distinct:
        sys.exit(f"{path}: contains no page")
    return [(html, html.encode("utf-8", "replace"), url) for html, url in list(distinct.items())[:limit]]


def cpu_s(who: int = resource.RUSAGE_CHILDREN) -> float:
    """Return user and system time of the processes that this one has started and that have ended, or of this one."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def measure(command: list[str], **variables: str) -> tuple[float, float, str]:
    """Run a command with further variables in its environment; return its CPU seconds, its wall seconds, its output."""
    before, started = cpu_s(), time.perf_counter()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**ENVIRONMENT, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"{command} exited with {done.returncode}:\n{done.stdout[-4000:]}")
    return cpu_s() - before, wall, done.stdout


@contextmanager
def serving(*command: str) -> Iterator[str]:
    """Run a module that is a server in a process of its own; yields the address in its first line."""
    line = [sys.executable, "-m", *command]
    with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
        try:
            found = re.search(r"http://[^/\s]+", process.stdout.readline() if process.stdout else "")
            if found is None:
                raise RuntimeError(f"{line} did not start")
            yield found[0]
        finally:
            process.kill()
