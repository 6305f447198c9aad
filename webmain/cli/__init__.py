"""The command `webmain`; each of its commands is a module of this package.

Exit codes: 0 all pages gave an article; 1 a page was rejected; 2 the command line is wrong; 3 a page could not be fetched
or read; 4 the output could not be written.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import sys
from collections.abc import Sequence
from importlib import import_module

from webmain import __version__
from webmain.cli.exits import INTERRUPTED, OK, UNWRITTEN, USAGE, Failure
from webmain.files import reason_of

COMMANDS = """extract explain serve correct rules learn search cloud export revisions review check plan schedule
    status evaluate train doctor""".split()
"""The modules of the commands, in the order of the help; each has an `add(commands)`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    from webmain.text.terminal import discard, guard_terminal

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    guard_terminal()
    atexit.register(gc.freeze)  # what is loaded is not freed piece by piece at the end
    parser = _parser()
    args = parser.parse_args(argv)
    try:
        try:
            code = int(args.run(args))
        except Failure as failure:
            print(f"webmain: {failure}", file=sys.stderr)
            code = failure.code
        sys.stdout.flush()
        return code
    except ValueError as error:
        from webmain.extractors.base import UnknownExtractor

        if not isinstance(error, UnknownExtractor):
            raise
        parser.exit(USAGE, f"webmain: {error}\n")
    except BrokenPipeError:  # the reader of a pipe has gone: not our error
        sys.stderr.close()
        return OK
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        print(f"webmain: the output cannot be written: {place}{reason_of(error)}", file=sys.stderr)
        discard(sys.stdout)
        return UNWRITTEN
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webmain",
        description="Extract clean articles from news pages. To crawl sites: scrapy crawl news -a site=bbc.com",
        epilog="exit codes: 0 done, 1 a page was rejected, 2 wrong usage, 3 a page could not be read, "
        "4 the output could not be written",
    )
    parser.add_argument("--version", action="version", version=f"webmain {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        import_module(f"webmain.cli.{command}").add(commands)
    return parser
