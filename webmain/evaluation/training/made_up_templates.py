"""Whole made-up pages: layouts of many kinds and years around an article of a given page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from webmain.evaluation.records import GoldPage
from webmain.evaluation.training import made_up_boxes as boxes
from webmain.evaluation.training.made_up_comments import thread
from webmain.evaluation.training.made_up_desk import Desk, text
from webmain.evaluation.training.made_up_stories import drawn_story, written_story


@dataclass(frozen=True, slots=True)
class _Parts:
    """A page's areas as markup."""

    top: str
    left: str
    main: str
    right: str
    bottom: str


def whole_page(page: GoldPage, desk: Desk) -> GoldPage:
    """Return a made-up page around a real page's article.

    Parameters
    ----------
    page : GoldPage
        A page whose gold text is an article; none of its markup is used.
    desk : Desk
        Draw, prose and names.

    Returns
    -------
    GoldPage
        With the site and address of the page, the text that was used, and the threads' text as `comments`.
    """
    draw = desk.draw
    story = drawn_story(page, desk)
    article = written_story(story, desk)
    comments = ""
    after = []
    if desk.chance(0.6):
        made = thread(desk, int(max(len(story.gold), 300) * draw.choice((0.3, 0.7, 1.0, 2.0, 3.0, 5.0, 6.0))))
        comments = made.text
        after.append(made.html)
    after += [draw.choice(_AFTER)(desk) for _ in range(draw.choice((0, 1, 1, 2)))]
    draw.shuffle(after)
    before = [draw.choice(_BEFORE)(desk) for _ in range(draw.choice((0, 0, 1, 1, 2)))]
    inside = draw.randint(0, len(after))
    main = "\n".join((*before, article, *after[:inside]))
    parts = _Parts(_top(desk), _column(desk), main, _column(desk), "\n".join((*after[inside:], boxes.footer(desk))))
    body = draw.choice(_LAYOUTS)(parts, desk)
    html = f"{_opening(desk)}<head>{_head(story.title, story.gold, desk)}</head>{body}</html>"
    return replace(page, html=html, text=story.gold, comments=comments)


def _opening(desk: Desk) -> str:
    kinds = (
        "<!DOCTYPE html>\n",
        "<!DOCTYPE html>\n",
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n',
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">\n',
        "",
    )
    language = f' lang="{desk.deal.language}"' if desk.chance(0.6) else ""
    return desk.draw.choice(kinds) + f"<html{language}>"


def _head(title: str, gold: str, desk: Desk) -> str:
    shown = text(title + desk.draw.choice(("", " | ", " - ", " – ")) + desk.deal.company())
    parts = [f'<meta charset="utf-8"><title>{shown}</title>']
    quoted = text(title).replace('"', "&quot;")
    if desk.chance(0.4):
        parts.append(f'<meta property="og:title" content="{quoted}"><meta property="og:type" content="article">')
    if desk.chance(0.5):
        parts.append(f'<meta name="description" content="{text(gold[:150]).replace(chr(34), "&quot;")}">')
    return "".join(parts)


def _top(desk: Desk) -> str:
    draw, deal, names = desk.draw, desk.deal, desk.names
    name = deal.company()
    logo = draw.choice(
        (f"<h1>{desk.link(name)}</h1>", f"<div>{desk.link(name)}</div>", desk.image(), f"<h2>{text(name)}</h2>")
    )
    parts = [logo]
    if desk.chance(0.3):
        parts.append(f"<p>{text(deal.run(1)[0])}</p>")
    if desk.chance(0.85):
        parts.append(boxes.menu(desk))
    if desk.chance(0.25):
        parts.append(boxes.menu(desk))
    if desk.chance(0.3):
        crumbs = draw.choice((" &gt; ", " » ", " / ", " :: ")).join(map(desk.link, deal.words_of("menu", 3)))
        parts.append(f"<div{names.of('crumbs')}>{crumbs}</div>")
    if desk.chance(0.2):
        parts.insert(draw.randrange(len(parts)), boxes.cookies(desk))
    if desk.chance(0.2):
        parts.append(boxes.advert(desk))
    if desk.chance(0.12):
        parts.append("".join(f"<div>{boxes.menu(desk)}</div>" for _ in range(draw.randint(2, 6))))
    return "\n".join(parts)


