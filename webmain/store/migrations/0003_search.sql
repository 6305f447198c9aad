-- What the search index has, and what it has yet to take in; triggers keep the list in the writer's own transaction.
-- INSERT OR IGNORE would not do in a trigger: the policy of the statement that fires it goes before it. The index itself
-- (FTS5) is made by webmain.store.search when it is first wanted, so that crawls need no FTS5.
CREATE TABLE search_todo (article INTEGER PRIMARY KEY);

CREATE TABLE search_block (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    article INTEGER NOT NULL REFERENCES article (key) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    n_words INTEGER NOT NULL,
    priority REAL NOT NULL
);

CREATE INDEX search_block_article ON search_block (article);

CREATE TRIGGER search_new AFTER INSERT ON article BEGIN
    INSERT INTO search_todo SELECT new.key WHERE NOT EXISTS (SELECT 1 FROM search_todo WHERE article = new.key);
END;

CREATE TRIGGER search_changed AFTER UPDATE OF fingerprint, title, text, extractor ON article BEGIN
    INSERT INTO search_todo SELECT new.key WHERE NOT EXISTS (SELECT 1 FROM search_todo WHERE article = new.key);
END;

CREATE TRIGGER search_gone AFTER DELETE ON article BEGIN
    DELETE FROM search_todo WHERE article = old.key;
    DELETE FROM search_block WHERE article = old.key;
END;

INSERT INTO search_todo SELECT key FROM article;
