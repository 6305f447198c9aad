"""`webmain evaluate`: compare extractors and peers on gold data, or run a paper's experiment."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, USAGE
from webmain.cli.sources import positive, positive_int

if TYPE_CHECKING:
    from webmain.cli import Commands
    from webmain.evaluation.gold import Gold
    from webmain.evaluation.predictions import Header
    from webmain.evaluation.records import GoldPage, Prediction, Table
    from webmain.evaluation.report import Report
    from webmain.evaluation.scoring import Results
    from webmain.evaluation.systems import System

FORMATS = ("table", "csv", "json", "html")
SHOWN_ROWS = 40
"""Rows of a table on the terminal; files hold all."""

SHOWN_PAGES = 10

_EXAMPLES = """
examples:
  webmain evaluate gold.jsonl.gz                        all extractors and installed peers
  webmain evaluate gold/ -e line_block,pab,trafilatura --out report
  webmain evaluate gold/ -e svm@site,svm@crossfit       learning from each site's pages
  webmain evaluate gold/ --score report/predictions.jsonl.gz --metrics all --format html > report.html
  webmain evaluate gold/ --protocol line_block_cleaneval

exit codes: 0 done, 1 a system could not be run at all, 2 wrong usage, 3 no gold data, 4 the output could not be written
"""


class UsageError(Exception):
    """The command was given wrongly; the message is for people."""


def add(commands: Commands) -> None:
    """Add the command."""
    evaluate = commands.add_parser(
        "evaluate",
        help="compare extractors and other systems on pages whose text is known",
        description="Run systems over gold pages, save what they give, score it, and report.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    evaluate.add_argument(
        "gold",
        metavar="GOLD",
        nargs="*",
        help="a file or folder of gold data: JSONL, WCXB, CleanEval, pages with texts",
    )
    evaluate.add_argument("--list", action="store_true", help="list systems, metrics, protocols, formats, and stop")
    _add_run_options(evaluate)
    _add_report_options(evaluate)
    evaluate.set_defaults(run=_evaluate)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    runs = parser.add_argument_group("what is run")
    runs.add_argument(
        "-e",
        "--systems",
        metavar="SYSTEM[,SYSTEM]",
        action="append",
        help="line_block, pab:keep=..., svm@site, svm@crossfit, trafilatura, module:name, all_text; "
        "all, ours, peers (default: all)",
    )
    runs.add_argument("--protocol", metavar="NAME", help="run a paper's experiment instead")
    runs.add_argument("--limit", type=positive_int, metavar="N", help="a random sample of N pages of each gold set")
    runs.add_argument("--seed", type=int, default=1, metavar="S", help="of samples, intervals and tests (1)")
    runs.add_argument(
        "--jobs",
        type=_jobs,
        default=1,
        metavar="N",
        help="processes (1); 0: none of its own, for debugging, without limit",
    )
    runs.add_argument("--timeout", type=positive, default=30.0, metavar="S", help="seconds for a page (30)")
    runs.add_argument(
        "--repeat", type=positive_int, default=1, metavar="N", help="turns for each page, the fastest counts (1)"
    )
    runs.add_argument("--predictions", type=Path, metavar="FILE", help="save predictions here (.jsonl, .jsonl.gz)")
    runs.add_argument("--fresh", action="store_true", help="don't continue what FILE holds already")
    runs.add_argument("--score", type=Path, metavar="FILE", help="run nothing, score the predictions in FILE")


def _add_report_options(parser: argparse.ArgumentParser) -> None:
    reports = parser.add_argument_group("what is reported")
    reports.add_argument("--metrics", metavar="NAME[,NAME]", help="all, or names (default: words,same_words)")
    reports.add_argument("--baseline", metavar="NAME", help="the system others are compared with (default: the first)")
    reports.add_argument(
        "--by",
        metavar="WHAT[,WHAT]",
        help="also by dataset, type, language, site (default: those that differ, not site)",
    )
    reports.add_argument("-f", "--format", choices=FORMATS, default="table", help="what is printed (default: table)")
    reports.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write predictions, CSV files, report.json and report.html here"
    )


def _jobs(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 256:
        raise argparse.ArgumentTypeError(f"got {text}, allowed is 0 to 256")
    return value


def _evaluate(args: argparse.Namespace) -> int:
    from webmain.evaluation.gold import GoldError
    from webmain.evaluation.predictions import PredictionsError
    from webmain.evaluation.systems import UnknownSystem

    if args.list:
        _print_lists()
        return OK
    try:
        if not args.gold:
            raise UsageError("no gold data was named; see webmain evaluate --help")
        return _protocol(args) if args.protocol else _compare(args)
    except (UsageError, UnknownSystem, PredictionsError) as error:
        print(f"webmain: {error}", file=sys.stderr)
        return USAGE
    except GoldError as error:
        print(f"webmain: {error}", file=sys.stderr)
        return NOT_FOUND


# ---- lists


def _print_lists() -> None:
    from webmain.evaluation import systems
    from webmain.evaluation.gold import GoldFormat
    from webmain.evaluation.metrics import METRICS
    from webmain.evaluation.protocols import PROTOCOLS
    from webmain.evaluation.report import GROUPINGS

    print("systems:")
    for name in systems.names():
        print(f"  {name}" if systems.is_installed(name) else f"  {name} (not installed: pip install webmain[peers])")
    print(f"  groups: {', '.join(systems.GROUPS)}; yours: module:Class, module:function; NAME@site, NAME@crossfit")
    print("metrics:")
    for metric in METRICS.values():
        print(f"  {metric.name:<12} {metric.title}")
    print("protocols:" if PROTOCOLS else "protocols: none")
    for name in PROTOCOLS:
        print(f"  {name:<24} {_first_line(_module(name))}")
    print(f"groupings: {', '.join(GROUPINGS)}")
    print(f"formats of gold data: {', '.join(GoldFormat)}")
    print(f"formats of reports: {', '.join(FORMATS)}")


def _module(protocol: str) -> Any:
    from webmain.evaluation.protocols import PROTOCOLS

    if protocol not in PROTOCOLS:
        raise UsageError(f"protocol: got {protocol!r}, allowed are {', '.join(PROTOCOLS) or 'none yet'}")
    return importlib.import_module(PROTOCOLS[protocol])


def _first_line(module: Any) -> str:
    return (module.__doc__ or "").strip().partition("\n")[0]


# ---- protocols


def _protocol(args: argparse.Namespace) -> int:
    from webmain.evaluation import html_report, writers
    from webmain.evaluation.gold import read_gold

    module = _module(args.protocol)
    gold = read_gold(args.gold)
    try:
        findings = module.run(gold, seed=args.seed)
    except ValueError as error:  # the gold is not what the protocol needs
        raise UsageError(f"protocol {args.protocol}: {error}") from error
    facts = {"protocol": findings.protocol, "gold": _names(gold), "digest": gold.digest, "notes": list(findings.notes)}
    pages: dict[str, Callable[[], str]] = {
        "table": lambda: "\n".join([*(writers.text(table) for table in findings.tables), *_bullets(findings.notes)]),
        "csv": lambda: writers.csv_text(writers.long_table(findings.tables)),
        "json": lambda: writers.json_text(findings.tables, facts),
        "html": lambda: html_report.findings_page(findings),
    }
    if args.out:
        for table in findings.tables:
            writers.write_whole(args.out / f"{args.protocol}_{table.name}.csv", writers.csv_text(table))
        writers.write_whole(args.out / f"{args.protocol}.json", pages["json"]())
        writers.write_whole(args.out / f"{args.protocol}.html", pages["html"]())
    print(pages[args.format]().rstrip("\n"))
    return OK


def _names(gold: Gold) -> list[str]:
    return [path.name for path, _ in gold.sources]


def _bullets(notes: Sequence[str]) -> list[str]:
    return ["Notes", "", *(f"- {note}" for note in notes)] if notes else []


# ---- comparisons


def _compare(args: argparse.Namespace) -> int:
    from webmain.evaluation import predictions

    if args.score and args.predictions:
        raise UsageError("--score runs nothing: leave out --predictions")
    metrics = _metrics(args.metrics)
    by = _wanted_groupings(args.by)
    if args.score:
        try:
            head, given = predictions.read(args.score)
        except OSError as error:
            raise UsageError(f"{args.score}: {error.strerror or error}") from error
        pages, digests, dropped = _read_gold(args, _sample_of(args, head))
        predictions.check_gold(head, digests, str(args.score))
        names = _scored_systems(args, head)
    else:
        systems = _systems(args)
        names = [system.name for system in systems]
        _check_baseline(args.baseline, names)
        pages, digests, dropped = _read_gold(args, (args.limit, args.seed))
        head, given = _predict(args, systems, pages, digests)
    _check_baseline(args.baseline, names)
    if not pages:
        raise UsageError("the gold data holds no usable page: " + "; ".join(dropped))
    results = _score(pages, given, names, metrics)
    report = _report(args, results, head, digests, dropped, by)
    _write(args, report, head)
    return _exit_code(results)


def _metrics(text: str | None) -> tuple[str, ...]:
    from webmain.evaluation.metrics import METRICS
    from webmain.evaluation.scoring import DEFAULT_METRICS

    if text is None:
        return DEFAULT_METRICS
    if text == "all":
        return tuple(METRICS)
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in METRICS:
            raise UsageError(f"metric: got {name!r}, allowed are {', '.join(METRICS)}, all")
    if not names:
        raise UsageError(f"no metric was given, allowed are {', '.join(METRICS)}, all")
    return names


def _wanted_groupings(text: str | None) -> tuple[str, ...] | None:
    from webmain.evaluation.report import GROUPINGS

    if text is None:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in GROUPINGS:
            raise UsageError(f"by: got {name!r}, allowed are {', '.join(GROUPINGS)}")
    return names


def _systems(args: argparse.Namespace) -> list[System]:
    from webmain.evaluation import systems

    names = [name for text in args.systems or ["all"] for name in systems.split(text)]
    found, missing = systems.resolve(names)
    if missing:
        print(f"webmain: not installed, left out: {', '.join(missing)} (pip install webmain[peers])", file=sys.stderr)
    if not found:
        raise UsageError("no system is left to run")
    return found


def _scored_systems(args: argparse.Namespace, head: Header) -> list[str]:
    from webmain.evaluation import systems

    if not args.systems:
        return list(head.systems)
    names = list(dict.fromkeys(name for text in args.systems for name in systems.split(text)))
    for name in names:
        if name not in head.systems:
            raise UsageError(f"{args.score}: holds no predictions of {name!r}, only of {', '.join(head.systems)}")
    return names


def _check_baseline(name: str | None, names: Sequence[str]) -> None:
    if name is not None and name not in names:
        raise UsageError(f"baseline: got {name!r}, allowed are {', '.join(names)}")


def _sample_of(args: argparse.Namespace, head: Header) -> tuple[int | None, int]:
    """Return the sample that was predicted, unless the user asks for another."""
    if args.limit is not None:
        return args.limit, args.seed
    limit = head.settings.get("limit")
    return (limit if isinstance(limit, int) else None), int(head.settings.get("seed", args.seed))


def _read_gold(
    args: argparse.Namespace, drawn: tuple[int | None, int]
) -> tuple[list[GoldPage], dict[str, str], list[str]]:
    """Read (a sample of) every gold set; returns pages, digests by name, and what was dropped."""
    from webmain.evaluation.gold import read_gold
    from webmain.evaluation.scoring import sample

    pages: dict[tuple[str, str], GoldPage] = {}
    digests: dict[str, str] = {}
    dropped: list[str] = []
    for path in args.gold:
        gold = read_gold(path)
        name = _set_name(Path(path))
        if name in digests:
            raise UsageError(f"two gold sets are called {name}")
        for page in sample(gold, drawn[0], seed=drawn[1]):
            if (page.dataset, page.id) in pages:
                raise UsageError(f"page {page.id} of {page.dataset} is in two of the gold sets")
            pages[page.dataset, page.id] = page
        digests[name] = gold.digest
        dropped.append(f"{name}: {len(gold)} pages, {gold.dropped}")
    return list(pages.values()), digests, dropped


def _set_name(path: Path) -> str:
    name = path.resolve().name
    for ending in (".gz", ".jsonl"):
        name = name.removesuffix(ending)
    return name


def _predict(
    args: argparse.Namespace, systems: Sequence[System], pages: Sequence[GoldPage], digests: dict[str, str]
) -> tuple[Header, list[Prediction]]:
    """Run what is not there yet; returns the saved predictions."""
    from webmain.evaluation import harness, predictions
    from webmain.evaluation.worker import meter

    limits = harness.Limits(jobs=args.jobs, timeout_s=args.timeout, repeat=args.repeat)
    settings = {
        "limit": args.limit,
        "seed": args.seed,
        "jobs": args.jobs,
        "timeout_s": args.timeout,
        "repeat": args.repeat,
        "memory": meter().method,
    }
    head = predictions.header(digests, systems, settings)
    with _place(args) as path:
        writer = predictions.Writer(path, head, fresh=args.fresh)
        try:
            done = {harness.key(p) for p in writer.kept}
            _tell_continued(writer, systems, done, pages)
            wanted = [(s.name, p.dataset, p.id) for s in systems for p in pages]
            with _progress("predictions", len(wanted), sum(key in done for key in wanted)) as advance:
                running = harness.run(pages, systems, done=done, limits=limits)
                try:
                    for prediction in running:
                        writer.write(prediction)
                        advance(prediction.system)
                finally:
                    running.close()
            writer.finish()
        except KeyboardInterrupt:
            writer.close()
            if args.out or args.predictions:
                print(f"webmain: stopped; the same command goes on from {writer.part}", file=sys.stderr)
            raise
        except BaseException:
            writer.close()
            raise
        return predictions.read(path)


@contextmanager
def _place(args: argparse.Namespace) -> Iterator[Path]:
    """Say where predictions are saved; without a wish of the user's, only as long as they are needed."""
    if args.predictions:
        yield args.predictions
    elif args.out:
        yield args.out / "predictions.jsonl.gz"
    else:
        with tempfile.TemporaryDirectory(prefix="webmain-") as folder:
            yield Path(folder) / "predictions.jsonl"


