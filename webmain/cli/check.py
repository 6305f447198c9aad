"""`webmain check`: whether all of stores, ledgers, recordings, folders of models, rules and corrections can be read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, USAGE, Commands, Failure
from webmain.cli.sources import named, notify
from webmain.files import NotAStoreError, reason_of
from webmain.text.terminal import counted

if TYPE_CHECKING:
    from webmain.store.check import CheckResult


_ALLOWED = (
    "no such file, and no form that can be checked; allowed are jsonl:PATH, sqlite:PATH, and the path of a store, ledger,"
    " recording, folder of models, rules for sites, or corrections"
)
MAX_SHOWN = 200  # problems printed per file; all are counted


def add(commands: Commands) -> None:
    """Add the command."""
    check = commands.add_parser(
        "check",
        help="check that everything in a store can be read",
        description="Read all of a store (jsonl:PATH, sqlite:PATH, or the path alone), ledger, recording (.warc, also .gz,"
        " .zst, .lz4), folder of models, rules for sites (.toml), or file of corrections, and report what cannot be read."
        " Nothing is changed; crawls may be running.",
        epilog="exit codes: 0 everything can be read, 1 something cannot, 3 there is no such file",
    )
    check.add_argument(
        "store", nargs="+", type=named, metavar="STORE", help="a store, ledger, recording, models, rules or corrections"
    )
    check.set_defaults(run=_check)


def _check(args: argparse.Namespace) -> int:
    from webmain.store.check import SQLITE
    from webmain.store.sqlite_file import saving

    worst = OK
    for path, form in [_place(spec) for spec in args.store]:
        try:
            checked = _checked(path, form)
        except (OSError, NotAStoreError) as error:
            notify(f"{path}: {reason_of(error)}")
            worst = max(worst, NOT_FOUND if isinstance(error, OSError) else REJECTED)
            continue
        for problem in checked.problems[:MAX_SHOWN]:
            place = f"{problem.place}: " if problem.place else ""
            reason = "".join(c if c.isprintable() else " " for c in problem.reason)
            print(reason if reason.startswith(str(path)) else f"{path}: {place}{reason}")
        if len(checked.problems) > MAX_SHOWN:
            print(f"{path}: ... and {len(checked.problems) - MAX_SHOWN:,} more")
        wrong = f", {len(checked.problems):,} cannot be" if checked.problems else ""
        print(f"{path}: {checked.what}, {counted(checked.n, checked.piece)} can be read{wrong}")
        if checked.problems and checked.what == SQLITE:
            notify(saving(f"sqlite:{path}"))
        worst = max(worst, REJECTED if checked.problems else OK)
    return worst


def _place(spec: str) -> tuple[Path, str]:
    """Return a path, and the form of the store at it if it is given."""
    from webmain.store.registry import SCHEMES, no_store

    form, _, address = spec.partition(":")
    if form.lower() not in SCHEMES:
        path = Path(spec).expanduser()
        if address and not path.exists():
            raise Failure(USAGE, f"{spec}: {_ALLOWED}")
        return path, ""
    if not address:
        raise Failure(USAGE, no_store(spec))
    return Path(address).expanduser(), form.lower()


def _checked(path: Path, form: str) -> CheckResult:
    """Check the file at a path according to its kind, found or given."""
    from webmain.archive.warc import PACKED, is_archive_name
    from webmain.ledger.file import LedgerFile
    from webmain.ledger.rows import ALIASES, URLS, alias_problem, url_problem
    from webmain.store.check import application_id, check_jsonl, check_recording, check_rows, check_store

    if path.is_dir() and not form:
        return _models(path)
    owner = application_id(path)
    if form:
        return check_jsonl(path) if form == "jsonl" else check_store(path)
    if path.suffix == ".toml":
        return _rules(path)
    if owner == LedgerFile.application_id or path.suffix == ".ledger":
        return check_rows(
            path, LedgerFile, "ledger", (("urls", URLS, url_problem), ("aliases", ALIASES, alias_problem))
        )
    if owner is not None or path.suffix in (".db", ".sqlite", ".sqlite3"):
        return check_store(path)
    if is_archive_name(path.name) or _begins(path, b"\x1f\x8b", *PACKED, b"WARC/"):
        return check_recording(path)
    return _corrections(path) or check_jsonl(path)


def _corrections(path: Path) -> CheckResult | None:
    """Check a file of corrections or other gold pages; None for another file."""
    from webmain.corrections.file import is_gold, line_error
    from webmain.store.check import CheckResult, Problem

    n, problems = 0, []
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if number == 1 and not is_gold(line):
                return None
            if reason := line_error(line):
                problems.append(Problem(place=f"line {number}", reason=reason))
            elif line.strip():
                n += 1
    return CheckResult(what="corrections", n=n, piece="gold page", problems=tuple(problems)) if n or problems else None


def _rules(path: Path) -> CheckResult:
    from webmain.sites.rules import SitesError, read_sites
    from webmain.store.check import CheckResult, Problem

    try:
        n, problems = len(read_sites(path).tables), []
    except SitesError as error:
        n, problems = 0, str(error).splitlines()
    found = tuple(Problem(place="", reason=each) for each in problems)
    return CheckResult(what="rules for sites", n=n, piece="table", problems=found)


def _begins(path: Path, *marks: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(8).startswith(marks)


def _models(folder: Path) -> CheckResult:
    from webmain.sites.model_store import ModelStore
    from webmain.store.check import CheckResult, Problem

    found = ModelStore(folder).models()
    if not found.models and not found.errors and any(folder.iterdir()):
        raise NotAStoreError("a folder without models of sites")
    problems = tuple(Problem(place="", reason=str(error)) for error in found.errors)
    return CheckResult(what="models", n=len(found.models), piece="model", problems=problems)
