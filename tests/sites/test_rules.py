"""Rules for single sites: how the file is read, what is said of its mistakes, and what the rules do to a page."""

from datetime import UTC, datetime

import pytest

import webmain
from webmain.cli import main
from webmain.discovery.schedule import Refresh
from webmain.extraction import Options, extract_page, judge, read
from webmain.extractors.base import create
from webmain.items import Page, Reason, Rejected
from webmain.sites.budgets import Budget
from webmain.sites.matching import match, matched_keys, matches_of
from webmain.sites.rules import Sites, SitesError, read_sites

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
    sites = Sites({"paper.example": rules(tmp_path, *lines)})
    document = read(Page(url="https://paper.example/a", html=PAGE), Options(sites=sites))
    return judge(document, create(extractor)), matches_of(document)


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
        'refresh = "1h,2d;share=0.5"',
        'respect = "optouts"',
        "max_pages = 500",
        "max_minutes = 20",
        "max_mb = 0.5",
        'title = ["h1", "//title"]',
    )
    assert (found.extractor, found.sections, found.exclude) == (
        "line_block:max_gap=2",
        ("/news", "*/sport/*"),
        ("/news/live",),
    )
    assert (found.delay, found.language) == (5.0, "th")
    assert (found.refresh, found.respect) == (Refresh((3600.0, 172_800.0), 0.5), "optouts")
    assert (found.max_pages, found.max_minutes, found.max_mb) == (500, 20.0, 0.5)
    assert found.budget == Budget(pages=500, time_s=1200.0, size_bytes=500_000)
    assert rules(tmp_path, "delay = 5").budget == Budget()
    assert found.title == ("h1", "//title")


