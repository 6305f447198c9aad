"""`webmain schedule`: crawl a site regularly: a line for cron, or a service and a timer for systemd."""

from __future__ import annotations

import argparse
import getpass
import os
import re
import shlex
import shutil
import sys
import zlib
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from webmain.cli.exits import OK, USAGE, Commands
from webmain.cli.sources import add_crawl, notify, pairs, settings_of

if TYPE_CHECKING:
    from webmain.spiders.arguments import Arguments

MINUTE_S: Final = 60
HOUR_S: Final = 60 * MINUTE_S
DAY_S: Final = 24 * HOUR_S
WEEK_S: Final = 7 * DAY_S

INTERVALS: Final = "5m 6m 10m 12m 15m 20m 30m 1h 2h 3h 4h 6h 8h 12h 1d 1w".split()
"""Intervals that a crontab line can express: steps that divide an hour or a day, a day, a week."""

MAX_CRON_CHARS: Final = 998
"""Longest line that Debian's cron accepts."""

HELD: Final = 75
"""Exit code if an earlier run of the site is still going."""

_UNITS_S: Final = {"m": MINUTE_S, "h": HOUR_S, "d": DAY_S, "w": WEEK_S}
_DAYS: Final = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")


def interval_s(text: str) -> int:
    """Return an interval in seconds, from its text; only those that cron can keep (an argument's type)."""
    match = re.fullmatch(r"([0-9]{1,5})([mhdw])", text.strip().lower())
    found = int(match[1]) * _UNITS_S[match[2]] if match else 0
    if found not in {int(each[:-1]) * _UNITS_S[each[-1]] for each in INTERVALS}:
        why = "is no interval that cron can keep, which counts anew in each hour and each day"
        raise argparse.ArgumentTypeError(f"{text!r} {why}; allowed are {', '.join(INTERVALS)}")
    return found


