"""What websites say around their articles, in many languages: the wording of made-up pages' controls and boxes.

One table a language: a line a concept, its variants parted by bars; lines that begin with a bar go on. What a
language lacks is taken from English, as many sites do whose templates were never translated. `{n}` stands for a number,
`{x}` for a name.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENGLISH = """
reply: Reply|Reply to this|Respond|Answer|Reply to {x}|Quote
share: Share|Share this|Tweet|Email|Print|Facebook|Twitter|Pin it|Save|Copy link|WhatsApp|Like|Bookmark|+1
  |Send to a friend
comments: {n} comments|Comments ({n})|{n} Responses|Comments|Discussion|{n} thoughts on this|Join the conversation
  |Your views|Readers' comments
leave: Leave a comment|Leave a reply|Post a comment|Add your comment|Have your say|Log in to comment
  |What do you think?
fields: Name|E-mail (will not be published)|Website|Comment|Notify me of follow-up comments by email.
  |Save my name for the next time I comment.
submit: Submit|Post comment|Send|Publish|Preview
says: says:|said|wrote:|commented|says|writes|said...|on|at
report: Report|Report abuse|Flag|Like|Dislike|Permalink|Link|Parent|Share|Upvote|Hide|Edit
posted: Posted by {x}|By {x}|Posted on|Published|Updated|Written by {x}|Submitted by {x}|Filed under
related: Related stories|You may also like|More on this topic|Read next|Recommended|More from this section
  |Similar posts|Don't miss|Related articles|Most read|Around the web
more: Read more|Continue reading|Full story|More|Read the full article|(more...)|Keep reading|View all
news_title: Subscribe to our newsletter|Get the daily briefing|Sign up for updates|Never miss a story
  |Join {n},000 readers
news_text: Get the day's most important stories delivered to your inbox every morning.
  |Enter your address below and we will send you our best reading once a week, free of charge.
  |By signing up you agree to our terms and acknowledge that we may send you offers from our partners.
  |No spam, and you can leave at any time.|You are now signed up. Please check your inbox to confirm your address.
subscribe: Subscribe|Sign up|Join now|Create a free account|Start your trial|Log in
cookie: We use cookies to make this site work, to measure how it is used and to show suitable advertising.
  |We and our {n} partners store information on your device, such as unique identifiers in cookies, to process personal data.
  |You can accept or manage your choices below, including your right to object where legitimate interest is used.
  |By continuing to browse you agree to our use of cookies.
  |Your choice applies to this website only and can be changed at any time in the settings.
accept: Accept all|Agree|Reject all|Manage options|Settings|OK, got it|Learn more|Continue without accepting
wall: This article is for subscribers only.|You have read all your free articles this month.
  |Already a subscriber? Log in.|Support independent journalism: become a member today and read without limits.
  |Continue reading for one dollar in the first month, and cancel whenever you like.
about: About {x}|About us|About the company|About the author|Who we are|Contact
bio: {x} is a reporter who covers business and politics.
  |{x} has written for us for more than ten years and lives by the sea with two cats.|Follow {x} for more.
  |{x} is our editor-at-large and the author of several books.|More by {x}|Reach {x} by email with tips and questions.
company: {x} is a leading provider of services and solutions for customers in more than {n} countries.
  |Founded in 1987, {x} employs about {n},000 people and is listed on the stock exchange.
  |For more information, visit our website.
  |Forward-looking statements involve risks and uncertainties, and actual results may differ materially.
  |Media contact: {x}, press office.
legal: All rights reserved.
  |This material may not be published, broadcast, rewritten or redistributed without permission.
  |Use of this site constitutes acceptance of our terms of use and privacy policy.
  |The opinions expressed here are those of the authors and do not reflect the position of the publisher.
  |Quotes are delayed by at least fifteen minutes.|We may earn a commission when you buy through links on our site.
  |Registered office: 12 High Street. Company number {n}.|The content of external sites is not our responsibility.
menu: Home|News|Politics|Business|Sport|Culture|Opinion|Science|Technology|Health|Travel|World|Local|Weather|Jobs
  |Video|Photos|Contact|About|Archive|Login|Register|Shop|Events|FAQ|Blog|Services|Products|Press|Help
