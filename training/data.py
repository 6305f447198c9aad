"""The word lists of the makers: TOML files in this folder, which hold all that is written in a natural language."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent


@cache
def table(name: str) -> dict[str, Any]:
    """Return a TOML file's content by its path below this folder, without its ending."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))


@cache
def languages(folder: str) -> tuple[str, ...]:
    """Return the languages that have a file in "words" or "scripts", sorted."""
    return tuple(sorted(path.stem for path in (FOLDER / folder).glob("*.toml")))


def wording(language: str) -> dict[str, list[str]]:
    """Return what sites of a language (ISO 639) write, by concept; in English what the language's file doesn't have."""
    own = table(f"words/{language}") if language in languages("words") else {}
    return {**table("words/en"), **own}
