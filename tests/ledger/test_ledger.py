import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.items import Hints
from webmain.ledger.file import LedgerFile
from webmain.ledger.ledger import (
    ASK_AGAIN_S,
    LIST,
    MAX_ATTEMPTS,
    Counts,
    DoneUrl,
    FoundUrl,
    Ledger,
    LedgerError,
    State,
)

SITE = "news.example"
A, B, C = (f"https://{SITE}/{name}" for name in "abc")


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    with Ledger(tmp_path / "new" / "ledger.sqlite", clock=clock) as opened:
        yield opened


def found(*urls: str) -> list[FoundUrl]:
    return [FoundUrl(url=url) for url in urls]


def test_new_addresses_are_pending_and_known_ones_stay_so(ledger):
    ledger.add_pending(found(A, B, A), site=SITE)
    ledger.add_pending(found(B, C), site=SITE)
    assert ledger.state(A) is State.PENDING
    assert not ledger.is_known(A)
    assert ledger.state("https://other.example/") is None
    assert ledger.counts(SITE) == Counts(pending=3)
    assert ledger.counts("other.example") == Counts()


def test_pending_is_newest_first_with_undated_last(ledger):
    entries = [
        FoundUrl(url=A),
        FoundUrl(url=B, hints=Hints(source="feed", published="2023-05-01")),
        FoundUrl(url=C, hints=Hints(source="feed", published="Wed, 17 May 2023 10:00:00 GMT")),
        FoundUrl(url=f"https://{SITE}/2023/05/10/d"),
    ]
    ledger.add_pending(entries, site=SITE)
    assert [each.url[-1] for each in ledger.pending(SITE, 10)] == ["c", "d", "b", "a"]
    assert [each.url for each in ledger.pending(SITE, 1)] == [C]


def test_hints_make_the_round_trip(ledger):
    hints = Hints(
        source="news-sitemap", title="ข่าว", authors=("Ann", "Bo"), tags=("x",), content_html="<p>é</p>", language="th"
    )
    ledger.add_pending([FoundUrl(url=A, hints=hints)], site=SITE)
    assert ledger.pending(SITE, 5) == [FoundUrl(url=A, hints=hints)]


def test_richer_hints_replace_poorer_ones_and_not_the_other_way(ledger):
    rich = Hints(source="feed", title="A long title", published="2023-05-01")
    ledger.add_pending(found(A), site=SITE)
    ledger.add_pending([FoundUrl(url=A, hints=rich)], site=SITE)
    ledger.add_pending([FoundUrl(url=A, hints=Hints(source="sitemap"))], site=SITE)
    assert ledger.pending(SITE, 1)[0].hints == rich


def test_done_addresses_are_known_and_no_longer_pending(ledger):
    ledger.add_pending(found(A, C), site=SITE)
    ledger.mark_done([DoneUrl(url=A, article_id="1"), DoneUrl(url=B, reason="not_article")], site=SITE)
    ledger.add_pending(found(A, B), site=SITE)
    assert ledger.is_known(A)
    assert ledger.is_known(B)
    assert [each.url for each in ledger.pending(SITE, 9)] == [C]
    assert ledger.counts(SITE) == Counts(pending=1, articles=1, rejected=1)
    assert ledger.unknown([A, C, B, "https://x.example/"]) == [C, "https://x.example/"]


def test_canonical_form_is_settled_with_its_alias_and_counted_once(ledger):
    amp = A + "/amp"
    ledger.add_pending(found(amp, A), site=SITE)
    ledger.mark_done([DoneUrl(url=amp, article_id="1", canonical=A)])
    assert ledger.is_known(amp)
    assert ledger.is_known(A)
    ledger.add_pending(found(amp, A), site=SITE)
    assert ledger.counts(SITE) == Counts(articles=1)
    assert ledger.unknown([amp, A]) == []


@pytest.mark.parametrize("root", [f"https://{SITE}/", f"https://{SITE}"])
def test_front_page_is_not_believed_as_canonical(ledger, root):
    ledger.mark_done([DoneUrl(url=A, article_id="1", canonical=root)], site=SITE)
    assert ledger.is_known(A)
    assert not ledger.is_known(root)


