"""The colours of clouds, from `colours.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Scheme:
    """The colours of the background and of words: "#rrggbb"."""

    ground: str
    words: tuple[str, ...]


@cache
def schemes() -> Mapping[str, Scheme]:
    """Return the schemes by name."""
    table = tomllib.loads(resources.files("webmain.cloud").joinpath("colours.toml").read_text("utf-8"))
    return {name: Scheme(one["ground"], tuple(one["words"])) for name, one in table.items()}
