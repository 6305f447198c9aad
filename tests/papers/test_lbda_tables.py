"""Tables 1 to 5 of "A Layout Based Detachment Approach ...", by hand on made-up pages."""

import numpy as np
import pytest

from webmain.evaluation.protocols import lbda_steps
from webmain.evaluation.protocols.lbda_steps import BASELINE, FIGURES, LBDA, MEMORY_PAGES, N_PARTS, run
from webmain.evaluation.records import GoldPage

HEADER = "Welcome to our paper, which is read in all the villages, and has been printed here, in our house, since 1898."
STORIES = (
    "The ferry ran aground at noon, and nobody was hurt, the captain said; the tide lifted it off again in the evening.",
    "A choir of forty sang in the empty hall, for the roof had come down in the night, and the piano could not be moved.",
    "Nine goats walked into the bank on Monday, stood in line, as the clerk reported, and left without any money at all.",
)


def page(number: int, story: str, *, site: str = "paper.example") -> GoldPage:
    html = f"<body><div class=head><p>{HEADER}</p></div><div class=story><p>{story}</p></div><div>Legal notice</div></body>"
    return GoldPage(
        id=f"{site}{number}", dataset="made", html=html, text=story, url=f"https://{site}/{number}", site=site
    )


def rows(pages: list[GoldPage]) -> dict[str, tuple]:
    """Return for each table the row of the part that has pages."""
    found = {}
    for table in run(pages, seed=1).tables:
        (row,) = [row for row in table.rows if row[1]]
        found[table.name.removeprefix("lbda_")] = row
    return found


def test_tables_by_hand():
    found = rows([page(i, story) for i, story in enumerate(STORIES)])
    n_header, n_stories = len(HEADER.split()), [len(story.split()) for story in STORIES]
    assert found["recall"][2:4] == (100.0, 100.0)  # equation 1
    baseline = 100 * sum(n_stories) / (sum(n_stories) + 3 * n_header)  # equation 2: the header is retrieved too
    assert found["precision"][2:4] == (pytest.approx(baseline), 100.0)
    assert found["accuracy"][2:4] == (pytest.approx(100 * 2 / 3), 100.0)  # the header is one of three blocks


MB = 2**20
SECONDS = {BASELINE: 0.25, LBDA: 0.75}
"""CPU time that a page takes on the clock of the tests."""


class Clock:
    """A clock that stands still but for the pages that are judged."""

    def __init__(self):
        self.now = 0.0

    def process_time(self):
        return self.now


@pytest.fixture
def judged(monkeypatch):
    """Let judging take known time and memory; gives the pages judged, by method."""
    clock, seen = Clock(), {BASELINE: [], LBDA: []}
    overlap = lbda_steps.overlap

    def judge(group, spec):
        clock.now += SECONDS[spec] * len(group)
        bulk = np.zeros(len(group) * (2 if spec == BASELINE else 1) * MB, dtype=np.uint8)
        seen[spec] += [page.id for page in group]
        assert bulk.size
        return [None] * len(group)

    def score(*given):
        clock.now += 1000  # what comes after judging is not its time
        return overlap(*given)

    monkeypatch.setattr(lbda_steps, "time", clock)
    monkeypatch.setattr(lbda_steps, "_judge", judge)
    monkeypatch.setattr(lbda_steps, "overlap", score)
    return seen


@pytest.mark.parametrize("n_sites", [1, 4])
def test_time_is_milliseconds_of_judging_for_a_page(judged, n_sites):
    pages = [page(i, STORIES[i % 3], site=f"s{i % n_sites}.example") for i in range(12)]
    time = next(table for table in run(pages, seed=1).tables if table.name == "lbda_time")
    used = [row for row in time.rows if row[1]]
    assert len(used) == n_sites
    assert [row[2:4] for row in used] == [(pytest.approx(250), pytest.approx(750))] * n_sites
    assert [row[2:4] for row in time.rows if not row[1]] == [(None, None)] * (N_PARTS - n_sites)


@pytest.mark.parametrize(("n_pages", "n_at_once"), [(3, 3), (MEMORY_PAGES, MEMORY_PAGES), (25, MEMORY_PAGES)])
def test_memory_is_the_peak_in_megabytes_over_the_first_pages_of_a_part(judged, n_pages, n_at_once):
    found = rows([page(i, STORIES[i % 3]) for i in range(n_pages)])
    assert found["memory"][2:4] == (pytest.approx(2 * n_at_once, abs=0.3), pytest.approx(n_at_once, abs=0.3))
    assert len(judged[LBDA]) == n_pages + n_at_once  # once for the figures, once for the memory


def test_there_are_five_parts_with_whole_sites_in_them():
    pages = [page(i, STORIES[i % 3], site=f"s{i // 2}.example") for i in range(10)]
    (table, *_) = run(pages, seed=0).tables
    assert [row[1] for row in table.rows] == [2] * N_PARTS


def test_the_papers_figures_stand_beside_ours():
    tables = {table.name: table for table in run([], seed=0).tables}
    assert set(tables) == {f"lbda_{name}" for name in FIGURES}
    assert [row[4:] for row in tables["lbda_recall"].rows] == [(73, 82), (75, 86), (79, 89), (83, 93), (84, 96)]
    assert [row[4:] for row in tables["lbda_precision"].rows] == [(80, 92), (76, 89), (72, 85), (69, 81), (67, 79)]
    assert [row[4:] for row in tables["lbda_accuracy"].rows] == [(25, 35), (32, 39), (30, 40), (39, 49), (40, 50)]
    assert [row[4:] for row in tables["lbda_time"].rows] == [(95, 89), (91, 85), (88, 79), (83, 72), (81, 71)]
    assert [row[4:] for row in tables["lbda_memory"].rows] == [(17, 12), (19, 12), (20, 13), (23, 15), (25, 16)]
