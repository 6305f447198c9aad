"""What a command reads is never overwritten by what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from webmain.cli import main
from webmain.items import Article
from webmain.ledger.ledger import Ledger
from webmain.store.registry import open_store

PAGE = (
    "<title>Tides</title>"
    + "<p>The harbour master read the gauge, and the tide rose past the quay again today.</p>" * 9
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with stores, a ledger and pages, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    for spec in ("jsonl:st.jsonl", "sqlite:news.db"):
        with open_store(spec) as store:
            store.add(Article(id="1", url="https://a.example/1", text="tide " * 50, language="en"))
    Ledger("news.db.ledger").close()
    Path("pages").mkdir()
    for name in ("page.html", "pages/a.html"):
        Path(name).write_text(PAGE)
    Path("link.db").hardlink_to("news.db")
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "export jsonl:st.jsonl -o st.jsonl",
        "export sqlite:news.db -f jsonl -o news.db",
        "export sqlite:news.db -f jsonl -o ./pages/../news.db",
        "export sqlite:news.db -f jsonl -o link.db",
        "export sqlite:news.db -f jsonl -o news.db-wal",
        "export sqlite:news.db -f jsonl -o news.db.ledger",
        "cloud --store sqlite:news.db -f html -o news.db",
        "cloud page.html --against store=sqlite:news.db -f html -o news.db",
        "cloud page.html --against pages/a.html -o pages/a.html",
        "extract page.html -o page.html",
        "extract pages -o pages/a.html",
        "extract pa*s/*.html -o pages/a.html",
        "explain page.html -o page.html",
        "explain pages/a.html --gold page.html -o page.html",
        "status news.db --prometheus news.db",
        "status news.db.ledger --prometheus news.db.ledger",
        "status --store sqlite:news.db --prometheus news.db",
    ],
)
def test_a_command_refuses_to_write_what_it_reads(folder: Path, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert main(line.split()) == 2
    assert "this file belongs to what is read" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    "line",
    ["export sqlite:news.db -o st.jsonl", "extract page.html -o pages/a.txt", "extract pages -o pages/new.html"],
)
def test_other_files_are_written(folder: Path, line: str) -> None:
    assert main(line.split()) == 0
    assert (folder / line.split()[-1]).stat().st_size
