"""The harness: pages that hang or crash a system cost themselves only; a killed run goes on where it stopped."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from webmain.evaluation import harness, predictions, worker
from webmain.evaluation.records import GoldPage, Prediction
from webmain.evaluation.systems import Mode, System, describe

ROOT = Path(__file__).parents[2]
FAKES = """
import ctypes, os, socket, sys, time
from dataclasses import dataclass
from typing import ClassVar
from webmain.items import Reason, Rejected
from webmain.extractors.base import SiteExtractor
from webmain.extractors.line_block import LineBlock

def echo(html, url):
    return html.removeprefix("<p>")

def moody(html, url):
    if "HANG" in html:
        ctypes.CDLL(None).pause()          # stuck in C: no Python signal handler gets a turn
    if "ABORT" in html:
        os.abort()
    if "EXIT" in html:
        sys.exit(3)
    if "LEAVE" in html:
        os._exit(7)
    if "RAISE" in html:
        raise KeyError("no such node")
    if "REJECT" in html:
        raise Rejected(Reason.NO_TEXT, "nothing kept")
    if "NONE" in html:
        return None
    if "SURROGATE" in html:
        return "a\\ud800b"
    if "EAT" in html:
        eaten = bytearray(64 << 20)
        eaten[::4096] = b"x" * len(eaten[::4096])
        return "eaten"
    if "THINK" in html:
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
    if "SLEEP" in html:
        time.sleep(0.5)
    if "ENVIRONMENT" in html:
        return os.environ["PYTHONHASHSEED"] + os.environ["OMP_NUM_THREADS"]
    if "NET" in html:
        socket.create_connection(("127.0.0.1", 9), timeout=1)
    print("noise on the standard output")
    return "text of " + html

def dies_at_start(html, url):
    os._exit(9)

def slow(html, url):
    time.sleep(0.15)
    return html

@dataclass(frozen=True)
class OfSite(LineBlock, SiteExtractor):
    name: ClassVar[str] = "of_site"
    version: ClassVar[int] = 1
    min_pages: int = 2
    n_fitted: int = 0
    learned = None
    def fit(self, documents):
        if any("UNTEACHABLE" in d.html for d in documents):
            raise RuntimeError("fit fails")
        return OfSite(n_fitted=len(documents))
    def restored(self, learned):
        return self
    def resemblance(self, document):
        return 1.0
    def judge(self, segmentation):
        if self.n_fitted:
            segmentation.document.page.headers["fitted"] = self.n_fitted
        return super().judge(segmentation)
