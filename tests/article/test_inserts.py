"""What is kept between kept paragraphs: quotes, code, definitions; and what is not: links to other articles."""

import time

import numpy as np
import pytest

import webmain
from webmain.article.inserts import adjusted
from webmain.html.document import Document
from webmain.items import Page

PROSE = "The harbour master counted the boats twice each morning, and wrote both numbers into the book."
URL = "https://a.example/news/boats"


def kept_of(inside: str, *, dropped: tuple[str, ...] = ()) -> list[str]:
    """Return the texts that are kept between two paragraphs of which everything was kept but texts that begin so."""
    html = f"<main><p>{PROSE}</p>{inside}<p>{PROSE} Again.</p></main>"
    document = Document(Page(url=URL, html=html), html=html)
    kept = np.array([not text.startswith(dropped) if dropped else True for text in document.leaves.texts])
    before = kept.copy()
    out = adjusted(document, kept)
    assert (kept == before).all()
    return [t for t, k in zip(document.leaves.texts, out.tolist(), strict=True) if k and not t.startswith(PROSE)]


@pytest.mark.parametrize(
    "teaser",
    [
        '<p><a href="/2">READ MORE: Fish stocks fall again</a></p>',
        '<p><b>READ MORE:</b> <a href="/2">Fish stocks fall again</a></p>',
        '<p>▶ Lesen Sie auch: <a href="/2">Fisch wird knapp</a></p>',
        '<p><a href="/2">อ่านเพิ่มเติม</a></p>',
        '<p>延伸閱讀：<a href="/2">漁業資源再次減少</a></p>',
        '<p>Читайте также: <a href="/2">Рыбы стало меньше</a></p>',
        '<p>(À lire aussi : <a href="/2">Moins de poisson</a>)</p>',
        '<p>यह भी पढ़ें: <a href="/2">मछलियाँ फिर घटीं</a></p>',
        '<p><a href="/2">আরও পড়ুন: মাছ আবার কমেছে</a></p>',
        '<p>إقرأ أيضاً: <a href="/2">الأسماك تتناقص من جديد</a></p>',
        '<p>یہ بھی پڑھیں: <a href="/2">مچھلیاں پھر کم ہو گئیں</a></p>',
        '<p>იხილეთ ასევე: <a href="/2">თევზი ისევ იკლებს</a></p>',
        '<p>អានបន្ត៖ <a href="/2">ត្រីថយចុះម្តងទៀត</a></p>',
        '<p>함께 보면 좋은 기사: <a href="/2">물고기가 또 줄었다</a></p>',
        '<p>Прочетете още: <a href="/2">Рибата отново намалява</a></p>',
        '<p>இதையும் படிக்க: <a href="/2">மீன்கள் மீண்டும் குறைந்தன</a></p>',
        '<div><a href="https://b.example/news/fish-stocks-fall-again">Fish stocks fall again</a></div>',
        '<ul><li>Read also: <a href="/2">Fish stocks fall again</a></li></ul>',
        '<h3>MIRA: <a href="/2">Hay menos peces</a></h3>',
        '<p>También puede leer: <a href="/2">Hay menos peces</a></p>',
        '<p>Confira também: <a href="/2">Há menos peixes</a></p>',
        '<p>Devamını oku: <a href="/2">Balıklar yine azaldı</a></p>',
        '<p>Pročitajte i: <a href="/2">Ribe je sve manje</a></p>',
        '<p>Tin liên quan: <a href="/2">Cá lại giảm</a></p>',
        '<p>▶ <a href="/2">물고기가 또 줄었다</a></p>',
        '<p>อ่านต้นฉบับ : <a href="/2">ปลาลดลงอีก</a></p>',
        '<p>شاهد: <a href="/2">الأسماك تتناقص من جديد</a></p>',
        '<p>ပိုမိုဖတ်ရှုရန် <a href="/2">ငါးများ ထပ်မံလျော့နည်း</a></p>',
        '<p>【写真】<a href="/2">魚がまた減った</a></p>',
        '<p>READ | <a href="/2">Fish stocks fall again</a></p>',
        '<p>Lesetipp: <a href="/2">Fisch wird knapp</a></p>',
        '<p>Читайте на эту тему: <a href="/2">Рыбы стало меньше</a></p>',
        '<p>こちらも：<a href="/2">魚がまた減る</a></p>',
        '<p><a href="https://chat.example/1">Follow our channel for the latest from the harbour</a></p>',
        '<p><a href="https://chat.example/1">Folgen Sie uns und verpassen Sie keine Nachricht</a></p>',
        '<p><a href="/letter">Suscríbete a nuestro boletín</a></p>',
        '<p><a href="/app">Téléchargez notre application</a></p>',
    ],
)
def test_a_line_that_leads_to_another_article_is_dropped(teaser):
    assert kept_of(teaser) == []


