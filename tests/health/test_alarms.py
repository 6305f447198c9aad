"""Each alarm on both sides of its threshold; what a person is told to do."""

import pytest

from tests.health.histories import HOUR, NOW, run, usual
from webmain.health.alarms import Kind, SiteHistory, advice
from webmain.ledger.hosts import Host


def kinds(runs, hosts=(), now=NOW):
    return [str(alarm.kind) for alarm in SiteHistory("a.example", runs, hosts, now).alarms]


def host(**values):
    return Host(host="www.a.example", site="a.example", **values)


SHORT = {"new": 6, "chars_median": 90.0, "short": 6}
REGULAR = usual(until_h=4.5)
CASES = {
    "all well": (usual(), []),
    "first run": (usual(1), []),
    "no articles": (usual(3, new=0), ["no_articles"]),
    "known ones": (usual(3, new=0, known=7), []),
    "two runs without": (usual(2, new=0), []),
    "layout changed": ([*REGULAR[:-1], run(1, new=3, layout_changed=1)], ["layout_changed"]),
    "layout changed long ago": ([run(40, layout_changed=1, new=3), *usual()], []),
    "errors": ([*usual(until_h=2), run(1, new=3, failed={"timeout": 9})], ["errors"]),
    "few errors": ([*usual(until_h=2), run(1, new=3, failed={"timeout": 3})], []),
    "as many errors as ever": (usual(failed={"timeout": 9}), []),
    "all short": ([*usual(until_h=2), run(1, **SHORT)], ["articles_short"]),
    "always short": (usual(200, **SHORT), []),
    "short from the first": (usual(2, **SHORT), ["articles_short"]),
    "two short ones": ([*usual(until_h=2), run(1, new=2, chars_median=90.0, short=2)], []),
    "forbidden": (usual(4, new=0, failed={"robots": 20}), ["robots_forbid"]),
    "all forbidden": ([*usual(until_h=2), run(1, outcome="forbidden", failed={"robots": 1})], ["robots_forbid"]),
    "refused": ([*usual(until_h=2), run(1, new=1, rejected={"blocked": 20})], ["blocked"]),
    "a page refused": ([*usual(until_h=2), run(1, new=1, rejected={"blocked": 3})], []),
    "unreachable": ([*usual(until_h=4), *(run(h, outcome="unreachable") for h in (3, 2, 1))], ["unreachable"]),
    "unreachable once": ([*usual(until_h=2), run(1, outcome="unreachable")], []),
    "late": (REGULAR, ["no_run"]),
    "not so late": (usual(until_h=2.4), []),
    "daily, a day late": (usual(until_h=47, every_h=24), []),
    "daily, two days late": (usual(until_h=70, every_h=24), ["no_run"]),
    "by hand": ([run(h, new=1) for h in (900, 800, 790, 400, 399, 390, 100)], []),
    "store failed": ([*usual(until_h=2), run(1, outcome="store_error", new=1)], ["run_failed"]),
    "killed once": ([*usual(until_h=2), run(1, outcome=None, new=1)], []),
    "cut": ([*usual(until_h=4), *(run(h, outcome=o, new=1) for h, o in ((3, "shutdown"), (2, None), (1, None)))],
            ["runs_cut"]),
    "clock": ([*usual(until_h=2), run(1, took_s=9000, seconds=60, new=1)], ["clock_jumped"]),
    "future": ([*usual(), run(-30, new=1)], ["clock_jumped"]),
    "late, with a run in the future": ([*REGULAR, run(-9000, new=1)], ["no_run", "clock_jumped"]),
    "late, and the last one ended in the future": (
        [*REGULAR[:-1], run(4.5, took_s=9e6, seconds=60, new=3)], ["no_run", "clock_jumped"]),
    "cut, with a run in the future": (
        [*usual(until_h=4), *(run(h, outcome="shutdown") for h in (3, 2, 1)), run(-9000)],
        ["runs_cut", "clock_jumped"]),
    "only in the future": ([run(-30, new=1)], ["clock_jumped"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_alarm(case):
    runs, expected = CASES[case]
    assert kinds(runs) == expected


def test_run_that_goes_on_says_nothing_of_the_site():
    runs = [*usual(until_h=1), run(0.01, outcome=None, failed={"timeout": 90})]
    assert kinds(runs) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"robots_changed_at": NOW - HOUR}, ["robots_changed"]),
        ({"robots_changed_at": NOW - 20 * HOUR}, []),
        ({"robots_changed_at": NOW + 20 * HOUR}, []),
        ({"robots_failing_since": NOW - 30 * HOUR}, ["robots_changed"]),
        ({"robots_failing_since": NOW - HOUR}, []),
        ({"blocked_at": NOW - HOUR, "refusal": "cloudflare"}, ["blocked"]),
        ({"n_refusals": 2, "wait_until": NOW + 60, "refused_at": NOW}, []),
    ],
)
def test_hosts(values, expected):
    assert kinds(usual(), [host(**values)]) == expected


@pytest.mark.parametrize(("other", "expected"), [("a.example", []), ("blog.a.example", ["robots_changed"])])
def test_a_guessed_host_without_robots_is_no_alarm(other, expected):
    hosts = [host(robots_failing_since=NOW - 30 * HOUR), Host(host=other, site="a.example", robots=b"")]
    assert kinds(usual(), hosts) == expected


def test_block_is_told_and_not_its_effects():
    runs = [*usual(600, until_h=73, new=30), *(run(h, outcome="finished", new=0) for h in range(72, 0, -1))]
    assert kinds(runs) == ["yield_dropped"]
    assert kinds(runs, [host(blocked_at=NOW - 72 * HOUR)]) == ["blocked"]


@pytest.mark.parametrize(
    ("hours_ago", "message"),
    [
        (3, "www.a.example has refused nearly everything (403) for 3 h"),
        (0.001, "www.a.example refuses nearly everything (403)"),
        (-9000, "www.a.example refuses nearly everything (403)"),
    ],
)
def test_block_is_told_with_how_long_it_lasts(hours_ago, message):
    blocked = host(blocked_at=NOW - hours_ago * HOUR, refusal="403")
    (alarm,) = SiteHistory("a.example", usual(), [blocked], NOW).alarms
    assert alarm.message == message


def test_every_kind_has_its_advice():
    assert set(advice()) == set(Kind)
