"""Training of the learned extractor: gold pages, pages synthesised from them, and the fitting."""
