"""Which files of a folder are read, and what is told of the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.archive.test_warc import HTML, Read

PAGES = (
    "a.html",
    "b.html.1",
    "c.html?id=5",
    "d.htm?x=y.css",
    "e.html@id=5",
    "f.asp",
    "g.php",
    "h.ASPX",
    "i.jsp",
    "j.shtml",
    "k.php?p=7",
)
OTHERS = ("html", "l.css", "n.html.bak", "noext", "o.html_files")


def test_names_that_wget_writes_are_pages_and_the_other_files_are_told(tmp_path: Path) -> None:
    for name in PAGES + OTHERS:
        (tmp_path / name).write_bytes(HTML)
    read = Read(tmp_path)
    assert [page.url for page in read.pages] == [(tmp_path / name).as_uri() for name in PAGES]
    assert read.skips == [("other_file", str(tmp_path / name)) for name in OTHERS]


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (tmp_path / "a.html").write_bytes(HTML)
    scandir = os.scandir

    def refusing(place: str) -> object:
        if str(place) == str(closed):
            raise PermissionError(13, "Permission denied", place)
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refusing)
    read = Read(tmp_path)
    assert len(read.pages) == 1
    assert read.skips == [("unreadable", str(closed))]
