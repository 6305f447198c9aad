"""Versions of an article: what is a change, and of which kind."""
