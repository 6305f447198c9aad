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
