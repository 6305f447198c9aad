"""Gold pages in JSON: one object a line with page and text, and WCXB's ground truth files beside the pages."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from webmain.evaluation.drops import DropReason, Drops
from webmain.evaluation.records import GoldPage
from webmain.text.normal import replace_surrogates
from webmain.text.words import base_language
from webmain.urls import site_key

MAX_RECORD_BYTES = 128 << 20
"""Bytes of a line of JSON, or of a JSON file."""

MAX_PAGE_BYTES = 32 << 20
"""Bytes (or characters) of a page."""

_JSONL_ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_READ_ERRORS = (OSError, EOFError, zlib.error)


class BadRecordError(ValueError):
    """A record that cannot be used, with the reason."""

    def __init__(self, reason: DropReason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail


# --- one object a line -----------------------------------------------------------------------------------------------


def jsonl_files(path: Path) -> list[Path]:
    """Return the JSON lines files at a path: the file itself, or those of a folder, by name."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [file for file in files if file.is_file() and file.name.lower().endswith(_JSONL_ENDINGS)]


def jsonl_pages(path: Path, drops: Drops) -> Iterator[GoldPage]:
    """Read gold pages from JSON lines.

    Parameters
    ----------
    path : Path
        A file of one JSON object a line, compressed by gzip or not, or a folder of them. A file in whose first line is no
        page is dropped as a whole.
    drops : Drops
        Told what was left out.

    Notes
    -----
    Fields: `id`; `html`, or `html_b64`, the page's bytes in Base64, which goes first; `text`, the plain main text, or
    null; `with` and `without`, lists of segments that must and must not appear. Optional: `dataset` (else the file's
    name), `url`, `domain` or `site`, `period`, `lang`, `page_type`, `category`, `comments_gold`.
    """
    for file in jsonl_files(path):
        dataset = file.name.partition(".")[0]
        for number, line in _lines(file, drops):
            where = f"{file.name}:{number}"
            try:
                record = _object(line)
                if number == 1 and not ("html" in record or "html_b64" in record):
                    raise BadRecordError(DropReason.NOT_GOLD, "no field html")
                page = page_of_record(record, dataset=dataset, fallback_id=str(number))
            except BadRecordError as error:
                drops.add(error.reason, f"{where} {error.detail}".rstrip())
                if error.reason is DropReason.NOT_GOLD:
                    break
                continue
            yield page


def _lines(file: Path, drops: Drops) -> Iterator[tuple[int, bytes]]:
    """Read a file line by line, numbered from 1; blank lines are left out, lines beyond the limit dropped."""
    number = 0
    try:
        with _opened(file) as stream:
            while line := stream.readline(MAX_RECORD_BYTES + 1):
                number += 1
                if len(line) > MAX_RECORD_BYTES:
                    drops.add(DropReason.TOO_LARGE, f"{file.name}:{number}")
                    while line and not line.endswith(b"\n"):
                        line = stream.readline(1 << 20)
                elif line.strip():
                    yield number, line
    except _READ_ERRORS as error:
        drops.add(DropReason.UNREADABLE, f"{file.name}:{number + 1} {type(error).__name__}: {error}")


def _opened(file: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(file, "rb")) if file.name.lower().endswith(".gz") else file.open("rb")


def read_bounded(file: Path, limit: int = MAX_PAGE_BYTES) -> bytes:
    """Return what is in a file, decompressed where its name ends in `.gz`.

    Raises
    ------
    BadRecordError
        It cannot be read, or is larger than the limit.
    """
    try:
        with _opened(file) as stream:
            data = stream.read(limit + 1)
    except _READ_ERRORS as error:
        raise BadRecordError(DropReason.UNREADABLE, f"{type(error).__name__}: {error}") from None
    if len(data) > limit:
        raise BadRecordError(DropReason.TOO_LARGE, f"over {limit} bytes")
    return data


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadRecordError(DropReason.NOT_JSON, str(error)[:80]) from None
    if not isinstance(value, dict):
        raise BadRecordError(DropReason.NOT_JSON, f"but {type(value).__name__}")
    return value


