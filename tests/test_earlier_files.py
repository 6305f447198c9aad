"""Files that earlier versions wrote (`tests/files`): opened with their ids, fingerprints and known URLs, and migrated."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from webmain.archive.recording import WarcIndex
from webmain.cli import main
from webmain.items import Article
from webmain.ledger.ledger import Ledger
from webmain.store.protocol import Outcome
from webmain.store.registry import open_store
from webmain.store.review import read_review
from webmain.store.search import open_index
from webmain.store.sqlite_file import SqliteFile

FILES = Path(__file__).parent / "files"
SITE = "khaosaiklang.example"
TWICE = "https://news.example/1"


def unpack(folder: Path, into: Path) -> Path:
    """Copy a folder of files of an earlier version, unpacked."""
    for path in folder.rglob("*.*"):
        target = into / path.relative_to(folder)
        target.parent.mkdir(exist_ok=True)
        if path.suffix == ".gz" and not path.name.endswith(".warc.gz"):
            target.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        else:
            shutil.copy(path, target)
    return into


@pytest.fixture(params=sorted(path.name for path in FILES.iterdir()))
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The files of one earlier version, unpacked."""
    return unpack(FILES / request.param, tmp_path)


def records(folder: Path) -> dict[str, dict[str, object]]:
    """Return the last line of each id of the JSONL store, as JSON."""
    lines = map(json.loads, (folder / "news.jsonl").read_text().splitlines())
    return {line["id"]: line for line in lines}


def user_version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("spec", ["sqlite:news.db", "jsonl:news.jsonl"])
def test_store_keeps_ids_fingerprints_texts_and_revisions(earlier, monkeypatch, spec):
    monkeypatch.chdir(earlier)
    expected = records(earlier)
    size = (earlier / "news.jsonl").stat().st_size
    with open_store(spec) as store:
        articles = {article.id: article for article in store.articles()}
        assert not store.may_lack
        assert dict(store.fingerprints()) == {name: record["fingerprint"] for name, record in expected.items()}
        for name, record in expected.items():
            written = Article.from_dict(record)
            assert articles[name] == written
        for article in articles.values():
            store.add(article)
        assert {stored.outcome for stored in store.commit()} == {Outcome.UNCHANGED}
        numbers = [revision.number for revision in store.revisions(store_id(articles, TWICE))]
        assert numbers[-1] == 2
    assert (earlier / "news.jsonl").stat().st_size == size


def store_id(articles: dict[str, Article], url: str) -> str:
    return next(name for name, article in articles.items() if article.url == url)


def test_database_is_migrated_by_its_user_version(earlier):
    path = earlier / "news.db"
    assert user_version(path) <= len(SqliteFile.migrations)
    with open_store(f"sqlite:{path}") as store:
        n = store.count()
    assert user_version(path) == len(SqliteFile.migrations)
    with open_store(f"sqlite:{path}") as store:
        assert store.count() == n


def test_search_index_is_used_or_made_anew(earlier):
    with open_index(f"sqlite:{earlier / 'news.db'}") as index:
        index.update()
        assert [hit.url for hit in index.search("harbour closed").hits] == [TWICE]


def test_ledger_knows_every_stored_article(earlier):
    stored = [str(record["url"]) for record in records(earlier).values() if record["site"] == SITE]
    with Ledger(earlier / "news.db.ledger") as ledger:
        assert ledger.stored(stored) == set(stored)
        assert ledger.unknown(stored) == []


def test_review_list_is_read(earlier):
    known = records(earlier)
    assert {entry.id for entry in read_review(earlier / "news.db.review")} <= set(known)


def test_recording_has_every_stored_page(earlier):
    index = WarcIndex([earlier / "crawl.warc.gz"])
    for record in records(earlier).values():
        if record["site"] == SITE:
            assert index.lookup(str(record["url"])).status == 200


def test_everything_passes_the_check(earlier, capsys):
    for name in ("news.db", "news.jsonl", "news.db.ledger", "crawl.warc.gz", "models"):
        assert main(["check", str(earlier / name)]) == 0
    assert capsys.readouterr().out.count("can be read") == 5
