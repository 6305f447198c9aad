"""The ledger's tables, and the steps that lead from each version to the next."""

from __future__ import annotations

from typing import Final

SCHEMA_VERSION: Final = 3
APPLICATION_ID: Final = 0x574D4C47  # "WMLG"

_SCHEMA_1: Final = """
CREATE TABLE urls (
    url TEXT PRIMARY KEY,
    site TEXT NOT NULL,
    state INTEGER NOT NULL DEFAULT 0,
    newest REAL NOT NULL,
    added_at REAL NOT NULL,
    changed_at REAL NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_after REAL NOT NULL DEFAULT 0,
    article_id TEXT,
    reason TEXT,
    hints TEXT
);
CREATE INDEX urls_pending ON urls (site, newest DESC) WHERE state = 0;
CREATE TABLE aliases (url TEXT PRIMARY KEY, canonical TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX aliases_canonical ON aliases (canonical);
"""

_SCHEMA_2: Final = """
ALTER TABLE urls ADD COLUMN since REAL;
ALTER TABLE urls ADD COLUMN language TEXT
"""

_SCHEMA_3: Final = """
CREATE TABLE missing (url TEXT PRIMARY KEY, noted_at REAL NOT NULL) WITHOUT ROWID
"""

_MIGRATIONS: Final = (_SCHEMA_1, _SCHEMA_2, _SCHEMA_3)
"""Step n brings a file from version n to n + 1; a new version appends one, and none is ever changed."""
