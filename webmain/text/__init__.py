"""Text: normal forms, words, languages and comparison, for every script; no HTML."""
