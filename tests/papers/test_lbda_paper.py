"""Worked examples of "A Layout Based Detachment Approach for Extracting Content from Webpages" (LBDA)."""

import pytest

from webmain.extraction import judge
from webmain.extractors.base import Extraction
from webmain.extractors.lbda import GATHERING, LBDA
from webmain.html.document import Document
from webmain.items import Page, Verdict

URL = "https://www.example.com/a"
BASELINE = LBDA(ads=False, site=False)
PROSE = "The board met again, and it agreed; the plan stands, said its head, and work begins in May, as was hoped."


def document(markup: str) -> Document:
    return Document(Page(url=URL, html=markup), html=markup)


def extraction(markup: str, method: LBDA = BASELINE) -> Extraction:
    return judge(document(markup), method)


def blocks(markup: str, method: LBDA = BASELINE) -> list[tuple[str, str]]:
    """Return degree and text of each block."""
    found = extraction(markup, method)
    degrees = [why.partition(":")[0][-1] for why in found.why]
    return list(zip(degrees, map(found.segmentation.text, range(len(found.kept))), strict=True))


# --- Block Acquiring Page Segmentation: the four rules ---------------------------------------------------------------


def test_rule_1_gathering_nodes_without_visible_child_go():
    assert blocks("<div></div><div> <span></span></div><div hidden>x</div><div>a</div>") == [("c", "a")]


def test_rule_1_before_rule_4_an_empty_gathering_child_is_none():
    assert blocks("<div><div></div><p>a<p>b</div>") == [("b", "a\nb")]


@pytest.mark.parametrize("inside", ["text", "<p>text</p>", "<span>te<b>xt</b></span>", "<img src=x><p>text</p>"])
def test_rule_2_one_visible_child_is_archived_with_degree_c(inside):
    assert blocks(f"<div>{inside}</div>") == [("c", "text")]


@pytest.mark.parametrize(
    ("inside", "text"),
    [("<p>a</p><p>b</p>", "a\nb"), ("a <b>b</b>", "a b"), ("<h2>a</h2>b", "a\nb"), ("a<br>b", "a\nb")],
)
def test_rule_3_several_visible_children_are_archived_together_with_degree_b(inside, text):
    assert blocks(f"<div>{inside}</div>") == [("b", text)]


def test_rule_4_a_gathering_child_divides_its_parent():
    found = blocks("<div><h1>a</h1><p>b</p><div><p>c</p><p>d</p></div><p>e</p></div>")
    assert found == [("a", "a"), ("a", "b"), ("b", "c\nd"), ("a", "e")]


def test_rule_4_neighbouring_inline_children_stay_together():
    found = blocks("<div>The <b>old</b> <a href=/>man</a><div>box</div>and <i>the</i> sea<p>end</p></div>")
    assert found == [("a", "The old man"), ("c", "box"), ("a", "and the sea"), ("a", "end")]


def test_rule_4_a_gathering_node_below_a_child_that_gathers_nothing_counts():
    assert blocks("<ul><li>a<div>b</div>c</li><li>d</li></ul>") == [("a", "a"), ("c", "b"), ("a", "c"), ("a", "d")]


def test_a_list_without_gathering_children_is_one_block():
    assert blocks("<ul><li>a<li>b<li>c</ul>") == [("b", "a\nb\nc")]


def test_table_cells_are_blocks():
    assert blocks("<table><tr><th>h</th><td>a</td><td><p>b<p>c</td></tr></table>") == [
        ("a", "h"), ("c", "a"), ("b", "b\nc"),
    ]  # fmt: skip


@pytest.mark.parametrize("tag", sorted(GATHERING - {"body", "table", "tbody", "tr", "td"}))
def test_gathering_nodes(tag):
    assert blocks(f"<{tag}>a <b>b</b></{tag}>c") == [("b", "a b"), ("a", "c")]


@pytest.mark.parametrize("tag", ["p", "span", "li", "h1", "pre", "b"])
def test_other_elements_gather_nothing(tag):
    assert blocks(f"<{tag}>a</{tag}>c")[0][0] == "b"


# --- step 2: the advertisement remover -------------------------------------------------------------------------------


def test_nodes_that_lead_to_advertisement_servers_go():
    markup = (
        f"<p>{PROSE} <a href=https://ad.doubleclick.net/c>Buy this</a> It went on.</p>"
        f"<custom-ad src=//x.googlesyndication.com/f><p>{PROSE} Now.</p></custom-ad>"
    )
    found = extraction(markup, LBDA())
    assert [found.segmentation.text(i) for i in range(len(found.kept))] == [f"{PROSE} It went on."]
    assert found.unit_verdicts == [Verdict.CONTENT, Verdict.OUTSIDE, Verdict.CONTENT, Verdict.OUTSIDE]
    assert Verdict.OUTSIDE not in extraction(markup).unit_verdicts


# --- step 3: the trees of all pages in one ---------------------------------------------------------------------------