def _column(desk: Desk) -> str:
    """Write a column: the boxes of its years, from none to many."""
    n = desk.draw.choice((0, 1, 2, 3, 5, 8, 12))
    widget = desk.names.of("widget")
    made = (desk.draw.choice(_WIDGETS)(desk) for _ in range(n))
    tag = desk.draw.choice(("div", "div", "li", "section"))
    html = "\n".join(f"<{tag}{widget}>{box}</{tag}>" for box in made)
    return f"<ul>{html}</ul>" if tag == "li" else html


def _calendar(desk: Desk) -> str:
    days = [str(day) if day % 4 else desk.link(str(day)) for day in range(1, 31)]
    rows = "".join(f"<tr>{''.join(f'<td>{day}</td>' for day in days[i : i + 7])}</tr>" for i in range(0, 30, 7))
    month = text(desk.draw.choice(desk.deal.words["months"]))
    return f"<table summary='calendar'><caption>{month} {desk.draw.randint(2003, 2014)}</caption>{rows}</table>"


def _guests(desk: Desk) -> str:
    return "<br>".join(text(line) for line in desk.deal.words_of("guest", desk.draw.randint(2, 5)))


def _trackbacks(desk: Desk) -> str:
    """Write what other sites said of the article, in extracts."""
    head = boxes.heading(desk, desk.draw.choice(("TrackBack", "Trackbacks", "Pingbacks", "Links to this post")))
    rows = "".join(
        f"<li>{desk.link(desk.deal.title())} [...] {text(desk.deal.run(1)[0])} [...]</li>"
        for _ in range(desk.draw.randint(1, 9))
    )
    return f"<div{desk.names.of('widget')}>{head}<ul>{rows}</ul></div>"


def _neighbours(desk: Desk) -> str:
    """Write pointers to the posts before and after."""
    before, after = desk.deal.title(), desk.deal.title()
    return f"<div{desk.names.of('nav')}>{desk.link('« ' + before)} | {desk.link(after + ' »')}</div>"


def _headlines(desk: Desk) -> str:
    """Write a long list of headlines, in columns."""
    cells = []
    for _ in range(desk.draw.randint(2, 5)):
        rows = "".join(f"<li>{desk.link(desk.deal.title())}</li>" for _ in range(desk.draw.randint(3, 10)))
        cells.append(
            f"<div{desk.names.of('widget')}>{boxes.heading(desk, desk.deal.word('menu'))}<ul>{rows}</ul></div>"
        )
    return "".join(cells)


_WIDGETS: Final[Sequence[Callable[[Desk], str]]] = (
    boxes.link_list,
    boxes.link_list,
    boxes.link_list,
    boxes.teasers,
    boxes.about,
    boxes.recent_comments,
    boxes.newsletter,
    boxes.advert,
    boxes.tag_line,
    _calendar,
    _guests,
    boxes.menu,
)
_BEFORE: Final[Sequence[Callable[[Desk], str]]] = (
    _neighbours,
    boxes.share_bar,
    boxes.advert,
    boxes.teasers,
    boxes.tag_line,
)
_AFTER: Final[Sequence[Callable[[Desk], str]]] = (
    boxes.teasers,
    boxes.teasers,
    _trackbacks,
    _neighbours,
    _headlines,
    boxes.newsletter,
    boxes.legal,
    boxes.company,
    boxes.author_box,
)


def _table_columns(parts: _Parts, desk: Desk) -> str:
    """Lay out in one table of two or three columns, the head and the foot in rows or tables of their own."""
    border = desk.draw.choice(
        ('border="0"', 'border="0" cellspacing="0" cellpadding="5"', 'width="760" align="center"')
    )
    cells = [f'<td valign="top" width="160">{parts.left}</td>', f'<td valign="top">{parts.main}</td>']
    if desk.chance(0.6):
        cells.append(f'<td valign="top" width="180">{parts.right}</td>')
    if desk.chance(0.25):
        cells.reverse()
    spacer = '<td><img src="spacer.gif" width="10" height="1"></td>' if desk.chance(0.4) else ""
    middle = f"<tr>{spacer.join(cells)}</tr>"
    if desk.chance(0.5):
        n = len(cells) * 2
        rows = f'<tr><td colspan="{n}">{parts.top}</td></tr>{middle}<tr><td colspan="{n}">{parts.bottom}</td></tr>'
        table = f"<table {border}>{rows}</table>"
    else:
        table = f"<table><tr><td>{parts.top}</td></tr></table><table {border}>{middle}</table>{parts.bottom}"
    colours = desk.draw.choice(("", ' bgcolor="#ffffff"', ' text="#000000" link="#0000cc" topmargin="0"'))
    return f"<body{colours}>{f'<center>{table}</center>' if desk.chance(0.3) else table}</body>"