@pytest.mark.parametrize(
    "content",
    [
        "<p>Read more slowly, said the teacher, and the class began anew with the first of the lines.</p>",
        f'<p>Read more: {PROSE} <a href="/2">so</a></p>',
        '<p><a href="/files/report.pdf">The report of the commission</a></p>',
        '<p><a href="#fish-stocks-fall-again">Fish stocks fall again</a></p>',
        '<p>He wrote <a href="/news/fish-stocks-fall-again">Fish stocks fall again</a> in 1931.</p>',
        '<ul><li><a href="/fish-stocks-fall-again">Fish stocks fall again</a></li></ul>',
        '<h2><a href="/fish-stocks-fall-again">Fish stocks fall again</a></h2>',
        '<table><tr><td><a href="/fish-stocks-fall-again">Fish stocks fall again</a></td></tr></table>',
    ],
)
def test_links_that_are_content_stay(content):
    assert kept_of(content) != []


@pytest.mark.parametrize(
    ("inside", "n_left"),
    [
        ("<p>Related stories:</p>" + "<p><a href=/2>Fish stocks fall</a></p>" * 3, 0),
        ("<div>Новости по теме:</div><ul>" + "<li><a href=/2>Рыбы стало меньше</a></li>" * 2 + "</ul>", 0),
        ("<p>Related stories:</p><p>Fish stocks fall again, says the harbour.</p>", 2),
        ("<p>Related stories fill the book.</p><p><a href=/2>Fish stocks fall</a></p>" * 2, 4),
    ],
)
def test_links_below_a_cue_are_dropped_with_it(inside, n_left):
    assert len(kept_of(inside)) == n_left


def test_a_cue_at_the_end_is_dropped():
    assert all_kept(f"<main><p>{PROSE}</p><p>{PROSE}</p><p>ข่าวที่เกี่ยวข้อง</p></main>") == []


def test_teasers_in_a_row_without_a_cue_are_a_list_and_stay():
    links = "".join(f'<p><a href="/fish-stocks-fall-{i}">Fish stocks fall {i}</a></p>' for i in ("a", "b"))
    assert len(kept_of(links)) == 2


def test_a_term_stays_with_its_definitions():
    listed = "<dl><dt>Sluice</dt><dd>A gate of wood.</dd><dt>Weir</dt><dd>A wall.</dd><dd>A fence.</dd></dl>"
    assert kept_of(listed, dropped=("Sluice", "Weir")) == ["Sluice", "A gate of wood.", "Weir", "A wall.", "A fence."]
    assert kept_of(listed, dropped=("A ",)) == []
    assert kept_of(listed, dropped=("Sluice", "A gate")) == ["Weir", "A wall.", "A fence."]
    grouped = "<dl><div><dt>Sluice</dt><dd>A gate of wood.</dd></div></dl>"
    assert kept_of(grouped, dropped=("Sluice",)) == ["Sluice", "A gate of wood."]
    comments = '<dl id="comments"><dt>Anna said</dt><dd>A gate of wood.</dd></dl>'
    assert kept_of(comments, dropped=("Anna",)) == ["A gate of wood."]


