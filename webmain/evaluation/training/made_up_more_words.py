"""More of what websites say around their articles: see `made_up_words`, whose tables these continue."""

from __future__ import annotations

from typing import Final

MORE_WORDS: Final[dict[str, str]] = {
    "nl": """
reply: Reageer|Beantwoorden|Citeren
share: Delen|Printen|E-mail|Bewaren|Kopieer link
comments: {n} reacties|Reacties ({n})|Discussie
leave: Plaats een reactie|Reageer|Log in om te reageren
says: zegt:|schreef op|op
related: Lees ook|Meer over dit onderwerp|Gerelateerd|Meest gelezen
more: Lees meer|Lees verder|Bekijk alles
news_text: Ontvang elke ochtend het belangrijkste nieuws in je mailbox.
  |Door je aan te melden ga je akkoord met onze voorwaarden.
cookie: Wij gebruiken cookies om de site te laten werken, het gebruik te meten en passende advertenties te tonen.
  |Je kunt je keuze op elk moment aanpassen.
accept: Alles accepteren|Weigeren|Instellingen
legal: Alle rechten voorbehouden.|Overname alleen met toestemming.
menu: Home|Nieuws|Politiek|Economie|Sport|Cultuur|Opinie|Wetenschap|Gezondheid|Reizen|Weer|Vacatures|Contact|Archief
ago: {n} minuten geleden|{n} uur geleden|gisteren
months: januari februari maart april mei juni juli augustus september oktober november december
short: Mooi stuk|Bedankt!|Helemaal mee eens|Onzin|Bron?
open: Ik vind dat|Volgens mij|Sorry, maar|Hallo,
close: Groet|Bedankt.|:)
""",
    "sv": """
reply: Svara|Citera
share: Dela|Skriv ut|Tipsa|Spara
comments: {n} kommentarer|Kommentarer ({n})
leave: Lämna en kommentar|Kommentera
says: säger:|skrev|den
related: Läs också|Relaterat|Mest läst|Mer om ämnet
more: Läs mer|Visa alla
news_text: Få dagens viktigaste nyheter i din inkorg varje morgon.|Du kan avsluta när du vill.
cookie: Vi använder kakor för att sidan ska fungera, för att mäta användningen och visa relevanta annonser.
  |Du kan när som helst ändra dina val.
accept: Godkänn alla|Avvisa|Inställningar
legal: Alla rättigheter förbehållna.|Citera oss gärna, men ange källan.
menu: Hem|Nyheter|Politik|Ekonomi|Sport|Kultur|Debatt|Vetenskap|Hälsa|Resor|Väder|Kontakt|Arkiv
ago: {n} minuter sedan|{n} timmar sedan|i går
months: januari februari mars april maj juni juli augusti september oktober november december
short: Bra skrivet|Tack!|Håller med|Källa?
open: Jag tycker att|Enligt mig|Förlåt, men|Hej,
close: Hälsningar|Tack.|:)
""",
    "no": """
reply: Svar|Siter
share: Del|Skriv ut|Tips en venn|Lagre
comments: {n} kommentarer|Kommentarer ({n})|Debatt
leave: Legg igjen en kommentar|Kommenter
says: sier:|skrev|den
related: Les også|Relaterte saker|Mest lest
more: Les mer|Se alle
news_text: Få dagens viktigste nyheter i innboksen hver morgen.|Du kan melde deg av når du vil.
cookie: Vi bruker informasjonskapsler for at siden skal virke, for å måle bruken og vise relevante annonser.
  |Du kan når som helst endre valgene dine.
accept: Godta alle|Avvis|Innstillinger
legal: Alle rettigheter forbeholdt.|Innholdet er vernet etter åndsverkloven.
menu: Hjem|Nyheter|Politikk|Økonomi|Sport|Kultur|Meninger|Helse|Reise|Vær|Kontakt|Arkiv
months: januar februar mars april mai juni juli august september oktober november desember
short: Bra skrevet|Takk!|Enig|Kilde?
open: Jeg synes|Etter min mening|Beklager, men|Hei,
close: Hilsen|Takk.|:)
""",
    "pl": """
reply: Odpowiedz|Cytuj
share: Udostępnij|Drukuj|Wyślij|Zapisz
comments: {n} komentarzy|Komentarze ({n})|Opinie
leave: Dodaj komentarz|Skomentuj|Zaloguj się, aby skomentować
says: pisze:|napisał|dnia
related: Czytaj także|Zobacz też|Najczęściej czytane|Powiązane artykuły
more: Czytaj więcej|Więcej|Zobacz wszystkie
news_text: Otrzymuj codziennie rano najważniejsze wiadomości na swoją skrzynkę.|Zapisując się, akceptujesz regulamin.
cookie: Używamy plików cookie, aby strona działała, mierzyć jej użycie i wyświetlać dopasowane reklamy.
  |Swoje zgody możesz zmienić w każdej chwili.
accept: Akceptuję|Odrzuć|Ustawienia
legal: Wszelkie prawa zastrzeżone.|Kopiowanie bez zgody zabronione.
menu: Strona główna|Wiadomości|Polityka|Gospodarka|Sport|Kultura|Opinie|Nauka|Zdrowie|Podróże|Pogoda|Praca|Kontakt
  |Archiwum
ago: {n} minut temu|{n} godzin temu|wczoraj
months: stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
short: Świetny tekst|Dziękuję|Zgadzam się|Bzdura|Źródło?
open: Moim zdaniem|Uważam, że|Przepraszam, ale|Witam,
close: Pozdrawiam|Dzięki.|:)
""",
    "cs": """
reply: Odpovědět|Citovat
share: Sdílet|Tisk|Uložit
comments: {n} komentářů|Diskuse ({n})|Komentáře
leave: Přidat komentář|Zapojte se do diskuse
says: říká:|napsal|dne
related: Čtěte také|Související články|Nejčtenější
more: Číst dál|Více|Zobrazit vše
cookie: Používáme soubory cookie, aby stránky fungovaly a reklama odpovídala vašim zájmům.
  |Nastavení můžete kdykoli změnit.
accept: Přijmout vše|Odmítnout|Nastavení
legal: Všechna práva vyhrazena.|Přebírání obsahu bez souhlasu je zakázáno.
menu: Domů|Zprávy|Politika|Ekonomika|Sport|Kultura|Názory|Věda|Zdraví|Cestování|Počasí|Kontakt|Archiv
months: ledna února března dubna května června července srpna září října listopadu prosince
short: Pěkný článek|Díky!|Souhlasím|Zdroj?
open: Myslím, že|Podle mě|Promiňte, ale|Dobrý den,
close: S pozdravem|Díky.|:)
""",
    "tr": """
reply: Yanıtla|Cevapla|Alıntı
share: Paylaş|Yazdır|Kaydet|Gönder
comments: {n} yorum|Yorumlar ({n})|Okur yorumları
leave: Yorum yap|Yorum yaz|Yorum yapmak için giriş yapın
says: dedi ki:|yazdı|diyor
related: İlgili haberler|Bunlar da ilginizi çekebilir|En çok okunanlar
more: Devamını oku|Daha fazla|Tümünü gör
news_text: Günün en önemli haberlerini her sabah e-posta kutunuza gönderelim.
  |Üye olarak kullanım koşullarını kabul etmiş olursunuz.
cookie: Sitemizin çalışması, kullanımının ölçülmesi ve size uygun reklamlar göstermek için çerezler kullanıyoruz.
  |Tercihlerinizi istediğiniz zaman değiştirebilirsiniz.
accept: Tümünü kabul et|Reddet|Ayarlar
legal: Tüm hakları saklıdır.|İzinsiz kopyalanamaz ve yayınlanamaz.
menu: Ana sayfa|Haberler|Siyaset|Ekonomi|Spor|Kültür|Yazarlar|Bilim|Sağlık|Dünya|Hava durumu|İletişim|Arşiv
ago: {n} dakika önce|{n} saat önce|dün
months: Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık
short: Güzel yazı|Teşekkürler|Katılıyorum|Helal olsun|Kaynak?
open: Bence|Bana göre|Kusura bakmayın ama|Merhaba,
close: Saygılar.|Teşekkürler.|:)
""",
    "ru": """
reply: Ответить|Цитировать
share: Поделиться|Печать|Отправить|Сохранить
comments: {n} комментариев|Комментарии ({n})|Обсуждение
leave: Оставить комментарий|Добавить комментарий|Войдите, чтобы комментировать
says: пишет:|сказал|написал
report: Пожаловаться|Нравится|Ссылка
posted: Автор: {x}|Опубликовано|Обновлено
related: Читайте также|По теме|Похожие материалы|Самое читаемое
more: Читать далее|Подробнее|Все новости
news_title: Подпишитесь на рассылку|Главное за день
news_text: Получайте каждое утро самые важные новости на почту.|Подписываясь, вы соглашаетесь с условиями.
cookie: Мы используем файлы cookie, чтобы сайт работал, измерять посещаемость и показывать подходящую рекламу.
  |Вы можете изменить свой выбор в любое время.
accept: Принять|Отклонить|Настройки
about: О компании {x}|О нас|Об авторе
bio: {x} пишет о политике и экономике.|Все материалы автора {x}
legal: Все права защищены.|При цитировании ссылка на источник обязательна.
  |Мнение редакции может не совпадать с мнением авторов.
menu: Главная|Новости|Политика|Экономика|Спорт|Культура|Мнения|Наука|Здоровье|В мире|Погода|Видео|Фото|Контакты|Архив
foot: Правила|Реклама|О проекте|Контакты|Карта сайта
side: Последние записи|Архивы|Рубрики|Поиск|Популярное
ago: {n} минут назад|{n} часов назад|вчера
months: января февраля марта апреля мая июня июля августа сентября октября ноября декабря
ads: Реклама|На правах рекламы
photo: Фото: {x}|Архивное фото
misc: Назад|Вперёд|Наверх|Версия для печати|Темы|Поиск|Меню
short: Хорошая статья|Спасибо!|Согласен|Чушь|Источник?
open: По-моему,|Я думаю, что|Извините, но|Здравствуйте,
close: С уважением|Спасибо.|:)
""",
    "ja": """
reply: 返信|返信する|引用
share: シェア|印刷|保存|リンクをコピー
comments: コメント {n} 件|コメント（{n}）|みんなの意見
leave: コメントを書く|ログインしてコメントする
says: さんの発言|より|：
related: 関連記事|あわせて読みたい|おすすめ|アクセスランキング
more: 続きを読む|もっと見る|一覧へ
news_text: 毎朝、最も重要なニュースをメールでお届けします。|登録すると利用規約に同意したことになります。
cookie: 当サイトでは、サービスの提供と利用状況の測定、広告の表示のためにクッキーを使用しています。
  |設定はいつでも変更できます。
accept: 同意する|拒否する|設定
legal: 無断転載を禁じます。|掲載された記事の著作権は当社に帰属します。
menu: ホーム|ニュース|政治|経済|スポーツ|文化|社説|科学|健康|国際|天気|動画|写真|お問い合わせ
ago: {n}分前|{n}時間前|昨日
months: 1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月
short: いい記事ですね|ありがとうございます|同感です|残念|なるほど
open: 私は|個人的には|すみませんが|こんにちは、
close: よろしくお願いします。|以上。|笑
""",
    "zh": """
reply: 回复|引用|回复此楼
share: 分享|打印|收藏|复制链接
comments: {n} 条评论|评论（{n}）|网友评论
leave: 发表评论|登录后评论|我要评论
says: 说：|写道|发表于
related: 相关新闻|推荐阅读|热门文章|猜你喜欢
more: 阅读全文|更多|查看全部
news_text: 每天早上将最重要的新闻发送到您的邮箱。|注册即表示您同意使用条款。
cookie: 我们使用小型文本文件来保证网站运行、统计访问情况并展示适合您的广告。|您可以随时更改设置。
accept: 全部接受|拒绝|设置
legal: 版权所有，未经许可不得转载。|本文仅代表作者观点，与本站立场无关。
menu: 首页|新闻|政治|财经|体育|文化|评论|科技|健康|国际|天气|视频|图片|联系我们
ago: {n}分钟前|{n}小时前|昨天
months: 1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月
short: 好文章|谢谢|同意|顶|太可惜了
open: 我觉得|在我看来，|不好意思，|你好，
close: 谢谢。|仅供参考。|呵呵
""",
    "th": """
reply: ตอบกลับ|ตอบ|อ้างอิง
share: แชร์|พิมพ์|บันทึก|คัดลอกลิงก์
comments: {n} ความคิดเห็น|ความคิดเห็น ({n})
leave: แสดงความคิดเห็น|เข้าสู่ระบบเพื่อแสดงความคิดเห็น
says: กล่าวว่า|เขียนเมื่อ|เมื่อ
related: ข่าวที่เกี่ยวข้อง|อ่านเพิ่มเติม|เรื่องแนะนำ|ข่าวยอดนิยม
more: อ่านต่อ|ดูทั้งหมด|เพิ่มเติม
news_text: รับข่าวสำคัญทุกเช้าทางอีเมลของคุณ|เมื่อสมัครถือว่าคุณยอมรับข้อกำหนดการใช้งาน
cookie: เว็บไซต์นี้ใช้คุกกี้เพื่อให้เว็บไซต์ทำงานได้ วัดการใช้งาน และแสดงโฆษณาที่เหมาะกับคุณ
  |คุณสามารถเปลี่ยนการตั้งค่าได้ตลอดเวลา
accept: ยอมรับทั้งหมด|ปฏิเสธ|ตั้งค่า
legal: สงวนลิขสิทธิ์|ห้ามคัดลอกหรือเผยแพร่โดยไม่ได้รับอนุญาต
menu: หน้าแรก|ข่าว|การเมือง|เศรษฐกิจ|กีฬา|บันเทิง|ความเห็น|วิทยาศาสตร์|สุขภาพ|ต่างประเทศ|ภูมิภาค|วิดีโอ|ติดต่อเรา
ago: {n} นาทีที่แล้ว|{n} ชั่วโมงที่แล้ว|เมื่อวาน
months: มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
short: ขอบคุณครับ|เห็นด้วยค่ะ|บทความดีมาก|สู้ๆ
open: ผมคิดว่า|ในความเห็นของฉัน|ขอโทษนะคะแต่|สวัสดีครับ
close: ขอบคุณค่ะ|555
""",
    "ar": """
reply: رد|اقتباس
share: مشاركة|طباعة|حفظ|نسخ الرابط
comments: {n} تعليقات|التعليقات ({n})
leave: أضف تعليقا|اكتب تعليقك
says: يقول|كتب|قال
related: مواضيع ذات صلة|اقرأ أيضا|الأكثر قراءة
more: اقرأ المزيد|المزيد|عرض الكل
news_text: احصل كل صباح على أهم الأخبار في بريدك.|بالتسجيل فإنك توافق على شروط الاستخدام.
cookie: نستخدم ملفات تعريف الارتباط لتشغيل الموقع وقياس استخدامه وعرض إعلانات مناسبة لك.
  |يمكنك تغيير اختيارك في أي وقت.
accept: قبول الكل|رفض|الإعدادات
legal: جميع الحقوق محفوظة.|لا يجوز النشر دون إذن.
menu: الرئيسية|أخبار|سياسة|اقتصاد|رياضة|ثقافة|رأي|علوم|صحة|العالم|الطقس|فيديو|صور|اتصل بنا
months: يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
short: مقال رائع|شكرا|أتفق معك
open: أعتقد أن|في رأيي|عفوا ولكن
close: شكرا.|تحياتي
""",
    "el": """
reply: Απάντηση|Παράθεση
share: Κοινοποίηση|Εκτύπωση|Αποθήκευση
comments: {n} σχόλια|Σχόλια ({n})
leave: Αφήστε ένα σχόλιο|Σχολιάστε
related: Διαβάστε επίσης|Σχετικά άρθρα|Δημοφιλή
more: Διαβάστε περισσότερα|Περισσότερα
cookie: Χρησιμοποιούμε cookies για τη λειτουργία του ιστοτόπου και την προβολή κατάλληλων διαφημίσεων.
accept: Αποδοχή|Απόρριψη|Ρυθμίσεις
legal: Με την επιφύλαξη παντός δικαιώματος.|Απαγορεύεται η αναδημοσίευση χωρίς άδεια.
menu: Αρχική|Ειδήσεις|Πολιτική|Οικονομία|Αθλητισμός|Πολιτισμός|Απόψεις|Υγεία|Κόσμος|Καιρός|Επικοινωνία
short: Ωραίο άρθρο|Ευχαριστώ|Συμφωνώ
open: Νομίζω ότι|Κατά τη γνώμη μου|Συγγνώμη, αλλά
""",
    "id": """
reply: Balas|Kutip
share: Bagikan|Cetak|Simpan
comments: {n} komentar|Komentar ({n})
leave: Tulis komentar|Masuk untuk berkomentar
related: Baca juga|Berita terkait|Terpopuler
more: Selengkapnya|Baca selengkapnya|Lihat semua
cookie: Kami menggunakan kuki agar situs berfungsi, mengukur penggunaan, dan menampilkan iklan yang sesuai.
accept: Terima semua|Tolak|Pengaturan
legal: Hak cipta dilindungi undang-undang.|Dilarang menyalin tanpa izin.
menu: Beranda|Berita|Politik|Ekonomi|Olahraga|Budaya|Opini|Kesehatan|Dunia|Cuaca|Kontak
short: Artikel bagus|Terima kasih|Setuju
open: Menurut saya|Maaf, tapi|Halo,
""",
    "ko": """
reply: 답글|답글 달기|인용
share: 공유|인쇄|저장
comments: 댓글 {n}개|댓글 ({n})|의견
leave: 댓글 쓰기|로그인 후 댓글을 쓸 수 있습니다
related: 관련 기사|많이 본 뉴스|추천 기사
more: 더 보기|계속 읽기|전체 보기
news_text: 매일 아침 가장 중요한 소식을 이메일로 보내 드립니다.
cookie: 사이트 운영과 이용 측정, 맞춤 광고를 위해 쿠키를 사용합니다.|설정은 언제든지 바꿀 수 있습니다.
accept: 모두 동의|거부|설정
legal: 무단 전재 및 재배포 금지.|저작권은 당사에 있습니다.
menu: 홈|뉴스|정치|경제|스포츠|문화|오피니언|과학|건강|국제|날씨|동영상|사진
short: 좋은 글이네요|감사합니다|동의합니다
open: 제 생각에는|죄송하지만|안녕하세요,
""",
    "hi": """
reply: जवाब दें|उत्तर
share: साझा करें|प्रिंट|सहेजें
comments: {n} टिप्पणियाँ|टिप्पणियाँ ({n})
leave: टिप्पणी करें
related: यह भी पढ़ें|संबंधित खबरें|सबसे ज्यादा पढ़ी गई
more: और पढ़ें|पूरा पढ़ें|सभी देखें
cookie: साइट चलाने, उपयोग मापने और उपयुक्त विज्ञापन दिखाने के लिए हम कुकी का उपयोग करते हैं।
accept: स्वीकार करें|अस्वीकार|सेटिंग
legal: सर्वाधिकार सुरक्षित।|बिना अनुमति प्रकाशन वर्जित है।
menu: होम|समाचार|राजनीति|व्यापार|खेल|संस्कृति|विचार|विज्ञान|स्वास्थ्य|दुनिया|मौसम|वीडियो|संपर्क
short: बहुत अच्छा लेख|धन्यवाद|सहमत
open: मेरे विचार से|माफ कीजिए लेकिन
""",
}
