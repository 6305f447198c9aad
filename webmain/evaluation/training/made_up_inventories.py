"""What words of other scripts are strung together from: syllables, characters and short words, the frequent ones first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The makings of one script's words.

    Attributes
    ----------
    locale : str
        Language with region, as `html lang` has it.
    ratio : float
        Characters for each character of an English word.
    parts : tuple of str
        What words are strung together from, the most frequent first.
    function_words : tuple of str
        What a page's most frequent short words become.
    marks : dict of str to str
        What punctuation becomes; " " for marks that are a space here.
    endings : tuple of str
        Endings of longer words.
    finals : dict of str to str
        Letters that look otherwise at a word's end.
    skew : float
        How much more often the first parts are taken; 1 for all alike.
    unspaced, phrase_spaces, right_to_left, cased : bool
        No space between words; but between phrases; written from the right; with capitals.
    """

    locale: str
    ratio: float
    parts: tuple[str, ...]
    function_words: tuple[str, ...]
    marks: dict[str, str] = field(default_factory=dict)
    endings: tuple[str, ...] = ()
    finals: dict[str, str] = field(default_factory=dict)
    skew: float = 1.8
    unspaced: bool = False
    phrase_spaces: bool = False
    right_to_left: bool = False
    cased: bool = False


_THAI = """
การ ความ คน วัน งาน ทาง เมือง ชาติ ผู้ ใจ บ้าน เรื่อง ข่าว ประเทศ รัฐ น้ำ ไทย ปี เดือน เงิน ทุน
ธุรกิจ ตลาด เด็ก แม่ พ่อ ครู ศึกษา เรียน เขียน อ่าน พูด บอก กล่าว เห็น รู้ คิด ทำ สร้าง เปิด ปิด
ขึ้น ลง เข้า ออก ไป มา ถึง จาก ใหญ่ เล็ก ใหม่ เก่า ดี สูง ต่ำ มาก น้อย แรง เร็ว ช้า ร้อน เย็น ฝน ลม
ไฟ ดิน ทะเล ภู เขา ป่า ไม้ ดอก ผล ข้าว ปลา ไก่ หมู กิน นอน เดิน วิ่ง ขาย ซื้อ ราคา บาท ล้าน พัน ร้อย
สิบ สอง สาม สี่ ห้า หก เจ็ด แปด เก้า หนึ่ง แรก สุด ท้าย กลาง เหนือ ใต้ ออก ตก สภา นายก มนตรี ตำรวจ
ทหาร ศาล กฎ หมาย สิทธิ เสรี ภาพ โลก สงคราม สันติ ราช กษัตริย์ วัด พระ ศาสนา ประชา ชน สังคม เศรษฐ กิจ
การเมือง นโยบาย แผน โครง ระบบ ข้อ มูล เครือ ข่าย โทร ศัพท์ เครื่อง รถ ถนน สะพาน สนาม บิน เรือ ท่า
อากาศ ยาน แพทย์ โรง พยาบาล ยา โรค สุข ชีวิต ตาย เกิด รัก เกลียด กลัว หวัง เชื่อ ถือ
""".split()

_CHINESE = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么"
    "去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又"
    "关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海"
    "通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管"
    "期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北"
    "边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"
)
_KANJI = (
    "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会社事者地業方新場員立開手力問代明動京目"
    "通言理体田主題意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住真有口少町料工建空急止送切転研足究楽起着店病質待試族銀早映親験医仕去味写字答夜音注帰古歌買悪図"
    "週室歩風紙黒花春赤館屋色走夏習駅洋旅服夕借曜飲肉貸堂飯勉冬昼茶弟牛魚兄犬姉漢政経済党選議論市県庁警察"
)
_OKURIGANA = "る う い く た って める える しい り".split()
_KANA = "カ リ ア ス ン ト イ ラ ル ク レ シ ド マ タ コ フ ロ メ ニ サ パ ミ キ テ バ オ セ ウ エ".split()
_ARABIC = """
ال مد را كت سل حم ما نا عل قا دي بر شر طر جم فر صح خب وز حك ري لي من تا سا عا با دا قد رب جد نظ عم
لم شع مل كم سر حد قو فع ند بي ني مي ون ات ين ية ان اء ار ام
""".split()
_HINDI = """
का ना रा ता ला मा सा या वा दा पर कर सर जन मन तन दल बल राज देश काम नाम दिन बात लोग घर साल बार जा आ स
प्र वि नि अ सम् कि मि ति री नी की ली सी दी हो दो सो को रो शा भा षा ज्ञा त्र क्ष श्र न्त स्थ ध्या पा
चा खा गा बा हा जी ठी पू सू मू कू चु दु
""".split()
_RUSSIAN = """
по ра на ро ко ва то пре ста го ли ве но те ре ка ла до де ни за со во ти ме ри си об про сто вы от
под раз пер дер жен тор мен вод год ход лов мир дел чис рос гра тра пра кра сви сле бес пол вер нов
род сил суд бор вал тел фор мат ист кон спо ще жи ша чи цен
""".split()
_GREEK = """
κα το πο τη λο με νο ρι τα σε ρο με πα δη λι κο γο κρα τι μα σι α προ δι συν υπ ε ξε παρα επι κατ μο
θε χρο κυ βερ νη ση πολι τικ οικ νομ ια εργ λαο φορ γρα κοι δρα στα τρο πλη φω βα λα μι νι δο ζη
""".split()
_HANGUL_FIRST, _HANGUL_VOWEL, _HANGUL_LAST = (
    (11, 0, 18, 9, 5, 12, 3, 2, 7, 6, 14, 16),
    (0, 20, 18, 4, 8, 13, 1, 5, 6),
    (0, 0, 0, 4, 8, 1, 21, 16),
)


