"""The headline out of several candidates."""

import time

import pytest

import webmain
from webmain.html.document import Document
from webmain.items import Page
from webmain.metadata.read import read_metadata
from webmain.metadata.site_names import SiteNames, in_slug, is_root, slug_words
from webmain.metadata.titles import Candidate, choose, recurring, strip_site

LONG = "The old bridge over the river is open again"


@pytest.mark.parametrize(
    ("title", "names", "others", "expected"),
    [
        (f"{LONG} - dailynews.example", ["dailynews.example", "dailynews"], [], LONG),
        (f"{LONG} - Politics - Daily News", ["Daily News"], [LONG], LONG),
        (f"Daily News: {LONG}", ["Daily News"], [], f"Daily News: {LONG}"),
        (f"{LONG} - Politics", ["Daily News"], [], f"{LONG} - Politics"),
        (f"{LONG}：朝日新聞デジタル", ["朝日新聞"], [], LONG),
        ("Well-known self-made man", ["made"], [], "Well-known self-made man"),
    ],
)
def test_strip_site(title: str, names: list[str], others: list[str], expected: str) -> None:
    assert strip_site(title, names=SiteNames(names), others=others) == expected


def _choose(*pairs: tuple[str, str], names: tuple[str, ...] = ("Daily News",)) -> tuple[str, str] | None:
    chosen = choose([Candidate(*p) for p in pairs], names=SiteNames(names))
    return (chosen[0].source, chosen[0].text) if chosen else None


def test_json_ld_comes_first() -> None:
    assert _choose(("json-ld", "A headline of its own"), ("og:title", LONG), ("h1", LONG)) == (
        "json-ld",
        "A headline of its own",
    )


def test_the_site_name_is_no_headline_where_there_is_another() -> None:
    assert _choose(("json-ld", "Daily News"), ("h1", LONG)) == ("h1", LONG)
    assert _choose(("title", "Daily News")) == ("title", "Daily News")


def test_a_title_that_was_cut_is_replaced_by_the_whole_one() -> None:
    assert _choose(("json-ld", LONG[:30] + " ..."), ("h1", LONG)) == ("h1", LONG)
    assert _choose(("og:title", LONG[:30] + "…"), ("title", f"{LONG} | Daily News")) == ("title", LONG)


def test_most_places_agree_without_json_ld() -> None:
    assert _choose(("og:title", "For social media only"), ("h1", LONG), ("title", f"{LONG} | Daily News")) == (
        "h1",
        LONG,
    )


def test_a_label_is_no_headline() -> None:
    assert _choose(("og:title", LONG), ("h1", "News"), ("title", "News - Eawag")) == ("og:title", LONG)


def test_the_banner_of_the_site_is_no_headline() -> None:
    assert _choose(
        ("h1", "My Little Blog"), ("title", "Sheep in the rain | My Little Blog"), names=("My Little Blog",)
    ) == (
        "title",
        "Sheep in the rain",
    )


def test_a_kicker_that_others_leave_out_or_replace_is_cut() -> None:
    assert _choose(("json-ld", f"Traffic: {LONG}"), ("og:title", LONG)) == ("json-ld", LONG)
    assert _choose(("og:title", f"Traffic: {LONG}"), ("h1", f"Town news - {LONG}")) == ("h1", LONG)
    assert _choose(("og:title", f"Traffic: {LONG}"), ("h1", f"Traffic: {LONG}")) == ("og:title", f"Traffic: {LONG}")


def test_nothing_gives_nothing() -> None:
    assert _choose() is None
    assert _choose(("h1", ""), ("title", " | ")) is None


@pytest.mark.parametrize("piece", [" | ", " - ", "a - ", ": ", ". "])
def test_long_titles_cost_little(piece: str) -> None:
    started = time.process_time()
    _choose(("title", piece * 160), ("h1", piece * 120), ("og:title", piece * 150))
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        (f"Daily News: {LONG}", LONG),
        (f"Forbes.com: {LONG}", LONG),
        (f"Review: {LONG}", f"Review: {LONG}"),
        ("Daily News: Today", "Daily News: Today"),
        (f"Stories » {LONG}", LONG),
        (f"Town › Stories › {LONG}", LONG),
        (f"Gossip » {LONG}", f"Gossip » {LONG}"),
    ],
)
def test_a_site_or_section_before_the_title_is_cut(title: str, expected: str) -> None:
    chosen = choose([Candidate("title", title)], names=SiteNames(["Daily News"]), sections={"stories", "town"})
    assert chosen is not None
    assert chosen[0].text == expected


