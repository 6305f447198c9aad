"""Names out of bylines."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.html.document import Document
from webmain.items import Page
from webmain.metadata.names import MAX_NAME_WORDS, looks_like_name, names_in
from webmain.metadata.read import read_metadata


@pytest.mark.parametrize(
    ("raw", "language", "names"),
    [
        ("By Jane Roe", "en", ["Jane Roe"]),
        ("by: Jane Roe and John Doe", "en", ["Jane Roe", "John Doe"]),
        ("Jane Roe, John Doe & Max Moe", "en", ["Jane Roe", "John Doe", "Max Moe"]),
        ("Written by Jane Roe | The Desk", "en", ["Jane Roe", "The Desk"]),
        ("Posted by Jane Roe on May 3, 2024", "en", ["Jane Roe"]),
        ("Jane Roe, Senior Political Correspondent", "en", ["Jane Roe"]),
        ("Jane Roe (@janeroe), jane@roe.example", "en", ["Jane Roe"]),
        ("Jane Roe; JANE ROE; jane roe", "en", ["Jane Roe"]),
        ("Von Max Muster und Erika Muster", "de", ["Max Muster", "Erika Muster"]),
        ("Text: Max Muster", "de", ["Max Muster"]),
        ("Konstantin Furrer, Deutsche Presse-Agentur", "de", ["Konstantin Furrer", "Deutsche Presse-Agentur"]),
        ("Par Anne Martin et Luc Petit", "fr", ["Anne Martin", "Luc Petit"]),
        ("Soumis par Anne Martin", "fr", ["Anne Martin"]),
        ("Enviado por Ana García", "es", ["Ana García"]),
        ("Por Ana García y Luis Gómez", "es", ["Ana García", "Luis Gómez"]),
        ("José Ortega y Gasset", "en", ["José Ortega y Gasset"]),
        ("di Anna Rossi e Luca Verdi", "it", ["Anna Rossi", "Luca Verdi"]),
        ("Door Jan de Vries en Piet Bakker", "nl", ["Jan de Vries", "Piet Bakker"]),
        ("Jens Stoltenberg og Kari Nordmann", "no", ["Jens Stoltenberg", "Kari Nordmann"]),
        ("Автор: Иван Петров", "ru", ["Иван Петров"]),
        ("โดย สมชาย ใจดี", "th", ["สมชาย ใจดี"]),
        ("เรื่อง: สมชาย ใจดี", "th", ["สมชาย ใจดี"]),
        ("文/王小明", "zh", ["王小明"]),
        ("AFP", "fr", ["AFP"]),
        ("Martin Luther King Jr.", "en", ["Martin Luther King Jr."]),
        ("Dr. Jane Roe", "en", ["Jane Roe"]),
        ("Jane Roe and John Doe, Times Staff Writers", "en", ["Jane Roe", "John Doe"]),
        ("Jane Roe, Distinguished Scientist", "en", ["Jane Roe"]),
        ("Jane Roe, Special to The Times", "en", ["Jane Roe"]),
        ("Staff Writer", "en", []),
        ("โดย พิมพ์ชนก ทองแถม, ชลธี มารินทร์", "th", ["พิมพ์ชนก ทองแถม", "ชลธี มารินทร์"]),
        ("admin", "en", []),
        ("https://www.facebook.com/jane", "en", []),
        ("@jane", "en", []),
        ("2024", "en", []),
        ("By Jane Roe LONDON (Reuters) - The minister said so", "en", ["Jane Roe"]),
        ("LONDON (Reuters) -", "en", []),
        ("NEW YORK (AP)", "en", []),
        ("By JANE ROE (AP)", "en", ["JANE ROE"]),
        ("ByJane Roe", "en", ["Jane Roe"]),
        ("Byron Parker", "en", ["Byron Parker"]),
        ("May 3, 2024", "en", []),
        ("3. Mai 2024", "de", []),
        ("Jane Roe 3 min read", "en", ["Jane Roe"]),
        ("Reporting by Jane Roe; Editing by John Doe", "en", ["Jane Roe"]),
        ("Anna Roe, Bert Moe und Carl Poe", "de", ["Anna Roe", "Bert Moe", "Carl Poe"]),
        ("新华社记者 王小明", "zh", ["王小明"]),
        ("中村 真子 記者", "ja", ["中村 真子"]),
        ("記者：山田太郎", "ja", ["山田太郎"]),
        ("撰文", "zh", []),
        ("Contact Us", "en", []),
        ("", "en", []),
        ("This is a whole sentence about somebody who writes for us", "en", []),
        ("Jane Roe &amp;amp; John Doe", "en", ["Jane Roe", "John Doe"]),
        ("简•罗", "zh", ["简•罗"]),
        ("Jane Roe • John Doe", "en", ["Jane Roe", "John Doe"]),
        ("Jane Roe (with John Doe and Max Moe)", "en", ["Jane Roe", "John Doe", "Max Moe"]),
        ("Written by Jane Roe in Fishing on 3 May", "en", ["Jane Roe"]),
        ("Women in the Loop", "en", ["Women in the Loop"]),
        ("By Jane Roe Reviewed by Max Moe", "en", ["Jane Roe"]),
        ("Edited by Max Moe", "en", []),
        ("Von Hafenblatt-Gastautorin Erika Muster", "de", ["Erika Muster"]),
        ("von Erika Muster am 25. November 2026, 10:05 Uhr", "de", ["Erika Muster"]),
        ("Por Lucía Fernández el 25 de noviembre de 2026", "es", ["Lucía Fernández"]),
        ("av Ola Nordmann 25.11.2026", "no", ["Ola Nordmann"]),
        ("przez Anna Kowalska dnia 25-11-2026", "pl", ["Anna Kowalska"]),
        ("Muhabir: Ayşe Demir", "tr", ["Ayşe Demir"]),
    ],
)
def test_names_in(raw: str, language: str, names: list[str]) -> None:
    assert names_in(raw, language=language) == names


def test_names_of_many_words_are_refused_from_one_word_over_the_limit() -> None:
    assert names_in(" ".join(["Ab"] * MAX_NAME_WORDS))
    assert names_in(" ".join(["Ab"] * (MAX_NAME_WORDS + 1))) == []


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("Jane Roe", True), ("Ludwig van Beethoven", True), ("jane roe", False), ("Jane", False), ("read the story", False),
     ("Jane Roe 2", False), ("王小明", True), ("A B C D E F", False),
     ("Иван Петров", True), ("Новости по теме", False), ("ნინო გელაშვილი", True)],
)  # fmt: skip
def test_what_looks_like_a_name(name: str, is_one: bool) -> None:
    assert looks_like_name(name) is is_one


@given(st.text(max_size=200))
def test_nothing_raises_and_names_are_bounded(raw: str) -> None:
    for is_text in (True, False):
        assert all(0 < len(n) <= 80 for n in names_in(raw, is_text=is_text))


@pytest.mark.parametrize("piece", ["by ", "a and ", ",", "( ", "@a", "By: ", " - ", "x@"])
def test_long_strings_cost_little(piece: str) -> None:
    started = time.process_time()
    names_in(piece * 100_000)
    assert time.process_time() - started < 1


def _authors(body: str, *, head: str = "") -> tuple[str, ...]:
    story = "<p>" + "The bridge was closed for two years and is open again. " * 8 + "</p>"
    html = f"<html lang=en><head><title>The bridge is open</title>{head}</head><body><h1>The bridge is open</h1>{body}{story}"
    return read_metadata(Document(Page(url="https://dailynews.example/bridge", html=html), html=html)).authors


def _declared(name: str) -> str:
    site = '<meta property="og:site_name" content="Daily News">'
    data = f'{{"@type": "NewsArticle", "headline": "The bridge is open", "author": {{"@type": "Person", "name": "{name}"}}}}'
    return f'{site}<script type="application/ld+json">{data}</script>'


@pytest.mark.parametrize(
    ("name", "authors"),
    [
        ("Daily News and AFP", ("Daily News and AFP",)),
        ("Daily News Sport with AFP", ("Daily News Sport with AFP",)),
        ("Jane Roe and Daily News", ("Jane Roe",)),
        ("Jane Roe, Daily News Sport", ("Jane Roe",)),
        ("Daily News Sport", ("Daily News Sport",)),
    ],
)
def test_a_site_signs_with_agencies_and_not_beside_people(name: str, authors: tuple[str, ...]) -> None:
    assert _authors("", head=_declared(name)) == authors


@pytest.mark.parametrize(
    ("body", "authors"),
    [
        ("<p><span>Jane Roe |</span> <span>5 May 2024 - updated 6 May 2024</span></p>", ("Jane Roe",)),
        ("<p><span>Jane Roe</span> <span>5 May 2024</span></p>", ()),  # nothing divides them, and shown once only
        (
            "<div class=author>By <a href=/j>Jane Roe</a> in <a href=/b>Big Bridges</a> on 5 May 2024</div>",
            ("Jane Roe",),
        ),
        ("<div class=author><span>王小明</span> <span>2024-05-05 14:27</span></div>", ("王小明",)),
        ('<meta itemprop="author" value="Jane Roe">', ("Jane Roe",)),
        ("<small>5 May 2024 by Jane Roe</small>", ("Jane Roe",)),
        ("<small>5 May 2024 at 10:30 by admin</small>", ()),
        ("<p><time>5 May 2024</time> • <span class='p-author h-card'>Jane Roe</span></p>", ("Jane Roe",)),
    ],
)
def test_where_the_name_ends_that_stands_beside_something_else(body: str, authors: tuple[str, ...]) -> None:
    assert _authors(body) == authors


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("21.11.2026, Maria Keller", ("Maria Keller",)),
        ("Saturday, 21 November 2026 | Maria Keller", ("Maria Keller",)),
        ("Maria Keller - November 21, 2026, 10:30", ("Maria Keller",)),
        ("New York, 21 November 2026", ()),  # before a comma there may be a place
        ("Big Bridges | 21 November 2026", ()),  # a section of the menu
        ("21 November 2026 | Maria Keller | Ann Lee | Bridges", ()),
        ("21.11.26 | 520 views | By Maria Keller", ("Maria Keller",)),
        ("21 พ.ย. 69 • โดย มาลี แก้วใส", ("มาลี แก้วใส",)),
    ],
)
def test_a_date_and_a_name_in_one_line(line: str, authors: tuple[str, ...]) -> None:
    assert _authors(f"<a href=/b>Big Bridges</a><p>{line}</p>") == authors
