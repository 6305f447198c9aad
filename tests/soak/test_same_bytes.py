"""The same page gives the same bytes, whatever was extracted before, beside it, where, and with which other options."""

import hashlib
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from pathlib import Path

import pytest

import webmain
from demo.many import ManyPages
from webmain import Page, Rejected
from webmain import extraction as stages
from webmain.discovery.links import read_links
from webmain.embedded.articles import embedded_article
from webmain.extractors.base import EXTRACTORS, create
from webmain.html.blocks import default_blocks
from webmain.metadata.read import read_metadata

ROOT = Path(__file__).parents[1]
FETCHED = datetime(2026, 11, 3, 9, tzinfo=UTC)
OPTIONS = stages.Options(timeout_s=None, top_words=50)
NAMES = sorted(EXTRACTORS)
KERNELS = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
"""Which of its kernels OpenBLAS takes: they round differently."""

SCRIPTS = {
    "km": "រាជធានី​ភ្នំពេញ​ជា​ទីក្រុង​ធំ​ជាងគេ​បង្អស់ ", "lo": "ນະຄອນຫຼວງວຽງຈັນເປັນເມືອງໃຫຍ່ທີ່ສຸດ ", "my": "ရန်ကုန်မြို့သည် အကြီးဆုံးမြို့ဖြစ်သည်။ ",
    "ja": "東京は日本で一番大きな都市です。カタカナとひらがなもあります。", "zh": "北京是中国的首都，也是全国的政治中心。", "th": "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย ",
}  # fmt: skip


@cache
def pages():
    """Return the pages of the tests, of several scripts, and with things that decide between equals."""
    files = sorted([*(ROOT / "pages").glob("*/input.html"), *(ROOT / "gold/pages").glob("*.html")])
    found = [
        Page(url=f"https://{p.stem.partition('_')[0]}.example/{n}", body=p.read_bytes(), fetched_at=FETCHED)
        for n, p in enumerate(files)
    ]
    for language, text in SCRIPTS.items():
        html = f"<html lang={language}><title>{text}</title><h1>{text}</h1>" + "".join(
            f"<p>{text * 4}{i}" for i in range(5)
        )
        found.append(Page(url=f"https://{language}.example/", html=html, fetched_at=FETCHED))
    return found


def digest(page, name, **options):
    """Return the SHA-256 of all that comes of a page."""
    try:
        return digest_of(
            stages.extract_page(page, create(name), stages.Options(timeout_s=None, top_words=50, **options))
        )
    except Rejected as rejected:
        return digest_of(rejected)


def digest_of(answer):
    told = str(answer) if isinstance(answer, Rejected) else answer.to_json()
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def site_digests(name):
    group = [page for page in pages() if page.url.startswith("https://site.")]
    assert len(group) == 10
    return [digest_of(answer) for answer in webmain.extract_site(group, extractor=name, timeout_s=None, words=True)]


@cache
def expected(name):
    return [digest(page, name) for page in pages()]


def main():
    """Print the digests of another process, pages in another order."""
    name, seed = sys.argv[1:]
    order = list(enumerate(pages()))
    random.Random(seed).shuffle(order)
    sites = site_digests(name) if name in ("learned", "lbda", "svm") else []
    print(json.dumps([{number: digest(page, name) for number, page in order}, sites]))


@pytest.mark.parametrize("name", sorted({*NAMES} - {"svm"}))  # another process tells of it below
def test_a_page_does_not_depend_on_what_was_extracted_before(name):
    order = list(enumerate(pages()))
    wanted = expected(name)
    random.Random(3).shuffle(order)
    assert [n for n, page in order if digest(page, name) != wanted[n]] == []


@pytest.mark.parametrize(("name", "seed"), [("learned", "1"), ("svm", "2")])
def test_a_page_does_not_depend_on_the_process_or_the_order_of_hashes(name, seed):
    done = subprocess.run(
        [sys.executable, __file__, name, seed], capture_output=True, text=True, check=False, timeout=110,
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT.parent), "PATH": "", **KERNELS},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    by_page, sites = json.loads(done.stdout.splitlines()[-1])
    wanted = expected(name)
    assert [n for n in range(len(wanted)) if by_page[str(n)] != wanted[n]] == []
    assert sites == site_digests(name)


def in_threads(name, given, n_threads):
    with ThreadPoolExecutor(n_threads) as threads:
        return list(threads.map(lambda page: digest(page, name), given))


@pytest.mark.parametrize("name", ["learned", "line_block", "lbda"])
def test_a_page_does_not_depend_on_threads(name):
    assert in_threads(name, pages(), 4) == expected(name)


@pytest.mark.parametrize("name", NAMES)
def test_text_does_not_depend_on_options_that_do_not_concern_it(name):
    for page in pages()[:: 6 if name == "svm" else 2]:
        answers = []
        for options in (
            {},
            {"metadata": False},
            {"keep": webmain.Keep.of("links")},
            {"keep": webmain.Keep.of("images")},
        ):
            try:
                answers.append(stages.extract_page(page, create(name), stages.Options(timeout_s=None, **options)).text)
            except Rejected as rejected:
                answers.append(str(rejected))
        if name == "line_block":  # with links or pictures, its lines are made into blocks of the tree
            answers = answers[:2]
        assert len(set(answers)) == 1, page.url


@pytest.mark.parametrize(
    "views",
    [
        (attrgetter("lines"), attrgetter("tree")),
        (attrgetter("tree"), attrgetter("lines"), read_metadata, embedded_article),
        (read_links, attrgetter("title"), default_blocks),
    ],
    ids=["lines first", "metadata first", "links first"],
)
@pytest.mark.parametrize("name", ["learned", "line_block", "pab"])
def test_a_page_does_not_depend_on_what_was_read_of_it_before(name, views):
    for number, page in list(enumerate(pages()))[::3]:
        try:
            document = stages.read(page, OPTIONS)
            for view in views:
                view(document)
            found = digest_of(stages.extract_page(document, create(name), OPTIONS))
        except Rejected as rejected:
            found = digest_of(rejected)
        assert found == expected(name)[number], page.url


def test_metadata_of_a_fetched_page_does_not_depend_on_the_day():
    html = "<meta property=article:published_time content='2031-05-06T10:00:00Z'><p>" + "The tide was high today. " * 20
    page = Page(url="https://a.example/x", html=html, fetched_at=datetime(2031, 5, 6, 12, tzinfo=UTC))
    later, naive, earlier = (
        replace(page, fetched_at=day) for day in (datetime(2040, 1, 1, tzinfo=UTC), datetime(2031, 5, 7), FETCHED)
    )
    for known in (page, later, naive):
        assert stages.extract_page(known, create("eniw")).published == datetime(2031, 5, 6, 10, tzinfo=UTC)
    assert stages.extract_page(earlier, create("eniw")).published is None


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", ["learned", "line_block", "lbda"])
def test_many_threads_give_what_one_gives(name):
    web = ManyPages(n_articles=5_000)
    given = [Page(url=url, body=web.respond(url).body, fetched_at=FETCHED) for url in web.urls()]
    given = [*given[:4_900], *(pages() * 3)[:100]]
    alone = {}
    for page in given:
        alone.setdefault(page.url, digest(page, name))
    assert in_threads(name, given, 8) == [alone[page.url] for page in given]


if __name__ == "__main__":
    main()
