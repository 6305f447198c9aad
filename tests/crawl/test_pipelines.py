import asyncio
import contextlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.exceptions import CloseSpider, DropItem
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from tests.crawl.fakes import Stats
from webmain import extract, extract_site
from webmain.article.filters import check_age, check_language, check_section
from webmain.crawl.options import arguments
from webmain.crawl.signals import articles_stored, crawl_closing, page_rejected
from webmain.files import StoreFullError
from webmain.html.document import Document
from webmain.items import Article, Page, Reason, Rejected, article_id
from webmain.pipelines import Cloud, Compose, Duplicates, Extract, InWorkers, Merge, Read, Segment, Store
from webmain.store.review import read_review
from webmain.text.normal import fingerprint

TEXT = "The council decided that the old bridge will be closed until the spring, and nobody was surprised by it. "
HTML = f"<html><title>The bridge</title><body><article><p>{TEXT * 3}</p><p>{TEXT.upper()}</p></article></body></html>"


class FakeCrawler:
    def __init__(self, tmp_path, spider=None, **settings):
        values = {
            "WEBMAIN_STORE": f"jsonl:{tmp_path}/a.jsonl",
            "WEBMAIN_EXTRACTOR": "line_block",
            "WEBMAIN_MAX_BYTES": 100_000,
            "WEBMAIN_PAGE_TIMEOUT_S": 10,
            "WEBMAIN_TOP_WORDS": 50,
        }
        self.settings = Settings({**values, **settings})
        self.stats = Stats()
        self.signals = SignalManager(self)
        self.spider = spider or SimpleNamespace(name="test")
        self.engine = SimpleNamespace(spider=None, running=True, _slot=None)
        self.pipelines = {}
        self.heard = []

    def get_item_pipeline(self, kind):
        return self.pipelines.get(kind)

    def get_extension(self, kind):
        return None

    def get_spider_middleware(self, kind):
        return None

    def hear(self, signal):
        def receiver(**values):
            self.heard.append((signal, {k: v for k, v in values.items() if k not in ("signal", "sender")}))

        self.signals.connect(receiver, signal, weak=False)
        return self.heard


@pytest.fixture
def crawler(tmp_path):
    return FakeCrawler(tmp_path)


def article(n=0, **values):
    url = f"https://news.example/{n}"
    return Article(
        **{"id": f"{n:016x}", "url": url, "text": f"{TEXT} Number {n}. " * 3, "fingerprint": f"{n:032x}", **values}
    )


def opened(crawler, clock=lambda: 0.0):
    """Open a store, whose clock tests move themselves."""
    store = Store(crawler, clock=clock)
    crawler.pipelines[Store] = store
    asyncio.run(store.open_spider())
    return store


# ---- The steps


def test_a_page_walks_to_an_article(crawler):
    crawler.pipelines[Cloud] = Cloud(crawler)
    page = item = Page(url="https://news.example/bridge", html=HTML)
    for step in (Read, Segment, Extract, Merge, Compose, Cloud, Duplicates):
        item = step(crawler).process_item(item)
    at_once = asyncio.run(InWorkers(crawler).process_item(page))
    assert item == at_once == extract(HTML, url=page.url, extractor="line_block", words=True)
    assert TEXT.strip() in item.text  # type: ignore[attr-defined]
    assert item.n_words > 40  # type: ignore[attr-defined]
    assert crawler.stats["webmain/pages"] == 2


@pytest.mark.parametrize("step", [Read, Segment, Extract, Merge, Compose, Cloud, Duplicates, Store])
def test_every_step_passes_what_is_not_its_own(crawler, step):
    item = {"a": 1}
    assert step(crawler).process_item(item) is item


def test_a_rejection_is_counted_told_and_drops_the_item(crawler):
    heard = crawler.hear(page_rejected)
    with pytest.raises(DropItem, match="not_html") as dropped:
        Read(crawler).process_item(Page(url="https://www.news.example/a.pdf", body=b"%PDF-1.7 \x00\x01"))
    assert dropped.value.log_level == "DEBUG"
    assert crawler.stats["webmain/rejected/not_html"] == 1
    assert crawler.stats["webmain/site/news.example/rejected"] == 1
    [(_, told)] = heard
    assert (told["url"], told["rejected"].reason.value) == ("https://www.news.example/a.pdf", "not_html")


