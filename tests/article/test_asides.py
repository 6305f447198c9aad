"""What is kept beside running text and is none is dropped: labels, ratings, nutrients, senders' words, pull quotes."""

import time

import numpy as np
import pytest

from webmain.article.asides import drop_asides
from webmain.html.document import Document
from webmain.items import Page

PROSE = "The harbour master counted the boats twice each morning, and wrote both numbers into the book."
MORE = "Calder Ferries had asked him to, and nobody else in the town wanted to rise at five."
URL = "https://a.example/news/boats"


def left_of(inside: str, after: str = "") -> list[str]:
    """Return what is left of some markup between paragraphs, and of some below them, where all was kept."""
    html = f"<main><p>{PROSE} {MORE}</p>{inside}<p>{MORE} {PROSE}</p><p>{PROSE}</p>{after}</main>"
    document = Document(Page(url=URL, html=html), html=html)
    kept = np.ones(len(document.leaves), dtype=np.bool_)
    drop_asides(document, kept)
    texts = [text for text, k in zip(document.leaves.texts, kept.tolist(), strict=True) if k]
    return [text for text in texts if not text.startswith((PROSE, MORE))]


@pytest.mark.parametrize("name", ["img_desc", "img_descr"])
def test_a_caption_in_the_line_of_a_paragraph_is_dropped(name):
    caption = f"<span><img src=a.jpg><em class={name}>Boats at noon</em></span>"
    assert left_of(f"<div>{caption}Four of them sank.</div>") == ["Four of them sank."]
    assert left_of(f"<div>{caption}</div>") == []
    assert left_of(f"<div class={name}>{'Boats at noon, and more of them. ' * 20}</div>") != []
    assert left_of("<div>Four <em class=b>of</em> them sank.</div>") == ["Four", "of", "them sank."]


@pytest.mark.parametrize(
    "quote",
    [
        "<div>“The harbour master counted the boats twice”</div>",
        "<div><p>„The harbour master … wrote both numbers into the book“</p></div>",
        "<aside><p>Nobody else in the town wanted to rise</p></aside>",
        "<figure>«Calder Ferries had asked him to...»</figure>",
    ],
)
def test_a_pull_quote_is_dropped(quote):
    assert left_of(quote) == []


@pytest.mark.parametrize(
    "content",
    [
        "<p>“The harbour master counted the boats twice”</p>",
        "<div>The harbour master counted the boats twice</div>",
        "<div>“The harbour master counted the boats three times”</div>",
        "<blockquote>“The harbour master counted the boats twice”</blockquote>",
        "<h2>“The harbour master counted the boats twice”</h2>",
        "<div>“wrote both numbers … The harbour master counted the boats”</div>",
        "<aside>The book</aside>",
    ],
)
def test_other_quotes_stay(content):
    assert left_of(content) != []


SPEECH = [f"The boats of pier {i} were counted at dawn." for i in ("one", "two", "three", "four", "five", "six")]


@pytest.mark.parametrize(
    ("copy", "n_left"),
    [
        (SPEECH[:4], 6),
        (SPEECH[1:4], 6),
        ([SPEECH[0], *SPEECH[2:4]], 6),
        (SPEECH[:2], 8),  # too short
        (SPEECH[3:], 9),  # not from the beginning: a refrain
        ([SPEECH[0], "Again.", *SPEECH[1:3]], 10),
    ],
)
def test_a_text_that_is_shown_twice_is_kept_once(copy, n_left):
    markup = "".join(f"<p>{text}</p>" for text in [*SPEECH, *copy])
    document = Document(Page(url=URL, html=markup), html=markup)
    kept = np.ones(len(document.leaves), dtype=np.bool_)
    drop_asides(document, kept)
    assert kept[: len(SPEECH)].all()
    assert kept.sum() == n_left


@pytest.mark.parametrize(("length", "n_left"), [(250, 1), (150, 2)])
def test_one_long_paragraph_that_is_shown_again_is_kept_once(length, n_left):
    text = (SPEECH[0] * 9)[:length]
    html = f"<main><p>{text}</p><p>{text}</p></main>"
    document = Document(Page(url=URL, html=html), html=html)
    kept = np.ones(len(document.leaves), dtype=np.bool_)
    drop_asides(document, kept)
    assert kept.sum() == n_left


def test_articles_below_the_pages_own_are_dropped():
    def entry(url):
        return f'<article data-url="{url}" data-kind="a/b"><h2>Boats</h2><p>{PROSE} {url}</p></article>'

    assert left_of("", entry("/news/boats") + entry("/news/nets") + entry("https://b.example/x")) == ["Boats", "Boats"]
    assert left_of("", entry("/news/nets") + entry("/news/boats") + entry("/news/boats")) == ["Boats"] * 3


def entries(label: str) -> str:
    return "".join(f"<div>{label.format(hour)}</div><p>{PROSE}</p>" for hour in (7, 8))


@pytest.mark.parametrize(
    "label",
    [
        "<time>{}.12am</time> <span>Ellen Whitby</span>",
        "<a href='#'><time>{} Uhr</time></a>",
        "<time>{}時</time> 記者 田中",
    ],
)
def test_times_and_names_that_label_entries_are_dropped(label):
    assert left_of(entries(label)) == []


@pytest.mark.parametrize(
    "content",
    [
        f"<div><time>7.12am</time></div><p>{PROSE}</p>",
        entries("<time>{}.12am</time> the boats were counted for the first time"),
        entries("<b>Boil</b> <time datetime='PT{}M'>a few minutes</time>"),
        "<div><time>7pm</time> Concert</div><div><time>8pm</time> Fireworks</div>",
        f"<h2><time>1914</time></h2><p>{PROSE}</p><h2><time>1918</time></h2><p>{PROSE}</p>",
    ],
)
def test_other_times_stay(content):
    assert left_of(content) != []


