"""The quality gate: on the gold pages of our own, no method may fall below the figures pinned in `tests/gold/floors.json`.

After a change that is meant, measure anew with `make floors` (or `python tests/evaluation/test_quality_floor.py`) and read
the difference before it is committed.
"""

import hashlib
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import webmain
from webmain.evaluation.gold import read_gold
from webmain.evaluation.metrics import words
from webmain.evaluation.records import GoldPage
from webmain.evaluation.tokens import TextPair
from webmain.extractors.base import EXTRACTORS, Extractor, create

GOLD = Path(__file__).parents[1] / "gold"
PAGES = GOLD / "pages"
FLOORS = GOLD / "floors.json"
HOW_TO_PIN = "if that is meant, measure anew with `make floors` and read the difference of tests/gold/floors.json"

WHOLE_SITES = " over whole sites"
"""What stands behind the name of a method that learned from all pages of a site; only sites of several pages count."""


def digest(folder: Path) -> str:
    """Return what `(cd FOLDER && LC_ALL=C sha256sum * | sha256sum)` prints."""
    files = sorted(folder.iterdir(), key=lambda path: path.name.encode())
    lines = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@cache
def gold() -> tuple[GoldPage, ...]:
    return tuple(read_gold(PAGES))


@cache
def pages_of_sites() -> tuple[GoldPage, ...]:
    """Return the pages whose sites have others."""
    n_pages = Counter(page.site for page in gold())
    return tuple(page for page in gold() if n_pages[page.site] > 1)


def as_page(page: GoldPage) -> webmain.Page:
    if isinstance(page.html, bytes):
        return webmain.Page(url=page.url, body=page.html)
    return webmain.Page(url=page.url, html=page.html)


def texts(extractor: Extractor, pages: Iterable[GoldPage], *, whole_sites: bool) -> dict[str, str]:
    """Return what a method gives for each page, each page alone or all of a site together; "" where it gives nothing."""
    groups: dict[str, list[GoldPage]] = defaultdict(list)
    for page in pages:
        groups[page.site if whole_sites else page.id].append(page)
    found = {}
    for group in groups.values():
        answers = webmain.extract_site(map(as_page, group), extractor=extractor, parts="text", timeout_s=None)
        for page, answer in zip(group, answers, strict=True):
            found[page.id] = "" if isinstance(answer, webmain.Rejected) else answer.text
    return found


def f1(page: GoldPage, text: str) -> float:
    return words(TextPair(predicted=text, gold=page.text or "", language=page.language)).f1


def figures(scores: list[float]) -> dict[str, float]:
    """Return the figures that are pinned: the mean rounded down, so that it holds again when nothing has changed."""
    mean = math.fsum(scores) / len(scores)
    return {"word_f1": math.floor(1000 * mean + 1e-9) / 1000, "pages_below_half": sum(score < 0.5 for score in scores)}


def measure(extractor: Extractor, *, whole_sites: bool = False) -> dict[str, float]:
    pages = pages_of_sites() if whole_sites else gold()
    found = texts(extractor, pages, whole_sites=whole_sites)
    return figures([f1(page, found[page.id]) for page in pages])


def complaints(method: str, measured: dict[str, float], floor: dict[str, float]) -> list[str]:
    """Say in what a method falls short of its floor; [] if in nothing."""
    said = []
    if measured["word_f1"] < floor["word_f1"]:
        said.append(f"{method}: mean word F1 fell from {floor['word_f1']:.3f} to {measured['word_f1']:.3f}")
    if measured["pages_below_half"] > floor["pages_below_half"]:
        n, was = measured["pages_below_half"], floor["pages_below_half"]
        said.append(f"{method}: {n} pages are below .5, {was} were")
    return said


def learns(name: str) -> bool:
    return hasattr(create(name), "fit")


def methods() -> list[str]:
    """Name what is measured: each extractor on single pages, those that learn from sites on our two sites too."""
    return [*sorted(EXTRACTORS), *(name + WHOLE_SITES for name in sorted(filter(learns, EXTRACTORS)))]