@pytest.mark.parametrize(("size", "passes"), [(100_000, True), (100_001, False)])
def test_the_largest_page_is_a_setting(crawler, size, passes):
    page = Page(html="<p>" + "a" * (size - 3))
    if passes:
        assert isinstance(Read(crawler).process_item(page), Document)
    else:
        with pytest.raises(DropItem, match="too_large"):
            Read(crawler).process_item(page)


def test_an_article_that_has_its_words_keeps_them(crawler):
    counted = Cloud(crawler).process_item(article())
    assert Cloud(crawler).process_item(counted) is counted


# ---- Filters


@pytest.mark.parametrize(("second", "passes"), [(0, True), (-1, False)])
def test_since_is_the_first_moment_that_passes(second, passes):
    since = datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)
    item = article(published=since.replace(second=30 + second))
    if passes:
        check_age(item, since)
        check_age(replace(item, published=None), since)
    else:
        with pytest.raises(Rejected, match="too_old"):
            check_age(item, since.replace(tzinfo=None))


@pytest.mark.parametrize(("second", "passes"), [(-1, True), (0, False)])
def test_until_is_the_first_moment_that_does_not_pass(second, passes):
    until = datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)
    item = article(published=until + timedelta(seconds=second))
    with contextlib.nullcontext() if passes else pytest.raises(Rejected, match="too_new"):
        check_age(item, None, until.replace(tzinfo=None))


@pytest.mark.parametrize(("undated", "passes"), [(None, True), ("keep", True), ("reject", False)])
def test_an_article_without_a_date_passes_unless_dates_are_required(undated, passes):
    item = article(published=None)
    with contextlib.nullcontext() if passes else pytest.raises(Rejected, match="undated"):
        check_age(item, datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC), undated)


@pytest.mark.parametrize(
    ("named", "asked", "passes"),
    [
        ("Sport", "politics, sport", True),
        ("City", "politics,sport", False),
        (None, "sport", True),
        ("City", None, True),
    ],
)
def test_an_article_of_another_section_is_refused_and_one_without_a_section_passes(named, asked, passes):
    with contextlib.nullcontext() if passes else pytest.raises(Rejected, match="other_section"):
        check_section(article(section=named), asked)


@pytest.mark.parametrize(
    ("detected", "declared", "wanted", "passes"),
    [
        ("en", None, "en", True),
        ("en", "th", "en-GB", True),
        ("th", "en", "en", False),
        ("und", "th-th", "th", True),
        ("zxx", None, "th", True),
    ],
)
def test_the_detected_language_counts_then_the_declared_one(detected, declared, wanted, passes):
    item = article(language=detected, language_declared=declared)
    if passes:
        check_language(item, wanted)
    else:
        with pytest.raises(Rejected, match="other_language"):
            check_language(item, wanted)


# ---- Identity


def composed(crawler, url, claim):
    item = Page(url=url, html=HTML.replace("<title>", f"<link rel=canonical href='{claim}'><title>"))
    for step in (Read, Segment, Extract, Merge, Compose):
        item = step(crawler).process_item(item)
    return item


def test_a_foreign_canonical_address_is_a_claim_unless_the_crawl_was_told_of_both_domains(tmp_path):
    url, claim = "https://evil.example/a", "https://news.example/a"
    assert composed(FakeCrawler(tmp_path), url, claim).id == article_id(url)
    for told in (True, False):
        spider = SimpleNamespace(name="news", is_one_site=lambda a, b, told=told: told and (a, b) == (url, claim))
        found = composed(FakeCrawler(tmp_path, spider), url, claim)
        known = (article_id(claim), claim, None) if told else (article_id(url), None, claim)
        assert (found.id, found.canonical_url, found.canonical_claim) == known


