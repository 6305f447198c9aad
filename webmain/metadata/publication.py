"""Read when a page was published and changed: from what it declares, then its URL, then what it shows."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from webmain.metadata.dates import date_in_url, is_ambiguous, is_month_first, is_range, latest, parse_date, precision
from webmain.metadata.dates_shown import ShownDates, is_of_change, of_change, of_publication, read_ago
from webmain.metadata.head import element_text, meta_names, scope_type
from webmain.metadata.jsonld import texts
from webmain.metadata.reading import Found, Reading, found, source_name
from webmain.urls import is_own, join

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FOREIGN_SCOPES = ("videoobject", "imageobject", "audioobject", "comment", "usercomments", "answer", "event", "review")
_MONTH_FIRST_SITES = ("us", "com", "org", "net", "gov", "edu", "ph")


def read_dates(reading: Reading) -> tuple[Found | None, Found | None]:
    """Return the dates of publication and of the last change.

    Returns
    -------
    pair of Found or None
        Aware datetimes. A change before the publication is dropped, unless it is a date without time on the same day.
    """
    shown = ShownDates(reading)
    published = _most_precise(shown, _published(shown))
    modified = next(_parsed(shown, _modified(shown)), None)
    if published is None:
        published = _in_doubt(shown, modified)
    elif published.source.name not in _SHOWN:
        published = _as_shown(shown, published)
    if published and modified:
        published = _with_zone_of(modified, published)
    if published and modified and modified.value < published.value:
        same_day = modified.value.astimezone(UTC).date() == published.value.astimezone(UTC).date()
        midnight = modified.value.time().isoformat() == "00:00:00"
        modified = found(published.value, modified.source.name, modified.source.raw) if same_day and midnight else None
    return published, modified


_SHOWN: Final = ("byline", "date", "text")
_MORE_CANDIDATES: Final = 12


def _parsed(shown: ShownDates, candidates: Iterable[tuple[str, str]]) -> Iterator[Found]:
    """Yield the candidates that are dates."""
    language, now = shown.reading.language, shown.reading.document.page.fetched_at
    for name, raw in candidates:
        if name == "url":
            value = date_in_url(raw)
            value = value if value and value <= latest(now) else None
        elif name == "ago":
            value = read_ago(raw, language, now) if now else None
        elif name in (*_SHOWN, "time") and is_range(raw, language=language):
            continue
        else:
            value = parse_date(raw, language=language, month_first=_month_first(shown, raw), now=now)
        if value is not None:
            yield found(value, name, raw)


def _most_precise(shown: ShownDates, candidates: Iterator[tuple[str, str]]) -> Found | None:
    """Return the first date, or a later candidate with the same date and more precision (a time, or its zone)."""
    dates = _parsed(shown, candidates)
    best = next(dates, None)
    if best is None or _precision(best) == 2:
        return best
    for other in islice(dates, _MORE_CANDIDATES):
        same_clock = _precision(best) == 0 or other.value.time() == best.value.time()
        if other.value.date() == best.value.date() and same_clock and _precision(other) > _precision(best):
            best = other
    return best


def _precision(item: Found) -> int:
    return precision(item.value, item.source.raw)


def _with_zone_of(modified: Found, published: Found) -> Found:
    """Return a publication without a zone in the zone of the change, if it is then before the change."""
    if _precision(published) != 1 or not modified.value.utcoffset():
        return published
    local = published.value.replace(tzinfo=modified.value.tzinfo)
    return found(local, published.source.name, published.source.raw) if local <= modified.value else published


def _month_first(shown: ShownDates, raw: str) -> bool:
    """Return True if 05/06/2024 means 6 May on this page, by its other dates, or by its language and domain.

    Without evidence from dates it does in American English, and in English under a generic domain.
    """
    reading = shown.reading
    if is_ambiguous(raw):
        readings = {value.date(): first for first in (False, True) if (value := parse_date(raw, month_first=first))}
        evident = {readings[day] for day in _evidence(shown) if day in readings}
        evident = evident or {order for line in shown.lines() if (order := is_month_first(line)) is not None}
        if len(evident) == 1:
            return evident.pop()
    declared = reading.clues.language.lower().replace("_", "-")
    if declared.startswith("en-"):
        return declared.startswith(("en-us", "en-ph"))
    return reading.language in ("en", "") and reading.document.site.rpartition(".")[2] in _MONTH_FIRST_SITES


def _evidence(shown: ShownDates) -> Iterator[date]:
    """Yield the unambiguous dates found elsewhere on the page."""
    reading = shown.reading
    if (address := date_in_url(reading.document.url or "")) is not None:
        yield address.date()
    declared = chain(*(_from_meta(reading, of) for of in ("published", "modified")))
    raws = [raw for _, raw in chain(declared, _from_json_ld(reading, "dateModified", "datePublished"))]
    raws += [reading.document.elements.attributes[i].get("datetime") or "" for i in reading.clues.times[:20]]
    for raw in (*raws, *shown.lines()):
        if not is_ambiguous(raw) and (value := parse_date(raw, language=reading.language)):
            yield value.date()


def _published(shown: ShownDates) -> Iterator[tuple[str, str]]:
    """Yield strings that declare the publication date, in order of trust."""
    reading = shown.reading
    yield from _from_json_ld(reading, "datePublished")
    yield from _from_meta(reading, "published")
    yield from _from_properties(shown, ("datepublished", "datecreated", "pubdate", "dateline"))
    yield from _from_json_ld(reading, "dateCreated", "uploadDate")
    elements = reading.document.elements
    for i in shown.in_view(reading.clues.times):
        attributes = elements.attributes[i]
        if "pubdate" in attributes or "published" in (attributes.get("class") or "") or shown.is_close(i):
            yield from _of_time(shown, i, updates=False)
    if reading.document.url:
        yield "url", reading.document.url
    canonical = join(reading.document.base_url, reading.clues.link("canonical"))
    if canonical and is_own(canonical, reading.document.url):
        yield "url", canonical
    yield from _seen(shown)


def _modified(shown: ShownDates) -> Iterator[tuple[str, str]]:
    """Yield strings that declare the last change, in order of trust."""
    reading = shown.reading
    yield from _from_json_ld(reading, "dateModified")
    yield from _from_meta(reading, "modified")
    yield from _from_properties(shown, ("datemodified",))
    for i in shown.in_view(reading.clues.times):
        if reading.is_near(i):
            yield from _of_time(shown, i, updates=True)
    yield from (("byline", t) for t in shown.changes())


def _from_json_ld(reading: Reading, *keys: str) -> Iterator[tuple[str, str]]:
    return (("json-ld", text) for value in reading.values(*keys) for text in texts(value)[:2])


def _from_meta(reading: Reading, of: str) -> Iterator[tuple[str, str]]:
    for name in meta_names(of):
        for value in reading.clues.metas(name, 2):
            if value:
                yield source_name(name), value


def _from_properties(shown: ShownDates, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield microdata of the page itself, not of a video, a comment or another article."""
    document = shown.reading.document
    for name in names:
        elements = shown.reading.clues.properties.get(name, [])
        is_only = len(elements) == 1 and shown.reading.is_near(elements[0])
        for i in elements if is_only else shown.in_view(elements):
            if scope_type(document, i) not in _FOREIGN_SCOPES:
                attributes = document.elements.attributes[i]
                raw = attributes.get("content") or attributes.get("datetime") or element_text(document, i, limit=120)
                if raw:
                    yield f"itemprop:{name}", raw