def test_a_heading_that_labels_an_advertisement_is_not_added_between_paragraphs():
    assert kept_of("<div><h3>Advertisement</h3></div>", dropped=("Advert",)) == []
    assert kept_of("<div><h3>The tide</h3></div>", dropped=("The tide",)) == ["The tide"]


@pytest.mark.parametrize("tag", ["blockquote", "pre"])
def test_quotes_and_code_between_kept_siblings_stay(tag):
    inside = f"<{tag}>Water wins.</{tag}>"
    assert kept_of(inside, dropped=("Water",)) == ["Water wins."]
    assert kept_of(f"<aside>{inside}</aside>", dropped=("Water",)) == []
    assert kept_of(f'<{tag}><a href="/2">Water wins.</a></{tag}>', dropped=("Water",)) == []
    repeated = f"<{tag}>“The harbour master counted the boats”</{tag}>"
    assert kept_of(repeated, dropped=("“The",)) == []


FLOODS = (
    "<dl><dt>a<dd>b",
    "<blockquote>x",
    '<p><a href="/a">Read more',
    "<pre>x</pre><p>y",
    "<dl><div>",
    "<h3>x</h3><p>y",
    "<div><h3>x",
    "<div><p>Sign up<input type=email>",
    "<pre>Sign up                    <input type=email>",
)


@pytest.mark.parametrize("piece", FLOODS)
def test_floods_cost_linear_time(piece):
    html = f"<p>{PROSE}</p>" + piece * 4_000
    document = Document(Page(url=URL, html=html), html=html)
    kept = np.ones(len(document.leaves), dtype=np.bool_)
    kept[2::3] = False
    started = time.process_time()
    adjusted(document, kept)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ("<h3>In the book</h3>", ["In the book"]),
        ("</p><div><h2>In the book</h2></div><p>", ["In the book"]),
        ('<h3><a href="/b">In the book</a></h3>', []),
        ('<h3>In the book</h3><p><a href="/b">The book</a></p>', []),
        ("<h3>In the book</h3><p>Dropped as well</p>", []),
        ("<div><blockquote>In the book</blockquote></div>", ["In the book"]),
    ],
)
def test_headings_right_between_paragraphs_stay_in_boxes_of_their_own_too(inside, found):
    assert kept_of(inside, dropped=("In the", "The book", "Dropped")) == found


@pytest.mark.parametrize(
    "label",
    [
        "Advertisement",
        "- Anzeige -",
        "Реклама:",
        "ΔΙΑΦΗΜΙΣΗ",
        "廣告",
        "[Quảng cáo]",
        "<b>PUBLICIDAD</b>",
        "ప్రకటన",
        "Գովազդ",
        "<p>Article continues after ad</p>",
        "<p>La suite après cette publicité</p>",
        "<p>La información continúa debajo de la publicidad</p>",
        "<p>Материал продолжается после рекламы</p>",
        "<p>この記事は広告の後に続きます</p>",
        "<p>廣告 請繼續往下閱讀...</p>",
    ],
)
def test_a_label_of_an_advertisement_is_dropped(label):
    assert kept_of(f"<div>{label}</div>") == []


@pytest.mark.parametrize(
    "insert", ["<div>Advertisement</div>", '<p>Read more: <a href="/2">Fish stocks fall again</a></p>']
)
def test_what_is_dropped_between_paragraphs_is_dropped_in_a_cell_that_lays_out_the_page(insert):
    text = f"<p>{PROSE}</p>" * 4
    assert kept_of(f"<table><tr><td>{text}{insert}{text}</td></tr></table>") == []
    assert len(kept_of(f"<table><tr><td>{text}</td><td>{insert}</td></tr></table>")) > 0


@pytest.mark.parametrize(
    "content",
    [
        "<p>Advertisement pays for the harbour.</p>",
        "<ul><li>Fishing</li><li>Advertising</li></ul>",
        "<h2>Advertising</h2>",
        "<table><tr><td>Advertising</td><td>3</td></tr></table>",
        "<p>Paid by <b>Advertising</b></p>",
    ],
)
def test_words_about_advertisements_stay(content):
    assert "dvertis" in " ".join(kept_of(content))


