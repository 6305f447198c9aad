"""Title, authors and date of a page that shows nothing come from the record of its data that contains the text."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

import webmain

TITLE = "Ice is back on the lake"
TEXT = "".join(
    f"<p>The ice on the lake is back after {n} mild winters, and the town has opened the old skating path again.</p>"
    for n in ("one", "two", "three", "four", "five", "six", "seven", "eight")
)
URL = "https://example.org/news/ice-is-back-on-the-lake"
DAY = "2026-11-22T08:30:00Z"


def article(script: str, *, title: str = TITLE, head: str = "", body: str = "") -> webmain.Article:
    markup = f"<html><head><title>{title}</title>{head}</head><body><div id='root'>{body}</div>{script}</body></html>"
    return webmain.extract(markup, url=URL)


def data(value: Any, name: str = "__NEXT_DATA__") -> str:
    return f'<script id="{name}" type="application/json">{json.dumps(value)}</script>'


RECORDS: dict[str, dict[str, Any]] = {
    "plain": {"title": TITLE, "body": TEXT, "publishedAt": DAY, "author": {"name": "Maria Keller"}},
    "arc": {
        "headlines": {"basic": TITLE},
        "content_elements": [{"type": "text", "content": TEXT}],
        "display_date": DAY,
        "first_publish_date": "2026-11-20T00:00:00Z",
        "credits": {"by": [{"name": "Maria Keller", "type": "author"}]},
    },
    "wordpress": {
        "title": {"rendered": TITLE},
        "content": {"rendered": TEXT},
        "author": 17,
        "date": DAY,
        "byline": "By Maria Keller",
    },
    "strapi": {
        "title": TITLE,
        "content": TEXT,
        "publishedAt": DAY,
        "authors": {"data": [{"id": 3, "attributes": {"firstName": "Maria", "lastName": "Keller"}}]},
    },
    "gatsby": {"frontmatter": {"title": TITLE, "date": DAY, "author": "Maria Keller"}, "html": TEXT},
    "embedded": {
        "title": {"rendered": TITLE},
        "content": {"rendered": TEXT},
        "date": DAY,
        "_embedded": {"author": [{"id": 4, "name": "Maria Keller"}]},
    },
    "graphql": {
        "title": TITLE,
        "content": TEXT,
        "published_at": 1795336200,
        "authors": {"edges": [{"node": {"displayName": "Maria Keller"}}]},
    },
}


@pytest.mark.parametrize("kind", RECORDS)
def test_authors_and_date_of_the_record_with_the_text(kind: str) -> None:
    other = {"title": "Another story of the day", "url": "/news/another", "date": "2026-01-01", "author": "John Roe"}
    found = article(data({"props": {"pageProps": {"related": [other], "post": RECORDS[kind], "next": other}}}))
    assert found.extractor == "embedded"
    assert found.authors == ("Maria Keller",)
    assert found.published == datetime(2026, 11, 22, 8, 30, tzinfo=UTC)
    assert found.sources["authors"].name == found.sources["published"].name == "__NEXT_DATA__"


def test_state_of_nuxt() -> None:
    record = json.dumps(RECORDS["plain"])
    second = f"<script>window.__NUXT__=(function(a,b){{return {{data:[{{article:{record}}}],state:{{}}}}}}(null,1));</script>"
    third: list[Any] = [{"data": 1}, {"article": 2}, {"title": 3, "body": 4, "publishedAt": 5, "author": 6}]
    third += [TITLE, TEXT, DAY, {"name": 7}, "Maria Keller"]
    for script in (second, data(third, "__NUXT_DATA__")):
        found = article(script)
        assert found.authors == ("Maria Keller",)
        assert found.published == datetime(2026, 11, 22, 8, 30, tzinfo=UTC)


def test_data_of_sveltekit() -> None:
    record = json.dumps(RECORDS["plain"])
    nodes = f'node_ids:[0,2],data:[null,{{type:"data",data:{{post:{record}}},uses:{{}}}}],form:null'
    start = f"Promise.all([import('/a.js')]).then(([kit, app]) => {{ kit.start(app, element, {{ {nodes} }}); }});"
    found = article(f"<script>{{ __sveltekit_1x = {{ base: '' }}; {start} }}</script>")
    assert found.authors == ("Maria Keller",)
    assert found.published == datetime(2026, 11, 22, 8, 30, tzinfo=UTC)


def test_state_of_apollo() -> None:
    post = {"__typename": "Post", "title": TITLE, "body": TEXT, "createdAt": DAY, "author": {"__ref": "Person:7"}}
    store = {
        "ROOT_QUERY": {"post": {"__ref": "Post:1"}},
        "Post:1": post,
        "Post:2": {},
        "Person:7": {"name": "Maria Keller"},
    }
    found = article(f"<script>window.__APOLLO_STATE__={json.dumps(store)};</script>")
    assert found.authors == ("Maria Keller",)
    assert found.published == datetime(2026, 11, 22, 8, 30, tzinfo=UTC)


def test_store_of_relay() -> None:
    story = {
        "__typename": "Article",
        "title": TITLE,
        "body": TEXT,
        "publishedDate": DAY,
        "authors": {"__refs": ["b", "x"]},
    }
    store = {"client:root": {"article": {"__ref": "a"}}, "a": story, "b": {"name": "Maria Keller"}, "client:c": {}}
    found = article(f"<script>window.__RELAY_STORE__={json.dumps(store)}</script>")
    assert found.authors == ("Maria Keller",)


def test_a_declaration_outranks_the_record() -> None:
    declared = {"@type": "NewsArticle", "headline": TITLE, "datePublished": "2026-11-23", "author": {"name": "Ann Lee"}}
    head = f'<script type="application/ld+json">{json.dumps(declared)}</script>'
    found = article(data(RECORDS["plain"]), head=head)
    assert found.authors == ("Ann Lee",)
    assert found.published == datetime(2026, 11, 23, tzinfo=UTC)


def test_title_of_the_record_if_all_pages_have_the_same_title_element() -> None:
    record = RECORDS["plain"] | {"slug": "ice-is-back-on-the-lake"}
    found = article(data({"post": record}), title="Example News")
    assert found.title == TITLE
    assert article(data({"post": record}), title=f"{TITLE} - Example News").title == TITLE


def test_a_record_that_repeats_neither_title_nor_address() -> None:
    record = RECORDS["plain"] | {"id": 17}
    found = article(data({"article": record}), title="App")
    assert (found.title, found.authors) == (TITLE, ("Maria Keller",))
    assert article(data({"article": record}), title="The bridge is open again").title == "The bridge is open again"


def test_a_page_that_shows_its_text_keeps_its_own_metadata() -> None:
    found = article(data(RECORDS["plain"]), body=f"<h1>{TITLE}</h1>{TEXT}")
    assert found.extractor != "embedded"
    assert found.authors == ()


@pytest.mark.parametrize(
    "value", [{}, [], 5, True, "65fae1c2", "https://example.org/u/7", [[[[[[[["Ann Lee"]]]]]]]], {"name": {}}]
)
def test_an_author_that_is_no_name(value: Any) -> None:
    assert article(data(RECORDS["plain"] | {"author": value})).authors == ()
