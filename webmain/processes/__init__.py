"""Worker processes that can be killed, and the tasks that they run on pages."""
