"""Notes of a comparison on gold pages that people made by correcting an extractor's output."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

from webmain.corrections.file import CorrectionsFile
from webmain.evaluation.metrics import words
from webmain.evaluation.tokens import TextPair
from webmain.files import StoreError


def notes_on(paths: Iterable[Path | str]) -> tuple[str, ...]:
    """Return a note for each gold file with corrected pages: how many, what was marked, and the F1 before correction."""
    notes = []
    for path in map(Path, paths):
        if path.suffix != ".jsonl" or not path.is_file():
            continue
        n_pages, n_content, n_boilerplate, before = 0, 0, 0, []
        try:
            for one in CorrectionsFile(path):
                n_pages += 1
                n_content += sum(mark.content for mark in one.marked)
                n_boilerplate += sum(not mark.content for mark in one.marked)
                before.append(words(TextPair(predicted=one.before, gold=one.text, language=one.lang)).f1)
        except StoreError:  # already reported when the file was read as gold
            continue
        if n_pages:
            notes.append(
                f"{path.name}: {n_pages} {'page was' if n_pages == 1 else 'pages were'} corrected by people, {n_content} "
                f"parts made content and {n_boilerplate} boilerplate; before, their mean word F1 was {fmean(before):.3f}"
            )
    return tuple(notes)