foot: Terms of use|Privacy policy|Imprint|Cookie settings|Advertise|Careers|Sitemap|Accessibility|RSS|Contact us
  |Corrections|Newsletters
side: Recent posts|Recent comments|Archives|Categories|Blogroll|Tags|Popular|Search|Follow us|Links|Meta|Calendar
  |About me|Top stories|Sponsors|Latest news
ago: {n} minutes ago|{n} hours ago|{n} days ago|yesterday|just now|{n} weeks ago|a month ago
months: January February March April May June July August September October November December
ads: Advertisement|Sponsored|Story continues below|Article continues after the advertisement|Promoted
photo: Photo: {x}|Image: {x}/Archive|Picture by {x}|File photo|Source: {x}|Credit: {x}|(c) {x}
photo_text: A view of the building on Monday|People wait in line outside the town hall
  |The minister at a press conference|Visitors at the opening of the exhibition|The team after the match
  |Traffic in the city centre
misc: Previous|Next|Back to top|Print this page|Permalink|Trackback|Add to favourites|Text size|Listen to this article
  |{n} min read|Views: {n}|Tags:|Topics|Share this article|Skip to content|Search|Menu|Font size|Rate this
guest: Sign our guestbook|You are visitor number {n}|Best viewed at 1024 x 768|Webmaster|Powered by|Valid XHTML
  |Last updated|Add to my links
short: nice post|Great article, thanks!|lol|I agree.|so true|First!|Thanks for sharing|This.|Well said.|What a shame
  |love it|Interesting read|+1|Totally disagree|Good point|who cares|Finally someone says it|Source?
  |Thank you so much for this!|Congratulations!
open: I think|In my opinion|You are right, but|I disagree:|To be fair,|Sorry, but|As I said before,|Well,
  |My two cents:|Not sure about that.|Exactly!|Honestly,|I remember when|Hi,
close: Just saying.|Thanks.|Cheers|What do others think?|Keep up the good work!|:)|;-)|Greetings from the north.
  |My 2 cents
"""

_GERMAN = """
reply: Antworten|Auf diesen Beitrag antworten|Zitieren|Antwort
share: Teilen|Merken|Drucken|Per E-Mail versenden|Empfehlen|Link kopieren|Twittern|Auf Facebook teilen
comments: {n} Kommentare|Kommentare ({n})|Diskussion|Leserkommentare|Lesermeinungen|Ihre Meinung
leave: Kommentar schreiben|Kommentieren|Schreiben Sie einen Kommentar|Diskutieren Sie mit
  |Zum Kommentieren bitte anmelden
fields: Name|E-Mail (wird nicht angezeigt)|Webseite|Ihr Kommentar|Benachrichtigt mich über neue Kommentare per E-Mail.
submit: Abschicken|Senden|Kommentar abgeben|Vorschau
says: sagt:|schrieb am|meint|schreibt:|am|sagte
report: Melden|Gefällt mir|Missbrauch melden|Permalink|Empfehlen|Bearbeiten
posted: Von {x}|Veröffentlicht von {x}|Aktualisiert am|Geschrieben von {x}|Stand|Erstellt
related: Mehr zum Thema|Das könnte Sie auch interessieren|Lesen Sie auch|Ähnliche Beiträge|Meistgelesen
  |Weitere Meldungen|Auch interessant
more: Weiterlesen|Mehr lesen|mehr|Zum Artikel|Alle anzeigen|[mehr]
news_title: Newsletter abonnieren|Der tägliche Überblick|Nichts mehr verpassen|Jetzt anmelden
news_text: Erhalten Sie jeden Morgen die wichtigsten Nachrichten direkt in Ihr Postfach.
  |Mit der Anmeldung stimmen Sie zu, dass wir Ihnen Angebote zusenden dürfen; die Abmeldung ist jederzeit möglich.
  |Vielen Dank für Ihre Anmeldung, bitte bestätigen Sie den Link in unserer Nachricht.
subscribe: Abonnieren|Anmelden|Jetzt testen|Registrieren|Einloggen
cookie: Wir verwenden Cookies, um unsere Seiten zu betreiben, zu messen und passende Werbung anzuzeigen.
  |Wir und unsere {n} Partner speichern Informationen auf Ihrem Gerät und verarbeiten personenbezogene Daten.
  |Sie können Ihre Einwilligung jederzeit mit Wirkung für die Zukunft widerrufen.
  |Weitere Hinweise finden Sie in der Datenschutzerklärung.
