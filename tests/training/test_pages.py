import random
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training import pages as makers
from training.changes import (
    INSERTIONS,
    REWRITINGS,
    add_comments,
    rename,
    shorten,
    wrap_paragraphs,
)
from training.classes import Naming
from training.data import languages, wording
from training.layouts import whole_page
from training.markup import box
from training.page_tree import EditablePage
from training.pages import changed, made_up_pages
from training.prose import Prose, sentences
from training.scripts import script_swapped
from training.threads import thread
from webmain.evaluation.records import GoldPage
from webmain.features.gold_labels import gold_content
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page
from webmain.text.words import tokens

SYLLABLES = [consonant + vowel for consonant in "bcdfglmnprst" for vowel in "aeio"]


def written(draw, n):
    said = []
    for _ in range(n):
        words = ["".join(draw.choices(SYLLABLES, k=draw.randint(2, 4))) for _ in range(draw.randint(8, 16))]
        said.append(f"{' '.join(words).capitalize()}.")
    return " ".join(said)


def gold_page(number, *, page_type="article", language="en", n_paragraphs=8):
    draw = random.Random(number)
    paragraphs = [written(draw, 3) for _ in range(n_paragraphs)]
    body = "".join(f'<p class="par">{paragraph}</p>\n' for paragraph in paragraphs)
    menu = "".join(f'<li><a href="/{i}">Section {i}</a></li>' for i in range(8))
    html = (
        f'<!DOCTYPE html><html lang="{language}"><head><title>A title of page {number} | Site</title>'
        "<script>var x = 1;</script>"
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "A title"}</script>'
        "</head><body>"
        f'<div id="top"><ul>{menu}</ul></div><div class="wrap"><article class="qqstory">'
        f'<h1>A title of page {number}</h1><div class="text">{body}</div></article></div>'
        "<footer>The end</footer></body></html>"
    )
    return GoldPage(
        id=str(number),
        dataset="set",
        html=html,
        text="\n\n".join(paragraphs),
        url=f"https://site{number}.com/a",
        site=f"site{number}.com",
        language=language,
        page_type=page_type,
    )


PAGES = [gold_page(n, page_type="forum" if n % 5 == 4 else "article") for n in range(10)]


def draw_for(page, seed, naming=None):
    d = Prose(PAGES).draw(page, random.Random(seed))
    if naming is not None:
        d.rename_classes(naming)
    return d


def labelled(html, gold):
    blocks = default_blocks(Document(Page(url=None, html=html), html=html))
    texts = blocks.texts(range(len(blocks)))
    return texts, gold_content(texts, gold)


def recall(html, gold):
    texts, marks = labelled(html, gold)
    found = tokens(" ".join(text for text, mark in zip(texts, marks, strict=True) if mark))
    return len(set(found) & set(tokens(gold))) / len(set(tokens(gold)))


def without_mark(page):
    return [line for line in page.text.split("\n\n") if line]


def test_same_seed_and_pages_in_any_order_give_the_same_pages():
    assert list(made_up_pages(PAGES, count=12, seed=5)) == list(made_up_pages(PAGES[::-1], count=12, seed=5))


def test_another_seed_gives_other_pages():
    first, second = (list(made_up_pages(PAGES, count=5, seed=seed)) for seed in (1, 2))
    assert {page.html for page in first}.isdisjoint(page.html for page in second)


def test_as_many_pages_as_asked_for_with_ids_of_their_own():
    made = list(made_up_pages(PAGES, count=30, seed=1))
    assert len({(page.dataset, page.id) for page in made}) == 30


def test_no_pages_give_no_pages():
    assert list(made_up_pages([], count=3, seed=1)) == []
    assert list(made_up_pages([replace(PAGES[0], text=None)], count=3, seed=1)) == []


def test_site_and_type_are_those_of_the_article():
    by_id = {page.id: page for page in PAGES}
    for made in made_up_pages(PAGES, count=30, seed=3):
        origin = by_id[made.id.split("-")[1]]
        assert (made.site, made.url, made.page_type) == (origin.site, origin.url, origin.page_type)


def test_one_page_alone_is_made_up_without_others_to_deal_from():
    made = list(made_up_pages(PAGES[:1], count=8, seed=1))
    assert len(made) == 8
    assert all(page.site == "site0.com" for page in made)


