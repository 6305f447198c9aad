"""Labels from descriptions: what is content, and the traps."""

import numpy as np
import pytest

from webmain.features.clusters import cluster
from webmain.features.labels import label
from webmain.features.site_blocks import SiteBlocks, read_documents
from webmain.html.document import Document
from webmain.items import Page

COMMON = "the of and to in a is that for it was on are as with his they at be this from or had by but not what".split()


class Writer:
    """Writes pages of a made-up site; every page has words of its own."""

    def __init__(self, number: int, seed: int = 0) -> None:
        self.draw = np.random.default_rng(1000 * seed + number)
        self.topic = [f"topic{number}word{i}" for i in range(40)]

    def sentence(self, n: int, share: float = 0.6) -> str:
        return " ".join(str(self.draw.choice(self.topic if self.draw.random() < share else COMMON)) for _ in range(n))


def documents(pages: list[str]) -> list[Document]:
    return [Document(Page(url=f"https://example.com/{i}", html=page), html=page) for i, page in enumerate(pages)]


def page(description: str, body: str) -> str:
    menu = "<ul class=menu>" + "".join(f"<li><a href=/{i}>Section {i}</a></li>" for i in range(8)) + "</ul>"
    return (
        f"<html><head><title>x</title><meta name=description content='{description}'></head><body>{menu}"
        f"<div class=main>{body}</div><div class=foot><p>Copyright of the publisher of this site</p></div></body></html>"
    )


def paragraphs(writer: Writer, n: int, length: int = 40) -> list[str]:
    return [writer.sentence(length + 5 * i) for i in range(n)]


def wrap(texts: list[str], tag: str = "p", name: str = "") -> str:
    return "".join(f"<{tag}{f' class={name}' if name else ''}>{text}</{tag}>" for text in texts)


def labelled(pages: list[str], **options) -> tuple[SiteBlocks, np.ndarray]:
    blocks = read_documents(documents(pages))
    return blocks, label(blocks, cluster(blocks), **options).positive


def kept(blocks: SiteBlocks, positive: np.ndarray, number: int) -> list[str]:
    return [text for text, own, yes in zip(blocks.texts, blocks.page, positive, strict=True) if own == number and yes]


def test_the_cluster_that_says_what_descriptions_say_is_content():
    stories = [paragraphs(Writer(i), 6) for i in range(8)]
    blocks, positive = labelled([page(story[0][:150], f"<div class=story>{wrap(story)}</div>") for story in stories])
    for number, story in enumerate(stories):
        assert kept(blocks, positive, number) == story


def commented(n: int, times: int, *, hidden_lead: bool = False) -> tuple[list[str], list[list[str]]]:
    pages, stories = [], []
    for i in range(n):
        writer = Writer(i)
        story = paragraphs(writer, 5)
        comments = [writer.sentence(60, share=0.3) for _ in range(5 * times)]
        lead = writer.sentence(10) + " " + " ".join(story[0].split()[:12]) if hidden_lead else story[0]
        body = f"<div class=story>{wrap(story)}</div><div class=comments><h4>Comments</h4>"
        body += (
            "".join(f"<div class=c><b>Name {j}</b><p>{text}</p></div>" for j, text in enumerate(comments)) + "</div>"
        )
        pages.append(page(lead[:170], body))
        stories.append(story)
    return pages, stories


@pytest.mark.parametrize("hidden_lead", [False, True])
def test_comments_ten_times_as_long_as_the_article_lose(hidden_lead):
    pages, stories = commented(8, 10, hidden_lead=hidden_lead)
    blocks, positive = labelled(pages)
    for number, story in enumerate(stories):
        assert kept(blocks, positive, number) == story


def test_unrelated_long_text_does_not_win_by_its_length():
    pages = []
    for i in range(8):
        writer, other = Writer(i), Writer(i + 500)
        long = [other.sentence(200, share=0.2) for _ in range(30)]
        story = paragraphs(writer, 3)
        pages.append(page(story[0][:160], f"<div class=story>{wrap(story)}</div><div class=terms>{wrap(long)}</div>"))
    blocks, positive = labelled(pages)
    assert {s for s, yes in zip(blocks.selectors, positive, strict=True) if yes} == {"html/body/div.main/div.story/p"}


def quoting(n: int, odd: int) -> list[str]:
    """On one page a comment repeats the description, which the article puts in other words."""
    pages = []
    for i in range(n):
        writer = Writer(i)
        story = paragraphs(writer, 5)
        description = story[0][:150] if i != odd else writer.sentence(25)
        comments = [writer.sentence(30, share=0.2) for _ in range(3)] + ([description] if i == odd else [])
        body = f"<div class=story>{wrap(story)}</div><div class=comments>{wrap(comments, 'div', 'c')}</div>"
        pages.append(page(description, body))
    return pages


def test_the_local_form_takes_the_comment_there():
    blocks, positive = labelled(quoting(8, odd=3), form="local")
    chosen = {s for s, own, yes in zip(blocks.selectors, blocks.page, positive, strict=True) if yes and own == 3}
    assert any(".comments" in s for s in chosen)
    assert len(kept(blocks, positive, 2)) == 5