accept: Alle akzeptieren|Zustimmen|Ablehnen|Einstellungen|Mehr erfahren|Einverstanden
wall: Dieser Artikel ist nur für Abonnenten.|Sie haben bereits ein Abo? Hier anmelden.
  |Lesen Sie einen Monat lang alle Texte für einen Euro, jederzeit kündbar.
  |Unterstützen Sie unabhängigen Journalismus.
about: Über {x}|Über uns|Über das Unternehmen|Zum Autor|Kontakt
bio: {x} ist Redakteur im Ressort Wirtschaft.
  |{x} schreibt seit vielen Jahren über Politik und Gesellschaft und lebt in Leipzig.|Mehr von {x}|Folgen Sie {x}.
company: {x} ist ein führender Anbieter von Dienstleistungen für Kunden in mehr als {n} Ländern.
  |Das Unternehmen wurde 1921 gegründet und beschäftigt rund {n}000 Mitarbeiter.
  |Weitere Informationen finden Sie auf unserer Webseite.|Pressekontakt: {x}
legal: Alle Rechte vorbehalten.|Nachdruck und Vervielfältigung nur mit Genehmigung.
  |Für den Inhalt externer Seiten übernehmen wir keine Haftung.|Alle Angaben ohne Gewähr.
  |Namentlich gekennzeichnete Beiträge geben nicht unbedingt die Meinung der Redaktion wieder.
menu: Startseite|Nachrichten|Politik|Wirtschaft|Sport|Kultur|Meinung|Wissen|Technik|Gesundheit|Reise|Panorama|Lokales
  |Wetter|Stellen|Video|Bilder|Kontakt|Archiv|Anmelden|Veranstaltungen|Termine|Service|Verein|Presse
foot: Impressum|Datenschutz|AGB|Nutzungsbedingungen|Mediadaten|Karriere|Kontakt|RSS|Barrierefreiheit|Abo
side: Letzte Beiträge|Neueste Kommentare|Archiv|Kategorien|Schlagwörter|Suche|Folgen Sie uns|Links|Beliebt|Kalender
  |Top-Themen
ago: vor {n} Minuten|vor {n} Stunden|vor {n} Tagen|gestern|gerade eben
months: Januar Februar März April Mai Juni Juli August September Oktober November Dezember
ads: Anzeige|Werbung|Gesponsert|Der Artikel geht nach der Anzeige weiter
photo: Foto: {x}|Bild: {x}/dpa|Archivbild|Quelle: {x}
photo_text: Blick auf das Rathaus am Montag|Besucher bei der Eröffnung der Ausstellung
  |Der Minister bei einer Pressekonferenz|Die Mannschaft nach dem Spiel
misc: Zurück|Weiter|Nach oben|Seite drucken|Schriftgröße|Artikel anhören|Lesezeit: {n} Min.|Themen|Zum Inhalt springen
  |Suche|Menü
guest: Ins Gästebuch eintragen|Sie sind Besucher Nr. {n}|Zuletzt geändert
short: Guter Artikel!|Sehe ich genauso.|Danke!|Endlich sagt es mal einer|Na und?|Quelle?|So ein Quatsch|Stimmt
  |Schöner Beitrag|Traurig.|Super!
open: Ich finde,|Meiner Meinung nach|Sie haben recht, aber|Na ja,|Ehrlich gesagt,|Das stimmt so nicht:
  |Wie schon gesagt,|Hallo,
