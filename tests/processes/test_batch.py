"""Many pages on several processes: order, bounded memory, pages that hang or crash, the end of the workers."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import webmain
from demo.many import ManyPages
from tests.processes.fork_servers import fork_servers, ignore_earlier
from webmain.extractors.base import UnknownExtractor
from webmain.items import Page, Reason, Rejected
from webmain.processes import pool
from webmain.processes.batch import AHEAD

ROOT = Path(__file__).parents[2]


WILD_SOURCE = """
import os, re, signal, time
from dataclasses import dataclass
from webmain.extractors.line_block import LineBlock


@dataclass(frozen=True)
class Wild(LineBlock):
    name = "wild"

    def judge(self, segmentation):
        said = segmentation.document.url or ""
        if "fault" in said:
            raise ZeroDivisionError("a fault in the extractor")
        if "sleep" in said:
            time.sleep(600)
        if "regex" in said:
            re.match("(a|a)*b", "a" * 60)
        if "die" in said:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().judge(segmentation)
"""
WILD = "wild_for_batches:Wild"


@pytest.fixture(autouse=True)
def only_own_fork_servers():
    ignore_earlier()


def page(n, word="story"):
    text = f"On day {n} the harbour master counted {n} boats and said that the tide would come before noon. " * 4
    return Page(url=f"https://courier.example/{word}/{n}", body=f"<html><body><p>{text}</p></body></html>".encode())


@pytest.fixture(autouse=True)
def importable(tmp_path, monkeypatch):
    """Let workers import the wild extractor by name, wherever the tests are."""
    (tmp_path / "wild_for_batches.py").write_text(WILD_SOURCE, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize("jobs", [0, 2])
def test_answers_come_in_the_order_of_the_pages_and_are_those_of_extract(jobs):
    web = ManyPages(n_articles=24)
    pages = [Page(url=url, body=web.respond(url).body) for url in web.urls()]
    pages.insert(3, Page(url="https://courier.example/empty", body=b" "))
    found = list(webmain.extract_many(iter(pages), jobs=jobs))
    assert len(found) == 25
    assert isinstance(found[3], Rejected)
    assert (found[3].reason, found[3].url) == (Reason.EMPTY, "https://courier.example/empty")
    for each, answer in zip(pages, found, strict=True):
        if answer is not found[3]:
            assert answer == webmain.extract(each.body, url=each.url)
    assert not fork_servers()


def test_options_reach_the_workers():
    (found,) = webmain.extract_many([page(1)], jobs=1, extractor="line_block:max_gap=3", parts="text")
    assert found.extractor == "line_block"
    assert found.title is None
    (found,) = webmain.extract_many([page(1)], jobs=1, max_bytes=10)
    assert found.reason is Reason.TOO_LARGE


def test_an_endless_source_is_read_only_a_bounded_number_ahead():
    taken = []

    def endless():
        n = 0
        while True:
            taken.append(n)
            yield page(n)
            n += 1

    found = webmain.extract_many(endless(), jobs=1, extractor="line_block", parts="text")
    for n in range(20):
        assert f"On day {n} " in next(found).text
        assert len(taken) <= n + AHEAD + 2
    found.close()  # type: ignore[attr-defined]
    assert not fork_servers()


@pytest.mark.parametrize("jobs", [0, 1])
def test_an_error_in_the_method_costs_its_page_only(jobs):
    pages = [page(0), page(1, "fault"), page(2)]
    first, second, third = webmain.extract_many(pages, jobs=jobs, extractor=WILD)
    assert (second.reason, second.url) == (Reason.INTERNAL_ERROR, pages[1].url)
    assert "ZeroDivisionError: a fault in the extractor" in second.detail
    assert "day 0" in first.text
    assert "day 2" in third.text


def test_a_page_that_hangs_or_kills_its_process_costs_itself_only(monkeypatch):
    monkeypatch.setattr(pool, "GRACE_S", 0.2)
    monkeypatch.setattr(pool, "WALL_FACTOR", 1.0)
    monkeypatch.setattr(pool, "WALL_S", 6.0)
    pages = [page(0), page(1, "sleep"), page(2), page(3, "die"), page(4), page(5, "regex"), page(6)]
    found = list(webmain.extract_many(pages, jobs=1, extractor=WILD, timeout_s=2.0))
    assert [getattr(answer, "reason", None) for answer in found] == [
        *(None, Reason.TOO_SLOW, None),
        *(Reason.INTERNAL_ERROR, None, Reason.TOO_SLOW, None),
    ]
    assert "neither worked nor answered" in found[1].detail
    assert "SIGKILL" in found[3].detail
    assert "CPU seconds" in found[5].detail
    assert found[1].url == pages[1].url
    assert not fork_servers()


def test_a_worker_that_died_between_two_pages_costs_no_page():
    found = webmain.extract_many((page(n) for n in range(60)), jobs=1, extractor="line_block", parts="text")
    next(found)
    for child in fork_servers():
        child.kill()
    assert [f"On day {n} " in answer.text for n, answer in enumerate(found, 1)] == [True] * 59


def test_workers_end_when_the_answers_are_no_longer_wanted(monkeypatch):
    found = webmain.extract_many([page(0), page(1, "sleep"), page(2)], jobs=2, extractor=WILD)
    next(found)
    assert fork_servers()
    begun = time.monotonic()
    found.close()  # type: ignore[attr-defined]
    assert time.monotonic() - begun < 60
    assert not fork_servers()


@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_an_error_of_the_source_comes_after_the_answers_and_ends_the_workers(jobs):
    def broken():
        yield from map(page, range(3))
        raise LookupError("the source is broken")

    answers = webmain.extract_many(broken(), jobs=jobs, extractor="line_block", parts="text")
    assert [f"On day {n} " in next(answers).text for n in range(3)] == [True] * 3
    with pytest.raises(LookupError, match="the source is broken"):
        next(answers)
    assert not fork_servers()


def test_wrong_options_are_told_at_once():
    with pytest.raises(UnknownExtractor, match="magic"):
        webmain.extract_many([], extractor="magic")
    with pytest.raises(ValueError, match=r"jobs: got -1, allowed are whole numbers from 0"):
        webmain.extract_many([], jobs=-1)
    with pytest.raises(ValueError, match="parts"):
        webmain.extract_many([], parts="all")
    with pytest.raises(TypeError, match=r"pages\[1\] must be a webmain.Page, not str"):
        list(webmain.extract_many([page(0), "<p>x"], jobs=0))


OWN_METHOD = """
import webmain
from webmain.extractors.line_block import LineBlock
class Own(LineBlock):
    name = "own"
