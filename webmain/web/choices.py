"""Options that may be chosen in a form or a call: a method with its options, and what is kept beside running text.

Only methods of this package are allowed: an import path would run code, and an option that names a file would read it.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from webmain.clock import once
from webmain.items.keep import Keep
from webmain.web.problems import Problem

Value: TypeAlias = str | float | bool

KEPT: Final = (
    ("captions", "captions of pictures"),
    ("links", "links"),
    ("images", "pictures"),
    ("comments", "readers' comments, separately"),
    ("no-tables", "no tables"),
    ("no-lists", "no lists"),
)
"""Content beside running text that may be kept or left out: names for `Keep.of`, and labels for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a method: one of several values, a number, or yes or no.

    Attributes
    ----------
    name, label : str
        For the method, and for people.
    values : sequence of str
        The allowed values, the default first; empty for numbers, and for yes and no.
    default : str, float or bool
    low, high : float or None
        The range of a number.
    """

    name: str
    label: str
    values: Sequence[str] = ()
    default: Value = ""
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if self.values:
            object.__setattr__(self, "default", self.values[0])

    @property
    def kind(self) -> str:
        """The kind of field that a form shows for it."""
        if self.values:
            return "choice"
        return "flag" if isinstance(self.default, bool) else "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method as a form shows it."""

    name: str
    title: str
    idea: str
    options: Sequence[Option]


@once
def methods() -> Mapping[str, Method]:
    """Return the methods by name, the default first."""
    table = tomllib.loads(Path(__file__).with_name("extractors.toml").read_text("utf-8"))
    found = {}
    for name, given in table.items():
        options = [Option(name=option, **fields) for option, fields in given.pop("options").items()]
        found[name] = Method(name=name, options=options, **given)
    return found


def checked_method(spec: str | None) -> str:
    """Return a method with its options in the form that `create` reads, if all of it is allowed here.

    Raises
    ------
    Problem
        There is no such method or option.
    """
    name, _, rest = (spec or next(iter(methods()))).strip().partition(":")
    method = methods().get(name)
    if method is None:
        raise _wrong(f"extractor: got {name[:100]!r}, allowed are {', '.join(methods())}")
    given = dict(part.partition("=")[::2] for part in rest.split(",")) if rest else {}
    return with_options(method, given)


def with_options(method: Method, given: Mapping[str, str]) -> str:
    """Return a method with those options that differ from their defaults.

    Raises
    ------
    Problem
        There is no such option, or its value is not allowed.
    """
    known = {option.name: option for option in method.options}
    chosen = []
    for key, text in given.items():
        name, value = key.strip(), text.strip()
        option = known.get(name)
        if option is None:
            allowed = ", ".join(known) or "none"
            raise _wrong(f"extractor {method.name}: got option {name[:100]!r}, allowed are {allowed}")
        if _value(option, value, method.name) != option.default:
            chosen.append(f"{name}={value}")
    return method.name + (":" + ",".join(chosen) if chosen else "")


def options_of(spec: str) -> dict[str, str]:
    """Return a method's options by the names of their form fields, like `line_block.decision`."""
    name, _, rest = spec.partition(":")
    return {f"{name}.{key}": value for key, _, value in (part.partition("=") for part in rest.split(",") if part)}


def _value(option: Option, text: str, method: str) -> Value:
    """Return an option's value, read from text."""
    values = option.values or ("true", "false")
    allowed = " and ".join(values)
    if option.kind == "number":
        low = -math.inf if option.low is None else option.low
        high = math.inf if option.high is None else option.high
        allowed = f"numbers from {low:g} to {high:g}"
        with suppress(ValueError):
            number = float(text) if isinstance(option.default, float) else int(text)
            if low <= number <= high:
                return number
    elif text in values:
        return text == "true" if option.kind == "flag" else text
    raise _wrong(f"extractor {method}: option {option.name}: got {text[:100]!r}, allowed are {allowed}")


def checked_keep(names: str) -> Keep:
    """Return which content beside running text is kept.

    Raises
    ------
    Problem
        A name is not known.
    """
    try:
        return Keep.of(names[:1000])
    except ValueError as error:
        raise _wrong(str(error)) from None


def _wrong(message: str) -> Problem:
    return Problem(400, message, code="bad_option")