# ---- Duplicates


def test_a_copy_is_marked_with_the_first_of_its_kind(crawler):
    step = Duplicates(crawler)
    text = " ".join(f"Word{i} follows word{i + 1} in this tale." for i in range(60))
    first = step.process_item(article(1, text=text))
    same = step.process_item(article(2, text=text, fingerprint=first.fingerprint))
    near = step.process_item(article(3, text=text + " A closing remark."))
    far = step.process_item(article(4, text="Nothing here has anything to do with what was told before. " * 3))
    assert [a.duplicate_of for a in (first, same, near, far)] == [None, first.id, first.id, None]
    assert crawler.stats["webmain/near_duplicates"] == 2


FOOTER = " ".join(f"Section {n} of this site and its imprint number {n * 7}." for n in range(20))


def recurring(n, title, text=FOOTER, site="news.example"):
    return article(n, title=title, text=text, fingerprint="", url=f"https://{site}/{n}")


def test_a_text_of_three_pages_with_different_titles_is_boilerplate(crawler):
    step = Duplicates(crawler)
    first, second = (
        step.process_item(recurring(n, title)) for n, title in ((1, "Fish stocks fall"), (2, "A mayor resigns"))
    )
    assert (first.duplicate_of, second.duplicate_of) == (None, first.id)
    for n, title in ((3, "Rain in May"), (4, "Fish stocks fall"), (5, None)):
        with pytest.raises(DropItem, match=r"boilerplate: .*https://news.example/1 and https://news.example/2"):
            step.process_item(recurring(n, title, FOOTER + f" Page {n}."))
    assert crawler.stats["webmain/rejected/boilerplate"] == 3
    assert step.process_item(recurring(6, "Rain in May", TEXT * 3)).duplicate_of is None


def report(n: int) -> str:
    """A report in the same words as every day's, with its own figures."""
    return (
        f"{FOOTER} Gold opened at {41_200 + 37 * n} baht and closed at {41_350 + 41 * n}, on the {n}th at {9 + n}:30."
    )


def test_reports_in_the_same_words_with_other_figures_are_articles(crawler):
    step = Duplicates(crawler)
    stored = [step.process_item(recurring(n, f"Gold on day {n}", report(n))) for n in range(1, 9)]
    assert {each.duplicate_of for each in stored[1:]} == {stored[0].id}
    pages = [Page(url=f"https://gold.example/{n}", html=f"<title>Day {n}</title><p>{report(n)}") for n in range(1, 9)]
    assert [isinstance(each, Article) for each in extract_site(pages)] == [True] * 8
    same = [replace(page, html=f"<title>{page.url}</title><p>{report(1)}") for page in pages]
    assert [each.reason for each in extract_site(same)] == [Reason.BOILERPLATE] * 8


def test_duplicates_on_other_sites_make_no_boilerplate_of_an_article(crawler):
    step = Duplicates(crawler)
    for n, title in enumerate(("Fish stocks fall", "A mayor resigns", "Rain in May", "Snow in June")):
        site = "evil.example" if n < 2 else "news.example"
        step.process_item(recurring(n, title, site=site))


def test_boilerplate_is_told_with_what_an_earlier_run_stored(tmp_path):
    for run, pages in enumerate([[(1, "Fish stocks fall")], [(2, "A mayor resigns"), (3, "Rain in May")]]):
        crawler = FakeCrawler(tmp_path)
        store, step = opened(crawler), Duplicates(crawler)
        dropped = 0
        for n, title in pages:
            item = replace(recurring(n, title), fingerprint=fingerprint(FOOTER))
            try:
                store.process_item(step.process_item(item))
            except DropItem:
                dropped += 1
        store.close_spider()
        store.spider_closed("finished")
        assert dropped == run


