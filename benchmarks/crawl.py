"""Measure what a whole crawl costs beyond bare Scrapy, and how fast it is beside Scrapy with trafilatura in its pipeline.

    python benchmarks/crawl.py [--articles 1000] [--rounds 1] [--workers 1,2] [--store jsonl,sqlite] [--learn]

A server in a process of its own serves the made-up large web over real sockets, without any delay; three crawlers fetch the
same articles through it, each in a process of its own, one after the other in each round:

- bare: Scrapy, the articles' addresses given, nothing done with the pages;
- trafilatura: the same, with `trafilatura.bare_extraction` and metadata in an item pipeline, written by Scrapy's feed;
- webmain: `scrapy crawl news`: discovery, extraction, metadata, language, words, near-duplicates, ledger and store, once with
  each number of worker processes; sites are learned only with `--learn`.

CPU is user plus system time of the crawler's process and its workers, start-up included, as where the modules' bytecode is
kept (PYTHONDONTWRITEBYTECODE is not handed on, and one import comes before). Politeness is off for all, on
loopback only.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import sys
import tempfile
from functools import partial

from common import measure, parser, serving

SETTINGS = {
    "ROBOTSTXT_OBEY": True,
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_ITEMS": 4,  # as in webmain: at Scrapy's 100 the bare crawl would look dearer than it needs to be
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "LOG_LEVEL": "WARNING",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
}


def crawl_with_scrapy(addresses: pathlib.Path, *, output: pathlib.Path | None) -> None:
    """Run the bare crawler, or with an output the one with trafilatura."""
    import scrapy
    from scrapy.crawler import CrawlerProcess

    class Trafilatura:
        def process_item(self, item: dict[str, object]) -> dict[str, object]:
            import trafilatura

            found = trafilatura.bare_extraction(
                item["html"], url=item["url"], include_comments=False, with_metadata=True
            )
            return {"url": item["url"]} | ({} if found is None else {"title": found.title, "text": found.text})

    class Addresses(scrapy.Spider):
        name = "addresses"
        n_pages = 0

        async def start(self):  # type: ignore[no-untyped-def]
            for url in addresses.read_text().split():
                yield scrapy.Request(url)

        def parse(self, response):  # type: ignore[no-untyped-def]
            Addresses.n_pages += 1
            if output is not None:
                yield {"url": response.url, "html": response.text}

    settings = dict(SETTINGS)
    if output is not None:
        settings |= {"ITEM_PIPELINES": {Trafilatura: 1}, "FEEDS": {str(output): {"format": "jsonlines"}}}
    process = CrawlerProcess(settings)
    process.crawl(Addresses)
    process.start()
    print(json.dumps({"pages": Addresses.n_pages}))


def webmain_command(args: argparse.Namespace, host: str, folder: pathlib.Path, workers: str) -> list[str]:
    """Return the command of a crawl whose files are in a folder of its own."""
    stores = ",".join(f"{kind}:{folder / kind}" for kind in args.store.split(","))
    arguments = {"site": f"http://{host}/", "store": stores, "learn": "yes" if args.learn else "no"}
    arguments |= {"extractor": args.extractor} if args.extractor else {}
    settings = {**SETTINGS, "WEBMAIN_WORKERS": workers, "WEBMAIN_MODELS": folder / "models"}
    command = [sys.executable, "-m", "scrapy", "crawl", "news"]
    command += [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
    return command + [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]


def main() -> None:
    """Print the table."""
    ap = parser(__doc__)
    ap.add_argument("--articles", type=int, default=1000)
    ap.add_argument("--rounds", type=int, default=1)
    ap.add_argument("--extractor", default=None, help="webmain's method (default: its default)")
    ap.add_argument("--workers", default="1", help="numbers of webmain's processes, separated by commas")
    ap.add_argument("--store", default="jsonl", help="jsonl, sqlite, or both, separated by a comma")
    ap.add_argument("--learn", action="store_true", help="let webmain learn the site")
    ap.add_argument("--role", choices=("bare", "trafilatura"), help=argparse.SUPPRESS)
    ap.add_argument("--addresses", type=pathlib.Path, help=argparse.SUPPRESS)
    ap.add_argument("--output", type=pathlib.Path, help=argparse.SUPPRESS)
    args = ap.parse_args()
    if args.role:
        crawl_with_scrapy(args.addresses, output=args.output if args.role == "trafilatura" else None)
        return
    from demo.many import ManyPages

    web = ManyPages(n_articles=args.articles, origin="http://{host}")
    host = web.hosts[0]
    server = serving("demo.server", "--port", "0", "--many", str(args.articles))
    with tempfile.TemporaryDirectory() as name, server as proxy:
        folder, run = pathlib.Path(name), partial(measure, http_proxy=proxy, PYTHONDONTWRITEBYTECODE="")
        addresses = folder / "addresses.txt"
        addresses.write_text("\n".join(web.urls()))
        me = [sys.executable, str(pathlib.Path(__file__)), "--addresses", str(addresses)]
        ours = [f"webmain, {n}" for n in args.workers.split(",")]
        imports = "import trafilatura, webmain.pipelines, webmain.spiders.news; webmain.extract('<p>Boats</p>' * 99)"
        run([sys.executable, "-c", imports])
        rows: dict[str, list[tuple[float, float, int]]] = {who: [] for who in ("bare", "trafilatura", *ours)}
        for turn in range(args.rounds):
            cpu, wall, text = run([*me, "--role", "bare"])
            rows["bare"].append((cpu, wall, json.loads(text.splitlines()[-1])["pages"]))
            output = folder / f"trafilatura-{turn}.jsonl"
            cpu, wall, _ = run([*me, "--role", "trafilatura", "--output", str(output)])
            rows["trafilatura"].append((cpu, wall, len(output.read_bytes().splitlines())))
            for who in ours:
                command = webmain_command(args, host, folder / f"{who}-{turn}", who.split()[-1])
                cpu, wall, text = run(command)
                rows[who].append((cpu, wall, int(re.findall(r"([\d,]+) new", text)[-1].replace(",", ""))))
        print(f"{args.articles} articles, best of {args.rounds} rounds, load {os.getloadavg()[0]:.1f}")
        best = {who: min(found) for who, found in rows.items()}
        for who, (cpu, wall, pages) in best.items():
            print(
                f"  {who:12s} {pages:5d} pages  {1000 * cpu / max(1, pages):7.2f} ms CPU a page  {pages / wall:7.1f} pages/s"
            )
        bare, peer, first = best["bare"], best["trafilatura"], best[ours[0]]
        for who in ours:
            cpu, wall, pages = best[who]
            added = 1000 * (cpu / max(1, pages) - bare[0] / max(1, bare[2]))
            ratios = [pages / wall / (each[2] / each[1]) for each in (peer, first)]
            print(
                f"  {who} adds {added:.2f} ms CPU a page to bare Scrapy; pages per second: {ratios[0]:.2f} x Scrapy with"
            )
            print(f"    trafilatura, {ratios[1]:.2f} x {ours[0]}")


if __name__ == "__main__":
    main()