def test_longest_name_counts_and_quotes_may_be_left_out(tmp_path):
    sites = read_sites(
        write(
            tmp_path, '[paper.example]\ntitle="h1"\n[sport.paper.example]\ntitle="h2"\n["www.other.example"]\ndelay=1'
        )
    )
    assert sites.of("https://a.sport.paper.example/x").title == ("h2",)
    assert sites.of("http://paper.example").title == ("h1",)
    assert sites.of("http://other.example/").delay == 1.0
    assert read_sites(write(tmp_path, '["Bücher.example"]\ndelay = 2')).of("https://bücher.example/x").delay == 2.0
    assert sites.of("http://newspaper.example/") is None
    assert sites.of(None) is None
    assert Sites().of("http://paper.example/") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[paper.example]\n\ntitel = "h1"', ("sites.toml:3: paper.example: titel:", "did you mean 'title'?")),
        ('[paper.example]\ntitle = "h1["', ("sites.toml:2:", "'h1[' is not valid CSS")),
        ('[paper.example]\nbody = "//div["', ("sites.toml:2:", "is not valid XPath")),
        ('[paper.example]\nbody = "div::text"', ("sites.toml:2:", "selects text; body takes elements")),
        ('[paper.example]\nkeep = 3', ("sites.toml:2:", "got 3, allowed is a string or a list of strings")),
        ('[paper.example]\nkeep = []', ("sites.toml:2:", "keep: the list is empty; leave the key out")),
        ('[paper.example]\nkeep = " "', ("sites.toml:2:", "keep: a selector is empty")),
        ('[paper.example]\ndate = ["//h1[", ""]', ("sites.toml:2:", "'//h1[' is not valid XPath", "; a selector is empty")),
        ('[paper.example]\ndelay = -1', ("sites.toml:2:", "seconds from 0 to 86400")),
        ('[paper.example]\nmax_pages = 0', ("sites.toml:2:", "max_pages: got 0, allowed are whole numbers from 1 to")),
        ('[paper.example]\nmax_pages = 1.5', ("sites.toml:2:", "max_pages: got 1.5, allowed are whole numbers")),
        ('[paper.example]\nmax_pages = true', ("sites.toml:2:", "max_pages: got True")),
        ('[paper.example]\nmax_minutes = "20"', ("sites.toml:2:", "max_minutes: got '20', allowed are minutes from 0.1")),
        ('[paper.example]\nmax_minutes = nan', ("sites.toml:2:", "max_minutes: got nan")),
        ('[paper.example]\nmax_mb = -3', ("sites.toml:2:", "max_mb: got -3, allowed are megabytes from 0.1")),
        ('[paper.example]\nrespect = "all"', ("sites.toml:2:", "respect: got 'all', allowed are optouts, no")),
        ('[paper.example]\nrespect = ["no"]', ("sites.toml:2:", "respect: got ['no']")),
        ('[paper.example]\nrefresh = "6h,1h"', ("sites.toml:2:", "refresh: the ages do not rise; allowed are ages")),
        ('[paper.example]\nrefresh = 3600', ("sites.toml:2:", "refresh: got 3600, allowed is a string")),
        ('[paper.example]\nmax_page = 3', ("sites.toml:2:", "did you mean 'max_pages'?")),
        ('[paper.example]\nlanguage = "english"', ("sites.toml:2:", "ISO 639-1")),
        ('[paper.example]\nsections = "news"', ("sites.toml:2:", "a path begins with '/'")),
        ('[paper.example]\nextractor = "lerned"', ("sites.toml:2:", "lerned")),
        ('title = "h1"', ("sites.toml:1: title: is in no site's table",)),
        ('["https://paper.example/"]\ntitle = "h1"', ("sites.toml:1:", "is not a domain")),
        ('[paper.example]\ntitle = "a"\n["www.paper.example"]\ntitle = "b"', ("sites.toml:3:", "sites.toml:1")),
        ('\npaper.example.delay = -5', ("sites.toml:2: paper.example: delay",)),
        ('\n"paper.example" = {title = "h1", dellay = 3}', ("sites.toml:2: paper.example: dellay", "'delay'")),
        ('[paper.example]\n\ndelay = {seconds = 5}', ("sites.toml:3: paper.example.delay: seconds: is not a key",)),
        ('\n[["paper.example"]]\ntitle = "h1"', ("sites.toml:2: paper.example: is in no site's table",)),
        ('[paper.example]\nbody = """\nmain,\ndelay=article"""\ndelay = -1', ("sites.toml:5: paper.example: delay",)),
        ('[paper.example]\nlanguage = ["en"]', ("sites.toml:2:", "language: got ['en']")),
        ('[paper.example]\nextractor = ["pab"]', ("sites.toml:2:", "extractor: got ['pab']")),
        ('\ufeff[paper.example]\ndelay = -1', ("sites.toml:2:", "delay: got -1")),
        ('["bücher.example/a"]\ndelay = 1', ("sites.toml:1:", "is not a domain")),
        ("a = " + "[" * 100_000, ("sites.toml: tables or lists are too deep",)),
        (".".join("a" * 5000) + " = 1", ("sites.toml: tables or lists are too deep",)),
        ('[paper.example]\ndelay = 1\ndelay = 2\n', ("sites.toml:3: is not valid TOML",)),
        ("[paper.example]\ndelay = " + "9" * 5_000, ("sites.toml:2: is not valid TOML",)),
        ('[paper.example]\nremove = "' + "a>" * 5_000 + 'a"', ("sites.toml:2:", "is not valid CSS")),
        ('[paper.example]\nremove = "//p[foo(.)]"', ("sites.toml:2:", "is not valid XPath: Unregistered function")),
        ('[paper.example]\nremove = "//nav[@id and foo(.)]"', ("sites.toml:2:", "Unregistered function")),
        ('[paper.example]\nkeep = "//nav[contains(.)]"', ("sites.toml:2:", "Invalid number of arguments")),
        ("[paper.example]\nkeep = \"//nav[re:test(., '(')]\"", ("sites.toml:2:", "is not valid XPath: ")),
        ('[paper.example]\nauthors = "//x:a"', ("sites.toml:2:", "Undefined namespace prefix")),
        ('[paper.example]\nauthors = "x|a"', ("sites.toml:2:", "is not valid CSS: Undefined namespace prefix")),
        ('[paper.example]\ntitle = "//nav[$x]"', ("sites.toml:2:", "Undefined variable")),
        ('[paper.example]\ntitle = "(count(//h1))"', ("sites.toml:2:", "is a number or a comparison; title takes elements")),
        ('[paper.example]\nremove = "(string(//h1))"', ("sites.toml:2:", "selects text; remove takes elements")),
        ('[paper.example]\nremove = "(//p/text())[1]"', ("sites.toml:2:", "selects text; remove takes elements")),
        ('[paper.example]\nbody = "//nav | //p/@id"', ("sites.toml:2:", "selects text; body takes elements")),
        ('[paper.example]\ntitle = h1', ("sites.toml:2: is not valid TOML",)),
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
    with pytest.raises(SitesError) as error:  # also those in tables that have a mistake themselves
        read_sites(write(tmp_path, '["a b"]\ndelay = "x"\n[b.example]\n"title" = "h1"\n["www.b.example"]\nfoo = 1'))
    assert [line.partition(": ")[0].rpartition(":")[2] for line in str(error.value).splitlines()] == list("1256")
    (tmp_path / "latin.toml").write_bytes(b'["a.example"]\ntitle = "\xe9"')
    with pytest.raises(SitesError, match=r"latin\.toml:2: is not UTF-8"):
        read_sites(tmp_path / "latin.toml")
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


