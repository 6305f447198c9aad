"""Old encodings that nothing declares, told by the page's language and by how it is spelt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.html.encoding import CharsetSource, decode
from webmain.html.legacy import declared_language, encoding_for, reads_as_thai

NEWS = {
    "th": "สภาเมืองมีมติเมื่อวันจันทร์ให้สร้างสะพานแห่งใหม่ข้ามแม่น้ำ คาดว่าจะแล้วเสร็จในสามปี นายกเทศมนตรีกล่าวกับผู้สื่อข่าว ชาวบ้านริมฝั่งรอมานาน",
    "zh": "市议会星期一决定在河上修建一座新桥。市长对记者说，预计三年之内完工，费用由省政府承担。",
    "zh-TW": "市議會星期一決定在河上修建一座新橋。市長對記者說，預計三年之內完工，費用由省政府承擔。",
    "ko": "시의회는 월요일 강 위에 새 다리를 건설하기로 결정했다. 시장은 기자들에게 삼 년 안에 완공될 것이라고 말했다.",
    "ja": "市議会は月曜日、川に新しい橋を建設することを決めた。市長は記者団に三年で完成する見込みだと語った。",
    "ru": "Городской совет в понедельник решил построить новый мост через реку, сообщил журналистам мэр города.",
    "pl": "Rada miasta postanowiła w poniedziałek zbudować nowy most nad rzeką, powiedział dziennikarzom burmistrz.",
    "vi": "Hô\u0323i đông thanh phô quyêt đi\u0323nh xây câu mơi qua sông, thi\u0323 trươ\u0309ng noi vơi cac nha bao.",
    "el": "Το δημοτικό συμβούλιο αποφάσισε τη Δευτέρα να χτίσει νέα γέφυρα στον ποταμό, είπε ο δήμαρχος.",
}
OLD = [
    ("th", "cp874"), ("zh", "gb18030"), ("zh-TW", "big5hkscs"), ("ko", "cp949"), ("ja", "cp932"), ("ja", "euc_jp"),
    ("ru", "cp1251"), ("ru", "koi8-r"), ("pl", "cp1250"), ("vi", "cp1258"), ("el", "cp1253"),
]  # fmt: skip


@pytest.mark.parametrize("n_chars", [24, 40, 80])
@pytest.mark.parametrize(("language", "encoding"), OLD)
def test_the_declared_language_tells_the_encoding_of_short_texts(language: str, encoding: str, n_chars: int) -> None:
    html = f'<html lang="{language}"><title>news</title><p>{NEWS[language][:n_chars]}</p></html>'
    decoded = decode(html.encode(encoding))
    assert (decoded.text, decoded.source) == (html, CharsetSource.LANGUAGE)


@pytest.mark.parametrize("start", range(0, 100, 7))
@pytest.mark.parametrize("n_chars", [30, 60, 300])
def test_thai_is_told_by_its_spelling_where_nothing_is_declared(start: int, n_chars: int) -> None:
    html = f"<p>{(NEWS['th'] * 4)[start : start + n_chars]}</p>"
    assert decode(html.encode("cp874")).text == html


@pytest.mark.parametrize(("language", "encoding"), OLD[1:])
@pytest.mark.parametrize("start", range(0, 30, 3))
def test_other_languages_do_not_read_as_thai(language: str, encoding: str, start: int) -> None:
    text = NEWS[language]
    assert not any(reads_as_thai(text[start : start + n].encode(encoding)) for n in (10, 20, 60))


@pytest.mark.parametrize(("language", "encoding"), OLD[1:])
def test_a_wrong_thai_declaration_does_not_make_thai(language: str, encoding: str) -> None:
    html = f'<html lang="th"><p>{NEWS[language] * 3}</p>'
    assert decode(html.encode(encoding)).charset != "cp874"


@pytest.mark.parametrize(
    ("head", "language"),
    [
        (b'<html class=x lang="th">', "th"),
        (b"<html xml:lang=zh_TW>", "zh-tw"),
        (b'<html><meta property="og:locale" content="th_TH">', "th-th"),
        (b'<META http-equiv="Content-Language" content="ko">', "ko"),
        (b"<html data-lang='th'><p>", ""),
        (b" " * 5_000 + b"<html lang=th>", ""),
        (b"", ""),
    ],
)
def test_declared_language_is_read_from_the_first_bytes(head: bytes, language: str) -> None:
    assert declared_language(head) == language


def test_undecodable_share_decides_at_one_percent() -> None:
    good = "ι".encode("cp1253")
    assert encoding_for("el", good * 99 + b"\xff") == "cp1253"
    assert encoding_for("el", good * 98 + b"\xff" * 2) is None


def test_unknown_languages_choose_nothing() -> None:
    assert encoding_for("xx", b"\xe9") is None
    assert encoding_for("", b"\xe9") is None
    assert encoding_for("th", b"ascii") is None


@given(st.binary(max_size=200), st.sampled_from(["th", "zh", "ru", "vi", "ar", "ja"]))
def test_any_bytes_are_answered(body: bytes, language: str) -> None:
    chosen = encoding_for(language, body)
    assert chosen is None or body.decode(chosen, "replace").count("\ufffd") <= 0.01 * len(body)
    assert reads_as_thai(body) in (True, False)
