import codecs
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.html.encoding import (
    CharsetSource,
    declared_language,
    decode,
    encoding_for,
    reads_as_thai,
    scrub,
)
from webmain.html.sniffing import BodyKind, sniff

# One paragraph of made-up news in each language, with the encoding that its old pages use.
NEWS = {
    "th": "สภาเมืองมีมติเมื่อวันจันทร์ให้สร้างสะพานแห่งใหม่ข้ามแม่น้ำ “คาดว่าจะแล้วเสร็จในสามปี” นายกเทศมนตรีกล่าวกับผู้สื่อข่าว",
    "ru": "Городской совет в понедельник решил построить новый мост через реку, сообщил журналистам мэр города.",
    "el": "Το δημοτικό συμβούλιο αποφάσισε τη Δευτέρα να χτίσει «νέα γέφυρα» στον ποταμό, είπε ο δήμαρχος Άρης.",
    "tr": "Belediye meclisi pazartesi günü nehrin üzerine yeni bir köprü yapılmasına karar verdi, dedi şehrin başkanı.",
    "ar": "قرر مجلس المدينة يوم الاثنين بناء جسر جديد فوق النهر، بحسب ما قال رئيس البلدية للصحفيين بعد الجلسة.",
    "pl": "Rada miasta postanowiła w poniedziałek zbudować nowy most nad rzeką, powiedział dziennikarzom burmistrz Łodzi.",
    "ja": "市議会は月曜日、川に新しい橋を建設することを決めた。市長は記者団に三年で完成する見込みだと語った。",
    "zh": "市议会星期一决定在河上修建一座新桥。市长对记者说，预计三年之内完工，费用由省政府承担。",
    "zh-TW": "市議會星期一決定在河上修建一座新橋。市長對記者說，預計三年之內完工，費用由省政府承擔。",
    "ko": "시의회는 월요일 강 위에 새 다리를 건설하기로 결정했다. 시장은 기자들에게 삼 년 안에 완공될 것이라고 말했다.",
    "cs": "Městská rada v pondělí rozhodla, že přes řeku postaví nový most, řekl novinářům šťastný primátor města Žatec.",
    "vi": "Hô\u0323i đông thanh phô quyêt đi\u0323nh xây câu mơi qua sông, thi\u0323 trươ\u0309ng noi vơi cac nha bao.",
}
TEXTS = [
    ("th", "cp874"),
    ("ru", "cp1251"),
    ("ru", "koi8-r"),
    ("el", "cp1253"),
    ("tr", "cp1254"),
    ("ar", "cp1256"),
    ("pl", "iso8859-2"),
    ("ja", "cp932"),
    ("ja", "euc_jp"),
    ("zh", "gb18030"),
    ("zh-TW", "big5hkscs"),
    ("ko", "cp949"),
]
LABELS = {"cp874": "tis-620", "cp932": "Shift_JIS", "gb18030": "gb2312", "big5hkscs": "big5", "cp949": "euc-kr"}
LIES = ("header", "meta", "nothing", "header utf-8", "header latin-1", "meta utf-8", "both lie, meta latin-1")


def markup(text: str, charset: str | None) -> str:
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">' if charset else ""
    paragraphs = "".join(f"<p>{text}</p>\n" for _ in range(6))
    return f"<!DOCTYPE html>\n<html><head>{meta}<title>{text[:40]}</title></head><body>\n{paragraphs}</body></html>\n"


def disguise(text: str, encoding: str, lie: str) -> tuple[bytes, dict[str, str], str]:
    label = LABELS.get(encoding, encoding)
    in_header = {"header": label, "header utf-8": "utf-8", "header latin-1": "iso-8859-1"}.get(lie)
    in_meta = {"meta": label, "header utf-8": label, "header latin-1": label, "meta utf-8": "utf-8"}.get(lie)
    if lie == "both lie, meta latin-1":
        in_header, in_meta = "utf-8", "iso-8859-1"
    html = markup(text, in_meta)
    headers = {"content-type": "text/html" + (f"; charset={in_header}" if in_header else "")}
    return html.encode(encoding), headers, html


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize(("language", "encoding"), TEXTS)
def test_no_lie_hides_the_encoding(language: str, encoding: str, lie: str) -> None:
    body, headers, html = disguise(NEWS[language], encoding, lie)
    assert decode(body, headers=headers).text == html


