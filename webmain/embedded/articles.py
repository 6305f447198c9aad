"""Find the article embedded in a page as data for scripts: JSON-LD, or the state of a framework.

Such text is used if the page shows no article itself. There is no table of sites: the data is walked, strings and trees of
strings that are prose are candidates, and the best is the longest one that belongs to an object with the page's title or
URL.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain.embedded.bodies import MIN_PROSE, About, Candidate, Context, Search
from webmain.embedded.rich_text import markup, type_words
from webmain.embedded.states import MAX_CHARS, read_states, stands_in_data
from webmain.html.columns import HIDDEN, Flag
from webmain.html.document import Document, view
from webmain.html.kinds import article_blocks
from webmain.items import Kind, Page, Reason, Rejected
from webmain.metadata.declared import json_ld
from webmain.metadata.head import letters
from webmain.metadata.jsonld import about_page
from webmain.regex import lazy
from webmain.text.prose_amount import n_wide, prose_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webmain.items import ArticleBlock

MAX_CHARS_BESIDE_TEXT: Final = 500_000
"""Maximum characters of scripts searched if the page shows some text."""

MAX_TRIED: Final = 12
"""Maximum candidates rendered to check whether they are readable."""


@dataclass(frozen=True, eq=False)
class Embedded:
    """The article that a page's data holds.

    Attributes
    ----------
    source : str
        "json-ld", or the name of the state it was found in: "__NEXT_DATA__", "window.__INITIAL_STATE__", "data-page".
    path : str
        Path inside it, with list positions written as `*`: "props.pageProps.article.body".
    html : str
        Paragraphs, headings, lists and quotes as markup.
    is_own : bool
        It belongs to an object that has the page's title or URL.
    records : tuple of dict
        The objects that contain it, innermost first (`webmain.embedded.records`).
    """

    source: str
    path: str
    html: str
    is_own: bool
    title: str = ""
    url: str | None = None
    records: tuple[dict[str, Any], ...] = ()

    @cached_property
    def blocks(self) -> tuple[ArticleBlock, ...]:
        """The article's blocks; captions and a first heading that is the page's title are left out."""
        content = Document(Page(url=self.url, html=self.html), html=self.html)
        leaves = content.leaves
        kept = ~leaves.has(HIDDEN | Flag.EMBEDDED | Flag.IN_NOSCRIPT | Flag.IN_CONTROL)
        ones = np.ones(len(leaves))
        blocks = article_blocks(content, kept, score=ones, raw=ones, locate=False)
        own = letters(self.title)
        return tuple(
            b
            for i, b in enumerate(blocks)
            if b.kind is not Kind.CAPTION and not (i == 0 and own and letters(b.text) == own)
        )

    @cached_property
    def text(self) -> str:
        """The blocks' texts joined by blank lines."""
        return "\n\n".join(block.text for block in self.blocks)


def embedded_text(
    document: Document, *, states: int = MAX_CHARS, least: float = MIN_PROSE, shown: float = 0.0
) -> Embedded | None:
    """Return the article in a page's data for scripts.

    Parameters
    ----------
    document : Document
    states : int
        Maximum characters of scripts searched for data of frameworks; 0 for JSON-LD only.
    least : float
        Minimum prose of a text in JSON-LD.
    shown : float
        Prose that the page shows; a text with less in its strings is no candidate.

    Returns
    -------
    Embedded or None
        None if no text with enough prose (`MIN_PROSE` in the data of frameworks) may be the page's article. Never raises,
        whatever the page contains; sizes, depths and numbers of nodes are bounded.
    """
    about = About(document)
    search = Search(about)
    found_states = read_states(document.html, document.elements.attributes, max_chars=states) if states else []
    for state in found_states:
        search.visit(state.value, (state.name,), Context(), 0)
    candidates = [*_of_json_ld(document, about, least), *search.found]
    best, best_score = None, 0.0
    for candidate in _ranked([candidate for candidate in candidates if candidate.prose >= shown]):
        source, *path = candidate.path
        context, body = candidate.context, markup(candidate.value)
        found = Embedded(
            source, ".".join(path), body, context.distance >= 0, about.title, document.url, context.records
        )
        score = _readable_prose(found, least) * candidate.factor
        if score > best_score:
            best, best_score = found, score
    return best


def _readable_prose(found: Embedded, least: float) -> float:
    """Return the amount of prose in the rendered text; 0 if it is too little, or too much of the text is not prose."""
    try:
        counts = [(prose_chars(block.text), len(block.text)) for block in found.blocks]
    except Rejected as rejected:
        if rejected.reason is not Reason.TOO_LARGE:
            raise
        return 0.0
    prose, other = sum(p for p, _ in counts), sum(n for p, n in counts if not p)
    return prose if prose >= least and other <= 0.6 * prose else 0.0


