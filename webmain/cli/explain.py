"""`webmain explain`: show the verdict on every block of a page, and why."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from webmain.cli.exits import NOT_FOUND, OK, REJECTED
from webmain.cli.sources import NotFoundError, add_source, judge_of, read_page
from webmain.items import Rejected

if TYPE_CHECKING:
    import argparse

    from webmain.cli import Commands
    from webmain.extractors.base import Extraction


UNSURE = (0.25, 0.75)
"""Probabilities between these are marked: the block may as well be the other."""

MOST_TEXT, MOST_WHY = 70, 60
"""Characters of a block's text and of its reason that the table shows."""


def add(commands: Commands) -> None:
    """Add the command."""
    explain = commands.add_parser(
        "explain",
        help="show the verdict on every block of a page, and why",
        description="Show the method's blocks in order, each with its verdict, score, the paper's own quantity, and why. "
        "Where a method says how sure it is of the page, that is shown first, and scores are probabilities: a ? marks blocks "
        f"between {UNSURE[0]:g} and {UNSURE[1]:g}.",
    )
    add_source(explain, several=False)
    explain.add_argument("-f", "--format", choices=("table", "json"), default="table", help="what to print")
    explain.set_defaults(run=_explain)


def _explain(args: argparse.Namespace) -> int:
    from webmain import stages
    from webmain.extractors.registry import create

    extractor = create(args.extractor)
    try:
        page = read_page(args.source[0], args)
        document = stages.read(page, max_bytes=args.max_bytes, timeout_s=args.timeout)
        judged = stages.merge(stages.judge(document, judge_of(document, extractor, args)))
    except (NotFoundError, Rejected) as error:
        print(f"webmain: {error}", file=sys.stderr)
        return NOT_FOUND if isinstance(error, NotFoundError) else REJECTED
    rows = _rows(judged)
    if args.format == "json":
        head = {"extractor": judged.extractor, "url": page.url, "confidence": _rounded(judged.confidence)}
        print(json.dumps({**head, "blocks": rows}, ensure_ascii=False, indent=2))
    else:
        _print_table(judged, rows)
    return OK


def _rows(judged: Extraction) -> list[dict[str, Any]]:
    """Return one record for each block."""
    return [
        {
            "block": block.index,
            "verdict": judged.verdict(block.index).value,
            "score": round(float(judged.score[block.index]), 4),
            "raw": round(float(judged.raw[block.index]), 4),
            "why": judged.why[block.index],
            "xpath": block.xpath,
            "text": block.text,
        }
        for block in judged.segmentation
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)


def _print_table(judged: Extraction, rows: list[dict[str, Any]]) -> None:
    kept = sum(row["verdict"] == "content" for row in rows)
    sure = judged.confidence
    told = "" if sure is None else f", confidence {sure:.3f} (the F1 it expects)"
    print(f"{judged.extractor}: {len(rows)} blocks, {kept} kept{told}\n")
    name = "score" if sure is None else "prob."
    why = min(MOST_WHY, max([34, *(len(row["why"]) for row in rows)]))
    print(f"{'':3}{'block':>5} {'verdict':<11} {name:>6} {'raw':>8}  {'why':<{why}} text")
    for row in rows:
        mark = "+" if row["verdict"] == "content" else " "
        unsure = "?" if sure is not None and UNSURE[0] <= row["score"] <= UNSURE[1] else " "
        print(
            f"{mark}{unsure} {row['block']:>5} {row['verdict']:<11} {row['score']:>6.3f} {row['raw']:>8.2f}  "
            f"{_cut(row['why'], why):<{why}} {_cut(row['text'], MOST_TEXT)}"
        )


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text[: most - 1] + "…" if len(text) > most else text
