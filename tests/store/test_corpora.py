from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from xml.etree.ElementTree import Element, fromstring
from xml.sax.saxutils import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.items import Article, ArticleBlock, Kind
from webmain.store.corpora import MAX_LIST_DEPTH, TEI_NAMESPACE, write_tei, write_vertical
from webmain.text.normal import fold_space

Make = Callable[..., Article]
NS = f"{{{TEI_NAMESPACE}}}"


def block(kind: str, text: str, **other: object) -> ArticleBlock:
    return ArticleBlock(kind=Kind(kind), text=text, **other)  # type: ignore[arg-type]


def vertical(*articles: Article) -> list[str]:
    file = io.StringIO()
    write_vertical(articles, file)
    assert file.getvalue().endswith("</doc>\n")
    return file.getvalue().splitlines()


def tei(*articles: Article) -> Element:
    file = io.StringIO()
    write_tei(articles, file)
    return fromstring(file.getvalue().encode())


def joined(lines: Sequence[str]) -> list[str]:
    """Return the texts of the paragraphs of a vertical text, as its rules say."""
    found: list[str] = []
    space = ""
    for line in lines:
        if line.startswith("<p"):
            found.append("")
            space = ""
        elif line == "<g/>":
            space = ""
        elif not line.startswith("<"):
            assert re.fullmatch(r"\S+", line)
            found[-1] += space + unescape(line)
            space = " "
    return found


def test_vertical_text_of_an_article(make_article: Make) -> None:
    article = make_article(
        title='"Harbour" <1>\n& more', blocks=(block("heading", "U.S."), block("paragraph", "a<b, ข่าว R&D"))
    )
    assert vertical(article) == [
        f'<doc id="{article.id}" url="{article.url}" title="&quot;Harbour&quot; &lt;1&gt; &amp; more" date="2026-11-21"'
        ' author="Jane Doe|สมชาย ใจดี" site="news.example" language="th">',
        *'<p type="heading">|U.S.|</p>'.split("|"),
        *"<p>|a|<g/>|&lt;|<g/>|b|<g/>|,|ข่าว|R|<g/>|&amp;|<g/>|D|</p>".split("|"),
        "</doc>",
    ]


def test_vertical_text_of_an_article_of_which_nothing_is_known() -> None:
    first, *rest = vertical(Article(text="one\n\n\u200b two\u200b \u200f"))
    assert re.fullmatch('<doc id="[0-9a-f]{16}" url="" title="" date="" author="" site="" language="">', first)
    assert rest == ["<p>", "one", "</p>", "<p>", "two", "</p>", "</doc>"]


SAMPLES = (
    "The U.S. “harbour” isn't open; see R&D <b> at 3.5 km/h (e.g. 1,000).",
    "นายกรัฐมนตรีกล่าวว่า ราคา 5.50 บาท/ลิตร มาก ๆ เเละน้ํามัน พ.ศ. ๒๕๖๗...",
    "東京都の小池知事は、「3月」に発表した。ＡＢＣと10%増。",
    "قال الرئيسُ: «ثمّ ذهبَ»، في ١٢٫٥٪ من الحالات؟",
)


@pytest.mark.parametrize("language", ["en", "th", "ja", "ar"])
@given(text=st.lists(st.sampled_from((*SAMPLES, *"".join(SAMPLES), " ", "\n", "\u3000", "\t"))).map("".join))
def test_tokens_of_vertical_text_give_the_text_back(language: str, text: str) -> None:
    article = Article(blocks=(block("paragraph", text), block("quote", text)), language=language)
    assert joined(vertical(article)) == [fold_space(text)] * 2


BLOCKS = (
    block("paragraph", "Before\x00 <any> \ud800heading"),
    block("heading", "A", level=3),
    block("list_item", "one", level=1),
    block("list_item", "one.three", level=2, ordered=True, number=3),
    block("list_item", "goes on", level=2, continues=True),
    block("list_item", "two", level=1),
    block("list_item", "first", level=1, ordered=True, number=1),
    block("quote", "said"),
    block("quote", "and said", continues=True),
    block("quote", "another"),
    block("heading", "A.1", level=4),
    block("code", "if x:\n    y"),
    block("table", "a\tb\nc\t", rows=(("a", "b"), ("c", ""))),
    block("heading", "B", level=2),
    block("caption", "Ships"),
)


def outline(element: Element) -> str:
    inner = "".join(map(outline, element))
    text = (element.text or "").strip()
    return f"{element.tag.removeprefix(NS)}({text}{inner})"


def test_structure_of_a_text_in_tei(make_article: Make) -> None:
    body = tei(make_article(blocks=BLOCKS)).find(f".//{NS}body")
    assert body is not None
    assert outline(body) == (
        "body(p(Before <any> \ufffdheading)"
        "div(head(A)list(item(onelist(item(one.threep(goes on))))item(two))list(item(first))"
        "quote(p(said)p(and said))quote(p(another))"
        "div(head(A.1)p(if x:\n    y)table(row(cell(a)cell(b))row(cell(c)cell()))))"
        "div(head(B)p(Ships)))"
    )
    lists = [(each.get("rend"), each[0].get("n")) for each in body.iter(f"{NS}list")]
    assert lists == [("bulleted", None), ("numbered", "3"), ("numbered", "1")]
    assert [each.get("rend") for each in body.iter(f"{NS}p") if each.get("rend")] == ["code", "caption"]


