"""What is kept beside running text: the same options in the library, on the command line and in crawls."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from webmain import Article, ArticleBlock, Image, Keep, Kind, Page, cli, extract
from webmain.article.compose import compose, stitch
from webmain.checks import wrong_settings
from webmain.cli import exits
from webmain.extraction import Options, extract_page, judge, merge, read
from webmain.extractors.base import Extraction
from webmain.html.blocks import segment
from webmain.items import Hints
from webmain.pipelines import Compose
from webmain.spiders.arguments import ArgumentError, read_archive_arguments, read_news_arguments, with_settings

URL = "https://news.example/a/story"
TEXT = "The harbour master said that the tide would reach the upper quay before noon, and so it did, twice."
MARKUP = f"""<html lang=en><title>Tide</title><body><nav><a href=/>Home</a></nav>
<article><h1>The tide</h1>
<figure><img src=/lead.jpg alt="The quay"><figcaption>The quay at noon. Photo: A. Photographer</figcaption></figure>
<p>{TEXT} See <a href="/b?x=1">what happened before</a>.</p>
<ul><li>{TEXT[:60]}</li><li>second</li></ul>
<p>{TEXT} (2)</p>
<table><caption>Levels at the quay</caption><tr><th>Day<th>Metres<tr><td>Monday<td>3.1<tr><td>Tuesday<td>3.4</table>
<p>{TEXT} (3)</p></article>
<section id=comments><h3>2 comments</h3>
<div class=comment><b>Jo</b><p>I saw it with my own eyes from the upper quay.</p><a href=#r>Reply</a></div>
<div class=comment><b>Al</b><p>So did I, and got wet feet.</p></div>
<form><textarea>Say it</textarea><label>Your comment</label></form></section></body></html>"""


@dataclass(frozen=True)
class Prose:
    """Keeps paragraphs, headings, list items and cells of the article, no caption and no comment."""

    name = "prose"
    tells: bool = False

    def segment(self, document):
        return segment(document)

    def judge(self, segmentation):
        elements = segmentation.document.elements
        above = [[elements.tags[e] for e in elements.ancestors(int(e))] for e in segmentation.element]
        kept = np.array(["article" in a and not {"figcaption", "caption"} & set(a) for a in above])
        told = np.array(["section" in a and "p" in a for a in above])
        n = len(kept)
        return Extraction(
            segmentation,
            self.name,
            score=np.ones(n),
            raw=np.ones(n),
            kept=kept,
            why=[""] * n,
            comments=told if self.tells else None,
        )


def article(*names: str, method: object = None, **options: object) -> Article:
    return extract(MARKUP, url=URL, extractor=method or Prose(), keep=names, **options)  # type: ignore[arg-type]


def kinds(found: Article) -> str:
    return " ".join(block.kind.value for block in found.blocks)


PLAIN = "heading paragraph list_item list_item paragraph table paragraph"


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "keep"),
    [
        (None, Keep()),
        (" Links , no-tables,", Keep(links=True, tables=False)),
        (["no-captions", "comments", "tables"], Keep(captions=False, comments=True)),
        (Keep(lists=False), Keep(lists=False)),
        (iter(["links", "links"]), Keep(links=True)),
    ],
)
def test_names_are_read(wanted, keep):
    assert Keep.of(wanted) == keep


@pytest.mark.parametrize("wanted", ["links,pictures", "no-", [3]])
def test_a_name_that_is_not_known_is_told_with_those_that_are(wanted):
    with pytest.raises(
        ValueError, match="allowed are captions, tables, lists, links, images, comments, each also with no-"
    ):
        Keep.of(wanted)
    with pytest.raises(TypeError, match="keep: got"):
        Keep.of(3)  # type: ignore[arg-type]


def test_a_name_and_its_contrary_are_refused():
    with pytest.raises(ValueError, match="both links and no-links"):
        Keep.of("links,no-links")


# --- in the library --------------------------------------------------------------------------------------------------


def test_tables_and_lists_are_kept_and_the_rest_is_not():
    found = article()
    assert kinds(found) == PLAIN
    assert (found.images, found.comments) == ((), ())
    assert not any(block.links for block in found.blocks)


def test_captions_of_the_article_are_added():
    found = article("captions")
    assert [b.text for b in found.blocks if b.kind is Kind.CAPTION] == [
        "The quay at noon. Photo: A. Photographer",
        "Levels at the quay",
    ]
    assert "Photographer" in found.text


@dataclass(frozen=True)
class Sure:
    """Keeps all there is, and is confident of it."""

    name = "sure"

    def segment(self, document):
        return segment(document)

    def judge(self, segmentation):
        n = len(segmentation)
        ones = np.ones(n)
        return Extraction(segmentation, self.name, score=ones, raw=ones, kept=ones > 0, why=[""] * n, confidence=1.0)


@pytest.mark.parametrize(
    ("box", "n_words", "is_kept"),
    [
        ("<figure><img src=/a.jpg><figcaption>{}</figcaption></figure>", 20, False),
        ("<div class=wp-caption><img src=/a.jpg><p class=wp-caption-text>{}</div>", 20, False),
        ("<div class=MuiTypography-caption>{}</div>", 20, True),
        ("<figure><img src=/a.jpg><figcaption>{}</figcaption></figure>", 60, True),
    ],
)
def test_a_confident_method_keeps_captions_only_where_they_are_much_of_the_text(box, n_words, is_kept):
    page = f"<p>{'boats came ' * 40}{box.format('caption ' * n_words)}<p>{'boats left ' * 20}"
    found = extract(page, url=URL, extractor=Sure())
    assert ("caption" in found.text) == is_kept
    assert "caption" in extract(page, url=URL, extractor=Sure(), keep=["captions"]).text


@pytest.mark.parametrize("method", ["pab", "line_block"])
def test_captions_are_removed_whatever_the_method(method):
    assert "Photographer" not in article("no-captions", method=method).text
    assert "Photographer" in article("captions", method=method).text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("no-tables", "heading paragraph list_item list_item paragraph paragraph"),
        ("no-lists", "heading paragraph paragraph table paragraph"),
    ],
)
def test_tables_and_lists_are_removed(name, expected):
    assert kinds(article(name)) == expected


@pytest.mark.parametrize("method", [None, "line_block"])
def test_links_are_told_and_written(method):
    found = article("links", method=method)
    told = [(b.text[link.start : link.end], link.url) for b in found.blocks for link in b.links]
    assert ("what happened before", "https://news.example/b?x=1") in told
    assert "[what happened before](https://news.example/b?x=1)" in found.to_markdown()
    assert "](" not in article(method=method).to_markdown()


@pytest.mark.parametrize("method", [None, "line_block"])
def test_images_are_told_and_written(method):
    found = article("images", method=method)
    assert [replace(image, after=0) for image in found.images] == [
        Image(
            url="https://news.example/lead.jpg",
            alt="The quay",
            caption="The quay at noon. Photo: A. Photographer",
            after=0,
        )
    ]
    assert "![The quay](https://news.example/lead.jpg)" in found.to_markdown()


@pytest.mark.parametrize("method", [Prose(), Prose(tells=True)])
def test_comments_stand_apart_from_the_text(method):
    found = article("comments", method=method)
    assert "I saw it with my own eyes from the upper quay." in [block.text for block in found.comments]
    assert found.text == article().text
    assert not {"Reply", "2 comments", "Your comment"} & {block.text for block in found.comments}


def test_comments_that_the_method_tells_are_those():
    told = article("comments", method=Prose(tells=True)).comments
    assert [block.text for block in told] == [
        "I saw it with my own eyes from the upper quay.",
        "So did I, and got wet feet.",
    ]


@pytest.mark.parametrize("method", ["eniw", "line_block"])
def test_comments_that_a_method_took_for_text_are_moved(method):
    assert "my own eyes" in article(method=method).text or method != "eniw"
    found = article("comments", method=method)
    assert "my own eyes" not in found.text
    assert any("my own eyes" in block.text for block in found.comments)


def test_comments_that_are_the_content_stay():
    markup = (
        "<section id=comments>"
        + "".join(f"<div class=comment><p>{TEXT} {n}</p></div>" for n in range(5))
        + "</section>"
    )
    found = extract(markup, extractor="eniw", keep="comments", parts="text")
    assert found.text.count("harbour") == 5
    assert found.comments == ()


def test_words_around_comments_are_no_comments():
    markup = f"<article><p>{TEXT}</p></article><div id=comments><p>Be the first!</p><p>Sign in</p></div>"
    assert extract(markup, extractor="eniw", keep="comments", parts="text").comments == ()


def test_a_mask_of_the_wrong_length_is_refused():
    segmentation = segment(read(Page(html="<p>a<p>b")))
    ones = np.ones(2)
    with pytest.raises(ValueError, match="comments has 1 values for 2 blocks"):
        Extraction(segmentation, "x", score=ones, raw=ones, kept=ones > 0, why=["", ""], comments=ones[:1] > 0)


def test_merging_keeps_what_is_told_of_comments():
    judged = merge(judge(read(Page(html=MARKUP, url=URL)), Prose(tells=True)))
    assert judged.comments is not None
    assert compose(judged, metadata=False, keep=Keep(comments=True)).comments


def test_a_feeds_content_obeys_too():
    content = (
        f"<p>{TEXT} <a href=/c>more</a><img src=/c.jpg alt=c></p><figure><figcaption>cap</figcaption></figure>" * 3
    )
    page = Page(html="<p>x", url=URL, hints=Hints(source="feed", content_html=content))
    found = extract_page(page, Prose(), Options(keep=Keep(links=True, images=True, captions=False)))
    assert found.extractor == "feed"
    assert found.blocks[0].links[0].url == "https://news.example/c"
    assert [image.url for image in found.images] == ["https://news.example/c.jpg"]
    assert "cap" not in found.text


def test_records_with_everything_round_trip():
    found = article("links", "images", "comments", "captions")
    assert Article.from_dict(json.loads(found.to_json())) == found
    assert Article.from_dict({"blocks": [{"kind": "code", "text": "x", "later": 1}]}).blocks[0].text == "x"


# --- several pages ---------------------------------------------------------------------------------------------------


def block(text: str) -> ArticleBlock:
    return ArticleBlock(kind=Kind.PARAGRAPH, text=text)


def test_images_of_further_pages_stand_after_their_blocks():
    first = Article(text="a", blocks=(block("head"), block("a")), images=(Image(url="https://x/1", after=1),))
    second = Article(
        blocks=(block("head"), block("b"), block("c")),
        images=tuple(Image(url=f"https://x/{n}", after=n - 3) for n in range(1, 6)),
        comments=(block("well"),),
    )
    found = stitch(replace(first, comments=(block("well"),)), [second])
    assert [b.text for b in found.blocks] == ["head", "a", "b", "c"]
    assert [(image.url, image.after) for image in found.images] == [
        ("https://x/1", 1),
        ("https://x/2", 1),
        ("https://x/3", 1),
        ("https://x/4", 2),
        ("https://x/5", 3),
    ]
    assert found.comments == (block("well"),)


def test_options_hold_for_further_pages():
    part = Page(html=MARKUP.replace("lead.jpg", "next.jpg").replace("harbour", "river"), url=URL + "2")
    found = extract_page(
        Page(html=MARKUP, url=URL, parts=(part,)), Prose(), Options(keep=Keep(images=True, lists=False))
    )
    assert [image.url for image in found.images] == ["https://news.example/lead.jpg", "https://news.example/next.jpg"]
    assert Kind.LIST_ITEM not in {b.kind for b in found.blocks}


# --- on the command line ---------------------------------------------------------------------------------------------


@pytest.fixture
def page(tmp_path: Path) -> str:
    path = tmp_path / "page.html"
    path.write_text(MARKUP, encoding="utf-8")
    return str(path)


def run(capsys, page: str, *arguments: str) -> str:
    assert cli.main(["extract", page, "--url", URL, "-e", "eniw", *arguments]) == exits.OK
    return str(capsys.readouterr().out)


def test_command_line_keeps_what_it_is_told(capsys, page):
    plain = run(capsys, page, "-f", "markdown")
    assert "](" not in plain
    assert "| Day | Metres |" in plain
    kept = run(capsys, page, "-f", "markdown", "--keep", "links,images,no-tables")
    assert "[what happened before](https://news.example/b?x=1)" in kept
    assert "![The quay](https://news.example/lead.jpg)" in kept
    assert "Metres" not in kept
    record = json.loads(run(capsys, page, "-f", "json", "--keep", "comments,images"))
    assert record["images"][0]["url"] == "https://news.example/lead.jpg"
    assert any("my own eyes" in comment["text"] for comment in record["comments"])
    assert "my own eyes" not in record["text"]


def test_command_line_tells_what_is_allowed(capsys, page):
    with pytest.raises(SystemExit) as caught:
        cli.main(["extract", page, "--keep", "links,pictures"])
    assert caught.value.code == exits.USAGE
    told = capsys.readouterr().err
    assert "--keep: got 'pictures', allowed are captions, tables" in told


# --- in crawls -------------------------------------------------------------------------------------------------------


def test_spiders_take_names():
    assert read_news_arguments({"site": "x.com"}).keep == Keep()
    assert read_news_arguments({"site": "x.com", "keep": "links,no-lists"}).keep == Keep(links=True, lists=False)
    assert read_archive_arguments({"path": __file__, "keep": Keep(images=True)}).keep == Keep(images=True)
    with pytest.raises(ArgumentError, match="argument keep: got 'link'; allowed are captions"):
        read_news_arguments({"site": "x.com", "keep": "link"})


def test_a_setting_stands_in_for_the_argument():
    assert with_settings({}, {"WEBMAIN_KEEP": "links"}) == {"keep": "links"}
    assert with_settings({"keep": "images"}, {"WEBMAIN_KEEP": "links"}) == {"keep": "images"}


@pytest.mark.parametrize(
    ("spider", "setting", "n_images", "n_links"),
    [(None, "images", 1, 0), (Keep(links=True), "images", 0, 1)],
)
def test_crawls_compose_what_was_asked_for(spider, setting, n_images, n_links):
    crawler = SimpleNamespace(
        spider=SimpleNamespace(keep=spider), settings={"WEBMAIN_KEEP": setting}, get_spider_middleware=lambda kind: None
    )
    found = Compose(crawler).process_item(judge(read(Page(html=MARKUP, url=URL)), Prose()))  # type: ignore[arg-type]
    assert (len(found.images), sum(len(b.links) for b in found.blocks)) == (n_images, n_links)


def test_a_wrong_setting_is_told_before_the_crawl():
    from scrapy.settings import Settings

    settings = Settings()
    settings.setmodule("webmain.settings")
    assert not [p for p in wrong_settings(settings) if "KEEP" in p]
    settings.set("WEBMAIN_KEEP", "pictures")
    assert [p for p in wrong_settings(settings) if "setting WEBMAIN_KEEP: got 'pictures', allowed are captions" in p]
