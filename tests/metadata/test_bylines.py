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
        ("Jane Roe, Ph.D., and John Doe, MS, RD, FAND", "en", ["Jane Roe", "John Doe"]),
        ("Jane Roe, Max Moe, and John Doe", "en", ["Jane Roe", "Max Moe", "John Doe"]),
        ("A guest column by Jane Roe", "en", ["Jane Roe"]),
        ("Ein Gastbeitrag von Jane Roe und John Doe", "de", ["Jane Roe", "John Doe"]),
        ("Une chronique de Jeanne Roe", "fr", ["Jeanne Roe"]),
        ("Una columna de Juana Roe", "es", ["Juana Roe"]),
        ("Een column van Jan Jansen", "nl", ["Jan Jansen"]),
        ("Verfasst von", "de", []),
        ("Zeige alle Beiträge von Max Muster", "de", []),
        ("Eingestellt von der Max", "de", ["der Max"]),
        ("View all posts by Jane Roe", "en", []),
        ("Author(s): Jane Roe", "en", ["Jane Roe"]),
        ("Jane Roe, AFP", "en", ["Jane Roe", "AFP"]),
        ("Jane Roe, Sr. Director of Operations", "en", ["Jane Roe"]),
        ("Jane Roe on behalf of The Moving Team", "en", ["Jane Roe"]),
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
        ("Dr. Roe", "en", ["Dr. Roe"]),
        ("تقرير: أحمد علي", "ar", ["أحمد علي"]),
        ("گزارش از علی رضایی", "fa", ["علی رضایی"]),
        ("記事：中村真子", "ja", ["中村真子"]),
        ("【中村真子】", "ja", ["中村真子"]),
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
        ("记者 王小明 李华", "zh", ["王小明", "李华"]),
        ("新华社记者王小明、李华", "zh", ["王小明", "李华"]),
        ("本报讯（记者 王小明）", "zh", ["王小明"]),
        ("2024-05-03 10:30 来源：港口日报 作者：王小明", "zh", ["王小明"]),
        ("文｜王小明 编辑｜李华", "zh", ["王小明"]),
        ("〔記者王小明／台北報導〕", "zh", ["王小明"]),
        ("（中央社記者王小明台北3日電）", "zh", ["王小明"]),
        ("王小明／綜合報導", "zh", ["王小明"]),
        ("作者：王小明，李华", "zh", ["王小明", "李华"]),
        ("王小明 2024年5月3日", "zh", ["王小明"]),
        ("政治中心／綜合報導", "zh", []),
        ("王小明 发自 北京", "zh", ["王小明"]),
        ("文＝中村真子、写真＝山田太郎", "ja", ["中村真子"]),
        ("中村 真子（なかむら・まこ）", "ja", ["中村 真子"]),
        ("（中村真子）", "ja", ["中村真子"]),
        ("홍길동 기자, 김철수 기자", "ko", ["홍길동 기자", "김철수 기자"]),
        ("มาลี แก้วใส ผู้สื่อข่าวพิเศษ", "th", ["มาลี แก้วใส"]),
        ("ດອນ ພົມມະຈັນ ພາບ: ສຸກ", "lo", ["ດອນ ພົມມະຈັນ"]),
        ("ដោយ សុខ សុភា និង ចាន់ ដារា", "km", ["សុខ សុភា", "ចាន់ ដារា"]),
        ("রহিম উদ্দিন, নিজস্ব প্রতিবেদক, ঢাকা", "bn", ["রহিম উদ্দিন"]),
        ("প্রতিনিধি, সিলেট", "bn", []),
        ("محمد علی نامہ نگار", "ur", ["محمد علی"]),
        ("مترجم: علی رضایی", "fa", []),
        ("المصدر: رويترز", "ar", ["رويترز"]),
        ("Authored By: Jane Roe", "en", ["Jane Roe"]),
        ("โดย นายสมชาย ใจดี 3 พ.ค. 2567", "th", ["นายสมชาย ใจดี"]),
        ("राम सोनी 5 मार्च 2024", "hi", ["राम सोनी"]),
        ("राम कुमार, बीबीसी संवाददाता", "hi", ["राम कुमार"]),
        ("記者 王小明 報導", "zh", ["王小明"]),
        ("中村真子（ロンドン特派員）", "ja", ["中村真子"]),
        ("【ロンドン＝中村真子】", "ja", ["中村真子"]),
        ("文：中村真子　写真：山田太郎", "ja", ["中村真子"]),
        ("(서울=항구뉴스) 홍길동 기자 = ", "ko", ["홍길동 기자"]),
        ("홍길동·김철수 기자 hong@news.example", "ko", ["홍길동", "김철수 기자"]),
        ("สมชาย ใจดี : เรื่อง", "th", ["สมชาย ใจดี"]),
        ("ผู้เขียน: สมชาย ใจดี วันที่เผยแพร่: 3 พ.ค. 2567", "th", ["สมชาย ใจดี"]),
        ("राम शर्मा द्वारा लिखित", "hi", ["राम शर्मा"]),
        ("كتبت منى علي ومحمد حسن", "ar", ["منى علي", "محمد حسن"]),
        ("كتب أحمد وليد", "ar", ["أحمد وليد"]),
        ("מאת דוד כהן ושרה לוי", "he", ["דוד כהן", "שרה לוי"]),
        ("Γράφουν οι Μαρία Παππά και Γιάννης Παππάς", "el", ["Μαρία Παππά", "Γιάννης Παππάς"]),
        ("Հեղինակ՝ Արամ Պետրոսյան", "hy", ["Արամ Պետրոսյան"]),
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
     ("Jane (Doe) Roe", True), ("Lena deCasparis", True), ("Buy eBay", False),
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


