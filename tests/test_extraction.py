"""The stages as pure functions: read, judge, merge, compose, stitch."""

import logging
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import webmain
from webmain.article.compose import MAX_WHY_CHARS, MIN_FEED_CHARS, compose, with_hints
from webmain.extraction import (
    MIN_DUPLICATE_CHARS,
    Options,
    errors_as_rejections,
    extract_page,
    extract_pages,
    judge,
    merge,
    read,
)
from webmain.extractors.base import Extraction, Learned, NothingLearned, SiteExtractor, create
from webmain.html.blocks import Unit, segment
from webmain.items import Hints, Kind, Metadata, Page, Reason, Rejected, Source
from webmain.metadata.dates import parse_date
from webmain.sites.model_file import ModelError

URL = "https://example.com/a"
LONG = "A sentence of some length, written to be repeated. " * 4


@dataclass(frozen=True)
class KeepAll:
    name: ClassVar[str] = "keep_all"
    merges: bool = False

    def segment(self, document):
        return segment(document)

    def judge(self, segmentation):
        n = len(segmentation)
        return Extraction(
            segmentation, self.name, score=np.ones(n), raw=np.ones(n), kept=np.ones(n, dtype=bool), why=["x"] * n,
            merges_duplicates=self.merges,
        )  # fmt: skip


def page(markup: str, **kw) -> Page:
    return Page(url=URL, html=markup, **kw)


def text(markup: str, method=None, **kw) -> str:
    return extract_page(page(markup, **kw), method or KeepAll(), Options(metadata=False)).text


def reason(given: Page, **kw) -> Reason:
    with pytest.raises(Rejected) as caught:
        judge(read(given, Options(**kw)), KeepAll())
    assert caught.value.url == given.url
    return caught.value.reason


# --- read ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (Page(url=URL, html=""), Reason.EMPTY),
        (Page(url=URL, body=b" \r\n"), Reason.EMPTY),
        (Page(url=URL), Reason.EMPTY),
        (Page(url=URL, body=b"%PDF-1.7\n\x00\x01", headers={"content-type": "text/html"}), Reason.NOT_HTML),
        (Page(url=URL, body=b'{"a": 1}', headers={"content-type": "application/json"}), Reason.NOT_HTML),
        (Page(url=URL, html="<p></p>"), Reason.NO_BLOCKS),
    ],
)
def test_pages_that_cannot_be_read_say_why(given, why):
    assert reason(given) is why


@pytest.mark.parametrize("extractor", ["learned", "line_block", "pab", "thai_xpath"])
@pytest.mark.parametrize(("declaration", "n_paragraphs"), [('<?xml version="1.0"?>', 6), ("", 0)])
def test_an_empty_script_of_an_xhtml_page_hides_nothing(extractor, declaration, n_paragraphs):
    paragraphs = [
        f"The keeper of lighthouse number {n} said on Monday that its lamp would be out until spring." for n in range(6)
    ]
    page = f'{declaration}<html><head><title>Keeper</title><script src="a.js" /></head><body><p>{"</p><p>".join(paragraphs)}'
    try:
        text = webmain.extract(page, extractor=extractor).text
    except Rejected:
        text = ""
    assert sum(paragraph in text for paragraph in paragraphs) == n_paragraphs


def test_size_limit_is_inclusive():
    for kw in ({"html": "<p>12345"}, {"body": b"<p>12345"}):
        read(Page(**kw), Options(max_bytes=8))
        assert reason(Page(url=URL, **kw), max_bytes=7) is Reason.TOO_LARGE


def test_deadline_is_kept_by_every_view():
    document = read(page("<p>x</p>" * 100), Options(timeout_s=1e-9))
    with pytest.raises(Rejected, match="too_slow"):
        judge(document, KeepAll())


# --- merge -----------------------------------------------------------------------------------------------------------


def merged(markup: str, *, merges: bool):
    return merge(judge(read(page(markup)), KeepAll(merges=merges)))


def test_methods_that_merge_drop_every_repeated_block():
    found = merged("<p>Same</p><p>x</p><p>same</p><p>SAME</p>", merges=True)
    assert found.kept.tolist() == [True, True, False, False]
    assert found.duplicate_of.tolist() == [-1, -1, 0, 0]


@pytest.mark.parametrize(("n", "marked"), [(MIN_DUPLICATE_CHARS - 1, False), (MIN_DUPLICATE_CHARS, True)])
def test_other_methods_mark_long_ones_and_keep_them(n, marked):
    found = merged(f"<p>{'x' * n}</p><p>{'x' * n}</p>", merges=False)
    assert found.kept.all()
    assert (found.duplicate_of[1] == 0) == marked


