"""The guarded fetch that the command line and the web page share."""
