"""An article that a page carries as data is found in whatever form it has, and used where the page shows none of it."""

import html
import json
import time
from typing import Any

import pytest

import webmain
from webmain.embedded.articles import asks_for_scripts, embedded_article, embedded_instead, embedded_text
from webmain.embedded.rich_text import MAX_CHARS
from webmain.embedded.states import MAX_CHARS as MAX_SCRIPT_CHARS
from webmain.embedded.states import read_flight, read_states, stands_in_data
from webmain.extraction import read
from webmain.html.document import Document
from webmain.items import Kind, Page, Reason, Rejected
from webmain.metadata.read import read_metadata

TITLE = "Ice is back on the lake"
FIRST = "The ice on the lake is back after two mild winters, and the town has opened the old skating path again. " * 2
SECOND = "Nobody had expected so many people on the first evening, least of all the two who sell the tea. " * 3
FIRST, SECOND = FIRST.strip(), SECOND.strip()
OTHER = ("The mayor has presented a budget that pleases nobody, and the council will vote on it in May. " * 12).strip()
BODY = [FIRST, "A path of nine miles", SECOND]


def page(*scripts: str, body: str = '<div id="root"></div>', title: str = TITLE) -> Document:
    markup = f"<html><head><title>{title}</title></head><body>{body}{''.join(scripts)}</body></html>"
    return read(Page(url="https://example.org/news/ice-is-back-on-the-lake", html=markup))


def data(value: Any, *, kind: str = "application/json", name: str = "") -> str:
    return f'<script id="{name}" type="{kind}">{json.dumps(value)}</script>'


def linked(**fields: Any) -> str:
    return data({"@type": "NewsArticle", "headline": TITLE, **fields}, kind="application/ld+json")


def texts(document: Document) -> list[str]:
    found = embedded_text(document)
    return [block.text for block in found.blocks] if found else []


MARKUP = f"<p>{FIRST}</p><h2>A path of nine miles</h2><p>{SECOND}</p>"
PLAIN = "\n\n".join(BODY)


@pytest.mark.parametrize(
    "body",
    [
        PLAIN,
        "\n".join(BODY),
        "\r\n\r\n".join(BODY),
        MARKUP,
        html.escape(MARKUP),
        f"{FIRST}<br><br>A path of nine miles<br><br>{SECOND}",
        BODY,
    ],
)
def test_a_body_in_json_ld_becomes_paragraphs(body: Any) -> None:
    document = page(linked(articleBody=body))
    assert texts(document) == BODY
    found = embedded_article(document)
    assert found is not None
    assert (found.source, found.is_own) == ("json-ld", True)


def test_a_body_in_a_graph_is_found_and_that_of_a_listed_article_is_not() -> None:
    graph = {
        "@graph": [
            {
                "@type": "ItemList",
                "itemListElement": [{"@type": "NewsArticle", "headline": "Budget", "articleBody": OTHER}],
            },
            {"@type": "NewsArticle", "headline": TITLE, "articleBody": PLAIN},
        ]
    }
    assert texts(page(data(graph, kind="application/ld+json"))) == BODY


