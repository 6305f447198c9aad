-- answers: the last complete answer of each address that is fetched repeatedly (front page, section, feed, sitemap, article),
-- the filters with which it was read (since, others), and what it listed that has to be looked at again (named, compressed
-- JSON). visits: articles by their fetched address, and when they are due again. hosts: robots.txt and opt-out files as bytes,
-- and until when hosts are left alone. site_runs: results of each run for each site. archives: how far each archive file was
-- read, in bytes. Times are seconds since 1970.
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
) WITHOUT ROWID;
