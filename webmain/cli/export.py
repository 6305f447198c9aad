"""`webmain export`: write the articles of a store to a file for other programs."""

from __future__ import annotations

import argparse
import sys
import time
from itertools import chain
from pathlib import Path

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, UNWRITTEN, USAGE, Commands, Failure, failing
from webmain.cli.outputs import is_file, refuse_inputs
from webmain.cli.sources import add_filters, in_range, none_selected, notify, period
from webmain.text.terminal import counted

SHARE = in_range(float, 0, 1, "is a number from 0 to 1")
FORMATS = {
    "jsonl": "whole records",
    "csv": "metadata",
    "vertical": "one token per line, for Sketch Engine and CWB (.vert)",
    "tei": "TEI P5 (.xml)",
    "text": "a folder of texts",
    "parquet": "all fields as columns",
}
SUFFIXES = {"vert": "vertical", "xml": "tei"}  # other names of formats, usual as suffixes


def add(commands: Commands) -> None:
    """Add the command."""
    export = commands.add_parser(
        "export",
        help="write the articles of a store to a file",
        description="Write the articles of a store, each in its last revision, to a file for other programs."
        " The file appears under its name when it is whole.",
        epilog="exit codes: 0 written, 1 no article is selected, 2 wrong usage, 3 the store cannot be read, 4 the file cannot"
        " be written",
    )
    option = export.add_argument
    option("store", metavar="STORE", help="jsonl:PATH, sqlite:PATH, or module:Class:ADDRESS")
    option(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the file to write; a folder for the format text; - for standard output (not text, parquet)",
    )
    option(
        "-f",
        "--format",
        choices=(*FORMATS, *SUFFIXES),
        help="; ".join(f"{name}: {what}" for name, what in FORMATS.items())
        + " (by the name of FILE, which may also end in .gz)",
    )
    add_filters(export)
    option("--fetched", action="store_true", help="--since and --until mean when pages were fetched")
    option("--confidence", type=SHARE, metavar="C", help="only articles of at least this confidence")
    export.set_defaults(run=_export)


def _export(args: argparse.Namespace) -> int:
    from webmain.store.export import STREAMS, export
    from webmain.store.protocol import StoreError, StoreWriteError
    from webmain.store.registry import open_store
    from webmain.store.search_records import Filters

    form = SUFFIXES.get(args.format, args.format) or _format_of(args.output)
    if form is None:
        raise Failure(USAGE, f"{args.output}: its suffix names no format; give one with -f: {', '.join(FORMATS)}")
    to_file = is_file(args.output)
    if not to_file and form not in STREAMS:
        raise Failure(USAGE, f"-: only {', '.join(STREAMS)} can be written to standard output, not {form}")
    refuse_inputs(args.output, [args.store])
    since, until = period(args)
    filters = Filters(
        site=args.site,
        language=args.lang,
        since=since,
        until=until,
        date="fetched_at" if args.fetched else "published",
        min_confidence=args.confidence,
    )
    with failing(NOT_FOUND, StoreError):
        store = open_store(args.store, read_only=True)
    with failing(NOT_FOUND, StoreError), failing(UNWRITTEN, StoreWriteError), store:
        chosen = store.selected(filters)
        first = next(chosen, None)
        if first is None:
            unchanged = f"; {args.output} is left as it is" if to_file else ""
            raise Failure(REJECTED, f"{args.store}: {none_selected(store, filters)}{unchanged}")
        found = chain((first,), chosen)
        if not to_file:
            STREAMS[form](found, sys.stdout)
            return OK
        started = time.time() - 0.1  # file systems' clocks are a little behind
        n = export(found, args.output, format=form)
    print(f"{args.output}: {counted(n, 'article')}")
    if form == "text":
        earlier = sum(path.stat().st_mtime < started for path in Path(args.output).glob("*/*.txt"))
        if earlier:
            notify(f"{args.output}: {counted(earlier, 'text')} of earlier exports stayed there, too")
    return OK


def _format_of(name: str) -> str | None:
    """Return the format that a file's suffix names, or None if it names none."""
    suffix = Path(name.lower().removesuffix(".gz")).suffix.removeprefix(".")
    return SUFFIXES.get(suffix, suffix if suffix in FORMATS else None)