def test_white_space_and_markup_inside_do_not_hide_a_repetition():
    found = merged(f"<p>{LONG}</p><p><b>{LONG[:50]}</b>{LONG[50:]}</p>", merges=False)
    assert found.duplicate_of.tolist() == [-1, 0]


def test_merging_changes_nothing_in_what_it_was_given():
    before = judge(read(page("<p>a</p><p>a</p>")), KeepAll(merges=True))
    merge(before)
    assert before.kept.tolist() == [True, True]
    assert before.duplicate_of.tolist() == [-1, -1]


def test_source_lines_are_merged_too():
    blocks = f"<p>{LONG}</p>\n\n\n\n\n\n<p>{LONG}</p>"
    found = merge(judge(read(page(blocks)), create("line_block")))
    assert found.unit is Unit.LINES
    assert found.duplicate_of.tolist() == [-1, 0]


# --- compose ---------------------------------------------------------------------------------------------------------


def test_text_is_the_blocks_joined_by_blank_lines():
    assert text("<h1>H</h1><p>a <b>b</b></p><ul><li>c</ul>") == "H\n\na b\n\nc"


def test_kept_nothing_is_no_text():
    with pytest.raises(Rejected) as caught:
        extract_page(page("<a href=/>x</a><a href=/>y</a>"), create("thai_xpath"), Options(metadata=False))
    assert caught.value.reason is Reason.NO_TEXT


@pytest.mark.parametrize(
    ("why", "detail"),
    [
        (["too short", "no  model\nof it", "no model of it"], "kept none of 3 blocks: no model of it (2 of them)"),
        (["", "", "links"], "kept none of 3 blocks: links (1 of them)"),
        (["", "", ""], "kept none of 3 blocks"),
        (["x" * (MAX_WHY_CHARS + 1)] * 3, "kept none of 3 blocks: " + "x" * (MAX_WHY_CHARS - 1) + "…"),
    ],
)
def test_rejection_of_a_page_without_text_says_what_most_blocks_were_dropped_for(why, detail):
    segmentation = segment(read(page("<p>a<p>b<p>c")))
    none = np.zeros(3)
    with pytest.raises(Rejected) as caught:
        compose(Extraction(segmentation, "strict", score=none, raw=none, kept=none > 0, why=why))
    assert caught.value.detail == f"the method strict {detail}"


def test_rejection_of_an_svm_without_a_model_says_so():
    with pytest.raises(Rejected, match="no model of this site, and no description on the page"):
        extract_page(page(f"<p>{LONG}<p>{LONG} b"), create("svm"))


def test_line_block_gives_kinds_by_the_tag_that_opens_a_line():
    markup = f"<h2>{'Heading of some length ' * 3}</h2><p>{LONG}</p><ul><li>{LONG}</ul><blockquote>{LONG}</blockquote>"
    article = extract_page(page(markup), create("line_block:max_attr=1"), Options(metadata=False))
    assert [b.kind for b in article.blocks] == [Kind.HEADING, Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE]
    assert article.blocks[0].level == 2


@pytest.mark.parametrize(("n", "source"), [(MIN_FEED_CHARS - 1, "feed"), (MIN_FEED_CHARS, "keep_all")])
def test_feed_content_stands_in_where_the_page_gives_little(n, source):
    hints = Hints(source="feed", content_html=f"<p>{LONG}</p><p>{LONG}</p><p hidden>no</p><script>no</script>")
    article = extract_page(page("<p>" + "x" * n, hints=hints), KeepAll(), Options(metadata=False))
    assert article.extractor == source
    assert ("no" in article.text.split()) is False


# --- hints -----------------------------------------------------------------------------------------------------------


def test_hints_fill_what_the_page_does_not_say():
    hints = Hints(
        source="feed", title="T", authors=("Ann",), published="Tue, 03 Nov 2026 10:00:00 +0700", language="TH"
    )
    found = with_hints(Metadata(title="Own"), hints)
    assert found.title == "Own"
    assert found.authors == ("Ann",)
    assert found.published is not None
    assert found.published.utcoffset() is not None
    assert found.language_declared == "th"
    assert found.sources["authors"].name == "feed"
    assert "title" not in found.sources


