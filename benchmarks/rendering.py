"""Measure what visual properties give on the made-up site whose articles are told by style alone.

    python benchmarks/rendering.py      # as an ordinary user, with Chromium and the extra `render`

The site is crawled once with `render=always` and recorded; each extractor then reads the recording. Printed is the mean
word F1 over the site's articles, missing ones counting 0, and the crawl's seconds for each page.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
import time
from collections import Counter

from common import ENVIRONMENT, parser

from demo.styled import Lantern, StyledWeb
from webmain.text.words import tokens

EXTRACTORS = ("learned", "svm", "svm:features=visual", "svm:features=length+tag_path+selector+visual")


def crawl(folder: pathlib.Path, name: str, spider: str, *arguments: str) -> dict[str, str]:
    """Run a crawl; return the texts that it has stored by address."""
    store = folder / f"{name}.jsonl"
    line = [sys.executable, "-m", "scrapy", "crawl", spider, "-a", f"store=jsonl:{store}", "-L", "ERROR"]
    line += [each for argument in arguments for each in ("-a", argument)]
    line += ["-s", "DEMO_WEB=demo.styled.StyledWeb", "-s", f"WEBMAIN_MODELS={folder / name}", "-s", "WEBMAIN_SUMMARY=0"]
    subprocess.run(line, cwd=folder, env={**ENVIRONMENT, "SCRAPY_SETTINGS_MODULE": "demo.settings"}, check=True)
    lines = store.read_text("utf-8").splitlines() if store.exists() else []
    return {record["url"]: record["text"] for record in map(json.loads, lines)}


def mean_f1(texts: dict[str, str]) -> float:
    """Return the mean word F1 over the site's articles."""
    total, expected = 0.0, list(StyledWeb().lantern.expected())
    for each in expected:
        one, other = Counter(tokens(texts.get(each.url, ""))), Counter(tokens(each.text))
        total += 2 * (one & other).total() / (one.total() + other.total())
    return total / len(expected)


def main() -> None:
    """Print the scores."""
    parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, site = pathlib.Path(name), f"site={Lantern.host}"
        began = time.monotonic()
        crawl(folder, "drawn", "news", site, "render=always", "record=r.warc.gz")
        print(f"{(time.monotonic() - began) / (len(StyledWeb().lantern.drafts) + 1):.1f} s a page, drawn and recorded")
        print(f"{mean_f1(crawl(folder, 'plain', 'news', site)):.3f} learned, never drawn")
        for n, extractor in enumerate(EXTRACTORS):
            texts = crawl(folder, f"e{n}", "archive", "path=r.warc.gz", f"extractor={extractor}")
            print(f"{mean_f1(texts):.3f} {extractor}")


if __name__ == "__main__":
    main()
