"""Turn kept text into an article: kinds of blocks, tables, pictures, comments, words, identity."""