NOTE = (
    '<div class="note"><p>Subscribe to read on, as all our readers do who want to know more of the harbour.</p></div>'
)
PROSE = "<p>" + 4 * "The harbour master counted the boats twice each morning, and wrote it down. " + "</p>"
MORE = PROSE.replace("boats", "nets")


@pytest.mark.parametrize(
    "html",
    [
        f"<h1>Tide</h1>{NOTE}",
        f"<h1>Tide</h1>{NOTE}<template>{NOTE}</template>",
        PROSE + NOTE.replace("div", "blockquote") + MORE,
        PROSE + f"<figure><img src=/a.jpg><figcaption>At noon {NOTE}</figcaption></figure>" + MORE,
        PROSE + NOTE.replace("div", "figcaption") + MORE,
        PROSE + "<img class=note src=/note.jpg>" + MORE,
        PROSE + MORE + f'<section class="comments" id="comments">{3 * NOTE}</section>',
    ],
    ids=["fallback", "template", "quote", "words of a picture", "caption", "picture", "comment"],
)
def test_what_a_rule_removed_is_in_no_part_of_the_article(tmp_path, html):
    sites = write(tmp_path, '["paper.example"]\nremove = ".note"')
    found = webmain.extract(html, url="https://paper.example/a", sites=sites, keep="captions,images,comments")
    assert "Subscribe" not in found.to_json()
    assert "note.jpg" not in found.to_json()


def test_page_on_which_nothing_matches_is_judged_by_its_extractor_and_told(tmp_path):
    found, matches = extract(tmp_path, 'body = [".a", ".b"]', 'title = "h1"', 'keep = ".none"')
    assert "Nobody was hurt" in kept(found)
    assert matches.unmatched == ("body", "keep")
    assert matches.html == PAGE


@pytest.mark.parametrize(
    ("key", "selector"),
    [
        ("remove", "//p[contains(., 'foo(bar) $x text()')]"),
        ("remove", "//p[text()[contains(., 'a')]]/.. | //p/text()/parent::p"),
        ("remove", "//div[@a and (@b or not(@c))][last()]"),
        ("remove", "(//p)[position() < last() - (1 + 2)]"),
        ("remove", "//p[re:test(., '^(a|b)$', 'i') and has-class('x')]"),
        ("remove", "//*[ancestor::node()[self::b] and count(p) div 2 > 1]"),
        ("keep", "a[href*='::text']"),
        ("date", "time.published::attr(datetime)"),
        ("title", "(string(//h1))"),
        ("title", "//h1/text()"),
    ],
)
def test_what_parsel_can_evaluate_is_accepted(tmp_path, key, selector):
    assert getattr(rules(tmp_path, f'{key} = "{selector}"'), key) == (selector,)