def test_alias_of_a_pending_article_is_not_yet_known(ledger):
    ledger.add_pending(found(A), site=SITE)
    ledger.add_alias(A + "?utm_source=x", A)
    assert ledger.state(A + "?utm_source=x") is State.PENDING
    ledger.add_pending(found(A + "?utm_source=x"), site=SITE)
    assert ledger.counts() == Counts(pending=1)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=12))
def test_one_look_up_always_reaches_the_end_of_the_aliases(pairs):
    with Ledger(":memory:") as ledger:
        for one, other in pairs:
            ledger.add_alias(one, other)
        canonical = dict(ledger.db.execute("SELECT url, canonical FROM aliases"))
        assert not canonical.keys() & set(canonical.values())


@pytest.mark.parametrize("reason", ["too_slow", "internal_error"])
def test_after_three_faults_a_page_is_left_alone_for_a_month(tmp_path, clock, reason):
    with Ledger(tmp_path / "ledger", clock=clock) as ledger:
        ledger.add_pending(found(A), site=SITE)
        for _ in range(2):
            assert ledger.mark_failed(A, reason) is State.PENDING
            clock.now += 3600
            assert len(ledger.pending(SITE, 1)) == 1
        for _ in range(2):
            assert ledger.mark_failed(A, reason) is State.GAVE_UP
            clock.now += 29 * 24 * 3600
            assert ledger.unknown([A]) == []
            clock.now += 2 * 24 * 3600
            assert ledger.unknown([A]) == [A]


def test_failures_wait_longer_each_time_or_as_the_server_asks_and_end(ledger, clock):
    ledger.add_pending(found(A), site=SITE)
    waits = [(None, 15 * 60), (None, 30 * 60), (120, 120)]
    for asked_s, wait_s in waits:
        assert ledger.mark_failed(A, "http_error", retry_after_s=asked_s) is State.PENDING
        clock.now += wait_s - 1
        assert ledger.pending(SITE, 1) == []
        clock.now += 1
        assert ledger.pending(SITE, 1) == found(A)
    assert len(waits) + 1 == MAX_ATTEMPTS
    assert ledger.mark_failed(A, "blocked") is State.GAVE_UP
    assert ledger.is_known(A)
    assert ledger.counts(SITE) == Counts(gave_up=1)
    clock.now += ASK_AGAIN_S + 1
    assert ledger.unknown([A]) == [A]
    assert ledger.mark_failed(A, "http_error", site=SITE) is State.GAVE_UP
    assert ledger.unknown([A]) == []


def test_failure_with_the_clock_far_ahead_makes_no_address_wait_for_long(ledger, clock):
    clock.now += 300 * 24 * 3600
    ledger.mark_failed(A, "http_error", site=SITE)
    clock.now -= 300 * 24 * 3600
    assert [each.url for each in ledger.pending(SITE, 1)] == [A]


def test_a_changed_article_can_be_reopened(ledger):
    ledger.mark_done([DoneUrl(url=A, article_id="1")], site=SITE)
    assert ledger.reopen(A)
    assert not ledger.reopen(A)
    assert not ledger.reopen(B)
    assert [each.url for each in ledger.pending(SITE, 1)] == [A]
    ledger.mark_done([DoneUrl(url=A, reason="duplicate")])
    assert ledger.counts() == Counts(articles=1)


def test_many_addresses_at_once_are_there_after_reopening(tmp_path):
    urls = [f"https://{SITE}/{n}" for n in range(2_500)]
    with Ledger(tmp_path / "l") as ledger:
        ledger.add_pending(iter(found(*urls)), site=SITE)
        ledger.mark_done(DoneUrl(url=url, article_id="1") for url in urls[:1_500])
    with Ledger(tmp_path / "l") as ledger:
        assert ledger.unknown(urls) == urls[1_500:]


def test_a_batch_is_all_or_nothing(ledger):
    def broken():
        yield DoneUrl(url=A, article_id="1")
        raise RuntimeError("the caller failed")

    with pytest.raises(RuntimeError, match="the caller"):
        ledger.mark_done(broken())
    assert ledger.state(A) is None
    ledger.mark_done([DoneUrl(url=B, article_id="1")])


