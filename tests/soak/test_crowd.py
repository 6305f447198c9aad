"""Long runs (make soak): a crawl of 200 sites keeps its memory."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

pytestmark = [pytest.mark.soak, pytest.mark.timeout(4 * 3600)]

N_SITES = 200
N_PAGES = int(os.environ.get("SOAK_PAGES", "100000"))
ALLOWED_MB_A_THOUSAND = 1.0 if N_PAGES >= 100_000 else 10.0
"""From the middle on: the index of near-duplicates grows until it holds 50,000 articles, and no further."""


def test_memory_is_flat_over_a_crawl_of_many_sites(tmp_path):
    crowd = {
        "CROWD_SITES": str(N_SITES),
        "CROWD_ARTICLES": str(N_PAGES // N_SITES),
        "CROWD_LARGE": str(N_PAGES // N_SITES),
    }
    (tmp_path / "sites.txt").write_text("\n".join(f"paper{n}.example" for n in range(N_SITES)))
    root = str(Path(__file__).resolve().parents[2])
    command = [
        sys.executable, "-m", "scrapy", "crawl", "news", "-a", "sites=sites.txt", "-a", "extractor=line_block",
        "-s", "DEMO_WEB=demo.crowd.Crowd", "-s", "LOG_LEVEL=WARNING",
    ]  # fmt: skip
    env = {**os.environ, **crowd, "SCRAPY_SETTINGS_MODULE": "demo.settings", "PYTHONPATH": root}
    samples: list[tuple[int, float, float]] = []
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(command, cwd=tmp_path, env=env, stdout=log, stderr=log) as run,
    ):
        process, store = psutil.Process(run.pid), tmp_path / "output" / "articles.jsonl"
        n_bytes = n_articles = 0
        began = time.monotonic()
        while run.poll() is None:
            time.sleep(2)
            if store.exists():
                with store.open("rb") as lines:
                    lines.seek(n_bytes)
                    new = lines.read()
                n_bytes += len(new)
                n_articles += new.count(b"\n")
            try:
                n_megabytes = process.memory_info().rss / 1e6
            except psutil.NoSuchProcess:
                break
            samples.append((n_articles, n_megabytes, time.monotonic() - began))
    assert run.returncode == 0, (tmp_path / "log").read_text()[-2000:]
    for share in (0.1, 0.5, 1):
        n, n_megabytes, seconds = next(each for each in samples if each[0] >= min(n_articles * share, samples[-1][0]))
        print(f"{n:,} pages in {seconds / 3600:.2f} h, {n / seconds:.1f} a second: {n_megabytes:.0f} MB")
    warm, end = (
        max((each for each in samples if start <= each[0] / n_articles <= start + 0.1), key=lambda each: each[1])
        for start in (0.55, 0.9)
    )  # of each part the most, since memory goes up and down by tens of MB
    slope = (end[1] - warm[1]) / max(1, end[0] - warm[0]) * 1000
    print(f"from {warm[0]:,} to {end[0]:,} pages: {slope:+.2f} MB/1,000")
    assert slope < ALLOWED_MB_A_THOUSAND
