"""`webmain revisions`: the versions of a stored article, and what was changed from each to the next."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webmain.cli.exits import NOT_FOUND, OK, REJECTED, Commands, Failure, failing
from webmain.cli.sources import notify
from webmain.text.terminal import one_line, plain, printable, shows_colours

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from webmain.revisions.kinds import Changes, Row, Span
    from webmain.store.protocol import Revision, Store

DEFAULT_STORE = "jsonl:output/articles.jsonl"

_RED, _GREEN, _DIM, _OFF = "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[0m"


def add(commands: Commands) -> None:
    """Add the command."""
    revisions = commands.add_parser(
        "revisions",
        help="show the versions of a stored article",
        description="Show the versions of a stored article: when each was stored, and what kind of change it was.",
        epilog="exit codes: 0 shown, 1 there is no such article, 2 wrong usage, 3 the store cannot be read",
    )
    option = revisions.add_argument
    option("url", metavar="URL", help="the article's address in any form (tracking parameters, print, AMP), or its id")
    option("--store", default=DEFAULT_STORE, metavar="SPEC", help=f"the store ({DEFAULT_STORE})")
    option("--diff", action="store_true", help="show the changed paragraphs")
    option("--json", action="store_true", help="print one JSON object")
    revisions.set_defaults(run=_revisions)


def _revisions(args: argparse.Namespace) -> int:
    from webmain.store.protocol import StoreError
    from webmain.store.registry import open_store

    with failing(NOT_FOUND, StoreError), open_store(args.store, read_only=True) as store:
        name = store.find(args.url) or _alias(store, args.url)
        found = list(store.revisions(name)) if name else []
    if not found:
        raise Failure(REJECTED, f"no article {one_line(args.url)} in {args.store}")
    compared = _compared(found)
    if args.json:
        print(json.dumps(_record(found, compared, diff=args.diff), ensure_ascii=False, indent=1))
    else:
        _print(found, compared, diff=args.diff)
    return OK


def _alias(store: Store, url: str) -> str | None:
    """Return the id in the ledger beside a store for an address that led to an article."""
    from webmain.ledger.ledger import Ledger, LedgerError
    from webmain.store.url_variants import all_variants

    path = Path(f"{store.path}.ledger")
    if not path.exists():
        return None
    try:
        with Ledger(path) as ledger:
            return ledger.article_at(all_variants(url))
    except LedgerError as error:
        notify(error)
        return None


def _compared(found: Sequence[Revision]) -> list[Changes | None]:
    from itertools import pairwise

    from webmain.revisions.comparing import changes

    return [None, *(changes(one.article, other.article) for one, other in pairwise(found))]


def _record(found: Sequence[Revision], compared: Sequence[Changes | None], *, diff: bool) -> dict[str, Any]:
    from dataclasses import asdict

    last = found[-1].article
    records: list[dict[str, Any]] = []
    for revision, change in zip(found, compared, strict=True):
        stored = revision.stored_at.isoformat() if revision.stored_at else None
        one: dict[str, Any] = {"number": revision.number, "stored_at": stored, "title": revision.article.title}
        if change is not None:
            one |= {name: value for name, value in asdict(change).items() if name != "rows"}
        if diff and change is not None:
            one["rows"] = [asdict(row) for row in change.rows]
        records.append(one)
    gone = last.gone_at.isoformat() if last.gone_at else None
    return {"id": last.id, "url": last.url, "gone_at": gone, "gone_status": last.gone_status, "revisions": records}


def _print(found: Sequence[Revision], compared: Sequence[Changes | None], *, diff: bool) -> None:
    colours = shows_colours()
    last = found[-1].article
    print(f"{one_line(last.title or '(no title)')}\n{one_line(last.url or last.id)}")
    for revision, change in zip(found, compared, strict=True):
        stored = revision.stored_at.isoformat(sep=" ", timespec="minutes") if revision.stored_at else "?"
        print(f"\n{revision.number:>3}  {stored}  {_summary(change)}")
        if change is not None and change.is_headline:
            print(f"     now: {one_line(revision.article.title or '')}")
        if diff and change is not None:
            for line in _lines(change.rows, colours=colours):
                print(line, file=plain(sys.stdout))
    if last.gone_at:
        print(
            f"\nThe page is gone: HTTP status {last.gone_status}, {last.gone_at.isoformat(sep=' ', timespec='minutes')}"
        )


def _summary(change: Changes | None) -> str:
    """Return the kind of a change, and how many sentences it affected."""
    if change is None:
        return "first text"
    n = change.sentences
    counts = [(n.additions, "added"), (n.deletions, "deleted"), (n.edits, "edited"), (n.refactors, "moved")]
    counted = ", ".join(f"{number:,} {verb}" for number, verb in counts if number)
    kind = change.kind.value + (", headline" if change.is_headline and change.kind.value != "headline" else "")
    return f"{kind} (sentences: {counted})" if counted else kind


def _lines(rows: Sequence[Row], *, colours: bool) -> Iterator[str]:
    """Yield the paragraphs that differ between two texts, and how many lie between them."""
    n_kept = 0
    for row in rows:
        if row.kind.value == "kept":
            n_kept += 1
            continue
        yield from _kept(n_kept, colours=colours)
        n_kept = 0
        moved = " (moved)" if row.is_moved else ""
        for mark, side, colour in (("-", row.before, _RED), ("+", row.after, _GREEN)):
            if side:
                yield f"     {mark} {_paragraph(side, colour, marked=row.kind.value == 'changed', colours=colours)}{moved}"
    yield from _kept(n_kept, colours=colours)


def _paragraph(side: Sequence[Span], colour: str, *, marked: bool, colours: bool) -> str:
    """Return a paragraph with its differences coloured; without colour in brackets, unless all of it differs."""
    parts = []
    for span in side:
        text = printable(span.text).replace("\n", " ")
        if span.differs and colours:
            text = f"{colour}{text}{_OFF}"
        elif span.differs and marked:
            text = f"[{text.strip()}]{' ' * text[-1:].isspace()}"
        parts.append(text)
    return "".join(parts)


def _kept(n: int, *, colours: bool) -> Iterator[str]:
    if n:
        yield f"{_DIM}       ({n:,} kept){_OFF}" if colours else f"       ({n:,} kept)"
