"""Makers of made-up training pages and their word lists: used by `webmain train` in a source checkout, not in the wheel."""
