-- The text of a block is a part of its article's, which is stored once: characters start to start + n_chars of it. A block of
-- an earlier version, or one whose text is no part of the article's, has a text of its own and no start.
DROP VIEW article_blocks;

ALTER TABLE block RENAME TO kept_block;

ALTER TABLE kept_block ADD COLUMN start INTEGER;

ALTER TABLE kept_block ADD COLUMN n_chars INTEGER;

CREATE VIEW block AS
    SELECT b.article, b.position, b.kind, b.level, b.ordered,
        CASE WHEN b.start IS NULL THEN b.text ELSE substr(a.text, b.start + 1, b.n_chars) END AS text,
        b."rows", b.score, b.raw, b.xpath, b.number, b.continues, b.language, b.links, b.marks, b.align
    FROM kept_block AS b JOIN article AS a ON a.key = b.article;

CREATE VIEW article_blocks AS
    SELECT a.id, a.url, a.title, a.extractor, b.position, b.kind, b.level, b.text, b.score, b.raw
    FROM block AS b JOIN article AS a ON a.key = b.article;
