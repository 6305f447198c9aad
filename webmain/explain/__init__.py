"""Explain an extraction: every block with its verdict, as records, as an overlay on the page, or as one HTML file."""
