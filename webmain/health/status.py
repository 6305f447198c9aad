"""Report each site's last run, trend and alarms as a table, as values, or for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from webmain.clock import now_s
from webmain.health.alarms import N_TREND, Alarm, Kind, SiteHistory, duration
from webmain.health.prometheus import Textfile
from webmain.ledger.file import LedgerError, LedgerFile, OlderLedgerError, is_open_elsewhere
from webmain.ledger.hosts import Hosts
from webmain.ledger.runs import KILLED, Figures, Runs
from webmain.text.terminal import counted, one_line, pad

_BARS: Final = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Status of the sites of some ledgers at one time."""

    at: float
    sites: tuple[SiteHistory, ...] = ()
    ledgers: tuple[tuple[str, Alarm], ...] = ()  # problems of the ledgers themselves
    missing: tuple[str, ...] = ()  # requested sites of which no ledger has a run
    older: tuple[str, ...] = ()  # ledgers of an earlier version, which are not read

    @property
    def needs_a_person(self) -> bool:
        """Whether there is any alarm."""
        return bool(self.ledgers) or any(site.alarms for site in self.sites)


def status_of(ledgers: Iterable[Path], sites: Sequence[str] = ()) -> Status:
    """Return the status of the sites of some ledgers; the files are only read."""
    now = now_s()
    found: list[SiteHistory] = []
    wrong: list[tuple[str, Alarm]] = []
    older: list[str] = []
    for path in ledgers:
        is_open = is_open_elsewhere(path)
        try:
            with LedgerFile(path, read_only=True, clock=lambda: now) as file:
                histories, hosts = Runs(file).read(sites), Hosts(file)
                for site, read in histories.of.items():
                    runs = [run if is_open or run.outcome else replace(run, outcome=KILLED) for run in read]
                    found.append(SiteHistory(site, runs, hosts.all(site), now, str(path)))
                if histories.n_damaged:
                    message = f"{histories.n_damaged:,} rows of runs cannot be read; a site's next run removes its own"
                    wrong.append((str(path), Alarm(kind=Kind.DAMAGED, message=message)))
        except OlderLedgerError:
            if path.stat().st_size:
                older.append(str(path))
            elif not is_open:
                wrong.append((str(path), Alarm(kind=Kind.DAMAGED, message="the file is empty")))
        except LedgerError as error:
            wrong.append((str(path), Alarm(kind=Kind.DAMAGED, message=str(error).removeprefix(f"{path}: "))))
    seen = {each.site for each in found}
    missing = tuple(site for site in sites if site not in seen)
    return Status(at=now, sites=tuple(found), ledgers=tuple(wrong), missing=missing, older=tuple(older))


# ---- Text


def as_table(status: Status) -> str:
    """Return a line per site, then every alarm with advice; sites of several ledgers under each ledger's name."""
    lines: list[str] = []
    has_several = len({each.ledger for each in status.sites}) > 1
    for ledger, sites in groupby(status.sites, lambda each: each.ledger):
        lines += [""] * bool(lines) + [f"{one_line(ledger)}:"] * has_several
        head = f"{pad('site', 28)} {'last run':>10} {'every':>8}   {pad('ended', 12)}"
        lines.append(f"{head} {'new':>6} {'changed':>7} {'gone':>5}  last {N_TREND}")
        lines += [_row(each, status.at) for each in sites]
    for each in status.sites:
        where = f" ({one_line(each.ledger)})" if has_several else ""
        lines += [line for alarm in each.alarms for line in _alarm_lines(each.site, alarm, where)]
    lines += [line for ledger, alarm in status.ledgers for line in _alarm_lines(ledger, alarm)]
    n = sum(bool(each.alarms) for each in status.sites) + len({place for place, _ in status.ledgers})
    need = f"{n:,} need{'s' if n == 1 else ''} attention" if n else "nothing needs attention"
    lines += [""] * bool(lines) + [f"{counted(len(status.sites), 'site')}, {need}"]
    return "\n".join(lines) + "\n"


def _alarm_lines(place: str, alarm: Alarm, where: str = "") -> list[str]:
    name = one_line(place)
    return ["", f"{name}{where}: {one_line(alarm.message)}", f"  {alarm.advice.replace('SITE', name)}"]


