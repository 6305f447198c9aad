"""Writes tables as text, CSV and JSON; a file is replaced only when the new one is complete."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from webmain.evaluation.records import Table
from webmain.files import replaced_whole
from webmain.store.export import FORMULA_STARTS
from webmain.text.terminal import cut, display_width, pad

MOST_WIDTH = 60  # characters of a cell in a table as text; longer ones are cut


def column_texts(values: Sequence[str | float | None]) -> list[str]:
    """Return a column's values for people: "-" for none; four decimals for shares and the like, one for larger figures."""
    digits = 1 if any(isinstance(value, float) and abs(value) >= 2 for value in values) else 4
    return [_cell_text(value, digits) for value in values]


def _cell_text(value: str | float | None, digits: int) -> str:
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    least = 10.0**-digits
    if 0 < abs(value) < least / 2:
        return f"<{least:.{digits}f}" if value > 0 else f">-{least:.{digits}f}"
    return f"{value:.{digits}f}"


def text_rows(table: Table) -> list[tuple[str, ...]]:
    """Return a table's rows formatted for people."""
    columns = [column_texts([row[number] for row in table.rows]) for number in range(len(table.columns))]
    return list(zip(*columns, strict=True))


def text(table: Table, *, most_rows: int | None = None) -> str:
    """Return a table as aligned text, with numbers right-aligned; rows after `most_rows` are counted and left out."""
    shown = text_rows(table)[:most_rows]
    head, *cells = [[cut(value, MOST_WIDTH) for value in row] for row in (table.columns, *shown)]
    widths = [max(map(display_width, column)) for column in zip(head, *cells, strict=True)]
    right = [is_figures(table, number) for number in range(len(head))]
    lines = [table.title, ""] if table.title else []
    for row in (head, ["-" * width for width in widths], *cells):
        padded = [pad(cell, width, right=r) for cell, width, r in zip(row, widths, right, strict=True)]
        lines.append("  ".join(padded).rstrip())
    if len(shown) < len(table.rows):
        lines.append(f"... and {len(table.rows) - len(shown)} more")
    return "\n".join(lines) + "\n"


def is_figures(table: Table, column: int) -> bool:
    """Return True if a column holds figures, not texts."""
    found = [row[column] for row in table.rows if row[column] is not None]
    return bool(found) and not any(isinstance(value, str) for value in found)


def without_empty(table: Table) -> Table:
    """Return a table without empty columns: segments if there are none, languages if unknown."""
    kept = [n for n in range(len(table.columns)) if n == 0 or any(row[n] not in (None, "") for row in table.rows)]
    return replace(
        table,
        columns=tuple(table.columns[n] for n in kept),
        rows=tuple(tuple(row[n] for n in kept) for row in table.rows),
    )


def csv_text(table: Table) -> str:
    """Return a table as CSV (RFC 4180) with a header; a missing figure is an empty field."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(map(_csv_cell, table.columns))
    for row in table.rows:
        writer.writerow(map(_csv_cell, row))
    return out.getvalue()


def _csv_cell(value: str | float | None) -> str | int | float:
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return "" if value is None else value


def long_table(tables: Sequence[Table]) -> Table:
    """Return all tables as one: a row for each figure, with the names of its table, row and column."""
    rows = tuple(
        (table.name, str(row[0]), column, value)
        for table in tables
        for row in table.rows
        for column, value in zip(table.columns[1:], row[1:], strict=True)
    )
    return Table(name="all", title="", columns=("table", "row", "column", "value"), rows=rows)


def json_text(tables: Sequence[Table], facts: Mapping[str, Any]) -> str:
    """Return tables as one JSON object: `facts`, and `tables` with title, columns and rows by their name."""
    record = {
        **facts,
        "tables": {
            table.name: {
                "title": table.title,
                "columns": list(table.columns),
                "rows": table.rows,
            }
            for table in tables
        },
    }
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def write_whole(path: Path, content: str) -> None:
    """Write a file so that an existing one stays until the new one is complete."""
    with replaced_whole(path) as new:
        new.write_text(content, encoding="utf-8", errors="replace", newline="")
