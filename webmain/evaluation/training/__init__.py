"""What the learned extractor is trained from: gold pages, pages made up from them, and the fitting."""
