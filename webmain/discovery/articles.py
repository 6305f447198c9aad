"""Classify addresses as article, hub or neither; `page_evidence` weighs pages with the same `Evidence`.

Both judgements add up weighted evidence and keep the names of that evidence, which are logged and stored with the article.
The weights were set by hand and checked on the addresses of the development sets; a score is a rough probability.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from math import exp
from typing import Final
from urllib.parse import parse_qsl, unquote

from webmain.discovery.url_words import url_words
from webmain.metadata.dates import date_in_url
from webmain.urls import split_url

MAX_SEGMENTS: Final = 20
MAX_PARTS: Final = 50
"""Larger numbers are not page numbers of an article."""
ARCHIVE: Final = "an archive by date"
"""The reason given when an address is the list of a year, month or day."""
A_DATE: Final = "a date"
"""The reason given when only a date suggests an article; the days of calendars look the same."""
LATER_PART: Final = "a later part of an article"
"""The reason given for a later part of an article; it does not apply if the page turns out to be a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Thresholds of the judgements; set by hand on the addresses and pages of the development sets.

    Attributes
    ----------
    article_url, hub_url : float
        An address is an article's from the first score up, and a hub's up to the second.
    article_page : float
        A page is an article from this score up; at 0.5, evidence for and against are equal.
    compound_chars : int
        A word of a slug with at least this many characters is a compound and counts as two.
    paragraph_chars, link_chars, headline_chars : int
        Shorter blocks are labels and headlines, shorter links labels of sections and buttons, shorter headlines such labels.
    few_chars, few_links : int
        If a page shows fewer characters in paragraphs, the text in its embedded data is used as well, and if it also has
        fewer links, the addresses there.
    list_links : int
        A page with at least this many links to articles may embed the texts of those articles.
    whole_chars : int
        A teaser of at least this many characters is the whole article.
    teaser_share : float
        If this share of the text is below links to other articles, the page is a list of them.
    feed_chars : int
        A feed's content of at least this many characters can serve as the article of a page without text.
    shown_share : float
        A page that shows at least this share of the feed's content has a text of its own.
    """

    article_url: float = 0.6
    hub_url: float = 0.35
    article_page: float = 0.5
    compound_chars: int = 15
    paragraph_chars: int = 40
    link_chars: int = 12
    headline_chars: int = 25
    few_chars: int = 300
    few_links: int = 30
    list_links: int = 3
    whole_chars: int = 400
    teaser_share: float = 0.8
    feed_chars: int = 200
    shown_share: float = 0.2


THRESHOLDS: Final = Thresholds()


class UrlKind(StrEnum):
    """What kind of page an address seems to lead to."""

    ARTICLE = "article"
    HUB = "hub"  # a list of pages: read for its links
    UNKNOWN = "unknown"  # only the page itself can decide
    IGNORE = "ignore"  # neither an article nor a list of them


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlJudgement:
    """What kind of page an address seems to lead to, and why.

    Attributes
    ----------
    score : float
        How likely it is an article, in [0, 1].
    reason : str
        The evidence, strongest first, as text for logs and for the article's record.
    """

    kind: UrlKind
    score: float
    reason: str


@dataclass(slots=True)
class Evidence:
    """Weighted evidence with its names; positive points speak for an article, and without any a page rather is none."""

    named: list[tuple[float, str]] = field(default_factory=list)

    def add(self, points: float, name: str) -> None:
        """Add a piece of evidence."""
        self.named.append((points, name))

    def score(self) -> float:
        """Return the sum as a rough probability."""
        total = sum((points for points, _ in self.named), -1.0)
        return round(1 / (1 + exp(-max(-30.0, min(30.0, total)))), 3)

    def reason(self, *, positive: bool, most: int = 3) -> str:
        """Return the names of the strongest evidence for the outcome; "" if there is none."""
        agreeing = [pair for pair in self.named if pair[0] and (pair[0] > 0) == positive]
        return ", ".join(name for _, name in sorted(agreeing, key=lambda pair: -abs(pair[0]))[:most])


# ---- The address

_WORD_BREAK = re.compile(r"[-_.+,~\s%:;!'’()|]+")
_LONG_NUMBER = re.compile(r"\d{5,}")
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")
_OPAQUE = re.compile(r"(?=[a-z0-9]*\d)(?=[0-9]*[a-z])[a-z0-9]{8,40}")
_PAGE_WORDS: Final = ("page", "seite", "pagina", "list", "liste", "lista")
_PART = re.compile(
    r"/(?P<word>page|seite|pagina|part|p|list[ae]?(?=[_-]))[/_-]?(?:\d{1,4}_)?(?P<number>\d{1,4})(?:\.[a-z]{3,5})?/?$"
)
_NUMBERS_AROUND = re.compile(r"^\d+-|-\d$")
MAX_DATE_CHARS: Final = 80
_YEAR = r"(?:199\d|20\d\d|25[3-9]\d)"
_DATE_ONLY = re.compile(
    rf"(?:/{_YEAR}(?:(?!/{_YEAR}(?!\d))[/-]?\d{{3,4}}(?!\d)|(?:(?!/page/)[/-]?(?:\d{{1,2}}(?!\d)|[a-z]{{3,9}}(?![a-z]))){{0,2}}+))++"
    r"/?(?:page/\d+/?)?$"
)
_SHORT_NUMBER = re.compile(r"\d{1,4}")
_ARTICLE_NUMBER = re.compile(rf"(?!{_YEAR}$)\d{{4,}}")
_NUMBERED_KEY = re.compile(r"(?:article|news|story|post|item)[-_]?\d{2,}")
_NUMBERED_SLUG = re.compile(r"\d{2,}[-:]\S+$")
_ID_KEY = re.compile(r"(?!.*(?:auth|cat|group|lang|menu|page|rubr|sec|site|tag|topic|type|user)).*id")
_NUMBERED_VALUE = re.compile(r"[A-Za-z]{0,6}\d{2,}[\w:.-]*")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0002fa1f]"
)


def judge_url(url: str) -> UrlJudgement:
    """Judge by its address alone whether a page is an article, a hub, or neither.

    Parameters
    ----------
    url : str
        Absolute.

    Returns
    -------
    UrlJudgement
        ARTICLE from a score of 0.6; HUB up to 0.35 (if there is any evidence), or for the form of a list. Never raises.
    """
    parts = split_url(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return _ignore("not a web address")
    path = unquote(parts.path[:4096]).lower()
    segments = [segment.strip() for segment in path.split("/") if segment.strip()][:MAX_SEGMENTS]
    pairs = parse_qsl(parts.query[:2000], keep_blank_values=True) if parts.query else ()
    query = {key.lower().rstrip("]").rpartition("[")[2]: value for key, value in pairs}
    return _judge_special(segments, query) or _judge_path(_Path(segments, query, path))


def _ignore(reason: str) -> UrlJudgement:
    return UrlJudgement(kind=UrlKind.IGNORE, score=0.0, reason=reason)


def _hub(reason: str, score: float = 0.05) -> UrlJudgement:
    return UrlJudgement(kind=UrlKind.HUB, score=score, reason=reason)


def _judge_special(segments: list[str], query: dict[str, str]) -> UrlJudgement | None:
    """Judge the addresses that need no weighing: files, dead ends, the front page, searches."""
    last = segments[-1] if segments else ""
    stem, _, suffix = last.rpartition(".")
    if stem and suffix in url_words("other_suffixes"):
        return _ignore(f"a .{suffix} file")
    if not query.keys().isdisjoint(("replytocom", "share", "cpage")) or last.startswith("comment-page-"):
        return _ignore("comments or a share form")
    if not segments or (len(segments) == 1 and segments[0] in url_words("editions")):
        return _judge_front(query)
    name = stem if stem and suffix in url_words("page_suffixes") else last
    dead = next((segment for segment in (*segments[:-1], name) if segment in url_words("dead_ends")), None)
    if dead and not _is_section(dead, segments, query):
        return _ignore(f"below /{dead}")
    is_print = (segments[-2:-1] == ["print"] and name.isdigit()) or "print" in query.values()
    if is_print or not url_words("ignored").isdisjoint((name, _NUMBERS_AROUND.sub("", name))):
        return _ignore(f"/{last}")
    if len(segments) == 1 and name in url_words("fronts") and not _article_id(query):
        return _hub("the front page")
    return None


def _is_section(dead: str, segments: list[str], query: dict[str, str]) -> bool:
    """Return True if `/forum` may be a section for opinions, with slugs directly below it, or `/shop` one above a date."""
    if dead != "forum":
        return dead in url_words("shelves") and date_in_url("/".join(("", *segments))) is not None
    is_slug = segments[-2:-1] == ["forum"] and slug_words(segments[-1]) > 4 and not any(map(str.isdigit, segments[-1]))
    return not query and (segments == ["forum"] or is_slug)


def _judge_front(query: dict[str, str]) -> UrlJudgement:
    """Judge an address without a path: the front page, unless its query numbers an article."""
    number = query.get("p", "")
    if len(number) >= 2 and number.isascii() and number.isdigit():
        return UrlJudgement(kind=UrlKind.ARTICLE, score=0.75, reason="numbered in the query")
    return _hub("a search" if url_words("search_keys") & query.keys() else "the front page")


@dataclass(slots=True)
class _Path:
    """The parts of an address that evidence is read from."""

    segments: list[str]
    query: dict[str, str]
    path: str
    name: str = ""
    suffix: str = ""

    def __post_init__(self) -> None:
        stem, _, suffix = self.segments[-1].rpartition(".")
        known = bool(stem) and suffix in url_words("page_suffixes")
        self.name, self.suffix = (stem, suffix) if known else (self.segments[-1], "")
        if self.name in ("index", "default", "amp", "full", "story") and len(self.segments) > 1:
            self.segments = self.segments[:-1]
            self.name, self.suffix = self.segments[-1], ""


def _judge_path(path: _Path) -> UrlJudgement:
    """Weigh the evidence of a path and query."""
    dated = None if path.suffix or _article_id(path.query) else _find_date(path.path)
    if dated and not _move_before_date(path, dated.start()):
        return _hub(ARCHIVE)
    if numbered := _judge_whole(path.path):
        return numbered
    evidence = _weigh(path)
    if (score := evidence.score()) >= THRESHOLDS.article_url:
        return UrlJudgement(kind=UrlKind.ARTICLE, score=score, reason=evidence.reason(positive=True))
    against = evidence.reason(positive=False) or evidence.reason(positive=True)
    kind = UrlKind.HUB if score <= THRESHOLDS.hub_url and against else UrlKind.UNKNOWN  # without evidence it is no hub
    return UrlJudgement(kind=kind, score=score, reason=against)


def _weigh(path: _Path) -> Evidence:
    """Gather all evidence of a path and query."""
    evidence = Evidence()
    words = _weigh_slug(path, evidence)
    _weigh_identifiers(path, evidence, words)
    _weigh_date(path, evidence)
    _weigh_words(path, evidence, words)
    _weigh_query(path, evidence)
    return evidence


def _find_date(path: str) -> re.Match[str] | None:
    """Return the date at the end of a path; only the last `MAX_DATE_CHARS` characters are searched."""
    return _DATE_ONLY.search(path, max(0, len(path) - MAX_DATE_CHARS))


def _judge_whole(path: str) -> UrlJudgement | None:
    """Judge a path that ends with a word for "page" and a number by what precedes them; None if that is unsure."""
    part = _PART.search(path)
    if not part or int(part["number"]) < 2 or _find_date(path[: part.start()]):
        return None
    segments = [segment for segment in path[: part.start()].split("/") if segment][:MAX_SEGMENTS]
    may_be_article = segments and not part["word"].startswith("list")
    if may_be_article and _weigh(_Path(segments, {}, path[: part.start()])).score() >= THRESHOLDS.article_url:
        return _ignore(LATER_PART) if int(part["number"]) <= MAX_PARTS else None
    return _hub("a numbered page of a list") if part["word"] in _PAGE_WORDS else None  # "/p/12" may be article 12


def _move_before_date(path: _Path, date_start: int) -> bool:
    """If a path's date follows a slug or a number, make that the last segment; return False if it does not."""
    before = [segment for segment in path.path[:date_start].split("/") if segment]
    if not before or not (slug_words(before[-1]) >= 4 or _ARTICLE_NUMBER.fullmatch(before[-1])):
        return False
    path.segments, path.name = before, before[-1]
    return True