# ---- Files that are something else


def test_a_text_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    with pytest.raises(LedgerError, match=r"notes\.txt"):
        Ledger(path)
    assert path.read_text().startswith("not a database")


@pytest.mark.parametrize(
    ("statement", "message"),
    [("CREATE TABLE articles (id)", "not a ledger"), ("PRAGMA user_version = 99", "version 99")],
)
def test_other_databases_and_newer_ledgers_are_refused_and_left_alone(tmp_path, statement, message):
    path = tmp_path / "l.sqlite"
    db = sqlite3.connect(path)
    db.execute(statement)
    if "version" in statement:
        db.execute(f"PRAGMA application_id = {LedgerFile.application_id}")
    db.commit()
    db.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=message):
        Ledger(path)
    assert path.read_bytes() == before
    with pytest.raises(LedgerError, match="opened"):
        Ledger(tmp_path)  # a folder
    with pytest.raises(LedgerError, match="opened"):
        Ledger(path / "l.sqlite")


def test_a_locked_file_is_told_after_the_timeout(tmp_path):
    path = tmp_path / "l.sqlite"
    with Ledger(path, wait_s=0.1) as ledger:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="locked"):
            ledger.add_pending(found(A), site=SITE)
        other.execute("ROLLBACK")
        other.close()
        ledger.add_pending(found(A), site=SITE)
        assert ledger.counts() == Counts(pending=1)


# ---- Several processes, and their deaths


def _add(path: Path, start: int, n: int) -> None:
    with Ledger(path) as ledger:
        for number in range(start, start + n):
            ledger.add_pending(found(f"https://{SITE}/{number}"), site=SITE)
            ledger.mark_done([DoneUrl(url=f"https://{SITE}/{number}", article_id="x")])


def test_two_processes_share_a_new_file(tmp_path):
    path = tmp_path / "l.sqlite"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_add, args=(path, start, 150)) for start in (0, 100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    with Ledger(path) as ledger:
        assert ledger.counts() == Counts(articles=250)


_WRITER = """
import sys
from webmain.ledger.ledger import DoneUrl, FoundUrl, Ledger
with Ledger(sys.argv[1]) as ledger:
    n = 0
    while True:
        urls = [f"https://news.example/{n}/{k}" for k in range(5)]
        ledger.add_pending([FoundUrl(url=url) for url in urls], site="news.example")
        ledger.mark_done([DoneUrl(url=url, article_id="x") for url in urls])
        print(n, flush=True)
        n += 1
"""


def test_kill_9_loses_nothing_that_a_call_has_written(tmp_path):
    path = tmp_path / "l.sqlite"
    n_done = 0
    for _ in range(2):
        path.unlink(missing_ok=True)
        for leftover in tmp_path.glob("l.sqlite-*"):
            leftover.unlink()
        writer = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(_WRITER), str(path)],
            stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert writer.stdout is not None
        written = [int(writer.stdout.readline()) for _ in range(50)]
        time.sleep(0.01)
        os.kill(writer.pid, signal.SIGKILL)
        written += [int(line) for line in writer.stdout.read().splitlines() if line]
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
        with Ledger(path) as ledger:
            assert all(ledger.is_known(f"https://news.example/{n}/{k}") for n in written for k in range(5))
            counts = ledger.counts()
            assert counts.articles % 5 == 0
            assert counts.pending in (0, 5)
            n_done += counts.articles
        db = sqlite3.connect(path)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        db.close()
    assert n_done >= 500


# ---- What only a filter refused


