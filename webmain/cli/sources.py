"""Arguments that several commands have: pages from the web, files or standard input, filters of stored articles, numbers."""

from __future__ import annotations

import argparse
import gzip
import io
import math
import re
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote

from webmain import MAX_BYTES, TIMEOUT_S, __version__
from webmain.cli.exits import NOT_FOUND, USAGE, Failure
from webmain.files import reason_of
from webmain.items import Page
from webmain.store import search_records
from webmain.text.terminal import counted, one_line
from webmain.urls import split_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from webmain.archive.warc import Skip
    from webmain.sites.rules import Sites
    from webmain.store.protocol import Store

T = TypeVar("T", int, float)

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)

MAX_DAMAGES = 10  # most damaged records of an archive that are listed in messages
MODELS = "models/sites"  # default folder of site models
STORE = "sqlite:output/articles.db"  # default store of crawls; those of several sites may write to it at the same time
CORRECTIONS = "output/corrections.jsonl"  # default file of corrections


def named(text: str) -> str:
    """Return the name of a file, page, site or store (an argument's type); nothing may not be given, as by `"$UNSET"`."""
    if not text.strip():
        raise argparse.ArgumentTypeError("got nothing, allowed is a name")
    return text


def notify(message: object) -> None:
    """Print a message for people on standard error, each of its lines as a message of its own."""
    for line in str(message).splitlines():
        print(f"webmain: {line}", file=sys.stderr)


