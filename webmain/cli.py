"""The command `webmain`: extract one page, explain a decision, check the installation.

Exit codes: 0 all pages gave an article; 1 a page was rejected; 2 the command was given wrongly; 3 a page could not be had;
4 the output could not be written.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from webmain import MAX_BYTES, TIMEOUT_S, __version__
from webmain.items import Article, Page, Rejected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webmain.extractors.base import Extraction

OK, REJECTED, USAGE, NOT_FOUND, UNWRITTEN = 0, 1, 2, 3, 4
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)


class _NotFoundError(Exception):
    """A source could not be read or fetched; the message is for people."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    from webmain.extractors.registry import UnknownExtractor

    parser = _parser()
    args = parser.parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except UnknownExtractor as error:
        parser.exit(USAGE, f"webmain: {error}\n")
    except BrokenPipeError:  # the reader of a pipe has gone: not an error of ours
        sys.stderr.close()
        return OK
    except OSError as error:
        print(f"webmain: the output can not be written: {error.strerror or error}", file=sys.stderr)
        _drop_stdout()
        return UNWRITTEN
    except KeyboardInterrupt:
        return 130


def _drop_stdout() -> None:
    """Let what is still buffered go nowhere, so that the interpreter does not complain at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webmain",
        description="News pages in, clean articles out. To crawl sites: scrapy crawl news -a site=bbc.com",
        epilog="exit codes: 0 done, 1 a page was rejected, 2 wrong usage, 3 a page could not be had, "
        "4 the output could not be written",
    )
    parser.add_argument("--version", action="version", version=f"webmain {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    extract = commands.add_parser(
        "extract", help="print the article of a page", description="Print the article of a page."
    )
    _add_source(extract, several=True)
    extract.add_argument(
        "-f",
        "--format",
        choices=("text", "markdown", "json"),
        default="text",
        help="what to print (default: text); json prints one record, or one a line where there are several sources",
    )
    extract.set_defaults(run=_extract)

    explain = commands.add_parser(
        "explain",
        help="show the verdict on every block of a page, and why",
        description="Show the method's blocks in order, each with its verdict, score, the paper's own quantity, and why.",
    )
    _add_source(explain, several=False)
    explain.add_argument("-f", "--format", choices=("table", "json"), default="table", help="what to print")
    explain.set_defaults(run=_explain)

    doctor = commands.add_parser("doctor", help="check that everything webmain needs is there and works")
    doctor.set_defaults(run=_doctor)
    return parser


def _add_source(parser: argparse.ArgumentParser, *, several: bool) -> None:
    parser.add_argument(
        "source",
        metavar="URL|FILE|-",
        nargs="+" if several else 1,
        help="a web address (fetched politely: robots.txt, no private addresses), an HTML file or its file: URL, "
        "or - for standard input",
    )
    parser.add_argument(
        "-e", "--extractor", help="method, with options: pab, line_block:decision=sigma, module:Class ..."
    )
    parser.add_argument("--url", help="the page's address, for a file or standard input")
    parser.add_argument("--timeout", type=_positive, default=TIMEOUT_S, metavar="S", help="seconds for extraction (10)")
    parser.add_argument("--max-bytes", type=_positive_int, default=MAX_BYTES, metavar="N", help="largest page (10 MiB)")
    parser.add_argument("--contact", help="your address, sent in the user agent when a page is fetched")
    parser.add_argument("--allow-private", action="store_true", help="also fetch from private and loopback addresses")
    parser.add_argument("--ignore-robots", action="store_true", help="don't ask robots.txt (your own site)")


def _positive(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"got {text}, allowed is a positive number")
    return value


def _positive_int(text: str) -> int:
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"got {text}, allowed is a positive whole number")
    return value


def _page(source: str, args: argparse.Namespace) -> Page:
    """Get one page: from the web, a file, or standard input."""
    if source == "-":
        return Page(url=args.url, body=sys.stdin.buffer.read(args.max_bytes + 1))
    if source.lower().startswith(("http://", "https://")):
        from webmain.net.errors import FetchError
        from webmain.net.fetch import fetch

        agent = f"webmain/{__version__}" + (f" (+{args.contact})" if args.contact else "")
        try:
            return fetch(
                source,
                user_agent=agent,
                max_bytes=args.max_bytes,
                allow_private=args.allow_private,
                obey_robots=not args.ignore_robots,
            )
        except FetchError as error:
            raise _NotFoundError(f"{source}: {error}") from error
    try:
        with _file(source).open("rb") as file:
            return Page(url=args.url, body=file.read(args.max_bytes + 1))
    except OSError as error:
        raise _NotFoundError(f"{source}: {error.strerror or error}") from error


def _file(source: str) -> Path:
    """Return the file that a name or a `file:` URL stands for."""
    scheme = _SCHEME.match(source)
    if source.lower().startswith("file:"):
        parts = urlsplit(source)
        if parts.netloc not in ("", "localhost"):
            raise _NotFoundError(f"{source}: a file: URL names a file of this machine: file:///folder/page.html")
        return Path(unquote(parts.path))
    if scheme:
        raise _NotFoundError(f"{source}: only http and https addresses are fetched, not {scheme[1].lower()}")
    return Path(source)


def _extract(args: argparse.Namespace) -> int:
    from webmain.extractors.registry import create
    from webmain.stages import extract_page

    extractor = create(args.extractor)
    worst = OK
    for number, source in enumerate(args.source):
        try:
            page = _page(source, args)
            article = extract_page(page, extractor, timeout_s=args.timeout, max_bytes=args.max_bytes)
        except (_NotFoundError, Rejected) as error:
            worst = max(worst, NOT_FOUND if isinstance(error, _NotFoundError) else REJECTED)
            name = "" if isinstance(error, _NotFoundError) else f"{source}: rejected: "
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


def _explain(args: argparse.Namespace) -> int:
    from webmain import stages
    from webmain.extractors.registry import create

    extractor = create(args.extractor)
    try:
        page = _page(args.source[0], args)
        document = stages.read(page, max_bytes=args.max_bytes, timeout_s=args.timeout)
        judged = stages.merge(stages.judge(document, extractor))
    except (_NotFoundError, Rejected) as error:
        print(f"webmain: {error}", file=sys.stderr)
        return NOT_FOUND if isinstance(error, _NotFoundError) else REJECTED
    rows = _rows(judged)
    if args.format == "json":
        print(json.dumps({"extractor": extractor.name, "url": page.url, "blocks": rows}, ensure_ascii=False, indent=2))
    else:
        _print_table(extractor.name, rows)
    return OK


def _rows(judged: Extraction) -> list[dict[str, object]]:
    """Return one record for each block."""
    return [
        {
            "block": block.index,
            "verdict": judged.verdict(block.index).value,
            "score": round(float(judged.score[block.index]), 4),
            "raw": round(float(judged.raw[block.index]), 4),
            "why": judged.why[block.index],
            "xpath": block.xpath,
            "text": block.text,
        }
        for block in judged.segmentation
    ]


def _print_table(name: str, rows: list[dict[str, object]]) -> None:
    kept = sum(row["verdict"] == "content" for row in rows)
    print(f"{name}: {len(rows)} blocks, {kept} kept\n")
    print(f"{'':2}{'block':>5} {'verdict':<11} {'score':>6} {'raw':>8}  {'why':<34} text")
    for row in rows:
        mark = "+" if row["verdict"] == "content" else " "
        text = " ".join(str(row["text"]).split())
        text = text[:69] + "…" if len(text) > 70 else text
        print(
            f"{mark:2}{row['block']:>5} {row['verdict']:<11} {row['score']:>6.3f} {row['raw']:>8.2f}  {row['why']:<34} {text}"
        )


def _doctor(_args: argparse.Namespace) -> int:
    """Try each thing that could be missing, and say what it is for."""
    from collections.abc import Callable

    def parser() -> str:
        from webmain import extract

        return f"{len(extract('<p>A page to try the parser on, long enough to be kept.</p>', parts='text').text)} characters"

    def thai() -> str:
        from webmain.text.words import words

        return " | ".join(words("ข่าววันนี้", language="th"))

    def icu() -> str:
        from webmain.text.words import words

        return " | ".join(words("今日のニュース", language="ja"))

    def language() -> str:
        from webmain.text.language import detect

        return detect("This is a sentence in the English language, and here is another one.").language or "none"

    def extractors() -> str:
        from webmain.extractors.registry import DEFAULT, EXTRACTORS, create

        return ", ".join(f"{create(n).name}{' (default)' if n == DEFAULT else ''}" for n in EXTRACTORS)

    def store() -> str:
        import tempfile

        from webmain.corpus.store import open_store

        with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:{folder}/try.sqlite") as opened:
            return f"SQLite store of {opened.count()} articles opened and closed"

    checks: dict[str, Callable[[], str]] = {
        "parser": parser,
        "Thai words": thai,
        "other words": icu,
        "language": language,
        "extractors": extractors,
        "store": store,
    }
    failed = 0
    print(f"webmain {__version__}, Python {sys.version.split()[0]}")
    for name, check in checks.items():
        try:
            print(f"  ok      {name:<12} {check()}")
        except Exception as error:
            failed += 1
            print(f"  FAILED  {name:<12} {type(error).__name__}: {error}")
    return REJECTED if failed else OK


if __name__ == "__main__":
    sys.exit(main())
