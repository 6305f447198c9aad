from webmain.evaluation.protocols import papers, thai_lengths
from webmain.evaluation.records import GoldPage

PARAGRAPH = "น้ำขึ้นถึงท่าเรือด้านบนก่อนเที่ยงวันศุกร์ เรือสองลำเสียหาย นายท่ากล่าว"
MENU = "".join(f"<li><a href=/{i}>ข่าวหมวดที่ {i}</a></li>" for i in range(5))
PAGE = f"<html><body><ul>{MENU}</ul><div><p>{PARAGRAPH}</p><p>{PARAGRAPH[:40]}</p></div></body></html>"


def gold(number, text, *, language="th"):
    return GoldPage(id=str(number), dataset="made", html=PAGE, text=text, site="khao.example", language=language)


def test_extracted_and_expected_lengths_give_the_ratios():
    wanted = PARAGRAPH + "\n\n" + PARAGRAPH[:40]
    (table,) = thai_lengths.run([gold(1, wanted), gold(2, PARAGRAPH)]).tables
    assert table.rows[0] == ("khao.example: 1", 1, 100.0, 100.0, 100.0)
    one, both = (len("".join(text.split())) for text in (PARAGRAPH, wanted))
    assert table.rows[1][2:4] == (100 * one / both, 100.0)
    assert table.rows[2][:2] == ("mean of pages", 2)
    assert table.rows[3][2] == 100 * (one + both) / (2 * both)
    assert [row[0] for row in table.rows[4:]] == [
        row[0] for row in papers.table("thai_lengths", "thai_lengths", []).rows
    ]


def test_only_thai_pages_count_where_there_are_any():
    findings = thai_lengths.run([gold(1, PARAGRAPH), gold(2, PARAGRAPH, language="en"), gold(3, None)])
    assert [row[0] for row in findings.tables[0].rows][:1] == ["khao.example: 1"]
    assert findings.notes[0].startswith("1 Thai pages with a gold text of 3 given")


def test_without_thai_pages_all_count_and_the_notes_say_so():
    findings = thai_lengths.run([gold(1, PARAGRAPH, language="en")])
    assert findings.tables[0].rows[0][0] == "khao.example: 1"
    assert "none is in Thai" in findings.notes[0]


def test_without_pages_the_papers_figures_stand_alone():
    assert thai_lengths.run([]).tables == (papers.table("thai_lengths", "thai_lengths", []),)
