"""What the learning methods know of blocks: features, evidence over a site, labels, folds."""
