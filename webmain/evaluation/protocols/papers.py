"""The papers' printed figures (`papers.toml`, a section per protocol), and tables that show ours beside them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from webmain.evaluation.records import Findings, Plot, Table


@cache
def section_of(protocol: str) -> dict[str, Any]:
    """Return the section of a protocol."""
    text = files("webmain.evaluation.protocols").joinpath("papers.toml").read_text("utf-8")
    section: dict[str, Any] = tomllib.loads(text)[protocol]
    return section


def figures(protocol: str, name: str) -> Any:
    """Return printed figures that are not rows of a table."""
    return section_of(protocol)["figures"][name]


def table(
    protocol: str,
    key: str,
    rows: Iterable[Sequence[Any]],
    *,
    name: str = "",
    columns: Sequence[str] = (),
    **values: object,
) -> Table:
    """Return a table of the papers' file with the paper's rows below ours; `values` fill in the title and the columns.

    A table without columns has those of its section, or the given ones; its name is the key unless it is given.
    """
    section = section_of(protocol)
    given = section["tables"][key]
    paper = [[None if cell == "" else cell for cell in row] for row in given.get("paper", ())]
    return Table(
        name=name or key,
        title=given["title"].format(**values),
        columns=tuple(columns) or tuple(c.format(**values) for c in given.get("columns") or section["columns"]),
        rows=tuple(map(tuple, (*rows, *paper))),
    )


def findings(
    protocol: str,
    tables: Iterable[Table],
    *,
    n_pages: int,
    notes: Iterable[str] = (),
    plots: Sequence[Plot] = (),
    **values: object,
) -> Findings:
    """Return tables with the protocol's notes, filled in with values, and further notes after them."""
    written = (note.format(**values) for note in section_of(protocol)["notes"])
    return Findings(
        protocol=protocol, tables=tuple(tables), notes=(*written, *notes), n_pages=n_pages, plots=tuple(plots)
    )
