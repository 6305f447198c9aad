"""What stands around articles but is none of it: teasers, sidebars, notices, author boxes, footers, for made-up pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from webmain.evaluation.training.made_up_desk import Desk, text


def heading(desk: Desk, words: str) -> str:
    """Return a box's heading."""
    tag = desk.draw.choice(("h2", "h3", "h3", "h4", "h5", "div", "p", "strong", "span"))
    return f"<{tag}{desk.names.of('teaser-title')}>{text(words)}</{tag}>"


def teasers(desk: Desk) -> str:
    """Return teasers of other stories: headlines, mostly with full sentences."""
    draw, deal, names = desk.draw, desk.deal, desk.names
    n, prose = draw.randint(2, 14), draw.choice((0, 1, 1, 2, 3))
    linked_text, picture, more = desk.chance(0.3), desk.chance(0.6), desk.chance(0.3)
    kind, tag = draw.randrange(5), draw.choice(("h2", "h3", "h3", "h4", "div", "span", "b"))
    label = deal.word("more")
    items = []
    for _ in range(n):
        sentences = text(deal.paragraph(1, prose)) if prose else ""
        title = f"<{tag}{names.of('teaser-title')}>{desk.link(deal.title())}</{tag}>"
        if sentences and linked_text:
            sentences = f'<a href="{desk.href()}">{sentences}</a>'
        body = f"<p{names.of('teaser-text')}>{sentences}</p>" if sentences and kind != 2 else sentences
        tail = desk.link(label, "more") if more else ""
        image = desk.image() if picture else ""
        when = f"<span>{text(deal.date())}</span>" if desk.chance(0.3) else ""
        items.append((image, title, body + when + tail))
    head = heading(desk, deal.word("related")) if desk.chance(0.85) else ""
    teaser = names.of("teaser")
    match kind:
        case 0:
            rows = "".join(f"<li{teaser}>{image}{title}{body}</li>\n" for image, title, body in items)
            html = f"<ul{names.of('inner')}>{rows}</ul>"
        case 1:
            html = "".join(
                f"<article{teaser}>{image}<div>{title}{body}</div></article>\n" for image, title, body in items
            )
        case 2:
            html = "<br><br>\n".join(f"{image}{title}<br>{body}" for image, title, body in items)
        case 3:
            cells = [f"<td{teaser} valign='top'>{image}{title}{body}</td>" for image, title, body in items]
            html = "<table>" + "".join(f"<tr>{''.join(cells[i : i + 3])}</tr>" for i in range(0, n, 3)) + "</table>"
        case _:
            html = "".join(
                f"<div{teaser}><div>{image}</div><div{names.of('inner')}>{title}{body}</div></div>\n"
                for image, title, body in items
            )
    frame = draw.choice(("div", "div", "section", "aside"))
    return f"<{frame}{names.once('related')}>{head}{html}</{frame}>"


def inline_teaser(desk: Desk) -> str:
    """Return a pointer to another story as it stands between two paragraphs."""
    draw, deal, names = desk.draw, desk.deal, desk.names
    lead = text(deal.word("related")) + draw.choice((":", ":", "", " |", " –"))
    match draw.randrange(4):
        case 0:
            return f"<p><strong>{lead}</strong> {desk.link(deal.title())}</p>"
        case 1:
            body = f"<p>{text(deal.paragraph(1, 2))}</p>" if desk.chance(0.5) else ""
            return f"<div{names.of('related')}><span>{lead}</span><h3>{desk.link(deal.title())}</h3>{body}</div>"
        case 2:
            rows = "".join(f"<li>{desk.link(deal.title())}</li>" for _ in range(draw.randint(2, 4)))
            return f"<aside{names.of('related')}><p>{lead}</p><ul>{rows}</ul></aside>"
    return f"<div{names.of('teaser')}><a href='{desk.href()}'>{desk.image()}<span>{text(deal.title())}</span></a></div>"


def sidebar(desk: Desk) -> str:
    """Return a column of boxes, some with prose."""
    draw, names = desk.draw, desk.names
    boxes = [draw.choice(_WIDGETS)(desk) for _ in range(draw.randint(2, 7))]
    tag = draw.choice(("div", "div", "aside", "section"))
    widget = names.of("widget")
    wrapped = "".join(f"<div{widget}>{box}</div>\n" for box in boxes)
    return f"<{tag}{names.once('side')}>{wrapped}</{tag}>"


