"""Gold pages in files of their own, each with a text file of the same name: CleanEval's folders, and any others."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from webmain.evaluation.drops import DropReason, Drops
from webmain.evaluation.gold_json import BadRecordError, page_of_record, read_bounded, read_object
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
"""Names of the folders of pages and of texts, in lower case, with the language the names tell."""

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
_METADATA_FIELDS = ("url", "site", "domain", "lang", "language", "page_type", "category", "with", "without")


@dataclass(frozen=True, slots=True)
class _Layout:
    """Two folders, perhaps the same, of pages and texts.

    Attributes
    ----------
    pages, texts : Path
        The folders.
    language : str
        Of all pages, "" if unknown.
    prefix : str
        Goes before the names of the pages, where others have the same.
    """

    pages: Path
    texts: Path
    language: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two files of the same name without its endings."""

    name: str
    page: Path
    text: Path


def _layouts(path: Path) -> list[_Layout]:
    """Return where pages and texts stand: in the subfolders of a known layout, else in the folder itself."""
    if not path.is_dir():
        return []
    folders = {folder.name.lower(): folder for folder in sorted(path.iterdir()) if folder.is_dir()}
    known = [layout for layout in _LAYOUTS if layout[0] in folders and layout[1] in folders]
    return [
        _Layout(folders[pages], folders[texts], language, f"{folders[pages].name}/" if len(known) > 1 else "")
        for pages, texts, language in known
    ] or [_Layout(path, path)]


def _named(folder: Path, pattern: re.Pattern[str]) -> dict[str, Path]:
    """Return the files of a folder by their names without endings, numbers in the order of their values."""
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir(), key=_natural):
        match = pattern.fullmatch(file.name)
        if match and not file.name.startswith(".") and file.is_file():
            found.setdefault(match[1], file)
    return found


def _natural(file: Path) -> list[tuple[int, str]]:
    """Sort "9.html" before "10.html"."""
    parts = _DIGITS.split(file.name)
    return [(len(part.lstrip("0")), part) if place % 2 else (0, part) for place, part in enumerate(parts)]


def _pairs(layout: _Layout, drops: Drops | None = None) -> Iterator[_Pair]:
    pages, texts = _named(layout.pages, _PAGE_NAME), _named(layout.texts, _TEXT_NAME)
    for name, page in pages.items():
        if name in texts:
            yield _Pair(name, page, texts[name])
        elif drops:
            drops.add(DropReason.NO_GOLD, f"{page.name}: no text file of this name")
    if drops:
        for name in texts.keys() - pages.keys():
            drops.add(DropReason.NO_PAGE, f"{texts[name].name}: no page of this name")


def is_folder(path: Path) -> bool:
    """Tell whether there are a page and a text of the same name at a path."""
    return any(True for layout in _layouts(path) for _ in _pairs(layout))


def is_cleaneval_folder(path: Path) -> bool:
    """Tell whether one of the first pages at a path stands in CleanEval's wrapper."""
    for layout in _layouts(path):
        for pair in islice(_pairs(layout), _MAX_PROBED):
            try:
                with pair.page.open("rb") as stream:
                    if _WRAPPER.match(stream.read(8192)):
                        return True
            except OSError:
                continue
    return False


def _read(
    path: Path, drops: Drops, read_pair: Callable[[_Pair, _Layout, Mapping[str, Any]], GoldPage]
) -> Iterator[GoldPage]:
    """Read all pairs of files at a path, and drop those that cannot be used."""
    for layout in _layouts(path):
        try:
            metadata = _metadata(path)
        except BadRecordError as error:
            drops.add(error.reason, f"metadata.json {error.detail}".rstrip())
            metadata = {}
        for pair in _pairs(layout, drops):
            try:
                page = read_pair(pair, layout, _fields(pair, metadata))
            except BadRecordError as error:
                drops.add(error.reason, f"{pair.page.name} {error.detail}".rstrip())
                continue
            yield page


