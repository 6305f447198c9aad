"""What a crawl did, as text and as figures for machines; pure functions of the crawl's stats."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

from webmain.health.prometheus import Textfile, by_label
from webmain.ledger.runs import GOOD_ENDS
from webmain.ledger.runs import STOPPED as SHUTDOWN
from webmain.net.addresses import PRIVATE
from webmain.text.terminal import pad

Stats = Mapping[str, Any]

FAILING = ("store", "ledger", "record", "replay", "feed", "stats", "learn", "worker", "render", "summary")
"""Parts of a crawl whose failures are in its stats as `webmain/PART_error`."""

MAX_SITES = 20  # sites shown; the others are combined in one line
MAX_NOTES = 10  # notes shown of each label; the others are counted
OK, ERROR, USAGE, NOTHING, STOPPED = range(5)  # exit codes of `scrapy crawl`; see `webmain.commands.crawl`

_SITE = re.compile(r"webmain/site/(.+)/(articles|rejected)")


def _stat(name: str, kind: type = int) -> Any:
    """Return a field with the stat that it is read from; a final slash stands for the counts of all stats that begin so."""
    return field(metadata={"stat": name, "kind": kind})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The figures of a crawl for the summary, the progress line and the exit code."""

    pages: int = _stat("webmain/pages")
    # stored articles
    new: int = _stat("webmain/articles/new")
    changed: int = _stat("webmain/articles/changed")
    unchanged: int = _stat("webmain/articles/unchanged")
    known: int = _stat("webmain/known")  # addresses skipped because an earlier crawl has settled them
    # pages without an article, and addresses that could not be fetched, by reason, the most common first
    rejected: Mapping[str, int] = _stat("webmain/rejected/")
    failed: Mapping[str, int] = _stat("webmain/failed/")
    errors: int  # unexpected exceptions, in pipelines and in the spider, and feeds that could not be stored
    # sites that were learned, reused (from the model store), retrained, or that cannot be learned
    learning: Mapping[str, int] = _stat("webmain/sites/")
    sites: Mapping[str, tuple[int, int]]  # articles and rejected pages of each site, those with the most articles first
    elapsed_s: float = _stat("elapsed_time_seconds", float)
    finish_reason: str = _stat("finish_reason", str)
    # CPU seconds of the crawl's process, and of its workers after they have ended
    cpu_s: float = _stat("webmain/cpu_seconds", float)
    # changed articles by kind (`ChangeKind`); revisited articles that were not extracted, by outcome
    changes: Mapping[str, int] = _stat("webmain/changed/")
    visits: Mapping[str, int] = _stat("webmain/visits/")
    extractors: Mapping[str, int] = _stat("webmain/extractor/")  # stored articles by extractor
    # requests of any kind that the network guard refused, and the reason for the first
    refused: int = _stat("webmain/refused_addresses")
    refused_first: str = _stat("webmain/refused_address", str)
    rendered: int = _stat("webmain/rendered")  # pages that a browser has drawn
    # pages that could not be drawn, by reason; they continued as fetched
    not_rendered: Mapping[str, int] = _stat("webmain/render_failed/")
    # file with the list of doubtful articles, "" if they are not listed, and the confidence below which they are doubtful;
    # doubtful articles; new lines in the list; articles kept out of the store
    review_list: str = _stat("webmain/review/list", str)
    review_below: float = _stat("webmain/review/below", float)
    doubtful: int = _stat("webmain/review/doubtful")
    listed: int = _stat("webmain/review/listed")
    kept_out: int = _stat("webmain/review/kept_out")
    blocked: Mapping[str, int] = _stat("webmain/blocked/")  # refused pages, by status or kind of wall
    left_alone: tuple[str, ...]  # hosts that are left alone, with the end and the reason

    @property
    def articles(self) -> int:
        """Articles that are stored, whether they were known before or not."""
        return self.new + self.changed + self.unchanged


def outcome(stats: Stats) -> Outcome:
    """Return the figures from a crawl's stats."""
    read: dict[str, Any] = {}
    for each in fields(Outcome):
        if name := each.metadata.get("stat", ""):
            kind = each.metadata["kind"]
            read[each.name] = _below(stats, name) if name.endswith("/") else kind(stats.get(name) or kind())
    sites: dict[str, list[int]] = {}
    for name, value in stats.items():
        if match := _SITE.fullmatch(name):
            sites.setdefault(match[1], [0, 0])[match[2] == "rejected"] = int(value)
    order = sorted(sites.items(), key=lambda each: (-each[1][0], -each[1][1], each[0]))
    errors = sum(int(stats.get(name) or 0) for name in ("webmain/item_errors", "spider_exceptions/count"))
    return Outcome(
        errors=errors + sum(_below(stats, "feedexport/failed_count/").values()),
        sites={name: (counts[0], counts[1]) for name, counts in order},
        left_alone=tuple(str(stats[name]) for name in sorted(stats) if name.startswith("webmain/left_alone/")),
        **read,
    )


