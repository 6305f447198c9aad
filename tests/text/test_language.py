import subprocess
import sys

import pytest

from webmain.text.language import LONG, Language, detect


@pytest.mark.parametrize("text", ["", "   ", "123 456,7", "😀 !?", "๑๒๓"])
def test_a_text_without_letters_has_no_language(text):
    assert detect(text) == Language(language="zxx", score=1.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("นายกรัฐมนตรีเดินทางไป", "th"),
        ("นายกรัฐมนตรีเดินทางไปกับ BBC News", "th"),
        ("မြန်မာသတင်း", "my"),
        ("Ελληνικά νέα", "el"),
        ("한국어 뉴스 2026", "ko"),
        ("東京都は今日、新しい条例を発表した", "ja"),
        ("中华人民共和国国务院总理今天在北京宣布了新的政策措施", "zh"),
        ("தமிழ் செய்திகள்", "ta"),
    ],
)
def test_the_script_alone_settles_some_languages(text, expected):
    assert detect(text) == Language(language=expected, score=1.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The government said on Monday that it would raise taxes on the largest companies next year.", "en"),
        ("Die Regierung erklärte am Montag, dass sie die Steuern für große Unternehmen erhöhen werde.", "de"),
        ("Le gouvernement a déclaré lundi qu'il augmenterait les impôts des grandes entreprises.", "fr"),
        ("Правительство заявило в понедельник, что повысит налоги для крупных компаний в этом году.", "ru"),
        ("الحكومة تعلن يوم الاثنين زيادة الضرائب على الشركات الكبرى في البلاد", "ar"),
        ("הממשלה הודיעה ביום שני כי תעלה את המסים על החברות הגדולות", "he"),
    ],
)
def test_the_model_tells_the_others(text, expected):
    found = detect(text)
    assert found.language == expected
    assert 0.5 <= found.score <= 1.0


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("大阪高裁部総括判事（福岡高裁部総括判事）辻川靖夫▽依願退官 大阪高裁部総括判事和田真", "ja", "ja"),
        ("大阪高裁部総括判事（福岡高裁部総括判事）辻川靖夫▽依願退官 大阪高裁部総括判事和田真", None, "zh"),
        ("这座大桥今天上午重新开放，居民不用再乘船过河，市长出席了典礼", "ja", "zh"),
        ("政府公布新措施", "zh-TW", "zh"),
        ("政府公布新措施", "en", "und"),
        ("港の図書館が開館、新措施公布", "zh", "ja"),
    ],
)
def test_the_page_tells_japanese_from_chinese_where_the_letters_do_not(text, declared, language):
    assert detect(text, declared=declared).language == language


def test_sorani_has_its_own_code():
    assert detect("نرخی نەوت لە بازاڕەکانی جیهان دابەزی و حکومەتی هەرێم ئامادەیە").language == "ckb"


def test_a_few_odd_letters_are_undetermined():
    found = detect("xq zzk")
    assert found.language == "und"
    assert found.score < 0.5


def test_only_the_beginning_counts():
    assert detect("ก" * 1_000 + " plain English text" * 1_000).language == "th"


def test_lone_surrogates_do_no_harm():
    assert detect("\ud800 The government said on Monday that it would raise taxes on companies.").language == "en"


def test_thai_loads_no_model():
    script = (
        "import sys; from webmain.text.language import detect; detect('ข่าวด่วน'); sys.exit('py3langid' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


PRESS = {
    "en": (
        "The government said on Monday that it would raise taxes on the largest companies next year, in order"
        " to pay for new schools and hospitals. Ministers told reporters that the plan had been agreed after "
        "weeks of talks, and that most people would not have to pay more. The opposition criticised the "
        "decision and asked why nothing had been done about the rising cost of housing, which many families "
        "with children can no longer afford. Parliament is expected to vote on the proposal before the end of"
        " the month, and a long debate is likely."
    ),
    "de": (
        "Die Regierung erklärte am Montag, dass sie die Steuern für große Unternehmen im nächsten Jahr "
        "erhöhen werde, um neue Schulen und Krankenhäuser zu bezahlen. Der Minister sagte vor Journalisten, "
        "man habe sich nach wochenlangen Gesprächen auf den Plan geeinigt, und die meisten Bürger müssten "
        "nicht mehr bezahlen als bisher. Die Opposition kritisierte die Entscheidung und fragte, warum gegen "
        "die steigenden Mieten nichts getan worden sei, die sich viele Familien mit Kindern nicht mehr "
        "leisten können. Der Bundestag soll noch vor Ende des Monats abstimmen."
    ),
}


@pytest.mark.parametrize("language", PRESS)
def test_a_long_text_in_a_language_of_much_news_is_told_at_a_first_look(language):
    assert detect(PRESS[language]) == Language(language=language, score=1.0)


def test_what_the_fast_model_does_not_know_is_left_to_the_other():
    malay = (
        "Perdana Menteri berkata kerajaan akan memastikan bantuan disalurkan kepada semua mangsa banjir di "
        "Kelantan dalam tempoh seminggu. Beliau memberitahu pemberita bahawa jumlah mangsa di pusat "
        "pemindahan sementara meningkat petang semalam. Menurutnya, pihak berkuasa negeri telah diarahkan "
        "supaya menambah bot dan kenderaan bagi membantu penduduk yang masih terperangkap di kawasan "
        "pedalaman, dan sekolah di daerah itu akan ditutup sehingga air surut sepenuhnya di semua kawasan "
        "yang terlibat."
    )
    assert len(malay) > LONG
    found = detect(malay)
    assert found.language == "ms"
    assert found.score < 1


def test_a_long_english_text_loads_no_large_model():
    script = (
        f"import sys; from webmain.text.language import detect; detect({PRESS['en']!r});"
        "sys.exit('py3langid' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_large_model_that_cannot_be_unpacked_is_told_once_and_the_fast_one_decides():
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000,) * 2)\n"
            "from webmain.text.language import detect\n"
            "print([detect('The harbour was closed on Monday after the storm. ' + n).language for n in 'ab'])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "['en', 'en']\n"
    assert told.stderr.count("cannot be unpacked") == told.stderr.count("\n") == 1
