"""`webmain explain`: show the verdict on every block of a page, and why."""

from __future__ import annotations

from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, USAGE, Commands, Failure, failing
from webmain.cli.outputs import add_output, output
from webmain.cli.sources import add_source, local_file, named, notify, read_page
from webmain.explain.records import block_record, page_record, rounded
from webmain.files import reason_of
from webmain.items import Rejected, Verdict
from webmain.items.codec import encode
from webmain.text.terminal import cut

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from webmain.evaluation.differences import TextComparison
    from webmain.explain.comparing import Comparison
    from webmain.explain.records import ExplainedBlock, Explanation, FeatureEffect
    from webmain.extractors.base import Extraction
    from webmain.extractors.page_types import PageType
    from webmain.html.document import Document
    from webmain.items import Page


UNSURE = (0.25, 0.75)  # probabilities between these are marked as uncertain
MOST_TEXT, MOST_WHY = 70, 60  # characters of a block's text and of its reason in the table
MOST_MOVED = 20  # most columns in the table of what moved a block's score; JSON has all


def add(commands: Commands) -> None:
    """Add the command."""
    explain = commands.add_parser(
        "explain",
        help="show the verdict on every block of a page, and why",
        description="Show the method's blocks in page order, each with its verdict, score, the paper's own quantity, "
        "and the reason; and the parts of the page that the method did not judge (pruned). "
        "If the method gives a confidence for the page, it is shown first, and scores are probabilities: a ? marks blocks "
        f"between {UNSURE[0]:g} and {UNSURE[1]:g}.",
    )
    add_source(explain, several=False)
    option = explain.add_argument
    option(
        "-f",
        "--format",
        choices=("table", "json", "html"),
        help="output format; html: the page with its blocks marked, and all of this"
        " (default: table; with -o, html, unless FILE ends in .json or .txt)",
    )
    add_output(explain)
    option("--against", metavar="METHOD", help="compare with another method: what only one of them keeps")
    option(
        "--gold",
        type=named,
        metavar="FILE",
        help="the correct text: shows which words are missing, and which are too many",
    )
    option(
        "--block",
        type=int,
        metavar="N",
        help="show one block, and the features that moved its score (method learned only): log-odds, strongest first",
    )
    explain.set_defaults(run=_explain)


def _explain(args: argparse.Namespace) -> int:
    from webmain.explain.comparing import compare, names_of
    from webmain.extractors.base import DEFAULT

    form = args.format or _format_of(args.output)
    if args.block is not None and (form == "html" or args.against or args.gold):
        raise Failure(USAGE, "--block shows one block, as table or json: leave out --against, --gold and html")
    specs = [args.extractor] if args.against is None else [args.extractor, args.against]
    explained: list[Explanation] = []
    gold = _gold_text(args.gold) if args.gold else None
    page: Page | Document = read_page(args.source[0], args)
    with failing(REJECTED, Rejected):
        for spec in specs:
            explained.append(explainer(args, spec, n_methods=len(specs))(page))
            page = explained[0].document
    found = explained[0]
    for note in dict.fromkeys(one.note for one in explained if one.note):
        notify(note)
    if found.rejected is not None:
        notify(found.rejected)
    names = names_of(explained, [spec or DEFAULT for spec in specs])
    is_compared = len(explained) == 2 and all(one.blocks for one in explained)
    comparison = compare(*explained, names=names) if is_compared else None
    texts = _texts(explained, names, gold)
    inputs = filter(None, [*args.source, args.gold])
    if form == "html":
        from webmain.explain.page import MissingExtraError, explanation_page

        with failing(USAGE, MissingExtraError):
            page_text = explanation_page(found, comparison=comparison, texts=texts)
        with output(args.output, inputs) as file:
            file.write(page_text)
        return OK if found.rejected is None else REJECTED
    if found.extraction is None or found.page_type is None:
        return REJECTED
    with output(args.output, inputs) as file, redirect_stdout(file):
        if args.block is not None:
            _print_one(found, found.extraction, args.block, form)
        elif form == "json":
            compared: dict[str, Any] = {"comparison": _comparison_record(comparison)} if comparison else {}
            if texts:
                compared["texts"] = [_text_record(one) for one in texts]
            record = {**page_record(found), "blocks": [block_record(b) for b in found.blocks], **compared}
            print(encode(record, indent=2))
        else:
            _print_table(found.extraction, found.blocks, found.page_type)
            _print_compared(comparison, texts)
    return OK


def explainer(
    args: argparse.Namespace, spec: str | None, *, n_methods: int = 1
) -> Callable[[Page | Document], Explanation]:
    """Return a function that explains pages by a method (one of several), or by its models of their sites."""
    from webmain.explain.explaining import explain_page
    from webmain.extraction import Options
    from webmain.extractors.base import create
    from webmain.sites.model_store import ModelStore, SiteModels

    extractor = create(spec)
    options = Options(max_bytes=args.max_bytes, timeout_s=args.timeout * n_methods, sites=args.sites)
    choose = SiteModels(extractor, ModelStore(args.models), notes_missing=spec is not None).choose
    return partial(explain_page, extractor=extractor, options=options, choose=choose)


def _format_of(name: str | None) -> str:
    """Return the format of an output without --format."""
    return "table" if name is None else {".json": "json", ".txt": "table"}.get(Path(name).suffix.lower(), "html")


def _gold_text(name: str) -> str:
    try:
        return local_file(name).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(NOT_FOUND, f"{name}: {reason_of(error)}") from error


