"""`webmain revisions`."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from webmain.cli import main
from webmain.items import Article
from webmain.ledger.ledger import DoneUrl, Ledger
from webmain.store.registry import open_store

Make = Callable[..., Article]
TEXT = "The harbour opened again. In all 12 ships left.\n\nThe mayor thanked the crews."


@pytest.fixture(params=["jsonl", "sqlite"])
def spec(request: pytest.FixtureRequest, tmp_path: Path, make_article: Make) -> str:
    """A store with an article in three versions, whose page is gone."""
    spec = f"{request.param}:{tmp_path / 'news'}"
    with open_store(spec) as store:
        store.add(make_article(text=TEXT))
        store.add(make_article(text=TEXT.replace("12", "13")))
        store.add(make_article(text=TEXT.replace("12", "13"), title="Harbour is open"))
        store.commit()
        store.mark_gone(make_article().id, when=datetime(2026, 12, 1, 8, tzinfo=UTC), status=410)
    return spec


@pytest.mark.parametrize(
    "address",
    [
        "https://news.example/1",
        "http://www.news.example/1?utm_campaign=x",
        "https://news.example/1/amp",
        "https://news.example/1?print=1",
        "https://go.example/short",
    ],
)
def test_an_article_is_found_by_any_form_of_its_address(spec, make_article, capsys, address):
    with Ledger(f"{spec.partition(':')[2]}.ledger") as ledger:
        done = DoneUrl(url="https://go.example/short", article_id=make_article().id, canonical="https://news.example/1")
        ledger.mark_done([done], site="news.example")
    assert main(["revisions", address, "--store", spec]) == 0
    told = capsys.readouterr().out
    assert "correction (sentences: 1 edited)" in told
    assert "headline" in told
    assert "now: Harbour is open" in told
    assert "HTTP status 410" in told
    assert "\x1b" not in told


def test_paragraphs_are_shown_with_the_words_that_differ(spec, capsys):
    assert main(["revisions", "https://news.example/1", "--store", spec, "--diff"]) == 0
    told = capsys.readouterr().out
    assert "- The harbour opened again. In all [12] ships left." in told
    assert "+ The harbour opened again. In all [13] ships left." in told
    assert "(1 kept)" in told


def test_json_has_kinds_counts_and_rows(spec, make_article, capsys):
    assert main(["revisions", make_article().id, "--store", spec, "--json", "--diff"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["gone_status"], [r["number"] for r in told["revisions"]]) == (410, [1, 2, 3])
    assert [r.get("kind") for r in told["revisions"]] == [None, "correction", "headline"]
    assert told["revisions"][1]["sentences"]["edits"] == 1
    assert [row["kind"] for row in told["revisions"][1]["rows"]] == ["changed", "kept"]


@pytest.mark.parametrize(("store", "code"), [("{}", 1), ("jsonl:none", 3), ("x", 2)])
def test_what_is_not_there_is_told(spec, capsys, store, code):
    assert main(["revisions", "https://news.example/none", "--store", store.format(spec)]) == code
    assert "webmain: " in capsys.readouterr().err