close: Nur meine Meinung.|Danke.|Gruß|Liebe Grüße aus dem Norden|:-)|Schade.
"""

_FRENCH = """
reply: Répondre|Répondre à {x}|Citer
share: Partager|Envoyer|Imprimer|Tweeter|Enregistrer|Copier le lien|Recommander
comments: {n} commentaires|Commentaires ({n})|Réactions|Vos réactions|Discussion
leave: Laisser un commentaire|Réagir|Ajouter un commentaire|Connectez-vous pour commenter
fields: Nom|Adresse e-mail (ne sera pas publiée)|Site web|Commentaire|Prévenez-moi des nouveaux commentaires.
submit: Envoyer|Publier|Valider
says: dit :|a écrit|le|a dit
report: Signaler|J'aime|Signaler un abus|Lien permanent
posted: Par {x}|Publié le|Mis à jour le|Publié par {x}
related: À lire aussi|Sur le même sujet|Articles liés|Les plus lus|Vous aimerez aussi|Voir aussi
more: Lire la suite|En savoir plus|Lire l'article|Voir tout
news_title: Inscrivez-vous à notre lettre|L'essentiel du jour|Ne manquez rien
news_text: Recevez chaque matin l'essentiel de l'actualité dans votre boîte aux lettres électronique.
  |En vous inscrivant, vous acceptez de recevoir nos offres et celles de nos partenaires.
  |Vous pouvez vous désinscrire à tout moment.
subscribe: S'abonner|S'inscrire|Se connecter|Je m'abonne
cookie: Nous utilisons des cookies pour faire fonctionner ce site, mesurer son audience et adapter les publicités.
  |Nos {n} partenaires et nous stockons des informations sur votre appareil afin de traiter des données personnelles.
  |Vous pouvez modifier vos choix à tout moment.
accept: Tout accepter|Refuser|Paramétrer|En savoir plus|Continuer sans accepter
wall: Cet article est réservé aux abonnés.|Déjà abonné ? Connectez-vous.
  |Soutenez une presse indépendante et lisez sans limite pour un euro le premier mois.
about: À propos de {x}|Qui sommes-nous|À propos|L'auteur
bio: {x} est journaliste au service économie.|{x} écrit depuis dix ans sur la politique et la société.
  |Tous les articles de {x}
company: {x} est un acteur majeur des services, présent dans plus de {n} pays.
  |Créée en 1968, l'entreprise emploie près de {n} 000 personnes.|Contact presse : {x}
legal: Tous droits réservés.|Toute reproduction interdite sans autorisation.
  |Les propos tenus ici n'engagent que leurs auteurs.
  |Conditions générales d'utilisation et politique de confidentialité.
menu: Accueil|Actualités|Politique|Économie|Sport|Culture|Opinions|Sciences|Santé|Voyage|Monde|Régions|Météo|Emploi
  |Vidéos|Photos|Contact|Archives|Connexion
foot: Mentions légales|Confidentialité|Conditions d'utilisation|Publicité|Plan du site|Contact|RSS
side: Articles récents|Commentaires récents|Archives|Catégories|Recherche|Liens|Populaires|Suivez-nous
ago: il y a {n} minutes|il y a {n} heures|il y a {n} jours|hier
months: janvier février mars avril mai juin juillet août septembre octobre novembre décembre
ads: Publicité|Contenu sponsorisé|La suite après la publicité
photo: Photo : {x}|Crédit : {x}|Image d'archives|{x}/AFP
photo_text: Vue de la mairie lundi|Des visiteurs à l'ouverture de l'exposition
  |Le ministre lors d'une conférence de presse
misc: Précédent|Suivant|Haut de page|Imprimer|Temps de lecture : {n} min|Sujets|Aller au contenu|Recherche|Menu
short: Bel article|Merci !|Tout à fait d'accord|Bravo|N'importe quoi|Et alors ?|Très intéressant|Source ?
open: Je pense que|À mon avis,|Vous avez raison, mais|Désolé, mais|Bonjour,|Franchement,
close: Voilà.|Merci.|Cordialement|Bonne journée|:)
"""

_SPANISH = """
reply: Responder|Responder a {x}|Citar
share: Compartir|Enviar|Imprimir|Guardar|Copiar enlace|Tuitear
comments: {n} comentarios|Comentarios ({n})|Opiniones|Tu opinión
leave: Deja un comentario|Comentar|Escribe tu comentario|Inicia sesión para comentar
fields: Nombre|Correo electrónico (no será publicado)|Sitio web|Comentario
submit: Enviar|Publicar
says: dice:|dijo|escribió|el
report: Denunciar|Me gusta|Reportar|Enlace permanente
posted: Por {x}|Publicado el|Actualizado|Escrito por {x}
related: Noticias relacionadas|También te puede interesar|Más sobre este tema|Lo más leído|Te recomendamos|Ver también
more: Leer más|Seguir leyendo|Ver todo|Más información
news_title: Suscríbete a nuestro boletín|Lo mejor del día|No te pierdas nada
news_text: Recibe cada mañana las noticias más importantes en tu correo.
  |Al suscribirte aceptas nuestras condiciones y la política de privacidad.|Puedes darte de baja cuando quieras.