def test_a_lead_styled_apart_brings_the_body_that_follows_it():
    pages, wanted = [], []
    for i in range(8):
        lead, *rest = paragraphs(Writer(i), 7, length=25)
        pages.append(page(lead, f"<div class=story><p class=lead>{lead}</p><p class=by>By X {i}</p>{wrap(rest)}</div>"))
        wanted.append([lead, *rest])
    blocks, positive = labelled(pages)
    for number, texts in enumerate(wanted):
        assert [text for text in kept(blocks, positive, number) if not text.startswith("By X")] == texts


def test_quotes_subheadings_and_lists_between_paragraphs_belong_to_the_article():
    pages = []
    for i in range(8):
        writer = Writer(i)
        a, b, c, d = paragraphs(writer, 4)
        inside = f"<h2>{writer.sentence(4)}</h2>" if i % 2 else f"<blockquote><p>{writer.sentence(20)}</p></blockquote>"
        listed = "<ul>" + wrap([writer.sentence(9), writer.sentence(8)], "li") + "</ul>"
        pages.append(page(a[:150], f"<div class=story><p>{a}</p>{inside}<p>{b}</p>{listed}<p>{c}</p><p>{d}</p></div>"))
    blocks, positive = labelled(pages)
    story = [".story" in s for s in blocks.selectors]
    assert positive.tolist() == story


def test_inline_teasers_and_advertisements_between_paragraphs_do_not():
    pages = []
    for i in range(8):
        a, b, c, d = paragraphs(Writer(i), 4)
        box = f"<div class=rel><h4>Related</h4><a href=/x>{Writer(i + 90).sentence(8)}</a></div>"
        advert = "<div class=ad>Advertisement</div>"
        pages.append(page(a[:150], f"<div class=story><p>{a}</p>{box}<p>{b}</p>{advert}<p>{c}</p><p>{d}</p></div>"))
    blocks, positive = labelled(pages)
    chosen = {s for s, yes in zip(blocks.selectors, positive, strict=True) if yes}
    assert chosen == {"html/body/div.main/div.story/p"}


def test_the_best_cluster_alone_can_be_content():
    pages = []
    for i in range(8):
        a, b, c = paragraphs(Writer(i), 3)
        pages.append(
            page(a[:150], f"<div class=story><p>{a}</p><h2>{Writer(i).sentence(4)}</h2><p>{b}</p><p>{c}</p></div>")
        )
    blocks, positive = labelled(pages, rule="best")
    assert {s.rpartition("/")[2] for s, yes in zip(blocks.selectors, positive, strict=True) if yes} == {"p"}


def test_each_template_of_a_site_has_its_own_content():
    pages = []
    for i in range(10):
        story = paragraphs(Writer(i), 5)
        shape = (
            f"<div class=story>{wrap(story)}</div>"
            if i < 6
            else f"<section class=blog>{wrap(story, 'div', 'para')}</section>"
        )
        pages.append(page(story[0][:150], shape))
    blocks, positive = labelled(pages)
    assert all(len(kept(blocks, positive, number)) == 5 for number in range(10))


def test_a_trail_with_the_title_for_a_description_gives_way_to_the_article():
    pages = []
    for i in range(8):
        writer = Writer(i)
        title, story = writer.sentence(9), paragraphs(writer, 5)
        story[1] = f"{title} {story[1]}" if i % 2 else story[1]
        pages.append(page(title, f"<nav class=trail>Home / Blog / {title}</nav><div class=story>{wrap(story)}</div>"))
    blocks, positive = labelled(pages)
    chosen = {s for s, yes in zip(blocks.selectors, positive, strict=True) if yes}
    assert chosen == {"html/body/div.main/div.story/p"}


def test_a_hidden_copy_of_the_lead_at_the_end_does_not_replace_the_article():
    pages = []
    for i in range(8):
        story = paragraphs(Writer(i), 5)
        pages.append(
            page(story[0][:150], f"<div class=story>{wrap(story)}</div><div class=send><p class=x>{story[0]}</p></div>")
        )
    blocks, positive = labelled(pages)
    assert all(len(kept(blocks, positive, n)) == 5 for n in range(8))
    assert not any(".send" in s for s, yes in zip(blocks.selectors, positive, strict=True) if yes)


def test_relevance_is_summed_over_pages():
    stories = [paragraphs(Writer(i), 4) for i in range(5)]
    blocks = read_documents(documents([page(s[0], f"<div class=story>{wrap(s)}</div>") for s in stories]))
    found = label(blocks, cluster(blocks))
    assert found.relevance[found.content[0]] == pytest.approx(5.0)
    assert found.n_described == 5


@pytest.mark.parametrize("form", ["", "regional"])
def test_unknown_forms_are_an_error(form):
    blocks = read_documents(documents(["<p>x"]))
    with pytest.raises(ValueError, match="allowed are global, local"):
        label(blocks, cluster(blocks), form=form)
    with pytest.raises(ValueError, match="3 cluster numbers for 1 blocks"):
        label(blocks, np.zeros(3, dtype=np.int32))
