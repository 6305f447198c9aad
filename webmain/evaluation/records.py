"""Records shared by the parts of the evaluation: gold pages, predictions, tables, plots and findings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self, TypeAlias

Cell: TypeAlias = str | int | float | None
"""A value of a table; None if there is no figure."""

Row: TypeAlias = Mapping[str, Cell]
"""A row of a table as values by column name."""


@dataclass(frozen=True, kw_only=True)
class GoldPage:
    """One page whose main text is known.

    Attributes
    ----------
    id : str
        Unique within its data set.
    dataset : str
        Name of the data set.
    url : str or None
        Address; may be made up.
    site : str
        Registered domain, "" if unknown.
    period : str
        When the site had this layout, for data sets with pages of several times: pages of a site from different periods have
        different templates. "" if there is only one period.
    language : str
        ISO 639 code, "" if unknown.
    page_type : str
        "article", "forum", ...; "" if unknown.
    category : str
        Topic, for classification protocols; "" if unknown.
    html : str or bytes
        The page as text, or its raw bytes.
    text : str or None
        The main text, plain; None if only segments are known.
    wanted, unwanted : tuple of str
        Short segments that must, and must not, be in the text.
    comments : str
        Gold text of the readers' comments, "" if none or unknown.
    """

    id: str
    dataset: str
    html: str | bytes
    text: str | None
    url: str | None = None
    site: str = ""
    period: str = ""
    language: str = ""
    page_type: str = ""
    category: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    comments: str = ""


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A system's result for one page.

    Attributes
    ----------
    system : str
        The system's name with its options: "line_block:tkd=require", "trafilatura".
    dataset, id : str
        The gold page.
    text : str
        The text; "" if the system gave none.
    seconds : float
        CPU time for this page, the process's start and imports left out.
    memory_bytes : int or None
        Growth of the peak memory over the page, if it was measured.
    error : str
        Why there is no text; "" if nothing failed.
    confidence : float or None
        The F1 that the system expects of this text, in [0, 1]; None if it gives none.
    """

    system: str
    dataset: str
    id: str
    text: str
    seconds: float
    memory_bytes: int | None = None
    error: str = ""
    confidence: float | None = None


@dataclass(frozen=True, kw_only=True)
class Table:
    """Figures as rows and columns; the writers of text, CSV, JSON and HTML all take it.

    Attributes
    ----------
    name : str
        A short name for files: lower case, no spaces.
    title : str
        What the figures are, with their unit.
    columns : tuple of str
        Names of the columns; the first holds the rows' names.
    rows : tuple of tuple
        One value for each column: str, int, float, or None if there is no figure.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, name: str, title: str, rows: Iterable[Row], *, columns: Iterable[str] = ()) -> Self:
        """Return a table made of rows with the same keys, which name its columns; `columns` are used if there are no rows."""
        listed = list(rows)
        names = tuple(listed[0]) if listed else tuple(columns)
        cells = tuple(tuple(finite(row[column]) for column in names) for row in listed)
        return cls(name=name, title=title, columns=names, rows=cells)


def finite(value: Cell) -> Cell:
    """Return a value, or None if it is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot and the figures it shows.

    Attributes
    ----------
    name : str
        A short name for files and anchors.
    title, caption : str
        What is shown, and how to read it.
    picture : str
        SVG.
    table : Table
        The figures.
    """

    name: str
    title: str
    caption: str
    picture: str
    table: Table


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The results of running a paper's experiment again.

    Attributes
    ----------
    protocol : str
        The protocol's name.
    tables : tuple of Table
        The figures, with the paper's own beside ours if the paper prints them.
    notes : tuple of str
        What differs from the paper, and what was dropped and why; one sentence each.
    n_pages : int or None
        Number of pages behind the figures; 0 if none could be used, None if they are not counted.
    plots : tuple of Plot
        Pictures of the figures.
    """

    protocol: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    n_pages: int | None = None
    plots: tuple[Plot, ...] = ()