subscribe: Suscribirse|Regístrate|Iniciar sesión
cookie: Utilizamos cookies propias y de terceros para que el sitio funcione, medir su uso y adaptar la publicidad.
  |Nosotros y nuestros {n} socios almacenamos información en tu dispositivo para tratar datos personales.
  |Puedes cambiar tu elección en cualquier momento.
accept: Aceptar todo|Rechazar|Configurar|Más información
wall: Este contenido es exclusivo para suscriptores.|¿Ya eres suscriptor? Inicia sesión.
  |Apoya el periodismo independiente y lee sin límites.
about: Acerca de {x}|Sobre nosotros|Quiénes somos|Sobre el autor
bio: {x} es periodista de la sección de economía.|{x} escribe sobre política y sociedad desde hace diez años.
  |Más artículos de {x}
company: {x} es una empresa líder en servicios con presencia en más de {n} países.
  |Fundada en 1974, emplea a unas {n}.000 personas.|Contacto de prensa: {x}
legal: Todos los derechos reservados.|Prohibida la reproducción total o parcial sin autorización.
  |Las opiniones son responsabilidad de sus autores.|Aviso legal y política de privacidad.
menu: Inicio|Noticias|Política|Economía|Deportes|Cultura|Opinión|Ciencia|Salud|Viajes|Mundo|Local|Tiempo|Empleo|Vídeos
  |Fotos|Contacto|Archivo
foot: Aviso legal|Privacidad|Condiciones de uso|Publicidad|Mapa del sitio|Contacto|RSS
side: Entradas recientes|Comentarios recientes|Archivos|Categorías|Buscar|Enlaces|Lo más visto|Síguenos
ago: hace {n} minutos|hace {n} horas|hace {n} días|ayer
months: enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ads: Publicidad|Patrocinado|Continúa después de la publicidad
photo: Foto: {x}|Imagen de archivo|Crédito: {x}|{x}/EFE
photo_text: Vista del ayuntamiento el lunes|Visitantes en la inauguración de la muestra
  |El ministro en una rueda de prensa
misc: Anterior|Siguiente|Volver arriba|Imprimir|Tiempo de lectura: {n} min|Temas|Ir al contenido|Buscar|Menú
short: Muy buen artículo|Gracias|Totalmente de acuerdo|Qué pena|¿Y la fuente?|Excelente|Felicidades|Jajaja
open: Creo que|En mi opinión,|Tienes razón, pero|Perdón, pero|Hola,|La verdad,
close: Saludos.|Gracias.|Es mi opinión.|:)
"""

_ITALIAN = """
reply: Rispondi|Cita
share: Condividi|Stampa|Invia|Salva|Copia link
comments: {n} commenti|Commenti ({n})|I vostri commenti|Discussione
leave: Lascia un commento|Commenta|Accedi per commentare
says: ha detto:|scrive|il
report: Segnala|Mi piace|Link permanente
posted: Di {x}|Pubblicato il|Aggiornato il
related: Leggi anche|Articoli correlati|Potrebbe interessarti|I più letti
more: Leggi tutto|Continua a leggere|Vedi tutti
news_title: Iscriviti alla newsletter|Le notizie del giorno
news_text: Ricevi ogni mattina le notizie più importanti nella tua casella di posta.
  |Iscrivendoti accetti le condizioni e l'informativa sulla privacy.
subscribe: Iscriviti|Abbonati|Accedi
cookie: Utilizziamo i cookie per far funzionare il sito, misurarne l'uso e mostrare annunci adatti a te.
  |Noi e i nostri {n} partner archiviamo informazioni sul tuo dispositivo.
  |Puoi modificare le tue scelte in qualsiasi momento.
