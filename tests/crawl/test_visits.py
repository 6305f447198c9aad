"""Known articles are looked at again: edits become revisions, pages that are gone are noted, nothing else changes."""

from __future__ import annotations

import json
import signal
import sqlite3
import time

import pytest

from .conftest import Answer

PATHS = [f"/world/story-of-the-harbour-and-the-town-{n}" for n in range(4)]
SENTENCES = "The council met on Monday and agreed to repair the old bridge over the river before winter comes. "


def front(*paths):
    links = "".join(f'<li><a href="{path}">The headline of {path}</a></li>' for path in paths)
    return f"<html><head><title>News</title></head><body><ul>{links}</ul></body></html>"


def text_of(path):
    return f"What happened at {path} is told here. " + SENTENCES * 6 + f"All of it was seen by {path}."


@pytest.fixture
def web(site):
    site.routes["/"] = Answer(front(*PATHS))
    for path in PATHS:
        site.article(path, text_of(path))
    return site


def age(crawl, hours):
    """Let so much time pass: all that the ledger has noted lies so much further back."""
    with sqlite3.connect(f"{crawl.store}.ledger") as db:
        for table, names in (
            (
                "visits",
                ("published_at", "first_seen_at", "visited_at", "changed_at", "claimed_at", "next_at", "dated_at"),
            ),
            ("answers", ("first_at", "asked_at", "read_at", "changed_at", "next_at")),
            ("urls", ("added_at", "changed_at")),
        ):
            for name in names:
                db.execute(f"UPDATE {table} SET {name} = {name} - {hours * 3600.0}")
    db.close()


def visits(crawl):
    db = sqlite3.connect(f"{crawl.store}.ledger")
    db.row_factory = sqlite3.Row
    rows = {row["url"].rpartition("/world")[2]: dict(row) for row in db.execute("SELECT * FROM visits")}
    db.close()
    return rows


def run(crawl, site, **arguments):
    return crawl("news", site=site.url, learn="no", **arguments)


def test_an_edit_becomes_a_revision_and_all_else_stays_as_it_is(web, crawl):
    run(crawl, web)
    assert len(visits(crawl)) == 4
    web.article(
        PATHS[0], text_of(PATHS[0]) + " A second report came in the evening and said much more about all of it."
    )
    before = dict(web.asked)
    soon = run(crawl, web)
    assert [web.asked[path] - before[path] for path in PATHS] == [0, 0, 0, 0]  # nothing is due yet
    assert soon.stats.get("webmain/articles/changed") is None
    age(crawl, 2)
    later = run(crawl, web)
    assert [web.asked[path] - before[path] for path in PATHS] == [1, 1, 1, 1]
    assert later.stats["webmain/articles/changed"] == 1
    assert later.stats["webmain/visits/identical"] == 3
    assert "1 updated" in later.out
    lines = later.articles()
    assert [line["revision"] for line in lines if line["url"].endswith(PATHS[0])] == [1, 2]
    assert len(lines) == 5
    seen = visits(crawl)
    assert [seen[path.removeprefix("/world")]["n_changes"] for path in PATHS] == [1, 0, 0, 0]
    assert [seen[path.removeprefix("/world")]["n_visits"] for path in PATHS] == [2, 2, 2, 2]


def test_a_page_with_validators_is_only_asked_and_texts_around_an_article_are_no_edit(web, crawl):
    asked = []

    def tagged(_n):
        asked.append(web.last.get("If-None-Match"))
        body = f"<html><head><title>One</title></head><body><article><p>{text_of(PATHS[0])}</p></article></body></html>"
        return Answer(
            "" if asked[-1] else body, 304 if asked[-1] else 200, {"ETag": 'W/"1"', "Content-Type": "text/html"}
        )

    def counting(n):
        body = f"<html><head><title>Two</title></head><body><p>{n} readers</p><article><p>{text_of(PATHS[1])}</p></article>"
        return Answer(body + f"<footer>It is {n} o'clock</footer></body></html>")

    web.routes[PATHS[0]], web.routes[PATHS[1]] = tagged, counting
    run(crawl, web)
    age(crawl, 2)
    again = run(crawl, web)
    assert asked == [None, 'W/"1"']
    assert again.stats["webmain/visits/not_modified"] == 1
    assert again.stats["webmain/articles/unchanged"] == 1
    assert again.stats.get("webmain/articles/changed") is None
    assert len(again.articles()) == 4


