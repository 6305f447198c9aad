"""The spider `news` over the made-up web: in the process and over sockets, twice, and after a kill."""

import json
import signal
import time
from collections import Counter
from statistics import fmean

import pytest

from demo.server import serve
from demo.tangle_pages import claimed
from demo.web import Web
from webmain.evaluation.metrics import words
from webmain.evaluation.tokens import TextPair
from webmain.items import Reason, article_id
from webmain.store.registry import open_store

EVERYTHING = "harbour-courier.example,khaosaiklang.example,the-tangle.example"
WHOLE = pytest.StashKey()


@pytest.fixture
def whole(crawl, request):
    """One crawl of all three sites, and the same command once more; made for the first test that asks."""
    stash = request.node.parent.stash
    if WHOLE not in stash:
        one = {"WEBMAIN_WORKERS": 1}
        stash[WHOLE] = [crawl("news", site=EVERYTHING, module="demo.settings", settings=one) for _ in range(2)]
    return stash[WHOLE]


@pytest.fixture
def local_site(site):
    """A local server, and what makes its answers."""
    return site, type(site.routes["/robots.txt"])


def by_url(crawled):
    return {article["canonical_url"] or article["url"]: article for article in crawled.articles()}


def test_every_article_is_stored_once_and_nothing_else(whole):
    stored = Counter(article["canonical_url"] or article["url"] for article in whole[0].articles())
    assert stored == Counter(expected.url for expected in Web().expected())
    assert whole[0].code == 0
    assert all(article["article_reason"] for article in whole[0].articles())


def test_titles_and_languages_are_right(whole):
    stored = by_url(whole[0])
    assert [e.title for e in Web().expected() if not stored[e.url]["title"].endswith(e.title)] == []  # "Reviews » ..."
    assert {e.url: e.language for e in Web().expected()} == {url: a["language"] for url, a in stored.items()}


def test_dates_and_authors_are_right_where_the_page_tells_them(whole):
    stored = by_url(whole[0])
    days = {e.url: e.published.date().isoformat() for e in Web().expected()}
    assert {url: (stored[url]["published"] or "")[:10] for url in days} == days
    authors = {e.url: e.authors[0] for e in Web().expected()}
    assert {url: stored[url]["authors"][0] for url in authors} == authors


def test_no_trap_is_stored_and_the_reasons_are_counted(whole):
    stored = {article["url"] for article in whole[0].articles()}
    assert not stored & {trap.url for trap in Web().traps()}
    rejected = whole[0].rejected()
    for reason in (
        Reason.HTTP_ERROR,
        Reason.BLOCKED,
        Reason.NOT_HTML,
        Reason.EMPTY,
        Reason.TOO_LARGE,
        Reason.NOT_ARTICLE,
    ):
        assert rejected.get(reason.value), reason
    assert whole[0].stats["webmain/failed/redirect_loop"] == 1


def test_a_story_that_names_another_sites_article_as_its_own_takes_nothing_from_it(whole):
    stored = by_url(whole[0])
    (forger,) = [stored[e.url] for e in Web().expected() if "soup" in e.forms]
    victim = stored[claimed()]
    assert (forger["canonical_url"], forger["canonical_claim"]) == (None, claimed())
    assert forger["id"] != victim["id"] == article_id(claimed())
    assert {a["revision"] for a in whole[0].articles()} == {1}


def test_articles_over_several_pages_are_whole(whole):
    stored = by_url(whole[0])
    parts = {e.url: stored[e.url]["n_parts"] for e in Web().expected() if e.forms & {"parts", "two-pages"}}
    assert sorted(parts.values()) == [2, 3]
    for expected in Web().expected():
        if expected.url in parts:
            last = expected.text.split("\n\n")[-1].split("\n")[-1]
            assert last[:40] in stored[expected.url]["text"]