def test_a_single_name_counts_if_it_leads_to_its_author() -> None:
    assert _authors('<p>by <a href="/author/amanda/">Amanda</a> · Dec 20, 2025</p>') == ("Amanda",)
    assert _authors('<p>by <a href="/books/">Amanda</a> · Dec 20, 2025</p>') == ()


def test_a_link_in_a_script_without_capitals_is_a_name_if_it_leads_to_an_author_and_is_next_to_a_date() -> None:
    link = '<p><a href="/author/7">အောင်မင်း</a> {}</p>'
    assert _authors(link.format("| ၂၀၂၄ မေ ၃")) == ("အောင်မင်း",)
    assert _authors(link.format("")) == ()


def test_a_reporters_other_articles_are_no_author() -> None:
    line = "<strong>홍길동 기자</strong> <a href=mailto:a@b.example>a@b.example</a> <a href=#>다른기사 보기</a>"
    assert _authors(f"<div class=writer>{line}</div>") == ("홍길동 기자",)


def test_the_reporter_comes_before_the_paper_and_its_portal() -> None:
    declared = '<meta property="og:article:author" content="강변일보 | 네이버">'
    assert _authors("<em class=media_end_head_journalist_name>홍길동 기자</em>", head=declared) == ("홍길동 기자",)
    assert _authors("", head=declared) == ("강변일보",)


def test_a_shown_name_comes_before_what_somebody_logs_in_with() -> None:
    declared = '<meta name="author" content="jane.roe">'
    assert _authors('<div class="author-info"><span>Jane Roe</span></div>', head=declared) == ("Jane Roe",)
    assert _authors("", head=declared) == ("jane.roe",)


