"""Fill a store with the articles of the made-up web, as `make serve` does: `python -m demo.fill demo.db`."""

from __future__ import annotations

import os
import subprocess
import sys

# The Courier a day later: an article that changed, and a copy of another site's.
_LATER = "-a site=harbour-courier.example -a skip_known=false -a include=*seal-pup*,*village-clocks* -s DEMO_WEB=demo.web.LaterWeb"


def crawls(store: str) -> tuple[list[str], list[str]]:
    """Return the arguments of Scrapy for the two crawls that fill a database; their pages are recorded beside it."""
    kept = ["crawl", "news", "-a", f"store=sqlite:{store}", "-a", f"record={store}.warc.gz"]
    return [*kept, "-a", "sites=demo/sites.txt"], [*kept, *_LATER.split()]


if __name__ == "__main__":
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "demo.settings"}
    for arguments in crawls(*sys.argv[1:]):
        subprocess.run([sys.executable, "-m", "scrapy", *arguments], env=environment, check=True)  # noqa: S603 - our own arguments