def test_texts_are_the_articles_without_comments_teasers_and_boxes(whole):
    stored = by_url(whole[0])
    assert {article["extractor"] for article in stored.values()} <= {"learned", "feed"}
    scores = {}
    for expected in Web().expected():
        blocks = [b for b in stored[expected.url]["text"].split("\n\n") if b not in expected.optional]
        pair = TextPair(predicted="\n\n".join(blocks), gold=expected.text, language=expected.language)
        scores[expected.url] = words(pair).f1
    assert fmean(scores.values()) > 0.95, scores
    assert min(scores.values()) > 0.7, scores


def test_the_same_pages_give_the_same_articles_with_the_models_of_an_earlier_crawl(whole, crawl, tmp_path):
    models = tmp_path / "models"
    texts = []
    for number in range(2):
        crawl.store = tmp_path / f"{number}.jsonl"
        settings = {"WEBMAIN_MODELS": models}
        done = crawl("news", site=EVERYTHING, module="demo.settings", settings=settings, anew=number == 0)
        texts.append({url: article["text"] for url, article in by_url(done).items()})
    assert done.stats["webmain/sites/reused"] == 3
    assert texts[0] == texts[1] == {url: article["text"] for url, article in by_url(whole[0]).items()}


def test_without_learning_each_page_is_judged_by_itself(crawl):
    done = crawl("news", site="harbour-courier.example", module="demo.settings", learn="no")
    assert len(done.articles()) == 11
    assert not [name for name in done.stats if name.startswith(("webmain/learning/", "webmain/sites/"))]
    assert not (crawl.folder / "models").exists()


def test_what_only_the_feed_holds_is_taken_from_it(whole):
    (expected,) = (e for e in Web().expected() if "feed-only" in e.forms)
    article = by_url(whole[0])[expected.url]
    assert all(paragraph in article["text"] for paragraph in expected.text.split("\n\n")[:3])
    assert not any(noise in article["text"] for noise in expected.noise)


def test_work_is_bounded(whole):
    assert whole[0].stats["downloader/request_count"] < 250


def test_a_second_run_finds_nothing_new_and_knows_what_it_skips(whole):
    first, second = whole
    assert second.code == 0
    assert "webmain/articles/new" not in second.stats
    assert second.stats["webmain/known"] >= len(Web().expected())
    assert "0 new" in second.out
    assert len(second.articles()) == len(Web().expected())
    assert second.stats["downloader/request_count"] < first.stats["downloader/request_count"]


def test_over_real_sockets_the_same_articles_come(crawl, monkeypatch):
    with serve() as base_url:
        monkeypatch.setenv("http_proxy", base_url)
        crawled = crawl("news", site="http://www.harbour-courier.example,http://the-tangle.example")
    wanted = {e.url for e in Web(origin="http://{host}").expected() if "khaosai" not in e.url}
    assert set(by_url(crawled)) == wanted
    assert len(crawled.articles()) == len(wanted)


def test_max_pages_bounds_what_is_fetched_and_the_newest_come_first(crawl):
    # Sections may come first: the older the made-up articles get, the rather.
    crawled = crawl("news", site="harbour-courier.example", module="demo.settings", max_pages=16)
    newest = sorted(Web().sites[0].expected(), key=lambda e: e.published, reverse=True)
    found = set(by_url(crawled))
    assert 1 <= len(found) <= 15
    assert found <= {e.url for e in newest[: len(found) + 2]}


def test_include_and_exclude_choose_articles(crawl):
    crawled = crawl(
        "news",
        site="harbour-courier.example",
        module="demo.settings",
        include="*/business/*,*/sport/*",
        exclude="*/sport/*",
    )
    assert crawled.articles()
    assert all("/business/" in article["url"] for article in crawled.articles())