def test_lines_of_a_block_stay_lines_in_tei() -> None:
    poem = "Two roads diverged,\nand sorry  I could\n\nnot travel both"
    corpus = tei(Article(blocks=(block("paragraph", poem), block("list_item", "one\ntwo", level=1))))
    lines = [[each.text, *(line.tail for line in each.iter(f"{NS}lb"))] for each in corpus.find(f".//{NS}body") or ()]
    assert lines[0] == ["Two roads diverged,", "and sorry I could", "not travel both"]
    assert lines[1][1:] == ["two"]


def test_header_of_a_text_in_tei(make_article: Make) -> None:
    article = make_article()
    corpus = tei(article, make_article(2))
    assert [each.tag for each in corpus] == [f"{NS}teiHeader", f"{NS}TEI", f"{NS}TEI"]
    assert outline(corpus[1][0]).replace("2026-11-21T07:30:00+07:00", "DATE") == (
        "teiHeader(fileDesc(titleStmt(title(Harbour 1 🚢)author(Jane Doe)author(สมชาย ใจดี))"
        f"publicationStmt(publisher(News)idno({article.id})idno({article.url})"
        "availability(licence(https://creativecommons.org/licenses/by/4.0/))date(DATE))"
        "sourceDesc(bibl(title(Harbour 1 🚢)author(Jane Doe)author(สมชาย ใจดี)publisher(News)date(DATE)"
        f"ref({article.url}))))"
        "profileDesc(langUsage(language(th))textClass(keywords(term(harbour)term(ships)))))"
    )
    assert corpus[1][1].get("{http://www.w3.org/XML/1998/namespace}lang") == "th"


# For each element those it may contain, in the order of the content models of TEI P5.
CHILDREN = {
    "teiCorpus": "(teiHeader )(TEI )+",
    "TEI": "(teiHeader )(text )",
    "teiHeader": "(fileDesc )(profileDesc )?",
    "fileDesc": "(titleStmt )(publicationStmt )(sourceDesc )",
    "titleStmt": "(title )+(author )*",
    "publicationStmt": "(p )+|(publisher )(idno )*(availability )?(date )?",
    "availability": "(licence )+",
    "sourceDesc": "(p )+|(bibl )+",
    "bibl": "(title )(author )*(publisher )(date )?(ref )?",
    "profileDesc": "(langUsage )(textClass )?",
    "langUsage": "(language )+",
    "textClass": "(keywords )",
    "keywords": "(term )+",
    "text": "(body )",
    "body": "((p |list |quote |table )+(div )*|(div )+)",
    "div": "(head )(p |list |quote |table )*(div )*",
    "list": "(item )+",
    "item": "(lb )*(p |list )*",
    "p": "(lb )*",
    "head": "(lb )*",
    "quote": "(p )+",
    "table": "(row )+",
    "row": "(cell )+",
}
any_block = st.builds(
    ArticleBlock,
    kind=st.sampled_from(Kind),
    text=st.text("a<&\"'\t\n\r\x00\x0b\x1f\ufffe\ud800ก ", max_size=8),
    level=st.integers(0, 7),
    ordered=st.booleans(),
    number=st.integers(0, 2),
    continues=st.booleans(),
)


@given(
    blocks=st.lists(any_block, max_size=12), title=st.none() | st.text(max_size=5), tags=st.lists(st.text(max_size=3))
)
def test_tei_of_any_article_is_in_the_order_of_the_guidelines(
    blocks: list[ArticleBlock], title: str | None, tags: list[str]
) -> None:
    corpus = tei(Article(blocks=tuple(blocks), title=title, tags=tuple(tags), url="https://a.example/?a=1&b=<"))
    for element in corpus.iter():
        names = "".join(child.tag.removeprefix(NS) + " " for child in element)
        assert re.fullmatch(CHILDREN.get(element.tag.removeprefix(NS), ""), names), (element.tag, names)
    body = corpus.find(f".//{NS}body")
    assert body is not None
    text = re.sub("[\x00\ufffe]", "", "".join(each.text for each in blocks)).replace("\ud800", "\ufffd")
    assert "".join("".join(body.itertext()).split()) == "".join(text.split())


def test_lists_are_nested_to_a_limit() -> None:
    items = tuple(block("list_item", str(n), level=n) for n in range(1, 3_000))
    corpus = tei(Article(blocks=items))
    assert len(list(corpus.iter(f"{NS}list"))) == MAX_LIST_DEPTH
    assert len(list(corpus.iter(f"{NS}item"))) == len(items)
