"""`webmain train`: train the learned extractor's page model from gold pages, and evaluate it."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from webmain.cli.comparing import progress
from webmain.cli.exits import NOT_FOUND, OK, USAGE, Commands, Failure, failing
from webmain.cli.outputs import refuse_inputs
from webmain.cli.sources import in_range, notify, positive_int

if TYPE_CHECKING:
    from webmain.evaluation.training.pipeline import Trained

_EXAMPLES = """
examples:
  webmain train DATA --out page_model.json
  webmain train DATA --out page_model.json --check DATA/thai.jsonl.gz own/ --jobs 2 --report report.json
  webmain train DATA --sets permissive --leave-out --out-of-fold judged.jsonl --out permissive.json
  webmain train gold/ --sets mine --made-up 0 --out mine.json       your own pages: gold/mine.jsonl.gz, or a folder

The same data, seed and versions of LightGBM and NumPy give the same file, bit for bit, whatever --jobs is.

exit codes: 0 done, 2 wrong usage, 3 no gold data or no LightGBM, 4 the output could not be written
"""


COUNT = in_range(int, 0, 2**31 - 1, f"is 0 to {2**31 - 1}")


def add(commands: Commands) -> None:
    """Add the command."""
    train = commands.add_parser(
        "train",
        help="train the learned extractor's page model",
        description="Read gold pages, generate more pages from them, cross-validate over sites, fit the model "
        "to all pages, write it, and report. Needs LightGBM: pip install 'webmain[train]'.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    option = train.add_argument
    option("data", metavar="DATA", type=Path, help="folder of the training sets, each a file NAME.jsonl.gz")
    option("--out", type=Path, metavar="FILE", required=True, help="write the model here (JSON)")
    option(
        "--sets",
        type=_names,
        metavar="NAME[,NAME]",
        help="sets to train on (default: those of the shipped model; permissive: those of them "
        "whose licences are CC-BY, MIT, Apache or CC0)",
    )
    option(
        "--check",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        metavar="GOLD",
        help="also evaluate the model on these; never used for training",
    )
    option("--made-up", type=COUNT, metavar="N", help="pages to generate from the others (2400)")
    option(
        "--out-of-fold",
        type=Path,
        metavar="FILE",
        help="write each page's text as extracted by a model that was not trained on its site (JSON lines of set, id, text)",
    )
    option(
        "--leave-out",
        action="store_true",
        help="also evaluate each set with a model trained on the other sets; --out-of-fold writes those texts "
        "next to FILE, with -left-out in the name",
    )
    option("--seed", type=COUNT, default=1, metavar="S", help="random seed of generated pages and of the trees (1)")
    option("--jobs", type=positive_int, default=1, metavar="N", help="worker processes (1)")
    option("--report", type=Path, metavar="FILE", help="write all figures to FILE as JSON")
    option("--card", type=Path, metavar="FILE", help="write the figures into this model card, between its markers")
    train.set_defaults(run=_train)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _train(args: argparse.Namespace) -> int:
    from webmain.evaluation.gold import GoldError
    from webmain.evaluation.training import pipeline
    from webmain.evaluation.training.boosting import TrainingError

    card = _card(args.card)
    _check_places(args)
    options = pipeline.Options(
        data=args.data,
        sets=args.sets,
        checks=tuple(args.check),
        made_up=pipeline.MADE_UP if args.made_up is None else args.made_up,
        seed=args.seed,
        jobs=args.jobs,
        left_out=args.leave_out,
    )
    with failing(NOT_FOUND, TrainingError, GoldError):
        made = pipeline.train(options, progress=_progress)
    _write(args, made, card)
    return OK


def _check_places(args: argparse.Namespace) -> None:
    """Raise Failure or OSError if two outputs are one file, one is read as data, or one cannot be written."""
    from webmain.evaluation.gold_records import jsonl_files
    from webmain.evaluation.training.sets import set_names

    outputs = [path for path in (args.out, args.report, args.out_of_fold, args.card) if path]
    if args.out_of_fold and args.leave_out:
        outputs.append(_left_out(args.out_of_fold))
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise Failure(USAGE, f"two outputs are one file: {', '.join(map(str, outputs))}")
    folders = [args.data / name for name in set_names(args.sets) if name == Path(name).name]
    read = [*jsonl_files(args.data), *args.check]
    read += [file for folder in (*folders, *args.check) for file in folder.rglob("*")]
    for path in outputs:
        _check_place(path)
        refuse_inputs(path, read)


def _left_out(path: Path) -> Path:
    """Return where the texts by models of the other sets are written."""
    return path.with_name(f"{path.stem}-left-out{path.suffix}")


def _check_place(path: Path) -> None:
    """Raise OSError if a file cannot be written, before hours of work are lost to that."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path.parent))


def _card(path: Path | None) -> str:
    """Read the card before training; raise Failure if it is missing or has no place for figures."""
    from webmain.evaluation.training.tables import with_part

    if path is None:
        return ""
    try:
        card = path.read_text(encoding="utf-8")
        with_part(card, "")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Failure(USAGE, f"--card: {path}: {reason}") from error
    return card


def _write(args: argparse.Namespace, made: Trained, card: str) -> None:
    """Write the files and print the figures."""
    from webmain.evaluation import writers
    from webmain.evaluation.training import pipeline, tables

    found = tables.tables(made)
    writers.write_whole(args.out, made.data.decode("ascii"))
    if args.report:
        writers.write_whole(args.report, writers.json_text(found, made.facts))
    if args.out_of_fold:
        path: Path = args.out_of_fold
        writers.write_whole(path, pipeline.predictions(made, "cross-validated"))
        if args.leave_out:
            writers.write_whole(_left_out(path), pipeline.predictions(made, "set left out"))
    if args.card:
        writers.write_whole(args.card, tables.with_figures(card, made))
    print(tables.facts_text(made) + "\n")
    print("\n".join(writers.text(writers.without_empty(table)) for table in found).rstrip("\n"))
    if len(made.data) > pipeline.MAX_BYTES:
        most = f"one that comes with the program has at most {pipeline.MAX_BYTES:,}"
        notify(f"the model has {len(made.data):,} bytes; {most}")


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[], object]]:
    """Show a progress bar on a terminal, or one line per step elsewhere."""
    if not sys.stderr.isatty():
        notify(f"{what}: {total}")
    with progress(what, total) as bar:
        yield bar.update