def _declared(name: str, kind: str = "Person") -> str:
    site = '<meta property="og:site_name" content="Daily News">'
    data = f'{{"@type": "NewsArticle", "headline": "The bridge is open", "author": {{"@type": "{kind}", "name": "{name}"}}}}'
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
    ("body", "kind", "authors"),
    [
        ("<p>Written by</p><p>Jane Roe</p>", "Organization", ("Jane Roe",)),
        ("<div class=author-name>Jane Roe</div>", "Organization", ("Jane Roe",)),
        ("<p>By Daily News</p><div class=author-name>Jane Roe</div>", "Organization", ("Daily News",)),
        ("<div class=author-name>Jane Roe</div>", "Person", ("Jane Roe",)),
        ("<p>In This Article</p>", "Organization", ("Daily News",)),
    ],
)
def test_a_person_whom_the_page_names_comes_before_the_site_as_declared_author(
    body: str, kind: str, authors: tuple[str, ...]
) -> None:
    assert _authors(body, head=_declared("Daily News", kind)) == authors


@pytest.mark.parametrize(
    ("body", "authors"),
    [
        ("<p class=byline>Written by Dr Jane Roe, John Doe</p>", ("Dr Jane Roe", "John Doe")),
        ("<p class=byline>By Jane Roe Fact-checked by John Doe</p>", ("Jane Roe",)),
        ("<p class=byline>Written by Max Moe, John Doe</p>", ("Jane Roe",)),
    ],
)
def test_the_byline_names_coauthors_whom_the_page_does_not_declare(body: str, authors: tuple[str, ...]) -> None:
    assert _authors(f"{body}<p>Jane Roe is free.</p>", head=_declared("Jane Roe")) == authors


@pytest.mark.parametrize(
    ("about", "authors"),
    [
        ("Jana Roth ist freie Autorin.", ("Jana Roth",)),
        ("Jana Maria Roth - Ingenieurin", ("Jana Maria Roth",)),
        ("Jana is a reporter.", ("Jana",)),
        ("Jana Roth", ("Jana",)),
        ("Janas Roth ist hier", ("Jana",)),
    ],
)
def test_a_first_name_gets_the_family_name_of_the_persons_description(about: str, authors: tuple[str, ...]) -> None:
    head = _declared("Jana").replace('"name"', f'"description": "{about}", "name"')
    assert _authors("<p>Jana Maria Roth</p>", head=head) == authors


def test_a_single_word_is_a_name_if_no_byline_has_a_better_one() -> None:
    section = "<p class=author-posts>Stories</p>"
    assert _authors(section) == ("Stories",)
    assert _authors(f"{section}<p class=byline>By Jane Roe</p>") == ("Jane Roe",)
    assert _authors("<p class=author>Thilo</p><p class=author-name>By Thilo, No Comments</p>") == ("Thilo",)


def test_who_starts_a_forums_thread_is_its_author() -> None:
    posts = "<a class=username>ann_7</a><p>Is it open?</p><a class=username>bob</a><p>It is.</p>"
    assert _authors(posts) == ("ann_7",)
    assert _authors(f"<div class=comments>{posts}</div>") == ()
    assert _authors(f"{posts}<p>Written by Jane Roe</p>") == ("Jane Roe",)