def add_crawl(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say what a crawl does: its sites, its store, its arguments and settings."""
    option = parser.add_argument
    option("site", nargs="+", metavar="SITE", help="a domain or address; old.com=new.com is one site")
    option("--store", default=STORE, help=f"the crawl's store, with its ledger next to it ({STORE})")
    option("-a", action="append", default=[], metavar="NAME=VALUE", help="an argument of the crawl")
    option("-s", action="append", default=[], metavar="NAME=VALUE", help="a setting of the crawl")


def pairs(flag: str, given: list[str], refused: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return pairs from "NAME=VALUE" texts; raise if one is malformed or names what the command itself sets."""
    found = []
    for each in given:
        name, equals, value = each.partition("=")
        if not name or not equals:
            raise ValueError(f"{flag} {each}: allowed is NAME=VALUE")
        if name in refused:
            raise ValueError(f"{flag} {name}: {refused[name]}")
        found.append((name, value))
    return found


def settings_of(given: list[str], refused: Mapping[str, str]) -> dict[str, str]:
    """Return a crawl's settings from "NAME=VALUE" texts; raise ValueError if one is wrong."""
    from scrapy.settings import BaseSettings

    from webmain.checks import wrong_settings

    settings = dict(pairs("-s", given, refused))
    if problems := wrong_settings(BaseSettings(settings)):
        raise ValueError("\n".join(problems))
    return settings


def add_source(parser: argparse.ArgumentParser, *, several: bool, least: int = 1) -> None:
    """Add the arguments for the source of pages (with `several`, at least that many) and for extraction."""
    option = parser.add_argument
    option(
        "source",
        metavar="URL|FILE|-",
        type=named,
        nargs=("+" if least else "*") if several else 1,
        help="a web address (robots.txt is obeyed; private addresses are refused), an HTML file or its file: URL, "
        "or - for standard input",
    )
    option("-e", "--extractor", help="method, with options: pab, line_block:decision=sigma, module:Class ...")
    option(
        "--models",
        type=models_folder,
        default=MODELS,
        metavar="FOLDER",
        help=f"models of sites, for methods that learn ({MODELS})",
    )
    option("--sites", metavar="FILE", type=site_rules, help="file of rules for individual sites, such as sites.toml")
    option("--url", type=web_address, help="the page's address, if it is read from a file or standard input")
    option("--timeout", type=positive, default=TIMEOUT_S, metavar="S", help="most CPU seconds per page (10)")
    option("--max-bytes", type=positive_int, default=MAX_BYTES, metavar="N", help="most bytes per page (10 MiB)")
    option("--contact", help="your e-mail or web address, sent in the user agent when a page is fetched")
    option(
        "--allow-private",
        action="store_true",
        help="also fetch from private and loopback addresses (or WEBMAIN_ALLOW_PRIVATE=1 in the environment)",
    )
    option("--ignore-robots", action="store_true", help="don't read robots.txt (for your own site)")


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add --site, --lang, --since and --until."""
    option = parser.add_argument
    option("--site", type=search_records.read_site, help="only this site, such as bbc.co.uk")
    option("--lang", type=_name, metavar="CODE", help="only this detected language, such as th")
    option(
        "--since", type=read_day, metavar="DATE", help="published on this day or later: 2026-11-01, 12h (ago), 3d, 2w"
    )
    option("--until", type=read_day, metavar="DATE", help="published on this day or earlier")


def period(args: argparse.Namespace) -> tuple[datetime | None, datetime | None]:
    """Return the times of --since and --until: from the first on, and before the second."""
    try:
        return search_records.period_of(args.since, args.until)
    except search_records.EmptyPeriodError:
        raise Failure(USAGE, "--since is not earlier than --until: no article can be found") from None


def read_day(text: str) -> search_records.Day:
    """Return a date, a time, or a number of hours, days or weeks ago (an argument's type)."""
    try:
        return search_records.read_day(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def none_selected(store: Store, filters: search_records.Filters) -> str:
    """Return the message that no article is selected, with each site, language and method that no article has."""
    alone = search_records.Filters()
    given = ((name, value) for name, _, value in search_records.equality_filters(filters))
    absent = [
        f"{name} {one_line(value)}"
        for name, value in given
        if next(store.selected(replace(alone, **{name: value})), None) is None  # type: ignore[arg-type]
    ]
    return "no article is selected" + (f": none is of {', none of '.join(absent)}" if absent else "")


def _name(text: str) -> str:
    return text.strip().lower()


def site_rules(path: str) -> Sites:
    """Return the rules for single sites in a file (an argument's type)."""
    from webmain.sites.rules import SitesError, read_sites

    try:
        return read_sites(path)
    except SitesError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def models_folder(folder: str) -> str:
    """Return the folder of the models of sites (an argument's type); tell if it is not there, unless it is the default."""
    if folder != MODELS and not Path(folder).expanduser().is_dir():
        notify(f"--models {folder}: no such folder; no model of a site is used")
    return folder


def in_range(kind: type[T], least: float, most: float, allowed: str) -> Callable[[str], T]:
    """Return an argument's type: a number from `least` to `most`; the message says what is allowed."""

    def number(text: str) -> T:
        value = kind(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"got {text}, allowed {allowed}")
        return value

    return number


positive = in_range(float, math.ulp(0.0), math.inf, "is a positive number")
positive_int = in_range(int, 1, math.inf, "is a positive whole number")
non_negative_int = in_range(int, 0, math.inf, "is a whole number from 0")


def web_address(text: str) -> str:
    """Return a web address (an argument's type)."""
    address = text.strip()
    host = split_url(address).hostname or ""
    if not host or not address.lower().startswith(("http://", "https://")) or any(c.isspace() for c in host):
        raise argparse.ArgumentTypeError(f"{text!r} is not a web address, such as https://example.org/story")
    return address


def read_page(source: str, args: argparse.Namespace) -> Page:
    """Return one page: from the web, a file, or standard input; raises `Failure` if it cannot be fetched or read."""
    is_local = not source.lower().startswith(("http://", "https://"))
    if is_local and args.sites is not None and not args.url:
        notify(f"{source}: rules of --sites are chosen by the page's address; give it with --url")
    if not is_local:
        from webmain.net.addresses import allows_private
        from webmain.net.errors import FetchError, PrivateAddress
        from webmain.net.fetch import fetch

        agent = f"webmain/{__version__}" + (f" (+{args.contact})" if args.contact else "")
        try:
            return fetch(
                source,
                user_agent=agent,
                max_bytes=args.max_bytes,
                allow_private=args.allow_private or allows_private(),
                obey_robots=not args.ignore_robots,
            )
        except FetchError as error:
            advice = "; --allow-private permits it" if isinstance(error, PrivateAddress) else ""
            raise Failure(NOT_FOUND, f"{source}: {error}{advice}") from error
    if is_archive(source):
        raise Failure(
            USAGE, f"{source}: allowed is a single page; webmain extract takes archives, folders and patterns"
        )
    try:
        with _standard_input(args.max_bytes) if source == "-" else local_file(source).open("rb") as file:
            is_packed = file.peek(2).startswith(b"\x1f\x8b")
            return Page(url=args.url, body=(gzip.open(file) if is_packed else file).read(args.max_bytes + 1))
    except (OSError, EOFError, zlib.error) as error:
        is_absent = isinstance(error, FileNotFoundError) and "." in source.partition("/")[0]
        advice = "; a web address begins with https://" if is_absent else ""
        raise Failure(NOT_FOUND, f"{source}: {reason_of(error)}{advice}") from error


def _standard_input(max_bytes: int) -> io.BufferedReader:
    """Return standard input as a file, with one byte more than allowed at most."""
    return io.BufferedReader(io.BytesIO(sys.stdin.buffer.read(max_bytes + 1)))


class ArchivePages:
    """The pages of a WARC file, a folder of HTML files, or a pattern matching such files."""

    def __init__(self, source: str, *, max_bytes: int = MAX_BYTES) -> None:
        # after the last page: what could not be read, at most `MAX_DAMAGES`; one message if there was no page at all
        self.problems: list[str] = []
        self._source, self._max_bytes = source, max_bytes
        self._n_pages = self._n_other = 0

    def __iter__(self) -> Iterator[Page]:
        """Yield pages; tell how many other files a folder has."""
        from webmain.archive.warc import ArchiveError, read_pages

        try:
            for page in read_pages(self._source, on_skip=self._note, max_bytes=self._max_bytes):
                self._n_pages += 1
                yield page
        except ArchiveError as error:
            self.problems = [str(error)]
        else:
            if self._n_other:
                files = counted(self._n_other, "other file")
                notify(f"{self._source}: {files} without the name of a page (such as .html) passed over")
            if not self._n_pages and not self.problems:
                self.problems = [f"{self._source}: contains no readable page"]

    def _note(self, why: Skip, where: str | None) -> None:
        self._n_other += why.value == "other_file"
        if why.value in ("damaged", "unreadable") and len(self.problems) < MAX_DAMAGES:
            self.problems.append(f"{where}: {why.value}")


def is_archive(source: str) -> bool:
    """Return True if a source may contain several pages: a WARC file, a folder or a pattern."""
    from webmain.archive.warc import is_archive_name

    if source == "-" or "://" in source:
        return False
    place = Path(source).expanduser()
    return place.is_dir() or is_archive_name(source) or (any(c in source for c in "*?[") and not place.exists())


def local_file(source: str) -> Path:
    """Return the file that a name or a `file:` URL refers to."""
    scheme = _SCHEME.match(source)
    if source.lower().startswith("file:"):
        parts = split_url(source)
        if not parts.path or parts.netloc not in ("", "localhost"):
            raise Failure(NOT_FOUND, f"{source}: a file: URL names a file of this machine: file:///folder/page.html")
        return Path(unquote(parts.path))
    if scheme:
        raise Failure(NOT_FOUND, f"{source}: only http and https addresses are fetched, not {scheme[1].lower()}")
    return Path(source)
