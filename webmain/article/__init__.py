"""From kept text to an article: kinds, tables, pictures, comments, words, identity, Markdown."""
