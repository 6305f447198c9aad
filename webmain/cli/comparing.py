"""The comparison of `webmain evaluate`: read gold, run missing systems, score, report."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, USAGE, Failure
from webmain.cli.outputs import refuse_inputs
from webmain.cli.sources import notify
from webmain.files import reason_of

if TYPE_CHECKING:
    import argparse

    from tqdm import tqdm

    from webmain.evaluation.predictions import Header
    from webmain.evaluation.records import GoldPage, Prediction
    from webmain.evaluation.report import Report
    from webmain.evaluation.scoring import Results
    from webmain.evaluation.systems import System

SHOWN_ROWS = 40  # rows of a table on the terminal; files contain all

SHOWN_PAGES = 10


def publish(
    args: argparse.Namespace, forms: Mapping[str, Callable[[], str]], files: Mapping[str, str], stem: str
) -> None:
    """Print a table; with --out also write the files, JSON and HTML under this name."""
    from webmain.evaluation.writers import write_whole

    if args.out:
        for name, content in files.items():
            write_whole(args.out / name, content)
        for form in ("json", "html"):
            write_whole(args.out / f"{stem}.{form}", forms[form]())
    print(forms[args.format]().rstrip("\n"))


def bullets(notes: Sequence[str]) -> list[str]:
    """Return notes as lines."""
    return ["Notes", "", *(f"- {note}" for note in notes)] if notes else []


def compare(args: argparse.Namespace) -> int:
    """Read gold, run what is missing, score and report; return the exit code.

    Raises Failure, UnknownSystem, PredictionsError, GoldError, OSError.
    """
    from webmain.evaluation import predictions, scoring, systems
    from webmain.evaluation.gold import GoldError
    from webmain.evaluation.metrics import METRICS
    from webmain.evaluation.report import GROUPINGS

    if args.score and args.predictions:
        raise Failure(USAGE, "--score runs nothing: leave out --predictions")
    if args.predictions and not args.predictions.name.endswith((".jsonl", ".jsonl.gz")):
        raise Failure(USAGE, f"--predictions: got {args.predictions.name!r}, its name must end in .jsonl or .jsonl.gz")
    if args.predictions:
        refuse_inputs(args.predictions, args.gold)
    metrics = tuple(METRICS) if args.metrics == "all" else _listed("metric", args.metrics, (*METRICS, "all"))
    if metrics == ():
        raise Failure(USAGE, f"no metric was given, allowed are {', '.join(METRICS)}, all")
    by = _listed("by", args.by, GROUPINGS)
    names = list(dict.fromkeys(name for text in args.systems or () for name in systems.split(text)))
    drawn_by = args.seed
    if args.score:
        try:
            head, given = predictions.read(args.score)
        except OSError as error:
            raise Failure(NOT_FOUND, f"{args.score}: {reason_of(error)}") from error
        for name in names:
            if name not in head.systems:
                raise Failure(
                    USAGE, f"{args.score}: holds no predictions of {name!r}, only of {', '.join(head.systems)}"
                )
        names = names or list(head.systems)
        if args.limit is None:  # the sample that was predicted
            args.limit, drawn_by = head.settings.get("limit"), int(head.settings.get("seed", args.seed))
    else:
        found, missing = systems.resolve(names if args.systems else ["all"])
        if missing:
            notify(f"not installed, left out: {', '.join(missing)} (pip install webmain[peers])")
        if not found:
            raise Failure(USAGE, "no system is left to run")
        names = [system.name for system in found]
    if args.baseline is not None and args.baseline not in names:
        raise Failure(USAGE, f"baseline: got {args.baseline!r}, allowed are {', '.join(names)}")
    pages, digests, dropped = _read_gold(args, drawn_by)
    if args.score:
        predictions.check_gold(head, digests, str(args.score))
    else:
        head, given = _predict(args, found, pages, digests)
    if not pages:
        raise GoldError("the gold data holds no usable page: " + "; ".join(dropped))
    with progress("scores", len(pages) * len(names)) as bar:
        results = scoring.score(pages, given, names, metrics=metrics or scoring.DEFAULT_METRICS, progress=bar.update)
    _report(args, results, head, digests, dropped, by)
    return _exit_code(results)


def _listed(label: str, text: str | None, allowed: Collection[str]) -> tuple[str, ...] | None:
    """Return the names in a comma-separated list, each once; None if none was given."""
    if text is None:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in allowed:
            raise Failure(USAGE, f"{label}: got {name!r}, allowed are {', '.join(allowed)}")
    return names


def _read_gold(args: argparse.Namespace, seed: int) -> tuple[list[GoldPage], dict[str, str], list[str]]:
    """Return the pages of every gold set (or a sample), digests by name, and what was dropped."""
    from webmain.evaluation.gold import read_gold
    from webmain.evaluation.scoring import sample

    pages: dict[tuple[str, str], GoldPage] = {}
    digests: dict[str, str] = {}
    dropped: list[str] = []
    for path in args.gold:
        gold = read_gold(path)
        name = Path(path).resolve().name.removesuffix(".gz").removesuffix(".jsonl")
        if name in digests:
            raise Failure(USAGE, f"two gold sets are called {name}")
        for page in sample(gold, args.limit, seed=seed):
            if (page.dataset, page.id) in pages:
                raise Failure(USAGE, f"page {page.id} of {page.dataset} is in two of the gold sets")
            pages[page.dataset, page.id] = page
        digests[name] = gold.digest
        dropped.append(f"{name}: {gold.n_pages} pages, {gold.dropped}")
    return list(pages.values()), digests, dropped


def _predict(
    args: argparse.Namespace, systems: Sequence[System], pages: Sequence[GoldPage], digests: Mapping[str, str]
) -> tuple[Header, list[Prediction]]:
    """Run the missing predictions; return all saved ones."""
    from webmain.evaluation import harness, predictions
    from webmain.evaluation.worker import Meter

    limits = harness.Limits(jobs=args.jobs, timeout_s=args.timeout, repeat=args.repeat)
    settings = {name: getattr(args, name) for name in ("limit", "seed", "jobs", "repeat")}
    settings |= {"timeout_s": args.timeout, "memory": Meter().method}
    head = predictions.header(digests, systems, settings)
    with _place(args) as path, predictions.Writer(path, head, fresh=args.fresh) as writer:
        kept = {p.key for p in writer.kept}
        wanted = {(s.name, p.dataset, p.id) for s in systems for p in pages}
        if n_done := len(wanted & kept):
            notify(f"{n_done} of {len(wanted)} predictions are there already")
        if writer.stale:
            notify(f"changed since, run again: {', '.join(writer.stale)}")
        try:
            with (
                progress("predictions", len(wanted), n_done) as bar,
                closing(harness.run(pages, systems, done=kept, limits=limits)) as running,
            ):
                for prediction in running:
                    writer.write(prediction)
                    bar.set_postfix_str(prediction.system, refresh=False)
                    bar.update()
        except KeyboardInterrupt:
            if args.out or args.predictions:
                notify(f"stopped; the same command goes on from {writer.part}")
            raise
        writer.finish()
        return predictions.read(path)


@contextmanager
def _place(args: argparse.Namespace) -> Iterator[Path]:
    """Return where predictions are saved; by default a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="webmain-") as folder:
        beside = args.out / "predictions.jsonl.gz" if args.out else Path(folder) / "predictions.jsonl"
        yield args.predictions or beside