@pytest.mark.parametrize(
    ("source", "hinted", "authors"),
    [("byline", "Ann Lee", ("Jane Roe",)), ("text", "Ann Lee", ("Ann Lee",)), ("text", "admin", ("Jane Roe",))],
)
def test_a_feeds_authors_replace_those_that_are_only_likely(source, hinted, authors):
    metadata = Metadata(authors=("Jane Roe",), sources={"authors": Source(name=source, raw="Jane Roe")})
    assert with_hints(metadata, Hints(source="feed", authors=(hinted,))).authors == authors


@pytest.mark.parametrize(
    ("raw", "hinted", "taken"),
    [
        ("2026-11-03", "Tue, 03 Nov 2026 10:00:00 +0700", True),
        ("2026-11-03T10:00:00Z", "2026-11-03T11:00:00+07:00", False),
        ("2026-11-03", "2026-11-03T10:00", False),
        ("2026-11-03", "2026-11-04T02:00:00Z", True),
        ("2026-11-03", "2026-11-04T02:00:01Z", False),
    ],
)
def test_a_hint_of_the_same_day_completes_a_date_without_time_or_zone(raw, hinted, taken):
    own = parse_date(raw)
    metadata = Metadata(published=own, sources={"published": Source(name="time", raw=raw)})
    found = with_hints(metadata, Hints(source="feed", published=hinted))
    assert found.sources["published"].name == ("feed" if taken else "time")
    assert (found.published != own) is taken


@pytest.mark.parametrize(
    ("own", "source", "expected"),
    [
        ("Stories » How a lighthouse works", "title", "How a lighthouse works"),
        ("Reviews: How a lighthouse works", "h1", "Reviews: How a lighthouse works"),
        ("Another headline", "title", "Another headline"),
    ],
)
def test_a_hint_cuts_a_title_that_begins_or_ends_with_it(own, source, expected):
    metadata = Metadata(title=own, sources={"title": Source(name=source, raw=own)})
    found = with_hints(metadata, Hints(source="feed", title="How a lighthouse works"))
    assert found.title == expected


def test_without_hints_metadata_stays():
    metadata = Metadata(title="x")
    assert with_hints(metadata, None) is metadata
    assert with_hints(metadata, Hints(source="feed")) == metadata
    for wrong in ("no date", "1970-01-01T00:00:00Z", "2062-01-01"):
        found = with_hints(metadata, Hints(source="news-sitemap", published=wrong, modified=wrong))
        assert (found.published, found.modified) == (None, None)


# --- several pages -----------------------------------------------------------------------------------------------------


def test_parts_are_stitched_without_what_stands_on_an_earlier_page():
    parts = (page("<h1>Head</h1><p>two"), page(""), page("<p>three"))
    article = extract_page(page("<h1>Head</h1><p>one", parts=parts), KeepAll(), Options(metadata=False))
    assert article.text == "Head\n\none\n\ntwo\n\nthree"
    assert article.n_parts == 3
    assert article.fingerprint


def test_pages_are_answered_one_for_one():
    answers = extract_pages([page("<p>one"), page(""), page("<p>three")], KeepAll(), Options(metadata=False))
    assert [getattr(a, "text", a) if not isinstance(a, Rejected) else a.reason for a in answers] == [
        "one",
        Reason.EMPTY,
        "three",
    ]


@dataclass(frozen=True)
class Fitted(KeepAll, SiteExtractor):
    version = 1
    min_pages: int = 2
    n_seen: int = 0
    learned: Learned | None = None

    def fit(self, documents):
        if all(document.html == "<p>none" for document in documents):
            raise NothingLearned("no page says anything")
        return replace(self, n_seen=len(documents))

    def restored(self, learned):
        return replace(self, learned=learned)

    def resemblance(self, document):
        return 1.0

    def judge(self, segmentation):
        return replace(super().judge(segmentation), confidence=self.n_seen / 100)


@pytest.mark.parametrize(("n", "seen"), [(1, 0.0), (2, 0.02)])
def test_site_extractors_are_fitted_when_there_are_enough_pages(n, seen):
    answers = extract_pages([page(f"<p>{i}") for i in range(n)] + [page("")], Fitted(), Options(metadata=False))
    assert [a.confidence for a in answers[:-1]] == [seen] * n
    assert isinstance(answers[-1], Rejected)


