"""JSON-LD is read however badly it was written, and the node about this page wins."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.metadata.jsonld import about_page, read_json_ld, texts
from webmain.text.lenient_json import MAX_SCRIPT_CHARS, parse_json

ARTICLE = {"@type": "NewsArticle", "headline": "A"}


@pytest.mark.parametrize(
    "script",
    [
        '{"@type":"NewsArticle","headline":"A"}',
        ' \ufeff{"@type":"NewsArticle","headline":"A"};',
        '{"@type":"NewsArticle","headline":"A",}',
        '{"@type":"NewsArticle" "headline":"A"}',
        '// <![CDATA[\n{"@type":"NewsArticle","headline":"A"}\n// ]]>',
        '<!-- {"@type":"NewsArticle","headline":"A"} -->',
        '{"@type":"NewsArticle", /* the title */ "headline":"A"}',
        '{"@type":"NewsArticle", // the title\n "headline":"A"}',
        "{'@type':'NewsArticle','headline':'A'}",
        "{&quot;@type&quot;:&quot;NewsArticle&quot;,&quot;headline&quot;:&quot;A&quot;}",
        '{"@type":"NewsArticle","headline":"A"',
        '{@type:"NewsArticle",headline:"A"}',
    ],
)
def test_a_badly_written_object_reads_like_a_well_written_one(script: str) -> None:
    assert parse_json(script) == [ARTICLE]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('{"a":1}{"b":2}', [{"a": 1}, {"b": 2}]),
        ('{"a":1},\n{"b":2}', [{"a": 1}, {"b": 2}]),
        ('{"h":"He said "yes" today","n":1}', [{"h": 'He said "yes" today', "n": 1}]),
        ('{"h":"one\ntwo\ttab","x":tru}', [{"h": "one\ntwo\ttab", "x": "tru"}]),
        (r'{"h":"it\'s","n":[1,2.5,true,null,],}', [{"h": "it's", "n": [1, 2.5, True, None]}]),
        (r'{"h":"\ud83d\ude00",}', [{"h": "\U0001f600"}]),
        (r'{"h":"a\ud83d"}', [{"h": "a\ufffd"}]),
        (r'{"h":"a\ude00",}', [{"h": "a\ufffd"}]),
        ("", []),
        ("null;", [None]),
        ("window.x = 1", []),
    ],
)
def test_what_can_be_read_is_read(script: str, expected: list[object]) -> None:
    assert parse_json(script) == expected


def test_scripts_over_the_size_bound_are_not_read() -> None:
    small = json.dumps({"a": "x" * 100})
    assert parse_json(small)
    assert parse_json('{"a":"' + "x" * MAX_SCRIPT_CHARS + '"}') == []


@pytest.mark.parametrize(
    "script",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":"' + '" ' * 500_000,
        '{"a": ' + "9" * 1_000_000 + "}",
        "/*" * 500_000,
        '{"' + "\\" * 999_999,
        '{"a":"b"' * 100_000,
        "'" + "a'" * 400_000,
    ],
)
def test_hostile_scripts_cost_little_and_raise_nothing(script: str) -> None:
    started = time.process_time()
    read_json_ld([script])
    assert time.process_time() - started < 3


@given(st.text(alphabet="{}[]\",':\\/*<!->& \n\ud800\u0000a1tn@", max_size=200))
def test_nothing_written_raises(script: str) -> None:
    linked = read_json_ld([script])
    about_page(linked, urls=["https://a.example/b"], titles=["x"])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
        max_leaves=10,
    )
)
def test_valid_json_is_read_as_it_stands(value: object) -> None:
    assert parse_json(json.dumps([value])) == [[value]]


def _headlines(*objects: object, url: str = "https://x.example/a", title: str = "") -> list[object]:
    linked = read_json_ld([json.dumps(o) for o in objects])
    return [n.value.get("headline") or n.value.get("name") for n in about_page(linked, urls=[url], titles=[title])]


def test_the_article_comes_before_the_web_page() -> None:
    graph = {
        "@graph": [
            {"@type": "WebPage", "name": "w"},
            {"@type": ["Thing", "http://schema.org/Article"], "headline": "a"},
        ]
    }
    assert _headlines(graph) == ["a", "w"]


def test_related_articles_of_a_list_do_not_win() -> None:
    related = {"@type": "NewsArticle", "headline": "r", "datePublished": "2024-01-01", "author": "x"}
    listed = {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": related}]}
    assert _headlines(listed, {"@type": "NewsArticle", "headline": "a"})[0] == "a"


def test_the_article_with_the_address_of_the_page_wins() -> None:
    first = {"@type": "NewsArticle", "headline": "1", "url": "https://x.example/other"}
    second = {"@type": "NewsArticle", "headline": "2", "mainEntityOfPage": {"@id": "http://www.x.example/a/"}}
    assert _headlines(first, second)[0] == "2"


def test_the_article_with_the_title_of_the_page_wins() -> None:
    first = {"@type": "NewsArticle", "headline": "Something else entirely"}
    second = {"@type": "NewsArticle", "headline": "The bridge is open again"}
    assert _headlines(first, second, title="The bridge is open again - Daily")[0] == "The bridge is open again"


def test_references_are_resolved() -> None:
    linked = read_json_ld(['{"@graph":[{"@id":"#p","@type":"Person","name":"Jane Roe"},{"@type":"Article"}]}'])
    assert linked.resolve({"@id": "#p"})["name"] == "Jane Roe"
    assert linked.resolve({"@id": "#q"}) == {"@id": "#q"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", ["a"]),
        (["a", {"name": ["b", "c"]}, None, 3, " "], ["a", "b", "c"]),
        ({"@value": "v"}, ["v"]),
        ({"url": "u"}, []),
        (None, []),
    ],
)
def test_texts_of_a_value(value: object, expected: list[str]) -> None:
    assert texts(value) == expected
