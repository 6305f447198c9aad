"""Changes to real pages: boxes put where sites have them, classes renamed, tags replaced, articles cut short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from lxml import etree

from training.classes import Naming
from training.markup import box
from training.page_tree import EditablePage, Element
from training.prose import Draw
from training.threads import thread

SEMANTIC: Final = "article main section header footer aside nav figure figcaption time address hgroup".split()
_ROLE_ATTRIBUTES: Final = ("itemprop", "itemtype", "itemscope", "role", "property", "typeof", "rel", "itemid", "title")
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
THREAD_SHARES: Final = (0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.5, 6.0)
"""Lengths of threads, as shares of the article's."""
MEANINGLESS: Final = {Naming.HASHED: 5, Naming.NONE: 2, Naming.UTILITY: 2, Naming.BLURRED: 2, Naming.SHORT: 1}
"""How often each naming is drawn for a page without meaning in its names."""
MIN_SHORTENED: Final = 150
"""Characters that are left of an article at least."""


def add_comments(page: EditablePage, d: Draw) -> None:
    """Put a thread after the article."""
    chars = sum(len(run.text) for run in page.content) or len(page.gold)
    made = thread(d, int(max(chars, 300) * d.choice(*THREAD_SHARES)))
    page.comments.append(made.text)
    _after_article(page, d, made.html)


def add_teasers(page: EditablePage, d: Draw) -> None:
    """Put teasers of other stories after the article or beside it."""
    for _ in range(d.between(1, 3)):
        _after_article(page, d, box(d, "teasers"))


def add_inside(page: EditablePage, d: Draw) -> None:
    """Put pointers, figures, advertisements and the like between paragraphs."""
    for _ in range(d.between(1, 4)):
        html = box(d, "inline_teaser", "inline_teaser", "figure", "figure", "advert", "newsletter", "teasers")
        places = [place for run in page.content[1:] if (place := _child_of_container(page, run.owner)) is not None]
        if places:
            d.choice(*places).addprevious(page.slot(html))


def add_around(page: EditablePage, d: Draw) -> None:
    """Put what is at an article's ends: shares, an author, tags, a firm's own words."""
    last = ("author_box", "author_box", "company", "tag_line", "share_bar", "newsletter", "wall", "legal")
    for _ in range(d.between(1, 3)):
        _after_article(page, d, box(d, *last), close=True)
    if d.chance(0.4):
        slot = page.slot(box(d, "share_bar", "advert", "figure"))
        if page.container is page.body:
            page.body.insert(0, slot)
        else:
            page.container.addprevious(slot)


def add_sidebar(page: EditablePage, d: Draw) -> None:
    """Put a column beside the article's."""
    slot, column = page.slot(box(d, "sidebar")), _column(page)
    if column is None:
        page.body.append(slot)
    elif d.chance(0.3):
        column.addprevious(slot)
    else:
        column.addnext(slot)


def add_notice(page: EditablePage, d: Draw) -> None:
    """Put a notice about cookies at the page's beginning or end."""
    page.body.insert(0 if d.chance(0.5) else len(page.body), page.slot(box(d, "cookies")))


def add_footer(page: EditablePage, d: Draw) -> None:
    """Put a foot at the page's end, at times with a company's words before it."""
    if d.chance(0.3):
        page.body.append(page.slot(box(d, "company")))
    page.body.append(page.slot(box(d, "footer")))


def shorten(page: EditablePage, d: Draw) -> None:
    """Cut the article after its first paragraphs; all around it stays."""
    keep = d.between(2, 5)
    kept, cut = page.content[:keep], page.content[keep:]
    if not cut or not 0.9 <= page.found_share <= 1.1 or sum(len(run.text) for run in kept) < MIN_SHORTENED:
        return
    owners = {run.owner for run in page.content}
    gone = {run.owner for run in cut}
    if gone & {run.owner for run in kept} or any(child in owners for one in gone for child in one.iterdescendants()):
        return
    for element in (*gone, *page.root.iter("script")):
        element.drop_tree()
    page.content = kept
    page.gold = "\n\n".join(run.text for run in kept)


def rename(page: EditablePage, d: Draw) -> None:
    """Rename all classes and ids as the drawn site names its own."""
    without_roles = d.chance(0.6)
    without_ids = d.classes.naming in (Naming.NONE, Naming.HASHED, Naming.UTILITY) or d.chance(0.3)
    for element in page.root.iter(etree.Element):
        attributes = element.attrib
        for name in ("class", "id"):
            if name in attributes and element.tag != "x-slot":
                tokens = attributes.pop(name).split()
                kept = [] if name == "id" and without_ids else filter(None, map(d.classes.renamed, tokens))
                if renamed := " ".join(kept):
                    attributes[name] = renamed
        if without_roles and element.tag not in ("meta", "link", "html"):
            for name in list(attributes):  # but hidden parts stay so
                if name in _ROLE_ATTRIBUTES or (name.startswith(("data-", "aria-")) and name != "aria-hidden"):
                    del attributes[name]


def flatten_tags(page: EditablePage, d: Draw) -> None:
    """Replace the elements of HTML5 by `div`, and at times headings as well."""
    headings = d.choice(None, None, "div", "p", "b", "font")
    for element in page.body.iter(*SEMANTIC):
        element.tag = "span" if element.tag == "time" else "div"
    for element in page.body.iter(*_HEADINGS) if headings else ():
        if headings in ("b", "font"):
            _wrap_children(element, headings)
        element.tag = "div" if headings == "div" else "p"


