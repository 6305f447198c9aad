"""What crawls remember from run to run, in one SQLite file."""
