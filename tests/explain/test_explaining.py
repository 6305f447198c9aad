"""Explanations: every leaf in one part, the content parts are the output, and pages that give none are explained, too."""

import re
from pathlib import Path
from time import process_time

import pytest

from demo.web import Web
from webmain.explain.explaining import block_of, explain_page, moved
from webmain.explain.parts import LEFT_OUT, REPLACED, TITLE
from webmain.extraction import Options, extract_page, read
from webmain.extractors.base import EXTRACTORS, create
from webmain.html.blocks import Unit
from webmain.items import Hints, Page, Reason, Rejected, Verdict
from webmain.items.keep import Keep
from webmain.sites.model_store import Choice
from webmain.sites.rules import read_sites

TESTS = Path(__file__).parent.parent
PROSE = "<p>The harbour master said that the boats would leave in the morning, before the tide turned.</p>"


def pages():
    yield from ((path.parent.name, path.read_bytes()) for path in sorted((TESTS / "pages").glob("*/input.html")))
    yield from ((path.name, path.read_bytes()) for path in sorted((TESTS / "gold" / "pages").glob("*.html"))[::3])


PAGES = dict(pages())


def more_pages():
    """The other gold pages, and the articles of the made-up web."""
    yield from (path.read_bytes() for path in (TESTS / "gold" / "pages").glob("*.html") if path.name not in PAGES)
    web = Web()
    yield from (web.respond(article.url).body for article in web.expected())


def content(found):
    return "\n\n".join(block.text for block in found.blocks if block.verdict is Verdict.CONTENT)


def explain(html, method="learned", url="https://harbour.example/boats", **options):
    return explain_page(Page(url=url, html=html), create(method), Options(**options))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("method", EXTRACTORS)
def test_every_leaf_is_in_one_part_and_the_content_parts_are_the_output(method, name):
    assert_all_is_explained(PAGES[name], create(method))


@pytest.mark.parametrize("method", EXTRACTORS)
def test_so_it_is_on_every_page_that_comes_with_the_project(method):
    bodies, extractor = list(more_pages()), create(method)
    assert len(bodies) >= 50
    for body in bodies:
        assert_all_is_explained(body, extractor)


def assert_all_is_explained(body, extractor):
    page = Page(url="https://news.example/story", body=body)
    found = explain_page(page, extractor)
    units = sorted(unit for block in found.blocks for unit in block.units)
    if found.unit is Unit.LINES:
        assert units == [i for i, text in enumerate(found.document.lines.texts) if text]
    else:
        assert units == list(range(len(found.document.leaves)))
    firsts = [block.first for block in found.blocks if block.units]
    assert firsts == sorted(firsts)
    assert all(block.why for block in found.blocks)
    if found.rejected is not None:
        with pytest.raises(Rejected, match=re.escape(str(found.rejected))):
            extract_page(page, extractor)
        return
    assert found.article == extract_page(page, extractor)
    assert content(found) == found.article.text


@pytest.mark.parametrize(
    "keep", [Keep(captions=True), Keep(tables=False, lists=False), Keep(comments=True, images=True)]
)
@pytest.mark.parametrize("method", ["learned", "line_block", "pab"])
def test_what_is_kept_beside_text_is_minded(method, keep):
    for body in list(PAGES.values())[::4]:
        found = explain_page(Page(url="https://news.example/story", body=body), create(method), Options(keep=keep))
        if found.article is not None:
            assert content(found) == found.article.text


def test_a_caption_that_is_added_says_so():
    caption = "<figure><img src=a.jpg><figcaption>The quay at noon</figcaption></figure>"
    html = PROSE + caption + PROSE.replace("boats", "ships")
    method = "thai_xpath"
    left_out = {b.text: b for b in explain(html, method, keep=Keep(captions=False)).blocks}["The quay at noon"]
    assert (left_out.verdict, left_out.why) == (Verdict.BOILERPLATE, f"{LEFT_OUT}a caption")
    added = {b.text: b for b in explain(html, method, keep=Keep(captions=True)).blocks}["The quay at noon"]
    assert added.verdict is Verdict.CONTENT