def test_a_page_that_is_missing_twice_is_gone_and_its_text_stays(web, crawl):
    run(crawl, web)
    web.routes[PATHS[0]] = Answer("gone", 404)
    web.routes[PATHS[1]] = Answer("gone", 410)
    web.routes[PATHS[2]] = Answer("", 302, {"Location": "/"})
    web.routes[PATHS[3]] = Answer("broken", 500)
    age(crawl, 2)
    second = run(crawl, web)
    assert second.stats["webmain/visits/missing"] == 2
    assert second.stats["webmain/visits/gone"] == 1
    assert second.stats["webmain/visits/failed/status_500"] == 1
    assert second.rejected() == {}
    age(crawl, 2)
    third = run(crawl, web)
    assert third.stats["webmain/visits/gone"] == 2
    seen = visits(crawl)
    assert [seen[path.removeprefix("/world")]["gone_status"] for path in PATHS] == [404, 410, 404, None]
    assert {line["url"].removeprefix(web.url) for line in third.articles() if line["text"]} == set(PATHS)
    age(crawl, 24)
    before = dict(web.asked)
    run(crawl, web)
    assert [web.asked[path] - before[path] > 0 for path in PATHS] == [False, False, False, True]


def test_a_page_that_says_that_it_is_missing_with_status_200_replaces_no_article(web, crawl):
    run(crawl, web)
    sorry = "<p>The page does not exist. Perhaps it was moved, or its address has a mistake. " + SENTENCES * 4 + "</p>"
    web.routes[PATHS[0]] = Answer(f"<html><head><title>Page not found</title></head><body>{sorry}</body></html>")
    for outcome in ("missing", "gone"):
        age(crawl, 2)
        assert run(crawl, web).stats[f"webmain/visits/{outcome}"] == 1
    last = {line["url"].removeprefix(web.url): line for line in run(crawl, web).articles()}
    assert (last[PATHS[0]]["text"], last[PATHS[0]]["gone_status"]) == (text_of(PATHS[0]), 404)


def test_a_page_that_was_gone_and_is_back_is_found_with_its_edits(web, crawl):
    run(crawl, web)
    routes = dict(web.routes)
    for path in PATHS:
        web.routes[path] = Answer("broken", 404)
    for _ in range(2):
        age(crawl, 2)
        run(crawl, web)
    assert all(row["gone_status"] == 404 for row in visits(crawl).values())
    web.routes.update(routes)
    web.article(PATHS[0], text_of(PATHS[0]) + " A second report came in the evening and said much more about it.")
    age(crawl, 49)
    back = run(crawl, web)
    assert back.stats["webmain/articles/changed"] == 1
    assert all(row["gone_at"] is None for row in visits(crawl).values())
    last = {line["url"]: line for line in back.articles()}
    assert [line["gone_at"] for line in last.values()] == [None] * 4


def test_an_address_that_leads_to_another_article_is_that_one(web, crawl):
    run(crawl, web)
    web.routes[PATHS[0]] = Answer("", 301, {"Location": PATHS[1]})
    web.routes[PATHS[2]] = Answer("", 301, {"Location": "/world/story-of-the-new-address-of-this"})
    web.article("/world/story-of-the-new-address-of-this")
    age(crawl, 2)
    second = run(crawl, web)
    assert second.stats["webmain/visits/moved"] == 2
    assert second.stats["webmain/articles/new"] == 1
    assert second.stats.get("webmain/visits/gone") is None


def test_an_address_that_always_led_to_an_article_is_not_looked_at_besides_it(web, crawl):
    web.routes["/"] = Answer(front(*(f"/go/{n}" for n in range(4))))
    for n, path in enumerate(PATHS):
        web.routes[f"/go/{n}"] = Answer("", 302, {"Location": path})
    run(crawl, web)
    age(crawl, 2)
    again = run(crawl, web)
    assert again.stats["webmain/visits/identical"] == 4
    assert [web.asked[f"/go/{n}"] for n in range(4)] == [1, 1, 1, 1]


def test_nothing_is_looked_at_again_where_that_is_not_wanted(web, crawl):
    run(crawl, web)
    age(crawl, 2)
    before = dict(web.asked)
    run(crawl, web, refresh="no")
    assert [web.asked[path] - before[path] for path in PATHS] == [0, 0, 0, 0]
    run(crawl, web, refresh="3h")
    assert [web.asked[path] - before[path] for path in PATHS] == [0, 0, 0, 0]
    run(crawl, web, refresh="1h")
    assert [web.asked[path] - before[path] for path in PATHS] == [1, 1, 1, 1]
    wrong = run(crawl, web, refresh="soon")
    assert wrong.code == 2
    assert "argument refresh: got 'soon'" in wrong.log + wrong.out


