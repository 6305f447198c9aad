"""Changes to real pages: boxes put where sites have them, classes renamed, tags replaced, articles cut short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from lxml import etree

from webmain.evaluation.training import made_up_boxes as boxes
from webmain.evaluation.training.made_up_comments import thread
from webmain.evaluation.training.made_up_desk import Desk
from webmain.evaluation.training.made_up_names import Naming
from webmain.evaluation.training.made_up_page import Element, OpenPage

SEMANTIC: Final = frozenset(
    "article main section header footer aside nav figure figcaption time address hgroup".split()
)
_TELLING: Final = ("itemprop", "itemtype", "itemscope", "role", "property", "typeof", "rel", "itemid", "title")
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


def add_comments(page: OpenPage, desk: Desk) -> None:
    """Put a thread after the article, .3 to 6 times as long."""
    chars = sum(len(run.text) for run in page.content) or len(page.gold)
    share = desk.draw.choice((0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.5, 6.0))
    made = thread(desk, int(max(chars, 300) * share))
    page.comments.append(made.text)
    _after_article(page, desk, made.html)


def add_teasers(page: OpenPage, desk: Desk) -> None:
    """Put teasers of other stories after the article or beside it."""
    for _ in range(desk.draw.randint(1, 3)):
        _after_article(page, desk, boxes.teasers(desk))


def add_inside(page: OpenPage, desk: Desk) -> None:
    """Put pointers, figures, advertisements and the like between paragraphs."""
    made = (
        boxes.inline_teaser,
        boxes.inline_teaser,
        boxes.figure,
        boxes.figure,
        boxes.advert,
        boxes.newsletter,
        boxes.teasers,
    )
    for _ in range(desk.draw.randint(1, 4)):
        _between(page, desk, desk.draw.choice(made)(desk))


def add_around(page: OpenPage, desk: Desk) -> None:
    """Put what stands at an article's ends: shares, an author, tags, a firm's own words."""
    last = (
        boxes.author_box,
        boxes.author_box,
        boxes.company,
        boxes.tag_line,
        boxes.share_bar,
        boxes.newsletter,
        boxes.wall,
        boxes.legal,
    )
    for _ in range(desk.draw.randint(1, 3)):
        _after_article(page, desk, desk.draw.choice(last)(desk), close=True)
    if desk.chance(0.4):
        slot = page.slot(desk.draw.choice((boxes.share_bar, boxes.advert, boxes.figure))(desk))
        if page.container is page.body:
            page.body.insert(0, slot)
        else:
            page.container.addprevious(slot)


def add_sidebar(page: OpenPage, desk: Desk) -> None:
    """Put a column beside the article's."""
    slot = page.slot(boxes.sidebar(desk))
    column = _column(page)
    if column is None:
        page.body.append(slot)
    elif desk.chance(0.3):
        column.addprevious(slot)
    else:
        column.addnext(slot)


def add_notice(page: OpenPage, desk: Desk) -> None:
    """Put a notice about cookies at the page's beginning or end."""
    slot = page.slot(boxes.cookies(desk))
    if desk.chance(0.5):
        page.body.insert(0, slot)
    else:
        page.body.append(slot)


def add_footer(page: OpenPage, desk: Desk) -> None:
    """Put a foot at the page's end, at times with a company's words before it."""
    if desk.chance(0.3):
        page.body.append(page.slot(boxes.company(desk)))
    page.body.append(page.slot(boxes.footer(desk)))


def shorten(page: OpenPage, desk: Desk) -> None:
    """Cut the article after its first paragraphs; all around it stays."""
    told = sum(len(run.text) for run in page.content)
    keep = desk.draw.randint(2, 5)
    kept, cut = page.content[:keep], page.content[keep:]
    if not cut or not 0.9 <= told / max(len(page.gold), 1) <= 1.1 or sum(len(run.text) for run in kept) < 150:
        return
    gone = {run.owner for run in cut} - {run.owner for run in kept}
    owners = {run.owner for run in page.content}
    for run in cut:
        if run.owner not in gone or any(child in owners for child in run.owner.iterdescendants()):
            return
    for element in gone:
        _remove(element)
    page.content = kept
    page.gold = "\n\n".join(run.text for run in kept)
    for script in list(page.root.iter("script")):
        _remove(script)


def rename(page: OpenPage, desk: Desk) -> None:
    """Rename all classes and ids as the desk's site names its own."""
    drop_telling = desk.chance(0.6)
    drop_ids = desk.names.naming in (Naming.NONE, Naming.HASHED, Naming.UTILITY) or desk.chance(0.3)
    renamed = desk.names.renamed
    for element in page.root.iter(etree.Element):
        attributes = element.attrib
        if "class" in attributes:
            tokens = filter(None, map(renamed, str(attributes["class"]).split()))
            attributes["class"] = " ".join(tokens)
            if not attributes["class"]:
                del attributes["class"]
        if "id" in attributes and element.tag != "x-slot":
            name = "" if drop_ids else renamed(str(attributes["id"]))
            attributes["id"] = name
            if not name:
                del attributes["id"]
        if drop_telling:
            _drop_telling(element)


def _drop_telling(element: Element) -> None:
    """Drop the attributes that name a part's role; hidden parts stay so."""
    if element.tag not in ("meta", "link", "html"):
        for name in map(str, list(element.attrib)):
            if name in _TELLING or (name.startswith(("data-", "aria-")) and name != "aria-hidden"):
                del element.attrib[name]


def flatten_tags(page: OpenPage, desk: Desk) -> None:
    """Make boxes of what HTML5 brought, and at times of headings as well."""
    headings = desk.draw.choice((None, None, "div", "p", "b", "font"))
    for element in page.body.iter(*SEMANTIC):
        element.tag = "span" if element.tag == "time" else "div"
    if headings:
        for element in page.body.iter(*_HEADINGS):
            if headings in ("b", "font"):
                _wrap_children(element, headings)
            element.tag = "p" if headings in ("b", "font") else headings


