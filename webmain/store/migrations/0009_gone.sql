-- When an article's page was found to be gone, and the HTTP status that said so; null where it is there.
ALTER TABLE article ADD COLUMN gone_at TEXT;

ALTER TABLE article ADD COLUMN gone_status INTEGER;
