"""Threads of readers' comments for made-up pages, in the manners of many systems and years."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from webmain.evaluation.training.made_up_desk import Desk, text

MAX_COMMENTS: Final = 200
MAX_DEPTH: Final = 5


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment and those that answer it."""

    author: str
    date: str
    paragraphs: list[str]
    quoted: str = ""
    answers: list[Comment] = field(default_factory=list)

    def texts(self) -> Iterator[str]:
        """Give the texts of the comment and of all answers, in the order of the page."""
        if self.quoted:
            yield self.quoted
        yield from self.paragraphs
        for answer in self.answers:
            yield from answer.texts()


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread as markup and as text."""

    html: str
    text: str


@dataclass(frozen=True, slots=True)
class _Manner:
    """How one made-up system writes its comments."""

    desk: Desk
    flow: str
    with_picture: bool
    with_reply: bool
    linked: bool
    labels: tuple[str, ...]
    quote: str

    def author(self, comment: Comment) -> str:
        return self.desk.link(comment.author) if self.linked else text(comment.author)

    def says(self) -> str:
        return text(self.labels[0])

    def picture(self) -> str:
        return self.desk.image() if self.with_picture else ""

    def reply(self, tag: str = "div") -> str:
        if not self.with_reply:
            return ""
        links = " ".join(self.desk.link(label) for label in self.labels[1:])
        return f"<{tag}{self.desk.names.of('reply')}>{links}</{tag}>"

    def body(self, comment: Comment) -> str:
        html = self.desk.flow(comment.paragraphs, self.flow)
        if comment.quoted:
            tag = self.quote
            html = f"<{tag}>{text(comment.quoted)}</{tag}>{html}"
        return html

    def of(self, role: str) -> str:
        return self.desk.names.of(role)


def thread(desk: Desk, chars: int) -> Thread:
    """Return a thread of comments of about a length.

    Parameters
    ----------
    desk : Desk
        Draw, prose and names.
    chars : int
        Characters that the comments' texts have together; the last comment may go beyond.
    """
    draw = desk.draw
    comments = _comments(desk, chars)
    flows = ("p", "p", "p", "p", "bare", "br", "one br", "div", "span", "spans", "font", "open p")
    labels = (desk.deal.word("says"), desk.deal.word("reply"), *desk.deal.words_of("report", draw.randrange(3)))
    manner = _Manner(
        desk,
        flow=draw.choice(flows),
        with_picture=desk.chance(0.5),
        with_reply=desk.chance(0.65),
        linked=desk.chance(0.4),
        labels=labels,
        quote=draw.choice(("blockquote", "blockquote", "i", "em", "q", "div")),
    )
    body = draw.choice(_SYSTEMS)(manner, comments)
    html = _framed(desk, body, len(comments))
    return Thread(html, "\n\n".join(part for comment in comments for part in comment.texts()))


def _comments(desk: Desk, chars: int) -> list[Comment]:
    draw, deal = desk.draw, desk.deal
    verbosity = draw.random() ** 1.3
    answering = draw.choice((0.0, 0.0, 0.25, 0.5))
    quoting = draw.choice((0.0, 0.0, 0.05, 0.2))
    roots: list[Comment] = []
    open_ends: list[tuple[Comment, int]] = []
    total = 0
    for _ in range(MAX_COMMENTS):
        before = open_ends[-1][0].paragraphs[0] if open_ends and draw.random() < quoting else ""
        comment = Comment(deal.nick(), deal.date(), deal.comment(verbosity), before)
        total += sum(map(len, comment.paragraphs))
        if open_ends and draw.random() < answering:
            parent, depth = draw.choice(open_ends[-6:])
            parent.answers.append(comment)
        else:
            depth = -1
            roots.append(comment)
        if depth + 1 < MAX_DEPTH:
            open_ends.append((comment, depth + 1))
        if total >= chars:
            break
    return roots


def _framed(desk: Desk, body: str, n: int) -> str:
    """Put a thread's heading, its form and its frame around it."""
    draw, deal, names = desk.draw, desk.deal, desk.names
    tag = draw.choice(("h2", "h3", "h3", "h4", "div", "p", "b", "strong"))
    heading = f"<{tag}{names.of('teaser-title')}>{text(deal.word('comments', n=n))}</{tag}>" if desk.chance(0.8) else ""
    form = _form(desk) if desk.chance(0.5) else ""
    frame = draw.choice(("div", "div", "div", "section", "aside", ""))
    html = heading + "\n" + body + "\n" + form if desk.chance(0.85) else form + heading + body
    return f"<{frame}{names.once('comments')}>{html}</{frame}>" if frame else f"<br><br>\n{html}<br><br>"


