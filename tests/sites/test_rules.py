"""Rules for single sites: how the file is read, what is said of its mistakes, and what the rules do to a page."""

from datetime import UTC, datetime

import pytest

from webmain.extractors.registry import create
from webmain.html.document import Document
from webmain.items import Metadata, Page
from webmain.sites.rules import Sites, SitesError, judged, match, read_sites, with_values

PAGE = """<html><head><title>Site | Tide</title><meta name="made" content="2026-03-04T05:06:07Z"></head><body>
<div class="lead">The tide comes at noon.</div>
<article><h1>Tide <em>rises</em></h1><p class="who">By <a>Jane Roe</a> and <a>John Doe</a></p>
<p>The harbour master said that the boats would leave in the morning, before the tide turned.</p>
<p class="ad">Buy <b>now</b> and save.</p>
<p>Nobody was hurt, and the quay was open again in the evening, he said to this newspaper.</p></article>
<div class="fix">Correction: it was the lower quay.</div><p hidden>Never shown.</p></body></html>"""


def write(tmp_path, text):
    path = tmp_path / "sites.toml"
    path.write_text(text, encoding="utf-8")
    return path


def rules(tmp_path, *lines):
    return read_sites(write(tmp_path, "\n".join(['["paper.example"]', *lines]))).tables["paper.example"]


def extract(tmp_path, *lines, extractor="learned"):
    matches = match(rules(tmp_path, *lines), PAGE)
    document = Document(Page(url="https://paper.example/a", html=matches.html), html=matches.html)

    def judge(page):
        method = create(extractor)
        return method.judge(method.segment(page))

    return judged(matches, document, judge), matches


def kept(found):
    return found.document.leaves.join([i for i, yes in enumerate(found.kept_units.tolist()) if yes])


def test_every_key_is_read(tmp_path):
    found = rules(
        tmp_path,
        'extractor = "line_block:max_gap=2"',
        'sections = ["/news", "*/sport/*"]',
        'exclude = "/news/live"',
        "delay = 5",
        'language = "th"',
        'title = ["h1", "//title"]',
    )
    assert (found.extractor, found.sections, found.exclude) == (
        "line_block:max_gap=2",
        ("/news", "*/sport/*"),
        ("/news/live",),
    )
    assert (found.delay, found.language) == (5.0, "th")
    assert [(r.expression, r.place) for r in found.title] == [("h1", "sites.toml:7"), ("//title", "sites.toml:7")]


def test_longest_name_counts_and_quotes_may_be_left_out(tmp_path):
    sites = read_sites(
        write(
            tmp_path, '[paper.example]\ntitle="h1"\n[sport.paper.example]\ntitle="h2"\n["www.other.example"]\ndelay=1'
        )
    )
    assert sites.of("https://a.sport.paper.example/x").title[0].expression == "h2"
    assert sites.of("http://paper.example").title[0].expression == "h1"
    assert sites.of("http://other.example/").delay == 1.0
    assert sites.of("http://newspaper.example/") is None
    assert sites.of(None) is None
    assert Sites().of("http://paper.example/") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[paper.example]\n\ntitel = "h1"', ("sites.toml:3: paper.example: titel:", "did you mean 'title'?")),
        ('[paper.example]\ntitle = "h1["', ("sites.toml:2:", "'h1[' is no valid CSS")),
        ('[paper.example]\nbody = "//div["', ("sites.toml:2:", "is no valid XPath")),
        ('[paper.example]\nbody = "div::text"', ("sites.toml:2:", "selects text; body takes elements")),
        ('[paper.example]\nkeep = 3', ("sites.toml:2:", "got 3, allowed is a string or a list of strings")),
        ('[paper.example]\ndelay = -1', ("sites.toml:2:", "seconds from 0 to 86400")),
        ('[paper.example]\nlanguage = "english"', ("sites.toml:2:", "ISO 639-1")),
        ('[paper.example]\nsections = "news"', ("sites.toml:2:", "a path begins with '/'")),
        ('[paper.example]\nextractor = "lerned"', ("sites.toml:2:", "lerned")),
        ('title = "h1"', ("sites.toml:1: title: is in no site's table",)),
        ('["https://paper.example/"]\ntitle = "h1"', ("sites.toml:1:", "is no domain")),
        ('[paper.example]\ntitle = "a"\n["www.paper.example"]\ntitle = "b"', ("sites.toml:3:", "sites.toml:1")),
        ('[paper.example]\ntitle = h1', ("sites.toml:2: no valid TOML",)),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_file_and_line(tmp_path, text, told):
    with pytest.raises(SitesError) as error:
        read_sites(write(tmp_path, text))
    assert all(each in str(error.value) for each in told), str(error.value)


