"""`webmain schedule`: what it prints is run as printed, as cron runs it, and checked by systemd's own tools."""

import fcntl
import os
import re
import shlex
import subprocess
import sys
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from webmain import cli
from webmain.cli import exits
from webmain.cli.schedule import HELD, INTERVALS, Job, calendar, cron_line, cron_time, interval_s, service, timer
from webmain.store.registry import open_store

SITE = "the-tangle.example"
AWKWARD = "100%d \\% 'a' \"b\" $HOME `id` \\\\% 50%"


def as_cron(entry, folder):
    """Run an entry of a crontab: a % is a new line unless it comes behind a backslash; a bare environment and /bin/sh."""
    command, escaped = [], False
    for c in entry.split(None, 5)[5]:
        if escaped and c == "%":
            command[-1] = c
        elif c == "%":
            break
        else:
            command.append(c)
        escaped = c == "\\" and not escaped
    env = {"HOME": str(folder), "LOGNAME": "news", "SHELL": "/bin/sh", "PATH": "/usr/bin:/bin"}
    env |= {
        name: os.environ[name] for name in ["PYTHONPYCACHEPREFIX"] if name in os.environ
    }  # what is compiled already
    return subprocess.run(
        ["/bin/sh", "-c", "".join(command)], env=env, cwd=folder, capture_output=True, text=True, timeout=280
    )


def job(**changes):
    known = {"name": "paper.example", "key": "paper.example", "folder": "/srv/web main", "command": ("true",)}
    return Job(**{**known, "every_s": 3600, **changes})


