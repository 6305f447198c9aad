"""Stores of articles: JSON Lines and SQLite, duplicates, search, review, export."""
