"""What every command needs: the type it adds its parser to, exit codes, the exception that ends it with one of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from webmain.files import StoreSpecError

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # what a command adds its parser to

OK, REJECTED, USAGE, NOT_FOUND, UNWRITTEN = 0, 1, 2, 3, 4
"""Success; a page was rejected; wrong usage; a page or file could not be read; the output could not be written."""

INTERRUPTED = 130  # Ctrl-C, by the shell's convention


class Failure(Exception):  # noqa: N818 - the command failed
    """Ends a command with an exit code; the message, for people, is printed on standard error."""

    def __init__(self, code: int, message: object) -> None:
        super().__init__(str(message))
        self.code = code


@contextmanager
def failing(code: int, *errors: type[Exception]) -> Iterator[None]:
    """Turn errors of these types into a `Failure` with this exit code; words that name no store are wrong usage."""
    try:
        yield
    except errors as error:
        raise Failure(USAGE if isinstance(error, StoreSpecError) else code, error) from error
