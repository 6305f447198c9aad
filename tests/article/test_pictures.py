"""The pictures that belong to an article."""

from __future__ import annotations

import time

import numpy as np
import pytest

from webmain.article.pictures import MAX_IMAGES, MIN_SIDE, article_images
from webmain.article.regions import MAX_GAP_CHARS
from webmain.html.document import Document
from webmain.html.kinds import compose_blocks
from webmain.items import Image, Page

URL = "https://example.com/news/story"
TEXT = "Text of the article, as it goes on. " * 4


def images(markup: str, *, url: str | None = URL) -> tuple[Image, ...]:
    """Pictures of a page whose kept text is all that stands in `p`."""
    page = Document(Page(html=markup, url=url), html=markup)
    leaves, elements = page.leaves, page.elements
    kept = np.array(["p" in [elements.tags[a] for a in elements.ancestors(e)] for e in leaves.element], dtype=bool)
    ones = np.ones(len(leaves))
    composed = compose_blocks(page, kept, score=ones, raw=ones)
    return article_images(page, kept, composed.leaves)


def urls(markup: str) -> list[str]:
    return [image.url.removeprefix("https://example.com") for image in images(markup)]


def inside(picture: str) -> str:
    return f"<body><article><p>{TEXT}</p>{picture}<p>{TEXT}</p></article></body>"


@pytest.mark.parametrize(
    ("picture", "found"),
    [
        ("<img src=/a.jpg>", "/a.jpg"),
        ("<img src=data:image/gif;base64,R0 data-src=/a.jpg>", "/a.jpg"),
        ("<img src=/img/placeholder.png srcset='/s.jpg 300w, /l.jpg 1200w, /m.jpg 600w'>", "/l.jpg"),
        ("<img srcset='/a,b.jpg?x=1,2 2x, /c.jpg'>", "/a,b.jpg?x=1,2"),
        ("<picture><source srcset='/a.webp 800w'><img src=data:x></picture>", "/a.webp"),
        ("<img src=data:x class=lazy><noscript><img src=/a.jpg></noscript>", "/a.jpg"),
        ("<img src=/t.jpg?w=20 srcset='/t.jpg?w=900 900w'>", "/t.jpg?w=900"),
        (f"<img src=/a.jpg width={MIN_SIDE} height={MIN_SIDE}>", "/a.jpg"),
        ("<a href=/a-large.jpg><img src=/a.jpg></a>", "/a.jpg"),
        ("<figure><a href=/g><img src=/a.jpg><figcaption class=caption>c</figcaption></a></figure>", "/a.jpg"),
        ("<div class=story-with-related-things><img src=/a.jpg></div>", ""),
        ("<img src=javascript:x>", ""),
        (f"<img src=/a.jpg width={MIN_SIDE - 1} height=600>", ""),
        ("<img src=/site-logo.png>", ""),
        ("<img src=/chart.svg>", ""),
        ("<img src=https://ad.doubleclick.net/a.jpg>", ""),
        ("<img src=/a.jpg style='display: none'>", ""),
        ("<aside><img src=/a.jpg></aside>", ""),
        ("<div class='related-stories'><img src=/a.jpg></div>", ""),
        ("<a href=/other><img src=/a.jpg><h3>Another story</h3></a>", ""),
    ],
)
def test_which_pictures_inside_the_text_are_the_articles(picture, found):
    assert urls(inside(picture)) == ([found] if found else [])


def test_each_picture_is_told_once():
    markup = "<img src=/a.jpg><img src=/a.jpg><div><img src=/b.jpg><noscript><img src=/b.jpg?large></noscript></div>"
    assert urls(inside(markup)) == ["/a.jpg", "/b.jpg"]


def test_leading_picture_belongs_to_the_article_and_those_of_the_page_do_not():
    markup = (
        "<body><header><img src=/top.jpg></header><nav><img src=/menu.jpg></nav>"
        "<main><h1>Head</h1><figure><img src=/lead.jpg>"
        f"</figure><div><p>{TEXT}</p><p>{TEXT}</p></div><div><a href=/x><img src=/teaser.jpg></a></div></main>"
        "<footer><img src=/foot.jpg></footer>"
    )
    assert urls(markup) == ["/lead.jpg"]


@pytest.mark.parametrize(("n_chars", "found"), [(MAX_GAP_CHARS, ["/a.jpg"]), (MAX_GAP_CHARS + 1, [])])
def test_pictures_far_from_the_text_are_not_the_articles(n_chars, found):
    gap = f"<div>{'x' * n_chars}</div>"
    assert urls(f"<article><figure><img src=/a.jpg></figure>{gap}<p>{TEXT}</p><p>{TEXT}</article>") == found