def rewrite_paragraphs(page: OpenPage, desk: Desk) -> None:
    """Write the article's paragraphs as texts parted by line breaks, as boxes, as items of a list, or in spans."""
    way = desk.draw.choice(("br", "br", "div", "div", "li", "span", "font"))
    page.content = [run for run in page.content if run.owner is not page.container]
    for group in _paragraph_groups(page):
        if way == "li" and len(group) > 1:
            first = etree.Element("ul")
            group[0].addprevious(first)
            for paragraph in group:
                first.append(paragraph)
                paragraph.tag = "li"
        if way == "br":
            group[0].addprevious(etree.Element("br"))
            group[0].addprevious(etree.Element("br"))
        for paragraph in group:
            match way:
                case "div":
                    paragraph.tag = "div"
                case "font" | "span":
                    _wrap_children(paragraph, way)
                case "br" if paragraph.getparent() is not None:
                    for _ in range(2):
                        paragraph.addnext(etree.Element("br"))
                    _unwrap(paragraph)


def lay_out_in_tables(page: OpenPage, desk: Desk) -> None:
    """Put the page, or the article's column, into a table with a column of links and boxes beside it."""
    table = etree.Element("table", width="100%", border="0")
    row = etree.SubElement(table, "tr")
    cells = [etree.SubElement(row, "td", valign="top") for _ in range(desk.draw.choice((1, 2, 2, 3)))]
    where = page.container if desk.chance(0.5) or page.container is page.body else _column(page)
    where = page.body if where is None else where
    main = cells[0] if len(cells) == 1 else cells[desk.draw.randrange(len(cells))]
    for cell in cells:
        if cell is not main:
            cell.append(page.slot(boxes.sidebar(desk) if desk.chance(0.6) else boxes.link_list(desk)))
    main.text, where.text = where.text, None
    for child in list(where):
        main.append(child)
    where.append(table)
    if page.container is where:
        page.container = main


Change = Callable[[OpenPage, Desk], None]

INSERTIONS: Final[tuple[tuple[Change, float], ...]] = (
    (add_inside, 0.3),
    (add_around, 0.35),
    (add_comments, 0.6),
    (add_teasers, 0.5),
    (add_sidebar, 0.35),
    (add_notice, 0.2),
    (add_footer, 0.25),
)
"""What is put around an article, in the order in which it is done, with the share of the pages."""

REWRITINGS: Final[tuple[tuple[Change, float], ...]] = (
    (rename, 0.65),
    (flatten_tags, 0.35),
    (lay_out_in_tables, 0.12),
    (rewrite_paragraphs, 0.3),
)


def _after_article(page: OpenPage, desk: Desk, html: str, *, close: bool = False) -> None:
    """Put a box behind the article: next to its last paragraph, at the container's end, behind it, or behind its column."""
    slot = page.slot(html)
    roll = desk.draw.random()
    last = page.child_of_container(page.content[-1].owner) if page.content else None
    if roll < (0.45 if close else 0.3) and last is not None:
        last.addnext(slot)
    elif roll < 0.6 or page.container is page.body:
        page.container.append(slot)
    elif roll < 0.9:
        page.container.addnext(slot)
    else:
        column = _column(page)
        (page.container if column is None else column).addnext(slot)


def _between(page: OpenPage, desk: Desk, html: str) -> None:
    """Put a box between two of the article's blocks."""
    places = [page.child_of_container(run.owner) for run in page.content[1:]]
    found = [place for place in places if place is not None]
    if found:
        desk.draw.choice(found).addprevious(page.slot(html))


def _column(page: OpenPage) -> Element | None:
    """Return the article's column: the container or what is around it that has a neighbour."""
    element: Element | None = page.container
    while element is not None and element is not page.body:
        parent = element.getparent()
        if parent is None:
            return None
        if len(parent) > 1 and parent.tag not in ("tr", "table", "tbody", "ul", "ol"):
            return element
        element = parent
    return None


def _paragraph_groups(page: OpenPage) -> Iterator[list[Element]]:
    """Give the article's `p` elements, those that follow each other together."""
    group: list[Element] = []
    for run in page.content:
        owner = run.owner
        if owner.tag != "p" or owner.getparent() is None or (group and owner is group[-1]):
            continue
        if group and owner.getprevious() is not group[-1]:
            yield group
            group = []
        group.append(owner)
    if group:
        yield group


def _wrap_children(element: Element, tag: str) -> None:
    inner = etree.Element(tag)
    inner.text, element.text = element.text, None
    for child in list(element):
        inner.append(child)
    element.append(inner)


def _remove(element: Element) -> None:
    parent = element.getparent()
    if parent is None:
        return
    _tell_before(element, element.tail or "")
    element.tail = None
    parent.remove(element)


def _unwrap(element: Element) -> None:
    """Take an element away and leave its children and text."""
    parent = element.getparent()
    if parent is None:
        return
    _tell_before(element, element.text or "")
    at = parent.index(element)
    children = list(element)
    tail = element.tail or ""
    element.tail = None
    parent.remove(element)
    for i, child in enumerate(children):
        parent.insert(at + i, child)
    if tail:
        if children:
            children[-1].tail = (children[-1].tail or "") + tail
        elif at:
            parent[at - 1].tail = (parent[at - 1].tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail


def _tell_before(element: Element, words: str) -> None:
    """Add text before an element."""
    if not words:
        return
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        before.tail = (before.tail or "") + words
    elif parent is not None:
        parent.text = (parent.text or "") + words
