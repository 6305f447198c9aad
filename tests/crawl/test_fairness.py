"""One site never starves another: neither sites that hardly answer, nor one with many more pages than the others."""

import json
import signal
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

N_SITES, N_SLOW, N_EACH, N_LARGE = 46, 40, 6, 100


def test_small_sites_are_done_while_slow_ones_wait_and_before_a_large_one(crawl, monkeypatch):
    crowd = {"SITES": N_SITES, "SLOW": N_SLOW, "ARTICLES": N_EACH, "LARGE": N_LARGE, "SLOW_S": 3600}
    for name, value in crowd.items():
        monkeypatch.setenv(f"CROWD_{name}", str(value))
    slow_first = "\n".join(f"paper{n}.example" for n in reversed(range(N_SITES)))
    (crawl.folder / "sites.txt").write_text(slow_first)
    settings = {"DEMO_WEB": "demo.crowd.Crowd", "WEBMAIN_EXTRACTOR": "line_block"}
    run = crawl.start("news", sites="sites.txt", learn="false", module="demo.settings", settings=settings)
    small = [f"paper{n}.example" for n in range(1, N_SITES - N_SLOW)]
    hosts: list[str] = []
    until = time.monotonic() + 250
    try:
        while sum(hosts.count(host) for host in small) < N_EACH * len(small) and run.poll() is None:
            assert time.monotonic() < until, f"the small sites are not done: {len(hosts)} articles of all"
            time.sleep(0.2)
            lines = crawl.store.read_text().splitlines() if crawl.store.exists() else []
            hosts = [json.loads(line)["url"].split("/")[2] for line in lines if line.endswith("}")]
    finally:
        run.send_signal(signal.SIGKILL)
        run.communicate()
    assert {host: hosts.count(host) for host in small} == dict.fromkeys(small, N_EACH)
    last = max(index for index, host in enumerate(hosts) if host in small)
    assert hosts[:last].count("paper0.example") <= 3 * N_EACH