def test_articles_stay_recognisable_by_their_gold():
    for page in made_up_pages(PAGES, count=60, seed=7):
        assert recall(page.html, page.text) > 0.95, page.id


def only_notices(pages, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(makers, "NOTICE_SHARE", 1.0)
        patch.setattr(makers, "STRIPPED_SHARE", 0.0)
        return list(made_up_pages(pages, **options))


@pytest.fixture(scope="module")
def notices():
    return only_notices(PAGES, count=60, seed=4)


def test_notices_are_short_and_nothing_else_of_the_page_is_their_text(notices):
    for page in notices:
        texts, marks = labelled(page.html, page.text)
        content = tokens(" ".join(text for text, mark in zip(texts, marks, strict=True) if mark))
        assert content == tokens(page.text), page.id
    assert all(len(page.text) < 1_000 for page in notices)
    assert sum(len(page.text) * 20 < len(page.html) for page in notices) > 40


def test_notices_come_in_other_scripts_with_the_words_of_their_languages(notices):
    foreign = [page for page in notices if page.language != "en"]
    assert len({page.language for page in foreign}) > 8
    menus = [set(wording(page.language)["menu"] + wording(page.language)["foot"]) for page in foreign]
    found = [any(word in page.html for word in menu) for page, menu in zip(foreign, menus, strict=True)]
    assert sum(found) > len(found) * 0.8


def test_notices_are_made_of_articles_only():
    forums = [page for page in PAGES if page.page_type == "forum"]
    made = only_notices([*forums, PAGES[0]], count=10, seed=1)
    assert {page.page_type for page in made} == {"article"}
    assert {page.page_type for page in only_notices(forums, count=4, seed=1)} == {"forum"}


def test_stripped_pages_keep_their_text_and_none_of_their_names(monkeypatch):
    monkeypatch.setattr(makers, "STRIPPED_SHARE", 1.0)
    classes = {name for page in PAGES for names in re.findall(r'class="([^"]+)"', page.html) for name in names.split()}
    made = list(made_up_pages(PAGES, count=20, seed=1))
    assert len(made) == 20
    assert {page.page_type for page in made} > {"article"}
    for page in made:
        assert recall(page.html, page.text) > 0.95, page.id
        kept = {name for names in re.findall(r'class="([^"]+)"', page.html) for name in names.split()} & classes
        assert len(kept) * 5 < len(classes), kept


def test_wrapped_paragraphs_are_each_in_an_element_of_its_own():
    editable = EditablePage(PAGES[0])
    before = [run.text for run in editable.content]
    wrap_paragraphs(editable, draw_for(PAGES[0], 1))
    parents = [run.owner.getparent() for run in editable.content if run.owner.tag == "p"]
    assert len(parents) == len(set(parents)) > 1
    assert all(len(parent) == 1 and parent.tag == "div" for parent in parents)
    assert [run.text for run in EditablePage(replace(PAGES[0], html=editable.html())).content] == before


def test_pages_that_are_no_articles_keep_their_text_and_get_no_comments(monkeypatch):
    monkeypatch.setattr(makers, "SWAPPED_SHARE", 0)
    forums = [page for page in PAGES if page.page_type == "forum"]
    texts = {page.id: page.text for page in forums}
    for made in made_up_pages(forums, count=12, seed=2):
        assert made.text == texts[made.id.split("-")[1]]
        assert made.comments == ""


def test_pages_that_do_not_show_their_gold_are_replaced_by_layouts_of_our_own():
    broken = replace(PAGES[0], html="<html><body><p>Something else altogether stands here.</p></body></html>")
    assert changed(broken, draw_for(broken, 1)) is None
    made = list(made_up_pages([broken, *PAGES[1:4]], count=20, seed=1))
    assert any(page.site == "site0.com" and recall(page.html, page.text) > 0.95 for page in made)


@pytest.mark.parametrize("seed", range(25))
def test_inserted_boxes_are_no_content_and_rewritten_markup_keeps_them_apart(seed):
    page = PAGES[seed % 4]
    editable, d = EditablePage(page), draw_for(page, seed)
    for change in INSERTIONS:
        change(editable, d)
    texts, marks = labelled(editable.html(), page.text)
    assert {text for text, mark in zip(texts, marks, strict=True) if mark} == set(without_mark(page))
    for change in REWRITINGS:
        change(editable, d)
    texts, marks = labelled(editable.html(), page.text)
    content = [text for text, mark in zip(texts, marks, strict=True) if mark]
    assert " ".join(tokens(" ".join(content))) == " ".join(tokens(page.text))


@pytest.mark.parametrize("seed", range(40))
def test_layouts_of_our_own_hold_the_article_and_nothing_of_it_twice(seed):
    page = PAGES[seed % 4]
    made = whole_page(page, draw_for(page, seed))
    texts, marks = labelled(made.html, made.text)
    content = tokens(" ".join(text for text, mark in zip(texts, marks, strict=True) if mark))
    assert content == tokens(made.text)


def test_layouts_of_our_own_tell_stories_of_many_lengths():
    lengths = {whole_page(PAGES[0], draw_for(PAGES[0], seed)).text.count("\n\n") + 1 for seed in range(40)}
    assert {1, 2, 8} <= lengths


@pytest.mark.parametrize("share", [0.3, 6.0])
def test_threads_are_as_long_as_asked_for(share):
    d = draw_for(PAGES[0], 3)
    wanted = int(len(PAGES[0].text) * share)
    assert wanted <= len(thread(d, wanted).text) < wanted + 3_000


def test_comments_of_a_page_are_told():
    editable, d = EditablePage(PAGES[0]), draw_for(PAGES[0], 1)
    add_comments(editable, d)
    shown = tokens(re.sub("<[^>]+>", " ", editable.html()))
    assert set(tokens(editable.comments[0])) <= set(shown)


def test_prose_is_dealt_from_other_sites_in_the_same_language():
    german = gold_page(50, language="de")
    pages = [*PAGES, german, replace(gold_page(51, language="de"), site="other.de")]
    prose = Prose(pages)
    dealt = " ".join(prose.draw(german, random.Random(1)).run(20))
    assert set(sentences(dealt)) <= set(sentences(pages[-1].text))
    own = set(sentences(PAGES[0].text))
    english = prose.draw(PAGES[0], random.Random(1))
    assert not own & {sentence for _ in range(200) for sentence in english.run(3)}


@pytest.mark.parametrize(
    ("line", "kept"), [("A plain sentence stands in this line.", 1), ("x = {1: [2, 3]} # 4 || 5 && 6 <= 7", 0)]
)
def test_code_and_figures_are_no_prose(line, kept):
    assert len(sentences(line)) == kept


@pytest.mark.parametrize(
    "line", ["- A plain sentence stands here.", "3. A plain sentence stands here.", "• A plain sentence stands here."]
)
def test_bullets_are_no_part_of_a_sentence(line):
    assert sentences(line) == ["A plain sentence stands here."]


def test_shortened_articles_lose_the_same_lines_in_page_and_gold():
    editable = EditablePage(PAGES[0])
    shorten(editable, draw_for(PAGES[0], 2))
    lines = without_mark(PAGES[0])
    kept = editable.gold.split("\n\n")
    assert 2 <= len(kept) <= 5
    assert kept == lines[: len(kept)]
    assert lines[len(kept)] not in editable.html()
    assert all(line in editable.html() for line in kept)


@pytest.mark.parametrize("naming", [Naming.NONE, Naming.HASHED, Naming.UTILITY, Naming.BLURRED])
def test_renamed_pages_keep_none_of_their_names(naming):
    editable = EditablePage(PAGES[0])
    rename(editable, draw_for(PAGES[0], 1, naming))
    html = editable.html()
    assert "qqstory" not in html
    assert 'class="par"' not in html
    assert ("class=" in html) == (naming is not Naming.NONE)
    assert len(set(re.findall('<p class="([^"]+)"', html))) == (naming is not Naming.NONE)


def test_renaming_keeps_classes_that_hide():
    page = replace(PAGES[0], html=str(PAGES[0].html).replace("<h1>", '<p class="sr-only x">Jump</p><h1>'))
    editable = EditablePage(page)
    rename(editable, draw_for(page, 1, Naming.NONE))
    assert 'class="sr-only"' in editable.html()


def test_ids_stand_once_on_a_page():
    for made in made_up_pages(PAGES[:4], count=40, seed=9):
        ids = re.findall(r'\sid="([^"]+)"', made.html)
        assert all(ids.count(name) == 1 for name in ids if name.startswith("comments"))


@pytest.mark.parametrize("language", languages("scripts"))
def test_swapped_pages_keep_their_answer(language):
    page = changed(PAGES[0], draw_for(PAGES[0], 6))
    made = script_swapped(page, language, random=random.Random(1))
    assert made.language == language
    assert ('dir="rtl"' in made.html) == (language in ("ar", "fa", "he"))
    assert language not in ("km", "lo", "my", "th", "zh", "ja") or made.text.count(" ") < page.text.count(" ") / 3
    texts, marks = labelled(made.html, made.text)
    right = [mark == ("par" in text or mark) for text, mark in zip(texts, marks, strict=True)]
    assert all(right)
    content = "".join(tokens(" ".join(text for text, mark in zip(texts, marks, strict=True) if mark)))
    assert len(content) == pytest.approx(len("".join(tokens(made.text))), rel=0.05)
    latin = re.findall("[a-zA-Z]", made.text)
    assert len(latin) < 0.05 * len(made.text)


def test_same_word_becomes_the_same_word_wherever_it_stands():
    page = GoldPage(
        id="1",
        dataset="s",
        html="<p>harbour <b>museum</b> harbour</p><i>harbour</i>",
        text="harbour museum harbour",
        language="en",
    )
    made = script_swapped(page, "ru", random=random.Random(3))
    first, second, third = made.text.split()
    assert first == third != second
    assert f"<i>{first}</i>" in made.html
    assert f"<b>{second}</b>" in made.html


@pytest.mark.parametrize(("language", "stop"), [("th", ""), ("zh", "。"), ("ja", "。"), ("hi", "।"), ("ru", ".")])
def test_sentences_end_as_the_script_ends_them(language, stop):
    page = GoldPage(
        id="1", dataset="s", html="<p>x</p>", text="Railways close at 3.14 today. Museums open.", language="en"
    )
    text = script_swapped(page, language, random=random.Random(3)).text
    assert "3.14" in text
    assert text.rstrip().endswith(stop)
    assert (". " in text) == (language == "ru")


def test_json_of_swapped_pages_is_swapped_too():
    made = script_swapped(PAGES[0], "ko", random=random.Random(3))
    assert "NewsArticle" in made.html
    assert "A title" not in made.html


@pytest.mark.parametrize("language", languages("words"))
def test_wordings_have_all_concepts_and_no_empty_variant(language):
    words = wording(language)
    assert set(words) == set(wording("en"))
    assert all(variant.strip() for variants in words.values() for variant in variants)
    assert len(words["months"]) == 12


@given(st.text(max_size=300), st.sampled_from(languages("scripts")))
def test_any_text_can_be_swapped(text, language):
    page = GoldPage(id="1", dataset="s", html="<p>x</p>", text=text)
    made = script_swapped(page, language, random=random.Random(1))
    assert bool(made.text.strip()) == bool(text.strip()) or not any(c.isalnum() for c in text)


@given(st.text(alphabet="<>ap/ div=\"'&;x\n", max_size=200))
def test_any_markup_can_be_opened_and_written(html):
    page = GoldPage(id="1", dataset="s", html=html, text="x")
    assert isinstance(EditablePage(page).html(), str)


@pytest.mark.parametrize("odd", ["&#8;", "\x0c", "\x00", "\ufffe", "\ud800", "&#xfffe;", "&#xd800;"])
def test_characters_that_no_tree_can_hold_are_left_out(odd):
    page = replace(PAGES[0], html=str(PAGES[0].html).replace('class="par">', f'class="par{odd}">{odd}x '))
    made = script_swapped(changed(page, draw_for(page, 1)), "ru", random=random.Random(1))
    assert made.html.count("<p") >= 8


def test_sites_name_their_classes_in_all_ways():
    assert {draw_for(PAGES[0], seed).classes.naming for seed in range(120)} == set(Naming)


@pytest.mark.parametrize(
    "name",
    ["sidebar", "footer", "cookies", "calendar", "trackbacks", "headlines", "signature", "grid", "service", "snippets"],
)
def test_every_box_can_be_drawn_without_prose(name):
    alone = Prose([]).draw(PAGES[0], random.Random(1))
    assert tokens(re.sub("<[^>]+>", " ", box(alone, name)))
