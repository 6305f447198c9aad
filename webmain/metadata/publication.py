"""When the page was published and changed: what it declares first, then its address, then what readers see."""

from __future__ import annotations

from datetime import UTC
from itertools import islice
from typing import TYPE_CHECKING, Final

from webmain import languages
from webmain.html.columns import Flag
from webmain.metadata.dates import date_in_url, is_range, latest, parse_date, plain, precision
from webmain.metadata.head import element_text, meta_names, scope_type
from webmain.metadata.jsonld import texts
from webmain.metadata.reading import Found, Reading, found, source_name
from webmain.urls import is_own, join

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FOREIGN_SCOPES = ("videoobject", "imageobject", "audioobject", "comment", "usercomments", "answer", "event", "review")
_MONTH_FIRST_SITES = ("us", "com", "org", "net", "gov", "edu", "ph")


def read_dates(reading: Reading) -> tuple[Found | None, Found | None]:
    """Find the dates of publication and of the last change.

    Returns
    -------
    pair of Found or None
        Aware datetimes. A change before the publication is dropped, unless it is a mere day, and the same day.
    """
    published = _most_precise(reading, _published(reading))
    modified = _first(reading, _modified(reading))
    if published is None and modified is None:
        published = _first(reading, _seen(reading))
    if published is None and modified is not None:
        seen = _first(reading, _seen(reading))
        published = seen if seen and seen.value.date() <= modified.value.date() else modified
    if published and modified:
        published = _with_zone_of(modified, published)
    if published and modified and modified.value < published.value:
        same_day = modified.value.astimezone(UTC).date() == published.value.astimezone(UTC).date()
        midnight = modified.value.time().isoformat() == "00:00:00"
        modified = found(published.value, modified.source.name, modified.source.raw) if same_day and midnight else None
    return published, modified


_SHOWN: Final = ("byline", "date", "text", "time")
_MORE_CANDIDATES: Final = 12


def _first(reading: Reading, candidates: Iterator[tuple[str, str]]) -> Found | None:
    """Parse candidates until one is a date."""
    return next(_parsed(reading, candidates), None)


def _parsed(reading: Reading, candidates: Iterator[tuple[str, str]]) -> Iterator[Found]:
    """Yield the candidates that are dates."""
    language, month_first, now = reading.language, _month_first(reading), reading.document.page.fetched_at
    for name, raw in candidates:
        if name == "url":
            value = date_in_url(raw)
            value = value if value and value <= latest(now) else None
        elif name in _SHOWN and is_range(raw, language=language):
            continue
        else:
            value = parse_date(raw, language=language, month_first=month_first, now=now)
        if value is not None:
            yield found(value, name, raw)


def _most_precise(reading: Reading, candidates: Iterator[tuple[str, str]]) -> Found | None:
    """Take the first date; of the next ones, one that says the same with a time, or the same time with its zone."""
    dates = _parsed(reading, candidates)
    best = next(dates, None)
    if best is None or _precision(best) == 2:
        return best
    for other in islice(dates, _MORE_CANDIDATES):
        same_clock = _precision(best) == 0 or other.value.time() == best.value.time()
        if other.value.date() == best.value.date() and same_clock and _precision(other) > _precision(best):
            best = other
    return best


def _precision(date: Found) -> int:
    return precision(date.value, date.source.raw)


def _with_zone_of(modified: Found, published: Found) -> Found:
    """Read a publication's time without a zone in the zone of the change, where it then lies before the change."""
    if _precision(published) != 1 or not modified.value.utcoffset():
        return published
    local = published.value.replace(tzinfo=modified.value.tzinfo)
    return found(local, published.source.name, published.source.raw) if local <= modified.value else published


def _month_first(reading: Reading) -> bool:
    """Return True if 05/06/2024 is the sixth of May here: American English, or English under a common domain."""
    declared = reading.declared_language.lower().replace("_", "-")
    if declared.startswith("en-"):
        return declared.startswith(("en-us", "en-ph"))
    return reading.language in ("en", "") and reading.document.site.rpartition(".")[2] in _MONTH_FIRST_SITES


