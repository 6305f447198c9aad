"""Tables of a trained model's figures, and the part of its model card that contains them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

import numpy as np
from numpy.typing import NDArray

from webmain.evaluation import writers
from webmain.evaluation.confidence import calibration_error
from webmain.evaluation.metrics import SegmentCounts
from webmain.evaluation.records import Row, Table
from webmain.evaluation.training.boosting import TrainingError
from webmain.evaluation.training.pipeline import Outcome, Trained
from webmain.evaluation.training.rows import NEWS_TYPES
from webmain.extractors.page_model import page_names
from webmain.extractors.page_types import THRESHOLDS
from webmain.features.page_blocks import SPECIAL

BEGIN: Final = "<!-- figures: written by webmain train -->"
END: Final = "<!-- end of figures -->"

LOW: Final = 0.5
"""The tables count the pages with a lower F1."""

SHORT: Final = 1500
"""Characters below which an article is short; each Chinese or Japanese character counts as 2.5."""

_COUNTS: Final = (
    "log_chars log_words marks ends commas ends_per_word commas_per_word digits upper word_length unspaced letters "
    "terminal starts_lower n_leaves inner repeats"
).replace(" ", "|")

GROUPS: Final = {
    "counts of the block": rf"({_COUNTS})$",
    "link density of the block": r"(link|anchor_first)$",
    "element and state of the block": r"(kind|shown|noscript|(in_)?form|(in_)?control)$",
    "title, description, embedded data": r"(in_title|has_description|in_data|heads_title)$",
    "cue words": r"(says_|past_|box_|labels_|dated)",
    "towards the title": (
        r"((\w+_)?(from|since|is)_title$|title_|(\w+_)?near(_score\d?|_end)?$"
        r"|(in_)?notice|heading_linked|rest_|rank2?$)"
    ),
    "headings before": r"(since_heading|heading_level|from_h1)$",
    "class words around": r"(any|near)_",
    "elements around": rf"(in_({'|'.join(SPECIAL)})|depth)$",
    "counts of ancestors": r"up\d+_",
    "repeated containers": r"(twins|below_twins|child)$",
    "blocks of the same signature": r"make_",
    "towards the best container": r"(.*_best(_end|_score\d)?|best_\w+)$",
    "neighbours": r"(\w+[+-]\d+|(before|after)\d+_\w+|same_(before|after))$",
    "position": r"(position|index|index_share)$",
    "the page": r"page_",
}
"""Patterns of column names, by what the columns are computed from; the first match counts."""

IN_PAPERS: Final = {
    "text per tag (Line-Block: TTR)": r"(log_chars|n_leaves|inner|up\d+_mean|make_mean|log_chars[+-]\d+)$",
    "anchor ratio (Line-Block: ATTR; Thai XPath: AR)": (
        r"(link|anchor_first|up\d+_links?|make_link|page_link|(before|after)\d+_link|link[+-]\d+)$"
    ),
    "title keywords (Line-Block: TKD)": r"(in_title|heads_title)$",
    "tag priority and repeated blocks (PAB)": r"(kind|kind[+-]\d+|heading_level|from_h1|repeats)$",
    "degree and gathering nodes (LBDA)": r"(twins|below_twins|child|up\d+_blocks|same_(before|after))$",
    "description, templates (SVM)": r"(has_description|make_(count|share|ends|in_best))$",
    "depth and path (Thai XPath, LBDA)": r"(depth|up_to_best|down_from_best|in_best|in_\w+)$",
}
"""Patterns of columns with the quantities of the published methods; a column belongs to one only."""


def tables(made: Trained) -> tuple[Table, ...]:
    """Return scores by set and type of page, and the gains of the columns."""
    return (
        Table.of(
            "scores", "Pages that the model was not trained on: word F1 (mean over pages)", _score_rows(made.outcomes)
        ),
        Table.of(
            "refused",
            "Pages not recognised as articles: share of each type (cross-validated, ignoring what a page declares)",
            _refused_rows(made.outcomes),
        ),
        _gains("columns", "What groups of columns contribute: share of the gain of all splits", made.gains, GROUPS),
        _gains(
            "papers",
            "What columns contribute that have the quantities of the published methods: share of the gain of all splits",
            made.gains,
            IN_PAPERS,
        ),
    )  # fmt: skip


def _score_rows(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    """Yield a row per set, followed by its page types if there are several; then all short articles together."""
    hows = sorted({one.how for one in outcomes}, key=("cross-validated", "set left out", "plain").index)
    for how in hows:
        of = [one for one in outcomes if one.how == how]
        for dataset in sorted({one.dataset for one in of}):
            mine = [one for one in of if one.dataset == dataset]
            yield _scores(dataset, how, mine)
            types = sorted({one.page_type for one in mine})
            for page_type in types if len(types) > 1 else ():
                label = f"{dataset}: {page_type or 'unknown type'}"
                yield _scores(label, how, [one for one in mine if one.page_type == page_type])
        short = [one for one in of if 0 < one.n_gold < SHORT and one.page_type in NEWS_TYPES]
        if short:
            yield _scores(f"all articles under {SHORT} characters", how, short)
            yield _scores("all pages", how, of)


def _refused_rows(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    """Yield for each page type of each set how many pages would be refused if an article were required."""
    crossed = [one for one in outcomes if one.how == "cross-validated"]
    for dataset, page_type in sorted({(one.dataset, one.page_type) for one in crossed}):
        mine = [one for one in crossed if (one.dataset, one.page_type) == (dataset, page_type)]
        refused = sum(one.article < THRESHOLDS.article for one in mine) / len(mine)
        n = len(mine)
        yield {"set": dataset, "type": page_type or "article", "pages": n, f"below {THRESHOLDS.article}": refused}


def _scores(label: str, how: str, outcomes: Sequence[Outcome]) -> Row:
    f1 = [one.f1 for one in outcomes if one.f1 is not None]
    confidence = [one.confidence for one in outcomes if one.f1 is not None]
    segments = [one.segments for one in outcomes if one.segments]
    return {
        "set": label,
        "judged": how,
        "pages": len(outcomes),
        "F1": fmean(f1) if f1 else None,
        f"below {LOW}": sum(score < LOW for score in f1) if f1 else None,
        "same words (share)": fmean(score == 1 for score in f1) if f1 else None,
        "confidence": fmean(confidence) if f1 else None,
        "calibration error": calibration_error(confidence, f1) if f1 else None,
        "segments right": sum(segments, SegmentCounts()).accuracy if segments else None,
    }


# ---- columns


def group_of(name: str, groups: Mapping[str, str]) -> str:
    """Return the group of a column, the first whose pattern matches its name; "" for none."""
    return next((group for group, pattern in groups.items() if re.match(pattern, name)), "")


def _gains(name: str, title: str, gains: Mapping[str, NDArray[np.float64]], groups: Mapping[str, str]) -> Table:
    """Return for each group the number of its columns and their share of the gain in each part of the model."""
    of = [group_of(column, groups) for column in page_names()]
    rows: list[Row] = []
    for group in groups:
        mine = [column == group for column in of]
        shares = {part: float(gain[mine].sum()) / (float(gain.sum()) or 1.0) for part, gain in gains.items()}
        rows.append({"group": group, "columns": sum(mine), **shares})
    return Table.of(name, title, rows)


# ---- files


def facts_text(made: Trained) -> str:
    """Return what the model was trained on and how, for people."""
    facts = made.facts
    unknown = "licence not known to webmain: whether you may train on it is yours to check"
    lines = [
        f"{one['name']}: sha256 {one['sha256']}, "
        + (f"{one['licence']} ({one['credit']})" if one["credit"] else unknown)
        for one in facts["sets"]
    ]
    lines += [f"{name}: {dropped}" for name, dropped in facts["dropped"].items()]
    lines += [
        f"data: sha256 {facts['data_sha256']}",
        f"{facts['pages']:,} pages ({facts['pages_barred']:,} of sites that are in sets for checks were left out, "
        f"{facts['pages_unread']:,} could not be read) and {facts['pages_made_up']:,} made up from them, "
        f"{facts['blocks']:,} blocks; seed {facts['seed']}; LightGBM {facts['lightgbm']}, NumPy {facts['numpy']}",
        f"model: {facts['model_bytes']:,} bytes, sha256 {facts['model_sha256']}",
    ]
    return "\n".join(lines)


def with_figures(card: str, made: Trained) -> str:
    """Return a model card with facts and tables, in Markdown, between its markers; raises as `with_part`."""
    parts = ["```", facts_text(made), "```"]
    for table in tables(made):
        parts += ["", f"**{table.title}**", "", markdown(writers.without_empty(table))]
    return with_part(card, "\n".join(parts))


def with_part(card: str, part: str) -> str:
    """Return a card with the part between its markers replaced; raise TrainingError if they are missing."""
    head, begin, rest = card.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in tail:
        raise TrainingError(
            f"the card must contain the lines {BEGIN} and {END}, once each; the figures are written between them"
        )
    return f"{head}{BEGIN}\n{part.strip()}\n{END}{tail}"


def markdown(table: Table) -> str:
    """Return a table in Markdown."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    aligned = ["---:" if all(isinstance(v, int | float | None) for v in column) else "---" for column in columns]
    rows = [table.columns, aligned, *writers.text_rows(table)]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows)
