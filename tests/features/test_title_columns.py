"""Columns of where the page's title is."""

import pytest

from tests.features.test_columns import PROSE, Seen


def short_notice(title, notice, teaser):
    teasers = "".join(
        f"<div><h2><a href=/{i}>{teaser} {i}</a></h2><p>{teaser} {notice} {notice}</p></div>" for i in range(9)
    )
    body = f"<div id=a><h2>{title}</h2><p>{notice} {notice}</p></div><div id=b>{teasers}</div>"
    return Seen(body, head=f"<title>{title} - Fenland Post</title>")


NOTICES = {
    "Ferry late again": (
        "The ferry to the upper quay left an hour late, as it did on Monday.",
        "Whale seen off the pier",
    ),
    "Паром снова опоздал": ("Паром к верхнему причалу отошёл на час позже расписания.", "Кита видели у причала"),
    "渡船再次晚点一小时": ("前往上游码头的渡船在星期一晚了一个小时才开出，船长没有说明原因。", "有人看见鲸鱼"),
}


@pytest.mark.parametrize("title", NOTICES)
def test_a_short_notice_under_the_title_is_near_it(title):
    notice, teaser = NOTICES[title]
    seen = short_notice(title, notice, teaser)
    assert seen.of(title, "from_title") == 0
    assert seen.of(f"{notice} {notice}", "from_title") == 1
    assert seen.of(f"{notice} {notice}", "in_notice") == 1
    assert seen.of(f"{notice} {notice}", "notice_score1") == 1
    assert seen.of(f"{notice} {notice}", "heading_is_title") == 1
    assert seen.of(f"{teaser} 3", "in_notice") == 0
    assert seen.of(f"{teaser} 3", "heading_linked") == 1
    assert seen.of(f"{teaser} 3", "headings_since_title") == 4


def test_an_h1_is_the_title_where_no_heading_is_like_it():
    seen = Seen(f"<h2>Menu</h2><h1>Whale</h1><p>{PROSE}</p>", head="<title>Fenland Post</title>")
    assert seen.of("Whale", "from_title") == 0
    assert seen.of("Menu", "from_title") == -1
    assert seen.of("Menu", "chars_since_title") == -1


def test_without_headings_nothing_is_known_of_the_title():
    seen = Seen(f"<p>{PROSE}</p><p>End</p>", head="<title>Ferry</title>")
    assert set(seen.column("from_title").tolist()) == {-61}
    assert set(seen.column("title_up").tolist()) == {-1}
