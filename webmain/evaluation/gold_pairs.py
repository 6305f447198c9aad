"""Reads gold pages in separate files, each with a text file of the same name: CleanEval's folders, and others."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from webmain.evaluation.gold_records import (
    BadRecord,
    DropReason,
    Records,
    page_of_record,
    page_or_error,
    read_bounded,
    read_object,
)
from webmain.evaluation.records import GoldPage
from webmain.html.encoding import decode
from webmain.text.normal import fold_space

_LAYOUTS = (
    ("en_original", "en_cleaned", "en"),
    ("zh_original", "zh_cleaned", "zh"),
    ("finalrun-input", "goldstandard", ""),
    ("input", "goldstandard", ""),
    ("orig", "clean", ""),
    ("original", "gold", ""),
    ("html", "corrected", ""),
    ("html", "text", ""),
    ("html", "txt", ""),
)
"""Names of the folders of pages and of texts, in lower case, with the language if the names contain it."""

_PAGE_NAME = re.compile(r"(.+)\.x?html?(?:\.gz)?", re.IGNORECASE | re.DOTALL)
_TEXT_NAME = re.compile(r"(.+?)(?:\.x?html?)?(?:-cleaned|\.corrected)?\.txt(?:\.gz)?", re.IGNORECASE | re.DOTALL)
_WRAPPER = re.compile(
    rb"\s{0,99}(?:\xef\xbb\xbf)?\s{0,99}<text(\s[^\n]{0,4000}?)>[ \t\r]*(?:\n|(?=<)|\Z)", re.IGNORECASE
)
_WRAPPER_END = re.compile(rb"</text>\s*\Z", re.IGNORECASE)
_ATTRIBUTE = re.compile(r'\s(id|encoding)="([^"]*)"', re.IGNORECASE)
_URL_LINE = re.compile(r"\s*URL:[ \t]*(?:\r?\n[ \t]*(?=http))?([^\r\n]*)", re.IGNORECASE)
_LINE_END = re.compile(r"\n[ \t]*\n|</?[phl]>", re.IGNORECASE)
_COMMENTS = re.compile(r"!@#\$%\^&\*\(\)[ \t]*COMMENTS")
_DIGITS = re.compile(r"(\d+)")
_MAX_PROBED = 5

METADATA_FIELDS = ("url", "site", "domain", "lang", "language", "page_type", "category", "with", "without")
"""Fields that a JSON file beside a page may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A page file and a text file of the same name without suffixes, either of which may be missing."""

    id: str  # the name, with that of its folder where others have pages of the same names
    name: str
    page: Path | None
    text: Path | None
    language: str  # by the folder's name, "" if unknown


_Read: TypeAlias = Callable[[bytes, bytes], tuple[str | bytes, dict[str, Any]]]
"""Makes a page and the fields of a record from the files of a page and its text."""


def _pairs(path: Path) -> Iterator[_Pair]:
    """Return the pairs in the subfolders of known layouts, or else in the folder itself."""
    if not path.is_dir():
        return
    folders = {folder.name.lower(): folder for folder in sorted(path.iterdir()) if folder.is_dir()}
    known = [(folders[a], folders[b], language) for a, b, language in _LAYOUTS if a in folders and b in folders]
    for page_folder, text_folder, language in known or [(path, path, "")]:
        prefix = f"{page_folder.name}/" if len(known) > 1 else ""
        pages, texts = _named(page_folder, _PAGE_NAME), _named(text_folder, _TEXT_NAME)
        for name in dict.fromkeys((*pages, *texts)):
            yield _Pair(id=prefix + name, name=name, page=pages.get(name), text=texts.get(name), language=language)


def _named(folder: Path, pattern: re.Pattern[str]) -> dict[str, Path]:
    """Return the files of a folder by name without suffixes, numbers in numeric order."""
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir(), key=_natural):
        match = pattern.fullmatch(file.name)
        if match and not file.name.startswith(".") and file.is_file():
            found.setdefault(match[1], file)
    return found


def _natural(file: Path) -> list[tuple[int, str]]:
    """Return a sort key that puts "9.html" before "10.html"."""
    parts = _DIGITS.split(file.name)
    return [(len(part.lstrip("0")), part) if place % 2 else (0, part) for place, part in enumerate(parts)]


def is_folder(path: Path) -> bool:
    """Return True if a path contains a page and a text of the same name."""
    return any(pair.page and pair.text for pair in _pairs(path))


def is_cleaneval_folder(path: Path) -> bool:
    """Return True if one of the first pages at a path is in CleanEval's wrapper."""
    pages = (pair.page for pair in _pairs(path) if pair.page and pair.text)
    return any(_is_wrapped(page) for page in islice(pages, _MAX_PROBED))


