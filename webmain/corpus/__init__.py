"""What becomes of articles: stores, duplicates, archives of pages, quality signals, exports."""
