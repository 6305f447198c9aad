"""Makes a correction from an explanation of a page and a person's verdicts on its parts."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import UTC, datetime

from webmain.corrections.file import Correction, MarkedPart
from webmain.explain.records import Explanation
from webmain.html.blocks import Unit
from webmain.items import Verdict, article_id

MAX_NOTE_CHARS = 2_000
MAX_PAGE_CHARS = 10 << 20
"""Characters of the largest page that is stored with its correction."""


class CorrectionError(ValueError):
    """The verdicts on a page cannot be a correction; the message is for people."""


def correct(
    explanation: Explanation, *, content: Collection[int], boilerplate: Collection[int], note: str = ""
) -> Correction:
    """Return a correction of a page as it was shown.

    `content` and `boilerplate` are parts (their places in `Explanation.blocks`) that are, and that are not, content; those
    of which the method says so already are left out. Of the note at most `MAX_NOTE_CHARS` characters are kept.

    Raises CorrectionError: there is no such part, a part is marked twice, or no text would be left; the page is too large
    to be stored.
    """
    blocks, document = explanation.blocks, explanation.document
    for number in (*content, *boilerplate):
        if not 0 <= number < len(blocks):
            raise CorrectionError(f"no part {number}: this page has {len(blocks)}")
    if both := sorted(set(content) & set(boilerplate)):
        raise CorrectionError(f"part {both[0]} is marked as content and as boilerplate")
    if len(document.html) > MAX_PAGE_CHARS:
        raise CorrectionError(
            f"the page has {len(document.html):,} characters, at most {MAX_PAGE_CHARS:,} can be stored"
        )
    kept = [
        block
        for number, block in enumerate(blocks)
        if number in content or (block.verdict is Verdict.CONTENT and number not in boilerplate)
    ]
    text = "\n\n".join(block.text for block in kept)
    if not text.strip():
        raise CorrectionError("no content would be left: a gold page needs some")
    has_leaves = explanation.unit is Unit.LEAVES
    marked = tuple(
        MarkedPart(
            content=number in content,
            xpath=block.xpath,
            text=block.text,
            leaves=block.units if has_leaves else (),
        )
        for number, block in enumerate(blocks)
        if number in (boilerplate if block.verdict is Verdict.CONTENT else content)
    )
    article = explanation.article
    return Correction(
        id=page_id(document.url, document.html),
        url=document.url,
        domain=document.site,
        lang=(article.language or "") if article is not None else "",
        html=document.html,
        text=text,
        before=article.text if article is not None else "",
        extractor=explanation.name,
        marked=marked,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        leaves=tuple(leaf for block in kept for leaf in block.units) if has_leaves else (),
        note=note.strip()[:MAX_NOTE_CHARS],
    )


def page_id(url: str | None, html: str) -> str:
    """Return what identifies a corrected page: its address, or its content if it has none."""
    return article_id(url) if url else hashlib.sha256(html.encode("utf-8", "surrogatepass")).hexdigest()[:16]