NEEDED_PROSE: Final = 200.0
"""A page that shows less prose than this is taken to show nothing of its article."""

FEW_PROSE: Final = 1_000.0
"""Below this, a page may show only the beginning of its article, and the data of frameworks is searched, too."""

ENOUGH_PROSE: Final = 3_000.0
"""A text with this much prose is not taken for the beginning of a longer one."""

LARGEST_SHARE: Final = 0.5
"""The embedded text is used instead only if the shown text is at most this share of it."""

LEAST_FOUND: Final = 0.4
"""Minimum share of the shown text that the embedded text must contain."""

_NOTICE_CHARS: Final = 1_500
_CHUNK_LETTERS: Final = 24
_MAX_CHUNKS: Final = 60
_NO_LETTER = lazy(r"[\W_]+")
_NOTICE = lazy(
    r"\b(?:enable|activate|turn on|requires?|aktivieren|aktiviere|activez|activer|habilit\w{1,9}|activ[ae]r?|abilita\w{0,4}"
    r"|włącz\w{0,4}|включите|schakel|aktiver\w{0,4})\b[^.!?]{0,60}\bjavascript\b"
    r"|\bjavascript\b[^.!?]{0,60}\b(?:enabled?|disabled|required|not supported|aktivier\w{0,4}|deaktiviert|désactivé"
    r"|activé|desactivado|habilitado|disabilitato|wyłączon\w{0,3}|отключ\w{1,4}|uitgeschakeld)\b"
    r"|javascript[^。]{0,20}(?:有効|無効|启用|禁用|啟用|停用)|(?:启用|開啟|打开)[^。]{0,10}javascript",
    re.IGNORECASE,
)
_SCRIPTS = lazy("javascript", re.IGNORECASE)


def asks_for_scripts(text: str) -> bool:
    """Return True if a short text says that the page needs JavaScript."""
    return len(text) <= _NOTICE_CHARS and bool(_SCRIPTS.search(text)) and _NOTICE.search(text) is not None


def embedded_instead(document: Document, text: str) -> Embedded | None:
    """Return the embedded article if it should replace the text that the page shows.

    Parameters
    ----------
    document : Document
    text : str
        The text extracted from the page, blocks separated by blank lines; "" if nothing was found.

    Returns
    -------
    Embedded or None
        If the page shows hardly any prose (`NEEDED_PROSE`), or a notice that it needs JavaScript: the embedded article. If
        it may show only the beginning of an article: the embedded text, provided that it is twice as long (`LARGEST_SHARE`)
        and either contains much of the shown text (`LEAST_FOUND`), or is the body in JSON-LD while little is shown
        (`FEW_PROSE`). None otherwise.

    Notes
    -----
    Nothing is parsed if the text has `ENOUGH_PROSE`, or if neither JSON-LD has a body that is long enough nor a piece of
    the text is in the data of frameworks.
    """
    if len(text) >= 2 * ENOUGH_PROSE or not document.has_data:
        return None
    has_body = any("articleBody" in script for script in document.tree.data)
    paragraphs, prose = [], 0.0
    for paragraph in text.split("\n\n"):
        if n := prose_chars(paragraph):
            paragraphs.append(paragraph)
            prose += n
        if prose >= (ENOUGH_PROSE if has_body else FEW_PROSE):
            break
    if prose < NEEDED_PROSE or asks_for_scripts(text):
        return embedded_article(document)
    twice = _standing_twice(document.html, paragraphs) if prose < FEW_PROSE else []
    if prose >= ENOUGH_PROSE or not (twice or has_body):
        return None
    attributes = document.elements.attributes
    is_in_data = any(stands_in_data(piece, document.html, attributes) for piece in twice)
    states = MAX_CHARS_BESIDE_TEXT if is_in_data else 0
    if not states and prose > LARGEST_SHARE * _most_prose(document.tree.data):
        return None
    found = embedded_text(document, states=states, shown=prose)
    if found is None or not found.is_own or prose > LARGEST_SHARE * sum(prose_chars(b.text) for b in found.blocks):
        return None
    if found.source == "json-ld" and prose < FEW_PROSE:
        return found
    return found if _share_within("\n\n".join(paragraphs), found.text) >= LEAST_FOUND else None


@view
def embedded_article(document: Document) -> Embedded | None:
    """Return the article embedded in the page as data for scripts (JSON-LD, state of frameworks); None if there is none."""
    return embedded_text(document)