def test_a_footnote_mark_is_a_part_of_its_own():
    found = explain(
        f"<h1>Boats</h1>{PROSE * 3}<p>The tide<sup><a href='#n1'>[1]</a></sup> turned before the noon.</p>", "eniw"
    )
    mark = next(block for block in found.blocks if block.text == "[1]")
    assert (mark.verdict, mark.why) == (Verdict.BOILERPLATE, f"{LEFT_OUT}the mark of a footnote")
    assert content(found) == found.article.text


def test_hidden_text_is_said_to_be_hidden():
    found = explain(f"<h1>Boats</h1>{PROSE * 3}<p hidden>Never shown.</p><p style='display:none'>Nor this.</p>", "pab")
    why = {block.text: (block.verdict, block.why) for block in found.blocks}
    assert why["Never shown."] == (Verdict.OUTSIDE, "hidden text (attribute hidden)")
    assert why["Nor this."] == (Verdict.OUTSIDE, "hidden text (not displayed)")


def test_hidden_text_that_was_judged_is_said_to_be_hidden_too():
    found = explain(f"<h1>Boats</h1>{PROSE * 5}<p style='display:none'>Opened by a click.</p>")
    hidden = next(block for block in found.blocks if block.text == "Opened by a click.")
    assert hidden.index is not None
    assert hidden.why.endswith(" (hidden text)")


def test_a_menu_is_pruned_and_the_title_of_pab_is_for_search():
    html = f"<title>Boats at sea</title><nav><a href=/a>Tides</a> <b>Ports</b></nav><main>{PROSE * 9}</main>"
    menu = explain(html).blocks[0]
    assert (menu.verdict, menu.text, menu.xpath, menu.units) == (
        Verdict.PRUNED,
        "Tides Ports",
        "/html/body/nav",
        (0, 1),
    )
    title = explain(html, "pab").blocks[0]
    assert (title.verdict, title.why, title.text, title.raw) == (Verdict.OUTSIDE, TITLE, "Boats at sea", 1.0)
    assert (title.units, title.first) == ((), -1)


def test_a_method_without_a_tree_shows_source_lines():
    found = explain(f"<h1>Boats</h1>\n{PROSE}\n{PROSE.replace('boats', 'ships')}\n<p>short</p>", "line_block")
    assert found.unit is Unit.LINES
    assert {(block.xpath, block.selector) for block in found.blocks} == {("", "")}
    assert content(found) == found.article.text


def test_a_page_whose_data_gives_the_text_shows_it_beside_its_blocks():
    body = "The harbour master said that the boats would leave in the morning. " * 12
    data = f'''<script type="application/ld+json">{{"@type": "NewsArticle", "articleBody": "{body}"}}</script>'''
    found = explain(f"<title>Boats</title>{data}<p>Please switch on scripts to read this.</p>")
    assert found.article.extractor == "embedded"
    assert content(found) == found.article.text
    assert all(block.units == () for block in found.blocks if block.verdict is Verdict.CONTENT)
    assert "data embedded in the page" in found.blocks[-1].why


def test_a_feed_text_replaces_what_the_method_kept():
    page = Page(
        url="https://a.example/b", html=f"<h1>Boats</h1>{PROSE}", hints=Hints(source="feed", content_html=PROSE * 4)
    )
    found = explain_page(page, create("learned"))
    assert found.article.extractor == "feed"
    assert content(found) == found.article.text
    replaced = [block for block in found.blocks if block.why.startswith(REPLACED)]
    assert {block.verdict for block in replaced} <= {Verdict.DUPLICATE, Verdict.BOILERPLATE}


def test_following_pages_are_parts_without_leaves():
    second = Page(url="https://a.example/b?p=2", html=f"<h1>Boats</h1>{PROSE.replace('boats', 'ships') * 5}")
    found = explain_page(
        Page(url="https://a.example/b", html=f"<h1>Boats</h1>{PROSE * 5}", parts=(second,)), create("pab")
    )
    assert found.article.n_parts == 2
    assert content(found) == found.article.text
    assert found.blocks[-1].units == ()


