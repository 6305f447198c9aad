"""The page on which the store is searched: questions, the index, attacks."""

from __future__ import annotations

import re
import threading
import time

import pytest

from tests.web.conftest import form_token
from tests.web.stores import HOSTILE_TITLE, article, filled
from webmain.items.blocks import ArticleBlock, Kind
from webmain.store.block_index import BlockIndex
from webmain.web import store_pages


@pytest.fixture
def browse(connect, tmp_path):
    """What starts a server with a store of articles, in the index or not."""

    def started(*articles, index=True):
        client = connect(store=filled(tmp_path / "a.db", *articles))
        if index:
            assert make_index(client).status_code == 303
            while 'role="status">The index is being made' in client.get("/search").text:  # on a busy machine
                time.sleep(0.05)
        return client

    return started


def make_index(client, back=""):
    token = form_token(client.get("/search").text)
    return client.post(
        "/search/index", data={"form_token": token, "back": back}, headers={"origin": "http://localhost:8000"}
    )


def thai(n=0):
    text = "ชาวบ้านช่วยกันซ่อมสะพานไม้"
    return article(n, title="ตลาดเช้า", text=text, blocks=(ArticleBlock(kind=Kind.PARAGRAPH, text=text),), language="th")


def test_without_an_index_the_page_says_so_and_a_button_makes_it(browse):
    client = browse(article(0), index=False)
    page = client.get("/search?q=bridge").text
    assert "not in the search index yet" in page
    back = re.search(r'name="back" value="([^"]*)"', page)[1]
    answer = make_index(client, back)
    assert answer.headers["location"] == "/search?q=bridge"
    page = client.get("/search?q=bridge").text
    assert "up to date" in page
    assert "<mark>bridge</mark>" in page


def test_words_of_the_page_title_alone_are_shown_in_it(browse):
    client = browse(article(0, title="The old bridge", page_title="The old bridge - Quay Post"))
    page = client.get("/search?q=quay").text
    assert "The old bridge - <mark>Quay</mark> Post" in page


def test_words_and_phrases_are_found_and_marked(browse):
    client = browse(article(0), thai(1))
    assert "<mark>bridge number</mark>" in client.get('/search?q="bridge number"').text
    assert "Nothing was found" in client.get('/search?q="number bridge"').text
    assert "1 article" in client.get("/search?q=bridge nowhere&match=any").text
    assert "Nothing was found" in client.get("/search?q=bridge nowhere").text
    page = client.get("/search", params={"q": "สะพาน"}).text
    assert "<mark>สะพาน</mark>" in page
    assert 'lang="th"' in page


def test_results_are_cut_into_pages(browse):
    client = browse(*(article(n) for n in range(45)))
    seen = [re.findall(r">(Bridge \d+)</a>", client.get(f"/search?q=mended&page={n}").text) for n in (1, 2, 3)]
    assert [len(page) for page in seen] == [20, 20, 5]
    assert len({title for page in seen for title in page}) == 45
    assert 'rel="next"' not in client.get("/search?q=mended&page=3").text
    assert "no more results" in client.get("/search?q=mended&page=4").text


def test_filters_choose_among_the_articles(browse):
    client = browse(article(0), article(1, site="other.example", confidence=0.1))
    for query in ("site=other.example", "below=0.5"):
        page = client.get(f"/search?q=bridge&{query}").text
        assert "Bridge 1" in page
        assert "Bridge 0" not in page
    assert "No article has the site" in client.get("/search?q=bridge&site=nowhere.example").text


@pytest.mark.parametrize(
    "query",
    [
        "q=...",
        "q=" + "a" * 1_500,
        "q=bridge&page=0",
        "q=bridge&page=x",
        "q=bridge&match=some",
        "q=bridge&since=never",
        "q=" + "a b " * 40,
    ],
)
def test_what_can_not_be_searched_for_is_answered_with_what_is_allowed(browse, query):
    answer = browse(article(0)).get(f"/search?{query}")
    assert answer.status_code in (200, 400)
    assert answer.status_code == 400 or query.startswith("q=a b")
    assert '<form method="get" action="/search"' in answer.text
    assert ('role="alert"' in answer.text) == (answer.status_code == 400)


@pytest.mark.parametrize(
    "q", ["' OR 1=1 --", '" NEAR(a b)', "words:* AND bridge", "bridge*", "(((", "NULL", "%' ; DROP TABLE article"]
)
def test_no_word_of_a_question_is_a_command(browse, q):
    client = browse(article(0))
    assert client.get("/search", params={"q": q}).status_code in (200, 400)
    assert "1 article" in client.get("/search?q=mended").text


def test_hostile_texts_and_questions_are_text(browse):
    text = "A bridge <script>alert(1)</script> & more"
    client = browse(article(0, title=HOSTILE_TITLE, text=text, blocks=(ArticleBlock(kind=Kind.PARAGRAPH, text=text),)))
    page = client.get("/search", params={"q": 'alert "><script>x'}).text + client.get("/search?q=alert").text
    assert "<script>" not in page
    assert "&lt;script&gt;<mark>alert</mark>" in page


def test_articles_stored_later_are_told_of(browse, tmp_path):
    client = browse(article(0))
    filled(tmp_path / "a.db", article(1))
    page = client.get("/search?q=bridge").text
    assert "1 article is not in the search index yet" in page
    assert "Bridge 0" in page
    make_index(client)
    assert "Bridge 1" in client.get("/search?q=bridge").text


def test_the_index_needs_the_token_of_the_form(browse):
    client = browse(article(0), index=False)
    client.get("/search")
    assert client.post("/search/index", headers={"origin": "http://localhost:8000"}).status_code == 403
    assert client.get("/search/index").status_code == 405
    assert "not in the search index yet" in client.get("/search?q=bridge").text


@pytest.mark.parametrize(
    "back", ["//evil.example", "q=x\r\nset-cookie: a=b", "q=1&next=https://evil.example", "=" * 900]
)
def test_the_way_back_leads_to_the_search_alone(browse, back):
    answer = make_index(browse(article(0), index=False), back)
    assert answer.status_code == 303
    assert re.fullmatch(r"/search(\?[\w%+.&=-]*)?", answer.headers["location"])
    assert "evil" not in answer.headers["location"]


def test_an_index_that_takes_long_is_watched(browse, monkeypatch):
    client = browse(*(article(n) for n in range(3)), index=False)
    monkeypatch.setattr(store_pages, "WAIT_S", 0.0)
    begun, goes_on = threading.Event(), threading.Event()
    update = BlockIndex.update

    def slow(self, progress=None):
        progress(1, 3)
        begun.set()
        goes_on.wait(20)
        return update(self, progress)

    monkeypatch.setattr(BlockIndex, "update", slow)
    try:
        make_index(client)
        assert begun.wait(20)
        page = client.get("/search?q=bridge").text
        assert "1 of 3 articles" in page
        assert 'http-equiv="refresh"' in page
    finally:
        goes_on.set()
    for _ in range(200):
        if "http-equiv" not in (page := client.get("/search?q=bridge").text):
            break
        time.sleep(0.05)
    assert "Bridge 2" in page


def test_an_answer_that_would_take_too_long_is_given_up(tmp_path):
    from webmain.store.protocol import StoreError
    from webmain.store.sqlite import SqliteStore

    filled(tmp_path / "a.db", article(0))
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with (
        SqliteStore(tmp_path / "a.db", read_only=True, limit_s=0.2) as store,
        pytest.raises(StoreError, match="too long"),
    ):
        store._file.rows(endless)