def pages(n: int) -> list[Document]:
    names = [f"x{i}y{k}" for i in range(n) for k in range(40)]
    return [
        document(f"<div class=a><p>{PROSE} Welcome!</p></div><div class=b><p>{', '.join(names[40 * i :][:40])}.</p></div>")
        for i in range(n)
    ]  # fmt: skip


def test_one_page_has_no_evidence_and_keeps_the_header():
    assert extraction(pages(1)[0].html, LBDA()).kept.tolist() == [True, True]


def test_what_all_pages_share_is_detached():
    fitted = LBDA().fit([Document(Page(url=f"{URL}{i}", html=p.html), html=p.html) for i, p in enumerate(pages(4))])
    found = judge(pages(1)[0], fitted)
    assert found.unit_verdicts == [Verdict.OUTSIDE, Verdict.CONTENT]


# --- step 5: text length, punctuation, links -------------------------------------------------------------------------

WORDS = "one two three four five six seven eight nine ten "


@pytest.mark.parametrize(
    ("markup", "weight"),
    [
        (WORDS * 2 + "end. Really.", 22.0),  # 22 words, 2 marks: .09 for each word
        (WORDS * 2, 0.0),  # no marks
        (WORDS * 5 + ".", 50 * (1 / 50) / 0.06),  # too few marks
        ("a, b, c, d, e, f, g, h, i, j,", 10 * 0.5 / 1.0),  # too many
        ("one two three four. <a href=/>five six seven eigh</a>", 8 * 0.5),  # half of 19 + 19 characters is linked
        ("<a href=/>one, two, three.</a>", 0.0),
    ],
)
def test_weight_of_a_block(markup, weight):
    found = extraction(f"<p>{markup}</p>")
    assert found.raw[0] == pytest.approx(weight, rel=0.03)
    assert found.score[0] == pytest.approx(found.raw[0] / (found.raw[0] + 15))


@pytest.mark.parametrize(("n", "kept"), [(14, False), (15, True)])
def test_fifteen_words_of_prose_are_body_text(n, kept):
    found = extraction("<p>" + " ".join(["word"] * (n - 1)) + ", end.")
    assert found.raw.tolist() == [n]
    assert found.kept.tolist() == [kept]
    assert (found.score[0] >= 0.5) == kept


def test_many_links_lower_the_weight_and_marks_make_up_for_it():  # Performance Analysis: "numerous links in the text"
    linked = " ".join(f"<a href=/{i}>word</a>, and" for i in range(12))
    bare = " ".join(f"<a href=/{i}>word</a> and" for i in range(12))
    assert extraction(f"<p>{linked}").raw[0] > extraction(f"<p>{bare}").raw[0]
    assert extraction(f"<p>{PROSE}").raw[0] > extraction(f"<p>{PROSE.replace('agreed', '<a href=/>agreed</a>')}").raw[0]


def test_records_keep_what_stands_between_body_text():  # Data Extraction: sibling subtrees, boundaries eliminated
    markup = (
        f"<div><h1>Head</h1><p>{PROSE}</p><h2>Subhead</h2><ul><li><a href=/1>Link one</a><li><a href=/2>Link two</a></ul>"
        f"<p>{PROSE}</p><p>Short end</p></div>"
    )
    found = extraction(markup)
    assert found.kept.tolist() == [False, True, True, False, True, False]
    assert found.why[2] == "rule 4, degree a: between prose"
    assert found.score[2] == 0.5
    alone = extraction(markup, LBDA(records=False))
    assert alone.kept.tolist() == [False, True, False, False, True, False]


def test_records_end_with_their_gathering_node():
    other = f"<div><div><p>{PROSE}</p><div>x</div></div><p>Label</p></div><div><p>{PROSE}</p><div>x</div></div>"
    found = extraction(other)
    texts = [found.segmentation.text(i) for i in range(len(found.kept))]
    assert not found.kept[texts.index("Label")]


def test_boxes_of_one_gathering_node_are_siblings():
    found = extraction(f"<div><div><p>{PROSE}</p></div><div>Subhead</div><div><p>{PROSE}</p></div></div>")
    assert found.kept.tolist() == [True, True, True]


def test_why_names_rule_degree_and_reason():
    found = extraction(f"<div>{PROSE}</div><ul><li><a href=/>x</a><li><a href=/>y</a></ul><h1>Head</h1>")
    assert found.why == (
        "rule 2, degree c: prose",
        "rule 3, degree b: mostly links",
        "rule 4, degree a: too little prose",
    )


def test_the_baseline_is_segmentation_and_extraction_alone():
    markup = f"<p>{PROSE} <a href=//ad.doubleclick.net/>ad</a></p>"
    assert Verdict.OUTSIDE not in extraction(markup, BASELINE).unit_verdicts
    assert Verdict.OUTSIDE in extraction(markup, LBDA(site=False)).unit_verdicts
