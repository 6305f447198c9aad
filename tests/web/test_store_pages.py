"""The pages on which a store is looked through: what they show, and attacks on them."""

from __future__ import annotations

import re
import time

import pytest

from tests.web.stores import BLOCKS, HOSTILE_TITLE, HOSTILE_URL, article, filled, rich_article
from webmain.items import article_id
from webmain.items.blocks import ArticleBlock, Kind, TextMark
from webmain.store.sqlite import SqliteStore
from webmain.web.reading import MAX_BLOCKS, direction, shown

FIRST = article_id("https://news.example/0")


@pytest.fixture
def browse(connect, tmp_path):
    """What starts a server with a store of articles."""
    return lambda *articles, **settings: connect(store=filled(tmp_path / "a.db", *articles), **settings)


def titles(page):
    return re.findall(r'<a href="/articles/[0-9a-f]{16}"[^>]*>([^<]*)</a>', page)


def test_the_list_is_cut_into_parts_that_lead_to_each_other(browse):
    client = browse(*(article(n) for n in range(120)))
    seen, address = [], "/articles"
    while address:
        page = client.get(address).text
        seen += titles(page)
        found = re.search(r'rel="next" href="([^"]+)"', page)
        address = found[1].replace("&amp;", "&") if found else ""
    assert seen == [f"Bridge {n}" for n in range(120)]
    back = re.search(r'rel="prev" href="([^"]+)"', page)[1].replace("&amp;", "&")
    assert titles(client.get(back).text) == [f"Bridge {n}" for n in range(50, 100)]
    assert "120 articles" in page


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("site=other.example", ["Bridge 2"]),
        ("lang=TH", ["Bridge 1"]),
        ("method=pab", ["Bridge 3"]),
        ("below=0.5", ["Bridge 3"]),
        ("copies=1", ["Bridge 2"]),
        ("since=2026-11-20&until=2026-11-20&site=", ["Bridge 0", "Bridge 1", "Bridge 2", "Bridge 3"]),
        ("since=2030-01-01", []),
        ("site=%27%20OR%201=1--", []),
        ("sort=words&order=up", ["Bridge 0", "Bridge 1", "Bridge 2", "Bridge 3"]),
        ("sort=confidence", ["Bridge 3", "Bridge 0", "Bridge 1", "Bridge 2"]),
    ],
)
def test_filters_and_sorts(browse, query, wanted):
    client = browse(
        article(0),
        article(1, language="th"),
        article(2, site="other.example", duplicate_of=FIRST),
        article(3, extractor="pab", confidence=0.2),
    )
    page = client.get(f"/articles?{query}")
    assert page.status_code == 200
    assert titles(page.text) == wanted


@pytest.mark.parametrize(
    "query",
    [
        "below=x",
        "below=nan",
        "below=2",
        "since=yesterday",
        "since=2026-11-20&until=2026-11-01",
        "until=9999999d",
        "copies=2",
        "sort=id;DROP TABLE article",
        "order=sideways",
        "after=-1",
        "after=0",
        "after=1e3",
        "after=99999999999999999999",
        "before=\u0663",
        "site=" + "x" * 2_000,
    ],
)
def test_what_can_not_be_read_is_answered_with_what_is_allowed(browse, query):
    answer = browse(article()).get(f"/articles?{query}")
    assert answer.status_code == 400
    problem = answer.text.partition('role="alert">')[2].partition("<")[0]
    assert query.partition("=")[0] in problem.lower()
    assert '<form method="get" action="/articles"' in answer.text
    assert titles(answer.text) == []


def test_a_part_after_an_article_that_is_gone_leads_to_the_beginning(browse):
    assert browse(article()).get("/articles?after=4000").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/articles/nothing",
        "/articles/' OR 1=1",
        "/articles/%00",
        f"/articles/{FIRST}/article.exe",
        f"/crawls/{'9' * 5000}",
    ],
)
def test_what_is_not_there_is_not_found(browse, path):
    assert browse(article()).get(path).status_code == 404


