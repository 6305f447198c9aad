"""Find crawls that need attention, by comparing the results of their runs with the usual ones."""
