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

from webmain.discovery.ledger import (
    _MIGRATIONS,
    _SCHEMA_1,
    APPLICATION_ID,
    ASK_AGAIN_S,
    LIST,
    Added,
    Counts,
    Done,
    Found,
    Ledger,
    LedgerError,
    Pending,
    State,
)
from webmain.items import Hints

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
    with Ledger(tmp_path / "new" / "ledger.sqlite", clock=clock, max_attempts=3) as opened:
        yield opened


def found(*urls: str) -> list[Found]:
    return [Found(url=url) for url in urls]


def test_new_addresses_are_pending_and_known_ones_counted(ledger):
    assert ledger.add_pending(found(A, B, A), site=SITE) == Added(new=2, known=1)
    assert ledger.add_pending(found(B, C), site=SITE) == Added(new=1, known=1)
    assert ledger.state(A) is State.PENDING
    assert not ledger.is_known(A)
    assert ledger.state("https://other.example/") is None
    assert ledger.counts(SITE) == Counts(pending=3)
    assert ledger.counts("other.example") == Counts()


def test_pending_is_newest_first_with_undated_last(ledger):
    entries = [
        Found(url=A),
        Found(url=B, hints=Hints(source="feed", published="2023-05-01")),
        Found(url=C, hints=Hints(source="feed", published="Wed, 17 May 2023 10:00:00 GMT")),
        Found(url=f"https://{SITE}/2023/05/10/d"),
    ]
    ledger.add_pending(entries, site=SITE)
    assert [each.url[-1] for each in ledger.pending(SITE, 10)] == ["c", "d", "b", "a"]
    assert [each.url for each in ledger.pending(SITE, 1)] == [C]


def test_hints_make_the_round_trip(ledger):
    hints = Hints(
        source="news-sitemap", title="ข่าว", authors=("Ann", "Bo"), tags=("x",), content_html="<p>é</p>", language="th"
    )
    ledger.add_pending([Found(url=A, hints=hints)], site=SITE)
    assert ledger.pending(SITE, 5) == [Pending(url=A, hints=hints, attempts=0)]


def test_richer_hints_replace_poorer_ones_and_not_the_other_way(ledger):
    rich = Hints(source="feed", title="A long title", published="2023-05-01")
    ledger.add_pending(found(A), site=SITE)
    ledger.add_pending([Found(url=A, hints=rich)], site=SITE)
    ledger.add_pending([Found(url=A, hints=Hints(source="sitemap"))], site=SITE)
    assert ledger.pending(SITE, 1)[0].hints == rich


def test_done_addresses_are_known_and_no_longer_pending(ledger):
    ledger.add_pending(found(A, B, C), site=SITE)
    ledger.mark_done([Done(url=A, article_id="1"), Done(url=B, reason="not_article")])
    assert ledger.is_known(A)
    assert ledger.is_known(B)
    assert [each.url for each in ledger.pending(SITE, 9)] == [C]
    assert ledger.counts() == Counts(pending=1, articles=1, rejected=1)
    assert ledger.reasons(SITE) == {"not_article": 1}
    assert ledger.add_pending(found(A, B), site=SITE) == Added(new=0, known=2)
    assert ledger.unknown([A, C, B, "https://x.example/"]) == [C, "https://x.example/"]


def test_an_address_that_was_never_pending_can_be_done(ledger):
    ledger.mark_done([Done(url=A, article_id="1")], site=SITE)
    assert ledger.counts(SITE) == Counts(articles=1)


def test_canonical_form_is_settled_with_its_alias_and_counted_once(ledger):
    amp = A + "/amp"
    ledger.add_pending(found(amp, A), site=SITE)
    ledger.mark_done([Done(url=amp, article_id="1", canonical=A)])
    assert ledger.is_known(amp)
    assert ledger.is_known(A)
    assert ledger.canonical(amp) == A
    assert ledger.counts(SITE) == Counts(articles=1)
    assert ledger.add_pending(found(amp, A), site=SITE) == Added(new=0, known=2)
    assert ledger.unknown([amp, A]) == []


