"""Line-Block's own experiments on made-up pages whose figures can be counted by hand."""

import pytest

from webmain.evaluation.protocols import line_block_sites, line_block_sizes
from webmain.evaluation.records import GoldPage
from webmain.evaluation.texts import n_bytes

TEXT = "The tide reached the upper quay before noon, and two boats were lost, the harbour master said on Friday."
PAGE = f"<html><head><title>Tide at the quay</title></head><body><p>{TEXT}</p></body></html>"
BARE = "<html><body><ul><li><a href=/a>Home</a></li></ul></body></html>"


def gold(number, html=PAGE, *, text=TEXT, site="courier.example", dataset="made"):
    return GoldPage(id=str(number), dataset=dataset, html=html, text=text, url=f"https://{site}/{number}", site=site)


def test_sizes_are_added_up_for_each_data_set_and_stand_beside_the_papers():
    (table,) = line_block_sizes.run([gold(1), gold(2), gold(3, dataset="other")]).tables
    size, kept = len(PAGE) / 1024, len(TEXT) / 1024
    assert table.rows[0] == ("made", 2, 2 * size, 2 * kept, pytest.approx(100 * (1 - len(TEXT) / len(PAGE))))
    assert table.rows[1][:2] == ("other", 1)
    assert table.rows[-1][1:4] == (736, 9231.0, 2288.0)
    assert round(table.rows[-1][4], 1) == 75.2


def test_sizes_are_bytes_of_utf8():
    thai = "น้ำขึ้น"
    assert n_bytes(thai) == 3 * len(thai)
    assert n_bytes(thai.encode("cp874")) == len(thai)


def test_a_page_without_a_text_is_saved_whole_and_counted():
    findings = line_block_sizes.run([gold(1, BARE)])
    assert findings.tables[0].rows[0][3:] == (0.0, 100.0)
    assert "1 of 1 pages gave no text." in findings.notes


def test_pages_are_right_from_the_threshold_on():
    longer = TEXT + " " + " ".join(f"w{i}" for i in range(4))  # 19 of 23 words: F1 .905
    wrong = TEXT + " " + " ".join(f"w{i}" for i in range(5))  # 19 of 24 words: F1 .884
    pages = [gold(i) for i in range(3)] + [gold(3, text=longer), gold(4, text=wrong)]
    (table,) = line_block_sites.run(pages).tables
    assert table.rows[0][:5] == ("courier.example", 5, 4, 1, 80.0)


def test_small_sites_share_a_row_and_pages_without_gold_are_left_out():
    pages = [gold(i, site=f"s{i}.example") for i in range(2)] + [gold(9, text=None)]
    findings = line_block_sites.run(pages)
    assert findings.tables[0].rows[0][:4] == ("2 sites of fewer than 5 pages", 2, 2, 0)
    assert "1 pages without a gold text are left out." in findings.notes


def test_order_counts_for_right_pages():
    words = TEXT.split()
    (table,) = line_block_sites.run([gold(i, text=" ".join(reversed(words))) for i in range(5)]).tables
    assert table.rows[0][2] == 0