TREES = {
    "strings": BODY,
    "html": MARKUP,
    "contentful": {
        "nodeType": "document",
        "content": [
            {"nodeType": "paragraph", "content": [{"nodeType": "text", "value": FIRST, "marks": []}]},
            {"nodeType": "heading-2", "content": [{"nodeType": "text", "value": BODY[1], "marks": []}]},
            {
                "nodeType": "paragraph",
                "content": [
                    {"nodeType": "text", "value": SECOND[:30]},
                    {
                        "nodeType": "hyperlink",
                        "data": {"uri": "/"},
                        "content": [{"nodeType": "text", "value": SECOND[30:40]}],
                    },
                    {"nodeType": "text", "value": SECOND[40:]},
                ],
            },
        ],
    },
    "draft": {
        "blocks": [
            {"type": "unstyled", "text": FIRST, "entityRanges": []},
            {"type": "header-two", "text": BODY[1]},
            {"type": "atomic", "text": " "},
            {"type": "unstyled", "text": SECOND},
        ],
        "entityMap": {},
    },
    "prosemirror": {
        "type": "doc",
        "content": [
            {"type": "paragraph", "content": [{"type": "text", "text": FIRST}]},
            {"type": "heading", "attrs": {"level": 2}, "content": [{"type": "text", "text": BODY[1]}]},
            {
                "type": "paragraph",
                "content": [
                    {"type": "text", "text": SECOND[:30], "marks": [{"type": "bold"}]},
                    {"type": "text", "text": SECOND[30:]},
                ],
            },
        ],
    },
    "portable text": [
        {"_type": "block", "style": "normal", "children": [{"_type": "span", "text": FIRST}]},
        {"_type": "image", "caption": "A lake.", "asset": {"url": "https://example.org/a.jpg"}},
        {"_type": "block", "style": "h2", "children": [{"_type": "span", "text": BODY[1]}]},
        {
            "_type": "block",
            "style": "normal",
            "children": [{"_type": "span", "text": SECOND[:9]}, {"_type": "span", "text": SECOND[9:]}],
        },
    ],
    "slate": [
        {"type": "paragraph", "children": [{"text": FIRST[:20]}, {"text": FIRST[20:], "bold": True}]},
        {"type": "heading-two", "children": [{"text": BODY[1]}]},
        {"type": "paragraph", "children": [{"text": SECOND}]},
    ],
    "arc": [
        {"type": "text", "content": FIRST},
        {"type": "header", "level": 2, "content": BODY[1]},
        {
            "type": "image",
            "caption": "A lake in winter, as it was. A caption is no paragraph.",
            "url": "https://example.org/a.jpg",
        },
        {"type": "interstitial_link", "content": "<a href='/b'>Read also: the mayor's budget</a>"},
        {"type": "text", "content": SECOND},
    ],
    "editorjs": {
        "time": 1,
        "blocks": [
            {"type": "paragraph", "data": {"text": FIRST}},
            {"type": "header", "data": {"text": BODY[1], "level": 2}},
            {"type": "paragraph", "data": {"text": SECOND}},
        ],
    },
    "gutenberg": [
        {"name": "core/paragraph", "attributes": {"content": FIRST}, "innerBlocks": []},
        {"name": "core/heading", "attributes": {"content": BODY[1]}, "innerBlocks": []},
        {"name": "core/paragraph", "attributes": {"content": SECOND}, "innerBlocks": []},
    ],
    "lexical": {
        "root": {
            "type": "root",
            "children": [
                {"type": "paragraph", "children": [{"type": "text", "text": FIRST}]},
                {"type": "heading", "tag": "h2", "children": [{"type": "text", "text": BODY[1]}]},
                {"type": "paragraph", "children": [{"type": "text", "text": SECOND}]},
            ],
        }
    },
}


@pytest.mark.parametrize("form", TREES)
def test_text_of_content_systems_is_read_in_order_with_spans_joined(form: str) -> None:
    state = {
        "props": {
            "article": {"headline": TITLE, "body": TREES[form]},
            "related": [{"title": "Budget", "url": "/b/c", "body": OTHER}],
        }
    }
    assert texts(page(data(state, name="__NEXT_DATA__"))) == BODY


def test_kinds_of_blocks_are_kept() -> None:
    body = [
        {"type": "paragraph", "text": FIRST},
        {"type": "heading", "level": 3, "text": "A path"},
        {"type": "quote", "text": SECOND},
        {"type": "list", "style": "ordered", "items": ["one sledge", "two skates"]},
    ]
    found = embedded_text(page(data({"title": TITLE, "body": body})))
    assert found is not None
    kinds = [(block.kind, block.level) for block in found.blocks]
    assert kinds == [(Kind.PARAGRAPH, 0), (Kind.HEADING, 3), (Kind.QUOTE, 0), (Kind.LIST_ITEM, 1), (Kind.LIST_ITEM, 1)]
    assert found.blocks[3].ordered


