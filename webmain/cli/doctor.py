"""`webmain doctor`: check that everything webmain needs is there and works."""

from __future__ import annotations

import argparse
import sys

from webmain import __version__
from webmain.cli.exits import OK, REJECTED, Commands
from webmain.text.terminal import counted


def add(commands: Commands) -> None:
    """Add the command."""
    doctor = commands.add_parser("doctor", help="check that everything webmain needs is there and works")
    doctor.set_defaults(run=_doctor)


def _doctor(_args: argparse.Namespace) -> int:
    """Try each thing that could be missing, and say what it is for."""
    from collections.abc import Callable

    def parser() -> str:
        from webmain import extract

        return f"{len(extract('<p>A page to try the parser on, long enough to be kept.</p>', parts='text').text)} characters"

    def split(text: str, language: str) -> str:
        from webmain.text.words import words

        return " | ".join(words(text, language=language))

    def language() -> str:
        from webmain.text.language import detect

        return detect("This is a sentence in the English language, and here is another one.").language or "none"

    def extractors() -> str:
        from webmain.extractors.base import DEFAULT, EXTRACTORS, create

        return ", ".join(f"{create(n).name}{' (default)' if n == DEFAULT else ''}" for n in EXTRACTORS)

    def store() -> str:
        import tempfile

        from webmain.store.registry import open_store

        with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:{folder}/try.sqlite") as opened:
            return f"SQLite store of {counted(opened.count(), 'article')} opened and closed"

    checks: dict[str, Callable[[], str]] = {
        "parser": parser,
        "Thai words": lambda: split("ข่าววันนี้", "th"),
        "other words": lambda: split("今日のニュース", "ja"),
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