@pytest.mark.parametrize(
    ("refused", "asked", "n_reopened"),
    [
        ({"reason": "too_old", "limit": 1000.0}, {"since": 1000.0}, 0),
        ({"reason": "too_old", "limit": 1000.0}, {"since": 1001.0, "language": "en"}, 0),
        ({"reason": "too_old", "limit": 1000.0}, {"since": 999.0}, 1),
        ({"reason": "too_old", "limit": 1000.0}, {}, 1),
        ({"reason": "too_old"}, {"since": 5.0}, 1),
        ({"reason": "other_language", "limit": "en"}, {"language": "en", "since": 1.0}, 0),
        ({"reason": "other_language", "limit": "en"}, {"language": "th"}, 1),
        ({"reason": "other_language", "limit": "en"}, {}, 1),
        ({"reason": "other_language"}, {"language": "en"}, 1),
        ({"reason": "too_new", "limit": 1000.0}, {"until": 1000.0}, 0),
        ({"reason": "too_new", "limit": 1000.0}, {"until": 999.0, "since": 1.0}, 0),
        ({"reason": "too_new", "limit": 1000.0}, {"until": 1001.0}, 1),
        ({"reason": "too_new", "limit": 1000.0}, {}, 1),
        ({"reason": "undated"}, {"undated": "reject"}, 0),
        ({"reason": "undated"}, {"undated": "keep"}, 1),
        ({"reason": "undated"}, {}, 1),
        ({"reason": "other_section", "limit": "sport"}, {"section": "sport"}, 0),
        ({"reason": "other_section", "limit": "sport"}, {"section": "city", "language": "sport"}, 1),
        ({"reason": "other_section", "limit": "sport"}, {}, 1),
        ({"reason": "not_article"}, {}, 0),
        ({"article_id": "1"}, {}, 0),
    ],
)
def test_what_a_filter_refused_stays_so_for_filters_that_surely_refuse_it(ledger, refused, asked, n_reopened):
    ledger.mark_done([DoneUrl(url=A, **refused)], site="example.org")
    assert ledger.reopen_filtered("x.org", **asked) == 0
    assert ledger.reopen_filtered("example.org", **asked) == n_reopened
    assert ledger.is_known(A) is (n_reopened == 0)


def test_user_names_and_passwords_are_not_kept(tmp_path):
    secret, plain = "https://me:hunter2@news.example/a", "https://news.example/a"
    path = tmp_path / "x.ledger"
    with Ledger(path) as ledger:
        ledger.add_pending([FoundUrl(url=secret)], site=SITE)
        ledger.mark_failed(secret, "timeout", site=SITE)
        ledger.add_alias(secret.replace("/a", "/b"), secret)
        ledger.mark_done([DoneUrl(url=secret, article_id="1", canonical="https://me:hunter2@news.example/c")])
        assert ledger.unknown([secret, plain, secret + "2"]) == [secret + "2"]
        assert ledger.state(secret) is ledger.state(plain) is State.DONE
    assert b"hunter2" not in path.read_bytes()


BAD = ["'{'", "'[]'", "x'ff00'", "'{\"title\": 5}'", "'{\"tags\": [1]}'"]


@pytest.mark.parametrize("hints", [*BAD, "'" + "[" * 50_000 + "'"])
def test_damaged_hints_are_no_hints_and_are_told(tmp_path, hints, caplog):
    with Ledger(tmp_path / "x") as ledger:
        ledger.add_pending([FoundUrl(url=A, hints=Hints(source="feed", title="T")), FoundUrl(url=B)], site=SITE)
        ledger.db.execute(f"UPDATE urls SET hints = {hints} WHERE url = ?", (A,))
        assert {each.url: each.hints for each in ledger.pending(SITE, 9)} == {A: None, B: None}
        assert f"1 damaged rows count as not known: {A}" in caplog.text


@pytest.mark.parametrize("column", ["state", "newest", "added_at", "changed_at", "attempts", "retry_after"])
@pytest.mark.parametrize("value", ["'x'", "x'ff'", "-9", "1e300", "99"])
def test_a_damaged_row_counts_as_not_known_and_stops_nothing(tmp_path, column, value):
    with Ledger(tmp_path / "x") as ledger:
        ledger.add_pending([FoundUrl(url=A, hints=Hints(source="feed", published="no date"))], site=SITE)
        ledger.db.execute(f"UPDATE urls SET {column} = {value}")
        assert ledger.unknown([A]) == [A]
        assert ledger.state(A) in (None, State.PENDING)
        if column != "state":
            assert [each.url for each in ledger.pending(SITE, 9)] == [A]
        ledger.counts()
        ledger.add_pending([FoundUrl(url=A)], site=SITE)
        ledger.mark_failed(A, "timeout", site=SITE)
        ledger.mark_done([DoneUrl(url=A, article_id="1")])
        assert ledger.state(A) is State.DONE