def rewrite_paragraphs(page: EditablePage, d: Draw) -> None:
    """Write the article's paragraphs as texts parted by line breaks, as `div`, as items of a list, or in spans."""
    way = d.choice("br", "br", "div", "div", "li", "span", "font")
    page.content = [run for run in page.content if run.owner is not page.container]
    for group in _paragraph_groups(page):
        if way == "li" and len(group) > 1:
            group[0].addprevious(etree.Element("ul"))
            group[0].getprevious().extend(group)
        if way == "br":
            group[0].addprevious(etree.Element("br"))
            group[0].addprevious(etree.Element("br"))
        for paragraph in group:
            if way in ("font", "span"):
                _wrap_children(paragraph, way)
            elif way == "br":
                paragraph.addnext(etree.Element("br"))
                paragraph.addnext(etree.Element("br"))
                paragraph.drop_tag()
            elif way == "div" or len(group) > 1:
                paragraph.tag = way


def wrap_paragraphs(page: EditablePage, d: Draw) -> None:
    """Put each paragraph of the article into a `div` of its own, at times two, as page builders and frameworks do."""
    name, depth = d.classes.renamed("text"), d.choice(1, 1, 1, 2)
    for paragraph in {run.owner: None for run in page.content if run.owner.tag == "p"}:
        for _ in range(depth):
            outer = etree.Element("div", {"class": name} if name else {})
            paragraph.addprevious(outer)
            outer.append(paragraph)
            outer.tail, paragraph.tail = paragraph.tail, None


def lay_out_in_tables(page: EditablePage, d: Draw) -> None:
    """Put the page, or the article's column, into a table with a column of links and boxes beside it."""
    table = etree.Element("table", width="100%", border="0")
    row = etree.SubElement(table, "tr")
    cells = [etree.SubElement(row, "td", valign="top") for _ in range(d.choice(1, 2, 2, 3))]
    where = page.container if d.chance(0.5) or page.container is page.body else _column(page)
    where = page.body if where is None else where
    main = d.choice(*cells)
    for cell in cells:
        if cell is not main:
            cell.append(page.slot(box(d, "sidebar", "sidebar", "sidebar", "link_list", "link_list")))
    _move_content(where, main)
    where.append(table)
    if page.container is where:
        page.container = main


def strip_meaning(page: EditablePage, d: Draw) -> None:
    """Take away what names tell: class names that mean nothing or none, mostly `div` for the elements of HTML5.

    So are pages that compilers of style sheets and frameworks write.
    """
    d.rename_classes(d.random.choices(tuple(MEANINGLESS), tuple(MEANINGLESS.values()))[0])
    rename(page, d)
    if d.chance(0.7):
        flatten_tags(page, d)
    if d.chance(0.6):
        d.choice(rewrite_paragraphs, wrap_paragraphs)(page, d)


Change = Callable[[EditablePage, Draw], None]

INSERTIONS: Final[dict[Change, float]] = {
    add_inside: 0.3,
    add_around: 0.35,
    add_comments: 0.6,
    add_teasers: 0.5,
    add_sidebar: 0.35,
    add_notice: 0.2,
    add_footer: 0.25,
}
"""What is put around an article, in this order, with the share of the pages."""
HARMLESS: Final = (add_footer, add_notice, add_sidebar)
"""The insertions that leave the content of any page alone."""
REWRITINGS: Final[dict[Change, float]] = {
    rename: 0.65,
    flatten_tags: 0.35,
    lay_out_in_tables: 0.12,
    rewrite_paragraphs: 0.3,
    wrap_paragraphs: 0.15,
}


def _after_article(page: EditablePage, d: Draw, html: str, *, close: bool = False) -> None:
    """Put a box behind the article: next to its last paragraph, at the container's end, behind it, or behind its column."""
    slot, roll = page.slot(html), d.random.random()
    last = _child_of_container(page, page.content[-1].owner) if page.content else None
    if roll < (0.45 if close else 0.3) and last is not None:
        last.addnext(slot)
    elif roll < 0.6 or page.container is page.body:
        page.container.append(slot)
    else:
        column = None if roll < 0.9 else _column(page)
        (page.container if column is None else column).addnext(slot)


def _child_of_container(page: EditablePage, element: Element) -> Element | None:
    """Return the child of the container that holds an element; None if it is elsewhere."""
    path = [element, *element.iterancestors()]
    return path[path.index(page.container) - 1] if page.container in path[1:] else None


def _column(page: EditablePage) -> Element | None:
    """Return the article's column: the container or the first of its ancestors that has a sibling."""
    for element in (page.container, *page.container.iterancestors()):
        parent = element.getparent()
        if element is page.body or parent is None:
            return None
        if len(parent) > 1 and parent.tag not in ("tr", "table", "tbody", "ul", "ol"):
            return element
    return None


def _paragraph_groups(page: EditablePage) -> Iterator[list[Element]]:
    """Yield the article's `p` elements, those that follow each other together."""
    group: list[Element] = []
    for owner in dict.fromkeys(run.owner for run in page.content if run.owner.tag == "p"):
        if group and owner.getprevious() is not group[-1]:
            yield group
            group = []
        group.append(owner)
    if group:
        yield group


def _wrap_children(element: Element, tag: str) -> None:
    inner = etree.Element(tag)
    _move_content(element, inner)
    element.append(inner)


def _move_content(element: Element, to: Element) -> None:
    to.text, element.text = element.text, None
    to.extend(list(element))