def test_a_marked_headline_replaces_a_title_of_other_words_only() -> None:
    assert _choose(("headline", LONG), ("title", "Breaking Stories Online")) == ("headline", LONG)
    assert _choose(("headline", "Bridge of steel"), ("title", LONG)) == ("title", LONG)


def _title(head: str, body: str) -> str | None:
    html = f"<html><head>{head}</head><body>{body}<p>{'Words of the story. ' * 20}</p></body></html>"
    return read_metadata(Document(Page(url="https://daily.example/a", html=html), html=html)).title


def test_the_headline_at_the_byline_is_the_title_where_the_page_is_named_after_the_site() -> None:
    site = "<title>Morning Paper Online Edition: Latest</title>"
    signed = f'<span class="headline">{LONG}</span><span class="byline">By Jane Roe</span>'
    assert _title(site, signed) == LONG
    teaser = f'<div class="related"><span class="headline">{LONG}</span><span class="byline">By Jane Roe</span></div>'
    assert _title(site, teaser) == "Morning Paper Online Edition: Latest"
    assert _title(site, f'<span class="headline">{LONG}</span>') == "Morning Paper Online Edition: Latest"


def test_the_heading_of_a_section_is_no_headline() -> None:
    head = f"<title>Fox.example - {LONG} - Entertainment News</title>"
    assert _title(head, f"<h1>Entertainment</h1><h1>{LONG}</h1>") == LONG
    assert _title(f"<title>{LONG}</title>", '<h1 id="logo"><a href="/">Morning Paper</a></h1>') == LONG


def test_the_first_heading_is_the_site_where_the_title_ends_in_it() -> None:
    blog = "The BLT: The Blog of Legal Times"
    assert _title(f"<title>The Morning Wrap - {blog}</title>", f"<h1>{blog}</h1><h3>The Morning Wrap</h3>") == (
        "The Morning Wrap"
    )
    named = f'<meta property="og:title" content="{LONG}"><title>Chronicle - {LONG}</title>'
    assert _title(named, f"<h1>{LONG}</h1>") == LONG


FISH = "Fish stocks fall again"
FISH_ZH = "渔业资源再次减少"


@pytest.mark.parametrize(
    ("url", "title", "body", "expected"),
    [
        ("http://a.example/1", f"The Herald | {FISH}", f"<h1>{FISH}</h1>", FISH),
        ("http://bbc.co.uk/1", f"BBC NEWS | Europe | {FISH}", f"<h1>{FISH}</h1>", FISH),
        ("http://www.nzz.ch/1", f"{FISH} - Neue Zürcher Zeitung", "", FISH),
        ("http://polit.ru/1", "Рыбы стало меньше - ПОЛИТ.РУ", "", "Рыбы стало меньше"),
        ("http://rizospastis.gr/1", "ΡΙΖΟΣΠΑΣΤΗΣ : Λιγότερα ψάρια", "", "Λιγότερα ψάρια"),
        ("http://a.example/1", f"{FISH} | The Herald - all the news", '<a href="/">The Herald</a>', FISH),
        (
            "http://a.example/1",
            "渔业资源再次减少_国内_先驱报",
            '<a href="/cn/">国内</a><a href="/">先驱报</a>',
            "渔业资源再次减少",
        ),
        ("http://a.example/1", "ปลาลดลงอีกครั้งในปีนี้ | ข่าวเช้า", '<a href="/"> ข่าวเช้า</a>', "ปลาลดลงอีกครั้งในปีนี้"),
        ("http://a.example/fish-stocks-fall-again", f"Inshore | {FISH}", "", FISH),
        ("http://a.example/1", "Live: Cod | Haddock", "<h1>Live: Cod | Haddock</h1>", "Live: Cod | Haddock"),
        ("http://a.example/1", f"{FISH} | The Herald", '<h1><a href="/">The Herald</a></h1>', FISH),
        ("http://a.example/1", f"The Herald | {FISH}", '<h1 class="logo">The Herald</h1>', FISH),
        ("http://a.example/1", "Sheep | My Little Blog", "<h1>My Little Blog</h1><h2>Sheep</h2>", "Sheep"),
        ("http://a.example/1", "Sheep | My Little Blog", "<h1>Sheep</h1><h2>My Little Blog</h2>", "Sheep"),
        ("http://a.example/1", f"Dans « {FISH} » et après", "", f"Dans « {FISH} » et après"),
    ],
)
def test_the_site_is_told_by_evidence_and_not_by_its_place(url, title, body, expected):
    html = f"<html><head><title>{title}</title></head><body>{body}<p>{'Words of the story. ' * 20}</p></body></html>"
    assert read_metadata(Document(Page(url=url, html=html), html=html)).title == expected