def test_selector_that_fails_on_a_page_matches_nothing_and_is_logged_once(tmp_path, caplog):
    own = rules(tmp_path, 'remove = ["//p[re:test(., //h1)]", ".ad"]', 'title = ["//p[re:test(., //h1)]"]')
    page = PAGE.replace("Tide <em>", "(<em>")
    for _ in range(2):
        matches = match(own, page)
        assert matches.unmatched == ("title",)
        assert 'class="ad" data-webmain-rule="remove"' in matches.html
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    assert "the rule remove = '//p[re:test(., //h1)]' cannot be evaluated" in caplog.text


def test_page_cannot_forge_a_match(tmp_path):
    matches = match(rules(tmp_path, 'remove = ".ad"'), PAGE.replace('class="fix"', 'data-webmain-rule="keep"'))
    assert 'data-webmain-rule="keep"' not in matches.html
    assert 'data-webmain-rule="remove"' in matches.html


def test_values_stand_before_those_of_the_page(tmp_path):
    write(tmp_path, "[paper.example]\ntitle = 'h1'\nauthors = '.who a'\ndate = \"meta[name='made']\"\nkeep = '.none'")
    found = webmain.extract(PAGE, url="https://paper.example/a", sites=tmp_path / "sites.toml")
    assert (found.title, found.authors) == ("Tide rises", ("Jane Roe", "John Doe"))
    assert found.published == datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert found.sources["title"].name == "sites.toml"
    assert matched_keys(found) == {"title": True, "authors": True, "date": True, "keep": False}
    other = webmain.extract(PAGE, url="https://other.example/a", sites=tmp_path / "sites.toml")
    assert other.sources["title"].name != "sites.toml"
    assert matched_keys(other) == {}


def test_body_is_the_whole_text_and_names_no_extractor(tmp_path):
    sites = Sites({"paper.example": rules(tmp_path, 'body = ".fix"')})
    found = extract_page(Page(url="https://paper.example/a", html=PAGE), create(None), Options(sites=sites))
    assert (found.text, found.extractor, found.confidence) == ("Correction: it was the lower quay.", "rules", None)


def test_rules_choose_extractor_and_language(tmp_path):
    sites = Sites({"paper.example": rules(tmp_path, 'extractor = "eniw"', 'language = "th"')})
    page = Page(url="https://paper.example/a", html=PAGE)
    with pytest.raises(Rejected) as rejected:
        extract_page(page, create(None), Options(sites=sites))
    assert rejected.value.reason is Reason.OTHER_LANGUAGE
    sites = Sites({"paper.example": rules(tmp_path, 'extractor = "eniw"', 'language = "en"')})
    assert extract_page(page, create(None), Options(sites=sites)).extractor == "eniw"


def test_command_line_names_rules_that_match_nothing_and_mistakes(tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    file = write(tmp_path, "[paper.example]\nbody = '.fix'\nkeep = '.none'")
    arguments = [str(page), "--url", "https://paper.example/a", "--sites", str(file)]
    assert main(["extract", *arguments]) == 0
    out = capsys.readouterr()
    assert out.out.strip() == "Correction: it was the lower quay."
    assert "rules that matched nothing: keep" in out.err
    assert main(["explain", *arguments]) == 0
    assert "rule body" in capsys.readouterr().out
    write(tmp_path, "[paper.example]\nbody = 'div['")
    with pytest.raises(SystemExit):
        main(["extract", *arguments])
    assert "sites.toml:2: paper.example: body: 'div[' is not valid CSS" in capsys.readouterr().err


def test_hostile_page_is_bounded(tmp_path):
    deep = "<div>" * 100_000 + "text" + "</div>" * 100_000
    assert "text" in match(rules(tmp_path, 'body = "div"'), deep).html