def test_an_article_is_shown_as_what_its_blocks_are(browse):
    page = browse(rich_article()).get(f"/articles/{article_id('https://news.example/900')}").text
    text = re.search(r'<article class="card reading" dir="ltr" lang="en">(.*?)</article>', page, re.DOTALL)[1]
    assert '<h3 dir="auto">The &lt;b&gt;bridge&lt;/b&gt;</h3>' in text
    assert '<h4 dir="auto">Costs</h4>' in text
    assert '<ol><li dir="auto" value="3">one<ul><li dir="auto">one and a half</li></ul></li>' in text
    assert '<li dir="auto" value="4">two<p dir="auto">goes on</p></li></ol>' in text
    assert '<blockquote><p dir="auto">Never again,</p><p dir="auto">she said.</p></blockquote>' in text
    assert '<th scope="col" dir="auto">Year</th>' in text
    assert '<td dir="auto">&lt;7&gt;</td>' in text
    assert "<code>if a &lt; b:\n    pass</code>" in text
    assert 'href="https://other.example/a?b=1&amp;c=&#39;&#34;"' in text
    assert "javascript:" not in page
    assert "<img" not in page
    assert "h1</td>" in page  # where the title was found
    assert re.search(r'aria-label="Tag cloud".*bridge', page, re.DOTALL)


@pytest.mark.parametrize("form", ["txt", "md", "json"])
def test_an_article_is_downloaded(browse, form):
    answer = browse(article()).get(f"/articles/{FIRST}/article.{form}")
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    assert "The bridge number 0 was mended." in answer.text


def test_hostile_values_are_text_wherever_they_are_shown(browse):
    bad = article(
        5,
        url=HOSTILE_URL,
        canonical_url=None,
        title=HOSTILE_TITLE,
        site=HOSTILE_TITLE,
        language=HOSTILE_TITLE,
        extractor=HOSTILE_TITLE,
        authors=(HOSTILE_TITLE,),
        image=HOSTILE_URL,
        duplicate_of=HOSTILE_TITLE,
        page_type=HOSTILE_TITLE,
    )
    client = browse(bad)
    for path in ("/articles", f"/articles/{article_id(HOSTILE_URL)}", "/articles?site=%22%3E%3Cscript%3E"):
        page = client.get(path)
        assert page.status_code == 200, path
        assert "<script>" not in page.text
        assert 'href="javascript' not in page.text.lower()
        for tag in re.findall(r"<[a-z][^>]*>", page.text):
            assert not re.search(r"""\son\w+=x""", re.sub(r'"[^"]*"', "", tag)), tag
        title = re.search(r"<title>(.*?)</title>", page.text)[1]
        assert "\u202e" not in title


def test_copies_lead_both_ways(browse):
    client = browse(article(0), article(1, duplicate_of=FIRST, site="other.example"), article(2, duplicate_of="f" * 16))
    assert f'/articles/{article_id("https://news.example/1")}"' in client.get(f"/articles/{FIRST}").text
    copy = client.get(f"/articles/{article_id('https://news.example/1')}").text
    assert "A copy of" in copy
    assert f'href="/articles/{FIRST}"' in copy
    assert "not in the store" in client.get(f"/articles/{article_id('https://news.example/2')}").text


def test_each_text_is_shown_as_stored_by_then_with_what_was_changed(browse):
    before = article(0)
    text = before.text.replace("mended", "rebuilt") + "\n\nIt rained."
    blocks = tuple(ArticleBlock(kind=Kind.PARAGRAPH, text=part) for part in text.split("\n\n"))
    client = browse(before, article(0, text=text, blocks=blocks))
    page = client.get(f"/articles/{FIRST}").text
    assert f'href="/articles/{FIRST}/revisions/1"' in page
    first, second = (client.get(f"/articles/{FIRST}/revisions/{n}").text for n in (1, 2))
    assert "was mended." in first
    assert "rebuilt" not in first
    assert "<del>mended</del>" in second
    assert "<ins>It rained.</ins>" in second
    assert "1 changed" in second
    assert "1 added" in second
    assert '<tr class="kept">' in second
    assert client.get(f"/articles/{FIRST}/revisions/3").status_code == 404
    assert client.get(f"/articles/{FIRST}/revisions/99999999999999999999999").status_code == 404