def author_box(desk: Desk) -> str:
    """Return what a site tells of an author."""
    deal, names = desk.deal, desk.names
    name = deal.name()
    sentences = [s.replace("{x}", name) for s in desk.draw.sample(deal.words["bio"], k=min(3, len(deal.words["bio"])))]
    if desk.chance(0.4):
        sentences += deal.run(desk.draw.randint(1, 3))
    head = heading(desk, deal.word("about", x=name)) if desk.chance(0.6) else f"<h4>{desk.link(name)}</h4>"
    picture = desk.image() if desk.chance(0.7) else ""
    links = " ".join(desk.link(label) for label in deal.words_of("share", 3)) if desk.chance(0.4) else ""
    body = desk.flow([" ".join(sentences)], desk.draw.choice(("p", "p", "div", "bare", "span")))
    return f"<div{names.once('author')}>{picture}{head}{body}{links}</div>"


def company(desk: Desk) -> str:
    """Return what a press release says of its sender."""
    deal, names = desk.deal, desk.names
    name = deal.company()
    sentences = [s.replace("{x}", name).replace("{n}", str(desk.draw.randint(2, 90))) for s in deal.words["company"]]
    if desk.chance(0.5):
        sentences += deal.run(2)
    title = text(deal.word("about", x=name))
    head = desk.draw.choice((f"<p><strong>{title}</strong></p>", f"<h3>{title}</h3>", f"<h4>{title}:</h4>"))
    more = f"<p>{desk.link(deal.word('more'))}</p>" if desk.chance(0.5) else ""
    return f"<div{names.once('company')}>{head}{desk.flow([' '.join(sentences[:-1]), sentences[-1]], 'p')}{more}</div>"


def newsletter(desk: Desk) -> str:
    """Return a box that asks for an address."""
    deal, names = desk.deal, desk.names
    lines = deal.words_of("news_text", desk.draw.randint(1, 4))
    field = '<input type="email" name="e">' if desk.chance(0.7) else ""
    button = f"<button>{text(deal.word('subscribe'))}</button>"
    body = desk.flow(lines, desk.draw.choice(("p", "div", "p", "br")))
    inner = f"{heading(desk, deal.word('news_title'))}{body}{field}{button}"
    return (
        f"<form{names.of('newsletter')}>{inner}</form>"
        if desk.chance(0.3)
        else f"<div{names.once('newsletter')}>{inner}</div>"
    )


def cookies(desk: Desk) -> str:
    """Return a notice about cookies, from a line to a page of prose."""
    deal, names = desk.deal, desk.names
    lines = list(deal.words["cookie"])[: desk.draw.randint(1, 5)]
    lines = [line.replace("{n}", str(desk.draw.randint(20, 900))) for line in lines]
    if desk.chance(0.3):
        lines += deal.words_of("legal", 3)
    buttons = "".join(f"<button>{text(label)}</button>" for label in deal.words_of("accept", 3))
    role = ' role="dialog"' if desk.chance(0.3) else ""
    head = heading(desk, deal.word("foot")) if desk.chance(0.4) else ""
    body = desk.flow(lines, desk.draw.choice(("p", "bare", "div", "span")))
    return f"<div{names.once('cookie')}{role}>{head}{body}{buttons}</div>"


def wall(desk: Desk) -> str:
    """Return an offer to subscribers that stands where an article ends."""
    deal, names = desk.deal, desk.names
    lines = deal.words_of("wall", desk.draw.randint(2, 4))
    button = desk.link(deal.word("subscribe"))
    return f"<div{names.once('wall')}>{heading(desk, lines[0])}{desk.flow(lines[1:], 'p')}{button}</div>"


def share_bar(desk: Desk) -> str:
    """Return links to share a page."""
    labels = desk.deal.words_of("share", desk.draw.randint(3, 7))
    match desk.draw.randrange(3):
        case 0:
            return f"<ul{desk.names.of('share')}>{''.join(f'<li>{desk.link(label)}</li>' for label in labels)}</ul>"
        case 1:
            return f"<p>{' | '.join(map(desk.link, labels))}</p>"
    return f"<div{desk.names.of('share')}>{''.join(f'<button>{text(label)}</button>' for label in labels)}</div>"


def tag_line(desk: Desk) -> str:
    """Return links to topics."""
    links = ", ".join(desk.link(desk.deal.title().split()[0]) for _ in range(desk.draw.randint(2, 9)))
    return f"<div{desk.names.of('tags')}>{text(desk.deal.word('misc'))} {links}</div>"