FIELD = '<input type="email">'
TOPICS = "".join(f"<p>Topic {i} of the week.</p>" for i in range(40))


@pytest.mark.parametrize(
    "box",
    [
        f"<div><h4>Sign up for our briefing</h4><p>Stories.</p><form>{FIELD}<button>Go</button></form><p>Terms</p></div>",
        f"<form><p>Abonnieren Sie unseren Newsletter</p><p>Jeden Morgen um sieben.</p>{FIELD}</form>",
        f"<div><div><p>สมัครรับข่าวสาร</p></div><p>ทุกเช้าวันทำงาน</p><form>{FIELD}</form></div>",
        "<div><p>Newsletter</p><p>Every weekday at seven.</p><input name='EMAIL' type=TEXT></div>",
        f"<div class=story__newsletter><h4>The tide</h4><p>Every weekday at seven.</p>{FIELD}</div>",
        "<div><p>Newsletter</p><p>Every weekday at seven.</p><input placeholder='Your e-mail'></div>",
    ],
)
def test_a_box_to_sign_up_for_a_newsletter_is_dropped(box):
    assert kept_of(f"<p>{PROSE} More.</p>{box}<p>{PROSE} And more.</p>") == []


@pytest.mark.parametrize(
    ("inside", "n_kept"),
    [
        (f"<section><p>The tide was late.</p><p>Sign up</p><form>{FIELD}</form></section>", 2),
        ("<div><p>Newsletter</p><p>Every weekday.</p><input type=hidden name=email></div>", 2),
        ("<div><p>Newsletter</p><p>Every weekday.</p><input name=search></div>", 2),
        (f"<div><p>Newsletters</p>{TOPICS}<form>{FIELD}</form></div>", 41),  # long
        (f"<div><p>Subscribe</p><p>{'It may cost you. ' * 8}</p>{FIELD}</div>", 2),  # much of the text
    ],
)
def test_text_beside_a_field_for_an_address_stays(inside, n_kept):
    assert len(kept_of(inside)) == n_kept


@pytest.mark.parametrize(("n", "n_kept"), [(2, 0), (40, 40)])
def test_a_notice_for_browsers_without_scripts_is_dropped(n, n_kept):
    notice = "".join(f"<p>Switch on JavaScript, {i}.</p>" for i in range(n))
    assert len(kept_of(f"<noscript>{notice}</noscript>")) == n_kept


def test_a_chinese_line_that_leads_on_is_dropped():
    assert kept_of('<p>[<a href="/2">点击进入浏览</a>]</p>') == []


