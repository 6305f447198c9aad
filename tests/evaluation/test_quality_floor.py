"""The quality gate: on the gold pages of our own, no method may fall below the figures pinned in `tests/gold/floors.json`.

After a change that is meant, measure anew with `make floors` (or `python tests/evaluation/test_quality_floor.py`) and read
the difference before it is committed.
"""

import json
import math
import re
from functools import cache
from pathlib import Path

import pytest

import webmain
from webmain.evaluation.gold import read_gold
from webmain.evaluation.metrics import words
from webmain.evaluation.records import GoldPage
from webmain.evaluation.texts import as_page, by_site
from webmain.evaluation.tokens import TextPair
from webmain.evaluation.training.sets import check_set
from webmain.extractors.base import EXTRACTORS, SiteExtractor, create

GOLD = Path(__file__).parents[1] / "gold"
PAGES = GOLD / "pages"
FLOORS = GOLD / "floors.json"
HOW_TO_PIN = "if that is meant, measure anew with `make floors` and read the difference of tests/gold/floors.json"

WHOLE_SITES = " over whole sites"
"""What stands behind the name of a method that learned from all pages of a site; only sites of several pages count."""


@cache
def gold() -> tuple[GoldPage, ...]:
    return tuple(read_gold(PAGES))


def methods() -> list[str]:
    """Name what is measured: each extractor on single pages, those that learn from sites on our two sites too."""
    learning = [name for name in EXTRACTORS if isinstance(create(name), SiteExtractor)]
    return [*sorted(EXTRACTORS), *(name + WHOLE_SITES for name in sorted(learning))]


def measure(method: str) -> dict[str, float]:
    """Return the figures that are pinned: the mean rounded down, so that it holds again when nothing has changed."""
    extractor, scores = create(method.removesuffix(WHOLE_SITES)), []
    groups = [[page] for page in gold()]
    if method.endswith(WHOLE_SITES):
        groups = [site for site in by_site(gold()) if len(site) > 1]
    for group in groups:
        answers = webmain.extract_site(map(as_page, group), extractor=extractor, parts="text", timeout_s=None)
        for page, answer in zip(group, answers, strict=True):
            text = "" if isinstance(answer, webmain.Rejected) else answer.text
            scores.append(words(TextPair(predicted=text, gold=page.text or "", language=page.language)).f1)
    mean = math.fsum(scores) / len(scores)
    return {"word_f1": math.floor(1000 * mean + 1e-9) / 1000, "pages_below_half": sum(score < 0.5 for score in scores)}


@cache
def pinned() -> dict:
    return json.loads(FLOORS.read_text("utf-8"))


def test_gold_pages_are_those_the_floors_were_measured_on():
    found = check_set(PAGES).sha256
    assert found == pinned()["pages_sha256"], f"the gold pages have changed (digest {found}); {HOW_TO_PIN}"
    assert len(gold()) == pinned()["n_pages"] == len(list(PAGES.glob("*.html"))), HOW_TO_PIN


def test_every_gold_page_has_a_text_an_address_and_a_line_in_the_readme():
    described = (GOLD / "README.md").read_text("utf-8")
    for page in gold():
        assert page.text
        assert page.url
        assert page.language
        assert page.page_type
        assert f"| {re.sub(r'_[1-5]$', '_1 .. 5', page.id)} | {page.language} |" in described, page.id


def test_every_method_has_a_floor():
    assert sorted(pinned()["floors"]) == sorted(methods()), HOW_TO_PIN


@pytest.mark.parametrize("method", methods())
def test_quality_has_not_fallen(method):
    found, floor = measure(method), pinned()["floors"][method]
    assert found["word_f1"] >= floor["word_f1"], HOW_TO_PIN
    assert found["pages_below_half"] <= floor["pages_below_half"], HOW_TO_PIN


@pytest.mark.parametrize("page", gold(), ids=lambda page: page.id)
def test_gold_text_stands_in_its_page(page):
    whole = webmain.extract(page.html, url=page.url, extractor="eniw:hidden=keep", parts="text", timeout_s=None).text
    pair = TextPair(predicted=whole, gold=page.text, language=page.language)
    assert words(pair).recall > 0.97


def pin() -> None:
    floors = [f"  {json.dumps(method)}: {json.dumps(measure(method))}" for method in methods()]
    head = f'"pages_sha256": "{check_set(PAGES).sha256}",\n "n_pages": {len(gold())},\n "floors": {{\n'
    FLOORS.write_text("{\n " + head + ",\n".join(floors) + "\n }\n}\n", "utf-8")


if __name__ == "__main__":
    pin()