def add(commands: Commands) -> None:
    """Add the command."""
    schedule = commands.add_parser(
        "schedule",
        help="print a crontab line and a systemd timer that crawl a site regularly",
        description="Print a line for a crontab, and a systemd service and timer, each of which crawls the site for its new "
        "articles: one run of a site at a time, with a time limit below the interval, going on where the last run "
        "ended. Nothing is installed.",
    )
    option = schedule.add_argument
    add_crawl(schedule)
    option("--every", type=interval_s, default="1h", metavar="TIME", help=f"{', '.join(INTERVALS)} (1h)")
    option(
        "--folder", default=".", metavar="FOLDER", help="where the crawl runs, with logs and locks in output/ (here)"
    )
    shown = schedule.add_mutually_exclusive_group()
    shown.add_argument("--cron", action="store_true", help="print the crontab lines alone")
    shown.add_argument("--units", metavar="FOLDER", help="write the systemd units there, print how they are enabled")
    schedule.set_defaults(run=_schedule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The regular crawl of one site."""

    name: str  # for files and units
    key: str  # the site's key: one run of it at a time
    folder: str  # the working directory, absolute
    command: tuple[str, ...]  # the crawl, with its arguments
    every_s: int
    environment: tuple[str, ...] = ()  # "NAME=VALUE" variables that the crawl needs
    writes: tuple[str, ...] = ()  # folders in which it writes, absolute

    @property
    def place(self) -> int:
        """Offset of a run's start within the interval, in minutes; sites are spread by their names."""
        return zlib.crc32(self.name.encode()) % (self.every_s // MINUTE_S)

    @property
    def bounded(self) -> tuple[str, ...]:
        """The command wrapped in lock, time limit and nice.

        It ends by itself after three quarters of the interval, is asked to after five sixths, and is killed before the
        next run.
        """
        kill_s = min(5 * MINUTE_S, self.every_s // 12)
        limits = ("timeout", "-s", "TERM", "-k", f"{kill_s}s", f"{self.every_s * 5 // 6}s")
        usual = {"CLOSESPIDER_TIMEOUT": self.every_s * 3 // 4, "WEBMAIN_PROGRESS_S": 600}
        given = {word.partition("=")[0] for word in self.command}
        own = [part for name, value in usual.items() if name not in given for part in ("-s", f"{name}={value}")]
        return ("flock", "-n", "-E", str(HELD), self.lock, *limits, "nice", "-n", "10", *self.command, *own)

    @property
    def lock(self) -> str:
        """The lock file for crawls of the site, in the folder."""
        return f"output/{self.key.replace(':', '-')}.lock"


# ---- cron


def cron_time(job: Job) -> str:
    """Return the five time fields of a crontab line."""
    step, minute, hour = job.every_s // MINUTE_S, job.place % 60, job.place // 60 % 24
    if step < 60:
        return f"{job.place}-59/{step} * * * *"
    if step == 60:
        return f"{minute} * * * *"
    if job.every_s < DAY_S:
        return f"{minute} {hour}-23/{step // 60} * * *"
    return f"{minute} {hour} * * {job.place // (24 * 60) if job.every_s == WEEK_S else '*'}"


def cron_line(job: Job) -> str:
    """Return a crontab line; cron treats % as a newline unless it is escaped by a backslash."""
    words = " ".join((*map(shlex.quote, job.environment), shlex.join(job.bounded)))
    log = shlex.quote(f"output/{job.name}.log")
    line = f"cd {shlex.quote(job.folder)} && mkdir -p output && {words} >> {log} 2>&1"
    return f"{cron_time(job)}  {line.replace(chr(92) + '%', chr(92) + chr(39) * 2 + '%').replace('%', chr(92) + '%')}"


# ---- systemd


def calendar(job: Job) -> str:
    """Return the timer's schedule in the syntax of OnCalendar=."""
    step, minute, hour = job.every_s // MINUTE_S, job.place % 60, job.place // 60 % 24
    if step < 60:
        return f"*:{job.place:02}/{step}:00"
    if job.every_s < DAY_S:
        return f"{'*' if step == 60 else f'{hour:02}/{step // 60}'}:{minute:02}:00"
    day = f"{_DAYS[job.place // (24 * 60)]} " if job.every_s == WEEK_S else ""
    return f"{day}*-*-* {hour:02}:{minute:02}:00"


def _template(kind: str) -> str:
    return Path(__file__).with_name(f"systemd.{kind}").read_text("utf-8")


def _word(text: str) -> str:
    """Return a word of a unit's command or list, quoted if necessary."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text}"' if re.search(r"[\s\"';\\]", text) else text


def service(job: Job, *, user: str) -> str:
    """Return the text of a systemd service; its output goes to the journal."""
    found = shutil.which("flock") or "/usr/bin/flock"
    return _template("service").format(
        name=job.name,
        user=user,
        folder=job.folder.replace("%", "%%"),
        environment="".join(f"Environment={_word(each)}\n" for each in job.environment),
        command=" ".join(_word(each).replace("$", "$$") for each in (found, *job.bounded[1:])),
        writes=" ".join(map(_word, job.writes)),
        held=HELD,
    )


def timer(job: Job) -> str:
    """Return the text of a systemd timer; a run missed while the machine was off is made up for."""
    every = next(each for each in INTERVALS if interval_s(each) == job.every_s)
    delay_s = min(5 * MINUTE_S, job.every_s // 20)
    return _template("timer").format(name=job.name, every=every, calendar=calendar(job), delay_s=delay_s)


def units(job: Job, *, user: str) -> dict[str, str]:
    """Return the texts of both units by the names of their files."""
    return {f"webmain-{job.name}.service": service(job, user=user), f"webmain-{job.name}.timer": timer(job)}


# ---- The command


def _schedule(args: argparse.Namespace) -> int:
    """Print or write the schedule, after reporting every error in the arguments."""
    from webmain.spiders.arguments import ArgumentError

    try:
        jobs = [_job(site, args) for site in args.site]
        _check_together(jobs, args)
    except (ArgumentError, ValueError, OSError) as error:
        notify(error)
        return USAGE
    user = getpass.getuser()
    if user == "root" and not args.cron:
        notify("the units run as root; better set User= to a dedicated user")
    if args.units:
        return _write(jobs, Path(args.units), user)
    if not args.cron:
        print("# For cron (crontab -e); the log is in output/, exit code 75: the last run is still going on")
    for job in jobs:
        line = cron_line(job)
        print(line)
        if len(line) > MAX_CRON_CHARS:
            notify(
                f"{job.name}: the line has {len(line):,} characters, Debian's cron takes {MAX_CRON_CHARS}: use systemd"
            )
    if not args.cron:
        for job in jobs:
            for name, text in units(job, user=user).items():
                print(f"\n# ---- /etc/systemd/system/{name}\n\n{text}", end="")
    return OK


def _write(jobs: list[Job], folder: Path, user: str) -> int:
    """Write the units of all jobs to a folder."""
    for job in jobs:
        for name, text in units(job, user=user).items():
            (folder / name).write_text(text, encoding="utf-8")
    print("systemctl daemon-reload")
    print(f"systemctl enable --now {' '.join(f'webmain-{job.name}.timer' for job in jobs)}")
    return OK


def _job(site: str, args: argparse.Namespace) -> Job:
    """Return the job of one site; raise if an argument or setting is wrong."""
    from webmain.spiders.arguments import read_news_arguments
    from webmain.urls import site_key

    given = dict(pairs("-a", args.a, {"site": "name it before the options", "store": "give --store"}))
    folder = Path(args.folder).expanduser().resolve()
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    with chdir(folder):
        settings = settings_of(args.s, {"JOBDIR": "the ledger remembers where a run ended, also after a kill"})
        arguments = read_news_arguments({**given, "site": site, "store": args.store})
    if len(arguments.sites) != 1:
        raise ValueError(
            f"{site}: {len(arguments.sites)} sites; separate them by spaces, so that each gets its own run"
        )
    words = [("-a", "site", site), ("-a", "store", args.store)]
    words += [("-a", *pair) for pair in given.items()] + [("-s", *pair) for pair in settings.items()]
    if any(not c.isprintable() for word in (*words, (str(folder),)) for c in "".join(word)):
        raise ValueError(f"{site}: a line break or control character is in an argument or the folder's name")
    command = (sys.executable, "-m", "scrapy", "crawl", "news")
    address = arguments.sites[0].partition("://")[2].removeprefix("www.")
    return Job(
        name=re.sub(r"[^\w.]+", "-", address, flags=re.ASCII).strip("-"),
        key=site_key(arguments.sites[0]),
        folder=str(folder),
        command=(*command, *(part for flag, name, value in words for part in (flag, f"{name}={value}"))),
        every_s=args.every,
        environment=_environment(folder),
        writes=_writes(folder, arguments),
    )


def _environment(folder: Path) -> tuple[str, ...]:
    """Return the environment that points Scrapy to its settings if there is no scrapy.cfg."""
    module = os.environ.get("SCRAPY_SETTINGS_MODULE", "")
    if not module and not any((place / "scrapy.cfg").is_file() for place in (folder, *folder.parents)):
        module = "webmain.settings"
    return (f"SCRAPY_SETTINGS_MODULE={module}",) if module else ()


def _writes(folder: Path, arguments: Arguments) -> tuple[str, ...]:
    """Return the folders a crawl writes to: its own, and those of stores and a recording elsewhere."""
    from webmain.store.registry import split_spec, split_specs

    paths = [split_spec(spec)[1] for spec in split_specs(arguments.store)]
    paths += [arguments.record] if arguments.record else []
    places = [(folder / Path(path).expanduser()).parent.resolve() for path in paths]
    return tuple(dict.fromkeys((str(folder), *(str(place) for place in places if not place.is_relative_to(folder)))))


def _check_together(jobs: list[Job], args: argparse.Namespace) -> None:
    """Raise if jobs would interfere with each other."""
    if len(jobs) > 1 and any(spec.strip().startswith("jsonl:") for spec in args.store.split(",")):
        raise ValueError("--store: one crawl at a time can write a JSONL file; give sqlite:PATH, or a store a site")
    if doubled := sorted({job.name for job in jobs if sum(job.name == other.name for other in jobs) > 1}):
        raise ValueError(f"{', '.join(doubled)}: given twice")
    if too_long := [job.name for job in jobs if len(job.name) > 200]:
        raise ValueError(f"{too_long[0][:60]}...: the address is too long for the name of a file")
