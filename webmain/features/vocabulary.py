"""What class names, ids and short texts tell of a block, as bits: words by which people who make pages name its parts.

The lists are small on purpose: a model that reads many class names learns the sites it was trained on.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

NAME_GROUPS: Final = {
    "comment": "comment|comments|disqus|respond|reply|replies|discuss|discussion|kommentar|kommentare|comentario"
    "|comentarios|commentaire|commentaires|commenti|livefyre|feedback|trackback|pingback|guestbook|reader|readers|opinions",
    "related": "related|recommend|recommended|recommendation|recommendations|also|similar|teaser|teasers|promo|promos"
    "|trending|popular|latest|recent|mostread|readmore|more|outbrain|taboola|recirc|card|cards|verwandt|mehr|carousel"
    "|slider|widget|widgets|linklist|headlines|blogroll|archive|archives|river|feed|upnext|next|prev",
    "share": "share|sharing|shares|social|facebook|twitter|whatsapp|follow|like|likes|addtoany|print|toolbar|tools|email"
    "|bookmark|actions",
    "nav": "nav|navi|navigation|navbar|menu|breadcrumb|breadcrumbs|crumb|crumbs|pagination|pager|paging|tab|tabs|skip"
    "|topbar|masthead|header|head|sitemap|dropdown",
    "footer": "foot|footer|copyright|legal|imprint|impressum|disclaimer|colophon|bottom",
    "ad": "ad|ads|adv|advert|adverts|advertisement|advertising|banner|banners|sponsor|sponsored|dfp|anzeige|werbung"
    "|paywall|piano|subscribe|subscription|newsletter|signup|abo|offer|promotion|adsense|commercial|cta|login|register",
    "consent": "cookie|cookies|consent|gdpr|privacy|modal|popup|overlay|dialog|notice|alert|toast",
    "aside": "side|sidebar|aside|rail|right|left|infobox|factbox|box|toc|module|sub|secondary|column",
    "meta": "meta|metadata|byline|author|authors|autor|date|time|timestamp|tag|tags|category|categories|kicker|label|credit"
    "|credits|source|dateline|bio|published|postmetadata|info|views|rating|avatar|profile|user|username",
    "caption": "caption|captions|figure|image|images|img|photo|photos|gallery|media|video|audio|player|legend|bild|picture",
    "content": "content|contents|article|articles|body|story|post|posts|entry|text|main|paragraph|prose|copy|artikel"
    "|inhalt|contenido|texte|storytext|news|detail|details|maincontent|single|richtext|wysiwyg|page|rte|blog",
    "lead": "lead|lede|intro|summary|standfirst|subtitle|subhead|subheading|excerpt|abstract|deck|dek|description"
    "|chapeau|vorspann|ingress|sapo|entradilla|preamble",
    "title": "title|headline|heading|hed|titel|titulo|titre|subtitle",
    "forum": "thread|threads|message|messages|topic|topics|forum|forums|answer|answers|question|questions|review|reviews"
    "|bbs|postbody|postcontent|board",
    "item": "item|items|listing|listings|product|products|list|grid|result|results|price|shop|cart|catalog|tile|tiles|row",
    "quote": "quote|quotes|blockquote|pullquote|cite|zitat|bsp",
    "hidden": "hidden|hide|collapse|collapsed|offscreen|noprint|tooltip|template|lightbox|d-none|printonly",
}
"""Groups of words in class names, ids and itemprops."""

CUE_GROUPS: Final = {
    "comments": "comment comments reply replies respond response responses kommentar kommentare kommentieren antworten "
    "commentaire commentaires répondre comentario comentarios comentar responder commenti commento rispondi reacties "
    "reageer reactie komentarze komentarz odpowiedz комментарии комментарий комментарий ответить коментарі yorum yorumlar "
    "yorumu kommentarer svar kommentit kommentti hozzászólás hozzászólások komentáře komentář comentários comentário "
    "discussion forum guestbook trackback trackbacks pingback said says wrote thoughts σχόλια تعليق تعليقات التعليقات "
    "टिप्पणी टिप्पणियाँ 댓글",
    "related": "related also recommended similar trending popular latest recent recently read more previous next most "
    "weitere weiterlesen mehr lesen auch verwandte themen aussi lire articles suivant précédent plus relacionado "
    "relacionadas relacionados también además leia leggi anche correlati potrebbe lees ook meer zobacz także czytaj "
    "również więcej читайте также ещё похожие другие читати ilgili haberler läs även mera lue myös související čtěte "
    "olvasson διαβάστε اقرأ المزيد संबंधित 관련 archives blogroll categories discover explore you'll sponsored",
    "share": "share tweet facebook twitter whatsapp email e-mail print pinterest linkedin telegram follow like teilen "
    "drucken partager imprimer compartir compartilhar imprimir condividi stampa deel delen udostępnij поделиться "
    "поділитися paylaş dela jaa sdílet megosztás κοινοποίηση شارك मित्र 공유 bookmark digg reddit subscribe rss feed "
    "newsletter abonnieren abonnez abonnement suscríbete suscribirse assine iscriviti nieuwsbrief подписаться подпишитесь "
    "prenumerera tilaa sign signup register login log registrieren anmelden connexion inscrivez accedi registrati",
    "byline": "by von par por di door av af od автор author autor auteur posted published written reporting editor editing "
    "veröffentlicht publié publicado pubblicato gepubliceerd опубликовано updated aktualisiert stand mis modified "
    "photo photos foto fotos image bild bilder picture credit getty reuters afp source quelle fuente fonte bron "
    "источник фото written correspondent staff yazar",
    "legal": "copyright © ® rights reserved rechte vorbehalten droits réservés derechos reservados direitos diritti "
    "riservati cookie cookies privacy datenschutz impressum terms conditions agb disclaimer consent policy mentions légales "
    "advertisement advertising anzeige werbung publicité publicidad pubblicità advertentie reklama реклама ilan",
    "about": "about über propos acerca sobre bio biography author's journalist reporter columnist writer he she contributed "
    "redakteur autorin journaliste periodista giornalista tags filed under keywords schlagworte schlagwörter etiquetas "
    "mots-clés теги topics category kategorie",
}
"""Groups of words that short lines of boilerplate begin with; one word may stand in several."""

_UNSPACED_CUES: Final = {
    "comments": "ความคิดเห็น|ความเห็น|แสดงความ|ตอบกลับ|评论|評論|留言|回复|回覆|コメント|返信",
    "related": "ข่าวที่เกี่ยวข้อง|เรื่องที่เกี่ยวข้อง|อ่านเพิ่มเติม|อ่านต่อ|บทความอื่น|ข่าวล่าสุด|ข่าวอื่น"
    "|相关|相關|推荐|推薦|延伸阅读|延伸閱讀|更多|上一篇|下一篇|関連|おすすめ|続きを読む|ランキング|人気",
    "share": "แชร์|แบ่งปัน|ติดตาม|สมัครสมาชิก|เข้าสู่ระบบ|พิมพ์"
    "|分享|转发|打印|登录|登錄|注册|註冊|订阅|訂閱|共有|シェア|ログイン|登録|印刷",
    "byline": "โดย|ผู้เขียน|ภาพ|ที่มา|เผยแพร่|วันที่|记者|記者|作者|来源|來源|编辑|編輯|责编|責編|写真|文・|撮影|出典|更新",
    "legal": "สงวนลิขสิทธิ์|ลิขสิทธิ์|คุกกี้|นโยบาย|โฆษณา|版权|版權|广告|廣告|隐私|隱私|著作権|無断転載|広告|利用規約|プライバシー",
    "about": "เกี่ยวกับ|แท็ก|คำค้น|หมวดหมู่|标签|標籤|关键词|關鍵字|タグ|カテゴリ",
}

MAX_CUE_CHARS: Final = 160
"""Longer blocks are no lines of boilerplate."""

MAX_NAME_CHARS: Final = 200
"""So much of an element's class names and ids is read; style sheets of single-purpose classes write much longer ones."""