def test_all_mistakes_are_told_at_once_and_a_missing_file_too(tmp_path):
    with pytest.raises(SitesError) as error:
        read_sites(write(tmp_path, '[a.example]\ndelay = "x"\n[b.example]\ntitle = "h1["'))
    assert len(str(error.value).splitlines()) == 2
    with pytest.raises(SitesError, match=r"none\.toml: cannot be read"):
        read_sites(tmp_path / "none.toml")


@pytest.mark.parametrize("extractor", ["learned", "line_block", "pab", "thai_xpath"])
def test_remove_and_keep_go_before_any_extractor(tmp_path, extractor):
    found, matches = extract(tmp_path, 'remove = ".ad"', "keep = \"//div[@class='fix']\"", extractor=extractor)
    text = kept(found)
    assert "Nobody was hurt" in text
    assert "Buy" not in text
    assert "Correction: it was the lower quay." in text
    assert matches.unmatched == ()
    assert {w for w in found.why if w.startswith("rule")} == {"rule keep", "rule remove"}


def test_body_is_taken_whole_without_what_is_hidden_or_removed(tmp_path):
    found, _ = extract(tmp_path, 'body = [".none", "body"]', 'remove = ["article p.who", ".fix"]')
    text = kept(found)
    assert "The tide comes at noon." in text
    assert "Buy now and save." in text
    assert "Jane" not in text
    assert "Correction" not in text
    assert "Never shown" not in text
    assert len(found.unit_verdicts) == len(found.document.leaves)


def test_removed_part_of_a_kept_one_is_removed_and_not_the_other_way_round(tmp_path):
    found, _ = extract(tmp_path, 'remove = "article"', 'keep = ".ad"', 'body = "body"')
    assert "Buy" not in kept(found)


def test_page_on_which_nothing_matches_is_judged_by_its_extractor_and_told(tmp_path):
    found, matches = extract(tmp_path, 'body = [".a", ".b"]', 'title = "h1"', 'keep = ".none"')
    assert "Nobody was hurt" in kept(found)
    assert [str(r) for r in matches.unmatched] == ["sites.toml:2: body = '.b'", "sites.toml:4: keep = '.none'"]
    assert matches.html == PAGE


def test_page_cannot_forge_a_match(tmp_path):
    matches = match(rules(tmp_path, 'remove = ".ad"'), PAGE.replace('class="fix"', 'data-webmain-rule="keep"'))
    assert 'data-webmain-rule="keep"' not in matches.html
    assert 'data-webmain-rule="remove"' in matches.html


def test_values_stand_before_those_of_the_page(tmp_path):
    matches = match(rules(tmp_path, 'title = "h1"', 'authors = ".who a"', "date = \"meta[name='made']\""), PAGE)
    document = Document(Page(url="https://paper.example/a", html=PAGE), html=PAGE)
    found = with_values(Metadata(title="Site", description="kept"), matches, document)
    assert (found.title, found.authors, found.description) == ("Tide rises", ("Jane Roe", "John Doe"), "kept")
    assert found.published == datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert found.sources["title"].name == "sites.toml"


def test_hostile_page_is_bounded(tmp_path):
    deep = "<div>" * 100_000 + "text" + "</div>" * 100_000
    assert "text" in match(rules(tmp_path, 'body = "div"'), deep).html
