"""An article as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webmain.items import Article, ArticleBlock, Kind


def markdown(article: Article) -> str:
    """Return the article as Markdown: title, then headings, lists, quotes, tables and code as such."""
    title = [f"# {_markdown_text(' '.join(article.title.split()))}"] if article.title else []
    return "\n\n".join(title + list(_markdown_blocks(article.blocks))) + "\n"


_MARKDOWN_SPECIAL = str.maketrans({c: "\\" + c for c in "\\`*_[]<>"})


_MARKDOWN_LEAD = re.compile(r"^(\s*)(?:([#+-]|=+$)|(\d+)([.)]))(?=\s|$)", re.MULTILINE)


def _markdown_text(text: str) -> str:
    """Escape what Markdown would take for markup, also marks that start a line."""
    return _MARKDOWN_LEAD.sub(_escape_lead, text.translate(_MARKDOWN_SPECIAL))


def _escape_lead(lead: re.Match[str]) -> str:
    return f"{lead[1]}\\{lead[2]}" if lead[2] else f"{lead[1]}{lead[3]}\\{lead[4]}"


def _markdown_blocks(blocks: tuple[ArticleBlock, ...]) -> Iterator[str]:
    """Render each block, list items of one list as one piece."""
    items: list[str] = []
    number = 0
    for block in blocks:
        if block.kind is not Kind.LIST_ITEM and items:
            yield "\n".join(items)
            items, number = [], 0
        text = _markdown_text(block.text)
        match block.kind:
            case Kind.HEADING:
                yield f"{'#' * min(6, max(2, block.level))} {' '.join(text.split())}"
            case Kind.LIST_ITEM:
                number += 1
                mark = f"{number}." if block.ordered else "-"
                items.append(f"{'  ' * max(0, block.level - 1)}{mark} {' '.join(text.split())}")
            case Kind.QUOTE:
                yield "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
            case Kind.CODE:
                runs = re.findall("`+", block.text)
                fence = "`" * max(3, 1 + max(map(len, runs), default=0))
                yield f"{fence}\n{block.text}\n{fence}"
            case Kind.TABLE:
                yield _markdown_table(block.rows or tuple(tuple(row.split("\t")) for row in block.text.split("\n")))
            case Kind.CAPTION:
                yield f"*{' '.join(text.split())}*"
            case _:
                yield text.replace("\n", "  \n")
    if items:
        yield "\n".join(items)


def _markdown_table(rows: tuple[tuple[str, ...], ...]) -> str:
    """Render rows as a pipe table; the first row is the head, short rows are filled up."""
    width = max(map(len, rows), default=0)
    lines = [
        "| " + " | ".join(c.translate(_MARKDOWN_SPECIAL).replace("|", "\\|").replace("\n", " ") for c in row) + " |"
        for row in (tuple(row) + ("",) * (width - len(row)) for row in rows)
    ]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]])
