"""`webmain explain`: show the verdict on every block of a page, and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, USAGE
from webmain.cli.sources import NotFoundError, add_source, judge_of, read_page, tell
from webmain.items import Rejected, Verdict
from webmain.text.terminal import one_line

if TYPE_CHECKING:
    import argparse

    from webmain.cli import Commands
    from webmain.extractors.base import Extraction
    from webmain.extractors.page_types import PageType
    from webmain.html.blocks import Segmentation


UNSURE = (0.25, 0.75)
"""Probabilities between these are marked: the block may as well be the other."""

MOST_TEXT, MOST_WHY = 70, 60
"""Characters of a block's text and of its reason that the table shows."""

MOST_MOVED = 20
"""Columns that the table shows of what moved a block's score; JSON has all."""


def add(commands: Commands) -> None:
    """Add the command."""
    explain = commands.add_parser(
        "explain",
        help="show the verdict on every block of a page, and why",
        description="Show the method's blocks in order, each with its verdict, score, the paper's own quantity, and why; and "
        "what of the page the method did not judge (pruned). "
        "Where a method says how sure it is of the page, that is shown first, and scores are probabilities: a ? marks blocks "
        f"between {UNSURE[0]:g} and {UNSURE[1]:g}.",
    )
    add_source(explain, several=False)
    explain.add_argument("-f", "--format", choices=("table", "json"), default="table", help="what to print")
    explain.add_argument(
        "--block",
        type=int,
        metavar="N",
        help="show one block, and what moved its score, where the method can tell (learned): log-odds, strongest first",
    )
    explain.set_defaults(run=_explain)


def _explain(args: argparse.Namespace) -> int:
    from webmain import extraction as stages
    from webmain.extractors.base import ExplainingExtractor, create
    from webmain.extractors.page_types import page_type
    from webmain.sites.matching import extractor_of

    extractor = create(args.extractor)
    try:
        page = read_page(args.source[0], args)
        document = stages.read(page, stages.Options(max_bytes=args.max_bytes, timeout_s=args.timeout, sites=args.sites))
        method = extractor_of(document, judge_of(document, extractor, args))
        judged = stages.merge(stages.judge(document, method))
        kind = page_type(document)
    except (NotFoundError, Rejected) as error:
        tell(error)
        return NOT_FOUND if isinstance(error, NotFoundError) else REJECTED
    rows = _rows(judged)
    head = {"extractor": judged.extractor, "url": page.url, "confidence": _rounded(judged.confidence)}
    head |= {"page_type": kind.name, "page_type_probability": kind.probability}
    if args.block is not None:
        if not 0 <= args.block < len(rows):
            tell(f"--block: got {args.block}, this page has {_numbered(len(rows))}")
            return USAGE
        if not isinstance(method, ExplainingExtractor):
            tell(f"--block: {judged.extractor} does not tell what moved a score")
            return USAGE
        moved = method.contributions(judged.segmentation, args.block)
        _tell_block(args.format, head, rows[args.block], moved)
        return OK
    if isinstance(method, ExplainingExtractor):
        rows = _with_pruned(rows, judged.segmentation, method.pruned(judged.segmentation))
    if args.format == "json":
        print(json.dumps({**head, "blocks": rows}, ensure_ascii=False, indent=2))
    else:
        _print_table(judged, rows, kind)
    return OK


def _numbered(n: int) -> str:
    return f"blocks 0 to {n - 1}" if n else "no blocks"


def _tell_block(form: str, head: dict[str, Any], row: dict[str, Any], moved: list[tuple[str, float, float]]) -> None:
    if form == "json":
        columns = [
            {"column": name, "value": round(value, 4), "log_odds": round(odds, 4)} for name, value, odds in moved
        ]
        print(json.dumps({**head, **row, "moved": columns}, ensure_ascii=False, indent=2))
        return
    print(f"{head['extractor']}: block {row['block']}, {row['verdict']}, probability {row['score']:.3f}: {row['why']}")
    print(f"{row['xpath']}\n{_cut(row['text'], MOST_TEXT)}\n")
    width = max([6, *(len(name) for name, _, _ in moved[:MOST_MOVED])])
    print(f"{'column':<{width}} {'value':>10} {'log-odds':>9}")
    for name, value, odds in moved[:MOST_MOVED]:
        print(f"{name:<{width}} {value:>10.3f} {odds:>+9.3f}")
    if len(moved) > MOST_MOVED:
        rest = sum(odds for _, _, odds in moved[MOST_MOVED:])
        print(f"{f'{len(moved) - MOST_MOVED} more':<{width}} {'':>10} {rest:>+9.3f}")


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


def _with_pruned(rows: list[dict[str, Any]], segmentation: Segmentation, pruned: list[int]) -> list[dict[str, Any]]:
    """Return the records of blocks, and among them, in the page's order, one for each element that was pruned."""
    document, elements = segmentation.document, segmentation.document.elements
    placed = list(zip(segmentation.first.tolist(), rows, strict=True))
    for i in pruned:
        first, end = elements.first_leaf[i], elements.end_leaf[i]
        record = {
            "block": None,
            "verdict": Verdict.PRUNED.value,
            "score": None,
            "raw": None,
            "why": "a menu or a footer",
        }
        text = document.leaves.text(range(first, end))
        placed.append((first, record | {"xpath": elements.xpath(i), "text": text}))
    return [row for _, row in sorted(placed, key=lambda one: one[0])]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)


def _print_table(judged: Extraction, rows: list[dict[str, Any]], kind: PageType) -> None:
    kept = sum(row["verdict"] == "content" for row in rows)
    sure = judged.confidence
    told = "" if sure is None else f", confidence {sure:.3f} (the F1 it expects)"
    print(
        f"{judged.extractor}: {len(judged.kept)} blocks, {kept} kept{told}; page type {kind.name}, {kind.probability:.3f}\n"
    )
    name = "score" if sure is None else "prob."
    why = min(MOST_WHY, max([34, *(len(row["why"]) for row in rows)]))
    print(f"{'':3}{'block':>5} {'verdict':<11} {name:>6} {'raw':>8}  {'why':<{why}} text")
    for row in rows:
        mark = "+" if row["verdict"] == "content" else " "
        if row["block"] is None:
            numbers = f"{'':>5} {row['verdict']:<11} {'':>6} {'':>8}"
        else:
            numbers = f"{row['block']:>5} {row['verdict']:<11} {row['score']:>6.3f} {row['raw']:>8.2f}"
        unsure = "?" if sure is not None and UNSURE[0] <= (row["score"] or 0) <= UNSURE[1] else " "
        print(f"{mark}{unsure} {numbers}  {_cut(row['why'], why):<{why}} {_cut(row['text'], MOST_TEXT)}")


def _cut(text: str, most: int) -> str:
    text = one_line(text)
    return text[: most - 1] + "…" if len(text) > most else text
