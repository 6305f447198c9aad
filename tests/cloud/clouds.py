"""Clouds to draw, in many scripts."""

from webmain.cloud.records import Cloud, CloudWord

WORDS = {
    "th": "น้ำท่วม กรุงเทพมหานคร เศรษฐกิจ หนังสือ เครื่อง ผู้ใหญ่ ปั๊ม กตัญญู ฐาน ญี่ปุ่น กล้วยไม้ ลำพู ทีม",
    "zh": "经济 政府 发展 中国 企业 市场",
    "ja": "東京 経済 カタカナ ひらがな コーヒー 々",
    "ko": "서울 대한민국 경제",
    "ar": "الحكومة الاقتصاد المدينة اللغة",
    "fa": "می‌خواهم ایران پژوهش",
    "ur": "پاکستان ٹیکنالوجی",
    "he": "ירושלים שלום ג'יימס",
    "hi": "प्रधानमंत्री अर्थव्यवस्था खिलाड़ी अंतर्राष्ट्रीय",
    "bn": "বাংলাদেশ প্রধানমন্ত্রী",
    "ta": "தமிழ்நாடு அரசு",
    "te": "తెలుగు ప్రభుత్వం",
    "kn": "ಕನ್ನಡ ಸರ್ಕಾರ",
    "ml": "മലയാളം സർക്കാർ",
    "gu": "ગુજરાતી સરકાર",
    "pa": "ਪੰਜਾਬੀ ਸਰਕਾਰ",
    "or": "ଓଡ଼ିଆ ସରକାର",
    "si": "සිංහල ශ්‍රී",
    "km": "ភាសាខ្មែរ រដ្ឋាភិបាល",
    "lo": "ພາສາລາວ ນ້ຳ ລັດຖະບານ",
    "my": "မြန်မာ နိုင်ငံ",
    "bo": "བོད་ཡིག",
    "mn": "ᠮᠣᠩᠭᠣᠯ",
    "ka": "ქართული მთავრობა",
    "hy": "Հայաստան կառավարություն",
    "am": "አማርኛ መንግሥት",
    "el": "κυβέρνηση",
    "ru": "правительство",
    "vi": "chính phủ Việt",
    "tr": "hükûmet İğdır",
    "en": "COVID-19 5G don't naïve 𝓯𝓪𝓷𝓬𝔂",
    "dv": "ދިވެހި",
    "": "ไทย5G ב5 Tシャツ ខ្មែរ24",
}


def cloud(*languages: str, words: str = "") -> Cloud:
    """A cloud of the words of some languages, weights falling."""
    found = [(word, code) for code in languages for word in (words or WORDS[code]).split()]
    return Cloud(
        words=tuple(
            CloudWord(word=word, count=len(found) - i, n_articles=1, weight=1 / (1 + i / 4), language=code)
            for i, (word, code) in enumerate(found)
        ),
        title="A <title> & more",
        language=languages[0],
        n_articles=1,
        n_words=99,
        in_order=tuple(reversed(range(len(found)))),
    )
