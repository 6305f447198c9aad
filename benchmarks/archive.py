"""Measure `scrapy crawl archive` on many sites at once: pages a second, memory, and where the bytes of the store are.

    python benchmarks/archive.py [--pages 20000] [--hosts 50] [--folder KEPT] [--wanted 1] [-s NAME=VALUE]

The pages are those of `demo.many`, of each host in turn, so that all sites are learned at the same time. They are written to
one `.warc.gz`, which a second call with the same `--folder` reads again. Memory is the sum over the crawl's processes of what
each has for itself and its share of the rest (PSS, Linux only), looked at four times a second. Bytes of tables are those of
SQLite's `dbstat`, where Python's SQLite has it. With `--wanted N` the pages are a month of
Common Crawl's news archives, of which only those of N hosts are read (`-a ccnews= -a domains=`): what the others cost is the
CPU time beside that of a month of one page.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import ENVIRONMENT, ROOT, cpu_s, parser

from demo.many import ManyPages
from webmain.archive.recording import WarcWriter

LOOK_S = 0.25
MONTH_FILES = 10
"""Files of a month, all the same one."""


def write_pages(path: Path, n_pages: int, n_hosts: int) -> None:
    """Write the pages to a `.warc.gz`, a host after the other in turn."""
    per_host = -(-n_pages // n_hosts)
    webs = [ManyPages(n_articles=per_host, host=f"www.site-{i}.example", seed=i) for i in range(n_hosts)]
    part = path.with_name("part.warc.gz")
    part.unlink(missing_ok=True)
    with contextlib.closing(WarcWriter(part)) as writer:
        for n in range(n_pages):
            url = webs[n % n_hosts].url(n // n_hosts)
            answer = webs[n % n_hosts].respond(url)
            writer.write(url, answer.status, answer.headers, answer.body)
    part.replace(path)


def month_of(pages: Path, n_wanted: int) -> list[str]:
    """Lay an archive out as a month, beside it; return the arguments that read the pages of some of its hosts."""
    base = pages.with_suffix(".month")
    place = base / "crawl-data/CC-NEWS/2026/10"
    place.mkdir(parents=True, exist_ok=True)
    for n in range(MONTH_FILES):
        (place / f"{n}.warc.gz").unlink(missing_ok=True)
        (place / f"{n}.warc.gz").hardlink_to(pages)
    paths = "".join(f"crawl-data/CC-NEWS/2026/10/{n}.warc.gz\n" for n in range(MONTH_FILES))
    (place / "warc.paths.gz").write_bytes(gzip.compress(paths.encode()))
    domains = ",".join(f"site-{i}.example" for i in range(n_wanted)) or "none.example"
    return ["-a", "ccnews=2026/10", "-a", f"base={base}", "-a", f"domains={domains}"]


def crawl(arguments: list[str], folder: Path, settings: list[str]) -> tuple[float, float, dict[str, int]]:
    """Run the crawl; return its wall and CPU seconds, and the greatest memory of its processes, in bytes."""
    command = [sys.executable, "-m", "scrapy", "crawl", "archive", *arguments]
    command += ["-a", f"store=sqlite:{folder / 'news.db'}", "-s", f"WEBMAIN_MODELS={folder / 'models'}"]
    command += [part for setting in ["LOG_LEVEL=WARNING", *settings] for part in ("-s", setting)]
    before, started, most = cpu_s(), time.perf_counter(), {"all": 0}
    process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT)
    while process.poll() is None:
        now = {name: n for name, n in _memory(process.pid).items() if n}
        for name, n_bytes in {**now, "all": sum(now.values())}.items():
            most[name] = max(most.get(name, 0), n_bytes)
        time.sleep(LOOK_S)
    if process.returncode:
        raise RuntimeError(f"{command} exited with {process.returncode}")
    return time.perf_counter() - started, cpu_s() - before, most


def _memory(root: int) -> dict[str, int]:
    """Return the bytes that a process and those it started have, by their numbers in the order of their start."""
    pids = [root]
    found: dict[str, int] = {}
    for n, pid in enumerate(pids):
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                pids += map(int, (task / "children").read_text().split())
            size = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)
            found[f"process {n}"] = 1024 * int(size[1]) if size else 0
    return found


def sizes(path: Path) -> tuple[int, int, dict[str, int]]:
    """Return the number of a store's articles, its bytes, and those of each table and index."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        n_articles = db.execute("SELECT count(*) FROM article").fetchone()[0]
        tables: dict[str, int] = {}
        with contextlib.suppress(sqlite3.OperationalError):
            tables = dict(db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC"))
    return n_articles, path.stat().st_size, tables


def passed(pages: Path, folder: Path, args: argparse.Namespace) -> None:
    """Print what pages of other hosts cost."""
    empty = folder / "one.warc.gz"
    write_pages(empty, 1, 1)
    start_s = min(crawl(month_of(empty, 0), folder, args.settings)[1] for _ in range(2))
    wall, cpu, memory = crawl(month_of(pages, args.wanted), folder, args.settings)
    n, n_wanted = MONTH_FILES * args.pages, MONTH_FILES * args.pages * args.wanted // args.hosts
    each_ms = 1000 * (cpu - start_s) / n
    print(f"{n} records of {args.hosts} hosts, {n_wanted} wanted; {MONTH_FILES * pages.stat().st_size / 1e6:.0f} MB")
    print(f"  {n / wall:.0f} records/s, {each_ms:.3f} ms CPU each, start-up ({start_s:.1f} s) left out")
    print("  memory: " + ", ".join(f"{who} {n / 1e6:.0f} MB" for who, n in memory.items()))


def main() -> None:
    """Print the figures."""
    ap = parser(__doc__)
    ap.add_argument("--pages", type=int, default=20_000)
    ap.add_argument("--hosts", type=int, default=50)
    ap.add_argument("--folder", type=Path, help="where the pages are kept for the next call")
    ap.add_argument("--wanted", type=int, metavar="N", help="read only the pages of N hosts, out of a month's archive")
    ap.add_argument(
        "-s", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="a setting of the crawl"
    )
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = args.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        pages = folder / f"{args.pages}-{args.hosts}.warc.gz"
        if not pages.exists():
            write_pages(pages, args.pages, args.hosts)
        if args.wanted is not None:
            passed(pages, Path(name), args)
            return
        wall, cpu, memory = crawl(["-a", f"path={pages}"], Path(name), args.settings)
        n_articles, n_bytes, tables = sizes(Path(name) / "news.db")
        print(f"{args.pages} pages of {args.hosts} hosts: {n_articles} articles")
        print(f"  {args.pages / wall:.1f} pages/s, {1000 * cpu / args.pages:.1f} ms CPU a page, start-up included")
        print("  memory: " + ", ".join(f"{who} {n / 1e6:.0f} MB" for who, n in memory.items()))
        print(f"  store: {n_bytes / max(1, n_articles) / 1000:.1f} kB an article")
        for table, size in tables.items():
            print(f"    {table:28s} {size / max(1, n_articles) / 1000:6.2f} kB")


if __name__ == "__main__":
    main()
