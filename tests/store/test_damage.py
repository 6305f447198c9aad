"""Bits flipped at random in every kind of file: no traceback, nothing intact lost, and all that is damaged is told."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from webmain.archive.recording import WarcWriter
from webmain.archive.warc import read_pages
from webmain.cli import main
from webmain.extractors.base import Learned
from webmain.extractors.svm import SVM
from webmain.items import Article, Hints
from webmain.ledger.ledger import DoneUrl, FoundUrl, Ledger, LedgerError
from webmain.sites.model_store import ModelStore
from webmain.store.protocol import StoreError
from webmain.store.registry import open_store

Make = Callable[..., Article]
N = 8
SITE = "news.example"


@pytest.fixture
def files(tmp_path: Path, make_article: Make) -> dict[str, Path]:
    """One file of each kind, each with eight pieces."""
    found = {name: tmp_path / name for name in ("a.jsonl", "a.db", "a.ledger", "a.warc.gz", "models")}
    for form, name in (("jsonl", "a.jsonl"), ("sqlite", "a.db")):
        with open_store(f"{form}:{found[name]}") as store:
            for n in range(N):
                store.add(make_article(n, text=f"The text of article {n}, as it was.\n\nAnd its end."))
            store.commit()
            store.add(make_article(0, text="A second text of the first one."))
    with Ledger(found["a.ledger"]) as ledger:
        hints = Hints(source="feed", title="A title", authors=("Jane",), published="2026-11-21", summary="It came.")
        ledger.add_pending([FoundUrl(url=f"https://{SITE}/{n}", hints=hints) for n in range(N)], site=SITE)
        ledger.mark_done([DoneUrl(url=f"https://{SITE}/d{n}", article_id=f"{n}") for n in range(N)], site=SITE)
        ledger.add_alias(f"https://{SITE}/x", f"https://{SITE}/1")
    with WarcWriter(found["a.warc.gz"]) as writer:
        for n in range(N):
            writer.write(f"https://{SITE}/{n}", 200, {"Content-Type": "text/html"}, f"<p>Page {n}".encode() * 20)
    learned = Learned(n_pages=3, columns=("a",), weights={"w": [0.5, 1.5]}, quality=0.9, resemblance=0.8)
    ModelStore(found["models"]).save(SVM(learned=learned), SITE)
    return found


def file_of(path: Path) -> Path:
    return next(path.iterdir()) if path.is_dir() else path


def flipped(data: bytes, random: Random, n: int) -> bytes:
    damaged = bytearray(data)
    for _ in range(n):
        damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
    return bytes(damaged)


def use(name: str, path: Path, make_article: Make) -> int:
    """Use a file as a crawl does; return how many of its eight pieces are there."""
    match name:
        case "a.jsonl" | "a.db":
            form = "jsonl" if name == "a.jsonl" else "sqlite"
            with open_store(f"{form}:{path}") as store:
                n = len({article.id for article in store.articles()} & {make_article(n).id for n in range(N)})
                list(store.fingerprints())
                for article in [make_article(n) for n in range(N)]:
                    list(store.revisions(article.id))
                    store.add(article)
                store.commit()
            return n
        case "a.ledger":
            with Ledger(path) as ledger:
                urls = [f"https://{SITE}/{n}" for n in range(N)]
                known = ledger.unknown(urls), ledger.counts(), ledger.articles()
                pending = ledger.pending(SITE, 100)
                ledger.add_pending([FoundUrl(url=url) for url in urls], site=SITE)
                for url in urls:
                    ledger.state(url)
                    ledger.mark_failed(url, "x", site=SITE)
                ledger.mark_done([DoneUrl(url=url, reason="x") for url in urls])
            return min(N, len(pending) + (known is None))
        case "a.warc.gz":
            n = len(list(read_pages(path)))
            WarcWriter(path).close()
            return n
    return len(ModelStore(path).models().models)


KINDS = {"a.jsonl": 40, "a.db": 40, "a.ledger": 40, "a.warc.gz": 30, "models": 20}


def attack(
    files: dict[str, Path], make_article: Make, capsys: pytest.CaptureFixture[str], *, seed: int, times: int
) -> None:
    """Flip bits in each kind of file, check it, and use it."""
    random = Random(seed)
    for name, n in KINDS.items():
        path = files[name]
        whole = file_of(path).read_bytes()
        assert main(["check", str(path)]) == 0, capsys.readouterr().out
        for trial in range(n * times):
            damaged = flipped(whole, random, 1 if trial % 2 else 4)
            file_of(path).write_bytes(damaged)
            code = main(["check", str(path)])
            told = capsys.readouterr()
            assert code in (0, 1)
            assert "Traceback" not in told.out + told.err
            assert file_of(path).read_bytes() == damaged
            try:
                there = use(name, path, make_article)
            except (StoreError, LedgerError):
                assert name in (
                    "a.db",
                    "a.ledger",
                    "a.warc.gz",
                )  # a JSONL store can be opened whatever has become of it
                continue
            finally:
                for left in path.parent.glob(f"{name}-*"):
                    left.unlink()
            n_damages = 1 if trial % 2 else 4
            if name in ("a.jsonl", "a.warc.gz"):
                assert there >= N - n_damages - 1 * (name == "a.jsonl")
            if code == 0 and name != "models":
                assert there == N or name == "a.ledger"
        if path.is_dir():
            shutil.rmtree(path)


def test_flipped_bits_end_in_no_traceback_and_lose_nothing_intact(
    files: dict[str, Path], make_article: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    attack(files, make_article, capsys, seed=26, times=1)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_many_flipped_bits(files: dict[str, Path], make_article: Make, capsys: pytest.CaptureFixture[str]) -> None:
    attack(files, make_article, capsys, seed=27, times=40)
