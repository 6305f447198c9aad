"""Measure what extraction costs, beside the parsers' own cost and beside peers, on the same pages in one run.

    python benchmarks/speed.py                       the shipped made-up pages, all methods
    python benchmarks/speed.py --data PAGES.jsonl.gz your own: one JSON object a line with "html" and, optionally, "url"
    python benchmarks/speed.py --extractor pab       one method, or several: the option may be repeated

Warm: the systems take turns at every ten pages, so that whatever else the machine does hits all of them; each page counts
with its best round, in CPU time of this process. Pages are distinct and nothing is kept of them between rounds. Figures are
milliseconds a page, and ratios to the parse-and-walk floor: lexbor's parse of the page's UTF-8 bytes and a visit of each
node by its first-child and next links. Cold: what a fresh process spends on the import and on its first text, without the
interpreter's own start; the best of several processes, of which the first compiles the modules, as an installer does.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version

from common import ROOT, page_parser, read_pages
from selectolax.lexbor import LexborHTMLParser

import webmain
from webmain.extractors.base import EXTRACTORS

System = Callable[[str, bytes, str | None], object]

LEXBOR, WALK, LXML = "lexbor parse", "lexbor parse and walk", "lxml parse"
RESILIPARSE, TRAFILATURA, BARE = (
    "resiliparse main_content",
    "trafilatura extract",
    "trafilatura bare_extraction, metadata",
)
READABILITY = "readability-lxml summary"
BATCH = 10
"""Pages after which another system has its turn."""


def parse(_html: str, body: bytes, _url: str | None) -> object:
    """Parse only: the lower floor."""
    return LexborHTMLParser(body)


def parse_and_walk(_html: str, body: bytes, _url: str | None) -> object:
    """Parse and visit every node once, reading its tag: the floor that ratios refer to."""
    parser = LexborHTMLParser(body)
    node = parser.root
    n = 0
    while node is not None:
        n += node.tag is not None
        child = node.first_child
        if child is not None:
            node = child
            continue
        while node is not None:
            after = node.next
            if after is not None:
                node = after
                break
            node = node.parent
    return n


def ours(extractor: str, parts: str) -> System:
    """Extract by one of webmain's methods; a rejected page counts as done."""

    def run(html: str, _body: bytes, url: str | None) -> object:
        try:
            return webmain.extract(html, url=url, extractor=extractor, parts=parts)  # type: ignore[arg-type]
        except webmain.Rejected:
            return None

    return run


