"""The one explicit table of extractors: a name, or an import path, becomes an extractor."""

from __future__ import annotations

import dataclasses
import importlib
import typing
from types import MappingProxyType
from typing import TypeGuard

from webmain.extractors.base import Extractor, SiteExtractor

EXTRACTORS = MappingProxyType(
    {
        "learned": "webmain.extractors.learned:LearnedExtractor",
        "line_block": "webmain.extractors.line_block:LineBlock",
        "pab": "webmain.extractors.pab:PAB",
        "eniw": "webmain.extractors.eniw:ENIW",
        "lbda": "webmain.extractors.lbda:LBDA",
        "svm": "webmain.extractors.svm:SVM",
        "thai_xpath": "webmain.extractors.thai_xpath:ThaiXPath",
    }
)
"""Names and where they live."""

DEFAULT = "learned"
"""What is used where nothing is asked for: our own, the best of these on every set of gold data (docs/evaluation.md)."""


class UnknownExtractor(ValueError):  # noqa: N818 - reads as what it is
    """No extractor has that name, or its options are wrong."""


def create(spec: str | Extractor | None = None) -> Extractor:
    """Make an extractor from its name or import path, with options after a colon.

    Parameters
    ----------
    spec : str, Extractor or None
        "pab"; "line_block:decision=sigma,tkd=require"; "package.module:Class" for one of your own, which may take options the
        same way; an extractor is returned as it is; None gives the default. To import a module runs what is in it; nothing
        in it is called but a class of extractors.

    Raises
    ------
    UnknownExtractor
        With what was given and what is allowed.
    """
    if spec is None:
        spec = DEFAULT
    if not isinstance(spec, str):
        if isinstance(spec, Extractor):
            return _checked(spec)
        raise UnknownExtractor(f"extractor: {spec!r} has no name, segment and judge")
    spec = spec.strip()
    name, _, rest = spec.partition(":")
    if name in EXTRACTORS:
        path, options = EXTRACTORS[name], rest
    else:
        attribute, _, options = rest.partition(":")
        path = f"{name}:{attribute}"
        if not attribute:
            raise UnknownExtractor(
                f"extractor: got {spec!r}, allowed are {', '.join(sorted(EXTRACTORS))}, or an import path module:Class"
            )
    module, _, attribute = path.partition(":")
    try:
        kind = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownExtractor(f"extractor: cannot import {path!r}: {error}") from error
    if not _is_extractor(kind):
        raise UnknownExtractor(
            f"extractor: {path!r} is no extractor: a class with a name (a string), and methods segment and judge; "
            "nothing else is called"
        )
    try:
        made = kind(**_options(kind, options))
    except TypeError as error:
        raise UnknownExtractor(f"extractor: cannot make {spec!r}: {error}") from error
    except ValueError as error:
        raise UnknownExtractor(f"extractor {name}: {str(error).removeprefix(f'{name}: ')}") from error
    return _checked(made)


def _checked(made: Extractor) -> Extractor:
    if hasattr(made, "fit") and not isinstance(made, SiteExtractor):
        raise UnknownExtractor(
            f"extractor: {made.name} has a method fit: what learns from sites is derived from "
            "webmain.extractors.base.SiteExtractor"
        )
    return made


def _is_extractor(kind: object) -> TypeGuard[type[Extractor]]:
    """Tell whether a thing is a class of extractors, without calling it."""
    return (
        isinstance(kind, type)
        and isinstance(getattr(kind, "name", None), str)
        and all(callable(getattr(kind, method, None)) for method in ("segment", "judge"))
    )


def _options(kind: type, text: str) -> dict[str, object]:
    """Read "a=1,b=x" by the types of the extractor's fields; those that hold what it has learned are no options."""
    values: dict[str, object] = {}
    if not text:
        return values
    types = typing.get_type_hints(kind)
    given = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    allowed = [f.name for f in given if f.init and f.repr and f.name != "learned"]
    for part in text.split(","):
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals or name not in allowed:
            raise ValueError(f"got option {part!r}, allowed are {', '.join(f'{a}=...' for a in allowed) or 'none'}")
        values[name] = _value(name, value.strip(), types[name])
    return values


def _value(name: str, text: str, wanted: object) -> object:
    if wanted is bool:
        if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
            raise ValueError(f"option {name}: got {text!r}, allowed are true and false")
        return text.lower() in ("true", "1", "yes")
    if wanted in (int, float):
        try:
            return wanted(text)
        except ValueError:
            raise ValueError(f"option {name}: got {text!r}, allowed is a number") from None
    return text
