"""The figures of a trained model as tables, and the part of its card that they fill."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from webmain.evaluation import writers
from webmain.evaluation.confidence import calibration_error
from webmain.evaluation.metrics import SegmentCounts
from webmain.evaluation.records import Table
from webmain.evaluation.training.boosting import TrainingError
from webmain.evaluation.training.groups import Share, paper_shares, shares
from webmain.features.columns import names

if TYPE_CHECKING:
    from webmain.evaluation.training.making import Made, Outcome

BEGIN: Final = "<!-- figures: written by webmain train -->"
END: Final = "<!-- end of figures -->"

LOW: Final = 0.5
"""Pages with a lower F1 are counted."""


def tables(made: Made) -> tuple[Table, ...]:
    """Return scores by set and type of page, and what the columns contribute."""
    return (_scores(made.outcomes), _groups(made), _papers(made))


# ---- scores


def _scores(outcomes: Sequence[Outcome]) -> Table:
    rows = [_score_row(name, how, found) for name, how, found in _grouped(outcomes)]
    return Table(
        name="scores",
        title="Pages that the model was not trained on: word F1 (mean over pages)",
        columns=(
            "set", "judged", "pages", "of known sites", "F1", f"below {LOW}", "same words (share)", "confidence",
            "calibration error", "segments right",
        ),
        rows=tuple(rows),
    )  # fmt: skip


def _grouped(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str, list[Outcome]]]:
    """Give each set, the cross-validated ones first, and after it its types of pages where there are several."""
    keys = sorted({(one.is_check, one.dataset) for one in outcomes})
    for is_check, dataset in keys:
        mine = [one for one in outcomes if (one.is_check, one.dataset) == (is_check, dataset)]
        how = "plain" if is_check else "cross-validated"
        yield dataset, how, mine
        types = sorted({one.page_type for one in mine})
        for page_type in types if len(types) > 1 else ():
            label = f"{dataset}: {page_type or 'unknown type'}"
            yield label, how, [one for one in mine if one.page_type == page_type]


def _score_row(name: str, how: str, outcomes: Sequence[Outcome]) -> tuple[str | int | float | None, ...]:
    scored = [(one.f1, one.confidence) for one in outcomes if one.f1 is not None]
    f1, confidence = [score for score, _ in scored], [sure for _, sure in scored]
    n = len(scored)
    return (
        name,
        how,
        len(outcomes),
        sum(one.is_known_site for one in outcomes),
        sum(f1) / n if n else None,
        sum(score < LOW for score in f1) if n else None,
        sum(score == 1 for score in f1) / n if n else None,
        sum(confidence) / n if n else None,
        calibration_error(confidence, f1) if n else None,
        _segments_right([one.segments for one in outcomes if one.segments]),
    )


def _segments_right(found: Sequence[SegmentCounts]) -> float | None:
    """Return the share of segments that are in the text as they should be, or out of it as they should be."""
    counts = sum(found, SegmentCounts())
    n = counts.n_wanted + counts.n_unwanted
    return (counts.n_wanted_found + counts.n_unwanted - counts.n_unwanted_found) / n if n else None


# ---- columns


def _groups(made: Made) -> Table:
    return _gain_table("columns", "What groups of columns contribute: share of the gain of all splits", made, shares)


def _papers(made: Made) -> Table:
    title = "What columns contribute that look at what the published methods look at: share of the gain of all splits"
    return _gain_table("papers", title, made, paper_shares)


def _gain_table(name: str, title: str, made: Made, divide: Any) -> Table:
    found: dict[str, list[Share]] = {profile: divide(names(), gains) for profile, gains in made.gains.items()}
    columns = tuple(found)
    rows = [
        (row[0].group, row[0].n_columns, *(share.of_gain for share in row)) for row in zip(*found.values(), strict=True)
    ]
    return Table(name=name, title=title, columns=("group", "columns", *columns), rows=tuple(rows))


# ---- files


def report(made: Made) -> str:
    """Return all figures and facts as JSON."""
    return writers.json_text(tables(made), made.facts)


def facts_text(made: Made) -> str:
    """Return what the model is made of, for people."""
    facts = made.facts
    lines = [f"{one['name']}: sha256 {one['sha256']}, {_licence(one)}" for one in facts["sets"]]
    return "\n".join(
        [
            *lines,
            f"data: sha256 {facts['data_sha256']}",
            f"{facts['pages']:,} pages and {facts['pages_made_up']:,} made up from them, {facts['blocks']:,} blocks; "
            f"seed {facts['seed']}; LightGBM {facts['lightgbm']}, NumPy {facts['numpy']}",
            f"model: {facts['model_bytes']:,} bytes, sha256 {facts['model_sha256']}",
        ]
    )


def _licence(facts: dict[str, str]) -> str:
    if not facts["credit"]:
        return "licence not known to webmain: whether you may train on it is yours to check"
    return f"{facts['licence']} ({facts['credit']})"


def with_figures(card: str, made: Made) -> str:
    """Return a card with the part between its marks written anew.

    Raises
    ------
    TrainingError
        The marks are not there, once each and in order.
    """
    return with_part(card, figures(made))


def with_part(card: str, part: str) -> str:
    """Return a card with another part between its marks; raises TrainingError where they are not there."""
    head, begin, rest = card.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in tail:
        raise TrainingError(f"the card must hold the lines {BEGIN} and {END}, once each: figures go between them")
    return f"{head}{BEGIN}\n{part.strip()}\n{END}{tail}"


def figures(made: Made) -> str:
    """Return facts and tables in Markdown."""
    parts = ["```", facts_text(made), "```"]
    for table in tables(made):
        parts += ["", f"**{table.title}**", "", markdown(writers.without_empty(table))]
    return "\n".join(parts)


def markdown(table: Table) -> str:
    """Return a table in Markdown."""
    right = [
        all(isinstance(row[place], (int, float, type(None))) for row in table.rows)
        for place in range(len(table.columns))
    ]
    rows = [table.columns, tuple("---:" if r else "---" for r in right), *writers.text_rows(table)]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows)


def sha256_in(card: str) -> str:
    """Return the digest of the model that a card's figures are of; "" if there are none."""
    _, _, rest = card.partition(BEGIN)
    _, found, after = rest.partition("model: ")
    return after.partition("sha256 ")[2][:64] if found else ""


def facts_of(report_text: str) -> dict[str, Any]:
    """Return the facts of a written report."""
    found: dict[str, Any] = json.loads(report_text)
    return found