def notes(stats: Stats) -> list[tuple[str, str]]:
    """Return the labelled notes of the crawl's parts (`webmain/told/LABEL/...`), the first few of each label."""
    found: dict[str, list[str]] = {}
    for name in sorted(name for name in stats if name.startswith("webmain/told/")):
        found.setdefault(name.split("/")[2], []).append(str(stats[name]))
    rows = []
    for label, texts in found.items():
        rows += [(label, text) for text in texts[:MAX_NOTES]]
        rows += [(label, f"{len(texts) - MAX_NOTES:,} more sites")] if len(texts) > MAX_NOTES else []
    return rows


def render(
    found: Outcome,
    *,
    places: Iterable[tuple[str, int]] = (),
    feeds: Iterable[str] = (),
    words: Sequence[tuple[str, int]] = (),
    labelled: Iterable[tuple[str, str]] = (),
    problems: Iterable[str] = (),
    warnings: Iterable[str] = (),
) -> str:
    """Return the summary of a crawl.

    `places`: each store's specification and number of articles. `feeds`: locations of Scrapy's own feeds. `words`: the most
    frequent words of all articles, with their counts. `labelled`: other notes with their labels (`notes`). `problems`:
    what ended the crawl early. `warnings`: for the user, although the crawl ran.
    """
    lines = [f"webmain: {headline(found)}", ""]
    rows = [
        ("articles", f"{found.new:,} new, {found.changed:,} changed, {found.unchanged:,} unchanged"),
        ("looked again", _listed(found.visits)),
        ("by method", ", ".join(f"{n:,} {name}" for name, n in found.extractors.items())),
        ("known", f"{found.known:,} skipped"),
        ("pages read", f"{found.pages:,}"),
        ("rendered", _rendered(found)),
        ("rejected", _counts(found.rejected)),
        ("not fetched", _counts(found.failed)),
        ("not asked", _refused(found)),
        ("errors", f"{found.errors:,}"),
        ("sites", _listed(found.learning)),
        ("took", _took(found)),
        *(("stored in", f"{spec} ({n:,} articles)") for spec, n in places),
    ]
    if found.review_list:
        rows += [("review", _doubts(found)), ("", f"list: {found.review_list}")]
    rows += [("feed", place) for place in feeds]
    rows += [("host", text) for text in found.left_alone]
    rows += labelled
    rows += [("problem", text) for text in problems]
    rows += [("warning", text) for text in warnings]
    lines += [f"  {pad(name, 12)} {value}" for name, value in rows if value]
    if found.sites:
        lines += ["", *_site_lines(found.sites)]
    if words:
        lines += ["", "  top words"]
        lines += [f"  {pad(word, 28)} {count:>7,}" for word, count in words]
    return "\n".join(lines) + "\n"


def _doubts(found: Outcome) -> str:
    kept_out = f"; {found.kept_out:,} kept out" if found.kept_out else ""
    doubtful = f"{found.doubtful:,} of {found.articles:,} articles have a confidence below {found.review_below:g}"
    return f"{doubtful}, {found.listed:,} new{kept_out}"


def _rendered(found: Outcome) -> str:
    failed = sum(found.not_rendered.values())
    if not found.rendered and not found.not_rendered:
        return ""
    return f"{found.rendered:,}" + (f"; {failed:,} could not be drawn: {_listed(found.not_rendered)}" if failed else "")


def _refused(found: Outcome) -> str:
    hint = "; -s WEBMAIN_ALLOW_PRIVATE=1 allows private addresses" if PRIVATE in found.refused_first else ""
    return f"{found.refused:,} ({found.refused_first}){hint}" if found.refused else ""


def exit_code(stats: Mapping[str, Any]) -> int:
    """Return the exit code for the stats of a finished crawl."""
    found = outcome(stats)
    problems = any(stats.get(f"webmain/{kind}_error") for kind in FAILING)
    if found.errors or problems:
        return ERROR
    if found.finish_reason == SHUTDOWN:
        return STOPPED
    if found.finish_reason not in GOOD_ENDS:
        return ERROR
    broken = ("skipped/damaged", "skipped/unreadable", "missing", "failed")
    read = found.pages or any(stats.get(f"webmain/archive/files/{kind}") for kind in ("read", "known"))
    if not read and any(stats.get(f"webmain/archive/{kind}") for kind in broken):
        return NOTHING
    had_answers = _answers(stats)
    if stats.get("webmain/archive/pages") == 0:  # the spider `archive` has answered itself once
        had_answers = any(stats.get(f"webmain/archive/{kind}") for kind in ("bytes", "skipped/not_wanted"))
    if not (read or found.articles or found.known or found.left_alone or had_answers):
        return NOTHING
    return OK


def _answers(stats: Mapping[str, Any]) -> int:
    """Return the number of successful answers without those for robots.txt."""
    ok = "downloader/response_status_count/2"
    robots = "robotstxt/response_status_count/2"
    answered = sum(n for name, n in stats.items() if name.startswith(ok))
    return int(answered - sum(n for name, n in stats.items() if name.startswith(robots)))


