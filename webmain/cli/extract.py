"""`webmain extract`: print the articles of pages."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, TextIO

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, Commands, Failure, failing
from webmain.cli.outputs import add_output, is_file, output
from webmain.cli.sources import ArchivePages, add_source, is_archive, non_negative_int, notify, read_page
from webmain.items import ANY_TYPE, PAGE_TYPES, Article, Rejected
from webmain.items.keep import DEFAULT_KEEP, Keep
from webmain.text.terminal import counted, plain, without_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tqdm import tqdm

    from webmain.items import Page

MANY = 16  # number of sources from which starting several processes is worthwhile


def add(commands: Commands) -> None:
    """Add the command."""
    extract = commands.add_parser(
        "extract",
        help="print the articles of pages",
        description="Print the articles of pages, given as web addresses, HTML files, WARC files, folders, or "
        "patterns matching such files.",
    )
    add_source(extract, several=True)
    option = extract.add_argument
    option(
        "-f",
        "--format",
        choices=("text", "markdown", "json"),
        default="text",
        help="what to print (default: text); json is one record, or one per line if there are several pages; "
        "between the texts of several stands a line of 72 hyphens; control characters are removed from text and markdown",
    )
    add_output(extract)
    option(
        "--keep",
        type=_keep,
        default=DEFAULT_KEEP,
        metavar="NAMES",
        help="what to keep besides running text, separated by commas: captions, links, images, comments; "
        "tables and lists are kept unless no-tables or no-lists is given; no-captions removes captions",
    )
    option("--words", action="store_true", help="also list the most frequent words with their counts")
    option(
        "--require",
        choices=(*PAGE_TYPES, ANY_TYPE),
        metavar="KIND",
        help=f"reject other pages: {', '.join(PAGE_TYPES)}",
    )
    option(
        "-j",
        "--jobs",
        type=non_negative_int,
        metavar="N",
        help="worker processes; 0: none, all in this process (default: one per core for archives, folders and "
        f"{MANY} or more sources, else 0)",
    )
    extract.set_defaults(run=_extract)


def _keep(text: str) -> Keep:
    """Return what is kept, from its names (an argument's type)."""
    try:
        return Keep.of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("keep: ")) from error


def _extract(args: argparse.Namespace) -> int:
    with output(args.output, args.source) as file:
        code, n_articles = _print_all(args, file)
        if is_file(args.output) and not n_articles:
            raise Failure(code, f"no article; {args.output} is left as it is")
    return code


def _print_all(args: argparse.Namespace, file: TextIO) -> tuple[int, int]:
    """Print the articles; return the exit code, and how many there were."""
    from webmain import TOP_WORDS
    from webmain.extraction import Options
    from webmain.processes.batch import BatchOptions, cores, run_batch
    from webmain.processes.pool import PoolError
    from webmain.sites.matching import matched_keys

    has_archives = any(map(is_archive, args.source))
    jobs = args.jobs
    if jobs is None:
        jobs = cores() if has_archives or len(args.source) >= MANY else 0
    batch = BatchOptions(
        extractor=args.extractor,
        options=Options(
            metadata=args.format != "text" or args.words or args.sites is not None,
            keep=args.keep,
            max_bytes=args.max_bytes,
            timeout_s=args.timeout,
            top_words=TOP_WORDS if args.words else None,
            sites=args.sites,
            require=args.require,
        ),
        models=args.models,
        notes_missing=args.extractor is not None,
    )
    several = has_archives or len(args.source) > 1
    names: deque[str] = deque()
    missing: list[str] = []
    notes: set[str] = set()
    counts: Counter[str] = Counter()
    bar = _bar(None if has_archives else len(args.source)) if several and sys.stderr.isatty() else None
    running = contextlib.closing(run_batch(_pages(args, names, missing), batch, jobs=jobs))
    with bar or contextlib.nullcontext(), failing(NOT_FOUND, PoolError), running as found:
        for answer in found:
            if bar is not None:
                bar.clear()
            name = names.popleft()
            if answer.note and answer.note not in notes:
                notes.add(answer.note)
                notify(answer.note)
            if isinstance(answer.found, Rejected):
                notify(f"{name}: rejected: {answer.found}")
            else:
                if counts["article"] and args.format != "json":
                    file.write("\n" + "-" * 72 + "\n\n")
                file.write(_printed(answer.found, args.format, several=several))
                if missed := [key for key, matched in matched_keys(answer.found).items() if not matched]:
                    notify(f"{name}: rules that matched nothing: {', '.join(missed)}")
            counts["article" if isinstance(answer.found, Article) else answer.found.reason.value] += 1
            if bar is not None:
                bar.update()
    n_rejected = counts.total() - counts["article"]
    if has_archives:
        reasons = ", ".join(f"{n} {reason}" for reason, n in counts.most_common() if reason != "article")
        notify(f"{counted(counts['article'], 'article')}, {n_rejected} rejected" + (f" ({reasons})" if reasons else ""))
    return NOT_FOUND if missing else REJECTED if n_rejected else OK, counts["article"]


def _bar(total: int | None) -> tqdm[Any]:
    """Return a progress bar of pages."""
    from tqdm import tqdm

    return tqdm(total=total, unit=" pages", file=plain(sys.stderr), leave=False)


def _pages(args: argparse.Namespace, names: deque[str], missing: list[str]) -> Iterator[Page]:
    """Yield the pages of all sources, adding their names, and messages on what cannot be fetched or read."""
    for source in args.source:
        problems: list[str] = []
        try:
            if is_archive(source):
                archive = ArchivePages(source, max_bytes=args.max_bytes)
                for page in archive:
                    names.append(page.url or source)
                    yield page
                problems = archive.problems
            else:
                page = read_page(source, args)
                names.append(source)
                yield page
        except Failure as error:
            problems = [str(error)]
        for problem in problems:
            missing.append(problem)
            notify(problem)


def _printed(article: Article, form: str, *, several: bool) -> str:
    """Return an article as it is printed."""
    if form == "json":
        return article.to_json(indent=None if several else 2) + "\n"
    text = without_controls(article.to_markdown().rstrip() if form == "markdown" else article.text) + "\n"
    return text + "\n" + without_controls(_table(article, form)) + "\n" if article.words else text


def _table(article: Article, form: str) -> str:
    """Return the words of an article with their counts."""
    if form == "markdown":
        return "\n".join(["| word | count |", "| --- | ---: |", *(f"| {w.word} | {w.count} |" for w in article.words)])
    return "\n".join(f"{w.count:6}  {w.word}" for w in article.words)
