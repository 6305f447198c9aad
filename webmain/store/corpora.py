"""Exports in the formats of corpus tools: vertical text (Sketch Engine, NoSketch Engine, CWB) and TEI P5.

References
----------
TEI Consortium: TEI P5: Guidelines for Electronic Text Encoding and Interchange. The elements are those of TEI Lite; their
order follows the content models of the Guidelines, checked by hand, not by a schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import TextIOBase
from itertools import starmap
from typing import TextIO, cast
from xml.etree.ElementTree import Element, SubElement, indent, tostring
from xml.sax.saxutils import XMLGenerator, escape, quoteattr
from xml.sax.xmlreader import AttributesImpl

from webmain.article.identity import identify
from webmain.items import Article, ArticleBlock, Kind
from webmain.regex import lazy
from webmain.text.normal import fold_space, replace_surrogates, strip_invisible, strip_unprinted
from webmain.text.words import pieces

TEI_NAMESPACE = "http://www.tei-c.org/ns/1.0"
MAX_LIST_DEPTH = 50  # deeper list items are at this depth
_NOT_XML = lazy("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # besides surrogates


def _blocks(article: Article) -> Sequence[ArticleBlock]:
    """Return the blocks of an article; the paragraphs of its text if it has none."""
    if article.blocks:
        return article.blocks
    return [ArticleBlock(kind=Kind.PARAGRAPH, text=part) for part in article.text.split("\n\n") if part.strip()]


# --- vertical text ---------------------------------------------------------------------------------------------------


def write_vertical(articles: Iterable[Article], file: TextIO) -> None:
    """Write articles to an open file as vertical text: one token per line, `<g/>` between tokens without a space.

    Joined by these rules, the tokens of a `<p>` are the text of a block, with white space folded.
    """
    for article in articles:
        values = {
            "id": identify(article),
            "url": article.url,
            "title": article.title,
            "date": article.published and f"{article.published:%Y-%m-%d}",
            "author": "|".join(article.authors),
            "site": article.site,
            "language": article.language,
        }
        file.write(f"<doc{''.join(starmap(_attribute, values.items()))}>\n")
        for block in _blocks(article):
            kind = "" if block.kind is Kind.PARAGRAPH else _attribute("type", block.kind)
            lines = _tokens(block.text, article.language)
            file.write("\n".join([f"<p{kind}>", *lines, "</p>\n"]))
        file.write("</doc>\n")


def _attribute(name: str, value: str | None) -> str:
    text = fold_space(replace_surrogates(strip_unprinted(value or "")))
    return f" {name}=" + quoteattr(text, {'"': "&quot;"})


def _tokens(text: str, language: str | None) -> Iterator[str]:
    """Yield the tokens of a text, escaped, and `<g/>` between those without a space; invisible ones are left out."""
    is_glued = False
    for piece in pieces(text, language=language):
        if piece.isspace():
            is_glued = False
        elif strip_invisible(piece):
            if is_glued:
                yield "<g/>"
            yield escape(piece)
            is_glued = True


# --- TEI -------------------------------------------------------------------------------------------------------------


def write_tei(articles: Iterable[Article], file: TextIO) -> None:
    """Write articles to an open file as a `teiCorpus`, one `TEI` per article; characters that XML forbids are left out."""
    corpus = XMLGenerator(cast(TextIOBase, file), "UTF-8")
    corpus.startDocument()
    corpus.startElement("teiCorpus", AttributesImpl({"xmlns": TEI_NAMESPACE}))
    file.write("\n")
    header = Element("teiHeader")
    described = SubElement(header, "fileDesc")
    _add(SubElement(described, "titleStmt"), "title", "Articles exported by webmain")
    _add(SubElement(described, "publicationStmt"), "p", "Not published.")
    _add(SubElement(described, "sourceDesc"), "p", "Pages of the web sites named in each text.")
    _write(header, file)
    for article in articles:
        _write(_tei(article), file)
    corpus.endElement("teiCorpus")
    corpus.endDocument()
    file.write("\n")


def _write(element: Element, file: TextIO) -> None:
    indent(element, " ")
    file.write(_NOT_XML.sub("", replace_surrogates(tostring(element, encoding="unicode"))) + "\n")


def _add(parent: Element, name: str, text: str | None = "", **attributes: str) -> Element:
    """Append an element with a text to another one; nothing is appended if the text is None."""
    element = Element(name, attributes)
    element.text = text and fold_space(text)
    if text is not None:
        parent.append(element)
    return element


def _add_lines(parent: Element, name: str, text: str, **attributes: str) -> Element:
    """Append an element with the text of a block, with `lb` between its lines."""
    first, *others = [line for each in text.split("\n") if (line := fold_space(each))] or [""]
    element = _add(parent, name, first, **attributes)
    for line in others:
        SubElement(element, "lb").tail = line
    return element


def _tei(article: Article) -> Element:
    tei = Element("TEI", xmlns=TEI_NAMESPACE)
    header = SubElement(tei, "teiHeader")
    described = SubElement(header, "fileDesc")
    for statement in (SubElement(described, "titleStmt"), source := Element("bibl")):
        _add(statement, "title", article.title or "")
        for author in article.authors:
            _add(statement, "author", author)
    published = article.published.isoformat() if article.published else None
    publisher = article.site_name or article.site or "unknown"
    publication = SubElement(described, "publicationStmt")
    _add(publication, "publisher", publisher)
    _add(publication, "idno", identify(article), type="webmain")
    _add(publication, "idno", article.url, type="URI")
    if article.licence:
        _add(SubElement(publication, "availability"), "licence", article.licence)
    _add(publication, "date", published, when=published or "")
    SubElement(described, "sourceDesc").append(source)
    _add(source, "publisher", publisher)
    _add(source, "date", published, when=published or "")
    _add(source, "ref", article.url, target=article.url or "")
    profile = SubElement(header, "profileDesc")
    language = article.language or "und"
    _add(SubElement(profile, "langUsage"), "language", language, ident=language)
    if article.tags:
        keywords = SubElement(SubElement(profile, "textClass"), "keywords")
        for tag in article.tags:
            _add(keywords, "term", tag)
    body = SubElement(SubElement(tei, "text", {"xml:lang": language}), "body")
    _add_blocks(body, _blocks(article))
    return tei


def _add_blocks(body: Element, blocks: Sequence[ArticleBlock]) -> None:
    """Append blocks to the body of a text; each heading begins a division, inside that of a higher heading before it."""
    divisions = [(0, body)]
    lists: list[tuple[int, bool, Element]] = []  # open lists: level, whether ordered, and the list
    quote = None
    for block in blocks:
        division = divisions[-1][1]
        if block.kind is not Kind.LIST_ITEM:
            lists.clear()
        if block.kind is not Kind.QUOTE:
            quote = None
        match block.kind:
            case Kind.HEADING:
                while divisions[-1][0] >= max(1, block.level):
                    divisions.pop()
                division = SubElement(divisions[-1][1], "div")
                divisions.append((max(1, block.level), division))
                _add_lines(division, "head", block.text)
            case Kind.LIST_ITEM:
                _add_item(division, lists, block)
            case Kind.QUOTE:
                quote = quote if quote is not None and block.continues else SubElement(division, "quote")
                _add_lines(quote, "p", block.text)
            case Kind.TABLE:
                table = SubElement(division, "table")
                for cells in block.rows or [row.split("\t") for row in block.text.split("\n")]:
                    row = SubElement(table, "row")
                    for cell in cells or [""]:
                        _add(row, "cell", cell)
            case Kind.CODE:
                _add(division, "p", rend="code", **{"xml:space": "preserve"}).text = block.text
            case Kind.CAPTION:
                _add_lines(division, "p", block.text, rend="caption")
            case _:
                _add_lines(division, "p", block.text)
    if not len(body):
        _add(body, "p")


def _add_item(division: Element, lists: list[tuple[int, bool, Element]], block: ArticleBlock) -> None:
    """Append a list item to the open lists, or another paragraph to the last item."""
    level = min(block.level, MAX_LIST_DEPTH)
    while lists and lists[-1][0] > level:
        lists.pop()
    if lists and lists[-1][0] == level:
        if block.continues:
            _add_lines(lists[-1][2][-1], "p", block.text)
            return
        if lists[-1][1] is not block.ordered:
            lists.pop()
    if not lists or lists[-1][0] < level:
        parent = lists[-1][2][-1] if lists else division
        rend = "numbered" if block.ordered else "bulleted"
        lists.append((level, block.ordered, SubElement(parent, "list", rend=rend)))
    _add_lines(lists[-1][2], "item", block.text, **({"n": str(block.number)} if block.number else {}))