def progress(what: str, total: int, done: int = 0) -> tqdm[NoReturn]:
    """Return a progress bar on a terminal, nothing elsewhere."""
    from tqdm import tqdm

    hidden = not sys.stderr.isatty()
    return tqdm(total=total, initial=done, desc=what, file=sys.stderr, disable=hidden, leave=False)


def _report(
    args: argparse.Namespace,
    results: Results,
    head: Header,
    digests: Mapping[str, str],
    dropped: Sequence[str],
    by: tuple[str, ...] | None,
) -> None:
    from webmain.evaluation import html_report, report, writers

    baseline = args.baseline or (results.systems[0] if len(results.systems) > 1 else "")
    groupings = report.differing_groupings(results.pages) if by is None else by
    made = report.Report(
        title=f"Extraction on {', '.join(digests)}",
        facts=report.facts(head, digests, dropped, results),
        notes=(*report.notes(results, head), *report.notes_on_corrections(args.gold)),
        tables=report.tables(results, baseline=baseline, by=groupings, seed=args.seed),
        results=results,
        baseline=baseline,
    )
    shown = {name: facts for name, facts in head.systems.items() if name in results.systems}
    facts = {"title": made.title, "facts": dict(made.facts), "notes": list(made.notes), "systems": shown}
    tables = [*made.tables, report.every_result(results)]
    forms = {
        "table": lambda: _terminal(made),
        "csv": lambda: writers.csv_text(writers.long_table(made.tables)),
        "json": lambda: writers.json_text(tables, facts),
        "html": lambda: html_report.report_page(made),
    }
    publish(args, forms, {f"{table.name}.csv": writers.csv_text(table) for table in tables}, "report")
    if args.out:
        notify(f"the report is in {args.out / 'report.html'}")


def _terminal(report: Report) -> str:
    from webmain.evaluation import writers

    parts = ["\n".join(f"{name}: {value}" for name, value in report.facts) + "\n"]
    for table in report.tables:
        if table.rows:
            most = SHOWN_PAGES if table.name == "pages" else SHOWN_ROWS
            parts.append(writers.text(writers.without_empty(table), most_rows=most))
    return "\n".join([*parts, *bullets(report.notes)])


def _exit_code(results: Results) -> int:
    """Return 1 if a system did not start at all, since its figures mean nothing."""
    for system in results.systems:
        failed = [r.prediction.error for r in results.by_system[system]]
        if failed and all(error.startswith("start:") for error in failed):
            notify(f"{system} could not be run: {failed[0].removeprefix('start: ')}")
            return REJECTED
    return OK