@pytest.mark.parametrize("root", [f"https://{SITE}/", f"https://{SITE}"])
def test_front_page_is_not_believed_as_canonical(ledger, root):
    ledger.mark_done([Done(url=A, article_id="1", canonical=root)], site=SITE)
    assert ledger.is_known(A)
    assert not ledger.is_known(root)


def test_alias_of_a_pending_article_is_not_yet_known(ledger):
    ledger.add_pending(found(A), site=SITE)
    ledger.add_alias(A + "?utm_source=x", A)
    assert ledger.state(A + "?utm_source=x") is State.PENDING
    assert ledger.add_pending(found(A + "?utm_source=x"), site=SITE) == Added(new=0, known=1)


def test_chains_and_circles_of_aliases_end(ledger):
    ledger.add_alias(A, B)
    ledger.add_alias(B, C)
    assert ledger.canonical(A) == ledger.canonical(B) == C
    ledger.add_alias(C, A)
    assert len({ledger.canonical(url) for url in (A, B, C)}) == 1
    ledger.add_alias(A, A)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=12))
def test_one_look_up_always_reaches_the_end_of_the_aliases(pairs):
    with Ledger(":memory:") as ledger:
        for one, other in pairs:
            ledger.add_alias(one, other)
        for url in "abcdef":
            assert ledger.canonical(ledger.canonical(url)) == ledger.canonical(url)


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


def test_failures_wait_longer_each_time_and_end(ledger, clock):
    ledger.add_pending(found(A), site=SITE)
    assert ledger.mark_failed(A, "http_error") is State.PENDING
    assert ledger.pending(SITE, 1) == []
    clock.now += 15 * 60
    assert ledger.pending(SITE, 1)[0].attempts == 1
    ledger.mark_failed(A, "http_error")
    clock.now += 29 * 60
    assert ledger.pending(SITE, 1) == []
    clock.now += 60
    assert ledger.pending(SITE, 1)[0].attempts == 2
    assert ledger.mark_failed(A, "blocked") is State.GAVE_UP
    assert ledger.is_known(A)
    assert ledger.counts(SITE) == Counts(gave_up=1)
    assert ledger.reasons() == {"blocked": 1}


def test_the_servers_own_delay_is_kept(ledger, clock):
    ledger.add_pending(found(A), site=SITE)
    ledger.mark_failed(A, "blocked", retry_after_s=120)
    clock.now += 119
    assert ledger.pending(SITE, 1) == []
    clock.now += 1
    assert len(ledger.pending(SITE, 1)) == 1


def test_a_late_failure_does_not_undo_what_is_done(ledger):
    ledger.mark_done([Done(url=A, article_id="1")], site=SITE)
    assert ledger.mark_failed(A, "http_error") is State.DONE
    assert ledger.counts() == Counts(articles=1)


def test_a_changed_article_can_be_reopened(ledger):
    ledger.mark_done([Done(url=A, article_id="1")], site=SITE)
    assert ledger.reopen(A)
    assert not ledger.reopen(A)
    assert not ledger.reopen(B)
    assert [each.url for each in ledger.pending(SITE, 1)] == [A]
    ledger.mark_done([Done(url=A, reason="duplicate")])
    assert ledger.counts() == Counts(articles=1)


def test_what_was_written_is_there_after_reopening(tmp_path):
    path = tmp_path / "l.sqlite"
    with Ledger(path) as ledger:
        ledger.add_pending(found(A, B), site=SITE)
        ledger.mark_done([Done(url=A, article_id="1")])
    with Ledger(path) as ledger:
        assert ledger.counts() == Counts(pending=1, articles=1)


def test_many_addresses_at_once(ledger):
    urls = [f"https://{SITE}/{n}" for n in range(2_500)]
    assert ledger.add_pending(iter(found(*urls)), site=SITE) == Added(new=2_500, known=0)
    ledger.mark_done(Done(url=url, article_id="1") for url in urls[:1_500])
    assert ledger.unknown(urls) == urls[1_500:]


