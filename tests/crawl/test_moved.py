"""Articles that have moved: one that is stored from an earlier run stays one article, however its new address is found."""

from __future__ import annotations

import pytest

from webmain.ledger.ledger import Ledger
from webmain.store.registry import open_stores

from .conftest import Answer, LocalSite
from .test_visits import age, front

OLD = [f"/world/story-of-the-harbour-and-the-town-{n}" for n in range(3)]
NEW = [path.replace("/world/", "/world-news/") for path in OLD]


def text_of(n, more=""):
    return (
        " ".join(f"Witness {i} of case {n} saw boat {n}{i} leave pier {i * n} at {i} past noon." for i in range(30))
        + more
    )


@pytest.fixture
def other():
    server = LocalSite("127.0.0.2")
    yield server
    server.close()


class Run:
    def __init__(self, crawl, site, scheme):
        self.crawl, self.site = crawl, site
        self.spec = f"{scheme}:{crawl.store}"

    def __call__(self, **arguments):
        arguments = {"site": self.site.url, "learn": "no", **arguments}
        return self.crawl("news", settings={"WEBMAIN_STORE": self.spec}, **arguments)


@pytest.fixture(params=["jsonl", "sqlite"])
def run(request, crawl, site):
    return Run(crawl, site, request.param)


def stored(run):
    with open_stores(run.spec, read_only=True) as stores:
        return list(stores.stores[0].articles())


def serve(site, paths, more=""):
    for n, path in enumerate(paths):
        text = f"<p>{text_of(n, more)}</p>"
        site.routes[path] = Answer(
            f"<html><head><title>Boat {n} leaves</title></head><body><article>{text}</article></body></html>"
        )


def move(site, to=""):
    for old, new in zip(OLD, NEW, strict=True):
        site.routes[old] = Answer("", 301, {"Location": to + new})


def ids_at(run, site, paths):
    """Return the ids that the ledger knows at the addresses, all of which are settled."""
    urls = [site.url + path for path in paths]
    with Ledger(f"{run.crawl.store}.ledger") as ledger:
        assert ledger.unknown(urls) == []
        return [ledger.article_id(url) for url in urls]


def test_an_article_whose_old_address_is_looked_at_again_stays_one(site, run):
    site.routes["/"] = Answer(front(*OLD))
    serve(site, OLD)
    assert run().stats["webmain/articles/new"] == 3
    ids = ids_at(run, site, OLD)
    move(site)
    serve(site, NEW, " The page has another footer now.")
    age(run.crawl, 2)
    second = run()
    assert second.stats["webmain/visits/moved"] == 3
    assert "webmain/articles/new" not in second.stats
    assert sorted(article.id for article in stored(run)) == sorted(ids)
    assert ids_at(run, site, OLD) == ids_at(run, site, NEW) == ids
    serve(site, NEW, " The page has another footer now. A second report came in the evening and said much more.")
    age(run.crawl, 3)
    third = run()
    assert third.stats["webmain/articles/changed"] == 3
    assert "webmain/articles/new" not in third.stats
    assert {article.id: article.url for article in stored(run)} == {
        name: site.url + path for name, path in zip(ids, NEW, strict=True)
    }


def test_an_article_whose_new_address_is_listed_first_stays_one(site, run):
    site.routes["/"] = Answer(front(*OLD))
    serve(site, OLD)
    run()
    ids = ids_at(run, site, OLD)
    site.routes["/"] = Answer(front(*NEW))
    move(site)
    serve(site, NEW)
    second = run(refresh="no")
    assert "webmain/articles/new" not in second.stats
    assert len(stored(run)) == 3
    assert ids_at(run, site, OLD) == ids_at(run, site, NEW) == ids


def test_a_site_that_has_changed_its_domain_keeps_its_articles(site, other, run):
    site.routes["/"] = Answer(front(*OLD))
    serve(site, OLD)
    run()
    site.routes["/"] = Answer("", 301, {"Location": other.url + "/"})
    other.routes["/"] = Answer(front(*NEW))
    move(site, other.url)
    serve(other, NEW)
    age(run.crawl, 2)
    second = run(site=f"{site.url}={other.url}")
    assert "webmain/articles/new" not in second.stats
    assert len(stored(run)) == 3
    serve(other, NEW, " A second report came in the evening and said much more about all of it.")
    age(run.crawl, 3)
    third = run(site=f"{site.url}={other.url}")
    assert third.stats["webmain/articles/changed"] == 3
    assert len({article.id for article in stored(run)}) == 3


def test_a_copy_whose_original_is_still_there_is_an_article_of_its_own(site, run):
    site.routes["/"] = Answer(front(*OLD))
    serve(site, OLD)
    run()
    site.routes["/"] = Answer(front(*OLD, *NEW))
    serve(site, NEW)
    second = run()
    assert second.stats["webmain/articles/new"] == 3
    assert second.stats["webmain/near_duplicates"] == 3