def figure(desk: Desk) -> str:
    """Return a picture with its caption, at times a sentence long."""
    deal, names = desk.deal, desk.names
    words = deal.word("photo_text") if desk.chance(0.5) else deal.run(1)[0]
    credit = f"<span>{text(deal.word('photo'))}</span>" if desk.chance(0.7) else ""
    match desk.draw.randrange(4):
        case 0 | 1:
            caption = f"<figcaption{names.of('caption')}>{text(words)} {credit}</figcaption>"
            return f"<figure{names.of('figure')}>{desk.image()}{caption}</figure>"
        case 2:
            return f"<div{names.of('figure')}>{desk.image()}<p{names.of('caption')}>{text(words)} {credit}</p></div>"
    rows = f"<tr><td>{desk.image()}</td></tr><tr><td><font size='1'>{text(words)} {credit}</font></td></tr>"
    return f"<table align='right' width='200'>{rows}</table>"


def advert(desk: Desk) -> str:
    """Return an advertisement: a line, a picture, at times a text."""
    body = text(desk.deal.paragraph(1, 2)) if desk.chance(0.35) else ""
    link = f"<a href='{desk.href()}'>{desk.image()}</a>"
    return f"<div{desk.names.of('ad')}><span>{text(desk.deal.word('ads'))}</span>{link}{body}</div>"


def legal(desk: Desk) -> str:
    """Return a paragraph of what a publisher's lawyers want said."""
    lines = desk.deal.words_of("legal", desk.draw.randint(1, 5))
    lines[0] = f"© {desk.draw.randint(2004, 2026)} {desk.deal.company()}. {lines[0]}"
    return f"<div{desk.names.of('legal')}>{desk.flow([' '.join(lines)], desk.draw.choice(('p', 'bare', 'div')))}</div>"


def footer(desk: Desk) -> str:
    """Return a page's foot, at times a long one with prose."""
    deal, names = desk.deal, desk.names
    columns = []
    for _ in range(desk.draw.randint(0, 4)):
        rows = "".join(f"<li>{desk.link(label)}</li>" for label in deal.words_of("foot", desk.draw.randint(3, 8)))
        columns.append(f"<div>{heading(desk, deal.word('menu'))}<ul>{rows}</ul></div>")
    prose = about(desk) if desk.chance(0.4) else ""
    tag = desk.draw.choice(("footer", "div", "div"))
    return f"<{tag}{names.once('footer')}>{''.join(columns)}{prose}{legal(desk)}</{tag}>"


def about(desk: Desk) -> str:
    """Return what a site tells of itself."""
    return heading(desk, desk.deal.word("about")) + f"<p>{text(desk.deal.paragraph(1, 4))}</p>"


def menu(desk: Desk, *, n: int | None = None) -> str:
    """Return a menu of a site's sections."""
    draw = desk.draw
    labels = desk.deal.words_of("menu", n or draw.randint(5, 22))
    match draw.randrange(4):
        case 0:
            return f"<p>{' | '.join(map(desk.link, labels))}</p>"
        case 1:
            return f"<div{desk.names.of('nav')}>{' '.join(map(desk.link, labels))}</div>"
    rows = "".join(f"<li>{desk.link(label)}</li>" for label in labels)
    tag = draw.choice(("nav", "div", "div"))
    return f"<{tag}{desk.names.once('nav')}><ul>{rows}</ul></{tag}>"


def link_list(desk: Desk) -> str:
    """Return a box of links: archives, friends, latest posts."""
    draw, deal = desk.draw, desk.deal
    labels = [deal.title() for _ in range(draw.randint(3, 15))]
    if desk.chance(0.3):
        labels = [f"{month} {draw.randint(2004, 2024)} ({draw.randint(1, 60)})" for month in deal.words["months"]]
    rows = draw.choice(("<li>{}</li>", "{}<br>", "<div>{}</div>"))
    items = "\n".join(rows.format(desk.link(label)) for label in labels)
    return heading(desk, deal.word("side")) + (f"<ul>{items}</ul>" if rows.startswith("<li") else items)


def recent_comments(desk: Desk) -> str:
    """Return a box of what readers said lately elsewhere."""
    deal = desk.deal
    rows = "".join(
        f"<li>{text(deal.nick())} {text(deal.word('says'))} {desk.link(deal.title())} {text(deal.run(1)[0])}</li>"
        for _ in range(desk.draw.randint(3, 8))
    )
    return f"{heading(desk, deal.word('comments'))}<ul>{rows}</ul>"


_WIDGETS: Final[tuple[Callable[[Desk], str], ...]] = (
    teasers,
    link_list,
    link_list,
    about,
    newsletter,
    advert,
    recent_comments,
    author_box,
)
