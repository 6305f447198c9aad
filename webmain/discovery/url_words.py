"""Words that tell what an address leads to, in the languages news sites use in their paths."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    """Return the words of a table."""
    return frozenset(text.split())


HUB_WORDS: Final = _words(
    """
    tag tags tagged hashtag category categories cat kategorie kategorien categorie categoria categorias kategori
    kategoria topic topics thema themen tema temas theme themes sujet sujets dossier dossiers section sections rubrik
    rubriken rubrique rubriques seccion secciones secao sezione rubrika rubric
    author authors autor autoren autores auteur auteurs autori writer writers profile profiles byline contributor
    contributors people person personen journalist journalists columnist columnists user users member members
    archive archives archiv archivo archivos archivio arkiv archief arsiv search suche recherche buscar busca buscador
    cerca zoeken sok arama poisk tim-kiem results page pages seite seiten pagina paginas pagination
    latest latest-news breaking-news live-news newsticker ticker schlagzeilen headlines
    trending popular most-read most-popular meistgelesen editions edition issues
    collection collections series listing listings browse directory all-news archive-news
    label labels keyword keywords key-words hub hubs channel channels
    """
)
"""A path segment that is one of these leads to, or stands before, a list of pages."""

FRONT_WORDS: Final = _words("home index default start startseite hjem inicio accueil main all alle todas list lists")
"""The last segment of a front page or a full list; before other segments they tell nothing."""

AUTHOR_WORDS: Final = _words(
    """
    author authors autor autoren autores auteur auteurs autori writer writers profile profiles contributor contributors
    journalist journalists columnist columnists user users member members
    """
)
"""What follows these is a person's name, and what follows that may be the person's article."""

PERSON_HUB_WORDS: Final = _words(
    """
    tag tags tagged hashtag category categories kategorie categorie categoria categorias kategori rubrik rubrique
    seccion author authors autor autoren autores auteur auteurs autori writer writers profile profiles contributor
    contributors journalist journalists columnist columnists user users member members label labels keyword keywords
    search suche recherche buscar busca arama tim-kiem collection collections
    """
)
"""What follows these is a name, however much it looks like a slug (`/author/anna-maria-von-der-berg`)."""

SIDE_HUB_WORDS: Final = PERSON_HUB_WORDS - _words(
    """
    category categories kategorie categorie categoria categorias kategori rubrik rubrique seccion collection collections
    """
)
"""Those of them that lead to what the sections of a site have too: tags, authors, searches."""

ARTICLE_WORDS: Final = _words(
    """
    article articles artikel articulo articulos artigo artigos articolo articoli artikkel artykul artikkeli art makale
    story stories post posts blogpost beitrag beitraege news-story newsitem news-item noticia noticias notizia notizie
    nachricht nachrichten meldung nyhet nyheter haber haberler berita read content contents detail details view show
    node archives entry entries p cnt bai-viet tin-tuc press-release press-releases pressemitteilung releases a s
    news_view newsview articleview article-detail news-detail newsdetail news_detail readnews shownews viewnews
    """
)
"""A path segment before a slug or an identifier that is an article's."""

NEWS_WORDS: Final = _words(
    """
    news blog blogs world politics politik politique politica business wirtschaft economie economia economy sport sports
    deporte deportes kultur culture cultura opinion opinions meinung debatte society gesellschaft societe sociedad local
    technology tech technik science wissen wissenschaft sciences health gesundheit sante salud entertainment lifestyle
    panorama international national regional inland ausland aktuell aktuelles actualite actualites attualita actualidad
    finance money markets environment climate education travel reise crime magazine magazin features feature analysis
    editorial column columns kolumne commentary comment reviews review interview interviews zprava spravy uutiset nieuws
    nyheder hirek stiri vijesti vesti novosti wiadomosci gundem khao around-thailand
    """
)
"""A path segment that names a news section or a blog."""

