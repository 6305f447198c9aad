"""Gold data, metrics, the systems compared, and reports."""