@pytest.mark.parametrize("charset", ["tis-620", None])
def test_valid_utf8_beats_every_declaration(charset: str | None) -> None:
    html = markup(NEWS["th"], charset)
    decoded = decode(html.encode(), headers={"Content-Type": f"text/html; charset={charset}"})
    assert (decoded.text, decoded.charset, decoded.source) == (html, "utf-8", CharsetSource.UTF8)


@pytest.mark.parametrize(
    "language", ["Überraschung in München: Bürger für größere Brücke", "Éléphants : l’été à Orléans – déjà €5"]
)
def test_windows_1252_without_a_word_is_found(language: str) -> None:
    html = markup(language, None)
    assert decode(html.encode("cp1252")).text == html


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("marked", [True, False])
def test_wide_encodings_are_read_with_and_without_mark(encoding: str, marked: bool) -> None:
    html = markup(NEWS["th"], "utf-8")
    decoded = decode(
        (("\ufeff" if marked else "") + html).encode(encoding), headers={"content-type": "text/html; charset=utf-8"}
    )
    assert decoded.text == html
    assert decoded.charset == encoding
    assert decoded.source is (CharsetSource.BOM if marked else CharsetSource.NULS)


def test_utf8_mark_is_taken_off() -> None:
    decoded = decode(codecs.BOM_UTF8 + "é".encode())
    assert (decoded.text, decoded.source) == ("é", CharsetSource.BOM)


def test_utf8_mark_before_other_bytes_decides_nothing() -> None:
    html = markup(NEWS["ru"], "windows-1251")
    assert decode(codecs.BOM_UTF8 + html.encode("cp1251")).charset == "cp1251"


@pytest.mark.parametrize(("n_good", "source"), [(49, CharsetSource.META), (50, CharsetSource.UTF8_REPAIRED)])
def test_utf8_is_repaired_below_two_percent_of_broken_bytes(n_good: int, source: CharsetSource) -> None:
    body = b'<meta charset="windows-1251"><p>' + "я".encode() * n_good + b"\xff</p>"
    assert decode(body).source is source


@pytest.mark.parametrize(("n_good", "source"), [(2, CharsetSource.FALLBACK), (3, CharsetSource.UTF8_REPAIRED)])
def test_utf8_with_fewer_than_a_third_of_broken_bytes_stays_utf8(n_good: int, source: CharsetSource) -> None:
    body = b"<meta charset=utf-8><p>A paragraph of words, which has few signs." + "’".encode() * n_good
    decoded = decode(body + b" caf\xe9</p>")
    assert decoded.source is source
    assert ("’" in decoded.text) == (source is CharsetSource.UTF8_REPAIRED)
    marked = decode(codecs.BOM_UTF8 + body.replace(b"utf-8", b"koi8-r") + b" caf\xe9</p>")
    assert (marked.source, "’" in marked.text) == (CharsetSource.BOM, True)


def test_character_cut_at_the_end_does_not_change_the_encoding() -> None:
    body = "<p>à propos d’un été".encode() + "é".encode()[:1]
    assert decode(body, headers={"content-type": "text/html; charset=iso-8859-2"}).text == "<p>à propos d’un été\ufffd"
    body = markup(NEWS["ja"], "Shift_JIS").encode("cp932") + "橋".encode("cp932")[:1]
    decoded = decode(body)
    assert (decoded.charset, decoded.source) == ("cp932", CharsetSource.META)