def test_a_canonical_address_is_believed_of_the_first_page_that_names_it(crawler):
    step = Duplicates(crawler)
    shared = {"id": article_id("https://news.example/all"), "canonical_url": "https://news.example/all"}
    first = step.process_item(article(1, title="Fish stocks fall", text=TEXT * 3, **shared))
    words = " ".join(f"Word{i} follows word{i + 1} in this tale." for i in range(60))
    other = step.process_item(article(2, title="A mayor resigns", text=words, fingerprint="2", **shared))
    assert first.id == shared["id"]
    assert (other.id, other.canonical_url) == (article_id("https://news.example/2"), None)
    with pytest.raises(DropItem, match="duplicate"):  # the same text, under another headline
        step.process_item(article(3, title="Stocks of fish", text=TEXT * 3, **shared))
    with pytest.raises(DropItem, match="duplicate"):  # the same headline
        step.process_item(article(4, title="Fish stocks fall", text=words[:300], **shared))
    true = article(5, title="All of it", text="What is really there. " * 20, fingerprint="5", **shared)
    true = step.process_item(replace(true, url="https://news.example/all"))
    assert true.id == shared["id"]


def test_a_damaged_store_ends_the_crawl_with_its_message_and_no_traceback(crawler, monkeypatch, caplog):
    store, step = opened(crawler), Duplicates(crawler)
    heard = crawler.hear(crawl_closing)

    def damaged(*_):
        raise StoreFullError("store sqlite:a.db: the database is damaged")

    monkeypatch.setattr(step._duplicates, "find_original", damaged)
    for n in range(2):
        with pytest.raises(DropItem):
            step.process_item(article(n))
    assert [told["reason"] for _, told in heard] == ["store_error"]
    assert crawler.stats["webmain/store_error"] == "store sqlite:a.db: the database is damaged"
    assert "Traceback" not in caplog.text
    store.spider_closed("store_error")


# ---- The store


def test_articles_are_told_after_the_commit_and_not_before(crawler):
    now = [0.0]
    store = opened(crawler, clock=lambda: now[0])
    heard = crawler.hear(articles_stored)
    for n in range(49):
        store.process_item(article(n))
    assert heard == []
    assert not (crawler.stats.get("webmain/articles/new"))
    store.process_item(article(49))
    [(_, told)] = heard
    assert len(told["stored"]) == 50
    assert crawler.stats["webmain/articles/new"] == 50
    assert crawler.stats["webmain/site/news.example/articles"] == 50


def test_one_article_waits_for_a_second_at_most(crawler):
    import time

    store = opened(crawler, clock=time.monotonic)
    heard = crawler.hear(articles_stored)
    store.process_item(article())
    store._tick()
    assert heard == []
    store._clock = lambda: time.monotonic() + 1.1
    store._tick()
    assert len(heard) == 1


def test_the_articles_go_with_what_is_told_of_their_storing(crawler):
    store = opened(crawler)
    heard = crawler.hear(articles_stored)
    articles = [article(1, canonical_url="https://news.example/canonical"), article(2)]
    for each in articles:
        store.process_item(each)
    store.close_spider()
    assert heard[0][1]["articles"] == {each.id: each for each in articles}


def test_what_comes_after_the_limit_is_dropped_untold(crawler):
    crawler.spider.max_articles = 2
    store = opened(crawler)
    closing = crawler.hear(crawl_closing)
    store.process_item(article(1))
    assert closing == []
    store.process_item(article(2))
    assert closing[0][1]["reason"] == "max_articles"
    with pytest.raises(DropItem):
        store.process_item(article(3))
    assert len(closing) == 1
    store.close_spider()
    assert crawler.stats["webmain/articles/new"] == 2


def test_a_full_disk_ends_the_crawl_and_tells_nothing(crawler, caplog):
    store = opened(crawler)
    heard = crawler.hear(articles_stored)
    closing = crawler.hear(crawl_closing)
    real = store.stores

    class Full:
        database = None

        def __getattr__(self, name):
            return getattr(real, name)

        def __iter__(self):
            return iter(real)

        def commit(self):
            raise StoreFullError("store jsonl:a.jsonl: no space is left")

        def close(self):
            raise StoreFullError("store jsonl:a.jsonl: no space is left")

        def due(self, now):
            return True

    store.stores = Full()
    store.process_item(article(1))
    store.close_spider()
    store.spider_closed("store_error")
    assert [signal for signal, _ in heard] == [crawl_closing]
    assert closing[0][1]["reason"] == "store_error"
    assert crawler.stats["webmain/store_error"] == "store jsonl:a.jsonl: no space is left"
    assert caplog.text.count("no space is left") == 1
    with pytest.raises(DropItem):
        store.process_item(article(2))
    real.close()


