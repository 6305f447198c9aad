"""Pages of one site that claim to be another's: nothing of the other is lost or replaced."""

import pytest

from webmain.items import article_id
from webmain.store.registry import open_store

PATH = "/2026/11/tide"
TRUTH = "The tide came in before noon, as the harbour master had said. "


@pytest.fixture
def forger(site):
    """A second site, on a port of its own."""
    server = type(site)()
    yield server
    server.close()


@pytest.mark.parametrize("form", ["jsonl", "sqlite"])
@pytest.mark.parametrize("forged_first", [True, False])
def test_a_forged_page_neither_replaces_nor_shuts_out_the_true_article(site, forger, crawl, form, forged_first):
    true = site.article(PATH, TRUTH * 8)
    head = f'<link rel="canonical" href="{true}"><meta property="og:url" content="{true}">'
    forged = forger.article(PATH, "Buy these pills, which the harbour master buys too. " * 8, head=head)
    urls = [forged, true] if forged_first else [true, forged]
    store = f"{form}:{crawl.folder}/a.{form}"
    for _ in range(2):  # the second time with everything known
        done = crawl(urls=" ".join(urls), store=store, settings={"CONCURRENT_REQUESTS": 1})
        assert done.code == 0
        assert "webmain/rejected/duplicate" not in done.stats
    with open_store(store, read_only=True) as found:
        assert {a.url for a in found.articles()} == {true, forged}
        article, copy = found.get(article_id(true)), found.get(article_id(forged))
        assert article.text.startswith(TRUTH.strip())
        assert copy.canonical_claim == true
        assert [r.number for r in found.revisions(article.id)] == [1]


@pytest.mark.parametrize("copied_first", [True, False])
def test_a_stolen_text_does_not_make_the_true_article_a_copy_that_is_lost(site, forger, crawl, copied_first):
    true = site.article(PATH, TRUTH * 8)
    copy = forger.article(PATH, TRUTH * 8, head=f'<link rel="canonical" href="{true}">')
    urls = [copy, true] if copied_first else [true, copy]
    settings = {"CONCURRENT_REQUESTS": 1}
    for url in urls:  # two runs: what is stored is asked
        assert crawl(urls=url, settings=settings).code == 0
    with open_store(f"jsonl:{crawl.store}", read_only=True) as found:
        marks = {a.url: a.duplicate_of for a in found.articles()}
    assert marks == {true: None, copy: None if copied_first else article_id(true)}