def all_kept(markup: str) -> list[str]:
    document = Document(Page(url=URL, html=markup), html=markup)
    out = adjusted(document, np.ones(len(document.leaves), dtype=np.bool_))
    return [t for t, k in zip(document.leaves.texts, out.tolist(), strict=True) if k and not t.startswith(PROSE)]


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("<p>By Jane Roe<br>4 November 2026</p>", []),
        ("<p>โดย มาลี แก้วใส</p>", []),
        ("<p>홍길동 기자 hong@news.example</p>", []),
        ("<p>〔記者王小明／台北報導〕</p>", []),
        ("<p>Иван Петров, корреспондент</p>", []),
        ("<p>（记者王小明）大桥今天重新开放。</p>", ["（记者王小明）大桥今天重新开放。"]),
        ("<p>Wednesday, 4 November 2026</p>", []),
        ("<div>Опубликовано: 4 ноября 2026, 10:20</div>", []),
        ("<p>Updated 14:12 GMT, 5 November 2026; first published 4 November 2026 11:12</p>", []),
        ("<table><tr><td><p>4. новембар 2026. године</p></table>", []),
        ("<p>令和八年十一月四日</p>", []),
        ("<p>วันพุธที่ 4 พฤศจิกายน พ.ศ. 2569 เวลา 10:20 น. | อ่าน 1,234 ครั้ง</p>", []),
        ("<p>2026년 11월 4일 수요일 오후 2시 30분</p>", []),
        ("<p>At 4 November 2026 the boats at sea come in.</p>", ["At 4 November 2026 the boats at sea come in."]),
        ("<p>原标题：快讯！大桥今天重新开放</p>", []),
        ("<p>原标题是编辑写的。</p>", ["原标题是编辑写的。"]),
        ("<p><a class=author>관리자</a> <span><b>조회수 220</b><i>2026.11.04 (08:37)</i></span></p>", []),
        (
            "<p>Published by <b>Jane Roe</b> at 7:30am, 4th November 2026. (Updated 7:35am on 5th November 2026)</p>",
            [],
        ),
        ("<p>By 4 November 2026 Jane Roe had counted.</p>", ["By 4 November 2026 Jane Roe had counted."]),
        ("<b>The boats</b><br>Added: 4 November 2026, Jane Roe<br><br>", ["The boats"]),
        ("<p>UPDATE of 4 November 2026:</p>", ["UPDATE of 4 November 2026:"]),
        ("<p>JANE ROE | HARBOUR TOWN | 4 de noviembre de 2026</p>", []),
        (f"<p><span class=news-date-time>04.11.2026 10:20</span>{PROSE}</p>", []),
        ("<p>To 4 November 2026 the boats stay in.</p>", ["To 4 November 2026 the boats stay in."]),
        ("<p>按照国家发布的方案，政策到2026年11月4日到期。</p>", ["按照国家发布的方案，政策到2026年11月4日到期。"]),
        ("<h2>4 November 2026</h2>", ["4 November 2026"]),
        ("<p>In 2026, 1,200 boats.</p>", ["In 2026, 1,200 boats."]),
        ("<p>By night the boats are counted again.</p>", ["By night the boats are counted again."]),
    ],
)
def test_bylines_above_the_text_go(label, found):
    assert all_kept(f"<main>{label}<p>{PROSE}</p><p>{PROSE}</p></main>") == found


@pytest.mark.parametrize(("line", "found"), [("Просмотров: 520", []), ("12 died", ["12 died"]), ("12", ["12"])])
def test_a_counter_at_the_end_goes(line, found):
    assert all_kept(f"<main><p>{PROSE}</p><div>{line}</div></main>") == found


def test_the_title_that_a_text_had_elsewhere_goes_at_its_end_too():
    assert all_kept(f"<main><p>{PROSE}</p><p>{PROSE}</p><p>本文原标题：《大桥今天重新开放》</p></main>") == []


def test_the_dates_of_a_chronicle_stay():
    chronicle = "".join(f"<p>{day} November 2026</p><p>{PROSE}</p>" for day in (4, 5))
    assert all_kept(f"<main>{chronicle}</main>") == ["4 November 2026", "5 November 2026"]


def test_a_byline_further_down_stays():
    assert all_kept(f"<main>{f'<p>{PROSE}</p>' * 3}<p>By Jane Roe</p><p>{PROSE}</p></main>") == ["By Jane Roe"]


@pytest.mark.parametrize(("dropped", "n"), [(("Home", "2"), 8), (("Home", "Away", "Saltby", "Marshton"), 4)])
def test_a_table_that_is_mostly_kept_is_kept_whole(dropped, n):
    rows = "<tr><th>Home<th>Away</tr><tr><td>Saltby Town<td>Marshton Rovers<tr><td>Oxley<td>Tarn<tr><td>2<td>3"
    assert len(kept_of(f"<table>{rows}</table>", dropped=dropped)) == n


LINE = "The boats at low tide"
PICTURE = '<div><img src="/boats.jpg"><div>{}</div></div>'


@pytest.mark.parametrize(
    "inside",
    [
        PICTURE.format(LINE),
        f"<figure><picture><img src=/b.jpg></picture><div><span>{LINE}</span></div></figure>",
        f'<div><a href="/b.jpg"><img src="/b.jpg"></a><div>{LINE}</div></div>' * 2,
    ],
)
def test_a_line_alone_with_a_picture_above_it_is_a_caption(inside):
    inside += f"<p>{PROSE}</p>" * 6
    assert kept_of(inside) == []


