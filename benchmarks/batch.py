"""Measure how many pages a second `webmain.extract_many` gives with one worker, two, and so on, beside this process alone.

    python benchmarks/batch.py [--pages 600] [--jobs 1,2] [--parts article]

Pages are those of the made-up large web, all distinct, made before the clock starts; it starts with the first answer, so
that the start of the workers (told apart) does not count. CPU is user plus system time: what this process spends on a page
(pickling, waiting, keeping order) cannot be shared out, what the workers spend can. On a machine that does something else as
well, the share of this process says more than pages a second.
"""

from __future__ import annotations

import os
import resource
import time

from common import cpu_s, parser

import webmain
from demo.many import ManyPages


def measure(pages: list[webmain.Page], jobs: int, parts: str) -> str:
    """Extract all pages once, and say how fast."""
    own, theirs, started = cpu_s(resource.RUSAGE_SELF), cpu_s(), time.perf_counter()
    found = webmain.extract_many(iter(pages), jobs=jobs, parts=parts)
    n_articles = int(isinstance(next(found), webmain.Article))
    first = time.perf_counter()
    n_articles += sum(isinstance(answer, webmain.Article) for answer in found)
    ended = time.perf_counter()
    own, theirs = cpu_s(resource.RUSAGE_SELF) - own, cpu_s() - theirs
    speed = (len(pages) - 1) / (ended - first)
    return (
        f"  {jobs} jobs: {speed:7.1f} pages/s after {first - started:4.1f} s, {n_articles} articles, "
        f"CPU a page {1e3 * own / len(pages):6.2f} ms here, {1e3 * theirs / len(pages):6.2f} ms in workers"
    )


def main() -> None:
    """Run the benchmark."""
    ap = parser(__doc__)
    ap.add_argument("--pages", type=int, default=600)
    ap.add_argument("--jobs", default="0,1,2", help="numbers of workers, separated by commas")
    ap.add_argument("--parts", choices=("article", "text"), default="article")
    args = ap.parse_args()
    web = ManyPages(n_articles=args.pages)
    pages = [webmain.Page(url=url, body=web.respond(url).body) for url in web.urls()]
    size = sum(len(page.body or b"") for page in pages) / len(pages)
    busy = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{len(pages)} pages of {size / 1024:.0f} KB, {busy}, parts={args.parts}")
    for jobs in map(int, args.jobs.split(",")):
        print(measure(pages, jobs, args.parts), flush=True)


if __name__ == "__main__":
    main()