def test_a_batch_is_all_or_nothing(ledger):
    def broken():
        yield Done(url=A, article_id="1")
        raise RuntimeError("the caller failed")

    with pytest.raises(RuntimeError, match="the caller"):
        ledger.mark_done(broken())
    assert ledger.state(A) is None
    ledger.mark_done([Done(url=B, article_id="1")])


# ---- Files that are something else


def test_a_text_file_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    with pytest.raises(LedgerError, match=r"notes\.txt"):
        Ledger(path)
    assert path.read_text().startswith("not a database")


def test_another_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "articles.sqlite"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE articles (id)")
    db.commit()
    db.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="no ledger"):
        Ledger(path)
    assert path.read_bytes() == before


def test_a_newer_ledger_is_refused(tmp_path):
    path = tmp_path / "l.sqlite"
    Ledger(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(LedgerError, match="version 99"):
        Ledger(path)


def test_a_folder_in_the_files_place_is_refused(tmp_path):
    with pytest.raises(LedgerError, match="opened"):
        Ledger(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerError, match="opened"):
        Ledger(tmp_path / "file" / "l.sqlite")


def test_a_locked_file_is_told_after_the_timeout(tmp_path):
    path = tmp_path / "l.sqlite"
    with Ledger(path, busy_timeout_s=0.1) as ledger:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="locked"):
            ledger.add_pending(found(A), site=SITE)
        other.execute("ROLLBACK")
        other.close()
        assert ledger.add_pending(found(A), site=SITE).new == 1


def test_broken_hints_in_the_file_are_no_hints(tmp_path):
    path = tmp_path / "l.sqlite"
    with Ledger(path) as ledger:
        ledger.add_pending([Found(url=A, hints=Hints(source="feed"))], site=SITE)
        db = sqlite3.connect(path)
        db.execute("UPDATE urls SET hints = '{\"title'")
        db.commit()
        db.close()
        assert ledger.pending(SITE, 1)[0].hints is None


# ---- Several processes, and their deaths


def _add(path: Path, start: int, n: int) -> None:
    with Ledger(path) as ledger:
        for number in range(start, start + n):
            ledger.add_pending(found(f"https://{SITE}/{number}"), site=SITE)
            ledger.mark_done([Done(url=f"https://{SITE}/{number}", article_id="x")])


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
from webmain.discovery.ledger import Done, Found, Ledger
with Ledger(sys.argv[1]) as ledger:
    n = 0
    while True:
        urls = [f"https://news.example/{n}/{k}" for k in range(5)]
        ledger.add_pending([Found(url=url) for url in urls], site="news.example")
        ledger.mark_done([Done(url=url, article_id="x") for url in urls])
        print(n, flush=True)
        n += 1
