import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.discovery.articles import MAX_PARTS
from webmain.discovery.links import Link
from webmain.discovery.pagination import next_listing, next_part

SITE = "https://news.example"


def links(*pairs: tuple[str, str]) -> list[Link]:
    return [Link(url=SITE + path, text=text) for path, text in pairs]


@pytest.mark.parametrize(
    ("here", "target", "text"),
    [
        ("/2024/05/17/the-long-way-home", "/2024/05/17/the-long-way-home?page=2", "2"),
        ("/2024/05/17/the-long-way-home/", "/2024/05/17/the-long-way-home/2/", "2"),
        ("/2024/05/17/the-long-way-home/", "/2024/05/17/the-long-way-home/page/2/", "Next"),
        ("/kultur/der-lange-weg-nach-hause-1234567.html", "/kultur/der-lange-weg-nach-hause-1234567-2.html", "Weiter"),
        ("/kultur/der-lange-weg-a-1234567.html", "/kultur/der-lange-weg-a-1234567_2.html", "Seite 2"),
        ("/kultur/der-lange-weg-a-1234567.html", "/kultur/der-lange-weg-a-1234567_p2.html", "» 2"),
        ("/kultur/der-lange-weg-a-1234567.html", "/kultur/der-lange-weg-a-1234567/seite-2", "nächste Seite »"),
        ("/news/detail?id=123456", "/news/detail?id=123456&page=2", "下一页"),
        ("/news/detail?id=123456", "/news/detail?page=2&id=123456", "ถัดไป"),
        ("/story/the-long-way-home?page=1", "/story/the-long-way-home?page=2", "2"),
    ],
)
def test_second_part_is_found_in_every_form(here, target, text):
    assert next_part(SITE + here, links(("/other", "Next"), (target, text))) == SITE + target


def test_parts_are_followed_to_the_last():
    first = SITE + "/2024/05/17/the-long-way-home/"
    page = links(
        ("/2024/05/17/the-long-way-home/", "1"), *((f"/2024/05/17/the-long-way-home/{n}/", str(n)) for n in (2, 3))
    )
    second = next_part(first, page)
    assert second == first + "2/"
    third = next_part(second, page, first=first)
    assert third == first + "3/"
    assert next_part(second, page) == third
    assert next_part(third, page, first=first) is None


def test_rel_next_is_believed_only_where_the_address_agrees():
    url = SITE + "/2024/05/17/the-long-way-home"
    assert next_part(url, [], url + "?page=2") == url + "?page=2"
    assert next_part(url, [], SITE + "/2024/05/16/an-older-article-of-ours") is None
    assert next_part(url, [Link(url=url + "?page=2", text="", rel=("next", "nofollow"))]) == url + "?page=2"


@pytest.mark.parametrize(
    ("here", "target", "text"),
    [
        ("/2024/05/17/the-long-way-home", "/2024/05/18/another-story-of-the-day", "Next article"),
        ("/2024/05/17/the-long-way-home", "/2024/05/17/the-long-way-home?page=3", "3"),
        ("/2024/05/17/the-long-way-home", "/2024/05/17/the-long-way-home?page=2", "2 comments here"),
        ("/2024/05/17/the-long-way-home", "/2024/05/17/the-long-way-home?page=2#comments", "2"),
        ("/2024/05/17/the-long-way-home", "/2024/05/17/the-long-way-home/comment-page-2/", "2"),
        ("/2024/05/17/the-long-way-home", "/2024/05/17/the-long-way-home?share=2", "2"),
        ("/2024/05/17/", "/2024/05/18/", "18"),
        ("/2024/05/01", "/2024/05/02", "Next"),
        ("/politics", "/politics?page=2", "Next"),
        ("/politics/", "/politics/page/2/", "2"),
        ("/tag/cats", "/tag/cats/2", "2"),
        ("/", "/page/2", "Older posts"),
        ("/story/chapter-of-the-big-book-12.html", "/story/chapter-of-the-big-book-13.html", "Next"),
        ("/news/12", "/news/13", "Next"),
        ("/news/1234567", "/news/1234568", "Next"),
    ],
)
def test_neighbours_comments_and_lists_are_no_parts(here, target, text):
    assert next_part(SITE + here, links((target, text))) is None


def test_other_hosts_and_the_page_itself_are_no_parts():
    url = SITE + "/2024/05/17/the-long-way-home"
    assert next_part(url, [Link(url="https://evil.example/2024/05/17/the-long-way-home?page=2", text="2")]) is None
    assert next_part(url + "?page=2", [Link(url=url + "?page=2", text="2")]) is None


def test_numbers_beyond_the_limit_are_no_parts():
    url = SITE + "/2024/05/17/the-long-way-home"
    last, beyond = f"{url}?page={MAX_PARTS}", f"{url}?page={MAX_PARTS + 1}"
    assert next_part(f"{url}?page={MAX_PARTS - 1}", [Link(url=last, text="Next")], first=url) == last
    assert next_part(last, [Link(url=beyond, text="Next")], first=url) is None


@pytest.mark.parametrize(
    ("here", "target", "text"),
    [
        ("/politics", "/politics?page=2", "Next"),
        ("/politics?page=0", "/politics?page=1", "Next"),
        ("/politics?page=2", "/politics?page=3", "3"),
        ("/", "/page/2/", "Older posts"),
        ("/tag/cats/page/9/", "/tag/cats/page/10/", "»"),
        ("/politics?start=20", "/politics?start=40", "weiter"),
        ("/politics", "/politics?offset=20", "Next page"),
        ("/news", "/news/2", "2"),
    ],
)
def test_next_page_of_a_list_is_found(here, target, text):
    page = links(("/2024/05/17/some-article-that-is-long", "Next big thing"), (target, text))
    assert next_listing(SITE + here, page) == SITE + target


def test_declared_next_page_of_a_list_may_have_any_address_but_an_articles():
    assert next_listing(SITE + "/news", [], SITE + "/news/older") == SITE + "/news/older"
    assert next_listing(SITE + "/news", [], SITE + "/2024/05/17/the-long-way-home") is None


@pytest.mark.parametrize(
    ("here", "target"),
    [
        ("/2024/05/17/", "/2024/05/18/"),
        ("/archive/2024/05", "/archive/2024/06"),
        ("/events/2024-05", "/events/2024-06"),
    ],
)
def test_a_calendar_is_no_list(here, target):
    assert next_listing(SITE + here, links((target, "Next")), SITE + target) is None


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=20))
def test_nothing_raises_and_every_answer_is_one_of_the_links(here, target, text):
    page = [Link(url=target, text=text), Link(url=SITE + "/" + target, text=text, rel=("next",))]
    for url in (here, SITE + "/" + here):
        for answer in (next_part(url, page, target), next_listing(url, page, target)):
            assert answer is None or answer.startswith("http")


def test_a_short_number_at_the_end_of_the_first_part_is_its_own():
    first = "https://a.example/story/the-old-bridge-is-open-2107"
    second, third = (Link(url=f"{first}-{n}.html", text=str(n)) for n in (2, 3))
    assert next_part(f"{first}.html", [second, third]) == second.url
    assert next_part(second.url, [third], first=f"{first}.html") == third.url
    assert next_part(second.url, [third]) is None  # without the first part it may be a date
