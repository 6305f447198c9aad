-- The texts that articles had before their last revision.
CREATE TABLE earlier (
    article INTEGER NOT NULL REFERENCES article (key) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    stored TEXT NOT NULL,
    run INTEGER REFERENCES crawl_run (id) ON DELETE SET NULL,
    fingerprint TEXT NOT NULL,
    title TEXT,
    text TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (article, revision)
);
