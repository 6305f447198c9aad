"""The recipe for cron, run as it is written: silent where nothing is new, else with what a person can act upon."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from webmain.crawl.summary import headline, outcome, render

ROOT = Path(__file__).parents[2]
RECIPE = re.search(r"^7 \* \* \* \*  (cd .*)$", (ROOT / "docs/operate.md").read_text(encoding="utf-8"), re.MULTILINE)[1]


@pytest.fixture
def cron(tmp_path):
    """Run the recipe in a folder of its own, for a site of the made-up web; return code and mail."""
    folder = tmp_path / "srv"
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/activate").write_text(f"export PATH={Path(sys.executable).parent}:$PATH\n")
    line = RECIPE.replace("/srv/webmain", str(folder)).replace("since=2d", "since=2000-01-01")

    def run(site, *, module="demo.settings"):
        env = {**os.environ, "SCRAPY_SETTINGS_MODULE": module, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
        command = line.replace("bbc.com", site)
        done = subprocess.run(["/bin/sh", "-c", command], env=env, capture_output=True, text=True, timeout=280)
        return done.returncode, done.stdout + done.stderr

    return run


def test_a_run_with_nothing_new_prints_nothing(cron):
    code, mail = cron("the-tangle.example")
    assert code == 0
    assert " WARNING: " not in mail
    assert " new" in mail.splitlines()[1]
    assert "by method" in mail
    assert cron("the-tangle.example") == (0, "")


def test_a_site_that_is_not_there_is_told(cron):
    code, mail = cron("no-such-site.example")
    assert code == 3
    assert "no-such-site.example: the front page cannot be fetched" in mail


NUMBERS = re.compile(r"([\d,]+) (new|changed|updated|unchanged|known)")


@pytest.mark.parametrize("known", [0, 3, 1234])
@pytest.mark.parametrize("unchanged", [0, 7])
@pytest.mark.parametrize("changed", [0, 2])
def test_the_first_sentence_and_the_table_agree(known, unchanged, changed):
    stats = {
        "webmain/articles/new": 5,
        "webmain/articles/changed": changed,
        "webmain/articles/unchanged": unchanged,
        "webmain/known": known,
        "webmain/extractor/learned": 4,
        "webmain/extractor/feed": 1 + changed + unchanged,
    }
    found = outcome(stats)
    table = {word: n for n, word in NUMBERS.findall(render(found).split("\n", 2)[2])}
    table["known"] = re.search(r"known +([\d,]+) skipped", render(found))[1]
    told = {word.replace("updated", "changed"): n for n, word in NUMBERS.findall(headline(found))}
    assert told.items() <= table.items()
    assert {word for word, n in table.items() if n != "0"} <= told.keys() | {"new"}
    assert sum(found.extractors.values()) == found.articles
