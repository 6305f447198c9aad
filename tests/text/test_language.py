import subprocess
import sys

import pytest

from webmain.text.normal import Language, detect


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
        "import sys; from webmain.text.normal import detect; detect('ข่าวด่วน'); sys.exit('py3langid' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
