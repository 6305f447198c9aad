"""Compare versions of an article: find changes and their kind."""