def test_what_gave_no_article_is_asked_again_after_a_month_where_it_is_found_again(ledger, clock):
    alias = A + "/amp"
    ledger.mark_done(
        [DoneUrl(url=alias, reason="not_article", canonical=A), DoneUrl(url=B, reason="duplicate")], site=SITE
    )
    ledger.mark_done([DoneUrl(url=C, article_id="1")], site=SITE)
    clock.now += ASK_AGAIN_S - 1
    assert ledger.unknown([A, alias, B, C]) == []
    clock.now += 2
    assert ledger.unknown([A, alias, B, C]) == [A, alias]
    assert ledger.pending(SITE, 9) == []  # where nothing leads there any more it is left alone
    ledger.mark_done([DoneUrl(url=A, reason="not_article")], site=SITE)
    assert ledger.is_known(A)


def test_a_failure_of_what_is_asked_again_counts(ledger, clock):
    ledger.mark_done([DoneUrl(url=A, reason="not_article")], site=SITE)
    assert ledger.mark_failed(A, "http_error") is State.DONE
    clock.now += ASK_AGAIN_S + 1
    assert ledger.mark_failed(A, "http_error") is State.PENDING
    ledger.mark_done([DoneUrl(url=A, article_id="1")])
    clock.now += ASK_AGAIN_S + 1
    assert ledger.mark_failed(A, "http_error") is State.DONE


def test_lists_are_remembered_by_site_and_stored_articles_told(ledger):
    ledger.mark_done([DoneUrl(url=A, reason=LIST), DoneUrl(url=B, reason="not_article")], site=SITE)
    ledger.mark_done([DoneUrl(url=C, article_id="1")], site="other.example")
    assert ledger.lists(SITE) == [A]
    assert ledger.lists("other.example") == []
    assert ledger.stored([A, B, C]) == {C}
    ledger.mark_done([DoneUrl(url=A, article_id="2")], site=SITE)
    assert ledger.lists(SITE) == []


def test_what_is_missing_is_remembered_for_a_month(ledger, clock):
    ledger.record_missing("https://me:secret@news.example/feed/")
    assert ledger.missing([A, "https://news.example/feed/"]) == {"https://news.example/feed/"}
    clock.now += ASK_AGAIN_S + 1
    assert ledger.missing(["https://news.example/feed/"]) == set()
    assert ledger.missing([]) == set()


@pytest.mark.parametrize("version", range(1, len(LedgerFile.migrations)))
def test_an_older_ledger_is_brought_up_to_date(tmp_path, version):
    path = tmp_path / "old.ledger"
    db = sqlite3.connect(path)
    db.executescript("".join(script.read_text() for script in LedgerFile.migrations[:version]))
    db.executescript(f"PRAGMA application_id = {LedgerFile.application_id}; PRAGMA user_version = {version};")
    db.execute(
        "INSERT INTO urls (url, site, state, newest, added_at, changed_at, reason) VALUES (?, 's', 1, 0, 0, 0, 'too_old')",
        (A,),
    )
    db.commit()
    db.close()
    with Ledger(path) as ledger:
        assert ledger.is_known(A)
        assert ledger.reopen_filtered("s", since=9.0) == 1
        ledger.record_missing(A)
        assert ledger.missing([A, B]) == {A}


def test_a_full_disk_is_told_with_what_to_do(tmp_path):
    with Ledger(tmp_path / "x") as ledger:
        (pages,) = ledger.db.execute("PRAGMA page_count").fetchone()
        ledger.db.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(LedgerError, match="no space is left on the disk; free some and start again"):
            ledger.add_pending([FoundUrl(url=f"https://{SITE}/{'x' * 900}{n}") for n in range(100)], site=SITE)
