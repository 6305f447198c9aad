"""Dates that readers see, on made-up pages: which of them is the publication, and when it is left out."""

import time

import pytest

from webmain.html.document import Document
from webmain.items import Metadata, Page
from webmain.metadata.dates_shown import of_change, of_publication
from webmain.metadata.read import read_metadata

TITLE = "The bridge over the river is open again"
H1 = f"<h1>{TITLE}</h1>"
BODY = "<p>" + "The bridge was closed for two years and is open again. " * 8 + "</p>"
URL = "https://daily.example/bridge"


def _read(body: str, *, head: str = "", url: str = URL, language: str = "en") -> Metadata:
    html = (
        f"<html lang={language}><head><title>{TITLE}</title>{head}</head><body><main>{body}{BODY}</main></body></html>"
    )
    return read_metadata(Document(Page(url=url, html=html), html=html))


def _day(body: str, *, head: str = "", url: str = URL, language: str = "en") -> str:
    return str(_read(body, head=head, url=url, language=language).published)[:10]


@pytest.mark.parametrize(
    ("text", "label", "published", "changed"),
    [
        ("6 May 2024", "", "6 May 2024", ""),
        ("6 May 2024 (updated 9 May 2024)", "", "6 May 2024 (", "updated 9 May 2024)"),
        ("9 May 2024", "Last updated", "", "updated 9 May 2024"),
        ("9 May 2024", "Published", "9 May 2024", ""),
        ("Updated 9 May 2024, published 6 May 2024", "", "published 6 May 2024", "Updated 9 May 2024, "),
        ("Erschienen am 6.5.2024, aktualisiert 9.5.2024", "", "Erschienen am 6.5.2024,", "aktualisiert 9.5.2024"),
        ("更新日：2024年5月9日", "", "", "更新日：2024年5月9日"),
    ],
)  # fmt: skip
def test_what_is_said_of_publication_and_of_a_change(text: str, label: str, published: str, changed: str) -> None:
    assert of_publication(text, label).strip() == published
    assert of_change(text, label) == changed


@pytest.mark.parametrize(
    ("body", "day"),
    [
        (f"<p>3 May 2024</p>{H1}", "2024-05-03"),
        (f"<p>3 May 2024</p>{H1}{BODY * 4}<ul><li>7 May 2024</li></ul>", "2024-05-03"),
        (f"{H1}<p class=date>Written: 2024-05-03 <i>/</i> Updated: 2024-05-05</p><p class=date>2024-05-01", "2024-05-03"),
        (f"{H1}<div class=footer><time datetime=2024-05-03>3 May</time></div>", "2024-05-03"),
        (f"{H1}<aside>{BODY * 9}<time itemprop=datePublished datetime=2024-05-03>3 May</time></aside>", "2024-05-03"),
        (f"<article><aside><time datetime=2024-05-03>3 May</time></aside>{H1}</article>", "2024-05-03"),
        (f"{H1}<div class=newsletter-details><p>3 May 2024</p></div>", "2024-05-03"),
        (f"{H1}<time class='entry-date published updated' datetime=2024-05-03>3 May</time>", "2024-05-03"),
        (f"{H1}{BODY * 90}<p>Published: 3 May 2024</p><p>4 March 2020</p>", "2024-05-03"),
        (f"{H1}{BODY * 90}<p>3 May 2024</p>", "2024-05-03"),
        (f"{H1}<p><b>May</b> <i>3</i>, <i>2024</i></p>{BODY}<p>7 May 2024</p>", "2024-05-03"),
        (f"{H1}<div><span>03</span><span>May</span><span>2024</span></div>{BODY}<p>7 May 2024</p>", "2024-05-03"),
        (f"{H1}<p><b>May</b> <i>3</i>, <i>2024</i> was a day like others</p>{BODY}<p>7 May 2024</p>", "2024-05-07"),
        (f"{H1}<p>An interview with Jane Roe, the harbour master | 3 May 2024</p>", "2024-05-03"),
        (f"{H1}<script>var page = {{'publication_date': '2024-05-03 21:18:11'}}</script>", "2024-05-03"),
        (f"{H1}<div data-x='{{&quot;datePublished&quot;:&quot;2024-05-03T10:00:00Z&quot;}}'></div>", "2024-05-03"),
    ],
)  # fmt: skip
def test_the_day_that_is_shown_for_the_article_itself(body: str, day: str) -> None:
    assert _day(body) == day


@pytest.mark.parametrize(
    "body",
    [
        f"{H1}{BODY * 90}<p>3 May 2024</p><p>4 March 2020</p>",
        f"{H1}<blockquote><p>A post. <a href=/x>3 May 2024</a></p></blockquote>",
        f"{H1}<div class=related><a href=/x>Another story with a title of its own</a><p>3 May 2024</p></div>",
        f"{H1}<div class=comments><p>3 May 2024</p>{'<p>Well said.</p>' * 9}</div>",
        f"{H1}<p>© 2024 The Daily</p>",
        f"{H1}<p>3 days ago</p>",
        f"{H1}<script>x = [{{'publishDate': '2024-05-03'}}, {{'publishDate': '2024-05-04'}}]</script>",
    ],
)
def test_a_date_of_something_else_is_left_out(body: str) -> None:
    assert _day(body) == "None"