IGNORED_WORDS: Final = _words(
    """
    login log-in signin sign-in signup sign-up register registration logout subscribe subscription subscriptions abo
    abonnement abonnieren suscripcion suscribete cart basket warenkorb checkout account my-account konto mi-cuenta
    password forgot-password lost-password privacy privacy-policy datenschutz datenschutzerklaerung
    politica-de-privacidad privacidad confidentialite terms terms-of-service terms-of-use terms-and-conditions
    nutzungsbedingungen agb mentions-legales aviso-legal cgu cgv cookies cookie-policy cookie impressum imprint legal
    disclaimer accessibility contact contact-us contacts kontakt contacto contato contatti about about-us ueber-uns
    uber-uns a-propos sobre chi-siamo quienes-somos newsletter newsletters advertise advertising advertise-with-us
    mediadaten werbung publicidad publicite careers jobs karriere stellenangebote stellenmarkt empleo emploi help hilfe
    faq faqs support feedback donate spenden sitemap site-map sitemaps rss rss-feeds feed feeds atom amp-feed
    wp-admin wp-login wp-json wp-content wp-includes xmlrpc cdn-cgi share print email-a-friend sendtofriend unsubscribe
    download downloads app apps widget widgets api embed ads banner games horoscope horoskop lottery lotto weather
    wetter tempo meteo tv-guide tv-programm epaper e-paper shop store boutique tienda loja merch coupons gutscheine
    deals webcam livestream playlist comments kommentare robots error 404
    """
)
"""The last segment of what is no article and leads to none."""

DEAD_ENDS: Final = _words(
    """
    wp-admin wp-login wp-json wp-content wp-includes xmlrpc cdn-cgi cgi-bin cart basket warenkorb checkout account
    my-account login signin signup register logout unsubscribe share sendtofriend api _next static assets feed rss
    comment-page replytocom shop tienda warenkorb product products produkt produkte producto
    """
)
"""Below these is never an article, wherever in the path they stand."""

IGNORED_SUFFIXES: Final = _words(
    """
    jpg jpeg png gif webp avif svg ico bmp tif tiff mp3 m4a wav ogg oga mp4 m4v webm mov avi mkv m3u8 pdf doc docx xls
    xlsx ppt pptx odt epub mobi zip gz tgz rar 7z tar bz2 exe dmg apk iso css js mjs map json jsonld xml rss atom rdf
    csv txt woff woff2 ttf eot otf swf ics vcf torrent webmanifest
    """
)
"""File name extensions of what is no page."""

PAGE_SUFFIXES: Final = _words("html htm shtml xhtml php php3 phtml asp aspx jsp do cfm ece cms stm story")
"""File name extensions of pages; the last four are of publishing systems that write articles."""

ID_KEYS: Final = _words(
    """
    id aid nid sid pid post newsid news_id articleid article_id artid art_id idx idxno no num seq seqno storyid story_id p
    itemid contentid content_id cid docid nno newsno oid artikelid idart idnews idnoticia newsdetailid topicid seq_code
    """
)
"""Query parameters that number an article."""

PAGE_KEYS: Final = _words("page paged pg pag pagina seite start offset from p pn pageno page_no pagenum pageindex")
"""Query parameters that number the pages of a list (`p` is WordPress's post number, unless small)."""

SEARCH_KEYS: Final = _words("q query s search keyword keywords kw term suche tag cat category author replytocom")
"""Query parameters of searches and filters."""

LANGUAGES: Final = _words(
    """
    en de fr es it pt nl sv no da fi pl cs sk hu ro bg el tr ru uk ar he fa hi bn ur ta te th vi id ms ja ko zh us gb
    au ca at ch br mx cn tw hk ie in nz za en-us en-gb en-au en-ca en-in de-de de-at de-ch fr-fr fr-ca es-es es-mx pt-br
    zh-cn zh-tw en_us en_gb eng
    """
)
"""First segments that choose a language or an edition."""