_READ_CHARS: Final = 60
_READ_WORDS: Final = 6
_NAMES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_AROUND_WORDS: Final = ".,:;!?\"'()[]|/«»“”„-–—&•›"
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+|[\u0900-\u0903\u093a-\u094f]+[^\W\d_]*)*|[©®]")  # vowel signs of Hindi


def _bits_of(groups: dict[str, str], separator: str | None) -> dict[str, int]:
    bits: dict[str, int] = {}
    for place, words in enumerate(groups.values()):
        for word in words.split(separator):
            bits[word] = bits.get(word, 0) | 1 << place
    return bits


@cache
def _name_bits() -> dict[str, int]:
    bits = _bits_of(NAME_GROUPS, "|")
    written = (str.lower, str.capitalize, str.upper)
    return {write(word): found for word, found in bits.items() for write in written}


@cache
def _cue_bits() -> dict[str, int]:
    return _bits_of(CUE_GROUPS, None)


@cache
def _unspaced_cues() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{words})" for name, words in _UNSPACED_CUES.items()))


@cache
def _group_bits() -> dict[str, int]:
    return {name: 1 << place for place, name in enumerate(CUE_GROUPS)}


def name_bits(name: str) -> int:
    """Return the groups (bits in the order of `NAME_GROUPS`) that the words of class names and ids belong to."""
    bits = 0
    for part in name[:MAX_NAME_CHARS].replace("-", " ").replace("_", " ").split():
        bits |= _part_bits(part)
    return bits


@lru_cache(maxsize=1 << 14)
def _part_bits(part: str) -> int:
    """Return the groups of the words in a part of a name; sites name things alike, so that most are known."""
    known = _name_bits()
    bits = 0
    for word in _NAMES.findall(part):
        bits |= known.get(word, 0)
    return bits


def cue_bits(text: str, *, unspaced: bool) -> int:
    """Return the groups (bits in the order of `CUE_GROUPS`) of the first words of a short text.

    Parameters
    ----------
    text : str
        Case folded.
    unspaced : bool
        Look for the cues of Thai, Chinese and Japanese too, which no spaces set off.
    """
    known = _cue_bits()
    bits = n_words = 0
    for token in text[:_READ_CHARS].split():
        word = token if token.isalpha() else token.strip(_AROUND_WORDS)
        if word.isalpha():  # most are
            n_words += 1
            if word in known:
                bits |= known[word]
        else:
            for word in _WORDS.findall(token)[: _READ_WORDS - n_words]:
                n_words += 1
                if word in known:
                    bits |= known[word]
        if n_words == _READ_WORDS:
            break
    if unspaced:
        for match in _unspaced_cues().finditer(text[:_READ_CHARS]):
            bits |= _group_bits()[match.lastgroup or ""]
    return bits