def _of_time(shown: ShownDates, index: int, *, updates: bool) -> Iterator[tuple[str, str]]:
    """Yield the strings of a `time` element if it is of the wanted kind: a publication or an update."""
    document = shown.reading.document
    attributes = document.elements.attributes[index]
    text, label = element_text(document, index, limit=120), shown.label_of(index)
    marks = f"{attributes.get('class') or ''} {attributes.get('itemprop') or ''}"
    if is_of_change(marks):
        said = text if updates else ""
    else:
        said = of_change(text, label) if updates else of_publication(text, label)
    if said or not (updates or text or is_of_change(f"{marks} {label}")):
        for raw in (attributes.get("datetime"), attributes.get("content"), said):
            if raw:
                yield "time", raw


def _seen(shown: ShownDates) -> Iterator[tuple[str, str]]:
    """Yield shown strings: those near the headline, then a dateline, then whatever is marked as a date."""
    yield from shown.near()
    yield from (("ago", t) for t in shown.ages())
    yield from (("text", t) for t in shown.datelines())
    for i in shown.in_view(shown.reading.clues.times):
        yield from _of_time(shown, i, updates=False)
    yield from (("date", t) for t in shown.elsewhere())


def _in_doubt(shown: ShownDates, modified: Found | None) -> Found | None:
    """Return a likely but uncertain publication date: the change, or the only day among lines of one kind."""
    kinds = [("text", shown.labelled), ("text", shown.lines)]
    for name, lines in kinds if modified else [*kinds, ("script", shown.in_scripts)]:
        dates = list(_parsed(shown, ((name, raw) for raw in lines())))
        if len({item.value.date() for item in dates}) == 1 and (modified is None or dates[0].value <= modified.value):
            return dates[0]
    return modified


_MAX_FAR: Final = 16
_MAX_SHOWN: Final = 6


def _as_shown(shown: ShownDates, published: Found) -> Found:
    """Return a declared date corrected by the day shown near the headline.

    A time in UTC is converted to a zone in which it has that day. A shown day before the declared one is taken as the first
    publication, the declared one being the latest.
    """
    day, url = published.value.date(), shown.reading.document.url or ""
    if shown.names(day):
        return published
    seen = list(_parsed(shown, shown.near(_MAX_FAR)[:_MAX_SHOWN]))
    address = date_in_url(url)
    if day in ({item.value.date() for item in seen} | ({address.date()} if address else set())):
        return published
    for value in [item.value for item in seen[:1]] or [address]:
        if value is not None and (zoned := _in_zone(published, value)):
            return zoned
    month = date_in_url(url, months=True)
    is_confirmed = published.source.name == "time" or (month is not None and month.date() == day.replace(day=1))
    days = {item.value.date() for item in seen}
    if is_confirmed or len(days) != 1 or days.pop() >= day - timedelta(days=1) or is_ambiguous(seen[0].source.raw):
        return published
    return seen[0]


def _in_zone(published: Found, seen: datetime) -> Found | None:
    """Return a time in UTC in the zone in which it has the shown day; None if that is not an adjacent day.

    A later day may be that of a change; then the shown time must agree too, to the minute.
    """
    value = published.value
    days = (seen.date() - value.date()).days
    if abs(days) != 1 or value.utcoffset() or _precision(published) != 2:
        return None
    ahead = seen.replace(tzinfo=UTC) - (value.replace(second=0, microsecond=0) if seen.hour or seen.minute else value)
    if ahead % timedelta(minutes=15) or not timedelta(hours=-12) <= ahead <= timedelta(hours=14):
        if days > 0 or value.hour > 11:
            return None
        ahead = timedelta(hours=-value.hour - 1)
    return found(value.astimezone(timezone(ahead)), published.source.name, published.source.raw)
