"""`webmain search`: find blocks of stored articles. `webmain index`: bring their index up to date."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from webmain.cli.exits import NOT_FOUND, OK, UNWRITTEN, USAGE, Commands, failing
from webmain.cli.sources import add_filters, non_negative_int, notify, period, positive_int
from webmain.files import StoreError, StoreLockedError, StoreWriteError
from webmain.text.terminal import counted, one_line, plain, printable, shows_colours

if TYPE_CHECKING:
    from webmain.store.search import BlockIndex
    from webmain.store.search_records import Results

DEFAULT_STORE = "sqlite:output/articles.db"


def add(commands: Commands) -> None:
    """Add both commands."""
    search = commands.add_parser(
        "search",
        help="find blocks of stored articles",
        description="Find blocks of stored articles by their words, ranked by block priority times keyword density.",
    )
    option = search.add_argument
    option("query", nargs="+", help='words and "phrases" that a block must contain, all of them')
    add_database(search)
    option("-n", "--limit", type=positive_int, default=10, metavar="N", help="results to show (10)")
    option("--offset", type=non_negative_int, default=0, metavar="N", help="results to skip (0)")
    option("--any", action="store_true", help="a block needs only one of the words")
    option("--blocks", action="store_true", help="show every matching block, not only each article's best one")
    add_filters(search)
    option("--method", help="only articles extracted by this method: pab")
    option("--no-update", action="store_true", help="don't add new articles to the index first")
    option("-f", "--format", choices=("table", "json"), default="table", help="what to print (table)")
    search.set_defaults(run=_search)
    index = commands.add_parser(
        "index",
        help="bring the index of stored articles up to date",
        description="Add new and revised articles to the search index; `webmain search` does this automatically.",
    )
    add_database(index)
    index.add_argument("--rebuild", action="store_true", help="build the index anew: smaller after many revisions")
    index.set_defaults(run=_index)


def add_database(parser: argparse.ArgumentParser) -> None:
    """Add --store for commands that need SQLite."""
    parser.add_argument("--store", default=DEFAULT_STORE, metavar="sqlite:PATH", help=f"the database ({DEFAULT_STORE})")


def _search(args: argparse.Namespace) -> int:
    from webmain.store.query import QueryError, read_query
    from webmain.store.search import Filters, open_index

    since, until = period(args)
    filters = Filters(site=args.site, language=args.lang, method=args.method, since=since, until=until)
    absent: dict[str, str] = {}
    with failing(NOT_FOUND, StoreError), failing(USAGE, QueryError):
        query = read_query(" ".join(args.query))
        with open_index(args.store, read_only=args.no_update) as index:
            if not args.no_update:
                _update(index)
            results = index.search(
                query,
                limit=args.limit,
                offset=args.offset,
                filters=filters,
                match="any" if args.any else "all",
                per="block" if args.blocks else "page",
            )
            if not results.n_blocks:
                absent = index.absent(filters)
    if results.unindexed:
        notify(f"{counted(results.unindexed, 'article')} not in the index yet, and not searched")
    for name, value in absent.items():
        notify(f"no article of {name} {one_line(value)} in this store")
    if args.format == "json":
        print(json.dumps({"query": query.text, **results.to_dict()}, ensure_ascii=False, indent=2))
    else:
        _print(results, args.offset)
    return OK


def _index(args: argparse.Namespace) -> int:
    from webmain.store.search import open_index

    with failing(NOT_FOUND, StoreError), failing(UNWRITTEN, StoreWriteError), open_index(args.store) as index:
        n = index.rebuild(_progress) if args.rebuild else index.update(_progress)
    print(f"{counted(n, 'article')} added to the index")
    return OK


def _update(index: BlockIndex) -> None:
    """Update the index if that is possible; missing articles are reported after the search."""
    try:
        index.update(_progress)
    except (StoreLockedError, StoreWriteError) as error:
        notify(f"the index was not updated: {error}")


def _progress(done: int, total: int) -> None:
    if total > 1_000 and sys.stderr.isatty():
        print(
            f"\rindexing: {done:,} of {total:,} articles",
            end="\n" if done >= total else "",
            file=plain(sys.stderr),
            flush=True,
        )


def _print(results: Results, offset: int) -> None:
    """Print results for people: rank, Bp, title; URL and origin; snippet."""
    on, off = ("\x1b[1m", "\x1b[0m") if shows_colours() else ("[", "]")
    if not results.n_blocks:
        print("nothing found", file=sys.stderr)
    elif not results.hits:
        print(f"no result after the first {offset:,}; found: {_found(results)}", file=sys.stderr)
    for hit in results.hits:
        print(f"{hit.rank:>3}. {hit.priority:.4f}  {one_line(hit.title or '(no title)')}")
        origin = " · ".join(filter(None, (hit.language, (hit.published or "")[:10], hit.extractor)))
        print(f"     {one_line(hit.url or hit.id)}  ({one_line(origin)})")
        pieces = ((printable(text), is_match) for text, is_match in hit.snippet.pieces())
        passage = "".join(f"{on}{text}{off}" if is_match else text for text, is_match in pieces)
        print(f"     {passage}\n", file=plain(sys.stdout))
    if results.hits:
        ranks = f"{results.hits[0].rank}-{results.hits[-1].rank}"
        print(f"results {ranks}; found: {_found(results)}")


def _found(results: Results) -> str:
    return f"{counted(results.n_pages, 'article')}, {counted(results.n_blocks, 'block')}"