def test_a_store_that_cannot_be_opened_ends_the_crawl(tmp_path):
    (tmp_path / "a.txt").write_text("not a store\n")
    crawler = FakeCrawler(tmp_path, WEBMAIN_STORE=f"jsonl:{tmp_path}/a.txt")
    with pytest.raises(CloseSpider):
        asyncio.run(Store(crawler).open_spider())
    assert "left as it is" in crawler.stats["webmain/store_error"]
    assert (tmp_path / "a.txt").read_text() == "not a store\n"


# ---- Articles in doubt


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def reviewed(tmp_path, *articles, **settings):
    """Run articles through a store; return its crawler."""
    crawler = FakeCrawler(tmp_path, **{"WEBMAIN_REVIEW_BELOW": 0.6, **settings})
    store = opened(crawler)
    duplicates = Duplicates(crawler)
    for each in articles:
        store.process_item(duplicates.process_item(each))
    store.close_spider()
    store.spider_closed("finished")
    crawler.places = store.places  # type: ignore[attr-defined]
    return crawler


def test_articles_below_the_threshold_are_stored_and_listed(tmp_path):
    crawler = reviewed(tmp_path, article(1, confidence=0.59), article(2, confidence=0.6), article(3, confidence=0.9))
    assert len(lines_of(tmp_path / "a.jsonl")) == 3
    assert [(e["id"], e["confidence"]) for e in lines_of(tmp_path / "a.jsonl.review")] == [(article(1).id, 0.59)]
    assert crawler.stats["webmain/review/doubtful"] == 1
    assert crawler.stats["webmain/review/listed"] == 1
    assert crawler.stats["webmain/articles/new"] == 3
    assert not (tmp_path / "a.jsonl.kept_out").exists()


def test_an_article_is_listed_before_it_is_told(tmp_path):
    crawler = FakeCrawler(tmp_path, WEBMAIN_REVIEW_BELOW=0.6)
    store = opened(crawler)
    seen = []

    def receiver(**_):
        seen.append((len(lines_of(tmp_path / "a.jsonl")), len(lines_of(tmp_path / "a.jsonl.review"))))

    crawler.signals.connect(receiver, articles_stored, weak=False)
    store.process_item(article(1, confidence=0.1))
    assert lines_of(tmp_path / "a.jsonl.review") == []
    store.close_spider()
    assert seen == [(1, 1)]
    store.spider_closed("finished")


def test_an_article_that_a_killed_crawl_stored_and_did_not_list_is_listed_by_the_next(tmp_path):
    reviewed(tmp_path, article(1, confidence=0.1), WEBMAIN_REVIEW_BELOW=0)
    crawler = reviewed(tmp_path, article(1, confidence=0.1))
    assert crawler.stats["webmain/articles/unchanged"] == 1
    assert len(lines_of(tmp_path / "a.jsonl.review")) == 1
    again = reviewed(tmp_path, article(1, confidence=0.1))
    assert (again.stats["webmain/review/doubtful"], again.stats["webmain/review/listed"]) == (1, 0)
    assert len(lines_of(tmp_path / "a.jsonl.review")) == 1


def test_a_changed_article_is_listed_again_and_taken_off_when_the_doubt_is_gone(tmp_path):
    for mark, confidence in (("1", 0.1), ("2", 0.2), ("3", 0.8), ("4", 0.9)):
        reviewed(tmp_path, article(1, fingerprint=mark * 32, text=TEXT * int(mark), confidence=confidence))
    assert [e["confidence"] for e in lines_of(tmp_path / "a.jsonl.review")] == [0.1, 0.2, 0.8]
    assert read_review(tmp_path / "a.jsonl.review") == []


