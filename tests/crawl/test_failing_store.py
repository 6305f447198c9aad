"""A store that is not webmain's own and raises whatever it likes."""

from __future__ import annotations

import pytest

from webmain.ledger.ledger import Ledger, State

MODULE = '''
import json
from dataclasses import replace

from webmain.article.identity import content_mark, identify
from webmain.items import Article
from webmain.store.protocol import Outcome, Store, Stored


class Lines(Store):
    """A file with a JSON record a line."""

    def commit(self):
        stored = []
        with self.path.open("a") as file:
            for article in self._buffer:
                record = replace(article, id=identify(article), fingerprint=content_mark(article))
                file.write(record.to_json() + "\\n")
                stored.append(Stored(id=record.id, url=record.url, outcome=Outcome.NEW, revision=1))
        self._buffer.clear()
        return tuple(stored)

    def articles(self):
        for line in self.path.read_text().splitlines() if self.path.exists() else ():
            yield Article.from_dict(json.loads(line))

    def _release(self):
        pass


def failing(name):
    def method(self, *_args, **_options):
        raise OSError(f"the disk is on fire in {name}")

    return type(name, (Lines,), {name: method, "__module__": __name__})


for name in ("__init__", "add", "due", "commit", "fingerprints", "count", "close", "_release"):
    globals()[name] = failing(name)


class Faulty(Lines):
    def commit(self):
        return {}["a fault"]
'''


@pytest.fixture
def mine(crawl):
    """Return the specification of a store of the module's."""
    (crawl.folder / "mine.py").write_text(MODULE)
    return lambda name: f"mine:{name}:{crawl.folder}/news.lines"


@pytest.mark.parametrize("name", ["__init__", "add", "due", "commit", "fingerprints", "count", "close", "_release"])
def test_store_that_fails_ends_the_crawl_with_1_and_is_named(site, crawl, mine, name):
    done = crawl(urls=site.article("/a"), store=mine(name))
    assert done.code == 1
    assert f"The crawl ends: store {mine(name)}: the disk is on fire in {name}" in done.log
    assert "Traceback" not in done.log


def test_fault_in_a_store_is_logged_once_with_its_traceback(site, crawl, mine):
    done = crawl(urls=site.article("/a"), store=mine("Faulty"))
    assert done.code == 1
    assert f"The crawl ends: store {mine('Faulty')}: KeyError: 'a fault'" in done.log
    assert done.log.count("Traceback") == 1
    assert 'return {}["a fault"]' in done.log


def test_store_that_cannot_be_counted_ends_a_second_run_before_it_begins(site, crawl, mine):
    assert crawl(urls=site.article("/a"), store=mine("Lines")).code == 0
    done = crawl(urls=site.article("/b"), store=mine("count"))
    assert done.code == 1
    assert site.asked["/b"] == 0


@pytest.mark.parametrize("name", ["__init__", "add", "commit"])
def test_what_a_store_did_not_commit_is_stored_by_the_next_run(site, crawl, mine, name):
    url, ledger = site.article("/a"), crawl.folder / "ledger"
    beside = {"settings": {"WEBMAIN_LEDGER": ledger}, "urls": url}
    assert crawl(store=f"{mine(name)},jsonl:{crawl.store}", **beside).code == 1
    if ledger.exists():
        with Ledger(ledger) as opened:
            assert opened.state(url) is not State.DONE
    done = crawl(store=f"{mine('Lines')},jsonl:{crawl.store}", **beside)
    assert done.code == 0
    assert [article["url"] for article in done.articles()] == [url]
    assert len((crawl.folder / "news.lines").read_text().splitlines()) == 1
