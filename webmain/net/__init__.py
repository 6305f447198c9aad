"""Guarded network access, shared by the command line and the web page."""