"""
ASKING = "print(len(list(webmain.extract_many([webmain.Page(html='<p>x')], jobs=1, extractor={}))))\n"


def run_script(tmp_path, source):
    script = tmp_path / "script.py"
    script.write_text(source, "utf-8")
    return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, env=_env())


def test_a_script_with_a_method_of_its_own_needs_a_guard_and_is_told_so(tmp_path):
    done = run_script(tmp_path, OWN_METHOD + "if __name__ == '__main__':\n    " + ASKING.format("Own()"))
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr
    done = run_script(tmp_path, OWN_METHOD + ASKING.format("Own()"))
    assert done.returncode == 1
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]


def test_workers_die_with_a_parent_that_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import webmain, psutil, time\n"
        "def endless():\n"
        "    while True:\n"
        "        yield webmain.Page(html='<p>' + 'The tide will reach the upper quay before noon. ' * 9)\n"
        "if __name__ == '__main__':\n"
        "    found = webmain.extract_many(endless(), jobs=2)\n"
        "    next(found)\n"
        "    print(*[c.pid for c in psutil.Process().children(recursive=True)], flush=True)\n"
        "    time.sleep(600)\n",
        "utf-8",
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=_env()) as parent:
        workers = [psutil.Process(int(pid)) for pid in parent.stdout.readline().split()]
        parent.kill()
    assert len(workers) >= 2
    _gone, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive


def _env():
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _burn(seconds):
    started = time.process_time()
    while time.process_time() < started + seconds:
        pass


def _burning():
    return _burn


def _childrens_cpu_s():
    used = os.times()
    return used.children_user + used.children_system


def test_the_cpu_time_of_all_workers_counts_as_this_process_childrens():
    for _ in range(4):  # whether one was lost was a matter of chance
        before, workers = _childrens_cpu_s(), pool.Pool(_burning, 2)
        for future in [workers.submit(0.3, worker=i) for i in (0, 1)]:
            future.result()
        workers.close()
        assert _childrens_cpu_s() - before >= 0.58
