"""Records shared by the parts of the evaluation: gold pages, predictions, tables, plots and findings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self, TypeAlias

Cell: TypeAlias = str | int | float | None  # a value of a table; None if there is no figure
Key: TypeAlias = tuple[str, str, str]  # system, data set, page: identifies a prediction
Row: TypeAlias = Mapping[str, Cell]  # a row of a table as values by column name


@dataclass(frozen=True, kw_only=True)
class GoldPage:
    """One page whose main text is known."""

    id: str  # unique within its data set
    dataset: str
    html: str | bytes  # the page as text, or its raw bytes
    text: str | None  # the main text, plain; None if only segments are known
    url: str | None = None  # address; may be made up
    site: str = ""  # registered domain, "" if unknown
    # when the site had this layout, for data sets with pages of several times: pages of a site from different periods
    # have different templates. "" if there is only one period.
    period: str = ""
    language: str = ""  # ISO 639 code, "" if unknown
    page_type: str = ""  # "article", "forum", ...; "" if unknown
    category: str = ""  # topic, for classification protocols; "" if unknown
    # short segments that must, and must not, be in the text
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    comments: str = ""  # gold text of the readers' comments, "" if none or unknown


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A system's result for one page."""

    system: str  # the system's name with its options: "line_block:tkd=require", "trafilatura"
    dataset: str
    id: str
    text: str  # the text; "" if the system gave none
    seconds: float  # CPU time for this page, the process's start and imports left out
    memory_bytes: int | None = None  # growth of the peak memory over the page, if it was measured
    error: str = ""  # why there is no text; "" if nothing failed
    confidence: float | None = None  # the F1 that the system expects of this text, in [0, 1]; None if it gives none

    @classmethod
    def failed(cls, system: str, page: GoldPage, error: str, seconds: float = 0.0) -> Self:
        """Return the prediction of a page for which a system gave no text, and why."""
        return cls(system=system, dataset=page.dataset, id=page.id, text="", seconds=seconds, error=error)

    @property
    def key(self) -> Key:
        """What identifies it."""
        return self.system, self.dataset, self.id


@dataclass(frozen=True, kw_only=True)
class Table:
    """Figures as rows and columns; the writers of text, CSV, JSON and HTML all take it."""

    name: str  # a short name for files: lower case, no spaces
    title: str  # what the figures are, with their unit
    columns: tuple[str, ...]  # names of the columns; the first holds the rows' names
    rows: tuple[tuple[Cell, ...], ...]  # one value for each column; floats that are not finite become None

    def __post_init__(self) -> None:
        rows = (tuple(None if isinstance(v, float) and not math.isfinite(v) else v for v in row) for row in self.rows)
        object.__setattr__(self, "rows", tuple(rows))

    @classmethod
    def of(cls, name: str, title: str, rows: Iterable[Row], *, columns: Iterable[str] = ()) -> Self:
        """Return a table made of rows with the same keys, which name its columns; `columns` are used if there are no rows."""
        listed = list(rows)
        names = tuple(listed[0]) if listed else tuple(columns)
        cells = tuple(tuple(row[column] for column in names) for row in listed)
        return cls(name=name, title=title, columns=names, rows=cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot and the figures it shows."""

    name: str  # a short name for files and anchors
    # what is shown, and how to read it
    title: str
    caption: str
    picture: str
    table: Table


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The results of running a paper's experiment again."""

    protocol: str  # the protocol's name
    tables: tuple[Table, ...]  # the figures, with the paper's own beside ours if the paper prints them
    notes: tuple[str, ...] = ()  # what differs from the paper, and what was dropped and why; one sentence each
    # number of pages behind the figures; 0 if none could be used, None if they are not counted
    n_pages: int | None = None
    plots: tuple[Plot, ...] = ()
