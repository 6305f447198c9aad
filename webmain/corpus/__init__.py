"""What is kept: stores, duplicates, word clouds, archives, quality signals."""
