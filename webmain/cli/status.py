"""`webmain status`: show how crawls are doing, and what needs attention."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

from webmain.cli.exits import NOT_FOUND, OK, USAGE, Commands, failing
from webmain.cli.outputs import output
from webmain.cli.sources import named, notify

NEEDED: Final = 1
"""Exit code if something needs attention."""

FOLDER: Final = Path("output")
"""Default folder of ledgers."""


def add(commands: Commands) -> None:
    """Add the command."""
    status = commands.add_parser(
        "status",
        help="show how crawls are doing, and what needs attention",
        description="Show for each site when it was last crawled, how that ended, what it found, and what needs attention:"
        " fewer articles than usual, a changed layout or robots.txt, blocks, errors, missing runs. Ledgers are "
        "opened read-only.",
        epilog="exit codes: 0 nothing needs attention, 1 something does, 2 wrong usage, 3 there is no such ledger, or no run"
        " of a site (what there is is shown), 4 FILE cannot be written",
    )
    option = status.add_argument
    option("what", nargs="*", type=named, metavar="LEDGER|SITE", help=f"ledgers (those in {FOLDER}/) and sites (all)")
    option("--store", action="append", default=[], help="a store; its ledger is next to it")
    option("--json", action="store_true", help="print JSON")
    option("--prometheus", metavar="FILE", help="write a Prometheus textfile, which is replaced in one step")
    status.set_defaults(run=_status)


def _status(args: argparse.Namespace) -> int:
    from webmain.health.status import as_prometheus, as_table, as_values, status_of
    from webmain.store.protocol import StoreSpecError
    from webmain.store.registry import ledger_path
    from webmain.urls import site_key

    ledgers = [_ledger(each) for each in args.what if _is_file(each)]
    if not ledgers and not args.store:
        ledgers = sorted(FOLDER.glob("*.ledger")) or [FOLDER / "*.ledger"]
    with failing(USAGE, StoreSpecError):
        ledgers += [Path(ledger_path(store if ":" in store else f"jsonl:{store}")) for store in args.store]
    absent = [path for path in ledgers if not path.is_file()]
    for path in absent:
        notify(f"{path}: no such ledger; a crawl writes one next to its store (--store sqlite:news.db)")
    ledgers = [path for path in ledgers if path not in absent]
    if not ledgers:
        return NOT_FOUND
    sites = [site_key(each) or each for each in args.what if not _is_file(each)]
    status = status_of(ledgers, sites)
    if args.prometheus:
        with output(args.prometheus, ledgers) as file:
            file.write(as_prometheus(status))
    if args.json:
        print(json.dumps(as_values(status), ensure_ascii=False, indent=1))
    else:
        print(as_table(status), end="")
    for older in status.older:
        notify(f"{older}: of an earlier version; the next crawl brings it up to date, and then its runs are shown")
    for site in status.missing:
        notify(f"{site}: no run is recorded")
    return NEEDED if status.needs_a_person else NOT_FOUND if status.missing or absent else OK


def _is_file(text: str) -> bool:
    return text.endswith(".ledger") or Path(text).is_file()


def _ledger(text: str) -> Path:
    """Return a ledger's path; for a store, the ledger beside it."""
    beside = Path(text + ".ledger")
    return beside if beside.is_file() else Path(text)
