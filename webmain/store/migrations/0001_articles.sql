CREATE TABLE crawl_run (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    finished TEXT,
    arguments TEXT NOT NULL DEFAULT '{}',
    stats TEXT,
    reason TEXT
);

CREATE TABLE article (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    url TEXT,
    canonical_url TEXT,
    site TEXT NOT NULL,
    title TEXT,
    published TEXT,
    modified TEXT,
    description TEXT,
    site_name TEXT,
    section TEXT,
    language TEXT,
    language_score REAL,
    language_declared TEXT,
    image TEXT,
    licence TEXT,
    paywalled INTEGER,
    text TEXT NOT NULL,
    n_words INTEGER NOT NULL,
    n_parts INTEGER NOT NULL,
    extractor TEXT NOT NULL,
    confidence REAL,
    fetched_at TEXT,
    status INTEGER NOT NULL,
    charset TEXT NOT NULL,
    charset_source TEXT NOT NULL,
    article_reason TEXT NOT NULL,
    duplicate_of TEXT,
    fingerprint TEXT NOT NULL,
    revision INTEGER NOT NULL,
    first_stored TEXT NOT NULL,
    last_stored TEXT NOT NULL,
    run INTEGER REFERENCES crawl_run (id) ON DELETE SET NULL,
    record TEXT NOT NULL
);

CREATE INDEX article_url ON article (url);

CREATE INDEX article_canonical_url ON article (canonical_url);

CREATE INDEX article_site ON article (site, published);

CREATE INDEX article_fingerprint ON article (fingerprint);

CREATE TABLE block (
    article INTEGER NOT NULL REFERENCES article (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    level INTEGER NOT NULL,
    ordered INTEGER NOT NULL,
    text TEXT NOT NULL,
    "rows" TEXT,
    score REAL,
    raw REAL,
    xpath TEXT NOT NULL,
    PRIMARY KEY (article, position)
) WITHOUT ROWID;

CREATE TABLE word (
    article INTEGER NOT NULL REFERENCES article (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    word TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (article, position)
) WITHOUT ROWID;

CREATE TABLE author (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

CREATE TABLE article_author (
    article INTEGER NOT NULL REFERENCES article (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    author INTEGER NOT NULL REFERENCES author (key),
    PRIMARY KEY (article, position)
) WITHOUT ROWID;

CREATE INDEX article_author_author ON article_author (author);

CREATE VIEW article_words AS
    SELECT a.id, a.url, a.site, a.language, a.published, w.word, w.count
    FROM word AS w JOIN article AS a ON a.key = w.article;

CREATE VIEW article_blocks AS
    SELECT a.id, a.url, a.title, a.extractor, b.position, b.kind, b.level, b.text, b.score, b.raw
    FROM block AS b JOIN article AS a ON a.key = b.article;

CREATE VIEW article_authors AS
    SELECT a.id, a.url, a.title, a.site, a.published, n.name AS author
    FROM article_author AS l JOIN article AS a ON a.key = l.article JOIN author AS n ON n.key = l.author;

CREATE VIEW article_tags AS
    SELECT a.id, a.url, a.title, a.site, a.published, t.value AS tag
    FROM article AS a, json_each(a.record, '$.tags') AS t;

CREATE VIEW article_sources AS
    SELECT a.id, a.url, s.key AS field, json_extract(s.value, '$.name') AS source,
        json_extract(s.value, '$.raw') AS raw
    FROM article AS a, json_each(a.record, '$.sources') AS s;

CREATE VIEW top_words AS
    SELECT a.language, w.word, sum(w.count) AS count, count(*) AS articles
    FROM word AS w JOIN article AS a ON a.key = w.article
    GROUP BY a.language, w.word ORDER BY sum(w.count) DESC;