def test_seven_bit_japanese_is_read() -> None:
    html = markup(NEWS["ja"], "iso-2022-jp")
    decoded = decode(html.encode("iso2022_jp"))
    assert (decoded.text, decoded.source) == (html, CharsetSource.ESCAPES)


def test_escape_characters_in_plain_utf8_are_left_alone() -> None:
    assert decode(b"<p>\x1b$ and \x1b$x 5</p>").text == "<p>\x1b$ and \x1b$x 5</p>"


@pytest.mark.parametrize(
    "name",
    ["unicode_escape", "punycode", "utf-7", "zip", "utf-16", "x" * 5_000],
)
def test_codecs_that_no_page_may_choose_are_ignored(name: str) -> None:
    body = f'<meta charset="{name}">'.encode() + b"\\ud800 +ADw- caf\xe9 \xe0 la cr\xe8me" * 20
    decoded = decode(body, headers={"content-type": f"text/html; charset={name}"})
    assert "\\ud800 +ADw-" in decoded.text
    assert decoded.source in {CharsetSource.DETECTED, CharsetSource.FALLBACK}


def test_claim_that_gives_control_characters_is_disproved() -> None:
    html = markup(
        NEWS["cs"],
        "iso-8859-5",
    )
    assert decode(html.encode("cp1250")).text == html


def test_english_with_typographic_quotes_only_is_windows_1252() -> None:
    html = "".join(f"<p>“Paragraph {i}” – it’s the mayor’s… £5 plan, © 2005</p>\n" for i in range(30))
    assert decode(html.encode("cp1252")).text == html


@pytest.mark.parametrize(("language", "encoding"), TEXTS)
def test_large_scripts_do_not_dilute_what_is_detected(language: str, encoding: str) -> None:
    html = "<script>var words = 'only ascii here';</script>" * 500 + f"<p>{NEWS[language]}</p>\n" * 6
    assert decode(html.encode(encoding)).text == html


def test_nul_characters_are_replaced() -> None:
    assert decode("<p>a\0b é</p>".encode()).text == "<p>a\ufffdb é</p>"


def test_detection_cost_is_bounded_on_large_bodies() -> None:
    body = b"<p>" + b"\xe9\xe8 \xff\xfe" * 400_000
    start = time.process_time()
    decode(body)
    assert time.process_time() - start < 2


def test_scrub_joins_pairs_and_replaces_halves() -> None:
    assert scrub("a\ud83d\ude00b\ud800c\0") == "a\U0001f600b\ufffdc\ufffd"
    clean = "ก" * 10
    assert scrub(clean) is clean


@given(
    st.binary(max_size=300),
    st.sampled_from(["", "text/html; charset=big5", "text/html; charset=utf-16", "text/html; charset=\x00"]),
)
def test_every_body_decodes_to_storable_text(body: bytes, content_type: str) -> None:
    text = decode(body, headers={"content-type": content_type}).text
    assert text.encode("utf-8").decode("utf-8") == text
    assert "\0" not in text
    assert sniff(body, content_type) in BodyKind


@given(st.text(alphabet=st.characters(exclude_characters="\0\ufeff\x1b", exclude_categories=("Cs",)), max_size=100))
def test_utf8_round_trips(text: str) -> None:
    assert decode(text.encode()).text == text


