"""Columns of what stands inside of articles and is none of them."""

import time

import pytest

from tests.features.test_columns import PROSE, Seen
from webmain.extractors.page_model import columns
from webmain.features import aside_columns
from webmain.features.page_blocks import PageBlocks
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page

GROUPS = (aside_columns.links_and_rules, aside_columns.marks, aside_columns.said_before, aside_columns.since_author)

# ---- links and rules


def test_a_rule_is_before_the_next_block_alone():
    seen = Seen("<p>One one</p><div></div><hr><hr><p>Two two</p><p>Three <i>three</i></p>")
    assert [seen.of(start, "rule_before") for start in ("One", "Two", "Three")] == [0, 1, 0]
    assert not Seen("<p>One one</p><p>Two two</p>").column("rule_before").any()


@pytest.mark.parametrize(
    ("markup", "last", "leaves"),
    [
        ("Also: <a href=/>the <b>late</b> ferry</a>", 1, 3),
        ("Also <a href=/>the ferry</a>, and so on", 0, 1),
        ("Also the ferry", 0, 0),
    ],
)
def test_links_of_a_line(markup, last, leaves):
    seen = Seen(f"<p>{markup}</p>")
    assert seen.of("Also", "anchor_last") == last
    assert seen.of("Also", "linked_leaves") == leaves


# ---- marks


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [
        ("Ferries | Tides | Whales", "separators", 2),
        ("“Late again”, «said» he", "quotes", 4),
        ("买票！快！", "exclaims", 2),
        ("|" * 40, "separators", 10),
        ("Mail quay@example.org", "has_at", 1),
        ("No mail", "has_at", 0),
    ],
)
def test_marks_of_a_line_are_its_own(text, name, count):
    seen = Seen(f"<p>!!! | | “«” @ before</p><p>{text}</p><p>!!! | | “«” @ after</p>")
    assert seen.of(text, name) == count


# ---- what is said before

SAID = {
    "en": (f"{PROSE} Nobody had been told, he added.", "The ferry to the upper quay left an hour late"),
    "zh": (
        "前往上游码头的渡船在星期一晚了一个小时才开出，船长没有说明原因，港务长说这已经是本月第二次。",
        "渡船在星期一晚了一个小时才开出，船长没有说明原因，港务长说",
    ),
}


@pytest.mark.parametrize("language", SAID)
def test_a_pull_quote_is_said_before_wherever_it_stands(language):
    prose, quote = SAID[language]
    for body in (f"<p>{prose}</p><div>{quote}</div>", f"<div>{quote}</div><p>{prose}</p>"):
        seen = Seen(body)
        assert seen.found.values[seen.found.texts.index(quote), seen.found.names.index("said_before")] > 0.5
        assert seen.of(prose[:60], "said_before") == 0


def test_the_same_words_in_another_order_are_not_said_before():
    quote = " ".join(reversed(PROSE.split()))
    assert Seen(f"<p>{PROSE} {PROSE}</p><p>{quote}</p>").of(quote, "said_before") == 0


# ---- the author


@pytest.mark.parametrize(
    "head",
    [
        "<meta name=author content='Ada Fenn'>",
        '<script type="application/ld+json">{"author": {"@type": "Person", "name": "Ada Fenn"}}</script>',
        '<script type="application/ld+json">{"author": [{"name": "ADA FENN"}, {"name": "Bo Rusk"}]}</script>',
        '<script type="application/ld+json">{"author":"Ada Fenn"}</script>',
    ],
)
def test_blocks_are_counted_from_the_one_with_the_author(head):
    seen = Seen("<p>Late</p><p>By Ada Fenn</p><p>Text</p><p>End</p>", head=head)
    assert [seen.of(start, "since_author") for start in ("Late", "By", "Text", "End")] == [61, 0, 1, 2]


@pytest.mark.parametrize("name", ["https://example.org/ada-fenn", "Ada", "3 minutes", "x" * 80])
def test_what_is_no_name_is_looked_for_nowhere(name):
    seen = Seen(f"<p>{name}</p><p>Text</p>", head=f"<meta name=author content='{name}'>")
    assert seen.column("since_author").tolist() == [61, 61]


# ---- hostile pages

HOSTILE = {
    "many blocks": "<p>word word word word word word</p>" * 20_000,
    "one long block": "<p>" + "word some other text, " * 50_000,
    "no spaces": "<p>" + "渡船晚了" * 100_000,
    "many links": "<p>" + "<a href=/>one</a> two " * 10_000,
    "quotes that nearly match": "<p>" + "a" * 40_000 + ("<p>" + "a" * 20 + "b" + "a" * 200) * 1_000,
    "deep": "<div>" * 5_000 + "text" + "<p>text <b>more</b>" * 1_000,
    "many authors": "<meta name=author content='Ada Fenn'>" * 500
    + '<script type="application/ld+json">'
    + '"author":{"author":{' * 20_000
    + "</script>"
    + "<p>By Ada Fenn" * 5_000,
    "many rules": "<p>text</p>" + "<hr>" * 20_000 + "<p>text</p>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_cost_little(name):
    document = Document(Page(html=HOSTILE[name]), html=HOSTILE[name])
    page = PageBlocks(default_blocks(document))
    started = time.thread_time()
    for group in GROUPS:
        for column in group(page).values():
            assert len(column) == page.n
    assert time.thread_time() - started < 2


def test_a_page_of_one_mark_has_all_columns():
    document = Document(Page(html="<p>.</p>"), html="<p>.</p>")
    assert columns(default_blocks(document)).values.shape[0] == 1
