"""Memory that pages may cost: 60 bytes for each byte of a page and 100 MB, whatever they are made of."""

import subprocess
import sys

import pytest

MEASURE = """
import os, resource, sys
import webmain

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000

method, pages = sys.argv[1], sys.stdin.buffer.read().split(b"\\n----\\n")
try:
    webmain.extract("<title>A title</title>" + "<p>A paragraph of words, long enough to be kept.</p>" * 30, extractor=method)
except webmain.Rejected:
    pass
for page in pages:
    unit, _, n = page.rpartition(b"*")
    if not (child := os.fork()):
        before, body = peak(), b"<title>A title</title>" + unit * int(n)
        try:
            webmain.extract(body, url="http://a.example/b", extractor=method, timeout_s=None)
        except webmain.Rejected:
            pass
        if (used := peak() - before) > (allowed := 100 + 60 * len(body) / 1e6):
            print(f"{unit[:40]!r} * {int(n)}: {used:.0f} MB, allowed {allowed:.0f}", flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(f"{unit[:40]!r} * {int(n)}: killed", flush=True)
"""
PAGES = (b"<p>a b</p>*38000", b"<p>a b</p>*330000", b"</p>*1000000", b"a<br>*38000", b"a\n*600000")


@pytest.mark.parametrize("method", ["learned", "line_block"])
def test_memory_is_bounded_by_a_pages_bytes(method):
    command = [sys.executable, "-c", MEASURE, method]
    done = subprocess.run(command, input=b"\n----\n".join(PAGES), capture_output=True, timeout=280, check=False)
    assert done.stdout.decode() + done.stderr.decode() == ""