def slug_words(segment: str) -> int:
    """Return the number of words in a path segment; scripts without spaces count one per three characters, rounded up.

    Words of 15 letters or more count as two; numbers, single letters and mixtures of letters and digits do not count.
    """
    n_words = 0
    for piece in _WORD_BREAK.split(segment[:600]):
        unspaced = len(_UNSPACED.findall(piece))
        if unspaced:
            n_words += -(-unspaced // 3)
        elif len(piece) > 1 and piece.isalpha():
            n_words += 1 if len(piece) < THRESHOLDS.compound_chars else 2
    return n_words


def _weigh_slug(path: _Path, evidence: Evidence) -> int:
    """Weigh the words of the last segment, or of the last but one where the last is an identifier."""
    words = slug_words(path.name)
    if words < 3 and len(path.segments) > 1 and (_is_identifier(path.name) or _SHORT_NUMBER.fullmatch(path.name)):
        words = max(words, slug_words(path.segments[-2]))
    points = 3.2 if words >= 7 else 2.4 if words >= 5 else {4: 1.6, 3: 0.7}.get(words, 0.0)
    if points:
        evidence.add(points, f"a slug of {words} words")
    return words


def _is_identifier(segment: str) -> bool:
    """Return True if a segment is a number, a hash or another key of a database."""
    return bool(_LONG_NUMBER.fullmatch(segment) or _UUID.search(segment) or _OPAQUE.fullmatch(segment))


def _weigh_identifiers(path: _Path, evidence: Evidence, words: int) -> None:
    """Weigh numbers and keys in the last two segments."""
    tail = [*path.segments[-2:-1], path.name]
    if _UUID.search(tail[-1]):
        evidence.add(2.2, "a UUID")
    elif any(_LONG_NUMBER.search(segment) for segment in tail):
        evidence.add(2.2, "a long number")
    elif _OPAQUE.fullmatch(_WORD_BREAK.split(path.name)[-1]):
        evidence.add(1.3, "a key")
    elif re.search(r"\d{3,4}$", path.name) and (words or path.suffix):
        evidence.add(0.6, "a number")
    elif _SHORT_NUMBER.fullmatch(path.name) and any(
        s in url_words("articles") or s in url_words("news") for s in path.segments[:-1]
    ):
        evidence.add(1.4, "a number below a section")
    if path.suffix in ("html", "htm", "shtml", "ece", "cms", "story", "stm"):
        evidence.add(0.9, f".{path.suffix}")


def _weigh_date(path: _Path, evidence: Evidence) -> None:
    """Weigh a day or month in the path."""
    if date_in_url(path.path, months=True):
        evidence.add(2.6, A_DATE)
    elif re.search(r"/(?:199\d|20\d\d)/", path.path):
        evidence.add(0.8, "a year")


def _weigh_words(path: _Path, evidence: Evidence, words: int) -> None:
    """Weigh the path's words."""
    before, own = path.segments[:-1], path.name
    person = next((segment for segment in before if segment in url_words("names")), None)
    hub = next((segment for segment in before if segment in url_words("hubs")), None)
    if person:
        is_author = person in url_words("authors") and before[-1] != person and words >= 4
        evidence.add(-1.0 if is_author else -4.5, f"below /{person}")
    elif hub:
        evidence.add(-0.3 if _LONG_NUMBER.fullmatch(own) else -1.6, f"below /{hub}")
    if own in url_words("own"):
        evidence.add(0.0 if _article_id(path.query, own) else -2.5, f"ends with /{own}")
    elif any(segment in url_words("articles") for segment in before):
        evidence.add(1.2, "below an article's word")
    elif any(segment in url_words("news") for segment in before):
        evidence.add(0.5, "below a section")
    ignored = next((segment for segment in before if segment in url_words("ignored")), None)
    if ignored:
        evidence.add(-1.5, f"below /{ignored}")
    is_entry = bool(before) and (before[-1] in url_words("articles") or before[-1] in ("blog", "blogs", "notes"))
    if not (words > 2 or is_entry or path.suffix or _article_id(path.query) or any(map(str.isdigit, own))):
        evidence.add(0.5 if words == 2 else -1.2 if len(path.segments) <= 2 else -0.6, "a short name")


def _article_id(query: dict[str, str], name: str = "") -> bool:
    """Return True if the query numbers an article; a single digit, or any identifier, only after a `name` like "article"."""
    is_named = name in url_words("articles")
    ids = [
        value for key, value in query.items() if key in url_words("id_keys") or (is_named and _ID_KEY.fullmatch(key))
    ]
    is_digit = is_named and not set("123456789").isdisjoint(ids)
    has_slug = any(_NUMBERED_SLUG.match(value) and slug_words(value) > 3 for value in query.values())
    is_number = any(_NUMBERED_VALUE.fullmatch(value[:300]) for value in ids)
    return is_digit or is_number or has_slug or any(map(_NUMBERED_KEY.fullmatch, query))


def _weigh_query(path: _Path, evidence: Evidence) -> None:
    """Weigh the query."""
    query = path.query
    if _article_id(query, path.name):
        text = path.path + " " + " ".join(query.values()).lower()
        speaks = any(word in text for word in ("news", "articl", "story", "detail", "view", "read", "post", "noti"))
        evidence.add(2.4 if speaks else 1.6, "numbered in the query")
    elif any(len(query[key]) != 1 for key in url_words("search_keys") & query.keys()):
        evidence.add(-2.0, "a search")
    elif any(query[key].isdigit() and len(query[key]) <= 4 for key in url_words("page_keys") & query.keys()):
        evidence.add(-1.5, "a numbered page of a list")
