"""The command line's exit codes."""

OK, REJECTED, USAGE, NOT_FOUND, UNWRITTEN = 0, 1, 2, 3, 4
"""Success; a page was rejected; wrong usage; a page or file could not be read; the output could not be written."""

INTERRUPTED = 130
"""Ctrl-C, by the shell's convention."""
