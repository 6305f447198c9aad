"""Long runs (make soak): memory that pages cost, 60 bytes for each byte of a page and 100 MB, whatever they are made of."""

import subprocess
import sys

import pytest

from tests.html.test_memory import MEASURE

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]

PAGES = {
    "many short paragraphs": (b"<p>a b</p>", (38_000, 330_000)),
    "many runs of text": (b"a<br>", (38_000, 400_000)),
    "many words in elements": (b"<i>a</i> ", (38_000,)),
    "many empty elements": (b"<p></p>", (70_000, 280_000)),
    "many end tags": (b"</p>", (75_000, 1_000_000)),
    "many comments": (b"<!---->x", (38_000, 280_000)),
    "one tag of many attributes": (b"a ", (1,)),
    "many attributes": (b"<p " + b" ".join(b"a%d=b" % i for i in range(40)) + b">x", (8_000,)),
    "one long text": (b"words of a text ", (130_000,)),
    "lines": (b"a\n", (1_000_000,)),
    "deep": (b"<div>a", (38_000,)),
    "a large table": (b"<table>" + b"<tr><td>a<td>b" * 4_000 + b"</table>", (4,)),
    "links": (b"<a href=/a/b>a</a> ", (38_000,)),
    "list items": (b"<li><a href=/a/b>a", (38_000,)),
    "a state": (b"<script>window.__STATE__={" + b'"a":{"b":[1,2,"c"]},' * 100_000 + b"}</script><p>a", (1,)),
    "data": (b"<script type=application/ld+json>[" + b'{"@type":"NewsArticle","name":"x"},' * 50_000 + b"1]</script>a", (1,)),
    "reopened": (b"<p><b title='" + b"x" * 280 + b"'></p>", (7, 5_000)),
}  # fmt: skip


@pytest.mark.parametrize("method", ["learned", "line_block", "pab", "eniw", "thai_xpath", "lbda", "svm"])
def test_memory_is_bounded_by_a_pages_bytes(method):
    pages = [b"%s*%d" % (unit, n) for unit, numbers in PAGES.values() for n in numbers]
    pages.append(b"<p " + b"a " * 500_000 + b">x*1")
    command = [sys.executable, "-c", MEASURE, method]
    done = subprocess.run(command, input=b"\n----\n".join(pages), capture_output=True, timeout=1000, check=False)
    assert done.stdout.decode() + done.stderr.decode() == ""
