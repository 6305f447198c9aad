"""Words and marks of prose, in scripts that mark phrases differently."""

import pytest

from webmain.features.prose import count_prose


def counts(text: str) -> tuple[int, int]:
    found = count_prose([text])
    return int(found.n_words[0]), int(found.n_marks[0])


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("", 0),
        ("Home Sport News", 0),
        ("He came, saw, and left.", 3),
        ("委员会星期二开会，并且同意了这个计划。", 2),
        ("ราคาน้ำมัน วันนี้", 1),  # a space between two Thai letters parts phrases
        ("ราคาน้ำมัน  วันนี้", 1),
        ("ราคาน้ำมัน 95 บาท", 0),  # spaces around a number do not
        ("ราคา (ใหม่)", 2),
        ("Thai ราคา word", 0),
        ("ราคา\nน้ำมัน", 1),
    ],
)
def test_marks(text, marks):
    assert counts(text)[1] == marks


def test_spaces_at_the_edges_part_nothing():
    assert count_prose(["ราคา ", " ราคา", " ราคา "]).n_marks.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "prose",
    [
        "The committee met on Tuesday, and after a long debate it agreed on the plan. It will be put to a vote in May.",
        "Der Ausschuss traf sich am Dienstag, und nach langer Debatte stimmte er dem Plan zu. Im Mai wird abgestimmt.",
        "委员会星期二开会，经过长时间的辩论，最后同意了这个计划。五月将进行表决，届时结果将公布。",
        "委員会は火曜日に会合を開き、長い議論の末、計画に合意した。五月に採決が行われる予定だ。",
        "กระทรวงพลังงานประกาศปรับราคาน้ำมันดีเซลและเบนซินทั่วประเทศ ตั้งแต่วันพรุ่งนี้เป็นต้นไป โดยรัฐมนตรีระบุว่า ราคาตลาดโลกสูงขึ้น",
        "اجتمعت اللجنة يوم الثلاثاء، واتفقت على الخطة بعد نقاش طويل. سيجرى التصويت في مايو.",
    ],
)
def test_prose_of_all_scripts_has_a_similar_density(prose):
    words, marks = counts(prose)
    assert 0.06 < marks / words < 0.3
