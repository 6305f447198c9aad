"""Explanations as records of JSON types, for `webmain explain -f json` and the REST interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webmain.explain.records import ExplainedBlock, Explanation


def page_record(explanation: Explanation) -> dict[str, Any]:
    """Return the record of a page's explanation, without its blocks."""
    rejected, kind, judged = explanation.rejected, explanation.page_type, explanation.extraction
    return {
        "url": explanation.document.url,
        "extractor": explanation.name,
        "confidence": rounded(judged.confidence if judged else None),
        "page_type": kind.name if kind else None,
        "page_type_probability": rounded(kind.probability if kind else None),
        "unit": explanation.unit.name.lower(),
        "note": explanation.note,
        "rejected": {"reason": rejected.reason.value, "detail": rejected.detail} if rejected else None,
    }


def block_record(block: ExplainedBlock) -> dict[str, Any]:
    """Return the record of a part of a page with its verdict."""
    return {
        "block": block.index,
        "verdict": block.verdict.value,
        "score": rounded(block.score),
        "raw": rounded(block.raw),
        "why": block.why,
        "xpath": block.xpath,
        "selector": block.selector,
        "text": block.text,
    }


def rounded(value: float | None) -> float | None:
    """Return a score rounded to four digits; None for None."""
    return None if value is None else round(float(value), 4)
