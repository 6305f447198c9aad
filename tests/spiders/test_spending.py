import pytest

from webmain.sites.budgets import Budget, as_size, read_size, read_span
from webmain.spiders.limits import Spending, share


def test_each_budget_ends_a_site_when_it_is_reached():
    now = [100.0]
    spending = Spending(Budget(pages=2, time_s=60.0, size_bytes=5_000), clock=lambda: now[0])
    now[0] = 500.0  # the time before the first answer does not count
    spending.add_response(1_000)
    spending.n_pages = 1
    assert spending.exhausted() is None
    now[0] = 560.0
    assert spending.exhausted() == "budget of 0:01:00 spent"
    spending.add_response(4_000)
    assert spending.exhausted() == "budget of 5 kB spent"
    spending.n_pages = 2
    assert spending.exhausted() == "budget of 2 pages spent"


def test_without_bounds_nothing_is_spent_and_a_sites_own_bounds_come_before_the_common_ones():
    spending = Spending(Budget())
    spending.add_response(10**12)
    spending.n_pages = 10**6
    assert spending.exhausted() is None
    assert Budget(pages=5).or_else(Budget(pages=9, time_s=1.0)) == Budget(pages=5, time_s=1.0)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("30m", 1800), ("1.5h", 5400), ("2D", 172_800), ("1w", 604_800)]
)
def test_spans_of_time_are_read(text, seconds):
    assert read_span(text) == seconds


@pytest.mark.parametrize(("text", "n_bytes"), [("500000", 500_000), ("500kB", 500_000), ("1.5 GB", 1_500_000_000)])
def test_sizes_are_read(text, n_bytes):
    assert read_size(text) == n_bytes


@pytest.mark.parametrize("text", ["", "0s", "0", "-5MB", "an hour", "5 apples", "1e9", "9" * 40, "nan"])
def test_what_is_neither_is_refused(text):
    for read in (read_span, read_size):
        with pytest.raises(ValueError, match="allowed are"):
            read(text)


def test_sizes_are_written_for_people():
    assert [as_size(n) for n in (12, 5_000, 20_000_000, 1_500_000_000)] == ["12 bytes", "5 kB", "20 MB", "1.5 GB"]


def test_many_sites_share_what_one_may_have_alone():
    assert [share(50_000, 1_000_000, n) for n in (0, 1, 20, 200, 5_000)] == [50_000, 50_000, 50_000, 5_000, 1_000]
