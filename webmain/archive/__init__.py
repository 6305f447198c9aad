"""Read and write archived pages as WARC files."""