@pytest.mark.parametrize(
    ("site", "piece", "expected"),
    [
        ("bbc.co.uk", "BBC NEWS", True),
        ("nytimes.com", "The New York Times", True),
        ("nashbryansk.ru", "Наш Брянск.RU", True),
        ("bbc.co.uk", "The BBC and what it did to radio", False),
        ("a.example", "A long story", False),
        ("apple.com", "Fallen apples", False),
        ("", "Anything", False),
    ],
)
def test_a_domain_names_its_site(site, piece, expected):
    assert SiteNames((), site).holds(piece) is expected


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/", True), ("/index.html", True), ("https://www.a.example/", True), ("//a.example", True),
        ("https://a.example#top", False),
        ("/news/", False), ("", False), ("#", False), ("/?q=fish", False), ("index.html", False),
        ("https://b.example/", False),
        ("https://evila.example/", False), ("http://" + "a" * 10_000, False),
    ],
)  # fmt: skip
def test_which_links_lead_to_the_front_page(href, expected):
    assert is_root(href, "a.example") is expected


def test_words_of_an_address():
    assert slug_words("http://a.example/news/2024/fish-stocks-fall-again-1a2b3c.html?x=1") == {
        "fish",
        "stocks",
        "fall",
        "again",
    }
    assert in_slug(FISH, frozenset({"fish", "stocks"})) == 2
    assert in_slug(FISH, frozenset({"fish"})) == 0


def test_json_ld_is_outvoted_by_what_the_page_shows_and_the_address_says():
    def chosen(*pairs, url="http://a.example/1"):
        found = choose([Candidate(*p) for p in pairs], names=SiteNames(()), slug=slug_words(url))
        return found and found[0].text

    seo = "Cod and haddock: all about stocks this year"
    shown = [("json-ld", seo), ("og:title", FISH), ("h1", FISH)]
    assert chosen(*shown, ("title", seo)) == FISH
    assert chosen(*shown, ("title", FISH)) == seo
    assert chosen(("json-ld", seo), ("h1", FISH), url="http://a.example/fish-stocks-fall-again") == FISH
    assert chosen(("json-ld", "Story " * 60), ("og:title", FISH), ("h1", FISH)) == FISH


def test_a_title_cut_at_a_length_is_repaired_and_no_other():
    whole = f"{FISH} in all the waters that the ministers had agreed upon last winter, said the commission today"
    assert _choose(("json-ld", whole[:110]), ("h1", whole)) == ("h1", whole)
    assert _choose(("json-ld", whole[:68]), ("h1", whole)) == ("h1", whole)  # within a word
    assert _choose(("json-ld", whole[:59]), ("h1", whole)) == ("json-ld", whole[:59])


def test_what_recurs_on_a_site_is_no_part_of_its_titles():
    def page(n: int, headline: str) -> Page:
        prose = f"<p>{f'The words of story number {n} are told here once, and nowhere else. ' * 6}</p>"
        return Page(
            url=f"http://a.example/{n}", html=f"<title>Morning Tide - {headline}</title><main>{prose * 3}</main>"
        )

    headlines = [FISH, "Quota halved", "Two seals seen at the quay", "Ice on the river"]
    pages = [page(n, headline) for n, headline in enumerate(headlines)]
    assert [article.title for article in webmain.extract_site(pages)] == headlines
    assert webmain.extract(pages[0].html or "", url=pages[0].url).title == f"Morning Tide - {FISH}"
    assert recurring(p.html or "" for p in pages[:2]) == frozenset()
    assert recurring(["<title>" * 50_000, "<title " * 50_000, ""]) == frozenset()


