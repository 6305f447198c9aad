"""Reads gold pages in JSON: one object per line with page and text, and WCXB's ground truth files beside the pages.

A reader yields, for each record, its location and its page, or a `BadRecord` saying why there is none.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from webmain.evaluation.records import GoldPage
from webmain.items.page import is_gold_record
from webmain.text.normal import replace_surrogates
from webmain.text.words import base_language
from webmain.urls import site_key

MAX_RECORD_BYTES = 128 << 20  # most bytes of a line of JSON, or of a JSON file
MAX_PAGE_BYTES = 32 << 20  # most bytes (or characters) of a page


class DropReason(StrEnum):
    """Why a gold record is left out."""

    NOT_GOLD = "a file without gold pages"
    UNREADABLE = "a file that cannot be read"
    TOO_LARGE = "larger than the limit"
    NOT_JSON = "no JSON object"
    BAD_FIELD = "a field of the wrong type"
    NO_PAGE = "no HTML page"
    NO_GOLD = "neither a gold text nor segments"
    EMPTY_GOLD = "an empty gold text and no segments"
    DUPLICATE = "an id seen before in its data set"


class BadRecord(ValueError):  # noqa: N818 - reads as what it is
    """A record that cannot be used, with the reason."""

    def __init__(self, reason: DropReason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


Records: TypeAlias = Iterator[tuple[str, GoldPage | BadRecord]]


def page_or_error(read: Callable[..., GoldPage], *given: Any) -> GoldPage | BadRecord:
    """Return what a function returns, or the `BadRecord` that it raises."""
    try:
        return read(*given)
    except BadRecord as error:
        return error


# --- files and fields ------------------------------------------------------------------------------------------------


def _opened(file: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(file, "rb")) if file.name.lower().endswith(".gz") else file.open("rb")


def read_bounded(file: Path, limit: int = MAX_PAGE_BYTES) -> bytes:
    """Return the contents of a file, decompressed if its name ends in `.gz`.

    Raises BadRecord if it cannot be read, or is larger than the limit.
    """
    try:
        with _opened(file) as stream:
            data = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadRecord(DropReason.UNREADABLE, f"{type(error).__name__}: {error}") from None
    if len(data) > limit:
        raise BadRecord(DropReason.TOO_LARGE, f"over {limit} bytes")
    return data


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8-sig", "surrogatepass"))  # given bytes, it would read UTF-16, too
    except (ValueError, RecursionError) as error:
        raise BadRecord(DropReason.NOT_JSON, str(error)[:80]) from None
    if not isinstance(value, dict):
        raise BadRecord(DropReason.NOT_JSON, f"but {type(value).__name__}")
    return value


def read_object(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file of at most `MAX_RECORD_BYTES`; raises BadRecord."""
    return _object(read_bounded(file, MAX_RECORD_BYTES))


def page_of_record(
    record: Mapping[str, Any], *, dataset: str, fallback_id: str, html: str | bytes | None = None
) -> GoldPage:
    """Return a page made from the fields of a JSON object, as docs/evaluate.md describes them.

    `dataset` and `fallback_id` are used if the record does not contain them, `html` if the page is not in the record.
    Raises BadRecord if there is no page or no gold in it, or a field has a wrong type.
    """
    html = _html(record) if html is None else html
    if not html.strip():
        raise BadRecord(DropReason.NO_PAGE)
    text = _optional_text(record, "text")
    url = _text(record, "url")
    wanted, unwanted = _texts(record, "with"), _texts(record, "without")
    has_text = bool(text and not text.isspace())
    if not has_text and not wanted and not unwanted:
        raise BadRecord(DropReason.NO_GOLD if text is None else DropReason.EMPTY_GOLD)
    return GoldPage(
        id=_text(record, "id") or fallback_id,
        dataset=_text(record, "dataset") or dataset,
        html=html,
        text=text if has_text else None,
        url=url or None,
        site=_text(record, "domain", "site") or (site_key(url) if url else ""),
        period=_text(record, "period"),
        language=base_language(_text(record, "lang", "language")),
        page_type=_text(record, "page_type"),
        category=_text(record, "category"),
        wanted=wanted,
        unwanted=unwanted,
        comments=_text(record, "comments_gold"),
    )


def _html(record: Mapping[str, Any]) -> str | bytes:
    html: str | bytes = _text(record, "html")
    if encoded := _text(record, "html_b64"):
        try:
            html = base64.b64decode(encoded, validate=True)
        except ValueError as error:
            raise BadRecord(DropReason.BAD_FIELD, f"html_b64: {error}") from None
    if len(html) > MAX_PAGE_BYTES:
        raise BadRecord(DropReason.TOO_LARGE, f"over {MAX_PAGE_BYTES} bytes")
    return html


