"""The SQLite store's tables, as SQL, and the steps that lead from each version to the next.

`MIGRATIONS[n]` takes a file from version n to n + 1; a new file takes all of them. A step is never edited once it has
been released: add another. Every table, view and column is described in docs/fields.md, and a test compares.
"""

from __future__ import annotations

APPLICATION_ID = 0x7765626D
"""`PRAGMA application_id` of our files: "webm" in ASCII."""

_ARTICLES = (
    """CREATE TABLE crawl_run (
        id INTEGER PRIMARY KEY,
        started TEXT NOT NULL,
        finished TEXT,
        arguments TEXT NOT NULL DEFAULT '{}',
        stats TEXT,
        reason TEXT
    )""",
    """CREATE TABLE article (
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
    )""",
    "CREATE INDEX article_url ON article (url)",
    "CREATE INDEX article_canonical_url ON article (canonical_url)",
    "CREATE INDEX article_site ON article (site, published)",
    "CREATE INDEX article_fingerprint ON article (fingerprint)",
    """CREATE TABLE block (
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
    ) WITHOUT ROWID""",
    """CREATE TABLE word (
        article INTEGER NOT NULL REFERENCES article (key) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        word TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (article, position)
    ) WITHOUT ROWID""",
    "CREATE TABLE author (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    """CREATE TABLE article_author (
        article INTEGER NOT NULL REFERENCES article (key) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        author INTEGER NOT NULL REFERENCES author (key),
        PRIMARY KEY (article, position)
    ) WITHOUT ROWID""",
    "CREATE INDEX article_author_author ON article_author (author)",
    """CREATE VIEW article_words AS
        SELECT a.id, a.url, a.site, a.language, a.published, w.word, w.count
        FROM word AS w JOIN article AS a ON a.key = w.article""",
    """CREATE VIEW article_blocks AS
        SELECT a.id, a.url, a.title, a.extractor, b.position, b.kind, b.level, b.text, b.score, b.raw
        FROM block AS b JOIN article AS a ON a.key = b.article""",
    """CREATE VIEW article_authors AS
        SELECT a.id, a.url, a.title, a.site, a.published, n.name AS author
        FROM article_author AS l JOIN article AS a ON a.key = l.article JOIN author AS n ON n.key = l.author""",
    """CREATE VIEW article_tags AS
        SELECT a.id, a.url, a.title, a.site, a.published, t.value AS tag
        FROM article AS a, json_each(a.record, '$.tags') AS t""",
    """CREATE VIEW article_sources AS
        SELECT a.id, a.url, s.key AS field, json_extract(s.value, '$.name') AS source,
            json_extract(s.value, '$.raw') AS raw
        FROM article AS a, json_each(a.record, '$.sources') AS s""",
    """CREATE VIEW top_words AS
        SELECT a.language, w.word, sum(w.count) AS count, count(*) AS articles
        FROM word AS w JOIN article AS a ON a.key = w.article
        GROUP BY a.language, w.word ORDER BY sum(w.count) DESC""",
)

_NEAR_DUPLICATES = (
    """CREATE TABLE signature (
        id TEXT PRIMARY KEY,
        cluster TEXT NOT NULL,
        minhash BLOB NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE band (
        hash INTEGER NOT NULL,
        id TEXT NOT NULL,
        PRIMARY KEY (hash, id)
    ) WITHOUT ROWID""",
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)

_SEARCH = (
    "CREATE TABLE search_todo (article INTEGER PRIMARY KEY)",
    """CREATE TABLE search_block (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        article INTEGER NOT NULL REFERENCES article (key) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        n_words INTEGER NOT NULL,
        priority REAL NOT NULL
    )""",
    "CREATE INDEX search_block_article ON search_block (article)",
    """CREATE TRIGGER search_new AFTER INSERT ON article BEGIN
        INSERT INTO search_todo SELECT new.key WHERE NOT EXISTS (SELECT 1 FROM search_todo WHERE article = new.key);
    END""",
    """CREATE TRIGGER search_changed AFTER UPDATE OF fingerprint, title, text, extractor ON article BEGIN
        INSERT INTO search_todo SELECT new.key WHERE NOT EXISTS (SELECT 1 FROM search_todo WHERE article = new.key);
    END""",
    """CREATE TRIGGER search_gone AFTER DELETE ON article BEGIN
        DELETE FROM search_todo WHERE article = old.key;
        DELETE FROM search_block WHERE article = old.key;
    END""",
    "INSERT INTO search_todo SELECT key FROM article",
)
"""What the search index has, and what it has yet to take in; triggers keep the list in the writer's own transaction.

`INSERT OR IGNORE` would not do in a trigger: the policy of the statement that fires it goes before it. The index itself
(FTS5) is made by `webmain.store.search` when it is first wanted, so that crawls need no FTS5.
"""

_STRUCTURE = (
    "ALTER TABLE block ADD COLUMN number INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE block ADD COLUMN continues INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE block ADD COLUMN language TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE block ADD COLUMN links TEXT",
)

_EARLIER = (
    """CREATE TABLE earlier (
        article INTEGER NOT NULL REFERENCES article (key) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        stored TEXT NOT NULL,
        run INTEGER REFERENCES crawl_run (id) ON DELETE SET NULL,
        fingerprint TEXT NOT NULL,
        title TEXT,
        text TEXT NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (article, revision)
    )""",
)
"""The texts that articles had before their last revision."""

_FORM = ("ALTER TABLE block ADD COLUMN marks TEXT", "ALTER TABLE block ADD COLUMN align TEXT")

MIGRATIONS: tuple[tuple[str, ...], ...] = (_ARTICLES, _NEAR_DUPLICATES, _SEARCH, _STRUCTURE, _EARLIER, _FORM)
"""The steps, oldest first; a file's `PRAGMA user_version` is the number of steps it has taken."""

VERSION = len(MIGRATIONS)
"""The version that this webmain writes."""

COLUMNS = [
    "id",
    "url",
    "canonical_url",
    "site",
    "title",
    "published",
    "modified",
    "description",
    "site_name",
    "section",
    "language",
    "language_score",
    "language_declared",
    "image",
    "licence",
    "paywalled",
    "text",
    "n_words",
    "n_parts",
    "extractor",
    "confidence",
    "fetched_at",
    "status",
    "charset",
    "charset_source",
    "article_reason",
    "duplicate_of",
    "fingerprint",
]
"""The columns of `article` that are fields of `Article`, in order."""

_CHANGED = ", ".join(f"{c} = excluded.{c}" for c in [*COLUMNS[1:], "last_stored", "run", "record"])

PUT_ARTICLE = f"""INSERT INTO article ({", ".join(COLUMNS)}, revision, first_stored, last_stored, run, record)
    VALUES ({", ".join("?" for _ in COLUMNS)}, 1, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET {_CHANGED}, revision = revision + 1 WHERE fingerprint <> excluded.fingerprint
    RETURNING key, revision"""  # noqa: S608 - names of columns, from this file
"""Inserts, or updates where the fingerprint differs; returns no row where nothing was written."""

PUT_EARLIER = """INSERT INTO earlier
    SELECT key, revision, last_stored, run, fingerprint, title, text, coalesce(?, record) FROM article WHERE key = ?"""
"""Keeps the text of an article that is about to change, with the rest of its record."""

REVISIONS = """SELECT e.revision, e.stored, e.text, e.record FROM earlier AS e JOIN article AS a ON a.key = e.article
    WHERE a.id = ? ORDER BY e.revision"""

PUT_BLOCK = "INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
PUT_WORD = "INSERT INTO word VALUES (?, ?, ?, ?)"
PUT_AUTHOR = "INSERT OR IGNORE INTO author (name) VALUES (?)"
PUT_LINK = "INSERT INTO article_author SELECT ?, ?, key FROM author WHERE name = ?"
CLEAR = (
    "DELETE FROM block WHERE article = ?",
    "DELETE FROM word WHERE article = ?",
    "DELETE FROM article_author WHERE article = ?",
)
"""Removes what hangs on an article."""
