"""The extractor protocols, the record that extractors return, and the table of extractor names."""

from __future__ import annotations

import dataclasses
import importlib
import re
import typing
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeGuard, runtime_checkable

import numpy as np

from webmain.html.blocks import Unit
from webmain.html.columns import HIDDEN, Flag
from webmain.items import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation
    from webmain.html.document import Document


@dataclass(frozen=True)
class Extraction:
    """An extractor's verdict on every block of a page.

    `extractor` is the method's name; score, raw and kept have one value for each block of the segmentation.

    Attributes
    ----------
    score : (n_blocks,) float64
        In [0, 1]; higher is more likely content.
    raw : (n_blocks,) float64
        The paper's own quantity: TTR (Line-Block), priority (PAB), AR (Thai XPath), ...
    kept : (n_blocks,) bool
    why : sequence of str
        For each block a short name of the rule that decided; stored as a tuple.
    duplicate_of : (n_blocks,) int32
        For each block the earlier block with the same text; -1 for none, and for all blocks before duplicates are searched.
    confidence : float or None
        Expected F1 of the kept text; None if the method does not estimate it.
    merges_duplicates : bool
        Whether merging repeated blocks is part of the method.
    comments : (n_blocks,) bool or None
        Blocks that are reader comments; None if the method does not detect them.
    """

    segmentation: Segmentation
    extractor: str
    score: NDArray[np.float64]
    raw: NDArray[np.float64]
    kept: NDArray[np.bool_]
    why: Sequence[str]
    duplicate_of: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    confidence: float | None = None
    merges_duplicates: bool = False
    comments: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        n = len(self.segmentation)
        for name in ("score", "raw", "kept", "why", "comments"):
            column = vars(self)[name]
            if column is not None and len(column) != n:
                raise ValueError(f"{self.extractor}: {name} has {len(column)} values for {n} blocks")
        if not (0 <= (self.confidence or 0) <= 1 and (not n or 0 <= self.score.min() <= self.score.max() <= 1)):
            raise ValueError(f"{self.extractor}: scores and confidence must lie in [0, 1]")
        object.__setattr__(self, "why", tuple(self.why))
        if len(self.duplicate_of) != n:
            object.__setattr__(self, "duplicate_of", np.full(n, -1, dtype=np.int32))

    @property
    def document(self) -> Document:
        """The page."""
        return self.segmentation.document

    @property
    def unit(self) -> Unit:
        """What the blocks are ranges of."""
        return self.segmentation.unit

    def verdict(self, block: int) -> Verdict:
        """Return the verdict on one block."""
        if self.kept[block]:
            return Verdict.CONTENT
        return Verdict.DUPLICATE if self.duplicate_of[block] >= 0 else Verdict.BOILERPLATE

    @property
    def unit_verdicts(self) -> list[Verdict]:
        """One verdict for every leaf (or source line) of the page."""
        of_block = [self.verdict(b) for b in range(len(self.segmentation))]
        return [of_block[b] if b >= 0 else Verdict.OUTSIDE for b in self.segmentation.of_unit.tolist()]

    @property
    def kept_units(self) -> NDArray[np.bool_]:
        """Whether each leaf (or source line) is content."""
        return np.append(self.kept, False)[self.segmentation.of_unit]

    def dropping(self, duplicates: NDArray[np.int32]) -> Self:
        """Return a copy in which blocks that repeat an earlier one are marked and no longer kept.

        `duplicates`, `(n_blocks,) int32`, is the earlier block each one repeats, -1 for none.
        """
        return replace(self, kept=self.kept & (duplicates < 0), duplicate_of=duplicates)


NOT_SHOWN = HIDDEN | Flag.EMBEDDED
"""Text that readers do not see: hidden text, and fallback text of frames and players."""


def within(low: float, high: float) -> dict[str, tuple[float, float]]:
    """Return the dataclass field metadata that limits an option to a range."""
    return {"within": (low, high)}


