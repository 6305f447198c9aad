import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.cloud.clouds import WORDS, cloud
from webmain.cloud.markup import Order, alphabetical, cloud_css, cloud_markup, cloud_page, ordered
from webmain.cloud.records import Cloud, CloudWord


def test_each_word_is_an_item_with_a_size_and_its_count():
    tree = LexborHTMLParser(cloud_markup(cloud("en", words="tide quay boat"), order=Order.WEIGHT))
    items = tree.css("ul.cloud > li")
    assert [item.text() for item in items] == ["tide 3", "quay 2", "boat 1"]
    assert items[0].attributes == {"class": "cloud-9 cloud-c0", "title": "3"}
    assert [item.css_first("bdi").text() for item in items] == ["tide", "quay", "boat"]


@pytest.mark.parametrize(("language", "direction"), [("th", "ltr"), ("ar", "rtl"), ("he", "rtl"), ("zh", "ltr")])
def test_language_and_direction_are_given(language, direction):
    found = LexborHTMLParser(cloud_markup(cloud(language))).css_first("ul")
    assert (found.attributes["lang"], found.attributes["dir"]) == (language, direction)


def test_a_word_of_another_language_says_so():
    tree = LexborHTMLParser(cloud_markup(cloud("th", "ar")))
    assert {one.text() for one in tree.css('bdi[lang="ar"]')} == set(WORDS["ar"].split())
    assert len(tree.css("bdi[lang]")) == len(WORDS["ar"].split())


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img/src=x/onerror=alert(1)>',
    "a&lt;b",
    "'onmouseover='x",
    "</style><b>",
    "a\u202eb\x00",
)


def test_words_titles_and_links_are_escaped():
    found = cloud("en", words=" ".join(HOSTILE))
    for markup in (cloud_markup(found), cloud_page(found), cloud_markup(found, link=lambda one: f"/?q={one.word}&x=1")):
        tree = LexborHTMLParser(markup)
        assert tree.css("script, img, b") == []
        assert not [one for one in tree.css("*") if any(name.startswith("on") for name in one.attributes)]
        shown = {one.text() for one in tree.css("bdi")}
        assert shown == {*HOSTILE[:-1], "a\ufffdb\ufffd"}
    assert '<a href="/?q=&lt;script&gt;' in markup


def test_a_page_loads_nothing():
    page = cloud_page(cloud("th"))
    assert "http" not in page
    assert "url(" not in page
    assert "@import" not in page


@pytest.mark.parametrize(
    "words",
    [
        "กา เกม ขา แขก คน",  # a vowel before its consonant comes after it
        "กา ก้าง ขา",
        "apple Banana cherry",
        "éclair elan Étage",
        "ກາ ເກມ ຂາ",
    ],
)
def test_words_are_in_the_order_of_dictionaries(words):
    found = words.split()
    assert sorted(found, key=lambda word: (alphabetical(word), word)) == found


def test_orders():
    found = cloud("en", words="tide quay boat")
    assert [one.word for one in ordered(found, Order.WEIGHT)] == ["tide", "quay", "boat"]
    assert [one.word for one in ordered(found, Order.ALPHABET)] == ["boat", "quay", "tide"]
    assert [one.word for one in ordered(found, Order.TEXT)] == ["boat", "quay", "tide"]


def test_all_classes_have_a_style():
    css = cloud_css()
    assert all(f".cloud-{n} " in css for n in range(1, 10))
    assert css.count(".cloud-c5 ") == 2, "light and dark"


def test_sizes_reach_from_the_least_to_the_greatest_weight_but_small_differences_stay_small():
    def sizes(*weights):
        words = tuple(CloudWord(word=f"w{n}", count=1, n_articles=1, weight=one) for n, one in enumerate(weights))
        found = LexborHTMLParser(cloud_markup(Cloud(words=words), order=Order.WEIGHT)).css("li")
        return [int(item.attributes["class"].split()[0].removeprefix("cloud-")) for item in found]

    assert sizes(1, 1 / 3) == [9, 1]
    assert sizes(1, 0.25, 0.01) == [9, 5, 1]
    assert sizes(1, 0.9) == [9, 8]
    assert sizes(1, 1) == [9, 9]
