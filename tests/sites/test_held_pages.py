"""Pages that wait on disk come back as they were, in order, and leave nothing behind."""

import pickle
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webmain.items import Hints, Page
from webmain.sites import held_pages as spools
from webmain.sites.held_pages import HeldPages, HeldPagesError, Spool

HINTS = Hints(source="feed", title="หัวเรื่อง", authors=("A", "B"), tags=("x",), content_html="<p>" + "x" * 200_000)


def page(n, **values):
    when = datetime(2026, 11, 20, 5, n % 60, tzinfo=UTC)
    return Page(url=f"https://news.example/{n}", html=f"<p>Page {n}: ข่าว</p>", fetched_at=when, **values)


@pytest.fixture
def spool(tmp_path):
    spool = Spool(tmp_path / ".held")
    yield spool
    spool.close()


def test_pages_come_back_as_they_were_first_in_first_out(spool):
    part = Page(url="https://news.example/0?p=2", body=b"\xff\x00 raw", headers={"content-type": "text/html"})
    first = page(0, hints=HINTS, parts=(part,), article_reason="a date", headers={"x": "ไทย\r\nx: y"}, status=203)
    rest = [page(n) for n in range(1, 5)]
    for each in (first, *rest):
        spool.put("news.example", each)
    assert (len(spool), spool.count("news.example"), spool.count("other")) == (5, 5, 0)
    assert spool.waiting("news.example")[3] == rest[2]
    assert [spool.pop("news.example") for _ in range(6)] == [first, *rest, None]
    assert (len(spool), spool.sites) == (0, ())


@given(html=st.text(min_size=1), url=st.none() | st.text(), reason=st.text(max_size=9))
@example(html="0", url="https://a.example/\r\nWARC-Type: x", reason="")
def test_any_text_comes_back(tmp_path_factory, html, url, reason):
    spool = Spool(tmp_path_factory.mktemp("held"))
    waiting = Page(url=url, html=html, article_reason=reason)
    spool.put("s", waiting)
    assert spool.pop("s") == waiting
    spool.close()


def test_sites_do_not_mix(spool):
    sites = ["", "../..", "a/b", "ข่าว", "[::1]:80", "x" * 500]
    for n in range(3):
        for i, site in enumerate(sites):
            spool.put(site, page(10 * i + n))
    for i, site in enumerate(sites):
        assert [spool.pop(site) for _ in range(3)] == [page(10 * i + n) for n in range(3)]
    assert len(spool) == 0


def test_another_process_can_read_what_waits_while_more_comes(spool):
    for n in range(4):
        spool.put("s", page(n))
    waiting = pickle.loads(pickle.dumps(spool.waiting("s")))
    assert isinstance(waiting, HeldPages)
    spool.put("s", page(4))
    assert list(waiting) == [page(n) for n in range(4)]
    assert (waiting[-1], list(waiting[1:3])) == (page(3), [page(1), page(2)])
    with pytest.raises(IndexError):
        waiting[4]


def test_nothing_is_made_before_the_first_page_and_nothing_is_left(tmp_path):
    spool = Spool(tmp_path / ".held")
    spool.sweep()
    spool.close()
    assert list(tmp_path.iterdir()) == []
    spool.put("s", page(1))
    spool.close()
    spool.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_crawl_left_is_removed_and_another_crawls_is_not(tmp_path):
    parent = tmp_path / ".held"
    dead = parent / "crawl-dead"
    dead.mkdir(parents=True)
    (dead / "lock").touch()
    (dead / "x.pages").write_bytes(b"x")
    living = Spool(parent)
    living.put("s", page(1))
    other = Spool(parent)
    other.sweep()
    assert not dead.exists()
    assert living.pop("s") == page(1)
    other.put("s", page(2))
    living.close()
    assert other.pop("s") == page(2)
    other.close()
    assert not parent.exists()


def test_a_damaged_file_costs_its_pages_and_says_so(spool, tmp_path):
    spool.put("s", page(1))
    spool.put("s", page(2))
    (file,) = (tmp_path / ".held").rglob("*.pages")
    whole = file.read_bytes()
    file.write_bytes(whole[:-30])
    assert spool.pop("s") == page(1)
    with pytest.raises(HeldPagesError, match="cannot be read"):
        spool.pop("s")
    assert len(spool) == 0


def test_a_page_that_is_too_large_is_refused(spool, monkeypatch):
    monkeypatch.setattr(spools, "MAX_BYTES", 1_000)
    spool.put("s", page(1))
    with pytest.raises(HeldPagesError, match="more than 1,000 bytes"):
        spool.put("s", Page(html="x" * 1_001))
    assert spool.count("s") == 1


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    spool = Spool(tmp_path / "file")
    with pytest.raises(HeldPagesError, match="file"):
        spool.put("s", page(1))
    assert (len(spool), spool.sites) == (0, ())
    spool.close()