def test_without_a_store_the_pages_say_so_and_make_none(connect, tmp_path):
    client = connect(store=f"sqlite:{tmp_path / 'none.db'}")
    page = client.get("/articles")
    assert page.status_code == 200
    assert "No articles yet" in page.text
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("spec", ["jsonl:{}", "sqlite:{}"])
def test_what_is_no_database_of_ours_is_an_error_that_says_so(connect, tmp_path, spec):
    path = tmp_path / "other"
    path.write_bytes(b"something else, of another program" * 100)
    page = connect(store=spec.format(path)).get("/articles")
    assert page.status_code == 503
    assert "cannot be read" in page.text


def test_right_to_left_articles_are_set_so(browse):
    text = "أعلنت الحكومة اليوم عن بناء جسر جديد فوق النهر القديم."
    blocks = (ArticleBlock(kind=Kind.PARAGRAPH, text=text),)
    page = browse(article(0, title="جسر جديد", text=text, blocks=blocks, language="ar")).get(f"/articles/{FIRST}").text
    assert 'dir="rtl" lang="ar"' in page
    assert direction("WHO قالت منظمة الصحة العالمية") == "rtl"
    assert direction("ชาวบ้านช่วยกัน") == direction("") == direction("123") == "ltr"


def test_huge_articles_are_shown_in_part_and_fast():
    started = time.process_time()
    many = tuple(
        ArticleBlock(kind=Kind.LIST_ITEM, level=1 + n % 50, text="item", ordered=n % 3 == 0) for n in range(20_000)
    )
    found = shown(many)
    assert found.n_left_out == 20_000 - MAX_BLOCKS
    assert found.html.count("<li") == found.html.count("</li>") == MAX_BLOCKS
    assert found.html.count("<ol>") == found.html.count("</ol>")
    crossed = tuple(TextMark(start=n, end=20_000 - n, kind="bold") for n in range(9_000))
    marked = shown([ArticleBlock(kind=Kind.PARAGRAPH, text="x" * 20_000, marks=crossed)] * 2_000)
    assert marked.html.count("<b>") == marked.html.count("</b>") > 0
    assert shown([ArticleBlock(kind=Kind.PARAGRAPH, text="x" * 10_000_000)]).n_left_out == 1
    assert time.process_time() - started < 10


def test_pages_have_nothing_inline_and_work_as_one_document(browse):
    client = browse(rich_article(), article(1))
    for path in ("/articles", f"/articles/{article_id('https://news.example/900')}"):
        page = client.get(path).text
        assert "<style" not in page
        assert " style=" not in page
        assert "<script>" not in page
        assert page.count("<h1") == 1
        ids = re.findall(r'\sid="([^"]+)"', page)
        assert len(ids) == len(set(ids))
    assert len(BLOCKS) == 12


def test_a_damaged_row_hides_no_other(browse, tmp_path):
    client = browse(article(0), article(1), article(2))
    with SqliteStore(tmp_path / "a.db") as store:
        odd = "n_words = 'many', confidence = 'x', published = 7, title = x'ff00fe', language = 3, extractor = x'ff'"
        store._file.rows(f"UPDATE article SET {odd} WHERE id = ?", (FIRST,))
        store._file.rows("UPDATE article SET record = '{broken' WHERE id = ?", (FIRST,))
        store._file.rows(
            "UPDATE article SET site = x'ff', confidence = 9e999 WHERE id = ?", (article_id("https://news.example/2"),)
        )
    lists = ("/articles", "/sites", "/api/v1/articles", "/api/v1/sites")
    for path in (*lists, "/articles?sort=title", "/articles?sort=confidence", "/sites/news.example"):
        page = client.get(path)
        assert page.status_code == 200, path
    assert "Bridge 1" in client.get("/articles?sort=words").text
    page = client.get(f"/articles/{FIRST}")
    assert page.status_code == 503
    assert "damaged" in page.text
