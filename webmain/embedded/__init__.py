"""Articles embedded in pages as data for scripts: JSON-LD, state of JavaScript frameworks."""