# --- unforeseen errors ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Faulty(Fitted):
    """Raises an error at pages that say so: when it segments, judges or learns."""

    def segment(self, document):
        if "segment" in document.html:
            raise RecursionError("too deep")
        return super().segment(document)

    def judge(self, segmentation):
        if "judge" in segmentation.document.html:
            raise ZeroDivisionError("a fault\nin the extractor")
        return super().judge(segmentation)

    def fit(self, documents):
        n = 0
        for document in documents:
            if "learn" in document.html:
                raise KeyError(document.html)
            if "slow" in document.html:
                raise Rejected(Reason.TOO_SLOW)
            n += 1
        return replace(self, n_seen=n)


@pytest.mark.parametrize("markup", ["<p>segment", "<p>judge"])
def test_an_unforeseen_error_is_a_rejection_with_its_cause_and_a_traceback_in_the_log(markup, caplog):
    with pytest.raises(Rejected) as caught:
        webmain.extract(markup, url=URL, extractor=Faulty())
    assert (caught.value.reason, caught.value.url) == (Reason.INTERNAL_ERROR, URL)
    assert isinstance(caught.value.__cause__, (RecursionError, ZeroDivisionError))
    assert "\n" not in caught.value.detail
    (record,) = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert URL in record.getMessage()
    assert record.exc_info


def test_pages_with_unforeseen_errors_cost_no_other_answer_and_nothing_that_is_learned():
    wrong = ["segment", "judge", "learn", "slow"]
    pages = [page(f"<p>{word}") for word in ["one", *wrong, "two", "three"]]
    answers = webmain.extract_site(pages, extractor=Faulty(), parts="text")
    assert [a.reason.value if isinstance(a, Rejected) else a.text for a in answers] == (
        ["one", "internal_error", "internal_error", "learn", "slow", "two", "three"]
    )
    assert answers[0].confidence == 0.05  # learned from seven pages without two


def test_where_every_page_is_an_error_for_the_learner_pages_are_judged_by_the_default_method(caplog):
    pages = [page(f"<p>learn {i} {'one two three, ' * 20}") for i in range(8)]
    answers = webmain.extract_site(pages, extractor=Faulty(), parts="text")
    assert [a.extractor for a in answers] == ["learned"] * 8
    assert "judged by learned" in caplog.messages[-1]
    alone = extract_pages(pages, Faulty(), Options(metadata=False))
    assert [(a.extractor, a.confidence) for a in alone] == [(Faulty.name, 0.0)] * 8


def test_a_continuing_page_with_an_unforeseen_error_is_left_out():
    article = extract_page(page("<p>one", parts=(page("<p>judge"), page("<p>two"))), Faulty(), Options(metadata=False))
    assert article.text == "one\n\ntwo"


def test_models_that_can_not_be_used_are_told_as_such():
    with pytest.raises(ModelError), errors_as_rejections(URL):
        raise ModelError("damaged")


def test_the_reason_that_was_called_failed_can_be_read():
    assert Reason("failed") is Reason.INTERNAL_ERROR
    with pytest.raises(ValueError, match="nonsense"):
        Reason("nonsense")


FOOTER = "".join(f"<p>Section {n} of this site and its imprint number {n * 7}.</p>" for n in range(20))


def titled(n, title, body=FOOTER, head="", **other):
    html = f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    return Page(**{"url": f"https://news.example/{n}", "html": html, **other})


@pytest.mark.parametrize("parts", ["article", "text"])
def test_a_text_that_recurs_under_different_titles_is_boilerplate(parts):
    story = "<p>The council decided that the old bridge will be closed until the spring, and nobody was surprised.</p>"
    titles = ["Fish stocks fall", "A mayor resigns", "Rain in May"]
    pages = [titled(n, title) for n, title in enumerate(titles)]
    pages += [titled(8, "The bridge", story), titled(9, "Snow in June", FOOTER + "<p>Page 9</p>"), titled(10, "", "")]
    answers = webmain.extract_site(pages, extractor="eniw", parts=parts)
    told = [answer.reason.value if isinstance(answer, Rejected) else "" for answer in answers]
    assert told == ["boilerplate"] * 3 + ["", "boilerplate", "no_blocks"]
    assert "https://news.example/0" in answers[2].detail


@pytest.mark.parametrize(
    "pages",
    [
        [titled(n, "Fish stocks fall"[n:]) for n in range(4)],
        [titled(n, t, head="<link rel=canonical href=/all>") for n, t in enumerate(("One", "Two", "Four"))],
        [titled(n, t) for n, t in enumerate(("Fish stocks fall", "A mayor resigns"))],
    ],
)
def test_one_article_at_several_addresses_stays_one(pages):
    answers = webmain.extract_site(pages, extractor="eniw", parts="text")
    assert not [answer for answer in answers if isinstance(answer, Rejected)]
