"""`webmain status`: table, JSON, Prometheus textfile, exit codes."""

import json
import re
import sqlite3
import subprocess
import sys

import pytest

from tests.health.histories import NOW, run, usual
from webmain.cli import main
from webmain.clock import use_clock
from webmain.health.status import sparkline
from webmain.ledger.ledger import Ledger


@pytest.fixture(autouse=True)
def now():
    use_clock(lambda: NOW)
    yield
    import time

    use_clock(time.time)


@pytest.fixture
def ledger(tmp_path):
    """A ledger of one site that is well."""
    path = tmp_path / "news.db.ledger"
    with Ledger(path) as file:
        file.runs.write(usual())
    return path


def status(*arguments):
    return main(["status", *map(str, arguments)])


def test_site_that_is_well(ledger, capsys):
    assert status(ledger) == 0
    out = capsys.readouterr().out
    assert re.search(r"a\.example +30 min ago +1 h +finished +3 +0 +0  ███████\n", out)
    assert out.endswith("1 site, nothing needs attention\n")


def test_what_needs_attention_is_told_with_what_to_do(ledger, capsys):
    use_clock(lambda: NOW + 86_400)
    assert status(ledger) == 1
    out = capsys.readouterr().out
    assert "a.example: the last run was 24 h ago; the usual interval is 1 h\n  is cron or the timer running?" in out
    assert out.endswith("1 site, 1 needs attention\n")


def test_store_names_its_ledger_and_sites_choose(ledger, capsys, monkeypatch):
    (ledger.parent / "news.db").touch()
    assert status("--store", f"sqlite:{ledger.parent}/news.db", "a.example") == 0
    assert status(ledger.parent / "news.db") == 0
    assert status(ledger, "b.example") == 3
    assert "b.example: no run is recorded" in capsys.readouterr().err
    assert status("--store", "mysql:news") == 2
    assert "jsonl:PATH or sqlite:PATH" in capsys.readouterr().err
    monkeypatch.chdir(ledger.parent)
    assert status() == 3
    assert "output/*.ledger: no such ledger" in capsys.readouterr().err
    (ledger.parent / "output").mkdir()
    ledger.rename("output/news.db.ledger")
    assert status() == 0


def test_ledger_that_is_absent_hides_no_other(ledger, capsys):
    assert status("*/*.ledger", ledger) == 3
    out, err = capsys.readouterr()
    assert "1 site, nothing needs attention" in out
    assert "*/*.ledger: no such ledger" in err
    use_clock(lambda: NOW + 86_400)
    assert status(ledger, "*/*.ledger") == 1


def test_sites_of_several_ledgers_are_listed_under_each_ledgers_name(ledger, tmp_path, capsys):
    other = tmp_path / "sport.db.ledger"
    with Ledger(other) as file:
        file.runs.write(usual(until_h=24))
    assert status(ledger, other) == 1
    out = capsys.readouterr().out
    assert re.match(rf"{ledger}:\nsite .+\na\.example .+\n\n{other}:\nsite .+\na\.example .+\n", out)
    assert f"\na.example ({other}): the last run was 24 h ago" in out


OPEN = "import sys, webmain.ledger.ledger as l; file = l.Ledger(sys.argv[1]); print(flush=True); sys.stdin.read()"


def test_killed_run_is_shown_as_killed_at_once(ledger, capsys):
    with Ledger(ledger) as file:
        file.runs.write([run(0.01, outcome=None, took_s=30)])
    crawl = subprocess.Popen([sys.executable, "-c", OPEN, ledger], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with crawl:
        crawl.stdout.readline()
        status(ledger)
        assert "running" in capsys.readouterr().out
        crawl.kill()
    status(ledger)
    out = capsys.readouterr().out
    assert "killed" in out
    assert "running" not in out


def test_json_has_everything(ledger, capsys):
    use_clock(lambda: NOW + 86_400)
    assert status(ledger, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    (site,) = found["sites"]
    assert found["needs_a_person"] is True
    assert site["figures"]["new"] == 3
    assert site["started_at"].endswith("+00:00")
    assert [alarm["kind"] for alarm in site["alarms"]] == ["no_run"]
    assert len(site["trend"]) == 7


SAMPLE = re.compile(
    r'[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? -?\d+(?:\.\d+)?(?:e[+-]?\d+)?'
)


def test_prometheus_textfile_is_valid_and_replaced_whole(ledger, tmp_path, capsys):
    path = tmp_path / "webmain.prom"
    use_clock(lambda: NOW + 86_400)
    assert status(ledger, "--prometheus", path) == 1
    text = path.read_text()
    assert text.endswith("\n")
    names, seen = [], set()
    for line in text.splitlines():
        if line.startswith("#"):
            names.append(re.fullmatch(r"# (?:HELP (\w+) .+|TYPE (\w+) gauge)", line).group(1, 2))
        else:
            assert SAMPLE.fullmatch(line), line
            assert line.rpartition(" ")[0] not in seen
            seen.add(line.rpartition(" ")[0])
    assert [a for a, _ in names[::2]] == [b for _, b in names[1::2]]
    assert f'webmain_status_alarm{{site="a.example",ledger="{ledger}",kind="no_run"}} 1' in text
    assert [p.name for p in tmp_path.glob("*.part*")] == []
    assert status(ledger, "--prometheus", tmp_path) == 4


def test_damaged_ledgers_are_told_and_the_others_shown(ledger, tmp_path, capsys):
    broken, other = tmp_path / "broken.ledger", tmp_path / "other.ledger"
    broken.write_bytes(b"no database at all, " * 400)
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE a (b)")
    db.close()
    assert status(broken, ledger, other) == 1
    out = capsys.readouterr().out
    assert "a.example" in out
    assert f"\n{broken}: is damaged, or not a ledger" in out
    assert "is a database, but not a ledger" in out
    assert "`webmain check LEDGER`" in out


def test_older_ledger_is_named_and_left_as_it_is(tmp_path, capsys):
    path = tmp_path / "old.ledger"
    Ledger(path).close()
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE site_runs")
        db.execute("PRAGMA user_version = 3")
    db.close()
    before = path.read_bytes()
    assert status(path) == 0
    told = capsys.readouterr()
    assert told.out == "0 sites, nothing needs attention\n"
    assert f"{path}: of an earlier version; the next crawl brings it up to date" in told.err
    assert path.read_bytes() == before


def test_sparkline():
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([0, 1, 50, 100]) == "▁▂▅█"
    assert sparkline([]) == ""


def test_an_empty_ledger_needs_attention(tmp_path, capsys):
    (tmp_path / "a.ledger").touch()
    assert status(tmp_path / "a.ledger") == 1
    assert "the file is empty" in capsys.readouterr().out
