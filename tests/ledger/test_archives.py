"""How far archive files were read, in the ledger."""

import sqlite3

from webmain.ledger.archives import Progress
from webmain.ledger.ledger import Ledger


def test_progress_is_kept_over_runs_and_a_damaged_row_is_none(tmp_path):
    rows = [
        Progress(path="m/1?q", position=5, size=9, etag='"a"', n_records=2),
        Progress(path="m/2?q", position=9, size=9, done_at=1.5),
        Progress(path="M/3?q"),
        Progress(path="m_4?q"),
    ]
    with Ledger(tmp_path / "l") as ledger:
        ledger.archives.save(rows)
        ledger.archives.save([Progress(path="m/1?q", position=7, size=9, etag='"a"', n_records=3)])
    db = sqlite3.connect(tmp_path / "l")
    with db:
        db.execute("INSERT INTO archives (path, position) VALUES ('m/5?q', 'far'), ('m/6?q', -1)")
        db.execute("INSERT INTO archives (path, position, done_at) VALUES ('m/7?q', 1, x'00')")
    db.close()
    with Ledger(tmp_path / "l") as ledger:
        found = {row.path: row for row in ledger.archives.below("m/")}
    assert sorted(found) == ["m/1?q", "m/2?q"]
    assert (found["m/1?q"].position, found["m/2?q"]) == (7, rows[1])
