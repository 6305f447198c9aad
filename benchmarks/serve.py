"""How soon the web page is there: from the start of `webmain serve` to its first page (explaining a page: explain.py).

`python benchmarks/serve.py`; needs the extra `web`. Seconds by the clock, and CPU seconds of the server.
"""

import re
import resource
import subprocess
import sys
import time
import urllib.request
from statistics import median

TIMES = 7


def start() -> tuple[float, float]:
    """Return the seconds to the first page, and the CPU seconds that the server took for it."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "webmain.cli", "serve", "--port", "0", *sys.argv[1:]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        found = re.search(r"http\S+", server.stdout.readline() if server.stdout else "")
        with urllib.request.urlopen(found[0] if found else "") as answer:
            answer.read()
        took_s = time.perf_counter() - began
        server.kill()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the figures."""
    times = [start() for _ in range(TIMES)]
    print(f"first page: {median(t for t, _ in times):.2f} s by the clock, {median(c for _, c in times):.2f} s of CPU")


if __name__ == "__main__":
    main()