"""


def test_kill_9_loses_nothing_that_a_call_has_written(tmp_path):
    path = tmp_path / "l.sqlite"
    n_done = 0
    for _ in range(3):
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
    assert n_done >= 750


# ---- What only a filter refused


def test_what_was_too_old_stays_so_for_later_dates_only(ledger):
    ledger.mark_done([Done(url=A, reason="too_old", since=1000.0)], site="example.org")
    assert ledger.reopen_filtered("example.org", since=1000.0) == 0
    assert ledger.reopen_filtered("example.org", since=1001.0, language="en") == 0
    assert ledger.is_known(A)
    assert ledger.reopen_filtered("example.org", since=999.0) == 1
    assert ledger.state(A) is State.PENDING


def test_another_language_stays_so_for_the_same_one_only(ledger):
    ledger.mark_done([Done(url=A, reason="other_language", language="en")], site="example.org")
    assert ledger.reopen_filtered("example.org", language="en", since=1.0) == 0
    assert ledger.reopen_filtered("example.org", language="th") == 1
    assert not ledger.is_known(A)


def test_without_a_filter_everything_is_reopened_that_a_filter_refused_and_nothing_else(ledger):
    ledger.mark_done([Done(url=A, reason="other_language", language="en")], site="example.org")
    ledger.mark_done([Done(url=B, reason="not_article")], site="example.org")
    ledger.mark_done(
        [Done(url=A + "/s", article_id="1"), Done(url=A + "/o", reason="too_old", since=1.0)], site="x.org"
    )
    assert ledger.reopen_filtered("example.org") == 1
    assert ledger.is_known(B)
    assert ledger.is_known(A + "/o")  # another site
    assert ledger.reopen_filtered("x.org") == 1
    assert ledger.is_known(A + "/s")


def test_a_refusal_under_an_unknown_filter_is_looked_at_again_once(ledger):
    ledger.mark_done([Done(url=A, reason="too_old"), Done(url=B, reason="other_language")], site="example.org")
    assert ledger.reopen_filtered("example.org", since=5.0, language="en") == 2
    ledger.mark_done([Done(url=A, reason="too_old", since=5.0)], site="example.org")
    assert ledger.reopen_filtered("example.org", since=5.0, language="en") == 0


def test_a_ledger_of_the_first_version_is_brought_up_to_date(tmp_path):
    db = sqlite3.connect(tmp_path / "old.ledger")
    db.executescript(_SCHEMA_1 + f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1;")
    db.execute(
        "INSERT INTO urls (url, site, state, newest, added_at, changed_at, reason) VALUES (?, 's', 1, 0, 0, 0, 'too_old')",
        (A,),
    )
    db.commit()
    db.close()
    with Ledger(tmp_path / "old.ledger") as ledger:
        assert ledger.is_known(A)
        assert ledger.reopen_filtered("s", since=9.0) == 1


def test_user_names_and_passwords_are_not_kept(tmp_path):
    secret, plain = "https://me:hunter2@news.example/a", "https://news.example/a"
    path = tmp_path / "x.ledger"
    with Ledger(path) as ledger:
        ledger.add_pending([Found(url=secret)], site=SITE)
        ledger.mark_failed(secret, "timeout", site=SITE)
        ledger.add_alias(secret.replace("/a", "/b"), secret)
        ledger.mark_done([Done(url=secret, article_id="1", canonical="https://me:hunter2@news.example/c")])
        assert ledger.unknown([secret, plain, secret + "2"]) == [secret + "2"]
        assert ledger.state(secret) is ledger.state(plain) is State.DONE
    assert b"hunter2" not in path.read_bytes()


BAD = [
    "'{'",
    "'[]'",
    "7",
    "x'ff00'",
    "'{\"title\": 5}'",
    '\'{"authors": "Jane"}\'',
    "'{\"tags\": [1]}'",
    "'{\"published\": {}}'",
]


@pytest.mark.parametrize("hints", [*BAD, "'" + "[" * 50_000 + "'"])
def test_damaged_hints_are_no_hints_and_are_told(tmp_path, hints, caplog):
    with Ledger(tmp_path / "x") as ledger:
        ledger.add_pending([Found(url=A, hints=Hints(source="feed", title="T")), Found(url=B)], site=SITE)
        ledger._db.execute(f"UPDATE urls SET hints = {hints} WHERE url = ?", (A,))
        assert {each.url: each.hints for each in ledger.pending(SITE, 9)} == {A: None, B: None}
        assert f"1 damaged rows count as not known: {A}" in caplog.text


@pytest.mark.parametrize("column", ["state", "newest", "added_at", "changed_at", "attempts", "retry_after"])
@pytest.mark.parametrize("value", ["'x'", "x'ff'", "-9", "1e300", "99"])
def test_a_damaged_row_counts_as_not_known_and_stops_nothing(tmp_path, column, value):
    with Ledger(tmp_path / "x") as ledger:
        ledger.add_pending([Found(url=A, hints=Hints(source="feed", published="no date"))], site=SITE)
        ledger._db.execute(f"UPDATE urls SET {column} = {value}")
        assert ledger.unknown([A]) == [A]
        assert ledger.state(A) in (None, State.PENDING)
        if column != "state":
            assert [each.url for each in ledger.pending(SITE, 9)] == [A]
        ledger.counts(), ledger.reasons()
        ledger.add_pending([Found(url=A)], site=SITE)
        ledger.mark_failed(A, "timeout", site=SITE)
        ledger.mark_done([Done(url=A, article_id="1")])
        assert ledger.state(A) is State.DONE


def test_what_gave_no_article_is_asked_again_after_a_month_where_it_is_found_again(ledger, clock):
    ledger.mark_done([Done(url=A, reason="not_article"), Done(url=B, reason="duplicate")], site=SITE)
    ledger.mark_done([Done(url=C, article_id="1")], site=SITE)
    clock.now += ASK_AGAIN_S - 1
    assert ledger.unknown([A, B, C]) == []
    clock.now += 2
    assert ledger.unknown([A, B, C]) == [A]
    assert not ledger.is_known(A)
    assert ledger.pending(SITE, 9) == []  # where nothing leads there any more it is left alone
    ledger.mark_done([Done(url=A, reason="not_article")], site=SITE)
    assert ledger.is_known(A)


def test_an_alias_of_what_gave_no_article_is_asked_again_too(ledger, clock):
    ledger.mark_done([Done(url=A, reason="not_article", canonical=B)], site=SITE)
    assert ledger.unknown([A]) == []
    clock.now += ASK_AGAIN_S + 1
    assert ledger.unknown([A]) == [A]


def test_what_failed_too_often_is_tried_once_more_each_month(ledger, clock):
    for _ in range(3):
        ledger.mark_failed(A, "http_error", site=SITE)
    assert ledger.unknown([A]) == []
    clock.now += ASK_AGAIN_S + 1
    assert ledger.unknown([A]) == [A]
    assert ledger.mark_failed(A, "http_error", site=SITE) is State.GAVE_UP
    assert ledger.unknown([A]) == []


def test_a_failure_of_what_is_asked_again_counts(ledger, clock):
    ledger.mark_done([Done(url=A, reason="not_article")], site=SITE)
    assert ledger.mark_failed(A, "http_error") is State.DONE
    clock.now += ASK_AGAIN_S + 1
    assert ledger.mark_failed(A, "http_error") is State.PENDING


def test_lists_are_remembered_by_site_and_stored_articles_told(ledger):
    ledger.mark_done([Done(url=A, reason=LIST), Done(url=B, reason="not_article")], site=SITE)
    ledger.mark_done([Done(url=C, article_id="1")], site="other.example")
    assert ledger.lists(SITE) == [A]
    assert ledger.lists("other.example") == []
    assert ledger.stored([A, B, C]) == {C}
    ledger.mark_done([Done(url=A, article_id="2")], site=SITE)
    assert ledger.lists(SITE) == []


def test_what_is_missing_is_remembered_for_a_month(ledger, clock):
    ledger.note_missing("https://me:secret@news.example/feed/")
    assert ledger.missing([A, "https://news.example/feed/"]) == {"https://news.example/feed/"}
    clock.now += ASK_AGAIN_S + 1
    assert ledger.missing(["https://news.example/feed/"]) == set()
    assert ledger.missing([]) == set()


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_ledger_gets_a_place_for_what_is_missing(tmp_path, version):
    path = tmp_path / "old.ledger"
    db = sqlite3.connect(path)
    db.executescript("".join(step.rstrip().rstrip(";") + ";" for step in _MIGRATIONS[:version]))
    db.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version};")
    db.close()
    with Ledger(path) as ledger:
        ledger.note_missing(A)
        assert ledger.missing([A, B]) == {A}


def test_a_full_disk_is_told_with_what_to_do(tmp_path):
    with Ledger(tmp_path / "x") as ledger:
        (pages,) = ledger._db.execute("PRAGMA page_count").fetchone()
        ledger._db.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(LedgerError, match="no space is left on the disk; free some and start again"):
            ledger.add_pending([Found(url=f"https://{SITE}/{'x' * 900}{n}") for n in range(100)], site=SITE)
