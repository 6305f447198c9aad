"""Measure how long it takes to explain a page of 300 KB: verdicts, the overlay, the whole as one HTML file.

    python benchmarks/explain.py                         articles of the demo, one after the other in one page
    python benchmarks/explain.py --data PAGES.jsonl.gz   your own pages of 250 to 350 KB: one JSON object a line with "html"

CPU time of this process, the best of some rounds for each page; milliseconds on average, and of the slowest page.
"""

from __future__ import annotations

import sys
import time

from common import page_parser, read_pages

from webmain.explain.explaining import explain_page
from webmain.explain.overlay import overlay_html
from webmain.explain.page import explanation_page
from webmain.extraction import warm_up
from webmain.extractors.base import create
from webmain.items import Page

SIZE = 300_000


def made_up() -> str:
    """Return articles of the demo in one page."""
    joined = ""
    for html, _, _ in read_pages(None, 2_000):
        if len(joined) >= SIZE:
            break
        joined += html.partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
    return f"<!doctype html><html lang=en><title>Articles</title><body>{joined[:SIZE]}</body></html>"


def main() -> None:
    """Print the table."""
    ap = page_parser(__doc__, limit=50, rounds=5)
    ap.add_argument("-e", "--extractor")
    args = ap.parse_args()
    pages = [(made_up(), None)]
    if args.data:
        found = read_pages(args.data, 1_000_000)
        pages = [(html, url) for html, body, url in found if abs(len(body) - SIZE) <= SIZE / 6][: args.limit]
    if not pages:
        sys.exit(f"{args.data}: contains no page of 250 to 350 KB")
    method = create(args.extractor)
    warm_up(method)
    best: dict[str, list[float]] = {"verdicts": [], "overlay": [], "verdicts and the whole page": []}
    for html, url in pages:
        rounds = []
        for _ in range(args.rounds):
            started = time.process_time()
            explanation = explain_page(Page(html=html, url=url), method)
            explained = time.process_time()
            overlay_html(explanation)
            overlaid = time.process_time()
            explanation_page(explanation)
            rounds.append(
                (explained - started, overlaid - explained, time.process_time() - overlaid + explained - started)
            )
        for name, times in zip(best, zip(*rounds, strict=True), strict=True):
            best[name].append(min(times))
    size = sum(len(html.encode("utf-8", "replace")) for html, _ in pages) / len(pages)
    print(f"{len(pages)} pages of {size / 1000:.0f} KB on average, best of {args.rounds} rounds")
    for name, times in best.items():
        print(f"  {name:30s} {1000 * sum(times) / len(times):8.1f} ms   slowest {1000 * max(times):8.1f} ms")


if __name__ == "__main__":
    main()
