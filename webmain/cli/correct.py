"""`webmain correct`: say which parts of a page are content and which are not, and keep the page as gold."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from webmain.cli.exits import OK, REJECTED, UNWRITTEN, USAGE, Commands, Failure, failing
from webmain.cli.explain import explainer
from webmain.cli.outputs import refuse_inputs
from webmain.cli.sources import CORRECTIONS, add_source, read_page
from webmain.items import Rejected, Verdict
from webmain.text.terminal import cut

if TYPE_CHECKING:
    from webmain.corrections.file import Correction, CorrectionsFile
    from webmain.explain.records import Explanation

MOST_TEXT = 90  # characters of a part that are printed


def add(commands: Commands) -> None:
    """Add the command."""
    correct = commands.add_parser(
        "correct",
        help="mark parts of a page as content or boilerplate, and save the page as gold",
        description="Print the parts of a page with their numbers, which are also those of `webmain explain`. With "
        "--content or --boilerplate, mark some of them and save the page with the corrected text in a file of gold pages; "
        "`webmain evaluate` and `webmain train` read it, and `webmain learn --corrections` learns the site from it.",
    )
    add_source(correct, several=False)
    option = correct.add_argument
    option("--content", type=_numbers, default=(), metavar="N,M", help="parts that are content")
    option("--boilerplate", type=_numbers, default=(), metavar="N,M", help="parts that are boilerplate")
    option("--note", default="", help="a note to save with the correction")
    option("--undo", action="store_true", help="remove the correction of this page")
    option("--corrections", default=CORRECTIONS, metavar="FILE", help=f"file of corrections ({CORRECTIONS})")
    correct.set_defaults(run=_correct)


def _numbers(text: str) -> tuple[int, ...]:
    """Return comma-separated numbers (an argument's type)."""
    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text!r}, allowed are numbers of parts: 3,4,17") from None


def _correct(args: argparse.Namespace) -> int:
    from webmain.corrections.file import CorrectionsFile
    from webmain.corrections.marking import CorrectionError, correct, page_id
    from webmain.files import StoreError

    if args.undo and (args.content or args.boilerplate or args.note):
        raise Failure(USAGE, "--undo removes the whole correction: leave out --content, --boilerplate and --note")
    explained = explainer(args, args.extractor)
    refuse_inputs(args.corrections, args.source)
    file = CorrectionsFile(args.corrections)
    with failing(REJECTED, Rejected), failing(USAGE, CorrectionError), failing(UNWRITTEN, StoreError):
        found = explained(read_page(args.source[0], args))
        if args.undo:
            return _undo(file, page_id(found.document.url, found.document.html))
        if not args.content and not args.boilerplate:
            _print_parts(found)
            return OK
        correction = correct(found, content=args.content, boilerplate=args.boilerplate, note=args.note)
        replaced = file.save(correction)
    _print_saved(file, correction, replaced=replaced)
    return OK


def _undo(file: CorrectionsFile, page: str) -> int:
    if not file.remove(page):
        raise Failure(REJECTED, f"{file.path}: there is no correction of this page")
    print(f"removed from {file.path}")
    return OK


def _print_parts(found: Explanation) -> None:
    print(f"{'part':>5} {'block':>5} {'verdict':<11} text")
    for number, block in enumerate(found.blocks):
        index = "" if block.index is None else block.index
        print(f"{number:>5} {index:>5} {block.verdict:<11} {cut(block.text, MOST_TEXT)}".rstrip())


def _print_saved(file: CorrectionsFile, correction: Correction, *, replaced: bool) -> None:
    n_content = sum(mark.content for mark in correction.marked)
    print(
        f"{n_content} changed to content, {len(correction.marked) - n_content} to boilerplate; "
        f"{len(correction.before):,} characters before, {len(correction.text):,} now; "
        f"{'replaced in' if replaced else 'saved in'} {file.path}"
    )
    for mark in correction.marked:
        print(f"{Verdict.CONTENT if mark.content else Verdict.BOILERPLATE:<11} {cut(mark.text, MOST_TEXT)}")
