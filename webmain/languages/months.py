"""Month names of many languages, as dates in bylines write them."""

from __future__ import annotations

from typing import Final

from webmain.clock import once

_NAMES: Final = """
jan|january feb|febr|february mar|march apr|april may jun|june jul|july aug|august
sep|sept|september oct|october nov|november dec|december ;
januar|jänner|jän februar|feber|feb märz|mär|mrz|maerz april mai|may juni juli august|aug september
oktober|okt november dezember|dez ;
janvier|janv février|févr|fév|fevrier mars avril|avr mai juin juillet|juil août|aout|aoû septembre
octobre novembre décembre|déc|decembre ;
enero|ene febrero marzo abril|abr mayo junio julio agosto|ago septiembre|setiembre|set octubre
noviembre diciembre|dic ;
janeiro fevereiro|fev março|marco abril maio|mai junho julho agosto setembro|set outubro|out
novembro dezembro|dez ;
gennaio|gen febbraio marzo aprile maggio|mag giugno|giu luglio|lug agosto settembre|set|sett
ottobre|ott novembre dicembre ;
januari februari maart|mrt april mei juni juli augustus september oktober november december ;
januari februari mars april maj juni juli augusti september oktober november december ;
januar februar marts april maj juni juli august september oktober|okt november december|des ;
januar februar mars april mai juni juli august september oktober november desember|des ;
janúar|jan febrúar mars apríl maí júní júlí ágúst|ágú september október nóvember|nóv desember ;
tammikuuta|tammikuu helmikuuta|helmikuu maaliskuuta|maaliskuu huhtikuuta|huhtikuu
toukokuuta|toukokuu kesäkuuta|kesäkuu heinäkuuta|heinäkuu elokuuta|elokuu syyskuuta|syyskuu
lokakuuta|lokakuu marraskuuta|marraskuu joulukuuta|joulukuu ;
jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember ;
janvāris|janvārī februāris|februārī marts|martā aprīlis|aprīlī maijs|maijā jūnijs|jūnijā
jūlijs|jūlijā augusts|augustā septembris|septembrī oktobris|oktobrī novembris|novembrī
decembris|decembrī ;
sausio|sausis vasario|vasaris kovo|kovas balandžio|balandis gegužės|gegužė birželio|birželis
liepos|liepa rugpjūčio|rugpjūtis rugsėjo|rugsėjis spalio|spalis lapkričio|lapkritis gruodžio|gruodis
;
stycznia|styczeń|sty lutego|luty|lut marca|marzec kwietnia|kwiecień|kwi maja|maj
czerwca|czerwiec|cze lipca|lipiec|lip sierpnia|sierpień|sie września|wrzesień|wrz
października|październik|paź listopada|listopad|lis grudnia|grudzień|gru ;
ledna|leden|led února|únor|úno března|březen|bře dubna|duben|dub května|květen|kvě června|červen|čvn
července|červenec|čvc srpna|srpen|srp září|zář října|říjen|říj listopadu|listopad|lis
prosince|prosinec|pro ;
januára|január februára|február marca|marec apríla|apríl mája|máj júna|jún júla|júl augusta|august
septembra|september októbra|október novembra|november decembra|december ;
január|jan február|febr március|márc április|ápr május|máj június|jún július|júl augusztus
szeptember|szept október november december ;
ianuarie|ian februarie martie aprilie mai iunie|iun iulie|iul august septembrie octombrie
noiembrie|noi decembrie ;
siječnja|siječanj veljače|veljača ožujka|ožujak travnja|travanj svibnja|svibanj lipnja|lipanj
srpnja|srpanj kolovoza|kolovoz rujna|rujan - studenoga|studenog|studeni prosinca|prosinac ;
januara|januar februara|februar marta|mart aprila|april maja|maj juna|jun jula|jul avgusta|avgust
septembra|septembar oktobra|oktobar novembra|novembar decembra|decembar ;
januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra ;
januari februari maret april mei juni juli agustus|agu|ags|agt september oktober november|nop
desember|des ;
januari februari mac april mei jun julai ogos september oktober november disember|dis ;
ocak|oca şubat|şub mart nisan|nis mayıs haziran|haz temmuz|tem ağustos|ağu eylül|eyl ekim|eki
kasım|kas aralık|ara ;
yanvar fevral mart aprel may iyun iyul avqust sentyabr oktyabr noyabr dekabr ;
января|январь|янв февраля|февраль|фев|февр марта|март|мар апреля|апрель|апр мая|май июня|июнь|июн
июля|июль|июл августа|август|авг сентября|сентябрь|сен|сент октября|октябрь|окт
ноября|ноябрь|ноя|нояб декабря|декабрь|дек ;
січня|січень|січ лютого|лютий|лют березня|березень|бер квітня|квітень|квіт|кві
травня|травень|трав|тра червня|червень|черв|чер липня|липень|лип серпня|серпень|серп|сер
вересня|вересень|вер жовтня|жовтень|жовт|жов листопада|листопад|лист|лис грудня|грудень|груд|гру ;
студзеня лютага сакавіка красавіка мая|траўня чэрвеня ліпеня жніўня верасня кастрычніка лістапада
снежня ;
януари|яну февруари март април май юни юли август|авг септември|сеп октомври ноември декември ;
јануар|јануара|јануари фебруар|фебруара|фебруари март|марта април|априла мај|маја јун|јуна|јуни
јул|јула|јули август|августа септембар|септембра|септември октобар|октобра|октомври
новембар|новембра|ноември децембар|децембра|декември ;
ιανουαρίου|ιανουάριος|ιαν φεβρουαρίου|φεβρουάριος|φεβ μαρτίου|μάρτιος|μαρ απριλίου|απρίλιος|απρ
μαΐου|μαΐος|μάιος|μαΐ|μαι|μάι|μαϊ ιουνίου|ιούνιος|ιουν|ιούν ιουλίου|ιούλιος|ιουλ|ιούλ
αυγούστου|αύγουστος|αυγ|αύγ σεπτεμβρίου|σεπτέμβριος|σεπ|σεπτ οκτωβρίου|οκτώβριος|οκτ
νοεμβρίου|νοέμβριος|νοε|νοέ δεκεμβρίου|δεκέμβριος|δεκ ;
gener|gen febrer|febr març abril|abr maig juny juliol|jul agost|ag setembre|set octubre|oct novembre
desembre|des ;
urtarrilaren otsailaren martxoaren apirilaren maiatzaren ekainaren uztailaren abuztuaren irailaren
urriaren azaroaren abenduaren ;
januarie februarie maart april mei junie julie augustus september oktober november desember ;
januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba ;
يناير|جانفي فبراير|فيفري مارس أبريل|ابريل|أفريل|إبريل مايو|ماي يونيو|يونيه|جوان يوليو|يوليه|جويلية
أغسطس|اغسطس|أوت سبتمبر|شتنبر أكتوبر|اكتوبر نوفمبر|نونبر ديسمبر|دجنبر ;
كانونالثاني شباط آذار|اذار نيسان أيار|ايار حزيران تموز آب أيلول|ايلول تشرينالأول تشرينالثاني
كانونالأول ;
ژانویه فوریه مارس آوریل مه|می ژوئن ژوئیه|جولای اوت|آگوست سپتامبر اکتبر نوامبر دسامبر ;
جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر ;
ינואר|בינואר פברואר|בפברואר מרץ|במרץ|מרס|במרס אפריל|באפריל מאי|במאי יוני|ביוני יולי|ביולי
אוגוסט|באוגוסט ספטמבר|בספטמבר אוקטובר|באוקטובר נובמבר|בנובמבר דצמבר|בדצמבר ;
जनवरी|जन फरवरी|फ़रवरी|फर मार्च अप्रैल|अप्रेल मई जून जुलाई अगस्त|अग सितंबर|सितम्बर|सित
अक्टूबर|अक्तूबर|अक्टू नवंबर|नवम्बर|नव दिसंबर|दिसम्बर|दिस ;
জানুয়ারি|জানুয়ারী|জানুয়ারি ফেব্রুয়ারি|ফেব্রুয়ারী|ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই
আগস্ট|অগস্ট|আগষ্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর ;
जानेवारी फेब्रुवारी मार्च एप्रिल मे जून जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर ;
ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர் ;
జనవరి ఫిబ్రవరి మార్చి ఏప్రిల్ మే జూన్ జులై|జూలై ఆగస్టు సెప్టెంబర్ అక్టోబర్ నవంబర్ డిసెంబర్ ;
มกราคม|มค กุมภาพันธ์|กพ มีนาคม|มีค เมษายน|เมย พฤษภาคม|พค มิถุนายน|มิย กรกฎาคม|กค สิงหาคม|สค
กันยายน|กย ตุลาคม|ตค พฤศจิกายน|พย ธันวาคม|ธค ;
"""

THAI: Final = range(0x0E00, 0x0E80)


@once
def months() -> dict[str, int]:
    """Return month numbers by name: lower case, without full stops and inner spaces; an earlier language wins."""
    found: dict[str, int] = {}
    for language in _NAMES.split(";"):
        for number, names in enumerate(language.split(), 1):
            for name in names.split("|"):
                if name != "-":
                    found.setdefault(name.lower().replace("i̇", "i"), number)
    return found


def month(name: str, language: str = "") -> int | None:
    """Return the number of the month of this name, 1 to 12, or None.

    Parameters
    ----------
    name : str
        In any case, short forms with or without full stops.
    language : str
        The page's language; it decides the few names that differ ("listopad").
    """
    key = name.lower().replace("i̇", "i").replace(".", "").replace(" ", "").strip("-–'’")
    if key in ("listopada", "listopad") and language[:2] in ("hr", "bs"):
        return 10
    return months().get(key)