def _row(each: SiteHistory, now: float) -> str:
    figures = each.last.figures if each.last else Figures()
    ago = duration(now - each.last.started_at) + " ago" if each.last else ""
    usual = f"{duration(each.interval_s)}" if each.interval_s else "-"
    mark = "!" if each.alarms else " "
    return (
        f"{pad(each.site, 28)} {ago:>10} {usual:>8} {mark} {pad(each.outcome.replace('_', ' '), 12)}"
        f" {figures.new:>6,} {figures.changed:>7,} {figures.gone:>5,}  {sparkline(each.trend)}"
    )


def sparkline(values: Sequence[int]) -> str:
    """Return small numbers as bars scaled to the largest; zero is the lowest bar."""
    most = max(values, default=0)
    return "".join(_BARS[0 if not most else -(-value * (len(_BARS) - 1) // most)] for value in values)


# ---- Machine-readable


def as_values(status: Status) -> dict[str, Any]:
    """Return everything as plain values; times in ISO 8601, UTC."""
    return {
        "at": _iso(status.at),
        "needs_a_person": status.needs_a_person,
        "sites": [_site_values(each) for each in status.sites],
        "ledgers": [{"ledger": ledger, **_alarm_values(alarm)} for ledger, alarm in status.ledgers],
        "missing": list(status.missing),
    }


def _site_values(each: SiteHistory) -> dict[str, Any]:
    last = each.last
    return {
        "site": each.site,
        "ledger": each.ledger,
        "outcome": each.outcome,
        "started_at": _iso(last.started_at) if last else None,
        "finished_at": _iso(last.finished_at) if last and last.finished_at is not None else None,
        "interval_s": each.interval_s,
        "trend": each.trend,
        "figures": asdict(last.figures) if last else {},
        "alarms": [_alarm_values(alarm) for alarm in each.alarms],
    }


def _alarm_values(alarm: Alarm) -> dict[str, str]:
    return {"kind": alarm.kind.value, "message": alarm.message, "advice": alarm.advice}


def _iso(at: float) -> str | None:
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return None  # a damaged time


def as_prometheus(status: Status) -> str:
    """Return the figures of each site's last run, and a 1 for each alarm, as a Prometheus textfile."""
    file = Textfile()
    rows = [({"site": each.site, "ledger": each.ledger}, each) for each in status.sites]
    alarms = [({**labels, "kind": alarm.kind.value}, 1.0) for labels, each in rows for alarm in each.alarms]
    alarms += [({"site": "", "ledger": ledger, "kind": alarm.kind.value}, 1.0) for ledger, alarm in status.ledgers]
    file.gauge("status_alarm", "1 for each alarm.", alarms)
    file.gauge("status_alarms", "Alarms of a site.", [(labels, len(each.alarms)) for labels, each in rows])
    file.gauge("status_needs_a_person", "1 if there is any alarm.", [({}, status.needs_a_person)])
    file.gauge("status_timestamp_seconds", "When this file was written.", [({}, status.at)])
    last = [(labels, each.last) for labels, each in rows if each.last is not None]
    file.gauge("run_started_timestamp_seconds", "When the last run started.", [(k, run.started_at) for k, run in last])
    for name, text in _GAUGES.items():
        values = [(labels, value) for labels, run in last if (value := getattr(run.figures, name)) is not None]
        file.gauge(f"run_{name}", text, values)
    for name, text in _BY_KIND.items():
        counts = [(labels, sorted(getattr(run.figures, name).items())) for labels, run in last]
        file.gauge(f"run_{name}", text, [({**labels, "kind": kind}, n) for labels, by in counts for kind, n in by])
    return str(file)


_GAUGES: Final = {
    "new": "New articles of the last run.",
    "changed": "Articles with a changed text.",
    "unchanged": "Articles found unchanged.",
    "gone": "Articles whose page is gone.",
    "known": "URLs skipped because they were known.",
    "not_modified": "Answers that nothing has changed (304).",
    "bytes": "Bytes of response bodies received.",
    "seconds": "Duration of the last run.",
    "chars_median": "Median number of characters of articles.",
    "errors": "Pages that could not be fetched.",
}
_BY_KIND: Final = {
    "changes": "Changes of articles.",
    "rejected": "Pages without an article.",
    "requests": "Requests by purpose.",
}