@pytest.mark.parametrize(
    ("title", "shown", "expected"),
    [
        ("漁業資源再次減少 ｜即時新聞｜先驅電子報", "<div>漁業資源再次減少</div>", "漁業資源再次減少"),
        ("Рыбы снова стало меньше - Новости дня - Утро", "<h2>Рыбы снова стало меньше</h2>", "Рыбы снова стало меньше"),
        ("ข่าวเช้า - ประมง - ปลาลดลงอีกครั้งในปีนี้", "<div>ปลาลดลงอีกครั้งในปีนี้</div>", "ปลาลดลงอีกครั้งในปีนี้"),
        (f"{FISH} - Inshore Affairs", f"<h3>{FISH}</h3>", FISH),
        (f"{FISH} - Inshore Affairs and Fisheries", '<a href="/x">Inshore Affairs</a>', None),
        ("Entertainment - Cod and haddock seen again", "<div>Entertainment</div>", None),
    ],
)
def test_a_headline_shown_without_a_heading_frees_the_title_of_what_is_around_it(title, shown, expected):
    assert _title(f"<title>{title}</title>", shown) == (expected or title)


def test_a_heading_in_other_words_is_the_headline_where_the_title_is_written_for_search_engines():
    def chosen(h1: str, seo: str, url: str = "http://a.example/1") -> str | None:
        pairs = (Candidate("og:title", seo), Candidate("h1", h1), Candidate("title", seo))
        found = choose(pairs, names=SiteNames(()), slug=slug_words(url))
        return found and found[0].text

    seo = "Fish Stocks: Why They Fall Again & What To Do"
    assert chosen(FISH, seo) == FISH
    assert chosen("渔业资源再次减少 今年", "渔业资源再次减少：原因与对策") == "渔业资源再次减少 今年"
    assert chosen("What the sea gives us", seo) == seo  # rather a motto
    assert chosen(f"{FISH} (a.example) 12", FISH) == FISH
    assert chosen(f"Sponsored by Net & Sons {FISH}", FISH) == FISH
    assert chosen("What the sea gives us", seo, "http://a.example/what-the-sea-gives-us") == "What the sea gives us"
    assert chosen(FISH, seo, "http://a.example/why-fish-they-fall-what-to-do") == seo


def test_an_entry_named_by_its_address_is_not_called_by_its_description():
    pairs = [Candidate("json-ld", "kind of small harbour"), Candidate("h1", "Fish quay")]
    found = choose([*pairs, Candidate("title", "Fish quay")], names=SiteNames(()), slug=frozenset({"fish", "quay"}))
    assert found is not None
    assert found[0].text == "Fish quay"


def test_the_name_of_a_section_between_headline_and_site_is_no_headline():
    head = f"<title>{LONG} | News | Fox.example</title>"
    assert _title(head, f"<h1>News</h1><h2>{LONG}</h2>") == LONG


def test_the_site_is_known_by_its_domain_in_other_scripts():
    html = "<title>Рыбы снова стало меньше</title><h1>Рыба-Times</h1><p>" + "Слова этой истории. " * 20
    page = Page(url="http://ryba-times.ru/1", html=html)
    assert read_metadata(Document(page, html=html)).title == "Рыбы снова стало меньше"
    assert SiteNames((), "rizospastis.gr").is_name("ΡΙΖΟΣΠΑΣΤΗΣ")


def test_a_title_of_many_pieces_on_a_page_of_many_lines_costs_little():
    title = " - ".join(["cod"] * 80)
    html = f"<title>{title}</title>" + "".join(f"<div>{title[: 6 * (n % 80)]}</div>" for n in range(6_000))
    document = Document(Page(url="http://a.example/1", html=html), html=html)
    assert document.tree.title
    started = time.process_time()
    assert read_metadata(document).title
    assert time.process_time() - started < 2


def test_what_the_page_is_called_elsewhere_is_its_title_where_a_heading_repeats_it() -> None:
    head = f'<title>Fish fall again</title><meta property="og:title" content="{FISH}">'
    head += '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Fish fall again"}</script>'
    h1 = "<h1>Fish fall again</h1>"
    assert _title(head, h1) == "Fish fall again"
    assert _title(head, f"{h1}<h3><span>Sea</span> <span>{FISH}</span></h3>") == FISH
    assert _title(head, f"{h1}<p>{FISH}</p>") == "Fish fall again"


def test_json_ld_that_repeats_a_title_for_search_engines_is_reworded_by_the_heading() -> None:
    def chosen(h1: str, url: str) -> str | None:
        seo = "Fish Stocks: Why They Fall Again & What To Do"
        pairs = (Candidate("json-ld", seo), Candidate("og:title", seo), Candidate("h1", h1), Candidate("title", seo))
        found = choose(pairs, names=SiteNames(()), slug=slug_words(url))
        return found and found[0].text

    heading = "Why fish stocks fall again"
    assert chosen(heading, "http://a.example/fish-stocks") == heading
    assert chosen(heading, "http://a.example/1") != heading  # nothing confirms it
    assert chosen("What the sea gives us", "http://a.example/fish-stocks") != "What the sea gives us"