def read_object(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file.

    Raises
    ------
    BadRecordError
        It cannot be read, is larger than `MAX_RECORD_BYTES`, or no JSON object.
    """
    return _object(read_bounded(file, MAX_RECORD_BYTES))


def page_of_record(
    record: Mapping[str, Any], *, dataset: str, fallback_id: str, html: str | bytes | None = None
) -> GoldPage:
    """Make a page of the fields of a JSON object, as `jsonl_pages` describes them.

    Parameters
    ----------
    record : mapping
        The fields.
    dataset, fallback_id : str
        Taken where the record names none.
    html : str, bytes or None
        The page, where it isn't in the record.

    Raises
    ------
    BadRecordError
        There is no page or no gold in it, or a field has a wrong type.
    """
    html = _html(record) if html is None else html
    if not html.strip():
        raise BadRecordError(DropReason.NO_PAGE)
    url = _text(record, "url") or None
    wanted, unwanted = _texts(record, "with"), _texts(record, "without")
    return GoldPage(
        id=_text(record, "id") or fallback_id,
        dataset=_text(record, "dataset") or dataset,
        html=html,
        text=gold_text(_optional_text(record, "text"), judged=bool(wanted or unwanted)),
        url=url,
        site=_text(record, "domain") or _text(record, "site") or (site_key(url) if url else ""),
        period=_text(record, "period"),
        language=base_language(_text(record, "lang") or _text(record, "language")),
        page_type=_text(record, "page_type"),
        category=_text(record, "category"),
        wanted=wanted,
        unwanted=unwanted,
        comments=_text(record, "comments_gold"),
    )


def gold_text(text: str | None, *, judged: bool) -> str | None:
    """Return a gold text if there is one; None is enough where there are segments to judge by.

    Raises
    ------
    BadRecordError
        There is nothing to judge by.
    """
    if text and not text.isspace():
        return text
    if not judged:
        raise BadRecordError(DropReason.NO_GOLD if text is None else DropReason.EMPTY_GOLD)
    return None


def _html(record: Mapping[str, Any]) -> str | bytes:
    encoded = _text(record, "html_b64")
    html: str | bytes
    if encoded:
        try:
            html = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise BadRecordError(DropReason.BAD_FIELD, f"html_b64: {error}") from None
    else:
        html = _text(record, "html")
    if len(html) > MAX_PAGE_BYTES:
        raise BadRecordError(DropReason.TOO_LARGE, f"over {MAX_PAGE_BYTES} bytes")
    return html


def _optional_text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is not None and not isinstance(value, str):
        raise BadRecordError(DropReason.BAD_FIELD, f"{name}: {type(value).__name__}")
    return None if value is None else replace_surrogates(value)


def _text(record: Mapping[str, Any], name: str) -> str:
    return _optional_text(record, name) or ""


def _texts(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the segments of a list; blank ones, which stand in every text, are left out."""
    values = record.get(name)
    if values is None:
        return ()
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise BadRecordError(DropReason.BAD_FIELD, f"{name}: no list of texts")
    return tuple(replace_surrogates(value) for value in values if value and not value.isspace())


# --- WCXB ------------------------------------------------------------------------------------------------------------

_WCXB_SPLITS = ("dev", "test")


def wcxb_folders(path: Path) -> list[Path]:
    """Return the folders at a path that hold `ground-truth` and `html`: itself, or its splits."""
    return [
        folder
        for folder in (path, *(path / split for split in _WCXB_SPLITS))
        if (folder / "ground-truth").is_dir() and (folder / "html").is_dir()
    ]


def wcxb_pages(path: Path, drops: Drops) -> Iterator[GoldPage]:
    """Read the Web Content Extraction Benchmark (WCXB, 2026) as it is published.

    Parameters
    ----------
    path : Path
        The benchmark's folder, or that of one split: `ground-truth/ID.json` with `url`, `ground_truth` (`main_content`,
        `with`, `without`) and `_internal.page_type.primary`, and `html/ID.html.gz` or `html/ID.html` in UTF-8.
    drops : Drops
        Told what was left out.
    """
    for folder in wcxb_folders(path):
        name = folder.resolve().name
        dataset = f"wcxb_{name}" if name in _WCXB_SPLITS else name
        for file in sorted((folder / "ground-truth").glob("*.json")):
            try:
                page = _wcxb_page(file, folder / "html", dataset)
            except BadRecordError as error:
                drops.add(error.reason, f"{file.name} {error.detail}".rstrip())
                continue
            yield page


def _wcxb_page(file: Path, pages: Path, dataset: str) -> GoldPage:
    record = read_object(file)
    truth = record.get("ground_truth")
    if not isinstance(truth, dict):
        raise BadRecordError(DropReason.NO_GOLD, "no object ground_truth")
    found = [page for ending in (".html.gz", ".html") if (page := pages / f"{file.stem}{ending}").is_file()]
    if not found:
        raise BadRecordError(DropReason.NO_PAGE)
    fields = {
        "id": record.get("file_id") or file.stem,
        "url": record.get("url"),
        "text": truth.get("main_content"),
        "with": truth.get("with"),
        "without": truth.get("without"),
        "page_type": _wcxb_page_type(record),
    }
    return page_of_record(fields, dataset=dataset, fallback_id=file.stem, html=as_utf8(read_bounded(found[0])))


def _wcxb_page_type(record: Mapping[str, Any]) -> str:
    internal = record.get("_internal")
    value = internal.get("page_type") if isinstance(internal, dict) else None
    if isinstance(value, dict):
        value = value.get("primary")
    if not isinstance(value, str):
        return ""
    return "collection" if value == "category" else value  # its older name, as the benchmark's script reads it


def as_utf8(data: bytes) -> str | bytes:
    """Return bytes as text where they are UTF-8, as they are otherwise."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data