def _texts(explained: list[Explanation], names: Sequence[str], gold: str | None) -> list[TextComparison]:
    """Compare the article's text with a wanted one, and with another method's."""
    from webmain.evaluation.differences import compare_texts

    text, *others = map(_text, explained)
    language = (explained[0].article and explained[0].article.language) or ""
    wanted = ([] if gold is None else [("gold", gold)]) + list(zip(names[1:], others, strict=True))
    return [compare_texts(name, other, names[0], text, language) for name, other in wanted]


def _text(explanation: Explanation) -> str:
    return explanation.article.text if explanation.article else ""


def _comparison_record(comparison: Comparison) -> dict[str, Any]:
    names = dict(zip(("only-a", "only-b"), comparison.names, strict=True))
    return {
        "methods": list(comparison.names),
        "characters": {side.value: n for side, n in comparison.n_chars.items()},
        "differing": [{"only": names[side], "text": text} for side, text in comparison.runs],
    }


def _text_record(one: TextComparison) -> dict[str, Any]:
    return {
        "with": one.left,
        "by": one.unit,
        **{ratio: rounded(getattr(one.agreement, ratio)) for ratio in ("precision", "recall", "f1")},
        "missing": [piece.text.strip() for piece in one.difference.gold if piece.differs],
        "too_many": [piece.text.strip() for piece in one.difference.predicted if piece.differs],
        "not_compared": max(one.difference.gold_cut, one.difference.predicted_cut),
    }


def _print_compared(comparison: Comparison | None, texts: Sequence[TextComparison]) -> None:
    if comparison is not None:
        record = _comparison_record(comparison)
        first, second = record["methods"]
        chars = record["characters"]
        counts = f"{chars['both']:,} characters in both, {chars['only-a']:,} only in {first}"
        print(f"\n{first} and {second}: {counts}, {chars['only-b']:,} only in {second}")
        for run in record["differing"]:
            print(f"  only {run['only']}: {cut(run['text'], MOST_TEXT)}")
    for one in texts:
        agreed = one.agreement
        figures = f"precision {agreed.precision:.3f}, recall {agreed.recall:.3f}, F1 {agreed.f1:.3f}"
        print(f"\n{one.right} against {one.left}, by {one.unit}: {figures}")
        found = _text_record(one)
        for name in ("missing", "too_many"):
            for text in filter(None, found[name]):
                print(f"  {name.replace('_', ' ')}: {cut(text, MOST_TEXT)}")
        if found["not_compared"]:
            print(f"  {found['not_compared']:,} more characters are not compared")


def _print_one(found: Explanation, judged: Extraction, number: int, form: str) -> None:
    """Print one block, and what moved its score."""
    from webmain.explain.explaining import block_of, moved

    n_blocks = len(judged.kept)
    if not 0 <= number < n_blocks:
        blocks = f"blocks 0 to {n_blocks - 1}" if n_blocks else "no blocks"
        raise Failure(USAGE, f"--block: got {number}, this page has {blocks}")
    columns = moved(found, number)
    if not columns:
        raise Failure(USAGE, f"--block: only learned can show what affected a score, not {judged.extractor}")
    _print_block(form, page_record(found), block_record(block_of(found, number)), columns)


def _print_block(form: str, head: dict[str, Any], row: dict[str, Any], moved: Sequence[FeatureEffect]) -> None:
    if form == "json":
        columns = [
            {"column": name, "value": round(value, 4), "log_odds": round(odds, 4)} for name, value, odds in moved
        ]
        print(encode({**head, **row, "moved": columns}, indent=2))
        return
    print(f"{head['extractor']}: block {row['block']}, {row['verdict']}, probability {row['score']:.3f}: {row['why']}")
    print(f"{row['xpath']}\n{cut(row['text'], MOST_TEXT)}\n")
    width = max([6, *(len(name) for name, _, _ in moved[:MOST_MOVED])])
    print(f"{'column':<{width}} {'value':>10} {'log-odds':>9}")
    for name, value, odds in moved[:MOST_MOVED]:
        print(f"{name:<{width}} {value:>10.3f} {odds:>+9.3f}")
    if len(moved) > MOST_MOVED:
        rest = sum(odds for _, _, odds in moved[MOST_MOVED:])
        print(f"{f'{len(moved) - MOST_MOVED} more':<{width}} {'':>10} {rest:>+9.3f}")


def _print_table(judged: Extraction, blocks: Sequence[ExplainedBlock], kind: PageType) -> None:
    kept = int(judged.kept.sum())
    sure = judged.confidence
    confidence = "" if sure is None else f", confidence {sure:.3f} (the F1 it expects)"
    page_type = f"page type {kind.name}, {kind.probability:.3f}"
    print(f"{judged.extractor}: {len(judged.kept)} blocks, {kept} kept{confidence}; {page_type}\n")
    name = "score" if sure is None else "prob."
    why = min(MOST_WHY, max([34, *(len(block.why) for block in blocks)]))
    print(f"{'':3}{'part':>5} {'block':>5} {'verdict':<11} {name:>6} {'raw':>8}  {'why':<{why}} text")
    for number, block in enumerate(blocks):
        mark = "+" if block.verdict is Verdict.CONTENT else " "
        numbers = f"{'' if block.index is None else block.index:>5} {block.verdict:<11} "
        numbers += f"{'':>6} {'':>8}" if block.score is None else f"{block.score:>6.3f} {block.raw:>8.2f}"
        unsure = "?" if sure is not None and UNSURE[0] <= (block.score or 0) <= UNSURE[1] else " "
        print(f"{mark}{unsure} {number:>5} {numbers}  {cut(block.why, why):<{why}} {cut(block.text, MOST_TEXT)}")