ARTICLE = {"headline": TITLE, "body": BODY}
SCRIPT = json.dumps(ARTICLE)
STATES = {
    "assignment": f"<script>var a = 1; window.__INITIAL_STATE__ = {SCRIPT};</script>",
    "literal": (
        "<script>window.__NUXT__={data:[{article:{headline:'TITLE',body:['1','2',\"3\"],n:!0,x:void 0}}]}</script>".replace(
            "TITLE", TITLE
        )
        .replace("'1'", repr(BODY[0]))
        .replace("'2'", repr(BODY[1]))
        .replace('"3"', json.dumps(BODY[2]))
    ),
    "function": "<script>window.__NUXT__=(function(a,b){return {article:{headline:a,body:b,views:3}}}"
    f"({json.dumps(TITLE)},{json.dumps(BODY)}));</script>",
    "string": f"<script>window.__STATE__ = JSON.parse({json.dumps(SCRIPT)})</script>",
    "call": f"<script>App.init({SCRIPT})</script>",
    "attribute": f"<div data-page='{html.escape(SCRIPT)}'></div>",
    "astro": "<astro-island props='{}'></astro-island>".format(
        html.escape(json.dumps({"article": [0, {"headline": [0, TITLE], "body": [1, [[0, t] for t in BODY]]}]}))
    ),
    "flight": "".join(
        f"<script>self.__next_f.push([1,{json.dumps(chunk)}])</script>"
        for chunk in (
            f"1:T{len(MARKUP.encode()):x},{MARKUP[:90]}",
            f'{MARKUP[90:]}2:["$","$L9",null,{{"article":{{"headline":"{TITLE}","body":"$1"}}}}]\n',
        )
    ),
    "flat": data([{"data": 1}, {"headline": 2, "body": 3}, TITLE, [4, 5, 6], *BODY], name="__NUXT_DATA__"),
    "store": data(
        {
            "Post:1": {"title": TITLE, "content": {"paragraphs": [{"__ref": f"Paragraph:{i}"} for i in range(3)]}},
            **{f"Paragraph:{i}": {"type": "P", "text": t} for i, t in enumerate(BODY)},
        }
    ),
}


@pytest.mark.parametrize("form", STATES)
def test_state_is_found_however_scripts_are_given_it(form: str) -> None:
    assert texts(page(STATES[form])) == BODY


@pytest.mark.parametrize(
    "state",
    [
        {"i18n": {"en": {"body": OTHER}}},
        {"article": {"headline": "Mayor presents a budget", "url": "/news/mayor-presents", "body": OTHER}},
        {"headline": TITLE, "comments": [{"author": "A", "text": OTHER}, {"author": "B", "text": OTHER}]},
        {"headline": TITLE, "consent": {"text": OTHER}},
        {"headline": TITLE, "body": "a{color:red;margin:0 auto} " * 90},
        {"headline": TITLE, "body": "iVBORw0KGgoAAAANSUhEUgAA" * 90},
        {"headline": TITLE, "body": " ".join(f"https://example.org/a/{i}/b" for i in range(90))},
        {"headline": TITLE, "body": FIRST[:100]},
    ],
)
def test_what_is_no_article_of_this_page_is_left_out(state: dict[str, Any]) -> None:
    assert texts(page(data(state))) == []


def test_scripts_without_spaces_count_by_characters() -> None:
    thai = ["น้ำแข็งบนทะเลสาบกลับมาอีกครั้งหลังจากฤดูหนาวที่อบอุ่นสองปี" * 3, "เมืองได้เปิดเส้นทางสเก็ตเก่าอีกครั้งเมื่อวานนี้" * 4]
    chinese = ["湖面在两个暖冬之后再次结冰，小镇重新开放了古老的滑冰道。" * 3, "没有人想到第一个晚上会来这么多人。" * 3]
    for body, title in ((thai, "น้ำแข็งกลับมาแล้ว"), (chinese, "湖面再次结冰了，小镇开放滑冰道")):
        assert texts(page(data({"headline": title, "body": body}), title=title)) == body


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        (data({"body": BODY, "other": OTHER}), True),
        (f"<div data-page='{json.dumps({'body': [FIRST, SECOND]})}'></div>", True),
        (f'<meta name="description" content="{FIRST}">', False),
        (f"<noscript>{FIRST} {SECOND}</noscript>", False),
        (linked(description=FIRST, articleBody=OTHER), False),
    ],
)
def test_text_is_in_data_where_a_script_or_an_attribute_with_json_has_it(markup: str, found: bool) -> None:
    document = page(markup)
    assert stands_in_data(FIRST[10:34], document.html, document.elements.attributes) is found


