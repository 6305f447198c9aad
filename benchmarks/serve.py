"""How soon the web page is there: from the start of `webmain serve` to its first page (explaining a page: explain.py).

`python benchmarks/serve.py`; needs the extra `web`. Seconds by the clock, and CPU seconds of the server.
"""

import sys
import time
import urllib.request
from statistics import median

from common import cpu_s, serving

TIMES = 7


def start() -> tuple[float, float]:
    """Return the seconds to the first page, and the CPU seconds that the server took for it."""
    before, began = cpu_s(), time.perf_counter()
    with serving("webmain.cli", "serve", "--port", "0", *sys.argv[1:]) as address:
        with urllib.request.urlopen(address) as answer:
            answer.read()
        took_s = time.perf_counter() - began
    return took_s, cpu_s() - before


def main() -> None:
    """Print the figures."""
    times = [start() for _ in range(TIMES)]
    print(f"first page: {median(t for t, _ in times):.2f} s by the clock, {median(c for _, c in times):.2f} s of CPU")


if __name__ == "__main__":
    main()
