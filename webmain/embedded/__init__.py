"""Articles that pages carry as data for their scripts: JSON-LD, states of frameworks."""