def test_sources_name_what_a_date_in_doubt_is_from() -> None:
    found = _read(f"{H1}<script>x = {{'publishDate': '2024-05-03'}}</script>")
    assert found.sources["published"].name == "script"
    found = _read(f"{H1}<p>Updated 3 May 2024</p>")
    assert found.published == found.modified
    assert "Updated" in found.sources["published"].raw


@pytest.mark.parametrize(
    ("declared", "shown", "expected"),
    [
        ("2024-05-04T02:18:11Z", "3 May 2024", "2024-05-03 23:18:11-03:00"),
        ("2024-05-04T02:18:11Z", "3 May 2024, 21:18", "2024-05-03 21:18:11-05:00"),
        ("2024-05-02T23:00:00Z", "3 May 2024", "2024-05-03 00:00:00+01:00"),
        ("2024-05-02T23:10:05Z", "3 May 2024, 06:10", "2024-05-03 06:10:05+07:00"),
        ("2024-05-02T15:10:05Z", "3 May 2024", "2024-05-02 15:10:05+00:00"),
        ("2024-05-04T15:18:11Z", "3 May 2024", "2024-05-04 15:18:11+00:00"),
        ("2024-05-04T02:18:11+02:00", "3 May 2024", "2024-05-04 02:18:11+02:00"),
    ],
)
def test_a_time_in_utc_has_the_day_that_readers_see(declared: str, shown: str, expected: str) -> None:
    head = f'<meta property="article:published_time" content="{declared}">'
    assert str(_read(f"{H1}<p>{shown}</p>", head=head).published) == expected


def test_a_time_in_utc_has_the_day_of_the_address_where_none_is_shown() -> None:
    head = '<meta property="article:published_time" content="2024-05-04T02:18:11Z">'
    assert _day(H1, head=head, url="https://daily.example/2024/05/03/bridge") == "2024-05-03"


@pytest.mark.parametrize(
    ("url", "shown", "day"),
    [
        (URL, "31 January 2021", "2021-01-31"),
        (URL, "31 January 2021</p><p>4 May 2024", "2024-05-04"),
        (URL, "31 January 2021</p><p>3 March 2020", "2024-05-04"),
        (URL, "02/01/2021", "2024-05-04"),
        (URL, "Updated 31 January 2021", "2024-05-04"),
        ("https://daily.example/2024/05/bridge", "31 January 2021", "2024-05-04"),
    ],
)
def test_an_earlier_day_beside_the_headline_is_the_first_publication(url: str, shown: str, day: str) -> None:
    head = '<meta property="article:published_time" content="2024-05-04T12:18:11+02:00">'
    assert _day(f"{H1}<p>{shown}</p>", head=head, url=url) == day


@pytest.mark.parametrize(
    ("elsewhere", "day"),
    [
        ("", "2024-02-12"),
        ("<time datetime=2024-12-02>December</time>", "2024-12-02"),
        ("<time datetime=2024-02-12>February</time>", "2024-02-12"),
        ("<p>25/11/2023</p>", "2024-12-02"),
        ("<p>11/25/2023</p>", "2024-02-12"),
    ],
)
def test_the_page_tells_which_number_is_the_day(elsewhere: str, day: str) -> None:
    body = f"{H1}<p class=date>02/12/2024</p>{BODY * 30}<div>{elsewhere}</div>"
    assert _day(body, url="https://daily.example.com/bridge") == day


@pytest.mark.parametrize("piece", ["<p>3 May 2024</p>", "<p>1 2 3 </p>", "<time>3 May</time>", "<div class=date>x</div>",
                                   "publishDate: '", "published", "pub_date:   "])  # fmt: skip
def test_many_dates_cost_little(piece: str) -> None:
    body = H1 + piece * 20_000
    document = Document(Page(url=URL, html=body), html=body)
    assert len(document.leaves)
    started = time.process_time()
    read_metadata(document)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("box", "day"),
    [
        ("sidebar_content", "2024-05-03"),  # what has most of the page's text is not beside it
        ("with-sidebar elementor-widget", "2024-05-03"),
        ("comments", "None"),
    ],
)
def test_a_box_with_most_of_the_text_is_no_aside_whatever_is_said_to_be_beside_it(box: str, day: str) -> None:
    many = "".join(f"<p>{i}</p>" for i in range(60))
    assert _day(f'{H1}{many}<div class="{box}"><p class="date">3 May 2024</p>{3 * BODY}</div>') == day
    small = f'{H1}{many}<div class="{box}"><p class="date">3 May 2024</p></div>'
    assert _day(small) == (day if "with" in box else "None")


def test_the_date_is_next_to_the_whole_headline_and_not_next_to_the_name_of_the_site() -> None:
    day = "<p>Friday 10 May 2024</p>"
    html = f"<title>{TITLE} | Morning Paper of Town</title>{day}<a href=/>Morning Paper of Town</a>"
    html += f"<a href=/a>Town</a><a href=/b>Sport</a><h2>{TITLE}</h2><p>Monday 6 May 2024 - 10:20</p>{BODY}"
    assert str(read_metadata(Document(Page(url=URL, html=html), html=html)).published)[:10] == "2024-05-06"


def test_the_date_is_next_to_the_marked_headline_where_the_title_is_that_of_all_pages() -> None:
    html = f"<title>Details</title><div itemscope><h3 itemprop=headline>{TITLE}</h3><div class=footer>"
    html += f"<time itemprop=datePublished datetime=2024-05-06>6 May</time></div>{BODY}</div>"
    assert str(read_metadata(Document(Page(url=URL, html=html), html=html)).published)[:10] == "2024-05-06"