def _is_wrapped(page: Path) -> bool:
    try:
        with page.open("rb") as stream:
            return bool(_WRAPPER.match(stream.read(8192)))
    except OSError:
        return False


def _records(path: Path, read: _Read) -> Records:
    metadata: Mapping[str, Any] = {}
    try:
        if (file := path / "metadata.json").is_file():
            metadata = read_object(file)
    except BadRecord as error:
        yield "metadata.json", error
    for pair in _pairs(path):
        where = (pair.page or pair.text or path).name
        if pair.page is None or pair.text is None:
            reason, missing = (DropReason.NO_PAGE, "page") if pair.text else (DropReason.NO_GOLD, "text file")
            yield where, BadRecord(reason, f"no {missing} of this name")
        else:
            known, dataset = metadata.get(pair.name), path.resolve().name
            yield where, page_or_error(_page, pair, pair.page, pair.text, known, dataset, read)


def _page(pair: _Pair, page: Path, text: Path, metadata: Any, dataset: str, read: _Read) -> GoldPage:
    """Read a pair, with its fields in `metadata.json` and, with precedence, in a JSON file of its name."""
    html, fields = read(read_bounded(page), read_bounded(text))
    beside = [file for folder in (page.parent, text.parent) if (file := folder / f"{pair.name}.json").is_file()]
    known: dict[str, Any] = {"lang": pair.language}
    for record in (metadata, read_object(beside[0]) if beside else None):
        if isinstance(record, dict):
            known |= {name: record[name] for name in METADATA_FIELDS if name in record}
    return page_of_record({**fields, **known}, dataset=dataset, fallback_id=pair.id, html=html)


def folder_records(path: Path) -> Records:
    """Read a folder of pages with plain texts.

    `NAME.html` with `NAME.txt` beside it, or in the subfolders `html` and `txt` or `text` (or those of Dragnet, `HTML` and
    `Corrected`, with `NAME.html.corrected.txt`, where a line separates the article from the comments). Pages stay bytes, so
    that each system's decoding is measured too; texts are decoded.
    """

    def read(page: bytes, text: bytes) -> tuple[str | bytes, dict[str, Any]]:
        article, *comments = _COMMENTS.split(decode(text).text, maxsplit=1)
        return page, {"text": article, "comments_gold": "".join(comments).strip()}

    return _records(path, read)


def cleaneval_records(path: Path) -> Records:
    """Read CleanEval's development or final set, or CleanPortalEval, as they are published.

    A page is between `<text id="URL" title="..." encoding="...">` and `</text>`, which are taken off; its bytes are decoded
    by what the page declares, then by the wrapper's encoding ("unset" is none). A gold text begins with a line `URL:`, which
    is removed; its marks `<p>`, `<h>` and `<l>` start a line each, lines that were only wrapped are joined, and character
    references are resolved. Anything else in angle brackets is text.

    References: M. Baroni et al., "CleanEval: a competition for cleaning web pages", LREC 2008.
    """

    def read(page: bytes, text: bytes) -> tuple[str | bytes, dict[str, Any]]:
        body, attributes = unwrap(page)
        plain, url = plain_cleaneval_text(decode(text).text)
        declared = {"content-type": f"text/html; charset={attributes.get('encoding', '')}"}
        return decode(body, headers=declared).text, {"text": plain, "url": url or attributes.get("id")}

    return _records(path, read)


def unwrap(body: bytes) -> tuple[bytes, Mapping[str, str]]:
    """Return a page without CleanEval's wrapper, and the wrapper's `id` and `encoding`."""
    match = _WRAPPER.match(body)
    if not match:
        return body, {}
    attributes = _ATTRIBUTE.findall(match[1].decode("utf-8", "replace"))
    inside = body[match.end() :]
    tail = inside[-200:]
    end = _WRAPPER_END.search(tail)
    if end:
        inside = inside[: len(inside) - len(tail) + end.start()]
    return inside, {name.lower(): entities.unescape(value) for name, value in attributes}


def plain_cleaneval_text(text: str) -> tuple[str, str]:
    """Return the plain text of a CleanEval gold file, a line for each paragraph, heading and list item, and its URL."""
    url = ""
    head = _URL_LINE.match(text)
    if head:
        url, text = head[1].strip(), text[head.end() :]
    lines = map(fold_space, _LINE_END.split(text.replace("\r\n", "\n")))
    return entities.unescape("\n".join(line for line in lines if line)), url
