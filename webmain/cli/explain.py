"""`webmain explain`: show the verdict on every block of a page, and why."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from webmain.cli.exits import NOT_FOUND, OK, REJECTED
from webmain.cli.sources import NotFoundError, add_source, judge_of, read_page
from webmain.items import Rejected

if TYPE_CHECKING:
    import argparse

    from webmain.cli import Commands
    from webmain.extractors.base import Extraction


def add(commands: Commands) -> None:
    """Add the command."""
    explain = commands.add_parser(
        "explain",
        help="show the verdict on every block of a page, and why",
        description="Show the method's blocks in order, each with its verdict, score, the paper's own quantity, and why.",
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
        print(json.dumps({"extractor": extractor.name, "url": page.url, "blocks": rows}, ensure_ascii=False, indent=2))
    else:
        _print_table(extractor.name, rows)
    return OK


def _rows(judged: Extraction) -> list[dict[str, object]]:
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


def _print_table(name: str, rows: list[dict[str, object]]) -> None:
    kept = sum(row["verdict"] == "content" for row in rows)
    print(f"{name}: {len(rows)} blocks, {kept} kept\n")
    print(f"{'':2}{'block':>5} {'verdict':<11} {'score':>6} {'raw':>8}  {'why':<34} text")
    for row in rows:
        mark = "+" if row["verdict"] == "content" else " "
        text = " ".join(str(row["text"]).split())
        text = text[:69] + "…" if len(text) > 70 else text
        print(
            f"{mark:2}{row['block']:>5} {row['verdict']:<11} {row['score']:>6.3f} {row['raw']:>8.2f}  {row['why']:<34} {text}"
        )