def _metadata(path: Path) -> Mapping[str, Any]:
    file = path / "metadata.json"
    return read_object(file) if file.is_file() else {}


def _fields(pair: _Pair, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is told about a page: `metadata.json` by its name, then a JSON file of its name."""
    told: dict[str, Any] = {}
    for record in (metadata.get(pair.name), _beside(pair)):
        if isinstance(record, dict):
            told |= {name: record[name] for name in _METADATA_FIELDS if name in record}
    return told


def _beside(pair: _Pair) -> Mapping[str, Any]:
    for folder in dict.fromkeys((pair.page.parent, pair.text.parent)):
        if (file := folder / f"{pair.name}.json").is_file():
            return read_object(file)
    return {}


# --- any folder ------------------------------------------------------------------------------------------------------


def folder_pages(path: Path, drops: Drops) -> Iterator[GoldPage]:
    """Read a folder of pages with plain texts.

    Parameters
    ----------
    path : Path
        `NAME.html` with `NAME.txt` beside it, or in the subfolders `html` and `txt` or `text` (or those of Dragnet,
        `HTML` and `Corrected`, with `NAME.html.corrected.txt`, where a line parts the article from the comments). Either
        may be compressed by gzip. `NAME.json`, or `metadata.json` by names, may tell `url`, `lang`, `page_type`, `category`,
        `with`, `without`.
    drops : Drops
        Told what was left out.

    Notes
    -----
    Pages stay bytes, so that a system's reading of encodings is measured too; texts are decoded.
    """

    def read_pair(pair: _Pair, layout: _Layout, told: Mapping[str, Any]) -> GoldPage:
        text, _, comments = _parted(decode(read_bounded(pair.text)).text)
        fields = {"lang": layout.language, **told, "text": text, "comments_gold": comments}
        return page_of_record(
            fields, dataset=_dataset(path), fallback_id=layout.prefix + pair.name, html=read_bounded(pair.page)
        )

    yield from _read(path, drops, read_pair)


def _parted(text: str) -> tuple[str, str, str]:
    """Part a text at the line by which Dragnet's gold parts the article from its comments."""
    found = _COMMENTS.search(text)
    return (text[: found.start()], found[0], text[found.end() :].strip()) if found else (text, "", "")


def _dataset(path: Path) -> str:
    return path.resolve().name


# --- CleanEval -------------------------------------------------------------------------------------------------------


def cleaneval_pages(path: Path, drops: Drops) -> Iterator[GoldPage]:
    """Read CleanEval's development or final set, or CleanPortalEval, as they are published.

    Parameters
    ----------
    path : Path
        A folder with `input` or `finalrun-input` (`N.html`) and `GoldStandard` (`N.txt`), or with `en_original` and
        `en_cleaned` (`N-cleaned.txt`), the same for `zh`, or with all files together.
    drops : Drops
        Told what was left out.

    Notes
    -----
    A page stands between `<text id="URL" title="..." encoding="...">` and `</text>`, which are taken off; its bytes are
    decoded by what they say, then by the wrapper's encoding ("unset" is none). A gold text begins with a line `URL:`, which
    goes; its marks `<p>`, `<h>` and `<l>` start a line each, lines that were only wrapped are joined, and character
    references are resolved. Anything else in angle brackets is text.

    References: M. Baroni et al., "CleanEval: a competition for cleaning web pages", LREC 2008.
    """

    def read_pair(pair: _Pair, layout: _Layout, told: Mapping[str, Any]) -> GoldPage:
        body, attributes = unwrap(read_bounded(pair.page))
        text, url = plain_cleaneval_text(decode(read_bounded(pair.text)).text)
        declared = {"content-type": f"text/html; charset={attributes.get('encoding', '')}"}
        fields = {"lang": layout.language, "url": url or attributes.get("id"), **told, "text": text}
        html = decode(body, headers=declared).text
        return page_of_record(fields, dataset=_dataset(path), fallback_id=layout.prefix + pair.name, html=html)

    yield from _read(path, drops, read_pair)


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
