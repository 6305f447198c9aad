"""Class names of made-up markup: what templates of many makers, languages and years call the parts of a page."""

from __future__ import annotations

import random
import string
from enum import StrEnum
from functools import cache
from typing import Final

from webmain.html.tree import VISUALLY_HIDDEN


class Naming(StrEnum):
    """How a site names its classes."""

    PLAIN = "plain"
    """English words: "comment-body"."""
    TRANSLATED = "translated"
    """Words of another language: "kommentar-text"."""
    SHORT = "short"
    """Abbreviations: "cmt_txt"."""
    HASHED = "hashed"
    """What style compilers make: "css-1h2k9x", "sc-fzXYZ bQwErT"."""
    MODULES = "modules"
    """A word, an underline and a hash: "comment_body__3kZx1"."""
    UTILITY = "utility"
    """One class a declaration: "flex mt-4 text-sm"."""
    BLURRED = "blurred"
    """Words that say nothing, or the wrong thing: "content", "inner", "post"."""
    NONE = "none"
    """No classes at all."""


NAMINGS: Final = tuple(Naming)
WEIGHTS: Final = (30, 10, 8, 14, 8, 6, 14, 10)
"""How often each naming is drawn for a page."""

_ROLES: Final = """
page: page wrapper wrap site container layout main-wrap | pg wrp cnt | seite conteneur pagina contenedor strona
header: header masthead site-header top banner head | hd hdr tp | kopf entete cabecera testata kop
nav: nav menu navigation navbar main-menu site-nav | nv mn | navigation menue menu navegacion navigazione
main: main content main-content primary center col-main | mn ct c1 | inhalt contenu contenido contenuto inhoud
article: article post entry story article-content single news-item | art pst ent | artikel beitrag articulo articolo
  nota
headline: headline title entry-title post-title article-title heading | hl ttl h | titel ueberschrift titre titulo
  titolo kop
lead: lead intro standfirst summary dek excerpt | ld in sm | vorspann chapeau entradilla occhiello inleiding
  teasertext
body: body entry-content post-body article-body text story-text content-text | bd txt bdy | text haupttext texte
  cuerpo testo corpo tekst
byline: byline author-date meta entry-meta post-meta dateline | by mt au | autorzeile signature firma autore meta
comments: comments comment-list discussion responses comments-area replies thread talk | cmts dsc cl | kommentare
  commentaires comentarios commenti reacties yorumlar
comment: comment response reply message commentItem comment-single remark review | cmt c rsp | kommentar commentaire
  comentario commento reactie yorum
comment-text: comment-body comment-text comment-content message-text commentText says | cmt_txt ctx cb |
  kommentar-text texte-commentaire texto-comentario testo-commento
comment-author: comment-author vcard username commenter nickname poster | cmt_au usr un | verfasser auteur autor
  utente naam
comment-date: comment-date comment-meta time date posted-on commentmetadata | cmt_dt dt | datum date fecha data
reply: reply comment-reply reply-link actions comment-tools | rpl act | antworten repondre responder rispondi
children: children replies nested sub-comments thread-children | chd sub | antworten reponses respuestas risposte
form: comment-form respond form reply-form post-comment | frm cf | formular formulaire formulario modulo
related: related related-posts more-stories recommended see-also read-next teaser-list | rel rec mr | mehr-zum-thema
  a-lire-aussi relacionadas correlati lees-ook ilgili
teaser: teaser card related-item story-card item promo listing-item | ts crd it | anreisser vignette noticia scheda
  blok
teaser-title: teaser-title card-title item-title hed title | tt ct | teaser-titel titre titulo titolo
teaser-text: teaser-text card-text description excerpt summary blurb | tx ds | teaser-text resume resumen sommario
side: sidebar aside secondary right-column widget-area rail | sb rc c2 | seitenleiste marginalspalte barre-laterale
  lateral colonna
widget: widget box module block panel sidebar-box | wdg bx md | kasten bloc modulo caja
author: author-box author-bio about-author bio writer contributor | au_bx bio | autorenbox auteur-bio sobre-autor
  autore
company: boilerplate about-company company-info press-contact about | co abt | unternehmen entreprise empresa
  azienda
newsletter: newsletter signup subscribe mailing-list email-signup optin | nl sgn | newsletter-box abonnement boletin
  iscriviti
cookie: cookie-banner consent gdpr privacy-notice cookie-notice overlay | ck cns | hinweis bandeau aviso avviso
wall: paywall subscribe-wall meter gate premium-offer | pw gt | bezahlschranke abonnes suscriptores abbonati
share: share social share-buttons sharing addthis social-links | sh soc | teilen partage compartir condividi
tags: tags keywords topics post-tags tag-list | tg kw | schlagworte motscles etiquetas argomenti
footer: footer site-footer bottom colophon foot | ft btm | fuss pied pie fondo voet
legal: legal disclaimer copyright fineprint terms | lg cpr | rechtliches mentions aviso-legal note
figure: figure image media photo wp-caption picture | fig img ph | bild photo imagen foto
caption: caption figcaption image-caption credit wp-caption-text cutline | cap cr | bildunterschrift legende
  pie-de-foto didascalia
quote: pullquote blockquote quote callout highlight | pq qt | zitat citation cita citazione
ad: ad advert banner sponsored promo-box dfp | ad adv | anzeige pub publicidad pubblicita
crumbs: breadcrumb breadcrumbs path trail you-are-here | bc pth | brotkrumen fil-ariane migas percorso
more: read-more more more-link continue | mr rm | weiter suite leer-mas leggi
inner: inner wrap row group section holder | in rw gp | innen ligne fila riga
"""
"""A line a part: English words, abbreviations, words of other languages."""
_BLURRED: Final = (
    "content inner box text item entry post block section wrap module area left right data field info item-content "
    "body main clearfix container row col article title cont detail story"
).split()
_UTILITY: Final = (
    "flex block grid w-full mt-4 mb-8 p-4 px-6 text-sm text-lg font-bold leading-6 border-t rounded gap-4 items-center "
    "max-w-2xl mx-auto md:w-2/3 col-span-8 text-gray-700 bg-white hidden-xs relative order-2 lg:col-span-4"
).split()
_PREFIXES: Final = "c- m- o- l- js- td- tm- site- v2- blog_ art_ mod_ x- ui- the- my- ng- w-".split()
_LETTERS: Final = string.ascii_letters + string.digits