def test_a_filter_refuses_for_runs_with_the_same_filter_only(crawl):
    def run(**arguments):
        done = crawl("news", site="khaosaiklang.example", module="demo.settings", **arguments)
        return done.stats.get("webmain/articles/new", 0), done.rejected()

    n_new, rejected = run(language="en")
    assert rejected["other_language"]
    stored = [json.loads(line) for line in crawl.store.read_text().splitlines()] if n_new else []
    assert {article["language"] for article in stored} <= {"en"}
    again = run(language="en")
    assert (again[0], again[1].get("other_language", 0)) == (0, 0)
    assert run()[0] >= rejected["other_language"]


def test_what_was_too_old_is_found_by_a_run_that_asks_further_back(crawl):
    newest = max(e.published for e in Web().sites[0].expected())

    def run(**arguments):
        done = crawl("news", site="harbour-courier.example", module="demo.settings", **arguments)
        return done.stats.get("webmain/articles/new", 0), done.rejected().get("too_old", 0)

    n_new, _ = run(since=newest.isoformat())
    stored = [json.loads(line) for line in crawl.store.read_text().splitlines()]
    assert {article["published"][:10] for article in stored} == {newest.date().isoformat()}
    assert run(since=newest.isoformat()) == (0, 0)
    assert n_new + run()[0] == len(Web().sites[0].expected())


def test_a_closed_range_of_dates_gives_its_articles_and_a_later_run_the_others(crawl):
    published = sorted(e.published for e in Web().sites[0].expected())
    since, until = published[2].date(), published[-3].date()

    def run(**arguments):
        done = crawl("news", site="harbour-courier.example", module="demo.settings", **arguments)
        return done.stats.get("webmain/articles/new", 0), done.rejected()

    n_new, _ = run(since=since, until=until)
    expected = sum(since <= moment.date() <= until for moment in published)
    stored = [json.loads(line) for line in crawl.store.read_text().splitlines()]
    assert n_new == expected == len(stored)
    assert all(since.isoformat() <= article["published"][:10] <= until.isoformat() for article in stored)
    assert run(since=since, until=until)[0] == 0
    assert n_new + run()[0] == len(published)


def test_a_site_whose_budget_is_spent_ends_and_others_go_on(crawl):
    done = crawl("news", site=EVERYTHING, module="demo.settings", site_pages=18)
    stored = Counter(article["site"] for article in done.articles())
    assert len(stored) == 3
    assert max(stored.values()) <= 17  # the front page is one of them
    assert "harbour-courier.example: budget of 18 pages spent, " in done.out
    assert done.code == 0
    n_later = len(crawl("news", site=EVERYTHING, module="demo.settings", site_bytes="1GB", site_time="1h").articles())
    assert n_later == len(Web().expected())


def test_a_killed_crawl_loses_nothing(crawl):
    slow = {"DOWNLOAD_DELAY": 0.05}
    process = crawl.start("news", site="harbour-courier.example", module="demo.settings", settings=slow)
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline and not (crawl.store.exists() and crawl.store.stat().st_size > 20_000):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = len(crawl.store.read_bytes().splitlines())
    assert before
    after = crawl("news", site="harbour-courier.example", module="demo.settings")
    assert set(by_url(after)) == {e.url for e in Web().sites[0].expected()}
    assert len(after.articles()) == 11


def test_wrong_arguments_end_with_one_message_and_code_2(crawl):
    crawled = crawl("news", sight="bbc.com", since="soon")
    assert crawled.code == 2
    assert "did you mean site" in crawled.log + crawled.out
    assert "Traceback" not in crawled.log


def article_page(number, extra=""):
    text = f"On day {number} the council of the town met again and spoke for hours about bridge number {number}. " * 6
    return f"<html><head><title>Story {number}</title></head><body><h1>Story {number}</h1><p>{text}</p>{extra}</body></html>"


def page(body):
    return f"<html><head><title>List</title></head><body>{body}</body></html>"


def links(*paths):
    return " ".join(f'<a href="{path}">A story about something at {path}</a>' for path in paths)


def slug(number):
    return f"/news/the-council-spoke-about-bridge-{number}"


