ALTER TABLE article ADD COLUMN page_type TEXT NOT NULL DEFAULT '';

ALTER TABLE article ADD COLUMN page_type_probability REAL;