class CheckedOptions:
    """Base of extractors that checks options by their fields' types (`Literal`) and ranges (`within`)."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for option, allowed, bounds in _checks(kind):
            given = vars(self)[option]
            if allowed and given not in allowed:
                raise ValueError(f"{self.name}: option {option}: got {given!r}, allowed are {', '.join(allowed)}")
            if bounds and not bounds[0] <= given <= bounds[1]:  # also for NaN
                raise ValueError(
                    f"{self.name}: option {option}: got {given!r}, allowed is {bounds[0]:g} to {bounds[1]:g}"
                )


@cache
def _checks(kind: Any) -> list[tuple[str, tuple[str, ...], tuple[float, float] | None]]:
    """Return the name, allowed values and range of each checked option of an extractor class."""
    found = []
    for option in fields(kind):
        literal = re.fullmatch(r"Literal\[(.*)\]", str(option.type))
        allowed = tuple(part.strip(" \"'") for part in literal[1].split(",")) if literal else ()
        found.append((option.name, allowed, option.metadata.get("within")))
    return [one for one in found if one[1] or one[2]]


def range_sums(
    column: NDArray[Any], first: NDArray[np.int32], end: NDArray[np.int32] | NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the sums of a column over half-open ranges."""
    before = np.concatenate(([0], np.cumsum(column, dtype=np.int64)))
    return before[end] - before[first]


def body_index(tags: list[str]) -> int:
    """Return the index of the body, or of the root if there is none."""
    return tags.index("body") if "body" in tags else 0


@runtime_checkable
class Extractor(Protocol):
    """A page-level extractor: a frozen dataclass whose fields are its paper's thresholds."""

    name: ClassVar[str]

    def segment(self, document: Document) -> Segmentation:
        """Divide a page into the method's own blocks."""
        ...

    def judge(self, segmentation: Segmentation) -> Extraction:
        """Score every block and decide which are content."""
        ...


@runtime_checkable
class ExplainingExtractor(Extractor, Protocol):
    """An extractor that can explain the scores of blocks, and name the elements that it did not judge; optional."""

    def pruned(self, segmentation: Segmentation) -> list[int]:
        """Return the elements of a page that were excluded as a whole, such as menus and footers; ascending."""

    def contributions(
        self, segmentation: Segmentation, blocks: Sequence[int], *, most: int | None = None
    ) -> list[list[tuple[str, float, float]]]:
        """Return for each block the name, value and contribution (log-odds) of the `most` columns with the largest effect."""


