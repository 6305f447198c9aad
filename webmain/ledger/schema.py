"""The ledger's schema, as migrations from its first version."""

from __future__ import annotations

from typing import Final

SCHEMA_VERSION: Final = 5
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

_SCHEMA_4: Final = """
CREATE TABLE answers (
    url TEXT PRIMARY KEY,
    site TEXT NOT NULL,
    kind TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    content_hash TEXT,
    mark TEXT,
    first_at REAL NOT NULL,
    asked_at REAL NOT NULL,
    read_at REAL NOT NULL,
    changed_at REAL NOT NULL,
    next_at REAL,
    n_asked INTEGER NOT NULL DEFAULT 1,
    n_changed INTEGER NOT NULL DEFAULT 0,
    since REAL,
    others TEXT NOT NULL DEFAULT '',
    named BLOB
) WITHOUT ROWID;
CREATE INDEX answers_site ON answers (site, kind);
CREATE TABLE visits (
    url TEXT PRIMARY KEY,
    site TEXT NOT NULL,
    published_at REAL,
    first_seen_at REAL NOT NULL,
    visited_at REAL NOT NULL,
    changed_at REAL,
    claimed_at REAL,
    next_at REAL,
    n_visits INTEGER NOT NULL DEFAULT 1,
    n_changes INTEGER NOT NULL DEFAULT 0,
    n_missed INTEGER NOT NULL DEFAULT 0,
    n_claims INTEGER NOT NULL DEFAULT 0,
    n_true INTEGER NOT NULL DEFAULT 0,
    gone_at REAL,
    gone_status INTEGER,
    hints TEXT
) WITHOUT ROWID;
CREATE INDEX visits_due ON visits (site, next_at) WHERE next_at IS NOT NULL;
CREATE TABLE hosts (
    host TEXT PRIMARY KEY,
    site TEXT NOT NULL,
    robots BLOB,
    robots_status INTEGER,
    robots_at REAL,
    robots_until REAL,
    robots_etag TEXT,
    robots_last_modified TEXT,
    robots_changed_at REAL,
    robots_failing_since REAL,
    reserved BLOB,
    reserved_at REAL,
    n_refusals INTEGER NOT NULL DEFAULT 0,
    refused_at REAL,
    wait_until REAL,
    refusal TEXT,
    blocked_at REAL
) WITHOUT ROWID;
CREATE TABLE site_runs (
    site TEXT NOT NULL,
    started_at REAL NOT NULL,
    written_at REAL NOT NULL,
    finished_at REAL,
    outcome TEXT,
    figures TEXT NOT NULL,
    PRIMARY KEY (site, started_at)
) WITHOUT ROWID;
CREATE TABLE archives (
    path TEXT PRIMARY KEY,
    position INTEGER NOT NULL DEFAULT 0,
    size INTEGER,
    etag TEXT,
    n_records INTEGER NOT NULL DEFAULT 0,
    done_at REAL
) WITHOUT ROWID
"""
"""answers: the last complete answer of each address that is fetched repeatedly (front page, section, feed, sitemap, article),
the filters with which it was read (since, others), and what it listed that has to be looked at again (named, compressed
JSON). visits: articles by their fetched address, and when they are due again. hosts: robots.txt and opt-out files as bytes,
and until when hosts are left alone. site_runs: results of each run for each site. archives: how far each archive file was
read, in bytes. Times are seconds since 1970."""

_SCHEMA_5: Final = """
ALTER TABLE visits ADD COLUMN dated_at REAL;
ALTER TABLE visits ADD COLUMN dated_by TEXT;
ALTER TABLE visits ADD COLUMN n_silent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE answers ADD COLUMN n_told INTEGER NOT NULL DEFAULT 0;
ALTER TABLE answers ADD COLUMN n_silent INTEGER NOT NULL DEFAULT 0;
CREATE INDEX visits_site ON visits (site, first_seen_at)
"""
"""dated_at, dated_by: when a source last listed an article with a modification date, and which source. n_told, n_silent:
changes that a signal showed, and that it missed."""

MIGRATIONS: Final = (_SCHEMA_1, _SCHEMA_2, _SCHEMA_3, _SCHEMA_4, _SCHEMA_5)
"""Step n migrates a file from version n to n + 1; a new version appends a step, and existing steps are never changed."""

_SETTLED_AT: Final = """CASE
    WHEN u.article_id IS NOT NULL OR u.reason IN ('duplicate', 'moved') OR u.reason IN
        ('too_old', 'too_new', 'undated', 'other_language', 'other_section') THEN 9e999
    WHEN typeof(u.changed_at) = 'real' THEN u.changed_at
    END"""

FORMS: Final = f"""
CREATE TEMP VIEW forms AS
SELECT u.url, u.url AS canonical, u.state, u.attempts, {_SETTLED_AT} AS settled_at FROM urls u
UNION ALL
SELECT a.url, a.canonical, u.state, u.attempts, {_SETTLED_AT} FROM aliases a CROSS JOIN urls u ON u.url = a.canonical
"""  # noqa: S608 - a constant
"""Every address with the state of its canonical form. `settled_at` is infinite for addresses that stay settled: with an
article, duplicates and moved ones, and those refused by a filter."""
