"""Plain text in every script: normal form, words, stop words, language, comparison."""
