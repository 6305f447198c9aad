"""Measure what extraction costs, beside the parser's own cost and beside peers, on the same pages in one run.

    python benchmarks/speed.py                       the shipped made-up pages
    python benchmarks/speed.py --data PAGES.jsonl.gz your own: one JSON object a line with "html" and, optionally, "url"

Each system sees every page once in a round, each page distinct; the best of the rounds counts (CPU time of this process).
Figures are milliseconds a page, and ratios to the parse-and-walk floor: lexbor's parse of the page's UTF-8 bytes and a visit
of each node by its first-child and next links.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pathlib
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version

from selectolax.lexbor import LexborHTMLParser

import webmain
from webmain.extractors.registry import EXTRACTORS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))  # demo/ is no part of the package

System = Callable[[str, bytes, str | None], object]


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
    """Return the peers that are installed."""
    found: dict[str, System] = {}
    try:
        import trafilatura

        found[f"trafilatura {version('trafilatura')} extract"] = lambda html, body, url: trafilatura.extract(
            html, url=url, include_comments=False
        )
        found[f"trafilatura {version('trafilatura')} bare_extraction with metadata"] = lambda html, body, url: (
            trafilatura.bare_extraction(html, url=url, include_comments=False, with_metadata=True)
        )
    except ImportError:
        print("trafilatura is not installed (make bench installs it)", file=sys.stderr)
    try:
        from resiliparse.extract.html2text import extract_plain_text

        found[f"resiliparse {version('resiliparse')} main_content"] = lambda html, body, url: extract_plain_text(
            html, main_content=True
        )
    except ImportError:
        print("resiliparse is not installed (make bench installs it)", file=sys.stderr)
    try:
        from readability import Document

        found[f"readability-lxml {version('readability-lxml')} summary"] = lambda html, body, url: Document(
            html
        ).summary()
    except ImportError:
        print("readability-lxml is not installed (make bench installs it)", file=sys.stderr)
    return found


def read_pages(path: pathlib.Path | None, limit: int) -> list[tuple[str, bytes, str | None]]:
    """Read pages from a JSONL file, or make the demo's."""
    if path is None:
        from demo.many import ManyPages

        web = ManyPages(n_articles=limit)
        pages: Iterable[tuple[str, str | None]] = ((web.respond(u).body.decode(), u) for u in web.urls())
    else:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        pages = ((r["html"], r.get("url")) for r in records)
    return [(html, html.encode("utf-8", "replace"), url) for html, url in list(pages)[:limit] if html]


def measure(system: System, pages: list[tuple[str, bytes, str | None]]) -> float:
    """Return CPU seconds for one round over the pages."""
    started = time.process_time()
    for html, body, url in pages:
        system(html, body, url)
    return time.process_time() - started


def growth() -> None:
    """Show that cost grows linearly with the page, and what the worst markup costs."""
    print("\nGrowth (seconds, parts='text'):")
    for n in (5_000, 10_000, 20_000):
        html = (
            "<title>t</title>" + "".join(f"<p>Paragraph number {i} says that the tide was in. " for i in range(n)) * 2
        )
        cells = []
        for name in EXTRACTORS:
            started = time.perf_counter()
            webmain.extract(html, extractor=name, parts="text", timeout_s=None)
            cells.append(f"{name} {time.perf_counter() - started:.3f}")
        print(f"  {2 * n:>6} paragraphs, {len(html) / 1e6:.1f} MB: {'  '.join(cells)}")
    nested = "<div>" * 100_000 + "All the way down."
    cells = []
    for name in EXTRACTORS:
        started = time.perf_counter()
        try:
            webmain.extract(nested, extractor=name, parts="text")
            outcome = "text"
        except webmain.Rejected as rejected:
            outcome = rejected.reason.value
        cells.append(f"{name} {time.perf_counter() - started:.3f} ({outcome})")
    print(f"  100,000 nested divs: {'  '.join(cells)}")


def main() -> None:
    """Print the table."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--data", type=pathlib.Path, help="JSONL file (.gz) with pages; default: the shipped made-up pages")
    ap.add_argument("--limit", type=int, default=200, help="pages (default 200)")
    ap.add_argument("--rounds", type=int, default=3)
    args = ap.parse_args()
    pages = read_pages(args.data, args.limit)
    size = sum(len(body) for _, body, _ in pages) / max(1, len(pages))
    print(f"{len(pages)} pages of {size / 1000:.0f} KB on average, best of {args.rounds} rounds")
    systems: dict[str, System] = {"lexbor parse": parse, "lexbor parse and walk": parse_and_walk}
    for name in EXTRACTORS:
        systems[f"webmain {name} text"] = ours(name, "text")
        systems[f"webmain {name} article"] = ours(name, "article")
    systems.update(peers())
    best = dict.fromkeys(systems, float("inf"))
    for _ in range(args.rounds):
        for name, system in systems.items():
            best[name] = min(best[name], measure(system, pages))
    floor = best["lexbor parse and walk"]
    for name, seconds in best.items():
        print(f"  {name:52s} {1000 * seconds / len(pages):8.2f} ms  {seconds / floor:7.2f} x parse and walk")
    growth()


if __name__ == "__main__":
    main()