class NothingLearned(ValueError):  # noqa: N818 - reads as what it is
    """The pages of a site have no evidence to learn from; the message says what is missing."""


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What an extractor has learned of one site, as plain values: it can be stored in a file, and reading it runs no code.

    Attributes
    ----------
    n_pages : int
        Number of pages it was learned from.
    columns : tuple of str
        Names of the features, in the order of the weights.
    weights : mapping
        The method's own state; only None, bool, int, float, str, lists and mappings of these with str keys.
    quality : float or None
        Cross-validated agreement with the training labels, in [0, 1]; None if the method does not measure it.
    resemblance : float
        Mean `SiteExtractor.resemblance` of the pages it was learned from, with which later pages are compared.
    note : str
        A remark on the pages ("on 9 of them ..."), shown when the site is learned; not stored.
    """

    n_pages: int
    columns: tuple[str, ...]
    weights: Mapping[str, Any]
    quality: float | None
    resemblance: float
    note: str = field(default="", compare=False)


@runtime_checkable
class SiteExtractor(Extractor, Protocol):
    """An extractor that learns from the pages of one site; subclasses inherit the defaults.

    Attributes
    ----------
    version : int
        Version of its models; a model of another version is not used.
    min_pages : int
        Minimum number of pages to learn from.
    judges_unlearned : bool
        Whether it works without a model. If so, it also judges pages of sites that cannot be learned, and pages unlike the
        training pages; otherwise the default method does.
    always_answers : bool
        Whether it keeps some text even of pages in which it finds no block.
    """

    version: ClassVar[int]
    judges_unlearned: ClassVar[bool] = False
    always_answers: ClassVar[bool] = False
    min_pages: int

    @property
    def learned(self) -> Learned | None:
        """What was learned of the site; None before `fit`."""
        ...

    @property
    def kept_generic(self) -> bool:
        """Whether a site was learned but nothing of it is used, because it did not help."""
        return False

    def fit(self, documents: Sequence[Document]) -> Self:
        """Return a new copy, fitted to the site.

        Raises
        ------
        NothingLearned
            The pages have no evidence.
        """
        ...

    def restored(self, learned: Learned) -> Self:
        """Return a new copy with what was learned earlier.

        Raises
        ------
        ValueError
            The weights do not have this method's form.
        """
        ...

    def resemblance(self, document: Document) -> float:
        """Return how much a page resembles the training pages, in [0, 1]: about 0 after the layout has changed."""
        ...


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
"""Import path of each built-in extractor, by name."""

DEFAULT = "learned"
"""Used unless another is requested: our own, the best of these on every set of gold data (docs/evaluation.md)."""


class UnknownExtractor(ValueError):  # noqa: N818 - reads as what it is
    """No extractor has that name, or its options are wrong."""


def create(spec: str | Extractor | None = None) -> Extractor:
    """Return an extractor by its name or import path, with options after a colon.

    Parameters
    ----------
    spec : str, Extractor or None
        "pab", "line_block:decision=sigma,tkd=require", or "package.module:Class" (importing the module runs its code; only
        an extractor class is called). An extractor is returned unchanged; None gives the default.

    Raises
    ------
    UnknownExtractor
        Unknown name, import path or option; the message says what is allowed.
    """
    if spec is None:
        spec = DEFAULT
    if not isinstance(spec, str):
        if isinstance(spec, Extractor) and not isinstance(spec, type):
            return _checked(spec)
        raise UnknownExtractor(f"extractor: {spec!r} is no object with a name, segment and judge; call a class")
    spec = spec.strip()
    name, _, rest = spec.partition(":")
    if name in EXTRACTORS:
        path, options = EXTRACTORS[name], rest
    else:
        attribute, _, options = rest.partition(":")
        if not attribute:
            raise UnknownExtractor(
                f"extractor: got {spec!r}, allowed are {', '.join(sorted(EXTRACTORS))}, or an import path module:Class"
            )
        name = path = f"{name}:{attribute}"
    module, _, attribute = path.partition(":")
    try:
        kind = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownExtractor(f"extractor: cannot import {path!r}: {error}") from error
    if not _is_extractor(kind):
        raise UnknownExtractor(
            f"extractor: {path!r} is not an extractor: a class with a name (a string), and methods segment and judge; "
            "nothing else is called"
        )
    try:
        made = kind(**_options(kind, options))
    except TypeError as error:
        raise UnknownExtractor(f"extractor: cannot make {spec!r}: {error}") from error
    except ValueError as error:
        raise UnknownExtractor(f"extractor {name}: {str(error).removeprefix(f'{kind.name}: ')}") from error
    return made if name in EXTRACTORS else _checked(made)


def _checked(made: Extractor) -> Extractor:
    if hasattr(made, "fit") and not isinstance(made, SiteExtractor):
        raise UnknownExtractor(
            f"extractor: {made.name} has a method fit: what learns from sites is derived from "
            "webmain.extractors.base.SiteExtractor"
        )
    return made


def _is_extractor(kind: object) -> TypeGuard[type[Extractor]]:
    """Return True if an object is an extractor class, without calling it."""
    return (
        isinstance(kind, type)
        and isinstance(getattr(kind, "name", None), str)
        and all(callable(getattr(kind, method, None)) for method in ("segment", "judge"))
    )


def _options(kind: type, text: str) -> dict[str, object]:
    """Return "a=1,b=x" as options of an extractor; learned state is not an option."""
    if not text:
        return {}
    types = typing.get_type_hints(kind)
    given = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return parse_options(text, {f.name: types[f.name] for f in given if f.init and f.repr and f.name != "learned"})


def parse_options(text: str, types: Mapping[str, object]) -> dict[str, object]:
    """Return "a=1,b=x" as options, converted to their types. Raises ValueError; the message says what is allowed."""
    values: dict[str, object] = {}
    for part in text.split(",") if text else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in types:
            raise ValueError(f"got option {part!r}, allowed are {', '.join(f'{a}=...' for a in types) or 'none'}")
        values[name] = _value(name, value, types[name])
    return values


def _value(name: str, text: str, wanted: object) -> object:
    if wanted is bool:
        if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
            raise ValueError(f"option {name}: got {text!r}, allowed are true, false")
        return text.lower() in ("true", "1", "yes")
    if wanted in (int, float):
        try:
            return wanted(text)
        except ValueError:
            raise ValueError(f"option {name}: got {text!r}, allowed is a number") from None
    if typing.get_origin(wanted) is typing.Literal and text not in (allowed := typing.get_args(wanted)):
        raise ValueError(f"option {name}: got {text!r}, allowed are {', '.join(map(str, allowed))}")
    return text
