"""Threads of readers' comments for made-up pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from training.markup import render
from training.prose import Draw

MAX_COMMENTS: Final = 200
MAX_DEPTH: Final = 5


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment and those that answer it."""

    author: str
    date: str
    paragraphs: list[str]
    quoted: str = ""
    answers: list[Comment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread as markup and as text."""

    html: str
    text: str


def thread(d: Draw, chars: int) -> Thread:
    """Return a thread of comments with so many characters together; the last comment may go beyond."""
    comments = _comments(d, chars)
    flat = list(_with_depth(comments))
    html = render("comments.html", "thread", d, comments=comments, flat=flat, n=len(flat))
    parts = [part for comment, _ in flat for part in (comment.quoted, *comment.paragraphs) if part]
    return Thread(html, "\n\n".join(parts))


def _comments(d: Draw, chars: int) -> list[Comment]:
    verbosity = d.random.random() ** 1.3
    answering, quoting = d.choice(0.0, 0.0, 0.25, 0.5), d.choice(0.0, 0.0, 0.05, 0.2)
    roots: list[Comment] = []
    open_ends: list[tuple[Comment, int]] = []
    total = 0
    for _ in range(MAX_COMMENTS):
        before = open_ends[-1][0].paragraphs[0] if open_ends and d.chance(quoting) else ""
        comment = Comment(d.nick(), d.date(), d.comment(verbosity), before)
        total += sum(map(len, comment.paragraphs))
        if open_ends and d.chance(answering):
            parent, depth = d.choice(*open_ends[-6:])
            parent.answers.append(comment)
        else:
            depth = -1
            roots.append(comment)
        if depth + 1 < MAX_DEPTH:
            open_ends.append((comment, depth + 1))
        if total >= chars:
            break
    return roots


def _with_depth(comments: Sequence[Comment], depth: int = 0) -> Iterator[tuple[Comment, int]]:
    for comment in comments:
        yield comment, depth
        yield from _with_depth(comment.answers, depth + 1)
