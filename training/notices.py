"""Short notices on crowded pages: a few sentences among dozens of teasers, service boxes and comments, in many scripts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from training.data import languages, table
from training.layouts import clean_title, laid_out
from training.prose import Prose, sentences
from training.scripts import Script, Swap
from training.threads import thread
from webmain.evaluation.records import GoldPage

LENGTHS: Final = (200, 900)
"""Characters of a notice in letters as wide as the Latin ones; where a character is more, in proportion fewer."""
FOREIGN_SHARE: Final = 0.6
"""Share of the notices whose sentences become those of another script, with the boxes' words of its language."""
COMMENTED_SHARE: Final = 0.4
THREAD_SHARES: Final = (0.3, 1.0, 2.0, 5.0, 10.0)
"""Lengths of threads, as shares of the notice's."""
_DENSE: Final = {"zh": 0.4, "ja": 0.5, "ko": 0.6}


def notice(page: GoldPage, prose: Prose, draw: random.Random) -> GoldPage | None:
    """Return a page around some sentences of a real page's article, none of whose markup is used.

    It has the site and address of the page. None where the text has no sentences. `prose` gives the sentences around.
    """
    language, swap = page.language or "en", None
    if language not in languages("scripts") and draw.random() < FOREIGN_SHARE:
        language = draw.choice(languages("scripts"))
        swap = Swap(Script(**table(f"scripts/{language}")), str(draw.randrange(1 << 30)), page.text or "")
    lines = _lines(sentences(page.text or ""), _DENSE.get(page.language or "", 1.0), draw)
    if not lines:
        return None
    d = prose.draw(page, draw, language=language, transform=swap.text if swap else None)
    title = clean_title(page)
    if swap:
        lines, title = [swap.text(line) for line in lines], swap.text(title)
    length = int(max(len("\n\n".join(lines)), 200) * d.choice(*THREAD_SHARES))
    comments = thread(d, length) if d.chance(COMMENTED_SHARE) else None
    made = laid_out(page, d, lines, comments, title=title, is_heading=lambda _: False, crowded=True)
    return replace(made, language=language)


def _lines(found: Sequence[str], width: float, draw: random.Random) -> list[str]:
    """Return one to four paragraphs of consecutive sentences; none where there are no sentences."""
    low, high = (int(limit * width) for limit in LENGTHS)
    wanted, start, total = draw.randint(low, high), draw.randrange(max(len(found) // 2, 1)), 0
    chosen: list[str] = []
    for sentence in found[start:]:
        if chosen and total + len(sentence) > wanted:
            break
        chosen.append(sentence)
        total += len(sentence)
    glue = " " if width == 1.0 else ""
    size = max(-(-len(chosen) // draw.randint(1, 4)), 1)
    return [glue.join(chosen[i : i + size]) for i in range(0, len(chosen), size)]