def test_scripts_longer_than_what_is_left_are_passed_over() -> None:
    source = data({"a": "x" * 3_000}) + data({"b": OTHER})
    assert [state.value for state in read_states(source, max_chars=2_500)] == [{"b": OTHER}]
    assert len(read_states(source + data("x" * MAX_SCRIPT_CHARS))) == 2


def test_the_body_in_data_replaces_its_beginning_but_no_other_text() -> None:
    script = linked(articleBody="\n\n".join([*BODY, OTHER]))
    found = embedded_instead(page(script, body=f"<p>{FIRST}</p>"), FIRST)
    assert found is not None
    assert found.text.endswith(OTHER)
    whole = "\n\n".join([*BODY, OTHER])
    assert embedded_instead(page(script, body=f"<p>{whole}</p>"), whole) is None
    foreign = " ".join([OTHER.replace("budget", "concert")] * 2)
    state = data({"headline": TITLE, "body": [*BODY, *[s + " " + SECOND for s in BODY] * 4]})
    assert embedded_instead(page(state, body=f"<p>{foreign}</p>"), foreign) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You need to enable JavaScript to run this app.", True),
        ("JavaScript is disabled in your browser.", True),
        ("Bitte aktivieren Sie JavaScript, um fortzufahren.", True),
        ("Pour continuer, activez JavaScript.", True),
        ("請啟用 JavaScript 以繼續。" + "javascript 启用", True),
        ("JavaScript turned thirty this week.", False),
        ("JavaScript is disabled in your browser. " + OTHER * 2, False),
    ],
)
def test_notices_that_ask_for_scripts_are_known(text: str, expected: bool) -> None:
    assert asks_for_scripts(text) is expected


@pytest.mark.parametrize("method", ["line_block", "pab", "lbda", "thai_xpath"])
def test_a_page_that_shows_nothing_gives_the_embedded_article(method: str) -> None:
    article = webmain.extract(page(STATES["assignment"]).html, extractor=method)
    assert (article.extractor, article.text, article.title) == ("embedded", PLAIN, TITLE)


def test_a_page_without_text_and_data_is_still_rejected() -> None:
    with pytest.raises(Rejected) as caught:
        webmain.extract("<html><body><div id=root></div><script>var a = {b: 1}</script></body></html>")
    assert caught.value.reason is Reason.NO_BLOCKS


@pytest.mark.parametrize(
    "piece",
    [
        "a={",
        "x=[",
        "f({a:1,",
        '="',
        "={\"a:'b`",
        "=(function(a){return {",
        "x={/*",
        "<script ",
        "<script>a={</script>",
    ],
)
def test_scripts_that_never_end_are_read_in_linear_time(piece: str) -> None:
    seconds = []
    for n in (5_000, 20_000):
        document = page("<script>" + piece * n)
        assert read_metadata(document).title == TITLE
        start = time.process_time()
        assert embedded_text(document) is None
        seconds.append(time.process_time() - start)
    assert seconds[1] < 14 * seconds[0] + 0.5


def test_a_function_with_many_parameters_is_read_in_linear_time() -> None:
    names = [f"a{i:05d}" for i in range(100_000)]
    script = (
        f"(function({','.join(names)}){{return {{a:[{','.join(names)}]}}}})({','.join(map(str, range(len(names))))})"
    )
    start = time.process_time()
    (state,) = read_states(f"<script>window.__NUXT__={script}</script>")
    assert time.process_time() - start < 5
    assert state.value == {"a": list(range(len(names)))}


