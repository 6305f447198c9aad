"""`webmain review`: show the stored articles with low confidence, the least confident first."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from webmain.cli.exits import NOT_FOUND, OK, Commands, failing
from webmain.cli.sources import named, positive_int
from webmain.text.terminal import counted, cut, one_line

if TYPE_CHECKING:
    import argparse

    from webmain.store.review import Entry

MOST_START = 80  # characters of a text in the table


def add(commands: Commands) -> None:
    """Add the command."""
    review = commands.add_parser(
        "review",
        help="show the articles of a crawl that are in doubt",
        description="Show the articles that a crawl with review_below has listed, the least confident first.",
    )
    review.add_argument("file", type=named, metavar="FILE", help="the list (articles.jsonl.review), or its store")
    review.add_argument("-f", "--format", choices=("table", "jsonl"), default="table", help="what to print")
    review.add_argument("--limit", type=positive_int, metavar="N", help="the N least confident only")
    review.set_defaults(run=_review)


def _review(args: argparse.Namespace) -> int:
    from webmain.store.protocol import StoreError
    from webmain.store.registry import SCHEMES, split_spec
    from webmain.store.review import read_review, review_path

    location, address = split_spec(args.file)
    path = Path(address if location in SCHEMES.values() else args.file).expanduser()
    beside = review_path(path)
    with failing(NOT_FOUND, StoreError):
        found = read_review(beside if beside.exists() else path)
    shown = found[: args.limit]
    if args.format == "jsonl":
        for entry in shown:
            print(json.dumps(asdict(entry), ensure_ascii=False))
    else:
        _print_table(shown, len(found))
    return OK


def _print_table(shown: list[Entry], n: int) -> None:
    print(f"{counted(n, 'article')} in doubt" + (f", the {len(shown):,} least confident" if len(shown) < n else ""))
    for entry in shown:
        print(
            f"\n{entry.confidence:.3f}  {one_line(entry.url or entry.id)}" + ("  (kept out)" if entry.kept_out else "")
        )
        print(f"       {one_line(entry.why)} ({one_line(entry.extractor)}, {entry.n_chars:,} characters)")
        print(f"       {cut(entry.start, MOST_START)}")