def _form(desk: Desk) -> str:
    deal, names = desk.deal, desk.names
    fields = "".join(f'<p><label>{text(label)}</label> <input type="text"></p>' for label in deal.words["fields"][:3])
    note = f"<p>{text(deal.word('cookie'))}</p>" if desk.chance(0.2) else ""
    return (
        f"<div{names.of('form')}><h3>{text(deal.word('leave'))}</h3><form action='/c' method='post'>{fields}"
        f"<textarea></textarea>{note}<button>{text(deal.word('submit'))}</button></form></div>"
    )


def _listed(manner: _Manner, comments: list[Comment]) -> str:
    """Write lists within lists, as blogs have them."""
    tag = manner.desk.draw.choice(("ol", "ul"))

    def item(comment: Comment) -> str:
        answers = "".join(map(item, comment.answers))
        inner = f"<{tag}{manner.of('children')}>{answers}</{tag}>" if answers else ""
        return (
            f"<li{manner.of('comment')}><div{manner.of('inner')}><div{manner.of('comment-author')}>{manner.picture()}"
            f"<cite>{manner.author(comment)}</cite> <span>{manner.says()}</span></div>"
            f"<div{manner.of('comment-date')}><a href='#c'>{text(comment.date)}</a></div>"
            f"{manner.body(comment)}{manner.reply()}</div>{inner}</li>\n"
        )

    return f"<{tag}{manner.of('comments')}>{''.join(map(item, comments))}</{tag}>"


def _plain_listed(manner: _Manner, comments: list[Comment]) -> str:
    """Write one list, the author before or after the text."""
    first = manner.desk.chance(0.5)
    items = []
    for comment in _flat(comments):
        who = f"<b>{manner.author(comment)}</b> {text(comment.date)}"
        body = manner.body(comment)
        items.append(
            f"<li{manner.of('comment')}>{who + ' ' + body if first else body + ' ' + who}{manner.reply('span')}</li>"
        )
    return f"<ul>{''.join(items)}</ul>"


def _defined(manner: _Manner, comments: list[Comment]) -> str:
    """Write a list of terms: author, text, date."""
    rows = [
        f"<dt{manner.of('comment-author')}>{manner.picture()} {manner.author(comment)} {manner.says()}</dt>"
        f"<dd{manner.of('comment-text')}>{manner.body(comment)}</dd>"
        f"<dd{manner.of('comment-date')}><span>{text(comment.date)}</span> {manner.reply('span')}</dd>\n"
        for comment in _flat(comments)
    ]
    return f"<dl{manner.of('comments')}>{''.join(rows)}</dl>"


def _signed(manner: _Manner, comments: list[Comment]) -> str:
    """Write texts with a line below that says who wrote and when."""
    posted = manner.desk.deal.word("posted", x="")
    rows = [
        f"<div{manner.of('comment')}><div{manner.of('comment-text')}>{manner.body(comment)}</div>"
        f"<p{manner.of('comment-date')}>{text(posted)} {manner.author(comment)} | {text(comment.date)}</p></div>\n"
        for comment in _flat(comments)
    ]
    return "".join(rows)


def _tabled(manner: _Manner, comments: list[Comment]) -> str:
    """Write a table: who on the left, what on the right, as boards have it."""
    rows = [
        f"<tr{manner.of('comment')}><td valign='top' width='20%'><b>{manner.author(comment)}</b><br>{manner.picture()}"
        f"<br>{text(comment.date)}</td><td{manner.of('comment-text')} valign='top'>{manner.body(comment)}"
        f"{manner.reply()}</td></tr>\n"
        for comment in _flat(comments)
    ]
    return f"<table width='100%' border='0' cellpadding='4'>{''.join(rows)}</table>"


