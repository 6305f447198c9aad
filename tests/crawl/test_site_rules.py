"""Crawls with rules for single sites (WEBMAIN_SITES)."""

from __future__ import annotations

RULES = """
["127.0.0.1"]
sections = ["/news"]
exclude = ["/news/live"]
delay = 0.2
title = "h2.real"
body = "div.story"
keep = ".none"
"""
PAGE = "<title>Wrong</title><p>{}</p><div class=story><h2 class=real>Tide {}</h2><p>{}</p></div><p>Read this, too.</p>"


def test_rules_choose_paths_values_and_text_and_what_matches_nothing_is_told(site, crawl, tmp_path):
    text = "The harbour master said that the boats would leave in the morning. " * 6
    paths = ["/news/story-one-2026", "/news/story-two-2026", "/sport/story-three-2026", "/news/live/story-four-2026"]
    for n, path in enumerate(paths):
        site.routes[path] = (PAGE.format(text, n, f"{n} {text}"),)
    links = "".join(f'<a href="{path}">The story number {n} of the day</a>' for n, path in enumerate(paths))
    site.routes["/"] = (f"<html><body>{links}</body></html>",)
    rules = tmp_path / "sites.toml"
    rules.write_text(RULES)
    done = crawl("news", site=site.url, settings={"WEBMAIN_SITES": str(rules)})
    assert done.code == 0, done.log
    articles = {a["url"].removeprefix(site.url): a for a in done.articles()}
    assert set(articles) == set(paths[:2])
    assert articles[paths[1]]["title"] == "Tide 1"
    assert articles[paths[1]]["extractor"] == "rules"
    assert "1 The harbour master" in articles[paths[1]]["text"]
    assert "Read this" not in articles[paths[1]]["text"]
    assert paths[3] not in site.asked
    assert "the rule keep of WEBMAIN_SITES matched nothing on 2 pages" in done.out
    assert "matched nothing" not in done.out.replace("the rule keep of WEBMAIN_SITES matched nothing", "")
    times = sorted(at for at, _ in site.times)
    assert times[-1] - times[1] > 0.1 * (len(times) - 2)  # a single request may be late, and the next one in time


def test_a_mistake_in_the_rules_ends_the_crawl_before_it_begins(site, crawl, tmp_path):
    rules = tmp_path / "sites.toml"
    rules.write_text('[paper.example]\nbody = "div["\n')
    done = crawl("news", site=site.url, settings={"WEBMAIN_SITES": str(rules)})
    assert done.code == 2
    assert f"WEBMAIN_SITES: {rules}:2: paper.example: body: 'div[' is not valid CSS" in done.log
    assert not site.asked


def test_a_site_s_own_budget_counts_in_place_of_the_one_for_all(crawl, tmp_path):
    rules = tmp_path / "sites.toml"
    rules.write_text('["the-tangle.example"]\nmax_pages = 3\n')
    settings = {"WEBMAIN_SITES": str(rules)}
    sites = "the-tangle.example,harbour-courier.example"
    done = crawl("news", site=sites, module="demo.settings", settings=settings, site_pages=5)
    assert done.code == 0, done.log
    assert "the-tangle.example: budget of 3 pages spent" in done.out
    assert "harbour-courier.example: budget of 5 pages spent" in done.out