class Names:
    """The names that one made-up site gives to the parts of its pages; the same part has the same name all over a page.

    Parameters
    ----------
    draw : random.Random
        What is drawn from.
    naming : Naming
        How the site names.
    """

    def __init__(self, draw: random.Random, naming: Naming) -> None:
        self.draw = draw
        self.naming = naming
        self._prefix = draw.choice(_PREFIXES) if draw.random() < 0.35 else ""
        self._glue = draw.choice(("-", "-", "_", "__", ""))
        self._style = draw.randrange(4)
        self._with_ids = draw.random() < 0.5
        self._language = draw.randrange(12)
        self._known: dict[str, str] = {}
        self._ids: set[str] = set()

    def of(self, role: str) -> str:
        """Return the class attribute of a part, with a blank before it, or "" where it has none.

        Parameters
        ----------
        role : str
            One of the parts that this module knows: "comment", "teaser", "side", ...
        """
        if role not in self._known:
            self._known[role] = self._drawn(role)
        name = self._known[role]
        return f' class="{name}"' if name else ""

    def once(self, role: str) -> str:
        """Return class and, for some sites, an id as well; an id is given to one element only."""
        name = self.of(role)
        if not self._with_ids or not name or role in self._ids or self.naming in (Naming.UTILITY, Naming.HASHED):
            return name
        self._ids.add(role)
        token = self._known[role].split()[0]
        return f' id="{token}"' if self._style == 0 else f'{name} id="{token}"'

    def _drawn(self, role: str) -> str:
        plain, short, other = _roles()[role]
        draw = self.draw
        match self.naming:
            case Naming.NONE:
                return ""
            case Naming.PLAIN:
                words = draw.sample(plain, k=min(len(plain), draw.choice((1, 1, 1, 2))))
                return " ".join(self._dressed(word) for word in words)
            case Naming.TRANSLATED:
                return self._dressed(other[self._language % len(other)])
            case Naming.SHORT:
                return self._dressed(draw.choice(short)) + draw.choice(("", "", "1", "2"))
            case Naming.HASHED:
                return hashed(draw, self._style)
            case Naming.MODULES:
                return f"{self._dressed(draw.choice(plain))}__{_letters(draw, 5)}"
            case Naming.UTILITY:
                return " ".join(draw.sample(_UTILITY, k=draw.randint(2, 6)))
            case Naming.BLURRED:
                return self._dressed(draw.choice(_BLURRED))

    def _dressed(self, word: str) -> str:
        """Write a word as the site writes: with its prefix, in camel case or with its own joint."""
        if self._style == 3:
            first, *rest = word.split("-")
            word = first + "".join(part.title() for part in rest)
        elif self._glue != "-":
            word = word.replace("-", self._glue)
        return self._prefix + word

    def renamed(self, token: str) -> str:
        """Return a page's own class or id as this site would write it; "" to drop it.

        Classes that hide are kept: without them, text that nobody sees would be shown.
        """
        if token.lower() in VISUALLY_HIDDEN:
            return token
        if token not in self._known:
            self._known[token] = self._rewritten(token)
        return self._known[token]

    def _rewritten(self, token: str) -> str:
        draw = self.draw
        match self.naming:
            case Naming.NONE:
                return ""
            case Naming.HASHED:
                return hashed(draw, self._style)
            case Naming.UTILITY:
                return draw.choice(_UTILITY)
            case Naming.BLURRED:
                return draw.choice(_BLURRED)
            case Naming.MODULES:
                return f"{token}__{_letters(draw, 5)}"
        role = _role_of(token.lower())
        if role:
            return self._drawn(role)
        return f"{token[:3]}{draw.randrange(10)}" if self.naming is Naming.SHORT else self._prefix + token


def hashed(draw: random.Random, style: int) -> str:
    """Return a class name as style compilers make them.

    Parameters
    ----------
    draw : random.Random
        What is drawn from.
    style : int
        Which compiler, 0 to 3.
    """
    match style:
        case 0:
            return "css-" + _letters(draw, draw.randint(5, 7)).lower()
        case 1:
            return f"sc-{_letters(draw, 6)} {_letters(draw, 6)}"
        case 2:
            return "_" + _letters(draw, 5)
    return f"{draw.choice('jsrwx')}{draw.choice(('ss', '-', '_'))}{draw.randrange(1, 999)}"


def _letters(draw: random.Random, n: int) -> str:
    return draw.choice(string.ascii_letters) + "".join(draw.choices(_LETTERS, k=n - 1))


@cache
def _roles() -> dict[str, tuple[list[str], list[str], list[str]]]:
    found = {}
    for row in _ROLES.strip().replace("\n  ", " ").splitlines():
        role, _, words = row.partition(": ")
        plain, short, other = (part.split() for part in words.split(" | "))
        found[role] = (plain, short, other)
    return found


@cache
def _role_of(token: str) -> str:
    """Return the part that a page's own class names, "" where it names none."""
    for role in sorted(_roles()):
        if role in ("inner", "page"):
            continue
        if any(word in token for word in _roles()[role][0] if len(word) > 4):
            return role
    return ""