def _tell_continued(
    writer: Any, systems: Sequence[System], done: set[tuple[str, str, str]], pages: Sequence[GoldPage]
) -> None:
    asked = {(s.name, p.dataset, p.id) for s in systems for p in pages}
    if n_done := len(asked & done):
        print(f"webmain: {n_done} of {len(asked)} predictions are there already", file=sys.stderr)
    if writer.stale:
        print(f"webmain: changed since, run again: {', '.join(writer.stale)}", file=sys.stderr)


@contextmanager
def _progress(what: str, total: int, done: int = 0) -> Iterator[Callable[[str], None]]:
    """Show a progress bar on a terminal, nothing elsewhere."""
    from tqdm import tqdm

    with tqdm(
        total=total, initial=done, desc=what, file=sys.stderr, disable=not sys.stderr.isatty(), leave=False
    ) as bar:

        def advance(name: str) -> None:
            bar.set_postfix_str(name, refresh=False)
            bar.update()

        yield advance


def _score(
    pages: Sequence[GoldPage], given: Sequence[Prediction], names: Sequence[str], metrics: Sequence[str]
) -> Results:
    from webmain.evaluation.scoring import score

    with _progress("scores", len(pages) * len(names)) as advance:
        return score(pages, given, names, metrics=metrics, progress=lambda: advance(""))