@pytest.mark.parametrize(
    "inside",
    [
        PICTURE.format(LINE) * 3,  # entries of a list
        PICTURE.format(f"{LINE}. {PROSE} {PROSE} {PROSE}"),
        f'<div><div>{LINE}</div><img src="/boats.jpg"></div>',
        f'<div><img src="/boats.jpg"><p>{LINE}</p></div>',
        f'<div><img src="/boats.jpg"><div>{LINE}</div><p>{PROSE}</p></div>',
        f"<div><div>{LINE}</div></div>",
    ],
)
def test_other_text_near_pictures_stays(inside):
    whole = "".join(kept_of(inside + "<p>Done.</p>" + "<p>So it went on.</p>" * 40))
    assert whole.startswith((LINE, PROSE))


def test_captions_that_are_asked_for_stay():
    html = f"<main><p>{PROSE}</p>{PICTURE.format(LINE)}{f'<p>{PROSE}</p>' * 6}</main>"
    found = [webmain.extract(html, keep=keep).text.count(LINE) for keep in ((), ("captions",))]
    assert found == [0, 1]


def entries(*headings):
    return "".join(f"<div class=entry><span>9 a.m.</span>{h}<p>{PROSE}</p></div>" for h in headings)


def test_a_heading_called_like_others_that_are_kept_stays():
    three = entries("<h3>Tide</h3>", "<h3>Ice</h3>", "<h3>Wind</h3>")
    assert kept_of(three, dropped=("9 a.m.", "Ice")) == ["Tide", "Ice", "Wind"]
    assert kept_of(three, dropped=("9 a.m.", "Ice", "Wind")) == ["Tide"]
    assert kept_of(entries("<h3>Tide</h3>", "<h3 class=x>Ice</h3>", "<h3>Wind</h3>"), dropped=("9 a.m.", "Ice")) == [
        "Tide",
        "Wind",
    ]
    linked = entries("<h3>Tide</h3>", "<h3><a href=/i>Ice</a></h3>", "<h3>Wind</h3>")
    assert kept_of(linked, dropped=("9 a.m.", "Ice")) == ["Tide", "Wind"]


@pytest.mark.parametrize(
    "only", ["<time>2014-11-23T16:00:00+04:00</time>", "<p>By Ellen Whitby</p>", "<p>ADVERTISEMENT</p>"]
)
def test_a_page_with_nothing_but_an_aside_keeps_it(only):
    document = Document(Page(html=only), html=only)
    kept = np.ones(len(document.leaves), dtype=np.bool_)
    assert adjusted(document, kept).all()


NOTE = "Each morning by seven, the harbour's news in your letter box, free of charge."


@pytest.mark.parametrize(
    ("box", "found"),
    [
        (f"<div><h3>The letter</h3><p>{NOTE}</p></div>", []),
        (f"<div><div><h3>The letter</h3></div><p>{NOTE}</p></div>", []),
        ("<div><h3>The letter</h3><p>Each morning</p></div>", ["The letter"]),
        (f"<div><h3>The letter</h3><p>{NOTE}</p><p>It came late.</p></div>", ["The letter", "It came late."]),
        (f"<h3>The letter</h3><p>{NOTE}</p>", ["The letter"]),
    ],
)
def test_the_heading_of_a_box_is_kept_only_with_something_of_the_box(box, found):
    assert kept_of(f"<p>{PROSE}</p>{box}<p>{PROSE}</p>", dropped=("Each morning",)) == found


def test_a_pull_quote_with_its_source_is_not_added():
    quote = "<figure><blockquote><p>wrote both numbers into the book</p><cite>Jane Roe</cite></blockquote></figure>"
    assert kept_of(f"<p>{PROSE}</p>{quote}<p>{PROSE}</p>", dropped=("wrote", "Jane Roe")) == []
    assert len(kept_of(quote.replace("both", "two"), dropped=("wrote", "Jane Roe"))) == 2
