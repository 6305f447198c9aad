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

from tests.processes.fork_servers import fork_servers
from webmain.evaluation import harness, predictions, worker
from webmain.evaluation.records import GoldPage, Prediction
from webmain.evaluation.systems import Mode, System, describe

pytestmark = pytest.mark.usefixtures("less_garbage")
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

def typed(html, url):
    return {"b": html.encode(), "n": None, "t": (html, 0.5), "3": (html, 0.5, 1)}[html]

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


def test_what_is_no_text_is_an_error():
    found = run([page(name, name) for name in "bnt3"], "fake_systems:typed", jobs=0)
    assert [(p.text, p.error) for p in found.values()] == [
        ("", "TypeError: the text is bytes, not str"),
        ("", ""),
        ("t", ""),
        ("", "TypeError: the text is tuple, not str"),
    ]


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
    assert found["b"].error == "crash: its process died (SIGABRT)"
    assert found["c"].error == "crash: its process died (exit code 7)"
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
    if worker.Meter().method.startswith("peak"):  # elsewhere only what exceeds all earlier pages can be seen
        assert found["after"].memory_bytes < 10e6


def test_time_is_cpu_time_of_the_page_without_start_and_sleep():
    found = run([page("think", "THINK"), page("sleep", "SLEEP"), page("first")])
    assert 0.25 < found["think"].seconds < 3
    assert found["sleep"].seconds < 0.2
    assert found["first"].seconds < 0.2


def test_workers_have_no_network_one_thread_and_one_order_of_sets_and_our_own_environment_stays(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    found = run([page("a", "ENVIRONMENT"), page("b", "NET")])
    assert found["a"].text == "01"
    assert found["b"].error.startswith("NetworkClosed: systems must not use the network")
    assert os.environ["PYTHONHASHSEED"] == "7"
    assert "OMP_NUM_THREADS" not in os.environ


@pytest.mark.parametrize(
    ("system", "error"), [("echo", "OSError: licence file is missing"), ("dies_at_start", "process died as it started")]
)
def test_a_system_that_does_not_start_fails_every_page_with_the_reason(fakes, system, error):
    made = describe(f"fake_systems:{system}")
    if system == "echo":
        (fakes / "fake_systems.py").write_text("raise OSError('licence file is missing')", encoding="utf-8")
    found = list(harness.run([page(str(n)) for n in range(5)], [made]))
    assert len(found) == 5
    assert all(p.error.startswith("start: ") and error in p.error for p in found)


def test_pages_done_already_are_left_out():
    done = {("fake_systems:echo", "d", "a"), ("other", "d", "b")}
    assert list(run([page("a"), page("b")], "fake_systems:echo", done=done)) == ["b"]


def _workers() -> set[psutil.Process]:
    return set(fork_servers())


def test_closing_the_run_ends_its_workers():
    others = _workers()  # of other tests in this process
    running = harness.run(
        [page(str(n)) for n in range(50)], [describe("fake_systems:slow")], limits=harness.Limits(jobs=2)
    )
    next(running)
    mine = _workers() - others
    assert mine
    running.close()
    psutil.wait_procs(mine, timeout=60)
    assert not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in mine)


def test_pages_of_a_site_and_a_period_are_taken_together_where_a_method_learns():
    pages = [page(f"{site}{n}", site=site) for site in ("a.example", "b.example", "") for n in range(2)]
    pages += [page("old", site="a.example", period="2005")]
    groups = harness._groups(pages, describe("fake_systems:OfSite@crossfit"), ())
    names = [[p.id for p in group] for group in groups]
    assert names == [["a.example0", "a.example1"], ["b.example0", "b.example1"], ["0"], ["1"], ["old"]]


def test_a_site_whose_fit_fails_is_judged_as_the_method_comes():
    text = "<p>The tide reached the upper quay before noon, and so it did again on the next day of the week.</p>" * 3
    pages = [page(f"x{n}", "UNTEACHABLE" + text, site="x.example") for n in range(2)]
    pages += [page(f"y{n}", text, site="y.example") for n in range(2)]
    found = run(pages, "fake_systems:OfSite@site")
    assert {name: p.error for name, p in found.items()} == dict.fromkeys(("x0", "x1", "y0", "y1"), "")
    assert all("upper quay" in p.text for p in found.values())
    assert found["y0"].seconds == found["y1"].seconds


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
    (outcome,) = worker.measure(loaded, [page("a")], worker.Meter(), repeat=3)
    assert loaded.turns == 3
    assert outcome.seconds < 0.15


def test_where_the_kernel_gives_no_peak_the_greatest_memory_so_far_is_measured(monkeypatch):
    def forbidden(name):
        raise PermissionError(name)

    monkeypatch.setattr(worker, "_status_bytes", forbidden)
    meter = worker.Meter()
    assert meter.method.startswith("growth")
    eaten = bytearray(b"x") * (96 << 20)
    assert meter.growth() >= 0
    assert len(eaten) == 96 << 20


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a file of predictions"),
        (b"[]\n", "not a file of predictions"),
        (b'{"id": "a", "html": "<p>"}\n', "not a file of predictions"),
        (b'{"format": "webmain-predictions"}\n', "not a file of predictions"),
        (b"\xff\xfe", "damaged"),
        (b'HEAD{"system": "s"}\n{"x": 1}\n', "line 2 is damaged"),
        (b'{"format": "webmain-predictions", "format_version": 2}\n', "newer than this webmain"),
        (gzip.compress(b"HEAD" * 50, mtime=0)[:-12], "damaged|not a file"),
    ],
)
def test_what_is_no_whole_file_of_predictions_is_an_error_and_left_alone(tmp_path, content, message):
    path = tmp_path / "p.jsonl"
    content = content.replace(b"HEAD", head().line().encode())
    path.write_bytes(content)
    with pytest.raises(predictions.PredictionsError, match=message):
        predictions.read(path)
    with pytest.raises(predictions.PredictionsError, match=message):
        predictions.Writer(path, head())
    assert path.read_bytes() == content


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
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline and not (part.exists() and part.read_bytes().count(b"\n") > 4):
        time.sleep(0.05)
    workers = psutil.Process(first.pid).children(recursive=True)
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = part.read_text(encoding="utf-8").splitlines()
    assert 4 < len(before) < 30
    psutil.wait_procs(workers, timeout=60)
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