def _report(
    args: argparse.Namespace,
    results: Results,
    head: Header,
    digests: dict[str, str],
    dropped: Sequence[str],
    by: tuple[str, ...] | None,
) -> Report:
    from webmain.evaluation import report

    baseline = args.baseline or (results.systems[0] if len(results.systems) > 1 else "")
    if by is None:
        by = report.differing_groupings(results.pages)
    return report.Report(
        title=f"Extraction on {', '.join(digests)}",
        facts=report.facts(head, digests, dropped, results),
        notes=report.notes(results, head),
        tables=report.tables(results, baseline=baseline, by=by, seed=args.seed),
        results=results,
        baseline=baseline,
    )


def _write(args: argparse.Namespace, report: Report, head: Header) -> None:
    from webmain.evaluation import html_report, writers
    from webmain.evaluation.report import every_result

    facts = {"title": report.title, "facts": dict(report.facts), "notes": list(report.notes), "systems": head.systems}
    makers: dict[str, Callable[[], str]] = {
        "table": lambda: _terminal(report),
        "csv": lambda: writers.csv_text(writers.long_table(report.tables)),
        "json": lambda: writers.json_text([*report.tables, every_result(report.results)], facts),
        "html": lambda: html_report.report_page(report),
    }
    if args.out:
        for table in (*report.tables, every_result(report.results)):
            writers.write_whole(args.out / f"{table.name}.csv", writers.csv_text(table))
        writers.write_whole(args.out / "report.json", makers["json"]())
        writers.write_whole(args.out / "report.html", makers["html"]())
    print(makers[args.format]().rstrip("\n"))
    if args.out:
        print(f"webmain: the report is in {args.out / 'report.html'}", file=sys.stderr)


def _terminal(report: Report) -> str:
    from webmain.evaluation import writers

    parts = ["\n".join(f"{name}: {value}" for name, value in report.facts) + "\n"]
    for table in report.tables:
        if table.rows:
            parts.append(
                writers.text(_without_empty(table), most_rows=SHOWN_PAGES if table.name == "pages" else SHOWN_ROWS)
            )
    return "\n".join([*parts, *_bullets(report.notes)])


def _without_empty(table: Table) -> Table:
    """Leave out columns that hold nothing: segments where there are none, languages that are unknown."""
    from dataclasses import replace

    kept = [n for n in range(len(table.columns)) if n == 0 or any(row[n] not in (None, "") for row in table.rows)]
    return replace(
        table,
        columns=tuple(table.columns[n] for n in kept),
        rows=tuple(tuple(row[n] for n in kept) for row in table.rows),
    )


def _exit_code(results: Results) -> int:
    """Return 1 where a system did not start at all: its figures say nothing of it."""
    for system in results.systems:
        failed = [r.prediction.error for r in results.by_system[system]]
        if failed and all(error.startswith("start:") for error in failed):
            print(f"webmain: {system} could not be run: {failed[0].removeprefix('start: ')}", file=sys.stderr)
            return REJECTED
    return OK
