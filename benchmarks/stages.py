"""Measure where the milliseconds of a page go that the default method extracts, stage by stage.

    python benchmarks/stages.py                       the shipped made-up pages
    python benchmarks/stages.py --data PAGES.jsonl.gz your own: one JSON object a line with "html" and, optionally, "url"

CPU time of this process; each stage of each page counts with its best round. Figures are milliseconds a page on average, and
ratios to lexbor's parse of the page. Stages that contain others are not indented.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar

from common import page_parser, read_pages
from selectolax.lexbor import LexborHTMLParser

from webmain.extraction import Options, compose, judge_segmentation, merge, read, segment
from webmain.extractors.base import create
from webmain.extractors.page_model import choose, columns, page_model, page_row
from webmain.features.trees import probabilities
from webmain.html.guard import guard
from webmain.html.tree import read_tree
from webmain.items import Page, Rejected

T = TypeVar("T")

PARSE = "  lexbor's parse"


class Stages:
    """The best times of the stages of each page, in seconds."""

    def __init__(self) -> None:
        self.best: dict[str, dict[int, float]] = defaultdict(dict)
        self.page = 0

    def timed(self, stage: str, work: Callable[[], T]) -> T:
        """Do some work, and note what it took."""
        started = time.process_time()
        done = work()
        took, of_stage = time.process_time() - started, self.best[stage]
        of_stage[self.page] = min(of_stage.get(self.page, took), took)
        return done


def run(stages: Stages, html: str, url: str | None) -> None:
    """Take a page through all stages; a few are done twice, alone and in those that contain them."""
    options, method, model = Options(timeout_s=None), create("learned"), page_model()
    document = stages.timed("decoding", lambda: read(Page(html=html, url=url), options))
    source = document.source
    stages.timed("  bounds on what the parser may do (guard)", lambda: guard(source))
    stages.timed(PARSE, lambda: LexborHTMLParser(source))
    stages.timed("guard, parse, walk, hidden text", lambda: read_tree(source))
    segmentation = stages.timed("the same, and blocks", lambda: segment(document, method))
    if len(segmentation):
        seen = stages.timed("  columns", lambda: columns(segmentation))
        article = stages.timed("  kind of page", lambda: model.article_share(page_row(seen)))
        margins = stages.timed("  trees of the blocks", lambda: model.margins(seen, article))
        stages.timed("  choice", lambda: choose(probabilities(margins), seen.n_chars))
        for name in [name for name in document.views if not name.endswith("Document.tree")]:
            del document.views[name]
    extraction = stages.timed("judging", lambda: merge(judge_segmentation(segmentation, method)))
    stages.timed("composing text", lambda: compose(extraction, metadata=False))
    stages.timed("composing an article: metadata, language", lambda: compose(extraction))


def main() -> None:
    """Print the table."""
    args = page_parser(__doc__).parse_args()
    pages, stages = read_pages(args.data, args.limit), Stages()
    for _ in range(args.rounds):
        for stages.page, (html, _, url) in enumerate(pages):
            try:
                run(stages, html, url)
            except Rejected:
                continue
    parse = sum(stages.best[PARSE].values())
    print(f"{len(pages)} distinct pages, best of {args.rounds} rounds")
    for stage, best in stages.best.items():
        took = sum(best.values())
        print(f"  {stage:46s} {1000 * took / len(pages):8.2f} ms  {took / parse:6.2f} x parse")


if __name__ == "__main__":
    main()