def _optional_text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is not None and not isinstance(value, str):
        raise BadRecord(DropReason.BAD_FIELD, f"{name}: {type(value).__name__}")
    return None if value is None else replace_surrogates(value)


def _text(record: Mapping[str, Any], *names: str) -> str:
    """Return the first of some fields that is given, or ""."""
    return next(filter(None, (_optional_text(record, name) for name in names)), "")


def _texts(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the segments of a list without blank ones, which are in every text."""
    values = record.get(name) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise BadRecord(DropReason.BAD_FIELD, f"{name}: no list of texts")
    return tuple(replace_surrogates(value) for value in values if value and not value.isspace())


# --- one object a line -----------------------------------------------------------------------------------------------


def jsonl_files(path: Path) -> list[Path]:
    """Return the JSON lines files at a path: the file itself, or those of a folder, by name."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    endings = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
    return [file for file in files if file.is_file() and file.name.lower().endswith(endings)]


def jsonl_records(path: Path) -> Records:
    """Read a file of JSON lines, or a folder of them; a file whose first line is not a page counts as one bad record."""
    for file in jsonl_files(path):
        dataset = file.name.partition(".")[0]
        number = 0
        try:
            with _opened(file) as stream:
                while line := stream.readline(MAX_RECORD_BYTES + 1):
                    number += 1
                    where = f"{file.name}:{number}"
                    if len(line) > MAX_RECORD_BYTES:
                        yield where, BadRecord(DropReason.TOO_LARGE)
                        while line and not line.endswith(b"\n"):
                            line = stream.readline(1 << 20)
                    elif number == 1 and not _has_page(line):
                        yield where, BadRecord(DropReason.NOT_GOLD, "no field html")
                        break
                    elif line.strip():
                        yield where, page_or_error(_jsonl_page, line, dataset, str(number))
        except (OSError, EOFError, zlib.error) as error:
            yield f"{file.name}:{number + 1}", BadRecord(DropReason.UNREADABLE, f"{type(error).__name__}: {error}")


def _has_page(line: bytes) -> bool:
    """Return False for an object without the field of a page."""
    try:
        return is_gold_record(_object(line))
    except BadRecord:
        return True


def _jsonl_page(line: bytes, dataset: str, fallback_id: str) -> GoldPage:
    return page_of_record(_object(line), dataset=dataset, fallback_id=fallback_id)


# --- WCXB ------------------------------------------------------------------------------------------------------------

_WCXB_SPLITS = ("dev", "test")


def wcxb_folders(path: Path) -> list[Path]:
    """Return the folders at a path that contain `ground-truth` and `html`: itself, or its splits."""
    folders = (path, *(path / split for split in _WCXB_SPLITS))
    return [folder for folder in folders if (folder / "ground-truth").is_dir() and (folder / "html").is_dir()]


def wcxb_records(path: Path) -> Records:
    """Read the Web Content Extraction Benchmark (WCXB, 2026) as it is published, or one split of it."""
    for folder in wcxb_folders(path):
        name = folder.resolve().name
        dataset = f"wcxb_{name}" if name in _WCXB_SPLITS else name
        for file in sorted((folder / "ground-truth").glob("*.json")):
            yield file.name, page_or_error(_wcxb_page, file, folder / "html", dataset)


def _wcxb_page(file: Path, pages: Path, dataset: str) -> GoldPage:
    record = read_object(file)
    truth, internal = record.get("ground_truth"), record.get("_internal")
    if not isinstance(truth, dict):
        raise BadRecord(DropReason.NO_GOLD, "no object ground_truth")
    found = [page for ending in (".html.gz", ".html") if (page := pages / f"{file.stem}{ending}").is_file()]
    if not found:
        raise BadRecord(DropReason.NO_PAGE)
    data = read_bounded(found[0])
    html: str | bytes = data
    with contextlib.suppress(UnicodeDecodeError):  # bytes of another encoding stay bytes
        html = data.decode("utf-8-sig")
    kind = internal.get("page_type") if isinstance(internal, dict) else None
    kind = kind.get("primary") if isinstance(kind, dict) else kind
    fields = {
        "id": record.get("file_id"),
        "url": record.get("url"),
        "text": truth.get("main_content"),
        "with": truth.get("with"),
        "without": truth.get("without"),
        "page_type": "collection" if kind == "category" else kind,  # its older name, as the benchmark's script reads it
    }
    return page_of_record(fields, dataset=dataset, fallback_id=file.stem, html=html)
