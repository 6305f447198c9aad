"""The page of tag clouds."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image
from selectolax.lexbor import LexborHTMLParser

from tests.web.conftest import Browser, Connect
from webmain.items import Article, ArticleBlock, Kind
from webmain.store.registry import open_store

THAI = "ตลาดน้ำเปิดทุกเช้า ชาวสวนพายเรือมาขายผลไม้ที่ตลาดน้ำ นักท่องเที่ยวชอบตลาดน้ำ และซื้อผลไม้กลับบ้าน"


def article(name: str, text: str, **other: object) -> Article:
    values: dict[str, object] = {
        "id": name,
        "url": f"https://{name}.example/1",
        "site": f"{name}.example",
        "language": "en",
        "text": text,
        "blocks": (ArticleBlock(kind=Kind.PARAGRAPH, text=text),),
        "published": datetime(2026, 11, 1, tzinfo=UTC),
    }
    return Article(**(values | other))  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> str:
    spec = f"sqlite:{tmp_path / 'news.db'}"
    with open_store(spec) as opened:
        opened.add(article("a", THAI, language="th", title="<b>ตลาด</b>"))
        opened.add(article("b", "tide " * 300))
        opened.add(article("c", "rose quay " * 30, published=datetime(2026, 11, 20, tzinfo=UTC)))
    return spec


@pytest.fixture
def clouds(store: str, connect: Connect) -> Browser:
    return connect(store=store)


def words(client: Browser, query: str) -> list[str]:
    answer = client.get(f"/clouds?{query}")
    assert answer.status_code == 200, answer.text
    return [one.text() for one in LexborHTMLParser(answer.text).css(".cloud bdi")]


def test_the_page_is_in_the_navigation_and_shows_all_articles(clouds: Browser) -> None:
    page = LexborHTMLParser(clouds.get("/clouds").text)
    assert page.css_first("nav a[aria-current]").text() == "Clouds"
    assert page.css_first("#cloud-title").text() == "All articles: the most frequent words"
    assert {"tide", "ตลาดน้ำ"} <= set(words(clouds, ""))
    assert {one.attributes["href"] for one in page.css(".chips a")} == {"/clouds?lang=en", "/clouds?lang=th"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("lang=en", ["quay", "rose", "tide"]),
        ("site=B.example", ["tide"]),
        ("since=2026-11-02", ["quay", "rose"]),
        ("until=2026-11-20&lang=en", ["quay", "rose", "tide"]),
        ("until=2026-11-19&lang=en", ["tide"]),
        ("query=quay", ["quay", "rose"]),
        ("article=c", ["quay", "rose"]),
        ("site=c.example&against=rest", ["quay", "rose"]),
        ("site=c.example&against=rest&under=1", ["tide"]),
        ("site=b.example&against=other&other_site=c.example", ["tide"]),
        ("site=nowhere.example", []),
    ],
)
def test_the_form_selects_and_compares(clouds: Browser, query: str, found: list[str]) -> None:
    assert words(clouds, query) == found


def test_thai_has_its_language_and_a_table(clouds: Browser) -> None:
    page = LexborHTMLParser(clouds.get("/clouds?article=a").text)
    assert page.css_first("ul.cloud").attributes["lang"] == "th"
    assert page.css_first(".cloud a").attributes["href"].startswith("/search?q=%E")
    assert page.css_first("tbody tr").text(separator=" ").split() == ["ตลาดน้ำ", "3", "1"]
    assert page.css_first("#cloud-title").text() == "<b>ตลาด</b>: the most frequent words"


def test_a_cloud_is_saved_in_every_format(clouds: Browser) -> None:
    page = LexborHTMLParser(clouds.get("/clouds?lang=th&top=50").text)
    links = {one.text(): one.attributes["href"] for one in page.css("a[download]")}
    assert set(links) == {"PNG", "SVG", "JSON"}
    png, svg, record = (clouds.get(links[form]) for form in ("PNG", "SVG", "JSON"))
    assert Image.open(io.BytesIO(png.content)).size == (1200, 650)
    assert "ตลาดน้ำ" in svg.text
    assert svg.headers["content-type"].startswith("image/svg+xml")
    assert "script-src 'self'" in svg.headers["content-security-policy"]
    assert json.loads(record.text)["words"][0]["word"] == "ตลาดน้ำ"


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("since=yesterday", 400, "allowed is a date"),
        ("top=9999", 400, "number of words"),
        ("against=you", 400, "Nothing can be compared"),
        ("query=!!", 400, "names no word"),
        ("against=rest&under=0", 400, "allowed is 1"),
        ("article=nowhere", 400, "no article nowhere"),
        ("site=b.example&against=other&other_site=nowhere.example", 400, "There is nothing to compare with"),
        ("site=a.example&against=rest", 400, "no other articles in the same language (th) have words"),
    ],
)
def test_a_wrong_question_is_told_on_the_page_and_in_files(
    clouds: Browser, query: str, status: int, message: str
) -> None:
    for path in ("/clouds", "/clouds.json", "/clouds.png"):
        answer = clouds.get(f"{path}?{query}")
        assert answer.status_code == status
        assert message in LexborHTMLParser(answer.text).body.text()


def test_unknown_colours_are_refused(clouds: Browser) -> None:
    assert clouds.get("/clouds.png?colours=red").status_code == 400


def test_what_is_asked_is_escaped(clouds: Browser) -> None:
    hostile = '"><script>alert(1)</script>'
    for name in ("query", "site", "lang", "since", "against", "article", "top", "other_site"):
        page = clouds.get("/clouds", params={name: hostile, "lang": hostile}).text
        assert "<script>alert" not in page


def test_a_new_article_is_in_the_next_cloud(clouds: Browser, store: str) -> None:
    assert words(clouds, "site=d.example") == []
    with open_store(store) as opened:
        opened.add(article("d", "moon moon"))
    assert words(clouds, "site=d.example") == ["moon"]


def test_without_a_store_the_page_says_so(connect: Connect, tmp_path: Path) -> None:
    client = connect(store="sqlite:/nowhere/articles.db")
    assert "No articles yet" in client.get("/clouds").text
    assert client.get("/clouds.json").status_code == 503
    (tmp_path / "other.db").write_text("no database")
    answer = connect(store=f"sqlite:{tmp_path / 'other.db'}").get("/clouds")
    assert answer.status_code == 503
    assert "cannot be read" in answer.text


def test_the_style_sheet_needs_no_token(connect: Connect, store: str) -> None:
    client = connect(store=store, token="x" * 20)
    assert client.get("/static/cloud.css").headers["content-type"].startswith("text/css")
    assert client.get("/clouds").status_code in (303, 401)


def test_the_fields_of_days_are_those_of_the_list_of_articles(clouds: Browser) -> None:
    def fields(path: str) -> list[dict[str, str | None]]:
        page = LexborHTMLParser(clouds.get(path).text)
        return [page.css_first(f"input[name={name}]").attributes for name in ("since", "until")]

    assert fields("/clouds") == fields("/articles")