def measure_named(method: str) -> dict[str, float]:
    return measure(create(method.removesuffix(WHOLE_SITES)), whole_sites=method.endswith(WHOLE_SITES))


@cache
def pinned() -> dict:
    return json.loads(FLOORS.read_text("utf-8"))


def test_gold_pages_are_those_the_floors_were_measured_on():
    found = digest(PAGES)
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


def test_digest_depends_on_every_byte_and_name(tmp_path):
    (tmp_path / "a.html").write_bytes(b"x")
    (tmp_path / "a.txt").write_bytes(b"y")
    first = digest(tmp_path)
    (tmp_path / "a.txt").write_bytes(b"z")
    second = digest(tmp_path)
    (tmp_path / "a.txt").rename(tmp_path / "b.txt")
    assert len({first, second, digest(tmp_path)}) == 3


def test_every_method_has_a_floor():
    assert sorted(pinned()["floors"]) == sorted(methods()), HOW_TO_PIN


@pytest.mark.parametrize("method", methods())
def test_quality_has_not_fallen(method):
    said = complaints(method, measure_named(method), pinned()["floors"][method])
    assert not said, "; ".join((*said, HOW_TO_PIN))


class Crippled:
    """Another extractor whose verdict on every third block is turned round."""

    name = "crippled"

    def __init__(self, extractor: Extractor) -> None:
        self.extractor = extractor

    def segment(self, document):
        return self.extractor.segment(document)

    def judge(self, segmentation):
        found = self.extractor.judge(segmentation)
        kept = found.kept.copy()
        kept[::3] = ~kept[::3]
        return replace(found, kept=np.asarray(kept))


@pytest.mark.parametrize("method", [name for name in sorted(EXTRACTORS) if not learns(name)])
def test_crippled_extractor_falls_below_the_floor(method):
    said = complaints(method, measure(Crippled(create(method))), pinned()["floors"][method])
    assert said
    assert said[0].startswith(f"{method}: mean word F1 fell from {pinned()['floors'][method]['word_f1']:.3f} to ")


@pytest.mark.parametrize(
    ("scores", "n_complaints"),
    [([0.8, 0.4], 0), ([0.8, 0.401], 0), ([0.8, 0.398], 1), ([0.71, 0.49], 0), ([0.49, 0.49], 2), ([0.9, 0.9], 0)],
)
def test_floor_holds_to_the_third_decimal_and_the_page(scores, n_complaints):
    floor = figures([0.8, 0.4])
    assert floor == {"word_f1": 0.6, "pages_below_half": 1}
    assert len(complaints("m", figures(scores), floor)) == n_complaints


def test_methods_that_learn_are_measured_on_two_sites_of_five_pages():
    assert sorted(Counter(page.site for page in pages_of_sites()).values()) == [5, 5]


def test_extractor_that_gives_nothing_scores_zero():
    assert figures([f1(page, "") for page in gold()]) == {"word_f1": 0.0, "pages_below_half": len(gold())}


def test_gold_text_itself_scores_one():
    assert figures([f1(page, page.text) for page in gold()]) == {"word_f1": 1.0, "pages_below_half": 0}


@pytest.mark.parametrize("page", gold(), ids=lambda page: page.id)
def test_gold_text_stands_in_its_page(page):
    whole = webmain.extract(page.html, url=page.url, extractor="eniw:hidden=keep", parts="text", timeout_s=None).text
    pair = TextPair(predicted=whole, gold=page.text, language=page.language)
    assert words(pair).recall > 0.97


def pin() -> None:
    floors = [f"  {json.dumps(method)}: {json.dumps(measure_named(method))}" for method in methods()]
    head = f'"pages_sha256": "{digest(PAGES)}",\n "n_pages": {len(gold())},\n "floors": {{\n'
    FLOORS.write_text("{\n " + head + ",\n".join(floors) + "\n }\n}\n", "utf-8")


if __name__ == "__main__":
    pin()