def _hangul() -> tuple[str, ...]:
    """Compose syllables of frequent consonants and vowels by the formula of Unicode (section 3.12)."""
    made = [
        (i + j + k, chr(0xAC00 + (first * 21 + vowel) * 28 + last))
        for i, first in enumerate(_HANGUL_FIRST)
        for j, vowel in enumerate(_HANGUL_VOWEL)
        for k, last in enumerate(_HANGUL_LAST)
    ]
    return tuple(dict.fromkeys(syllable for _, syllable in sorted(made)))


def _japanese() -> tuple[str, ...]:
    """Mix compounds of two characters, stems with their endings, and foreign words in their own syllabary."""
    n = len(_KANJI)
    kanji = [_KANJI[i % n] + _KANJI[(i * 7 + 3) % n] for i in range(160)]
    short = [_KANJI[(i * 11) % n] + _OKURIGANA[i % len(_OKURIGANA)] for i in range(80)]
    kana = ["".join(_KANA[(i * k) % len(_KANA)] for k in (1, 3, 7)) + "ー" * (i % 3 == 0) for i in range(1, 41)]
    mixed = zip(kanji[:40], short[:40], kanji[40:80], kana, strict=True)
    return tuple(part for parts in mixed for part in parts) + tuple(kanji[80:]) + tuple(short[40:])


_WIDE: Final = {
    ",": "，",
    ".": "。",
    ":": "：",
    ";": "；",
    "?": "？",
    "!": "！",
    "(": "（",
    ")": "）",
    "“": "“",
    '"': "”",
}

INVENTORIES: Final[dict[str, Inventory]] = {
    "th": Inventory(
        locale="th-TH",
        ratio=1.0,
        parts=tuple(_THAI),
        function_words=tuple(
            "ที่ และ ใน ของ จะ ได้ เป็น ให้ มี ว่า ไม่ กับ แต่ หรือ ก็ นี้ นั้น โดย เพื่อ ซึ่ง อยู่ แล้ว ต้อง เมื่อ ยัง ถูก ต่อ อีก หาก แก่".split()
        ),
        marks={".": " ", ",": " ", ";": " ", ":": " "},
        unspaced=True,
        phrase_spaces=True,
    ),
    "zh": Inventory(
        locale="zh-CN",
        ratio=0.34,
        parts=tuple(_CHINESE),
        function_words=tuple(
            "的 了 在 是 和 也 就 不 有 这 那 与 对 为 从 到 将 被 把 而 但 或 及 等 于 以 并 都 很 还".split()
        ),
        marks=_WIDE,
        skew=1.6,
        unspaced=True,
    ),
    "ja": Inventory(
        locale="ja-JP",
        ratio=0.38,
        parts=_japanese(),
        function_words=tuple(
            "の は を に が と で も から まで より へ や など という した して いる です ます ない その".split()
        ),
        marks={**_WIDE, ",": "、", "“": "「", "”": "」", '"': "」"},
        endings=("", "", "", "", "する", "した", "され", "な", "的な", "して"),
        skew=1.2,
        unspaced=True,
    ),
    "ko": Inventory(
        locale="ko-KR",
        ratio=0.45,
        parts=_hangul()[:220],
        function_words=tuple(
            "이 그 및 더 또 수 것 등 한 두 전 후 내 위해 대한 통해 있는 했다 하는 지난 오는 그리고 하지만 때문에 라고".split()
        ),
        endings=tuple("은 는 이 가 을 를 에 의 도 로 으로 에서 하고 했다 한다 하는".split()),
        skew=1.4,
    ),
    "ar": Inventory(
        locale="ar-EG",
        ratio=0.8,
        parts=tuple(_ARABIC),
        function_words=tuple(
            "في من على إلى أن عن مع هذا هذه التي الذي كان كما بعد قبل بين حتى لا ما لم قد هو هي ثم أو كل عند".split()
        ),
        marks={",": "،", ";": "؛", "?": "؟"},
        right_to_left=True,
        skew=1.5,
    ),
    "hi": Inventory(
        locale="hi-IN",
        ratio=0.9,
        parts=tuple(_HINDI),
        function_words=tuple(
            "के में की है और से का को पर ने कि यह भी नहीं एक हो था तो ही इस जो कर गया अपने लिए साथ हैं थे".split()
        ),
        marks={".": "।"},
        skew=1.3,
    ),
    "ru": Inventory(
        locale="ru-RU",
        ratio=1.05,
        parts=tuple(_RUSSIAN),
        function_words=tuple(
            "и в на не что с по для это из к от за как его но или у же бы до о при он мы они так был во со".split()
        ),
        endings=tuple("ой ого ия ение ть ться ами ов ый ая ые ет ют ла ли ость ах ом".split()),
        skew=1.3,
        cased=True,
    ),
    "el": Inventory(
        locale="el-GR",
        ratio=1.05,
        parts=tuple(_GREEK),
        function_words=tuple(
            "και το να του η της με που την από για στο είναι οι τα θα σε των δεν ο τον τις στην ότι ως στη μας τους".split()
        ),
        marks={"?": ";", ";": "·"},
        endings=tuple("ος ης ου ας ει εις ουν ια ση μα ικό ική ται".split()),
        finals={"σ": "ς"},
        skew=1.3,
        cased=True,
    ),
}