@pytest.mark.parametrize(
    "literal",
    ["9" * 100_000, "0x" + "f" * 100_000, "[" * 100_000, "[" * 900 + "]" * 900, "{a:" * 50_000 + "}" * 50_000,
     "'\\ud800\\u12'", "'\\u{ffffff}'", "\0", "(" * 50_000 + ")" * 50_000, "function(){return 1}", "a ? b : c",
     "`${a}`", "1e99999"],
)  # fmt: skip
def test_literals_made_to_break_a_reader_are_passed_over(literal: str) -> None:
    filler = f"x: '{'long ' * 60}'"
    start = time.process_time()
    assert embedded_text(page(f"<script>window.state = {{a: {literal}, {filler}}};</script>")) is None
    assert time.process_time() - start < 1


def test_data_that_holds_itself_many_times_is_read_once() -> None:
    chain = [{"a": 1, "b": 1}, *([i + 1, i + 1] for i in range(1, 200)), ["x"]]
    store = {f"P:{i}": {"a": {"__ref": f"P:{i + 1}"}, "b": {"__ref": f"P:{i + 1}"}} for i in range(200)}
    ring = {f"P:{i}": {"text": FIRST, "next": {"__ref": f"P:{(i + 1) % 5}"}} for i in range(5)}
    for value in (chain, store, ring, {"body": json.loads("[" * 400 + "]" * 400)}):
        start = time.process_time()
        embedded_text(page(data(value)))
        assert time.process_time() - start < 5


def test_much_data_that_holds_itself_many_times_is_read_once() -> None:
    words = "The harbour was quiet all night, and nobody came. " * 40
    chain = [{"body": 1, "headline": 1, "x": 1}, *([i + 1, i + 1] for i in range(1, 100)), words]
    document = page(data(chain) * 60)
    start = time.process_time()
    embedded_text(document)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("n", range(4))
def test_what_only_looks_like_base64_is_left_alone(n: int) -> None:
    packed = "eyJ" + "a" * (300 + n)
    assert texts(page(data({"headline": TITLE, "token": packed, "body": PLAIN}))) == BODY


@pytest.mark.parametrize("pushed", ['{"a": "b"}', '"a text"', "[]", "[1]", "[1, {}]"])
def test_pushing_what_is_no_row_of_a_stream_is_passed_over(pushed: str) -> None:
    script = f"<script>self.__next_f.push({pushed})</script>"
    assert texts(page(script, data({"headline": TITLE, "body": PLAIN}))) == BODY


def test_rows_of_text_in_a_stream_are_read_in_linear_time() -> None:
    start = time.process_time()
    assert read_flight("1:T1,a" * 300_000 + "2:T2,bc") == {"$1": "a", "$2": "bc"}
    assert time.process_time() - start < 5


def test_a_long_text_that_data_refers_to_many_times_is_written_a_few_times_at_most() -> None:
    store = {
        "Post:1": {"title": TITLE, "body": [{"__ref": "Text:1"}] * 2_000},
        "Text:1": {"text": f"{FIRST} " * 1_000},
        "Text:2": {},
        "Text:3": {},
    }
    found = embedded_text(page(data(store)))
    assert found is not None
    assert len(found.html) < 2 * MAX_CHARS


def test_many_packed_objects_are_each_measured_by_themselves() -> None:
    small = [json.dumps({"id": i, "labels": ["none"] * 60}) for i in range(50)]
    packed = json.dumps({"headline": TITLE, "body": PLAIN})
    assert texts(page(data({"first": small, "page": packed, "last": small}))) == BODY


@pytest.mark.parametrize("method", ["learned", "pab"])
def test_a_short_body_in_json_ld_is_taken_where_there_is_no_other_text(method: str) -> None:
    short = "The ice is back on the lake, and the council has opened a path of nine miles."
    article = webmain.extract(page(linked(articleBody=short)).html, extractor=method)
    assert (article.extractor, article.text, article.confidence) == ("embedded", short, None)
    shown = webmain.extract(page(linked(articleBody=short), body="<p>Some text.</p>").html)
    assert shown.text == "Some text."