KINDS = {
    BodyKind.EMPTY: [b"", b" \r\n\t", codecs.BOM_UTF8],
    BodyKind.HTML: [
        b"\n\n<!-- saved --><html lang=en>",
        b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html>',
        codecs.BOM_UTF8 + b'<?xml version="1.0"?><!-- c --><html xmlns="http://www.w3.org/1999/xhtml">',
        b"<div>a fragment</div>",
        b"Plain words with <b>one tag</b>",
        b"<html>\0\0stray nuls</html>",
        "<html><p>ก".encode("utf-16"),
        "<html><p>words".encode("utf-16-le"),
    ],
    BodyKind.FEED: [
        b'<?xml version="1.0"?><rss version="2.0">',
        b"<feed>",
        b'<rdf:RDF xmlns="http://purl.org/rss/1.0/">',
    ],
    BodyKind.XML: [b'<?xml version="1.0"?><?xml-stylesheet href="x"?><urlset>', b'<?xml version="1.0"?><note>'],
    BodyKind.JSON: [b'{"a": 1}', b' [{"a": 1}]\n'],
    BodyKind.PDF: [b"\n%PDF-1.4"],
    BodyKind.IMAGE: [b"<svg>", b"\x89PNG\r\n\x1a\n\0\0", b"RIFF\0\0\0\0WEBPVP8 ", b"\0\0\0\x1cftypavif", b"BM\1\2\0\0"],
    BodyKind.MEDIA: [b"\0\0\0\x1cftypisom", b"wOF2\0\1\0\0", b"RIFF\0\0\0\0WAVE"],
    BodyKind.GZIP: [b"\x1f\x8b\x08\0"],
    BodyKind.ZIP: [b"PK\3\4\x14\0"],
    BodyKind.BINARY: [b"\x7fELF\2\1", b"words, then\0a NUL", bytes(range(1, 9)) * 8],
}


@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", ""])
@pytest.mark.parametrize("kind", KINDS)
def test_bytes_tell_the_kind_whatever_the_header_says(kind: BodyKind, content_type: str) -> None:
    assert [sniff(body, content_type) for body in KINDS[kind]] == [kind] * len(KINDS[kind])


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"just words", "text/plain", BodyKind.TEXT),
        (b"just words", "text/html", BodyKind.HTML),
        (b"var x = 1;", "application/javascript", BodyKind.TEXT),
        (b'{"cut": ', "application/json", BodyKind.JSON),
        (b"<note>", "application/xml", BodyKind.XML),
        (b"<note>", "text/html", BodyKind.HTML),
        (b"<!DOCTYPE html><rss-widget>", "application/rss+xml", BodyKind.HTML),
    ],
)
def test_header_decides_between_kinds_that_look_alike(body: bytes, content_type: str, kind: BodyKind) -> None:
    assert sniff(body, content_type) is kind


@pytest.mark.parametrize("n_chars", [40, 80])
@pytest.mark.parametrize(("language", "encoding"), [*TEXTS, ("vi", "cp1258")])
def test_the_declared_language_tells_the_encoding_of_short_texts(language: str, encoding: str, n_chars: int) -> None:
    html = f'<html lang="{language}"><title>news</title><p>{NEWS[language][:n_chars]}</p></html>'
    decoded = decode(html.encode(encoding))
    assert (decoded.text, decoded.source) == (html, CharsetSource.LANGUAGE)


@pytest.mark.parametrize("start", [0, 35, 77])
@pytest.mark.parametrize("n_chars", [30, 300])
def test_thai_is_told_by_its_spelling_where_nothing_is_declared(start: int, n_chars: int) -> None:
    html = f"<p>{(NEWS['th'] * 4)[start : start + n_chars]}</p>"
    assert decode(html.encode("cp874")).text == html


@pytest.mark.parametrize(("language", "encoding"), TEXTS[1:])
def test_other_languages_do_not_read_as_thai(language: str, encoding: str) -> None:
    pieces = [NEWS[language][start : start + n] for start in range(0, 30, 3) for n in (10, 20, 60)]
    assert not any(reads_as_thai(piece.encode(encoding)) for piece in pieces)


@pytest.mark.parametrize(("language", "encoding"), TEXTS[1:])
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
    assert encoding_for("xx", good) is None
    assert encoding_for("th", b"ascii") is None


@given(st.binary(max_size=200), st.sampled_from(["th", "zh", "ru", "vi", "ar", "ja"]))
def test_any_bytes_are_answered(body: bytes, language: str) -> None:
    chosen = encoding_for(language, body)
    assert chosen is None or body.decode(chosen, "replace").count("\ufffd") <= 0.01 * len(body)
    assert reads_as_thai(body) in (True, False)