def printed(folder, *options):
    """Return the line of a crontab that the command prints for a site of the made-up web."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "webmain.cli", "schedule", SITE, "--cron", "--folder", str(folder), *options],
        env={**os.environ, "SCRAPY_SETTINGS_MODULE": "demo.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip("\n")


def stored(path):
    if not path.exists():
        return []
    with open_store(f"sqlite:{path}", read_only=True) as store:
        return sorted(article.title for article in store.articles())


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """Run a line as it was printed; return the line, its folder, and the titles of its articles."""
    folder = tmp_path_factory.mktemp("cron") / "a place, 100%"
    line = printed(folder, "--store", "sqlite:output/my news.db")
    done = as_cron(line, folder.parent)
    log = (folder / f"output/{SITE}.log").read_text(encoding="utf-8")
    assert (done.returncode, done.stdout + done.stderr) == (0, ""), log
    return line, folder, stored(folder / "output/my news.db")


def test_the_line_gives_articles_and_a_second_start_meanwhile_does_not_run(crawled):
    line, folder, articles = crawled
    assert len(articles) > 3
    log = (folder / f"output/{SITE}.log").read_text(encoding="utf-8")
    with (folder / f"output/{SITE}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert as_cron(line, folder.parent).returncode == HELD == 75
    assert (folder / f"output/{SITE}.log").read_text(encoding="utf-8") == log


def test_what_a_stopped_run_left_the_next_one_fetches(crawled, tmp_path):
    slow = printed(tmp_path / "stopped", "-s", "DOWNLOAD_DELAY=0.3")
    assert as_cron(slow.replace(" 3000s ", " 7s "), tmp_path).returncode == 124
    path = tmp_path / "stopped/output/articles.db"
    before = stored(path)
    assert as_cron(slow.replace("DOWNLOAD_DELAY=0.3", "DOWNLOAD_DELAY=0"), tmp_path).returncode == 0
    assert len(before) < len(stored(path))
    assert stored(path) == crawled[2]


def test_awkward_characters_reach_the_command_through_cron(tmp_path):
    folder = tmp_path / AWKWARD
    folder.mkdir()
    assert as_cron(cron_line(job(folder=str(folder), command=("printf", "%s\\n", AWKWARD))), tmp_path).returncode == 0
    assert (folder / "output/paper.example.log").read_text().splitlines()[0] == AWKWARD


def test_the_time_limit_ends_a_run_below_the_interval(tmp_path):
    one = job(folder=str(tmp_path), every_s=1, command=("sh", "-c", "sleep 60"))
    limits = " ".join(job().bounded)
    assert "timeout -s TERM -k 300s 3000s nice -n 10 true -s CLOSESPIDER_TIMEOUT=2700" in limits
    line = cron_line(job(folder=str(tmp_path), command=one.command)).replace(" 3000s ", " 1s ")
    assert as_cron(line, tmp_path).returncode == 124


def test_a_limit_of_ones_own_counts_in_place_of_the_usual_one():
    found = job(command=("true", "-s", "CLOSESPIDER_TIMEOUT=60")).bounded
    assert [word for word in found if "=" in word] == ["CLOSESPIDER_TIMEOUT=60", "WEBMAIN_PROGRESS_S=600"]


def test_a_run_that_does_not_end_when_asked_is_killed(tmp_path):
    line = cron_line(job(folder=str(tmp_path), command=("sh", "-c", "trap '' TERM; sleep 60")))
    assert as_cron(line.replace(" -k 300s 3000s ", " -k 1s 1s "), tmp_path).returncode == 137


def test_a_unit_gives_each_argument_as_it_is():
    each = job(command=("python", "-m", "scrapy", "; x", ";", AWKWARD), environment=(f"PLACE={AWKWARD}",))
    lines = dict(line.split("=", 1) for line in service(each, user="news").splitlines() if "=" in line)

    def words(name):
        return [word.replace("%%", "%") for word in shlex.split(lines[name])]

    assert [word.replace("$$", "$") for word in words("ExecStart")][1:] == list(each.bounded)[1:]
    assert words("Environment") == list(each.environment)


@pytest.mark.parametrize("every", INTERVALS)
@pytest.mark.parametrize("name", ["paper.example", "gazette.example", "xn--bcher-kva.example"])
def test_cron_and_systemd_start_at_the_same_times(every, name):
    each = job(name=name, every_s=interval_s(every))
    found = subprocess.run(
        ["systemd-analyze", "calendar", "--iterations=20", "--base-time=2026-11-02 00:00:00 UTC", calendar(each)],
        env={"PATH": os.environ["PATH"], "TZ": "UTC", "LC_ALL": "C"},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    times = [datetime.fromisoformat(t) for t in re.findall(r"(?:elapse|#\d+): \w+ ([\d-]+ [\d:]+) UTC", found.stdout)]
    assert len(times) == 20
    assert {b - a for a, b in pairwise(times)} == {timedelta(seconds=each.every_s)}
    assert times == cron_times(cron_time(each), times[0], times[-1])


def cron_times(fields, first, last):
    """Return all minutes from the first to the last that five fields of a crontab name."""

    def values(field, high):
        span, _, step = field.partition("/")
        low, _, top = ("0", "", str(high)) if span == "*" else span.partition("-")
        return set(range(int(low), int(top or low) + 1, int(step or 1)))

    minutes, hours, _, _, days = (values(f, h) for f, h in zip(fields.split(), (59, 23, 31, 12, 6), strict=True))
    every = (first + timedelta(minutes=n) for n in range(int((last - first).total_seconds()) // 60 + 1))
    return [t for t in every if t.minute in minutes and t.hour in hours and t.isoweekday() % 7 in days]


def test_sites_are_spread_over_the_hour():
    minutes = [job(name=f"paper{n}.example").place for n in range(600)]
    assert {minutes.count(minute) for minute in range(60)} <= set(range(1, 26))


def test_units_pass_systemds_own_check(tmp_path, capsys):
    folder = tmp_path / AWKWARD.replace("/", "-")
    folder.mkdir()
    units = tmp_path / "units"
    units.mkdir()
    arguments = ["-a", "exclude=/*/100%,/$HOME", "-s", "WEBMAIN_CONTACT=mailto:a b"]
    given = ["schedule", SITE, "https://gazette.example/en/%20x", "--folder", str(folder), "--every", "15m", *arguments]
    assert cli.main([*given, "--units", str(units)]) == exits.OK
    assert (
        capsys.readouterr().out.splitlines()[-1].startswith("systemctl enable --now webmain-the-tangle.example.timer ")
    )
    files = sorted(map(str, units.iterdir()))
    assert len(files) == 4
    checked = subprocess.run(["systemd-analyze", "verify", "--man=no", *files], capture_output=True, text=True)
    assert (checked.returncode, [line for line in checked.stderr.splitlines() if "webmain" in line]) == (0, [])
    text = (units / f"webmain-{SITE}.service").read_text(encoding="utf-8")
    assert {"NoNewPrivileges=true", "ProtectSystem=strict", "Type=oneshot"} <= set(text.splitlines())
    assert {"Persistent=true", "RandomizedDelaySec=45"} <= set(timer(job(every_s=900)).splitlines())


def test_a_wrong_unit_does_not_pass_that_check(tmp_path):
    unit = tmp_path / "webmain-x.timer"
    unit.write_text(timer(job()).replace("OnCalendar=", "OnCalendar=never "), encoding="utf-8")
    (tmp_path / "webmain-x.service").write_text(service(job(folder="/"), user="root"), encoding="utf-8")
    checked = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True)
    assert "webmain-x.timer" in checked.stderr


@pytest.mark.parametrize(
    "every", ["0", "0m", "1m", "7m", "90m", "5h", "2d", "-1h", "1.5h", "1", "hourly", "", "99999w"]
)
def test_an_interval_that_makes_no_sense_is_told(every, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["schedule", "paper.example", f"--every={every}"])
    assert stopped.value.code == exits.USAGE
    assert f"{every!r} is no interval that cron can keep" in (told := capsys.readouterr().err)
    assert "allowed are 5m, 6m," in told


@pytest.mark.parametrize("same", ["60m", "1H", " 1h "])
def test_other_forms_of_an_interval(same):
    assert interval_s(same) == interval_s("1h") == 3600


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no site"], "argument site: got 'no site'"),
        (["a.example,b.example"], "2 sites; separate them by spaces"),
        (["a.example", "a.example"], "a.example: given twice"),
        (["a.example", "b.example", "--store", "jsonl:x.jsonl"], "one crawl at a time can write a JSONL file"),
        (["a.example", "--store", "x.db"], "argument store: got 'x.db'"),
        (["a.example", "-a", "sinse=2d"], "did you mean since?"),
        (["a.example", "-a", "since"], "-a since: allowed is NAME=VALUE"),
        (["a.example", "-a", "store=jsonl:x"], "-a store: give --store"),
        (["a.example", "-s", "JOBDIR=x"], "-s JOBDIR: the ledger remembers"),
        (["a.example", "-s", "WEBMAIN_SITES=none.toml"], "none.toml: cannot be read"),
        (["a.example", "-s", "WEBMAIN_WORKERS=foo"], "setting WEBMAIN_WORKERS: got 'foo', allowed are auto"),
        (["a.example", "-a", "include=/a\nb"], "a line break or control character"),
        (["a.example", "--folder", "/none/such"], "/none/such is not a folder"),
        (["a.example/" + "x" * 300], "too long for the name of a file"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_printed(arguments, message, capsys):
    assert cli.main(["schedule", *arguments]) == exits.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_folders_outside_may_be_written_and_long_lines_are_told(tmp_path, capsys):
    assert cli.main(["schedule", "paper.example", "--store", f"sqlite:{tmp_path}/x.db", "--folder", "/"]) == exits.OK
    assert (
        cli.main(["schedule", "paper.example", "--store", f"sqlite:{tmp_path}/x.db", "--folder", str(Path.cwd())])
        == exits.OK
    )
    out, err = capsys.readouterr()
    assert f"ReadWritePaths={Path.cwd()} {tmp_path}\n" in out
    assert f" {sys.executable} -m scrapy crawl news -a site=paper.example " in out
    assert cli.main(["schedule", "paper.example", "--cron", "-a", f"include=/{'x' * 900}"]) == exits.OK
    assert "Debian's cron takes 998: use systemd" in capsys.readouterr().err
    assert "use systemd" not in err
