"""Figures in the text format of Prometheus, for the node exporter's textfile collector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Textfile:
    """Gauges, one block each, in the order in which they are added; every value carries the given labels."""

    def __init__(self, labels: Mapping[str, str] | None = None) -> None:
        self._labels = dict(labels or {})
        self._lines: list[str] = []

    def gauge(self, name: str, text: str, rows: Iterable[tuple[Mapping[str, str], float]]) -> None:
        """Add a gauge, "webmain_NAME", with a value for each set of labels; without any it is left out."""
        values = [f"webmain_{name}{self._written(labels)} {round(value, 3)}" for labels, value in rows]
        if values:
            self._lines += [f"# HELP webmain_{name} {text}", f"# TYPE webmain_{name} gauge", *values]

    def _written(self, labels: Mapping[str, str]) -> str:
        pairs = [f'{key}="{_label(value)}"' for key, value in {**self._labels, **labels}.items()]
        return f"{{{','.join(pairs)}}}" if pairs else ""

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"


def by_label(label: str, values: Mapping[str, float]) -> list[tuple[Mapping[str, str], float]]:
    """Return the rows of a gauge with one label."""
    return [({label: name}, value) for name, value in values.items()]


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
