"""Which pages wait, when a site is learned, and when its layout has changed: the decisions, without a crawl."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

from webmain import extraction as stages
from webmain.crawl import learning as crawl_learning
from webmain.extractors.base import Learned, NothingLearned, SiteExtractor
from webmain.extractors.line_block import LineBlock
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Hints, Page
from webmain.sites import learning as rooms
from webmain.sites.fitting import Documents, Event
from webmain.sites.held_pages import HeldPagesError, Spool
from webmain.sites.learning import Learning, page_resemblance
from webmain.sites.model_store import ModelStore, site_of

DEFAULT = LineBlock()


class Toy(SiteExtractor):
    """Finds out how many pages say "new": a page resembles those learned from where it says the same."""

    name = "toy"
    version = 1
    learned = None

    def __init__(self, min_pages=3, learned=None, look=None):
        self.min_pages = min_pages
        self.learned = learned
        self.look = look

    def segment(self, document):
        return default_blocks(document)

    def judge(self, segmentation):
        return DEFAULT.judge(segmentation)

    def fit(self, documents):
        texts = sorted({d.html for d in documents})
        if any("nothing" in t for t in texts):
            raise NothingLearned("nothing is to be seen")
        if any("fault" in t for t in texts):
            raise RuntimeError("a fault")
        look = "new" if sum("new" in t for t in texts) * 2 > len(texts) else "old"
        learned = Learned(n_pages=len(texts), columns=(), weights={"look": look}, quality=None, resemblance=0.8)
        return Toy(self.min_pages, learned, look)

    def restored(self, learned):
        return Toy(self.min_pages, learned, learned.weights["look"])

    def resemblance(self, document):
        return 0.9 if self.look in document.html else 0.1


def document(n, look="old", site="a.example", *, day=None, text=None):
    page = Page(
        url=f"https://{site}/{n}",
        html=f"<p>This is the {look} page number {n if text is None else text} of the site.</p>",
        fetched_at=day and datetime(2026, 11, day, tzinfo=UTC),
    )
    return Document(page, html=page.html)


def fitted_toy():
    return Toy().fit([document(n) for n in range(3)])


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def told():
    return []


@pytest.fixture
def make(tmp_path, told):
    spools = []

    def make(extractor=None, **options):
        spools.append(Spool(tmp_path / "models" / ".held"))
        return Learning(
            extractor or Toy(),
            models=ModelStore(tmp_path / "models"),
            spool=spools[-1],
            default=DEFAULT,
            report=lambda event, site, detail: told.append((event, site)),
            **options,
        )

    yield make
    for spool in spools:
        spool.close()


def take(learning, document):
    """Do what a crawl does with a page that comes."""
    return learning.add_page(document.page, page_resemblance(document, learning.model(site_of(document))))


def learn(learning, site="a.example"):
    """Do what a crawl does with a site that is ready; return what is released."""
    if learning_task := learning.learning_task(site):
        learning.apply_result(site, learning_task.run(stages.read))
    out = []
    while (page := learning.release(site)) is not None:
        judge = learning.extractor_after(page_resemblance(stages.read(page), learning.model(site)))
        out.append((int(page.url.rpartition("/")[2]), judge))
    return out


def numbers(released):
    return [n for n, _ in released]


# ---- Waiting


def test_pages_wait_until_there_are_as_many_as_are_wanted(make, told):
    learning = make()
    assert [take(learning, document(n)) for n in range(2)] == [None, None]
    assert learning.ready() is None
    assert take(learning, document(2)) is None
    assert learning.ready() == "a.example"
    assert learning.ready() is None
    released = learn(learning)
    assert numbers(released) == [0, 1, 2]
    assert {e.learned.n_pages for _, e in released} == {3}
    assert told == [(Event.LEARNED, "a.example")]
    after = take(learning, document(3))
    assert after is released[0][1]
    assert learning.n_held == 0


def test_pages_that_come_while_the_site_is_learned_wait_and_are_released_with_the_others(make):
    learning = make()
    for n in range(3):
        take(learning, document(n))
    learning_task = learning.learning_task("a.example")
    assert learning.learning_task("a.example") is None  # nobody else begins
    assert learning.release("a.example") is None
    assert take(learning, document(3)) is None
    assert learning.waiting() == []
    learning.apply_result("a.example", learning_task.run(stages.read))
    assert numbers(learn(learning)) == [0, 1, 2, 3]


def test_sites_are_learned_apart(make, told):
    learning = make()
    for n in range(2):
        take(learning, document(n, site="a.example"))
        take(learning, document(n, site="www.b.example"))
    take(learning, document(2, site="b.example"))
    assert learning.ready() == "b.example"
    assert learning.ready() is None
    assert numbers(learn(learning, "b.example")) == [0, 1, 2]
    assert learning.waiting() == ["a.example"]


def test_a_page_of_no_site_or_without_text_never_waits(make, told):
    learning = make()
    blank = Document(Page(url="https://a.example/"), html="<html><body></body></html>")
    assert take(learning, blank) is DEFAULT
    assert [take(learning, Document(Page(), html="<p>Text</p>")) for _ in range(2)] == [DEFAULT, DEFAULT]
    assert told == [(Event.NOT_LEARNABLE, "")]
    assert learning.n_held == 0


def test_pages_wait_no_longer_than_they_may(make):
    clock = Clock()
    learning = make(hold_s=60, clock=clock)
    take(learning, document(0))
    clock.now = 30
    take(learning, document(0, site="b.example"))
    clock.now = 59.9
    assert learning.overdue() == []
    clock.now = 60
    assert learning.overdue() == ["a.example"]
    assert numbers(learn(learning)) == [0]
    clock.now = 90
    assert learning.overdue() == ["b.example"]


def test_without_a_limit_pages_wait_for_ever(make):
    clock = Clock()
    learning = make(hold_s=0, clock=clock)
    take(learning, document(0))
    clock.now = 1e9
    assert learning.overdue() == []


def test_beyond_the_bound_the_site_not_seen_for_longest_goes_on(make):
    learning = make(pages=10, max_held=3)
    for site in ("a", "b", "c", "a"):
        assert learning.ready() is None
        take(learning, document(1, site=f"{site}.example"))
    assert learning.ready() == "b.example"
    assert numbers(learn(learning, "b.example")) == [1]
    assert learning.n_held == 3


def test_sites_beyond_the_bound_are_forgotten_and_read_from_the_shelf_again(make, told, monkeypatch):
    monkeypatch.setattr(rooms, "MAX_SITES", 2)
    learning = make(pages=1)
    for n, site in enumerate(["a.example", "b.example", "c.example", "d.example"]):
        take(learning, document(n, site=site))
        learn(learning, learning.ready())
    assert take(learning, document(9)) is not None
    assert told[-1] == (Event.REUSED, "a.example")


# ---- What cannot be learned


def test_nothing_learned_means_the_default_method_told_once(make, told):
    learning = make()
    for n in range(3):
        take(learning, document(n, "nothing"))
    assert learn(learning) == [(0, DEFAULT), (1, DEFAULT), (2, DEFAULT)]
    assert [take(learning, document(n)) for n in range(3, 9)] == [DEFAULT] * 6
    assert told == [(Event.NOT_LEARNABLE, "a.example")]


def test_a_method_that_judges_unlearned_does_so_itself(make):
    class Able(Toy):
        judges_unlearned = True

    able = Able()
    learning = make(able)
    for n in range(3):
        take(learning, document(n, "nothing"))
    assert learn(learning) == [(0, able), (1, able), (2, able)]


def test_a_fault_of_the_method_costs_no_page(make, told, caplog):
    learning = make()
    for n in range(3):
        take(learning, document(n, "fault"))
    assert learn(learning) == [(0, DEFAULT), (1, DEFAULT), (2, DEFAULT)]
    assert told == [(Event.FAILED, "a.example")]
    assert "RuntimeError" in caplog.text


def test_a_shelf_that_cannot_be_written_costs_the_model_alone(make, told, tmp_path):
    learning = make()
    for n in range(3):
        take(learning, document(n))
    (tmp_path / "models" / "a.example.toy.json").mkdir()
    released = learn(learning)
    assert [e.learned.n_pages for _, e in released] == [3, 3, 3]
    assert (Event.FAILED, "a.example") in told


def test_a_spool_that_cannot_be_written_makes_nothing_wait(tmp_path, told):
    (tmp_path / "file").write_text("")
    learning = Learning(
        Toy(),
        models=ModelStore(tmp_path),
        spool=Spool(tmp_path / "file"),
        default=DEFAULT,
        report=lambda *t: told.append(t[0]),
    )
    assert take(learning, document(0)) is DEFAULT
    assert told == [Event.FAILED]


@pytest.mark.parametrize(("min_pages", "pages", "n", "event"), [
    (3, 9, 3, Event.LEARNED),
    (3, 2, 2, Event.LEARNED),
])  # fmt: skip
def test_from_fewer_pages_than_the_method_wants_nothing_is_learned(make, told, min_pages, pages, n, event):
    learning = make(Toy(min_pages), pages=pages)
    for i in range(n):
        take(learning, document(i))
    assert numbers(learn(learning)) == list(range(n))
    assert told == [(event, "a.example")]


# ---- Later crawls


def learned_before(make, n=3, look="old"):
    first = make(Toy(n))
    for i in range(n):
        take(first, document(i, look))
    learn(first)


def test_a_model_of_enough_pages_is_used_at_once(make, told):
    learned_before(make)
    told.clear()
    later = make()
    assert take(later, document(7)).learned.n_pages == 3
    assert told == [(Event.REUSED, "a.example")]


@pytest.mark.parametrize(("n", "event", "pages"), [(1, Event.REUSED, 2), (2, Event.REUSED, 2), (3, Event.RETRAINED, 3)])
def test_with_no_more_pages_than_before_the_model_is_kept(make, told, n, event, pages):
    learned_before(make, n=2)
    told.clear()
    later = make(pages=9)
    for i in range(n):
        take(later, document(i))
    assert {e.learned.n_pages for _, e in learn(later)} == {pages}
    assert told == [(event, "a.example")]


def test_a_model_of_fewer_pages_judges_where_no_more_is_learned(make, told):
    learned_before(make, n=2)
    later = make()
    for n in range(3):
        take(later, document(n, "nothing old"))
    assert {e.learned.n_pages for _, e in learn(later)} == {2}


def test_a_model_of_fewer_pages_and_another_layout_is_not_used(make, told, tmp_path):
    learned_before(make, n=2)
    told.clear()
    later = make(pages=9)
    for n in range(5):
        take(later, document(n, "new"))
    assert {e.look for _, e in learn(later)} == {"new"}
    assert [event for event, _ in told] == [Event.LAYOUT_CHANGED, Event.RETRAINED]


def test_a_model_that_cannot_be_used_is_told_and_learned_anew(make, told, tmp_path):
    learned_before(make)
    told.clear()
    path = tmp_path / "models" / "a.example.toy.json"
    path.write_bytes(path.read_bytes()[:-5])
    later = make()
    for n in range(3):
        assert take(later, document(n)) is None
    learn(later)
    assert [event for event, _ in told] == [Event.UNUSABLE, Event.RETRAINED]
    assert path.with_name(path.name + ".damaged").exists()


# ---- Layouts that change


def takes(learning, looks):
    """Take pages of these looks; return "." for each that goes on at once and "w" for each that waits."""
    return "".join(
        "w" if take(learning, document(n, {"o": "old", "n": "new"}[look])) is None else "."
        for n, look in enumerate(looks)
    )


@pytest.mark.parametrize(
    ("looks", "waits", "has_changed"),
    [
        ("ooooooooooo", "...........", False),
        ("nnnnn", "wwwww", True),
        ("oooooooooonnnnnn", "..........wwwwww", False),  # the mean falls slowly
        ("oooooooooonnnnnnn", "..........wwwwwww", True),
        ("onononononononon", ".w.w.w.w.w.w.w.w", False),  # galleries in between
    ],
)
def test_a_layout_has_changed_where_the_mean_falls_by_half(make, told, looks, waits, has_changed):
    learned_before(make)
    told.clear()
    assert takes(make(pages=3), looks) == waits
    assert ((Event.LAYOUT_CHANGED, "a.example") in told) is has_changed


def test_a_strange_page_is_judged_by_the_default_method_once_the_next_looks_as_before(make):
    learned_before(make)
    later = make()
    assert takes(later, "on") == ".w"
    assert later.ready() is None
    assert takes(later, "o") == "."
    assert later.ready() == "a.example"
    assert learn(later) == [(1, DEFAULT)]


def test_strange_pages_among_those_learned_from_are_judged_by_the_default_method(make):
    learning = make(Toy(5))
    takes(learning, "oonoo")
    assert [(n, e is DEFAULT) for n, e in learn(learning)] == [(n, n == 2) for n in range(5)]


def test_a_method_that_cannot_compare_costs_no_page(make, told, caplog):
    class Blind(Toy):
        def resemblance(self, document):
            raise ZeroDivisionError("a fault")

        def restored(self, learned):
            return Blind(self.min_pages, learned, learned.weights["look"])

    learned_before(make)
    told.clear()
    later = make(Blind())
    assert takes(later, "onon") == "...."
    assert told.count((Event.FAILED, "a.example")) == 1


def test_after_a_change_the_site_is_learned_from_the_strange_pages(make, told, tmp_path):
    learned_before(make)
    told.clear()
    later = make()
    takes(later, "nnnnn")
    path = tmp_path / "models" / "a.example.toy.json"
    assert not path.exists()
    assert path.with_name(path.name + ".previous").exists()
    assert later.ready() == "a.example"
    released = learn(later)
    assert {e.look for _, e in released} == {"new"}
    assert numbers(released) == [0, 1, 2, 3, 4]
    assert path.exists()
    assert not path.with_name(path.name + ".previous").exists()
    assert [event for event, _ in told] == [Event.REUSED, Event.LAYOUT_CHANGED, Event.RETRAINED]


def test_a_site_is_learned_anew_once_in_a_crawl(make, told):
    learned_before(make)
    later = make()
    takes(later, "nnnnn")
    learn(later)
    assert takes(later, "ooooooooooooo") == "............."
    assert take(later, document(1, "old")) is DEFAULT
    assert take(later, document(1, "new")).look == "new"


def test_a_crawl_that_is_killed_after_a_change_begins_anew(make, told):
    learned_before(make)
    takes(make(), "nnnnn")
    told.clear()
    later = make()
    assert takes(later, "nnn") == "www"
    assert {e.look for _, e in learn(later)} == {"new"}


# ---- The same pages again


def read_all(learning, documents):
    """Do what a crawl of one site does; return by what each page was judged: a look, or "default"."""
    judged = {}

    def release():
        for n, extractor in learn(learning):
            judged[n] = getattr(extractor, "look", "default")

    for each in documents:
        n = int(each.url.rpartition("/")[2])
        extractor = take(learning, each)
        if extractor is not None:
            judged[n] = getattr(extractor, "look", "default")
        while learning.ready():
            release()
    release()
    return judged


def models(tmp_path):
    return [replace(model) for model in ModelStore(tmp_path / "models").models().models]


def test_duplicates_among_the_pages_do_not_make_a_model_too_small_for_ever(make, told, tmp_path):
    pages = 3
    documents = [document(n, text=n // 2) for n in range(pages)]
    read_all(make(pages=pages), documents)
    (model,) = models(tmp_path)
    assert (model.n_pages, model.pages_given) == ((pages + 1) // 2, pages)
    told.clear()
    later = make(pages=pages)
    assert take(later, document(0)).look == "old"
    assert told == [(Event.REUSED, "a.example")]
    assert models(tmp_path) == [model]


@pytest.mark.parametrize("looks", ["ooooooooonnnnnn", "onononononononn", "ooonn"])
def test_an_archive_of_two_layouts_gives_the_same_in_every_crawl(make, told, tmp_path, looks):
    documents = [document(n, {"o": "old", "n": "new"}[look], day=21) for n, look in enumerate(looks)]
    first = read_all(make(), documents)
    kept = models(tmp_path)
    assert len(first) == len(looks)
    assert [event for event, _ in told] == [Event.LEARNED]
    for _ in range(2):
        told.clear()
        assert read_all(make(), documents) == first
        assert told == [(Event.REUSED, "a.example")]
        assert models(tmp_path) == kept


@pytest.mark.parametrize(("day", "has_changed"), [(21, False), (22, True), (None, True)])
def test_only_pages_newer_than_the_model_tell_of_a_change(make, told, day, has_changed):
    read_all(make(), [document(n, day=21) for n in range(3)])
    later = make()
    waits = [take(later, document(n, "new", day=day)) is None for n in range(6)]
    assert waits == [has_changed] * 6
    assert ((Event.LAYOUT_CHANGED, "a.example") in told) is has_changed


@pytest.mark.parametrize(("day", "has_changed"), [(21, False), (22, True)])
def test_a_small_model_is_unlike_newer_pages_only(make, told, day, has_changed):
    read_all(make(pages=9), [document(n, day=21) for n in range(6)])
    told.clear()
    read_all(make(pages=9), [document(n, "new", day=day) for n in range(6)])
    assert ((Event.LAYOUT_CHANGED, "a.example") in told) is has_changed


def test_a_model_of_a_new_layout_is_kept_until_newer_pages_come(make, told, tmp_path):
    first = [document(n, day=20) for n in range(9)]
    second = [document(n, "new", day=21) for n in range(9, 15)]
    read_all(make(pages=9), first)
    read_all(make(pages=9), second)
    (model,) = models(tmp_path)
    assert (model.pages_given, model.after_change) == (6, True)
    told.clear()
    judged = read_all(make(pages=9), first + second)
    assert judged == {n: "default" if n < 9 else "new" for n in range(15)}
    assert models(tmp_path) == [model]
    assert (Event.RETRAINED, "a.example") not in told
    read_all(make(pages=9), [document(n, "new", day=22) for n in range(20, 29)])
    assert models(tmp_path)[0].pages_given == 9


@pytest.mark.parametrize(("resemblance", "is_told"), [(0.19, True), (0.2, False), (0.8, False)])
def test_a_site_whose_pages_do_not_resemble_each_other_is_told_not_to_be_watched(make, told, resemblance, is_told):
    class Loose(Toy):
        def fit(self, documents):
            fitted = super().fit(documents)
            return Loose(self.min_pages, replace(fitted.learned, resemblance=resemblance), fitted.look)

        def restored(self, learned):
            return Loose(self.min_pages, learned, learned.weights["look"])

    event = (Event.UNWATCHED, "a.example")
    read_all(make(Loose()), [document(n) for n in range(3)])
    assert told.count(event) == is_told
    told.clear()
    waits = takes(make(Loose()), "nnnnnnn")
    assert told.count(event) == is_told
    assert (waits, (Event.LAYOUT_CHANGED, "a.example") in told) == (
        ("wwwwwww", True) if resemblance == 0.8 else (".......", False)
    )


# ---- Pages that waited


def test_documents_are_read_when_asked_for():
    documents = Documents([document(n).page for n in range(3)], stages.read)
    assert len(documents) == 3
    assert [d.url[-1] for d in documents] == ["0", "1", "2"]
    assert documents[-1].url == documents[2].url
    assert [d.url[-1] for d in documents[1:]] == ["1", "2"]
    assert documents[0] is not documents[0]
    with pytest.raises(IndexError):
        documents[3]


def test_what_is_known_of_a_page_is_not_lost_while_it_waits(make):
    page = Page(
        url="https://a.example/1",
        body="<p>ข่าว old</p>".encode("cp874"),
        hints=Hints(source="feed", title="T"),
        parts=(Page(url="https://a.example/1?p=2", html="<p>more</p>"),),
        article_reason="why",
        headers={"content-type": "text/html"},
        status=203,
    )
    learning = make(pages=1)
    take(learning, stages.read(page))
    learning.apply_result("a.example", learning.learning_task("a.example").run(stages.read))
    assert learning.release("a.example") == page


def test_a_full_disk_is_told_once(make, told, monkeypatch):
    learning = make()

    def full(*_):
        raise HeldPagesError("no space left on the device")

    monkeypatch.setattr(learning.spool, "put", full)
    assert [take(learning, document(n)) for n in range(9)] == [DEFAULT] * 9
    assert told == [(Event.FAILED, "a.example")]


# ---- In Scrapy's room


@pytest.mark.parametrize(
    ("given", "hold_s"),
    [
        ({}, 300.0),
        ({"CLOSESPIDER_TIMEOUT": 3600, "CLOSESPIDER_TIMEOUT_NO_ITEM": 90}, 45.0),
        ({"WEBMAIN_LEARN_HOLD_S": 0, "CLOSESPIDER_TIMEOUT": 100}, 50.0),
    ],
)
def test_pages_do_not_wait_until_a_limit_ends_the_crawl(given, hold_s):
    settings = Settings({"WEBMAIN_LEARN_HOLD_S": 300.0, **given})
    assert crawl_learning._hold_s(settings) == hold_s


def crawler_of(settings=None, **attributes):
    known = Settings()
    known.setmodule("webmain.settings")
    known.update(settings or {})
    crawler = Crawler(Spider, known)
    crawler.spider = Spider("s", **attributes)
    return crawler


@pytest.mark.parametrize(("extractor", "is_there"), [(Toy(), True), (DEFAULT, False), (fitted_toy(), False)])
def test_only_extractors_that_learn_and_have_not_learned_make_pages_wait(tmp_path, extractor, is_there):
    crawler = crawler_of(extractor=extractor)
    if is_there:
        assert crawl_learning.SiteLearning.from_crawler(crawler)
    else:
        with pytest.raises(NotConfigured):
            crawl_learning.SiteLearning.from_crawler(crawler)


@pytest.mark.parametrize(
    ("max_articles", "setting", "min_pages", "wanted"),
    [(None, None, 3, 20), (7, None, 3, 7), (2, None, 3, 3), (None, None, 25, 25), (7, 9, 3, 9)],
)
def test_no_more_pages_are_waited_for_than_articles_are_asked_for(max_articles, setting, min_pages, wanted):
    crawler = crawler_of({"WEBMAIN_LEARN_PAGES": setting}, extractor=Toy(min_pages), max_articles=max_articles)
    assert crawl_learning.SiteLearning.from_crawler(crawler)._learning.wanted == wanted


@pytest.mark.parametrize(
    ("setting", "argument", "is_there"), [("0", None, False), (True, False, False), (False, True, True)]
)
def test_learning_is_switched_off_by_a_setting_or_for_one_crawl(setting, argument, is_there):
    crawler = crawler_of({"WEBMAIN_LEARN": setting}, extractor=Toy(), learn=argument)
    if is_there:
        assert crawl_learning.SiteLearning.from_crawler(crawler)
    else:
        with pytest.raises(NotConfigured):
            crawl_learning.SiteLearning.from_crawler(crawler)