def _nested_tables(parts: _Parts, desk: Desk) -> str:
    """Lay out in tables within tables, as the nineties left them."""
    main = parts.main
    for _ in range(desk.draw.randint(1, 4)):
        main = f'<table width="100%" border="0" cellpadding="{desk.draw.randrange(9)}"><tr><td>{main}</td></tr></table>'
    left = f"<table><tr><td bgcolor='#eeeeee'>{parts.left}</td></tr></table>"
    if desk.chance(0.4):
        main = f'<font face="Arial, Helvetica" size="2">{main}</font>'
    return (
        f"<body><table width='100%'><tr><td>{parts.top}</td></tr>"
        f"<tr><td><table><tr><td>{left}</td><td>{main}</td></tr></table>"
        f"</td></tr><tr><td>{parts.bottom}</td></tr></table></body>"
    )


def _floats(parts: _Parts, desk: Desk) -> str:
    """Lay out in boxes that float: the blogs of 2003 to 2013."""
    names = desk.names
    main = parts.main
    for _ in range(desk.draw.choice((0, 0, 0, 1, 2, 4, 8))):
        main = f"<div{names.of(desk.draw.choice(('inner', 'widget', 'page')))}>{main}</div>"
    columns = [f"<div{names.once('main')}>{main}</div>", f"<div{names.once('side')}>{parts.left}</div>"]
    if desk.chance(0.4):
        columns.append(f"<div{names.of('side')}>{parts.right}</div>")
    if desk.chance(0.35):
        columns.reverse()
    inner = "\n".join((f"<div{names.once('header')}>{parts.top}</div>", *columns, '<br clear="all">', parts.bottom))
    return f"<body><div{names.once('page')}>{inner}</div></body>"


def _bare(parts: _Parts, desk: Desk) -> str:
    """Lay out in nothing: one thing after the other, rules between them."""
    rule = desk.draw.choice(("<hr>", "<hr>", "<br><br>", "<p>", ""))
    order = (
        [parts.top, parts.main, parts.left, parts.bottom]
        if desk.chance(0.7)
        else [parts.top, parts.left, parts.main, parts.bottom]
    )
    return f"<body>{rule.join(order)}</body>"


def _semantic(parts: _Parts, desk: Desk) -> str:
    """Lay out in the elements that HTML5 brought."""
    names = desk.names
    aside = f"<aside{names.once('side')}>{parts.right}</aside>"
    main = f"<main{names.once('main')}>{parts.main}{aside if desk.chance(0.3) else ''}</main>"
    header = f"<header{names.once('header')}>{parts.top}</header>"
    return f"<body>{header}{main}{aside if desk.chance(0.5) else ''}{parts.bottom}</body>"


def _soup(parts: _Parts, desk: Desk) -> str:
    """Lay out in boxes within boxes, as component libraries do, the areas in any order."""
    names = desk.names

    def wrapped(html: str, low: int, high: int) -> str:
        for _ in range(desk.draw.randint(low, high)):
            html = f"<div{names.of(desk.draw.choice(('inner', 'page', 'main', 'widget')))}>{html}</div>"
        return html

    areas = [wrapped(parts.main, 1, 6), wrapped(parts.right, 1, 4), wrapped(parts.left, 0, 3)]
    if desk.chance(0.3):
        desk.draw.shuffle(areas)
    root = desk.draw.choice((' id="app"', ' id="root"', "", ' id="__next"'))
    top, bottom = wrapped(parts.top, 1, 4), wrapped(parts.bottom, 1, 3)
    return f"<body><div{root}>{top}{wrapped(''.join(areas), 1, 5)}{bottom}</div></body>"


def _components(parts: _Parts, desk: Desk) -> str:
    """Lay out in elements of the site's own making."""
    prefix = desk.draw.choice(("x", "app", "site", "amp", "news"))
    main = parts.main.replace("<img ", f"<{prefix}-img ") if prefix == "amp" else parts.main
    return (
        f"<body><{prefix}-header>{parts.top}</{prefix}-header><{prefix}-layout><div>{main}</div>"
        f"<{prefix}-rail>{parts.right}</{prefix}-rail></{prefix}-layout><{prefix}-footer>{parts.bottom}</{prefix}-footer></body>"
    )


_LAYOUTS: Final[Sequence[Callable[[_Parts, Desk], str]]] = (
    _table_columns,
    _table_columns,
    _nested_tables,
    _floats,
    _floats,
    _floats,
    _bare,
    _semantic,
    _soup,
    _soup,
    _components,
)
