"""What the command line's exit codes mean."""

OK, REJECTED, USAGE, NOT_FOUND, UNWRITTEN = 0, 1, 2, 3, 4
"""Done; a page was rejected; wrong usage; a page or file could not be had; the output could not be written."""

INTERRUPTED = 130
"""Ctrl-C, as the shell counts it."""
