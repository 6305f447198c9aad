"""The comparison of `webmain evaluate`: read gold, run what is missing, score, report."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webmain.cli.exits import OK, REJECTED

if TYPE_CHECKING:
    import argparse

    from webmain.evaluation.predictions import Header
    from webmain.evaluation.records import GoldPage, Prediction
    from webmain.evaluation.report import Report
    from webmain.evaluation.scoring import Results
    from webmain.evaluation.systems import System

SHOWN_ROWS = 40
"""Rows of a table on the terminal; files hold all."""

SHOWN_PAGES = 10


class UsageError(Exception):
    """The command was given wrongly; the message is for people."""


def compare(args: argparse.Namespace) -> int:
    """Compare systems and return the exit code.

    Raises
    ------
    UsageError, UnknownSystem, PredictionsError, GoldError, OSError
    """
    from webmain.evaluation import predictions
    from webmain.evaluation.gold import GoldError

    if args.score and args.predictions:
        raise UsageError("--score runs nothing: leave out --predictions")
    if args.predictions and not args.predictions.name.endswith((".jsonl", ".jsonl.gz")):
        raise UsageError(f"--predictions: got {args.predictions.name!r}, its name must end in .jsonl or .jsonl.gz")
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
        raise GoldError("the gold data holds no usable page: " + "; ".join(dropped))
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
        dropped.append(f"{name}: {gold.n_pages} pages, {gold.dropped}")
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
    from webmain.evaluation.worker import Meter

    limits = harness.Limits(jobs=args.jobs, timeout_s=args.timeout, repeat=args.repeat)
    settings = {
        "limit": args.limit,
        "seed": args.seed,
        "jobs": args.jobs,
        "timeout_s": args.timeout,
        "repeat": args.repeat,
        "memory": Meter().method,
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

    shown = {name: facts for name, facts in head.systems.items() if name in report.results.systems}
    facts = {"title": report.title, "facts": dict(report.facts), "notes": list(report.notes), "systems": shown}
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
    parts += [
        writers.text(writers.without_empty(table), most_rows=SHOWN_PAGES if table.name == "pages" else SHOWN_ROWS)
        for table in report.tables
        if table.rows
    ]
    return "\n".join([*parts, *bullets(report.notes)])


def _exit_code(results: Results) -> int:
    """Return 1 where a system did not start at all: its figures say nothing of it."""
    for system in results.systems:
        failed = [r.prediction.error for r in results.by_system[system]]
        if failed and all(error.startswith("start:") for error in failed):
            print(f"webmain: {system} could not be run: {failed[0].removeprefix('start: ')}", file=sys.stderr)
            return REJECTED
    return OK


def bullets(notes: Sequence[str]) -> list[str]:
    """Return notes as lines."""
    return ["Notes", "", *(f"- {note}" for note in notes)] if notes else []