def _published(reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield strings that declare the publication, in order of trust."""
    for value in reading.values("datePublished"):
        yield from (("json-ld", t) for t in texts(value)[:2])
    yield from _from_meta(reading, "published")
    yield from _from_properties(reading, ("datepublished", "datecreated", "pubdate", "dateline"))
    for value in reading.values("dateCreated", "uploadDate"):
        yield from (("json-ld", t) for t in texts(value)[:2])
    elements = reading.document.elements
    for i in reading.in_view(reading.clues.times):
        attributes = elements.attributes[i]
        if "pubdate" in attributes or "published" in (attributes.get("class") or "") or reading.is_near(i):
            yield from _of_time(reading, i, updates=False)
    if reading.document.url:
        yield "url", reading.document.url
    canonical = join(reading.document.base_url, reading.clues.link("canonical"))
    if canonical and is_own(canonical, reading.document.url):
        yield "url", canonical
    yield from _seen(reading)


def _modified(reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield strings that declare the last change, in order of trust."""
    for value in reading.values("dateModified"):
        yield from (("json-ld", t) for t in texts(value)[:2])
    yield from _from_meta(reading, "modified")
    yield from _from_properties(reading, ("datemodified",))
    for i in reading.in_view(reading.clues.times):
        if reading.is_near(i):
            yield from _of_time(reading, i, updates=True)


def _from_meta(reading: Reading, of: str) -> Iterator[tuple[str, str]]:
    for name in meta_names(of):
        for value in reading.clues.metas.get(name, ())[:2]:
            if value:
                yield source_name(name), value


def _from_properties(reading: Reading, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield microdata that belongs to the page and not to a video, a comment or another article."""
    document = reading.document
    for name in names:
        for i in reading.in_view(reading.clues.properties.get(name, [])):
            if scope_type(document, i) not in _FOREIGN_SCOPES:
                attributes = document.elements.attributes[i]
                raw = attributes.get("content") or attributes.get("datetime") or element_text(document, i, limit=120)
                if raw:
                    yield f"itemprop:{name}", raw


def _of_time(reading: Reading, index: int, *, updates: bool) -> Iterator[tuple[str, str]]:
    """Yield what a time element says, if it is said of the kind of date that is wanted."""
    attributes = reading.document.elements.attributes[index]
    text = element_text(reading.document, index, limit=120)
    around = (
        f"{attributes.get('class') or ''} {attributes.get('itemprop') or ''} {text} {_before(reading, index)}".lower()
    )
    if any(word in around for word in languages.known().words("dates.updated")) == updates:
        for raw in (attributes.get("datetime"), attributes.get("content"), text):
            if raw:
                yield "time", raw


def _before(reading: Reading, index: int) -> str:
    """Return the short text right before an element."""
    leaf = reading.document.elements.first_leaf[index] - 1
    text = reading.document.leaves.texts[leaf] if leaf >= 0 else ""
    return text if len(text) <= 30 else ""


def _seen(reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield what readers see: marked as a date near the headline, lines near it, then any marked date."""
    marked = [(i, t) for i in reading.in_view(reading.clues.dated) for t in _texts_of_date(reading, i)]
    near = [(i, t) for i, t in marked if reading.is_near(i)]
    yield from (
        ("date", t) for _, t in near if not any(w in t.lower() for w in languages.known().words("dates.updated"))
    )
    yield from (("date", t) for _, t in near)
    at, n = reading.headline_leaf, len(reading.document.leaves)
    if at >= 0:
        around = [*range(at, min(n, at + 40)), *range(at - 1, max(-1, at - 20), -1)]
        yield from (("byline", t) for t in _date_lines(reading, around, 120))
    for i in reading.in_view(reading.clues.times):
        yield from _of_time(reading, i, updates=False)
    yield from (("date", t) for i, t in marked if not reading.is_near(i))
    if at < 0 or not marked:
        yield from (("text", t) for t in _only_date(reading, n))


def _only_date(reading: Reading, n_leaves: int) -> list[str]:
    """Return the lines that give a date anywhere on the page, if all of them give the same day."""
    lines = list(islice(_date_lines(reading, range(min(n_leaves, 5000)), 80), 30))
    month_first, now = _month_first(reading), reading.document.page.fetched_at
    parsed = [(t, parse_date(t, language=reading.language, month_first=month_first, now=now)) for t in lines]
    days = {value.date() for _, value in parsed if value is not None}
    return [t for t, value in parsed if value is not None] if len(days) == 1 else []


def _date_lines(reading: Reading, leaves: Iterable[int], limit: int) -> Iterator[str]:
    """Yield those of the lines that may be a date with little else, and don't stand aside."""
    columns = reading.document.leaves
    outside = int(Flag.IN_CONTROL | Flag.EMBEDDED)
    for i in leaves:
        text = columns.texts[i]
        if (
            5 < len(text) <= limit
            and not columns.flags[i] & outside
            and _is_mostly_date(text)
            and not reading.stands_aside(columns.element[i])
        ):
            yield text


def _texts_of_date(reading: Reading, index: int) -> list[str]:
    """Return what an element marked as a date says, to readers and in its attributes."""
    attributes = reading.document.elements.attributes[index]
    named = ("datetime", "content", "title", "data-utime", "data-date", "data-time", "data-timestamp", "data-datetime")
    values = [attributes.get(name) for name in named]
    return [t for t in (*values, element_text(reading.document, index, limit=160)) if t]


def _is_mostly_date(text: str) -> bool:
    """Return True if a line may be a date with little else: it has a digit for a day and for a year."""
    digits = sum(c.isdigit() for c in text)
    return digits >= 3 and len(plain(text)) <= 14 + 6 * digits
