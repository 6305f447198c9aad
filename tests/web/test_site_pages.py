"""The pages on the health of sites and on articles in doubt."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from tests.web.stores import HOSTILE_TITLE, HOSTILE_URL, article, filled
from webmain.store.catalogue import Run
from webmain.store.review import Entry, ReviewList, review_path
from webmain.store.sqlite import SqliteStore
from webmain.web.site_pages import by_site

STATS = {
    "webmain/site/news.example/articles": 3,
    "webmain/site/news.example/rejected": 1,
    "webmain/site/news.example/rejected/not_article": 1,
    "webmain/site/empty.example/rejected": 4,
    "webmain/site/empty.example/rejected/blocked": 4,
    "webmain/site/news.example/layout_changed": 1,
    "webmain/pages": 3,
}


@pytest.fixture
def browse(connect, tmp_path):
    """What starts a server with a store of articles and of a crawl with these figures."""

    def started(*articles, stats=STATS, **settings):
        path = tmp_path / "a.db"
        spec = filled(path, *articles)
        with SqliteStore(path) as store:
            store.finish_run(store.start_run({"site": "news.example"}), reason="finished", stats=stats)
        return connect(store=spec, **({"models": str(tmp_path / "models")} | settings))

    return started


def rows(page):
    return re.findall(r'<th scope="row" class="site"><a href="/sites/([^"]*)"', page)


def test_sites_are_listed_with_what_was_rejected_and_why(browse):
    client = browse(article(0), article(1, site="other.example", confidence=0.2))
    page = client.get("/sites").text
    assert rows(page) == ["empty.example", "news.example", "other.example"]
    assert "25 %" in page
    assert "100 %" in page
    assert "4 blocked" in page
    assert rows(client.get("/sites?sort=confidence").text) == ["other.example", "news.example", "empty.example"]
    assert rows(client.get("/sites?sort=rejected").text)[0] == "empty.example"
    assert rows(client.get("/sites?sort=fetched").text)[-1] == "empty.example"
    assert client.get("/sites?sort=id").status_code == 400


def test_many_sites_are_cut_into_parts(browse):
    client = browse(*(article(n, site=f"s{n:03}.example") for n in range(230)), stats={})
    first = client.get("/sites").text
    second = client.get(re.search(r'rel="next" href="([^"]+)"', first)[1].replace("&amp;", "&")).text
    assert rows(first) + rows(second) == [f"s{n:03}.example" for n in range(200)]
    assert client.get("/sites?after=gone.example").status_code == 404


def test_a_site_shows_its_health_and_its_last_and_least_confident_articles(browse):
    page = browse(article(0, n_words=10), article(1, n_words=30, confidence=0.2)).get("/sites/news.example").text
    assert "20 words" in page
    assert "25.0 %" in page
    assert "not article" in page
    assert "Least confident" in page
    assert "Bridge 1" in page
    assert re.search(r"Another layout seen</dt><dd>1", page)


def test_a_site_of_which_all_was_rejected_has_a_page(browse):
    page = browse(article(0)).get("/sites/empty.example")
    assert page.status_code == 200
    assert "100.0 %" in page.text


@pytest.mark.parametrize("site", ["nowhere.example", "' OR 1=1", "..%2f..%2fetc", "%00", "x" * 3_000])
def test_other_sites_are_not_found(browse, site):
    assert browse(article(0)).get(f"/sites/{site}").status_code == 404


def test_models_of_the_site_alone_are_shown_and_damaged_ones_told_of(browse, tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "news.example.learned.json").write_text('{"format": "webmain site model", broken')
    (tmp_path / "models" / "other.example.learned.json").write_text("broken too")
    page = browse(article(0)).get("/sites/news.example").text
    assert "news.example.learned.json" in page
    assert "other.example.learned.json" not in page


def test_hostile_names_of_sites_are_text(browse):
    client = browse(
        article(0, site=HOSTILE_TITLE), stats={f"webmain/site/{HOSTILE_TITLE.replace('/', '')}/rejected": 1}
    )
    for path in ("/sites", "/sites/" + rows(client.get("/sites").text)[0]):
        page = client.get(path)
        assert page.status_code == 200
        assert "<script>" not in page.text


def test_figures_of_crawls_are_added_up_and_odd_ones_passed_over():
    runs = [
        Run(id=n, started="", finished=None, reason="", arguments={}, stats=stats)
        for n, stats in ((2, STATS), (1, {**STATS, "webmain/site/news.example/articles": "many"}))
    ]
    found = by_site(runs)["news.example"]
    assert (found.counts, found.runs) == ({"articles": 3, "rejected": 2, "layout_changed": 2}, [2, 1])
    assert found.share == pytest.approx(0.4)


def entry(n, **values):
    given = {
        "id": f"{n:016}", "url": f"https://news.example/{n}", "confidence": n / 1000, "below": 0.6, "why": "short",
        "extractor": "learned", "title": f"Doubt {n}", "n_chars": 9, "start": "A start", "fingerprint": "f",
        "fetched_at": datetime(2026, 11, 20, tzinfo=UTC).isoformat(),
    }  # fmt: skip
    return Entry(**(given | values))


def test_the_review_list_is_shown_the_least_confident_first(browse, tmp_path):
    client = browse(article(0))
    page = client.get("/review").text
    assert "review_below" in page
    assert "Bridge 0" in page
    noted = ReviewList(review_path(tmp_path / "a.db"))
    noted.add([entry(n) for n in range(120, 0, -1)])
    noted.add([entry(500, title=HOSTILE_TITLE, url=HOSTILE_URL, kept_out=True)])
    noted.close()
    page = client.get("/review").text
    assert re.findall(r"Doubt \d+", page) == [f"Doubt {n}" for n in range(1, 51)]
    last = client.get("/review?page=3").text
    assert "kept out of the store" in last
    assert "<script>" not in last
    assert 'href="javascript' not in last


def test_a_review_list_that_is_something_else_is_an_error_that_says_so(browse, tmp_path):
    client = browse(article(0))
    review_path(tmp_path / "a.db").write_bytes(b"\x00\x01 something else\n" * 50)
    answer = client.get("/review")
    assert answer.status_code == 503
    assert "a.db.review" in answer.text


def test_articles_without_a_site_are_counted_and_lead_nowhere(browse):
    one = article(0, id="a" * 16, site="", url="file:///pages/a.html")
    client = browse(one, article(1), stats={})
    page = client.get("/sites").text
    assert rows(page) == ["news.example"]
    assert "no site" in page
    assert client.get("/sites/").status_code == 404
    for path in ("/articles", f"/articles/{one.id}"):
        page = client.get(path).text
        assert "no site" in page
        assert 'href="/articles?site="' not in page
        assert '<option value="">' not in re.sub(r"<select.*?</select>", "", page, flags=re.DOTALL)