def test_pictures_tell_their_words_and_place():
    markup = (
        "<article><figure><img src=/0.jpg alt=' A\n quay '><figcaption><b>Quay</b> at\n noon <span hidden>x</span>"
        f"</figcaption></figure><p>{TEXT}</p><div class=wp-caption><img src=/1.jpg>"
        "<div class=wp-caption-text>Boats</div></div>"
        f"<p>{TEXT}</p><figure><img src=/2.jpg></figure></article>"
    )
    assert images(markup) == (
        Image(url="https://example.com/0.jpg", alt="A quay", caption="Quay at noon", after=-1),
        Image(url="https://example.com/1.jpg", caption="Boats", after=0),
        Image(url="https://example.com/2.jpg", after=1),
    )


@pytest.mark.parametrize(
    ("markup", "captions"),
    [
        ("<img src=/a.jpg>{p}<figure><img src=/b.jpg><figcaption>B</figcaption></figure>", ["", "B"]),
        ("<img src=/a.jpg>{p}<div class=wp-caption><img src=/b.jpg><p class=wp-caption-text>B</div>", ["", "B"]),
        ("<img src=/a.jpg>{p}<div class=wp-caption><img src=/b.jpg>B</div>", ["", "B"]),
        ("<img src=/a.jpg>{p}<figure><video src=/b></video><figcaption>B</figcaption></figure>", [""]),
        ("<img src=/a.jpg><div class=caption>A</div><img src=/b.jpg><div class=caption>B</div>", ["A", "B"]),
        ("<div><span><img src=/a.jpg></span><span><span class=caption>A</span></span></div>", ["A"]),
        ("<div><img src=/a.jpg><div><img src=/icon.svg><span class=caption>A</span></div></div>", ["A"]),
    ],
)
def test_caption_of_another_picture_is_no_caption(markup, captions):
    assert [image.caption for image in images(inside(markup.format(p=f"<p>{TEXT}</p>")))] == captions


def test_a_box_that_holds_the_text_is_the_articles_whatever_its_class():
    markup = f"<body><div class='comment sticky-sidebar'><p>{TEXT}<p>{TEXT}<img src=/a.jpg><p>{TEXT}</div></body>"
    assert urls(markup) == ["/a.jpg"]


def test_addresses_are_absolute_or_left_out():
    assert images(inside("<img src=/a.jpg>"), url=None) == ()
    assert len(images(inside("<img src=https://example.org/a.jpg>"), url=None)) == 1
    assert (
        images("<base href=https://cdn.example/x/>" + inside("<img src=a.jpg>"))[0].url == "https://cdn.example/x/a.jpg"
    )


def test_pictures_are_bounded():
    assert len(images(inside("".join(f"<img src=/{n}.jpg>" for n in range(MAX_IMAGES + 50))))) == MAX_IMAGES


def test_hostile_attributes_are_read_in_bounded_time():
    junk = "a-" * 50_000
    sources = "x " * 50_000
    hostile = (
        f"<img src=/a.jpg class='{junk}' style='{junk}' width='{'9' * 9999}' data-srcset='{sources}' alt='{junk}'>"
    )
    found = images(inside(f"<div class='{junk}'>" + hostile * 20 + "</div>"))
    assert len(found) == 1
    assert len(found[0].alt) <= 1000


def test_sides_with_much_white_space_are_read_in_linear_time():
    start = time.process_time()
    hostile = f"<img src=/a.jpg width='1{' ' * 200_000}x'><img src=/b.jpg width='1.{'1' * 200_000}x'>"
    assert len(images(inside(hostile))) == 2
    assert (
        images(inside("<img src=/a.jpg width=' 1.5 px '><img src=/b.jpg height=9px><img src=/c.jpg width='2  '>")) == ()
    )
    assert time.process_time() - start < 5


def test_captions_are_looked_for_once_however_many_pictures_share_a_box():
    seconds = []
    for n in (2_000, 20_000):
        start = time.process_time()
        found = images(inside("".join(f"<img src=/p{i}.jpg>" for i in range(MAX_IMAGES)) + "<b>a</b>" * n))
        seconds.append(time.process_time() - start)
        assert {image.caption for image in found} == {""}
    assert seconds[1] < 20 * seconds[0] + 0.5


def test_a_caption_without_text_is_passed_over_and_one_that_is_too_long_is_none():
    empty, told = "<figcaption> </figcaption>", "<figcaption>What is seen</figcaption>"
    long = f"<figcaption>{'word ' * 300}</figcaption>"
    for captions, expected in ((empty + told, "What is seen"), (long + told, ""), (told + long, "What is seen")):
        (image,) = images(inside(f"<figure><img src=/a.jpg>{captions}</figure>"))
        assert image.caption == expected


def test_many_pictures_deep_inside_a_page_are_looked_at_in_linear_time():
    deep = "<div class=story>" * 200 + "<img src=/a.jpg>" * 30_000 + "</div>" * 200
    start = time.process_time()
    assert len(images(inside(deep))) == 1
    assert time.process_time() - start < 8
