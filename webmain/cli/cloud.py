"""`webmain cloud`: the most frequent words of pages or stored articles, or those typical of them, as a table or a picture."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, USAGE, Commands, Failure, failing
from webmain.cli.outputs import add_output, is_file, output, refuse_inputs
from webmain.cli.search import DEFAULT_STORE
from webmain.cli.sources import add_filters, add_source, in_range, named, none_selected, notify, positive_int, read_page
from webmain.items import Article
from webmain.store.search_records import EmptyPeriodError, period_of, read_day, read_site
from webmain.text.terminal import counted, one_line, pad

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webmain.cloud.counting import Counts
    from webmain.cloud.records import Cloud
    from webmain.cloud.selecting import Against, Scope

FORMATS = ("table", "json", "html", "svg", "png")
MAX_PX = 4_000  # longer side of a picture

PIXELS = in_range(int, 50, MAX_PX, f"are 50 to {MAX_PX:,}")

_KEYS = ("store", "site", "lang", "since", "until", "query", "article")


def add(commands: Commands) -> None:
    """Add the command."""
    cloud = commands.add_parser(
        "cloud",
        help="draw a word cloud of pages or stored articles",
        description="Count the words of pages, or of stored articles, and print or draw the most frequent ones, or those "
        "that are typical of them against others (log-likelihood).",
    )
    add_source(cloud, several=True, least=0)
    option = cloud.add_argument
    option("--store", metavar="STORE", help=f"sqlite:PATH or jsonl:PATH, if no page is given ({DEFAULT_STORE})")
    add_filters(cloud)
    option("--query", default="", help="only articles with a block that has these words (sqlite)")
    option("--article", default="", metavar="ID", help="only this article")
    option(
        "--against",
        type=named,
        metavar="OTHERS",
        help="what to compare with: rest (of the store), site=bbc.co.uk,since=30d (also lang, until, query, "
        "article, store), another store, or a page",
    )
    option("--under", action="store_true", help="show the words that are rarer than in OTHERS")
    option("--top", type=positive_int, default=100, metavar="N", help="most words to show (100)")
    option("--stopwords", metavar="FILE", type=_stopwords, help="your own stop words, by language")
    option("-f", "--format", choices=FORMATS, help="output format (default: by the suffix of FILE, else table)")
    add_output(cloud)
    option("--order", choices=("weight", "alphabet", "text"), help="order of the words in html and in lines")
    option("--shape", choices=("packed", "lines"), default="packed", help="layout of a picture (packed)")
    option("--width", type=PIXELS, default=900, metavar="PX", help="width of a picture (900)")
    option("--height", type=PIXELS, default=500, metavar="PX", help="height of a picture (500)")
    option("--colours", choices=("light", "dark", "ink"), default="light", help="colours of a picture (light)")
    option("--font", action="append", default=[], metavar="FILE", help="a font to use before all others")
    cloud.set_defaults(run=_run)


def _stopwords(path: str) -> Mapping[str, frozenset[str]]:
    """Return a user's stop words (an argument's type)."""
    from webmain.text.stopwords import StopWordFileError, read_stopwords

    try:
        return read_stopwords(path)
    except StopWordFileError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _run(args: argparse.Namespace) -> int:
    from webmain.cloud.records import CloudError
    from webmain.store.protocol import StoreError
    from webmain.store.query import QueryError

    with failing(USAGE, EmptyPeriodError, QueryError), failing(NOT_FOUND, StoreError, CloudError):
        form = _format(args)
        refuse_inputs(args.output, _inputs(args))
        return _write(_Pages(args), args, form)


def _write(pages: _Pages, args: argparse.Namespace, form: str) -> int:
    cloud = _cloud(pages, args)
    if not cloud.words:
        notify("no words to show" + ("" if cloud.n_articles else f": {_none_selected(args)}"))
        return REJECTED
    if cloud.uncertain:
        notify(f"counts may be too small by up to {cloud.uncertain:,}: rare words were dropped to save memory")
    made = _drawn(cloud, args, form)
    with output(args.output, ()) as file:
        if isinstance(made, bytes):
            file.buffer.write(made)
        else:  # the name of a store may be no text
            file.write(made.encode(errors="replace").decode())
    return REJECTED if pages.n_rejected else OK


def _inputs(args: argparse.Namespace) -> list[str]:
    """Return the pages, stores and fonts that are read."""
    others = {} if args.against is None else _filters(args.against) or {"store": args.against}
    stores = [] if args.source else [args.store or DEFAULT_STORE]
    return [*args.source, *stores, *filter(None, [args.store, others.get("store")]), *args.font]


def _format(args: argparse.Namespace) -> str:
    """Return the requested format, or the one of the file's suffix if none is given."""
    form: str | None = args.format
    if form is None and is_file(args.output):
        form = {"htm": "html", "txt": "table"}.get(suffix := Path(args.output).suffix.lower()[1:], suffix)
        if form not in FORMATS:
            raise Failure(USAGE, f"{args.output}: its suffix names no format; give one with -f: {', '.join(FORMATS)}")
    if form == "png" and not is_file(args.output) and sys.stdout.isatty():
        raise Failure(USAGE, "a PNG cannot be shown on a terminal: write it to a file with -o")
    return form or "table"