def test_a_heading_is_the_title_of_a_page_whose_title_element_is_the_sites_name():
    text, logo = "<a href='/'>The Daily Example</a>", "<a href='/'><img src=l.png alt='The Daily Example'></a>"
    story = "<h2>The bridge is open again</h2><p>It was closed for years.</p>"
    for name, top, expected in (
        ("The Daily Example", text, "The bridge is open again"),
        ("The Daily Example", logo, "The bridge is open again"),
        ("The river is high", text, "The river is high"),
    ):
        html = f"<html><head><title>{name}</title></head><body>{top}<h3>Menu</h3>{story}</body></html>"
        page = Page(url="https://daily.example/article.php?id=5", html=html)
        assert read_metadata(Document(page, html=html)).title == expected


def test_a_heading_in_the_address_is_the_title_where_the_title_element_names_the_template():
    html = "<title>News reader - St Anna</title><h1>Old bridge open again</h1><p>It was closed for years.</p>"
    for slug, expected in (("old-bridge-open-again", "Old bridge open again"), ("item-17", "News reader - St Anna")):
        page = Page(url=f"https://parish.example/reader/{slug}.html", html=html)
        assert read_metadata(Document(page, html=html)).title == expected


def test_a_blogs_name_in_the_only_h1_is_no_title_in_scripts_without_spaces():
    body = "<h1><a href=/umi/>海猫日記</a></h1><a href=/umi/1.html>橋は今朝再び開通し、住民は船に乗らずに川を渡れる</a>"
    html = f"<title>橋は今朝再び開通し、住民は船に乗らずに川を渡れる | 海猫日記</title>{body}<p>橋が開いた。</p>"
    page = Page(url="https://blog.example/umi/1.html", html=html)
    assert read_metadata(Document(page, html=html)).title == "橋は今朝再び開通し、住民は船に乗らずに川を渡れる"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Press release - Example", f"<p>Press release 7 of 5 May 2026</p><h2>{FISH}</h2>"),
        ("Harbour times and tides", f"<table><tr><td class=t>{FISH}<tr><td>2026-05-05 12:10 Source: Board</table>"),
        ("Harbour times and tides", f"<a href=/>Start</a><div>{FISH}</div><div>Posted on 5 May 2026, 12 views</div>"),
        (f"{FISH} again and again | Local News | Harbour Times", f"<h1>News</h1><h2>{FISH} again and again</h2>"),
    ],
)
def test_the_headline_of_a_page_whose_title_element_is_a_label_or_the_same_on_all_pages(title, body):
    text = (
        "<p>The fishermen of the coast said on Monday that they would stay in port until the boats were safe again.</p>"
    )
    html = f"<html><head><title>{title}</title></head><body>{body}{text * 4}</body></html>"
    page = Page(url="https://example.org/show.asp?id=5", html=html)
    assert (read_metadata(Document(page, html=html)).title or "").startswith(FISH)


def test_a_headline_that_links_to_its_own_page_confirms_the_title_element():
    body = (
        f"<table><tr><td><a href='/show.asp?id=5'>{FISH} again</a><tr><td>Written by Jane Roe<tr><td>5 May 2026</table>"
    )
    html = f"<html><head><title>{FISH} again</title></head><body>{body}<p>{'The boats stay in port. ' * 30}</p></body></html>"
    page = Page(url="https://example.org/show.asp?id=5", html=html)
    assert read_metadata(Document(page, html=html)).title == f"{FISH} again"


def test_a_date_in_the_heading_is_no_part_of_the_title() -> None:
    head, rest = f"<title>{LONG} - Town - Daily News</title>", "<br><span>2024-05-03 10:20 Source: Daily News</span>"
    assert _title(head, f"<h1>{LONG}{rest}</h1>") == LONG
    assert (
        _title("<title>Weather on 2024-05-03 - Daily News</title>", "<h1>Weather on <b>2024-05-03</b></h1>")
        == "Weather on 2024-05-03"
    )


def test_sections_behind_the_headline_are_cut_where_a_heading_shows_it_alone() -> None:
    board = f"<title>{LONG} > News | Daily News</title>"
    assert _title(board, f"<h1>{LONG} > News</h1><h2>{LONG}</h2>") == LONG
    assert _title(board, f"<h1>{LONG} > News</h1><h2>Another story</h2>") == f"{LONG} > News"
