import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.discovery.articles import THRESHOLDS, UrlKind, judge_url, slug_words

ARTICLES = """
https://www.daily.example/world/2024/may/17/storm-hits-the-southern-coast
https://www.daily.example/2024/05/17/world/europe/election-results.html
https://www.daily.example/news/articles/c2jd8n3d3q1o
https://www.daily.example/news/uk-politics-68993421
https://www.daily.example/news/live/world-europe-60506682
https://edition.daily.example/2024/05/17/politics/senate-vote/index.html
https://www.agentur.example/markets/europe/shares-fall-as-banks-slip-2024-05-17/
https://www.zeitung.example/politik/ausland/wahl-in-frankreich-was-man-wissen-muss-a-1d2f3c4b-1111-2222-3333-444455556666
https://www.zeitung.example/aktuell/wirtschaft/so-viel-kostet-die-neue-steuer-19725410.html
https://www.zeitung.example/politik/deutschland/article251234567/Der-Kanzler-im-Interview.html
https://www.blatt.example/artikel/der-lange-weg-zum-frieden-ld.1830123
https://www.blatt.example/story/3000000218734/nach-dem-sturm-kommt-die-flut
https://www.journal.example/politique/article/2024/05/17/les-deputes-votent-la-loi_6233912_823448.html
https://www.journal.example/monde/europe/20240517-les-deputes-votent-la-loi
https://elpais.example/internacional/2024-05-17/la-guerra-en-el-este.html
https://www.diario.example/noticias/mundo/el-presidente-viaja-hoy-a-roma-cbx12
https://www.giornale.example/cronaca/2024/05/17/news/incendio_nella_notte-422999123/
https://g1.folha.example/sp/sao-paulo/noticia/2024/05/17/chuva-forte-deixa-ruas-alagadas.ghtml
https://www.nrc.example/nieuws/2024/05/17/kabinet-presenteert-plannen-a4199123
https://www.avisen.example/nyheter/i/abc123/regjeringen-legger-frem-nytt-budsjett-i-dag
https://www.gazeta.example/7,114883,30975123,sejm-przyjal-ustawe.html
https://ria.example/20240517/vybory-1946712345.html
https://lenta.example/news/2024/05/17/sud_vynes_reshenie/
https://www.haber.example/gundem/son-dakika-istanbulda-deprem-oldu-haberi-12345678
https://news.example/view/AKR20240517012345001
https://www.chosun.example/politics/assembly/2024/05/17/ABCDEFGHIJ/
https://www.ilbo.example/news/articleView.html?idxno=123456
https://www.shimbun.example/articles/ASS5K2C3XS5KUTFK00TM.html
https://www.shimbun.example/national/news/20240517-OYT1T50123/
https://www.xinhua.example/world/2024-05/17/c_1130147123.htm
https://news.sina.example/c/2024-05-17/doc-inavqxyz1234567.shtml
https://news.163.example/24/0517/10/J2ABCDEF000189FH.html
https://www.khao.example/around-thailand/news_9662331
https://www.khao.example/news/detail/123456
https://www.thairath.example/news/politic/2786123
https://www.matichon.example/politics/%E0%B8%99%E0%B8%B2%E0%B8%A2%E0%B8%81%E0%B8%A3%E0%B8%B1%E0%B8%90%E0%B8%A1%E0%B8%99%E0%B8%95%E0%B8%A3%E0%B8%B5
https://www.khao.example/ข่าวการเมืองวันนี้ประชุมสภา
https://vnexpress.example/thu-tuong-lam-viec-voi-cac-tinh-mien-trung-4747123.html
https://www.kompas.example/read/2024/05/17/10300031/presiden-meresmikan-bendungan
https://www.jagran.example/national/general-supreme-court-verdict-today-23719123.html
https://www.aljazeera.example/news/2024/5/17/talks-resume-in-cairo
https://www.alarabiya.example/arab-and-world/2024/05/17/محادثات-جديدة-في-القاهرة
https://www.ynet.example/news/article/hkx11abcde
https://blog.example/the-case-for-slower-software-releases
https://blog.example/?p=1234
https://www.site.example/index.php?option=com_content&view=article&id=1234:some-title
https://news.example/item?id=40391234
https://www.freitag.example/autoren/ein-name/was-wir-aus-der-krise-lernen-koennen
https://www.daily.example/p/12
https://www.daily.example/news/p/123
https://www.edu.example/leadership/why-hasnt-tutoring-been-more-effective/2024/11
https://site.example/news/privacy-law-passes-the-senate-after-long-debate
"""