def test_a_rejected_page_has_its_parts():
    found = explain("<nav><a href=/a>Tides</a> <a href=/b>Ports</a></nav>", "thai_xpath")
    assert found.article is None
    assert found.rejected.reason is Reason.NO_TEXT
    assert {block.verdict for block in found.blocks} == {Verdict.BOILERPLATE}
    listing = explain(f"<h1>Boats</h1>{PROSE * 9}", require="forum")
    assert listing.rejected.reason is Reason.NOT_ARTICLE
    assert "harbour master" in content(listing)


def test_a_page_without_blocks_has_what_it_hides():
    found = explain("<title>a</title><p hidden>Never shown.</p>", "pab", url=None)
    assert found.rejected is not None
    assert found.article is None


def test_what_can_not_be_read_is_rejected():
    for html in ("  ", '{"a": 1}'):
        with pytest.raises(Rejected):
            explain(html)
    deep = explain("<p>a" * 200_000, "pab")
    assert (deep.rejected.reason, deep.blocks, deep.page_type) == (Reason.TOO_LARGE, (), None)


def test_two_methods_explain_one_document():
    document = read(Page(url="https://a.example/b", html=f"<h1>Boats</h1>{PROSE * 5}"))
    one, other = (explain_page(document, create(method)) for method in ("learned", "pab"))
    assert one.document is other.document is document
    assert (one.name, other.name) == ("learned", "pab")


def test_the_choice_of_a_model_is_noted():
    found = explain_page(
        Page(html=PROSE * 5), create("learned"), choose=lambda document: Choice(create("pab"), "a note for people")
    )
    assert (found.name, found.note) == ("pab", "a note for people")


def test_a_page_whose_model_cannot_be_chosen_in_time_is_explained_as_rejected():
    def choose(document):
        raise Rejected(Reason.TOO_SLOW, "more than 1 s of CPU time")

    found = explain_page(Page(html=PROSE * 5), create("learned"), choose=choose)
    assert (found.name, found.rejected.reason, found.blocks) == ("learned", Reason.TOO_SLOW, ())


def test_rules_of_a_site_are_minded(tmp_path):
    path = tmp_path / "sites.toml"
    path.write_text('["harbour.example"]\nremove = ".ad"\nkeep = ".fix"\n', encoding="utf-8")
    html = f"<h1>Boats</h1>{PROSE * 5}<p class=ad>{PROSE[3:]}<p class=fix>Mended at noon.</p>"
    found = explain(html, sites=read_sites(path))
    why = {block.text: (block.verdict, block.why) for block in found.blocks if block.why.startswith("rule")}
    assert why["Mended at noon."] == (Verdict.CONTENT, "rule keep")
    assert (Verdict.BOILERPLATE, "rule remove") in why.values()
    assert content(found) == found.article.text


def test_what_moved_a_score_is_told_by_methods_that_can():
    found = explain(f"<h1>Boats</h1>{PROSE * 5}")
    strongest = moved(found, 1)
    assert abs(strongest[0].log_odds) >= abs(strongest[-1].log_odds) > 0
    assert moved(explain(PROSE * 5, "pab"), 0) == ()
    assert block_of(found, 1).text.startswith("The harbour master")
    with pytest.raises(IndexError):
        block_of(found, 99)


def numbered(n):
    return "".join(PROSE.replace("said", f"said {i}") for i in range(n))


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 480 + numbered(1_500),
        "<div hidden>" + "".join(f"<p>hidden {i}</p>" for i in range(4_500)) + "</div>" + numbered(9),
        "".join(f"<nav>menu {i}</nav>" for i in range(2_500)) + numbered(500),
        "<div>" + "".join(f"<span>word {i}, and </span>" for i in range(10_000)),
        f"<div class='{'c ' * 10_000}' id='{'x' * 45_000}'><{'y' * 45_000}>" + numbered(1_000),
        "".join(f"{PROSE}<sup><a href=#n>[{i}]</a></sup>" for i in range(1_500)),
    ],
    ids=["deep", "hidden", "menus", "spans", "names", "footnotes"],
)
@pytest.mark.parametrize("method", ["learned", "pab"])
def test_time_and_size_are_linear(method, html):
    began = process_time()
    found = explain(html, method, timeout_s=None)
    size = sum(len(block.xpath) + len(block.selector) + len(block.text) for block in found.blocks)
    assert process_time() - began < 6
    assert size < 60 * len(html)