@pytest.mark.parametrize(
    "line",
    [
        "<div>Jump to recipe Print recipe 4.7 (213 votes)</div>",
        "<p>Have you tried this recipe? Give it a star rating!</p>",
        "<div><a href='#r'>Zum Rezept</a></div>",
        "<div>4,8 (62 Bewertungen)</div>",
        "<div>Перейти к рецепту · Распечатать рецепт</div>",
        "<div><h4>Nutrition per serving</h4><span>Calories: 412</span> <span>Fat: 14 g</span></div>",
        "<section><p>Nährwerte</p><table><tr><td>Fett<td>14 g<tr><td>Salz<td>1 g</table></section>",
        "<div>栄養成分<br><br>脂質 14g、食塩 1g</div>",
    ],
)
def test_ratings_and_nutrients_are_dropped(line):
    assert left_of(line) == []


@pytest.mark.parametrize(
    "content",
    [
        "<p>12,345 votes</p>",
        "<ul><li>4.7 (213 votes)</li></ul>",
        "<p>Print the recipe and hang it on the wall.</p>",
        "<h2>Nutrition facts</h2>",
        "<div><h2>Nutrition information</h2><p>It tells what is in a meal.</p></div>",
        f"<div><h2>Nutrition facts</h2><p>{PROSE * 7} 1 2 3</p></div>",
    ],
)
def test_words_about_ratings_and_nutrients_stay(content):
    assert left_of(content) != []


@pytest.mark.parametrize(
    "end",
    [
        "<h3>About Calder Ferries</h3><p>Calder Ferries runs nine boats.</p>",
        "<p><b>About Calder Ferries:</b></p><p>Calder Ferries runs.</p><h3>Press contact</h3><p>Pier Road 1</p>",
        "<h4>Über die Fährlinie AG</h4><p>Die Fährlinie AG hat neun Boote.</p>",
        "<h4>关于海港渡轮</h4><p>海港渡轮有九条船。</p>",
        "<strong>Contact presse :</strong><p>Pier Road 1</p>",
        "<p><b>About Calder Ferries</b><br>Calder Ferries runs nine boats.</p><p><b>Press contact</b><br>Pier Road 1</p>",
    ],
)
def test_what_a_sender_says_of_itself_at_the_end_is_dropped(end):
    assert left_of("", end) == []


@pytest.mark.parametrize(
    ("inside", "after"),
    [
        ("", "<h3>About the night</h3><p>Boats are counted by lamplight.</p>"),
        ("", "<p><b>About the night</b><br>Boats are counted by lamplight.</p>"),
        ("", "<p>About Calder Ferries</p><p>Calder Ferries runs nine boats.</p>"),
        ("", f"<h3>About Calder Ferries</h3><p>Calder Ferries runs nine boats.</p>{f'<p>{PROSE}</p>' * 8}"),
        ("<h3>About Calder Ferries</h3><p>Calder Ferries runs nine boats.</p>", ""),
    ],
)
def test_other_ends_and_headings_stay(inside, after):
    assert "bout" in left_of(inside, after)[0]


@pytest.mark.parametrize(
    "note",
    [
        "<p><i>This post contains affiliate links. Click here to read my full disclosure.</i></p>",
        "<p>If you buy through my links, I may receive a small commission.</p>",
        "<div>Kommt darüber ein Einkauf zustande, erhalten wir eine Provision.</div>",
        "<p>Nous touchons une commission sur les achats.</p>",
        "<p>本ページはプロモーションが含まれています。</p>",
        "<p>이 포스팅은 쿠팡 파트너스 활동의 일환으로, 이에 따른 일정액의 수수료를 제공받습니다.</p>",
    ],
)
def test_notes_that_links_earn_money_are_dropped_at_both_ends(note):
    boats = [f"<p>Boat {i} was counted.</p>" for i in range(18)]
    assert left_of(note) == []
    assert left_of("", note) == []
    assert len(left_of("".join([*boats[:9], note, *boats[9:]]))) == 19


@pytest.mark.parametrize(
    "content",
    [
        "<p>Streamers earn a commission when viewers buy games via such links.</p>",
        "<p>La commission d'enquête a rendu un rapport.</p>",
        "<p>The commission said that we may earn less.</p>",
        "<p>Post with affiliate links: " + MORE * 5 + " I may earn a commission.</p>",
    ],
)
def test_other_words_about_commissions_stay(content):
    assert left_of(content) != []


@pytest.mark.parametrize(
    "html",
    [
        "<div>Nutrition facts" * 20_000,
        "<div>栄養成分<p>1" * 15_000,
        f"<p>{'the boats ' * 200_000}</p>" + "<aside>the boats the boats the boat the boats</aside>" * 55,
        "<div><time>7</time> a</div><p>b</p>" * 13_000,
        "<p>rate this recipe rate this recipe 1 1 1 1 1 1 1 1 1 1 1 1 x</p>" * 20_000,
        "<h3>About x</h3><p>y</p>" * 18_000,
    ],
)
def test_floods_cost_linear_time(html):
    document = Document(Page(url=URL, html=html), html=html)
    kept = np.ones(len(document.leaves), dtype=np.bool_)
    document.views["webmain.extractors.page_types.page_types"] = {"article": 1.0}
    started = time.process_time()
    drop_asides(document, kept)
    assert time.process_time() - started < 3