_BODY = lazy(r'"(articleBody|reviewBody|text)"\s*:\s*(?:"([^"\\]*+(?:\\.[^"\\]*+)*+)"|(\S))', re.DOTALL)
_PIECES: Final = ('"liveBlogUpdate"', '"acceptedAnswer"', '"suggestedAnswer"', '"comment"')


def _most_prose(scripts: Iterable[str]) -> float:
    """Return an upper bound of a JSON-LD body's prose, from its length; infinity if the source does not show it directly."""
    most = 0
    for script in scripts:
        if any(piece in script for piece in _PIECES):
            return math.inf
        unread = script.count("articleBody")
        for found in _BODY.finditer(script):
            if found[3] in ("[", "'"):
                return math.inf
            unread -= found[1] == "articleBody"
            value = found[2] or ""
            most = max(most, len(value) + 2 * n_wide(value))
        if unread:
            return math.inf
    return most


def _standing_twice(source: str, paragraphs: list[str]) -> list[str]:
    """Return the pieces of the longest paragraphs that occur a second time in a page's source."""
    longest = sorted(paragraphs, key=len, reverse=True)[:3]
    pieces = [paragraph[10 : 10 + _CHUNK_LETTERS] for paragraph in longest]
    return [p for p in pieces if source.count(p) > 1 or (not p.isascii() and json.dumps(p)[1:-1] in source)]


def _share_within(part: str, whole: str) -> float:
    """Return the share of a text's pieces, of two dozen letters each, that another text contains."""
    letters_of_part, letters_of_whole = (_NO_LETTER.sub("", t.casefold()) for t in (part, whole))
    pieces = [letters_of_part[i : i + _CHUNK_LETTERS] for i in range(0, len(letters_of_part), _CHUNK_LETTERS)]
    pieces = pieces[:: 1 + len(pieces) // _MAX_CHUNKS]
    return sum(piece in letters_of_whole for piece in pieces) / max(1, len(pieces))


def _of_json_ld(document: Document, about: About, least: float) -> Iterator[Candidate]:
    """Yield the bodies of the JSON-LD objects that describe the page, the likeliest first."""
    if _most_prose(document.tree.data) < least:
        return
    linked = json_ld(document)
    for rank, node in enumerate(about_page(linked, urls=about.urls, titles=[about.title, document.title])):
        if node.aside:
            continue
        context = Context(rank)
        for key in ("articleBody", "reviewBody", "text"):
            value = node.value.get(key)
            if isinstance(value, list):
                value = "\n\n".join(v for v in value if isinstance(v, str))
            if isinstance(value, str):
                posts = [value, *_posts(node.value)]
                if (prose := sum(map(prose_chars, posts))) >= least:
                    yield Candidate(posts, ("json-ld", node.types[0] if node.types else "", key), context, prose)
                    return
        updates = node.value.get("liveBlogUpdate")
        if isinstance(updates, list):
            pieces = [
                u[k]
                for u in updates
                if isinstance(u, dict)
                for k in ("headline", "articleBody")
                if isinstance(u.get(k), str)
            ]
            if (prose := sum(map(prose_chars, pieces))) >= least:
                yield Candidate(pieces, ("json-ld", "liveblogposting", "liveBlogUpdate"), context, prose)


def _posts(node: dict[str, Any]) -> list[str]:
    """Return the answers to a question or the posts of a thread; [] for articles, since comments are not part of them."""
    if not _THREADS.isdisjoint(type_words({"type": str(node.get("@type"))})[:1]):
        found = [node.get(k) for k in ("acceptedAnswer", "suggestedAnswer", "comment")]
        listed = [post for value in found for post in (value if isinstance(value, list) else [value])[:200]]
        return [p["text"] for p in listed if isinstance(p, dict) and isinstance(p.get("text"), str)]
    return []


_THREADS: Final = frozenset(("question", "forumposting"))


def _ranked(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates that may be the article, best first; of nested ones with the same prose, the inner one."""
    allowed = [c for c in candidates if c.is_likely]
    allowed.sort(key=lambda c: -c.score)
    ranked: list[Candidate] = []
    known: set[tuple[float, str]] = set()
    for candidate in allowed:
        likeness = (candidate.prose, candidate.path[-1])
        if likeness in known or len(known) == MAX_TRIED:
            continue
        known.add(likeness)
        n = len(candidate.path)
        inner = [
            c for c in allowed if len(c.path) > n and c.path[:n] == candidate.path and c.prose >= 0.95 * candidate.prose
        ]
        for c in (*sorted(inner, key=lambda c: -len(c.path))[:1], candidate):
            if c not in ranked:
                ranked.append(c)
    return ranked