def headline(found: Outcome) -> str:
    """Return the main results in a few words, with the same numbers as in the table and no sums of them."""
    parts = [f"{found.new:,} new"]
    if found.changed:
        parts.append(f"{found.changed:,} updated{_kinds(found.changes)}")
    if n_unchanged := found.unchanged + sum(found.visits.get(how, 0) for how in ("not_modified", "identical")):
        parts.append(f"{n_unchanged:,} unchanged")
    if n_gone := found.visits.get("gone", 0):
        parts.append(f"{n_gone:,} gone")
    if found.known:
        parts.append(f"{found.known:,} known")
    if found.blocked:
        parts.append(f"{sum(found.blocked.values()):,} blocked ({', '.join(found.blocked)})")
    return ", ".join(parts)


def _kinds(changes: Mapping[str, int]) -> str:
    """Return which kinds of changes there were: headlines, texts."""
    n_headlines = changes.get("headline", 0)
    counts = [(n_headlines, "headline"), (sum(changes.values()) - n_headlines, "text")]
    named = ", ".join(f"{n:,} {what}{'s' if n > 1 else ''}" for n, what in counts if n)
    return f" ({named})" if named else ""


def pages_so_far(stats: Stats) -> tuple[int, str]:
    """Return how many pages there were so far, with a word for it: of archives those read, otherwise all answers."""
    if (n := stats.get("webmain/archive/pages")) is not None:
        return int(n), "read"
    return int(stats.get("response_received_count", 0)), "fetched"


def progress(found: Outcome, *, pages: str, per_minute: float, queued: int) -> str:
    """Return the progress line for the log; `pages` are those so far, such as "12 fetched"."""
    rejected = sum(found.rejected.values())
    return (
        f"{pages}, {found.articles:,} articles, {rejected:,} rejected, {per_minute:,.0f} pages/min, {queued:,} queued"
    )


def as_json(stats: Stats) -> str:
    """Return stats as one JSON object, sorted by name."""
    return json.dumps(dict(sorted(stats.items())), ensure_ascii=False, indent=1, default=_plain) + "\n"


def as_prometheus(stats: Stats, *, name: str) -> str:
    """Return the figures as a Prometheus textfile, for the node exporter's textfile collector.

    `name`: value of the label `crawl`, to distinguish several cron jobs.
    """
    found = outcome(stats)
    file = Textfile({"crawl": name})
    outcomes = {"new": found.new, "changed": found.changed, "unchanged": found.unchanged}
    file.gauge("articles", "Stored articles.", by_label("outcome", outcomes))
    file.gauge("rejected", "Pages without an article.", by_label("reason", found.rejected))
    file.gauge("failed", "Addresses that could not be fetched.", by_label("reason", found.failed))
    sites = {site: n for site, (n, _) in found.sites.items()}
    file.gauge("site_articles", "Stored articles by site.", by_label("site", sites))
    file.gauge("pages", "Pages read.", [({}, found.pages)])
    file.gauge("known", "URLs skipped, since an earlier crawl settled them.", [({}, found.known)])
    file.gauge("learning_sites", "Sites by the outcome of learning.", by_label("outcome", found.learning))
    if found.review_list:
        doubtful = {"doubtful": found.doubtful, "listed": found.listed, "kept_out": found.kept_out}
        file.gauge("review", "Articles whose confidence is below review_below.", by_label("outcome", doubtful))
    file.gauge("errors", "Unexpected exceptions.", [({}, found.errors)])
    file.gauge("elapsed_seconds", "Duration of the crawl.", [({}, found.elapsed_s)])
    file.gauge("cpu_seconds", "CPU time of the crawl and its workers.", [({}, found.cpu_s)])
    finished = stats.get("finish_time")
    if isinstance(finished, datetime):
        file.gauge("finished_timestamp_seconds", "When the crawl ended.", [({}, round(finished.timestamp()))])
    return str(file)


def _below(stats: Stats, prefix: str) -> dict[str, int]:
    found = {name[len(prefix) :]: int(value) for name, value in stats.items() if name.startswith(prefix)}
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def _listed(by_reason: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {reason.replace('_', ' ')}" for reason, n in by_reason.items())


def _counts(by_reason: Mapping[str, int]) -> str:
    total = f"{sum(by_reason.values()):,}: " if len(by_reason) > 1 else ""
    return total + _listed(by_reason) or "0"


def _site_lines(sites: Mapping[str, tuple[int, int]]) -> list[str]:
    rows = [(name, *counts) for name, counts in sites.items()]
    if rest := rows[MAX_SITES:]:
        rows[MAX_SITES:] = [(f"{len(rest):,} more sites", sum(row[1] for row in rest), sum(row[2] for row in rest))]
    lines = [f"  {pad(name, 28)} {articles:>9,} {rejected:>9,}" for name, articles, rejected in rows]
    return [f"  {pad('site', 28)} {'articles':>9} {'rejected':>9}", *lines]


def _took(found: Outcome) -> str:
    cpu = f", {_duration(found.cpu_s)} of CPU time" if found.cpu_s else ""
    return _duration(found.elapsed_s) + (f" ({found.finish_reason})" if found.finish_reason else "") + cpu


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else str(timedelta(seconds=round(seconds)))


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)