def test_a_site_without_feed_and_sitemap_is_walked_by_its_links_and_parts_are_bounded(crawl, local_site):
    site, answer = local_site

    def pager(number, page):
        return f'<a rel="next" href="{slug(number)}?page={page + 1}">Next page</a>'

    site.routes["/"] = answer(page(links(slug(1), "/section/town/")))
    site.routes["/section/town/"] = answer(page(links(slug(2), slug(4))))
    site.routes[slug(1)] = answer(article_page(1))
    site.routes[slug(2)] = answer(article_page(2, links(slug(3)) + pager(2, 1)))
    site.routes[slug(2) + "?page=2"] = answer("gone", 410)
    site.routes[slug(3)] = answer(article_page(3))
    for n in range(1, 60):
        here = slug(4) + (f"?page={n}" if n > 1 else "")
        site.routes[here] = answer(article_page(100 + n, pager(4, n)))
    crawled = crawl("news", site=site.url, settings={"WEBMAIN_MAX_PARTS": 4})
    articles = {article["url"].removeprefix(site.url): article for article in crawled.articles()}
    assert {path: article["n_parts"] for path, article in articles.items()} == {
        slug(1): 1, slug(2): 1, slug(3): 1, slug(4): 4,
    }  # fmt: skip
    assert "bridge number 2" in articles[slug(2)]["text"]
    assert "bridge number 104" in articles[slug(4)]["text"]
    assert crawled.code == 0
    assert "http_error" not in crawled.rejected()


def test_a_front_page_that_is_forbidden_does_not_end_the_search(crawl, local_site):
    site, answer = local_site
    site.routes["/"] = answer("no", 403)
    site.routes["/robots.txt"] = answer(f"Sitemap: {site.url}/map.xml")
    site.routes["/map.xml"] = answer(f"<urlset><url><loc>{site.url}{slug(1)}</loc></url></urlset>")
    site.routes[slug(1)] = answer(article_page(1))
    done = crawl("news", site=site.url)
    assert len(done.articles()) == 1
    assert "the front page cannot be fetched: status 403" in done.out


def test_a_site_without_https_is_crawled_over_http(crawl, local_site):
    site, answer = local_site
    site.routes["/"] = answer(f"<h2><a href='{slug(1)}'>A headline</a></h2>")
    site.routes[slug(1)] = answer(article_page(1))
    for _ in range(2):  # the second run knows robots.txt
        done = crawl("news", site=site.url.removeprefix("http://"))
        assert (done.code, len(done.articles())) == (0, 1), done.log[-3000:]
        assert "cannot be fetched" not in done.out


def test_a_site_is_found_without_the_www_that_does_not_exist(crawl, monkeypatch):
    for name, value in (("SITES", 1), ("LARGE", 4)):
        monkeypatch.setenv(f"CROWD_{name}", str(value))
    web = {"DEMO_WEB": "demo.crowd.Crowd"}
    done = crawl("news", site="www.paper0.example", module="demo.settings", settings=web, learn="no")
    assert len(done.articles()) == 4


def test_a_day_later_a_changed_article_has_a_revision_and_a_copy_is_known_as_one(crawl, tmp_path):
    store = f"sqlite:{tmp_path / 'demo.db'}"
    crawl("news", site="harbour-courier.example,the-tangle.example", module="demo.settings", store=store)
    later = {"DEMO_WEB": "demo.web.LaterWeb"}
    again = {"include": "*seal-pup*,*village-clocks*", "skip_known": "false"}
    crawl("news", site="harbour-courier.example", module="demo.settings", store=store, settings=later, **again)
    with open_store(store) as opened:
        (copy,) = [a for a in opened.articles() if a.duplicate_of]
        original = opened.get(copy.duplicate_of)
        changed = [a.url for a in opened.articles() if len(list(opened.revisions(a.id))) > 1]
    assert (copy.site, original.site) == ("harbour-courier.example", "the-tangle.example")
    assert [url.rpartition("/")[2] for url in changed] == ["seal-pup-rescue"]
