"""A page's time: CPU seconds of the work with it, and with nothing else."""

import subprocess
import sys
import threading
import time

import pytest

import webmain
from webmain.clock import Deadline, Loading, once
from webmain.extraction import Options, judge, read
from webmain.extractors.base import EXTRACTORS, create
from webmain.items import Page, Reason, Rejected


def work(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_only_work_inside_is_counted_and_waiting_is_not():
    deadline = Deadline(0.05)
    work(0.1)
    with deadline:
        time.sleep(0.1)
    assert deadline.spent_s < 0.04
    assert not deadline.has_passed()
    for _ in range(2):
        with deadline, deadline:  # nested: counted once
            work(0.03)
    assert 0.06 <= deadline.spent_s < 0.09
    assert deadline.has_passed()


def test_work_in_another_thread_counts_there_and_not_twice():
    deadline = Deadline(1.0)
    work(0.05)  # this thread's clock is ahead of the other's

    def other():
        with deadline:
            work(0.02)

    for _ in range(2):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    with deadline:
        thread = threading.Thread(target=other)  # finds it running
        thread.start()
        thread.join()
    assert 0.04 <= deadline.spent_s < 0.06


def test_what_is_loaded_once_is_not_counted_and_loaded_once_whichever_threads_ask():
    calls = []

    @once
    def inner():
        work(0.02)
        return "inner"

    @once
    def model():
        calls.append(1)
        work(0.02)
        return inner()

    deadline = Deadline(0.01)
    with deadline:
        assert model() == "inner"
        with Loading():
            work(0.02)
    assert deadline.spent_s < 0.01
    threads = [threading.Thread(target=model) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [1]


def test_a_loader_that_fails_is_tried_again():
    tries = []

    @once
    def model():
        tries.append(1)
        if len(tries) == 1:
            raise OSError("no such file")
        return 3

    with pytest.raises(OSError, match="no such file"):
        model()
    assert model() == 3


def test_time_between_the_steps_of_a_page_is_not_its_own():
    html = "<p>" + "The harbour master said that the tide was high. " * 20
    document = read(Page(html=html), Options(timeout_s=0.2))
    work(0.25)  # other pages, or the parts of this article that are waited for
    assert judge(document, create("pab")).kept.any()


def test_the_message_says_what_was_exceeded():
    with pytest.raises(Rejected, match="CPU") as caught:
        webmain.extract("<p>x" * 10_000, timeout_s=1e-6)
    assert caught.value.reason is Reason.TOO_SLOW


COLD = """
import sys, webmain
sentence = "The harbour master of Grimsby said on Tuesday that the tide was higher than ever before. "
html = "<html lang=en><title>High tide</title><meta name=description content='" + sentence + "'><h1>High tide</h1>"
html += "".join(f"<p>{sentence * 4}{i}</p>" for i in range(6))
try:
    webmain.extract(html, url="https://a.example/x", extractor=sys.argv[1], timeout_s=0.25)
except webmain.Rejected as rejected:
    assert rejected.reason is not webmain.Reason.TOO_SLOW, rejected
"""


@pytest.mark.parametrize("name", ["learned", "svm"])
def test_the_first_page_of_a_process_does_not_pay_for_models_and_libraries(name):
    assert name in EXTRACTORS
    done = subprocess.run([sys.executable, "-c", COLD, name], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