def peers() -> dict[str, System]:
    """Return the peers that are installed, lxml first."""
    found: dict[str, System] = {}
    with _imported("lxml"):
        from lxml.html import HTMLParser, document_fromstring

        found[LXML] = lambda _, body, url: document_fromstring(body, parser=HTMLParser(encoding="utf-8"))
    with _imported("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        found[RESILIPARSE] = lambda html, body, url: extract_plain_text(html, main_content=True)
    with _imported("trafilatura"):
        from trafilatura import bare_extraction, extract

        found[TRAFILATURA] = lambda html, body, url: extract(html, url=url, include_comments=False)
        found[BARE] = lambda html, body, url: bare_extraction(html, url=url, include_comments=False, with_metadata=True)
    with _imported("readability-lxml"):
        from readability import Document

        found[READABILITY] = lambda html, body, url: Document(html).summary()
    return found


@contextmanager
def _imported(package: str) -> Iterator[None]:
    """Print the version of a package that is imported, or that it is not installed."""
    try:
        yield
        print(f"{package} {version(package)}")
    except ImportError:
        print(f"{package} is not installed (make bench installs it)", file=sys.stderr)


def measure(systems: dict[str, System], pages: list[tuple[str, bytes, str | None]], rounds: int) -> dict[str, float]:
    """Return the CPU milliseconds that each system spends on a page, on average over the pages' best rounds."""
    best = {name: [float("inf")] * len(pages) for name in systems}
    for _ in range(rounds):
        for start in range(0, len(pages), BATCH):
            for name, system in systems.items():
                own = best[name]
                gc.collect()  # nobody pays for what another left behind
                for i in range(start, min(start + BATCH, len(pages))):
                    html, body, url = pages[i]
                    started = time.process_time_ns()
                    system(html, body, url)
                    own[i] = min(own[i], (time.process_time_ns() - started) / 1e6)
    return {name: sum(own) / len(own) for name, own in best.items()}


def ratios(found: dict[str, float], extractors: list[str]) -> None:
    """Print how each method compares with its peers."""
    print("\nRatios:")
    for name in extractors:
        text, article = found[f"webmain {name} text"], found[f"webmain {name} article"]
        cells = []
        if RESILIPARSE in found:
            cells.append(f"text / resiliparse {text / found[RESILIPARSE]:.2f}")
        if TRAFILATURA in found:
            cells.append(f"trafilatura / text {found[TRAFILATURA] / text:.1f}")
        if BARE in found:
            cells.append(f"trafilatura bare / article {found[BARE] / article:.1f}")
        print(f"  {name:12s} {', '.join(cells)}")


_OURS = "import webmain", "webmain.extract(html, extractor={name!r}, parts='text')"
_COLD = {
    "resiliparse": (
        "from resiliparse.extract.html2text import extract_plain_text",
        "extract_plain_text(html, main_content=True)",
    ),
    "trafilatura": ("import trafilatura", "trafilatura.extract(html, include_comments=False)"),
}
_PROGRAM = """
import sys, time
html = sys.stdin.buffer.read().decode()
start = time.process_time()
{load}
loaded = time.process_time()
{first}
print(1000 * (loaded - start), 1000 * (time.process_time() - loaded))
"""


def cold(extractors: list[str], html: str, processes: int) -> None:
    """Print what a fresh process spends before it has its first text."""
    print("\nFresh process (CPU milliseconds: import, first text, both):")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = compiled = tempfile.mkdtemp()
    programs = {f"webmain {name}": (_OURS[0], _OURS[1].format(name=name)) for name in extractors} | _COLD
    for name, (load, first) in programs.items():
        runs = []
        for _ in range(processes):
            program = _PROGRAM.format(load=load, first=first)
            done = subprocess.run(
                [sys.executable, "-c", program],
                input=html.encode(),
                capture_output=True,
                cwd=ROOT,
                check=False,
                env=env,
            )
            if done.returncode == 0:
                runs.append([float(value) for value in done.stdout.split()])
        if runs:
            imported, extracted = (min(column) for column in zip(*runs, strict=True))
            both = min(map(sum, runs))
            print(f"  {name:24s} {imported:8.0f} {extracted:8.0f} {both:8.0f}")
    shutil.rmtree(compiled)


def growth(extractors: list[str]) -> None:
    """Show that cost grows linearly with the page, and what the worst markup costs."""
    print("\nGrowth (CPU seconds, parts='text'):")
    pages = {}
    for n in (5_000, 10_000, 20_000):
        half = "".join(f"<p>Paragraph number {i} says that the tide was in. " for i in range(n))
        pages[f"{2 * n:>6} paragraphs"] = "<title>t</title>" + half * 2
    said = "The council said on Monday that the bridge would be open again in spring, after two years of work. " * 3
    pages["  7000 longer paragraphs"] = "<title>t</title>" + "".join(f"<p>{i} {said}" for i in range(7_000))
    pages["100,000 nested divs"] = "<div>" * 100_000 + "All the way down."
    for what, html in pages.items():
        cells = []
        for name in extractors:
            started, outcome = time.process_time(), ""
            try:
                webmain.extract(html, extractor=name, parts="text", timeout_s=None)
            except webmain.Rejected as rejected:
                outcome = f" ({rejected.reason.value})"
            cells.append(f"{name} {time.process_time() - started:.3f}{outcome}")
        print(f"  {what}, {len(html) / 1e6:.1f} MB: {'  '.join(cells)}")


def main() -> None:
    """Print the tables."""
    ap = page_parser(__doc__)
    ap.add_argument("--extractor", action="append", help="a method, as in `webmain extract`; default: all registered")
    ap.add_argument("--processes", type=int, default=5, help="fresh processes a system (default 5; 0 leaves them out)")
    ap.add_argument("--no-growth", action="store_true", help="leave out the large pages")
    args = ap.parse_args()
    extractors = args.extractor or list(EXTRACTORS)
    pages = read_pages(args.data, args.limit)
    size = sum(len(body) for _, body, _ in pages) / len(pages)
    others = peers()
    systems: dict[str, System] = {LEXBOR: parse, WALK: parse_and_walk}
    if LXML in others:
        systems[LXML] = others.pop(LXML)
    for name in extractors:
        systems[f"webmain {name} text"] = ours(name, "text")
        systems[f"webmain {name} article"] = ours(name, "article")
    systems.update(others)
    print(f"{len(pages)} distinct pages of {size / 1000:.0f} KB on average, best of {args.rounds} rounds")
    found = measure(systems, pages, args.rounds)
    for name, milliseconds in found.items():
        print(f"  {name:52s} {milliseconds:8.2f} ms  {milliseconds / found[WALK]:7.2f} x parse and walk")
    ratios(found, extractors)
    if args.processes:
        cold(extractors, pages[0][0], args.processes)
    if not args.no_growth:
        growth(extractors)


if __name__ == "__main__":
    main()
