"""`webmain evaluate`: compare extractors and peers on gold data, or run a paper's experiment."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webmain.cli.comparing import bullets, compare, publish
from webmain.cli.exits import NOT_FOUND, OK, USAGE, Commands, Failure, failing
from webmain.cli.sources import in_range, named, non_negative_int, notify, positive, positive_int

if TYPE_CHECKING:
    from webmain.evaluation.records import Findings

EXTRA = ("jinja2", "matplotlib", "rapidfuzz")  # libraries needed to measure and report

FORMATS = ("table", "csv", "json", "html")
_OF_COMPARISONS = ("systems", "score", "predictions", "fresh", "jobs", "timeout", "repeat", "metrics", "baseline", "by")
"""Options that a protocol ignores, since it decides what is run and measured."""

_EXAMPLES = """
examples:
  webmain evaluate gold.jsonl.gz                        all extractors and installed peers
  webmain evaluate gold/ -e line_block,pab,trafilatura --out report
  webmain evaluate gold/ -e svm@site,svm@crossfit       learning from each site's pages
  webmain evaluate gold/ --score report/predictions.jsonl.gz --metrics all --format html > report.html
  webmain evaluate gold/ --protocol line_block_sizes
  webmain evaluate --protocol svm_visual --rendered rendered.jsonl.gz