def _indented(manner: _Manner, comments: list[Comment]) -> str:
    """Write a table a comment, indented by an empty cell."""
    rows = []
    for comment, depth in _with_depth(comments):
        who = f"<span{manner.of('comment-author')}>{manner.author(comment)} {text(comment.date)}</span>"
        rows.append(
            f"<tr><td><table border='0'><tr><td><img src='s.gif' height='1' width='{depth * 40}'></td>"
            f"<td{manner.of('comment')}>{who}<br>"
            f"<span{manner.of('comment-text')}>{manner.body(comment)}</span><br>{manner.reply('font')}</td></tr></table></td></tr>\n"
        )
    return f"<table border='0'>{''.join(rows)}</table>"


def _articles(manner: _Manner, comments: list[Comment]) -> str:
    """Write an `article` a comment, answers inside."""

    def item(comment: Comment) -> str:
        answers = "".join(map(item, comment.answers))
        return (
            f"<article{manner.of('comment')}><header{manner.of('comment-author')}>"
            f"{manner.picture()}<span>{manner.author(comment)}</span> "
            f"<time>{text(comment.date)}</time></header><div{manner.of('comment-text')}>{manner.body(comment)}</div>"
            f"<footer>{manner.reply()}</footer>{answers}</article>\n"
        )

    return "".join(map(item, comments))


def _boxes(manner: _Manner, comments: list[Comment]) -> str:
    """Write boxes in boxes, as scripts do."""
    depth = manner.desk.draw.randint(1, 4)
    opened, closed = f"<div{manner.of('inner')}>" * depth, "</div>" * depth

    def item(comment: Comment) -> str:
        answers = "".join(map(item, comment.answers))
        inner = f"<div{manner.of('children')}>{answers}</div>" if answers else ""
        return (
            f"<div{manner.of('comment')}>{opened}<div>{manner.picture()}<div><span{manner.of('comment-author')}>"
            f"{manner.author(comment)}</span><span>·</span><span{manner.of('comment-date')}>{text(comment.date)}</span></div></div>"
            f"<div{manner.of('comment-text')}>{manner.body(comment)}</div>{manner.reply()}{closed}{inner}</div>"
        )

    return "".join(map(item, comments))


def _running(manner: _Manner, comments: list[Comment]) -> str:
    """Write bold names and texts in one box, parted by rules or empty lines."""
    rule = manner.desk.draw.choice(("<hr>", "<br><br>\n", "<hr size='1' noshade>", "<br>\n<br>\n----<br>\n"))
    parts = []
    for comment in _flat(comments):
        who = f"<b>{manner.author(comment)}</b> {manner.says()} {text(comment.date)}"
        parts.append(f"{who}<br>\n{'<br><br>'.join(map(text, comment.paragraphs))}")
    return rule.join(parts)


def _paragraphs(manner: _Manner, comments: list[Comment]) -> str:
    """Write a heading or a bold line with the name, then paragraphs, all of them siblings."""
    tag = manner.desk.draw.choice(("h4", "h5", "p", "h3", "div"))
    parts = []
    for comment in _flat(comments):
        texts = "".join(f"<p>{text(paragraph)}</p>" for paragraph in comment.paragraphs)
        parts.append(
            f"<{tag}><strong>{manner.author(comment)}</strong>, {text(comment.date)}</{tag}>{texts}{manner.reply('p')}\n"
        )
    return "".join(parts)


def _quoted(manner: _Manner, comments: list[Comment]) -> str:
    """Write block quotes with a name below."""
    parts = []
    for comment in _flat(comments):
        body = manner.body(comment)
        parts.append(f"<blockquote>{body}</blockquote><p>— {manner.author(comment)} ({text(comment.date)})</p>")
    return f"<div{manner.of('comments')}>{''.join(parts)}</div>"


_SYSTEMS: Final[tuple[Callable[[_Manner, list[Comment]], str], ...]] = (
    _listed,
    _listed,
    _plain_listed,
    _defined,
    _signed,
    _signed,
    _tabled,
    _indented,
    _articles,
    _boxes,
    _boxes,
    _running,
    _paragraphs,
    _quoted,
)


def _flat(comments: list[Comment]) -> list[Comment]:
    return [comment for comment, _ in _with_depth(comments)]


def _with_depth(comments: list[Comment], depth: int = 0) -> Iterator[tuple[Comment, int]]:
    for comment in comments:
        yield comment, depth
        yield from _with_depth(comment.answers, depth + 1)