def test_a_feed_that_names_a_later_change_makes_an_article_due(web, crawl):
    def feed(when):
        item = f"<item><link>{web.url}{PATHS[0]}</link><pubDate>{when}</pubDate></item>"
        return Answer(
            f'<rss version="2.0"><channel>{item}</channel></rss>', 200, {"Content-Type": "application/rss+xml"}
        )

    head = '<link rel="alternate" type="application/rss+xml" href="/news.rss">'
    web.routes["/"] = Answer(front(*PATHS).replace("</head>", f"{head}</head>"))
    web.routes["/news.rss"] = feed("Mon, 02 Nov 2026 10:00:00 GMT")
    run(crawl, web)
    age(crawl, 24 * 30)
    for _ in range(2):
        run(crawl, web)  # the last step of the schedule is made up for
        age(crawl, 24 * 30)
    before = dict(web.asked)
    run(crawl, web)
    assert [web.asked[path] - before[path] for path in PATHS] == [0, 0, 0, 0]
    web.article(
        PATHS[0], text_of(PATHS[0]) + " It was corrected: the bridge is a good deal older than was said here before."
    )
    web.routes["/news.rss"] = feed(time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() - 60)))
    age(crawl, 12)  # feeds that have not changed for long are not asked each hour
    last = run(crawl, web)
    assert [web.asked[path] - before[path] for path in PATHS] == [1, 0, 0, 0]
    assert last.stats["webmain/articles/changed"] == 1


def test_dates_of_a_sitemap_that_have_told_changes_take_the_place_of_looks(web, crawl):
    dates = dict.fromkeys(PATHS[:3], "2026-11-02T10:00:00Z")

    def sitemap(_n):
        items = "".join(
            f"<url><loc>{web.url}{path}</loc><lastmod>{when}</lastmod></url>" for path, when in dates.items()
        )
        return Answer(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{items}</urlset>')

    web.routes["/sitemap.xml"] = sitemap
    run(crawl, web)
    with sqlite3.connect(f"{crawl.store}.ledger") as db:  # four changes were told
        db.execute("UPDATE visits SET n_true = 1, n_claims = 1")
    db.close()
    run(crawl, web)
    age(crawl, 2)
    before = dict(web.asked)
    dates[PATHS[0]] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    run(crawl, web)
    assert [web.asked[path] - before[path] for path in PATHS] == [1, 0, 0, 1]


def test_times_in_the_future_neither_lock_out_nor_bring_a_storm(web, crawl):
    run(crawl, web)
    age(crawl, -24 * 400)  # the clock was a year ahead
    before = dict(web.asked)
    run(crawl, web)
    assert [web.asked[path] - before[path] for path in PATHS] == [0, 0, 0, 0]
    age(crawl, 2)
    run(crawl, web)
    assert [web.asked[path] - before[path] for path in PATHS] == [1, 1, 1, 1]


def test_articles_of_an_earlier_ledger_are_taken_up_once_if_they_are_recent(web, crawl):
    run(crawl, web)
    age(crawl, 2)
    with sqlite3.connect(f"{crawl.store}.ledger") as db:
        db.execute("DELETE FROM visits")
        db.execute("DELETE FROM answers")
        db.execute("UPDATE urls SET changed_at = changed_at - 86400 * 20 WHERE url LIKE ?", ("%" + PATHS[3],))
    db.close()
    before = dict(web.asked)
    run(crawl, web)
    assert [web.asked[path] - before[path] for path in PATHS] == [1, 1, 1, 0]
    run(crawl, web)
    assert [web.asked[path] - before[path] for path in PATHS] == [1, 1, 1, 0]


def test_a_kill_during_visits_loses_no_edit(web, crawl):
    run(crawl, web)
    for path in PATHS:
        web.article(
            path, text_of(path) + " More was said about this later in the evening by those who saw it all.", delay_s=0.3
        )
    age(crawl, 2)
    process = crawl.start("news", site=web.url, learn="no", settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 1})
    deadline = time.monotonic() + 200
    while web.asked[PATHS[0]] + web.asked[PATHS[1]] + web.asked[PATHS[2]] + web.asked[PATHS[3]] < 6:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    again = run(crawl, web)
    last = {}
    for line in again.articles():
        last[line["url"]] = line
    assert all("later in the evening" in line["text"] for line in last.values())
    assert sorted(line["revision"] for line in last.values()) == [2, 2, 2, 2]
    assert json.dumps(again.rejected()) == "{}"