NOT_ARTICLES = """
https://www.daily.example/
https://www.daily.example
https://www.daily.example/index.html
https://www.daily.example/en/
https://www.daily.example/world
https://www.daily.example/news/
https://www.daily.example/sport/football
https://www.daily.example/tag/climate-change-and-the-north-sea/
https://www.daily.example/category/politics/page/2/
https://www.daily.example/category/news/local-news-from-the-north/
https://www.daily.example/author/anna-maria-von-der-berg/
https://www.daily.example/authors/jane-doe-12345
https://www.daily.example/autoren/ein-name
https://www.daily.example/profile/jane-doe
https://www.daily.example/topics/ukraine
https://www.daily.example/search?q=some+long+words+here
https://www.daily.example/?s=storm
https://www.daily.example/2024/05/17/
https://www.daily.example/2024/05
https://www.daily.example/archive/2024
https://www.daily.example/archiv/2024/05/page/3
https://www.daily.example/politics?page=3
https://www.daily.example/page/7
https://www.daily.example/thema/klima
https://www.daily.example/town/page/2/
https://www.daily.example/news/page/3/
https://www.daily.example/politics/city-council/page/12/
https://www.daily.example/local-news/page/120
https://www.daily.example/noticias/pagina-2.html
https://www.daily.example/nachrichten/seite-4
https://www.daily.example/2026/11/20/page/2/
https://www.daily.example/search?updated-max=2026-11-20T10:00:00-08:00&max-results=7
https://www.daily.example/?paged=2
https://www.daily.example/?p=2
https://www.daily.example/node?page=1
https://www.zeitung.example/politik/
https://www.zeitung.example/schlagzeilen
https://www.khao.example/tag/ข่าวการเมืองวันนี้ประชุมสภา
https://www.khao.example/category/politics
"""

IGNORED = """
https://www.daily.example/login
https://www.daily.example/account/settings/the-name-of-some-page
https://www.daily.example/privacy-policy
https://www.daily.example/datenschutz.html
https://www.daily.example/impressum
https://www.daily.example/contact/
https://www.daily.example/about-us
https://www.daily.example/newsletter
https://www.daily.example/jobs
https://www.daily.example/rss
https://www.daily.example/feed/
https://www.daily.example/2024/05/17/storm-hits-the-southern-coast/feed/
https://www.daily.example/rss.xml
https://www.daily.example/images/2024/05/17/storm-hits-the-southern-coast.jpg
https://www.daily.example/files/annual-report-of-the-board-2023.pdf
https://www.daily.example/podcast/episode-12-of-the-show.mp3
https://www.daily.example/wp-json/wp/v2/posts/12345
https://www.daily.example/wp-login.php
https://www.daily.example/shop/mug-with-the-logo-of-the-paper-12345
https://www.daily.example/cart
https://www.daily.example/2024/05/17/storm-hits-the-southern-coast/?replytocom=123
https://www.daily.example/2024/05/17/storm-hits-the-southern-coast/page/2
https://www.daily.example/cdn-cgi/l/email-protection
mailto:desk@daily.example
javascript:void(0)
ftp://daily.example/a
/2024/05/17/relative
http://[broken
"""


@pytest.mark.parametrize("url", ARTICLES.split())
def test_articles_are_told_by_their_address(url):
    judgement = judge_url(url)
    assert judgement.kind is UrlKind.ARTICLE, judgement
    assert judgement.score >= THRESHOLDS.article_url
    assert judgement.reason


@pytest.mark.parametrize("url", NOT_ARTICLES.split())
def test_lists_are_not_taken_for_articles(url):
    judgement = judge_url(url)
    assert judgement.kind is UrlKind.HUB, judgement
    assert judgement.score < THRESHOLDS.article_url
    assert judgement.reason


@pytest.mark.parametrize("url", IGNORED.split())
def test_files_forms_and_service_pages_are_ignored(url):
    judgement = judge_url(url)
    assert judgement.kind is UrlKind.IGNORE, judgement
    assert judgement.score == 0


@pytest.mark.parametrize(
    "url",
    [
        "https://www.daily.example/world-news",
        "https://www.daily.example/world/middle-east",
        "https://www.khao.example/ข่าว",
        "https://blog.example/blog/keyserver",
    ],
)
def test_what_the_address_does_not_tell_is_left_to_the_page(url):
    assert judge_url(url).kind is UrlKind.UNKNOWN


@pytest.mark.parametrize(
    ("segment", "n_words"),
    [
        ("storm-hits-the-coast", 4),
        ("storm_hits+the coast", 4),
        ("a-1234-b2b-xy", 1),
        ("", 0),
        ("ข่าวการเมือง", 4),
        ("中国新闻", 2),
        ("новости-дня", 2),
        ("wirtschaftspolitik", 2),
    ],
)
def test_words_of_a_slug_are_counted_in_every_script(segment, n_words):
    assert slug_words(segment) == n_words


def test_reasons_name_the_strongest_evidence_first():
    reason = judge_url("https://www.daily.example/2024/05/17/a-storm-hits-the-southern-coast-at-night").reason
    assert reason == "a slug of 7 words, a date"


@given(st.text(max_size=200))
def test_nothing_raises_and_scores_are_probabilities(text):
    for url in (text, "https://daily.example/" + text, "https://" + text):
        judgement = judge_url(url)
        assert 0 <= judgement.score <= 1


def test_long_addresses_cost_little():
    start = time.process_time()
    for filler in ("a-", "1", "/", "%E0", "page/", "2024/", "ก", "a=1&"):
        judge_url("https://daily.example/" + filler * 200_000)
        judge_url("https://daily.example/?" + filler * 200_000)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("number", [1, 36, 99, 100])
def test_an_address_that_says_nothing_either_way_is_left_to_its_page(number):
    assert judge_url(f"https://www.many.example/city/story-{number}").kind is UrlKind.UNKNOWN