"""


@pytest.fixture(autouse=True)
def fakes(tmp_path, monkeypatch):
    folder = tmp_path / "fakes"
    folder.mkdir()
    (folder / "fake_systems.py").write_text(FAKES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(ROOT)]))
    yield folder
    sys.modules.pop("fake_systems", None)


def page(name, html="<p>quiet", **fields):
    return GoldPage(id=name, dataset="d", html=html, text="quiet", **fields)


def run(pages, system="fake_systems:moody", done=(), **limits):
    limits.setdefault("timeout_s", 20)
    found = harness.run(pages, [describe(system)], done=done, limits=harness.Limits(**limits))
    return {p.id: p for p in found}


def test_every_page_gets_one_prediction_with_its_own_text():
    pages = [page(str(number), f"<p>{number}") for number in range(12)]
    found = run(pages, "fake_systems:echo", jobs=3)
    assert {name: p.text for name, p in found.items()} == {str(n): str(n) for n in range(12)}
    assert all(p.error == "" and p.system == "fake_systems:echo" and p.dataset == "d" for p in found.values())


def test_a_page_that_hangs_in_c_is_killed_and_the_next_ones_are_done():
    started = time.monotonic()
    found = run([page("a"), page("b", "HANG"), page("c")], timeout_s=1)
    assert time.monotonic() - started < 30
    assert found["b"].error == "timeout: more than 1 s"
    assert found["b"].text == ""
    assert found["b"].seconds == 1
    assert [found[name].error for name in "ac"] == ["", ""]


def test_a_crash_costs_one_page_and_says_how_the_process_ended():
    found = run([page("a"), page("b", "ABORT"), page("c", "LEAVE"), page("d")])
    assert found["b"].error == "crash: SIGABRT"
    assert found["c"].error == "crash: exit code 7"
    assert [found[name].error for name in "ad"] == ["", ""]


@pytest.mark.parametrize("jobs", [0, 1])
def test_errors_are_named_by_their_reason(jobs):
    pages = [page(name, name) for name in ("RAISE", "REJECT", "EXIT", "NONE", "SURROGATE", "plain")]
    found = run(pages, jobs=jobs)
    assert {name: p.error for name, p in found.items()} == {
        "RAISE": "KeyError: 'no such node'",
        "REJECT": "no_text: nothing kept",
        "EXIT": "SystemExit: 3",
        "NONE": "",
        "SURROGATE": "",
        "plain": "",
    }
    assert found["NONE"].text == ""
    assert found["SURROGATE"].text == "a?b"


def test_memory_is_that_of_the_page_alone():
    found = run([page("small"), page("large", "EAT"), page("after")])
    assert found["large"].memory_bytes > 60e6
    assert found["small"].memory_bytes < 10e6
    if worker.meter().method.startswith("peak"):  # elsewhere only what exceeds all earlier pages can be seen
        assert found["after"].memory_bytes < 10e6


def test_time_is_cpu_time_of_the_page_without_start_and_sleep():
    found = run([page("think", "THINK"), page("sleep", "SLEEP"), page("first")])
    assert 0.25 < found["think"].seconds < 3
    assert found["sleep"].seconds < 0.2
    assert found["first"].seconds < 0.2


def test_workers_have_one_thread_and_one_order_of_sets_and_our_own_environment_stays(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert run([page("a", "ENVIRONMENT")])["a"].text == "01"
    assert os.environ["PYTHONHASHSEED"] == "7"
    assert "OMP_NUM_THREADS" not in os.environ


def test_no_system_reaches_the_network():
    assert run([page("a", "NET")])["a"].error.startswith("NetworkClosed: no system may use the network")


def test_a_system_that_cannot_be_loaded_fails_every_page_with_the_reason(fakes):
    system = describe("fake_systems:echo")
    (fakes / "fake_systems.py").write_text("raise OSError('licence file is missing')", encoding="utf-8")
    found = {p.id: p for p in harness.run([page("a"), page("b")], [system])}
    assert next(p.error for p in found.values()).startswith("start: ")
    assert len(found) == 2


def test_a_system_whose_worker_dies_at_its_start_is_given_up():
    found = run([page("a"), page("b")], "fake_systems:dies_at_start")
    assert {p.error for p in found.values()} == {"start: the worker died before it was ready (exit code 9)"}


def test_pages_done_already_are_left_out():
    done = {("fake_systems:echo", "d", "a"), ("other", "d", "b")}
    assert list(run([page("a"), page("b")], "fake_systems:echo", done=done)) == ["b"]


def test_closing_the_run_ends_its_workers():
    running = harness.run(
        [page(str(n)) for n in range(50)], [describe("fake_systems:slow")], limits=harness.Limits(jobs=2)
    )
    next(running)
    mine = [p for p in psutil.Process().children(recursive=True) if "spawn_main" in " ".join(p.cmdline())]
    assert mine
    running.close()
    psutil.wait_procs(mine, timeout=5)
    assert not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in mine)


def test_site_mode_gives_all_pages_of_a_site_together():
    text = "<p>The tide reached the upper quay before noon, and so it did again on the next day of the week.</p>" * 3
    pages = [page(f"{site}{n}", text, site=site) for site in ("a.example", "b.example") for n in range(3)]
    system = describe("fake_systems:OfSite@site")
    assert system.mode is Mode.SITE
    groups = list(harness._tasks(pages, system, ()))
    assert [[p.id for p in group] for group in groups] == [
        ["a.example0", "a.example1", "a.example2"],
        ["b.example0", "b.example1", "b.example2"],
    ]
    found = run(pages, "fake_systems:OfSite@site")
    assert all("upper quay" in p.text for p in found.values())
    assert len({p.seconds for p in found.values() if p.id.startswith("a.")}) == 1


def test_pages_of_another_period_of_a_site_are_taken_apart():
    pages = [page(f"{period}{n}", site="a.example", period=period) for period in ("2005", "2009") for n in range(2)]
    groups = harness._tasks(pages, describe("fake_systems:OfSite@crossfit"), ())
    assert [[p.id for p in group] for group in groups] == [["20050", "20051"], ["20090", "20091"]]


def test_pages_of_unknown_sites_are_taken_alone():
    system = describe("fake_systems:OfSite@site")
    assert [len(group) for group in harness._tasks([page("a"), page("b")], system, ())] == [1, 1]


def test_where_a_fit_fails_the_pages_of_that_site_are_judged_as_the_method_comes():
    text = "<p>The tide reached the upper quay before noon, and so it did again on the next day of the week.</p>" * 3
    pages = [page(f"x{n}", "UNTEACHABLE" + text, site="x.example") for n in range(2)]
    pages += [page(f"y{n}", text, site="y.example") for n in range(2)]
    found = run(pages, "fake_systems:OfSite@site")
    assert {name: p.error for name, p in found.items()} == dict.fromkeys(("x0", "x1", "y0", "y1"), "")
    assert all("tide" in p.text for p in found.values())


def test_the_fastest_of_several_turns_counts():
    class Loaded:
        turns = 0

        def prepare(self, gold):
            return gold

        def answer(self, pages):
            self.turns += 1
            end = time.process_time() + (0.2 if self.turns == 1 else 0)
            while time.process_time() < end:
                pass
            return ["text"]

    loaded = Loaded()
    (outcome,) = worker.measure(loaded, [page("a")], worker.NoMeter(), repeat=3)
    assert loaded.turns == 3
    assert outcome.seconds < 0.15


def test_where_the_kernel_tells_no_peak_the_next_best_meter_is_taken(monkeypatch):
    def forbidden(*args):
        raise PermissionError("clear_refs")

    monkeypatch.setattr(worker.ProcMeter, "start", forbidden)
    gauge = worker.meter()
    assert isinstance(gauge, worker.UsageMeter)
    gauge.start()
    eaten = bytearray(b"x") * (96 << 20)
    assert gauge.growth() >= 0
    assert len(eaten) == 96 << 20
    monkeypatch.setattr(worker.UsageMeter, "__init__", forbidden)
    assert worker.meter().growth() is None


def test_a_wrong_number_of_answers_is_an_error():
    class Loaded:
        def prepare(self, gold):
            return gold

        def answer(self, pages):
            return ["one"]

    outcomes = worker.measure(Loaded(), [page("a"), page("b")], worker.NoMeter())
    assert [o.error for o in outcomes] == ["ValueError: 1 answers for 2 pages"] * 2


# ---- files


def prediction(name="a", system="s", **fields):
    return Prediction(
        **{"system": system, "dataset": "d", "id": name, "text": "Teşt\n\u2028", "seconds": 0.5, **fields}
    )


def head(gold="1" * 64, version="1", systems=("s",)):
    made = [System(name=name, version=version, mode=Mode.PAGE, about="x") for name in systems]
    return predictions.header({"d": gold}, made, {"limit": None})


@pytest.mark.parametrize("name", ["p.jsonl", "p.jsonl.gz"])
def test_predictions_come_back_as_they_were_written(tmp_path, name):
    path = tmp_path / name
    writer = predictions.Writer(path, head())
    given = [prediction(), prediction("b", error="crash: SIGSEGV", memory_bytes=5, text="")]
    for one in given:
        writer.write(one)
    writer.finish()
    found, back = predictions.read(path)
    assert back == given
    assert found == head()
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix in (".part", ".new", ".lock")) == []


def test_the_same_predictions_give_the_same_bytes(tmp_path):
    for name in ("p.jsonl.gz", "q.jsonl.gz"):
        writer = predictions.Writer(tmp_path / name, head())
        writer.write(prediction())
        writer.finish()
    assert (tmp_path / "p.jsonl.gz").read_bytes() == (tmp_path / "q.jsonl.gz").read_bytes()


def test_a_line_cut_short_is_dropped_and_the_rest_kept(tmp_path):
    path = tmp_path / "p.jsonl"
    writer = predictions.Writer(path, head())
    writer.write(prediction("a"))
    writer.write(prediction("b"))
    writer.close()
    part = tmp_path / "p.jsonl.part"
    part.write_bytes(part.read_bytes()[:-20])
    again = predictions.Writer(path, head())
    assert [p.id for p in again.kept] == ["a"]
    again.write(prediction("b"))
    again.finish()
    assert [p.id for p in predictions.read(path)[1]] == ["a", "b"]


def test_a_damaged_line_in_the_middle_is_an_error(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(head().line() + '{"system": "s"}\n' + json.dumps({"x": 1}) + "\n", encoding="utf-8")
    with pytest.raises(predictions.PredictionsError, match="line 2 is damaged"):
        predictions.read(path)


def test_predictions_of_other_pages_are_refused_and_left_alone(tmp_path):
    path = tmp_path / "p.jsonl"
    writer = predictions.Writer(path, head())
    writer.write(prediction())
    writer.finish()
    before = path.read_bytes()
    with pytest.raises(predictions.PredictionsError, match="other pages of d"):
        predictions.Writer(path, head(gold="2" * 64))
    assert path.read_bytes() == before
    predictions.Writer(path, head(gold="2" * 64), fresh=True).finish()
    assert predictions.read(path)[1] == []


def test_predictions_of_another_version_of_a_system_are_dropped(tmp_path):
    path = tmp_path / "p.jsonl"
    writer = predictions.Writer(path, head(systems=("s", "t")))
    writer.write(prediction(system="s"))
    writer.write(prediction(system="t"))
    writer.finish()
    again = predictions.Writer(path, head(version="2", systems=("s",)))
    assert again.stale == ["s"]
    assert [p.system for p in again.kept] == ["t"]
    again.close()


def test_a_file_that_is_something_else_is_never_overwritten(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": "a", "html": "<p>"}\n', encoding="utf-8")
    with pytest.raises(predictions.PredictionsError, match="not a file of predictions"):
        predictions.Writer(path, head())
    assert path.read_text(encoding="utf-8") == '{"id": "a", "html": "<p>"}\n'


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]\n", b'{"format": "webmain-predictions"}\n'])
def test_no_header_is_an_error(tmp_path, content):
    path = tmp_path / "p.jsonl"
    path.write_bytes(content)
    with pytest.raises(predictions.PredictionsError):
        predictions.read(path)


def test_a_newer_format_is_an_error(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({**json.loads(head().line()), "format_version": 2}) + "\n", encoding="utf-8")
    with pytest.raises(predictions.PredictionsError, match="newer than this webmain"):
        predictions.read(path)


def test_a_truncated_gzip_file_is_an_error(tmp_path):
    path = tmp_path / "p.jsonl.gz"
    path.write_bytes(gzip.compress((head().line() * 50).encode())[:-12])
    with pytest.raises(predictions.PredictionsError, match="damaged"):
        predictions.read(path)


def test_two_runs_cannot_write_one_file(tmp_path):
    first = predictions.Writer(tmp_path / "p.jsonl", head())
    with pytest.raises(predictions.PredictionsError, match="another run"):
        predictions.Writer(tmp_path / "p.jsonl", head())
    first.close()
    predictions.Writer(tmp_path / "p.jsonl", head()).close()


def test_a_run_killed_with_its_workers_at_work_goes_on_where_it_stopped(tmp_path):
    gold = tmp_path / "gold.jsonl"
    records = [{"id": f"p{n}", "dataset": "d", "html": f"<p>page {n}</p>", "text": f"page {n}"} for n in range(30)]
    gold.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    saved = tmp_path / "p.jsonl.gz"
    part = tmp_path / "p.jsonl.gz.part"
    command = [sys.executable, "-m", "webmain.cli", "evaluate", str(gold), "-e", "fake_systems:slow", "-f", "json"]
    command += ["--predictions", str(saved), "--jobs", "2"]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (part.exists() and part.read_bytes().count(b"\n") > 4):
        time.sleep(0.05)
    workers = psutil.Process(first.pid).children(recursive=True)
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = part.read_text(encoding="utf-8").splitlines()
    assert 4 < len(before) < 30
    psutil.wait_procs(workers, timeout=10)
    if sys.platform == "linux":
        assert not any(w.is_running() and w.status() != psutil.STATUS_ZOMBIE for w in workers)
    second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert second.returncode == 0, second.stderr
    assert "of 30 predictions are there already" in second.stderr
    n_kept = int(second.stderr.split("webmain: ")[1].split()[0])
    assert len(before) - 2 <= n_kept <= len(before)
    lines = gzip.decompress(saved.read_bytes()).decode().splitlines()
    assert lines[1:n_kept] == before[1:n_kept]
    assert sorted(json.loads(line)["id"] for line in lines[1:]) == sorted(r["id"] for r in records)
