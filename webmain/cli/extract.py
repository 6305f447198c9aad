"""`webmain extract`: print the article of a page."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from webmain.cli.exits import NOT_FOUND, OK, REJECTED
from webmain.cli.sources import NotFoundError, add_source, judge_of, read_page
from webmain.items import Article, Rejected
from webmain.keep import DEFAULT_KEEP, Keep

if TYPE_CHECKING:
    from webmain.cli import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    extract = commands.add_parser(
        "extract", help="print the article of a page", description="Print the article of a page."
    )
    add_source(extract, several=True)
    extract.add_argument(
        "-f",
        "--format",
        choices=("text", "markdown", "json"),
        default="text",
        help="what to print (default: text); json prints one record, or one a line where there are several sources",
    )
    extract.add_argument(
        "--keep",
        type=_keep,
        default=DEFAULT_KEEP,
        metavar="NAMES",
        help="what beside running text is kept, separated by commas: captions, links, images, comments; "
        "tables and lists are (no-tables, no-lists), captions are as the method judges (no-captions)",
    )
    extract.set_defaults(run=_extract)


def _keep(text: str) -> Keep:
    """Read names of what is kept (an argument's type)."""
    try:
        return Keep.of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("keep: ")) from error


def _extract(args: argparse.Namespace) -> int:
    from webmain import stages
    from webmain.extractors.registry import create

    extractor = create(args.extractor)
    worst = OK
    for number, source in enumerate(args.source):
        try:
            page = read_page(source, args)
            document = stages.read(page, timeout_s=args.timeout, max_bytes=args.max_bytes)
            judged = stages.merge(stages.judge(document, judge_of(document, extractor, args)))
            article = stages.compose(judged, keep=args.keep)
        except (NotFoundError, Rejected) as error:
            worst = max(worst, NOT_FOUND if isinstance(error, NotFoundError) else REJECTED)
            name = "" if isinstance(error, NotFoundError) else f"{source}: rejected: "
            print(f"webmain: {name}{error}", file=sys.stderr)
            continue
        _print_article(article, args.format, first=number == 0, several=len(args.source) > 1)
    return worst


def _print_article(article: Article, form: str, *, first: bool, several: bool) -> None:
    if form == "json":
        print(article.to_json(indent=None if several else 2))
        return
    if several and not first:
        print("\n" + "-" * 72 + "\n")
    print(article.to_markdown().rstrip() if form == "markdown" else article.text)
