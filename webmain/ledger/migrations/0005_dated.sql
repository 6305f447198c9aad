-- dated_at, dated_by: when a source last listed an article with a modification date, and which source. n_told, n_silent:
-- changes that a signal showed, and that it missed.
ALTER TABLE visits ADD COLUMN dated_at REAL;
ALTER TABLE visits ADD COLUMN dated_by TEXT;
ALTER TABLE visits ADD COLUMN n_silent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE answers ADD COLUMN n_told INTEGER NOT NULL DEFAULT 0;
ALTER TABLE answers ADD COLUMN n_silent INTEGER NOT NULL DEFAULT 0;
CREATE INDEX visits_site ON visits (site, first_seen_at);
