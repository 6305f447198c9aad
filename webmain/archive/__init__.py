"""Recorded pages: WARC files in and out."""