def test_what_is_kept_out_is_stored_beside_and_told_as_done(tmp_path):
    crawler = FakeCrawler(tmp_path, WEBMAIN_REVIEW_BELOW=0.6, WEBMAIN_REVIEW_KEEP_OUT=True)
    store = opened(crawler)
    heard = crawler.hear(articles_stored)
    for each in (article(1, confidence=0.1), article(2, confidence=0.7), article(3)):
        store.process_item(each)
    store.close_spider()
    store.spider_closed("finished")
    assert [a["id"] for a in lines_of(tmp_path / "a.jsonl")] == [article(2).id, article(3).id]
    (kept_out,) = lines_of(tmp_path / "a.jsonl.kept_out")
    assert (kept_out["id"], kept_out["text"]) == (article(1).id, article(1).text)
    assert [e["kept_out"] for e in lines_of(tmp_path / "a.jsonl.review")] == [True]
    told = sorted(each.id for _, values in heard for each in values["stored"])
    assert told == [article(n).id for n in (1, 2, 3)]
    assert store.places == ((f"jsonl:{tmp_path}/a.jsonl", 2), (f"jsonl:{tmp_path}/a.jsonl.kept_out", 1))
    assert crawler.stats["webmain/review/kept_out"] == 1


def test_what_is_kept_out_is_the_original_of_nothing(tmp_path):
    text, settings = TEXT * 5, {"WEBMAIN_REVIEW_KEEP_OUT": True}
    unsure = article(1, text=text, fingerprint="a" * 32, confidence=0.1)
    sure = article(2, text=text, fingerprint="a" * 32, confidence=0.9)
    reviewed(tmp_path, unsure, sure, **settings)
    (stored,) = lines_of(tmp_path / "a.jsonl")
    assert (stored["id"], stored["duplicate_of"]) == (sure.id, None)


def test_an_extractor_without_confidences_is_told(tmp_path):
    crawler = reviewed(tmp_path, article(1), article(2))
    assert "line_block gives no confidence" in crawler.stats["webmain/warning/review"]
    assert crawler.stats["webmain/review/without_confidence"] == 2
    mixed = reviewed(tmp_path, article(3), article(4, confidence=0.9))
    assert "webmain/warning/review" not in mixed.stats


def test_a_list_that_cannot_be_written_tells_nothing_to_be_done(tmp_path, monkeypatch):
    crawler = FakeCrawler(tmp_path, WEBMAIN_REVIEW_BELOW=0.6)
    store = opened(crawler)
    heard = crawler.hear(articles_stored)
    closing = crawler.hear(crawl_closing)

    def full(entries):
        raise StoreFullError("review list: no space is left")

    monkeypatch.setattr(store._doubtful.list, "add", full)
    store.process_item(article(1, confidence=0.1))
    store.close_spider()
    store.spider_closed("store_error")
    assert [signal for signal, _ in heard] == [crawl_closing]
    assert closing[0][1]["reason"] == "store_error"
    assert len(lines_of(tmp_path / "a.jsonl")) == 1


def test_the_arguments_of_a_run_can_be_written_down():
    spider = SimpleNamespace(name="news", since=datetime(2026, 1, 1, tzinfo=UTC), max_pages=3, _secret=1, sites=[1])
    found = arguments(spider)
    assert found == {"name": "news", "since": spider.since, "max_pages": 3}


@given(st.lists(st.integers(0, 5), max_size=30))
def test_of_any_sequence_each_article_passes_once(ids):
    crawler = FakeCrawler("/nowhere")
    step = Duplicates(crawler)
    passed = []
    for n in ids:
        with contextlib.suppress(DropItem):
            passed.append(step.process_item(article(n)).id)
    assert passed == [article(n).id for n in dict.fromkeys(ids)]
    assert crawler.stats.get("webmain/rejected/duplicate", 0) == len(ids) - len(set(ids))