accept: Accetta tutto|Rifiuta|Impostazioni|Scopri di più
wall: Questo articolo è riservato agli abbonati.|Sei già abbonato? Accedi.|Sostieni il giornalismo indipendente.
about: Informazioni su {x}|Chi siamo|L'autore
bio: {x} si occupa di economia e politica.|Tutti gli articoli di {x}
legal: Tutti i diritti riservati.|Riproduzione riservata.|Le opinioni espresse sono degli autori.
menu: Home|Notizie|Politica|Economia|Sport|Cultura|Opinioni|Scienza|Salute|Viaggi|Mondo|Meteo|Lavoro|Video|Foto
  |Contatti|Archivio
foot: Note legali|Privacy|Pubblicità|Contatti|Mappa del sito
side: Articoli recenti|Commenti recenti|Archivi|Categorie|Cerca|Seguici
ago: {n} minuti fa|{n} ore fa|{n} giorni fa|ieri
months: gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
ads: Pubblicità|Contenuto sponsorizzato
photo: Foto: {x}|Foto d'archivio|Ansa/{x}
short: Bell'articolo|Grazie!|Sono d'accordo|Che tristezza|Bravi|Complimenti
open: Secondo me|Credo che|Scusate, ma|Ciao,
close: Saluti.|Grazie.|:)
"""

_PORTUGUESE = """
reply: Responder|Citar
share: Compartilhar|Partilhar|Imprimir|Enviar|Copiar link
comments: {n} comentários|Comentários ({n})|Dê sua opinião
leave: Deixe um comentário|Comentar|Faça login para comentar
says: disse:|escreveu|diz|em
report: Denunciar|Curtir|Gosto
posted: Por {x}|Publicado em|Atualizado em
related: Leia também|Notícias relacionadas|Veja também|Mais lidas
more: Leia mais|Continue lendo|Ver tudo|Saiba mais
news_title: Assine a nossa newsletter|As notícias do dia
news_text: Receba todas as manhãs as principais notícias no seu e-mail.
  |Ao se inscrever, você aceita os termos de uso e a política de privacidade.
subscribe: Assinar|Cadastre-se|Entrar
cookie: Usamos cookies para que o site funcione, para medir o seu uso e mostrar anúncios adequados a você.
  |Ao continuar navegando, você concorda com a nossa política.|Você pode mudar suas preferências a qualquer momento.
accept: Aceitar todos|Rejeitar|Configurações
wall: Conteúdo exclusivo para assinantes.|Já é assinante? Entre.
about: Sobre {x}|Sobre nós|Quem somos
bio: {x} é repórter de economia e política.|Mais textos de {x}
legal: Todos os direitos reservados.|É proibida a reprodução sem autorização.
  |As opiniões são de responsabilidade dos autores.
menu: Início|Notícias|Política|Economia|Esportes|Cultura|Opinião|Ciência|Saúde|Mundo|Tempo|Vídeos|Fotos|Contato
foot: Termos de uso|Privacidade|Anuncie|Contato|Mapa do site
side: Posts recentes|Comentários recentes|Arquivos|Categorias|Buscar|Siga-nos
ago: há {n} minutos|há {n} horas|há {n} dias|ontem
months: janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
ads: Publicidade|Patrocinado|Continua depois da publicidade
photo: Foto: {x}|Crédito: {x}|Divulgação
short: Ótimo texto|Obrigado!|Concordo|Parabéns|Que triste|kkkk
open: Eu acho que|Na minha opinião,|Desculpe, mas|Olá,
close: Abraços.|Obrigado.|:)
"""


@cache
def _languages() -> dict[str, str]:
    from webmain.evaluation.training.made_up_more_words import MORE_WORDS

    own = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "it": _ITALIAN, "pt": _PORTUGUESE}
    return {**own, **MORE_WORDS}


@cache
def wording(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return what sites of a language say, by concept; English for what is not known.

    Parameters
    ----------
    language : str
        ISO 639 code.

    Returns
    -------
    mapping of str to tuple of str
        At least one variant for each of the concepts that English has.
    """
    found = _read(_ENGLISH)
    if language != "en" and language in _languages():
        found = {**found, **_read(_languages()[language])}
    return found


def worded_languages() -> tuple[str, ...]:
    """Return the languages that have a wording of their own, sorted."""
    return tuple(sorted(_languages()))


def _read(table: str) -> dict[str, tuple[str, ...]]:
    rows = (line.partition(": ") for line in table.replace("\n  |", "|").strip().splitlines())
    return {key: tuple(value.split(" " if key == "months" else "|")) for key, _, value in rows}