class _Pages:
    """The articles of pages; an unreadable source is an error, a page without an article is reported and counted."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self.titles: list[str] = []
        self.n_rejected = 0

    def count(self, sources: list[str]) -> Counts:
        """Count the words of the articles."""
        from webmain.cloud.counting import count

        return count(self._articles(sources), own_stopwords=self._args.stopwords)

    def _articles(self, sources: list[str]) -> Iterator[Article]:
        from webmain.extraction import Options
        from webmain.processes.batch import BatchOptions, run_batch

        args = self._args
        options = Options(max_bytes=args.max_bytes, timeout_s=args.timeout, sites=args.sites)
        batch = BatchOptions(
            extractor=args.extractor, options=options, models=args.models, notes_missing=args.extractor is not None
        )
        pages = (read_page(source, args) for source in sources)
        for source, answer in zip(sources, run_batch(pages, batch, jobs=0), strict=True):
            if answer.note:
                notify(answer.note)
            if isinstance(answer.found, Article):
                self.titles.append(answer.found.title or source)
                yield answer.found
            else:
                self.n_rejected += 1
                notify(f"{source}: rejected: {answer.found}")


def _cloud(pages: _Pages, args: argparse.Namespace) -> Cloud:
    """Count the words of the requested articles, and compare them."""
    from webmain.cloud.selecting import REST, cloud_for

    against: Against = None
    if args.against is not None:
        others = _filters(args.against)
        if args.against == REST:
            against = REST
        elif others is not None:
            against = _scope(others, args.store)
    elif args.under:
        raise Failure(USAGE, "--under needs --against")
    own: dict[str, Any] = {key: value for key in _KEYS if (value := vars(args)[key])}
    what: Scope | Counts
    if args.source:
        if own:
            raise Failure(USAGE, f"--{', --'.join(own)}: only for articles of a store, not for pages")
        what = pages.count(args.source)
    else:
        what = _scope(own, None)
    title = pages.titles[0] if len(pages.titles) == 1 else "" if not args.source else f"{len(pages.titles)} pages"
    if args.against is not None and against is None:
        against = pages.count([args.against])
    return cloud_for(what, against=against, top=args.top, under=args.under, title=title, own_stopwords=args.stopwords)


def _none_selected(args: argparse.Namespace) -> str:
    """Return the message that no article is selected."""
    from webmain.store.registry import open_store

    if args.source:
        return "no article is selected"
    scope = _scope(vars(args), None)
    with open_store(scope.store, read_only=True) as store:
        return none_selected(store, scope.filters)


def _filters(text: str) -> dict[str, Any] | None:
    """Return what to compare with: a store, or filters of one; None for a page."""
    from webmain.store.registry import SCHEMES

    if text.partition(":")[0] in SCHEMES:
        return {"store": text}
    parts = [part.partition("=") for part in text.split(",")]
    if parts[0][0].strip() not in _KEYS or not parts[0][1]:
        return None
    found: dict[str, Any] = {name.strip(): value.strip() for name, _, value in parts}
    if unknown := [name for name in found if name not in _KEYS]:
        raise Failure(USAGE, f"--against: {unknown[0]!r} is none of {', '.join(_KEYS)}")
    for name in ("since", "until"):
        if name in found:
            try:
                found[name] = read_day(found[name])
            except ValueError as error:
                raise Failure(USAGE, f"--against: {name}: {error}") from error
    if "site" in found:
        found["site"] = read_site(found["site"])
    return found


def _scope(found: Mapping[str, Any], store: str | None) -> Scope:
    """Return the articles that filters select."""
    from webmain.cloud.selecting import Scope
    from webmain.store.search import Filters

    since, until = period_of(found.get("since"), found.get("until"))
    return Scope(
        store=found.get("store") or store or DEFAULT_STORE,
        filters=Filters(site=found.get("site"), language=found.get("lang"), since=since, until=until),
        query=found.get("query", ""),
        article=found.get("article", ""),
    )


def _drawn(cloud: Cloud, args: argparse.Namespace, form: str) -> str | bytes:
    """Return a cloud in a format."""
    from webmain.cloud.markup import Order, cloud_page
    from webmain.cloud.pictures import PictureOptions, Shape, cloud_png, cloud_svg

    if form == "table":
        return _table(cloud)
    if form == "json":
        return json.dumps(cloud.to_dict(), ensure_ascii=False, indent=2) + "\n"
    if form == "html":
        return cloud_page(cloud, order=args.order or Order.ALPHABET)
    options = PictureOptions(
        width=args.width,
        height=args.height,
        shape=Shape(args.shape),
        order=Order(args.order or Order.WEIGHT),
        colours=args.colours,
        fonts=tuple(args.font),
    )
    return cloud_png(cloud, options) if form == "png" else cloud_svg(cloud, options)


def _table(cloud: Cloud) -> str:
    """Return a cloud as a table: words with their counts, and their differences if two sides are compared."""
    head = f"{'':>4}  {pad('word', 24)} {'count':>8} {'articles':>8}"
    compares = any(one.keyness for one in cloud.words)
    rows = [one_line(cloud.title), head + (f" {'others':>8} {'log-lik.':>9} {'log ratio':>9}" if compares else "")]
    for rank, one in enumerate(cloud.words, 1):
        row = f"{rank:>4}  {pad(one.word, 24)} {one.count:>8,} {one.n_articles:>8,}"
        if key := one.keyness:
            row += f" {key.count_against:>8,} {key.log_likelihood:>9.1f} {key.log_ratio:>+9.2f}"
        rows.append(row)
    rows.append(f"{counted(cloud.n_articles, 'article')}, {cloud.n_words:,} words")
    return "\n".join(rows) + "\n"