@pytest.mark.parametrize(
    ("body", "authors"),
    [
        ("<p><span>Jane Roe |</span> <span>5 May 2024 - updated 6 May 2024</span></p>", ("Jane Roe",)),
        ("<p><span>Jane Roe</span> <span>5 May 2024</span></p>", ()),  # nothing divides them, and shown once only
        (
            "<div class=author>By <a href=/j>Jane Roe</a> in <a href=/b>Big Bridges</a> on 5 May 2024</div>",
            ("Jane Roe",),
        ),
        ("<div class=author><span>דנה לוי</span><span>פורסם: 5.5.24, 10:20</span></div>", ("דנה לוי",)),
        ("<div class=submitted><span>5 មេសា 2024</span> <span>សុខ ដារា</span></div>", ("សុខ ដារា",)),
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
    ("line", "author"),
    [
        ("홍길동 기자", "홍길동 기자"),
        ("ภาพและเรื่อง : มาลี แก้วใส", "มาลี แก้วใส"),
        ("Textos: Ana Sol", "Ana Sol"),
        ("입력 2024.05.03 10:30 | 홍길동 기자", "홍길동 기자"),
        ("작성자 : 홍길동", "홍길동"),
        ("기자명 홍길동", "홍길동"),
        ("홍길동 의학전문기자", "홍길동 의학전문기자"),
        ("글 홍길동 사진 김철수", "홍길동"),
        ("ผู้สื่อข่าว มาลี แก้วใส", "มาลี แก้วใส"),
        ("มาลี แก้วใส / รายงาน", "มาลี แก้วใส"),
        ("โพสต์โดย มาลี แก้วใส เมื่อวันที่ 3 พ.ค. 2567", "มาลี แก้วใส"),
        ("編集委員 中村真子", "中村真子"),
        ("國際中心王小明／綜合報導", "王小明"),
        ("ዘገባ፡ አበበ ከበደ", "አበበ ከበደ"),
        ("ΤΟΥ ΝΙΚΟΥ ΠΑΠΠΑ", "ΝΙΚΟΥ ΠΑΠΠΑ"),
        ("新华社北京5月3日电（记者王小明）" + "大桥今天上午重新开放，居民不用再乘船过河。" * 6, "王小明"),
        ("【ロンドン＝中村真子】" + "橋は今朝再び開通し、住民は船に乗らずに川を渡れる。" * 6, "中村真子"),
        ("執筆者：中村真子", "中村真子"),
        ("द्वारा राम शर्मा", "राम शर्मा"),
        ("লেখা: রহিম উদ্দিন", "রহিম উদ্দিন"),
        ("கட்டுரையாளர்: ராமன் குமார்", "ராமன் குமார்"),
        ("రచయిత: రవి కుమార్", "రవి కుమార్"),
        ("എഴുതിയത്: രവി നായർ", "രവി നായർ"),
        ("ಲೇಖಕರು: ರವಿ ಗೌಡ", "ರವಿ ಗೌಡ"),
        ("લેખક: રવિ પટેલ", "રવિ પટેલ"),
        ("ලියන්නේ: නිමල් පෙරේරා", "නිමල් පෙරේරා"),
        ("كتب- أحمد علي", "أحمد علي"),
        ("إعداد: أحمد علي", "أحمد علي"),
        ("تحریر: احمد خان", "احمد خان"),
        ("לפי העורך", ""),
        ("נכתב על ידי דוד כהן", "דוד כהן"),
        ("Γράφει η Μαρία Παππά", "Μαρία Παππά"),
        ("Της Μαρίας Παππά", "Μαρίας Παππά"),
        ("Της νύχτας τα καμώματα", ""),
        ("Автор Иван Петров", "Иван Петров"),
        ("Подготовила Анна Петрова", "Анна Петрова"),
        ("Авторка: Олена Петренко", "Олена Петренко"),
        ("От Иван Петров", "Иван Петров"),
        ("От два дни мостът е отворен", ""),
        ("Пише Петар Петровић", "Петар Петровић"),
        ("Аўтар: Янка Купрэвіч", "Янка Купрэвіч"),
        ("អ្នកនិពន្ធ៖ សុខ ដារា", "សុខ ដារា"),
        ("记者手记", ""),
        ("记者：春运初始，南方出现雨雪天气，降雨、降雪主要在哪些地区？", ""),
        ("即時新聞／綜合報導", ""),
        ("사진=홍길동 기자", ""),
        ("记者 王小明 摄", ""),
    ],
)
def test_how_newspapers_in_other_scripts_sign(line: str, author: str) -> None:
    assert _authors(f"<p>{line}</p>") == ((author,) if author else ())


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
        ("21.11.26 von Maria Keller", ("Maria Keller",)),
        ("二〇二六年十一月二十一日 　作者：王晓梅　浏览次数：", ("王晓梅",)),
    ],
)
def test_a_date_and_a_name_in_one_line(line: str, authors: tuple[str, ...]) -> None:
    assert _authors(f"<a href=/b>Big Bridges</a><p>{line}</p>") == authors