exit codes: 0 done, 1 a system could not be run at all, 2 wrong usage, 3 no gold data, 4 the output could not be written
"""


def add(commands: Commands) -> None:
    """Add the command."""
    evaluate = commands.add_parser(
        "evaluate",
        help="compare extractors and other systems on pages whose text is known",
        description="Run systems on gold pages, save and score their predictions, and report.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    evaluate.add_argument(
        "gold",
        metavar="GOLD",
        type=named,
        nargs="*",
        help="a file or folder of gold data: JSONL, WCXB, CleanEval, pages with texts",
    )
    evaluate.add_argument("--list", action="store_true", help="list systems, metrics, protocols and formats, then exit")
    _add_run_options(evaluate)
    _add_report_options(evaluate)
    defaults = {name: evaluate.get_default(name) for name in _OF_COMPARISONS}
    evaluate.set_defaults(run=partial(_evaluate, defaults=defaults))


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    runs = parser.add_argument_group("what is run")
    option = runs.add_argument
    option(
        "-e",
        "--systems",
        metavar="SYSTEM[,SYSTEM]",
        action="append",
        help="line_block, pab:hidden=keep, svm@site, svm@crossfit, trafilatura, module:name, all_text; "
        "all, ours, peers (default: all)",
    )
    option("--protocol", metavar="NAME", help="run a paper's experiment instead")
    option("--rendered", type=Path, metavar="FILE", help="pages rendered in a browser, for svm_visual and svm_sites")
    option("--limit", type=positive_int, metavar="N", help="a random sample of N pages of each gold set")
    option(
        "--seed", type=non_negative_int, default=1, metavar="S", help="random seed of samples, intervals and tests (1)"
    )
    option(
        "--jobs",
        type=in_range(int, 0, 256, "is 0 to 256"),
        default=1,
        metavar="N",
        help="worker processes (1); 0: none, without time limits, for debugging",
    )
    option("--timeout", type=positive, default=30.0, metavar="S", help="most seconds per page (30)")
    option("--repeat", type=positive_int, default=1, metavar="N", help="runs per page; the fastest counts (1)")
    option("--predictions", type=Path, metavar="FILE", help="save predictions here (.jsonl, .jsonl.gz)")
    option("--fresh", action="store_true", help="don't continue from the predictions in FILE")
    option("--score", type=Path, metavar="FILE", help="run nothing; score the predictions in FILE")


def _add_report_options(parser: argparse.ArgumentParser) -> None:
    reports = parser.add_argument_group("what is reported")
    option = reports.add_argument
    option("--metrics", metavar="NAME[,NAME]", help="all, or names (default: words,same_words)")
    option("--baseline", metavar="NAME", help="the system others are compared with (default: the first)")
    option(
        "--by",
        metavar="WHAT[,WHAT]",
        help="group also by dataset, type, language, site (default: those with several values, except site)",
    )
    option("-f", "--format", choices=FORMATS, default="table", help="what to print (default: table)")
    option("--out", type=Path, metavar="FOLDER", help="write predictions, CSV files, report.json and report.html here")


def _evaluate(args: argparse.Namespace, *, defaults: Mapping[str, object]) -> int:
    if not args.list and (missing := [name for name in EXTRA if importlib.util.find_spec(name) is None]):
        raise Failure(USAGE, f"evaluate needs {', '.join(missing)}: pip install 'webmain[train]'")
    from webmain.evaluation.gold import GoldError
    from webmain.evaluation.predictions import PredictionsError
    from webmain.evaluation.systems import UnknownSystem

    with failing(USAGE, UnknownSystem, PredictionsError), failing(NOT_FOUND, GoldError):
        if args.list:
            _print_lists()
            return OK
        if args.rendered and not args.protocol:
            raise Failure(USAGE, "--rendered is only for --protocol svm_visual and svm_sites")
        if args.protocol:
            _refuse_ignored(args, defaults)
            return _protocol(args)
        if not args.gold:
            raise Failure(USAGE, "no gold data was given; see webmain evaluate --help")
        return compare(args)


def _print_lists() -> None:
    from webmain.evaluation import systems
    from webmain.evaluation.gold import FORMATS as GOLD_FORMATS
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
    print("protocols:")
    for name in PROTOCOLS:
        print(f"  {name:<24} {(_module(name).__doc__ or '').strip().partition(chr(10))[0]}")
    print(f"groupings: {', '.join(GROUPINGS)}")
    print(f"formats of gold data: {', '.join(GOLD_FORMATS)}")
    print(f"formats of reports: {', '.join(FORMATS)}")


# ---- protocols


def _module(protocol: str) -> Any:
    from webmain.evaluation.protocols import PROTOCOLS

    if protocol not in PROTOCOLS:
        raise Failure(USAGE, f"protocol: got {protocol!r}, allowed are {', '.join(PROTOCOLS)}")
    return importlib.import_module(PROTOCOLS[protocol])


def _refuse_ignored(args: argparse.Namespace, defaults: Mapping[str, object]) -> None:
    """Raise `Failure` if options were given that a protocol would ignore."""
    ignored = [f"--{name}" for name, default in defaults.items() if getattr(args, name) != default]
    if ignored:
        raise Failure(USAGE, f"--protocol cannot be combined with {', '.join(ignored)}")
    if args.limit is not None and not args.gold:
        raise Failure(USAGE, "--limit samples GOLD: give GOLD, or leave it out")


def _protocol(args: argparse.Namespace) -> int:
    from webmain.evaluation import html_report, writers
    from webmain.evaluation.gold import GoldError, read_gold
    from webmain.evaluation.scoring import sample

    module = _module(args.protocol)
    takes_rendered = "path" in inspect.signature(module.run).parameters
    if args.rendered and not takes_rendered:
        raise Failure(USAGE, f"protocol {args.protocol}: it does not use rendered pages; give GOLD")
    if not args.gold and not takes_rendered:
        raise Failure(USAGE, "no gold data was given; see webmain evaluate --help")
    rendered = {"path": args.rendered} if args.rendered else {}
    gold = read_gold(args.gold) if args.gold else None
    pages = sample(gold, args.limit, seed=args.seed) if gold else []
    if gold and not pages and not rendered:
        raise GoldError(f"the gold data holds no usable page: {gold.dropped}")
    if sys.stderr.isatty():
        notify(f"{args.protocol} runs over {len(pages)} gold pages")
    try:
        findings: Findings = module.run(pages, seed=args.seed, **rendered)
    except ValueError as error:  # the gold is not what the protocol needs
        raise GoldError(f"protocol {args.protocol}: {error}") from error
    if findings.n_pages == 0:
        raise GoldError("\n".join([f"protocol {args.protocol}: no page can be used", *bullets(findings.notes)[2:]]))
    facts = {
        "protocol": findings.protocol,
        "gold": [path.name for path, _ in gold.sources] if gold else [],
        "digest": gold.digest if gold else "",
        "notes": list(findings.notes),
    }
    forms = {
        "table": lambda: "\n".join([*map(writers.text, findings.tables), *bullets(findings.notes)]),
        "csv": lambda: writers.csv_text(writers.long_table(findings.tables)),
        "json": lambda: writers.json_text(findings.tables, facts),
        "html": lambda: html_report.findings_page(findings),
    }
    files = {_file_name(args.protocol, t.name) + ".csv": writers.csv_text(t) for t in findings.tables}
    files |= {_file_name(args.protocol, plot.name) + ".svg": plot.picture + "\n" for plot in findings.plots}
    publish(args, forms, files, args.protocol)
    return OK


def _file_name(protocol: str, table: str) -> str:
    """Return the name of a table's file; most tables' names start with their protocol's."""
    return table if table.partition("_")[0] == protocol.partition("_")[0] else f"{protocol}_{table}"
