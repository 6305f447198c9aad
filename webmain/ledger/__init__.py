"""What crawls remember over runs, in one SQLite file."""
